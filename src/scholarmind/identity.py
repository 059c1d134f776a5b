"""What a work is known by: the keys that two documents of one work share, its names, as texts have them, and its item in Zotero. Pure."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from scholarmind.model import Document, Reference
from scholarmind.text.analysis import STOP_WORDS, fold
from scholarmind.text.dates import dates
from scholarmind.text.language import lazy_regex

# -- when two documents, or a reference and a document, are the same work

# older DOIs have signs in angle brackets, which tell the articles of one issue apart; a lone bracket is what stands around a DOI
_DOI = lazy_regex(r"10\.\d{4,9}/(?:<[^\s\"<>]*>|[^\s\"<>，。；、）】》])+", re.IGNORECASE)
_BEHIND_DOI = lazy_regex(  # where it is part of an address
    r"(?:/(?:full|fulltext|abstract|summary|e?pdf|html|meta)|\.pdf)?(?:[?#].*)?$"
)
_SIGNS = ".,;:'’”}]"
_NUMBER = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"  # year and month, then a count
_OLD_NUMBER = r"(?:[a-z]{1,7}-[a-z]{2,4}|[a-z]{2,7})(?:\.[a-z]{2})?/\d{7}"
_ARXIV = lazy_regex(
    rf"(?<![\d.])({_NUMBER})(?:v\d{{1,3}})?(?!\d)|(?<![a-z-])({_OLD_NUMBER})(?:v\d{{1,3}})?(?!\d)", re.IGNORECASE
)
_PLACES_OF_ARXIV = ("journal", "journaltitle", "note", "howpublished", "publisher", "number", "series")
_ARXIV_DOI = lazy_regex(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_CLASS = lazy_regex(r"\.[a-z]{2}(?=/)")  # math.GT/0309136 is math/0309136
_LONGER_COUNTS = 1501  # from January 2015 a number has five digits behind the point
_SHORTEST = (
    12  # letters of a title that names one work by itself; a character of Chinese or Japanese says as much as two
)
_NATIVE = "\u2e80"
_NO_TITLES = frozenset(
    "introduction acknowledgements acknowledgments acknowledgement bibliography tableofcontents supplementarymaterial listoffigures "
    "supplementarymaterials supplementaryinformation supportinginformation untitleddocument microsoftworddocument executivesummary "
    "frontmatter backmatter lettertotheeditor letterstotheeditor editorialboard copyrightpage theeditorsnote fromtheeditor "
    "annualreport technicalreport conferencepaper researchpaper researcharticle originalarticle originalresearch reviewarticle "
    "journalarticle powerpointpresentation microsoftpowerpoint unknowntitle".split()
)


def keys_of(document: Document) -> Iterator[str]:
    """Yield what identifies a document: its DOI, its arXiv id, its title where that is long enough to be its own."""
    url = f"{_told(document, 'url')} {document.source}"
    preprint = url if "arxiv" in url.casefold() else ""
    yield from keys(
        doi=_told(document, "doi") or url,
        arxiv=f"{_told(document, 'arxiv')} {_told(document, 'eprint')} {preprint} {_in_place_of_journal(document)}",
        title=document.title,
    )


def _in_place_of_journal(document: Document) -> str:
    """Return the arXiv id that many bibliographies have where a journal would stand; DBLP has CoRR, volume abs/1810.04805."""
    told = [_told(document, name) for name in _PLACES_OF_ARXIV]
    volume = _told(document, "volume") if any(text.casefold().strip() == "corr" for text in told[:2]) else ""
    return " ".join((*(text for text in told if "arxiv" in text.casefold()), volume))


def keys_of_reference(reference: Reference) -> Iterator[str]:
    """Yield what identifies the work that a reference names."""
    yield from keys(doi=reference.doi, arxiv=reference.arxiv, title=reference.title)


def keys(*, doi: str, arxiv: str, title: str) -> Iterator[str]:
    """Yield the keys of a work; two works that share one are the same."""
    plain = _plain_doi(doi)
    preprint = _ARXIV_DOI.fullmatch(plain)
    if plain and not preprint:
        yield f"doi:{plain}"
    number = _ARXIV.search(preprint[1] if preprint else arxiv)
    if number:
        yield f"arxiv:{_CLASS.sub('', (number[1] or number[2]).casefold())}"
    letters = letters_of(title)
    natives = 0 if letters.isascii() else sum(letter >= _NATIVE for letter in letters)
    if len(letters) + natives >= _SHORTEST and letters not in _NO_TITLES:
        yield f"title:{letters}"


def letters_of(title: str) -> str:
    """Return the letters and digits of a title, without case, accents, spaces and signs: what a line break cannot change."""
    folded = unicodedata.normalize("NFKD", title).casefold()
    return "".join(character for character in folded if character.isalnum())


def headings_below(title: str, section: Sequence[str]) -> tuple[str, ...]:
    """Return the headings down to a place as they stand beside the title of the document: without a first one that only says it again."""
    says_it_again = bool(section) and letters_of(section[0]) == letters_of(title)
    return tuple(section[1:] if says_it_again else section)


def _plain_doi(text: str) -> str:
    """Return the DOI in a text as it is compared, or ''."""
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    found = _DOI.search(text)
    if found is None:
        return ""
    doi = _BEHIND_DOI.sub("", found[0].casefold().rstrip(_SIGNS)).rstrip(_SIGNS)
    while doi.endswith(")") and doi.count(")") > doi.count("("):  # the bracket that it stands in
        doi = doi[:-1].rstrip(_SIGNS)
    return doi


def _told(document: Document, name: str) -> str:
    """Return what the metadata says as text. YAML takes an arXiv number for one with a fraction, and loses zeros at its end."""
    value = document.metadata.get(name, "")
    if isinstance(value, float):
        return f"{value:.{5 if value >= _LONGER_COUNTS else 4}f}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# -- the names that a document goes by, and where such names may stand in a text

_LETTER = r"[^\W_\u3400-\u9fff\uf900-\ufaff]"
_TOKEN = lazy_regex(  # an accent may be a character of its own
    rf"[\u3400-\u9fff\uf900-\ufaff]|{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*)*(?:\+\+|#(?!\w))?"
)
_APOSTROPHE_S = lazy_regex(rf"(?<=[\w”»」』》)\"])['’]s(?!{_LETTER})", re.IGNORECASE)
KEY_TOKENS = 6
TITLES = ("title", "aliases", "alias")  # the fields in which a document says what it is called
IDENTIFIERS = ("arxiv", "doi")
_LONGEST = 120  # characters of a name
_LONGEST_VALUE = 60  # characters of a name from any other field
_NOT_NAMES = frozenset(
    "language lang kind type url doi arxiv isbn issn id date created published year pages page volume number month file path origin hash"
    " abstract keywords category domain note results".split()
)
_COMPANY = lazy_regex(
    r"(?<![\s,])[\s,]+(?:inc|ltd|llc|corp|corporation|co|company|limited|plc|gmbh|group)\.?$", re.IGNORECASE
)
_COMPANY_HAN = lazy_regex(r"(?:股份)?(?:有限)?(?:责任)?公司$|集团$")
_BRACKET = lazy_regex(r"[(（][^()（）]*[)）]\s*$")
_HEAD = lazy_regex(r"^([^:：|–—]{2,40}?)\s*(?:[:：|–—]|\s-\s)")
_PLAIN_WORD = lazy_regex(r"[a-z]+")


class TextToken(NamedTuple):  # long texts have many: a dataclass takes three times as long to make
    """A token of a text, and where it stands."""

    text: str
    start: int
    end: int
    capital: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """A name as it is filed: the key it is looked up by, all of its tokens, its field, and the value that it is a form of."""

    key: str
    tokens: str
    field: str
    value: str


def tokens(text: str) -> list[TextToken]:
    """Return the tokens of a text; the `'s` of a possessive is not one."""
    plain = _APOSTROPHE_S.sub(lambda match: " " * len(match[0]), text)
    if plain.isascii():
        found = ((match[0], *match.span()) for match in _TOKEN.finditer(plain))
        return [TextToken(word.lower(), start, end, not word[0].islower()) for word, start, end in found]
    return [
        TextToken(word, match.start(), match.end(), not match[0][0].islower())
        for match in _TOKEN.finditer(plain)
        for word in _folded(match[0])
    ]


def names_of(document: Document) -> Iterator[Filed]:
    """Yield every name of a document: its title, authors, source, date, identifiers and name-like metadata, with their short forms."""
    yield from _date_of(document)
    yield from _identifiers_of(document)
    seen: set[tuple[str, str]] = set()
    for field, value in _values(document):
        for form in _forms(field, value):
            parts = [token.text for token in tokens(form)]
            spelled = " ".join(parts)
            if _is_name(parts, form) and (field, spelled) not in seen:
                seen.add((field, spelled))
                yield Filed(" ".join(parts[:KEY_TOKENS]), spelled, field, value)


def short_name(document: Document) -> str:
    """Return what a document is called for short: its first alias, the head of its title, or the title."""
    for field in ("aliases", "alias"):
        value = document.metadata.get(field)
        first = value[0] if isinstance(value, tuple) and value else value
        if isinstance(first, str) and first.strip():
            return first.strip()
    bare = _BRACKET.sub("", document.title).strip()
    head = _HEAD.match(bare)
    return (head[1] if head else bare).strip() or document.id


def keys_in(found: Sequence[TextToken], *, capitals: bool = False) -> dict[str, list[int]]:
    """Return every key that the text could hold, and at which tokens; with `capitals` only where a name would begin in English."""
    keys: dict[str, list[int]] = {}
    words = [token.text for token in found]
    for place, token in enumerate(found):
        if capitals and not token.capital:
            continue
        for length in range(1, KEY_TOKENS + 1):
            if place + length <= len(words):
                keys.setdefault(" ".join(words[place : place + length]), []).append(place)
    return keys


def end_of(found: Sequence[TextToken], place: int, name: str) -> int | None:
    """Return the token after the name, if the whole of it stands at this token."""
    parts = name.split(" ")
    here = [token.text for token in found[place : place + len(parts)]]
    return place + len(parts) if here == parts else None


def is_written_as_name(found: Sequence[TextToken], place: int, end: int) -> bool:
    """Tell whether these tokens look like a name here: a single plain English word does only with a capital."""
    if end - place > 1:
        return True
    token = found[place]
    return token.capital or not _PLAIN_WORD.fullmatch(token.text)


def _folded(word: str) -> Sequence[str]:
    """Folding may take a sign apart: ½ is 1 and 2."""
    return (word.lower(),) if word.isascii() else _TOKEN.findall(fold(word))


def _date_of(document: Document) -> Iterator[Filed]:
    """A day is asked for in full, by its month and year, or without the year."""
    value = document.metadata.get("date") or document.metadata.get("published")
    for date in islice(dates(str(value or "")), 1):
        for form in {date.spelled, date.spelled[:7], date.spelled[5:]}:
            if " " in form:
                yield Filed(form, form, "date", form)


def _identifiers_of(document: Document) -> Iterator[Filed]:
    """A paper is asked for by its arXiv id or its DOI, too."""
    for field, _, value in (key.partition(":") for key in keys_of(document)):
        if field in IDENTIFIERS and (parts := [token.text for token in tokens(value)]):
            yield Filed(" ".join(parts[:KEY_TOKENS]), " ".join(parts), field, value)


def _values(document: Document) -> Iterator[tuple[str, str]]:
    yield "title", document.title
    for author in document.authors:
        yield "author", author
    yield "source", document.source
    for field, value in document.metadata.items():
        if field.lower() in _NOT_NAMES:
            continue
        for single in value if isinstance(value, tuple) else (value,):
            if not isinstance(single, str) or len(single) > _LONGEST_VALUE:
                continue
            if field in TITLES or not single.islower():  # word2vec is an alias, machine learning a keyword
                yield field, single


def _forms(field: str, value: str) -> Iterator[str]:
    """Yield the name in full and in the shorter forms that people use."""
    yield value
    bare = _BRACKET.sub("", value).strip()
    yield bare
    if field == "author":
        return
    if head := _HEAD.match(bare):
        yield head[1]
    yield _COMPANY.sub("", bare)
    yield _COMPANY_HAN.sub("", bare)


@lru_cache(maxsize=4096)
def _common(word: str) -> bool:
    return word in STOP_WORDS or len(word) < 2


def _is_name(parts: Sequence[str], form: str) -> bool:
    """Leave out what is no name: nothing, a number, a stop word, a single Chinese character, a whole sentence."""
    if not parts or len(form) > _LONGEST or all(part.isdigit() for part in parts):
        return False
    if len(parts) == 1:
        return not _common(parts[0])
    return not all(part in STOP_WORDS for part in parts)


# -- links into Zotero, which `scholarmind zotero sync` takes over; any file may claim to have one, so what does not look exactly so is none

SELECT, OPEN_PDF = "zotero", "zotero_pdf"  # names of the fields
_LINK = re.compile(
    r"zotero://(?:select|open-pdf)/(?:library|groups/\d{1,12})/items/[A-Z0-9]{8}(?:\?page=\d{1,6}(?:&annotation=[A-Z0-9]{8})?)?"
)


def select_link(document: Document) -> str:
    """Return the link that shows the item in Zotero, or ''."""
    return _link_in(document, SELECT)


def page_link(document: Document, page: int | None) -> str:
    """Return the link that opens the PDF in Zotero, at the page if there is one, or ''."""
    link = _link_in(document, OPEN_PDF)
    return f"{link}?page={page}" if link and page and "?" not in link else link


def _link_in(document: Document, field: str) -> str:
    value = document.metadata.get(field)
    return value if isinstance(value, str) and _LINK.fullmatch(value) else ""
