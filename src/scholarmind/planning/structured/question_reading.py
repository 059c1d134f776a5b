"""What a question to the graph of papers says: kinds, relations, names and how they stand to each other, years, a least number of papers.

It is cut into pieces with tags: words that say what is counted, ordered or related, and between them names and topics.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from typing import Any, Literal

from scholarmind.relations import Form, NodeKind, Query, Relation
from scholarmind.text.language import lazy_regex

# -- pieces, and the cutter of each language

Tag = Literal[
    "stop",  # asks for what no counting answers
    "soft",  # the same, but where numbers that contradict each other are asked for
    "unless",  # what follows is excepted, and what stands in `value` ends that
    "count",
    "most",
    "first",  # value: first, latest
    "best",  # value: highest, lowest
    "rank",
    "lineage",  # value: after, for what came later
    "common",
    "both",
    "together",
    "each",
    "yearly",
    "conflict",
    "result",
    "metric",
    "who",
    "where",
    "asks",
    "kind",  # value: a kind of node
    "says",  # value: a relation
    "number",
    "and",
    "or",
    "topic",  # what stands before a topic
    "by",
    "of",  # any other preposition
    "library",
    "quiet",  # says nothing of what is asked
    "name",
]

_FOLDER = "scholarmind.planning.structured"
_LINE = re.compile(r"(?P<tag>[a-z]+)(?: (?P<value>\S+))?\s{2,}(?P<said>\S.*)")
_QUOTED = re.compile(r"[“\"「『《](?P<inner>[^”\"」』》]{2,200})[”\"」』》]")
_OWNER = re.compile(r"['’]s(?!\w)")
_AROUND = " \t\r\n,;:.?!，。；：、？！'’()（）"
_PAIRS = ("()", "（）")
_SHOUTED = 0.6  # of the letters: then capitals tell nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPiece:
    """A stretch of a question, and what it says; of a name the value is `quoted` where it stands in quotation marks."""

    tag: Tag
    value: str
    text: str
    start: int
    end: int


class Cutter:
    """Cuts questions of one language by what its words say, which stands in a file beside this one, the first before the next."""

    def __init__(self, name: str, *, spaced: bool) -> None:
        """Read the file; words of a `spaced` language have white space around them."""
        lines = (files(_FOLDER) / name).read_text(encoding="utf-8").splitlines()
        said = [match for line in lines if (match := _LINE.fullmatch(line)) and not line.startswith("#")]
        self._meanings: list[tuple[Tag, str]] = [(_tag(match), match["value"] or "") for match in said]
        before, behind = (r"(?<![\w#\-])(?:", r")(?![\w\-]|['’][a-rt-z])") if spaced else ("(?:", ")")
        patterns = "|".join(f"(?P<g{number}>{match['said']})" for number, match in enumerate(said))
        self._said = re.compile(f"{before}{patterns}{behind}", re.IGNORECASE)
        self._spaced = spaced

    def cut(self, text: str) -> list[QuestionPiece]:
        """Return the pieces in their order."""
        found, reach = list[QuestionPiece](), 0
        for piece in self._known(text):
            found += [*_names(text, reach, piece.start), piece]
            reach = piece.end
        return [*found, *_names(text, reach, len(text))]

    def _known(self, text: str) -> Iterator[QuestionPiece]:
        quoted = {match.start(): match for match in _QUOTED.finditer(text)}
        shouted = sum(map(str.isupper, text)) > _SHOUTED * sum(map(str.isalpha, text))
        place = 0
        while place < len(text):
            if inner := quoted.get(place):
                yield QuestionPiece(tag="name", value="quoted", text=inner["inner"], start=place, end=inner.end())
                place = inner.end()
                continue
            match = self._said.match(text, place)
            piece = self._piece(match) if match and match.end() > place else None
            if piece and (shouted or self._is_word(piece, text)):
                yield piece
                place = piece.end
            else:
                place += 1

    def _piece(self, match: re.Match[str]) -> QuestionPiece:
        tag, value = self._meanings[int((match.lastgroup or "g0")[1:])]
        return QuestionPiece(tag=tag, value=value, text=match[0], start=match.start(), end=match.end())

    def _is_word(self, piece: QuestionPiece, text: str) -> bool:
        """Tell whether it is not part of a name: a capital within a sentence is one's, and so are letters beside letters."""
        if self._spaced:
            named = piece.text[0].isupper() and bool(text[: piece.start].strip(_AROUND))
            return not named or piece.tag == "metric" or (piece.tag == "unless" and piece.text.isupper())
        before, behind = text[: piece.start][-1:], text[piece.end :][:1]
        glued = (_is_letter(before) and _is_letter(piece.text[0])) or (
            _is_letter(behind) and _is_letter(piece.text[-1])
        )
        return not glued


