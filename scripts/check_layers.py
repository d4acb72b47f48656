#!/usr/bin/env python3
"""Checks that the folders of src/ include each other in one direction only.

ALLOWED is the picture of docs/architecture.md: a folder may include itself and what stands on its right. rtlib knows
the standard library alone; LLVM's headers stay in the layers that make code; device/ never sees src/.
"""
import pathlib
import re
import sys
import tempfile

ALLOWED = {
    "base": set(),
    "ptx": {"base"},
    "analysis": {"base"},
    "observe": {"base"},
    "simd": {"ptx", "analysis", "observe", "base"},
    "lower": {"ptx", "analysis", "simd", "observe", "base"},
    "rtlib": set(),
    "jit": {"lower", "simd", "base"},
    "exec": {"jit", "simd", "rtlib", "observe", "base"},
    "checks": {"observe", "base"},
    "profile": {"observe", "base"},
    "report": {"observe", "base"},
    "engine": {"exec", "checks", "profile", "report", "ptx", "lower", "jit", "observe", "base"},
    "cudart": {"engine", "observe", "base"},
    "cli": {"engine", "report", "ptx", "base"},
}
LLVM_LAYERS = {"analysis", "simd", "lower", "jit"}
SUFFIXES = {".h", ".hpp", ".cpp", ".inc", ".def", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """Yields (line number, quote or bracket, target) for each #include of the file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def complaint(layer, target):
    """What is wrong with `layer` including `target`, or None."""
    if target.startswith(("llvm/", "llvm-c/")):
        return None if layer in LLVM_LAYERS else f"{layer}/ may not use LLVM (only {', '.join(sorted(LLVM_LAYERS))} may)"
    first = target.split("/")[0]
    if "/" not in target or first not in ALLOWED or first == layer or first in ALLOWED[layer]:
        return None
    return f"{layer}/ may not include {first}/ (allowed: {', '.join(sorted(ALLOWED[layer])) or 'the standard library'})"


def check(root):
    """Returns (complaints, number of files read)."""
    complaints, count = [], 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        count += 1
        parts = path.relative_to(root / "src").parts
        if len(parts) > 1 and parts[0] not in ALLOWED:
            complaints.append(f"{path.relative_to(root)}: folder {parts[0]}/ is not a layer; add it to {pathlib.Path(__file__).name}")
            continue
        for number, _, target in includes(path):
            said = complaint(parts[0], target)
            if said:
                complaints.append(f"{path.relative_to(root)}:{number}: {said}")
    for path in sorted((root / "device").rglob("*")):
        if path.suffix in SUFFIXES:
            count += 1
            complaints += [f"{path.relative_to(root)}:{number}: device/ may not include src/"
                           for number, quote, target in includes(path)
                           if "src/" in target or (quote == '"' and target.split("/")[0] in ALLOWED and "/" in target
                                                   and not (path.parent / target).exists())]
    return complaints, count


def self_test():
    """A tree with one forbidden include of each sort is refused, and each is named."""
    bad = {"src/checks/race.cpp": '#include "exec/scheduler.h"', "src/base/x.h": '#include "ptx/module.h"',
           "src/exec/y.cpp": "#include <llvm/IR/Module.h>", "src/new/z.cpp": "", "device/include/d.cuh": '#include "../../src/base/result.h"'}
    good = {"src/lower/a.cpp": '#include "ptx/module.h"\n#include <llvm/IR/Module.h>', "src/cli/b.cpp": '#include "engine/engine.h"'}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**bad, **good}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        said = "\n".join(check(root)[0])
    graph = {layer: set(targets) for layer, targets in ALLOWED.items()}
    while graph:  # take away what includes nothing that is left, until nothing is left
        leaves = {layer for layer, targets in graph.items() if not targets & graph.keys()}
        if not leaves:
            print(f"check_layers: self-test: ALLOWED goes in a circle through {sorted(graph)}", file=sys.stderr)
            return 1
        graph = {layer: targets for layer, targets in graph.items() if layer not in leaves}
    missed = [name for name in bad if name not in said]
    wrong = [name for name in good if name in said]
    if missed or wrong:
        print(f"check_layers: self-test: missed {missed}, wrongly refused {wrong}", file=sys.stderr)
        return 1
    return 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    complaints, count = check(root)
    for line in complaints:
        print(line, file=sys.stderr)
    print(f"check_layers: {count} files, {len(complaints)} forbidden includes")
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main())
