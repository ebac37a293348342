#include "families/guided/guided.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/filter.hpp"

namespace gz {

namespace {

constexpr double u = 0x1p-24; // unit roundoff of f32

const char *name_of(Guide guide) {
    switch (guide) {
    case Guide::channels:
        return "each channel of itself";
    case Guide::color:
        return "its own color";
    case Guide::image:
        return "a second image";
    }
    return "";
}

// How far a mean in f32 is from the exact one, for values up to 1. Sums along y go on for up to 4096 rows, by what
// enters less what leaves, of which each difference of a column is rounded, but no sum loses more; a mean has
// as many columns as it has rows. Sums along x take an addition for each column. guided_march adds up four differences
// first, which loses up to 13 roundings of 1, but goes on for 2048 rows only; its running sums along x, of up to 32
// columns, lose 1056 roundings of a column: together less.
double steps_of_mean(const Guided &filter) {
    const double size = 2.0 * static_cast<double>(filter.radius) + 1.0;
    return 16.0 + 2.0 * size + 2.0 * std::max(4096.0, size) / size;
}

// One channel of the region's pixels, or of the whole image's where results read these, in double.
struct Plane {
    ImageDesc desc;
    Region region; // of the source
    std::vector<double> values;
};

// Pixels of which means are taken: along x and y all that a result may read.
Region region_of_means(const ReferenceJob &job) {
    Region region = job.region;
    if (region.edge == RegionEdge::neighbours)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            region.source_origin[axis] = 0;
            region.extent[axis] = job.source.extent[axis];
        }
    return region;
}

// Calls visit(place in the region, plane) for every pixel, in the order of memory.
template <class Visit>
void for_each_pixel(const Region &region, std::int64_t planes, Visit &&visit) {
    Axes at;
    for (std::int64_t plane = 0; plane < planes; ++plane)
        for (at[3] = 0; at[3] < region.extent[3]; ++at[3])
            for (at[2] = 0; at[2] < region.extent[2]; ++at[2])
                for (at[1] = 0; at[1] < region.extent[1]; ++at[1])
                    for (at[0] = 0; at[0] < region.extent[0]; ++at[0])
                        visit(at, plane);
}

std::vector<Plane> channels_of(const ImageDesc &image, const std::byte *pixels,
                               const Region &region) {
    ImageDesc desc;
    desc.type = PixelType::f64;
    desc.extent = region.extent;
    desc.planes = image.planes;
    desc = complete(desc, "plane");
    std::vector<Plane> result;
    const auto step = static_cast<std::int64_t>(size_of(image.type));
    for (std::int64_t c = 0; c < image.channels; ++c) {
        Plane plane{desc, region, {}};
        for_each_pixel(region, image.planes, [&](Axes at, std::int64_t number) {
            for (std::size_t axis = 0; axis < 4; ++axis)
                at[axis] += region.source_origin[axis];
            plane.values.push_back(
                load_pixel(image.type, pixels + image.byte_of(at, number) + c * step));
        });
        result.push_back(std::move(plane));
    }
    return result;
}

Plane mean_of(const Plane &plane, std::int64_t radius, Border border, double beyond) {
    border.value = beyond;
    const Filter box = Filter::box({{radius, radius, 0, 0}, 1});
    Region all;
    all.extent = plane.desc.extent;
    Plane result{plane.desc, plane.region, {}};
    const auto width = static_cast<std::size_t>(plane.desc.extent[0]);
    const ReferenceJob job{box, plane.desc, border, all,
                           reinterpret_cast<const std::byte *>(plane.values.data())};
    box.compute(job, ModesAs::written, [&](const RowPlace &, const double *row) {
        result.values.insert(result.values.end(), row, row + width);
    });
    return result;
}

Plane product_of(const Plane &one, const Plane &other) {
    Plane result = one;
    for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] *= other.values[i];
    return result;
}

