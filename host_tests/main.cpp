#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "support/shared.hpp"

int main(int argc, char **argv) {
    // Tests count compilations, and leave the user's own files alone.
    setenv("GAUZE_CACHE_DIR", "off", 1);
    setenv("GAUZE_TUNING_FILE", "off", 1);
    setenv("GAUZE_SELF_TEST", "off", 1);
    doctest::Context context(argc, argv);
    const int result = context.run();
    for (const auto &release : support::releases())
        release();
    return result;
}
