#include "support/correlate_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/error.hpp"
#include "filter/half.hpp"
#include "filter/reference.hpp"
#include "kernel/correlate_kernels.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/pairwise.hpp"
#include "support/shared.hpp"

namespace support {

namespace {

using namespace gz;

constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16,
                               PixelType::f32};
constexpr Layout layouts[] = {Layout::tight, Layout::padded_aligned, Layout::odd_offset_and_pitch};
constexpr RegionKind regions[] = {RegionKind::whole, RegionKind::isolated, RegionKind::neighbours};

constexpr int guard_bytes = 64; // a multiple of every alignment

ImageDesc describe(PixelType type, const CorrelateCase &test, int width, int height) {
    ImageDesc desc;
    desc.type = type;
    desc.channels = test.channels;
    desc.extent = {width, height, test.slices, 1};
    desc.planes = test.planes;
    const auto size = static_cast<std::int64_t>(size_of(type));
    const std::int64_t row = width * desc.pixel_bytes();
    desc.offset = guard_bytes;
    if (test.layout == Layout::padded_aligned)
        desc.pitch[1] = (row + 127) / 64 * 64;
    if (test.layout == Layout::odd_offset_and_pitch) {
        desc.offset += size;
        desc.pitch[1] = row + 3 * size;
    }
    return complete(desc, "image");
}

bool is_inside(const Axes &at, const Axes &origin, const Axes &extent) {
    for (std::size_t i = 0; i < 4; ++i)
        if (at[i] < origin[i] || at[i] >= origin[i] + extent[i])
            return false;
    return true;
}

// Every value of every pixel of an image: visit(place, plane, byte).
template <class Visit> void for_each_value(const ImageDesc &desc, Visit &&visit) {
    Axes at;
    for (std::int64_t plane = 0; plane < desc.planes; ++plane)
        for (at[3] = 0; at[3] < desc.extent[3]; ++at[3])
            for (at[2] = 0; at[2] < desc.extent[2]; ++at[2])
                for (at[1] = 0; at[1] < desc.extent[1]; ++at[1])
                    for (at[0] = 0; at[0] < desc.extent[0]; ++at[0])
                        for (std::int64_t c = 0; c < desc.channels; ++c)
                            visit(at, desc.byte_of(at, plane) +
                                          c * static_cast<std::int64_t>(size_of(desc.type)));
}

// NaN, or for integers the largest value, all over; then random pixels where the filter may read.
std::vector<std::byte> make_source(const ImageDesc &desc, const Region &region,
                                   std::minstd_rand &random) {
    std::vector<std::byte> memory(static_cast<std::size_t>(desc.bytes()) + guard_bytes);
    std::fill(memory.begin(), memory.end(), std::byte{0xff}); // NaN in every float type
    for_each_value(desc, [&](const Axes &at, std::int64_t byte) {
        if (region.edge == RegionEdge::isolated &&
            !is_inside(at, region.source_origin, region.extent))
            return;
        const PixelTypeFacts &facts = facts_of(desc.type);
        const float unit = static_cast<float>(random() % 65536) / 65536.0F;
        const float value = facts.is_integer
                                ? static_cast<float>(facts.lowest) +
                                      unit * static_cast<float>(facts.highest - facts.lowest)
                                : 2.0F * unit - 1.0F;
        store_pixel(desc.type, value, memory.data() + byte);
    });
    return memory;
}

std::vector<std::byte> make_target(const ImageDesc &desc, std::minstd_rand &random) {
    std::vector<std::byte> memory(static_cast<std::size_t>(desc.bytes()) + guard_bytes);
    for (std::byte &byte : memory)
        byte = static_cast<std::byte>(random());
    return memory;
}

// Some tunables mean something for separable taps alone.
void make_possible(CorrelateCase &test) {
    const bool separable = test.taps.separable || test.taps.width == 1 || test.taps.height == 1;
    if (!separable && test.config.count("SHARE_ROWS"))
        test.config["SHARE_ROWS"] = 0;
}

Region make_region(const CorrelateCase &test, const ImageDesc &source) {
    Region region;
    if (test.region == RegionKind::whole) {
        region.extent = source.extent;
        return region;
    }
    region.edge =
        test.region == RegionKind::isolated ? RegionEdge::isolated : RegionEdge::neighbours;
    for (std::size_t i = 0; i < 2; ++i) {
        region.source_origin[i] = source.extent[i] / 5;
        region.extent[i] =
            std::max<std::int64_t>(1, source.extent[i] * 3 / 4 - region.source_origin[i]);
        region.target_origin[i] = (source.extent[i] - region.extent[i]) / 2;
    }
    region.extent[2] = source.extent[2];
    region.extent[3] = source.extent[3];
    return region;
}

std::string first_difference(const std::vector<std::byte> &expected,
                             const std::vector<std::byte> &got, const ImageDesc &desc,
                             const Region &region) {
    std::string where;
    for_each_value(desc, [&](const Axes &at, std::int64_t byte) {
        if (!where.empty() ||
            std::memcmp(expected.data() + byte, got.data() + byte, size_of(desc.type)) == 0)
            return;
        where = text(is_inside(at, region.target_origin, region.extent)
                         ? "differing bits at "
                         : "written outside the target region at ",
                     to_place(at), ": expected ", load_pixel(desc.type, expected.data() + byte),
                     ", got ", load_pixel(desc.type, got.data() + byte));
    });
    return where.empty() ? "written outside the target image" : where;
}

} // namespace

