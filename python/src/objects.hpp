// The classes that Python sees: engines, arrays on the device, plans and metrics.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "convert.hpp"

namespace gzpy {

// An engine, and the callback that its log goes to.
struct Engine {
    nb::object log; // destroyed after the engine
    std::optional<gauze::Engine> engine;
};

struct Filter {
    gauze::Filter filter;
    std::string text;        // how it was made
    std::size_t targets = 1; // several of a bank
};

// A contiguous array on the device.
struct Array {
    std::shared_ptr<Engine> engine;
    std::shared_ptr<gauze::Image> image;
    gauze::Type type = gauze::Type::f32;
    Shape shape;
    std::shared_ptr<void> keeper; // of memory that another library lent

    std::size_t bytes() const {
        return static_cast<std::size_t>(count_of(shape)) * gauze::size_of(type);
    }
};

// A new array with undefined pixels.
Array make_array(const std::shared_ptr<Engine> &engine, const Shape &shape, gauze::Type type);

void add_filters(nb::module_ &module);
void add_arrays(nb::module_ &module, nb::class_<Engine> &engine);
void add_plans(nb::module_ &module, nb::class_<Engine> &engine);
void add_metrics(nb::module_ &module, nb::class_<Engine> &engine);

} // namespace gzpy
