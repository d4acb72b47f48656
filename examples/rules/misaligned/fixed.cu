// [explain]
__global__ void store(char* bytes) {
  *reinterpret_cast<double*>(bytes + 8) = 1;
}
// [end]

int main() {
  char* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(char)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(char));
  store<<<1, 1>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
