#include "plan/streaming.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "plan/choice.hpp"

namespace gz {

namespace {

// The device memory that a run may take. Drivers and other programs need some of it too.
std::uint64_t most_bytes_of(const DeviceFacts &facts, std::uint64_t most_bytes) {
    return most_bytes > 0 ? most_bytes : facts.global_memory / 4 * 3;
}

// Slabs of this size are copied as fast as larger ones, the first one is ready sooner, and they may stay in a
// cache. Larger slabs are made where smaller ones would read too many pixels around their own.
constexpr std::uint64_t usual_slab = std::uint64_t{8} << 20; // bytes
constexpr double most_read = 1.25;                           // pixels for each that is made

// Axes that a step reads as a whole.
std::ptrdiff_t whole_axes(const Step &step) {
    return std::count_if(step.reach.begin(), step.reach.end(),
                         [](const Reach &reach) { return reach.is_whole; });
}

// Whether slabs can go through the chain: its only step reads at most one axis as a whole.
bool suits_slabs(const Chain &chain) {
    const Step *const step = only_step(chain);
    return !step || whole_axes(*step) <= 1;
}

// Returns the chain of a link of `links` that is forced; else the first that slabs can go through and that the device takes, or
// the last where there is none.
const Chain &chain_for_slabs(const Link &link, const std::vector<Link> &links, const Forced &forced,
                             const DeviceFacts &facts) {
    if (const Chain *const chain = forced_chain(link, links, forced, facts))
        return *chain;
    for (const Chain &chain : link.alternatives)
        if (suits_slabs(chain) && suits(chain, facts))
            return chain;
    return link.alternatives.back();
}

bool depends_on_size(const Link &link) {
    return std::any_of(link.alternatives.begin(), link.alternatives.end(),
                       [](const Chain &chain) { return chain.name == all_at_once; });
}

// Returns the name of the chain that slabs take where the choice depends on the size of the image, so that they have the bits of
// the whole; "" where it does not.
std::string name_for_slabs(const std::vector<Link> &links, const Forced &forced,
                           const DeviceFacts &facts) {
    for (const Link &link : links) {
        if (link.step)
            continue;
        const Chain &chain = chain_for_slabs(link, links, forced, facts);
        std::string name =
            depends_on_size(link) ? chain.name : name_for_slabs(chain.links, forced, facts);
        if (!name.empty())
            return name;
    }
    return "";
}

// Leaves that chain alone where there are others.
void keep_chain(std::vector<Link> &links, const std::string &name) {
    for (Link &link : links) {
        if (depends_on_size(link))
            std::erase_if(link.alternatives,
                          [&](const Chain &chain) { return chain.name != name; });
        for (Chain &chain : link.alternatives)
            keep_chain(chain.links, name);
    }
}

// The links that slabs go through: steps, and choices of single steps.
std::vector<Link> links_for_slabs(const std::vector<Link> &links, const Forced &forced,
                                  const DeviceFacts &facts) {
    std::vector<Link> result;
    for (const Link &link : links) {
        const bool is_choice_of_steps =
            !link.step &&
            std::all_of(link.alternatives.begin(), link.alternatives.end(),
                        [](const Chain &chain) { return only_step(chain) && suits_slabs(chain); });
        if (link.step || is_choice_of_steps) {
            result.push_back(link);
            continue;
        }
        const Chain &chain = chain_for_slabs(link, links, forced, facts);
        for (Link &own : links_for_slabs(chain.links, forced, facts))
            result.push_back(std::move(own));
    }
    return result;
}

const Step &step_of(const Link &link) {
    return link.step ? *link.step : *only_step(link.alternatives.back());
}

// How far all steps together read of the source.
AxesReach reach_of(const std::vector<Link> &links, std::size_t images_between) {
    std::vector<AxesReach> between(images_between);
    AxesReach all{};
    for (const Link &link : links) {
        const Step &step = step_of(link);
        AxesReach inputs{};
        for (const ImageRef &image : step.inputs)
            for (std::size_t axis = 0; axis < 4 && image.is_between(); ++axis)
                inputs[axis] = cover(inputs[axis], between[image.number][axis]);
        for (std::size_t axis = 0; axis < 4; ++axis)
            inputs[axis] = after(inputs[axis], step.reach[axis]);
        for (const ImageRef &image : step.outputs) {
            AxesReach &to = image.is_between() ? between[image.number] : all;
            for (std::size_t axis = 0; axis < 4; ++axis)
                to[axis] = cover(to[axis], inputs[axis]);
        }
    }
    return all;
}

// Refuses a kernel of a step that reads all of several axes.
void refuse_plane_kernel(const Graph &graph, const std::string &forced, const DeviceFacts &facts) {
    if (forced.empty() || names_chain(forced))
        return;
    for_each_step(graph.links, [&](const Step &step) {
        if (whole_axes(step) > 1 && step.carry == Carry::nothing &&
            names_kernel(forced, step.pass, facts))
            fail(Status::unsupported,
                 "images that the device cannot hold are filtered axis by axis, "
                 "which the forced kernel, ",
                 forced, ", does not do");
    });
}

bool share_memory(const HostSource &source, const std::vector<HostTarget> &targets) {
    const std::less<const std::byte *> is_before;
    return std::any_of(targets.begin(), targets.end(), [&](const HostTarget &target) {
        return is_before(source.data, target.data + target.bytes) &&
               is_before(target.data, source.data + source.bytes);
    });
}

// The same layout in host memory.
ImageDesc scratch_like(const ImageDesc &device) {
    return packed(device, device.extent, 1);
}

} // namespace

bool fits_device(const Engine &engine, const Pipeline &pipeline, const PlanDesc &packed,
                 std::uint64_t most_bytes) {
    std::uint64_t largest = 0;
    std::uint64_t total = pipeline.workspace_bytes() + pipeline.cleared_bytes();
    for (std::size_t i = 0; i < packed.source_count(); ++i) {
        const std::uint64_t source = bytes_of_rows(packed.source_at(i));
        largest = std::max(largest, source);
        total += source;
    }
    for (std::size_t i = 0; i < packed.target_count(); ++i) {
        const std::uint64_t target = bytes_of_rows(packed.target_at(i));
        largest = std::max(largest, target);
        total += target;
    }
    return pipeline.too_large().empty() && largest <= engine.facts().max_allocation &&
           total <= most_bytes_of(engine.facts(), most_bytes);
}

Streaming::Streaming(const Engine &engine, const Graph &graph, const Lower &lower,
                     const PlanDesc &desc, const std::string &variant, std::uint64_t most_bytes)
    : desc_(desc) {
    const std::uint64_t total = most_bytes_of(engine.facts(), most_bytes);
    const std::uint64_t largest = std::min(engine.facts().max_allocation, total);
    const Forced forced(variant);
    const std::string chain = name_for_slabs(graph.links, forced, engine.facts());
    refuse_plane_kernel(graph, forced.variant, engine.facts());
    const std::vector<Link> links = links_for_slabs(graph.links, forced, engine.facts());
    const Lower kept = [lower, chain](const PlanDesc &part) {
        Graph own = lower(part);
        if (!chain.empty())
            keep_chain(own.links, chain);
        return own;
    };
    const bool goes_by_steps = std::any_of(links.begin(), links.end(), [](const Link &link) {
        return whole_axes(step_of(link)) > 0 || step_of(link).carry != Carry::nothing;
    });
    for (std::uint64_t buffer = std::min(largest, usual_slab);;
         buffer = std::min(largest, 4 * buffer)) {
        steps_.clear();
        scratch_.clear();
        for (const ImageDesc &between : graph.between)
            scratch_.push_back(scratch_like(between));
        try {
            const Making making{engine, kept, variant, forced, {buffer, total}, buffer == largest};
            if (goes_by_steps)
                for (const Link &link : links)
                    append_link(making, link);
            else
                append_whole(making, links);
            const auto reads_much = [](const StreamStep &step) {
                return step.stage.pixels_read() >
                       most_read * static_cast<double>(step.stage.pixels());
            };
            if (buffer == largest || std::none_of(steps_.begin(), steps_.end(), reads_much))
                return;
        } catch (const Error &error) {
            if (error.status() != Status::unsupported || buffer == largest)
                throw;
        }
    }
}

// Slabs go through all steps at once.
void Streaming::append_whole(const Making &making, const std::vector<Link> &links) {
    StageDesc stage{desc_};
    stage.reach = reach_of(links, scratch_.size());
    for (const Link &link : links)
        stage.cuts_planes = stage.cuts_planes && step_of(link).cuts_planes;
    stage.lower = making.lower;
    stage.variant = making.variant;
    const bool isolated = desc_.region.edge == RegionEdge::isolated;
    std::vector<ImageRef> inputs{source_image()}, outputs;
    for (std::size_t i = 1; i < desc_.source_count(); ++i) {
        inputs.push_back(source_image(i));
        stage.more_sources.push_back(
            {desc_.source_at(i), isolated ? desc_.region.source_origin : Axes{0, 0, 0, 0}});
    }
    for (std::size_t i = 0; i < desc_.target_count(); ++i)
        outputs.push_back(target_image(i));
    steps_.push_back({{making.engine, std::move(stage), making.room}, inputs, outputs});
}

// An input of a step after the first: it has the extent of the first, or of the region alone.
HostInput Streaming::host_input(const Step &step, const ImageRef &image,
                                const PlanDesc &plan) const {
    const ImageDesc &layout = image.is_between() ? scratch_.at(image.number) : plan.source;
    const Region &region = step.images.region;
    const bool starts_there =
        region.edge == RegionEdge::isolated && layout.extent == plan.source.extent;
    return {layout, starts_there ? region.source_origin : Axes{0, 0, 0, 0}};
}

// The images of a step as they lie in host memory, and its passes for a slab.
StageDesc Streaming::stage_of(const Making &making, const Link &link) const {
    const Step &step = step_of(link);
    StageDesc stage{step.images};
    if (step.inputs.front().is_between())
        stage.plan.source = scratch_.at(step.inputs.front().number);
    const auto layout = [&](const ImageRef &image) {
        return image.is_between() ? scratch_.at(image.number) : desc_.target_at(image.number);
    };
    stage.plan.target = layout(step.outputs.front());
    stage.plan.more_targets.clear();
    for (std::size_t i = 1; i < step.outputs.size(); ++i)
        stage.plan.more_targets.push_back(layout(step.outputs[i]));
    stage.reach = step.reach;
    stage.cuts_planes = step.cuts_planes;
    for (std::size_t i = 1; i < step.inputs.size(); ++i)
        stage.more_sources.push_back(host_input(step, step.inputs[i], stage.plan));
    stage.carry = step.carry;
    stage.variant = making.forced.of_pass(steps_.size(), step.combines);
    // In a slab's graph all inputs are sources, and all outputs targets.
    stage.lower = [link](const PlanDesc &slab) -> Graph {
        std::vector<Link> own{link};
        for_each_step(own, [&](Step &one) {
            one.images = slab;
            one.pass = one.make(slab);
            for (std::size_t i = 0; i < one.inputs.size(); ++i)
                one.inputs[i] = source_image(i);
            for (std::size_t i = 0; i < one.outputs.size(); ++i)
                one.outputs[i] = target_image(i);
        });
        return {{}, std::move(own)};
    };
    return stage;
}

void Streaming::append_link(const Making &making, const Link &link) {
    const Step &step = step_of(link);
    StageDesc stage = stage_of(making, link);
    std::vector<ImageRef> outputs = step.outputs;
    if (step.carry != Carry::nothing) {
        append_carried(stage, outputs);
    } else if (whole_axes(step) > 0) {
        append_lines(making, std::move(stage), step);
        return;
    }
    steps_.push_back({{making.engine, std::move(stage), making.room}, step.inputs, outputs});
}

// Slabs hold whole lines where there is room. They take the kernel that whole images would, so that they have
// the same bits.
void Streaming::append_lines(const Making &making, StageDesc stage, const Step &step) {
    const DeviceFacts facts = without_allocation_limit(making.engine.facts());
    stage.variant = choose(step.make(staged(stage.plan)), {facts, making.engine.tuning()},
                           stage.variant, making.forced.by)
                        .variant();
    try {
        steps_.push_back({{making.engine, stage, making.room}, step.inputs, step.outputs});
    } catch (const Error &error) {
        if (error.status() != Status::unsupported || !making.is_last || !step.cut_reach)
            throw;
        for (std::size_t axis = 0; axis < 4; ++axis)
            if (stage.reach[axis].is_whole) {
                const std::optional<Reach> reach = step.cut_reach();
                if (!reach)
                    throw;
                stage.reach[axis] = *reach;
            }
        steps_.push_back(
            {{making.engine, std::move(stage), making.room}, step.inputs, step.outputs});
    }
}

// Sums carry on from slab to slab. Sums of a region within its neighbours start at the image's first pixel:
// all sums from there on are made.
void Streaming::append_carried(StageDesc &stage, std::vector<ImageRef> &outputs) {
    Region &region = stage.plan.region;
    if (region.edge == RegionEdge::neighbours &&
        (region.source_origin[0] > 0 || region.source_origin[1] > 0)) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            region.extent[axis] += region.source_origin[axis];
            region.source_origin[axis] = 0;
        }
        region.target_origin = {0, 0, 0, 0};
        ImageDesc like = stage.plan.source;
        like.type = stage.plan.target.type;
        stage.plan.target = packed(like, region.extent, 1);
        cut_from_ = scratch_.size();
        outputs = {image_between(scratch_.size())};
        scratch_.push_back(stage.plan.target);
    }
    region.edge = RegionEdge::isolated;
}

