// An image in host memory as a filter sees it, for references.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/pixel_value.hpp"
#include "families/reference.hpp"

namespace gz {

// A slice of the source, which may itself lie outside, as a filter sees it: extended without end by
// the border.
class ExtendedPlane {
public:
    ExtendedPlane(const ReferenceJob &job, std::int64_t z, std::int64_t t, std::int64_t plane)
        : job_(job), at_z_(z), at_t_(t), plane_(plane) {
        Axes first{0, 0, 0, 0};
        Axes size = job.source.extent;
        if (job.region.edge == RegionEdge::isolated) {
            first = job.region.source_origin;
            size = job.region.extent;
        }
        first_ = {first[0], first[1]};
        size_ = {size[0], size[1]};
        z_ = fold(z - first[2], size[2], job.border.mode);
        t_ = fold(t - first[3], size[3], job.border.mode);
        is_outside_ = z_ < 0 || t_ < 0;
        z_ += first[2];
        t_ += first[3];
    }

    // Returns the slice that is z and t further on.
    ExtendedPlane neighbour(std::int64_t z, std::int64_t t) const {
        return {job_, at_z_ + z, at_t_ + t, plane_};
    }

    // Pixels x_begin to x_begin + count - 1 of row y, all channels. Coordinates are the source's.
    template <class Real>
    void read_row(std::int64_t y, std::int64_t x_begin, std::int64_t count,
                  std::vector<Real> &values) const {
        const std::int64_t channels = job_.source.channels;
        const auto outside = static_cast<Real>(job_.border.value);
        values.assign(static_cast<std::size_t>(count * channels), outside);
        const std::int64_t row = fold(y - first_[1], size_[1], job_.border.mode);
        if (row < 0 || is_outside_)
            return;
        const auto step = static_cast<std::int64_t>(size_of(job_.source.type));
        const std::byte *begin =
            job_.pixels + job_.source.byte_of({0, row + first_[1], z_, t_}, plane_);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t x = fold(x_begin + i - first_[0], size_[0], job_.border.mode);
            if (x < 0)
                continue;
            const std::byte *pixel = begin + (x + first_[0]) * job_.source.pitch[0];
            for (std::int64_t c = 0; c < channels; ++c)
                values[static_cast<std::size_t>(i * channels + c)] =
                    static_cast<Real>(load_pixel(job_.source.type, pixel + c * step));
        }
    }

private:
    const ReferenceJob &job_;
    std::int64_t at_z_, at_t_, z_, t_, plane_;
    bool is_outside_;
    std::array<std::int64_t, 2> first_{0, 0};
    std::array<std::int64_t, 2> size_{0, 0};
};

// Calls row_of(extended plane, plane, y of the source) for every row of the region.
template <class Real, class RowOf>
void for_each_row(const ReferenceJob &job, const RowSink<Real> &sink, RowOf &&row_of) {
    const Region &region = job.region;
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < region.extent[3]; ++t)
            for (std::int64_t z = 0; z < region.extent[2]; ++z) {
                const ExtendedPlane source(job, region.source_origin[2] + z,
                                           region.source_origin[3] + t, plane);
                for (std::int64_t y = 0; y < region.extent[1]; ++y)
                    sink({y, z, t, plane}, row_of(source, plane, region.source_origin[1] + y));
            }
}

} // namespace gz
