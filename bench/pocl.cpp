// The same kernels in OpenCL C on pocl's CPU device, for comparison. The reduction's loop is unrolled on request:
// nvcc does so by itself, and pocl takes more than twice the time without it.
#include "problem.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <array>
#include <stdexcept>

namespace bench {

namespace {

const char* const source = R"(
kernel void hist256(global const uchar* data, int N, global int* g) {
  local int h[256];
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) h[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < N; i += get_global_size(0)) atomic_add(&h[data[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&g[i], h[i]);
}
kernel void saxpy(float a, global const float* x, global float* y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
kernel void reduce(global const float* in, global float* partial) {
  local float sums[256];
  const uint lane = get_local_id(0);
  sums[lane] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for (uint width = 128; width > 0; width /= 2) {
    if (lane < width) sums[lane] += sums[lane + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) partial[get_group_id(0)] = sums[0];
}
kernel void transpose(global const float* in, global float* out) {
  local float tile[32][33];
  const int side = get_num_groups(0) * 32, tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
  for (int row = 0; row < 32; row += 8) tile[ty + row][tx] = in[(y + row) * side + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  for (int row = 0; row < 32; row += 8) out[(y + row) * side + x] = tile[tx][ty + row];
}
kernel void nbody(global const float4* body, global float4* acceleration, int n, float softening) {
  local float4 tile[256];
  const int lane = get_local_id(0);
  const float4 mine = body[get_global_id(0)];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += 256) {
    tile[lane] = body[first + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
      const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = other.w * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acceleration[get_global_id(0)] = (float4)(x, y, z, 0);
}
)";

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string("OpenCL: ") + what + " failed: " + std::to_string(status));
}

// One CPU device; lives until the process ends.
struct Device {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;

  Device() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
      throw std::runtime_error("no OpenCL platform");
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    cl_device_id device = nullptr;
    for (cl_platform_id platform : platforms)
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) break;
    if (!device) throw std::runtime_error("no OpenCL CPU device");
    cl_int status = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char* text = source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  }

  static Device& instance() {
    static Device device;
    return device;
  }
};

class Buffer {
public:
  explicit Buffer(size_t bytes, const void* from = nullptr) : bytes_(bytes) {
    cl_int status = 0;
    memory_ = clCreateBuffer(Device::instance().context, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                             const_cast<void*>(from), &status);
    check(status, "clCreateBuffer");
  }
  template <typename T>
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size() * sizeof(T), values.data()) {}
  ~Buffer() { clReleaseMemObject(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] cl_mem get() const { return memory_; }
  void clear() const {
    const cl_int zero = 0;
    check(clEnqueueFillBuffer(Device::instance().queue, memory_, &zero, sizeof zero, 0, bytes_, 0, nullptr, nullptr),
          "fill");
  }
  template <typename T> [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(bytes_ / sizeof(T));
    check(clEnqueueReadBuffer(Device::instance().queue, memory_, CL_TRUE, 0, bytes_, out.data(), 0, nullptr, nullptr),
          "read");
    return out;
  }

private:
  size_t bytes_;
  cl_mem memory_ = nullptr;
};

class Launch {
public:
  Launch(const char* name, unsigned blocks) : threads_{size_t{blocks} * block_threads, 1} {
    cl_int status = 0;
    kernel_ = clCreateKernel(Device::instance().program, name, &status);
    check(status, "clCreateKernel");
  }
  ~Launch() { clReleaseKernel(kernel_); }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  Launch& shape(std::array<size_t, 2> threads, std::array<size_t, 2> block) {
    dimensions_ = 2;
    threads_ = threads;
    block_ = block;
    return *this;
  }
  template <typename T> Launch& arg(T value) {
    check(clSetKernelArg(kernel_, next_++, sizeof value, &value), "clSetKernelArg");
    return *this;
  }
  void run() {
    cl_command_queue queue = Device::instance().queue;
    check(clEnqueueNDRangeKernel(queue, kernel_, dimensions_, nullptr, threads_.data(), block_.data(), 0, nullptr,
                                 nullptr),
          "launch");
    check(clFinish(queue), "clFinish");
  }

private:
  cl_kernel kernel_ = nullptr;
  cl_uint dimensions_ = 1, next_ = 0;
  std::array<size_t, 2> threads_, block_{block_threads, 1};
};

class Histogram : public Runner {
public:
  Histogram() : data_(hist_input()), bins_(256 * sizeof(int32_t)), launch_("hist256", hist_blocks) {
    launch_.arg(data_.get()).arg(static_cast<cl_int>(hist_bytes)).arg(bins_.get());
  }
  void run() override {
    bins_.clear();
    launch_.run();
  }
  bool right() override { return hist_right(bins_.values<int32_t>()); }

private:
  Buffer data_, bins_;
  Launch launch_;
};

class Saxpy : public Runner {
public:
  Saxpy() : x_(saxpy_x()), y_(saxpy_y()), launch_("saxpy", float_blocks) {
    launch_.arg(saxpy_factor).arg(x_.get()).arg(y_.get()).arg(static_cast<cl_int>(floats));
  }
  void run() override {
    launch_.run();
    ++runs_;
  }
  bool right() override { return saxpy_right(y_.values<float>(), runs_); }

private:
  Buffer x_, y_;
  Launch launch_;
  uint64_t runs_ = 0;
};

class Reduce : public Runner {
public:
  Reduce() : in_(reduce_input()), sums_(float_blocks * sizeof(float)), launch_("reduce", float_blocks) {
    launch_.arg(in_.get()).arg(sums_.get());
  }
  void run() override { launch_.run(); }
  bool right() override { return reduce_right(sums_.values<float>()); }

private:
  Buffer in_, sums_;
  Launch launch_;
};

class Transpose : public Runner {
public:
  Transpose() : in_(saxpy_x()), out_(floats * sizeof(float)), launch_("transpose", 1) {
    launch_.shape({matrix_side, matrix_side / tile_side * tile_rows}, {tile_side, tile_rows})
        .arg(in_.get())
        .arg(out_.get());
  }
  void run() override { launch_.run(); }
  bool right() override { return transpose_right(out_.values<float>()); }

private:
  Buffer in_, out_;
  Launch launch_;
};

class Nbody : public Runner {
public:
  Nbody() : in_(body_input()), out_(body_input().size() * sizeof(float)), launch_("nbody", bodies / block_threads) {
    launch_.arg(in_.get()).arg(out_.get()).arg(static_cast<cl_int>(bodies)).arg(softening);
  }
  void run() override { launch_.run(); }
  bool right() override { return nbody_right(out_.values<float>()); }

private:
  Buffer in_, out_;
  Launch launch_;
};

} // namespace

std::vector<Entry> pocl_entries() {
  return {{"hist256/pocl", hist_bytes, [] { return std::make_unique<Histogram>(); }},
          {"saxpy/pocl", saxpy_traffic, [] { return std::make_unique<Saxpy>(); }},
          {"reduce/pocl", reduce_traffic, [] { return std::make_unique<Reduce>(); }},
          {"transpose/pocl", transpose_traffic, [] { return std::make_unique<Transpose>(); }},
          {"nbody/pocl", nbody_traffic, [] { return std::make_unique<Nbody>(); }}};
}

} // namespace bench
