#include "families/recursive/recursive_pass.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "families/recursive/kernels.hpp"
#include "plan/image_pass.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

constexpr std::int64_t row_alignment = 32; // values: a memory transaction of the largest kind

// An f32 image of all lines, with aligned rows.
LinePlaces packed_places(const RecursivePass &pass) {
    const Lines &lines = pass.lines;
    const auto rounded = [](std::int64_t values) {
        return ceil_div(values, row_alignment) * row_alignment;
    };
    LinePlaces places{};
    std::int64_t values = 0;
    if (pass.along_rows) {
        places.step = pass.components;
        places.line = rounded(std::int64_t{lines.length} * pass.components);
        values = places.line * (lines.lines / pass.components);
    } else {
        places.step = rounded(lines.lines);
        places.line = 1;
        values = places.step * lines.length;
    }
    for (int i = 0; i < 3; ++i) {
        places.outer[i] = values;
        values *= lines.outer[i];
    }
    return places;
}

StateType wide_type(const DeviceFacts &facts) {
    return facts.has_f64 ? StateType::doubles : StateType::pairs;
}

// The items of a group read adjacent samples.
constexpr int group = 64;

// An image, and how the states from `first_state` on are computed from it.
struct StartStates {
    Argument src;
    PixelType src_type;
    std::vector<StartWeights> start_states;
    std::int64_t first_state;
};

// See cl/recursive/recursive_ends.cl.
Launch start_states_launch(const RecursiveStage &stage, const Lines &lines, const StartStates &of,
                           StartForm form, const DeviceFacts &facts) {
    // Stages whose states may be stepped in f32 allow for as much rounding as such sums have.
    const StateType sums_are = state_type(stage.filters, States::stepped, facts);
    const int line_parts = form != StartForm::shared ? 1 : stage.along_rows ? 32 : 4;
    const int lanes = form == StartForm::single ? 1 : group / line_parts;
    StartTable table = start_table(of.start_states, stage.order());

    Launch launch;
    launch.program = {"recursive/recursive_ends.cl",
                      "recursive_ends",
                      {{"SRC_TYPE", static_cast<int>(of.src_type)},
                       {"DST_TYPE", static_cast<int>(PixelType::f32)},
                       {"COMPONENTS", stage.components},
                       {"STATES", static_cast<int>(table.states)},
                       {"ALL_STATES", static_cast<int>(stage.states())},
                       {"FIRST_STATE", static_cast<int>(of.first_state)},
                       {"STATE_FORM", static_cast<int>(sums_are)},
                       {"ENDS_ARE_STATES", sums_are == stage.states_are ? 1 : 0},
                       {"LANES", lanes},
                       {"PARTS", line_parts}}};
    launch.range.local = {static_cast<std::size_t>(lanes), static_cast<std::size_t>(line_parts), 1};
    launch.range.global = {static_cast<std::size_t>(ceil_div(lines.lines, lanes) * lanes),
                           static_cast<std::size_t>(line_parts),
                           static_cast<std::size_t>(stage.batch)};
    launch.arguments = {of.src,
                        stage.start_states,
                        by_value(lines),
                        ConstantData{constants_of(table.weights, sums_are), true},
                        by_value(table.near),
                        by_value(table.far)};
    if (line_parts > 1)
        launch.arguments.emplace_back(LocalMemory{
            static_cast<std::size_t>(table.states * lanes * line_parts) * size_of(sums_are)});
    return launch;
}

