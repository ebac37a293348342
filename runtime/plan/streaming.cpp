#include "plan/streaming.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "filter/recursive.hpp"
#include "plan/choice.hpp"

namespace gz {

namespace {

// The device memory that a run may take. Drivers and other programs need some of it too.
std::uint64_t most_bytes_of(const DeviceFacts &facts, std::uint64_t most_bytes) {
    return most_bytes > 0 ? most_bytes : facts.global_memory / 4 * 3;
}

// Slabs of this size are copied as fast as larger ones, the first is there sooner, and they may stay in a
// cache. Larger ones are made where smaller ones would read too much around what they make.
constexpr std::uint64_t usual_slab = std::uint64_t{8} << 20; // bytes
constexpr double most_read = 1.25;                           // pixels for each that is made

Reach reach_of(const Correlation &correlation, std::size_t axis) {
    const std::int64_t anchor = correlation.taps.anchor[axis];
    return {anchor, correlation.taps.size[axis] - 1 - anchor};
}

void extend(Reach &reach, const Reach &other) {
    reach.before = std::max(reach.before, other.before);
    reach.after = std::max(reach.after, other.after);
}

// How far all passes of the filter together read. The filter does not reach to the ends of the image.
Reach reach_of(const Filter &filter, std::size_t axis) {
    if (const Bank *bank = filter.bank()) {
        Reach reach;
        for (const Filter &one : bank->filters)
            extend(reach, reach_of(one, axis));
        return reach;
    }
    if (const Dog *dog = filter.dog()) {
        Reach reach = reach_of(dog->first, axis);
        extend(reach, reach_of(dog->second, axis));
        return reach;
    }
    if (filter.box()) {
        const std::int64_t radius = filter.box()->radius[axis] * filter.box()->iterations;
        return {radius, radius};
    }
    Reach reach = reach_of(filter.correlation(), axis);
    for (const auto &[component, correlation] : filter.components())
        extend(reach, reach_of(correlation, axis));
    return reach;
}

// Whether all or part of it is recursive.
bool is_recursive(const Filter &filter) {
    if (const Dog *dog = filter.dog())
        return is_recursive(dog->first) || is_recursive(dog->second);
    if (const Bank *bank = filter.bank())
        return std::any_of(bank->filters.begin(), bank->filters.end(), is_recursive);
    return filter.recursion().has_value();
}

// Those of a difference, or the filter alone.
std::vector<Filter> parts_of(const Filter &filter) {
    if (const Dog *dog = filter.dog())
        return {dog->first, dog->second};
    return {filter};
}

// Whether the passes of a difference are of both of its filters.
bool runs_both_at_once(const Filter &difference, const PlanDesc &desc) {
    const Lowered whole = lower(difference, desc);
    const auto *pass = std::get_if<RecursivePass>(&whole.steps.front().pass);
    return pass && pass->second;
}

bool cuts_planes(const Filter &filter) {
    if (const Bank *bank = filter.bank())
        return std::all_of(bank->filters.begin(), bank->filters.end(), cuts_planes);
    return filter.components().empty();
}

// What is forced for one of the passes axis by axis, of which `number` come before.
std::string forced_of_pass(const std::string &forced, std::size_t number) {
    if (names_passes(forced))
        return "";
    if (forced.find(';') == std::string::npos)
        return forced;
    const std::vector<std::string> parts = parts_of_variant(forced);
    return number < parts.size() ? parts[number] : "";
}

// The kernel that whole images would take, so that slabs have its bits.
std::string variant_of(const RecursivePass &pass, const Engine &engine, const std::string &variant,
                       std::size_t number) {
    const std::string forced =
        forced_of_pass(variant.empty() ? environment("GAUZE_VARIANT") : variant, number);
    if (names_kernel(forced, RecursivePlanePass(), engine.facts().device_class))
        fail(Status::unsupported,
             "images that the device cannot hold are filtered axis by axis, "
             "which the forced kernel, ",
             forced, ", does not do");
    const DeviceFacts facts = without_allocation_limit(engine.facts());
    return choose(pass, {facts, engine.tuning()}, forced,
                  variant.empty() ? "GAUZE_VARIANT" : "the caller")
        .variant();
}

// How far a pass reads where its lines are cut: beyond that nothing matters to a result in f32. Nothing
// where the reach is not far shorter than the line, so that a cut does not pay.
std::optional<Reach> reach_of(const RecursivePass &pass) {
    constexpr std::int64_t longest = 1 << 24; // samples
    const std::int64_t most = std::min<std::int64_t>(pass.lines.length / 8, longest);
    // Stages come one after the other, filters side by side.
    std::int64_t samples = 0;
    std::int64_t of_second = 0;
    for (const LineStage *stage : pass.all_stages()) {
        std::int64_t &sum = pass.second && stage == &*pass.second ? of_second : samples;
        sum += static_cast<std::int64_t>(stage->taps.size()) + std::abs(stage->first_tap);
        for (const std::vector<Section> *sections : {&stage->causal, &stage->anticausal}) {
            const std::optional<int> memory = memory_of(*sections, most, digits_of(*stage));
            if (!memory)
                return std::nullopt;
            sum += *memory;
        }
    }
    samples = std::max(samples, of_second);
    // On both sides: what sections start from at the image's ends is made of both directions.
    return samples <= most ? std::optional(Reach{samples, samples}) : std::nullopt;
}

bool share_memory(const HostSource &source, const std::vector<HostTarget> &targets) {
    const std::less<const std::byte *> is_before;
    return std::any_of(targets.begin(), targets.end(), [&](const HostTarget &target) {
        return is_before(source.data, target.data + target.bytes) &&
               is_before(target.data, source.data + source.bytes);
    });
}

ImageDesc scratch_like(const PlanDesc &desc, const Axes &extent, PixelType type) {
    ImageDesc like = desc.source;
    like.type = type;
    return packed(like, extent, 1);
}

} // namespace

bool fits_device(const Engine &engine, const Pipeline &pipeline, const PlanDesc &packed,
                 std::uint64_t most_bytes) {
    const std::uint64_t source = bytes_of_rows(packed.source);
    std::uint64_t largest = source;
    std::uint64_t total = source + pipeline.workspace_bytes();
    for (std::size_t i = 0; i < packed.target_count(); ++i) {
        const std::uint64_t target = bytes_of_rows(packed.target_at(i));
        largest = std::max(largest, target);
        total += target;
    }
    return pipeline.too_large().empty() && largest <= engine.facts().max_allocation &&
           total <= most_bytes_of(engine.facts(), most_bytes);
}

Streaming::Streaming(const Engine &engine, const Filter &filter, const PlanDesc &desc,
                     const std::string &variant, std::uint64_t most_bytes)
    : desc_(desc) {
    const std::uint64_t total = most_bytes_of(engine.facts(), most_bytes);
    const std::uint64_t largest = std::min(engine.facts().max_allocation, total);
    for (std::uint64_t buffer = std::min(largest, usual_slab);;
         buffer = std::min(largest, 4 * buffer)) {
        steps_.clear();
        scratch_.clear();
        try {
            append({engine, variant, {buffer, total}, buffer == largest}, filter, desc, ends);
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

void Streaming::append(const Making &making, const Filter &filter, const PlanDesc &desc, int to) {
    if (filter.bank() && is_recursive(filter)) {
        for (std::size_t i = 0; i < desc.target_count(); ++i)
            append(making, filter.for_target(i), desc.for_target(i), number_of_target(i));
        return;
    }
    if (filter.dog() && is_recursive(filter) && !runs_both_at_once(filter, desc)) {
        append_difference(making, *filter.dog(), desc, to);
        return;
    }
    if (is_recursive(filter)) {
        std::vector<Recursion> recursions;
        PlanDesc step = desc;
        for (const Filter &one : parts_of(filter)) {
            Bordered own = bordered(*one.recursion(), desc.border);
            step.border = own.border;
            recursions.push_back(std::move(own.recursion));
        }
        append_recursion(making, recursions, step, to);
        return;
    }
    if (filter.is_sat()) {
        append_sat(making, desc);
        return;
    }
    StageDesc stage{desc};
    for (std::size_t axis = 0; axis < 4; ++axis)
        stage.reach[axis] = reach_of(filter, axis);
    stage.cuts_planes = cuts_planes(filter);
    stage.lower = [filter](const PlanDesc &slab) { return lower(filter, slab); };
    stage.variant = making.variant;
    steps_.push_back({{making.engine, std::move(stage), making.room}, {ends}, to});
}

// Each axis makes all that later ones read.
void Streaming::append_recursion(const Making &making, const std::vector<Recursion> &recursions,
                                 const PlanDesc &desc, int to) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (recursions.front().filters(static_cast<int>(axis)))
            axes.push_back(axis);
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    PlanDesc step = desc;
    std::vector<double> outside(recursions.size(), desc.border.value);
    std::vector<int> from{ends};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        PlanDesc next = step;
        std::vector<int> here{to};
        if (i + 1 < axes.size()) {
            for (std::size_t k = i + 1; k < axes.size() && !isolated; ++k) {
                step.region.source_origin[axes[k]] = 0;
                step.region.extent[axes[k]] = step.source.extent[axes[k]];
            }
            step.target = scratch_like(desc, step.region.extent, PixelType::f32);
            step.region.target_origin = {0, 0, 0, 0};
            here.clear();
            for (std::size_t k = 0; k < recursions.size(); ++k)
                here.push_back(add_scratch(step.target));
        }
        step.border.value = outside[0];
        StageDesc stage{step};
        stage.plan.more_targets.assign(here.size() - 1, step.target);
        stage.sources = from.size();
        const auto lower_pass = [recursions, outside, axis = axes[i],
                                 shared = from.size() > 1 ? Shared::target : Shared::source](
                                    PlanDesc slab) -> RecursivePass {
            // What stands outside is filtered too.
            slab.border.value = outside[0];
            RecursivePass pass = lower_axis(recursions[0], axis, slab);
            if (recursions.size() == 1)
                return pass;
            slab.border.value = outside[1];
            return together(std::move(pass), lower_axis(recursions[1], axis, slab), shared);
        };
        stage.lower = [lower_pass, targets = here.size(),
                       sources = from.size()](const PlanDesc &slab) -> Lowered {
            Step pass{lower_pass(slab)};
            pass.targets = targets;
            if (sources == 1)
                return {{pass}, {}};
            pass.other = 0;
            return {{pass}, {bytes_of_rows(slab.source)}};
        };
        for (std::size_t k = 0; k < recursions.size(); ++k)
            outside[k] *= recursions[k].gain(static_cast<int>(axes[i]));
        append_lines(making, std::move(stage), axes[i], lower_pass(staged(step)), from,
                     here.front());
        for (std::size_t axis = 0; axis < 4; ++axis)
            next.region.source_origin[axis] -= step.region.source_origin[axis];
        next.source = step.target;
        step = next;
        from = here;
    }
}

// Lines are whole in slabs where there is room for that.
void Streaming::append_lines(const Making &making, StageDesc stage, std::size_t axis,
                             const RecursivePass &pass, const std::vector<int> &from, int to) {
    stage.reach[axis].is_whole = true;
    stage.variant = variant_of(pass, making.engine, making.variant, steps_.size());
    try {
        steps_.push_back({{making.engine, stage, making.room}, from, to});
    } catch (const Error &error) {
        const bool is_hopeless = error.status() != Status::unsupported || !making.is_last;
        const std::optional<Reach> reach = is_hopeless ? std::nullopt : reach_of(pass);
        if (!reach)
            throw;
        stage.reach[axis] = *reach;
        steps_.push_back({{making.engine, std::move(stage), making.room}, from, to});
    }
}

void Streaming::append_difference(const Making &making, const Dog &dog, const PlanDesc &desc,
                                  int to) {
    PlanDesc part = desc;
    part.target = scratch_like(desc, desc.region.extent, PixelType::f32);
    part.region.target_origin = {0, 0, 0, 0};
    const int first = add_scratch(part.target);
    append(making, dog.first, part, first);
    const int second = add_scratch(part.target);
    append(making, dog.second, part, second);

    StageDesc stage{desc};
    stage.plan.source = part.target;
    stage.plan.region.source_origin = {0, 0, 0, 0};
    stage.plan.region.edge = RegionEdge::isolated;
    stage.sources = 2;
    stage.lower = [](const PlanDesc &slab) -> Lowered {
        Step step{lower_subtraction(slab)};
        step.other = 0;
        return {{step}, {bytes_of_rows(slab.source)}};
    };
    stage.variant = making.variant;
    steps_.push_back({{making.engine, std::move(stage), making.room}, {first, second}, to});
}

// Sums go on from slab to slab. Those of a region within its neighbours start where the image does: then
// all from there on are made.
void Streaming::append_sat(const Making &making, const PlanDesc &desc) {
    StageDesc stage{desc};
    Region &region = stage.plan.region;
    int to = ends;
    if (region.edge == RegionEdge::neighbours &&
        (region.source_origin[0] > 0 || region.source_origin[1] > 0)) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            region.extent[axis] += region.source_origin[axis];
            region.source_origin[axis] = 0;
        }
        region.target_origin = {0, 0, 0, 0};
        stage.plan.target = scratch_like(desc, region.extent, desc.target.type);
        to = cut_from_ = add_scratch(stage.plan.target);
    }
    region.edge = RegionEdge::isolated;
    stage.carry = StageDesc::Carry::sums;
    stage.lower = [](const PlanDesc &slab) -> Lowered { return {{{lower_sat(slab)}}, {}}; };
    stage.variant = making.variant;
    steps_.push_back({{making.engine, std::move(stage), making.room}, {ends}, to});
}

