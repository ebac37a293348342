// Recursive filters and summed-area tables: the references in double against small cases by hand and
// against padding, and the approximations against what they approximate.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "families/recursive/gaussian_modes.hpp"
#include "families/recursive/recursive.hpp"
#include "families/reference.hpp"
#include "support/difference.hpp"
#include "support/unit.hpp"

using gz::Axes;
using gz::Border;
using gz::BorderMode;
using gz::Filter;
using gz::Gaussian;
using gz::GaussianMethod;
using gz::ImageDesc;
using gz::Modes;
using gz::PixelType;
using gz::ReferenceJob;
using gz::Region;
using gz::RegionEdge;
using gz::RowPlace;
using gz::Scan;
using gz::Status;
using support::check_refused;
using support::make_image;

namespace {

const Border zero{BorderMode::zero, 0.0};

// f32 pixels of the whole image as they lie in memory.
struct Picture {
    ImageDesc desc;
    std::vector<float> values;

    const std::byte *bytes() const { return reinterpret_cast<const std::byte *>(values.data()); }
};

Picture make_picture(const Axes &extent, std::int64_t channels = 1, std::int64_t planes = 1) {
    Picture picture{make_image(PixelType::f32, extent, channels, planes), {}};
    picture.values.resize(static_cast<std::size_t>(picture.desc.bytes()) / sizeof(float));
    return picture;
}

Picture noise(const Axes &extent, std::int64_t channels = 1, std::int64_t planes = 1) {
    Picture picture = make_picture(extent, channels, planes);
    std::minstd_rand random(7);
    for (float &value : picture.values)
        value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
    return picture;
}

Picture row(const std::vector<float> &values) {
    Picture picture = make_picture({static_cast<std::int64_t>(values.size()), 1, 1, 1});
    picture.values = values;
    return picture;
}

Region whole(const ImageDesc &desc) {
    return gz::complete(Region(), desc, desc);
}

using Compute = void (*)(const ReferenceJob &, const gz::RowSink<double> &);

// Planes, volumes, slices and rows in order.
std::vector<double> filtered(const Filter &filter, const Picture &picture, const Border &border,
                             const Region &region, Compute compute = gz::compute_in_double) {
    std::vector<double> results;
    const auto width = region.extent[0] * picture.desc.channels;
    compute({filter, picture.desc, border, region, picture.bytes()},
            [&](const RowPlace &, const double *values) {
                results.insert(results.end(), values, values + width);
            });
    return results;
}

std::vector<double> filtered(const Filter &filter, const Picture &picture, const Border &border,
                             Compute compute = gz::compute_in_double) {
    return filtered(filter, picture, border, whole(picture.desc), compute);
}

// The picture between `apron` pixels of its border along x and y, and z where it has several slices.
Picture padded(const Picture &picture, const Border &border, std::int64_t apron) {
    const Axes &n = picture.desc.extent;
    const std::int64_t apron_z = n[2] > 1 ? apron : 0;
    Picture result = make_picture({n[0] + 2 * apron, n[1] + 2 * apron, n[2] + 2 * apron_z, n[3]},
                                  picture.desc.channels, picture.desc.planes);
    const Axes &m = result.desc.extent;
    std::size_t to = 0;
    const auto place = [&](std::int64_t i, std::int64_t size) {
        return gz::fold(i, size, border.mode);
    };
    for (std::int64_t p = 0; p < result.desc.planes; ++p)
        for (std::int64_t t = 0; t < m[3]; ++t)
            for (std::int64_t z = 0; z < m[2]; ++z)
                for (std::int64_t y = 0; y < m[1]; ++y)
                    for (std::int64_t x = 0; x < m[0]; ++x)
                        for (std::int64_t c = 0; c < result.desc.channels; ++c) {
                            const Axes at{place(x - apron, n[0]), place(y - apron, n[1]),
                                          place(z - apron_z, n[2]), t};
                            result.values[to++] = std::min({at[0], at[1], at[2]}) < 0
                                                      ? static_cast<float>(border.value)
                                                      : picture.values[static_cast<std::size_t>(
                                                            picture.desc.byte_of(at, p) / 4 + c)];
                        }
    return result;
}

// Returns the filter's result on the padded picture, with nothing beyond, cropped to the picture.
std::vector<double> by_padding(const Filter &filter, const Picture &picture, const Border &border,
                               std::int64_t apron, Compute compute = gz::compute_in_double) {
    const Picture wide = padded(picture, border, apron);
    Region region = whole(wide.desc);
    region.source_origin = {apron, apron, picture.desc.extent[2] > 1 ? apron : 0, 0};
    region.extent = picture.desc.extent;
    region.edge = RegionEdge::neighbours;
    return filtered(filter, wide, zero, region, compute);
}

std::vector<Border> extensions() {
    std::vector<Border> borders;
    for (const BorderMode mode : gz::all_border_modes)
        borders.push_back({mode, mode == BorderMode::constant ? 0.75 : 0.0});
    return borders;
}

} // namespace

