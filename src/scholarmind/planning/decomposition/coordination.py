"""Things named side by side, `A, B and C` or A、B和C: where they stand in a question, and the question about each of them.

Nothing is re-worded: a list gives way to one of its items, an auxiliary in front of it agrees with that, and what is said `of both` is
said of one. English finds the ends of items by its small words; Chinese, which has none, by likeness: 成都大运会和杭州亚运会 end alike.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.languages import pattern
from scholarmind.planning.drafts import PartDraft
from scholarmind.planning.question_words import (
    ASKING,
    AUX,
    BASE_VERBS,
    BE,
    CHINESE_ASKING,
    CHINESE_QUESTION,
    CHINESE_TIME,
    FINITE_VERBS,
    FUNCTION,
    PREPOSITIONS,
    SINGULAR_AUX,
    WH,
    MaskedLine,
    MaskedToken,
    is_chinese,
    is_plural,
    question,
    statement,
    third_person,
    trimmed,
)

_JOINTS = frozenset("and or & vs vs. versus".split())
_IN_NAMES = frozenset("of the for and & de la von van der in on at".split())
_LONGEST_ITEM = 5  # words that are no name
_ORDERED = pattern("en", "coordination.ordered")
_LISTS_AFTER = frozenset("the a an its their of for on about in both some main key".split())
_SINGULAR = frozenset("is was does has".split())
_ASPECT_OF = frozenset("of for behind".split())
_OF_TAIL = frozenset("of for in on behind within during under at from to".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration:
    """A list in a line: its items, the ends of the whole, the word before the last item, and whether its items are names.

    `uneven` is one of a name and words: `LoRA and full fine-tuning`, which may be compared, but more often is no list at all.
    """

    items: tuple[str, ...]
    start: int
    end: int
    joint: str
    named: bool
    uneven: bool = False


def listings(line: MaskedLine) -> list[Enumeration]:
    """Return the lists of a line, in order."""
    return _chinese(line) if is_chinese(line.text) else _english(line)


def distribute(line: MaskedLine) -> list[PartDraft]:
    """Return the question about each thing of a list, or nothing where it names no several things to be asked about one by one."""
    body = statement(line.text)
    cut = MaskedLine(body, line.mask[: len(body)]) if line.text.startswith(body) else line
    found = listings(cut)
    if is_chinese(cut.text):
        return _of_each_chinese(cut, found[0]) if found and _asks_chinese(cut, found[0]) else []
    if paired := _paired(cut, found):
        return paired
    chosen = next((one for one in found if one.joint != "or" and _is_asked_of(cut, one)), None)
    return of_each(cut, chosen) if chosen else []


def of_each(line: MaskedLine, listing: Enumeration) -> list[PartDraft]:
    """Return the line with each item of a list in the place of the list."""
    head, tail = line.text[: listing.start], line.text[listing.end :]
    return [
        PartDraft(
            text=question(for_one(head, item, tail)),
            entity=_OWNS.sub("", item) if listing.named else "",
            aspect="" if listing.named else item,
        )
        for item in listing.items
    ]


def for_one(head: str, item: str, tail: str) -> str:
    """Return what was said of several things as said of one."""
    head = _ORDERED.sub("", head).rstrip()
    if head.endswith(":"):  # the architects of five landmarks: A, B ...
        head = re.sub(r"(?:^|(?<= (?:of|in|on|at|by))|(?<= (?:for))|(?<= (?:from)))(?: ?[\w'’-]+){0,5}:$", "", head)
    head, tail = _agreeing(head, item, _ORDERED.sub("", tail))
    if not is_plural(item):
        tail = re.sub(r"\btheir\b", "its", tail, count=1)
    gap = "" if not tail or tail[0] in ",'’?. " else " "
    return f"{head} {item}{gap}{tail}".strip()


def put(head: str, thing: str, tail: str) -> str:
    """Return a question with a thing in the place of a word that points to it."""
    head, tail = _agreeing(head.rstrip(), thing, tail)
    return f"{head} {thing}{tail}".strip() if head else f"{thing}{tail}"


def _agreeing(head: str, item: str, tail: str) -> tuple[str, str]:
    """Return what stands before and behind one thing, with its auxiliary in the singular, on whichever side that is."""
    if is_plural(item):
        return head, tail
    before, _, last = head.rpartition(" ")
    article = last.lower() in {"the", "an", "a"}
    verb_before, _, verb = before.rpartition(" ") if article else (before, "", last)
    if verb.lower() in SINGULAR_AUX:
        single = SINGULAR_AUX[verb.lower()]
        single = single.capitalize() if verb[:1].isupper() else single
        head = f"{verb_before} {single}{' ' + last if article else ''}".strip()
    if verb.lower() in WH - {"which", "whose"} and (said := _BASE_FORM.match(tail)):  # how A and B work
        tail = third_person(said[0].strip()) + tail[said.end() :]
    if verb.lower() not in AUX:
        tail = re.sub(r"^(\s*)(are|were|do|have)\b", lambda found: found[1] + SINGULAR_AUX[found[2]], tail)
    return head, tail


# -- English


def _english(line: MaskedLine) -> list[Enumeration]:
    if again := _AGAIN.search(line.mask) or _THAT_OF.search(
        line.mask
    ):  # in Ireland and in Spain, of tin and that of lead
        items = tuple(line.text[slice(*again.span(side))] for side in "ab")
        return [Enumeration(items=items, start=again.start("a"), end=again.end("b"), joint="and", named=True)]
    # the words of a line; its first is no name only because it is capital: Height, weight and range
    first, *others = line.tokens
    plain = line.text[1 : first.end].islower() and len(others) > 1 and others[0].word in {",", "and"}
    tokens = (replace(first, name=first.name and not (plain and not others[1].name)), *others)
    found: list[Enumeration] = []
    for place in range(1, len(tokens) - 1):
        if tokens[place].word not in _JOINTS or (found and tokens[place].start < found[-1].end):
            continue
        if listing := _around(line, tokens, place):
            found.append(listing)
    return found


def _around(line: MaskedLine, tokens: tuple[MaskedToken, ...], joint: int) -> Enumeration | None:
    """Return the list whose last joint, or only one, is here."""
    left = joint - 2 if tokens[joint - 1].word == "," else joint - 1
    right = joint + 1
    if left < 0:
        return None
    end = _item_end(tokens, right)
    if end == right:
        return None
    spans = [(right, end)]
    while left >= 0 and (begin := _item_begin(tokens, left, spans[0])) <= left:
        spans.insert(0, (begin, left + 1))
        if begin < 2 or not _goes_on(tokens, begin - 1) or not _is_alike(tokens, begin - 2, spans):
            break
        left = begin - 2
    if len(spans) < 2:
        return None
    named = [_is_named(tokens, *span) for span in spans]
    start, stop = tokens[spans[0][0]].start, tokens[spans[-1][1] - 1].end
    items = with_shared_head([line.piece(tokens[first].start, tokens[last - 1].end) for first, last in spans])
    # whether names and words stand side by side; a word in front of a name in the first item (films Solaris) is said
    # of all
    names = [_is_named(tokens, *span) for span in spans]
    begins = [_is_name(tokens[first + (tokens[first].word in {"the", "a", "an"})]) for first, _ in spans]
    return Enumeration(
        items=items,
        start=start,
        end=stop,
        joint=tokens[joint].word,
        named=any(named),
        uneven=len(set(names)) > 1 or (all(names) and not all(begins[1:])),
    )


def with_shared_head(items: Sequence[str]) -> tuple[str, ...]:
    """Return listed things with what only the last one has: the noun of Bosch, Miele and Siemens dishwashers, or an `'s`."""
    *firsts, last = items
    if (owns := _OWNS.search(last)) and not any(map(_OWNS.search, firsts)):
        return (*(f"{item}{owns[0]}" for item in firsts), last)
    head = _SHARED_HEAD.match(last)
    if head is None or not all(_ONLY_NAME.match(item) for item in firsts):
        return tuple(items)
    return (*(f"{item} {head[1]}" for item in firsts), last)


def _goes_on(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    """Tell whether what stands here joins one more item on its left."""
    return tokens[place].word in {",", "and"} and place > 0 and tokens[place - 1].word not in FUNCTION


def _is_alike(tokens: tuple[MaskedToken, ...], place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Tell whether what ends here may stand in one list with the others: names beside names, words beside words."""
    return _is_name(tokens[place]) == _is_named(tokens, *spans[0])


