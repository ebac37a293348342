#include "plan/verify.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/family.hpp"

namespace gz {

double storing_error(PixelType type, double largest) {
    const PixelTypeFacts &facts = facts_of(type);
    if (facts.is_integer)
        return 0.5;
    const double smallest = type == PixelType::f16 ? 0x1p-25 : 0.0; // half a step of subnormals
    return type == PixelType::f32 ? 0.0 : facts.unit_roundoff * largest + smallest;
}

double storing_error(const PlanDesc &desc, double largest) {
    return desc.truncates() ? 0.0 : storing_error(desc.target.type, largest);
}

double distance(double exact, double stored, PixelType type) {
    const PixelTypeFacts &facts = facts_of(type);
    if (std::isnan(exact))
        return std::isnan(stored) || (facts.is_integer && stored == 0.0) ? 0.0 : INFINITY;
    if (std::isnan(stored))
        return INFINITY;
    if (facts.is_integer)
        exact = std::clamp(exact, facts.lowest, facts.highest);
    else if (std::isinf(stored) && exact * (stored > 0 ? 1.0 : -1.0) > facts.highest)
        return 0.0;
    return exact == stored ? 0.0 : std::abs(exact - stored);
}

double distance_from_truncated(double exact, double stored, PixelType type) {
    const PixelTypeFacts &facts = facts_of(type);
    if (std::isnan(exact))
        return stored == 0.0 ? 0.0 : INFINITY;
    const double least = stored == facts.lowest ? -INFINITY : stored - (stored > 0.0 ? 0.0 : 1.0);
    const double most = stored == facts.highest ? INFINITY : stored + (stored < 0.0 ? 0.0 : 1.0);
    return std::max({0.0, least - exact, exact - most});
}

double away_from_zero(double mean) {
    return mean + std::copysign(1e-9, mean);
}

double distance_of_sums(double exact, double stored, PixelType type) {
    if (!facts_of(type).is_integer)
        return distance(exact, stored, type);
    const double range = std::ldexp(1.0, 8 * static_cast<int>(size_of(type)));
    const double apart = std::fmod(std::abs(exact - stored), range);
    return std::min(apart, range - apart);
}

namespace {

// Bounds differ by many orders of magnitude within a table: the measure is the share of its own bound that an
// error takes up.
Verification verify_sums(const ReferenceJob &job, const ImageDesc &target,
                         const std::byte *pixels) {
    const Region &region = job.region;
    const bool isolated = region.edge == RegionEdge::isolated;
    const Axes &to = region.target_origin;
    const std::int64_t channels = job.source.channels;
    const auto step = static_cast<std::int64_t>(size_of(target.type));
    const std::int64_t first_x = isolated ? 0 : region.source_origin[0];
    const std::int64_t first_y = isolated ? 0 : region.source_origin[1];
    Verification result;
    double worst_share = -1.0;
    compute_sums(job, [&](const RowPlace &at, const double *exact, const double *magnitudes) {
        const std::byte *row =
            pixels + target.byte_of({to[0], to[1] + at.y, to[2] + at.z, to[3] + at.t}, at.plane);
        for (std::int64_t i = 0; i < region.extent[0] * channels; ++i) {
            const double error =
                distance_of_sums(exact[i], load_pixel(target.type, row + i * step), target.type);
            const std::int64_t x = i / channels;
            const double bound = facts_of(target.type).is_integer
                                     ? 0.5
                                     : sat_error_bound(first_x + x, first_y + at.y, magnitudes[i]);
            const double share = error == 0.0 ? 0.0 : error / bound; // the first entry's bound is 0
            if (share > worst_share) {
                worst_share = share;
                result.worst_error = error;
                result.bound = bound;
                result.worst_at = {to[0] + x,    to[1] + at.y, to[2] + at.z,
                                   to[3] + at.t, at.plane,     i % channels};
            }
        }
        result.pixels += static_cast<std::uint64_t>(region.extent[0]);
    });
    return result;
}

// One target of a plan.
Verification verify_one(const Filter &filter, const PlanDesc &desc,
                        const std::vector<HostSource> &sources, const HostSource &target) {
    ReferenceJob job{filter, desc.source, desc.border, desc.region, sources[0].data};
    for (std::size_t i = 1; i < desc.source_count(); ++i)
        job.more_sources.push_back({desc.source_at(i), sources[i].data});
    if (filter.results() == Results::sums)
        return verify_sums(job, desc.target, target.data);
    const bool is_exact =
        filter.rounds_once({desc.source.type, desc.target.type, desc.border, desc.store});
    Verification result;
    double largest_result = 0.0;
    const Axes &to = desc.region.target_origin;
    const std::int64_t channels = desc.source.channels;
    const auto step = static_cast<std::int64_t>(size_of(desc.target.type));
    compute_in_double(job, [&](const RowPlace &at, const double *exact) {
        const std::byte *row =
            target.data +
            desc.target.byte_of({to[0], to[1] + at.y, to[2] + at.z, to[3] + at.t}, at.plane);
        for (std::int64_t i = 0; i < desc.region.extent[0] * channels; ++i) {
            const double stored = load_pixel(desc.target.type, row + i * step);
            const double error =
                desc.truncates()
                    ? distance_from_truncated(is_exact ? away_from_zero(exact[i]) : exact[i],
                                              stored, desc.target.type)
                    : distance(exact[i], stored, desc.target.type);
            if (std::isfinite(exact[i]))
                largest_result = std::max(largest_result, std::abs(exact[i]));
            if (error > result.worst_error) {
                result.worst_error = error;
                result.worst_at = {to[0] + i / channels, to[1] + at.y, to[2] + at.z,
                                   to[3] + at.t,         at.plane,     i % channels};
            }
        }
        result.pixels += static_cast<std::uint64_t>(desc.region.extent[0]);
    });
    result.bound = (is_exact ? 0.0 : filter.error_bound(largest_magnitude(job))) +
                   storing_error(desc, largest_result);
    return result;
}

// A bound may be 0, where nothing is allowed to differ.
double share(const Verification &verification) {
    return verification.worst_error == 0.0 ? 0.0 : verification.worst_error / verification.bound;
}

} // namespace

Verification verify(const Plan &plan, const std::vector<HostSource> &sources,
                    const std::vector<HostSource> &targets) {
    const PlanDesc &desc = plan.desc();
    for (std::size_t i = 0; i < desc.source_count(); ++i)
        check_host(sources.at(i).data, sources[i].bytes, desc.source_at(i),
                   Plan::name_of_source(i));
    for (std::size_t i = 0; i < desc.target_count(); ++i)
        check_host(targets.at(i).data, targets[i].bytes, desc.target_at(i), plan.name_of_target(i));
    Verification worst;
    std::uint64_t pixels = 0;
    for (std::size_t i = 0; i < desc.target_count(); ++i) {
        Verification own =
            verify_one(plan.filter().for_target(i), desc.for_target(i), sources, targets[i]);
        own.target = i;
        pixels += own.pixels;
        if (i == 0 || share(own) > share(worst))
            worst = own;
    }
    worst.pixels = pixels;
    return worst;
}

} // namespace gz
