"""A clause behind a question for a list that asks something of each of its items, and of what that question is about as well.

`Which datasets was BERT evaluated on, and what is its score on each?`: `its` is BERT's, and `each` are the datasets.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from scholarmind.planning.bound import meant_place
from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.protected import Line
from scholarmind.planning.verbs import BASE_VERBS, FINITE_VERBS
from scholarmind.planning.words import AUX, PREPOSITIONS, is_chinese, is_plural, question, statement, trimmed
from scholarmind.text.patterns import lazy_regex

_NOUN = r"[a-z][a-z\-]*"
_LISTED = lazy_regex(
    rf"^(?:(?:in|on|for|by|at|from|with|to) )?(?:which|what|list|name|identify|give|find)(?: (?:of|are|were|all|the|these))* "
    rf"(?P<noun>{_NOUN}(?: {_NOUN}){{0,5}})",
    re.IGNORECASE,
)
_EACH = lazy_regex(
    rf"\b(?:each|every)(?: single)?(?: one)?(?: of (?:them|these|those)\b| of (?:the|these|those) (?P<of>{_NOUN})|(?= |$))"
    rf"(?: (?P<noun>{_NOUN}))?",
    re.IGNORECASE,
)
_ALL = lazy_regex(r"\b(?:them|these|those)(?=[,.]|$)", re.IGNORECASE)
_OWNER = lazy_regex(r"\b(?P<own>its|their|his|her)\b(?=\s+\w)|\b(?:it|they|he|she)\b", re.IGNORECASE)
_DOER = lazy_regex(
    rf"\b(?:{'|'.join(sorted(AUX))})\s+(?P<x>(?:the|this|that)\s+(?:{_NOUN}\s+)?{_NOUN})\s+{_NOUN}", re.IGNORECASE
)
_CHINESE_EACH = lazy_regex(
    r"(?:它们|他们|她们)(?:各自?|分别)都?|(?:每一?[个种篇项部款位家本座条届]|各个?(?=[^自种个]))"
    r"(?P<noun>[\u3400-\u9fff]{1,6}?)??(?=[上中里下的有是在由使用需包含达，]|分别|各自|$)"
)
_CHINESE_ALL = lazy_regex(r"(?:这些|那些)(?P<noun>[\u3400-\u9fff]{1,4}?)(?=[上中里的，]|$)|它们(?=[上中里])")
_CHINESE_OWNER = lazy_regex(r"(?:[它他她]|其(?![中他余次实]))(?!们)的?")
_CHINESE_DOER = lazy_regex(
    r"^(?P<x>[^，。？在用使采提包支有的]{2,20}?)(?:都|曾经?|主要|分别)?"
    r"(?:在|使用|采用|用|支持|提出|入侵|获得|赢得|包含|包括|参加|写|发布)[了过]?哪"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pointer:
    """Where a word points to the items of a list, and whether it says that each is meant."""

    start: int
    end: int
    each: bool


def of_each(line: Line, earlier: Sequence[Draft]) -> list[Draft]:
    """Return what is asked of each item of the list before it: one draft for each such list, or nothing."""
    chinese = is_chinese(line.text)
    places = _behind_lists(line, earlier) if earlier and earlier[-1].after else _same_asked(earlier)
    found = [(place, _asked(line, earlier[place], reference(place), chinese=chinese)) for place in places]
    return [
        Draft(
            text=question(text),
            after=(place,),
            each=each,
            entity=earlier[place].entity if len(places) > 1 else "",
            topics=earlier[place].topics,
        )
        for place, (text, each) in found
        if text
    ]


def _same_asked(earlier: Sequence[Draft]) -> list[int]:
    """Return the last question, with those that the same clause asks of other things beside it."""
    if not earlier or earlier[-1].role != "find":
        return []
    group = earlier[-1].group
    return [place for place, draft in enumerate(earlier) if draft.group == group and draft.role == "find"]


def _behind_lists(line: Line, earlier: Sequence[Draft]) -> list[int]:
    """Return which of lists that hang on each other a clause speaks of: the one that it names, else the one that fits."""
    match = (_CHINESE_EACH if is_chinese(line.text) else _EACH).search(line.mask)
    if match is None or earlier[-1].role != "find":
        return []
    noun = match.groupdict().get("of") or match["noun"] or ""
    return [meant_place(line, match[0], noun, earlier, len(earlier) - 1)]


def _asked(line: Line, before: Draft, answer: str, *, chinese: bool) -> tuple[str, bool]:
    """Return the clause with the answer for the items and the thing for the word that points to it, and whether each is meant."""
    mask = line.mask[: len(statement(line.text))]
    pointer = _chinese_items(mask, before.text) if chinese else _items(mask, before.text)
    if pointer is None:
        return "", False
    owners = (_CHINESE_OWNER if chinese else _OWNER).finditer(mask)
    owner = next((one for one in owners if one.end() <= pointer.start or one.start() >= pointer.end), None)
    thing = _thing(before, chinese=chinese)
    items = owner is not None and owner[0].lower() in {"they", "their"} and not before.entity
    if items or (owner and not thing) or not (owner or pointer.each):
        return "", False
    put = [(pointer.start, pointer.end, answer), *([(*owner.span(), _named(thing, owner))] if owner else [])]
    text = line.text
    for start, end, new in sorted(put, reverse=True):
        text = text[:start] + new + text[end:]
    return (f"{thing}{text}" if chinese and not owner and text.startswith("在") else text), pointer.each


def _named(thing: str, owner: re.Match[str]) -> str:
    if owner.groupdict().get("own"):
        return f"{thing}'" if thing.endswith("s") else f"{thing}'s"
    return f"{thing}的" if owner[0].endswith("的") else thing


def _thing(before: Draft, *, chinese: bool) -> str:
    """Return what the question for the list is about: its name, or who does what it asks for."""
    if before.entity or len(before.topics) == 1:
        return before.entity or before.topics[0]
    match = None if before.topics else (_CHINESE_DOER.match if chinese else _DOER.search)(statement(before.text))
    return trimmed(match["x"]) if match else ""


def _items(mask: str, before: str) -> _Pointer | None:
    """Return the word that points to the items which the question before asks for."""
    listed = _LISTED.match(before)
    if listed is None:
        return None
    nouns = list(takewhile(lambda word: word not in AUX | FINITE_VERBS | PREPOSITIONS, listed["noun"].split()))
    if len(nouns) > 1 and nouns[-1] in BASE_VERBS and is_plural(nouns[-2]):
        nouns.pop()  # which methods improve ...
    if not any(map(is_plural, nouns)):
        return None
    for match in _EACH.finditer(mask):
        noun, behind = match["of"], match["noun"]
        if noun and not _names(noun, nouns):
            continue
        if not noun and behind and _names(behind, nouns):
            return _Pointer(start=match.start(), end=match.end(), each=True)
        if not behind or behind in BASE_VERBS | FINITE_VERBS | AUX | PREPOSITIONS:
            end = match.start("noun") - 1 if behind else match.end()
            return _Pointer(start=match.start(), end=end, each=True)
    match = _ALL.search(mask)
    return _Pointer(start=match.start(), end=match.end(), each=False) if match else None


def _names(noun: str, nouns: Sequence[str]) -> bool:
    """Tell whether a noun is one of these, in the singular or the plural."""
    noun = noun.lower()
    return any(form in nouns for form in (noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies"))


def _chinese_items(mask: str, before: str) -> _Pointer | None:
    if not re.search(r"哪一?[些个几种篇家项]|有哪", before):
        return None
    for pattern in (_CHINESE_EACH, _CHINESE_ALL):
        for match in pattern.finditer(mask):
            if not match["noun"] or match["noun"] in before:
                return _Pointer(start=match.start(), end=match.end(), each=pattern is _CHINESE_EACH)
    return None
