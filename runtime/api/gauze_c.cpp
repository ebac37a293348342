// gauze.h over the library's own types: checks pointers and sizes of structs, turns exceptions into
// statuses. No logic.
#include <gauze/gauze.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/handle.hpp"
#include "api/versioned_struct.hpp"
#include "core/error.hpp"
#include "core/types.hpp"
#include "device/cache_directory.hpp"
#include "device/discovery.hpp"
#include "device/engine.hpp"
#include "filter/filter.hpp"
#include "filter/ssimulacra2.hpp"
#include "plan/device_image.hpp"
#include "plan/measure.hpp"
#include "plan/plan.hpp"
#include "plan/problems.hpp"
#include "plan/ssimulacra2.hpp"
#include "plan/verify.hpp"

struct gauze_device_list {
    gz::HandleTag<gz::HandleKind::device_list> tag;
    gz::Discovery found;
    std::string notes;
    std::vector<std::string> tuning; // of each device
};

struct gauze_engine {
    gz::HandleTag<gz::HandleKind::engine> tag;
    std::shared_ptr<gz::Engine> engine;
    mutable std::once_flag tuning_is_known{};
    mutable std::string tuning{};
};

struct gauze_image {
    gz::HandleTag<gz::HandleKind::image> tag;
    gz::DeviceImage image;
};

struct gauze_filter {
    gz::HandleTag<gz::HandleKind::filter> tag;
    gz::Filter filter;
};

struct gauze_plan {
    gz::HandleTag<gz::HandleKind::plan> tag;
    gz::Plan plan;
};

struct gauze_ssimulacra2 {
    gz::HandleTag<gz::HandleKind::ssimulacra2> tag;
    gz::Ssimulacra2 metric;
    std::int64_t pixels;
};

namespace {

using gz::check_handle;
using gz::check_pointer;
using gz::check_struct;
using gz::Error;
using gz::known_part;
using gz::require;
using gz::Status;
using gz::write_struct;

thread_local std::string last_error;

gauze_status record(Status status, const char *text) noexcept {
    try {
        last_error = text;
    } catch (...) {
        last_error.clear(); // no memory for the text; the status still stands
    }
    return static_cast<gauze_status>(status);
}

// The one place where exceptions become statuses.
template <class Body> gauze_status guarded(Body &&body) noexcept {
    try {
        body();
        last_error.clear();
        return GAUZE_OK;
    } catch (const Error &error) {
        return record(error.status(), error.what());
    } catch (const std::bad_alloc &) {
        return record(Status::out_of_memory, "out of host memory");
    } catch (const cl::Error &error) {
        const Error own = gz::opencl_error(error, "serving a call");
        return record(own.status(), own.what());
    } catch (const std::exception &error) {
        return record(Status::internal, error.what());
    } catch (...) {
        return record(Status::internal, "an unknown exception");
    }
}

gz::Axes axes_of(const std::int64_t (&values)[4]) {
    return {values[0], values[1], values[2], values[3]};
}

gz::ImageDesc image_desc(const gauze_image_desc *given, const char *name) {
    const gauze_image_desc desc = known_part(given, name);
    require(gz::find_type(desc.type) != nullptr, name, "->type is ", desc.type,
            ", which is no pixel type");
    if (desc.memory == GAUZE_MEMORY_CL_IMAGE || desc.memory == GAUZE_MEMORY_SVM)
        gz::fail(Status::unsupported, name,
                 "->memory asks for OpenCL images or shared virtual memory; only buffers are "
                 "supported so far");
    require(desc.memory == GAUZE_MEMORY_BUFFER, name, "->memory is ", desc.memory,
            ", which is no kind of memory");
    gz::ImageDesc result;
    result.type = static_cast<gz::PixelType>(desc.type);
    result.channels = desc.channels;
    result.extent = axes_of(desc.extent);
    result.pitch = axes_of(desc.pitch);
    result.offset = desc.offset;
    result.planes = desc.planes;
    result.plane_pitch = desc.plane_pitch;
    return gz::complete(result, name);
}

gz::Taps taps_of(const gauze_taps *given) {
    const gauze_taps taps = known_part(given, "taps");
    check_pointer(taps.values, "taps->values");
    gz::Taps result;
    std::int64_t count = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        result.size[i] = i >= 2 && taps.size[i] == 0 ? 1 : taps.size[i];
        result.anchor[i] = taps.has_anchor ? taps.anchor[i] : result.size[i] / 2;
        require(result.size[i] >= 1 && result.size[i] <= INT32_MAX / count, "taps->size[", i,
                "] is ", taps.size[i], "; at least 1 and fewer than 2^31 taps in all are possible");
        count *= result.size[i];
    }
    result.values.assign(taps.values, taps.values + count);
    return result;
}

