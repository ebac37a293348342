#include "plan/stream_stage.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "plan/image_pass.hpp"

namespace gz {

namespace {

// Slabs that are under way at once: one is written, one filtered and one read.
constexpr std::size_t most_slots = 3;

// Slowest first: slabs of whole rows are copied fastest. The number of axes stands for the planes.
constexpr std::size_t planes_axis = 4;
constexpr std::size_t cut_order[] = {planes_axis, 3, 2, 1, 0};

// Slabs are not cut shorter along x as long as another axis can be cut.
constexpr std::int64_t shortest_row = 64;

ImageDesc slab_image(const ImageDesc &host, const Axes &extent, std::int64_t planes) {
    ImageDesc like = host;
    like.planes = planes;
    return own_image(like, extent);
}

Axes extent_of(const std::array<std::int64_t, 5> &size) {
    return {size[0], size[1], size[2], size[3]};
}

// Adds the elements of one row of sums to those of another. Either may start anywhere in memory.
template <class T> void add_values(std::byte *to, const std::byte *from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        T sum, more;
        const auto at = static_cast<std::size_t>(i) * sizeof(T);
        std::memcpy(&sum, to + at, sizeof(T));
        std::memcpy(&more, from + at, sizeof(T));
        sum += more;
        std::memcpy(to + at, &sum, sizeof(T));
    }
}

void add_values(PixelType type, std::byte *to, const std::byte *from, std::int64_t count) {
    switch (type) {
    case PixelType::f32:
        return add_values<float>(to, from, count);
    case PixelType::u64:
        return add_values<std::uint64_t>(to, from, count);
    default: // modulo 2^32, with a sign or without
        return add_values<std::uint32_t>(to, from, count);
    }
}

// An image that the passes of a slab read: a source of the plan, or, of a step, an image between that is laid out as
// its source.
const ImageDesc &slab_input(const PlanDesc &slab, std::size_t number) {
    return number < slab.source_count() ? slab.source_at(number) : slab.source;
}

// One of the pipelines that make slabs of one description.
std::vector<Span> kinds_of(const std::vector<Span> &spans) {
    std::vector<Span> result;
    for (const Span &span : spans)
        if (std::none_of(result.begin(), result.end(), [&](const Span &other) {
                return other.count == span.count && other.at == span.at &&
                       other.length() == span.length();
            }))
            result.push_back(span);
    return result;
}

} // namespace

void StreamProgress::add(std::uint64_t pixels) {
    done_ += pixels;
    const bool is_wanted = !report_ || report_(done_, total_);
    if (!is_wanted && done_ < total_)
        fail(Status::cancelled, "the run was cancelled after ", done_, " of ", total_, " pixels");
}

Axes StreamStage::Slab::read_extent() const {
    Axes result;
    for (std::size_t i = 0; i < 4; ++i)
        result[i] = spans[i]->length();
    return result;
}

Axes StreamStage::Slab::extent() const {
    Axes result;
    for (std::size_t i = 0; i < 4; ++i)
        result[i] = spans[i]->count;
    return result;
}

StreamStage::Key StreamStage::key_of(const Slab &slab) {
    Key key{};
    for (std::size_t i = 0; i < 4; ++i) {
        key[3 * i] = slab.spans[i]->length();
        key[3 * i + 1] = slab.spans[i]->count;
        key[3 * i + 2] = slab.spans[i]->at;
    }
    key[12] = slab.planes;
    return key;
}

void StreamStage::Bytes::grow_to(const PlanDesc &slab, std::size_t inputs) {
    sources.resize(inputs);
    for (std::size_t i = 0; i < inputs; ++i)
        sources[i] = std::max(sources[i], bytes_of_rows(slab_input(slab, i)));
    targets.resize(slab.target_count());
    for (std::size_t i = 0; i < targets.size(); ++i)
        targets[i] = std::max(targets[i], bytes_of_rows(slab.target_at(i)));
}

StreamStage::StreamStage(const Engine &engine, StageDesc desc, const DeviceRoom &room)
    : desc_(std::move(desc)) {
    const PlanDesc &plan = desc_.plan;
    const Region &region = plan.region;
    const bool isolated = region.edge == RegionEdge::isolated;
    for (std::size_t i = 0; i < 4; ++i)
        axes_[i] = {isolated ? region.extent[i] : plan.source.extent[i],
                    isolated ? 0 : region.source_origin[i], region.extent[i], desc_.reach[i]};
    inputs_ = {{plan.source, isolated ? region.source_origin : Axes{0, 0, 0, 0}}};
    inputs_.insert(inputs_.end(), desc_.more_sources.begin(), desc_.more_sources.end());
    choose_size(engine, room);
}

