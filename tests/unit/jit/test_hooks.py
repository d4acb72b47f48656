#!/usr/bin/env python3
"""Code for a run without checks has no hook in it.

    test_hooks.py EMIT_CODE EMIT_CODE_WITHOUT_HOOKS PTX

EMIT_CODE prints the final LLVM code of a kernel; EMIT_CODE_WITHOUT_HOOKS is the same program with the instrumenting code
compiled out. Without observers both must print the same bytes, and no name of a hook.
"""
import re
import subprocess
import sys

MEMORY, BARRIER = 1, 2  # observe::EventSet
HOOK = re.compile(r"tgh_(?:observe\w*|exit)\b")


def emit(program, kernel, events):
    done = subprocess.run([program, sys.argv[3], kernel, str(events)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or "define" not in done.stdout:
        sys.exit(f"{program} {kernel}: {done.stderr or 'no code'}")
    return done.stdout


def main():
    with_hooks, without_hooks = sys.argv[1], sys.argv[2]
    wrong = []
    for kernel in ("hist256", "saxpy", "reduce"):
        plain = emit(with_hooks, kernel, 0)
        if HOOK.search(plain):
            wrong.append(f"{kernel}: unchecked code calls {HOOK.search(plain).group()}")
        if plain != emit(with_hooks, kernel, 0):
            wrong.append(f"{kernel}: two compilations differ")
        if plain != emit(without_hooks, kernel, 0):
            wrong.append(f"{kernel}: unchecked code depends on the instrumenting code")
        if HOOK.search(emit(without_hooks, kernel, MEMORY | BARRIER)):
            wrong.append(f"{kernel}: the instrumenting code was not compiled out")
        # The other way round: what is asked for is there, so that the tests above can fail.
        # Exits matter to the checks of barriers alone, and saxpy has none.
        exits = set() if kernel == "saxpy" else {"tgh_exit"}
        for events, names in ((MEMORY, {"tgh_observe_each", "tgh_observe_line", "tgh_observe_rows"}), (BARRIER, exits)):
            found = set(HOOK.findall(emit(with_hooks, kernel, events)))
            if not found <= names or (names and not found):
                wrong.append(f"{kernel}: hooks {sorted(found)} where {sorted(names)} were asked for")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
