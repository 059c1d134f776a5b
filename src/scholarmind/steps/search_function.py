"""Anybody's own search function as a retriever: an async function of a question, a number and a filter."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from typing import Any, cast

from scholarmind.errors import QueryError
from scholarmind.filters import Filter
from scholarmind.model import Document, Evidence, Found, Passage, Scores, Value
from scholarmind.ports import Retriever
from scholarmind.ranking import Key, key_of
from scholarmind.text.language import language_of

SearchFunction = Callable[[str, int, Filter | None], Awaitable[Iterable[Any]]]
_TAKEN = {"id", "text", "title", "authors", "year", "source", "score", "start", "position"}
_SHAPE = (
    "return Evidence, texts, or mappings with `text` and, if known, `id`, `title`, `authors`, `year`, `source`, `score`"
)

_ASYNC = "write it as `async def search(question, k, filter)`"


def as_retriever(search: Retriever | SearchFunction) -> Retriever:
    """Return a retriever as it is, and a function as a retriever."""
    if hasattr(search, "search"):
        return cast("Retriever", search)
    return OwnSearch(search_function=cast("SearchFunction", search))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSearch:
    """Calls the function and reads what it returns. What it raises becomes the error of the part that asked."""

    search_function: SearchFunction

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return what the function found, in its order, each passage once."""
        awaited = cast("Any", self.search_function(question, k, filter))
        if not isinstance(awaited, Awaitable):
            raise QueryError(f"the search function is not async (it returned {type(awaited).__name__}): {_ASYNC}")
        returned = cast("Any", await awaited)
        if isinstance(returned, Found):
            return Found(evidence=returned.evidence[:k], notices=returned.notices)
        items = () if returned is None else returned
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise _not_understood(returned)
        evidence: dict[Key, Evidence] = {}
        for place, item in enumerate(cast("Iterable[Any]", items)):
            found = item if isinstance(item, Evidence) else _evidence(item, place)
            if found.passage.text.strip():
                evidence.setdefault(key_of(found), found)
            if len(evidence) >= k:
                break
        return Found(evidence=tuple(evidence.values()))


def score_of_place(place: int) -> float:
    """Return what stands for the score of the first, second, third ... of a list without scores; it tells nothing but the order."""
    return 1 / (1 + place)


def _evidence(item: Any, place: int) -> Evidence:
    record = {"text": item} if isinstance(item, str) else item
    if not isinstance(record, Mapping) or not isinstance(record.get("text"), str):  # type: ignore[reportUnknownMemberType]
        raise _not_understood(cast("Any", item))
    known = cast("Mapping[str, Any]", record)
    text: str = known["text"]
    start = int(_number(known, "start") or 0)
    position = _number(known, "position") if known.get("start") is None else _number(known, "position") or start
    score = _number(known, "score")
    return Evidence(
        passage=Passage(
            text=text,
            start=start,
            end=start + len(text),
            position=_told_apart(text) if position is None else int(position),
            language=language_of(text),
        ),
        document=_document(known),
        scores=Scores(fused=score_of_place(place) if score is None else score),
    )


def _document(known: Mapping[str, Any]) -> Document:
    title, year = str(known.get("title") or ""), _number(known, "year")
    authors = known.get("authors") or ()
    several = cast("Iterable[Any]", authors) if isinstance(authors, list | tuple) else (authors,)
    identifier = "" if known.get("id") is None else str(known["id"])
    metadata = {str(name): _value(value) for name, value in known.items() if name not in _TAKEN}
    return Document(
        id=identifier or title or known["text"][:80],
        title=title,
        authors=tuple(map(str, several)),
        year=None if year is None else int(year),
        source=str(known.get("source") or ""),
        metadata={name: value for name, value in metadata.items() if value is not None},
    )


def _number(known: Mapping[str, Any], name: str) -> float | None:
    """Return what is a number or reads as one; a year may be given as text."""
    try:
        number = float(known.get(name, ""))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) else None


def _value(value: Any) -> Value | None:
    """Return what metadata can hold; vectors and other objects are left out."""
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return tuple(single for single in cast("Iterable[Any]", value) if isinstance(single, str)) or None
    return None


def _told_apart(text: str) -> int:
    """Return a position for a passage that came without one: the same whenever it is found, another for another text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest())


def _not_understood(item: Any) -> QueryError:
    return QueryError(f"the search function returned {type(item).__name__} {str(item)[:80]!r}; {_SHAPE}")
