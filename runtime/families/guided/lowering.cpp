#include "families/guided/lowering.hpp"

#include <utility>

#include "families/family.hpp"
#include "families/guided/guided_pass.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

GuidePlaces places_of(const ImageDesc &image, const Axes &origin) {
    const Strides strides(image, origin);
    return {strides.first, strides.row, strides.slice, strides.volume, strides.plane};
}

ImageDesc image_of(const PlanDesc &desc, std::int64_t channels, const Axes &extent) {
    ImageDesc result = desc.source;
    result.type = PixelType::f32;
    result.channels = channels;
    return between_image(desc, result, extent);
}

// All but the geometry, for images whose regions start so.
GuidedImages images_of(const Guided &filter, const PlanDesc &desc) {
    const bool has_guide = filter.guide == Guide::image;
    const ImageDesc &guide = has_guide ? desc.more_sources.at(0) : desc.source;
    GuidedImages images;
    images.guides = guide_channels(filter, guide.channels);
    images.image_type = desc.source.type;
    images.guide_type = guide.type;
    images.image = places_of(desc.source, desc.region.source_origin);
    images.guide = places_of(guide, desc.region.source_origin);
    const bool has_constant = desc.border.mode == BorderMode::constant;
    images.numbers = {static_cast<float>(filter.epsilon), static_cast<float>(desc.border.value),
                      has_constant ? 1 : 0};
    return images;
}

template <class P> P pass_of(const GuidedImages &images, const ImagePass &layout) {
    P pass;
    static_cast<GuidedImages &>(pass) = images;
    static_cast<ImagePass &>(pass) = layout;
    return pass;
}

// The plan of what makes images of all of a plan's pixels from others.
PlanDesc within(const PlanDesc &desc, const ImageDesc &source, const ImageDesc &target) {
    PlanDesc result = desc;
    result.source = source;
    result.target = target;
    result.region.source_origin = result.region.target_origin = {0, 0, 0, 0};
    result.region.edge = RegionEdge::isolated;
    return result;
}

// Makes the steps of a plan.
class Lowering {
public:
    Lowering(const Guided &filter, const PlanDesc &desc)
        : filter_(filter), desc_(desc), first_(desc), images_(images_of(filter, desc)) {
        // Means of slopes read all of what the region's border is made of.
        if (desc.region.edge == RegionEdge::neighbours)
            for (std::size_t axis = 0; axis < 2; ++axis) {
                first_.region.source_origin[axis] = 0;
                first_.region.extent[axis] = desc.source.extent[axis];
            }
        first_.region.target_origin = {0, 0, 0, 0};
        first_.target = image_of(desc, desc.source.channels, first_.region.extent);
        slopes_ = images_.guides == 3 ? 3 : 1;
    }

    Graph lower() {
        for (int i = 0; i < slopes_ + 1; ++i)
            linear_.push_back(add_image(first_.target));
        Chain slopes{step_by_step, slopes_by_steps()};
        Chain results{step_by_step, results_by_steps()};
        if (images_.guides == 3) {
            append_links(std::move(slopes.links));
            append_links(std::move(results.links));
            return std::move(graph_);
        }
        append_choice(slopes_at_once(), std::move(slopes));
        append_choice(results_at_once(), std::move(results));
        return std::move(graph_);
    }

private:
    ImageRef add_image(const ImageDesc &desc) {
        graph_.between.push_back(desc);
        return image_between(graph_.between.size() - 1);
    }
    void append_links(std::vector<Link> links) {
        for (Link &link : links)
            graph_.links.push_back(std::move(link));
    }
    void append_choice(Step at_once, Chain steps) {
        std::string problem = at_once.pass.problem();
        std::vector<Chain> chains{{"", {std::move(at_once)}}, std::move(steps)};
        graph_.links.emplace_back(std::move(chains), std::move(problem));
    }

    ImageRef guide() const {
        return filter_.guide == Guide::image ? source_image(1) : source_image();
    }

    // Appends the steps of a mean along x and y.
    void add_mean(std::vector<Link> &links, PlanDesc plan, double beyond, const ImageRef &from,
                  const ImageRef &to) {
        plan.border.value = beyond;
        Graph own{graph_.between, std::move(links)};
        Graph mean =
            by_steps(gz::lower(Filter::box({{filter_.radius, filter_.radius, 0, 0}, 1}), plan));
        append(own, std::move(mean), to, from);
        graph_.between = std::move(own.between);
        links = std::move(own.links);
    }

    // A step from images of a plan to others.
    template <class P> Step step_of(const PlanDesc &plan, P pass) const {
        Step step(
            plan, [pass](const PlanDesc &) -> Pass { return pass; }, pass);
        step.combines = true; // what is forced is a kernel of means, or of all
        return step;
    }

