#include "bench_rows.hpp"

#include <algorithm>
#include <optional>

#include "input_error.hpp"

namespace gauze::tool {
namespace {

std::optional<BenchRow> plain_row(const std::string &filter, int value) {
    if (filter == "separable" || filter == "box" || filter == "erode") // erode: by a disk
        return BenchRow{filter, {{"radius", value}}, value, filter, value};
    if (filter == "correlate" || filter == "median" || filter == "maximum")
        return BenchRow{filter, {{"size", value}}, value / 2, filter, value / 2};
    // Sampled taps are cut off at int(4 sigma + 0.5). Exponentials go on for longer.
    if (filter == "gaussian")
        return BenchRow{filter, {{"sigma", value}}, 8 * value, filter, 4 * value};
    if (filter == "bilateral")
        return BenchRow{filter, {{"radius", value}}, value, filter, value};
    // Patches reach beyond the window.
    if (filter == "nlm")
        return BenchRow{filter,
                        {{"size", value}, {"patch", nlm_patch}},
                        value / 2 + nlm_patch / 2,
                        "",
                        value / 2};
    return std::nullopt;
}

BenchFamily plain_family(const std::string &filter, const std::vector<int> &values) {
    BenchFamily family{filter, {}};
    for (const int value : values)
        family.rows.push_back(*plain_row(filter, value));
    return family;
}

BenchFamily gaussian_family() {
    BenchFamily family = plain_family("gaussian", {1, 5, 30, 200});
    for (std::size_t i = 0; i < 4; ++i) {
        BenchRow row = family.rows[i];
        row.params.push_back({"method", "recursive"});
        row.line = "gaussian, recursive";
        family.rows.push_back(std::move(row));
    }
    return family;
}

BenchFamily box_family() {
    BenchFamily family = plain_family("box", {1, 5, 15, 50, 150});
    for (const int radius : {5, 50})
        family.rows.push_back(
            {"box", {{"radius", radius}, {"iterations", 3}}, 3 * radius, "box, 3 times", radius});
    return family;
}

BenchFamily dog_family() {
    BenchFamily family{"dog", {}};
    for (const char *method : {"recursive", "box"})
        family.rows.push_back({"dog", {{"sigma", 5}, {"sigma2", 8}, {"method", method}}, 8 * 8});
    return family;
}

// Differences of pixels, of Sobel's kind but for second ones, and a Laplacian of a Gaussian.
BenchFamily derivative_family() {
    BenchFamily family{"derivative", {}};
    for (const char *result : {"sobel", "magnitude", "orientation", "laplace"})
        family.rows.push_back({"derivative", {{"size", 3}, {"result", result}}, 1});
    family.rows.push_back({"derivative", {{"size", 3}, {"result", "gradient"}, {"bank", 2}}, 1});
    family.rows.push_back({"derivative", {{"size", 3}, {"result", "hessian"}, {"bank", 3}}, 1});
    family.rows.push_back({"derivative", {{"sigma", 2}, {"result", "log"}}, 8 * 2});
    // Derivatives of Gaussians, and Gaussians of their products.
    family.rows.push_back(
        {"derivative", {{"sigma", 2}, {"result", "structure"}, {"bank", 3}}, 2 * 8 * 2});
    return family;
}

BenchFamily local_family() {
    BenchFamily family{"local", {}};
    for (const char *result : {"unsharp", "deviation"})
        family.rows.push_back({"local", {{"sigma", 2}, {"result", result}}, 8 * 2});
    family.rows.push_back({"local", {{"radius", 7}, {"result", "deviation"}}, 7});
    return family;
}

// Images that guide themselves, and one that another image guides. Results are means of means.
BenchFamily guided_family() {
    BenchFamily family{"guided", {}};
    for (const int radius : {8, 30})
        family.rows.push_back({"guided", {{"radius", radius}}, 2 * radius});
    family.rows.push_back({"guided", {{"radius", 8}, {"guide", "image"}}, 2 * 8});
    return family;
}

BenchFamily recursive_family() {
    constexpr int reach = 256; // for poles of up to 0.9
    BenchFamily family{"recursive", {}};
    for (const int order : {1, 3})
        family.rows.push_back({"recursive", {{"order", order}, {"scans", "+x -x +y -y"}}, reach});
    const auto add_signal = [&](const char *name, int value) {
        family.rows.push_back(
            {"recursive", {{name, value}, {"scans", "+x"}}, reach, "", 0, BenchInput::signal});
    };
    for (const int order : {1, 2, 3, 5, 10, 20})
        add_signal("order", order);
    for (const int sections : {1, 6, 15})
        add_signal("sections", sections);
    return family;
}

BenchFamily volume_family() {
    BenchFamily family{"volume", {}};
    const auto add = [&](std::vector<BenchParam> params, int reach, BenchInput input) {
        family.rows.push_back({"volume", std::move(params), reach, "", 0, input});
    };
    for (const int size : {3, 5, 7})
        add({{"cube", size}}, size / 2, BenchInput::volume);
    add({{"cube", 3}, {"axes", 4}}, 1, BenchInput::volumes);
    add({{"separable", 5}}, 2, BenchInput::volume);
    add({{"cube", 5}, {"bank", 8}}, 2, BenchInput::volume);
    return family;
}

const BenchFamily &family_of(const std::string &filter) {
    const auto &families = bench_families();
    const auto found = std::ranges::find(families, filter, &BenchFamily::filter);
    if (found != families.end())
        return *found;
    std::string names;
    for (const BenchFamily &family : families)
        names += (names.empty() ? "" : ", ") + family.filter;
    throw InputError("bench: there are no rows of " + in_quotes(filter) + ", only of " + names);
}

std::string text_of(const BenchParam &param) {
    const int *const number = std::get_if<int>(&param.value);
    return number ? std::to_string(*number) : std::get<std::string>(param.value);
}

} // namespace

std::string BenchRow::text(const std::string &name) const {
    const auto found = std::ranges::find(params, name, &BenchParam::name);
    return found == params.end() ? "" : text_of(*found);
}

bool BenchRow::is_plain() const {
    if (params.empty())
        return false;
    const std::optional<BenchRow> plain = plain_row(filter, value());
    return plain && plain->params == params;
}

std::size_t BenchRow::targets() const {
    const std::string count = text("bank");
    return count.empty() ? 1 : std::stoul(count);
}

const std::vector<BenchFamily> &bench_families() {
    // A summed-area table depends on all pixels above and to the left.
    constexpr int everything = 1 << 30;
    static const std::vector<BenchFamily> families{
        plain_family("separable", {1, 2, 3, 5, 7, 10, 15, 31}),
        plain_family("correlate", {3, 5, 7, 11, 15}),
        gaussian_family(),
        box_family(),
        dog_family(),
        {"sat", {{"sat", {}, everything}}},
        plain_family("median", {3, 5, 7, 11, 15, 25}),
        plain_family("maximum", {3, 7, 15, 31, 51, 101}),
        plain_family("erode", {1, 3, 7, 15}),
        derivative_family(),
        local_family(),
        plain_family("bilateral", {2, 4, 7}),
        guided_family(),
        plain_family("nlm", {21}),
        {"bspline", {{"bspline", {{"order", 3}}, 32}}},
        recursive_family(),
        volume_family(),
    };
    return families;
}

BenchRow make_row(const std::string &filter, int value) {
    family_of(filter); // refuses unknown names
    if (auto row = plain_row(filter, value))
        return *std::move(row);
    throw InputError("bench: one number does not make a row of " + in_quotes(filter));
}

std::vector<BenchRow> rows_of(const std::vector<std::string> &filters) {
    for (const std::string &filter : filters)
        family_of(filter);
    std::vector<BenchRow> rows;
    for (const BenchFamily &family : bench_families())
        if (filters.empty() || std::ranges::find(filters, family.filter) != filters.end())
            rows.insert(rows.end(), family.rows.begin(), family.rows.end());
    return rows;
}

std::string params_text(const BenchRow &row) {
    std::string result;
    for (const BenchParam &param : row.params)
        result += (result.empty() ? "" : ", ") + param.name + " " + text_of(param);
    return result;
}

std::string text_of(const BenchRow &row) {
    return row.filter + (row.params.empty() ? "" : " ") + params_text(row);
}

} // namespace gauze::tool
