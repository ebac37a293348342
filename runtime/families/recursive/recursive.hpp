// Makes recursive filters from their descriptions, and computes their bounds and texts.
#pragma once

#include <optional>
#include <string>

#include "core/border.hpp"
#include "core/error.hpp"
#include "families/gaussian/gaussian.hpp"
#include "families/recursive/recursion.hpp"
#include "families/recursive/rounding.hpp"

namespace gz {

// Refuses an invalid accuracy.
void check_accuracy(const Gaussian &gaussian);

// Returns the Gaussian along each axis with as few modes as the accuracy asked for takes. Refuses sigmas and
// accuracies out of range.
Recursion recursive_gaussian(const Gaussian &gaussian);
// The same without an exception: no recursion where it is refused, and the reason.
struct RecursiveGaussian {
    std::optional<Recursion> recursion;
    Status status = Status::invalid_argument;
    std::string refusal{};
};
RecursiveGaussian try_recursive(const Gaussian &gaussian);

// Poles: M. Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing
// Magazine 16(6), 1999.
Modes bspline_modes(int order);

// Returns the bound of |result - exact result| for pixels up to 1 in magnitude in exact arithmetic: the
// modes' difference from the response that they stand for.
double approximation_bound(const Recursion &recursion);

// Returns the effect of rounding along all axes; its gain is the most that all of them together enlarge
// pixels by.
Rounding rounding_of(const Recursion &recursion);

// Returns the recursion for this border, and the border that then extends the image: for `zero`, scans that
// start from nothing, or modes on an image extended by 0.
struct Bordered {
    Recursion recursion;
    Border border;
};
Bordered bordered(Recursion recursion, const Border &border);

// "rounding: ...", a line or two: the error that is to be expected, its bound, what states are kept in,
// and what the rounding of the scans' own coefficients does, where it can be seen.
std::string rounding_text(const Recursion &recursion, const Border &border);

// "2 scans: +x of order 3, -x of order 3", or "2 modes along x, 2 along y"
std::string scans_text(const Recursion &recursion);

// Returns the grouping as it is written: "automatic" or "0,1_2,3"; and the tile, if one is asked for.
std::string to_text(const Grouping &grouping);

} // namespace gz
