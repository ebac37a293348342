// The graph that a filter is lowered to: images, and the steps that make one from another. All code that
// runs, tunes, cuts or explains a plan reads the graph, and knows no filter.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/reach.hpp"
#include "plan/kernel.hpp"
#include "plan/plan_desc.hpp"

namespace gz {

// An image of a graph.
struct ImageRef {
    enum class Kind { source, target, between };

    Kind kind = Kind::source;
    std::size_t number = 0;

    bool operator==(const ImageRef &other) const {
        return kind == other.kind && number == other.number;
    }
    bool is_between() const { return kind == Kind::between; }
};
inline ImageRef source_image(std::size_t number = 0) {
    return {ImageRef::Kind::source, number};
}
inline ImageRef target_image(std::size_t number = 0) {
    return {ImageRef::Kind::target, number};
}
inline ImageRef image_between(std::size_t number) {
    return {ImageRef::Kind::between, number};
}

// Where an image is cut into slabs, the values that the results of a slab are added to: none, or the sums of
// the slabs above it and on its left.
enum class Carry { nothing, sums };

// One pass, and the images that it reads and writes. All its inputs have one layout, and all its outputs. But a
// step of an isolated region may have inputs after the first that hold the region alone, with the pitches of
// the first.
struct Step {
    PlanDesc images; // the layout of an input and of the outputs, the border and the region
    std::function<Pass(const PlanDesc &)>
        make; // the same pass for other images, or for a part of these
    Pass pass;
    std::vector<ImageRef> inputs{source_image()}, outputs{target_image()};
    AxesReach reach{};
    Carry carry = Carry::nothing;
    // Whether any planes can be filtered without the others.
    bool cuts_planes = true;
    // Whether it only joins results of other steps: a kernel forced for all steps then does not apply to it.
    bool combines = false;
    // Returns a launch that makes what those of the step before and of this one do, where both have one and the same images;
    // nothing where there is none. Empty: there is never one.
    std::function<std::optional<Launch>(const Launch &before, const Launch &own)> join{};
    // Returns how far pixels matter to a result in f32, along the axis that the step reads as a whole;
    // nothing where that is so far that cutting the axis does not pay. Empty: the axis cannot be cut.
    std::function<std::optional<Reach>()> cut_reach{};

    Step(const PlanDesc &desc, std::function<Pass(const PlanDesc &)> maker)
        : images(desc), make(std::move(maker)), pass(make(desc)) {}
    // The same, of a pass that is there already: make(desc) gives its like.
    Step(const PlanDesc &desc, std::function<Pass(const PlanDesc &)> maker, Pass made)
        : images(desc), make(std::move(maker)), pass(std::move(made)) {}
};

struct Link;

// Steps to run one after the other. The chain has a name where other chains give the same result.
struct Chain {
    std::string name;
    std::vector<Link> links;
    // Whether a device takes the chain by default, where that does not follow from its kernels alone.
    std::function<bool(const DeviceFacts &)> suits{};
};

// A step; or chains with the same result, of which a plan runs one. Kernels are chosen among them as if all
// were for one pass: a chain of one step that has a kernel wanted on the device comes first, and measured
// results of `problem` name a kernel of any chain, or a chain.
struct Link {
    std::optional<Step> step;
    std::vector<Chain> alternatives{};
    std::string problem{};

    Link(Step one) : step(std::move(one)) {}
    Link(std::vector<Chain> chains, std::string same_problem)
        : alternatives(std::move(chains)), problem(std::move(same_problem)) {}
};

// Names of chains: the filter runs along one axis after the other where it could run along all of them at
// once; its steps run one after the other where they could run at once; the two filters of a difference do not
// run at once.
inline constexpr const char *axis_by_axis = "axes";
inline constexpr const char *step_by_step = "steps";
inline constexpr const char *filter_by_filter = "filters";
// All iterations of a filter run at once.
inline constexpr const char *all_at_once = "once";
// Whether a variant names a chain, and no kernel.
bool names_chain(const std::string &variant);

struct Graph {
    std::vector<ImageDesc> between; // images between steps
    std::vector<Link> links;
    bool in_caches = false; // see PlanDesc
};

// Returns the only step of a chain; nullptr where it has several, or alternatives.
const Step *only_step(const Chain &chain);

// Returns the same graph over sources and targets that may start at any address.
Graph unaligned(Graph graph);

// Returns the same graph without chains of one step for all axes: filters that contain this one go step by
// step.
Graph by_steps(Graph graph);

// Calls visit(step) for every step, those of all alternatives among them.
void for_each_step(const std::vector<Link> &links, const std::function<void(const Step &)> &visit);
void for_each_step(std::vector<Link> &links, const std::function<void(Step &)> &visit);

} // namespace gz
