#!/usr/bin/env python3
"""Prints what histogram.json says, as the tables of docs/histogram.md.

    summarise.py FILE
"""
import collections
import json
import math
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = json.load(open(sys.argv[1], encoding="utf-8"))
    cells = data["cells"]
    print(f"{data['gpu']}, {data['date']}, driver and clocks {data['driver_and_clocks_under_load']}, "
          f"read-only roof {data['read_only_roof_tb_s']:.2f} TB/s, {len(cells)} cells\n")

    big = collections.defaultdict(list)
    for cell in cells:
        size = cell["n"] * int({"u8": 1, "u16": 2, "half": 2, "bf16": 2, "u64": 8, "double": 8}.get(cell["sample"], 4))
        if size > 1.9e9:
            key = (cell["sample"], cell["counter"], cell["bins"], cell["offset"])
            big[key].append(cell)
    print("| samples | bins | uniform | least | most | CUB uniform | CUB least | CUB most |")
    print("|---|---|---|---|---|---|---|---|")
    for (sample, counter, bins, offset), group in big.items():
        uniform = next((c for c in group if c["distribution"] == "uniform"), None)
        if uniform is None:
            continue
        ours = [c["tollgate_share"] for c in group]
        cub = [c["cub_share"] for c in group if c["cub_us"] > 0]
        label = sample + (", 64-bit counters" if counter == "u64" else "") + (", start off by one" if offset else "")
        theirs = f"{uniform['cub_share']:.3f} | {min(cub):.3f} | {max(cub):.3f}" if cub else "fails | |"
        print(f"| {label} | {bins} | {uniform['tollgate_share']:.3f} | {min(ours):.3f} | {max(ours):.3f} | {theirs} |")

    both = [c for c in cells if c["cub_us"] > 0]
    large = [c["cub_us"] / c["tollgate_us"] for c in both if c["n"] >= 1 << 24]
    print(f"\ngeometric mean of CUB's time over tollgate's, n >= 2^24: "
          f"{math.exp(sum(map(math.log, large)) / len(large)):.2f} over {len(large)} cells")
    slow = [c for c in both if c["tollgate_us"] > c["cub_us"] / 0.97]
    print(f"cells in which tollgate is slower than 0.97 of CUB: {len(slow)} of {len(both)}")
    for c in sorted(slow, key=lambda c: c["cub_us"] / c["tollgate_us"])[:40]:
        print(f"  {c['sample']} {c['counter']} bins {c['bins']} {c['distribution']} n {c['n']} offset {c['offset']}: "
              f"{c['tollgate_us']} us, CUB {c['cub_us']} us")


if __name__ == "__main__":
    main()
