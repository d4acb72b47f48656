// Frame of the conformance programs: named cases that check themselves. `program` runs all cases, `program NAME...`
// the named ones; it prints "PASS" and exits 0 only if each held. CMake and scripts/conformance_table.py read the
// CASE lines, so a case keeps its name and title on one line.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    const cudaError_t error_ = (call);                                                                                 \
    if (error_ != cudaSuccess) {                                                                                       \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                           \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

#define FINISH()                                                                                                       \
  do {                                                                                                                 \
    CUDA(cudaGetLastError());                                                                                          \
    CUDA(cudaDeviceSynchronize());                                                                                     \
  } while (0)

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                       \
      return false;                                                                                                    \
    }                                                                                                                  \
  } while (0)

struct Case {
  const char* name;
  const char* title;
  bool (*run)();
};

inline std::vector<Case>& all_cases() {
  static std::vector<Case> cases;
  return cases;
}

struct RegisteredCase {
  RegisteredCase(const char* name, const char* title, bool (*run)()) { all_cases().push_back({name, title, run}); }
};

#define CASE(name, title)                                                                                              \
  static bool name();                                                                                                  \
  static const RegisteredCase registered_##name{#name, title, name};                                                   \
  static bool name()

// `count` elements on the device, zero at first, with a copy on the host after fetch().
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count) : host_(count) {
    CUDA(cudaMalloc(&device_, count * sizeof(T)));
    CUDA(cudaMemset(device_, 0, count * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    CUDA(cudaMemcpy(device_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(device_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* device() { return device_; }
  const std::vector<T>& fetch() {
    CUDA(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return host_;
  }

private:
  T* device_ = nullptr;
  std::vector<T> host_;
};

template <typename T> bool all_equal(const std::vector<T>& values, T expected) {
  for (size_t i = 0; i < values.size(); ++i)
    if (!(values[i] == expected)) {
      std::printf("element %zu is wrong\n", i);
      return false;
    }
  return true;
}

int main(int argc, char** argv) {
  bool passed = true;
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (const Case& c : all_cases()) known = known || std::strcmp(c.name, argv[i]) == 0;
    if (!known) {
      std::printf("no case is called %s\n", argv[i]);
      return 2;
    }
  }
  for (const Case& c : all_cases()) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(c.name, argv[i]) == 0;
    if (!wanted) continue;
    const bool held = c.run();
    std::printf("%-28s %s\n", c.name, held ? "ok" : "FAILED");
    passed = passed && held;
  }
  if (passed) std::printf("PASS\n");
  return passed ? 0 : 1;
}
