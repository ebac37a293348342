// The results of `gauze bench` as a table and as a plot.
#ifndef GAUZE_TOOLS_BENCH_REPORT_HPP
#define GAUZE_TOOLS_BENCH_REPORT_HPP

#include <string>
#include <vector>

#include "bench_measurement.hpp"
#include "svg_plot.hpp"

namespace gauze::tool {

enum class Verdict { right, wrong };

// A row's own measurement and those of other libraries. A wrong result has no time.
struct BenchResult {
    Measurement own;
    std::vector<Measurement> peers; // at most one of each platform
    double bytes = 0;               // read and written, at least
    unsigned repeats = 0;           // runs; times are their medians
    Verdict verdict = Verdict::right;
};

struct BenchReport {
    std::string device, platform;
    std::string image;  // "16384x16384 f32, 1 channel"
    std::string signal; // the input of signal rows, if there are any
    std::string volume; // the input of volume rows
    bool device_time_is_wall = false;
    int checked_windows = 0;          // windows of each result that are compared with the reference
    std::vector<BenchResult> results; // at least one
};

// A GitHub Markdown table, its columns aligned, between a line about the device and lines about
// what the columns mean.
std::string table_of(const BenchReport &report);

// A table of a row's ratio to copy in each of several images of the same rows, one report each.
std::string table_of_sizes(const std::vector<BenchReport> &reports);

// Ratio to copy over radius; peers dashed.
Plot plot_of(const BenchReport &report);

// Returns the measurements whose results are right, row by row: ours, then the peers'.
std::vector<Measurement> measurements_of(const BenchReport &report);

} // namespace gauze::tool

#endif
