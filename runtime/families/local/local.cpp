#include "families/local/local.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/extended_plane.hpp"
#include "families/filter.hpp"

namespace gz {

namespace {

constexpr double u = 0x1p-24; // unit roundoff of f32

const char *name_of(LocalResult result) {
    switch (result) {
    case LocalResult::unsharp:
        return "unsharp";
    case LocalResult::high_pass:
        return "high pass";
    case LocalResult::variance:
        return "local variance";
    case LocalResult::deviation:
        return "local deviation";
    case LocalResult::normalized:
        return "local normalization";
    }
    return "";
}

bool fits_f32(double value) {
    return std::abs(value) <= std::numeric_limits<float>::max();
}

// Bounds of the mean's error for pixels, and for their squares, up to largest^2.
struct MeanErrors {
    double of_pixels, of_squares;
};

double bound_with(const Local &filter, double largest, const MeanErrors &errors) {
    const double mean = largest + errors.of_pixels;
    const double difference = errors.of_pixels + 2.0 * u * (largest + mean);
    if (filter.result == LocalResult::high_pass)
        return difference;
    if (filter.result == LocalResult::unsharp) {
        const double amount = std::abs(filter.amount);
        const double most = largest + amount * (largest + mean);
        if (!fits_f32(most))
            return std::numeric_limits<double>::infinity();
        // Whether a mean without taps is as far from the pixel as the threshold, rounding decides.
        const bool jumps = filter.threshold > 0.0 && !filter.mean().is<Correlate>();
        return amount * difference + 2.0 * u * most +
               (jumps ? amount * (filter.threshold + difference) : 0.0);
    }
    const double square = largest * largest;
    const double mean_of_squares = square + errors.of_squares;
    if (!fits_f32(mean_of_squares + mean * mean))
        return std::numeric_limits<double>::infinity();
    const double variance = errors.of_squares + 2.0 * u * square +
                            (2.0 * mean + errors.of_pixels) * errors.of_pixels +
                            4.0 * u * (mean_of_squares + mean * mean) + 0x1p-126;
    if (filter.result == LocalResult::variance)
        return variance;
    // Roots of numbers that are e apart are up to the root of e apart.
    const double deviation = std::sqrt(variance) + 4.0 * u * mean + 0x1p-63;
    if (filter.result == LocalResult::deviation)
        return deviation;
    // The larger of a root and epsilon changes by at most 1 / (2 epsilon) of what is under the root.
    const double share = (largest + mean) / filter.epsilon;
    const double divisor = std::min(deviation, variance / (2.0 * filter.epsilon));
    return difference / filter.epsilon + share * divisor / filter.epsilon + 8.0 * u * share;
}

// Computes all rows of the mean, one after the other.
std::vector<double> rows_of(const Filter &mean, const ReferenceJob &job, ModesAs modes) {
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    const ReferenceJob own{mean, job.source, job.border, job.region, job.pixels};
    std::vector<double> rows;
    mean.compute(own, modes, [&](const RowPlace &, const double *values) {
        rows.insert(rows.end(), values, values + width);
    });
    return rows;
}

// The same in f32, where the mean has an order of operations: as kernels have it.
std::vector<float> rows_in_f32(const Filter &mean, const ReferenceJob &job) {
    std::vector<float> rows;
    if (!without_device(mean).is<Correlate>())
        return rows;
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    const ReferenceJob own{mean, job.source, job.border, job.region, job.pixels};
    compute_in_f32(own, [&](const RowPlace &, const float *values) {
        rows.insert(rows.end(), values, values + width);
    });
    return rows;
}

// The squares of all pixels of an image, in double.
struct Squares {
    ImageDesc desc;
    std::vector<double> values;
};

Squares squares_of(const ReferenceJob &job) {
    const ImageDesc &source = job.source;
    Squares result;
    result.desc.type = PixelType::f64;
    result.desc.channels = source.channels;
    result.desc.extent = source.extent;
    result.desc.planes = source.planes;
    result.desc = complete(result.desc, "squares");
    const auto step = static_cast<std::int64_t>(size_of(source.type));
    const Axes &extent = source.extent;
    Axes at;
    for (std::int64_t plane = 0; plane < source.planes; ++plane)
        for (at[3] = 0; at[3] < extent[3]; ++at[3])
            for (at[2] = 0; at[2] < extent[2]; ++at[2])
                for (at[1] = 0; at[1] < extent[1]; ++at[1])
                    for (at[0] = 0; at[0] < extent[0]; ++at[0])
                        for (std::int64_t c = 0; c < source.channels; ++c) {
                            const double value = load_pixel(
                                source.type, job.pixels + source.byte_of(at, plane) + c * step);
                            result.values.push_back(value * value);
                        }
    return result;
}

std::vector<double> rows_of_squares(const Filter &mean, const ReferenceJob &job, ModesAs modes) {
    const Squares squares = squares_of(job);
    Border border = job.border;
    border.value *= border.value;
    const ReferenceJob own{mean, squares.desc, border, job.region,
                           reinterpret_cast<const std::byte *>(squares.values.data())};
    return rows_of(mean, own, modes);
}

} // namespace

const Filter &Local::mean() const {
    return means.at(0);
}

bool Local::has_squares() const {
    return result != LocalResult::unsharp && result != LocalResult::high_pass;
}

Local checked(Local local) {
    if (local.result == LocalResult::unsharp) {
        require(fits_f32(local.amount), "the amount is ", local.amount,
                "; it must be finite in f32");
        require(local.threshold >= 0.0 && fits_f32(local.threshold), "the threshold is ",
                local.threshold, "; it must be 0 or more, and finite in f32");
    }
    if (local.result == LocalResult::normalized)
        require(local.epsilon >= 1e-30 && local.epsilon <= 1e30, "epsilon is ", local.epsilon,
                "; it must be positive, from 1e-30 to 1e30");
    return local;
}

std::string to_text(const Local &filter) {
    std::string result = name_of(filter.result);
    if (filter.result == LocalResult::unsharp)
        result += text(" by ", filter.amount, " over ", filter.threshold);
    if (filter.result == LocalResult::normalized)
        result += text(" with epsilon ", filter.epsilon);
    return result + ", mean: " + to_text(filter.mean());
}

// A mean from nothing is no mean.
void check_border(const Local &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
    filter.mean().check_border(border);
}

double error_bound(const Local &filter, double largest) {
    return bound_with(
        filter, largest,
        {filter.mean().error_bound(largest), filter.mean().error_bound(largest * largest)});
}

double rounding_bound(const Local &filter, double largest) {
    return bound_with(
        filter, largest,
        {filter.mean().rounding_bound(largest), filter.mean().rounding_bound(largest * largest)});
}

AxesReach reach_of(const Local &filter) {
    return filter.mean().reach();
}

bool rounds_once(const Local &, const Rounded &) {
    return false;
}

Results results_of(const Local &) {
    return Results::pixels;
}

void compute(const Local &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink) {
    const std::vector<double> means = rows_of(filter.mean(), job, modes);
    std::vector<float> means_in_f32;
    std::vector<double> squares;
    if (filter.result == LocalResult::unsharp)
        means_in_f32 = rows_in_f32(filter.mean(), job);
    if (filter.has_squares())
        squares = rows_of_squares(filter.mean(), job, modes);
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    const auto threshold = static_cast<float>(filter.threshold);
    std::vector<double> row;
    std::size_t at = 0;
    const auto result_of = [&](double in) {
        const double difference = in - means[at];
        if (filter.result == LocalResult::high_pass)
            return difference;
        if (filter.result == LocalResult::unsharp) {
            const double compared =
                means_in_f32.empty()
                    ? std::abs(difference)
                    : static_cast<double>(std::abs(static_cast<float>(in) - means_in_f32[at]));
            return compared > static_cast<double>(threshold) ? in + filter.amount * difference : in;
        }
        const double variance = std::max(squares[at] - means[at] * means[at], 0.0);
        if (filter.result == LocalResult::variance)
            return variance;
        const double deviation = std::sqrt(variance);
        return filter.result == LocalResult::deviation
                   ? deviation
                   : difference / std::max(deviation, filter.epsilon);
    };
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        source.read_row(y, job.region.source_origin[0], job.region.extent[0], row);
        for (std::size_t x = 0; x < width; ++x, ++at)
            row[x] = result_of(row[x]);
        return row.data();
    });
}

} // namespace gz
