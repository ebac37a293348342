// gauze.Plan: a filter for arrays of one shape and dtype on one engine.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "objects.hpp"

namespace gzpy {

// A C++ plan is for one layout of its images. This one makes another when arrays of other strides come.
struct Plan {
    std::shared_ptr<Engine> engine;
    Filter filter;
    Axes axes;
    gauze::PlanOptions options;
    gauze::Type type, out_type;
    Shape shape, out_shape;
    gauze::ImageDesc source, target; // of contiguous arrays
    std::shared_ptr<gauze::Plan> contiguous;
    bool writes_all;            // a region may leave pixels of the target alone
    nb::object empty_arguments; // what numpy.empty() takes for a target: the shape and the dtype
    bool aligns_results;        // new targets begin where lines of a CPU's cache do

    struct Layout {
        gauze::ImageDesc source;
        std::vector<gauze::ImageDesc> targets;
        std::shared_ptr<gauze::Plan> plan;
    };
    std::mutex mutex; // taken without the interpreter's lock alone
    std::vector<Layout> layouts;

    // The second source of a guided filter, contiguous.
    struct Guide {
        gauze::Type type;
        Shape shape;
        gauze::ImageDesc desc;
    };
    std::optional<Guide> guide;
};

// How a run on NumPy arrays goes: see gauze.RunOptions.
struct HostRun {
    nb::object progress = nb::none();
    std::uint64_t max_device_bytes = 0;
    nb::object guide = nb::none();
};

// Filters arrays of NumPy's. source: that of `src`. out: None, an array, or a list of a bank's.
nb::object run_on_host(Plan &self, nb::handle src, const HostArray &source, nb::handle out,
                       HostRun run);
// Enqueues the filter of an array on the device. out: as of run_on_host(). guide: None, or an array there too.
nb::object enqueue(Plan &self, const Array &source, nb::handle out, nb::handle guide = nb::none());

} // namespace gzpy