gz::AxisTaps axis_taps_of(const gauze_separable_taps *given) {
    const gauze_separable_taps taps = known_part(given, "taps");
    gz::AxisTaps result;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t count = taps.count[i];
        require(count >= 0 && count <= gz::max_axis_taps, "taps->count[", i, "] is ", count,
                "; it must be from 0 to ", gz::max_axis_taps);
        require(count == 0 || taps.values[i] != nullptr, "taps->values[", i, "] is null");
        if (count > 0)
            result.values[i].assign(taps.values[i], taps.values[i] + count);
    }
    if (taps.has_anchor)
        result.anchor = axes_of(taps.anchor);
    return result;
}

gz::GaussianMethod method_of(gauze_gaussian_method method, const char *name) {
    require(method >= GAUZE_GAUSSIAN_AUTO && method <= GAUZE_GAUSSIAN_BOX, name, "->method is ",
            method, ", which is no method");
    return static_cast<gz::GaussianMethod>(method);
}

gz::Gaussian gaussian_of(const gauze_gaussian *given) {
    const gauze_gaussian gaussian = known_part(given, "gaussian");
    gz::Gaussian result;
    result.method = method_of(gaussian.method, "gaussian");
    for (std::size_t i = 0; i < 4; ++i) {
        result.sigma[i] = gaussian.sigma[i];
        result.derivative[i] = gaussian.derivative[i];
    }
    if (gaussian.truncate != 0.0)
        result.truncate = gaussian.truncate;
    if (gaussian.accuracy != 0.0)
        result.accuracy = gaussian.accuracy;
    return result;
}

gz::Box box_of(const gauze_box *given) {
    const gauze_box box = known_part(given, "box");
    require(box.iterations <= static_cast<std::uint32_t>(gz::max_box_iterations),
            "box->iterations is ", box.iterations, "; it must be from 0 to ",
            gz::max_box_iterations);
    return {axes_of(box.radius), box.iterations == 0 ? 1 : static_cast<int>(box.iterations)};
}

std::vector<double> terms_of(const double *terms, std::uint32_t count, std::size_t most,
                             const std::string &name) {
    require(count <= most, name, "_count is ", count, "; it must be ", most, " at most");
    require(count == 0 || terms != nullptr, name, " is null");
    return terms ? std::vector<double>(terms, terms + count) : std::vector<double>();
}

gz::Scan scan_of(const gauze_scan *given, const std::string &name) {
    const gauze_scan scan = known_part(given, name);
    require(scan.direction == 1 || scan.direction == -1, name, "->direction is ", scan.direction,
            "; it must be 1 or -1");
    return {scan.axis, scan.direction == 1,
            terms_of(scan.feedforward, scan.feedforward_count, gz::max_feedforward,
                     name + "->feedforward"),
            terms_of(scan.feedback, scan.feedback_count, gz::max_feedback, name + "->feedback")};
}

// A field that is 0 or 1.
bool flag_of(std::int32_t value, const char *name) {
    require(value == 0 || value == 1, name, " is ", value, "; it must be 0 or 1");
    return value == 1;
}

gz::Phase phase_of(std::int32_t zero_phase, const char *name) {
    return flag_of(zero_phase, name) ? gz::Phase::zero : gz::Phase::as_written;
}

gz::Filter recursive_of(const gauze_recursive *given) {
    const gauze_recursive recursive = known_part(given, "recursive");
    require(recursive.scan_count <= gz::max_scans, "recursive->scan_count is ",
            recursive.scan_count, "; it must be from 1 to ", gz::max_scans);
    require(recursive.scan_count == 0 || recursive.scans != nullptr, "recursive->scans is null");
    gz::RecursiveOptions options;
    options.grouping = recursive.grouping ? recursive.grouping : "";
    options.tile = recursive.tile;
    if (flag_of(recursive.allow_unstable, "recursive->allow_unstable"))
        options.feedback = gz::Feedback::unchecked;
    options.phase = phase_of(recursive.zero_phase, "recursive->zero_phase");
    options.accuracy = recursive.accuracy;
    std::vector<gz::Scan> scans;
    for (std::uint32_t i = 0; i < recursive.scan_count; ++i) {
        const std::string name = "recursive->scans[" + std::to_string(i) + "]";
        const gauze_scan *const scan = gz::element(recursive.scans, i);
        require(scan->struct_size == recursive.scans->struct_size, name, "->struct_size is ",
                scan->struct_size, "; that of the first is ", recursive.scans->struct_size);
        scans.push_back(scan_of(scan, name));
    }
    return gz::Filter::recursive(std::move(scans), options);
}

