"""Make a plan that can be trusted of what a model replied. Read `mended` from top to bottom; nothing of the reply is believed unseen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.model import Evidence
from scholarmind.plan import Ask, Plan
from scholarmind.planning.completion import names_in
from scholarmind.planning.draft import Draft, referred
from scholarmind.planning.gate import judge
from scholarmind.planning.grounds import Grounds
from scholarmind.planning.left_out import left_out, named_in_vain
from scholarmind.planning.mend_guesses import mend_guesses
from scholarmind.planning.mend_parts import (
    break_circles,
    listed,
    mend_pointers,
    mend_roles,
    read_kinds,
    refuse_repeats,
    refuse_unusable,
    tie_together,
)
from scholarmind.planning.merge import described, merged
from scholarmind.planning.plan_reply import PlanReply
from scholarmind.planning.planner import direct, numbered
from scholarmind.planning.protected import REFERENCES, Protector, cleaned
from scholarmind.planning.sheet import Sheet, sheet_of
from scholarmind.planning.split import units
from scholarmind.planning.vague import only_points
from scholarmind.planning.words import CHINESE, content
from scholarmind.ports import Look
from scholarmind.text.analysis import fold

_REASON = "taken apart by a model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
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


def mended(reply: PlanReply, known: Known) -> Plan | str:
    """Return the plan, or why the reply is none: too little of it can be used."""
    grounds = known.grounds()
    # 1. Parts with their dependencies; without what is empty, foreign, said twice, or waits in a circle
    sheet = sheet_of(reply.parts, known.question, known.marker)
    read_kinds(sheet, reply.parts, grounds)
    refuse_unusable(sheet, known.question, grounds)
    refuse_repeats(sheet, known.question)
    break_circles(sheet)
    # 2. What the model guessed
    mend_guesses(sheet, grounds)
    # 3. What each part does, and what it means by `it`
    mend_roles(sheet, reply.parts, (*known.entities, *known.ruled.known_entities))
    mend_pointers(sheet, known.question, known.entities, known.ruled)
    refuse_repeats(sheet, known.question)
    break_circles(sheet)
    tie_together(sheet)
    # 4. The plan around them, if enough of them are left
    if why := _too_little(reply, sheet):
        return why
    if len(sheet.drafts) == 1:
        return _simple(known, sheet)
    return _composite(known, sheet)


def _too_little(reply: PlanReply, sheet: Sheet) -> str:
    if not reply.parts:
        return "the model's plan had no parts"
    if not any(draft.role == "find" for draft in sheet.drafts.values()):
        return f"no part of the model's plan could be used ({_first(sheet)})"
    if 2 * len(sheet.unusable) >= sheet.given:
        return f"half of the model's parts could not be used ({_first(sheet)})"
    return ""


def _first(sheet: Sheet) -> str:
    return next((f"{sheet.name(place)} {why}" for place, why in sheet.unusable.items()), "none looks anything up")


def _simple(known: Known, sheet: Sheet) -> Plan | str:
    """Return the question as one part, unless the rules are sure that there are several."""
    if len(known.ruled.parts) > 1 and judge(known.question, known.look.names).is_sure:
        return "the model saw one question where the rules are sure of several"
    (draft,) = sheet.drafts.values()
    plan = direct(known.question, _REASON, "model")
    asks = tuple(Ask(text=text) for text in draft.asks)
    part = replace(plan.parts[0], kind=draft.kind or plan.parts[0].kind, asks=asks)
    return replace(plan, parts=(part,), notes=tuple(sheet.notes))


def _composite(known: Known, sheet: Sheet) -> Plan | str:
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


def _with_the_clause(drafts: list[Draft], lost: Sequence[str], known: Known) -> list[Draft]:
    """Return the drafts with the clause of the question that holds most of these words, as it stands there."""
    clauses = [unit.text for unit in units(cleaned(known.question), Protector(known.look.names))]
    clause = max(clauses, key=lambda text: sum(word in fold(text) for word in lost))
    place = len(drafts)
    waiting = [replace(draft, after=(*draft.after, place)) if draft.role != "find" else draft for draft in drafts]
    return [*waiting, Draft(text=clause)]


def _with_lost_parts(drafts: list[Draft], known: Known, notes: list[str]) -> list[Draft]:
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
        found.append(Draft(text=ask.text, entity=ask.entity, aspect=ask.aspect))
    return found


def _own_words(ask: Ask, asks: Sequence[Ask]) -> str:
    """Return the words of a row that none of the other rows has."""
    others = {word for other in asks if other is not ask for word in content(other.text)}
    return " ".join(word for word in dict.fromkeys(content(ask.text)) if word not in others)


def _all_lost(text: str, texts: list[str], least: int) -> bool:
    """Tell whether most of what a text says stands in none of the others, and at least so many words of it."""
    lost = left_out(text, texts)
    return len(lost) >= least and 2 * len(lost) > len(set(content(text)))


def _told_in_full(draft: Draft, drafts: Sequence[Draft], ruled: Plan) -> Draft:
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
    return replace(draft, text=f"{verb}{listed(things, chinese=chinese)}{'。' if chinese else '.'}")
