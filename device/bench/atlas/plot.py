#!/usr/bin/env python3
"""Draws what docs/atlas.md shows, from atlas.json, as one SVG: additions a second by the number of addresses.

    plot.py atlas.json OUT.svg
"""
import json
import math
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 70, 30, 150, 50
SERIES = [  # space, type, colour
    ("shared", "u32", "#1f77b4"), ("shared", "f32", "#6baed6"), ("shared", "u64", "#9e9ac8"), ("shared", "f16", "#54278f"),
    ("global", "u32", "#d62728"), ("global", "f32", "#fd8d3c"), ("global", "u64", "#8c510a"), ("global", "f16", "#35978f"),
]


def points(rows, space, kind):
    found = {}
    for row in rows:
        if (row["part"] == "atomic throughput" and row["op"] == "add" and row["type"] == kind and row["result"] == "unused"
                and row["space"].startswith(space) and row["addresses"].startswith("random of 2^") and row["scope"] == "gpu"
                and (row["lanes"], row["warps"], row["blocks"]) == (32, 32, 264)):
            found[int(row["addresses"].rsplit("^", 1)[1])] = row["gops"]
    return sorted(found.items())


def x_of(exponent):
    return LEFT + exponent / 26 * (WIDTH - LEFT - RIGHT)


def y_of(gops):
    low, high = math.log10(0.3), math.log10(6000)
    return HEIGHT - BOTTOM - (math.log10(gops) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data = json.load(open(sys.argv[1], encoding="utf-8"))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for exponent in range(0, 27, 2):
        x = x_of(exponent)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">2^{exponent}</text>')
    for gops in (1, 10, 100, 1000):
        y = y_of(gops)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{gops}</text>')
    for number, (space, kind, colour) in enumerate(SERIES):
        line = points(data["rows"], space, kind)
        path = " ".join(f"{x_of(e):.1f},{y_of(g):.1f}" for e, g in line)
        dash = ' stroke-dasharray="5 3"' if space == "shared" else ""
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = TOP + 16 + number * 18
        out.append(f'<line x1="{WIDTH - RIGHT + 12}" y1="{y - 4}" x2="{WIDTH - RIGHT + 40}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{WIDTH - RIGHT + 46}" y="{y}">{space} {kind}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">addresses, chosen at random</text>')
    out.append(f'<text x="{LEFT}" y="18">{data["gpu"]}: billion atomicAdd a second, result unused, 264 blocks of 1,024 threads</text></svg>')
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
