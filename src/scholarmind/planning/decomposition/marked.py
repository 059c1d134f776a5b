"""Parts of what a reader of questions marked: asks that stand alone, what each describes first, and each item of its lists.

Marks end within words and leave pointers open; where what they make would not stand, the ask stays whole, in the words of the user.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import prod

from scholarmind import languages
from scholarmind.planning.decomposition.chains import each_of
from scholarmind.planning.decomposition.clause_rewriting import (
    completed,
    in_front,
    names_something,
    things_meant,
    topic_of,
    topics_of,
    with_topic,
)
from scholarmind.planning.decomposition.clauses import asks, polite, units
from scholarmind.planning.decomposition.comparison import compare
from scholarmind.planning.decomposition.coordination import distribute, for_one
from scholarmind.planning.drafts import PartDraft, reference, referred
from scholarmind.planning.followup import stand_alone
from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    BASE_VERBS,
    CHINESE,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    FINITE_VERBS,
    PREPOSITIONS,
    REFERENCES,
    WH,
    MaskedLine,
    Protector,
    content,
    is_chinese,
    is_plural,
    question,
    small,
    statement,
    time_of,
    trimmed,
    what_is,
)
from scholarmind.ports import Anaphor, Marks, Span, Turn

_FRAGMENT = 30  # characters
_SHORTEST_ASK = 6  # the same, of a clause that is asked by itself
MOST_ROWS = 48  # that one ask may become
_POSSESSIVE = frozenset("its their his her whose".split())
_SAME_POSSESSIVE = ("'s", "’s", "的")
_LETTERS = re.compile(r"[a-z]+")
_SENTENCE_END = re.compile(r"[?？;；。]\s*(?=\S)")
_THAT_OF = re.compile(r"(?:that|those|the one|the ones) of ", re.IGNORECASE)


@dataclass(slots=True)
class MarkedParts:
    """The parts that a question became, with the ideas that were found in it."""

    drafts: list[PartDraft] = field(default_factory=list[PartDraft])
    reasons: list[str] = field(default_factory=list[str])
    answers: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])  # of each ask: where they are found
    things: list[bool] = field(
        default_factory=list[bool]
    )  # of each ask: whether things are asked for, no number or reason
    described: dict[str, int] = field(
        default_factory=dict[str, int]
    )  # the part that finds what a description stands for
    topic: str = ""  # what the first ask is about, in its words
    first: str = ""  # the first ask
    told: tuple[Span, ...] = ()  # what asks nothing


def parts_of(text: str, marks: Marks, protector: Protector) -> MarkedParts:
    """Return the parts of a marked question."""
    made = MarkedParts()
    marks = _with_whole_asks(text, marks, protector)
    made.told = marks.background
    made.first = text[slice(*marks.asks[0])].strip() if marks.asks else ""
    for number, ask in enumerate(marks.asks):
        before = len(made.drafts)
        asked = text[slice(*ask)]
        language = languages.of(text)
        asks_for_none = language.pattern("marks.no_thing").search(asked[_joint_end(asked) :])
        made.things.append(not (asks_for_none or language.pattern("marks.differs").search(asked)))
        piece = _standing_alone(text, marks, number, ask, made)
        if made.answers and not _asks_something(piece.text):  # And in Sweden?
            again = asked_again(protector.line(piece.text), text[slice(*marks.asks[number - 1])].strip())
            piece = _Piece(again or piece.text, [], [], waits=not again, stands=bool(again))
        if not content(piece.text):  # and why do they differ?
            last = made.answers[-1] if made.answers else ()
            if last and _asks_something(piece.text):
                made.drafts.append(PartDraft(text=question(piece.text), after=last, group=number + 1))
            made.answers.append(last)
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


def _with_whole_asks(text: str, marks: Marks, protector: Protector) -> Marks:
    """Return the marks with asks that are questions: sentences apart, and with the one before what is none by itself."""
    told = [
        (at, at + len(unit.text))
        for start, end in marks.background
        for unit in units(text[start:end], protector)
        if (at := text.find(unit.text, start, end)) >= 0 and asks(unit.text)
    ]
    mask = protector.line(text).mask
    spans: list[Span] = []
    led_from: int | None = None  # For each of them, ... If not, ...
    background = list(marks.background)
    for span in sorted((*marks.asks, *told)):
        for start, end in _sentences_of(span, mask):
            if not spans and text[start:end].rstrip().endswith("。") and not _asks_something(text[start:end]):
                background.append((start, end))  # it only tells
                continue
            if led_from is not None:
                start, led_from = led_from, None  # noqa: PLW2901 - it begins where what leads to it begins
            after_end = not spans or text[slice(*spans[-1])].rstrip()[-1:] in _ENDS
            leads = languages.of(text).pattern("marks.leads").fullmatch(text[start:end].rstrip())
            open_end = not _asks_something(text[start:end]) and text[start:end].rstrip()[-1:] not in _ENDS
            if leads or (after_end and open_end):
                led_from = start
                continue
            filled = any(
                one.words
                and (text[slice(*one.words)].split(maxsplit=1)[0].lower() in AUX or _repeats_question(text, one, end))
                for one in marks.pointers
                if one.place[0] == one.place[1] and start <= one.place[0] <= end
            )
            if spans and _belongs(text[start:end], text[slice(*spans[-1])], filled=filled):
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
    if led_from is not None:
        spans.append((led_from, max(end for _, end in (*marks.asks, *told))))

    def moved(ask: int | None) -> int | None:
        return next(
            (place for place, span in enumerate(spans) if ask is not None and _within(marks.asks[ask], span)), None
        )

    pointers = tuple(replace(one, ask=moved(one.ask)) for one in marks.pointers)
    return replace(marks, asks=tuple(spans), pointers=pointers, background=tuple(sorted(background)))


def _repeats_question(text: str, gap: Anaphor, end: int) -> bool:
    """Tell whether a question fills a gap up to such a piece as stands behind it: How is it regulated in Germany, and | in France?"""
    if gap.words is None or gap.place[0] != gap.place[1]:
        return False
    begins = text[slice(*gap.words)].split()[:1]
    before, behind = text[gap.words[1] :].split()[:1], text[gap.place[0] : end].split()[:1]
    return begins != [] and begins[0].lower() in WH and before == behind and behind != [] and behind[0] in PREPOSITIONS


def _sentences_of(span: Span, mask: str) -> list[Span]:
    """Return the sentences of an ask, if each of them asks something, or the last only leads to the next ask."""
    start, end = span
    ends = [start + match.end() for match in _SENTENCE_END.finditer(mask[start:end])]
    if leads := languages.of(mask).pattern("marks.leads").search(mask[start:end].rstrip()):
        ends.append(start + leads.start())
    cuts = [start, *(place for place in ends if place < end), end]
    found = [(first, last) for first, last in pairwise(cuts) if re.search(r"\w", mask[first:last])]
    leads = mask[start:end].rstrip()[-1:] not in _ENDS
    asking = found[:-1] if leads and found[1:] else found
    asking = asking[1:] if asking[1:] and mask[slice(*asking[0])].rstrip().endswith("。") else asking
    whole = found if all(_asks_something(mask[slice(*each)]) for each in asking) else [span]
    return [clause for each in whole for clause in _clauses_of(each, mask)] if is_chinese(mask) else whole


def _clauses_of(span: Span, mask: str) -> list[Span]:
    """Return the clauses of a Chinese ask, if each of two or more asks something for itself: 罚多少钱，单位要罚多少."""
    start, end = span
    cuts = [start, *(start + match.end() for match in re.finditer(r"[，,]", mask[start:end])), end]
    pieces = list(pairwise(cuts))
    asks_itself = [
        CHINESE_QUESTION.search(mask[a:b]) and len(mask[a:b].strip("，,？? ")) > _SHORTEST_ASK for a, b in pieces
    ]
    return pieces if len(pieces) > 1 and all(asks_itself) else [span]


def _asks_something(text: str) -> bool:
    """Tell whether a word of a text asks or orders."""
    body = text[_joint_end(text) :]
    if is_chinese(text):
        return bool(CHINESE_QUESTION.search(body) or CHINESE_ASKING.search(body))
    return bool(set(_LETTERS.findall(body.lower())) & (WH | AUX | ASKING | {"whether"}))


def _belongs(text: str, before: str, *, filled: bool) -> bool:
    """Tell whether a stretch is no question by itself: the other side of a choice, a thing, or a word that asks and no verb."""
    begins = before.rstrip()[-1:] in _ENDS  # a sentence
    language = languages.of(text)
    if text.lstrip()[:1] in {"(", "（"} or (not begins and language.pattern("marks.choice").match(text)):
        return True
    if CHINESE_ASKING.search(before) and _joint_end(text) and text[_joint_end(text) - 1] not in "，,、和与":
        return False  # 列出成员，以及每个成员的人数
    if not _asks_something(text):
        return not begins and not filled and _asks_something(before)
    body = text[_joint_end(text) :]
    if is_chinese(text):
        return not content(body)
    return not _has_verb(body) and not filled and bool(language.pattern("marks.fragment").match(body))


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

    marked = [_whole_items(text, items) for items in marks.lists if all(map(own, items))]
    lists = [items for one in marked for items in _things_and_aspects(text, one)]
    piece = _Piece(
        text[start:end],
        [[(a - start, b - start) for a, b in items] for items in lists if len(items) > 1],
        sorted((a - start, b - start) for a, b in _whole_descriptions(text, marks.descriptions) if own((a, b))),
    )
    changes = _sure_changes(text, marks, number, ask)
    for pointer in sorted(marks.pointers, key=lambda one: one.place[0] == one.place[1]):  # words that point, then gaps
        first, last = pointer.place
        here = left_out_here(first) if first == last else own(pointer.place)
        if not here or any(a <= first - start < b for a, b, _ in changes):
            continue
        if first < last and pointer.words and pointer.ask is None and own(pointer.words):
            continue  # the ask says itself what it means
        begins = first == last and not content(text[start:first])
        if first == last and (piece.waits or (piece.stands and not begins)):
            continue  # but for what a word of it means, nothing is left out
        words = _meant(text, pointer, number, made, begins=begins)
        known = piece.text + "".join(put for _, _, put in changes)
        if first == last and (words in known or not _fills(text, pointer, words, ask)):
            continue  # what was left out is put back once
        piece.waits |= not words
        if words:
            changes.append(_change(piece.text, first - start, last - start, words))
            piece.stands = True
    if piece.stands and POINTS_BACK not in made.reasons:
        made.reasons.append(POINTS_BACK)
    for first, last, words in sorted(changes, reverse=True):
        piece.put(first, last, words)
    _drop_edges(piece)
    return piece


def _drop_edges(piece: _Piece) -> None:
    """Drop what joins an ask to others, and what is only said to be polite."""
    piece.put(0, _joint_end(piece.text), "")
    for lead in ("marks.says", "marks.for_each"):
        if order := languages.of(piece.text).pattern(lead).match(piece.text):
            piece.put(0, order.end(), "")
    asked = polite(piece.text)
    if (polite_from := piece.text.find(asked)) >= 0:
        piece.put(polite_from + len(asked), len(piece.text), "")
        piece.put(0, polite_from, "")


def _change(ask: str, first: int, last: int, words: str) -> tuple[int, int, str]:
    """Return what takes the place of what for a pointer; what a Chinese ask leaves out stands in front of it."""
    if first == last and is_chinese(ask):
        first = last = _joint_end(ask)
        return first, last, in_front(words, ask[first:])
    return first, last, _agreeing(ask, first, last, words)


def _sure_changes(text: str, marks: Marks, number: int, ask: Span) -> list[tuple[int, int, str]]:
    """Return what takes the place of what in an ask, whatever its pointers mean: courtesy around it, and `that of`."""
    start, end = ask
    courtesy = max(0, text[start:end].find(polite(text[start:end])))
    changes = [(0, courtesy, "")] if courtesy else []
    for a, b in marks.courtesy:  # around an ask, not within it: tell me
        around = a - start == courtesy or not re.search(r"\w", text[b:end])
        if _within((a, b), ask) and around:
            changes.append((a - start, b - start, ""))
    language = languages.of(text)
    that = language.pattern("marks.stands_for").search(text, start, end) if number else None
    owned = language.pattern("marks.owned").search(text, *marks.asks[number - 1]) if that else None
    return [*changes, (that.start() - start, that.end() - start, owned[0])] if that and owned else changes


def _fills(text: str, gap: Anaphor, words: str, ask: Span) -> bool:
    """Tell whether words may be put where an ask left something out: in English its verb, or what its verb is said of."""
    if is_chinese(text) or _repeats_question(text, gap, ask[1]):
        return True
    before = text[: gap.place[0]].rstrip().rpartition(" ")[2]
    if words.startswith("of ") and before in BASE_VERBS:
        return False  # how long does recovery take of
    asked = text[slice(*ask)]
    has_verb = set(_LETTERS.findall(asked.lower())) & (AUX | FINITE_VERBS) or re.search(r"\w+ed\b", asked)
    begins = words.split(maxsplit=1)[0].lower()
    says = set(_LETTERS.findall(words.lower())) & (AUX | FINITE_VERBS | BASE_VERBS)
    return begins in PREPOSITIONS and not says if has_verb else begins in AUX


def _whole_descriptions(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return descriptions to the verb of their clause: the city where [the house of Mozart] is located, the state where it | is."""
    if is_chinese(text):
        return [(start, end - text[start:end].endswith("的")) for start, end in spans]
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and _ENDS_OPEN.search(text[slice(*found[-1])]) and not text[found[-1][1] : start].strip():
            if verb := _VERB_BEHIND.search(text[start:end]):
                end = start + verb.start()  # noqa: PLW2901 - the verb is said of the outer one
            behind = _VERB_BEHIND_HERE.match(text, end)
            found[-1] = (found[-1][0], behind.end() if behind else end)
        elif " where " in text[start:end] and not _has_verb(text[start:end].rpartition(" where ")[2]):
            behind = _AUX_BEHIND.match(text, end)
            end = behind.end() if behind else end  # noqa: PLW2901
        found.append((start, end))
    return found


