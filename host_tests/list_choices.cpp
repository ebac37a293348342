// Prints which kernels plans take on the device at hand, a line for each filter and type of pixels, and enqueues each plan
// once, so that a layer below sees what is compiled and launched. device_layer.cpp makes a device of it that is not here.
//   list_choices [all]    f32 and u8 of one channel, or all types, and colours
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <bench_input.hpp>
#include <bench_rows.hpp>
#include <gauze/gauze.hpp>

namespace {

using gauze::Engine;
using gauze::Filter;
using gauze::Image;
using gauze::ImageDesc;
using gauze::Plan;
using gauze::PlanOptions;
using gauze::Type;

struct Pixels {
    Type type;
    int channels;
    std::string name;
};

// Sums of integers and fractions of them are written as other types.
struct Case {
    std::string name;
    Filter filter;
    ImageDesc source, target;
    std::size_t targets = 1;
    PlanOptions options;
};

ImageDesc image_of(gauze::tool::BenchInput input, const Pixels &pixels) {
    using gauze::tool::BenchInput;
    ImageDesc image(pixels.type, 4096, 4096, pixels.channels);
    if (input == BenchInput::signal)
        image.extent = {10'000'000, 1, 1, 1};
    if (input == BenchInput::volume)
        image.extent = {256, 256, 256, 1};
    if (input == BenchInput::volumes)
        image.extent = {128, 128, 128, 8};
    return image;
}

Case case_of(const gauze::tool::BenchRow &row, const Pixels &pixels) {
    const ImageDesc source = image_of(row.input, pixels);
    ImageDesc target = source;
    target.type = gauze::tool::target_type(row, pixels.type);
    return {gauze::tool::text_of(row),
            gauze::tool::filter_of(row, pixels.type),
            source,
            target,
            row.targets(),
            gauze::tool::options_of(row, source)};
}

// Filters that no row of the benchmark has, and that have kernels or programs of their own.
std::vector<Case> others(const Pixels &pixels) {
    using gauze::tool::random_taps;
    const ImageDesc image(pixels.type, 4096, 4096, pixels.channels);
    ImageDesc volume = image;
    volume.extent = {256, 256, 256, 1};
    const auto dense = [](int x, int y) { return gauze::Taps(random_taps(x * y, 1), x, y); };
    std::vector<Case> cases;
    const auto add = [&](const char *name, const Filter &filter, const ImageDesc &of,
                         std::size_t targets = 1) {
        cases.push_back({name, filter, of, of, targets, {}});
    };
    add("separable radius 35", gauze::separable(random_taps(71, 1), random_taps(71, 2)), image);
    add("correlate 4 x 6", gauze::correlate(dense(4, 6)), image);
    add("correlate 31 x 31", gauze::correlate(dense(31, 31)), image);
    add("bspline order 5", gauze::bspline(5), image);
    add("percentile 7 x 7", gauze::percentile(gauze::Window(7), 20.0), image);
    add("median of 3 x 3 x 3", gauze::median(gauze::Window({3, 3, 3, 1})), volume);
    add("opening 5 x 5", gauze::open(gauze::Structure(gauze::Window(5))), image);
    add("box of 11 x 11 x 11", gauze::box({5, 5, 5, 0}), volume);
    add("hessian eigenvalue", gauze::hessian_eigenvalue(gauze::Derivatives(), 0), image);
    if (pixels.channels == 1) {
        ImageDesc pairs = image;
        pairs.channels = 2;
        add("taps for each channel",
            gauze::correlate(dense(5, 5)).with_component(1, gauze::correlate(dense(3, 3))), pairs);
    } else if (pixels.channels == 3) {
        add("guided by color", gauze::guided(8, 0.01, gauze::Guide::color), image);
    }
    return cases;
}

// Returns whether the plan was made and enqueued.
bool list(const Engine &engine, const Case &listed, const std::string &pixels) {
    const std::string name = pixels + " " + listed.name;
    setenv("DEVICE_LAYER_NOTE", name.c_str(), 1);
    try {
        const Plan plan =
            engine.plan(listed.filter, listed.source,
                        std::vector<ImageDesc>(listed.targets, listed.target), listed.options);
        std::printf("%s: %s\n", name.c_str(), plan.variant().c_str());
        std::vector<Image> images;
        std::vector<cl_mem> sources, targets;
        const auto add = [&](std::vector<cl_mem> &to, const ImageDesc &desc) {
            images.push_back(engine.image(desc));
            to.push_back(images.back().mem());
        };
        add(sources, listed.source);
        if (listed.options.guide)
            add(sources, *listed.options.guide);
        for (std::size_t i = 0; i < listed.targets; ++i)
            add(targets, listed.target);
        plan.enqueue_sources(nullptr, sources, targets);
        engine.finish();
    } catch (const gauze::Error &error) {
        std::printf("%s: %s\n", name.c_str(), error.what());
        return error.status() == GAUZE_ERROR_UNSUPPORTED;
    }
    return true;
}

bool list_ssimulacra2(const Engine &engine, int side) {
    const std::string name = "u8x3 ssimulacra2 " + std::to_string(side);
    setenv("DEVICE_LAYER_NOTE", name.c_str(), 1);
    try {
        const ImageDesc image(Type::u8, side, side, 3);
        gauze::Ssimulacra2 metric = engine.ssimulacra2(image, image);
        std::printf("%s: ready\n", name.c_str());
        const std::vector<unsigned char> pixels(image.bytes(), 7);
        metric.set_reference(pixels);
        metric.score(pixels);
    } catch (const gauze::Error &error) {
        std::printf("%s: %s\n", name.c_str(), error.what());
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<Pixels> types{{Type::f32, 1, "f32"}, {Type::u8, 1, "u8"}};
    if (argc > 1 && std::string(argv[1]) == "all")
        types.insert(types.end(), {{Type::f16, 1, "f16"},
                                   {Type::u16, 1, "u16"},
                                   {Type::s16, 1, "s16"},
                                   {Type::u8, 3, "u8x3"},
                                   {Type::f32, 3, "f32x3"},
                                   {Type::u8, 4, "u8x4"}});
    bool all_made = true;
    try {
        const Engine engine;
        for (const Pixels &pixels : types) {
            for (const gauze::tool::BenchRow &row : gauze::tool::rows_of({}))
                if (!row.has_guide() || pixels.channels != 4) // guides have 1 or 3
                    all_made &= list(engine, case_of(row, pixels), pixels.name);
            for (const Case &other : others(pixels))
                all_made &= list(engine, other, pixels.name);
        }
        for (const int side : {64, 2048})
            all_made &= list_ssimulacra2(engine, side);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "list_choices: %s\n", error.what());
        return 2;
    }
    return all_made ? 0 : 1;
}
