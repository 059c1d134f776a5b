"""arXiv: preprints by their id, or by the words of their title. It answers in Atom, and tells errors as entries with status 200."""

import importlib
import re
from collections.abc import Iterator
from typing import Any

from scholarmind.adapters.catalogues.work import (
    Asked,
    Question,
    UnusableAnswerError,
    Work,
    names,
    plain_doi,
    text,
    words_of,
    year,
)

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

    def questions(self, asked: Asked) -> Iterator[Question]:
        """Yield the id, or the title."""
        if asked.arxiv:
            yield Question(path="/api/query", parameters=(("id_list", asked.arxiv), ("max_results", "1")))
        elif words := words_of(asked.title):
            yield Question(path="/api/query", parameters=(("search_query", f'ti:"{words}"'), ("max_results", "3")))

    def works(self, answer: bytes) -> list[Work]:
        """Read the entries of the feed."""
        lxml: Any = importlib.import_module("lxml.etree")
        parser = lxml.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = lxml.fromstring(answer, parser)
        except (lxml.XMLSyntaxError, ValueError) as error:
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}") from error
        if root.tag != f"{_ATOM}feed":
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}")
        return [_work(entry) for entry in root.iterfind(f"{_ATOM}entry")]


def _work(entry: Any) -> Work:
    title, found = _text(entry, f"{_ATOM}title"), _ID.search(_text(entry, f"{_ATOM}id"))
    if not found:
        raise UnusableAnswerError(f"an entry that is no preprint: {_text(entry, f'{_ATOM}summary') or title!r}")
    authors = [_text(author, f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author")]
    return Work(
        title=title,
        authors=names(authors),
        year=year(_text(entry, f"{_ATOM}published")),
        doi=plain_doi(_text(entry, f"{_ARXIV}doi")),
        arxiv=found[1],
        kind="preprint",
    )


def _text(element: Any, tag: str) -> str:
    found = element.find(tag)
    return "" if found is None else text("".join(found.itertext()))
