// SHA-256 (FIPS 180-4). Our own, so that the installed library needs nothing but OpenCL.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace gz {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::span<const std::byte> message);

// Lower case.
std::string to_hex(const Digest &digest);

} // namespace gz
