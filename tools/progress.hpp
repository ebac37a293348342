// A progress bar for long commands, on stderr and only where stderr is a terminal. Nothing is
// printed otherwise. One thread.
#ifndef GAUZE_TOOLS_PROGRESS_HPP
#define GAUZE_TOOLS_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "system.hpp"

namespace gauze::tool {

// "1:05", or "2:03:04" from an hour on.
inline std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::clamp(seconds, 0.0, 359999.0) + 0.5);
    char text[32];
    if (whole < 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                      whole % 60);
    return text;
}

// One line of at most `columns` characters. fraction: 0 to 1. elapsed: seconds so far, from which
// the rest is estimated.
inline std::string progress_line(const std::string &what, double fraction, double elapsed,
                                 std::size_t columns) {
    constexpr std::size_t cells = 24;
    const double done = std::clamp(fraction, 0.0, 1.0);
    std::string bar(static_cast<std::size_t>(done * cells), '#');
    bar.resize(cells, '.');
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f%%", 100 * done);
    std::string line = "[" + bar + "] " + percent;
    // The first few percent say little about the rest.
    if (done >= 0.02)
        line += ", " + clock_text(elapsed * (1 - done) / done) + " left";
    line += "  " + what;
    return line.substr(0, columns);
}

class Progress {
public:
    // total: the work, in any unit.
    explicit Progress(double total) : total_(total), shown_(is_terminal(stderr)) {}
    ~Progress() { clear(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    // Begins a piece of the work; the one before is done.
    void begin(std::string what, double work) {
        done_ += current_;
        current_ = work;
        what_ = std::move(what);
        draw();
    }

    // Reports how much of the work is done.
    void reach(std::string what, double done) {
        done_ = done;
        current_ = 0;
        what_ = std::move(what);
        draw();
    }

    // Takes the bar off the terminal: before anything else is printed, and at the end.
    void clear() const {
        if (shown_)
            std::fputs("\r\033[K", stderr);
    }

private:
    void draw() const {
        if (!shown_)
            return;
        const double elapsed =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        // A line that fills the last column would wrap.
        const std::string line =
            progress_line(what_, total_ > 0 ? done_ / total_ : 0, elapsed, terminal_columns() - 1);
        std::fprintf(stderr, "\r%s\033[K", line.c_str());
        std::fflush(stderr);
    }

    double total_, done_ = 0, current_ = 0;
    std::string what_;
    bool shown_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace gauze::tool

#endif
