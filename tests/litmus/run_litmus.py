#!/usr/bin/env python3
"""Checks the litmus programs under three schedules against the memory model (ptx_model.py).

    run_litmus.py TOLLGATE NVCC ptx|ref
    run_litmus.py --self-test     the model, and the rows of the table that hold it to the manual

What races in every execution must be found by one of the schedules, nothing may be found that races in none, and the
same seed says the same again, byte for byte.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import generate
import ptx_model
import table

SEEDS = {1: [], 2: [], 3: ["--model", "ptx"]}
NVCC_FLAGS = ["-cudart", "shared", "-gencode", "arch=compute_80,code=compute_80", "-lineinfo", "-Xcicc", "-O0"]


def variable(finding):
    offset = int(finding["object"].rsplit("+", 1)[1].replace(",", ""))
    return generate.VARIABLES[offset // 4 % 32 // generate.STRIDE]


def found_by(tollgate, program, seed, report, options):
    """{(kernel, rule, variable)}, and the text of the report."""
    command = [tollgate, "check", "--format", "json", "--output", str(report), "--seed", str(seed), "--timeout", "120", *options, str(program)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    text = report.read_text(encoding="utf-8")
    said = json.loads(text)
    if said["verdict"] != "findings" or said.get("incomplete") or said.get("dropped") or "cudaSuccess" not in done.stdout:
        sys.exit(f"seed {seed}: {said['verdict']}, {said.get('incomplete')}\n{done.stdout[-2000:]}")
    return {(re.sub(r"\(.*", "", f["kernel"]), f["rule"], variable(f)) for f in said["findings"]}, text


def compare(tests, found):
    complaints = []
    for test in tests:
        must, may, _ = ptx_model.judge(test.threads, test.blocks, test.space)
        shape = test.shape.split("_")[0]
        if shape in table.STRICTER:
            may = may | table.STRICTER[shape](test)
        if (shape, test.place) in table.POLLED:
            must = set()
        here = {(rule, name) for kernel, rule, name in found if kernel == test.name}
        named = {name for _, name in here}  # a race of one rule may have another name in another execution
        must = {(rule, name) for rule, name in must if name not in named}
        # The tool looks over one narrow step; a chain of several may have the plain name.
        may = may | {("race-" + test.space, name) for rule, name in may if rule == "race-scope"}
        for what, findings in (("missing", must - here), ("unexpected", here - may)):
            complaints += [f"{what}: {rule} on {name} in {test.name}: {' || '.join('; '.join(t) for t in test.threads)}"
                           for rule, name in sorted(findings)]
    return complaints


def run(tollgate, nvcc, which):
    tests = table.unique(table.tests() if which == "ptx" else table.reference_tests())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate.write(folder)
        program = folder / f"litmus_{which}"
        subprocess.run([nvcc, *NVCC_FLAGS, "-o", str(program), f"{program}.cu"], check=True)
        found, texts = set(), {}
        for seed, options in SEEDS.items():
            one, texts[seed] = found_by(tollgate, program, seed, folder / "report.json", options)
            found |= one
        complaints = compare(tests, found)
        if which == "ref" and found_by(tollgate, program, 1, folder / "report.json", [])[1] != texts[1]:
            complaints.append("seed 1 said something else the second time")
    print("\n".join(complaints) or f"{len(tests)} tests, {len(found)} findings: as the model says")
    return 1 if complaints else 0


def self_test():
    ptx_model.self_test()
    held = dict(table.HELD)
    for test in table.unique(table.tests()):
        expected = held.pop((test.shape, test.place), None)
        if expected is None:
            continue
        must, may, count = ptx_model.judge(test.threads, test.blocks, test.space)
        rules = {rule for rule, name in may if name == "x"} or {"none"}
        if rules != {expected} or must != may or count == 0:
            sys.exit(f"{test.name}: {expected} by the manual, {sorted(may)} by the model, {count} executions")
    if held:
        sys.exit(f"no such tests: {sorted(held)}")
    print("ok")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(run(*sys.argv[1:]))
