// A program for the tests: each argument is one thing to do, in order.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
void fake_finding(const char* severity);
void fake_rule(const char* rule);
void fake_place(const char* file, int line);
void fake_details();
void fake_kernel(const char* name);
void fake_launched(const char* name);
void fake_incomplete(const char* reason);
void fake_finish();
void fake_show_config();
}

int main(int argc, char** argv) {
  std::string file = "guarded.cu";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = std::strchr(argv[i], '=') != nullptr ? std::strchr(argv[i], '=') + 1 : "";
    if (word.starts_with("find="))
      fake_finding(value);
    else if (word.starts_with("rule="))
      fake_rule(value);
    else if (word.starts_with("file="))
      file = value;
    else if (word.starts_with("line="))
      fake_place(file.c_str(), std::atoi(value));
    else if (word == "details")
      fake_details();
    else if (word.starts_with("lines=")) // as many findings, each on a line of its own
      for (int line = 1; line <= std::atoi(value); ++line) fake_place(file.c_str(), line), fake_finding("error");
    else if (word.starts_with("kernel="))
      fake_kernel(value);
    else if (word.starts_with("incomplete="))
      fake_incomplete(value);
    else if (word.starts_with("print="))
      std::puts(value);
    else if (word.starts_with("sleep="))
      sleep(static_cast<unsigned>(std::atoi(value)));
    else if (word.starts_with("exit="))
      return std::atoi(value);
    else if (word.starts_with("launch="))
      fake_launched(value);
    else if (word.starts_with("_exit="))
      _exit(std::atoi(value));
    else if (word == "exec")
      return argv[i] = argv[0], execv("/proc/self/exe", argv + i); // the rest is done by another image
    else if (word == "finish")
      fake_finish();
    else if (word == "config")
      fake_show_config();
    else if (word == "crash")
      std::raise(SIGSEGV);
    else if (word == "ignore-signals")
      std::signal(SIGTERM, SIG_IGN), std::signal(SIGINT, SIG_IGN);
    else if (word == "fork") { // the rest is done by the child as well
      const pid_t child = fork();
      if (child != 0) waitpid(child, nullptr, 0);
    } else {
      std::fprintf(stderr, "fake_program: %s?\n", argv[i]);
      return 1;
    }
    std::fflush(stdout);
  }
  return 0;
}
