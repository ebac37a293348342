// Every kernel of guided filters, and whole filters, against the reference in double with the filter's bound; the
// reference against the formula, window by window.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/family.hpp"
#include "families/guided/kernels.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

// Who guides: the image, by channels or as color, or an image of its own.
enum class Kind { channels, color, gray_image, color_image };
constexpr Kind all_kinds[] = {Kind::channels, Kind::color, Kind::gray_image, Kind::color_image};

struct GuidedCase : ImageCase {
    Kind kind = Kind::channels;
    PixelType guide_type = PixelType::f32;
    std::int64_t radius = 2;
    double epsilon = 0.01; // of the square of the guide's range
    std::string variant{};

    bool has_guide() const { return kind == Kind::gray_image || kind == Kind::color_image; }
    bool is_color() const { return kind == Kind::color || kind == Kind::color_image; }
    Guided filter() const {
        const PixelType type = has_guide() ? guide_type : src_type;
        const double largest = facts_of(type).is_integer ? facts_of(type).highest : 1.0;
        return checked(Guided{radius, epsilon * largest * largest,
                              has_guide()           ? Guide::image
                              : kind == Kind::color ? Guide::color
                                                    : Guide::channels});
    }
};

// The guide is laid out by itself.
PlanDesc plan_of(const GuidedCase &test) {
    PlanDesc desc = make_plan_desc(test);
    if (!test.has_guide())
        return desc;
    ImageCase guide = test;
    guide.src_type = test.guide_type;
    guide.channels = test.is_color() ? 3 : 1;
    guide.layout = test.layout == Layout::tight ? Layout::odd_offset_and_pitch : Layout::tight;
    desc.more_sources = {make_plan_desc(guide).source};
    return desc;
}

std::vector<std::vector<std::byte>> make_guide(const PlanDesc &desc, std::minstd_rand &random) {
    if (desc.more_sources.empty())
        return {};
    PlanDesc guide = desc;
    guide.source = desc.more_sources[0];
    return {make_source(guide, random)};
}

