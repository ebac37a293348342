// The choice of a device: among made-up ones, and among those that are there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "device/discovery.hpp"
#include "support/unit.hpp"

using gz::DeviceClass;
using gz::DeviceFacts;
using gz::Discovery;
using gz::FoundDevice;
using gz::Status;
using support::check_refused;
using support::make_facts;

namespace {

DeviceFacts named(DeviceClass device_class, const std::string &name, const std::string &platform) {
    DeviceFacts facts = make_facts(device_class);
    facts.name = name;
    facts.platform = platform;
    return facts;
}

Discovery found(const std::vector<DeviceFacts> &devices) {
    Discovery discovery;
    for (const DeviceFacts &facts : devices)
        discovery.devices.push_back({{}, {}, facts});
    return discovery;
}

// A desktop with everything.
Discovery many() {
    DeviceFacts broken = named(DeviceClass::other_gpu, "Broken GPU", "Clover");
    broken.unusable = "it ends the process";
    broken.compute_units = 500;
    DeviceFacts slow = named(DeviceClass::intel_gpu, "UHD Graphics", "Intel OpenCL HD");
    slow.compute_units = 4;
    return found({named(DeviceClass::mesa_cpu, "llvmpipe", "rusticl"),
                  named(DeviceClass::pocl_cpu, "pthread-CPU", "Portable Computing Language"),
                  broken, slow, named(DeviceClass::nvidia_gpu, "Big H200", "NVIDIA CUDA"),
                  named(DeviceClass::oclgrind, "Simulator", "Oclgrind"),
                  named(DeviceClass::accelerator, "FPGA board", "Boards")});
}

std::string changed_case(std::string text) {
    for (char &c : text) {
        const auto letter = static_cast<unsigned char>(c);
        c = static_cast<char>(std::islower(letter) ? std::toupper(letter) : std::tolower(letter));
    }
    return text;
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("selection") {
    TEST_CASE("the default is the best usable device") {
        CHECK(many().default_device() == 4);
        CHECK(many().select("") == 4);
        Discovery devices = many();
        devices.devices.erase(devices.devices.begin() + 4); // the slow GPU is left
        CHECK(devices.default_device() == 3);
        devices.devices.erase(devices.devices.begin() + 3); // the board
        CHECK(devices.default_device() == 4);
        devices.devices.erase(devices.devices.begin() + 4); // PoCL before Mesa and the simulator
        CHECK(devices.default_device() == 1);
        devices.devices.erase(devices.devices.begin() + 1);
        CHECK(devices.default_device() == 0);
    }

    TEST_CASE("of two alike the faster is the default, of two the same the first") {
        DeviceFacts one = make_facts(DeviceClass::amd_gpu);
        DeviceFacts two = one;
        CHECK(found({one, two}).default_device() == 0);
        two.compute_units *= 2;
        CHECK(found({one, two}).default_device() == 1);
        one.clock_mhz *= 3;
        CHECK(found({one, two}).default_device() == 0);
        one.clock_mhz = 0; // some drivers do not say
        CHECK(found({one, two}).default_device() == 1);
        CHECK(found({one}).default_device() == 0);
    }

    TEST_CASE("by index") {
        const Discovery devices = many();
        for (int i = 0; i < 7; ++i)
            CHECK(devices.select(std::to_string(i)) == i);
        check_refused(Status::no_device, {"7"}, [&] { devices.select("7"); });
        check_refused(Status::no_device, {"-1"}, [&] { devices.select("-1"); });
        check_refused(Status::no_device, {"99999999999999999999"},
                      [&] { devices.select("99999999999999999999"); });
    }

    TEST_CASE("by part of a device's or platform's name, case aside") {
        const Discovery devices = many();
        CHECK(devices.select("H200") == 4);
        CHECK(devices.select("h200") == 4);
        CHECK(devices.select("NVIDIA") == 4);
        CHECK(devices.select("nvidia cuda") == 4);
        CHECK(devices.select("UHD") == 3);
        CHECK(devices.select("portable") == 1);
        CHECK(devices.select("RUSTICL") == 0);
        CHECK(devices.select("LLVMPIPE") == 0);
        // Where several match, the best is taken.
        CHECK(devices.select("i") == 4);
        CHECK(devices.select("hd") == 3);
    }

    TEST_CASE("PoCL 3.0-rc is refused where it would compile for AVX-512") {
        DeviceFacts facts;
        facts.platform = "Portable Computing Language";
        facts.device_class = gz::DeviceClass::pocl_cpu;
        facts.driver = "3.0-rc2";
        facts.architecture = "x86-avx512";
        const std::string reason = gz::reason_to_refuse(facts);
        CHECK(reason.find("AVX-512") != std::string::npos);
        CHECK(reason.find("POCL_EXTRA_BUILD_FLAGS=-mno-avx512f") != std::string::npos);
        facts.architecture = "x86-avx2"; // also with these flags
        CHECK(gz::reason_to_refuse(facts).empty());
        facts.architecture = "x86-avx512";
        for (const char *driver : {"3.0", "3.1", "5.0"}) {
            facts.driver = driver;
            CHECK(gz::reason_to_refuse(facts).empty());
        }
    }

    TEST_CASE("an unusable device is found only by what names it alone") {
        CHECK(many().select("clover") == 2);
        CHECK(many().select("2") == 2);
        CHECK(many().select("GPU") != 2);
        CHECK(found({many().devices[2].facts}).default_device() == -1);
    }

    TEST_CASE("cpu and gpu name kinds") {
        const Discovery devices = many();
        CHECK(devices.select("gpu") == 4);
        CHECK(devices.select("GPU") == 4);
        CHECK(devices.select("cpu") == 1);
        CHECK(devices.select("Cpu") == 1);
        // An accelerator is neither.
        const Discovery board = found({make_facts(DeviceClass::accelerator)});
        check_refused(Status::no_device, {"'gpu'"}, [&] { board.select("gpu"); });
        check_refused(Status::no_device, {"'cpu'"}, [&] { board.select("cpu"); });
    }

    TEST_CASE("a name that nothing has is refused with all that there is") {
        check_refused(Status::no_device,
                      {"'voodoo'", "llvmpipe (rusticl)",
                       "pthread-CPU (Portable Computing Language)", "Broken GPU (Clover)",
                       "UHD Graphics", "Big H200 (NVIDIA CUDA)", "Simulator", "FPGA board"},
                      [] { many().select("voodoo"); });
        const Discovery broken = found({many().devices[2].facts});
        check_refused(Status::no_device, {"Broken GPU"}, [&] { broken.select(""); });
    }

    TEST_CASE("without devices, the text says what to install, and what failed") {
        Discovery none;
        CHECK(none.default_device() == -1);
        for (const char *selector : {"", "0", "gpu", "nvidia"})
            check_refused(Status::no_device, {"install", "PoCL"}, [&] { none.select(selector); });
        none.notes = {"platform A is left out", "platform B is left out"};
        check_refused(Status::no_device,
                      {"install", "platform A is left out", "platform B is left out"},
                      [&] { none.select(""); });
        const std::string advice = none.advice();
        CHECK(std::count(advice.begin(), advice.end(), '\n') == 2); // a line each
    }

    TEST_CASE("drivers without a device are named, and what PoCL lacks then") {
        Discovery none;
        none.empty = {"Some Vendor's OpenCL"};
        check_refused(Status::no_device, {"no OpenCL device", "without one: Some Vendor's"},
                      [&] { none.select(""); });
        CHECK_FALSE(contains(none.advice(), "install the OpenCL driver"));
        CHECK_FALSE(contains(none.advice(), "POCL_CACHE_DIR"));
        none.empty.push_back("Portable Computing Language");
        check_refused(Status::no_device,
                      {"Some Vendor's OpenCL, Portable Computing Language", "POCL_CACHE_DIR"},
                      [&] { none.select("cpu"); });
        CHECK_FALSE(contains(none.advice(), "\n"));
        Discovery devices = many();
        devices.empty = none.empty;
        CHECK(devices.advice() == "");
    }

    TEST_CASE("with devices, the advice is only the notes") {
        Discovery devices = many();
        CHECK(devices.advice() == "");
        devices.notes = {"platform A is left out"};
        CHECK(devices.advice() == "platform A is left out");
    }
}

TEST_SUITE("discovery") {
    TEST_CASE("what the drivers report makes sense") {
        const Discovery devices = gz::discover();
        REQUIRE_MESSAGE(!devices.devices.empty(), devices.advice());
        for (const FoundDevice &device : devices.devices) {
            const DeviceFacts &facts = device.facts;
            CAPTURE(facts.name);
            CHECK_FALSE(facts.name.empty());
            CHECK_FALSE(std::isspace(static_cast<unsigned char>(facts.name.front())));
            CHECK_FALSE(std::isspace(static_cast<unsigned char>(facts.name.back())));
            CHECK(contains(facts.version, "OpenCL "));
            CHECK_FALSE(facts.platform.empty());
            CHECK_FALSE(facts.driver.empty());
            // The least that OpenCL 1.2 allows, table 4.3.
            CHECK(facts.max_parameter_size >= 1024);
            CHECK(facts.max_constant_size >= 64 * 1024);
            CHECK(facts.local_memory >= 32 * 1024);
            CHECK(facts.max_group_size >= 1);
            CHECK(facts.compute_units >= 1);
            CHECK(facts.max_allocation > 0);
            CHECK(facts.max_allocation <= facts.global_memory);
            CHECK(facts.base_alignment > 0);
            CHECK(facts.usable_local_memory() <= facts.local_memory);
            CHECK((facts.preference() < 0.0) == !facts.unusable.empty());
            if (facts.platform == "Portable Computing Language" &&
                (facts.type & CL_DEVICE_TYPE_CPU))
                CHECK(facts.device_class == DeviceClass::pocl_cpu);
            if (facts.platform == "Intel(R) OpenCL" && (facts.type & CL_DEVICE_TYPE_CPU))
                CHECK(facts.device_class == DeviceClass::intel_cpu);
            // The architecture is that which PoCL compiles for, not the CPU's own.
            if (contains(facts.name, "pthread-haswell-"))
                CHECK(facts.architecture == "x86-avx2");
            CHECK(facts.cores() >= 1);
            CHECK(facts.cores() * facts.units_of_core <= facts.compute_units);
            if (facts.device_class != DeviceClass::intel_gpu)
                CHECK(facts.cores() == facts.compute_units);
            if (facts.name == "Intel(R) Arc(TM) A770 Graphics")
                CHECK(facts.cores() == 32);
            if (facts.name == "Intel(R) Gen9 HD Graphics NEO" && facts.compute_units == 24)
                CHECK(facts.cores() == 3);
            // The device layer says so.
            constexpr std::pair<const char *, bool> drivers[] = {{"22.43.24595", true},
                                                                 {"24.34.1", true},
                                                                 {"24.35.30872.45", false},
                                                                 {"26.27.39122.14", false},
                                                                 {"31.0.101.4146", true}};
            for (const auto &[driver, copies] : drivers)
                if (facts.device_class == DeviceClass::intel_gpu && facts.driver == driver)
                    CHECK(facts.copies_arguments == copies);
        }
    }

    TEST_CASE("cards come before GPUs that share the host's memory, whatever they count as units") {
        const auto gpu = [](DeviceClass device_class, std::uint32_t units, std::uint32_t clock_mhz,
                            bool shares_host_memory) {
            DeviceFacts facts;
            facts.device_class = device_class;
            facts.type = CL_DEVICE_TYPE_GPU;
            facts.compute_units = units;
            facts.clock_mhz = clock_mhz;
            facts.shares_host_memory = shares_host_memory;
            return facts.preference();
        };
        const double rtx_3050_ti = gpu(DeviceClass::nvidia_gpu, 20, 1485, false);
        const double iris_xe = gpu(DeviceClass::intel_gpu, 96, 1300, true);
        const double arc_a770 = gpu(DeviceClass::intel_gpu, 512, 2400, false);
        const double vega_8 = gpu(DeviceClass::amd_gpu, 8, 2000, true);
        const double rx_6800 = gpu(DeviceClass::amd_gpu, 30, 2200, false);
        CHECK(rtx_3050_ti > iris_xe);
        CHECK(rx_6800 > vega_8);
        CHECK(rx_6800 > rtx_3050_ti);
        CHECK(arc_a770 > rtx_3050_ti);
        DeviceFacts cpu;
        cpu.device_class = DeviceClass::pocl_cpu;
        cpu.compute_units = 256;
        cpu.clock_mhz = 5000;
        CHECK(vega_8 > cpu.preference());
    }

    TEST_CASE("a device has cores of several units, and one at least") {
        DeviceFacts facts;
        facts.compute_units = 96;
        CHECK(facts.cores() == 96);
        facts.units_of_core = 16;
        CHECK(facts.cores() == 6);
        facts.compute_units = 7;
        CHECK(facts.cores() == 1);
    }

    TEST_CASE("arrays are passed by value where the device takes them, and its compiler does not "
              "copy them") {
        DeviceFacts facts;
        facts.max_parameter_size = 1024;
        CHECK(facts.takes_by_value(15 * 4));
        CHECK_FALSE(facts.takes_by_value(15 * 15 * 4));
        facts.max_parameter_size = 4352;
        CHECK(facts.takes_by_value(15 * 15 * 4));
        facts.copies_arguments = true;
        CHECK_FALSE(facts.takes_by_value(4));
        facts.copies_arguments = false;
        facts.misreads_arguments = true;
        CHECK_FALSE(facts.takes_by_value(4));
    }

    TEST_CASE("the default device is usable, and the best") {
        const Discovery devices = gz::discover();
        const int chosen = devices.default_device();
        REQUIRE(chosen >= 0);
        const DeviceFacts &facts = devices.devices[static_cast<std::size_t>(chosen)].facts;
        CHECK(facts.unusable.empty());
        for (const FoundDevice &device : devices.devices)
            CHECK(device.facts.preference() <= facts.preference());
        CHECK(devices.select("") == chosen);
    }

    TEST_CASE("every device is selected by its index and its name") {
        const Discovery devices = gz::discover();
        for (std::size_t i = 0; i < devices.devices.size(); ++i) {
            CHECK(devices.select(std::to_string(i)) == static_cast<int>(i));
            const std::string &name = devices.devices[i].facts.name;
            const std::string part = name.substr(0, std::max<std::size_t>(4, name.size() / 2));
            CAPTURE(part);
            for (const std::string &selector : {name, part, changed_case(part)}) {
                const auto selected = static_cast<std::size_t>(devices.select(selector));
                const DeviceFacts &facts = devices.devices[selected].facts;
                CHECK((contains(facts.name, part) || contains(facts.platform, part)));
            }
        }
    }

    TEST_CASE("cpu names a CPU where there is one") {
        const Discovery devices = gz::discover();
        const bool has_cpu =
            std::any_of(devices.devices.begin(), devices.devices.end(), [](const auto &device) {
                return device.facts.is_cpu() && device.facts.unusable.empty();
            });
        if (has_cpu)
            CHECK(devices.devices[static_cast<std::size_t>(devices.select("cpu"))].facts.is_cpu());
        else
            check_refused(Status::no_device, {"'cpu'"}, [&] { devices.select("cpu"); });
    }

    TEST_CASE("an unknown name is refused with every device that there is") {
        const Discovery devices = gz::discover();
        for (const FoundDevice &device : devices.devices)
            check_refused(Status::no_device, {"no such device", device.facts.name},
                          [&] { devices.select("no such device"); });
    }

    TEST_CASE("every class has a name of its own") {
        std::vector<std::string> names;
        for (const DeviceClass device_class : support::all_device_classes)
            names.push_back(gz::name_of(device_class));
        std::sort(names.begin(), names.end());
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
        CHECK(std::find(names.begin(), names.end(), "unknown") == names.end());
    }
}