def _item_end(tokens: tuple[MaskedToken, ...], place: int) -> int:
    """Return the place behind the item that begins here, or the same place if nothing does."""
    begin = place
    if tokens[place].word in {"the", "a", "an", "its", "their"} and place + 1 < len(tokens):
        place += 1
    if _is_name(tokens[place]):
        while place < len(tokens) and (
            _is_name(tokens[place]) or _within_name(tokens, place) or tokens[place].word.isdigit()
        ):
            place += 1
        # the end of `Norvex in 2017`
        if (
            place + 1 < len(tokens)
            and tokens[place].word in {"in", "from", "on"}
            and tokens[place + 1].word[:1].isdigit()
        ):
            return place + 2
        return place
    first = place
    while (
        place < len(tokens)
        and place - first < _LONGEST_ITEM
        and _is_word(tokens, place)
        and not _is_verb(tokens, place, first)
    ):
        place += 1
        if _is_name(tokens[place - 1]) and not (place < len(tokens) and _is_name(tokens[place])):
            break  # full fine-tuning of ..., films Solaris
    return place if place > first else begin


def _item_begin(tokens: tuple[MaskedToken, ...], place: int, other: tuple[int, int]) -> int:
    """Return where the item begins that ends here; behind the place if there is none."""
    if tokens[place].word[:1].isdigit() and place > 1 and tokens[place - 1].word in {"in", "from", "on"}:
        inner = _item_begin(tokens, place - 2, other)
        return inner if inner <= place - 2 else place + 1
    begin = place
    if _is_name(tokens[place]):
        while begin > 0 and (_is_name(tokens[begin - 1]) or _within_name(tokens, begin - 1)):
            begin -= 1
    elif not _is_word(tokens, place):
        return place + 1
    else:
        if _is_name(tokens[other[0]]) and other[1] - other[0] == 1 and tokens[place].word in FINITE_VERBS | BASE_VERBS:
            return place + 1
        while (
            begin > 0
            and place - begin < _LONGEST_ITEM - 1
            and _is_word(tokens, begin - 1)
            and not _is_name(tokens[begin - 1])
        ):
            begin -= 1
    article = begin > 0 and tokens[begin - 1].word in {"the", "a", "an"}
    if article and (tokens[other[0]].word in {"the", "a", "an"} or (begin > 1 and tokens[begin - 1].capital)):
        begin -= 1
    return begin


