// A fault that has nothing to do with the device is the program's own.
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
  int* volatile nowhere = nullptr;
  if (sigsetjmp(back, 1) == 0) *nowhere = 2;
  return 0;
}
