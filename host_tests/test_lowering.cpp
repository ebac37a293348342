// From descriptions to the numbers that kernels get.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "families/box/lowering_at_once.hpp"
#include "families/reference.hpp"
#include "plan/lowering.hpp"
#include "support/unit.hpp"

using gz::Axes;
using gz::BorderMode;
using gz::CorrelatePass;
using gz::Filter;
using gz::ImageDesc;
using gz::PixelType;
using gz::PlanDesc;
using gz::RegionEdge;
using gz::Status;
using support::check_refused;
using support::draw;
using support::make_image;
using support::make_taps;
using support::Rank;

namespace {

using Images = std::vector<gz::ImageRef>;

// A part of a u16 image of 2 channels with gaps, to a part of an f32 one.
PlanDesc described() {
    PlanDesc desc;
    desc.source.type = PixelType::u16;
    desc.source.channels = 2;
    desc.source.extent = {20, 10, 3, 2};
    desc.source.pitch = {0, 96, 1000, 4000};
    desc.source.offset = 32;
    desc.source.planes = 2;
    desc.source.plane_pitch = 10000;
    desc.target.type = PixelType::f32;
    desc.target.channels = 2;
    desc.target.extent = {30, 12, 4, 2};
    desc.target.planes = 2;
    desc.border = {BorderMode::constant, 0.1};
    desc.region.source_origin = {3, 2, 1, 0};
    desc.region.extent = {10, 5, 2, 2};
    desc.region.target_origin = {4, 1, 2, 0};
    return gz::complete(desc);
}

template <class Spoil>
void check_spoiled(Status status, std::initializer_list<std::string> parts, Spoil &&spoil) {
    PlanDesc desc = described();
    spoil(desc);
    check_refused(status, parts, [&] { gz::complete(desc); });
}

// Alignment of a pass from one whole image to another.
int alignment_of(const ImageDesc &source, const ImageDesc &target) {
    PlanDesc desc;
    desc.source = source;
    desc.target = target;
    return support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), gz::complete(desc))
        .alignment;
}

ImageDesc u8_image(std::int64_t width, std::int64_t height, std::int64_t pitch,
                   std::int64_t offset = 0) {
    ImageDesc desc = make_image(PixelType::u8, {width, height, 1, 1});
    desc.pitch = {0, pitch, 0, 0};
    desc.plane_pitch = 0;
    desc.offset = offset;
    return desc;
}

PlanDesc random_desc(std::minstd_rand &random) {
    constexpr PixelType types[] = {PixelType::u8, PixelType::s16, PixelType::f32};
    PlanDesc desc;
    desc.source.type = types[random() % 3];
    desc.source.channels = draw(random, 1, 4);
    desc.source.planes = draw(random, 1, 2);
    desc.target.type = types[random() % 3];
    desc.target.channels = desc.source.channels;
    desc.target.planes = desc.source.planes;
    desc.region.edge = random() % 2 ? RegionEdge::isolated : RegionEdge::neighbours;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t most = i < 2 ? 12 : 3;
        desc.source.extent[i] = draw(random, 1, most);
        desc.region.source_origin[i] = draw(random, 0, desc.source.extent[i] - 1);
        desc.region.extent[i] =
            draw(random, 1, desc.source.extent[i] - desc.region.source_origin[i]);
        desc.region.target_origin[i] = draw(random, 0, 3);
        desc.target.extent[i] =
            desc.region.target_origin[i] + desc.region.extent[i] + draw(random, 0, 2);
    }
    desc.source.pitch[1] =
        desc.source.extent[0] * desc.source.pixel_bytes() +
        draw(random, 0, 3) * static_cast<std::int64_t>(gz::size_of(desc.source.type));
    desc.source.offset =
        draw(random, 0, 3) * static_cast<std::int64_t>(gz::size_of(desc.source.type));
    desc.border = {gz::all_border_modes[random() % 5], 0.5};
    return gz::complete(desc);
}

// All results of a job, one after the other.
std::vector<float> results_of(const Filter &filter, const PlanDesc &desc, const std::byte *pixels) {
    std::vector<float> results;
    gz::compute_in_f32({filter, desc.source, desc.border, desc.region, pixels},
                       [&](const gz::RowPlace &, const float *row) {
                           results.insert(results.end(), row,
                                          row + desc.region.extent[0] * desc.source.channels);
                       });
    return results;
}

} // namespace

