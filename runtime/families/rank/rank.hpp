// Filters of ranks: each result is one of the pixels around its place, by its rank among them. Minimum, maximum,
// median and percentiles are ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "families/description.hpp"

namespace gz {

// The pixels around each that a filter looks at: those of a box, or some of them. Pixel j of the box is
// p + j - anchor for the result at p. The anchor lies outside the smallest box around a footprint that leaves
// out the pixels around it.
struct Window {
    Axes size{1, 1, 1, 1}, anchor{0, 0, 0, 0};
    std::vector<std::uint8_t>
        footprint{}; // x fastest, not 0 where a pixel counts; empty: all of them

    std::int64_t volume() const { return size[0] * size[1] * size[2] * size[3]; }
    bool has(std::int64_t i) const {
        return footprint.empty() || footprint[static_cast<std::size_t>(i)] != 0;
    }
    std::int64_t count() const; // pixels that count
    bool is_box() const { return footprint.empty(); }
    AxesReach reach() const; // from the result's own pixel on, which counts as read
};

// Boxes may be as large as this along an axis for minima and maxima, and have as many pixels for all ranks.
inline constexpr std::int64_t max_window_side = (std::int64_t{1} << 20) - 1;
inline constexpr std::int64_t max_rank_pixels = 63 * 63;
inline constexpr std::int64_t max_footprint_side = 63;
inline constexpr std::int64_t max_footprint_side_in_volumes = 15;

// Returns the window with a footprint only where it leaves pixels out, and the smallest box around it. Refuses
// sizes, anchors and footprints out of range.
Window checked(Window window);

// Returns the window mirrored at its anchor: the pixels for whose results a pixel counts.
Window mirrored(const Window &window);

std::string to_text(const Window &window); // "box of 3x3 pixels"

struct RankFilter {
    Window window;
    std::int64_t rank = 0; // from 0, that of the least of the window's count() pixels
    std::string name;      // "median"

    bool is_minimum() const { return rank == 0; }
    bool is_maximum() const { return rank == window.count() - 1; }
};

RankFilter minimum(Window window);
RankFilter maximum(Window window);
// The upper median, rank count / 2, as scipy.ndimage has it.
RankFilter median(Window window);
// Rank int(count percent / 100), as scipy.ndimage has it; the largest at 100.
RankFilter percentile(Window window, double percent);
// rank: from 0, or negative, from the largest on, which is -1.
RankFilter ranked(Window window, std::int64_t rank);

// Values are compared as numbers, and NaN is larger than all of them. -0 is less than 0, so that all kernels
// give the same bits.
std::string to_text(const RankFilter &filter);
void check_border(const RankFilter &filter, const Border &border);
double error_bound(const RankFilter &filter, double largest);
double rounding_bound(const RankFilter &filter, double largest);
AxesReach reach_of(const RankFilter &filter);
bool rounds_once(const RankFilter &filter, const Rounded &images);
Results results_of(const RankFilter &filter);
void compute(const RankFilter &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

// Whether a comes before b among sorted values: the order of all rank filters.
bool is_less(double a, double b);

} // namespace gz
