// Each function of rtlib and its 32-lane twin give the same bits, whatever is in the lanes.
#include "rtlib/rtlib.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>

namespace tollgate::rtlib {
namespace {

constexpr int lanes = 32;

// Values that are awkward for a 32- or 64-bit float, else random.
template <typename T> T sample(std::mt19937_64& random) {
  constexpr uint64_t awkward32[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                    0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff, 0x3f800000};
  constexpr uint64_t awkward64[] = {
      0, 1ull << 63, 1, 0x7ff0000000000000, 0x7ff8000000000001, 0x7fefffffffffffff, 0x3ff0000000000000};
  const uint64_t raw = random();
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(raw % 3 == 0 ? awkward32[raw / 3 % 10] : raw >> 32));
  else
    return std::bit_cast<T>(raw % 3 == 0 ? awkward64[raw / 3 % 7] : random());
}

template <typename R, typename... A> void compare(const Function& function) {
  const auto scalar = reinterpret_cast<R (*)(A...)>(function.scalar);
  const auto vector = reinterpret_cast<void (*)(R*, const A*...)>(function.vector);
  std::mt19937_64 random(9);
  for (int round = 0; round < 50; ++round) {
    std::tuple<std::array<A, lanes>...> in;
    std::apply(
        [&](auto&... arrays) {
          (std::generate(
               arrays.begin(), arrays.end(),
               [&] { return sample<typename std::remove_reference_t<decltype(arrays)>::value_type>(random); }),
           ...);
        },
        in);
    std::array<R, lanes> out{};
    std::apply([&](auto&... arrays) { vector(out.data(), arrays.data()...); }, in);
    for (size_t lane = 0; lane < lanes; ++lane) {
      const R one = std::apply([&](auto&... arrays) { return scalar(arrays[lane]...); }, in);
      ASSERT_EQ(std::memcmp(&one, &out[lane], sizeof(R)), 0) << function.name << " lane " << lane;
    }
  }
}

TEST(Twins, GiveTheSameBits) {
  std::set<std::string_view> names;
  for (const Function& function : functions()) {
    EXPECT_TRUE(names.insert(function.name).second) << "twice: " << function.name;
    const std::string name(function.name);
    const auto starts = [&](const char* what) { return name.rfind(what, 0) == 0; };
    if (name == "fns_b32")
      compare<uint32_t, uint32_t, uint32_t, int32_t>(function);
    else if (starts("f32_from_e"))
      continue; // takes a byte only: every code is tested by the conversions
    else if (name.ends_with("_from_f32"))
      compare<uint32_t, float>(function);
    else if (starts("fma_") && name.ends_with("f32"))
      compare<float, float, float, float>(function);
    else if (starts("fma_"))
      compare<double, double, double, double>(function);
    else if (starts("sqrt_") && name.ends_with("f32"))
      compare<float, float>(function);
    else if (starts("sqrt_"))
      compare<double, double>(function);
    else if (name.find("approx") != std::string::npos)
      compare<float, float>(function);
    else if (name.ends_with("f32"))
      compare<float, float, float>(function);
    else
      compare<double, double, double>(function);
  }
  EXPECT_GT(names.size(), 30u);
}

// The rounding mode is put back.
TEST(Twins, LeaveTheRoundingModeAlone) {
  for (const Function& function : functions()) {
    if (function.name != "add_rp_f32") continue;
    const auto add = reinterpret_cast<float (*)(float, float)>(function.scalar);
    EXPECT_EQ(add(1.0f, 0x1p-60f), 1.0f + 0x1p-23f);
  }
  volatile float one = 1.0f, tiny = 0x1p-60f;
  EXPECT_EQ(one + tiny, 1.0f);
}

} // namespace
} // namespace tollgate::rtlib
