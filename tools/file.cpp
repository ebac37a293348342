#include "file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "input_error.hpp"

namespace gauze::tool {
namespace fs = std::filesystem;

namespace {

std::string system_text(int error) {
    return std::generic_category().message(error);
}

// Where the bytes of an output really go: a symbolic link stays, and what it names is replaced.
fs::path resolved(const fs::path &path) {
    std::error_code error;
    if (!fs::is_symlink(path, error))
        return path;
    const fs::path target = fs::canonical(path, error);
    return error ? path : target;
}

fs::path directory_of(const fs::path &path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

// A file that exists is replaced only if it could have been written in place.
void check_replaceable(const fs::path &path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
        return;
    if (!fs::is_regular_file(status))
        throw InputError("cannot write " + shown(path) + ": it is not a regular file");
    if (!FileHandle(std::fopen(path.string().c_str(), "r+b")))
        throw InputError("cannot write " + shown(path) + ": " + system_text(errno));
}

std::string random_name() {
    std::random_device random;
    std::string name = ".gauze-";
    for (int i = 0; i < 16; ++i)
        name += "0123456789abcdef"[random() % 16];
    return name + ".tmp";
}

} // namespace

std::string shown(const fs::path &path) {
    return in_quotes(path.string());
}

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
    handle_.reset(std::fopen(path_.string().c_str(), "rb"));
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
    // A directory that is not there, or that cannot be written to, shows here.
    handle_.reset(std::fopen(temporary_.string().c_str(), "wbx"));
    if (!handle_)
        throw InputError("cannot write " + shown(path) + ": " + system_text(errno));
}

OutputFile::~OutputFile() {
    if (temporary_.empty())
        return;
    handle_.reset();
    std::error_code ignored;
    fs::remove(temporary_, ignored);
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
}

void check_output_path(const fs::path &path) {
    // Making the temporary file is the one test that asks all that can be in the way. Nothing of it
    // is left: the run itself may be killed.
    const OutputFile probe(path);
}

} // namespace gauze::tool
