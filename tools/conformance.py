#!/usr/bin/env python3
"""Writes which test proves which row of the specification: docs/generated/conformance.md, and `parlance doctor --rows`.

docs/reference/rows.txt lists the rows. A test carries the ids of its rows where people read its purpose
(docs/explanation/testing.md): a GoogleTest at the front of its name, a transcript in its first line, an end-to-end script
or function in its docstring, a planted bug in its row. Without an option the program compares the page with the tests.
"""
import argparse
import ast
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = "docs/reference/rows.txt"
DOCUMENT = "docs/generated/conformance.md"
ID = r"[A-Z]\d{1,2}"
PROVES = re.compile(rf"(?:# )?Proves ({ID}(?:, {ID})*): ")
NAMED = re.compile(rf"^TEST(?:_F|_P)?\(\s*(\w+),\s*(((?:{ID}_)+)\w+)\)", re.MULTILINE)
MUTANT = re.compile(rf'MutantRow\{{Mutant::\w+,\s*"([\w-]+)",\s*"({ID})"')

# `drives_hub` is true for tests that run the whole hub, and false for tests of one room.
Test = collections.namedtuple("Test", "name drives_hub")
Row = collections.namedtuple("Row", "id what group tests")


def read_rows(root):
    rows, group = [], ""
    for line in (root / ROWS).read_text().splitlines():
        if line.startswith("## "):
            group = line[3:]
        elif line and not line.startswith("#"):
            name, what = line.split(" ", 1)
            rows.append(Row(name, what, group, []))
    return rows


def beside_the_code(root):
    for path in sorted([*root.glob("src/**/*_test.cc"), *root.glob("tests/*/*_test.cc")]):
        for suite, name, ids in NAMED.findall(path.read_text()):
            yield ids.rstrip("_").split("_"), Test(f"{suite}.{name}", False)


def transcripts(root):
    for path in sorted(root.glob("tests/scenarios/*.txt")):
        with open(path) as file:
            said = PROVES.match(file.readline())
        if said:
            yield said[1].split(", "), Test(f"scenarios {path.stem}", True)


def end_to_end(root):
    for path in sorted(root.glob("tests/end_to_end/*.py")):
        tree = ast.parse(path.read_text())
        for node in [tree, *(item for item in tree.body if isinstance(item, ast.FunctionDef))]:
            for line in (ast.get_docstring(node) or "").splitlines():
                if said := PROVES.match(line):
                    where = f" {node.name}" if isinstance(node, ast.FunctionDef) else ""
                    yield said[1].split(", "), Test(f"end_to_end_{path.stem}{where}", True)


def planted_bugs(root):
    for name, promise in MUTANT.findall((root / "src/base/mutant.h").read_text()):
        yield [promise], Test(f"sim_mutants {name}", True)


def gather(root):
    """Returns the rows with their tests, and the errors found in tests' row ids."""
    rows, wrong = read_rows(root), []
    by_id = {row.id: row for row in rows}
    for source in (end_to_end, transcripts, planted_bugs, beside_the_code):
        for ids, test in source(root):
            for name in ids:
                if name in by_id:
                    by_id[name].tests.append(test)
                else:
                    wrong.append(f"{test.name} carries {name}, which {ROWS} does not have")
    return rows, wrong


def state_of(row):
    if any(test.drives_hub for test in row.tests):
        return "proved"
    return "in part" if row.tests else "missing"


INTRODUCTION = """\
# Which test proves which row

Written by `tools/conformance.py --write` from the tests; the test `conformance` compares this page with the tests.
[rows.txt](../reference/rows.txt) lists the rows, and [testing](../explanation/testing.md#proofs) says how a test carries
one. `parlance doctor --rows` prints the same.

- *proved*: a test that carries the row drives the whole hub.
- *in part*: only tests of one room carry the row.
- *missing*: no test carries the row."""


def document(rows):
    count = collections.Counter(state_of(row) for row in rows)
    out = [INTRODUCTION, "",
           f"{len(rows)} rows: {count['proved']} proved, {count['in part']} in part, {count['missing']} missing."]
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            out += ["", f"## {group}"]
        out += ["", f"### {row.id}", "", f"{row.what} (*{state_of(row)}*)", ""]
        out += [f"- `{test.name}`" for test in row.tests]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)) + "\n"


def table(rows):
    """Returns the rows as C++ source for src/app/cli/doctor.cc."""
    def quoted(text):
        return json.dumps(text, ensure_ascii=False)
    lines = ["// Written by tools/conformance.py at build time."]
    lines += ["Row{%s}," % ", ".join(quoted(text) for text in (
        row.id, row.what, row.group, state_of(row), "\n".join(test.name for test in row.tests))) for row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"rewrite {DOCUMENT}")
    parser.add_argument("--table", metavar="FILE", help="write the C++ table of `parlance doctor --rows` to FILE")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="root directory of the source tree")
    options = parser.parse_args()
    rows, wrong = gather(options.root)
    if options.table:
        path = pathlib.Path(options.table)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(table(rows))
        return
    path = options.root / DOCUMENT
    if options.write:
        path.write_text(document(rows))
    elif not path.exists() or path.read_text() != document(rows):
        wrong.append(f"{DOCUMENT} is not what the tests say; write it anew with tools/conformance.py --write")
    print("\n".join(wrong) or "every row has the tests that the document says")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
