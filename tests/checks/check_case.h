// Frame of the checked programs. Comments say what `tollgate check` must report (run_case.py reads them):
//   // expect: RULE...   the finding's place is this line
//   // other: RULE...    this line is one of the finding's places
//   // options: ...      for the tool, anywhere in the file
// Anything else that is reported fails the test; a file without expectations must come out clean.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

template <typename T> T* device_array(size_t count) {
  T* array = nullptr;
  if (cudaMalloc(&array, count * sizeof(T)) != cudaSuccess || cudaMemset(array, 0, count * sizeof(T)) != cudaSuccess) {
    std::printf("no memory\n");
    std::exit(1);
  }
  return array;
}

// Waits for the kernel. How it ended is the tool's to judge: a program's own failure would hide a missing finding.
inline int finish() {
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(status));
  return 0;
}

#define SYNC(barrier, count) asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory")
#define ARRIVE(barrier, count) asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory")