def _whole_items(text: str, items: Sequence[Span]) -> list[Span]:
    """Return the items of a list: what nothing joins is one, and where a later one has its preposition, so has the first."""
    whole: list[Span] = []
    for start, end in items:
        end -= len(text[start:end]) - len(text[start:end].rstrip(" ,，、"))  # noqa: PLW2901 - 2010,
        if goes_on := _NAME_GOES_ON.match(text, end) if text[start:end].rpartition(" ")[2][:1].isupper() else None:
            end = goes_on.end()  # noqa: PLW2901 - the marks end within a name
        if whole and not text[whole[-1][1] : start].strip():
            whole[-1] = (whole[-1][0], end)
        else:
            whole.append((start, end))
    whole = [(start, end) for start, end in whole if content(text[start:end])]
    if whole and _is_of_pairs(text, whole[0][0], whole[-1][1]):
        return []
    if is_chinese(text) and whole:  # 防霜扇的功率和投资回收期
        whole = [(start, end - text[start:end].endswith("的")) for start, end in whole]
        number = re.search(r"\d", text[slice(*whole[0])]) if text[whole[-1][0]].isdigit() else None
        whole[0] = (whole[0][0] + (number.start() if number else 0), whole[0][1])  # 博世2019年和2022年
        whole[-1] = (whole[-1][0], whole[-1][1] - text[slice(*whole[-1])].endswith("两"))  # 甲、乙两组
        begin, end = whole[-1]
        if whole[1:] and text[whole[0][1] - 1] == text[end : end + 1] != text[end - 1]:
            whole[-1] = (begin, end + 1)  # 游禽和涉|禽: the marks end within a word
        owner = text.rfind("的", *whole[0]) + 1
        if owner and not any("的" in text[slice(*item)] for item in whole[1:]):
            whole[0] = (owner, whole[0][1])
    if any(text[start:end].split(maxsplit=1)[0].lower() in PREPOSITIONS for start, end in whole[1:]):
        word = re.search(r"\w+\s+$", text[: whole[0][0]])
        if word and word[0].strip().lower() in PREPOSITIONS:
            whole[0] = (word.start(), whole[0][1])
    return whole


