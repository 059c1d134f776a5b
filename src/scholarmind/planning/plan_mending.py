"""A plan that can be trusted, made of what a model replied. Read `mended` from top to bottom; nothing of the reply is believed unseen."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.model import Evidence
from scholarmind.plan import Ask, Kind, Plan, Role
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.decomposition.clauses import units
from scholarmind.planning.drafts import PartDraft, described, merged, moved, reference, referred
from scholarmind.planning.plan_checks import (
    Grounds,
    left_out,
    named_in_vain,
    only_points,
    other_language,
    pointed,
    points_back,
    putting_together,
    sameness,
)
from scholarmind.planning.question_gate import judge, kind_of
from scholarmind.planning.question_words import CHINESE, REFERENCES, Protector, capital, cleaned, content, question
from scholarmind.planning.rule_planner import direct, numbered
from scholarmind.ports import Look
from scholarmind.text.analysis import fold, terms
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


# -- guesses: `#N` takes the place of what another part is to find out; what guesses anything else goes

_EXAMPLE = r"such as|e\.g\.,?|for example,?|for instance,?|including|namely|like|i\.e\.,?|例如|比如|譬如|包括|诸如|如"


def _mend_guesses(sheet: PlanSheet, grounds: Grounds) -> None:
    """Put `#N` where a part has a value that another part is to find out; take out a part that guesses anything else."""
    for place, draft in sheet.walk():
        if only_points(draft.text):
            continue  # its numbers are those of parts
        guesses = _without_examples(sheet, place, grounds)
        for guess in guesses:
            if not _mend_guess(sheet, place, guess, alone=len(guesses) == 1):
                sheet.refuse(place, f"took {guess[:60]!r} for granted")
                break
    sheet.prune()


def _without_examples(sheet: PlanSheet, place: int, grounds: Grounds) -> list[str]:
    """Return the guesses of a part, once those are gone that are only examples: `later work such as Longformer`."""
    draft = sheet.drafts[place]
    guesses = grounds.guesses(draft.text)
    if not guesses:
        return []
    some = "|".join(re.escape(guess) for guess in sorted(guesses, key=len, reverse=True))
    row = rf"(?:{some})(?:\s*(?:,|、|和|或|\band\b|\bor\b)+\s*(?:{some}))*(?:\s*(?:,\s*)?etc\.?|等)?"
    inner = rf"\s*[,，]?\s*[(（]?\s*(?:{_EXAMPLE})\s*(?:{row})\s*[)）]?|\s*[(（][^()（）]*(?:{some})[^()（）]*[)）]"
    text = re.sub(
        rf"(?:{inner})(?:(\s*[?.,;？。，]|$)|)",
        lambda match: match[1] or ("" if CHINESE.search(match.string) else " "),
        draft.text,
    )
    text = " ".join(text.split())
    if text == draft.text or not content(text):
        return guesses
    sheet.put(place, replace(draft, text=question(text)))
    sheet.note(f"{sheet.name(place)} gave examples that nobody named: they were left out")
    return grounds.guesses(text)


def _mend_guess(sheet: PlanSheet, place: int, guess: str, *, alone: bool) -> bool:
    """Put a reference in the place of a guess, if the part waits for one other of which it would be the answer."""
    draft = sheet.drafts[place]
    free = [each for each in draft.after if each not in referred(draft.text)]
    return alone and len(free) == 1 and _wait_for(sheet, place, free[0], guess)


def _wait_for(sheet: PlanSheet, place: int, other: int, value: str) -> bool:
    """Replace a value by the reference to the part that it would be the answer of, if that closes no circle."""
    draft = sheet.drafts[place]
    if other not in sheet.drafts or sheet.reaches(other, place):
        return False
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)" if value.isascii() else re.escape(value)
    text = re.sub(pattern, reference(other), draft.text, flags=re.IGNORECASE)
    if text == draft.text:
        return False
    sheet.put(place, replace(draft, text=text, after=tuple(dict.fromkeys((*draft.after, other)))))
    sheet.note(
        f"{sheet.name(place)} had a value in it that {sheet.name(other)} is to find out: it waits for that answer"
    )
    return True


# -- part by part: kinds, repeats, circles, roles, words that point back

_ENDS = ("?", "？", ".", "。", "!", "！")
_LONGEST_PART = 600  # characters, or one and a half times the question
_MOST_ROWS = 12
_KINDS: dict[str, Kind] = {  # how the words begin that models have for a kind
    "fact": "factual",
    "lookup": "factual",
    "reason": "reasoning",
    "relation": "reasoning",
    "causal": "reasoning",
    "compar": "reasoning",
    "analy": "reasoning",
    "global": "global",
    "summary": "global",
    "summari": "global",
    "overview": "global",
    "survey": "global",
}


def _read_kinds(sheet: PlanSheet, parts: Sequence[PlannedPart], grounds: Grounds) -> None:
    """Give each part its kind, and the questions that it asks of several things, where these are its own."""
    for place, draft in sheet.walk():
        part = parts[place]
        rows = [_finished(plain(row)) for row in part.rows[:_MOST_ROWS]]
        sound = len(rows) > 1 and not draft.after and all(_is_row(row, grounds) for row in rows)
        kind = _kind(part.kind, draft.text)
        sheet.put(place, replace(draft, text=_finished(draft.text), kind=kind, asks=tuple(rows) if sound else ()))


def _is_row(text: str, grounds: Grounds) -> bool:
    """Tell whether a row asks something of the question, and guesses nothing."""
    words = " ".join(content(text))
    return 0 < len(text) <= _LONGEST_PART and bool(words) and grounds.touches(words) and not grounds.guesses(text)


def _finished(text: str) -> str:
    """Return a question with its capital and its mark; one that only points at others says so in words, not by references."""
    if only_points(text):
        text = REFERENCES.sub("…", text)
    text = re.sub(r"\s+(?=[?？]$)", "", text)
    if not re.search(r"\w", text) or text.endswith(_ENDS):
        return capital(text)
    return question(text)


def _kind(told: str, text: str) -> Kind:
    word = told.strip().lower()
    for begin, kind in _KINDS.items():
        if word.startswith(begin):
            return kind
    return kind_of(REFERENCES.sub("", text))


def _refuse_unusable(sheet: PlanSheet, asked: str, grounds: Grounds) -> None:
    """Take out what is empty, too long, in another language, or about something else."""
    longest = max(_LONGEST_PART, len(asked) * 3 // 2)
    for place, draft in sheet.walk():
        if why := _unusable(draft, asked, grounds, longest):
            sheet.refuse(place, why)
    sheet.prune()


def _unusable(draft: PartDraft, asked: str, grounds: Grounds, longest: int) -> str:
    text = REFERENCES.sub(" ", draft.text)
    if not re.search(r"\w", text):
        return "was empty"
    if len(text) > longest:
        return "was too long"
    if other_language(text, asked):
        return "was not in the language of the question"
    tied = bool(draft.after) or only_points(text) or points_back(text) is not None
    if not tied and not grounds.touches(" ".join(content(text))):
        return "had nothing to do with the question"
    return ""


def _refuse_repeats(sheet: PlanSheet, asked: str) -> None:
    """Take out parts that ask what another one asks, also in another order of words, or what the whole question asks."""
    first: dict[object, int] = {}
    for place, _ in sheet.walk():
        same = sameness(sheet.drafts[place])
        if same in first:
            sheet.repeat(place, first[same])
        else:
            first[same] = place
    whole = first.get(sameness(PartDraft(text=asked)))
    others = [place for place, draft in sheet.drafts.items() if draft.role == "find" and place != whole]
    if whole is not None and whole in sheet.drafts and len(others) > 1 and _is_free(sheet, whole):
        sheet.note(f"{sheet.name(whole)} repeated the whole question and was left out")
        del sheet.drafts[whole]
    sheet.prune()


def _is_free(sheet: PlanSheet, place: int) -> bool:
    """Tell whether a part waits for none and none is built on its answer."""
    return not sheet.drafts[place].after and not any(place in referred(draft.text) for draft in sheet.drafts.values())


def _break_circles(sheet: PlanSheet) -> None:
    """Drop each dependency that closes a circle; where the text names it, its words are put there instead."""
    waits = [(place, each) for place, draft in sheet.walk() for each in draft.after]
    for place, draft in sheet.walk():
        sheet.put(place, replace(draft, after=()))
    for place, each in sorted(waits, key=lambda pair: pair[1] > pair[0]):  # those that point forward come last
        if place not in sheet.drafts or each not in sheet.drafts:
            continue
        draft = sheet.drafts[place]
        if not sheet.reaches(each, place):
            sheet.put(place, replace(draft, after=(*draft.after, each)))
            continue
        sheet.note(f"{sheet.name(place)} waited for a part that waits for it: it waits no more")
        if each in referred(draft.text):
            _say_instead(sheet, place, each)
    sheet.prune()


def _say_instead(sheet: PlanSheet, place: int, each: int) -> None:
    draft, other = sheet.drafts[place], sheet.drafts[each]
    if referred(other.text):
        sheet.refuse(place, "needed an answer that needs its own")
    else:
        sheet.put(place, replace(draft, text=draft.text.replace(reference(each), sheet.described(each))))


def _mend_roles(sheet: PlanSheet, parts: Sequence[PlannedPart], entities: Sequence[str]) -> None:
    """Tell parts that look something up from those that put others together; the latter speak of the others in words."""
    wanted = {place for draft in sheet.drafts.values() for place in referred(draft.text)}
    for place, draft in sheet.walk():
        sheet.put(place, replace(draft, role="find" if place in wanted else _role(parts[place].kind, draft)))
    _name_sides(sheet, entities)
    for place, draft in sheet.walk():
        if draft.role != "find":
            text = REFERENCES.sub(lambda match: sheet.described(ord(match[0]) - ord(reference(0))), draft.text)
            kind: Kind | None = "reasoning" if draft.role == "compare" else draft.kind
            sheet.put(place, replace(draft, text=text, kind=kind, entity="", aspect=""))
    _tie_together(sheet)


def _name_sides(sheet: PlanSheet, entities: Sequence[str]) -> None:
    """Say of each part of a comparison which side it is about, where its text names one that not all of them name."""
    finds = {place: draft for place, draft in sheet.drafts.items() if draft.role == "find"}
    if len(finds) == len(sheet.drafts) or len(finds) < 2:
        return
    apart = [name for name in dict.fromkeys(entities) if not all(name in draft.text for draft in finds.values())]
    for place, draft in finds.items():
        named = [name for name in apart if name in draft.text]
        if not draft.entity and len(named) == 1:
            sheet.put(place, replace(draft, entity=named[0]))


def _role(told: str, draft: PartDraft) -> Role:
    if only_points(draft.text):
        return putting_together(draft.text)
    compares = putting_together(draft.text) == "compare"
    word = told.strip().lower()
    if word.startswith("compar") or (compares and len(draft.after) > 1):
        return "compare" if compares or len(draft.after) > 1 else "find"
    if word.startswith(("conclu", "synth", "summa")) and (
        len(draft.after) > 1 or (draft.after and not referred(draft.text))
    ):
        return "conclude"
    return "find"


def _tie_together(sheet: PlanSheet) -> None:
    """Let a part that puts others together wait for them: for those that it named, or for all."""
    finds = [place for place, draft in sheet.drafts.items() if draft.role == "find"]
    for place, draft in sheet.walk():
        if draft.role == "find" or draft.after:
            continue
        if after := tuple(each for each in finds if not sheet.reaches(each, place)):
            sheet.put(place, replace(draft, after=after))
        elif only_points(draft.text):
            sheet.refuse(place, "had nothing to put together")
        else:
            sheet.put(place, replace(draft, role="find"))


def _mend_pointers(sheet: PlanSheet, asked: str, entities: Sequence[str], ruled: Plan) -> None:
    """Say what `it` is in a part that begins with it: the answer that the part waits for, or what the question is about."""
    if points_back(asked) is not None:
        return  # the question does not say it either
    for place, draft in sheet.walk():
        match = points_back(REFERENCES.sub("\u2060", draft.text)) if not only_points(draft.text) else None
        if match is None:
            continue
        text = _said_in_full(sheet, draft, entities) or _of_the_rules(draft, ruled)
        if not text:
            sheet.refuse(place, f"began with {match[0]!r} and did not say what that is")
            continue
        sheet.put(place, replace(draft, text=text, after=tuple(dict.fromkeys((*draft.after, *referred(text))))))
        sheet.note(f"{sheet.name(place)} did not say what {match[0]!r} is: it was filled in")
    sheet.prune()


def _said_in_full(sheet: PlanSheet, draft: PartDraft, entities: Sequence[str]) -> str:
    free = [each for each in draft.after if each not in referred(draft.text) and each in sheet.drafts]
    if draft.role != "find" and free:
        both = [sheet.described(each) for each in free]
        return pointed(draft.text, _listed(both, chinese=bool(CHINESE.search(draft.text))))
    if len(free) == 1:
        return pointed(draft.text, reference(free[0]))
    if draft.entity or len(entities) == 1:
        return pointed(draft.text, draft.entity or entities[0])
    return ""


def _listed(things: Sequence[str], *, chinese: bool) -> str:
    """Return several things in a row as one would say them."""
    comma, joint = ("、", "和") if chinese else (", ", " and ")
    each = list(dict.fromkeys(things))
    return joint.join(filter(None, (comma.join(each[:-1]), each[-1])))


def _of_the_rules(draft: PartDraft, ruled: Plan) -> str:
    """Return the part of the rule plan that is most like this one."""
    words = set(terms(draft.text))
    free = [part for part in ruled.parts if len(ruled.parts) > 1 and part.role == "find" and not part.depends_on]
    best = max(free, key=lambda part: len(words & set(terms(part.text))), default=None)
    return best.text if best and words & set(terms(best.text)) else ""


# -- the whole

_REASON = "taken apart by a model"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanContext:
    """What a reply is held against: the question, what was said before it, the first look, and the plan of the rules."""

    question: str
    look: Look
    ruled: Plan
    shown: Mapping[str, Evidence]
    said: tuple[str, ...] = ()
    cap: int = 5
    marker: str = ""

    @property
    def asked(self) -> str:
        """The question without what it only tells, which no part has to hold."""
        return " ".join(unit.text for unit in units(cleaned(self.question), Protector(self.look.names)))

    @property
    def entities(self) -> tuple[str, ...]:
        """The names in the question."""
        return names_in(Protector(self.look.names).line(cleaned(self.question)))

    def lost(self, texts: list[str]) -> list[str]:
        """Return the names and numbers of the question that stand in none of these texts."""
        return named_in_vain(left_out(self.asked, texts), self.question, self.entities)

    def grounds(self) -> Grounds:
        """Return what a part may speak of."""
        library = [name for found in self.look.evidence for name in (found.document.title, *found.document.authors)]
        passages = "\n".join(found.passage.text for found in self.shown.values())
        return Grounds((self.question, *self.said), tuple(dict.fromkeys(library)), passages)


def mended(reply: PlanReply, known: PlanContext) -> Plan | str:
    """Return the plan, or why the reply is none: too little of it can be used."""
    grounds = known.grounds()
    # 1. Parts with their dependencies; without what is empty, foreign, said twice, or waits in a circle
    sheet = sheet_of(reply.parts, known.question, known.marker)
    _read_kinds(sheet, reply.parts, grounds)
    _refuse_unusable(sheet, known.question, grounds)
    _refuse_repeats(sheet, known.question)
    _break_circles(sheet)
    # 2. What the model guessed
    _mend_guesses(sheet, grounds)
    # 3. What each part does, and what it means by `it`
    _mend_roles(sheet, reply.parts, (*known.entities, *known.ruled.known_entities))
    _mend_pointers(sheet, known.question, known.entities, known.ruled)
    _refuse_repeats(sheet, known.question)
    _break_circles(sheet)
    _tie_together(sheet)
    # 4. The plan around them, if enough of them are left
    if why := _too_little(reply, sheet):
        return why
    if len(sheet.drafts) == 1:
        return _simple(known, sheet)
    return _composite(known, sheet)


def _too_little(reply: PlanReply, sheet: PlanSheet) -> str:
    if not reply.parts:
        return "the model's plan had no parts"
    if not any(draft.role == "find" for draft in sheet.drafts.values()):
        return f"no part of the model's plan could be used ({_first_unusable(sheet)})"
    if 2 * len(sheet.unusable) >= sheet.given:
        return f"half of the model's parts could not be used ({_first_unusable(sheet)})"
    return ""


def _first_unusable(sheet: PlanSheet) -> str:
    return next((f"{sheet.name(place)} {why}" for place, why in sheet.unusable.items()), "none looks anything up")


def _simple(known: PlanContext, sheet: PlanSheet) -> Plan | str:
    """Return the question as one part, unless the rules are sure that there are several."""
    if len(known.ruled.parts) > 1 and judge(known.question, known.look.names).is_sure:
        return "the model saw one question where the rules are sure of several"
    (draft,) = sheet.drafts.values()
    plan = direct(known.question, _REASON, "model")
    asks = tuple(Ask(text=text) for text in draft.asks)
    part = replace(plan.parts[0], kind=draft.kind or plan.parts[0].kind, asks=asks)
    return replace(plan, parts=(part,), notes=tuple(sheet.notes))


def _composite(known: PlanContext, sheet: PlanSheet) -> Plan | str:
    drafts = sheet.compact()
    notes = list(sheet.notes)
    texts = [draft.text for draft in drafts]
    if 2 * len(left_out(known.asked, texts)) > len(set(content(known.question))):
        return "the model's plan left out most of the question"
    # What the model left out comes back: a side or a clause as the part that the rules have for it, anything else as words
    drafts = _with_lost_parts(drafts, known, notes)
    if lost := known.lost([text for draft in drafts for text in (draft.text, *draft.asks)]):
        notes.append(
            f"the model's plan left out {', '.join(map(repr, lost[:5]))}: the words of the question are searched for, too"
        )
        drafts = _with_the_clause(drafts, lost, known)
    drafts = [_told_in_full(draft, drafts, known.ruled) for draft in drafts]
    parts = merged(drafts, known.cap)
    if len(parts) < len(drafts):
        notes.append(f"{len(drafts)} parts were put together into {len(parts)}, as many as a plan may have")
    made = numbered(parts)
    if len(made) == 1 or known.lost([text for part in made for text in (part.text, *(row.text for row in part.rows))]):
        return "the model's plan could not be put together without losing words of the question"
    waited_for = dict.fromkeys(place for draft in drafts for place in referred(draft.text))
    return Plan(
        question=known.question,
        parts=made,
        complexity="composite",
        reason=_REASON,
        decided_by="model",
        core_intent=known.ruled.core_intent,
        known_entities=known.ruled.known_entities,
        unknown_entities=tuple(described(REFERENCES.sub("…", drafts[place].text)).strip("()") for place in waited_for),
        notes=tuple(notes),
    )


def _with_the_clause(drafts: list[PartDraft], lost: Sequence[str], known: PlanContext) -> list[PartDraft]:
    """Return the drafts with the clause of the question that holds most of these words, as it stands there."""
    clauses = [unit.text for unit in units(cleaned(known.question), Protector(known.look.names))]
    clause = max(clauses, key=lambda text: sum(word in fold(text) for word in lost))
    place = len(drafts)
    waiting = [replace(draft, after=(*draft.after, place)) if draft.role != "find" else draft for draft in drafts]
    return [*waiting, PartDraft(text=clause)]


def _with_lost_parts(drafts: list[PartDraft], known: PlanContext, notes: list[str]) -> list[PartDraft]:
    """Return the drafts with the rules' own part for a side of a comparison, or for a clause, that none of them looks up."""
    asks = [ask for part in known.ruled.parts if part.role == "find" and not part.depends_on for ask in part.rows]
    found = list(drafts)
    for ask in asks if len(asks) > 1 else ():
        texts = [draft.text for draft in found if draft.role == "find"]
        if not (
            _all_lost(ask.entity, texts, 1)
            or _all_lost(ask.text, texts, 2)
            or _all_lost(_own_words(ask, asks), texts, 1)
        ):
            continue
        notes.append(f"the model's plan did not look up {ask.entity or ask.text!r}: a part for it was put in")
        place = len(found)
        found = [replace(draft, after=(*draft.after, place)) if draft.role != "find" else draft for draft in found]
        found.append(PartDraft(text=ask.text, entity=ask.entity, aspect=ask.aspect))
    return found


