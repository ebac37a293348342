// The references against small cases by hand and against the formulas, written out without tricks.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "core/fma.hpp"
#include "families/reference.hpp"
#include "plan/verify.hpp"
#include "support/unit.hpp"

using gz::Axes;
using gz::Border;
using gz::BorderMode;
using gz::Filter;
using gz::ImageDesc;
using gz::PixelType;
using gz::ReferenceJob;
using gz::Region;
using gz::RegionEdge;
using gz::RowPlace;
using gz::Taps;
using support::draw;
using support::make_image;
using support::make_taps;

namespace {

constexpr float f32_infinity = std::numeric_limits<float>::infinity();
constexpr float f32_nan = std::numeric_limits<float>::quiet_NaN();

// An image with its memory.
struct Picture {
    ImageDesc desc;
    std::vector<std::byte> memory;
};

// All bytes ones: NaN in every float type, the largest value of an unsigned one.
Picture make_picture(const ImageDesc &desc) {
    return {desc, std::vector<std::byte>(static_cast<std::size_t>(desc.bytes()), std::byte{0xff})};
}

std::int64_t byte_of(const ImageDesc &desc, const Axes &at, std::int64_t plane, std::int64_t c) {
    return desc.byte_of(at, plane) + c * static_cast<std::int64_t>(gz::size_of(desc.type));
}

// f32 pixels of one channel, row by row.
Picture make_picture(std::int64_t width, std::int64_t height, const std::vector<float> &values) {
    Picture picture = make_picture(make_image(PixelType::f32, {width, height, 1, 1}));
    REQUIRE(values.size() * sizeof(float) == picture.memory.size());
    std::memcpy(picture.memory.data(), values.data(), picture.memory.size());
    return picture;
}

Region whole(const ImageDesc &desc) {
    return gz::complete(Region(), desc, desc);
}

// The results of a reference, by place (x, y, z, t of the region, plane, channel); each place once.
template <class Real> using Results = std::map<std::tuple<Axes, std::int64_t, std::int64_t>, Real>;

template <class Real, class Compute>
Results<Real> results_of(const ReferenceJob &job, Compute &&compute) {
    Results<Real> results;
    const std::int64_t channels = job.source.channels;
    compute(job, [&](const RowPlace &at, const Real *row) {
        for (std::int64_t i = 0; i < job.region.extent[0] * channels; ++i) {
            const bool is_new =
                results
                    .insert(
                        {{Axes{i / channels, at.y, at.z, at.t}, at.plane, i % channels}, row[i]})
                    .second;
            REQUIRE(is_new);
        }
    });
    const Axes &size = job.region.extent;
    REQUIRE(results.size() == static_cast<std::size_t>(size[0] * size[1] * size[2] * size[3] *
                                                       job.source.planes * channels));
    return results;
}

Results<double> in_double(const ReferenceJob &job) {
    return results_of<double>(job, gz::compute_in_double);
}
Results<float> in_f32(const ReferenceJob &job) {
    return results_of<float>(
        job, [](const ReferenceJob &own, const auto &sink) { gz::compute_in_f32(own, sink); });
}

// Checks both references on pixels of one channel and one slice. The numbers are small integers, so
// that both must be exact.
void check_results(const Filter &filter, const Picture &picture, const Border &border,
                   const Region &region, const std::vector<double> &expected) {
    const ReferenceJob job{filter, picture.desc, border, region, picture.memory.data()};
    std::vector<double> doubles(expected.size()), floats(expected.size());
    const auto index = [&](const auto &place) {
        const Axes &at = std::get<0>(place);
        return static_cast<std::size_t>(at[1] * region.extent[0] + at[0]);
    };
    for (const auto &[place, value] : in_double(job))
        doubles.at(index(place)) = value;
    for (const auto &[place, value] : in_f32(job))
        floats.at(index(place)) = static_cast<double>(value);
    CHECK(doubles == expected);
    CHECK(floats == expected);
}

// The value at a place of the extended source, in coordinates of the source: what the definition
// calls in[p].
double extended(const ReferenceJob &job, Axes at, std::int64_t plane, std::int64_t c) {
    const bool isolated = job.region.edge == RegionEdge::isolated;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t first = isolated ? job.region.source_origin[i] : 0;
        const std::int64_t size = isolated ? job.region.extent[i] : job.source.extent[i];
        const std::int64_t folded = gz::fold(at[i] - first, size, job.border.mode);
        if (folded < 0)
            return job.border.value;
        at[i] = first + folded;
    }
    return gz::load_pixel(job.source.type, job.pixels + byte_of(job.source, at, plane, c));
}

// A random image, region and border. Pixels that an isolated region may not read stay NaN or 255.
struct RandomCase {
    Picture picture;
    Border border;
    Region region;
    Taps taps; // as written
    bool convolve = false;

    Filter filter() const { return convolve ? Filter::convolve(taps) : Filter::correlate(taps); }
};

enum class Numbers { integers, fractions };

