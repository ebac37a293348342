// Images, regions and their memory for tests of kernels: random pixels where a filter may read, NaN
// or the largest value everywhere else, and guard bands around the target.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/engine.hpp"
#include "families/reference.hpp"
#include "plan/lowering.hpp"

namespace support {

enum class Layout { tight, padded_aligned, odd_offset_and_pitch };
enum class RegionKind { whole, isolated, neighbours };

inline constexpr gz::PixelType all_types[] = {gz::PixelType::u8, gz::PixelType::u16,
                                              gz::PixelType::s16, gz::PixelType::f16,
                                              gz::PixelType::f32};
inline constexpr Layout all_layouts[] = {Layout::tight, Layout::padded_aligned,
                                         Layout::odd_offset_and_pitch};
inline constexpr RegionKind all_regions[] = {RegionKind::whole, RegionKind::isolated,
                                             RegionKind::neighbours};

struct ImageCase {
    gz::PixelType src_type = gz::PixelType::f32, dst_type = gz::PixelType::f32;
    int channels = 1;
    int planes = 1;
    int slices = 1;
    int width = 1, height = 1;
    gz::BorderMode border = gz::BorderMode::clamp;
    double border_value = 0.625;
    RegionKind region = RegionKind::whole;
    Layout layout = Layout::tight;
    gz::Store store = gz::Store::saturate;

    std::string name() const; // says everything about the case
};

// How many values each parameter of an image has, for images of so many sizes; and the image of
// these values, the first of a row.
std::vector<int> image_counts(std::size_t sizes);
ImageCase image_of(const std::vector<int> &row, const std::vector<std::pair<int, int>> &sizes);

// Whether case number i is one of those that GAUZE_SHARE asks for: "3/16" is the fourth of 16 shares.
// All of them where it is not set. together: cases of one share in a row; neighbours in a full product
// have programs in common.
inline constexpr std::size_t full_product_together = 60;
bool is_of_share(std::size_t i, std::size_t together = full_product_together);
// Whether GAUZE_SHARE is set: a share may have no case at all.
bool is_shared();
template <class Case>
std::vector<Case> share_of(const std::vector<Case> &cases,
                           std::size_t together = full_product_together) {
    std::vector<Case> result;
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (is_of_share(i, together))
            result.push_back(cases[i]);
    return result;
}
// The same for a selection that has every pair of values once or more: takes some rows here and there.
template <class Case> std::vector<Case> sample_of(const std::vector<Case> &cases) {
    return share_of(cases, 1);
}

// The engine that the environment names, made once.
const std::shared_ptr<gz::Engine> &engine();

gz::PlanDesc make_plan_desc(const ImageCase &test, gz::Results results = gz::Results::pixels);

// The memory of a plan's images.
std::vector<std::byte> make_source(const gz::PlanDesc &desc, std::minstd_rand &random);
std::vector<std::byte> make_target(const gz::PlanDesc &desc, std::minstd_rand &random);

// Returns what a forced kernel makes of the source, in memory that held `before`; nothing where the kernel
// does not fit the device or take the pass. more: the sources after the first.
std::vector<std::byte> run_forced(const gz::Filter &filter, const gz::PlanDesc &desc,
                                  const std::string &variant, const std::vector<std::byte> &source,
                                  const std::vector<std::byte> &before,
                                  const std::vector<std::vector<std::byte>> &more = {});

// The same of a bank: what it makes of each target; nothing where the kernel does not fit or take the pass.
std::vector<std::vector<std::byte>>
run_forced_bank(const gz::Filter &bank, const gz::PlanDesc &desc, const std::string &variant,
                const std::vector<std::byte> &source, const std::vector<std::byte> &before,
                const std::vector<std::vector<std::byte>> &more = {});

// Returns a packed image of floats filtered by a plan of its own.
std::vector<float> filtered(const gz::Filter &filter, const std::vector<float> &source,
                            const gz::Axes &extent, const gz::Border &border = {},
                            int channels = 1);

// Writes a row of results to its place in the target.
void store_row(const gz::PlanDesc &desc, const gz::RowPlace &at, const float *row,
               std::vector<std::byte> &target);

// Returns "" where the two are the same, else the first place where they differ.
std::string first_difference(const std::vector<std::byte> &expected,
                             const std::vector<std::byte> &got, const gz::PlanDesc &desc);
// Returns "" where all that differs from `before` is in the target region.
std::string written_outside(const std::vector<std::byte> &before, const std::vector<std::byte> &got,
                            const gz::PlanDesc &desc);

} // namespace support
