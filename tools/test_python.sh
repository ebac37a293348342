#!/usr/bin/env bash
# Installs the Python package into a new virtual environment, over the library of a build folder or one that
# pip builds, and runs its tests.
#
#   tools/test_python.sh [BUILD]    BUILD: a build folder, such as build/devices
#
# Packages come from the index that pip is set to. Where there is none the tests are left out, and the script
# says so; with GAUZE_PYTHON_REQUIRED=1 it fails instead.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${1:-}
place=$root/build/python-test

# leave_out REASON: ends the script.
leave_out() {
    echo "== the Python package is not tested: $1" >&2
    exit "${GAUZE_PYTHON_REQUIRED:-0}"
}

echo "== python"
tools/setup.sh python || leave_out "Python cannot make a virtual environment here"
rm -rf "$place"
python3 -m venv "$place/venv" || leave_out "Python cannot make a virtual environment here"
pip=("$place/venv/bin/python" -m pip --disable-pip-version-check --quiet)
# Building and testing need these. A failure to find them is no failure of the package.
"${pip[@]}" install "scikit-build-core>=0.10" "nanobind>=2.2" numpy "scipy>=1.17,<1.18" \
    pytest pytest-xdist hypothesis pyopencl "dask[array]>=2024.1" distributed zarr ||
    leave_out "pip finds no packages here"

options=(--no-build-isolation)
if [ -n "$build" ]; then
    cmake --install "$build" --prefix "$place/library" >"$place/install.log"
    options+=(-C cmake.define.GAUZE_PYTHON_INSTALLED=ON -C "cmake.define.gauze_ROOT=$place/library"
        -C "build-dir=$place/build" -C cmake.define.GAUZE_WERROR=ON -C cmake.build-type=Debug)
fi
"${pip[@]}" install "${options[@]}" .

# The tests are of what is installed, not of the folder. PoCL's optimiser takes seconds over each program.
cd "$place"
POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable "$place/venv/bin/python" -m pytest -q -n "$(getconf _NPROCESSORS_ONLN)" \
    -c "$root/pyproject.toml" --rootdir "$root" "$root/python/tests"

# The same package where pip's PoCL is the only driver.
echo "== python: gauze[cpu]"
python3 -m venv --without-pip "$place/cpu"
if "${pip[@]}" --python "$place/cpu/bin/python" install numpy pocl-binary-distribution; then
    packages=$("$place/cpu/bin/python" -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
    cp -r "$("$place/venv/bin/python" -c "import gauze; print(*gauze.__path__)")" "$packages"
    mkdir "$place/no-drivers"
    OCL_ICD_VENDORS=$place/no-drivers "$place/cpu/bin/python" "$root/python/tests/cpu_driver.py"
else
    echo "== gauze[cpu] is not tested: pip finds no PoCL here" >&2
fi