// See cl/recursive/recursive_taps.cl.
Launch taps_launch(const RecursivePass &pass, const RecursiveStage &stage,
                   const DeviceFacts &facts) {
    const LineStage &of = stage.first();
    const StateType sums_are = state_type(stage.filters, States::stepped, facts);
    Launch launch;
    launch.program = {"recursive/recursive_taps.cl",
                      "recursive_taps",
                      {{"SRC_TYPE", static_cast<int>(stage.src_type)},
                       {"DST_TYPE", static_cast<int>(stage.dst_type)},
                       {"COMPONENTS", stage.components},
                       {"STATE_FORM", static_cast<int>(sums_are)},
                       {"ALONG_ROWS", stage.along_rows ? 1 : 0}}};
    const auto samples = static_cast<std::size_t>(stage.lines.end - stage.lines.begin);
    const auto lines = static_cast<std::size_t>(stage.lines.lines);
    const std::size_t items = start_form_without_barrier(facts) == StartForm::single ? 1 : group;
    const std::size_t width = stage.along_rows ? samples : lines;
    launch.range.local = {items, 1, 1};
    launch.range.global = {(width + items - 1) / items * items, stage.along_rows ? lines : samples,
                           static_cast<std::size_t>(stage.batch)};
    launch.arguments = {stage.src(),
                        stage.dst(),
                        by_value(stage.lines),
                        ConstantData{constants_of(of.taps, sums_are), true},
                        by_value(static_cast<std::int32_t>(of.taps.size())),
                        by_value(static_cast<std::int32_t>(of.first_tap)),
                        by_value(pass.taps_border),
                        by_value(pass.taps_outside)};
    return launch;
}

// Returns the start states of a stage that are computed from its own images: for each source those of its
// filters.
std::vector<StartStates> own_start_states(const RecursiveStage &stage) {
    std::vector<StartStates> result;
    std::int64_t state = 0;
    for (const LineStage *filter : stage.filters) {
        if (result.size() < stage.sources())
            result.push_back({stage.src(result.size()), stage.src_type, {}, state});
        std::vector<StartWeights> &states = result.back().start_states;
        states.insert(states.end(), filter->start_states.begin(), filter->start_states.end());
        state += static_cast<std::int64_t>(filter->causal.size() + filter->anticausal.size()) *
                 stage.order();
    }
    return result;
}

bool same_buffer(const Argument &a, const Argument &b) {
    const auto *number = std::get_if<WorkspaceBuffer>(&a);
    const auto *other = std::get_if<WorkspaceBuffer>(&b);
    return a.index() == b.index() && (!number || number->index == other->index);
}

bool starts_from_source(const RecursiveStage &stage) {
    return stage.filters.size() == 1 && stage.first().start_line == LineStage::StartLine::first;
}

// Counts what launches from `first` on read and write of a stage's images.
void count_traffic(const RecursiveStage &stage, std::size_t first, Work &work) {
    ++work.trips;
    for (std::size_t i = first; i < work.launches.size(); ++i)
        for (const Argument &argument : work.launches[i].arguments) {
            if (same_buffer(argument, stage.src()))
                work.bytes_per_value += static_cast<double>(size_of(stage.src_type));
            if (same_buffer(argument, stage.dst()))
                work.bytes_per_value += static_cast<double>(size_of(stage.dst_type));
        }
}

} // namespace

bool has_signs(const std::vector<const LineStage *> &filters) {
    for (const LineStage *filter : filters)
        for (const auto *sections : {&filter->causal, &filter->anticausal})
            for (const Section &section : *sections)
                if (section.sign < 0.0)
                    return true;
    return false;
}

int order_of(const LineStage &stage) {
    const auto first = [](const std::vector<Section> &sections) {
        return std::all_of(sections.begin(), sections.end(),
                           [](const Section &section) { return section.is_first_order(); });
    };
    return first(stage.causal) && first(stage.anticausal) ? 1 : 2;
}

std::vector<const LineStage *> RecursivePass::all_stages() const {
    std::vector<const LineStage *> result;
    for (const LineStage &stage : stages)
        result.push_back(&stage);
    if (second)
        result.push_back(&*second);
    return result;
}

std::vector<Argument> RecursiveStage::images_and(std::vector<Argument> others) const {
    for (std::size_t i = targets(); i > 0; --i)
        others.insert(others.begin(), dst(i - 1));
    return sources_and(std::move(others));
}

