#!/usr/bin/env python3
"""The route without a CUDA toolkit: clang and the headers of include/tollgate/cuda. On the real runtime.

TOLLGATE names the tool; the programs lie in clang_route/.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOLLGATE = os.environ["TOLLGATE"]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "clang_route"
NO_TOOLKIT = {**os.environ, "TOLLGATE_NVCC": "/nonexistent/nvcc"}


def tollgate(*words, folder=None):
    return subprocess.run([TOLLGATE, *words], capture_output=True, text=True, timeout=200, env=NO_TOOLKIT, cwd=folder, check=False)


class ClangRoute(unittest.TestCase):
    def source(self, text):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name, "a.cu")
        path.write_text(text, encoding="utf-8")
        return path

    def expect(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stdout + result.stderr)

    def test_half_and_bfloat16(self):
        for arch in ("sm_80", "sm_90"):
            with self.subTest(arch=arch):
                self.expect(tollgate("run", "--arch", arch, str(PROGRAMS / "half.cu")), 0, "PASS")

    def test_half_operators_agree_with_the_toolkit_s(self):
        self.expect(tollgate("run", str(PROGRAMS / "operators.cu")), 0, "PASS 0.299805")

    def test_cooperative_groups(self):
        self.expect(tollgate("check", str(PROGRAMS / "groups.cu")), 0, "PASS", "clean")

    def test_a_failed_assert(self):
        path = self.source("#include <cassert>\n__global__ void k(int n) {\n  assert(n == 0);\n}\n"
                           "int main() { k<<<1, 1>>>(1); return cudaDeviceSynchronize() == cudaErrorAssert ? 3 : 4; }\n")
        self.expect(tollgate("check", path.name, folder=path.parent), 99, "error[device-assert]", "a.cu:3")

    def test_managed_variables_need_nvcc(self):
        path = self.source("__managed__ int m;\nint main() { return m; }\n")
        self.expect(tollgate("run", str(path)), 97, "__managed__ variables need nvcc", "cudaMallocManaged")

    def test_missing_headers_of_the_toolkit(self):
        for header in ("cub/cub.cuh", "thrust/sort.h", "cuda/atomic", "curand_kernel.h"):
            with self.subTest(header=header):
                path = self.source(f"#include <{header}>\nint main() {{}}\n")
                self.expect(tollgate("run", str(path)), 97, f"includes {header}", "CUDA toolkit", "help: ")
        own = self.source('#include "own.h"\nint main() {}\n')
        result = tollgate("run", str(own))
        self.expect(result, 97, "own.h")
        self.assertNotIn("toolkit", result.stderr)

    def test_host_lines(self):
        path = self.source("__global__ void k() {}\nint main() {\n  k<<<1, 2048>>>();\n  cudaDeviceSynchronize();\n}\n")
        self.expect(tollgate("check", path.name, folder=path.parent), 99, "error[bad-launch]", "a.cu:3", "k<<<1, 2048>>>();")


if __name__ == "__main__":
    unittest.main(verbosity=1)
