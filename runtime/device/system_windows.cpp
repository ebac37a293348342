#include "device/system.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

#include <windows.h>
// After the types of windows.h.
#include <aclapi.h>
#include <sddl.h>

namespace gz::system {

namespace {

std::wstring to_wide(std::string_view text) {
    const int bytes = static_cast<int>(text.size());
    const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
    std::wstring wide(static_cast<std::size_t>(size), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
    return wide;
}

std::string to_utf8(std::wstring_view wide) {
    const int length = static_cast<int>(wide.size());
    const int size =
        WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, wide.data(), length, text.data(), size, nullptr, nullptr);
    return text;
}

// Returns the path as functions of the system take it, also where it is long.
std::wstring path_of(const std::string &path) {
    std::wstring wide = to_wide(path);
    std::replace(wide.begin(), wide.end(), L'/', L'\\');
    const bool has_drive = wide.size() > 2 && wide[1] == L':' && wide[2] == L'\\';
    constexpr std::size_t short_enough = 240; // a directory's limit is 248
    return has_drive && wide.size() > short_enough ? LR"(\\?\)" + wide : wide;
}

std::wstring path_of(const Directory &directory, const std::string &name) {
    return path_of(directory.path + "\\" + name);
}

// Memory that the system allocated for an answer.
struct FreeLocal {
    void operator()(void *memory) const noexcept { LocalFree(memory); }
};
template <class T> using Local = std::unique_ptr<T, FreeLocal>;

std::string name_of(PSID user) {
    wchar_t *text = nullptr;
    if (!ConvertSidToStringSidW(user, &text))
        return "unknown";
    const Local<wchar_t> owned(text);
    return to_utf8(text);
}

// What a token says of a user; empty where it cannot be asked.
std::vector<std::byte> token_answer(TOKEN_INFORMATION_CLASS question) {
    HANDLE opened = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened))
        return {};
    const Descriptor token(opened);
    DWORD size = 0;
    GetTokenInformation(token.get(), question, nullptr, 0, &size);
    std::vector<std::byte> answer(size);
    if (!GetTokenInformation(token.get(), question, answer.data(), size, &size))
        answer.clear();
    return answer;
}

// The user of this process, and whom new files belong to: the administrators, where one of them made a file.
struct Self {
    std::vector<std::byte> user_answer = token_answer(TokenUser),
                           owner_answer = token_answer(TokenOwner);

    PSID user() const {
        return user_answer.empty()
                   ? nullptr
                   : reinterpret_cast<const TOKEN_USER *>(user_answer.data())->User.Sid;
    }
    PSID owner() const {
        return owner_answer.empty()
                   ? nullptr
                   : reinterpret_cast<const TOKEN_OWNER *>(owner_answer.data())->Owner;
    }
    bool is(PSID other) const {
        return (user() && EqualSid(user(), other)) || (owner() && EqualSid(owner(), other));
    }
};

// Whether whatever a user of the kind writes is no attack: it can do anything anyway, or is the owner.
bool is_trusted(PSID user, const Self &self) {
    if (self.is(user))
        return true;
    for (const WELL_KNOWN_SID_TYPE trusted : {WinLocalSystemSid, WinBuiltinAdministratorsSid,
                                              WinCreatorOwnerSid, WinCreatorOwnerRightsSid})
        if (IsWellKnownSid(user, trusted))
            return true;
    return false;
}

bool others_may_write(PACL rights, const Self &self) {
    if (!rights)
        return true; // no list: everybody may do everything
    constexpr DWORD writing = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE |
                              WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
    for (DWORD i = 0; i < rights->AceCount; ++i) {
        void *entry = nullptr;
        if (!GetAce(rights, i, &entry))
            return true;
        const auto *const header = static_cast<const ACE_HEADER *>(entry);
        // An entry for what is made in a directory says nothing of the directory.
        if (header->AceType == ACCESS_DENIED_ACE_TYPE || (header->AceFlags & INHERIT_ONLY_ACE))
            continue;
        auto *const allowed = static_cast<ACCESS_ALLOWED_ACE *>(entry);
        if ((allowed->Mask & writing) != 0 &&
            (header->AceType != ACCESS_ALLOWED_ACE_TYPE || !is_trusted(&allowed->SidStart, self)))
            return true;
    }
    return false;
}

