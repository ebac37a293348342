#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace gauze::tool {
namespace {

// Places on the drawing, in its units.
constexpr double left = 72, right = 640, bottom = 460;
constexpr double title_y = 28, subtitle_step = 19;
constexpr double legend_x = 664, legend_step = 22;
constexpr int page_width = 1000;

constexpr std::size_t color_count = 9;

struct Palette {
    const char *page, *ink, *grid;
    std::array<const char *, color_count> lines;
};

// After Okabe and Ito's palette, which the colour-blind can tell apart.
constexpr Palette light{"#ffffff",
                        "#1f2328",
                        "#d8dee4",
                        {"#0072b2", "#d55e00", "#00845f", "#b4578f", "#7a6a00", "#5b5bd6",
                         "#8c510a", "#57606a", "#cf222e"}};
constexpr Palette dark{"#0d1117",
                       "#e6edf3",
                       "#30363d",
                       {"#56b4e9", "#ff9b50", "#3fd0a4", "#e59bc7", "#f0e442", "#a5a5ff", "#c69c6d",
                        "#9aa4af", "#ff7b89"}};

std::string color_name(std::size_t color) {
    std::string name("c");
    name += std::to_string(color % color_count);
    return name;
}

// Written out for both: not every viewer knows CSS's variables.
std::string rules_of(const Palette &palette) {
    std::string rules =
        std::string(".page { fill: ") + palette.page + "; }\ntext { fill: " + palette.ink +
        "; }\n.grid { stroke: " + palette.grid + "; }\n.rule { stroke: " + palette.ink + "; }\n";
    for (std::size_t i = 0; i < color_count; ++i) {
        const std::string color = palette.lines[i];
        rules += ".line." + color_name(i) + " { stroke: " + color + "; } .dot." + color_name(i) +
                 " { fill: " + color + "; }\n";
    }
    return rules;
}

std::string style() {
    return "<style>\n"
           "text { font: 13px system-ui, sans-serif; }\n"
           ".title { font-size: 17px; font-weight: 600; }\n"
           ".middle { text-anchor: middle; }\n"
           ".end { text-anchor: end; }\n"
           ".rule { stroke-width: 1.5; }\n"
           ".line { fill: none; stroke-width: 2; }\n"
           ".dashed { stroke-dasharray: 7 5; }\n" +
           rules_of(light) + "@media (prefers-color-scheme: dark) {\n" + rules_of(dark) +
           "}\n</style>\n";
}

std::string escaped(const std::string &text) {
    std::string result;
    for (const char letter : text) {
        const auto c = static_cast<unsigned char>(letter);
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else if (c < 0x20 || c > 0x7e)
            result += '?'; // a driver may return a name that is not UTF-8
        else
            result += letter;
    }
    return result;
}

std::string number(double value, const char *format) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}
std::string place(double value) {
    return number(value, "%.1f");
}
std::string label(double value) {
    return number(value, "%g");
}

std::string text_at(double x, double y, const std::string &text, const std::string &classes) {
    return "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" class=\"" + classes + "\">" +
           escaped(text) + "</text>\n";
}

std::string line_at(double x1, double y1, double x2, double y2, const std::string &classes) {
    return "<line x1=\"" + place(x1) + "\" y1=\"" + place(y1) + "\" x2=\"" + place(x2) +
           "\" y2=\"" + place(y2) + "\" class=\"" + classes + "\"/>\n";
}

// Maps powers of two to places between `begin` and `end`.
class LogAxis {
public:
    LogAxis(double smallest, double largest, double begin, double end)
        : low_(std::floor(std::log2(smallest))),
          high_(std::max(std::ceil(std::log2(largest)), low_ + 1)), begin_(begin), end_(end) {}

