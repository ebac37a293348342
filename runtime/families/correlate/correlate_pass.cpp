#include "families/correlate/correlate_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "families/correlate/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

int bucket_of(const CorrelatePass &pass) {
    const int size = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    for (const int bucket : tap_buckets)
        if (size <= bucket)
            return bucket;
    return std::end(tap_buckets)[-1];
}

bool fills_dense_bucket(const CorrelatePass &pass) {
    const Geometry &g = pass.geometry;
    const int bucket = bucket_of(pass);
    return !pass.varied() && !pass.separable() && bucket <= most_unrolled && g.taps_x == bucket &&
           g.taps_y == bucket && g.anchor_x == bucket / 2;
}

bool has_vectors(const CorrelatePass &pass) {
    return pass.alignment >= values_of_vector;
}

int shift_of_vectors(const CorrelatePass &pass) {
    const int before = pass.geometry.anchor_x * pass.channels;
    return has_vectors(pass) ? -before & (values_of_vector - 1) : 0;
}

std::int64_t strips_of(const CorrelatePass &pass, int values) {
    return std::max<std::int64_t>(ceil_div(pass.geometry.width, values) * pass.batch(), 1);
}

std::string tap_refusal(const CorrelatePass &pass, int most, bool subtracts) {
    if (pass.subtraction != Subtraction::none && !subtracts)
        return "another image is subtracted";
    if (pass.varied())
        return "the taps differ between components";
    const int size = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    return size > most ? text("an axis has ", size, " taps; it takes up to ", most) : "";
}

constexpr double denormal = 0x1p-149; // the least float, and an integer of 1 read as one

bool is_bounded(const CorrelatePass &pass) {
    const PixelTypeFacts &src = facts_of(pass.src_type);
    if (!src.is_integer)
        return false;
    double largest = std::max(-src.lowest, src.highest);
    if (pass.geometry.border_mode == BORDER_CONSTANT) {
        const double constant = std::fabs(static_cast<double>(pass.geometry.border_value));
        if (!std::isfinite(constant))
            return false;
        largest = std::max(largest, constant);
    }
    if (pass.reads_denormals)
        largest *= denormal;
    const auto sum = [](auto first, auto last) {
        return std::accumulate(first, last, 0.0, [](double total, float tap) {
            return total + std::fabs(static_cast<double>(tap));
        });
    };
    double gain = 0;
    for (const TapSet &set : pass.sets) {
        const auto along_y = set.taps.begin() + (set.separable ? set.taps_x : 0);
        const double taps = set.separable ? sum(set.taps.begin(), along_y) : 1;
        gain = std::max(gain, taps * sum(along_y, set.taps.end()));
    }
    constexpr double roundings = 1.001; // a larger factor than roundings can add
    return gain * largest * roundings < 0x1p22;
}

std::string separable_refusal(const CorrelatePass &pass, int most, bool subtracts) {
    if (std::string reason = tap_refusal(pass, most, subtracts); !reason.empty())
        return reason;
    return pass.separable() ? "" : "the taps are not separable";
}

Defines pixel_defines(const CorrelatePass &pass, const DeviceFacts &facts) {
    Defines defines = type_defines(pass);
    defines["BOUNDED"] = facts.packs_integers && is_bounded(pass) ? 1 : 0;
    defines["READS_DENORMALS"] = pass.reads_denormals ? 1 : 0;
    return defines;
}

CorrelatePass with_denormals(const CorrelatePass &pass, const DeviceFacts &facts) {
    const bool fits = pass.src_type == PixelType::u8 || pass.src_type == PixelType::u16;
    if (!facts.reads_denormals || !fits || pass.varied() || !pass.separable() ||
        pass.subtraction != Subtraction::none)
        return pass;
    CorrelatePass result = pass;
    result.reads_denormals = true;
    if (pass.geometry.border_mode == BORDER_CONSTANT) {
        const float constant = pass.geometry.border_value;
        if (!(constant >= 0 && constant <= facts_of(pass.src_type).highest &&
              constant == std::floor(constant)))
            return pass;
        result.geometry.border_value = static_cast<float>(constant * denormal);
    }
    // Rows then hold what they would times 2^-49. A sum of what the taps along x make is 0 or at least 2^-63, as all of it
    // are multiples of that, and 2^-112 is no denormal float.
    constexpr double least = 0x1p-40, most = 0x1p20;
    constexpr float along_x = 0x1p100F, along_y = 0x1p49F;
    std::vector<float> &taps = result.sets.front().taps;
    const auto middle = taps.begin() + result.set().taps_x;
    const auto fits_x = [&](float tap) {
        return tap == 0 || (std::fabs(tap) >= least && std::fabs(tap) <= most);
    };
    const auto fits_y = [&](float tap) { return std::fabs(tap) <= most; };
    if (!std::all_of(taps.begin(), middle, fits_x) || !std::all_of(middle, taps.end(), fits_y))
        return pass;
    std::for_each(taps.begin(), middle, [&](float &tap) { tap *= along_x; });
    std::for_each(middle, taps.end(), [&](float &tap) { tap *= along_y; });
    return result;
}

