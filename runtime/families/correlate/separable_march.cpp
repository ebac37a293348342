// Taps along x, y and z in one pass. See cl/correlate/separable_march.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

constexpr int buckets[] = {3, 5, 7, 9}; // most taps along any axis

int bucket_of(const VolumePass &pass) {
    return *std::lower_bound(std::begin(buckets), std::end(buckets) - 1, longest_side(pass));
}

std::string refusal(const VolumePass &pass, const MarchSettings &) {
    if (longest_side(pass) > std::end(buckets)[-1])
        return text("an axis has ", longest_side(pass), " taps; it takes up to ",
                    std::end(buckets)[-1]);
    return march_refusal(pass);
}

// Returns the taps along x, y and, in reverse, z, each padded to the bucket's number; the rest is never used.
std::vector<std::byte> packed_taps(const VolumePass &pass) {
    const auto most = static_cast<std::size_t>(bucket_of(pass));
    std::vector<float> taps(3 * most, 0.0F);
    const auto along_y = pass.taps.begin() + pass.geometry.taps_x;
    const auto along_z = along_y + pass.geometry.taps_y;
    std::copy(pass.taps.begin(), along_y, taps.begin());
    std::copy(along_y, along_z, taps.data() + most);
    std::reverse_copy(along_z, pass.taps.end(), taps.data() + 2 * most);
    return bytes_of(taps.data(), taps.size());
}

Work work(const VolumePass &pass, const MarchSettings &settings, const DeviceFacts &facts) {
    const int most = bucket_of(pass);
    March march = march_of(pass, settings, facts, most, most);
    Launch launch = std::move(march.launch);
    launch.program.file = "correlate/separable_march.cl";
    launch.program.entry = "separable_march";
    launch.program.defines["MOST"] = most;
    launch.program.defines["RING"] = settings.ring;
    const bool is_exact =
        pass.geometry.taps_x == most && pass.geometry.taps_y == most && pass.volume.taps_z == most;
    launch.program.defines["EXACT"] = is_exact ? 1 : 0;
    launch.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.geometry),
                        by_value(pass.volume),
                        by_value(march.depth),
                        by_value(march.chunks),
                        taps_argument(launch.program.defines, packed_taps(pass), facts),
                        local_vectors(settings.ring * march.vectors),
                        local_vectors(settings.group_x * march.rows)};
    return launch;
}

// Measured on NVIDIA (H200), time beside two passes: up to 5 taps 0.54 to 0.9 in volumes of 64 to 512 pixels a side;
// 7 and 9 taps of f32 0.62 and 0.65 in 512, 0.89 and 0.92 in 128, 1.06 and 1.19 in 64, of u8 0.76 and 0.78 in 512,
// 0.91 and 1.18 in 128, 9 taps 0.75 in 256; 11 taps 0.98 and 1.16 in 512. Other GPUs, of which none was measured, keep
// fewer sums.
bool is_fast(const VolumePass &pass, const DeviceFacts &facts) {
    const int longest = longest_side(pass);
    if (longest <= 5)
        return true;
    if (facts.device_class != DeviceClass::nvidia_gpu)
        return false;
    const std::int64_t least = std::int64_t{1} << (longest <= 7 || is_async(pass, facts) ? 20 : 23);
    return pass.values() >= least;
}

MarchSettings shaped(int group_x, int group_y, int item_y, int ring, int depth) {
    return {.group_x = group_x, .group_y = group_y, .item_y = item_y, .depth = depth, .ring = ring};
}

} // namespace

Kernel separable_march() {
    KernelSpec<VolumePass, MarchSettings> spec;
    spec.name = "separable_march";
    spec.folder = "correlate";
    spec.tunables = {{"GROUP_X", &MarchSettings::group_x, {8, 16, 32}},
                     {"GROUP_Y", &MarchSettings::group_y, {4, 8}},
                     {"ITEM_Y", &MarchSettings::item_y, {1, 2, 4}},
                     {"RING", &MarchSettings::ring, {2, 3}},
                     {"DEPTH", &MarchSettings::depth, {16, 32, 64, 128}}};
    spec.refusal = refusal;
    spec.preferred = [](const VolumePass &pass, const DeviceFacts &facts) {
        // Measured on NVIDIA (H200): a second slice on its way is worth its local memory where it needs no
        // registers.
        const int ring = is_async(pass, facts) ? 3 : 2;
        return std::vector<MarchSettings>{
            with_fitting_depth(pass, shaped(16, 8, 2, ring, 128), facts), shaped(16, 4, 1, 2, 32),
            shaped(8, 4, 1, 2, 16)};
    };
    spec.work = work;
    spec.details = [](const VolumePass &, const MarchSettings &settings) {
        return text("along x, y and z at once, ", settings.depth, " slices of a group");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        if (!pass.separable)
            return Rank::never();
        return Rank{habit_of(facts) != GroupHabit::strips && is_fast(pass, facts) ? 1 : 0};
    };
    return spec;
}

} // namespace gz
