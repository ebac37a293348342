#include "bench_measurement.hpp"

#include <algorithm>
#include <cstddef>

namespace gauze::tool {
namespace {

using nlohmann::ordered_json;

std::string line_of(const ordered_json &json) {
    // A driver may return a name that is not UTF-8.
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace

double Measurement::mpix_per_s() const {
    double pixels = 1;
    for (const std::int64_t extent : size)
        pixels *= static_cast<double>(extent);
    return pixels / time_ms * 1e-3;
}

ordered_json to_json(const Measurement &m) {
    ordered_json params = ordered_json::object();
    for (const BenchParam &param : m.row.params)
        std::visit([&](const auto &value) { params[param.name] = value; }, param.value);
    return {{"filter", m.row.filter},
            {"params", params},
            {"device", m.device},
            {"platform", m.platform},
            {"type", m.type},
            {"channels", m.channels},
            {"size", m.size},
            {"variant", m.variant},
            {"launches", m.launches},
            {"time_ms", m.time_ms},
            {"wall_ms", m.wall_ms},
            {"copy_ms", m.copy_ms},
            {"ratio_to_copy", m.ratio_to_copy()},
            {"mpix_per_s", m.mpix_per_s()}};
}

Measurement measurement_from_json(const ordered_json &json) {
    Measurement m;
    const ordered_json &params = json.at("params");
    m.row = make_row(json.at("filter"), params.front().get<int>());
    m.device = json.at("device");
    m.platform = json.at("platform");
    m.type = json.at("type");
    m.channels = json.at("channels");
    m.size = json.at("size").get<std::vector<std::int64_t>>();
    m.variant = json.at("variant");
    m.launches = json.at("launches");
    m.time_ms = json.at("time_ms");
    m.wall_ms = json.at("wall_ms");
    if (!json.at("copy_ms").is_null())
        m.copy_ms = json.at("copy_ms");
    return m;
}

std::string json_text(const std::vector<Measurement> &measurements) {
    std::string text;
    for (const Measurement &measurement : measurements)
        text += (text.empty() ? "\n  " : ",\n  ") + line_of(to_json(measurement));
    return "[" + text + "\n]\n";
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace gauze::tool
