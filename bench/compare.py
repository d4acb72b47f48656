#!/usr/bin/env python3
"""Prints, problem by problem, how long each runner of engine_bench took and its ratio to the others.

    build/bench/engine_bench --benchmark_out=result.json --benchmark_out_format=json
    bench/compare.py result.json [--markdown]

Medians are taken where the file has repetitions. With --require, ends with exit code 1 unless the engine holds the
limits below.
"""
import argparse
import json
import statistics
import sys

PROBLEMS = ("hist256", "saxpy", "reduce", "transpose", "nbody")
RUNNERS = ("tollgate", "native1", "native2", "pocl")
# tollgate's time over another runner's, at most
LIMITS = {
    ("hist256", "pocl"): 0.25, ("hist256", "native2"): 4, ("saxpy", "pocl"): 1.3, ("reduce", "pocl"): 1,
    ("transpose", "pocl"): 1, ("nbody", "pocl"): 2,
}


def medians(report):
    """{(problem, runner): milliseconds}, and the names of benchmarks that reported an error."""
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    times, failed = {}, {}
    for entry in report["benchmarks"]:
        problem, runner = entry.get("run_name", entry["name"]).split("/")[:2]
        if entry.get("error_occurred"):
            failed[(problem, runner)] = entry.get("error_message", "")
        elif entry.get("run_type") != "aggregate":
            times.setdefault((problem, runner), []).append(entry["real_time"] * scale[entry["time_unit"]])
        elif entry.get("aggregate_name") == "median":
            times.setdefault((problem, runner), []).append(entry["real_time"] * scale[entry["time_unit"]])
    return {key: statistics.median(values) for key, values in times.items()}, failed


def table(times, markdown):
    runners = [runner for runner in RUNNERS if any((problem, runner) in times for problem in PROBLEMS)]
    head = ["problem"] + [f"{runner} ms" for runner in runners] + [f"tollgate / {runner}" for runner in runners[1:]]
    rows = []
    for problem in PROBLEMS:
        row = [problem] + [f"{times[problem, runner]:.2f}" if (problem, runner) in times else "-" for runner in runners]
        for runner in runners[1:]:
            known = (problem, "tollgate") in times and (problem, runner) in times
            row.append(f"{times[problem, 'tollgate'] / times[problem, runner]:.2f}" if known else "-")
        rows.append(row)
    if markdown:
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] + ["---:"] * (len(head) - 1)] + rows)
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [head] + rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        times, failed = medians(json.load(file))
    print(table(times, options.markdown))
    for (problem, runner), message in failed.items():
        print(f"{problem}/{runner} failed: {message}")
    if not options.require:
        return 1 if failed else 0
    held = not failed
    for (problem, runner), limit in LIMITS.items():
        if (problem, "tollgate") not in times or (problem, runner) not in times:
            print(f"{problem}: {runner} not measured")
            held = False
            continue
        ratio = times[problem, "tollgate"] / times[problem, runner]
        print(f"{problem}: {ratio:.2f} of {runner}'s time, limit {limit} {'holds' if ratio <= limit else 'is MISSED'}")
        held = held and ratio <= limit
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