@cache
def cutter_for(*, chinese: bool) -> Cutter:
    """Return the cutter of a language."""
    return Cutter("chinese.txt", spaced=False) if chinese else Cutter("english.txt", spaced=True)


def _tag(match: re.Match[str]) -> Tag:
    return match["tag"]  # pyright: ignore[reportReturnType]


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _names(text: str, start: int, end: int) -> Iterator[QuestionPiece]:
    """Yield what stands there, cut where one name owns another: RoBERTa's GLUE score."""
    for owner in _OWNER.finditer(text, start, end):
        yield from _names(text, start, owner.start())
        yield QuestionPiece(tag="of", value="", text=owner[0], start=owner.start(), end=owner.end())
        start = owner.end()
    bare = text[start:end].strip(_AROUND)
    if any(map(str.isalnum, bare)):
        begin = text.index(bare, start)
        if any(
            bare.count(opens) > bare.count(shuts) and text[begin + len(bare) :][:1] == shuts for opens, shuts in _PAIRS
        ):
            bare = text[begin : begin + len(bare) + 1]
        yield QuestionPiece(tag="name", value="", text=bare, start=begin, end=begin + len(bare))


# -- names put together again: University of Washington, mixture of experts, 混合专家, 掩码语言模型

_NAMES_WITH_OF = lazy_regex(
    r"(?:University|Institute|Academy|Association|Conference|Journal|Transactions|School|College|Department|Cent(?:er|re)|Bank"
    r"|Laborator(?:y|ies))$"
)

_HAN = r"[\u3400-\u9fff]"
_ENDS_HAN = lazy_regex(rf"{_HAN}$")
_BEGINS_HAN = lazy_regex(rf"^{_HAN}")
_APART = frozenset("的和与、或是被由在把将，有了过都跟及各")  # single characters that names are not made of
_LAST = frozenset("家间样位")  # that may end a name
_OF_TERMS = frozenset(("method", "institution", "task", "dataset"))  # nouns that terms end with


def joined(pieces: Sequence[QuestionPiece], text: str, *, chinese: bool) -> list[QuestionPiece]:
    """Return the pieces with such names whole."""
    return _joined_chinese(pieces, text) if chinese else _joined_english(pieces, text)


def _joined_english(pieces: Sequence[QuestionPiece], text: str) -> list[QuestionPiece]:
    found: list[QuestionPiece] = []
    for piece in pieces:
        if len(found) > 1 and piece.tag == found[-2].tag == "name" and _is_of(found[-1], found[-2], piece):
            found[-2:] = [_piece_from(found[-2], piece, text)]
        elif not (found and _only_says_what(found[-1], piece)):
            found.append(piece)
    return found


def _only_says_what(name: QuestionPiece, piece: QuestionPiece) -> bool:
    """Tell whether a word only says of what sort the name before it is: the Transformer architecture."""
    behind = piece.tag == "kind" and name.tag == "name" and piece.start == name.end + 1
    return behind and name.text[:1].isupper() and not piece.text.endswith("s")


def _is_of(between: QuestionPiece, left: QuestionPiece, right: QuestionPiece) -> bool:
    if between.text == "of" and left.text.islower() and right.text.islower():
        return True
    return between.text in {"of", "for"} and bool(_NAMES_WITH_OF.search(left.text))


def _joined_chinese(pieces: Sequence[QuestionPiece], text: str) -> list[QuestionPiece]:
    found: list[QuestionPiece] = []
    others = sum(piece.tag in {"kind", "who"} for piece in pieces) > 1
    for place, piece in enumerate(pieces):
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        if found and _goes_on(found[-1], piece, following, others=others):
            found[-1] = _piece_from(found[-1], piece, text)
        else:
            found.append(piece)
    return found


