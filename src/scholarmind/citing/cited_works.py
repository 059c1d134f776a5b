"""Cited works: a document as a work that can be listed, and its authors, as they are written in files, taken apart.

A `Work` has a form, where it came out and where it can be found; a `Person` a family name and given names, or is a body that has no
such parts. How a work is named in an answer or a list is in `citation_styles`.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.model import Document, Value
from scholarmind.text.language import lazy_regex

# -- authors

_LONGEST = 300
_HAN = lazy_regex(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = lazy_regex(r"[\u3040-\u30ff]")
_HANGUL = lazy_regex(r"[\uac00-\ud7af]")
_OTHERS = frozenset({"others", "and others", "et al", "et al.", "等", "等人"})
_SUFFIX = lazy_regex(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_COMPANY = lazy_regex(r"(?:inc|ltd|llc|gmbh|corp|plc|co)\.?", re.IGNORECASE)
_INITIALS = lazy_regex(r"[A-Z]{1,2}|(?:[A-Z]\.-?){1,4}")
_BESIDE = lazy_regex(r"\s*[(（][^()（）]*[)）]\s*$")  # the same name in other letters
_PARTICLES = frozenset(
    "af al auf bin da de degli dei del della den der des di dos du el ibn la las le los op 't ten ter van vom von zu zum zur".split()
)

_BIG_PARTICLES = frozenset({"Van", "Von", "De", "Del", "Della", "Di"})  # the others are also given names
_BODY_WORDS = frozenset(
    "academy administration agency association authors authority bureau center centre collaboration college commission committee "
    "community company consortium contributors corporation council department foundation group inc institut institute laboratory lab "
    "labs ltd ministry office organisation organization press project research school society team universität université "
    "university".split()
)

_BODY_LINKS = frozenset({"of", "for", "and", "&", "AI", "The", "the"})
_CHINESE_BODY = lazy_regex(
    r"(?:大学|学院|公司|研究院|研究所|研究组|团队|实验室|集团|小组|委员会|中心|科技|编辑部|出版社|协会|学会|部|局|银行|课题组)$"
)

_DOUBLE_FAMILIES = frozenset(
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 司空 夏侯 令狐 宇文 长孙 端木 欧陽 諸葛".split()
)

_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白"
    "邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁"
    "尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷"
    "晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟"
    "張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇呂盧鍾譚陸範賈韋鄒閻龍賀顧龔萬錢嚴湯溫齊喬龐顏莊聶魯關蘭寧紀單塗駱藍遊華饒時農繆簡車項連蘆麥婁竇"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An author. A body (a company, a team) has its whole name as the family name; `native` names are written without a space."""

    family: str
    given: str = ""
    suffix: str = ""
    native: bool = False
    body: bool = False

    @property
    def full(self) -> str:
        """The name as its language writes it."""
        if self.native:
            return self.family + self.given
        return " ".join(filter(None, (self.given, self.family, self.suffix)))

    def initials(self, dot: str) -> str:
        """Return the initials of the given names: `M.-W.` with a dot; without one, as GB/T 7714 has them, `M W`."""
        words = re.split(r"([-‐‑\s]+)", self.given.replace(".", ". ").strip())
        found: list[str] = []
        for link, word in zip(["", *words[1::2]], words[::2], strict=True):
            letter = next((character for character in word if character.isalpha()), "")
            if letter:
                joint = "-" if link.strip() and dot else " "
                found.append((joint if found else "") + letter.upper() + dot)
        return "".join(found)


def plain(text: str) -> str:
    """Return the text in one line, without control and formatting characters and half characters."""
    if text.isprintable():  # nothing is hidden in it
        return " ".join(text.split())
    kept = (" " if character.isspace() else character for character in text if not _is_hidden(character))
    return " ".join("".join(kept).split())


def _is_hidden(character: str) -> bool:
    return character not in "\t\n\r" and unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"}


def people(authors: Sequence[str]) -> tuple[tuple[Person, ...], bool]:
    """Return the authors in order, and whether there are others who are not named."""
    names = [name for author in authors if (name := plain(author[:_LONGEST]))]
    named = tuple(person(name) for name in names if name.casefold() not in _OTHERS)
    return named, len(named) < len(names)


