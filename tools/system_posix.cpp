#include "system.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "interrupt.hpp"

namespace gauze::tool {

std::vector<std::string> begin_program(int argc, const char *const *argv) {
    return {argv, argv + argc};
}

std::filesystem::path program_file() {
    return std::filesystem::read_symlink("/proc/self/exe");
}

void set_environment(const char *name, const std::string &value) {
    setenv(name, value.c_str(), 1);
}

void unset_environment(const char *name) {
    unsetenv(name);
}

std::FILE *open_file(const std::filesystem::path &path, const char *mode) {
    return std::fopen(path.c_str(), mode);
}

std::FILE *make_file(const std::filesystem::path &path) {
    return std::fopen(path.c_str(), "wbx");
}

void remove_at_once(const std::filesystem::path &path) {
    unlink(path.c_str());
}

namespace {

void (*last_act)() = nullptr;
Interrupt interrupt;

extern "C" void act_and_end(int signal) {
    if (last_act)
        last_act();
    // The signal comes again when this returns, and ends the process as if nobody had caught it.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void note_interrupt(int signal) {
    if (interrupt.note())
        act_and_end(signal);
}

} // namespace

void before_ending(void (*handler)()) {
    last_act = handler;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction now {};
        if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        struct sigaction action {};
        action.sa_handler = act_and_end;
        sigaction(signal, &action, nullptr);
    }
}

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = note_interrupt; // without SA_RESTART: waiting calls must return
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A program that does not read any more is found by its silence.
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
}

bool was_interrupted() {
    return interrupt.is_noted();
}

void end_with_parent() {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

bool is_terminal(std::FILE *file) {
    return isatty(fileno(file)) == 1;
}

std::size_t terminal_columns() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 80;
    return size.ws_col;
}

} // namespace gauze::tool