TEST_SUITE("recursive reference") {
    TEST_CASE("scans by hand, with nothing at the edge") {
        const Picture picture = row({1, 2, 4, -8});
        // y[n] = 3 x[n] + x[n - 1] + y[n - 1] / 2 - y[n - 2] / 4
        const auto scan = [](bool forward) { return Scan{0, forward, {3, 1}, {0.5, -0.25}}; };
        CHECK(filtered(Filter::recursive({scan(true)}), picture, zero) ==
              std::vector<double>{3, 8.5, 17.5, -13.375});
        CHECK(filtered(Filter::recursive({scan(false)}), picture, zero) ==
              std::vector<double>{13, 12, -8, -24});
        // Terms alone make a correlation.
        CHECK(filtered(Filter::recursive({{0, true, {1, 0, 2}, {}}}), picture, zero) ==
              std::vector<double>{1, 2, 6, -4});
        // Along y and z, which here are lines of one pixel.
        CHECK(filtered(Filter::recursive({{1, true, {2}, {0.5}}, {2, false, {1}, {0.5}}}), picture,
                       zero) == std::vector<double>{2, 4, 8, -16});
    }

    TEST_CASE("the order of scans matters with nothing at the edge, and with borders does not") {
        const Picture picture = row({1, 2, 4});
        const Scan forth{0, true, {1}, {0.5}};
        const Scan back{0, false, {1}, {0.5}};
        // 1 2.5 5.25, and back; 3 4 4, and forth.
        CHECK(filtered(Filter::recursive({forth, back}), picture, zero) ==
              std::vector<double>{3.5625, 5.125, 5.25});
        CHECK(filtered(Filter::recursive({back, forth}), picture, zero) ==
              std::vector<double>{3, 5.5, 6.75});
        for (const Border &border : extensions())
            CHECK(support::largest_difference(
                      filtered(Filter::recursive({forth, back}), picture, border),
                      filtered(Filter::recursive({back, forth}), picture, border)) < 1e-15);
    }

    TEST_CASE("borders by hand: y[n] = x[n] + y[n - 1] / 2") {
        const Filter filter = Filter::recursive({{0, true, {1}, {0.5}}});
        const Picture picture = row({1, 2, 4});
        const auto first = [&](const Border &border) {
            return filtered(filter, picture, border).front();
        };
        CHECK(first({BorderMode::clamp, 0}) == doctest::Approx(2.0));
        CHECK(first({BorderMode::constant, 3}) == doctest::Approx(1 + 3.0));
        CHECK(first({BorderMode::constant, 0}) == doctest::Approx(1.0));
        // 4 / 2 + 2 / 4 + 1 / 8, every three pixels
        CHECK(first({BorderMode::wrap, 0}) == doctest::Approx(1 + 2.625 / (1 - 0.125)));
        // 1 / 2 + 2 / 4 + 4 / 8 + 4 / 16 + 2 / 32 + 1 / 64, every six
        CHECK(first({BorderMode::reflect, 0}) == doctest::Approx(1 + 1.828125 / (1 - 0x1p-6)));
        // 2 / 2 + 4 / 4 + 2 / 8 + 1 / 16, every four
        CHECK(first({BorderMode::reflect101, 0}) == doctest::Approx(1 + 2.3125 / (1 - 0x1p-4)));
        for (const Border &border : extensions())
            if (border.mode != BorderMode::constant)
                CHECK(filtered(filter, row({5}), border).front() == doctest::Approx(10.0));
    }

    TEST_CASE("chains on extended images are those on wide ones") {
        const std::vector<std::vector<Scan>> chains = {
            {{0, true, {0.5}, {0.5}}},
            {{1, false, {0.25, 0.5, 0.25}, {}}},
            {{0, true, {2}, {0.6}}, {0, false, {1.5}, {0.4, -0.2}}, {1, true, {1}, {-0.5}}},
            {{1, true, {1, 2}, {0.3}},
             {0, false, {1, -0.5, 0.25}, {0.2, 0.1, 0.1}},
             {1, false, {0.5}, {-0.4, -0.3}},
             {0, true, {1}, {0.5}},
             {0, true, {1}, {0.5}},
             {1, true, {0.25}, {0.6, -0.25, 0.1, -0.05}}},
        };
        for (const auto &chain : chains)
            for (const Axes &extent : {Axes{1, 1, 1, 1}, Axes{2, 3, 1, 1}, Axes{13, 5, 1, 1}})
                for (const Border &border : extensions()) {
                    const Filter filter = Filter::recursive(chain);
                    const Picture picture = noise(extent, 2);
                    CAPTURE(gz::to_text(filter));
                    CAPTURE(gz::to_text(extent));
                    CAPTURE(gz::name_of(border.mode));
                    CHECK(support::largest_difference(filtered(filter, picture, border),
                                                      by_padding(filter, picture, border, 120)) <
                          1e-12);
                }
    }

    TEST_CASE("along z, in planes, volumes, and cut from the whole") {
        const Filter filter = Filter::recursive({{2, true, {1}, {0.3}},
                                                 {0, false, {1}, {0.2}},
                                                 {2, false, {1}, {-0.3}},
                                                 {1, true, {1}, {0.25, -0.1}}});
        const Picture picture = noise({5, 4, 3, 2}, 3, 2);
        for (const Border &border : extensions()) {
            CAPTURE(gz::name_of(border.mode));
            const std::vector<double> all = filtered(filter, picture, border);
            CHECK(support::largest_difference(all, by_padding(filter, picture, border, 26)) <
                  1e-12);
            Region region = whole(picture.desc);
            region.source_origin = {1, 2, 1, 1};
            region.extent = {3, 1, 2, 1};
            region.edge = RegionEdge::neighbours;
            std::vector<double> cut;
            for (std::int64_t p = 0; p < 2; ++p)
                for (std::int64_t z = 1; z < 3; ++z)
                    for (std::int64_t i = 3; i < 12; ++i)
                        cut.push_back(all[static_cast<std::size_t>(
                            (((p * 2 + 1) * 3 + z) * 4 + 2) * 15 + i)]);
            CHECK(filtered(filter, picture, border, region) == cut);
            // An isolated region is an image of its own.
            region.edge = RegionEdge::isolated;
            Picture alone = make_picture({3, 1, 2, 1}, 3, 2);
            std::size_t to = 0;
            for (std::int64_t p = 0; p < 2; ++p)
                for (std::int64_t z = 1; z < 3; ++z)
                    for (std::int64_t i = 0; i < 9; ++i)
                        alone.values[to++] = picture.values[static_cast<std::size_t>(
                            picture.desc.byte_of({1, 2, z, 1}, p) / 4 + i)];
            CHECK(filtered(filter, picture, border, region) == filtered(filter, alone, border));
        }
    }

    TEST_CASE("slow poles: a constant stays, and padding of a third of a million pixels agrees") {
        const double p = 0.9999;
        const Filter filter =
            Filter::recursive({{0, true, {1 - p}, {p}}, {0, false, {1 - p}, {p}}});
        for (const Border &border : extensions()) {
            CAPTURE(gz::name_of(border.mode));
            const Border of_one{border.mode, 1.0};
            CHECK(support::largest_difference(filtered(filter, row({1, 1, 1}), of_one), {1, 1, 1}) <
                  1e-10);
            const Picture picture = noise({37, 1, 1, 1});
            const std::vector<double> got = filtered(filter, picture, border);
            constexpr std::int64_t apron = 320000;
            Picture wide = make_picture({37 + 2 * apron, 1, 1, 1});
            for (std::int64_t i = 0; i < wide.desc.extent[0]; ++i) {
                const std::int64_t at = gz::fold(i - apron, 37, border.mode);
                wide.values[static_cast<std::size_t>(i)] =
                    at < 0 ? static_cast<float>(border.value)
                           : picture.values[static_cast<std::size_t>(at)];
            }
            const std::vector<double> all = filtered(filter, wide, zero);
            CHECK(support::largest_difference(
                      got, {all.begin() + apron, all.begin() + apron + 37}) < 1e-12);
        }
    }

    TEST_CASE("order 20, from poles that are well apart") {
        // (1 - r^20 z^-20): twenty poles on a circle.
        std::vector<double> feedback(20, 0.0);
        feedback.back() = std::pow(0.7, 20.0);
        const Filter filter =
            Filter::recursive({{0, true, {1, 0.5}, feedback}, {0, false, {1}, feedback}});
        for (const Border &border : extensions()) {
            const Picture picture = noise({11, 1, 1, 1});
            CHECK(support::largest_difference(filtered(filter, picture, border),
                                              by_padding(filter, picture, border, 160)) < 1e-12);
        }
    }

    TEST_CASE("a first term of 0 delays, and zeros at the end are no terms") {
        const Picture picture = row({1, 2, 4, -8});
        CHECK(filtered(Filter::recursive({{0, true, {0, 0, 3}, {}}}), picture, zero) ==
              std::vector<double>{0, 0, 3, 6});
        CHECK(filtered(Filter::recursive({{0, false, {0, 1}, {0.5}}}), picture, zero) ==
              std::vector<double>{2, 0, -8, 0});
        const Filter trimmed =
            Filter::recursive({{0, true, {1, 2, 0, 0}, {0.5, 0, 0}}, {0, true, {0, 0}, {0, 0}}});
        const std::vector<Scan> &scans = trimmed.get<gz::Recursion>().scans;
        CHECK(scans[0].feedforward == std::vector<double>{1, 2});
        CHECK(scans[0].feedback == std::vector<double>{0.5});
        CHECK(scans[1].feedforward == std::vector<double>{0});
        CHECK(scans[1].feedback.empty());
    }

    TEST_CASE("limits on scans and their terms") {
        const Scan half{0, true, {0.5}, {}};
        CHECK(Filter::recursive(std::vector<Scan>(1024, half)).get<gz::Recursion>().scans.size() ==
              1024);
        check_refused(Status::invalid_argument, {"there are 1025 scans; 1 to 1024"},
                      [&] { Filter::recursive(std::vector<Scan>(1025, half)); });
        Scan long_one = half;
        long_one.feedforward.assign(4096, 1.0);
        CHECK(Filter::recursive({long_one}).get<gz::Recursion>().scans[0].feedforward.size() ==
              4096);
        long_one.feedforward.push_back(1.0);
        check_refused(Status::invalid_argument, {"4097 feedforward terms; 1 to 4096"},
                      [&] { Filter::recursive({long_one}); });
        Scan deep = half;
        deep.feedback.assign(4097, 0.0);
        check_refused(Status::invalid_argument, {"4097 feedback terms; 0 to 4096"},
                      [&] { Filter::recursive({deep}); });
    }

    TEST_CASE("sections are scans, along each axis that is filtered") {
        const std::vector<std::array<double, 6>> rows{{1, 2, 0, 1, -0.5, 0.25},
                                                      {0, 3, 0, 1, 0, -0.5}};
        const Filter filter = Filter::sections({rows, {1, 0, -1, 0}});
        const std::vector<Scan> &scans = filter.get<gz::Recursion>().scans;
        REQUIRE(scans.size() == 4);
        for (const std::size_t i : {0U, 1U, 2U, 3U}) {
            CHECK(scans[i].axis == (i < 2 ? 0 : 2));
            CHECK(scans[i].forward == (i < 2));
            CHECK(scans[i].feedforward ==
                  (i % 2 == 0 ? std::vector<double>{1, 2} : std::vector<double>{0, 3}));
            CHECK(scans[i].feedback ==
                  (i % 2 == 0 ? std::vector<double>{0.5, -0.25} : std::vector<double>{0, 0.5}));
        }
        // y[n] = x[n] + 2 x[n - 1] + y[n - 1] / 2 - y[n - 2] / 4, and three times that of before.
        CHECK(filtered(Filter::sections({{rows[0]}, {1, 0, 0, 0}}), row({4, 0, 0, 0}), zero) ==
              std::vector<double>{4, 10, 4, -0.5});
        CHECK(filtered(Filter::sections({rows, {1, 0, 0, 0}}), row({4, 0, 0, 0}), zero) ==
              std::vector<double>{0, 12, 30, 18});
    }

    TEST_CASE("zero phase: the scans as written, and again in the other direction") {
        const Scan forth{0, true, {3, 1}, {0.5, -0.25}};
        const Scan second{0, true, {1}, {-0.5}};
        const Scan up{1, false, {1}, {0.25}};
        const auto mirrored = [](Scan scan) {
            scan.forward = !scan.forward;
            return scan;
        };
        gz::RecursiveOptions options;
        options.phase = gz::Phase::zero;
        options.accuracy = 1e-4;
        const Filter filter = Filter::recursive({forth, up, second}, options);
        const Filter written =
            Filter::recursive({forth, up, second, mirrored(forth), mirrored(up), mirrored(second)});
        CHECK(filter.get<gz::Recursion>().accuracy == 1e-4);
        CHECK(written.get<gz::Recursion>().accuracy == 0.0);
        CHECK(gz::to_text(filter) == gz::to_text(written));
        std::vector<Border> borders = extensions();
        borders.push_back(zero);
        for (const Border &border : borders) {
            const Picture picture = noise({13, 7, 1, 1});
            CHECK(filtered(filter, picture, border) == filtered(written, picture, border));
        }
        // The response to a pixel is the same on both sides.
        std::vector<float> impulse(201, 0.0F);
        impulse[100] = 1.0F;
        const std::vector<double> response =
            filtered(Filter::recursive({forth, second}, options), row(impulse), zero);
        for (std::size_t n = 0; n < 100; ++n)
            CHECK(std::abs(response[100 + n] - response[100 - n]) < 1e-14);
        // Groupings number the repeated scans after the others.
        options.grouping = "0,1,2_3,4,5";
        CHECK(Filter::recursive({forth, up, second}, options)
                  .get<gz::Recursion>()
                  .grouping.trips.size() == 2);
        options.grouping.clear();
        check_refused(Status::invalid_argument,
                      {"scan 2 is along -x and scan 0 along +x", "zero phase"}, [&] {
                          Filter::recursive({forth, up, mirrored(second)}, options);
                      });
    }

    TEST_CASE("unstable scans run from nothing alone") {
        gz::RecursiveOptions options;
        options.feedback = gz::Feedback::unchecked;
        const Filter sums = Filter::recursive({{0, true, {1}, {1}}}, options);
        CHECK(filtered(sums, row({1, 2, 4}), zero) == std::vector<double>{1, 3, 7});
        CHECK(std::isinf(sums.error_bound(1.0)));
        for (const Border &border : extensions())
            check_refused(Status::invalid_argument, {gz::name_of(border.mode), "unstable", "zero"},
                          [&] {
                              filtered(sums, row({1, 2, 4}), border);
                          });
    }
}

