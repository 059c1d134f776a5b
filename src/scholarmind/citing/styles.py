"""Lists of sources in three styles: APA (7th edition), GB/T 7714-2015 (numeric), and numeric in the manner of IEEE.

What a document does not say is left out. Titles and names are text, never markup: `markdown=True` escapes what they hold.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Literal, get_args

from scholarmind.citing.keys import assign, suffix
from scholarmind.citing.names import Person, plain
from scholarmind.citing.works import Form, Work, work_of
from scholarmind.errors import QueryError
from scholarmind.model import Document
from scholarmind.text.quoted import disarmed, unlinked

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
        _entry(document, style, number, letter=suffix(document, keys), markdown=markdown)
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
        work = _escaped(work)
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


def _escaped(work: Work) -> Work:
    texts = {
        field.name: markdown_text(value) if field.name == "title" else _inline(value)
        for field in fields(work)
        if isinstance(value := getattr(work, field.name), str) and field.name not in {"form", "year"}
    }
    authors = tuple(
        replace(author, family=markdown_text(author.family), given=_inline(author.given)) for author in work.authors
    )
    return replace(work, authors=authors, **texts)


def _apa(work: Work, _number: int, link: str) -> str:
    date = f"({work.year or 'n.d.'})"
    where = _apa_venue(work)
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


def _apa_venue(work: Work) -> str:
    volume = f"{work.volume}({work.number})" if work.number and work.volume else work.volume or work.number
    if work.form in {"conference", "chapter"} and work.venue:
        details = ", ".join(filter(None, (work.volume and f"Vol. {work.volume}", _pages(work))))
        venue = f"In {work.venue}" + (f" ({details})" if details else "")
    else:
        venue = ", ".join(filter(None, (work.venue, volume, _range(work.pages))))
    return _sentences(venue, work.publisher_or_institution, _arxiv(work))


def _gb7714(work: Work, number: int, link: str) -> str:
    link = "" if work.doi else link
    online = "/OL" if link else ""
    title = f"{work.title}[{_GB_CODES[work.form]}{online}]"
    within = f"{title}//{work.venue}" if work.form in {"conference", "chapter"} and work.venue else title
    lead = _stopped(_gb_authors(work))
    doi = f"DOI:{work.doi}" if work.doi else ""
    text = " ".join(filter(None, (lead, _stopped(within), _stopped(_gb_issue(work)), _stopped(doi), link)))
    return f"[{number}] {text}"


def _gb_authors(work: Work) -> str:
    names = [_gb_name(author) for author in work.authors[:3]]
    more = work.others or len(work.authors) > 3
    if more and names:
        names.append("等" if work.native else "et al")
    return ", ".join(names)


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
        _arxiv(work),
        work.year,
        f"doi: {work.doi}" if work.doi else "",
    )
    authors = _numeric_authors(work)
    where = ", ".join(filter(None, details))
    title = f'"{work.title}{"" if work.title.endswith(_ENDS) else "," if where else "."}"'
    text = " ".join(filter(None, (authors and f"{authors},", title, _stopped(where))))
    return f"[{number}] {text}{f' {link}' if link and not work.doi else ''}"


def _numeric_authors(work: Work) -> str:
    names = [_numeric_name(author) for author in work.authors]
    native = work.native
    if names and (work.others or len(names) > 6):
        shown = names if work.others and len(names) <= 6 else names[:1]
        return f"{', '.join(shown)}{'等' if native else ' et al.'}"
    if len(names) < 2 or native:
        return ", ".join(names)
    return " and ".join(names) if len(names) == 2 else f"{', '.join(names[:-1])}, and {names[-1]}"


def _numeric_name(author: Person) -> str:
    if author.native or not author.given:
        return author.full
    return " ".join(filter(None, (author.initials("."), author.family, author.suffix)))


def _arxiv(work: Work) -> str:
    return f"arXiv:{work.arxiv}" if work.arxiv and work.form == "preprint" else ""


def _pages(work: Work) -> str:
    if not work.pages:
        return ""
    return f"{'pp.' if re.search('[-–—,]', work.pages) else 'p.'} {_range(work.pages)}"


def _range(pages: str, dash: str = "–") -> str:
    return re.sub(r"[ ]?[-–—]{1,3}[ ]?", dash, pages)


def _stopped(text: str) -> str:
    return text if not text or text.endswith(_ENDS) else f"{text}."


def _sentences(*texts: str) -> str:
    return ". ".join(text.rstrip(".") for text in texts if text)


_WRITERS: Mapping[Style, Callable[[Work, int, str], str]] = {"apa": _apa, "gb7714": _gb7714, "numeric": _numeric}
