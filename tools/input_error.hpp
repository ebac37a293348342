// The error for bad usage or bad input, which ends the command with exit code 2. The text is one line that
// names what was wrong.
#ifndef GAUZE_TOOLS_INPUT_ERROR_HPP
#define GAUZE_TOOLS_INPUT_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>

namespace gauze::tool {

class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Returns a text in quotes, as messages show it.
inline std::string in_quotes(std::string_view text) {
    std::string quoted("'");
    quoted += text;
    quoted += '\'';
    return quoted;
}

} // namespace gauze::tool

#endif
