// What `gauze tune` measures: a filter of each class of problems that results are kept for.
#ifndef GAUZE_TOOLS_TUNE_CASES_HPP
#define GAUZE_TOOLS_TUNE_CASES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "bench_rows.hpp"

namespace gauze::tool {

enum class TuneSize { large, medium, small };

// The pixel types that there are cases of.
enum class TunedTypes { all, floats, encoded };

struct TuneCase {
    std::string filter;                  // as the command names it
    std::string name;                    // "separable radius 3"
    std::function<gauze::Filter()> make; // none: SSIMULACRA 2
    // For its border, its results' type and how far it reaches.
    BenchRow row;
    TunedTypes types = TunedTypes::all;

    bool is_metric() const { return !make; }
    bool takes(gauze::Type type) const;
    gauze::ImageDesc source(gauze::Type type, TuneSize size, const gauze::DeviceInfo &device) const;
    gauze::ImageDesc target(const gauze::ImageDesc &source) const;
    // A small image of the kind, whose time says about what others take.
    gauze::ImageDesc part(gauze::Type type) const;

private:
    // So many pixels along each axis, or a line of as many as such an image.
    gauze::ImageDesc cube(gauze::Type type, std::int64_t side) const;
};

// In the order in which they are measured.
const std::vector<TuneCase> &tune_cases();

// The filters that there are cases of.
std::vector<std::string> tuned_filters();

const char *name_of(TuneSize size);
// Throws InputError.
TuneSize parse_tune_size(const std::string &text);

} // namespace gauze::tool

#endif
