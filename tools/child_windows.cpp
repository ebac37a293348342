#include "child.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cwchar>
#include <map>
#include <system_error>
#include <utility>

#include <windows.h>

#include "file.hpp"
#include "wide.hpp"

namespace gauze::tool {
namespace {

void check(bool holds, const std::string &what) {
    if (!holds)
        throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), what);
}

class Handle {
public:
    Handle() = default;
    explicit Handle(HANDLE value) : value_(value) {}
    ~Handle() { close(); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    HANDLE get() const { return value_; }
    HANDLE *out() { return &value_; }
    void close() {
        if (value_ && value_ != INVALID_HANDLE_VALUE)
            CloseHandle(value_);
        value_ = nullptr;
    }

private:
    HANDLE value_ = nullptr;
};

// Children get these handles.
SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};

// Returns a word as the C library's parser of command lines takes it: backslashes count double before a quote.
std::wstring quoted(const std::wstring &word) {
    std::wstring result = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t c : word) {
        if (c == L'"')
            result.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        result += c;
    }
    return result.append(backslashes, L'\\') + L"\"";
}

std::wstring command_line(const std::filesystem::path &program,
                          const std::vector<std::string> &arguments) {
    std::wstring line = quoted(program.wstring());
    for (const std::string &argument : arguments)
        line += L" " + quoted(to_wide(argument));
    return line;
}

// The environment of this process, with assignments in their places, and without names that stand alone, in the
// system's order.
std::wstring environment_with(const std::vector<std::string> &assignments) {
    struct Before {
        bool operator()(const std::wstring &a, const std::wstring &b) const {
            return CompareStringOrdinal(a.c_str(), -1, b.c_str(), -1, TRUE) == CSTR_LESS_THAN;
        }
    };
    std::map<std::wstring, std::wstring, Before> variables; // whole assignments by names
    const auto add = [&](const std::wstring &assignment) {
        // Names of drives begin with "=".
        variables[assignment.substr(0, assignment.find(L'=', 1))] = assignment;
    };
    wchar_t *const own = GetEnvironmentStringsW();
    for (const wchar_t *at = own; at && *at; at += std::wcslen(at) + 1)
        add(at);
    FreeEnvironmentStringsW(own);
    for (const std::string &assignment : assignments)
        add(to_wide(assignment));
    std::wstring block;
    for (const auto &[name, assignment] : variables)
        if (assignment != name)
            block += assignment + L'\0';
    return block + L'\0';
}

// A file that is gone when it is closed.
HANDLE temporary_file() {
    std::array<wchar_t, MAX_PATH + 1> directory{};
    std::array<wchar_t, MAX_PATH + 1> name{};
    check(GetTempPathW(MAX_PATH, directory.data()) != 0 &&
              GetTempFileNameW(directory.data(), L"gz", 0, name.data()) != 0,
          "cannot make a temporary file");
    const HANDLE file =
        CreateFileW(name.data(), GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherited,
                    CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    check(file != INVALID_HANDLE_VALUE, "cannot make a temporary file");
    return file;
}

HANDLE file_to_write(const std::wstring &path) {
    const HANDLE file = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    check(file != INVALID_HANDLE_VALUE, "cannot write " + to_utf8(path));
    return file;
}

std::string contents(HANDLE file) {
    SetFilePointer(file, 0, nullptr, FILE_BEGIN);
    std::string text;
    std::array<char, 4096> part;
    DWORD got = 0;
    while (ReadFile(file, part.data(), static_cast<DWORD>(part.size()), &got, nullptr) && got > 0)
        text.append(part.data(), got);
    return text;
}

struct Streams {
    HANDLE in, out, err;
};

// Returns the process.
HANDLE start(const std::filesystem::path &program, const std::vector<std::string> &arguments,
             const std::vector<std::string> &environment, const Streams &streams, DWORD flags) {
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = streams.in;
    startup.hStdOutput = streams.out;
    startup.hStdError = streams.err;
    std::wstring line = command_line(program, arguments);
    std::wstring block = environment_with(environment);
    PROCESS_INFORMATION started{};
    check(CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                         flags | CREATE_UNICODE_ENVIRONMENT, block.data(), nullptr, &startup,
                         &started),
          "cannot run " + shown(program));
    CloseHandle(started.hThread);
    return started.hProcess;
}

