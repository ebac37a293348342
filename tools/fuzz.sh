#!/usr/bin/env bash
# Builds the fuzzers of what reads bytes from outside, with Clang, and runs each for a while, at once.
#
#   tools/fuzz.sh [SECONDS]     of each; default: 60
#
# What they find stays in build/fuzz/corpus for the next time. A failure prints the file that shows it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
seconds=${1:-60}

fuzzers=(fuzz_cache_entry fuzz_npy fuzz_png)
cmake --preset fuzz -DGAUZE_WERROR=ON
cmake --build build/fuzz --parallel "$(getconf _NPROCESSORS_ONLN)" --target "${fuzzers[@]}"

fuzz() {
    local corpus=build/fuzz/corpus/$1
    mkdir -p "$corpus"
    build/fuzz/host_tests/fuzz/"$1" -max_total_time="$seconds" -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="build/fuzz/$1-" "$corpus" >"build/fuzz/$1.log" 2>&1
}
# All at once: none of them uses more than one core.
declare -A running
for fuzzer in "${fuzzers[@]}"; do
    fuzz "$fuzzer" &
    running[$fuzzer]=$!
done
failed=0
for fuzzer in "${fuzzers[@]}"; do
    if wait "${running[$fuzzer]}"; then
        echo "$fuzzer: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$fuzzer.log") runs, no finding"
    else
        cat "build/fuzz/$fuzzer.log"
        echo "$fuzzer: failed"
        failed=1
    fi
done
exit $failed
