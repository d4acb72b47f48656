#!/usr/bin/env python3
"""Checks a SARIF log of tollgate.

    sarif_check.py LOG [SCHEMA]

The table below restates those parts of the SARIF 2.1.0 standard that tollgate uses, with the sections they come from:
types, required properties, enumerations, and no property outside the table. Behind it come the rules that no schema
can express: indices that lead somewhere, links that lead to a related location, columns inside their line. With
SCHEMA, the official JSON schema of OASIS, and Python's jsonschema, the log is validated against that as well.
"""
import json
import re
import sys

# name -> (type, required). A type is a Python type, a set of words, a name of OBJECTS, or a list with one of those.
URI = re.compile(r"^([a-z][a-z0-9+.-]*:)?[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$")
LEVELS = {"none", "note", "warning", "error"}
ANY = object()
OBJECTS = {
    "log": {"$schema": (URI, True), "version": ({"2.1.0"}, True), "runs": (["run"], True)},                          # 3.13
    "run": {"tool": ("tool", True), "invocations": (["invocation"], False), "originalUriBaseIds": (ANY, False),    # 3.14
            "artifacts": (["artifact"], False), "results": (["result"], True),
            "columnKind": ({"utf16CodeUnits", "unicodeCodePoints"}, False), "properties": (dict, False)},
    "tool": {"driver": ("driver", True)},                                                                            # 3.18
    "driver": {"name": (str, True), "version": (str, True), "rules": (["rule"], True)},                              # 3.19
    "rule": {"id": (str, True), "name": (str, False), "shortDescription": ("message", False),                        # 3.49
             "fullDescription": ("message", False), "help": ("message", False), "defaultConfiguration": ("configuration", False)},
    "configuration": {"level": (LEVELS, True)},                                                                      # 3.50
    "message": {"text": (str, True)},                                                                                # 3.11
    "invocation": {"executionSuccessful": (bool, True), "exitCode": (int, False),                                    # 3.20
                   "toolExecutionNotifications": (["notification"], False)},
    "notification": {"level": (LEVELS, True), "message": ("message", True)},                                         # 3.58
    "artifact": {"location": ("artifactLocation", True)},                                                            # 3.24
    "artifactLocation": {"uri": (URI, True), "uriBaseId": (str, False), "index": (int, False)},                      # 3.4
    "result": {"ruleId": (str, True), "ruleIndex": (int, True), "level": (LEVELS, True), "message": ("message", True),  # 3.27
               "locations": (["location"], True), "relatedLocations": (["location"], False), "stacks": (["stack"], False),
               "occurrenceCount": (int, True), "partialFingerprints": (dict, True), "suppressions": (["suppression"], False),
               "baselineState": ({"new", "unchanged", "updated", "absent"}, False), "properties": (dict, False)},
    "location": {"id": (int, False), "physicalLocation": ("physical", False), "logicalLocations": (["logical"], False),  # 3.28
                 "message": ("message", False)},
    "physical": {"artifactLocation": ("artifactLocation", True), "region": ("region", True)},                        # 3.29
    "region": {"startLine": (int, True), "startColumn": (int, False), "endColumn": (int, False), "snippet": ("message", False)},  # 3.30
    "logical": {"fullyQualifiedName": (str, True), "kind": ({"function"}, True)},                                    # 3.33
    "stack": {"message": ("message", False), "frames": (["frame"], True)},                                           # 3.44
    "frame": {"location": ("location", True)},                                                                       # 3.45
    "suppression": {"kind": ({"inSource", "external"}, True), "status": ({"accepted"}, False),                       # 3.35
                    "justification": (str, True), "properties": (dict, False)},
}
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]\\]|\\.)*\]\((\d+)\)")


