// Filters from their descriptions: see gauze.h.
#include <gauze/gauze.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"

namespace {

using gz::axes_of;
using gz::check_handle;
using gz::check_pointer;
using gz::guarded;
using gz::known_part;
using gz::require;

gz::Taps taps_of(const gauze_taps *given) {
    const gauze_taps taps = known_part(given, "taps");
    check_pointer(taps.values, "taps->values");
    gz::Taps result;
    std::int64_t count = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        result.size[i] = i >= 2 && taps.size[i] == 0 ? 1 : taps.size[i];
        result.anchor[i] = taps.has_anchor ? taps.anchor[i] : result.size[i] / 2;
        require(result.size[i] >= 1 && result.size[i] <= INT32_MAX / count, "taps->size[", i,
                "] is ", taps.size[i], "; at least 1 and fewer than 2^31 taps in all are possible");
        count *= result.size[i];
    }
    result.values.assign(taps.values, taps.values + count);
    return result;
}

gz::AxisTaps axis_taps_of(const gauze_separable_taps *given) {
    const gauze_separable_taps taps = known_part(given, "taps");
    gz::AxisTaps result;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t count = taps.count[i];
        require(count >= 0 && count <= gz::max_axis_taps, "taps->count[", i, "] is ", count,
                "; it must be from 0 to ", gz::max_axis_taps);
        require(count == 0 || taps.values[i] != nullptr, "taps->values[", i, "] is null");
        if (count > 0)
            result.values[i].assign(taps.values[i], taps.values[i] + count);
    }
    if (taps.has_anchor)
        result.anchor = axes_of(taps.anchor);
    return result;
}

gz::GaussianMethod method_of(gauze_gaussian_method method, const char *name) {
    require(method >= GAUZE_GAUSSIAN_AUTO && method <= GAUZE_GAUSSIAN_BOX, name, "->method is ",
            method, ", which is no method");
    return static_cast<gz::GaussianMethod>(method);
}

gz::Gaussian gaussian_of(const gauze_gaussian *given) {
    const gauze_gaussian gaussian = known_part(given, "gaussian");
    gz::Gaussian result;
    result.method = method_of(gaussian.method, "gaussian");
    for (std::size_t i = 0; i < 4; ++i) {
        result.sigma[i] = gaussian.sigma[i];
        result.derivative[i] = gaussian.derivative[i];
    }
    if (gaussian.truncate != 0.0)
        result.truncate = gaussian.truncate;
    if (gaussian.accuracy != 0.0)
        result.accuracy = gaussian.accuracy;
    return result;
}

gz::Box box_of(const gauze_box *given) {
    const gauze_box box = known_part(given, "box");
    require(box.iterations <= static_cast<std::uint32_t>(gz::max_box_iterations),
            "box->iterations is ", box.iterations, "; it must be from 0 to ",
            gz::max_box_iterations);
    return {axes_of(box.radius), box.iterations == 0 ? 1 : static_cast<int>(box.iterations)};
}

// Returns the number of places of a window that has a number for each of them.
std::int64_t count_of_places(const gz::Axes &size) {
    std::int64_t count = 1;
    for (const std::int64_t side : size) {
        require(side <= gz::max_rank_pixels / count, "the window has more than ",
                gz::max_rank_pixels, " places");
        count *= side;
    }
    return count;
}

gz::Window window_of(const gauze_window *given) {
    const gauze_window window = known_part(given, "window");
    gz::Window result;
    for (std::size_t i = 0; i < 4; ++i) {
        result.size[i] = window.size[i] == 0 ? 1 : window.size[i];
        result.anchor[i] = window.has_anchor ? window.anchor[i] : result.size[i] / 2;
        require(result.size[i] >= 1 && result.size[i] <= gz::max_window_side, "window->size[", i,
                "] is ", window.size[i], "; it must be from 0 to ", gz::max_window_side);
    }
    if (window.footprint)
        result.footprint.assign(window.footprint, window.footprint + count_of_places(result.size));
    return result;
}

