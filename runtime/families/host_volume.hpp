// Lines of an image on the host, filtered one by one in long double: for references of filters that go along
// axes.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/pixel_value.hpp"
#include "families/reference.hpp"

namespace gz {

using Line = std::vector<long double>;
using LineFilter = std::function<void(Line &)>;

// A part of a line.
struct Range {
    std::int64_t begin = 0, end = 0;
};

// All channels of what a region of one plane and one t reads along x, y and z.
class HostVolume {
public:
    HostVolume(const ReferenceJob &job, bool all_slices)
        : job_(job), channels_(job.source.channels) {
        const Region &region = job.region;
        for (std::size_t i = 0; i < 3; ++i) {
            const bool whole = region.edge == RegionEdge::neighbours && (i < 2 || all_slices);
            first_[i] = whole ? region.source_origin[i] : 0;
            origin_[i] = region.source_origin[i] - first_[i];
            extent_[i] = whole ? job.source.extent[i] : region.extent[i];
        }
    }

    std::int64_t extent(std::size_t axis) const { return extent_[axis]; }
    // The place of the region along an axis.
    Range region(std::size_t axis) const {
        return {first_[axis], first_[axis] + job_.region.extent[axis]};
    }
    std::int64_t channels() const { return channels_; }
    std::int64_t row_values() const { return extent_[0] * channels_; }

    void read(std::int64_t t, std::int64_t plane) {
        const auto step = static_cast<std::int64_t>(size_of(job_.source.type));
        values_.clear();
        values_.reserve(static_cast<std::size_t>(row_values() * extent_[1] * extent_[2]));
        for (std::int64_t z = 0; z < extent_[2]; ++z)
            for (std::int64_t y = 0; y < extent_[1]; ++y)
                for (std::int64_t x = 0; x < extent_[0]; ++x) {
                    const std::byte *pixel =
                        job_.pixels +
                        job_.source.byte_of({origin_[0] + x, origin_[1] + y, origin_[2] + z,
                                             job_.region.source_origin[3] + t},
                                            plane);
                    for (std::int64_t c = 0; c < channels_; ++c)
                        values_.push_back(load_pixel(job_.source.type, pixel + c * step));
                }
    }

    void take_magnitudes() {
        for (double &value : values_)
            value = std::abs(value);
    }

    double *row(std::int64_t y, std::int64_t z) {
        return values_.data() + (z * extent_[1] + y) * row_values();
    }

    // Filters lines along an axis. Along the first `done` axes, which need no more filtering, it takes the
    // region's lines alone.
    void filter(std::size_t axis, const LineFilter &filter, std::size_t done) {
        const std::array<std::int64_t, 3> steps = {channels_, row_values(),
                                                   row_values() * extent_[1]};
        std::array<Range, 3> ranges;
        for (std::size_t i = 0; i < 3; ++i)
            ranges[i] = i < done ? region(i) : Range{0, i == axis ? 1 : extent_[i]};
        Line line(static_cast<std::size_t>(extent_[axis]));
        for (std::int64_t z = ranges[2].begin; z < ranges[2].end; ++z)
            for (std::int64_t y = ranges[1].begin; y < ranges[1].end; ++y)
                for (std::int64_t x = ranges[0].begin; x < ranges[0].end; ++x)
                    for (std::int64_t c = 0; c < channels_; ++c) {
                        double *value =
                            values_.data() + z * steps[2] + y * steps[1] + x * steps[0] + c;
                        for (std::size_t i = 0; i < line.size(); ++i)
                            line[i] = value[static_cast<std::int64_t>(i) * steps[axis]];
                        filter(line);
                        for (std::size_t i = 0; i < line.size(); ++i)
                            value[static_cast<std::int64_t>(i) * steps[axis]] =
                                static_cast<double>(line[i]);
                    }
    }

    // Calls visit(place) for the region's rows.
    template <class Visit> void for_each_row(std::int64_t t, std::int64_t plane, Visit &&visit) {
        for (std::int64_t z = 0; z < job_.region.extent[2]; ++z)
            for (std::int64_t y = 0; y < job_.region.extent[1]; ++y)
                visit(RowPlace{y, z, t, plane});
    }
    const double *row_at(const RowPlace &at) {
        return row(first_[1] + at.y, first_[2] + at.z) + first_[0] * channels_;
    }
    void write(std::int64_t t, std::int64_t plane, const RowSink<double> &sink) {
        for_each_row(t, plane, [&](const RowPlace &at) { sink(at, row_at(at)); });
    }

private:
    const ReferenceJob &job_;
    std::int64_t channels_;
    // The first pixel in the source, extents, and the region's first pixel among these.
    std::array<std::int64_t, 3> origin_{}, extent_{}, first_{};
    std::vector<double> values_;
};

} // namespace gz
