"""The PTX memory model, said a second time: by its axioms, over every execution of a few operations.

The checker follows one schedule with vector clocks; this enumerates what every read may observe and asks the manual's
definitions directly, so the two share no idea. Sections are those of the PTX ISA 9.0 manual, chapter 8.

A program is a list of threads, a thread a list of operations in the words of the table (table.py):

    st x 1                weak write            st.release.gpu y 1    release write, gpu scope
    ld x                  weak read             wait.acquire.cta y 1  reads until it reads 1
    st.volatile y 1       as relaxed.sys        fence.acq_rel.gpu     fence.sc.sys, fence.acquire.cta ...
    exch.acq_rel.gpu y 1  read-modify-write     add.relaxed.gpu y 1   waitadd.acquire.gpu y 1 (adds 0 until it reads 1)
    bar                   barrier of the block, all of its threads
"""
import dataclasses
import itertools

RELEASING = {"release", "acq_rel", "sc"}
ACQUIRING = {"acquire", "acq_rel", "sc"}


@dataclasses.dataclass(frozen=True, eq=False)  # an operation is itself
class Op:
    thread: int
    index: int
    kind: str  # R, W, U (read-modify-write), F, B
    text: str
    var: str = ""
    sem: str = "weak"
    scope: str = ""
    value: int = 0
    adds: bool = False
    waits: bool = False

    @property
    def reads(self):
        return self.kind in "RU"

    @property
    def writes(self):
        return self.kind in "WU"

    @property
    def strong(self):  # 8.4: Operation Types
        return self.sem != "weak"


def parse_op(thread, index, text):
    head, *rest = text.split()
    word, *qualifiers = head.split(".")
    sem = qualifiers[0] if qualifiers else "weak"
    scope = qualifiers[1] if len(qualifiers) > 1 else ""
    if sem == "volatile":  # 8.4: a volatile operation has the semantics of a relaxed one with system scope
        sem, scope = "relaxed", "sys"
    common = {"thread": thread, "index": index, "text": text, "sem": sem, "scope": scope}
    if word == "bar":
        return Op(kind="B", **{**common, "sem": "acq_rel", "scope": "cta"})
    if word == "fence":
        return Op(kind="F", **common)
    kind = {"st": "W", "ld": "R", "wait": "R", "exch": "U", "add": "U", "waitadd": "U"}[word]
    value = int(rest[1]) if len(rest) > 1 else 0
    return Op(kind=kind, var=rest[0], value=value, adds=word in ("add", "waitadd"), waits=word.startswith("wait"), **common)


def parse(threads):
    return [[parse_op(t, i, text) for i, text in enumerate(ops)] for t, ops in enumerate(threads)]


def closure(edges):
    after = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    reached = set()
    for start in after:
        open_, seen = [start], set()
        while open_:
            fresh = after.get(open_.pop(), set()) - seen
            seen |= fresh
            open_ += fresh
        reached |= {(start, end) for end in seen}
    return reached


class Execution:
    """One choice of what every read observes (None: the initial 0) and of the order of the fence.sc operations."""

    def __init__(self, program, blocks, source, sc_order, acquiring_thread=None, wide=False):
        self.program, self.blocks, self.source = program, blocks, source
        self.wide = wide  # every scope is taken for the whole device
        self.ops = [op for thread in program for op in thread]
        self.upgraded = acquiring_thread
        self.sc_order = sc_order
        self.observation = self.observed_by()
        self.base = closure(self.program_order() | self.synchronizes() | self.barriers())
        # 8.9.5: what was observed precedes what comes after the observer.
        self.causality = self.base | {(w, y) for w, z in self.observation for z2, y in self.base if z == z2} | self.observation

    # 8.7: both strong, each scope includes the other thread; or related in program order.
    def includes(self, op, thread):
        return op.scope in ("gpu", "sys") or (self.wide and op.scope) or (op.scope == "cta" and self.blocks[op.thread] == self.blocks[thread])

    def morally_strong(self, a, b):
        if a.thread == b.thread:
            return True
        return a.strong and b.strong and self.includes(a, b.thread) and self.includes(b, a.thread)

    def program_order(self):
        return {(a, b) for thread in self.program for a in thread for b in thread if a.index < b.index}

    # 8.9.2: a read observes a write, directly or through read-modify-writes.
    def observed_by(self):
        direct = {(w, r) for r, w in self.source.items() if w is not None and self.morally_strong(w, r)}
        edges = set(direct)
        while True:
            more = {(w, r) for w, z in edges for z2, r in direct if z == z2 and z.kind == "U"} - edges
            if not more:
                return edges
            edges |= more

    def is_acquire(self, op):
        return op.sem in ACQUIRING or (self.upgraded == op.thread and op.strong and op.reads)

    # 8.8: pairs (first operation, the write) of the release patterns, (the read, last operation) of the acquire patterns.
    def release_patterns(self):
        for op in self.ops:
            if op.kind not in "FB" and op.writes and op.sem in RELEASING:
                yield op, op
            for later in self.program[op.thread][op.index + 1:]:
                if not (later.writes and later.strong):
                    continue
                if op.kind == "F" and op.sem in RELEASING:
                    yield op, later
                elif op.kind not in "FB" and op.writes and op.sem in RELEASING and op.var == later.var:
                    yield op, later

    def acquire_patterns(self):
        for op in self.ops:
            if op.kind not in "FB" and op.reads and self.is_acquire(op):
                yield op, op
            for earlier in self.program[op.thread][:op.index]:
                if not (earlier.reads and earlier.strong):
                    continue
                if op.kind == "F" and op.sem in ACQUIRING:
                    yield earlier, op
                elif op.kind not in "FB" and op.reads and self.is_acquire(op) and op.var == earlier.var:
                    yield earlier, op

    # 8.9.4
    def synchronizes(self):
        edges = {(first, last) for first, write in self.release_patterns() for read, last in self.acquire_patterns()
                 if (write, read) in self.observation and self.morally_strong(first, last)}
        for i, a in enumerate(self.sc_order):
            edges |= {(a, b) for b in self.sc_order[i + 1:] if self.morally_strong(a, b)}
        return edges

    def barriers(self):
        edges = set()
        for a, b in itertools.permutations([op for op in self.ops if op.kind == "B"], 2):
            same = self.blocks[a.thread] == self.blocks[b.thread] and a.thread != b.thread
            number = [sum(op.kind == "B" for op in self.program[x.thread][:x.index]) for x in (a, b)]
            if same and number[0] == number[1]:
                edges.add((a, b))
        return edges

    # 8.10: no read observes what happens after it, or what was overwritten before it.
    def consistent(self):
        for read, write in self.source.items():
            if write is not None and (read, write) in self.causality:
                return False
            for other in self.ops:
                if other is write or not other.writes or other.var != read.var or (other, read) not in self.causality:
                    continue
                if other is not read and (write is None or (write, other) in self.causality):
                    return False
        return True

    # 8.7.1
    def races(self):
        for a, b in itertools.combinations(self.ops, 2):
            if a.thread == b.thread or not a.var or a.var != b.var or not (a.writes or b.writes):
                continue
            if not self.morally_strong(a, b) and (a, b) not in self.causality and (b, a) not in self.causality:
                yield a, b


