// The process in which `gauze tune` runs candidates: one that crashes, or does not end, takes nothing with
// it.
#ifndef GAUZE_TOOLS_TUNE_WORKER_HPP
#define GAUZE_TOOLS_TUNE_WORKER_HPP

#include <string>

#include "command.hpp"

namespace gauze::tool {

// Lines that it reads, and what it answers:
//   case TYPE BASELINE SAMPLE...    makes the input of the first sample, and its default the baseline: "ready", "bad WHY"
//                                   where the baseline is wrong, "error WHY" where there is no such case. A sample is four
//                                   numbers, the members of TuneSample.
//   try BEST CANDIDATE              measures it: "time MS BASELINE_MS RATIO", "bad WHY", "unfit WHY". One that is faster
//                                   than BEST, a ratio, is checked on the whole image too, and compared in the other
//                                   samples: RATIO is the largest of all.
ExitCode run_tune_worker(const std::string &device);

} // namespace gauze::tool

#endif
