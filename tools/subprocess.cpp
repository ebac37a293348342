#include "subprocess.hpp"

#include <chrono>

#include "child.hpp"

namespace gauze::tool {

Conversation::Conversation(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments, Errors errors)
    : child_(std::make_unique<Child>(program, arguments, errors)) {}

Conversation::~Conversation() {
    end();
}

void Conversation::say(const std::string &line) {
    if (child_)
        child_->write(line + "\n"); // hear() finds the end
}

Conversation::Heard Conversation::hear(std::string &line, double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point last = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(seconds));
    while (child_) {
        for (std::size_t end = 0; (end = heard_.find('\n')) != std::string::npos;) {
            const std::string found = heard_.substr(0, end);
            heard_.erase(0, end + 1);
            if (!found.empty() && found.front() == mark) {
                line = found.substr(1);
                return Heard::line;
            }
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now());
        if (left.count() <= 0)
            return Heard::nothing;
        switch (child_->read(heard_, left)) {
        case Child::Got::bytes:
            break;
        case Child::Got::nothing:
            return Heard::nothing;
        case Child::Got::end:
            is_ending_ = true;
            return Heard::end;
        }
    }
    return Heard::end;
}

std::string Conversation::end() {
    if (!child_)
        return "";
    // A program that closed its output is about to end.
    const std::string how = child_->end(std::chrono::milliseconds(is_ending_ ? 500 : 0));
    child_.reset();
    return how;
}

} // namespace gauze::tool