std::vector<Argument> RecursiveStage::sources_and(std::vector<Argument> others) const {
    for (std::size_t i = sources(); i > 0; --i)
        others.insert(others.begin(), src(i - 1));
    return others;
}

int RecursiveStage::order() const {
    int order = 1;
    for (const LineStage *filter : filters)
        order = std::max(order, order_of(*filter));
    return order;
}

std::int64_t RecursiveStage::sections() const {
    std::size_t sum = 0;
    for (const LineStage *filter : filters)
        sum += filter->causal.size() + filter->anticausal.size();
    return static_cast<std::int64_t>(sum);
}

const Section &RecursiveStage::section(std::size_t i) const {
    const std::size_t each = first().causal.size() + first().anticausal.size();
    const LineStage &of = *filters.at(i / each);
    i %= each;
    return i < of.causal.size() ? of.causal[i] : of.anticausal[i - of.causal.size()];
}

std::vector<Section> RecursiveStage::causal() const {
    std::vector<Section> result;
    for (const LineStage *filter : filters)
        result.insert(result.end(), filter->causal.begin(), filter->causal.end());
    return result;
}

std::vector<Section> RecursiveStage::anticausal() const {
    std::vector<Section> result;
    for (const LineStage *filter : filters)
        result.insert(result.end(), filter->anticausal.begin(), filter->anticausal.end());
    return result;
}

bool starts_in_kernel(const RecursiveStage &stage, const DeviceFacts &facts) {
    return !stage.src_buffer && !stage.dst_buffer && stage.filters.size() == 1 &&
           state_type(stage.filters, States::stepped, facts) == StateType::floats;
}

StartTable start_table(const std::vector<StartWeights> &start_states, int order) {
    const auto step = static_cast<std::size_t>(3 - order); // 1: w alone
    std::size_t near = 0;
    std::size_t far = 0;
    for (std::size_t s = 0; s < start_states.size(); s += step) {
        near = std::max(near, start_states[s].near.size());
        far = std::max(far, start_states[s].far.size());
    }
    std::vector<double> weights;
    for (std::size_t s = 0; s < start_states.size(); s += step)
        weights.push_back(start_states[s].constant);
    const auto append = [&](std::size_t i, const std::vector<double> StartWeights::*side) {
        for (std::size_t s = 0; s < start_states.size(); s += step) {
            const std::vector<double> &own = start_states[s].*side;
            weights.push_back(i < own.size() ? own[i] : 0.0);
        }
    };
    for (std::size_t i = 0; i < near; ++i)
        append(i, &StartWeights::near);
    for (std::size_t i = 0; i < far; ++i)
        append(i, &StartWeights::far);
    return {std::move(weights), static_cast<std::int64_t>(start_states.size() / step),
            static_cast<std::int32_t>(near), static_cast<std::int32_t>(far)};
}

StartForm start_form_without_barrier(const DeviceFacts &facts) {
    return facts.max_group_size < group || facts.max_item_sizes[0] < group ? StartForm::single
                                                                           : StartForm::alone;
}

std::vector<std::byte> constants_of(const std::vector<double> &values, StateType type) {
    if (type == StateType::doubles)
        return bytes_of(values.data(), values.size());
    std::vector<float> floats;
    for (const double value : values) {
        const auto high = static_cast<float>(value);
        floats.push_back(high);
        if (type == StateType::pairs)
            floats.push_back(static_cast<float>(value - static_cast<double>(high)));
    }
    return bytes_of(floats.data(), floats.size());
}

StateType state_type(const std::vector<const LineStage *> &filters, States states,
                     const DeviceFacts &facts) {
    Precision precision = Precision::single;
    for (const LineStage *filter : filters)
        precision = std::max(precision, filter->precision);
    if (precision == Precision::single ||
        (precision == Precision::anchored && states == States::made_anew))
        return StateType::floats;
    return wide_type(facts);
}