TEST_SUITE("lowering") {
    TEST_CASE("the geometry of a described region, number by number") {
        const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 7};
        const CorrelatePass pass =
            support::lower_taps(Filter::correlate(make_taps(5, 3, 4, 0, values)), described());
        CHECK(pass.src_type == PixelType::u16);
        CHECK(pass.dst_type == PixelType::f32);
        CHECK(pass.channels == 2);
        CHECK(pass.planes == 2);
        CHECK(pass.batch() == 8); // 2 slices of 2 volumes of 2 planes

        const gz::Geometry &g = pass.geometry;
        CHECK(g.src_first == (32 + 3 * 4 + 2 * 96 + 1 * 1000) / 2);
        CHECK(g.src_row == 48);
        CHECK(g.src_slice == 500);
        CHECK(g.src_volume == 2000);
        CHECK(g.src_plane == 5000);
        // The target's rows have 60 values, its slices 12 rows, its volumes 4 slices.
        CHECK(g.dst_first == 4 * 2 + 1 * 60 + 2 * 720);
        CHECK(g.dst_row == 60);
        CHECK(g.dst_slice == 720);
        CHECK(g.dst_volume == 2880);
        CHECK(g.dst_plane == 5760);
        CHECK(g.width == 20);
        CHECK(g.height == 5);
        CHECK(g.slices == 2);
        CHECK(g.volumes == 2);
        CHECK(g.valid_left == 0);
        CHECK(g.valid_right == 10);
        CHECK(g.valid_top == 0);
        CHECK(g.valid_bottom == 5);
        CHECK(g.taps_x == 5);
        CHECK(g.taps_y == 3);
        CHECK(g.anchor_x == 4);
        CHECK(g.anchor_y == 0);
        CHECK(g.border_mode == GAUZE_BORDER_CONSTANT);
        CHECK(g.border_value == 0.1F);

        REQUIRE(pass.sets.size() == 1);
        CHECK_FALSE(pass.separable());
        CHECK(pass.set().taps == std::vector<float>(values.begin(), values.end()));
    }

    TEST_CASE("neighbours may be read, up to the image's edges") {
        PlanDesc desc = described();
        desc.region.edge = RegionEdge::neighbours;
        const gz::Geometry g =
            support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), desc).geometry;
        CHECK(g.valid_left == -3);
        CHECK(g.valid_right == 17);
        CHECK(g.valid_top == -2);
        CHECK(g.valid_bottom == 8);
        CHECK(g.width == 20);
        CHECK(g.height == 5);
        CHECK(g.src_first == (32 + 3 * 4 + 2 * 96 + 1 * 1000) / 2);
    }

    TEST_CASE("borders go by their number") {
        for (const BorderMode mode : gz::all_border_modes) {
            PlanDesc desc = described();
            desc.border.mode = mode;
            CHECK(support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), desc)
                      .geometry.border_mode == static_cast<gauze_border>(mode));
        }
    }

    TEST_CASE("separable taps are a row and a column, those of a convolution reversed") {
        const CorrelatePass pass = support::lower_taps(
            Filter::convolve(make_taps(3, 2, 0, 1, {1, 2, 4, 2, 4, 8})), described());
        REQUIRE(pass.separable());
        CHECK(pass.geometry.anchor_x == 2);
        CHECK(pass.geometry.anchor_y == 0);
        // Reversed, the rows are 8 4 2 and 4 2 1.
        CHECK(pass.set().taps == std::vector<float>{8, 4, 2, 1, 0.5F});
    }

    TEST_CASE("alignment is that of the first value and of every step that is taken") {
        const ImageDesc aligned = u8_image(64, 8, 64);
        CHECK(alignment_of(aligned, aligned) == 16);
        CHECK(alignment_of(u8_image(64, 8, 72), aligned) == 8);
        CHECK(alignment_of(aligned, u8_image(64, 8, 68)) == 4);
        CHECK(alignment_of(u8_image(64, 8, 72), u8_image(64, 8, 66)) == 2);
        CHECK(alignment_of(u8_image(64, 8, 65), aligned) == 1);
        CHECK(alignment_of(u8_image(64, 8, 64, 4), aligned) == 4);
        CHECK(alignment_of(aligned, u8_image(64, 8, 64, 1)) == 1);
        CHECK(alignment_of(aligned, u8_image(64, 8, 64, 1600)) == 16);
        // One row takes no step to the next.
        CHECK(alignment_of(u8_image(63, 1, 63), u8_image(63, 1, 65)) == 16);
    }

    TEST_CASE("alignment counts values, not bytes") {
        ImageDesc image = make_image(PixelType::f32, {64, 8, 1, 1});
        CHECK(alignment_of(image, image) == 16);
        image.pitch = {0, 65 * 4, 0, 0};
        image.plane_pitch = 0;
        CHECK(alignment_of(image, make_image(PixelType::f32, {64, 8, 1, 1})) == 1);
    }

    TEST_CASE("alignment heeds slices, volumes and planes where there are some") {
        const auto of = [](const Axes &extent, std::int64_t planes, const Axes &pitch,
                           std::int64_t plane_pitch) {
            ImageDesc image = make_image(PixelType::u8, extent, 1, planes);
            const ImageDesc tight = image;
            image.pitch = pitch;
            image.plane_pitch = plane_pitch;
            return alignment_of(image, tight);
        };
        CHECK(of({16, 4, 1, 1}, 1, {0, 16, 65, 0}, 0) == 16);
        CHECK(of({16, 4, 2, 1}, 1, {0, 16, 65, 0}, 0) == 1);
        CHECK(of({16, 4, 2, 1}, 1, {0, 16, 72, 0}, 0) == 8);
        CHECK(of({16, 4, 1, 2}, 1, {0, 16, 64, 66}, 0) == 2);
        CHECK(of({16, 4, 1, 1}, 2, {0, 16, 64, 64}, 68) == 4);
        CHECK(of({16, 4, 1, 1}, 1, {0, 16, 64, 64}, 65) == 16);
    }

    TEST_CASE("the region's first pixel decides, not the image's") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::u8, {64, 8, 1, 1});
        desc.region.source_origin = {4, 3, 0, 0};
        desc.region.target_origin = {0, 3, 0, 0};
        const auto alignment = [&] {
            return support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)),
                                       gz::complete(desc))
                .alignment;
        };
        CHECK(alignment() == 4);
        desc.region.target_origin = {2, 3, 0, 0};
        CHECK(alignment() == 2);
        desc.region.source_origin = desc.region.target_origin = {32, 3, 0, 0};
        CHECK(alignment() == 16);
    }
}

TEST_SUITE("lowering of taps per component") {
    TEST_CASE("a set for each component, and sizes that cover all of them") {
        const Filter filter =
            Filter::correlate(make_taps(3, 5, 0, 4, std::vector<double>(15, 1.0)))
                .with_component(1,
                                Filter::correlate(make_taps(4, 2, 2, 0, {1, 2, 3, 4, 5, 6, 7, 9})))
                .with_component(
                    3, Filter::separable(support::make_axis_taps({1, 2, 3, 4, 5, 6, 7}, {1})));
        const CorrelatePass pass = support::lower_taps(filter, described());
        REQUIRE(pass.sets.size() == 4); // 2 channels of 2 planes
        CHECK(pass.varied());
        CHECK(pass.sets[0].taps == pass.sets[2].taps);
        CHECK(pass.sets[0].separable);
        CHECK(pass.sets[0].taps_x == 3);
        CHECK(pass.sets[0].taps_y == 5);
        CHECK(pass.sets[0].anchor_y == 4);
        CHECK_FALSE(pass.sets[1].separable);
        CHECK(pass.sets[1].taps == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 9});
        CHECK(pass.sets[1].anchor_x == 2);
        CHECK(pass.sets[3].taps == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 1});
        // Along x 3 before and 3 after the anchor, along y 4 before and 1 after.
        CHECK(pass.geometry.taps_x == 7);
        CHECK(pass.geometry.anchor_x == 3);
        CHECK(pass.geometry.taps_y == 6);
        CHECK(pass.geometry.anchor_y == 4);
        CHECK_FALSE(support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), described())
                        .varied());
    }

    TEST_CASE("components beyond the image are refused") {
        const Filter taps = Filter::correlate(make_taps(3, 3, Rank::one));
        CHECK(support::lower_taps(taps.with_component(3, taps), described()).sets.size() == 4);
        check_refused(Status::invalid_argument, {"component 4", "4 components"}, [&] {
            gz::lower(taps.with_component(0, taps).with_component(4, taps), described());
        });
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::u8, {8, 8, 1, 1});
        check_refused(Status::invalid_argument, {"component 1", "1 component"},
                      [&] { gz::lower(taps.with_component(1, taps), gz::complete(desc)); });
        desc.source = desc.target = make_image(PixelType::u8, {8, 8, 1, 1}, 4, 257);
        check_refused(Status::invalid_argument, {"1028 components", "1024"},
                      [&] { gz::lower(taps.with_component(1, taps), gz::complete(desc)); });
        CHECK(support::lower_taps(taps, gz::complete(desc)).sets.size() == 1);
    }
}

