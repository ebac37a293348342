// Other libraries, measured beside ours. Each is measured by a program of its own, so that the
// command depends on none of them; a program that was not built or installed is not run.
#ifndef GAUZE_TOOLS_BENCH_PEERS_HPP
#define GAUZE_TOOLS_BENCH_PEERS_HPP

#include <filesystem>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "bench_measurement.hpp"

namespace gauze::tool {

// Returns the installed programs: beside the command, or in ../libexec/gauze.
std::vector<std::filesystem::path> find_peers();

struct PeerOutcome {
    std::vector<Measurement> measurements;
    std::vector<std::string> refusals; // one line for each program that did not measure, and why
};

// Measures the row of `own`, if a number makes it, on the same device, type and size as it was.
PeerOutcome measure_peers(const std::vector<std::filesystem::path> &programs,
                          const Measurement &own, const gauze::DeviceInfo &device,
                          unsigned repeats);

} // namespace gauze::tool

#endif