def person(author: str) -> Person:
    """Take one author apart. What has no family name that can be told stays whole."""
    name = plain(author[:_LONGEST])
    if name.startswith("{") and name.endswith("}"):
        return Person(family=name.strip("{} ") or name, body=True)
    shorter = _BESIDE.sub("", name) or name
    if _HAN.search(shorter) or _KANA.search(shorter) or _HANGUL.search(shorter):
        if "·" in shorter and not shorter.endswith("·"):
            given, _, family = shorter.rpartition("·")
            return Person(family=family, given=given + "·") if given else Person(family=family)
        words = re.split(r"[\s,，]+", shorter)
        if len(words) == 2 and all(words) and not _CHINESE_BODY.search(shorter):
            return Person(family=words[0], given=words[1], native=True)
        if len(words) != 1 or _CHINESE_BODY.search(shorter) or not 2 <= len(shorter) <= 4 or not _is_native(shorter):
            return Person(family=shorter, native=True, body=True)
        cut = 2 if shorter[:2] in _DOUBLE_FAMILIES and len(shorter) > 2 else 1
        if cut == 1 and shorter[0] not in _FAMILIES and not _HANGUL.match(shorter):
            return Person(family=shorter, native=True, body=True)
        return Person(family=shorter[:cut], given=shorter[cut:], native=True)
    return _with_comma(name) if "," in name else _in_order(name)


def _is_native(name: str) -> bool:
    return all(_HAN.match(character) or _HANGUL.match(character) for character in name)


def _with_comma(name: str) -> Person:
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if not parts or any(_COMPANY.fullmatch(part) for part in parts[1:]):
        return Person(family=name, body=True)
    suffix = next((part for part in parts[1:] if _SUFFIX.fullmatch(part)), "")
    rest = [part for part in parts[1:] if part != suffix]
    if not rest:
        found = _in_order(parts[0])
        return Person(family=found.family, given=found.given, suffix=suffix)
    given = " ".join(rest)
    words = given.split()
    while len(words) > 1 and words[-1] in _PARTICLES:  # "Berg, Jan van der"
        words.pop()
    particles = given.split()[len(words) :]
    return Person(family=" ".join((*particles, parts[0])), given=" ".join(words), suffix=suffix)


def _in_order(name: str) -> Person:
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    if len(words) < 2 or any(
        word in _BODY_LINKS or word.casefold() in _BODY_WORDS or any(map(str.isdigit, word)) for word in words
    ):
        return Person(family=name, body=True)
    if _INITIALS.fullmatch(words[-1]) and not _INITIALS.fullmatch(words[0]):  # "Devlin JK"
        return Person(family=" ".join(words[:-1]), given=" ".join(words[-1].replace(".", "")), suffix=suffix)
    begin = next((place for place in range(1, len(words) - 1) if _is_particle(words[place])), len(words) - 1)
    return Person(family=" ".join(words[begin:]), given=" ".join(words[:begin]), suffix=suffix)


def _is_particle(word: str) -> bool:
    return word in _PARTICLES or word in _BIG_PARTICLES


# -- works: their form, where they came out, where they are found

Form = Literal["journal", "conference", "preprint", "book", "chapter", "thesis", "report", "web", "other"]
_FORMS: Mapping[str, Form] = {
    "article": "journal",
    "article-journal": "journal",
    "journal-article": "journal",
    "inproceedings": "conference",
    "conference": "conference",
    "proceedings": "conference",
    "paper-conference": "conference",
    "proceedings-article": "conference",
    "preprint": "preprint",
    "posted-content": "preprint",
    "book": "book",
    "inbook": "chapter",
    "incollection": "chapter",
    "chapter": "chapter",
    "book-chapter": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "dissertation": "thesis",
    "techreport": "report",
    "report": "report",
    "online": "web",
    "electronic": "web",
    "webpage": "web",
}

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "venue": ("journal", "journaltitle", "booktitle", "venue", "container-title", "conference"),
    "publisher": ("publisher",),
    "institution": ("institution", "school", "organization"),
    "place": ("address", "location", "publisher-place"),
    "volume": ("volume",),
    "number": ("number", "issue"),
    "pages": ("pages", "page"),
    "edition": ("edition",),
}

_ARXIV = re.compile(
    r"(?:arxiv[.:\s/]*(?:preprint\s*)?(?:arxiv:)?(?:abs/)?)?(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?",
    re.IGNORECASE,
)

