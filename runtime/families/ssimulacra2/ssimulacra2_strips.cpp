// Errors and their sums on CPUs, strip by strip. See cl/ssimulacra2/ssimulacra2_strips.cl.
#include "families/ssimulacra2/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

const std::vector<Setting<Settings>> tunables = {{"STRIP", &Settings::strip, {64, 128, 256}},
                                                 {"BAND", &Settings::band, {16, 64, 128}}};

} // namespace

Kernel ssimulacra2_strips() {
    KernelSpec<Ssimulacra2Pass, Settings> spec;
    spec.name = "ssimulacra2_strips";
    spec.folder = "ssimulacra2";
    spec.tunables = tunables;
    spec.preferred = [](const Ssimulacra2Pass &, const DeviceFacts &) {
        return std::vector<Settings>{{.strip = 128, .band = 64}};
    };
    spec.work = [](const Ssimulacra2Pass &pass, const Settings &settings, const DeviceFacts &) {
        const int strip = settings.strip;
        const WorkPieces pieces{strip, settings.band};
        Launch launch;
        launch.program = {"ssimulacra2/ssimulacra2_strips.cl", "ssimulacra2_strips", {}};
        add_defines(launch.program.defines, tunables, settings);
        launch.range.global = {static_cast<std::size_t>(count_of(pass.pyramid, pieces)), 3, 1};
        // Filtered rows of four planes, and two rows of products.
        launch.private_bytes = static_cast<std::size_t>(strip * ((BLOCK + 2 * APRON) * 4 + 2)) * 4;
        return ssimulacra2_work(pass, std::move(launch), pieces, 1);
    };
    spec.rank = [](const Ssimulacra2Pass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 1, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
