"""Crossref: works by DOI, or by the words of their title. It has no DOIs of arXiv."""

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

_FIELDS = ("select", "DOI,title,subtitle,author,issued,container-title,volume,issue,page,publisher,type")


class Crossref:
    """See https://api.crossref.org."""

    name = "Crossref"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.crossref.org", *, email: str = "") -> None:
        self.base_url = base_url
        self.courtesy = (("mailto", email),) if email else ()

    def questions(self, asked: Asked) -> Iterator[Question]:
        """Yield the DOI, then the title."""
        if asked.doi:
            yield Question(path=f"/works/{in_path(asked.doi)}")
        if words := words_of(asked.title):
            yield Question(path="/works", parameters=(("query.bibliographic", words), ("rows", "3"), _FIELDS))

    def works(self, answer: bytes) -> list[Work]:
        """Read one work, or a list of them."""
        message = mapping(mapping(json.loads(answer)).get("message"))
        if "items" not in message and "DOI" not in message:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(message["items"]) if "items" in message else [message]
        return [_work(item) for item in found]


def _work(item: Mapping[str, Any]) -> Work:
    title, subtitle = text(item.get("title")), text(item.get("subtitle"))
    whole = f"{title}: {subtitle}" if subtitle and subtitle.casefold() not in title.casefold() else title
    return Work(
        title=whole,
        short_title=title if whole != title else "",
        authors=names([_name(author) for author in objects(item.get("author"))]),
        year=_year(item),
        doi=plain_doi(item.get("DOI")),
        kind=text(item.get("type")),
        venue=text(item.get("container-title")),
        volume=text(item.get("volume")),
        number=text(item.get("issue")),
        pages=text(item.get("page")),
        publisher=text(item.get("publisher")),
    )


def _name(author: Mapping[str, Any]) -> str:
    parts = (text(author.get(name)) for name in ("given", "family", "suffix"))
    return " ".join(filter(None, parts)) or text(author.get("name"))


def _year(item: Mapping[str, Any]) -> int | None:
    match mapping(item.get("issued")).get("date-parts"):
        case [[first, *_], *_]:
            return year(first)
        case _:
            return None
