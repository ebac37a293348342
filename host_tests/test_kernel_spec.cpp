// Configurations, limits and launches, as derived from the descriptions of kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "families/family.hpp"
#include "plan/copy.hpp"
#include "support/unit.hpp"

using gz::Config;
using gz::CorrelatePass;
using gz::DeviceClass;
using gz::DeviceFacts;
using gz::Kernel;
using gz::Launch;
using gz::misfit;
using gz::PixelType;
using gz::TapSet;
using gz::Work;
using support::make_box_pass;
using support::make_facts;
using support::make_pass;
using support::make_taps;
using support::Rank;

namespace {

// The numbers of taps that buckets hold up to: of tap_bucket().
constexpr int buckets[] = {3, 5, 7, 11, 15, 21, 25, 31, 37, 43, 49, 55, 63};

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

CorrelatePass lower_whole(PixelType type, const gz::Axes &extent, std::int64_t channels,
                          const gz::Filter &filter) {
    gz::PlanDesc desc;
    desc.source = desc.target = support::make_image(type, extent, channels);
    return support::lower_taps(filter, gz::complete(desc));
}

// 1001 taps along x and 3 along y.
CorrelatePass long_pass() {
    std::vector<double> x(1001);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.001 * static_cast<double>(i % 7);
    return lower_whole(PixelType::f32, {640, 480, 1, 1}, 1,
                       gz::Filter::separable(support::make_axis_taps(x, {1, 2, 1})));
}

// Each channel with taps of its own: separable ones, dense ones and many.
CorrelatePass varied_pass() {
    const gz::Filter dense = gz::Filter::correlate(make_taps(3, 5, Rank::full));
    const gz::Filter many =
        gz::Filter::separable(support::make_axis_taps(std::vector<double>(301, 0.25), {0.5, 0.75}));
    return lower_whole(PixelType::u8, {131, 77, 1, 1}, 3,
                       gz::Filter::correlate(make_taps(5, 5, Rank::one))
                           .with_component(1, dense)
                           .with_component(2, many));
}

// Passes of few and many taps, of awkward and large images.
std::vector<CorrelatePass> all_correlations() {
    std::vector<CorrelatePass> passes{long_pass(), varied_pass()};
    for (const Rank rank : {Rank::one, Rank::full})
        for (const std::int64_t size : {3, 8, 15, 63})
            for (const gz::Axes &extent :
                 {gz::Axes{1, 1, 1, 1}, gz::Axes{131, 77, 3, 2}, gz::Axes{5000, 3000, 1, 1}})
                passes.push_back(make_pass(PixelType::u8, extent, 3, make_taps(size, size, rank)));
    return passes;
}

std::vector<gz::BoxPass> all_boxes() {
    std::vector<gz::BoxPass> passes;
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32})
        for (const std::int64_t radius : {0, 1, 100, 20000})
            for (const gz::Axes &extent :
                 {gz::Axes{1, 1, 1, 1}, gz::Axes{131, 77, 3, 2}, gz::Axes{5000, 3000, 1, 1}})
                passes.push_back(make_box_pass(type, extent, 3, radius, radius / 2));
    return passes;
}

// check(spec, pass, facts) for every family of every kind of pass on every class of device.
template <class Check> void for_each_kernel(Check &&check) {
    const auto on_all = [&](const auto &passes) {
        for (const auto &pass : passes)
            for (const DeviceClass device_class : support::all_device_classes)
                for (const auto &spec : support::kernels_of(pass, device_class)) {
                    CAPTURE(spec.name);
                    CAPTURE(gz::name_of(device_class));
                    check(spec, pass, make_facts(device_class));
                }
    };
    on_all(all_correlations());
    on_all(all_boxes());
}

void check_launch(const Launch &launch, const gz::ImagePass &pass, const Config &config) {
    CAPTURE(launch.program.entry);
    for (const auto &[name, value] : config)
        if (launch.program.defines.count(name))
            REQUIRE(launch.program.defines.at(name) == value);
    REQUIRE(launch.program.defines.at("CHANNELS") == pass.channels);
    // Images between launches may be f32 whatever the other images are.
    const auto is_either = [](int type, PixelType image) {
        return type == static_cast<int>(image) || type == static_cast<int>(PixelType::f32);
    };
    REQUIRE(is_either(launch.program.defines.at("SRC_TYPE"), pass.src_type));
    REQUIRE(is_either(launch.program.defines.at("DST_TYPE"), pass.dst_type));
    const gz::NDRange &range = launch.range;
    for (std::size_t i = 0; i < 3; ++i)
        REQUIRE(range.global[i] % range.local[i] == 0);
    REQUIRE(range.global[2] == static_cast<std::size_t>(pass.batch()));
    REQUIRE(range.local[2] == 1);
}

