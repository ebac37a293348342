// SSIMULACRA 2 in `gauze tune`: a candidate scores a pair of images on the device, beside the default.
#ifndef GAUZE_TOOLS_TUNE_METRIC_HPP
#define GAUZE_TOOLS_TUNE_METRIC_HPP

#include <memory>
#include <string>

#include <gauze/gauze.hpp>

#include "tune_contest.hpp"

namespace gauze::tool {

// desc: of both images. The engine lives as long.
std::unique_ptr<Contest> make_metric_contest(const Engine &engine, const ImageDesc &desc,
                                             const std::string &baseline);

} // namespace gauze::tool

#endif
