// [explain]
__global__ void multiply(float* out) { // a path without them, chosen by a macro or an argument
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += 1.0f * 1.0f;
    out[i] = sum;
  }
}
// [end]

int main() {
  float* data = nullptr;
  if (cudaMalloc(&data, 256 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 256 * sizeof(float));
  multiply<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
