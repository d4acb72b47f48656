#include "exec/device_printf.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

namespace tollgate::exec {

namespace {

constexpr int kMaxArguments = 32;     // the guide's limit: what follows is printed as it stands
constexpr int64_t kMaxField = 65'535; // widths and precisions beyond this are cut

enum class Length : uint8_t { None, Char, Short, Long };

// %[flags][width][.precision][size]type
struct Specification {
  std::string flags;
  std::optional<int> width, precision;
  bool width_argument = false, precision_argument = false;
  Length length = Length::None;
  char type = 0; // 0: the format ended
};

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

int clamp_field(int64_t value) { return static_cast<int>(std::clamp<int64_t>(value, 0, kMaxField)); }

std::optional<int> parse_number(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  int64_t value = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1))
    value = clamp_field(value * 10 + (text.front() - '0'));
  return static_cast<int>(value);
}

Length parse_length(std::string_view& text) {
  if (take(text, 'h')) return take(text, 'h') ? Length::Char : Length::Short;
  if (take(text, 'l')) {
    take(text, 'l');
    return Length::Long;
  }
  for (char size : {'z', 't', 'j'})
    if (take(text, size)) return Length::Long;
  return Length::None;
}

Specification parse(std::string_view& text) {
  Specification spec;
  while (!text.empty() && std::strchr("-+ #0", text.front()) && spec.flags.size() < 16) {
    spec.flags += text.front();
    text.remove_prefix(1);
  }
  spec.width_argument = take(text, '*');
  if (!spec.width_argument) spec.width = parse_number(text);
  if (take(text, '.')) {
    spec.precision_argument = take(text, '*');
    if (!spec.precision_argument) spec.precision = parse_number(text).value_or(0);
  }
  spec.length = parse_length(text);
  if (!text.empty()) {
    spec.type = text.front();
    text.remove_prefix(1);
  }
  return spec;
}

class Printer {
public:
  Printer(const DeviceMemory& memory, uint64_t arguments, std::string& out)
      : memory_(memory), next_(arguments), out_(out) {}

  int print(std::string_view format);

private:
  void conversion(const Specification& spec, std::string_view verbatim);
  void integer(const Specification& spec);
  void character(const Specification& spec);
  void string(const Specification& spec);
  void fill_in_arguments(Specification& spec);
  template <typename T> T argument();
  template <typename T> void render(const Specification& spec, const char* suffix, T value);

  const DeviceMemory& memory_;
  uint64_t next_; // device address behind the last argument
  std::string& out_;
  int arguments_ = 0;
  bool failed_ = false;
};

template <typename T> T Printer::argument() {
  next_ = round_up(next_, sizeof(T));
  T value{};
  if (const void* bytes = memory_.host_view(next_, sizeof value))
    std::memcpy(&value, bytes, sizeof value);
  else
    failed_ = true;
  next_ += sizeof value;
  ++arguments_;
  return value;
}

void Printer::fill_in_arguments(Specification& spec) {
  if (spec.width_argument) {
    const int64_t width = argument<int32_t>();
    if (width < 0) spec.flags += '-';
    spec.width = clamp_field(width < 0 ? -width : width);
  }
  if (!spec.precision_argument) return;
  const int64_t precision = argument<int32_t>();
  if (precision >= 0) spec.precision = clamp_field(precision); // a negative one counts as absent
}

template <typename T> void Printer::render(const Specification& spec, const char* suffix, T value) {
  std::string format = "%" + spec.flags;
  if (spec.width) format += std::to_string(*spec.width);
  if (spec.precision) format += '.' + std::to_string(*spec.precision);
  format += suffix;
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length <= 0) return;
  const size_t start = out_.size();
  out_.resize(start + static_cast<size_t>(length) + 1);
  std::snprintf(out_.data() + start, static_cast<size_t>(length) + 1, format.c_str(), value);
  out_.pop_back(); // the terminating zero
}

