"""Take a question apart where a reader of questions marked it: its asks, what each lists, what it describes, what its words point back to.

Nothing is re-worded but an auxiliary. What a word points back to takes its place, what is only described is asked first, and a list gives
way to one of its items. Places are those of the characters of the question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import prod

from scholarmind import languages
from scholarmind.marks import Anaphor, Marks, Span
from scholarmind.planning.decomposition.chains import each_of
from scholarmind.planning.decomposition.clause_rewriting import names_something, topic_of, with_topic
from scholarmind.planning.decomposition.clauses import asks, polite, units
from scholarmind.planning.decomposition.comparison import compare
from scholarmind.planning.decomposition.coordination import distribute, for_one
from scholarmind.planning.drafts import PartDraft, reference, referred
from scholarmind.planning.protection import MaskedLine, Protector
from scholarmind.planning.question_words import content, is_chinese, question, small, statement, trimmed, what_is

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
        _add(made, piece, protector, len(marks.asks) > 1)
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


def _add(made: MarkedParts, piece: _Piece, protector: Protector, several: bool) -> None:
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
