// A recursive filter along one axis: the plan lowers filters to it, axis by axis.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/line_stage.hpp"
#include "core/types.hpp"
#include "device/facts.hpp"
#include "device/launch.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

using gz_long = std::int64_t;
using gz_int = std::int32_t;
using gz_float = float;
#include "lib/lines.clh"
static_assert(sizeof(Lines) == 128, "OpenCL C lays the struct out without padding");

// The image that two filters, run at once, share: the one that they read, or the one that receives the sum of
// their results.
enum class Shared { source, target };

struct RecursivePass {
    PixelType src_type = PixelType::f32;
    PixelType dst_type = PixelType::f32;
    Lines lines{};
    int components = 1; // values between a line's samples: an image's channels along x, else 1
    bool along_rows = true;
    // Every row of both images starts at a multiple of this many values: 1, 2, 4, 8 or 16.
    int alignment = 1;
    std::vector<LineStage> stages;
    // How taps of a stage read beyond the line: a border mode of cl/lib/geometry.clh and a constant.
    gz_int taps_border = 0;
    float taps_outside = 0.0F;
    // The only stage of a second filter, with as many sections as the first has: it reads the second source,
    // or writes the second target.
    std::optional<LineStage> second;
    Shared shared = Shared::source; // where there is a second filter
    std::int64_t tile = 0;          // samples, as asked for; 0: chosen automatically

    std::vector<const LineStage *> all_stages() const;

    std::int64_t batch() const {
        return static_cast<std::int64_t>(lines.outer[0]) * lines.outer[1] * lines.outer[2];
    }
};

std::string problem_of(const RecursivePass &pass);
const std::vector<Kernel> &kernels_of(const RecursivePass &pass);

// The rank of a kernel for a pass in each case that decides it; a higher rank is preferred.
struct RecursiveRank {
    static constexpr int never = -1; // the kernel does not run two filters at once

    int strips, few_lines_in_strips; // CPUs: a vector of lines, or too few for one
    int nothing_shared;              // other devices whose groups have no memory of their own
    int asked_tiles;                 // GPUs, for a length of tiles that the caller asks for
    int few_lines;                   // GPUs, for few lines whose samples matter far away
    int tiles;                       // GPUs
    int two_in_strips, two_on_plain_gpu, two; // two filters at once

    Rank operator()(const RecursivePass &pass, const DeviceFacts &facts) const;
};

// A recursive filter along x and y, of one stage each, on an image that its border extends.
struct RecursivePlanePass : ImagePass {
    std::array<LineStage, 2> axes;
    // Whether nothing lies beyond the image and anticausal sections start at its far ends as their start states say;
    // else start states are not used, as the border extends the image.
    bool is_cut = false;
    // A second filter of the same image, with as many sections, whose results are added.
    std::optional<std::array<LineStage, 2>> second{};
    // As plane_reach() returns it.
    std::optional<int> reach{};

    // Those of x and y, of one filter after the other.
    std::vector<const LineStage *> all_axes() const;
};

std::string problem_of(const RecursivePlanePass &pass);
const std::vector<Kernel> &kernels_of(const RecursivePlanePass &pass);

// Returns 1 if all of a stage's sections have one pole, else 2.
int order_of(const LineStage &stage);

// STATE_FORM of cl/lib/recursive_state.clh.
enum class StateType { floats = 0, doubles = 1, pairs = 2 };
inline std::size_t size_of(StateType type) {
    return type == StateType::floats ? sizeof(float) : 2 * sizeof(float);
}

// Returns the bytes of a kernel's constants of the type: floats, doubles, or pairs of floats.
std::vector<std::byte> constants_of(const std::vector<double> &values, StateType type);

