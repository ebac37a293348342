#include "families/recursive/recursive_chunks.hpp"

#include <algorithm>

#include "plan/image_pass.hpp"

namespace gz {

namespace {

constexpr std::size_t most_bytes_by_value = 800; // bytes, of the 1024 allowed at least
constexpr std::size_t other_arguments = 512;     // bytes, where there is more room
constexpr int near_numbers[] = {1, 2, 4, 6, 8};

void append_matrix(std::vector<double> &to, const Section &section, int order,
                   std::int64_t samples) {
    const Transition result = transition(section, samples);
    for (std::size_t i = 0; i < static_cast<std::size_t>(order); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(order); ++j)
            to.push_back(result.less_identity[i][j]);
}

// Over a chunk, a run of chunks, and as many samples as a line's last chunk has.
void append_matrices(std::vector<double> &to, const RecursiveStage &stage, int run) {
    const std::int64_t last = (stage.lines.length - 1) % recursive_chunk + 1;
    for (const std::int64_t samples :
         {std::int64_t{recursive_chunk}, std::int64_t{recursive_chunk} * run, last}) {
        const std::vector<double> more = section_matrices(stage, samples);
        to.insert(to.end(), more.begin(), more.end());
    }
}

// The struct SymmetricPowers of cl/lib/recursive_kept.clh.
std::vector<std::byte> symmetric_powers(const RecursiveStage &stage, Symmetry symmetry, int run) {
    std::vector<double> values;
    append_symmetric(values, stage.first(), stage.order(), symmetry);
    append_matrices(values, stage, run);
    return constants_of(values, stage.states_are);
}

} // namespace

std::vector<double> section_matrices(const RecursiveStage &stage, std::int64_t samples) {
    std::vector<double> result;
    for (std::int64_t s = 0; s < stage.sections(); ++s)
        append_matrix(result, stage.section(static_cast<std::size_t>(s)), stage.order(), samples);
    return result;
}

std::vector<double> section_places(const RecursiveStage &stage, std::int64_t samples, int count) {
    std::vector<double> result;
    for (std::int64_t s = 0; s < stage.sections(); ++s)
        for (int k = 0; k < count; ++k)
            append_matrix(result, stage.section(static_cast<std::size_t>(s)), stage.order(),
                          samples * k);
    return result;
}

void append_transition(std::vector<double> &to, const Section &section, int order,
                       std::int64_t samples) {
    const auto less = transition(section, samples).less_identity;
    for (std::size_t i = 0; i < static_cast<std::size_t>(order); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(order); ++j)
            to.push_back(less[i][j] + (i == j ? 1.0 : 0.0));
}

Symmetry symmetry_of(const LineStage &stage) {
    if (stage.causal.empty() || !is_mirrored(stage))
        return Symmetry::none;
    const auto are_times = [&](double sign) {
        return std::equal(stage.causal.begin(), stage.causal.end(), stage.anticausal.begin(),
                          [sign](const Section &a, const Section &b) {
                              return a.w_weight == sign * b.w_weight &&
                                     a.v_weight == sign * b.v_weight;
                          });
    };
    if (are_times(1.0))
        return Symmetry::even;
    return stage.direct == 0.0 && are_times(-1.0) ? Symmetry::odd : Symmetry::none;
}

void append_symmetric(std::vector<double> &to, const LineStage &stage, int states_of_section,
                      Symmetry symmetry) {
    constexpr int halves = 2;                      // of a chunk
    constexpr int half = recursive_chunk / halves; // samples
    constexpr int pairs = half / 2;                // of samples as far from the half's two ends
    const auto order = static_cast<std::size_t>(states_of_section);
    const std::vector<Section> &sections = stage.causal;
    // Half the sum, or difference, of what is so far from either end of half a chunk.
    const auto fold = [](double near, double far, double sign) {
        return (near + sign * far) / 2.0;
    };
    constexpr double signs[] = {1.0, -1.0};
    for (const double sign : signs)
        for (const Section &section : sections) {
            const auto ages = responses(section, half);
            for (std::size_t o = 0; o < order; ++o)
                for (std::size_t i = 0; i < pairs; ++i)
                    to.push_back(fold(ages[half - 1 - i][o], ages[i][o], sign));
        }
    std::vector<double> response = response_of(sections, half);
    response.insert(response.begin(), stage.direct);
    // A sum of results takes samples before and behind it alike, a difference those with opposite signs; odd filters
    // exchange the two.
    const double behind = symmetry == Symmetry::odd ? -1.0 : 1.0;
    for (const double sign : {behind, -behind})
        for (int i = 0; i < pairs; ++i)
            for (int j = 0; j < pairs; ++j)
                to.push_back(fold(
                    (i < j ? behind : 1.0) * response[static_cast<std::size_t>(std::abs(i - j))],
                    behind * response[static_cast<std::size_t>(half - 1 - i - j)], sign));
    for (const double sign : signs)
        for (std::size_t i = 0; i < pairs; ++i)
            for (const Section &section : sections)
                for (std::size_t o = 0; o < order; ++o) {
                    std::array<double, 2> state{o == 0 ? 1.0 : 0.0, o == 0 ? 0.0 : 1.0};
                    std::vector<double> results;
                    for (int n = 0; n < half; ++n) {
                        results.push_back(added(section, state));
                        step(section, state, 0.0);
                    }
                    to.push_back(fold(results[i], results[half - 1 - i], sign));
                }
    for (const Section &section : sections)
        append_transition(to, section, states_of_section, half);
}

ConstantData in_memory(const std::vector<double> &values, StateType type) {
    return {constants_of(values, type), true};
}

bool is_mirrored(const LineStage &stage) {
    return std::equal(stage.causal.begin(), stage.causal.end(), stage.anticausal.begin(),
                      stage.anticausal.end(), [](const Section &a, const Section &b) {
                          return a.rest == b.rest && a.decay == b.decay && a.sign == b.sign;
                      });
}

bool is_mirrored(const RecursiveStage &stage) {
    return std::all_of(stage.filters.begin(), stage.filters.end(),
                       [](const LineStage *filter) { return is_mirrored(*filter); });
}

bool reads_vectors(const RecursiveStage &stage, int lanes) {
    constexpr int width = 4;
    return stage.along_rows && lanes % stage.components == 0 && stage.alignment >= width &&
           stage.lines.begin * stage.components % width == 0;
}

int lanes_of_pixels(int lanes, int components) {
    return components == 3 && lanes >= 4 ? lanes / 4 * 3 : std::max(lanes, components);
}

std::int64_t floats_of_rows(const RecursiveStage &stage, int lanes, int chunks) {
    constexpr std::int64_t part = 4; // floats, left out between chunks of several components
    const std::int64_t across = lanes % stage.components == 0 ? stage.components : 1;
    return lanes / across * chunks * (recursive_chunk * across + (across > 1 ? part : 0));
}

std::vector<std::byte> chunk_powers(const RecursiveStage &stage, int run) {
    constexpr auto chunk = static_cast<std::size_t>(recursive_chunk);
    std::vector<double> values;
    const auto order = static_cast<std::size_t>(stage.order());
    if (is_mirrored(stage)) {
        for (const double sign : {1.0, -1.0})
            for (const Section &section : stage.causal()) {
                const auto ages = responses(section, recursive_chunk);
                for (std::size_t i = 0; i < chunk / 2; ++i)
                    for (std::size_t o = 0; o < order; ++o)
                        values.push_back((ages[i][o] + sign * ages[chunk - 1 - i][o]) / 2.0);
            }
    } else {
        for (std::int64_t s = 0; s < stage.sections(); ++s)
            for (const auto &state :
                 responses(stage.section(static_cast<std::size_t>(s)), recursive_chunk))
                for (std::size_t o = 0; o < order; ++o)
                    values.push_back(state[o]);
    }
    append_matrices(values, stage, run);
    return constants_of(values, stage.states_are);
}

std::optional<int> near_chunks(const LineStage &stage) {
    constexpr std::int64_t most = std::int64_t{recursive_chunk} * *std::rbegin(near_numbers);
    const std::optional<int> before =
        samples_of_lead({&stage}, &LineStage::causal, Beyond::zero, most);
    const std::optional<int> behind =
        samples_of_lead({&stage}, &LineStage::anticausal, Beyond::zero, most);
    if (!before || !behind)
        return std::nullopt;
    const auto chunks =
        static_cast<int>(ceil_div(std::max(*before, *behind), std::int64_t{recursive_chunk}));
    return *std::lower_bound(std::begin(near_numbers), std::end(near_numbers), chunks);
}

std::optional<std::vector<int>> near_chunks(const std::vector<const LineStage *> &filters) {
    std::vector<int> result;
    for (const LineStage *filter : filters) {
        const std::optional<int> near = near_chunks(*filter);
        if (!near)
            return std::nullopt;
        result.push_back(*near);
    }
    return result;
}

Defines chunk_defines(const RecursiveStage &stage, bool by_value,
                      const std::optional<std::vector<int>> &near) {
    Defines defines = recursive_defines(stage, by_value);
    defines["MIRRORED"] = is_mirrored(stage) ? 1 : 0;
    defines["NEAR"] = near ? near->front() : 0;
    if (stage.filters.size() > 1)
        defines["SECOND_NEAR"] = near ? near->back() : 0;
    return defines;
}

LanesProgram lanes_program(const RecursiveStage &stage, int lanes, int chunks, int run,
                           const DeviceFacts &facts) {
    const Symmetry symmetry = symmetry_of(stage.first());
    std::vector<std::byte> powers = symmetry == Symmetry::none
                                        ? chunk_powers(stage, run)
                                        : symmetric_powers(stage, symmetry, run);
    const bool small =
        facts.takes_by_value(powers.size() + other_arguments) && !facts.copies_indexed_arguments;
    const bool has_vectors = reads_vectors(stage, lanes);
    const bool is_staged = stage.along_rows && (stage.components > 1 || !has_vectors);
    Defines defines = chunk_defines(stage, small, std::nullopt);
    defines["SYMMETRY"] = static_cast<int>(symmetry);
    defines["ALONG_ROWS"] = stage.along_rows ? 1 : 0;
    defines["VECTORS"] = has_vectors ? 1 : 0;
    defines["STAGED"] = is_staged ? 1 : 0;
    defines["LANES"] = lanes;
    defines["CHUNKS"] = chunks;
    return {std::move(defines), small, is_staged, array_argument(std::move(powers), small)};
}

std::string lanes_refusal(const RecursivePass &pass, int lanes, int chunks) {
    if (pass.second)
        return "there are two filters";
    if (std::string reason = floats_refusal(pass); !reason.empty())
        return reason;
    if (std::string reason = sections_refusal(pass); !reason.empty())
        return reason;
    const int group = lanes * chunks;
    return group < 32 || group > most_items_of_lanes ? text("groups would be of ", group, " items")
                                                     : "";
}

std::size_t most_by_value(const DeviceFacts &facts, std::size_t of_1024) {
    constexpr std::size_t much = 4096; // NVIDIA's take more, AMD's and Intel's less
    return facts.max_parameter_size >= much ? facts.max_parameter_size - other_arguments : of_1024;
}

bool fit_by_value(const RecursiveStage &stage, const std::vector<std::byte> &powers,
                  const DeviceFacts &facts) {
    const std::size_t most =
        stage.filters.size() > 1
            ? std::max(facts.max_parameter_size, other_arguments) - other_arguments
            : most_by_value(facts, most_bytes_by_value);
    return facts.takes_by_value(powers.size()) && !facts.copies_indexed_arguments &&
           powers.size() <= most;
}

} // namespace gz
