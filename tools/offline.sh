#!/bin/bash
# tools/offline.sh [all]: compiles what plans would run on AMD's and Intel's GPUs, which need not be here, by Debian's
# compilers, and prints registers, spills and private memory of each kernel. Fails where a program does not compile, or
# a kernel has more than tools/offline_allowed.txt says. all: every type of pixels, in place of f32 and u8.
# COMPILERS: bookworm (LLVM 16; Intel's of 2022), else trixie-17 or trixie-19 (LLVM of that version; none of Intel's),
# or sid (LLVM 21; Intel's of the day), or sid-legacy (Intel's of 2024 for chips before Xe).
# CHIPS: the chips, else gfx90a gfx1030 dg2 tgllp; CL_DIR: the folder of kernels, else cl.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
compilers=${COMPILERS:-bookworm}
release=${compilers%%-*}
work=$root/build/offline/$compilers
packages=$work/packages
llvm= device_libraries= intel= driver=
case $compilers in
bookworm) llvm=16 device_libraries=rocm-device-libs intel="intel-opencl-icd libigc1 libigdfcl1" ;;
trixie-17 | trixie-19) llvm=${compilers#*-} device_libraries=rocm-device-libs-17 ;;
sid) llvm=21 device_libraries=rocm-device-libs-21 intel="intel-ocloc libigc2 libigdfcl2" driver=26.27 ;;
sid-legacy) intel="intel-ocloc-legacy libigc1 libigdfcl1" driver=24.35 ;;
*)
    echo "offline: COMPILERS is bookworm, trixie-17, trixie-19, sid or sid-legacy" >&2
    exit 2
    ;;
esac

# The compilers are unpacked with all that they need, down to the C library: nothing is installed, and no driver is
# registered.
if [ ! -e "$packages/complete" ]; then
    rm -rf "$packages"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$packages"
    printf '%s\n' "Types: deb" "URIs: http://deb.debian.org/debian" "Suites: $release" "Components: main" \
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" > "$work/debian.sources"
    : > "$work/status"
    options=(-qq -o Dir::Etc::SourceList="$work/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$work/lists" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache"
        -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    # shellcheck disable=SC2086 # names are words
    apt-get "${options[@]}" install -y --no-install-recommends --download-only \
        ${llvm:+clang-$llvm $device_libraries} $intel
    for package in "$work"/cache/archives/*.deb; do
        dpkg -x "$package" "$packages"
    done
    for library in "$packages"/usr/lib/x86_64-linux-gnu/libiga64.so.[0-9]; do
        [ ! -e "$library" ] || ln -sf "$(basename "$library")" "${library%.*}" # asked for by this name
    done
    rm -rf "$work/cache"
    touch "$packages/complete"
fi
libraries=$packages/usr/lib/x86_64-linux-gnu
loader=$(find "$packages" -path '*x86_64-linux-gnu/ld-linux-x86-64.so.2' -print -quit)
run="$loader --library-path $libraries:$packages/lib/x86_64-linux-gnu${llvm:+:$packages/usr/lib/llvm-$llvm/lib}"
bitcode=$(find "$packages" -path '*amdgcn/bitcode' -print -quit)
export AMD_CLANG="$run $packages/usr/lib/llvm-$llvm/bin/clang -x cl -target amdgcn-amd-amdhsa
    -Xclang -finclude-default-header -O3 -resource-dir $packages/usr/lib/llvm-$llvm/lib/clang/$llvm --rocm-device-lib-path=$bitcode"
export OCLOC="$run $(find "$packages/usr/bin" -name 'ocloc*' -print -quit)"

cmake --preset dev -S "$root" > "$work/configure.log"
cmake --build "$root/build/dev" --target list_choices device_layer --parallel "$(nproc)" > "$work/build.log"
status=0
for chip in ${CHIPS:-${llvm:+gfx90a gfx1030} ${intel:+dg2 tgllp}}; do
    dump=$work/$chip
    rm -rf "$dump"
    mkdir -p "$dump"
    case $chip in
    gfx*) of_chip= ;;
    *) of_chip=$driver ;; # Intel's compilers belong to a driver each
    esac
    OPENCL_LAYERS=$root/build/dev/host_tests/libdevice_layer.so DEVICE_LAYER=$chip DEVICE_LAYER_DRIVER=$of_chip \
        DEVICE_LAYER_RUN=off DEVICE_LAYER_DUMP=$dump \
        GAUZE_CL_DIR=${CL_DIR:-$root/cl} GAUZE_CACHE_DIR=off GAUZE_TUNING_FILE=off GAUZE_SELF_TEST=off \
        "$root/build/dev/host_tests/list_choices" "$@" > "$dump/choices.txt"
    python3 "$root/tools/offline.py" "$dump" "$chip" "$compilers" "$root/tools/offline_allowed.txt" || status=1
done
exit $status
