// Plans: a filter on images on an engine, with kernels chosen. Immutable; safe to use from many
// threads.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "device/engine.hpp"
#include "families/family.hpp"
#include "plan/host_copy.hpp"
#include "plan/pipeline.hpp"
#include "plan/streaming.hpp"

namespace gz {

// Options of a run on host memory.
struct HostRun {
    // Called between slabs, and at the beginning and the end; may be empty. It may end the run with
    // Status::cancelled.
    StreamProgress::Report report{};
    std::uint64_t most_bytes = 0; // bytes of device memory; 0 for all that the device has
};

// A value that the first thread to ask for it makes.
template <class T> class MadeLate {
public:
    template <class Make> const T &get(const Make &make) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!value_)
            value_ = make();
        return *value_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const T> value_;
};

class Plan {
public:
    // variant: "" for the environment's GAUZE_VARIANT, else the library's choice.
    Plan(std::shared_ptr<Engine> engine, const Filter &filter, const PlanDesc &desc,
         const std::string &variant);

    // The filter with the methods of its Gaussians settled.
    const Filter &filter() const { return settled_.filter; }
    const Settled &settled() const { return settled_; }
    const PlanDesc &desc() const { return desc_; }
    Engine &engine() const { return *engine_; }
    const std::string &explain() const;

    void prepare() const;
    // sources, targets: as many as the plan has, here and below.
    void run(const std::vector<HostSource> &sources, const std::vector<HostTarget> &targets,
             const HostRun &how = {}) const;
    // Returns the size that a caller's workspace must have.
    std::uint64_t workspace_bytes() const;
    // queue: nullptr for the engine's. workspace: nullptr for one that the engine lends.
    void enqueue(cl_command_queue queue, const std::vector<cl_mem> &sources,
                 const std::vector<cl_mem> &targets, cl_mem workspace,
                 const std::vector<cl_event> &wait_list, cl_event *event) const;
    // Refuses buffers that do not hold the plan's images, and a target that shares memory with a
    // source or with another target.
    void check_buffers(const std::vector<cl::Buffer> &sources,
                       const std::vector<cl::Buffer> &targets) const;
    // The pipeline for device memory as described, and its variant.
    const Pipeline &pipeline() const { return direct_; }
    const std::string &variant() const { return variant_; }
    // Returns "source", or "guide" for the second.
    static std::string name_of_source(std::size_t i) { return i == 0 ? "source" : "guide"; }
    // Returns "target", or, for one of several, "target 2".
    std::string name_of_target(std::size_t i) const;
    // The graph for device memory as described.
    const Graph &graph() const { return graph_; }

private:
    // are_aligned: whether all buffers start where whole vectors may.
    const Pipeline &pipeline_for(bool are_aligned) const;
    void check_workspace(const cl::Buffer &workspace, const std::vector<cl::Buffer> &sources,
                         const std::vector<cl::Buffer> &targets) const;
    std::unique_ptr<const Streaming> make_streaming(std::uint64_t most_bytes) const;
    // Whether kernels can use such host memory where it is, and a run that has them do so.
    bool can_run_in_place(const std::vector<HostSource> &sources,
                          const std::vector<HostTarget> &targets) const;
    void run_in_place(const std::vector<HostSource> &sources,
                      const std::vector<HostTarget> &targets) const;
    // A run that copies host memory to the device and back.
    void run_whole(const std::vector<HostSource> &sources,
                   const std::vector<HostTarget> &targets) const;
    std::string make_explanation() const;
    const Pipeline &unaligned_pipeline() const;
    const Pipeline &staged_pipeline() const { return staged_ ? *staged_ : direct_; }

    std::shared_ptr<Engine> engine_;
    PlanDesc desc_;
    Settled settled_;
    PlanDesc staged_desc_;
    Graph graph_;
    Pipeline direct_;              // device memory as described
    MadeLate<Pipeline> unaligned_; // the same where a buffer itself starts at an odd address
    // Host memory, by way of packed buffers; nullptr where these are as the images are described.
    std::unique_ptr<const Pipeline> staged_;
    std::string variant_;
    std::string forced_variant_;
    // Runs on host memory where the device cannot hold the images; or the reason why nothing does.
    std::unique_ptr<const Streaming> streaming_;
    std::string no_host_run_;
    MadeLate<std::string> explain_;
};

} // namespace gz
