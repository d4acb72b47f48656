// Real PTX, cut off and garbled: whatever becomes of it ends in an error or in a run, never in a crash or a hang.
//
//   mutate_ptx [--seed N] [--mutations N] [--minutes M] [--cuts] FILE.ptx...
//
// --cuts: each file is cut off at every byte. Mutations change, drop, repeat or swap some bytes, words or lines. A text
// that the parser still accepts is compiled and run with buffers and small numbers for arguments, in a process of its
// own that has ten seconds. The exit code is 1 if any crashed or hung; its text is then kept as mutant_*.ptx.
#include "engine/engine.h"
#include "ptx/parser.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tollgate;

namespace {

using Random = std::mt19937_64;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  return lines;
}

void mutate_bytes(std::string& text, Random& random) {
  const size_t at = random() % text.size();
  switch (random() % 4) {
  case 0: text[at] = char(random()); break;
  case 1: text[at] = "0123456789.%[](){};,:@!+-<>rfpbus"[random() % 33]; break;
  case 2: text.erase(at, 1 + random() % 8); break;
  default: text.insert(at, text.substr(random() % text.size(), random() % 12)); break;
  }
}

// Moves of whole lines and operands keep most texts well formed, so that they reach the code generator.
void mutate_lines(std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  std::string& a = lines[random() % lines.size()];
  std::string& b = lines[random() % lines.size()];
  switch (random() % 4) {
  case 0: a.clear(); break;
  case 1: a += b; break;
  case 2: std::swap(a, b); break;
  default: { // one digit: another register, constant, width or label
    std::vector<size_t> digits;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] >= '0' && a[i] <= '9') digits.push_back(i);
    if (!digits.empty()) a[digits[random() % digits.size()]] = char('0' + random() % 10);
  }
  }
  text.clear();
  for (const std::string& line : lines) text += line;
}

// Runs every kernel of the text; never returns.
[[noreturn]] void run_all(const std::string& text) {
  setenv("TOLLGATE_CONFIG", R"({"mode":"run","workers":1,"timeout_seconds":2,"report_path":"/dev/null"})", 1);
  setenv("TOLLGATE_CACHE", "off", 1);
  engine::Engine& engine = engine::Engine::instance();
  const std::vector<std::string> texts{text};
  auto module = engine.load_module(texts, "mutant");
  if (!module) _exit(0);
  const auto parsed = ptx::parse_module(text, "mutant");
  for (const auto& function : (*parsed)->functions) {
    if (!function.is_entry) continue;
    auto kernel = engine.kernel(*module, function.name);
    if (!kernel) continue;
    const engine::KernelInfo& info = engine.info(*kernel);
    engine::LaunchRequest request;
    request.kernel = *kernel;
    request.grid = {2, 1, 1};
    request.block = {64, 1, 1};
    request.params.resize(info.param_bytes);
    for (const auto& p : info.params) {
      uint64_t value = 64;
      if (p.size == 8) value = engine.allocate(1 << 16, engine::MemoryKind::Device, "");
      memcpy(request.params.data() + p.offset, &value, std::min<size_t>(p.size, 8));
    }
    (void)engine.run(request);
  }
  _exit(0);
}

struct Counts {
  uint64_t refused = 0, run = 0, bad = 0;
};

void try_text(const std::string& text, Counts& counts) {
  if (!ptx::parse_module(text, "mutant")) {
    ++counts.refused;
    return;
  }
  ++counts.run;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10); // its default action ends the process
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(0);
    run_all(text);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return;
  const std::string name = "mutant_" + std::to_string(getpid()) + "_" + std::to_string(counts.bad++) + ".ptx";
  std::ofstream(name) << text;
  std::printf("signal %d (%s), kept as %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)), name.c_str());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1, mutations = 0;
  double minutes = 0;
  bool cuts = false;
  std::vector<std::string> texts;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--cuts")
      cuts = true;
    else if (word == "--seed" && i + 1 < argc)
      seed = strtoull(argv[++i], nullptr, 10);
    else if (word == "--mutations" && i + 1 < argc)
      mutations = strtoull(argv[++i], nullptr, 10);
    else if (word == "--minutes" && i + 1 < argc)
      minutes = strtod(argv[++i], nullptr);
    else {
      std::ifstream in(word, std::ios::binary);
      texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      if (texts.back().empty()) {
        std::fprintf(stderr, "mutate_ptx: cannot read %s\n", word.c_str());
        return 2;
      }
    }
  }
  if (texts.empty()) {
    std::fprintf(stderr, "mutate_ptx: name at least one .ptx file\n");
    return 2;
  }
  Counts counts;
  if (cuts)
    for (const std::string& text : texts)
      for (size_t end = 0; end < text.size(); ++end) try_text(text.substr(0, end), counts);
  Random random(seed);
  const time_t stop = time(nullptr) + time_t(minutes * 60);
  for (uint64_t i = 0; i < mutations || (minutes > 0 && time(nullptr) < stop); ++i) {
    std::string text = texts[random() % texts.size()];
    for (uint64_t n = 1 + random() % 3; n > 0 && !text.empty(); --n)
      random() % 4 == 0 ? mutate_bytes(text, random) : mutate_lines(text, random);
    try_text(text, counts);
  }
  std::printf("%llu texts refused, %llu run, %llu crashed or hung\n", (unsigned long long)counts.refused,
              (unsigned long long)counts.run, (unsigned long long)counts.bad);
  return counts.bad == 0 ? 0 : 1;
}
