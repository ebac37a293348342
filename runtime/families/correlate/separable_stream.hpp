// Where rows should stream through local memory rather than lie in it as tiles.
#pragma once

#include "device/facts.hpp"
#include "families/correlate/correlate_pass.hpp"

namespace gz {

// Whether separable_stream was measured to take less time than separable_fused for passes like this one.
bool streams_best(const CorrelatePass &pass, const DeviceFacts &facts);

// Places among the arguments of a launch of separable_stream; those of frames follow `places`.
struct StreamArguments {
    static constexpr std::size_t geometry = 2, band = 4, entered = 6, places = 8;
};

} // namespace gz
