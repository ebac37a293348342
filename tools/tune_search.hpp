// The order in which the candidates of a problem are measured.
#ifndef GAUZE_TOOLS_TUNE_SEARCH_HPP
#define GAUZE_TOOLS_TUNE_SEARCH_HPP

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gauze::tool {

// Takes what is known to be fast first. Then in turn one configuration of another kernel, and one that differs
// from the fastest in one value, until none of these is faster; then does the same from the fastest
// configuration of each other kernel that comes near it. The whole space would take hours, and a short run
// must see something of both.
class TuneSearch {
public:
    // candidates: as a plan lists them, the default first, which is measured already. known: the one that a plan takes by
    // the results of before; "" or another text where there are none.
    explicit TuneSearch(std::vector<std::string> candidates, const std::string &known = "");

    // Returns the candidate to measure next; nothing at the end of the search.
    std::optional<std::string> next();

    // ratio: of a candidate's time to the default's.
    void measured(const std::string &candidate, double ratio);
    void bad(const std::string &candidate);

    const std::string &best() const { return best_; }
    double best_ratio() const { return ratios_.at(best_); }
    std::size_t measured_count() const { return done_.size(); }

private:
    std::optional<std::string> other_kernel() const;
    std::optional<std::string> near_the_fastest() const;
    std::optional<std::string> neighbour_of(const std::string &candidate) const;

    std::vector<std::string> candidates_;
    std::set<std::string> done_;
    std::map<std::string, double> ratios_;
    std::string best_;
    std::optional<std::string> known_{}; // to be measured first
    bool wants_neighbour_ = true;        // next
};

// Returns "correlate_tiled" for "correlate_tiled:GROUP_X=8".
std::string kernel_of(const std::string &variant);

// Returns how many values differ, or -1 where the kernels do.
int differing_values(const std::string &a, const std::string &b);

} // namespace gauze::tool

#endif
