#!/usr/bin/env bash
# Builds Gauze and filters a photograph: an embossed one and its edges, in demo-output/.
# The environment variable GAUZE_DEVICE picks the device ("gpu", "cpu", part of a name).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

tools/setup.sh build
cmake --preset release
cmake --build build/release --parallel "$(getconf _NPROCESSORS_ONLN)" --target gauze_command

photograph=tools/images/astronaut.png
output=$root/demo-output
mkdir -p "$output"

# demo NAME TAPS: what is shown is the command's own report of the device and the times.
demo() {
    echo
    echo "$1: gauze run correlate --taps '$2' $photograph"
    build/release/tools/gauze run correlate --taps "$2" --time 20 "$photograph" "$output/$1.png" 2>&1
    echo "  -> $output/$1.png"
}

demo emboss "-2,-1,0;-1,1,1;0,1,2"
demo edges "0,0,-1,0,0;0,-1,-2,-1,0;-1,-2,16,-2,-1;0,-1,-2,-1,0;0,0,-1,0,0"
