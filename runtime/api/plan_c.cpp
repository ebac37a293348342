// Plans: made, run, enqueued, explained, measured and verified: see gauze.h.
#include <gauze/gauze.h>

#include <memory>
#include <vector>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"
#include "plan/measure.hpp"
#include "plan/verify.hpp"

namespace {

using gz::axes_of;
using gz::check_handle;
using gz::check_pointer;
using gz::check_struct;
using gz::guarded;
using gz::host_source;
using gz::image_desc;
using gz::known_part;
using gz::or_empty;
using gz::require;
using gz::write_struct;

gz::PlanDesc plan_desc(const gauze_plan_desc &desc, const gz::Filter &filter) {
    const std::size_t source_count = filter.source_count();
    const std::size_t target_count = filter.target_count();
    require(desc.source_count == source_count, "desc->source_count is ", desc.source_count,
            "; this filter takes ", source_count,
            source_count == 1 ? " source" : " sources: the image and its guide");
    require(desc.target_count == target_count, "desc->target_count is ", desc.target_count,
            "; this filter has ", target_count, target_count == 1 ? " target" : " targets");
    require(desc.border >= GAUZE_BORDER_CLAMP && desc.border <= GAUZE_BORDER_ZERO,
            "desc->border is ", desc.border, ", which is no border");
    gz::PlanDesc result;
    result.source = image_desc(desc.sources, "source");
    for (std::size_t i = 1; i < source_count; ++i)
        result.more_sources.push_back(image_desc(gz::element(desc.sources, i), "guide"));
    check_pointer(desc.targets, "target");
    const auto one_target = [&](std::size_t i) {
        return image_desc(gz::element(desc.targets, i), target_count == 1 ? "target" : "a target");
    };
    result.target = one_target(0);
    for (std::size_t i = 1; i < target_count; ++i)
        result.more_targets.push_back(one_target(i));
    require(desc.store == GAUZE_STORE_SATURATE || desc.store == GAUZE_STORE_TRUNCATE,
            "desc->store is ", desc.store, ", which is no way to store");
    result.store = static_cast<gz::Store>(desc.store);
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

void check_target_count(const gz::Plan &plan, std::uint32_t target_count) {
    const std::size_t count = plan.desc().target_count();
    require(target_count == count, "target_count is ", target_count, "; the plan has ", count,
            count == 1 ? " target" : " targets");
}

void check_counts(const gz::Plan &plan, std::uint32_t source_count, std::uint32_t target_count) {
    const std::size_t count = plan.desc().source_count();
    require(source_count == count, "source_count is ", source_count, "; the plan takes ", count,
            count == 1 ? " source" : " sources: the image and its guide");
    check_target_count(plan, target_count);
}

// sources: as many as the caller gives.
void measure_sources(const gz::Plan &plan, const std::vector<const gz::DeviceImage *> &sources,
                     gauze_image *const *targets, std::uint32_t target_count, std::uint32_t repeats,
                     gauze_timing *timing) {
    check_pointer(targets, "targets");
    check_counts(plan, static_cast<std::uint32_t>(sources.size()), target_count);
    std::vector<const gz::DeviceImage *> to;
    for (std::uint32_t i = 0; i < target_count; ++i) {
        check_handle(targets[i], "targets[i]");
        to.push_back(&targets[i]->image);
    }
    check_struct(timing, "timing");
    const gz::Timing own = gz::measure(plan, sources, to, repeats);
    gauze_timing result{};
    result.device_time_is_wall = own.device_time_is_wall ? 1 : 0;
    result.device_ms = own.device_ms;
    result.wall_ms = own.wall_ms;
    result.copy_ms = own.copy_ms;
    result.launches = own.launches;
    write_struct(timing, result, "timing");
}

std::vector<gz::HostSource> host_sources(const gauze_host_source *sources, std::size_t count) {
    std::vector<gz::HostSource> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(host_source(sources + i));
    return result;
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

} // namespace

extern "C" {

gauze_status gauze_plan_create(gauze_engine *engine, const gauze_filter *filter,
                               const gauze_plan_desc *desc, gauze_plan **plan) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_handle(filter, "filter");
        check_pointer(plan, "plan");
        const gauze_plan_desc known = known_part(desc, "desc");
        *plan = new gauze_plan{{},
                               std::make_shared<const gz::Plan>(engine->engine, filter->filter,
                                                                plan_desc(known, filter->filter),
                                                                or_empty(known.variant))};
    });
}

