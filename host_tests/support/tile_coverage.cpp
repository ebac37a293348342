#include "support/tile_coverage.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace support {

namespace {

constexpr const char *classes[] = {"free on read and write", "free on read only",
                                   "free on write only", "checked on both"};

std::string named(const std::string &kind, const char *group_class) {
    return kind + ", " + group_class;
}

} // namespace

void TileCoverage::count_classes(const std::string &explained,
                                 const std::vector<std::string> &kinds) {
    for (const char *group_class : classes) {
        const std::size_t place = explained.find(group_class);
        gz::require(place != std::string::npos, "'", explained, "' does not count groups ",
                    group_class);
        const long groups =
            std::stol(explained.substr(place + std::string(group_class).size() + 1));
        for (const std::string &kind : kinds)
            ran_[named(kind, group_class)] += groups;
    }
}

void TileCoverage::count_groups(const gz::Work &work) {
    for (const gz::Launch &launch : work.launches)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            std::size_t &most = most_groups_[launch.program.entry][axis];
            most = std::max(most, launch.range.global[axis] / launch.range.local[axis]);
        }
}

std::string TileCoverage::missing_classes(const std::vector<std::string> &kinds) const {
    std::vector<std::string> all;
    for (const std::string &kind : kinds)
        for (const char *group_class : classes)
            all.push_back(named(kind, group_class));
    return missing(all);
}

std::string TileCoverage::missing(const std::vector<std::string> &kinds) const {
    std::string result;
    for (const std::string &kind : kinds) {
        const auto found = ran_.find(kind);
        if (found == ran_.end() || found->second == 0)
            result += (result.empty() ? "" : "; ") + kind;
    }
    return result;
}

std::string TileCoverage::missing_groups(const std::string &entry) const {
    const auto found = most_groups_.find(entry);
    if (found == most_groups_.end())
        return entry + " never ran";
    const auto [x, y] = found->second;
    return x < 3 || y < 3 ? gz::text(entry, " had at most ", x, "x", y, " groups") : "";
}

std::string TileCoverage::text() const {
    std::string result;
    for (const auto &[entry, most] : most_groups_)
        result += gz::text(result.empty() ? "" : "; ", entry, " up to ", most[0], "x", most[1],
                           " groups");
    for (const auto &[kind, count] : ran_)
        result += gz::text(result.empty() ? "" : "; ", kind, " ", count);
    return result;
}

} // namespace support
