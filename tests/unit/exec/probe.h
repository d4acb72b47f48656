// Asks whether an address can be touched without touching it from the test: a system call reports EFAULT instead.
#pragma once

#include "exec/address.h"

#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

namespace tollgate::exec::testing {

inline bool host_readable(uint64_t address) {
  char byte = 0;
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return false;
  bool readable = syscall(SYS_write, pipe_ends[1], address, 1) == 1;
  if (readable) readable = read(pipe_ends[0], &byte, 1) == 1;
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return readable;
}

inline bool kernel_readable(uint64_t device) { return host_readable(device + kBias); }

} // namespace tollgate::exec::testing
