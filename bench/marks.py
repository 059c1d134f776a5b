"""What the reader of questions finds in marked questions, and the parts that plans have of them, beside those of the rules alone.

python bench/marks.py                 of the questions that it was not trained on: every sixth of scripts/marked_questions
python bench/marks.py FILE...         of marked questions of your own (see scripts/marked_questions/README.md)

What is right is made of the marks that people gave. A part is found where one of the plan shares so much of its words (F1 >= SAME),
Chinese by pairs of characters.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scholarmind.adapters.e5.question_reader import E5Marker
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.plan import Plan
from scholarmind.planning.decomposition.marked import parts_of
from scholarmind.planning.question_words import Protector
from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.ports import Marks
from scholarmind.testing.marked_questions import marked

OURS = Path(__file__).parents[1] / "scripts" / "marked_questions"
HELD, PARTS, SAME = 6, 30, 0.8
_WORDS = re.compile("[a-z0-9]+|[\u4e00-\u9fff]+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    files = parser.parse_args().files or sorted(OURS.glob("*.txt"))
    reader = E5Marker(E5Reader())
    print("| file | kind | n | seen as that | asks | lists | descriptions | all | plan right: marks | rules |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        chosen = lines[HELD - 1 :: HELD] if path.parent == OURS else lines
        for kind, counts in counted(chosen, reader).items():
            total = counts["n"]
            names = ("seen as that", "asks", "lists", "descriptions", "all", "marks", "rules")
            print(
                f"| {path.name} | {kind} | {total} | "
                + " | ".join(f"{counts[name] / total:.2f}" for name in names)
                + " |"
            )


def counted(lines: Sequence[str], reader: E5Marker) -> dict[str, Counter[str]]:
    """Count, for simple and for composite questions, what is as it was marked."""
    found = {"simple": Counter[str](), "composite": Counter[str]()}
    for line in lines:
        text, wanted = marked(line)
        made = reader.marks(text)
        counts = found["composite" if is_composite(wanted) else "simple"]
        counts["n"] += 1
        same = {
            "asks": made is not None and begins(text, wanted) == begins(text, made),
            "lists": made is not None and set(wanted.lists) == set(made.lists),
            "descriptions": made is not None and set(wanted.descriptions) == set(made.descriptions),
        }
        counts.update(name for name, is_same in same.items() if is_same)
        counts["all"] += all(same.values())
        counts["seen as that"] += made is not None and is_composite(wanted) == is_composite(made)
        right = [draft.text for draft in parts_of(text, wanted, Protector()).drafts if draft.role == "find"]
        counts["marks"] += alike(right, parts(RulePlanner(cap=PARTS, depth=1, marker=reader).plan(text)))
        counts["rules"] += alike(right, parts(RulePlanner(cap=PARTS, depth=1).plan(text)))
    return found


def begins(text: str, marks: Marks) -> set[int]:
    """Return where the asks begin, behind spaces."""
    return {len(text) - len(text[start:].lstrip()) for start, _ in marks.asks}


def is_composite(marks: Marks) -> bool:
    return len(marks.asks) > 1 or bool(marks.lists) or bool(marks.descriptions)


def parts(plan: Plan) -> list[str]:
    asks = [
        [ask.text for ask in part.asks] if len(part.asks) > 1 else [part.text]
        for part in plan.parts
        if part.role == "find"
    ]
    return [text for texts in asks for text in texts]


def alike(ones: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether each part of either plan is found in the other."""
    return all(max((likeness(one, other) for other in others), default=0) >= SAME for one in ones) and all(
        max((likeness(one, other) for other in ones), default=0) >= SAME for one in others
    )


def likeness(one: str, other: str) -> float:
    words, more = said(one), said(other)
    return 2 * len(words & more) / (len(words) + len(more)) if words or more else 0.0


def said(text: str) -> set[str]:
    found: set[str] = set()
    for word in _WORDS.findall(re.sub(r"#\d+", " ", text.lower())):
        found |= {word} if word.isascii() else {word[place : place + 2] for place in range(max(1, len(word) - 1))}
    return found


if __name__ == "__main__":
    main()
