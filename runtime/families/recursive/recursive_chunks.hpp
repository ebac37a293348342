// The host's side of cl/lib/recursive_chunk.clh: the arguments of kernels whose items hold a chunk of a line
// each.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "families/recursive/recursive_pass.hpp"

namespace gz {

#include "lib/recursive_sizes.clh"
constexpr int recursive_chunk = RECURSIVE_CHUNK; // samples

// For each section the transition of its state over `samples`, less the identity: a matrix, row by row; and
// the same over 0, 1, ... count - 1 times `samples`.
std::vector<double> section_matrices(const RecursiveStage &stage, std::int64_t samples);
std::vector<double> section_places(const RecursiveStage &stage, std::int64_t samples, int count);

// Appends the transition of a section's state over `samples`, the identity with it: a matrix, row by row.
void append_transition(std::vector<double> &to, const Section &section, int order,
                       std::int64_t samples);

// Whether the anticausal sections are the causal ones, backwards.
bool is_mirrored(const LineStage &stage);
bool is_mirrored(const RecursiveStage &stage); // of all filters

// SYMMETRY in kernels: whether a filter's response is its own mirror image, or that with the sign changed.
enum class Symmetry { none = 0, even = 1, odd = 2 };
Symmetry symmetry_of(const LineStage &stage);
// Appends the struct Symmetric of cl/lib/recursive_symmetric.clh, for states of as many numbers as `order`.
void append_symmetric(std::vector<double> &to, const LineStage &stage, int order,
                      Symmetry symmetry);

ConstantData in_memory(const std::vector<double> &values, StateType type = StateType::floats);
inline LocalMemory local_floats(std::int64_t count) {
    return {static_cast<std::size_t>(count) * sizeof(float)};
}
inline LocalMemory local_states(std::int64_t count, StateType type) {
    return {static_cast<std::size_t>(count) * size_of(type)};
}

// Whether tiles of so many lines can be read and written along rows by aligned vectors of 4 values.
bool reads_vectors(const RecursiveStage &stage, int lanes);

// Returns the floats of local memory that a tile of rows takes: `lanes` lines of so many chunks. See
// cl/lib/recursive_rows.clh.
std::int64_t floats_of_rows(const RecursiveStage &stage, int lanes, int chunks);

// Returns how many lines along rows are whole pixels, of about as many lines as `lanes`.
int lanes_of_pixels(int lanes, int components);

// The struct Powers. run: chunks that are summed one after the other.
std::vector<std::byte> chunk_powers(const RecursiveStage &stage, int run);

// Returns how many chunks before and behind one matter to it, where they are few: rounded up to one of some
// numbers, as a program is compiled for each.
std::optional<int> near_chunks(const LineStage &stage);
// Returns the chunks of each filter; nothing where one of them needs more.
std::optional<std::vector<int>> near_chunks(const std::vector<const LineStage *> &filters);

// Returns the macros of lib/recursive_chunk.clh and of those that it needs. near: of each filter, or nothing for any number of chunks.
Defines chunk_defines(const RecursiveStage &stage, bool by_value,
                      const std::optional<std::vector<int>> &near);
// Kernels of cl/lib/recursive_kept.clh, whose groups have so many chunks of so many lines: the powers that they take, where
// `run` chunks are summed one after the other, and the macros of that header, of recursive_read.clh and of chunk_defines().
struct LanesProgram {
    Defines defines;
    bool by_value, is_staged;
    Argument powers;
};
LanesProgram lanes_program(const RecursiveStage &stage, int lanes, int chunks, int run,
                           const DeviceFacts &facts);
// Returns why such kernels refuse the pass; "" if they do not.
std::string lanes_refusal(const RecursivePass &pass, int lanes, int chunks);
constexpr int most_items_of_lanes = 1024; // of a group

// Returns how many bytes of powers kernels take by value. of_1024: where devices take 1024 bytes of arguments. More where
// they take much: NVIDIA's compiler has arguments as operands, but reads constants from memory, each with a load of its
// own; orders 10 and 20 along a signal took 1.36 and 1.28 times as long with constants (H200).
std::size_t most_by_value(const DeviceFacts &facts, std::size_t of_1024);

// Whether the arguments of one filter, or of two, fit: two need more space than every device has for
// arguments.
bool fit_by_value(const RecursiveStage &stage, const std::vector<std::byte> &powers,
                  const DeviceFacts &facts);

} // namespace gz