def _goes_on(name: QuestionPiece, piece: QuestionPiece, following: QuestionPiece | None, *, others: bool) -> bool:
    """Tell whether a piece belongs to the name before it."""
    if name.tag != "name" or name.value or name.end != piece.start or not _ENDS_HAN.search(name.text):
        return False
    if piece.tag == "kind":
        return others and piece.value in _OF_TERMS
    between = following is not None and following.tag == "name" and following.start == piece.end
    inner = between and bool(_BEGINS_HAN.match(following.text)) if following else False
    small = piece.tag == "quiet" and len(piece.text) == 1 and piece.text not in _APART
    return piece.tag == "name" or (small and (inner or piece.text in _LAST))


def _piece_from(first: QuestionPiece, last: QuestionPiece, text: str) -> QuestionPiece:
    return QuestionPiece(tag="name", value="", text=text[first.start : last.end], start=first.start, end=last.end)


# -- where names and topics may stand: what stands elsewhere is half a sentence that nothing accounts for

NAMED = lazy_regex(r"[A-Z#]|[^\x00-\x7f]|[A-Za-z][\w\- ]*\d|\d\S*[A-Za-z]")  # there may be a name in it
_NO_PLACE: frozenset[Tag] = frozenset(
    ("asks", "who", "kind", "count", "name", "where", "result", "library", "most", "first")
)  # behind which no topic stands

_LEADS_TO_THE_END: frozenset[Tag] = frozenset(
    ("says", "topic", "conflict", "lineage", "common", "both", "and", "or", "unless", "by")
)  # in Chinese


def stands(loud: Sequence[QuestionPiece], place: int, *, chinese: bool) -> bool:
    """Tell whether the name or topic at a place among the pieces that say something stands where those may stand."""
    return _stands_in_chinese(loud, place) if chinese else _stands_in_english(loud, place)


def _stands_in_english(loud: Sequence[QuestionPiece], place: int) -> bool:
    """Tell whether an English topic stands behind a preposition or verb, or before a noun or verb; names may stand anywhere."""
    before, behind = loud[place - 1] if place else None, loud[place + 1 : place + 3]
    if all(map(NAMED.search, loud[place].text.split())):
        return True
    if before and before.value == "wh" and not (behind and behind[0].tag == "kind"):
        return False  # which composer
    if (before and before.tag not in _NO_PLACE) or (behind and behind[0].tag in {"says", "kind", "common", "result"}):
        return True
    return len(behind) > 1 and behind[0].tag in {"and", "or"} and behind[1].tag == "name"


def _stands_in_chinese(loud: Sequence[QuestionPiece], place: int) -> bool:
    """Tell the same of a Chinese one: at the end it is the object of a verb that is known."""
    before = next((piece for piece in reversed(loud[:place]) if piece.text != "的"), None)
    return place + 1 < len(loud) or before is None or before.tag in _LEADS_TO_THE_END


# -- years: since 2020, between 2019 and 2021, in the last three years, 近3年, 2020年以来

_YEAR = r"(?:19|20)\d\d"
_NUMBER_WORDS: dict[str, int] = dict(
    zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
)

_CHINESE_DIGITS: dict[str, int] = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_FEW = 3  # years: recently, 近年来
_YEARS_ENGLISH = lazy_regex(
    rf",?\s*(?:\b(?:published |written )?(?:between|from) (?P<from>{_YEAR}) (?:and|to|until) (?P<to>{_YEAR})\b"
    rf"|\b(?:in |during )?(?P<from2>{_YEAR}) ?[-–] ?(?P<to2>{_YEAR})\b"
    rf"|\b(?:ever )?(?:since|starting in)(?: the (?:year|beginning of))? (?P<since>{_YEAR})\b"
    rf"|\bfrom(?: the (?:year|beginning of))? (?P<on>{_YEAR}) (?:on|onwards?)\b"
    rf"|\bafter (?P<after>{_YEAR})\b|\bbefore (?P<before>{_YEAR})\b|\b(?:until|by|up to|till) (?P<until>{_YEAR})\b"
    rf"|\b(?:in|during|from|of)(?: the year)? (?P<year>{_YEAR})\b"
    rf"|\b(?P<year2>{_YEAR}) (?=(?:papers?|articles?|publications?|preprints?|works?)\b)"
    rf"|\b(?:in|over|during|within|for|from) (?:the |these )?(?:last|past|previous|recent) "
    rf"(?:(?P<count>\d{{1,2}}|{'|'.join(_NUMBER_WORDS)}) )?years?\b"
    r"|\b(?P<few>(?:in|over|during) (?:recent|the last few|the past few) years|recently)\b),?",
    re.IGNORECASE,
)

