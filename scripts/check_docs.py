#!/usr/bin/env python3
"""Checks the documents: relative links lead to files, and code copied from tested sources is still what stands there.

A copy is announced by `<!-- from FILE -->` before a code block; in FILE it stands between `// [DOCUMENT]` and `// [end]`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
COPY = re.compile(r"<!-- from (\S+) -->\n```\w*\n(.*?)\n```", re.DOTALL)


def complaints_about(document):
    text = document.read_text(encoding="utf-8")
    name = document.relative_to(ROOT)
    for target in LINK.findall(text):
        if "://" not in target and not target.startswith("mailto:") and not (document.parent / target).exists():
            yield f"{name}: link to {target}, which does not exist"
    for source, shown in COPY.findall(text):
        parts = (ROOT / source).read_text(encoding="utf-8").split(f"// [{name}]\n")
        if len(parts) != 2 or parts[1].split("// [end]")[0].strip("\n") != shown.strip("\n"):
            yield f"{name}: the code from {source} differs from what stands there between its marks"


def main():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    complaints = [line for document in documents for line in complaints_about(document)]
    for line in complaints:
        print(line, file=sys.stderr)
    print(f"check_docs: {len(documents)} documents, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
