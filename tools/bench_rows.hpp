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

    bool operator==(const BenchParam &) const = default;
};

// The input of a row: the image asked for, a line of samples, a volume, or several volumes along t.
enum class BenchInput { image, signal, volume, volumes };

struct BenchRow {
    std::string filter;
    std::vector<BenchParam> params; // the first, if any, is a number
    // Pixels further away, along any axis that it filters, add nothing visible to a result.
    int reach = 0;
    // The line of the plot that has the row's point, and the point's place; "": the row is in the table
    // alone.
    std::string line{};
    int radius = 0;
    BenchInput input = BenchInput::image;

    int value() const { return std::get<int>(params.front().value); }
    // Returns the text of a parameter, "" where there is none.
    std::string text(const std::string &name) const;
    int taps() const { return 2 * radius + 1; } // along each axis
    std::size_t targets() const;                // more than one for a bank
    // Whether make_row() makes it of its filter and its number.
    bool is_plain() const;
    // Whether another image of the source's type and size guides the filter.
    bool has_guide() const { return !text("guide").empty(); }
    std::size_t sources() const { return has_guide() ? 2 : 1; }
};

// The parameters of edge-aware rows that are the same for every size, by the range of the pixels' values.
constexpr double bilateral_sigma_space = 0.5; // times the radius
constexpr double bilateral_sigma_range = 0.3; // times the range
constexpr int nlm_patch = 7;
constexpr double nlm_strength = 0.4; // times the range

struct BenchFamily {
    std::string filter;
    std::vector<BenchRow> rows;
};

// Returns all rows; those of images come first.
const std::vector<BenchFamily> &bench_families();

// Returns the plain row of a filter for any number. Throws InputError where there is none.
BenchRow make_row(const std::string &filter, int value);

// Returns the rows of the filters named, each filter once and in the standard order; the rows of all filters
// where none is named. Throws InputError.
std::vector<BenchRow> rows_of(const std::vector<std::string> &filters);

// "radius 3", "sigma 5, method recursive"
std::string params_text(const BenchRow &row);

// "separable radius 3"
std::string text_of(const BenchRow &row);

} // namespace gauze::tool

#endif
