// Frame of the checked programs. Comments say what `tollgate check` must report (run_case.py reads them):
//   // expect: RULE...   the finding's place is this line
//   // other: RULE...    this line is one of the finding's places
//   // options: ...      for the tool, anywhere in the file
// Anything else that is reported fails the test; a file without expectations must come out clean.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Several programs in one file, each in a process of its own: what ends one does not end the others, and one
// compilation serves all.
inline int each_alone(int argc, char** argv, std::initializer_list<void (*)()> programs) {
  if (argc > 1) {
    programs.begin()[std::atoi(argv[1])]();
    return finish();
  }
  for (size_t i = 0; i < programs.size(); ++i) {
    char number[8];
    std::snprintf(number, sizeof number, "%d", int(i));
    char* arguments[] = {argv[0], number, nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
      return 1;
  }
  return 0;
}

#define SYNC(barrier, count) asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory")
#define ARRIVE(barrier, count) asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory")
