// Any bytes as a .npy file: refused, or an array of as many values as its shape says.
#include <cstdint>
#include <cstdlib>

#include "input_error.hpp"
#include "memory_file.hpp"
#include "npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        const gauze::tool::NpyArray array = gauze::tool::read_npy(gauze::fuzz::file_of(data, size));
        std::size_t count = 1;
        for (const std::int64_t extent : array.shape)
            count *= static_cast<std::size_t>(extent);
        if (array.data.size() != count * array.type.size ||
            gauze::tool::to_doubles(array).size() != count)
            std::abort();
    } catch (const gauze::tool::InputError &) {
    }
    return 0;
}