gz::Filter morphology_of(const gauze_morphology *given) {
    const gauze_morphology morphology = known_part(given, "morphology");
    require(morphology.operation >= GAUZE_MORPHOLOGY_ERODE &&
                morphology.operation <= GAUZE_MORPHOLOGY_LAPLACE,
            "morphology->operation is ", morphology.operation, ", which is no operation");
    require(morphology.iterations <= static_cast<std::uint32_t>(gz::max_morphology_iterations),
            "morphology->iterations is ", morphology.iterations, "; it must be from 0 to ",
            gz::max_morphology_iterations);
    check_pointer(morphology.window, "morphology->window");
    const gz::Window window = window_of(morphology.window);
    std::vector<float> weights;
    if (morphology.weights)
        weights.assign(morphology.weights, morphology.weights + count_of_places(window.size));
    return gz::morphology(static_cast<gz::MorphologyOperation>(morphology.operation), window,
                          weights,
                          morphology.iterations == 0 ? 1 : static_cast<int>(morphology.iterations));
}

gz::Filter bilateral_of(const gauze_bilateral *given) {
    const gauze_bilateral bilateral = known_part(given, "bilateral");
    std::array<std::int64_t, 3> radius{};
    for (std::size_t i = 0; i < radius.size(); ++i) {
        require(bilateral.radius[i] >= -1, "bilateral->radius[", i, "] is ", bilateral.radius[i],
                "; it must be from -1 to ", gz::max_bilateral_radius);
        radius[i] = bilateral.radius[i] == -1 ? gz::bilateral_radius(bilateral.sigma_space)
                                              : bilateral.radius[i];
    }
    return gz::bilateral(bilateral.sigma_space, bilateral.sigma_range, radius, bilateral.accuracy);
}

gz::Filter nlm_of(const gauze_nlm *given) {
    const gauze_nlm nlm = known_part(given, "nlm");
    gz::NonLocalMeans wanted;
    if (nlm.patch != 0)
        wanted.patch = nlm.patch;
    if (nlm.window != 0)
        wanted.window = nlm.window;
    wanted.strength = nlm.strength;
    wanted.accuracy = nlm.accuracy;
    return gz::non_local_means(wanted);
}

gz::Filter guided_of(const gauze_guided *given) {
    const gauze_guided guided = known_part(given, "guided");
    require(guided.guide >= GAUZE_GUIDE_CHANNELS && guided.guide <= GAUZE_GUIDE_IMAGE,
            "guided->guide is ", guided.guide, ", which is no guide");
    return checked(gz::Guided{guided.radius, guided.epsilon, static_cast<gz::Guide>(guided.guide)});
}

std::vector<double> terms_of(const double *terms, std::uint32_t count, std::size_t most,
                             const std::string &name) {
    require(count <= most, name, "_count is ", count, "; it must be ", most, " at most");
    require(count == 0 || terms != nullptr, name, " is null");
    return terms ? std::vector<double>(terms, terms + count) : std::vector<double>();
}

gz::Scan scan_of(const gauze_scan *given, const std::string &name) {
    const gauze_scan scan = known_part(given, name);
    require(scan.direction == 1 || scan.direction == -1, name, "->direction is ", scan.direction,
            "; it must be 1 or -1");
    return {scan.axis, scan.direction == 1,
            terms_of(scan.feedforward, scan.feedforward_count, gz::max_feedforward,
                     name + "->feedforward"),
            terms_of(scan.feedback, scan.feedback_count, gz::max_feedback, name + "->feedback")};
}

// A field that is 0 or 1.
bool flag_of(std::int32_t value, const char *name) {
    require(value == 0 || value == 1, name, " is ", value, "; it must be 0 or 1");
    return value == 1;
}

gz::Phase phase_of(std::int32_t zero_phase, const char *name) {
    return flag_of(zero_phase, name) ? gz::Phase::zero : gz::Phase::as_written;
}

gz::Filter recursive_of(const gauze_recursive *given) {
    const gauze_recursive recursive = known_part(given, "recursive");
    require(recursive.scan_count <= gz::max_scans, "recursive->scan_count is ",
            recursive.scan_count, "; it must be from 1 to ", gz::max_scans);
    require(recursive.scan_count == 0 || recursive.scans != nullptr, "recursive->scans is null");
    gz::RecursiveOptions options;
    options.grouping = recursive.grouping ? recursive.grouping : "";
    options.tile = recursive.tile;
    if (flag_of(recursive.allow_unstable, "recursive->allow_unstable"))
        options.feedback = gz::Feedback::unchecked;
    options.phase = phase_of(recursive.zero_phase, "recursive->zero_phase");
    options.accuracy = recursive.accuracy;
    std::vector<gz::Scan> scans;
    for (std::uint32_t i = 0; i < recursive.scan_count; ++i) {
        const std::string name = "recursive->scans[" + std::to_string(i) + "]";
        const gauze_scan *const scan = gz::element(recursive.scans, i);
        require(scan->struct_size == recursive.scans->struct_size, name, "->struct_size is ",
                scan->struct_size, "; that of the first is ", recursive.scans->struct_size);
        scans.push_back(scan_of(scan, name));
    }
    return gz::Filter::recursive(std::move(scans), options);
}