def _things_and_aspects(text: str, items: list[Span]) -> list[list[Span]]:
    """Return a Chinese list as the two that it may be: 鸵鸟和鸸鹋 | 的 | 身高、体重和寿命."""
    owned = [place for place, (start, end) in enumerate(items) if "的" in text[start + 1 : end - 1]]
    if not is_chinese(text) or len(owned) != 1 or not owned[0]:
        return [items]
    place = owned[0]
    start, end = items[place]
    middle = text.find("的", start + 1)
    aspects = [(middle + 1, end), *items[place + 1 :]]
    return [[*items[:place], (start, middle)], *([aspects] if len(aspects) > 1 else [])]


def _is_of_pairs(text: str, start: int, end: int) -> bool:
    """Tell whether more is joined than the items: wolves in | Yellowstone and beavers | in Scotland, 陕西的面食和 | 山西 | 的有什么不同."""
    if is_chinese(text):
        return bool(languages.of(text).pattern("coordination.owned").match(text, end))
    before, behind = text[:start].split()[-1:], text[end:].split()[:1]
    return before == behind and before != [] and before[0].lower() in PREPOSITIONS


def _joint_end(text: str) -> int:
    """Return where what joins an ask to the one before it ends, or its number in a list."""
    lead = languages.of(text).pattern("marks.joint").match(text)
    return lead.end() if lead else 0


