"""The litmus tests, as one table. ptx_model.py explains the words and says which of them race; nothing is expected by hand
but the rows marked with a verdict, which hold the model itself to the manual.

PUT y 1 and GET y 1 stand for the ways to set a flag and to wait for it; {s} in a shape is the scope.
"""

PUT = {  # how a thread tells others: 8.8, release patterns
    "plain": "st {v}",
    "volatile": "st.volatile {v}",
    "relaxed": "st.relaxed.{s} {v}",
    "release": "st.release.{s} {v}",
    "fence": "fence.acq_rel.{s}; st.relaxed.{s} {v}",
    "sc": "fence.sc.{s}; st.relaxed.{s} {v}",
    "fencevol": "fence.sc.{s}; st.volatile {v}",  # __threadfence(); *(volatile int*)flag = 1;
    "late": "st.relaxed.{s} {v}; fence.acq_rel.{s}",
    "exch": "exch.release.{s} {v}",
    "exchrel": "exch.relaxed.{s} {v}",
    "fencered": "fence.acq_rel.{s}; exch.relaxed.{s} {v}",  # __threadfence(); atomicExch(flag, 1);
    "twice": "st.release.{s} {name} 7; st.relaxed.{s} {v}",  # a release on M, then a strong write on M
}
GET = {  # how a thread learns of it: 8.8, acquire patterns
    "plain": "wait {v}",
    "volatile": "wait.volatile {v}",
    "relaxed": "wait.relaxed.{s} {v}",
    "acquire": "wait.acquire.{s} {v}",
    "fence": "wait.relaxed.{s} {v}; fence.acq_rel.{s}",
    "fencevol": "wait.volatile {v}; fence.sc.{s}",
    "early": "fence.acq_rel.{s}; wait.relaxed.{s} {v}",
    "update": "waitadd.acquire.{s} {v}",  # while (atomicAdd(flag, 0) != 1), with acquire
    "twice": "wait.relaxed.{s} {v}; ld.acquire.{s} {name}",  # a strong read on M, then an acquire on M
}
MAIN = [("release", "acquire"), ("fence", "fence"), ("fencevol", "fencevol"), ("relaxed", "relaxed"), ("release", "relaxed"), ("relaxed", "acquire")]

# Where the threads of a test are: (block, warp, lane) each. A place says the space as well.
PLACES = {
    "lanes_shared": ("shared", [(0, 0, t) for t in range(4)]),
    "warps_shared": ("shared", [(0, t, 0) for t in range(4)]),
    "lanes_global": ("global", [(0, 0, t) for t in range(4)]),
    "warps_global": ("global", [(0, t, 0) for t in range(4)]),
    "blocks": ("global", [(t, 0, 0) for t in range(4)]),
    "pairs": ("global", [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]),  # two in each of two blocks
}
SCOPES = ["cta", "gpu", "sys"]

# name: (threads, what the manual's section is about)
SHAPES = {
    "MP": (["st x 1; PUT y 1", "GET y 1; ld x"], "message passing: 8.9.4 and 8.9.5"),
    "S": (["st x 2; PUT y 1", "GET y 1; st x 1"], "as MP, and the second thread writes: 8.9.5"),
    "LB": (["ld x; PUT y 1", "GET y 1; st x 1"], "as MP, and the first thread reads: 8.9.5"),
    "WRC": (["st x 1; PUT y 1", "GET y 1; PUT z 1", "GET z 1; ld x"], "write-to-read causality: 8.9.5 is transitive"),
    "R": (["st x 1; PUT y 1", "PUT y 2; ld x"], "a write does not observe a write: 8.9.2"),
    "IRIW": (["st x 1; PUT y 1", "st u 1; PUT z 1", "GET y 1; ld x", "GET z 1; ld u"], "independent reads of independent writes"),
    "ISA2": (["st x 1; PUT y 1", "GET y 1; st u 1; PUT z 1", "GET z 1; ld u; ld x"], "a chain hands on what came before: 8.9.5"),
    "LOCK": (["waitadd.acquire.{s} y 0; st x 1; PUT y 1", "GET y 1; ld x; st x 2; PUT y 2", "GET y 2; ld x"], "critical sections, one after another"),
    "CHAIN": (["st x 1; PUT y 1", "wait.relaxed.{s} y 1; add.relaxed.{s} y 1", "GET y 2; ld x"], "8.9.2: updates extend what they observe"),
    "ENDED": (["st x 1; PUT y 1", "wait.relaxed.{s} y 1; st.relaxed.{s} y 2", "GET y 2; ld x"], "8.9.2: another thread's store does not"),
    "OWN": (["st x 1; PUT y 1; st.relaxed.{s} y 2", "GET y 2; ld x"], "8.8: release, then a strong write of the same thread"),
    "AFTER": (["PUT y 1; st x 1", "GET y 1; ld x"], "what comes after the release is not covered"),
    "BEFORE": (["st x 1; PUT y 1", "ld x; GET y 1"], "nor what comes before the acquire"),
    "CUM": (["st x 1; bar", "bar; PUT y 1", "GET y 1; bar", "bar; ld x"], "8.9.5: over barriers as over flags"),
}

