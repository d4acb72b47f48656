#!/usr/bin/env python3
"""Counts the bytes of a file, in the output format of examples/hist256.cu: an independent answer to compare with."""
import collections
import sys


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} FILE", file=sys.stderr)
        return 2
    with open(sys.argv[1], "rb") as file:
        counts = collections.Counter(file.read())
    for value in range(256):
        print(value, counts[value])
    print("total", sum(counts.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
