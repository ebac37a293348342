#include "families/ssimulacra2/ssimulacra2_pass.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "families/ssimulacra2/kernels.hpp"
#include "plan/image_pass.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

// Values that tiles at the end of the last plane may read past it.
constexpr std::int64_t tail = 512;

std::int32_t to_int(std::int64_t value) {
    if (value > INT32_MAX)
        fail(Status::unsupported, "the images are too large for SSIMULACRA 2");
    return static_cast<std::int32_t>(value);
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    return ceil_div(value, unit) * unit;
}

} // namespace

Pyramid pyramid_of(const std::vector<std::array<std::int64_t, 2>> &extents) {
    Pyramid result;
    std::int64_t end = 16; // before the first row there are zeros, too
    for (const auto &[width, height] : extents) {
        const std::int64_t pitch = rounded_up(width + APRON, 16);
        const std::int64_t plane = pitch * (height + 2 * APRON);
        result.scales.push_back({width, height, pitch, plane, end + APRON * pitch});
        end += 3 * plane;
    }
    result.values = end + tail;
    return result;
}

std::int64_t count_of(const Pyramid &pyramid, const WorkPieces &pieces) {
    std::int64_t count = 0;
    for (const PyramidScale &scale : pyramid.scales)
        count += ceil_div(scale.width, pieces.columns) * ceil_div(scale.height, pieces.rows);
    return count;
}

ConstantData scale_table(const Pyramid &pyramid, const WorkPieces &pieces,
                         const std::vector<int> &needs) {
    std::vector<std::int32_t> table;
    std::int64_t unit = 0;
    for (std::size_t i = 0; i < pyramid.scales.size(); ++i) {
        const PyramidScale &scale = pyramid.scales[i];
        const std::int64_t across = ceil_div(scale.width, pieces.columns);
        std::int32_t row[SCALE_FIELDS] = {};
        row[SCALE_WIDTH] = to_int(scale.width);
        row[SCALE_HEIGHT] = to_int(scale.height);
        row[SCALE_PITCH] = to_int(scale.pitch);
        row[SCALE_PLANE] = to_int(scale.plane / 16);
        row[SCALE_FIRST] = to_int(scale.first / 16);
        row[SCALE_UNIT] = to_int(unit);
        row[SCALE_ROW] = to_int(across);
        row[SCALE_NEEDS] = needs.empty() ? 0 : needs.at(i);
        table.insert(table.end(), row, row + SCALE_FIELDS);
        unit += across * ceil_div(scale.height, pieces.rows);
    }
    return {bytes_of(table.data(), table.size()), true};
}

Launch xyb_launch(const XybPass &pass, const std::string &family, const WorkPieces &pieces) {
    const PyramidScale &image = pass.pyramid.scales.front();
    Launch launch;
    launch.program = {"ssimulacra2/" + family + ".cl",
                      family,
                      {{"SRC_TYPE", static_cast<int>(pass.type)},
                       {"DST_TYPE", static_cast<int>(PixelType::f32)},
                       {"CHANNELS", pass.channels}}};
    launch.range.global = {static_cast<std::size_t>(ceil_div(image.width, pieces.columns)),
                           static_cast<std::size_t>(ceil_div(image.height, pieces.rows)), 1};
    launch.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.first),
                        by_value(pass.row),
                        scale_table(pass.pyramid, pieces, {}),
                        by_value(static_cast<std::int32_t>(pass.pyramid.scales.size())),
                        by_value(pass.decoding),
                        by_value(pass.opsin)};
    return launch;
}

Work ssimulacra2_work(const Ssimulacra2Pass &pass, Launch errors, const WorkPieces &pieces,
                      int group) {
    const auto scales = static_cast<std::int32_t>(pass.pyramid.scales.size());
    const ConstantData table = scale_table(pass.pyramid, pieces, pass.needs);
    errors.program.defines["MAPS"] = pass.makes_map() ? 1 : 0;
    std::vector<Argument> arguments = {SourceBuffer{0}, SourceBuffer{1}};
    if (pass.makes_map())
        arguments.push_back(ConstantData{bytes_of(pass.shares.data(), pass.shares.size()), true});
    arguments.insert(arguments.end(),
                     {WorkspaceBuffer{0}, table, by_value(scales), by_value(pass.blur)});
    errors.arguments.insert(errors.arguments.begin(), arguments.begin(), arguments.end());

    Work work;
    Launch last;
    if (pass.makes_map()) {
        work.workspace = {static_cast<std::uint64_t>(pass.pyramid.values) * sizeof(float)};
        const PyramidScale &image = pass.pyramid.scales.front();
        last.program = {"ssimulacra2/ssimulacra2_map.cl", "ssimulacra2_map", {{"GROUP", group}}};
        last.range.local = {static_cast<std::size_t>(group), 1, 1};
        last.range.global = {static_cast<std::size_t>(rounded_up(image.width, group)),
                             static_cast<std::size_t>(image.height), 1};
        last.arguments = {WorkspaceBuffer{0}, TargetBuffer(), table, by_value(scales)};
    } else {
        const std::int64_t units = count_of(pass.pyramid, pieces);
        constexpr std::size_t pair = 2 * sizeof(float); // a sum
        work.workspace = {static_cast<std::uint64_t>(units) * 3 * SUMS * pair};
        last.program = {"ssimulacra2/ssimulacra2_sums.cl", "ssimulacra2_sums", {{"GROUP", group}}};
        last.range.local = {static_cast<std::size_t>(group), 1, 1};
        last.range.global = {static_cast<std::size_t>(3 * group), static_cast<std::size_t>(scales),
                             SUMS};
        last.arguments = {WorkspaceBuffer{0}, TargetBuffer(), table, by_value(scales),
                          by_value(to_int(units))};
        if (group > 1)
            last.arguments.push_back(LocalMemory{static_cast<std::size_t>(group) * pair});
    }
    work.launches = {std::move(errors), std::move(last)};
    return work;
}

namespace {

std::int64_t values_of(const Pyramid &pyramid) {
    return pyramid.scales.empty() ? 0
                                  : pyramid.scales.front().width * pyramid.scales.front().height;
}

} // namespace

std::string problem_of(const XybPass &pass) {
    return text("xyb channels=", pass.channels, ' ', name_of(pass.type), ' ',
                size_class(values_of(pass.pyramid)));
}

std::string problem_of(const Ssimulacra2Pass &pass) {
    return text(pass.makes_map() ? "ssimulacra2-map " : "ssimulacra2 ",
                size_class(values_of(pass.pyramid)));
}

const std::vector<Kernel> &kernels_of(const XybPass &) {
    return ssimulacra2_kernels();
}

const std::vector<Kernel> &kernels_of(const Ssimulacra2Pass &) {
    return ssimulacra2_kernels();
}

} // namespace gz
