// wild KIND ADDRESS: one access or call at an address that is no memory. Prints the error that the program sees, then
// that of a later call. ADDRESS is hexadecimal, `host` (a variable on the host's stack), or `+N` / `-N` bytes from an
// allocation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void write(int* p) { *p = 1; }
__global__ void read(const int* p, int* out) { *out = p[threadIdx.x]; }
__global__ void update(int* p) { atomicAdd(p, 1); }
__global__ void call(void (*function)()) { function(); }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char *kind = argv[1], *where = argv[2];
  int *good = nullptr, local = 0;
  if (cudaMalloc(&good, 256) != cudaSuccess) return 1;
  uintptr_t address = std::strtoull(where, nullptr, 16);
  if (std::strcmp(where, "host") == 0) address = reinterpret_cast<uintptr_t>(&local);
  if (*where == '+' || *where == '-') address = reinterpret_cast<uintptr_t>(good) + std::strtoll(where, nullptr, 10);
  if (std::strcmp(kind, "write") == 0) write<<<1, 32>>>(reinterpret_cast<int*>(address));
  if (std::strcmp(kind, "read") == 0) read<<<1, 32>>>(reinterpret_cast<int*>(address), good);
  if (std::strcmp(kind, "update") == 0) update<<<1, 32>>>(reinterpret_cast<int*>(address));
  if (std::strcmp(kind, "call") == 0) call<<<1, 32>>>(reinterpret_cast<void (*)()>(address));
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
  std::puts(cudaGetErrorName(cudaMemset(good, 0, 4)));
  return 0;
}