gz::Filter sections_of(const gauze_sections *given) {
    const gauze_sections sections = known_part(given, "sections");
    require(sections.section_count <= gz::max_scans, "sections->section_count is ",
            sections.section_count, "; it must be from 1 to ", gz::max_scans);
    require(sections.section_count == 0 || sections.rows != nullptr, "sections->rows is null");
    gz::Sections result;
    result.rows.resize(sections.section_count);
    for (std::size_t i = 0; i < result.rows.size(); ++i)
        std::copy_n(sections.rows + i * result.rows[i].size(), result.rows[i].size(),
                    result.rows[i].begin());
    std::copy_n(sections.direction, result.direction.size(), result.direction.begin());
    gz::RecursiveOptions options;
    options.tile = sections.tile;
    options.phase = phase_of(sections.zero_phase, "sections->zero_phase");
    options.accuracy = sections.accuracy;
    return gz::Filter::sections(result, options);
}

gz::Filter dog_of(const gauze_dog *given) {
    const gauze_dog dog = known_part(given, "dog");
    return gz::Filter::dog(dog.sigma[0], dog.sigma[1], method_of(dog.method, "dog"));
}

gz::PlanDesc plan_desc(const gauze_plan_desc &desc, std::size_t target_count) {
    require(desc.source_count == 1, "desc->source_count is ", desc.source_count,
            "; this filter takes 1 source");
    require(desc.target_count == target_count, "desc->target_count is ", desc.target_count,
            "; this filter has ", target_count, target_count == 1 ? " target" : " targets");
    require(desc.border >= GAUZE_BORDER_CLAMP && desc.border <= GAUZE_BORDER_ZERO,
            "desc->border is ", desc.border, ", which is no border");
    gz::PlanDesc result;
    result.source = image_desc(desc.sources, "source");
    check_pointer(desc.targets, "target");
    const auto one_target = [&](std::size_t i) {
        return image_desc(gz::element(desc.targets, i), target_count == 1 ? "target" : "a target");
    };
    result.target = one_target(0);
    for (std::size_t i = 1; i < target_count; ++i)
        result.more_targets.push_back(one_target(i));
    result.border = {static_cast<gz::BorderMode>(desc.border), desc.border_value};
    if (desc.region) {
        const gauze_region region = known_part(desc.region, "region");
        require(region.edge == GAUZE_REGION_ISOLATED || region.edge == GAUZE_REGION_NEIGHBOURS,
                "region->edge is ", region.edge, ", which is no kind of edge");
        result.region = {axes_of(region.source_origin), axes_of(region.extent),
                         axes_of(region.target_origin), static_cast<gz::RegionEdge>(region.edge)};
    } else {
        for (std::size_t i = 0; i < target_count; ++i)
            require(result.source.extent == result.target_at(i).extent, "the source is ",
                    gz::to_text(result.source.extent), " and the target ",
                    gz::to_text(result.target_at(i).extent),
                    "; without a region they must be of one size");
    }
    return result;
}

// c_str()s that live as long as `facts` and `tuning`.
gauze_device_info info_of(const gz::DeviceFacts &facts, int index, bool is_default,
                          const std::string &tuning) {
    gauze_device_info info{};
    info.index = index;
    info.kind = facts.is_cpu()                                       ? GAUZE_DEVICE_CPU
                : facts.device_class == gz::DeviceClass::accelerator ? GAUZE_DEVICE_ACCELERATOR
                                                                     : GAUZE_DEVICE_GPU;
    info.is_default = is_default ? 1 : 0;
    info.name = facts.name.c_str();
    info.vendor = facts.vendor.c_str();
    info.platform = facts.platform.c_str();
    info.version = facts.version.c_str();
    info.driver = facts.driver.c_str();
    info.device_class = gz::name_of(facts.device_class);
    info.unusable = facts.unusable.empty() ? nullptr : facts.unusable.c_str();
    info.global_memory = facts.global_memory;
    info.max_allocation = facts.max_allocation;
    info.local_memory = facts.local_memory;
    info.max_parameter_size = facts.max_parameter_size;
    info.compute_units = facts.compute_units;
    info.clock_mhz = facts.clock_mhz;
    info.max_group_size = facts.max_group_size;
    info.has_f64 = facts.has_f64 ? 1 : 0;
    info.architecture = facts.architecture.c_str();
    info.tuning = tuning.c_str();
    return info;
}

const char *or_empty(const char *text) {
    return text ? text : "";
}

