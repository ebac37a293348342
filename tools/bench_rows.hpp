// The standard rows of `gauze bench`: the filters and sizes that devices, versions and other
// libraries are compared by. Knows nothing of the library, so that programs that measure other
// libraries share it.
#ifndef GAUZE_TOOLS_BENCH_ROWS_HPP
#define GAUZE_TOOLS_BENCH_ROWS_HPP

#include <string>
#include <variant>
#include <vector>

namespace gauze::tool {

struct BenchParam {
    std::string name; // "radius", "size", "sigma", "order", ...
    std::variant<int, std::string> value;
};

// What a row filters: the image asked for, a line of samples, a volume, or several volumes along t.
enum class BenchInput { image, signal, volume, volumes };

struct BenchRow {
    std::string filter;
    std::vector<BenchParam> params; // the first, if any, is a number
    // No pixel further away, along any axis that it filters, adds to a result what would show.
    int reach = 0;
    // The line of the plot that the row is a point of, and where; "": in the table alone.
    std::string line{};
    int radius = 0;
    BenchInput input = BenchInput::image;

    int value() const { return std::get<int>(params.front().value); }
    // The text of a parameter, "" without.
    std::string text(const std::string &name) const;
    int taps() const { return 2 * radius + 1; } // along each axis
    std::size_t targets() const;                // more than one of a bank
    // Whether the number alone makes the row.
    bool is_plain() const { return params.size() == 1 && !line.empty(); }
};

struct BenchFamily {
    std::string filter;
    std::vector<BenchRow> rows;
};

// Rows of images come first.
const std::vector<BenchFamily> &bench_families();

// The plain row of a filter for any number. Throws InputError where there is none such.
BenchRow make_row(const std::string &filter, int value);

// The rows of the filters named, each filter once and in the standard order; of all where none is
// named. Throws InputError.
std::vector<BenchRow> rows_of(const std::vector<std::string> &filters);

// "radius 3", "sigma 5, method recursive"
std::string params_text(const BenchRow &row);

// "separable radius 3"
std::string text_of(const BenchRow &row);

} // namespace gauze::tool

#endif
