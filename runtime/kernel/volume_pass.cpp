#include "kernel/volume_pass.hpp"

namespace gz {

TapsArgument dense_taps(const VolumePass &pass, std::size_t filter) {
    // Of what constant memory has at least.
    constexpr std::size_t most_bytes = 32 * 1024;
    std::vector<std::byte> bytes =
        bytes_of(pass.taps.data() + filter * pass.taps_of_one(), pass.taps_of_one());
    const bool are_few = bytes.size() <= most_bytes;
    return {ConstantData{std::move(bytes), !are_few}, are_few};
}

} // namespace gz
