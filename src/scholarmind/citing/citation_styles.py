"""Citation keys and styles: what stands in brackets behind a sentence, and the entry of a work in a list of sources.

The same works always get the same keys, in whatever order they come. The lists are in APA (7th edition), GB/T 7714-2015 (numeric), or
numeric in the manner of IEEE; what a document does not say is left out. Titles and names are text, never markup: `markdown=True` escapes
what they hold. BibTeX is in `bibtex_export`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Literal, get_args

from scholarmind.citing.cited_works import Form, Person, Work, people, plain, work_of
from scholarmind.errors import QueryError
from scholarmind.model import Document
from scholarmind.text.language import lazy_regex
from scholarmind.text.untrusted import NO_BRACKETS, disarmed, unlinked

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
    where = _sentences(venue, work.publisher_or_institution, _arxiv(work))
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
