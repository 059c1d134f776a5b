"""Ask the demo library its 40 relation questions (tests/data/relation_questions.jsonl) with the graph of papers and without it.

python bench/relations.py [--misses] [--questions FILE] [--notes FOLDER]

An answer is right if it has every item of `answers` and none of `wrong`, compared by name: the items that were counted in the graph
(with the cells of a table of results), else the short answers of the last parts, else the text. " | " separates names of one item.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scholarmind import Library
from scholarmind.answer import Answer, Finding
from scholarmind.evaluation.experiments import interval
from scholarmind.graph.name_matching import letters

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "src" / "scholarmind" / "demo" / "notes"
QUESTIONS = ROOT / "tests" / "data" / "relation_questions.jsonl"
_ALIASES = re.compile(r"^aliases: \[(.*)\]$", re.MULTILINE)
_TITLE = re.compile(r'^title: "(.*)"$', re.MULTILINE)


def main() -> None:
    """Print how many questions are answered right with and without the graph."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--misses", action="store_true", help="also print the questions that fail with the graph")
    arguments.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments.add_argument("--notes", type=Path, default=NOTES)
    given = arguments.parse_args()
    cases = [json.loads(line) for line in given.questions.read_text(encoding="utf-8").splitlines()]
    names = names_of(given.notes)
    right: dict[bool, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        with Library.open(Path(folder) / "library") as library:
            library.add(sorted(given.notes.glob("*.md")))
        for graph in (True, False):
            with Library.open(Path(folder) / "library", graph=graph) as library:
                right[graph] = [judged(library, case, names, told=graph and given.misses) for case in cases]
    report(cases, right[True], right[False])


def judged(library: Library, case: dict[str, Any], names: dict[str, str], *, told: bool = False) -> int:
    """Return 1 if the library answers a question right, else 0."""
    answer = library.ask(case["question"])
    found = answered(answer, names)
    right = is_right(case, found, names)
    if told and not right:
        items = sorted(found) if isinstance(found, set) else "text"
        print(
            f"missed {case['id']} {case['question']}\n   wants {case['answers']}, not {case['wrong']}\n   has {items}"
        )
    return int(right)


def answered(answer: Answer, names: dict[str, str]) -> set[str] | str:
    """Return the items of an answer by name, or its text where it has none."""
    waited_for = {number for part in answer.plan.parts for number in part.depends_on if part.role == "find"}
    last = [each for each in answer.findings if each.part.id not in waited_for and each.part.role == "find"]
    items = [item for finding in last for item in _items(finding)]
    return {_name(item, names) for item in items} if items else answer.text


def _items(finding: Finding) -> Iterable[str]:
    for tally in finding.tallies:
        yield from tally.items
        if tally.form in {"results", "contradictions"}:
            yield from (cell for row in tally.rows for cell in row.cells)
    if not finding.tallies:
        yield from finding.items or finding.candidates


def is_right(case: dict[str, Any], found: set[str] | str, names: dict[str, str]) -> bool:
    """Tell whether all answers are there and nothing that is wrong."""

    def has(item: str) -> bool:
        variants = item.split(" | ")
        if isinstance(found, set):
            return any(_name(variant, names) in found for variant in variants)
        return any(re.search(rf"(?<![\w.]){re.escape(variant)}(?![\w.]*\w)", found) for variant in variants)

    return all(map(has, case["answers"])) and not any(map(has, case["wrong"]))


def names_of(notes: Path) -> dict[str, str]:
    """Return, for each name of a note, the title that it is one with."""
    names: dict[str, str] = {}
    for path in notes.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        title, aliases = (pattern.search(text) for pattern in (_TITLE, _ALIASES))
        if title and aliases:
            names |= dict.fromkeys(map(letters, aliases[1].split(", ")), letters(title[1]))
    return names


def _name(item: str, names: dict[str, str]) -> str:
    key = letters(item.removesuffix("%"))
    return names.get(key, key)


def report(cases: list[dict[str, Any]], on: list[int], off: list[int]) -> None:
    """Print the shares by language and form, and the paired difference."""
    groups = {"all": cases, **{lang: [case for case in cases if case["lang"] == lang] for lang in ("en", "zh")}}
    groups |= {
        form: [case for case in cases if case["form"] == form] for form in dict.fromkeys(c["form"] for c in cases)
    }
    by_id = {case["id"]: pair for case, pair in zip(cases, zip(on, off, strict=True), strict=True)}
    for name, group in groups.items():
        pairs = [by_id[case["id"]] for case in group]
        print(
            f"{name:15} {len(pairs):3} questions: with {sum(p[0] for p in pairs)}, without {sum(p[1] for p in pairs)}"
        )
    low, high = interval([one - other for one, other in zip(on, off, strict=True)])
    helped, hurt = (
        sum(one > other for one, other in pairs) for pairs in (zip(on, off, strict=True), zip(off, on, strict=True))
    )
    gain = (sum(on) - sum(off)) / len(cases)
    print(f"difference {gain:+.3f} [{low:+.3f}, {high:+.3f}], {helped} helped, {hurt} hurt")


if __name__ == "__main__":
    main()
