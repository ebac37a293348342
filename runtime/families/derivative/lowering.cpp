#include "families/derivative/lowering.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "families/derivative/derivative_pass.hpp"
#include "families/family.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// Returns the taps along one axis where there are one or three with the anchor in the middle.
std::optional<std::array<float, 3>> three_taps(const std::vector<double> &taps,
                                               std::int64_t anchor) {
    if (taps.size() == 1)
        return std::array<float, 3>{0.0F, static_cast<float>(taps[0]), 0.0F};
    if (taps.size() != 3 || anchor != 1)
        return std::nullopt;
    return std::array<float, 3>{static_cast<float>(taps[0]), static_cast<float>(taps[1]),
                                static_cast<float>(taps[2])};
}

// Returns the filter as a stencil where it is one.
std::optional<Stencil> stencil_of(const Filter &filter) {
    const Correlate *const correlate = filter.get_if<Correlate>();
    if (!correlate || !correlate->components.empty() || !correlate->factors() ||
        correlate->correlation.is_volume())
        return std::nullopt;
    const SeparableTaps &factors = *correlate->factors();
    const Axes &anchor = correlate->taps().anchor;
    const auto x = three_taps(factors.x, anchor[0]);
    const auto y = three_taps(factors.y, anchor[1]);
    if (!x || !y)
        return std::nullopt;
    return Stencil{*x, *y, factors.x.size() == 3, factors.y.size() == 3};
}

// The results that a step makes of one reading, without its images.
struct Reading {
    std::vector<Stencil> stencils;
    std::size_t stored = 0;
    bool has_sum = false, has_magnitude = false, has_orientation = false;
};

StencilPass lower_reading(const Reading &reading, const PlanDesc &desc) {
    StencilPass pass;
    static_cast<ImagePass &>(pass) = lower_images(desc, {3, 3, 1, 1});
    pass.stencils = reading.stencils;
    pass.stored = reading.stored;
    pass.has_sum = reading.has_sum;
    pass.has_magnitude = reading.has_magnitude;
    pass.has_orientation = reading.has_orientation;
    return pass;
}

Step step_of(const Reading &reading, const PlanDesc &desc) {
    Step step(desc,
              [reading](const PlanDesc &part) -> Pass { return lower_reading(reading, part); });
    for (const Stencil &stencil : reading.stencils) {
        step.reach[0] = cover(step.reach[0], {stencil.is_wide ? 1 : 0, stencil.is_wide ? 1 : 0});
        step.reach[1] = cover(step.reach[1], {stencil.is_high ? 1 : 0, stencil.is_high ? 1 : 0});
    }
    return step;
}

// Returns the reading of two derivatives that are stencils.
std::optional<Reading> reading_of(const Derivative &filter) {
    if (filter.filters.size() != 2 || filter.result == DerivativeResult::structure)
        return std::nullopt;
    Reading reading;
    for (const Filter &one : filter.filters) {
        const std::optional<Stencil> stencil = stencil_of(one);
        if (!stencil)
            return std::nullopt;
        reading.stencils.push_back(*stencil);
    }
    reading.has_sum = filter.result == DerivativeResult::laplacian;
    reading.has_magnitude = filter.result == DerivativeResult::magnitude;
    reading.has_orientation = filter.result == DerivativeResult::orientation;
    return reading;
}

// The parts are stored, and combined.
Graph lower_apart(const Derivative &filter, const PlanDesc &desc) {
    const std::vector<Filter> &parts = filter.filters;
    const auto images = static_cast<int>(parts.size());
    return lower_apart(
        parts.size(), desc,
        [&](std::size_t i, const PlanDesc &part) { return lower(parts[i], part); },
        [result = filter.result, images, number = filter.number](const PlanDesc &own) -> Pass {
            return CombinationPass{lower_images(own, {1, 1, 0, 0}), result, images, number};
        });
}

