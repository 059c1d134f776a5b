"""Bridges that a model says it has read from the passages that it was shown: believed only where they really stand there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.model import Evidence
from scholarmind.planning.draft import referred
from scholarmind.planning.grounds import numbers
from scholarmind.planning.plan_reply import ResolvedBridge
from scholarmind.planning.protected import REFERENCE
from scholarmind.planning.sheet import Sheet, plain
from scholarmind.planning.words import content
from scholarmind.ranking import passage_id
from scholarmind.text.analysis import fold, terms

LONGEST_ANSWER = 200  # characters; a bridge is a name, a number, or a few of them
_ITEM = re.compile(r"\s*(?:[,;，；、]|\band\b|\bor\b|&|和|与|以及)\s*")
_NOTHING = frozenset(("", "unknown", "none", "n/a", "null", "not found", "not stated", "未知", "无", "不详", "未提及"))
_KEY = re.compile(r"P\d{1,3}")


@dataclass(frozen=True, slots=True)
class Resolved:
    """An answer that stands in passages, and the ids of those in the look."""

    answer: str
    passages: tuple[str, ...]


def resolved_bridges(
    bridges: Sequence[ResolvedBridge], sheet: Sheet, shown: Mapping[str, Evidence], marker: str
) -> dict[int, Resolved]:
    """Return by place the bridges that the passages bear out; the others are noted, and their parts will be researched."""
    found: dict[int, Resolved] = {}
    for bridge in sorted(bridges, key=lambda bridge: bridge.part):
        place = sheet.place_of(bridge.part)
        answer = plain(bridge.answer, marker).rstrip(".。")
        if place is None or answer.lower() in _NOTHING or place in found:
            continue
        keys = [key for told in bridge.passages for key in _KEY.findall(told.upper()) if key in shown]
        keys = [key for key in dict.fromkeys(keys) if _holds_some(shown[key], answer)]
        if _is_borne_out(answer, sheet, place, [shown[key] for key in keys], found):
            found[place] = Resolved(answer, tuple(dict.fromkeys(passage_id(shown[key]) for key in keys)))
        else:
            sheet.note(
                f"the passages do not bear out {answer[:60]!r} as the answer of {sheet.name(place)}: it will be looked up"
            )
    return found


def _is_borne_out(
    answer: str, sheet: Sheet, place: int, passages: Sequence[Evidence], found: Mapping[int, Resolved]
) -> bool:
    """Tell whether passages say the answer and something of the question, and the question is more than the answer."""
    text = sheet.drafts[place].text
    if len(answer) > LONGEST_ANSWER or not passages or not all(each in found for each in referred(text)):
        return False
    for each in referred(text):
        text = text.replace(chr(REFERENCE + each), found[each].answer)
    asked = set(terms(" ".join(content(text))))
    said = [_said(passage) for passage in passages]
    if set(terms(answer)) <= asked or not all(_stands(item, said) for item in _ITEM.split(answer) if item):
        return False
    return any(asked & set(terms(each)) for each in said)


def _stands(item: str, said: Sequence[str]) -> bool:
    """Tell whether one of the texts has the words of an item in a row, and its numbers as numbers."""
    folded = _row(item)
    border = r"(?<!\w){}(?!\w)" if folded.isascii() else "{}"
    pattern = re.compile(border.format(re.escape(folded)))
    return any(pattern.search(_row(text)) and numbers(item) <= numbers(text) for text in said)


def _holds_some(passage: Evidence, answer: str) -> bool:
    said = _said(passage)
    return any(_stands(item, [said]) for item in _ITEM.split(answer) if item)


def _said(passage: Evidence) -> str:
    return f"{passage.document.title}\n{passage.passage.text}"


def _row(text: str) -> str:
    folded = " ".join(fold(text).split())
    return re.sub(r"^(?:the|an?) ", "", folded)
