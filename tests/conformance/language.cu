// What device code may do besides arithmetic: recursion, calls through pointers, virtual functions, printf, malloc,
// local arrays, switches, structs as arguments.
#include "conformance.h"

#include <string>
#include <unistd.h>

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recurse(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

CASE(recursion, "recursive calls, each lane to its own depth") {
  Buffer<int> out(48);
  recurse<<<1, 48>>>(out.device());
  FINISH();
  int expected[12] = {0, 1};
  for (int i = 2; i < 12; ++i) expected[i] = expected[i - 1] + expected[i - 2];
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 48; ++i) EXPECT(values[i] == expected[i % 12]);
  return true;
}

using Operation = int (*)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[3] = {add, subtract, multiply};

__global__ void call_through_pointer(int* out) { out[threadIdx.x] = operations[threadIdx.x % 3](threadIdx.x, 7); }

CASE(function_pointers, "calls through a table of function pointers, lanes to different targets") {
  Buffer<int> out(64);
  call_through_pointer<<<1, 64>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == (i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7));
  return true;
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
  int side;
};
struct Rectangle : Shape {
  __device__ Rectangle(int w, int h) : width(w), height(h) {}
  __device__ int area() const override { return width * height; }
  int width, height;
};

__global__ void virtual_calls(int* out) {
  Shape* shape;
  if (threadIdx.x % 2) shape = new Square(threadIdx.x);
  else shape = new Rectangle(threadIdx.x, 3);
  out[threadIdx.x] = shape->area();
  delete shape;
}

CASE(virtual_functions, "virtual functions of objects made with device new") {
  Buffer<int> out(40);
  virtual_calls<<<1, 40>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 40; ++i) EXPECT(values[i] == (i % 2 ? i * i : i * 3));
  return true;
}

__global__ void allocate(int* out) {
  const int count = threadIdx.x + 1;
  int* words = static_cast<int*>(malloc(count * sizeof(int)));
  if (!words) return;
  for (int i = 0; i < count; ++i) words[i] = i;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += words[i];
  free(words);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CASE(device_malloc, "malloc and free in kernels") {
  Buffer<int> out(4 * 70);
  allocate<<<4, 70>>>(out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 4 * 70; ++i) EXPECT(values[i] == (i % 70) * (i % 70 + 1) / 2);
  return true;
}

__global__ void print() {
  if (threadIdx.x == 3)
    printf("%d|%5.2f|%s|%c|%llu|%#x|100%%\n", -threadIdx.x, 1.5, "text", 'z', 1ull << 40, 255u);
}

CASE(device_printf, "printf from a kernel") {
  std::fflush(stdout);
  std::FILE* file = std::tmpfile();
  EXPECT(file != nullptr);
  const int saved = dup(1);
  dup2(fileno(file), 1);
  print<<<1, 32>>>();
  const cudaError_t status = cudaDeviceSynchronize();
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  char text[200] = {};
  std::rewind(file);
  const size_t got = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  EXPECT(status == cudaSuccess);
  EXPECT(std::string(text, got) == "-3| 1.50|text|z|1099511627776|0xff|100%\n");
  return true;
}

struct Many {
  char tag;
  double numbers[9];
  short pair[2];
  int sum;
};

__global__ void by_value(char before, Many many, short after, int* out) {
  int order[16]; // indexed by a value: stays in local memory
  for (int i = 0; i < 16; ++i) order[i] = (i * 7 + threadIdx.x) % 16;
  int position = threadIdx.x % 16, steps = 0;
  do {
    position = order[position];
    ++steps;
  } while (position != threadIdx.x % 16 && steps < 20);
  out[threadIdx.x] = before + many.tag + static_cast<int>(many.numbers[threadIdx.x % 9]) + many.pair[1] + after +
                     (steps <= 20 ? many.sum : 0);
}

CASE(struct_arguments, "structs by value, mixed alignment, local arrays") {
  Many many{'a', {0, 1, 2, 3, 4, 5, 6, 7, 8}, {10, 20}, 1000};
  Buffer<int> out(32);
  by_value<<<1, 32>>>(3, many, 500, out.device());
  FINISH();
  const std::vector<int>& values = out.fetch();
  for (int i = 0; i < 32; ++i) EXPECT(values[i] == 3 + 'a' + i % 9 + 20 + 500 + 1000);
  return true;
}

__global__ void choose(long long* out) {
  const int i = threadIdx.x;
  long long value;
  switch (i % 9) {
  case 0: value = i + 100; break;
  case 1: value = i * 1000ll / 7; break;
  case 2: value = -i; break;
  case 3: value = i ^ 0x55; break;
  case 4: value = (1ll << 40) % (i + 1); break;
  case 5: value = __popc(i) + __clz(i); break;
  case 6: value = __brev(i); break;
  case 7: value = i << 3; break;
  default: value = 5;
  }
  out[i] = value;
}

CASE(switches, "a switch whose lanes take nine ways") {
  Buffer<long long> out(64);
  choose<<<1, 64>>>(out.device());
  FINISH();
  const std::vector<long long>& values = out.fetch();
  for (int i = 0; i < 64; ++i) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (i >> bit & 1u) << (31 - bit);
    const long long expected[9] = {i + 100ll,  i * 1000ll / 7, -i, i ^ 0x55, (1ll << 40) % (i + 1),
                                   i ? __builtin_popcount(i) + __builtin_clz(i) : 32, static_cast<long long>(reversed),
                                   i << 3, 5};
    EXPECT(values[i] == expected[i % 9]);
  }
  return true;
}

