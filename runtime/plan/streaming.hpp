// Filters images in host memory that the device cannot hold, slab by slab, with the results of a run on
// whole images.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/stream_stage.hpp"

namespace gz {

// Runs a graph in slabs: in one stage where no step reads all of an axis, or step by step through images in
// host memory. Immutable. Safe to use from many threads.
class Streaming {
public:
    // graph: of the images of desc. lower: makes the graph for other images. variant: as for Pipeline.
    // most_bytes: of device memory; 0 for all that the device has. Refuses images that cannot be cut into slabs
    // that there is room for.
    using Lower = std::function<Graph(const PlanDesc &)>;
    Streaming(const Engine &engine, const Graph &graph, const Lower &lower, const PlanDesc &desc,
              const std::string &variant, std::uint64_t most_bytes);

    void prepare(Engine &engine) const;
    // Waits. Targets may share memory with the sources.
    void run(Engine &engine, const std::vector<HostSource> &sources,
             const std::vector<HostTarget> &targets, const StreamProgress::Report &report) const;

    // Returns lines of text.
    std::string explain() const;

private:
    // A stage and the images that it reads and writes; images between stages are scratch images in host
    // memory.
    struct StreamStep {
        StreamStage stage;
        std::vector<ImageRef> inputs, outputs;
    };
    // Splits a graph into stages.
    struct Making {
        const Engine &engine;
        const Lower &lower;
        const std::string &variant;
        const Forced &forced;
        DeviceRoom room;
        bool is_last; // there is no more room to try
    };

    void append_whole(const Making &making, const std::vector<Link> &links);
    void append_link(const Making &making, const Link &link);
    void append_lines(const Making &making, StageDesc stage, const Step &step);
    void append_carried(StageDesc &stage, std::vector<ImageRef> &outputs);
    HostInput host_input(const Step &step, const ImageRef &image, const PlanDesc &plan) const;
    StageDesc stage_of(const Making &making, const Link &link) const;
    std::size_t last_use_of(const ImageRef &image) const;
    void cut(const std::byte *scratch, std::byte *target) const;

    PlanDesc desc_;
    std::vector<StreamStep> steps_;
    std::vector<ImageDesc> scratch_;
    // A scratch image whose last pixels are the target's.
    std::optional<std::size_t> cut_from_;
};

// Whether the images of a run on packed images, and what its passes hand on, fit into device memory at
// once. most_bytes: as above.
bool fits_device(const Engine &engine, const Pipeline &pipeline, const PlanDesc &packed,
                 std::uint64_t most_bytes);

} // namespace gz