    double at(double value) const {
        return begin_ + (std::log2(value) - low_) / (high_ - low_) * (end_ - begin_);
    }
    std::vector<double> ticks() const {
        // A short axis gets steps between the powers.
        const int steps = high_ - low_ <= 3 ? 4 : 1;
        std::vector<double> values;
        for (double power = low_; power < high_; ++power)
            for (int i = 0; i < steps; ++i)
                values.push_back(std::exp2(power) * (1 + static_cast<double>(i) / steps));
        values.push_back(std::exp2(high_));
        return values;
    }

private:
    double low_, high_, begin_, end_;
};

std::string classes_of(const PlotLine &line) {
    return "line " + color_name(line.color) + (line.style == LineStyle::dashed ? " dashed" : "");
}

std::string drawn(const PlotLine &line, const LogAxis &x, const LogAxis &y) {
    std::string points;
    std::string dots;
    for (const auto &[px, py] : line.points) {
        points += (points.empty() ? "" : " ") + place(x.at(px)) + "," + place(y.at(py));
        dots += "<circle cx=\"" + place(x.at(px)) + "\" cy=\"" + place(y.at(py)) +
                "\" r=\"3.5\" class=\"dot " + color_name(line.color) + "\"><title>" +
                escaped(line.name) + ", " + label(px) + ": " + number(py, "%.3g") +
                "</title></circle>\n";
    }
    return "<polyline points=\"" + points + "\" class=\"" + classes_of(line) + "\"/>\n" + dots;
}

} // namespace

std::string svg_of(const Plot &plot) {
    double x_low = INFINITY, x_high = 0, y_low = plot.y_rule, y_high = plot.y_rule;
    for (const PlotLine &line : plot.lines)
        for (const auto &[px, py] : line.points) {
            x_low = std::min(x_low, px);
            x_high = std::max(x_high, px);
            y_low = std::min(y_low, py);
            y_high = std::max(y_high, py);
        }
    const double top = title_y + subtitle_step * static_cast<double>(plot.subtitle.size()) + 20;
    const LogAxis x(x_low, x_high, left, right);
    const LogAxis y(y_low, y_high, bottom, top);
    const double legend_end = top + legend_step * static_cast<double>(plot.lines.size());
    const int height = static_cast<int>(std::max(bottom + 60, legend_end + 20));

    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                      std::to_string(page_width) + "\" height=\"" + std::to_string(height) +
                      "\" viewBox=\"0 0 " + std::to_string(page_width) + " " +
                      std::to_string(height) + "\" role=\"img\">\n<title>" + escaped(plot.title) +
                      "</title>\n";
    svg += style();
    svg += "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
    svg += text_at(left, title_y, plot.title, "title");
    double subtitle_y = title_y;
    for (const std::string &line : plot.subtitle)
        svg += text_at(left, subtitle_y += subtitle_step, line, "");

    for (const double tick : x.ticks()) {
        svg += line_at(x.at(tick), top, x.at(tick), bottom, "grid");
        svg += text_at(x.at(tick), bottom + 20, label(tick), "middle");
    }
    for (const double tick : y.ticks()) {
        svg += line_at(left, y.at(tick), right, y.at(tick), "grid");
        svg += text_at(left - 8, y.at(tick) + 4, label(tick), "end");
    }
    svg += text_at((left + right) / 2, bottom + 44, plot.x_label, "middle");
    const std::string middle = place((top + bottom) / 2);
    svg += "<text transform=\"translate(22 " + middle + ") rotate(-90)\" class=\"middle\">" +
           escaped(plot.y_label) + "</text>\n";
    svg += line_at(left, y.at(plot.y_rule), right, y.at(plot.y_rule), "rule");
    svg += text_at(right - 6, y.at(plot.y_rule) - 6, plot.y_rule_label, "end");

    double legend_y = top + 8;
    for (const PlotLine &line : plot.lines) {
        svg += drawn(line, x, y);
        svg += line_at(legend_x, legend_y, legend_x + 30, legend_y, classes_of(line));
        svg += text_at(legend_x + 38, legend_y + 4, line.name, "");
        legend_y += legend_step;
    }
    return svg + "</svg>\n";
}

} // namespace gauze::tool
