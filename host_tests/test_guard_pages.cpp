// Images that end where the next page must not be touched: reads or writes beyond them end the process, on
// devices that share the host's memory. Their first pixels are at odd addresses, as an embedder's may be.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "support/correlate_case.hpp"
#include "support/difference.hpp"
#include "support/guarded_pages.hpp"
#include "support/passes.hpp"
#include "support/tile_coverage.hpp"

namespace {

using namespace gz;

// Memory whose last byte is followed by a page without access.
class GuardedMemory {
public:
    explicit GuardedMemory(std::size_t bytes) : bytes_(bytes), pages_(bytes) {}

    std::byte *data() const { return pages_.end() - bytes_; }
    std::size_t size() const { return bytes_; }
    cl::Buffer buffer(const cl::Context &context) const {
        return {context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_, data()};
    }

private:
    std::size_t bytes_;
    support::GuardedPages pages_;
};

// Calls check(job, got) with the filter's result where both images end at a guarded page. Refused
// where the kernel does not take the filter or does not fit the device.
template <class Check>
void run_guarded(const std::string &kernel, const Filter &filter, const PlanDesc &desc,
                 Check &&check) {
    const Plan plan(support::engine(), filter, desc, kernel);
    const PixelType type = desc.source.type;
    const auto bytes = static_cast<std::size_t>(desc.source.bytes());
    const GuardedMemory source(bytes), target(bytes);
    for (std::size_t i = 0; i < bytes; i += size_of(type))
        store_pixel(type, static_cast<float>(i * 7919 % 251) / 256.0F, source.data() + i);
    const cl::Buffer from = source.buffer(support::engine()->context());
    const cl::Buffer to = target.buffer(support::engine()->context());
    plan.enqueue(nullptr, {from()}, {to()}, nullptr, {}, nullptr);
    std::vector<std::byte> got(bytes);
    support::engine()->queue().enqueueReadBuffer(to, CL_TRUE, 0, bytes, got.data());
    check(ReferenceJob{filter, desc.source, desc.border, desc.region, source.data()}, got);
}

PlanDesc describe(PixelType type, int channels, std::int64_t width, std::int64_t height) {
    PlanDesc desc;
    desc.source.type = desc.target.type = type;
    desc.source.channels = desc.target.channels = channels;
    desc.source.extent = desc.target.extent = {width, height, 1, 1};
    desc.border = {BorderMode::reflect, 0.0};
    return complete(desc);
}

void check_bits(const ReferenceJob &job, const std::vector<std::byte> &got) {
    const PixelType type = job.source.type;
    std::vector<std::byte> expected(got.size());
    compute_in_f32(job, [&](const RowPlace &at, const float *row) {
        for (std::int64_t i = 0; i < job.source.extent[0] * job.source.channels; ++i)
            store_pixel(type, row[i],
                        expected.data() + job.source.byte_of({0, at.y, 0, 0}, 0) +
                            i * static_cast<std::int64_t>(size_of(type)));
    });
    CHECK(got == expected);
}

// Boxes have no canonical order of arithmetic.
void check_error(const ReferenceJob &job, const std::vector<std::byte> &got) {
    const PixelType type = job.source.type;
    const double bound = job.filter.error_bound(1.0) +
                         (facts_of(type).is_integer ? 0.5 : facts_of(type).unit_roundoff);
    double worst = 0.0;
    compute_in_double(job, [&](const RowPlace &at, const double *row) {
        for (std::int64_t i = 0; i < job.source.extent[0] * job.source.channels; ++i)
            worst = std::max(
                worst,
                support::difference(
                    row[i], load_pixel(type, got.data() + job.source.byte_of({0, at.y, 0, 0}, 0) +
                                                 i * static_cast<std::int64_t>(size_of(type)))));
    });
    CHECK(worst <= bound);
}

// Runs the kernel on images of awkward sizes and types; the number of runs.
template <class Check> int run_all(const std::string &kernel, const Filter &filter, Check &&check) {
    int ran = 0;
    struct Image {
        PixelType type;
        int channels;
        std::int64_t width, height;
    };
    // Few, as compilers take their time over each type and number of channels.
    for (const auto &[type, channels, width, height] :
         {Image{PixelType::u8, 3, 67, 41}, Image{PixelType::f16, 1, 128, 32},
          Image{PixelType::f16, 1, 1, 1}, Image{PixelType::f32, 3, 67, 41},
          Image{PixelType::f32, 1, 128, 32}, Image{PixelType::f32, 1, 1, 1}}) {
        INFO(kernel, " ", name_of(type), " ", width, "x", height, " ", to_text(filter));
        try {
            run_guarded(kernel, filter, describe(type, channels, width, height), check);
            ++ran;
        } catch (const Error &error) {
            CHECK(error.status() == Status::unsupported);
        }
    }
    return ran;
}

} // namespace

