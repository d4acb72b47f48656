#include "ptx/form_pattern.h"

#include <algorithm>
#include <unordered_map>

namespace tollgate::ptx {
namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char separator) {
  Words parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "op=add min; type=u32" -> the words after "name=", empty where the form has no such slot.
Words slot_values(std::string_view slots, std::string_view name) {
  for (std::string_view entry : split(slots, ';')) {
    entry = trim(entry);
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return split(entry.substr(name.size() + 1), ' ');
    }
  }
  return {};
}

ModSlot make_slot(std::string_view slots, std::string_view name, bool optional) {
  ModSlot slot{{}, optional, false};
  for (std::string_view value : slot_values(slots, name)) slot.values.push_back(decode_modifier(name, value, optional));
  if (slot.values.empty()) {
    slot.literal = true;
    slot.values.push_back(decode_modifier({}, name, optional));
  }
  return slot;
}

// The part of the syntax before the first blank: ".sem" or "{.sem}", one after the other.
void parse_modifiers(FormPattern& pattern, std::string_view text) {
  while (!text.empty()) {
    const bool optional = text.front() == '{';
    if (optional) text.remove_prefix(1);
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
    const auto end = std::min(text.find_first_of(optional ? "}" : ".{"), text.size());
    pattern.slots.push_back(make_slot(pattern.form->slots, text.substr(0, end), optional));
    text.remove_prefix(std::min(end + (optional ? 1 : 0), text.size()));
  }
}

bool names_destination(std::string_view name) {
  for (std::string_view known : {"d", "p", "state", "count", "waitComplete"}) {
    if (name == known) return true;
  }
  return false;
}

OperandShape shape_of(std::string_view operand, bool first) {
  if (operand.starts_with('[')) return OperandShape::Address;
  if (operand.starts_with("{!}")) return OperandShape::Predicate;
  if (operand == "label") return OperandShape::Label;
  if (operand == "tlist") return OperandShape::LabelList;
  if (first && (operand.ends_with("[|q]") || operand.ends_with("[|p]") || operand.ends_with("|p"))) {
    return OperandShape::DestinationPair;
  }
  return first && names_destination(operand) ? OperandShape::Destination : OperandShape::Value;
}

// "d, [a], b{, c}": every optional operand doubles the lists; those that have it come after those that do not.
void parse_operands(FormPattern& pattern, std::string_view text) {
  pattern.operands.emplace_back();
  bool first = true;
  while (!(text = trim(text)).empty()) {
    const bool optional = text.starts_with("{,");
    if (optional) text.remove_prefix(2);
    if (text.front() == ',') text.remove_prefix(1);
    text = trim(text);
    auto end = optional ? text.find('}') : text.find(',', text.starts_with('[') ? text.find(']') : 0);
    if (!optional && !text.starts_with("{!}")) end = std::min(end, text.find("{,"));
    end = std::min(end, text.size());
    const OperandShape shape = shape_of(trim(text.substr(0, end)), first);
    first = false;
    text.remove_prefix(std::min(end + (optional ? 1 : 0), text.size()));
    const size_t lists = pattern.operands.size();
    for (size_t i = 0; i < lists; ++i) {
      if (optional) pattern.operands.push_back(pattern.operands[i]);
      pattern.operands[optional ? lists + i : i].push_back(shape);
    }
  }
}

FormPattern compile(const InstForm& form) {
  FormPattern pattern;
  pattern.form = &form;
  pattern.prefix = split(form.name, '.');
  std::string_view syntax = form.syntax;
  pattern.open = syntax.ends_with("...");
  if (pattern.open) syntax.remove_suffix(3);
  const auto blank = std::min(syntax.find(' '), syntax.size());
  parse_modifiers(pattern, syntax.substr(form.name.size(), blank - form.name.size()));
  const std::string_view operands = trim(syntax.substr(blank));
  pattern.predicate_result =
      operands.starts_with("p,") || operands.starts_with("p[") || operands.starts_with("waitComplete");
  parse_operands(pattern, operands);
  return pattern;
}

struct Index {
  std::vector<FormPattern> patterns;
  std::unordered_map<std::string_view, std::vector<uint16_t>> by_word;
  Words words;
};

