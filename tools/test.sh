#!/usr/bin/env bash
# Builds with warnings as errors and runs the tests on devices; then those of the Python package, in a
# virtual environment; then those of host code, with the address and undefined-behaviour sanitizers; then,
# where Clang is, fuzzes what reads bytes from outside.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

tools/setup.sh test
# The tests choose for themselves.
unset GAUZE_DEVICE GAUZE_VARIANT GAUZE_CL_DIR GAUZE_CACHE_DIR GAUZE_TUNING_FILE GAUZE_SELF_TEST GAUZE_LOG GAUZE_MAX_PIXELS
export LSAN_OPTIONS="suppressions=$root/tools/sanitizers.supp:print_suppressions=0"
# LLVM 14's leak sanitizer crashes where it takes garbage for the place of a library's thread-local variables.
export ASAN_OPTIONS=intercept_tls_get_addr=0

# check PRESET TARGETS TESTS: configures a preset, builds targets and runs the tests of a pattern.
check() {
    echo "== $1"
    cmake --preset "$1" -DGAUZE_WERROR=ON
    cmake --build "build/$1" --target ${2//,/ } --parallel "$(getconf _NPROCESSORS_ONLN)"
    ctest --test-dir "build/$1" -R "$3" --output-on-failure \
        --parallel "$(getconf _NPROCESSORS_ONLN)"
}

# Clang may be here without its sanitizers' libraries.
has_clang_sanitizers() {
    local program
    program=$(mktemp)
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
        clang++ -x c++ - -fsanitize=fuzzer,address -o "$program" 2>/dev/null
    local status=$?
    rm -f "$program"
    return $status
}

check devices all .
tools/test_python.sh build/devices

# Mesa's drivers leak where they are loaded, even unused: the sanitizers see PoCL alone.
pocl=/etc/OpenCL/vendors/pocl.icd
if [ -f "$pocl" ]; then
    mkdir -p build/asan/drivers
    cp "$pocl" build/asan/drivers/
    export OCL_ICD_VENDORS=$root/build/asan/drivers
fi
# Host code, of which the stage before has no tests. Clang needs half of GCC's time for it, and a second
# compiler's warnings are seen.
can_fuzz=false
if has_clang_sanitizers; then
    can_fuzz=true
    export CC=clang CXX=clang++
fi
check asan test_units,test_discovery,test_api,test_image_files \
    "^(units|streaming|discovery|discovery_avx2|api|image_files|two_devices.*|large_images)\$"

if $can_fuzz; then
    echo "== fuzz"
    tools/fuzz.sh 10
else
    echo "== no libFuzzer here: what reads bytes from outside is not fuzzed"
fi