TEST_CASE("guard pages") {
    // Few, as compilers take their time over each type and number of channels.
    constexpr support::TapsCase dense{3, 3, 1, 1, false, false}, even{4, 2, 0, 1, false, true},
        product{5, 5, 2, 2, true, false}, lopsided{17, 9, 0, 8, true, false},
        even_product{4, 2, 0, 1, true, true};
    const std::pair<std::string, std::vector<support::TapsCase>> correlations[] = {
        {"correlate_tiled", {dense, even, product}}, {"correlate_strips", {dense, even, product}},
        {"correlate_plain", {dense, even, product}}, {"separable_columns", {product, even_product}},
        {"separable_fused", {product, lopsided}},    {"separable_passes", {product, lopsided}},
        {"separable_stream", {product, lopsided}},   {"correlate_stream", {dense, even}},
        {"correlate_planar", {dense, even}}};
    for (const auto &[kernel, all_taps] : correlations) {
        INFO(kernel);
        int ran = 0;
        for (const support::TapsCase &taps : all_taps)
            ran += run_all(kernel, support::make_filter(taps, 11), check_bits);
        CHECK(ran > 0);
    }
    // The last value of all is the last that a group reads which has no checks: taps end at their anchor,
    // and a width has what else a group reads in vectors.
    const struct {
        std::string variant;
        PixelType type;
        std::int64_t width, height;
        support::TapsCase taps;
    } free_to_the_end[] = {{"correlate_tiled:GROUP_X=8,GROUP_Y=4,ITEM_X=4,ITEM_Y=4",
                            PixelType::f32,
                            96,
                            48,
                            {3, 3, 2, 2, false, false}},
                           {"correlate_tiled:GROUP_X=8,GROUP_Y=4,ITEM_X=8,ITEM_Y=4",
                            PixelType::u8,
                            192,
                            48,
                            {5, 4, 4, 3, true, false}},
                           {"separable_fused:TILE_X=64,TILE_Y=32,ROW_ITEM=4,COLUMN_X=4,COLUMN_Y=8",
                            PixelType::f32,
                            132,
                            64,
                            {5, 4, 4, 3, true, false}}};
    for (const auto &[variant, type, width, height, taps] : free_to_the_end) {
        INFO(variant);
        const Filter filter = support::make_filter(taps, 11);
        const PlanDesc desc = describe(type, 1, width, height);
        run_guarded(variant, filter, desc, check_bits);
        support::TileCoverage coverage;
        coverage.count_classes(Plan(support::engine(), filter, desc, variant).explain(),
                               {"guarded"});
        CHECK(coverage.missing({"guarded, free on read and write"}) == "");
    }
    run_guarded("separable_columns:GROUP=64,ITEM=8,BAND=32",
                support::make_filter({5, 4, 4, 3, true, false}, 11),
                describe(PixelType::u8, 1, 256, 64), check_bits);
    run_guarded("separable_stream:GROUP=64,ROW_ITEM=8,COLUMN_X=1,GROUPS=2",
                support::make_filter({5, 4, 4, 3, true, false}, 11),
                describe(PixelType::f32, 1, 132, 64), check_bits);
    run_guarded("correlate_stream:GROUP=32,GROUPS=2",
                support::make_filter({3, 3, 2, 2, false, false}, 11),
                describe(PixelType::f32, 1, 256, 48), check_bits);
    for (const std::string kernel :
         {"box_columns", "box_march", "box_axes", "box_tiled", "box_strips", "box_plain"}) {
        INFO(kernel);
        int ran = 0;
        for (const Box &box : {Box{{4, 1, 0, 0}, 1}, {{31, 50, 0, 0}, 2}})
            ran += run_all(kernel, Filter::box(box), check_error);
        CHECK(ran > 0);
    }
}
