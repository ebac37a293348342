// Runs another program to its end, or talks to it line by line.
#ifndef GAUZE_TOOLS_SUBPROCESS_HPP
#define GAUZE_TOOLS_SUBPROCESS_HPP

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gauze::tool {

struct ProcessOptions {
    // Assignments besides this process's, as "GAUZE_DEVICE=cpu", and names of variables that it shall not have.
    std::vector<std::string> environment;
    std::string out; // the file that its output goes to; "": to the outcome
};

struct ProcessOutcome {
    int code = -1; // -1: a signal ended it, or an exception
    std::string out, err;
};

// No shell is involved. Throws std::system_error where the program cannot be started.
ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments,
                           const ProcessOptions &options = {});

class Child;

// A program that reads lines and answers them. It is in a process group of its own, so that a signal from the
// terminal that ends ours does not end it, and its standard error goes nowhere, unless it is wanted.
class Conversation {
public:
    enum class Errors { dropped, shown };
    Conversation(const std::filesystem::path &program, const std::vector<std::string> &arguments,
                 Errors errors);
    ~Conversation(); // ends it
    Conversation(const Conversation &) = delete;
    Conversation &operator=(const Conversation &) = delete;

    // Does nothing where it has ended.
    void say(const std::string &line);

    enum class Heard { line, end, nothing };
    // Returns its next line that starts with the mark, without the mark: drivers print what they like.
    // `nothing`: no such line came within so many seconds, or a signal came for us.
    Heard hear(std::string &line, double seconds);
    static constexpr char mark = '@';

    // Returns how it ended, in words; ends it if it had not.
    std::string end();

private:
    std::unique_ptr<Child> child_; // none: it has ended
    bool is_ending_ = false;
    std::string heard_; // of a line that is not complete
};

} // namespace gauze::tool

#endif
