// The standard rows of `gauze bench`: the filters and sizes that devices, versions and other
// libraries are compared by. Knows nothing of the library, so that programs that measure other
// libraries share it.
#ifndef GAUZE_TOOLS_BENCH_ROWS_HPP
#define GAUZE_TOOLS_BENCH_ROWS_HPP

#include <string>
#include <vector>

namespace gauze::tool {

// The rows of one filter differ in one number.
struct BenchFamily {
    std::string filter;
    std::string parameter; // what the number is: "radius", "size" or "sigma"
    std::vector<int> values;
    int (*reach)(int value);
};

struct BenchRow {
    std::string filter;
    std::string parameter;
    int value = 0;
    // A result depends on pixels at most so far away, along x and along y.
    int reach = 0;

    int taps() const { return 2 * reach + 1; } // along each axis
};

const std::vector<BenchFamily> &bench_families();

// Throws InputError where there is no such family.
BenchRow make_row(const std::string &filter, int value);

// The rows of the filters named, each filter once and in the standard order; of all where none is
// named. Throws InputError.
std::vector<BenchRow> rows_of(const std::vector<std::string> &filters);

// "separable radius 3"
std::string text_of(const BenchRow &row);

} // namespace gauze::tool

#endif
