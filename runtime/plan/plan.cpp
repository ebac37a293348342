#include "plan/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "filter/recursive.hpp"
#include "plan/overlap.hpp"

namespace gz {

namespace {

Settled settled(const Filter &filter, const PlanDesc &desc, const Engine &engine,
                const std::string &variant) {
    // What is refused does not depend on the device.
    check_border(filter, desc.border);
    return settle(filter, engine.facts().device_class,
                  variant.empty() ? environment("GAUZE_VARIANT") : variant);
}

// The same where the images may start at any address.
Lowered unaligned(Lowered lowered) {
    for (Step &step : lowered.steps)
        if (step.from == ends || step.to <= ends) {
            std::visit([](auto &pass) { pass.alignment = 1; }, step.pass);
            if (step.as_taps)
                step.as_taps->alignment = 1;
        }
    if (lowered.whole)
        lowered.whole->alignment = 1;
    if (lowered.whole_volume)
        lowered.whole_volume->alignment = 1;
    return lowered;
}

// Whether a buffer starts at an address that whole vectors of values can be read from. The device
// aligns its own buffers; those around host memory start where that does.
bool starts_aligned(const cl::Buffer &buffer) {
    constexpr std::uintptr_t alignment = 16 * sizeof(float);
    if (!(buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_USE_HOST_PTR))
        return true;
    return reinterpret_cast<std::uintptr_t>(buffer.getInfo<CL_MEM_HOST_PTR>()) % alignment == 0;
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

void check_buffer(const cl::Buffer &buffer, const ImageDesc &desc, const Engine &engine,
                  const std::string &what, cl_mem_flags unusable) {
    check_plain_buffer(buffer, engine, what, unusable);
    const auto size = static_cast<std::int64_t>(buffer.getInfo<CL_MEM_SIZE>());
    require(size >= desc.bytes(), "the ", what, "'s buffer has ", size,
            " bytes; its description needs ", desc.bytes());
}

// Where the bytes of two buffers start, counted from one place, where they may be in one memory: parts of
// one buffer, or buffers around the same host memory.
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

void check_no_overlap(const cl::Buffer &source, const cl::Buffer &target, const PlanDesc &desc,
                      std::size_t number) {
    const auto bases = bases_of(source, target);
    if (!bases)
        return;
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    const PixelBox read{desc.source, isolated ? desc.region.source_origin : Axes{0, 0, 0, 0},
                        isolated ? desc.region.extent : desc.source.extent, bases->first};
    const PixelBox written{desc.target_at(number), desc.region.target_origin, desc.region.extent,
                           bases->second};
    if (share_bytes(read, written))
        fail(Status::overlap,
             "source and target share memory; filtering in place is not supported on "
             "device memory");
}

void check_targets_apart(const std::vector<cl::Buffer> &targets, const PlanDesc &desc) {
    for (std::size_t i = 1; i < targets.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const auto bases = bases_of(targets[k], targets[i]);
            const auto written = [&](std::size_t number, std::int64_t base) -> PixelBox {
                return {desc.target_at(number), desc.region.target_origin, desc.region.extent,
                        base};
            };
            if (bases && share_bytes(written(k, bases->first), written(i, bases->second)))
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

// Some rows of pixels that lie both in a buffer, where they start a row, and in host memory.
struct Rows {
    cl::array<cl::size_type, 3> buffer_origin; // as OpenCL's rectangles have it
    cl::array<cl::size_type, 3> size;
    std::size_t buffer_pitch, host_pitch;
    std::int64_t host_byte;
};

// Calls copy(rows) for each slice of a box: from the device image's first pixel on, from `origin`
// on in the host's.
template <class Copy>
void for_each_slice(const ImageDesc &device, const ImageDesc &host, const Axes &origin,
                    const Axes &extent, Copy &&copy) {
    const auto pitch = static_cast<std::size_t>(device.pitch[1]);
    for (std::int64_t plane = 0; plane < device.planes; ++plane)
        for (std::int64_t t = 0; t < extent[3]; ++t)
            for (std::int64_t z = 0; z < extent[2]; ++z) {
                const auto byte = static_cast<std::size_t>(device.byte_of({0, 0, z, t}, plane));
                const Axes at{origin[0], origin[1], origin[2] + z, origin[3] + t};
                copy(Rows{{0, byte / pitch, 0},
                          {static_cast<std::size_t>(extent[0] * host.pixel_bytes()),
                           static_cast<std::size_t>(extent[1]), 1},
                          pitch,
                          static_cast<std::size_t>(host.pitch[1]),
                          host.byte_of(at, plane)});
            }
}

// Memory for a packed image, its last row as long as the others: NVIDIA (driver 580) counts whole
// rows when it checks that a rectangle lies inside its buffer.
cl::Buffer allocate_rows(const Engine &engine, const ImageDesc &desc, const char *what) {
    return engine.allocate(static_cast<std::uint64_t>(desc.plane_pitch * desc.planes), what);
}

} // namespace

void check_host(const std::byte *data, std::size_t bytes, const ImageDesc &desc,
                const std::string &what) {
    require(data != nullptr, "the ", what, " pointer is null");
    require(bytes >= static_cast<std::uint64_t>(desc.bytes()), "the ", what, " has ", bytes,
            " bytes; its description needs ", desc.bytes());
}

Plan::Plan(std::shared_ptr<Engine> engine, const Filter &filter, const PlanDesc &desc,
           const std::string &variant)
    : engine_(std::move(engine)), settled_(settled(filter, desc, *engine_, variant)),
      desc_(complete(desc, results_of(filter))), staged_desc_(staged(desc_)),
      direct_(*engine_, lower(settled_.filter, desc_), variant),
      unaligned_(*engine_, unaligned(lower(settled_.filter, desc_)), variant),
      staged_(*engine_, lower(settled_.filter, staged_desc_), variant), variant_(direct_.variant()),
      explain_(make_explanation()) {}

void Plan::prepare() const {
    direct_.prepare(*engine_);
    staged_.prepare(*engine_);
}

std::string Plan::name_of_target(std::size_t i) const {
    return desc_.target_count() == 1 ? "target" : text("target ", i);
}

void Plan::run(const HostSource &source, const std::vector<HostTarget> &targets) const {
    check_host(source.data, source.bytes, desc_.source, "source");
    for (std::size_t i = 0; i < desc_.target_count(); ++i)
        check_host(targets.at(i).data, targets[i].bytes, desc_.target_at(i), name_of_target(i));
    cl::CommandQueue queue = engine_->queue();
    const PlanDesc &device = staged_desc_;
    staged_.prepare(*engine_);
    const cl::Buffer from = allocate_rows(*engine_, device.source, "the source image");
    std::vector<cl::Buffer> to;
    for (std::size_t i = 0; i < device.target_count(); ++i)
        to.push_back(allocate_rows(*engine_, device.target_at(i), "the target image"));

    const Axes source_origin =
        desc_.region.edge == RegionEdge::isolated ? desc_.region.source_origin : Axes{0, 0, 0, 0};
    for_each_slice(
        device.source, desc_.source, source_origin, device.source.extent, [&](const Rows &rows) {
            attempt("copying the source to the device", [&] {
                queue.enqueueWriteBufferRect(from, CL_TRUE, rows.buffer_origin, {0, 0, 0},
                                             rows.size, rows.buffer_pitch, 0, rows.host_pitch, 0,
                                             source.data + rows.host_byte);
            });
        });
    staged_.enqueue(*engine_, queue, from, to, {}, nullptr);
    for (std::size_t i = 0; i < to.size(); ++i)
        for_each_slice(device.target_at(i), desc_.target_at(i), desc_.region.target_origin,
                       desc_.region.extent, [&](const Rows &rows) {
                           attempt("copying the target from the device", [&] {
                               queue.enqueueReadBufferRect(to[i], CL_TRUE, rows.buffer_origin,
                                                           {0, 0, 0}, rows.size, rows.buffer_pitch,
                                                           0, rows.host_pitch, 0,
                                                           targets[i].data + rows.host_byte);
                           });
                       });
}

const Pipeline &Plan::pipeline_for(const cl::Buffer &source,
                                   const std::vector<cl::Buffer> &targets) const {
    return starts_aligned(source) && std::all_of(targets.begin(), targets.end(), starts_aligned)
               ? direct_
               : unaligned_;
}

void Plan::check_buffers(const cl::Buffer &source, const std::vector<cl::Buffer> &targets) const {
    attempt("checking the buffers", [&] {
        check_buffer(source, desc_.source, *engine_, "source", CL_MEM_WRITE_ONLY);
        for (std::size_t i = 0; i < desc_.target_count(); ++i) {
            check_buffer(targets.at(i), desc_.target_at(i), *engine_, name_of_target(i),
                         CL_MEM_READ_ONLY);
            check_no_overlap(source, targets[i], desc_, i);
        }
        check_targets_apart(targets, desc_);
    });
}

std::uint64_t Plan::workspace_bytes() const {
    return std::max(direct_.callers_workspace_bytes(*engine_),
                    unaligned_.callers_workspace_bytes(*engine_));
}

void Plan::check_workspace(const cl::Buffer &workspace, const cl::Buffer &source,
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
        check_apart(workspace, bytes, source, desc_.source, "source");
        for (std::size_t i = 0; i < targets.size(); ++i)
            check_apart(workspace, bytes, targets[i], desc_.target_at(i), name_of_target(i));
    });
}

void Plan::enqueue(cl_command_queue queue, cl_mem source, const std::vector<cl_mem> &targets,
                   cl_mem workspace, const std::vector<cl_event> &wait_list,
                   cl_event *event) const {
    require(source != nullptr, "the source buffer is null");
    for (std::size_t i = 0; i < targets.size(); ++i)
        require(targets[i] != nullptr, "the ", name_of_target(i), " buffer is null");
    cl::CommandQueue on = engine_->queue();
    const cl::Buffer from(source, true);
    std::vector<cl::Buffer> to;
    for (cl_mem target : targets)
        to.emplace_back(target, true);
    const cl::Buffer between(workspace, true);
    check_buffers(from, to);
    if (workspace)
        check_workspace(between, from, to);
    attempt("checking the queue", [&] {
        if (queue) {
            on = cl::CommandQueue(queue, true);
            require(on.getInfo<CL_QUEUE_CONTEXT>()() == engine_->context()() &&
                        on.getInfo<CL_QUEUE_DEVICE>()() == engine_->device()(),
                    "the queue belongs to another context or device than the engine's");
        }
    });
    std::vector<cl::Event> waits;
    for (cl_event wait : wait_list) {
        require(wait != nullptr, "an event of the wait list is null");
        waits.emplace_back(wait, true);
    }
    std::vector<cl::Event> events;
    pipeline_for(from, to).enqueue(*engine_, on, from, to, waits, event ? &events : nullptr,
                                   between);
    attempt("flushing the queue", [&] { on.flush(); });
    if (event) {
        *event = events.back()();
        clRetainEvent(*event);
    }
}

std::string Plan::make_explanation() const {
    const DeviceFacts &facts = engine_->facts();
    std::string lines = text(
        to_text(filter()), "; ", to_text(desc_.source), " to ", to_text(desc_.target), ", border ",
        name_of(desc_.border.mode), ", region ", to_text(desc_.region.extent), " from ",
        to_place(desc_.region.source_origin), " to ", to_place(desc_.region.target_origin),
        desc_.region.edge == RegionEdge::isolated ? " isolated" : " with neighbours", "\n");
    lines += text("device: ", facts.name, " (", facts.platform, "), class ",
                  name_of(facts.device_class), "\n");
    lines += settled_.reasons;
    if (const auto &recursion = filter().recursion())
        lines += text("grouping: ", to_text(recursion->grouping), "; ", direct_.trips(),
                      direct_.trips() == 1 ? " trip" : " trips", " through memory, at least ",
                      direct_.bytes_per_value() * static_cast<double>(desc_.source.channels),
                      " bytes per pixel read and written\n");
    lines += direct_.explain();
    lines +=
        text("launches: ", direct_.launches(), "; reads ", desc_.source_bytes(), " bytes, writes ",
             desc_.target_bytes(), " bytes; workspace ", direct_.workspace_bytes(), " bytes\n");
    std::int64_t staged_target_bytes = 0;
    for (std::size_t i = 0; i < staged_desc_.target_count(); ++i)
        staged_target_bytes += staged_desc_.target_at(i).bytes();
    lines += text("host memory: staged in ", staged_desc_.source.bytes(), " + ",
                  staged_target_bytes, " bytes of device memory\n");
    // What runs there, where that is something else.
    if (staged_.explain() != direct_.explain())
        lines += staged_.explain();
    return lines;
}

} // namespace gz
