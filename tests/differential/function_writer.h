// Writes the body of one kernel or device function: pools of data registers, random statements over them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tollgate::differential {

using Random = std::mt19937_64;

struct Shape {
  uint32_t threads = 1; // of a block
  uint32_t all_threads = 1;
};

class FunctionWriter {
public:
  FunctionWriter(Random& random, const Shape& shape, bool is_kernel, std::string prefix);

  // What a statement may do where it stands.
  struct Scope {
    std::string mask;     // register with the lanes of the warp that are here, empty: not known
    bool uniform = false; // all threads of the block that are left come here: barriers are allowed
    bool top = false;     // `mask` is the function's own mask: lanes may leave here
    unsigned depth = 0, loops = 0;
    std::string break_label, continue_label, loop_mask;
    std::vector<std::string> counters; // of enclosing loops
  };

  void statements(const Scope& scope, unsigned count);
  void line(const std::string& text) { body_ += "  " + text + ";\n"; }
  void label(const std::string& name) { body_ += name + ":\n"; }
  // Gives every data register a value, from `seed_register` and constants.
  void initialise(const std::string& seed_register);
  void store_results();
  std::string declarations() const;
  const std::string& body() const { return body_; }
  std::string new_label();
  std::string temp(const char* kind); // r, l, h, f, d or p
  std::string mix();                  // a b32 register that depends on all data registers
  void call(const std::string& function, const std::string& mask, const std::string& count);
  std::string condition(const Scope& scope);

  // Functions that statements may call; "[t" is a table of two. "..._m" need the mask of the lanes that call.
  std::vector<std::string> leaf_functions;
  std::vector<std::string> barrier_functions; // pass two barriers each

  void exchange(const Scope& scope, bool aligned);

private:
  uint64_t pick(uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <size_t N> const char* one_of(const char* const (&list)[N]) { return list[pick(N)]; }
  std::string data(const char* kind); // a register of the pool
  std::string r_or_constant(const Scope& scope);
  std::string uniform_value(const Scope& scope);
  std::string affine_value(const Scope& scope);
  std::string guard();

  // statements_values.cpp
  void integer32(const Scope& scope);
  void integer64();
  void integer16();
  void single_float();
  void double_float();
  void conversion();
  void predicate(const Scope& scope);
  void selection();
  // statements_memory.cpp
  void input_load(const Scope& scope);
  void own_global(const Scope& scope);
  void own_atomic();
  void own_shared();
  void own_local();
  void shared_sum(const Scope& scope);
  void vector_access();
  // statements_control.cpp
  void branch(const Scope& scope);
  void balanced_barriers(const Scope& scope);
  void counted_loop(const Scope& scope);
  void lane_loop(const Scope& scope);
  void irreducible(const Scope& scope);
  void table_jump(const Scope& scope);
  void skip_forward(const Scope& scope);
  void leave_early(const Scope& scope);
  void call_something(const Scope& scope);
  // statements_warp.cpp
  void warp_operation(const Scope& scope);
  void shuffle(const Scope& scope);
  void barrier(const Scope& scope, bool aligned);
  std::string own_address(unsigned bytes, unsigned slot);

  void control(const Scope& scope);
  void value(const Scope& scope);

  Random& random_;
  const Shape& shape_;
  bool is_kernel_;
  std::string prefix_;
  std::string body_;
  unsigned labels_ = 0;
  std::vector<std::pair<std::string, unsigned>> temps_{{"r", 0}, {"l", 0}, {"h", 0}, {"f", 0}, {"d", 0}, {"p", 0}};
};

// Slots of the output: for each size, `count` arrays of one element a thread, one after the other.
struct OutputLayout {
  static constexpr unsigned kSlots = 8;
  static uint32_t offset(unsigned bytes, uint32_t threads); // of the arrays of this element size (1, 2, 4, 8, 16)
  static uint32_t total(uint32_t threads);
};

} // namespace tollgate::differential
