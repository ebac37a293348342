#include "families/ssimulacra2/ssimulacra2_reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/pixel_value.hpp"

namespace gz::ssimulacra2 {

namespace {

double linear(double encoded) {
    return encoded <= srgb_low_end ? encoded / srgb_low_slope
                                   : std::pow((encoded + srgb_offset) / (1.0 + srgb_offset), 2.4);
}

std::size_t index_of(const Extent &extent, std::int64_t x, std::int64_t y) {
    return static_cast<std::size_t>(y * extent.width + x);
}

std::size_t pixels_of(const Extent &extent) {
    return index_of(extent, 0, extent.height);
}

// XYB of both images at each scale.
struct Pyramids {
    std::vector<Planes> reference, distorted;
};

Pyramids pyramids_of(Planes reference, Planes distorted) {
    require(reference.extent == distorted.extent, "the reference is ", reference.extent.width, "x",
            reference.extent.height, " and the distorted image ", distorted.extent.width, "x",
            distorted.extent.height, "; they must be of one size");
    Pyramids result;
    const std::size_t scales = scales_of(reference.extent).size();
    for (std::size_t scale = 0; scale < scales; ++scale) {
        if (scale > 0) {
            reference = halved(reference);
            distorted = halved(distorted);
        }
        result.reference.push_back(xyb_of(reference));
        result.distorted.push_back(xyb_of(distorted));
    }
    return result;
}

std::vector<SubScores> sub_scores_of(const Pyramids &pyramids) {
    std::vector<SubScores> result;
    for (std::size_t scale = 0; scale < pyramids.reference.size(); ++scale) {
        const Planes &a = pyramids.reference[scale];
        const Planes &b = pyramids.distorted[scale];
        SubScores sums{};
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const auto errors = error_maps_of(a.values[channel], b.values[channel], a.extent);
            for (std::size_t map = 0; map < maps; ++map)
                for (const double value : errors[map]) {
                    sums[channel][0][map] += value;
                    sums[channel][1][map] += value * value * value * value;
                }
        }
        result.push_back(pooled(sums, a.extent));
    }
    return result;
}

// The pyramids over each background.
std::vector<Pyramids> all_pyramids(const EncodedImage &reference, const EncodedImage &distorted) {
    std::vector<Pyramids> result;
    for (const Backgrounds &over : backgrounds_for(reference.has_alpha(), distorted.has_alpha()))
        result.push_back(pyramids_of(linear_of(reference, over.reference),
                                     linear_of(distorted, over.distorted)));
    return result;
}

} // namespace

Planes linear_of(const EncodedImage &image, double background) {
    const ImageDesc &desc = image.desc;
    const double largest = facts_of(desc.type).highest;
    Planes result{{desc.extent[0], desc.extent[1]}, {}};
    for (Plane &plane : result.values)
        plane.resize(pixels_of(result.extent));
    const auto bytes = static_cast<std::int64_t>(size_of(desc.type));
    for (std::int64_t y = 0; y < desc.extent[1]; ++y)
        for (std::int64_t x = 0; x < desc.extent[0]; ++x) {
            const std::byte *const pixel = image.pixels + desc.byte_of({x, y, 0, 0}, 0);
            const auto value = [&](std::int64_t channel) {
                return load_pixel(desc.type, pixel + channel * bytes) / largest;
            };
            for (std::size_t c = 0; c < channels; ++c) {
                double encoded = value(desc.channels < 3 ? 0 : static_cast<std::int64_t>(c));
                if (image.has_alpha()) {
                    const double alpha = value(desc.channels - 1);
                    encoded = alpha * encoded + (1.0 - alpha) * background;
                }
                result.values[c][index_of(result.extent, x, y)] = linear(encoded);
            }
        }
    return result;
}

Planes xyb_of(const Planes &linear) {
    Planes result = linear;
    for (std::size_t i = 0; i < linear.values[0].size(); ++i) {
        double roots[3];
        for (std::size_t row = 0; row < 3; ++row) {
            double mixed = opsin_bias;
            for (std::size_t c = 0; c < 3; ++c)
                mixed += opsin[row][c] * linear.values[c][i];
            roots[row] = std::cbrt(std::max(mixed, 0.0)) - std::cbrt(opsin_bias);
        }
        const double y = (roots[0] + roots[1]) / 2.0;
        result.values[0][i] = x_scale * (roots[0] - roots[1]) / 2.0 + offsets[0];
        result.values[1][i] = y + offsets[1];
        result.values[2][i] = roots[2] - y + offsets[2];
    }
    return result;
}

