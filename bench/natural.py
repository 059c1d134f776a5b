"""Ask ordinary questions of ordinary documents, some of which have no answer there: is what is missing told, and what is there found?

python bench/natural.py [--only en|zh] [--folder DIR ...] [--show] [--json]

A collection is a folder with `documents/` and `questions.jsonl`: `question`, `answerable`, `answer`, `evidence` (sentences) and
`document` (the file that they are in). Ours are `bench/judged/natural_en` and `natural_zh`. Nobody who works on the judge has seen them,
which is what makes them worth something: look at the figures, and at `--show` only if you will not change the judge afterwards. `--folder`
takes collections of your own. No language model is asked.

false answered   share of the questions without an answer whose verdict is complete or with caveats
false missing    share of those with an answer whose verdict is neither
AUC              how often one with an answer has the higher confidence (of its weakest row that searches) of two
cited            of those with an answer, how many have the document of the answer among what is cited
quoted           of those, how many have a sentence that answers in the text
"""

import argparse
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scholarmind import Library
from scholarmind.evaluation.dataset_evaluation import ANSWERED, auc, lowest_confidence
from scholarmind.identity import letters_of

JUDGED = Path(__file__).parent / "judged"
LANGUAGES = ("en", "zh")
_ALIKE = 40  # letters by which a sentence is known in a text with marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of asking one question."""

    question: str
    answerable: bool
    verdict: str
    confidence: float
    cited: bool
    quoted: bool

    @property
    def right(self) -> bool:
        """Whether it is answered if and only if it can be."""
        return (self.verdict in ANSWERED) is self.answerable


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=LANGUAGES, help="one of our two collections")
    parser.add_argument("--folder", type=Path, action="append", help="a collection in place of ours; can be repeated")
    parser.add_argument("--show", action="store_true", help="list the questions that went wrong")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    ours = [JUDGED / f"natural_{language}" for language in LANGUAGES if arguments.only in {None, language}]
    told = {folder.resolve().name: measure(folder, show=arguments.show) for folder in arguments.folder or ours}
    print(json.dumps(told, ensure_ascii=False, indent=1) if arguments.json else "\n\n".join(map(as_text, told.items())))


def measure(collection: Path, *, show: bool) -> dict[str, Any]:
    """Read the documents into a library that is thrown away, ask every question, and return the figures."""
    questions = [json.loads(line) for line in (collection / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    with (
        tempfile.TemporaryDirectory() as folder,
        Library.open(Path(folder) / "library", effort="keyless") as library,
    ):
        library.add(collection / "documents")
        began = time.perf_counter()
        replies = [ask(library, question) for question in questions]
        seconds = time.perf_counter() - began
    yes, no = ([one for one in replies if one.answerable is side] for side in (True, False))
    area = auc([one.answerable for one in replies], [one.confidence for one in replies])
    return {
        "n": len(replies),
        "answerable": len(yes),
        "false_answered": sum(not one.right for one in no),
        "false_missing": sum(not one.right for one in yes),
        "auc": None if area is None else round(area, 4),
        "cited": sum(one.cited for one in yes),
        "quoted": sum(one.quoted for one in yes),
        "milliseconds": round(seconds * 1e3 / len(replies), 1),
        **({"wrong": [asdict(one) for one in replies if not one.right]} if show else {}),
    }


def ask(library: Library, question: Mapping[str, Any]) -> Reply:
    answer = library.ask(question["question"])
    return Reply(
        question=question["question"],
        answerable=question["answerable"],
        verdict=answer.review.verdict,
        confidence=lowest_confidence(answer),
        cited=question["document"] in {Path(document.origin).name for document in answer.sources},
        quoted=any(letters_of(words)[:_ALIKE] in letters_of(answer.text) for words in question["evidence"]),
    )


def as_text(named: tuple[str, Mapping[str, Any]]) -> str:
    name, told = named
    yes, no = told["answerable"], told["n"] - told["answerable"]
    lines = [
        f"{name}: {told['n']} questions, {yes} with an answer; {told['milliseconds']} ms each",
        f"  false answered  {out_of(told['false_answered'], no)}",
        f"  false missing   {out_of(told['false_missing'], yes)}",
        f"  AUC             {'-' if told['auc'] is None else format(told['auc'], '.3f')}",
        f"  cited           {out_of(told['cited'], yes)}",
        f"  quoted          {out_of(told['quoted'], yes)}",
    ]
    for one in told.get("wrong", ()):
        kind = "false missing" if one["answerable"] else "false answered"
        lines.append(f"  {kind} ({one['verdict']}, {one['confidence']:.2f}): {one['question']}")
    return "\n".join(lines)


def out_of(count: int, total: int) -> str:
    return f"{count} of {total} ({count / total:.1%})" if total else "none of none"


if __name__ == "__main__":
    main()
