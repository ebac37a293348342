#include "filter/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/error.hpp"
#include "filter/half.hpp"

namespace gz {

namespace {

template <class T> T read_as(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T> void write_as(T value, std::byte *at) {
    std::memcpy(at, &value, sizeof value);
}

// The source along x and y as a filter sees it: extended without end by the border.
class ExtendedPlane {
public:
    ExtendedPlane(const ReferenceJob &job, std::int64_t z, std::int64_t t, std::int64_t plane)
        : job_(job), z_(z), t_(t), plane_(plane) {
        if (job.region.edge == RegionEdge::isolated) {
            first_ = {job.region.source_origin[0], job.region.source_origin[1]};
            size_ = {job.region.extent[0], job.region.extent[1]};
        } else {
            size_ = {job.source.extent[0], job.source.extent[1]};
        }
    }

    // Pixels x_begin to x_begin + count - 1 of row y, all channels. Coordinates are the source's.
    template <class Real>
    void read_row(std::int64_t y, std::int64_t x_begin, std::int64_t count,
                  std::vector<Real> &values) const {
        const std::int64_t channels = job_.source.channels;
        const auto outside = static_cast<Real>(job_.border.value);
        values.assign(static_cast<std::size_t>(count * channels), outside);
        const std::int64_t row = fold(y - first_[1], size_[1], job_.border.mode);
        if (row < 0)
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
    std::int64_t z_, t_, plane_;
    std::array<std::int64_t, 2> first_{0, 0};
    std::array<std::int64_t, 2> size_{0, 0};
};

// Calls row_of(extended plane, y of the source) for every row of the region.
template <class Real, class RowOf>
void for_each_row(const ReferenceJob &job, const RowSink<Real> &sink, RowOf &&row_of) {
    const Region &region = job.region;
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < region.extent[3]; ++t)
            for (std::int64_t z = 0; z < region.extent[2]; ++z) {
                const ExtendedPlane source(job, region.source_origin[2] + z,
                                           region.source_origin[3] + t, plane);
                for (std::int64_t y = 0; y < region.extent[1]; ++y)
                    sink({y, z, t, plane}, row_of(source, region.source_origin[1] + y));
            }
}

std::vector<float> rounded(const std::vector<double> &values) {
    return {values.begin(), values.end()};
}

} // namespace

double load_pixel(PixelType type, const std::byte *at) {
    switch (type) {
    case PixelType::u8:
        return read_as<std::uint8_t>(at);
    case PixelType::u16:
        return read_as<std::uint16_t>(at);
    case PixelType::s16:
        return read_as<std::int16_t>(at);
    case PixelType::f16:
        return half_to_double(read_as<std::uint16_t>(at));
    case PixelType::f32:
        return static_cast<double>(read_as<float>(at));
    default:
        fail(Status::internal, "the reference does not read ", name_of(type));
    }
}

void store_pixel(PixelType type, float value, std::byte *at) {
    const PixelTypeFacts &facts = facts_of(type);
    double stored = static_cast<double>(value);
    if (facts.is_integer)
        stored = std::isnan(stored)
                     ? 0.0
                     : std::clamp(std::nearbyint(stored), facts.lowest, facts.highest);
    switch (type) {
    case PixelType::u8:
        return write_as(static_cast<std::uint8_t>(stored), at);
    case PixelType::u16:
        return write_as(static_cast<std::uint16_t>(stored), at);
    case PixelType::s16:
        return write_as(static_cast<std::int16_t>(stored), at);
    case PixelType::f16:
        return write_as(half_from_float(value), at);
    case PixelType::f32:
        return write_as(value, at);
    default:
        fail(Status::internal, "the reference does not write ", name_of(type));
    }
}

void compute_in_double(const ReferenceJob &job, const RowSink<double> &sink) {
    const Taps &taps = job.filter.taps();
    const std::int64_t channels = job.source.channels;
    const auto width = static_cast<std::size_t>(job.region.extent[0] * channels);
    std::vector<double> sum(width);
    std::vector<double> extended;
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t y) {
        std::fill(sum.begin(), sum.end(), 0.0);
        const double *k = taps.values.data();
        for (std::int64_t j = 0; j < taps.size[1]; ++j) {
            source.read_row(y + j - taps.anchor[1], job.region.source_origin[0] - taps.anchor[0],
                            job.region.extent[0] + taps.size[0] - 1, extended);
            for (std::int64_t i = 0; i < taps.size[0]; ++i, ++k) {
                const double *in = extended.data() + i * channels;
                for (std::size_t x = 0; x < width; ++x)
                    sum[x] += *k * in[x];
            }
        }
        return sum.data();
    });
}

void compute_in_f32(const ReferenceJob &job, const RowSink<float> &sink) {
    const Taps &taps = job.filter.taps();
    const std::int64_t channels = job.source.channels;
    const auto width = static_cast<std::size_t>(job.region.extent[0] * channels);
    const auto &factors = job.filter.factors();
    const std::vector<float> dense = rounded(taps.values);
    const std::vector<float> along_x = factors ? rounded(factors->x) : std::vector<float>();
    const std::vector<float> along_y = factors ? rounded(factors->y) : std::vector<float>();

    std::vector<float> sum(width);
    std::vector<float> filtered(width);
    std::vector<float> extended;
    const auto add_row = [&](const float *k, std::vector<float> &to) {
        for (std::int64_t i = 0; i < taps.size[0]; ++i) {
            const float *in = extended.data() + i * channels;
            for (std::size_t x = 0; x < width; ++x)
                to[x] = std::fma(k[i], in[x], to[x]);
        }
    };
    for_each_row<float>(job, sink, [&](const ExtendedPlane &source, std::int64_t y) {
        std::fill(sum.begin(), sum.end(), 0.0F);
        for (std::int64_t j = 0; j < taps.size[1]; ++j) {
            source.read_row(y + j - taps.anchor[1], job.region.source_origin[0] - taps.anchor[0],
                            job.region.extent[0] + taps.size[0] - 1, extended);
            if (!factors) {
                add_row(dense.data() + j * taps.size[0], sum);
                continue;
            }
            std::fill(filtered.begin(), filtered.end(), 0.0F);
            add_row(along_x.data(), filtered);
            for (std::size_t x = 0; x < width; ++x)
                sum[x] = std::fma(along_y[static_cast<std::size_t>(j)], filtered[x], sum[x]);
        }
        return sum.data();
    });
}

double largest_magnitude(const ReferenceJob &job) {
    double largest = job.border.mode == BorderMode::constant ? std::abs(job.border.value) : 0.0;
    ReferenceJob whole = job;
    if (job.region.edge == RegionEdge::neighbours) {
        for (std::size_t i = 0; i < 2; ++i) {
            whole.region.source_origin[i] = 0;
            whole.region.extent[i] = job.source.extent[i];
        }
    }
    std::vector<double> row;
    const auto width = static_cast<std::size_t>(whole.region.extent[0] * job.source.channels);
    for_each_row<double>(
        whole,
        [&](const RowPlace &, const double *values) {
            for (std::size_t x = 0; x < width; ++x)
                if (std::isfinite(values[x]))
                    largest = std::max(largest, std::abs(values[x]));
        },
        [&](const ExtendedPlane &source, std::int64_t y) {
            source.read_row(y, whole.region.source_origin[0], whole.region.extent[0], row);
            return row.data();
        });
    return largest;
}

} // namespace gz
