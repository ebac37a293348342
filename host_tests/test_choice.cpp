// The choice of a kernel: forced ones, the device's preferences, and the explanation.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "families/box/lowering_at_once.hpp"
#include "plan/choice.hpp"
#include "support/unit.hpp"

using gz::Choice;
using gz::choose;
using gz::Config;
using gz::CorrelatePass;
using gz::DeviceClass;
using gz::DeviceFacts;
using gz::PixelType;
using gz::Status;
using support::check_refused;
using support::make_facts;
using support::make_taps;
using support::Rank;

namespace {

CorrelatePass pass_of(std::int64_t taps, Rank rank) {
    return support::make_pass(PixelType::f32, {640, 480, 1, 1}, 1, make_taps(taps, taps, rank));
}

Choice choose_forced(const std::string &forced) {
    return choose(pass_of(5, Rank::one), make_facts(DeviceClass::other_gpu), forced, "the test");
}

void check_forced_refused(const std::string &forced, std::initializer_list<std::string> parts) {
    CAPTURE(forced);
    check_refused(Status::invalid_argument, parts, [&] { choose_forced(forced); });
}

// The least that OpenCL 1.2 lets a device be, and less.
DeviceFacts weak_facts(DeviceClass device_class) {
    DeviceFacts facts = make_facts(device_class);
    facts.max_group_size = 1;
    for (std::uint32_t &size : facts.max_item_sizes)
        size = 1;
    facts.local_memory = 16 * 1024;
    facts.max_parameter_size = 1024;
    facts.compute_units = 1;
    return facts;
}

// Whether the kernel is one for the pass, takes it, and has the configuration.
template <class Pass>
bool is_sound(const Choice &choice, const Pass &pass, DeviceClass device_class) {
    for (const auto &spec : support::kernels_of(pass, device_class)) {
        const std::vector<Config> all = gz::all_configs(spec.tunables);
        if (spec.name == choice.kernel)
            return std::count(all.begin(), all.end(), choice.config) == 1 &&
                   spec.refusal(pass, choice.config).empty();
    }
    return false;
}

bool is_sound(const Choice &choice) {
    return is_sound(choice, pass_of(5, Rank::one), DeviceClass::other_gpu);
}

// Not square, so that no bucket of both axes is filled.
CorrelatePass lopsided_pass() {
    return support::make_pass(PixelType::f32, {640, 480, 1, 1}, 1, make_taps(9, 5, Rank::one));
}

CorrelatePass pass_of_axes(std::vector<double> x, std::vector<double> y) {
    gz::PlanDesc desc;
    desc.source = desc.target = support::make_image(PixelType::f32, {640, 480, 1, 1});
    return support::lower_taps(
        gz::Filter::separable(support::make_axis_taps(std::move(x), std::move(y))),
        gz::complete(desc));
}

CorrelatePass varied_pass() {
    gz::PlanDesc desc;
    desc.source = desc.target = support::make_image(PixelType::u8, {640, 480, 1, 1}, 2);
    return support::lower_taps(
        gz::Filter::correlate(make_taps(5, 5, Rank::one))
            .with_component(1, gz::Filter::correlate(make_taps(3, 3, Rank::full))),
        gz::complete(desc));
}

gz::BoxPass box_of(PixelType type, std::int64_t radius_x, std::int64_t radius_y) {
    return support::make_box_pass(type, {640, 480, 1, 1}, 1, radius_x, radius_y);
}

bool runs_items_in_turn(DeviceClass device_class) {
    return device_class == DeviceClass::pocl_cpu || device_class == DeviceClass::intel_cpu ||
           device_class == DeviceClass::other_cpu || device_class == DeviceClass::oclgrind;
}

// Results of a device, as the library ships them: a configuration takes `ratio` of the default's time. They are from an
// earlier version of the kernel, and count nevertheless, as they were shipped.
std::string shipped_of(const DeviceFacts &device, const std::string &kernel,
                       const std::string &config, const std::string &problem, double ratio = 0.5) {
    const gz::SourceTree sources("");
    const support::TempDir directory;
    gz::Tuning tuning(directory.path() + "/tuning.txt", device, sources, {}, {});
    gz::TuningRecord record;
    record.kernel = kernel;
    record.config = config;
    record.spec_hash = "0000000000000000";
    record.problem = problem;
    record.ratio = ratio;
    tuning.add({record});
    std::ifstream file(directory.path() + "/tuning.txt", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Those of a CPU of two cores.
std::string shipped_of_small_cpu(const std::string &kernel, const std::string &config,
                                 const std::string &problem) {
    DeviceFacts small = make_facts(DeviceClass::pocl_cpu);
    small.name = "a small CPU";
    small.architecture = "x86-avx2";
    return shipped_of(small, kernel, config, problem);
}

} // namespace

TEST_SUITE("choice") {
    TEST_CASE("a forced kernel is taken, with the values that are forced too") {
        for (const char *name : {"correlate_tiled", "correlate_strips", "correlate_plain",
                                 "separable_fused", "separable_passes"}) {
            const Choice choice = choose_forced(name);
            CHECK(choice.kernel == name);
            CHECK(is_sound(choice));
            CHECK(choice.rule == "forced by the test");
            CHECK(choice.refused.empty());
        }
        const Choice one = choose_forced("correlate_tiled:ITEM_X=8");
        CHECK(one.config.at("ITEM_X") == 8);
        CHECK(is_sound(one));
        const Choice all =
            choose_forced("correlate_tiled:APART=1,GROUP_X=16,GROUP_Y=8,ITEM_X=8,ITEM_Y=4");
        CHECK(all.config ==
              Config{{"APART", 1}, {"GROUP_X", 16}, {"GROUP_Y", 8}, {"ITEM_X", 8}, {"ITEM_Y", 4}});
        CHECK(all.variant() == "correlate_tiled:APART=1,GROUP_X=16,GROUP_Y=8,ITEM_X=8,ITEM_Y=4");
        CHECK(choose_forced("correlate_strips:BAND=64,STRIP=128").config ==
              Config{{"STRIP", 128}, {"BAND", 64}});
    }

    TEST_CASE("every configuration of every kernel can be forced by its text") {
        const DeviceFacts facts = make_facts(DeviceClass::amd_gpu);
        const auto check = [&](const auto &pass) {
            for (const auto &spec : support::kernels_of(pass, facts.device_class))
                for (const Config &config : gz::all_configs(spec.tunables)) {
                    const std::string forced = spec.name + ":" + gz::to_text(config);
                    CAPTURE(forced);
                    if (!spec.refusal(pass, config).empty() ||
                        !gz::misfit(spec.work(pass, config, facts), facts).empty()) {
                        check_refused(Status::unsupported, {spec.name},
                                      [&] { choose(pass, facts, forced, "the test"); });
                        continue;
                    }
                    const Choice choice = choose(pass, facts, forced, "the test");
                    REQUIRE(choice.kernel == spec.name);
                    REQUIRE(choice.config == config);
                    REQUIRE(choice.variant() == forced);
                }
        };
        check(pass_of(5, Rank::one));
        check(box_of(PixelType::u8, 7, 3));
    }

    TEST_CASE("an unknown kernel is refused with the names that there are") {
        check_forced_refused("correlate_best",
                             {"'correlate_best'", "correlate_tiled", "correlate_strips",
                              "correlate_plain", "separable_fused", "separable_passes",
                              "separable_columns", "separable_stream"});
        // Kernels for other kinds of pass are not among them.
        check_forced_refused("box_plain", {"'box_plain'", "correlate_plain"});
        check_refused(Status::invalid_argument,
                      {"'correlate_plain'", "box_columns", "box_tiled", "box_strips", "box_plain"},
                      [] {
                          choose(box_of(PixelType::u8, 1, 1), make_facts(DeviceClass::other_gpu),
                                 "correlate_plain", "the test");
                      });
        check_forced_refused("correlate_tiled ", {"'correlate_tiled '"});
        check_forced_refused(":GROUP_X=8", {"''", "correlate_tiled"});
    }

    TEST_CASE("unknown tunables and values are refused by name") {
        check_forced_refused("correlate_tiled:GROUP_Z=8", {"correlate_tiled", "GROUP_Z"});
        check_forced_refused("correlate_plain:STRIP=128", {"correlate_plain", "STRIP"});
        check_forced_refused("correlate_tiled:GROUP_X=7", {"correlate_tiled", "GROUP_X=7"});
        check_forced_refused("correlate_tiled:GROUP_X=-8", {"GROUP_X=-8"});
        check_forced_refused("correlate_tiled:GROUP_X=8,GROUP_Y=0", {"GROUP_Y=0"});
    }

    TEST_CASE("malformed settings are refused with what they are") {
        for (const std::string setting :
             {"GROUP_X", "GROUP_X=", "GROUP_X=x", "GROUP_X=8x", "GROUP_X= 8", "GROUP_X=8 ",
              "GROUP_X=99999999999", "GROUP_X=8;GROUP_Y=8"})
            check_forced_refused("correlate_tiled:" + setting,
                                 {"'" + setting + "'", "NAME=NUMBER"});
        check_forced_refused("correlate_tiled:GROUP_X=8,,GROUP_Y=8", {"''"});
    }

    TEST_CASE("what is forced and does not fit is refused, never replaced") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 16;
        check_refused(
            Status::unsupported, {"correlate_tiled", "forced by GAUZE_VARIANT", facts.name, "16"},
            [&] { choose(pass_of(5, Rank::one), facts, "correlate_tiled", "GAUZE_VARIANT"); });
        check_refused(Status::unsupported, {"separable_fused", "not separable"}, [&] {
            choose(pass_of(5, Rank::full), make_facts(DeviceClass::other_gpu), "separable_fused",
                   "the test");
        });
        check_refused(Status::unsupported, {"separable_passes", "differ between components"}, [&] {
            choose(varied_pass(), make_facts(DeviceClass::other_gpu), "separable_passes",
                   "the test");
        });
        check_refused(Status::unsupported, {"box_strips", "8194", "8192"}, [&] {
            choose(box_of(PixelType::u8, 4097, 1), make_facts(DeviceClass::pocl_cpu), "box_strips",
                   "the test");
        });
    }

    TEST_CASE("a forced kernel without values falls back to a configuration of its own that fits") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 32;
        const Choice choice = choose(pass_of(5, Rank::one), facts, "correlate_tiled", "the test");
        CHECK(choice.kernel == "correlate_tiled");
        CHECK(choice.config.at("GROUP_X") * choice.config.at("GROUP_Y") <= 32);
    }

