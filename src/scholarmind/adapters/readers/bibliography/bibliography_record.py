"""From the fields of an entry, whatever the format, to a document: names, files, years, identifiers, pages, and an id that people can type.

Lists of authors in every form that bibliographies have become names without LaTeX that can be told apart later: "Given Family",
"Family, Given" with the particles in front, "{Body}" for what has no given name, "others". What an entry says of its files, as Zotero,
JabRef, Mendeley, BibDesk and EndNote write it, becomes plain paths.
"""

import base64
import binascii
import hashlib
import plistlib
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast
from urllib.parse import unquote

from scholarmind.adapters.readers.bibliography.bibliography_text import accented, decode_latex, untagged
from scholarmind.adapters.readers.composition import clean
from scholarmind.model import BibEntry, Document, Problem, Value
from scholarmind.text.untrusted import storable

# -- names

MOST_NAMES = 5_000
OTHERS = "others"
_LONGEST_NAME = 300
_LONGEST_CODED = 2_000  # the same with its LaTeX
_LONGEST_LIST = 1_000_000
_AND = r"(?i:(?:^| )and(?= |$))"
_COMMA = r"[,，]"
_WORD = re.compile(r"[^\W\d_]+")
_ET_AL = re.compile(r"[ ,，~]*(?:\bet\.?[ ~]?al(?:ii|\b)\.?|\band others|等人?)$", re.IGNORECASE)
_ET_AL_ALONE = frozenset(
    {"others", "et al", "et al.", "etal", "etal.", "et. al.", "et alii", "and others", "…", "...", "等", "等人"}
)

_NATIVE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_INITIALS = re.compile(r"[^\W\d_]{1,2}|(?:[^\W\d_]\.[ -]?){1,4}")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)
_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石"
)

_DOUBLE_FAMILIES = frozenset(
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 司空 夏侯 令狐 宇文 长孙 端木 歐陽 諸葛".split()
)

_PARTICLES = frozenset(
    "af al av bin da dal dalla de degli dei del della den der des di dos du el la las le los lo op 't ten ter van vom von zu "
    "zum zur".split()
)

_RARE_PARTICLES = frozenset({"av", "dal", "dalla", "lo"})  # which are not told from given names without a comma
_FIELD = re.compile(r"\b(family|given|prefix|suffix) ?= ?", re.IGNORECASE)
_NOT_SHORT = 4


def authors_of(text: str) -> tuple[str, ...]:
    """Return the names in a BibTeX field. It is cut up while the braces are there, for they tell what belongs together."""
    names: list[str] = []
    others = False
    for raw in _listed_names(" ".join(text[:_LONGEST_LIST].split())):
        part, cut = _ET_AL.subn("", raw[:_LONGEST_CODED].strip(" ,，~"))
        if part.casefold().strip("{} ") in _ET_AL_ALONE:
            part, cut = "", 1
        name = _name(part) if part else ""
        others = others or bool(cut) or (bool(name) and len(names) == MOST_NAMES)
        if name and len(names) < MOST_NAMES:
            names.append(name)
    return (*names, OTHERS) if others else tuple(names)


def tidy(text: str) -> tuple[str, ...]:
    """Return the names in text that is not LaTeX: one, or a list between semicolons."""
    found: list[str] = []
    for part in re.split(r"[;；]", untagged(" ".join(text[:_LONGEST_LIST].split()))):
        name, cut = _ET_AL.subn("", part[:_LONGEST_CODED].strip(" ,"))
        if name.casefold() in _ET_AL_ALONE:
            name, cut = "", 1
        found += [_in_small(name[:_LONGEST_NAME])] if name else []
        found += [OTHERS] if cut else []
    return tuple(found)


def joined(family: str, given: str, *, prefix: str = "", suffix: str = "") -> str:
    """Return a name whose parts are known."""
    link = "" if prefix.endswith(("'", "’")) else " "
    family = " ".join(f"{prefix}{link}{family}".split())[:_LONGEST_NAME]
    if not family or not given.strip():
        return body(family or given)
    parts = (family, suffix, given)
    return _in_small(", ".join(" ".join(part.split())[:_LONGEST_NAME] for part in parts if part.strip()))