Argument taps_argument(Defines &defines, std::vector<std::byte> taps, const DeviceFacts &facts) {
    const bool by_value = facts.takes_by_value(taps.size());
    defines["BY_VALUE"] = by_value ? 1 : 0;
    return array_argument(std::move(taps), by_value);
}

std::vector<float> strided_taps(const TapSet &set, int stride) {
    const auto nx = static_cast<std::size_t>(set.taps_x);
    const auto ny = static_cast<std::size_t>(set.taps_y);
    const auto step = static_cast<std::size_t>(stride);
    const auto from = set.taps.begin();
    if (set.separable) {
        std::vector<float> result(2 * step, 0.0F);
        std::copy_n(from, nx, result.begin());
        std::copy_n(from + static_cast<std::ptrdiff_t>(nx), ny,
                    result.begin() + static_cast<std::ptrdiff_t>(step));
        return result;
    }
    std::vector<float> result(step * step, 0.0F);
    for (std::size_t j = 0; j < ny; ++j)
        std::copy_n(from + static_cast<std::ptrdiff_t>(j * nx), nx,
                    result.begin() + static_cast<std::ptrdiff_t>(j * step));
    return result;
}

TapBucket tap_bucket(int taps) {
    // Buckets hold up to these numbers of taps, from one more than the one before.
    static constexpr int buckets[] = {3, 5, 7, 11, 15, 21, 25, 31, 37, 43, 49, 55, 63};
    const auto most = std::lower_bound(std::begin(buckets), std::end(buckets), taps);
    return {most == std::begin(buckets) ? 1 : most[-1] + 1, *most};
}

bool fills_buckets(const CorrelatePass &pass) {
    const Geometry &g = pass.geometry;
    return g.taps_x == tap_bucket(g.taps_x).most && g.taps_y == tap_bucket(g.taps_y).most &&
           g.anchor_x == g.taps_x / 2;
}

Defines bucketed_defines(const CorrelatePass &pass, const DeviceFacts &facts) {
    const TapBucket along_x = tap_bucket(pass.geometry.taps_x);
    const TapBucket along_y = tap_bucket(pass.geometry.taps_y);
    const bool exact = fills_buckets(pass);
    Defines defines = pixel_defines(pass, facts);
    defines["LEAST_X"] = exact ? along_x.most : along_x.least;
    defines["BUCKET_X"] = along_x.most;
    defines["LEAST_Y"] = exact ? along_y.most : along_y.least;
    defines["BUCKET_Y"] = along_y.most;
    return defines;
}

std::vector<std::byte> bucketed_taps(const CorrelatePass &pass, const TapBucket &along_x,
                                     const TapBucket &along_y) {
    const Geometry &g = pass.geometry;
    std::vector<float> taps(static_cast<std::size_t>(along_x.most + along_y.most), 0.0F);
    const auto from = pass.set().taps.begin();
    std::copy_n(from, g.taps_x, taps.begin());
    std::copy_n(from + g.taps_x, g.taps_y, taps.begin() + along_x.most);
    return bytes_of(taps.data(), taps.size());
}

std::string problem_of(const CorrelatePass &pass) {
    const char *const kind = pass.varied()      ? "varied "
                             : pass.separable() ? "separable "
                                                : "correlate ";
    const char *const difference = pass.subtraction == Subtraction::none ? "" : "difference ";
    const std::string taps = fills_dense_bucket(pass) ? text("taps=", bucket_of(pass))
                                                      : up_to("taps", longer_side(pass.geometry),
                                                              {3, 5, 7, 11, 15, 31, 63});
    return text(difference, kind, taps, ' ', image_text(pass));
}

Rank CorrelateRank::operator()(const CorrelatePass &pass, const DeviceFacts &facts) const {
    const GroupHabit habit = habit_of(facts);
    if (habit == GroupHabit::strips)
        return {strips};
    if (facts.device_class == DeviceClass::plain_gpu)
        return {plain_gpu};
    if (!pass.varied() && pass.separable()) {
        // Keeping the sums of few taps in registers is faster than sharing them. Bytes of images up to 4096x4096 are faster
        // in tiles (H200: 0.6 of the time of 1024x1024, 0.8 of 2048x2048, 0.94 of 4096x4096).
        constexpr std::int64_t most_in_tiles = std::int64_t{1} << 24;
        const bool is_large = pass.values() > most_in_tiles;
        const int most = pass.src_type == PixelType::u8       ? (is_large ? 5 : 0)
                         : facts_of(pass.src_type).is_integer ? 3
                                                              : 0;
        return {longer_side(pass.geometry) <= most ? few_taps : separable};
    }
    return {habit == GroupHabit::nothing_shared ? nothing_shared : tiles};
}

const std::vector<Kernel> &kernels_of(const CorrelatePass &) {
    return correlate_kernels();
}

} // namespace gz
