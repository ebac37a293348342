#include "tune_search.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "arguments.hpp"

namespace gauze::tool {
namespace {

// Kernels that are slower by this factor have no configuration that wins.
constexpr double near = 1.5;

} // namespace

std::string kernel_of(const std::string &variant) {
    return variant.substr(0, variant.find(':'));
}

int differing_values(const std::string &a, const std::string &b) {
    if (kernel_of(a) != kernel_of(b))
        return -1;
    // Both name all tunables in one order.
    const std::vector<std::string_view> one = split(a, ',');
    const std::vector<std::string_view> other = split(b, ',');
    int count = 0;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
        count += one[i] == other[i] ? 0 : 1;
    return count;
}

TuneSearch::TuneSearch(std::vector<std::string> candidates, const std::string &known)
    : candidates_(std::move(candidates)), best_(candidates_.front()) {
    measured(best_, 1.0);
    if (known != best_ && std::ranges::find(candidates_, known) != candidates_.end())
        known_ = known;
}

void TuneSearch::measured(const std::string &candidate, double ratio) {
    done_.insert(candidate);
    ratios_[candidate] = ratio;
    if (ratio < ratios_.at(best_))
        best_ = candidate;
}

void TuneSearch::bad(const std::string &candidate) {
    done_.insert(candidate);
}

std::optional<std::string> TuneSearch::neighbour_of(const std::string &candidate) const {
    for (const std::string &other : candidates_)
        if (!done_.contains(other) && differing_values(candidate, other) == 1)
            return other;
    return std::nullopt;
}

std::optional<std::string> TuneSearch::next() {
    if (known_)
        return std::exchange(known_, std::nullopt);
    const bool neighbour_first = std::exchange(wants_neighbour_, !wants_neighbour_);
    if (neighbour_first)
        if (auto found = near_the_fastest())
            return found;
    if (auto found = other_kernel())
        return found;
    return near_the_fastest();
}

std::optional<std::string> TuneSearch::other_kernel() const {
    std::set<std::string> kernels;
    for (const std::string &candidate : candidates_)
        if (kernels.insert(kernel_of(candidate)).second && !done_.contains(candidate))
            return candidate;
    return std::nullopt;
}

std::optional<std::string> TuneSearch::near_the_fastest() const {
    // Returns the fastest candidate of each kernel, the fastest first.
    std::map<std::string, std::pair<double, std::string>> fastest;
    for (const auto &[candidate, ratio] : ratios_) {
        const auto [place, is_new] = fastest.try_emplace(kernel_of(candidate), ratio, candidate);
        if (!is_new && ratio < place->second.first)
            place->second = {ratio, candidate};
    }
    std::vector<std::pair<double, std::string>> from;
    for (const auto &[kernel, place] : fastest)
        from.push_back(place);
    std::ranges::sort(from);
    for (const auto &[ratio, candidate] : from)
        if (ratio <= near * best_ratio())
            if (auto neighbour = neighbour_of(candidate))
                return neighbour;
    return std::nullopt;
}

} // namespace gauze::tool