TEST_SUITE("lowering of boxes") {
    TEST_CASE("once: from the source to the target, nothing between") {
        const gz::Graph graph = gz::lower(Filter::box({{3, 2, 0, 0}, 1}), described());
        CHECK(graph.between.empty());
        const std::vector<gz::Step> steps = support::steps_of(graph.links);
        REQUIRE(steps.size() == 1);
        CHECK(steps[0].inputs == Images{gz::source_image()});
        CHECK(steps[0].outputs == Images{gz::target_image()});
        CHECK(steps[0].reach[0].before == 3);
        CHECK(steps[0].reach[1].after == 2);
        const gz::BoxPass &pass = steps[0].pass.get<gz::BoxPass>();
        CHECK(pass.src_type == PixelType::u16);
        CHECK(pass.dst_type == PixelType::f32);
        CHECK(pass.geometry.taps_x == 7);
        CHECK(pass.geometry.taps_y == 5);
        CHECK(pass.geometry.anchor_x == 3);
        CHECK(pass.geometry.anchor_y == 2);
        CHECK(pass.geometry.width == 20);
        CHECK(pass.geometry.border_mode == GAUZE_BORDER_CONSTANT);
        CHECK(pass.geometry.border_value == 0.1F);
        const gz::Geometry like =
            support::lower_taps(
                Filter::correlate(make_taps(7, 5, 3, 2, std::vector<double>(35, 1.0))), described())
                .geometry;
        CHECK(std::memcmp(&like, &pass.geometry, sizeof like) == 0);
    }

    TEST_CASE("boxes that reach beyond 32 bits are unsupported") {
        PlanDesc desc;
        const auto wide = std::int64_t{1} << 31;
        desc.source = desc.target = make_image(PixelType::u8, {wide - 80000, 1, 1, 1}, 1);
        desc = gz::complete(desc);
        CHECK_NOTHROW(gz::lower(Filter::box({{10000, 0, 0, 0}, 1}), desc));
        check_refused(Status::unsupported, {"along x", "200001"}, [&] {
            gz::lower(Filter::box({{100000, 0, 0, 0}, 1}), desc);
        });
        CHECK_NOTHROW(gz::lower(Filter::box({{10000, 100000, 0, 0}, 1}), desc));
    }

    TEST_CASE("small boxes may be run as taps, but integers only where they stay exact") {
        const auto as_taps = [](PixelType from, PixelType to, std::int64_t x, std::int64_t y,
                                double constant) {
            PlanDesc desc;
            desc.source = make_image(from, {40, 30, 1, 1});
            desc.target = make_image(to, {40, 30, 1, 1});
            desc.border = {BorderMode::constant, constant};
            const gz::Graph graph = gz::lower(Filter::box({{x, y, 0, 0}, 1}), gz::complete(desc));
            const std::vector<gz::Chain> &chains = graph.links.front().alternatives;
            std::optional<CorrelatePass> taps;
            if (!chains.empty()) {
                taps = gz::only_step(chains.front())->pass.get<CorrelatePass>();
                CHECK(gz::only_step(chains.back())->pass.problem() == graph.links.front().problem);
            }
            return taps;
        };
        const auto taps = as_taps(PixelType::f32, PixelType::f32, 1, 2, 0.5);
        REQUIRE(taps.has_value());
        CHECK(taps->separable());
        const float third = 1.0F / 3.0F;
        CHECK(taps->set().taps ==
              std::vector<float>{third, third, third, 0.2F, 0.2F, 0.2F, 0.2F, 0.2F});
        CHECK(taps->geometry.anchor_x == 1);
        CHECK(taps->geometry.anchor_y == 2);
        CHECK(taps->geometry.border_value == 0.5F);
        CHECK(as_taps(PixelType::f32, PixelType::f32, 7, 7, 0).has_value());
        CHECK_FALSE(as_taps(PixelType::f32, PixelType::f32, 8, 0, 0).has_value());
        CHECK_FALSE(as_taps(PixelType::f32, PixelType::f32, 1, 8, 0).has_value());
        CHECK(as_taps(PixelType::u8, PixelType::u8, 7, 7, 0).has_value());
        CHECK_FALSE(as_taps(PixelType::u16, PixelType::u16, 7, 7, 0).has_value());
        CHECK(as_taps(PixelType::u16, PixelType::f32, 7, 7, 0).has_value());
        CHECK_FALSE(as_taps(PixelType::u8, PixelType::u8, 7, 7, 1e9).has_value());
    }

    TEST_CASE("CPUs take sums for boxes of bytes") {
        const auto kernel = [](PixelType type, std::int64_t x, std::int64_t y,
                               gz::DeviceClass device_class) {
            PlanDesc desc;
            desc.source = desc.target = make_image(type, {400, 300, 1, 1});
            const gz::Graph graph = gz::lower(Filter::box({{x, y, 0, 0}, 1}), gz::complete(desc));
            const std::string first =
                gz::candidates(graph.links.front(), support::make_facts(device_class)).front();
            return first.substr(0, first.find(':'));
        };
        constexpr gz::DeviceClass cpu = gz::DeviceClass::pocl_cpu;
        CHECK(kernel(PixelType::u8, 4, 4, cpu) == "box_bytes");
        CHECK(kernel(PixelType::u8, 1, 7, cpu) == "box_bytes");
        CHECK(kernel(PixelType::u8, 0, 3, cpu) == "correlate_strips");
        CHECK(kernel(PixelType::u8, 8, 3, cpu) == "box_strips");
        CHECK(kernel(PixelType::f32, 7, 7, cpu) == "correlate_strips");
        CHECK(kernel(PixelType::u8, 7, 7, gz::DeviceClass::nvidia_gpu) == "separable_fused");
    }

    TEST_CASE(
        "rows of images between passes do not lie whole pages apart where plans spread them") {
        const auto between_pitches = [](const Filter &filter, std::int64_t width,
                                        bool spreads_rows) {
            PlanDesc desc;
            desc.source = desc.target = make_image(PixelType::u8, {width, 70, 1, 1});
            desc = gz::complete(desc);
            desc.spreads_rows = spreads_rows;
            std::vector<std::int64_t> pitches;
            for (const ImageDesc &between : gz::lower(filter, desc).between)
                pitches.push_back(between.pitch[1]);
            return pitches;
        };
        gz::Gaussian gaussian;
        gaussian.sigma = {30.0, 30.0, 0, 0};
        gaussian.method = gz::GaussianMethod::recursive;
        for (const Filter &filter :
             {Filter::gaussian(gaussian), Filter::box({{20, 20, 0, 0}, 3}),
              Filter::difference(Filter::gaussian(gaussian), Filter::box({{5, 5, 0, 0}, 1})),
              Filter(gz::Guided{5, 0.1})}) {
            CAPTURE(gz::to_text(filter));
            const auto all_are = [&](std::int64_t pitch, std::int64_t width, bool spreads_rows) {
                const std::vector<std::int64_t> pitches =
                    between_pitches(filter, width, spreads_rows);
                return !pitches.empty() && std::count(pitches.begin(), pitches.end(), pitch) ==
                                               static_cast<std::ptrdiff_t>(pitches.size());
            };
            CHECK(all_are(4096, 1024, false));
            CHECK(all_are(4096 + 256, 1024, true));
            CHECK(all_are(4096 + 128, 1050, true));
        }
    }

    TEST_CASE("images of the library's own have aligned rows, but not mostly padding") {
        const auto own_pitch = [](PixelType type, std::int64_t channels, const gz::Axes &extent) {
            const ImageDesc own = gz::own_image(make_image(type, extent, channels), extent);
            return own.pitch[1];
        };
        CHECK(own_pitch(PixelType::f32, 1, {1, 1, 1, 1}) == 128);
        CHECK(own_pitch(PixelType::f32, 1, {1, 1000, 1, 1}) == 128);
        CHECK(own_pitch(PixelType::f32, 1, {33, 1000000, 1, 1}) == 256);
        CHECK(own_pitch(PixelType::f32, 1, {1, 1000000, 1, 1}) == 16);
        CHECK(own_pitch(PixelType::u8, 3, {1, 1000000, 1, 1}) == 4);
        CHECK(own_pitch(PixelType::u8, 1, {20, 100, 10000, 1}) == 20);
        CHECK(own_pitch(PixelType::f32, 1, {16, 1000000, 1, 1}) == 64);
        CHECK(own_pitch(PixelType::f32, 1, {17, 1000000, 1, 1}) == 128);
        // All that a run on host memory keeps on the device, of a column.
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {1, 3000000, 1, 1});
        gz::Gaussian gaussian;
        gaussian.sigma = {0, 30.0, 0, 0};
        gaussian.method = gz::GaussianMethod::recursive;
        const PlanDesc staged = gz::staged(gz::complete(desc));
        for (const Filter &filter :
             {Filter::gaussian(gaussian), Filter::box({{0, 11, 0, 0}, 3}),
              Filter::difference(Filter::gaussian(gaussian), Filter::box({{0, 5, 0, 0}, 1}))}) {
            std::int64_t bytes = staged.source.bytes() + staged.target.bytes();
            for (const ImageDesc &between : gz::lower(filter, staged).between)
                bytes += between.bytes();
            CAPTURE(gz::to_text(filter));
            CHECK(bytes <= 16 * desc.source.bytes());
        }
    }

    TEST_CASE("iterations of small boxes at once: the inner pixels, and frames beside borders") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {1000, 500, 1, 1});
        const auto steps = [&](gz::BorderMode border, const gz::Box &box) {
            desc.border.mode = border;
            const auto graph = gz::lower_at_once(box, gz::complete(desc));
            return graph ? support::steps_of(graph->links) : std::vector<gz::Step>();
        };
        const gz::Box box{{5, 3, 0, 0}, 3};
        for (const gz::BorderMode border :
             {gz::BorderMode::reflect, gz::BorderMode::reflect101, gz::BorderMode::wrap}) {
            const std::vector<gz::Step> all = steps(border, box);
            REQUIRE(all.size() == 1);
            CHECK(all[0].pass.get<gz::CorrelatePass>().geometry.taps_x == 31);
            CHECK(all[0].pass.get<gz::CorrelatePass>().geometry.taps_y == 19);
        }
        // All pixels, and then those of the frames once more.
        desc.border.mode = gz::BorderMode::clamp;
        const gz::Graph framed = gz::lower_at_once(box, gz::complete(desc)).value();
        REQUIRE(framed.links.size() == 2);
        const gz::Step &whole = framed.links[0].step.value();
        CHECK(whole.images.region.source_origin == gz::Axes{0, 0, 0, 0});
        CHECK(whole.images.region.extent == gz::Axes{1000, 500, 1, 1});
        CHECK(whole.pass.get<gz::CorrelatePass>().alignment == 8); // as of the image
        const std::vector<gz::Chain> &ways = framed.links[1].alternatives;
        REQUIRE(ways.size() == 2);
        const std::vector<gz::Step> in_turn = support::steps_of(ways[0].links);
        REQUIRE(in_turn.size() == 12);
        std::int64_t pixels = (1000 - 2 * 10) * (500 - 2 * 6);
        for (std::size_t i = 2; i < in_turn.size(); i += 3)
            pixels += in_turn[i].images.pixels();
        CHECK(pixels == 1000 * 500);
        // An iteration of a frame makes what the next ones read, and no more.
        CHECK(in_turn[0].images.region.extent == gz::Axes{1000, 6 + 9, 1, 1});
        CHECK(in_turn[6].images.region.extent == gz::Axes{10 + 15, 500, 1, 1});
        // Or a kernel makes all of them.
        const gz::Step *const frames = gz::only_step(ways[1]);
        REQUIRE(frames);
        const auto &pass = frames->pass.get<gz::BoxFramesPass>();
        CHECK(pass.axes[0].inner.begin == 10);
        CHECK(pass.axes[0].inner.end == 990);
        CHECK(pass.axes[1].inner.begin == 6);
        CHECK(pass.axes[1].inner.end == 494);
        CHECK(pass.geometry.anchor_x == 15);
        CHECK(pass.geometry.anchor_y == 9);
        CHECK(frames->reach[0].before == 15);
        CHECK(frames->reach[1].after == 9);
        // CPUs take the first way, and other devices the second.
        gz::DeviceFacts facts;
        for (const gz::DeviceClass device : support::all_device_classes) {
            facts.device_class = device;
            CHECK(gz::suits(ways[0], facts) == (gz::habit_of(facts) == gz::GroupHabit::strips));
        }

        CHECK(steps(gz::BorderMode::clamp, {{5, 3, 0, 0}, 1}).empty());
        CHECK(steps(gz::BorderMode::clamp, {{5, 3, 1, 0}, 3}).empty());
        CHECK(steps(gz::BorderMode::reflect, {{10, 3, 0, 0}, 3}).size() == 1);
        CHECK(steps(gz::BorderMode::reflect, {{11, 3, 0, 0}, 3}).empty());
        desc.source = desc.target = make_image(PixelType::f32, {20, 500, 1, 1});
        CHECK(steps(gz::BorderMode::clamp, box).size() == 2); // no pixel is an inner one
        CHECK(steps(gz::BorderMode::constant, box).size() == 2);
        desc.source = desc.target = make_image(PixelType::u8, {1000, 500, 1, 1});
        CHECK(steps(gz::BorderMode::reflect, box).size() == 1);
        desc.store = gz::Store::truncate;
        CHECK(steps(gz::BorderMode::reflect, box).empty());
    }

    TEST_CASE("devices take iterations at once where that is faster") {
        gz::DeviceFacts facts;
        PlanDesc desc;
        const auto is_faster = [&](gz::DeviceClass device, const gz::Box &box,
                                   const gz::Axes &extent, gz::BorderMode border) {
            facts.device_class = device;
            desc.source = desc.target = make_image(PixelType::f32, extent);
            desc.border.mode = border;
            return gz::is_faster_at_once(box, gz::complete(desc), facts);
        };
        constexpr gz::DeviceClass cpu = gz::DeviceClass::pocl_cpu;
        constexpr gz::DeviceClass gpu = gz::DeviceClass::nvidia_gpu;
        constexpr gz::DeviceClass amd = gz::DeviceClass::amd_gpu;
        constexpr gz::BorderMode clamp = gz::BorderMode::clamp;
        constexpr gz::BorderMode reflect = gz::BorderMode::reflect;
        CHECK(is_faster(cpu, {{5, 5, 0, 0}, 3}, {4096, 4096, 1, 1}, clamp));
        CHECK_FALSE(is_faster(cpu, {{6, 1, 0, 0}, 2}, {4096, 4096, 1, 1}, clamp));
        CHECK_FALSE(is_faster(cpu, {{1, 4, 0, 0}, 4}, {4096, 4096, 1, 1}, clamp));
        CHECK(is_faster(gpu, {{8, 8, 0, 0}, 3}, {8192, 4096, 1, 1}, clamp));
        CHECK_FALSE(is_faster(gpu, {{9, 9, 0, 0}, 2}, {8192, 4096, 1, 1}, clamp));
        CHECK_FALSE(is_faster(gpu, {{7, 7, 0, 0}, 4}, {8192, 4096, 1, 1}, clamp));
        // Frames take time of their own.
        CHECK(is_faster(gpu, {{5, 5, 0, 0}, 3}, {64, 48, 1, 1}, clamp));
        CHECK(is_faster(gpu, {{8, 8, 0, 0}, 3}, {4096, 4096, 1, 1}, clamp));
        CHECK(is_faster(gpu, {{8, 8, 0, 0}, 3}, {1920, 1080, 1, 1}, clamp)); // in the same launch
        CHECK_FALSE(is_faster(amd, {{8, 8, 0, 0}, 3}, {1920, 1080, 1, 1}, clamp));
        CHECK(is_faster(amd, {{8, 8, 0, 0}, 3}, {4096, 4096, 1, 1}, clamp));
        CHECK(is_faster(gpu, {{8, 8, 0, 0}, 3}, {1920, 1080, 1, 1}, reflect));
        CHECK(is_faster(gpu, {{5, 5, 0, 0}, 3}, {1920, 1080, 1, 1}, reflect));
        CHECK(is_faster(cpu, {{5, 5, 0, 0}, 3}, {1920, 1080, 1, 1}, clamp));
        CHECK_FALSE(is_faster(cpu, {{5, 5, 0, 0}, 3}, {640, 480, 1, 1}, clamp));
        CHECK(is_faster(cpu, {{5, 5, 0, 0}, 3}, {64, 48, 1, 1}, reflect));
        // A region that its neighbours surround has none.
        const auto is_faster_inside = [&](std::int64_t left, std::int64_t top) {
            desc.source = desc.target = make_image(PixelType::f32, {640, 480, 1, 1});
            desc.border.mode = clamp;
            desc.region.source_origin = {left, top, 0, 0};
            desc.region.extent = {100, 100, 1, 1};
            desc.region.edge = RegionEdge::neighbours;
            return gz::is_faster_at_once({{5, 3, 0, 0}, 3}, gz::complete(desc), facts);
        };
        CHECK(is_faster_inside(10, 6));
        CHECK(is_faster_inside(640 - 110, 480 - 106));
        CHECK_FALSE(is_faster_inside(9, 6));
        CHECK_FALSE(is_faster_inside(10, 5));
        CHECK_FALSE(is_faster_inside(10, 480 - 105));
        CHECK_FALSE(is_faster_inside(640 - 109, 6));
        // Frames of integers are a launch of their own.
        facts.device_class = gpu;
        facts.compute_units = 132;
        desc.source = desc.target = make_image(PixelType::u8, {2048, 2048, 1, 1});
        desc.border.mode = clamp;
        desc.region = {};
        CHECK_FALSE(gz::is_faster_at_once({{8, 8, 0, 0}, 3}, gz::complete(desc), facts));
    }

    TEST_CASE("iterations hand on f32 images in turn") {
        for (const RegionEdge edge : {RegionEdge::isolated, RegionEdge::neighbours})
            for (int iterations = 2; iterations <= gz::max_box_iterations; ++iterations) {
                PlanDesc desc = described();
                desc.region.edge = edge;
                const gz::Graph graph = gz::lower(Filter::box({{16, 2, 0, 0}, iterations}), desc);
                const std::vector<gz::Step> steps = support::steps_of(graph.links);
                const bool isolated = edge == RegionEdge::isolated;
                CAPTURE(iterations);
                CAPTURE(isolated);
                // All that the region may read: with neighbours the whole image, as each iteration
                // makes the border anew.
                const Axes &own = desc.region.extent;
                const Axes extent =
                    isolated ? own
                             : Axes{desc.source.extent[0], desc.source.extent[1], own[2], own[3]};
                const ImageDesc between =
                    gz::packed(make_image(PixelType::f32, extent, 2, 2), extent, 128);
                const auto count = static_cast<std::size_t>(iterations);
                REQUIRE(graph.between.size() == count - 1);
                for (const ImageDesc &image : graph.between)
                    REQUIRE(image.bytes() == between.bytes());
                REQUIRE(steps.size() == count);
                REQUIRE(steps.front().inputs == Images{gz::source_image()});
                REQUIRE(steps.back().outputs == Images{gz::target_image()});
                for (std::size_t i = 0; i < steps.size(); ++i) {
                    const gz::Step &step = steps[i];
                    const bool last = i + 1 == steps.size();
                    CAPTURE(i);
                    if (i > 0)
                        REQUIRE(step.inputs == Images{gz::image_between(i - 1)});
                    if (!last)
                        REQUIRE(step.outputs == Images{gz::image_between(i)});
                    const gz::BoxPass &pass = step.pass.get<gz::BoxPass>();
                    const gz::Geometry &g = pass.geometry;
                    REQUIRE(pass.src_type == (i == 0 ? PixelType::u16 : PixelType::f32));
                    REQUIRE(pass.dst_type == PixelType::f32);
                    REQUIRE(pass.planes == 2);
                    // The last pass writes the region, the passes before it the whole image.
                    const Axes &written = last ? desc.region.extent : extent;
                    REQUIRE(g.width == written[0] * 2);
                    REQUIRE(g.height == written[1]);
                    REQUIRE(pass.batch() == written[2] * written[3] * 2);
                    // Neighbours keep their places.
                    const std::int64_t before_x = last && !isolated ? 3 : 0;
                    const std::int64_t before_y = last && !isolated ? 2 : 0;
                    REQUIRE(g.valid_left == -before_x);
                    REQUIRE(g.valid_top == -before_y);
                    REQUIRE(g.valid_right == extent[0] - before_x);
                    REQUIRE(g.valid_bottom == extent[1] - before_y);
                    if (i > 0) {
                        const Axes first{before_x, before_y, 0, 0};
                        REQUIRE(g.src_first == between.byte_of(first, 0) / 4);
                        REQUIRE(g.src_row == between.pitch[1] / 4);
                        REQUIRE(g.src_plane == between.plane_pitch / 4);
                    }
                    if (!last) {
                        REQUIRE(g.dst_first == 0);
                        REQUIRE(g.dst_row == between.pitch[1] / 4);
                        REQUIRE(g.dst_plane == between.plane_pitch / 4);
                    }
                }
                const gz::Geometry &end = steps.back().pass.get<gz::BoxPass>().geometry;
                CHECK(end.dst_first == 4 * 2 + 1 * 60 + 2 * 720);
            }
    }
}