RandomCase random_case(std::minstd_rand &random, Numbers numbers) {
    constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16,
                                   PixelType::f32};
    RandomCase result;
    ImageDesc desc;
    desc.type = types[random() % 5];
    desc.channels = draw(random, 1, 4);
    desc.extent = {draw(random, 1, 6), draw(random, 1, 6), draw(random, 1, 2), draw(random, 1, 2)};
    desc.planes = draw(random, 1, 2);
    const auto size = static_cast<std::int64_t>(gz::size_of(desc.type));
    desc.offset = draw(random, 0, 3) * size;
    desc.pitch[1] = desc.extent[0] * desc.pixel_bytes() + draw(random, 0, 3) * size;
    result.picture = make_picture(gz::complete(desc, "image"));
    desc = result.picture.desc;

    Region &region = result.region;
    region.edge = random() % 2 ? RegionEdge::isolated : RegionEdge::neighbours;
    for (std::size_t i = 0; i < 4; ++i) {
        region.source_origin[i] = draw(random, 0, desc.extent[i] - 1);
        region.extent[i] = draw(random, 1, desc.extent[i] - region.source_origin[i]);
    }
    region = gz::complete(region, desc, desc);

    const auto number = [&] {
        return numbers == Numbers::integers
                   ? static_cast<double>(draw(random, -9, 9))
                   : static_cast<double>(draw(random, -1'000'000, 1'000'000)) / 300'000.0;
    };
    for (std::int64_t plane = 0; plane < desc.planes; ++plane)
        for (std::int64_t t = 0; t < desc.extent[3]; ++t)
            for (std::int64_t z = 0; z < desc.extent[2]; ++z)
                for (std::int64_t y = 0; y < desc.extent[1]; ++y)
                    for (std::int64_t x = 0; x < desc.extent[0]; ++x) {
                        const Axes at{x, y, z, t};
                        bool is_read = true;
                        for (std::size_t i = 0; i < 4; ++i)
                            if ((region.edge == RegionEdge::isolated || i > 1) &&
                                (at[i] < region.source_origin[i] ||
                                 at[i] >= region.source_origin[i] + region.extent[i]))
                                is_read = false;
                        for (std::int64_t c = 0; is_read && c < desc.channels; ++c)
                            gz::store_pixel(desc.type, static_cast<float>(number()),
                                            result.picture.memory.data() +
                                                byte_of(desc, at, plane, c));
                    }

    result.border.mode = gz::all_border_modes[random() % 5];
    result.border.value = numbers == Numbers::integers ? number() : 0.625;
    const std::int64_t width = draw(random, 1, 9);
    const std::int64_t height = draw(random, 1, 9);
    result.taps = make_taps(width, height, draw(random, 0, width - 1), draw(random, 0, height - 1),
                            std::vector<double>(static_cast<std::size_t>(width * height)));
    const bool product = random() % 2 == 0;
    std::vector<double> column(static_cast<std::size_t>(height));
    for (double &k : column)
        k = number();
    std::vector<double> row(static_cast<std::size_t>(width));
    for (double &k : row)
        k = number();
    for (std::size_t i = 0; i < result.taps.values.size(); ++i)
        result.taps.values[i] = product ? column[i / row.size()] * row[i % row.size()] : number();
    result.convolve = random() % 2 == 0;
    return result;
}

// The canonical f32 result at a place of the region: one chain over the taps, or, where they are
// separable, a chain along x for each row and one along y over these.
float canonical(const RandomCase &test, const ReferenceJob &job, const Axes &at, std::int64_t plane,
                std::int64_t c) {
    const Taps &taps = test.taps;
    const std::int64_t nx = taps.size[0];
    const std::int64_t ny = taps.size[1];
    // A convolution goes through the taps as written from the last one on.
    const auto place = [&](std::int64_t i, std::int64_t j) {
        Axes p = job.region.source_origin;
        for (std::size_t axis = 0; axis < 4; ++axis)
            p[axis] += at[axis];
        p[0] += test.convolve ? taps.anchor[0] - i : i - taps.anchor[0];
        p[1] += test.convolve ? taps.anchor[1] - j : j - taps.anchor[1];
        return static_cast<float>(extended(job, p, plane, c));
    };
    const auto turn = [&](std::int64_t i, std::int64_t n) { return test.convolve ? n - 1 - i : i; };
    float sum = 0.0F;
    for (std::int64_t b = 0; b < ny; ++b) {
        const std::int64_t j = turn(b, ny);
        float row = 0.0F;
        for (std::int64_t a = 0; a < nx; ++a) {
            const std::int64_t i = turn(a, nx);
            if (job.filter.get<gz::Correlate>().factors()) {
                const double k =
                    job.filter.get<gz::Correlate>().factors()->x[static_cast<std::size_t>(a)];
                row = gz::fma(static_cast<float>(k), place(i, j), row);
            } else {
                const double k = taps.values[static_cast<std::size_t>(j * nx + i)];
                sum = gz::fma(static_cast<float>(k), place(i, j), sum);
            }
        }
        if (job.filter.get<gz::Correlate>().factors()) {
            const double k =
                job.filter.get<gz::Correlate>().factors()->y[static_cast<std::size_t>(b)];
            sum = gz::fma(static_cast<float>(k), row, sum);
        }
    }
    return sum;
}

