#include <algorithm>
#include <cmath>
#include <vector>

#include "families/extended_plane.hpp"
#include "families/rank/rank.hpp"

namespace gz {

bool is_less(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
        return !std::isnan(a);
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

namespace {

// The least or largest values of rows: along an axis, a box's minimum is the minimum of minima.
using Rows = std::vector<double>;

// Replaces each value of a line by the extreme of the `size` values from it on; the last ones are left out.
void extremes_along(const double *line, std::int64_t count, std::int64_t step, std::int64_t size,
                    bool is_maximum, double *to) {
    std::vector<std::int64_t> best; // places of candidates, the best one first
    std::size_t first = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto is_better = [&](double a, double b) {
            return is_maximum ? is_less(b, a) : is_less(a, b);
        };
        while (best.size() > first && !is_better(line[best.back() * step], line[i * step]))
            best.pop_back();
        best.push_back(i);
        if (best[first] <= i - size)
            ++first;
        if (i >= size - 1)
            to[(i - size + 1) * step] = line[best[first] * step];
    }
}

// A row of extremes of boxes: `size` rows of each of as many slices, extremes across them and then along x.
class BoxExtremes {
public:
    BoxExtremes(const RankFilter &filter, std::int64_t width, std::int64_t channels)
        : window_(filter.window), is_maximum_(!filter.is_minimum()), width_(width),
          channels_(channels) {}

    const double *row(const ExtendedPlane &source, std::int64_t y, std::int64_t x) {
        const std::int64_t read = width_ + window_.size[0] - 1;
        across_.clear();
        for (std::int64_t z = 0; z < window_.size[2]; ++z) {
            const ExtendedPlane slice = source.neighbour(z - window_.anchor[2], 0);
            for (std::int64_t j = 0; j < window_.size[1]; ++j) {
                slice.read_row(y + j - window_.anchor[1], x - window_.anchor[0], read, line_);
                if (across_.empty())
                    across_ = line_;
                for (std::size_t i = 0; i < line_.size(); ++i)
                    if (is_maximum_ ? is_less(across_[i], line_[i]) : is_less(line_[i], across_[i]))
                        across_[i] = line_[i];
            }
        }
        result_.resize(across_.size());
        for (std::int64_t c = 0; c < channels_; ++c)
            extremes_along(&across_[static_cast<std::size_t>(c)], read, channels_, window_.size[0],
                           is_maximum_, &result_[static_cast<std::size_t>(c)]);
        return result_.data();
    }

private:
    const Window &window_;
    bool is_maximum_;
    std::int64_t width_, channels_;
    Rows across_, line_, result_;
};

// A row of ranks: all pixels of each window, of which one is selected.
class Selection {
public:
    Selection(const RankFilter &filter, std::int64_t width, std::int64_t channels)
        : filter_(filter), width_(width), channels_(channels) {
        const Window &window = filter.window;
        for (std::int64_t i = 0; i < window.volume(); ++i)
            if (window.has(i))
                places_.push_back(
                    {static_cast<std::size_t>(i / window.size[0]), i % window.size[0] * channels});
    }

    const double *row(const ExtendedPlane &source, std::int64_t y, std::int64_t x) {
        const Window &window = filter_.window;
        const std::int64_t read = width_ + window.size[0] - 1;
        rows_.clear();
        for (std::int64_t z = 0; z < window.size[2]; ++z) {
            const ExtendedPlane slice = source.neighbour(z - window.anchor[2], 0);
            for (std::int64_t j = 0; j < window.size[1]; ++j)
                slice.read_row(y + j - window.anchor[1], x - window.anchor[0], read,
                               rows_.emplace_back());
        }
        result_.resize(static_cast<std::size_t>(width_ * channels_));
        for (std::int64_t i = 0; i < width_ * channels_; ++i) {
            pixels_.clear();
            for (const Place &place : places_)
                pixels_.push_back(rows_[place.row][static_cast<std::size_t>(i + place.value)]);
            result_[static_cast<std::size_t>(i)] = *selected();
        }
        return result_.data();
    }

private:
    Rows::iterator selected() {
        if (filter_.is_minimum())
            return std::min_element(pixels_.begin(), pixels_.end(), is_less);
        if (filter_.is_maximum())
            return std::max_element(pixels_.begin(), pixels_.end(), is_less);
        const auto wanted = pixels_.begin() + static_cast<std::ptrdiff_t>(filter_.rank);
        std::nth_element(pixels_.begin(), wanted, pixels_.end(), is_less);
        return wanted;
    }

    // A pixel of the window: its row among all of the window, and its first value in that row.
    struct Place {
        std::size_t row;
        std::int64_t value;
    };

    const RankFilter &filter_;
    std::int64_t width_, channels_;
    std::vector<Place> places_;
    std::vector<Rows> rows_;
    Rows pixels_, result_;
};

template <class Method>
void compute_by(Method method, const ReferenceJob &job, const RowSink<double> &sink) {
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        return method.row(source, y, job.region.source_origin[0]);
    });
}

} // namespace

void compute(const RankFilter &filter, const ReferenceJob &job, ModesAs,
             const RowSink<double> &sink) {
    const std::int64_t width = job.region.extent[0];
    const std::int64_t channels = job.source.channels;
    if (filter.window.is_box() && (filter.is_minimum() || filter.is_maximum()))
        compute_by(BoxExtremes(filter, width, channels), job, sink);
    else
        compute_by(Selection(filter, width, channels), job, sink);
}

} // namespace gz
