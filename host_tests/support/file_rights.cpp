#include "support/file_rights.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>

#ifdef _WIN32
#include <windows.h>
// After the types of windows.h.
#include <aclapi.h>
#include <sddl.h>
#else
#include <sys/stat.h>
#endif

namespace support {

namespace fs = std::filesystem;

#ifdef _WIN32

namespace {

// The security identifier of this process's user, as text.
std::string user() {
    HANDLE token = nullptr;
    alignas(TOKEN_USER) std::byte answer[256];
    DWORD size = 0;
    LPSTR text = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) ||
        !GetTokenInformation(token, TokenUser, answer, sizeof answer, &size) ||
        !ConvertSidToStringSidA(reinterpret_cast<const TOKEN_USER *>(answer)->User.Sid, &text))
        throw std::runtime_error("cannot ask who this is");
    const std::string result = text;
    LocalFree(text);
    CloseHandle(token);
    return result;
}

// others: the entry for everybody, "" for none.
void set_rights(const std::string &path, const std::string &others) {
    const std::string list = "D:P(A;;FA;;;" + user() + ")" + others;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    PACL rights = nullptr;
    BOOL is_there = FALSE;
    BOOL is_default = FALSE;
    std::wstring name = fs::path(path).wstring();
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorA(list.c_str(), SDDL_REVISION_1,
                                                              &descriptor, nullptr) ||
        !GetSecurityDescriptorDacl(descriptor, &is_there, &rights, &is_default) ||
        SetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT,
                              DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                              nullptr, nullptr, rights, nullptr) != ERROR_SUCCESS)
        throw std::runtime_error("cannot set the rights of " + path);
    LocalFree(descriptor);
}

} // namespace

void let_others_write(const std::string &path) {
    set_rights(path, "(A;;FA;;;WD)");
}

void let_others_read(const std::string &path) {
    set_rights(path, "(A;;FR;;;WD)");
}

void let_nobody_else(const std::string &path) {
    set_rights(path, "");
}

bool is_for_owner_alone(const std::string &path) {
    std::wstring name = fs::path(path).wstring();
    PACL rights = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (GetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                              nullptr, &rights, nullptr, &descriptor) != ERROR_SUCCESS)
        throw std::runtime_error("cannot ask for the rights of " + path);
    bool is_alone = rights != nullptr;
    for (DWORD i = 0; rights && i < rights->AceCount; ++i) {
        void *entry = nullptr;
        GetAce(rights, i, &entry);
        auto *const allowed = static_cast<ACCESS_ALLOWED_ACE *>(entry);
        is_alone =
            is_alone && (allowed->Header.AceType != ACCESS_ALLOWED_ACE_TYPE ||
                         !IsWellKnownSid(&allowed->SidStart, WinWorldSid) || allowed->Mask == 0);
    }
    LocalFree(descriptor);
    return is_alone;
}

#else

namespace {

void set_mode(const std::string &path, mode_t of_files, mode_t of_directories) {
    if (chmod(path.c_str(), fs::is_directory(path) ? of_directories : of_files) != 0)
        throw std::runtime_error("cannot set the mode of " + path);
}

} // namespace

void let_others_write(const std::string &path) {
    set_mode(path, 0666, 0777);
}

void let_others_read(const std::string &path) {
    set_mode(path, 0644, 0755);
}

void let_nobody_else(const std::string &path) {
    set_mode(path, 0600, 0700);
}

bool is_for_owner_alone(const std::string &path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0)
        throw std::runtime_error("cannot ask for the mode of " + path);
    return (facts.st_mode & 07777) == (S_ISDIR(facts.st_mode) ? 0700 : 0600);
}

#endif

void age(const std::string &path, long seconds) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

} // namespace support
