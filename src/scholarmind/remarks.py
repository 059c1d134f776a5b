"""Watched questions, which are asked again after each change of the documents, and remarks on their answers, as they are kept."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, cast, get_args

from scholarmind.answer import Citation

RemarkKind = Literal["answered", "conflict", "settled", "source", "changed", "counted", "lost"]
_SHORTENED = 16  # hexadecimal digits of a checksum


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that changed in the answer to a watched question, with what it rests on.

    `before` and `after` are the statuses of the row, or what was counted.
    """

    kind: RemarkKind
    row: str  # the text of the row
    said: str = ""  # the row's answer now, why it disagrees, or what it lacks
    before: str = ""
    after: str = ""
    quotes: tuple[Citation, ...] = ()  # what is new first
    fresh: int = 0  # how many of the quotes no earlier answer cited
    id: str = ""  # urn:uuid:..., the same for ever
    name: str = ""  # of the watched question
    question: str = ""
    run: str = ""
    at: float = 0.0  # seconds since 1970

    @property
    def sources(self) -> tuple[str, ...]:
        """The keys of what is new in it, each once; of all its quotes where nothing is."""
        return tuple(dict.fromkeys(quote.key for quote in self.quotes[: self.fresh] or self.quotes))


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedQuestion:
    """A question that is asked again whenever the library changed, and its latest answer, which the next is held against."""

    name: str
    question: str
    id: str  # a UUID
    settings: Mapping[str, Any] = field(
        default_factory=dict[str, Any]
    )  # that it is asked with, beside those of the library
    within: Mapping[str, Any] | None = None  # a filter, as JSON (`record.filter_record`)
    added: float = 0.0  # seconds since 1970
    asked: float = 0.0
    first: int = 0  # the library's change that the first answer knew
    change: int = 0  # the one that the latest answer knew
    turn: int = 0  # how often it was answered
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])  # the latest, cut down to what is compared
    seen: frozenset[tuple[str, str, str]] = frozenset()  # what its answers ever cited: `mark_of`


def mark_of(collection: str, document: str, words: str) -> tuple[str, str, str]:
    """Return what a citation is known by again: its document, and a checksum of its words."""
    plain = " ".join(words.casefold().split())
    return collection, document, hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:_SHORTENED]


def marks_of(answer: Mapping[str, Any]) -> frozenset[tuple[str, str, str]]:
    """Return the marks of all that an answer, as JSON, cites."""
    return frozenset(mark_of(item["collection"], item["document"], item["quote"]) for item in answer["citations"])


def compared_part(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return of an answer, as JSON, what a later one is compared with: without the texts of passages, plans and calls."""
    kept = ("question", "asked", "answer", "verdict", "run", "claims", "citations")
    rows = ("id", "text", "status", "missing", "answer", "tallies")
    found = ("document", "collection", "title")
    parts = [
        {name: row[name] for name in rows}
        | {"evidence": [{name: item[name] for name in found} for item in row["evidence"]]}
        for row in answer["parts"]
    ]
    return {name: answer[name] for name in kept} | {"parts": parts}


def remark_record(remark: Remark) -> dict[str, Any]:
    """Return a remark as JSON."""
    return asdict(remark)


def remark_of(record: Mapping[str, Any]) -> Remark:
    """Read a remark back; what a later version noted beside ours is left out, and a kind that is not known is a ValueError."""
    known = _known(record, Remark)
    if known["kind"] not in get_args(RemarkKind):
        raise ValueError(f"{known['kind']!r} is no kind of remark")
    known["quotes"] = tuple(citations_of(known.get("quotes", ())))
    return Remark(**known)


def citations_of(records: Iterable[Mapping[str, Any]]) -> Iterable[Citation]:
    """Yield citations as they were before they became JSON."""
    for record in records:
        known = _known(record, Citation)
        known |= {name: tuple(cast("list[str]", known.get(name) or ())) for name in ("authors", "section")}
        yield Citation(**known)


def _known(record: Mapping[str, Any], kind: type[Any]) -> dict[str, Any]:
    names = {item.name for item in fields(kind)}
    return {name: value for name, value in record.items() if name in names}
