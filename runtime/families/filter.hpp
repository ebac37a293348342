// Filters: what to compute. Immutable values that know nothing of OpenCL.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "families/bank/bank.hpp"
#include "families/box/box.hpp"
#include "families/correlate/correlate.hpp"
#include "families/derivative/derivative.hpp"
#include "families/difference/difference.hpp"
#include "families/edge/edge.hpp"
#include "families/edge/nlm.hpp"
#include "families/gaussian/gaussian.hpp"
#include "families/guided/guided.hpp"
#include "families/local/local.hpp"
#include "families/morphology/morphology.hpp"
#include "families/rank/rank.hpp"
#include "families/recursive/recursion.hpp"
#include "families/sat/sat.hpp"

namespace gz {

class Filter {
public:
    // The one list of the families' descriptions.
    using Description =
        std::variant<Correlate, Box, Recursion, Gaussian, Sat, RankFilter, Morphology, Bilateral,
                     NonLocalMeans, Guided, Difference, Derivative, Local, Bank>;

    // Holds a description that its family has checked.
    template <class D>
    requires(!std::is_same_v<std::decay_t<D>, Filter>) Filter(D description)
        : description_(std::make_shared<const Description>(std::move(description))) {}

    static Filter correlate(Taps taps) { return gz::correlate(std::move(taps)); }
    static Filter convolve(Taps taps) { return gz::convolve(std::move(taps)); }
    static Filter separable(const AxisTaps &taps) { return gz::separable(taps); }
    // An automatic Gaussian is of the family Gaussian until a plan settles its method.
    static Filter gaussian(const Gaussian &gaussian);
    static Filter box(const Box &box) { return checked(box); }
    static Filter recursive(std::vector<Scan> scans, const RecursiveOptions &options = {}) {
        return gz::recursive(std::move(scans), options);
    }
    static Filter sections(const Sections &sections, const RecursiveOptions &options = {}) {
        return gz::sections(sections, options);
    }
    static Filter bspline(int order) { return gz::bspline(order); }
    static Filter sat() { return Sat(); }
    static Filter dog(double sigma, double other_sigma,
                      GaussianMethod method = GaussianMethod::automatic) {
        return gz::dog(sigma, other_sigma, method);
    }
    // The first filter less the second.
    static Filter difference(Filter first, Filter second) {
        return Difference{{std::move(first), std::move(second)}};
    }
    static Filter derivative(const DerivativeRequest &request) { return gz::derivative(request); }
    static Filter local(Local local) { return checked(std::move(local)); }
    static Filter bank(std::vector<Filter> filters) { return checked(Bank{std::move(filters)}); }
    // This filter, which has taps, but with the taps of `other` for one component: channel c of plane p of an
    // image with n channels is component p n + c. Gaussians among them are computed by taps.
    Filter with_component(std::int64_t component, const Filter &other) const;

    const Description &description() const { return *description_; }
    template <class D> bool is() const { return std::holds_alternative<D>(*description_); }
    // The description, or nullptr where the filter is of another family.
    template <class D> const D *get_if() const { return std::get_if<D>(description_.get()); }
    // The description of a filter that is known to be of the family.
    template <class D> const D &get() const { return std::get<D>(*description_); }

    // The number of sources of its plans: the image, and a guide where the filter has one.
    std::size_t source_count() const;
    // The number of targets of its plans, and the filter that computes one of them.
    std::size_t target_count() const;
    const Filter &for_target(std::size_t i) const;

    // These call the family's functions: see description.hpp.
    void check_border(const Border &border) const;
    double error_bound(double largest) const;
    double rounding_bound(double largest) const;
    AxesReach reach() const;
    // The same, but with recursive filters cut where what is further away changes a result by no more than
    // `accuracy`, times the range of the pixels. A Gaussian that leaves its method open has the reach of all methods.
    AxesReach reach_within(double accuracy) const;
    bool rounds_once(const Rounded &images) const;
    Results results() const;
    void compute(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink) const;

private:
    std::shared_ptr<const Description> description_;
};

// "correlate 3x5 taps, as a correlation anchored at (1, 2), separable"
std::string to_text(const Filter &filter);

} // namespace gz
