#include "bench_peers.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <system_error>

#include "arguments.hpp"
#include "subprocess.hpp"
#include "system.hpp"

namespace gauze::tool {
namespace fs = std::filesystem;

namespace {

constexpr std::array peer_names{"gauze_bench_opencv"};

std::string size_text(const std::vector<std::int64_t> &size) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : size)
        extents.push_back(std::to_string(extent));
    return joined(extents, "x");
}

// Returns the arguments that peers/bench_opencv.cpp takes, and every other program in peer_names.
std::vector<std::string> arguments_for(const Measurement &own, const DeviceInfo &device,
                                       unsigned repeats) {
    char copy_ms[32];
    std::snprintf(copy_ms, sizeof copy_ms, "%.9g", own.copy_ms);
    std::vector<std::string> arguments{own.row.filter, std::to_string(own.row.value()),
                                       "--size",       size_text(own.size),
                                       "--type",       own.type,
                                       "--channels",   std::to_string(own.channels),
                                       "--repeat",     std::to_string(repeats),
                                       "--copy-ms",    copy_ms};
    if (device.kind == GAUZE_DEVICE_CPU)
        arguments.insert(arguments.end(), {"--threads", std::to_string(device.compute_units)});
    else
        arguments.insert(arguments.end(),
                         {"--opencl-platform", device.platform, "--opencl-device", device.name});
    return arguments;
}

std::string first_line(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

} // namespace

std::vector<fs::path> find_peers() {
    std::vector<fs::path> found;
    std::error_code error;
    fs::path beside;
    try {
        beside = program_file().parent_path();
    } catch (const std::system_error &) {
        return found;
    }
    for (const char *name : peer_names)
        for (const fs::path &directory : {beside, beside.parent_path() / "libexec" / "gauze"})
            if (fs::exists(directory / name, error)) {
                found.push_back(directory / name);
                break;
            }
    return found;
}

PeerOutcome measure_peers(const std::vector<fs::path> &programs, const Measurement &own,
                          const DeviceInfo &device, unsigned repeats) {
    PeerOutcome result;
    if (!own.row.is_plain())
        return result;
    for (const fs::path &program : programs) {
        const std::string name = program.filename().string();
        try {
            const ProcessOutcome outcome =
                run_program(program, arguments_for(own, device, repeats));
            if (outcome.code == 0)
                result.measurements.push_back(
                    measurement_from_json(nlohmann::ordered_json::parse(outcome.out)));
            else
                result.refusals.push_back(outcome.code < 0 ? name + ": ended by a signal"
                                                           : first_line(outcome.err));
        } catch (const std::exception &error) {
            result.refusals.push_back(name + ": " + first_line(error.what()));
        }
    }
    return result;
}

} // namespace gauze::tool
