"""What a text says of itself at its head, where no typography tells: its title, and below it who wrote it, when, for whom.

A line counts only if all of it is understood: names, a date, an institute, an address, a field with its name ("Authors: ..."). The first
that is something else ends the head. Better nothing than somebody who did not write it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scholarmind.adapters.readers.front_authors import names_in
from scholarmind.model import Fact, Region, Section, Value

_SOURCE = "first page"
_LABELLED, _SIGNED, _BARE = (
    0.85,
    0.75,
    0.6,
)  # a field with its name; names with a date, an institute or a "by"; nothing but names
_TITLE = 0.6
_MOST_LINES = 16
_LONGEST_LINE = 300
_LONGEST_TITLE = 150

_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)[a-zäé]{0,6}\.?|janvier|février|mars|avril|juin|juillet|août|"
    r"enero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?)?(?:{_MONTH})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+(?:de\s+)?{_YEAR}"
_DATE = (
    rf"(?:{_DAY}|{_YEAR}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR}|"
    rf"{_YEAR}\s*年(?:\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*[日号])?)?|{_YEAR})"
)
_WHOLE_DATE = re.compile(
    rf"(?:(?:first |originally )?(?:published|posted|written|submitted|draft|version|preprint|working paper|technical report|report|essay|"
    rf"(?:spring|summer|autumn|fall|winter)|stand|发表于|发布于|写于)\s*(?:of|in|on|from|vom)?[,:：]?\s*)*[(（]?{_DATE}[)）]?(?:发表|发布)?",
    re.IGNORECASE,
)
_LAST_DATE = re.compile(
    rf"\s*[,，;；·•|–—-]*\s*(?:[(（](?:[^\W\d_]{{2,20}},?\s)?)?\b({_DATE})\s*[)）]?\s*$", re.IGNORECASE
)
_ANY_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf":?(?:{labels})\s*[:：]\s*(?P<value>.+)", re.IGNORECASE))
    for name, labels in (
        ("authors", r"authors?(?:\(s\))?|written by|by|作\s*者|撰文|执笔|著者|verfasser(?:in|innen)?|autor(?:en|in|es)?|auteurs?"),
        ("year", r"(?:publication |published )?date|published(?: on| in)?|year|日\s*期|发[表布](?:日期|时间|于)|时间|年份|datum|jahr"),
        ("doi", r"doi"),
        ("source", r"journal|venue|conference|published in|publication|期刊|会议|刊物|出处|zeitschrift"),
        ("affiliation", r"affiliations?|institutions?|institutes?|单位|机构|作者单位"),
        ("tags", r"tags?|keywords?|key words|关键[词字]|标签|schlagworte"),
        ("", r"e-?mails?|contact|correspondence(?: to)?|corresponding author|orcid|status|version|url|link|(?:last )?updated|category"),
        ("", r"邮箱|电子邮[件箱]|通[讯信]作者|分类|版本|更新(?:日期|时间)?"),
    )
)  # fmt: skip
_LEAD = re.compile(r"(?:by|von|par|por|di|door|文|撰文|作者|记者)(?:\s+|\s*[/／|｜]\s*)(?=[^\W\d_])", re.IGNORECASE)
_MARKS = re.compile(
    r"^[\s>*_~|]+|[\s*_~|\\]+$|\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|</?\w[^<>\n]{0,100}>|\*?\^[\w,*†‡§¶]{1,8}\^?|(?<=[\w,])[†‡§¶]"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,100})\]\([^()\s]{1,300}\)")
_MAIL = re.compile(r"\S@\S|\borcid\.org\b|^\s*https?://\S+\s*$|\{[\w.,\s-]{2,80}\}\s*@")
_NUMBERED = re.compile(r"\s*(?:[;；]|(?<![\w.-])[¹²³⁴⁵⁶⁷⁸⁹\d*†‡](?=\s?[^\W\d_]))\s*")
_NO_TITLE = re.compile(r"\s*(?:[-*+•>|#\[{<]|\d+[.)]\s|```|~~~|\.\.\s)|.*[.。;；,，:：!！]\s*$|.*(?:https?://|@)")
_HAN = re.compile(r"[\u3400-\u9fff]")
_PLACE = re.compile(
    r"\b(?:universi[td]\w*|università|institut\w*|dep(?:artmen)?t\b\.?|faculty|school|college|laborator\w+|academy|hospital|museum|hochschule|école|"
    r"cent(?:er|re) (?:for|of))\b|^[^，。]{0,30}(?:大学|学院|研究[所院]|实验室|医院|中学|公司|图书馆|博物馆)",
    re.IGNORECASE,
)
_MOST_WORDS_OF_PLACE = 20
_UNDERLINE = re.compile(r"[ \t]*(?P<line>([=~^*#+-])\2{2,})[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteHead:
    """The head of a text: what it says, and where it stands, so that it is not taken for what the text is about."""

    facts: tuple[Fact, ...] = ()
    regions: tuple[Region, ...] = ()


def read_head(text: str, start: int, title: str, stop: int | None = None) -> NoteHead:
    """Return what stands below a title, from `start` on, at most up to the next heading at `stop`."""
    lines = _HeadLines()
    for begin, end in _lines_from(text, start):
        if stop is not None and begin >= stop:
            break
        if not lines.take(text[begin:end], begin, end, starts_block=_is_blank(text, begin)):
            break
    return lines.told(text, title)


def read_below(text: str, sections: Sequence[Section], title: str = "") -> NoteHead:
    """Return what stands below the title of a text: a `title` that is not in it, or its first heading if nothing stands before that."""
    starts = [section.heading for section in sections]
    if title:
        return read_head(text, 0, title, starts[0] if starts else None)
    if not sections or text[: starts[0]].strip():
        return NoteHead()
    return read_head(text, sections[0].start, sections[0].path[-1], starts[1] if len(starts) > 1 else None)


def read_titled(text: str) -> NoteHead:
    """Return the head of a plain text whose first line may be its title: short, no sentence, and by itself, underlined or above names."""
    begin = len(text) - len(text.lstrip())
    if over := _UNDERLINE.match(text, begin):
        begin = over.end()
    end = text.find("\n", begin)
    first = text[begin : end if end >= 0 else len(text)].strip()
    if (
        end < 0
        or not 3 <= len(first) <= _LONGEST_TITLE
        or _NO_TITLE.match(first)
        or not re.search(r"[^\W\d_]{2}", first)
    ):
        return NoteHead()
    underline = _UNDERLINE.match(text, end + 1)
    if underline and len(underline["line"]) < len(first):
        underline = None  # code, or a rule
    head = read_head(text, underline.end() if underline else end + 1, first)
    is_alone = underline is not None or text[end + 1 :].split("\n", 1)[0].strip() == ""
    if not (is_alone or (head.regions and text[end : head.regions[0].start].strip() == "")) or not text[end:].strip():
        return NoteHead()
    last = head.regions[0].end if head.regions else end
    title = Fact(field="title", value=" ".join(first.split()), source=_SOURCE, sure=_TITLE)
    return NoteHead(facts=(title, *head.facts), regions=(Region(start=begin, end=last, kind="front"),))


def _lines_from(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the next lines that have something in them."""
    position = start
    for _ in range(2 * _MOST_LINES):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text[position:end].strip():
            yield position, end
        position = end + 1
        if position >= len(text):
            break


