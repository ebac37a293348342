// The expansion of includes: its lines, and where they say they are from.
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "device/source.hpp"
#include "families/family.hpp"
#include "support/unit.hpp"

using gz::SourceTree;
using gz::Status;
using support::check_refused;
using support::TempDir;

namespace {

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

bool is_include(const std::string &line) {
    return line.rfind("#include \"", 0) == 0;
}

// Lines of an expansion as a compiler counts them: file and number of each, and their text.
struct PlacedLine {
    std::string file;
    std::size_t number;
    std::string text;
};

std::vector<PlacedLine> placed_lines(const std::string &expanded) {
    std::vector<PlacedLine> placed;
    std::string file;
    std::size_t number = 0;
    for (const std::string &line : lines_of(expanded)) {
        if (line.rfind("#line ", 0) == 0) {
            std::istringstream directive(line.substr(6));
            directive >> number >> file;
            REQUIRE_FALSE(directive.fail());
            continue;
        }
        placed.push_back({file.substr(1, file.size() - 2), number++, line});
    }
    return placed;
}

// A tree of the given files, expanded from the first.
std::string expand(const std::vector<std::pair<std::string, std::string>> &files) {
    const TempDir directory;
    for (const auto &[name, text] : files)
        directory.write(name, text);
    return SourceTree(directory.path()).expand(files.front().first);
}

} // namespace

TEST_SUITE("source") {
    TEST_CASE("a file without includes keeps its lines") {
        CHECK(expand({{"a.cl", "one\n\n  three // 3\n"}}) ==
              "#line 1 \"a.cl\"\none\n\n  three // 3\n");
    }

    TEST_CASE("an include becomes what it names, between #line directives") {
        CHECK(expand({{"a.cl", "a1\n#include \"lib/b.clh\"\na3\n"}, {"lib/b.clh", "b1\nb2\n"}}) ==
              "#line 1 \"a.cl\"\na1\n"
              "#line 1 \"lib/b.clh\"\nb1\nb2\n"
              "#line 3 \"a.cl\"\na3\n");
    }

    TEST_CASE("includes within includes are named from the tree's root") {
        CHECK(expand({{"a.cl", "#include \"lib/b.clh\"\na2\n"},
                      {"lib/b.clh", "b1\n#include \"lib/deep/c.clh\"\nb3\n"},
                      {"lib/deep/c.clh", "c1\n"}}) == "#line 1 \"a.cl\"\n"
                                                      "#line 1 \"lib/b.clh\"\nb1\n"
                                                      "#line 1 \"lib/deep/c.clh\"\nc1\n"
                                                      "#line 3 \"lib/b.clh\"\nb3\n"
                                                      "#line 2 \"a.cl\"\na2\n");
    }

    TEST_CASE("a file may be included many times") {
        CHECK(expand({{"a.cl", "#include \"b\"\n#include \"b\"\n"}, {"b", "b1\n"}}) ==
              "#line 1 \"a.cl\"\n"
              "#line 1 \"b\"\nb1\n#line 2 \"a.cl\"\n"
              "#line 1 \"b\"\nb1\n#line 3 \"a.cl\"\n");
    }

    TEST_CASE("files that are empty, or whose last line has no end") {
        CHECK(expand({{"a.cl", ""}}) == "#line 1 \"a.cl\"\n");
        CHECK(expand({{"a.cl", "a1"}}) == "#line 1 \"a.cl\"\na1\n");
        CHECK(expand({{"a.cl", "#include \"b\"\na2"}, {"b", "b1"}}) ==
              "#line 1 \"a.cl\"\n#line 1 \"b\"\nb1\n#line 2 \"a.cl\"\na2\n");
        CHECK(expand({{"a.cl", "#include \"b\"\na2\n"}, {"b", ""}}) ==
              "#line 1 \"a.cl\"\n#line 1 \"b\"\n#line 2 \"a.cl\"\na2\n");
    }

    TEST_CASE("spaces where the language allows them") {
        CHECK(expand({{"a.cl", " \t# \t include \"b\" // why\na2\n"}, {"b", "b1\n"}}) ==
              "#line 1 \"a.cl\"\n#line 1 \"b\"\nb1\n#line 2 \"a.cl\"\na2\n");
    }

    TEST_CASE("what only looks like an include stays as it is") {
        for (const std::string line :
             {"// #include \"b\"", "#include <b>", "#define include \"b\"", "include \"b\"", "#",
              "#pragma include_b", "x = \"#include\";"}) {
            CAPTURE(line);
            CHECK(expand({{"a.cl", line + "\n"}}) == "#line 1 \"a.cl\"\n" + line + "\n");
        }
    }

    TEST_CASE("a file that is not there is named with its directory") {
        const TempDir directory;
        directory.write("a.cl", "#include \"lib/none.clh\"\n");
        const SourceTree tree(directory.path());
        check_refused(Status::build_failed, {directory.path() + "/none.cl"},
                      [&] { tree.expand("none.cl"); });
        check_refused(Status::build_failed, {directory.path() + "/lib/none.clh"},
                      [&] { tree.expand("a.cl"); });
        check_refused(Status::build_failed, {"/a.cl"},
                      [&] { SourceTree(directory.path() + "/elsewhere").expand("a.cl"); });
    }

    TEST_CASE("a directory is no file") {
        const TempDir directory;
        directory.write("lib/b.clh", "b1\n");
        check_refused(Status::build_failed, {directory.path() + "/lib"},
                      [&] { SourceTree(directory.path()).expand("lib"); });
    }

    TEST_CASE("files that include each other without end are refused") {
        check_refused(Status::build_failed, {"include", "a.cl"}, [] {
            expand({{"a.cl", "#include \"a.cl\"\n"}});
        });
        check_refused(Status::build_failed, {"include", ".cl"}, [] {
            expand({{"a.cl", "#include \"b.clh\"\n"}, {"b.clh", "#include \"a.cl\"\n"}});
        });
    }

    TEST_CASE("deep includes that end are no recursion") {
        std::vector<std::pair<std::string, std::string>> files;
        for (int i = 0; i < 12; ++i)
            files.push_back(
                {"f" + std::to_string(i), "#include \"f" + std::to_string(i + 1) + "\"\n"});
        files.push_back({"f12", "the end\n"});
        const std::vector<PlacedLine> placed = placed_lines(expand(files));
        REQUIRE(placed.size() == 1);
        CHECK(placed[0].text == "the end");
        CHECK(placed[0].file == "f12");
        CHECK(placed[0].number == 1);
    }

    TEST_CASE("files are read anew each time, so that they can be edited") {
        const TempDir directory;
        const SourceTree tree(directory.path());
        directory.write("a.cl", "before\n");
        CHECK(tree.expand("a.cl") == "#line 1 \"a.cl\"\nbefore\n");
        directory.write("a.cl", "after\n");
        CHECK(tree.expand("a.cl") == "#line 1 \"a.cl\"\nafter\n");
    }
}