# All strong, {o} being the qualifiers; or all weak. They race unless each scope includes the other thread (8.7, 8.7.1).
STRENGTHS = {"weak": "", "volatile": ".volatile", "relaxed": ".relaxed.{s}"}
COHERENCE = {
    "SB": (["st{o} x 1; ld{o} y", "st{o} y 1; ld{o} x"], "store buffering"),
    "SBF": (["st{o} x 1; fence.sc.{s}; ld{o} y", "st{o} y 1; fence.sc.{s}; ld{o} x"], "a fence.sc orders in one of two ways"),
    "LB": (["ld{o} x; st{o} y 1", "ld{o} y; st{o} x 1"], "load buffering"),
    "MP": (["st{o} x 1; st{o} y 1", "ld{o} y; ld{o} x"], "unordered, and atomic if strong"),
    "S": (["st{o} x 2; st{o} y 1", "ld{o} y; st{o} x 1"], ""),
    "R": (["st{o} x 1; st{o} y 1", "st{o} y 2; ld{o} x"], ""),
    "CoRR": (["st{o} x 1", "ld{o} x; ld{o} x"], "coherence: 8.10.1"),
    "CoWW": (["st{o} x 1; st{o} x 2", "st{o} x 3"], "coherence: 8.10.1"),
    "CoWR": (["st{o} x 1; ld{o} x", "st{o} x 2"], "coherence: 8.10.1"),
    "WRC": (["st{o} x 1", "ld{o} x; st{o} y 1", "ld{o} y; ld{o} x"], ""),
    "IRIW": (["st{o} x 1", "st{o} y 1", "ld{o} x; ld{o} y", "ld{o} y; ld{o} x"], ""),
    "ADD": (["add.relaxed.{s} x 1", "add.relaxed.{s} x 1", "ld{o} x"], "updates are atomic to each other: 8.10.3"),
}
# One thread weak, the other strong: never morally strong.
MIXED = {
    "HALF": (["st x 1", "ld.relaxed.{s} x"], "8.7: both must be strong"),
    "HALFW": (["st.relaxed.{s} x 1", "st x 2"], "8.7: both must be strong"),
    "SEEN": (["st.relaxed.{s} x 1", "wait.relaxed.{s} x 1; st x 2"], "8.9.5: what was observed comes before what follows"),
    "HALFU": (["add.relaxed.{s} x 1", "ld x"], "8.7: both must be strong"),
}

# A thread that polls may acquire from the value that another test would have it miss: what races in the executions of
# the model need not race in the one that was seen.
POLLED = {("ENDED", "warps_shared")}

# Where the checker follows CUDA C++, which is stricter: a plain access behind a relaxed read of the same place races with
# the atomic write that was read ([intro.races]: reading a value orders nothing without acquire and release).
STRICTER = {"SEEN": lambda test: {("race-" + test.space, "x")}}

# Rows that hold the model itself to the manual: its verdict for x must be the one that stands here.
HELD = {
    ("MP_release_acquire_gpu", "blocks"): "none",
    ("MP_release_acquire_cta", "blocks"): "race-scope",
    ("MP_release_acquire_cta", "warps_shared"): "none",
    ("MP_fence_fence_gpu", "blocks"): "none",
    ("MP_fencevol_fencevol_gpu", "blocks"): "none",
    ("MP_release_relaxed_gpu", "blocks"): "missing-acquire",
    ("MP_relaxed_acquire_gpu", "blocks"): "race-global",
    ("MP_relaxed_acquire_cta", "warps_shared"): "race-shared",
    ("MP_late_fence_gpu", "blocks"): "race-global",
    ("MP_twice_acquire_gpu", "blocks"): "none",
    ("WRC_release_acquire_gpu", "pairs"): "none",
    ("WRC_release_relaxed_gpu", "blocks"): "race-global",
    ("S_release_acquire_gpu", "blocks"): "none",
    ("R_release_acquire_gpu", "blocks"): "race-global",
    ("CHAIN_release_acquire_gpu", "blocks"): "none",
    ("ENDED_release_acquire_gpu", "blocks"): "race-global",
    ("OWN_release_acquire_gpu", "blocks"): "none",
    ("CUM_release_acquire_gpu", "pairs"): "none",
    ("AFTER_release_acquire_gpu", "blocks"): "race-global",
    ("SB_weak_gpu", "blocks"): "race-global",
    ("SB_relaxed_gpu", "blocks"): "none",
    ("IRIW_relaxed_cta", "blocks"): "race-scope",
    ("CoRR_volatile_gpu", "blocks"): "none",
    ("HALF_gpu", "blocks"): "race-global",
}


