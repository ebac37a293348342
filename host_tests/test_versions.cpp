// Callers of older and newer headers than the library's: shorter and longer structs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "support/shared.hpp"

namespace {

// The first `bytes` bytes of the struct, as all that the caller has: what is behind is not 0.
template <class T> class Older {
public:
    Older(const T &known, std::size_t bytes) : bytes_(bytes) {
        REQUIRE(bytes < sizeof(T));
        std::memset(storage_, 0xee, sizeof storage_);
        std::memcpy(storage_, &known, bytes);
        get()->struct_size = static_cast<std::uint32_t>(bytes);
    }
    T *get() { return reinterpret_cast<T *>(storage_); }
    bool rest_is_untouched() const {
        return std::all_of(storage_ + bytes_, storage_ + sizeof storage_,
                           [](unsigned char b) { return b == 0xee; }) &&
               reinterpret_cast<const T *>(storage_)->struct_size == bytes_;
    }

private:
    alignas(T) unsigned char storage_[sizeof(T)];
    std::size_t bytes_;
};

// A struct that has grown.
template <class T> struct Newer {
    T known;
    std::uint64_t added[2];
};
template <class T> Newer<T> newer(const T &known, std::uint64_t added) {
    Newer<T> result{known, {0, added}};
    result.known.struct_size = sizeof result;
    return result;
}

// call: of a function that succeeds with the struct. field: the first that an older caller lacks.
template <class T, class Call> void check_sizes(T good, std::size_t field, const Call &call) {
    good.struct_size = sizeof good;
    CHECK(call(&good) == GAUZE_OK);
    Older<T> older(good, field);
    const gauze_status status = call(older.get());
    INFO(gauze_last_error());
    CHECK(status == GAUZE_OK);
    CHECK(older.rest_is_untouched());

    Newer<T> same = newer(good, 0);
    CHECK(call(&same.known) == GAUZE_OK);
    CHECK(same.known.struct_size == sizeof same);
    CHECK(same.added[1] == 0);
    Newer<T> more = newer(good, 1);
    CHECK(call(&more.known) == GAUZE_ERROR_INVALID_ARGUMENT);
    const std::string said = gauze_last_error();
    INFO(said);
    CHECK(said.find("struct_size is " + std::to_string(sizeof more)) != std::string::npos);
    CHECK(said.find("knows " + std::to_string(sizeof good)) != std::string::npos);
    CHECK(said.find("byte " + std::to_string(sizeof good + 8)) != std::string::npos);

    for (const std::uint32_t no_size : {0U, 1U, 4U, 7U, 9U, 5000U, 0xffffffffU}) {
        T bad = good;
        bad.struct_size = no_size;
        CHECK(call(&bad) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("struct_size is " + std::to_string(no_size)) !=
              std::string::npos);
    }
}

gauze_engine *engine() {
    return support::shared([] { return gauze::Engine(); }).c_handle();
}

// Runs a function that makes a handle, and destroys the handle.
template <class T, class Create> gauze_status tried(void (*destroy)(T *), const Create &create) {
    T *handle = nullptr;
    const gauze_status status = create(&handle);
    destroy(handle);
    return status;
}
template <class Create> gauze_status tried_filter(const Create &create) {
    return tried<gauze_filter>(gauze_filter_destroy, create);
}

gauze_image_desc small_image() {
    return gauze::Image::f32(8, 4).c_desc();
}

} // namespace

