// What is derived from the descriptions of kernels: configurations, limits and launches.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "kernel/copy.hpp"
#include "kernel/correlate_kernels.hpp"
#include "support/unit.hpp"

using gz::Config;
using gz::CorrelatePass;
using gz::CorrelateSpec;
using gz::DeviceClass;
using gz::DeviceFacts;
using gz::Launch;
using gz::misfit;
using gz::PixelType;
using support::make_facts;
using support::make_pass;
using support::make_taps;
using support::Rank;

namespace {

bool says(const std::string &reason, std::initializer_list<std::string> parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const std::string &part) {
        return reason.find(part) != std::string::npos;
    });
}

Launch launch_of_groups(std::size_t x, std::size_t y, std::size_t z) {
    Launch launch;
    launch.range.local = {x, y, z};
    launch.range.global = launch.range.local;
    return launch;
}

Launch launch_with(const gz::Argument &argument) {
    Launch launch;
    launch.arguments = {argument};
    return launch;
}

gz::ByValue value_of(std::size_t bytes) {
    return {std::vector<std::byte>(bytes)};
}
gz::ConstantData constant_of(std::size_t bytes) {
    return {std::vector<std::byte>(bytes)};
}

// Passes of few and many taps, of awkward and large images.
std::vector<CorrelatePass> all_passes() {
    std::vector<CorrelatePass> passes;
    for (const Rank rank : {Rank::one, Rank::full})
        for (const std::int64_t size : {3, 8, 15, 63})
            for (const gz::Axes &extent :
                 {gz::Axes{1, 1, 1, 1}, gz::Axes{131, 77, 3, 2}, gz::Axes{5000, 3000, 1, 1}})
                passes.push_back(make_pass(PixelType::u8, extent, 3, make_taps(size, size, rank)));
    return passes;
}

// Bytes of the launch's constant data.
std::size_t constant_bytes(const Launch &launch) {
    std::size_t bytes = 0;
    for (const gz::Argument &argument : launch.arguments)
        if (const auto *data = std::get_if<gz::ConstantData>(&argument))
            bytes += data->bytes.size();
    return bytes;
}

// All that tells launches of one kernel apart: macros, range and plain arguments.
std::string fingerprint(const Launch &launch) {
    std::string result = launch.program.options();
    for (std::size_t i = 0; i < 3; ++i)
        result += gz::text(' ', launch.range.global[i], '/', launch.range.local[i]);
    for (const gz::Argument &argument : launch.arguments)
        if (const auto *value = std::get_if<gz::ByValue>(&argument))
            for (const std::byte byte : value->bytes)
                result += static_cast<char>(byte);
    return result;
}

} // namespace

TEST_SUITE("kernel_spec") {
    TEST_CASE("a configuration as text") {
        CHECK(gz::to_text(Config{}) == "");
        CHECK(gz::to_text(Config{{"GROUP_X", 8}}) == "GROUP_X=8");
        CHECK(gz::to_text(Config{{"GROUP_Y", 4}, {"BAND", -1}}) == "BAND=-1,GROUP_Y=4");
    }

    TEST_CASE("all configurations are the product of the tunables' values") {
        CHECK(gz::all_configs({}) == std::vector<Config>{{}});
        CHECK(gz::all_configs({{"A", {7}}}) == std::vector<Config>{{{"A", 7}}});
        CHECK(gz::all_configs({{"A", {1, 2}}, {"B", {3, 4, 5}}}) ==
              std::vector<Config>{{{"A", 1}, {"B", 3}},
                                  {{"A", 1}, {"B", 4}},
                                  {{"A", 1}, {"B", 5}},
                                  {{"A", 2}, {"B", 3}},
                                  {{"A", 2}, {"B", 4}},
                                  {{"A", 2}, {"B", 5}}});
        CHECK(gz::all_configs({{"A", {1, 2}}, {"B", {}}}).empty());
        for (const CorrelateSpec &spec : gz::correlate_kernels()) {
            std::size_t count = 1;
            for (const gz::Tunable &tunable : spec.tunables)
                count *= tunable.values.size();
            const std::vector<Config> configs = gz::all_configs(spec.tunables);
            CHECK(std::set<Config>(configs.begin(), configs.end()).size() == count);
        }
    }
}

