#!/usr/bin/env python3
"""Tests conformance.py on a small tree that has a proof of each layer and one id without a row."""
import pathlib
import tempfile

import conformance

TREE = {
    "docs/reference/rows.txt": "# words\n\n## one\nK1 first\nK2 second\nK3 third\n## two\nD1 promise\n",
    "src/a/a_test.cc": "TEST(A, K1_D1_Holds) {\nTEST_P(A, K2_Too) {\nTEST(A, NothingOfK3) {\n// K3_Neither\n",
    "tests/front_desk/x_test.cc": "TEST(Desk, D1_Holds) {\n",
    "tests/scenarios/b.txt": "# Proves K1: it\n# Proves K3: not in the first line\n",
    "tests/scenarios/doors.txt": "# Proves the doors: it\n",
    "tests/end_to_end/c.py": '"""It.\n\nProves K1: it.\n"""\ndef story():\n    """Proves D1: it."""\n',
    "src/base/mutant.h": 'MutantRow{Mutant::A, "lose-it", "D1"},\nMutantRow{Mutant::B, "odd", "Z9"},\n',
}


def check(found, expected):
    if found != expected:
        raise AssertionError(f"found {found}, expected {expected}")


def main():
    with tempfile.TemporaryDirectory() as where:
        root = pathlib.Path(where)
        for name, text in TREE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        rows, wrong = conformance.gather(root)
    check(wrong, ["sim_mutants odd carries Z9, which docs/reference/rows.txt does not have"])
    check({row.id: [test.name for test in row.tests] for row in rows},
          {"K1": ["end_to_end_c", "scenarios b", "A.K1_D1_Holds"], "K2": ["A.K2_Too"], "K3": [],
           "D1": ["end_to_end_c story", "sim_mutants lose-it", "A.K1_D1_Holds", "Desk.D1_Holds"]})
    check([conformance.state_of(row) for row in rows], ["proved", "in part", "missing", "proved"])
    check("4 rows: 2 proved, 1 in part, 1 missing." in conformance.document(rows), True)
    check('Row{"K2", "second", "one", "in part", "A.K2_Too"},' in conformance.table(rows), True)
    print("it finds what is there")


if __name__ == "__main__":
    main()
