// Every argument of every function of the public headers with values that it must refuse, or bear.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gauze/gauze_tuning.h>

#include "support/embedder.hpp"

// Sanitizers that watch the heap end the process where a destroyed handle is looked at.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHES_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHES_HEAP 1
#endif
#endif

namespace {

constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
// A file, which is no directory.
#ifdef _WIN32
constexpr const char *a_file = R"(C:\windows\system32\kernel32.dll)";
#else
constexpr const char *a_file = "/dev/null";
#endif
constexpr gauze_status unsupported = GAUZE_ERROR_UNSUPPORTED;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

template <class T> T sized() {
    T result{};
    result.struct_size = sizeof result;
    return result;
}

// Good arguments of every function; each case spoils one.
struct Arguments {
    gauze_engine *engine = embedder::engine().c_handle();
    float pixels[16] = {};
    float results[16] = {};
    double taps_values[3] = {1, 2, 1};
    double stable[1] = {0.5};
    double section[6] = {1, 0, 0, 1, 0.5, 0};
    gauze_image_desc image_desc = gauze::Image::f32(4, 4).c_desc();
    gauze_taps taps = sized<gauze_taps>();
    gauze_separable_taps separable = sized<gauze_separable_taps>();
    gauze_gaussian gaussian = sized<gauze_gaussian>();
    gauze_box box = sized<gauze_box>();
    gauze_window window = sized<gauze_window>();
    float weights[3] = {1, 2, 1};
    gauze_morphology morphology = sized<gauze_morphology>();
    gauze_bilateral bilateral = sized<gauze_bilateral>();
    gauze_guided guided = sized<gauze_guided>();
    gauze_nlm nlm = sized<gauze_nlm>();
    gauze_scan scan = sized<gauze_scan>();
    gauze_recursive recursive = sized<gauze_recursive>();
    gauze_sections sections = sized<gauze_sections>();
    gauze_dog dog = sized<gauze_dog>();
    gauze_derivative derivative = sized<gauze_derivative>();
    gauze_local local = sized<gauze_local>();
    gauze_region region = sized<gauze_region>();
    gauze_plan_desc plan_desc = sized<gauze_plan_desc>();
    gauze_engine_options options = sized<gauze_engine_options>();
    gauze_device_info info = sized<gauze_device_info>();
    gauze_cache_counts counts = sized<gauze_cache_counts>();
    gauze_cache_info cache_info = sized<gauze_cache_info>();
    gauze_timing timing = sized<gauze_timing>();
    gauze_verification verification = sized<gauze_verification>();
    gauze_comparison comparison = sized<gauze_comparison>();
    gauze_tuning_result tuning_result = sized<gauze_tuning_result>();
    gauze_run_options run_options = sized<gauze_run_options>();
    gauze_host_source host_source{pixels, sizeof pixels};
    gauze_host_target host_target{results, sizeof results};
    gauze_host_source host_result{results, sizeof results};
    gauze_device_list *list = nullptr;
    gauze_filter *filter = nullptr;
    gauze_plan *plan = nullptr;
    gauze_plan *several_passes = nullptr; // that needs workspace
    gauze_problem *problem = nullptr;
    gauze_image *source = nullptr;
    gauze_image *target = nullptr;
    // Arguments of a metric.
    gauze_image_desc pair_desc = gauze::Image::u8(8, 8).c_desc();
    gauze_ssimulacra2_desc metric_desc = sized<gauze_ssimulacra2_desc>();
    std::uint8_t frame[64] = {};
    float map[64] = {};
    gauze_host_source host_frame{frame, sizeof frame};
    gauze_image *image_frame = nullptr;
    gauze_ssimulacra2 *metric = nullptr;
    cl_mem source_mem = nullptr;
    cl_mem target_mem = nullptr;
    cl_event no_event = nullptr;

    // Objects that a call must fill in, or leave as they are.
    gauze_device_list *new_list = nullptr;
    gauze_engine *new_engine = nullptr;
    gauze_image *new_image = nullptr;
    gauze_filter *new_filter = nullptr;
    gauze_plan *new_plan = nullptr;
    gauze_ssimulacra2 *new_metric = nullptr;
    gauze_problem *new_problem = nullptr;
    double score = 77;
    cl_event event = nullptr;
    const char *text = nullptr;
    std::uint64_t number = 77;
    std::uint32_t number32 = 77;

    Arguments() {
        tuning_result.variant = "correlate_plain:GROUP_X=64,GROUP_Y=1";
        tuning_result.ratio = 1;
        taps.values = taps_values;
        taps.size[0] = 3;
        taps.size[1] = 1;
        separable.values[0] = taps_values;
        separable.count[0] = 3;
        gaussian.sigma[0] = 1;
        box.radius[0] = 1;
        window.size[0] = 3;
        morphology.window = &window;
        morphology.weights = weights;
        bilateral.sigma_space = bilateral.sigma_range = 1;
        guided.epsilon = 1;
        nlm.strength = 1;
        scan.direction = 1;
        scan.feedforward_count = scan.feedback_count = 1;
        scan.feedforward = scan.feedback = stable;
        recursive.scan_count = 1;
        recursive.scans = &scan;
        sections.section_count = 1;
        sections.rows = section;
        sections.direction[0] = 1;
        dog.sigma[0] = 1;
        dog.sigma[1] = 2;
        derivative.gaussian = &gaussian;
        local.gaussian = &gaussian;
        local.amount = 1;
        plan_desc.source_count = plan_desc.target_count = 1;
        plan_desc.sources = plan_desc.targets = &image_desc;
        plan_desc.region = &region;
        REQUIRE(gauze_device_list_create(&list) == GAUZE_OK);
        REQUIRE(gauze_filter_correlate(&taps, &filter) == GAUZE_OK);
        REQUIRE(gauze_plan_create(engine, filter, &plan_desc, &plan) == GAUZE_OK);
        REQUIRE(gauze_plan_problem(plan, 0, &problem) == GAUZE_OK);
        gauze_filter *boxes = nullptr;
        box.iterations = 3;
        REQUIRE(gauze_filter_box(&box, &boxes) == GAUZE_OK);
        REQUIRE(gauze_plan_create(engine, boxes, &plan_desc, &several_passes) == GAUZE_OK);
        gauze_filter_destroy(boxes);
        REQUIRE(gauze_image_create(engine, &image_desc, &source) == GAUZE_OK);
        REQUIRE(gauze_image_create(engine, &image_desc, &target) == GAUZE_OK);
        metric_desc.reference = metric_desc.distorted = &pair_desc;
        REQUIRE(gauze_ssimulacra2_create(engine, &metric_desc, &metric) == GAUZE_OK);
        REQUIRE(gauze_image_create(engine, &pair_desc, &image_frame) == GAUZE_OK);
        source_mem = gauze_image_mem(source);
        target_mem = gauze_image_mem(target);
    }
    ~Arguments() {
        gauze_device_list_destroy(list);
        gauze_filter_destroy(filter);
        gauze_plan_destroy(plan);
        gauze_problem_destroy(problem);
        gauze_problem_destroy(new_problem);
        gauze_image_destroy(source);
        gauze_image_destroy(target);
        gauze_image_destroy(image_frame);
        gauze_ssimulacra2_destroy(metric);
        gauze_ssimulacra2_destroy(new_metric);
        gauze_device_list_destroy(new_list);
        gauze_engine_destroy(new_engine);
        gauze_image_destroy(new_image);
        gauze_filter_destroy(new_filter);
        gauze_plan_destroy(new_plan);
        gauze_plan_destroy(several_passes);
    }
    Arguments(const Arguments &) = delete;
    Arguments &operator=(const Arguments &) = delete;

    bool are_outputs_untouched() const {
        return !new_list && !new_engine && !new_image && !new_filter && !new_plan && !event &&
               !text && number == 77 && results[0] == 0.0F && !info.name &&
               cache_info.max_bytes == 0 && timing.launches == 0 && verification.pixels == 0 &&
               number32 == 77 && comparison.ratio == 0.0 && !new_metric && !new_problem &&
               score == 77 && map[0] == 0.0F;
    }

