// [explain]
__global__ void reduce(int* data) { // one warp
  __shared__ volatile int part[32];
  const int t = threadIdx.x;
  part[t] = data[t];
  if (t < 16) part[t] += part[t + 16];
  if (t < 8) part[t] += part[t + 8]; // as if the lanes ran in step
  data[t] = part[0];
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  reduce<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
