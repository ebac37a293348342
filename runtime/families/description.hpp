// The functions that every family provides for its filters. A filter's description is a struct D, a plain
// value; the family declares for it, in D's own header:
//   std::string to_text(const D &)                    for people
//   void check_border(const D &, const Border &)      refuses a border that the filter cannot have
//   double error_bound(const D &, double largest)     bounds |result - exact result| in f32, before it is
//                                                     stored, for a source whose magnitudes reach `largest`
//   double rounding_bound(const D &, double largest)  the part of that bound that rounding alone adds
//   AxesReach reach_of(const D &)                     how far from its place a result reads
//   bool rounds_once(const D &, const Rounded &)      whether results are the exact ones, rounded
//   Results results_of(const D &)                     what its target holds
//   void compute(const D &, const ReferenceJob &, ModesAs, const RowSink<double> &)
//                                                     its reference: see compute_in_double()
// and in a header `lowering.hpp` the functions that a plan calls: see family.hpp. A family that lacks any of
// these does not compile.
#pragma once

#include <string>

#include "core/border.hpp"
#include "core/image_desc.hpp"
#include "core/reach.hpp"
#include "core/types.hpp"
#include "families/reference.hpp"

namespace gz {

// Images whose results are stored.
struct Rounded {
    PixelType source, target;
    Border border;
    Store store = Store::saturate;
};

// How modes of recursive filters that stand for a response are read: as that response, or as themselves.
enum class ModesAs { approximated, written };

// Refuses the border zero, for filters that cannot start from nothing. what: the filter's text.
void refuse_border_zero(const Border &border, const std::string &what);

} // namespace gz