def values(program, source):
    """What each read reads, or None if the waits are not satisfied (or values come out of thin air)."""
    known = {}

    def written(op, path):
        if op is None:
            return 0
        if op.kind == "W" or not op.adds:
            return op.value
        return read(op, path) + (0 if op.waits else op.value)

    def read(op, path):
        if op in path:
            raise RecursionError
        if op not in known:
            known[op] = written(source[op], path | {op})
        return known[op]

    try:
        for op in source:
            if op.waits and read(op, frozenset()) != op.value:
                return None
    except RecursionError:
        return None
    return known


def executions(program, blocks):
    ops = [op for thread in program for op in thread]
    readers = [op for op in ops if op.reads]
    choices = [[None] + [w for w in ops if w.writes and w.var == r.var and w is not r and not (w.thread == r.thread and w.index > r.index)]
               for r in readers]
    fences = [op for op in ops if op.kind == "F" and op.sem == "sc"]
    for chosen in itertools.product(*choices):
        source = dict(zip(readers, chosen))
        updates = [w for r, w in source.items() if r.kind == "U" and w is not None and not r.waits]
        if len(set(updates)) != len(updates) or values(program, source) is None:  # 8.10.3: atomicity
            continue
        for order in itertools.permutations(fences):
            if any(a.thread == b.thread and a.index > b.index for i, a in enumerate(order) for b in order[i + 1:]):
                continue
            execution = Execution(program, blocks, source, order)
            if execution.consistent():
                yield execution


def rule(execution, a, b, space):
    """The name that the tool has for this race."""
    if a.strong and b.strong:
        return "race-scope"
    wide = Execution(execution.program, execution.blocks, execution.source, execution.sc_order, wide=True)
    if (a, b) in wide.base or (b, a) in wide.base:
        return "race-scope"
    for one in (a, b):
        better = Execution(execution.program, execution.blocks, execution.source, execution.sc_order, acquiring_thread=one.thread)
        other = b if one is a else a
        if (other, one) in better.base:
            return "missing-acquire"
    return "race-" + space


def judge(threads, blocks, space):
    """(races of every execution, races of some execution): sets of (rule, variable); and how many executions there are."""
    program = parse(threads)
    must, may, count = None, set(), 0
    for execution in executions(program, blocks):
        found = {(rule(execution, a, b, space), a.var) for a, b in execution.races()}
        must = found if must is None else must & found
        may |= found
        count += 1
    return must or set(), may, count


def self_test():
    message = [["st x 1", "st.release.gpu y 1"], ["wait.acquire.gpu y 1", "ld x"]]
    assert judge(message, [0, 1], "global") == (set(), set(), 1)
    relaxed = [message[0], ["wait.relaxed.gpu y 1", "ld x"]]
    assert judge(relaxed, [0, 1], "global")[0] == {("missing-acquire", "x")}
    block = [[text.replace("gpu", "cta") for text in thread] for thread in message]
    assert judge(block, [0, 0], "shared")[0] == set()
    assert judge(block, [0, 1], "global")[0] == {("race-scope", "y"), ("race-scope", "x")}
    assert judge([["st x 1"], ["ld x"]], [0, 1], "global")[0] == {("race-global", "x")}
    assert judge([["st x 1", "bar"], ["bar", "ld x"]], [0, 0], "shared")[1] == set()
    # A chain of updates extends a release; another thread's plain strong store ends it.
    chain = [["st x 1", "exch.release.gpu y 1"], ["wait.relaxed.gpu y 1", "add.relaxed.gpu y 1"], ["wait.acquire.gpu y 2", "ld x"]]
    assert judge(chain, [0, 1, 2], "global")[1] == set()
    broken = [chain[0], ["wait.relaxed.gpu y 1", "st.relaxed.gpu y 2"], chain[2]]
    assert judge(broken, [0, 1, 2], "global")[0] == {("race-global", "x")}


if __name__ == "__main__":
    self_test()
    print("ok")
