"""What the keys of a draft stand for: entries of bibliographies, works of its own list of references, documents of the library.

A key that stands for nothing gets the nearest one that does: by its letters, and by the family name, the year and the words of the title
that keys are made of.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholarmind import identity
from scholarmind.citing.citation_styles import people
from scholarmind.library.matching import Matcher
from scholarmind.model import BibEntry, Document, Reference
from scholarmind.text.likeness import ALIKE, share_people, similarity

_NEAR = 0.5
_WEIGHTS = (0.4, 0.3, 0.15, 0.15)  # letters of the key, family name, year, words of the title
_YEAR = re.compile(r"(?:19|20)\d\d|(?<!\d)\d\d(?!\d)")
_PIECE = re.compile(r"[a-z]+|[\u3400-\u9fff]+")
_BIBLIOGRAPHIES = frozenset({".bib", ".bibtex", ".ris", ".json"})
_SHORTEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedWork:
    """What a key stands for: the document of the library, if there is one; how the work is called; or the nearest right key."""

    key: str
    document: Document | None = None
    title: str = ""
    known: bool = True  # some bibliography or list has it
    nearest: str = ""
    nearest_title: str = ""


class CitedDocuments:
    """Looks up keys. `entries` of bibliographies come first, then `references` of the draft, then documents by id."""

    def __init__(
        self, entries: Sequence[BibEntry], references: Mapping[str, Reference], documents: Sequence[Document]
    ) -> None:
        self._entries = {entry.key: entry for entry in entries}
        self._references = references
        self._whole = [document for document in documents if not _is_entry(document)]
        self._by_id = {document.id: document for document in self._whole}
        self._by_identity = {key: document for document in self._whole for key in identity.keys_of(document)}
        self._by_key = self._matched(entries)
        self._found: dict[str, CitedWork] = {}

    def of(self, key: str) -> CitedWork:
        """Return what a key stands for."""
        if key not in self._found:
            self._found[key] = self._look_up(key)
        return self._found[key]

    def fixes(self, keys: Iterable[str]) -> dict[str, CitedWork]:
        """Return the unknown ones among these keys, each with its nearest right one, if any is near."""
        return {key: work for key in dict.fromkeys(keys) if not (work := self.of(key)).known}

    def _look_up(self, key: str) -> CitedWork:
        if entry := self._entries.get(key):
            return CitedWork(key=key, document=self._by_key.get(key), title=entry.document.title)
        if reference := self._references.get(key):
            return CitedWork(key=key, document=self._referred(reference), title=reference.title or reference.text)
        if document := self._by_id.get(key):
            return CitedWork(key=key, document=document, title=document.title)
        nearest, title = self._nearest(key)
        return CitedWork(key=key, known=False, nearest=nearest, nearest_title=title)

    def _matched(self, entries: Sequence[BibEntry]) -> dict[str, Document]:
        """Return the documents by the keys of their entries."""
        found: dict[str, Document] = {}
        for entry in entries:
            document = next(
                (self._by_identity[key] for key in identity.keys_of(entry.document) if key in self._by_identity), None
            )
            if document is not None:
                found[entry.key] = document
        rest = [entry for entry in entries if entry.key not in found]
        matcher = Matcher(rest)
        for document in self._whole if rest else ():
            match = matcher.match(document, (), Path(document.origin))
            for entry in (match.entry, *match.also) if match else ():
                found.setdefault(entry.key, document)
        return found

    def _referred(self, reference: Reference) -> Document | None:
        for key in identity.keys_of_reference(reference):
            if key in self._by_identity:
                return self._by_identity[key]
        if not reference.title:
            return None
        alike = ((similarity(reference.title, document.title), document) for document in self._whole)
        good = [(score, document) for score, document in alike if score >= ALIKE]
        good = [one for one in good if share_people(reference.authors, one[1].authors) is not False]
        return max(good, key=lambda one: one[0])[1] if good else None

    def _nearest(self, key: str) -> tuple[str, str]:
        works = [(entry.key, entry.document) for entry in self._entries.values()] or list(self._by_id.items())
        rated = [(_nearness(key, other, document), other, document.title) for other, document in works]
        best = max(rated, default=(0.0, "", ""))
        return (best[1], best[2]) if best[0] >= _NEAR else ("", "")


def _nearness(key: str, other: str, document: Document) -> float:
    """Return how likely a key that is none means this work."""
    plain, theirs = identity.letters_of(key), identity.letters_of(other)
    letters = difflib.SequenceMatcher(None, plain, theirs).ratio()
    families = [identity.letters_of(person.family) for person in people(document.authors)[0]]
    named = max(
        (1.0 - 0.4 * (place > 0) for place, family in enumerate(families[:4]) if len(family) > 1 and family in plain),
        default=0.0,
    )
    years = {year[-2:] for year in _YEAR.findall(key)}
    dated = 0.5 if not years or document.year is None else float(str(document.year)[-2:] in years)
    title = identity.letters_of(document.title)
    pieces = [piece for piece in _PIECE.findall(plain) if len(piece) >= _SHORTEST and piece not in families]
    told = max(
        (piece in title or any(piece.endswith(word) for word in _words(document.title)) for piece in pieces),
        default=False,
    )
    return sum(weight * value for weight, value in zip(_WEIGHTS, (letters, named, dated, float(told)), strict=True)) + (
        0.2 * (letters > 0.85)
    )


def _words(title: str) -> list[str]:
    return [word for word in (identity.letters_of(each) for each in title.split()) if len(word) > _SHORTEST]


def _is_entry(document: Document) -> bool:
    """Tell whether of a document only its entry of a bibliography is there, and none of its text."""
    return Path(document.origin).suffix.lower() in _BIBLIOGRAPHIES