namespace {

// The response of modes at distances 0 to count - 1, term by term.
std::vector<double> response_of(const Modes &modes, std::size_t count) {
    std::vector<double> response(count, 0.0);
    for (std::size_t n = 0; n < count; ++n)
        for (std::size_t k = 0; k < modes.poles.size(); ++k)
            response[n] +=
                (modes.weights[k] * std::pow(modes.poles[k], static_cast<double>(n))).real();
    response[0] = modes.odd ? 0.0 : response[0] + modes.direct;
    return response;
}

// Returns the taps of a response: a correlation with them gives the same result.
std::vector<double> taps_of(const std::vector<double> &response, bool odd) {
    std::vector<double> taps;
    for (std::size_t n = response.size(); n-- > 1;)
        taps.push_back(response[n]);
    taps.insert(taps.end(), response.begin(), response.end());
    if (odd)
        for (std::size_t n = response.size(); n < taps.size(); ++n)
            taps[n] = -taps[n];
    return taps;
}

Gaussian recursive_along_x(double sigma, int derivative, double accuracy) {
    Gaussian gaussian;
    gaussian.sigma = {sigma, 0, 0, 0};
    gaussian.derivative = {derivative, 0, 0, 0};
    gaussian.method = GaussianMethod::recursive;
    gaussian.accuracy = accuracy;
    return gaussian;
}

double sum_over_both_sides(const std::vector<double> &response, int power) {
    double sum = power == 0 ? response[0] : 0.0;
    for (std::size_t n = 1; n < response.size(); ++n)
        sum += 2.0 * std::pow(static_cast<double>(n), power) * response[n];
    return sum;
}

const std::vector<double> sigmas{0.5, 0.6, 0.7, 0.8, 1, 1.3, 2, 3, 5, 10, 30, 100, 300};

} // namespace

