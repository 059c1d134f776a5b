"""OpenAlex: works by DOI (free), or by the words of their title (a paid search; a little of it is free, more with a free key)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scholarmind.adapters.catalogues.work import (
    Asked,
    Question,
    UnusableAnswerError,
    Work,
    in_path,
    mapping,
    names,
    objects,
    plain_doi,
    text,
    words_of,
    year,
)

_FIELDS = ("select", "id,doi,display_name,publication_year,type,authorships,primary_location,biblio")
_KINDS = {"article": "journal-article", "conference": "proceedings-article"}


class OpenAlex:
    """See https://developers.openalex.org. A comma cannot be escaped in a filter, so only the words of a title are asked for."""

    name = "OpenAlex"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.openalex.org", *, email: str = "", key: str = "") -> None:
        self.base_url = base_url
        self.courtesy = tuple((name, value) for name, value in (("mailto", email), ("api_key", key)) if value)

    def questions(self, asked: Asked) -> Iterator[Question]:
        """Yield the DOI, else that of the preprint, then the title."""
        doi = asked.doi or (f"10.48550/arxiv.{asked.arxiv}" if asked.arxiv else "")
        if doi:
            yield Question(path=f"/works/doi:{in_path(doi, safe='/')}", parameters=(_FIELDS,))
        if words := words_of(asked.title):
            yield Question(path="/works", parameters=(("filter", f"title.search:{words}"), _FIELDS, ("per_page", "3")))

    def works(self, answer: bytes) -> list[Work]:
        """Read one work, or a list of results."""
        body = mapping(json.loads(answer))
        if "results" not in body and "display_name" not in body:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(body["results"]) if "results" in body else [body]
        return [_work(item) for item in found]


def _work(item: Mapping[str, Any]) -> Work:
    place, issue = mapping(item.get("primary_location")), mapping(item.get("biblio"))
    source = mapping(place.get("source"))
    kind, where = text(item.get("type")), text(source.get("type"))
    if kind == "article":
        kind = text(place.get("raw_type")) or _KINDS.get(
            where, "preprint" if where == "repository" else "journal-article"
        )
    pages = "-".join(dict.fromkeys(filter(None, (text(issue.get("first_page")), text(issue.get("last_page"))))))
    return Work(
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
