#include "file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "input_error.hpp"
#include "system.hpp"

namespace gauze::tool {
namespace fs = std::filesystem;

std::string shown(const fs::path &path) {
    return in_quotes(path.string());
}

namespace {

std::string system_text(int error) {
    return std::generic_category().message(error);
}

fs::path directory_of(const fs::path &path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

// Returns where the bytes of an output really go: a symbolic link stays, and the file that it names is
// replaced, or made where there is none.
fs::path resolved(const fs::path &path) {
    constexpr int most_links = 40; // the system's limit
    fs::path target = path;
    std::error_code error;
    for (int links = 0; fs::is_symlink(target, error); ++links) {
        if (links == most_links)
            throw InputError("cannot write " + shown(path) + ": " + system_text(ELOOP));
        target = directory_of(target) / fs::read_symlink(target, error);
        if (error)
            throw InputError("cannot write " + shown(path) + ": " + error.message());
    }
    return target;
}

// A file that exists is replaced only if it could have been written in place.
void check_replaceable(const fs::path &path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
        return;
    if (!fs::is_regular_file(status))
        throw InputError("cannot write " + shown(path) + ": it is not a regular file");
    if (!FileHandle(open_file(path, "r+b")))
        throw InputError("cannot write " + shown(path) + ": " + system_text(errno));
}

// A file that must not outlive the process. Entries stay: a signal may come at any time, in any thread, while
// one is read.
struct Passing {
    fs::path path;
    std::atomic<bool> is_there{false};
    Passing *next = nullptr;
};
std::atomic<Passing *> passing_files{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<Passing *>::is_always_lock_free);

void remove_passing_files() {
    for (const Passing *file = passing_files; file; file = file->next)
        if (file->is_there)
            remove_at_once(file->path);
}

std::string random_name() {
    std::random_device random;
    std::string name = ".gauze-";
    for (int i = 0; i < 16; ++i)
        name += "0123456789abcdef"[random() % 16];
    return name + ".tmp";
}

// Returns the flag that says whether a signal that ends the process removes the file at `path`: true from now
// on.
std::atomic<bool> *passing(const fs::path &path) {
    auto *const file = new Passing{path};
    file->is_there = true;
    file->next = passing_files;
    while (!passing_files.compare_exchange_weak(file->next, file)) {
    }
    before_ending(remove_passing_files);
    return &file->is_there;
}

} // namespace

bool has_extension(const fs::path &path, std::string_view extension) {
    const std::string own = path.extension().string();
    return std::ranges::equal(own, extension, {},
                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

InputFile::InputFile(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    if (!fs::exists(status))
        throw InputError("cannot read " + shown(path_) + ": " +
                         system_text(error ? error.value() : ENOENT));
    if (!fs::is_regular_file(status))
        throw InputError("cannot read " + shown(path_) + ": it is not a regular file");
    handle_.reset(open_file(path_, "rb"));
    if (!handle_)
        throw InputError("cannot read " + shown(path_) + ": " + system_text(errno));
    size_ = fs::file_size(path_, error);
    if (error)
        throw InputError("cannot read " + shown(path_) + ": " + error.message());
}

void InputFile::read(std::span<std::byte> bytes) {
    if (std::fread(bytes.data(), 1, bytes.size(), handle_.get()) != bytes.size())
        throw InputError(
            "cannot read " + shown(path_) + ": " +
            (std::ferror(handle_.get()) ? "the file cannot be read" : "the file ends too early"));
}

OutputFile::OutputFile(const fs::path &path)
    : target_(resolved(path)), temporary_(directory_of(target_) / random_name()) {
    check_replaceable(target_);
    passing_ = passing(temporary_);
    // A directory that is not there, or that cannot be written to, shows here.
    handle_.reset(make_file(temporary_));
    if (!handle_) {
        *passing_ = false;
        throw InputError("cannot write " + shown(path) + ": " + system_text(errno));
    }
}

OutputFile::~OutputFile() {
    if (temporary_.empty())
        return;
    handle_.reset();
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    *passing_ = false;
}

bool OutputFile::write(std::span<const std::byte> bytes) noexcept {
    if (!failed_)
        failed_ = std::fwrite(bytes.data(), 1, bytes.size(), handle_.get()) != bytes.size();
    return !failed_;
}

void OutputFile::commit() {
    // Closing writes what is still in the buffer, and that can fail as well.
    if (std::fclose(handle_.release()) != 0 || failed_)
        throw InputError("cannot write " + shown(target_) + ": the device may be full");
    std::error_code error;
    const fs::file_status replaced = fs::status(target_, error);
    if (fs::exists(replaced))
        fs::permissions(temporary_, replaced.permissions(), error);
    fs::rename(temporary_, target_, error);
    if (error)
        throw InputError("cannot write " + shown(target_) + ": " + error.message());
    temporary_.clear();
    *passing_ = false;
}

void check_output_path(const fs::path &path) {
    // Making the temporary file is the only test that finds every obstacle. No file is left: the run itself
    // may be killed.
    const OutputFile probe(path);
}

} // namespace gauze::tool
