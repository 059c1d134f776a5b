"""When two documents, or a reference and a document, are the same work. Pure: any store can use it."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from scholarmind.model import Document, Reference
from scholarmind.text.language import lazy_regex

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
