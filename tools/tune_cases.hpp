// The cases of `gauze tune`: a filter of each class of problems that results are kept for.
#ifndef GAUZE_TOOLS_TUNE_CASES_HPP
#define GAUZE_TOOLS_TUNE_CASES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "arguments.hpp"
#include "bench_rows.hpp"

namespace gauze::tool {

enum class TuneSize { large, medium, small };

// The pixel types of the cases.
enum class TunedTypes { all, floats, encoded };

struct TuneCase {
    std::string filter;                             // as the command names it
    std::string name;                               // "separable radius 3"
    std::function<gauze::Filter(gauze::Type)> make; // for sources of a type; empty: SSIMULACRA 2
    // The row gives the border, the type of results and the reach.
    BenchRow row;
    TunedTypes types = TunedTypes::all;
    int channels = 1;
    // The filter by one of its methods, where methods are compared and not kernels.
    std::function<gauze::Filter(const std::string &method)> make_by{};

    bool is_metric() const { return !make; }
    bool compares_methods() const { return static_cast<bool>(make_by); }
    // Returns the filter that a candidate runs, and the variant that forces the candidate's kernel.
    gauze::Filter filter_of(const std::string &candidate, gauze::Type type) const {
        return compares_methods() ? make_by(candidate) : make(type);
    }
    std::string variant_of(const std::string &candidate) const {
        return compares_methods() ? "" : candidate;
    }
    bool takes(gauze::Type type) const;
    // Returns the pixels along each axis of the image that the case is tuned on, and then of about the smallest and the
    // largest one of its class that the device has room for.
    std::vector<std::int64_t> sides(gauze::Type type, TuneSize size,
                                    const gauze::DeviceInfo &device) const;
    gauze::ImageDesc source(gauze::Type type, std::int64_t side) const;
    gauze::ImageDesc target(const gauze::ImageDesc &source) const;
    // Returns a small image of the kind, whose time predicts that of others.
    gauze::ImageDesc part(gauze::Type type) const;

private:
    // Returns an image of so many pixels along each axis, or a line of as many pixels as such an image, with the
    // case's channels.
    gauze::ImageDesc cube(gauze::Type type, std::int64_t side) const;
};

// A problem of a case, on an image of a size: one of those that have a class's results.
struct TuneSample {
    std::size_t index = 0; // index in tune_cases()
    std::int64_t side = 0;
    std::size_t number = 0, count = 1; // which of the plan's problems, and how many it has

    // Returns the variant that forces a candidate: in a plan of several passes the others are left to the
    // library. A method stands for itself.
    std::string variant(const std::string &candidate) const {
        return variant_of_part(candidate, number, count);
    }
};

// Returns all cases, in the order in which they are measured.
const std::vector<TuneCase> &tune_cases();

// Returns the filters that have cases.
std::vector<std::string> tuned_filters();

const char *name_of(TuneSize size);
// Throws InputError.
TuneSize parse_tune_size(const std::string &text);

} // namespace gauze::tool

#endif
