#!/usr/bin/env python3
"""What a second worker gains, beside what the two processors could give at all.

    bench/scaling.py [--processors 0,2] [--rounds 5] [--json FILE] [PROBLEM...]

Per problem of engine_bench, in every round one after the other: the engine with one worker on the first processor, with
two on both, as two processes of one worker at the same time (they share nothing, so together they do what the
processors can), and the native loops with one and two threads. The gain of a pair is the work done in a unit of time
over what one did; medians over the rounds.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

PROBLEMS = ("hist256", "saxpy", "reduce", "transpose", "nbody")


def start(bench, runner, workers, processors):
    environment = dict(os.environ, TOLLGATE_CONFIG=json.dumps({"mode": "run", "workers": workers}))
    command = ["taskset", "-c", processors, bench, f"--benchmark_filter=^{runner}", "--benchmark_repetitions=5",
               "--benchmark_min_time=0.1", "--benchmark_format=json"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def milliseconds(process):
    output, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"scaling: {' '.join(process.args)} ended with exit code {process.returncode}")
    times = [b["real_time"] for b in json.loads(output)["benchmarks"] if b["run_type"] == "iteration"]
    return statistics.median(times)


def gains(bench, problem, first, second):
    """One round: {"workers": ..., "processes": ..., "native": ...}."""
    both = f"{first},{second}"
    one = milliseconds(start(bench, f"{problem}/tollgate", 1, first))
    two = milliseconds(start(bench, f"{problem}/tollgate", 2, both))
    pair = [start(bench, f"{problem}/tollgate", 1, processor) for processor in (first, second)]
    apart = [milliseconds(process) for process in pair]
    native = [milliseconds(start(bench, f"{problem}/native{threads}", 1, processors))
              for threads, processors in ((1, first), (2, both))]
    return {"workers": one / two, "processes": sum(one / time for time in apart), "native": native[0] / native[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help=", ".join(PROBLEMS) + " (all)")
    parser.add_argument("--processors", default="0,1", help="two, by number (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="%(default)s")
    parser.add_argument("--bench", default=os.path.join(os.path.dirname(__file__), "../build/bench/engine_bench"))
    parser.add_argument("--json", metavar="FILE", help="writes every round there")
    options = parser.parse_args()
    if unknown := set(options.problems) - set(PROBLEMS):
        parser.error(f"no problem of engine_bench: {', '.join(sorted(unknown))}")
    processors = options.processors.split(",")
    if len(processors) != 2 or processors[0] == processors[1] or not all(p.isdigit() for p in processors):
        parser.error("--processors takes two different numbers, as in 0,2")

    rounds = {}
    print(f"{'problem':>10}  two workers  two processes  native threads")
    for problem in options.problems or PROBLEMS:
        rounds[problem] = [gains(options.bench, problem, *processors) for _ in range(options.rounds)]
        median = {of: statistics.median(r[of] for r in rounds[problem]) for of in rounds[problem][0]}
        print(f"{problem:>10}  {median['workers']:11.2f}  {median['processes']:13.2f}  {median['native']:14.2f}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"processors": processors, "rounds": rounds}, file, indent=1)


if __name__ == "__main__":
    main()