TEST_SUITE("misfit") {
    TEST_CASE("the size of a group along each axis") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_item_sizes[0] = 64;
        facts.max_item_sizes[1] = 32;
        facts.max_item_sizes[2] = 2;
        CHECK(misfit(launch_of_groups(64, 1, 1), facts) == "");
        CHECK(says(misfit(launch_of_groups(65, 1, 1), facts), {"65", "axis 0", "64"}));
        CHECK(misfit(launch_of_groups(1, 32, 1), facts) == "");
        CHECK(says(misfit(launch_of_groups(1, 33, 1), facts), {"33", "axis 1", "32"}));
        CHECK(misfit(launch_of_groups(1, 1, 2), facts) == "");
        CHECK(says(misfit(launch_of_groups(1, 1, 3), facts), {"3", "axis 2", "2"}));
    }

    TEST_CASE("the items of a group") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 256;
        CHECK(misfit(launch_of_groups(32, 8, 1), facts) == "");
        CHECK(says(misfit(launch_of_groups(32, 9, 1), facts), {"288", "256"}));
        CHECK(says(misfit(launch_of_groups(16, 8, 4), facts), {"512", "256"}));
    }

    TEST_CASE("local memory, all of a launch's together") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.local_memory = 1000;
        Launch launch = launch_with(gz::LocalMemory{600});
        launch.arguments.emplace_back(gz::LocalMemory{400});
        CHECK(misfit(launch, facts) == "");
        launch.arguments.emplace_back(gz::LocalMemory{1});
        CHECK(says(misfit(launch, facts), {"1001", "local memory", "1000"}));
    }

    TEST_CASE("NVIDIA keeps some of its local memory") {
        const std::size_t all = 48 * 1024;
        CHECK(misfit(launch_with(gz::LocalMemory{all}), make_facts(DeviceClass::amd_gpu)) == "");
        const DeviceFacts nvidia = make_facts(DeviceClass::nvidia_gpu);
        CHECK(misfit(launch_with(gz::LocalMemory{all - 1024}), nvidia) == "");
        CHECK(says(misfit(launch_with(gz::LocalMemory{all - 1023}), nvidia), {"local memory"}));
    }

    TEST_CASE("arguments by value and pointers alike") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_parameter_size = 1024;
        Launch launch;
        launch.arguments = {gz::SourceBuffer(), gz::TargetBuffer(), gz::LocalMemory{16},
                            constant_of(5), value_of(1024 - 4 * sizeof(void *))};
        CHECK(misfit(launch, facts) == "");
        launch.arguments.back() = value_of(1025 - 4 * sizeof(void *));
        CHECK(says(misfit(launch, facts), {"1025", "arguments", "1024"}));
    }

    TEST_CASE("constants, each by itself") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_constant_size = 500;
        CHECK(misfit(launch_with(constant_of(500)), facts) == "");
        CHECK(says(misfit(launch_with(constant_of(501)), facts), {"501", "constants", "500"}));
    }

    TEST_CASE("private memory") {
        Launch launch;
        launch.private_bytes = make_facts(DeviceClass::pocl_cpu).usable_private_memory();
        CHECK(misfit(launch, make_facts(DeviceClass::pocl_cpu)) == "");
        ++launch.private_bytes;
        CHECK(says(misfit(launch, make_facts(DeviceClass::pocl_cpu)),
                   {std::to_string(launch.private_bytes), "private memory"}));
        // Mesa's compiler takes less than others.
        launch.private_bytes = make_facts(DeviceClass::mesa_cpu).usable_private_memory() + 1;
        CHECK(says(misfit(launch, make_facts(DeviceClass::mesa_cpu)), {"private memory"}));
        CHECK(misfit(launch, make_facts(DeviceClass::pocl_cpu)) == "");
    }
}

