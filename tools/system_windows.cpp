#include "system.hpp"

#include <cerrno>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After the types of windows.h.
#include <shellapi.h>

#include "interrupt.hpp"
#include "wide.hpp"

namespace gauze::tool {

std::vector<std::string> begin_program(int argc, const char *const *argv) {
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stdin), _O_BINARY);
    // Those of main() have lost what the system's 8-bit code does not have.
    int count = 0;
    const std::unique_ptr<wchar_t *, HLOCAL (*)(HLOCAL)> words(
        CommandLineToArgvW(GetCommandLineW(), &count), LocalFree);
    if (!words)
        return {argv, argv + argc};
    std::vector<std::string> arguments;
    for (int i = 0; i < count; ++i)
        arguments.push_back(to_utf8(words.get()[i]));
    return arguments;
}

std::filesystem::path program_file() {
    std::wstring file(32768, L'\0'); // the longest path
    const DWORD size = GetModuleFileNameW(nullptr, file.data(), static_cast<DWORD>(file.size()));
    if (size == 0)
        throw std::system_error(static_cast<int>(GetLastError()), std::system_category());
    file.resize(size);
    return file;
}

void set_environment(const char *name, const std::string &value) {
    _wputenv_s(to_wide(name).c_str(), to_wide(value).c_str());
}

void unset_environment(const char *name) {
    _wputenv_s(to_wide(name).c_str(), L"");
}

std::FILE *open_file(const std::filesystem::path &path, const char *mode) {
    return _wfopen(path.c_str(), to_wide(mode).c_str());
}

std::FILE *make_file(const std::filesystem::path &path) {
    const HANDLE file =
        CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        errno = error == ERROR_FILE_EXISTS      ? EEXIST
                : error == ERROR_PATH_NOT_FOUND ? ENOENT
                : error == ERROR_DISK_FULL      ? ENOSPC
                                                : EACCES;
        return nullptr;
    }
    const int descriptor = _open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY);
    return _fdopen(descriptor, "wb");
}

void remove_at_once(const std::filesystem::path &path) {
    DeleteFileW(path.c_str());
}

namespace {

void (*last_act)() = nullptr;
bool catches_interrupts = false;
Interrupt interrupt;

// In a thread of its own. Returns whether the process goes on.
BOOL WINAPI on_console_event(DWORD event) {
    if (catches_interrupts && (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) &&
        !interrupt.note())
        return TRUE;
    if (last_act)
        last_act();
    return FALSE;
}

} // namespace

void before_ending(void (*handler)()) {
    last_act = handler;
    SetConsoleCtrlHandler(on_console_event, TRUE);
}

void catch_interrupts() {
    catches_interrupts = true;
    SetConsoleCtrlHandler(on_console_event, TRUE);
}

bool was_interrupted() {
    return interrupt.is_noted();
}

// Processes that others start are in a job of theirs: see subprocess_windows.cpp.
void end_with_parent() {}

bool is_terminal(std::FILE *file) {
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
    DWORD mode = 0;
    // Bars are drawn by control sequences, which old consoles print.
    return GetConsoleMode(handle, &mode) &&
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

std::size_t terminal_columns() {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info) || info.dwSize.X < 2)
        return 80;
    return static_cast<std::size_t>(info.dwSize.X);
}

} // namespace gauze::tool
