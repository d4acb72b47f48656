// 2D and 3D copies and fills between pitched device memory and dense host memory.
#include "check.h"

#include <cstring>
#include <vector>

__global__ void mark(char* base, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) reinterpret_cast<int*>(base + y * pitch)[x] += 1000 * y + x;
}

static void two_dimensions() {
  constexpr int width = 37, height = 19;
  char* device = nullptr;
  size_t pitch = 0;
  OK(cudaMallocPitch(&device, &pitch, width * sizeof(int), height));
  CHECK(pitch >= width * sizeof(int) && pitch % 32 == 0);
  std::vector<int> host(width * height, 7), back(width * height, -1);
  OK(cudaMemset2D(device, pitch, 0, width * sizeof(int), height));
  OK(cudaMemcpy2D(device, pitch, host.data(), width * sizeof(int), width * sizeof(int), height, cudaMemcpyHostToDevice));
  mark<<<dim3(5, 5), dim3(8, 4)>>>(device, pitch, width, height);
  OK(cudaMemcpy2D(back.data(), width * sizeof(int), device, pitch, width * sizeof(int), height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) CHECK(back[y * width + x] == 7 + 1000 * y + x);
  }
  EXPECT(cudaMemcpy2D(back.data(), 4, device, pitch, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  cudaGetLastError();
  OK(cudaFree(device));
}

static void three_dimensions() {
  const cudaExtent extent = make_cudaExtent(24, 5, 3);
  cudaPitchedPtr device;
  OK(cudaMalloc3D(&device, extent));
  CHECK(device.pitch >= 24 && device.xsize == 24 && device.ysize == 5);
  std::vector<unsigned char> host(24 * 5 * 3), back(host.size(), 0);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host.data(), 24, 24, 5);
  in.dstPtr = device;
  in.extent = extent;
  in.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&in));
  cudaMemcpy3DParms out = {};
  out.srcPtr = device;
  out.srcPos = make_cudaPos(4, 1, 1); // a box inside
  out.dstPtr = make_cudaPitchedPtr(back.data(), 24, 24, 5);
  out.extent = make_cudaExtent(8, 2, 2);
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&out));
  for (size_t z = 0; z < 2; ++z) {
    for (size_t y = 0; y < 2; ++y) {
      CHECK(std::memcmp(&back[(z * 5 + y) * 24], &host[((z + 1) * 5 + y + 1) * 24 + 4], 8) == 0);
    }
  }
  OK(cudaMemset3D(device, 9, extent));
  out.srcPos = make_cudaPos(0, 0, 0);
  out.extent = extent;
  OK(cudaMemcpy3D(&out));
  for (unsigned char v : back) CHECK(v == 9);
  OK(cudaFree(device.ptr));
}

int main() {
  two_dimensions();
  three_dimensions();
  return pass();
}