TEST_SUITE("correlation kernels") {
    TEST_CASE("what is preferred on a device takes its values from the tunables") {
        for (const CorrelateSpec &spec : gz::correlate_kernels())
            for (const CorrelatePass &pass : all_passes())
                for (const DeviceClass device_class : support::all_device_classes) {
                    CAPTURE(spec.name);
                    CAPTURE(gz::name_of(device_class));
                    const std::vector<Config> all = gz::all_configs(spec.tunables);
                    const std::vector<Config> preferred =
                        spec.preferred(pass, make_facts(device_class));
                    CHECK_FALSE(preferred.empty());
                    for (const Config &config : preferred)
                        CHECK(std::count(all.begin(), all.end(), config) == 1);
                }
    }

    TEST_CASE("launches are built for their configuration and cover every slice") {
        const DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        for (const CorrelateSpec &spec : gz::correlate_kernels())
            for (const CorrelatePass &pass : all_passes())
                for (const Config &config : gz::all_configs(spec.tunables)) {
                    if (!spec.refusal(pass, config).empty())
                        continue;
                    const Launch launch = spec.launch(pass, config, facts);
                    CAPTURE(spec.name);
                    CAPTURE(gz::to_text(config));
                    REQUIRE(launch.program.file == spec.name + ".cl");
                    REQUIRE(launch.program.entry == spec.name);
                    for (const auto &[name, value] : config)
                        if (launch.program.defines.count(name))
                            REQUIRE(launch.program.defines.at(name) == value);
                    REQUIRE(launch.program.defines.at("CHANNELS") == pass.channels);
                    REQUIRE(launch.program.defines.at("SEPARABLE") == (pass.separable ? 1 : 0));
                    const gz::NDRange &range = launch.range;
                    for (std::size_t i = 0; i < 3; ++i)
                        REQUIRE(range.global[i] % range.local[i] == 0);
                    REQUIRE(range.global[2] == static_cast<std::size_t>(pass.batch()));
                    REQUIRE(range.local[2] == 1);
                    REQUIRE(constant_bytes(launch) >= pass.taps.size() * sizeof(float));
                }
    }

    TEST_CASE("no tunable is without effect") {
        const DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        const CorrelatePass pass =
            make_pass(PixelType::u8, {131, 77, 3, 2}, 3, make_taps(5, 5, Rank::one));
        for (const CorrelateSpec &spec : gz::correlate_kernels()) {
            CAPTURE(spec.name);
            const std::vector<Config> configs = gz::all_configs(spec.tunables);
            std::set<std::string> launches;
            for (const Config &config : configs)
                launches.insert(fingerprint(spec.launch(pass, config, facts)));
            CHECK(launches.size() == configs.size());
        }
    }

    TEST_CASE("programs are the same for all sizes of image and all taps of a bucket") {
        const auto pass = [](std::int64_t size, const gz::Axes &extent) {
            return make_pass(PixelType::u8, extent, 1, make_taps(size, size, Rank::full));
        };
        for (const CorrelateSpec &spec : gz::correlate_kernels())
            for (const DeviceClass device_class : support::all_device_classes) {
                CAPTURE(spec.name);
                CAPTURE(gz::name_of(device_class));
                const auto program = [&](const CorrelatePass &p) {
                    const DeviceFacts facts = make_facts(device_class);
                    return spec.launch(p, spec.preferred(p, facts).front(), facts).program;
                };
                // Rows of all sizes are multiples of 16 values, which is structure.
                const std::string options = program(pass(16, {64, 48, 1, 1})).options();
                CHECK(program(pass(31, {64, 48, 1, 1})).options() == options);
                CHECK(program(pass(24, {1920, 1080, 3, 1})).options() == options);
                CHECK(program(pass(31, {16, 1, 1, 1})).options() == options);
                // Another bucket is another program where taps are in arrays of its size.
                CHECK((program(pass(15, {64, 48, 1, 1})).options() == options) ==
                      (spec.name == "correlate_plain"));
            }
    }

    TEST_CASE("every class of device tries every family") {
        std::set<std::string> families;
        for (const CorrelateSpec &spec : gz::correlate_kernels())
            families.insert(spec.name);
        CHECK(families.size() == gz::correlate_kernels().size());
        for (const DeviceClass device_class : support::all_device_classes) {
            const std::vector<std::string> order = gz::correlate_preference(device_class);
            CHECK(order.size() == families.size());
            CHECK(std::set<std::string>(order.begin(), order.end()) == families);
        }
    }

    TEST_CASE("rows are shared only where taps are separable") {
        const CorrelateSpec tiled = gz::correlate_tiled();
        const Config share{{"GROUP_X", 8}, {"GROUP_Y", 8}, {"ITEM_Y", 4}, {"SHARE_ROWS", 1}};
        const auto pass = [](Rank rank) {
            return make_pass(PixelType::f32, {64, 64, 1, 1}, 1, make_taps(3, 3, rank));
        };
        CHECK(tiled.refusal(pass(Rank::one), share) == "");
        CHECK(says(tiled.refusal(pass(Rank::full), share), {"separable"}));
    }
}

