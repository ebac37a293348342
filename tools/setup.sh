#!/usr/bin/env bash
# Installs what building, testing and trying Gauze needs, where it is missing.
#
#   tools/setup.sh [build|test|docs|python|windows]
#
# By default what building takes; "test" adds what only the tests need, "docs" what the reference is made
# by, "python" what pip needs to build the Python package, "windows" what builds for Windows and runs that here.
#
# With apt (Debian, Ubuntu) packages are installed, with sudo where the user is not root. Elsewhere
# the script says what is needed, and fails where it cannot find it. It is fast when nothing is
# missing.
set -euo pipefail

purpose=${1:-build}
case $purpose in
build | test | docs | python | windows) ;;
*)
    echo "usage: tools/setup.sh [build|test|docs|python|windows]" >&2
    exit 2
    ;;
esac

# Packages that the build, or the tests, cannot do without; and those that only widen the tests.
needed=(g++ cmake pkg-config opencl-headers opencl-clhpp-headers ocl-icd-opencl-dev
    pocl-opencl-icd libpng-dev libcli11-dev nlohmann-json3-dev)
wanted=()
command -v make >/dev/null || needed+=(make)
if [ "$purpose" = test ]; then
    needed+=(doctest-dev)
    wanted+=(mesa-opencl-icd oclgrind clang-format-14 clang libclang-rt-14-dev dpkg-dev lintian groff-base)
fi
if [ "$purpose" = docs ]; then
    needed+=(doxygen)
fi
if [ "$purpose" = windows ]; then
    needed+=(g++-mingw-w64-x86-64-posix wine wine64 binutils clang)
fi
# Whether the python3 in use, which need not be the system's, can make an environment and build for it.
has_python() {
    python3 -c 'import ensurepip, os, sysconfig, sys, venv
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' 2>/dev/null
}
if [ "$purpose" = python ] && ! has_python; then
    needed+=(python3-venv python3-dev)
fi

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: neither root nor sudo" >&2
        return 1
    fi
}

# Prints those of the packages that are not installed.
missing_of() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

apt_install() {
    echo "setup: installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

install_with_apt() {
    local missing optional package
    mapfile -t missing < <(missing_of "${needed[@]}")
    mapfile -t optional < <(missing_of "${wanted[@]+"${wanted[@]}"}")
    if [ $((${#missing[@]} + ${#optional[@]})) -eq 0 ]; then
        return
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq ||
        echo "setup: the package lists could not be updated" >&2
    if [ ${#missing[@]} -gt 0 ] && ! apt_install "${missing[@]}"; then
        # Offline, say. What matters is whether the same things are here by other means.
        echo "setup: could not install ${missing[*]}" >&2
        check_by_hand
    fi
    for package in "${optional[@]+"${optional[@]}"}"; do
        apt_install "$package" || echo "setup: without $package fewer tests run" >&2
    done
}

# Whether a program that includes the header compiles.
has_header() {
    echo "#include <$1>" | c++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null
}

check_by_hand() {
    local lacking=() name headers
    local programs=(c++ cmake)
    if [ "$purpose" = docs ]; then
        programs+=(doxygen)
    fi
    if [ "$purpose" = python ] && ! has_python; then
        lacking+=("Python 3.9 or newer with venv and headers")
    fi
    for name in "${programs[@]}"; do
        command -v "$name" >/dev/null || lacking+=("$name")
    done
    headers=(CL/cl.h CL/opencl.hpp png.h CLI/CLI.hpp nlohmann/json.hpp)
    if [ "$purpose" = test ]; then
        headers+=(doctest/doctest.h)
    fi
    for name in "${headers[@]}"; do
        has_header "$name" || lacking+=("<$name>")
    done
    if [ ${#lacking[@]} -eq 0 ]; then
        return
    fi
    cat >&2 <<'END'
setup: please install by the means of this system:
  - a C++20 compiler, CMake 3.25 or newer, and make
  - the OpenCL C headers, the OpenCL C++ bindings (CL/opencl.hpp) and an OpenCL ICD loader
  - an OpenCL driver: of the GPU's vendor, or PoCL for the CPU
  - libpng, CLI11, nlohmann-json; for the tests doctest, Oclgrind and Mesa's rusticl; for the
    reference Doxygen
END
    echo "setup: not found here: ${lacking[*]}" >&2
    exit 1
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_with_apt
else
    check_by_hand
fi
