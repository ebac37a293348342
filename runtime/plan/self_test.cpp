#include "plan/self_test.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "core/pixel_value.hpp"
#include "plan/kernel_test.hpp"
#include "plan/pipeline.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"

namespace gz {

namespace {

// An image of more than a few tiles, on which the reference takes milliseconds. Along lines, where GPUs
// filter them recursively, tiles are long.
Axes tiny_extent(const Axes &extent, bool has_long_tiles) {
    Axes tiny{300, 140, 1, 1};
    if (has_long_tiles)
        tiny = {1100, 530, 1, 1};
    if (extent[2] > 1 || extent[3] > 1)
        tiny = {70, 40, 6, 2};
    else if (extent[1] == 1)
        tiny = {5000, 1, 1, 1};
    else if (extent[0] == 1)
        tiny = {1, 5000, 1, 1};
    for (std::size_t axis = 0; axis < tiny.size(); ++axis)
        if (extent[axis] == 1)
            tiny[axis] = 1;
    return tiny;
}

ImageDesc tiny_image(const ImageDesc &like, const Axes &extent) {
    ImageDesc desc;
    desc.type = like.type;
    desc.channels = like.channels;
    desc.extent = extent;
    desc.planes = like.planes;
    return complete(desc, "the image of a self-test");
}

PlanDesc tiny_plan(const PlanDesc &desc, Results results, bool has_long_tiles) {
    const Axes extent = tiny_extent(desc.region.extent, has_long_tiles);
    PlanDesc tiny;
    tiny.source = tiny_image(desc.source, extent);
    tiny.target = tiny_image(desc.target, extent);
    tiny.border = desc.border;
    tiny.store = desc.store;
    tiny.in_caches = desc.in_caches;
    for (const ImageDesc &guide : desc.more_sources)
        tiny.more_sources.push_back(tiny_image(guide, extent));
    for (const ImageDesc &target : desc.more_targets)
        tiny.more_targets.push_back(tiny_image(target, extent));
    return complete(tiny, results);
}

// Values cover the range of integers, or -1 to 1.
std::vector<std::byte> tiny_pixels(const ImageDesc &desc, unsigned seed) {
    const PixelTypeFacts &facts = facts_of(desc.type);
    const double low = facts.is_integer ? facts.lowest : -1.0;
    const double high = facts.is_integer ? facts.highest : 1.0;
    std::minstd_rand random(seed);
    std::vector<std::byte> pixels(static_cast<std::size_t>(desc.bytes()));
    for (std::size_t at = 0; at < pixels.size(); at += size_of(desc.type)) {
        const double share = static_cast<double>(random() % 65536) / 65535.0;
        store_pixel(desc.type, static_cast<float>(low + share * (high - low)), pixels.data() + at);
    }
    return pixels;
}

class PlanSubject : public TestSubject {
public:
    PlanSubject(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc)
        : engine_(engine), filter_(filter), desc_(desc), graph_(lower(filter, desc)) {}

    std::vector<Choice> choices() const override {
        const Pipeline pipeline(*engine_, graph_, "");
        std::vector<Choice> result;
        for (std::size_t i = 0; i < pipeline.passes(); ++i)
            result.push_back(pipeline.choice(i));
        return result;
    }

    std::vector<std::string> candidates(std::size_t pass) const override {
        return Pipeline(*engine_, graph_, "").candidates(pass, engine_->facts());
    }

    std::string fault_of(const std::string &variant) const override {
        const Plan plan(engine_, filter_, tiny_plan(desc_, filter_.results(), has_long_tiles()),
                        variant);
        const PlanDesc &tiny = plan.desc();
        std::vector<std::vector<std::byte>> pixels;
        std::vector<HostSource> sources;
        for (std::size_t i = 0; i < tiny.source_count(); ++i)
            pixels.push_back(tiny_pixels(tiny.source_at(i), static_cast<unsigned>(i + 1)));
        for (const std::vector<std::byte> &own : pixels)
            sources.push_back({own.data(), own.size()});
        std::vector<std::vector<std::byte>> results;
        std::vector<HostTarget> targets;
        std::vector<HostSource> found;
        for (std::size_t i = 0; i < tiny.target_count(); ++i)
            results.emplace_back(static_cast<std::size_t>(tiny.target_at(i).bytes()),
                                 std::byte{0x5a});
        for (std::vector<std::byte> &result : results) {
            targets.push_back({result.data(), result.size()});
            found.push_back({result.data(), result.size()});
        }
        plan.run(sources, targets);
        const Verification verified = verify(plan, sources, found);
        return verified.worst_error <= verified.bound
                   ? ""
                   : text(verified.worst_error, " off, bound ", verified.bound,
                          ", at x=", verified.worst_at[0], " y=", verified.worst_at[1], " of ",
                          to_text(tiny.source.extent), " pixels");
    }

private:
    bool has_long_tiles() const {
        bool goes_along_lines = false;
        for_each_step(graph_.links, [&](const Step &step) {
            for (const Reach &reach : step.reach)
                goes_along_lines = goes_along_lines || reach.is_whole;
        });
        return goes_along_lines && !engine_->facts().is_cpu();
    }

    const std::shared_ptr<Engine> &engine_;
    const Filter &filter_;
    const PlanDesc &desc_;
    Graph graph_;
};

} // namespace

void self_test(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
               const std::string &variant) {
    if (wants_self_test(*engine, variant))
        test_kernels(*engine, PlanSubject(engine, filter, desc));
}

} // namespace gz
