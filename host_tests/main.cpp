#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/environment.hpp"
#include "support/shared.hpp"

#ifdef __MINGW32__
// GCC frees the memory of a thread_local object of doctest's before it destroys the object (GCC's bug 83562). Here
// they are not destroyed.
extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *) noexcept {
    return 0;
}
#endif

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