def body(name: str) -> str:
    """Return the name of somebody or something that has one name only. Where names have no spaces their letters tell what it is."""
    name = " ".join(name.split())[:_LONGEST_NAME]
    if name.casefold() in _ET_AL_ALONE:
        return OTHERS
    tells = not name or (_NATIVE.search(name) and not _LATIN.search(name) and not re.search(r"[\s,，]", name))
    return name if tells else f"{{{name.strip('{}')}}}"


def _listed_names(text: str) -> list[str]:
    """Cut a list at its `and`s; where it has none, at what people put between names instead."""
    for sign in (_AND, r"[;；]", r"、"):
        parts = _cut(text, sign)
        if len(parts) > 1:
            return parts
    parts = _cut(text, r" \\?& ")
    if len(parts) > 1 and "," in parts[-1]:  # a company may have such a sign in its name, but then no comma
        return [name for part in parts for name in _between_commas(part)]
    return _between_commas(text)


def _between_commas(text: str) -> list[str]:
    """Tell a list between commas from one name that has commas."""
    parts = [part.strip() for part in _cut(text, _COMMA)]
    if len(parts) >= 4 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        return [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    if len(parts) >= 3 and (all(" " in part for part in parts) or all(map(_is_native_name, parts))):
        return parts
    two_people = (
        len(parts) == 2 and "，" in text and all(_is_native_name(part) and part[0] in _FAMILIES for part in parts)
    )
    return parts if two_people else [text]


def _is_native_name(part: str) -> bool:
    return bool(_HAN.fullmatch(part)) and 2 <= len(part) <= 4 and part not in _DOUBLE_FAMILIES


def _cut(text: str, sign: str) -> list[str]:
    """Split at a pattern, outside of braces."""
    if "{" not in text:
        return re.split(sign, text)
    parts: list[str] = []
    start = depth = 0
    for mark in re.finditer(rf"\\[{{}}]|[{{}}]|{sign}", text):
        if mark[0] in {"{", "}"}:
            depth = max(0, depth + (1 if mark[0] == "{" else -1))
        elif depth == 0 and mark[0][0] != "\\":
            parts.append(text[start : mark.start()])
            start = mark.end()
    return [*parts, text[start:]]


def _name(raw: str) -> str:
    if _is_one_group(raw):
        return body(decode_latex(raw))
    if "=" in raw and (known := dict(_known(raw))).get("family"):
        return joined(
            known["family"], known.get("given", ""), prefix=known.get("prefix", ""), suffix=known.get("suffix", "")
        )
    parts = [name for part in _cut(raw, _COMMA) if (name := decode_latex(part)[:_LONGEST_NAME])]
    if len(parts) > 1:
        return _in_small(", ".join(parts))
    return _in_order(raw) if parts else ""


def _known(raw: str) -> list[tuple[str, str]]:
    """Return the parts of a name that BibLaTeX has in the form `family=Müller, given=Hans`."""
    pieces = _FIELD.split(raw)
    return [
        (field.casefold(), decode_latex(value).strip(' ,"'))
        for field, value in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


def _is_one_group(raw: str) -> bool:
    """Tell that one pair of braces holds all of it, and that they are not those around a letter with an accent."""
    if not (raw.startswith("{") and raw.endswith("}")) or (raw.startswith("{\\") and len(raw.split()) == 1):
        return False
    depth = 0
    for mark in re.finditer(r"[{}]", raw):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0 and mark.end() < len(raw):
            return False
    return True


def _in_order(raw: str) -> str:
    """Return a name without commas, with one where it could not be told from the words alone which of them are the family name."""
    groups = _cut(raw, r"[ ~]")
    words = [word for group in groups if (word := decode_latex(group))]
    name = " ".join(words)[:_LONGEST_NAME]
    if len(words) < 2:
        return name
    if len(words) == 2 and all(map(_HAN.fullmatch, words)):
        given_first = len(words[1]) == 1 and len(words[0]) == 2 and words[0] not in _DOUBLE_FAMILIES
        return f"{words[1]}, {words[0]}" if given_first else name
    if words[0] in _PARTICLES:
        return body(name)
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    begin = len(words) - 1
    if "y" in words[2:-1]:  # José Ortega y Gasset
        begin = words.index("y", 2) - 1
        return joined(" ".join(words[begin:]), " ".join(words[:begin]), suffix=suffix)
    if any(" " in word for word in words) or any(word in _RARE_PARTICLES for word in words[1:-1]):
        begin = next((place for place in range(1, begin) if words[place] in _PARTICLES), begin)
        return joined(" ".join(words[begin:]), " ".join(words[:begin]), suffix=suffix)
    return _in_small(name)


def _in_small(name: str) -> str:
    """Return the name without the capitals of whole words that some catalogues write. Short words may be initials."""
    family, comma, rest = name.partition(",")
    if comma and _is_shouted(family):
        family = " ".join(_capital(word) for word in family.split())
        words = rest.split(" ")
        rest = " ".join(_capital(word) if len(word) >= _NOT_SHORT and _is_shouted(word) else word for word in words)
        return f"{family},{rest}"
    if not comma and " " in name and name.isupper():
        return " ".join(
            _capital(word) if len(word) >= _NOT_SHORT and "." not in word else word for word in name.split()
        )
    return name


def _is_shouted(word: str) -> bool:
    return word.isupper() and "." not in word and sum(map(str.isalpha, word)) > 1


def _capital(word: str) -> str:
    if word.casefold() in _PARTICLES:
        return word.casefold()
    small = _WORD.sub(lambda found: found[0].capitalize(), word)
    return re.sub(r"^Mc([a-z])(?=[a-z]{2})", lambda found: f"Mc{found[1].upper()}", small)


# -- files

_MOST_FILES = 50
_LONGEST = 4_000
_LONGEST_FIELD = 200_000
_PATH_FIELDS = ("file", "pdf", "localfile", "local-url")
_BIBDESK = re.compile(r"bdsk-file-\d+")
_LATEX_SIGN = re.compile(r"\{\\([_&%#$~^])(?:\{\})?\}|\\([_&%#$])|\{\\textasciitilde\}|\\textasciitilde\{\}")
_ESCAPE_OR_BORDER = re.compile(r"\\([\\:;])|([:;])")
_RAW_WINDOWS = re.compile(r"(?:^|[:;])(?:[A-Za-z]:\\(?!\\)|\\\\(?!\\))[^:;]*")  # backslashes that nobody escaped
_RAW_DRIVE = re.compile(r"[A-Za-z]:\\(?![\\:;])")
_LATEX_LETTER = re.compile(r"\\[\"'`^=.A-Za-z]")
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+|[A-Za-z0-9+ -]{0,12}")
_LONE_DRIVE = re.compile(r"[A-Za-z]")
_DRIVE = re.compile(r"^/?[A-Za-z]:(?=[\\/])")
_SCHEME = re.compile(r"^(?:file:(?://(?:localhost)?(?=/))?|internal-pdf://)", re.IGNORECASE)
_WEB = re.compile(r"^(?:https?|ftp|doi|zotero)(?::|$)", re.IGNORECASE)


def files_of(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths in the fields of an entry, each as its program wrote it."""
    found: list[str] = []
    for name in _PATH_FIELDS:
        if value := fields.get(name, "")[:_LONGEST_FIELD]:
            found += islice(_listed_files(value), _MOST_FILES)
    for name, value in fields.items():
        if _BIBDESK.fullmatch(name):
            found += _bookmarked(value)
    paths = (plain_path(path) for path in found)
    return tuple(dict.fromkeys(path for path in paths if path))[:_MOST_FILES]


def plain_path(path: str) -> str:
    """Return a path with forward slashes, without a drive or scheme in front; '' for an address on the web."""
    path = path.strip().strip('"')[:_LONGEST]
    if _WEB.match(path):
        return ""
    shorter = _SCHEME.sub("", path)
    path = unquote(shorter) if shorter != path and "%" in shorter else shorter
    return _DRIVE.sub("", path).replace("\\", "/")


def _listed_files(value: str) -> Iterator[str]:
    """Yield the path of each item. Items stand between semicolons, and are a path, or a description, a path and a type between colons."""
    value = value.replace(r"$\backslash$", "\\").replace(r"\textbackslash{}", "\\").replace(r"{\textbackslash}", "\\")
    if _RAW_WINDOWS.match(value) or (_RAW_DRIVE.search(value) and r"\\" not in value):
        value = value.replace("\\", "/")
    else:
        value = _LATEX_SIGN.sub(lambda found: found[1] or found[2] or "~", value)
        value = accented(value) if _LATEX_LETTER.search(value) else value
    for parts in _items(value.replace("{", "").replace("}", "")):
        if path := _path(parts):
            yield path


def _items(value: str) -> Iterator[list[str]]:
    """Yield the parts of each item, without the backslashes that keep colons and semicolons from being borders."""
    parts, begin = [""], 0
    for mark in _ESCAPE_OR_BORDER.finditer(value):
        parts[-1] += value[begin : mark.start()] + (mark[1] or "")
        begin = mark.end()
        if mark[2] == ":":
            parts.append("")
        elif mark[2] == ";":
            yield parts
            parts = [""]
    parts[-1] += value[begin:]
    yield parts


def _path(parts: list[str]) -> str:
    is_name = len(parts) == 2 and parts[1].startswith(" ")  # "Title: subtitle.pdf"
    parts = [":".join(parts)] if is_name else _with_drives([part.strip() for part in parts])
    if len(parts) == 1:
        return parts[0]
    typed = bool(_TYPE.fullmatch(parts[-1])) and (len(parts) > 2 or "." not in parts[-1])
    if len(parts) == 2:
        first, last = parts
        return first if typed and first else last
    middle = parts[1:-1] if typed else parts[1:]
    return ":".join(middle) if any(middle) else parts[0]


def _with_drives(parts: list[str]) -> list[str]:
    """Put `C` and `/Users/...` together again, and the `file` and `http` of an address with what follows it."""
    joined: list[str] = []
    for part in parts:
        before = joined[-1] if joined else ""
        is_drive = bool(_LONE_DRIVE.fullmatch(before)) and part.startswith(("/", "\\"))
        if is_drive or (before.casefold() in {"http", "https", "file", "ftp", "internal-pdf"} and part.startswith("/")):
            joined[-1] = f"{before}:{part}"
        else:
            joined.append(part)
    return joined


def _bookmarked(value: str) -> Iterator[str]:
    """Yield the relative path in what BibDesk keeps: a property list, in base64, perhaps as an archive of objects."""
    try:
        content = base64.b64decode("".join(value.split())[:_LONGEST_FIELD], validate=True)
        known: Any = plistlib.loads(content, fmt=plistlib.FMT_BINARY)
    except (plistlib.InvalidFileException, binascii.Error, ValueError, OverflowError, RecursionError, MemoryError):
        return
    if not isinstance(known, dict):
        return
    fields = cast("dict[str, Any]", known)
    path: Any = fields.get("relativePath")
    if isinstance(path, str):
        yield path
    objects: Any = fields.get("$objects")
    for item in cast("list[Any]", objects) if isinstance(objects, list) else []:
        if isinstance(item, str) and "/" in item + "/" and re.search(r"\.\w{2,5}$", item) and not item.startswith("$"):
            yield item


# -- the record

_LONGEST_TITLE = 2_000
LONGEST_ABSTRACT = 50_000
_LONGEST_VALUE = 2_000
_LONGEST_NOTE = 300
_LONGEST_KEY = 100
_MOST_FIELDS = 100
_MOST_KEYWORDS = 100
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_DOI_ADDRESS = re.compile(r"doi\.org/+(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Za-z]{2})?/\d{7})(?:v\d{1,3})?"
_ARXIV = re.compile(rf"(?:arxiv\s*:\s*|arxiv\.org/(?:abs|pdf|html)/|10\.48550/arxiv\.){_ARXIV_ID}(?!\d)", re.IGNORECASE)
_ARXIV_FIELDS = ("eprint", "number", "doi", "url", "howpublished", "journal", "pages")
_PAGES = re.compile(r"\s*(?:-{1,3}|[–—−])\s*")
_UNTYPED = re.compile(r"[^\w.:+/-]+")
_WORD_OF_KEY = re.compile(r"[^\W_]+")
_DROPPED = frozenset(
    "__markedentry abstract annotation annote attachments author authors bibsource biburl collection comment comments creationdate "
    "crossref date date-added date-modified doi entryset execute extra file groups hyphenation id ids key keyword keywords kind label "
    "langid language local-url localfile mendeley-groups mendeley-tags modificationdate nameaddon options origin owner pdf presort "
    "printed priority qualityassured ranking rating read readstatus relevance review shorthand sortkey sortname sorttitle source "
    "subtitle timestamp title titleaddon urldate xdata year".split()
)

_DROPPED_PREFIX = re.compile(r"(?:bdsk-|creator-|__|x-|jabref-|zotero-)|.*\+an$")
_SHORT = frozenset({"note", "addendum", "howpublished"})
_LANGUAGES = {
    "english": "en", "american": "en", "british": "en", "usenglish": "en", "ukenglish": "en", "australian": "en", "canadian": "en",
    "german": "de", "ngerman": "de", "austrian": "de", "naustrian": "de", "deutsch": "de", "french": "fr", "français": "fr",
    "francais": "fr", "spanish": "es", "español": "es", "italian": "it", "portuguese": "pt", "brazilian": "pt", "brazil": "pt",
    "dutch": "nl", "russian": "ru", "chinese": "zh", "中文": "zh", "chi": "zh", "zho": "zh", "japanese": "ja", "日本語": "ja",
    "jpn": "ja", "korean": "ko", "kor": "ko", "eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es",
    "ita": "it", "por": "pt", "rus": "ru", "polish": "pl", "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi",
    "czech": "cs", "turkish": "tr", "greek": "el", "arabic": "ar",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An entry without its format: plain text in fields that have BibTeX's names. Long values are cut here, not before."""

    key: str
    line: int
    kind: str
    fields: Mapping[str, str]
    authors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    abstract: str = ""
    files: tuple[str, ...] = ()
    custom: Mapping[str, Value] = field(default_factory=dict[str, Value])  # what the format has no field for
    keyless: bool = False  # its format has no keys, so that none is missing


@dataclass(slots=True, kw_only=True)
class BibliographyEntries:
    """Turns the records of one file into entries, and sees to it that keys and ids are unique in it."""

    origin: str
    lines: dict[str, int] = field(default_factory=dict[str, int])  # by key
    ids: set[str] = field(default_factory=set[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])  # the last one given behind a key or id

    def enter(self, record: Record) -> Iterator[BibEntry | Problem]:
        """Yield the entry, if it can be used, after what is wrong with it."""
        title = _title(record.fields)
        if not title and not record.authors and not record.fields.get("doi"):
            yield self.problem(
                record.line,
                f"{_named(record)} has neither a title nor authors; it is not used",
                "complete it, or take it out",
            )
            return
        key = record.key or self._made(record, title)
        if key in self.lines:
            yield self.problem(
                record.line,
                f"the key {key!r} is taken by the entry in line {self.lines[key]}; the one in line {record.line} is not used",
                "give one of them another key, or take out the one that is not needed",
            )
            return
        self.lines[key] = record.line
        if not record.key and not record.keyless:
            yield self.problem(record.line, f"the entry has no key; it is used as {key!r}", "give it a key")
        if not title:
            yield self.problem(record.line, f"{_named(record)} has no title; it is used without one", "add the title")
        for name, value, longest in (("title", title, _LONGEST_TITLE), ("abstract", record.abstract, LONGEST_ABSTRACT)):
            if len(value) > longest:
                reason = f"the {name} of {_named(record)} is too long; its first {longest:,} characters are used"
                yield self.problem(record.line, reason, "see whether a brace is missing")
        if len(record.authors) > MOST_NAMES or any(len(name) >= _LONGEST_NAME for name in record.authors):
            reason = f"{_named(record)} has more than {MOST_NAMES:,} authors, or names of {_LONGEST_NAME} characters; the rest is cut off"
            yield self.problem(record.line, reason, "see whether an 'and' or a brace is missing")
        yield self._entry(record, title[:_LONGEST_TITLE], key)

    def problem(self, line: int, reason: str, advice: str) -> Problem:
        """Return a problem of an entry; the rest of the file is used."""
        return Problem(where=f"{self.origin}, line {line}", reason=clean(reason), advice=advice, lasting=True)

    def _entry(self, record: Record, title: str, key: str) -> BibEntry:
        fields = record.fields
        document = Document(
            id=self._id(key),
            title=clean(title),
            authors=tuple(map(clean, record.authors)),
            year=_year_of(fields),
            origin=self.origin,
            language=_language(fields),
            kind=clean(record.kind)[:40],
            metadata=_metadata(record),
        )
        abstract = clean(record.abstract[:LONGEST_ABSTRACT])
        return BibEntry(
            key=clean(key),
            line=record.line,
            document=document,
            abstract=abstract,
            files=tuple(map(clean, record.files)),
        )

    def _made(self, record: Record, title: str) -> str:
        """Return a key for an entry without one, such as devlin2019bert."""
        family = record.authors[0].strip("{}") if record.authors else ""
        family = family.partition(",")[0] if "," in family else family.rpartition(" ")[2]
        words = (
            [word for word in _WORD_OF_KEY.findall(_folded(title)) if len(word) > 3]
            or _WORD_OF_KEY.findall(_folded(title))
            or [""]
        )
        base = (
            "".join((*_WORD_OF_KEY.findall(_folded(family)), str(_year_of(record.fields) or ""), words[0]))[
                :_LONGEST_KEY
            ]
            or "entry"
        )
        return self._free(base, self.lines)

    def _id(self, key: str) -> str:
        plain = _UNTYPED.sub("-", storable(clean(key))).strip("-")
        if not plain or len(plain) > _LONGEST_KEY:
            digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]
            plain = f"{plain[: _LONGEST_KEY - 9]}-{digest}".lstrip("-")
        found = self._free(plain, self.ids)
        self.ids.add(found)
        return found

    def _free(self, base: str, taken: Container[str]) -> str:
        free, number = base, self.numbers.get(base, 1)  # thousands may have the same base
        while free in taken:
            number += 1
            free = f"{base}-{number}"
        self.numbers[base] = number
        return free


def _year_of(fields: Mapping[str, str]) -> int | None:
    """Return the year of "2019-05-03", "2019a", "c. 1998", "2019/2020" (the first); of "[1984] 2003" the one that is not set apart."""
    for name in ("year", "date", "issued"):
        text = unicodedata.normalize("NFKC", fields.get(name, "")[:_LONGEST_VALUE])
        found = _YEAR.search(_BRACKETS.sub(" ", text)) or _YEAR.search(text)
        if found:
            return int(found[0])
    return None


def _plain_doi(text: str) -> str:
    """Return a DOI without what stands before it in addresses."""
    text = unquote(text) if "%" in text else text
    found = _DOI.search("".join(text.split()))
    return found[0].rstrip(".,;") if found else ""


def keywords_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return keywords from lists between semicolons, or else commas."""
    found = (
        word.strip() for text in texts for word in re.split(r"[;；]" if re.search("[;；]", text) else r"[,，、]", text)
    )
    return tuple(islice(dict.fromkeys(clean(word)[:_LONGEST_VALUE] for word in found if word), _MOST_KEYWORDS))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()


def _named(record: Record) -> str:
    return f"entry {record.key[:_LONGEST_TITLE]!r}" if record.key else "the entry"


def _title(fields: Mapping[str, str]) -> str:
    title = fields.get("title") or fields.get("shorttitle") or fields.get("booktitle") or fields.get("maintitle") or ""
    subtitle = fields.get("subtitle", "")
    if subtitle and title and subtitle.casefold() not in title.casefold():
        return f"{title}{'' if title.endswith(('?', '!', ':', '.')) else ':'} {subtitle}"
    return title


def _language(fields: Mapping[str, str]) -> str:
    stated = (fields.get("language") or fields.get("langid") or fields.get("hyphenation") or "").casefold().strip()
    short = re.split(r"[-_ ,;]", stated)[0]
    return _LANGUAGES.get(stated) or _LANGUAGES.get(short) or (short if re.fullmatch("[a-z]{2}", short) else "")


def _metadata(record: Record) -> dict[str, Value]:
    fields = dict(record.fields)
    doi = _plain_doi(fields.get("doi", "")) or _in_address(fields)
    arxiv = _arxiv(fields)
    if arxiv and not _is_other_archive(fields):
        fields |= {"eprint": arxiv, "archiveprefix": "arXiv"}
        said_again = {
            "number": _ARXIV.search(fields.get("number", "")),
            "publisher": fields.get("publisher", "").casefold() == "arxiv",
        }
        fields |= {name: "" for name, said in said_again.items() if said}
    found: dict[str, Value] = {"doi": doi} if doi else {}
    if (stated := fields.get("year", "")) and _year_of(record.fields) is None:
        found["pubstate"] = clean(stated)[:_LONGEST_NOTE]  # "in press"
    if fields.get("type"):
        found["entrytype"] = record.kind  # which `type` ("PhD thesis") would hide
    for name, value in fields.items():
        if value and name not in found and not is_dropped(name):
            found[clean(name)[:_LONGEST_KEY]] = _value(name, value)
    if record.keywords:
        found["keywords"] = record.keywords
    for name, value in record.custom.items():
        if not is_dropped(name):
            kept = tuple(clean(str(item)) for item in value) if isinstance(value, tuple) else clean(str(value))
            found.setdefault(name, kept)
    return dict(islice(found.items(), _MOST_FIELDS))


def is_dropped(name: str) -> bool:
    """Tell that a field is no metadata: it has a place of its own, or is for the program that wrote it."""
    return name in _DROPPED or bool(_DROPPED_PREFIX.match(name))


def _value(name: str, value: str) -> str:
    value = clean(value)
    if name == "pages":
        return _PAGES.sub("–", value)[:_LONGEST_VALUE]
    return value[: _LONGEST_NOTE if name in _SHORT else _LONGEST_VALUE]


def _in_address(fields: Mapping[str, str]) -> str:
    found = _DOI_ADDRESS.search(unquote(fields.get("url", "")) + " " + fields.get("note", ""))
    return found[1].rstrip(".,;") if found else ""


def _arxiv(fields: Mapping[str, str]) -> str:
    """Return the arXiv id that one of the fields states."""
    stated = re.fullmatch(rf"(?:arxiv\s*:\s*)?{_ARXIV_ID}", fields.get("eprint", "").strip(), re.IGNORECASE)
    if stated:
        return stated[0].split(":")[-1].strip()
    found = [_ARXIV.search(fields.get(name, "")) for name in _ARXIV_FIELDS]
    found.append(_ARXIV.match(fields.get("note", "")))  # further on it may speak of another work
    return next((match[1] for match in found if match), "")


def _is_other_archive(fields: Mapping[str, str]) -> bool:
    return bool(fields.get("eprint")) and fields.get("archiveprefix", "arxiv").casefold() not in {"arxiv", ""}
