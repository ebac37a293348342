#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/shared.hpp"

int main(int argc, char **argv) {
    doctest::Context context(argc, argv);
    const int result = context.run();
    for (const auto &release : support::releases())
        release();
    return result;
}
