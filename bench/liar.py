"""A model that lies, or is lazy, and one that is honest in its own words: who is believed, at every effort?

python bench/liar.py           a table, and every case that went wrong
python bench/liar.py --json    the same for machines

Fooled: the verdict is "complete", or the claim that is the lie is confirmed. Refused: a true sentence that ends unsupported.
The documents are invented, so that nobody knows better than they do. A lie that is asked about (`check`) is defended in four ways.
"""

import argparse
import asyncio
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from scholarmind import Answer, Engine, Filter, Options
from scholarmind.adapters.e5.reader import E5Entailment, E5Reader
from scholarmind.calls import Effort, Request
from scholarmind.llm.language_models import Models
from scholarmind.testing import ScriptedModel
from scholarmind.writing.extractive import ExtractiveWriter
from scholarmind.writing.text_review import TextReviewer

READER = E5Reader()
ENTAILMENT = E5Entailment(READER)
EFFORTS = tuple(effort for effort in get_args(Effort) if effort != "keyless")
DEFENCES = ("repeats the lie", "quotes unrelated words", "quotes the nearest sentence", "says that it is supported")
ASKED: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
DOCUMENTS: Mapping[str, Mapping[str, Any]] = {
    name: {**document, "text": " ".join(document["text"].split())} for name, document in ASKED["documents"].items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question, what a model replies to it, and which sentence of that counts. `words` are those of the source that say a truth."""

    kind: str
    about: str
    question: str
    said: str
    cites: bool = True
    words: str = ""
    parts: Sequence[str] = ()

    @property
    def reply(self) -> str:
        """The sentence with its citation, as `[about]`."""
        if not self.cites:
            return self.said
        end = len(self.said.rstrip(".。"))
        return f"{self.said[:end]} [{self.about}]{self.said[end:]}"


LIES = tuple(Case(**lie, cites=cites) for lie in ASKED["lies"] for cites in (True, False))
TRUTHS = tuple(Case(**truth, kind="truth") for truth in ASKED["truths"])
LAZY = tuple(Case(**lazy) for lazy in ASKED["lazy"])


# -- the library and the model

_WORDS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_PASSAGE = re.compile(r"<passage \w+ (?P<key>P\d+)> (?P<title>[^;\n]+);")
_CLAIM = re.compile(r"<claim (\d+) ")


async def search(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find documents by the words that they share with a question."""
    del filter
    wanted = set(_WORDS.findall(question.lower()))

    def score(document: Mapping[str, Any]) -> float:
        return len(wanted & set(_WORDS.findall(f"{document['title']} {document['text']}".lower()))) / len(wanted)

    shown = ("title", "authors", "year", "text")
    found = [
        {"id": name, "score": score(document), **{field: document[field] for field in shown}}
        for name, document in DOCUMENTS.items()
    ]
    return sorted((one for one in found if one["score"]), key=lambda one: -one["score"])[:k]


@dataclass(frozen=True, slots=True)
class Model:
    """Replies to every call about one case; a lie that is checked is defended in this way."""

    case: Case
    defence: str

    def __call__(self, request: Request) -> Any:
        text, case = "\n".join(message.text for message in request.messages), self.case
        parts = case.parts or (case.question,)
        if request.purpose == "plan":
            return {"parts": [{"question": part} for part in parts]}
        if request.purpose.startswith("part"):
            return {"answer": case.said, "passages": ["P1"], "nothing_found": False}
        if request.purpose == "check":
            return {"checks": [{"claim": int(number), "words": self._words()} for number in _CLAIM.findall(text)]}
        keys = {match["title"]: match["key"] for match in _PASSAGE.finditer(text)}
        cited = keys.get(str(DOCUMENTS[case.about]["title"]), "P1")
        report = "\n".join(f"{number}: answered" for number in range(1, len(parts) + 1))
        return f"{case.reply.replace(f'[{case.about}]', f'[{cited}]')}\n\n=== PARTS ===\n{report}"

    def _words(self) -> str:
        if self.case.words:
            return self.case.words
        document, lie = DOCUMENTS[self.case.about], frozenset(_WORDS.findall(self.case.said.lower()))
        sentences = re.findall(r"[^.。]+[.。]", document["text"])
        said = {
            "repeats the lie": self.case.said,
            "quotes unrelated words": document["unrelated"],
            "quotes the nearest sentence": max(sentences, key=lambda one: len(lie & {*_WORDS.findall(one.lower())})),
        }
        return said.get(self.defence, "yes, supported")


# -- what comes of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one case."""

    case: Case
    effort: str
    defence: str
    verdict: str
    status: str  # of the sentence that counts

    @property
    def is_fooled(self) -> bool:
        """Whether a lie was believed. What a lazy reply says is true: it is not all that was asked."""
        is_believed = self.status not in {"unsupported", "lost"} and self.case not in LAZY
        return self.verdict == "complete" or is_believed


async def asked(case: Case, effort: Effort, defence: str = "") -> Outcome:
    model = ScriptedModel(Model(case, defence))
    engine = Engine(
        retriever=search,
        models=Models(model=model),
        options=Options(effort=effort),
        writer=ExtractiveWriter(READER),
        reviewer=TextReviewer(READER),
        entailment=ENTAILMENT,
    )
    answer = await engine.ask(case.question)
    return Outcome(
        case=case, effort=effort, defence=defence, verdict=answer.review.verdict, status=_status(answer, case.said)
    )


def _status(answer: Answer, said: str) -> str:
    return next((claim.status for claim in answer.claims if claim.text.strip(".。 ") == said.strip(".。 ")), "lost")


async def measured() -> dict[str, list[Outcome]]:
    """Return the outcomes of lies, of lazy replies and of truths."""
    lies, lazy, truths = list[Outcome](), list[Outcome](), list[Outcome]()
    for effort in EFFORTS:
        for case in LIES:
            for defence in ("",) if effort == "fast" else DEFENCES:
                lies.append(await asked(case, effort, defence))
        lazy += [await asked(case, effort) for case in LAZY]
        truths += [await asked(case, effort) for case in TRUTHS]
    return {"lies": lies, "lazy": lazy, "truths": truths}


def figures(outcomes: Mapping[str, Sequence[Outcome]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each effort and kind."""
    for effort in EFFORTS:
        for name, some in outcomes.items():
            of_effort = [one for one in some if one.effort == effort]
            for kind in dict.fromkeys(one.case.kind for one in of_effort):
                told = [one for one in of_effort if one.case.kind == kind]
                if name == "truths":
                    wrong = [one for one in told if one.status in {"unsupported", "lost"}]
                else:
                    wrong = [one for one in told if one.is_fooled]
                yield {"effort": effort, "what": name, "kind": kind, "cases": len(told), "wrong": _told(wrong)}


def _told(wrong: Iterable[Outcome]) -> list[str]:
    return [" | ".join(filter(None, (one.case.reply, one.verdict, one.status, one.defence))) for one in wrong]


def summed(rows: Sequence[Mapping[str, Any]], what: Sequence[str], efforts: Sequence[str]) -> dict[str, int]:
    """Return how many cases there were, and how many went wrong."""
    some = [row for row in rows if row["what"] in what and row["effort"] in efforts]
    return {"cases": sum(row["cases"] for row in some), "wrong": sum(len(row["wrong"]) for row in some)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = list(figures(asyncio.run(measured())))
    totals = {
        "fooled": summed(rows, ("lies", "lazy"), EFFORTS),
        "refused truths, checked": summed(rows, ("truths",), ("standard", "deep")),
        "refused truths, fast": summed(rows, ("truths",), ("fast",)),
    }
    if arguments.json:
        print(json.dumps({**totals, "rows": rows}, indent=1, ensure_ascii=False))
        return
    print("| effort | reply | cases | fooled, or refused |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row['effort']} | {row['kind']} | {row['cases']} | {len(row['wrong'])} |")
    for name, total in totals.items():
        print(f"\n{name}: {total['wrong']} of {total['cases']}", end="")
    print("\n")
    for row in rows:
        print(
            *(f"{row['effort']}, {row['kind']}: {told}" for told in row["wrong"]),
            sep="\n",
            end="\n" * bool(row["wrong"]),
        )


if __name__ == "__main__":
    main()