POINTS_BACK = "a word that points back"
_JOINS_THINGS = frozenset("的和与及或跟")
_ARTICLE = re.compile(r"\b(the|my|our|his|her|its|their) $")
_ENDS_OPEN = re.compile(r" (?:where|which|that|whom?|of)$", re.IGNORECASE)
_VERB_BEHIND = re.compile(r" (?:is|are|was|were)(?: \w+)?$")
_VERB_BEHIND_HERE = re.compile(r" (?:is|are|was|were) \w+(?:ed|en|ut|lt)\b")
_AUX_BEHIND = re.compile(r" (?:is|are|was|were)\b")
_SAME_END = 4  # characters
_PLACES = tuple("里中上内")  # what a clause is about is more than where
_POINTS_AT = frozenset("该此本这那")  # in front of a thing
_NAME_GOES_ON = re.compile(r"(?: [A-Z][\w.’'-]*)+")
_HEAD = re.compile(r" (?:of|that|who|which|in|for|on|to|with|from|at|by|between|after|before) ")
_ENDS = ("", *"?？.。!！;；\n")
_MOST_MEANT = 4  # words that say something, of what takes the place of a pointer: more is more than a thing


def _meant(text: str, pointer: Anaphor, number: int, made: MarkedParts, *, begins: bool) -> str:
    """Return what takes the place of a pointer: the answer of an earlier part, or words of the question; '' if that is not sure."""
    language = languages.of(text)
    first, last = pointer.place
    if first < last and (
        language.pattern("marks.counts").match(text[first:])
        or not language.pattern("marks.pointing").match(text[first:])
        or language.pattern("marks.stands_for").match(text[first:])
    ):
        return ""  # `there`, `one`, `that of`: more than the word would have to change
    if first < last and (counted := language.pattern("marks.of_counted").search(text[:first])):
        return f"the {counted['counted']}"  # how many people were tested at Sorn, and how many of | them
    if pointer.ask is not None:
        if pointer.ask >= min(number, len(made.answers)) or not made.things[pointer.ask]:
            return ""  # nothing that could be spoken of is asked for there
        places = made.answers[pointer.ask]
    else:
        words = trimmed(text[slice(*pointer.words)]) if pointer.words else ""
        if pointer.words and (article := _ARTICLE.search(text, 0, pointer.words[0])) and first < last:
            words = f"{article[1]} {words}"  # the marks begin behind it
        if not begins and language.pattern("marks.asking").match(words):
            return ""  # what was asked is no thing; it may only be left out where an ask begins
        for description, place in made.described.items():
            words = words.replace(description, reference(place))
        is_clause = (
            first == last and is_chinese(text) and any(_within(pointer.words or (0, 0), one) for one in made.told)
        )
        whole = not pointer.words or referred(words) or is_clause or _is_a_thing(text, pointer)
        return words if whole and (first == last or len(content(words)) <= _MOST_MEANT) else ""
    joint = "和" if is_chinese(text) else " and "
    return joint.join(map(reference, places))


