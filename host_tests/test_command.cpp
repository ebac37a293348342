// The gauze command from outside: what it prints, its exit codes, the files it writes. CTest sets
// GAUZE_COMMAND to the built command.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "image_file.hpp"
#include "npy.hpp"
#include "support/command.hpp"
#include "support/difference.hpp"
#include "support/file_rights.hpp"
#include "test_files.hpp"

using namespace gauze::tool;
using gauze::ImageDesc;
using gauze::Type;
using namespace support;

namespace {

using Shape = std::vector<std::int64_t>;

// A directory with inputs, and a command that runs in it: file names are the names in it.
class Workplace {
public:
    template <class T>
    void put(const std::string &name, NpyType type, const Shape &shape,
             const std::vector<T> &values) const {
        write_npy(directory_ / name, type, shape, to_bytes(values));
    }
    void put_floats(const std::string &name, const Shape &shape,
                    const std::vector<float> &values) const {
        put(name, {NpyKind::floating, 4}, shape, values);
    }
    void put_bytes(const std::string &name, const Shape &shape,
                   const std::vector<std::uint8_t> &values) const {
        put(name, {NpyKind::unsigned_integer, 1}, shape, values);
    }

    template <class T> std::vector<T> get(const std::string &name) const {
        return from_bytes<T>(read_npy(directory_ / name).data);
    }
    Shape shape_of(const std::string &name) const { return read_npy(directory_ / name).shape; }
    bool has(const std::string &name) const { return std::filesystem::exists(directory_ / name); }
    std::string operator/(const std::string &name) const { return directory_ / name; }
    std::size_t file_count() const { return directory_.file_count(); }

    // Arguments that end in .npy or .png are names of files here, or end in one after a colon.
    Outcome run(Arguments arguments, const Arguments &environment = {}) const {
        for (std::string &argument : arguments)
            if (argument.ends_with(".npy") || argument.ends_with(".png"))
                argument = argument.substr(0, argument.find(':') + 1) +
                           (directory_ / argument.substr(argument.find(':') + 1));
        arguments.insert(arguments.begin(), "run");
        return gauze_command(arguments, environment);
    }

    // Runs a command that must succeed, and returns the values of the output.
    template <class T>
    std::vector<T> result(const Arguments &arguments, const std::string &out = "out.npy") const {
        const Outcome outcome = run(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return get<T>(out);
    }

private:
    TestDirectory directory_;
};

using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

const Arguments all_borders{"clamp", "constant:100", "reflect", "reflect101", "wrap"};

// Two of the borders in turn: each combination of a border with options, channels and a type is a program.
Arguments next_borders(std::size_t turn) {
    return {all_borders[2 * turn % all_borders.size()],
            all_borders[(2 * turn + 1) % all_borders.size()]};
}

// Rows of interleaved pixels, and the definitions of the filters as plain loops over them.
struct Pixels {
    std::int64_t width, height, channels;
    std::vector<double> values;

    // The pixel at a place of an image, or of its border, for at most the image's own size.
    double at(std::int64_t x, std::int64_t y, std::int64_t c, const std::string &border) const {
        const auto inside = [&border](std::int64_t i, std::int64_t n) {
            if (i >= 0 && i < n)
                return i;
            if (border == "clamp" || (border == "reflect101" && n == 1))
                return i < 0 ? 0 : n - 1;
            if (border == "reflect")
                return i < 0 ? -1 - i : 2 * n - 1 - i;
            if (border == "reflect101")
                return i < 0 ? -i : 2 * n - 2 - i;
            if (border == "wrap")
                return (i + n) % n;
            return std::int64_t(-1);
        };
        const std::int64_t column = inside(x, width);
        const std::int64_t row = inside(y, height);
        if (column < 0 || row < 0)
            return 100; // all_borders' constant
        return values[static_cast<std::size_t>((row * width + column) * channels + c)];
    }
};

// Taps along x and along y.
struct Pair {
    std::vector<double> x, y;
};

// taps: of each channel. The anchor is the library's.
Pixels filtered(const Pixels &in, const std::vector<Pair> &taps, const std::string &border) {
    Pixels out{in.width, in.height, in.channels, {}};
    for (std::int64_t y = 0; y < in.height; ++y)
        for (std::int64_t x = 0; x < in.width; ++x)
            for (std::int64_t c = 0; c < in.channels; ++c) {
                const auto &[kx, ky] = taps[static_cast<std::size_t>(c)];
                const auto nx = static_cast<std::int64_t>(kx.size());
                const auto ny = static_cast<std::int64_t>(ky.size());
                double sum = 0;
                for (std::int64_t j = 0; j < ny; ++j)
                    for (std::int64_t i = 0; i < nx; ++i)
                        sum += kx[static_cast<std::size_t>(i)] * ky[static_cast<std::size_t>(j)] *
                               in.at(x + i - nx / 2, y + j - ny / 2, c, border);
                out.values.push_back(sum);
            }
    return out;
}

std::vector<double> gaussian_taps(double sigma, double truncate = 4) {
    const int radius = static_cast<int>(truncate * sigma + 0.5);
    std::vector<double> taps;
    double sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        taps.push_back(std::exp(-i * i / (2 * sigma * sigma)));
        sum += taps.back();
    }
    for (double &tap : taps)
        tap /= sum;
    return taps;
}

std::vector<double> box_taps(std::size_t radius) {
    const std::size_t count = 2 * radius + 1;
    return std::vector<double>(count, 1.0 / static_cast<double>(count));
}

// A test image, and results held against plain loops over it.
class Comparison {
public:
    // 23x21 pixels, which no border folds twice for taps of up to 41.
    explicit Comparison(const Workplace &place, std::int64_t channels = 1)
        : place_(place), in_{23, 21, channels, {}} {
        const auto bytes =
            numbered<std::uint8_t>(static_cast<std::size_t>(in_.width * in_.height * channels));
        in_.values.assign(bytes.begin(), bytes.end());
        const Shape shape{in_.height, in_.width, channels};
        place_.put_bytes("bytes.npy", shape, bytes);
        place_.put_floats("floats.npy", shape, Floats(bytes.begin(), bytes.end()));
    }
    const Pixels &in() const { return in_; }

    // arguments: the filter and its options.
    void check(Arguments arguments, const std::string &border, const Pixels &expected) const {
        arguments.insert(arguments.end(), {"--border", border, "--channels-last", "--verify"});
        CAPTURE(arguments[0]);
        CAPTURE(border);
        check_type<float>(arguments, "floats.npy", expected, 1e-3);
        // Rounded: half a step and what f32 may err.
        check_type<std::uint8_t>(arguments, "bytes.npy", expected, 0.5 + 1e-3);
    }

private:
    template <class T>
    void check_type(Arguments arguments, const std::string &in, const Pixels &expected,
                    double tolerance) const {
        arguments.insert(arguments.end(), {in, "out.npy"});
        const auto got = place_.result<T>(arguments);
        REQUIRE(got.size() == expected.values.size());
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            // Integers saturate.
            const double value =
                std::clamp(expected.values[i], double(std::numeric_limits<T>::lowest()),
                           double(std::numeric_limits<T>::max()));
            worst = std::max(worst, support::difference(double(got[i]), value));
        }
        CHECK(worst <= tolerance);
    }

    const Workplace &place_;
    Pixels in_;
};

} // namespace

TEST_CASE("command: help and version") {
    CHECK(gauze_command({"--version"}).out == "gauze " + gauze::version() + "\n");
    for (const Arguments &arguments :
         {Arguments{"--help"}, Arguments{"-h"}, Arguments{"run", "--help"},
          Arguments{"run", "correlate", "--help"}, Arguments{"run", "box", "--help"},
          Arguments{"devices", "--help"}}) {
        const Outcome outcome = gauze_command(arguments);
        CHECK(outcome.code == 0);
        CHECK(outcome.err.empty());
        CHECK(contains(outcome.out, "Usage: gauze"));
    }
    const auto check_help = [](const std::string &filter, const Arguments &options) {
        const std::string help = gauze_command({"run", filter, "--help"}).out;
        for (const std::string &option : options) {
            CAPTURE(filter);
            CAPTURE(option);
            CHECK(contains(help, option + " "));
        }
    };
    for (const std::string filter : {"correlate", "convolve", "separable", "gaussian", "box",
                                     "recursive", "sat", "bspline", "dog"})
        check_help(filter, {"--border", "--verify", "--variant", "--device", "--src-roi",
                            "--dst-offset", "--roi-edge", "--into", "--channels-last", "--out-type",
                            "--explain", "--time", "--quiet"});
    check_help("convolve", {"--taps", "--anchor", "--normalize", "--taps-plane"});
    check_help("separable", {"--taps-x", "--taps-y", "--taps-z", "--taps-t", "--anchor",
                             "--normalize", "--taps-plane"});
    check_help("gaussian",
               {"--sigma", "--derivative", "--method", "--truncate", "--accuracy", "--taps-plane"});
    check_help("box", {"--radius", "--iterations"});
    check_help("open", {"--size", "--footprint", "--anchor", "--structure", "--iterations"});
    check_help("recursive", {"--scan", "--sos", "--zero-phase", "--accuracy", "--cascade",
                             "--overlap", "--tile"});
    check_help("bspline", {"--order"});
    check_help("dog", {"--sigma", "--method"});
    check_help("sobel", {"--axis"});
    check_help("log", {"--sigma", "--method", "--truncate", "--accuracy"});
    check_help("gradient-magnitude", {"--sigma", "--truncate", "--operator"});
    check_help("hessian-eigenvalue", {"--number", "--sigma", "--truncate", "--operator"});
    check_help("structure", {"--entry", "--smoothing", "--sigma", "--truncate", "--operator"});
    check_help("unsharp", {"--sigma", "--radius", "--amount", "--threshold"});
    check_help("bilateral", {"--sigma-space", "--sigma-range", "--radius", "--accuracy"});
    check_help("nlm", {"--patch", "--window", "--strength", "--accuracy"});
    // Borders and types that are not the usual ones.
    const auto help_has = [](const std::string &filter, const std::string &text) {
        CAPTURE(filter);
        CAPTURE(text);
        CHECK(contains(gauze_command({"run", filter, "--help"}).out, text));
    };
    help_has("gaussian", "BORDER=clamp");
    help_has("recursive", "BORDER=zero");
    help_has("sat", "BORDER=zero");
    help_has("bspline", "BORDER=reflect101");
    help_has("dog", "(default: f32)");
    help_has("laplace", "(default: f32)");
    help_has("unsharp", "(default: as IN)");
    help_has("nlm", "(default: as IN)");
    help_has("sat", "(default: u32");
}

TEST_CASE("command: what cannot be printed is an error") {
    if (!std::filesystem::exists("/dev/full"))
        return;
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 2, 3, 4});
    const Arguments commands[] = {{"--help"},
                                  {"--version"},
                                  {"run", "--help"},
                                  {"run", "gaussian", "--help"},
                                  {"devices"},
                                  {"devices", "--json"},
                                  {"cache", "info"},
                                  {"run", "box", "--radius", "1", "--time", "1", "--quiet",
                                   place / "in.npy", place / "out.npy"}};
    for (const Arguments &arguments : commands) {
        const Outcome outcome = gauze_command(arguments, {}, "/dev/full");
        CAPTURE(arguments.front());
        CHECK(outcome.code == 2);
        CHECK(outcome.err == "gauze: cannot write to the standard output\n");
    }
}

