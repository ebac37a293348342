#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/environment.hpp"
#include "support/shared.hpp"

int main(int argc, char **argv) {
    // Tests count compilations, and leave the user's own files alone.
    support::set_environment("GAUZE_CACHE_DIR", "off");
    support::set_environment("GAUZE_TUNING_FILE", "off");
    support::set_environment("GAUZE_SELF_TEST", "off");
    doctest::Context context(argc, argv);
    const int result = context.run();
    for (const auto &release : support::releases())
        release();
    return result;
}
