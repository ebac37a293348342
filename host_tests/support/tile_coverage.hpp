// Counts what runs of a kernel covered: the classes of groups that ran, of each kind, and how many groups lay
// side by side. A kernel does nearly all of its work on a real image in groups that small images do not have:
// those in the middle, and those after the first round of a loop.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "device/launch.hpp"

namespace support {

class TileCoverage {
public:
    // Counts the groups of each class that explain() tells of. kinds: what else tells these groups apart,
    // such as how their first read is aligned; they are counted for each.
    void count_classes(const std::string &explained, const std::vector<std::string> &kinds);
    // Counts groups that ran without classes.
    void count(const std::string &kind) { ++ran_[kind]; }
    // Counts the groups of each launch, in a row of them and in a column.
    void count_groups(const gz::Work &work);

    // Returns what never ran of each class of groups of each of the kinds; "" for nothing.
    std::string missing_classes(const std::vector<std::string> &kinds) const;
    // Returns what never ran of the kinds that have no classes; "" for nothing.
    std::string missing(const std::vector<std::string> &kinds) const;
    // Returns a complaint where a launch of the entry point never had three groups in a row, or in a column;
    // else "".
    std::string missing_groups(const std::string &entry) const;

    std::string text() const; // what ran, for a test's log

private:
    std::map<std::string, long> ran_;
    std::map<std::string, std::array<std::size_t, 2>> most_groups_;
};

} // namespace support