template <class Kind> bool takes(const Launch &launch) {
    return std::any_of(
        launch.arguments.begin(), launch.arguments.end(),
        [](const gz::Argument &argument) { return std::holds_alternative<Kind>(argument); });
}

// The first launch reads the source, the last writes the target, and every buffer between them is of some size and used
// by two neighbours. Launches without buffers between them make parts of the target from the source.
void check_hand_on(const Work &work) {
    REQUIRE(takes<gz::SourceBuffer>(work.launches.front()));
    REQUIRE(takes<gz::TargetBuffer>(work.launches.back()));
    std::vector<int> uses(work.workspace.size(), 0);
    for (const Launch &launch : work.launches)
        for (const gz::Argument &argument : launch.arguments)
            if (const auto *buffer = std::get_if<gz::WorkspaceBuffer>(&argument))
                ++uses.at(buffer->index);
    for (std::size_t i = 0; i < uses.size(); ++i) {
        REQUIRE(uses[i] == 2);
        REQUIRE(work.workspace[i] > 0);
    }
    if (!work.workspace.empty())
        REQUIRE(work.workspace.size() + 1 == work.launches.size());
    else
        for (const Launch &launch : work.launches) {
            REQUIRE(takes<gz::SourceBuffer>(launch));
            REQUIRE(takes<gz::TargetBuffer>(launch));
        }
}

// The bytes of `count` floats from `first` on.
std::string raw(const std::vector<float> &values, int first, int count) {
    return {reinterpret_cast<const char *>(values.data() + first),
            static_cast<std::size_t>(count) * sizeof(float)};
}

// The bytes of all constants and plain arguments, one after the other.
std::string data_of(const Work &work) {
    std::string result;
    const auto append = [&](const std::vector<std::byte> &bytes) {
        result.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    };
    for (const Launch &launch : work.launches)
        for (const gz::Argument &argument : launch.arguments) {
            if (const auto *value = std::get_if<gz::ByValue>(&argument))
                append(value->bytes);
            else if (const auto *data = std::get_if<gz::ConstantData>(&argument))
                append(data->bytes);
        }
    return result;
}

// Returns everything that distinguishes the work of one kernel: macros, ranges and plain arguments.
std::string fingerprint(const Work &work) {
    std::string result = data_of(work);
    for (const Launch &launch : work.launches) {
        result += launch.program.options();
        for (std::size_t i = 0; i < 3; ++i)
            result += gz::text(' ', launch.range.global[i], '/', launch.range.local[i]);
    }
    return result;
}

// Returns the programs for the pass in the first of the kernel's configurations.
template <class Pass>
std::string programs_of(const gz::Kernel &spec, const Pass &pass, const DeviceFacts &facts) {
    std::string result;
    for (const Launch &launch :
         spec.work(pass, spec.preferred(pass, facts).front(), facts).launches)
        result += launch.program.entry + " " + launch.program.options() + "\n";
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
        const auto check = [](const auto &kernels) {
            for (const auto &spec : kernels) {
                std::size_t count = 1;
                for (const gz::Tunable &tunable : spec.tunables)
                    count *= tunable.values.size();
                const std::vector<Config> configs = gz::all_configs(spec.tunables);
                CHECK(std::set<Config>(configs.begin(), configs.end()).size() == count);
            }
        };
        check(support::kernels_of(varied_pass(), DeviceClass::other_gpu));
        check(support::kernels_of(gz::BoxPass(), DeviceClass::other_gpu));
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
        CHECK(misfit(launch_with(gz::ConstantData{std::vector<std::byte>(501), true}), facts) ==
              "");
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

    TEST_CASE("work: each of its launches, and its workspace") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 64;
        facts.max_allocation = 4096;
        Work work(launch_of_groups(64, 1, 1));
        CHECK(misfit(work, facts) == "");
        work.launches.push_back(launch_of_groups(65, 1, 1));
        CHECK(says(misfit(work, facts), {"65", "64"}));
        work.launches.pop_back();
        work.workspace = {4096, 16};
        CHECK(misfit(work, facts) == "");
        work.workspace = {16, 4097};
        CHECK(says(misfit(work, facts), {"workspace", "4097", "4096"}));
    }
}

