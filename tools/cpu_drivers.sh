#!/usr/bin/env bash
# Runs the tests on OpenCL drivers for CPUs that this system does not have. Nothing is installed: each driver lies in a
# folder of build/drivers.
#
#   tools/cpu_drivers.sh intel [TESTS]            Intel's CPU runtime, as PyPI has it
#   tools/cpu_drivers.sh pocl-RELEASE [TESTS]     PoCL of another release of Debian, as pocl-trixie: debootstrap and
#                                                 chroot, which need root, make and enter a small system with it
#
# TESTS: a pattern for ctest; by default all tests that take the default device. INTEL_VERSION names another version of
# Intel's runtime than the one that was tried.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
driver=${1:-}
tests=${2:-.}
folder=$root/build/drivers/$driver
jobs=$(getconf _NPROCESSORS_ONLN)
# These look at sources and packages, or name a driver of their own.
elsewhere='^(layers|house|docs|format|versions|manual|exports|install|package|discovery_(avx2|dg2_.*)|faults|choices_.*|weak_.*|oracles_gfx90a|two_devices.*|.*_(oclgrind|rusticl|optimized))$'

# PyPI's packages hold a loader too, which must not hide the system's.
prepare_intel() {
    local version=${INTEL_VERSION:-2025.3.1}
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --ignore-installed --prefix "$folder" \
        "intel-opencl-rt==$version" "intel-cmplr-lib-rt==$version"
    rm -f "$folder"/lib/libOpenCL*
    mkdir -p "$folder/vendors"
    echo "$folder/lib/libintelocl.so" >"$folder/vendors/intel.icd"
}

prepare_pocl() {
    command -v debootstrap >/dev/null || {
        echo "cpu_drivers: install debootstrap first" >&2
        exit 1
    }
    debootstrap --variant=minbase --include=pocl-opencl-icd,ocl-icd-libopencl1,cmake,libpng16-16t64 "${driver#pocl-}" \
        "$folder" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$folder.log"
}

# Lets the driver's system see the project and the oracles at their own places, and what PoCL asks of the machine.
enter_system() {
    local place
    for place in /proc /sys "$root" "$root/../shared"; do
        [ -d "$place" ] || continue
        place=$(cd "$place" && pwd)
        mkdir -p "$folder$place"
        mount --bind "$place" "$folder$place"
        mounts+=("$folder$place")
    done
}
leave_system() {
    for place in "${mounts[@]}"; do
        umount "$place"
    done
}

case $driver in
intel) prepare=prepare_intel ;;
pocl-*) prepare=prepare_pocl ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
tools/setup.sh test
if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    $prepare
    touch "$folder/complete"
fi
# All programs are optimised: PoCL 5 to 7 give wrong results where they do not.
build=$root/build/drivers/build
cmake --preset dev -B "$build" -DGAUZE_WERROR=ON -DGAUZE_POCL_FLAGS=
cmake --build "$build" --parallel "$jobs"

unset GAUZE_DEVICE GAUZE_VARIANT GAUZE_CL_DIR GAUZE_CACHE_DIR GAUZE_TUNING_FILE GAUZE_SELF_TEST GAUZE_LOG GAUZE_MAX_PIXELS
# Intel's compiler takes more than 25 minutes and 10 GiB for correlate_volume, which no plan takes there by itself: cubes of
# 7 whose loops are unrolled, for 16 items side by side.
heavy='^kernels_correlate_volume$'
[ "$driver" = intel ] && elsewhere+="|$heavy"
run=(ctest --test-dir "$build" --output-on-failure --timeout 3600 --parallel "$jobs" -R)
if [ "$driver" = intel ]; then
    export OCL_ICD_VENDORS=$folder/vendors
    "$build/tools/gauze" devices
    CL_CONFIG_CPU_VECTORIZER_MODE=1 "${run[@]}" "$heavy"
    "${run[@]}" "$tests" -E "$elsewhere"
else
    mounts=()
    trap leave_system EXIT
    enter_system
    chroot "$folder" "$build/tools/gauze" devices
    chroot "$folder" "${run[@]}" "$tests" -E "$elsewhere"
fi