_ARXIV_VENUE = re.compile(r"\barxiv\b|\bcorr\b", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_MEETING = re.compile(
    r"proceedings|\bproc\b|conference|workshop|symposium|meeting|advances in neural|会议|大会|论文集", re.IGNORECASE
)

_JOURNAL = re.compile(
    r"journal|transactions|letters|review|annals|magazine|bulletin|quarterly|学报|杂志|期刊", re.IGNORECASE
)

_JOURNAL_NAMES = frozenset("JMLR TACL TMLR PNAS JAIR TPAMI PAMI CACM JACM TOIS TKDE TNNLS IJCV PLOS BMJ JAMA".split())
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[ '’-]*(?:\d{4}|\d\d))?")
UNSAFE = {ord(sign): f"%{ord(sign):02X}" for sign in ' <>"`\\{}|^[]'}
_LONGEST_FIELD = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the styles and the export write; what a document does not say is empty."""

    title: str
    form: Form
    authors: tuple[Person, ...] = ()
    others: bool = False
    year: str = ""
    venue: str = ""
    publisher: str = ""
    institution: str = ""
    place: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    edition: str = ""
    doi: str = ""
    arxiv: str = ""
    url: str = ""

    @property
    def native(self) -> bool:
        """Whether the first author's name is written without a space, which sets the signs between the names."""
        return bool(self.authors) and self.authors[0].native

    @property
    def publisher_or_institution(self) -> str:
        """Who published it, unless the venue says so already."""
        name = self.publisher or self.institution
        return "" if name and name in self.venue else name

    @property
    def link(self) -> str:
        """Where the work can be opened, or ''."""
        if self.doi:
            return f"https://doi.org/{self.doi}"
        return self.url or (f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else "")


def work_of(document: Document) -> Work:
    """Return what is known of a document as a work."""
    fields = {key.casefold(): text for key, value in document.metadata.items() if (text := _text(value))}
    found = {name: next((fields[key] for key in keys if key in fields), "") for name, keys in _FIELDS.items()}
    arxiv = _arxiv(fields, found["venue"])
    doi = _DOI.fullmatch(fields.get("doi", ""))
    authors, others = people(document.authors)
    fields["url"] = _url(fields.get("url", "") or document.source or fields.get("link", ""))
    form = _form(document, fields, found, arxiv)
    if form == "preprint" and _ARXIV_VENUE.search(found["venue"]):
        found["venue"] = "" if arxiv else "arXiv"
    return Work(
        title=plain(document.title) or plain(document.id) or "untitled",
        form=form,
        authors=authors,
        others=others,
        year=document.dated,
        doi=doi[1].rstrip(".,;").translate(UNSAFE) if doi else "",
        arxiv=arxiv,
        url=fields["url"],
        **found,
    )


def is_meeting(venue: str) -> bool:
    """Tell whether papers came out there because they were given at a meeting."""
    return _MEETING.search(venue) is not None or _ACRONYM.fullmatch(venue) is not None


def _text(value: Value) -> str:
    single = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return plain(single[:_LONGEST_FIELD])


def _arxiv(fields: Mapping[str, str], venue: str) -> str:
    eprint = fields.get("eprint", "") if fields.get("archiveprefix", "arxiv").casefold() == "arxiv" else ""
    stated = _ARXIV.fullmatch(fields.get("arxiv", "") or fields.get("arxiv_id", "") or eprint)
    found = stated or (_ARXIV.search(venue) if _ARXIV_VENUE.search(venue) else None)
    return found[1] if found else ""


def _url(text: str) -> str:
    return text.translate(UNSAFE) if text.casefold().startswith(("http://", "https://")) else ""


def _form(document: Document, fields: Mapping[str, str], found: Mapping[str, str], arxiv: str) -> Form:
    stated = fields.get("entrytype", "") or fields.get("type", "") or document.kind
    form = _FORMS.get(stated.casefold().strip())
    if form is None or (form == "journal" and (not found["venue"] or _ARXIV_VENUE.search(found["venue"]))):
        venue = found["venue"]
        if venue and not _ARXIV_VENUE.search(venue):
            if "report" in venue.casefold() or "报告" in venue:
                return "report"
            if "booktitle" in fields or _MEETING.search(venue):
                return "conference"
            if "journal" in fields or _JOURNAL.search(venue) or venue.split(maxsplit=1)[0] in _JOURNAL_NAMES:
                return "journal"
            return "conference" if _ACRONYM.fullmatch(venue) else "journal"
        rules: tuple[tuple[bool, Form], ...] = (
            (bool(arxiv or venue), "preprint"),
            ("school" in fields, "thesis"),
            (bool(found["institution"]), "report"),
            (bool(found["publisher"]), "book"),
            (bool(fields["url"]), "web"),
        )
        for holds, form in rules:
            if holds:
                return form
        return "other"
    return form