// The means of a box at all places that it is applied to, computed from nothing but the definition:
// each iteration reads the results of the one before, folded anew.
std::map<std::pair<std::int64_t, std::int64_t>, double>
brute_box(const ReferenceJob &job, Axes at, std::int64_t plane, std::int64_t c) {
    const gz::Box &box = job.filter.get<gz::Box>();
    const bool isolated = job.region.edge == RegionEdge::isolated;
    const Axes first = isolated ? job.region.source_origin : Axes{0, 0, 0, 0};
    const Axes &size = isolated ? job.region.extent : job.source.extent;
    std::map<std::pair<std::int64_t, std::int64_t>, double> values;
    for (std::int64_t y = 0; y < size[1]; ++y)
        for (std::int64_t x = 0; x < size[0]; ++x) {
            at[0] = first[0] + x;
            at[1] = first[1] + y;
            values[{x, y}] =
                gz::load_pixel(job.source.type, job.pixels + byte_of(job.source, at, plane, c));
        }
    for (int i = 0; i < box.iterations; ++i) {
        const auto before = values;
        for (auto &[place, value] : values) {
            double sum = 0.0;
            for (std::int64_t dy = -box.radius[1]; dy <= box.radius[1]; ++dy)
                for (std::int64_t dx = -box.radius[0]; dx <= box.radius[0]; ++dx) {
                    const std::int64_t x = gz::fold(place.first + dx, size[0], job.border.mode);
                    const std::int64_t y = gz::fold(place.second + dy, size[1], job.border.mode);
                    sum += x < 0 || y < 0 ? job.border.value : before.at({x, y});
                }
            value = sum / static_cast<double>(box.size()[0] * box.size()[1]);
        }
    }
    return values;
}

// Returns a value as store_pixel stores it, read back.
double stored(PixelType type, float value, gz::Store store = gz::Store::saturate) {
    std::byte bytes[4] = {};
    gz::store_pixel(type, value, bytes, store);
    return gz::load_pixel(type, bytes);
}

} // namespace

