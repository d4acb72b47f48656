// The tables for more keys than shared memory has words, against the host, on made-up devices with so little of it that
// few samples fill it: narrow counters that run over by one and by vectors, carries through all counters of a word, hot
// keys, several passes; tables in parts.
#define TOLLGATE_NARROWEST_COUNTER 4
#include "reference.h"

using namespace test;
using namespace tollgate::detail;

enum class Data { uniform, constant, two, one_word, runs, sorted };

// Packed counters only run over after 15, 255 or 65535 additions of one block.
uint32_t value_of(Data data, std::mt19937_64& random, size_t i, size_t n, uint32_t keys) {
  switch (data) {
  case Data::uniform: return static_cast<uint32_t>(random() % keys);
  case Data::constant: return keys / 3;
  case Data::two: return random() % 2 == 0 ? 8 : keys - 2;
  case Data::one_word: return keys / 16 * 8 + static_cast<uint32_t>(random() % 8);
  case Data::runs: return static_cast<uint32_t>(i / 64 * 7919 % keys);
  default: return static_cast<uint32_t>(i * keys / n);
  }
}

template <class T, class Counter, class MakePlan>
void table_case(const std::string& table, Data data, size_t n, uint32_t keys, const DeviceFacts& facts,
                MakePlan make_plan) {
  std::mt19937_64 random(n + keys);
  std::vector<T> samples(n + 1);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<T>(value_of(data, random, i, n + 1, keys + 3));
  std::vector<Counter> want(keys, Counter(0));
  for (size_t i = 1; i < samples.size(); ++i) {
    if (samples[i] < keys) ++want[samples[i]];
  }
  const DeviceArray<T> device(samples);
  DeviceArray<Counter> counts(keys);
  counts.poison();

  Counting<OffsetKeys<T>, StretchedBin, Counter, 1> job{};
  job.keys[0] = offset_rule(IntegerRange<T>(int64_t{0}, static_cast<int64_t>(keys), false));
  job.bins[0] = {keys, keys, job.keys[0].keys};
  job.result[0] = counts.data;
  job.result_bins[0] = keys;
  job.first_key[1] = job.keys[0].width();
  Input<const T*> input;
  const std::string name =
      table + ", " + std::to_string(keys) + " keys, data " + std::to_string(static_cast<int>(data));
  expect(make_input(static_cast<const T*>(device.data) + 1, line(device.data, n), input), name + ": no input");
  const Plan plan = make_plan(Work{n, sizeof(T), job.keys[0].width(), keys * sizeof(Counter), 0}, name);
  const cudaError_t launched = launch_plan<1, 1, false>(job, plan, input, keys, facts, nullptr);
  MUST(launched);
  const std::string wrong = difference(counts.read(), want);
  expect(wrong.empty(), name + ": " + wrong);
}

template <class T, class Counter>
void packed_case(Data data, size_t n, uint32_t keys, const DeviceFacts& facts, uint32_t fields, uint32_t passes) {
  table_case<T, Counter>("packed", data, n, keys, facts, [&](const Work& work, const std::string& name) {
    Plan plan{};
    plan_packed(plan, work, facts.shared_bytes / 4 - 2112, n);
    plan.useful_blocks = 1;
    expect(plan.shape.fields == fields && plan.passes == passes, name + ": the plan has fields " +
                                                                     std::to_string(plan.shape.fields) + ", passes " +
                                                                     std::to_string(plan.passes));
    return plan;
  });
}

template <class T, class Counter>
void parted_case(Data data, size_t n, uint32_t keys, const DeviceFacts& facts, uint32_t parts) {
  table_case<T, Counter>("parted", data, n, keys, facts, [&](const Work& work, const std::string& name) {
    Plan plan{};
    plan.passes = 1;
    plan.useful_blocks = 3;
    plan_parted(plan, work, facts.shared_bytes / 4 - 32);
    expect(plan.shape.parts == parts, name + ": the plan has parts " + std::to_string(plan.shape.parts));
    return plan;
  });
}

int main() {
  DeviceFacts facts;
  MUST(facts.read());
  facts.multiprocessors = 1;
  facts.shared_bytes = 16 * 1024;
  // Where a block meets many samples of a key, no counters of 4 bits are planned: two fields, and more passes.
#ifdef TOLLGATE_TEST_EVERYTHING
  const size_t n = 3000000;
  const uint32_t fields = 2, passes = 2;
#else
  const size_t n = 20000;
  const uint32_t fields = 3, passes = 1;
#endif
  for (const Data data : {Data::uniform, Data::constant, Data::two, Data::one_word, Data::runs, Data::sorted}) {
    packed_case<uint32_t, uint32_t>(data, n, 13000, facts, fields, passes);
    packed_case<uint32_t, uint64_t>(data, n, 40000, facts, fields, 3 * passes);
    packed_case<uint16_t, uint32_t>(data, n, 7000, facts, 2, 1);
    packed_case<uint64_t, int64_t>(data, n + 1, 9000, facts, fields, passes);
  }
  facts.multiprocessors = 7; // a part more than there are blocks, one block, several
  for (const Data data : {Data::uniform, Data::constant, Data::two, Data::runs}) {
    parted_case<uint32_t, uint32_t>(data, n, 5000, facts, 2);
    parted_case<uint16_t, uint64_t>(data, n + 3, 30000, facts, 8);
    parted_case<uint64_t, uint32_t>(data, n + 1, 9000, facts, 3);
  }
  facts.shared_bytes = 64 * 1024;
  packed_case<uint16_t, uint32_t>(Data::two, 140000, 20000, facts, 1, 1); // 16 bits run over
  return finish("packed");
}