// The rights of what is made for the user alone: those of the user, the system and administrators.
class OwnRights {
public:
    OwnRights() {
        const Self self;
        PSECURITY_DESCRIPTOR made = nullptr;
        if (self.user() && ConvertStringSecurityDescriptorToSecurityDescriptorW(
                               to_wide("D:P(A;OICI;FA;;;" + name_of(self.user()) +
                                       ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
                                   .c_str(),
                               SDDL_REVISION_1, &made, nullptr))
            rights_.reset(made);
        attributes_ = {sizeof attributes_, rights_.get(), FALSE};
    }
    SECURITY_ATTRIBUTES *get() { return rights_ ? &attributes_ : nullptr; }

private:
    Local<void> rights_;
    SECURITY_ATTRIBUTES attributes_{};
};

constexpr DWORD everything_shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

Time time_of(const FILETIME &time) {
    using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10000000>>;
    constexpr Ticks until_1970{116444736000000000};
    const auto ticks = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime);
    return Time(Ticks(ticks) - until_1970);
}

// GCC frees the memory of a thread_local object before it destroys the object (GCC's bug 83562).
class ThreadTextsKey {
public:
    ThreadTextsKey() : index_(FlsAlloc(destroy)) {}
    ~ThreadTextsKey() { FlsFree(index_); }
    ThreadTextsKey(const ThreadTextsKey &) = delete;
    ThreadTextsKey &operator=(const ThreadTextsKey &) = delete;

    ThreadTexts &get() noexcept {
        auto *texts = static_cast<ThreadTexts *>(FlsGetValue(index_));
        if (!texts) {
            texts = new (std::nothrow) ThreadTexts;
            if (!texts || !FlsSetValue(index_, texts)) {
                delete texts;
                return common_;
            }
        }
        return *texts;
    }

private:
    static void WINAPI destroy(void *texts) { delete static_cast<ThreadTexts *>(texts); }

    DWORD index_;
    ThreadTexts common_; // where there is no memory for a thread's own
};

} // namespace

ThreadTexts &thread_texts() noexcept {
    static ThreadTextsKey key;
    return key.get();
}

std::string environment(const char *name) {
    const std::wstring wide = to_wide(name);
    std::wstring value(64, L'\0');
    for (;;) {
        const DWORD size =
            GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size()));
        const bool fits = size < value.size();
        value.resize(size);
        if (fits)
            return to_utf8(value);
    }
}

std::uint32_t process_id() {
    return GetCurrentProcessId();
}

std::string file_of_code(const void *code) {
    HMODULE module = nullptr;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            static_cast<const wchar_t *>(code), &module))
        return "";
    std::wstring file(32768, L'\0'); // the longest path
    file.resize(GetModuleFileNameW(module, file.data(), static_cast<DWORD>(file.size())));
    return to_utf8(file);
}

int last_error() {
    return static_cast<int>(GetLastError());
}

std::string text_of(int error) {
    return std::system_category().message(error);
}

bool says_missing(int error) {
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
}

bool says_exists(int error) {
    return error == ERROR_FILE_EXISTS || error == ERROR_ALREADY_EXISTS;
}

bool Descriptor::close() {
    return !is_open() || CloseHandle(release()) != 0;
}

std::string user() {
    const Self self;
    return self.user() ? name_of(self.user()) : "unknown";
}

bool is_absolute(const std::string &path) {
    return std::filesystem::path(to_wide(path)).is_absolute();
}

std::string absolute(const std::string &path) {
    std::error_code error;
    std::filesystem::path result = std::filesystem::absolute(to_wide(path), error);
    return error ? "" : without_last_separators(to_utf8(result.make_preferred().wstring()));
}

std::string user_directory(UserDirectory kind) {
    const std::string base = environment("LOCALAPPDATA");
    if (!is_absolute(base))
        return "";
    return absolute(base) + (kind == UserDirectory::caches ? R"(\gauze\cache)" : R"(\gauze)");
}

int make_directory(const std::string &path) {
    OwnRights rights;
    return CreateDirectoryW(path_of(path).c_str(), rights.get()) ? 0 : last_error();
}

