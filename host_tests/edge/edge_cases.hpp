// Shared by the tests of edge-aware filters.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "families/edge/kernels.hpp"
#include "families/extended_plane.hpp"
#include "families/reference.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace support {

// Tests fill images of integers with all of their values, and those of floats with values around 1.
inline double largest_of(gz::PixelType type) {
    return gz::facts_of(type).is_integer ? gz::facts_of(type).highest : 1.0;
}

inline const gz::Kernel &edge_kernel(const std::string &name) {
    const std::vector<gz::Kernel> &all = gz::edge_kernels();
    return *std::find_if(all.begin(), all.end(),
                         [&](const gz::Kernel &own) { return own.name == name; });
}

// The border and the setting of each tunable that come in turn.
template <class Case>
void take_turn(Case &test, const std::string &kernel, std::size_t turn, gz::PixelType type) {
    test.border = gz::all_border_modes[turn % std::size(gz::all_border_modes)];
    test.border_value = 0.5 * largest_of(type);
    gz::Config config;
    for (const gz::Tunable &tunable : edge_kernel(kernel).tunables)
        config[tunable.name] = tunable.values[turn % tunable.values.size()];
    test.variant = kernel + ":" + gz::to_text(config);
}

// A row of results in f32, in the stated order. Row: a class with row(extended plane, y).
template <class Row>
std::vector<std::byte> ordered_results(Row &rows, const gz::ReferenceJob &job,
                                       const gz::PlanDesc &desc, std::vector<std::byte> target) {
    gz::for_each_row<float>(
        job, [&](const gz::RowPlace &at, const float *row) { store_row(desc, at, row, target); },
        [&](const gz::ExtendedPlane &source, std::int64_t, std::int64_t y) {
            return rows.row(source, y);
        });
    return target;
}

// Runs a forced kernel. Returns "" where it gives the bits of ordered rows, unless the device makes its own, keeps
// the bound, and writes nothing else, or where it does not fit; else what is wrong. Own: a description with an accuracy;
// Row: a class made of it and a job.
template <class Row, class Own>
std::string run_edge_case(const ImageCase &test, const std::string &variant, const Own &own,
                          Tally &tally) {
    std::minstd_rand random(7);
    const gz::Filter filter = own;
    const gz::PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(filter, desc, variant, source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    ++tally.ran;
    const gz::ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    Row rows(own, job);
    const std::string where =
        own.accuracy == 0.0 ? first_difference(ordered_results(rows, job, desc, before), got, desc)
                            : written_outside(before, got, desc);
    if (!where.empty())
        return where;
    const double bound = filter.error_bound(largest_magnitude(job));
    return compare_with_double(job, desc, got, tally, [&](double exact) {
        return bound + gz::storing_error(desc.target.type, std::abs(exact) + bound);
    });
}

// Runs cases that have a variant and filter().
template <class Row, class Case> void run_edge_cases(const std::vector<Case> &cases) {
    Tally tally;
    for (const Case &test : cases) {
        const auto own = test.filter();
        INFO(test.variant, " ", test.name(), " ", to_text(own), ", accuracy ", own.accuracy);
        CHECK(run_edge_case<Row>(test, test.variant, own, tally) == "");
    }
    CHECK((tally.ran > 0 || is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it; ", tally.worst, " of the bound used up");
}

} // namespace support
