#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/fma.hpp"
#include "families/correlate/correlate.hpp"
#include "families/extended_plane.hpp"

namespace gz {

namespace {

template <class Real> std::vector<Real> rounded(const std::vector<double> &values) {
    return {values.begin(), values.end()};
}

// How a step of a chain is computed.
double add(double k, double in, double sum) {
    return sum + k * in;
}
float add(float k, float in, float sum) {
    return fma(k, in, sum);
}

// Computes rows of the region for one set of taps. Rows filtered along x are kept, as the next rows need them
// again.
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

    // Returns the row filtered along x and y alone.
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
void compute_correlation(const Correlate &filter, const ReferenceJob &job,
                         const RowSink<Real> &sink, bool as_given) {
    const std::int64_t channels = job.source.channels;
    CorrelatedRows<Real> base(job, filter.correlation, as_given);
    std::map<std::int64_t, CorrelatedRows<Real>> others;
    for (const auto &[component, correlation] : filter.components)
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

} // namespace

void compute(const Correlate &filter, const ReferenceJob &job, ModesAs,
             const RowSink<double> &sink) {
    compute_correlation<double>(filter, job, sink, true);
}

void compute_in_f32(const Correlate &filter, const ReferenceJob &job, const RowSink<float> &sink) {
    compute_correlation<float>(filter, job, sink, false);
}

} // namespace gz
