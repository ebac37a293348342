#include "plan/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "plan/overlap.hpp"
#include "plan/self_test.hpp"

namespace gz {

namespace {

// Measured on NVIDIA (H200): what is kept in its cache between two reads is evicted sooner where rows do not lie whole
// pages apart. Columns of 16384x16384 f32 with sigma 200 then take 0.672 ms for 0.632; of smaller sigmas the same.
bool spreads_rows(const DeviceFacts &facts) {
    return facts.device_class != DeviceClass::nvidia_gpu;
}

// Whether kernels read and write the host's memory itself, so that a buffer over it needs no copy and shows results as
// soon as a kernel has ended: two cores of a Xeon take 77 ms of 4096x4096 f32 with copies, and 3.7 to 4.8 without.
bool works_on_host_memory(const DeviceFacts &facts) {
    return facts.device_class == DeviceClass::pocl_cpu;
}

// Where the host's memory is used, small images are filtered by one program for rows at any address: the caches hold them,
// and aligned rows gain little there (taps of 256x256 f32 take 1.15 of the time on a Xeon, all else as long). Large ones have a
// second program for rows that are not aligned, which is compiled when it is first needed.
bool is_large(const PlanDesc &desc) {
    constexpr std::int64_t much = std::int64_t{1} << 20; // bytes
    return desc.source_bytes() + desc.target_bytes() >= much;
}

// desc: completed. Small images are copied for a kernel that is forced, which may want aligned rows.
bool uses_host_memory(const DeviceFacts &facts, const PlanDesc &desc) {
    return works_on_host_memory(facts) && (desc.in_caches || is_large(desc));
}

PlanDesc completed(const Filter &filter, const PlanDesc &desc, const DeviceFacts &facts,
                   const std::string &variant) {
    // The device does not affect what is refused.
    filter.check_border(desc.border);
    PlanDesc result = complete(desc, filter.results());
    result.spreads_rows = spreads_rows(facts);
    result.in_caches = desc.in_caches || (works_on_host_memory(facts) && !is_large(result) &&
                                          Forced(variant).variant.empty());
    return result;
}

// images: complete.
Settled settled_for(const Filter &filter, const PlanDesc &images, const Engine &engine,
                    const std::string &variant) {
    const Forced forced(variant);
    const auto settled = [&](const std::string &by) -> Settled {
        return settle(filter, {engine.facts().device_class, by, engine.facts().architecture,
                               &engine.tuning(), &images});
    };
    // Parts leave passes to the library, and so they leave methods to it where these have such passes.
    Settled result = settled(forced.has_parts() ? "" : forced.variant);
    if (forced.has_parts() &&
        !can_take(lower(result.filter, images).links, forced.parts, engine.facts()))
        result = settled(forced.variant);
    if (images.store == Store::truncate && !result.filter.is<Correlate>() &&
        !result.filter.is<Box>())
        fail(Status::unsupported,
             "results are truncated of correlations, boxes and Gaussians by taps only; this is a ",
             to_text(result.filter));
    return result;
}

// Returns the graph of a plan, once the kernels for all that it may run are tested.
Graph tested(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
             const PlanDesc &staged_desc, const std::string &variant) {
    self_test(engine, filter, desc, variant);
    if (staged_desc != desc)
        self_test(engine, filter, staged_desc, variant);
    return lower(filter, desc);
}

constexpr std::uintptr_t vector_bytes = 16 * sizeof(float);

// Whether a buffer starts at an address that whole vectors of values can be read from. The device
// aligns its own buffers; those around host memory start where that does.
bool starts_aligned(const cl::Buffer &buffer) {
    if (!(buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_USE_HOST_PTR))
        return true;
    return reinterpret_cast<std::uintptr_t>(buffer.getInfo<CL_MEM_HOST_PTR>()) % vector_bytes == 0;
}

// unusable: flags, any of which refuses the buffer.
void check_plain_buffer(const cl::Buffer &buffer, const Engine &engine, const std::string &what,
                        cl_mem_flags unusable) {
    require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER, "the ", what,
            " is an OpenCL image; only buffers are supported so far");
    const cl_mem_flags found = buffer.getInfo<CL_MEM_FLAGS>() & unusable;
    require(found == 0, "the ", what, "'s buffer is ",
            found & CL_MEM_READ_ONLY ? "read-only" : "write-only", " for kernels");
    require(buffer.getInfo<CL_MEM_CONTEXT>()() == engine.context()(), "the ", what,
            "'s buffer belongs to another context than the engine's");
}

// Whether the device may hold an image in one buffer.
bool is_held(const ImageDesc &desc, const Engine &engine) {
    return static_cast<std::uint64_t>(desc.bytes()) <= engine.facts().max_allocation;
}
bool is_held(const PlanDesc &desc, const Pipeline &pipeline, const Engine &engine) {
    for (std::size_t i = 0; i < desc.target_count(); ++i)
        if (!is_held(desc.target_at(i), engine))
            return false;
    for (std::size_t i = 0; i < desc.source_count(); ++i)
        if (!is_held(desc.source_at(i), engine))
            return false;
    return pipeline.too_large().empty();
}

void check_buffer(const cl::Buffer &buffer, const ImageDesc &desc, const Engine &engine,
                  const std::string &what, cl_mem_flags unusable) {
    check_plain_buffer(buffer, engine, what, unusable);
    const auto size = static_cast<std::int64_t>(buffer.getInfo<CL_MEM_SIZE>());
    if (size < desc.bytes() && !is_held(desc, engine))
        fail(Status::unsupported, "the ", what, " needs ", desc.bytes(),
             " bytes, more than the largest buffer of ", engine.facts().name, " has, ",
             engine.facts().max_allocation, "; only runs on host memory take such images");
    require(size >= desc.bytes(), "the ", what, "'s buffer has ", size,
            " bytes; its description needs ", desc.bytes());
}

// The places of the first bytes of two buffers, counted from one origin, where they may share memory: parts
// of one buffer, or buffers around the same host memory.
struct Bases {
    std::int64_t first, second;
};
std::optional<Bases> bases_of(const cl::Buffer &first, const cl::Buffer &second) {
    const Place one = place_of(first);
    const Place other = place_of(second);
    if (one.outermost() == other.outermost())
        return Bases{static_cast<std::int64_t>(one.offset),
                     static_cast<std::int64_t>(other.offset)};
    const void *const one_host = first.getInfo<CL_MEM_HOST_PTR>();
    const void *const other_host = second.getInfo<CL_MEM_HOST_PTR>();
    if (!one_host || !other_host)
        return std::nullopt;
    return Bases{reinterpret_cast<std::intptr_t>(one_host),
                 reinterpret_cast<std::intptr_t>(other_host)};
}

// The pixels of source or target i that a plan uses, where its first byte is at `base`.
PixelBox pixels_read(const PlanDesc &desc, std::size_t i, std::int64_t base) {
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    return {desc.source_at(i), isolated ? desc.region.source_origin : Axes{0, 0, 0, 0},
            isolated ? desc.region.extent : desc.source.extent, base};
}
PixelBox pixels_written(const PlanDesc &desc, std::size_t i, std::int64_t base) {
    return {desc.target_at(i), desc.region.target_origin, desc.region.extent, base};
}

// source, target: numbers of the buffers `from` and `to`.
void check_no_overlap(const cl::Buffer &from, const cl::Buffer &to, const PlanDesc &desc,
                      std::size_t source, std::size_t target) {
    const auto bases = bases_of(from, to);
    if (!bases)
        return;
    if (share_bytes(pixels_read(desc, source, bases->first),
                    pixels_written(desc, target, bases->second)))
        fail(Status::overlap, source == 0 ? "source" : "guide",
             " and target share memory; filtering in place is not supported on "
             "device memory");
}

void check_targets_apart(const std::vector<cl::Buffer> &targets, const PlanDesc &desc) {
    for (std::size_t i = 1; i < targets.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const auto bases = bases_of(targets[k], targets[i]);
            if (bases && share_bytes(pixels_written(desc, k, bases->first),
                                     pixels_written(desc, i, bases->second)))
                fail(Status::overlap, "target ", k, " and target ", i, " share memory");
        }
}

// Workspace is written everywhere, and images are taken from their first byte to their last.
void check_apart(const cl::Buffer &workspace, std::int64_t bytes, const cl::Buffer &image,
                 const ImageDesc &desc, const std::string &what) {
    const auto bases = bases_of(workspace, image);
    if (bases && bases->first < bases->second + desc.bytes() &&
        bases->second + desc.offset < bases->first + bytes)
        fail(Status::overlap, "workspace and ", what, " share memory");
}

} // namespace

