#!/usr/bin/env python3
"""Breaks programs that are free of races, one synchronisation at a time, and asks whether `tollgate check` notices.

    mutate.py TOLLGATE NVCC PROGRAM.cu...     a table of all mutants; exit 1 if one survives that equivalent.txt lacks
    mutate.py TOLLGATE NVCC --corpus FOLDER   all silent programs of the race rules under FOLDER (tests/checks)
    mutate.py --self-test

A program is compiled once, optimised. The mutants are made in the PTX text inside the executable, so that none of
them needs the compiler again: barriers, fences and waits are removed, acquire and release become relaxed, scopes shrink
to the block. A mutant that is never executed (the trap put in its place is not met) does not count.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RULES = ["race-shared", "race-global", "race-scope", "race-async", "race-same-value", "race-cas-guess", "missing-acquire", "warp-synchronous"]
OPTIONS = re.compile(r"^//\s*options:\s*(.*)$", re.MULTILINE)
LOC = re.compile(rb"^\s*\.loc\s+(\d+)\s+(\d+)", re.MULTILINE)

REMOVED = re.compile(rb"^\s*(?:@!?%p\d+\s+)?((?:bar|barrier)(?:\.cta|\.warp)?\.(?:sync|arrive)|membar|fence|cp\.async\.wait|cp\.async\.bulk\.wait|cp\.async\.mbarrier)[\w.:]*[^;]*;")
WAITED = re.compile(rb"(mbarrier\.(?:test|try)_wait[\w.:]*)\s+(%p\d+|\w+)\s*,[^;]*;")
ORDERED = re.compile(rb"^[\s{]*(?:\.reg[^;]*;\s*)?((?:ld|st|atom|red)(?:\.\w+)*)\.(acquire|release|acq_rel)\b")
SCOPED = re.compile(rb"^\s*((?:ld|st|atom|red|fence)(?:\.\w+)*)\.(gpu|sys)\b")
UNSCOPED = re.compile(rb"^\s*(atom|red)\.")
MEMBAR = re.compile(rb"^\s*membar\.(gl|sys)\b")


def mutants_of(line):
    """(what was done, the line instead) for a line of PTX."""
    removed = REMOVED.match(line)
    if removed:
        yield f"{removed.group(1).decode()} removed", line.replace(removed.group(0).lstrip(), b"", 1)
    waited = WAITED.search(line)
    if waited:
        yield "wait removed", line.replace(waited.group(0), b"setp.eq.u32 %s, 0, 0;" % waited.group(2), 1)
    ordered = ORDERED.match(line)
    if ordered:
        at = ordered.start(2)
        yield f"{ordered.group(2).decode()} -> relaxed", line[:at] + b"relaxed" + line[ordered.end(2):]
    scoped = SCOPED.match(line)
    if scoped:
        yield f"{scoped.group(2).decode()} -> cta", line[:scoped.start(2)] + b"cta" + line[scoped.end(2):]
    elif MEMBAR.match(line):
        yield "membar -> cta", MEMBAR.sub(lambda m: m.group(0).replace(m.group(1), b"cta"), line)
    elif UNSCOPED.match(line) and not re.search(rb"\.(cta|gpu|sys)\b", line):
        word = UNSCOPED.match(line)
        at = word.end(1) + (len(b".relaxed") if line[word.end(1):].startswith(b".relaxed") else 0)
        yield "gpu -> cta", (line[:at] + b".cta" + line[at:]).replace(b", ", b",").lstrip()


class Program:
    """An executable with one PTX text in it, which can be exchanged for another of the same length."""

    def __init__(self, path):
        self.image = path.read_bytes()
        start = self.at = self.image.index(b".version ")
        while self.image[self.at - 1:self.at].isspace():  # nvcc leaves empty lines where its comments were
            self.at -= 1
        self.end = self.image.index(b"\0", self.at)
        self.text = self.image[self.at:self.end]
        self.lines = self.image[start:self.end].split(b"\n")

    def places(self):
        """(number of the line, source line) of each line of PTX."""
        own = re.search(rb'^\s*\.file\s+(\d+)\s+"[^"]*\.cu"', self.text, re.MULTILINE)
        source = 0
        for number, line in enumerate(self.lines):
            loc = LOC.match(line)
            if loc:
                source = int(loc.group(2)) * (1 if own and loc.group(1) == own.group(1) else -1)
            yield number, source

    def with_line(self, number, line):
        body = b"\n".join(self.lines[:number] + [line] + self.lines[number + 1:])
        room = len(self.text) - len(body)
        if room < 0:
            raise ValueError(f"no room for {line}")
        return self.image[:self.at] + b" " * room + body + self.image[self.end:]


class Judge:
    def __init__(self, tollgate, folder, options):
        self.command = [tollgate, "check", "--format", "json", "--schedules", "3", "--timeout", "20", "--fail-on", "note", *options]
        self.folder = folder

    def findings(self, image):
        """The rules that fire, or None if the program was not run to its end."""
        mutant, report = self.folder / "mutant", self.folder / "report.json"
        mutant.write_bytes(image)
        mutant.chmod(0o755)
        report.unlink(missing_ok=True)
        subprocess.run([*self.command, "--output", str(report), str(mutant)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        said = json.loads(report.read_text(encoding="utf-8"))
        return {f["rule"] for f in said["findings"]} | ({"incomplete"} if said["verdict"] == "incomplete" else set())


def compile_program(nvcc, source, output, options):
    arch = re.search(r"--arch sm_(\d+)", options)
    compute = f"compute_{arch.group(1) if arch else 80}"
    subprocess.run([nvcc, "-cudart", "shared", "-lineinfo", "--no-compress", "-gencode", f"arch={compute},code={compute}",
                    "-o", str(output), str(source)], check=True, stderr=subprocess.DEVNULL)


def run_program(tollgate, nvcc, source, excused):
    """Rows (source line, what, outcome) of a program's mutants."""
    left = {key: number for key, (number, _) in excused.items()}
    text = source.read_text(encoding="utf-8")
    options = (OPTIONS.search(text) or [None, ""])[1]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_program(nvcc, source, folder / "program", options)
        program = Program(folder / "program")
        judge = Judge(tollgate, folder, options.split())
        untouched = judge.findings(program.image)
        if untouched:
            return [(f"{source.parent.parent.name}/{source.stem}", "unchanged", "survived: " + ", ".join(untouched))]
        for number, line_of_source in program.places():
            line = program.lines[number]
            for what, instead in mutants_of(line):
                found = judge.findings(program.with_line(number, instead))
                outcome = "caught: " + ", ".join(sorted(found)) if found else "survived"
                if not found and not judge.findings(program.with_line(number, b"trap;")):
                    continue  # never executed
                key = f"{source.parent.parent.name}/{source.stem}:{line_of_source} {what}"
                if not found and left.get(key, 0) > 0:
                    left[key] -= 1
                    outcome = "equivalent: " + excused[key][1]
                rows.append((key, line.strip().decode()[:60], outcome))
    return rows


