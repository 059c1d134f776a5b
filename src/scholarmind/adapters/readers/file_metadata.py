"""What a file says of itself: its title, who wrote it and when, from its head, its fields and its name, to a Document.

Better nothing than somebody who did not write it."""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile, zip_longest
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.composition import clean
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.model import Document, Fact, Region, Section, Value, by_field
from scholarmind.text.untrusted import printable

# -- authors, from the lines below a title: names, never institutes, cities and addresses

_STOP = re.compile(
    r"[^\w(]*(?:(?:extended )?abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|introduction|(?:1|i)\.?\s+introduction|keywords?|index terms|"
    r"ccs concepts|highlights|a\s?r\s?t\s?i\s?c\s?l\s?e\s+i\s?n\s?f\s?o|(?:table of )?contents|acknowledge?ments?)\b|"
    r"\W*(?:(?:内容)?[摘提]\s*要|关键词|引\s*言|目\s*录)|\W*(?:前\s*言|绪\s*论|背\s*景|概\s*述)\W*$|"
    r"\W*[一二三四五六七八九十]+\W*[、．.]|1(?:\.\d)*[、．.\s]\s*(?!.*(?:大学|学院|[所室局院部]$))[\u3400-\u9fff]{2,12}$",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:supervis|advis|(?:academic )?editor|reviewed|exam|committee|promotor|referee|edited|translat|thesis|dissertation|presented|"
    r"submitted|received|accepted|published|dedicated|corresponding|contact|導師|导师|指导教师|收稿|基金|学科|专业|学院|单位)",
    re.IGNORECASE,
)
_AUTHOR_LEAD = re.compile(
    r"(?:written\s+)?by\b\s*:?|authors?\s*(?:names?)?\s*:|(?:作者|研究生|学生)(?:姓名)?\s*[:：]|"
    r"(?:(?:小组|课题组|本组)?成员|组[员长]|(?:报告)?(?:撰写|执笔|撰稿|编写|汇报|报告|调研)人?)\s*[:：]",
    re.IGNORECASE,
)
_FOOTNOTE_MARKS = re.compile(r"[∗†‡§¶‖#✉⋆★☆✝♯♮*⁎⁺⊥♠♣♥♦◇△▽○●\u00b9\u00b2\u00b3\u2070-\u209f\u1d43-\u1d5b\ue000-\uf8ff]+")
_DEGREE = re.compile(
    r"[,，]?\s*\b(?:(?:student|senior|graduate|life|associate)?\s*(?:member|fellow),?\s*(?:ieee|acm|osa|aaai)|fellow,?\s*ieee|ph\.?\s?d\.?|m\.?d\.?(?=\W|$)"
    r"|m\.?sc\.?|b\.?sc\.?|m\.?b\.?a\.|dr\.-ing\.|mph|frcp|esq\.)(?=\W|$)",
    re.IGNORECASE,
)
_TITLE_OF_PERSON = re.compile(r"^(?:(?:prof(?:essor)?|dr|mr|mrs|ms|dipl|ing|ir)\b\.?(?:-ing\.?)?\s*)+", re.IGNORECASE)
_ORCID = re.compile(
    r"\(?(?:https?://)?(?:orcid(?:\.org)?\W*)?(?:\d{4}-){3}\d{3}[\dX]\)?|\borcid\b\W*(?:id)?|(?-i:(?<=[a-zà-ÿ])(?:ID|iD)\b)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^\d+\s*(?:st|nd|rd|th)?\s+(?=[A-Z])")