def _is_a_thing(text: str, pointer: Anaphor) -> bool:
    """Tell whether the words that a pointer means are a thing, from end to end, of the number that it has."""
    start, end = pointer.words or (0, 0)
    words, language = text[start:end], languages.of(text)
    if not is_chinese(text):
        number = language.pattern("marks.number").match(text[slice(*pointer.place)])
        several = is_plural(_HEAD.split(trimmed(words), maxsplit=1)[0]) or " and " in words
        return not number or several == bool(number["several"])
    boundary = language.pattern("coreference.boundary")
    if any(match[0] not in _JOINS_THINGS for match in boundary.finditer(trimmed(words), words[:1] in _POINTS_AT)):
        return False  # what is done is no thing
    goes_on = CHINESE.fullmatch(text[end - 1 : end]) and CHINESE.match(text[end : end + 1])
    return not goes_on or bool(boundary.match(text, end) or language.pattern("marks.behind_things").match(text, end))


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
    _drop_unsure(piece)
    if piece.descriptions and "steps" not in made.reasons:
        made.reasons.append("steps")
    _find_first(made, piece)
    if not content(piece.text):  # In the paper by Ito, ...: what it describes is all that it asks
        return
    body = statement(piece.text)
    unmarked = protector.line(body)
    line = _guarded(unmarked, piece)
    idea, parts = _parts_of_ask(line, unmarked, piece, several)
    if not all(stands(part, body) for part in parts):
        parts = [PartDraft(text=question(piece.text))]
    if each := _of_each_meant(unmarked, made):
        idea, parts, piece.waits, piece.stands = "several things", each, False, True
    if len(parts) > 1 and idea not in made.reasons:
        made.reasons.append(idea)
    begin = len(made.drafts)
    goes_on = piece.waits or not (piece.stands or names_something(line) or referred(piece.text))
    before = made.answers[-1] if goes_on and made.answers else ()
    seeds: list[PartDraft] = []
    if before and (whole := _with_topic(unmarked, made) if len(parts) == 1 and not piece.waits else ""):
        parts, before = [replace(parts[0], text=whole)], before if made.topic.endswith(_PLACES) else ()
    elif before and (seeds := _completed(unmarked, made, protector) if len(parts) == 1 else []):
        parts, before = seeds, ()
        if POINTS_BACK not in made.reasons:
            made.reasons.append(POINTS_BACK)
    elif before:
        before = (*made.answers[0], *before)  # what it goes on from may stand in any of them
    elif not made.answers:
        made.topic = topic_of(unmarked)
    for part in parts:
        inner = () if parts is seeds else part.after
        after = (*(begin + place for place in inner), *referred(part.text), *before)
        part = replace(part, text=question(part.text)) if part.role == "compare" else part  # noqa: PLW2901
        entity, aspect = ("" if referred(words) else words for words in (part.entity, part.aspect))
        topics = tuple(topic for topic in part.topics if not referred(topic))
        made.drafts.append(
            replace(part, after=tuple(dict.fromkeys(after)), entity=entity, aspect=aspect, topics=topics)
        )