gz::Filter sections_of(const gauze_sections *given) {
    const gauze_sections sections = known_part(given, "sections");
    require(sections.section_count <= gz::max_scans, "sections->section_count is ",
            sections.section_count, "; it must be from 1 to ", gz::max_scans);
    require(sections.section_count == 0 || sections.rows != nullptr, "sections->rows is null");
    gz::Sections result;
    result.rows.resize(sections.section_count);
    for (std::size_t i = 0; i < result.rows.size(); ++i)
        std::copy_n(sections.rows + i * result.rows[i].size(), result.rows[i].size(),
                    result.rows[i].begin());
    std::copy_n(sections.direction, result.direction.size(), result.direction.begin());
    gz::RecursiveOptions options;
    options.tile = sections.tile;
    options.phase = phase_of(sections.zero_phase, "sections->zero_phase");
    options.accuracy = sections.accuracy;
    return gz::Filter::sections(result, options);
}

gz::Filter dog_of(const gauze_dog *given) {
    const gauze_dog dog = known_part(given, "dog");
    return gz::Filter::dog(dog.sigma[0], dog.sigma[1], method_of(dog.method, "dog"));
}

gz::Filter derivative_of(const gauze_derivative *given) {
    const gauze_derivative derivative = known_part(given, "derivative");
    require(derivative.method >= GAUZE_DERIVATIVE_CENTRAL &&
                derivative.method <= GAUZE_DERIVATIVE_GAUSSIAN,
            "derivative->method is ", derivative.method, ", which is no method");
    require(derivative.result >= GAUZE_DERIVATIVE_FIRST &&
                derivative.result <= GAUZE_DERIVATIVE_STRUCTURE,
            "derivative->result is ", derivative.result, ", which is no result");
    gz::DerivativeRequest request;
    request.method = static_cast<gz::DerivativeMethod>(derivative.method);
    request.result = static_cast<gz::DerivativeResult>(derivative.result);
    if (derivative.dimensions != 0)
        request.dimensions = derivative.dimensions;
    request.axes = {derivative.axis[0], derivative.axis[1]};
    if (derivative.method == GAUZE_DERIVATIVE_GAUSSIAN) {
        check_pointer(derivative.gaussian, "derivative->gaussian");
        request.gaussian = gaussian_of(derivative.gaussian);
    }
    if (derivative.result == GAUZE_DERIVATIVE_STRUCTURE) {
        check_pointer(derivative.smoothing, "derivative->smoothing");
        request.smoothing = gaussian_of(derivative.smoothing);
    }
    return gz::Filter::derivative(request);
}

gz::Filter local_of(const gauze_local *given) {
    const gauze_local local = known_part(given, "local");
    require(local.result >= GAUZE_LOCAL_UNSHARP && local.result <= GAUZE_LOCAL_NORMALIZED,
            "local->result is ", local.result, ", which is no result");
    require((local.gaussian != nullptr) != (local.box != nullptr),
            "local->gaussian and local->box are ", local.box ? "both given" : "both null",
            "; the mean is of one of them");
    gz::Filter mean = local.gaussian ? gz::Filter::gaussian(gaussian_of(local.gaussian))
                                     : gz::Filter::box(box_of(local.box));
    if (local.gaussian)
        for (std::size_t i = 0; i < 4; ++i)
            require(local.gaussian->derivative[i] == 0, "local->gaussian->derivative[", i, "] is ",
                    local.gaussian->derivative[i], "; means have no derivatives");
    gz::Local result{static_cast<gz::LocalResult>(local.result), {std::move(mean)}};
    result.amount = local.amount;
    result.threshold = local.threshold;
    result.epsilon = local.epsilon;
    return gz::Filter::local(std::move(result));
}

template <class Make> gauze_status create_filter(gauze_filter **filter, Make &&make) {
    return guarded([&] {
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, make()};
    });
}

} // namespace

extern "C" {

gauze_status gauze_filter_correlate(const gauze_taps *taps, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::correlate(taps_of(taps)); });
}

gauze_status gauze_filter_convolve(const gauze_taps *taps, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::convolve(taps_of(taps)); });
}

gauze_status gauze_filter_separable(const gauze_separable_taps *taps, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::separable(axis_taps_of(taps)); });
}

