#include "subprocess.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

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

// Files and not pipes: nobody waits for anybody to read.
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
    const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

} // namespace

ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

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

} // namespace gauze::tool