def _is_name(token: MaskedToken) -> bool:
    return token.name


def _within_name(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    """Tell whether a small word stands inside a name, as `of` in University of Vienna, `of the` and `Me` in titles."""
    if not 0 < place < len(tokens) - 1:
        return False
    word, before, behind = tokens[place], tokens[place - 1], tokens[place + 1]
    if word.capital:
        return before.capital and behind.capital
    if word.word == "the":
        return before.word == "of" and _within_name(tokens, place - 1)
    if behind.word == "the" and word.word == "of" and place + 2 < len(tokens):
        behind = tokens[place + 2]
    inside = _IN_NAMES - {"and", "&", "in", "on", "at", "for"}
    return word.word in inside and _is_name(before) and behind.capital


def _is_named(tokens: tuple[MaskedToken, ...], begin: int, end: int) -> bool:
    return any(_is_name(token) for token in tokens[begin:end])


def _is_word(tokens: tuple[MaskedToken, ...], place: int) -> bool:
    """Tell whether a word may belong to an item; what could be a verb too is a noun behind an article or a comma."""
    word = tokens[place].word
    noun = place > 0 and tokens[place - 1].word in {"the", "a", "an", "its", "their", ","}
    return word not in FUNCTION and word[:1].isalnum() and not word.isdigit() and (noun or word not in FINITE_VERBS)


def _is_verb(tokens: tuple[MaskedToken, ...], place: int, first: int) -> bool:
    return place > first and tokens[place].word in BASE_VERBS and not is_plural(tokens[place].word)


def _is_asked_of(line: MaskedLine, listing: Enumeration) -> bool:
    """Tell whether a question is about each of a list's things, rather than about one thing that is called so, or what is between them."""
    before = [token for token in line.tokens if token.end <= listing.start]
    first = {token.word for token in line.tokens[:3]}
    if (listing.uneven and before) or not (
        first & (WH | AUX | ASKING | {"both"}) or not any(token.word in WH for token in line.tokens)
    ):
        return False  # a statement that asks in place
    behind = next((token for token in line.tokens if token.start >= listing.end), None)
    words = [token.word for token in before[-2:]]
    if {"between", "from", "with", "called", "titled", "named"} & set(words[-1:]) or (
        words[-1:] == ["the"] and words[:1] in (["between"], ["from"], ["with"])
    ):
        return False
    if words and (words[-1] in _SINGULAR or (words[-1] == "the" and words[0] in _SINGULAR)) and listing.named:
        return False  # one thing: does Johnson and Johnson ...
    if words[-1:] == ["both"] and words[0] in PREPOSITIONS and line.tokens[0].word in {"which", "what", "who"}:
        return False  # which papers were written by both: one set
    if listing.named:
        # whether a verb, or a word that counts, says that what is joined is several
        return bool(before or behind) and not _is_one_name(
            listing, words, behind, plural=any(token.word in _SEVERAL for token in line.tokens)
        )
    if behind is None or behind.word not in _OF_TAIL:
        return False
    if words and words[-1] not in _LISTS_AFTER | ASKING | BE | WH:
        return False
    *_, last = listing.items
    if len(listing.items[0].split()) < len(last.split()) and is_plural(last) and not is_plural(listing.items[0]):
        return False  # current and former members
    return behind.word in _ASPECT_OF or words[-1:] in (["of"], ["for"], []) or not before


def _is_one_name(listing: Enumeration, before: Sequence[str], behind: MaskedToken | None, *, plural: bool) -> bool:
    """Tell whether what looks like two names is one: Bonnie and Clyde behind a verb, the Ministry of Trade and Industry."""
    *firsts, last = listing.items
    if len(firsts) == 1 and not plural and _PLAIN_NAME.match(firsts[0]) and _PLAIN_NAME.match(last):
        return True  # Health and Safety Executive, Marks and Spencer: where no verb says that they are two, they may be one
    if len(firsts) > 1 or not (last.isalpha() and last.istitle()):
        return False
    of_one = " of " in firsts[0] or " for " in firsts[0]
    plain = firsts[0].isalpha() and firsts[0].istitle()
    object_of_verb = bool(before) and before[-1] not in PREPOSITIONS | AUX | ASKING | {"the", "both"}
    return of_one or (plain and object_of_verb and (behind is None or behind.word in PREPOSITIONS | {",", "and"}))


def _paired(line: MaskedLine, found: Sequence[Enumeration]) -> list[PartDraft]:
    """Return parts for `A and B in 2017 and 2019, respectively`: first with first, second with second."""
    if "respective" not in line.mask.lower() or not found:
        return []
    first = found[0]
    rest = MaskedLine(line.text[first.end :], line.mask[first.end :])
    numbers = re.search(r"\b(\d[\w.%]*(?:, \d[\w.%]*)*),? and (\d[\w.%]*)", rest.mask)
    others = [*re.split(r", ", numbers[1]), numbers[2]] if numbers else []
    span = numbers.span() if numbers else (0, 0)
    if not numbers and len(found) > 1:
        others, span = list(found[1].items), (found[1].start - first.end, found[1].end - first.end)
    if len(others) != len(first.items):
        return []
    head = line.text[: first.start]
    return [
        PartDraft(text=question(for_one(head, item, rest.text[: span[0]] + other + rest.text[span[1] :])), entity=item)
        for item, other in zip(first.items, others, strict=True)
    ]


_AGAIN = re.compile(
    r"\b(in|for|on|at|from|by|to|about) (?P<a>(?!which|what)[^,?:;]{2,40}?),? and \1 (?P<b>(?!which|what)[^,?:;]{2,60}?)(?=[?.,;]|$)"
)

_THAT_OF = re.compile(r"\b(of|for|in) (?P<a>[^,?:;]{2,40}?),? and (?:that|those) \1 (?P<b>[^,?:;]{2,60}?)(?=[?.,;]|$)")
_SHARED_HEAD = re.compile(r"(?:the )?(?:[A-Z][\w-]*\s)+([a-z]+(?: [a-z]+)?s)$")
_OWNS = re.compile(r"['’]s$")
_BASE_FORM = re.compile(
    r"\s*(?!(?:are|were|do|have|can|will|is|was|should|would|could|may|might|must)\b)[a-z]+(?<!ed)(?<!ing)(?<!ly)(?<!s)(?= [a-z]|$)"
)
_PLAIN_NAME = re.compile(r"(?:the )?[A-Z][a-z]+(?: |$)")
_SEVERAL = frozenset(SINGULAR_AUX) | frozenset("both each two compare respectively between".split())
_ONLY_NAME = re.compile(r"(?:the )?[A-Z][\w-]*(?: [A-Z][\w-]*)*$")
# -- Chinese

_JOINT = pattern("zh", "coordination.joint")

_ITEM = 24  # characters
_ALONE = 4  # of an item that stands for the length of the other one, where nothing tells its end
_STOP = r"，,。；;？?：:（）()"
_TAIL = pattern("zh", "coordination.tail")
_EACH = pattern("zh", "coordination.each")
_OWNED = pattern("zh", "coordination.owned")
_LEAD = pattern("zh", "coordination.lead")
_OFFICES = tuple("会部局院署司厅")
_UNEVEN = 3  # characters that one of two may be longer where only what follows is sure
_OF_ALL = pattern("zh", "coordination.of_all")
_POINTS = pattern("zh", "coordination.points")


def _chinese(line: MaskedLine) -> list[Enumeration]:
    """Return the first list of a line: what is joined, cut where both sides are alike."""
    mask = line.mask
    joints = list(_JOINT.finditer(mask))
    if not joints:
        return []
    row = _row(mask, joints)
    if row is None:
        return []
    joints, left, right = row
    begins = [left, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), right]
    items = tuple(line.text[begin:end].strip() for begin, end in zip(begins, ends, strict=True))
    if not all(0 < len(item) <= _ITEM and not CHINESE_QUESTION.search(item) for item in items):
        return []
    owned = mask[left - 1 : left] == "的"
    named = not owned and (mask[right : right + 1] == "的" or not mask[right:].startswith("的"))
    return [Enumeration(items=items, start=left, end=right, joint=joints[-1][0], named=named and not owned)]


