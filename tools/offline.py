#!/usr/bin/env python3
"""Compiles what device_layer.cpp dumped for a GPU that is not here, and prints what came out.

offline.py DUMP CHIP COMPILERS ALLOWED

DUMP: the layer's folder. CHIP: gfx90a, dg2, ...: AMD's are compiled by $AMD_CLANG, Intel's by $OCLOC.
COMPILERS: their name in tools/offline.sh.
ALLOWED: a file of lines "COMPILERS CHIP KERNEL spills|private BYTES", the most that kernels may have: see
tools/offline_allowed.txt.
Prints a line for each kernel; exits with 1 where a program does not compile, or a kernel has more than it may.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Optional, Tuple

# Local memory of a compute unit (RDNA: of a work-group processor), its SIMDs, and waves of a SIMD at most.
AMD_UNITS = {"gfx90a": (65536, 4, 8), "gfx1030": (131072, 4, 16), "gfx1100": (131072, 4, 16)}


class Kernel(NamedTuple):
    registers: int
    spills: int  # bytes of an item (AMD), of a thread (Intel)
    private: int  # bytes of arrays that are not in registers, and of spills
    local: int  # bytes of local memory that are no arguments
    width: int  # items of a wave, or of a thread
    waves: int  # of a SIMD, that registers leave room for; 0: not known


class Launch(NamedTuple):
    kernel: str
    items: int
    local: int
    note: str


class Compiled(NamedTuple):
    kernels: Dict[str, Kernel]
    log: str  # of a program that did not compile


def number(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def compile_amd(source: pathlib.Path, options: List[str], chip: str, folder: str) -> Compiled:
    out = os.path.join(folder, "out.s")
    command = shlex.split(os.environ["AMD_CLANG"])
    done = subprocess.run(
        [*command, "-mcpu=" + chip, *options, "-S", "-o", out, str(source)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return Compiled({}, done.stderr)
    text = pathlib.Path(out).read_text()
    kernels = {}
    for entry in re.split(r"\n  - ", text[text.find("amdhsa.kernels") :])[1:]:
        names = re.findall(r"^    \.name:\s+(\S+)", entry, re.M)
        if not names:
            continue
        wave = number(entry, r"\.wavefront_size:\s+(\d+)")
        # Spills of scalars go to lanes of a vector register first, and are no cost worth a word.
        kernels[names[-1]] = Kernel(
            number(entry, r"\.vgpr_count:\s+(\d+)"),
            4 * number(entry, r"\.vgpr_spill_count:\s+(\d+)"),
            number(entry, r"\.private_segment_fixed_size:\s+(\d+)"),
            number(entry, r"\.group_segment_fixed_size:\s+(\d+)"),
            wave,
            number(text[text.find("\n" + names[-1] + ":") :], r"; Occupancy: (\d+)"),
        )
    return Compiled(kernels, "")


def section(path: pathlib.Path, name: str) -> bytes:
    """A section of an ELF file of 64 bits; empty where there is none."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        return b""
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    for header in headers:
        at = headers[names][4] + header[0]
        if data[at : data.index(b"\0", at)] == name.encode():
            return data[header[4] : header[4] + header[5]]
    return b""


def compile_intel(source: pathlib.Path, options: List[str], chip: str, folder: str) -> Compiled:
    command = [*shlex.split(os.environ["OCLOC"]), "compile", "-file", str(source), "-device", chip]
    done = subprocess.run(
        [*command, "-options", " ".join(options), "-output", "out", "-out_dir", folder]
        + ["--format", "zebin"],  # The older ocloc has another format by default.
        capture_output=True,
        text=True,
        cwd=folder,
    )
    binaries = list(pathlib.Path(folder).glob("*.bin"))
    if done.returncode or not binaries:
        return Compiled({}, done.stdout + done.stderr)
    info = section(binaries[0], ".ze_info").decode().split("kernels_misc_info")[0]
    kernels = {}
    for entry in re.split(r"\n  - name:\s+", info)[1:]:
        name = entry.split("\n", 1)[0].strip().strip("'")
        buffers = re.findall(r"- type:\s+\w+\s+usage:\s+(\w+)\s+size:\s+(\d+)", entry)
        private = [int(size) for usage, size in buffers if usage != "spill_fill_space"]
        kernels[name] = Kernel(
            number(entry, r"grf_count:\s+(\d+)"),
            number(entry, r"spill_size:\s+(\d+)"),
            max([number(entry, r"private_size:\s+(\d+)"), *private]),
            number(entry, r"slm_size:\s+(\d+)"),
            number(entry, r"simd_size:\s+(\d+)"),
            0,
        )
    return Compiled(kernels, "")


