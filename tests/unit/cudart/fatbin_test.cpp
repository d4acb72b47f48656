// The fat binary reader on containers made by hand: what it chooses, and that damage gives an error and no fault.
#include "cudart/fatbin.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

using namespace tollgate;
using namespace tollgate::cudart;

namespace {

using Bytes = std::vector<uint8_t>;

template <typename T> void put(Bytes& bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct EntrySpec {
  uint16_t kind = 1;
  uint32_t sm = 80;
  uint64_t flags = 0;
  Bytes payload;
  uint32_t compressed = 0;
  uint64_t uncompressed = 0;
};

Bytes text_bytes(const std::string& text) { return {text.begin(), text.end()}; }

EntrySpec raw(uint32_t sm, const std::string& text, uint64_t flags = 0) {
  return {1, sm, flags, text_bytes(text), 0, 0};
}

EntrySpec zstd(uint32_t sm, const std::string& text) {
  Bytes packed(ZSTD_compressBound(text.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  const auto size = static_cast<uint32_t>(packed.size());
  return {1, sm, 0x8000, packed, size, text.size()};
}

EntrySpec lz4(uint32_t sm, const std::string& text) {
  Bytes packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
  const int size = LZ4_compress_default(text.data(), reinterpret_cast<char*>(packed.data()),
                                        static_cast<int>(text.size()), static_cast<int>(packed.size()));
  packed.resize(static_cast<size_t>(size));
  return {1, sm, 0x2000, packed, static_cast<uint32_t>(size), text.size()};
}

Bytes container(const std::vector<EntrySpec>& entries) {
  Bytes bytes(16);
  for (EntrySpec entry : entries) {
    entry.payload.resize((entry.payload.size() + 7) / 8 * 8);
    const size_t at = bytes.size();
    bytes.resize(at + 64);
    put<uint16_t>(bytes, at, entry.kind);
    put<uint16_t>(bytes, at + 2, 0x0101);
    put<uint32_t>(bytes, at + 4, 64);
    put<uint64_t>(bytes, at + 8, entry.payload.size());
    put<uint32_t>(bytes, at + 16, entry.compressed);
    put<uint32_t>(bytes, at + 28, entry.sm);
    put<uint64_t>(bytes, at + 40, entry.flags);
    put<uint64_t>(bytes, at + 56, entry.uncompressed);
    bytes.insert(bytes.end(), entry.payload.begin(), entry.payload.end());
  }
  put<uint32_t>(bytes, 0, 0xBA55ED50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, bytes.size() - 16);
  return bytes;
}

std::string ptx(const Bytes& bytes, unsigned sm) {
  auto text = ptx_of_container(bytes, sm);
  return text ? *text : "error: " + text.error().message;
}

struct Wrapper {
  uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* containers = nullptr;
};

const std::string long_text = "// " + std::string(5000, 'x') + "\n.version 8.0\n";

} // namespace

TEST(Fatbin, ReadsEveryCompression) {
  EXPECT_EQ(ptx(container({raw(80, ".version 8.0 raw")}), 80), ".version 8.0 raw");
  EXPECT_EQ(ptx(container({zstd(80, long_text)}), 80), long_text);
  EXPECT_EQ(ptx(container({lz4(80, long_text)}), 80), long_text);
}

TEST(Fatbin, ChoosesTheHighestArchitectureNotAboveTheDevice) {
  const Bytes bytes = container({raw(70, "seven"), raw(90, "nine"), raw(80, "eight"), raw(90, "exact", 0x100000)});
  EXPECT_EQ(ptx(bytes, 70), "seven");
  EXPECT_EQ(ptx(bytes, 86), "eight");
  EXPECT_EQ(ptx(bytes, 90), "exact");
  EXPECT_EQ(ptx(bytes, 100), "nine");
}

TEST(Fatbin, FamilyTargetsStayInTheirFamily) {
  const Bytes bytes = container({raw(100, "family", 0x200000), raw(80, "eight")});
  EXPECT_EQ(ptx(bytes, 103), "family");
  EXPECT_EQ(ptx(bytes, 120), "eight");
}

TEST(Fatbin, NoUsablePtxNamesTheFlag) {
  EntrySpec cubin = raw(80, "ELF");
  cubin.kind = 2;
  auto only_machine_code = ptx_of_container(container({cubin}), 80);
  ASSERT_FALSE(only_machine_code);
  EXPECT_NE(only_machine_code.error().message.find("machine code for sm_80"), std::string::npos);
  EXPECT_NE(only_machine_code.error().remedy.find("-gencode arch=compute_80,code=compute_80"), std::string::npos);
  auto too_new = ptx_of_container(container({raw(90, "nine")}), 80);
  ASSERT_FALSE(too_new);
  EXPECT_NE(too_new.error().remedy.find("--arch sm_90"), std::string::npos);
}

TEST(Fatbin, WrappersOfBothVersions) {
  const Bytes first = container({raw(80, ".version first")}), second = container({zstd(80, ".version second")});
  Wrapper one;
  one.data = first.data();
  auto texts = ptx_of_wrapper(&one, 80);
  ASSERT_TRUE(texts);
  EXPECT_EQ(*texts, std::vector<std::string>{".version first"});

  const void* list[] = {first.data(), second.data(), nullptr};
  Wrapper two;
  two.version = 2;
  two.containers = list;
  texts = ptx_of_wrapper(&two, 80);
  ASSERT_TRUE(texts);
  EXPECT_EQ(*texts, (std::vector<std::string>{".version first", ".version second"}));

  EntrySpec cubin = raw(80, "ELF");
  cubin.kind = 2;
  const Bytes device_runtime = container({cubin, raw(121, "newest")});
  const void* with_runtime[] = {device_runtime.data(), second.data(), nullptr};
  two.containers = with_runtime;
  texts = ptx_of_wrapper(&two, 80);
  ASSERT_TRUE(texts);
  EXPECT_EQ(*texts, std::vector<std::string>{".version second"});
  const void* only_runtime[] = {device_runtime.data(), nullptr};
  two.containers = only_runtime;
  EXPECT_FALSE(ptx_of_wrapper(&two, 80));

  two.magic = 1;
  EXPECT_FALSE(ptx_of_wrapper(&two, 80));
}

TEST(Fatbin, PlainTextAsClangEmbedsIt) {
  Wrapper wrapper;
  wrapper.data = "\n//\n.version 7.0\n.target sm_80\n";
  auto texts = ptx_of_wrapper(&wrapper, 80);
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->front(), "\n//\n.version 7.0\n.target sm_80\n");
}

TEST(Fatbin, EveryTruncationIsAnError) {
  const Bytes whole = container({zstd(80, long_text), raw(70, "seven")});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_container(std::span(whole).first(size))) << size;
  }
  EXPECT_TRUE(read_container(whole));
}

TEST(Fatbin, DamagedBytesNeverFault) {
  const Bytes whole = container({zstd(80, long_text), lz4(75, long_text), raw(70, "seven")});
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      Bytes damaged = whole;
      damaged[at] = value;
      auto contents = read_container(damaged);
      if (!contents) continue;
      for (const FatbinEntry& entry : contents->entries) {
        if (entry.uncompressed_size < (1u << 20)) (void)extract_ptx(entry);
      }
    }
  }
}

TEST(Fatbin, ImpossibleSizesAreErrors) {
  Bytes bytes = container({zstd(80, long_text)});
  put<uint64_t>(bytes, 16 + 56, uint64_t{1} << 60); // uncompressed size
  EXPECT_NE(ptx(bytes, 80).find("impossible PTX size"), std::string::npos);
  bytes = container({zstd(80, long_text)});
  put<uint64_t>(bytes, 16 + 8, ~uint64_t{0}); // payload size
  EXPECT_NE(ptx(bytes, 80).find("cut short"), std::string::npos);
  bytes = container({zstd(80, long_text)});
  put<uint64_t>(bytes, 16 + 40, 0); // no compression flag, but compressed
  EXPECT_NE(ptx(bytes, 80).find("unknown compression"), std::string::npos);
}
