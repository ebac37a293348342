#include "device/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gz {

namespace {

constexpr std::size_t block_bytes = 64;
using State = std::array<std::uint32_t, 8>;

// Section 4.2.2: the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Section 6.2.2.
void add_block(State &state, std::span<const std::byte> block) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) {
        w[t] = 0;
        for (std::size_t i = 0; i < 4; ++i)
            w[t] = w[t] << 8 | std::to_integer<std::uint32_t>(block[4 * t + i]);
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t s0 =
            std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += added[i];
}

} // namespace

Digest sha256(std::span<const std::byte> message) {
    // Section 5.3.3: the fractions of the square roots of the first 8 primes.
    State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto bits = static_cast<std::uint64_t>(message.size()) * 8;
    for (; message.size() >= block_bytes; message = message.subspan(block_bytes))
        add_block(state, message.first(block_bytes));

    // Section 5.1.1: a one, zeros, and the length in the last 8 bytes of a block; of one block more
    // where the rest leaves no room for these.
    std::array<std::byte, 2 * block_bytes> last{};
    std::copy(message.begin(), message.end(), last.begin());
    last[message.size()] = std::byte{0x80};
    const std::size_t end = message.size() + 9 <= block_bytes ? block_bytes : 2 * block_bytes;
    for (std::size_t i = 0; i < 8; ++i)
        last[end - 1 - i] = static_cast<std::byte>(bits >> 8 * i);
    for (std::size_t at = 0; at < end; at += block_bytes)
        add_block(state, std::span<const std::byte>(last).subspan(at, block_bytes));

    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<std::byte>(state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

std::string to_hex(const Digest &digest) {
    std::string text;
    for (const std::byte b : digest) {
        text += "0123456789abcdef"[std::to_integer<std::size_t>(b >> 4)];
        text += "0123456789abcdef"[std::to_integer<std::size_t>(b & std::byte{15})];
    }
    return text;
}

} // namespace gz
