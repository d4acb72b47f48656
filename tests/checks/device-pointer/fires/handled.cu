// The program has a handler of its own, and goes on.
#include "../../check_case.h"

#include <csetjmp>
#include <csignal>

static sigjmp_buf back;

__global__ void kernel(int* data) { data[threadIdx.x] = 1; }

int main() {
  std::signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
  int* data = device_array<int>(64);
  kernel<<<1, 64>>>(data);
  finish();
  if (sigsetjmp(back, 1) == 0) data[0] = 2; // expect: device-pointer
  return 0;
}
