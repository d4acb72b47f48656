#!/usr/bin/env python3
"""Installs a build into an empty folder, moves that folder, and uses what is there as a user would.

    run_install.py BUILD PROJECT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

EXPECTED = ["bin/tollgate", "bin/tollgate-nvcc", "lib/tollgate/libcudart.so", "lib/tollgate/libcudart.so.12",
            "lib/tollgate/libcudart.so.13", "include/tollgate/cuda/cuda_runtime.h", "share/doc/tollgate/LICENSE",
            "share/doc/tollgate/docs/limits.md", "share/doc/tollgate/examples/guarded_barrier.cu",
            "lib/cmake/tollgate/tollgateConfig.cmake", "lib/cmake/tollgate/tollgateConfigVersion.cmake"]


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nexit code {done.returncode}, expected {code}")
    return done.stdout


def main():
    build, project = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="tollgate-install-") as folder:
        first, prefix, work = pathlib.Path(folder, "first"), pathlib.Path(folder, "moved"), pathlib.Path(folder, "project")
        run("cmake", "--install", build, "--prefix", first)
        first.rename(prefix)  # nothing in it may remember where it was
        missing = [name for name in EXPECTED if not (prefix / name).exists()]
        if missing:
            sys.exit(f"not installed: {missing}")
        tollgate, examples = prefix / "bin/tollgate", prefix / "share/doc/tollgate/examples"
        said = run(tollgate, "check", examples / "guarded_barrier.cu", code=99, cwd=folder)
        if "error[barrier-divergent]" not in said:
            sys.exit(f"the finding of guarded_barrier.cu is missing:\n{said}")
        run(tollgate, "run", examples / "guarded_barrier_fixed.cu", cwd=folder)

        shutil.copytree(project, work)
        search = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix)}
        for compiler in (None, prefix / "bin/tollgate-nvcc"):
            tree = work / ("own" if compiler else "plain")
            run("cmake", "-S", work, "-B", tree, "-G", "Ninja", *([f"-DCMAKE_CUDA_COMPILER={compiler}"] if compiler else []),
                env=search)
            run("cmake", "--build", tree)
            print(run("ctest", "--test-dir", tree, "--output-on-failure"))
    print("installed, moved and used: ok")


if __name__ == "__main__":
    main()
