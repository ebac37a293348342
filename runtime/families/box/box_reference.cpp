#include <cmath>
#include <limits>
#include <vector>

#include "families/box/box.hpp"
#include "families/extended_plane.hpp"

namespace gz {

namespace {

// One slice of an image along x and y, all channels.
struct Slice {
    std::int64_t width = 0, height = 0, channels = 1;
    std::vector<double> values;

    double &at(std::int64_t x, std::int64_t y, std::int64_t c) {
        return values[static_cast<std::size_t>((y * width + x) * channels + c)];
    }
};

// A sum from which values can be subtracted again, infinities and NaN too.
class RunningSum {
public:
    void add(double value) { count(value, 1); }
    void remove(double value) { count(value, -1); }
    double value() const {
        if (nans_ > 0 || (above_ > 0 && below_ > 0))
            return std::numeric_limits<double>::quiet_NaN();
        if (above_ + below_ > 0)
            return above_ > 0 ? INFINITY : -INFINITY;
        return sum_;
    }

private:
    void count(double value, int sign) {
        if (std::isnan(value))
            nans_ += sign;
        else if (std::isinf(value))
            (value > 0 ? above_ : below_) += sign;
        else
            sum_ += sign * value;
    }

    double sum_ = 0.0;
    int nans_ = 0, above_ = 0, below_ = 0;
};

// Means over 2 radius + 1 neighbours along a line of n values, `step` apart.
void average_line(double *line, std::int64_t n, std::int64_t step, std::int64_t radius,
                  const Border &border, std::vector<double> &copy) {
    if (radius == 0)
        return;
    copy.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        copy[static_cast<std::size_t>(i)] = line[i * step];
    const auto value = [&](std::int64_t i) {
        const std::int64_t at = fold(i, n, border.mode);
        return at < 0 ? border.value : copy[static_cast<std::size_t>(at)];
    };
    RunningSum sum;
    for (std::int64_t i = -radius; i < radius; ++i)
        sum.add(value(i));
    for (std::int64_t i = 0; i < n; ++i) {
        sum.add(value(i + radius));
        line[i * step] = sum.value() / static_cast<double>(2 * radius + 1);
        sum.remove(value(i - radius));
    }
}

// Averages along z or t: reads the whole of what may be read, axis by axis.
void compute_volume_box(const Box &box, const ReferenceJob &job, const RowSink<double> &sink) {
    const Region &region = job.region;
    const bool isolated = region.edge == RegionEdge::isolated;
    const Axes origin = isolated ? region.source_origin : Axes{0, 0, 0, 0};
    const Axes &extent = isolated ? region.extent : job.source.extent;
    const Axes step{job.source.channels, job.source.channels * extent[0],
                    job.source.channels * extent[0] * extent[1],
                    job.source.channels * extent[0] * extent[1] * extent[2]};
    std::vector<double> values, row, copy;
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane) {
        values.clear();
        for (std::int64_t t = 0; t < extent[3]; ++t)
            for (std::int64_t z = 0; z < extent[2]; ++z) {
                const ExtendedPlane source(job, origin[2] + z, origin[3] + t, plane);
                for (std::int64_t y = 0; y < extent[1]; ++y) {
                    source.read_row(origin[1] + y, origin[0], extent[0], row);
                    values.insert(values.end(), row.begin(), row.end());
                }
            }
        for (int i = 0; i < box.iterations; ++i)
            for (std::size_t axis = 0; axis < 4; ++axis)
                for (std::int64_t at = 0; at < static_cast<std::int64_t>(values.size()); ++at)
                    if (at / step[axis] % extent[axis] == 0) // where a line starts
                        average_line(&values[static_cast<std::size_t>(at)], extent[axis],
                                     step[axis], box.radius[axis], job.border, copy);
        for (std::int64_t t = 0; t < region.extent[3]; ++t)
            for (std::int64_t z = 0; z < region.extent[2]; ++z)
                for (std::int64_t y = 0; y < region.extent[1]; ++y) {
                    const Axes at{0, y, z, t};
                    std::int64_t first = 0;
                    for (std::size_t axis = 0; axis < 4; ++axis)
                        first +=
                            step[axis] * (at[axis] + region.source_origin[axis] - origin[axis]);
                    sink({y, z, t, plane}, &values[static_cast<std::size_t>(first)]);
                }
    }
}

void compute_box(const Box &box, const ReferenceJob &job, const RowSink<double> &sink) {
    const Region &region = job.region;
    const bool isolated = region.edge == RegionEdge::isolated;
    const std::int64_t channels = job.source.channels;
    const Axes origin = isolated ? region.source_origin : Axes{0, 0, 0, 0};
    const Axes &extent = isolated ? region.extent : job.source.extent;
    const std::array<std::int64_t, 2> first = {region.source_origin[0] - origin[0],
                                               region.source_origin[1] - origin[1]};
    Slice slice{extent[0], extent[1], channels, {}};
    std::vector<double> row, copy;
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < region.extent[3]; ++t)
            for (std::int64_t z = 0; z < region.extent[2]; ++z) {
                const ExtendedPlane source(job, region.source_origin[2] + z,
                                           region.source_origin[3] + t, plane);
                slice.values.clear();
                slice.values.reserve(static_cast<std::size_t>(extent[0] * extent[1] * channels));
                for (std::int64_t y = 0; y < extent[1]; ++y) {
                    source.read_row(origin[1] + y, origin[0], extent[0], row);
                    slice.values.insert(slice.values.end(), row.begin(), row.end());
                }
                for (int i = 0; i < box.iterations; ++i)
                    for (std::int64_t c = 0; c < channels; ++c) {
                        for (std::int64_t y = 0; y < extent[1]; ++y)
                            average_line(&slice.at(0, y, c), extent[0], channels, box.radius[0],
                                         job.border, copy);
                        for (std::int64_t x = 0; x < extent[0]; ++x)
                            average_line(&slice.at(x, 0, c), extent[1], extent[0] * channels,
                                         box.radius[1], job.border, copy);
                    }
                for (std::int64_t y = 0; y < region.extent[1]; ++y)
                    sink({y, z, t, plane}, &slice.at(first[0], first[1] + y, 0));
            }
}

} // namespace

void compute(const Box &box, const ReferenceJob &job, ModesAs, const RowSink<double> &sink) {
    if (box.is_volume())
        compute_volume_box(box, job, sink);
    else
        compute_box(box, job, sink);
}

} // namespace gz
