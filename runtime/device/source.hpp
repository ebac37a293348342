// The .cl sources: embedded in the library, or read from a directory while they are being edited.
#pragma once

#include <string>
#include <string_view>

namespace gz {

// One embedded file; the tables are made by cmake/embed_sources.cmake.
struct EmbeddedFile {
    std::string_view name; // relative to its table's directory, such as "lib/pixel.clh"
    std::string_view text;
};
extern const EmbeddedFile embedded_sources[]; // the files of cl/
extern const unsigned embedded_sources_count;

class SourceTree {
public:
    // directory: where to read the files; "" for the embedded ones.
    explicit SourceTree(std::string directory) : directory_(std::move(directory)) {}

    // Whether the files may change while the program runs.
    bool may_change() const { return !directory_.empty(); }

    // Returns the file with every #include "..." replaced by the named file, relative to the tree's root, and
    // #line directives that keep the compiler's messages at the real file and line. A file may be included
    // many times. generated: the text of the file "generated", which is of this expansion alone.
    std::string expand(const std::string &name, const std::string &generated = "") const;

private:
    std::string load(const std::string &name) const;
    void append(const std::string &name, const std::string &generated, int depth,
                std::string &to) const;

    std::string directory_;
};

// Returns a compiler's log with real places: some compilers (NVIDIA's, Oclgrind's) do not heed #line but
// count the lines of the expanded source, under a name of their own.
std::string with_real_places(const std::string &log, const std::string &expanded);

} // namespace gz
