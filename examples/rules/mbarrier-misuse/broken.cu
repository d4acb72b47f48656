// [explain]
__global__ void meet(int* data) {
  __shared__ alignas(8) unsigned long long word;
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  unsigned long long phase; // mbarrier.init is missing
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(address) : "memory");
  data[threadIdx.x] = 1;
}
// [end]

int main() {
  int* data = nullptr;
  if (cudaMalloc(&data, 64 * sizeof(int)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 64 * sizeof(int));
  meet<<<1, 32>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
