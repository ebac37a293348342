// The passes of a plan with their kernels chosen, for one way that the images lie in memory.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/engine.hpp"
#include "plan/choice.hpp"
#include "plan/lowering.hpp"

namespace gz {

// The variant of a filter that could be run along all of its axes at once that it is not.
inline constexpr const char *axis_by_axis = "axes";
// And of a difference that its filters are not run both at once.
inline constexpr const char *filter_by_filter = "filters";
// Whether a variant names no kernel.
bool names_passes(const std::string &variant);

// Immutable but for its launches, which are compiled on first use. Safe to use from many threads.
class Pipeline {
public:
    // variant: "" for the environment's GAUZE_VARIANT, else the library's choice; else one for all steps,
    // or one for each, separated by ';', "" for the library's choice.
    Pipeline(const Engine &engine, const Lowered &lowered, const std::string &variant);

    // Why the device cannot hold what the passes hand on; "" if it can. Else nothing runs.
    const std::string &too_large() const { return too_large_; }

    void prepare(Engine &engine) const;
    // Enqueues every launch, one after the other. events: nullptr, or receives the event of each.
    // workspace: of the caller's, callers_workspace_bytes() or more that start aligned; without a buffer
    // in it the engine lends some.
    void enqueue(Engine &engine, cl::CommandQueue &queue, const cl::Buffer &source,
                 const std::vector<cl::Buffer> &targets, const std::vector<cl::Event> &wait_list,
                 std::vector<cl::Event> *events, const cl::Buffer &workspace = {}) const;

    std::size_t passes() const { return steps_.size(); }
    const Choice &choice(std::size_t pass) const { return steps_.at(pass).choice; }
    std::size_t launches() const;
    std::uint64_t workspace_bytes() const;
    // The same in one piece, for a caller to bring.
    std::uint64_t callers_workspace_bytes(const Engine &engine) const;
    // Sums over all passes of what their kernels say; 0 where they say nothing.
    int trips() const;
    double bytes_per_value() const;
    std::string variant() const;
    // A line for each pass, and lines for why its kernel was chosen.
    std::string explain() const;

private:
    struct ChosenStep {
        Choice choice;
        int from, to, other;
        std::size_t targets;
        std::vector<std::size_t> workspace; // numbers of the pipeline's buffers
    };

    const std::vector<std::vector<ReadyLaunch>> &ready(Engine &engine) const;

    std::vector<ChosenStep> steps_;
    std::string too_large_;
    std::vector<std::uint64_t> buffers_; // bytes: intermediate images, then the steps' workspace
    mutable std::mutex mutex_;
    mutable std::vector<std::vector<ReadyLaunch>> ready_;
};

} // namespace gz
