"""Make a plan that can be trusted of what a model replied. Read `mended` from top to bottom; nothing of the reply is believed unseen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.model import Evidence
from scholarmind.plan import Plan, SubQuestion
from scholarmind.planning.completion import names_in
from scholarmind.planning.draft import Draft
from scholarmind.planning.gate import SURE_SCORE, judge
from scholarmind.planning.grounds import Grounds
from scholarmind.planning.left_out import left_out, put_back
from scholarmind.planning.mend_guesses import mend_guesses
from scholarmind.planning.mend_parts import (
    break_circles,
    listed,
    mend_pointers,
    mend_roles,
    read_labels,
    refuse_repeats,
    refuse_unusable,
    tie_together,
)
from scholarmind.planning.merge import Merged, described, merged
from scholarmind.planning.plan_reply import PlanReply
from scholarmind.planning.planner import direct, numbered
from scholarmind.planning.protected import REFERENCES, Protector, cleaned
from scholarmind.planning.resolved_bridges import Resolved, resolved_bridges
from scholarmind.planning.sheet import MOST_PARTS, Sheet, plain, sheet_of
from scholarmind.planning.split import units
from scholarmind.planning.vague import only_points
from scholarmind.planning.words import CHINESE, content
from scholarmind.ports import Look

_LONGEST_LINE = 200  # characters of a reason, an intent, an entity
_MOST_ENTITIES = 40


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

    def grounds(self, more: Sequence[str] = ()) -> Grounds:
        """Return what a part may speak of."""
        library = [name for found in self.look.evidence for name in (found.document.title, *found.document.authors)]
        passages = "\n".join(found.passage.text for found in self.shown.values())
        return Grounds((self.question, *self.said, *more), tuple(dict.fromkeys(library)), passages)


def mended(reply: PlanReply, known: Known) -> Plan | str:
    """Return the plan, or why the reply is none: too little of it can be used."""
    grounds = known.grounds()
    # 1. Parts with their dependencies; without what is empty, foreign, said twice, or waits in a circle
    sheet = sheet_of(reply.parts, known.question, known.marker)
    read_labels(sheet, reply.parts, grounds)
    refuse_unusable(sheet, known.question, grounds)
    refuse_repeats(sheet, known.question)
    break_circles(sheet)
    # 2. What the model says to have read or guessed
    bridges = resolved_bridges(reply.bridges[:MOST_PARTS], sheet, known.shown, known.marker)
    answers = _answers(reply, sheet, known.marker)
    mend_guesses(sheet, answers, grounds, known.grounds([bridge.answer for bridge in bridges.values()]))
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
        return _simple(reply, known, sheet)
    return _composite(reply, known, sheet, bridges)


def _answers(reply: PlanReply, sheet: Sheet, marker: str) -> dict[int, str]:
    """Return the answers that the model named, whether they are borne out or not, by the place of their part."""
    places = ((sheet.place_of(bridge.part), plain(bridge.answer, marker)) for bridge in reply.bridges[:MOST_PARTS])
    return {place: answer for place, answer in places if place is not None}


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


def _simple(reply: PlanReply, known: Known, sheet: Sheet) -> Plan | str:
    """Return the question as one part, unless the rules are sure that there are several."""
    if len(known.ruled.parts) > 1 and judge(known.question, known.look.names).score >= SURE_SCORE:
        return "the model saw one question where the rules are sure of several"
    (draft,) = sheet.drafts.values()
    plan = direct(known.question, _reason(reply, known), "model")
    part = replace(plan.parts[0], kind=draft.kind or plan.parts[0].kind)
    return _recorded(replace(plan, parts=(part,)), reply, known, sheet.notes)


def _composite(reply: PlanReply, known: Known, sheet: Sheet, bridges: Mapping[int, Resolved]) -> Plan | str:
    drafts, places = sheet.compact()
    notes = list(sheet.notes)
    texts = [draft.text for draft in drafts]
    if 2 * len(left_out(known.asked, texts)) > len(set(content(known.question))):
        return "the model's plan left out most of the question"
    # What the model left out comes back: a side or a clause as the part that the rules have for it, anything else as words
    drafts = _with_lost_parts(drafts, known, notes)
    if lost := left_out(known.asked, [draft.text for draft in drafts]):
        notes.append(f"the model's plan left out {', '.join(map(repr, lost[:5]))}: it was put back")
        drafts = put_back(known.asked, drafts)
    drafts = [_told_in_full(draft, drafts, known.ruled) for draft in drafts]
    parts = merged(drafts, known.cap)
    if len(parts) < len(drafts):
        notes.append(f"{len(drafts)} parts were put together into {len(parts)}, as many as a plan may have")
    made = numbered(parts)
    made = _with_bridges(made, parts, {place: bridges[old] for place, old in enumerate(places) if old in bridges})
    if len(made) == 1 or left_out(known.asked, [row.text for part in made for row in part.rows]):
        return "the model's plan could not be put together without losing words of the question"
    plan = Plan(
        question=known.question,
        parts=made,
        complexity="composite",
        reason=_reason(reply, known),
        decided_by="model",
        core_intent=known.ruled.core_intent,
        known_entities=known.ruled.known_entities,
    )
    return _recorded(plan, reply, known, notes)


def _with_lost_parts(drafts: list[Draft], known: Known, notes: list[str]) -> list[Draft]:
    """Return the drafts with the rules' own part for a side of a comparison, or for a clause, that none of them looks up."""
    asks = [ask for part in known.ruled.parts if part.role == "find" and not part.depends_on for ask in part.rows]
    found = list(drafts)
    for ask in asks if len(asks) > 1 else ():
        texts = [draft.text for draft in found if draft.role == "find"]
        if not (_all_lost(ask.entity, texts, 1) or _all_lost(ask.text, texts, 2)):
            continue
        notes.append(f"the model's plan did not look up {ask.entity or ask.text!r}: a part for it was put in")
        place = len(found)
        found = [replace(draft, after=(*draft.after, place)) if draft.role != "find" else draft for draft in found]
        found.append(Draft(text=ask.text, entity=ask.entity, aspect=ask.aspect))
    return found


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