def _parts_of_ask(line: MaskedLine, unmarked: MaskedLine, piece: _Piece, several: bool) -> tuple[str, list[PartDraft]]:
    """Return what is asked about each thing that an ask names, and the idea by which that is so."""
    if piece.lists:
        parts = _of_lists(line, unmarked, piece)
        return "comparison" if parts[-1].role == "compare" else "several things", parts
    if led := each_of(line):
        return "something of each", led
    if several and not (
        referred(piece.text) or (piece.stands and is_chinese(piece.text))
    ):  # beside other asks a list is easily overlooked
        if compared := compare(unmarked):
            return "comparison", compared
        weighs = languages.of(line.text).pattern("marks.weighs").search(unmarked.mask)
        if not weighs and (listed := distribute(unmarked)):
            return "several things", listed
    return "", [PartDraft(text=question(piece.text), topics=() if piece.waits else topics_of(unmarked))]


def _of_each_meant(line: MaskedLine, made: MarkedParts) -> list[PartDraft]:
    """Return an ask that speaks of `each` with each of the things in its place that the asks before it were about."""
    things = things_meant(made.drafts)
    each = languages.of(line.text).pattern("marks.each").search(line.mask) if len(things) > 1 else None
    if not each:
        return []
    start, end = each.span("doing" if each["doing"] else "each")
    head, tail = line.text[:start], line.text[end:]
    return [PartDraft(text=question(for_one(head, thing, tail)), entity=thing, topics=(thing,)) for thing in things]


