#include "bench_rows.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "input_error.hpp"

namespace gauze::tool {
namespace {

// Named in the documentation of the command, and to come.
constexpr std::array<std::string_view, 4> later_filters{"sat", "bspline", "recursive", "dog"};

const BenchFamily *find_family(const std::string &filter) {
    const auto &families = bench_families();
    const auto found = std::ranges::find(families, filter, &BenchFamily::filter);
    return found == families.end() ? nullptr : &*found;
}

const BenchFamily &family_of(const std::string &filter) {
    if (const BenchFamily *family = find_family(filter))
        return *family;
    if (std::ranges::find(later_filters, filter) != later_filters.end())
        throw InputError("bench: " + in_quotes(filter) + " is not in this version");
    std::string names;
    for (const BenchFamily &family : bench_families())
        names += (names.empty() ? "" : ", ") + family.filter;
    throw InputError("bench: there are no rows of " + in_quotes(filter) + ", only of " + names);
}

BenchRow row_of(const BenchFamily &family, int value) {
    return {family.filter, family.parameter, value, family.reach(value)};
}

} // namespace

const std::vector<BenchFamily> &bench_families() {
    static const std::vector<BenchFamily> families{
        {"separable", "radius", {1, 2, 3, 5, 7, 10, 15, 31}, [](int radius) { return radius; }},
        {"correlate", "size", {3, 5, 7, 11, 15}, [](int size) { return size / 2; }},
        // Where sampled taps are cut off: at int(4 sigma + 0.5).
        {"gaussian", "sigma", {1, 5, 30, 200}, [](int sigma) { return 4 * sigma; }},
        {"box", "radius", {1, 5, 15, 50}, [](int radius) { return radius; }},
    };
    return families;
}

BenchRow make_row(const std::string &filter, int value) {
    return row_of(family_of(filter), value);
}

std::vector<BenchRow> rows_of(const std::vector<std::string> &filters) {
    for (const std::string &filter : filters)
        family_of(filter); // refuses what there is not
    std::vector<BenchRow> rows;
    for (const BenchFamily &family : bench_families())
        if (filters.empty() || std::ranges::find(filters, family.filter) != filters.end())
            for (const int value : family.values)
                rows.push_back(row_of(family, value));
    return rows;
}

std::string text_of(const BenchRow &row) {
    return row.filter + " " + row.parameter + " " + std::to_string(row.value);
}

} // namespace gauze::tool
