#!/usr/bin/env python3
"""Writes a PTX kernel of about N instructions: arithmetic, memory, divergent branches and loops, mixed like a real one.

Usage: large_kernel.py N > large.ptx; launch it as large<<<1,256>>>(zeros:64K, zeros:64K).
"""
import random
import sys

INTEGERS, FLOATS = 24, 16
HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry large(.param .u64 pin, .param .u64 pout)
{{
  .reg .b32 %r<{integers}>; .reg .f32 %f<{floats}>; .reg .b32 %t, %i, %x; .reg .b64 %in, %out, %mine, %a;
  .reg .pred %p<2>;
  ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];
  mov.u32 %x, %tid.x; mul.wide.u32 %a, %x, 4; add.s64 %mine, %in, %a; add.s64 %out, %out, %a;"""


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.labels = 0

    def r(self):
        return f"%r{self.random.randrange(INTEGERS)}"

    def f(self):
        return f"%f{self.random.randrange(FLOATS)}"

    def emit(self, *instructions):
        for instruction in instructions:
            self.lines.append(f"  {instruction};")
            self.count += 1

    def label(self, name):
        self.lines.append(f"{name}:")

    def one(self):
        r, f, pick = self.r, self.f, self.random
        integer = pick.choice("add.s32 sub.s32 mul.lo.s32 xor.b32 and.b32 or.b32 min.s32 max.u32".split())
        floating = pick.choice("add.f32 mul.f32 sub.f32".split())
        forms = [
            (30, [f"{integer} {r()}, {r()}, {r()}"]),
            (10, [f"mad.lo.s32 {r()}, {r()}, {r()}, {r()}"]),
            (20, [f"{floating} {f()}, {f()}, {f()}"]),
            (12, [f"fma.rn.f32 {f()}, {f()}, {f()}, {f()}"]),
            (8, [f"shr.u32 {r()}, {r()}, {pick.randrange(1, 31)}"]),
            (6, [f"and.b32 %t, {r()}, 1023", "mul.wide.u32 %a, %t, 4", "add.s64 %a, %a, %in", f"ld.global.f32 {f()}, [%a]"]),
            (4, [f"ld.global.f32 {f()}, [%mine+{4 * pick.randrange(64)}]"]),
            (3, [f"st.global.f32 [%out+{1024 * pick.randrange(16)}], {f()}"]),
            (3, [f"setp.lt.s32 %p1, {r()}, {r()}", f"selp.b32 {r()}, {r()}, {r()}, %p1"]),
            (4, [f"cvt.rn.f32.s32 {f()}, {r()}"]),
        ]
        self.emit(*pick.choices([form for _, form in forms], [weight for weight, _ in forms])[0])

    def straight(self, count):
        for _ in range(count):
            self.one()

    def part(self):
        self.labels += 1
        n = self.labels
        kind = self.random.random()
        if kind < 0.4:
            self.straight(20)
        elif kind < 0.7:
            self.emit(f"setp.lt.s32 %p0, {self.r()}, {self.r()}", f"@!%p0 bra E{n}")
            self.straight(12)
            self.emit(f"bra X{n}")
            self.label(f"E{n}")
            self.straight(8)
            self.label(f"X{n}")
        else:
            self.emit("mov.u32 %i, 0")
            self.label(f"L{n}")
            self.straight(14)
            self.emit("add.u32 %i, %i, 1", "setp.lt.u32 %p0, %i, 3", f"@%p0 bra L{n}")


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    writer = Writer(seed=1)
    for i in range(INTEGERS):
        writer.emit(f"mad.lo.s32 %r{i}, %x, {7 * i + 1}, {i}")
    for i in range(FLOATS):
        writer.emit(f"cvt.rn.f32.s32 %f{i}, %r{i}")
    while writer.count < int(sys.argv[1]) - FLOATS - 1:
        writer.part()
    for i in range(FLOATS):
        writer.emit(f"st.global.f32 [%out+{1024 * i}], %f{i}")
    print(HEAD.format(integers=INTEGERS, floats=FLOATS), *writer.lines, "  ret;", "}", sep="\n")


main()