TEST_SUITE("reference") {
    TEST_CASE("a row of three by hand, every border") {
        const Picture picture = make_picture(3, 1, {1, 2, 3});
        const Filter filter = Filter::correlate(make_taps(3, 1, 1, 0, {1, 10, 100}));
        const Region all = whole(picture.desc);
        check_results(filter, picture, {BorderMode::clamp, 0}, all, {211, 321, 332});
        check_results(filter, picture, {BorderMode::constant, 7}, all, {217, 321, 732});
        check_results(filter, picture, {BorderMode::reflect, 0}, all, {211, 321, 332});
        check_results(filter, picture, {BorderMode::reflect101, 0}, all, {212, 321, 232});
        check_results(filter, picture, {BorderMode::wrap, 0}, all, {213, 321, 132});
    }

    TEST_CASE("a column of three by hand, every border") {
        const Picture picture = make_picture(1, 3, {1, 2, 3});
        const Filter filter = Filter::correlate(make_taps(1, 3, 0, 1, {1, 10, 100}));
        const Region all = whole(picture.desc);
        check_results(filter, picture, {BorderMode::clamp, 0}, all, {211, 321, 332});
        check_results(filter, picture, {BorderMode::constant, 7}, all, {217, 321, 732});
        check_results(filter, picture, {BorderMode::reflect, 0}, all, {211, 321, 332});
        check_results(filter, picture, {BorderMode::reflect101, 0}, all, {212, 321, 232});
        check_results(filter, picture, {BorderMode::wrap, 0}, all, {213, 321, 132});
    }

    TEST_CASE("two by two by hand: the image is extended first, then filtered") {
        const Picture picture = make_picture(2, 2, {1, 2, 3, 4});
        const Filter box = Filter::correlate(make_taps(3, 3, 1, 1, std::vector<double>(9, 1.0)));
        REQUIRE(box.get<gz::Correlate>().factors().has_value());
        const Region all = whole(picture.desc);
        check_results(box, picture, {BorderMode::clamp, 0}, all, {18, 21, 24, 27});
        // Five of nine places are outside for each, also in the rows above and below.
        check_results(box, picture, {BorderMode::constant, 10}, all, {60, 60, 60, 60});
        // The cross is no product of a row and a column.
        const Filter cross =
            Filter::correlate(make_taps(3, 3, 1, 1, {0, 1, 0, 10, 100, 1000, 0, 10000, 0}));
        REQUIRE_FALSE(cross.get<gz::Correlate>().factors().has_value());
        check_results(cross, picture, {BorderMode::wrap, 0}, all, {32123, 41214, 14341, 23432});
    }

    TEST_CASE("even sizes and their anchors by hand, both directions") {
        const Picture picture = make_picture(3, 1, {1, 2, 3});
        const Region all = whole(picture.desc);
        const auto taps = [](std::int64_t anchor) { return make_taps(2, 1, anchor, 0, {1, 10}); };
        const Border clamp{BorderMode::clamp, 0};
        check_results(Filter::correlate(taps(1)), picture, clamp, all, {11, 21, 32});
        check_results(Filter::correlate(taps(0)), picture, clamp, all, {21, 32, 33});
        check_results(Filter::convolve(taps(1)), picture, clamp, all, {12, 23, 33});
        check_results(Filter::convolve(taps(0)), picture, clamp, all, {11, 12, 23});
    }

    TEST_CASE("taps longer than the image fold again and again") {
        const Picture picture = make_picture(2, 1, {1, 2});
        const Filter filter = Filter::correlate(make_taps(7, 1, 3, 0, {1, 1, 1, 1, 1, 1, 1}));
        const Region all = whole(picture.desc);
        // In the line ...bba|ab|baa... the first pixel sees bbaabba, the second baabbaa.
        check_results(filter, picture, {BorderMode::reflect, 0}, all, {11, 10});
        check_results(filter, picture, {BorderMode::wrap, 0}, all, {11, 10});
        check_results(filter, picture, {BorderMode::clamp, 0}, all, {10, 11});
        check_results(filter, picture, {BorderMode::constant, -1}, all, {-2, -2});
    }

    TEST_CASE("a region isolated and with its neighbours by hand") {
        const Picture picture = make_picture(5, 1, {9, 1, 2, 3, 8});
        const Filter filter = Filter::correlate(make_taps(3, 1, 1, 0, {1, 10, 100}));
        Region region;
        region.source_origin = {1, 0, 0, 0};
        region.extent = {3, 1, 1, 1};
        region = gz::complete(region, picture.desc, picture.desc);
        const Border clamp{BorderMode::clamp, 0};
        check_results(filter, picture, clamp, region, {211, 321, 332});
        region.edge = RegionEdge::neighbours;
        check_results(filter, picture, clamp, region, {219, 321, 832});
        // Isolated, the pixels around it are never read.
        region.edge = RegionEdge::isolated;
        const Picture walled = make_picture(5, 1, {f32_nan, 1, 2, 3, f32_infinity});
        check_results(filter, walled, {BorderMode::wrap, 0}, region, {213, 321, 132});
    }

    TEST_CASE("in double: the formulas, exactly, on random images of integers") {
        std::minstd_rand random(3);
        for (int turn = 0; turn < 300; ++turn) {
            const RandomCase test = random_case(random, Numbers::integers);
            const Filter filter = test.filter();
            const ReferenceJob job{filter, test.picture.desc, test.border, test.region,
                                   test.picture.memory.data()};
            CAPTURE(turn);
            bool all_equal = true;
            for (const auto &[place, value] : in_double(job)) {
                const auto &[at, plane, c] = place;
                double expected = 0.0;
                for (std::int64_t j = 0; j < test.taps.size[1]; ++j)
                    for (std::int64_t i = 0; i < test.taps.size[0]; ++i) {
                        Axes p = at;
                        for (std::size_t axis = 0; axis < 4; ++axis)
                            p[axis] += test.region.source_origin[axis];
                        if (test.convolve) { // in[p - j + a]
                            p[0] += -i + test.taps.anchor[0];
                            p[1] += -j + test.taps.anchor[1];
                        } else { // in[p + j - a]
                            p[0] += i - test.taps.anchor[0];
                            p[1] += j - test.taps.anchor[1];
                        }
                        expected +=
                            test.taps.values[static_cast<std::size_t>(j * test.taps.size[0] + i)] *
                            extended(job, p, plane, c);
                    }
                all_equal = all_equal && value == expected;
            }
            REQUIRE(all_equal);
        }
    }

    TEST_CASE("in f32: the bits of a scalar chain of fma, on random images") {
        std::minstd_rand random(4);
        int separable = 0;
        for (int turn = 0; turn < 300; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            const Filter filter = test.filter();
            separable += filter.get<gz::Correlate>().factors() ? 1 : 0;
            const ReferenceJob job{filter, test.picture.desc, test.border, test.region,
                                   test.picture.memory.data()};
            CAPTURE(turn);
            CAPTURE(filter.get<gz::Correlate>().factors().has_value());
            bool all_equal = true;
            for (const auto &[place, value] : in_f32(job)) {
                const auto &[at, plane, c] = place;
                const float expected = canonical(test, job, at, plane, c);
                all_equal = all_equal && std::bit_cast<std::uint32_t>(value) ==
                                             std::bit_cast<std::uint32_t>(expected);
            }
            REQUIRE(all_equal);
        }
        // Both orders were tried.
        CHECK(separable > 50);
        CHECK(separable < 250);
    }

    TEST_CASE("convolving with taps is correlating with the reversed taps, to the bit") {
        std::minstd_rand random(5);
        for (int turn = 0; turn < 50; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            const Filter convolve = Filter::convolve(test.taps);
            const Filter correlate = Filter::correlate(gz::reversed(test.taps));
            const auto job = [&](const Filter &filter) {
                return ReferenceJob{filter, test.picture.desc, test.border, test.region,
                                    test.picture.memory.data()};
            };
            REQUIRE(in_double(job(convolve)) == in_double(job(correlate)));
            REQUIRE(in_f32(job(convolve)) == in_f32(job(correlate)));
        }
    }

    TEST_CASE("f32 stays within the bound that the filter states, and uses some of it") {
        std::minstd_rand random(6);
        double worst = 0.0;
        for (int turn = 0; turn < 300; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            const Filter filter = test.filter();
            const ReferenceJob job{filter, test.picture.desc, test.border, test.region,
                                   test.picture.memory.data()};
            const double bound = filter.error_bound(gz::largest_magnitude(job));
            const Results<double> exact = in_double(job);
            for (const auto &[place, value] : in_f32(job)) {
                const double error = std::abs(static_cast<double>(value) - exact.at(place));
                REQUIRE(error <= bound);
                worst = std::max(worst, error / bound);
            }
        }
        CHECK(worst > 0.01);
    }

    TEST_CASE("the bound covers a constant border that f32 rounds") {
        // Every rounding loses almost half a unit, all of them downwards: the rounding of the first tap, of
        // the border, of their product (a tie), and of three additions of almost half a unit.
        constexpr double u = 0x1p-24;
        const double almost_half = 0.99 * u;
        const double nearly_one = 1.0 + 0x1p-12 + almost_half;
        const Filter filter =
            Filter::correlate(make_taps(2, 2, 1, 1, {nearly_one, almost_half, almost_half, 8 * u}));
        REQUIRE_FALSE(filter.get<gz::Correlate>().factors().has_value());
        const Picture picture = make_picture(1, 1, {0.99F / 8.0F});
        const ReferenceJob job{filter,
                               picture.desc,
                               {BorderMode::constant, nearly_one},
                               whole(picture.desc),
                               picture.memory.data()};
        const double exact = in_double(job).begin()->second;
        const double result = static_cast<double>(in_f32(job).begin()->second);
        CHECK(std::abs(result - exact) <= filter.error_bound(gz::largest_magnitude(job)));
    }

    TEST_CASE("the bound covers results and taps too small for f32") {
        const auto check = [](double tap, float pixel) {
            const Filter filter = Filter::correlate(make_taps(1, 1, 0, 0, {tap}));
            const Picture picture = make_picture(1, 1, {pixel});
            const ReferenceJob job{filter, picture.desc, Border(), whole(picture.desc),
                                   picture.memory.data()};
            const double exact = in_double(job).begin()->second;
            const double result = static_cast<double>(in_f32(job).begin()->second);
            CAPTURE(exact);
            CAPTURE(result);
            CHECK(std::abs(result - exact) <= filter.error_bound(gz::largest_magnitude(job)));
        };
        check(1e-30, 1e-20F);
        check(1e-60, 1.0F);
    }

    TEST_CASE("boxes: the mean of every pixel in reach, on random images") {
        std::minstd_rand random(12);
        std::array<int, 5> borders{};
        int beyond = 0;
        for (int turn = 0; turn < 200; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            const gz::Box box{{draw(random, 0, 7), draw(random, 0, 7), 0, 0},
                              static_cast<int>(draw(random, 1, 3))};
            const Filter filter = Filter::box(box);
            const ReferenceJob job{filter, test.picture.desc, test.border, test.region,
                                   test.picture.memory.data()};
            ++borders[static_cast<std::size_t>(test.border.mode)];
            beyond += box.radius[0] > job.source.extent[0] ? 1 : 0;
            const bool isolated = job.region.edge == RegionEdge::isolated;
            const double bound = 1e-13 * (1.0 + gz::largest_magnitude(job));
            CAPTURE(turn);
            std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>,
                     std::map<std::pair<std::int64_t, std::int64_t>, double>>
                slices;
            for (const auto &[place, value] : in_double(job)) {
                const auto &[at, plane, c] = place;
                Axes from = job.region.source_origin;
                for (std::size_t axis = 0; axis < 4; ++axis)
                    from[axis] += at[axis];
                auto &slice = slices[{from[2], from[3], plane, c}];
                if (slice.empty())
                    slice = brute_box(job, from, plane, c);
                const double expected =
                    isolated ? slice.at({at[0], at[1]}) : slice.at({from[0], from[1]});
                REQUIRE(std::abs(value - expected) <= bound);
            }
        }
        for (const int count : borders)
            CHECK(count > 10);
        CHECK(beyond > 10);
    }

    TEST_CASE("boxes by hand: a row of three, every border, and radii beyond the image") {
        const Picture picture = make_picture(3, 1, {3, 6, 12});
        const auto means = [&](std::int64_t radius, const Border &border, int iterations = 1) {
            const Filter filter = Filter::box({{radius, 0, 0, 0}, iterations});
            const ReferenceJob job{filter, picture.desc, border, whole(picture.desc),
                                   picture.memory.data()};
            std::vector<double> values;
            for (const auto &[place, value] : in_double(job))
                values.push_back(value);
            return values;
        };
        CHECK(means(0, {BorderMode::wrap, 0}) == std::vector<double>{3, 6, 12});
        CHECK(means(1, {BorderMode::clamp, 0}) == std::vector<double>{4, 7, 10});
        CHECK(means(1, {BorderMode::constant, 9}) == std::vector<double>{6, 7, 9});
        CHECK(means(1, {BorderMode::reflect101, 0}) == std::vector<double>{5, 7, 8});
        CHECK(means(1, {BorderMode::wrap, 0}) == std::vector<double>{7, 7, 7});
        // 4 7 10 once more, with its own ends repeated.
        CHECK(means(1, {BorderMode::clamp, 0}, 2) == std::vector<double>{5, 7, 9});
        // The constant stays what it is: 6 7 9 between nines.
        CHECK(means(1, {BorderMode::constant, 9}, 2) ==
              std::vector<double>{22.0 / 3.0, 22.0 / 3.0, 25.0 / 3.0});
        // Three pixels and a hundred on each side of the first.
        CHECK(means(100, {BorderMode::clamp, 0}).front() ==
              doctest::Approx((101.0 * 3 + 6 + 99.0 * 12) / 201.0));
        CHECK(means(1000000, {BorderMode::constant, 0}).back() ==
              doctest::Approx(21.0 / 2000001.0));
    }

    TEST_CASE("boxes leave NaN and infinities behind as they move on") {
        std::vector<float> values(11 * 9, 1.0F);
        values[2 * 11 + 3] = f32_nan;
        values[7 * 11 + 8] = f32_infinity;
        values[7 * 11 + 10] = -f32_infinity;
        const Picture picture = make_picture(11, 9, values);
        const Filter filter = Filter::box({{1, 2, 0, 0}, 1});
        const ReferenceJob job{filter,
                               picture.desc,
                               {BorderMode::constant, 1.0},
                               whole(picture.desc),
                               picture.memory.data()};
        for (const auto &[place, value] : in_double(job)) {
            const Axes &at = std::get<0>(place);
            const auto reaches = [&](std::int64_t x, std::int64_t y) {
                return std::abs(at[0] - x) <= 1 && std::abs(at[1] - y) <= 2;
            };
            CAPTURE(at[0]);
            CAPTURE(at[1]);
            if (reaches(3, 2) || (reaches(8, 7) && reaches(10, 7)))
                CHECK(std::isnan(value));
            else if (reaches(8, 7))
                CHECK(value == static_cast<double>(f32_infinity));
            else if (reaches(10, 7))
                CHECK(value == static_cast<double>(-f32_infinity));
            else
                CHECK(value == doctest::Approx(1.0));
        }
        support::check_refused(gz::Status::internal, {"box"}, [&] {
            gz::compute_in_f32(job, [](const RowPlace &, const float *) {});
        });
    }

    TEST_CASE("each component as if its taps were those of all") {
        std::minstd_rand random(13);
        for (int turn = 0; turn < 100; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            const std::int64_t channels = test.picture.desc.channels;
            const std::int64_t components = channels * test.picture.desc.planes;
            std::vector<Filter> own;
            for (std::int64_t i = 0; i <= components; ++i)
                own.push_back(random_case(random, Numbers::fractions).filter());
            // Some components have taps of their own, the others the last.
            Filter varied = own.back();
            std::vector<bool> has_own(static_cast<std::size_t>(components), false);
            for (std::int64_t i = 0; i < components; ++i)
                if (random() % 2) {
                    has_own[static_cast<std::size_t>(i)] = true;
                    varied = varied.with_component(i, own[static_cast<std::size_t>(i)]);
                }
            const auto job = [&](const Filter &filter) {
                return ReferenceJob{filter, test.picture.desc, test.border, test.region,
                                    test.picture.memory.data()};
            };
            const auto doubles = in_double(job(varied));
            const auto floats = in_f32(job(varied));
            CAPTURE(turn);
            for (std::int64_t i = 0; i < components; ++i) {
                const Filter &alone = has_own[static_cast<std::size_t>(i)]
                                          ? own[static_cast<std::size_t>(i)]
                                          : own.back();
                const auto alone_doubles = in_double(job(alone));
                const auto alone_floats = in_f32(job(alone));
                bool all_equal = true;
                for (const auto &[place, value] : doubles)
                    if (std::get<1>(place) * channels + std::get<2>(place) == i)
                        all_equal = all_equal && value == alone_doubles.at(place) &&
                                    floats.at(place) == alone_floats.at(place);
                REQUIRE(all_equal);
            }
        }
    }

    TEST_CASE("in f32: long taps along each axis, a chain along x and one along y") {
        std::minstd_rand random(14);
        for (int turn = 0; turn < 12; ++turn) {
            const RandomCase test = random_case(random, Numbers::fractions);
            gz::AxisTaps taps;
            for (std::size_t axis = 0; axis < 2; ++axis) {
                taps.values[axis].resize(static_cast<std::size_t>(draw(random, 1, 300)));
                for (double &k : taps.values[axis])
                    k = static_cast<double>(draw(random, -1000, 1000)) / 3000.0;
            }
            const auto nx = static_cast<std::int64_t>(taps.values[0].size());
            const auto ny = static_cast<std::int64_t>(taps.values[1].size());
            const Axes anchor{draw(random, 0, nx - 1), draw(random, 0, ny - 1), 0, 0};
            taps.anchor = anchor;
            const Filter filter = Filter::separable(taps);
            const ReferenceJob job{filter, test.picture.desc, test.border, test.region,
                                   test.picture.memory.data()};
            const Results<double> exact = in_double(job);
            const double bound = filter.error_bound(gz::largest_magnitude(job));
            CAPTURE(turn);
            bool all_equal = true;
            for (const auto &[place, value] : in_f32(job)) {
                const auto &[at, plane, c] = place;
                float sum = 0.0F;
                for (std::int64_t j = 0; j < ny; ++j) {
                    float row = 0.0F;
                    for (std::int64_t i = 0; i < nx; ++i) {
                        Axes p = job.region.source_origin;
                        for (std::size_t axis = 0; axis < 4; ++axis)
                            p[axis] += at[axis];
                        p[0] += i - anchor[0];
                        p[1] += j - anchor[1];
                        row =
                            gz::fma(static_cast<float>(taps.values[0][static_cast<std::size_t>(i)]),
                                    static_cast<float>(extended(job, p, plane, c)), row);
                    }
                    sum = gz::fma(static_cast<float>(taps.values[1][static_cast<std::size_t>(j)]),
                                  row, sum);
                }
                all_equal = all_equal && std::bit_cast<std::uint32_t>(value) ==
                                             std::bit_cast<std::uint32_t>(sum);
                REQUIRE(std::abs(static_cast<double>(value) - exact.at(place)) <= bound);
            }
            REQUIRE(all_equal);
        }
    }

    TEST_CASE("the largest magnitude is that of what may be read") {
        const Picture picture = make_picture(4, 2, {-9, 1, -2, 3, 4, 0, 1, -7});
        const Filter filter = Filter::correlate(make_taps(1, 1, 0, 0, {100}));
        Region region;
        region.source_origin = {1, 0, 0, 0};
        region.extent = {2, 2, 1, 1};
        const auto largest = [&](RegionEdge edge, const Border &border) {
            region.edge = edge;
            return gz::largest_magnitude(
                {filter, picture.desc, border, region, picture.memory.data()});
        };
        CHECK(largest(RegionEdge::isolated, {BorderMode::clamp, -50}) == 2);
        CHECK(largest(RegionEdge::isolated, {BorderMode::constant, -50}) == 50);
        CHECK(largest(RegionEdge::isolated, {BorderMode::constant, 1}) == 2);
        CHECK(largest(RegionEdge::neighbours, {BorderMode::wrap, 0}) == 9);
    }
}

