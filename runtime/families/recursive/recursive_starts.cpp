#include "families/recursive/recursive_starts.hpp"

#include <algorithm>
#include <array>

#include "families/recursive/recursive_chunks.hpp"

namespace gz {

namespace {

// The start states as sums in which each sample has a weight of its own, or where the kernel does not compute them, as
// they are.
GivenStarts table_of_starts(const RecursiveStage &stage, const DeviceFacts &facts) {
    if (!stage.has_start_states() || !starts_in_kernel(stage, facts))
        return {.arguments = {stage.start_states}};
    const StartTable table = start_table(stage.first().start_states, stage.order());
    return {std::max(table.near, table.far) <= 1 ? OwnStarts::from_edges : OwnStarts::from_many,
            {in_memory(table.weights), by_value(table.near), by_value(table.far)}};
}

// Whether the kernel computes start states of more samples than a line's first and last one, with weights that are powers.
// Lines have more than one sample then.
bool has_powers(const RecursiveStage &stage, const DeviceFacts &facts) {
    const LineStage &filter = stage.first();
    return !filter.start_powers.empty() && starts_in_kernel(stage, facts) &&
           std::any_of(filter.start_states.begin(), filter.start_states.end(),
                       [](const StartWeights &weights) {
                           return weights.near.size() > 1 || weights.far.size() > 1;
                       });
}

// Returns how many samples at each end of a line matter to its start states, without the one at the other end: those
// beyond are as negligible as others so far away.
std::int64_t samples_of_ends(const RecursiveStage &stage, Beyond beyond) {
    const LineStage &filter = stage.first();
    const std::int64_t most = stage.lines.length - 1;
    std::int64_t matter = 0;
    for (const SectionsOf direction : {&LineStage::causal, &LineStage::anticausal})
        matter =
            std::max(matter, samples_that_matter(filter, direction, beyond, most).value_or(most));
    return std::min(matter, most);
}

// Appends the matrix by which what samples leave, each counted from 1 on, is multiplied where `first` is the first one's
// weights: it is the identity and the transition over a sample, each so many times.
void append_times(std::vector<double> &to, const Section &section, std::array<double, 2> first,
                  int order) {
    if (order == 1) {
        to.push_back(first[0]);
        return;
    }
    const auto less = transition(section, 1).less_identity;
    // A sample leaves (1, 1), and that a sample later these.
    const double later_w = 1.0 + less[0][0] + less[0][1];
    const double later_v = less[1][0] + 1.0 + less[1][1];
    const double transitions = (first[1] - first[0]) / (later_v - later_w);
    const double identities = first[0] - transitions * later_w;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            to.push_back(transitions * less[i][j] + (i == j ? identities + transitions : 0.0));
}

using TwoByTwo = std::array<std::array<double, 2>, 2>;
std::array<double, 2> carried_over(const TwoByTwo &less_identity, std::array<double, 2> state) {
    return {state[0] + less_identity[0][0] * state[0] + less_identity[0][1] * state[1],
            state[1] + less_identity[1][0] * state[0] + less_identity[1][1] * state[1]};
}

// Returns the sum of a state and of all that the section makes of it, sample after sample.
std::array<double, 2> sum_of_powers(const Section &section, const std::array<double, 2> &state) {
    // The transition over a sample less the identity takes the sum to minus the state.
    const auto less = transition(section, 1).less_identity;
    const double determinant = less[0][0] * less[1][1] - less[0][1] * less[1][0];
    return {(less[0][1] * state[1] - less[1][1] * state[0]) / determinant,
            (less[1][0] * state[0] - less[0][0] * state[1]) / determinant};
}

// Returns the weights of FROM_SUMS in its order: constants, weights of a line's first and last sample, and the matrices of
// what arrives at its start and end.
std::vector<double> weights_of_sums(const RecursiveStage &stage) {
    const LineStage &filter = stage.first();
    const std::int64_t length = stage.lines.length;
    const int order = stage.order();
    std::vector<double> constants;
    std::vector<double> of_first;
    std::vector<double> of_last;
    std::vector<double> of_start;
    std::vector<double> of_end;
    for (std::size_t s = 0; s < filter.start_powers.size(); ++s) {
        const Section &section = stage.section(s);
        const StartPowers &powers = filter.start_powers[s];
        append_times(of_start, section, powers.near, order);
        append_times(of_end, section, powers.far, order);
        // The sample at the other end is among those that arrive at an end, and counts by its own weight.
        const auto less = transition(section, length - 2).less_identity;
        const std::array<double, 2> near_at_last = carried_over(less, powers.near);
        const std::array<double, 2> far_at_first = carried_over(less, powers.far);
        for (std::size_t k = 0; k < static_cast<std::size_t>(order); ++k) {
            constants.push_back(filter.start_states[2 * s + k].constant);
            of_first.push_back(powers.of_first[k] - far_at_first[k]);
            of_last.push_back(powers.of_last[k] - near_at_last[k]);
        }
    }
    std::vector<double> weights;
    for (const auto *part : {&constants, &of_first, &of_last, &of_start, &of_end})
        weights.insert(weights.end(), part->begin(), part->end());
    return weights;
}

} // namespace

GivenStarts starts_of_lanes(const RecursiveStage &stage, int items, const DeviceFacts &facts) {
    const LineStage &filter = stage.first();
    // The states and matrices of more sections take more registers than items have.
    constexpr std::int64_t most_sections = 8;
    if (!has_powers(stage, facts) || stage.sections() > most_sections)
        return table_of_starts(stage, facts);

    const std::int64_t matter = std::max<std::int64_t>(samples_of_ends(stage, Beyond::zero), 1);
    // Items read whole rounds of samples, behind which all count as the last one, where these are fewer. No end matters to
    // the other then.
    const std::int64_t round = std::int64_t{RECURSIVE_SAMPLES_AT_ONCE} * items;
    const std::int64_t held = ceil_div(samples_of_ends(stage, Beyond::held), round) * round + 1;
    const bool holds = held < matter && 2 * held <= stage.lines.length;

    const int order = stage.order();
    std::vector<double> weights;
    const auto append = [&](const std::array<double, 2> &of_section) {
        weights.insert(weights.end(), of_section.begin(), of_section.begin() + order);
    };
    for (std::size_t s = 0; s < filter.start_powers.size(); ++s)
        append({filter.start_states[2 * s].constant, filter.start_states[2 * s + 1].constant});
    for (const auto part :
         {&StartPowers::of_first, &StartPowers::of_last, &StartPowers::near, &StartPowers::far})
        for (const StartPowers &powers : filter.start_powers)
            append(powers.*part);
    for (const auto part : {&StartPowers::near, &StartPowers::far})
        for (std::size_t s = 0; s < filter.start_powers.size(); ++s)
            append(holds ? sum_of_powers(stage.section(s), filter.start_powers[s].*part)
                         : std::array<double, 2>{});
    const std::vector<double> over_items = section_matrices(stage, items);
    const std::vector<double> over_each = section_places(stage, 1, items);
    weights.insert(weights.end(), over_items.begin(), over_items.end());
    weights.insert(weights.end(), over_each.begin(), over_each.end());
    return {OwnStarts::from_powers,
            {in_memory(weights), by_value(static_cast<std::int32_t>(holds ? held : matter))}};
}

GivenStarts starts_of_whole_lines(const RecursiveStage &stage, int items,
                                  const DeviceFacts &facts) {
    if (!has_powers(stage, facts) || !is_mirrored(stage))
        return starts_of_lanes(stage, items, facts);
    std::vector<double> weights = weights_of_sums(stage);
    // Over a section's last chunk, but for the sample at the line's end.
    const std::int64_t causal = (stage.lines.length - 1) % recursive_chunk;
    constexpr std::int64_t anticausal = recursive_chunk - 1;
    const auto half = static_cast<std::ptrdiff_t>(stage.states() * stage.order() / 2);
    const std::vector<double> over_causal = section_matrices(stage, causal);
    const std::vector<double> over_anticausal = section_matrices(stage, anticausal);
    weights.insert(weights.end(), over_causal.begin(), over_causal.begin() + half);
    weights.insert(weights.end(), over_anticausal.begin() + half, over_anticausal.end());
    return {OwnStarts::from_sums, {in_memory(weights)}};
}

GivenStarts starts_of_strips(const RecursiveStage &stage, const DeviceFacts &facts) {
    if (!has_powers(stage, facts) || !is_mirrored(stage))
        return table_of_starts(stage, facts);
    const LineStage &filter = stage.first();
    const std::int64_t samples = samples_of_ends(stage, Beyond::zero);
    std::vector<double> weights = weights_of_sums(stage);
    std::vector<std::vector<std::array<double, 2>>> of_sections;
    for (const Section &section : filter.causal)
        of_sections.push_back(responses(section, samples));
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i)
        for (const auto &of_section : of_sections)
            weights.insert(weights.end(), of_section[i].begin(),
                           of_section[i].begin() + stage.order());
    const auto count = static_cast<std::int32_t>(samples);
    return {OwnStarts::from_sums, {in_memory(weights), by_value(count), by_value(count)}};
}

} // namespace gz
