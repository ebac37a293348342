// Summed-area tables for CPUs, a band of rows an item. See cl/sat/sat_strips.cl.
#include <algorithm>

#include "families/sat/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int band;
};

constexpr std::int64_t vector_width = 16; // values of a vector

std::int64_t bands_of(const SatPass &pass, int band) {
    return ceil_div(pass.summed_rows(), band);
}

Launch launch(const SatPass &pass, const char *entry, int band, std::int64_t items) {
    Launch result;
    result.program = {"sat/sat_strips.cl", entry, type_defines(pass)};
    result.program.defines["BAND"] = band;
    // Vectors of 64-bit sums need more alignment than buffers around host memory are checked for.
    result.program.defines["ALIGNED"] = pass.alignment >= vector_width &&
                                                pass.first_value() % vector_width == 0 &&
                                                pass.dst_type != PixelType::u64
                                            ? 1
                                            : 0;
    result.range = batched_range(pass, items, 1, 1, 1);
    return result;
}

Work work(const SatPass &pass, const Settings &settings, const DeviceFacts &) {
    const int band = settings.band;
    const std::int64_t bands = bands_of(pass, band);
    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * bands * vector_width *
                                                   ceil_div(pass.summed_values(), vector_width)) *
                        pass.sum_bytes()};
    if (bands > 1) {
        result.launches.push_back(launch(pass, "sat_bands", band, bands - 1));
        result.launches.back().arguments = {SourceBuffer(), WorkspaceBuffer(),
                                            by_value(pass.geometry)};
    }
    result.launches.push_back(launch(pass, "sat_above", band, 1));
    result.launches.back().arguments = {WorkspaceBuffer(), by_value(pass.geometry)};
    result.launches.push_back(launch(pass, "sat_strips", band, bands));
    result.launches.back().arguments = {SourceBuffer(), TargetBuffer(), WorkspaceBuffer(),
                                        by_value(pass.geometry)};
    return result;
}

// High bands need few sums of columns, but each core wants a few of them.
std::vector<Settings> preferred(const SatPass &pass, const DeviceFacts &facts) {
    int band = 256;
    while (band > 16 && bands_of(pass, band) * pass.batch() < 4 * facts.cores())
        band /= 4;
    return {{.band = band}};
}

} // namespace

Kernel sat_strips() {
    KernelSpec<SatPass, Settings> spec;
    spec.name = "sat_strips";
    spec.folder = "sat";
    spec.tunables = {{"BAND", &Settings::band, {16, 64, 256}}};
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const SatPass &pass, const Settings &settings) {
        const std::int64_t bands = bands_of(pass, settings.band);
        return text(bands, bands == 1 ? " band" : " bands", " of up to ", settings.band, " rows");
    };
    spec.rank = [](const SatPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 4, .nothing_shared = 3, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
