#!/usr/bin/env python3
"""Which atomic functions are one instruction of an architecture, and which a loop around compare-and-swap.

    atomics.py compile [ARCH...]    compiles atomics.cu with nvcc for each architecture, reads the machine code, and
                                    writes atomics.json beside this file; then as `write`
    atomics.py write                makes docs/atomics.md and src/base/atomic_table.inc of atomics.json and of what
                                    was measured (bench/results/h200/atomics.json)
    atomics.py check                says whether those two files are what `write` makes

The machine code is read without a disassembler: an instruction has 16 bytes, its lowest 12 bits tell what it is.
"""
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = HERE / "atomics.json"
MEASURED = ROOT / "bench/results/h200/atomics.json"
DOCUMENT = ROOT / "docs/atomics.md"
TABLE = ROOT / "src/base/atomic_table.inc"
ARCHS = ["75", "80", "86", "89", "90", "100", "120"]
FUNCTIONS = ["Add", "Sub", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "Exch", "CAS"]
TYPES = ["int", "unsigned", "i64", "u64", "u16", "half", "half2", "bf16", "bf162", "float", "float2", "float4", "double",
         "b128"]
SHOWN = {"i64": "long long", "u64": "unsigned long long", "u16": "unsigned short", "half": "__half", "half2": "__half2",
         "bf16": "__nv_bfloat16", "bf162": "__nv_bfloat162", "b128": "16 bytes"}

# Told apart by compiling one function after the other. A kernel with other instructions than these is refused below.
COMPARE_AND_SWAP = {0x38D, 0x58D, 0x38B, 0x3A9}  # ATOMS.CAS, the same in new form, ATOM.CAS, ATOMG.CAS
ATOMIC = {0x38C, 0x98C, 0x38A, 0x98A, 0x3A8, 0x9A8, 0x9A2, 0x9A3, 0x98E, 0x9A6}  # ATOMS, ATOM, ATOMG, RED, REDG
BRANCH, TRAP, EXIT = 0x947, 0x95C, 0x94D

LETTER = {"native": "N", "loop": "L", "trap": "T", "none": "-"}
WORD = {"N": "yes", "L": "loop", "T": "traps", "-": ""}


def functions_of(cubin):
    """Yields (name, machine code) for each kernel of a 64-bit ELF file."""
    data = cubin.read_bytes()
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    for section in sections:
        at = sections[names][4] + section[0]
        name = data[at:data.index(b"\0", at)].decode()
        if name.startswith(".text."):
            yield name[6:], data[section[4]:section[4] + section[5]]


def branch_target(index, low, arch):
    """The instruction to which the branch at `index` goes. Offsets count from the next instruction."""
    if int(arch) >= 90:  # in units of 4 bytes, the lowest 8 bits apart from the rest
        offset = ((low >> 34) << 8 | (low >> 16 & 0xFF)) << 2
        bits = 40
    else:
        offset, bits = low >> 32, 32
    if offset >> (bits - 1):
        offset -= 1 << bits
    return index + 1 + offset // 16


def state(name, code, arch, space):
    """What a kernel does: native, loop, trap or none."""
    words = [struct.unpack_from("<Q", code, at)[0] for at in range(0, len(code), 16)]
    kinds = [word & 0xFFF for word in words]
    swaps = [i for i, kind in enumerate(kinds) if kind in COMPARE_AND_SWAP]
    loops = any(kind == BRANCH and any(branch_target(i, words[i], arch) <= swap < i for swap in swaps)
                for i, kind in enumerate(kinds))
    plain = any(kind in ATOMIC for kind in kinds) or (swaps and not loops)
    if not swaps and not plain and TRAP not in kinds and kinds.index(EXIT) > 3:
        sys.exit(f"{name} for sm_{arch} does something, by instructions that this script does not know: "
                 f"{' '.join(f'{kind:03x}' for kind in kinds)}")
    if TRAP in kinds:
        return "trap"
    if loops and plain:  # both, behind a test of the address: the instruction is that of global memory
        return "native" if space == "global" else "loop"
    return "loop" if loops else "native" if plain else "none"


