// Errors as values. A function that can fail returns Result<T>; the error is rendered only at the edge.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tollgate {

// A position inside a text: 1-based line and column, 0 where unknown.
struct TextPosition {
  unsigned line = 0;
  unsigned column = 0;
};

// One thing that went wrong: what, where, and what to do about it.
struct Error {
  std::string message;   // one sentence, no trailing newline
  std::string remedy;    // what the user can do; may be empty
  std::string file;      // the text it was found in; may be empty
  TextPosition position; // inside `file`
  std::string excerpt;   // the offending line of that text; may be empty

  // "file:12:3: message", the excerpt with a caret, "help: remedy" -- plain text, several lines.
  [[nodiscard]] std::string to_string() const;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : data_(std::move(value)) {}
  Result(Error error) : data_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(data_); }
  T& operator*() { return std::get<T>(data_); }
  const T& operator*() const { return std::get<T>(data_); }
  T* operator->() { return &std::get<T>(data_); }
  const T* operator->() const { return &std::get<T>(data_); }
  Error& error() { return std::get<Error>(data_); }
  const Error& error() const { return std::get<Error>(data_); }

private:
  std::variant<T, Error> data_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

private:
  std::optional<Error> error_;
};

} // namespace tollgate
