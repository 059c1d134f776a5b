"""A model's plan as it comes in: what the model is asked to reply, and the sheet on which its parts are mended.

Each part keeps its place to the end, so that references to it stay true. Nothing is believed here, and nothing is mended yet.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scholarmind.planning.drafts import PartDraft, described, moved, reference, referred
from scholarmind.planning.protection import REFERENCES, cleaned
from scholarmind.text.untrusted import storable

# -- what a model is asked for. Every field may be wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPart:
    """One part, numbered by its place from 1; `#N` in its question stands for the answer of part N."""

    question: str
    depends_on: tuple[int, ...] = ()
    kind: str = "factual"  # factual, reasoning, global; compare, conclude: it only puts parts together
    rows: tuple[str, ...] = ()  # where it asks the same of several things: each of these questions


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReply:
    """The parts; what needs no documents is answered in their place."""

    parts: tuple[PlannedPart, ...] = ()
    own_answer: str = ""
    standalone: str = ""  # in a conversation: the question with all that a follow-up leaves out


# -- its parts while they are mended

MOST_PARTS = 24  # of a model's plan that are looked at
_LONGER = 2_000  # characters
_HASH = re.compile(r"#(\d{1,4})(?![0-9A-Za-z_])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]+")
_NUMBERING = re.compile(
    r"^(?:(?:part|sub-?question|question|step|q)\s*#?\d{1,2}\s*[:.)\-]|\(?\d{1,2}[.)](?!\d)|\d{1,2}、|（\d{1,2}）|[-*•])\s*",
    re.IGNORECASE,
)


class PlanSheet:
    """Parts by place, what to call each of them in a note, and what had to be done to them."""

    def __init__(self, drafts: dict[int, PartDraft]) -> None:
        self.drafts = drafts
        self.notes: list[str] = []
        self.given = len(drafts)
        self.unusable: dict[int, str] = {}  # by place: why

    def name(self, place: int) -> str:
        """Return what a part is called in a note: its number."""
        return f"the model's part {place + 1}"

    def note(self, text: str) -> None:
        """Say what was mended, once."""
        if text not in self.notes:
            self.notes.append(text)

    def refuse(self, place: int, why: str) -> None:
        """Take out a part that cannot be used."""
        del self.drafts[place]
        self.unusable[place] = why
        self.note(f"{self.name(place)} was left out: it {why}")

    def repeat(self, place: int, first: int) -> None:
        """Take out a part that another one repeats; what waited for it waits for the other one."""
        self.note(f"{self.name(place)} repeated part {first + 1} and was left out")
        del self.drafts[place]
        for other, draft in self.drafts.items():
            text = draft.text.replace(reference(place), reference(first))
            after = tuple(dict.fromkeys(first if each == place else each for each in draft.after))
            self.drafts[other] = replace(draft, text=text, after=tuple(each for each in after if each != other))

    def put(self, place: int, draft: PartDraft) -> None:
        """Put a mended part in the place of what it was."""
        self.drafts[place] = draft

    def walk(self) -> Iterator[tuple[int, PartDraft]]:
        """Yield the parts in order; they may be changed and taken out meanwhile."""
        for place in list(self.drafts):
            if place in self.drafts:
                yield place, self.drafts[place]

    def reaches(self, start: int, goal: int) -> bool:
        """Tell whether a part waits for another one, near or far."""
        seen, left = set[int](), [start]
        while left:
            place = left.pop()
            if place == goal:
                return True
            if place not in seen and place in self.drafts:
                seen.add(place)
                left += self.drafts[place].after
        return False

    def described(self, place: int) -> str:
        """Return a part in words for another one that cannot wait for it: what it is about, or what it asks."""
        draft = self.drafts[place]
        return draft.entity or described(REFERENCES.sub("…", draft.text))

    def prune(self) -> None:
        """Take out what names a part that was left out; what only waited for one waits no more."""
        changed = True
        while changed:
            changed = False
            for place, draft in self.walk():
                if any(each not in self.drafts for each in referred(draft.text)):
                    self.refuse(place, "needed the answer of a part that was left out")
                    changed = True
                else:
                    self.put(place, replace(draft, after=tuple(each for each in draft.after if each in self.drafts)))

    def compact(self) -> list[PartDraft]:
        """Return the parts that are left, naming each other by their new places."""
        places = list(self.drafts)
        new = [(places.index(place),) if place in self.drafts else () for place in range(max(places, default=-1) + 1)]
        return [moved(self.drafts[place], new) for place in places]


def plain(text: str, marker: str = "") -> str:
    """Return a text of the model's as one clean line."""
    text = storable(cleaned(_CONTROL.sub(" ", text)))
    return " ".join((text.replace(marker, " ") if marker else text).split())


def sheet_of(parts: Sequence[PlannedPart], question: str, marker: str) -> PlanSheet:
    """Return the parts by place, with references for `#N`; who names a part that there is not is refused."""
    kept = parts[:MOST_PARTS]
    longest = 2 * len(question) + _LONGER  # enough to tell that it is too long
    texts = [_NUMBERING.sub("", plain(part.question[:longest], marker)) for part in kept]
    sheet = PlanSheet({place: PartDraft(text=text) for place, text in enumerate(texts)})
    if len(parts) > MOST_PARTS:
        sheet.note(f"the model's plan had {len(parts)} parts: only the first {MOST_PARTS} were looked at")
    for place, part in enumerate(kept):
        _read_part(sheet, place, part, question)
    return sheet


def _read_part(sheet: PlanSheet, place: int, part: PlannedPart, question: str) -> None:
    """Give one part its dependencies, from what it says to wait for and from what it names."""
    text, places = sheet.drafts[place].text, {number: number - 1 for number in range(1, sheet.given + 1)}
    waits = [places[number] for number in dict.fromkeys(part.depends_on[:MOST_PARTS]) if number in places]
    for number in dict.fromkeys(part.depends_on[:MOST_PARTS]):
        if number not in places:
            sheet.note(f"{sheet.name(place)} waited for part {number}, which there is not")
    waits = [each for each in waits if each != place]
    typed = set(_HASH.findall(question))
    named = list(dict.fromkeys(_HASH.findall(text)))
    targets = {
        number: places.get(int(number)) for number in named if number not in typed or places.get(int(number)) in waits
    }
    unknown = [number for number, target in targets.items() if target is None or target == place]
    free = [each for each in waits if each not in targets.values()]
    if len(unknown) == 1 and len(free) == 1:
        sheet.note(f"{sheet.name(place)} named #{unknown[0]} for the part that it waits for")
        targets[unknown[0]] = free[0]
    elif unknown:
        sheet.refuse(place, f"named #{unknown[0]}, which there is not")
        return
    known = {number: target for number, target in targets.items() if target is not None}
    text = _HASH.sub(lambda match: reference(known[match[1]]) if match[1] in known else match[0], text)
    after = tuple(dict.fromkeys((*waits, *referred(text))))
    sheet.put(place, replace(sheet.drafts[place], text=text, after=after))
