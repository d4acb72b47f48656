#!/usr/bin/env python3
"""What continuous integration builds on: exit codes, SARIF, suppressions, baselines, merging, whole files.

TOLLGATE, FAKE_PROGRAM and FAKE_RUNTIME name what is tested (see CMakeLists.txt); SARIF_SCHEMA may name the official
schema.
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import sarif_check

TOLLGATE, PROGRAM, RUNTIME = (os.environ[name] for name in ("TOLLGATE", "FAKE_PROGRAM", "FAKE_RUNTIME"))
SCHEMA = os.environ.get("SARIF_SCHEMA")
SOURCE = "__global__ void guarded(int* data, int n) {\n  if (threadIdx.x < n)\n    __syncthreads();\n}\n"


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()
        (self.folder / ".git").mkdir()  # the root for relative paths

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def tollgate(self, *words, **options):
        return subprocess.run([TOLLGATE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                              cwd=self.folder, check=False, **options)

    def check(self, *words, **options):
        """Options of the tool, then "do" and what the fake program does."""
        at = words.index("do")
        does = [*words[at + 1:], "kernel=k", "finish"]
        return self.tollgate("check", "--runtime-dir", RUNTIME, *words[:at], PROGRAM, *does, **options)

    def report(self, *words):
        return json.loads(self.check("--format", "json", *words).stdout)

    def expect(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stdout + result.stderr)


class FailOn(Case):
    def test_rules(self):
        race = ["do", "rule=race-shared", "find=error"]
        self.expect(self.check("--fail-on", "race-shared", *race), 99)
        self.expect(self.check("--fail-on", "race-*", *race), 99)
        self.expect(self.check("--fail-on", "barrier-*", *race), 0, "error[race-shared]")
        self.expect(self.check("--fail-on", "race-same-value,error", *race), 99)

    def test_a_rule_counts_whatever_its_severity(self):
        note = ["do", "rule=race-cas-guess", "find=note"]
        self.expect(self.check("--fail-on", "error,race-cas-guess", *note), 99)
        self.expect(self.check("--fail-on", "error", *note), 0)
        self.expect(self.check("--fail-on", "note", *note), 99)

    def test_nonsense_is_refused_before_anything_runs(self):
        for text, said in (("race-sharde", "did you mean race-shared"), ("", "neither a severity nor a rule"),
                           ("error,warning", "two severities"), ("never,error", "never stands alone"), ("error,,", "neither")):
            with self.subTest(text=text):
                self.expect(self.check("--fail-on", text, "do", "print=ran"), 2, said)
                self.assertNotIn("ran", self.check("--fail-on", text, "do", "print=ran").stdout)


class Suppressions(Case):
    def setUp(self):
        super().setUp()
        self.source = self.write("src/a.cu", SOURCE)
        self.does = ["do", f"file={self.source}", "line=3", "find=error"]

    def with_file(self, text, *more):
        return self.check("--suppressions", self.write("t.supp", text), *more, *self.does)

    def test_by_place_and_kernel(self):
        for entry in ("at = src/a.cu:3", "at = a.cu", "at = a.cu:1-3", "kernel = guarded*", "kernel = *", "kernel = guarded(*)\nat = a.cu:3"):
            with self.subTest(entry=entry):
                result = self.with_file(f"# ours\n[barrier-divergent]\n{entry}\nreason = known to be right # really\n")
                self.expect(result, 0, "clean", "1 suppressed")
                self.assertNotIn("error[", result.stderr)

    def test_other_places_stay(self):
        for entry in ("at = src/a.cu:4", "at = c/a.cu", "at = rc/a.cu", "kernel = other*"):
            with self.subTest(entry=entry):
                result = self.with_file(f"[barrier-divergent]\n{entry}\nreason = x\n")
                self.expect(result, 99, "error[barrier-divergent]", "t.supp:1: this suppression of barrier-divergent matched nothing")

    def test_reports_carry_what_was_suppressed(self):
        self.write("t.supp", "[barrier-divergent]\nat = a.cu\nreason = as designed\n")
        report = self.report("--suppressions", "t.supp", *self.does)
        self.assertEqual((report["findings"], report["verdict"], report["exit"]), ([], "clean", 0))
        self.assertEqual(report["suppressed"][0]["suppression"], {"in_source": False, "by": "t.supp:1", "reason": "as designed"})
        self.expect(self.check("--verbose", "--suppressions", "t.supp", *self.does), 0, "as designed (t.supp:1)")

    def test_malformed_files(self):
        for text, place, said in (("at = a.cu\n", "t.supp:1:1", "before the first rule"),
                                  ("[barrier-divergnt]\n", "t.supp:1:1", "did you mean barrier-divergent?"),
                                  ("[race-shared\n", "t.supp:1:1", "not closed"),
                                  ("[race-shared]\nkernel = x\n", "t.supp:1", "gives no reason"),
                                  ("\n[race-shared]\nreason = x\n[race-global]\n", "t.supp:2", "neither which kernel nor which place"),
                                  ("[race-shared]\n  place = x\n", "t.supp:2:3", "the keys are kernel, at and reason"),
                                  ("[race-shared]\nat =\n", "t.supp:2", "value of at is missing"),
                                  ("[race-shared]\nat = a.cu:x\n", "t.supp:2:6", "FILE:FIRST-LAST"),
                                  ("[race-shared]\nat = a.cu:9-3\n", "t.supp:2:6", "FILE:FIRST-LAST"),
                                  ("[race-shared]\nnonsense\n", "t.supp:2:1", "key = value"),
                                  ("[race-shared]\nat = a\nat = b\n", "t.supp:3:1", "stands twice"),
                                  ("[not-modelled]\n", "t.supp:1:1", "--kernel")):
            with self.subTest(text=text):
                result = self.with_file(text)
                self.expect(result, 2, place, said, "help:")
        self.expect(self.check("--suppressions", "missing", *self.does), 2, "cannot read missing")


class InSource(Case):
    def finding_at(self, text, line, rule="barrier-divergent"):
        source = self.write("a.cu", text)
        return self.check("do", f"file={source}", f"line={line}", f"rule={rule}", "find=error")

    def test_on_the_line_or_alone_above_it(self):
        self.expect(self.finding_at("x\n  f(); // tollgate: allow barrier-divergent it is fine\n", 2), 0, "1 suppressed")
        self.expect(self.finding_at("x\n  // tollgate: allow race-shared,barrier-divergent it is fine\n  f();\n", 3), 0)
        self.expect(self.finding_at("g(); // tollgate: allow barrier-divergent it is fine\nf();\n", 2), 99)
        self.expect(self.finding_at("f(); // tollgate: allow race-shared it is fine\n", 1), 99)

    def test_the_reason_reaches_the_report(self):
        source = self.write("a.cu", "f(); // tollgate: allow barrier-divergent all come, see the caller\n")
        report = self.report("do", f"file={source}", "line=1", "find=error")
        self.assertEqual(report["suppressed"][0]["suppression"],
                         {"in_source": True, "by": f"{source}:1", "reason": "all come, see the caller"})

    def test_malformed_comments_suppress_nothing_and_say_so(self):
        for comment, said in (("allow barrier-divergent", "the reason is missing"), ("allow", "the rule is missing"),
                              ("allow barrier-divergnt why", "did you mean barrier-divergent"),
                              ("allow not-modelled why", "verdict is incomplete")):
            with self.subTest(comment=comment):
                self.expect(self.finding_at(f"f(); // tollgate: {comment}\n", 1), 99, said, "a.cu:1:")


class Baseline(Case):
    def setUp(self):
        super().setUp()
        self.source = self.write("a.cu", SOURCE + SOURCE.replace("guarded", "second"))

    def does(self, *lines):
        return ["do", f"file={self.source}"] + [word for line in lines for word in (f"line={line}", "find=error")]

    def test_only_new_findings_fail(self):
        for form in ("json", "sarif"):
            with self.subTest(form=form):
                base = self.folder / f"base.{form}"
                self.expect(self.check("--format", form, "-o", base, *self.does(3)), 99)
                same = self.check("--baseline", base, *self.does(3))
                self.expect(same, 0, "verdict: findings", "1 error (1 known)")
                self.assertNotIn("error[", same.stderr)
                more = self.check("--baseline", base, *self.does(3, 2))
                self.expect(more, 99, "a.cu:2", "2 errors (1 known)")
                self.assertNotIn("a.cu:3", more.stderr)
                self.expect(self.check("--baseline", base, *self.does(2)), 99, "1 finding of the baseline")

    def test_code_that_moved_is_still_known(self):
        base = self.folder / "base.json"
        self.check("--format", "json", "-o", base, *self.does(3))
        self.source.write_text("// a line more\n" + self.source.read_text())
        self.expect(self.check("--baseline", base, *self.does(4)), 0)
        self.expect(self.check("--baseline", base, *self.does(3)), 99)

    def test_equal_lines_are_counted(self):
        self.source.write_text("f();\nf();\n")
        base = self.folder / "base.json"
        self.check("--format", "json", "-o", base, *self.does(1))
        self.expect(self.check("--baseline", base, *self.does(1, 2)), 99)

    def test_a_baseline_can_be_renewed_in_place(self):
        base = self.folder / "base.json"
        self.check("--format", "json", "-o", base, *self.does(3))
        self.check("--format", "json", "--baseline", base, "-o", base, *self.does(3, 2))
        self.expect(self.check("--baseline", base, *self.does(3, 2)), 0)

    def test_malformed_baselines(self):
        for text, said in (("", "not JSON"), ("[]", "no report of tollgate"), ("{}", "no report of tollgate"),
                           ('{"schema": 5}', "of another form"), ('{"schema": "tollgate-findings/1", "findings": [{}]}', "fingerprint"),
                           ('{"schema": "tollgate-findings/1", "findings": 7}', "of another form"), ('{"runs": [{"results": [{}]}]}', "fingerprint")):
            with self.subTest(text=text):
                self.expect(self.check("--baseline", self.write("bad.json", text), *self.does(3)), 2, "bad.json", said, "help:")
        self.expect(self.check("--baseline", "none.json", *self.does(3)), 2, "cannot read none.json")


class Sarif(Case):
    def log(self, *words):
        result = self.check("--format", "sarif", *words)
        log = json.loads(result.stdout)
        self.assertEqual(sarif_check.complaints(log), [])
        if SCHEMA:
            self.assertEqual(sarif_check.schema_complaints(log, SCHEMA), [])
        return log["runs"][0]

    def test_result(self):
        source = self.write("src/with space.cu", "\t/* ä */ if (x) __syncthreads();\n" + SOURCE)
        run = self.log("do", f"file={source}", "line=4", "find=error", "find=error", "line=1", "find=warning")
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]][0], "barrier-divergent")
        error, warning = run["results"]
        self.assertEqual((error["ruleId"], error["level"], error["occurrenceCount"]), ("barrier-divergent", "error", 2))
        place = error["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "src/with%20space.cu", "uriBaseId": "SRCROOT", "index": 0})
        self.assertEqual((place["region"]["startLine"], place["region"]["startColumn"], place["region"]["endColumn"]), (4, 5, 18))
        self.assertEqual(error["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "guarded(int*, int)")
        self.assertEqual(warning["level"], "warning")
        self.assertEqual(run["invocations"][0], {"executionSuccessful": True, "exitCode": 99})

    def test_files_outside_and_no_files_at_all(self):
        run = self.log("do", "file=/elsewhere/ä.cu", "line=3", "find=error")
        self.assertEqual(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///elsewhere/%C3%A4.cu")
        self.assertEqual(self.log("do", "line=1")["results"], [])

    def test_suppressed_known_and_incomplete(self):
        source = self.write("a.cu", SOURCE.replace("__syncthreads();", "__syncthreads(); // tollgate: allow barrier-divergent why not"))
        base = self.folder / "base.json"
        self.check("--format", "json", "-o", base, "do", f"file={source}", "line=2", "find=error")
        run = self.log("--baseline", base, "do", f"file={source}", "line=2", "find=error", "line=3", "find=error", "line=1", "find=error",
                       "incomplete=something [was](1) left out")
        new, known, suppressed = run["results"]
        self.assertEqual((new["baselineState"], known["baselineState"]), ("new", "unchanged"))
        self.assertEqual((suppressed["suppressions"][0]["kind"], suppressed["suppressions"][0]["justification"]), ("inSource", "why not"))
        self.assertFalse(run["invocations"][0]["executionSuccessful"])

    def test_the_check_itself(self):
        good = json.loads(self.check("--format", "sarif", "do", "find=error").stdout)

        def broken(change):
            log = json.loads(json.dumps(good))
            change(log["runs"][0])
            return sarif_check.complaints(log)

        for change in (lambda run: run.pop("tool"), lambda run: run["results"][0].pop("message"), lambda run: run.update(extra=1),
                       lambda run: run["results"][0].update(ruleIndex=1), lambda run: run["results"][0].update(level="fatal"),
                       lambda run: run["results"][0]["message"].update(text="see [there](4)"),
                       lambda run: run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b.cu"),
                       lambda run: run["results"][0]["locations"][0]["physicalLocation"]["region"].update(startColumn=0)):
            self.assertNotEqual(broken(change), [])


class Merge(Case):
    def part(self, name, *does, options=(), form="json"):
        path = self.folder / name
        self.check("--format", form, "-o", path, *options, "do", *does)
        return path

    def test_counts_add_up(self):
        one = self.part("1.json", "find=error", "find=error")
        two = self.part("2.sarif", "find=error", "line=4", "find=warning", form="sarif")
        result = self.tollgate("merge", "--format", "json", one, two)
        self.assertEqual(result.returncode, 99, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([(finding["rule"], finding["count"]) for finding in report["findings"]],
                         [("barrier-divergent", 3), ("barrier-early-exit", 1)])
        self.assertEqual(report["kernels"], [{"name": "k", "launches": 4, "threads": 1024, "fidelity": "exact"}])
        log = json.loads(self.tollgate("merge", "--format", "sarif", one, two).stdout)
        self.assertEqual(sarif_check.complaints(log), [])

    def test_decisions_apply_to_the_whole(self):
        one, two = self.part("1.json", "find=error"), self.part("2.json", "line=4", "find=error")
        self.expect(self.tollgate("merge", "--baseline", one, one, two), 99, "2 errors (1 known)")
        self.expect(self.tollgate("merge", "--fail-on", "race-*", one, two), 0)
        self.write("s", "[barrier-divergent]\nkernel = *\nreason = x\n")
        self.expect(self.tollgate("merge", "--suppressions", "s", one, two), 0, "clean", "2 suppressed")

    def test_all_shards_must_be_there(self):
        parts = [self.part(f"{i}.json", "print=x", options=("--shard", f"{i}/3")) for i in (1, 2, 3)]
        self.expect(self.tollgate("merge", *parts), 0, "clean")
        self.expect(self.tollgate("merge", parts[0], parts[2]), 98, "shard 2/3 is missing")

    def test_what_a_killed_run_left(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        process = subprocess.Popen([TOLLGATE, "check", "--runtime-dir", RUNTIME, PROGRAM, "find=error", "print=ready", "sleep=30"],
                                   stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(scratch)})
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.kill()
        process.wait()
        process.stdout.close()
        left, = scratch.glob("tollgate-*/*.jsonl")
        self.expect(self.tollgate("merge", left), 99, "error[barrier-divergent]", "ended without its summary")

    def test_malformed_reports(self):
        for text in ("", "x", "[]", "{}", '{"schema":"tollgate-findings/1","findings":5}', '{"runs":[]}', '{"runs":[{"results":[]}]}',
                     '{"kind":"process"}\nx\ny\n'):
            with self.subTest(text=text):
                self.expect(self.tollgate("merge", self.write("bad", text)), 2, "bad", "help:")
        self.expect(self.tollgate("merge"), 2, "no report was given")
        self.expect(self.tollgate("merge", "none"), 2, "cannot read none")

    def test_schedules(self):
        said = self.report("--schedules", "3", "do", "rule=race-shared", "find=error")
        self.assertEqual([finding["count"] for finding in said["findings"]], [3])
        self.assertEqual([kernel["launches"] for kernel in said["kernels"]], [6])  # two in each run
        self.assertEqual(self.check("--schedules", "2", "do", "print=ran").stdout.count("ran"), 2)
        for text in ("0", "-1", "x", "1001"):
            self.expect(self.check("--schedules", text, "do", "print=ran"), 2, "--schedules")
        for text in ("", "C", "ptx "):
            self.expect(self.check("--model", text, "do", "print=ran"), 2, "--model")
        self.expect(self.check("--model", "ptx", "do", "print=ran"), 0, "ran")

    def test_shard_syntax(self):
        for text in ("0/4", "5/4", "1", "1/", "/4", "a/b", "1/4x", "-1/4"):
            self.expect(self.check("--shard", text, "do", "print=ran"), 2, "--shard")


class Bounds(Case):
    def test_thousands_of_findings(self):
        report = self.report("do", "lines=5000")
        self.assertEqual((len(report["findings"]), report["dropped"]), (1000, 4000))
        self.expect(self.check("do", "lines=5000"), 99, "4,000 occurrences")

    def test_notes_do_not_push_an_error_out(self):
        report = self.report("do", "rule=race-shared", "lines=1500", "rule=", "line=1", "find=warning")
        self.assertEqual(report["findings"][-1]["severity"], "warning")

    def test_verbose(self):
        quiet = self.check("do", "details", "find=error")
        self.expect(quiet, 99, "--verbose shows")
        self.assertNotIn("waiting at barrier 1", quiet.stderr)
        self.expect(self.check("--verbose", "do", "details", "find=error"), 99, "state: threads 0-31: waiting at barrier 1 for 64 threads")


class WholeFiles(Case):
    def test_a_full_disk_loses_nothing(self):
        for form in ("text", "json", "sarif"):
            with self.subTest(form=form):
                result = self.check("--format", form, "-o", "/dev/full", "do", "find=error")
                self.expect(result, 97, "No space left", "error[barrier-divergent]")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([TOLLGATE, "check", "--format", "json", "--runtime-dir", RUNTIME, PROGRAM, "find=error", "finish"],
                                    stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 97)
        self.assertIn("error[barrier-divergent]", result.stderr)

    def limited(self):
        # A file limit fails like a full disk, and needs none.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    def test_half_a_file_is_never_left(self):
        out = self.write("out.json", "the old report")
        result = self.check("--format", "json", "-o", out, "do", "lines=20", preexec_fn=self.limited)
        self.expect(result, 97)
        self.assertEqual(out.read_text(), "the old report")
        self.assertEqual(sorted(os.listdir(self.folder)), [".git", "out.json"])

    def test_findings_survive_where_the_program_cannot_write_them(self):
        result = self.check("do", "lines=40", preexec_fn=self.limited)
        self.assertIn("guarded.cu:40:5", result.stderr)
        self.assertIn("cannot write the report", result.stderr)
        self.assertEqual(result.returncode, 99)

    def test_links_and_modes_stay(self):
        target, link = self.write("target.txt", "old"), self.folder / "link.txt"
        target.chmod(0o640)
        link.symlink_to(target)
        self.check("-o", link, "do", "find=error")
        self.assertTrue(link.is_symlink())
        self.assertIn("barrier-divergent", target.read_text())
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)

    def test_devices_are_written_to(self):
        self.expect(self.check("-o", "/dev/stdout", "do", "find=error"), 99, "barrier-divergent")

    def test_a_place_that_cannot_be_written_is_refused_first(self):
        for path in ("/nonexistent/x", self.folder):
            result = self.check("-o", path, "do", "print=ran")
            self.expect(result, 97, str(path))
            self.assertNotIn("ran", result.stdout)

    def test_interrupts_while_running(self):
        out = self.folder / "out.json"
        process = subprocess.Popen([TOLLGATE, "check", "--runtime-dir", RUNTIME, "--format", "json", "-o", out, PROGRAM, "find=error",
                                    "print=ready", "sleep=30"], stdout=subprocess.PIPE, text=True, cwd=self.folder)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        report = json.loads(out.read_text())
        self.assertEqual((report["findings"][0]["rule"], process.returncode), ("barrier-divergent", 99))
        self.assertEqual(sorted(os.listdir(self.folder)), [".git", "out.json"])

    def test_a_killed_program(self):
        begin = time.monotonic()
        result = self.check("--timeout", "0.3", "--format", "json", "do", "find=error", "sleep=30")
        self.assertEqual((result.returncode, json.loads(result.stdout)["findings"][0]["rule"]), (99, "barrier-divergent"))
        self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    unittest.main(verbosity=1)