void Streaming::prepare(Engine &engine) const {
    for (const StreamStep &step : steps_)
        step.stage.prepare(engine);
}

// The number of the last step that reads a scratch image.
std::size_t Streaming::last_use_of(const ImageRef &image) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (std::count(steps_[i].inputs.begin(), steps_[i].inputs.end(), image) > 0)
            last = i;
    return last;
}

// Copies the target's region out of an image that also holds all pixels before it.
void Streaming::cut(const std::byte *scratch, std::byte *target) const {
    const ImageDesc &from = scratch_[*cut_from_];
    const Region &region = desc_.region;
    const auto row_bytes = static_cast<std::size_t>(region.extent[0] * from.pixel_bytes());
    for (std::int64_t plane = 0; plane < from.planes; ++plane)
        for (std::int64_t t = 0; t < region.extent[3]; ++t)
            for (std::int64_t z = 0; z < region.extent[2]; ++z)
                for (std::int64_t y = 0; y < region.extent[1]; ++y) {
                    const Axes &to = region.target_origin;
                    std::memcpy(target + desc_.target.byte_of(
                                             {to[0], to[1] + y, to[2] + z, to[3] + t}, plane),
                                scratch + from.byte_of({region.source_origin[0],
                                                        region.source_origin[1] + y, z, t},
                                                       plane),
                                row_bytes);
                }
}