gz::Engine::Options engine_options(const gauze_engine_options *given) {
    const gauze_engine_options options = known_part(given, "options");
    require(options.cache_mode >= GAUZE_CACHE_READ_WRITE && options.cache_mode <= GAUZE_CACHE_OFF,
            "options->cache_mode is ", options.cache_mode, ", which is no mode");
    gz::Engine::Options result;
    result.device = or_empty(options.device);
    result.cl_dir = or_empty(options.cl_dir);
    result.log = {options.log, options.log_user};
    result.context = options.context;
    result.device_id = options.device_id;
    result.cache.mode = static_cast<gz::CacheMode>(options.cache_mode);
    result.cache.directory = or_empty(options.cache_directory);
    if (options.cache_max_bytes != 0)
        result.cache.max_bytes = options.cache_max_bytes;
    result.cache.load = options.cache_load;
    result.cache.store = options.cache_store;
    result.cache.user = options.cache_user;
    result.tuning_file = or_empty(options.tuning_file);
    return result;
}

// The directory as an engine that is asked for it has it; nothing where it would have none.
std::optional<gz::CacheDirectory> cache_directory(const char *asked) {
    const std::string path = gz::cache_directory(or_empty(asked));
    if (path.empty())
        return std::nullopt;
    return gz::CacheDirectory(path, gz::CacheAccess::read_write, gz::default_cache_bytes);
}

gz::HostSource host_source(const gauze_host_source *source) {
    return {static_cast<const std::byte *>(source->data), source->bytes};
}

using MakeFilter = gz::Filter (*)(gz::Taps);

gauze_status create_filter(const gauze_taps *taps, gauze_filter **filter, MakeFilter make) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, make(taps_of(taps))};
    });
}

void check_target_count(const gz::Plan &plan, std::uint32_t target_count) {
    const std::size_t count = plan.desc().target_count();
    require(target_count == count, "target_count is ", target_count, "; the plan has ", count,
            count == 1 ? " target" : " targets");
}

void check_counts(const gz::Plan &plan, std::uint32_t source_count, std::uint32_t target_count) {
    require(source_count == 1, "source_count is ", source_count, "; the plan takes 1 source");
    check_target_count(plan, target_count);
}

// Of `count` images, each from[i] or *from[i].
std::vector<gz::Frame> frames(const gauze_host_source *from, std::uint32_t count) {
    std::vector<gz::Frame> result;
    for (std::uint32_t i = 0; from && i < count; ++i)
        result.emplace_back(host_source(from + i));
    return result;
}

std::vector<gz::Frame> frames(const gauze_image *const *from, std::uint32_t count) {
    std::vector<gz::Frame> result;
    for (std::uint32_t i = 0; from && i < count; ++i) {
        check_handle(from[i], gz::text("image ", i));
        result.emplace_back(&from[i]->image);
    }
    return result;
}

template <class Images>
gauze_status score(gauze_ssimulacra2 *metric, const Images *references, const Images *distorted,
                   std::uint32_t count, double *scores) {
    return guarded([&] {
        check_handle(metric, "metric");
        require(count > 0, "count is 0; there is nothing to score");
        check_pointer(distorted, "distorted");
        check_pointer(scores, "scores");
        metric->metric.score(frames(references, count), frames(distorted, count), scores);
    });
}

std::vector<gz::HostTarget> host_targets(const gauze_host_target *targets, std::uint32_t count) {
    std::vector<gz::HostTarget> result;
    for (std::uint32_t i = 0; i < count; ++i)
        result.push_back({static_cast<std::byte *>(targets[i].data), targets[i].bytes});
    return result;
}

gz::HostRun host_run(const gauze_run_options *given) {
    if (!given)
        return {};
    const gauze_run_options options = known_part(given, "options");
    gz::HostRun how;
    how.most_bytes = options.max_device_bytes;
    if (options.progress)
        how.report = [options](std::uint64_t done, std::uint64_t total) {
            return options.progress(done, total, options.progress_user) == 0;
        };
    return how;
}

void tell(const gz::PlanProblem &problem, gauze_text_receive receive, void *user) {
    receive(problem.name.c_str(), user);
    for (const std::string &candidate : problem.candidates)
        receive(candidate.c_str(), user);
}

std::vector<gz::ProblemResult> problem_results(const gauze_tuning_result *results,
                                               std::uint32_t count) {
    require(count == 0 || results != nullptr, "results is null and count is ", count);
    std::vector<gz::ProblemResult> own;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = "results[" + std::to_string(i) + "]";
        const gauze_tuning_result *const given = gz::element(results, i);
        require(given->struct_size == results->struct_size, name, "->struct_size is ",
                given->struct_size, "; that of the first is ", results->struct_size);
        const gauze_tuning_result result = known_part(given, name);
        check_pointer(result.variant, name + "->variant");
        own.push_back({result.variant, result.time_ms, result.ratio, or_empty(result.bad)});
    }
    return own;
}

} // namespace

