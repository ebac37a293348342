#include "bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "arguments.hpp"

namespace gauze::tool {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char *format, double value) {
    if (!std::isfinite(value))
        return "-";
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// Writes at least three significant digits.
std::string milliseconds(double ms) {
    return number(ms >= 100 ? "%.0f" : ms >= 10 ? "%.1f" : ms >= 1 ? "%.2f" : "%.3f", ms);
}

// "correlate_tiled:GROUP_X=16; copy" -> "correlate_tiled, copy"; kernels that follow one of their
// own kind are not repeated.
std::string kernel_names(const std::string &variant) {
    std::string names;
    std::string last;
    for (const std::string &part : parts_of_variant(variant)) {
        const std::string name = part.substr(0, part.find(':'));
        if (name != last)
            names += (names.empty() ? "" : ", ") + name;
        last = name;
    }
    return names;
}

// The median of the copies that move as many bytes as the first row's.
double median_copy_ms(const BenchReport &report) {
    std::vector<double> copies;
    for (const BenchResult &result : report.results)
        if (result.bytes == report.results.front().bytes)
            copies.push_back(result.own.copy_ms);
    return median(copies);
}

std::string device_text(const BenchReport &report) {
    return report.device + " (" + report.platform + ")";
}

// "15", or "5 to 15" where rows differ.
std::string repeats_text(const BenchReport &report) {
    const auto [least, most] =
        std::ranges::minmax_element(report.results, {}, &BenchResult::repeats);
    const std::string text = std::to_string(most->repeats);
    return least->repeats == most->repeats ? text : std::to_string(least->repeats) + " to " + text;
}

std::string image_text(const BenchReport &report) {
    const double copy = median_copy_ms(report);
    const BenchInput input = report.results.front().own.row.input;
    return (input == BenchInput::image    ? report.image
            : input == BenchInput::signal ? report.signal
                                          : report.volume) +
           "; copy " + milliseconds(copy) + " ms, " +
           number("%.0f", report.results.front().bytes / copy * 1e-6) + " GB/s; medians of " +
           repeats_text(report);
}

// The platforms of peers, in the order in which they first appear.
Cells peer_platforms(const BenchReport &report) {
    Cells platforms;
    for (const BenchResult &result : report.results)
        for (const Measurement &peer : result.peers)
            if (std::ranges::find(platforms, peer.platform) == platforms.end())
                platforms.push_back(peer.platform);
    return platforms;
}

std::string peer_cell(const BenchResult &result, const std::string &platform) {
    for (const Measurement &peer : result.peers)
        if (peer.platform == platform)
            return milliseconds(peer.wall_ms) + " (" +
                   number("%.2f", peer.wall_ms / result.own.wall_ms) + ")";
    return "-";
}

Cells cells_of(const BenchResult &result, const Cells &platforms) {
    const Measurement &own = result.own;
    Cells cells{own.row.filter, params_text(own.row)};
    if (result.verdict == Verdict::wrong) {
        cells.insert(cells.end(), {"wrong", "-", "-"});
        cells.insert(cells.end(), platforms.size(), "-");
    } else {
        cells.insert(cells.end(), {milliseconds(own.time_ms), number("%.2f", own.ratio_to_copy()),
                                   number("%.0f", own.mpix_per_s())});
        for (const std::string &platform : platforms)
            cells.push_back(peer_cell(result, platform));
    }
    cells.push_back(std::to_string(own.launches));
    cells.push_back(kernel_names(own.variant));
    return cells;
}

// Columns of words are aligned to the left: the first two, and so many at the end. Those of numbers to the right.
std::string table_lines(const std::vector<Cells> &rows, std::size_t last_words) {
    const std::size_t columns = rows.front().size();
    const auto is_number_column = [&](std::size_t column) {
        return column >= 2 && column + last_words < columns;
    };
    std::vector<std::size_t> widths(columns, 3);
    for (const Cells &row : rows)
        for (std::size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (std::size_t line = 0; line < rows.size(); ++line) {
        for (std::size_t i = 0; i < columns; ++i) {
            const std::string &cell = rows[line][i];
            const std::string space(widths[i] - cell.size(), ' ');
            text += "| " + (is_number_column(i) ? space + cell : cell + space) + " ";
        }
        text += "|\n";
        if (line > 0)
            continue;
        for (std::size_t i = 0; i < columns; ++i)
            text += is_number_column(i) ? "|-" + std::string(widths[i], '-') + ":"
                                        : "|:" + std::string(widths[i], '-') + "-";
        text += "|\n";
    }
    return text;
}

// A colour for each line of the standard rows.
std::size_t color_of(const BenchRow &row) {
    std::vector<std::string> lines;
    for (const BenchFamily &family : bench_families())
        for (const BenchRow &other : family.rows)
            if (std::ranges::find(lines, other.line) == lines.end() && !other.line.empty())
                lines.push_back(other.line);
    return static_cast<std::size_t>(std::ranges::find(lines, row.line) - lines.begin());
}

// The points of a line are either ours or a peer's.
PlotLine &line_of(Plot &plot, const Measurement &measurement, const std::string &name,
                  LineStyle style) {
    for (PlotLine &line : plot.lines)
        if (line.name == name)
            return line;
    plot.lines.push_back({name, color_of(measurement.row), style, {}});
    return plot.lines.back();
}

void add_point(PlotLine &line, const Measurement &measurement, double ratio) {
    if (std::isfinite(ratio) && ratio > 0)
        line.points.emplace_back(measurement.row.radius, ratio);
}

} // namespace

std::string table_of(const BenchReport &report) {
    const Cells platforms = peer_platforms(report);
    Cells head{"filter", "", "time, ms", "copies", "Mpixel/s"};
    for (const std::string &platform : platforms)
        head.push_back(platform + ", ms");
    head.insert(head.end(), {"launches", "kernels"});
    std::vector<Cells> rows{head};
    for (const BenchResult &result : report.results)
        rows.push_back(cells_of(result, platforms));

    std::string text =
        device_text(report) + ", " + image_text(report) + "\n\n" + table_lines(rows, 1) + "\n";
    text += report.device_time_is_wall
                ? "time: from call to completion, for the device's own clock cannot be trusted; "
                : "time: on the device; ";
    text += "copies: time over that of a plain copy of the same bytes, measured in turn.\n";
    const auto is_signal = [](const BenchResult &result) {
        return result.own.row.input == BenchInput::signal;
    };
    if (std::ranges::any_of(report.results, is_signal))
        text += "Rows of scans +x alone filter a signal: " + report.signal + ".\n";
    const auto is_volume = [](const BenchResult &result) {
        return result.own.row.filter == "volume";
    };
    if (std::ranges::any_of(report.results, is_volume))
        text += "Rows of volumes filter " + report.volume + ", or eight as large in all along t.\n";
    if (!platforms.empty())
        text +=
            "In parentheses: how many times as long as Gauze took, both from call to completion.\n";
    text += "Each result was compared with the double reference in " +
            std::to_string(report.checked_windows) + " windows.\n";
    return text;
}

std::string table_of_sizes(const std::vector<BenchReport> &reports) {
    std::vector<Cells> rows{{"filter", ""}, {"copy, ms", ""}};
    std::vector<std::string> names(rows.size()); // of rows
    for (std::size_t i = 0; i < reports.size(); ++i) {
        rows[0].push_back(reports[i].image);
        rows[1].push_back(milliseconds(median_copy_ms(reports[i])));
        for (const BenchResult &result : reports[i].results) {
            const BenchRow &row = result.own.row;
            const auto at =
                static_cast<std::size_t>(std::ranges::find(names, text_of(row)) - names.begin());
            if (at == names.size()) {
                names.push_back(text_of(row));
                rows.push_back({row.filter, params_text(row)});
            }
            rows[at].resize(2 + i, "-");
            rows[at].push_back(result.verdict == Verdict::wrong
                                   ? "wrong"
                                   : number("%.2f", result.own.ratio_to_copy()));
        }
    }
    for (Cells &row : rows)
        row.resize(2 + reports.size(), "-");
    return device_text(reports.front()) + "; medians of " + repeats_text(reports.front()) + "\n\n" +
           table_lines(rows, 0) +
           "\ncopies: time over that of a plain copy of the same bytes, measured in turn.\n";
}

Plot plot_of(const BenchReport &report) {
    Plot plot;
    plot.title = "Time of filters, in copies of the image";
    plot.subtitle = {device_text(report), image_text(report)};
    plot.x_label = "radius, pixels (half the size; gaussian: 4 sigma)";
    plot.y_label = "time / time of a plain copy";
    plot.y_rule_label = "copy";
    for (const BenchResult &result : report.results) {
        const Measurement &own = result.own;
        if (result.verdict == Verdict::wrong || own.row.line.empty())
            continue;
        add_point(line_of(plot, own, own.row.line, LineStyle::solid), own, own.ratio_to_copy());
        for (const Measurement &peer : result.peers)
            add_point(line_of(plot, peer, own.row.line + ": " + peer.platform, LineStyle::dashed),
                      peer, peer.ratio_to_copy());
    }
    std::ranges::stable_sort(plot.lines, {}, &PlotLine::style); // ours first
    return plot;
}

std::vector<Measurement> measurements_of(const BenchReport &report) {
    std::vector<Measurement> all;
    for (const BenchResult &result : report.results) {
        if (result.verdict == Verdict::wrong)
            continue;
        all.push_back(result.own);
        all.insert(all.end(), result.peers.begin(), result.peers.end());
    }
    return all;
}

} // namespace gauze::tool
