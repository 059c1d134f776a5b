"""A document as a work that can be listed: which form it has, where it came out, and where it can be found."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scholarmind.citing.names import Person, people, plain
from scholarmind.model import Document, Value

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
_UNSAFE = {ord(sign): f"%{ord(sign):02X}" for sign in ' <>"`\\{}|^[]'}
_LONGEST = 2_000


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
        doi=doi[1].rstrip(".,;").translate(_UNSAFE) if doi else "",
        arxiv=arxiv,
        url=fields["url"],
        **found,
    )


def _text(value: Value) -> str:
    single = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return plain(single[:_LONGEST])


def _arxiv(fields: Mapping[str, str], venue: str) -> str:
    eprint = fields.get("eprint", "") if fields.get("archiveprefix", "arxiv").casefold() == "arxiv" else ""
    stated = _ARXIV.fullmatch(fields.get("arxiv", "") or fields.get("arxiv_id", "") or eprint)
    found = stated or (_ARXIV.search(venue) if _ARXIV_VENUE.search(venue) else None)
    return found[1] if found else ""


def _url(text: str) -> str:
    return text.translate(_UNSAFE) if text.casefold().startswith(("http://", "https://")) else ""


def _form(document: Document, fields: Mapping[str, str], found: Mapping[str, str], arxiv: str) -> Form:
    stated = fields.get("entrytype", "") or fields.get("type", "") or document.kind
    form = _FORMS.get(stated.casefold().strip())
    if form is None or (form == "journal" and (not found["venue"] or _ARXIV_VENUE.search(found["venue"]))):
        return _guessed(fields, found, arxiv)
    return form


def _guessed(fields: Mapping[str, str], found: Mapping[str, str], arxiv: str) -> Form:
    venue = found["venue"]
    if venue and not _ARXIV_VENUE.search(venue):
        return _kind_of_venue(venue, fields)
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


def _kind_of_venue(venue: str, fields: Mapping[str, str]) -> Form:
    if "report" in venue.casefold() or "报告" in venue:
        return "report"
    if "booktitle" in fields or _MEETING.search(venue):
        return "conference"
    if "journal" in fields or _JOURNAL.search(venue) or venue.split(maxsplit=1)[0] in _JOURNAL_NAMES:
        return "journal"
    return "conference" if _ACRONYM.fullmatch(venue) else "journal"
