// Compares what a row's plan chose with other kernels and configurations.
#ifndef GAUZE_TOOLS_BENCH_CANDIDATES_HPP
#define GAUZE_TOOLS_BENCH_CANDIDATES_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "bench_rows.hpp"

namespace gauze::tool {

struct FasterCandidate {
    std::string candidate, choice;
    double ratio;      // its time over the choice's
    std::string wrong; // where its result is wrong; "" where it is right
};

struct CandidatesOutcome {
    std::size_t compared = 0;
    std::size_t left_out = 0; // too slow, or refused by the library
    std::vector<FasterCandidate> faster;
    std::vector<std::string> errors; // candidates that failed, and why
};

// A row with one source and one target, and its images. The target is overwritten.
struct ComparedRow {
    const BenchRow &row;
    const Plan &plan;
    const ImageDesc &source_desc, &target_desc;
    const Image &source;
    Image &target;
    std::span<const std::vector<std::byte>> pixels; // the source's
};

// Runs up to `most` candidates of each of the plan's problems, other than its choice, in turn with the plan, the default of each
// kernel first. Candidates that would take many seconds are left out. Returns early where the process is interrupted. Throws
// Error where no part of the row can be measured.
CandidatesOutcome compare_candidates(const Engine &engine, const ComparedRow &compared,
                                     unsigned most);

} // namespace gauze::tool

#endif
