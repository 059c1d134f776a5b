"""Extract the graph of the demo notes by rules, and compare it with what their front matter says: how much is right, how much is found.

python bench/extraction.py [--show wrong|missed] [--kind datasets] [--speed]

Twice: with the fields that are checked hidden from the rules (title, aliases, authors, year and venue stay), and with everything visible.

* authors: AUTHORED_BY. datasets: EVALUATED_ON, USES, REPORTS with a data set. methods: USES and PROPOSES with a method.
* builds_on: IMPROVES_ON and USES between methods. Right is also that one improves on another whose result on one data set, by one
  metric, the notes give as worse.
* results: REPORTS, right only if method, data set, metric and value are; no metric counts as "score".
* What a note says of the method of another note is compared with the front matter of that one. A name may be any that the lexicon
  knows, and may lack or have words that the other has ("SQuAD" for "SQuAD 1.1"), not a variant ("BERT" is not "BERT-Large").
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.text_files import MarkdownReader
from scholarmind.graph.document_statements import number_of, reported, values_of
from scholarmind.graph.gazetteer import KnownNames, key_of, lexicon, named_in
from scholarmind.graph.rule_reading import extract
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Entry, Problem
from scholarmind.relations import Statement, Thing

HIDDEN = ("methods", "datasets", "builds_on", "groups", "results")
KINDS = ("authors", "datasets", "methods", "builds_on", "results")
LOWER_IS_BETTER = ("perplexity", "bits per", "error", "困惑度")
SAME_METRIC = {"": "score", "平均": "average", "平均分": "average", "得分": "score", "averaged": "average"}


@dataclass
class Score:
    """What was right of what was extracted, and what was found of what the front matter says."""

    said: int = 0
    right: int = 0
    gold: int = 0
    found: int = 0
    named: int = 0  # of what the front matter says, how much the text has by name
    named_found: int = 0
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])

    def told(self) -> dict[str, float | int]:
        return {
            "precision": round(self.right / max(1, self.said), 3),
            "recall": round(self.found / max(1, self.gold), 3),
            "recall of what the text names": round(self.named_found / max(1, self.named), 3),
            "said": self.said,
            "gold": self.gold,
        }


class Gold:
    """The front matter of all notes, and whose name is whose."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.documents = {entry.document.id: entry.document for entry in entries}
        self.owners: dict[str, str] = {}
        for document in self.documents.values():
            for name in (document.title, *values_of(document, "aliases")):
                self.owners.setdefault(name.casefold(), document.id)
        self.results = [
            (document.id, statement)
            for document in self.documents.values()
            for line in values_of(document, "results")
            if (statement := reported(line)) is not None
        ]

    def owner(self, thing: Thing, stated_in: str) -> str:
        """Return the note that a name is about: that of the name, or of the name that it is a variant of."""
        if thing.kind == "paper":
            return thing.scope
        name = thing.name.casefold()
        for end in range(len(name), 2, -1):
            if (end == len(name) or name[end] in " -") and name[:end] in self.owners:
                return self.owners[name[:end]]
        return stated_in

    def values(self, document: str, *fields: str) -> list[str]:
        return [value for name in fields for value in values_of(self.documents[document], name)]

    def is_right(self, kind: str, stated_in: str, statement: Statement) -> bool:
        owner = self.owner(statement.source, stated_in)
        name = statement.target.name
        if kind == "authors":
            return name in self.documents[stated_in].authors
        if kind == "results":
            return any(same_result(statement, each) for _, each in self.results)
        if kind == "datasets":
            told = [each.target.name for _, each in self.results if same(each.source.name, statement.source.name)]
            return any(
                same(name, each) or name.startswith(f"{each}-") for each in (*self.values(owner, "datasets"), *told)
            )
        if any(same(name, each) for each in self.values(owner, "builds_on")):
            return True
        if kind == "methods":
            return any(same(name, each) for each in self.values(owner, "methods", "aliases"))
        return self.owner(statement.target, "") in {
            self.owner(Thing(kind="method", name=each), "?") for each in self.values(owner, "builds_on")
        } or self.is_better(statement)

    def is_better(self, statement: Statement) -> bool:
        """Tell whether some result of the one is better than one of the other on the same data set."""
        for _, one in self.results:
            if not same(one.source.name, statement.source.name):
                continue
            for _, other in self.results:
                alike = same(other.source.name, statement.target.name) and same(one.target.name, other.target.name)
                if alike and one.metric == other.metric and one.number is not None and other.number is not None:
                    lower = any(word in one.metric for word in LOWER_IS_BETTER)
                    if (one.number < other.number) if lower else (one.number > other.number):
                        return True
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", choices=["wrong", "missed"], default=None)
    parser.add_argument("--kind", choices=KINDS, default=None)
    parser.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    entries = list(notes())
    gold = Gold(entries)
    if arguments.show:
        for kind, score in measure([hide(entry) for entry in entries], gold).items():
            if arguments.kind in {None, kind}:
                print(f"== {kind}", *(score.wrong if arguments.show == "wrong" else score.missed), sep="\n")
        return
    told: dict[str, Any] = {
        "hidden": summed(measure([hide(entry) for entry in entries], gold)),
        "visible": summed(measure(entries, gold)),
    }
    if arguments.speed:
        told["speed"] = speed(entries)
    print(json.dumps(told, indent=1))