std::string run(const GuidedCase &test, Tally &tally) {
    std::minstd_rand random(5);
    const Filter filter = test.filter();
    const PlanDesc desc = plan_of(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::vector<std::byte>> guide = make_guide(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got =
        run_forced(filter, desc, test.variant, source, before, guide);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    ++tally.ran;
    if (const std::string where = written_outside(before, got, desc); !where.empty())
        return where;
    ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    for (const std::vector<std::byte> &memory : guide)
        job.more_sources.push_back({desc.more_sources[0], memory.data()});
    const double largest = largest_magnitude(job);
    // Found errors are far below the bound, which is for the worst of all images.
    constexpr double found = 2e-4;
    const double bound =
        std::min(filter.error_bound(largest),
                 found * largest * std::max(1.0, 1e-2 / test.epsilon) *
                     (test.has_guide() ? largest / std::sqrt(filter.get<Guided>().epsilon) : 1.0));
    return compare_with_double(job, desc, got, tally, [&](double exact) {
        return bound + storing_error(desc.target.type, std::abs(exact) + bound);
    });
}

void run_all(const std::vector<GuidedCase> &cases) {
    Tally tally;
    for (const GuidedCase &test : cases) {
        INFO(test.variant, " ", test.name(), " guide ", name_of(test.guide_type), " kind ",
             static_cast<int>(test.kind), " ", gz::to_text(test.filter()));
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it, worst ", tally.worst, " of the bound");
}

const gz::Kernel &spec_of(const std::string &kernel) {
    const std::vector<gz::Kernel> &all = guided_kernels();
    return *std::find_if(all.begin(), all.end(),
                         [&](const gz::Kernel &own) { return own.name == kernel; });
}

std::string parts(const std::string &kernel, const std::string &own, Kind kind) {
    const int means = kind == Kind::channels ? 2 : kind == Kind::gray_image ? 4 : 7;
    const int others = kind == Kind::color || kind == Kind::color_image ? 4 : 2;
    std::string result = kernel == "guided_products" ? own : "";
    for (int i = 0; i <= means; ++i)
        result += "; ";
    result += kernel == "guided_solve" ? own : "";
    for (int i = 0; i <= others; ++i)
        result += "; ";
    return result + (kernel == "guided_combine" ? own : "");
}

std::vector<GuidedCase> pairwise_cases_of(const std::string &kernel, const Limits &limits) {
    const gz::Kernel &spec = spec_of(kernel);
    const bool at_once = spec.takes(GuidedPass());
    const std::vector<std::pair<int, int>> sizes =
        limits.image > 100
            ? std::vector<std::pair<int, int>>{{1, 1}, {5, 43}, {131, 203}, {1100, 40}}
            : std::vector<std::pair<int, int>>{{1, 1}, {5, 33}, {40, 17}};
    const std::vector<std::int64_t> radii{0, 1, 2, 8, 30, 300};
    const std::vector<double> epsilons{1e-2, 1.0, 1e-4};
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(std::size(all_kinds)), 5,
                                 static_cast<int>(limits.image > 100 ? radii.size() : 4),
                                 static_cast<int>(epsilons.size())});
    append_counts(counts, spec.tunables);
    std::vector<GuidedCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        GuidedCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.kind = all_kinds[row[image]];
        if (at_once && test.is_color())
            test.kind = test.kind == Kind::color ? Kind::channels : Kind::gray_image;
        if (test.kind == Kind::color)
            test.channels = 3;
        if (kernel == "guided_march" || (at_once && test.has_guide()))
            test.channels = 1;
        test.guide_type = all_types[row[image + 1]];
        test.radius = radii[static_cast<std::size_t>(row[image + 2])];
        test.epsilon = epsilons[static_cast<std::size_t>(row[image + 3])];
        const std::string own =
            kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 4));
        test.variant = at_once ? own : parts(kernel, own, test.kind);
        cases.push_back(test);
    }
    return cases;
}

std::vector<std::string> kernels() {
    std::vector<std::string> names;
    for (const std::vector<std::string> &own :
         {kernels_under_test<GuidedPass>(), kernels_under_test<GuidedProductsPass>(),
          kernels_under_test<GuidedSolvePass>(), kernels_under_test<GuidedCombinePass>()})
        names.insert(names.end(), own.begin(), own.end());
    return names;
}

// A small image in double, and its reading beyond the edges.
struct Picture {
    int width = 0, height = 0, channels = 1;
    std::vector<double> values{};

    double at(int x, int y, int c) const {
        return values[static_cast<std::size_t>((y * width + x) * channels + c)];
    }
};

Picture picture_of(int channels, unsigned seed) {
    Picture picture{13, 9, channels};
    std::minstd_rand random(seed);
    for (int i = 0; i < picture.width * picture.height * channels; ++i)
        picture.values.push_back(static_cast<double>(random() % 1000) / 1000.0);
    return picture;
}

// The mean of value(x, y) over a window, each index folded as the border says; `beyond` outside.
template <class Value>
double mean_around(const Picture &image, int x, int y, int radius, BorderMode border, double beyond,
                   Value &&value) {
    double sum = 0.0;
    for (int j = y - radius; j <= y + radius; ++j)
        for (int i = x - radius; i <= x + radius; ++i) {
            const std::int64_t column = fold(i, image.width, border);
            const std::int64_t row = fold(j, image.height, border);
            sum += column < 0 || row < 0 ? beyond
                                         : value(static_cast<int>(column), static_cast<int>(row));
        }
    const double size = 2.0 * radius + 1.0;
    return sum / (size * size);
}

