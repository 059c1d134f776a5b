"""What a document, and an entry of a bibliography, can be recognised by. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scholarmind import identity
from scholarmind.model import BibEntry, Document, Fact
from scholarmind.text.likeness import Title, title_of

_SURE_ENOUGH = 0.5  # for a DOI, an arXiv id or a year; a title need not be sure, it is compared
_LEAST = 0.15
_MOST_TITLES = 4
_ARXIV_FILE = re.compile(
    r"(?:arxiv[-_.: ]*)?(\d\d(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]{2,12}(?:\.[a-z]{2})?[-_/]?\d{7})(?:v\d{1,3})?(?![\d])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clues:
    """What is known: titles, the likeliest first, identifiers (see `identity.keys`), year and authors."""

    titles: tuple[Title, ...]
    dois: frozenset[str]
    arxivs: frozenset[str]
    year: int | None
    authors: tuple[str, ...]


def clues_of(document: Document, facts: Sequence[Fact], path: Path) -> Clues:
    """Return the clues that a document gives, its file's name included."""
    said = [fact for fact in facts if fact.value is not None and fact.sure >= _SURE_ENOUGH]
    keys = {*identity.keys_of(replace(document, title="")), *_keys_of_facts(said), *_keys_of_name(path)}
    titles = (fact.value for fact in facts if fact.field == "title" and fact.sure >= _LEAST)
    return Clues(
        titles=tuple(_titles((document.title, *titles))),
        dois=_only("doi:", keys),
        arxivs=_only("arxiv:", keys),
        year=None if _is_guess(document.year, facts) else document.year,
        authors=document.authors,
    )


def clues_of_entry(entry: BibEntry) -> Clues:
    """Return the clues that an entry gives."""
    document = entry.document
    keys = {*identity.keys_of(replace(document, title=""))}
    return Clues(
        titles=tuple(_titles((document.title,))),
        dois=_only("doi:", keys),
        arxivs=_only("arxiv:", keys),
        year=document.year,
        authors=document.authors,
    )


def _titles(texts: Iterable[object]) -> Iterator[Title]:
    found = (title_of(text) for text in dict.fromkeys(map(str, texts)) if text)
    usable = {title.letters: title for title in found if title.letters}
    yield from [*usable.values()][:_MOST_TITLES]


def _only(kind: str, keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key for key in keys if key.startswith(kind))


def _keys_of_facts(facts: Iterable[Fact]) -> Iterator[str]:
    for fact in facts:
        if fact.field == "doi":
            yield from identity.keys(doi=str(fact.value), arxiv="", title="")
        elif fact.field in {"arxiv", "eprint"}:
            yield from identity.keys(doi="", arxiv=str(fact.value), title="")


def _keys_of_name(path: Path) -> Iterator[str]:
    found = _ARXIV_FILE.match(path.stem)
    if found:
        number = re.sub(r"(?<=[a-z])[-_]?(?=\d{7}$)", "/", found[1], flags=re.IGNORECASE)
        yield from identity.keys(doi="", arxiv=number, title="")


def _is_guess(year: int | None, facts: Iterable[Fact]) -> bool:
    """Tell whether the year is only what the file's name or its date of creation suggests."""
    sure = [fact.sure for fact in facts if fact.field == "year" and fact.value == year]
    return bool(sure) and max(sure) < _SURE_ENOUGH
