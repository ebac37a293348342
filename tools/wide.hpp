// Windows' UTF-16, from UTF-8 and back.
#ifndef GAUZE_TOOLS_WIDE_HPP
#define GAUZE_TOOLS_WIDE_HPP

#include <filesystem>
#include <string>

namespace gauze::tool {

inline std::wstring to_wide(const std::string &text) {
    return std::filesystem::path(std::u8string(text.begin(), text.end())).wstring();
}

inline std::string to_utf8(const std::wstring &wide) {
    const std::u8string text = std::filesystem::path(wide).u8string();
    return {text.begin(), text.end()};
}

} // namespace gauze::tool

#endif
