// Errors and their sums on CPUs, strip by strip. See cl/ssimulacra2_strips.cl.
#include "kernel/kernels.hpp"

namespace gz {

Ssimulacra2Spec ssimulacra2_strips() {
    Ssimulacra2Spec spec;
    spec.name = "ssimulacra2_strips";
    spec.tunables = {{"STRIP", {64, 128, 256}}, {"BAND", {16, 64, 128}}};
    spec.refusal = [](const Ssimulacra2Pass &, const Config &) { return std::string(); };
    spec.preferred = [](const Ssimulacra2Pass &, const DeviceFacts &) {
        return std::vector<Config>{{{"STRIP", 128}, {"BAND", 64}}};
    };
    spec.work = [](const Ssimulacra2Pass &pass, const Config &config, const DeviceFacts &) {
        const int strip = config.at("STRIP");
        const WorkPieces pieces{strip, config.at("BAND")};
        Launch launch;
        launch.program = {"ssimulacra2_strips.cl", "ssimulacra2_strips", config};
        launch.range.global = {static_cast<std::size_t>(count_of(pass.pyramid, pieces)), 3, 1};
        // Filtered rows of four planes, and two rows of products.
        launch.private_bytes = static_cast<std::size_t>(strip * ((BLOCK + 2 * APRON) * 4 + 2)) * 4;
        return ssimulacra2_work(pass, std::move(launch), pieces, 1);
    };
    spec.details = [](const Ssimulacra2Pass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
