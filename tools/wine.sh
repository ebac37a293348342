#!/usr/bin/env bash
# tools/wine.sh PROGRAM ARGUMENTS...: runs a program for Windows under Wine, in a prefix of this project's own.
set -euo pipefail
export WINEPREFIX=${WINEPREFIX:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/windows/wine}
export WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES="mscoree,mshtml="
# Programs of 64 bits alone, without the word that there are none of 32.
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
exec "$wine" "$@"
