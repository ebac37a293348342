#include "filter/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "core/error.hpp"
#include "filter/half.hpp"
#include "filter/recursive_reference.hpp"

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

    // The slice so many further on.
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

template <class Real> std::vector<Real> rounded(const std::vector<double> &values) {
    return {values.begin(), values.end()};
}

// How a step of a chain is computed.
double add(double k, double in, double sum) {
    return sum + k * in;
}
float add(float k, float in, float sum) {
    return std::fma(k, in, sum);
}

// Rows of the region for one set of taps. Those filtered along x are kept, as the next rows need
// them again.
template <class Real> class CorrelatedRows {
public:
    // as_given: from a box of taps even where they are the product of a row and a column.
    CorrelatedRows(const ReferenceJob &job, const Correlation &correlation, bool as_given)
        : job_(job), taps_(correlation.taps),
          separable_(correlation.factors && (!as_given || taps_.values.empty())),
          width_(static_cast<std::size_t>(job.region.extent[0] * job.source.channels)),
          sum_(width_) {
        if (separable_) {
            along_x_ = rounded<Real>(correlation.factors->x);
            along_y_ = rounded<Real>(correlation.factors->y);
            along_z_ = rounded<Real>(correlation.factors->z);
            along_t_ = rounded<Real>(correlation.factors->t);
            kept_.resize(along_y_.size());
        } else {
            dense_ = rounded<Real>(taps_.values);
        }
    }

    const std::vector<Real> &row(const ExtendedPlane &source, std::int64_t y) {
        const Axes &size = taps_.size;
        if (size[2] == 1 && size[3] == 1)
            return plane_row(source, y);
        volume_.assign(width_, Real(0));
        for (std::int64_t l = 0; l < size[3]; ++l) {
            std::vector<Real> &along_z = separable_ && size[3] > 1 ? slices_ : volume_;
            if (&along_z == &slices_)
                slices_.assign(width_, Real(0));
            for (std::int64_t k = 0; k < size[2]; ++k) {
                const ExtendedPlane slice =
                    source.neighbour(k - taps_.anchor[2], l - taps_.anchor[3]);
                if (!separable_) {
                    for (std::int64_t j = 0; j < size[1]; ++j)
                        add_row(slice, y + j - taps_.anchor[1],
                                dense_.data() + ((l * size[2] + k) * size[1] + j) * size[0],
                                volume_);
                    continue;
                }
                last_y_ = std::numeric_limits<std::int64_t>::min(); // rows of another slice
                const std::vector<Real> &filtered = plane_row(slice, y);
                // A chain along z where there is one, else the one along t.
                if (size[2] > 1)
                    add_all(along_z_[static_cast<std::size_t>(k)], filtered, along_z);
                else
                    add_all(along_t_[static_cast<std::size_t>(l)], filtered, volume_);
            }
            if (separable_ && size[2] > 1 && size[3] > 1)
                add_all(along_t_[static_cast<std::size_t>(l)], slices_, volume_);
        }
        return volume_;
    }

private:
    struct Kept {
        bool valid = false;
        std::int64_t y = 0;
        std::vector<Real> values;
    };

    void add_all(Real k, const std::vector<Real> &in, std::vector<Real> &to) {
        for (std::size_t x = 0; x < width_; ++x)
            to[x] = add(k, in[x], to[x]);
    }

    // Filtered along x and y alone.
    const std::vector<Real> &plane_row(const ExtendedPlane &source, std::int64_t y) {
        if (y != last_y_ + 1)
            std::fill(kept_.begin(), kept_.end(), Kept());
        last_y_ = y;
        std::fill(sum_.begin(), sum_.end(), Real(0));
        for (std::int64_t j = 0; j < taps_.size[1]; ++j) {
            const std::int64_t from = y + j - taps_.anchor[1];
            if (separable_) {
                add_all(along_y_[static_cast<std::size_t>(j)], filtered_row(source, from), sum_);
            } else {
                add_row(source, from, dense_.data() + j * taps_.size[0], sum_);
            }
        }
        return sum_;
    }

    void add_row(const ExtendedPlane &source, std::int64_t y, const Real *k,
                 std::vector<Real> &to) {
        source.read_row(y, job_.region.source_origin[0] - taps_.anchor[0],
                        job_.region.extent[0] + taps_.size[0] - 1, extended_);
        for (std::int64_t i = 0; i < taps_.size[0]; ++i) {
            const Real *in = extended_.data() + i * job_.source.channels;
            for (std::size_t x = 0; x < width_; ++x)
                to[x] = add(k[i], in[x], to[x]);
        }
    }

    const std::vector<Real> &filtered_row(const ExtendedPlane &source, std::int64_t y) {
        const auto count = static_cast<std::int64_t>(kept_.size());
        Kept &kept = kept_[static_cast<std::size_t>(((y % count) + count) % count)];
        if (!kept.valid || kept.y != y) {
            kept.valid = true;
            kept.y = y;
            kept.values.assign(width_, Real(0));
            add_row(source, y, along_x_.data(), kept.values);
        }
        return kept.values;
    }

    const ReferenceJob &job_;
    const Taps &taps_;
    bool separable_;
    std::size_t width_;
    std::vector<Real> along_x_, along_y_, along_z_, along_t_, dense_;
    std::vector<Real> extended_, sum_, slices_, volume_;
    std::vector<Kept> kept_; // row y is at y modulo their number
    std::int64_t last_y_ = std::numeric_limits<std::int64_t>::min();
};