double determinant(const std::array<std::array<double, 3>, 3> &m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// The formula, with Cramer's rule. channels: of the guide, all together.
Picture by_formula(const Picture &image, const Picture &guide, int radius, double epsilon,
                   const Border &border) {
    const std::size_t size = static_cast<std::size_t>(guide.channels);
    Picture result = image;
    std::vector<Picture> linear(size + 1, image);
    const auto mean = [&](int x, int y, double beyond, auto &&value) {
        return mean_around(image, x, y, radius, border.mode, beyond, value);
    };
    const double v = border.value;
    for (int c = 0; c < image.channels; ++c)
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x) {
                const auto place =
                    static_cast<std::size_t>((y * image.width + x) * image.channels + c);
                const double p = mean(x, y, v, [&](int i, int j) { return image.at(i, j, c); });
                std::array<std::array<double, 3>, 3> matrix{
                    {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
                std::array<double, 3> means{}, right{};
                for (std::size_t k = 0; k < size; ++k)
                    means[k] = mean(
                        x, y, v, [&](int i, int j) { return guide.at(i, j, static_cast<int>(k)); });
                for (std::size_t k = 0; k < size; ++k) {
                    for (std::size_t l = 0; l < size; ++l)
                        matrix[k][l] =
                            mean(x, y, (v - means[k]) * (v - means[l]),
                                 [&](int i, int j) {
                                     return (guide.at(i, j, static_cast<int>(k)) - means[k]) *
                                            (guide.at(i, j, static_cast<int>(l)) - means[l]);
                                 }) +
                            (k == l ? epsilon : 0.0);
                    right[k] = mean(x, y, (v - means[k]) * (v - p), [&](int i, int j) {
                        return (guide.at(i, j, static_cast<int>(k)) - means[k]) *
                               (image.at(i, j, c) - p);
                    });
                }
                double offset = p;
                for (std::size_t k = 0; k < size; ++k) {
                    auto replaced = matrix;
                    for (std::size_t l = 0; l < 3; ++l)
                        replaced[l][k] = right[l];
                    const double slope = determinant(replaced) / determinant(matrix);
                    linear[k].values[place] = slope;
                    offset -= slope * means[k];
                }
                linear[size].values[place] = offset;
            }
    for (int c = 0; c < image.channels; ++c)
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x) {
                double sum = mean(x, y, v, [&](int i, int j) { return linear[size].at(i, j, c); });
                for (std::size_t k = 0; k < size; ++k)
                    sum += mean(x, y, 0.0, [&](int i, int j) { return linear[k].at(i, j, c); }) *
                           guide.at(x, y, static_cast<int>(k));
                result
                    .values[static_cast<std::size_t>((y * image.width + x) * image.channels + c)] =
                    sum;
            }
    return result;
}

ImageDesc desc_of(const Picture &picture) {
    ImageDesc desc;
    desc.type = PixelType::f64;
    desc.channels = picture.channels;
    desc.extent = {picture.width, picture.height, 1, 1};
    return complete(desc, "picture");
}

// One channel of a picture.
Picture channel_of(const Picture &picture, int c) {
    Picture result{picture.width, picture.height, 1};
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x)
            result.values.push_back(picture.at(x, y, c));
    return result;
}

void check_reference(const Guided &guided, const Picture &image, const Picture &guide,
                     const std::vector<double> &expected, const Border &border) {
    const Filter filter = guided;
    Region all;
    all.extent = {image.width, image.height, 1, 1};
    ReferenceJob job{filter, desc_of(image), border, all,
                     reinterpret_cast<const std::byte *>(image.values.data())};
    if (guided.guide == Guide::image)
        job.more_sources.push_back(
            {desc_of(guide), reinterpret_cast<const std::byte *>(guide.values.data())});
    std::size_t at = 0;
    double worst = 0.0;
    compute_in_double(job, [&](const RowPlace &, const double *row) {
        for (int i = 0; i < image.width * image.channels; ++i, ++at)
            worst = std::max(worst, std::abs(row[i] - expected[at]));
    });
    CHECK(at == expected.size());
    CHECK(worst < 1e-9);
}

