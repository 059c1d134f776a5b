"""Take one clause apart, rule by rule, until no part of it can be taken apart further."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from scholarmind.planning import chinese, chinese_bridge
from scholarmind.planning.anaphora import topics_of
from scholarmind.planning.bridge import bridge
from scholarmind.planning.choose import choose
from scholarmind.planning.compare import compare
from scholarmind.planning.distribute import distribute
from scholarmind.planning.draft import Draft, apart, appended, reference
from scholarmind.planning.each import each_of
from scholarmind.planning.effects import effects
from scholarmind.planning.protected import Line, Protector
from scholarmind.planning.sources import sources
from scholarmind.planning.words import CHINESE, content, is_chinese, question

Rule = Callable[[Line], list[Draft]]
_ENGLISH: tuple[tuple[str, Rule], ...] = (
    ("something of each", each_of),
    ("comparison", compare),
    ("sources side by side", sources),
    ("choice", choose),
    ("effect", effects),
    ("several things", distribute),
    ("steps", bridge),
)
_CHINESE: tuple[tuple[str, Rule], ...] = (
    ("something of each", each_of),
    ("comparison", chinese.compare),
    ("effect", effects),
    ("several things", chinese.distribute),
    ("steps", chinese_bridge.bridge),
)
ANSWER = "\ue0f0"  # stands for the answer of a part, as if it were a name, while what holds it is taken apart
_OWNED = re.compile(rf"{ANSWER}['’]s? (?P<what>[^?]+)(?=[?.])")
BUDGET = 48  # how far one clause may be taken apart
LONGEST_CLAUSE = 600  # characters; a longer sentence is only cut into clauses


def expanded(text: str, protector: Protector, reasons: list[str], budget: int = BUDGET) -> list[Draft]:
    """Return the parts of one clause; a part that waits for nothing is taken apart again."""
    line = protector.line(text)
    if len(text) > LONGEST_CLAUSE or budget < 2:
        return [Draft(text=question(text), topics=topics_of(line) if len(text) <= LONGEST_CLAUSE else ())]
    for name, rule in _CHINESE if is_chinese(text) else _ENGLISH:
        parts = rule(line)
        if len(parts) > 1 and _smaller(parts, text):
            reasons.append(name)
            return deeper(parts, protector, reasons, budget // len(parts))
    return [Draft(text=question(text), topics=topics_of(line))]


def _smaller(parts: Sequence[Draft], text: str) -> bool:
    """Tell whether every part asks about less than the whole, so that taking apart comes to an end."""
    whole = _told(text)
    return all(
        0 < len(whole & _told(part.text)) < len(whole) for part in parts if part.role == "find" and not part.after
    )


def _told(text: str) -> set[str]:
    """Return the words, or pairs of Chinese characters, that a text says something with."""
    found: set[str] = set()
    for word in content(text):
        found |= {word[place : place + 2] for place in range(max(1, len(word) - 1))} if CHINESE.match(word) else {word}
    return found


def deeper(parts: Sequence[Draft], protector: Protector, reasons: list[str], budget: int) -> list[Draft]:
    """Return the parts of one clause with each of them taken apart further that waits for nothing."""
    found: list[Draft] = []
    places: list[tuple[int, ...]] = []
    for part in parts:
        inner = expanded(part.text, protector, reasons, budget) if part.role == "find" and not part.after else []
        if len(inner) > 1:
            new = appended(
                found,
                [replace(each, entity=each.entity or part.entity, aspect=each.aspect or part.aspect) for each in inner],
            )
            used = {place - new[0] for place in new} & {place for each in inner for place in each.after}
            places.append(tuple(place for place in new if place - new[0] not in used))
        else:
            new = apart(part, places)
            places.append(tuple(range(len(found), len(found) + len(new))))
            found += new
    return found


def with_answer(seed: Draft, protector: Protector, reasons: list[str]) -> list[Draft]:
    """Return the parts of a question that holds the answer of an earlier part, which they name by its place in `after`."""
    answer = reference(seed.after[0])
    asked = _OWNED.sub(rf"the \g<what> of {ANSWER}", seed.text.replace(answer, ANSWER))
    parts = expanded(asked, protector, reasons) if len(seed.after) == 1 else []
    return parts if len(parts) > 1 else []


def answered(draft: Draft, place: int) -> Draft:
    """Return a part of such a question, waiting for that place where it names its answer."""
    return replace(
        draft,
        text=draft.text.replace(ANSWER, reference(place)),
        after=(*((place,) if ANSWER in draft.text else ()), *draft.after),
        entity="" if ANSWER in draft.entity else draft.entity,
        aspect="" if ANSWER in draft.aspect else draft.aspect,
        topics=tuple(topic for topic in draft.topics if ANSWER not in topic),
    )