TEST_SUITE("staged") {
    TEST_CASE("no more than is read and written, rows aligned") {
        const PlanDesc desc = gz::staged(described());
        CHECK(desc.source.extent == Axes{10, 5, 2, 2});
        CHECK(desc.target.extent == Axes{10, 5, 2, 2});
        CHECK(desc.source.offset == 0);
        CHECK(desc.source.pitch == Axes{4, 128, 640, 1280});
        CHECK(desc.target.pitch == Axes{8, 128, 640, 1280});
        CHECK(desc.region.source_origin == Axes{0, 0, 0, 0});
        CHECK(desc.region.target_origin == Axes{0, 0, 0, 0});
        CHECK(desc.region.extent == Axes{10, 5, 2, 2});
        CHECK(desc.border.value == static_cast<double>(0.1F));
        CHECK(support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), desc).alignment ==
              16);
    }

    TEST_CASE("with neighbours, the whole source") {
        PlanDesc desc = described();
        desc.region.edge = RegionEdge::neighbours;
        const PlanDesc staged = gz::staged(desc);
        CHECK(staged.source.extent == desc.source.extent);
        CHECK(staged.region.source_origin == desc.region.source_origin);
        CHECK(staged.target.extent == desc.region.extent);
        CHECK(staged.region.target_origin == Axes{0, 0, 0, 0});
    }

    TEST_CASE("the work is the same: size, what may be read around it, and every result") {
        std::minstd_rand random(11);
        const Filter filters[] = {Filter::correlate(make_taps(3, 5, Rank::one)),
                                  Filter::convolve(make_taps(4, 4, Rank::full))};
        for (int turn = 0; turn < 300; ++turn) {
            const PlanDesc desc = random_desc(random);
            const PlanDesc staged = gz::staged(desc);
            const Filter &filter = filters[turn % 2];
            CAPTURE(turn);
            CHECK(gz::complete(staged).source.bytes() == staged.source.bytes());
            const gz::Geometry direct = support::lower_taps(filter, desc).geometry;
            const gz::Geometry moved = support::lower_taps(filter, staged).geometry;
            // From the sizes on, everything but the steps through memory.
            REQUIRE(std::memcmp(&direct.width, &moved.width,
                                sizeof direct - offsetof(gz::Geometry, width)) == 0);

            // The staged source holds the pixels that a run would copy to the device.
            std::vector<std::byte> pixels(static_cast<std::size_t>(desc.source.bytes()));
            for (std::byte &byte : pixels)
                byte = static_cast<std::byte>(random() % 60); // an ordinary number in any type
            const Axes from = desc.region.edge == RegionEdge::isolated ? desc.region.source_origin
                                                                       : Axes{0, 0, 0, 0};
            std::vector<std::byte> copied(static_cast<std::size_t>(staged.source.bytes()));
            const Axes &n = staged.source.extent;
            for (std::int64_t plane = 0; plane < staged.source.planes; ++plane)
                for (std::int64_t t = 0; t < n[3]; ++t)
                    for (std::int64_t z = 0; z < n[2]; ++z)
                        for (std::int64_t y = 0; y < n[1]; ++y)
                            std::memcpy(
                                copied.data() + staged.source.byte_of({0, y, z, t}, plane),
                                pixels.data() +
                                    desc.source.byte_of(
                                        {from[0], from[1] + y, from[2] + z, from[3] + t}, plane),
                                static_cast<std::size_t>(n[0] * desc.source.pixel_bytes()));
            REQUIRE(results_of(filter, desc, pixels.data()) ==
                    results_of(filter, staged, copied.data()));
        }
    }
}