def _row(mask: str, joints: Sequence[re.Match[str]]) -> tuple[list[re.Match[str]], int, int] | None:
    """Return the joints of the first list, where it begins and where it ends."""
    first = joints[0]
    begin = max([0, *(match.end() for match in re.finditer(rf"[{_STOP}]", mask[: first.start()]))])
    left = _left(mask, begin, first.start())
    group = [first]
    for joint in joints[1:]:
        between = mask[group[-1].end() : joint.start()]
        if re.search(rf"[{_STOP}]|的|在", between) or not 0 < len(between) <= _ITEM:
            break
        group.append(joint)
    last = group[-1].end()
    stop = re.search(rf"[{_STOP}]", mask[last:])
    end = last + stop.start() if stop else len(mask)
    item = mask[left : first.start()]
    if (
        mask[begin:left].endswith("的")
        and "的" in mask[last:end]
        and mask[last:end].rpartition("的")[2][-2:] == item[-2:]
    ):
        left, item = begin, mask[begin : first.start()]  # two descriptions: 承办第一届的车间和承办第三届的车间
        return group, left, end
    right = _right(mask, last, end, item, pair=len(group) == 1 and not mask[:left].endswith("的"))
    if right <= last or _OWNED.match(mask, right):
        return None
    return group, first.start() - _own_length(item, mask[last:right]), right


