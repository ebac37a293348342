#include "device/own_file.hpp"

#include <atomic>
#include <utility>

#include "core/error.hpp"

namespace gz {

std::string parent_of(const std::string &path) {
    const std::size_t end = path.find_last_of(system::separators);
    if (end == std::string::npos)
        return "";
    return end == 0 ? path.substr(0, 1) : path.substr(0, end);
}

std::optional<system::Directory> open_own_directory(const std::string &path) {
    system::Descriptor directory = system::open_directory(path, system::Links::refused);
    const int error = system::last_error();
    if (!directory.is_open()) {
        if (system::says_missing(error))
            return std::nullopt;
        require(!system::is_link(path), "it is a symbolic link");
        require(false, "it cannot be opened: ", system::text_of(error));
    }
    const std::optional<system::Facts> facts = system::facts_of(directory);
    require(facts.has_value(), "it cannot be examined: ", system::text_of(system::last_error()));
    require(facts->is_directory, "it cannot be opened: it is no directory");
    require(!facts->is_link, "it is a symbolic link");
    require(facts->is_own, "it belongs to the user ", facts->owner, ", not to ", system::user());
    require(!facts->others_may_write, "it may be written to by others");
    return system::Directory{std::move(directory), path};
}

namespace {

// Returns the error, or 0.
int make_with_parents(const std::string &path) {
    int error = system::make_directory(path);
    const std::string parent = parent_of(path);
    if (system::says_missing(error) && parent.size() > 1 && parent != path) {
        if (const int above = make_with_parents(parent))
            return above;
        error = system::make_directory(path);
    }
    return system::says_exists(error) ? 0 : error;
}

} // namespace

void make_directories(const std::string &path) {
    const int error = make_with_parents(path);
    require(error == 0, "it cannot be made: ", system::text_of(error));
}

std::vector<std::byte> read_own_file(const system::Descriptor &file, std::uint64_t max_bytes) {
    const std::optional<system::Facts> facts = system::facts_of(file);
    require(facts && facts->is_regular, "it is no regular file");
    require(facts->is_own, "it belongs to the user ", facts->owner, ", not to ", system::user());
    require(!facts->others_may_write, "it may be written to by others");
    require(facts->bytes <= max_bytes, "it has ", facts->bytes, " bytes");

    std::vector<std::byte> bytes(facts->bytes);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const std::int64_t got = system::read(file, std::span(bytes).subspan(done));
        const int error = system::last_error();
        require(got >= 0, "it cannot be read: ", system::text_of(error));
        require(got > 0, "it ends after ", done, " of ", facts->bytes, " bytes");
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

namespace {

// Returns a name that no other thread and no other process that runs now has.
std::string new_name() {
    static std::atomic<unsigned> counter{0};
    return text(TemporaryFile::prefix, system::process_id(), '-', counter++);
}

system::Descriptor create(const system::Directory &directory, std::string &name) {
    for (;;) {
        name = new_name();
        system::Descriptor file = system::create_file(directory, name);
        // A process that ended may have left it.
        if (file.is_open() || !system::says_exists(system::last_error()))
            return file;
    }
}

} // namespace

TemporaryFile::TemporaryFile(const system::Directory &directory, std::string what)
    : directory_(directory), what_(std::move(what)), file_(create(directory, name_)) {
    check(file_.is_open(), "made");
}

TemporaryFile::~TemporaryFile() {
    file_.close();
    if (!name_.empty())
        system::remove(directory_, name_);
}

void TemporaryFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::int64_t written = system::write(file_, bytes);
        check(written > 0, "written");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void TemporaryFile::commit(const std::string &name) {
    // A file whose name outlives a loss of power must not have lost its bytes.
    check(system::flush(file_), "written");
    check(file_.close(), "written");
    check(system::rename(directory_, name_, name), "renamed");
    name_.clear();
}

void TemporaryFile::check(bool holds, const char *done) const {
    const int error = system::last_error();
    require(holds, what_, " cannot be ", done, ": ", system::text_of(error));
}

FileLock::FileLock(const std::string &path) : file_(system::lock_file(path + ".lock")) {
    const int error = system::last_error();
    require(file_.is_open(), path, ".lock cannot be locked: ", system::text_of(error));
}

} // namespace gz