extern "C" {

const char *gauze_status_name(gauze_status status) {
    switch (status) {
    case GAUZE_OK:
        return "GAUZE_OK";
    case GAUZE_ERROR_INVALID_ARGUMENT:
        return "GAUZE_ERROR_INVALID_ARGUMENT";
    case GAUZE_ERROR_UNSUPPORTED:
        return "GAUZE_ERROR_UNSUPPORTED";
    case GAUZE_ERROR_NO_DEVICE:
        return "GAUZE_ERROR_NO_DEVICE";
    case GAUZE_ERROR_BUILD_FAILED:
        return "GAUZE_ERROR_BUILD_FAILED";
    case GAUZE_ERROR_OUT_OF_MEMORY:
        return "GAUZE_ERROR_OUT_OF_MEMORY";
    case GAUZE_ERROR_DEVICE:
        return "GAUZE_ERROR_DEVICE";
    case GAUZE_ERROR_OVERLAP:
        return "GAUZE_ERROR_OVERLAP";
    case GAUZE_ERROR_CANCELLED:
        return "GAUZE_ERROR_CANCELLED";
    case GAUZE_ERROR_INTERNAL:
        return "GAUZE_ERROR_INTERNAL";
    default:
        return "unknown status";
    }
}

const char *gauze_last_error(void) {
    return last_error.c_str();
}

int32_t gauze_version(void) {
    return GAUZE_VERSION_MAJOR * 10000 + GAUZE_VERSION_MINOR * 100 + GAUZE_VERSION_PATCH;
}

gauze_status gauze_device_list_create(gauze_device_list **list) {
    return guarded([&] {
        check_pointer(list, "list");
        auto result = std::make_unique<gauze_device_list>();
        result->found = gz::discover();
        result->notes = result->found.advice();
        const std::string file = gz::tuning_file("");
        const gz::SourceTree sources("");
        for (const gz::FoundDevice &device : result->found.devices)
            result->tuning.push_back(gz::Tuning(file, device.facts, sources, {}).summary());
        *list = result.release();
    });
}

void gauze_device_list_destroy(gauze_device_list *list) {
    gz::destroy(list);
}

size_t gauze_device_list_count(const gauze_device_list *list) {
    return gz::is_alive(list) ? list->found.devices.size() : 0;
}

gauze_status gauze_device_list_get(const gauze_device_list *list, size_t index,
                                   gauze_device_info *info) {
    return guarded([&] {
        check_handle(list, "list");
        require(index < list->found.devices.size(), "index is ", index, "; the list has ",
                list->found.devices.size(), " devices");
        const int place = static_cast<int>(index);
        write_struct(info,
                     info_of(list->found.devices[index].facts, place,
                             place == list->found.default_device(), list->tuning[index]),
                     "info");
    });
}

const char *gauze_device_list_notes(const gauze_device_list *list) {
    return gz::is_alive(list) ? list->notes.c_str() : "";
}

gauze_status gauze_engine_create(const gauze_engine_options *options, gauze_engine **engine) {
    return guarded([&] {
        check_pointer(engine, "engine");
        auto result = std::make_unique<gauze_engine>();
        result->engine =
            std::make_shared<gz::Engine>(options ? engine_options(options) : gz::Engine::Options());
        *engine = result.release();
    });
}

void gauze_engine_destroy(gauze_engine *engine) {
    gz::destroy(engine);
}

gauze_status gauze_engine_device(const gauze_engine *engine, gauze_device_info *info) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gz::Engine &own = *engine->engine;
        std::call_once(engine->tuning_is_known, [&] { engine->tuning = own.tuning().summary(); });
        write_struct(
            info, info_of(own.facts(), own.device_index(), own.is_default_device(), engine->tuning),
            "info");
    });
}

gauze_status gauze_engine_compile_count(const gauze_engine *engine, uint64_t *count) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(count, "count");
        *count = engine->engine->compile_count();
    });
}

gauze_status gauze_engine_cache_counts(const gauze_engine *engine, gauze_cache_counts *counts) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gz::BinaryCache &cache = engine->engine->cache();
        gauze_cache_counts result{};
        result.hits = cache.hit_count();
        result.misses = cache.miss_count();
        result.stores = cache.store_count();
        write_struct(counts, result, "counts");
    });
}

gauze_status gauze_cache_query(const char *directory, gauze_cache_info *info) {
    return guarded([&] {
        thread_local std::string path;
        check_struct(info, "info");
        gauze_cache_info result{};
        result.max_bytes = gz::default_cache_bytes;
        if (const auto own = cache_directory(directory)) {
            const gz::CacheDirectory::Contents contents = own->contents();
            path = own->path();
            result.directory = path.c_str();
            result.entries = contents.entries;
            result.bytes = contents.bytes;
        }
        write_struct(info, result, "info");
    });
}

gauze_status gauze_cache_clear(const char *directory, uint64_t *removed) {
    return guarded([&] {
        const auto own = cache_directory(directory);
        const std::uint64_t count = own ? own->clear() : 0;
        if (removed)
            *removed = count;
    });
}