bool is_link(const std::string &path) {
    const DWORD attributes = GetFileAttributesW(path_of(path).c_str());
    return attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

Descriptor open_directory(const std::string &path, Links links) {
    const DWORD link = links == Links::followed ? 0 : FILE_FLAG_OPEN_REPARSE_POINT;
    // Not shared for deletion: nobody renames or removes it meanwhile.
    return Descriptor(CreateFileW(path_of(path).c_str(), FILE_LIST_DIRECTORY | READ_CONTROL,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS | link, nullptr));
}

Descriptor open_file(const std::string &path) {
    return Descriptor(CreateFileW(path_of(path).c_str(), GENERIC_READ, everything_shared, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

Descriptor open_file(const Directory &directory, const std::string &name) {
    return Descriptor(
        CreateFileW(path_of(directory, name).c_str(), GENERIC_READ | FILE_WRITE_ATTRIBUTES,
                    everything_shared, nullptr, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

Descriptor create_file(const Directory &directory, const std::string &name) {
    OwnRights rights;
    return Descriptor(CreateFileW(path_of(directory, name).c_str(), GENERIC_WRITE,
                                  FILE_SHARE_DELETE, rights.get(), CREATE_NEW,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
}

std::optional<Facts> facts_of(const Descriptor &file) {
    BY_HANDLE_FILE_INFORMATION found{};
    PSID owner = nullptr;
    PACL rights = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (!GetFileInformationByHandle(file.get(), &found))
        return std::nullopt;
    if (const DWORD error = GetSecurityInfo(file.get(), SE_FILE_OBJECT,
                                            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                            &owner, nullptr, &rights, nullptr, &descriptor)) {
        SetLastError(error);
        return std::nullopt;
    }
    const Local<void> owned(descriptor);
    const Self self;
    Facts facts;
    facts.is_link = (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    facts.is_directory = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    facts.is_regular =
        !facts.is_link && !facts.is_directory && GetFileType(file.get()) == FILE_TYPE_DISK;
    facts.owner = name_of(owner);
    facts.is_own = self.is(owner);
    facts.others_may_write = system::others_may_write(rights, self);
    facts.bytes = (static_cast<std::uint64_t>(found.nFileSizeHigh) << 32) | found.nFileSizeLow;
    return facts;
}

std::int64_t read(const Descriptor &file, std::span<std::byte> bytes) {
    const auto most = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1U << 30));
    DWORD got = 0;
    return ReadFile(file.get(), bytes.data(), most, &got, nullptr) ? std::int64_t{got} : -1;
}

std::int64_t write(const Descriptor &file, std::span<const std::byte> bytes) {
    const auto most = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1U << 30));
    DWORD written = 0;
    return WriteFile(file.get(), bytes.data(), most, &written, nullptr) ? std::int64_t{written}
                                                                        : -1;
}

bool flush(const Descriptor &file) {
    return FlushFileBuffers(file.get()) != 0;
}

void touch(const Descriptor &file) {
    FILETIME now{};
    GetSystemTimeAsFileTime(&now);
    SetFileTime(file.get(), nullptr, nullptr, &now);
}

std::optional<std::vector<Listed>> files_of(const Directory &directory) {
    WIN32_FIND_DATAW found{};
    const HANDLE search = FindFirstFileW(path_of(directory, "*").c_str(), &found);
    std::vector<Listed> files;
    if (search == INVALID_HANDLE_VALUE) {
        if (says_missing(last_error()))
            return files;
        return std::nullopt;
    }
    do {
        if (found.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT))
            continue;
        files.push_back(
            {to_utf8(found.cFileName),
             (static_cast<std::uint64_t>(found.nFileSizeHigh) << 32) | found.nFileSizeLow,
             time_of(found.ftLastWriteTime)});
    } while (FindNextFileW(search, &found));
    FindClose(search);
    return files;
}

bool remove(const Directory &directory, const std::string &name) {
    return DeleteFileW(path_of(directory, name).c_str()) != 0;
}

bool rename(const Directory &directory, const std::string &from, const std::string &to) {
    const std::wstring source = path_of(directory, from);
    const std::wstring target = path_of(directory, to);
    // A file that a process reads just now cannot be replaced: it is open for a moment.
    constexpr int most_tries = 50;
    for (int i = 0;; ++i) {
        if (MoveFileExW(source.c_str(), target.c_str(),
                        MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return true;
        const DWORD error = GetLastError();
        const bool is_busy = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
        const DWORD attributes = GetFileAttributesW(target.c_str());
        if (!is_busy || i == most_tries ||
            (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY))) {
            SetLastError(error);
            return false;
        }
        Sleep(2);
    }
}

Descriptor lock_file(const std::string &path) {
    OwnRights rights;
    Descriptor file(CreateFileW(path_of(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                                everything_shared, rights.get(), OPEN_ALWAYS,
                                FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    OVERLAPPED from_start{};
    if (file.is_open() && !LockFileEx(file.get(), LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &from_start)) {
        const DWORD error = GetLastError();
        file.close();
        SetLastError(error);
    }
    return file;
}

} // namespace gz::system
