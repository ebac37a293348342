// The fold of every border against extensions written out by hand.
#include <doctest/doctest.h>

#include <string>

#include "core/border.hpp"
#include "core/error.hpp"

using gz::BorderMode;
using gz::fold;

namespace {

// The letters at indices first, first + 1, ... of the line "abcd..." of n pixels, '.' where the
// constant stands.
std::string extension(BorderMode mode, std::int64_t n, std::int64_t first, std::int64_t count) {
    std::string letters;
    for (std::int64_t i = first; i < first + count; ++i) {
        const std::int64_t at = fold(i, n, mode);
        CHECK(at >= -1);
        CHECK(at < n);
        letters += at < 0 ? '.' : static_cast<char>('a' + at);
    }
    return letters;
}

// The line with `around` more letters on both sides, as gauze.h draws it.
std::string diagram(BorderMode mode, std::int64_t n, std::int64_t around) {
    return extension(mode, n, -around, around) + "|" + extension(mode, n, 0, n) + "|" +
           extension(mode, n, n, around);
}

// "abcd...", and the same backwards.
std::string forwards(int n) {
    std::string letters;
    for (int i = 0; i < n; ++i)
        letters += static_cast<char>('a' + i);
    return letters;
}
std::string backwards(int n) {
    const std::string letters = forwards(n);
    return {letters.rbegin(), letters.rend()};
}

// Copies of `part` side by side, as many as given.
std::string repeated(const std::string &part, int copies) {
    std::string letters;
    for (int i = 0; i < copies; ++i)
        letters += part;
    return letters;
}

} // namespace

TEST_SUITE("border") {
    TEST_CASE("four pixels, extended by more than twice their number") {
        CHECK(diagram(BorderMode::clamp, 4, 9) == "aaaaaaaaa|abcd|ddddddddd");
        CHECK(diagram(BorderMode::constant, 4, 9) == ".........|abcd|.........");
        CHECK(diagram(BorderMode::reflect, 4, 9) == "aabcddcba|abcd|dcbaabcdd");
        CHECK(diagram(BorderMode::reflect101, 4, 9) == "dcbabcdcb|abcd|cbabcdcba");
        CHECK(diagram(BorderMode::wrap, 4, 9) == "dabcdabcd|abcd|abcdabcda");
    }

    TEST_CASE("two pixels") {
        CHECK(diagram(BorderMode::clamp, 2, 5) == "aaaaa|ab|bbbbb");
        CHECK(diagram(BorderMode::constant, 2, 5) == ".....|ab|.....");
        CHECK(diagram(BorderMode::reflect, 2, 5) == "aabba|ab|baabb");
        CHECK(diagram(BorderMode::reflect101, 2, 5) == "babab|ab|ababa");
        CHECK(diagram(BorderMode::wrap, 2, 5) == "babab|ab|ababa");
    }

    TEST_CASE("one pixel: every border but the constant repeats it, reflect101 like clamp") {
        CHECK(diagram(BorderMode::clamp, 1, 4) == "aaaa|a|aaaa");
        CHECK(diagram(BorderMode::constant, 1, 4) == "....|a|....");
        CHECK(diagram(BorderMode::reflect, 1, 4) == "aaaa|a|aaaa");
        CHECK(diagram(BorderMode::reflect101, 1, 4) == "aaaa|a|aaaa");
        CHECK(diagram(BorderMode::wrap, 1, 4) == "aaaa|a|aaaa");
    }

    TEST_CASE("lines of every length up to 12, extended many times over") {
        for (int n = 1; n <= 12; ++n) {
            CAPTURE(n);
            constexpr int copies = 6; // even, so that a copy starts at index 0
            const int first = -copies / 2;
            CHECK(extension(BorderMode::wrap, n, first * n, copies * n) ==
                  repeated(forwards(n), copies));
            CHECK(extension(BorderMode::reflect, n, 2 * first * n, 2 * copies * n) ==
                  repeated(forwards(n) + backwards(n), copies));
            if (n > 1) {
                // Neither end is repeated.
                const std::string there_and_back =
                    forwards(n) + backwards(n - 1).substr(0, static_cast<std::size_t>(n - 2));
                CHECK(extension(BorderMode::reflect101, n, first * (2 * n - 2),
                                copies * (2 * n - 2)) == repeated(there_and_back, copies));
            }
        }
    }

    TEST_CASE("indices far beyond 32 bits") {
        constexpr std::int64_t far = 1'000'000'000'000; // a multiple of 5, 8 and 10
        CHECK(fold(far, 5, BorderMode::clamp) == 4);
        CHECK(fold(-far, 5, BorderMode::clamp) == 0);
        CHECK(fold(far, 5, BorderMode::constant) == -1);
        CHECK(fold(-far, 5, BorderMode::constant) == -1);
        CHECK(fold(far + 3, 5, BorderMode::wrap) == 3);
        CHECK(fold(-far - 1, 5, BorderMode::wrap) == 4);
        CHECK(fold(far + 7, 5, BorderMode::reflect) == 2);    // abcdeedcba, 7 is c
        CHECK(fold(-far - 3, 5, BorderMode::reflect) == 2);   // so is -3
        CHECK(fold(far + 6, 5, BorderMode::reflect101) == 2); // abcdedcb, 6 is c
        CHECK(fold(-far - 3, 5, BorderMode::reflect101) == 3);
        // Lines beyond 32 bits too.
        CHECK(fold(far, far, BorderMode::clamp) == far - 1);
        CHECK(fold(far, far, BorderMode::reflect) == far - 1);
        CHECK(fold(far, far, BorderMode::reflect101) == far - 2);
        CHECK(fold(-1, far, BorderMode::wrap) == far - 1);
        CHECK(fold(far - 1, far, BorderMode::constant) == far - 1);
    }

    TEST_CASE("every border has a name of its own") {
        CHECK(gz::name_of(BorderMode::clamp) == std::string("clamp"));
        CHECK(gz::name_of(BorderMode::constant) == std::string("constant"));
        CHECK(gz::name_of(BorderMode::reflect) == std::string("reflect"));
        CHECK(gz::name_of(BorderMode::reflect101) == std::string("reflect101"));
        CHECK(gz::name_of(BorderMode::wrap) == std::string("wrap"));
        CHECK(gz::name_of(BorderMode::zero) == std::string("zero"));
        CHECK(std::size(gz::all_border_modes) == 5); // zero does not extend
        CHECK_THROWS_AS(static_cast<void>(gz::name_of(static_cast<BorderMode>(6))), gz::Error);
    }
}
