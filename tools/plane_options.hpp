// --taps-plane: another filter for one component of the image, which in a file is a channel.
#ifndef GAUZE_TOOLS_PLANE_OPTIONS_HPP
#define GAUZE_TOOLS_PLANE_OPTIONS_HPP

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The values of --taps-plane, as written: "N:" and the value that the filter's own main option would take.
using PlaneOptions = std::vector<std::string>;

// form, text: the value after the colon, as the help shows and explains it.
void add_plane_option(CLI::App &app, PlaneOptions &planes, const std::string &form,
                      const std::string &text);

// Makes a filter from the text after the colon. option: for messages.
using MakePlaneFilter =
    std::function<gauze::Filter(const std::string &option, std::string_view text)>;

// Returns `base`, but with other filters for the components that `planes` name. Throws InputError.
gauze::Filter with_planes(gauze::Filter base, const PlaneOptions &planes, int channels,
                          const MakePlaneFilter &make);

} // namespace gauze::tool

#endif
