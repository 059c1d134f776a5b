"""Who wrote a paper, from the lines below its title: names, never institutes, cities and addresses. Better none than a wrong one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest

from scholarmind.adapters.readers.pdf.page import TextLine

_STOP = re.compile(
    r"[^\w(]*(?:(?:extended )?abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|introduction|(?:1|i)\.?\s+introduction|keywords?|index terms|"
    r"ccs concepts|highlights|a\s?r\s?t\s?i\s?c\s?l\s?e\s+i\s?n\s?f\s?o|(?:table of )?contents|acknowledge?ments?)\b|"
    r"\W*(?:摘\s*要|关键词|引\s*言|目\s*录)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:supervis|advis|(?:academic )?editor|reviewed|exam|committee|promotor|referee|edited|translat|thesis|dissertation|presented|"
    r"submitted|received|accepted|published|dedicated|corresponding|contact|導師|导师|指导教师|收稿|基金|学科|专业|学院|单位)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:written\s+)?by\b\s*:?|authors?\s*(?:names?)?\s*:|作者(?:姓名)?\s*[:：]|(?:研究生|学生)(?:姓名)?\s*[:：]",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[∗†‡§¶‖#✉⋆★☆✝♯♮*⁎⁺⊥♠♣♥♦◇△▽○●\u00b9\u00b2\u00b3\u2070-\u209f\u1d43-\u1d5b\ue000-\uf8ff]+")
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
    r"\s*[,;，、；•·∙⋅|]\s*(?:and\s+|&\s*)?|\s+(?:and|und|et|y)\s+|\s*&\s*|\s*和\s*|\s{3,}|^and\s+|\s+and$"
)
_HAN_LINE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff·\s,，、;；|\d*]+")
_HAN_NAME = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,4}|[\u3400-\u9fff]{1,6}·[\u3400-\u9fff·]{1,10}")
_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"(?:[A-ZÀ-ÞĀ-Ž]\.-?){{1,4}}|{_LETTER}(?:{_LETTER}|['’ʼ`.-](?={_LETTER}))*\.?")
_ONE_OF_THEM = re.compile(r"[A-Z][a-zà-ÿ]+(?:\s[A-Z]\.)*\s[A-Z][\w'’-]*[a-zà-ÿ]")
_IN_A_ROW = re.compile(  # with initials, and nothing but spaces between them
    rf"(?=.*\s[A-Z]\.\s)(?:{_ONE_OF_THEM.pattern}\s+)+{_ONE_OF_THEM.pattern}"
)
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
_MOST_LINES = 40
_MOST_AUTHORS = 200
_SAME_SIZE = 0.6


def authors_below(lines: Sequence[TextLine]) -> tuple[tuple[str, ...], bool]:
    """Return the authors that the lines below a title name, and whether the head is plain: it ends in an abstract, or has addresses."""
    found = _Found()
    ended = False
    for line in _with_whole_lists(lines[:_MOST_LINES]):
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
            listed.text += f" {line.text.strip()}"
            continue
        if listed is not None:
            yield listed
            listed = None
        if below is not None and len(line.cells) < 2 and not line.raised and _same_list(line, below):
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
            return True
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
    return _STOP.match(line.text) is not None or _is_prose(line)


def _is_prose(line: TextLine) -> bool:
    words = line.text.split()
    return len(words) > 9 and sum(word[0].islower() for word in words) > 0.6 * len(words)


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
    text = text[lead.end() :] if (lead := _LEAD.match(text)) else text
    text = _DEGREE.sub("", _ORCID.sub("|", _ORDINAL.sub("", text)))
    text = _MARKS.sub("|", text)
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
    """Return Chinese names; those of two characters are often spread over the width of three."""
    names: list[str] = []
    for part in re.split(r"[,，、;；|\d*]+", text):
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
    if any(not _WORD.fullmatch(word) or _is_common(word) for word in words):
        return False
    capital = [word for word in words if word[0].isupper() or _ELIDED.match(word)]
    small = [word for word in words if word not in capital and word not in _PARTICLES]
    return len(capital) >= 2 and not small and any(len(word.rstrip(".")) > 1 for word in words)


def _is_institute(text: str) -> bool:
    return any(map(_is_common, text.split())) or re.fullmatch(r"[A-Z]{3,}(?:\s\S+)*", text) is not None


def _is_common(word: str) -> bool:
    return (word.rstrip(".") if len(word) > 2 else word).casefold() in _NO_NAME  # "A." is an initial, "Dept." is none


def _cased(name: str) -> str:
    """Write a name that is set in capitals as names are written elsewhere."""
    if not name.isupper() or not re.search(r"[^\W\d_]{3}", name):
        return name
    return re.sub(
        r"[^\W\d_]{2,}", lambda word: word[0].lower() if word[0].lower() in _PARTICLES else word[0].capitalize(), name
    )