class Test:
    def __init__(self, name, place, threads, api="ptx"):
        self.shape, self.place, self.api = name, place, api
        self.name = f"{name}__{place}" + ("" if api == "ptx" else "__ref")
        self.space, at = PLACES[place]
        self.at = at[:len(threads)]
        self.threads = threads

    @property
    def blocks(self):
        return [block for block, _, _ in self.at]


def expand(thread, put, get, put_scope, get_scope):
    ops = []
    for part in thread.split(";"):
        part = part.strip()
        word, _, rest = part.partition(" ")
        if word in ("PUT", "GET"):
            pattern, scope = (PUT[put], put_scope) if word == "PUT" else (GET[get], get_scope)
            ops += [text.strip() for text in pattern.format(v=rest, name=rest.split()[0], s=scope).split(";")]
        else:
            ops.append(part.format(s=get_scope))
    return ops


def flagged(shape, put, get, scope, place, get_scope=None, api="ptx"):
    threads = [expand(thread, put, get, scope, get_scope or scope) for thread in SHAPES[shape][0]]
    name = f"{shape}_{put}_{get}_{scope}" + (f"_{get_scope}" if get_scope else "")
    return Test(name, place, threads, api)


def tests():
    for put in PUT:  # every way to tell with every way to learn
        for get in GET:
            yield flagged("MP", put, get, "gpu", "blocks")
            if get in ("acquire", "fence", "relaxed", "plain"):
                yield flagged("MP", put, get, "cta", "warps_shared")
    for scope in SCOPES:  # that need not be the same on both sides
        for get_scope in SCOPES:
            for place in ["lanes_shared", "warps_global", "blocks"]:
                yield flagged("MP", "release", "acquire", scope, place, get_scope)
            yield flagged("MP", "fence", "fence", scope, "blocks", get_scope)
    for shape in SHAPES:
        for place in ["blocks", "pairs", "warps_shared"]:
            if shape == "CUM" and place != "pairs":
                continue
            for scope in ["cta", "gpu"]:
                yield flagged(shape, "release", "acquire", scope, place)
            if place != "warps_shared":
                yield flagged(shape, "fence", "fence", "gpu", place)
                if shape != "CUM":  # a barrier hands pending reads on under --model cuda: another name for the race
                    yield flagged(shape, "release", "relaxed", "gpu", place)
                yield flagged(shape, "relaxed", "acquire", "gpu", place)
    for shape, (threads, _) in COHERENCE.items():
        for strength, o in STRENGTHS.items():
            for scope in ["cta", "gpu"] if strength == "relaxed" else ["gpu"]:
                for place in ["blocks", "warps_shared"]:
                    yield Test(f"{shape}_{strength}_{scope}", place, plain(threads, o, scope))
    for shape, (threads, _) in MIXED.items():
        for scope in SCOPES:
            for place in ["blocks", "warps_shared"]:
                yield Test(f"{shape}_{scope}", place, plain(threads, "", scope))


def reference_tests():
    """The same in CUDA C++: cuda::atomic_ref and cuda::atomic_thread_fence."""
    for shape in ["MP", "S", "WRC", "CHAIN"]:
        for put, get in [("release", "acquire"), ("fence", "fence"), ("release", "relaxed"), ("relaxed", "acquire")]:
            yield flagged(shape, put, get, "gpu", "blocks", api="ref")
            yield flagged(shape, put, get, "cta", "warps_shared", api="ref")
    yield flagged("MP", "release", "acquire", "cta", "blocks", api="ref")
    yield flagged("MP", "exch", "update", "gpu", "blocks", api="ref")
    yield flagged("MP", "release", "acquire", "sys", "blocks", api="ref")


def plain(threads, o, scope):
    return [[part.strip().format(o=o.format(s=scope), s=scope) for part in thread.split(";")] for thread in threads]


def unique(generated):
    seen = {}
    for test in generated:
        seen.setdefault(test.name, test)
    return list(seen.values())