Plan::Plan(std::shared_ptr<Engine> engine, const Filter &filter, const PlanDesc &desc,
           const std::string &variant)
    : engine_(std::move(engine)), desc_(completed(filter, desc, engine_->facts(), variant)),
      settled_(settled_for(filter, desc_, *engine_, variant)), staged_desc_(staged(desc_)),
      graph_(tested(engine_, settled_.filter, desc_, staged_desc_, variant)),
      direct_(*engine_, graph_, variant),
      staged_(staged_desc_ == desc_ ? nullptr
                                    : std::make_unique<const Pipeline>(
                                          *engine_, lower(settled_.filter, staged_desc_), variant)),
      variant_(direct_.variant()), forced_variant_(variant) {
    if (!fits_device(*engine_, staged_pipeline(), staged_desc_, 0)) {
        try {
            streaming_ = make_streaming(0);
        } catch (const Error &error) {
            // Runs on device memory may still work.
            if (error.status() != Status::unsupported || !is_held(desc_, direct_, *engine_))
                throw;
            no_host_run_ = error.what();
        }
    }
}

const std::string &Plan::explain() const {
    return explain_.get([&] { return std::make_unique<const std::string>(make_explanation()); });
}

const Pipeline &Plan::unaligned_pipeline() const {
    return unaligned_.get([&] {
        return std::make_unique<const Pipeline>(*engine_, unaligned(graph_), forced_variant_);
    });
}