def stands(part: PartDraft, ask: str) -> bool:
    """Tell whether a part can be read by itself: nothing that it ends with leads on, and it says only what the ask says."""
    language = languages.of(ask)
    if part.role != "find" or not content(part.text):
        return part.role != "find"
    if language.pattern("marks.leads_on").search(statement(REFERENCES.sub("#", part.text))):
        told = statement(part.text)
        return told == ask or (is_chinese(ask) and statement(ask).endswith(told[-_SAME_END:]))
    if is_chinese(ask):
        return True
    words = ask.lower()
    return sum(word[:4] not in words for word in content(REFERENCES.sub("", part.text))) <= 1


def is_asked(text: str) -> bool:
    """Tell whether a text begins as questions do, or something is done in it."""
    first = text.partition(" ")[0].lower()
    return is_chinese(text) or first in WH | AUX | ASKING | PREPOSITIONS or _has_verb(text) or bool(referred(text))


def _has_verb(text: str) -> bool:
    """Tell whether something is done in an English text: not in `The bridge over which river`."""
    words = _LETTERS.findall(text.lower())
    return bool(set(words) & (AUX | FINITE_VERBS | BASE_VERBS)) or any(word.endswith("ed") for word in words)


def _of_lists(line: MaskedLine, unmarked: MaskedLine, piece: _Piece) -> list[PartDraft]:
    """Return the ask about each item of its lists, and where it weighs them the ask itself, which waits for all."""
    language = languages.of(line.text)
    items = {line.text[slice(*item)] for items in piece.lists for item in items}
    in_order = language.pattern("marks.in_order").search(line.text)
    weighs = language.pattern("marks.weighs").search(line.mask) if not (in_order and is_chinese(line.text)) else None
    order = language.pattern("marks.order").match(line.mask) if weighs else None
    if order and order.end() <= piece.lists[0][0][0]:  # Compare the cost of ...: the cost of each
        if " of " in line.text[slice(*piece.lists[0][-2])] and len(piece.lists) == 1 < len(piece.lists[0]) - 1:
            return compare(MaskedLine(line.text, line.text))  # the cost, and the speed of A, and B: no one list
        rest = replace(piece)
        rest.put(0, order.end(), "")
        named = _of_each(MaskedLine(line.text[order.end() :], line.mask[order.end() :]), rest)
        bare = {item.lower() for item in items}
        texts = [
            what_is(part.entity or part.aspect) if statement(part.text).lower() in bare else statement(part.text)
            for part in named
        ]
        parts = [replace(part, text=text) for part, text in zip(named, texts, strict=True)]
    elif not in_order and (parts := compare(line)) and _is_of_items(parts, items, prod(map(len, piece.lists))):
        return parts
    elif weighs and not language.pattern("marks.versus").fullmatch(weighs[0]):
        # a choice, a difference: of each side where rules see the same sides, else one question
        parts = compare(unmarked)
        return parts if parts and _is_of_items(parts, items, 0) else [PartDraft(text=question(line.text))]
    elif not weighs:
        return _of_each(line, piece)
    else:
        parts = _of_each(line, piece)
    topics = tuple(dict.fromkeys(part.entity or part.aspect for part in parts))
    after = tuple(range(len(parts)))
    return [*parts, PartDraft(text=question(line.text), role="compare", kind="reasoning", after=after, topics=topics)]


