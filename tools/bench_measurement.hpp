// One measurement of `gauze bench`, ours or another library's, and its JSON.
#ifndef GAUZE_TOOLS_BENCH_MEASUREMENT_HPP
#define GAUZE_TOOLS_BENCH_MEASUREMENT_HPP

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench_rows.hpp"

namespace gauze::tool {

struct Measurement {
    BenchRow row;
    std::string device, platform;
    std::string type;
    int channels = 1;
    std::vector<std::int64_t> size; // along x, y, and z where there is more than one slice
    std::string variant;
    int launches = 0;
    double time_ms = 0, wall_ms = 0; // medians: on the device, and from the call to its completion
    double copy_ms = std::numeric_limits<double>::quiet_NaN(); // NaN where no copy was measured

    double ratio_to_copy() const { return time_ms / copy_ms; }
    double mpix_per_s() const;
};

// A number that is not finite becomes null.
nlohmann::ordered_json to_json(const Measurement &measurement);

// Throws nlohmann::json::exception where a key is missing or holds something else.
Measurement measurement_from_json(const nlohmann::ordered_json &json);

// An array, a line for each measurement, ending in a newline.
std::string json_text(const std::vector<Measurement> &measurements);

double median(std::vector<double> values);

} // namespace gauze::tool

#endif