std::unique_ptr<const Streaming> Plan::make_streaming(std::uint64_t most_bytes) const {
    const auto lower_again = [filter = filter()](const PlanDesc &images) {
        return lower(filter, images);
    };
    return std::make_unique<Streaming>(*engine_, graph_, lower_again, desc_, forced_variant_,
                                       most_bytes);
}

void Plan::prepare() const {
    if (direct_.too_large().empty())
        direct_.prepare(*engine_);
    if (streaming_)
        streaming_->prepare(*engine_);
    else if (no_host_run_.empty())
        staged_pipeline().prepare(*engine_);
}

std::string Plan::name_of_target(std::size_t i) const {
    return desc_.target_count() == 1 ? "target" : text("target ", i);
}

void Plan::run(const std::vector<HostSource> &sources, const std::vector<HostTarget> &targets,
               const HostRun &how) const {
    for (std::size_t i = 0; i < desc_.source_count(); ++i)
        check_host(sources.at(i).data, sources[i].bytes, desc_.source_at(i), name_of_source(i));
    for (std::size_t i = 0; i < desc_.target_count(); ++i)
        check_host(targets.at(i).data, targets[i].bytes, desc_.target_at(i), name_of_target(i));
    const bool fits = how.most_bytes == 0
                          ? !streaming_ && no_host_run_.empty()
                          : fits_device(*engine_, staged_pipeline(), staged_desc_, how.most_bytes);
    if (fits) {
        StreamProgress progress(how.report, static_cast<std::uint64_t>(desc_.pixels()));
        if (how.most_bytes == 0 && can_run_in_place(sources, targets))
            run_in_place(sources, targets);
        else
            run_whole(sources, targets);
        progress.add(static_cast<std::uint64_t>(desc_.pixels()));
        return;
    }
    if (how.most_bytes > 0) {
        make_streaming(how.most_bytes)->run(*engine_, sources, targets, how.report);
        return;
    }
    if (!no_host_run_.empty())
        fail(Status::unsupported, no_host_run_);
    streaming_->run(*engine_, sources, targets, how.report);
}