void gauze_plan_destroy(gauze_plan *plan) {
    gz::destroy(plan);
}

gauze_status gauze_plan_prepare(gauze_plan *plan) {
    return guarded([&] {
        check_handle(plan, "plan");
        plan->plan->prepare();
    });
}

gauze_status gauze_plan_explain(const gauze_plan *plan, const char **text) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(text, "text");
        *text = plan->plan->explain().c_str();
    });
}

gauze_status gauze_plan_filter(const gauze_plan *plan, gauze_filter **filter) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, plan->plan->filter()};
    });
}

gauze_status gauze_plan_variant(const gauze_plan *plan, const char **text) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(text, "text");
        *text = plan->plan->variant().c_str();
    });
}

gauze_status gauze_plan_run(gauze_plan *plan, const gauze_host_source *sources,
                            uint32_t source_count, const gauze_host_target *targets,
                            uint32_t target_count, const gauze_run_options *options) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(sources, "sources");
        check_pointer(targets, "targets");
        check_counts(*plan->plan, source_count, target_count);
        plan->plan->run(host_sources(sources, source_count), host_targets(targets, target_count),
                        host_run(options));
    });
}

gauze_status gauze_plan_workspace_bytes(const gauze_plan *plan, uint64_t *bytes) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(bytes, "bytes");
        *bytes = plan->plan->workspace_bytes();
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
        check_counts(*plan->plan, source_count, target_count);
        require(wait_count == 0 || wait_list != nullptr, "wait_list is null and wait_count is ",
                wait_count);
        plan->plan->enqueue(queue, {sources, sources + source_count},
                            {targets, targets + target_count}, workspace,
                            std::vector<cl_event>(wait_list, wait_list + wait_count), event);
    });
}

gauze_status gauze_plan_measure(gauze_plan *plan, const gauze_image *source,
                                gauze_image *const *targets, uint32_t target_count,
                                uint32_t repeats, gauze_timing *timing) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_handle(source, "source");
        measure_sources(*plan->plan, {&source->image}, targets, target_count, repeats, timing);
    });
}

gauze_status gauze_plan_measure_sources(gauze_plan *plan, const gauze_image *const *sources,
                                        uint32_t source_count, gauze_image *const *targets,
                                        uint32_t target_count, uint32_t repeats,
                                        gauze_timing *timing) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(sources, "sources");
        std::vector<const gz::DeviceImage *> from;
        for (std::uint32_t i = 0; i < source_count; ++i) {
            check_handle(sources[i], source_count == 1 ? "source" : "sources[i]");
            from.push_back(&sources[i]->image);
        }
        measure_sources(*plan->plan, from, targets, target_count, repeats, timing);
    });
}

gauze_status gauze_plan_compare(gauze_plan *plan, gauze_plan *baseline, const gauze_image *source,
                                gauze_image *target, uint32_t repeats,
                                gauze_comparison *comparison) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_handle(baseline, "baseline");
        check_target_count(*plan->plan, 1);
        check_target_count(*baseline->plan, 1);
        check_handle(source, "source");
        check_handle(target, "target");
        check_struct(comparison, "comparison");
        const gz::Comparison own =
            gz::compare(*plan->plan, *baseline->plan, source->image, target->image, repeats);
        gauze_comparison result{};
        result.device_time_is_wall = own.device_time_is_wall ? 1 : 0;
        result.time_ms = own.time_ms;
        result.baseline_ms = own.baseline_ms;
        result.ratio = own.ratio;
        write_struct(comparison, result, "comparison");
    });
}

gauze_status gauze_plan_verify(gauze_plan *plan, const gauze_host_source *source,
                               const gauze_host_source *targets, uint32_t target_count,
                               gauze_verification *result) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(source, "source");
        check_pointer(targets, "targets");
        check_target_count(*plan->plan, target_count);
        check_struct(result, "result");
        const gz::Verification own =
            gz::verify(*plan->plan, host_sources(source, plan->plan->desc().source_count()),
                       host_sources(targets, target_count));
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

} // extern "C"
