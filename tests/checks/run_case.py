#!/usr/bin/env python3
"""Runs `tollgate check --format json` on one checked program and compares the findings with its comments.

    run_case.py TOLLGATE FILE.cu      one case
    run_case.py --self-test           the comparison itself, on made-up reports

check_case.h describes the comments. A finding is expected if its rule stands in an `expect` on the line of its place,
or in an `other` on the line of any of its places. A place is its innermost line in the file itself: what a header of
the toolkit wraps counts where it was called. Every finding must be expected and every expectation met.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"//\s*(expect|other):\s*([a-z -]+)")
OPTIONS = re.compile(r"^//\s*options:\s*(.*)$", re.MULTILINE)
EXIT_FINDINGS, EXIT_INCOMPLETE = 99, 98


def expectations(text):
    """{(kind, rule, line)} of a source text."""
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.search(line)
        if match:
            found |= {(match.group(1), rule, number) for rule in match.group(2).split()}
    return found


def line_in(side, name):
    """The innermost line of a finding's side that lies in file `name`, or None."""
    frames = [side.get("at", {})] + side.get("at", {}).get("stack", [])
    for frame in frames:
        if pathlib.Path(frame.get("file", "")).name == name and frame.get("line"):
            return frame["line"]
    return None


def compare(expected, report, name, exit_code):
    """The list of complaints about a report."""
    complaints, met = [], set()
    for finding in report.get("findings", []):
        rule = finding["rule"]
        sides = [finding] + ([finding["other"]] if "other" in finding else []) + finding.get("more", [])
        matches = {("expect", rule, line_in(finding, name))} | {("other", rule, line_in(side, name)) for side in sides}
        if not matches & expected:
            complaints.append(f"unexpected {finding['severity']}: {rule} at line {line_in(finding, name)}: {finding['message']}")
        met |= matches & expected
    complaints += [f"missing: {rule} at line {line}" for _, rule, line in sorted(expected - met, key=lambda e: e[2])]

    severities = {finding["severity"] for finding in report.get("findings", [])}
    incomplete = any(rule == "not-modelled" for _, rule, _ in expected)
    verdict = "incomplete" if incomplete else "findings" if severities & {"error", "warning"} else "clean"
    if report.get("verdict") != verdict and not complaints:
        complaints.append(f"verdict is {report.get('verdict')} where {verdict} was expected")
    wanted = EXIT_FINDINGS if "error" in severities else EXIT_INCOMPLETE if incomplete else 0
    if exit_code != wanted and not complaints:
        complaints.append(f"exit code is {exit_code} where {wanted} was expected")
    return complaints


def run(tollgate, path):
    text = path.read_text(encoding="utf-8")
    options = OPTIONS.search(text)
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "report.json"
        command = [tollgate, "check", "--format", "json", "--output", str(output), "--timeout", "60"]
        command += options.group(1).split() if options else []
        process = subprocess.run(command + [str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(process.stdout, end="")
        if not output.exists():
            print(f"{path}: no report was written; exit code {process.returncode}")
            return 1
        written = output.read_text(encoding="utf-8")
    try:
        report = json.loads(written)
    except json.JSONDecodeError as problem:
        print(f"{path}: the report is no JSON: {problem}\n{written[:2000]}")
        return 1
    complaints = compare(expectations(text), report, path.name, process.returncode)
    for complaint in complaints:
        print(f"{path}: {complaint}")
    if complaints:
        print(json.dumps(report, indent=1)[:8000])
    return 1 if complaints else 0


def self_test():
    def place(line):
        return {"at": {"file": "/x/a.cu", "line": line, "stack": [{"file": "h.h", "line": 3}, {"file": "/x/a.cu", "line": line}]}}

    def finding(rule, line, severity="error", other=None):
        made = {"rule": rule, "severity": severity, "message": "", **place(line)}
        return {**made, "other": place(other)} if other else made

    expected = expectations("int a;\nf(); // expect: deadlock\ng(); // other: barrier-mismatch\n")
    assert expected == {("expect", "deadlock", 2), ("other", "barrier-mismatch", 3)}
    good = [finding("deadlock", 2), finding("barrier-mismatch", 9, other=3)]
    wrapped = [{**finding("deadlock", 2), "at": {"file": "h.h", "line": 3, "stack": place(2)["at"]["stack"]}}, good[1]]

    def said(findings, verdict="findings", code=99, against=expected):
        return compare(against, {"verdict": verdict, "findings": findings}, "a.cu", code)

    assert said(good) == [] and said(wrapped) == []
    assert said([], "clean", 0, set()) == []
    assert any("missing: deadlock at line 2" in text for text in said(good[1:]))
    assert any("unexpected" in text for text in said([finding("deadlock", 4)] + good))
    assert any("unexpected" in text for text in said(good[:1] + [finding("barrier-mismatch", 9, other=8)]))
    assert said(good, code=0) and said(good, "clean") and said([], "incomplete", 0, set()) and said([], "clean", 99, set())
    warning = {("expect", "barrier-early-exit", 5)}
    assert said([finding("barrier-early-exit", 5, "warning")], code=0, against=warning) == []
    modelled = {("expect", "not-modelled", 5)}
    assert said([finding("not-modelled", 5, "note")], "incomplete", 98, modelled) == []
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) != 3:
        print(f"usage: {sys.argv[0]} TOLLGATE FILE.cu | --self-test", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1], pathlib.Path(sys.argv[2])))