_YEARS_CHINESE = lazy_regex(
    rf"[，,]?(?:(?:在|从|自)?(?P<from>{_YEAR})\s*年?\s*(?:-|–|—|~|至|到)\s*(?P<to>{_YEAR})年?(?:之间|期间|间)?"
    rf"|(?:在|从|自)?(?P<since>{_YEAR})年?(?:以来|至今|开始|起|来)|(?:在|从|自)?(?P<after>{_YEAR})年?(?:之后|以后|后)"
    rf"|(?:在|从|自)?(?P<before>{_YEAR})年?(?:之前|以前|前)|(?:在|于)?(?P<year>{_YEAR})年(?:里|间|期间)?"
    r"|(?:在|从|自)?(?:最近|过去|近|这)(?:的)?(?P<count>[0-9]{1,2}|[一二两三四五六七八九十])(?:个)?年(?:以来|之?内|来|间|里|中)?"
    r"|(?P<few>近年来?|近几年来?|最近几年(?:来)?))[，,的]?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class YearSpan:
    """From which year to which, and the text without saying so."""

    text: str
    since: int | None = None
    until: int | None = None

    @property
    def is_span(self) -> bool:
        """Whether there is such a restriction."""
        return self.since is not None or self.until is not None


def years_of(text: str, now: int, *, chinese: bool) -> YearSpan:
    """Return the first restriction to years in a text, counted from the year that it is now."""
    match = (_YEARS_CHINESE if chinese else _YEARS_ENGLISH).search(text)
    if match is None:
        return YearSpan(text=text)
    since, until = _year_span({name: value for name, value in match.groupdict().items() if value}, now)
    gap = "" if chinese else " "
    return YearSpan(text=f"{text[: match.start()]}{gap}{text[match.end() :]}".strip(), since=since, until=until)


def _year_span(said: dict[str, str], now: int) -> tuple[int | None, int | None]:
    if "from" in said or "from2" in said:
        return int(said.get("from") or said["from2"]), int(said.get("to") or said["to2"])
    if year := said.get("year") or said.get("year2"):
        return int(year), int(year)
    if "since" in said or "on" in said or "after" in said:
        return int(said.get("since") or said["on"]) if "after" not in said else int(said["after"]) + 1, None
    if "before" in said or "until" in said:
        return None, int(said["until"]) if "until" in said else int(said["before"]) - 1
    count = said.get("count", "").lower()
    return now - (int(count) if count.isdigit() else _NUMBER_WORDS.get(count) or _CHINESE_DIGITS.get(count, _FEW)), None


# -- least numbers of papers: more than three papers, 5 or more papers, 超过两篇, 三篇以上

_PAPERS = r"(?=(?:different |of (?:the|these) )?(?:papers?|articles?|publications?|preprints?|studies|works)\b)"
_COUNT = rf"\d{{1,4}}|{'|'.join(_NUMBER_WORDS)}"
_COUNT_ZH = rf"[0-9]{{1,4}}|[{''.join(_CHINESE_DIGITS)}]"
_ANY_NUMBER = lazy_regex(rf"\d+|[{''.join(_CHINESE_DIGITS)}]|\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_LEAST_ENGLISH = lazy_regex(
    rf"\b(?:more than|over) (?P<over>{_COUNT}) {_PAPERS}|\b(?:at least|no fewer than|no less than) (?P<least>{_COUNT}) {_PAPERS}"
    rf"|\b(?P<least2>{_COUNT}) or more {_PAPERS}",
    re.IGNORECASE,
)

_LEAST_CHINESE = lazy_regex(
    rf"(?:超过|多于|不止)\s*(?P<over>{_COUNT_ZH})\s*篇|(?:至少|不少于|不低于)\s*(?P<least>{_COUNT_ZH})\s*篇|(?P<least2>{_COUNT_ZH})\s*篇(?:及|或)?以上的?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """How many papers there must be at least, and the text without saying so."""

    text: str
    least: int | None = None


def threshold_of(text: str, *, chinese: bool) -> Threshold:
    """Return how many papers a text wants at least, if it says so."""
    match = (_LEAST_CHINESE if chinese else _LEAST_ENGLISH).search(text)
    if match is None:
        return Threshold(text=text)
    said = {
        name: _NUMBER_WORDS.get(word.lower()) or _CHINESE_DIGITS.get(word) or int(word)
        for name, word in match.groupdict().items()
        if word
    }
    least = said["over"] + 1 if "over" in said else next(iter(said.values()))
    return Threshold(text=f"{text[: match.start()]}{text[match.end() :]}", least=least)


def _number_in(text: str) -> int | None:
    """Return the first number of a text, in figures or a word up to ten."""
    match = _ANY_NUMBER.search(text)
    if match is None:
        return None
    said = match[0].lower()
    return int(said) if said.isdigit() else _NUMBER_WORDS.get(said) or _CHINESE_DIGITS[said]


# -- kinds, relations and names

OF_PERSONS: frozenset[Relation] = frozenset(("AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_MEASURES: dict[str, NodeKind] = {"篇": "paper", "位": "author", "家": "institution"}
_ASKING: tuple[Tag, ...] = ("asks", "count", "first", "most", "best")
_OF_ANY_WORK = OF_PERSONS | {"PROPOSES"}
_LONGEST = 60  # characters of a name or topic
_MOST_WORDS = 9
_WORD = lazy_regex(r"[^\W_]+")
_NUMBER = lazy_regex(r"\d+年?")
_COMMA = lazy_regex(r"[,，、]")


@dataclass(frozen=True)
class QuestionReading:
    """A question on one line, without the years and the number of papers that restrict it."""

    text: str
    pieces: Sequence[QuestionPiece]
    years: YearSpan
    chinese: bool
    least: int | None = None  # papers

    def has(self, *tags: Tag) -> bool:
        """Tell whether anything says one of these."""
        return any(piece.tag in tags for piece in self.pieces)

    def all(self, tag: Tag) -> list[QuestionPiece]:
        """Return the pieces that say this."""
        return [piece for piece in self.pieces if piece.tag == tag]

    def first(self, tag: Tag) -> QuestionPiece | None:
        """Return the first piece that says this."""
        return next((piece for piece in self.pieces if piece.tag == tag), None)

    # -- names and topics

    @cached_property
    def groups(self) -> list[list[QuestionPiece]]:
        """The names that are wanted, each with those that `and`, `or` or a comma joins to it."""
        return self._grouped([piece for piece in self.all("name") if piece not in self.denied])

    @cached_property
    def denied(self) -> list[QuestionPiece]:
        """The names that are excepted: those behind `except` or `not`, and those before 以外."""
        found, opened, last = list[QuestionPiece](), False, None
        for piece in self.pieces:
            if piece.tag == "unless":
                found += [last] if piece.value == "before" and not opened and last else []
                opened = piece.value != "before"
            elif piece.value == "but" or piece.tag in {"asks", "who", "count"} or (piece.tag == "says" and found):
                opened = False
            elif piece.tag == "name":
                last = piece
                found += [piece] if opened else []
        return found

    def _grouped(self, names: Iterable[QuestionPiece]) -> list[list[QuestionPiece]]:
        groups: list[list[QuestionPiece]] = []
        for name in names:
            if groups and self._are_joined(groups[-1][-1], name):
                groups[-1].append(name)
            else:
                groups.append([name])
        return groups

    def _are_joined(self, one: QuestionPiece, other: QuestionPiece) -> bool:
        between = [piece for piece in self.pieces if one.end <= piece.start < other.start]
        joined = any(piece.tag in {"and", "or"} for piece in between) or bool(
            _COMMA.search(self.text[one.end : other.start])
        )
        return joined and all(piece.tag in {"and", "or", "both"} or piece.text == "the" for piece in between)

    @property
    def about(self) -> tuple[str, ...]:
        """The names and topics; several that are joined are one."""
        return tuple(dict.fromkeys(map(self._said, self.groups)))

    @property
    def each(self) -> list[str]:
        """The names and topics, every one by itself."""
        return [piece.text for group in self.groups for piece in group]

    @property
    def is_named(self) -> bool:
        """Whether there may be a name among them."""
        return any(map(NAMED.search, self.about))

    def _said(self, group: Sequence[QuestionPiece]) -> str:
        return group[0].text if len(group) == 1 else self.text[group[0].start : group[-1].end].strip('“”"《》「」 ')

    def around(self, piece: QuestionPiece) -> tuple[bool, bool]:
        """Tell whether names stand before a piece, and whether some stand behind it."""
        names = [name for group in self.groups for name in group]
        return any(name.end <= piece.start for name in names), any(name.start >= piece.end for name in names)

    @property
    def is_accounted_for(self) -> bool:
        """Whether names are short, no bare years, and topics stand where topics stand; half a sentence is none of these."""
        said = [*self.about, *(piece.text for piece in self.denied)]
        free = {piece.text for piece in self.all("name") if piece.value}  # in quotation marks
        short = all(
            text in free or (len(text) <= _LONGEST and len(_WORD.findall(text)) <= _MOST_WORDS) for text in said
        )
        return (
            short
            and self._joins_all
            and not any(map(_NUMBER.fullmatch, said))
            and all(map(self._is_placed, self.all("name")))
        )

    @property
    def _joins_all(self) -> bool:
        """Whether everything that `and` and `or` join are names: of `BERT or its variants` the half would be lost."""
        spans = [(group[0].start, group[-1].end) for group in (*self.groups, *self._grouped(self.denied))]
        joints = [piece for piece in self.pieces if piece.tag in {"and", "or"}]
        with_whom = {one.start for one, other in pairwise(self.pieces) if other.tag == "who" and self.has("together")}
        return all(
            joint.start in with_whom or any(start < joint.start < end for start, end in spans) for joint in joints
        )

    def _is_placed(self, name: QuestionPiece) -> bool:
        """Tell whether a topic stands behind a preposition or verb, or before a noun or verb; names may stand anywhere."""
        loud = [piece for piece in self.pieces if piece.tag != "quiet" or piece.text == "的"]
        place = loud.index(name)
        if name.value:
            return True
        return stands(loud, place, chinese=self.chinese)

    # -- kinds and relations

    @property
    def kinds(self) -> list[NodeKind]:
        """The kinds of node that are spoken of, in their order."""
        return [kind_of(piece) for piece in self.all("kind")]

    @cached_property
    def wanted(self) -> NodeKind | None:
        """The kind that is asked for: the noun behind a word that asks, the measure word, or the first noun."""
        for place, piece in enumerate(self.pieces):
            if piece.tag == "who":
                break
            if piece.tag in _ASKING:
                following = self.pieces[place + 1 :]
                found = next((one for one in following if one.tag in {"kind", "says", "who"}), None)
                if found and found.tag == "kind":
                    return kind_of(found)
                break
        counting = "".join(piece.text for piece in self.pieces if piece.tag in {*_ASKING, "quiet"})
        measured: NodeKind | None = next((_MEASURES[char] for char in counting if char in _MEASURES), None)
        if measured or self.has("who"):
            return measured
        return next(iter(self.kinds), None)

    @cached_property
    def says(self) -> QuestionPiece | None:
        """What says the relation that is asked for; who proposed, wrote or published only if nothing else is said."""
        found = self.all("says")
        telling = [piece for piece in found if _relation_of(piece) not in _OF_ANY_WORK]
        proposing = [piece for piece in found if _relation_of(piece) not in OF_PERSONS]
        return next(iter(telling or proposing or found), None)

    @property
    def relation(self) -> Relation | None:
        """The relation that is asked for."""
        if self.says:
            return _relation_of(self.says)
        return "AUTHORED_BY" if self.has("by", "together") and self.about else None

    @property
    def restricting(self) -> Relation | None:
        """The relation, if there is anything that it holds to: what came out in a year is all of that year."""
        return self.relation if self.about or self.denied else None

    @property
    def is_of_one_relation(self) -> bool:
        """Whether nothing else is said to be so, which would be lost; what a paper is tested on, it uses."""
        said = {_relation_of(piece) for piece in self.all("says")} - _OF_ANY_WORK
        return len(said - {"EVALUATED_ON"} if "USES" in said else said) < 2

    @property
    def is_backwards(self) -> bool:
        """Whether a relation is asked for from its other end: what BERT builds on, what is cited by BERT."""
        if self.says is None or self.relation not in {"IMPROVES_ON", "CITES"}:
            return False
        if self.chinese:
            return self._is_backwards_in_chinese(self.says)
        before, behind = self.around(self.says)
        return (before and not behind) != (self.says.text.lower().endswith(" by") and not before)

    def _is_backwards_in_chinese(self, says: QuestionPiece) -> bool:
        """Tell the same of Chinese: RoBERTa基于什么 and 是在什么基础上改进的, but neither 被哪些 nor 在RoBERTa基础上."""
        name = next((group[0] for group in self.groups), None)
        asks = next((piece for piece in self.pieces if piece.tag in {"asks", "who"}), None)
        if name is None or asks is None or name.start > min(says.start, asks.start):
            return False
        between = [piece.tag for piece in self.pieces if asks.end <= piece.start < says.start]
        if asks.start < says.start and "kind" not in between:
            return False  # 有哪些主要改进: the improvement itself is asked for
        wrapped = self.pieces.index(name) and self.pieces[self.pieces.index(name) - 1].text in {"在", "以"}
        return not wrapped and not any(piece.text == "被" for piece in self.pieces)

    @property
    def names_what_it_asks(self) -> bool:
        """Whether the noun of what is asked for stands right behind the word that asks: which models, 哪些模型."""
        loud = [piece for piece in self.pieces if piece.tag != "quiet"]
        return any(one.value == "wh" and other.tag == "kind" for one, other in pairwise(loud))

    @property
    def metric(self) -> str:
        """The metric that is named, or ''."""
        found = self.first("metric")
        return found.text if found else ""

    @property
    def asks(self) -> bool:
        """Whether it is a question, an order, or a noun phrase that begins or ends with what it wants."""
        if self.has("asks", "who", "where", "count", "rank"):
            return True
        loud = [piece for piece in self.pieces if piece.tag not in {"quiet", "library"}]
        if not loud:
            return False
        begins = self.chinese or loud[0].tag in {
            "kind",
            "result",
            "best",
            "metric",
            "most",
            "first",
            "common",
            "lineage",
            "together",
        }
        return begins or (loud[0].tag == "name" and "kind" in {piece.tag for piece in (loud[-1], *loud[1:2])})

    @property
    def questions(self) -> int:
        """How many things are asked for one after the other."""
        found = 0
        for place, piece in enumerate(self.pieces):
            before = next((one for one in reversed(self.pieces[:place]) if one.tag != "quiet"), None)
            relative = before is not None and before.tag == "kind" and not self.chinese  # papers which use it
            found += piece.tag in {"who", "where"} or (piece.tag == "asks" and piece.value == "wh" and not relative)
            found += piece.tag == "count" and not self.has("most")
        return found

    @property
    def begins_with_what_it_asks(self) -> bool:
        """Whether nothing is said before it asks, but where or of what: a clause before an English question would be lost."""
        asks = next((piece for piece in self.pieces if piece.tag in {"who", "where"} or piece.value == "wh"), None)
        if self.chinese or asks is None or self.pieces[0].tag in {"topic", "of", "by"}:
            return True
        return not any(piece.tag in {"name", "kind", "says"} for piece in self.pieces if piece.end <= asks.start) or (
            self.has("count", "rank") or self.pieces[0].tag == "asks"
        )

    @property
    def top(self) -> int | None:
        """How many of the first are asked for."""
        said = " ".join(piece.text for piece in self.pieces if piece.tag in {"most", "number"})
        return _number_in(said)

    def query(self, form: Form, wanted: NodeKind, relation: Relation | None = None, **given: Any) -> Query:
        """Return the query, about all names, within the years of the question."""
        query = Query(
            form=form,
            wanted=wanted,
            text=self.text,
            relation=relation,
            about=self.about,
            without=tuple(piece.text for piece in self.denied),
            since=self.years.since,
            until=self.years.until,
            least=self.least,
        )
        return replace(query, **given)


def _relation_of(piece: QuestionPiece) -> Relation:
    """Return the relation that a piece says."""
    return piece.value  # pyright: ignore[reportReturnType]


def kind_of(piece: QuestionPiece) -> NodeKind:
    """Return the kind of node that a piece says."""
    return piece.value  # pyright: ignore[reportReturnType]
