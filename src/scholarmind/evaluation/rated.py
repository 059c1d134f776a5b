"""Questions out of the runs that people rated: what was asked, and the passages that what they found good is cited from."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from scholarmind.api import Library
from scholarmind.evaluation.datasets import Query, passage_name
from scholarmind.model import Passage
from scholarmind.ports import Rating

_TYPE = "rated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """The questions, and how many rated runs gave none, by the reason."""

    queries: tuple[Query, ...]
    left_out: Mapping[str, int]


async def rated_queries(library: Library) -> Rated:
    """Return a question for each run of which something was found good and is still in the library; of one question the latest run."""
    by_run: dict[str, list[Rating]] = {}
    for rating in await library.runs.ratings():
        by_run.setdefault(rating.run, []).append(rating)
    queries: dict[str, tuple[float, Query]] = {}
    left_out: dict[str, int] = {}
    for run, ratings in by_run.items():
        found = await _query(library, run, ratings)
        if isinstance(found, str):
            left_out[found] = left_out.get(found, 0) + 1
            continue
        key = found[1].question
        if key in queries:
            left_out["asked again later"] = left_out.get("asked again later", 0) + 1
        queries[key] = max(found, queries.get(key, found), key=lambda pair: pair[0])
    ordered = sorted((query for _, query in queries.values()), key=lambda query: query.id)
    return Rated(queries=tuple(ordered), left_out=left_out)


async def _query(library: Library, run: str, ratings: Sequence[Rating]) -> tuple[float, Query] | str:
    """Return what was asked with what is needed for it, and when; or why there is nothing."""
    known = await library.runs.find(run)
    if known is None or not known.answer:
        return "no answer is kept"
    answer: dict[str, Any] = json.loads(known.answer)
    cited = _good(answer, ratings)
    if not cited:
        return (
            "nothing was found good"
            if not any(rating.good for rating in ratings)
            else "what was found good cites nothing"
        )
    evidence, passages = await _passages(library, cited)
    if not evidence:
        return "what it cites is not in the library any more"
    question = str(answer.get("question") or known.question)
    query = Query(id=run, question=question, type=_TYPE, evidence=frozenset(evidence), references=(), passages=passages)
    return known.started, query


def _good(answer: Mapping[str, Any], ratings: Iterable[Rating]) -> list[Mapping[str, Any]]:
    """Return the citations of the parts that were found good; what is said of a part comes before what is said of the whole."""
    said = {rating.part: rating.good for rating in ratings}
    keys: set[str] = set()
    for claim in _records(answer.get("claims")):
        if said.get(_part(claim), said.get(0, False)):
            keys |= {str(key) for key in cast("list[Any]", claim.get("citations") or [])}
    return [citation for citation in _records(answer.get("citations")) if citation.get("key") in keys]


def _part(claim: Mapping[str, Any]) -> int:
    """Return the number of the part that a claim's row belongs to: 3 of 3.1."""
    number = str(claim.get("part") or "").partition(".")[0]
    return int(number) if number.isdecimal() else 0


async def _passages(library: Library, cited: Iterable[Mapping[str, Any]]) -> tuple[set[str], dict[str, str]]:
    """Return what is needed, one name for each citation; and for every passage that holds one, the name that it counts as."""
    evidence: set[str] = set()
    passages: dict[str, str] = {}
    for citation in cited:
        document, collection = str(citation["document"]), str(citation["collection"])
        entry = await library.entry.aio(document, collection=collection)
        holding = _holding(entry.passages, *_characters(citation)) if entry else []
        names = [passage_name(collection, document, passage.position) for passage in holding]
        needed = next((passages[name] for name in names if name in passages), names[0] if names else "")
        evidence |= {needed} if needed else set()
        passages |= {name: passages.get(name, needed) for name in names}
    return evidence, passages


def _characters(citation: Mapping[str, Any]) -> tuple[int, int]:
    """Return which characters of the document are cited. Answers of earlier versions have them under shorter names."""
    place = "document_" if "document_start" in citation else ""
    return int(citation[f"{place}start"]), int(citation[f"{place}end"])


def _holding(passages: Iterable[Passage], start: int, end: int) -> list[Passage]:
    """Return the passages that hold all of these characters; they overlap, so there may be two; else those that hold the first."""
    known = list(passages)
    whole = [passage for passage in known if passage.start <= start and end <= passage.end]
    return whole or [passage for passage in known if passage.start <= start < passage.end]


def _records(value: Any) -> list[Mapping[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]
