#include "families/rank/lowering.hpp"

#include <algorithm>
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

// Cuts a box along x and y to boxes whose extremes in turn are its own.
std::vector<Window> cut_to_boxes(const Window &window) {
    AxesReach left = window.reach();
    std::vector<Window> boxes;
    const auto take = [](std::int64_t &from) {
        constexpr std::int64_t most = max_marching_side / 2;
        const std::int64_t own = std::min(from, most);
        from -= own;
        return own;
    };
    while (!left[0].is_own_pixel() || !left[1].is_own_pixel()) {
        Window box;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::int64_t before = take(left[axis].before), after = take(left[axis].after);
            box.size[axis] = before + 1 + after;
            box.anchor[axis] = before;
        }
        boxes.push_back(std::move(box));
    }
    return boxes;
}

// Whether extremes in turn see what a box sees beyond the image. Where a border mirrors pixels, a box that reaches
// further on one side sees some that its parts do not.
bool can_cut(const Window &window, const PlanDesc &desc) {
    const AxesReach reach = window.reach();
    const auto is_even = [&](std::size_t axis) { return reach[axis].before == reach[axis].after; };
    const auto has_anchor_inside = [&](std::size_t axis) {
        return reach[axis].before + 1 + reach[axis].after == window.size[axis];
    };
    const BorderMode mode = desc.border.mode;
    return has_anchor_inside(0) && has_anchor_inside(1) && reach[2].is_own_pixel() &&
           mode != BorderMode::wrap &&
           (mode == BorderMode::clamp || mode == BorderMode::constant ||
            (is_even(0) && is_even(1)));
}

// Boxes that are too long for kernels of GPUs: as one step, or as several.
Graph lower_long_extreme(const SharedFilter &filter, const PlanDesc &desc) {
    const std::vector<Window> boxes = cut_to_boxes(filter->window);
    const std::vector<std::vector<std::size_t>> axes(boxes.size(), {0, 1});
    Graph steps = lower_along(
        axes, desc,
        [&](std::size_t i, const PlanDesc &images) -> Link {
            auto part = std::make_shared<RankFilter>(*filter);
            part->window = boxes[i];
            part->rank = filter->is_minimum() ? 0 : boxes[i].count() - 1;
            PlanDesc own = images;
            // The first box's results hold the mirrored pixels already.
            if (i > 0 && own.border.mode != BorderMode::constant)
                own.border.mode = BorderMode::clamp;
            return extreme_step(part, own);
        },
        type_between(desc));
    return with_steps_at_once(std::move(steps), step_by_step, extreme_step(filter, desc));
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
    if (window.is_box() && (filter->is_minimum() || filter->is_maximum())) {
        const bool is_long = std::max(window.size[0], window.size[1]) > max_marching_side;
        return is_long && can_cut(window, desc) ? lower_long_extreme(filter, desc)
                                                : lower_box_extreme(filter, desc);
    }
    Step step(desc, [filter](const PlanDesc &part) -> Pass { return lower_rank(*filter, part); });
    step.reach = window.reach();
    return {{}, {std::move(step)}};
}

} // namespace gz