// One stage, or the stages of two filters at once, with the images that it reads and writes.
struct RecursiveStage {
    std::vector<const LineStage *> filters;
    Shared shared;
    Lines lines;
    PixelType src_type, dst_type;
    // Numbers of workspace buffers; none at the ends of the pass, which are its sources and targets.
    std::optional<std::size_t> src_buffer, dst_buffer;
    // The buffer of the states that its sections start from, if it has any, and a buffer of its own.
    WorkspaceBuffer start_states, own;
    int components;
    bool along_rows;
    int alignment;
    std::int64_t batch;
    StateType states_are; // in the kernel

    const LineStage &first() const { return *filters.front(); }
    std::size_t sources() const { return shared == Shared::source ? 1 : filters.size(); }
    std::size_t targets() const { return shared == Shared::target ? 1 : filters.size(); }
    Argument src(std::size_t i = 0) const {
        return src_buffer ? Argument(WorkspaceBuffer{*src_buffer}) : Argument(SourceBuffer{i});
    }
    Argument dst(std::size_t i = 0) const {
        return dst_buffer ? Argument(WorkspaceBuffer{*dst_buffer}) : Argument(TargetBuffer{i});
    }
    // Return all sources, then for images_and all targets, and then the others: kernels' parameters begin in
    // this order.
    std::vector<Argument> images_and(std::vector<Argument> others) const;
    std::vector<Argument> sources_and(std::vector<Argument> others) const;
    int order() const;
    std::int64_t sections() const; // of all filters
    std::int64_t states() const { return sections() * order(); }
    bool has_start_states() const { return !first().start_states.empty(); }
    // Sections are numbered from the first filter's on, the causal ones of each filter first.
    const Section &section(std::size_t i) const;
    // The sections of all filters.
    std::vector<Section> causal() const;
    std::vector<Section> anticausal() const;
};

// Which items compute the states that a line starts from: one item for each line, several with a barrier,
// one item for each line in its own group, or those of the stage's kernel, where starts_in_kernel().
enum class StartForm { alone, shared, single, in_kernel };
// Returns the form for kernels without a barrier: single on devices that lack large groups.
StartForm start_form_without_barrier(const DeviceFacts &facts);

// Whether a kernel makes states anew from sums every few samples, or steps from one sample to the next
// along the line.
enum class States { made_anew, stepped };
// Returns the type in which a kernel keeps the states of a stage, or of all filters of one.
StateType state_type(const std::vector<const LineStage *> &filters, States states,
                     const DeviceFacts &facts);

// Whether a kernel for which start states are StartForm::in_kernel computes those of a stage itself: where the pass has no
// other stage, and sums in f32 do.
bool starts_in_kernel(const RecursiveStage &stage, const DeviceFacts &facts);

// How start states are sums over a line's first and last samples, the numbers of which are given: constants, and then
// weights, as recursive_ends.cl takes them.
struct StartTable {
    std::vector<double> weights;
    std::int64_t states;
    std::int32_t near, far;
};
StartTable start_table(const std::vector<StartWeights> &start_states, int order);

// The choices that kernels of recursive filters make.
struct RecursiveForm {
    StartForm start;
    States states;
    // The form of stages whose kernel does not compute them, where `start` is in_kernel.
    StartForm apart = StartForm::shared;
};

// Returns the work of all stages of a pass: `add` appends the launches of one and returns the bytes of its
// own buffer. The start states are computed before. Stages of taps have their own launch.
Work recursive_work(const RecursivePass &pass, RecursiveForm form, const DeviceFacts &facts,
                    const std::function<std::uint64_t(const RecursiveStage &, Work &)> &add);

// Return the macros of cl/lib/lines.clh, pixel.clh and recursive.clh, and the argument of the last. by_value:
// whether sections are small enough for that, with all other arguments.
Defines recursive_defines(const RecursiveStage &stage, bool by_value);
// Whether kernels that know no other arrays take the sections by value.
bool takes_sections_by_value(const RecursiveStage &stage, const DeviceFacts &facts);
Argument sections_argument(const RecursiveStage &stage, bool by_value);
// The struct Sections.
void append_sections(std::vector<double> &to, const std::vector<const LineStage *> &filters,
                     bool signs);
