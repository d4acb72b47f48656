#!/usr/bin/env python3
"""Runs every conformance case through `build/tollgate run` and writes the results into docs/conformance.md.

    scripts/conformance_table.py [--build DIR] [--check]

The table stands between two marker lines of the document. With --check nothing is written: the exit code is 1 if the
document's table is not what was measured, or if a case failed.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASE = re.compile(r'^CASE\((\w+), "([^"]+)"\)')
SM90_ONLY = {"warp_election", "wide_atomics"}
BEGIN, END = "<!-- measured by scripts/conformance_table.py -->", "<!-- end -->"


def names(variable, listing):
    return re.search(rf"set\({variable} ([^)]*)\)", listing).group(1).split()


def variants_of(program, case):
    """The builds of a case: optimised, and at -O0 if there is one."""
    if program.startswith("cluster"):
        return ("sm90", "sm90O0")
    return ("sm90",) if case in SM90_ONLY else ("O3", "O0")


def cases():
    """(program, case, title) in the order of docs: by program as CMakeLists.txt lists them."""
    listing = (ROOT / "tests/conformance/CMakeLists.txt").read_text(encoding="utf-8")
    for program in names("programs", listing) + names("cluster_programs", listing):
        for line in (ROOT / f"tests/conformance/{program}.cu").read_text(encoding="utf-8").splitlines():
            match = CASE.match(line)
            if match:
                yield program, match.group(1), match.group(2)


def outcome(build, program, case, variant):
    """"passes", "hangs", "fails" or "not built"."""
    binary = build / "tests/conformance" / f"{program}.{variant}"
    if not binary.exists():
        return "not built"
    arch = "sm_90" if variant.startswith("sm90") else "sm_80"
    command = [str(build / "tollgate"), "run", "--arch", arch, "--timeout", "50", str(binary), "--", case]
    try:
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    return "passes" if process.returncode == 0 and "PASS" in process.stdout.splitlines() else "fails"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.build / "tollgate").exists():
        print(f"conformance_table: {options.build}/tollgate is not built; run make first", file=sys.stderr)
        return 2

    rows, failed = [], []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        jobs = []
        for program, case, title in cases():
            jobs.append((program, case, title,
                         [(v, pool.submit(outcome, options.build, program, case, v)) for v in variants_of(program, case)]))
        for program, case, title, results in jobs:
            said = {variant: future.result() for variant, future in results}
            failed += [f"{program}.{case}.{variant}: {what}" for variant, what in said.items() if what != "passes"]
            first, *second = said.values()
            rows.append(f"| {title} | `{program} {case}` | {first} | {second[0] if second else ''} |")
    table = "\n".join(["| what threads do | case | optimised | at -O0 |", "|---|---|---|---|"] + rows)
    for line in failed:
        print(line)
    print(f"conformance_table: {len(rows)} cases, {len(failed)} of their runs did not pass")

    document = ROOT / "docs/conformance.md"
    text = document.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    new = before + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1]
    if options.check:
        if new != text:
            print(f"{document.relative_to(ROOT)} is not what was measured; run scripts/conformance_table.py")
        return 1 if new != text or failed else 0
    document.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