TEST_SUITE("kernels") {
    TEST_CASE("what is preferred on a device takes its values from the tunables") {
        for_each_kernel([](const auto &spec, const auto &pass, const DeviceFacts &facts) {
            const std::vector<Config> all = gz::all_configs(spec.tunables);
            const std::vector<Config> preferred = spec.preferred(pass, facts);
            CHECK_FALSE(preferred.empty());
            for (const Config &config : preferred)
                CHECK(std::count(all.begin(), all.end(), config) == 1);
        });
    }

    TEST_CASE("work is built for its configuration and covers every slice") {
        const DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        const auto check = [&](const auto &passes) {
            for (const auto &pass : passes)
                for (const auto &spec : support::kernels_of(pass, facts.device_class))
                    for (const Config &config : gz::all_configs(spec.tunables)) {
                        if (!spec.refusal(pass, config).empty())
                            continue;
                        const Work work = spec.work(pass, config, facts);
                        CAPTURE(spec.name);
                        CAPTURE(gz::to_text(config));
                        REQUIRE_FALSE(work.launches.empty());
                        for (const Launch &launch : work.launches) {
                            REQUIRE(launch.program.file == spec.file);
                            check_launch(launch, pass, config);
                        }
                        check_hand_on(work);
                    }
        };
        check(all_correlations());
        check(all_boxes());
    }

    TEST_CASE("the taps of every component reach the device") {
        const DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        for (const CorrelatePass &pass : all_correlations())
            for (const gz::Kernel &spec : support::kernels_of(pass, facts.device_class)) {
                const Config config = spec.preferred(pass, facts).front();
                if (!spec.refusal(pass, config).empty())
                    continue;
                CAPTURE(spec.name);
                const std::string passed = data_of(spec.work(pass, config, facts));
                for (const TapSet &set : pass.sets) {
                    REQUIRE(passed.find(raw(set.taps, 0, set.taps_x)) != std::string::npos);
                    if (set.separable)
                        REQUIRE(passed.find(raw(set.taps, set.taps_x, set.taps_y)) !=
                                std::string::npos);
                }
            }
    }

    TEST_CASE("no tunable is without effect") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        std::map<std::string, std::size_t> most_configs; // of any pass, by kernel
        const auto check = [&](const auto &pass) {
            for (const auto &spec : support::kernels_of(pass, facts.device_class)) {
                CAPTURE(spec.name);
                std::size_t configs = 0;
                std::set<std::string> different;
                for (const Config &config : gz::all_configs(spec.tunables)) {
                    if (!spec.refusal(pass, config).empty())
                        continue;
                    ++configs;
                    different.insert(fingerprint(spec.work(pass, config, facts)));
                }
                CHECK(different.size() == configs);
                std::size_t &most = most_configs[spec.name];
                most = std::max(most, configs);
            }
        };
        // High enough for bands that differ by how many groups share the work.
        check(make_box_pass(PixelType::u8, {1000, 6000, 1, 1}, 1, 4, 5));
        // The same, with groups that are free on read, whatever their size, on more cores than all slices
        // have strips.
        facts.compute_units = 512;
        check(make_pass(PixelType::u8, {1310, 200000, 3, 2}, 3, make_taps(5, 5, Rank::one)));
        check(make_pass(PixelType::u8, {1310, 200000, 3, 2}, 3, make_taps(5, 5, Rank::full)));
        for (const auto &entry : most_configs) {
            CAPTURE(entry.first);
            CHECK(entry.second > 1);
        }
    }

    TEST_CASE("programs are the same for all sizes of image and all taps of a bucket") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = make_facts(device_class);
            const auto pass = [](std::int64_t size, const gz::Axes &extent) {
                return make_pass(PixelType::u8, extent, 1, make_taps(size, size, Rank::one));
            };
            for (const gz::Kernel &spec :
                 support::kernels_of(pass(26, {64, 48, 1, 1}), device_class)) {
                if (spec.name == "separable_columns" || spec.name == "correlate_stream")
                    continue; // a program for each number of taps, of which they take few
                CAPTURE(spec.name);
                const auto programs = [&](std::int64_t size, const gz::Axes &extent) {
                    return programs_of(spec, pass(size, extent), facts);
                };
                // Rows of all sizes are multiples of 16 values, which is structure. Both 26 and 31
                // are in one bucket of every family that has any; separable_fused and separable_stream
                // have programs for taps that fill their bucket besides.
                const bool has_exact =
                    spec.name == "separable_fused" || spec.name == "separable_stream";
                const std::int64_t last = has_exact ? 30 : 31;
                const std::string options = programs(26, {64, 48, 1, 1});
                CHECK(programs(last, {64, 48, 1, 1}) == options);
                // Its tiles are smaller where large ones would leave cores idle.
                const bool has_small_tiles = spec.name == "separable_fused";
                CHECK(programs(28, {1920, 1080, 3, 1}) ==
                      (has_small_tiles ? programs(26, {4096, 4096, 3, 1}) : options));
                CHECK(programs(last, {16, 1, 1, 1}) == options);
                // Another bucket is another program where taps are in arrays of its size.
                CHECK((programs(15, {64, 48, 1, 1}) == options) ==
                      (spec.name == "correlate_plain" || spec.name == "separable_passes"));
            }
            const auto box = [](std::int64_t radius, const gz::Axes &extent) {
                return make_box_pass(PixelType::f32, extent, 1, radius, radius);
            };
            for (const gz::Kernel &spec : support::kernels_of(gz::BoxPass(), device_class)) {
                if (spec.name == "box_words" || spec.name == "box_bytes")
                    continue; // of integers; box_words has a program for each place in a word where boxes start
                CAPTURE(spec.name);
                const auto programs = [&](std::int64_t radius, const gz::Axes &extent) {
                    return programs_of(spec, box(radius, extent), facts);
                };
                const std::string options = programs(33, {64, 48, 1, 1});
                if (spec.name == "box_columns" || spec.name == "box_march") {
                    // One for each size of group, which decides how wide boxes can be.
                    CHECK(programs(48, {1920, 1080, 3, 1}) == options);
                    CHECK(programs(2, {1920, 1080, 3, 1}) == programs(20, {64, 48, 1, 1}));
                    continue;
                }
                CHECK(programs(256, {64, 48, 1, 1}) == options);
                CHECK(programs(100, {1920, 1080, 3, 1}) == options);
                CHECK(programs(256, {16, 1, 1, 1}) == options);
                CHECK((programs(32, {64, 48, 1, 1}) == options) == (spec.name != "box_strips"));
                CHECK((programs(257, {64, 48, 1, 1}) == options) == (spec.name != "box_strips"));
            }
        }
    }

    TEST_CASE("kernels of taps that do not subtract another image refuse to") {
        CorrelatePass pass =
            make_pass(PixelType::f32, {64, 48, 1, 1}, 1, make_taps(7, 7, Rank::one));
        std::set<std::string> subtracting;
        for (const auto subtraction :
             {gz::Subtraction::result_less_other, gz::Subtraction::other_less_result}) {
            pass.subtraction = subtraction;
            for (const gz::RankedKernel &ranked :
                 gz::kernels_for(pass, make_facts(DeviceClass::nvidia_gpu))) {
                const gz::Kernel &spec = *ranked.kernel;
                const Config config = gz::all_configs(spec.tunables).back();
                if (spec.refusal(pass, config) != "another image is subtracted")
                    subtracting.insert(spec.name);
            }
        }
        CHECK(subtracting == std::set<std::string>{"correlate_plain", "separable_stream"});
    }

    TEST_CASE("separable_fused has buckets along each axis") {
        const gz::Kernel spec = gz::separable_fused();
        const DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
        const auto defines = [&](std::int64_t width, std::int64_t height) {
            const CorrelatePass pass =
                make_pass(PixelType::f32, {640, 480, 1, 1}, 1, make_taps(width, height, Rank::one));
            return spec.work(pass, spec.preferred(pass, facts).front(), facts)
                .launches.front()
                .program.defines;
        };
        int least = 1;
        for (const int most : buckets) {
            for (int taps = least; taps < most; ++taps) {
                CHECK(defines(taps, 1).at("LEAST_X") == least);
                CHECK(defines(taps, 1).at("BUCKET_X") == most);
                CHECK(defines(taps, 1).at("BUCKET_Y") == 3);
                CHECK(defines(1, taps).at("LEAST_Y") == least);
                CHECK(defines(1, taps).at("BUCKET_Y") == most);
                CHECK(defines(1, taps).at("BUCKET_X") == 3);
            }
            least = most + 1;
        }
    }

    TEST_CASE("separable_fused has a program for taps that fill their bucket and one for others") {
        const gz::Kernel spec = gz::separable_fused();
        const DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
        std::set<std::string> programs;
        int least = 1;
        for (const int most : buckets) {
            for (int taps = least; taps <= most; ++taps) {
                const CorrelatePass pass = make_pass(PixelType::f32, {640, 480, 1, 1}, 1,
                                                     make_taps(taps, taps, Rank::one));
                const Work work = spec.work(pass, spec.preferred(pass, facts).front(), facts);
                const auto &defines = work.launches[0].program.defines;
                CHECK(defines.at("LEAST_X") == (taps == most ? most : least));
                CHECK(defines.at("BUCKET_X") == most);
                CHECK(defines.at("SHIFT") == (taps == most ? (4 - taps / 2 % 4) % 4 : -1));
                programs.insert(programs_of(spec, pass, facts));
            }
            least = most + 1;
        }
        CHECK(programs.size() == 2 * std::size(buckets));
    }

    TEST_CASE("every class of device tries every family, whatever the pass") {
        const auto check = [](const auto &passes, const std::set<std::string> &families) {
            for (const auto &pass : passes)
                for (const DeviceClass device_class : support::all_device_classes) {
                    std::set<std::string> met;
                    const auto kernels = support::kernels_of(pass, device_class);
                    for (const auto &spec : kernels)
                        met.insert(spec.name);
                    CHECK(kernels.size() == families.size());
                    CHECK(met == families);
                }
        };
        check(all_correlations(), {"correlate_tiled", "correlate_planar", "correlate_stream",
                                   "correlate_strips", "correlate_plain", "separable_fused",
                                   "separable_passes", "separable_columns", "separable_stream"});
        check(all_boxes(), {"box_columns", "box_march", "box_words", "box_bytes", "box_axes",
                            "box_tiled", "box_strips", "box_lines", "box_plain"});
    }

    TEST_CASE("one family of each kind of pass takes them all") {
        for (const CorrelatePass &pass : all_correlations())
            for (const Config &config : gz::all_configs(gz::correlate_plain().tunables))
                CHECK(gz::correlate_plain().refusal(pass, config) == "");
        for (const gz::BoxPass &pass : all_boxes())
            for (const Config &config : gz::all_configs(gz::box_plain().tunables))
                CHECK(gz::box_plain().refusal(pass, config) == "");
    }

    TEST_CASE("integers are read as denormals where taps and constant make up for it exactly") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        const auto pass_of = [](PixelType type, std::vector<float> taps) {
            CorrelatePass pass = make_pass(type, {64, 64, 1, 1}, 1, make_taps(3, 2, Rank::one));
            REQUIRE(pass.set().taps.size() == 5);
            pass.sets.front().taps = std::move(taps);
            return pass;
        };
        const std::vector<float> fine{0.5F, 0.0F, -0x1p-40F, 0x1p-149F, 0x1p20F};
        const CorrelatePass bytes = pass_of(PixelType::u8, fine);
        CHECK_FALSE(gz::with_denormals(bytes, facts).reads_denormals);
        facts.reads_denormals = true;
        const CorrelatePass read = gz::with_denormals(bytes, facts);
        CHECK(read.reads_denormals);
        CHECK(read.set().taps == std::vector<float>{0x1p99F, 0.0F, -0x1p60F, 0x1p-100F, 0x1p69F});
        CHECK(gz::pixel_defines(read, facts).at("READS_DENORMALS") == 1);
        CHECK_FALSE(gz::is_bounded(bytes));
        CHECK_FALSE(gz::is_bounded(read));
        const CorrelatePass mean = pass_of(PixelType::u8, {0.25F, 0.5F, 0.25F, 0.5F, 0.5F});
        CHECK(gz::is_bounded(mean));
        CHECK(gz::is_bounded(gz::with_denormals(mean, facts)));

        const auto reads = [&](const CorrelatePass &pass) {
            const CorrelatePass result = gz::with_denormals(pass, facts);
            if (!result.reads_denormals)
                CHECK(result.set().taps == pass.set().taps);
            return result.reads_denormals;
        };
        CHECK(reads(pass_of(PixelType::u16, fine)));
        for (const PixelType type : {PixelType::s16, PixelType::f16, PixelType::f32})
            CHECK_FALSE(reads(pass_of(type, fine)));
        CHECK_FALSE(reads(pass_of(PixelType::u8, {0.5F, 0x1p-41F, 1.0F, 1.0F, 1.0F})));
        CHECK_FALSE(reads(pass_of(PixelType::u8, {0.5F, 0x1.8p20F, 1.0F, 1.0F, 1.0F})));
        CHECK_FALSE(reads(pass_of(PixelType::u8, {0.5F, 1.0F, 1.0F, 1.0F, -0x1.8p20F})));
        CHECK_FALSE(
            reads(make_pass(PixelType::u8, {64, 64, 1, 1}, 1, make_taps(3, 3, Rank::full))));
        CHECK_FALSE(reads(varied_pass()));
        CorrelatePass difference = bytes;
        difference.subtraction = gz::Subtraction::other_less_result;
        CHECK_FALSE(reads(difference));

        CorrelatePass constant = bytes;
        constant.geometry.border_mode = BORDER_CONSTANT;
        for (const float value : {0.0F, 1.0F, 255.0F}) {
            constant.geometry.border_value = value;
            CHECK(static_cast<double>(gz::with_denormals(constant, facts).geometry.border_value) ==
                  static_cast<double>(value) * 0x1p-149);
        }
        for (const float value : {-1.0F, 0.5F, 256.0F, std::nanf("")}) {
            constant.geometry.border_value = value;
            CHECK_FALSE(reads(constant));
        }
    }

    TEST_CASE("passes that a family is not made for are refused with the number or the reason") {
        const auto refusal = [](const auto &spec, const auto &pass) {
            return spec.refusal(pass,
                                spec.preferred(pass, make_facts(DeviceClass::other_gpu)).front());
        };
        const CorrelatePass dense =
            make_pass(PixelType::f32, {64, 64, 1, 1}, 1, make_taps(3, 3, Rank::full));
        CHECK(says(refusal(gz::separable_fused(), dense), {"not separable"}));
        CHECK(says(refusal(gz::separable_passes(), dense), {"not separable"}));
        CHECK(says(refusal(gz::separable_columns(), dense), {"not separable"}));
        CHECK(says(refusal(gz::separable_stream(), dense), {"not separable"}));
        const auto ring = [&](PixelType type, std::int64_t taps) {
            return refusal(gz::separable_columns(),
                           make_pass(type, {64, 64, 1, 1}, 1, make_taps(taps, taps, Rank::one)));
        };
        CHECK(ring(PixelType::u8, 11) == "");
        CHECK(says(ring(PixelType::u8, 12), {"12 taps", "11"}));
        CHECK(says(ring(PixelType::f32, 5), {"not integers"}));
        const CorrelatePass longer = long_pass();
        CHECK(says(refusal(gz::correlate_tiled(), longer), {"1001 taps", "63"}));
        CHECK(says(refusal(gz::correlate_strips(), longer), {"1001 taps", "63"}));
        CHECK(says(refusal(gz::separable_fused(), longer), {"1001 taps", "63"}));
        CHECK(says(refusal(gz::separable_stream(), longer), {"1001 taps", "63"}));
        for (const gz::Kernel &spec :
             {gz::correlate_tiled(), gz::correlate_strips(), gz::separable_fused(),
              gz::separable_passes(), gz::separable_columns(), gz::separable_stream()})
            CHECK(says(refusal(spec, varied_pass()), {"differ between components"}));

        const auto box = [](PixelType type, std::int64_t x, std::int64_t y) {
            return make_box_pass(type, {64, 64, 1, 1}, 1, x, y);
        };
        CHECK(refusal(gz::box_strips(), box(PixelType::f32, 4096, 1)) == "");
        CHECK(says(refusal(gz::box_strips(), box(PixelType::f32, 4097, 1)), {"8194", "8192"}));
        CHECK(refusal(gz::box_tiled(), box(PixelType::f32, 32768, 1)) == "");
        CHECK(says(refusal(gz::box_tiled(), box(PixelType::f32, 32769, 1)), {"65538"}));
        // 65535 times 32767 is less than 2^31, times 32769 is not.
        CHECK(refusal(gz::box_strips(), box(PixelType::u16, 1, 16383)) == "");
        CHECK(says(refusal(gz::box_strips(), box(PixelType::u16, 1, 16384)), {"32769 rows"}));
        CHECK(refusal(gz::box_columns(), box(PixelType::f32, 256, 5000)) == "");
        CHECK(says(refusal(gz::box_columns(), box(PixelType::f32, 257, 1)), {"too wide", "256"}));
        CHECK(refusal(gz::box_columns(), box(PixelType::u16, 63, 63)) == "");
        CHECK(says(refusal(gz::box_columns(), box(PixelType::u16, 91, 91)), {"32 bits"}));
        CHECK(refusal(gz::box_march(), box(PixelType::f32, 255, 5000)) == "");
        CHECK(says(refusal(gz::box_march(), box(PixelType::f32, 256, 1)), {"too wide"}));
        CHECK(refusal(gz::box_march(), box(PixelType::f32, 1, 1)) == "");
        CHECK(says(refusal(gz::box_march(), box(PixelType::f32, 0, 1)), {"too narrow"}));
        CHECK(refusal(gz::box_march(), box(PixelType::u8, 0, 1)) == "");
        CHECK(refusal(gz::box_march(), box(PixelType::u16, 63, 63)) == "");
        CHECK(says(refusal(gz::box_march(), box(PixelType::u16, 91, 91)), {"32 bits"}));
        CHECK(refusal(gz::box_axes(), box(PixelType::f32, 63, 63)) == "");
        CHECK(says(refusal(gz::box_axes(), box(PixelType::f32, 64, 63)), {"past the whole image"}));
        CHECK(says(refusal(gz::box_axes(), box(PixelType::f32, 63, 64)), {"past the whole image"}));
        const auto large_box = [&](PixelType type, std::int64_t y) {
            return refusal(gz::box_axes(), make_box_pass(type, {64, 2048, 1, 1}, 1, 1, y));
        };
        CHECK(large_box(PixelType::u16, 511) == "");
        CHECK(says(large_box(PixelType::u16, 512), {"1025 rows", "32 bits"}));
        CHECK(large_box(PixelType::f32, 512) == "");
        CHECK(says(refusal(gz::box_bytes(), box(PixelType::u16, 2, 1)), {"not both of bytes"}));
        CHECK(says(refusal(gz::box_bytes(), box(PixelType::u8, 8, 1)), {"radius", "7"}));
        CHECK(says(refusal(gz::box_bytes(), box(PixelType::u8, 0, 0)), {"no product"}));
        CHECK(refusal(gz::box_bytes(), box(PixelType::u8, 7, 7)) == "");
        CHECK(says(refusal(gz::box_words(), box(PixelType::f32, 2, 1)), {"no integers"}));
        CHECK(refusal(gz::box_words(), box(PixelType::u8, 0, 0)) == "");
        CHECK(refusal(gz::box_words(), box(PixelType::u8, 500, 50)) == "");
        CHECK(says(refusal(gz::box_words(), box(PixelType::u8, 700, 1)), {"too wide"}));
        CHECK(says(refusal(gz::box_words(), box(PixelType::u16, 91, 91)), {"32 bits"}));
        // box_tiled sums parts of 32 pixels.
        CHECK(refusal(gz::box_tiled(), box(PixelType::u16, 1, 511)) == "");
        CHECK(says(refusal(gz::box_tiled(), box(PixelType::u16, 1, 512)), {"1025 rows"}));
        CHECK(refusal(gz::box_tiled(), box(PixelType::f32, 1, 100000)) == "");
    }
}