const Index& index() {
  static const Index* built = [] {
    auto* result = new Index;
    for (const InstForm& form : inst_table()) {
      const auto position = static_cast<uint16_t>(result->patterns.size());
      result->patterns.push_back(compile(form));
      auto& forms = result->by_word[result->patterns.back().prefix.front()];
      if (forms.empty()) result->words.push_back(result->patterns.back().prefix.front());
      forms.push_back(position);
    }
    return result;
  }();
  return *built;
}

// Assigns words to slots; backtracks over slots that share a value. The budget keeps hostile input from costing more
// than a table look-up: real instructions need one step for each word.
class Assignment {
public:
  Assignment(const FormPattern& pattern, const Words& words)
      : pattern_(pattern), words_(words), chosen_(pattern.slots.size(), nullptr) {}

  bool solve(size_t word, size_t first_type_slot) {
    if (--budget_ <= 0) return false;
    if (word == words_.size()) return complete();
    for (size_t i = 0; i < pattern_.slots.size(); ++i) {
      if (chosen_[i] != nullptr) continue;
      const ModValue* value = find(pattern_.slots[i], words_[word]);
      if (value == nullptr) continue;
      const bool type = value->kind == ModKind::Type;
      if (type && i < first_type_slot) continue;
      chosen_[i] = value;
      if (solve(word + 1, type ? i + 1 : first_type_slot)) return true;
      chosen_[i] = nullptr;
    }
    return false;
  }

  [[nodiscard]] const std::vector<const ModValue*>& chosen() const { return chosen_; }

private:
  static const ModValue* find(const ModSlot& slot, std::string_view word) {
    const auto it = std::ranges::find(slot.values, word, &ModValue::text);
    return it == slot.values.end() ? nullptr : &*it;
  }
  [[nodiscard]] bool complete() const {
    for (size_t i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i] == nullptr && !pattern_.slots[i].optional) return false;
    }
    return true;
  }

  const FormPattern& pattern_;
  const Words& words_;
  std::vector<const ModValue*> chosen_;
  int budget_ = 1000;
};

} // namespace

const std::vector<FormPattern>& form_patterns() { return index().patterns; }
const FormPattern& pattern_of(const InstForm& form) { return form_patterns()[&form - inst_table().data()]; }
const std::vector<std::string_view>& opcode_words() { return index().words; }

const std::vector<uint16_t>& forms_starting_with(std::string_view word) {
  static const std::vector<uint16_t> none;
  const auto it = index().by_word.find(word);
  return it == index().by_word.end() ? none : it->second;
}

bool match_modifiers(const FormPattern& pattern, const Words& words, Modifiers& mods) {
  if (pattern.open) {
    for (size_t i = 0; i < pattern.slots.size(); ++i) {
      if (i >= words.size() || pattern.slots[i].values.front().text != words[i]) return false;
    }
    for (size_t i = pattern.slots.size(); i < words.size(); ++i) mods.ignored.emplace_back(words[i]);
    return true;
  }
  if (words.size() > pattern.slots.size()) return false;
  Assignment assignment(pattern, words);
  if (!assignment.solve(0, 0)) return false;
  unsigned type_count = 0;
  for (const ModValue* value : assignment.chosen()) {
    if (value != nullptr) apply_modifier(*value, mods, type_count);
  }
  apply_implied(pattern.form->implied, mods);
  return true;
}

static bool implies(const InstForm& form, std::string_view modifier) {
  const Words implied = split(form.implied, ' ');
  return std::ranges::find(implied, modifier) != implied.end();
}

std::string spell(const FormPattern& pattern, const Modifiers& mods) {
  std::string out(pattern.form->name);
  unsigned type_index = 0;
  for (const ModSlot& slot : pattern.slots) {
    for (const ModValue& value : slot.values) {
      const bool written = slot.literal && !slot.optional;
      if (!written && !holds_modifier(value, mods, type_index)) continue;
      if (slot.optional && slot.literal && implies(*pattern.form, value.text)) continue; // bar.sync is always aligned
      out += '.';
      out += value.text;
      if (value.kind == ModKind::Type) ++type_index;
      break;
    }
  }
  if (pattern.open) {
    for (const std::string& word : mods.ignored) out += '.' + word;
  }
  return out;
}

} // namespace tollgate::ptx
