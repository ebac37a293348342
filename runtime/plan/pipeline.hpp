// The passes of a plan with their kernels chosen, for one layout of the images in memory.
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

// Whether a device takes the chain, as far as that does not follow from its kernels.
bool suits(const Chain &chain, const DeviceFacts &facts);

// Returns the alternative of a link that is forced: by its name, by the kernel of a step, or because the
// forced parts are as many as the steps that the graph then has. nullptr where the forced variant does not
// decide. place: steps before the link, where that is known; else any of the parts may be of the link.
const Chain *forced_chain(const Link &link, const std::vector<Link> &graph, const Forced &forced,
                          const DeviceFacts &facts, std::optional<std::size_t> place = {});

// Whether links can have as many steps as there are forced parts, with kernels of all that these name.
bool can_take(const std::vector<Link> &links, const std::vector<std::string> &parts,
              const DeviceFacts &facts);

// Return a link's candidates: variants that can run it, the default first; and the hash of a kernel that one
// names, nothing where it is not for the link.
std::vector<std::string> candidates(const Link &link, const DeviceFacts &facts);
std::optional<std::string> spec_hash(const Link &link, const Tuning &tuning,
                                     const std::string &variant);

// Returns the links that can be tuned by themselves: links with a problem of their own, whose results choose
// among chains too, and single steps. facts: chains that the device cannot run are left out.
std::vector<const Link *> problem_links(const std::vector<Link> &links, const DeviceFacts &facts);
std::string problem_of(const Link &link);

// Receivers of the events of a run's first and last launch; nullptr: nobody wants it. Drivers take longer over a launch that
// has an event.
struct Watched {
    cl::Event *first = nullptr, *last = nullptr;
};

// Immutable but for its launches, which are compiled on first use. Safe to use from many threads.
class Pipeline {
public:
    // variant: "" for the environment's GAUZE_VARIANT, else the library's choice; else a kernel for all steps,
    // or one for each, separated by ';', "" for the library's choice; or the name of a chain.
    Pipeline(const Engine &engine, const Graph &graph, const std::string &variant);

    // Returns why the device cannot hold the images between passes; "" if it can. Otherwise nothing runs.
    const std::string &too_large() const { return too_large_; }

    void prepare(Engine &engine) const;
    // Enqueues every launch, one after the other. workspace: a buffer of the caller's, of callers_workspace_bytes() or more,
    // that starts aligned; if it is empty, the engine lends one.
    void enqueue(Engine &engine, const cl::CommandQueue &queue,
                 const std::vector<cl::Buffer> &sources, const std::vector<cl::Buffer> &targets,
                 const std::vector<cl::Event> &wait_list, const Watched &watched,
                 const cl::Buffer &workspace = {}) const;

    std::size_t passes() const { return steps_.size(); }
    const Choice &choice(std::size_t pass) const { return steps_.at(pass).choice; }
    // Returns the variants that can run a pass in place of the chosen one.
    std::vector<std::string> candidates(std::size_t pass, const DeviceFacts &facts) const;
    std::size_t launches() const;
    std::uint64_t workspace_bytes() const;
    std::uint64_t cleared_bytes() const { return cleared_bytes_; } // that the engine lends besides
    // The same in one buffer, for callers that bring their own.
    std::uint64_t callers_workspace_bytes(const Engine &engine) const;
    // Sums over all passes of the numbers that their kernels report; 0 where they report none.
    int trips() const;
    double bytes_per_value() const;
    std::string variant() const;
    // A line for each pass, and lines that say why its kernel was chosen.
    std::string explain() const;

private:
    struct ChosenStep {
        Choice choice;
        Pass pass;
        std::vector<ImageRef> inputs, outputs; // images between are numbered by their buffers
        std::vector<std::size_t> workspace;    // by number of buffer
    };
    class Making;

    void place_images(const std::vector<ImageDesc> &between, const DeviceFacts &facts);
    const std::vector<std::vector<ReadyLaunch>> &ready(Engine &engine) const;

    std::vector<ChosenStep> steps_;
    std::string too_large_;
    std::vector<std::uint64_t> buffers_; // bytes, for images between and the steps' own workspace
    std::uint64_t cleared_bytes_ = 0;    // of words that launches find and leave 0
    mutable std::mutex mutex_;
    mutable std::vector<std::vector<ReadyLaunch>> ready_;
};

} // namespace gz