    TEST_CASE("the class of the device decides where nothing is forced") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = make_facts(device_class);
            const bool in_turn = runs_items_in_turn(device_class);
            const bool is_plain = device_class == DeviceClass::plain_gpu;
            // expected: where local memory is ordinary memory nothing is shared.
            const auto check = [&](const auto &pass, const char *expected, const char *plain) {
                const Choice choice = choose(pass, facts, "", "the test");
                CHECK(choice.kernel == (is_plain ? plain : expected));
                CHECK(is_sound(choice, pass, device_class));
                CHECK(
                    choice.config ==
                    support::kernels_of(pass, device_class).front().preferred(pass, facts).front());
                CHECK(choice.rule ==
                      std::string("preferred on devices of class ") + gz::name_of(device_class));
                CHECK(choice.refused.empty());
            };
            check(pass_of(5, Rank::one), in_turn ? "correlate_strips" : "separable_fused",
                  "separable_passes");
            const auto bytes = [](std::int64_t side, std::int64_t taps) {
                return support::make_pass(PixelType::u8, {side, side, 1, 1}, 1,
                                          make_taps(taps, taps, Rank::one));
            };
            check(bytes(4097, 5), in_turn ? "correlate_strips" : "separable_columns",
                  "separable_passes");
            check(bytes(4096, 5), in_turn ? "correlate_strips" : "separable_fused",
                  "separable_passes");
            check(bytes(4097, 6), in_turn ? "correlate_strips" : "separable_fused",
                  "separable_passes");
            check(pass_of(15, Rank::one), in_turn ? "correlate_strips" : "separable_fused",
                  "separable_passes");
            check(lopsided_pass(), in_turn ? "correlate_strips" : "separable_fused",
                  "separable_passes");
            const bool is_mesa = device_class == DeviceClass::mesa_cpu;
            check(box_of(PixelType::f32, 7, 3),
                  in_turn                                   ? "box_strips"
                  : is_mesa                                 ? "box_plain"
                  : device_class == DeviceClass::nvidia_gpu ? "box_march"
                                                            : "box_columns",
                  "box_plain");
            const Choice dense = choose(pass_of(5, Rank::full), facts, "", "the test");
            CHECK(dense.kernel == (in_turn                                   ? "correlate_strips"
                                   : is_plain || is_mesa                     ? "correlate_plain"
                                   : device_class == DeviceClass::nvidia_gpu ? "correlate_stream"
                                                                             : "correlate_tiled"));
        }
    }

    TEST_CASE("defaults are in groups of whole waves, and say why they are what they are") {
        for (const auto device_class : {DeviceClass::nvidia_gpu, DeviceClass::amd_gpu,
                                        DeviceClass::intel_gpu, DeviceClass::other_gpu})
            for (const std::uint32_t wave : {16U, 32U, 64U}) {
                DeviceFacts facts = make_facts(device_class);
                facts.wave = wave;
                facts.max_group_size = 256; // as AMD and Adreno have it
                facts.local_memory = 32 * 1024;
                CHECK(facts.reason_of_defaults().find(gz::text("waves of ", wave)) !=
                      std::string::npos);
                const auto check = [&](const auto &pass) {
                    const Choice choice = choose(pass, facts, "", "the test");
                    CAPTURE(choice.variant());
                    const auto &local = choice.work.launches.back().range.local;
                    CHECK(local[0] * local[1] * local[2] % wave == 0);
                    CHECK(choice.refused.size() <= 1); // of boxes of columns
                };
                check(pass_of(5, Rank::one));
                check(pass_of(15, Rank::one));
                check(pass_of(5, Rank::full));
                check(box_of(PixelType::u8, 7, 7));
                check(box_of(PixelType::f32, 7, 7));
            }
        CHECK(make_facts(DeviceClass::plain_gpu).reason_of_defaults().find("ordinary memory") !=
              std::string::npos);
        for (const DeviceClass device_class : support::all_device_classes)
            CHECK_FALSE(make_facts(device_class).reason_of_defaults().empty());
    }

    TEST_CASE("taps whose frames follow stream where their launch makes these too") {
        DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
        facts.compute_units = 132;
        const auto chosen = [&](const gz::Box &box, PixelType type, std::int64_t width,
                                std::int64_t height) {
            gz::PlanDesc desc;
            desc.source.extent = {width, height, 1, 1};
            desc.source.type = type;
            desc.target = desc.source;
            const auto graph = gz::lower_at_once(box, gz::complete(desc));
            REQUIRE(graph);
            REQUIRE(graph->links.front().alternatives.size() == 0);
            return choose(graph->links.front().step->pass, facts, "", "the test").kernel;
        };
        for (const std::int64_t radius : {1, 2, 3, 5, 8})
            for (const std::int64_t side : {300, 1080, 4096})
                CHECK(chosen({{radius, radius, 0, 0}, 3}, PixelType::f32, side, side) ==
                      "separable_stream");
        // 29 taps do not fill their program, and 5 of a large image are faster in tiles.
        CHECK(chosen({{7, 7, 0, 0}, 2}, PixelType::f32, 1080, 1080) == "separable_fused");
        CHECK(chosen({{1, 1, 0, 0}, 2}, PixelType::f32, 16384, 16384) == "separable_fused");
        // Integers are read as denormals, which frames are not.
        CHECK(chosen({{2, 2, 0, 0}, 3}, PixelType::u8, 1080, 1080) != "separable_stream");
        facts.device_class = DeviceClass::amd_gpu;
        CHECK(chosen({{2, 2, 0, 0}, 3}, PixelType::f32, 1080, 1080) != "separable_stream");
    }

    TEST_CASE("tables are made in one pass where that keeps most of a device at work, and few "
              "tiles at once") {
        struct Table {
            std::int64_t width, height;
            std::int64_t channels;
            const char *kernel, *elsewhere; // on NVIDIA, and on AMD
            const char *reason = "";        // to refuse sat_march, "" where it is not asked
        };
        DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
        facts.compute_units = 132;
        for (const Table &table :
             {Table{16384, 16384, 1, "sat_ahead", "sat_tiled"},
              Table{32768, 20000, 1, "sat_march", "sat_tiled"},
              Table{20000, 20000, 1, "sat_tiled", "sat_tiled", "idle, of 132"},
              Table{4096, 16384, 1, "sat_tiled", "sat_tiled", "idle, of 132"},
              Table{4096, 4096, 1, "sat_once", "sat_tiled"},
              Table{8192, 8192, 1, "sat_march", "sat_tiled"},
              Table{1920, 1080, 1, "sat_once", "sat_gather"},
              Table{3840, 2160, 1, "sat_once", "sat_gather"},
              Table{1280, 720, 3, "sat_once", "sat_gather"},
              Table{1920, 1080, 3, "sat_tiled", "sat_tiled"},
              Table{2048, 2048, 3, "sat_tiled", "sat_tiled"},
              Table{16384, 1000, 1, "sat_once", "sat_tiled"},
              Table{32768, 400, 1, "sat_tiled", "sat_tiled", "400 rows are few"},
              Table{8192, 8192, 2, "sat_ahead", "sat_tiled"},
              Table{2048, 2048, 2, "sat_once", "sat_tiled"},
              Table{1024, 1024, 4, "sat_once", "sat_tiled"},
              Table{4096, 16384, 4, "sat_tiled", "sat_tiled"}}) {
            gz::PlanDesc desc;
            desc.source.extent = {table.width, table.height, 1, 1};
            desc.source.type = PixelType::f32;
            desc.source.channels = table.channels;
            desc.target = desc.source;
            const auto pass = gz::lower_sat(gz::complete(desc, gz::Results::sums));
            const Choice choice = choose(pass, facts, "", "the test");
            CHECK(choice.kernel == table.kernel);
            if (choice.kernel != "sat_once") {
                REQUIRE(choice.refused.size() >= 2);
                const std::string reason = "each tile would add up ";
                CHECK(choice.refused[0].find("sat_once: " + reason) != std::string::npos);
                CHECK(choice.refused[1].find("sat_gather: " + reason) != std::string::npos);
            }
            if (*table.reason) {
                REQUIRE(choice.refused.size() == 4);
                CHECK(choice.refused[3].find("sat_march: ") != std::string::npos);
                CHECK(choice.refused[3].find(table.reason) != std::string::npos);
            }
            CHECK(gz::candidates(pass, facts).front().rfind(table.kernel, 0) == 0);
            facts.device_class = DeviceClass::amd_gpu;
            CHECK(choose(pass, facts, "", "the test").kernel == table.elsewhere);
            facts.device_class = DeviceClass::nvidia_gpu;
        }
    }

    TEST_CASE("results decide before classes do, and what is bad is not taken") {
        const DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        const CorrelatePass pass = pass_of(5, Rank::full);
        const gz::SourceTree sources("");
        const support::TempDir directory;
        gz::Tuning tuning(directory.path() + "/tuning.txt", facts, sources, {}, {});
        const gz::ChoiceOn on(facts, tuning);
        const Choice before = choose(pass, on, "", "the test");
        CHECK(before.rule == "preferred on devices of class gpu");

        const auto add = [&](const std::string &kernel, const std::string &config, double ratio,
                             const std::string &bad = "", const std::string &hash = "") {
            gz::TuningRecord record;
            record.kernel = kernel;
            record.config = config;
            record.spec_hash = hash.empty() ? gz::spec_hash(pass, tuning, kernel).value() : hash;
            record.problem = gz::problem_of(pass);
            record.ratio = ratio;
            record.bad = bad;
            tuning.add({record});
        };
        add("correlate_plain", "GROUP_X=64,GROUP_Y=4", 0.9);
        Choice choice = choose(pass, on, "", "the test");
        CHECK(choice.variant() == "correlate_plain:GROUP_X=64,GROUP_Y=4");
        CHECK(choice.rule.find("tuned on this device") == 0);
        CHECK(choice.refused.empty());
        CHECK(is_sound(choice, pass, facts.device_class));
        // A kernel that the caller forces comes first, and results of other problems do not count.
        CHECK(choose(pass, on, "correlate_strips", "the test").kernel == "correlate_strips");
        CHECK(choose(pass_of(9, Rank::full), on, "", "the test").kernel == "correlate_tiled");

        // A result as fast as the default does not count: the default depends on the size of the image, too.
        {
            const support::TempDir other;
            gz::Tuning tie(other.path() + "/tuning.txt", facts, sources, {}, {});
            gz::TuningRecord record;
            record.kernel = "correlate_plain";
            record.config = "GROUP_X=64,GROUP_Y=4";
            record.spec_hash = gz::spec_hash(pass, tie, record.kernel).value();
            record.problem = gz::problem_of(pass);
            record.ratio = 0.99;
            tie.add({record});
            const Choice same = choose(pass, {facts, tie}, "", "the test");
            CHECK(same.variant() == before.variant());
            CHECK(same.rule.find("preferred on devices of class gpu; tuned on this device") == 0);
        }

        // Faster, but of another source, of no kernel, of no value, of too few, or of no room.
        add("correlate_tiled", "GROUP_X=8,GROUP_Y=8,ITEM_X=4,ITEM_Y=4", 0.1, "",
            "feedfeedfeedfeed");
        add("correlate_strips", "STRIP=7,BAND=16", 0.2);
        add("correlate_strips", "STRIP=128", 0.3);
        choice = choose(pass, on, "", "the test");
        CHECK(choice.kernel == "correlate_plain");
        REQUIRE(choice.refused.size() == 3);
        CHECK(choice.refused[0] == "correlate_tiled: GROUP_X=8,GROUP_Y=8,ITEM_X=4,ITEM_Y=4: tuned "
                                   "when the kernel was another one");
        CHECK(choice.refused[1].find("cannot take STRIP=7") != std::string::npos);
        CHECK(choice.refused[2].find("not all tunables") != std::string::npos);

        // The fastest configuration turns out to be bad, and so does the one that the class prefers.
        add("correlate_plain", "GROUP_X=64,GROUP_Y=4", 0.9, "wrong: 3 off");
        for (const Config &config : gz::correlate_tiled().preferred(pass, facts))
            add("correlate_tiled", gz::to_text(config), 1.0, "hung");
        choice = choose(pass, on, "", "the test");
        CHECK(choice.kernel == "correlate_tiled");
        CHECK(is_sound(choice, pass, facts.device_class));
        const auto preferred = gz::correlate_tiled().preferred(pass, facts);
        CHECK(std::count(preferred.begin(), preferred.end(), choice.config) == 0);
        CHECK_FALSE(gz::explain("pass 1", choice).empty());
        // A forced configuration is taken.
        CHECK(choose(pass, on, "correlate_plain:GROUP_X=64,GROUP_Y=4", "the test").kernel ==
              "correlate_plain");
    }

    TEST_CASE("what was fast on another device is not taken where it leaves this one idle") {
        const gz::SourceTree sources("");
        const CorrelatePass pass = pass_of(5, Rank::full);
        const std::string shipped =
            shipped_of_small_cpu("correlate_strips", "BAND=256,STRIP=4096", gz::problem_of(pass));

        for (const auto &[units, taken] : {std::pair<std::uint32_t, bool>{2, true}, {64, false}}) {
            DeviceFacts other = make_facts(DeviceClass::pocl_cpu);
            other.architecture = "x86-avx2";
            other.compute_units = units;
            const gz::Tuning results("", other, sources, {}, {shipped});
            const Choice choice = choose(pass, {other, results}, "", "the test");
            CAPTURE(choice.rule);
            CHECK((choice.variant() == "correlate_strips:BAND=256,STRIP=4096") == taken);
            CHECK((choice.rule.find("shipped result for architecture x86-avx2") == 0) == taken);
            if (taken)
                CHECK(choice.rule.find("an earlier version") != std::string::npos);
            else
                CHECK(choice.refused.front().find("2 groups for 64 cores") != std::string::npos);
        }
    }

    TEST_CASE("what was fast for a large image is not taken for one that it leaves the device idle "
              "with") {
        const gz::SourceTree sources("");
        DeviceFacts facts = make_facts(DeviceClass::amd_gpu);
        facts.compute_units = 132;
        const std::string high = "BAND=2048,GROUP=64", lower = "BAND=512,GROUP=64";
        const auto chosen = [&](std::int64_t size) {
            const gz::BoxPass pass =
                support::make_box_pass(PixelType::f32, {size, size, 1, 1}, 1, 15, 15);
            const std::string problem = gz::problem_of(pass);
            const std::string first = shipped_of(facts, "box_columns", high, problem);
            const std::string second = shipped_of(facts, "box_columns", lower, problem, 0.6);
            const gz::Tuning results("", facts, sources, {}, {first, second});
            return choose(pass, {facts, results}, "", "the test");
        };
        // One class of sizes holds both images.
        const Choice large = chosen(16384);
        CHECK(large.variant() == "box_columns:" + high);
        CHECK(large.rule.find("shipped result for " + facts.name) == 0);
        const Choice smaller = chosen(4096);
        CHECK(smaller.variant() == "box_columns:BAND=128,GROUP=64");
        REQUIRE(smaller.refused.size() == 1);
        CHECK(smaller.refused.front().find("groups for 132 cores") != std::string::npos);
        // Where the default has too few groups as well, the result is as good as it was.
        CHECK(chosen(512).variant() == "box_columns:" + high);
    }

    TEST_CASE(
        "what was fast for some of a class of problems is not taken for one it does not suit") {
        const gz::SourceTree sources("");
        DeviceFacts facts = make_facts(DeviceClass::pocl_cpu);
        facts.architecture = "x86-avx2";
        facts.compute_units = 2;
        const gz::BoxPass low = box_of(PixelType::f32, 150, 150);
        const gz::BoxPass high = box_of(PixelType::f32, 150, 400);
        REQUIRE(gz::problem_of(low) == gz::problem_of(high));
        const std::string config = "BAND=256,STRIP=512";
        const std::string shipped = shipped_of_small_cpu("box_strips", config, gz::problem_of(low));
        const gz::Tuning results("", facts, sources, {}, {shipped});
        CHECK(choose(low, {facts, results}, "", "the test").variant() == "box_strips:" + config);
        const Choice other = choose(high, {facts, results}, "", "the test");
        CHECK(other.kernel != "box_strips");
        CHECK(other.refused.front().find("bands of 256 rows are low") != std::string::npos);
    }

    TEST_CASE("candidates are all that can run, the default first and then other kernels") {
        for (const DeviceClass device_class : {DeviceClass::other_gpu, DeviceClass::pocl_cpu}) {
            const DeviceFacts facts = make_facts(device_class);
            const auto check = [&](const auto &pass) {
                const std::vector<std::string> all = gz::candidates(pass, facts);
                CHECK(all.front() == choose(pass, facts, "", "the test").variant());
                const auto kernels = support::kernels_of(pass, device_class);
                std::size_t expected = 0;
                std::vector<std::string> runnable;
                for (const auto &spec : kernels) {
                    std::size_t fitting = 0;
                    for (const Config &config : gz::all_configs(spec.tunables))
                        fitting += spec.refusal(pass, config).empty() &&
                                           gz::misfit(spec.work(pass, config, facts), facts).empty()
                                       ? 1U
                                       : 0U;
                    expected += fitting;
                    if (fitting > 0)
                        runnable.push_back(spec.name);
                }
                CHECK(all.size() == expected);
                std::vector<std::string> sorted = all;
                std::sort(sorted.begin(), sorted.end());
                CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
                for (std::size_t i = 0; i < runnable.size(); ++i)
                    CHECK(all[i].find(runnable[i] + ":") == 0);
                for (const std::string &candidate : all)
                    REQUIRE(choose(pass, facts, candidate, "the test").variant() == candidate);
            };
            check(pass_of(5, Rank::one));
            check(pass_of(15, Rank::full));
            check(box_of(PixelType::u8, 7, 3));
        }
    }

    TEST_CASE("problems are few: sizes and taps share them, types and kinds do not") {
        const auto problem = [](PixelType type, std::int64_t side, std::int64_t taps, Rank rank) {
            return gz::problem_of(
                support::make_pass(type, {side, side, 1, 1}, 1, make_taps(taps, taps, rank)));
        };
        CHECK(problem(PixelType::f32, 640, 5, Rank::one) == "separable taps<=5 f32 small");
        CHECK(problem(PixelType::f32, 640, 4, Rank::one) ==
              problem(PixelType::f32, 700, 5, Rank::one));
        // Kernels have unrolled bodies for some sizes of dense taps.
        CHECK(problem(PixelType::f32, 2048, 5, Rank::full) == "correlate taps=5 f32 medium");
        CHECK(problem(PixelType::f32, 2048, 4, Rank::full) == "correlate taps<=5 f32 medium");
        CHECK(problem(PixelType::f32, 2048, 9, Rank::full) == "correlate taps=9 f32 medium");
        CHECK(problem(PixelType::f32, 2048, 8, Rank::full) == "correlate taps<=11 f32 medium");
        CHECK(problem(PixelType::f32, 2048, 31, Rank::full) == "correlate taps<=31 f32 medium");
        CHECK(gz::problem_of(support::make_pass(PixelType::f32, {640, 480, 1, 1}, 3,
                                                make_taps(5, 5, Rank::full))) ==
              "correlate taps=5 f32 small channels");
        CHECK(problem(PixelType::u8, 4096, 63, Rank::full) == "correlate taps<=63 u8 medium");
        CHECK(problem(PixelType::u8, 4097, 63, Rank::full) == "correlate taps<=63 u8 large");
        CHECK(gz::problem_of(varied_pass()) == "varied taps<=5 u8 small channels");
        CHECK(gz::problem_of(box_of(PixelType::u16, 200, 3)) == "box taps>255 u16 small");
        // Measurements of boxes within the image say nothing of longer ones.
        CHECK(gz::problem_of(box_of(PixelType::u16, 639, 3)) == "box taps>255 u16 small");
        CHECK(gz::problem_of(box_of(PixelType::u16, 640, 3)) == "box taps>image u16 small");
        CHECK(gz::problem_of(box_of(PixelType::u16, 3, 480)) == "box taps>image u16 small");
        CHECK(gz::problem_of(support::make_box_pass(PixelType::u16, {4096, 4096, 1, 1}, 1, 3,
                                                    1024)) == "box taps>2047 u16 medium");
        gz::PlanDesc desc;
        desc.source = support::make_image(PixelType::u8, {5000, 5000, 1, 1});
        desc.target = support::make_image(PixelType::f32, {5000, 5000, 1, 1});
        desc.border = {gz::BorderMode::zero, 0.0};
        gz::RecursiveOptions options;
        const auto recursive = [&](int axis) {
            const gz::Graph graph = gz::lower(
                gz::Filter::recursive({{axis, true, {0.2}, {0.8}}}, options), gz::complete(desc));
            return gz::problem_of(graph.links.at(0));
        };
        CHECK(recursive(0) == "recursive-rows sections<=1 forgets<=512 lines>128 u8-f32 large");
        CHECK(recursive(1) == "recursive-columns sections<=1 forgets<=512 lines>128 u8-f32 large");
        options.tile = 64;
        CHECK(recursive(1).empty());
    }

    TEST_CASE("problems of volumes: a cube, one of a bank, one along t, and axes in one pass") {
        gz::PlanDesc desc;
        desc.source = desc.target = support::make_image(PixelType::f32, {128, 128, 128, 4});
        const auto dense = [](std::int64_t side, std::int64_t along_t) {
            gz::Taps taps;
            taps.size = {side, side, side, along_t};
            taps.anchor = {side / 2, side / 2, side / 2, along_t / 2};
            taps.values.assign(static_cast<std::size_t>(side * side * side * along_t), 0.5);
            taps.values.back() = 0.25; // no product of taps along axes
            return gz::Filter::correlate(taps);
        };
        const auto problem = [&](const gz::Filter &filter) {
            gz::PlanDesc own = desc;
            own.more_targets.assign(filter.target_count() - 1, desc.target);
            return gz::problem_of(gz::lower(filter, gz::complete(own)).links.at(0));
        };
        CHECK(problem(dense(3, 1)) == "volume taps<=3 f32 medium");
        CHECK(problem(dense(3, 3)) == "volume-4d taps<=3 f32 medium");
        CHECK(problem(gz::Filter::bank({dense(5, 1), dense(5, 1)})) ==
              "volume-bank taps<=5 f32 medium");
        gz::AxisTaps axes;
        axes.values.fill({});
        for (std::size_t axis = 0; axis < 3; ++axis)
            axes.values[axis] = {0.25, 0.5, 0.25};
        CHECK(problem(gz::Filter::separable(axes)) == "separable volume taps<=3 f32 medium");
    }

    TEST_CASE("long taps, taps per component and large boxes get a kernel on every class") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = make_facts(device_class);
            const auto check = [&](const auto &pass, const char *expected) {
                const Choice choice = choose(pass, facts, "", "the test");
                CHECK(choice.kernel == expected);
                CHECK(is_sound(choice, pass, device_class));
                // Ranks first, in spite of its drawback.
                std::vector<gz::RankedKernel> kernels = gz::kernels_for(pass, facts);
                std::stable_sort(kernels.begin(), kernels.end(),
                                 [](const auto &one, const auto &other) {
                                     return one.rank.wanted > other.rank.wanted;
                                 });
                CHECK(choice.refused.empty() == (kernels.front().kernel->name == expected));
            };
            check(pass_of_axes(std::vector<double>(1001, 0.001), {1}), "separable_passes");
            check(pass_of_axes({1}, std::vector<double>(gz::max_axis_taps, 0.001)),
                  "separable_passes");
            check(varied_pass(), "correlate_plain");
            const gz::BoxPass largest =
                box_of(PixelType::u8, gz::max_box_radius, gz::max_box_radius);
            const bool is_cpu = gz::habit_of(facts) == gz::GroupHabit::strips;
            check(largest, is_cpu ? "box_lines" : "box_plain");
        }
    }

    TEST_CASE(
        "boxes whose filling would take longer than all else get a kernel that reads pixels once") {
        DeviceFacts cpu = make_facts(DeviceClass::pocl_cpu);
        cpu.compute_units = 2; // bands of 64 rows
        const auto chosen = [](const gz::BoxPass &pass, const DeviceFacts &facts) {
            return choose(pass, facts, "", "the test").kernel;
        };
        CHECK(chosen(box_of(PixelType::f32, 20, 20), cpu) == "box_strips");
        CHECK(chosen(box_of(PixelType::f32, 639, 20), cpu) == "box_strips");
        CHECK(chosen(box_of(PixelType::f32, 640, 20), cpu) == "box_lines");
        CHECK(chosen(box_of(PixelType::f32, 20, 480), cpu) == "box_lines");
        // Bands are low in an image as small as this.
        CHECK(chosen(box_of(PixelType::f32, 20, 400), cpu) == "box_lines");
        // One band of a tiny image is sooner done than a second core wakes.
        const auto of_tiny = [](std::int64_t width) {
            return support::make_box_pass(PixelType::f32, {width, 32, 1, 1}, 1, 20, 20);
        };
        CHECK(choose(of_tiny(128), cpu, "", "the test").variant() ==
              "box_strips:BAND=1024,STRIP=4096");
        CHECK(chosen(of_tiny(129), cpu) == "box_lines");
        const auto of_volume = [](std::int64_t radius) {
            return support::make_box_pass(PixelType::f32, {5000, 16, 1, 1}, 1, 0, radius);
        };
        const DeviceFacts gpu = make_facts(DeviceClass::nvidia_gpu);
        CHECK(chosen(of_volume(63), gpu) == "box_columns");
        CHECK(chosen(of_volume(64), gpu) == "box_columns");
        CHECK(chosen(of_volume(64), cpu) == "box_lines");
    }

    TEST_CASE("what was preferred and refused is named with its reason") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.local_memory = 100; // no tile fits
        const Choice choice = choose(pass_of(5, Rank::one), facts, "", "the test");
        CHECK(choice.kernel == "separable_passes");
        REQUIRE(choice.refused.size() == 1);
        CHECK(choice.refused[0].find("separable_fused: ") == 0);
        CHECK(choice.refused[0].find("local memory") != std::string::npos);
        CHECK(choice.refused[0].find("100") != std::string::npos);
    }

    TEST_CASE("a weak device of any class always gets some kernel, and one that fits it") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = weak_facts(device_class);
            const auto check = [&](const auto &pass) {
                const Choice choice = choose(pass, facts, "", "the test");
                CAPTURE(choice.variant());
                REQUIRE(is_sound(choice, pass, device_class));
                REQUIRE(gz::misfit(choice.work, facts) == "");
            };
            for (const Rank rank : {Rank::one, Rank::full})
                for (const std::int64_t taps : {1, 3, 5, 7, 9, 11, 15, 31, 63})
                    for (const PixelType type : {PixelType::u8, PixelType::f32}) {
                        CAPTURE(taps);
                        check(support::make_pass(type, {100, 100, 1, 1}, 4,
                                                 make_taps(taps, taps, rank)));
                    }
            check(varied_pass());
            check(pass_of_axes(std::vector<double>(1001, 0.001), {1, 2, 3}));
            for (const std::int64_t radius : {0, 1, 31, 32, 33, 5000, 1000000})
                for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
                    CAPTURE(radius);
                    check(box_of(type, radius, 1));
                    check(box_of(type, 1, radius));
                }
        }
    }

    TEST_CASE("images take one launch for each axis of a recursive Gaussian where launches count") {
        DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
        facts.compute_units = 132;
        const auto choice = [&](std::int64_t width, std::int64_t height, std::size_t axis,
                                double sigma = 30.0) {
            gz::Gaussian gaussian;
            gaussian.method = gz::GaussianMethod::recursive;
            gaussian.sigma[axis] = sigma;
            gz::PlanDesc desc;
            desc.source = desc.target = support::make_image(PixelType::f32, {width, height, 1, 1});
            const gz::Filter filter =
                gz::settle(gz::Filter::gaussian(gaussian), {facts.device_class, ""}).filter;
            const gz::Graph graph = gz::lower(filter, gz::complete(desc));
            return choose(graph.links.at(0).step->pass, facts, "", "the test");
        };
        struct Image {
            int width, height;
            const char *kernels[2]; // of rows and of columns
        };
        constexpr const char *whole = "recursive_whole";
        constexpr const char *look = "recursive_look";
        for (const Image &image : {Image{128, 128, {whole, whole}},
                                   {640, 480, {whole, whole}},
                                   {1920, 1080, {whole, look}},
                                   {3840, 2160, {look, look}},
                                   {16384, 16384, {look, look}}})
            for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
                const Choice one = choice(image.width, image.height, axis);
                CHECK(one.kernel == image.kernels[axis]);
                CHECK(one.work.launches.size() == 1);
            }
        // Groups that march look further ahead for longer memories. Columns of more than 2048 samples have no room for
        // eight side by side.
        constexpr double sigma = 200.0;
        CHECK(choice(1920, 1080, 1, sigma).kernel == whole);
        CHECK(choice(3840, 2160, 0, sigma).kernel == whole);
        CHECK(choice(3840, 2160, 1, sigma).kernel == look);
        CHECK(choice(5000, 1000, 0, sigma).kernel == look);
        // Few lines leave most of the device idle for as long as they last.
        CHECK(choice(1000000, 1, 0).kernel == "recursive_tiled");
        CHECK(choice(100, 65536, 1).kernel == "recursive_tiled");
    }

    TEST_CASE("tiles of recursive filters are the nearest to those asked for") {
        const auto choice = [](std::int64_t tile, int axis, const std::string &kernel) {
            gz::RecursiveOptions options;
            options.tile = tile;
            gz::PlanDesc desc;
            desc.source = desc.target = support::make_image(PixelType::f32, {5000, 5000, 1, 1});
            desc.border = {gz::BorderMode::zero, 0.0};
            const gz::Graph graph = gz::lower(
                gz::Filter::recursive({{axis, true, {0.2}, {0.8}}}, options), gz::complete(desc));
            return choose(graph.links.at(0).step->pass, make_facts(DeviceClass::other_gpu), kernel,
                          "the test");
        };
        for (const int axis : {0, 1})
            for (const auto &[tile_size, expected] : {std::pair<std::int64_t, int>{1, 4},
                                                      {64, 4},
                                                      {250, 16},
                                                      {600, 32},
                                                      {1024, 64},
                                                      {65536, 256}}) {
                const std::int64_t tile =
                    tile_size; // CAPTURE takes no bindings with every compiler
                CAPTURE(tile);
                const Choice tiled = choice(tile, axis, "recursive_tiled");
                CHECK(tiled.config.at("CHUNKS") == expected);
                CHECK(tiled.details.find(gz::text("tiles of ", 16 * expected)) !=
                      std::string::npos);
                CHECK(choice(tile, axis, "recursive_plain")
                          .details.find(gz::text("whatever tile is asked for (", tile, ")")) !=
                      std::string::npos);
            }
        // Kernels that take the hint come first.
        CHECK(choice(64, 1, "").kernel == "recursive_tiled");
        CHECK(choice(0, 1, "").kernel != "recursive_tiled");
        CHECK(choice(0, 0, "recursive_plain").details.find("asked for") == std::string::npos);
    }
    TEST_CASE("a kernel that is wrong on a device is refused there, and taken elsewhere") {
        gz::PlanDesc desc;
        desc.source = desc.target = support::make_image(PixelType::f32, {500, 500, 1, 1});
        desc.border = {gz::BorderMode::zero, 0.0};
        const gz::Graph graph =
            gz::lower(gz::Filter::recursive({{0, true, {0.2}, {0.8}}}, {}), gz::complete(desc));
        const auto choose_strips = [&](DeviceClass device_class) {
            return choose(graph.links.at(0).step->pass, make_facts(device_class),
                          "recursive_strips", "the test");
        };
        CHECK(choose_strips(DeviceClass::pocl_cpu).kernel == "recursive_strips");
        CHECK(choose_strips(DeviceClass::amd_gpu).kernel == "recursive_strips");
        check_refused(Status::unsupported, {"recursive_strips", "beyond its bound"},
                      [&] { choose_strips(DeviceClass::nvidia_gpu); });
    }

    TEST_CASE("where nothing can run, every candidate's reason is given") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_parameter_size = 64; // less than the geometry alone
        check_refused(Status::unsupported,
                      {facts.name, "correlate_tiled: ", "correlate_strips: ", "correlate_plain: ",
                       "separable_fused: ", "separable_passes: ", "separable_columns: ",
                       "separable_stream: ", "bytes of arguments", "64"},
                      [&] { choose(pass_of(5, Rank::one), facts, "", "the test"); });
        check_refused(
            Status::unsupported,
            {facts.name, "box_columns: ", "box_tiled: ", "box_strips: ", "box_plain: ", "64"},
            [&] { choose(box_of(PixelType::u8, 1, 1), facts, "", "the test"); });
    }
}