TEST_SUITE("correlate_pass") {
    TEST_CASE("buckets hold both sizes, and are few") {
        const auto bucket = [](std::int64_t width, std::int64_t height) {
            return gz::bucket_of(
                make_pass(PixelType::u8, {9, 9, 1, 1}, 1, make_taps(width, height, Rank::one)));
        };
        CHECK(bucket(1, 1) == 3);
        CHECK(bucket(3, 3) == 3);
        CHECK(bucket(4, 3) == 5);
        CHECK(bucket(2, 9) == 9);
        CHECK(bucket(10, 1) == 11);
        CHECK(bucket(13, 15) == 15);
        CHECK(bucket(16, 16) == 31);
        CHECK(bucket(32, 1) == 63);
        CHECK(bucket(63, 63) == 63);
        CHECK(std::size(gz::tap_buckets) <= 8);
    }

    TEST_CASE("taps at a stride") {
        const CorrelatePass dense =
            make_pass(PixelType::u8, {9, 9, 1, 1}, 1, make_taps(3, 2, 1, 1, {1, 2, 3, 4, 5, 7}));
        REQUIRE_FALSE(dense.separable);
        CHECK(gz::strided_taps(dense, 4) ==
              std::vector<float>{1, 2, 3, 0, 4, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        CHECK(gz::strided_taps(dense, 3) == std::vector<float>{1, 2, 3, 4, 5, 7, 0, 0, 0});
        const CorrelatePass product =
            make_pass(PixelType::u8, {9, 9, 1, 1}, 1, make_taps(3, 2, 1, 1, {1, 2, 4, 2, 4, 8}));
        REQUIRE(product.separable);
        CHECK(gz::strided_taps(product, 4) == std::vector<float>{2, 4, 8, 0, 0.5F, 1, 0, 0});
    }

    TEST_CASE("parts cover a length") {
        CHECK(gz::parts(0, 4) == 0);
        CHECK(gz::parts(1, 4) == 1);
        CHECK(gz::parts(4, 4) == 1);
        CHECK(gz::parts(5, 4) == 2);
        CHECK(gz::parts((std::int64_t{1} << 40) + 1, std::int64_t{1} << 20) == (1 << 20) + 1);
    }

    TEST_CASE("the NDRange has an item layer for every slice of every volume and plane") {
        gz::PlanDesc desc;
        desc.source = support::make_image(PixelType::u8, {10, 10, 3, 5}, 1, 7);
        desc.target = desc.source;
        const CorrelatePass pass =
            gz::lower(gz::Filter::correlate(make_taps(3, 3, Rank::one)), gz::complete(desc));
        CHECK(pass.batch() == 105);
        const gz::NDRange range = gz::batched_range(pass, 4, 5, 16, 8);
        CHECK(range.global == std::array<std::size_t, 3>{64, 40, 105});
        CHECK(range.local == std::array<std::size_t, 3>{16, 8, 1});
    }
}

TEST_SUITE("copy") {
    TEST_CASE("the yardstick covers every vector, on CPUs and GPUs") {
        for (const DeviceClass device_class : {DeviceClass::nvidia_gpu, DeviceClass::pocl_cpu})
            for (const std::int64_t vectors : {1, 127, 128, 129, 4096, 4097, 1'000'000}) {
                const Launch launch =
                    gz::copy_launch(vectors * gz::copy_unit, make_facts(device_class));
                const auto items = static_cast<std::int64_t>(launch.range.global[0]);
                const int chunk = launch.program.defines.at("CHUNK");
                const auto group = static_cast<std::int64_t>(launch.range.local[0]);
                CHECK(launch.program.defines.at("GROUP_X") == group);
                CHECK(items % group == 0);
                CHECK(items * chunk >= vectors);
                CHECK((items - group) * chunk < vectors); // no group has nothing to do
            }
    }

    TEST_CASE("the yardstick fits a device of small groups") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 16;
        CHECK(misfit(gz::copy_launch(1600, facts), facts) == "");
    }
}