Work recursive_work(const RecursivePass &pass, RecursiveForm form, const DeviceFacts &facts,
                    const std::function<std::uint64_t(const RecursiveStage &, Work &)> &add) {
    Work work;
    const LinePlaces packed = packed_places(pass);
    const std::size_t count = pass.stages.size();
    const auto image_bytes = static_cast<std::uint64_t>(packed.outer[2] * pass.lines.outer[2] *
                                                        static_cast<std::int64_t>(sizeof(float)));
    // The stages use two images in turn, a buffer of their own, and each has one for its start states.
    const std::size_t images = std::min<std::size_t>(count - 1, 2);
    work.workspace.assign(images + 1 + count, 0);
    for (std::size_t i = 0; i < images; ++i)
        work.workspace[i] = image_bytes;

    std::vector<RecursiveStage> stages;
    for (std::size_t i = 0; i < count; ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == count;
        RecursiveStage stage{{&pass.stages[i]},
                             pass.shared,
                             pass.lines,
                             first ? pass.src_type : PixelType::f32,
                             last ? pass.dst_type : PixelType::f32,
                             {},
                             {},
                             {images + 1 + i},
                             {images},
                             pass.components,
                             pass.along_rows,
                             pass.alignment,
                             pass.batch(),
                             StateType::floats};
        if (pass.second)
            stage.filters.push_back(&*pass.second);
        stage.states_are = state_type(stage.filters, form.states, facts);
        if (!first) {
            stage.lines.src = packed;
            stage.src_buffer = (i + 1) % 2;
        }
        if (!last) {
            stage.dst_buffer = i % 2;
            stage.lines.dst = packed;
            stage.lines.begin = 0;
            stage.lines.end = pass.lines.length;
        }
        if (stage.has_start_states())
            work.workspace[images + 1 + i] =
                static_cast<std::uint64_t>(stage.batch * stage.states() * stage.lines.lines) *
                size_of(stage.states_are);
        stages.push_back(stage);
    }
    const auto has_starts_apart = [&](const RecursiveStage &stage) {
        return stage.has_start_states() &&
               !(form.start == StartForm::in_kernel && starts_in_kernel(stage, facts));
    };
    const StartForm start = form.start == StartForm::in_kernel ? form.apart : form.start;
    for (const RecursiveStage &stage : stages)
        if (has_starts_apart(stage) && starts_from_source(stage))
            work.launches.push_back(start_states_launch(
                stage, pass.lines, {SourceBuffer(), pass.src_type, stage.first().start_states, 0},
                start, facts));
    for (const RecursiveStage &stage : stages) {
        if (has_starts_apart(stage) && !starts_from_source(stage))
            for (const StartStates &of : own_start_states(stage))
                work.launches.push_back(start_states_launch(stage, stage.lines, of, start, facts));
        const std::size_t first = work.launches.size();
        if (stage.first().has_taps())
            work.launches.push_back(taps_launch(pass, stage, facts));
        else
            work.workspace[images] = std::max(work.workspace[images], add(stage, work));
        count_traffic(stage, first, work);
    }
    // Kernels have these parameters whether or not they read them.
    constexpr std::uint64_t least = 16;
    for (std::uint64_t &bytes : work.workspace)
        bytes = std::max(bytes, least);
    return work;
}

Defines recursive_defines(const RecursiveStage &stage, bool by_value) {
    return {{"SRC_TYPE", static_cast<int>(stage.src_type)},
            {"DST_TYPE", static_cast<int>(stage.dst_type)},
            {"COMPONENTS", stage.components},
            {"CAUSAL", static_cast<int>(stage.first().causal.size())},
            {"ANTICAUSAL", static_cast<int>(stage.first().anticausal.size())},
            {"SOURCES", static_cast<int>(stage.sources())},
            {"TARGETS", static_cast<int>(stage.targets())},
            {"ORDER", stage.order()},
            {"SIGNS", has_signs(stage.filters) ? 1 : 0},
            {"STATE_FORM", static_cast<int>(stage.states_are)},
            {"HAS_ENDS", stage.has_start_states() ? 1 : 0},
            {"BY_VALUE", by_value ? 1 : 0}};
}

