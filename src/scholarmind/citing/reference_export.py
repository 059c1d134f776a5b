"""Cited works as RIS and as CSL-JSON, for programs that keep or set references; BibTeX is in `bibtex_export`.

Both take the keys of `entry_keys`, so that a citation in a text and an entry in any of the three files are the same work.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scholarmind.citing.bibtex_export import entry_keys
from scholarmind.citing.citation_styles import Place
from scholarmind.citing.cited_works import Form, Person, Work, work_of
from scholarmind.model import Document

_RIS_TYPES: Mapping[Form, str] = {
    "journal": "JOUR",
    "conference": "CPAPER",
    "preprint": "UNPB",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "web": "ELEC",
    "other": "GEN",
}

_CSL_TYPES: Mapping[Form, str] = {
    "journal": "article-journal",
    "conference": "paper-conference",
    "preprint": "article",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "web": "webpage",
    "other": "document",
}

_PAGES = re.compile(r"\s*[-–—]{1,3}\s*")


def ris(documents: Sequence[Document], own: Mapping[Place, str]) -> str:
    """Return one RIS record for each work, in the order given."""
    keys = entry_keys(documents, own)
    works = {(document.collection, document.id): work_of(document) for document in documents}
    return "\r\n".join(_ris_record(keys[place], work) for place, work in works.items())


def _ris_record(key: str, work: Work) -> str:
    first, _, last = _PAGES.sub("–", work.pages).partition("–")
    fields = (
        ("TY", _RIS_TYPES[work.form]),
        ("ID", key),
        *(("AU", _ris_name(author)) for author in work.authors),
        ("TI", work.title),
        ("T2", work.venue),
        ("PY", _year(work)),
        ("VL", work.volume),
        ("IS", work.number),
        ("SP", first),
        ("EP", last),
        ("ET", work.edition),
        ("PB", work.publisher or work.institution),
        ("CY", work.place),
        ("DO", work.doi),
        ("AN", f"arXiv:{work.arxiv}" if work.arxiv else ""),
        ("UR", work.link),
    )
    return "".join(f"{tag}  - {value}\r\n" for tag, value in fields if value) + "ER  - \r\n"


def _ris_name(author: Person) -> str:
    if author.body or not author.given:
        return author.full
    return ", ".join(filter(None, (author.family, author.given, author.suffix)))


def csl(documents: Sequence[Document], own: Mapping[Place, str]) -> list[dict[str, Any]]:
    """Return one CSL-JSON item for each work, in the order given."""
    keys = entry_keys(documents, own)
    works = {(document.collection, document.id): work_of(document) for document in documents}
    return [dict(_csl_fields(keys[place], work)) for place, work in works.items()]


def _csl_fields(key: str, work: Work) -> Iterator[tuple[str, Any]]:
    yield from (("id", key), ("type", _CSL_TYPES[work.form]), ("title", work.title))
    if work.authors:
        others = [{"literal": "others"}] if work.others else []
        yield "author", [*map(_csl_name, work.authors), *others]
    if year := _year(work):
        yield "issued", {"date-parts": [[int(year)]]}
    archived = ("arXiv", work.arxiv) if work.arxiv else ("", "")
    texts = {
        "citation-key": key,
        "container-title": work.venue,
        "publisher": work.publisher or work.institution,
        "publisher-place": work.place,
        "volume": work.volume,
        "issue": work.number,
        "page": _PAGES.sub("-", work.pages),
        "edition": work.edition,
        "DOI": work.doi,
        "archive": archived[0],
        "archive_location": archived[1],
        "URL": work.link,
    }
    yield from ((name, text) for name, text in texts.items() if text)


def _csl_name(author: Person) -> dict[str, str]:
    if author.body or not author.given:
        return {"literal": author.full}
    return {"family": author.family, "given": author.given, **({"suffix": author.suffix} if author.suffix else {})}


def _year(work: Work) -> str:
    return work.year.removeprefix("c. ")
