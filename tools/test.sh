#!/usr/bin/env bash
# Builds with warnings as errors and runs all tests; then the same with the address and
# undefined-behaviour sanitizers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

tools/setup.sh test
export LSAN_OPTIONS="suppressions=$root/tools/sanitizers.supp:print_suppressions=0"

# check PRESET: configures, builds and tests it.
check() {
    echo "== $1"
    cmake --preset "$1" -DGAUZE_WERROR=ON
    cmake --build "build/$1" --parallel "$(getconf _NPROCESSORS_ONLN)"
    ctest --test-dir "build/$1" --output-on-failure
}

check dev
check asan
