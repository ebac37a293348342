#include "taps_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "file.hpp"
#include "input_error.hpp"
#include "npy.hpp"

namespace gauze::tool {
namespace {

Taps taps_from_file(const std::string &path) {
    const NpyArray array = read_npy(path);
    Taps taps;
    if (array.shape.size() > taps.size.size())
        throw InputError("--taps " + in_quotes(path) + " has " +
                         std::to_string(array.shape.size()) + " axes; there can be 1 to " +
                         std::to_string(taps.size.size()));
    std::copy(array.shape.rbegin(), array.shape.rend(), taps.size.begin());
    taps.values = to_doubles(array);
    if (!std::ranges::all_of(taps.values, [](double value) { return std::isfinite(value); }))
        throw InputError("--taps " + in_quotes(path) + " holds a value that is not finite");
    return taps;
}

Taps taps_from_text(const std::string &text) {
    Taps taps;
    std::size_t width = 0;
    const std::vector<std::string_view> rows = split(text, ';');
    for (const std::string_view row : rows) {
        const std::vector<double> values = parse_numbers("--taps", row);
        if (taps.values.empty())
            width = values.size();
        else if (values.size() != width)
            throw InputError("--taps: the row " + in_quotes(row) + " has " +
                             std::to_string(values.size()) + " values, the first has " +
                             std::to_string(width));
        taps.values.insert(taps.values.end(), values.begin(), values.end());
    }
    taps.size[0] = static_cast<std::int64_t>(width);
    taps.size[1] = static_cast<std::int64_t>(rows.size());
    return taps;
}

void set_anchor(Taps &taps, const std::string &text) {
    const std::vector<std::int64_t> anchor = parse_integers("--anchor", text);
    if (anchor.size() > taps.anchor.size())
        throw InputError("--anchor: " + in_quotes(text) + " has more than " +
                         std::to_string(taps.anchor.size()) + " numbers");
    taps.has_anchor = true;
    for (std::size_t axis = 0; axis < taps.anchor.size(); ++axis) {
        taps.anchor[axis] = axis < anchor.size() ? anchor[axis] : taps.size[axis] / 2;
        if (taps.anchor[axis] < 0 || taps.anchor[axis] >= taps.size[axis])
            throw InputError("--anchor: " + std::to_string(taps.anchor[axis]) + " on axis " +
                             "xyzt"[axis] + " is outside the taps, which have " +
                             std::to_string(taps.size[axis]) + " there");
    }
}

void normalize(Taps &taps) {
    double sum = 0;
    double magnitude = 0;
    for (const double value : taps.values) {
        sum += value;
        magnitude += std::abs(value);
    }
    if (!std::isfinite(magnitude))
        throw InputError("--normalize: the sum of the taps is too large");
    // 0.1 + 0.2 - 0.3 is not quite zero: what is left of such a sum says nothing.
    if (!(std::abs(sum) > std::numeric_limits<double>::epsilon() * magnitude))
        throw InputError("--normalize: the sum of the taps is zero");
    for (double &value : taps.values)
        value /= sum;
}

} // namespace

void add_taps_options(CLI::App &app, TapsOptions &options) {
    app.add_option("--taps", options.taps,
                   "Taps: \"1,2,1;2,4,2;1,2,1\", or a .npy file of 1 to 4 axes")
        ->type_name("LIST|FILE.npy")
        ->required();
    app.add_option("--anchor", options.anchor,
                   "Tap that lies on the pixel (default: size/2, rounded down)")
        ->type_name("x,y[,z[,t]]");
    app.add_flag("--normalize", options.normalize, "Divide the taps by their sum");
}

Taps make_taps(const TapsOptions &options) {
    Taps taps = has_extension(options.taps, ".npy") ? taps_from_file(options.taps)
                                                    : taps_from_text(options.taps);
    if (options.anchor)
        set_anchor(taps, *options.anchor);
    if (options.normalize)
        normalize(taps);
    return taps;
}

} // namespace gauze::tool