// There are no signals: a process that an exception ends has the exception's code, as 0xC0000005.
bool is_crash(DWORD code) {
    return (code & 0xC0000000U) == 0xC0000000U;
}

std::string text_of_code(DWORD code) {
    if (!is_crash(code))
        return "its process ended with code " + std::to_string(code);
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%08lX", static_cast<unsigned long>(code));
    return std::string("its process was ended by exception ") + digits.data();
}

} // namespace

ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments,
                           const ProcessOptions &options) {
    const Handle out(options.out.empty() ? temporary_file() : file_to_write(to_wide(options.out)));
    const Handle err(temporary_file());
    const Handle process(start(program, arguments, options.environment,
                               {GetStdHandle(STD_INPUT_HANDLE), out.get(), err.get()}, 0));
    DWORD code = 0;
    check(WaitForSingleObject(process.get(), INFINITE) == WAIT_OBJECT_0 &&
              GetExitCodeProcess(process.get(), &code),
          "cannot wait for " + shown(program));
    return {is_crash(code) ? -1 : static_cast<int>(code),
            options.out.empty() ? contents(out.get()) : "", contents(err.get())};
}

struct Child::State {
    // A job ends its processes when its last handle is closed, also where this process is ended.
    Handle job, process, to, from;
};

Child::Child(const std::filesystem::path &program, const std::vector<std::string> &arguments,
             Conversation::Errors errors)
    : state_(std::make_unique<State>()) {
    Handle in;
    Handle out;
    check(CreatePipe(in.out(), state_->to.out(), &inherited, 0) &&
              CreatePipe(state_->from.out(), out.out(), &inherited, 0),
          "cannot make a pipe");
    SetHandleInformation(state_->to.get(), HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(state_->from.get(), HANDLE_FLAG_INHERIT, 0);
    const Handle nowhere(file_to_write(L"NUL"));
    const HANDLE err =
        errors == Conversation::Errors::dropped ? nowhere.get() : GetStdHandle(STD_ERROR_HANDLE);
    *state_->job.out() = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(state_->job.get(), JobObjectExtendedLimitInformation, &limits,
                            sizeof limits);
    *state_->process.out() =
        start(program, arguments, {}, {in.get(), out.get(), err}, CREATE_NEW_PROCESS_GROUP);
    AssignProcessToJobObject(state_->job.get(), state_->process.get());
}

Child::~Child() = default;

void Child::write(const std::string &text) {
    DWORD written = 0;
    WriteFile(state_->to.get(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

Child::Got Child::read(std::string &to, std::chrono::milliseconds longest) {
    // Anonymous pipes cannot be waited for.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point last = Clock::now() + longest;
    DWORD bytes = 0;
    for (;;) {
        if (!PeekNamedPipe(state_->from.get(), nullptr, 0, nullptr, &bytes, nullptr))
            return Got::end;
        if (bytes > 0)
            break;
        if (Clock::now() >= last)
            return Got::nothing;
        Sleep(1);
    }
    std::string part(bytes, '\0');
    if (!ReadFile(state_->from.get(), part.data(), bytes, &bytes, nullptr))
        return Got::end;
    to.append(part, 0, bytes);
    return Got::bytes;
}

std::string Child::end(std::chrono::milliseconds longest) {
    const HANDLE process = state_->process.get();
    if (WaitForSingleObject(process, static_cast<DWORD>(longest.count())) != WAIT_OBJECT_0) {
        TerminateProcess(process, 1);
        WaitForSingleObject(process, INFINITE);
    }
    DWORD code = 0;
    GetExitCodeProcess(process, &code);
    return text_of_code(code);
}

} // namespace gauze::tool
