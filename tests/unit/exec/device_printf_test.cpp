#include "exec/device_printf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tollgate::exec {
namespace {

// Packs arguments as nvcc does and prints them.
class DevicePrintf : public ::testing::Test {
protected:
  template <typename T> void pack(T value) {
    packed_.resize(round_up(packed_.size(), sizeof value));
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    packed_.insert(packed_.end(), bytes, bytes + sizeof value);
  }

  uint64_t device_string(std::string_view text) {
    uint64_t address = memory_.allocate_variable(
        "$str", text.size() + 1, 1, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, VariableKind::Global);
    return address;
  }

  template <typename... T> std::string print(std::string_view format, T... values) {
    packed_.clear();
    (pack(values), ...);
    uint64_t arguments = memory_.allocate_params(packed_);
    std::string out;
    returned_ = device_printf(memory_, device_string(format), arguments, out);
    return out;
  }

  // The same format and values through the host's printf must give the same text.
  template <typename... T> void same_as_host(const std::string& format, T... values) {
    char expected[512];
    std::snprintf(expected, sizeof expected, format.c_str(), values...);
    EXPECT_EQ(print(format, values...), expected) << format;
    EXPECT_EQ(returned_, static_cast<int>(sizeof...(values))) << format;
  }

  DeviceMemory memory_;
  std::vector<uint8_t> packed_;
  int returned_ = 0;
};

TEST_F(DevicePrintf, PlainTextAndPercent) {
  EXPECT_EQ(print("hello\n"), "hello\n");
  EXPECT_EQ(returned_, 0);
  EXPECT_EQ(print(""), "");
  EXPECT_EQ(print("100%%, %d", 3), "100%, 3");
}

TEST_F(DevicePrintf, Integers) {
  for (const char* format : {"%d",  "%i",  "%u",   "%o",     "%x",  "%X",   "%8d|", "%-8d|", "%08d", "%+d",   "% d",
                             "%#x", "%#o", "%.5d", "%8.3d|", "%hd", "%hhd", "%hu",  "%hhu",  "%hx",  "%-+8i|"})
    for (int value : {0, 1, -1, 42, -70'000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
      same_as_host(format, value);
  for (const char* format : {"%ld", "%lld", "%lu", "%llu", "%lx", "%zu", "%zd", "%td", "%jd", "%llX", "%20lld|", "%lo"})
    for (long long value : {0ll, -1ll, 1ll << 40, std::numeric_limits<long long>::min()}) same_as_host(format, value);
}

TEST_F(DevicePrintf, FloatingPoint) {
  for (const char* format : {"%f", "%F", "%e", "%E", "%g", "%G", "%a", "%A", "%.0f", "%10.2f|", "%-12.4e|", "%+.1f",
                             "%#.0f", "%010.3f", "%.17g"})
    for (double value : {0.0, -0.0, 1.5, -2.25e-10, 1e300, double{INFINITY}, -double{INFINITY}, std::nan("")})
      same_as_host(format, value);
}

TEST_F(DevicePrintf, CharactersAndPointers) {
  same_as_host("%c%5c|%-5c|", int{'a'}, int{'b'}, int{'c'});
  EXPECT_EQ(print("%c", 0), std::string(1, '\0'));
  same_as_host("%p %20p|", reinterpret_cast<void*>(0x1234), reinterpret_cast<void*>(0));
}

TEST_F(DevicePrintf, WidthAndPrecisionFromArguments) {
  same_as_host("%*d|", 6, 42);
  same_as_host("%*d|", -6, 42);
  same_as_host("%.*f|", 2, 3.14159);
  same_as_host("%.*f|", -1, 3.14159);
  same_as_host("%*.*f|", 9, 3, 2.5);
  same_as_host("%.f %.d|", 2.5, 0);
}

TEST_F(DevicePrintf, ArgumentsKeepTheirAlignment) {
  same_as_host("%d %f %d %lld %d", 1, 2.0, 3, 4ll, 5);
  same_as_host("%c %d %p", int{'x'}, 7, reinterpret_cast<void*>(8));
}

TEST_F(DevicePrintf, Strings) {
  uint64_t text = device_string("warp");
  EXPECT_EQ(print("[%s] [%8s] [%-8s] [%.2s] %d", text, text, text, text, 5), "[warp] [    warp] [warp    ] [wa] 5");
  EXPECT_EQ(returned_, 5);
  EXPECT_EQ(print("%s", uint64_t{0}), "(null)");
}

TEST_F(DevicePrintf, BadPointersAreNamedNotFollowed) {
  EXPECT_EQ(print("%s %d", uint64_t{0x1234}, 9), "(bad pointer 0x1234) 9");
  EXPECT_EQ(returned_, -2);
  auto* host = "on the host";
  EXPECT_NE(print("%s", reinterpret_cast<uint64_t>(host)).find("bad pointer"), std::string::npos);
  EXPECT_NE(print("%s", ~uint64_t{0}).find("bad pointer"), std::string::npos);

  uint64_t buffer = memory_.allocate(4, MemoryKind::Device, "");
  std::memcpy(memory_.host_view(buffer, 4), "full", 4); // no zero before the end of the allocation
  EXPECT_EQ(print("%s", buffer), "full");
}

TEST_F(DevicePrintf, BadFormats) {
  std::string out;
  EXPECT_EQ(device_printf(memory_, 0, 0, out), -1);
  EXPECT_EQ(device_printf(memory_, 0x1234, 0, out), -2);
  EXPECT_EQ(out, "");
  EXPECT_EQ(device_printf(memory_, device_string("%d"), 0, out), -2); // no argument buffer
  EXPECT_EQ(print("50%"), "50%");
  EXPECT_EQ(print("%-08.3l"), "%-08.3l");
  EXPECT_EQ(print("%y %d", 4), "%y 4");
  EXPECT_EQ(print("%n%d", uint64_t{0}, 4), "4");
  EXPECT_LT(print("%999999999999d", 1).size(), 70'000u);
  EXPECT_LT(print("%*d", std::numeric_limits<int>::min(), 1).size(), 70'000u);
  EXPECT_LT(print("%.999999999f", 1.0).size(), 70'000u);
  print(std::string(1000, '-').insert(0, "%"));
}

TEST_F(DevicePrintf, AtMostThirtyTwoArguments) {
  std::string format, expected;
  for (int i = 0; i < 34; ++i) {
    format += "%d ";
    expected += i < 32 ? "7 " : "%d ";
  }
  packed_.assign(34 * 4, 0);
  for (int i = 0; i < 34; ++i) packed_[static_cast<size_t>(i) * 4] = 7;
  std::string out;
  EXPECT_EQ(device_printf(memory_, device_string(format), memory_.allocate_params(packed_), out), 32);
  EXPECT_EQ(out, expected);
}

} // namespace
} // namespace tollgate::exec
