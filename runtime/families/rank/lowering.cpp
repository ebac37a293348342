#include "families/rank/lowering.hpp"

#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

std::vector<WindowRun> runs_of(const Window &window, int channels) {
    std::vector<WindowRun> runs;
    std::int64_t i = 0;
    for (std::int64_t z = 0; z < window.size[2]; ++z)
        for (std::int64_t y = 0; y < window.size[1]; ++y) {
            bool goes_on = false;
            for (std::int64_t x = 0; x < window.size[0]; ++x, ++i) {
                const bool counts = window.has(i);
                if (counts && goes_on)
                    ++runs.back().count;
                else if (counts)
                    runs.push_back({narrow((x - window.anchor[0]) * channels),
                                    narrow(y - window.anchor[1]), narrow(z - window.anchor[2]), 1});
                goes_on = counts;
            }
        }
    return runs;
}

using SharedFilter = std::shared_ptr<const RankFilter>;

Step extreme_step(const SharedFilter &filter, const PlanDesc &desc) {
    Step step(desc,
              [filter](const PlanDesc &part) -> Pass { return lower_extreme(*filter, part); });
    const AxesReach reach = filter->window.reach();
    step.reach[0] = reach[0];
    step.reach[1] = reach[1];
    return step;
}

Step extreme_step_along_z(const SharedFilter &filter, const PlanDesc &desc) {
    Step step(desc, [filter](const PlanDesc &part) -> Pass {
        const Window &window = filter->window;
        return ExtremePass{lower_images_along(2, part, window.size[2], window.anchor[2]),
                           !filter->is_minimum()};
    });
    step.reach[2] = filter->window.reach()[2];
    return step;
}

// The type of images between, which holds the source's pixels and the border's constant.
PixelType type_between(const PlanDesc &desc) {
    const PixelType type = desc.source.type;
    std::array<std::byte, sizeof(double)> pixel{};
    store_pixel(type, static_cast<float>(desc.border.value), pixel.data());
    const bool holds_constant = desc.border.mode != BorderMode::constant ||
                                load_pixel(type, pixel.data()) == desc.border.value;
    return holds_constant ? type : PixelType::f32;
}

// The extreme of a box is that of extremes along its axes, which are pixels of the source.
Graph lower_box_extreme(const SharedFilter &filter, const PlanDesc &desc) {
    const AxesReach reach = filter->window.reach();
    const auto reads = [&](std::size_t axis) { return !reach[axis].is_own_pixel(); };
    std::vector<std::vector<std::size_t>> axes;
    if (reads(0) || reads(1) || !reads(2))
        axes.push_back({0, 1});
    if (reads(2))
        axes.push_back({2});
    return lower_along(
        axes, desc,
        [&](std::size_t i, const PlanDesc &step) -> Link {
            return axes[i].size() == 2 ? extreme_step(filter, step)
                                       : extreme_step_along_z(filter, step);
        },
        type_between(desc));
}

} // namespace

void check_length(const Window &window, const PlanDesc &desc) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (desc.source.extent[axis] + 2 * window.size[axis] >
            std::numeric_limits<std::int32_t>::max())
            fail(Status::unsupported, "the image has ", desc.source.extent[axis], " pixels along ",
                 axis_name[axis], ", too many for windows of ", window.size[axis]);
}

WindowPass lower_window(const Window &window, const PlanDesc &desc) {
    WindowPass pass;
    static_cast<ImagePass &>(pass) = lower_images(
        desc, {window.size[0], window.size[1], window.anchor[0], window.anchor[1]}, {2});
    pass.volume = lower_volume(desc, window.size, window.anchor);
    pass.window = runs_of(window, pass.channels);
    return pass;
}

RankPass lower_rank(const RankFilter &filter, const PlanDesc &desc) {
    const Window &window = filter.window;
    return {lower_window(window, desc), narrow(filter.rank), narrow(window.count()),
            window.is_box()};
}

ExtremePass lower_extreme(const RankFilter &filter, const PlanDesc &desc) {
    const Window &window = filter.window;
    return {
        lower_images(desc, {window.size[0], window.size[1], window.anchor[0], window.anchor[1]}),
        !filter.is_minimum()};
}

Graph lower(const RankFilter &given, const PlanDesc &desc) {
    const auto filter = std::make_shared<const RankFilter>(given);
    const Window &window = filter->window;
    check_length(window, desc);
    if (window.is_box() && (filter->is_minimum() || filter->is_maximum()))
        return lower_box_extreme(filter, desc);
    Step step(desc, [filter](const PlanDesc &part) -> Pass { return lower_rank(*filter, part); });
    step.reach = window.reach();
    return {{}, {std::move(step)}};
}

} // namespace gz
