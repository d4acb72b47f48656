#!/usr/bin/env python3
"""Runs an example the way the README does and compares what it prints with what its header comment says.

    run_example.py TOLLGATE NAME
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"

# name: (sub-command, program, arguments, exit code, expressions that must be found in what is printed)
EXAMPLES = {
    "tiling": ("run", "tiling", [], 0, [r"^96 x 112 x 80 product: every element is right$"]),
    "guarded_barrier_fixed": ("run", "guarded_barrier_fixed", [], 0, [r"^every element is right$"]),
    "count_and_or": ("run", "count_and_or", [], 0, [
        r"^block 0: count 200, all yes, any yes$", r"^block 1: count 100, all no, any yes$",
        r"^block 2: count 0, all no, any no$", r"^block 3: count 0, all no, any no$"]),
    "lost_update": ("run", "lost_update", [], 0, [r"^plain \+\+   : \d{1,5} of 65536 \(updates were lost\)$",
                                                   r"^atomicAdd  : 65536 of 65536$"]),
    "atomics": ("run", "atomics", [], 0, [r"^all atomics are right$"]),
    "cas_lock": ("run", "cas_lock", [], 0, [r"^4096 entries, none was lost$"]),
    "contention": ("run", "contention", [], 0, [r"^global, one address +[\d.]+ ms$", r"^every sum is right$"]),
    "hist_global": ("run", "hist_global", ["1"], 0, [r"^both histograms are right$"]),
    "filehist": ("run", "filehist", [str(ROOT / "LICENSE")], 0, [
        r"^60-6f +5256 #{50}$", r"^bytes: total 11358, entropy 4\.427 bits, commonest: 20 \(2515\) ",
        r"^16-bit words: total 5679, entropy 7\.614 bits, commonest: 2020 \(470\) "]),
    "check_guarded_barrier": ("check", "guarded_barrier", [], 99, [
        r"barrier-divergent", r"guarded_barrier\.cu:14", r"\^", r"threads 0-99\b", r"threads 100-255\b"]),
    "check_guarded_barrier_fixed": ("check", "guarded_barrier_fixed", [], 0, [r"^every element is right$"]),
    "check_tiling": ("check", "tiling", [], 0, [r"every element is right$"]),
    "check_count_and_or": ("check", "count_and_or", [], 0, [r"^block 3: count 0, all no, any no$"]),
}


def large_file():
    """A file of 20 MB or more that the build needs anyway."""
    for pattern in ("usr/local/cuda*/bin/ptxas", "usr/lib/llvm-19/lib/libLLVM.so*", "usr/lib/*/libLLVM*"):
        for path in sorted(pathlib.Path("/").glob(pattern)):
            if path.stat().st_size >= 20_000_000:
                return path
    raise SystemExit("no file of 20 MB or more was found")


def run_hist256(tollgate):
    path = large_file()
    counts = subprocess.run([tollgate, "run", ROOT / "examples/hist256.cu", "--", path], stdout=subprocess.PIPE, text=True, check=False)
    expected = subprocess.run([sys.executable, SCRIPTS / "byte_histogram.py", path], stdout=subprocess.PIPE, text=True, check=True)
    print(f"{path}: exit code {counts.returncode}")
    if counts.returncode == 0 and counts.stdout == expected.stdout:
        return 0
    print("the counts differ from an independent count:\n" + counts.stdout[-2000:])
    return 1


def main():
    if len(sys.argv) != 3 or (sys.argv[2] != "hist256" and sys.argv[2] not in EXAMPLES):
        print(f"usage: {sys.argv[0]} TOLLGATE {{hist256,{','.join(EXAMPLES)}}}", file=sys.stderr)
        return 2
    tollgate, name = sys.argv[1:]
    if name == "hist256":
        return run_hist256(tollgate)
    command, program, arguments, code, expressions = EXAMPLES[name]
    line = [tollgate, command, "--timeout", "60", str(ROOT / f"examples/{program}.cu"), "--", *arguments]
    process = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(process.stdout)
    missing = [text for text in expressions if not re.search(text, process.stdout, re.MULTILINE)]
    for text in missing:
        print(f"not printed: {text}")
    if process.returncode != code:
        print(f"exit code {process.returncode} where {code} was expected")
    return 1 if missing or process.returncode != code else 0


if __name__ == "__main__":
    sys.exit(main())
