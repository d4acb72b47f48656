#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/nvcc_args.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

using tollgate::cli::Command;

// The order of the help: what people come for first.
constexpr std::array order{"run", "check", "profile", "nvcc", "merge", "explain", "isa", "doctor", "version"};

std::vector<Command*> commands_in_order() {
  std::vector<Command*> commands = Command::all();
  const auto rank = [](const Command* command) {
    return std::find(order.begin(), order.end(), command->name()) - order.begin();
  };
  std::stable_sort(commands.begin(), commands.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
  return commands;
}

// CLI11 would only say that a sub-command is required.
bool known_command(const std::string& name) {
  const auto& all = Command::all();
  return name.starts_with("-") ||
         std::any_of(all.begin(), all.end(), [&](const Command* command) { return command->name() == name; });
}

int unknown_command(const std::string& name) {
  std::string list;
  for (const Command* command : commands_in_order())
    if (!command->summary().empty()) list += (list.empty() ? "" : ", ") + command->name();
  tollgate::cli::print_error("there is no command `" + name + "`",
                             "the commands are " + list + "; to run a program: tollgate run " + name);
  return tollgate::cli::exit_usage;
}

// The first `--` of run and check: CLI11 would take the words behind it for options, and turn their order round.
void mark_end_of_options(int argc, char** argv) {
  static std::string mark = tollgate::cli::end_of_options;
  for (int i = 2; i < argc; ++i)
    if (std::string_view(argv[i]) == "--") {
      argv[i] = mark.data();
      return;
    }
}

// A compiler driver takes its options as they are: nothing of them is ours to parse.
bool called_as_nvcc(const std::string& name) { return name == "tollgate-nvcc" || name.ends_with("/tollgate-nvcc"); }

// CMake takes CUDACXX="tollgate nvcc", but leaves the second word out of its rules, which all begin with this option.
bool called_by_cmake(const std::string& first) { return first == "-forward-unknown-to-host-compiler"; }

// What was printed has to arrive: on a full disk it does not, and a command that found nothing wrong must not say so.
int written(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  tollgate::cli::print_error(std::string("cannot write to standard output: ") + std::strerror(errno));
  return code == 0 ? tollgate::cli::exit_tool_failed : code;
}

} // namespace

int main(int argc, char** argv) {
  if (called_as_nvcc(argv[0])) return tollgate::cli::run_nvcc({argv + 1, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "nvcc") return tollgate::cli::run_nvcc({argv + 2, argv + argc});
  CLI::App app{"tollgate runs, checks and prices CUDA programs on the CPU: do all threads meet, does each see what the "
               "others wrote, what does it cost.",
               "tollgate"};
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    const std::string what = error.what();
    const bool helps = what.find("\n  help: ") != std::string::npos;
    return "tollgate: error: " + what +
           (helps ? "\n" : "\n  help: see `tollgate --help` and `tollgate COMMAND --help`\n");
  });
  app.set_version_flag("--version", "tollgate " TOLLGATE_VERSION);
  app.footer(
      "Exit codes of run and check: the program's own where nothing was found; 99 for a finding (--fail-on,\n"
      "--error-exitcode); 98 where the verdict is incomplete; 97 where the tool itself failed; 2 for wrong usage.");

  if (argc > 1 && called_by_cmake(argv[1])) return tollgate::cli::run_nvcc({argv + 1, argv + argc});
  if (argc > 1 && !known_command(argv[1])) return unknown_command(argv[1]);

  if (argc > 1 && (std::string_view(argv[1]) == "run" || std::string_view(argv[1]) == "check"))
    mark_end_of_options(argc, argv);

  Command* chosen = nullptr;
  for (Command* command : commands_in_order()) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    command->options(*sub);
    sub->callback([&chosen, command] { chosen = command; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : tollgate::cli::exit_usage;
  }
  return written(chosen->run());
}
