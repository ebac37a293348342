#include "families/host_volume.hpp"
#include "families/sat/sat.hpp"

namespace gz {

namespace {

void add_up(HostVolume &volume) {
    const LineFilter sum = [](Line &line) {
        for (std::size_t i = 1; i < line.size(); ++i)
            line[i] += line[i - 1];
    };
    volume.filter(0, sum, 0);
    volume.filter(1, sum, 1);
}

} // namespace

void compute(const Sat &, const ReferenceJob &job, ModesAs, const RowSink<double> &sink) {
    HostVolume volume(job, false);
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < job.region.extent[3]; ++t) {
            volume.read(t, plane);
            add_up(volume);
            volume.write(t, plane, sink);
        }
}

void compute_sums(const ReferenceJob &job, const SumSink &sink) {
    HostVolume sums(job, false);
    HostVolume magnitudes(job, false);
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < job.region.extent[3]; ++t) {
            sums.read(t, plane);
            magnitudes.read(t, plane);
            magnitudes.take_magnitudes();
            add_up(sums);
            add_up(magnitudes);
            sums.for_each_row(t, plane, [&](const RowPlace &at) {
                sink(at, sums.row_at(at), magnitudes.row_at(at));
            });
        }
}

} // namespace gz
