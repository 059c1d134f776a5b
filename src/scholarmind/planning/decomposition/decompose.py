"""Take a text apart, top down: by what a reader of questions marked in it, or idea by idea until no part can be taken apart further."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from scholarmind import languages
from scholarmind.planning.decomposition.chains import chinese_chain, each_of, english_chain, led_by_each
from scholarmind.planning.decomposition.clause_rewriting import (
    completed,
    names_in,
    names_something,
    things_meant,
    topic_of,
    topics_of,
    with_topic,
)
from scholarmind.planning.decomposition.clauses import QuestionUnit, clauses, polite, units
from scholarmind.planning.decomposition.comparison import asked_of, compare, effects, led, side_by_side
from scholarmind.planning.decomposition.coordination import distribute, listings
from scholarmind.planning.decomposition.marked import POINTS_BACK, asked_again, is_asked, parts_of, stands
from scholarmind.planning.drafts import MOST_DRAFTS, PartDraft, apart, appended, moved, reference, referred
from scholarmind.planning.question_words import (
    CHINESE,
    MaskedLine,
    Protector,
    content,
    is_chinese,
    question,
    statement,
)
from scholarmind.ports import QuestionMarker

# -- by rules

Rule = Callable[[MaskedLine], list[PartDraft]]
_RULES: tuple[tuple[str, Rule], ...] = (
    ("something of each", each_of),
    ("comparison", compare),
    ("effect", effects),
    ("several things", distribute),
    ("steps", lambda line: chinese_chain(line) if is_chinese(line.text) else english_chain(line)),
)

UNSURE = frozenset(
    ("several things", "steps")
)  # what only looks so: a name with `and` in it, a description that is well known

MARKS = "marks"  # the name by which the reader of questions is switched off
BUDGET = 48  # how far one clause may be taken apart
LONGEST_CLAUSE = 600  # characters; a longer sentence is only cut into clauses

_RULED = frozenset(("comparison", "steps"))  # where a reader marks nothing but one ask
_IDEAS = frozenset(("several questions", "several clauses", POINTS_BACK, *(name for name, _ in _RULES)))
_ANSWER = "\ue0f0"  # stands for the answer of a part, as if it were a name, while what holds it is taken apart
_OWNED = re.compile(rf"{_ANSWER}['’]s? (?P<what>[^?]+)(?=[?.])")


@dataclass(slots=True)
class Decomposition:
    """What a text was taken apart into, why, and what it told beside what it asks."""

    drafts: list[PartDraft] = field(default_factory=list[PartDraft])
    reasons: list[str] = field(default_factory=list[str])
    background: list[str] = field(default_factory=list[str])
    groups: int = 0
    first: str = ""
    protector: Protector = field(default_factory=Protector)
    deep: bool = False  # take apart what waits for an answer, too
    without: Collection[str] = ()  # ideas that are switched off
    marked: bool = False  # whether a reader of questions marked what it is made of

    @property
    def reason(self) -> str:
        """Why the question is simple or composite, in words."""
        found = dict.fromkeys(self.reasons)
        parts = found and len(self.drafts) > 1
        return f"found: {', '.join(found)}" if parts else "one question about one thing, answered in one step"

    @property
    def entities(self) -> tuple[str, ...]:
        """What the parts are about, where that is known."""
        return tuple(dict.fromkeys(draft.entity for draft in self.drafts if draft.entity))


def decompose(
    text: str,
    protector: Protector,
    *,
    deep: bool = False,
    without: Collection[str] = (),
    marker: QuestionMarker | None = None,
) -> Decomposition:
    """Return the parts of a text, each with the places of those that it needs; `deep` is for a plan that is a tree.

    `without` switches ideas off by the names that reasons have, so that it can be measured what each is worth. Where a `marker` reads the
    text, what it marks is taken, else what rules find.
    """
    made = Decomposition(protector=protector, deep=deep, without=without)
    things, asked = led(protector.line(polite(text))) if "comparison" not in without else ([], "")
    if len(things) > 1:
        within = frozenset(
            (*without, "comparison")
        )  # or a hostile text is compared within comparisons, twice at each level
        of_each = [_asked_of_one(asked_of(asked, one), protector, within, marker) for one in things]
        is_plain = all(
            one.role == "find" and not one.after and is_asked(one.text) for parts in of_each for one in parts
        )
        if is_plain and len({len(parts) for parts in of_each}) == 1:
            made.drafts, made.reasons = side_by_side(of_each, things, question(text)), ["comparison"]
            made.first, made.marked, made.groups = text, True, len(of_each[0])
            return made
    read = marker is not None and MARKS not in without and not led_by_each(protector.line(polite(text)))
    if marks := marker.marks(text) if marker and read else None:
        parts = parts_of(text, marks, protector)
        if not parts.drafts:  # Why, and what do I do?: what was told is what it asks about
            made.drafts, made.first, made.marked = [PartDraft(text=question(text))], text, True
            return made
        background = [text[slice(*span)].strip() for span in parts.told]
        that_of = languages.of(text).pattern("marks.stands_for").search(text)
        if len(marks.asks) == 1 and not marks.lists:  # rules know more chains, where there is nothing but a chain
            steps = decompose(
                text[slice(*marks.asks[0])],
                protector,
                deep=deep,
                without=_IDEAS - (_RULED | {"several things"} if that_of else _RULED) | {*without},
            )
            stand = all(stands(part, text) for part in steps.drafts) and (
                steps.reasons != ["steps"] or all(is_asked(part.text) for part in steps.drafts)
            )
            if stand and len(steps.drafts) >= max(2, len(parts.drafts)):
                steps.background, steps.marked = background, bool(marks.descriptions)
                return steps
        made.drafts, made.reasons, made.groups = _without_repeats(parts.drafts), parts.reasons, len(marks.asks)
        made.background, made.first, made.marked = background, text[slice(*marks.asks[0])].strip(), True
        return made
    found = units(text, protector) if "several questions" not in without else [QuestionUnit(text)]
    if len(found) > 1:
        made.reasons.append("several questions")
    for unit in found:
        _add(made, unit)
    made.drafts = _without_repeats(made.drafts)
    _conclude(made, text)
    return made


def _asked_of_one(
    asked: str, protector: Protector, without: Collection[str], marker: QuestionMarker | None
) -> list[PartDraft]:
    """Return what is asked of one of several things, clause by clause, where each asks something."""
    cut = re.split(r"[，,；;]\s*", statement(asked)) if is_chinese(asked) else clauses(protector.line(polite(asked)))
    pieces = [polite(piece) for piece in cut if piece]
    if pieces and all(is_asked(piece) for piece in pieces):
        return [PartDraft(text=question(piece)) for piece in pieces]
    return decompose(asked, protector, without=without, marker=marker).drafts


def _add(made: Decomposition, unit: QuestionUnit) -> None:
    """Add the parts of one question, clause by clause; each clause may point to what came before it."""
    protector = made.protector
    line = protector.line(polite(unit.text))
    begin = len(made.drafts)
    made.background += [told for told in (unit.context, unit.behind) if told and told not in made.background]
    if led := led_by_each(line) if "something of each" not in made.without else []:
        made.reasons.append("something of each")
        appended(made.drafts, _deeper(led, made, BUDGET // len(led)))
        _number_clause(made.drafts, begin, line.text)
    pieces = [] if led else clauses(line) if "several clauses" not in made.without else [line.text]
    if len(pieces) > 1:
        made.reasons.append("several clauses")
    first: MaskedLine | None = None
    for piece in pieces:
        clause = protector.line(polite(piece))
        before, asked = len(made.drafts), clause.text
        if before >= MOST_DRAFTS:
            made.drafts[-1] = replace(made.drafts[-1], text=f"{made.drafts[-1].text} {piece}")
        elif not _ends_comparison(made, clause, unit, begin):
            # add the parts of a clause, and return what it asks, standing alone
            seeds = _seeds(made, clause, first, unit)
            made.groups += 1
            for seed in seeds:
                _add_seed(made, seed)
            asked = seeds[0].text if len(seeds) == 1 else clause.text
        _number_clause(made.drafts, before, asked)
        first = first or clause
    made.first = made.first or line.text


def _seeds(made: Decomposition, clause: MaskedLine, first: MaskedLine | None, unit: QuestionUnit) -> list[PartDraft]:
    """Return what a clause asks with what it points to, or leaves out, in its place."""
    if POINTS_BACK in made.without:
        return [PartDraft(text=clause.text)]
    earlier: Sequence[PartDraft] = made.drafts
    told = made.protector.line(unit.context)
    topics = names_in(told) or tuple(filter(None, (topic_of(told),))) if unit.context else ()
    if unit.context and first is None:  # what was told before the question is what it points to
        if len(topics) == 1:
            seeds = completed(clause, [PartDraft(text=unit.context, topics=topics)], told)
            return [seed for seed in seeds if not seed.after] or [PartDraft(text=clause.text)]
        if not made.drafts:
            return [PartDraft(text=clause.text)]
    seeds = [] if _concludes(clause.mask) else completed(clause, earlier, told if len(topics) == 1 else first)
    if seeds:
        made.reasons.append(POINTS_BACK)
        return seeds
    if first is None and made.drafts and made.first and not _concludes(clause.mask):
        if again := asked_again(clause, made.first):
            return [PartDraft(text=question(again))]
        begins = languages.of(clause.text).pattern("decompose.goes_on").match(clause.text)
        if names_something(clause) and not begins:
            return [PartDraft(text=clause.text)]
        text = "" if begins else with_topic(clause, topic_of(made.protector.line(made.first)))
        last = max((place for place, draft in enumerate(made.drafts) if draft.role == "find"), default=0)
        return [PartDraft(text=text or question(clause.text), after=() if text else (last,))]
    return [PartDraft(text=clause.text)]


def _number_clause(drafts: list[PartDraft], begin: int, clause: str) -> None:
    """Note in what a clause became which clause that was."""
    group = 1 + max((draft.group for draft in drafts[:begin]), default=0)
    for place in range(begin, len(drafts)):
        drafts[place] = replace(drafts[place], group=group, clause=drafts[place].clause or clause)


def _add_seed(made: Decomposition, seed: PartDraft) -> None:
    if seed.after:
        whole = replace(seed, text=question(seed.text))
        inner = _with_answer(whole, made) if made.deep else []
        for place in appended(made.drafts, inner):
            made.drafts[place] = _answered(made.drafts[place], seed.after[0])
        made.drafts += [] if inner else [whole]
        return
    places = appended(made.drafts, _expanded(seed.text, made))
    if len(places) == 1:
        draft = made.drafts[places[0]]
        made.drafts[places[0]] = replace(
            draft, entity=seed.entity, aspect=seed.aspect, topics=seed.topics or draft.topics
        )
    for place, draft in enumerate(made.drafts[: places[0]]):
        if draft.role == "compare" and seed.entity and seed.entity in draft.topics:
            made.drafts[place] = replace(draft, after=(*draft.after, *places), text=draft.text)


# -- one clause


def _expanded(text: str, made: Decomposition, budget: int = BUDGET) -> list[PartDraft]:
    """Return the parts of one clause; a part that waits for nothing is taken apart again."""
    line = made.protector.line(text)
    if len(text) > LONGEST_CLAUSE or budget < 2:
        return [PartDraft(text=question(text), topics=topics_of(line) if len(text) <= LONGEST_CLAUSE else ())]
    for name, rule in _RULES:
        parts = rule(line) if name not in made.without else []
        if len(parts) > 1 and _smaller(parts, text):
            made.reasons.append(name)
            return parts if name == "effect" else _deeper(parts, made, budget // len(parts))
    return [PartDraft(text=question(text), topics=topics_of(line))]


def _smaller(parts: Sequence[PartDraft], text: str) -> bool:
    """Tell whether every part asks about less than the whole, so that taking apart comes to an end."""
    whole = _sayings(text)
    return all(
        part.after or part.role != "find" or 0 < (_sayings(part.text) & whole).total() < whole.total() for part in parts
    )


def _sayings(text: str) -> Counter[str]:
    """Return the words, or pairs of Chinese characters, that a text says something with."""
    found = Counter[str]()
    for word in content(text):
        found.update(
            [word[place : place + 2] for place in range(max(1, len(word) - 1))] if CHINESE.match(word) else [word]
        )
    return found


def _deeper(parts: Sequence[PartDraft], made: Decomposition, budget: int) -> list[PartDraft]:
    """Return the parts of one clause with each of them taken apart further that waits for nothing."""
    found: list[PartDraft] = []
    places: list[tuple[int, ...]] = []
    for part in parts:
        inner = _expanded(part.text, made, budget) if part.role == "find" and not part.after else []
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


def _with_answer(seed: PartDraft, made: Decomposition) -> list[PartDraft]:
    """Return the parts of a question that holds the answer of an earlier part, which they name by its place in `after`."""
    answer = reference(seed.after[0])
    asked = _OWNED.sub(rf"the \g<what> of {_ANSWER}", seed.text.replace(answer, _ANSWER))
    parts = _expanded(asked, made) if len(seed.after) == 1 else []
    return parts if len(parts) > 1 else []


def _answered(draft: PartDraft, place: int) -> PartDraft:
    """Return a part of such a question, waiting for that place where it names its answer."""
    return replace(
        draft,
        text=draft.text.replace(_ANSWER, reference(place)),
        after=(*((place,) if _ANSWER in draft.text else ()), *draft.after),
        entity="" if _ANSWER in draft.entity else draft.entity,
        aspect="" if _ANSWER in draft.aspect else draft.aspect,
        topics=tuple(topic for topic in draft.topics if _ANSWER not in topic),
    )


# -- what ends it


def _ends_comparison(made: Decomposition, clause: MaskedLine, unit: QuestionUnit, begin: int) -> bool:
    """Take a clause that only judges what is being compared (`Which of them was earlier?`) as the end of that comparison."""
    read = languages.of(clause.text)
    last = made.drafts[-1] if made.drafts else None
    if last and read.pattern("decompose.degree").fullmatch(statement(clause.mask)):  # by how much
        joint = "，" if is_chinese(clause.text) else ", "
        made.drafts[-1] = replace(last, text=question(f"{statement(last.text)}{joint}{statement(clause.text)}"))
        return True
    weighs = read.pattern("decompose.judges").match(clause.mask) and read.pattern("decompose.more").search(clause.mask)
    if not weighs or names_in(MaskedLine(clause.text[1:], clause.mask[1:])):
        return False
    topics = things_meant(made.drafts)
    if len(topics) < 2:
        return _of_context(made, clause, unit) if begin == len(made.drafts) else False
    last = made.drafts[-1]
    if last.role == "compare":
        made.drafts[-1] = replace(last, text=f"{question(last.text)} {question(clause.text)}")
    else:
        after = tuple(place for place, draft in enumerate(made.drafts) if draft.entity in topics)
        named = f"（{'、'.join(topics)}）" if is_chinese(clause.text) else f" ({', '.join(topics)})"
        text = question(statement(clause.text) + named)
        made.drafts.append(PartDraft(text=text, role="compare", kind="reasoning", after=after, topics=topics))
    made.reasons.append("comparison")
    return True


def _of_context(made: Decomposition, clause: MaskedLine, unit: QuestionUnit) -> bool:
    """`A and B were founded in the same year. Which was the first to ...?`: the things stand in the sentence before."""
    found = listings(Protector().line(unit.context)) if unit.context else []
    if not found or not found[0].named or is_chinese(clause.text):
        return False
    parts = compare(Protector().line(f"{statement(clause.text)}, {' or '.join(found[0].items)}?"))
    if not parts:
        return False
    parts[-1] = replace(parts[-1], text=clause.text)
    appended(made.drafts, parts)
    made.reasons.append("comparison")
    return True


def _without_repeats(drafts: list[PartDraft]) -> list[PartDraft]:
    """Return the drafts without repeats of one question: what depended on a repeat depends on the first."""
    places: list[tuple[int, ...]] = []
    seen: dict[str, int] = {}
    kept: list[PartDraft] = []
    for draft in drafts:
        key = draft.text.lower()
        if draft.role == "find" and not draft.after and key in seen:
            places.append((seen[key],))
            continue
        places.append((len(kept),))
        seen.setdefault(key, len(kept))
        kept.append(draft)
    return [moved(draft, places) for draft in kept]


def _concludes(text: str) -> bool:
    """Tell whether a text asks for a conclusion from what is found."""
    return bool(languages.of(text).pattern("decompose.concludes").search(text))


def _conclude(made: Decomposition, text: str) -> None:
    """Add a conclusion where some parts stand on others and some do not, or one is asked for; parallel questions need none."""
    finds = [place for place, draft in enumerate(made.drafts) if draft.role == "find"]
    if len(finds) < 2 or len(finds) < len(made.drafts):
        return
    waiting = sum(bool(referred(made.drafts[place].text)) for place in finds)
    linked = len(finds) >= 3 and made.groups >= 3 and 0 < waiting < len(finds) - 1
    if linked or _concludes(text):
        made.drafts.append(PartDraft(text=text, role="conclude", kind="reasoning", after=tuple(finds)))
