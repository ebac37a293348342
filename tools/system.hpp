// What the command asks of the operating system: system_posix.cpp and system_windows.cpp. Texts are UTF-8.
#ifndef GAUZE_TOOLS_SYSTEM_HPP
#define GAUZE_TOOLS_SYSTEM_HPP

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace gauze::tool {

// Takes what main() got. Returns the program's arguments, its own name first, and has standard output and error carry
// UTF-8 as it is written.
std::vector<std::string> begin_program(int argc, const char *const *argv);

// The running program's file. Throws std::system_error.
std::filesystem::path program_file();

void set_environment(const char *name, const std::string &value);
void unset_environment(const char *name);

// As std::fopen.
std::FILE *open_file(const std::filesystem::path &path, const char *mode);
// Makes a file for writing, which may be removed while it is open; nullptr, and errno, where there is one.
std::FILE *make_file(const std::filesystem::path &path);
// May be called by a signal's handler.
void remove_at_once(const std::filesystem::path &path);

// Has signals that would end the process, where nobody else catches or ignores them, call the handler first.
void before_ending(void (*handler)());

// Has the process go on when somebody interrupts or ends it, and calls that wait return. A second time, two seconds later or more,
// ends it.
void catch_interrupts();
// Returns whether somebody has asked since.
bool was_interrupted();

// Has this process end when the one that started it does.
void end_with_parent();

bool is_terminal(std::FILE *file);
// Columns of the terminal at standard error; 80 where it does not say.
std::size_t terminal_columns();

} // namespace gauze::tool

#endif