std::string CorrelateCase::name() const {
    static constexpr const char *region_names[] = {"whole", "isolated", "neighbours"};
    static constexpr const char *layout_names[] = {"tight", "padded", "odd"};
    return text(kernel, ":", to_text(config), " ", name_of(src_type), "->", name_of(dst_type), " x",
                channels, " ", width, "x", height, "x", slices, " planes ", planes, " ",
                taps.convolve ? "convolve " : "correlate ", taps.width, "x", taps.height, "@",
                taps.anchor_x, ",", taps.anchor_y, taps.separable ? " separable " : " dense ",
                name_of(border), " ", region_names[static_cast<int>(region)], " ",
                layout_names[static_cast<int>(layout)]);
}

const std::shared_ptr<Engine> &engine() {
    return shared([] { return std::make_shared<Engine>(Engine::Options()); });
}

Filter make_filter(const TapsCase &test, unsigned seed) {
    std::minstd_rand random(seed);
    const auto draw = [&] { return static_cast<double>(random() % 20001) / 10000.0 - 1.0; };
    Taps taps;
    taps.size = {test.width, test.height, 1, 1};
    taps.anchor = {test.anchor_x, test.anchor_y, 0, 0};
    std::vector<double> x, y;
    for (int i = 0; i < test.width; ++i)
        x.push_back(draw());
    for (int j = 0; j < test.height; ++j)
        y.push_back(draw());
    for (int j = 0; j < test.height; ++j)
        for (int i = 0; i < test.width; ++i)
            taps.values.push_back(test.separable ? x[static_cast<std::size_t>(i)] *
                                                       y[static_cast<std::size_t>(j)]
                                                 : draw());
    // Results of the size of the input keep integers from saturating all over.
    const double sum = taps.sum_of_magnitudes();
    for (double &k : taps.values)
        k *= 1.5 / sum;
    return test.convolve ? Filter::convolve(taps) : Filter::correlate(taps);
}

std::string run(const CorrelateCase &test, Tally &tally) {
    std::minstd_rand random(7);
    const Filter filter = make_filter(test.taps, 3);
    if (filter.factors().has_value() !=
        (test.taps.separable || test.taps.width == 1 || test.taps.height == 1))
        return "taps are not recognised for what they are";

    PlanDesc desc;
    desc.source = describe(test.src_type, test, test.width, test.height);
    // A target of another size where a region says what goes where.
    const int extra = test.region == RegionKind::whole ? 0 : 3;
    desc.target = describe(test.dst_type, test, test.width + extra, test.height + extra);
    desc.border = {test.border, 0.625};
    desc.region = make_region(test, desc.source);
    desc = complete(desc);

    std::unique_ptr<Plan> plan;
    try {
        plan = std::make_unique<Plan>(engine(), filter, desc,
                                      test.kernel + ":" + gz::to_text(test.config));
    } catch (const Error &error) {
        if (error.status() != Status::unsupported)
            throw;
        ++tally.misfits;
        return "";
    }

    const std::vector<std::byte> source = make_source(desc.source, desc.region, random);
    const std::vector<std::byte> before = make_target(desc.target, random);
    const cl::Buffer from = engine()->allocate(source.size(), "the test's source");
    const cl::Buffer to = engine()->allocate(before.size(), "the test's target");
    const cl::CommandQueue &queue = engine()->queue();
    queue.enqueueWriteBuffer(from, CL_TRUE, 0, source.size(), source.data());
    queue.enqueueWriteBuffer(to, CL_TRUE, 0, before.size(), before.data());
    plan->enqueue(nullptr, from(), to(), {}, nullptr);
    std::vector<std::byte> got(before.size());
    queue.enqueueReadBuffer(to, CL_TRUE, 0, got.size(), got.data());

    std::vector<std::byte> expected = before;
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    const Axes &origin = desc.region.target_origin;
    compute_in_f32(job, [&](const RowPlace &at, const float *row) {
        std::byte *out = expected.data() +
                         desc.target.byte_of({origin[0], origin[1] + at.y, at.z, at.t}, at.plane);
        for (std::int64_t i = 0; i < desc.region.extent[0] * desc.source.channels; ++i)
            store_pixel(desc.target.type, row[i],
                        out + i * static_cast<std::int64_t>(size_of(desc.target.type)));
    });
    if (expected != got)
        return first_difference(expected, got, desc.target, desc.region);

    const Verification check =
        verify(*plan, {source.data(), source.size()}, {got.data(), got.size()});
    ++tally.ran;
    tally.worst = std::max(tally.worst, check.worst_error / check.bound);
    if (check.worst_error > check.bound)
        return text("error ", check.worst_error, " over the bound ", check.bound);
    return "";
}

