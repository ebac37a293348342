#!/usr/bin/env bash
# Builds the preset `release` twice, in folders of other names, as users with another locale, time zone and umask, and
# compares what is installed and the Debian packages byte by byte. Fails where anything differs.
#
#   tools/reproducible.sh [FOLDER]    FOLDER: for both builds, kept; without it a temporary one, removed at the end
#
# JOBS: how many compilers run at once (default: one for each core).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    work=$(cd "$1" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
# Of the last commit, where there is one; any will do.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# What is built is what the sources are now, whatever is written to them meanwhile.
rm -rf "$work/sources"
mkdir "$work/sources"
tar -C "$root" --exclude=./.git --exclude='./build*' --exclude=./.cache -cf - . | tar -C "$work/sources" -xf -

# build FOLDER NAME=VALUE...: copies the sources into the folder, builds them in that environment, and leaves the
# installed tree in FOLDER/installed and the packages in FOLDER/packages.
build() {
    local folder=$1
    shift
    rm -rf "$folder"
    (
        export "${@?}"
        umask "$UMASK"
        mkdir -p "$folder/source" "$folder/installed" "$folder/packages"
        cd "$folder/source"
        tar -C "$work/sources" -cf - . | tar --no-same-permissions -xf -
        cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr >../configure.log
        cmake --build build/release --parallel "$jobs" >../build.log
        DESTDIR=$folder/installed cmake --install build/release >../install.log
        cd build/release
        umask 022 # which CPack writes into the packages
        cpack -G DEB -B "$folder/packages" >../../../package.log
        rm -rf "$folder/packages/_CPack_Packages"
    )
}

# hashes FOLDER: a line for each file: its hash, or where a link leads, and its path.
hashes() {
    (
        cd "$1"
        find installed packages -type l -printf 'link to %l %p\n'
        find installed packages -type f -exec sha256sum {} +
    ) | LC_ALL=C sort -k 2
}

other_locale=$(locale -a | grep -vxE 'C|POSIX' | tail -n 1 || true)
build "$work/one" UMASK=022 TZ=UTC LC_ALL=C
build "$work/the second place" UMASK=077 TZ=Pacific/Chatham LC_ALL="${other_locale:-C}"
hashes "$work/one" >"$work/one.txt"
hashes "$work/the second place" >"$work/second.txt"
if ! diff -u "$work/one.txt" "$work/second.txt"; then
    echo "reproducible: the files above differ" >&2
    exit 1
fi
# Nothing of where it was built is left in what was built.
if grep -rlF "$work" "$work/one/installed"; then
    echo "reproducible: the files above name the folder that they were built in" >&2
    exit 1
fi
(cd "$work/one" && find packages installed -type f -printf '%10s  %p\n' | LC_ALL=C sort -k 2)
echo "reproducible: $(wc -l <"$work/one.txt") files are the same"
