// Any bytes as an entry of the cache: refused, or those that write_entry makes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "device/cache_entry.hpp"
#include "device/sha256.hpp"

namespace {

const std::string key = "key";

void read(const std::vector<std::byte> &entry) {
    try {
        const std::span<const std::byte> program = gz::read_entry(entry, key);
        if (gz::write_entry(key, program) != entry)
            std::abort();
    } catch (const gz::Error &) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    std::vector<std::byte> entry(bytes.begin(), bytes.end());
    read(entry);
    // The entry gets the right checksum, which no fuzzer finds.
    const gz::Digest digest = gz::sha256(entry);
    entry.insert(entry.end(), digest.begin(), digest.end());
    read(entry);
    return 0;
}
