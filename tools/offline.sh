#!/bin/bash
# tools/offline.sh [all]: compiles what plans would run on AMD's and Intel's GPUs, which need not be here, by Debian 12's
# compilers, and prints registers, spills and private memory of each kernel. Fails where a program does not compile, or
# a kernel has more than tools/offline_allowed.txt says. all: every type of pixels, in place of f32 and u8.
# CHIPS: the chips, else gfx90a gfx1030 dg2 tgllp; CL_DIR: the folder of kernels, else cl.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/offline
packages=$work/packages
libraries=$packages/usr/lib/x86_64-linux-gnu

# The compilers are unpacked, not installed, and no driver is registered.
if [ ! -e "$packages/complete" ]; then
    mkdir -p "$work/deb" "$packages"
    (cd "$work/deb" && apt-get download -q clang-16 libclang-cpp16 libllvm16 libclang-common-16-dev rocm-device-libs \
        intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14 libz3-4)
    for package in "$work"/deb/*.deb; do
        dpkg -x "$package" "$packages"
    done
    ln -sf libiga64.so.1 "$libraries/libiga64.so"
    touch "$packages/complete"
fi
llvm=$packages/usr/lib/llvm-16
export AMD_CLANG="env LD_LIBRARY_PATH=$libraries:$llvm/lib $llvm/bin/clang -x cl -target amdgcn-amd-amdhsa
    -Xclang -finclude-default-header -O3 -resource-dir $llvm/lib/clang/16 --rocm-device-lib-path=$libraries/amdgcn/bitcode"
export OCLOC="env LD_LIBRARY_PATH=$libraries $packages/usr/bin/ocloc"

cmake --preset dev -S "$root" > "$work/configure.log"
cmake --build "$root/build/dev" --target list_choices device_layer --parallel "$(nproc)" > "$work/build.log"
status=0
for chip in ${CHIPS:-gfx90a gfx1030 dg2 tgllp}; do
    dump=$work/$chip
    rm -rf "$dump"
    mkdir -p "$dump"
    OPENCL_LAYERS=$root/build/dev/host_tests/libdevice_layer.so DEVICE_LAYER=$chip DEVICE_LAYER_RUN=off DEVICE_LAYER_DUMP=$dump \
        GAUZE_CL_DIR=${CL_DIR:-$root/cl} GAUZE_CACHE_DIR=off GAUZE_TUNING_FILE=off GAUZE_SELF_TEST=off \
        "$root/build/dev/host_tests/list_choices" "$@" > "$dump/choices.txt"
    python3 "$root/tools/offline.py" "$dump" "$chip" "$root/tools/offline_allowed.txt" || status=1
done
exit $status
