#!/usr/bin/env python3
"""Writes forms.txt: spellings of every supported row of src/ptx/ptx_inst.def, with operands, that ptxas accepts.

    list_forms.py [--keep N]       needs ptxas and a C preprocessor; rewrites tests/isa/forms.txt

Each row is spelled with every choice of its required modifiers (thinned to N where there are more) and with every
optional modifier once. ptxas is the judge of what the manual allows: a spelling it refuses is left out.
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent

BITS = {t: int(re.search(r"\d+", t).group()) for t in
        "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64".split()}
BITS |= {"pred": 1, "tf32": 32, "e4m3x2": 16, "e5m2x2": 16}
BITS |= {t: 32 for t in "f16x2 bf16x2 u16x2 s16x2".split()} | {"f32x2": 64}
REGISTER = {1: "p", 8: "h", 16: "h", 32: "r", 64: "d", 128: "q"}
SKIPPED = {"call", "brx"}  # need functions and label lists: calls.ptx and the conformance programs have them
# Spellings that today's ptxas refuses for want of an old target, or that need a second register set.
BY_HAND = """shfl.up.b32 %r0|%p0, %r2, %r3, 0
shfl.down.b32 %r0, %r2, 1, 31
shfl.bfly.b32 %r0, %r2, 1, 31
shfl.idx.b32 %r0|%p0, %r2, 1, 31
vote.all.pred %p0, !%p1
vote.any.pred %p0, %p1
vote.uni.pred %p0, %p1
vote.ballot.b32 %r0, %p1
membar.proxy.async.global
membar.proxy.async.shared::cta
fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
setmaxnreg.inc.sync.aligned.u32 64
setmaxnreg.dec.sync.aligned.u32 64""".splitlines()


class Row:
    def __init__(self, opcode, syntax, slots, implied, flags, section, ptx, sm):
        self.syntax, self.implied, self.flags, self.sm = syntax, implied, flags, sm
        self.values = dict(part.strip().split("=", 1) for part in slots.split(";") if part.strip())
        head, _, tail = syntax.partition(" ")
        self.name = re.match(r"[a-z0-9]+", head).group()
        self.slots = []  # (values, optional)
        for optional, plain in re.findall(r"\{\.([^}]+)\}|\.([^.{]+)", head[len(self.name):]):
            word = optional or plain
            self.slots.append((self.values.get(word, word).split(), bool(optional), word))
        self.operands = [(o.strip(), False) for o in re.sub(r"\{,.*?\}", "", tail).split(",") if o.strip()]
        self.optional_operands = [o.strip() for o in re.findall(r"\{,(.*?)\}", tail)]


def rows():
    text = subprocess.run(["cpp", "-P", "-DINST(o,s,l,i,f,c,p,m)=R(#o,s,l,i,#f,c,p,m)", "-DOPCODE(a,b)=",
                           str(ROOT / "src/ptx/ptx_inst.def")], capture_output=True, text=True, check=True).stdout
    found = []
    eval("[" + re.sub(r"\)\s*R\(", "), R(", text.strip()) + "]", {"R": lambda *a: found.append(Row(*a))})
    return [r for r in found if "Unsupported" not in r.flags and not r.syntax.endswith("...")]


def spellings(row, keep):
    """Choices of modifiers: one word or None for each slot."""
    required = [values if not optional else [None] for values, optional, _ in row.slots]
    choices = list(itertools.product(*required))
    step = max(1, len(choices) // keep)
    out = choices[::step]
    turn = 0
    for index, (values, optional, word) in enumerate(row.slots):
        if not optional:
            continue
        for value in values:
            for _ in range(2):
                choice = list(choices[turn % len(choices)])
                turn += 7
                choice[index] = value
                # .relaxed, .acquire, .release want a scope, and a scope wants one of them.
                words = [w for _, _, w in row.slots]
                if word == "sem" and "scope" in words and value not in ("weak", "volatile"):
                    choice[words.index("scope")] = "gpu"
                if word == "scope" and "sem" in words:
                    choice[words.index("sem")] = row.slots[words.index("sem")][0][-1]
                if word in ("xorsign", "abs") and "xorsign" in words:
                    choice[words.index("xorsign")], choice[words.index("abs")] = "xorsign", "abs"
                if word == "cop" and "space" in words:
                    choice[words.index("space")] = "global"
                out.append(tuple(choice))
    return list(dict.fromkeys(out))


def register(bits, name, n):
    return f"%{REGISTER[bits]}{n}"


def operand_text(row, words, types, name, position, count):
    op = row.name
    first = BITS.get(types[0], 32) if types else 32
    last = BITS.get(types[-1], 32) if types else 32
    wide = "wide" in words
    predicate = {"c", "q"} & {name} and op == "selp" or name.startswith("{!}") or (op == "lop3" and name == "q")
    if predicate:
        return "!%p1" if name.startswith("{!}") and position % 2 else "%p1"
    if name.startswith("["):
        return address(row, words, name)
    fixed = {"membermask": "-1", "immLut": "0x96", "size": "128" if op in ("applypriority", "discard", "fence") else "16",
             "N": "64" if op == "setmaxnreg" else "1", "cp-size": "16", "src-size": "%r1", "txCount": "16", "label": "L",
             "cache-policy": "%d1", "phaseParity": "0", "state": "%d2", "suspendTimeHint": "100", "rbits": "%r1",
             "primary-size": "%r1", "total-size": "%r2", "fraction": "0.5", "access-property": "%d1", "t": "20"}
    if name in fixed and not (name == "state" and position == 0):
        return fixed[name]
    if op == "pmevent":
        return "3"
    if op in ("bar", "barrier") and name in ("a", "b") and "red" not in words:
        return {"a": "1", "b": "32"}[name]
    if op in ("bar", "barrier") and name in ("a", "b"):
        return {"a": "2", "b": "32"}[name]
    if position == 0 and op not in ("st", "red"):
        if name.startswith("waitComplete"):
            return "%p0"
        pair = {"p[|q]": "%p0|%p2", "d|p": "%r0|%p0", "d[|p]": "%r0|%p0"}
        if name in pair:
            return "%p0" if name == "p[|q]" and types[0] in ("f16", "bf16") else pair[name]
        if name == "p" or (op == "vote" and "pred" in words) or types[:1] == ["pred"]:
            return "%p0"
        bits = first
        if wide:
            bits = 2 * first
        elif op in ("popc", "clz", "bfind", "dp4a", "dp2a", "mbarrier") and not (op == "mbarrier" and name == "state"):
            bits = 32
        elif op == "cvt" and "pack" in words:
            bits = 32
        elif op in ("match",):
            bits = 32
        if op in ("bar", "barrier", "activemask", "fns"):
            bits = 32
        if op == "createpolicy":
            bits = 64
        return vector(words, bits, 0)
    if op == "vote" or types[:1] == ["pred"]:
        return "!%p1" if name.startswith("{!}") and position % 2 else "%p1"
    bits = first
    if op == "cvt":
        bits = 32 if "pack" in words else last
    elif op in ("set",):
        bits = last
    elif op == "slct" and name == "c":
        bits = last
    elif op in ("add", "sub", "fma") and len(types) == 2 and types[0] == "f32":
        bits = 32 if name == "c" else last
    elif op in ("shl", "shr") and name == "b" or op == "bfe" and name in "bc" or op == "bfi" and name in "ce":
        bits = 32
    elif op == "mad" and wide and name == "c":
        bits = 2 * first
    elif op == "szext" and name == "b" or op == "mbarrier" or op == "mapa" and name == "b":
        bits = 32
    elif op == "cvta" or op == "isspacep" or op == "getctarank":
        bits = BITS["u32"] if "u32" in words else 64
    if op == "mbarrier" and name == "state":
        bits = 64
    return vector(words, bits, position + 1)


def vector(words, bits, base):
    n = next((int(w[1]) for w in words if re.fullmatch(r"v[248]", w)), 1)
    if n == 1:
        return f"%{REGISTER[bits]}{base}"
    return "{" + ", ".join(f"%{REGISTER[bits]}{base * 8 + i}" for i in range(n)) + "}"


def address(row, words, name):
    if row.name == "mbarrier":
        return "[bar]" if "init" in words or "shared" in " ".join(words) else "[%dbar]"
    if row.name == "cp":
        if name == "[mbar]" or name == "[addr]":
            return "[bar]"
        here = "[sh+64]" if name == "[d]" else "[sh]"
        spaces = [w for w in words if w == "global" or w.startswith("shared")]
        return "[%dg]" if spaces[-1 if name == "[a]" else 0] == "global" else here
    joined = " ".join(words)
    if "shared" in joined:
        return "[sh+32]"
    if "param::func" in words:
        return "[lp]"
    if "param" in joined:
        return "[prm+32]"
    if "const" in words:
        return "[cst+32]"
    if "local" in words:
        return "[loc+32]"
    return "[%dg+32]"


def lines_of(row, keep):
    for choice in spellings(row, keep):
        words = [w for w in choice if w]
        types = [w for w in words if w in BITS]
        head = ".".join([row.name] + words)
        for extra in range(len(row.optional_operands) + 1):
            if extra and "cache-policy" in row.optional_operands[extra - 1] and "L2::cache_hint" not in words:
                continue
            if not extra and "L2::cache_hint" in words:
                continue
            names = [n for n, _ in row.operands]
            # The optional operand stands where the syntax has it: last, but before the predicate of a reduction.
            if extra:
                at = len(names) - (1 if names and names[-1].startswith("{!}") and row.name in ("bar", "barrier") else 0)
                names.insert(at, row.optional_operands[extra - 1])
            texts = [operand_text(row, words, types, n, i, len(names)) for i, n in enumerate(names)]
            yield (head + " " + ", ".join(texts)).strip()


PROLOGUE = """.version 8.7
.target {sm}
.address_size 64
.const .align 16 .b8 cst[128];
.visible .entry k(.param .align 16 .b8 prm[128]) {{
.reg .pred %p<8>; .reg .b16 %h<80>; .reg .b32 %r<80>; .reg .b64 %d<80>; .reg .b128 %q<80>; .reg .b64 %dg, %dbar;
.shared .align 16 .b8 sh[128]; .shared .align 8 .b8 bar[8]; .local .align 16 .b8 loc[128]; .param .align 16 .b8 lp[64];
"""


def accepted(lines, sm):
    lines = list(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "forms.ptx"
        while lines:
            prologue = PROLOGUE.format(sm=sm)
            path.write_text(prologue + "".join(line + ";\n" for line in lines) + "L:\nret;\n}\n")
            run = subprocess.run(["ptxas", f"-arch={sm}", "-O0", str(path), "-o", "/dev/null"], capture_output=True, text=True)
            if run.returncode == 0:
                return lines
            first = prologue.count("\n") + 1
            bad = {int(n) - first for n in re.findall(r"line (\d+); (?:error|fatal)", run.stderr)}
            bad |= {int(n) - first for n in re.findall(r"32-bit address on line '(\d+)'", run.stderr)}
            bad = {n for n in bad if 0 <= n < len(lines)}
            if not bad:
                print(run.stderr[:2000], file=sys.stderr)
                return lines
            lines = [line for i, line in enumerate(lines) if i not in bad]
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--keep", type=int, default=14)
    keep = arguments.parse_args().keep
    out = ["# Written by list_forms.py: spellings of every supported form that ptxas accepts. Do not edit."]
    covered = set()
    by_sm = {"sm_90": [], "sm_100a": []}
    for row in rows():
        if row.name in SKIPPED:
            continue
        for line in lines_of(row, keep):
            by_sm["sm_90" if row.sm <= 90 else "sm_100a"].append((line, row))
    for sm, pairs in by_sm.items():
        good = set(accepted(dict.fromkeys(line for line, _ in pairs), sm))
        seen = set()
        for line, row in pairs:
            if line in good:
                covered.add(row.syntax + row.values.get("type", ""))
                if line not in seen:
                    out.append(line)
                seen.add(line)
        for line, row in pairs:
            if row.syntax + row.values.get("type", "") not in covered:
                print(f"no spelling accepted: {row.syntax}   e.g. {line}", file=sys.stderr)
                covered.add(row.syntax + row.values.get("type", ""))
    out += [line for line in BY_HAND if line not in out]
    (HERE / "forms.txt").write_text("\n".join(out) + "\n")
    print(len(out) - 1, "forms", file=sys.stderr)


main()
