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
void fake_kernel(const char* name);
void fake_incomplete(const char* reason);
void fake_finish();
void fake_show_config();
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = std::strchr(argv[i], '=') != nullptr ? std::strchr(argv[i], '=') + 1 : "";
    if (word.starts_with("find=")) fake_finding(value);
    else if (word.starts_with("kernel=")) fake_kernel(value);
    else if (word.starts_with("incomplete=")) fake_incomplete(value);
    else if (word.starts_with("print=")) std::puts(value);
    else if (word.starts_with("sleep=")) sleep(static_cast<unsigned>(std::atoi(value)));
    else if (word.starts_with("exit=")) return std::atoi(value);
    else if (word == "finish") fake_finish();
    else if (word == "config") fake_show_config();
    else if (word == "crash") std::raise(SIGSEGV);
    else if (word == "ignore-signals") std::signal(SIGTERM, SIG_IGN), std::signal(SIGINT, SIG_IGN);
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
