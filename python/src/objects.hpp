// The classes that Python sees: engines, arrays on the device, plans and metrics.
#pragma once

#include <functional>
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
    nb::object recipe;       // the constructor's name and arguments
    nb::object key;          // the same as bytes, once they are asked for
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

// The dtype and the shape of a plan's arrays.
struct ImageOf {
    gauze::Type type;
    Shape shape;
};
// image: an array, or a shape.
ImageOf image_of(nb::handle image, nb::object dtype);

// "float32 (40, 56)"
std::string described(gauze::Type type, const Shape &shape);
// Refuses arrays of another type or shape than the plan's. name: the argument's.
void check_array(const char *name, gauze::Type type, const Shape &shape, gauze::Type wanted_type,
                 const Shape &wanted_shape);
// The targets that were given, or new ones: one, or a list of a bank's.
std::vector<nb::object> targets_of(const Filter &filter, nb::handle out,
                                   const std::function<nb::object()> &make);
nb::object result_of(const Filter &filter, const std::vector<nb::object> &targets);

void add_filters(nb::module_ &module);
void add_arrays(nb::module_ &module, nb::class_<Engine> &engine);
void add_plans(nb::module_ &module, nb::class_<Engine> &engine);
void add_calls(nb::module_ &module);
void add_fleets(nb::module_ &module);
void add_metrics(nb::module_ &module, nb::class_<Engine> &engine);

} // namespace gzpy