TEST_SUITE("recursive gaussian") {
    TEST_CASE("the samples are a Gaussian's, or nearly its derivatives', with exact moments") {
        for (const double sigma : sigmas)
            for (int derivative = 0; derivative <= 2; ++derivative) {
                const std::vector<double> samples = gz::sampled_gaussian(sigma, derivative);
                CAPTURE(sigma);
                CAPTURE(derivative);
                CHECK(std::abs(samples.back()) < 1e-15 * (1.0 + std::abs(samples[1])));
                if (derivative == 1)
                    CHECK(sum_over_both_sides(samples, 1) == doctest::Approx(-1.0));
                else
                    CHECK(std::abs(sum_over_both_sides(samples, 0) - (derivative == 0 ? 1 : 0)) <
                          1e-12);
                if (derivative == 2)
                    CHECK(sum_over_both_sides(samples, 2) == doctest::Approx(2.0));
                if (sigma < 1.3)
                    continue;
                const double peak = 1.0 / (sigma * std::sqrt(2.0 * 3.14159265358979323846));
                for (const std::size_t n : {std::size_t{0}, std::size_t{1}, samples.size() / 9}) {
                    const double t = static_cast<double>(n) / sigma;
                    const double polynomial = derivative == 0   ? 1.0
                                              : derivative == 1 ? -t
                                                                : t * t - 1.0;
                    const double exact = peak * std::exp(-0.5 * t * t) * polynomial;
                    CHECK(std::abs(samples[n] * std::pow(sigma, derivative) - exact) < 1e-9 * peak);
                }
            }
    }

    TEST_CASE("modes are as close as is stated, and as close as the fit promises") {
        // Worst sums of the distance to the samples, in units of sigma^-derivative.
        constexpr double promised[3][3] = {
            {5.0e-4, 7.0e-6, 9.5e-8}, {2.1e-3, 3.5e-5, 5.3e-7}, {8.7e-3, 1.8e-4, 3.0e-6}};
        for (int derivative = 0; derivative <= 2; ++derivative)
            for (int count = gz::fewest_gaussian_modes; count <= gz::most_gaussian_modes; ++count)
                for (const double sigma : sigmas) {
                    CAPTURE(derivative);
                    CAPTURE(count);
                    CAPTURE(sigma);
                    const gz::GaussianModes fit = gz::gaussian_modes(sigma, derivative, count);
                    REQUIRE(fit.modes.poles.size() == static_cast<std::size_t>(count));
                    const std::vector<double> wanted = gz::sampled_gaussian(sigma, derivative);
                    const std::vector<double> response =
                        response_of(fit.modes, static_cast<std::size_t>(30.0 * sigma) + 40);
                    double distance = 0.0;
                    for (std::size_t n = 0; n < response.size(); ++n)
                        distance += (n == 0 ? 1.0 : 2.0) *
                                    std::abs(response[n] - (n < wanted.size() ? wanted[n] : 0.0));
                    CHECK(distance == doctest::Approx(fit.approximated.distance).epsilon(1e-3));
                    CHECK(distance * std::pow(sigma, derivative) <=
                          promised[derivative][count - gz::fewest_gaussian_modes]);
                    // Exact for constants, ramps or parabolas.
                    const double tight = 1e-9;
                    if (derivative == 1) {
                        CHECK(std::abs(sum_over_both_sides(response, 1) + 1.0) < tight);
                    } else {
                        CHECK(std::abs(sum_over_both_sides(response, 0) -
                                       (derivative == 0 ? 1.0 : 0.0)) < tight);
                        if (derivative == 2)
                            CHECK(std::abs(sum_over_both_sides(response, 2) - 2.0) < tight);
                    }
                    // Weights must be small enough for f32.
                    double weights = 0.0;
                    for (const std::complex<double> &weight : fit.modes.weights)
                        weights += std::abs(weight);
                    CHECK(weights * std::pow(sigma, 1 + derivative) < 150.0);
                }
    }

    TEST_CASE("as few modes as the accuracy takes") {
        const auto modes_for = [](double sigma, int derivative, double accuracy) {
            const Filter filter = Filter::gaussian(recursive_along_x(sigma, derivative, accuracy));
            return filter.get<gz::Recursion>().modes[0].poles.size();
        };
        CHECK(modes_for(10.0, 0, 1e-3) == 2);
        CHECK(modes_for(10.0, 0, 1e-4) == 3);
        CHECK(modes_for(10.0, 0, 1e-6) == 4);
        CHECK(modes_for(0.5, 0, 1e-6) == 2);
        CHECK(modes_for(10.0, 1, 1e-3) == 2);
        CHECK(modes_for(10.0, 2, 1e-3) == 3);
        CHECK(modes_for(300.0, 2, 1e-5) == 4);
        check_refused(Status::invalid_argument, {"accuracy", "1e-08", "the best"},
                      [&] { modes_for(10.0, 0, 1e-8); });
        CHECK(Gaussian().accuracy == 1e-3);
    }

    TEST_CASE("what is written differs from the Gaussian by less than is stated") {
        const Picture picture = noise({140, 90, 1, 1});
        for (const double accuracy : {1e-3, 1e-5, 2e-7})
            for (const int derivative : {0, 1, 2})
                for (const double sigma : {0.5, 1.5, 4.0, 20.0}) {
                    if (accuracy < 1e-5 && derivative > 0)
                        continue;
                    Gaussian gaussian = recursive_along_x(sigma, derivative, accuracy);
                    gaussian.sigma[1] = 3.0;
                    const Filter filter = Filter::gaussian(gaussian);
                    CAPTURE(gz::to_text(filter));
                    CAPTURE(sigma);
                    CAPTURE(derivative);
                    const double approximation =
                        gz::approximation_bound(filter.get<gz::Recursion>());
                    CHECK(approximation <= 2.0 * accuracy * std::pow(sigma, -derivative));
                    CHECK(filter.error_bound(1.0) ==
                          doctest::Approx(approximation + filter.rounding_bound(1.0)));
                    CHECK(filter.error_bound(100.0) ==
                          doctest::Approx(100.0 * filter.error_bound(1.0)));
                    for (const Border &border : extensions())
                        CHECK(support::largest_difference(
                                  filtered(filter, picture, border),
                                  filtered(filter, picture, border, gz::compute_as_written)) <=
                              approximation);
                }
    }

    TEST_CASE("it is the FIR Gaussian but for what that cuts off") {
        const Picture picture = noise({61, 43, 1, 1}, 2);
        for (const int derivative : {0, 1, 2}) {
            Gaussian gaussian;
            gaussian.sigma = {2.5, 4.0, 0, 0};
            gaussian.derivative = {derivative, 0, 0, 0};
            gaussian.truncate = 8.0;
            gaussian.method = GaussianMethod::fir;
            const Filter fir = Filter::gaussian(gaussian);
            REQUIRE(fir.is<gz::Correlate>());
            gaussian.method = GaussianMethod::recursive;
            const Filter recursive = Filter::gaussian(gaussian);
            CHECK(recursive.get<gz::Recursion>().name == "gaussian");
            for (const Border &border : extensions())
                CHECK(support::largest_difference(filtered(fir, picture, border),
                                                  filtered(recursive, picture, border)) < 1e-11);
            // The border zero is the constant 0 for filters without visible scans.
            CHECK(filtered(recursive, picture, zero) ==
                  filtered(recursive, picture, {BorderMode::constant, 0.0}));
        }
    }

    TEST_CASE("along z too") {
        Gaussian gaussian = recursive_along_x(1.0, 0, 1e-3);
        gaussian.sigma = {0, 0, 1.5, 0};
        Gaussian across = recursive_along_x(1.5, 0, 1e-3);
        const Picture picture = noise({4, 3, 12, 1});
        Picture turned = make_picture({12, 3, 4, 1});
        const auto at = [](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t width) {
            return static_cast<std::size_t>((z * 3 + y) * width + x);
        };
        for (std::int64_t x = 0; x < 4; ++x)
            for (std::int64_t y = 0; y < 3; ++y)
                for (std::int64_t z = 0; z < 12; ++z)
                    turned.values[at(z, y, x, 12)] = picture.values[at(x, y, z, 4)];
        for (const Border &border : extensions()) {
            const auto along_z = filtered(Filter::gaussian(gaussian), picture, border);
            const auto along_x = filtered(Filter::gaussian(across), turned, border);
            for (std::int64_t x = 0; x < 4; ++x)
                for (std::int64_t y = 0; y < 3; ++y)
                    for (std::int64_t z = 0; z < 12; ++z)
                        REQUIRE(along_z[at(x, y, z, 4)] == along_x[at(z, y, x, 12)]);
        }
    }

    TEST_CASE("as three boxes, whose variance is near") {
        for (const double sigma : {1.0, 2.0, 5.0, 30.0}) {
            Gaussian gaussian;
            gaussian.sigma = {sigma, 2.0 * sigma, 0, 0};
            gaussian.method = GaussianMethod::box;
            const Filter filter = Filter::gaussian(gaussian);
            REQUIRE(filter.is<gz::Box>());
            CHECK(filter.get<gz::Box>().stands_for_gaussian);
            CHECK(filter.get<gz::Box>().iterations == 3);
            const double width = static_cast<double>(filter.get<gz::Box>().size()[0]);
            CHECK(std::sqrt((width * width - 1.0) / 4.0) ==
                  doctest::Approx(sigma).epsilon(0.5 / sigma));
            CHECK(filter.get<gz::Box>().radius[1] > filter.get<gz::Box>().radius[0]);
        }
    }
}

