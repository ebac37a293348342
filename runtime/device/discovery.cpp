#include "device/discovery.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>

#include "device/system.hpp"

namespace gz {

namespace {

constexpr const char *what_to_install = "no OpenCL device was found: install the OpenCL driver of "
                                        "your GPU's vendor, or PoCL to use the "
                                        "CPU (Debian and Ubuntu: apt install pocl-opencl-icd)";

// The process whose drivers have been asked; 0: none yet.
std::atomic<std::uint32_t> asking_process{0};

std::string advice_on(const std::vector<std::string> &empty) {
    if (empty.empty())
        return what_to_install;
    std::string names;
    bool is_pocl = false;
    for (const std::string &name : empty) {
        names += (names.empty() ? "" : ", ") + name;
        is_pocl = is_pocl || name.find("Portable Computing Language") != std::string::npos;
    }
    std::string line = "no OpenCL device was found; there are platforms without one: " + names;
    if (is_pocl)
        line += "; PoCL has none where it cannot write its cache, in $HOME/.cache/pocl unless "
                "POCL_CACHE_DIR names another directory";
    return line;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

template <class Matches> int best_of(const std::vector<FoundDevice> &devices, Matches &&matches) {
    int best = -1;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const DeviceFacts &facts = devices[i].facts;
        if (!matches(facts))
            continue;
        if (best < 0 ||
            facts.preference() > devices[static_cast<std::size_t>(best)].facts.preference())
            best = static_cast<int>(i);
    }
    return best;
}

// A platform that fails may fail to say its name too.
std::string name_of(const cl::Platform &platform) {
    try {
        return platform.getInfo<CL_PLATFORM_NAME>();
    } catch (const cl::Error &) {
        return "without a name";
    }
}

void ask(const cl::Platform &platform, Discovery &found) {
    std::vector<cl::Device> devices;
    try {
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error &error) {
        if (error.err() != CL_DEVICE_NOT_FOUND)
            throw;
    }
    if (devices.empty())
        found.empty.push_back(name_of(platform));
    for (const cl::Device &device : devices) {
        try {
            found.devices.push_back({platform, device, facts_of(platform, device)});
        } catch (const cl::Error &error) {
            found.notes.push_back("a device of platform " + name_of(platform) + " is left out: " +
                                  opencl_error(error, "asking for its facts").what());
        }
    }
}

} // namespace

void check_process(std::uint32_t process) {
    if (process != 0 && process != system::process_id())
        fail(Status::unsupported, "Gauze asked for OpenCL devices in process ", process,
             ", and this process was forked after that: OpenCL's threads are not here. Start a "
             "fresh process instead (spawn, or fork and exec), or fork before the first use");
}

Discovery discover() {
    check_process(asking_process);
    Discovery found;
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error &error) {
        if (error.err() != -1001) // the loader's word for "no driver is installed"
            found.notes.push_back(opencl_error(error, "listing the OpenCL platforms").what());
    }
    if (std::uint32_t none = 0; !platforms.empty())
        asking_process.compare_exchange_strong(none, system::process_id());
    for (const cl::Platform &platform : platforms) {
        try {
            ask(platform, found);
        } catch (const cl::Error &error) {
            found.notes.push_back("platform " + name_of(platform) + " is left out: " +
                                  opencl_error(error, "listing its devices").what());
        }
    }
    return found;
}

int Discovery::default_device() const {
    return best_of(devices, [](const DeviceFacts &facts) { return facts.preference() >= 0.0; });
}

int Discovery::select(const std::string &selector) const {
    if (devices.empty())
        fail(Status::no_device, advice());
    const std::string wanted = lower(selector);
    int index = -1;
    const char *end = wanted.data() + wanted.size();
    if (wanted.empty()) {
        index = default_device();
    } else if (const auto number = std::from_chars(wanted.data(), end, index);
               number.ec == std::errc() && number.ptr == end) {
        if (index < 0 || static_cast<std::size_t>(index) >= devices.size())
            fail(Status::no_device, "no OpenCL device has the index ", selector, "; there are ",
                 devices.size(), ", from 0 on");
    } else if (wanted == "gpu" || wanted == "cpu") {
        const bool cpu = wanted == "cpu";
        index = best_of(devices, [&](const DeviceFacts &facts) {
            return facts.preference() >= 0.0 &&
                   (cpu ? facts.is_cpu()
                        : !facts.is_cpu() && facts.device_class != DeviceClass::accelerator);
        });
    } else {
        index = best_of(devices, [&](const DeviceFacts &facts) {
            return lower(facts.name).find(wanted) != std::string::npos ||
                   lower(facts.platform).find(wanted) != std::string::npos;
        });
    }
    if (index < 0) {
        std::string there_are;
        for (const FoundDevice &found : devices)
            there_are += (there_are.empty() ? "" : ", ") + found.facts.name + " (" +
                         found.facts.platform + ")";
        fail(Status::no_device, "no usable OpenCL device is named by '", selector,
             "'; there are: ", there_are);
    }
    return index;
}

std::string Discovery::advice() const {
    std::string lines = devices.empty() ? advice_on(empty) : "";
    for (const std::string &note : notes)
        lines += (lines.empty() ? "" : "\n") + note;
    return lines;
}

} // namespace gz
