#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/extended_plane.hpp"
#include "families/morphology/morphology.hpp"

namespace gz {

namespace {

// A row of extremes of pixels plus weights.
class WeightedExtremes {
public:
    WeightedExtremes(Extreme extreme, MorphologyStep step, const ReferenceJob &job)
        : extreme_(std::move(extreme)), is_maximum_(step == MorphologyStep::dilation),
          origin_(job.region.source_origin[0]), width_(job.region.extent[0]),
          channels_(job.source.channels) {}

    const double *row(const ExtendedPlane &source, std::int64_t y) {
        const Window &window = extreme_.window;
        result_.clear();
        std::size_t weight = 0;
        std::int64_t place = 0;
        for (std::int64_t z = 0; z < window.size[2]; ++z) {
            const ExtendedPlane slice = source.neighbour(z - window.anchor[2], 0);
            for (std::int64_t j = 0; j < window.size[1]; ++j) {
                slice.read_row(y + j - window.anchor[1], origin_ - window.anchor[0],
                               width_ + window.size[0] - 1, line_);
                for (std::int64_t i = 0; i < window.size[0]; ++i)
                    if (window.has(place++))
                        take(i, static_cast<double>(extreme_.weights[weight++]));
            }
        }
        return result_.data();
    }

private:
    // Takes the pixels of the line from number i on.
    void take(std::int64_t i, double weight) {
        const bool is_first = result_.empty();
        result_.resize(static_cast<std::size_t>(width_ * channels_));
        const double *value = line_.data() + i * channels_;
        for (double &found : result_) {
            const double own = *value++ + weight;
            if (is_first || (is_maximum_ ? is_less(found, own) : is_less(own, found)))
                found = own;
        }
    }

    Extreme extreme_;
    bool is_maximum_;
    std::int64_t origin_, width_, channels_;
    std::vector<double> line_, result_;
};

void run_step(const Morphology &filter, MorphologyStep step, const ReferenceJob &job,
              const RowSink<double> &sink) {
    if (filter.is_flat()) {
        compute(flat_step(filter, step), job, ModesAs::written, sink);
        return;
    }
    WeightedExtremes extremes(extreme_of(filter, step), step, job);
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        return extremes.row(source, y);
    });
}

// An image in the source's type.
struct Stored {
    ImageDesc desc;
    std::vector<std::byte> pixels;
};

Stored stored(const Morphology &filter, MorphologyStep step, const ReferenceJob &job) {
    const ImageDesc desc = packed(job.source, job.region.extent, 1);
    Stored result{desc, std::vector<std::byte>(static_cast<std::size_t>(desc.bytes()))};
    const auto size = static_cast<std::int64_t>(size_of(desc.type));
    run_step(filter, step, job, [&](const RowPlace &at, const double *values) {
        std::byte *row = result.pixels.data() + desc.byte_of({0, at.y, at.z, at.t}, at.plane);
        for (std::int64_t i = 0; i < desc.extent[0] * desc.channels; ++i)
            store_pixel(desc.type, static_cast<float>(values[i]), row + i * size);
    });
    return result;
}

// The sink gets the results of the last step, which are not rounded. Those of the other steps are stored as
// kernels store them.
void run_sequence(const Morphology &filter, const std::vector<MorphologyStep> &steps,
                  ReferenceJob job, const RowSink<double> &sink) {
    Stored between;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        ReferenceJob own = job;
        if (job.region.edge == RegionEdge::neighbours) {
            own.region.source_origin = {0, 0, 0, 0};
            own.region.extent = job.source.extent;
        }
        between = stored(filter, steps[i], own);
        job.source = between.desc;
        job.pixels = between.pixels.data();
        if (job.region.edge == RegionEdge::isolated)
            job.region.source_origin = {0, 0, 0, 0};
    }
    run_step(filter, steps.back(), job, sink);
}

// All results of a sequence in the order of rows, rounded to the source's type.
std::vector<double> results_of(const Morphology &filter, const std::vector<MorphologyStep> &steps,
                               const ReferenceJob &job) {
    const PixelType type = job.source.type;
    const std::int64_t width = job.region.extent[0] * job.source.channels;
    std::vector<double> results;
    run_sequence(filter, steps, job, [&](const RowPlace &, const double *values) {
        for (std::int64_t i = 0; i < width; ++i) {
            std::array<std::byte, sizeof(double)> pixel;
            store_pixel(type, static_cast<float>(values[i]), pixel.data());
            results.push_back(load_pixel(type, pixel.data()));
        }
    });
    return results;
}

double combined(Combination combination, double source, double first, double last) {
    switch (combination) {
    case Combination::source_less_first:
        return source - first;
    case Combination::first_less_source:
        return first - source;
    case Combination::first_less_second:
        return first - last;
    case Combination::laplace:
        return (first - source) - (source - last);
    case Combination::none:
        break;
    }
    fail(Status::internal, "a filter combines nothing");
}

} // namespace

void compute(const Morphology &filter, const ReferenceJob &job, ModesAs,
             const RowSink<double> &sink) {
    const MorphologyParts parts = parts_of(filter);
    if (parts.combination == Combination::none) {
        run_sequence(filter, parts.sequences.front(), job, sink);
        return;
    }
    std::vector<std::vector<double>> results;
    for (const std::vector<MorphologyStep> &steps : parts.sequences)
        results.push_back(results_of(filter, steps, job));
    std::vector<double> row;
    std::size_t at = 0;
    for_each_row<double>(job, sink, [&](const ExtendedPlane &source, std::int64_t, std::int64_t y) {
        source.read_row(y, job.region.source_origin[0], job.region.extent[0], row);
        for (double &value : row) {
            value = combined(parts.combination, value, results.front()[at], results.back()[at]);
            ++at;
        }
        return row.data();
    });
}

} // namespace gz