TEST_SUITE("pixels") {
    TEST_CASE("values are loaded exactly") {
        const auto load = [](PixelType type, auto value) {
            std::byte bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            return gz::load_pixel(type, bytes);
        };
        CHECK(load(PixelType::u8, std::uint8_t{200}) == 200.0);
        CHECK(load(PixelType::u16, std::uint16_t{65535}) == 65535.0);
        CHECK(load(PixelType::s16, std::int16_t{-32768}) == -32768.0);
        CHECK(load(PixelType::f16, std::uint16_t{0xc100}) == -2.5);
        CHECK(load(PixelType::f32, 0.1F) == static_cast<double>(0.1F));
    }

    TEST_CASE("integers are cut off where a plan says so") {
        const auto cut = [](PixelType type, float value) {
            return stored(type, value, gz::Store::truncate);
        };
        for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s16}) {
            CAPTURE(gz::name_of(type));
            CHECK(cut(type, 0.75F) == 0.0);
            CHECK(cut(type, 1.5F) == 1.0);
            CHECK(cut(type, std::nextafter(3.0F, 0.0F)) == 2.0);
            CHECK(cut(type, 3.0F) == 3.0);
            CHECK(cut(type, -0.75F) == 0.0);
            CHECK(cut(type, 1e9F) == gz::facts_of(type).highest);
            CHECK(cut(type, -1e9F) == gz::facts_of(type).lowest);
            CHECK(cut(type, std::numeric_limits<float>::quiet_NaN()) == 0.0);
        }
        CHECK(cut(PixelType::s16, -1.5F) == -1.0);
        CHECK(cut(PixelType::f32, -1.5F) == -1.5);
    }

    TEST_CASE("the distance from what is cut off") {
        const auto distance = [](double exact, double kept, PixelType type = PixelType::s16) {
            return gz::distance_from_truncated(exact, kept, type);
        };
        CHECK(distance(3.5, 3.0) == 0.0);
        CHECK(distance(3.5, 4.0) == 0.5);
        CHECK(distance(4.25, 3.0) == 0.25);
        CHECK(distance(-3.5, -3.0) == 0.0);
        CHECK(distance(-3.5, -4.0) == 0.5);
        CHECK(distance(-0.5, 0.0) == 0.0);
        CHECK(distance(1.5, 0.0) == 0.5);
        CHECK(distance(1e6, 32767.0) == 0.0);
        CHECK(distance(1e6, 32766.0) > 9e5);
        CHECK(distance(-7.0, 0.0, PixelType::u8) == 0.0);
    }

    TEST_CASE("integers round half to even") {
        for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s16}) {
            CAPTURE(gz::name_of(type));
            CHECK(stored(type, 0.5F) == 0.0);
            CHECK(stored(type, 1.5F) == 2.0);
            CHECK(stored(type, 2.5F) == 2.0);
            CHECK(stored(type, 3.5F) == 4.0);
            CHECK(stored(type, std::nextafter(2.5F, 3.0F)) == 3.0);
            CHECK(stored(type, std::nextafter(1.5F, 1.0F)) == 1.0);
            CHECK(stored(type, -0.5F) == 0.0);
            CHECK(stored(type, -0.0F) == 0.0);
            CHECK(stored(type, 77.0F) == 77.0);
        }
        CHECK(stored(PixelType::s16, -1.5F) == -2.0);
        CHECK(stored(PixelType::s16, -2.5F) == -2.0);
    }

    TEST_CASE("integers saturate, and NaN gives 0") {
        const std::tuple<PixelType, double, double> ranges[] = {
            {PixelType::u8, 0, 255}, {PixelType::u16, 0, 65535}, {PixelType::s16, -32768, 32767}};
        for (const auto &[pixel_type, lowest, highest] : ranges) {
            const PixelType type = pixel_type; // CAPTURE takes no bindings with every compiler
            CAPTURE(gz::name_of(type));
            const auto low = static_cast<float>(lowest);
            const auto high = static_cast<float>(highest);
            CHECK(stored(type, low) == lowest);
            CHECK(stored(type, low - 0.75F) == lowest);
            CHECK(stored(type, low - 1.0F) == lowest);
            CHECK(stored(type, -1e30F) == lowest);
            CHECK(stored(type, -f32_infinity) == lowest);
            CHECK(stored(type, high) == highest);
            CHECK(stored(type, high - 0.5F) == highest - 1.0); // the highest value is odd
            CHECK(stored(type, high + 0.5F) == highest);
            CHECK(stored(type, high + 1.0F) == highest);
            CHECK(stored(type, 1e30F) == highest);
            CHECK(stored(type, f32_infinity) == highest);
            CHECK(stored(type, f32_nan) == 0.0);
        }
    }

    TEST_CASE("floats round to nearest even, overflow to infinity and keep NaN") {
        CHECK(stored(PixelType::f16, 2049.0F) == 2048.0);
        CHECK(stored(PixelType::f16, 2051.0F) == 2052.0);
        CHECK(std::isinf(stored(PixelType::f16, 65520.0F)));
        CHECK(std::isnan(stored(PixelType::f16, f32_nan)));
        CHECK(stored(PixelType::f32, 0.1F) == static_cast<double>(0.1F));
        CHECK(std::isnan(stored(PixelType::f32, f32_nan)));
        CHECK(stored(PixelType::f32, -f32_infinity) == static_cast<double>(-f32_infinity));
    }

    TEST_CASE("no byte beside the value is written") {
        for (const PixelType type :
             {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16, PixelType::f32,
              PixelType::f64, PixelType::u32, PixelType::s32, PixelType::u64}) {
            std::vector<std::byte> bytes(12, std::byte{0xa5});
            gz::store_pixel(type, 1.0F, bytes.data() + 3);
            CHECK(gz::load_pixel(type, bytes.data() + 3) == 1.0);
            for (std::size_t i = 0; i < bytes.size(); ++i)
                if (i < 3 || i >= 3 + gz::size_of(type))
                    CHECK(bytes[i] == std::byte{0xa5});
        }
    }

    TEST_CASE("wide types saturate too") {
        const auto stored = [](PixelType type, float value) {
            std::byte bytes[8] = {};
            gz::store_pixel(type, value, bytes);
            return gz::load_pixel(type, bytes);
        };
        CHECK(stored(PixelType::f64, -0.1F) == static_cast<double>(-0.1F));
        CHECK(stored(PixelType::u32, 2.5F) == 2.0);
        CHECK(stored(PixelType::u32, 1e10F) == 4294967295.0);
        CHECK(stored(PixelType::u32, -1.0F) == 0.0);
        CHECK(stored(PixelType::s32, -1e10F) == -2147483648.0);
        CHECK(stored(PixelType::u64, 0x1p40F) == 0x1p40);
        CHECK(stored(PixelType::u64, 1e30F) > 1.8e19);
    }
}