// SIGNS: whether a section's w changes its sign from sample to sample.
bool has_signs(const std::vector<const LineStage *> &filters);

// Returns the samples, a multiple of 16, after which states of the sections do not matter to f32, or to
// states with twice its digits; nothing where there are more than `most`.
std::optional<int> samples_to_forget(const std::vector<Section> &sections, std::int64_t most,
                                     StateType type = StateType::floats);

// Returns what one way's sections add to the results at distances from 1 to count.
std::vector<double> response_of(const std::vector<Section> &sections, std::int64_t count);
// The sections of one direction: &LineStage::causal or &LineStage::anticausal.
using SectionsOf = std::vector<Section> LineStage::*;
// A kernel takes samples that it does not read for 0, or for the last one that it reads.
enum class Beyond { zero, held };
// HOLDS in kernels: whether more than half of a rounding is negligible to some of the stages.
bool holds(const std::vector<const LineStage *> &stages);
// Returns how many samples before one matter to what the sections of a direction add to it: all others together change
// that by no more than is negligible to the stage; where they count as 0, by half of a rounding. Nothing where there
// are more than `most`.
std::optional<std::int64_t> samples_that_matter(const LineStage &stage, SectionsOf direction,
                                                Beyond beyond, std::int64_t most);
// The same, a multiple of 16, to every one of several filters: by so many samples kernels start early.
std::optional<int> samples_of_lead(const std::vector<const LineStage *> &filters,
                                   SectionsOf direction, Beyond beyond, std::int64_t most);
// Returns (w, v) of a section that has taken samples of 1 for ever.
std::array<double, 2> steady_state(const Section &section);

// Returns the digits that the states of a stage need, whatever type a kernel keeps them in.
inline StateType digits_of(const LineStage &stage) {
    return stage.precision == Precision::twice ? StateType::doubles : StateType::floats;
}

// Whether the states of every stage do not matter after so many samples.
bool forgets_within(const RecursivePass &pass, std::int64_t samples);

// Returns why kernels that keep the states of a stage in registers refuse the pass; "" if they do not.
std::string sections_refusal(const RecursivePass &pass);

// Returns why kernels whose states are floats, made anew from sums, refuse the pass; "" if they do not.
std::string floats_refusal(const RecursivePass &pass);

// Returns how many pixels around one matter to it along x or y; nothing where there are more than any kernel for both
// axes reads.
constexpr int longest_plane_reach = 96;
std::optional<int> plane_reach(const RecursivePlanePass &pass);
// Returns the pass's reach, rounded up to a multiple of `unit`; nothing where it is more than `most`.
std::optional<int> plane_apron(const RecursivePlanePass &pass, int unit, std::int64_t most);
// Returns 1 if all sections of the pass have one pole, else 2.
int plane_order(const RecursivePlanePass &pass);
// Returns why kernels that filter along x and y at once, and read such an apron, refuse the pass; "" if they do not.
std::string plane_refusal(const RecursivePlanePass &pass, std::int64_t longest_apron);

// Appends the weights of the last `apron` samples in each anticausal start state, from the last sample on; order: 1 for
// w alone, 2 for w and v.
void append_far_weights(std::vector<double> &to, const LineStage &stage, int order, int apron);

// Appends the states that samples of 1 leave, all of which are older than `apron`, for x and then y; mirrored: of the
// causal sections alone.
void append_held(std::vector<double> &to, const RecursivePlanePass &pass, int apron, bool mirrored);

// Returns the macros of such a kernel: those of cl/lib/pixel.clh, border.clh and recursive.clh. by_value: whether its
// constants are small enough for that.
Defines plane_defines(const RecursivePlanePass &pass, bool by_value);

// Returns "2 causal and 2 anticausal sections", for all stages; and the kernel's tiles, 0 for none, and how
// they differ from those asked for.
std::string recursive_details(const RecursivePass &pass, std::int64_t tile = 0);

} // namespace gz
