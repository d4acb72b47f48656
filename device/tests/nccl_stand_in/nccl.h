// A stand-in for NCCL where there is none, or fewer GPUs than ranks: the ranks of one process, all on one device,
// through host memory. It has the calls that histogram_nccl.h makes, with NCCL's rules: each rank's calls come in the
// same order, wait for the rank's stream, and may stand in a group where one thread makes those of several ranks. For
// tests only.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument };
enum ncclDataType_t { ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat32, ncclFloat64 };
enum ncclRedOp_t { ncclSum, ncclMax };

namespace nccl_stand_in {

struct Call {
  const void* from;
  void* to;
  size_t count;
  bool scatter;
  ncclDataType_t type;
  ncclRedOp_t op;
  cudaStream_t stream;
};

inline size_t size_of(ncclDataType_t type) {
  return type == ncclInt32 || type == ncclUint32 || type == ncclFloat32 ? 4 : 8;
}

template <class T> void reduce(std::vector<char>& into, const std::vector<char>& from, ncclRedOp_t op) {
  for (size_t at = 0; at < into.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &into[at], sizeof(T));
    std::memcpy(&b, &from[at], sizeof(T));
    a = op == ncclSum ? static_cast<T>(a + b) : a < b ? b : a;
    std::memcpy(&into[at], &a, sizeof(T));
  }
}

inline void reduce(std::vector<char>& into, const std::vector<char>& from, const Call& call) {
  switch (call.type) {
  case ncclInt32: return reduce<int32_t>(into, from, call.op);
  case ncclUint32: return reduce<uint32_t>(into, from, call.op);
  case ncclInt64: return reduce<int64_t>(into, from, call.op);
  case ncclUint64: return reduce<uint64_t>(into, from, call.op);
  case ncclFloat32: return reduce<float>(into, from, call.op);
  case ncclFloat64: return reduce<double>(into, from, call.op);
  }
}

// What the ranks of one communicator share.
class Team {
public:
  explicit Team(int ranks) : calls_(ranks), made_(ranks, 0) {}
  [[nodiscard]] int ranks() const { return static_cast<int>(calls_.size()); }

  // The number of the call, for `wait`. The last rank's call does the work of all.
  size_t make(int rank, const Call& call) {
    const std::lock_guard lock(mutex_);
    calls_[rank].push_back(call);
    bool all = true;
    for (const std::deque<Call>& of : calls_) all = all && !of.empty();
    if (all) {
      if (!work()) result_ = ncclUnhandledCudaError;
      ++done_;
      changed_.notify_all();
    }
    return ++made_[rank];
  }
  ncclResult_t wait(size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= number; });
    return result_;
  }

private:
  bool work() {
    std::vector<char> total;
    std::vector<Call> now;
    for (std::deque<Call>& of : calls_) {
      now.push_back(of.front());
      of.pop_front();
    }
    for (const Call& call : now) {
      const Call& first = now.front();
      if (call.count != first.count || call.scatter != first.scatter || call.type != first.type || call.op != first.op)
        return false;
      std::vector<char> data(call.count * size_of(call.type) * (call.scatter ? now.size() : 1));
      if (cudaStreamSynchronize(call.stream) != cudaSuccess ||
          cudaMemcpy(data.data(), call.from, data.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
      if (total.empty())
        total = data;
      else
        reduce(total, data, call);
    }
    for (size_t rank = 0; rank < now.size(); ++rank) {
      const size_t bytes = now[rank].count * size_of(now[rank].type);
      const char* from = total.data() + (now[rank].scatter ? rank * bytes : 0);
      if (cudaMemcpy(now[rank].to, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess) return false;
    }
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<Call>> calls_; // by rank
  std::vector<size_t> made_;
  size_t done_ = 0;
  ncclResult_t result_ = ncclSuccess;
};

struct Comm {
  std::shared_ptr<Team> team;
  int rank;
};

struct Waiting {
  std::shared_ptr<Team> team;
  size_t number;
};
inline thread_local int group_depth = 0;
inline thread_local std::vector<Waiting> group;

inline ncclResult_t make(Comm* comm, const Call& call) {
  const size_t number = comm->team->make(comm->rank, call);
  if (group_depth == 0) return comm->team->wait(number);
  group.push_back({comm->team, number});
  return ncclSuccess;
}

} // namespace nccl_stand_in

using ncclComm_t = nccl_stand_in::Comm*;

inline const char* ncclGetErrorString(ncclResult_t result) { return result == ncclSuccess ? "no error" : "an error"; }
inline ncclResult_t ncclCommInitAll(ncclComm_t* comms, int ranks, const int*) {
  const auto team = std::make_shared<nccl_stand_in::Team>(ranks);
  for (int rank = 0; rank < ranks; ++rank) comms[rank] = new nccl_stand_in::Comm{team, rank};
  return ncclSuccess;
}
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}
inline ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = comm->team->ranks();
  return ncclSuccess;
}
inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
inline ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                  ncclComm_t comm, cudaStream_t stream) {
  return nccl_stand_in::make(comm, {from, to, count, false, type, op, stream});
}
inline ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                      ncclComm_t comm, cudaStream_t stream) {
  return nccl_stand_in::make(comm, {from, to, count, true, type, op, stream});
}
inline ncclResult_t ncclGroupStart() {
  ++nccl_stand_in::group_depth;
  return ncclSuccess;
}
inline ncclResult_t ncclGroupEnd() {
  if (--nccl_stand_in::group_depth > 0) return ncclSuccess;
  ncclResult_t result = ncclSuccess;
  for (const nccl_stand_in::Waiting& call : nccl_stand_in::group) {
    const ncclResult_t one = call.team->wait(call.number);
    if (one != ncclSuccess) result = one;
  }
  nccl_stand_in::group.clear();
  return result;
}
