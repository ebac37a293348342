#include <cmath>
#include <cstddef>
#include <vector>

#include "families/edge/nlm.hpp"
#include "families/extended_plane.hpp"

namespace gz {

namespace {

// A row of weighted means, in double.
class NonLocalRow {
public:
    NonLocalRow(const NonLocalMeans &filter, const ReferenceJob &job)
        : filter_(filter), radius_(filter.window / 2), half_(filter.patch / 2),
          origin_(job.region.source_origin[0]), width_(job.region.extent[0]),
          channels_(job.source.channels), lines_(static_cast<std::size_t>(2 * filter.reach() + 1)) {
    }

    const double *row(const ExtendedPlane &source, std::int64_t y) {
        const std::int64_t reach = filter_.reach();
        for (std::int64_t j = -reach; j <= reach; ++j)
            source.read_row(y + j, origin_ - reach, width_ + 2 * reach,
                            lines_[static_cast<std::size_t>(j + reach)]);
        sums_.assign(static_cast<std::size_t>(width_ * channels_), 0.0);
        weights_.assign(static_cast<std::size_t>(width_), 0.0);
        for (std::int64_t j = -radius_; j <= radius_; ++j)
            for (std::int64_t i = -radius_; i <= radius_; ++i)
                add(i, j);
        for (std::size_t i = 0; i < sums_.size(); ++i)
            sums_[i] /= weights_[i / static_cast<std::size_t>(channels_)];
        return sums_.data();
    }

private:
    // The pixels that lie (x, y) from the row's first.
    const double *pixels(std::int64_t x, std::int64_t y) const {
        const std::int64_t reach = filter_.reach();
        return lines_[static_cast<std::size_t>(y + reach)].data() + (x + reach) * channels_;
    }

    // Adds the pixels that lie (i, j) from the results.
    void add(std::int64_t i, std::int64_t j) {
        columns_.assign(static_cast<std::size_t>(width_ + 2 * half_), 0.0);
        for (std::int64_t k = -half_; k <= half_; ++k) {
            const double *own = pixels(-half_, k);
            const double *other = pixels(i - half_, j + k);
            for (double &column : columns_)
                for (std::int64_t c = 0; c < channels_; ++c, ++own, ++other)
                    column += (*other - *own) * (*other - *own);
        }
        const auto squares = static_cast<double>(filter_.patch * filter_.patch * channels_);
        const double unit = 1.0 / (squares * filter_.strength * filter_.strength);
        const double *pixel = pixels(i, j);
        for (std::int64_t x = 0; x < width_; ++x, pixel += channels_) {
            double sum = 0.0;
            for (std::int64_t k = 0; k < filter_.patch; ++k)
                sum += columns_[static_cast<std::size_t>(x + k)];
            const double weight = std::exp(-sum * unit);
            weights_[static_cast<std::size_t>(x)] += weight;
            for (std::int64_t c = 0; c < channels_; ++c)
                sums_[static_cast<std::size_t>(x * channels_ + c)] += weight * pixel[c];
        }
    }

    const NonLocalMeans &filter_;
    std::int64_t radius_, half_, origin_, width_, channels_;
    std::vector<std::vector<double>> lines_; // of rows from `reach` above on
    std::vector<double> columns_, sums_, weights_;
};

} // namespace

void compute(const NonLocalMeans &filter, const ReferenceJob &job, ModesAs,
             const RowSink<double> &sink) {
    NonLocalRow rows(filter, job);
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        return rows.row(source, y);
    });
}

} // namespace gz