gauze_status gauze_filter_gaussian(const gauze_gaussian *gaussian, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::gaussian(gaussian_of(gaussian)); });
}

gauze_status gauze_filter_box(const gauze_box *box, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::box(box_of(box)); });
}

gauze_status gauze_filter_minimum(const gauze_window *window, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter(gz::minimum(window_of(window))); });
}

gauze_status gauze_filter_maximum(const gauze_window *window, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter(gz::maximum(window_of(window))); });
}

gauze_status gauze_filter_median(const gauze_window *window, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter(gz::median(window_of(window))); });
}

gauze_status gauze_filter_percentile(const gauze_window *window, double percent,
                                     gauze_filter **filter) {
    return create_filter(filter,
                         [&] { return gz::Filter(gz::percentile(window_of(window), percent)); });
}

gauze_status gauze_filter_rank(const gauze_window *window, int64_t rank, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter(gz::ranked(window_of(window), rank)); });
}

gauze_status gauze_filter_bilateral(const gauze_bilateral *bilateral, gauze_filter **filter) {
    return create_filter(filter, [&] { return bilateral_of(bilateral); });
}

gauze_status gauze_filter_guided(const gauze_guided *guided, gauze_filter **filter) {
    return create_filter(filter, [&] { return guided_of(guided); });
}

gauze_status gauze_filter_nlm(const gauze_nlm *nlm, gauze_filter **filter) {
    return create_filter(filter, [&] { return nlm_of(nlm); });
}

gauze_status gauze_filter_morphology(const gauze_morphology *morphology, gauze_filter **filter) {
    return create_filter(filter, [&] { return morphology_of(morphology); });
}

gauze_status gauze_filter_recursive(const gauze_recursive *recursive, gauze_filter **filter) {
    return create_filter(filter, [&] { return recursive_of(recursive); });
}

gauze_status gauze_filter_sections(const gauze_sections *sections, gauze_filter **filter) {
    return create_filter(filter, [&] { return sections_of(sections); });
}

gauze_status gauze_filter_sat(gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::sat(); });
}

gauze_status gauze_filter_bspline(int32_t order, gauze_filter **filter) {
    return create_filter(filter, [&] { return gz::Filter::bspline(order); });
}

gauze_status gauze_filter_dog(const gauze_dog *dog, gauze_filter **filter) {
    return create_filter(filter, [&] { return dog_of(dog); });
}

gauze_status gauze_filter_derivative(const gauze_derivative *derivative, gauze_filter **filter) {
    return create_filter(filter, [&] { return derivative_of(derivative); });
}

gauze_status gauze_filter_local(const gauze_local *local, gauze_filter **filter) {
    return create_filter(filter, [&] { return local_of(local); });
}

gauze_status gauze_filter_with_component(const gauze_filter *base, uint32_t component,
                                         const gauze_filter *other, gauze_filter **filter) {
    return guarded([&] {
        check_handle(base, "base");
        check_handle(other, "other");
        check_pointer(filter, "filter");
        *filter = new gauze_filter{{}, base->filter.with_component(component, other->filter)};
    });
}

gauze_status gauze_filter_bank(const gauze_filter *const *filters, uint32_t count,
                               gauze_filter **filter) {
    return guarded([&] {
        check_pointer(filters, "filters");
        check_pointer(filter, "filter");
        require(count >= 1 && count <= gz::max_bank, "count is ", count, "; it must be from 1 to ",
                gz::max_bank);
        std::vector<gz::Filter> all;
        for (std::uint32_t i = 0; i < count; ++i) {
            check_handle(filters[i], "filters[i]");
            all.push_back(filters[i]->filter);
        }
        *filter = new gauze_filter{{}, gz::Filter::bank(std::move(all))};
    });
}

gauze_status gauze_filter_reach(const gauze_filter *filter, double accuracy, int64_t *reach) {
    return guarded([&] {
        check_handle(filter, "filter");
        check_pointer(reach, "reach");
        require(accuracy >= 0.0 && std::isfinite(accuracy), "the accuracy is ", accuracy,
                "; it must be 0 or more, and finite");
        const gz::AxesReach result = filter->filter.reach_within(accuracy);
        for (std::size_t i = 0; i < 4; ++i)
            reach[i] = result[i].is_whole ? GAUZE_REACH_WHOLE
                                          : std::max(result[i].before, result[i].after);
    });
}

void gauze_filter_destroy(gauze_filter *filter) {
    gz::destroy(filter);
}

} // extern "C"