_SPLIT = re.compile(
    r"\s*[,;，、；•·∙⋅|]\s*(?:(?:and|AND)\s+|&\s*)?|\s+(?:and|AND|und|et|y)\s+|\s*&\s*|\s*和\s*|\s{3,}|^(?:and|AND)\s+|\s+(?:and|AND)$"
)
_HAN_LINE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff·\s,，、;；|\d*.\\]+")
_HAN_NAME = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,4}|[\u3400-\u9fff]{1,6}·[\u3400-\u9fff·]{1,10}")
_HAN_FROM = re.compile(
    r"^[\u3400-\u9fff\d\s]{1,24}(?:大学|学院|书院|研究[院所]|学校|中学|附中|[一二三四五六七八九十]中|系|中心|支队|实验室|管理局)\s*(?=[\u3400-\u9fff\s]{2,5}(?:$|[,，、;；|]))"
)
_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"(?:[A-ZÀ-ÞĀ-Ž]\.-?){{1,4}}|['’ʼ‘]?{_LETTER}(?:{_LETTER}|['’ʼ`.-](?={_LETTER}))*\.?")
_ONE_OF_THEM = re.compile(r"[A-Z][a-zà-ÿ]+(?:\s[A-Z]\.)*\s[A-Z][\w'’-]*[a-zà-ÿ]")
_IN_A_ROW = re.compile(  # with initials, and nothing but spaces between them
    rf"(?=.*\s[A-Z]\.\s)(?:{_ONE_OF_THEM.pattern}\s+)+{_ONE_OF_THEM.pattern}"
)
_PROSE_OF_HAN = (
    24  # characters; of what a sentence cannot do without, and no list of names or address has, two kinds or more
)
_HAN_PROSE = re.compile(r"[，。；：](?!\d)|[的是在了对为于从与及]")
_ELIDED = re.compile(r"[dl]['’](?=[A-ZÀ-Þ])")
_PARTICLES = frozenset(
    "af al auf bin da das de degli dei del della den der des di do dos du e el ibn la las le los of op 't ten ter van vom von y zu "
    "zum zur".split()
)
_NO_NAME = frozenset(
    "a about academic academy address advanced advisor against ai an analysis and anonymous approach article artificial at author "
    "authors based beijing business by campus center centre chair chapter city class college company computer computing conference "
    "contributed contribution copyright corp corporation data deep department dept design district doctor doctoral draft ecole école "
    "engineering email equal faculty first for foundation from function figure "
    "module package table manuals general google group guide hospital ibm in inc information institut "
    "institute instituto intelligence intelligent international introduction issue iii joint journal lab laboratories "
    "laboratory labs language learning ltd machine manual master meta microsoft ministry model models modeling national "
    "network networks neural new of on online open paper part philosophy preprint press proceedings program project publication "
    "received report republic research review road school science sciences section sector security senior shanghai shenzhen "
    "society software state street studies study submitted suite survey system systems team tech technical technische technologies "
    "technology the thesis through to tsinghua under universidad universidade universita università universitat universität "
    "universite université university using version via volume we with working yahoo your baidu tencent alibaba huawei nvidia "
    "amazon deepmind openai facebook".split()
)
_PLACES = frozenset(
    "new york|hong kong|los angeles|san francisco|san diego|san jose|tel aviv|mountain view|menlo park|palo alto|ann arbor|"
    "united states|united kingdom|south korea|new zealand|new delhi|santa barbara|santa clara|santa cruz|las vegas|salt lake|"
    "st. louis|rio de janeiro|sao paulo|são paulo|buenos aires|kuala lumpur|cape town|great britain|saudi arabia|sri lanka|"
    "costa rica|south africa|abu dhabi|college park|college station|chapel hill|la jolla|redwood city|san antonio|fort worth|"
    "west lafayette|east lansing|new haven|new brunswick|new jersey|north carolina|south carolina|north dakota|"
    "south dakota|new mexico|new hampshire|west virginia|british columbia|new south wales|the netherlands|czech republic|"
    "ho chi minh|tian jin|hang zhou|puerto rico|el salvador|united arab emirates|carnegie mellon|johns hopkins|georgia tech|"
    "virginia tech|max planck|allen institute|eth zurich|eth zürich|tu delft|tu munich|tu wien|uc berkeley|stony brook|notre dame|"
    "sun yat-sen|uc davis|uc irvine|uc san diego|ku leuven|kaist ai|mit csail|naver labs|bell labs|le mans|den haag|the hague".split(
        "|"
    )
)
_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白邹孟熊秦邱江尹薛闫阎段雷侯龙史"
    "陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴"
    "蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟诸上皇"
    "張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇呂盧鍾譚陸範賈韋鄒閻龍賀顧龔萬錢嚴湯溫齊喬龐顏莊聶魯關蘭寧紀單塗駱藍遊華饒時農繆簡車項連蘆麥婁竇"
)
_MOST_AUTHOR_LINES = 40
_MOST_AUTHORS = 200
_SAME_SIZE = 0.6