def compile_all(archs):
    table = collections.defaultdict(dict)
    version = re.search(r"release [\d.]+, V([\d.]+)", subprocess.run(["nvcc", "--version"], capture_output=True, text=True,
                                                                    check=True).stdout).group(1)
    with tempfile.TemporaryDirectory() as folder:
        for arch in archs:
            cubin = pathlib.Path(folder) / f"{arch}.cubin"
            subprocess.run(["nvcc", "-std=c++20", f"-arch=sm_{arch}", "-cubin", "-o", cubin, HERE / "atomics.cu"], check=True)
            for name, code in functions_of(cubin):
                function, kind, space, use = name.split("_")
                table[f"{function} {kind} {space}", use][arch] = LETTER[state(name, code, arch, space)]
    rows = {}
    for function in FUNCTIONS:
        for kind in TYPES:
            for space in ("shared", "global"):
                key = f"{function} {kind} {space}"
                used, unused = table[key, "used"], table[key, "unused"]
                if used != unused:
                    print(f"note: {key} differs with the result unused: {used} {unused}", file=sys.stderr)
                letters = "".join(used[arch] for arch in archs)
                if letters.strip("-"):
                    rows[key] = letters
    text = json.dumps({"compiler": version, "archs": archs, "rows": rows}, indent=1)
    DATA.write_text(text + "\n", encoding="utf-8")


def measured():
    """(key, addresses) -> billion operations a second on an H200, result unused."""
    if not MEASURED.exists():
        return {}
    cells = json.loads(MEASURED.read_text(encoding="utf-8"))["cells"]
    return {(f"{c['op']} {c['type']} {c['space']}", c["addresses"]): c["gops"] for c in cells if c["result"] == "unused"}


def rate(value):
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def document(data, speed):
    archs = data["archs"]
    paragraphs = [
        "Made by `device/isa/atomics.py`: do not edit. `tollgate isa atom --arch sm_90` prints the part of one architecture, "
        "and the rule `atomic-cas-loop` judges by it.",
        f"What nvcc {data['compiler']} makes of each function where it sees that the address is shared or global: *yes* is one "
        "instruction, *loop* a loop around compare-and-swap, *traps* compiles and ends the kernel. Nothing stands where the "
        "toolkit has no such function. The last columns are billions of operations a second on an H200 with the result "
        "unused (`device/bench/atomics.cu`): all threads at one address, and neighbours at neighbouring ones. The amount is "
        "one that the compiler does not know: `atomicAdd(p, 1)` in shared memory with the result unused merges equal "
        "addresses and does 3,900 on one ([atlas](atlas.md)).",
        "Half and bfloat16 pairs are called through headers that test at run time where the address points: in global memory "
        "that test costs a few instructions, or write `red.global.add.noftz.f16x2` in PTX."]
    lines = ["# Atomic functions by architecture", ""]
    for paragraph in paragraphs:
        lines += [textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False), ""]
    for space in ("global", "shared"):
        lines += [f"## In {space} memory", "",
                  "| function | type | " + " | ".join(f"sm_{arch}" for arch in archs) + " | one address | neighbours |",
                  "|---|---|" + "---|" * len(archs) + "---|---|"]
        for key, letters in data["rows"].items():
            function, kind, where = key.split()
            if where == space:
                cells = " | ".join(WORD[letter] for letter in letters)
                lines.append(f"| `atomic{function}` | `{SHOWN.get(kind, kind)}` | {cells} | {rate(speed.get((key, 'one')))} | "
                             f"{rate(speed.get((key, 'own')))} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def table(data, speed):
    lines = ["// Made by device/isa/atomics.py: do not edit. Architectures: " + " ".join(data["archs"]) + "; N one instruction, L",
             "// a loop around compare-and-swap, T traps, - there is none. Then what an H200 does, in billions a second.",
             "// clang-format off",
             f'TOLLGATE_ATOMIC_ARCHS({", ".join(data["archs"])})']
    for key, letters in data["rows"].items():
        function, kind, space = key.split()
        one, own = speed.get((key, "one"), 0), speed.get((key, "own"), 0)
        lines.append(f'TOLLGATE_ATOMIC("{function}", "{SHOWN.get(kind, kind)}", "{kind}", "{space}", "{letters}", {one:.6g}, {own:.6g})')
    return "\n".join(lines + ["// clang-format on"]) + "\n"


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("compile", "write", "check"):
        sys.exit(__doc__)
    if sys.argv[1] == "compile":
        compile_all(sys.argv[2:] or ARCHS)
    data = json.loads(DATA.read_text(encoding="utf-8"))
    speed = measured()
    wrong = []
    for path, text in ((DOCUMENT, document(data, speed)), (TABLE, table(data, speed))):
        if sys.argv[1] != "check":
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(str(path.relative_to(ROOT)))
    if wrong:
        sys.exit("not as device/isa/atomics.py makes them (run it with `write`): " + ", ".join(wrong))


if __name__ == "__main__":
    main()
