// `gauze devices`: what the library can run on.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gauze/gauze.hpp>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "command.hpp"

namespace gauze::tool {
namespace {

std::string kind_name(gauze_device_kind kind) {
    switch (kind) {
    case GAUZE_DEVICE_GPU:
        return "gpu";
    case GAUZE_DEVICE_CPU:
        return "cpu";
    default:
        return "accelerator";
    }
}

nlohmann::ordered_json to_json(const DeviceInfo &device) {
    nlohmann::ordered_json json;
    json["index"] = device.index;
    json["name"] = device.name;
    json["vendor"] = device.vendor;
    json["platform"] = device.platform;
    json["kind"] = kind_name(device.kind);
    json["version"] = device.version;
    json["driver"] = device.driver;
    json["class"] = device.device_class;
    json["architecture"] = device.architecture;
    json["tuning"] = device.tuning;
    json["default"] = device.is_default;
    json["unusable"] = nullptr;
    if (!device.unusable.empty())
        json["unusable"] = device.unusable;
    json["global_memory"] = device.global_memory;
    json["max_allocation"] = device.max_allocation;
    json["local_memory"] = device.local_memory;
    json["compute_units"] = device.compute_units;
    json["clock_mhz"] = device.clock_mhz;
    json["max_group_size"] = device.max_group_size;
    json["f64"] = device.has_f64;
    return json;
}

void print_json(const std::vector<DeviceInfo> &devices) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const DeviceInfo &device : devices)
        array.push_back(to_json(device));
    // A driver may return a name that is not UTF-8.
    std::cout << array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
}

std::string memory_text(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB",
                  static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
    return text;
}

void print_table(const std::vector<DeviceInfo> &devices) {
    std::vector<std::vector<std::string>> rows{
        {"", "name", "kind", "platform", "class", "memory", "units", ""}};
    for (const DeviceInfo &device : devices)
        rows.push_back({(device.is_default ? "* " : "  ") + std::to_string(device.index),
                        device.name, kind_name(device.kind), device.platform, device.device_class,
                        memory_text(device.global_memory), std::to_string(device.compute_units),
                        device.unusable.empty() ? "" : "unusable: " + device.unusable});
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto &row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    for (auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i].resize(widths[i], ' ');
            line += (i == 0 ? "" : "  ") + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        std::cout << line << '\n';
    }
    for (const DeviceInfo &device : devices)
        if (device.unusable.empty())
            std::cout << "kernels on " << device.index << ": " << device.tuning << '\n';
    std::cout << "* is what is used where no device is named\n";
}

ExitCode list_devices(Format format) {
    const DeviceList list = devices();
    std::vector<std::string> notes;
    for (const std::string_view note : split(list.notes, '\n'))
        if (!note.empty())
            notes.emplace_back(note);

    if (format == Format::json)
        print_json(list.devices);
    if (list.devices.empty())
        throw Error(GAUZE_ERROR_NO_DEVICE,
                    notes.empty() ? "there is no OpenCL device" : joined(notes, "; "));
    if (format == Format::table)
        print_table(list.devices);
    for (const std::string &note : notes)
        std::cerr << "note: " << note << '\n';
    return ExitCode::success;
}

} // namespace

void add_devices_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const command = app.add_subcommand("devices", "List the OpenCL devices");
    const auto as_json = std::make_shared<bool>(false);
    command->add_flag("--json", *as_json, "Print an array of JSON objects");
    command->callback([as_json, &invocation] {
        const Format format = *as_json ? Format::json : Format::table;
        invocation.run = [format] { return list_devices(format); };
    });
}

} // namespace gauze::tool
