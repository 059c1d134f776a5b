"""Parts while a plan is being made: they name each other by place, and a reference is one private character."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.plan import Kind, Role
from scholarmind.planning.protected import REFERENCE, REFERENCES

MOST_DRAFTS = 400  # far above any plan; bounds the work on hostile texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A part to be. `after` are places in the list of drafts whose answers it needs; so are the references in its text."""

    text: str
    role: Role = "find"
    kind: Kind | None = None
    after: tuple[int, ...] = ()
    entity: str = ""
    aspect: str = ""
    asks: tuple[str, ...] = ()  # what was put together into it before any merging
    topics: tuple[str, ...] = ()  # the entities that it is about, for words that point back
    each: bool = False  # it is to be carried out for each item of the answer that it refers to
    group: int = 0  # the number of the clause that it was made of
    clause: str = ""  # ... and what that asks


def reference(place: int) -> str:
    """Return the character that stands for the answer of the draft at a place."""
    return chr(REFERENCE + place)


def referred(text: str) -> tuple[int, ...]:
    """Return the places that a text refers to."""
    return tuple(dict.fromkeys(ord(match[0]) - REFERENCE for match in REFERENCES.finditer(text)))


def moved(draft: Draft, places: Sequence[tuple[int, ...]]) -> Draft:
    """Return the draft with every place replaced by the places that it became."""

    def names(character: str) -> str:
        new = places[ord(character) - REFERENCE]
        joint = "和" if any("\u4e00" <= letter <= "\u9fff" for letter in draft.text) else " and "
        return joint.join(map(reference, new))

    text, clause = (REFERENCES.sub(lambda match: names(match[0]), each) for each in (draft.text, draft.clause))
    after = tuple(dict.fromkeys(new for place in draft.after for new in places[place]))
    return replace(draft, text=text, clause=clause, after=after)


def apart(draft: Draft, places: Sequence[tuple[int, ...]]) -> list[Draft]:
    """Return the draft with its places replaced; for each item of what became several lists it is a draft for each list."""
    lists = referred(draft.text)
    if not draft.each or len(lists) != 1 or len(places[lists[0]]) < 2:
        return [moved(draft, places)]
    number = lists[0]
    return [
        moved(draft, [(one,) if place == number else each for place, each in enumerate(places)])
        for one in places[number]
    ]


def appended(drafts: list[Draft], more: Sequence[Draft]) -> list[int]:
    """Append drafts that name each other from 0, and return their new places."""
    places = [(len(drafts) + number,) for number in range(len(more))]
    drafts += [moved(draft, places) for draft in more]
    return [place for (place,) in places]
