// SSIMULACRA 2, version 2.1, by its definition: constants, scales, and the score of sub-scores. The constants
// are published at https://github.com/cloudinary/ssimulacra2 (BSD 3-clause).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gz::ssimulacra2 {

inline constexpr std::size_t max_scales = 6;
inline constexpr std::int64_t least_side = 8; // pixels

// X, Y, and B less Y; the mean, and the fourth root of the mean fourth power; the maps of errors.
inline constexpr std::size_t channels = 3, norms = 2, maps = 3;
enum Map { ssim, artifact, detail_lost };

// Encoded sRGB, 0 to 1, to linear: v / srgb_low_slope up to srgb_low_end, beyond it
// ((v + srgb_offset) / (1 + srgb_offset))^2.4.
inline constexpr double srgb_low_end = 0.04045, srgb_low_slope = 12.92, srgb_offset = 0.055;

// Linear RGB to L, M and S, before the cube root.
inline constexpr double opsin[3][3] = {
    {0.3, 0.622, 0.078},
    {0.23, 0.692, 0.078},
    {0.2434226892454782, 0.2047674442449682, 0.5518098665095535},
};
inline constexpr double opsin_bias = 0.0037930732552754493;
// Planes are x_scale X + offsets[0], Y + offsets[1], (B - Y) + offsets[2].
inline constexpr double x_scale = 14.0;
inline constexpr double offsets[3] = {0.42, 0.01, 0.55};

inline constexpr double c2 = 0.0009;
inline constexpr std::int64_t blur_radius = 4;
// Taps of a Gaussian of sigma 1.5, as the published tools approximate it, from the middle outwards.
inline constexpr double blur_taps[blur_radius + 1] = {
    0.26462110548819867,  0.21292859201042236,  0.10933537277746042,
    0.036011114658364304, 0.009414367809653582,
};

// Encoded gray, 0 to 1, that the transparent pixels of the reference and of the distorted image are
// laid over. Each pair gives a score, and the lowest counts.
struct Backgrounds {
    double reference = 0.0, distorted = 0.0;
};
std::vector<Backgrounds> backgrounds_for(bool reference_has_alpha, bool distorted_has_alpha);

struct Extent {
    std::int64_t width = 0, height = 0;
    bool operator==(const Extent &) const = default;
};

// The scales, 1:1 first: each half of the one before, rounded up. Refuses images under 8x8.
std::vector<Extent> scales_of(const Extent &image);

// [channel][norm][map] of a scale.
using SubScores = std::array<std::array<std::array<double, maps>, norms>, channels>;

// Weights of the sub-scores of each of so many scales. With fewer than six the places close up:
// weights do not stay with their scale.
std::vector<SubScores> weights_of(std::size_t scales);

// Sums over the pixels of a scale of a map's values, and of their fourth powers.
SubScores pooled(const SubScores &sums, const Extent &extent);

// Returns the score: 100 for equal images, less for others; there is no lower limit.
double score_of(const std::vector<SubScores> &sub_scores);
// Returns the score for the sum of the weighted sub-scores.
double score_of(double weighted_error);

// A pixel of a map adds to the weighted error of the score
//     mean value + fourth fourth_root (value / fourth_root)^4
// so that the mean over all pixels of a scale is the sum of its weighted sub-scores.
struct Share {
    double mean = 0.0, fourth = 0.0;
    double inverse_root = 0.0; // 1 / fourth_root, 0 where that is 0
};
using Shares = std::array<std::array<Share, maps>, channels>;
std::vector<Shares> shares_of(const std::vector<SubScores> &sub_scores);

} // namespace gz::ssimulacra2
