"""Take a text apart, top down: by what a reader of questions marked in it, or idea by idea until no part can be taken apart further."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import prod

from scholarmind import languages
from scholarmind.planning.decomposition import chains
from scholarmind.planning.decomposition.chains import each_of, english_chain, led_by_each
from scholarmind.planning.decomposition.clause_rewriting import (
    completed,
    names_in,
    names_something,
    things_meant,
    topic_of,
    topics_of,
    with_topic,
)
from scholarmind.planning.decomposition.clauses import QuestionUnit, asks, clauses, polite, units
from scholarmind.planning.decomposition.comparison import compare, effects
from scholarmind.planning.decomposition.coordination import distribute, for_one, listings
from scholarmind.planning.drafts import MOST_DRAFTS, PartDraft, apart, appended, moved, reference, referred
from scholarmind.planning.followup import stand_alone
from scholarmind.planning.question_words import (
    CHINESE,
    MaskedLine,
    Protector,
    content,
    is_chinese,
    question,
    small,
    statement,
    trimmed,
    what_is,
)
from scholarmind.ports import Anaphor, Marks, QuestionMarker, Span, Turn

# -- where a reader of questions marked it

MOST_ROWS = 48  # that one ask may become
_POSSESSIVE = frozenset("its their his her whose".split())
_SAME_POSSESSIVE = ("'s", "’s", "的")
_THAT_OF = re.compile(r"(?:that|those|the one|the ones) of ", re.IGNORECASE)


@dataclass(slots=True)
class MarkedParts:
    """The parts that a question became, with the ideas that were found in it."""

    drafts: list[PartDraft] = field(default_factory=list[PartDraft])
    reasons: list[str] = field(default_factory=list[str])
    answers: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])  # of each ask: where they are found
    described: dict[str, int] = field(
        default_factory=dict[str, int]
    )  # the part that finds what a description stands for
    topic: str = ""  # what the first ask is about, in its words


def parts_of(text: str, marks: Marks, protector: Protector) -> MarkedParts:
    """Return the parts of a marked question."""
    made = MarkedParts()
    marks = _with_asks_of_background(text, marks, protector)
    for number, ask in enumerate(marks.asks):
        before = len(made.drafts)
        piece = _standing_alone(text, marks, number, ask, made)
        if not content(piece.text):
            made.answers.append(made.answers[-1] if made.answers else ())
            continue
        _add_piece(made, piece, protector, len(marks.asks) > 1)
        for place in range(before, len(made.drafts)):
            made.drafts[place] = replace(
                made.drafts[place], group=number + 1, clause=made.drafts[place].clause or piece.text
            )
        finds = [place for place in range(before, len(made.drafts)) if made.drafts[place].role == "find"]
        used = {place for draft in made.drafts[before:] if draft.role == "find" for place in draft.after}
        made.answers.append(tuple(place for place in finds if place not in used) or tuple(finds))
    if len(marks.asks) > 1:
        made.reasons.insert(0, "several questions")
    return made


def _with_asks_of_background(text: str, marks: Marks, protector: Protector) -> Marks:
    """Return the marks with sentences that ask among what is asked, where they were taken for something told."""
    more: list[Span] = []
    for start, end in marks.background:
        for unit in units(text[start:end], protector):
            at = text.find(unit.text, start, end)
            if at >= 0 and asks(unit.text):
                more.append((at, at + len(unit.text)))
    if not more:
        return marks
    ordered = tuple(sorted((*marks.asks, *more)))
    pointers = tuple(
        one if one.ask is None else replace(one, ask=ordered.index(marks.asks[one.ask])) for one in marks.pointers
    )
    return replace(marks, asks=ordered, pointers=pointers)


@dataclass(slots=True)
class _Piece:
    """An ask while it is re-written, with the places of what is marked in it."""

    text: str
    lists: list[list[Span]]
    descriptions: list[Span]
    waits: bool = False  # for what was asked before: it points back, and what it means is not sure
    stands: bool = False  # alone: what it points back to, or leaves out, was put into it

    def put(self, start: int, end: int, words: str) -> None:
        """Put words in the place of others, and move what stands behind them."""

        def moved(place: int, *, is_end: bool) -> int:
            if place < start or (place == start and not (is_end and start == end)):
                return place
            return place + len(words) - (end - start) if place >= end else start + (len(words) if is_end else 0)

        def moved_span(span: Span) -> Span:
            return moved(span[0], is_end=False), moved(span[1], is_end=True)

        self.text = self.text[:start] + words + self.text[end:]
        self.lists = [[moved_span(item) for item in items] for items in self.lists]
        self.descriptions = [moved_span(span) for span in self.descriptions]


def _within(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def _standing_alone(text: str, marks: Marks, number: int, ask: Span, made: MarkedParts) -> _Piece:
    """Return an ask without courtesy, with what its words point back to in their place."""
    start, end = ask

    def own(span: Span) -> bool:
        return _within(span, ask)

    def left_out_here(place: int) -> bool:  # a gap between two asks is the earlier one's, unless that has its end mark
        return start < place < end or place == (start if text[place - 1 : place] in _ENDS else end)

    piece = _Piece(
        text[start:end],
        [
            [(a - start, b - start) for a, b in items if content(text[a:b])]
            for items in marks.lists
            if all(map(own, items)) and sum(bool(content(text[a:b])) for a, b in items) > 1
        ],
        sorted((a - start, b - start) for a, b in marks.descriptions if own((a, b))),
    )
    changes = [(a - start, b - start, "") for a, b in marks.courtesy if own((a, b))]
    for pointer in sorted(marks.pointers, key=lambda one: one.place[0] == one.place[1]):  # words that point, then gaps
        first, last = pointer.place
        if not (left_out_here(first) if first == last else own(pointer.place)):
            continue
        begins = first == last and not content(text[start:first])
        if first == last and piece.stands and not begins:
            continue  # with what a word of it means, nothing is left out
        words = _meant(text, pointer, number, made, begins=begins)
        known = piece.text + "".join(put for _, _, put in changes)
        piece.waits |= not words and first < last
        if words and not (first == last and words in known):  # what was left out is put back once
            if first == last and is_chinese(text) and not words.startswith("的"):  # what it is about stands in front
                first = last = start + _joint_end(piece.text)
            changes.append((first - start, last - start, _agreeing(piece.text, first - start, last - start, words)))
            piece.stands = True
    if piece.stands and _POINTS_BACK not in made.reasons:
        made.reasons.append(_POINTS_BACK)
    for first, last, words in sorted(changes, reverse=True):
        piece.put(first, last, words)
    piece.put(0, _joint_end(piece.text), "")
    if (polite_from := piece.text.find(polite(piece.text))) > 0:
        piece.put(0, polite_from, "")
    return piece


def _joint_end(text: str) -> int:
    """Return where what joins an ask to the one before it ends, or its number in a list."""
    lead = languages.of(text).pattern("marks.joint").match(text)
    return lead.end() if lead else 0


_POINTS_BACK = "a word that points back"
_ENDS = ("", *"?？.。!！;；\n")


def _meant(text: str, pointer: Anaphor, number: int, made: MarkedParts, *, begins: bool) -> str:
    """Return what takes the place of a pointer: the answer of an earlier part, or words of the question; '' if that is not sure."""
    language = languages.of(text)
    if pointer.place[0] < pointer.place[1] and not language.pattern("marks.pointing").match(text[pointer.place[0] :]):
        return ""  # `there`, `one`: more than the word would have to change
    if pointer.ask is not None:
        places = made.answers[pointer.ask] if pointer.ask < min(number, len(made.answers)) else ()
    else:
        words = trimmed(text[slice(*pointer.words)]) if pointer.words else ""
        if not begins and language.pattern("marks.asking").match(words):
            return ""  # what was asked is no thing; it may only be left out where an ask begins
        for description, place in made.described.items():
            words = words.replace(description, reference(place))
        return words
    joint = "和" if is_chinese(text) else " and "
    return joint.join(map(reference, places))


def _agreeing(text: str, start: int, end: int, words: str) -> str:
    """Return words as they stand in the place of a pointer: `its` becomes `A's`, 其 becomes A的."""
    pointing = text[start:end].strip().lower()
    if is_chinese(text):
        return f"{words}的" if pointing == "其" and not words.endswith("的") else words
    owns = pointing in _POSSESSIVE and text[end : end + 1] == " " and text[end + 1 : end + 2].isalpha()
    if owns and not words.endswith(_SAME_POSSESSIVE):
        words += "'s"
    words = small(words) if start else words
    before = " " if text[start - 1 : start].isalnum() else ""
    behind = " " if text[end : end + 1].isalnum() else ""
    return f"{before}{words}{behind}"


# -- one ask


def _add_piece(made: MarkedParts, piece: _Piece, protector: Protector, several: bool) -> None:
    """Add the parts of one ask: first what its descriptions stand for, then the ask about each item of its lists."""
    if piece.descriptions and "steps" not in made.reasons:
        made.reasons.append("steps")
    _find_first(made, piece)
    if not content(piece.text):  # In the paper by Ito, ...: what it describes is all that it asks
        return
    body = statement(piece.text)
    unmarked = protector.line(body)
    line = _guarded(unmarked, piece)
    idea, parts = "several things", [PartDraft(text=question(piece.text))]
    if piece.lists:
        parts = _of_lists(line, piece)
        idea = "comparison" if parts[-1].role == "compare" else idea
    elif led := each_of(line):
        idea, parts = "something of each", led
    elif several and (compared := compare(unmarked)):  # beside other asks a list is easily overlooked
        idea, parts = "comparison", compared
    elif several and (listed := distribute(unmarked)):
        parts = listed
    if len(parts) > 1 and idea not in made.reasons:
        made.reasons.append(idea)
    begin = len(made.drafts)
    goes_on = piece.waits or not (piece.stands or names_something(line) or referred(piece.text))
    before = made.answers[-1] if goes_on and made.answers else ()
    if before and not piece.waits and len(parts) == 1 and (whole := with_topic(unmarked, made.topic)):
        parts = [replace(parts[0], text=whole)]
    elif not made.answers:
        made.topic = topic_of(unmarked)
    for part in parts:
        after = (*(begin + place for place in part.after), *referred(part.text), *before)
        entity, aspect = ("" if referred(words) else words for words in (part.entity, part.aspect))
        topics = tuple(topic for topic in part.topics if not referred(topic))
        made.drafts.append(
            replace(part, after=tuple(dict.fromkeys(after)), entity=entity, aspect=aspect, topics=topics)
        )


def _of_lists(line: MaskedLine, piece: _Piece) -> list[PartDraft]:
    """Return the ask about each item of its lists, and where it weighs them the ask itself, which waits for all."""
    language = languages.of(line.text)
    weighs = language.pattern("marks.weighs").search(line.mask)
    order = language.pattern("marks.order").match(line.mask) if weighs else None
    if order and order.end() <= piece.lists[0][0][0]:  # Compare the cost of ...: the cost of each
        piece.put(0, order.end(), "")
        named = _of_each(MaskedLine(line.text[order.end() :], line.mask[order.end() :]), piece)
        parts = [replace(part, text=statement(part.text)) for part in named]
    elif len(compared := compare(line)) == 1 + prod(map(len, piece.lists)):
        return compared
    else:
        parts = _of_each(line, piece)
    if weighs:
        topics = tuple(dict.fromkeys(part.entity or part.aspect for part in parts))
        after = tuple(range(len(parts)))
        parts.append(PartDraft(text=question(line.text), role="compare", kind="reasoning", after=after, topics=topics))
    return parts


def _outermost(spans: Sequence[Span]) -> list[Span]:
    return [span for span in spans if not any(span != other and _within(span, other) for other in spans)]


def _find_first(made: MarkedParts, piece: _Piece) -> None:
    """Put the parts that find them in the place of the descriptions of a piece; a part is made where there is none yet."""
    while piece.descriptions:
        start, end = _outermost(piece.descriptions)[0]
        inner = _Piece(piece.text[start:end], [], [])
        inner.descriptions = [
            (a - start, b - start)
            for a, b in piece.descriptions
            if _within((a, b), (start, end)) and (a, b) != (start, end)
        ]
        piece.descriptions = [span for span in piece.descriptions if not _within(span, (start, end))]
        words = trimmed(inner.text)
        if words not in made.described:
            _find_first(made, inner)
            made.drafts.append(PartDraft(text=what_is(inner.text), after=referred(inner.text), topics=(words,)))
            made.described[words] = len(made.drafts) - 1
        piece.put(start, end, reference(made.described[words]))


def _guarded(line: MaskedLine, piece: _Piece) -> MaskedLine:
    """Return a line on which only the joints between listed items can be seen."""
    joints = languages.of(line.text).pattern("marks.joins")
    between = [(one[1], other[0]) for items in piece.lists for one, other in pairwise(items)]

    def hidden(match: re.Match[str]) -> str:
        seen = any(start <= match.start() and match.end() <= end for start, end in between)
        return match[0] if seen else "\ue001" * len(match[0])

    return MaskedLine(line.text, joints.sub(hidden, line.mask))


def _of_each(line: MaskedLine, piece: _Piece) -> list[PartDraft]:
    """Return the ask about each item of its list, or about each pair of the items of several."""
    lists = [items for items in piece.lists if items[-1][1] <= len(line.text)]
    in_order = languages.of(line.text).pattern("marks.in_order").search(line.text)
    if in_order and len(lists) > 1 and len({len(items) for items in lists}) == 1:
        rows = list(zip(*lists, strict=True))
    else:
        rows = list(product(*lists))
    drafts: list[PartDraft] = []
    for row in rows[:MOST_ROWS]:
        head, names, aspects = line.text, list[str](), list[str]()
        for items, (start, end) in reversed(list(zip(lists, row, strict=True))):
            item = _whole(line.text[start:end].strip(), line.text[slice(*items[0])])
            named = any(
                token.name for token in MaskedLine(item, line.mask[start:end].ljust(len(item))[: len(item)]).tokens
            )
            (names if named else aspects).insert(0, item)
            head = _with_one(head, items, item)
        drafts.append(
            PartDraft(text=question(head), entity=", ".join(names), aspect=", ".join(aspects), topics=tuple(names))
        )
    return drafts


def _whole(item: str, first: str) -> str:
    """Return `that of B` behind `the price of A` as `the price of B`."""
    of = _THAT_OF.match(item)
    return f"{first[: first.find(' of ')]} of {item[of.end() :]}" if of and " of " in first else item


def _with_one(text: str, items: Sequence[Span], item: str) -> str:
    """Return a text with one item in the place of a list."""
    head, tail = text[: items[0][0]], text[items[-1][1] :]
    between = text[items[0][1] : items[1][0]]
    said = languages.of(text).pattern("marks.between").sub("", between).strip(" ,")  # `taller`, of A taller than B
    item = f"{item} {said}" if content(said) and not is_chinese(text) else item
    if is_chinese(text):
        chinese = languages.language("zh")
        if chinese.pattern("marks.beside").search(text[items[0][1] : items[-1][0]]):
            head = chinese.pattern("marks.with").sub("", head)
        return trimmed(f"{head}{item}{chinese.pattern('marks.in_order').sub('', tail, count=1)}")
    return for_one(head, item, tail)


# -- by rules

Rule = Callable[[MaskedLine], list[PartDraft]]
_RULES: tuple[tuple[str, Rule], ...] = (
    ("something of each", each_of),
    ("comparison", compare),
    ("effect", effects),
    ("several things", distribute),
    ("steps", lambda line: chains.chinese_chain(line) if is_chinese(line.text) else english_chain(line)),
)

UNSURE = frozenset(
    ("several things", "steps")
)  # what only looks so: a name with `and` in it, a description that is well known

MARKS = "marks"  # the name by which the reader of questions is switched off
BUDGET = 48  # how far one clause may be taken apart
LONGEST_CLAUSE = 600  # characters; a longer sentence is only cut into clauses
_FRAGMENT = 30  # characters

_IDEAS = frozenset(("several questions", "several clauses", _POINTS_BACK, *(name for name, _ in _RULES)))
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
    if marks := marker.marks(text) if marker and MARKS not in without else None:
        parts = parts_of(text, marks, protector)
        if not parts.drafts:  # Why, and what do I do?: what was told is what it asks about
            made.drafts, made.first, made.marked = [PartDraft(text=question(text))], text, True
            return made
        background = [text[slice(*span)].strip() for span in marks.background]
        if len(marks.asks) == 1 and not marks.lists:  # rules know more chains, where there is nothing but a chain
            steps = decompose(
                text[slice(*marks.asks[0])], protector, deep=deep, without=_IDEAS - {"steps"} | {*without}
            )
            if len(steps.drafts) >= max(2, len(parts.drafts)):
                steps.background, steps.marked = background, bool(marks.descriptions)
                return steps
        if any(map(_leans, parts.drafts)):  # where a pointer is not sure, rules may know what it means
            ruled = decompose(text, protector, deep=deep, without=without)
            if len(ruled.drafts) >= len(parts.drafts) and not any(map(_leans, ruled.drafts)):
                return ruled
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


def _leans(draft: PartDraft) -> bool:
    """Tell whether a part waits for another without naming its answer: what it points back to is not known."""
    return draft.role == "find" and bool(set(draft.after) - set(referred(draft.text)))


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
    if _POINTS_BACK in made.without:
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
        made.reasons.append(_POINTS_BACK)
        return seeds
    if first is None and made.drafts and made.first and not _concludes(clause.mask):
        if again := _asked_again(clause, made.first):
            return [PartDraft(text=question(again))]
        begins = languages.of(clause.text).pattern("decompose.goes_on").match(clause.text)
        if names_something(clause) and not begins:
            return [PartDraft(text=clause.text)]
        text = "" if begins else with_topic(clause, topic_of(made.protector.line(made.first)))
        last = max((place for place, draft in enumerate(made.drafts) if draft.role == "find"), default=0)
        return [PartDraft(text=text or question(clause.text), after=() if text else (last,))]
    return [PartDraft(text=clause.text)]


def _asked_again(clause: MaskedLine, first: str) -> str:
    """Return the question before with what a fragment names in its place (`And in Sweden?`), or ''."""
    if len(clause.text) > _FRAGMENT:
        return ""
    found = stand_alone(clause.text, [Turn(question=first, asked=first)])
    again = found.reason.startswith(languages.of(clause.text).text("followup.asked_again").partition("{")[0])
    return found.became if again and not found.became.startswith(statement(first)) else ""


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