void append_sections(std::vector<double> &to, const std::vector<const LineStage *> &filters,
                     bool signs) {
    for (const LineStage *filter : filters)
        to.push_back(filter->direct);
    const auto append = [&](const auto &what) {
        for (const LineStage *filter : filters)
            for (const auto *sections : {&filter->causal, &filter->anticausal})
                for (const Section &section : *sections)
                    to.push_back(what(section));
    };
    append([](const Section &section) { return -section.sign * section.rest; });
    append([](const Section &section) { return section.sign * section.decay; });
    append([](const Section &section) { return section.w_weight; });
    append([](const Section &section) { return section.v_weight; });
    if (signs)
        append([](const Section &section) { return section.sign; });
}

bool takes_sections_by_value(const RecursiveStage &stage, const DeviceFacts &facts) {
    constexpr std::int64_t most_sections = 8; // which all devices have room for
    return facts.takes_by_value(0) && stage.sections() <= most_sections;
}

Argument sections_argument(const RecursiveStage &stage, bool by_value) {
    std::vector<double> values;
    append_sections(values, stage.filters, has_signs(stage.filters));
    return array_argument(constants_of(values, stage.states_are), by_value);
}

std::optional<int> samples_to_forget(const std::vector<Section> &sections, std::int64_t most,
                                     StateType type) {
    constexpr std::int64_t step = 16;
    // Half of a state's rounding.
    const double negligible = type == StateType::floats ? 0x1p-25 : 0x1p-49;
    const auto matters = [negligible](const Section &section, std::int64_t samples) {
        const auto m = transition(section, samples).less_identity;
        return std::max(std::abs(1.0 + m[0][0]) + std::abs(m[0][1]),
                        std::abs(m[1][0]) + std::abs(1.0 + m[1][1])) > negligible;
    };
    std::int64_t steps = 0;
    for (const Section &section : sections) {
        if (!matters(section, steps * step))
            continue;
        std::int64_t enough = most / step;
        if (enough <= steps || matters(section, enough * step))
            return std::nullopt;
        while (enough - steps > 1) {
            const std::int64_t middle = (steps + enough) / 2;
            (matters(section, middle * step) ? steps : enough) = middle;
        }
        steps = enough;
    }
    return static_cast<int>(steps * step);
}

std::vector<double> response_of(const std::vector<Section> &sections, std::int64_t count) {
    std::vector<double> result(static_cast<std::size_t>(count), 0.0);
    for (const Section &section : sections) {
        std::array<double, 2> state{0.0, 0.0};
        step(section, state, 1.0);
        for (double &sum : result) {
            sum += added(section, state);
            step(section, state, 0.0);
        }
    }
    return result;
}

bool holds(const std::vector<const LineStage *> &stages) {
    return std::any_of(stages.begin(), stages.end(), [](const LineStage *stage) {
        return stage->precision != Precision::twice && stage->negligible > half_of_rounding;
    });
}

namespace {

std::optional<std::int64_t> samples_beyond_which(const std::vector<Section> &sections,
                                                 double negligible, std::int64_t most) {
    // States remember far more than results show.
    const std::optional<int> all = samples_to_forget(sections, 3 * most);
    if (!all)
        return std::nullopt;
    const std::vector<double> response = response_of(sections, *all);
    double sum = 0.0;
    for (const double value : response)
        sum += std::abs(value);
    double left = 0.0;
    std::size_t samples = response.size();
    while (samples > 0 && left + std::abs(response[samples - 1]) <= negligible * sum)
        left += std::abs(response[--samples]);
    return static_cast<std::int64_t>(samples) <= most
               ? std::optional(static_cast<std::int64_t>(samples))
               : std::nullopt;
}

// Keeps the last results of samples_beyond_which(): a plan asks for the same ones of each kernel and setting.
class LastReaches {
public:
    std::optional<std::int64_t> of(const std::vector<Section> &sections, double negligible,
                                   std::int64_t most) {
        for (const Reach &known : reaches_)
            if (known.negligible == negligible && (known.samples || known.most >= most) &&
                known.sections == sections)
                return known.samples && *known.samples <= most ? known.samples : std::nullopt;
        Reach &next = reaches_[next_++ % reaches_.size()];
        next = {sections, negligible, most, samples_beyond_which(sections, negligible, most)};
        return next.samples;
    }

private:
    struct Reach {
        std::vector<Section> sections;
        double negligible = -1.0;
        std::int64_t most = -1;
        std::optional<std::int64_t> samples;
    };
    std::array<Reach, 8> reaches_;
    std::size_t next_ = 0;
};

} // namespace

