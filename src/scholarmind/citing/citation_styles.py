"""How works are cited: what of a document an entry of a list of sources is made of, and citations and lists in each style."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Literal, get_args

from scholarmind.errors import QueryError
from scholarmind.model import Document, Value
from scholarmind.text.language import lazy_regex
from scholarmind.text.untrusted import NO_BRACKETS, disarmed, unlinked

# -- cited works: a document as a work that can be listed, and its authors, as they are written in files, taken apart

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


# -- keys: [Devlin et al., 2019]

_LONGEST_TITLE = 60
_LONGEST_NATIVE = 24  # a Chinese character says as much as a few letters
_NOT_IN_BRACKETS = NO_BRACKETS | str.maketrans(";；", ",，")
_TRAILING = " ,.:-–—，。：、("
_NATIVE = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")
Place = tuple[str, str]


def assign(documents: Sequence[Document], known: Mapping[Place, str] = MappingProxyType({})) -> dict[Place, str]:
    """Return the key of each work by (collection, id), without brackets; no two works share one. Some are `known` already."""
    works = {(document.collection, document.id): document for document in documents}
    groups: defaultdict[str, list[Document]] = defaultdict(list)
    for document in sorted(works.values(), key=lambda work: (work.title, work.id, work.collection)):
        groups[_base(document).casefold()].append(document)
    keys: dict[Place, str] = {}
    taken = {key.casefold() for key in known.values()}
    for group in sorted(groups.values(), key=len):  # who is alone keeps its plain key
        for document, key in zip(group, _told_apart(group), strict=True):
            place = document.collection, document.id
            keys[place] = known[place] if place in known else _free(key, taken)
    return {place: keys[place] for place in works}


def _suffix(document: Document, keys: Mapping[Place, str]) -> str:
    """Return the letter that the key of this work has behind the year, or ''."""
    if document.year is None or not people(document.authors)[0]:
        return ""
    found = re.search(rf", {document.dated}([a-z]+)$", keys[document.collection, document.id])
    return found[1] if found else ""


def _base(document: Document) -> str:
    named, others = people(document.authors)
    if not named:
        return _title(document)
    year = document.dated or "n.d."
    return disarmed(f"{_authors(named, others=others)}, {year}".translate(_NOT_IN_BRACKETS))


def _authors(named: Sequence[Person], *, others: bool) -> str:
    first, native = named[0].family, named[0].native
    if others or len(named) > 2:
        return f"{first}等" if native else f"{first} et al."
    if len(named) == 2:
        return f"{first}与{named[1].family}" if native else f"{first} & {named[1].family}"
    return first


def _title(document: Document) -> str:
    """Return the title, cut at a word border if it is long."""
    title = disarmed((plain(document.title) or plain(document.id) or "untitled").translate(_NOT_IN_BRACKETS))
    longest = _LONGEST_NATIVE if _NATIVE.search(title) else _LONGEST_TITLE
    if len(title) <= longest:
        return title
    cut = title[: longest + 1]
    if " " in cut[longest // 2 :]:
        cut = cut.rpartition(" ")[0]
    return cut[:longest].rstrip(_TRAILING) + "…"


def _told_apart(group: Sequence[Document]) -> Iterator[str]:
    """Yield keys that differ: by letters behind the year; titles by their years first, and else by a number."""
    base = _base(group[0])
    if len(group) == 1:
        yield base
    elif people(group[0].authors)[0]:
        joint = "-" if base.endswith(".") else ""
        yield from (f"{base}{joint}{_letters(place)}" for place in range(len(group)))
    else:
        yield from (f"{base}, {document.dated}" if document.dated else base for document in group)


def _letters(place: int) -> str:
    """Return a, b, ... z, aa, ab, ..."""
    more, last = divmod(place, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)


def _free(key: str, taken: set[str]) -> str:
    free, number = key, 1
    while free.casefold() in taken:
        number += 1
        free = f"{key} ({number})"
    taken.add(free.casefold())
    return free


# -- lists of sources

Style = Literal["apa", "gb7714", "numeric"]
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_LIST_MARK = re.compile(r"([-+=]|\d{1,9}[.)])")
_ENDS = (".", "?", "!", "。", "？", "！", "…")
_GB_CODES: Mapping[Form, str] = {
    "journal": "J",
    "conference": "C",
    "preprint": "EB",
    "book": "M",
    "chapter": "M",
    "thesis": "D",
    "report": "R",
    "web": "EB",
    "other": "Z",
}


def sources(documents: Sequence[Document], style: Style, *, markdown: bool = False) -> list[str]:
    """Return an entry for each work, in the order given; the numeric styles count from 1."""
    keys = assign(documents)
    works = {(document.collection, document.id): document for document in documents}
    return [
        _entry(document, style, number, letter=_suffix(document, keys), markdown=markdown)
        for number, document in enumerate(works.values(), 1)
    ]


def format_source(document: Document, style: Style, number: int, *, markdown: bool = False) -> str:
    """Return the entry of one work. APA has no numbers."""
    return _entry(document, style, number, letter="", markdown=markdown)


def markdown_text(text: str) -> str:
    """Return the text so that Markdown shows it as it is."""
    escaped = _inline(plain(text))
    mark = _LIST_MARK.match(escaped)
    return f"{escaped[: mark.end() - 1]}\\{escaped[mark.end() - 1 :]}" if mark else escaped


def _inline(text: str) -> str:
    return unlinked(_MARKUP.sub(r"\\\1", text))


def _entry(document: Document, style: Style, number: int, *, letter: str, markdown: bool) -> str:
    if style not in _WRITERS:
        raise QueryError(f"style = {style!r} is not one of {', '.join(map(repr, get_args(Style)))}")
    work = _quoted(work_of(document))
    link = work.link
    if markdown:
        link = f"<{link}>" if link else ""
        texts = {
            field.name: markdown_text(value) if field.name == "title" else _inline(value)
            for field in fields(work)
            if isinstance(value := getattr(work, field.name), str) and field.name not in {"form", "year"}
        }
        authors = tuple(
            replace(author, family=markdown_text(author.family), given=_inline(author.given)) for author in work.authors
        )
        work = replace(work, authors=authors, **texts)
    if letter:
        work = replace(work, year=work.year + letter)
    return _WRITERS[style](work, number, link)


def _quoted(work: Work) -> Work:
    """Return the work with no title or name in it that looks like a citation or a mark of the answer."""
    texts = {
        field.name: disarmed(value)
        for field in fields(work)
        if isinstance(value := getattr(work, field.name), str) and field.name not in {"form", "year"}
    }
    authors = tuple(
        replace(author, family=disarmed(author.family), given=disarmed(author.given)) for author in work.authors
    )
    return replace(work, authors=authors, **texts)


def _apa(work: Work, _number: int, link: str) -> str:
    date = f"({work.year or 'n.d.'})"
    volume = f"{work.volume}({work.number})" if work.number and work.volume else work.volume or work.number
    if work.form in {"conference", "chapter"} and work.venue:
        details = ", ".join(filter(None, (work.volume and f"Vol. {work.volume}", _pages(work))))
        venue = f"In {work.venue}" + (f" ({details})" if details else "")
    else:
        venue = ", ".join(filter(None, (work.venue, volume, _range(work.pages))))
    places = (venue, work.publisher_or_institution, _arxiv_label(work))
    where = ". ".join(text.rstrip(".") for text in places if text)
    head = [f"{_stopped(_apa_authors(work))} {date}.", _stopped(work.title)]
    if not work.authors:
        head = [f"{_stopped(work.title)} {date}."]
    return " ".join(filter(None, (*head, _stopped(where), link)))


def _apa_authors(work: Work) -> str:
    names = [_apa_name(author) for author in work.authors]
    if len(names) > 20:
        return f"{', '.join(names[:19])}, … {names[-1]}"
    if work.others and names:
        return f"{', '.join(names)}{'等' if work.native else ', et al.'}"
    if len(names) < 2 or work.native:
        return ", ".join(names)
    return f"{', '.join(names[:-1])}, & {names[-1]}"


def _apa_name(author: Person) -> str:
    if author.native or not author.given:
        return author.full
    return ", ".join(filter(None, (author.family, author.initials("."), author.suffix)))


def _gb7714(work: Work, number: int, link: str) -> str:
    link = "" if work.doi else link
    online = "/OL" if link else ""
    title = f"{work.title}[{_GB_CODES[work.form]}{online}]"
    within = f"{title}//{work.venue}" if work.form in {"conference", "chapter"} and work.venue else title
    names = [_gb_name(author) for author in work.authors[:3]]
    more = work.others or len(work.authors) > 3
    if more and names:
        names.append("等" if work.native else "et al")
    lead = _stopped(", ".join(names))
    doi = f"DOI:{work.doi}" if work.doi else ""
    text = " ".join(filter(None, (lead, _stopped(within), _stopped(_gb_issue(work)), _stopped(doi), link)))
    return f"[{number}] {text}"


def _gb_name(author: Person) -> str:
    if author.native or author.body or not author.given:
        return author.full
    return " ".join(filter(None, (author.family.upper(), author.initials(""), author.suffix.rstrip(".").upper())))


def _gb_issue(work: Work) -> str:
    """Return where and when it came out: `Journal, 2019, 3(2): 1-9`, `Place: Publisher, 2019: 1-9`."""
    volume = work.volume + (f"({work.number})" if work.number else "")
    published = work.publisher_or_institution
    if work.form == "conference" and work.venue:
        where = ": ".join(filter(None, (work.place, published)))
        parts = (where, work.year)
    elif work.form == "preprint":
        parts = (work.venue, work.arxiv and f"arXiv:{work.arxiv}", work.year)
    elif work.form in {"journal", "other"}:
        parts = (work.venue, published if not work.venue else "", work.year, volume)
    else:
        own = "" if work.form == "chapter" else work.venue
        where = ": ".join(filter(None, (work.place, published)))
        parts = (own, where if where != own else "", work.year)
    issue = ", ".join(filter(None, parts))
    return ": ".join(filter(None, (issue, _range(work.pages, "-"))))


def _numeric(work: Work, number: int, link: str) -> str:
    within = f"in {work.venue}" if work.form in {"conference", "chapter"} and work.venue else work.venue
    details = (
        within,
        work.publisher_or_institution,
        f"vol. {work.volume}" if work.volume else "",
        f"no. {work.number}" if work.number else "",
        _pages(work),
        _arxiv_label(work),
        work.year,
        f"doi: {work.doi}" if work.doi else "",
    )
    names = [_numeric_name(author) for author in work.authors]
    native = work.native
    if names and (work.others or len(names) > 6):
        shown = names if work.others and len(names) <= 6 else names[:1]
        authors = f"{', '.join(shown)}{'等' if native else ' et al.'}"
    elif len(names) < 2 or native:
        authors = ", ".join(names)
    else:
        authors = " and ".join(names) if len(names) == 2 else f"{', '.join(names[:-1])}, and {names[-1]}"
    where = ", ".join(filter(None, details))
    title = f'"{work.title}{"" if work.title.endswith(_ENDS) else "," if where else "."}"'
    text = " ".join(filter(None, (authors and f"{authors},", title, _stopped(where))))
    return f"[{number}] {text}{f' {link}' if link and not work.doi else ''}"


def _numeric_name(author: Person) -> str:
    if author.native or not author.given:
        return author.full
    return " ".join(filter(None, (author.initials("."), author.family, author.suffix)))


def _arxiv_label(work: Work) -> str:
    return f"arXiv:{work.arxiv}" if work.arxiv and work.form == "preprint" else ""


def _pages(work: Work) -> str:
    if not work.pages:
        return ""
    return f"{'pp.' if re.search('[-–—,]', work.pages) else 'p.'} {_range(work.pages)}"


def _range(pages: str, dash: str = "–") -> str:
    return re.sub(r"[ ]?[-–—]{1,3}[ ]?", dash, pages)


def _stopped(text: str) -> str:
    return text if not text or text.endswith(_ENDS) else f"{text}."


_WRITERS: Mapping[Style, Callable[[Work, int, str], str]] = {"apa": _apa, "gb7714": _gb7714, "numeric": _numeric}
