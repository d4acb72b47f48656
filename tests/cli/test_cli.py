#!/usr/bin/env python3
"""Tests of the command line. TOLLGATE, FAKE_PROGRAM and FAKE_RUNTIME name what is tested (see CMakeLists.txt)."""

import array
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOLLGATE = os.environ["TOLLGATE"]
PROGRAM = os.environ["FAKE_PROGRAM"]
RUNTIME = os.environ["FAKE_RUNTIME"]
NVCC = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)

EMPTY_KERNEL = """
__global__ void empty() {}
int main() { empty<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }
"""


def tollgate(*words, **options):
    return subprocess.run([TOLLGATE, *words], capture_output=True, text=True, timeout=60, **options)


def start(mode, *words):
    """`words` are options of the tool and then what the fake program does, parted by the word "do"."""
    at = words.index("do")
    return tollgate(mode, "--runtime-dir", RUNTIME, *words[:at], PROGRAM, *words[at + 1:])


class Case(unittest.TestCase):
    def expect(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stdout + result.stderr)

    def folder(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return holder.name

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder(), name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


class Isa(Case):
    def test_atomics_of_an_architecture(self):
        found = tollgate("isa", "^atom", "--arch", "sm_90")
        self.expect(found, 0, "Atomic functions on sm_90")
        self.assertRegex(found.stdout, r"atomicAdd +__nv_bfloat162 +global +instruction")
        self.assertRegex(found.stdout, r"atomicAdd +float +shared +loop")
        self.assertRegex(tollgate("isa", "^atom", "--arch", "sm_80").stdout, r"atomicAdd +__nv_bfloat162 +global +loop")
        self.assertNotIn("Atomic functions", tollgate("isa", "^bar", "--arch", "sm_80").stdout)

    def test_unknown_architecture(self):
        self.expect(tollgate("isa", "atom", "--arch", "sm_91"), 2, "'sm_91'", "sm_90")


class Usage(Case):
    def test_wrong_usage_is_2(self):
        for words in ([], ["run"], ["check", "--bogus", "x"], ["frobnicate"], ["run", "--format", "xml", "x"],
                      ["run", "--timeout", "-1", "x"], ["run", "--arch", "kepler", "x"], ["run", "--threads", "0", "x"],
                      ["run", "--error-exitcode", "300", "x"], ["run", "--kernel", "(", "x"], ["explain", "no-such-rule"]):
            with self.subTest(words=words):
                self.expect(tollgate(*words), 2, "error")

    def test_launch_is_for_ptx(self):
        self.expect(tollgate("run", "--launch", "k<<<1,1>>>()", PROGRAM), 2, ".ptx")

    def test_help_is_0(self):
        for words in (["--help"], ["run", "--help"], ["check", "--help"], ["--version"], ["version"]):
            with self.subTest(words=words):
                self.expect(tollgate(*words), 0)

    def test_profile_is_not_there(self):
        self.expect(tollgate("profile", "x"), 97, "cannot profile yet")

    def test_options_after_the_program_are_its_own(self):
        self.expect(start("run", "do", "print=--format", "finish"), 0, "--format")
        self.expect(start("run", "do", "--", "print=x", "finish"), 0, "x")


class ExitCodes(Case):
    def test_clean_passes_the_program_s_code(self):
        self.expect(start("check", "do", "kernel=k", "finish"), 0, "clean - 1 kernel, 2 launches")
        self.expect(start("check", "do", "kernel=k", "finish", "exit=3"), 3, "clean")

    def test_findings(self):
        self.expect(start("check", "do", "find=error", "kernel=k", "finish"), 99, "error[barrier-divergent]")
        self.expect(start("check", "--error-exitcode", "7", "do", "find=error", "finish"), 7)
        self.expect(start("run", "do", "find=error", "finish"), 99)

    def test_fail_on(self):
        self.expect(start("check", "do", "find=warning", "kernel=k", "finish"), 0, "verdict: findings")
        self.expect(start("check", "--fail-on", "warning", "do", "find=warning", "kernel=k", "finish"), 99)
        self.expect(start("check", "--fail-on", "never", "do", "find=error", "kernel=k", "finish"), 0)

    def test_notes_do_not_spoil_a_clean_run(self):
        self.expect(start("check", "--fail-on", "warning", "do", "find=note", "kernel=k", "finish"), 0, "clean", "(1 note)")

    def test_incomplete(self):
        self.expect(start("check", "do", "kernel=k", "incomplete=tcgen05 at PTX line 3", "finish"), 98, "tcgen05")
        self.expect(start("check", "do", "kernel=k"), 98, "_exit", "return")
        self.expect(start("check", "do", "finish"), 98, "no kernel was launched")
        self.expect(start("check", "--kernel", "^k$", "do", "kernel=k", "finish"), 0, "clean")
        self.expect(start("check", "--kernel", "absent", "do", "kernel=k", "finish"), 98,
                    "no kernel that was launched matches --kernel absent")
        self.expect(start("check", "do", "find=error", "incomplete=x", "finish"), 99)

    def test_program_that_crashes(self):
        self.expect(start("check", "do", "kernel=k", "crash"), 98, "Segmentation fault")
        self.expect(start("run", "do", "crash"), 128 + signal.SIGSEGV, "Segmentation fault")
        self.expect(start("check", "do", "find=error", "crash"), 99, "barrier-divergent")

    def test_a_run_ends_as_the_program_does(self):
        for words, code in ((["_exit=7"], 7), (["launch=k", "_exit=0"], 0), (["exec", "_exit=5"], 5), (["exec", "kernel=k", "finish", "exit=3"], 3)):
            with self.subTest(words=words):
                result = start("run", "do", *words)
                self.expect(result, code)
                self.assertEqual(result.stderr, "")
        self.expect(start("run", "do", "find=error", "_exit=7"), 99)

    def test_a_check_says_what_it_missed(self):
        self.expect(start("check", "do", "launch=k", "_exit=7"), 98, "_exit()", "returning from main", "1 kernel, 1 launch")
        self.expect(start("check", "do", "launch=k", "exec", "kernel=k", "finish"), 98, "(exec)", "returning from main")

    def test_what_was_launched_is_counted_however_the_program_ends(self):
        result = start("check", "--format", "json", "do", "launch=k", "launch=k", "launch=k", "crash")
        self.expect(result, 98)
        self.assertEqual(json.loads(result.stdout)["kernels"], [{"name": "k", "launches": 3, "threads": 768, "fidelity": "exact"}])
        self.expect(start("run", "do", "launch=k", "launch=k", "crash"), 128 + signal.SIGSEGV, "1 kernel, 2 launches")
        self.expect(start("run", "do", "crash"), 128 + signal.SIGSEGV, "no kernel had begun to run")

    def test_findings_of_both_programs_of_a_process_are_kept(self):
        result = start("check", "--format", "json", "do", "line=1", "find=error", "launch=k", "exec", "line=2", "find=error", "launch=k", "kernel=k", "finish")
        self.expect(result, 99)
        report = json.loads(result.stdout)
        self.assertEqual([finding["at"]["line"] for finding in report["findings"]], [1, 2])
        self.assertEqual(report["kernels"][0]["launches"], 1 + 2)

    def test_run_that_finds_nothing_says_nothing(self):
        result = start("run", "do", "kernel=k", "print=hello", "finish", "exit=4")
        self.expect(result, 4)
        self.assertEqual((result.stdout, result.stderr), ("hello\n", ""))


class Reports(Case):
    def test_json_comes_after_the_program_s_own_output(self):
        result = start("check", "--format", "json", "do", "print=first", "find=error", "find=error", "kernel=k", "finish")
        self.expect(result, 99)
        first, _, rest = result.stdout.partition("\n")
        self.assertEqual(first, "first")
        report = json.loads(rest)
        self.assertEqual(report["schema"], "tollgate-findings/1")
        self.assertEqual((report["verdict"], report["exit"]), ("findings", 99))
        finding, = report["findings"]
        self.assertEqual((finding["rule"], finding["severity"], finding["count"]), ("barrier-divergent", "error", 2))
        self.assertEqual((finding["at"]["file"], finding["at"]["line"], finding["at"]["column"]), ("guarded.cu", 9, 5))
        self.assertEqual(report["kernels"], [{"name": "k", "launches": 2, "threads": 512, "fidelity": "exact"}])

    def test_output_file_with_process_id(self):
        pattern = os.path.join(self.folder(), "report-%p.json")
        result = start("check", "--format", "json", "--output", pattern, "do", "kernel=k", "finish")
        self.expect(result, 0)
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        name, = os.listdir(os.path.dirname(pattern))
        self.assertRegex(name, r"^report-\d+\.json$")
        with open(os.path.join(os.path.dirname(pattern), name)) as file:
            self.assertEqual(json.load(file)["verdict"], "clean")

    def test_output_that_cannot_be_written(self):
        self.expect(start("check", "-o", "/nonexistent/x", "do", "kernel=k", "finish"), 97, "/nonexistent/x")

    def test_children_are_merged(self):
        result = start("check", "--format", "json", "do", "fork", "find=error", "kernel=k", "finish")
        report = json.loads(result.stdout)
        self.assertEqual(report["findings"][0]["count"], 2)
        self.assertEqual(report["kernels"][0]["launches"], 4)

    def test_a_script_is_followed(self):
        script = self.write("test.sh", f"#!/bin/sh\n{PROGRAM} find=error kernel=k finish\nexit 5\n", 0o755)
        self.expect(tollgate("check", "--runtime-dir", RUNTIME, script), 99, "barrier-divergent")
        script = self.write("plain.sh", "#!/bin/sh\nexit 5\n", 0o755)
        self.expect(tollgate("check", "--runtime-dir", RUNTIME, script), 98, "nothing was checked")
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, script), 5)

    def test_colour(self):
        plain = start("check", "do", "find=error", "finish")
        self.assertNotIn("\x1b[", plain.stderr)
        painted = start("check", "--color", "always", "do", "find=error", "finish")
        self.assertIn("\x1b[1;31merror[barrier-divergent]\x1b[0m", painted.stderr)

    def test_configuration_reaches_the_runtime(self):
        result = start("check", "--seed", "7", "--threads", "3", "--arch", "sm_90", "--kernel", "hist.*", "do", "config", "finish")
        config = json.loads(result.stdout.splitlines()[0])
        self.assertEqual((config["mode"], config["seed"], config["workers"], config["sm"], config["kernel_filter"]),
                         ("check", 7, 1, 90, "hist.*"))
        result = start("run", "--threads", "3", "do", "config", "finish")
        self.assertEqual(json.loads(result.stdout)["workers"], 3)

    def test_nothing_is_left_behind(self):
        folder = self.folder()
        tollgate("check", "--runtime-dir", RUNTIME, PROGRAM, "kernel=k", "finish", env={**os.environ, "TMPDIR": folder})
        self.assertEqual(os.listdir(folder), [])


