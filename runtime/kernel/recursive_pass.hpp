// A recursive filter along one axis: what the plan lowers it to, axis by axis.
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
#include "kernel/image_pass.hpp"

namespace gz {

using gz_long = std::int64_t;
using gz_int = std::int32_t;
using gz_float = float;
#include "lib/lines.clh"
static_assert(sizeof(Lines) == 128, "OpenCL C lays the struct out without padding");

// What two filters that are run at once have in common: the image that they read, or the one that they
// write the sum of their results to.
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
    // The one stage of a second filter, with as many sections as the first has: of the second source, or
    // for the second target.
    std::optional<LineStage> second;
    Shared shared = Shared::source; // where there is a second filter
    std::int64_t tile = 0;          // samples, as asked for; 0: chosen automatically

    std::vector<const LineStage *> all_stages() const;

    std::int64_t batch() const {
        return static_cast<std::int64_t>(lines.outer[0]) * lines.outer[1] * lines.outer[2];
    }
};

// A recursive filter along x and y, of one stage each, on an image that its border extends.
struct RecursivePlanePass : ImagePass {
    std::array<LineStage, 2> axes;
};

// 1 if all of a stage's sections have one pole, else 2.
int order_of(const LineStage &stage);

// One stage, or those of two filters at once, between the images that it goes between.
struct RecursiveStage {
    std::vector<const LineStage *> filters;
    Shared shared;
    Lines lines;
    PixelType src_type, dst_type;
    // Numbers of workspace buffers; none at the ends of the pass.
    std::optional<std::size_t> src_buffer, dst_buffer;
    // Of the states that its sections start from, if it has any; and a buffer of its own.
    WorkspaceBuffer ends, own;
    int components;
    bool along_rows;
    int alignment;
    std::int64_t batch;

    const LineStage &first() const { return *filters.front(); }
    std::size_t sources() const { return shared == Shared::source ? 1 : filters.size(); }
    std::size_t targets() const { return shared == Shared::target ? 1 : filters.size(); }
    Argument src(std::size_t i = 0) const {
        return src_buffer ? Argument(WorkspaceBuffer{*src_buffer}) : Argument(SourceBuffer{i});
    }
    Argument dst(std::size_t i = 0) const {
        return dst_buffer ? Argument(WorkspaceBuffer{*dst_buffer}) : Argument(TargetBuffer{i});
    }
    // All sources, for images_and all targets, and then the others: how parameters of kernels
    // begin.
    std::vector<Argument> images_and(std::vector<Argument> others) const;
    std::vector<Argument> sources_and(std::vector<Argument> others) const;
    int order() const;
    std::int64_t sections() const; // of all filters
    std::int64_t states() const { return sections() * order(); }
    bool has_ends() const { return !first().ends.empty(); }
    // Those of the first filter first, and of each its causal ones.
    const Section &section(std::size_t i) const;
    // Of all filters.
    std::vector<Section> causal() const;
    std::vector<Section> anticausal() const;
};

// What makes the states that a line starts from: an item for each line, or several with a barrier; or an
// item for each line in a group of its own.
enum class LineEnds { alone, shared, single };
// For kernels that need no large groups either.
LineEnds ends_without_barrier(const DeviceFacts &facts);

// All stages of a pass: `add` appends the launches of one and returns the bytes of its own buffer.
// What its sections start from is there by then.
Work recursive_work(const RecursivePass &pass, LineEnds form,
                    const std::function<std::uint64_t(const RecursiveStage &, Work &)> &add);

// The macros of cl/lib/lines.clh, pixel.clh and recursive.clh, and the argument of the last.
// by_value: whether sections are small enough for that, with all else that is.
Defines recursive_defines(const RecursiveStage &stage, bool by_value);
Argument sections_argument(const RecursiveStage &stage, bool by_value);
void append_sections(std::vector<float> &to, const std::vector<const LineStage *> &filters);

// Samples, a multiple of 16, after which states of the sections do not matter to f32; nothing where
// that is more than `most`.
std::optional<int> memory_of(const std::vector<Section> &sections, std::int64_t most);

// Whether the states of every stage do not matter after so many samples.
bool forgets_within(const RecursivePass &pass, std::int64_t samples);

// Why kernels that keep the states of a stage in registers refuse the pass; "" if they do not.
std::string sections_refusal(const RecursivePass &pass);

// "2 causal and 2 anticausal sections", for all stages; and the kernel's tiles, 0 for none, and what
// becomes of those asked for.
std::string recursive_details(const RecursivePass &pass, std::int64_t tile = 0);

} // namespace gz