TEST_SUITE("plan description") {
    TEST_CASE("defaults are filled in") {
        PlanDesc desc;
        desc.source.extent = desc.target.extent = {7, 5, 0, 0};
        const PlanDesc done = gz::complete(desc);
        CHECK(done.source.pitch == Axes{4, 28, 140, 140});
        CHECK(done.region.extent == Axes{7, 5, 1, 1});
        CHECK(done.border.mode == BorderMode::clamp);
    }

    TEST_CASE("pixel types without kernels are unsupported") {
        for (const PixelType type : {PixelType::f64, PixelType::u32, PixelType::s32}) {
            check_spoiled(Status::unsupported, {"source", gz::name_of(type)},
                          [&](PlanDesc &desc) { desc.source.type = type; });
            check_spoiled(Status::unsupported, {"target", gz::name_of(type)},
                          [&](PlanDesc &desc) { desc.target.type = type; });
        }
    }

    TEST_CASE("sums have types of their own") {
        const auto sums = [](PixelType from, PixelType to) {
            PlanDesc desc;
            desc.source = make_image(from, {8, 8, 1, 1});
            desc.target = make_image(to, {8, 8, 1, 1});
            return gz::complete(desc, Filter::sat().results());
        };
        for (const PixelType from : {PixelType::u8, PixelType::u16}) {
            for (const PixelType to : {PixelType::u32, PixelType::u64, PixelType::f32})
                CHECK(sums(from, to).target.type == to);
            check_refused(Status::unsupported, {"target", "s32", gz::name_of(from)},
                          [&] { sums(from, PixelType::s32); });
        }
        CHECK(sums(PixelType::s16, PixelType::s32).target.type == PixelType::s32);
        check_refused(Status::unsupported, {"target", "u32", "s16"},
                      [&] { sums(PixelType::s16, PixelType::u32); });
        CHECK(sums(PixelType::f16, PixelType::f32).target.type == PixelType::f32);
        check_refused(Status::unsupported, {"target", "u32", "f32"},
                      [&] { sums(PixelType::f32, PixelType::u32); });
        check_refused(Status::unsupported, {"target", "u8", "u32"},
                      [&] { sums(PixelType::u8, PixelType::u8); });
    }

    TEST_CASE("images that do not go together are refused") {
        check_spoiled(Status::invalid_argument, {"2 channels", "1"}, [](PlanDesc &desc) {
            desc.target = make_image(PixelType::f32, {30, 12, 4, 2}, 1, 2);
        });
        check_spoiled(Status::invalid_argument, {"2 planes", "3"}, [](PlanDesc &desc) {
            desc.target = make_image(PixelType::f32, {30, 12, 4, 2}, 2, 3);
        });
        check_spoiled(Status::invalid_argument, {"source", "-1"},
                      [](PlanDesc &desc) { desc.source.extent[0] = -1; });
        check_spoiled(Status::invalid_argument, {"target", "row pitch"},
                      [](PlanDesc &desc) { desc.target.pitch[1] = 4; });
        check_spoiled(Status::invalid_argument, {"region", "target"},
                      [](PlanDesc &desc) { desc.region.target_origin[0] = 21; });
    }

    TEST_CASE("constants of the border that are not finite in f32 are refused") {
        const auto constant = [](double value) {
            return [value](PlanDesc &desc) { desc.border.value = value; };
        };
        check_spoiled(Status::invalid_argument, {"border", "nan"}, constant(std::nan("")));
        check_spoiled(Status::invalid_argument, {"border", "inf"},
                      constant(std::numeric_limits<double>::infinity()));
        check_spoiled(Status::invalid_argument, {"border", "-1e+300"}, constant(-1e300));
        PlanDesc desc = described();
        desc.border.value = std::numeric_limits<float>::max();
        CHECK(std::isfinite(
            support::lower_taps(Filter::correlate(make_taps(3, 3, Rank::one)), gz::complete(desc))
                .geometry.border_value));
    }

    TEST_CASE("a recursive difference reads the image once, and writes it once") {
        PlanDesc desc;
        desc.source = make_image(PixelType::u8, {50, 40, 1, 1}, 3, 2);
        desc.target = make_image(PixelType::f32, {50, 40, 1, 1}, 3, 2);
        desc.border = {BorderMode::constant, 0.5};
        desc = gz::complete(desc);
        const Filter dog = Filter::dog(2.0, 3.0, gz::GaussianMethod::recursive);
        const gz::Graph graph = gz::lower(dog, desc);
        REQUIRE(graph.links.size() == 1);
        REQUIRE(graph.links[0].alternatives.size() == 2);
        const gz::Chain &chain = graph.links[0].alternatives[0];
        CHECK(graph.links[0].alternatives[1].name == gz::filter_by_filter);
        const std::vector<gz::Step> both = support::steps_of(chain.links);
        REQUIRE(both.size() == 2);
        const Images between{gz::image_between(0), gz::image_between(1)};
        CHECK(both[0].inputs == Images{gz::source_image()});
        CHECK(both[0].outputs == between);
        CHECK(both[1].inputs == between);
        CHECK(both[1].outputs == Images{gz::target_image()});
        CHECK(both[0].reach[0].is_whole);
        CHECK(both[1].reach[1].is_whole);
        const auto &along_x = both[0].pass.get<gz::RecursivePass>();
        const auto &along_y = both[1].pass.get<gz::RecursivePass>();
        CHECK(along_x.along_rows);
        CHECK(along_x.shared == gz::Shared::source);
        CHECK(!along_y.along_rows);
        CHECK(along_y.shared == gz::Shared::target);
        // The second filter's result is subtracted.
        const std::vector<gz::Step> second =
            support::steps_of(gz::lower(dog.get<gz::Difference>().second(), desc).links);
        const auto &alone = second[1].pass.get<gz::RecursivePass>().stages[0];
        REQUIRE(along_y.second);
        CHECK(along_y.second->direct == -alone.direct);
        CHECK(along_y.second->causal[0].w_weight == -alone.causal[0].w_weight);
        CHECK(along_y.second->anticausal[1].v_weight == -alone.anticausal[1].v_weight);
        CHECK(along_y.second->causal[0].decay == alone.causal[0].decay);

        // Each filter by itself.
        const auto passes = [&](const Filter &filter) {
            return support::steps_of(gz::lower(filter, desc).links).size();
        };
        CHECK(passes(dog) == 5);
        // Taps, and sections that are not as many.
        const Filter taps = Filter::dog(2.0, 3.0, gz::GaussianMethod::fir);
        CHECK(passes(taps) == 3);
        CHECK(passes(Filter::difference(dog.get<gz::Difference>().first(),
                                        taps.get<gz::Difference>().second())) == 4);
        CHECK(passes(Filter::difference(dog.get<gz::Difference>().first(), Filter::bspline(3))) ==
              5);
    }

    TEST_CASE("a difference of boxes is made by the last pass of the larger ones") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {50, 40, 1, 1});
        desc = gz::complete(desc);
        const auto last_of = [&](double sigma, double other) {
            const Filter dog = Filter::dog(sigma, other, gz::GaussianMethod::box);
            const gz::Graph graph = gz::lower(dog, desc);
            // Both at once, or the larger one's iterations in turn.
            const gz::Link &together = graph.links.at(0).alternatives.at(0).links.at(0);
            REQUIRE(together.alternatives.size() == 2);
            CHECK(together.alternatives[1].name == gz::step_by_step);
            const gz::Chain &chain = together.alternatives[1];
            const std::vector<gz::Step> steps = support::steps_of(chain.links);
            REQUIRE(steps.size() == 6);
            CHECK(steps[3].inputs == Images{gz::source_image()});
            REQUIRE(steps[5].inputs.size() == 2);
            CHECK(steps[5].inputs[1] == steps[2].outputs.at(0));
            CHECK(steps[5].outputs == Images{gz::target_image()});
            CHECK(chain.links.back().step.has_value()); // not as taps
            return steps[5].pass.get<gz::BoxPass>();
        };
        CHECK(last_of(2.0, 5.0).difference == gz::Subtraction::other_less_result);
        CHECK(last_of(5.0, 2.0).difference == gz::Subtraction::result_less_other);
        CHECK(last_of(5.0, 2.0).geometry.taps_x == last_of(2.0, 5.0).geometry.taps_x);
        CHECK(
            support::steps_of(gz::lower(Filter::dog(2.0, 5.0, gz::GaussianMethod::box), desc).links)
                .size() == 7);
    }

    TEST_CASE("a difference of boxes at once: each part of the larger ones subtracts") {
        PlanDesc desc;
        desc.source = make_image(PixelType::u8, {200, 100, 1, 1});
        desc.target = make_image(PixelType::f32, {200, 100, 1, 1});
        const auto steps_of = [&](gz::BorderMode border) {
            desc.border.mode = border;
            const Filter dog =
                Filter::difference(Filter::box({{5, 5, 0, 0}, 3}), Filter::box({{2, 2, 0, 0}, 3}));
            const gz::Graph graph = gz::lower(dog, gz::complete(desc));
            const gz::Link &together = graph.links.at(0).alternatives.at(0).links.at(0);
            const gz::Chain &chain = together.alternatives.at(0);
            std::vector<gz::Step> steps;
            gz::for_each_step(chain.links, [&](const gz::Step &step) { steps.push_back(step); });
            return steps;
        };
        for (const gz::BorderMode border : {gz::BorderMode::reflect, gz::BorderMode::clamp}) {
            std::size_t subtractions = 0;
            for (const gz::Step &step : steps_of(border)) {
                const bool is_last = step.outputs == Images{gz::target_image()};
                const auto *const frames = step.pass.get_if<gz::BoxFramesPass>();
                const gz::Subtraction own =
                    frames ? frames->subtraction : step.pass.get<gz::CorrelatePass>().subtraction;
                REQUIRE((own == gz::Subtraction::result_less_other) == is_last);
                REQUIRE(gz::subtracts(step.pass) == is_last);
                REQUIRE(step.inputs.size() == (is_last ? 2 : 1));
                if (is_last) {
                    ++subtractions;
                    CHECK(step.inputs[1] == gz::image_between(0));
                }
            }
            CHECK(subtractions == (border == gz::BorderMode::reflect ? 1 : 6));
        }
        // A small part of a large target: the image between would be mostly empty.
        desc.target = make_image(PixelType::f32, {2000, 2000, 1, 1});
        desc.region.target_origin = {1000, 1900, 0, 0};
        desc.region.extent = {200, 100, 1, 1};
        desc.border.mode = gz::BorderMode::reflect;
        const Filter dog = Filter::dog(2.0, 5.0, gz::GaussianMethod::box);
        const gz::Graph graph = gz::lower(dog, gz::complete(desc));
        CHECK(graph.links.at(0).alternatives.at(0).links.size() > 1);
    }

    TEST_CASE("each trip of a recursive filter has a stage of its own along each of its axes") {
        std::vector<gz::Scan> scans;
        for (const double pole : {0.8, 0.5})
            for (const int axis : {0, 1})
                for (const bool forward : {true, false})
                    scans.push_back({axis, forward, {1.0 - pole}, {pole}});
        const auto stages = [&](const std::string &grouping, BorderMode border) {
            gz::RecursiveOptions options;
            options.grouping = grouping;
            PlanDesc desc;
            desc.source = desc.target = make_image(PixelType::f32, {50, 40, 1, 1});
            desc.border = {border, 0.0};
            std::vector<std::size_t> counts;
            const gz::Graph graph =
                gz::lower(Filter::recursive(scans, options), gz::complete(desc));
            for (const gz::Step &step : support::steps_of(graph.links))
                counts.push_back(step.pass.get<gz::RecursivePass>().stages.size());
            return counts;
        };
        using Counts = std::vector<std::size_t>;
        for (const BorderMode border : {BorderMode::clamp, BorderMode::wrap}) {
            CHECK(stages("", border) == Counts{1, 1});
            CHECK(stages("overlap", border) == Counts{1, 1});
        }
        for (const BorderMode border : {BorderMode::clamp, BorderMode::zero}) {
            CHECK(stages("0,1,2,3_4,5,6,7", border) == Counts{2, 2});
            CHECK(stages("0,1,2,3_4,5_6,7", border) == Counts{2, 2});
            CHECK(stages("0,1_2,3,6,7_4,5", border).front() == 2);
            CHECK(stages("cascade", border) == Counts{4, 4});
        }
    }
}
