#!/usr/bin/env python3
"""How programs end that go wrong: wild addresses, ctrl-C, --timeout. On the real runtime, with programs of nvcc.

TOLLGATE names the tool; WILD, ENDLESS and CLOSED_FILES are wild.cu, endless.cu and closed_files.cu, compiled.
"""
import os
import signal
import subprocess
import time
import unittest

TOLLGATE, WILD, ENDLESS, CLOSED_FILES = (os.environ[name] for name in ("TOLLGATE", "WILD", "ENDLESS", "CLOSED_FILES"))
LOOPS = ("memory", "compute")
MODES = ("run", "check")


def default_signals():
    """Shells start background jobs with SIGINT ignored, and whoever runs this test may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class WildAddresses(unittest.TestCase):
    ADDRESSES = ("0", "10", "7fffffffff00", "8000000000000000", "fffffffffffffff0", "+1099511627776", "-1099511627776", "host")

    def test_the_program_sees_an_illegal_address(self):
        for mode in MODES:
            for kind in ("write", "read", "update", "call"):
                for address in self.ADDRESSES:
                    with self.subTest(mode=mode, kind=kind, address=address):
                        done = subprocess.run([TOLLGATE, mode, WILD, kind, address], capture_output=True, text=True, timeout=60)
                        # The second call shows that the error is sticky, as on a device.
                        self.assertEqual(done.stdout, "cudaErrorIllegalAddress\n" * 2, done.stderr)
                        self.assertEqual(done.returncode, 99, done.stderr)
                        self.assertRegex(done.stderr, r"error\[(null-pointer|out-of-bounds|host-pointer)\]")
                        self.assertNotIn("signal", done.stderr)


class ClosedFiles(unittest.TestCase):
    def test_what_the_program_opens_is_its_own(self):
        for mode in MODES:
            done = subprocess.run([TOLLGATE, mode, CLOSED_FILES], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.stdout, done.returncode), ("PASS\n", 0), done.stderr)
            self.assertNotIn("incomplete", done.stderr)

    def test_a_closed_standard_output(self):
        for stream in (1, 2):
            for mode in MODES:
                with self.subTest(mode=mode, stream=stream):
                    done = subprocess.run([TOLLGATE, mode, CLOSED_FILES, "open"], stdout=subprocess.PIPE, text=True, timeout=60,
                                          stderr=subprocess.PIPE, preexec_fn=lambda closed=stream: os.close(closed))
                    self.assertEqual(done.returncode, 0, done.stderr)


class Endless(unittest.TestCase):
    def test_timeout(self):
        for mode in MODES:
            for loop in LOOPS:
                with self.subTest(mode=mode, loop=loop):
                    begin = time.monotonic()
                    done = subprocess.run([TOLLGATE, mode, "--timeout", "2", ENDLESS, loop], capture_output=True, text=True,
                                          timeout=60)
                    self.assertEqual(done.returncode, 98, done.stderr)
                    self.assertIn("after 2 seconds (--timeout)", done.stderr)
                    self.assertIn(f"tollgate {mode}: incomplete", done.stderr)
                    self.assertLess(time.monotonic() - begin, 30)

    def test_interrupt(self):
        for mode in MODES:
            for loop in LOOPS:
                with self.subTest(mode=mode, loop=loop):
                    process = subprocess.Popen([TOLLGATE, mode, ENDLESS, loop], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                               text=True, preexec_fn=default_signals)
                    self.assertEqual(process.stdout.readline(), "launched\n")
                    time.sleep(0.5)  # most likely inside the kernel by now; whether or not, it must end
                    process.send_signal(signal.SIGINT)
                    try:
                        _, said = process.communicate(timeout=30)
                    finally:
                        process.kill()
                    self.assertEqual(process.returncode, 128 + signal.SIGINT, said)
                    self.assertIn("the program was interrupted", said)
                    self.assertIn(f"tollgate {mode}: incomplete", said)


if __name__ == "__main__":
    unittest.main(verbosity=1)
