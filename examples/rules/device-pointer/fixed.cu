__global__ void clear(int* data) { data[threadIdx.x] = 0; }

// [explain]
int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  clear<<<1, 64>>>(data);
  int first = 1;
  if (cudaMemcpy(&first, data, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  return first;
}
// [end]
