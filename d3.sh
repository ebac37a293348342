#!/bin/bash
unset OCL_ICD_FILENAMES; mkdir -p /etc/OpenCL/vendors; echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd; rm -f /etc/OpenCL/vendors/pocl.icd
export GAUZE_DEVICE=gpu GAUZE_CACHE_DIR=$PWD/cache
t0=$SECONDS
cmake --preset dev > cfg.txt 2>&1 || tail -20 cfg.txt
cmake --build build/dev --parallel 16 --target gauze_command test_kernels > b.txt 2>&1 || tail -20 b.txt
G=$PWD/build/dev/tools/gauze
python3 - <<'P'
import numpy as np
r=np.random.default_rng(1)
for n,s in (('',8192),('o',8191)):
    np.save(n+'u8.npy',r.integers(0,256,(s,s),dtype=np.uint8)); np.save(n+'f32.npy',r.random((s,s),dtype=np.float32)); np.save(n+'u16.npy',r.integers(0,65536,(s,s),dtype=np.uint16))
np.save('s8.npy',r.integers(0,256,(1080,1920),dtype=np.uint8)); y,x=np.mgrid[-7:8,-7:8]; np.save("disk7.npy",(x*x+y*y<=49).astype(np.uint8)); np.save('k5.npy',r.random((5,5),dtype=np.float32)); 
P
echo "ready $((SECONDS-t0))"
m() { printf "%s %s %s %s: " "$1" "$2" "$3" "$4"; GAUZE_CL_DIR=$PWD/$1 timeout 60 $G run median --size $2 $3.npy /dev/shm/o.npy --time 15 --quiet ${4:+--variant $4} 2>&1 | grep -v ^device | sed 's/median of 15 runs: device//;s/wall.*copy//;s/times the//;s/, 1 launches//' | cut -c1-60; }
for s in 3 5 7; do for t in u8 u16 f32; do for c in clbase cl clmix clbase cl clmix; do m $c $s $t rank_network; done; done; done
for t in s8 ou8 of32; do for s in 3 5; do for c in clbase cl clmix; do m $c $s $t rank_network; done; done; done
echo "medians $((SECONDS-t0))"
d() { printf "%s %s: " "$2" "$1"; $G run $2 $1.npy /dev/shm/o.npy --time 7 --quiet 2>&1 | grep -v ^device | sed 's/median of 7 runs: device//;s/wall.*copy/copy/;s/times the copy//' | cut -c1-70; }
for f in "gaussian --sigma 1" "gaussian --sigma 5" "gaussian --sigma 30" "correlate --kernel k5.npy" "box --size 11" "box --size 31" "box --size 101" "median --size 11" "median --size 25" "maximum --size 3" "maximum --size 15" "maximum --size 51" "erode --footprint disk7.npy" "open --size 5" "sobel --axis x" "gradient-magnitude --operator sobel" "laplace" "unsharp --sigma 1 --amount 1" "local-deviation --radius 7" "bilateral --sigma-space 1 --sigma-range 0.1" "guided --radius 8 --epsilon 0.01" "sat" "bspline --order 3" "dog --sigma 1,2"; do for t in f32 of32 u8 ou8; do d $t "$f"; done; done
echo "cliffs $((SECONDS-t0))"
GAUZE_TEST_KERNEL=rank_network GAUZE_SHARE=0/4 GAUZE_TUNING_FILE=off timeout 100 build/dev/host_tests/test_kernels "--test-case=* kernels: pairwise,* kernels: several tiles,the kernel under test *" 2>&1 | tail -3
echo "end $((SECONDS-t0))"
tar cf $OUT/cache.tar cache 2>/dev/null