TEST_SUITE("versions of structs") {
    TEST_CASE("filters") {
        const double values[] = {1, 2, 1};
        gauze_taps taps{};
        taps.values = values;
        taps.size[0] = 3;
        taps.size[1] = 1;
        check_sizes(taps, offsetof(gauze_taps, anchor), [](const gauze_taps *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_correlate(given, filter); });
        });
        gauze_separable_taps separable{};
        separable.values[0] = values;
        separable.count[0] = 3;
        check_sizes(separable, offsetof(gauze_separable_taps, anchor),
                    [](const gauze_separable_taps *given) {
                        return tried_filter([&](gauze_filter **filter) {
                            return gauze_filter_separable(given, filter);
                        });
                    });
        gauze_gaussian gaussian{};
        gaussian.sigma[0] = 1.5;
        check_sizes(gaussian, offsetof(gauze_gaussian, truncate), [](const gauze_gaussian *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_gaussian(given, filter); });
        });
        gauze_box box{};
        box.radius[0] = 2;
        check_sizes(box, offsetof(gauze_box, radius) + 2 * sizeof(std::int64_t),
                    [](const gauze_box *given) {
                        return tried_filter(
                            [&](gauze_filter **filter) { return gauze_filter_box(given, filter); });
                    });
        gauze_bilateral bilateral{};
        bilateral.sigma_space = bilateral.sigma_range = 1;
        check_sizes(bilateral, offsetof(gauze_bilateral, accuracy),
                    [](const gauze_bilateral *given) {
                        return tried_filter([&](gauze_filter **filter) {
                            return gauze_filter_bilateral(given, filter);
                        });
                    });
        gauze_nlm nlm{};
        nlm.strength = 1;
        check_sizes(nlm, offsetof(gauze_nlm, accuracy), [](const gauze_nlm *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_nlm(given, filter); });
        });
        gauze_window window{};
        window.struct_size = sizeof window;
        window.size[0] = 3;
        gauze_morphology morphology{};
        morphology.window = &window;
        check_sizes(morphology, offsetof(gauze_morphology, weights),
                    [](const gauze_morphology *given) {
                        return tried_filter([&](gauze_filter **filter) {
                            return gauze_filter_morphology(given, filter);
                        });
                    });
        const double rows[] = {1, 0, 0, 1, 0.5, 0};
        gauze_sections sections{};
        sections.section_count = 1;
        sections.rows = rows;
        sections.direction[0] = 1;
        check_sizes(sections, offsetof(gauze_sections, tile), [](const gauze_sections *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_sections(given, filter); });
        });
        // A difference of Gaussians has no field that can be left out.
        gauze_dog dog{};
        dog.sigma[0] = 1;
        dog.sigma[1] = 2;
        const auto make_dog = [](const gauze_dog *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_dog(given, filter); });
        };
        Older<gauze_dog> old_dog(dog, offsetof(gauze_dog, sigma) + sizeof(double));
        CHECK(make_dog(old_dog.get()) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("struct_size") == std::string::npos);
        Newer<gauze_dog> new_dog = newer(dog, 0);
        CHECK(make_dog(&new_dog.known) == GAUZE_OK);
        new_dog.added[0] = 5;
        CHECK(make_dog(&new_dog.known) == GAUZE_ERROR_INVALID_ARGUMENT);
    }

    TEST_CASE("scans, which are elements of an array") {
        const double values[] = {0.5};
        gauze_scan scan{};
        scan.direction = 1;
        scan.feedforward_count = 1;
        scan.feedforward = values;
        gauze_recursive recursive{};
        recursive.scan_count = 1;
        const auto make = [](const gauze_recursive *given) {
            return tried_filter(
                [&](gauze_filter **filter) { return gauze_filter_recursive(given, filter); });
        };
        check_sizes(scan, offsetof(gauze_scan, feedback), [&](const gauze_scan *given) {
            recursive.struct_size = sizeof recursive;
            recursive.scans = given;
            return make(&recursive);
        });
        scan.struct_size = sizeof scan;
        recursive.scans = &scan;
        check_sizes(recursive, offsetof(gauze_recursive, grouping), make);
        check_sizes(recursive, offsetof(gauze_recursive, accuracy), make);

        // The second element is where the caller's own size puts it.
        scan.feedback = values;
        scan.feedback_count = 1;
        Newer<gauze_scan> scans[2] = {newer(scan, 0), newer(scan, 0)};
        recursive.struct_size = sizeof recursive;
        recursive.scan_count = 2;
        recursive.scans = &scans[0].known;
        CHECK(make(&recursive) == GAUZE_OK);
        scans[1].known.direction = 7;
        CHECK(make(&recursive) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("scans[1]->direction is 7") !=
              std::string::npos);
        scans[1].known.direction = -1;
        scans[1].added[0] = 9;
        CHECK(make(&recursive) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("scans[1]->struct_size") != std::string::npos);
        scans[1] = newer(scan, 0);
        scans[1].known.struct_size = sizeof scan;
        CHECK(make(&recursive) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("that of the first is") != std::string::npos);
    }

    TEST_CASE("images, regions and plans") {
        check_sizes(small_image(), offsetof(gauze_image_desc, planes),
                    [](const gauze_image_desc *given) {
                        std::uint64_t bytes = 0;
                        const gauze_status status = gauze_image_desc_bytes(given, &bytes);
                        CHECK((status != GAUZE_OK || bytes == 8 * 4 * 4));
                        return status;
                    });
        const gauze::Filter filter = gauze::box(1);
        const gauze_image_desc image = small_image();
        gauze_plan_desc desc{};
        desc.struct_size = sizeof desc;
        desc.source_count = 1;
        desc.sources = &image;
        desc.target_count = 1;
        desc.targets = &image;
        const auto make = [&](const gauze_plan_desc *given) {
            return tried<gauze_plan>(gauze_plan_destroy, [&](gauze_plan **plan) {
                return gauze_plan_create(engine(), filter.c_handle(), given, plan);
            });
        };
        check_sizes(desc, offsetof(gauze_plan_desc, region), make);
        gauze_region region{};
        check_sizes(region, offsetof(gauze_region, target_origin), [&](const gauze_region *given) {
            desc.region = given;
            return make(&desc);
        });
    }

    TEST_CASE("metrics") {
        const gauze_image_desc image = gauze::Image::u8(8, 8).c_desc();
        gauze_ssimulacra2_desc desc{};
        desc.reference = desc.distorted = &image;
        const auto make = [](const gauze_ssimulacra2_desc *given) {
            return tried<gauze_ssimulacra2>(
                gauze_ssimulacra2_destroy, [&](gauze_ssimulacra2 **metric) {
                    return gauze_ssimulacra2_create(engine(), given, metric);
                });
        };
        check_sizes(desc, offsetof(gauze_ssimulacra2_desc, variant), make);
        // Nothing is read behind the end of a struct that ends before the images.
        Older<gauze_ssimulacra2_desc> empty(desc, offsetof(gauze_ssimulacra2_desc, reference));
        CHECK(make(empty.get()) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("reference is null") != std::string::npos);
    }

    TEST_CASE("engines") {
        gauze_engine_options options{};
        const auto make = [](const gauze_engine_options *given) {
            return tried<gauze_engine>(gauze_engine_destroy, [&](gauze_engine **engine) {
                return gauze_engine_create(given, engine);
            });
        };
        check_sizes(options, offsetof(gauze_engine_options, cache_mode), make);
        check_sizes(options, offsetof(gauze_engine_options, context), make);
        check_sizes(options, offsetof(gauze_engine_options, tuning_file), make);
        Older<gauze_engine_options> oldest(options, offsetof(gauze_engine_options, log));
        CHECK(make(oldest.get()) == GAUZE_OK);
    }

    TEST_CASE("runs, and what the library fills in") {
        check_sizes(gauze_device_info{}, offsetof(gauze_device_info, global_memory),
                    [](gauze_device_info *info) {
                        const gauze_status status = gauze_engine_device(engine(), info);
                        CHECK((status != GAUZE_OK || *info->name != '\0'));
                        return status;
                    });
        check_sizes(gauze_device_info{}, offsetof(gauze_device_info, architecture),
                    [](gauze_device_info *info) { return gauze_engine_device(engine(), info); });
        check_sizes(
            gauze_cache_counts{}, offsetof(gauze_cache_counts, misses),
            [](gauze_cache_counts *counts) { return gauze_engine_cache_counts(engine(), counts); });
        check_sizes(gauze_cache_info{}, offsetof(gauze_cache_info, entries),
                    [](gauze_cache_info *info) { return gauze_cache_query("", info); });

        const gauze::Engine own;
        const gauze::Plan plan = own.plan(gauze::box(1), gauze::Image::f32(8, 4));
        const gauze::Image source = own.image(gauze::Image::f32(8, 4));
        gauze::Image target = own.image(gauze::Image::f32(8, 4));
        const std::vector<float> pixels(32, 1.0F);
        const gauze_host_source host{pixels.data(), pixels.size() * sizeof(float)};
        check_sizes(gauze_timing{}, offsetof(gauze_timing, copy_ms), [&](gauze_timing *timing) {
            gauze_image *const targets[] = {target.c_handle()};
            const gauze_status status =
                gauze_plan_measure(plan.c_handle(), source.c_handle(), targets, 1, 1, timing);
            CHECK((status != GAUZE_OK || timing->wall_ms > 0));
            return status;
        });
        check_sizes(gauze_comparison{}, offsetof(gauze_comparison, baseline_ms),
                    [&](gauze_comparison *comparison) {
                        const gauze_status status =
                            gauze_plan_compare(plan.c_handle(), plan.c_handle(), source.c_handle(),
                                               target.c_handle(), 1, comparison);
                        CHECK((status != GAUZE_OK || comparison->time_ms > 0));
                        return status;
                    });
        std::vector<float> results(pixels.size());
        const gauze_host_target host_target{results.data(), results.size() * sizeof(float)};
        check_sizes(gauze_run_options{}, offsetof(gauze_run_options, max_device_bytes),
                    [&](const gauze_run_options *options) {
                        return gauze_plan_run(plan.c_handle(), &host, 1, &host_target, 1, options);
                    });
        check_sizes(gauze_verification{}, offsetof(gauze_verification, worst_at),
                    [&](gauze_verification *result) {
                        const gauze_status status =
                            gauze_plan_verify(plan.c_handle(), &host, &host, 1, result);
                        CHECK((status != GAUZE_OK || result->within_bound == 1));
                        return status;
                    });
    }
}