// Finds the largest slabs that there is room for, all of about one size.
void StreamStage::choose_size(const Engine &engine, const DeviceRoom &room) {
    const Axes &extent = desc_.plan.region.extent;
    const Size whole{extent[0], extent[1], extent[2], extent[3], desc_.plan.source.planes};
    Size size = whole;
    std::size_t axis = 0;
    std::int64_t too_large = 0;
    const auto shrink = [&] {
        const std::optional<std::size_t> next = next_cut(size);
        if (!next)
            fail(Status::unsupported, "slabs of ", to_text(extent_of(size)),
                 " pixels, which cannot be made smaller, need more than ", room.total,
                 " bytes of memory of ", engine.facts().name, ", or more than ", room.buffer,
                 " in one buffer");
        axis = *next;
        too_large = size[axis];
        size[axis] = (too_large + 1) / 2;
    };
    while (!take(size, engine, room))
        shrink();
    while (too_large - size[axis] > 1) {
        Size between = size;
        between[axis] = (too_large + size[axis]) / 2;
        if (take(between, engine, room))
            size = between;
        else
            too_large = between[axis];
    }
    size[axis] = ceil_div(whole[axis], ceil_div(whole[axis], size[axis]));
    while (!take(size, engine, room)) // slabs at the ends can need more than in larger ones
        shrink();
}

bool StreamStage::can_cut(const Size &size, std::size_t axis) const {
    return size[axis] > 1 &&
           (axis == planes_axis ? desc_.cuts_planes : !desc_.reach[axis].is_whole);
}

// Cuts the slowest axes first, while slabs are longer than the pixels that they read around them; then the
// axis where a cut adds the least reading.
std::optional<std::size_t> StreamStage::next_cut(const Size &size) const {
    const auto apron = [&](std::size_t axis) {
        return axis == planes_axis ? 0 : desc_.reach[axis].apron();
    };
    std::optional<std::size_t> best;
    for (const std::size_t axis : cut_order) {
        if (!can_cut(size, axis))
            continue;
        if (size[axis] >= std::max(4 * apron(axis), axis == 0 ? shortest_row : 0))
            return axis;
        if (!best || size[axis] * (apron(*best) + 1) > size[*best] * (apron(axis) + 1))
            best = axis;
    }
    return best;
}

// Cuts the image into slabs of this size, and returns whether there is room for them.
bool StreamStage::take(const Size &size, const Engine &engine, const DeviceRoom &room) {
    for (std::size_t i = 0; i < 4; ++i)
        spans_[i] = spans_of(axes_[i], size[i], desc_.plan.border.mode);
    planes_at_once_ = size[planes_axis];
    pipelines_.clear();
    bytes_ = {};
    bytes_.slots = std::min(most_slots, slabs());
    bool fits = true;
    Spans kinds;
    for (std::size_t i = 0; i < 4; ++i)
        kinds[i] = kinds_of(spans_[i]);
    for_each_slab(kinds, [&](const Slab &slab) {
        const Key key = key_of(slab);
        if (!fits || pipelines_.count(key) > 0)
            return;
        const PlanDesc plan = slab_desc(slab);
        bytes_.grow_to(plan, inputs_.size());
        fits = has_room(room);
        if (!fits)
            return;
        const Pipeline &made =
            pipelines_.try_emplace(key, engine, desc_.lower(plan), desc_.variant).first->second;
        bytes_.workspace = std::max(bytes_.workspace, made.callers_workspace_bytes(engine));
        fits = made.too_large().empty() && has_room(room);
    });
    return fits;
}

bool StreamStage::has_room(const DeviceRoom &room) const {
    const auto fits = [&](std::uint64_t bytes) { return bytes <= room.buffer; };
    return std::all_of(bytes_.sources.begin(), bytes_.sources.end(), fits) &&
           fits(bytes_.workspace) &&
           std::all_of(bytes_.targets.begin(), bytes_.targets.end(), fits) &&
           device_bytes() <= room.total;
}

double StreamStage::pixels_read() const {
    auto pixels = static_cast<double>(desc_.plan.source.planes);
    for (const std::vector<Span> &spans : spans_) {
        double length = 0.0;
        for (const Span &span : spans)
            length += static_cast<double>(span.length());
        pixels *= length;
    }
    return pixels;
}

std::uint64_t StreamStage::device_bytes() const {
    const auto sum = [](const std::vector<std::uint64_t> &bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
    };
    return bytes_.slots * (sum(bytes_.sources) + sum(bytes_.targets)) + bytes_.workspace;
}

