// [explain]
__global__ void add(double* sum, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long guess = atomicAdd(bits, 0ull), assumed;
  do {
    assumed = guess;
    guess = atomicCAS(bits, assumed, __double_as_longlong(__longlong_as_double(assumed) + value));
  } while (assumed != guess);
}
// [end]

int main() {
  double* data = nullptr;
  if (cudaMalloc(&data, 1 * sizeof(double)) != cudaSuccess) return 1;
  cudaMemset(data, 0, 1 * sizeof(double));
  add<<<2, 64>>>(data, 0.5);
  return cudaDeviceSynchronize() != cudaSuccess;
}
