// A plot of lines over logarithmic axes, as SVG: text that depends on nothing but its arguments.
#ifndef GAUZE_TOOLS_SVG_PLOT_HPP
#define GAUZE_TOOLS_SVG_PLOT_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gauze::tool {

enum class LineStyle { solid, dashed };

struct PlotLine {
    std::string name;
    std::size_t color = 0; // lines of one number share a colour
    LineStyle style = LineStyle::solid;
    std::vector<std::pair<double, double>> points; // both positive; x ascending
};

struct Plot {
    std::string title;
    std::vector<std::string> subtitle; // lines
    std::string x_label, y_label;
    std::vector<PlotLine> lines; // with at least one point in all
    double y_rule = 1;           // a line across the plot
    std::string y_rule_label;
};

// Readable on light and on dark pages: it has a background of its own and follows the reader's
// preference.
std::string svg_of(const Plot &plot);

} // namespace gauze::tool

#endif