size_t gauze_type_size(gauze_type type) {
    const gz::PixelTypeFacts *facts = gz::find_type(type);
    return facts ? facts->bytes : 0;
}

const char *gauze_type_name(gauze_type type) {
    const gz::PixelTypeFacts *facts = gz::find_type(type);
    return facts ? facts->name : "unknown type";
}

gauze_status gauze_image_desc_bytes(const gauze_image_desc *desc, uint64_t *bytes) {
    return guarded([&] {
        check_pointer(bytes, "bytes");
        *bytes = static_cast<uint64_t>(image_desc(desc, "image").bytes());
    });
}

gauze_status gauze_image_create(gauze_engine *engine, const gauze_image_desc *desc,
                                gauze_image **image) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(image, "image");
        auto result = std::make_unique<gauze_image>();
        result->image.engine = engine->engine;
        result->image.desc = image_desc(desc, "image");
        result->image.buffer = engine->engine->allocate(
            static_cast<std::uint64_t>(result->image.desc.bytes()), "the image");
        *image = result.release();
    });
}

void gauze_image_destroy(gauze_image *image) {
    gz::destroy(image);
}

cl_mem gauze_image_mem(const gauze_image *image) {
    return gz::is_alive(image) ? image->image.buffer() : nullptr;
}

gauze_status gauze_image_write(gauze_image *image, const void *host, size_t bytes) {
    return guarded([&] {
        check_handle(image, "image");
        check_pointer(host, "host");
        image->image.write(host, bytes);
    });
}

gauze_status gauze_image_read(const gauze_image *image, void *host, size_t bytes) {
    return guarded([&] {
        check_handle(image, "image");
        check_pointer(host, "host");
        image->image.read(host, bytes);
    });
}

gauze_status gauze_filter_correlate(const gauze_taps *taps, gauze_filter **filter) {
    return create_filter(taps, filter, gz::Filter::correlate);
}

gauze_status gauze_filter_convolve(const gauze_taps *taps, gauze_filter **filter) {
    return create_filter(taps, filter, gz::Filter::convolve);
}

gauze_status gauze_filter_separable(const gauze_separable_taps *taps, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, gz::Filter::separable(axis_taps_of(taps))};
    });
}

gauze_status gauze_filter_gaussian(const gauze_gaussian *gaussian, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, gz::Filter::gaussian(gaussian_of(gaussian))};
    });
}

gauze_status gauze_filter_box(const gauze_box *box, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, gz::Filter::box(box_of(box))};
    });
}

gauze_status gauze_filter_recursive(const gauze_recursive *recursive, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, recursive_of(recursive)};
    });
}

gauze_status gauze_filter_sections(const gauze_sections *sections, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, sections_of(sections)};
    });
}

gauze_status gauze_filter_sat(gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, gz::Filter::sat()};
    });
}

gauze_status gauze_filter_bspline(int32_t order, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, gz::Filter::bspline(order)};
    });
}

gauze_status gauze_filter_dog(const gauze_dog *dog, gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, dog_of(dog)};
    });
}

gauze_status gauze_filter_with_component(const gauze_filter *base, uint32_t component,
                                         const gauze_filter *other, gauze_filter **filter) {
    return guarded([&] {
        check_handle(base, "base");
        check_handle(other, "other");
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, base->filter.with_component(component, other->filter)};
    });
}

gauze_status gauze_filter_bank(const gauze_filter *const *filters, uint32_t count,
                               gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filters, "filters");
        check_pointer(filter, "filter");
        require(count >= 1 && count <= gz::max_bank, "count is ", count, "; it must be from 1 to ",
                gz::max_bank);
        std::vector<gz::Filter> all;
        for (std::uint32_t i = 0; i < count; ++i) {
            check_handle(filters[i], "filters[i]");
            all.push_back(filters[i]->filter);
        }
        *filter = new gauze_filter{{}, gz::Filter::bank(std::move(all))};
    });
}

void gauze_filter_destroy(gauze_filter *filter) {
    gz::destroy(filter);
}

gauze_status gauze_plan_create(gauze_engine *engine, const gauze_filter *filter,
                               const gauze_plan_desc *desc, gauze_plan **plan) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_handle(filter, "filter");
        check_pointer(plan, "plan");
        const gauze_plan_desc known = known_part(desc, "desc");
        *plan = new gauze_plan{{},
                               {engine->engine, filter->filter,
                                plan_desc(known, filter->filter.target_count()),
                                or_empty(known.variant)}};
    });
}

void gauze_plan_destroy(gauze_plan *plan) {
    gz::destroy(plan);
}

