#!/usr/bin/env python3
"""Runs the checked programs on a real GPU, bare and under compute-sanitizer's four tools, and tabulates who finds what.

    sanitizer_table.py --output sanitizer.json           on a machine with a GPU, nvcc and compute-sanitizer
    sanitizer_table.py --output trial.json --each 1      one program of each folder, to see that it works
    sanitizer_table.py --output more.json --resume sanitizer.json       what that file lacks, and both as one
    sanitizer_table.py --programs FOLDER --build-only    compile on another machine; --programs FOLDER then runs these
    sanitizer_table.py --table sanitizer.json            the table of docs/sanitizers.md, in Markdown

Every RULE/{fires,silent}/*.cu is built as an ordinary program (nvcc -arch=sm_90 -lineinfo, the optimiser on) and run by
itself, then under each tool. What does not end within the limits "hangs". What --budget leaves no time for is recorded
as not run. That tollgate reports every program of `fires`, and none of `silent`, is what ctest -L checks tests.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOOLS = ["synccheck", "racecheck", "memcheck", "initcheck"]
# Rules that report no fault of the program (notes on cost, style and the model itself) come last, if at all.
NOTES = ["atomic-cas-loop", "lockstep-hazard", "not-modelled", "race-cas-guess"]
# Where the fault is a call of the runtime, a tool's report of that call is the finding; elsewhere it only repeats the
# error that the bare program sees.
CALL_RULES = {"api-error", "bad-launch"}
SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)", re.MULTILINE)
RECORD = re.compile(r"^========= (?! )(.+)$", re.MULTILINE)
NO_RECORD = re.compile(r"COMPUTE-SANITIZER|SUMMARY|^Target application|^This can be caused|^Error: (?:process|target)", re.I)
ADDRESS = re.compile(r"0x[0-9a-f]+")


def run_limited(command, seconds, folder):
    """(exit code, output, whether it was killed for time): a group of its own, so that children end with it."""
    with tempfile.TemporaryFile(dir=folder) as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   cwd=folder, start_new_session=True)
        try:
            code, late = process.wait(seconds), False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code, late = process.wait(), True
        log.seek(0)
        return code, log.read(2_000_000).decode(errors="replace"), late


def judge_bare(code, output, late):
    """What the program alone shows: a hang, a signal, or the errors that it printed."""
    if late:
        return {"outcome": "hangs"}
    errors = sorted(set(re.findall(r"\bcudaError[A-Z]\w+", output)))
    if code < 0:
        return {"outcome": "error", "said": [signal.Signals(-code).name] + errors}
    return {"outcome": "error", "said": errors} if errors else {"outcome": "ends"}


def judge_tool(code, output, late):
    """What a tool reports: its records without addresses, and whether one is of the device or only of a call."""
    records = [ADDRESS.sub("0x", text) for text in RECORD.findall(output) if not NO_RECORD.search(text)]
    device = [text for text in records if "on CUDA API call" not in text]
    result = {"outcome": "hangs" if late else "reports" if device else "calls" if records else "silent"}
    if not late and not SUMMARY.search(output):
        result = {"outcome": "fails", "exit": code, "said": [line for line in output.splitlines() if line.strip()][-2:]}
    if records:
        result["records"] = len(records)
        result["said"] = list(dict.fromkeys(device or records))[:3]
        if device and late:
            result["reports"] = True
    return result


class Clock:
    """What is left of the budget."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()


def build(case, options, folder, clock):
    """(executable, what went wrong or None)."""
    program = pathlib.Path(folder) / case.replace("/", ".").removesuffix(".cu")
    if program.exists():
        return program, None
    if clock.left() < 20:
        return program, "not run"
    command = ["nvcc", "-std=c++17", f"-arch={options.arch}", "-lineinfo", "-w", "-cudart", "shared", "-o", str(program)]
    code, output, late = run_limited(command + [str(options.folder / case)], 180, folder)
    return program, None if code == 0 else "late" if late else output[-300:]


