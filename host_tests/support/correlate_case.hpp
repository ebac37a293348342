// One correlation on one kernel configuration, checked against the references: the bits, the error
// bound, the guard bands.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "families/family.hpp"
#include "families/filter.hpp"
#include "families/reference.hpp"
#include "support/image_case.hpp"
#include "support/passes.hpp"

namespace support {

struct TapsCase {
    int width, height, anchor_x, anchor_y;
    bool separable;
    bool convolve;
};

struct CorrelateCase : ImageCase {
    std::string kernel;
    gz::Config config;
    TapsCase taps{};

    std::string name() const; // says everything about the case
};

// Returns the kernel of that name.
gz::Kernel correlate_spec(const std::string &kernel);

gz::Filter make_filter(const TapsCase &taps, unsigned seed);

// The outcomes of a number of cases.
struct Tally {
    int ran = 0, misfits = 0; // misfits: the configuration does not fit the device
    double worst = 0.0;       // largest share of the error bound that a result used up
};

// compute_in_double or compute_as_written.
using Reference = void (*)(const gz::ReferenceJob &, const gz::RowSink<double> &);

// Returns "" where every pixel of the region is as near to the reference in double as bound_of(its exact
// value) asks; else the first pixel that is not.
std::string compare_with_double(const gz::ReferenceJob &job, const gz::PlanDesc &desc,
                                const std::vector<std::byte> &got, Tally &tally,
                                const std::function<double(double)> &bound_of,
                                Reference reference = gz::compute_in_double);

// Runs a forced kernel, and compares what it makes with the reference in double: bound_for gives the bounds of a
// job. Returns "" if that passes, or does not fit the device; else what is wrong.
using BoundOf = std::function<double(double)>;
std::string run_and_compare(const gz::Filter &filter, const gz::PlanDesc &desc,
                            const std::string &variant, const std::vector<std::byte> &source,
                            std::minstd_rand &random, Tally &tally,
                            const std::function<BoundOf(const gz::ReferenceJob &)> &bound_for,
                            Reference reference = gz::compute_in_double);

// Returns "" if the case passes, or does not fit the device; else what is wrong.
std::string run(const CorrelateCase &test, Tally &tally);

// The parameters that cases are made of.
const std::vector<TapsCase> &all_taps();
const std::vector<std::pair<int, int>> &all_sizes();

// Limits of a selection of cases.
struct Limits {
    int image = 100000, taps = 100000; // longest sides
    int kinds = 100000;                // of taps, picked evenly from those that are left
};

// The sizes that pairwise selections use.
std::vector<std::pair<int, int>> pairwise_sizes(const Limits &limits);

// Cases of one kernel: one for each pair of parameter values.
std::vector<CorrelateCase> pairwise_cases(const std::string &kernel, const Limits &limits);
// Cases of one kernel and source type: every configuration x border x size, the other parameters in turn.
std::vector<CorrelateCase> all_cases(const std::string &kernel, gz::PixelType type);

} // namespace support