std::optional<std::int64_t> samples_that_matter(const LineStage &stage, SectionsOf direction,
                                                Beyond beyond, std::int64_t most) {
    const std::vector<Section> &sections = stage.*direction;
    if (stage.precision == Precision::twice)
        return samples_to_forget(sections, most, StateType::doubles);
    thread_local LastReaches reaches;
    return reaches.of(sections, beyond == Beyond::held ? stage.negligible : half_of_rounding, most);
}

std::optional<int> samples_of_lead(const std::vector<const LineStage *> &filters,
                                   SectionsOf direction, Beyond beyond, std::int64_t most) {
    constexpr std::int64_t step = 16;
    std::int64_t samples = 0;
    for (const LineStage *filter : filters) {
        const std::optional<std::int64_t> own =
            samples_that_matter(*filter, direction, beyond, most);
        if (!own)
            return std::nullopt;
        samples = std::max(samples, ceil_div(*own, step) * step);
    }
    return samples <= most ? std::optional(static_cast<int>(samples)) : std::nullopt;
}

std::array<double, 2> steady_state(const Section &section) {
    const double sign = section.sign;
    const double w = 1.0 / ((1.0 - sign) * (1.0 - sign * section.decay) + sign * section.rest);
    return {w, (1.0 - sign) * w};
}

bool forgets_within(const RecursivePass &pass, std::int64_t samples) {
    const std::vector<const LineStage *> stages = pass.all_stages();
    return std::all_of(stages.begin(), stages.end(), [&](const LineStage *stage) {
        return samples_to_forget(stage->causal, samples, digits_of(*stage)) &&
               samples_to_forget(stage->anticausal, samples, digits_of(*stage));
    });
}

std::string sections_refusal(const RecursivePass &pass) {
    for (const LineStage &stage : pass.stages) {
        const std::size_t sections =
            (stage.causal.size() + stage.anticausal.size()) * (pass.second ? 2 : 1);
        if (sections > most_sections_of_stage)
            return text("a stage has ", sections, " sections, more than ", most_sections_of_stage);
    }
    return "";
}

std::string floats_refusal(const RecursivePass &pass) {
    for (const LineStage *stage : pass.all_stages())
        if (stage->precision == Precision::twice)
            return "states want twice the digits of f32";
    return "";
}

std::string recursive_details(const RecursivePass &pass, std::int64_t tile) {
    std::string result;
    for (const LineStage &stage : pass.stages)
        result += text(result.empty() ? "" : ", then ", stage.causal.size(), " causal and ",
                       stage.anticausal.size(), " anticausal sections");
    if (pass.second)
        result += text(" of each of two filters on ",
                       pass.shared == Shared::source ? "one image" : "an image each");
    if (tile > 0)
        result += text(", tiles of ", tile, " samples");
    if (pass.tile > 0 && tile == 0)
        result += text(", whatever tile is asked for (", pass.tile, ")");
    else if (pass.tile > 0 && tile != pass.tile)
        result += text(" for the ", pass.tile, " asked for");
    return result;
}