gauze_status gauze_plan_prepare(gauze_plan *plan) {
    return guarded([&] {
        check_handle(plan, "plan");
        plan->plan.prepare();
    });
}

gauze_status gauze_plan_explain(const gauze_plan *plan, const char **text) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(text, "text");
        *text = plan->plan.explain().c_str();
    });
}

gauze_status gauze_plan_variant(const gauze_plan *plan, const char **text) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(text, "text");
        *text = plan->plan.variant().c_str();
    });
}

gauze_status gauze_plan_run(gauze_plan *plan, const gauze_host_source *sources,
                            uint32_t source_count, const gauze_host_target *targets,
                            uint32_t target_count) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(sources, "sources");
        check_pointer(targets, "targets");
        check_counts(plan->plan, source_count, target_count);
        plan->plan.run(host_source(sources), host_targets(targets, target_count));
    });
}

gauze_status gauze_plan_run_with(gauze_plan *plan, const gauze_host_source *sources,
                                 uint32_t source_count, const gauze_host_target *targets,
                                 uint32_t target_count, const gauze_run_options *options) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(sources, "sources");
        check_pointer(targets, "targets");
        check_counts(plan->plan, source_count, target_count);
        plan->plan.run(host_source(sources), host_targets(targets, target_count),
                       host_run(options));
    });
}

gauze_status gauze_plan_workspace_bytes(const gauze_plan *plan, uint64_t *bytes) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(bytes, "bytes");
        *bytes = plan->plan.workspace_bytes();
    });
}

gauze_status gauze_plan_enqueue(gauze_plan *plan, cl_command_queue queue, const cl_mem *sources,
                                uint32_t source_count, const cl_mem *targets, uint32_t target_count,
                                cl_mem workspace, uint32_t wait_count, const cl_event *wait_list,
                                cl_event *event) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(sources, "sources");
        check_pointer(targets, "targets");
        check_counts(plan->plan, source_count, target_count);
        require(wait_count == 0 || wait_list != nullptr, "wait_list is null and wait_count is ",
                wait_count);
        plan->plan.enqueue(queue, *sources, {targets, targets + target_count}, workspace,
                           std::vector<cl_event>(wait_list, wait_list + wait_count), event);
    });
}

gauze_status gauze_plan_measure(gauze_plan *plan, const gauze_image *source,
                                gauze_image *const *targets, uint32_t target_count,
                                uint32_t repeats, gauze_timing *timing) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_handle(source, "source");
        check_pointer(targets, "targets");
        check_target_count(plan->plan, target_count);
        std::vector<const gz::DeviceImage *> to;
        for (std::uint32_t i = 0; i < target_count; ++i) {
            check_handle(targets[i], "targets[i]");
            to.push_back(&targets[i]->image);
        }
        check_struct(timing, "timing");
        const gz::Timing own = gz::measure(plan->plan, source->image, to, repeats);
        gauze_timing result{};
        result.device_time_is_wall = own.device_time_is_wall ? 1 : 0;
        result.device_ms = own.device_ms;
        result.wall_ms = own.wall_ms;
        result.copy_ms = own.copy_ms;
        result.launches = own.launches;
        write_struct(timing, result, "timing");
    });
}

gauze_status gauze_plan_compare(gauze_plan *plan, gauze_plan *baseline, const gauze_image *source,
                                gauze_image *target, uint32_t repeats,
                                gauze_comparison *comparison) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_handle(baseline, "baseline");
        check_target_count(plan->plan, 1);
        check_target_count(baseline->plan, 1);
        check_handle(source, "source");
        check_handle(target, "target");
        check_struct(comparison, "comparison");
        const gz::Comparison own =
            gz::compare(plan->plan, baseline->plan, source->image, target->image, repeats);
        gauze_comparison result{};
        result.device_time_is_wall = own.device_time_is_wall ? 1 : 0;
        result.time_ms = own.time_ms;
        result.baseline_ms = own.baseline_ms;
        result.ratio = own.ratio;
        write_struct(comparison, result, "comparison");
    });
}

gauze_status gauze_plan_problem_count(const gauze_plan *plan, uint32_t *count) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(gz::count_of_problems(plan->plan));
    });
}

gauze_status gauze_plan_candidates(const gauze_plan *plan, uint32_t problem,
                                   gauze_text_receive receive, void *user) {
    return guarded([&] {
        check_handle(plan, "plan");
        require(receive != nullptr, "receive is null");
        tell(gz::problem_of(plan->plan, problem), receive, user);
    });
}

gauze_status gauze_plan_add_results(gauze_plan *plan, uint32_t problem,
                                    const gauze_tuning_result *results, uint32_t count) {
    return guarded([&] {
        check_handle(plan, "plan");
        gz::add_results(plan->plan, problem, problem_results(results, count));
    });
}