def _is_blank(text: str, begin: int) -> bool:
    """Tell whether a line begins a paragraph."""
    before = text[max(0, begin - 200) : begin]
    return before.rstrip(" \t").endswith("\n\n") or not before.strip()


def _have_given_names(names: Sequence[str]) -> bool:
    """Tell whether most of these have a name that many people have, or an initial; capitals alone make no person."""
    from scholarmind.writing.answer_type import GIVEN_NAMES  # noqa: PLC0415  (few texts get here)

    likely = (name.split()[0].casefold() in GIVEN_NAMES or re.search(r"\b[A-Z]\.", name) is not None for name in names)
    return sum(likely) > len(names) / 2


class _HeadLines:
    """The lines of a head as they are understood, and what they say."""

    def __init__(self) -> None:
        self._facts: list[Fact] = []
        self._names: list[str] = []
        self._places: list[str] = []
        self._sure = 0.0
        self._spans: list[tuple[int, int, bool]] = []  # and whether the line begins a paragraph

    def take(self, line: str, begin: int, end: int, *, starts_block: bool) -> bool:
        """Take a line in and tell True; False if it is none of a head, and so is then all of the paragraph that it goes on."""
        plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", line)).split())
        if not plain or len(plain) > _LONGEST_LINE or not self._understood(plain, line):
            if not starts_block and self._spans:
                self._give_back()
            return False
        self._spans.append((begin, end, starts_block or not self._spans))
        return len(self._spans) < _MOST_LINES

    def told(self, text: str, title: str) -> NoteHead:
        """Return what all lines say together."""
        if not self._spans or not (self._facts or self._names):
            return NoteHead()
        behind = text[self._spans[-1][1] :].strip()
        is_bare = self._sure < _SIGNED and (len(title.split()) < 2 or not _have_given_names(self._names))
        if self._names and (is_bare or (self._sure < _LABELLED and not behind)):
            return NoteHead()  # "Participants", and then their names; "Rose Hill, Green Park"
        facts = list(self._facts)
        if self._names:
            names = tuple(dict.fromkeys(self._names))
            facts.append(Fact(field="authors", value=names, source=_SOURCE, sure=max(self._sure, _BARE)))
        if self._names and self._places:
            facts.append(Fact(field="affiliation", value=tuple(self._places), source=_SOURCE, sure=_BARE))
        seen: set[str] = set()
        facts = [fact for fact in facts if not (fact.field in seen or seen.add(fact.field))]
        return NoteHead(
            facts=tuple(facts), regions=(Region(start=self._spans[0][0], end=self._spans[-1][1], kind="front"),)
        )

    def _give_back(self) -> None:
        """Take the lines of the last paragraph for what they are: the beginning of the text."""
        while self._spans:
            *_, first = self._spans.pop()
            if first:
                break
        if not self._spans:
            self._facts, self._names, self._places, self._sure = [], [], [], 0.0

    def _understood(self, plain: str, line: str) -> bool:
        return (
            self._field(plain)
            or self._date(plain)
            or self._mail(plain)
            or self._people(plain, line)
            or self._place(plain)
        )

    def _say(self, field: str, value: Value, sure: float) -> None:
        self._facts.append(Fact(field=field, value=value, source=_SOURCE, sure=sure))

    def _field(self, plain: str) -> bool:
        found = next(
            ((name, match["value"].strip()) for name, sign in _FIELDS if (match := sign.fullmatch(plain))), None
        )
        if found is None:
            return False
        name, value = found
        if name == "authors":
            names = names_in(_LAST_DATE.sub("", value)) or names_in(re.sub(r"\s*[，、]\s*", ", ", value))
            if not names:
                return False
            self._names.extend(names)
            self._sure = _LABELLED
            self._year(value, _SIGNED)
        elif name == "year":
            return self._year(value, _LABELLED)
        elif name == "tags":
            self._say(name, tuple(filter(None, (tag.strip(" #") for tag in re.split(r"[,，;；、]", value)))), _LABELLED)
        elif name == "doi":
            doi = re.search(r"10\.\d{4,9}/\S+", value)
            if doi:
                self._say(name, doi[0].rstrip(".,;"), _LABELLED)
        elif name:
            self._say(name, value, _LABELLED)
            if name == "source":
                self._year(value, _SIGNED)
        return True

    def _year(self, text: str, sure: float) -> bool:
        years = {int(year) for year in _ANY_YEAR.findall(text)}
        if len(years) == 1:
            self._say("year", years.pop(), sure)
            return True
        return False

    def _date(self, plain: str) -> bool:
        is_date = _WHOLE_DATE.fullmatch(plain.strip(" .。")) is not None
        if not is_date or (plain.isdigit() and not self._names):
            return False
        self._sure = max(self._sure, _SIGNED)
        return self._year(plain, _SIGNED)

    def _mail(self, plain: str) -> bool:
        return bool(self._names) and len(plain.split()) <= 12 and _MAIL.search(plain) is not None

    def _people(self, plain: str, line: str) -> bool:
        lead = _LEAD.match(plain)
        rest = plain[lead.end() :] if lead else plain
        dated = _LAST_DATE.search(rest)
        names = (
            names_in(rest[: dated.start()] if dated else rest)
            if not rest.endswith((".", "。", ":", "：", "?", "!"))
            else []
        )
        if not names or (lead is None and self._names and self._sure == _LABELLED):
            return False
        signed = lead is not None or dated is not None or line.strip()[:1] in {"*", "_"} or bool(_HAN.match(plain))
        self._sure = max(self._sure, _SIGNED if signed else _BARE)
        self._names.extend(names)
        if dated:
            self._year(dated[1], _SIGNED)
        return True

    def _place(self, plain: str) -> bool:
        """Tell whether a line below names says where they work."""
        bare = plain.strip("()（） ")
        short = len(plain.split()) <= _MOST_WORDS_OF_PLACE and not plain.endswith((".", "。", "?", "？", ":", "："))
        is_one = bool(self._names) and short and _PLACE.search(bare) is not None
        if is_one:
            self._sure = max(self._sure, _SIGNED)
            self._places.extend(piece.strip(" ,，") for piece in _NUMBERED.split(bare) if piece.strip(" ,，"))
        return is_one