def notes() -> Iterator[Entry]:
    """Yield the demo notes, cut into passages."""
    reader = MarkdownReader(max_bytes=10_000_000)
    for path in sorted(Path(str(files("scholarmind.demo").joinpath("notes"))).glob("*.md")):
        for reading in reader.read(path):
            assert not isinstance(reading, Problem), reading
            if hasattr(reading, "document"):
                yield enter(reading, Cutting())  # pyright: ignore[reportArgumentType]


def hide(entry: Entry) -> Entry:
    """Return a note without the fields that are checked."""
    metadata = {key: value for key, value in entry.document.metadata.items() if key not in HIDDEN}
    return replace(entry, document=replace(entry.document, metadata=metadata))


def measure(entries: list[Entry], gold: Gold) -> dict[str, Score]:
    """Extract all notes, knowing the names that the others' visible metadata give, and score every kind of edge."""
    known = KnownNames.of(thing for entry in entries for thing in named_in(entry.document))
    scores = {kind: Score() for kind in KINDS}
    for entry in entries:
        stated = edges(extract(entry, known).statements)
        for kind in KINDS:
            judge(scores[kind], kind, replace(entry, document=gold.documents[entry.document.id]), stated, gold)
    return scores


def edges(statements: Iterable[Statement]) -> Mapping[str, list[Statement]]:
    """Return statements by what of the front matter they are compared with."""
    found: dict[str, dict[object, Statement]] = defaultdict(dict)
    for each in statements:
        pair = (each.source.name, key_of(each.target.name))
        if each.relation == "AUTHORED_BY":
            found["authors"].setdefault(pair, each)
        if each.relation in {"EVALUATED_ON", "USES", "REPORTS"} and each.target.kind == "dataset":
            found["datasets"].setdefault(pair, each)
        if each.relation in {"USES", "PROPOSES"} and each.target.kind == "method":
            found["methods"].setdefault(pair, each)
        if each.relation == "IMPROVES_ON":
            found["builds_on"].setdefault(pair, each)
        if each.relation == "USES" and each.target.kind == "method":
            found["used"].setdefault(pair, each)
        if each.relation == "REPORTS":
            found["results"].setdefault((*pair, each.metric, each.value), each)
    return {kind: list(found[kind].values()) for kind in (*KINDS, "used")}


