// A process that this one started, and talks to: child_posix.cpp and child_windows.cpp.
#ifndef GAUZE_TOOLS_CHILD_HPP
#define GAUZE_TOOLS_CHILD_HPP

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "subprocess.hpp"

namespace gauze::tool {

class Child {
public:
    // Throws std::system_error.
    Child(const std::filesystem::path &program, const std::vector<std::string> &arguments,
          Conversation::Errors errors);
    ~Child();
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    // Does nothing where it has ended.
    void write(const std::string &text);

    enum class Got { bytes, end, nothing };
    // Appends what it has written. `nothing`: it wrote nothing for so long, or a signal came.
    Got read(std::string &to, std::chrono::milliseconds longest);

    // Returns how it ended, in words. Ends it where it has not ended after so long.
    std::string end(std::chrono::milliseconds longest);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace gauze::tool

#endif