PlanDesc StreamStage::slab_desc(const Slab &slab) const {
    PlanDesc result = desc_.plan;
    result.source = slab_image(desc_.plan.source, slab.read_extent(), slab.planes);
    for (ImageDesc &source : result.more_sources)
        source = slab_image(source, slab.read_extent(), slab.planes);
    result.target = slab_image(desc_.plan.target, slab.extent(), slab.planes);
    for (ImageDesc &target : result.more_targets)
        target = slab_image(target, slab.extent(), slab.planes);
    result.region = {{}, slab.extent(), {0, 0, 0, 0}, RegionEdge::neighbours};
    for (std::size_t i = 0; i < 4; ++i)
        result.region.source_origin[i] = slab.spans[i]->at;
    return result;
}

std::size_t StreamStage::slabs() const {
    auto count = static_cast<std::size_t>(ceil_div(desc_.plan.source.planes, planes_at_once_));
    for (const std::vector<Span> &spans : spans_)
        count *= spans.size();
    return count;
}

// Slabs are visited in the order of memory.
template <class Do> void StreamStage::for_each_slab(const Spans &spans, Do &&action) const {
    const std::int64_t planes = desc_.plan.source.planes;
    for (std::int64_t plane = 0; plane < planes; plane += planes_at_once_)
        for (const Span &t : spans[3])
            for (const Span &z : spans[2])
                for (const Span &y : spans[1])
                    for (const Span &x : spans[0])
                        action(Slab{
                            {&x, &y, &z, &t}, plane, std::min(planes_at_once_, planes - plane)});
}

std::string StreamStage::explain() const {
    Axes largest{};
    for (std::size_t i = 0; i < 4; ++i)
        largest[i] = spans_[i].front().count;
    return text(slabs(), " slabs of ", to_text(largest), " pixels, ", bytes_.slots, " at once in ",
                device_bytes(), " bytes of device memory");
}

void StreamStage::prepare(Engine &engine) const {
    for (const auto &[key, pipeline] : pipelines_)
        pipeline.prepare(engine);
}

// Slabs on their way through the device. Once this is destroyed, nothing uses the host's memory, whatever
// happened.
class StreamStage::Flight {
public:
    Flight(Engine &engine, const StreamStage &stage, const std::vector<const std::byte *> &sources,
           const std::vector<std::byte *> &targets, StreamProgress &progress)
        : engine_(engine), stage_(stage), sources_(sources), targets_(targets),
          progress_(progress) {
        const auto make_queue = [&] {
            return attempt("creating a queue",
                           [&] { return cl::CommandQueue(engine.context(), engine.device()); });
        };
        upload_ = make_queue();
        compute_ = make_queue();
        download_ = make_queue();
        const Bytes &bytes = stage.bytes_;
        if (bytes.workspace > 0)
            workspace_ = engine.allocate(bytes.workspace, "workspace");
        for (std::size_t i = 0; i < bytes.slots; ++i) {
            Slot slot;
            for (std::size_t k = 0; k < sources.size(); ++k)
                slot.sources.push_back(engine.allocate(bytes.sources[k], "a slab of the source"));
            for (const std::uint64_t target : bytes.targets)
                slot.targets.push_back(engine.allocate(target, "a slab of a target"));
            slots_.push_back(std::move(slot));
        }
    }
    ~Flight() {
        if (has_landed_)
            return;
        // Waits twice, as one of the two may fail: then nothing else can be done.
        for (const Slot &slot : slots_)
            if (slot.done())
                clWaitForEvents(1, &slot.done());
        for (const cl::CommandQueue *queue : {&upload_, &compute_, &download_})
            if ((*queue)() && clFinish((*queue)()) != CL_SUCCESS)
                clFinish((*queue)());
    }
    Flight(const Flight &) = delete;
    Flight &operator=(const Flight &) = delete;

    void send(const Slab &slab) {
        Slot &slot = slots_[next_];
        next_ = (next_ + 1) % slots_.size();
        land(slot);
        slot.slab = slab;
        const Pipeline &pipeline = stage_.pipelines_.at(key_of(slab));
        const PlanDesc plan = stage_.slab_desc(slab);
        cl::Event written;
        for (std::size_t i = 0; i < sources_.size(); ++i)
            write(i, slot.sources[i], slab, slab_input(plan, i), written);
        flush(upload_);
        cl::Event launched;
        pipeline.enqueue(engine_, compute_, slot.sources, slot.targets, {written},
                         {.first = nullptr, .last = &launched}, workspace_);
        flush(compute_);
        for (std::size_t i = 0; i < targets_.size(); ++i)
            read_box(download_, slot.targets[i], targets_[i],
                     target_box(slab, stage_.desc_.plan.target_at(i), plan.target_at(i)),
                     {launched}, &slot.done);
        flush(download_);
    }