int Streaming::add_scratch(const ImageDesc &desc) {
    scratch_.push_back(desc);
    return static_cast<int>(scratch_.size()) - 1;
}

void Streaming::prepare(Engine &engine) const {
    for (const StreamStep &step : steps_)
        step.stage.prepare(engine);
}

// The number of the last step that reads a scratch image.
std::size_t Streaming::last_use_of(int scratch) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (std::count(steps_[i].from.begin(), steps_[i].from.end(), scratch) > 0)
            last = i;
    return last;
}

// The target's region from an image of all that lies before it too.
void Streaming::cut(const std::byte *scratch, std::byte *target) const {
    const ImageDesc &from = scratch_[static_cast<std::size_t>(cut_from_)];
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

void Streaming::run(Engine &engine, const HostSource &source,
                    const std::vector<HostTarget> &targets,
                    const StreamProgress::Report &report) const {
    engine.queue(); // which a forked process does not have
    std::vector<std::byte> copy;
    const std::byte *from = source.data;
    if (share_memory(source, targets)) {
        copy.assign(source.data, source.data + desc_.source.bytes());
        from = copy.data();
    }
    std::uint64_t total = 0;
    for (const StreamStep &step : steps_)
        total += step.stage.pixels();
    StreamProgress progress(report, total);
    std::vector<std::unique_ptr<std::byte[]>> scratch(scratch_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const StreamStep &step = steps_[i];
        const auto number = [](std::int64_t value) { return static_cast<std::size_t>(value); };
        std::vector<const std::byte *> sources;
        for (const int image : step.from)
            sources.push_back(image == ends ? from : scratch[number(image)].get());
        std::vector<std::byte *> to;
        if (step.to <= ends) {
            for (std::size_t k = 0; k < step.stage.plan().target_count(); ++k)
                to.push_back(targets.at(target_of_number(step.to) + k).data);
        } else {
            for (std::size_t k = 0; k < step.stage.plan().target_count(); ++k) {
                const std::size_t image = number(step.to) + k;
                // Not filled: all of it is written.
                scratch[image].reset(new std::byte[number(scratch_[image].bytes())]);
                to.push_back(scratch[image].get());
            }
        }
        step.stage.run(engine, sources, to, progress);
        for (const int image : step.from)
            if (image != ends && last_use_of(image) == i)
                scratch[number(image)].reset();
    }
    if (cut_from_ != ends)
        cut(scratch[static_cast<std::size_t>(cut_from_)].get(), targets[0].data);
}

std::string Streaming::explain() const {
    std::string lines;
    for (const StreamStep &step : steps_)
        lines += text("host memory: streamed, ", steps_.size() == 1 ? "" : "a pass of ",
                      step.stage.explain(), "\n");
    return lines;
}

} // namespace gz