bool Plan::can_run_in_place(const std::vector<HostSource> &sources,
                            const std::vector<HostTarget> &targets) const {
    if (!uses_host_memory(engine_->facts(), desc_) || !is_held(desc_, direct_, *engine_))
        return false;
    const bool may_be_unaligned = desc_.in_caches || Forced(forced_variant_).variant.empty();
    const auto address = [](const std::byte *data) {
        return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(data));
    };
    std::vector<PixelBox> used;
    for (std::size_t i = 0; i < desc_.source_count(); ++i)
        used.push_back(pixels_read(desc_, i, address(sources[i].data)));
    for (std::size_t i = 0; i < desc_.target_count(); ++i) {
        const PixelBox written = pixels_written(desc_, i, address(targets[i].data));
        if (std::any_of(used.begin(), used.end(),
                        [&](const PixelBox &other) { return share_bytes(other, written); }))
            return false;
        used.push_back(written);
    }
    return std::all_of(used.begin(), used.end(), [&](const PixelBox &box) {
        return static_cast<std::uintptr_t>(box.base) %
                   (may_be_unaligned ? size_of(box.desc.type) : vector_bytes) ==
               0;
    });
}

void Plan::run_in_place(const std::vector<HostSource> &sources,
                        const std::vector<HostTarget> &targets) const {
    const cl::CommandQueue &queue = engine_->queue();
    std::vector<cl::Buffer> from, to;
    bool are_aligned = true;
    const auto buffer_of = [&](const std::byte *data, const ImageDesc &desc, cl_mem_flags access) {
        are_aligned = are_aligned && reinterpret_cast<std::uintptr_t>(data) % vector_bytes == 0;
        return cl::Buffer(engine_->context(), access | CL_MEM_USE_HOST_PTR,
                          static_cast<std::size_t>(desc.bytes()), const_cast<std::byte *>(data));
    };
    attempt("using host memory", [&] {
        for (std::size_t i = 0; i < desc_.source_count(); ++i)
            from.push_back(buffer_of(sources[i].data, desc_.source_at(i), CL_MEM_READ_ONLY));
        for (std::size_t i = 0; i < desc_.target_count(); ++i)
            to.push_back(buffer_of(targets[i].data, desc_.target_at(i), CL_MEM_READ_WRITE));
    });
    try {
        cl::Event last;
        pipeline_for(are_aligned)
            .enqueue(*engine_, queue, from, to, {}, {.first = nullptr, .last = &last});
        attempt("waiting for the run", [&] { last.wait(); });
    } catch (...) {
        clFinish(queue()); // what is enqueued uses the caller's memory
        throw;
    }
}

void Plan::run_whole(const std::vector<HostSource> &sources,
                     const std::vector<HostTarget> &targets) const {
    const cl::CommandQueue &queue = engine_->queue();
    const PlanDesc &device = staged_desc_;
    staged_pipeline().prepare(*engine_);
    std::vector<BorrowedRows> borrowed;
    std::vector<cl::Buffer> from;
    for (std::size_t i = 0; i < device.source_count(); ++i) {
        borrowed.emplace_back(*engine_, device.source_at(i), "the source image");
        from.push_back(borrowed.back().buffer());
    }
    std::vector<cl::Buffer> to;
    for (std::size_t i = 0; i < device.target_count(); ++i) {
        borrowed.emplace_back(*engine_, device.target_at(i), "the target image");
        to.push_back(borrowed.back().buffer());
    }

    const Axes source_origin =
        desc_.region.edge == RegionEdge::isolated ? desc_.region.source_origin : Axes{0, 0, 0, 0};
    // Copies and kernels come one after the other, and the last is waited for: waiting for each would take as long as the
    // work on a small image.
    try {
        for (std::size_t i = 0; i < from.size(); ++i)
            write_box(queue, sources[i].data, from[i],
                      {desc_.source_at(i),
                       source_origin,
                       0,
                       device.source_at(i),
                       {0, 0, 0, 0},
                       device.source.extent});
        staged_pipeline().enqueue(*engine_, queue, from, to, {}, {});
        for (std::size_t i = 0; i < to.size(); ++i) {
            const BoxCopy box{
                desc_.target_at(i), desc_.region.target_origin, 0, device.target_at(i),
                {0, 0, 0, 0},       desc_.region.extent};
            if (i + 1 < to.size())
                read_box(queue, to[i], targets[i].data, box, {}, nullptr);
            else
                read_box_now(queue, to[i], targets[i].data, box);
        }
        for (BorrowedRows &rows : borrowed)
            std::move(rows).give_back();
    } catch (...) {
        clFinish(queue()); // what is enqueued uses the caller's memory
        throw;
    }
}

