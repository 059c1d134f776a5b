"""Take a text apart, top down: questions, clauses, then rule by rule until no part can be taken apart further."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from scholarmind.planning import chinese, chinese_bridge
from scholarmind.planning.anaphora import meant, names_in, resolved, shared_topic, topics_of
from scholarmind.planning.bridge import bridge
from scholarmind.planning.choose import choose
from scholarmind.planning.clauses import clauses
from scholarmind.planning.compare import compare
from scholarmind.planning.distribute import distribute
from scholarmind.planning.draft import MOST_DRAFTS, Draft, appended, moved, referred
from scholarmind.planning.effects import effects
from scholarmind.planning.protected import REFERENCES, Line, Protector
from scholarmind.planning.sources import sources
from scholarmind.planning.split import Unit, polite, units
from scholarmind.planning.words import CHINESE, content, is_chinese, question, statement

Rule = Callable[[Line], list[Draft]]
_ENGLISH: tuple[tuple[str, Rule], ...] = (
    ("comparison", compare),
    ("sources side by side", sources),
    ("choice", choose),
    ("effect", effects),
    ("several things", distribute),
    ("steps", bridge),
)
_CHINESE: tuple[tuple[str, Rule], ...] = (
    ("comparison", chinese.compare),
    ("effect", effects),
    ("several things", chinese.distribute),
    ("steps", chinese_bridge.bridge),
)
_SETTLED = 40
LONGEST_CLAUSE = 600  # characters; a longer sentence is only cut into clauses
_MORE = re.compile(
    r"\b(?:first|earlier|later|more|less|fewer|better|worse|both|same|similar|different|differ|agree|(?!other"
    r"|whether|rather|under|over|after|number|paper|power)[a-z]{3,}er)\b|更|较|先|最[早先高大多好强快]|相同|一样|都",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    r"^(?:which|who|what|whose|did|do|does|is|are|was|were|has|have|had|conclude|decide|recommend|哪|谁|是否|它们|二者|两者"
    r"|结论)",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
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


def taken_apart(text: str, protector: Protector) -> Taken:
    """Return the parts of a text, each with the places of those that it needs."""
    taken = Taken()
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
    pieces = clauses(line)
    begin = len(taken.drafts)
    first: Line | None = None
    named = bool(unit.context and names_in(protector.line(unit.context)))  # then the context tells what `it` is
    if len(pieces) > 1:
        taken.reasons.append("several clauses")
    for piece in pieces:
        clause = protector.line(polite(piece))
        if len(taken.drafts) >= MOST_DRAFTS:
            taken.drafts[-1] = replace(taken.drafts[-1], text=f"{taken.drafts[-1].text} {piece}")
        elif not _judged(taken, clause, unit, begin):
            _add_clause(taken, clause, first, protector, named=named and first is None)
        first = first or clause
    taken.first = taken.first or line.text
    if unit.context:
        for place in range(begin, len(taken.drafts)):
            draft = taken.drafts[place]
            if not draft.after or draft.role != "find":
                taken.drafts[place] = replace(draft, text=_in_context(unit.context, draft.text))


def _in_context(context: str, text: str) -> str:
    """Put the context before a question, so that the two are told apart again."""
    apart = context.endswith(("。", "！", "？", "；", "!", "?")) or (text[:1].isupper() and context.endswith("."))
    return f"{context} {text}" if apart else f"{context}\n{text}"


def _add_clause(taken: Taken, clause: Line, first: Line | None, protector: Protector, *, named: bool) -> None:
    seeds = [] if named else resolved(clause, taken.drafts)
    if seeds:
        taken.reasons.append("a word that points back")
    elif first and (text := shared_topic(clause, first)):
        seeds = [Draft(text=text)]
    taken.groups += 1
    for seed in seeds or [Draft(text=clause.text)]:
        _add_seed(taken, seed, protector)


def _add_seed(taken: Taken, seed: Draft, protector: Protector) -> None:
    if seed.after:
        taken.drafts.append(replace(seed, text=question(seed.text)))
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


def expanded(text: str, protector: Protector, reasons: list[str], budget: int = 48) -> list[Draft]:
    """Return the parts of one clause; a part that waits for nothing is taken apart again."""
    line = protector.line(text)
    if len(text) > LONGEST_CLAUSE or budget < 2:
        return [Draft(text=question(text), topics=topics_of(line) if len(text) <= LONGEST_CLAUSE else ())]
    for name, rule in _CHINESE if is_chinese(text) else _ENGLISH:
        parts = rule(line)
        if len(parts) > 1 and _smaller(parts, text):
            reasons.append(name)
            return _deeper(parts, protector, reasons, budget // len(parts))
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


def _deeper(parts: Sequence[Draft], protector: Protector, reasons: list[str], budget: int) -> list[Draft]:
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
            places.append((len(found),))
            found.append(moved(part, [*places]))
    return found


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