def _own_words(ask: Ask, asks: Sequence[Ask]) -> str:
    """Return the words of a row that none of the other rows has."""
    others = {word for other in asks if other is not ask for word in content(other.text)}
    return " ".join(word for word in dict.fromkeys(content(ask.text)) if word not in others)


def _all_lost(text: str, texts: list[str], least: int) -> bool:
    """Tell whether most of what a text says stands in none of the others, and at least so many words of it."""
    lost = left_out(text, texts)
    return len(lost) >= least and 2 * len(lost) > len(set(content(text)))


def _told_in_full(draft: PartDraft, drafts: Sequence[PartDraft], ruled: Plan) -> PartDraft:
    """Return `Compare the above` as a comparison of what its parts are about."""
    if draft.role == "find" or not only_points(draft.text):
        return draft
    chinese = bool(CHINESE.search(draft.text))
    things = list(dict.fromkeys(drafts[place].entity for place in draft.after))
    text = next((part.text for part in ruled.parts if part.role == draft.role), "")
    if text and all(thing in text for thing in things):
        return replace(draft, text=text)
    if "" in things or len(things) < 2:
        things = [described(REFERENCES.sub("…", drafts[place].text)) for place in draft.after]
    verb = {"compare": ("Compare ", "比较"), "conclude": ("Put together ", "综合")}[draft.role][chinese]
    return replace(draft, text=f"{verb}{_listed(things, chinese=chinese)}{'。' if chinese else '.'}")
