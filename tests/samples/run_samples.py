#!/usr/bin/env python3
"""Builds NVIDIA's sample programs for tollgate, checks each, and lists the verdicts.

    run_samples.py SOURCE                 SOURCE: a clone of NVIDIA/cuda-samples or NVIDIA/compute-sanitizer-samples
    run_samples.py SOURCE --only REGEX    programs whose folder or name matches
    run_samples.py SOURCE --as-built      with the optimiser on, as a user's build has it

Nothing of the clone is changed: a sample is copied to a temporary folder, its sizes are cut down where the simulation of
a whole GPU's work would take minutes (SMALLER), and it is built with `tollgate nvcc`. docs/samples.md has the results
and what the findings mean.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Arguments that keep the work small, where the program offers any.
ARGUMENTS = {
    "matrixMul": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "globalToShmemAsyncCopy": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "eigenvalues": ["--matrix-size=600", "--iters-timing=1"],
    "radixSortThrust": ["--n=16384", "--iterations=1"],
    "reduction": ["--n=65536"],
    "reductionMultiBlockCG": ["--n=65536"],
    "threadFenceReduction": ["--n=65536"],
    "transpose": ["-dimX=64", "-dimY=64"],
    "FDTD3d": ["-dimx=64", "-dimy=64", "-dimz=16", "-timesteps=2"],
    "SobolQRNG": ["-vectors=2048", "-dimensions=8"],
    "simpleHyperQ": ["-nstreams=4"],
    "MC_EstimatePiInlineP": ["--sims=100000"],
    "MC_SingleAsianOptionP": ["--sims=100000"],
}
# Unoptimised, these take minutes.
OPTIMISED = {"interval", "radixSortThrust", "segmentationTreeThrust"}
# Constants of the other samples, `NAME = VALUE` or `#define NAME VALUE`, and what they become.
SMALLER = {
    "mergeSort": {"N": "16384"},
    "simpleStreams": {"nreps": "1", "n": "256 * 1024"},
    "matrixMul": {"nIter": "2"},
    "globalToShmemAsyncCopy": {"nIter": "2"},
    "simpleAWBarrier": {"size": "1000000"},
    "convolutionSeparable": {"imageW": "512", "imageH": "256", "iterations": "1"},
    "histogram": {"numRuns": "1", "byteCount": "1048576"},
    "interval": {"NUM_RUNS": "1", "GRID_SIZE": "1"},
    "reduction": {"testIterations": "1"},
    "reductionMultiBlockCG": {"testIterations": "2"},
    "threadFenceReduction": {"testIterations": "2"},
    "scalarProd": {"VECTOR_N": "32"},
    "scan": {"N": "262144 * 2", "iCycles": "1", "MAX_BATCH_ELEMENTS": "(1048576)"},
    "sortingNetworks": {"N": "8192", "numValues": "65536"},
    "StreamPriorities": {"TOTAL_SIZE": "8 * 1024 * 1024", "EACH_SIZE": "4 * 1024 * 1024"},
    "warpAggregatedAtomicsCG": {"NUM_ELEMS": "100000"},
    "alignedTypes": {"MEM_SIZE": "500000", "NUM_ITERATIONS": "1"},
    "UnifiedMemoryPerf": {"maxSampleSizeInMb": "1", "numKernelRuns": "1"},
    "LargeKernelParameter": {"TEST_ITERATIONS": "(3)"},
    "transpose": {"NUM_REPS": "1"},
    "BlackScholes": {"OPT_N": "40000", "NUM_ITERATIONS": "2"},
    "fastWalshTransform": {"log2Data": "13"},
    "quasirandomGenerator": {"N": "16384", "numIterations": "1"},
    "binomialOptions": {"NUM_STEPS": "512", "MAX_OPTIONS": "8"},
    "conjugateGradientMultiBlockCG": {"N": "4096"},
}
# More programs of one folder are built one by one.
ONE_BY_ONE = re.compile(r"Memcheck|Racecheck|Initcheck|Synccheck|Suppressions")
FLAGS = {"cudaOpenMP": ["-Xcompiler", "-fopenmp"], "UnifiedMemoryStreams": ["-Xcompiler", "-fopenmp"]}
# What tollgate has no part in: a program that uses one of these is left out, with this reason.
OUTSIDE = {
    r"\bcu(Init|Module\w+|Mem(Create|Map|AddressReserve)|LaunchKernel|CtxCreate|DeviceGet)\b\s*\(": "driver API",
    r"nvrtc": "NVRTC and driver API",
    r"GL/|glut|EGL/|vulkan|d3d1[12]|DirectX": "graphics",
    r"\b(cublas|cufft|cusparse|cusolver|npp|nvjpeg|nvsci)\w*\.h\b|\bcurand\.h|\bnpp[is]": "a CUDA library",
    r"mpi\.h": "MPI",
    r"sanitizer\.h|nvtx3|nvToolsExt": "the sanitizer's own programming interface",
    r"cudaIpc\w+\(|ShareableHandle": "interprocess handles",
    r"cudaGraphInstantiate|cudaStreamBeginCapture": "graphs",
    r"cudaMallocArray|cudaMalloc3DArray|tex[123]D(LOD|Layered)?\s*[<(]|cudaTextureObject_t": "textures",
    r"\bwmma::": "tensor cores",
}
TABLE_ORDER = {"error": 0, "warning": 1, "note": 2}


def sources_of(folder):
    return sorted((p for p in folder.rglob("*") if p.suffix in (".cu", ".cpp", ".c")), key=lambda p: (p.suffix != ".cu", p))


def outside(folder):
    """Why a sample is left out, or None."""
    text = "".join(p.read_text(errors="replace") for p in folder.rglob("*") if p.suffix in (".cu", ".cuh", ".cpp", ".h", ".c"))
    for pattern, reason in OUTSIDE.items():
        if re.search(pattern, text):
            return reason
    if re.search(r"cudaStreamFireAndForget|<<<[^;]*>>>", text) and "cdp" in folder.name:
        return "dynamic parallelism"
    return None


def samples_of(source):
    """(name, folder, sources) of everything that can be built."""
    folders = sorted({p.parent for p in source.rglob("*.cu")} | {p.parent for p in source.rglob("*.cpp")})
    tops = []
    for folder in folders:
        while folder.parent.name in ("src", "common") or folder.name in ("src", "inc", "common"):
            folder = folder.parent
        if "Common" not in folder.relative_to(source).parts and folder not in tops:
            tops.append(folder)
    for folder in tops:
        sources = sources_of(folder)
        if ONE_BY_ONE.search(folder.name):
            yield from ((f"{folder.name}/{path.stem}", folder, [path]) for path in sources)
        elif any(path.suffix == ".cu" for path in sources):
            yield folder.name, folder, sources


def copy_of(folder, sources, name, target):
    """A copy of the sample with small sizes; returns its sources."""
    shutil.copytree(folder, target, symlinks=True)
    copied = [target / path.relative_to(folder) for path in sources]
    for constant, value in SMALLER.get(name, {}).items():
        pattern = rf"(#define[ \t]+{constant}[ \t]+|\b(?:int|uint|size_t|double|long)[ \t]+(?:const[ \t]+)?{constant}[ \t]*=[ \t]*|^[ \t]*{constant}[ \t]*=[ \t]*)[0-9(][^;,\n]*"
        hits = 0
        for path in target.rglob("*"):
            if path.suffix in (".cu", ".cuh", ".cpp", ".h"):
                text, count = re.subn(pattern, lambda match: match.group(1) + value, path.read_text(errors="surrogateescape"), flags=re.M)
                hits += count
                if count:
                    path.write_text(text, errors="surrogateescape")
        if not hits:
            print(f"{name}: no constant {constant}: another version of the samples?", file=sys.stderr)
    return copied


def flags(name, work, source, sm):
    """Options for nvcc."""
    return ["-std=c++17", "-w", f"-I{source / 'Common'}", f"-I{work}", f"-I{work / 'inc'}",
            f"-gencode=arch=compute_{sm},code=compute_{sm}"] + FLAGS.get(name, [])


def check(name, folder, sources, source, options):
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / folder.name
        copied = copy_of(folder, sources, name, work)
        report = work / "report.json"
        first, rest = copied[0], [str(path) for path in copied[1:]]
        if options.as_built:
            first = work / "program"
            build = [options.tollgate, "nvcc", *flags(name, work, source, options.sm), "-lineinfo", "-Xcompiler", "-g1", "-o", str(first)]
            built = subprocess.run(build + [str(path) for path in copied], capture_output=True, text=True, check=False)
            if built.returncode:
                return {"name": name, "verdict": "not built", "why": (built.stderr + built.stdout).strip()[-300:]}
        given = [] if options.as_built else flags(name, work, source, options.sm) + rest + ["--"]
        started = time.monotonic()
        command = [options.tollgate, "check", "--format", "json", "--output", str(report), "--timeout", str(options.timeout),
                   "--arch", f"sm_{options.sm}", *(["--as-built"] if name in OPTIMISED else []), str(first)] + given + ARGUMENTS.get(name, [])
        ran = subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
        result = {"name": name, "seconds": round(time.monotonic() - started, 1), "exit": ran.returncode,
                  "said": (ran.stdout + ran.stderr).strip().splitlines()[-4:]}
        try:
            written = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            return {**result, "verdict": "no report", "why": str(problem)}
    findings = sorted(written["findings"], key=lambda f: TABLE_ORDER[f["severity"]])
    return {**result, "verdict": written["verdict"], "incomplete": written.get("incomplete", []), "findings": findings}


def place(finding):
    at = finding.get("at", {})
    return f"{pathlib.Path(at.get('file', '?')).name}:{at.get('line', '?')}"


def row(result):
    found = [f"{f['severity']} `{f['rule']}` {place(f)}" for f in result.get("findings", [])]
    why = result.get("incomplete", []) if result["verdict"] == "incomplete" else [result["why"]] if "why" in result else []
    return f"| {result['name']} | {result['verdict']} | {'<br>'.join(found + why)} | {result.get('seconds', '')} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=lambda text: pathlib.Path(text).resolve())
    default = pathlib.Path(__file__).resolve().parents[2] / "build" / "tollgate"
    parser.add_argument("--tollgate", default=str(default))
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--output", type=pathlib.Path, help="write the reports to this JSON file")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--sm", default="80", help="architecture to build for")
    parser.add_argument("--as-built", action="store_true")
    options = parser.parse_args()
    results, left_out = [], {}
    print("| program | verdict | findings | seconds |\n|---|---|---|--:|", flush=True)
    for name, folder, sources in samples_of(options.source):
        if not re.search(options.only, f"{folder.relative_to(options.source)}/{name}"):
            continue
        if reason := outside(folder):
            left_out.setdefault(reason, []).append(name)
            continue
        results.append(check(name, folder, sources, options.source, options))
        print(row(results[-1]), flush=True)
        if options.output:
            options.output.write_text(json.dumps(results, indent=1), encoding="utf-8")
    for reason, names in sorted(left_out.items()):
        print(f"\nLeft out ({reason}): {', '.join(names)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