def check_type(value, kind, where, say):
    if kind is ANY:
        return
    if isinstance(kind, list):
        if not isinstance(value, list):
            say(f"{where} is no array")
            return
        for number, entry in enumerate(value):
            check_type(entry, kind[0], f"{where}[{number}]", say)
    elif isinstance(kind, str):
        check_object(value, kind, where, say)
    elif isinstance(kind, set):
        if value not in kind:
            say(f"{where} is {value!r} and none of {sorted(kind)}")
    elif isinstance(kind, re.Pattern):
        if not isinstance(value, str) or not kind.match(value):
            say(f"{where} is no URI: {value!r}")
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        say(f"{where} is no {kind.__name__}: {value!r}")


def check_object(value, name, where, say):
    if not isinstance(value, dict):
        say(f"{where} is no object")
        return
    table = OBJECTS[name]
    for key, entry in value.items():
        if key in table:
            check_type(entry, table[key][0], f"{where}.{key}", say)
        else:
            say(f"{where}.{key} is not known")
    for key, (_, required) in table.items():
        if required and key not in value:
            say(f"{where}.{key} is missing")


def check_location(location, run, where, say):
    if "physicalLocation" not in location:
        return
    physical = location["physicalLocation"]
    place, region = physical["artifactLocation"], physical["region"]
    artifacts = run.get("artifacts", [])
    if "index" in place and (place["index"] >= len(artifacts) or artifacts[place["index"]]["location"]["uri"] != place["uri"]):
        say(f"{where}: artifact index {place['index']} leads elsewhere")
    if "uriBaseId" in place:
        if place["uri"].startswith("/") or ":" in place["uri"].split("/")[0]:
            say(f"{where}: {place['uri']} is not relative, and has a base")
        if place["uriBaseId"] not in run.get("originalUriBaseIds", {}):
            say(f"{where}: the base {place['uriBaseId']} is not explained")
    elif not place["uri"].startswith("file:///"):
        say(f"{where}: {place['uri']} is neither absolute nor has a base")
    first, last = region.get("startColumn", 1), region.get("endColumn", 10 ** 9)
    if region["startLine"] < 1 or first < 1 or last <= first:
        say(f"{where}: an empty region {region}")
    if "snippet" in region and first > len(region["snippet"]["text"].split("\n")[0]) + 1:
        say(f"{where}: column {first} is behind the end of the line")


def check_result(result, run, where, say):
    rules = run["tool"]["driver"]["rules"]
    if result["ruleIndex"] >= len(rules) or rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        say(f"{where}: rule index {result['ruleIndex']} is not {result['ruleId']}")
    related = result.get("relatedLocations", [])
    ids = [location.get("id") for location in related]
    if len(set(ids)) != len(ids) or None in ids:
        say(f"{where}: ids of related locations {ids}")
    for link in LINK.findall(result["message"]["text"]):
        if int(link) not in ids:
            say(f"{where}: the message links to {link}, which is no related location")
    for location in result["locations"] + related:
        check_location(location, run, where, say)
    for stack in result.get("stacks", []):
        for frame in stack["frames"]:
            check_location(frame["location"], run, where, say)
    if result["occurrenceCount"] < 1 or not all(isinstance(text, str) for text in result["partialFingerprints"].values()):
        say(f"{where}: count or fingerprint")


def complaints(log):
    said = []
    check_object(log, "log", "log", said.append)
    if said:
        return said
    for number, run in enumerate(log["runs"]):
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        if len(set(ids)) != len(ids):
            said.append("a rule stands twice")
        for index, result in enumerate(run["results"]):
            check_result(result, run, f"runs[{number}].results[{index}]", said.append)
    return said


def schema_complaints(log, schema):
    import jsonschema
    with open(schema, encoding="utf-8") as file:
        official = json.load(file)
    checker = jsonschema.Draft4Validator(official, format_checker=jsonschema.FormatChecker())
    return [f"official schema: {'/'.join(map(str, problem.path))}: {problem.message[:300]}" for problem in checker.iter_errors(log)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    said = complaints(log) + (schema_complaints(log, sys.argv[2]) if len(sys.argv) > 2 else [])
    for line in said:
        print(line)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
