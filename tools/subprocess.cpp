#include "subprocess.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.hpp"

extern char **environ;

namespace gauze::tool {
namespace {

void check(int error, const std::string &what) {
    if (error != 0)
        throw std::system_error(error, std::generic_category(), what);
}

// Output goes to files, not pipes: no process waits for another to read.
FileHandle temporary_file() {
    FileHandle file(std::tmpfile());
    check(file ? 0 : errno, "cannot make a temporary file");
    return file;
}

std::string contents(std::FILE *file) {
    std::rewind(file);
    std::string text;
    std::array<char, 4096> part;
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file))
        text.append(part.data(), count);
    return text;
}

class FileActions {
public:
    FileActions() { check(posix_spawn_file_actions_init(&actions_), "posix_spawn"); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions &) = delete;
    FileActions &operator=(const FileActions &) = delete;

    void redirect(int descriptor, std::FILE *file) {
        check(posix_spawn_file_actions_adddup2(&actions_, fileno(file), descriptor), "posix_spawn");
    }
    void redirect(int descriptor, int to) {
        check(posix_spawn_file_actions_adddup2(&actions_, to, descriptor), "posix_spawn");
    }
    void drop(int descriptor) {
        check(posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", O_WRONLY, 0),
              "posix_spawn");
    }
    const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

class OwnGroup {
public:
    OwnGroup() {
        check(posix_spawnattr_init(&attributes_), "posix_spawn");
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    }
    ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }
    OwnGroup(const OwnGroup &) = delete;
    OwnGroup &operator=(const OwnGroup &) = delete;
    const posix_spawnattr_t *get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_;
};

// Returns the words as execve takes them, pointing into `words`.
std::vector<char *> argv_of(std::vector<std::string> &words) {
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    return argv;
}

std::string text_of_status(int status) {
    if (WIFSIGNALED(status))
        return "its process was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
               strsignal(WTERMSIG(status)) + ")";
    return "its process ended with code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<char *> argv = argv_of(words);

    const FileHandle out = temporary_file();
    const FileHandle err = temporary_file();
    FileActions actions;
    actions.redirect(STDOUT_FILENO, out.get());
    actions.redirect(STDERR_FILENO, err.get());
    pid_t child = 0;
    check(posix_spawn(&child, words.front().c_str(), actions.get(), nullptr, argv.data(), environ),
          "cannot run " + shown(program));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        check(errno == EINTR ? 0 : errno, "cannot wait for " + shown(program));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out.get()), contents(err.get())};
}

Conversation::Conversation(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments, Errors errors) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<char *> argv = argv_of(words);
    std::array<int, 2> in{}, out{};
    check(pipe2(in.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
    check(pipe2(out.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
    FileActions actions;
    actions.redirect(STDIN_FILENO, in[0]);
    actions.redirect(STDOUT_FILENO, out[1]);
    if (errors == Errors::dropped)
        actions.drop(STDERR_FILENO);
    const OwnGroup group;
    const int failed = posix_spawn(&child_, words.front().c_str(), actions.get(), group.get(),
                                   argv.data(), environ);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
    check(failed, "cannot run " + shown(program));
}

Conversation::~Conversation() {
    end();
    close(to_);
    close(from_);
}

void Conversation::say(const std::string &line) {
    const std::string text = line + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = write(to_, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; // hear() finds the end
        done += static_cast<std::size_t>(written);
    }
}

Conversation::Heard Conversation::hear(std::string &line, double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point last = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(seconds));
    for (;;) {
        for (std::size_t end = 0; (end = heard_.find('\n')) != std::string::npos;) {
            const std::string found = heard_.substr(0, end);
            heard_.erase(0, end + 1);
            if (!found.empty() && found.front() == mark) {
                line = found.substr(1);
                return Heard::line;
            }
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
        pollfd ready{from_, POLLIN, 0};
        if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0)
            return Heard::nothing;
        std::array<char, 4096> part;
        const ssize_t got = read(from_, part.data(), part.size());
        if (got < 0 && errno == EINTR)
            return Heard::nothing;
        if (got <= 0) {
            is_ending_ = true;
            return Heard::end;
        }
        heard_.append(part.data(), static_cast<std::size_t>(got));
    }
}

std::string Conversation::end() {
    if (child_ == 0)
        return "";
    int status = 0;
    // A program that closed its output is about to end.
    constexpr int most_waits = 500;
    pid_t ended = waitpid(child_, &status, WNOHANG);
    for (int i = 0; is_ending_ && ended == 0 && i < most_waits; ++i) {
        poll(nullptr, 0, 1);
        ended = waitpid(child_, &status, WNOHANG);
    }
    if (ended == 0) {
        // The rest of it must not go on in the background.
        kill(child_, SIGKILL);
        while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
    }
    child_ = 0;
    return text_of_status(status);
}

} // namespace gauze::tool