Planes halved(const Planes &linear) {
    const Extent &from = linear.extent;
    Planes result{{(from.width + 1) / 2, (from.height + 1) / 2}, {}};
    for (std::size_t c = 0; c < channels; ++c)
        for (std::int64_t y = 0; y < result.extent.height; ++y)
            for (std::int64_t x = 0; x < result.extent.width; ++x) {
                const std::int64_t right = std::min(2 * x + 1, from.width - 1);
                const std::int64_t below = std::min(2 * y + 1, from.height - 1);
                const Plane &plane = linear.values[c];
                result.values[c].push_back(
                    (plane[index_of(from, 2 * x, 2 * y)] + plane[index_of(from, right, 2 * y)] +
                     plane[index_of(from, 2 * x, below)] + plane[index_of(from, right, below)]) /
                    4.0);
            }
    return result;
}

Plane blurred(const Plane &plane, const Extent &extent) {
    // Along one axis: `count` lines of `length` values that lie `step` apart.
    const auto blur = [](const Plane &from, std::int64_t count, std::int64_t line,
                         std::int64_t length, std::int64_t step) {
        Plane to(from.size());
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t at = 0; at < length; ++at) {
                const std::int64_t first = std::max(at - blur_radius, std::int64_t{0});
                const std::int64_t last = std::min(at + blur_radius, length - 1);
                double sum = 0.0;
                for (std::int64_t j = first; j <= last; ++j)
                    sum += blur_taps[std::abs(j - at)] *
                           from[static_cast<std::size_t>(i * line + j * step)];
                to[static_cast<std::size_t>(i * line + at * step)] = sum;
            }
        return to;
    };
    const Plane rows = blur(plane, extent.height, extent.width, extent.width, 1);
    return blur(rows, extent.width, 1, extent.height, extent.width);
}

std::array<Plane, maps> error_maps_of(const Plane &reference, const Plane &distorted,
                                      const Extent &extent) {
    const std::size_t count = reference.size();
    Plane differences(count), powers(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = reference[i] - distorted[i];
        differences[i] = difference * difference;
        powers[i] = reference[i] * reference[i] + distorted[i] * distorted[i];
    }
    const Plane mu_a = blurred(reference, extent);
    const Plane mu_b = blurred(distorted, extent);
    differences = blurred(differences, extent);
    powers = blurred(powers, extent);

    std::array<Plane, maps> errors;
    for (std::size_t i = 0; i < count; ++i) {
        // 1 - (1 - D) (2 s_ab + c2) / (s_aa + s_bb + c2) without its cancellation.
        const double d = (mu_a[i] - mu_b[i]) * (mu_a[i] - mu_b[i]);
        const double variances = powers[i] - mu_a[i] * mu_a[i] - mu_b[i] * mu_b[i] + c2;
        errors[ssim].push_back(std::max(0.0, d + (1.0 - d) * (differences[i] - d) / variances));
        const double edges_a = std::abs(reference[i] - mu_a[i]);
        const double edges_b = std::abs(distorted[i] - mu_b[i]);
        const double gained = (edges_b - edges_a) / (1.0 + edges_a);
        errors[artifact].push_back(std::max(gained, 0.0));
        errors[detail_lost].push_back(std::max(-gained, 0.0));
    }
    return errors;
}

std::vector<SubScores> sub_scores_in_double(const Planes &reference, const Planes &distorted) {
    return sub_scores_of(pyramids_of(reference, distorted));
}

double score_in_double(const EncodedImage &reference, const EncodedImage &distorted) {
    double lowest = 100.0;
    for (const Pyramids &pyramids : all_pyramids(reference, distorted))
        lowest = std::min(lowest, score_of(sub_scores_of(pyramids)));
    return lowest;
}

Plane error_map_in_double(const EncodedImage &reference, const EncodedImage &distorted) {
    double lowest = 101.0;
    Plane result;
    for (const Pyramids &pyramids : all_pyramids(reference, distorted)) {
        const std::vector<SubScores> sub_scores = sub_scores_of(pyramids);
        if (score_of(sub_scores) >= lowest)
            continue;
        lowest = score_of(sub_scores);
        const std::vector<Shares> shares = shares_of(sub_scores);
        const Extent image = pyramids.reference[0].extent;
        result.assign(pixels_of(image), 0.0);
        for (std::size_t scale = 0; scale < shares.size(); ++scale) {
            const Planes &a = pyramids.reference[scale];
            const Planes &b = pyramids.distorted[scale];
            for (std::size_t channel = 0; channel < channels; ++channel) {
                const auto errors = error_maps_of(a.values[channel], b.values[channel], a.extent);
                for (std::size_t map = 0; map < maps; ++map) {
                    const Share &share = shares[scale][channel][map];
                    for (std::int64_t y = 0; y < image.height; ++y)
                        for (std::int64_t x = 0; x < image.width; ++x) {
                            const double value =
                                errors[map][index_of(a.extent, x >> scale, y >> scale)];
                            result[index_of(image, x, y)] +=
                                share.mean * value +
                                share.fourth * std::pow(value * share.inverse_root, 4);
                        }
                }
            }
        }
    }
    return result;
}

} // namespace gz::ssimulacra2
