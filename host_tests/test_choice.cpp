// The choice of a kernel: what is forced, what devices prefer, and what is said about it.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.hpp"
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
    for (const auto &spec : gz::kernels_for(pass, device_class)) {
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
    return gz::lower_correlation(
        gz::Filter::separable(support::make_axis_taps(std::move(x), std::move(y))),
        gz::complete(desc));
}

CorrelatePass varied_pass() {
    gz::PlanDesc desc;
    desc.source = desc.target = support::make_image(PixelType::u8, {640, 480, 1, 1}, 2);
    return gz::lower_correlation(
        gz::Filter::correlate(make_taps(5, 5, Rank::one))
            .with_component(1, gz::Filter::correlate(make_taps(3, 3, Rank::full))),
        gz::complete(desc));
}

gz::BoxPass box_of(PixelType type, std::int64_t radius_x, std::int64_t radius_y) {
    return support::make_box_pass(type, {640, 480, 1, 1}, 1, radius_x, radius_y);
}

bool runs_items_in_turn(DeviceClass device_class) {
    return device_class == DeviceClass::pocl_cpu || device_class == DeviceClass::other_cpu ||
           device_class == DeviceClass::oclgrind;
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
        const Choice all = choose_forced("correlate_tiled:GROUP_X=16,GROUP_Y=8,ITEM_X=8,ITEM_Y=4");
        CHECK(all.config == Config{{"GROUP_X", 16}, {"GROUP_Y", 8}, {"ITEM_X", 8}, {"ITEM_Y", 4}});
        CHECK(all.variant() == "correlate_tiled:GROUP_X=16,GROUP_Y=8,ITEM_X=8,ITEM_Y=4");
        CHECK(choose_forced("correlate_strips:BAND=64,STRIP=128").config ==
              Config{{"STRIP", 128}, {"BAND", 64}});
    }

    TEST_CASE("every configuration of every kernel can be forced by its text") {
        const DeviceFacts facts = make_facts(DeviceClass::amd_gpu);
        const auto check = [&](const auto &pass) {
            for (const auto &spec : gz::kernels_for(pass, facts.device_class))
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
                              "separable_columns"});
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
            const auto check = [&](const auto &pass, const char *expected) {
                const Choice choice = choose(pass, facts, "", "the test");
                CHECK(choice.kernel == expected);
                CHECK(is_sound(choice, pass, device_class));
                CHECK(choice.config ==
                      gz::kernels_for(pass, device_class).front().preferred(pass, facts).front());
                CHECK(choice.rule ==
                      std::string("preferred on devices of class ") + gz::name_of(device_class));
                CHECK(choice.refused.empty());
            };
            check(pass_of(5, Rank::one), in_turn ? "correlate_strips" : "separable_fused");
            const auto bytes = [](std::int64_t taps) {
                return support::make_pass(PixelType::u8, {640, 480, 1, 1}, 1,
                                          make_taps(taps, taps, Rank::one));
            };
            check(bytes(5), in_turn ? "correlate_strips" : "separable_columns");
            check(bytes(6), in_turn ? "correlate_strips" : "separable_fused");
            check(pass_of(5, Rank::full), in_turn ? "correlate_strips" : "correlate_tiled");
            check(pass_of(15, Rank::one), in_turn ? "correlate_strips" : "separable_fused");
            check(lopsided_pass(), in_turn ? "correlate_strips" : "separable_fused");
            check(box_of(PixelType::f32, 7, 3), in_turn ? "box_strips" : "box_columns");
        }
    }

    TEST_CASE("long taps, taps per component and large boxes get a kernel on every class") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = make_facts(device_class);
            const auto check = [&](const auto &pass, const char *expected) {
                const Choice choice = choose(pass, facts, "", "the test");
                CHECK(choice.kernel == expected);
                CHECK(is_sound(choice, pass, device_class));
                CHECK_FALSE(choice.refused.empty());
            };
            check(pass_of_axes(std::vector<double>(1001, 0.001), {1}), "separable_passes");
            check(pass_of_axes({1}, std::vector<double>(gz::max_axis_taps, 0.001)),
                  "separable_passes");
            check(varied_pass(), "correlate_plain");
            check(box_of(PixelType::u8, gz::max_box_radius, gz::max_box_radius), "box_plain");
        }
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

    TEST_CASE("tiles of recursive filters are the nearest to those asked for") {
        const auto choice = [](std::int64_t tile, int axis, const std::string &kernel) {
            gz::RecursiveOptions options;
            options.tile = tile;
            gz::PlanDesc desc;
            desc.source = desc.target = support::make_image(PixelType::f32, {5000, 5000, 1, 1});
            desc.border = {gz::BorderMode::zero, 0.0};
            const gz::Lowered lowered = gz::lower(
                gz::Filter::recursive({{axis, true, {0.2}, {0.8}}}, options), gz::complete(desc));
            return choose(std::get<gz::RecursivePass>(lowered.steps.at(0).pass),
                          make_facts(DeviceClass::other_gpu), kernel, "the test");
        };
        for (const int axis : {0, 1})
            for (const auto &[tile, chunks] : {std::pair<std::int64_t, int>{1, 4},
                                               {64, 4},
                                               {250, 16},
                                               {600, 32},
                                               {1024, 64},
                                               {65536, 256}}) {
                CAPTURE(tile);
                const Choice tiled = choice(tile, axis, "recursive_tiled");
                CHECK(tiled.config.at("CHUNKS") == chunks);
                CHECK(tiled.details.find(gz::text("tiles of ", 16 * chunks)) != std::string::npos);
                CHECK(choice(tile, axis, "recursive_plain")
                          .details.find(gz::text("whatever tile is asked for (", tile, ")")) !=
                      std::string::npos);
            }
        // What takes the hint comes first.
        CHECK(choice(64, 1, "").kernel == "recursive_tiled");
        CHECK(choice(0, 1, "").kernel != "recursive_tiled");
        CHECK(choice(0, 0, "recursive_plain").details.find("asked for") == std::string::npos);
    }
    TEST_CASE("where nothing can run, every candidate's reason is given") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_parameter_size = 64; // less than the geometry alone
        check_refused(Status::unsupported,
                      {facts.name, "correlate_tiled: ", "correlate_strips: ", "correlate_plain: ",
                       "separable_fused: ", "separable_passes: ", "separable_columns: ",
                       "bytes of arguments", "64"},
                      [&] { choose(pass_of(5, Rank::one), facts, "", "the test"); });
        check_refused(
            Status::unsupported,
            {facts.name, "box_columns: ", "box_tiled: ", "box_strips: ", "box_plain: ", "64"},
            [&] { choose(box_of(PixelType::u8, 1, 1), facts, "", "the test"); });
    }
}