    // The values are those less the constant where there is one: beyond the border they are 0.
    std::vector<Link> slopes_by_steps() {
        std::vector<Link> links;
        const ImageDesc &values = first_.target;
        const ImageDesc guide_values =
            image_of(desc_, std::max(images_.guides, 1), first_.region.extent);
        std::vector<ImageDesc> layouts;
        if (images_.guides > 0)
            layouts.assign(images_.guides == 3 ? 3 : 2, guide_values);
        layouts.insert(layouts.end(), images_.guides == 3 ? 4 : 2, values);
        std::vector<ImageRef> products, means;
        for (const ImageDesc &layout : layouts) {
            products.push_back(add_image(layout));
            means.push_back(add_image(layout));
        }
        const GuidedImages images = images_of(filter_, first_);
        auto make = pass_of<GuidedProductsPass>(images, lower_images(first_, TapsExtent()));
        make.means = places_of(guide_values, {0, 0, 0, 0});
        Step step = step_of(first_, make);
        if (images_.guides > 0)
            step.inputs.push_back(guide());
        step.outputs = products;
        links.emplace_back(std::move(step));
        for (std::size_t i = 0; i < layouts.size(); ++i)
            add_mean(links, within(first_, layouts[i], layouts[i]), 0.0, products[i], means[i]);
        const PlanDesc plan = within(first_, values, values);
        auto solve = pass_of<GuidedSolvePass>(images, lower_images(plan, TapsExtent()));
        solve.means = make.means;
        Step last = step_of(plan, solve);
        last.inputs = std::move(means);
        last.inputs.push_back(source_image());
        if (images_.guides > 0)
            last.inputs.push_back(guide());
        last.outputs = linear_;
        links.emplace_back(std::move(last));
        return links;
    }

    // The plan that reads slopes and offsets and makes results.
    PlanDesc second() const {
        PlanDesc plan = desc_;
        plan.source = first_.target;
        for (std::size_t axis = 0; axis < 4; ++axis)
            plan.region.source_origin[axis] -= first_.region.source_origin[axis];
        return plan;
    }

    std::vector<Link> results_by_steps() {
        std::vector<Link> links;
        PlanDesc plan = second();
        plan.target = image_of(desc_, desc_.source.channels, desc_.region.extent);
        plan.region.target_origin = {0, 0, 0, 0};
        std::vector<ImageRef> means;
        for (const ImageRef &image : linear_) {
            means.push_back(add_image(plan.target));
            add_mean(links, plan, image == linear_.back() ? desc_.border.value : 0.0, image,
                     means.back());
        }
        PlanDesc last = desc_;
        last.source = plan.target;
        last.region.source_origin = {0, 0, 0, 0};
        last.region.edge = RegionEdge::isolated;
        Step step = step_of(last, pass_of<GuidedCombinePass>(images_, lower_images(last, {})));
        step.inputs = std::move(means);
        step.inputs.push_back(guide());
        links.emplace_back(std::move(step));
        return links;
    }

    TapsExtent taps() const {
        const std::int64_t size = 2 * filter_.radius + 1;
        return {size, size, filter_.radius, filter_.radius};
    }

    Step slopes_at_once() const {
        auto pass = pass_of<GuidedPass>(images_of(filter_, first_), lower_images(first_, taps()));
        pass.stage = GuidedStage::slopes;
        Step step(
            first_, [pass](const PlanDesc &) -> Pass { return pass; }, pass);
        if (filter_.guide == Guide::image)
            step.inputs.push_back(guide());
        step.outputs = linear_;
        return with_reach(std::move(step));
    }

    Step results_at_once() const {
        const PlanDesc plan = second();
        auto pass = pass_of<GuidedPass>(images_, lower_images(plan, taps()));
        pass.stage = GuidedStage::results;
        Step step(
            plan, [pass](const PlanDesc &) -> Pass { return pass; }, pass);
        step.inputs = linear_;
        step.inputs.push_back(guide());
        return with_reach(std::move(step));
    }

    Step with_reach(Step step) const {
        for (std::size_t axis = 0; axis < 2; ++axis)
            step.reach[axis] = {filter_.radius, filter_.radius};
        return step;
    }

    const Guided &filter_;
    const PlanDesc &desc_;
    PlanDesc first_; // of slopes and offsets
    GuidedImages images_;
    int slopes_ = 1;
    Graph graph_;
    std::vector<ImageRef> linear_; // images of slopes, and of offsets
};

} // namespace

Graph lower(const Guided &filter, const PlanDesc &desc) {
    return Lowering(filter, desc).lower();
}

} // namespace gz