def examine(case, options, folder, clock, gpu):
    """All that is found out about one program."""

    def attempt(what, command, limit, judge):
        """Runs and judges one command; a program made of several processes gets the time of several."""
        with gpu:
            limit = min(limit * (4 if alone else 1), clock.left())
            if limit < 4:
                return {"outcome": "not run"}
            started = time.monotonic()
            code, output, late = run_limited(command, limit, folder)
            seconds = round(time.monotonic() - started, 1)
        if options.log:
            with options.log.open("a", encoding="utf-8") as log:
                log.write(f"#### {case} {what}\n{output[:6000]}\n")
        return {**judge(code, output, late), "seconds": seconds}

    alone = "each_alone(" in (options.folder / case).read_text(encoding="utf-8")
    program, problem = build(case, options, folder, clock)
    if problem or options.build_only:
        return {"case": case, "built": problem or "built"}
    bare = attempt("bare", [str(program)], options.bare_limit, judge_bare)
    result = {"case": case, **({"processes": "several"} if alone else {}), "bare": bare}
    for tool in options.tools:
        limit = options.hang_limit if bare["outcome"] == "hangs" and not alone else options.limit
        command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", str(program)]
        result[tool] = attempt(tool, command, limit, judge_tool)
    return result


def is_settled(result):
    """Whether a result of an earlier run stands: everything ran, and a hang is one and not a machine that was busy."""
    outcomes = {result.get(key, {}).get("outcome", "not run") for key in ["bare"] + TOOLS}
    if "built" in result:
        return result["built"] != "not run"
    return not outcomes & {"not run", "fails"} and ("hangs" not in outcomes or result["case"].split("/")[0] in ("deadlock", "livelock"))


def cases_of(options):
    """RULE/KIND/NAME.cu: faults before notes, those that fire before those that do not."""
    found = {}
    for path in sorted(options.folder.glob("*/*/*.cu")):
        case = path.relative_to(options.folder).as_posix()
        rule, kind, _ = case.split("/")
        if kind in ("fires", "silent") and re.search(options.only, case):
            found.setdefault((rule in NOTES, kind, rule), []).append(case)
    groups = [group[: options.each or None] for _, group in sorted(found.items())]
    # One of each folder in turn: programs that hang stand together otherwise and hold up all workers.
    order = sorted(((rank, index, case) for index, group in enumerate(groups) for rank, case in enumerate(group)))
    return sorted((case for _, _, case in order), key=lambda case: (case.split("/")[0] in NOTES, "/silent/" in case))


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().splitlines()[-1]
    except (OSError, IndexError):
        return "not found"


def measure(options):
    clock = Clock(options.budget)
    gpu = threading.Semaphore(options.jobs)
    results = {}
    if options.resume:
        earlier = json.loads(options.resume.read_text(encoding="utf-8"))["programs"]
        results = {result["case"]: result for result in earlier if is_settled(result)}
    cases = [case for case in cases_of(options) if case not in results]
    about = {"date": datetime.date.today().isoformat(), "arch": options.arch,
             "gpu": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
             "nvcc": first_line("nvcc", "--version"), "sanitizer": first_line("compute-sanitizer", "--version")}

    def save():
        if not options.output and not options.build_only:
            return
        lines = ",\n".join(json.dumps(results[case]) for case in sorted(results) if results[case].get("built") != "not run")
        options.output.write_text(f'{{"about": {json.dumps(about)},\n"programs": [\n{lines}\n]}}\n', encoding="utf-8")

    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        folder = options.programs or temporary
        jobs = [pool.submit(examine, case, options, folder, clock, gpu) for case in cases]
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            result = job.result()
            results[result["case"]] = result
            if options.verbose:
                print(json.dumps(result), flush=True)
            if number % 20 == 0:
                print(f"{number} of {len(cases)}, {clock.left():.0f} s left", flush=True)
                save()
    about["programs"] = len(results)
    save()


