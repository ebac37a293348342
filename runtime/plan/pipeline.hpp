// The passes of a plan with their kernels chosen, for one way that the images lie in memory.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/engine.hpp"
#include "plan/choice.hpp"
#include "plan/graph.hpp"

namespace gz {

// Whether a variant names a chain, and no kernel.
bool names_chain(const std::string &variant);

// What a caller or the environment forces on a plan.
struct Forced {
    std::string variant; // "" for nothing
    const char *by;

    // given: "" for the environment's GAUZE_VARIANT.
    explicit Forced(const std::string &given);
};

// The alternative of a link of a graph that is forced: by its name, by the kernel of a step, or by as many parts
// as the graph then has steps. nullptr where nothing is forced that says which.
const Chain *forced_chain(const Link &link, const std::vector<Link> &graph, const Forced &forced,
                          const DeviceFacts &facts);

// A link's candidates: variants that can run it, first what is taken without results; and the hash of a
// kernel that one names, nothing where it is none for the link.
std::vector<std::string> candidates(const Link &link, const DeviceFacts &facts);
std::optional<std::string> spec_hash(const Link &link, const Tuning &tuning,
                                     const std::string &variant);

// What can be tuned by itself: links with a problem of their own, by way of which chains are chosen too, and
// single steps. facts: a chain that the device cannot run is none.
std::vector<const Link *> problem_links(const std::vector<Link> &links, const DeviceFacts &facts);
std::string problem_of(const Link &link);

// Immutable but for its launches, which are compiled on first use. Safe to use from many threads.
class Pipeline {
public:
    // variant: "" for the environment's GAUZE_VARIANT, else the library's choice; else a kernel for all steps,
    // or one for each, separated by ';', "" for the library's choice; or the name of a chain.
    Pipeline(const Engine &engine, const Graph &graph, const std::string &variant);

    // Why the device cannot hold what the passes hand on; "" if it can. Else nothing runs.
    const std::string &too_large() const { return too_large_; }

    void prepare(Engine &engine) const;
    // Enqueues every launch, one after the other. events: nullptr, or receives the event of each.
    // workspace: of the caller's, callers_workspace_bytes() or more that start aligned; without a buffer
    // in it the engine lends some.
    void enqueue(Engine &engine, cl::CommandQueue &queue, const std::vector<cl::Buffer> &sources,
                 const std::vector<cl::Buffer> &targets, const std::vector<cl::Event> &wait_list,
                 std::vector<cl::Event> *events, const cl::Buffer &workspace = {}) const;

    std::size_t passes() const { return steps_.size(); }
    const Choice &choice(std::size_t pass) const { return steps_.at(pass).choice; }
    // Variants that can run a pass in place of what was chosen.
    std::vector<std::string> candidates(std::size_t pass, const DeviceFacts &facts) const;
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
        Pass pass;
        std::vector<ImageRef> inputs, outputs; // numbers of images between are those of buffers
        std::vector<std::size_t> workspace;    // numbers of buffers
    };
    class Making;

    void place_images(const std::vector<ImageDesc> &between, const DeviceFacts &facts);
    const std::vector<std::vector<ReadyLaunch>> &ready(Engine &engine) const;

    std::vector<ChosenStep> steps_;
    std::string too_large_;
    std::vector<std::uint64_t> buffers_; // bytes, for images between and the steps' own workspace
    mutable std::mutex mutex_;
    mutable std::vector<std::vector<ReadyLaunch>> ready_;
};

} // namespace gz
