#include <cmath>
#include <cstddef>
#include <vector>

#include "families/edge/edge.hpp"
#include "families/extended_plane.hpp"

namespace gz {

namespace {

// A row of weighted means, in double.
class BilateralRow {
public:
    BilateralRow(const Bilateral &filter, const ReferenceJob &job)
        : filter_(filter), origin_(job.region.source_origin[0]), width_(job.region.extent[0]),
          channels_(job.source.channels) {}

    const double *row(const ExtendedPlane &source, std::int64_t y) {
        const auto &radius = filter_.radius;
        source.read_row(y, origin_, width_, middle_);
        sums_.assign(middle_.size(), 0.0);
        weights_.assign(static_cast<std::size_t>(width_), 0.0);
        for (std::int64_t z = -radius[2]; z <= radius[2]; ++z) {
            const ExtendedPlane slice = source.neighbour(z, 0);
            for (std::int64_t j = -radius[1]; j <= radius[1]; ++j) {
                slice.read_row(y + j, origin_ - radius[0], width_ + 2 * radius[0], line_);
                for (std::int64_t i = -radius[0]; i <= radius[0]; ++i)
                    add(i, static_cast<double>(i * i + j * j + z * z));
            }
        }
        for (std::size_t i = 0; i < middle_.size(); ++i)
            middle_[i] += sums_[i] / weights_[i / static_cast<std::size_t>(channels_)];
        return middle_.data();
    }

private:
    // Adds the pixels of the line that lie `shift` from the results. square: of the distance.
    void add(std::int64_t shift, double square) {
        const double *pixel = line_.data() + (shift + filter_.radius[0]) * channels_;
        for (std::int64_t x = 0; x < width_; ++x, pixel += channels_) {
            const double *own = middle_.data() + x * channels_;
            double range = 0.0;
            for (std::int64_t c = 0; c < channels_; ++c)
                range += (pixel[c] - own[c]) * (pixel[c] - own[c]);
            const double weight =
                std::exp(-square / (2.0 * filter_.sigma_space * filter_.sigma_space) -
                         range / (2.0 * filter_.sigma_range * filter_.sigma_range));
            weights_[static_cast<std::size_t>(x)] += weight;
            for (std::int64_t c = 0; c < channels_; ++c)
                sums_[static_cast<std::size_t>(x * channels_ + c)] += weight * (pixel[c] - own[c]);
        }
    }

    const Bilateral &filter_;
    std::int64_t origin_, width_, channels_;
    std::vector<double> middle_, line_, sums_, weights_;
};

} // namespace

void compute(const Bilateral &filter, const ReferenceJob &job, ModesAs,
             const RowSink<double> &sink) {
    BilateralRow rows(filter, job);
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        return rows.row(source, y);
    });
}

} // namespace gz
