// The process in which `gauze tune` runs candidates: one that crashes, or does not end, takes nothing with
// it.
#ifndef GAUZE_TOOLS_TUNE_WORKER_HPP
#define GAUZE_TOOLS_TUNE_WORKER_HPP

#include <string>

#include "command.hpp"

namespace gauze::tool {

// Lines that it reads, and what it answers:
//   case INDEX TYPE SIZE BASELINE   makes the input of a case, and its default the baseline: "ready", "bad
//                                   WHY" where the baseline is wrong, "error WHY" where there is no such case
//   try BEST CANDIDATE              measures it: "time MS RATIO", "bad WHY", "unfit WHY". One that is faster
//                                   than BEST, a ratio, is checked on the whole image too.
ExitCode run_tune_worker(const std::string &device);

} // namespace gauze::tool

#endif
