// The engine without the CUDA runtime in front: PTX in, launches through src/engine.
#include "engine/engine.h"
#include "problem.h"

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

using tollgate::engine::Engine;
using tollgate::engine::Kernel;
using tollgate::engine::LaunchRequest;
using tollgate::engine::MemoryKind;
using tollgate::engine::Module;
using tollgate::engine::Status;

Module* module() {
  static Module* const loaded = [] {
    std::ifstream file(ptx_file());
    if (!file) throw std::runtime_error(ptx_file() + ": cannot be read");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string ptx = text.str();
    auto result = Engine::instance().load_module({&ptx, 1}, ptx_file());
    if (!result) throw std::runtime_error(result.error().to_string());
    return *result;
  }();
  return loaded;
}

// Device memory, freed at the end.
class DeviceMemory {
public:
  explicit DeviceMemory(size_t bytes)
      : bytes_(bytes), address_(Engine::instance().allocate(bytes, MemoryKind::Device, "engine_bench")) {
    if (!address_) throw std::runtime_error("out of device memory");
  }
  template <typename T> explicit DeviceMemory(const std::vector<T>& values) : DeviceMemory(values.size() * sizeof(T)) {
    std::memcpy(view(), values.data(), bytes_);
    Engine::instance().note_written(address_, bytes_); // as a copy of the runtime does
  }
  ~DeviceMemory() { Engine::instance().release(address_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] uint64_t address() const { return address_; }
  [[nodiscard]] void* view() const { return Engine::instance().host_view(address_, bytes_); }
  void clear() const {
    std::memset(view(), 0, bytes_);
    Engine::instance().note_written(address_, bytes_);
  }
  template <typename T> [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(bytes_ / sizeof(T));
    std::memcpy(out.data(), view(), bytes_);
    return out;
  }

private:
  size_t bytes_;
  uint64_t address_;
};

class Launch {
public:
  Launch(const char* kernel, unsigned blocks) {
    auto found = Engine::instance().kernel(module(), kernel);
    if (!found) throw std::runtime_error(found.error().to_string());
    request_.kernel = *found;
    request_.grid = {blocks, 1, 1};
    request_.block = {block_threads, 1, 1};
    request_.params.resize(Engine::instance().info(*found).param_bytes);
  }

  Launch& shape(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block) {
    request_.grid = grid;
    request_.block = block;
    return *this;
  }

  // Arguments in order; each goes where the kernel says.
  template <typename T> Launch& arg(T value) {
    const auto& param = Engine::instance().info(request_.kernel).params.at(next_++);
    if (param.size != sizeof value)
      throw std::runtime_error("the kernel's parameters are not what the benchmark expects");
    std::memcpy(request_.params.data() + param.offset, &value, sizeof value);
    return *this;
  }

  void run() {
    const auto result = Engine::instance().run(request_);
    if (result.status != Status::Success) throw std::runtime_error("launch failed: " + result.message);
  }

private:
  LaunchRequest request_;
  size_t next_ = 0;
};

class Histogram : public Runner {
public:
  Histogram() : data_(hist_input()), bins_(256 * sizeof(int32_t)), launch_("hist256", hist_blocks) {
    launch_.arg(data_.address()).arg(static_cast<int32_t>(hist_bytes)).arg(bins_.address());
  }
  void run() override {
    bins_.clear();
    launch_.run();
  }
  bool right() override { return hist_right(bins_.values<int32_t>()); }

private:
  DeviceMemory data_, bins_;
  Launch launch_;
};

class Saxpy : public Runner {
public:
  Saxpy() : x_(saxpy_x()), y_(saxpy_y()), launch_("saxpy", float_blocks) {
    launch_.arg(saxpy_factor).arg(x_.address()).arg(y_.address()).arg(static_cast<int32_t>(floats));
  }
  void run() override {
    launch_.run();
    ++runs_;
  }
  bool right() override { return saxpy_right(y_.values<float>(), runs_); }

private:
  DeviceMemory x_, y_;
  Launch launch_;
  uint64_t runs_ = 0;
};

class Reduce : public Runner {
public:
  Reduce() : in_(reduce_input()), sums_(float_blocks * sizeof(float)), launch_("reduce", float_blocks) {
    launch_.arg(in_.address()).arg(sums_.address());
  }
  void run() override { launch_.run(); }
  bool right() override { return reduce_right(sums_.values<float>()); }

private:
  DeviceMemory in_, sums_;
  Launch launch_;
};

class Transpose : public Runner {
public:
  Transpose() : in_(saxpy_x()), out_(floats * sizeof(float)), launch_("transpose", 1) {
    launch_.shape({matrix_side / tile_side, matrix_side / tile_side, 1}, {tile_side, tile_rows, 1});
    launch_.arg(in_.address()).arg(out_.address());
  }
  void run() override { launch_.run(); }
  bool right() override { return transpose_right(out_.values<float>()); }

private:
  DeviceMemory in_, out_;
  Launch launch_;
};

class Nbody : public Runner {
public:
  Nbody() : in_(body_input()), out_(body_input().size() * sizeof(float)), launch_("nbody", bodies / block_threads) {
    launch_.arg(in_.address()).arg(out_.address()).arg(static_cast<int32_t>(bodies)).arg(softening);
  }
  void run() override { launch_.run(); }
  bool right() override { return nbody_right(out_.values<float>()); }

private:
  DeviceMemory in_, out_;
  Launch launch_;
};

class Tiles : public Runner {
public:
  Tiles()
      : a_(product_left()), b_(product_right_hand()), c_(product_left().size() * sizeof(float)), launch_("tiles", 1) {
    constexpr unsigned blocks = product_side / product_tile;
    launch_.shape({blocks, blocks, 1}, {product_tile, product_tile, 1});
    launch_.arg(a_.address()).arg(b_.address()).arg(c_.address()).arg(static_cast<int32_t>(product_side));
  }
  void run() override { launch_.run(); }
  bool right() override { return product_right(c_.values<float>()); }

private:
  DeviceMemory a_, b_, c_;
  Launch launch_;
};

class Nothing : public Runner {
public:
  Nothing() : y_(sizeof(float)), launch_("saxpy", 1) {
    launch_.arg(saxpy_factor).arg(y_.address()).arg(y_.address()).arg(int32_t{0});
  }
  void run() override { launch_.run(); }
  bool right() override { return true; }

private:
  DeviceMemory y_;
  Launch launch_;
};

} // namespace

std::string& ptx_file() {
  static std::string file = BENCH_PTX;
  return file;
}

std::vector<Entry> tollgate_check_entries() {
  return {{"tiles/tollgate", product_traffic, [] { return std::make_unique<Tiles>(); }}};
}

std::unique_ptr<Runner> tollgate_nothing() { return std::make_unique<Nothing>(); }

std::vector<Entry> tollgate_entries() {
  return {{"hist256/tollgate", hist_bytes, [] { return std::make_unique<Histogram>(); }},
          {"saxpy/tollgate", saxpy_traffic, [] { return std::make_unique<Saxpy>(); }},
          {"reduce/tollgate", reduce_traffic, [] { return std::make_unique<Reduce>(); }},
          {"transpose/tollgate", transpose_traffic, [] { return std::make_unique<Transpose>(); }},
          {"nbody/tollgate", nbody_traffic, [] { return std::make_unique<Nbody>(); }}};
}

} // namespace bench