def _own_length(first: str, last: str) -> int:
    """Return how much of the first item is its own: in 北京冬奥会女子和男子 what comes before the like end is said of both."""
    if last.isascii() and (latin := re.search(r"[A-Za-z][\w.+-]*(?: [A-Z0-9][\w.+-]*)*$", first, re.ASCII)):
        return len(latin[0])
    begins_alike = first.find(last[:2], 1)
    if len(last) > 2 and begins_alike > 0:
        return len(first) - begins_alike
    longer = len(first) - len(last)
    return (
        len(last)
        if (longer > 1 and last.isalpha() and first[-1] == last[-1] and not first[:longer].isascii())
        or (longer > 0 and last[:1].isdigit() and first[-len(last) :][:1].isdigit())
        else len(first)
    )


def _left(mask: str, begin: int, end: int) -> int:
    """Return where the first item begins: behind an order, a time, a place, a verb's object mark or an owner."""
    lead = CHINESE_ASKING.match(mask[begin:end]) or _LEAD.match(mask[begin:end])
    begin += lead.end() if lead else 0
    time = CHINESE_TIME.match(mask[begin:end])
    begin += time.end() if time and begin + time.end() < end else 0
    place = re.match(
        r"在[^在的]{1,20}(?:上|中|里|时|方面)[，,]?(?=.)|[^在的，]{2,20}(?:上|方面)[，,]?(?=.)|(?:对于?|关于|对比)",
        mask[begin:end],
    )
    begin += place.end() if place and begin + place.end() < end else 0
    owner = mask.rfind("的", begin, end)
    return owner + 1 if owner >= 0 else begin


