// How a candidate runs beside what would be chosen, in the worker of `gauze tune` and in `gauze bench`.
#ifndef GAUZE_TOOLS_TUNE_CONTEST_HPP
#define GAUZE_TOOLS_TUNE_CONTEST_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

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

// Runs a candidate beside the baseline as often as it is worth. compare(repeats) returns their Comparison.
template <class Compare> Comparison compare_as_often(Compare compare, double best_ratio) {
    Comparison found = compare(1U);
    if (found.ratio < slow_candidate * best_ratio)
        found = compare(repeats_for(found.time_ms + found.baseline_ms));
    return found;
}

// Estimates how long a plan's filter takes of a whole source, whose pixels these are, by the wall clock and a plan of a part: a
// right but slow candidate must not be taken for hung. from, to: the part's images.
inline double estimated_seconds(const Engine &engine, const Plan &part, const ImageDesc &from,
                                const ImageDesc &to, const std::vector<std::byte> &pixels) {
    Image source = engine.image(from);
    Image target = engine.image(to);
    source.write(pixels.data(), from.bytes());
    std::vector<std::byte> result(to.bytes());
    double seconds = 0;
    for (int i = 0; i < 2; ++i) { // the first is compiled
        const auto begin = std::chrono::steady_clock::now();
        part.enqueue(nullptr, source.mem(), target.mem());
        target.read(result.data(), result.size());
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return seconds * static_cast<double>(pixels.size()) / static_cast<double>(from.bytes());
}

// Returns a plan's result, of so many bytes, in a target whose old bytes cannot be right by chance.
inline std::vector<std::byte> result_of(const Plan &plan, const Image &source, Image &target,
                                        std::size_t bytes) {
    std::vector<std::byte> result(bytes, std::byte{0x5a});
    target.write(result.data(), result.size());
    plan.enqueue(nullptr, source.mem(), target.mem());
    target.read(result.data(), result.size());
    return result;
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