def judge(score: Score, kind: str, entry: Entry, stated: Mapping[str, list[Statement]], gold: Gold) -> None:
    """Count what is right of what was stated, and what of the front matter was found."""
    document, words = entry.document, key_of(entry.text).split()
    said = stated[kind]
    for each in said:
        score.said += 1
        if gold.is_right(kind, document.id, each):
            score.right += 1
        else:
            score.wrong.append(f"{document.id}: {shown(each)}")
    own = [each for each in said if gold.owner(each.source, document.id) == document.id]
    if kind == "builds_on":
        own += [each for each in stated["used"] if gold.owner(each.source, document.id) == document.id]
    for wanted in wanted_of(kind, document):
        score.gold += 1
        named = not isinstance(wanted, str) or kind == "authors" or within(key_of(wanted).split(), words)
        score.named += named
        if any(is_it(kind, wanted, each) for each in (said if kind == "results" else own)):
            score.found += 1
            score.named_found += named
        else:
            score.missed.append(f"{document.id}: {wanted if isinstance(wanted, str) else shown(wanted)}")


def wanted_of(kind: str, document: Document) -> Iterator[str | Statement]:
    """Yield what the front matter of a note says."""
    if kind == "authors":
        yield from document.authors
    elif kind == "results":
        yield from filter(None, map(reported, values_of(document, kind)))
    else:
        yield from values_of(document, kind)


def is_it(kind: str, wanted: str | Statement, stated: Statement) -> bool:
    if not isinstance(wanted, str):
        return same_result(stated, wanted)
    return stated.target.name == wanted if kind == "authors" else same(stated.target.name, wanted)


def shown(each: Statement) -> str:
    return " | ".join((each.relation, each.source.name, each.target.name, each.metric, each.value, each.setting))


def summed(scores: Mapping[str, Score]) -> dict[str, Any]:
    """Return the scores by kind, and of all together, with and without the authors, which are only copied."""
    every = {
        "all": list(scores.values()),
        "all but authors": [score for kind, score in scores.items() if kind != "authors"],
    }
    told = {kind: score.told() for kind, score in scores.items()}
    for name, parts in every.items():
        told[name] = Score(
            said=sum(part.said for part in parts),
            right=sum(part.right for part in parts),
            gold=sum(part.gold for part in parts),
            found=sum(part.found for part in parts),
            named=sum(part.named for part in parts),
            named_found=sum(part.named_found for part in parts),
        ).told()
    return told


def speed(entries: list[Entry]) -> dict[str, float]:
    """Return how long a passage takes, of the notes over and over."""
    known = KnownNames.of(thing for entry in entries for thing in named_in(entry.document))
    passages = sum(len(entry.passages) for entry in entries)
    start = time.perf_counter()
    rounds = 5
    for _ in range(rounds):
        for entry in entries:
            extract(entry, known)
    seconds = time.perf_counter() - start
    return {"passages": passages, "ms per passage": round(1000 * seconds / rounds / passages, 2)}


def same(one: str, other: str) -> bool:
    """Tell whether two names are of one thing: by the lexicon, or one has words that the other leaves out."""
    pairs = ((first, second) for first in {key_of(one), usual(one)} for second in {key_of(other), usual(other)})
    return any(first == second or within(first.split(), second.split()) for first, second in pairs)


def within(one: list[str], other: list[str]) -> bool:
    short, long = sorted((one, other), key=len)
    size = len(short)
    return size < len(long) and bool(short) and any(long[n : n + size] == short for n in range(len(long) - size + 1))


def usual(name: str) -> str:
    key = key_of(name)
    first = lexicon().first_names.get(key)
    return key_of(first.name) if first else key


def same_result(one: Statement, other: Statement) -> bool:
    return (
        same(one.source.name, other.source.name)
        and same(one.target.name, other.target.name)
        and number_of(one.value) == number_of(other.value)
        and same(metric(one), metric(other))
    )


def metric(statement: Statement) -> str:
    return SAME_METRIC.get(statement.metric.casefold(), statement.metric)


if __name__ == "__main__":
    main()
