// Many small launches: how long one takes, and whether the process grows.
//
//   build/tollgate nvcc bench/launches.cu -o launches && build/tollgate run ./launches 10000000
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void count(unsigned* total, unsigned n) {
  if (threadIdx.x == 0) *total += n;
}

static double resident_mb() {
  long pages = 0, resident = 0;
  if (FILE* f = fopen("/proc/self/statm", "r")) {
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    fclose(f);
  }
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

int main(int argc, char** argv) {
  const long launches = argc > 1 ? atol(argv[1]) : 100000;
  unsigned* total = nullptr;
  if (cudaMalloc(&total, 4) != cudaSuccess || cudaMemset(total, 0, 4) != cudaSuccess) return 1;
  const auto start = std::chrono::steady_clock::now();
  for (long i = 1; i <= launches; ++i) {
    count<<<1, 32>>>(total, 1);
    if (i % 1000 == 0 && cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (i % (launches >= 10 ? launches / 10 : 1) == 0) {
      const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      printf("%ld launches: %.1f us each, %.1f MB resident\n", i, s / double(i) * 1e6, resident_mb());
      fflush(stdout);
    }
  }
  unsigned seen = 0;
  if (cudaMemcpy(&seen, total, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("%u counted\n", seen);
  return seen == unsigned(launches) ? 0 : 1;
}