template <class Real>
void compute_correlation(const ReferenceJob &job, const RowSink<Real> &sink, bool as_given) {
    const std::int64_t channels = job.source.channels;
    CorrelatedRows<Real> base(job, job.filter.correlation(), as_given);
    std::map<std::int64_t, CorrelatedRows<Real>> others;
    for (const auto &[component, correlation] : job.filter.components())
        others.try_emplace(component, job, correlation, as_given);

    std::vector<Real> mixed;
    for_each_row<Real>(job, sink,
                       [&](const ExtendedPlane &source, std::int64_t plane, std::int64_t y) {
                           mixed = base.row(source, y);
                           for (std::int64_t c = 0; c < channels; ++c) {
                               const auto other = others.find(plane * channels + c);
                               if (other == others.end())
                                   continue;
                               const std::vector<Real> &row = other->second.row(source, y);
                               for (auto x = static_cast<std::size_t>(c); x < row.size();
                                    x += static_cast<std::size_t>(channels))
                                   mixed[x] = row[x];
                           }
                           return mixed.data();
                       });
}

// One slice of an image along x and y, all channels.
struct Slice {
    std::int64_t width = 0, height = 0, channels = 1;
    std::vector<double> values;

    double &at(std::int64_t x, std::int64_t y, std::int64_t c) {
        return values[static_cast<std::size_t>((y * width + x) * channels + c)];
    }
};

// A sum that values can be taken out of again, infinities and NaN too.
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

// Means of 2 radius + 1 neighbours along a line of n values, `step` apart.
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

// A box along z or t: the whole of what may be read, averaged axis by axis.
void compute_volume_box(const ReferenceJob &job, const RowSink<double> &sink) {
    const Box &box = *job.filter.box();
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

void compute_box(const ReferenceJob &job, const RowSink<double> &sink) {
    const Box &box = *job.filter.box();
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
    case PixelType::f64:
        return read_as<double>(at);
    case PixelType::u32:
        return read_as<std::uint32_t>(at);
    case PixelType::s32:
        return read_as<std::int32_t>(at);
    case PixelType::u64:
        return static_cast<double>(read_as<std::uint64_t>(at));
    }
    fail(Status::internal, "no pixel type has the number ", static_cast<gauze_type>(type));
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
    case PixelType::f64:
        return write_as(static_cast<double>(value), at);
    case PixelType::u32:
        return write_as(static_cast<std::uint32_t>(stored), at);
    case PixelType::s32:
        return write_as(static_cast<std::int32_t>(stored), at);
    case PixelType::u64:
        return write_as(static_cast<std::uint64_t>(stored), at);
    }
    fail(Status::internal, "no pixel type has the number ", static_cast<gauze_type>(type));
}

namespace {

void compute(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink);

// Rows of both parts come in the same order.
void compute_difference(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink) {
    const Dog &dog = *job.filter.dog();
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    std::vector<double> first;
    const Axes &extent = job.region.extent;
    first.reserve(width *
                  static_cast<std::size_t>(extent[1] * extent[2] * extent[3] * job.source.planes));
    const auto with = [&](const Filter &filter) {
        return ReferenceJob{filter, job.source, job.border, job.region, job.pixels};
    };
    compute(with(dog.first), modes, [&](const RowPlace &, const double *values) {
        first.insert(first.end(), values, values + width);
    });
    double *row = first.data();
    compute(with(dog.second), modes, [&](const RowPlace &at, const double *values) {
        for (std::size_t i = 0; i < width; ++i)
            row[i] -= values[i];
        sink(at, row);
        row += width;
    });
}

void compute(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink) {
    check_border(job.filter, job.border);
    if (job.filter.bank())
        fail(Status::internal, "the filters of a bank are computed one by one");
    if (job.filter.dog())
        return compute_difference(job, modes, sink);
    if (job.filter.recursion())
        return compute_recursion(job, modes, sink);
    if (job.filter.is_sat())
        return compute_sat(job, sink);
    if (job.filter.box() && job.filter.box()->is_volume())
        return compute_volume_box(job, sink);
    if (job.filter.box())
        return compute_box(job, sink);
    compute_correlation<double>(job, sink, true);
}

} // namespace

void compute_in_double(const ReferenceJob &job, const RowSink<double> &sink) {
    compute(job, ModesAs::approximated, sink);
}

void compute_as_written(const ReferenceJob &job, const RowSink<double> &sink) {
    compute(job, ModesAs::written, sink);
}

void compute_in_f32(const ReferenceJob &job, const RowSink<float> &sink) {
    if (!job.filter.has_taps())
        fail(Status::internal, "a filter that is ", to_text(job.filter), " has no canonical order");
    compute_correlation<float>(job, sink, false);
}

namespace {

// Whether pixels of other slices, along z or t, matter to a pixel.
bool reads_along(const Filter &filter, std::size_t axis) {
    if (const Dog *dog = filter.dog())
        return reads_along(dog->first, axis) || reads_along(dog->second, axis);
    if (filter.recursion())
        return filter.recursion()->filters(static_cast<int>(axis));
    if (filter.box())
        return filter.box()->radius[axis] > 0;
    return !filter.is_sat() && filter.taps().size[axis] > 1;
}

} // namespace

double largest_magnitude(const ReferenceJob &job) {
    double largest = job.border.mode == BorderMode::constant ? std::abs(job.border.value) : 0.0;
    ReferenceJob whole = job;
    if (job.region.edge == RegionEdge::neighbours) {
        for (std::size_t i = 0; i < 4; ++i)
            if (i < 2 || reads_along(job.filter, i)) {
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
        [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
            source.read_row(y, whole.region.source_origin[0], whole.region.extent[0], row);
            return row.data();
        });
    return largest;
}

} // namespace gz