    gauze_status create_engine() { return gauze_engine_create(&options, &new_engine); }
    gauze_status create_image() { return gauze_image_create(engine, &image_desc, &new_image); }
    gauze_status create_plan() { return gauze_plan_create(engine, filter, &plan_desc, &new_plan); }
    gauze_status run() {
        return gauze_plan_run(plan, &host_source, 1, &host_target, 1, &run_options);
    }
    gauze_status enqueue() {
        return gauze_plan_enqueue(plan, nullptr, &source_mem, 1, &target_mem, 1, nullptr, 0,
                                  nullptr, &event);
    }
    gauze_status create_bank(const gauze_filter *of, std::uint32_t filter_count) {
        return gauze_filter_bank(&of, filter_count, &new_filter);
    }
    gauze_status measure() { return gauze_plan_measure(plan, source, &target, 1, 1, &timing); }
    gauze_status compare(std::uint32_t repeats = 1) {
        return gauze_plan_compare(plan, plan, source, target, repeats, &comparison);
    }
    gauze_status add_results() { return gauze_problem_add_results(problem, &tuning_result, 1); }
    gauze_status create_metric() {
        return gauze_ssimulacra2_create(engine, &metric_desc, &new_metric);
    }
    gauze_status score_frame(const gauze_host_source *reference,
                             const gauze_host_source *distorted) {
        return gauze_ssimulacra2_score(metric, reference, distorted, 1, &score);
    }
    gauze_status score_image(const gauze_image *reference, const gauze_image *distorted) {
        return gauze_ssimulacra2_score_images(metric, &reference, &distorted, 1, &score);
    }
    gauze_status make_map(std::size_t bytes, double *with_score) {
        return gauze_ssimulacra2_error_map(metric, &host_frame, map, bytes, with_score);
    }
    gauze_status verify() {
        return gauze_plan_verify(plan, &host_source, &host_result, 1, &verification);
    }
};

// A call with one bad argument: its status, and what the text of the error says. GAUZE_OK: any value is
// taken.
struct Case {
    const char *function;
    const char *argument;
    gauze_status status;
    const char *part;
    std::function<gauze_status(Arguments &)> call;
};

gauze_status done(bool as_expected) {
    return as_expected ? GAUZE_OK : GAUZE_ERROR_INTERNAL;
}

#define CALL(...) []([[maybe_unused]] Arguments &a) -> gauze_status { __VA_ARGS__; }

std::vector<Case> cases() {
    return {
        {"gauze_status_name", "status", GAUZE_OK, "",
         CALL(return done(gauze_status_name(INT32_MIN) == std::string("unknown status")))},
        {"gauze_device_list_create", "list", invalid, "list is null",
         CALL(return gauze_device_list_create(nullptr))},
        {"gauze_device_list_destroy", "list", GAUZE_OK, "",
         CALL(gauze_device_list_destroy(nullptr); return GAUZE_OK)},
        {"gauze_device_list_count", "list", GAUZE_OK, "",
         CALL(return done(gauze_device_list_count(nullptr) == 0))},
        {"gauze_device_list_get", "list", invalid, "list is null",
         CALL(return gauze_device_list_get(nullptr, 0, &a.info))},
        {"gauze_device_list_get", "index", invalid, "index is 18446744073709551615",
         CALL(return gauze_device_list_get(a.list, SIZE_MAX, &a.info))},
        {"gauze_device_list_get", "info", invalid, "info is null",
         CALL(return gauze_device_list_get(a.list, 0, nullptr))},
        {"gauze_device_list_get", "info", invalid, "info->struct_size is 0",
         CALL(a.info.struct_size = 0; return gauze_device_list_get(a.list, 0, &a.info))},
        {"gauze_device_list_notes", "list", GAUZE_OK, "",
         CALL(return done(std::string(gauze_device_list_notes(nullptr)).empty()))},

        {"gauze_engine_create", "options", invalid, "options->struct_size is 3",
         CALL(a.options.struct_size = 3; return a.create_engine())},
        {"gauze_engine_create", "options", invalid, "options->cache_mode is 3",
         CALL(a.options.cache_mode = 3; return a.create_engine())},
        {"gauze_engine_create", "options", invalid, "options->cache_mode is -1",
         CALL(a.options.cache_mode = -1; return a.create_engine())},
        {"gauze_engine_create", "options", GAUZE_ERROR_NO_DEVICE, "99999999999999999999",
         CALL(a.options.device = "99999999999999999999"; return a.create_engine())},
        {"gauze_engine_create", "options", GAUZE_ERROR_NO_DEVICE, "-1",
         CALL(a.options.device = "-1"; return a.create_engine())},
        {"gauze_engine_create", "options", invalid, "without its context",
         CALL(a.options.device_id = reinterpret_cast<cl_device_id>(&a); return a.create_engine())},
        {"gauze_engine_create", "engine", invalid, "engine is null",
         CALL(return gauze_engine_create(&a.options, nullptr))},
        {"gauze_engine_destroy", "engine", GAUZE_OK, "",
         CALL(gauze_engine_destroy(nullptr); return GAUZE_OK)},
        {"gauze_engine_device", "engine", invalid, "engine is null",
         CALL(return gauze_engine_device(nullptr, &a.info))},
        {"gauze_engine_device", "info", invalid, "info is null",
         CALL(return gauze_engine_device(a.engine, nullptr))},
        {"gauze_engine_device", "info", invalid, "info->struct_size is 4294967295",
         CALL(a.info.struct_size = ~0U; return gauze_engine_device(a.engine, &a.info))},
        {"gauze_engine_context", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_context(nullptr) == nullptr))},
        {"gauze_engine_device_id", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_device_id(nullptr) == nullptr))},
        {"gauze_engine_queue", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_queue(nullptr) == nullptr))},
        {"gauze_engine_finish", "engine", invalid, "engine is null",
         CALL(return gauze_engine_finish(nullptr))},
        {"gauze_engine_compile_count", "engine", invalid, "engine is null",
         CALL(return gauze_engine_compile_count(nullptr, &a.number))},
        {"gauze_engine_compile_count", "count", invalid, "count is null",
         CALL(return gauze_engine_compile_count(a.engine, nullptr))},
        {"gauze_engine_cache_counts", "engine", invalid, "engine is null",
         CALL(return gauze_engine_cache_counts(nullptr, &a.counts))},
        {"gauze_engine_cache_counts", "counts", invalid, "counts is null",
         CALL(return gauze_engine_cache_counts(a.engine, nullptr))},
        {"gauze_engine_cache_counts", "counts", invalid, "counts->struct_size is 9",
         CALL(a.counts.struct_size = 9; return gauze_engine_cache_counts(a.engine, &a.counts))},
        {"gauze_engine_tuning_file", "engine", invalid, "engine is null",
         CALL(return gauze_engine_tuning_file(nullptr, &a.text))},
        {"gauze_engine_tuning_file", "path", invalid, "path is null",
         CALL(return gauze_engine_tuning_file(a.engine, nullptr))},
        {"gauze_cache_query", "directory", invalid, a_file,
         CALL(return gauze_cache_query(a_file, &a.cache_info))},
        {"gauze_cache_query", "info", invalid, "info is null",
         CALL(return gauze_cache_query("", nullptr))},
        {"gauze_cache_query", "info", invalid, "info->struct_size is 1",
         CALL(a.cache_info.struct_size = 1; return gauze_cache_query("", &a.cache_info))},
        {"gauze_cache_clear", "directory", invalid, a_file,
         CALL(return gauze_cache_clear(a_file, &a.number))},
        {"gauze_cache_clear", "removed", GAUZE_OK, "",
         CALL(return gauze_cache_clear("off", nullptr))},

        {"gauze_type_size", "type", GAUZE_OK, "", CALL(return done(gauze_type_size(-1) == 0))},
        {"gauze_type_name", "type", GAUZE_OK, "",
         CALL(return done(gauze_type_name(INT32_MAX) == std::string("unknown type")))},
        {"gauze_image_desc_bytes", "desc", invalid, "image is null",
         CALL(return gauze_image_desc_bytes(nullptr, &a.number))},
        {"gauze_image_desc_bytes", "bytes", invalid, "bytes is null",
         CALL(return gauze_image_desc_bytes(&a.image_desc, nullptr))},
        {"gauze_image_desc_bytes", "desc", invalid, "too large",
         CALL(a.image_desc.extent[0] = huge;
              return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "too large",
         CALL(a.image_desc.planes = huge; return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "",
         CALL(a.image_desc.offset = huge - 3;
              return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "",
         CALL(a.image_desc.pitch[1] = huge - 3;
              return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "",
         CALL(a.image_desc.pitch[0] = huge - 3;
              return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "",
         CALL(a.image_desc.plane_pitch = huge - 3; a.image_desc.planes = 3;
              return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "-8",
         CALL(a.image_desc.offset = -8; return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "memory is 3",
         CALL(a.image_desc.memory = 3; return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_desc_bytes", "desc", invalid, "type is 0",
         CALL(a.image_desc.type = 0; return gauze_image_desc_bytes(&a.image_desc, &a.number))},
        {"gauze_image_create", "engine", invalid, "engine is null",
         CALL(return gauze_image_create(nullptr, &a.image_desc, &a.new_image))},
        {"gauze_image_create", "desc", invalid, "image is null",
         CALL(return gauze_image_create(a.engine, nullptr, &a.new_image))},
        {"gauze_image_create", "desc", invalid, "extent of 0 pixels",
         CALL(a.image_desc.extent[1] = 0; return a.create_image())},
        {"gauze_image_create", "desc", unsupported, "the largest buffer",
         CALL(a.image_desc.extent[0] = 1 << 30; a.image_desc.extent[1] = 1 << 20;
              return a.create_image())},
        {"gauze_image_create", "image", invalid, "image is null",
         CALL(return gauze_image_create(a.engine, &a.image_desc, nullptr))},
        {"gauze_image_wrap", "engine", invalid, "engine is null",
         CALL(return gauze_image_wrap(nullptr, &a.image_desc, a.source_mem, &a.new_image))},
        {"gauze_image_wrap", "desc", invalid, "image is null",
         CALL(return gauze_image_wrap(a.engine, nullptr, a.source_mem, &a.new_image))},
        {"gauze_image_wrap", "desc", invalid, "the image needs",
         CALL(a.image_desc.extent[1] = 1000;
              return gauze_image_wrap(a.engine, &a.image_desc, a.source_mem, &a.new_image))},
        {"gauze_image_wrap", "mem", invalid, "mem is null",
         CALL(return gauze_image_wrap(a.engine, &a.image_desc, nullptr, &a.new_image))},
        {"gauze_image_wrap", "image", invalid, "image is null",
         CALL(return gauze_image_wrap(a.engine, &a.image_desc, a.source_mem, nullptr))},
        {"gauze_image_destroy", "image", GAUZE_OK, "",
         CALL(gauze_image_destroy(nullptr); return GAUZE_OK)},
        {"gauze_image_mem", "image", GAUZE_OK, "",
         CALL(return done(gauze_image_mem(nullptr) == nullptr))},
        {"gauze_image_write", "image", invalid, "image is null",
         CALL(return gauze_image_write(nullptr, a.pixels, sizeof a.pixels))},
        {"gauze_image_write", "host", invalid, "host is null",
         CALL(return gauze_image_write(a.source, nullptr, sizeof a.pixels))},
        {"gauze_image_write", "bytes", invalid, "63 bytes",
         CALL(return gauze_image_write(a.source, a.pixels, sizeof a.pixels - 1))},
        {"gauze_image_write", "bytes", invalid, "0 bytes",
         CALL(return gauze_image_write(a.source, a.pixels, 0))},
        {"gauze_image_read", "image", invalid, "image is null",
         CALL(return gauze_image_read(nullptr, a.results, sizeof a.results))},
        {"gauze_image_read", "host", invalid, "host is null",
         CALL(return gauze_image_read(a.source, nullptr, sizeof a.results))},
        {"gauze_image_read", "bytes", invalid, "63 bytes",
         CALL(return gauze_image_read(a.source, a.results, sizeof a.results - 1))},

        {"gauze_filter_correlate", "taps", invalid, "taps is null",
         CALL(return gauze_filter_correlate(nullptr, &a.new_filter))},
        {"gauze_filter_correlate", "taps", invalid, "taps->size[0] is 9223372036854775807",
         CALL(a.taps.size[0] = huge; return gauze_filter_correlate(&a.taps, &a.new_filter))},
        {"gauze_filter_correlate", "taps", invalid, "taps->size[1] is 65536",
         CALL(a.taps.size[0] = a.taps.size[1] = 65536;
              return gauze_filter_correlate(&a.taps, &a.new_filter))},
        {"gauze_filter_correlate", "taps", invalid, "taps->size[0] is 0",
         CALL(a.taps.size[0] = 0; return gauze_filter_correlate(&a.taps, &a.new_filter))},
        {"gauze_filter_correlate", "taps", invalid, "anchor is 9223372036854775807",
         CALL(a.taps.has_anchor = 1; a.taps.anchor[0] = huge;
              return gauze_filter_correlate(&a.taps, &a.new_filter))},
        {"gauze_filter_correlate", "filter", invalid, "filter is null",
         CALL(return gauze_filter_correlate(&a.taps, nullptr))},
        {"gauze_filter_convolve", "taps", invalid, "taps->values is null",
         CALL(a.taps.values = nullptr; return gauze_filter_convolve(&a.taps, &a.new_filter))},
        {"gauze_filter_convolve", "filter", invalid, "filter is null",
         CALL(return gauze_filter_convolve(&a.taps, nullptr))},
        {"gauze_filter_separable", "taps", invalid, "taps->count[0] is 9223372036854775807",
         CALL(a.separable.count[0] = huge;
              return gauze_filter_separable(&a.separable, &a.new_filter))},
        {"gauze_filter_separable", "filter", invalid, "filter is null",
         CALL(return gauze_filter_separable(&a.separable, nullptr))},
        {"gauze_filter_gaussian", "gaussian", invalid, "sigma is 1e+300 along x",
         CALL(a.gaussian.sigma[0] = 1e300;
              return gauze_filter_gaussian(&a.gaussian, &a.new_filter))},
        {"gauze_filter_gaussian", "filter", invalid, "filter is null",
         CALL(return gauze_filter_gaussian(&a.gaussian, nullptr))},
        {"gauze_filter_box", "box", invalid, "radius is -9223372036854775808 along x",
         CALL(a.box.radius[0] = -huge - 1; return gauze_filter_box(&a.box, &a.new_filter))},
        {"gauze_filter_box", "filter", invalid, "filter is null",
         CALL(return gauze_filter_box(&a.box, nullptr))},
        {"gauze_filter_minimum", "window", invalid, "window->size[0] is -1",
         CALL(a.window.size[0] = -1; return gauze_filter_minimum(&a.window, &a.new_filter))},
        {"gauze_filter_minimum", "filter", invalid, "filter is null",
         CALL(return gauze_filter_minimum(&a.window, nullptr))},
        {"gauze_filter_maximum", "window", invalid, "window->size[0] is -1",
         CALL(a.window.size[0] = -1; return gauze_filter_maximum(&a.window, &a.new_filter))},
        {"gauze_filter_maximum", "filter", invalid, "filter is null",
         CALL(return gauze_filter_maximum(&a.window, nullptr))},
        {"gauze_filter_median", "window", invalid, "window->size[0] is -1",
         CALL(a.window.size[0] = -1; return gauze_filter_median(&a.window, &a.new_filter))},
        {"gauze_filter_median", "filter", invalid, "filter is null",
         CALL(return gauze_filter_median(&a.window, nullptr))},
        {"gauze_filter_percentile", "window", invalid, "size is 2 along t",
         CALL(a.window.size[3] = 2; return gauze_filter_percentile(&a.window, 50, &a.new_filter))},
        {"gauze_filter_percentile", "percent", invalid, "percentile is 100.5",
         CALL(return gauze_filter_percentile(&a.window, 100.5, &a.new_filter))},
        {"gauze_filter_percentile", "percent", invalid, "percentile is nan",
         CALL(return gauze_filter_percentile(&a.window, std::numeric_limits<double>::quiet_NaN(),
                                             &a.new_filter))},
        {"gauze_filter_percentile", "filter", invalid, "filter is null",
         CALL(return gauze_filter_percentile(&a.window, 50, nullptr))},
        {"gauze_filter_reach", "filter", invalid, "filter is null",
         CALL(std::int64_t reach[4]; return gauze_filter_reach(nullptr, 0, reach))},
        {"gauze_filter_reach", "accuracy", invalid, "accuracy is -1",
         CALL(std::int64_t reach[4]; return gauze_filter_reach(a.filter, -1, reach))},
        {"gauze_filter_reach", "reach", invalid, "reach is null",
         CALL(return gauze_filter_reach(a.filter, 0, nullptr))},
        {"gauze_filter_rank", "window", invalid, "anchor is 3",
         CALL(a.window.has_anchor = 1; a.window.anchor[0] = 3;
              return gauze_filter_rank(&a.window, 0, &a.new_filter))},
        {"gauze_filter_rank", "rank", invalid, "rank is 3",
         CALL(return gauze_filter_rank(&a.window, 3, &a.new_filter))},
        {"gauze_filter_rank", "filter", invalid, "filter is null",
         CALL(return gauze_filter_rank(&a.window, 0, nullptr))},
        {"gauze_filter_morphology", "morphology", invalid, "operation is 8",
         CALL(a.morphology.operation = 8;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "operation is -1",
         CALL(a.morphology.operation = -1;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "iterations is 4294967295",
         CALL(a.morphology.iterations = ~0U;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "morphology->window is null",
         CALL(a.morphology.window = nullptr;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "window->struct_size is 1",
         CALL(a.window.struct_size = 1;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "more than 3969 places",
         CALL(a.window.size[1] = 1 << 19;
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "morphology", invalid, "weight 1 is inf",
         CALL(a.weights[1] = std::numeric_limits<float>::infinity();
              return gauze_filter_morphology(&a.morphology, &a.new_filter))},
        {"gauze_filter_morphology", "filter", invalid, "filter is null",
         CALL(return gauze_filter_morphology(&a.morphology, nullptr))},
        {"gauze_filter_bilateral", "bilateral", invalid, "bilateral is null",
         CALL(return gauze_filter_bilateral(nullptr, &a.new_filter))},
        {"gauze_filter_bilateral", "bilateral", invalid, "sigma in space is 0",
         CALL(a.bilateral.sigma_space = 0;
              return gauze_filter_bilateral(&a.bilateral, &a.new_filter))},
        {"gauze_filter_bilateral", "bilateral", invalid, "radius[1] is -2",
         CALL(a.bilateral.radius[1] = -2;
              return gauze_filter_bilateral(&a.bilateral, &a.new_filter))},
        {"gauze_filter_bilateral", "bilateral", invalid, "radius is 20 along x",
         CALL(a.bilateral.sigma_space = 10; a.bilateral.radius[0] = -1;
              return gauze_filter_bilateral(&a.bilateral, &a.new_filter))},
        {"gauze_filter_bilateral", "bilateral", invalid, "accuracy is 1e-07",
         CALL(a.bilateral.accuracy = 1e-7;
              return gauze_filter_bilateral(&a.bilateral, &a.new_filter))},
        {"gauze_filter_bilateral", "filter", invalid, "filter is null",
         CALL(return gauze_filter_bilateral(&a.bilateral, nullptr))},
        {"gauze_filter_guided", "guided", invalid, "guided is null",
         CALL(return gauze_filter_guided(nullptr, &a.new_filter))},
        {"gauze_filter_guided", "guided", invalid, "guide is 3",
         CALL(a.guided.guide = 3; return gauze_filter_guided(&a.guided, &a.new_filter))},
        {"gauze_filter_guided", "guided", invalid, "radius is -1",
         CALL(a.guided.radius = -1; return gauze_filter_guided(&a.guided, &a.new_filter))},
        {"gauze_filter_guided", "guided", invalid, "epsilon is 0",
         CALL(a.guided.epsilon = 0; return gauze_filter_guided(&a.guided, &a.new_filter))},
        {"gauze_filter_guided", "filter", invalid, "filter is null",
         CALL(return gauze_filter_guided(&a.guided, nullptr))},
        {"gauze_filter_nlm", "nlm", invalid, "nlm is null",
         CALL(return gauze_filter_nlm(nullptr, &a.new_filter))},
        {"gauze_filter_nlm", "nlm", invalid, "patch is 4 pixels a side",
         CALL(a.nlm.patch = 4; return gauze_filter_nlm(&a.nlm, &a.new_filter))},
        {"gauze_filter_nlm", "nlm", invalid, "window is 65 pixels a side",
         CALL(a.nlm.window = 65; return gauze_filter_nlm(&a.nlm, &a.new_filter))},
        {"gauze_filter_nlm", "nlm", invalid, "strength is -1",
         CALL(a.nlm.strength = -1; return gauze_filter_nlm(&a.nlm, &a.new_filter))},
        {"gauze_filter_nlm", "nlm", invalid, "accuracy is -1",
         CALL(a.nlm.accuracy = -1; return gauze_filter_nlm(&a.nlm, &a.new_filter))},
        {"gauze_filter_nlm", "filter", invalid, "filter is null",
         CALL(return gauze_filter_nlm(&a.nlm, nullptr))},
        {"gauze_filter_recursive", "recursive", invalid, "scan_count is 4294967295",
         CALL(a.recursive.scan_count = ~0U;
              return gauze_filter_recursive(&a.recursive, &a.new_filter))},
        {"gauze_filter_recursive", "recursive", invalid, "feedback_count is 4294967295",
         CALL(a.scan.feedback_count = ~0U;
              return gauze_filter_recursive(&a.recursive, &a.new_filter))},
        {"gauze_filter_recursive", "recursive", invalid, "tile is -9223372036854775808",
         CALL(a.recursive.tile = -huge - 1;
              return gauze_filter_recursive(&a.recursive, &a.new_filter))},
        {"gauze_filter_recursive", "recursive", invalid, "grouping",
         CALL(a.recursive.grouping = "99999999999999999999";
              return gauze_filter_recursive(&a.recursive, &a.new_filter))},
        {"gauze_filter_recursive", "filter", invalid, "filter is null",
         CALL(return gauze_filter_recursive(&a.recursive, nullptr))},
        {"gauze_filter_sections", "sections", invalid, "section_count is 4294967295",
         CALL(a.sections.section_count = ~0U;
              return gauze_filter_sections(&a.sections, &a.new_filter))},
        {"gauze_filter_sections", "sections", invalid, "sections->rows is null",
         CALL(a.sections.rows = nullptr; return gauze_filter_sections(&a.sections, &a.new_filter))},
        {"gauze_filter_sections", "sections", invalid, "direction[2] is 2147483647",
         CALL(a.sections.direction[2] = INT32_MAX;
              return gauze_filter_sections(&a.sections, &a.new_filter))},
        {"gauze_filter_sections", "sections", invalid, "tile is 9223372036854775807",
         CALL(a.sections.tile = huge; return gauze_filter_sections(&a.sections, &a.new_filter))},
        {"gauze_filter_sections", "filter", invalid, "filter is null",
         CALL(return gauze_filter_sections(&a.sections, nullptr))},
        {"gauze_filter_sat", "filter", invalid, "filter is null",
         CALL(return gauze_filter_sat(nullptr))},
        {"gauze_filter_bspline", "order", invalid, "order is -2147483648",
         CALL(return gauze_filter_bspline(INT32_MIN, &a.new_filter))},
        {"gauze_filter_bspline", "filter", invalid, "filter is null",
         CALL(return gauze_filter_bspline(3, nullptr))},
        {"gauze_filter_dog", "dog", invalid, "sigma",
         CALL(a.dog.sigma[1] = std::numeric_limits<double>::quiet_NaN();
              return gauze_filter_dog(&a.dog, &a.new_filter))},
        {"gauze_filter_dog", "filter", invalid, "filter is null",
         CALL(return gauze_filter_dog(&a.dog, nullptr))},
        {"gauze_filter_derivative", "derivative", invalid, "derivative is null",
         CALL(return gauze_filter_derivative(nullptr, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "method is 5",
         CALL(a.derivative.method = 5;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "result is -1",
         CALL(a.derivative.result = -1;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "dimensions is 2147483647",
         CALL(a.derivative.dimensions = INT32_MAX;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "the axis is -2147483648",
         CALL(a.derivative.axis[0] = INT32_MIN;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "the axis is 2147483647",
         CALL(a.derivative.result = GAUZE_DERIVATIVE_SECOND; a.derivative.axis[1] = INT32_MAX;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "derivative->gaussian is null",
         CALL(a.derivative.method = GAUZE_DERIVATIVE_GAUSSIAN; a.derivative.gaussian = nullptr;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "sigma is nan",
         CALL(a.derivative.method = GAUZE_DERIVATIVE_GAUSSIAN;
              a.gaussian.sigma[1] = std::numeric_limits<double>::quiet_NaN();
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "result is 7",
         CALL(a.derivative.result = 7;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "number 2147483647",
         CALL(a.derivative.result = GAUZE_DERIVATIVE_EIGENVALUE; a.derivative.axis[0] = INT32_MAX;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "derivative->smoothing is null",
         CALL(a.derivative.result = GAUZE_DERIVATIVE_STRUCTURE; a.derivative.smoothing = nullptr;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "derivative", invalid, "smoothing has a derivative of order 1",
         CALL(a.derivative.result = GAUZE_DERIVATIVE_STRUCTURE;
              a.derivative.smoothing = &a.gaussian; a.gaussian.derivative[0] = 1;
              return gauze_filter_derivative(&a.derivative, &a.new_filter))},
        {"gauze_filter_derivative", "filter", invalid, "filter is null",
         CALL(return gauze_filter_derivative(&a.derivative, nullptr))},
        {"gauze_filter_local", "local", invalid, "local is null",
         CALL(return gauze_filter_local(nullptr, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "result is 5",
         CALL(a.local.result = 5; return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "both null",
         CALL(a.local.gaussian = nullptr; return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "both given",
         CALL(a.local.box = &a.box; return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "the amount is nan",
         CALL(a.local.amount = std::numeric_limits<double>::quiet_NaN();
              return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "the threshold is -1",
         CALL(a.local.threshold = -1; return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "epsilon is 0",
         CALL(a.local.result = GAUZE_LOCAL_NORMALIZED;
              return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "local", invalid, "derivative[0] is 1",
         CALL(a.gaussian.derivative[0] = 1; return gauze_filter_local(&a.local, &a.new_filter))},
        {"gauze_filter_local", "filter", invalid, "filter is null",
         CALL(return gauze_filter_local(&a.local, nullptr))},
        {"gauze_filter_bank", "filters", invalid, "filters is null",
         CALL(return gauze_filter_bank(nullptr, 1, &a.new_filter))},
        {"gauze_filter_bank", "filters", invalid, "filters[i] is null",
         CALL(return a.create_bank(nullptr, 1))},
        {"gauze_filter_bank", "count", invalid, "count is 0",
         CALL(return a.create_bank(a.filter, 0))},
        {"gauze_filter_bank", "count", invalid, "count is 4294967295",
         CALL(return a.create_bank(a.filter, ~0U))},
        {"gauze_filter_bank", "filter", invalid, "filter is null",
         CALL(const gauze_filter *const one = a.filter;
              return gauze_filter_bank(&one, 1, nullptr))},
        {"gauze_filter_with_component", "base", invalid, "base is null",
         CALL(return gauze_filter_with_component(nullptr, 0, a.filter, &a.new_filter))},
        {"gauze_filter_with_component", "component", invalid, "component is 4294967295",
         CALL(return gauze_filter_with_component(a.filter, ~0U, a.filter, &a.new_filter))},
        {"gauze_filter_with_component", "other", invalid, "other is null",
         CALL(return gauze_filter_with_component(a.filter, 0, nullptr, &a.new_filter))},
        {"gauze_filter_with_component", "filter", invalid, "filter is null",
         CALL(return gauze_filter_with_component(a.filter, 0, a.filter, nullptr))},
        {"gauze_filter_destroy", "filter", GAUZE_OK, "",
         CALL(gauze_filter_destroy(nullptr); return GAUZE_OK)},

        {"gauze_plan_create", "engine", invalid, "engine is null",
         CALL(return gauze_plan_create(nullptr, a.filter, &a.plan_desc, &a.new_plan))},
        {"gauze_plan_create", "filter", invalid, "filter is null",
         CALL(return gauze_plan_create(a.engine, nullptr, &a.plan_desc, &a.new_plan))},
        {"gauze_plan_create", "desc", invalid, "desc is null",
         CALL(return gauze_plan_create(a.engine, a.filter, nullptr, &a.new_plan))},
        {"gauze_plan_create", "desc", invalid, "source_count is 0",
         CALL(a.plan_desc.source_count = 0; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "source_count is 4294967295",
         CALL(a.plan_desc.source_count = ~0U; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "target_count is 2",
         CALL(a.plan_desc.target_count = 2; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "source is null",
         CALL(a.plan_desc.sources = nullptr; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "target is null",
         CALL(a.plan_desc.targets = nullptr; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "border is -1",
         CALL(a.plan_desc.border = -1; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "region->edge is 2",
         CALL(a.region.edge = 2; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "x = 9223372036854775807",
         CALL(a.region.source_origin[0] = huge; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "9223372036854775807 pixels",
         CALL(a.region.source_origin[0] = 1; a.region.extent[0] = huge; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "x = 9223372036854775807",
         CALL(a.region.target_origin[0] = huge; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "region->struct_size is 4",
         CALL(a.region.struct_size = 4; return a.create_plan())},
        {"gauze_plan_create", "desc", invalid, "'no such kernel'",
         CALL(a.plan_desc.variant = "no such kernel"; return a.create_plan())},
        {"gauze_plan_create", "plan", invalid, "plan is null",
         CALL(return gauze_plan_create(a.engine, a.filter, &a.plan_desc, nullptr))},
        {"gauze_plan_destroy", "plan", GAUZE_OK, "",
         CALL(gauze_plan_destroy(nullptr); return GAUZE_OK)},
        {"gauze_plan_prepare", "plan", invalid, "plan is null",
         CALL(return gauze_plan_prepare(nullptr))},
        {"gauze_plan_explain", "plan", invalid, "plan is null",
         CALL(return gauze_plan_explain(nullptr, &a.text))},
        {"gauze_plan_explain", "text", invalid, "text is null",
         CALL(return gauze_plan_explain(a.plan, nullptr))},
        {"gauze_plan_variant", "plan", invalid, "plan is null",
         CALL(return gauze_plan_variant(nullptr, &a.text))},
        {"gauze_plan_variant", "text", invalid, "text is null",
         CALL(return gauze_plan_variant(a.plan, nullptr))},
        {"gauze_plan_filter", "plan", invalid, "plan is null",
         CALL(return gauze_plan_filter(nullptr, &a.new_filter))},
        {"gauze_plan_filter", "filter", invalid, "filter is null",
         CALL(return gauze_plan_filter(a.plan, nullptr))},
        {"gauze_plan_run", "plan", invalid, "plan is null",
         CALL(
             return gauze_plan_run(nullptr, &a.host_source, 1, &a.host_target, 1, &a.run_options))},
        {"gauze_plan_run", "sources", invalid, "sources is null",
         CALL(return gauze_plan_run(a.plan, nullptr, 1, &a.host_target, 1, nullptr))},
        {"gauze_plan_run", "sources", invalid, "source pointer is null",
         CALL(a.host_source.data = nullptr; return a.run())},
        {"gauze_plan_run", "sources", invalid, "source has 63 bytes",
         CALL(a.host_source.bytes = 63; return a.run())},
        {"gauze_plan_run", "source_count", invalid, "source_count is 0",
         CALL(return gauze_plan_run(a.plan, &a.host_source, 0, &a.host_target, 1, nullptr))},
        {"gauze_plan_run", "source_count", invalid, "source_count is 4294967295",
         CALL(return gauze_plan_run(a.plan, &a.host_source, ~0U, &a.host_target, 1, nullptr))},
        {"gauze_plan_run", "targets", invalid, "targets is null",
         CALL(return gauze_plan_run(a.plan, &a.host_source, 1, nullptr, 1, nullptr))},
        {"gauze_plan_run", "targets", invalid, "target pointer is null",
         CALL(a.host_target.data = nullptr; return a.run())},
        {"gauze_plan_run", "targets", invalid, "target has 0 bytes",
         CALL(a.host_target.bytes = 0; return a.run())},
        {"gauze_plan_run", "target_count", invalid, "target_count is 2",
         CALL(return gauze_plan_run(a.plan, &a.host_source, 1, &a.host_target, 2, nullptr))},
        {"gauze_plan_run", "options", invalid, "options->struct_size is 4",
         CALL(a.run_options.struct_size = 4; return a.run())},
        {"gauze_plan_run", "options", unsupported, "more than 1 bytes",
         CALL(a.run_options.max_device_bytes = 1; return a.run())},
        {"gauze_plan_run", "options", GAUZE_ERROR_CANCELLED, "cancelled after 0 of 16 pixels",
         CALL(a.run_options.progress = [](std::uint64_t, std::uint64_t, void *) { return 1; };
              return a.run())},
        {"gauze_plan_run", "options", GAUZE_OK, "",
         CALL(return gauze_plan_run(a.plan, &a.host_source, 1, &a.host_target, 1, nullptr))},
        {"gauze_plan_enqueue", "plan", invalid, "plan is null",
         CALL(return gauze_plan_enqueue(nullptr, nullptr, &a.source_mem, 1, &a.target_mem, 1,
                                        nullptr, 0, nullptr, &a.event))},
        {"gauze_plan_enqueue", "queue", invalid, "another context",
         CALL(const gauze::Engine other; const embedder::Queue queue(0, other);
              return gauze_plan_enqueue(a.plan, queue.handle(), &a.source_mem, 1, &a.target_mem, 1,
                                        nullptr, 0, nullptr, &a.event))},
        {"gauze_plan_enqueue", "sources", invalid, "sources is null",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, nullptr, 1, &a.target_mem, 1, nullptr, 0,
                                        nullptr, &a.event))},
        {"gauze_plan_enqueue", "sources", invalid, "source buffer is null",
         CALL(a.source_mem = nullptr; return a.enqueue())},
        {"gauze_plan_enqueue", "source_count", invalid, "source_count is 4294967295",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, ~0U, &a.target_mem, 1,
                                        nullptr, 0, nullptr, &a.event))},
        {"gauze_plan_enqueue", "targets", invalid, "targets is null",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, 1, nullptr, 1, nullptr, 0,
                                        nullptr, &a.event))},
        {"gauze_plan_enqueue", "targets", invalid, "target buffer is null",
         CALL(a.target_mem = nullptr; return a.enqueue())},
        {"gauze_plan_enqueue", "targets", GAUZE_ERROR_OVERLAP, "share memory",
         CALL(a.target_mem = a.source_mem; return a.enqueue())},
        {"gauze_plan_enqueue", "target_count", invalid, "target_count is 0",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, 1, &a.target_mem, 0,
                                        nullptr, 0, nullptr, &a.event))},
        {"gauze_plan_workspace_bytes", "plan", invalid, "plan is null",
         CALL(return gauze_plan_workspace_bytes(nullptr, &a.number))},
        {"gauze_plan_workspace_bytes", "bytes", invalid, "bytes is null",
         CALL(return gauze_plan_workspace_bytes(a.plan, nullptr))},
        {"gauze_plan_enqueue", "workspace", invalid, "the workspace has 64 bytes; the plan needs",
         CALL(return gauze_plan_enqueue(a.several_passes, nullptr, &a.source_mem, 1, &a.target_mem,
                                        1, a.target_mem, 0, nullptr, &a.event))},
        {"gauze_plan_enqueue", "wait_count", invalid, "wait_list is null and wait_count is 1",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, 1, &a.target_mem, 1,
                                        nullptr, 1, nullptr, &a.event))},
        {"gauze_plan_enqueue", "wait_list", invalid, "wait_list[0] is null",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, 1, &a.target_mem, 1,
                                        nullptr, 1, &a.no_event, &a.event))},
        {"gauze_plan_enqueue", "event", GAUZE_OK, "",
         CALL(return gauze_plan_enqueue(a.plan, nullptr, &a.source_mem, 1, &a.target_mem, 1,
                                        nullptr, 0, nullptr, nullptr))},
        {"gauze_plan_measure", "plan", invalid, "plan is null",
         CALL(return gauze_plan_measure(nullptr, a.source, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure", "source", invalid, "source is null",
         CALL(return gauze_plan_measure(a.plan, nullptr, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure", "targets", invalid, "targets is null",
         CALL(return gauze_plan_measure(a.plan, a.source, nullptr, 1, 1, &a.timing))},
        {"gauze_plan_measure", "targets", invalid, "targets[i] is null",
         CALL(gauze_image *const none = nullptr;
              return gauze_plan_measure(a.plan, a.source, &none, 1, 1, &a.timing))},
        {"gauze_plan_measure", "target_count", invalid, "target_count is 2",
         CALL(return gauze_plan_measure(a.plan, a.source, &a.target, 2, 1, &a.timing))},
        {"gauze_plan_measure", "repeats", invalid, "repeats is 0",
         CALL(return gauze_plan_measure(a.plan, a.source, &a.target, 1, 0, &a.timing))},
        {"gauze_plan_measure", "repeats", invalid, "repeats is 4294967295",
         CALL(return gauze_plan_measure(a.plan, a.source, &a.target, 1, ~0U, &a.timing))},
        {"gauze_plan_measure", "timing", invalid, "timing is null",
         CALL(return gauze_plan_measure(a.plan, a.source, &a.target, 1, 1, nullptr))},
        {"gauze_plan_measure_sources", "plan", invalid, "plan is null",
         CALL(const gauze_image *const from = a.source;
              return gauze_plan_measure_sources(nullptr, &from, 1, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure_sources", "sources", invalid, "sources is null",
         CALL(return gauze_plan_measure_sources(a.plan, nullptr, 1, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure_sources", "sources", invalid, "source is null",
         CALL(const gauze_image *const from = nullptr;
              return gauze_plan_measure_sources(a.plan, &from, 1, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure_sources", "source_count", invalid, "source_count is 2",
         CALL(const gauze_image *const from[2] = {a.source, a.source};
              return gauze_plan_measure_sources(a.plan, from, 2, &a.target, 1, 1, &a.timing))},
        {"gauze_plan_measure_sources", "targets", invalid, "targets is null",
         CALL(const gauze_image *const from = a.source;
              return gauze_plan_measure_sources(a.plan, &from, 1, nullptr, 1, 1, &a.timing))},
        {"gauze_plan_measure_sources", "target_count", invalid, "target_count is 2",
         CALL(const gauze_image *const from = a.source;
              return gauze_plan_measure_sources(a.plan, &from, 1, &a.target, 2, 1, &a.timing))},
        {"gauze_plan_measure_sources", "repeats", invalid, "repeats is 0",
         CALL(const gauze_image *const from = a.source;
              return gauze_plan_measure_sources(a.plan, &from, 1, &a.target, 1, 0, &a.timing))},
        {"gauze_plan_measure_sources", "timing", invalid, "timing is null",
         CALL(const gauze_image *const from = a.source;
              return gauze_plan_measure_sources(a.plan, &from, 1, &a.target, 1, 1, nullptr))},
        {"gauze_plan_measure", "timing", invalid, "timing->struct_size is 0",
         CALL(a.timing.struct_size = 0; return a.measure())},
        {"gauze_plan_compare", "plan", invalid, "plan is null",
         CALL(return gauze_plan_compare(nullptr, a.plan, a.source, a.target, 1, &a.comparison))},
        {"gauze_plan_compare", "baseline", invalid, "baseline is null",
         CALL(return gauze_plan_compare(a.plan, nullptr, a.source, a.target, 1, &a.comparison))},
        {"gauze_plan_compare", "source", invalid, "source is null",
         CALL(return gauze_plan_compare(a.plan, a.plan, nullptr, a.target, 1, &a.comparison))},
        {"gauze_plan_compare", "target", invalid, "target is null",
         CALL(return gauze_plan_compare(a.plan, a.plan, a.source, nullptr, 1, &a.comparison))},
        {"gauze_plan_compare", "repeats", invalid, "repeats is 0", CALL(return a.compare(0))},
        {"gauze_plan_compare", "repeats", invalid, "repeats is 4294967295",
         CALL(return a.compare(~0U))},
        {"gauze_plan_compare", "comparison", invalid, "comparison is null",
         CALL(return gauze_plan_compare(a.plan, a.plan, a.source, a.target, 1, nullptr))},
        {"gauze_plan_compare", "comparison", invalid, "comparison->struct_size is 0",
         CALL(a.comparison.struct_size = 0; return a.compare())},
        {"gauze_plan_problem_count", "plan", invalid, "plan is null",
         CALL(return gauze_plan_problem_count(nullptr, &a.number32))},
        {"gauze_plan_problem_count", "count", invalid, "count is null",
         CALL(return gauze_plan_problem_count(a.plan, nullptr))},
        {"gauze_plan_problem", "plan", invalid, "plan is null",
         CALL(return gauze_plan_problem(nullptr, 0, &a.new_problem))},
        {"gauze_plan_problem", "index", invalid, "index is 1; the plan has 1 problem",
         CALL(return gauze_plan_problem(a.plan, 1, &a.new_problem))},
        {"gauze_plan_problem", "index", invalid, "index is 4294967295",
         CALL(return gauze_plan_problem(a.plan, ~0U, &a.new_problem))},
        {"gauze_plan_problem", "problem", invalid, "problem is null",
         CALL(return gauze_plan_problem(a.plan, 0, nullptr))},
        {"gauze_plan_method_problem", "plan", invalid, "plan is null",
         CALL(return gauze_plan_method_problem(nullptr, &a.new_problem))},
        {"gauze_plan_method_problem", "plan", GAUZE_ERROR_UNSUPPORTED,
         "no results of methods are kept",
         CALL(return gauze_plan_method_problem(a.plan, &a.new_problem))},
        {"gauze_plan_method_problem", "problem", invalid, "problem is null",
         CALL(return gauze_plan_method_problem(a.plan, nullptr))},
        {"gauze_problem_destroy", "problem", GAUZE_OK, "",
         CALL(gauze_problem_destroy(nullptr); return GAUZE_OK)},
        {"gauze_problem_name", "problem", invalid, "problem is null",
         CALL(return gauze_problem_name(nullptr, &a.text))},
        {"gauze_problem_name", "name", invalid, "name is null",
         CALL(return gauze_problem_name(a.problem, nullptr))},
        {"gauze_problem_candidate_count", "problem", invalid, "problem is null",
         CALL(return gauze_problem_candidate_count(nullptr, &a.number32))},
        {"gauze_problem_candidate_count", "count", invalid, "count is null",
         CALL(return gauze_problem_candidate_count(a.problem, nullptr))},
        {"gauze_problem_candidate", "problem", invalid, "problem is null",
         CALL(return gauze_problem_candidate(nullptr, 0, &a.text))},
        {"gauze_problem_candidate", "index", invalid, "index is 4294967295; the problem has",
         CALL(return gauze_problem_candidate(a.problem, ~0U, &a.text))},
        {"gauze_problem_candidate", "variant", invalid, "variant is null",
         CALL(return gauze_problem_candidate(a.problem, 0, nullptr))},
        {"gauze_problem_add_results", "problem", invalid, "problem is null",
         CALL(return gauze_problem_add_results(nullptr, &a.tuning_result, 1))},
        {"gauze_problem_add_results", "results", invalid, "results is null and count is 1",
         CALL(return gauze_problem_add_results(a.problem, nullptr, 1))},
        {"gauze_problem_add_results", "results", invalid, "results[0]->struct_size is 2",
         CALL(a.tuning_result.struct_size = 2; return a.add_results())},
        {"gauze_problem_add_results", "results", invalid, "results[0]->variant is null",
         CALL(a.tuning_result.variant = nullptr; return a.add_results())},
        {"gauze_problem_add_results", "results", invalid, "is called 'box_plain'",
         CALL(a.tuning_result.variant = "box_plain:GROUP_X=1"; return a.add_results())},
        {"gauze_problem_add_results", "results", invalid, "time_ms is -1",
         CALL(a.tuning_result.time_ms = -1; return a.add_results())},
        {"gauze_problem_add_results", "results", invalid, "ratio is nan",
         CALL(a.tuning_result.ratio = std::numeric_limits<double>::quiet_NaN();
              return a.add_results())},
        {"gauze_problem_add_results", "results", unsupported, "there is no tuning file",
         CALL(return a.add_results())},
        {"gauze_problem_add_results", "count", GAUZE_OK, "",
         CALL(return gauze_problem_add_results(a.problem, nullptr, 0))},
        {"gauze_plan_verify", "plan", invalid, "plan is null",
         CALL(return gauze_plan_verify(nullptr, &a.host_source, &a.host_result, 1,
                                       &a.verification))},
        {"gauze_plan_verify", "source", invalid, "source is null",
         CALL(return gauze_plan_verify(a.plan, nullptr, &a.host_result, 1, &a.verification))},
        {"gauze_plan_verify", "source", invalid, "source",
         CALL(a.host_source.data = nullptr; return a.verify())},
        {"gauze_plan_verify", "source", invalid, "63 bytes",
         CALL(a.host_source.bytes = 63; return a.verify())},
        {"gauze_plan_verify", "targets", invalid, "targets is null",
         CALL(return gauze_plan_verify(a.plan, &a.host_source, nullptr, 1, &a.verification))},
        {"gauze_plan_verify", "target_count", invalid, "target_count is 0",
         CALL(
             return gauze_plan_verify(a.plan, &a.host_source, &a.host_result, 0, &a.verification))},
        {"gauze_plan_verify", "targets", invalid, "target",
         CALL(a.host_result.data = nullptr; return a.verify())},
        {"gauze_plan_verify", "targets", invalid, "0 bytes",
         CALL(a.host_result.bytes = 0; return a.verify())},
        {"gauze_plan_verify", "result", invalid, "result is null",
         CALL(return gauze_plan_verify(a.plan, &a.host_source, &a.host_result, 1, nullptr))},
        {"gauze_plan_verify", "result", invalid, "result->struct_size is 7",
         CALL(a.verification.struct_size = 7; return a.verify())},
        {"gauze_ssimulacra2_create", "engine", invalid, "engine is null",
         CALL(return gauze_ssimulacra2_create(nullptr, &a.metric_desc, &a.new_metric))},
        {"gauze_ssimulacra2_create", "desc", invalid, "desc is null",
         CALL(return gauze_ssimulacra2_create(a.engine, nullptr, &a.new_metric))},
        {"gauze_ssimulacra2_create", "desc", invalid, "desc->struct_size is 3",
         CALL(a.metric_desc.struct_size = 3; return a.create_metric())},
        {"gauze_ssimulacra2_create", "desc", invalid, "reference is null",
         CALL(a.metric_desc.reference = nullptr; return a.create_metric())},
        {"gauze_ssimulacra2_create", "desc", invalid, "distorted is null",
         CALL(a.metric_desc.distorted = nullptr; return a.create_metric())},
        {"gauze_ssimulacra2_create", "desc", invalid, "f32",
         CALL(a.metric_desc.reference = &a.image_desc; return a.create_metric())},
        {"gauze_ssimulacra2_create", "desc", invalid, "no_such_kernel",
         CALL(a.metric_desc.variant = "no_such_kernel"; return a.create_metric())},
        {"gauze_ssimulacra2_create", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_create(a.engine, &a.metric_desc, nullptr))},
        {"gauze_ssimulacra2_destroy", "metric", GAUZE_OK, "",
         CALL(gauze_ssimulacra2_destroy(nullptr); return GAUZE_OK)},
        {"gauze_ssimulacra2_explain", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_explain(nullptr, &a.text))},
        {"gauze_ssimulacra2_explain", "text", invalid, "text is null",
         CALL(return gauze_ssimulacra2_explain(a.metric, nullptr))},
        {"gauze_ssimulacra2_set_reference", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_set_reference(nullptr, &a.host_frame))},
        {"gauze_ssimulacra2_set_reference", "reference", invalid, "reference is null",
         CALL(return gauze_ssimulacra2_set_reference(a.metric, nullptr))},
        {"gauze_ssimulacra2_set_reference", "reference", invalid, "63 bytes",
         CALL(a.host_frame.bytes = 63;
              return gauze_ssimulacra2_set_reference(a.metric, &a.host_frame))},
        {"gauze_ssimulacra2_set_reference_image", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_set_reference_image(nullptr, a.image_frame))},
        {"gauze_ssimulacra2_set_reference_image", "reference", invalid, "reference is null",
         CALL(return gauze_ssimulacra2_set_reference_image(a.metric, nullptr))},
        {"gauze_ssimulacra2_score", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_score(nullptr, &a.host_frame, &a.host_frame, 1, &a.score))},
        {"gauze_ssimulacra2_score", "references", invalid, "reference",
         CALL(return a.score_frame(nullptr, &a.host_frame))},
        {"gauze_ssimulacra2_score", "distorted", invalid, "distorted is null",
         CALL(return a.score_frame(&a.host_frame, nullptr))},
        {"gauze_ssimulacra2_score", "count", invalid, "count is 0",
         CALL(return gauze_ssimulacra2_score(a.metric, &a.host_frame, &a.host_frame, 0, &a.score))},
        {"gauze_ssimulacra2_score", "scores", invalid, "scores is null",
         CALL(return gauze_ssimulacra2_score(a.metric, &a.host_frame, &a.host_frame, 1, nullptr))},
        {"gauze_ssimulacra2_score_images", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_score_images(nullptr, nullptr, nullptr, 1, &a.score))},
        {"gauze_ssimulacra2_score_images", "references", invalid, "image 0 is null",
         CALL(return a.score_image(nullptr, a.image_frame))},
        {"gauze_ssimulacra2_score_images", "distorted", invalid, "image 0 is null",
         CALL(return a.score_image(a.image_frame, nullptr))},
        {"gauze_ssimulacra2_score_images", "count", invalid, "count is 0",
         CALL(return gauze_ssimulacra2_score_images(a.metric, nullptr, nullptr, 0, &a.score))},
        {"gauze_ssimulacra2_score_images", "scores", invalid, "scores is null",
         CALL(const gauze_image *image = a.image_frame;
              return gauze_ssimulacra2_score_images(a.metric, &image, &image, 1, nullptr))},
        {"gauze_ssimulacra2_error_map", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_error_map(nullptr, &a.host_frame, a.map, sizeof a.map,
                                                 nullptr))},
        {"gauze_ssimulacra2_error_map", "distorted", invalid, "distorted is null",
         CALL(return gauze_ssimulacra2_error_map(a.metric, nullptr, a.map, sizeof a.map, nullptr))},
        {"gauze_ssimulacra2_error_map", "map", invalid, "map is null",
         CALL(return gauze_ssimulacra2_error_map(a.metric, &a.host_frame, nullptr, sizeof a.map,
                                                 nullptr))},
        {"gauze_ssimulacra2_error_map", "bytes", invalid, "has 255 bytes; it needs 256",
         CALL(return a.make_map(255, &a.score))},
        {"gauze_ssimulacra2_error_map", "score", GAUZE_OK, "",
         CALL(return done(gauze_ssimulacra2_set_reference(a.metric, &a.host_frame) == GAUZE_OK &&
                          a.make_map(sizeof a.map, nullptr) == GAUZE_OK))},
        {"gauze_ssimulacra2_problem_count", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_problem_count(nullptr, &a.number32))},
        {"gauze_ssimulacra2_problem_count", "count", invalid, "count is null",
         CALL(return gauze_ssimulacra2_problem_count(a.metric, nullptr))},
        {"gauze_ssimulacra2_problem", "metric", invalid, "metric is null",
         CALL(return gauze_ssimulacra2_problem(nullptr, 0, &a.new_problem))},
        {"gauze_ssimulacra2_problem", "index", invalid, "index is 2; the metric has 2 problems",
         CALL(return gauze_ssimulacra2_problem(a.metric, 2, &a.new_problem))},
        {"gauze_ssimulacra2_problem", "problem", invalid, "problem is null",
         CALL(return gauze_ssimulacra2_problem(a.metric, 0, nullptr))},
        {"gauze_ssimulacra2_score_of", "weighted_error", GAUZE_OK, "",
         CALL(return done(gauze_ssimulacra2_score_of(0.0) == 100.0 &&
                          gauze_ssimulacra2_score_of(1e300) < 0.0))},
    };
}

// Handles of another kind, and handles that were destroyed, wherever one is taken.
template <class T> T *as(void *handle) {
    return static_cast<T *>(handle);
}
std::vector<Case> handle_cases() {
    return {
        {"gauze_device_list_get", "list", invalid, "list is no handle",
         CALL(return gauze_device_list_get(as<gauze_device_list>(a.plan), 0, &a.info))},
        {"gauze_device_list_count", "list", GAUZE_OK, "",
         CALL(return done(gauze_device_list_count(as<gauze_device_list>(a.plan)) == 0))},
        {"gauze_engine_device", "engine", invalid, "engine is no handle",
         CALL(return gauze_engine_device(as<gauze_engine>(a.plan), &a.info))},
        {"gauze_engine_destroy", "engine", GAUZE_OK, "",
         CALL(gauze_engine_destroy(as<gauze_engine>(a.plan)); return GAUZE_OK)},
        {"gauze_engine_context", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_context(as<gauze_engine>(a.plan)) == nullptr))},
        {"gauze_engine_device_id", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_device_id(as<gauze_engine>(a.plan)) == nullptr))},
        {"gauze_engine_queue", "engine", GAUZE_OK, "",
         CALL(return done(gauze_engine_queue(as<gauze_engine>(a.plan)) == nullptr))},
        {"gauze_engine_finish", "engine", invalid, "engine is no handle",
         CALL(return gauze_engine_finish(as<gauze_engine>(a.plan)))},
        {"gauze_image_wrap", "engine", invalid, "engine is no handle",
         CALL(return gauze_image_wrap(as<gauze_engine>(a.plan), &a.image_desc, a.source_mem,
                                      &a.new_image))},
        {"gauze_image_create", "engine", invalid, "engine is no handle",
         CALL(return gauze_image_create(as<gauze_engine>(a.plan), &a.image_desc, &a.new_image))},
        {"gauze_image_write", "image", invalid, "image is no handle",
         CALL(return gauze_image_write(as<gauze_image>(a.plan), a.pixels, sizeof a.pixels))},
        {"gauze_image_mem", "image", GAUZE_OK, "",
         CALL(return done(gauze_image_mem(as<gauze_image>(a.plan)) == nullptr))},
        {"gauze_filter_bank", "filters", invalid, "filters[i] is no handle",
         CALL(return a.create_bank(as<gauze_filter>(a.plan), 1))},
        {"gauze_filter_with_component", "base", invalid, "base is no handle",
         CALL(return gauze_filter_with_component(as<gauze_filter>(a.plan), 0, a.filter,
                                                 &a.new_filter))},
        {"gauze_plan_create", "filter", invalid, "filter is no handle",
         CALL(return gauze_plan_create(a.engine, as<gauze_filter>(a.plan), &a.plan_desc,
                                       &a.new_plan))},
        {"gauze_plan_run", "plan", invalid, "plan is no handle",
         CALL(return gauze_plan_run(as<gauze_plan>(a.source), &a.host_source, 1, &a.host_target, 1,
                                    nullptr))},
        {"gauze_plan_measure", "targets", invalid, "targets[i] is no handle",
         CALL(gauze_image *const other = as<gauze_image>(a.plan);
              return gauze_plan_measure(a.plan, a.source, &other, 1, 1, &a.timing))},
        {"gauze_plan_problem", "plan", invalid, "plan is no handle",
         CALL(return gauze_plan_problem(as<gauze_plan>(a.source), 0, &a.new_problem))},
        {"gauze_problem_name", "problem", invalid, "problem is no handle",
         CALL(return gauze_problem_name(as<gauze_problem>(a.plan), &a.text))},
        {"gauze_problem_add_results", "problem", invalid, "problem is no handle",
         CALL(return gauze_problem_add_results(as<gauze_problem>(a.plan), &a.tuning_result, 1))},
        {"gauze_problem_destroy", "problem", GAUZE_OK, "",
         CALL(gauze_problem_destroy(as<gauze_problem>(a.plan)); return GAUZE_OK)},
        {"gauze_ssimulacra2_create", "engine", invalid, "engine is no handle",
         CALL(return gauze_ssimulacra2_create(as<gauze_engine>(a.plan), &a.metric_desc,
                                              &a.new_metric))},
        {"gauze_ssimulacra2_destroy", "metric", GAUZE_OK, "",
         CALL(gauze_ssimulacra2_destroy(as<gauze_ssimulacra2>(a.plan)); return GAUZE_OK)},
        {"gauze_ssimulacra2_set_reference", "metric", invalid, "metric is no handle",
         CALL(
             return gauze_ssimulacra2_set_reference(as<gauze_ssimulacra2>(a.plan), &a.host_frame))},
        {"gauze_ssimulacra2_set_reference_image", "reference", invalid, "reference is no handle",
         CALL(return gauze_ssimulacra2_set_reference_image(a.metric, as<gauze_image>(a.plan)))},
        {"gauze_ssimulacra2_score_images", "distorted", invalid, "image 0 is no handle",
         CALL(return a.score_image(a.image_frame, as<gauze_image>(a.plan)))},
    };
}

#undef CALL

std::string name_of(const Case &each) {
    return std::string(each.function) + "(" + each.argument + ")";
}

void check(const Case &each) {
    INFO(name_of(each));
    Arguments arguments;
    const gauze_status status = each.call(arguments);
    const std::string said = gauze_last_error();
    INFO(said);
    CHECK(status == each.status);
    if (each.status != GAUZE_OK) {
        CHECK(said.find(each.part) != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
        CHECK(arguments.are_outputs_untouched());
    }
    // The refused calls left everything in order.
    CHECK(Arguments().run() == GAUZE_OK);
}

// "function(argument)" for every argument of every function that the public headers declare.
std::set<std::string> declared_arguments() {
    const char *const folder = std::getenv("GAUZE_HEADERS");
    REQUIRE(folder != nullptr);
    std::stringstream headers;
    for (const auto &each : std::filesystem::directory_iterator(folder))
        if (each.path().extension() == ".h")
            headers << std::ifstream(each.path()).rdbuf();
    const std::string text = headers.str();
    std::set<std::string> result;
    const std::regex function(R"(\nGAUZE_API [^(;]*[ *](gauze_[a-z0-9_]+)\(([^)]*)\))");
    const std::regex argument(R"(([a-z_]+)(,|$))");
    for (std::sregex_iterator each(text.begin(), text.end(), function), end; each != end; ++each) {
        const std::string arguments = (*each)[2];
        if (arguments != "void")
            for (std::sregex_iterator one(arguments.begin(), arguments.end(), argument); one != end;
                 ++one)
                result.insert((*each)[1].str() + "(" + (*one)[1].str() + ")");
    }
    return result;
}

} // namespace

TEST_SUITE("arguments") {
    TEST_CASE("every argument of every function is refused where it is bad") {
        std::set<std::string> seen;
        for (const Case &each : cases()) {
            check(each);
            seen.insert(name_of(each));
        }
        const std::set<std::string> declared = declared_arguments();
        CHECK(declared.size() > 80);
        for (const std::string &each : declared) {
            INFO(each);
            CHECK(seen.count(each) == 1);
        }
        MESSAGE(cases().size(), " bad values of ", declared.size(), " arguments");
    }

    TEST_CASE("good arguments are taken") {
        Arguments a;
        CHECK(a.create_engine() == GAUZE_OK);
        CHECK(a.create_image() == GAUZE_OK);
        CHECK(a.create_plan() == GAUZE_OK);
        CHECK(a.run() == GAUZE_OK);
        CHECK(a.enqueue() == GAUZE_OK);
        clReleaseEvent(a.event);
        CHECK(a.measure() == GAUZE_OK);
        CHECK(a.compare() == GAUZE_OK);
        CHECK(a.verify() == GAUZE_OK);
    }

    TEST_CASE("handles of another kind") {
        for (const Case &each : handle_cases())
            check(each);
    }

#ifndef WATCHES_HEAP
    TEST_CASE("handles that were destroyed") {
        Arguments a;
        const auto refused = [](gauze_status status) {
            return status == invalid &&
                   std::string(gauze_last_error()).find("destroyed") != std::string::npos;
        };
        gauze_plan_destroy(a.plan);
        CHECK(refused(a.run()));
        CHECK(refused(a.enqueue()));
        CHECK(refused(gauze_plan_prepare(a.plan)));
        gauze_plan_destroy(a.plan); // is left alone
        a.plan = nullptr;
        CHECK(gauze_problem_name(a.problem, &a.text) == GAUZE_OK); // keeps the plan
        gauze_problem_destroy(a.problem);
        CHECK(refused(a.add_results()));
        a.problem = nullptr;
        gauze_image_destroy(a.source);
        CHECK(refused(gauze_image_write(a.source, a.pixels, sizeof a.pixels)));
        CHECK(gauze_image_mem(a.source) == nullptr);
        a.source = nullptr;
        gauze_filter_destroy(a.filter);
        CHECK(refused(a.create_plan()));
        a.filter = nullptr;
        gauze_engine *own = nullptr;
        REQUIRE(gauze_engine_create(&a.options, &own) == GAUZE_OK);
        gauze_engine_destroy(own);
        CHECK(refused(gauze_engine_device(own, &a.info)));
    }
#endif
}