def compile_program(source: pathlib.Path, chip: str) -> Compiled:
    options = shlex.split(source.with_suffix(".opt").read_text())
    with tempfile.TemporaryDirectory() as folder:
        if chip in AMD_UNITS:
            return compile_amd(source, options, chip, folder)
        return compile_intel(source, options, chip, folder)


def waves_of(chip: str, kernel: Kernel, launch: Launch) -> Optional[float]:
    """Waves of a SIMD that registers and local memory leave room for."""
    if chip not in AMD_UNITS:
        return None
    local, simds, most = AMD_UNITS[chip]
    waves_of_group = -(-launch.items // max(kernel.width, 1))
    taken = kernel.local + launch.local
    by_local = local // taken * waves_of_group / simds if taken else most
    return min(kernel.waves, by_local, most)


def launches_of(dump: pathlib.Path) -> Dict[str, List[Launch]]:
    launches: Dict[str, List[Launch]] = {}
    for line in (dump / "launches.tsv").read_text().splitlines():
        program, kernel, items, local, _, note = line.split("\t")
        launches.setdefault(program, []).append(Launch(kernel, int(items), int(local), note))
    return launches


def limits_of(path: str, compilers: str, chip: str) -> Dict[Tuple[str, str], int]:
    limits = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            of_compilers, of_chip, kernel, what, most = line.split()
            if (of_compilers, of_chip) == (compilers, chip):
                limits[kernel, what] = int(most)
    return limits


def main() -> int:
    dump, (chip, compilers, allowed) = pathlib.Path(sys.argv[1]), sys.argv[2:]
    sources = sorted(dump.glob("*.cl"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = list(pool.map(lambda source: compile_program(source, chip), sources))
    launches = launches_of(dump)
    rows: Dict[str, List[Tuple[Launch, Kernel]]] = {}
    faults = []
    for source, program in zip(sources, compiled):
        if program.log or not program.kernels:
            names = ", ".join(sorted({launch.note for launch in launches.get(source.stem, [])}))
            faults.append(f"{source} does not compile, for {names}:\n{program.log[-2000:]}")
            continue
        for launch in launches.get(source.stem, []):
            rows.setdefault(launch.kernel, []).append((launch, program.kernels[launch.kernel]))
    limits = limits_of(allowed, compilers, chip)
    failed = len(faults)
    print(f"{chip} by {compilers}: {len(sources)} programs, {failed} do not compile")
    print("| kernel | programs | width | registers | spills | private | waves |")
    print("|:--|--:|:--|:--|--:|--:|:--|")
    for name, seen in sorted(rows.items()):
        kernels = [kernel for _, kernel in seen]
        registers = [kernel.registers for kernel in kernels]
        waves = [waves_of(chip, kernel, launch) for launch, kernel in seen]
        known = [each for each in waves if each is not None]
        widths = "/".join(str(width) for width in sorted({kernel.width for kernel in kernels}))
        print(
            f"| {name} | {len(seen)} | {widths} | {min(registers)}-{max(registers)} "
            f"| {max(kernel.spills for kernel in kernels)} "
            f"| {max(kernel.private for kernel in kernels)} "
            f"| {f'{min(known):.1f}-{max(known):.1f}' if known else ''} |"
        )
        for what in ("spills", "private"):
            most = limits.get((name, what), 0)
            beyond = [(getattr(kernel, what), launch.note) for launch, kernel in seen]
            beyond = sorted(each for each in beyond if each[0] > most)
            if beyond:
                notes = "; ".join(f"{note} {size}" for size, note in beyond[-4:])
                faults.append(f"{compilers} {chip} {name} {what} {beyond[-1][0]}  # {len(beyond)}: {notes}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