const Pipeline &Plan::pipeline_for(bool are_aligned) const {
    return are_aligned || desc_.in_caches ? direct_ : unaligned_pipeline();
}

void Plan::check_buffers(const std::vector<cl::Buffer> &sources,
                         const std::vector<cl::Buffer> &targets) const {
    attempt("checking the buffers", [&] {
        for (std::size_t i = 0; i < desc_.source_count(); ++i)
            check_buffer(sources.at(i), desc_.source_at(i), *engine_, name_of_source(i),
                         CL_MEM_WRITE_ONLY);
        for (std::size_t i = 0; i < desc_.target_count(); ++i) {
            check_buffer(targets.at(i), desc_.target_at(i), *engine_, name_of_target(i),
                         CL_MEM_READ_ONLY);
            for (std::size_t k = 0; k < desc_.source_count(); ++k)
                check_no_overlap(sources[k], targets[i], desc_, k, i);
        }
        check_targets_apart(targets, desc_);
    });
}

std::uint64_t Plan::workspace_bytes() const {
    const std::uint64_t bytes = direct_.callers_workspace_bytes(*engine_);
    try {
        return std::max(bytes, pipeline_for(false).callers_workspace_bytes(*engine_));
    } catch (const Error &error) {
        if (error.status() != Status::unsupported)
            throw;
        return bytes; // the caller forces what only aligned buffers can have
    }
}

