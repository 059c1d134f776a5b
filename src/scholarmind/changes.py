"""What became of an answer: an earlier one and a later one to the same question held against each other, and what caused the difference.

Knows answers only as JSON (`record.answer_record`), which is how runs keep them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scholarmind.model import Document
from scholarmind.text.analysis import terms

Record = Mapping[str, Any]
Place = tuple[str, str]  # collection and id of a document
_ALIKE = 0.6  # of the words of two sentences in common, where their numbers and sources are the same
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """A row of the completeness table before and after; '' where there was no such row."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimChange:
    """A sentence of one of the answers, the keys that it cites, and the titles of the changed documents among what it rests on."""

    text: str
    status: str
    citations: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    before: str = ""  # as it was worded, if that changed


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """A document that changed since, and what the answers have to do with it.

    `new` came in or was changed since, and the earlier answer had not found it.
    """

    collection: str
    document: str
    title: str
    what: Literal["new", "changed", "removed"]
    before: str = ""  # cited, found, or ''
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyChange:
    """What was counted for a row before and after, in one sentence each ('': nothing was), and the lines that came and went."""

    text: str  # of the row
    before: str
    after: str
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The difference between two answers. Where `asked` is false nothing had changed that an answer rests on."""

    question: str
    run: str  # the earlier one
    again: str = ""  # the later one
    asked: bool = True
    verdict: tuple[str, str] = ("", "")
    rows: tuple[RowChange, ...] = ()  # that are not what they were
    counted: tuple[TallyChange, ...] = ()
    new: tuple[ClaimChange, ...] = ()
    gone: tuple[ClaimChange, ...] = ()
    kept: tuple[ClaimChange, ...] = ()
    cited: tuple[str, ...] = ()  # keys that are cited now and were not
    cited_no_more: tuple[str, ...] = ()
    documents: tuple[DocumentChange, ...] = ()  # those that the answers rest on
    other_documents: int = 0  # that changed too, and neither answer rests on
    settings: tuple[str, ...] = ()  # names of those that differ

    @property
    def any(self) -> bool:
        """Tell whether the answer is another one, apart from its wording."""
        sources = self.cited or self.cited_no_more
        said = self.rows or self.counted or self.new or self.gone
        return bool(said or sources or self.verdict[0] != self.verdict[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChange:
    """What became of the documents in between: those that came in or came anew, and those that the earlier answer used and are gone."""

    came: Sequence[Document] = ()
    gone: frozenset[Place] = frozenset()


def compare(before: Record, after: Record, library: LibraryChange, settings: Sequence[str] = ()) -> Changes:
    """Return what changed from one answer to another."""
    documents = _documents(before, after, library)
    titles = {(item.collection, item.document): item.title or item.document for item in documents}
    old, new = _Claims(before, titles), _Claims(after, titles)
    pairs = _pairs(old.all, new.all)
    keys, keys_before = _keys(after), _keys(before)
    used = {(item.collection, item.document) for item in documents}
    return Changes(
        question=str(after.get("asked") or after["question"]),
        run=str(before["run"]),
        again=str(after["run"]),
        verdict=(before["verdict"], after["verdict"]),
        rows=_rows(before, after),
        counted=_counted(before, after),
        new=tuple(new.told(claim) for place, claim in enumerate(new.all) if place not in pairs.values()),
        gone=tuple(old.told(claim) for place, claim in enumerate(old.all) if place not in pairs),
        kept=tuple(new.told(new.all[two], old.all[one]["text"]) for one, two in pairs.items()),
        cited=tuple(key for place, key in keys.items() if place not in keys_before),
        cited_no_more=tuple(key for place, key in keys_before.items() if place not in keys),
        documents=documents,
        other_documents=sum((item.collection, item.id) not in used for item in library.came),
        settings=tuple(settings),
    )


def used(answer: Record) -> dict[Place, tuple[str, str]]:
    """Return the documents that an answer rests on: how, and their titles. What is cited is found, too."""
    found = {_place(item): ("found", str(item["title"])) for part in answer["parts"] for item in part["evidence"]}
    return found | {_place(item): ("cited", str(item["title"])) for item in answer["citations"]}


def differing(before: Record, after: Record) -> tuple[str, ...]:
    """Return the names of the settings that differ, those of a table one by one; what was not written down then is not compared."""
    names: list[str] = []
    for name in sorted(before.keys() - {"conversation"}):
        one, other = before.get(name), after.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping) and name != "within":
            inner = differing(one, other)  # type: ignore[arg-type]
            names += inner if name == "options" else [f"{name}.{item}" for item in inner]
        elif one != other:
            names.append("filter" if name == "within" else name)
    return tuple(names)


class _Claims:
    """The claims of an answer, and what each rests on."""

    def __init__(self, answer: Record, titles: Mapping[Place, str]) -> None:
        self.all: list[Record] = list(answer["claims"])
        self._titles = titles
        self._places: dict[str, list[Place]] = {}
        for item in answer["citations"]:
            places = self._places.setdefault(item["key"], [])
            if _place(item) not in places:
                places.append(_place(item))

    def told(self, claim: Record, before: str = "") -> ClaimChange:
        """Return a claim with the changed documents that it rests on."""
        places = [place for key in claim["citations"] for place in self._places.get(key, ())]
        return ClaimChange(
            text=claim["text"],
            status=claim["status"],
            citations=tuple(claim["citations"]),
            because=tuple(dict.fromkeys(self._titles[place] for place in places if place in self._titles)),
            before=before if _plain(before) != _plain(claim["text"]) else "",
        )


def _pairs(old: Sequence[Record], new: Sequence[Record]) -> dict[int, int]:
    """Return which claim became which: first those in the same words, then those with the same numbers, sources, and most words."""
    pairs: dict[int, int] = {}
    for alike in (_same, _likely):
        for one, claim in enumerate(old):
            if one not in pairs:
                free = (place for place in range(len(new)) if place not in pairs.values())
                if (match := next((place for place in free if alike(claim, new[place])), None)) is not None:
                    pairs[one] = match
    return dict(sorted(pairs.items(), key=lambda pair: pair[1]))


def _same(one: Record, other: Record) -> bool:
    return _plain(one["text"]) == _plain(other["text"])


def _likely(one: Record, other: Record) -> bool:
    if set(one["citations"]) != set(other["citations"]):
        return False
    if set(_NUMBER.findall(one["text"])) != set(_NUMBER.findall(other["text"])):
        return False
    words, others = set(terms(one["text"])), set(terms(other["text"]))
    return len(words & others) >= _ALIKE * len(words | others) > 0


def _rows(before: Record, after: Record) -> tuple[RowChange, ...]:
    """Return the rows that are not what they were; they are known by their texts."""
    old = {_plain(row["text"]): row for row in before["parts"]}
    new = {_plain(row["text"]): row for row in after["parts"]}
    changed: list[RowChange] = []
    for text in dict.fromkeys((*new, *old)):
        row = new.get(text) or old[text]
        statuses = tuple(rows[text]["status"] if text in rows else "" for rows in (old, new))
        if statuses[0] != statuses[1]:
            changed.append(RowChange(text=row["text"], before=statuses[0], after=statuses[1]))
    return tuple(changed)


def _counted(before: Record, after: Record) -> tuple[TallyChange, ...]:
    """Return what is counted otherwise now, row by row, for rows that both answers have."""
    old = {_plain(row["text"]): _tally(row) for row in before["parts"]}
    changed: list[TallyChange] = []
    for row in after["parts"]:
        (said, lines), (told, known) = _tally(row), old.get(_plain(row["text"]), _tally(row))
        if (said, lines) != (told, known):
            new, gone = (
                tuple(line for line in one if line not in other) for one, other in ((lines, known), (known, lines))
            )
            changed.append(TallyChange(text=row["text"], before=told, after=said, new=new, gone=gone))
    return tuple(changed)


def _tally(row: Record) -> tuple[str, list[str]]:
    """Return what was counted for a row, as one sentence and line by line; answers of earlier versions say nothing of it."""
    tallies = row.get("tallies", ())
    lines = [" | ".join(filter(None, line["cells"])) for tally in tallies for line in tally["rows"]]
    return " ".join(tally["said"] for tally in tallies), lines


def _documents(before: Record, after: Record, library: LibraryChange) -> tuple[DocumentChange, ...]:
    """Return the documents that changed and that either answer rests on, what is cited first."""
    old, new = used(before), used(after)
    came = {(document.collection, document.id) for document in library.came}
    changed: list[DocumentChange] = []
    for place in dict.fromkeys((*new, *old)):
        if place not in came and place not in library.gone:
            continue
        title = (new.get(place) or old[place])[1]
        what = "removed" if place in library.gone else "changed" if place in old else "new"
        roles = (old.get(place, ("", ""))[0], new.get(place, ("", ""))[0])
        changed.append(
            DocumentChange(
                collection=place[0], document=place[1], title=title, what=what, before=roles[0], after=roles[1]
            )
        )
    return tuple(sorted(changed, key=lambda item: "cited" not in {item.before, item.after}))


def _keys(answer: Record) -> dict[Place, str]:
    return {_place(item): item["key"] for item in answer["citations"]}


def _place(item: Record) -> Place:
    return item["collection"], item["document"]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def nothing_changed(before: Record) -> Changes:
    """Return that an answer would be what it was, without asking."""
    verdict = str(before["verdict"])
    question = str(before.get("asked") or before["question"])
    return Changes(question=question, run=str(before["run"]), asked=False, verdict=(verdict, verdict))


def gone(places: Iterable[Place], there: Iterable[Document]) -> frozenset[Place]:
    """Return the places of documents that are no longer there."""
    return frozenset(places) - {(document.collection, document.id) for document in there}
