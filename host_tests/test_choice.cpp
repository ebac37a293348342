// The choice of a kernel: what is forced, what devices prefer, and what is said about it.
#include <doctest/doctest.h>

#include <algorithm>

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

bool is_config_of(const Choice &choice) {
    const std::vector<Config> all = gz::all_configs(choice.spec.tunables);
    return std::count(all.begin(), all.end(), choice.config) == 1;
}

} // namespace

TEST_SUITE("choice") {
    TEST_CASE("a forced kernel is taken, with the values that are forced too") {
        for (const char *name : {"correlate_tiled", "correlate_strips", "correlate_plain"}) {
            const Choice choice = choose_forced(name);
            CHECK(choice.spec.name == name);
            CHECK(is_config_of(choice));
            CHECK(choice.rule == "forced by the test");
            CHECK(choice.refused.empty());
        }
        const Choice one = choose_forced("correlate_tiled:GROUP_Y=16");
        CHECK(one.config.at("GROUP_Y") == 16);
        CHECK(is_config_of(one));
        const Choice all =
            choose_forced("correlate_tiled:GROUP_X=16,GROUP_Y=8,ITEM_Y=8,SHARE_ROWS=1");
        CHECK(all.config ==
              Config{{"GROUP_X", 16}, {"GROUP_Y", 8}, {"ITEM_Y", 8}, {"SHARE_ROWS", 1}});
        CHECK(choose_forced("correlate_strips:BAND=64,STRIP=128").config ==
              Config{{"STRIP", 128}, {"BAND", 64}});
    }

    TEST_CASE("every configuration of every kernel can be forced by its text") {
        const CorrelatePass pass = pass_of(5, Rank::one);
        const DeviceFacts facts = make_facts(DeviceClass::amd_gpu);
        for (const gz::CorrelateSpec &spec : gz::correlate_kernels())
            for (const Config &config : gz::all_configs(spec.tunables)) {
                const std::string forced = spec.name + ":" + gz::to_text(config);
                CAPTURE(forced);
                if (!gz::misfit(spec.launch(pass, config, facts), facts).empty()) {
                    check_refused(Status::unsupported, {spec.name},
                                  [&] { choose(pass, facts, forced, "the test"); });
                    continue;
                }
                const Choice choice = choose(pass, facts, forced, "the test");
                REQUIRE(choice.spec.name == spec.name);
                REQUIRE(choice.config == config);
            }
    }

    TEST_CASE("an unknown kernel is refused with the names that there are") {
        check_forced_refused("correlate_best", {"'correlate_best'", "correlate_tiled",
                                                "correlate_strips", "correlate_plain"});
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
        check_refused(Status::unsupported, {"correlate_tiled", "separable"}, [&] {
            choose(pass_of(5, Rank::full), make_facts(DeviceClass::other_gpu),
                   "correlate_tiled:SHARE_ROWS=1", "the test");
        });
    }

    TEST_CASE("a forced kernel without values falls back to a configuration of its own that fits") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_group_size = 32;
        const Choice choice = choose(pass_of(5, Rank::one), facts, "correlate_tiled", "the test");
        CHECK(choice.spec.name == "correlate_tiled");
        CHECK(choice.config.at("GROUP_X") * choice.config.at("GROUP_Y") <= 32);
    }

    TEST_CASE("the class of the device decides where nothing is forced") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const DeviceFacts facts = make_facts(device_class);
            const CorrelatePass pass = pass_of(5, Rank::one);
            const Choice choice = choose(pass, facts, "", "the test");
            const bool runs_items_in_turn = device_class == DeviceClass::pocl_cpu ||
                                            device_class == DeviceClass::other_cpu ||
                                            device_class == DeviceClass::oclgrind;
            CHECK(choice.spec.name ==
                  (runs_items_in_turn ? "correlate_strips" : "correlate_tiled"));
            CHECK(choice.config == choice.spec.preferred(pass, facts).front());
            CHECK(choice.rule ==
                  std::string("preferred on devices of class ") + gz::name_of(device_class));
            CHECK(choice.refused.empty());
        }
    }

    TEST_CASE("what was preferred and refused is named with its reason") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.local_memory = 100; // no tile fits
        const Choice choice = choose(pass_of(5, Rank::one), facts, "", "the test");
        CHECK(choice.spec.name == "correlate_plain");
        REQUIRE(choice.refused.size() == 1);
        CHECK(choice.refused[0].find("correlate_tiled: ") == 0);
        CHECK(choice.refused[0].find("local memory") != std::string::npos);
        CHECK(choice.refused[0].find("100") != std::string::npos);
    }

    TEST_CASE("a weak device of any class always gets some kernel, and one that fits it") {
        for (const DeviceClass device_class : support::all_device_classes)
            for (const Rank rank : {Rank::one, Rank::full})
                for (const std::int64_t taps : {1, 3, 5, 7, 9, 11, 15, 31, 63})
                    for (const PixelType type : {PixelType::u8, PixelType::f32}) {
                        const DeviceFacts facts = weak_facts(device_class);
                        CAPTURE(gz::name_of(device_class));
                        CAPTURE(taps);
                        const CorrelatePass pass = support::make_pass(type, {100, 100, 1, 1}, 4,
                                                                      make_taps(taps, taps, rank));
                        const Choice choice = choose(pass, facts, "", "the test");
                        REQUIRE(is_config_of(choice));
                        REQUIRE(choice.spec.refusal(pass, choice.config) == "");
                        REQUIRE(gz::misfit(choice.spec.launch(pass, choice.config, facts), facts) ==
                                "");
                    }
    }

    TEST_CASE("where nothing can run, every candidate's reason is given") {
        DeviceFacts facts = make_facts(DeviceClass::other_gpu);
        facts.max_parameter_size = 64; // less than the geometry alone
        check_refused(Status::unsupported,
                      {facts.name, "correlate_tiled: ", "correlate_strips: ", "correlate_plain: ",
                       "bytes of arguments", "64"},
                      [&] { choose(pass_of(5, Rank::one), facts, "", "the test"); });
    }
}
