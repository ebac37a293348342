#!/usr/bin/env bash
# Runs what concerns threads with the thread sanitizer, on PoCL alone: what other drivers do among
# their own threads is theirs.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

tools/setup.sh test
unset GAUZE_DEVICE GAUZE_VARIANT GAUZE_CL_DIR GAUZE_CACHE_DIR GAUZE_LOG
# Warnings are of other builds: with the sanitizer GCC 12 sees what is not there.
cmake --preset tsan
cmake --build build/tsan --parallel "$(getconf _NPROCESSORS_ONLN)" \
    --target test_api test_threads exit_with_live_handles

pocl=/etc/OpenCL/vendors/pocl.icd
if [ -f "$pocl" ]; then
    mkdir -p build/tsan/drivers
    cp "$pocl" build/tsan/drivers/
    export OCL_ICD_VENDORS=$root/build/tsan/drivers
fi
ctest --test-dir build/tsan --output-on-failure -R '^(api|threads|exit_.*)$'