def read_excused(path):
    """Lines "program:line what [x2] = why it changes nothing": so many mutants of this name may survive."""
    excused = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        key, reason = line.split(" = ", 1)
        key, _, number = key.partition(" x")
        excused[key] = (int(number or 1), reason)
    return excused


def corpus(folder):
    for rule in RULES:
        yield from sorted((folder / rule / "silent").glob("*.cu"))


def run(tollgate, nvcc, sources):
    excused = read_excused(pathlib.Path(__file__).parent / "equivalent.txt")
    caught = survived = equivalent = 0
    for source in sources:
        for key, line, outcome in run_program(tollgate, nvcc, source, excused):
            print(f"{key:60} {line:60} {outcome}", flush=True)
            caught += outcome.startswith("caught")
            survived += outcome.startswith("survived")
            equivalent += outcome.startswith("equivalent")
    print(f"{caught + survived + equivalent} mutants: {caught} caught, {equivalent} equivalent, {survived} survived")
    return 1 if survived else 0


def self_test():
    def made(line):
        return [(what, instead.decode().strip()) for what, instead in mutants_of(line)]

    assert made(b"\tbar.sync 0;") == [("bar.sync removed", "")]
    assert made(b"\tbarrier.sync 1, 64;") == [("barrier.sync removed", "")]
    assert made(b"\tbar.warp.sync -1;") == [("bar.warp.sync removed", "")]
    assert made(b"\tmembar.gl;") == [("membar removed", ""), ("membar -> cta", "membar.cta;")]
    assert made(b"\tfence.acq_rel.gpu;") == [("fence removed", ""), ("gpu -> cta", "fence.acq_rel.cta;")]
    assert made(b"\tld.acquire.gpu.u32 %r1, [%rd1];") == [
        ("acquire -> relaxed", "ld.relaxed.gpu.u32 %r1, [%rd1];"), ("gpu -> cta", "ld.acquire.cta.u32 %r1, [%rd1];")]
    assert made(b"\tatom.global.add.u32 %r1, [%rd1], 1;") == [("gpu -> cta", "atom.cta.global.add.u32 %r1,[%rd1],1;")]
    assert made(b"\tatom.cta.add.u32 %r1, [%rd1], 1;") == []
    assert made(b"\tld.global.u32 %r1, [%rd1];") == []
    assert made(b"\tcp.async.wait_group 0;") == [("cp.async.wait removed", "")]
    assert made(b"\t{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%r1], %r2; selp.b32 %r3, 1, 0, p; }") == [
        ("wait removed", "{ .reg .pred p; setp.eq.u32 p, 0, 0; selp.b32 %r3, 1, 0, p; }")]
    print("ok")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[3] == "--corpus":
        sys.exit(run(sys.argv[1], sys.argv[2], list(corpus(pathlib.Path(sys.argv[4])))))
    sys.exit(run(sys.argv[1], sys.argv[2], [pathlib.Path(name) for name in sys.argv[3:]]))