TEST_SUITE("embedded sources") {
    TEST_CASE("every kernel expands, and every line is where it says") {
        std::map<std::string, std::vector<std::string>> files;
        for (unsigned i = 0; i < gz::embedded_sources_count; ++i) {
            const gz::EmbeddedFile &source = gz::embedded_sources[i];
            const bool is_new =
                files.insert({std::string(source.name), lines_of(std::string(source.text))}).second;
            CHECK(is_new);
        }
        const SourceTree tree("");
        int kernels = 0;
        for (const auto &[file_name, own_lines] : files) {
            const std::string &name = file_name; // CAPTURE takes no bindings with every compiler
            CAPTURE(name);
            if (name.find(".clh") != std::string::npos)
                continue; // included by the kernels
            ++kernels;
            std::vector<bool> met(own_lines.size(), false);
            for (const PlacedLine &line : placed_lines(tree.expand(name))) {
                REQUIRE(files.count(line.file) == 1);
                const std::vector<std::string> &lines = files.at(line.file);
                CAPTURE(line.file);
                CAPTURE(line.number);
                REQUIRE(line.number >= 1);
                REQUIRE(line.number <= lines.size());
                REQUIRE(line.text == lines[line.number - 1]);
                REQUIRE_FALSE(is_include(line.text));
                if (line.file == name) {
                    REQUIRE_FALSE(met[line.number - 1]);
                    met[line.number - 1] = true;
                }
            }
            for (std::size_t i = 0; i < own_lines.size(); ++i)
                REQUIRE(met[i] != is_include(own_lines[i]));
        }
        CHECK(kernels >= 9);
    }

    TEST_CASE("every kernel family is there, by the name of its function") {
        const auto check = [](const auto &pass) {
            const gz::DeviceFacts facts = support::make_facts(gz::DeviceClass::other_gpu);
            for (const auto &spec : support::kernels_of(pass, facts.device_class)) {
                CAPTURE(spec.name);
                const std::string source = SourceTree("").expand(spec.file);
                const gz::Config config = spec.preferred(pass, facts).front();
                for (const gz::Launch &launch : spec.work(pass, config, facts).launches) {
                    CAPTURE(launch.program.entry);
                    CHECK(launch.program.file == spec.file);
                    // A kernel that is made of a common one has its name in a macro.
                    const std::string name = launch.program.entry;
                    CHECK((source.find("void " + name + "(") != std::string::npos ||
                           source.find("#define KERNEL " + name + "\n") != std::string::npos));
                }
            }
        };
        check(support::make_pass(gz::PixelType::f32, {64, 48, 1, 1}, 1,
                                 support::make_taps(3, 3, support::Rank::one)));
        check(support::make_box_pass(gz::PixelType::f32, {64, 48, 1, 1}, 1, 2, 3));
    }

    TEST_CASE("a name that is not embedded is a defect of the library") {
        check_refused(Status::internal, {"none.cl"}, [] { SourceTree("").expand("none.cl"); });
        check_refused(Status::internal, {"pixel.clh"}, [] { SourceTree("").expand("pixel.clh"); });
    }

    TEST_CASE("places that a compiler counted for itself become real ones") {
        const std::string expanded = "#line 1 \"a.cl\"\n#line 1 \"lib/b.clh\"\nint f();\n"
                                     "#line 2 \"a.cl\"\nint g();\nbad\n";
        CHECK(gz::with_real_places("<kernel>:3:5: x\n<kernel>:6:1: y", expanded) ==
              "lib/b.clh:1:5: x\na.cl:3:1: y");
        CHECK(gz::with_real_places("input.cl:5:2: z", expanded) == "a.cl:2:2: z");
        CHECK(gz::with_real_places("a.cl:3:1: y <kernel>: <kernel>:99:", expanded) ==
              "a.cl:3:1: y <kernel>: <kernel>:99:");
    }
}
