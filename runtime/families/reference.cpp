#include "families/reference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "families/extended_plane.hpp"
#include "families/filter.hpp"

namespace gz {

namespace {

void compute(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink) {
    job.filter.check_border(job.border);
    job.filter.compute(job, modes, sink);
}

} // namespace

void compute_in_double(const ReferenceJob &job, const RowSink<double> &sink) {
    compute(job, ModesAs::approximated, sink);
}

void compute_as_written(const ReferenceJob &job, const RowSink<double> &sink) {
    compute(job, ModesAs::written, sink);
}

void compute_in_f32(const ReferenceJob &job, const RowSink<float> &sink) {
    // An automatic Gaussian has the order that its taps have.
    const Filter settled = without_device(job.filter);
    const Correlate *const filter = settled.get_if<Correlate>();
    if (!filter)
        fail(Status::internal, "a filter that is ", to_text(job.filter), " has no canonical order");
    compute_in_f32(*filter, job, sink);
}

double largest_magnitude(const ReferenceJob &job) {
    double largest = job.border.mode == BorderMode::constant ? std::abs(job.border.value) : 0.0;
    for (const MoreSource &more : job.more_sources)
        largest = std::max(largest, largest_magnitude({job.filter, more.desc, job.border,
                                                       job.region, more.pixels}));
    ReferenceJob whole = job;
    const AxesReach reach = job.filter.reach();
    if (job.region.edge == RegionEdge::neighbours) {
        for (std::size_t i = 0; i < 4; ++i)
            if (i < 2 || !reach[i].is_own_pixel()) {
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