void Plan::check_workspace(const cl::Buffer &workspace, const std::vector<cl::Buffer> &sources,
                           const std::vector<cl::Buffer> &targets) const {
    attempt("checking the workspace", [&] {
        check_plain_buffer(workspace, *engine_, "workspace", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
        const std::uint64_t needed = workspace_bytes();
        const std::uint64_t size = workspace.getInfo<CL_MEM_SIZE>();
        require(size >= needed, "the workspace has ", size, " bytes; the plan needs ", needed);
        require(starts_aligned(workspace),
                "the workspace is around host memory that does not start at "
                "a multiple of 64 bytes");
        const auto bytes = static_cast<std::int64_t>(needed);
        for (std::size_t i = 0; i < sources.size(); ++i)
            check_apart(workspace, bytes, sources[i], desc_.source_at(i), name_of_source(i));
        for (std::size_t i = 0; i < targets.size(); ++i)
            check_apart(workspace, bytes, targets[i], desc_.target_at(i), name_of_target(i));
    });
}

void Plan::enqueue(cl_command_queue queue, const std::vector<cl_mem> &sources,
                   const std::vector<cl_mem> &targets, cl_mem workspace,
                   const std::vector<cl_event> &wait_list, cl_event *event) const {
    for (std::size_t i = 0; i < sources.size(); ++i)
        require(sources[i] != nullptr, "the ", name_of_source(i), " buffer is null");
    for (std::size_t i = 0; i < targets.size(); ++i)
        require(targets[i] != nullptr, "the ", name_of_target(i), " buffer is null");
    if (!direct_.too_large().empty())
        fail(Status::unsupported, direct_.too_large(),
             "; only runs on host memory can do with less");
    const cl::CommandQueue &own = engine_->queue(); // refuses a forked process
    const Borrowed<cl::CommandQueue> callers(queue);
    const cl::CommandQueue &on = queue ? *callers : own;
    std::vector<cl::Buffer> from, to;
    for (cl_mem source : sources)
        from.emplace_back(source, true);
    for (cl_mem target : targets)
        to.emplace_back(target, true);
    const cl::Buffer between(workspace, true);
    check_buffers(from, to);
    if (workspace)
        check_workspace(between, from, to);
    attempt("checking the queue", [&] {
        if (queue) {
            require(on.getInfo<CL_QUEUE_CONTEXT>()() == engine_->context()() &&
                        on.getInfo<CL_QUEUE_DEVICE>()() == engine_->device()(),
                    "the queue belongs to another context or device than the engine's");
        }
    });
    std::vector<cl::Event> waits;
    attempt("checking the wait list", [&] {
        for (std::size_t i = 0; i < wait_list.size(); ++i) {
            require(wait_list[i] != nullptr, "wait_list[", i, "] is null");
            waits.emplace_back(wait_list[i], true);
            // Not every driver checks this.
            require(waits.back().getInfo<CL_EVENT_CONTEXT>()() == engine_->context()(),
                    "wait_list[", i, "] is an event of another context than the engine's");
        }
    });
    const bool are_aligned = std::all_of(from.begin(), from.end(), starts_aligned) &&
                             std::all_of(to.begin(), to.end(), starts_aligned);
    cl::Event last;
    pipeline_for(are_aligned)
        .enqueue(*engine_, on, from, to, waits, {.first = nullptr, .last = event ? &last : nullptr},
                 between);
    attempt("flushing the queue", [&] { on.flush(); });
    if (event) {
        *event = last();
        clRetainEvent(*event);
    }
}

std::string Plan::make_explanation() const {
    const DeviceFacts &facts = engine_->facts();
    std::string lines =
        text(to_text(filter()), "; ", to_text(desc_.source),
             desc_.more_sources.empty() ? "" : " guided by " + to_text(desc_.more_sources[0]),
             " to ", to_text(desc_.target), ", border ", name_of(desc_.border.mode), ", region ",
             to_text(desc_.region.extent), " from ", to_place(desc_.region.source_origin), " to ",
             to_place(desc_.region.target_origin),
             desc_.region.edge == RegionEdge::isolated ? " isolated" : " with neighbours",
             desc_.store == Store::truncate ? ", integers truncated" : "", "\n");
    lines += text("device: ", facts.name, " (", facts.platform, "), class ",
                  name_of(facts.device_class), ": ", facts.reason_of_defaults(), "\n");
    lines += settled_.reasons;
    const std::string trips = text(
        direct_.trips(), direct_.trips() == 1 ? " trip" : " trips", " through memory, at least ",
        direct_.bytes_per_value() * static_cast<double>(desc_.source.channels),
        " bytes per pixel read and written\n");
    lines += plan_text(filter(), desc_.border, direct_.passes(), trips);
    lines += direct_.explain();
    lines +=
        text("launches: ", direct_.launches(), "; reads ", desc_.source_bytes(), " bytes, writes ",
             desc_.target_bytes(), " bytes; workspace ", direct_.workspace_bytes(), " bytes\n");
    if (!direct_.too_large().empty())
        lines += text("device memory: refused: ", direct_.too_large(), "\n");
    if (streaming_)
        return lines + streaming_->explain();
    if (!no_host_run_.empty())
        return lines + text("host memory: refused: ", no_host_run_, "\n");
    std::int64_t staged_target_bytes = 0;
    for (std::size_t i = 0; i < staged_desc_.target_count(); ++i)
        staged_target_bytes += staged_desc_.target_at(i).bytes();
    std::int64_t staged_source_bytes = 0;
    for (std::size_t i = 0; i < staged_desc_.source_count(); ++i)
        staged_source_bytes += staged_desc_.source_at(i).bytes();
    if (uses_host_memory(facts, desc_))
        lines += "host memory: used where it is, unless a source and a target share bytes:\n";
    lines += text("host memory: staged in ", staged_source_bytes, " + ", staged_target_bytes,
                  " bytes of device memory\n");
    // Explain the kernels for host memory, where they differ.
    if (staged_ && staged_->explain() != direct_.explain())
        lines += staged_->explain();
    return lines;
}

} // namespace gz
