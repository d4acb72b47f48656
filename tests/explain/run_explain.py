#!/usr/bin/env python3
"""Checks the examples of `tollgate explain` as a user would.

    run_explain.py TOLLGATE EXAMPLES RULE        broken.cu breaks RULE and no other, fixed.cu is clean
    run_explain.py TOLLGATE EXAMPLES --complete  every rule has examples, every example a rule, and they are printed
"""
import json
import pathlib
import subprocess
import sys

OPTIONS = {"lockstep-hazard": ["--enable", "lockstep-hazard"]}  # off by default
# What comes along by nature: a launch that was refused is also a call whose failure nobody looked at.
COMPANIONS = {"bad-launch": {"api-error"}, "api-error": set(),
              "atomic-cas-loop": {"race-cas-guess"}}


def check(tollgate, file, *options):
    done = subprocess.run([tollgate, "check", "--format", "json", "--timeout", "60", *options, str(file)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    begin = done.stdout.find('{\n  "schema"')
    if begin < 0:
        sys.exit(f"{file}: no report; exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode, json.loads(done.stdout[begin:])


def check_rule(tollgate, folder, rule):
    if "does not report it" in subprocess.run([tollgate, "explain", rule], stdout=subprocess.PIPE, text=True, check=True).stdout:
        # Nothing is promised about it but that its examples compile, and that the repaired one is left in peace.
        done = subprocess.run([tollgate, "check", "--timeout", "10", str(folder / "broken.cu")], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 97:
            sys.exit(f"{folder}/broken.cu does not compile\n{done.stdout}")
        code, report = check(tollgate, folder / "fixed.cu", "--fail-on", "note")
        if code != 0 or report["verdict"] != "clean":
            sys.exit(f"{folder}/fixed.cu: exit code {code}\n{json.dumps(report, indent=1)[:6000]}")
        return
    code, report = check(tollgate, folder / "broken.cu", "--fail-on", rule, *OPTIONS.get(rule, []))
    found = {finding["rule"] for finding in report["findings"]}
    if code != 99 or rule not in found or found - {rule} - COMPANIONS.get(rule, set()):
        sys.exit(f"{folder}/broken.cu: exit code {code} (99 was expected), found {sorted(found)}\n{json.dumps(report, indent=1)[:6000]}")
    code, report = check(tollgate, folder / "fixed.cu", "--fail-on", "note", *OPTIONS.get(rule, []))
    if code != 0 or report["verdict"] != "clean":
        sys.exit(f"{folder}/fixed.cu: exit code {code}, verdict {report['verdict']}\n{json.dumps(report, indent=1)[:6000]}")


def check_complete(tollgate, examples):
    listed = subprocess.run([tollgate, "explain"], stdout=subprocess.PIPE, text=True, check=True).stdout
    rules = {line.split()[0] for line in listed.splitlines() if not line.startswith(" ")}
    folders = {folder.name for folder in examples.iterdir()}
    if rules != folders:
        sys.exit(f"without examples: {sorted(rules - folders)}; examples of no rule: {sorted(folders - rules)}")
    for rule in sorted(rules):
        said = subprocess.run([tollgate, "explain", rule], stdout=subprocess.PIPE, text=True, check=True).stdout
        for which in ("broken", "fixed"):
            text = (examples / rule / f"{which}.cu").read_text(encoding="utf-8")
            shown = text.split("// [explain]\n")[1].split("// [end]")[0]
            missing = [line for line in shown.splitlines() if line.strip() and "  " + line not in said.splitlines()]
            if missing:
                sys.exit(f"explain {rule} lacks {missing}")


def main():
    tollgate, examples, what = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    if what == "--complete":
        check_complete(tollgate, examples)
    else:
        check_rule(tollgate, examples / what, what)
    print("ok")


if __name__ == "__main__":
    main()
