#!/usr/bin/env bash
# Runs the full product of the kernels' tests, every tunable configuration x type x size x border, in
# as many processes as there are cores; prints what failed and fails if anything did.
#
#   tools/full_product.sh [TEST_CASES]   doctest's pattern; default: all, which takes hours
#
# GAUZE_DEVICE chooses the device, BUILD the folder of the build (build/dev). PART=1/4 runs the second
# quarter of the cases: for machines that are there for a short time. SUITE=kernels runs the pairwise
# cases instead, all of them.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tests=${BUILD:-build/dev}/host_tests/test_kernels
pattern=${1:-*}
count=$(getconf _NPROCESSORS_ONLN)
part=${PART:-0/1}
suite=${SUITE:-full product}
first=$((${part%/*} * count))
shares=$((${part#*/} * count))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# PoCL's optimiser would take most of the time. A cache for each process: they compile the same
# programs at the same time.
export POCL_EXTRA_BUILD_FLAGS=${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}
run_share() {
    mkdir "$work/cache$1"
    POCL_CACHE_DIR=$work/cache$1 GAUZE_SHARE=$((first + $1))/$shares \
        "$tests" --no-skip "--test-suite=$suite" "--test-case=$pattern" >"$work/log$1" 2>&1
}
pids=()
for ((i = 0; i < count; ++i)); do
    run_share "$i" &
    pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do
    wait "$pid" || failed=$((failed + 1))
done
grep -h -A4 ERROR "$work"/log* | head -60 || true
grep -h MESSAGE "$work"/log* | sed 's/.*MESSAGE: //' || true
echo "$suite: $failed of $count shares failed"
[ "$failed" -eq 0 ]
