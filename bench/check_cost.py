#!/usr/bin/env python3
"""What checking costs: runs check_bench for each problem, as optimised and as plain PTX (-O0, which `tollgate check`
compiles to), and CUB's radix sort where there is nvcc; prints times, ratios and the memory that the checks took, and
what becomes of ten million pairs that race.

    bench/check_cost.py BUILD [--only PROBLEM ...] [--json FILE] [--markdown]
    bench/check_cost.py BUILD --require     # exit code 1 unless the limits below hold

Times are the processor's, of one launch (of one sort) on one worker; the ratio is to the same launch with no check at
all, measured in the same process.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

PROBLEMS = ("hist256", "saxpy", "reduce", "transpose", "tiles", "nbody")
LIMITED = ("hist256", "saxpy", "reduce", "tiles", "radix_sort")
TOUCHED = {"saxpy": 2 / 3}  # of the bytes that are moved: y is read and written
LIMITS = {"on": 10.0, "execution": 3.0}  # times as long as with no check
SHADOW_A_BYTE, SHADOW_BASE_MB = 8, 400  # memory of the checks: bytes for each byte that the problem touches, and more
RACING_BLOCKS = 40001  # of 256 threads, bench/many_races.ptx: 10,240,000 pairs
OCLGRIND_MB_S = 1.8  # Oclgrind's histogram with its race checker (docs/performance.md)


def bench(build, ptx, problem, modes, checks):
    """Runs check_bench; {mode: (milliseconds, MB a second)}, and the most memory that it held, in MB."""
    command = [os.path.join(build, "bench", "check_bench"), "--benchmark_format=json", "--benchmark_repetitions=3",
               "--benchmark_min_time=0.01", f"--benchmark_filter=^{problem}/({'|'.join(modes)})/"]
    if ptx:
        command += ["--ptx", ptx]
    if checks == "execution":
        command.append("--execution")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    found, peak = {}, 0.0
    for mode in modes:
        runs = [b for b in json.loads(done.stdout)["benchmarks"]
                if b.get("run_type") != "aggregate" and b["name"].startswith(f"{problem}/{mode}/")]
        for run in runs:
            if run.get("error_occurred"):
                raise RuntimeError(f"{run['name']}: {run.get('error_message')}")
        times = [run["cpu_time"] for run in runs]
        found[mode] = (min(times), runs[0]["bytes_per_second"] * times[0] / 1e3)
        peak = max([peak] + [run["process_MB"] for run in runs])
    return found, peak


def measure(build, ptx, problem):
    every, peak = bench(build, ptx, problem, ("on", "off"), "on")
    some, _ = bench(build, ptx, problem, ("execution", "off"), "execution")
    _, bare = bench(build, ptx, problem, ("off",), "on")
    return {"off": every["off"][0], "on": every["on"][0], "on_ratio": every["on"][0] / every["off"][0],
            "execution": some["execution"][0], "execution_ratio": some["execution"][0] / some["off"][0],
            "touched_MB": every["on"][1] / 1e6 * TOUCHED.get(problem, 1), "shadow_MB": peak - bare}


def sort_time(build, program, options):
    """Of one sort in milliseconds."""
    command = [os.path.join(build, "tollgate")] + options + [program]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = re.search(r"sort: ([0-9.]+) ms, in order", done.stdout)
    if not said:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}")
    return float(said.group(1))


def measure_sort(build, plain):
    """The sort, compiled once: plain as `tollgate check` does it."""
    program = os.path.join(build, "bench", "radix_sort_O0" if plain else "radix_sort")
    off = sort_time(build, program, ["run", "--threads", "1"])
    every = sort_time(build, program, ["check", "--fail-on", "never"])
    some = sort_time(build, program, ["check", "--no-races", "--fail-on", "never"])
    return {"off": off, "on": every, "on_ratio": every / off, "execution": some, "execution_ratio": some / off}


def measure_pairs(build):
    """Ten million racing pairs: (findings, the count that the first of them carries, seconds of processor time)."""
    ptx = os.path.join(os.path.dirname(os.path.abspath(__file__)), "many_races.ptx")
    command = [os.path.join(build, "tollgate"), "check", "--fail-on", "never", "--format", "json", "--launch",
               f"races<<<{RACING_BLOCKS},256>>>(zeros:1K)", ptx]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        findings = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError) as problem:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}") from problem
    return len(findings), findings[0]["count"] if findings else 0, after.ru_utime - before.ru_utime


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def table(results, markdown):
    head = ["problem", "code", "off ms", "execution ms", "ratio", "on ms", "ratio", "touched MB", "checks' MB"]
    rows = [[problem, code, number(r["off"]), number(r["execution"]), number(r["execution_ratio"]), number(r["on"]),
             number(r["on_ratio"]), number(r.get("touched_MB"), 0), number(r.get("shadow_MB"), 0)]
            for (problem, code), r in results.items()]
    if markdown:
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * 2 + ["---:"] * (len(head) - 2)] + rows)
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [head] + rows)


def judge(results, pairs):
    """Says which limits hold; they are for optimised code. True if all do."""
    held = True

    def say(what, value, limit, good):
        nonlocal held
        held = held and good
        print(f"{what}: {value:.1f}, limit {limit:g}: {'holds' if good else 'is MISSED'}")

    for problem in LIMITED:
        r = results.get((problem, "-O3"))
        if r is None:
            print(f"{problem}: not measured")
            held = False
            continue
        for checks, limit in LIMITS.items():
            ratio = r[checks + "_ratio"]
            say(f"{problem}, {checks}, times as long as with no check", ratio, limit, ratio <= limit)
        if "shadow_MB" in r:
            limit = SHADOW_A_BYTE * r["touched_MB"] + SHADOW_BASE_MB
            say(f"{problem}, MB of memory for the checks", r["shadow_MB"], limit, r["shadow_MB"] <= limit)
    if ("hist256", "-O3") in results:
        r = results["hist256", "-O3"]
        speed = r["touched_MB"] / r["on"] * 1e3
        say("hist256 with all checks, MB a second", speed, 100 * OCLGRIND_MB_S, speed >= 100 * OCLGRIND_MB_S)
    count, repeats, _ = pairs
    wanted = (RACING_BLOCKS - 1) * 256
    say(f"{wanted:,} racing pairs, findings", count, 1, count == 1 and repeats == wanted)
    return held


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", action="append", choices=PROBLEMS + ("radix_sort",))
    parser.add_argument("--code", action="append", choices=("-O3", "-O0"), help="as --code=-O3")
    parser.add_argument("--json")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    if options.require and (options.only or options.code):
        parser.error("--require judges all that is measured: leave --only and --code out")
    results = {}
    for problem in options.only or PROBLEMS + ("radix_sort",):
        for code in options.code or ("-O3", "-O0"):
            plain = code == "-O0"
            if problem == "radix_sort":
                if os.path.exists(os.path.join(options.build, "bench", "radix_sort_O0" if plain else "radix_sort")):
                    results[problem, code] = measure_sort(options.build, plain)
                continue
            ptx = os.path.join(options.build, "bench", "kernels_O0.ptx")
            if not plain or os.path.exists(ptx):
                results[problem, code] = measure(options.build, ptx if plain else "", problem)
    print(table(results, options.markdown))
    pairs = None
    if options.only is None:
        pairs = measure_pairs(options.build)
        print(f"{pairs[1]:,} racing pairs: {pairs[0]} finding, {pairs[2]:.1f} s")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([{"problem": p, "code": c, **r} for (p, c), r in results.items()], file, indent=1)
    return 0 if not options.require or judge(results, pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
