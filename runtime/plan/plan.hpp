// Plans: a filter on images on an engine, with kernels chosen. Immutable; safe to use from many
// threads.
#pragma once

#include <memory>
#include <string>

#include "device/engine.hpp"
#include "families/family.hpp"
#include "plan/host_copy.hpp"
#include "plan/pipeline.hpp"
#include "plan/streaming.hpp"

namespace gz {

// How a run on host memory goes.
struct HostRun {
    // Is asked between slabs, and at the beginning and the end; may be empty. Ends the run with
    // Status::cancelled.
    StreamProgress::Report report{};
    std::uint64_t most_bytes = 0; // of device memory; 0 for what the device has
};

class Plan {
public:
    // variant: "" for the environment's GAUZE_VARIANT, else the library's choice.
    Plan(std::shared_ptr<Engine> engine, const Filter &filter, const PlanDesc &desc,
         const std::string &variant);

    // With the methods of Gaussians settled.
    const Filter &filter() const { return settled_.filter; }
    const PlanDesc &desc() const { return desc_; }
    Engine &engine() const { return *engine_; }
    const std::string &explain() const { return explain_; }

    void prepare() const;
    // targets: as many as the plan has, here and below.
    void run(const HostSource &source, const std::vector<HostTarget> &targets,
             const HostRun &how = {}) const;
    // How large a workspace must be that a caller brings.
    std::uint64_t workspace_bytes() const;
    // queue: nullptr for the engine's. workspace: nullptr for what the engine lends.
    void enqueue(cl_command_queue queue, cl_mem source, const std::vector<cl_mem> &targets,
                 cl_mem workspace, const std::vector<cl_event> &wait_list, cl_event *event) const;
    // Refuses buffers that do not hold the plan's images, and a target that shares memory with the
    // source or with another target.
    void check_buffers(const cl::Buffer &source, const std::vector<cl::Buffer> &targets) const;
    // What runs on device memory as described, and its names.
    const Pipeline &pipeline() const { return direct_; }
    const std::string &variant() const { return variant_; }
    // "target", or, of several, "target 2".
    std::string name_of_target(std::size_t i) const;
    // What it is made of, for device memory as described.
    const Graph &graph() const { return graph_; }

private:
    const Pipeline &pipeline_for(const cl::Buffer &source,
                                 const std::vector<cl::Buffer> &targets) const;
    void check_workspace(const cl::Buffer &workspace, const cl::Buffer &source,
                         const std::vector<cl::Buffer> &targets) const;
    std::unique_ptr<const Streaming> make_streaming(std::uint64_t most_bytes) const;
    void run_whole(const HostSource &source, const std::vector<HostTarget> &targets) const;
    std::string make_explanation() const;

    std::shared_ptr<Engine> engine_;
    Settled settled_;
    PlanDesc desc_;
    PlanDesc staged_desc_;
    Graph graph_;
    Pipeline direct_;    // device memory as described
    Pipeline unaligned_; // the same where a buffer itself starts at an odd address
    Pipeline staged_;    // host memory, by way of packed buffers
    std::string variant_;
    std::string forced_variant_;
    // What runs on host memory instead where the device cannot hold it; or why nothing does.
    std::unique_ptr<const Streaming> streaming_;
    std::string no_host_run_;
    std::string explain_;
};

} // namespace gz
