// What engine_bench measures: five problems, each solved by several runners. Sizes are docs/performance.md's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

constexpr size_t hist_bytes = size_t{64} << 20; // of uniform random bytes
constexpr unsigned hist_blocks = 1024, block_threads = 256;
constexpr size_t floats = size_t{16} << 20;
constexpr unsigned float_blocks = floats / block_threads;
constexpr float saxpy_factor = 2;
constexpr unsigned matrix_side = 4096, tile_side = 32, tile_rows = 8; // transpose: blocks of 32 x 8 threads
constexpr unsigned bodies = 8192;
constexpr float softening = 0.01F;
constexpr unsigned product_side = 512, product_tile = 16; // tiles: square matrices, blocks of 16 x 16 threads

// Inputs, made once. All floats are small integers, so that every sum is exact in any order.
const std::vector<uint8_t>& hist_input();
const std::vector<float>& saxpy_x();
const std::vector<float>& saxpy_y();
const std::vector<float>& reduce_input();

// Positions and masses, x y z m one after the other.
const std::vector<float>& body_input();

// Factors of the matrix product, by rows.
const std::vector<float>& product_left();
const std::vector<float>& product_right_hand();

bool hist_right(const std::vector<int32_t>& bins);
bool saxpy_right(const std::vector<float>& y, uint64_t runs); // y after `runs` times y += a * x
bool reduce_right(const std::vector<float>& block_sums);
bool transpose_right(const std::vector<float>& out);       // of saxpy_x() as a square matrix
bool product_right(const std::vector<float>& out);         // product_left() times product_right_hand()
bool nbody_right(const std::vector<float>& accelerations); // x y z 0; to 1e-4 of their length, rsqrt is not exact

// One way to solve one problem. run() is what is timed: data is in place before, results stay where they are.
class Runner {
public:
  virtual ~Runner() = default;
  virtual void run() = 0;
  virtual bool right() = 0; // the result of all runs so far
};

// Throws std::runtime_error with a readable reason where the runner cannot work on this machine.
using Maker = std::function<std::unique_ptr<Runner>()>;

struct Entry {
  std::string name; // "hist256/native1"
  uint64_t bytes;   // moved by one run, at the least
  Maker make;
};

std::vector<Entry> native_entries();
std::vector<Entry> tollgate_entries();
std::vector<Entry> tollgate_check_entries(); // only check_bench asks for these
std::unique_ptr<Runner> tollgate_nothing();  // one launch of one block that does next to nothing
std::vector<Entry> pocl_entries();           // empty where the benchmark was built without OpenCL

// The file of PTX that the engine runs; the committed kernels unless set before the first runner is made.
std::string& ptx_file();

constexpr uint64_t saxpy_traffic = 3 * floats * sizeof(float);
constexpr uint64_t transpose_traffic = 2 * floats * sizeof(float);
constexpr uint64_t nbody_traffic = 2 * uint64_t{bodies} * 4 * sizeof(float);
constexpr uint64_t product_traffic = 3 * uint64_t{product_side} * product_side * sizeof(float);
constexpr uint64_t reduce_traffic = floats * sizeof(float);

} // namespace bench
