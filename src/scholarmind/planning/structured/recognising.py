"""Recognise a question that the graph of papers answers by counting, sorting or following edges. Cautious: most questions are none.

Every word is accounted for: it says a form, a kind, a relation or nothing, or it belongs to a name or topic that stands where those stand.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from scholarmind.planning.protected import REFERENCES, cleaned
from scholarmind.planning.split import polite
from scholarmind.planning.structured.describing import asked_by, described_within
from scholarmind.planning.structured.forms import form_said
from scholarmind.planning.structured.joining import joined
from scholarmind.planning.structured.performance import CHINESE_PERFORMANCE, ENGLISH_PERFORMANCE
from scholarmind.planning.structured.pieces import cutter_for
from scholarmind.planning.structured.placing import NAMED
from scholarmind.planning.structured.reading import Reading
from scholarmind.planning.structured.thresholds import threshold_of
from scholarmind.planning.structured.years import years_of
from scholarmind.planning.words import is_chinese, statement
from scholarmind.relations import Form, Query
from scholarmind.text.language import lazy_regex

_LONGEST = 600  # characters
_SEVERAL = lazy_regex(r"[?？!！;；\n]|。|(?<=[a-z0-9)])\. (?=[A-Z])")
_CONTROL = lazy_regex(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_LETTERS = lazy_regex(r"[A-Za-z#]")
_EITHER = lazy_regex(r" or |或")
_YES_OR_NO = lazy_regex(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might)\b", re.IGNORECASE
)
_OF_A_SET: frozenset[Form] = frozenset(("common", "count", "ranking"))  # no list of names stands for a set
_STANDS_IN = "#1"  # for a description, while the rest is read


def recognise(text: str, now: int | None = None) -> Query | None:
    """Return what the graph is asked for, or None where the question is not plainly one of its forms.

    `now` is the year that "the last three years" are counted from.
    """
    return _recognised(text, now or datetime.now(UTC).year)


def described(text: str, now: int | None = None) -> Query | None:
    """Return the query behind a description that stands for its answer: `the models that improve on BERT`, `BERT所改进的模型`."""
    asked = asked_by(statement(text))
    return recognise(asked, now) if asked and len(asked) < _LONGEST else None


def form_of(text: str) -> Form | None:
    """Return the form of a structured question; None for any other."""
    query = recognise(text)
    return query.form if query else None


def held_together(text: str, parts: Sequence[str]) -> bool:
    """Tell whether a question that the graph answers whole would be taken apart in another way than into two steps of its own.

    What several did together, have in common, or any of them has, is one set, and so is what is counted or ranked.
    """
    query = recognise(text) if len(parts) > 1 else None
    if query is None:
        return False
    pieces = cutter_for(chinese=is_chinese(text)).cut(text)
    of_papers = query.wanted != "institution" and any(piece.tag == "kind" for piece in pieces)
    if is_chinese(text) and not (of_papers or _LETTERS.search("".join(query.about))):
        return False  # which of three dishes
    together = any(piece.tag == "together" for piece in pieces)
    if query.form in _OF_A_SET or together or any(map(_EITHER.search, query.about)):
        return True
    return len(parts) > 2 or not all(recognise(REFERENCES.sub("#1", part)) for part in parts)


@lru_cache(maxsize=256)
def _recognised(text: str, now: int) -> Query | None:
    body = statement(polite(cleaned(_CONTROL.sub(" ", text[: _LONGEST + 1])).strip()))
    if not body or len(text) > _LONGEST or _SEVERAL.search(body):
        return None
    found = _performance(body) or _of_description(body, now) or _read(body, now)
    return replace(found, text=text) if found else None


def _performance(text: str) -> Query | None:
    """Return what asks how good one method is, whatever it was tried on; in Chinese too, its name has some Latin letters."""
    match = (CHINESE_PERFORMANCE if is_chinese(text) else ENGLISH_PERFORMANCE).search(text)
    name = next((said for said in match.groups() if said), "").strip() if match else ""
    pieces = cutter_for(chinese=is_chinese(text)).cut(name)
    if (
        not _LETTERS.search(name)
        or not NAMED.search(name)
        or [piece.tag for piece in pieces if piece.tag != "quiet"] != ["name"]
    ):
        return None
    (named,) = (piece.text for piece in pieces if piece.tag == "name")
    return Query(form="results", wanted="method", text=text, relation="REPORTS", about=(named,))


def _of_description(text: str, now: int) -> Query | None:
    """Return a question about what is only described, which must be a structured question too."""
    inner = described_within(text)
    query = described(inner, now) if inner else None
    if query is None or not (query.about or query.without):  # one that only says from when is read as it stands
        return None
    outer = _read(text.replace(inner, _STANDS_IN, 1), now)
    return replace(outer, about=(inner,)) if outer and outer.about == (_STANDS_IN,) else None


def _read(text: str, now: int) -> Query | None:
    chinese = is_chinese(text)
    years = years_of(text, now, chinese=chinese)
    papers = threshold_of(years.text, chinese=chinese)
    pieces = joined(cutter_for(chinese=chinese).cut(papers.text), papers.text, chinese=chinese)
    reading = Reading(papers.text, pieces, years, chinese, papers.least)
    return form_said(reading)(reading) if _is_one(reading) else None


def _is_one(reading: Reading) -> bool:
    """Tell whether it is one question that counting may answer."""
    if _YES_OR_NO.match(reading.text) and not reading.has("asks", "conflict", "count", "who"):
        return False
    if reading.has("stop") or (reading.has("soft") and not reading.has("conflict")) or reading.questions > 1:
        return False
    if (reading.has("number") and not reading.has("most")) or (
        reading.has("each") and any(len(group) > 1 for group in reading.groups)
    ):
        return False
    if not reading.is_of_one_relation and not reading.has("conflict", "lineage"):
        return False
    return reading.is_accounted_for and reading.begins_with_what_it_asks