void Printer::integer(const Specification& spec) {
  uint64_t value = spec.length == Length::Long ? argument<uint64_t>() : argument<uint32_t>();
  const bool is_signed = spec.type == 'd' || spec.type == 'i';
  switch (spec.length) {
  case Length::Char: value = is_signed ? static_cast<uint64_t>(static_cast<int8_t>(value)) : value & 0xff; break;
  case Length::Short: value = is_signed ? static_cast<uint64_t>(static_cast<int16_t>(value)) : value & 0xffff; break;
  case Length::None: value = is_signed ? static_cast<uint64_t>(static_cast<int32_t>(value)) : value; break;
  case Length::Long: break;
  }
  const char suffix[] = {'l', 'l', spec.type, 0};
  render(spec, suffix, static_cast<unsigned long long>(value));
}

// Not through snprintf alone: %c may print a zero byte.
void Printer::character(const Specification& spec) {
  const char value = static_cast<char>(argument<uint32_t>());
  const size_t padding = spec.width.value_or(1) > 1 ? static_cast<size_t>(*spec.width - 1) : 0;
  const bool left = spec.flags.find('-') != std::string::npos;
  if (!left) out_.append(padding, ' ');
  out_ += value;
  if (left) out_.append(padding, ' ');
}

// The bytes at `address` up to a zero, the end of the object they lie in, or `limit`.
std::optional<std::string> read_string(const DeviceMemory& memory, uint64_t address, uint64_t limit) {
  const observe::AllocationInfo object = memory.lookup(address);
  if (object.kind == observe::AllocationInfo::Kind::HostMemory || address - object.base >= object.size)
    return std::nullopt;
  const uint64_t size = std::min(object.base + object.size - address, limit);
  const auto* text = static_cast<const char*>(memory.host_view(address, size));
  if (!text) return std::nullopt;
  return std::string(text, strnlen(text, size));
}

void Printer::string(const Specification& spec) {
  const auto address = argument<uint64_t>();
  std::string text = "(null)";
  if (address != 0) {
    const uint64_t limit = spec.precision ? static_cast<uint64_t>(*spec.precision) : MiB;
    if (auto read = read_string(memory_, address, limit)) {
      text = *read;
    } else {
      char note[48];
      std::snprintf(note, sizeof note, "(bad pointer 0x%llx)", static_cast<unsigned long long>(address));
      out_ += note;
      failed_ = true;
      return;
    }
  }
  render(spec, "s", text.c_str());
}

void Printer::conversion(const Specification& parsed, std::string_view verbatim) {
  Specification spec = parsed;
  const int wanted = 1 + spec.width_argument + spec.precision_argument;
  if (spec.type == 0 || !std::strchr("diouxXfFeEgGaAcspn", spec.type) || arguments_ + wanted > kMaxArguments) {
    out_ += verbatim;
    return;
  }
  fill_in_arguments(spec);
  const char suffix[] = {spec.type, 0};
  switch (spec.type) {
  case 'c': return character(spec);
  case 's': return string(spec);
  case 'p': return render(spec, suffix, reinterpret_cast<void*>(argument<uint64_t>()));
  case 'n': static_cast<void>(argument<uint64_t>()); return; // not supported by the device: no effect
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X': return integer(spec);
  default: return render(spec, suffix, argument<double>());
  }
}

int Printer::print(std::string_view format) {
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    out_ += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    const std::string_view start = format;
    format.remove_prefix(1);
    const Specification spec = parse(format);
    if (spec.type == '%')
      out_ += '%';
    else
      conversion(spec, start.substr(0, start.size() - format.size()));
  }
  return failed_ ? -2 : arguments_;
}

} // namespace

int device_printf(const DeviceMemory& memory, uint64_t format, uint64_t arguments, std::string& out) {
  if (format == 0) return -1;
  const std::optional<std::string> text = read_string(memory, format, MiB);
  if (!text) return -2;
  return Printer(memory, arguments, out).print(*text);
}

} // namespace tollgate::exec
