#!/usr/bin/env bash
# Makes the pictures of docs/filters.md, docs/images/*.png, from the photograph by the command itself.
#
#   docs/make_gallery.sh [GAUZE]     default: build/release/tools/gauze, which tools/demo.sh builds
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gauze=$(realpath "${1:-$root/build/release/tools/gauze}")
pictures=$root/docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$pictures"
cd "$work"

# What the notes on stderr say of the device is the same for every picture: only errors are shown.
run() {
    "$gauze" run "$@" --quiet
}

# cut SIDE X,Y OUT: a square part of the photograph, cut out by a filter of one tap into an empty array of its size.
cut() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
        "{'descr': '|u1', 'fortran_order': False, 'shape': ($1, $1, 3), }" >part.npy
    head -c $(($1 * $1 * 3)) /dev/zero >>part.npy
    run correlate --taps 1 --src-roi "$2,$1,$1" --dst-offset 0,0 --into part.npy --channels-last \
        "$root/tools/images/astronaut.png" "$3"
}
cut 192 136,20 "$pictures/before.png"

# picture NAME FILTER OPTION...: the part, filtered to u8.
picture() {
    run "${@:2}" --out-type u8 "$pictures/before.png" "$pictures/$1.png"
}
picture correlate correlate --taps "-2,-1,0;-1,1,1;0,1,2" --border reflect101
picture separable separable --taps-x "-1,0,1" --taps-y "1,2,1" --border reflect101
picture gaussian gaussian --sigma 4
picture box box --radius 8
picture recursive recursive --scan "+x:0.08,0.92" --border clamp
picture bspline bspline --order 3
picture bilateral bilateral --sigma-space 3 --sigma-range 25
picture guided guided --radius 8 --epsilon 650
picture nlm nlm --strength 12

# scaled FILE.npy FACTOR NAME: floats made visible by a filter of one tap.
scaled() {
    run correlate --taps "$2" --channels-last --out-type u8 "$1" "$pictures/$3.png"
}
run dog --sigma 1.5,2.4 --border reflect101 "$pictures/before.png" dog.npy
scaled dog.npy 8 dog
# made NAME FACTOR FILTER OPTION...: the part, filtered to floats that are made visible.
made() {
    run "${@:3}" --border reflect101 "$pictures/before.png" made.npy
    scaled made.npy "$2" "$1"
}
made sobel 0.5 sobel --axis x
made magnitude 4 gradient-magnitude --sigma 1
made log 16 log --sigma 1.5
made eigenvalue 12 hessian-eigenvalue --sigma 1.5 --number 0
made structure 0.3 structure --entry xx --smoothing 3 --sigma 1
picture unsharp unsharp --sigma 2 --amount 1.5
made highpass 3 highpass --sigma 8
made normalized 100 local-normalize --sigma 8 --epsilon 8
run correlate --taps 1 --out-type f32 "$pictures/before.png" floats.npy
run sat --channels-last floats.npy sat.npy
scaled sat.npy 0.00004 sat

# The map of what a slight blur does.
run gaussian --sigma 1 "$pictures/before.png" blurred.png
"$gauze" ssimulacra2 "$pictures/before.png" blurred.png --map "$pictures/ssimulacra2.png" >score.txt

# Ranks: a face, with one pixel in ten black or white. The numbers are Park and Miller's, the same everywhere.
cut 128 161,48 face.npy
head -c 128 face.npy >noisy.npy
# The pixels become escapes such as \177, since not every awk writes zeros.
printf "$(tail -c +129 face.npy | od -An -v -tu1 -w3 | awk '{
    seed = (seed ? seed : 1) * 16807 % 2147483647
    if (seed % 10 == 0)
        $1 = $2 = $3 = seed % 20 ? 0 : 255
    printf "\\%03o\\%03o\\%03o", $1, $2, $3
}')" >>noisy.npy
run correlate --taps 1 --channels-last noisy.npy "$pictures/noisy.png"

# filtered PART NAME FILTER OPTION...: a part, filtered.
filtered() {
    run "${@:3}" "$pictures/$1.png" "$pictures/$2.png"
}
filtered noisy median3 median --size 3
filtered noisy median7 median --size 7
filtered noisy minimum minimum --size 3
filtered noisy maximum maximum --size 3
filtered noisy percentile percentile --size 7 --percentile 25

# Morphology by a disk of radius 3.
cut 128 114,318 "$pictures/patch.png"
disk="0,0,0,1,0,0,0;0,1,1,1,1,1,0;0,1,1,1,1,1,0;1,1,1,1,1,1,1;0,1,1,1,1,1,0;0,1,1,1,1,1,0;0,0,0,1,0,0,0"
for filter in erode dilate open close tophat blackhat morphgradient; do
    filtered patch "$filter" "$filter" --footprint "$disk"
done
