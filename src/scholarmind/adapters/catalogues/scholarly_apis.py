"""The three catalogues, OpenAlex, Crossref and arXiv: the questions that each understands, and the works in its answers.

They are asked by DOI or arXiv id, or by the words of a title. What sends the questions is in `enricher`.
"""

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scholarmind.adapters.catalogues.work import (
    CatalogueWork,
    Question,
    UnusableAnswerError,
    WorkIdentifiers,
    in_path,
    mapping,
    names,
    objects,
    plain_doi,
    text,
    words_of,
    year,
)

# -- OpenAlex: works by DOI (free), or by title (a paid search; a little of it is free, more with a free key)

_OPENALEX_FIELDS = ("select", "id,doi,display_name,publication_year,type,authorships,primary_location,biblio")
_KINDS = {"article": "journal-article", "conference": "proceedings-article"}


class OpenAlex:
    """See https://developers.openalex.org. A comma cannot be escaped in a filter, so only the words of a title are asked for."""

    name = "OpenAlex"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.openalex.org", *, email: str = "", key: str = "") -> None:
        self.base_url = base_url
        self.courtesy = tuple((name, value) for name, value in (("mailto", email), ("api_key", key)) if value)

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the DOI, else that of the preprint, then the title."""
        doi = asked.doi or (f"10.48550/arxiv.{asked.arxiv}" if asked.arxiv else "")
        if doi:
            yield Question(path=f"/works/doi:{in_path(doi, safe='/')}", parameters=(_OPENALEX_FIELDS,))
        if words := words_of(asked.title):
            yield Question(
                path="/works", parameters=(("filter", f"title.search:{words}"), _OPENALEX_FIELDS, ("per_page", "3"))
            )

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read one work, or a list of results."""
        body = mapping(json.loads(answer))
        if "results" not in body and "display_name" not in body:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(body["results"]) if "results" in body else [body]
        return [_openalex_work(item) for item in found]


def _openalex_work(item: Mapping[str, Any]) -> CatalogueWork:
    place, issue = mapping(item.get("primary_location")), mapping(item.get("biblio"))
    source = mapping(place.get("source"))
    kind, where = text(item.get("type")), text(source.get("type"))
    if kind == "article":
        kind = text(place.get("raw_type")) or _KINDS.get(
            where, "preprint" if where == "repository" else "journal-article"
        )
    pages = "-".join(dict.fromkeys(filter(None, (text(issue.get("first_page")), text(issue.get("last_page"))))))
    return CatalogueWork(
        title=text(item.get("display_name")),
        authors=names(
            [text(mapping(one.get("author")).get("display_name")) for one in objects(item.get("authorships"))]
        ),
        year=year(item.get("publication_year")),
        doi=plain_doi(item.get("doi")),
        kind=kind,
        venue="" if where == "repository" else text(source.get("display_name")),
        volume=text(issue.get("volume")),
        number=text(issue.get("issue")),
        pages=pages,
        publisher="" if where == "repository" else text(source.get("host_organization_name")),
    )


# -- Crossref: works by DOI or title; it has no DOIs of arXiv

_CROSSREF_FIELDS = ("select", "DOI,title,subtitle,author,issued,container-title,volume,issue,page,publisher,type")


class Crossref:
    """See https://api.crossref.org."""

    name = "Crossref"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.crossref.org", *, email: str = "") -> None:
        self.base_url = base_url
        self.courtesy = (("mailto", email),) if email else ()

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the DOI, then the title."""
        if asked.doi:
            yield Question(path=f"/works/{in_path(asked.doi)}")
        if words := words_of(asked.title):
            yield Question(path="/works", parameters=(("query.bibliographic", words), ("rows", "3"), _CROSSREF_FIELDS))

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read one work, or a list of them."""
        message = mapping(mapping(json.loads(answer)).get("message"))
        if "items" not in message and "DOI" not in message:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(message["items"]) if "items" in message else [message]
        return [_crossref_work(item) for item in found]


def _crossref_work(item: Mapping[str, Any]) -> CatalogueWork:
    title, subtitle = text(item.get("title")), text(item.get("subtitle"))
    whole = f"{title}: {subtitle}" if subtitle and subtitle.casefold() not in title.casefold() else title
    return CatalogueWork(
        title=whole,
        short_title=title if whole != title else "",
        authors=names([_crossref_name(author) for author in objects(item.get("author"))]),
        year=_crossref_year(item),
        doi=plain_doi(item.get("DOI")),
        kind=text(item.get("type")),
        venue=text(item.get("container-title")),
        volume=text(item.get("volume")),
        number=text(item.get("issue")),
        pages=text(item.get("page")),
        publisher=text(item.get("publisher")),
    )


def _crossref_name(author: Mapping[str, Any]) -> str:
    parts = (text(author.get(name)) for name in ("given", "family", "suffix"))
    return " ".join(filter(None, parts)) or text(author.get("name"))


def _crossref_year(item: Mapping[str, Any]) -> int | None:
    match mapping(item.get("issued")).get("date-parts"):
        case [[first, *_], *_]:
            return year(first)
        case _:
            return None


# -- arXiv: preprints by id or title. It answers in Atom, and tells errors as entries with status 200

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_ID = re.compile(r"arxiv\.org/abs/(.+?)(?:v\d+)?$", re.IGNORECASE)


class Arxiv:
    """See https://info.arxiv.org/help/api: one request in three seconds."""

    name = "arXiv"
    seconds_apart = 3.0
    courtesy: tuple[tuple[str, str], ...] = ()

    def __init__(self, base_url: str = "https://export.arxiv.org") -> None:
        self.base_url = base_url

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the id, or the title."""
        if asked.arxiv:
            yield Question(path="/api/query", parameters=(("id_list", asked.arxiv), ("max_results", "1")))
        elif words := words_of(asked.title):
            yield Question(path="/api/query", parameters=(("search_query", f'ti:"{words}"'), ("max_results", "3")))

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read the entries of the feed."""
        lxml: Any = importlib.import_module("lxml.etree")
        parser = lxml.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = lxml.fromstring(answer, parser)
        except (lxml.XMLSyntaxError, ValueError) as error:
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}") from error
        if root.tag != f"{_ATOM}feed":
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}")
        return [_arxiv_work(entry) for entry in root.iterfind(f"{_ATOM}entry")]


def _arxiv_work(entry: Any) -> CatalogueWork:
    title, found = _atom_text(entry, f"{_ATOM}title"), _ID.search(_atom_text(entry, f"{_ATOM}id"))
    if not found:
        raise UnusableAnswerError(f"an entry that is no preprint: {_atom_text(entry, f'{_ATOM}summary') or title!r}")
    authors = [_atom_text(author, f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author")]
    return CatalogueWork(
        title=title,
        authors=names(authors),
        year=year(_atom_text(entry, f"{_ATOM}published")),
        doi=plain_doi(_atom_text(entry, f"{_ARXIV}doi")),
        arxiv=found[1],
        kind="preprint",
    )


def _atom_text(element: Any, tag: str) -> str:
    found = element.find(tag)
    return "" if found is None else text("".join(found.itertext()))
