// options: --as-built
#include "../copies.h"

int main() { return run_copies(); }
