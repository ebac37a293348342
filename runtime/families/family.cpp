#include "families/family.hpp"

#include <utility>

#include "core/error.hpp"
#include "families/bank/lowering.hpp"
#include "families/box/kernels.hpp"
#include "families/box/lowering.hpp"
#include "families/correlate/kernels.hpp"
#include "families/correlate/lowering.hpp"
#include "families/derivative/kernels.hpp"
#include "families/derivative/lowering.hpp"
#include "families/difference/kernels.hpp"
#include "families/difference/lowering.hpp"
#include "families/edge/kernels.hpp"
#include "families/edge/lowering.hpp"
#include "families/edge/weights.hpp"
#include "families/gaussian/lowering.hpp"
#include "families/guided/kernels.hpp"
#include "families/guided/lowering.hpp"
#include "families/local/kernels.hpp"
#include "families/local/lowering.hpp"
#include "families/morphology/kernels.hpp"
#include "families/morphology/lowering.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/lowering.hpp"
#include "families/recursive/kernels.hpp"
#include "families/recursive/lowering.hpp"
#include "families/recursive/recursive.hpp"
#include "families/sat/kernels.hpp"
#include "families/sat/lowering.hpp"
#include "families/ssimulacra2/kernels.hpp"

namespace gz {

namespace {

// Most filters have one method.
template <class D> Settled settle(const D &filter, const Settling &) {
    return {filter};
}

// An accuracy lets the device make weights; CPUs make the polynomial sooner.
template <class D> Settled settle_weights(const D &filter, const Settling &on) {
    DeviceFacts facts;
    facts.device_class = on.device_class;
    if (!are_of_device(filter.accuracy) || !facts.is_cpu() || !on.forced.empty())
        return {filter};
    D own = filter;
    own.accuracy = 0.0;
    return {own, text("weights: not the device's, which the accuracy ", filter.accuracy,
                      " allows, as CPUs make them no faster\n")};
}

Settled settle(const Bilateral &filter, const Settling &on) {
    return settle_weights(filter, on);
}

Settled settle(const NonLocalMeans &filter, const Settling &on) {
    return settle_weights(filter, on);
}

Settled settle(const Difference &filter, const Settling &on) {
    Settling each = on;
    if (on.forced == filter_by_filter)
        each.forced = "";
    Settled first = settle(filter.first(), each);
    Settled second = settle(filter.second(), each);
    return {Filter::difference(std::move(first.filter), std::move(second.filter)),
            first.reasons + second.reasons};
}

Settled settle(const Bank &bank, const Settling &on) {
    Bank settled;
    std::string reasons;
    for (const Filter &one : bank.filters) {
        Settled own = settle(one, on);
        settled.filters.push_back(std::move(own.filter));
        reasons += own.reasons;
    }
    return {std::move(settled), reasons};
}

template <class D>
std::string plan_text(const D &, const Border &, std::size_t, const std::string &) {
    return "";
}

std::string plan_text(const Bilateral &filter, const Border &, std::size_t, const std::string &) {
    return weights_text(filter.accuracy) + "\n";
}

std::string plan_text(const NonLocalMeans &filter, const Border &, std::size_t,
                      const std::string &) {
    return weights_text(filter.accuracy) + "\n";
}

std::string plan_text(const Recursion &recursion, const Border &border, std::size_t,
                      const std::string &trips) {
    return "grouping: " + to_text(recursion.grouping) + "; " + trips +
           rounding_text(recursion, border);
}

std::string plan_text(const Difference &filter, const Border &, std::size_t passes,
                      const std::string &trips) {
    constexpr std::size_t most_of_both = 2; // one for each axis, or one in all
    if (!filter.first().is<Recursion>() || !filter.second().is<Recursion>())
        return "";
    return std::string("filters: ") + (passes <= most_of_both ? "both at once" : "each by itself") +
           "; " + trips;
}

} // namespace

Settled settle(const Filter &filter, const Settling &on) {
    return std::visit([&](const auto &own) -> Settled { return settle(own, on); },
                      filter.description());
}

Graph lower(const Filter &filter, const PlanDesc &desc) {
    filter.check_border(desc.border);
    Graph graph =
        std::visit([&](const auto &own) { return lower(own, desc); }, filter.description());
    if (desc.in_caches) {
        graph = unaligned(std::move(graph));
        graph.in_caches = true;
    }
    return graph;
}

std::string plan_text(const Filter &filter, const Border &border, std::size_t passes,
                      const std::string &trips) {
    return std::visit([&](const auto &own) { return plan_text(own, border, passes, trips); },
                      filter.description());
}

std::vector<Kernel> all_kernels() {
    std::vector<Kernel> all;
    for (const auto *kernels :
         {&correlate_kernels(), &box_kernels(), &recursive_kernels(), &sat_kernels(),
          &rank_kernels(), &morphology_kernels(), &difference_kernels(), &derivative_kernels(),
          &edge_kernels(), &guided_kernels(), &local_kernels(), &ssimulacra2_kernels()})
        all.insert(all.end(), kernels->begin(), kernels->end());
    return all;
}

} // namespace gz