TEST_CASE("command: bad usage is one line and exit code 2") {
    struct Case {
        Arguments arguments;
        std::string message;
    };
    for (const Case &c :
         {Case{{}, "needs one of devices, run"}, Case{{"paint"}, "there is no 'gauze paint'"},
          Case{{"--verbose"}, "does not take '--verbose'"},
          Case{{"devices", "all"}, "not expected: all"},
          Case{{"devices", "--all"}, "not expected: --all"},
          Case{{"run"}, "'gauze run' needs one of correlate, convolve"},
          Case{{"run", "medium"}, "there is no 'gauze run medium'"},
          Case{{"run", "--quiet", "correlate"}, "does not take '--quiet'"}}) {
        CAPTURE(c.message);
        const Outcome outcome = gauze_command(c.arguments);
        CHECK(outcome.code == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(line_count(outcome.err) == 1);
        CHECK(contains(outcome.err, c.message));
    }
}

TEST_CASE("command: bad input of run is one line, exit code 2 and no file") {
    const Workplace place;
    place.put_floats("in.npy", {3, 4}, Floats(12));
    place.put_floats("volume.npy", {2, 3, 4}, Floats(24));
    place.put_bytes("bytes.npy", {3, 4}, Bytes(12));
    place.put_floats("pair.npy", {3, 2}, Floats(6));
    place.put_bytes("taps5d.npy", {1, 1, 1, 1, 3}, Bytes(3));
    place.put<double>("doubles.npy", {NpyKind::floating, 8}, {3, 4}, std::vector<double>(12));
    place.put<std::uint32_t>("words.npy", {NpyKind::unsigned_integer, 4}, {3, 4},
                             std::vector<std::uint32_t>(12));
    place.put_floats("nan.npy", {1}, {std::numeric_limits<float>::quiet_NaN()});
    place.put_bytes("bytes.npy", {1, 6}, {1, 0, 0, 1, 0, 0});
    place.put_floats("narrow.npy", {2, 5}, {1, 0, 0, 1, 0, 1, 0, 0, 1, 0});
    place.put_floats("row.npy", {6}, {1, 0, 0, 1, 0, 0});
    place.put_floats("scaled.npy", {2, 6}, {1, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0});
    place.put_floats("infinite.npy", {1, 6},
                     {std::numeric_limits<float>::infinity(), 0, 0, 1, 0, 0});
    place.put_floats("unstable.npy", {2, 6}, {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 2, 0});
    write_bytes(place / "broken.npy", "broken");
    write_bytes(place / "broken.png", "broken");
    write_bytes(place / "in.tiff", "II*");
    std::filesystem::create_directory(place / "directory.npy");
    const std::size_t files = place.file_count();

    struct Case {
        Arguments arguments;
        std::string message;
    };
    const auto filter = [](const std::string &name, const Arguments &more) {
        Arguments arguments{name, "in.npy", "out.npy"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const auto separable = [&](const Arguments &more) { return filter("separable", more); };
    const auto gaussian = [&](const Arguments &more) { return filter("gaussian", more); };
    const auto box = [&](const Arguments &more) { return filter("box", more); };
    const auto erode = [&](const Arguments &more) { return filter("erode", more); };
    const auto recursive = [&](const Arguments &more) { return filter("recursive", more); };
    const auto sat = [&](const Arguments &more) { return filter("sat", more); };
    const auto bspline = [&](const Arguments &more) { return filter("bspline", more); };
    const auto dog = [&](const Arguments &more) { return filter("dog", more); };
    const auto unsharp = [&](const Arguments &more) { return filter("unsharp", more); };
    const auto magnitude = [&](const Arguments &more) {
        return filter("gradient-magnitude", more);
    };
    const Arguments good{"correlate", "--taps", "1", "in.npy", "out.npy"};
    const auto with = [&](const Arguments &more) {
        Arguments arguments = good;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const auto taps = [](const std::string &text, const Arguments &more = {}) {
        Arguments arguments{"correlate", "in.npy", "out.npy", "--taps", text};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const auto files_of = [](const std::string &in, const std::string &out,
                             const Arguments &more = {}) {
        Arguments arguments{"correlate", "--taps", "1", in, out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    for (const Case &c : {
             Case{{"correlate", "in.npy", "out.npy"}, "--taps is required"},
             Case{{"correlate", "--taps", "1", "in.npy"}, "OUT is required"},
             Case{{"correlate", "--taps", "1"}, "IN is required"},
             Case{with({"more.npy"}), "not expected"},
             Case{with({"--sigma", "3"}), "--sigma"},
             Case{with({"--quiet="}), "'--quiet=' lacks a value"},
             Case{with({"--border"}), "--border"},

             Case{taps(""), "--taps: '' is not a number"},
             Case{taps("1,,2"), "--taps: '' is not a number"},
             Case{taps("1,x"), "--taps: 'x' is not a number"},
             Case{taps("1,2;3"), "the row '3' has 1 values"},
             Case{taps("inf"), "--taps: 'inf' is not a finite number"},
             Case{taps("1e999"), "--taps: '1e999' is out of range"},
             Case{taps("none.npy"), "No such file"},
             Case{taps("broken.npy"), "as .npy"},
             Case{taps("taps5d.npy"), "5 axes"},
             Case{taps("nan.npy"), "not finite"},
             Case{taps("1,-1", {"--normalize"}), "--normalize: the sum of the taps is zero"},
             Case{taps("0.1,0.2,-0.3", {"--normalize"}), "the sum of the taps is zero"},
             Case{taps("1,1", {"--anchor", "2"}), "--anchor: 2 on axis x"},
             Case{taps("1,1", {"--anchor", "0,1"}), "--anchor: 1 on axis y"},
             Case{taps("1,1", {"--anchor", "-1,0"}), "--anchor: -1 on axis x"},
             Case{taps("1,1", {"--anchor", "0,0,0,0,0"}), "--anchor"},
             Case{taps("1,1", {"--anchor", "0.5"}), "--anchor: '0.5' is not a whole number"},

             Case{with({"--taps-plane", "1"}), "--taps-plane: '1' is not N:..."},
             Case{with({"--taps-plane", "one:1"}), "--taps-plane: 'one' is not a whole number"},
             Case{with({"--taps-plane", "1:1"}), "--taps-plane: '1:1' is for channel 1; the last"},
             Case{with({"--taps-plane", "-1:1"}), "--taps-plane: '-1:1' is for channel -1"},
             Case{with({"--taps-plane", "4:1", "--channels-last"}), "one of the image is 3"},
             Case{with({"--taps-plane", "0:1", "--taps-plane", "0:2"}),
                  "--taps-plane: '0:2' is the second for channel 0"},
             Case{with({"--taps-plane", "0:"}), "--taps-plane 0: '' is not a number"},
             Case{with({"--taps-plane", "0:1,x"}), "--taps-plane 0: 'x' is not a number"},
             Case{with({"--taps-plane", "0:none.npy"}), "No such file"},
             Case{with({"--taps-plane", "0:1,-1", "--normalize"}), "is zero in --taps-plane 0"},
             Case{taps("1,1", {"--anchor", "1", "--taps-plane", "0:1"}),
                  "outside --taps-plane 0, which has 1 there"},

             Case{separable({}), "one of --taps-x, --taps-y, --taps-z, --taps-t is required"},
             Case{separable({"--taps", "1"}), "--taps"},
             Case{separable({"--taps-x", ""}), "--taps-x: '' is not a number"},
             Case{separable({"--taps-y", "1;2"}), "--taps-y: '1;2' is not a number"},
             Case{separable({"--taps-x", "1", "--taps-y", "nan"}), "--taps-y: 'nan' is not a fin"},
             Case{separable({"--taps-x", "none.npy"}), "No such file"},
             Case{separable({"--taps-x", "in.npy"}), "has more than one axis"},
             Case{separable({"--taps-y", "nan.npy"}), "--taps-y"},
             Case{separable({"--taps-x", "1", "--taps-y", "1,-1", "--normalize"}),
                  "--normalize: the sum of the taps is zero in --taps-y"},
             Case{separable({"--taps-x", "1,1", "--anchor", "2"}),
                  "--anchor: 2 on axis x is outside --taps-x, which has 2 there"},
             Case{separable({"--taps-x", "1,1", "--anchor", "0,1"}), "--anchor: 1 on axis y"},
             Case{separable({"--taps-x", "1", "--taps-plane", "1:1;1"}), "is for channel 1"},
             // The filter without planes is made first.
             Case{separable({"--taps-x", "1", "--taps-plane", "0:;"}),
                  "--taps-plane 0: ';' has no taps"},
             Case{separable({"--taps-x", "1", "--taps-plane", "0:1;1;1;1;1"}),
                  "has taps along more than 4 axes"},
             Case{separable({"--taps-x", "1", "--taps-plane", "0:1;y"}),
                  "--taps-plane 0: 'y' is not a number"},

             Case{gaussian({}), "--sigma is required"},
             Case{gaussian({"--sigma", "0"}), "--sigma: 0 is not positive"},
             Case{gaussian({"--sigma", "2,-1.5"}), "--sigma: -1.5 is not positive"},
             Case{gaussian({"--sigma", "nan"}), "--sigma: 'nan' is not a finite number"},
             Case{gaussian({"--sigma", "inf"}), "--sigma: 'inf' is not a finite number"},
             Case{gaussian({"--sigma", "wide"}), "--sigma: 'wide' is not a number"},
             Case{gaussian({"--sigma", ""}), "--sigma: '' is not a number"},
             Case{gaussian({"--sigma", "1,2,3"}),
                  "--sigma: '1,2,3' has 3 numbers, and the image's axes are 2"},
             Case{gaussian({"--sigma", "1,2", "--channels-last"}), "has 2 numbers, and the image's "
                                                                   "axes are 1"},
             Case{gaussian({"--sigma", "1", "--derivative", "3"}), "--derivative: 3 is not 0, 1"},
             Case{gaussian({"--sigma", "1", "--derivative", "-1"}), "--derivative: -1 is not"},
             Case{gaussian({"--sigma", "1", "--derivative", "0.5"}), "not a whole number"},
             Case{gaussian({"--sigma", "1", "--derivative", "0,0,1"}), "--derivative: '0,0,1' has"},
             Case{gaussian({"--sigma", "1", "--truncate", "0"}), "--truncate: 0 is not positive"},
             Case{gaussian({"--sigma", "1", "--truncate", "nan"}), "--truncate: 'nan'"},
             Case{gaussian({"--sigma", "1", "--truncate", "4,4"}), "--truncate: '4,4'"},
             Case{gaussian({"--sigma", "1", "--method", "exact"}),
                  "--method: 'exact' is not one of auto, fir, recursive, box"},
             Case{gaussian({"--sigma", "1", "--method", "fir", "--accuracy", "1e-3"}),
                  "--accuracy: '1e-3' is for --method recursive"},
             Case{gaussian({"--sigma", "1", "--method", "recursive", "--accuracy", "0"}),
                  "--accuracy: 0 is not positive"},
             Case{gaussian({"--sigma", "1", "--method", "recursive", "--accuracy", "1e-11"}),
                  "accuracy is 1e-11; the best"},
             Case{gaussian({"--sigma", "0.1", "--method", "recursive"}), "from 0.5 to 10000"},
             Case{gaussian({"--sigma", "2", "--method", "box", "--derivative", "1,0"}),
                  "boxes have none"},
             Case{gaussian({"--sigma", "2", "--method", "box", "--taps-plane", "0:3"}), "no taps"},
             Case{gaussian({"--sigma", "2", "--border", "zero"}), "--border: zero is for"},
             Case{gaussian({"--sigma", "1", "--iterations", "2"}), "--iterations"},
             Case{gaussian({"--sigma", "1", "--taps-plane", "0:0"}),
                  "--taps-plane 0: 0 is not positive"},
             Case{gaussian({"--sigma", "1", "--taps-plane", "0:1,1,1"}),
                  "--taps-plane 0: '1,1,1' has 3 numbers"},
             Case{gaussian({"--sigma", "1", "--taps-plane", "0:1", "--derivative", "1,1",
                            "--channels-last"}),
                  "--derivative: '1,1' has 2 numbers"},

             Case{box({}), "--radius is required"},
             Case{box({"--radius", "-1"}), "--radius: -1 is negative"},
             Case{box({"--radius", "1,-2"}), "--radius: -2 is negative"},
             Case{box({"--radius", "1.5"}), "--radius: '1.5' is not a whole number"},
             Case{box({"--radius", "1,2,3"}), "--radius: '1,2,3' has 3 numbers"},
             Case{box({"--radius", "99999999999999999999"}), "is out of range"},
             Case{box({"--radius", "1048576"}), "1048576"},
             Case{box({"--radius", "1", "--iterations", "0"}), "--iterations: 0 is not from 1"},
             Case{box({"--radius", "1", "--iterations", "17"}), "--iterations: 17 is not from 1"},
             Case{box({"--radius", "1", "--iterations", "two"}), "--iterations: 'two' is not a"},
             Case{box({"--radius", "1", "--taps-plane", "0:1"}), "--taps-plane"},

             Case{erode({}), "--size, --footprint or --structure is required"},
             Case{erode({"--size", "3", "--structure", "1,2"}), "--size excludes --structure"},
             Case{erode({"--structure", "1,x"}), "--structure: 'x' is not a number"},
             Case{erode({"--structure", "1,1e39"}), "--structure: a weight is beyond the range"},
             Case{erode({"--structure", "1,2", "--footprint", "1,1,1"}),
                  "--structure: 2x1 weights do not fit a --footprint of 3x1"},
             Case{erode({"--structure", "1,2;3,4", "--footprint", "1,1,1,1"}),
                  "--structure: 2x2 weights do not fit a --footprint of 4x1"},
             Case{erode({"--structure", "1,2", "--anchor", "2"}),
                  "--anchor: 2 on axis x is outside --structure, which has 2 there"},
             Case{erode({"--size", "3", "--iterations", "0"}), "--iterations: 0 is not from 1"},
             Case{erode({"--size", "3", "--iterations", "65"}), "--iterations: 65 is not from 1"},

             Case{recursive({}), "one of --scan, --sos is required"},
             Case{recursive({"--scan", ""}), "--scan: '' does not start with +x:"},
             Case{recursive({"--scan", "x:1,0.5"}), "--scan: 'x:1,0.5' does not start"},
             Case{recursive({"--scan", "+w:1,0.5"}), "--scan: '+w:1,0.5' does not start"},
             Case{recursive({"--scan", "+x,1,0.5"}), "--scan: '+x,1,0.5' does not start"},
             Case{recursive({"--scan", "+x:"}), "--scan: '' is not a number"},
             Case{recursive({"--scan", "+x:1,"}), "--scan: '' is not a number"},
             Case{recursive({"--scan", "-x:1/,0.5"}), "--scan: '' is not a number"},
             Case{recursive({"--scan", "-x:1/b,0.5"}), "--scan: 'b' is not a number"},
             Case{recursive({"--scan", "+x:1,0.5", "--scan", "-y:1,nan"}), "'nan' is not a fin"},
             Case{recursive({"--scan", "+x:1,1"}),
                  "scan 0 is unstable: its feedback, as it is written, has a pole"},
             Case{recursive({"--scan", "+x:1", "--scan", "+y:1,2"}), "of modulus 2"},
             Case{recursive({"--scan", "+x:1,0.5", "--cascade", ""}), "--cascade"},
             Case{recursive({"--scan", "+x:1,0.5", "--cascade", "1"}), "grouping \"1\""},
             Case{recursive({"--scan", "+x:1,0.5", "--scan", "-x:1,0.5", "--cascade", "1_0"}),
                  "scan 1 before scan 0"},
             Case{recursive({"--scan", "+x:1,0.5", "--cascade", "each", "--overlap"}),
                  "--cascade excludes --overlap"},
             Case{recursive({"--scan", "+x:1,0.5", "--accuracy", "0"}),
                  "--accuracy: 0 is not positive"},
             Case{recursive({"--scan", "+x:1,0.5", "--scan", "-x:1,0.5", "--zero-phase"}),
                  "scan 1 is along -x and scan 0 along +x"},
             Case{recursive({"--sos", "none.npy"}), "none.npy"},
             Case{recursive({"--sos", "-y:broken.npy"}), "broken.npy"},
             Case{recursive({"--sos", "bytes.npy"}), "bytes.npy' holds u1; sections are f8 or f4"},
             Case{recursive({"--sos", "+x:narrow.npy"}), "narrow.npy' has the shape 2x5"},
             Case{recursive({"--sos", "row.npy"}), "row.npy' has the shape 6; sections are rows"},
             Case{recursive({"--sos", "scaled.npy"}),
                  "scaled.npy': row 1 has a0 = 2; it must be 1"},
             Case{recursive({"--sos", "-x:infinite.npy"}), "infinite.npy': row 0 holds inf"},
             Case{recursive({"--sos", "+x:unstable.npy"}), "scan 1 is unstable"},
             Case{recursive({"--scan", "+x:1,0.5", "--tile", "0"}), "--tile: 0 is not positive"},
             Case{recursive({"--scan", "+x:1,0.5", "--tile", "x"}), "--tile: 'x' is not a whole"},
             Case{recursive({"--scan", "+x:1,0.5", "--out-type", "u32"}), "--out-type: u32 is not"},
             Case{sat({"--border", "clamp"}), "--border: 'clamp' is not zero, the only one of sat"},
             Case{sat({"--out-type", "u8"}), "--out-type: u8 is not a type that can be written"},
             Case{sat({"--into", "bytes.npy"}), "u8 is not a type that can be written"},
             Case{bspline({}), "--order is required"},
             Case{bspline({"--order", "1"}), "--order: 1 is not from 2 to 5"},
             Case{bspline({"--order", "6"}), "--order: 6 is not from 2 to 5"},
             Case{bspline({"--order", "3.5"}), "--order: '3.5' is not a whole number"},
             Case{filter("sobel", {}), "--axis is required"},
             Case{filter("sobel", {"--axis", "w"}), "--axis: 'w' is not one of x, y, z"},
             Case{filter("sobel", {"--axis", ""}), "--axis: '' is not one of x, y, z"},
             Case{filter("scharr", {"--axis", "z"}), "--axis: the image has no axis 'z'"},
             Case{filter("prewitt", {"--axis", "xy"}), "--axis: 'xy' is not one of"},
             Case{filter("laplace", {"--border", "zero"}), "--border: zero is for"},
             Case{filter("log", {}), "--sigma is required"},
             Case{filter("log", {"--sigma", "0"}), "--sigma: 0 is not positive"},
             Case{filter("log", {"--sigma", "2", "--method", "box"}), "boxes have none"},
             Case{magnitude({"--sigma", "-1"}), "--sigma: -1 is not positive"},
             Case{magnitude({"--sigma", "nan"}), "--sigma"},
             Case{magnitude({"--sigma", "1,1,1"}), "the image's axes are 2"},
             Case{magnitude({"--operator", "canny"}), "--operator: 'canny' is not one of"},
             Case{magnitude({"--operator", "sobel", "--sigma", "1"}), "--operator is for"},
             Case{magnitude({"--truncate", "3"}), "--truncate is for a --sigma"},
             Case{filter("hessian-eigenvalue", {}), "--number is required"},
             Case{filter("hessian-eigenvalue", {"--number", "2"}), "number 2"},
             Case{filter("hessian-eigenvalue", {"--number", "0", "--operator", "sobel"}),
                  "first derivatives"},
             Case{filter("structure", {"--entry", "xy"}), "--smoothing is required"},
             Case{filter("structure", {"--entry", "x", "--smoothing", "1"}), "is not two axes"},
             Case{filter("structure", {"--entry", "xq", "--smoothing", "1"}),
                  "--entry: 'q' is not one of"},
             Case{filter("structure", {"--entry", "xz", "--smoothing", "1"}),
                  "--entry: the image has no axis 'z'"},
             Case{filter("structure", {"--entry", "xx", "--smoothing", "-1"}),
                  "--smoothing: -1 is not positive"},
             Case{unsharp({"--sigma", "1"}), "--amount is required"},
             Case{unsharp({"--amount", "1"}), "--sigma or --radius is required"},
             Case{unsharp({"--sigma", "0", "--amount", "1"}), "--sigma: 0 is not positive"},
             Case{unsharp({"--sigma", "1", "--amount", "nan"}), "--amount"},
             Case{unsharp({"--sigma", "1", "--amount", "1", "--threshold", "-1"}),
                  "--threshold: '-1' is negative"},
             Case{filter("highpass", {"--radius", "-1"}), "--radius: -1 is negative"},
             Case{filter("local-normalize", {"--sigma", "1", "--epsilon", "0"}), "--epsilon"},
             Case{filter("bilateral", {"--sigma-space", "1"}), "--sigma-range is required"},
             Case{filter("bilateral",
                         {"--sigma-space", "1", "--sigma-range", "1", "--accuracy", "0"}),
                  "--accuracy: 0 is not positive"},
             Case{filter("nlm", {}), "--strength is required"},
             Case{filter("nlm", {"--strength", "0"}), "--strength: 0 is not positive"},
             Case{filter("nlm", {"--strength", "1", "--patch", "4"}), "patch is 4 pixels a side"},
             Case{filter("nlm", {"--strength", "1", "--patch", "0"}), "--patch: '0'"},
             Case{filter("nlm", {"--strength", "1", "--window", "65"}),
                  "window is 65 pixels a side"},
             Case{filter("nlm", {"--strength", "1", "--window", "x"}), "--window: 'x'"},
             Case{filter("nlm", {"--strength", "1", "--accuracy", "1e-7"}), "accuracy is 1e-07"},
             Case{dog({}), "--sigma is required"},
             Case{dog({"--sigma", "1"}), "--sigma: '1' is not two numbers"},
             Case{dog({"--sigma", "1,2,3"}), "--sigma: '1,2,3' is not two numbers"},
             Case{dog({"--sigma", "1,-2"}), "--sigma: -2 is not positive"},
             Case{dog({"--sigma", "1,2", "--method", "iir"}), "--method: 'iir' is not one of"},
             Case{dog({"--sigma", "1,2", "--border", "zero"}), "--border: zero is for"},

             Case{with({"--border", "zero"}), "--border: zero is for recursive filters"},
             Case{with({"--border", "mirror"}), "--border: 'mirror'"},
             Case{with({"--border", "constant"}), "constant needs a value"},
             Case{with({"--border", "constant:"}), "--border: '' is not a number"},
             Case{with({"--border", "constant:nan"}), "not a finite number"},
             Case{with({"--border", "clamp:1"}), "--border: 'clamp:1'"},

             Case{with({"--src-roi", "0,0,5,1"}), "reaches outside the source of 4x3"},
             Case{with({"--src-roi", "1,0,4,1"}), "reaches outside the source"},
             Case{with({"--src-roi", "4,0,1,1"}), "reaches outside the source"},
             Case{with({"--src-roi", "-1,0,1,1"}), "reaches outside the source"},
             Case{with({"--src-roi", "1,1,9223372036854775807,1"}), "reaches outside"},
             Case{with({"--src-roi", "0,0,0,1"}), "--src-roi: '0,0,0,1' is empty"},
             Case{with({"--src-roi", "0,0,1,-1"}), "is empty"},
             Case{with({"--src-roi", "0,0,1"}), "--src-roi: '0,0,1' is not x,y,w,h"},
             Case{with({"--src-roi", "0,0,one,1"}), "'one' is not a whole number"},
             Case{with({"--src-roi", "0,0,99999999999999999999,1"}), "out of range"},
             Case{with({"--dst-offset", "1,0"}), "reaches outside the target of 4x3"},
             Case{with({"--dst-offset", "-1,0"}), "reaches outside the target"},
             Case{with({"--dst-offset", "0,0,0,0,0"}), "--dst-offset"},
             Case{with({"--src-roi", "0,0,2,2", "--dst-offset", "3,0"}), "reaches outside"},
             Case{with({"--roi-edge", "soft"}), "--roi-edge: 'soft'"},
             Case{with({"--into", "none.npy"}), "No such file"},
             Case{with({"--into", "bytes.npy", "--out-type", "f32"}), "differs from the type"},
             Case{with({"--into", "doubles.npy"}), "--into"},

             Case{with({"--out-type", "u7"}), "--out-type: 'u7' is not one of"},
             Case{with({"--out-type", "f64"}), "--out-type: f64 is not a type that can be"},
             Case{with({"--time", "0"}), "--time"},
             Case{with({"--time", "some"}), "--time"},
             Case{with({"--variant", "no_such_kernel"}), "no_such_kernel"},

             Case{files_of("none.npy", "out.npy"), "No such file"},
             Case{files_of("broken.npy", "out.npy"), "cannot read"},
             Case{files_of("broken.png", "out.npy"), "cannot read"},
             Case{files_of("directory.npy", "out.npy"), "not a regular file"},
             Case{files_of(place / "in.tiff", "out.npy"), "does not end in .png or .npy"},
             Case{files_of("in.npy", place / "out.tiff"), "does not end in .png or .npy"},
             Case{files_of("in.npy", place / "out"), "does not end in .png or .npy"},
             Case{files_of("doubles.npy", "out.npy"), "f64 is not a type that can be filtered"},
             Case{files_of("words.npy", "out.npy"), "u32 is not a type that can be filtered"},
             Case{files_of("in.npy", "out.png"), "u8 or u16, not f32"},
             Case{files_of("bytes.npy", "out.png", {"--out-type", "s16"}), "not s16"},
             Case{files_of("volume.npy", "out.png", {"--out-type", "u8"}), "volume"},
             Case{files_of("in.npy", "nowhere/out.npy"), "No such file or directory"},
             Case{files_of("in.npy", "directory.npy"), "not a regular file"},
             Case{files_of("in.npy", "out.npy", {"--channels-last", "--into", "pair.npy"}),
                  "has 2 channels"},
         }) {
        std::string line;
        for (const std::string &argument : c.arguments)
            line += " " + argument;
        CAPTURE(line);
        const Outcome outcome = place.run(c.arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(line_count(outcome.err) == 1);
        CHECK(contains(outcome.err, c.message));
        CHECK(place.file_count() == files);
    }
}

TEST_CASE("command: each border on one axis") {
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 2, 3, 4});
    const auto two_before = [&](const std::string &border) {
        // With the anchor in the middle of five, this is the value two places before.
        return place.result<float>({"correlate", "--taps", "1,0,0,0,0", "--border", border,
                                    "--verify", "in.npy", "out.npy"});
    };
    CHECK(two_before("clamp") == Floats{1, 1, 1, 2});
    CHECK(two_before("reflect") == Floats{2, 1, 1, 2});
    CHECK(two_before("reflect101") == Floats{3, 2, 1, 2});
    CHECK(two_before("wrap") == Floats{3, 4, 1, 2});
    CHECK(two_before("constant:-9.5") == Floats{-9.5, -9.5, 1, 2});
}

TEST_CASE("command: taps, in text and in files") {
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 4, 9, 16});
    const Floats difference{0, 3, 5, 7};
    CHECK(place.result<float>({"correlate", "--taps", "-1,1", "in.npy", "out.npy"}) == difference);
    CHECK(place.result<float>({"correlate", "in.npy", "--taps=-1,1", "out.npy"}) == difference);
    CHECK(place.result<float>({"correlate", "in.npy", "out.npy", "--taps", " -1, +1e0"}) ==
          difference);
    CHECK(place.result<float>({"correlate", "--taps", "-.5,.5", "in.npy", "out.npy"}) ==
          Floats{0, 1.5, 2.5, 3.5});
    CHECK(place.result<float>({"correlate", "--taps", "-1,1", "--anchor", "0", "in.npy",
                               "out.npy"}) == Floats{3, 5, 7, 0});
    CHECK(place.result<float>({"convolve", "--taps", "-1,1", "in.npy", "out.npy"}) ==
          Floats{-3, -5, -7, 0});
    CHECK(place.result<float>({"correlate", "--taps", "-1,-1", "--normalize", "in.npy",
                               "out.npy"}) == Floats{1, 2.5, 6.5, 12.5});

    place.put<std::int8_t>("i1.npy", {NpyKind::signed_integer, 1}, {2}, {-1, 1});
    place.put<std::int64_t>("i8.npy", {NpyKind::signed_integer, 8}, {1, 2}, {-1, 1});
    place.put<std::uint16_t>("f2.npy", {NpyKind::floating, 2}, {1, 1, 2}, {0xbc00, 0x3c00});
    place.put<double>("f8.npy", {NpyKind::floating, 8}, {1, 1, 1, 2}, {-1, 1});
    for (const std::string name : {"i1.npy", "i8.npy", "f2.npy", "f8.npy"}) {
        CAPTURE(name);
        CHECK(place.result<float>({"correlate", "--taps", name, "in.npy", "out.npy"}) ==
              difference);
    }

    // Rows of taps are along y; in a file the last axis is x.
    place.put_floats("square.npy", {2, 2}, {1, 2, 3, 4});
    place.put_floats("column.npy", {2, 1}, {1, 0});
    CHECK(place.result<float>({"correlate", "--taps", "1;0", "square.npy", "out.npy"}) ==
          Floats{1, 2, 1, 2});
    CHECK(place.result<float>({"correlate", "--taps", "column.npy", "square.npy", "out.npy"}) ==
          Floats{1, 2, 1, 2});
}

TEST_CASE("command: pictures of every form and every border are verified") {
    const Workplace place;
    struct Form {
        Type type;
        int channels;
    };
    std::size_t turn = 0;
    for (const Form form :
         {Form{Type::u8, 1}, Form{Type::u16, 2}, Form{Type::u8, 3}, Form{Type::u16, 4}}) {
        CAPTURE(gauze::name_of(form.type));
        const ImageDesc desc(form.type, 37, 21, form.channels);
        const auto values = numbered<std::uint8_t>(desc.bytes());
        write_image(place / "in.png", {desc, to_bytes(values), {}});
        for (const std::string &border : next_borders(turn++)) {
            CAPTURE(border);
            const Outcome outcome =
                place.run({"convolve", "--taps", "1,2,-1;2,4,-2;1,3,1", "--normalize", "--border",
                           border, "--verify", "in.png", "out.png"});
            CAPTURE(outcome.err);
            CHECK(outcome.code == 0);
            CHECK(outcome.out.empty());
            CHECK(contains(outcome.err, "verify: worst error"));
            CHECK(contains(outcome.err, "777 pixels compared"));
            CHECK(contains(outcome.err, "device "));
            const HostImage result = read_image(place / "out.png", ChannelAxis::none);
            CHECK(result.desc.type == desc.type);
            CHECK(result.desc.channels == desc.channels);
            CHECK(result.desc.extent == desc.extent);
        }
    }
}

TEST_CASE("command: separable taps, against plain loops") {
    const Workplace place;
    const Comparison one(place);
    const Pair both{{1, -2, 3, 0.5}, {0.25, 1, -0.5}};
    for (const std::string &border : next_borders(0))
        one.check({"separable", "--taps-x", "1,-2,3,.5", "--taps-y", "0.25,1,-0.5"}, border,
                  filtered(one.in(), {both}, border));
    // An axis without taps is not filtered.
    for (const std::string &border : next_borders(1))
        one.check({"separable", "--taps-y", ".25,.25,.5"}, border,
                  filtered(one.in(), {{{1}, {0.25, 0.25, 0.5}}}, border));
    for (const std::string &border : next_borders(2))
        one.check({"separable", "--taps-x", ".25,.25,.5"}, border,
                  filtered(one.in(), {{{0.25, 0.25, 0.5}, {1}}}, border));
    const Workplace colours;
    const Comparison three(colours, 3);
    const Pair smooth{{0.25, 0.5, 0.25}, {0.5, 0.5}};
    for (const std::string &border : next_borders(3))
        three.check({"separable", "--taps-x", "1,2,1", "--taps-y", "3,3", "--normalize"}, border,
                    filtered(three.in(), {smooth, smooth, smooth}, border));
}

TEST_CASE("command: separable taps, in text and in files") {
    const Workplace place;
    place.put_floats("in.npy", {2, 3}, {1, 4, 9, 10, 40, 90});
    const auto run = [&](const Arguments &more) {
        Arguments arguments{"separable", "in.npy", "out.npy", "--verify"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return place.result<float>(arguments);
    };
    CHECK(run({"--taps-x", "-1,1", "--taps-y", "1,1", "--border", "constant:0"}) ==
          Floats{1, 3, 5, 11, 33, 55});
    CHECK(run({"--taps-x", "-1,1", "--taps-y", "0,1"}) == Floats{0, 3, 5, 0, 30, 50});
    place.put<std::int8_t>("i1.npy", {NpyKind::signed_integer, 1}, {2}, {-1, 1});
    place.put_floats("f4.npy", {2}, {0, 1});
    CHECK(run({"--taps-x", "i1.npy", "--taps-y", "f4.npy"}) == Floats{0, 3, 5, 0, 30, 50});
    CHECK(run({"--taps-x", "-1,1", "--anchor", "0"}) == Floats{3, 5, 0, 30, 50, 0});
    CHECK(run({"--taps-x", "-1,1", "--taps-y", "0,1", "--anchor", "0,0"}) ==
          Floats{30, 50, 0, 30, 50, 0});
    CHECK(run({"--taps-x", "-2,-2", "--normalize"}) == Floats{1, 2.5, 6.5, 10, 25, 65});

    // Ties go to the even neighbour.
    place.put_bytes("bytes.npy", {4}, {0, 1, 2, 5});
    CHECK(place.result<std::uint8_t>({"separable", "--taps-x", "1,1", "--normalize", "bytes.npy",
                                      "out.npy"}) == Bytes{0, 0, 2, 4});
    // More taps than a box of them may have.
    std::string many = "1";
    for (int i = 1; i < 201; ++i)
        many += ",1";
    place.put_floats("ones.npy", {3, 50}, Floats(150, 1));
    CHECK(place.result<float>({"separable", "--taps-x", many, "--verify", "ones.npy", "out.npy"}) ==
          Floats(150, 201));
}

TEST_CASE("command: gaussians, against plain loops") {
    const Workplace place;
    const Comparison one(place);
    for (const std::string &border : next_borders(0))
        one.check({"gaussian", "--sigma", "1.5", "--method", "fir"}, border,
                  filtered(one.in(), {{gaussian_taps(1.5), gaussian_taps(1.5)}}, border));
    for (const std::string &border : next_borders(1))
        one.check({"gaussian", "--sigma", "0.6,2", "--method", "fir", "--truncate", "3"}, border,
                  filtered(one.in(), {{gaussian_taps(0.6, 3), gaussian_taps(2, 3)}}, border));
    const Workplace colours;
    const Comparison three(colours, 3);
    const Pair smooth{gaussian_taps(3), gaussian_taps(3)};
    for (const std::string &border : next_borders(2))
        three.check({"gaussian", "--sigma", "3", "--method", "fir"}, border,
                    filtered(three.in(), {smooth, smooth, smooth}, border));
}

TEST_CASE("command: one sigma is for all axes that the image has") {
    const Workplace place;
    const auto line = [&](const Shape &shape) {
        place.put_floats("in.npy", shape, {0, 0, 1, 0, 0});
        return place.result<float>({"gaussian", "--sigma", "0.4", "--border", "constant:9",
                                    "--verify", "in.npy", "out.npy"});
    };
    // Along x alone nothing comes from the rows outside.
    const std::vector<double> taps = gaussian_taps(0.4);
    CHECK(line({5}).at(2) == doctest::Approx(taps.at(2)));
    CHECK(line({1, 5}).at(2) > 1);

    // An image of x and of channels has one axis.
    place.put_floats("pairs.npy", {5, 2}, {0, 0, 0, 0, 1, 2, 0, 0, 0, 0});
    const auto pairs = place.result<float>({"gaussian", "--sigma", "0.4", "--channels-last",
                                            "--border", "constant:9", "pairs.npy", "out.npy"});
    CHECK(pairs[4] == doctest::Approx(taps.at(2)));
    CHECK(pairs[5] == doctest::Approx(2 * taps.at(2)));
}

TEST_CASE("command: derivatives of gaussians") {
    const Workplace place;
    Floats ramp, parabola;
    for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 40; ++x) {
            ramp.push_back(static_cast<float>(3 * x + 5 * y));
            parabola.push_back(static_cast<float>(x * y));
        }
    place.put_floats("ramp.npy", {40, 40}, ramp);
    place.put_floats("parabola.npy", {40, 40}, parabola);
    const auto middle = [&](const std::string &in, const std::string &derivative) {
        return place.result<float>({"gaussian", "--sigma", "2", "--derivative", derivative,
                                    "--verify", in, "out.npy"})[20 * 40 + 20];
    };
    CHECK(middle("ramp.npy", "1,0") == doctest::Approx(3).epsilon(0.01));
    CHECK(middle("ramp.npy", "0,1") == doctest::Approx(5).epsilon(0.01));
    CHECK(std::abs(middle("ramp.npy", "2,0")) < 0.01 * 160);
    // One number is for both axes, and an axis without a number is smoothed only.
    CHECK(middle("parabola.npy", "1") == doctest::Approx(1).epsilon(0.01));
    CHECK(middle("parabola.npy", "1,1") == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("command: derivatives, sharpening and local statistics") {
    const Workplace place;
    place.put_bytes("in.npy", {4, 5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4});
    const auto made = [&](Arguments arguments) {
        arguments.insert(arguments.end(), {"--verify", "in.npy", "out.npy"});
        return place.result<float>(arguments);
    };
    // scipy.ndimage's sobel, prewitt and laplace with mode='nearest'
    CHECK(made({"sobel", "--axis", "x"}) ==
          Floats{-13, 0, 3, 0, 10, -13, -1, 5, -5, 2, -2, 5, 7, -2, -2, 0, 4, 17, 3, -10});
    CHECK(made({"prewitt", "--axis", "y"}) ==
          Floats{13, 9, 7, 4, 0, 11, 14, 18, 15, 14, -12, -9, 0, 1, 5, -10, -14, -11, -10, -9});
    CHECK(made({"laplace"}) ==
          Floats{4, 6, -4, 11, -6, -17, 16, -4, -3, 10, 5, -14, -12, 3, -13, 1, 8, 10, -10, 9});
    CHECK(made({"scharr", "--axis", "x"})[6] == -15.0F / 16);
    CHECK(made({"log", "--sigma", "1"})[0] == doctest::Approx(0.508504419));
    CHECK(made({"gradient-magnitude"})[1] == doctest::Approx(0.707106781));
    CHECK(made({"gradient-magnitude", "--sigma", "0"})[1] == doctest::Approx(0.707106781));
    CHECK(made({"gradient-magnitude", "--sigma", "1"})[0] == doctest::Approx(1.639742157));
    CHECK(made({"gradient-magnitude", "--operator", "sobel"})[4] ==
          doctest::Approx(std::sqrt(104.0)));
    CHECK(made({"gradient-orientation"})[0] == doctest::Approx(std::atan2(3.0, -1.0)));
    // Their sum is the Laplacian.
    const float largest = made({"hessian-eigenvalue", "--number", "0"})[6];
    const float smallest = made({"hessian-eigenvalue", "--number", "1"})[6];
    CHECK(largest + smallest == doctest::Approx(16.0));
    CHECK(largest > smallest);
    const float mean_square =
        made({"structure", "--entry", "xx", "--smoothing", "0.01", "--operator", "sobel"})[6];
    CHECK(mean_square == doctest::Approx(1.0)); // as sobel has -1 there
    CHECK(made({"highpass", "--radius", "1"})[6] == doctest::Approx(2 - 47.0 / 9));
    const float variance = made({"local-variance", "--radius", "1"})[6];
    CHECK(variance == doctest::Approx(317.0 / 9 - 47.0 * 47.0 / 81));
    CHECK(made({"local-deviation", "--radius", "1"})[6] == doctest::Approx(std::sqrt(variance)));
    CHECK(made({"local-normalize", "--radius", "1", "--epsilon", "0.01"})[6] ==
          doctest::Approx((2 - 47.0 / 9) / std::sqrt(variance)));
    // Unsharp masking keeps the type.
    const Bytes sharp =
        place.result<std::uint8_t>({"unsharp", "--radius", "1", "--amount", "0.5", "--threshold",
                                    "2.5", "--verify", "in.npy", "out.npy"});
    CHECK(sharp[6] == 0);
    CHECK(sharp[8] == 5);
}

TEST_CASE("command: guided filters") {
    const Workplace place;
    place.put_bytes("in.npy", {2, 5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3});
    place.put_floats("flat.npy", {2, 5}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    place.put_floats("small.npy", {2, 4}, {1, 1, 1, 1, 1, 1, 1, 1});
    const auto made = [&](Arguments arguments) {
        const Arguments all{"guided",     "--radius", "1",        "--epsilon", "4",
                            "--out-type", "f32",      "--verify", "in.npy",    "out.npy"};
        arguments.insert(arguments.begin(), all.begin(), all.end());
        return place.result<float>(arguments);
    };
    // A guide that is flat leaves the mean of the mean.
    const Floats flat = made({"--guide", "flat.npy"});
    CHECK(flat[0] == doctest::Approx(338.0 / 81));
    // With an epsilon that is small beside the variance the guide's edges are kept.
    const Floats own = made({});
    CHECK(made({"--guide", "channels"}) == own);
    CHECK(made({"--guide", "in.npy"})[6] == doctest::Approx(own[6]).epsilon(1e-5));
    CHECK(own[5] > 5);
    CHECK(own[5] < 9);
    const auto refused = [&](const Arguments &more) {
        Arguments arguments{"guided", "--radius", "1", "--epsilon", "4", "in.npy", "out.npy"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return place.run(arguments);
    };
    for (const auto &[more, what] : std::vector<std::pair<Arguments, std::string>>{
             {{"--guide", "small.npy"}, "small.npy' is 4x2 and the image 5x2"},
             {{"--guide", "color"}, "1 channels"},
             {{"--guide", "none.npy"}, "none.npy"}}) {
        CAPTURE(what);
        const auto outcome = refused(more);
        CHECK(outcome.code == 2);
        CHECK(outcome.err.find(what) != std::string::npos);
    }
}

TEST_CASE("command: edge-aware filters") {
    const Workplace place;
    place.put_floats("in.npy", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const auto made = [&](Arguments arguments) {
        arguments.insert(arguments.end(), {"--verify", "in.npy", "out.npy"});
        return place.result<float>(arguments);
    };
    // At 4 the window has 1, 1, 2, 4, 4, 5, 7, 7 and 8; a difference d weighs exp(-d^2 / 2).
    double sum = 0.0, weights = 0.0;
    for (const int pixel : {1, 1, 2, 4, 4, 5, 7, 7, 8}) {
        const double weight = std::exp(-0.5 * (pixel - 4) * (pixel - 4));
        sum += weight * pixel;
        weights += weight;
    }
    const Arguments pixels{"nlm", "--patch", "1", "--window", "3", "--strength", "1.41421356"};
    CHECK(made(pixels)[3] == doctest::Approx(sum / weights).epsilon(1e-5));
    Arguments fast = pixels;
    fast.insert(fast.end(), {"--accuracy", "1e-6"});
    CHECK(made(fast)[3] == doctest::Approx(sum / weights).epsilon(1e-5));
    CHECK(made({"nlm", "--strength", "1e9"})[4] == doctest::Approx(5.0).epsilon(1e-5));
    const auto explained = [&](Arguments arguments) {
        arguments.insert(arguments.end(), {"--explain", "in.npy", "out.npy"});
        return place.run(arguments).err;
    };
    CHECK(contains(explained({"nlm", "--strength", "1"}), "weights: a polynomial"));
    const Arguments allowed_nlm{"nlm",  "--strength", "1",        "--accuracy",
                                "1e-6", "--variant",  "nlm_plain"};
    CHECK(contains(explained(allowed_nlm),
                   "weights: the device's exp2 and division, as the accuracy 1e-06 allows"));
    const Arguments bilateral{"bilateral", "--sigma-space", "1", "--sigma-range", "1"};
    CHECK(contains(explained(bilateral), "weights: a polynomial"));
    Arguments allowed = bilateral;
    allowed.insert(allowed.end(), {"--accuracy", "1e-3", "--variant", "bilateral_plain"});
    CHECK(contains(explained(allowed), "as the accuracy 0.001 allows"));
    CHECK(made(allowed)[0] == doctest::Approx(made(bilateral)[0]).epsilon(1e-5));
}

TEST_CASE("command: morphology") {
    const Workplace place;
    place.put_floats("in.npy", {8}, {3, 1, 4, 1, 5, 9, 2, 6});
    const auto made = [&](Arguments arguments) {
        arguments.insert(arguments.end(), {"--verify", "in.npy", "out.npy"});
        return place.result<float>(arguments);
    };
    CHECK(made({"erode", "--size", "3"}) == Floats{1, 1, 1, 1, 1, 2, 2, 2});
    CHECK(made({"erode", "--size", "3", "--iterations", "2"}) == Floats{1, 1, 1, 1, 1, 1, 2, 2});
    CHECK(made({"dilate", "--footprint", "1,1,1"}) == Floats{3, 4, 4, 5, 9, 9, 9, 6});
    CHECK(made({"dilate", "--structure", "0,10,20"}) == Floats{23, 23, 21, 24, 21, 25, 29, 22});
    CHECK(made({"erode", "--structure", "0,10,20", "--footprint", "1,1,0"}) ==
          Floats{-7, -9, -6, -9, -5, -1, -8, -4});
    CHECK(made({"open", "--size", "2", "--anchor", "0"}) == Floats{1, 1, 1, 1, 5, 5, 2, 6});
    CHECK(made({"close", "--size", "3"}) == Floats{3, 3, 4, 4, 5, 9, 6, 6});
    CHECK(made({"tophat", "--size", "3"}) == Floats{2, 0, 3, 0, 3, 7, 0, 4});
    CHECK(made({"blackhat", "--size", "3"}) == Floats{0, 2, 0, 3, 0, 0, 4, 0});
    CHECK(made({"morphgradient", "--size", "3"}) == Floats{2, 3, 3, 4, 8, 7, 7, 4});
    CHECK(made({"morphlaplace", "--size", "3"}) == Floats{-2, 3, -3, 4, 0, -7, 7, -4});
}

TEST_CASE("command: boxes, against plain loops") {
    const Workplace place;
    const Comparison one(place);
    const Workplace colours;
    const Comparison three(colours, 3);
    for (const std::string &border : next_borders(0))
        one.check({"box", "--radius", "2"}, border,
                  filtered(one.in(), {{box_taps(2), box_taps(2)}}, border));
    for (const std::string &border : next_borders(1))
        one.check({"box", "--radius", "0,20"}, border,
                  filtered(one.in(), {{box_taps(0), box_taps(20)}}, border));
    for (const std::string &border : next_borders(2)) {
        // The border is made anew each time, of values that have not been rounded.
        const std::vector<Pair> wide(3, Pair{box_taps(3), box_taps(1)});
        Pixels result = three.in();
        for (int i = 0; i < 3; ++i)
            result = filtered(result, wide, border);
        three.check({"box", "--radius", "3,1", "--iterations", "3"}, border, result);
    }
    place.put_floats("line.npy", {4}, {0, 3, 0, 6});
    const auto line = place.result<float>(
        {"box", "--radius", "1", "--border", "constant:99", "--verify", "line.npy", "out.npy"});
    const Floats means{34, 1, 3, 35};
    for (std::size_t i = 0; i < means.size(); ++i)
        CHECK(line.at(i) == doctest::Approx(means[i]));
}

TEST_CASE("command: other taps for a channel") {
    const Workplace place;
    const Comparison three(place, 3);
    const Pair same{{1}, {1}};
    std::size_t turn = 0;
    const auto check = [&](const Arguments &arguments, const std::vector<Pair> &taps) {
        for (const std::string &border : next_borders(turn++))
            three.check(arguments, border, filtered(three.in(), taps, border));
    };
    check({"correlate", "--taps", "1,2,1", "--normalize", "--taps-plane", "1:3;1", "--taps-plane",
           "2:1"},
          {{{0.25, 0.5, 0.25}, {1}}, {{1}, {0.75, 0.25}}, same});
    check({"convolve", "--taps", "0,0,1", "--taps-plane", "0:0,1,0"},
          {same, {{1, 0, 0}, {1}}, {{1, 0, 0}, {1}}});
    check({"separable", "--taps-x", "1,2,1", "--taps-y", "1,1", "--normalize", "--taps-plane",
           "2:3,1;", "--taps-plane", "0:;1,0,0"},
          {{{1}, {1, 0, 0}}, {{0.25, 0.5, 0.25}, {0.5, 0.5}}, {{0.75, 0.25}, {1}}});
    check({"gaussian", "--sigma", "1.5", "--taps-plane", "1:0.8", "--taps-plane", "2:2,1"},
          {{gaussian_taps(1.5), gaussian_taps(1.5)},
           {gaussian_taps(0.8), gaussian_taps(0.8)},
           {gaussian_taps(2), gaussian_taps(1)}});
    // Taps from a file, an anchor that is for all of them, and IN after the option.
    place.put_floats("taps.npy", {2}, {-1, 1});
    place.put_floats("in.npy", {3, 2}, {1, 10, 2, 20, 4, 40});
    CHECK(place.result<float>({"correlate", "--taps", "1,0", "--anchor", "0", "--channels-last",
                               "--taps-plane", "1:taps.npy", "in.npy", "out.npy"}) ==
          Floats{1, 10, 2, 20, 4, 0});
}

TEST_CASE("command: kernels of the other filters, forced and explained") {
    const Workplace place;
    place.put_floats("in.npy", {30, 40}, Floats(1200, 1));
    const auto explained = [&](Arguments arguments) {
        const std::string variant = arguments.back();
        arguments.insert(arguments.end(), {"--explain", "--verify", "in.npy", "out.npy"});
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(line_count(outcome.err) > 2);
        CHECK(contains(outcome.err, variant));
    };
    explained(
        {"separable", "--taps-x", "1,2,1", "--taps-y", "1,2,1", "--variant", "separable_passes"});
    explained({"gaussian", "--sigma", "2", "--variant", "separable_passes"});
    explained({"box", "--radius", "2", "--variant", "box_plain"});
    explained({"gaussian", "--sigma", "2", "--variant", "recursive_plain"});

    // Groupings and tiles are hints, and the output says how they are followed.
    for (const auto &[options, said] :
         {std::pair{Arguments{}, "grouping: automatic; 1 trip through memory, at least 8 bytes"},
          std::pair{Arguments{"--overlap"}, "grouping: 0,1; 1 trip through memory"},
          std::pair{Arguments{"--cascade", "each"}, "grouping: 0_1; 2 trips through memory"},
          std::pair{Arguments{"--tile", "64"}, "whatever tile is asked for (64)"}}) {
        Arguments arguments{"recursive",  "--scan",    "+x:0.5,0.5",      "--scan",
                            "-x:0.5,0.5", "--variant", "recursive_plain", "--explain",
                            "--verify",   "in.npy",    "out.npy"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(contains(outcome.err, said));
    }

    for (const Arguments &wrong : {Arguments{"box", "--radius", "1", "--variant", "no_kernel"},
                                   Arguments{"gaussian", "--sigma", "1", "--variant", "box_plain"},
                                   Arguments{"gaussian", "--sigma", "1", "--method", "fir",
                                             "--variant", "separable_fused:GROUP_X=0"}}) {
        Arguments arguments = wrong;
        arguments.insert(arguments.end(), {"in.npy", "other.npy"});
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 2 || outcome.code == 3));
        CHECK(line_count(outcome.err) == 1);
        CHECK(!place.has("other.npy"));
    }
}

TEST_CASE("command: volumes are filtered along z and t, and one number is for all of their axes") {
    const Workplace place;
    Floats values(2 * 5 * 3 * 4);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i * i % 17);
    place.put_floats("volume.npy", {2, 5, 3, 4}, values);
    for (const Arguments &filter :
         {Arguments{"gaussian", "--sigma", "1"}, Arguments{"gaussian", "--sigma", "1,1,2"},
          Arguments{"box", "--radius", "1"}, Arguments{"box", "--radius", "1", "--iterations", "2"},
          Arguments{"separable", "--taps-z", "1,2,1", "--taps-t", "1,-1"}}) {
        Arguments arguments = filter;
        arguments.insert(arguments.end(), {"--verify", "volume.npy", "out.npy"});
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(place.has("out.npy"));
    }
    // Along z alone: a row of the one before less that of this.
    place.put_floats("steps.npy", {3, 1, 2}, {1, 2, 5, 7, 6, 6});
    const auto differences = place.result<float>(
        {"separable", "--taps-z", "1,-1", "--border", "constant:0", "steps.npy", "out.npy"});
    CHECK(differences == Floats{-1, -2, -4, -5, -1, 1});
    // And dense taps from a file.
    Floats taps(8, 0.0F);
    taps[7] = 2.0F;
    place.put_floats("taps.npy", {2, 2, 2}, taps);
    CHECK(place.result<float>({"correlate", "--taps", "taps.npy", "steps.npy", "out.npy"}) ==
          Floats{2, 4, 10, 14, 12, 12});
}

TEST_CASE("command: a filter along an axis that is not supported is exit code 3 and one line") {
    const Workplace place;
    place.put_floats("volume.npy", {2, 3, 2, 4}, Floats(48));
    for (const Arguments &filter :
         {Arguments{"gaussian", "--sigma", "1", "--method", "recursive"},
          Arguments{"gaussian", "--sigma", "1,1,1,2", "--method", "recursive"}}) {
        Arguments arguments = filter;
        arguments.insert(arguments.end(), {"volume.npy", "out.npy"});
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 3);
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(line_count(outcome.err) == 1);
        CHECK(!place.has("out.npy"));
    }
    // The axes without a number are left alone: each slice is filtered apart.
    place.put_floats("steps.npy", {2, 1, 4}, {0, 0, 3, 0, 0, 6, 0, 0});
    const auto steps =
        place.result<float>({"box", "--radius", "1,0", "--verify", "steps.npy", "out.npy"});
    const Floats means{0, 1, 1, 1, 2, 2, 2, 0};
    for (std::size_t i = 0; i < means.size(); ++i)
        CHECK(steps.at(i) == doctest::Approx(means[i]));
}

// Results are those of scipy.signal.sosfilt.
TEST_CASE("command: sections from files, in order with scans, and both ways") {
    const Workplace place;
    const NpyType f8{NpyKind::floating, 8};
    // butter(3, .3, output='sos')
    const std::vector<double> rows{0.04953299635725319,
                                   0.09906599271450638,
                                   0.04953299635725319,
                                   1.0,
                                   -0.32491969623290634,
                                   0.0,
                                   1.0,
                                   1.0,
                                   0.0,
                                   1.0,
                                   -0.8369977874388261,
                                   0.4239856889474126};
    place.put("sos.npy", f8, {2, 6}, rows);
    place.put_floats("in.npy", {8}, {1, 0, 0, -2, 3, 0, 5, -1});
    const auto check = [&](const Arguments &options, const std::vector<double> &expected,
                           const std::string &in = "in.npy") {
        Arguments arguments{"recursive"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.insert(arguments.end(), {"--verify", in, "out.npy"});
        const Floats got = place.result<float>(arguments);
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            CHECK(std::abs(static_cast<double>(got[i]) - expected[i]) < 2e-6);
    };
    const std::vector<double> forwards{
        0.04953299635725319,  0.20615224355790027,  0.35365875517245166, 0.22474286407077151,
        -0.10519277333114121, -0.08131401126857185, 0.6040848028910994,  1.5860560359221907};
    check({"--sos", "sos.npy"}, forwards);
    check({"--sos", "+x:sos.npy"}, forwards);
    check({"--sos", "sos.npy", "--zero-phase"},
          {0.11249059521839302, 0.029900378918421705, 0.10804120682517732, 0.4077071224626161,
           0.7052452920844869, 0.6814283140892675, 0.3568911405549861, 0.0785621078497333});
    // The image's results between 400 pixels that repeat its ends.
    check({"--sos", "sos.npy", "--zero-phase", "--border", "clamp"},
          {0.42646505051467914, -0.01809124980846122, -0.1317516727470501, 0.29017428867976436,
           1.0574458749629956, 1.6333207075220249, 1.5389998360710573, 0.7613642899543602});
    const std::vector<double> after{
        0.024766498178626594, 0.11545937086826343,  0.2345590630203575,  0.22965096354556447,
        0.062229095107211634, -0.00954245808068005, 0.29727117240520984, 0.9416636041637003};
    check({"--scan", "+x:0.5,0.5", "--sos", "sos.npy"}, after);
    place.put_floats("impulse.npy", {4}, {0, 0, 1, 0});
    // With nothing at the edge the order of scans of both directions matters.
    place.put("back.npy", f8, {1, 6}, std::vector<double>{1, 0, 0, 1, -0.5, 0});
    check({"--scan", "+x:1,0.25", "--sos", "-x:back.npy"}, {0.28125, 0.5625, 1.125, 0.25},
          "impulse.npy");
    check({"--sos", "-x:back.npy", "--scan", "+x:1,0.25"}, {0.25, 0.5625, 1.140625, 0.28515625},
          "impulse.npy");
    // Along x forwards and along y backwards; f4 is taken too.
    Floats singles(rows.begin(), rows.end());
    place.put_floats("single.npy", {2, 6}, singles);
    place.put_floats("image.npy", {3, 4}, {1, 2, 0, 0, 0, 0, 0, 4, 0, -3, 0, 0});
    const std::vector<double> both_axes{0.0024535177281276577,
                                        -0.03743495970955488,
                                        -0.1807821830080314,
                                        -0.28330341342668514,
                                        0.0,
                                        -0.030634014987579138,
                                        -0.1274962425718675,
                                        -0.2089085665855746,
                                        0.0,
                                        -0.007360553184382972,
                                        -0.030634014987579138,
                                        -0.052553333495003234};
    check({"--sos", "+x:sos.npy", "--sos", "-y:sos.npy"}, both_axes, "image.npy");
    check({"--sos", "+x:single.npy", "--sos", "-y:single.npy"}, both_axes, "image.npy");
    // A bound that is asked for, and can be had.
    check({"--sos", "sos.npy", "--accuracy", "1e-3"}, forwards);
}

TEST_CASE("command: values are filtered as a picture stores them, 16 bits in the right order") {
    const Workplace place;
    const std::vector<std::uint16_t> values{0, 1, 255, 256, 4660, 65535};
    write_image(place / "in.png", {ImageDesc(Type::u16, 6, 1), to_bytes(values), {}});
    CHECK(place.result<std::uint16_t>({"correlate", "--taps", "1", "in.png", "out.npy"}) == values);
    CHECK(place.shape_of("out.npy") == Shape{1, 6});
    CHECK(place.result<std::uint16_t>({"correlate", "--taps", "2", "in.png", "out.npy"}) ==
          std::vector<std::uint16_t>{0, 2, 510, 512, 9320, 65535});
}

TEST_CASE("command: an array's shape is kept") {
    const Workplace place;
    for (const Shape &shape : {Shape{12}, Shape{3, 4}, Shape{1, 3, 4}, Shape{2, 1, 2, 3}}) {
        place.put_floats("in.npy", shape, numbered<float>(12));
        CHECK(place.result<float>({"correlate", "--taps", "1", "--verify", "in.npy", "out.npy"}) ==
              numbered<float>(12));
        CHECK(place.shape_of("out.npy") == shape);
    }
    // A picture of one channel and one of three.
    write_image(place / "gray.png", {ImageDesc(Type::u8, 3, 2), to_bytes(Bytes(6)), {}});
    write_image(place / "rgb.png", {ImageDesc(Type::u8, 3, 2, 3), to_bytes(Bytes(18)), {}});
    place.result<std::uint8_t>({"correlate", "--taps", "1", "gray.png", "out.npy"});
    CHECK(place.shape_of("out.npy") == Shape{2, 3});
    place.result<std::uint8_t>({"correlate", "--taps", "1", "rgb.png", "out.npy"});
    CHECK(place.shape_of("out.npy") == Shape{2, 3, 3});
}

TEST_CASE("command: channels on the last axis are filtered apart") {
    const Workplace place;
    place.put_floats("in.npy", {3, 2}, {1, 10, 2, 20, 4, 40});
    CHECK(place.result<float>({"correlate", "--taps", "-1,1", "--channels-last", "--verify",
                               "in.npy", "out.npy"}) == Floats{0, 0, 1, 10, 2, 20});
    CHECK(place.shape_of("out.npy") == Shape{3, 2});
    CHECK(place.result<float>({"correlate", "--taps", "-1,1", "in.npy", "out.npy"}) ==
          Floats{0, 9, 0, 18, 0, 36});

    const auto values = numbered<std::uint8_t>(24);
    place.put_bytes("rgb.npy", {2, 4, 3}, values);
    CHECK(place.run({"correlate", "--taps", "1", "--channels-last", "rgb.npy", "out.png"}).code ==
          0);
    const HostImage image = read_image(place / "out.png", ChannelAxis::none);
    CHECK(image.desc.channels == 3);
    CHECK(image.pixels == to_bytes(values));
}

TEST_CASE("command: the result's type") {
    const Workplace place;
    place.put_floats("in.npy", {6}, {0.5F, 1.5F, 2.5F, 300, -3, -32769});
    const auto as = [&](const std::string &type) {
        return Arguments{"correlate", "--taps",   "1",      "--out-type",
                         type,        "--verify", "in.npy", "out.npy"};
    };
    // Half to even, and saturated.
    CHECK(place.result<std::uint8_t>(as("u8")) == Bytes{0, 2, 2, 255, 0, 0});
    CHECK(name_of(read_npy(place / "out.npy").type) == "u1");
    CHECK(place.result<std::uint16_t>(as("u16")) == std::vector<std::uint16_t>{0, 2, 2, 300, 0, 0});
    CHECK(place.result<std::int16_t>(as("s16")) ==
          std::vector<std::int16_t>{0, 2, 2, 300, -3, -32768});
    CHECK(name_of(read_npy(place / "out.npy").type) == "i2");
    place.result<std::uint16_t>(as("f16"));
    CHECK(name_of(read_npy(place / "out.npy").type) == "f2");
    CHECK(to_doubles(read_npy(place / "out.npy")).at(3) == 300);
    CHECK(place.result<float>(as("f32")) == place.get<float>("in.npy"));

    place.put_bytes("bytes.npy", {1, 2}, {7, 250});
    CHECK(
        place.run({"correlate", "--taps", "2", "--out-type", "u16", "bytes.npy", "out.png"}).code ==
        0);
    const HostImage image = read_image(place / "out.png", ChannelAxis::none);
    CHECK(image.desc.type == Type::u16);
    CHECK(from_bytes<std::uint16_t>(image.pixels) == std::vector<std::uint16_t>{14, 500});
}

TEST_CASE("command: regions") {
    const Workplace place;
    place.put_bytes("in.npy", {3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    place.put_bytes("into.npy", {1, 4, 5}, Bytes(20, 99));
    const auto run = [&](const Arguments &more) {
        Arguments arguments{"correlate", "--taps", "1", "--verify", "in.npy", "out.npy"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return place.result<std::uint8_t>(arguments);
    };
    // The offset defaults to the source's.
    CHECK(run({"--src-roi", "1,1,2,2"}) == Bytes{0, 0, 0, 0, 0, 6, 7, 0, 0, 10, 11, 0});
    CHECK(run({"--src-roi", "1,1,2,2", "--dst-offset", "2,0"}) ==
          Bytes{0, 0, 6, 7, 0, 0, 10, 11, 0, 0, 0, 0});
    CHECK(run({"--into", "into.npy", "--src-roi", "1,1,2,2", "--dst-offset", "3,2"}) ==
          Bytes{99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 6, 7, 99, 99, 99, 10, 11});
    CHECK(place.shape_of("out.npy") == Shape{1, 4, 5});
    // All of the source.
    CHECK(run({"--into", "into.npy", "--dst-offset", "1,1"}) ==
          Bytes{99, 99, 99, 99, 99, 99, 1, 2, 3, 4, 99, 5, 6, 7, 8, 99, 9, 10, 11, 12});
    CHECK(run({"--into", "into.npy"}) ==
          Bytes{1, 2, 3, 4, 99, 5, 6, 7, 8, 99, 9, 10, 11, 12, 99, 99, 99, 99, 99, 99});

    // The target gives the type.
    place.put_floats("floats.npy", {3, 4}, Floats(12, -1));
    CHECK(place.result<float>({"correlate", "--taps", "1", "in.npy", "out.npy", "--into",
                               "floats.npy", "--src-roi", "0,0,1,1"}) ==
          Floats{1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1});

    // The pixels beyond the edge of the box: its own border, or the source's pixels.
    place.put_floats("line.npy", {5}, {1, 2, 4, 8, 16});
    const auto edge = [&](const std::string &name) {
        return place.result<float>({"correlate", "--taps", "1,0,1", "--src-roi", "1,3",
                                    "--roi-edge", name, "--verify", "line.npy", "out.npy"});
    };
    CHECK(edge("isolated") == Floats{0, 6, 10, 12, 0});
    CHECK(edge("neighbours") == Floats{0, 5, 10, 20, 0});

    // Boxes in three axes.
    place.put_bytes("volume.npy", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(place.result<std::uint8_t>({"correlate", "--taps", "1", "--src-roi", "1,0,1,1,2,1",
                                      "--dst-offset", "0,0,0", "volume.npy", "out.npy"}) ==
          Bytes{6, 0, 8, 0, 0, 0, 0, 0});
}

TEST_CASE("command: an output may be its input") {
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 4, 9, 16});
    CHECK(place.result<float>({"correlate", "--taps", "-1,1", "in.npy", "in.npy"}, "in.npy") ==
          Floats{0, 3, 5, 7});
    CHECK(place.file_count() == 1);
}

TEST_CASE("command: explain, time, quiet") {
    const Workplace place;
    place.put_floats("in.npy", {30, 40}, Floats(1200, 1));
    const Arguments good{"correlate", "--taps", "1,2,1", "in.npy", "out.npy"};
    const auto run = [&](const Arguments &more) {
        Arguments arguments = good;
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = place.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(place.has("out.npy"));
        return outcome;
    };
    const Outcome plain = run({});
    CHECK(plain.out.empty());
    CHECK(line_count(plain.err) == 1);
    CHECK(contains(plain.err, "device "));

    const Outcome quiet = run({"--quiet", "--verify"});
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());

    const Outcome explained = run({"--explain"});
    CHECK(explained.out.empty());
    CHECK(line_count(explained.err) > 2);
    CHECK(contains(explained.err, "correlate"));

    const Outcome timed = run({"--time", "3", "--quiet"});
    CHECK(timed.err.empty());
    CHECK(line_count(timed.out) == 1);
    for (const std::string part : {"median of 3 runs", "device ", "wall ", "copy ", " ms"})
        CHECK(contains(timed.out, part));
    // The timed runs leave the file as the one run made it.
    CHECK(place.get<float>("out.npy") == Floats(1200, 4));
}

TEST_CASE("command: devices") {
    const Outcome table = gauze_command({"devices"});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "* "));
    CHECK(line_count(table.out) >= 3);
    CHECK(contains(table.out, "kernels on 0: "));

    const Outcome json = gauze_command({"devices", "--json"});
    CHECK(json.code == 0);
    CHECK(json.out.starts_with("["));
    for (const std::string key :
         {"index", "name", "vendor", "platform", "kind", "version", "driver", "class", "default",
          "unusable", "global_memory", "max_allocation", "local_memory", "compute_units",
          "clock_mhz", "max_group_size", "f64", "architecture", "tuning"}) {
        CAPTURE(key);
        CHECK(contains(json.out, "\"" + key + "\":"));
    }
    CHECK(contains(json.out, "\"default\": true"));
}

TEST_CASE("command: the cache of compiled programs") {
    const Workplace place;
    place.put_floats("in.npy", {4, 4}, Floats(16, 1));
    const std::string cache = place / "cache";
    const Arguments in_cache{"GAUZE_CACHE_DIR=" + cache, "GAUZE_LOG=debug"};
    const Arguments blur{"box", "--radius", "1", "in.npy", "out.npy"};
    const auto info = [&] {
        const Outcome outcome = gauze_command({"cache", "info"}, in_cache);
        CHECK(outcome.code == 0);
        CHECK(contains(outcome.out, "directory  " + cache + "\n"));
        CHECK(contains(outcome.out, "cap        67108864\n"));
        return outcome.out;
    };
    CHECK(contains(info(), "entries    0\nbytes      0\n"));
    CHECK(!place.has("cache"));

    // Two processes at once, which share it.
    std::vector<Outcome> outcomes(2);
    std::vector<std::thread> processes;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        processes.emplace_back([&, i] {
            Arguments arguments = blur;
            arguments.back() = i == 0 ? "out.npy" : "other.npy";
            outcomes[i] = place.run(arguments, in_cache);
        });
    for (std::thread &process : processes)
        process.join();
    for (const Outcome &outcome : outcomes) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(!contains(outcome.err, "warning: "));
    }
    CHECK(contains(outcomes[0].err + outcomes[1].err, "debug: compiled "));
    CHECK(place.get<float>("out.npy") == place.get<float>("other.npy"));
    CHECK(contains(info(), "entries    1\n"));

    // The next one compiles nothing; without the cache it does.
    const Outcome warm = place.run(blur, in_cache);
    CHECK(warm.code == 0);
    CHECK(contains(warm.err, "from the cache: "));
    CHECK(!contains(warm.err, "debug: compiled "));
    const Outcome off = place.run(blur, {"GAUZE_CACHE_DIR=off", "GAUZE_LOG=debug"});
    CHECK(contains(off.err, "debug: compiled "));

    const Outcome json = gauze_command({"cache", "info", "--json"}, in_cache);
    CHECK(json.code == 0);
    CHECK(contains(json.out, "\"directory\": \"" + in_json(cache) + "\""));
    CHECK(contains(json.out, "\"entries\": 1"));
    CHECK(contains(json.out, "\"cap\": 67108864"));

    const Outcome clear = gauze_command({"cache", "clear"}, in_cache);
    CHECK(clear.code == 0);
    CHECK(clear.out == "removed 1 entry from " + cache + "\n");
    CHECK(gauze_command({"cache", "clear"}, in_cache).out ==
          "removed 0 entries from " + cache + "\n");
    CHECK(contains(info(), "entries    0\n"));

    // The cache is off, nowhere, or the user's own.
    CHECK(contains(gauze_command({"cache", "info"}).out, "directory  none\n"));
    CHECK(contains(gauze_command({"cache", "info", "--json"}).out, "\"directory\": null"));
    CHECK(gauze_command({"cache", "clear"}).out == "removed 0 entries\n");
#ifdef _WIN32
    const std::string caches = "LOCALAPPDATA=";
    const std::string own = "\\gauze\\cache\n";
#else
    const std::string caches = "XDG_CACHE_HOME=";
    const std::string own = "/gauze\n";
#endif
    CHECK(contains(gauze_command({"cache", "info"}, {"GAUZE_CACHE_DIR", caches + cache}).out,
                   "directory  " + cache + own));

    // A directory that is not to be trusted is bad input here, and a warning for a run.
    support::let_others_write(cache);
    for (const char *what : {"info", "clear"}) {
        const Outcome outcome = gauze_command({"cache", what}, in_cache);
        CHECK(outcome.code == 2);
        CHECK(line_count(outcome.err) == 1);
        CHECK(contains(outcome.err, cache));
    }
    const Outcome run = place.run(blur, in_cache);
    CHECK(run.code == 0);
    CHECK(contains(run.err, "warning: "));
    CHECK(std::filesystem::is_empty(cache));

    for (const Arguments &arguments :
         {Arguments{"cache"}, Arguments{"cache", "burn"}, Arguments{"cache", "clear", "all"}}) {
        const Outcome outcome = gauze_command(arguments);
        CHECK(outcome.code == 2);
        CHECK(line_count(outcome.err) == 1);
    }
}

TEST_CASE("command: no device is exit code 3 and one line") {
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 2, 3, 4});
    const Arguments good{"correlate", "--taps", "1", "in.npy", "out.npy"};
    Arguments with_device = good;
    with_device.insert(with_device.end(), {"--device", "no such device"});
    std::filesystem::create_directory(place / "icd");
    const std::string no_drivers = "OCL_ICD_VENDORS=" + (place / "icd");
    // Some ICD loaders do not let the environment take their drivers away.
    const bool listens = gauze_command({"devices"}, {no_drivers}).code != 0;
    std::vector<Outcome> outcomes{place.run(good, {"GAUZE_DEVICE=no such device"}),
                                  place.run(with_device)};
    if (listens) {
        outcomes.push_back(place.run(good, {no_drivers}));
        outcomes.push_back(gauze_command({"devices"}, {no_drivers}));
    }
    for (const Outcome &outcome : outcomes) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 3);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(line_count(outcome.err) == 1);
    }
    if (listens) {
        const Outcome json = gauze_command({"devices", "--json"}, {no_drivers});
        CHECK(json.code == 3);
        CHECK(json.out == "[]\n");
        CHECK(line_count(json.err) == 1);
    }
    CHECK(!place.has("out.npy"));
}

TEST_CASE("command: PoCL compiles a kernel once, also where the library keeps it") {
    const Workplace place;
    place.put_floats("in.npy", {4, 4}, Floats(16, 1));
    const auto compiled = [&](const std::string &cache, const Arguments &more) {
        Arguments environment{"POCL_CACHE_DIR=" + (place / cache),
                              "GAUZE_CACHE_DIR=" + (place / "own_" + cache)};
        environment.insert(environment.end(), more.begin(), more.end());
        std::filesystem::create_directory(place / cache);
        const Outcome outcome =
            place.run({"box", "--radius", "1", "in.npy", "out.npy"}, environment);
        CHECK(outcome.code == 0);
        using Files = std::filesystem::recursive_directory_iterator;
        return std::count_if(Files(place / cache), Files(),
                             [](const auto &file) { return file.path().extension() == ".so"; });
    };
    if (compiled("pocl", {}) == 0)
        return; // another driver
    CHECK(compiled("once", {}) == 1);
    CHECK(compiled("as_told", {"POCL_WORK_GROUP_SPECIALIZATION=1"}) == 2);
}

TEST_CASE("command: where PoCL has no device for want of a cache, the error says so") {
    // With no other driver. /dev/null is no directory, whoever asks.
    const Workplace place;
    std::filesystem::create_directory(place / "icd");
    const std::filesystem::path pocl = "/etc/OpenCL/vendors/pocl.icd";
    if (!std::filesystem::exists(pocl))
        return;
    std::filesystem::copy(pocl, place / "icd/pocl.icd");
    const Outcome outcome =
        gauze_command({"devices"}, {"POCL_CACHE_DIR", "OCL_ICD_VENDORS=" + (place / "icd"),
                                    "HOME=/dev/null", "XDG_CACHE_HOME=/dev/null"});
    INFO(outcome.err);
    INFO(outcome.out);
    if (outcome.code == 0) // this PoCL does not need it
        return;
    CHECK(outcome.code == 3);
    CHECK(contains(outcome.err, "Portable Computing Language"));
    CHECK(contains(outcome.err, "POCL_CACHE_DIR"));
    CHECK_FALSE(contains(outcome.err, "apt install"));
}

TEST_CASE("command: the library's log") {
    const Workplace place;
    place.put_floats("in.npy", {4}, {1, 2, 3, 4});
    const Arguments quiet{"correlate", "--taps", "1", "in.npy", "out.npy", "--quiet"};
    CHECK(place.run(quiet, {"GAUZE_LOG=error"}).err.empty());
    CHECK(contains(place.run(quiet, {"GAUZE_LOG=debug"}).err, "debug: "));
    const Outcome outcome = place.run(quiet, {"GAUZE_LOG=loud"});
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, "GAUZE_LOG is 'loud'"));
}
