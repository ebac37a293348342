// How a candidate runs beside what would be chosen, in the worker of `gauze tune` and in `gauze bench`.
#ifndef GAUZE_TOOLS_TUNE_CONTEST_HPP
#define GAUZE_TOOLS_TUNE_CONTEST_HPP

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <gauze/gauze.hpp>

#include "arguments.hpp"

namespace gauze::tool {

// Says what is wrong with a result.
class WrongResult : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class TooSlow : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Whether an error says that the library cannot do what was asked for, not that it failed.
inline bool is_refusal(const Error &error) {
    return error.status() == GAUZE_ERROR_UNSUPPORTED ||
           error.status() == GAUZE_ERROR_INVALID_ARGUMENT ||
           error.status() == GAUZE_ERROR_OUT_OF_MEMORY;
}

// One case, with its default as the baseline.
class Contest {
public:
    virtual ~Contest() = default;

    // Measures a candidate. One that is faster than `best_ratio`, of the baseline's time, is checked on the
    // whole input too. Throws WrongResult, and TooSlow where it would take minutes.
    virtual Comparison compare(const std::string &candidate, double best_ratio) = 0;
};

// One run is enough for candidates slower than this, over the best ratio.
inline constexpr double slow_candidate = 1.3;

// Returns how many runs take about wanted_ms together, within limits.
inline unsigned repeats_for(double pair_ms) {
    constexpr double wanted_ms = 400;
    constexpr double least = 5;
    constexpr double most = 31;
    return static_cast<unsigned>(std::clamp(wanted_ms / std::max(pair_ms, 1e-3), least, most));
}

// seconds: estimated, of a candidate and of the baseline.
inline void check_speed(double seconds, double baseline_seconds) {
    constexpr double most_seconds = 10;
    constexpr double hopeless = 20; // times as slow as the default
    if (seconds > most_seconds || (seconds > 1 && seconds > hopeless * baseline_seconds))
        throw TooSlow("it would take about " + text_of(std::round(seconds)) + " s");
}

} // namespace gauze::tool

#endif
