#!/usr/bin/env bash
# Run by conda-build in the sources; CMAKE_ARGS has what its compilers want.
set -euo pipefail

# shellcheck disable=SC2086 # CMAKE_ARGS is a list of words
cmake -S . -B build -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
    -DCMAKE_INSTALL_LIBDIR=lib -DGAUZE_TESTS=OFF
cmake --build build --parallel "${CPU_COUNT:-1}"
cmake --install build