namespace {

// An apron of so many samples costs little beside a tile.
constexpr std::int64_t short_apron = 512;

std::size_t sections_of(const LineStage &stage) {
    return stage.causal.size() + stage.anticausal.size();
}

// How soon states no longer matter, which decides what tiles cost.
std::string forgetting_text(bool is_short) {
    return is_short ? "forgets<=512" : "forgets>512";
}

// Returns "", or a word for states that not every kernel keeps in f32.
const char *precision_text(const std::vector<const LineStage *> &stages) {
    Precision precision = Precision::single;
    for (const LineStage *stage : stages)
        precision = std::max(precision, stage->precision);
    return precision == Precision::single     ? ""
           : precision == Precision::anchored ? "anchored "
                                              : "twice ";
}

} // namespace

std::string problem_of(const RecursivePass &pass) {
    if (pass.tile > 0)
        return "";
    constexpr std::int64_t few = 128;
    const Lines &lines = pass.lines;
    std::size_t sections = 0;
    for (const LineStage &stage : pass.stages)
        sections = std::max(sections, sections_of(stage));
    return text(pass.second ? "two " : "", precision_text(pass.all_stages()),
                pass.along_rows ? "recursive-rows " : "recursive-columns ",
                up_to("sections", static_cast<std::int64_t>(sections), {1, 2, 4, 8}), ' ',
                forgetting_text(forgets_within(pass, short_apron)), ' ',
                up_to("lines", lines.lines * pass.batch(), {few}), ' ',
                image_text(types_text(pass.src_type, pass.dst_type),
                           std::int64_t{lines.length} * lines.lines * pass.batch(),
                           pass.components));
}

std::string problem_of(const RecursivePlanePass &pass) {
    std::size_t sections = 0;
    std::int64_t samples = 0;
    const std::vector<const LineStage *> all = pass.all_axes();
    for (const LineStage *stage : all) {
        sections = std::max(sections, sections_of(*stage));
        for (const auto *const chain : {&stage->causal, &stage->anticausal})
            samples = std::max<std::int64_t>(
                samples, samples_to_forget(*chain, short_apron).value_or(short_apron + 1));
    }
    return text(pass.second ? "two " : "", precision_text(all), "recursive-plane ",
                up_to("sections", static_cast<std::int64_t>(sections), {1, 2, 4, 8}), ' ',
                up_to("forgets", samples, {32, 128, short_apron}), ' ', image_text(pass));
}

Rank RecursiveRank::operator()(const RecursivePass &pass, const DeviceFacts &facts) const {
    const GroupHabit habit = habit_of(facts);
    const std::int64_t lines = pass.lines.lines * pass.batch();
    if (pass.second)
        return {habit == GroupHabit::strips                    ? two_in_strips
                : facts.device_class == DeviceClass::plain_gpu ? two_on_plain_gpu
                                                               : two};
    // Below this many lines a vector of them does not pay: running them one after the other is as fast.
    constexpr std::int64_t lanes_of_strips = 8;
    if (habit == GroupHabit::strips)
        return {lines < lanes_of_strips ? few_lines_in_strips : strips};
    if (pass.tile > 0)
        return {asked_tiles};
    if (habit == GroupHabit::nothing_shared)
        return {nothing_shared};
    // On these devices groups that have started go on while others wait for them.
    const bool keeps_groups_going = facts.device_class == DeviceClass::nvidia_gpu ||
                                    facts.device_class == DeviceClass::amd_gpu ||
                                    facts.device_class == DeviceClass::intel_gpu;
    constexpr std::int64_t few = 128;
    return {lines <= few && keeps_groups_going && !forgets_within(pass, short_apron) ? few_lines
                                                                                     : tiles};
}

std::vector<const LineStage *> RecursivePlanePass::all_axes() const {
    std::vector<const LineStage *> result{&axes[0], &axes[1]};
    if (second)
        result.insert(result.end(), {&(*second)[0], &(*second)[1]});
    return result;
}