TEST_SUITE("recursive modes") {
    TEST_CASE("states at the borders are what padding makes of them") {
        // A symmetric and an odd response, of short memory.
        std::vector<Filter> filters;
        for (int order = 2; order <= 5; ++order)
            filters.push_back(Filter::bspline(order));
        for (const int derivative : {0, 1, 2}) {
            Gaussian gaussian = recursive_along_x(1.5, derivative, 1e-3);
            gaussian.sigma[1] = 1.0;
            filters.push_back(Filter::gaussian(gaussian));
        }
        for (const Filter &filter : filters)
            for (const Axes &extent : {Axes{1, 1, 1, 1}, Axes{2, 3, 1, 1}, Axes{3, 7, 1, 1}})
                for (const Border &border : extensions()) {
                    CAPTURE(gz::to_text(filter));
                    CAPTURE(gz::to_text(extent));
                    CAPTURE(gz::name_of(border.mode));
                    const Picture picture = noise(extent, 1, 2);
                    CHECK(support::largest_difference(
                              filtered(filter, picture, border, gz::compute_as_written),
                              by_padding(filter, picture, border, 70, gz::compute_as_written)) <
                          1e-12);
                    // The result is the correlation with the response.
                    gz::AxisTaps taps;
                    for (std::size_t axis = 0; axis < 2; ++axis) {
                        const Modes &modes = filter.get<gz::Recursion>().modes[axis];
                        taps.values[axis] = taps_of(response_of(modes, 70), modes.odd);
                    }
                    CHECK(support::largest_difference(
                              filtered(filter, picture, border, gz::compute_as_written),
                              filtered(Filter::separable(taps), picture, border)) < 1e-11);
                }
    }

    TEST_CASE("B-spline coefficients give the pixels back") {
        // Values of the centred B-splines at the integers.
        const std::vector<std::vector<double>> samples = {
            {1.0 / 8, 6.0 / 8, 1.0 / 8},
            {1.0 / 6, 4.0 / 6, 1.0 / 6},
            {1.0 / 384, 76.0 / 384, 230.0 / 384, 76.0 / 384, 1.0 / 384},
            {1.0 / 120, 26.0 / 120, 66.0 / 120, 26.0 / 120, 1.0 / 120}};
        const Picture picture = noise({23, 17, 1, 1}, 3);
        std::vector<double> pixels(picture.values.begin(), picture.values.end());
        for (int order = 2; order <= 5; ++order)
            for (const Border &border : extensions()) {
                if (border.mode == BorderMode::constant)
                    continue; // the coefficients beyond the edge are not constant
                CAPTURE(order);
                CAPTURE(gz::name_of(border.mode));
                const Filter filter = Filter::bspline(order);
                const std::vector<double> coefficients = filtered(filter, picture, border);
                Picture spline{make_image(PixelType::f64, {23, 17, 1, 1}, 3), {}};
                const Filter back = Filter::separable(
                    support::make_axis_taps(samples[static_cast<std::size_t>(order - 2)],
                                            samples[static_cast<std::size_t>(order - 2)]));
                std::vector<double> result;
                gz::compute_in_double({back, spline.desc, border, whole(spline.desc),
                                       reinterpret_cast<const std::byte *>(coefficients.data())},
                                      [&](const RowPlace &, const double *row) {
                                          result.insert(result.end(), row, row + 69);
                                      });
                // With clamp, unlike with the mirrors and wrap, the coefficients of the extended image are
                // not the extended coefficients.
                const bool inner = border.mode == BorderMode::clamp;
                double worst = 0.0;
                for (std::size_t i = 0; i < result.size(); ++i) {
                    const std::size_t x = i / 3 % 23;
                    const std::size_t y = i / 69;
                    if (!inner || (x >= 2 && x < 21 && y >= 2 && y < 15))
                        worst = std::max(worst, support::difference(result[i], pixels[i]));
                }
                CHECK(worst < 1e-13);
            }
    }
}

