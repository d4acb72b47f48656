// How soon a large kernel starts: seconds from the start of the program to the end of the first launch, and to the
// process's end, before which its optimised code is made and cached (the shell's `time` says that one).
//
//   bench/large_kernel.py 5000 > large.ptx
//   nvcc -cudart shared -o large_start bench/large_start.cu
//   time XDG_CACHE_HOME=$(mktemp -d) build/tollgate run ./large_start large.ptx
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

static bool ok(cudaError_t error, const char* what) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error == cudaSuccess;
}

int main(int argc, char** argv) {
  const auto begin = std::chrono::steady_clock::now();
  if (argc != 2) return std::fprintf(stderr, "usage: large_start FILE.ptx\n"), 2;
  cudaLibrary_t library;
  cudaKernel_t kernel;
  void *in, *out;
  constexpr size_t bytes = 65536;
  if (!ok(cudaMalloc(&in, bytes), "in") || !ok(cudaMalloc(&out, bytes), "out") ||
      !ok(cudaMemset(in, 0, bytes), "zeros") ||
      !ok(cudaLibraryLoadFromFile(&library, argv[1], nullptr, nullptr, 0, nullptr, nullptr, 0), argv[1]) ||
      !ok(cudaLibraryGetKernel(&kernel, library, "large"), "large"))
    return 1;
  void* arguments[] = {&in, &out};
  if (!ok(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(256), arguments, 0, nullptr),
          "launch") ||
      !ok(cudaDeviceSynchronize(), "run"))
    return 1;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("{\"first_launch_s\": %.3f}\n", took.count());
  return 0;
}