    void land_all() {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            land(slots_[(next_ + i) % slots_.size()]);
        has_landed_ = true;
    }

private:
    struct Slot {
        std::vector<cl::Buffer> sources, targets;
        cl::Event done;
        std::optional<Slab> slab;
    };

    static void flush(cl::CommandQueue &queue) {
        attempt("flushing a queue", [&] { queue.flush(); });
    }

    // All combinations of the runs that the slab reads.
    void write(std::size_t number, const cl::Buffer &to, const Slab &slab, const ImageDesc &device,
               cl::Event &last) {
        const HostInput &input = stage_.inputs_[number];
        write_runs(3, number, to, slab, {input.layout, {}, slab.first_plane, device, {}, {}}, last);
    }
    void write_runs(std::size_t axis, std::size_t number, const cl::Buffer &to, const Slab &slab,
                    BoxCopy box, cl::Event &last) {
        box.device_origin[axis] = 0;
        for (const Run &run : slab.spans[axis]->read) {
            box.host_origin[axis] = stage_.inputs_[number].origin[axis] + run.first;
            box.extent[axis] = run.count;
            if (axis > 0)
                write_runs(axis - 1, number, to, slab, box, last);
            else
                write_box(upload_, sources_[number], to, box, &last);
            box.device_origin[axis] += run.count;
        }
    }

    BoxCopy target_box(const Slab &slab, const ImageDesc &host, const ImageDesc &device) const {
        BoxCopy box{host, {}, slab.first_plane, device, {0, 0, 0, 0}, slab.extent()};
        for (std::size_t i = 0; i < 4; ++i)
            box.host_origin[i] = stage_.desc_.plan.region.target_origin[i] + slab.spans[i]->first;
        return box;
    }

    // Waits for the slab in a slot, if there is one.
    void land(Slot &slot) {
        if (!slot.slab)
            return;
        attempt("filtering a slab", [&] { slot.done.wait(); });
        const Slab slab = *slot.slab;
        slot.slab.reset();
        if (stage_.desc_.carry == Carry::sums)
            stage_.carry_sums(slab, targets_[0]);
        const Axes extent = slab.extent();
        progress_.add(static_cast<std::uint64_t>(extent[0] * extent[1] * extent[2] * extent[3] *
                                                 slab.planes));
    }

    Engine &engine_;
    const StreamStage &stage_;
    const std::vector<const std::byte *> &sources_;
    const std::vector<std::byte *> &targets_;
    StreamProgress &progress_;
    std::vector<Slot> slots_;
    cl::Buffer workspace_; // of one slab at a time
    cl::CommandQueue upload_, compute_, download_;
    std::size_t next_ = 0;
    bool has_landed_ = false;
};

void StreamStage::run(Engine &engine, const std::vector<const std::byte *> &sources,
                      const std::vector<std::byte *> &targets, StreamProgress &progress) const {
    Flight flight(engine, *this, sources, targets, progress);
    for_each_slab(spans_, [&](const Slab &slab) { flight.send(slab); });
    flight.land_all();
}

// Sums start anew in each slab: those of its rows go on from the slab on its left, and then, once all
// rows above are complete, from the row above. No sum is ever taken out of another.
void StreamStage::carry_sums(const Slab &slab, std::byte *target) const {
    const ImageDesc &desc = desc_.plan.target;
    const Axes &origin = desc_.plan.region.target_origin;
    const Span &along_x = *slab.spans[0];
    const Span &along_y = *slab.spans[1];
    const bool is_last_of_rows = along_x.first + along_x.count == axes_[0].extent;
    const auto carry_slice = [&](std::int64_t z, std::int64_t t, std::int64_t plane) {
        const auto at = [&](std::int64_t x, std::int64_t y) {
            return target + desc.byte_of({origin[0] + x, origin[1] + y, z, t}, plane);
        };
        for (std::int64_t y = along_y.first; y < along_y.first + along_y.count; ++y) {
            if (along_x.first > 0)
                for (std::int64_t x = along_x.first; x < along_x.first + along_x.count; ++x)
                    add_values(desc.type, at(x, y), at(along_x.first - 1, y), desc.channels);
            if (is_last_of_rows && along_y.first > 0)
                add_values(desc.type, at(0, y), at(0, along_y.first - 1),
                           axes_[0].extent * desc.channels);
        }
    };
    const Span &along_z = *slab.spans[2];
    const Span &along_t = *slab.spans[3];
    for (std::int64_t plane = slab.first_plane; plane < slab.first_plane + slab.planes; ++plane)
        for (std::int64_t t = along_t.first; t < along_t.first + along_t.count; ++t)
            for (std::int64_t z = along_z.first; z < along_z.first + along_z.count; ++z)
                carry_slice(origin[2] + z, origin[3] + t, plane);
}

} // namespace gz