__global__ void read_clocks(unsigned* out) {
  const long long start = clock64();
  while (clock64() - start < 20000) {
  }
  const unsigned low = clock();
  while (clock() - low < 20000u) {
  }
  unsigned long long first, second;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(second));
  } while (second - first < 20000);
  out[threadIdx.x] = 1;
}

CASE(clocks, "loops that wait for clock64, clock and the global timer") {
  Buffer<unsigned> out(64);
  read_clocks<<<1, 64>>>(out.device());
  FINISH();
  EXPECT(all_equal(out.fetch(), 1u));
  return true;
}

// The flag of a subtraction is read by additions in nvcc's division.
__global__ void wide_integers(const unsigned long long* in, unsigned __int128* out) {
  const unsigned long long* own = in + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const auto a = (unsigned __int128)own[0] << 64 | own[1], b = (unsigned __int128)own[2] << 64 | own[3];
  unsigned __int128* to = out + 6 * (blockIdx.x * blockDim.x + threadIdx.x);
  to[0] = a / b;
  to[1] = a % b;
  to[2] = (unsigned __int128)((__int128)a / (__int128)b);
  to[3] = (unsigned __int128)((__int128)a % (__int128)b);
  to[4] = a * b;
  to[5] = a - b;
}

CASE(integers_of_128_bits, "division, product and difference of integers of 128 bits") {
  constexpr int kCount = 2048;
  std::vector<unsigned long long> input(4 * kCount);
  uint64_t random = 1;
  auto next = [&] { return random = random * 6364136223846793005u + 1442695040888963407u, random >> 16 ^ random << 20; };
  for (int i = 0; i < kCount; ++i) {
    for (int side = 0; side < 4; side += 2) {
      auto value = ((unsigned __int128)next() << 64 | next()) >> next() % 128;
      if (i % (7 + side) == 0) value = -value;
      if (value == 0) value = 3;
      input[4 * i + side] = static_cast<unsigned long long>(value >> 64);
      input[4 * i + side + 1] = static_cast<unsigned long long>(value);
    }
  }
  Buffer<unsigned long long> in(input);
  Buffer<unsigned __int128> out(6 * kCount);
  wide_integers<<<kCount / 64, 64>>>(in.device(), out.device());
  FINISH();
  const std::vector<unsigned __int128>& seen = out.fetch();
  for (int i = 0; i < kCount; ++i) {
    const unsigned long long* own = &input[4 * i];
    const auto a = (unsigned __int128)own[0] << 64 | own[1], b = (unsigned __int128)own[2] << 64 | own[3];
    EXPECT(seen[6 * i] == a / b && seen[6 * i + 1] == a % b);
    EXPECT((__int128)seen[6 * i + 2] == (__int128)a / (__int128)b && (__int128)seen[6 * i + 3] == (__int128)a % (__int128)b);
    EXPECT(seen[6 * i + 4] == a * b && seen[6 * i + 5] == a - b);
  }
  return true;
}