// Solves a system with a symmetric positive matrix, of which the upper triangle is given, by its factors L D L^T.
std::array<double, 3> solved(const std::array<std::array<double, 3>, 3> &matrix,
                             std::array<double, 3> right, std::size_t size) {
    std::array<std::array<double, 3>, 3> rest = matrix;
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t i = k + 1; i < size; ++i) {
            const double factor = rest[k][i] / rest[k][k];
            for (std::size_t j = i; j < size; ++j)
                rest[i][j] -= factor * rest[k][j];
            right[i] -= factor * right[k];
        }
    for (std::size_t k = size; k-- > 0;) {
        for (std::size_t j = k + 1; j < size; ++j)
            right[k] -= rest[k][j] * right[j];
        right[k] /= rest[k][k];
    }
    return right;
}

// The guide's channels and their means, and the sums that every channel of the image shares.
class GuideMeans {
public:
    GuideMeans(const Guided &filter, const Border &border, std::vector<Plane> guide)
        : filter_(filter), border_(border), guide_(std::move(guide)) {
        for (const Plane &one : guide_)
            means_.push_back(mean(one, border.value));
        for (std::size_t i = 0; i < guide_.size(); ++i)
            for (std::size_t j = i; j < guide_.size(); ++j)
                products_.push_back(
                    mean(product_of(guide_[i], guide_[j]), border.value * border.value));
    }

    // Returns the filter's results for one channel of the image.
    Plane filtered(const Plane &channel) const {
        const std::size_t size = guide_.size();
        const Plane mean_of_channel = mean(channel, border_.value);
        std::vector<Plane> mixed, slopes(size, channel);
        for (const Plane &one : guide_)
            mixed.push_back(mean(product_of(one, channel), border_.value * border_.value));
        Plane offset = channel;
        for (std::size_t at = 0; at < channel.values.size(); ++at) {
            std::array<std::array<double, 3>, 3> matrix{};
            std::array<double, 3> right{};
            std::size_t number = 0;
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t j = i; j < size; ++j, ++number)
                    matrix[i][j] =
                        products_[number].values[at] - means_[i].values[at] * means_[j].values[at];
                matrix[i][i] = std::max(matrix[i][i], 0.0) + filter_.epsilon;
                right[i] = mixed[i].values[at] - means_[i].values[at] * mean_of_channel.values[at];
            }
            const std::array<double, 3> slope = solved(matrix, right, size);
            offset.values[at] = mean_of_channel.values[at];
            for (std::size_t i = 0; i < size; ++i) {
                slopes[i].values[at] = slope[i];
                offset.values[at] -= slope[i] * means_[i].values[at];
            }
        }
        Plane result = mean(offset, border_.value);
        for (std::size_t i = 0; i < size; ++i) {
            const Plane slope = mean(slopes[i], 0.0);
            for (std::size_t at = 0; at < result.values.size(); ++at)
                result.values[at] += slope.values[at] * guide_[i].values[at];
        }
        return result;
    }

private:
    Plane mean(const Plane &plane, double beyond) const {
        return mean_of(plane, filter_.radius, border_, beyond);
    }

    const Guided &filter_;
    const Border &border_;
    std::vector<Plane> guide_, means_, products_;
};

} // namespace

Guided checked(const Guided &guided) {
    require(guided.radius >= 0 && guided.radius <= max_box_radius, "the guided filter's radius is ",
            guided.radius, "; it must be from 0 to ", max_box_radius);
    require(guided.epsilon >= 1e-30 && guided.epsilon <= 1e30, "the guided filter's epsilon is ",
            guided.epsilon, "; it must be from 1e-30 to 1e30");
    return guided;
}

int guide_channels(const Guided &filter, std::int64_t channels) {
    switch (filter.guide) {
    case Guide::channels:
        return 0;
    case Guide::color:
        require(channels == 3, "the image has ", channels,
                " channels; an image that is its own color guide has 3");
        break;
    case Guide::image:
        require(channels == 1 || channels == 3, "the guide has ", channels,
                " channels; it must have 1 or 3");
        break;
    }
    return static_cast<int>(channels);
}