TEST_SUITE("summed-area table") {
    TEST_CASE("by hand, in each slice, plane and channel") {
        const Picture picture = [] {
            Picture p = make_picture({3, 2, 2, 1}, 1, 2);
            for (std::size_t i = 0; i < p.values.size(); ++i)
                p.values[i] = static_cast<float>(i / 6 + 1);
            return p;
        }();
        std::vector<double> expected;
        for (const double k : {1, 2, 3, 4})
            for (const double sum : {1, 2, 3, 2, 4, 6})
                expected.push_back(k * sum);
        CHECK(filtered(Filter::sat(), picture, zero) == expected);
        CHECK(gz::to_text(Filter::sat()) == "summed-area table");
    }

    TEST_CASE("integers are exact beyond what 32 bits hold") {
        std::vector<std::uint16_t> pixels(300 * 300, 65535);
        const ImageDesc desc = make_image(PixelType::u16, {300, 300, 1, 1});
        const Filter filter = Filter::sat();
        std::vector<double> last;
        gz::compute_in_double(
            {filter, desc, zero, whole(desc), reinterpret_cast<const std::byte *>(pixels.data())},
            [&](const RowPlace &, const double *row) { last.assign(row, row + 300); });
        CHECK(last.back() == 65535.0 * 90000.0);
        CHECK(last.front() == 65535.0 * 300.0);
    }

    TEST_CASE("a region starts anew, or is cut from the whole") {
        const Picture picture = noise({6, 5, 1, 1});
        Region region = whole(picture.desc);
        region.source_origin = {2, 1, 0, 0};
        region.extent = {3, 2, 1, 1};
        const auto at = [&](std::int64_t x, std::int64_t y) {
            return static_cast<double>(picture.values[static_cast<std::size_t>(y * 6 + x)]);
        };
        CHECK(filtered(Filter::sat(), picture, zero, region)[4] ==
              doctest::Approx(at(2, 1) + at(3, 1) + at(2, 2) + at(3, 2)));
        region.edge = RegionEdge::neighbours;
        CHECK(filtered(Filter::sat(), picture, zero, region)[0] ==
              doctest::Approx(at(0, 0) + at(1, 0) + at(2, 0) + at(0, 1) + at(1, 1) + at(2, 1)));
    }

    TEST_CASE("no other border, no bound without a size") {
        for (const Border &border : extensions())
            check_refused(Status::invalid_argument, {gz::name_of(border.mode), "zero"},
                          [&] { filtered(Filter::sat(), row({1}), border); });
        CHECK(std::isinf(Filter::sat().error_bound(1.0)));
    }
}

TEST_SUITE("difference of Gaussians") {
    TEST_CASE("is one less the other, by every method") {
        const Picture picture = noise({31, 22, 1, 1}, 2, 2);
        for (const GaussianMethod method : {GaussianMethod::automatic, GaussianMethod::fir,
                                            GaussianMethod::recursive, GaussianMethod::box})
            for (const Border &border : extensions()) {
                const Filter dog = Filter::dog(1.0, 2.5, method);
                REQUIRE(dog.is<gz::Difference>());
                const auto gaussian = [&](double sigma) {
                    Gaussian description;
                    description.sigma = {sigma, sigma, 0, 0};
                    description.method = method;
                    return Filter::gaussian(description);
                };
                std::vector<double> expected = filtered(gaussian(1.0), picture, border);
                const std::vector<double> other = filtered(gaussian(2.5), picture, border);
                for (std::size_t i = 0; i < expected.size(); ++i)
                    expected[i] -= other[i];
                CHECK(filtered(dog, picture, border) == expected);
                CHECK(dog.error_bound(1.0) >=
                      gaussian(1.0).error_bound(1.0) + gaussian(2.5).error_bound(1.0));
                CHECK(dog.error_bound(1.0) >= dog.rounding_bound(1.0));
            }
    }
}