def _right(mask: str, begin: int, end: int, item: str, *, pair: bool) -> int:
    """Return where the last item ends: where it ends as the first one does, else at a word that goes on."""
    stop = _TAIL.search(mask[begin:end], 1)
    most = begin + stop.start() if stop else end
    latin = re.match(r"[\w.+\-]*[A-Za-z\ue000][\w.+\-\ue000 ]*(?<! )", mask[begin:most], re.ASCII) or re.match(
        r"\ue000+", mask[begin:most]
    )
    if latin and re.search(r"[A-Za-z\ue000]$", item.rstrip("0123456789.+- ")):
        return begin + latin.end()
    for size in (2, 1):
        alike = mask.find(item[-size:], begin + 1 if size == 1 else begin, most)
        if len(item) > size and alike >= 0 and alike + size - begin <= len(item) + 3:
            return alike + size
    time = CHINESE_TIME.search(mask[begin:most], 1)
    if time:
        return begin + time.start()
    alone = pair and most == end and len(item) <= _ALONE and end - begin > len(item) + 1
    return begin + len(item) if alone else most  # 北京和上海高考出分时间


def _asks_chinese(line: MaskedLine, listing: Enumeration) -> bool:
    """Tell whether each thing of a list is asked about, rather than what is between them, or one thing that is called so."""
    before, behind = line.mask[: listing.start], line.mask[listing.end :]
    if listing.joint == "还是" and not _EACH.search(behind):
        return False  # one of them
    if not (behind or before) or _OF_ALL.search(behind) or re.search(r"(?:什么|哪|谁|如何|怎)[^，]{0,12}$", before):
        return False
    if any("的" in item or _POINTS.search(item) for item in listing.items):
        return False
    first, *_, last = listing.items
    if last.endswith(_OFFICES) and not first.endswith(_OFFICES):
        return False  # 发展和改革委员会
    near = not before and abs(len(first) - len(last)) <= _UNEVEN
    bounded = (before.endswith("的") or near) and behind[:1] in "在的是有"
    return bounded or bool(_EACH.search(behind)) or _are_alike(listing.items)


def _are_alike(items: Sequence[str]) -> bool:
    """Tell whether things of a list are surely where they begin and end: names in Latin letters or quotes, or of one form."""
    first, *others = items
    quoted = all(item.startswith("《") for item in items)
    latin = all(item[:1].isascii() and item[-1:].isascii() for item in items)
    return (
        quoted
        or latin
        or all(
            other[-1] == first[-1] or other[:2] == first[:2] or abs(len(other) - len(first)) <= 1 for other in others
        )
    )


def _of_each_chinese(line: MaskedLine, listing: Enumeration) -> list[PartDraft]:
    head, tail = line.text[: listing.start], _EACH.sub("", line.text[listing.end :])
    if paired := _paired_chinese(head, listing, tail):
        return paired
    return [
        PartDraft(
            text=question(trimmed(f"{head}{item}{tail}")),
            entity=item if listing.named else "",
            aspect="" if listing.named else item,
        )
        for item in listing.items
    ]


def _paired_chinese(head: str, listing: Enumeration, tail: str) -> list[PartDraft]:
    """Pair 诺维和阿蒂纳在2017年和2019年: first with first."""
    found = re.match(r"^在?(\d[\d.]*年?)(?:和|与|、)(\d[\d.]*年?)", tail)
    if not found or len(listing.items) != len(found.groups()):
        return []
    year = "年" if found[2].endswith("年") else ""
    return [
        PartDraft(text=question(f"{head}{item}在{time.removesuffix('年')}{year}{tail[found.end() :]}"), entity=item)
        for item, time in zip(listing.items, found.groups(), strict=True)
    ]
