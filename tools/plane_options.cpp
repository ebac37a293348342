#include "plane_options.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

const std::string plane_option = "--taps-plane";

// Every value is checked before a filter is made of any.
std::map<std::int64_t, std::string_view> parse_planes(const PlaneOptions &planes, int channels) {
    std::map<std::int64_t, std::string_view> texts;
    for (const std::string_view plane : planes) {
        const std::size_t colon = plane.find(':');
        if (colon == std::string_view::npos)
            throw InputError(plane_option + ": " + in_quotes(plane) +
                             " is not N:..., with a channel N");
        const std::int64_t component = parse_integer(plane_option, plane.substr(0, colon));
        if (component < 0 || component >= channels)
            throw InputError(plane_option + ": " + in_quotes(plane) + " is for channel " +
                             std::to_string(component) + "; the last one of the image is " +
                             std::to_string(channels - 1));
        if (!texts.emplace(component, plane.substr(colon + 1)).second)
            throw InputError(plane_option + ": " + in_quotes(plane) +
                             " is the second for channel " + std::to_string(component));
    }
    return texts;
}

} // namespace

void add_plane_option(CLI::App &app, PlaneOptions &planes, const std::string &form,
                      const std::string &text) {
    app.add_option(plane_option, planes,
                   "For channel N, counted from 0, " + text + "; once for each such channel")
        ->type_name("N:" + form)
        ->allow_extra_args(false); // one value each time: what follows may be IN
}

Filter with_planes(Filter base, const PlaneOptions &planes, int channels,
                   const MakePlaneFilter &make) {
    for (const auto &[component, text] : parse_planes(planes, channels))
        base = base.with_component(static_cast<std::uint32_t>(component),
                                   make(plane_option + " " + std::to_string(component), text));
    return base;
}

} // namespace gauze::tool
