__global__ void clear(int* data) { data[threadIdx.x] = 0; }

// [explain]
int main() {
  int* data = nullptr; // cudaMalloc was forgotten, or failed
  clear<<<1, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
// [end]