std::optional<int> plane_reach(const RecursivePlanePass &pass) {
    std::int64_t reach = 0;
    for (const LineStage *stage : pass.all_axes())
        for (const SectionsOf direction : {&LineStage::causal, &LineStage::anticausal}) {
            const std::optional<std::int64_t> own =
                samples_that_matter(*stage, direction, Beyond::held, longest_plane_reach);
            if (!own)
                return std::nullopt;
            reach = std::max(reach, *own);
        }
    return static_cast<int>(reach);
}

std::optional<int> plane_apron(const RecursivePlanePass &pass, int unit, std::int64_t most) {
    if (!pass.reach || *pass.reach > most)
        return std::nullopt;
    return std::max(static_cast<int>(ceil_div(*pass.reach, unit)) * unit, unit);
}

int plane_order(const RecursivePlanePass &pass) {
    int order = 1;
    for (const LineStage *stage : pass.all_axes())
        order = std::max(order, order_of(*stage));
    return order;
}

std::string plane_refusal(const RecursivePlanePass &pass, std::int64_t longest_apron) {
    const LineStage &x = pass.axes[0];
    for (const LineStage *stage : pass.all_axes()) {
        if (stage->has_taps())
            return "a stage is of taps";
        if (stage->precision == Precision::twice)
            return "states want twice the digits of f32";
        if (stage->causal.size() != x.causal.size() ||
            stage->anticausal.size() != x.anticausal.size())
            return "x and y have sections of different kinds";
    }
    constexpr std::size_t most_sections = 4;
    if (x.causal.size() + x.anticausal.size() > most_sections)
        return text("there are more than ", most_sections, " sections an axis");
    if (!plane_apron(pass, 1, longest_apron))
        return text("pixels matter to others that are more than ", longest_apron, " away");
    return "";
}

void append_far_weights(std::vector<double> &to, const LineStage &stage, int order, int apron) {
    const std::size_t step = order == 1 ? 2 : 1; // of w and v, or of w alone
    for (std::size_t i = 2 * stage.causal.size(); i < stage.states(); i += step)
        for (std::size_t age = 0; age < static_cast<std::size_t>(apron); ++age)
            to.push_back(i < stage.start_states.size() && age < stage.start_states[i].far.size()
                             ? stage.start_states[i].far[age]
                             : 0.0);
}

void append_held(std::vector<double> &to, const RecursivePlanePass &pass, int apron,
                 bool mirrored) {
    const auto order = static_cast<std::size_t>(plane_order(pass));
    for (const LineStage &stage : pass.axes)
        for (const SectionsOf direction : {&LineStage::causal, &LineStage::anticausal}) {
            if (mirrored && direction == &LineStage::anticausal)
                continue;
            for (const Section &section : stage.*direction) {
                const std::array<double, 2> steady = steady_state(section);
                const auto m = transition(section, apron).less_identity;
                for (std::size_t i = 0; i < order; ++i)
                    to.push_back(steady[i] + m[i][0] * steady[0] + m[i][1] * steady[1]);
            }
        }
}

Defines plane_defines(const RecursivePlanePass &pass, bool by_value) {
    const std::vector<const LineStage *> axes = pass.all_axes();
    Defines defines = type_defines(pass);
    defines["CAUSAL"] = static_cast<int>(axes[0]->causal.size());
    defines["ANTICAUSAL"] = static_cast<int>(axes[0]->anticausal.size());
    defines["SOURCES"] = defines["TARGETS"] = 1;
    defines["ORDER"] = plane_order(pass);
    defines["SIGNS"] = has_signs(axes) ? 1 : 0;
    defines["STATE_FORM"] = static_cast<int>(StateType::floats);
    defines["BY_VALUE"] = by_value ? 1 : 0;
    defines["HOLDS"] = holds(axes) ? 1 : 0;
    return defines;
}

const std::vector<Kernel> &kernels_of(const RecursivePass &) {
    return recursive_kernels();
}

const std::vector<Kernel> &kernels_of(const RecursivePlanePass &) {
    return recursive_kernels();
}

} // namespace gz
