#include "cudart/host_site.h"

#include "base/code_place.h"
#include "cudart/runtime.h"
#include "observe/own_line.h"

#include <algorithm>
#include <array>
#include <execinfo.h>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tollgate::cudart {
namespace {

// A return address may be the first byte of the next line.
const char* inside_call(const void* caller) { return static_cast<const char*>(caller) - 1; }

// Never destroyed: exit handlers of the program may call. Elements stay where they are.
const std::vector<observe::SourceFrame>& frames_of(const void* caller) {
  static const std::vector<observe::SourceFrame> none;
  if (Runtime::get().forked) return none; // the lock may be held for ever
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::unordered_map<const void*, std::vector<observe::SourceFrame>>;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace(caller);
  if (fresh && caller != nullptr) entry->second = the_engine().host_lines(inside_call(caller));
  return entry->second;
}

const observe::SourceFrame* own_line(const void* caller) {
  const auto& frames = frames_of(caller);
  const auto own =
      std::find_if(frames.begin(), frames.end(), [](const auto& frame) { return !observe::library_file(frame.file); });
  return own == frames.end() ? nullptr : &*own;
}

std::string short_position(const observe::SourceFrame& frame) {
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string() + "/";
  const std::string file = frame.file.starts_with(here) ? frame.file.substr(here.size()) : frame.file;
  return file + ":" + std::to_string(frame.line);
}

// The return addresses on the stack from this one on; none if it is not there.
std::vector<void*> callers(const void* caller) {
  std::array<void*, 32> stack{};
  const auto end = stack.begin() + backtrace(stack.data(), static_cast<int>(stack.size()));
  return std::vector<void*>(std::find(stack.begin(), end, caller), end);
}

} // namespace

const void* user_caller(const void* caller) {
  if (caller == nullptr || frames_of(caller).empty() || own_line(caller) != nullptr) return caller;
  const auto stack = callers(caller);
  const auto own = std::ranges::find_if(stack, [](const void* address) { return own_line(address) != nullptr; });
  return own == stack.end() ? caller : *own;
}

const void* next_caller(const void* caller) {
  const auto stack = callers(caller);
  return stack.size() < 2 ? nullptr : stack[1];
}

std::string host_offset(const void* caller) {
  return caller == nullptr ? std::string() : code_place(inside_call(caller));
}

std::string host_site(const void* caller) {
  if (the_engine().config().mode != engine::Config::Mode::Check) return host_offset(caller);
  const observe::SourceFrame* line = own_line(user_caller(caller));
  return line != nullptr ? short_position(*line) : host_offset(caller);
}

void set_host_place(observe::Side& side, const void* caller) {
  const observe::SourceFrame* line = own_line(caller);
  if (line == nullptr) {
    side.object = host_offset(caller);
    return;
  }
  side.at.stack = {*line};
  side.at.stack.front().column = 0; // of the bracket, with gcc: the whole line says more
}

} // namespace tollgate::cudart