def _is_of_items(parts: Sequence[PartDraft], items: Collection[str], cells: int) -> bool:
    """Tell whether what a comparison is of are listed items, and how many cells it has, if that is known."""
    return (not cells or len(parts) == 1 + cells) and set(items).issuperset(parts[-1].topics)


def _outermost(spans: Sequence[Span]) -> list[Span]:
    return [span for span in spans if not any(span != other and _within(span, other) for other in spans)]


def _with_topic(line: MaskedLine, made: MarkedParts) -> str:
    """Return a Chinese clause behind what the first one is about, or '' where it is not sure that this is whole."""
    owner = f"{made.topic}的"
    time = time_of(made.first)
    lately = time if languages.of(line.text).pattern("marks.lately").search(time) else ""  # 近3年: of all that is asked
    whole = with_topic(line, made.topic, lately) if is_chinese(line.text) else ""
    if languages.of(line.text).pattern("marks.as_told").search(line.mask):
        return ""
    return "" if whole.startswith(owner) and owner in made.drafts[0].text else whole


def _completed(line: MaskedLine, made: MarkedParts, protector: Protector) -> list[PartDraft]:
    """Return a clause with what rules put in the place of its pointers, or behind it, where they are sure; else nothing."""
    language = languages.of(line.text)
    if language.pattern("marks.one_of_all").search(line.mask) or language.pattern("marks.as_told").search(line.mask):
        return []  # which of all that was named is somebody, or of that sort, rules do not know
    last = made.drafts[-1]
    if set(last.after) - set(referred(last.text)) and last.role == "find":
        return []  # it is not known either what that is about
    seeds = completed(line, made.drafts, protector.line(made.first))
    found = zip(made.answers, made.things, strict=False)
    no_things = {place for places, are_things in found if not are_things for place in places}
    sure = all(
        set(seed.after) <= set(referred(seed.text)) - no_things and seed.text != question(line.text) for seed in seeds
    )
    return [replace(seed, text=question(seed.text)) for seed in seeds] if sure else []


def _drop_unsure(piece: _Piece) -> None:
    """Take no description for one that would leave nothing to ask: where it ends is not sure."""
    bare = piece.text
    for start, end in reversed(_outermost(piece.descriptions)):
        bare = f"{bare[:start]}#{bare[end:]}"
    leads_on = languages.of(bare).pattern("marks.leads_on")
    unfinished = any(_ENDS_OPEN.search(piece.text[start:end]) for start, end in piece.descriptions)
    at_end = any(end >= len(statement(piece.text)) for _, end in piece.descriptions)
    if unfinished or (at_end and leads_on.search(statement(bare))):
        piece.descriptions = []


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
    owned = len(lists) > 1 and line.text[lists[0][-1][1] : lists[1][0][0]] == "的"  # each has all of it
    if in_order and not owned and len(lists) > 1 and len({len(items) for items in lists}) == 1:
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
        for told in ("marks.counted", "marks.in_order"):
            tail = chinese.pattern(told).sub("", tail, count=1)
        return trimmed(f"{head}{item}{tail}")
    return for_one(head, item, tail)


def asked_again(clause: MaskedLine, first: str) -> str:
    """Return the question before with what a fragment names in its place (`And in Sweden?`), or ''."""
    if len(clause.text) > _FRAGMENT:
        return ""
    found = stand_alone(clause.text, [Turn(question=first, asked=first)])
    again = found.reason.startswith(languages.of(clause.text).text("followup.asked_again").partition("{")[0])
    return found.became if again and not found.became.startswith(statement(first)) else ""
