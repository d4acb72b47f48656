#include "cli/nvcc_args.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace tollgate::cli {

namespace {

bool has_any(const std::vector<std::string>& given, std::initializer_list<const char*> names) {
  return std::any_of(given.begin(), given.end(), [&](const std::string& word) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return word == name; });
  });
}

// The value of `-name value`, `-name=value` or `--name=value` at position `at`; moves on to the value.
std::optional<std::string> value_of(const std::vector<std::string>& given, size_t& at,
                                    std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    if (given[at] == name && at + 1 < given.size()) return given[++at];
    if (given[at].starts_with(name + "=")) return given[at].substr(name.size() + 1);
  }
  return std::nullopt;
}

// The digits (and letter) of every "PREFIX..." in a list such as "arch=compute_80,code=[sm_80,sm_86]".
std::set<std::string> numbers_after(const std::string& text, const std::string& prefix) {
  std::set<std::string> out;
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
    size_t end = at + prefix.size();
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
    out.insert(text.substr(at + prefix.size(), end - at - prefix.size()));
  }
  return out;
}

struct Targets {
  bool ptx = false;              // some PTX will be embedded
  std::set<std::string> machine; // compute numbers that are given as machine code only
};

void read_gencode(const std::string& value, Targets& targets) {
  const size_t code = value.find("code=");
  const std::string codes = code == std::string::npos ? value : value.substr(code);
  if (codes.find("compute_") != std::string::npos || codes.find("lto_") != std::string::npos) targets.ptx = true;
  const auto numbers = numbers_after(value.substr(0, code), "compute_");
  const auto from_code = numbers_after(codes, "sm_");
  targets.machine.insert(numbers.begin(), numbers.end());
  if (numbers.empty()) targets.machine.insert(from_code.begin(), from_code.end());
}

Targets targets_of(const std::vector<std::string>& given) {
  Targets targets;
  std::string arch, code;
  for (size_t at = 0; at < given.size(); ++at) {
    if (const auto gencode = value_of(given, at, {"-gencode", "--generate-code"}))
      read_gencode(*gencode, targets);
    else if (const auto text = value_of(given, at, {"-arch", "--gpu-architecture"}))
      arch = *text;
    else if (const auto text = value_of(given, at, {"-code", "--gpu-code"}))
      code = *text;
  }
  // -arch=sm_80 alone, native, all and all-major embed PTX themselves (the last ones for the newest architecture);
  // -arch with -code embeds what -code says.
  if (code.empty()) {
    if (!arch.empty() && arch != "native") targets.ptx = true;
    if (arch == "native") targets.machine.insert("");
    return targets;
  }
  if (code.find("compute_") != std::string::npos) targets.ptx = true;
  const auto numbers = arch.empty() ? numbers_after(code, "sm_") : numbers_after(arch, "compute_");
  targets.machine.insert(numbers.begin(), numbers.end());
  return targets;
}

} // namespace

std::string option_without_ptx(const std::vector<std::string>& given) {
  for (size_t at = 0; at < given.size(); ++at) {
    const std::string& word = given[at];
    if (has_any({word}, {"-dlto", "--dlink-time-opt", "-lto", "--lto"})) return word;
    const auto target =
        value_of(given, at, {"-gencode", "--generate-code", "-code", "--gpu-code", "-arch", "--gpu-architecture"});
    if (target && target->find("lto_") != std::string::npos && target->find("code=compute_") == std::string::npos)
      return *target;
  }
  return "";
}

std::vector<std::string> nvcc_arguments(const std::vector<std::string>& given) {
  std::vector<std::string> out = given;
  const bool only_asks =
      given.empty() || has_any(given, {"--version", "-V", "--help", "-h", "--list-gpu-arch", "-arch-ls",
                                       "--list-gpu-code", "-code-ls", "--input-drive-prefix"});
  if (only_asks) return out;

  const bool runtime_given = std::any_of(given.begin(), given.end(), [](const std::string& word) {
    return word.starts_with("-cudart") || word.starts_with("--cudart");
  });
  // CMake passes -cudart=static by default: a static runtime cannot be replaced, so ours comes last and wins.
  if (runtime_given) {
    std::vector<std::string> kept;
    for (size_t at = 0; at < out.size(); ++at) {
      if (const std::string word = out[at]; value_of(out, at, {"-cudart", "--cudart"}))
        continue;
      else
        kept.push_back(word);
    }
    out = std::move(kept);
  }
  // CMake links with the host compiler or with nvcc and these libraries by name.
  for (auto& word : out) {
    if (word == "-lcudart_static")
      word = "-lcudart";
    else if (word.ends_with("/libcudart_static.a"))
      word = word.substr(0, word.size() - 9) + ".so";
  }
  out.insert(out.end(), {"-cudart", "shared"});
  if (!has_any(given, {"-lineinfo", "--generate-line-info", "-G", "--device-debug"})) out.push_back("-lineinfo");

  const Targets targets = targets_of(given);
  if (targets.ptx || targets.machine.empty()) return out;
  const auto newest =
      std::max_element(targets.machine.begin(), targets.machine.end(),
                       [](const auto& a, const auto& b) { return std::atoi(a.c_str()) < std::atoi(b.c_str()); });
  // -arch=native asks the machine for a GPU, which need not be there: any PTX will do.
  const std::string number = newest->empty() ? "80" : *newest;
  out.insert(out.end(), {"-gencode", "arch=compute_" + number + ",code=compute_" + number});
  return out;
}

} // namespace tollgate::cli
