// One sub-command, one file: a static instance registers itself, with its help and its options beside its code.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tollgate::cli {

// Stands for the first `--` of a command line that names a program (main.cpp).
inline constexpr const char* end_of_options = "\x01--";

// What run and check start for a .ptx file (launch_ptx_command.cpp).
inline constexpr const char* launch_ptx_command = "launch-ptx";

class Command {
public:
  Command(std::string name, std::string summary);
  virtual ~Command() = default;

  virtual void options(CLI::App& app) = 0;
  virtual int run() = 0;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& summary() const { return summary_; }

  static std::vector<Command*>& all(); // sorted as they are shown in the help

private:
  std::string name_, summary_;
};

// "tollgate: error: ..." with its remedy, on standard error.
void print_error(const std::string& message, const std::string& remedy = "");

} // namespace tollgate::cli
