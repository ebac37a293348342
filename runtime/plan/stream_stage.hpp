// One step of a filter from host images to host images, in slabs that go through the device one after
// the other while their neighbours are copied.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/engine.hpp"
#include "plan/graph.hpp"
#include "plan/host_copy.hpp"
#include "plan/pipeline.hpp"
#include "plan/slabs.hpp"

namespace gz {

// Device memory that a run may take: in one buffer, and in all.
struct DeviceRoom {
    std::uint64_t buffer, total;
};

// An image in host memory, and the place in it where the axes of a stage start.
struct HostInput {
    ImageDesc layout;
    Axes origin;
};

// The facts about a part of a graph that are needed to cut it. Pixels that no result reads are not copied.
struct StageDesc {
    PlanDesc plan; // the plan of whole images, in host memory
    AxesReach reach{};
    bool cuts_planes = true;
    // Makes the passes for a slab.
    std::function<Graph(const PlanDesc &)> lower{};
    std::string variant{};                 // the variant of their kernels, as for Pipeline
    std::vector<HostInput> more_sources{}; // images that the passes read, after the plan's source
    // The values that the results of a slab are added to: those of the slabs above it and on its left.
    Carry carry = Carry::nothing;
};

// Counts pixels that are done, and ends a run with Status::cancelled where it is asked to.
class StreamProgress {
public:
    // Called with the work done and all the work; returns whether to go on.
    using Report = std::function<bool(std::uint64_t done, std::uint64_t total)>;

    // report: may be empty.
    StreamProgress(const Report &report, std::uint64_t total) : report_(report), total_(total) {
        add(0);
    }
    void add(std::uint64_t pixels);

private:
    const Report &report_;
    std::uint64_t done_ = 0, total_;
};

// Immutable. Safe to use from many threads.
class StreamStage {
public:
    // Refuses images of which not even a slab of a pixel, or of a line that cannot be cut, has room.
    StreamStage(const Engine &engine, StageDesc desc, const DeviceRoom &room);

    void prepare(Engine &engine) const;
    // Waits. Where it fails, nothing uses the host memory any more.
    void run(Engine &engine, const std::vector<const std::byte *> &sources,
             const std::vector<std::byte *> &targets, StreamProgress &progress) const;

    const PlanDesc &plan() const { return desc_.plan; }
    std::uint64_t pixels() const { return static_cast<std::uint64_t>(desc_.plan.pixels()); }
    double pixels_read() const; // some more than once
    std::uint64_t device_bytes() const;
    std::string explain() const;

private:
    using Spans = std::array<std::vector<Span>, 4>;
    // The most results that a slab has: pixels along x, y, z and t, and planes.
    using Size = std::array<std::int64_t, 5>;
    // A slab: spans along all axes.
    struct Slab {
        std::array<const Span *, 4> spans;
        std::int64_t first_plane, planes;

        Axes read_extent() const;
        Axes extent() const;
    };
    // Slabs of one key have one description.
    using Key = std::array<std::int64_t, 13>;
    static Key key_of(const Slab &slab);
    // The device memory that one slab takes, and how many slabs there are at once.
    struct Bytes {
        std::uint64_t workspace = 0;
        std::vector<std::uint64_t> sources{}, targets{};
        std::size_t slots = 1;

        void grow_to(const PlanDesc &slab, std::size_t inputs);
    };
    class Flight;

    void choose_size(const Engine &engine, const DeviceRoom &room);
    bool can_cut(const Size &size, std::size_t axis) const;
    std::optional<std::size_t> next_cut(const Size &size) const;
    bool take(const Size &size, const Engine &engine, const DeviceRoom &room);
    bool has_room(const DeviceRoom &room) const;

    PlanDesc slab_desc(const Slab &slab) const;
    std::size_t slabs() const;
    template <class Do> void for_each_slab(const Spans &spans, Do &&action) const;
    void carry_sums(const Slab &slab, std::byte *target) const;

    StageDesc desc_;
    std::array<Axis, 4> axes_;      // pixels of the image as its border extends it
    std::vector<HostInput> inputs_; // all images that the passes read
    Spans spans_;
    std::int64_t planes_at_once_ = 1;
    std::map<Key, Pipeline> pipelines_;
    Bytes bytes_;
};

} // namespace gz
