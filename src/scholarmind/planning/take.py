"""Take a text apart, top down: questions, clauses, then rule by rule until no part can be taken apart further."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scholarmind.planning.anaphora import meant, names_in, resolved
from scholarmind.planning.bound import continued, without_subject
from scholarmind.planning.choose import choose
from scholarmind.planning.clauses import clauses
from scholarmind.planning.draft import MOST_DRAFTS, Draft, appended, moved, referred
from scholarmind.planning.each import led_by_each
from scholarmind.planning.expand import BUDGET, answered, deeper, expanded, with_answer
from scholarmind.planning.of_each import of_each
from scholarmind.planning.protected import REFERENCES, Line, Protector
from scholarmind.planning.shared import lacks_topic, shared_topic, with_topic
from scholarmind.planning.split import Unit, polite, units
from scholarmind.planning.words import CHINESE, question, statement
from scholarmind.text.patterns import lazy_regex

_SETTLED = 40
_NEAR = 12  # drafts before a clause that its topic is looked for in
_MORE = lazy_regex(
    r"\b(?:first|earlier|later|more|less|fewer|better|worse|both|same|similar|different|differ|agree|(?!other"
    r"|whether|rather|under|over|after|number|paper|power)[a-z]{3,}er)\b|更|较|先|最[早先高大多好强快]|相同|一样|都",
    re.IGNORECASE,
)
_JUDGES = lazy_regex(
    r"^(?:which|who|what|whose|did|do|does|is|are|was|were|has|have|had|conclude|decide|recommend|哪|谁|是否|它们|二者|两者"
    r"|结论)",
    re.IGNORECASE,
)
_CONCLUDES = lazy_regex(
    r"\b(?:conclude|in conclusion|overall|draw (?:a )?conclusions?|summari[sz]e the (?:findings|results))\b|得出结论"
    r"|总体(?:来看|而言)?|综合(?:来看|以上|上述)|给出结论|结论",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Taken:
    """What a text was taken apart into, and why."""

    drafts: list[Draft] = field(default_factory=list[Draft])
    reasons: list[str] = field(default_factory=list[str])
    groups: int = 0
    first: str = ""
    deep: bool = False  # take apart what waits for an answer, too

    @property
    def reason(self) -> str:
        """Why the question is simple or composite, in words."""
        found = dict.fromkeys(self.reasons)
        return (
            f"found: {', '.join(found)}"
            if found and len(self.drafts) > 1
            else "one question about one thing, answered in one step"
        )

    @property
    def entities(self) -> tuple[str, ...]:
        """What the parts are about, where a rule knows it."""
        return tuple(dict.fromkeys(draft.entity for draft in self.drafts if draft.entity))


def taken_apart(text: str, protector: Protector, *, deep: bool = False) -> Taken:
    """Return the parts of a text, each with the places of those that it needs; `deep` is for a plan that is a tree."""
    taken = Taken(deep=deep)
    found = units(text, protector)
    if len(found) > 1:
        taken.reasons.append("several questions")
    for unit in found:
        _add(taken, unit, protector)
    taken.drafts = _known_last(taken.drafts)
    _conclude(taken, text)
    return taken


def _add(taken: Taken, unit: Unit, protector: Protector) -> None:
    """Add the parts of one question, clause by clause; each clause may point to what came before it."""
    line = protector.line(polite(unit.text))
    begin = len(taken.drafts)
    if led := led_by_each(line):
        taken.reasons.append("something of each")
        appended(taken.drafts, deeper(led, protector, taken.reasons, BUDGET // len(led)))
        _remember(taken.drafts, begin, line.text)
    pieces = [] if led else clauses(line)
    first: Line | None = None
    named = bool(unit.context and names_in(protector.line(unit.context)))  # then the context tells what `it` is
    if len(pieces) > 1:
        taken.reasons.append("several clauses")
    for piece in pieces:
        clause = protector.line(polite(piece))
        before, asked = len(taken.drafts), clause.text
        if before >= MOST_DRAFTS:
            taken.drafts[-1] = replace(taken.drafts[-1], text=f"{taken.drafts[-1].text} {piece}")
        elif not _judged(taken, clause, unit, begin):
            seeds = [] if named and first is None else _seeds(taken, clause, first, begin)
            asked = _add_clause(taken, clause, seeds or _alone(taken, clause, unit, protector), protector)
        _remember(taken.drafts, before, asked)
        first = first or clause
    taken.first = taken.first or line.text
    if unit.context:
        _put_in_context(taken.drafts, begin, unit.context)


def _remember(drafts: list[Draft], begin: int, clause: str) -> None:
    """Note in what a clause became which clause that was."""
    group = 1 + max((draft.group for draft in drafts[:begin]), default=0)
    for place in range(begin, len(drafts)):
        drafts[place] = replace(drafts[place], group=group, clause=drafts[place].clause or clause)


def _put_in_context(drafts: list[Draft], begin: int, context: str) -> None:
    for place in range(begin, len(drafts)):
        draft = drafts[place]
        if not draft.after or draft.role != "find":
            drafts[place] = replace(draft, text=_in_context(context, draft.text))


def _in_context(context: str, text: str) -> str:
    """Put the context before a question, so that the two are told apart again."""
    apart = context.endswith(("。", "！", "？", "；", "!", "?")) or (text[:1].isupper() and context.endswith("."))
    return f"{context} {text}" if apart else f"{context}\n{text}"


def _seeds(taken: Taken, clause: Line, first: Line | None, begin: int) -> list[Draft]:
    """Return what a clause asks with what it points to, or leaves out, in its place; [] for one that stands alone."""
    drafts = taken.drafts
    seeds = (
        continued(clause, first, drafts, begin)
        or of_each(clause, drafts)
        or resolved(clause, drafts)
        or without_subject(clause, drafts)
    )
    if seeds:
        taken.reasons.append("a word that points back")
        return seeds
    text = shared_topic(clause, first, drafts[begin:]) if first else ""
    return [Draft(text=text)] if text else []


def _alone(taken: Taken, clause: Line, unit: Unit, protector: Protector) -> list[Draft]:
    """Return a clause as it stands; one that asks for trends, challenges ... of nothing has the topic of the questions before."""
    if unit.context or not lacks_topic(clause):
        return [Draft(text=clause.text)]
    before = dict.fromkeys(draft.clause for draft in taken.drafts[: -_NEAR - 1 : -1] if not draft.after)
    texts = (with_topic(clause, protector.line(asked)) for asked in before if asked)
    return [Draft(text=next(filter(None, texts), clause.text))]


def _add_clause(taken: Taken, clause: Line, seeds: Sequence[Draft], protector: Protector) -> str:
    """Add the parts of a clause, and return what it asks, standing alone."""
    taken.groups += 1
    for seed in seeds:
        _add_seed(taken, seed, protector)
    return seeds[0].text if len(seeds) == 1 else clause.text


def _add_seed(taken: Taken, seed: Draft, protector: Protector) -> None:
    if seed.after:
        whole = replace(seed, text=question(seed.text))
        inner = with_answer(whole, protector, taken.reasons) if taken.deep else []
        for place in appended(taken.drafts, inner):
            taken.drafts[place] = answered(taken.drafts[place], seed.after[0])
        taken.drafts += [] if inner else [whole]
        return
    places = appended(taken.drafts, expanded(seed.text, protector, taken.reasons))
    if len(places) == 1:
        made = taken.drafts[places[0]]
        taken.drafts[places[0]] = replace(
            made, entity=seed.entity, aspect=seed.aspect, topics=seed.topics or made.topics
        )
    for place, draft in enumerate(taken.drafts[: places[0]]):
        if draft.role == "compare" and seed.entity and seed.entity in draft.topics:
            taken.drafts[place] = replace(draft, after=(*draft.after, *places), text=draft.text)


def _judged(taken: Taken, clause: Line, unit: Unit, begin: int) -> bool:
    """Take a clause that only judges what is being compared (`Which of them was earlier?`) as the end of that comparison."""
    if names_in(Line(clause.text[1:], clause.mask[1:])) or not _JUDGES.match(clause.mask):
        return False
    topics = meant(taken.drafts)
    if len(topics) < 2 or not _MORE.search(clause.mask):
        return _judged_context(taken, clause, unit) if begin == len(taken.drafts) else False
    last = taken.drafts[-1]
    if last.role == "compare":
        taken.drafts[-1] = replace(last, text=f"{question(last.text)} {question(clause.text)}")
    else:
        after = tuple(place for place, draft in enumerate(taken.drafts) if draft.entity in topics)
        taken.drafts.append(
            Draft(text=_about(clause.text, topics), role="compare", kind="reasoning", after=after, topics=topics)
        )
    taken.reasons.append("comparison")
    return True


def _about(text: str, topics: Sequence[str]) -> str:
    """Return a judging question with what it judges, so that it stands alone."""
    named = f"（{'、'.join(topics)}）" if CHINESE.search(text) else f" ({', '.join(topics)})"
    return question(statement(text) + named)


def _judged_context(taken: Taken, clause: Line, unit: Unit) -> bool:
    """`A and B were founded in the same year. Which was the first to ...?`: the things stand in the sentence before."""
    if not unit.context or CHINESE.search(clause.text) or not clause.mask.lower().startswith(("which", "who")):
        return False
    before = names_in(Protector().line(unit.context.partition(". ")[0]))
    joined = f"{clause.text.rstrip('?')}, {before[0]} or {before[1]}?" if len(before) == 2 else ""
    parts = choose(Protector().line(joined)) if joined else []
    if not parts:
        return False
    parts[-1] = replace(parts[-1], text=clause.text)
    appended(taken.drafts, parts)
    taken.reasons.append("comparison")
    return True


def settled(drafts: list[Draft], protector: Protector) -> list[Draft]:
    """Return the drafts; one that would be taken apart again if it were asked alone has each of its questions as an ask."""
    if not 1 < len(drafts) <= _SETTLED:
        return drafts
    return [_settled(draft, protector) if draft.role == "find" and not draft.after else draft for draft in drafts]


def _settled(draft: Draft, protector: Protector) -> Draft:
    found = units(draft.text, protector)
    put_back = draft.text[-2:-1] in {")", "）"}
    if (
        not put_back
        and len(found) == 1
        and len(clauses(protector.line(polite(found[0].text)))) == 1
        and not found[0].context
    ):
        return draft  # the rules have seen it
    again = taken_apart(draft.text, protector).drafts
    return replace(draft, asks=tuple(REFERENCES.sub("…", each.text) for each in again)) if len(again) > 1 else draft


def _known_last(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts without repeats of one question: what depended on a repeat depends on the first."""
    places: list[tuple[int, ...]] = []
    seen: dict[str, int] = {}
    kept: list[Draft] = []
    for draft in drafts:
        key = draft.text.lower()
        if draft.role == "find" and not draft.after and key in seen:
            places.append((seen[key],))
            continue
        places.append((len(kept),))
        seen.setdefault(key, len(kept))
        kept.append(draft)
    return [moved(draft, places) for draft in kept]


def _conclude(taken: Taken, text: str) -> None:
    """Add a conclusion where parts of different aspects hang together, or one is asked for; plain parallel questions need none."""
    finds = [place for place, draft in enumerate(taken.drafts) if draft.role == "find"]
    if len(finds) < 2 or len(finds) < len(taken.drafts):
        return
    waiting = sum(bool(taken.drafts[place].after) for place in finds)
    mixed = len(finds) >= 3 and 0 < waiting < len(finds) - 1 and taken.groups >= 3
    linked = (
        len(finds) >= 3
        and taken.groups >= 3
        and waiting > 0
        and not all(referred(draft.text) for draft in taken.drafts[1:])
    )
    if mixed or linked or _CONCLUDES.search(text):
        taken.drafts.append(Draft(text=text, role="conclude", kind="reasoning", after=tuple(finds)))