def _with_bridges(
    made: Sequence[SubQuestion], parts: Sequence[Merged], bridges: Mapping[int, Resolved]
) -> tuple[SubQuestion, ...]:
    """Return the parts; one that others wait for, and that was answered by the passages shown, has its answer."""
    wanted = {number for part in made for number in part.bridges}
    found: list[SubQuestion] = []
    for part, source in zip(made, parts, strict=True):
        bridge = bridges.get(source.places[0]) if len(source.places) == 1 else None
        known = bridge is not None and part.id in wanted and part.role == "find"
        found.append(replace(part, known=bridge.answer, known_from=bridge.passages) if bridge and known else part)
    return tuple(found)


def _recorded(plan: Plan, reply: PlanReply, known: Known, notes: Sequence[str]) -> Plan:
    """Return the plan with the record around it: only what the question bears out."""
    grounds = known.grounds()
    entities = [plain(entity, known.marker)[:_LONGEST_LINE] for entity in reply.known_entities[:_MOST_ENTITIES]]
    wanted = [plain(entity, known.marker)[:_LONGEST_LINE] for entity in reply.unknown_entities[:_MOST_ENTITIES]]
    intent = plain(reply.core_intent, known.marker)[:_LONGEST_LINE]
    named = [entity for entity in entities if entity and grounds.holds(entity)]
    return replace(
        plan,
        core_intent=intent if intent and not grounds.guesses(intent) else plan.core_intent,
        known_entities=tuple(dict.fromkeys((*plan.known_entities, *named)))[:_MOST_ENTITIES],
        unknown_entities=tuple(dict.fromkeys(entity for entity in wanted if entity and not grounds.guesses(entity)))[
            :_MOST_ENTITIES
        ],
        notes=tuple(notes),
    )


def _reason(reply: PlanReply, known: Known) -> str:
    return plain(reply.reason, known.marker)[:_LONGEST_LINE] or "taken apart by a model"
