#include "support/image_case.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "plan/plan.hpp"
#include "support/shared.hpp"

namespace support {

namespace {

using namespace gz;

constexpr int guard_bytes = 64; // a multiple of every alignment

ImageDesc describe(PixelType type, const ImageCase &test, int width, int height) {
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

Region make_region(const ImageCase &test, const ImageDesc &source) {
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

} // namespace

std::string ImageCase::name() const {
    static constexpr const char *region_names[] = {"whole", "isolated", "neighbours"};
    static constexpr const char *layout_names[] = {"tight", "padded", "odd"};
    return text(name_of(src_type), "->", name_of(dst_type), " x", channels, " ", width, "x", height,
                "x", slices, " planes ", planes, " ", name_of(border), " ",
                region_names[static_cast<int>(region)], " ", layout_names[static_cast<int>(layout)],
                store == gz::Store::truncate ? " truncated" : "");
}

std::vector<int> image_counts(std::size_t sizes) {
    const auto count = [](const auto &list) { return static_cast<int>(std::size(list)); };
    return {count(all_types),
            2,
            4,
            2,
            2,
            static_cast<int>(sizes),
            count(all_border_modes),
            count(all_regions),
            count(all_layouts)};
}

ImageCase image_of(const std::vector<int> &row, const std::vector<std::pair<int, int>> &sizes) {
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
    ImageCase test;
    test.src_type = all_types[at(0)];
    test.dst_type = row[1] ? all_types[(at(0) + 3) % 5] : test.src_type;
    test.channels = row[2] + 1;
    test.planes = row[3] ? 3 : 1;
    test.slices = row[4] ? 2 : 1;
    std::tie(test.width, test.height) = sizes[at(5)];
    test.border = all_border_modes[at(6)];
    test.region = all_regions[at(7)];
    test.layout = all_layouts[at(8)];
    return test;
}

bool is_shared() {
    return !environment("GAUZE_SHARE").empty();
}

bool is_of_share(std::size_t i, std::size_t together) {
    struct Share {
        std::size_t number = 0, count = 1;
    };
    static const Share share = [] {
        Share result;
        const std::string given = environment("GAUZE_SHARE");
        if (given.empty())
            return result;
        const std::size_t slash = given.find('/');
        require(slash != std::string::npos, "GAUZE_SHARE is '", given, "', not as 3/16");
        result.number = std::stoul(given);
        result.count = std::stoul(given.substr(slash + 1));
        require(result.number < result.count, "GAUZE_SHARE is '", given, "', not as 3/16");
        return result;
    }();
    return i / together % share.count == share.number;
}

const std::shared_ptr<Engine> &engine() {
    return shared([] { return std::make_shared<Engine>(Engine::Options()); });
}

PlanDesc make_plan_desc(const ImageCase &test, Results results) {
    PlanDesc desc;
    desc.source = describe(test.src_type, test, test.width, test.height);
    // The target has another size where a region says which pixels go where.
    const int extra = test.region == RegionKind::whole ? 0 : 3;
    desc.target = describe(test.dst_type, test, test.width + extra, test.height + extra);
    desc.border = {test.border, test.border_value};
    desc.store = test.store;
    desc.region = make_region(test, desc.source);
    return complete(desc, results);
}

std::vector<std::byte> make_source(const PlanDesc &plan, std::minstd_rand &random) {
    const ImageDesc &desc = plan.source;
    // A simulator sees what is read after the last pixel where memory ends with it. For others it is NaN.
    const bool is_tight = desc.pitch[1] == desc.extent[0] * desc.pixel_bytes();
    const bool is_simulated = engine()->facts().device_class == DeviceClass::oclgrind;
    const int after = is_tight && is_simulated ? 0 : guard_bytes;
    std::vector<std::byte> memory(static_cast<std::size_t>(desc.bytes() + after));
    std::fill(memory.begin(), memory.end(), std::byte{0xff}); // NaN in every float type
    for_each_value(desc, [&](const Axes &at, std::int64_t byte) {
        if (plan.region.edge == RegionEdge::isolated &&
            !is_inside(at, plan.region.source_origin, plan.region.extent))
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

std::vector<std::byte> make_target(const PlanDesc &plan, std::minstd_rand &random) {
    std::vector<std::byte> memory(static_cast<std::size_t>(plan.target.bytes()) + guard_bytes);
    for (std::byte &byte : memory)
        byte = static_cast<std::byte>(random());
    return memory;
}

std::vector<std::byte> run_forced(const Filter &filter, const PlanDesc &desc,
                                  const std::string &variant, const std::vector<std::byte> &source,
                                  const std::vector<std::byte> &before,
                                  const std::vector<std::vector<std::byte>> &more) {
    std::vector<std::vector<std::byte>> got =
        run_forced_bank(filter, desc, variant, source, before, more);
    return got.empty() ? std::vector<std::byte>() : std::move(got.front());
}

std::vector<std::vector<std::byte>>
run_forced_bank(const Filter &bank, const PlanDesc &desc, const std::string &variant,
                const std::vector<std::byte> &source, const std::vector<std::byte> &before,
                const std::vector<std::vector<std::byte>> &more) {
    std::unique_ptr<Plan> plan;
    try {
        plan = std::make_unique<Plan>(engine(), bank, desc, variant);
    } catch (const Error &error) {
        if (error.status() != Status::unsupported)
            throw;
        return {};
    }
    const cl::CommandQueue &queue = engine()->queue();
    std::vector<cl::Buffer> from, to;
    std::vector<cl_mem> sources;
    const auto add_source = [&](const std::vector<std::byte> &memory) {
        from.push_back(engine()->allocate(memory.size(), "the test's source"));
        queue.enqueueWriteBuffer(from.back(), CL_TRUE, 0, memory.size(), memory.data());
        sources.push_back(from.back()());
    };
    add_source(source);
    for (const std::vector<std::byte> &memory : more)
        add_source(memory);
    std::vector<cl_mem> targets;
    for (std::size_t i = 0; i < bank.target_count(); ++i) {
        to.push_back(engine()->allocate(before.size(), "the test's target"));
        targets.push_back(to.back()());
        queue.enqueueWriteBuffer(to.back(), CL_TRUE, 0, before.size(), before.data());
    }
    plan->enqueue(nullptr, sources, targets, nullptr, {}, nullptr);
    std::vector<std::vector<std::byte>> got(to.size(), std::vector<std::byte>(before.size()));
    for (std::size_t i = 0; i < got.size(); ++i)
        queue.enqueueReadBuffer(to[i], CL_TRUE, 0, before.size(), got[i].data());
    return got;
}

std::vector<float> filtered(const Filter &filter, const std::vector<float> &source,
                            const Axes &extent, const Border &border, int channels) {
    PlanDesc desc;
    desc.source.type = PixelType::f32;
    desc.source.extent = extent;
    desc.source.channels = channels;
    desc.source = complete(desc.source, "image");
    desc.target = desc.source;
    desc.border = border;
    const Plan plan(engine(), filter, complete(desc), "");
    std::vector<float> result(source.size());
    const auto bytes = source.size() * sizeof(float);
    plan.run({{reinterpret_cast<const std::byte *>(source.data()), bytes}},
             {{reinterpret_cast<std::byte *>(result.data()), bytes}});
    return result;
}

void store_row(const PlanDesc &desc, const RowPlace &at, const float *row,
               std::vector<std::byte> &target) {
    const Axes &origin = desc.region.target_origin;
    std::byte *out = target.data() + desc.target.byte_of({origin[0], origin[1] + at.y,
                                                          origin[2] + at.z, origin[3] + at.t},
                                                         at.plane);
    for (std::int64_t i = 0; i < desc.region.extent[0] * desc.source.channels; ++i)
        store_pixel(desc.target.type, row[i],
                    out + i * static_cast<std::int64_t>(size_of(desc.target.type)), desc.store);
}

std::string first_difference(const std::vector<std::byte> &expected,
                             const std::vector<std::byte> &got, const PlanDesc &plan) {
    if (expected == got)
        return "";
    const ImageDesc &desc = plan.target;
    std::string where;
    for_each_value(desc, [&](const Axes &at, std::int64_t byte) {
        if (!where.empty() ||
            std::memcmp(expected.data() + byte, got.data() + byte, size_of(desc.type)) == 0)
            return;
        where = text(is_inside(at, plan.region.target_origin, plan.region.extent)
                         ? "differing bits at "
                         : "written outside the target region at ",
                     to_place(at), ": expected ", load_pixel(desc.type, expected.data() + byte),
                     ", got ", load_pixel(desc.type, got.data() + byte));
    });
    return where.empty() ? "written outside the target image" : where;
}

std::string written_outside(const std::vector<std::byte> &before, const std::vector<std::byte> &got,
                            const PlanDesc &plan) {
    std::vector<std::byte> restored = got;
    const std::size_t size = size_of(plan.target.type);
    for_each_value(plan.target, [&](const Axes &at, std::int64_t byte) {
        if (is_inside(at, plan.region.target_origin, plan.region.extent))
            std::memcpy(restored.data() + byte, before.data() + byte, size);
    });
    return first_difference(before, restored, plan);
}

} // namespace support
