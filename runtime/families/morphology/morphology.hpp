// Mathematical morphology: erosion, dilation, and what is made of them, by a flat window or by weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "families/description.hpp"
#include "families/rank/rank.hpp"

namespace gz {

enum class MorphologyOperation : gauze_morphology_operation {
    erode = GAUZE_MORPHOLOGY_ERODE,
    dilate = GAUZE_MORPHOLOGY_DILATE,
    open = GAUZE_MORPHOLOGY_OPEN,
    close = GAUZE_MORPHOLOGY_CLOSE,
    top_hat = GAUZE_MORPHOLOGY_TOP_HAT,
    black_hat = GAUZE_MORPHOLOGY_BLACK_HAT,
    gradient = GAUZE_MORPHOLOGY_GRADIENT,
    laplace = GAUZE_MORPHOLOGY_LAPLACE
};

inline constexpr int max_morphology_iterations = 64;

struct Morphology {
    MorphologyOperation operation = MorphologyOperation::erode;
    Window window; // of erosions
    // One for each of the window's pixels that count, in its order; empty: flat.
    std::vector<float> weights{};
    int iterations = 1;

    bool is_flat() const { return weights.empty(); }
};

// weights: one for each place of the window, or none; those of places that do not count are not looked at.
Morphology morphology(MorphologyOperation operation, const Window &window,
                      const std::vector<float> &weights = {}, int iterations = 1);

// Each result of an erosion is the least of in[p + j - anchor] - weights[j], that of a dilation the largest of
// in[p - j + anchor] + weights[j].
enum class MorphologyStep { erosion, dilation };

// A filter's result is that of one sequence of steps, all of which but the last have the source's type; or it
// combines the results of one or two sequences, which have the source's type too, with the source or with each
// other.
enum class Combination { none, source_less_first, first_less_source, first_less_second, laplace };
struct MorphologyParts {
    std::vector<std::vector<MorphologyStep>> sequences;
    Combination combination = Combination::none;
};
MorphologyParts parts_of(const Morphology &filter);

// The window and the weights of a step, whose result is the least or the largest of in[p + j - anchor] +
// weights[j].
struct Extreme {
    Window window;
    std::vector<float> weights;
};
Extreme extreme_of(const Morphology &filter, MorphologyStep step);
// The same step of a flat filter.
RankFilter flat_step(const Morphology &filter, MorphologyStep step);

// Values are compared as by filters of ranks. The reference rounds the results of steps as kernels do.
std::string to_text(const Morphology &filter);
void check_border(const Morphology &filter, const Border &border);
double error_bound(const Morphology &filter, double largest);
double rounding_bound(const Morphology &filter, double largest);
AxesReach reach_of(const Morphology &filter);
bool rounds_once(const Morphology &filter, const Rounded &images);
Results results_of(const Morphology &filter);
void compute(const Morphology &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
