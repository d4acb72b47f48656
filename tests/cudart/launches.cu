// Ways to launch: parameters of all shapes, cudaLaunchKernel, cudaLaunchKernelExC, cooperative, nested arguments,
// templates, kernel handles.
#include "check.h"

#include <cooperative_groups.h>
#include <vector>

struct Mixed {
  char c;
  double d;
  short s[3];
};

__global__ void all_shapes(char a, Mixed m, short b, const int* p, float4 f, bool t, double* out) {
  *out = a + m.c + m.d + m.s[0] + m.s[2] + b + *p + f.x + f.w + (t ? 1000 : 0);
}

template <typename T, int N> __global__ void scale(T* data, T factor) {
  if (threadIdx.x < N) data[threadIdx.x] = data[threadIdx.x] * factor + static_cast<T>(N);
}

__global__ void grid_sum(int* data, int* total) {
  const auto grid = cooperative_groups::this_grid();
  data[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0) {
    int sum = 0;
    for (unsigned i = 0; i < grid.size(); ++i) sum += data[i];
    *total = sum;
  }
}

static int launch_inside(double* out) {
  static int seven = 0;
  int* p = nullptr;
  OK(cudaMallocManaged(&p, sizeof(int)));
  *p = 7;
  all_shapes<<<1, 1>>>(0, Mixed{}, 0, p, float4{}, false, out);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(p));
  return seven;
}

int main() {
  double* out = nullptr;
  int* p = nullptr;
  OK(cudaMallocManaged(&out, sizeof(double)));
  OK(cudaMallocManaged(&p, sizeof(int)));
  *p = 5;
  const Mixed m{2, 0.25, {10, 20, 30}};
  all_shapes<<<1, 1>>>(1, m, 100, p, make_float4(0.5f, 0, 0, 0.125f), true, out);
  OK(cudaDeviceSynchronize());
  CHECK(*out == 1 + 2 + 0.25 + 40 + 100 + 5 + 0.625 + 1000);
  all_shapes<<<1, 1 + launch_inside(out)>>>(1, m, 0, p, float4{}, false, out);
  OK(cudaDeviceSynchronize());
  CHECK(*out == 1 + 2 + 0.25 + 40 + 5);

  float* floats = nullptr;
  OK(cudaMallocManaged(&floats, 8 * sizeof(float)));
  for (int i = 0; i < 8; ++i) floats[i] = static_cast<float>(i);
  float factor = 2;
  scale<float, 4><<<1, 8>>>(floats, factor);
  void* args[] = {&floats, &factor};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(&scale<float, 8>), dim3(1), dim3(8), args, 0, nullptr));
  OK(cudaDeviceSynchronize());
  CHECK(floats[0] == 16 && floats[3] == 28 && floats[4] == 16);

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(8);
  OK(cudaLaunchKernelEx(&config, scale<float, 1>, floats, 0.0f));
  OK(cudaDeviceSynchronize());
  CHECK(floats[0] == 1 && floats[1] != 1);

  constexpr int blocks = 4, threads = 64;
  int *data = nullptr, *total = nullptr;
  OK(cudaMallocManaged(&data, blocks * threads * sizeof(int)));
  OK(cudaMallocManaged(&total, sizeof(int)));
  void* grid_args[] = {&data, &total};
  OK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_sum), dim3(blocks), dim3(threads), grid_args, 0, nullptr));
  OK(cudaDeviceSynchronize());
  CHECK(*total == blocks * threads);
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_sum), dim3(1 << 20), dim3(threads), grid_args, 0,
                                     nullptr),
         cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);

  cudaKernel_t kernel = nullptr;
  OK(cudaGetKernel(&kernel, reinterpret_cast<const void*>(grid_sum)));
  CHECK(kernel != nullptr);
  OK(cudaFree(out));
  OK(cudaFree(p));
  OK(cudaFree(floats));
  OK(cudaFree(data));
  OK(cudaFree(total));
  return pass();
}