def authors_below(lines: Sequence[TextLine]) -> tuple[tuple[str, ...], bool]:
    """Return the authors that the lines below a title name, and whether the head is plain: it ends in an abstract, or has addresses."""
    found = _Found()
    ended = False
    for line in _with_whole_lists(lines[:_MOST_AUTHOR_LINES]):
        if ends_head(line):
            ended = True
            break
        found.take(line)
    return tuple(dict.fromkeys(found.names))[:_MOST_AUTHORS], ended or found.addresses > 0


def _with_whole_lists(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Yield the lines; those of a list "Name, Institute; Name and Name, Institute" that runs over several as one."""
    listed: TextLine | None = None
    for line, below in zip_longest(lines, lines[1:]):
        if listed is not None and _same_list(listed, line):
            shift = len(listed.text) + 1 - (len(line.text) - len(line.text.lstrip()))
            listed.raised = [*listed.raised, *((start + shift, end + shift) for start, end in line.raised)]
            listed.text += f" {line.text.strip()}"
            continue
        if listed is not None:
            yield listed
            listed = None
        if below is not None and len(line.cells) < 2 and _same_list(line, below):
            listed = replace(line)
        else:
            yield line
    if listed is not None:
        yield listed


def _same_list(above: TextLine, line: TextLine) -> bool:
    """Tell that a list of names goes on: it has signs of its own between them, or its last name is cut in two."""
    if abs(line.size - above.size) > _SAME_SIZE or ends_head(line) or re.search(r"@|https?:", above.text + line.text):
        return False
    last, first = above.text.rpartition(",")[2].split(), line.text.partition(",")[0].split()
    cut = above.text.count(",") > 1 and len(last) == 1 and len(first) == 1 and first != ["and"]
    cut = cut or (above.text.count(",") > 1 and re.fullmatch(r"(?:\S+\s)?[A-Z]\.", " ".join(last)) is not None)
    apart = re.search(r"[,;]", above.text) and re.search(r"[^;]{8,};\s", f"{above.text} {line.text} ")
    return bool(apart) or (cut and _one_type(above, line))


class _Found:
    """The names so far, and the type they are set in: what else is set so below an address is the next author."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.addresses = 0
        self._first: TextLine | None = None
        self._last: TextLine | None = None
        self._last_kind = ""
        self._alike = False  # some address is set in the type of the names

    def take(self, line: TextLine) -> None:
        """Add the names of a line, if it has any."""
        text = line.text.strip()
        if not text:
            return
        kind, names = _read(line)
        if kind == "names" and not self._fits(line, names):
            kind = "address"
        if kind == "names":
            self.names.extend(names)
            self._first = self._first or line
        elif self._first is not None:
            self.addresses += 1
            self._alike = self._alike or (kind == "address" and _one_type(line, self._first))
        self._last, self._last_kind = line, kind

    def _fits(self, line: TextLine, names: Sequence[str]) -> bool:
        if self._first is None or self._last is None:
            # the end of a title in another language
            named = _AUTHOR_LEAD.match(line.text.strip()) is not None
            goes_on = (
                self._last is not None and self._last_kind == "address" and _one_type(line, self._last) and not named
            )
            return not (goes_on and len(names) == 1 and self._last is not None and not _PLACE.search(self._last.text))
        if not _one_type(line, self._first):
            return False
        if self._last_kind == "names":
            in_columns = len(line.cells) > 1 and len(self._last.cells) > 1
            return not in_columns or self._last.text.rstrip().endswith((",", " and", "&", "，", "、"))
        return len(names) > 1 or self._last_kind == "mail" or not self._alike or line.block != self._last.block


def _one_type(one: TextLine, other: TextLine) -> bool:
    return abs(one.size - other.size) <= _SAME_SIZE and one.bold == other.bold and one.italic == other.italic


def ends_head(line: TextLine) -> bool:
    """Tell whether the text begins here: with an abstract, a first section, or plain prose."""
    return opens_text(line) or _is_prose(line)


def opens_text(line: TextLine) -> bool:
    """Tell whether the line is the heading of an abstract, a first section, a list of contents."""
    return _STOP.match(line.text) is not None


def _is_prose(line: TextLine) -> bool:
    words = line.text.split()
    if len(words) > 9 and sum(word[0].islower() for word in words) > 0.6 * len(words):
        return True
    return len(_HAN.findall(line.text)) >= _PROSE_OF_HAN and len(set(_HAN_PROSE.findall(line.text))) > 1


def _read(line: TextLine) -> tuple[str, list[str]]:
    """Return what a line is (names, mail, address, frame) and the names in it."""
    if re.search(r"@|\{.*\}|https?:|www\.", line.text):
        return "mail", []
    if _FRAME.match(line.text.strip()):
        return "frame", []
    names: list[str] = []
    for text in _columns(line):
        if text.strip() in {"and", "&", "und"}:
            continue
        some = names_in(text)
        if not some:
            return "address", []
        names.extend(some)
    return ("names", names) if names else ("frame", [])


def _columns(line: TextLine) -> Iterator[str]:
    """Yield the text of each column, with a mark in place of what is set as a superscript."""
    text = list(line.text)
    for start, end in line.raised:
        text[start:end] = "|" * len(text[start:end])
    plain = "".join(text)
    for cell in line.cells if len(line.cells) > 1 else ():
        yield plain[cell.start : cell.end]
    if len(line.cells) < 2:
        yield plain


def names_in(text: str) -> list[str]:
    """Return the names that a line consists of; none if any of its parts is something else."""
    text = re.sub(r"\s\([A-Z][a-z]+\)(?=\s[A-Z])", "", text)  # what somebody is called
    text = re.sub(r"[(（\[][^()（）\[\]]*[)）\]]", "|", text).strip()
    text = text[lead.end() :] if (lead := _AUTHOR_LEAD.match(text)) else text
    text = _DEGREE.sub("", _ORCID.sub("|", _ORDINAL.sub("", text)))
    text = _FOOTNOTE_MARKS.sub("|", text)
    if "; " in text:  # "Name, Institute; Name and Name, Institute"
        lists = [list(takewhile(is_name, map(_trim, _SPLIT.split(part.strip())))) for part in text.split("; ")]
        return [_cased(name) for names in lists for name in names] if all(lists) else []
    if _HAN_LINE.fullmatch(text):
        return _han_names(text)
    if _IN_A_ROW.fullmatch(text.strip()) and not any(map(_is_common, text.split())):
        return [_cased(match[0]) for match in _ONE_OF_THEM.finditer(text)]
    text = re.sub(r"(?<=[^\W\d_])\d[\d,]*(?!\w)", "|", text)
    pieces = [_trim(piece) for piece in _SPLIT.split(text.strip())]
    pieces = _with_suffixes([piece for piece in pieces if piece and not re.fullmatch(r"[a-z]|[\d\W]+", piece)])
    names: list[str] = []
    for piece in pieces:
        if not is_name(piece):
            # "Jane Doe, University of Somewhere": what follows names may be where they work
            return names if names and _is_institute(piece) else []
        names.append(_cased(piece))
    return names


def _trim(piece: str) -> str:
    piece = re.sub(
        r"\s+[a-z]$", "", piece.strip(" .:;,-–—_").strip() + ("." if piece.rstrip().endswith(" Jr.") else "")
    )
    return _TITLE_OF_PERSON.sub("", re.sub(r"\s+", " ", piece))


def _with_suffixes(pieces: Sequence[str]) -> list[str]:
    joined: list[str] = []
    for piece in pieces:
        if joined and re.fullmatch(r"(?:jr|sr)\.?|ii|iii|iv", piece, re.IGNORECASE):
            joined[-1] += f" {piece}"
        else:
            joined.append(piece)
    return joined


def _han_names(text: str) -> list[str]:
    """Return Chinese names; those of two characters are often spread over the width of three. Before the first may stand
    where these people are from."""
    names: list[str] = []
    text = _HAN_FROM.sub("", text.strip())
    for part in re.split(r"[,，、;；|\d*.\\]+", text):
        words = part.split()
        if all(len(word) == 1 for word in words) and 2 <= len(words) <= 3:
            words = ["".join(words)]
        while words:
            word = words.pop(0)
            if len(word) == 1 and words and len(words[0]) == 1:
                word += words.pop(0)
            names.append(word)
    known = sum(name[0] in _FAMILIES or "·" in name for name in names)
    good = all(map(_HAN_NAME.fullmatch, names)) and known > 0.6 * len(names)
    place = len(names) == 1 and re.search(r"(?:省|市|县|区|大学|学院|中国|北京|上海|分校|系|部|所|院)$", names[0])
    return names if good and not place else []


def is_name(text: str) -> bool:
    """Tell whether this can be a person's name in Latin (or Greek, Cyrillic ...) letters."""
    words = text.split()
    if not 2 <= len(words) <= 6 or len(text) > 60 or text.casefold() in _PLACES:
        return False
    if any(
        not _WORD.fullmatch(word) or (_is_common(word) and not (word == "A" and at)) for at, word in enumerate(words)
    ):
        return False
    capital = [word for word in words if word.lstrip("'’ʼ‘")[0].isupper() or _ELIDED.match(word)]
    small = [word for word in words if word not in capital and word not in _PARTICLES]
    return len(capital) >= 2 and not small and any(len(word.rstrip(".")) > 1 for word in words)


def _is_institute(text: str) -> bool:
    return any(map(_is_common, text.split())) or re.fullmatch(r"[A-Z]{3,}(?:\s\S+)*", text) is not None


def is_address(text: str) -> bool:
    """Tell whether a line between authors and text says where somebody works or is reached."""
    return _MAIL.search(text) is not None or _PLACE.search(text) is not None


def _is_common(word: str) -> bool:
    return (word.rstrip(".") if len(word) > 2 else word).casefold() in _NO_NAME  # "A." is an initial, "Dept." is none


def _cased(name: str) -> str:
    """Write a name that is set in capitals as names are written elsewhere."""
    if not name.isupper() or not re.search(r"[^\W\d_]{3}", name):
        return name
    return re.sub(
        r"[^\W\d_]{2,}", lambda word: word[0].lower() if word[0].lower() in _PARTICLES else word[0].capitalize(), name
    )


# -- the head of a text, where no typography tells

# A line counts only if all of it is understood: names, a date, an institute, an address, a field with its name ("Authors: ..."). The first
# that is something else ends the head.

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
_YEAR_FORM = r"(?:1[5-9]\d\d|20\d\d)"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?)?(?:{_MONTH})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+(?:de\s+)?{_YEAR_FORM}"
_DATE = (
    rf"(?:{_DAY}|{_YEAR_FORM}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR_FORM}|"
    rf"{_YEAR_FORM}\s*年(?:\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*[日号])?)?|{_YEAR_FORM})"
)
_WHOLE_DATE = re.compile(
    rf"(?:(?:first |originally )?(?:published|posted|written|submitted|online|draft|version|preprint|working paper|"
    rf"technical report|report|essay|"
    rf"(?:spring|summer|autumn|fall|winter)|stand|发表于|发布于|写于)\s*(?:of|in|on|from|vom)?[,:：]?\s*)*[(（]?{_DATE}[)）]?(?:发表|发布)?",
    re.IGNORECASE,
)
_LAST_DATE = re.compile(
    rf"\s*[,，;；·•|–—-]*\s*(?:[(（](?:[^\W\d_]{{2,20}},?\s)?)?\b({_DATE})\s*[)）]?\s*$", re.IGNORECASE
)
# when a work was sent in and taken, and where it stands: "Received 3 May 2019; accepted ...", "vol. 31 (2009), pp. 45-71", 第32卷第4期
_OF_AN_ISSUE = re.compile(
    rf"[(（\[]?(?:manuscript |article |first )?(?:received|submitted|accepted|revised|published)\b[^.]{{0,30}}{_DATE}.{{0,80}}"
    rf"|(?:收稿|修回|投稿|接受|录用|出版|网络首发|网络出版)(?:日期|时间)?\s*[:：]?\s*{_DATE}.{{0,60}}"
    rf"|.{{2,90}}\b{_YEAR_FORM}\s?[;,]\s?\d{{1,4}}\s?(?:\(\d{{1,3}}(?:[-–]\d{{1,3}})?\))?\s?[:,]\s?[a-z]?\d{{1,6}}(?:\s?[-–]\s?\d{{1,6}})?"
    rf"|.{{2,90}}\b(?:vol(?:ume)?\.?|no\.|issue)\s?\d{{1,4}}\b.{{0,40}}{_YEAR_FORM}.{{0,30}}"
    rf"|(?:working|discussion|research) paper\s?(?:no\.?|#|series)?\s?[\w./-]{{0,12}},?\s?{_DATE}"
    rf"|.{{0,30}}(?:第\s?\d{{1,4}}\s?[卷期]|{_YEAR_FORM}\s?年第).{{0,40}}",
    re.IGNORECASE,
)
_ANY_YEAR = re.compile(rf"(?<!\d){_YEAR_FORM}(?!\d)")
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
_PICTURE = re.compile(r"<[^<>]{0,1000}>|!\[[^\]\n]*\]\([^)\n]*\)")
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
    if not sections or _PICTURE.sub("", text[: starts[0]]).strip():
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
                # take the lines of the last paragraph for what they are: the beginning of the text
                while self._spans:
                    *_, first = self._spans.pop()
                    if first:
                        break
                if not self._spans:
                    self._facts, self._names, self._places, self._sure = [], [], [], 0.0
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

    def _understood(self, plain: str, line: str) -> bool:
        return (
            self._field(plain)
            or self._date(plain)
            or self._issue(plain)
            or (bool(self._names) and len(plain.split()) <= 12 and _MAIL.search(plain) is not None)
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

    def _issue(self, plain: str) -> bool:
        """Tell whether a line says when a work came out, or in which issue; it was sent in before."""
        years = _ANY_YEAR.findall(plain)
        if not years or _OF_AN_ISSUE.fullmatch(plain.strip(" .。")) is None:
            return False
        self._sure = max(self._sure, _SIGNED)
        return self._year(max(years), _SIGNED)

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


# -- how a paper says that it is to be cited: names, its own title, the journal, the year, the volume

_OWN_YEAR = re.compile(r"[^\d\n]{0,60}?[,，.]\s*((?:19|20)\d\d)\s*[,，]\s*\d")


def own_reference(text: str, title: str) -> tuple[Fact, ...]:
    """Return what a reference to this very title says of it."""
    at = text.find(title) if title else -1
    dated = _OWN_YEAR.match(text, at + len(title)) if at >= 0 else None
    if dated is None:
        return ()
    names = names_in(text[text.rfind("\n", 0, at) + 1 : at].rstrip(" .．。"))
    told = [Fact(field="authors", value=tuple(names), source=_SOURCE, sure=_LABELLED)] if names else []
    return (*told, Fact(field="year", value=int(dated[1]), source=_SOURCE, sure=_LABELLED))


# -- fields of files, and the document that they make

# -- loose fields

_NAMES = {
    "title": ("title",),
    "authors": ("authors", "author"),
    "year": ("year", "date", "published"),
    "source": ("source",),
    "language": ("language", "lang"),
    "kind": ("kind", "type"),
}

_MOST_FIELDS = 100
_MOST_NAMES = 5_000
_LONGEST_VALUE = 2_000
_DEEPEST = 5
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")


def document(
    fields: Mapping[str, Any], path: Path, *, identifier: str = "", title: str = "", kind: str = ""
) -> Document:
    """Return the document that these fields describe; what they leave open comes from the arguments."""
    authors = _names(next((fields[key] for key in _NAMES["authors"] if fields.get(key)), ()))
    flat = dict(_flat({key: value for key, value in fields.items() if key not in _NAMES["authors"]}))
    year = _year(flat)
    used = {"id", *(key for name in ("title", "source", "language", "kind") for key in _NAMES[name])}
    used |= {"year"} if year is not None and str(flat.get("year")) == str(year) else set()
    own = flat.get("id", "")
    return Document(
        id=str(own) if own != "" else identifier,
        title=_text(flat, "title") or title,
        authors=authors,
        year=year,
        source=_text(flat, "source"),
        origin=printable(path),
        language=_text(flat, "language").lower(),
        kind=_text(flat, "kind") or kind,
        metadata=dict(islice(((key, value) for key, value in flat.items() if key not in used), _MOST_FIELDS)),
    )


def identifier_of(path: Path) -> str:
    """Return a short id that people can type and that no two paths share."""
    name = re.sub(r"[^\w]+", "-", printable(Path(path.stem))).strip("-").lower()[:40]
    return f"{name}-{hashlib.sha256(bytes(path)).hexdigest()[:6]}".lstrip("-")


def _flat(fields: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    for key, value in fields.items():
        name = clean(f"{prefix}{key}")[:_LONGEST_VALUE]
        if isinstance(value, Mapping) and depth < _DEEPEST:
            yield from _flat(cast("Mapping[str, Any]", value), f"{name}.", depth + 1)
        elif isinstance(value, (list, tuple)):
            yield name, tuple(_scalar(item) for item in cast("list[Any]", value)[:_MOST_FIELDS] if item is not None)
        elif value is not None:
            yield name, _scalar(value)


def _scalar(value: Any) -> str | int | float | bool:
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 1 << 63):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and value.bit_length() > _LONGEST_VALUE:
        return "a number of many digits"  # Python refuses to write it out
    return clean(str(value))[:_LONGEST_VALUE]


def _names(value: Any) -> tuple[str, ...]:
    """Return names from a text, a list, or records with `name` or `given` and `family`."""
    if isinstance(value, str):
        found: list[Any] = re.split(r"\s*[;；、]\s*|\s*,?\s+and\s+", value)
        pieces = [piece.strip() for part in found for piece in re.split("[,，]", part)]
        if len(pieces) > len(found) and all(len(names_in(piece)) == 1 for piece in pieces):
            found = pieces  # "Anna Ito, Ben Cole"; "Ito, Anna" is one person
    else:
        found = cast("list[Any]", value) if isinstance(value, list) else [value]
    names = (
        " ".join(clean(_name(item)).strip("[] ").split())[:_LONGEST_VALUE]
        for item in found[:_MOST_NAMES]
        if item is not None
    )
    return tuple(name for name in names if name)


def _name(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value) if value != () else ""
    record = cast("Mapping[str, Any]", value)
    return str(record.get("name") or " ".join(str(record[key]) for key in ("given", "family") if record.get(key)))


def _text(flat: Mapping[str, Value], name: str) -> str:
    value = next((flat[key] for key in _NAMES[name] if key in flat), "")
    single = (value[0] if value else "") if isinstance(value, tuple) else value
    return " ".join(str(single).split())


def _year(flat: Mapping[str, Value]) -> int | None:
    for key in _NAMES["year"]:
        found = _YEAR.search(str(flat.get(key, "")))
        if found:
            return int(found[0])
    return None


# -- facts

_FILE_NAME = 0.2  # how sure a title is that is nothing but the name of the file


def with_file_name(facts: Iterable[Fact], path: Path) -> tuple[Fact, ...]:
    """Return the facts that say something, and the file's name as the last resort for a title."""
    named = Fact(field="title", value=printable(Path(path.stem)), source="file name", sure=_FILE_NAME)
    return (*(fact for fact in facts if fact.value), named)


def document_of(facts: Sequence[Fact], path: Path, kind: str) -> Document:
    """Return the document with the surest value of each field."""
    fields: dict[str, Any] = {}
    for name, (fact, *_) in by_field(facts).items():
        fields[name] = list(fact.value) if isinstance(fact.value, tuple) else fact.value
    return document(fields, path, identifier=identifier_of(path), kind=kind)