// Products are stored as an f32 image of all pixels that the mean reads.
Graph lower_structure(const Derivative &filter, const PlanDesc &desc) {
    const Filter &mean = filter.means.front();
    return lower_in_turn(
        {{}, axes_of(mean.reach())}, desc,
        [&](std::size_t i, PlanDesc images) -> Graph {
            if (i == 0)
                return lower_apart(filter, images);
            images.border = Derivative::border_of_products(images.border);
            return by_steps(lower(mean, images));
        },
        PixelType::f32);
}

// The targets of a shared reading have the layout of the first.
bool is_like_first(const PlanDesc &desc, std::size_t first, std::size_t i) {
    const ImagePass one = lower_images(desc.for_target(first), {});
    const ImagePass other = lower_images(desc.for_target(i), {});
    return one.dst_type == other.dst_type && one.alignment == other.alignment &&
           std::memcmp(&one.geometry, &other.geometry, sizeof one.geometry) == 0;
}

// The reading and the targets, of the bank, in the order that the pass has them.
struct Shared {
    Reading reading;
    std::vector<std::size_t> stored;
    std::optional<std::size_t> sum, magnitude, orientation;
};

// Adds a filter of the bank; returns whether it fits. What has no stencils yet gets those of the filter. A
// result of two derivatives needs these to be the first two.
bool add(Shared &shared, const Filter &filter, std::size_t target) {
    Reading &all = shared.reading;
    if (const std::optional<Stencil> one = stencil_of(filter)) {
        if (all.stored < all.stencils.size()) {
            if (!(all.stencils[all.stored] == *one))
                return false;
        } else {
            if (all.stencils.size() == max_stencils)
                return false;
            all.stencils.push_back(*one);
        }
        ++all.stored;
        shared.stored.push_back(target);
        return true;
    }
    const Derivative *const derivative = filter.get_if<Derivative>();
    const std::optional<Reading> pair = derivative ? reading_of(*derivative) : std::nullopt;
    if (!pair)
        return false;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, all.stencils.size()); ++i)
        if (!(all.stencils[i] == pair->stencils[i]))
            return false;
    std::optional<std::size_t> &own = pair->has_sum         ? shared.sum
                                      : pair->has_magnitude ? shared.magnitude
                                                            : shared.orientation;
    if (own)
        return false;
    own = target;
    all.has_sum = shared.sum.has_value();
    all.has_magnitude = shared.magnitude.has_value();
    all.has_orientation = shared.orientation.has_value();
    for (std::size_t i = all.stencils.size(); i < 2; ++i)
        all.stencils.push_back(pair->stencils[i]);
    return true;
}

} // namespace

Settled settle(const Derivative &filter, const Settling &on) {
    Derivative settled = filter;
    std::string reasons;
    for (std::vector<Filter> *filters : {&settled.filters, &settled.means})
        for (Filter &one : *filters) {
            Settled own = settle(one, on);
            one = std::move(own.filter);
            reasons += own.reasons;
        }
    return {std::move(settled), reasons};
}

Graph lower(const Derivative &filter, const PlanDesc &desc) {
    if (const std::optional<Reading> reading = reading_of(filter))
        return {{}, {step_of(*reading, desc)}};
    if (filter.result == DerivativeResult::structure)
        return lower_structure(filter, desc);
    return lower_apart(filter, desc);
}

std::optional<SharedReading> lower_shared(const std::vector<Filter> &filters, std::size_t first,
                                          const PlanDesc &desc) {
    Shared shared;
    std::size_t end = first;
    while (end < filters.size() && is_like_first(desc, first, end) &&
           add(shared, filters[end], end))
        ++end;
    if (end - first < 2)
        return std::nullopt;
    Step step = step_of(shared.reading, desc.for_target(first));
    step.outputs.clear();
    for (const std::size_t target : shared.stored)
        step.outputs.push_back(target_image(target));
    for (const std::optional<std::size_t> &target :
         {shared.sum, shared.magnitude, shared.orientation})
        if (target)
            step.outputs.push_back(target_image(*target));
    return SharedReading{end - first, std::move(step)};
}

} // namespace gz
