#!/usr/bin/env bash
# Tries the recipes of Conan, vcpkg and conda-forge as far as they run without those projects' packages: dependencies
# are the system's, and compilers do not optimise.
#
#   tools/packaging/try.sh [conan|vcpkg|conda]...    by default all three
#
# Python packages come from the index that pip is set to.
set -euo pipefail

recipes=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$recipes/../.." && pwd)
work=$root/build/packaging
mkdir -p "$work"
export GAUZE_CACHE_DIR=off

# python_packages NAME...: puts them into a virtual environment, whose programs come first from then on.
python_packages() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip --disable-pip-version-check --quiet install "$@"
    PATH=$work/venv/bin:$PATH
}

# Conan itself: it packages the checkout, static and without the command, then shared and with it, and builds and runs
# the consumers against each package.
try_conan() {
    python_packages "conan>=2.4"
    export CONAN_HOME=$work/conan
    rm -rf "$CONAN_HOME"
    conan profile detect
    conan remote disable "*"
    local settings=(-s build_type=Debug -s compiler.cppstd=20 -o "gauze/*:system_libraries=True" -c tools.build:jobs=2
        -c tools.cmake.cmake_layout:test_folder="$work/conan-test")
    conan inspect "$recipes/conan"
    conan create "$recipes/conan" "${settings[@]}"
    conan create "$recipes/conan" "${settings[@]}" -o "gauze/*:shared=True" -o "gauze/*:command=True"
}

try_vcpkg() {
    cmake -DWORK="$work/vcpkg" "-DBUILD_OPTIONS=-DCMAKE_CXX_FLAGS_RELEASE=-O0;-DCMAKE_CXX_FLAGS_DEBUG=-O0" \
        -P "$recipes/vcpkg/try.cmake"
}

# What conda-build would do: render the recipe, run build.sh for an empty prefix in a copy of the sources, then the
# recipe's tests.
try_conda() {
    python_packages jinja2 pyyaml ninja
    local sources=$work/conda/sources
    rm -rf "$work/conda"
    mkdir -p "$sources"
    tar -C "$root" --exclude=./.git --exclude='./build*' --exclude=./.cache -cf - . | tar -C "$sources" -xf -
    export PREFIX=$work/conda/prefix
    (
        cd "$sources"
        CMAKE_ARGS=-DCMAKE_CXX_FLAGS_RELEASE=-O0 CPU_COUNT=2 bash "$recipes/conda/build.sh"
    )
    mkdir "$work/conda/test"
    cp -r --parents -t "$work/conda/test" host_tests/consumer
    python3 "$recipes/conda/render.py" >"$work/conda/test.sh"
    (
        cd "$work/conda/test"
        PATH=$PREFIX/bin:$PATH bash -ex "$work/conda/test.sh"
    )
    (cd "$PREFIX" && find . -type f -o -type l | LC_ALL=C sort)
}

cd "$root"
if [ $# -eq 0 ]; then
    set -- conan vcpkg conda
fi
for recipe in "$@"; do
    case $recipe in
    conan | vcpkg | conda)
        echo "== $recipe"
        "try_$recipe"
        ;;
    *)
        echo "usage: tools/packaging/try.sh [conan|vcpkg|conda]..." >&2
        exit 2
        ;;
    esac
done
