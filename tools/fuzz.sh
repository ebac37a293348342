#!/usr/bin/env bash
# Builds the fuzzers of what reads bytes from outside, with Clang, and runs each for a while.
#
#   tools/fuzz.sh [SECONDS]     of each; default: 60
#
# What they find stays in build/fuzz/corpus for the next time. A failure prints the file that shows it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
seconds=${1:-60}

fuzzers=(fuzz_cache_entry fuzz_npy fuzz_png)
cmake --preset fuzz
cmake --build build/fuzz --parallel "$(getconf _NPROCESSORS_ONLN)" --target "${fuzzers[@]}"
for fuzzer in "${fuzzers[@]}"; do
    corpus=build/fuzz/corpus/$fuzzer
    mkdir -p "$corpus"
    echo "$fuzzer: $seconds seconds"
    build/fuzz/host_tests/fuzz/"$fuzzer" -max_total_time="$seconds" -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="build/fuzz/$fuzzer-" "$corpus"
done
