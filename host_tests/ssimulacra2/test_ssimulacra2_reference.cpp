// Tests the reference of SSIMULACRA 2 by known facts of the definition.
#include <doctest/doctest.h>

#include <cmath>

#include "core/error.hpp"
#include "support/encoded_pixels.hpp"

using namespace gz;
using namespace gz::ssimulacra2;
using namespace support;

TEST_CASE("equal images score 100, others less and less") {
    for (const std::int64_t components : {1, 2, 3, 4}) {
        const EncodedPixels image = waves(PixelType::u8, components, 40, 33, 0.0);
        CHECK(reference_score(image, image) == 100.0);
        double last = 100.0;
        for (const double noise : {0.01, 0.02, 0.05, 0.1, 0.3}) {
            const double score =
                reference_score(image, waves(PixelType::u8, components, 40, 33, noise));
            CHECK(score < last);
            last = score;
        }
    }
}

TEST_CASE("scales") {
    CHECK(scales_of({8, 8}) == std::vector<Extent>{{8, 8}, {4, 4}});
    CHECK(scales_of({33, 500}) == std::vector<Extent>{{33, 500}, {17, 250}, {9, 125}, {5, 63}});
    CHECK(scales_of({1920, 1080}).size() == 6);
    CHECK_THROWS_WITH_AS(scales_of({7, 100}),
                         "the images are 7x100; SSIMULACRA 2 takes 8x8 pixels or more", Error);
}

TEST_CASE("weights close up") {
    const auto all = weights_of(6);
    CHECK(all[5][1][0][ssim] == 0.0);
    CHECK(all[0][1][1][ssim] == 7.466890328078848);  // place 39
    CHECK(all[2][1][0][ssim] == 225.20515300849274); // place 48
    const auto two = weights_of(2);
    CHECK(two[0][1][0][artifact] == 0.0016406437456599754); // place 13
}

TEST_CASE("planes of one colour") {
    // White: L, M and S are cbrt(1 + bias) - cbrt(bias), but for the sums of the rows.
    const EncodedPixels white = [] {
        EncodedPixels image = make_encoded(PixelType::u8, 1, 8, 8);
        for (std::size_t i = 0; i < 64; ++i)
            set(image, i, 1.0);
        return image;
    }();
    const Planes linear = linear_of(white.encoded(), 0.0);
    CHECK(linear.values[1][63] == 1.0);
    const double root = std::cbrt(1.0 + opsin_bias) - std::cbrt(opsin_bias);
    const Planes xyb = xyb_of(linear);
    CHECK(xyb.values[0][0] == doctest::Approx(0.42));
    CHECK(xyb.values[1][0] == doctest::Approx(root + 0.01));
    CHECK(xyb.values[2][0] == doctest::Approx(0.55));
}

TEST_CASE("an odd last row and column count twice") {
    Planes odd{{3, 1}, {}};
    for (Plane &plane : odd.values)
        plane = {1.0, 3.0, 8.0};
    const Planes half = halved(odd);
    CHECK(half.extent == Extent{2, 1});
    CHECK(half.values[2] == Plane{2.0, 8.0});
}

TEST_CASE("the blur is zero outside and does not renormalise") {
    Plane pulse(81, 0.0);
    pulse[40] = 1.0;
    const Plane spread = blurred(pulse, {9, 9});
    CHECK(spread[40] == blur_taps[0] * blur_taps[0]);
    CHECK(spread[0] == blur_taps[4] * blur_taps[4]);
    CHECK(spread[3 * 9 + 6] == doctest::Approx(blur_taps[1] * blur_taps[2]));
    const Plane corner = blurred(Plane(81, 1.0), {9, 9});
    double half = 0.0;
    for (const double tap : blur_taps)
        half += tap;
    CHECK(corner[0] == doctest::Approx(half * half));
}

TEST_CASE("the mean of the error map is the weighted error") {
    // The images halve evenly, so that all scales have as large a share of the map.
    const EncodedPixels a = waves(PixelType::u8, 3, 64, 64, 0.0);
    const EncodedPixels b = waves(PixelType::u8, 3, 64, 64, 0.1);
    const auto sub_scores =
        sub_scores_in_double(linear_of(a.encoded(), 0.0), linear_of(b.encoded(), 0.0));
    const auto weights = weights_of(sub_scores.size());
    double sum = 0.0;
    for (std::size_t scale = 0; scale < weights.size(); ++scale)
        for (std::size_t channel = 0; channel < channels; ++channel)
            for (std::size_t norm = 0; norm < norms; ++norm)
                for (std::size_t map = 0; map < maps; ++map)
                    sum +=
                        weights[scale][channel][norm][map] * sub_scores[scale][channel][norm][map];
    double mean = 0.0;
    for (const double value : error_map_in_double(a.encoded(), b.encoded()))
        mean += value / (64.0 * 64.0);
    CHECK(mean == doctest::Approx(sum));
}

TEST_CASE("the lower score of two backgrounds counts") {
    const auto gray = [](double value, double alpha) {
        EncodedPixels image = make_encoded(PixelType::u8, 2, 16, 16);
        for (std::size_t i = 0; i < 256; ++i) {
            set(image, 2 * i, i % 3 == 0 ? value : 0.5);
            set(image, 2 * i + 1, alpha);
        }
        return image;
    };
    // Invisible differences do not count.
    CHECK(reference_score(gray(0.2, 0.0), gray(0.9, 0.0)) == 100.0);
    CHECK(reference_score(gray(0.2, 1.0), gray(0.9, 1.0)) < 60.0);
    // A hole is seen on one of the backgrounds at least.
    CHECK(reference_score(gray(0.1, 1.0), gray(0.1, 0.5)) < 90.0);
}