gauze_status gauze_engine_tuning_file(const gauze_engine *engine, const char **path) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(path, "path");
        *path = engine->engine->tuning().path().c_str();
    });
}

gauze_status gauze_plan_verify(gauze_plan *plan, const gauze_host_source *source,
                               const gauze_host_source *targets, uint32_t target_count,
                               gauze_verification *result) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(source, "source");
        check_pointer(targets, "targets");
        check_target_count(plan->plan, target_count);
        check_struct(result, "result");
        std::vector<gz::HostSource> written;
        for (std::uint32_t i = 0; i < target_count; ++i)
            written.push_back(host_source(targets + i));
        const gz::Verification own = gz::verify(plan->plan, host_source(source), written);
        gauze_verification verification{};
        verification.within_bound = own.worst_error <= own.bound ? 1 : 0;
        verification.worst_error = own.worst_error;
        verification.bound = own.bound;
        for (std::size_t i = 0; i < own.worst_at.size(); ++i)
            verification.worst_at[i] = own.worst_at[i];
        verification.pixels = own.pixels;
        verification.worst_target = static_cast<std::uint32_t>(own.target);
        write_struct(result, verification, "result");
    });
}

gauze_status gauze_ssimulacra2_create(gauze_engine *engine, const gauze_ssimulacra2_desc *desc,
                                      gauze_ssimulacra2 **metric) {
    return guarded([&] {
        check_handle(engine, "engine");
        const gauze_ssimulacra2_desc known = known_part(desc, "desc");
        check_pointer(metric, "metric");
        const gz::ImageDesc reference = image_desc(known.reference, "reference");
        const gz::ImageDesc distorted = image_desc(known.distorted, "distorted");
        *metric =
            new gauze_ssimulacra2{{},
                                  {engine->engine, reference, distorted, or_empty(known.variant)},
                                  distorted.extent[0] * distorted.extent[1]};
    });
}

void gauze_ssimulacra2_destroy(gauze_ssimulacra2 *metric) {
    gz::destroy(metric);
}

gauze_status gauze_ssimulacra2_explain(const gauze_ssimulacra2 *metric, const char **text) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(text, "text");
        *text = metric->metric.explain().c_str();
    });
}

gauze_status gauze_ssimulacra2_set_reference(gauze_ssimulacra2 *metric,
                                             const gauze_host_source *reference) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(reference, "reference");
        metric->metric.set_reference(host_source(reference));
    });
}

gauze_status gauze_ssimulacra2_set_reference_image(gauze_ssimulacra2 *metric,
                                                   const gauze_image *reference) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_handle(reference, "reference");
        metric->metric.set_reference(&reference->image);
    });
}

gauze_status gauze_ssimulacra2_score(gauze_ssimulacra2 *metric, const gauze_host_source *references,
                                     const gauze_host_source *distorted, uint32_t count,
                                     double *scores) {
    return score(metric, references, distorted, count, scores);
}

gauze_status gauze_ssimulacra2_score_images(gauze_ssimulacra2 *metric,
                                            const gauze_image *const *references,
                                            const gauze_image *const *distorted, uint32_t count,
                                            double *scores) {
    return score(metric, references, distorted, count, scores);
}

gauze_status gauze_ssimulacra2_error_map(gauze_ssimulacra2 *metric,
                                         const gauze_host_source *distorted, float *map,
                                         size_t bytes, double *score) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(distorted, "distorted");
        check_pointer(map, "map");
        const auto needed = static_cast<std::uint64_t>(metric->pixels) * sizeof(float);
        require(bytes >= needed, "the map has ", bytes, " bytes; it needs ", needed);
        const double found = metric->metric.error_map(host_source(distorted), map);
        if (score)
            *score = found;
    });
}

gauze_status gauze_ssimulacra2_problem_count(const gauze_ssimulacra2 *metric, uint32_t *count) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(gz::count_of_problems(metric->metric));
    });
}

gauze_status gauze_ssimulacra2_candidates(const gauze_ssimulacra2 *metric, uint32_t problem,
                                          gauze_text_receive receive, void *user) {
    return guarded([&] {
        check_handle(metric, "metric");
        require(receive != nullptr, "receive is null");
        tell(gz::problem_of(metric->metric, problem), receive, user);
    });
}

gauze_status gauze_ssimulacra2_add_results(gauze_ssimulacra2 *metric, uint32_t problem,
                                           const gauze_tuning_result *results, uint32_t count) {
    return guarded([&] {
        check_handle(metric, "metric");
        gz::add_results(metric->metric, problem, problem_results(results, count));
    });
}

double gauze_ssimulacra2_score_of(double weighted_error) {
    return gz::ssimulacra2::score_of(weighted_error);
}

} // extern "C"
