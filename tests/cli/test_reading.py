#!/usr/bin/env python3
"""How findings of real programs read: one for many threads, the user's own line, every thread at a deadlock.

TOLLGATE names the tool; nvcc compiles the programs.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TOLLGATE = os.environ["TOLLGATE"]

MANY = """
__global__ void many(int* data, int n) {
  const int value = data[n + threadIdx.x % 8]; // behind the end
  if (value == 12345) data[0] = value;
}
int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  many<<<10, 1024>>>(data, 64);
  cudaDeviceSynchronize();
}
"""

WRAPPED = """
__device__ void bump(int* counter) {
  atomicAdd(counter, 1);
}
__global__ void wrapped(int* data) {
  bump(data + 64);
}
int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  wrapped<<<1, 1>>>(data);
  cudaDeviceSynchronize();
}
"""

HOST = """
__global__ void idle(int* data) {}
static void grow(int** data) {
  cudaMalloc(data, 64);
  idle<<<1, 2048>>>(*data);
}
int main() {
  int* data = nullptr;
  grow(&data);
  cudaMemcpy(data, data, 1000, cudaMemcpyDeviceToDevice); // more than there is
  cudaMalloc(&data, ~size_t{0} / 2);
  idle<<<1, 1>>>(data);
}
"""

NESTED = """
__global__ void child(int* data) { data[threadIdx.x] = 7; }
__global__ void parent(int* data) {
  if (threadIdx.x == 0)
    child<<<1, 32>>>(data);
}
int main() {
  int* data = nullptr;
  cudaMalloc(&data, 128);
  parent<<<1, 32>>>(data);
  cudaDeviceSynchronize();
}
"""

STUCK = """
__global__ void stuck() {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 96;" ::: "memory");
  else if (threadIdx.x < 60)
    __syncwarp(0xffffffff);
  else if (threadIdx.x < 64)
    asm volatile("bar.sync 2, 96;" ::: "memory");
}
int main() {
  stuck<<<1, 96>>>();
  cudaDeviceSynchronize();
}
"""


SEVERAL = MANY.replace("many<<<10, 1024>>>(data, 64);", "for (int i = 0; i < 5; ++i) many<<<1, 32>>>(data, 64);")


class Reading(unittest.TestCase):
    def check(self, name, text, *options, compiler=(), code=99):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            done = subprocess.run([TOLLGATE, "check", "--timeout", "60", *options, name, *compiler], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_ten_thousand_threads_are_one_finding(self):
        report = json.loads(self.check("many.cu", MANY, "--format", "json").stdout)
        finding, = [entry for entry in report["findings"] if entry["rule"] == "out-of-bounds"]
        self.assertEqual(finding["count"], 10240)
        self.assertEqual(finding["threads"], "threads 0-1023 of block (0,0,0) and threads of 9 more blocks")
        self.assertEqual(finding["at"]["line"], 3)
        self.assertIn("the object was allocated at many.cu:8", finding["notes"])

    def test_the_user_s_own_line_stands_before_the_header(self):
        said = self.check("wrapped.cu", WRAPPED).stderr
        self.assertRegex(said, r"--> \S*wrapped\.cu:3:3 in bump\(int\*\)")
        self.assertIn("3 |   atomicAdd(counter, 1);", said)
        self.assertRegex(said, r"= inside: \S*/include/\S+ in ")
        self.assertRegex(said, r"= called from: \S*wrapped\.cu:6:3 in wrapped\(int\*\)")

    def test_calls_of_the_host_are_source_lines(self):
        said = self.check("host.cu", HOST).stderr
        self.assertRegex(said, r"--> host\.cu:5 in grow")
        self.assertIn("5 |   idle<<<1, 2048>>>(*data);", said)
        # cudaMalloc<int> is a function of the toolkit's header: the line that called it is shown.
        self.assertRegex(said, r"cudaMalloc failed with cudaErrorMemoryAllocation.*\n +--> host\.cu:11")

    def test_a_kernel_launched_from_a_kernel_is_said_once(self):
        done = self.check("nested.cu", NESTED, compiler=["-rdc=true", "-arch=sm_80", "-lcudadevrt", "--"], code=98)
        self.assertEqual(done.stderr.count("dynamic parallelism"), 1, done.stderr)
        self.assertIn("note[not-modelled]", done.stderr)
        self.assertRegex(done.stderr, r"--> \S*nested\.cu:5")
        self.assertNotIn("api-error", done.stderr)

    def test_every_thread_of_a_deadlock(self):
        said = self.check("stuck.cu", STUCK, "--verbose").stderr
        for line in ("threads 0-31: waiting at barrier 1 for 96 threads, ", "threads 32-59: waiting at a warp barrier of threads 32-63, ",
                     "threads 60-63: waiting at barrier 2 for 96 threads, ", "threads 64-95: left the kernel"):
            self.assertIn("= state: " + line, said)
        self.assertRegex(said, r"for 96 threads, \S*stuck\.cu:4:")

    def test_shards_share_the_launches_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "several.cu").write_text(SEVERAL, encoding="utf-8")
            counts = []
            for shard in ("1/2", "2/2"):
                path = folder / f"{shard[0]}.json"
                subprocess.run([TOLLGATE, "check", "--shard", shard, "--format", "json", "-o", str(path), "several.cu"], cwd=folder,
                               check=False, stdout=subprocess.DEVNULL)
                report = json.loads(path.read_text(encoding="utf-8"))
                self.assertEqual((report["shard"], report["kernels"][0]["launches"]), (shard, 5))
                counts.append([finding["count"] for finding in report["findings"] if finding["rule"] == "out-of-bounds"])
            self.assertEqual(counts, [[96], [64]])  # launches 1, 3, 5 and 2, 4
            merged = subprocess.run([TOLLGATE, "merge", "--format", "json", "1.json", "2.json"], cwd=folder, check=False,
                                    stdout=subprocess.PIPE, text=True)
            finding, = json.loads(merged.stdout)["findings"]
            self.assertEqual((merged.returncode, finding["count"]), (99, 160))


if __name__ == "__main__":
    unittest.main(verbosity=1)