void Streaming::run(Engine &engine, const std::vector<HostSource> &sources,
                    const std::vector<HostTarget> &targets,
                    const StreamProgress::Report &report) const {
    engine.queue(); // a forked process does not have it
    std::vector<std::vector<std::byte>> copies(sources.size());
    std::vector<const std::byte *> from;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::byte *const data = sources[i].data;
        const bool is_shared = share_memory(sources[i], targets);
        if (is_shared)
            copies[i].assign(data, data + desc_.source_at(i).bytes());
        from.push_back(is_shared ? copies[i].data() : data);
    }
    std::uint64_t total = 0;
    for (const StreamStep &step : steps_)
        total += step.stage.pixels();
    StreamProgress progress(report, total);
    std::vector<std::unique_ptr<std::byte[]>> scratch(scratch_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const StreamStep &step = steps_[i];
        std::vector<const std::byte *> inputs;
        for (const ImageRef &image : step.inputs)
            inputs.push_back(image.is_between() ? scratch[image.number].get()
                                                : from.at(image.number));
        std::vector<std::byte *> to;
        for (const ImageRef &image : step.outputs) {
            if (!image.is_between()) {
                to.push_back(targets.at(image.number).data);
                continue;
            }
            // The memory is not filled: all of it is written.
            scratch[image.number].reset(
                new std::byte[static_cast<std::size_t>(scratch_[image.number].bytes())]);
            to.push_back(scratch[image.number].get());
        }
        step.stage.run(engine, inputs, to, progress);
        for (const ImageRef &image : step.inputs)
            if (image.is_between() && last_use_of(image) == i)
                scratch[image.number].reset();
    }
    if (cut_from_)
        cut(scratch[*cut_from_].get(), targets[0].data);
}

std::string Streaming::explain() const {
    std::string lines;
    for (const StreamStep &step : steps_)
        lines += text("host memory: streamed, ", steps_.size() == 1 ? "" : "a pass of ",
                      step.stage.explain(), "\n");
    return lines;
}

} // namespace gz
