// Kernels that move undefined bytes about and compute with defined ones only.
#include "../check_case.h"

struct Padded {
  char tag; // three bytes of padding behind it
  int value;
  short small; // six more
  double large;
};

struct Bits {
  unsigned low : 5, middle : 11, high : 16;
};

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void copy_vectors(const int4* in, int4* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void fill(Padded* out) {
  Padded p;
  p.tag = 'x';
  p.value = threadIdx.x;
  p.small = 3;
  p.large = 1.5;
  out[threadIdx.x] = p;
}
__global__ void copy_padded(const Padded* in, Padded* out) {
  __shared__ Padded tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Padded mine = tile[31 - threadIdx.x];
  out[threadIdx.x] = mine;
}
__global__ void use_padded(const Padded* in, double* out) {
  const Padded p = in[threadIdx.x];
  if (p.tag == 'x') out[threadIdx.x] = p.value + p.small + p.large;
}

__global__ void bits(Bits* out, int* sum) {
  Bits mine;
  mine.low = threadIdx.x & 31;
  mine.high = 7;
  out[threadIdx.x] = mine;
  const Bits again = out[threadIdx.x];
  sum[threadIdx.x] = again.low + again.high;
}

// The last element has no neighbour; what stands there is not looked at.
__global__ void guarded(const int* in, int* out, int n) {
  const int own = in[threadIdx.x];
  const int next = in[threadIdx.x + 1];
  out[threadIdx.x] = threadIdx.x + 1 < n ? next : own;
  out[threadIdx.x] += threadIdx.x + 1 < n ? next * 2 : 1;
}

__global__ void packed(const uchar4* in, int* out) { // only x and y were written
  const uchar4 v = in[threadIdx.x];
  out[threadIdx.x] = v.x + v.y;
}
__global__ void fill_packed(uchar4* out) {
  out[threadIdx.x].x = 1;
  out[threadIdx.x].y = 2;
}

__global__ void shuffled(const int* in, int* out) { // lane 31 reads what nobody wrote, and keeps its own
  int v = 0;
  if (threadIdx.x < 31)
    v = in[threadIdx.x];
  else
    v = in[32];
  const int got = __shfl_down_sync(~0u, v, 1);
  out[threadIdx.x] = got;
  if (threadIdx.x < 30) out[threadIdx.x] = got + 1;
}

__device__ __noinline__ Padded pass(Padded p, int n) {
  Padded other;
  if (n > 5) other = p;
  return n > 5 ? other : p;
}
__global__ void through_calls(const Padded* in, int* out, int n) {
  const Padded p = pass(in[threadIdx.x], n);
  out[threadIdx.x] = p.value + 1;
}

__global__ void local_array(int* out, int n) {
  int a[8];
  for (int i = 0; i < n; ++i) a[i] = i;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[(i * 3) % n];
  out[threadIdx.x] = sum;
}

__global__ void masked(const int* in, int* out) { // zero is and-ed away, one is or-ed away
  out[threadIdx.x] = (in[threadIdx.x] & 0) + 1;
  out[threadIdx.x] += (in[threadIdx.x] | -1) + 1;
}

__global__ void read_back(const int* in, int* out) { // never used
  const volatile int unused = in[threadIdx.x];
  out[threadIdx.x] = 3;
}

inline int run_copies() {
  int *raw = nullptr, *out = device_array<int>(256);
  cudaMalloc(&raw, 256 * sizeof(int));
  copy<<<1, 64>>>(raw, out);
  copy_vectors<<<1, 32>>>(reinterpret_cast<int4*>(raw), reinterpret_cast<int4*>(out));
  Padded *padded = nullptr, *moved = nullptr;
  cudaMalloc(&padded, 32 * sizeof(Padded));
  cudaMalloc(&moved, 32 * sizeof(Padded));
  fill<<<1, 32>>>(padded);
  copy_padded<<<1, 32>>>(padded, moved);
  use_padded<<<1, 32>>>(moved, device_array<double>(32));
  bits<<<1, 32>>>(reinterpret_cast<Bits*>(raw) + 128, device_array<int>(32));
  int* partly = nullptr;
  cudaMalloc(&partly, 65 * sizeof(int));
  cudaMemset(partly, 0, 64 * sizeof(int));
  guarded<<<1, 64>>>(partly, device_array<int>(64), 64);
  uchar4* bytes = nullptr;
  cudaMalloc(&bytes, 32 * sizeof(uchar4));
  fill_packed<<<1, 32>>>(bytes);
  packed<<<1, 32>>>(bytes, device_array<int>(32));
  int* most = nullptr;
  cudaMalloc(&most, 33 * sizeof(int));
  cudaMemset(most, 0, 31 * sizeof(int));
  shuffled<<<1, 32>>>(most, device_array<int>(32));
  through_calls<<<1, 32>>>(padded, device_array<int>(32), 6);
  local_array<<<1, 32>>>(device_array<int>(32), 5);
  masked<<<1, 32>>>(raw + 64, device_array<int>(32));
  read_back<<<1, 32>>>(raw + 64, device_array<int>(32));
  return finish();
}
