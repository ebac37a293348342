// Filters images in host memory that the device cannot hold, slab by slab, with the results of a run on
// whole images.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "filter/filter.hpp"
#include "plan/stream_stage.hpp"

namespace gz {

// How to run a filter that goes along x and y at once, or of which nothing goes far, in one stage; and
// a recursive one axis by axis, by way of images in host memory. Immutable. Safe to use from many
// threads.
class Streaming {
public:
    // filter: with its methods settled. variant: as for Pipeline. most_bytes: of device memory; 0 for
    // what the device has. Refuses what cannot be cut into slabs that there is room for.
    Streaming(const Engine &engine, const Filter &filter, const PlanDesc &desc,
              const std::string &variant, std::uint64_t most_bytes);

    void prepare(Engine &engine) const;
    // Waits. Targets may share memory with the source.
    void run(Engine &engine, const HostSource &source, const std::vector<HostTarget> &targets,
             const StreamProgress::Report &report) const;

    // Lines.
    std::string explain() const;

private:
    // A stage and the images that it goes between: a number of a scratch image, or `ends` for
    // the plan's source; its targets have numbers as those of a Step.
    struct StreamStep {
        StreamStage stage;
        std::vector<int> from;
        int to;
    };
    // How filters are made stages of.
    struct Making {
        const Engine &engine;
        const std::string &variant;
        DeviceRoom room;
        bool is_last; // there is not more room to try
    };

    void append(const Making &making, const Filter &filter, const PlanDesc &desc, int to);
    // One, or two of which the second's result is taken from the first's.
    void append_recursion(const Making &making, const std::vector<Recursion> &recursions,
                          const PlanDesc &desc, int to);
    void append_lines(const Making &making, StageDesc stage, std::size_t axis,
                      const RecursivePass &pass, const std::vector<int> &from, int to);
    void append_difference(const Making &making, const Dog &dog, const PlanDesc &desc, int to);
    void append_sat(const Making &making, const PlanDesc &desc);
    int add_scratch(const ImageDesc &desc);
    std::size_t last_use_of(int scratch) const;
    void cut(const std::byte *scratch, std::byte *target) const;

    PlanDesc desc_;
    std::vector<StreamStep> steps_;
    std::vector<ImageDesc> scratch_;
    // A scratch image whose last pixels are the target's; `ends` for none.
    int cut_from_ = ends;
};

// Whether the images of a run on packed images, and what its passes hand on, fit into device memory at
// once. most_bytes: as above.
bool fits_device(const Engine &engine, const Pipeline &pipeline, const PlanDesc &packed,
                 std::uint64_t most_bytes);

} // namespace gz