TEST_SUITE("box_pass") {
    TEST_CASE("sums of integers are exact, in as many bits as they need") {
        const auto sum = [](PixelType type, std::int64_t x, std::int64_t y,
                            const gz::Border &border = {}) {
            return gz::sum_of(make_box_pass(type, {64, 64, 1, 1}, 1, x, y, border));
        };
        CHECK(sum(PixelType::u8, 0, 0) == gz::BoxSum::i32);
        CHECK(sum(PixelType::u8, 1450, 1450) == gz::BoxSum::i32); // 2901 2901 255 < 2^31
        CHECK(sum(PixelType::u8, 1451, 1451) == gz::BoxSum::i64);
        CHECK(sum(PixelType::u16, 90, 90) == gz::BoxSum::i32); // 181 181 65535 < 2^31
        CHECK(sum(PixelType::u16, 91, 91) == gz::BoxSum::i64);
        // 255 255 32768 < 2^31, and 257 257 32768 is more.
        CHECK(sum(PixelType::s16, 127, 127) == gz::BoxSum::i32);
        CHECK(sum(PixelType::s16, 128, 128) == gz::BoxSum::i64);
        CHECK(sum(PixelType::u8, gz::max_box_radius, gz::max_box_radius) == gz::BoxSum::i64);
        for (const PixelType type : {PixelType::f16, PixelType::f32})
            CHECK(sum(type, 0, 0) == gz::BoxSum::f32);
    }

    TEST_CASE("a border's constant that is no pixel's value makes the sums floats") {
        const auto sum = [](PixelType type, gz::BorderMode mode, double constant) {
            return gz::sum_of(make_box_pass(type, {64, 64, 1, 1}, 1, 2, 2, {mode, constant}));
        };
        using gz::BorderMode;
        CHECK(sum(PixelType::u8, BorderMode::constant, 0.0) == gz::BoxSum::i32);
        CHECK(sum(PixelType::u8, BorderMode::constant, 255.0) == gz::BoxSum::i32);
        CHECK(sum(PixelType::u8, BorderMode::constant, 256.0) == gz::BoxSum::f32);
        CHECK(sum(PixelType::u8, BorderMode::constant, -1.0) == gz::BoxSum::f32);
        CHECK(sum(PixelType::u8, BorderMode::constant, 0.5) == gz::BoxSum::f32);
        CHECK(sum(PixelType::s16, BorderMode::constant, -32768.0) == gz::BoxSum::i32);
        CHECK(sum(PixelType::s16, BorderMode::constant, 32768.0) == gz::BoxSum::f32);
        // With other borders the constant does not matter.
        for (const BorderMode mode : gz::all_border_modes)
            if (mode != BorderMode::constant)
                CHECK(sum(PixelType::u8, mode, 0.5) == gz::BoxSum::i32);
    }

    TEST_CASE("a box's area in pixels") {
        CHECK(gz::area_of(make_box_pass(PixelType::u8, {9, 9, 1, 1}, 3, 0, 0)) == 1);
        CHECK(gz::area_of(make_box_pass(PixelType::u8, {9, 9, 1, 1}, 3, 4, 1)) == 27);
        const std::int64_t side = 2 * gz::max_box_radius + 1;
        CHECK(gz::area_of(make_box_pass(PixelType::u8, {9, 9, 1, 1}, 1, gz::max_box_radius,
                                        gz::max_box_radius)) == side * side);
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
        REQUIRE_FALSE(dense.separable());
        CHECK(gz::strided_taps(dense.set(), 4) ==
              std::vector<float>{1, 2, 3, 0, 4, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        CHECK(gz::strided_taps(dense.set(), 3) == std::vector<float>{1, 2, 3, 4, 5, 7, 0, 0, 0});
        const CorrelatePass product =
            make_pass(PixelType::u8, {9, 9, 1, 1}, 1, make_taps(3, 2, 1, 1, {1, 2, 4, 2, 4, 8}));
        REQUIRE(product.separable());
        CHECK(gz::strided_taps(product.set(), 4) == std::vector<float>{2, 4, 8, 0, 0.5F, 1, 0, 0});
    }

    TEST_CASE("parts cover a length") {
        CHECK(gz::ceil_div(0, 4) == 0);
        CHECK(gz::ceil_div(1, 4) == 1);
        CHECK(gz::ceil_div(4, 4) == 1);
        CHECK(gz::ceil_div(5, 4) == 2);
        CHECK(gz::ceil_div((std::int64_t{1} << 40) + 1, std::int64_t{1} << 20) == (1 << 20) + 1);
    }

    TEST_CASE("the NDRange has an item layer for every slice of every volume and plane") {
        gz::PlanDesc desc;
        desc.source = support::make_image(PixelType::u8, {10, 10, 3, 5}, 1, 7);
        desc.target = desc.source;
        const CorrelatePass pass = support::lower_taps(
            gz::Filter::correlate(make_taps(3, 3, Rank::one)), gz::complete(desc));
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