std::string to_text(const Guided &filter) {
    return text("guided by ", name_of(filter.guide), ", radius ", filter.radius, ", epsilon ",
                filter.epsilon);
}

void check_border(const Guided &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

// Values, which are pixels up to `largest` less one of them, are up to S = 2 largest: variances and covariances err by
// up to v = 4 steps u S^2. As var + epsilon is at least epsilon, a errs by up to (v + |a| v) / epsilon, and where the
// guide is the image itself, and a from 0 to 1, by up to v / epsilon and up to 1. Otherwise |a| is at most
// deviation(p) / (2 sqrt(epsilon)). What errs so is multiplied with I - mean(I), up to S. Three channels that guide
// together have the norms of matrices in place of numbers, and what is as small as v / epsilon is small beside 1: where it
// is not, the bound is larger than all results. Means of a and b, and their sum, err by rounding.
double error_bound(const Guided &filter, double largest) {
    const double range = 2.0 * largest;
    const double steps = steps_of_mean(filter);
    if (!(range * range * 16.0 < static_cast<double>(std::numeric_limits<float>::max())))
        return std::numeric_limits<double>::infinity();
    const double variance = (4.0 * steps * u * range * range + 0x1p-126) / filter.epsilon;
    const bool is_own = filter.guide == Guide::channels;
    const double slope = is_own ? 1.0 : std::max(largest / (2.0 * std::sqrt(filter.epsilon)), 1.0);
    const double error =
        is_own ? std::min(variance, 1.0) : 2.0 * (std::sqrt(3.0) + 3.0 * slope) * variance;
    const double terms = is_own ? 1.0 : 3.0;
    return error * range + (steps + 8.0) * u * largest * (1.0 + 2.0 * terms * slope) + 0x1p-126;
}

double rounding_bound(const Guided &filter, double largest) {
    return error_bound(filter, largest);
}

AxesReach reach_of(const Guided &filter) {
    const Reach both{2 * filter.radius, 2 * filter.radius};
    return {both, both, Reach{}, Reach{}};
}

bool rounds_once(const Guided &, const Rounded &) {
    return false;
}

Results results_of(const Guided &) {
    return Results::pixels;
}

void compute(const Guided &filter, const ReferenceJob &job, ModesAs, const RowSink<double> &sink) {
    const Region means = region_of_means(job);
    const std::vector<Plane> image = channels_of(job.source, job.pixels, means);
    std::vector<Plane> results;
    if (filter.guide == Guide::channels) {
        for (const Plane &channel : image)
            results.push_back(GuideMeans(filter, job.border, {channel}).filtered(channel));
    } else {
        const bool is_own = filter.guide == Guide::color;
        const GuideMeans guide(
            filter, job.border,
            is_own ? image
                   : channels_of(job.more_sources.at(0).desc, job.more_sources[0].pixels, means));
        for (const Plane &channel : image)
            results.push_back(guide.filtered(channel));
    }
    std::vector<double> row;
    Region rows = job.region;
    rows.extent[0] = 1;
    for_each_pixel(rows, job.source.planes, [&](const Axes &at, std::int64_t plane) {
        row.clear();
        Axes place = at;
        for (std::size_t axis = 0; axis < 4; ++axis)
            place[axis] += job.region.source_origin[axis] - means.source_origin[axis];
        for (std::int64_t x = 0; x < job.region.extent[0]; ++x, ++place[0])
            for (const Plane &result : results)
                row.push_back(result.values[static_cast<std::size_t>(
                    result.desc.byte_of(place, plane) /
                    static_cast<std::int64_t>(sizeof(double)))]);
        sink({at[1], at[2], at[3], plane}, row.data());
    });
}

} // namespace gz
