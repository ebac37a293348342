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

#include "filter/gaussian_modes.hpp"
#include "filter/recursive.hpp"
#include "filter/reference.hpp"
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

double worst_difference(const std::vector<double> &a, const std::vector<double> &b) {
    REQUIRE(a.size() == b.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
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

// What the filter gives on the padded picture, with nothing beyond, where the picture is.
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
            CHECK(worst_difference(filtered(Filter::recursive({forth, back}), picture, border),
                                   filtered(Filter::recursive({back, forth}), picture, border)) <
                  1e-15);
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
                    CHECK(worst_difference(filtered(filter, picture, border),
                                           by_padding(filter, picture, border, 120)) < 1e-12);
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
            CHECK(worst_difference(all, by_padding(filter, picture, border, 26)) < 1e-12);
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
            // What is isolated is an image of its own.
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
            CHECK(worst_difference(filtered(filter, row({1, 1, 1}), of_one), {1, 1, 1}) < 1e-10);
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
            CHECK(worst_difference(got, {all.begin() + apron, all.begin() + apron + 37}) < 1e-12);
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
            CHECK(worst_difference(filtered(filter, picture, border),
                                   by_padding(filter, picture, border, 160)) < 1e-12);
        }
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