class Signals(Case):
    def test_timeout_still_reports(self):
        begin = time.monotonic()
        self.expect(start("check", "--timeout", "0.3", "do", "find=error", "sleep=30"), 99, "barrier-divergent", "--timeout")
        self.expect(start("run", "--timeout", "0.3", "do", "sleep=30"), 98, "after 0.3 seconds")
        self.assertLess(time.monotonic() - begin, 10)

    def test_timeout_ends_children_that_ignore_signals(self):
        self.expect(start("run", "--timeout", "0.3", "do", "ignore-signals", "fork", "sleep=30"), 98)
        running = set()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has just ended
                running.add((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        self.assertFalse([line for line in running if PROGRAM + " ignore-signals" in line])

    def interrupted(self, *words, times=1):
        process = subprocess.Popen([TOLLGATE, "check", "--runtime-dir", RUNTIME, PROGRAM, *words, "print=ready", "sleep=30"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        out, err = process.communicate(timeout=20)
        return process.returncode, out + err

    def test_interrupt_is_passed_on_and_reported(self):
        code, text = self.interrupted("find=error")
        self.assertEqual(code, 99, text)
        self.assertIn("interrupted", text)
        self.assertEqual(self.interrupted("kernel=k")[0], 128 + signal.SIGINT)

    def test_second_interrupt_ends_a_program_that_does_not_listen(self):
        code, text = self.interrupted("ignore-signals", "find=error", times=2)
        self.assertEqual(code, 99, text)


class Preflight(Case):
    def test_missing_or_useless_files(self):
        self.expect(tollgate("run", "./no-such-file"), 97, "no program ./no-such-file")
        self.expect(tollgate("run", "no-such-command"), 97, "no program")
        self.expect(tollgate("run", self.folder()), 97, "is a directory")
        self.expect(tollgate("run", self.write("data", "#!/bin/sh\n")), 97, "not executable")
        self.expect(tollgate("run", self.write("k.ptx", ".version 8.0")), 2, "needs --launch")
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, self.write("empty", "", 0o755)), 97, "is empty")
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, self.write("cut", "\x7fELF", 0o755)), 97, "is cut off")

    def test_files_that_are_no_programs_are_named_for_what_they_are(self):
        for name, text, what in (("k.cuh", "", "is a header"), ("k.CU", "", "ends in .cu"), ("k.cpp", "", "C++ source"),
                                 ("x.fatbin", "PED-BA", "neither a program"), ("lib.a", "!<arch>\n", "static library"),
                                 ("notes", "some text\n", "tollgate run sh "), ("tool.py", "print(1)\n", "tollgate run python3 "),
                                 ("lost", "#!/no/such/interpreter -x\n", "/no/such/interpreter"), ("zeros", "\0\0", "neither a program")):
            for mode in (0o644, 0o755):
                with self.subTest(name=name, mode=mode):
                    path = self.write(name, text.replace("PED-BA", "\0"), mode)
                    result = tollgate("run", "--runtime-dir", RUNTIME, path)
                    self.expect(result, 97, what)
                    self.assertIn("help: ", result.stderr)

    def test_binaries_that_are_no_programs(self):
        library = os.path.join(RUNTIME, "libcudart.so.13")
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, library), 97, "is a shared library")
        with open(library, "rb") as file:
            header = bytearray(file.read(4096))
        for offset, value, what in ((16, 1, "is an object file"), (16, 4, "is a core dump"), (18, 190, "is a cubin"), (18, 183, "another kind of machine")):
            with self.subTest(what=what):
                changed = header[:offset] + value.to_bytes(2, "little") + header[offset + 2:]
                path = os.path.join(self.folder(), "x.exe")
                with open(path, "wb") as file:
                    file.write(changed)
                self.expect(tollgate("run", "--runtime-dir", RUNTIME, path), 97, what)
        path = os.path.join(self.folder(), "x.exe")
        with open(path, "wb") as file:
            file.write(bytes.fromhex("50ed55ba0100100000000000"))
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, path), 97, "is a fat binary")

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_the_driver_api_is_refused(self):
        folder = self.folder()
        with open(os.path.join(folder, "a.c"), "w") as file:
            file.write("int cuInit(unsigned flags) { return 0; }\n")
        with open(os.path.join(folder, "b.c"), "w") as file:
            file.write("int cuInit(unsigned flags);\nint main(void) { return cuInit(0); }\n")
        subprocess.run(["cc", "-shared", "-Wl,-soname,libcuda.so.1", "a.c", "-o", "libcuda.so"], check=True, cwd=folder)
        subprocess.run(["cc", "b.c", "-L.", "-lcuda", "-o", "drv"], check=True, cwd=folder)
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, os.path.join(folder, "drv")), 97, "driver API", "-lcuda")

    def test_not_cuda(self):
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, "/bin/true"), 97, "not a CUDA program")

    def test_no_runtime(self):
        self.expect(tollgate("run", "--runtime-dir", "/nonexistent", PROGRAM), 97, "libcudart.so.13")

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_programs_of_nvcc(self):
        source = self.write("empty.cu", EMPTY_KERNEL)
        folder = self.folder()

        def build(name, *options):
            path = os.path.join(folder, name)
            subprocess.run([NVCC, *options, source, "-o", path], check=True, capture_output=True)
            return path

        static = build("static")
        self.expect(tollgate("check", static), 97, "static CUDA runtime", "-cudart shared",
                    "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared")
        subprocess.run(["strip", static], check=True)
        self.expect(tollgate("check", static), 97, "static CUDA runtime")
        sass = build("sass", "-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80")
        self.expect(tollgate("check", sass), 97, "no PTX", "-gencode arch=compute_80,code=compute_80")


