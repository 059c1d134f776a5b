"""Keep a plan under its cap: the most similar parts become one, and each question in it stays an ask of its own."""

import re
from dataclasses import dataclass

from scholarmind.plan import Ask, Role
from scholarmind.planning.draft import Draft, referred
from scholarmind.planning.protected import REFERENCE
from scholarmind.planning.words import content, statement

_FEW = 24  # above this, neighbours are put together first, so that the work stays linear
_DESCRIPTION = re.compile(r"^(?:What|Who) (?:is|are|was|were) (?P<x>.+)$|^(?P<y>.+?)(?:是什么|是谁|有哪些)$")


@dataclass(frozen=True, slots=True)
class Merged:
    """A part of the plan, with the drafts that went into it, in order."""

    drafts: tuple[Draft, ...]
    places: tuple[int, ...]
    after: frozenset[int]

    @property
    def role(self) -> Role:
        """What makes the answer of the part: to be found, if anything in it has to be."""
        return "find" if any(draft.role == "find" for draft in self.drafts) else self.drafts[0].role


def merged(drafts: list[Draft], cap: int) -> list[Merged]:
    """Return the parts of a plan, at most as many as the cap allows, in an order in which each can be worked on."""
    parts = [Merged((draft,), (place,), frozenset(draft.after)) for place, draft in enumerate(drafts)]
    if len(parts) > _FEW > cap:
        parts = _neighbours(parts, max(cap, _FEW))
    parts = _ordered(parts)
    words = {id(part): _words(part) for part in parts}
    while len(parts) > max(1, cap):
        first, second = _nearest(parts, words)
        joined = _joined(parts[first], parts[second])
        words[id(joined)] = words[id(parts[first])] | words[id(parts[second])]
        rest = [part for place, part in enumerate(parts) if place not in {first, second}]
        parts = _ordered([*rest, joined])
    return parts


def _words(part: Merged) -> frozenset[str]:
    return frozenset(word for draft in part.drafts for word in content(draft.text))


def _neighbours(parts: list[Merged], wanted: int) -> list[Merged]:
    """Put parts that stand beside each other together until few are left; a part and those that wait for it may share one."""
    parts = _ordered(parts)
    size = -(-len(parts) // wanted)
    found: list[Merged] = []
    for begin in range(0, len(parts), size):
        group = parts[begin : begin + size]
        pairs = sorted(
            ((place, draft) for part in group for place, draft in zip(part.places, part.drafts, strict=True)),
            key=lambda pair: pair[0],
        )
        places = tuple(place for place, _ in pairs)
        after = frozenset[int]().union(*(part.after for part in group)) - set(places)
        found.append(Merged(tuple(draft for _, draft in pairs), places, after))
    return found


def _joined(first: Merged, second: Merged) -> Merged:
    places = (*first.places, *second.places)
    drafts = (*first.drafts, *second.drafts)
    order = sorted(range(len(places)), key=places.__getitem__)
    places = tuple(places[each] for each in order)
    return Merged(tuple(drafts[each] for each in order), places, (first.after | second.after) - set(places))


def _ordered(parts: list[Merged]) -> list[Merged]:
    """Return the parts in the order of the question, each behind what it waits for."""
    owner = {place: number for number, part in enumerate(parts) for place in part.places}
    waits = [{owner[place] for place in part.after} - {number} for number, part in enumerate(parts)]
    done: list[int] = []
    left = sorted(range(len(parts)), key=lambda number: parts[number].places[0])
    while left:
        ready = next((number for number in left if waits[number] <= set(done)), left[0])
        done.append(ready)
        left.remove(ready)
    return [parts[number] for number in done]


def _nearest(parts: list[Merged], words: dict[int, frozenset[str]]) -> tuple[int, int]:
    """Return the two parts that are best put together: alike, and without anything between them that waits."""
    reach = _reach(parts)
    pairs = [
        (first, second)
        for first in range(len(parts))
        for second in range(first + 1, len(parts))
        if not _between(parts, reach, first, second)
    ]
    return max(
        pairs,
        key=lambda pair: _likeness(
            parts[pair[0]], parts[pair[1]], words, pair[1] in reach[pair[0]] or pair[0] in reach[pair[1]]
        ),
    )


def _reach(parts: list[Merged]) -> list[set[int]]:
    """Return for each part the parts that it waits for, near and far."""
    owner = {place: number for number, part in enumerate(parts) for place in part.places}
    reach: list[set[int]] = []
    for part in parts:
        direct = {owner[place] for place in part.after}
        reach.append(direct.union(*(reach[number] for number in direct if number < len(reach))))
    return reach


def _between(parts: list[Merged], reach: list[set[int]], first: int, second: int) -> bool:
    """Tell whether putting two parts together would make a third wait for what waits for it."""
    return any(first in reach[middle] and middle in reach[second] for middle in range(len(parts)))


def _likeness(first: Merged, second: Merged, words: dict[int, frozenset[str]], dependent: bool) -> float:
    one, two = words[id(first)], words[id(second)]
    score = len(one & two) / (len(one | two) or 1)
    aspects = {draft.aspect for draft in first.drafts} & {draft.aspect for draft in second.drafts} - {""}
    entities = {draft.entity for draft in first.drafts} & {draft.entity for draft in second.drafts} - {""}
    score += 2 * bool(aspects) + 0.5 * bool(entities) + 0.5 * (first.after == second.after)
    score -= 0.3 * (len(first.drafts) + len(second.drafts))
    score += 0.01 * (first.places[0] + second.places[0]) / 100  # of equals, those further back
    if first.role != second.role:
        score -= 20
    return score - 8 * dependent


def told(part: Merged) -> tuple[str, tuple[Ask, ...]]:
    """Return the text and the asks of a part; a question within it that waited for another names it in words instead."""
    inner = {place: described(draft.text) for place, draft in zip(part.places, part.drafts, strict=True)}
    texts: list[str] = []
    for draft in part.drafts:
        text = draft.text
        for place in referred(text):
            if place in inner:
                text = text.replace(chr(REFERENCE + place), inner[place])
        texts.append(text)
        inner |= {place: described(text) for place, each in zip(part.places, part.drafts, strict=True) if each is draft}
    asks = tuple(
        Ask(text=asked, entity=draft.entity, aspect=draft.aspect)
        for text, draft in zip(texts, part.drafts, strict=True)
        for asked in (draft.asks or (text,))
    )
    if len(part.drafts) == 1:
        draft = part.drafts[0]
        plain = draft.role != "find" or not (draft.asks or draft.entity or draft.aspect)
        return texts[0], () if plain else asks
    return " ".join(text if text.endswith(tuple("?？.。")) else f"{text};" for text in texts).removesuffix(";"), asks


def described(text: str) -> str:
    """Return what a question asks for, as words that can stand in another question."""
    match = _DESCRIPTION.match(statement(text))
    return (match["x"] or match["y"]) if match else f"({statement(text)})"
