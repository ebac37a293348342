// The library's engine for the command: its device from --device, its log on stderr.
#ifndef GAUZE_TOOLS_ENGINE_HPP
#define GAUZE_TOOLS_ENGINE_HPP

#include <optional>
#include <string>

#include <gauze/gauze.hpp>

namespace gauze::tool {

// Returns the environment variable GAUZE_LOG, nothing where it is not set. Throws InputError where it is no
// level.
std::optional<gauze_log_level> log_level();

// device: a selector, or "" for the library's choice.
gauze::Engine make_engine(const std::string &device);

} // namespace gauze::tool

#endif