SCALE_PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 a)
{
  .reg .b32 %r<6>; .reg .b64 %l<4>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %l0, [p]; ld.param.u32 %r0, [n]; ld.param.f32 %f0, [a];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0; @%p ret;
  mul.wide.u32 %l1, %r4, 4; add.s64 %l1, %l0, %l1;
  cvt.rn.f32.u32 %f1, %r4; mul.f32 %f1, %f1, %f0; st.global.f32 [%l1], %f1;
  ret;
}
"""


class PtxFiles(Case):
    def launch(self, mode, text, *words):
        return tollgate(mode, *words, self.write("scale.ptx", SCALE_PTX), "--launch", text)

    def test_a_kernel_runs_and_its_result_is_written(self):
        out = os.path.join(self.folder(), "out.bin")
        self.expect(self.launch("run", f"scale<<<4, 256>>>(out:{out}:4K, 1000, 2.5)"), 0)
        with open(out, "rb") as file:
            values = array.array("f", file.read())
        self.assertEqual(values.tolist(), [2.5 * i for i in range(1000)] + [0.0] * 24)
        self.expect(tollgate("check", "--launch=scale<<<1,32>>>(zeros:128,0x20,-1)", self.write("s.ptx", SCALE_PTX)), 0,
                    "clean")

    def test_faults_are_found(self):
        self.expect(self.launch("check", "scale<<<4,256>>>(zeros:4000,1024,1)"), 99, "out-of-bounds", "threads 232-255")

    def test_what_is_wrong_with_a_launch_is_said(self):
        for text, code, part in (("scale<<<4,256>>>(zeros:4K)", 1, "takes 3 arguments"),
                                 ("other<<<4,256>>>()", 1, "no kernel other"),
                                 ("scale<<<4,256>>(1)", 2, "no <<<grid,block>>>"),
                                 ("scale<<<4>>>(1)", 2, "the grid, the block"),
                                 ("scale<<<4,8x8x8x8>>>(1)", 2, "NxNxN"),
                                 ("scale<<<4,256>>>(zeros:x,1,1)", 2, "not a number of bytes"),
                                 ("scale<<<4,256>>>(zeros:4K,0x100000000,1)", 1, "too few"),
                                 ("scale<<<4,256>>>(file:/nonexistent,1,1)", 1, "cannot read"),
                                 ("scale<<<4,256>>>(some:4,1,1)", 2, "no argument of the kind some")):
            with self.subTest(text=text):
                self.expect(self.launch("run", text), code, part)


@unittest.skipUnless(NVCC, "needs nvcc")
class Compile(Case):
    def test_errors_of_the_compiler_are_shown(self):
        source = self.write("bad.cu", "__global__ void k() { int x = ; }\n")
        self.expect(tollgate("run", "--runtime-dir", RUNTIME, source), 97, "bad.cu(1): error", "could not be compiled")

    def test_options_reach_the_compiler(self):
        source = self.write("macro.cu", "#ifdef WANTED\n#error it is defined\n#endif\n")
        for words in (["--nvcc-flag", "-DWANTED", source], ["--compile-option=-DWANTED", source],
                      [source, "-DWANTED", "--", "argument"]):
            with self.subTest(words=words):
                self.expect(tollgate("run", "--runtime-dir", RUNTIME, *words), 97, "it is defined")


@unittest.skipUnless(NVCC, "needs nvcc")
class Nvcc(Case):
    def ptx_of(self, *options, name="tollgate"):
        source = self.write("empty.cu", EMPTY_KERNEL)
        program = os.path.join(os.path.dirname(source), "empty")
        subprocess.run([TOLLGATE, "nvcc", *options, source, "-o", program], check=True, capture_output=True)
        # The stand-in runtime lacks the real functions: what matters is that preflight lets the program start.
        return tollgate("run", "--runtime-dir", RUNTIME, program)

    def test_programs_pass_preflight(self):
        for options in ([], ["-arch=sm_80"], ["-gencode", "arch=compute_80,code=sm_80"], ["-cudart=static"],
                        ["-cudart", "static", "-rdc=true"], ["-arch=compute_80", "-code=sm_80"]):
            with self.subTest(options=options):
                result = self.ptx_of(*options)
                self.assertNotIn("help:", result.stderr)

    def test_link_time_optimisation_is_refused(self):
        source = self.write("empty.cu", EMPTY_KERNEL)
        for words in (["nvcc", "-dlto", "-arch=sm_80", source], ["run", source, "-dlto", "-arch=sm_80", "--"],
                      ["nvcc", "-gencode", "arch=compute_80,code=lto_80", source]):
            with self.subTest(words=words):
                self.expect(tollgate(*words), 97, "link-time optimisation and no PTX", "leave it out")

    def test_questions_are_left_alone(self):
        self.expect(tollgate("nvcc", "--version"), 0, "release")
        self.expect(tollgate("nvcc", "--help"), 0, "Usage")

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "needs cmake and ninja")
    def test_cmake_takes_it_as_compiler(self):
        folder = self.folder()
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CUDA)\nadd_executable(k k.cu)\n")
        with open(os.path.join(folder, "k.cu"), "w") as file:
            file.write(EMPTY_KERNEL)
        build = os.path.join(folder, "build")
        for words in (["cmake", "-S", folder, "-B", build, "-G", "Ninja"], ["ninja", "-C", build]):
            done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "CUDACXX": TOLLGATE + "-nvcc"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = tollgate("run", "--runtime-dir", RUNTIME, os.path.join(build, "k"))
        self.assertNotIn("help:", result.stderr)


class Information(Case):
    def test_doctor(self):
        result = tollgate("doctor")
        self.assertIn(result.returncode, (0, 1))
        for part in ("toolchain", "nvcc", "clang", "processors", "what will work"):
            self.assertIn(part, result.stdout)

    def test_every_rule_is_explained(self):
        names = [line.split()[0] for line in tollgate("explain").stdout.splitlines() if not line.startswith(" ")]
        self.assertIn("barrier-divergent", names)
        for name in names:
            self.expect(tollgate("explain", name), 0, name, "An example", "What to change")


if __name__ == "__main__":
    unittest.main(verbosity=1)
