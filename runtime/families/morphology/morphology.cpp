#include "families/morphology/morphology.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

const char *name_of(MorphologyOperation operation) {
    switch (operation) {
    case MorphologyOperation::erode:
        return "erosion";
    case MorphologyOperation::dilate:
        return "dilation";
    case MorphologyOperation::open:
        return "opening";
    case MorphologyOperation::close:
        return "closing";
    case MorphologyOperation::top_hat:
        return "white top-hat";
    case MorphologyOperation::black_hat:
        return "black top-hat";
    case MorphologyOperation::gradient:
        return "morphological gradient";
    case MorphologyOperation::laplace:
        return "morphological Laplacian";
    }
    fail(Status::invalid_argument, "no morphological operation has the number ",
         static_cast<gauze_morphology_operation>(operation));
}

// Returns the weights of the places that count; none where all of them are 0.
std::vector<float> counting_weights(const Window &window, const std::vector<float> &given) {
    std::vector<float> weights;
    if (given.empty())
        return weights;
    require(static_cast<std::int64_t>(given.size()) == window.volume(), "there are ", given.size(),
            " weights for a ", to_text(window));
    for (std::size_t i = 0; i < given.size(); ++i)
        if (window.has(static_cast<std::int64_t>(i))) {
            require(std::isfinite(given[i]), "weight ", i, " is ", given[i], "; it must be finite");
            weights.push_back(given[i]);
        }
    require(weights.size() <= static_cast<std::size_t>(max_rank_pixels), "there are ",
            weights.size(), " weights; up to ", max_rank_pixels, " are supported");
    if (std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0.0F; }))
        weights.clear();
    return weights;
}

std::size_t steps_in_a_row(const Morphology &filter) {
    return parts_of(filter).sequences.front().size();
}

// Bounds the magnitudes of what steps make of an image of up to `largest`, before the last is stored.
double largest_result(const Morphology &filter, double largest) {
    if (filter.is_flat())
        return largest;
    constexpr double half_a_step = 0.5;      // of integers
    constexpr double growth = 1.0 + 0x1p-11; // as f16 rounds
    double weight = 0.0;
    for (const float one : filter.weights)
        weight = std::max(weight, std::abs(static_cast<double>(one)));
    double result = largest;
    for (std::size_t i = 0; i < steps_in_a_row(filter); ++i)
        result = (result + weight + half_a_step) * growth;
    return result;
}

} // namespace

Morphology morphology(MorphologyOperation operation, const Window &window,
                      const std::vector<float> &weights, int iterations) {
    const std::string name = name_of(operation);
    require(iterations >= 1 && iterations <= max_morphology_iterations, "the ", name, " has ",
            iterations, " iterations; there must be from 1 to ", max_morphology_iterations);
    Morphology filter{operation, checked(window), {}, iterations};
    filter.weights = counting_weights(window, weights);
    return filter;
}

MorphologyParts parts_of(const Morphology &filter) {
    using Steps = std::vector<MorphologyStep>;
    const auto count = static_cast<std::size_t>(filter.iterations);
    const Steps erosions(count, MorphologyStep::erosion);
    const Steps dilations(count, MorphologyStep::dilation);
    const auto in_turn = [](Steps first, const Steps &second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    };
    switch (filter.operation) {
    case MorphologyOperation::erode:
        return {{erosions}};
    case MorphologyOperation::dilate:
        return {{dilations}};
    case MorphologyOperation::open:
        return {{in_turn(erosions, dilations)}};
    case MorphologyOperation::close:
        return {{in_turn(dilations, erosions)}};
    case MorphologyOperation::top_hat:
        return {{in_turn(erosions, dilations)}, Combination::source_less_first};
    case MorphologyOperation::black_hat:
        return {{in_turn(dilations, erosions)}, Combination::first_less_source};
    case MorphologyOperation::gradient:
        return {{dilations, erosions}, Combination::first_less_second};
    case MorphologyOperation::laplace:
        return {{dilations, erosions}, Combination::laplace};
    }
    fail(Status::internal, "a filter has no operation");
}

Extreme extreme_of(const Morphology &filter, MorphologyStep step) {
    Extreme result{filter.window, filter.weights};
    if (step == MorphologyStep::dilation) {
        result.window = mirrored(result.window);
        std::reverse(result.weights.begin(), result.weights.end());
    } else {
        for (float &weight : result.weights)
            weight = -weight;
    }
    return result;
}

RankFilter flat_step(const Morphology &filter, MorphologyStep step) {
    Window window = extreme_of(filter, step).window;
    if (step == MorphologyStep::erosion)
        return {std::move(window), 0, "minimum"};
    const std::int64_t last = window.count() - 1;
    return {std::move(window), last, "maximum"};
}

std::string to_text(const Morphology &filter) {
    return text(name_of(filter.operation), " by a ", to_text(filter.window),
                filter.is_flat() ? "" : " with weights", ", ", filter.iterations,
                filter.iterations == 1 ? " time" : " times");
}

void check_border(const Morphology &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

// The results of steps are exact pixels, or sums that are rounded as the reference rounds them: what differs is
// the rounding of the last sum, or of the last differences.
double error_bound(const Morphology &filter, double largest) {
    constexpr double u = 0x1p-24; // unit roundoff of f32
    const double result = largest_result(filter, largest);
    switch (parts_of(filter).combination) {
    case Combination::none:
        return filter.is_flat() ? 0.0 : u * result;
    case Combination::laplace: // two differences of up to 2 and their difference
        return (8.0 + 8.0 * u) * u * result;
    default:
        return 2.0 * u * result;
    }
}

double rounding_bound(const Morphology &filter, double largest) {
    return error_bound(filter, largest);
}

AxesReach reach_of(const Morphology &filter) {
    AxesReach result;
    for (const std::vector<MorphologyStep> &steps : parts_of(filter).sequences) {
        AxesReach sequence;
        for (const MorphologyStep step : steps)
            for (std::size_t i = 0; i < 4; ++i) {
                const Reach own = extreme_of(filter, step).window.reach()[i];
                sequence[i].before += own.before;
                sequence[i].after += own.after;
            }
        for (std::size_t i = 0; i < 4; ++i)
            result[i] = cover(result[i], sequence[i]);
    }
    return result;
}

// Differences of integers are exact in f32.
bool rounds_once(const Morphology &filter, const Rounded &images) {
    const bool is_exact = parts_of(filter).combination == Combination::none
                              ? filter.is_flat()
                              : facts_of(images.source).is_integer;
    return is_exact && facts_of(images.target).is_integer;
}

Results results_of(const Morphology &) {
    return Results::pixels;
}

} // namespace gz
