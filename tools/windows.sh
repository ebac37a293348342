#!/usr/bin/env bash
# Builds the library, the command, the examples and the tests for Windows by MinGW-w64, warnings as errors, and runs the
# tests under Wine, whose opencl.dll hands over to this system's OpenCL.
#
#   tools/windows.sh [build|test|headers]
#
# By default all of that; "build" runs no tests. TESTS="^units$" tools/windows.sh runs the tests that match. "headers" has
# only Clang look at the public headers in the way of Microsoft's compiler, which the others do too. It needs Debian or
# Ubuntu, and installs what is missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
purpose=${1:-test}
work=$root/build/windows
target=$work/root # what is for Windows: headers and libraries
build=$work/build
jobs=$(getconf _NPROCESSORS_ONLN)

"$root/tools/setup.sh" test
"$root/tools/setup.sh" windows
mkdir -p "$work"

# unpack PACKAGES...: puts what Debian's packages hold into $target, and installs nothing.
unpack() {
    mkdir -p "$work/packages"
    (cd "$work/packages" && apt-get download -qq "$@")
    for package in "$work"/packages/*.deb; do
        dpkg -x "$package" "$target"
    done
}

# The headers that have no part for each system. The package of doctest says where it is installed, all others where
# they lie.
prepare_headers() {
    unpack libcli11-dev nlohmann-json3-dev doctest-dev opencl-c-headers opencl-clhpp-headers libz-mingw-w64-dev
    sed -i "s|set(_IMPORT_PREFIX \"/usr\")|set(_IMPORT_PREFIX \"$target/usr\")|" \
        "$target"/usr/lib/cmake/doctest/*.cmake
}

# The import library of OpenCL.dll: the loader here has the functions of any.
prepare_opencl() {
    local loader
    loader=$(ldconfig -p | awk '/libOpenCL.so.1/ {print $NF; exit}')
    {
        echo "LIBRARY OpenCL.dll"
        echo EXPORTS
        nm -D --defined-only "$loader" | awk '$3 ~ /^cl[A-Z]/ {sub(/@.*/, "", $3); print $3}' | sort -u
    } >"$work/OpenCL.def"
    mkdir -p "$target/lib"
    x86_64-w64-mingw32-dlltool -d "$work/OpenCL.def" -l "$target/lib/libOpenCL.dll.a"
}

# configure SOURCE BUILD OPTIONS...
configure() {
    local source=$1 to=$2
    shift 2
    cmake -S "$source" -B "$to" -DCMAKE_TOOLCHAIN_FILE="$root/cmake/windows_toolchain.cmake" \
        -DGAUZE_WINDOWS_ROOT="$target" -DZLIB_LIBRARY="$target/usr/x86_64-w64-mingw32/lib/libz.a" \
        -DZLIB_INCLUDE_DIR="$target/usr/x86_64-w64-mingw32/include" "$@"
}

# libpng by its own build, from Debian's sources: there is no package for Windows.
prepare_png() {
    local sources=$work/sources.list
    if [ -e /etc/apt/sources.list.d/debian.sources ]; then
        sources=$work/debian.sources
        sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$sources"
    else
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$sources"
    fi
    mkdir -p "$work/lists/partial" "$work/png"
    local options=(-o Dir::Etc::SourceList="$sources" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::State::Lists="$work/lists")
    apt-get "${options[@]}" update -qq
    (cd "$work/png" && apt-get "${options[@]}" source -qq --download-only --tar-only libpng1.6)
    tar -xf "$work"/png/libpng1.6_*.orig.tar.* -C "$work/png"
    configure "$work"/png/libpng-* "$work/png/build" -DCMAKE_BUILD_TYPE=Release -DPNG_SHARED=OFF \
        -DPNG_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$target"
    cmake --build "$work/png/build" --parallel "$jobs"
    cmake --install "$work/png/build"
}

if [ ! -e "$target/complete" ]; then
    rm -rf "$target" "$work/png"
    mkdir -p "$target"
    {
        prepare_headers
        prepare_opencl
        prepare_png
    } >"$work/prepare.log" 2>&1 || {
        tail -20 "$work/prepare.log" >&2
        exit 1
    }
    touch "$target/complete"
fi

# Reads the public headers as Microsoft's compiler would: C, C++17 and C++20, without extensions. There are no headers of
# Microsoft's library here, so MinGW-w64's stand in; they take the compiler for GCC.
check_headers() {
    local gcc include language
    gcc=$(x86_64-w64-mingw32-g++-posix -print-file-name=include)
    printf '#include <gauze/%s>\n' gauze.h gauze_tuning.h >"$work/headers.c"
    printf '#include <gauze/%s>\n' gauze.hpp gauze_fleet.hpp gauze_tuning.hpp >"$work/headers.cpp"
    local options=(--driver-mode=cl --target=x86_64-pc-windows-msvc -fsyntax-only /W4 /WX -Wpedantic -Wgnu
        -I"$root/runtime/include")
    local system=()
    for include in "$target/usr/include" /usr/x86_64-w64-mingw32/include; do
        system+=(-imsvc "$include")
    done
    clang "${options[@]}" "${system[@]}" "-Tc$work/headers.c"
    for language in c++17 c++20; do
        clang "${options[@]}" "/std:$language" /EHsc -Xclang -fgnuc-version=12.2 -D__STRICT_ANSI__ \
            -D__declspec=__declspec -imsvc "$gcc/c++" -imsvc "$gcc/c++/x86_64-w64-mingw32" "${system[@]}" \
            "-Tp$work/headers.cpp"
    done
    echo "the public headers have no extensions that Microsoft's compiler would refuse"
}
check_headers
[ "$purpose" = headers ] && exit

configure "$root" "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g0" \
    -DGAUZE_ARITHMETIC_FLAGS=-O1 -DGAUZE_WERROR=ON -DGAUZE_EXAMPLES=ON \
    -DOpenCL_INCLUDE_DIR="$target/usr/include" -DOpenCL_LIBRARY="$target/lib/libOpenCL.dll.a" \
    -DCMAKE_CROSSCOMPILING_EMULATOR="$root/tools/wine.sh"
cmake --build "$build" --parallel "$jobs"
[ "$purpose" = build ] && exit

# Tests that look at the sources, or run programs of this system, are those of tools/test.sh.
if [ -n "${TESTS:-}" ]; then
    select=(-R "$TESTS")
else
    select=(-E '^(layers|house|docs|format|install.*|package)$')
fi
ctest --test-dir "$build" "${select[@]}" --output-on-failure --parallel "$jobs"