def finds(rule, said):
    """Whether a tool's answer counts as a finding."""
    return said.get("outcome") == "reports" or bool(said.get("reports")) or (rule in CALL_RULES and said.get("outcome") == "calls")


def hangs(result):
    """No run of it ended: one alone may have been a busy machine, and several processes may only have been slow."""
    late = all(result.get(key, {}).get("outcome") == "hangs" for key in ["bare"] + TOOLS)
    return late and ("processes" not in result or result["case"].split("/")[0] in ("deadlock", "livelock"))


def hardware(firing):
    """What the programs show on the device alone."""
    failed = sum(p["bare"]["outcome"] == "error" for p in firing)
    hung = sum(hangs(p) for p in firing)
    unclear = sum(p["bare"]["outcome"] == "hangs" and not hangs(p) for p in firing)
    words = [f"{n} {word}" for n, word in ((failed, "fail"), (hung, "hang"), (unclear, "not judged")) if n]
    return ", ".join(words) or "nothing"


def table(path):
    """Markdown: a line for each rule."""
    programs = [p for p in json.loads(path.read_text(encoding="utf-8"))["programs"] if "bare" in p]
    ran_silent = any("/silent/" in p["case"] for p in programs)
    rules = sorted({p["case"].split("/")[0] for p in programs}, key=lambda rule: (rule in NOTES, rule))
    print(f"| rule | programs | the device shows | {' | '.join(TOOLS)} | any tool |")
    print("|---|--:|---|" + "--:|" * (len(TOOLS) + 1))
    total = [0] * (len(TOOLS) + 2)
    for rule in rules:
        firing = [p for p in programs if p["case"].startswith(f"{rule}/fires/")]
        silent = [p for p in programs if p["case"].startswith(f"{rule}/silent/")]
        columns = [[tool] for tool in TOOLS] + [TOOLS]
        found = [sum(any(finds(rule, p.get(t, {})) for t in tools) for p in firing) for tools in columns]
        false = [sum(any(finds(rule, p.get(t, {})) for t in tools) for p in silent) for tools in columns]
        cells = [f"{n or '–'}" + (f" (+{m})" if m else "") for n, m in zip(found, false)]
        total = [sum(pair) for pair in zip(total, [len(firing)] + found)]
        count = f"{len(firing)} / {len(silent)}" if ran_silent else str(len(firing))
        print(f"| `{rule}` | {count} | {hardware(firing)} | {' | '.join(cells)} |")
    print(f"| all | {total[0]} | | {' | '.join(map(str, total[1:]))} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=lambda text: pathlib.Path(text).resolve(), default=pathlib.Path(__file__).resolve().parent)
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file to write")
    parser.add_argument("--table", type=pathlib.Path, metavar="JSON", help="print the table of such a file")
    parser.add_argument("--resume", type=pathlib.Path, metavar="JSON", help="keep what this file of an earlier run has")
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve(), metavar="FOLDER",
                        help="keep executables here, and use those that are there")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose RULE/KIND/NAME.cu matches")
    parser.add_argument("--each", type=int, default=0, metavar="N", help="so many programs of each folder (all)")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=TOOLS)
    parser.add_argument("--jobs", type=int, default=6, help="programs on the GPU at a time")
    parser.add_argument("--workers", type=int, default=16, help="programs in work at a time, compiling among them")
    parser.add_argument("--bare-limit", type=float, default=8, help="seconds until a program hangs")
    parser.add_argument("--limit", type=float, default=40, help="the same under a tool")
    parser.add_argument("--hang-limit", type=float, default=10, help="the same under a tool where the bare program hangs")
    parser.add_argument("--budget", type=float, default=3600, help="seconds for everything")
    parser.add_argument("--log", type=pathlib.Path, help="append what programs and tools print to this file")
    parser.add_argument("--verbose", action="store_true", help="print the result of each program")
    options = parser.parse_args()
    if options.table:
        return table(options.table)
    if not options.output and not options.build_only:
        parser.error("--output is missing")
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
