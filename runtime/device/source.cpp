#include "device/source.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "core/error.hpp"

namespace gz {

namespace {

constexpr int max_include_depth = 16;

// The name in a line of the form #include "name", else "".
std::string included_name(const std::string &line) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#')
        return "";
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0)
        return "";
    const std::size_t open = line.find('"', at);
    const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
    return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

} // namespace

std::string SourceTree::load(const std::string &name) const {
    if (directory_.empty()) {
        const EmbeddedFile *end = embedded_sources + embedded_sources_count;
        const EmbeddedFile *found = std::find_if(
            embedded_sources, end, [&](const EmbeddedFile &source) { return source.name == name; });
        if (found == end)
            fail(Status::internal, "the library has no kernel source ", name);
        return std::string(found->text);
    }
    std::ifstream file(directory_ + "/" + name, std::ios::binary);
    try {
        if (file)
            return {std::istreambuf_iterator<char>(file), {}};
    } catch (const std::ios_base::failure &) {
        // The stream's buffer throws where a read fails, as it does for a directory.
    }
    fail(Status::build_failed, "cannot read the kernel source ", directory_, "/", name);
}

void SourceTree::append(const std::string &name, const std::string &generated, int depth,
                        std::string &to) const {
    if (depth > max_include_depth)
        fail(Status::build_failed, "kernel sources include each other without end at ", name);
    to += "#line 1 \"" + name + "\"\n";
    std::istringstream lines(name == "generated" ? generated : load(name));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string included = included_name(line);
        if (included.empty()) {
            to += line + "\n";
        } else {
            append(included, generated, depth + 1, to);
            to += "#line " + std::to_string(number + 1) + " \"" + name + "\"\n";
        }
    }
}

std::string with_real_places(const std::string &log, const std::string &expanded) {
    // The origin of each line of the expanded source, as its #line directives say.
    std::vector<std::string> places{""};
    std::istringstream lines(expanded);
    std::string line, file = "?";
    long number = 0;
    while (std::getline(lines, line)) {
        places.push_back(file + ":" + std::to_string(number++));
        if (line.rfind("#line ", 0) == 0) {
            number = std::strtol(line.c_str() + 6, nullptr, 10);
            const std::size_t open = line.find('"');
            file = line.substr(open + 1, line.rfind('"') - open - 1);
        }
    }

    std::string result = log;
    for (const std::string name : {"<kernel>:", "input.cl:"}) {
        std::size_t at = 0;
        while ((at = result.find(name, at)) != std::string::npos) {
            const char *const digits = result.c_str() + at + name.size();
            char *end = nullptr;
            const unsigned long counted = std::strtoul(digits, &end, 10);
            if (end == digits || counted >= places.size()) {
                at += name.size();
                continue;
            }
            const auto length = name.size() + static_cast<std::size_t>(end - digits);
            result.replace(at, length, places[counted]);
            at += places[counted].size();
        }
    }
    return result;
}

std::string SourceTree::expand(const std::string &name, const std::string &generated) const {
    std::string expanded;
    append(name, generated, 0, expanded);
    return expanded;
}

} // namespace gz