PlanDesc plan_of_floats(int width, int height, int channels, int guide_channels) {
    PlanDesc desc;
    desc.source.type = PixelType::f32;
    desc.source.extent = {width, height, 1, 1};
    desc.source.channels = channels;
    desc.target = desc.source;
    if (guide_channels > 0) {
        desc.more_sources = {desc.source};
        desc.more_sources[0].channels = guide_channels;
    }
    return desc;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("guided kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {})));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("guided kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {40, 40})));
    }
}

TEST_SUITE("guided") {
    TEST_CASE("guided: the reference is the formula") {
        for (const BorderMode mode : all_border_modes)
            for (const int radius : {1, 3, 11}) {
                CAPTURE(name_of(mode));
                CAPTURE(radius);
                const Border border{mode, 0.25};
                const double epsilon = 0.01;
                const Picture two = picture_of(2, 1), three = picture_of(3, 2),
                              one = picture_of(1, 3);
                Picture own = two;
                for (int c = 0; c < 2; ++c) {
                    const Picture channel = channel_of(two, c);
                    const Picture result = by_formula(channel, channel, radius, epsilon, border);
                    for (std::size_t i = 0; i < result.values.size(); ++i)
                        own.values[2 * i + static_cast<std::size_t>(c)] = result.values[i];
                }
                check_reference({radius, epsilon, Guide::channels}, two, two, own.values, border);
                check_reference({radius, epsilon, Guide::color}, three, three,
                                by_formula(three, three, radius, epsilon, border).values, border);
                check_reference({radius, epsilon, Guide::image}, two, one,
                                by_formula(two, one, radius, epsilon, border).values, border);
                check_reference({radius, epsilon, Guide::image}, two, three,
                                by_formula(two, three, radius, epsilon, border).values, border);
            }
    }

    TEST_CASE("guided: far from zero, and where little varies") {
        // Values around 1000 that vary by 1: squares in f32 alone would lose all of it.
        const int width = 150, height = 90;
        std::vector<float> image;
        std::minstd_rand random(9);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                image.push_back(1000.0F + (x > 70 ? 0.5F : 0.0F) +
                                static_cast<float>(random() % 1024) / 8192.0F);
        for (const double epsilon : {1e-4, 1e-2}) {
            const Filter filter = checked(Guided{4, epsilon, Guide::channels});
            const PlanDesc desc = complete(plan_of_floats(width, height, 1, 0));
            const std::vector<float> got = filtered(filter, image, {width, height, 1, 1});
            double worst = 0.0;
            std::size_t at = 0;
            const ReferenceJob job{filter, desc.source, desc.border, desc.region,
                                   reinterpret_cast<const std::byte *>(image.data())};
            compute_in_double(job, [&](const RowPlace &, const double *row) {
                for (int i = 0; i < width; ++i, ++at)
                    worst = std::max(worst, std::abs(row[i] - static_cast<double>(got[at])));
            });
            CHECK(worst < 4e-4); // a few steps of 1000 in f32 are 6e-5
        }
    }

    TEST_CASE("guided: bad input is named") {
        constexpr Status invalid = Status::invalid_argument;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        check_refused(invalid, {"radius is -1", "0 to 1048575"}, [&] { checked(Guided{-1, 1.0}); });
        check_refused(invalid, {"radius is 1048576"}, [&] { checked(Guided{1048576, 1.0}); });
        check_refused(invalid, {"epsilon is 0"}, [&] { checked(Guided{1, 0.0}); });
        check_refused(invalid, {"epsilon is nan"}, [&] { checked(Guided{1, nan}); });
        const auto plan = [&](Guide guide, const PlanDesc &desc) {
            const Plan made(engine(), checked(Guided{1, 1.0, guide}), desc, "");
        };
        check_refused(invalid, {"the image has 2 channels", "3"},
                      [&] { plan(Guide::color, plan_of_floats(8, 8, 2, 0)); });
        check_refused(invalid, {"the guide has 2 channels", "1 or 3"},
                      [&] { plan(Guide::image, plan_of_floats(8, 8, 1, 2)); });
        PlanDesc larger = plan_of_floats(8, 8, 1, 1);
        larger.more_sources[0].extent[0] = 9;
        check_refused(invalid, {"the guide is 9x8", "the source 8x8"},
                      [&] { plan(Guide::image, larger); });
        PlanDesc planes = plan_of_floats(8, 8, 1, 1);
        planes.more_sources[0].planes = 2;
        check_refused(invalid, {"the guide has 2 planes"}, [&] { plan(Guide::image, planes); });
        PlanDesc doubles = plan_of_floats(8, 8, 1, 1);
        doubles.more_sources[0].type = PixelType::f64;
        check_refused(Status::unsupported, {"the guide has pixel type f64"},
                      [&] { plan(Guide::image, doubles); });
        PlanDesc zero = plan_of_floats(8, 8, 1, 0);
        zero.border.mode = BorderMode::zero;
        check_refused(invalid, {"zero"}, [&] { plan(Guide::channels, zero); });
        check_refused(invalid, {"guided filters", "cannot be in one"}, [&] {
            Filter::bank({checked(Guided{1, 1.0})});
        });
    }

    TEST_CASE("guided: each pass takes its part of a variant") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {40, 30, 1, 1});
        desc = gz::complete(desc);
        const Filter filter = GuidedCase().filter();
        const std::string first = "guided_march:GROUPS=1,LANES=64,ROWS=8";
        const std::string second = "guided_march:GROUPS=4,LANES=64,ROWS=16";
        for (const auto &[one, other] : {std::pair{first, second}, {second, first}}) {
            const std::string text = Plan(engine(), filter, desc, one + ";" + other).explain();
            INFO(text);
            CHECK(text.find("pass 1 of 2: " + one) != std::string::npos);
            CHECK(text.find("pass 2 of 2: " + other) != std::string::npos);
        }
        check_refused(Status::invalid_argument, {"box_lines"},
                      [&] { Plan(engine(), filter, desc, first + ";box_lines"); });
    }

    TEST_CASE("guided: images that are streamed have the results of whole images") {
        for (const Kind kind : {Kind::channels, Kind::gray_image, Kind::color_image})
            for (const BorderMode border : all_border_modes) {
                GuidedCase test;
                test.kind = kind;
                test.width = 150;
                test.height = 400;
                test.radius = 6;
                test.border = border;
                test.guide_type = PixelType::u8;
                test.region =
                    border == BorderMode::wrap ? RegionKind::neighbours : RegionKind::isolated;
                CAPTURE(test.name());
                CAPTURE(static_cast<int>(kind));
                std::minstd_rand random(4);
                const Filter filter = test.filter();
                const PlanDesc desc = plan_of(test);
                std::vector<std::vector<std::byte>> memory{make_source(desc, random)};
                for (std::vector<std::byte> &guide : make_guide(desc, random))
                    memory.push_back(std::move(guide));
                std::vector<HostSource> sources;
                for (const std::vector<std::byte> &one : memory)
                    sources.push_back({one.data(), one.size()});
                const Plan plan(engine(), filter, desc, "");
                std::vector<std::byte> result = make_target(desc, random);
                HostRun how;
                how.most_bytes = kind == Kind::color_image ? 1 << 20 : 200 << 10;
                std::uint64_t reports = 0;
                how.report = [&](std::uint64_t, std::uint64_t) { return ++reports, true; };
                plan.run(sources, {{result.data(), result.size()}}, how);
                CHECK(reports > 3); // several slabs
                const Verification found = verify(plan, sources, {{result.data(), result.size()}});
                CHECK(found.worst_error <= std::min(found.bound, 1e-4));
            }
    }
}