const std::vector<TapsCase> &all_taps() {
    static const std::vector<TapsCase> cases{
        {3, 3, 1, 1, true, false},   {3, 3, 1, 1, false, false},     {5, 5, 2, 2, true, true},
        {5, 5, 2, 2, false, false},  {1, 1, 0, 0, true, false},      {9, 1, 4, 0, true, false},
        {1, 9, 0, 4, true, true},    {4, 4, 2, 2, false, true},      {2, 7, 0, 6, false, false},
        {6, 3, 5, 0, true, false},   {7, 7, 3, 3, false, false},     {11, 8, 2, 7, true, true},
        {15, 15, 7, 7, true, false}, {15, 13, 14, 0, false, false},  {21, 17, 10, 8, true, false},
        {23, 5, 11, 2, false, true}, {31, 31, 15, 15, false, false}, {63, 63, 31, 31, true, false},
        {63, 62, 0, 61, false, true}};
    return cases;
}

const std::vector<std::pair<int, int>> &all_sizes() {
    static const std::vector<std::pair<int, int>> sizes{{1, 1},    {32, 32}, {37, 1},    {1, 37},
                                                        {31, 33},  {33, 31}, {7, 127},   {64, 65},
                                                        {129, 32}, {97, 63}, {131, 203}, {513, 17}};
    return sizes;
}

std::vector<CorrelateCase> pairwise_cases(const std::string &kernel, const Limits &limits) {
    const std::vector<CorrelateSpec> kernels = correlate_kernels();
    const CorrelateSpec &spec = *std::find_if(kernels.begin(), kernels.end(),
                                              [&](const auto &k) { return k.name == kernel; });
    // The number of cases is about the product of the two longest lists: every other of the sizes
    // will do.
    std::vector<TapsCase> taps;
    for (const TapsCase &t : all_taps())
        if (std::max(t.width, t.height) <= limits.taps)
            taps.push_back(t);
    std::vector<std::pair<int, int>> sizes;
    for (std::size_t i = 0; i < all_sizes().size(); i += 2)
        if (std::max(all_sizes()[i].first, all_sizes()[i].second) <= limits.image)
            sizes.push_back(all_sizes()[i]);

    const auto count = [](const auto &list) { return static_cast<int>(std::size(list)); };
    std::vector<int> counts{count(types),
                            2,
                            4,
                            2,
                            2,
                            count(sizes),
                            count(taps),
                            count(gz::all_border_modes),
                            count(regions),
                            count(layouts)};
    for (const Tunable &tunable : spec.tunables)
        counts.push_back(count(tunable.values));

    std::vector<CorrelateCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
        CorrelateCase test;
        test.kernel = kernel;
        test.src_type = types[at(0)];
        test.dst_type = row[1] ? types[(at(0) + 3) % 5] : test.src_type;
        test.channels = row[2] + 1;
        test.planes = row[3] ? 3 : 1;
        test.slices = row[4] ? 2 : 1;
        std::tie(test.width, test.height) = sizes[at(5)];
        test.taps = taps[at(6)];
        test.border = gz::all_border_modes[at(7)];
        test.region = regions[at(8)];
        test.layout = layouts[at(9)];
        for (std::size_t i = 0; i < spec.tunables.size(); ++i)
            test.config[spec.tunables[i].name] = spec.tunables[i].values[at(10 + i)];
        make_possible(test);
        cases.push_back(test);
    }
    return cases;
}

std::vector<CorrelateCase> all_cases(const std::string &kernel, PixelType type) {
    const std::vector<CorrelateSpec> kernels = correlate_kernels();
    const CorrelateSpec &spec = *std::find_if(kernels.begin(), kernels.end(),
                                              [&](const auto &k) { return k.name == kernel; });
    // The parameters that are not multiplied out change with the size and with the configuration,
    // so that a configuration meets all taps and each program serves all borders.
    const auto number = static_cast<std::size_t>(
        std::find(std::begin(types), std::end(types), type) - std::begin(types));
    std::vector<CorrelateCase> cases;
    std::size_t config_number = 0;
    for (const Config &config : all_configs(spec.tunables)) {
        for (std::size_t s = 0; s < all_sizes().size(); ++s) {
            const std::size_t turn = config_number + 7 * number + s;
            CorrelateCase test;
            test.kernel = kernel;
            test.config = config;
            test.src_type = type;
            test.dst_type = turn % 4 == 3 ? types[(number + turn) % 5] : type;
            test.channels = static_cast<int>(turn % 4) + 1;
            test.planes = turn % 3 == 2 ? 3 : 1;
            test.slices = turn % 5 == 4 ? 2 : 1;
            std::tie(test.width, test.height) = all_sizes()[s];
            test.taps = all_taps()[(turn + turn / 4) % all_taps().size()];
            test.region = regions[turn % 3];
            test.layout = layouts[turn / 3 % 3];
            make_possible(test);
            for (const BorderMode border : gz::all_border_modes) {
                test.border = border;
                cases.push_back(test);
            }
        }
        ++config_number;
    }
    return cases;
}

} // namespace support
