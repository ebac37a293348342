#include "child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
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
    void redirect(int descriptor, const std::string &path) {
        check(posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(),
                                               O_WRONLY | O_CREAT | O_TRUNC, 0666),
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

// Words as execve takes them.
class Words {
public:
    explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
        for (std::string &word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }
    Words(const Words &) = delete;
    Words &operator=(const Words &) = delete;
    char *const *get() const { return pointers_.data(); }

private:
    std::vector<std::string> words_;
    std::vector<char *> pointers_;
};

std::vector<std::string> command_of(const std::filesystem::path &program,
                                    const std::vector<std::string> &arguments) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::string name_of(const std::string &assignment) {
    return assignment.substr(0, assignment.find('='));
}

// The environment of this process, with assignments in their places, and without names that stand alone.
std::vector<std::string> environment_with(const std::vector<std::string> &assignments) {
    std::map<std::string, std::string> variables; // whole assignments by names
    for (char **own = environ; *own; ++own)
        variables[name_of(*own)] = *own;
    for (const std::string &assignment : assignments)
        variables[name_of(assignment)] = assignment;
    std::vector<std::string> result;
    for (const auto &[name, assignment] : variables)
        if (assignment != name)
            result.push_back(assignment);
    return result;
}

std::string text_of_status(int status) {
    if (WIFSIGNALED(status))
        return "its process was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
               strsignal(WTERMSIG(status)) + ")";
    return "its process ended with code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments,
                           const ProcessOptions &options) {
    const Words words(command_of(program, arguments));
    const Words environment(environment_with(options.environment));
    const FileHandle out = temporary_file();
    const FileHandle err = temporary_file();
    FileActions actions;
    if (options.out.empty())
        actions.redirect(STDOUT_FILENO, out.get());
    else
        actions.redirect(STDOUT_FILENO, options.out);
    actions.redirect(STDERR_FILENO, err.get());
    pid_t child = 0;
    check(posix_spawn(&child, program.c_str(), actions.get(), nullptr, words.get(),
                      environment.get()),
          "cannot run " + shown(program));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        check(errno == EINTR ? 0 : errno, "cannot wait for " + shown(program));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out.get()), contents(err.get())};
}

struct Child::State {
    pid_t process = 0;
    int to = -1, from = -1;

    ~State() {
        close(to);
        close(from);
    }
};

Child::Child(const std::filesystem::path &program, const std::vector<std::string> &arguments,
             Conversation::Errors errors)
    : state_(std::make_unique<State>()) {
    const Words words(command_of(program, arguments));
    std::array<int, 2> in{}, out{};
    check(pipe2(in.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
    check(pipe2(out.data(), O_CLOEXEC) == 0 ? 0 : errno, "cannot make a pipe");
    FileActions actions;
    actions.redirect(STDIN_FILENO, in[0]);
    actions.redirect(STDOUT_FILENO, out[1]);
    if (errors == Conversation::Errors::dropped)
        actions.redirect(STDERR_FILENO, "/dev/null");
    const OwnGroup group;
    const int failed = posix_spawn(&state_->process, program.c_str(), actions.get(), group.get(),
                                   words.get(), environ);
    close(in[0]);
    close(out[1]);
    state_->to = in[1];
    state_->from = out[0];
    check(failed, "cannot run " + shown(program));
}

Child::~Child() = default;

void Child::write(const std::string &text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(state_->to, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        done += static_cast<std::size_t>(written);
    }
}

Child::Got Child::read(std::string &to, std::chrono::milliseconds longest) {
    pollfd ready{state_->from, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(longest.count())) <= 0)
        return Got::nothing;
    std::array<char, 4096> part;
    const ssize_t got = ::read(state_->from, part.data(), part.size());
    if (got < 0 && errno == EINTR)
        return Got::nothing;
    if (got <= 0)
        return Got::end;
    to.append(part.data(), static_cast<std::size_t>(got));
    return Got::bytes;
}

std::string Child::end(std::chrono::milliseconds longest) {
    int status = 0;
    pid_t ended = waitpid(state_->process, &status, WNOHANG);
    for (int i = 0; ended == 0 && i < longest.count(); ++i) {
        poll(nullptr, 0, 1);
        ended = waitpid(state_->process, &status, WNOHANG);
    }
    if (ended == 0) {
        // The rest of it must not go on in the background.
        kill(state_->process, SIGKILL);
        while (waitpid(state_->process, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return text_of_status(status);
}

} // namespace gauze::tool
