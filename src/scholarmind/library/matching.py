"""Which entry of a bibliography a document is: by its file field, DOI, arXiv id, then title. Pure, and quick for 10,000 entries.

Nothing is looked up on disk: paths in file fields may be of other machines. Titles are compared where they are likely to be alike: by
their letters, else by the rare words that they share. What is told of matches is in `report`; what a match says of its document, in
`descriptions`.
"""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from scholarmind import identity
from scholarmind.model import BibEntry, Document, Fact
from scholarmind.text.likeness import ALIKE, Title, likeness, share_people, title_of, whole_likeness
from scholarmind.text.untrusted import printable

# -- titles that may be alike

_RARE_WORDS = 8
_MOST_PLACES_OF_WORD = 400  # that are looked through for one word
_MOST_FOUND = 12
_MOST_SAME = 50
_SHORTEST_WORD = 4
_END = 12  # letters at either end, for titles whose words are glued together


class _TitleIndex:
    """Finds the titles that are worth comparing; `likeness` decides."""

    def __init__(self, titles: Sequence[Title]) -> None:
        self._letters: dict[str, list[int]] = {}
        self._words: dict[str, list[int]] = {}
        for place, title in enumerate(titles):
            for form in {title.letters, *(part.letters for part in title.parts)}:
                self._letters.setdefault(form, []).append(place)
            for word in _words(title):
                self._words.setdefault(word, []).append(place)

    def same(self, title: Title) -> list[int]:
        """Return the titles that are the same but for signs, case, and a subtitle."""
        forms = {title.letters, *(part.letters for part in title.parts)} - {""}
        return sorted({place for form in forms for place in self._letters.get(form, ())[:_MOST_SAME]})

    def near(self, title: Title) -> list[int]:
        """Return the titles that share the rarest words, those first that share the most."""
        rare = sorted((word for word in _words(title) if word in self._words), key=lambda word: len(self._words[word]))
        shared = Counter(_placed(self._words[word] for word in rare[:_RARE_WORDS]))
        return [place for place, _ in shared.most_common(_MOST_FOUND)]


def _placed(lists: Iterable[Sequence[int]]) -> Iterator[int]:
    for places in lists:
        yield from islice(places, _MOST_PLACES_OF_WORD)


def _words(title: Title) -> set[str]:
    letters = title.letters
    if title.native:
        return {letters[place : place + 2] for place in range(len(letters) - 1)}
    words = {word for word in title.words if len(word) >= _SHORTEST_WORD}
    if len(letters) >= _END:
        words |= {f"<{letters[:_END]}", f"{letters[-_END:]}>"}
    return words or set(title.words)


# -- files that entries name

_DRIVE = re.compile(r"^/*[A-Za-z]:(?=/)")
_SCHEME = re.compile(r"^file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_MOST_FOLDERS = 8


class Fit(IntEnum):
    """How much of a path agrees."""

    NONE = 0
    NAME = 1  # the file's name, which only one entry has
    END = 2  # the last folders too
    WHOLE = 3


class _Attachments:
    """Every file that some entry names, under all the paths that this may mean."""

    def __init__(self, entries: Sequence[BibEntry]) -> None:
        self._whole: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        self._names: dict[str, set[int]] = {}
        for place, entry in enumerate(entries):
            folder = posixpath.dirname(entry.document.origin)
            for named in dict.fromkeys(form for file in entry.files for form in _forms(file)):
                absolute = named.startswith("/")
                whole = named if absolute else _normal(f"{folder}/{named}")
                self._whole.setdefault(whole, []).append(place)
                parts = [part for part in named.split("/") if part not in {"", "..", "."}]
                for length in range(2, min(len(parts), _MOST_FOLDERS) + 1):
                    if length == len(parts) or absolute:
                        self._ends.setdefault("/".join(parts[-length:]), []).append(place)
                if parts:
                    self._names.setdefault(parts[-1].casefold(), set()).add(place)

    def find(self, path: Path) -> tuple[list[int], Fit]:
        """Return the entries that name this file, and by how much of its path."""
        whole = _normal(printable(path))
        if found := self._whole.get(whole):
            return found, Fit.WHOLE
        parts = whole.strip("/").split("/")
        for length in range(min(len(parts), _MOST_FOLDERS), 1, -1):
            if found := self._ends.get("/".join(parts[-length:])):
                return found, Fit.END
        found = sorted(self._names.get(parts[-1].casefold(), ()))
        return (found, Fit.NAME) if len(found) == 1 else ([], Fit.NONE)


def _forms(file: str) -> Iterator[str]:
    """Yield the paths that the text may mean: as it stands, with %20 taken for a space, with the slashes of Windows turned."""
    for text in dict.fromkeys((file, unquote(file))):
        plain = _SCHEME.sub("", text.strip())
        turned = plain.replace("\\:", ":").replace("\\", "/")
        for path in dict.fromkeys((plain, _DRIVE.sub("", turned))):
            if path.strip("/.\\"):
                yield _normal(path)


def _normal(path: str) -> str:
    """Return the path with accents as single characters (macOS takes them apart), without '.', '..' and doubled slashes."""
    plain = posixpath.normpath(unicodedata.normalize("NFC", path))
    return plain[1:] if plain.startswith("//") else plain


# -- clues: what a document, and an entry, can be recognised by

_SURE_ENOUGH = 0.5  # for a DOI, an arXiv id or a year; a title need not be sure, it is compared
_LEAST = 0.15
_MOST_TITLES = 4
_ARXIV_FILE = re.compile(
    r"(?:arxiv[-_.: ]*)?(\d\d(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]{2,12}(?:\.[a-z]{2})?[-_/]?\d{7})(?:v\d{1,3})?(?![\d])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clues:
    """What is known: titles, the likeliest first, identifiers (see `identity.keys`), year and authors."""

    titles: tuple[Title, ...]
    dois: frozenset[str]
    arxivs: frozenset[str]
    year: int | None
    authors: tuple[str, ...]


def _clues_of(document: Document, facts: Sequence[Fact], path: Path) -> _Clues:
    """Return the clues that a document gives, its file's name included."""
    said = [fact for fact in facts if fact.value is not None and fact.sure >= _SURE_ENOUGH]
    keys = {*identity.keys_of(replace(document, title="")), *_keys_of_facts(said), *_keys_of_name(path)}
    titles = (fact.value for fact in facts if fact.field == "title" and fact.sure >= _LEAST)
    # whether the year is only what the file's name or its date of creation suggests
    sure = [fact.sure for fact in facts if fact.field == "year" and fact.value == document.year]
    return _Clues(
        titles=tuple(_titles((document.title, *titles))),
        dois=_only("doi:", keys),
        arxivs=_only("arxiv:", keys),
        year=None if (bool(sure) and max(sure) < _SURE_ENOUGH) else document.year,
        authors=document.authors,
    )


def _clues_of_entry(entry: BibEntry) -> _Clues:
    """Return the clues that an entry gives."""
    document = entry.document
    keys = {*identity.keys_of(replace(document, title=""))}
    return _Clues(
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


# -- matching

How = Literal["file", "DOI", "arXiv", "title"]
_SURE = 0.95
_DOUBTFUL = 0.8
_UNLIKE = 0.3  # titles below this have nothing in common
_NEAR = 0.6  # worth telling
_MOST_PLACES = 50  # entries that name one file or one DOI; more of them make it no evidence
_SHORT = 20  # letters of a title that others may have too
_SHORT_NATIVE = 8
_NO_ENTRY = "no entry has its DOI, arXiv id or title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The entry that a document is, by what, and how sure that is. `also` are entries of the same work."""

    entry: BibEntry
    how: str  # one of How
    sure: float
    likeness: float = 1.0  # of the titles
    fit: int = 0  # how much of the file's path agrees
    remark: str = ""
    also: tuple[BibEntry, ...] = ()
    path: Path = Path()


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """An entry that a document is not, though its title is like it, and why."""

    entry: BibEntry
    likeness: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A document without an entry: why, and which entries came near."""

    path: Path
    reason: str
    year: int | None = None
    near: tuple[Near, ...] = ()


class Matcher:
    """Finds the entries of documents. `misses` tells by document id why one that was asked for has none."""

    def __init__(self, entries: Sequence[BibEntry]) -> None:
        self.misses: dict[str, Miss] = {}
        self._entries = entries
        self._clues = [_clues_of_entry(entry) for entry in entries]
        self._attachments = _Attachments(entries)
        self._titles = _TitleIndex([clues.titles[0] if clues.titles else _NO_TITLE for clues in self._clues])
        self._keys: dict[str, list[int]] = {}
        for place, clues in enumerate(self._clues):
            for key in clues.dois | clues.arxivs:
                self._keys.setdefault(key, []).append(place)

    def match(self, document: Document, facts: Sequence[Fact], path: Path) -> Match | None:
        """Return the entry of a document, read from `path`, of which its file says these facts."""
        found = self._examine(_clues_of(document, facts, path), path)
        if isinstance(found, Match):
            self.misses.pop(document.id, None)
            return found
        self.misses[document.id] = found
        return None

    def _examine(self, clues: _Clues, path: Path) -> Match | Miss:
        places, fit = self._attachments.find(path)
        weak = fit == Fit.NAME and 0 <= self._likeness(places[0], clues, unknown=-1.0) < _UNLIKE
        if places and not weak:
            return self._chosen(places[:_MOST_PLACES], _MatchQuery(clues, path, "file", fit))
        for how, keys in (("DOI", clues.dois), ("arXiv", clues.arxivs)):
            if found := sorted({place for key in keys for place in self._keys.get(key, ())}):
                return self._chosen(found[:_MOST_PLACES], _MatchQuery(clues, path, how))
        by_title = self._by_title(_MatchQuery(clues, path, "title"))
        if weak and isinstance(by_title, Miss):
            return self._chosen(places, _MatchQuery(clues, path, "file", fit))
        return by_title

    def _chosen(self, places: Sequence[int], asked: "_MatchQuery") -> Match | Miss:
        """Return the best of these entries; of two that fit equally well one is taken only if they are the same work."""
        rank = {place: self._rank(place, asked.clues) for place in places}
        best = sorted(dict.fromkeys(places), key=lambda place: rank[place], reverse=True)
        equal = [place for place in best if rank[place] == rank[best[0]]]
        if any(not self._same_work(best[0], place, asked.how) for place in equal[1:]):
            keys = " and ".join(repr(self._entries[place].key) for place in equal[:3])
            reason = f"the entries {keys} fit it equally well"
            near = tuple(Near(entry=self._entries[place], likeness=1.0, why=reason) for place in equal)
            return Miss(path=asked.path, reason=reason, year=asked.clues.year, near=near)
        doubt = self._doubt(best[0], asked)
        same = [place for place in best[1:] if self._same_work(best[0], place, asked.how)]
        return Match(
            entry=self._entries[best[0]],
            how=asked.how,
            sure=_DOUBTFUL if doubt else _SURE,
            likeness=self._likeness(best[0], asked.clues, unknown=1.0),
            fit=asked.fit,
            remark=doubt,
            also=tuple(self._entries[place] for place in same),
            path=asked.path,
        )

    def _by_title(self, asked: "_MatchQuery") -> Match | Miss:
        near: list[Near] = []
        good: list[int] = []
        for place in self._candidates(asked.clues):
            score = self._likeness(place, asked.clues, unknown=0.0)
            why = self._objection(place, score, asked.clues) if score >= ALIKE else "not like enough"
            if not why:
                good.append(place)
            elif score >= _NEAR:
                near.append(Near(entry=self._entries[place], likeness=score, why=why))
        if good:
            return self._chosen(good, asked)
        near.sort(key=lambda item: -item.likeness)
        return Miss(path=asked.path, reason=_NO_ENTRY, year=asked.clues.year, near=tuple(near))

    def _candidates(self, clues: _Clues) -> Iterator[int]:
        titles = [title for title in clues.titles if title.names_a_work]
        same = {place: None for title in titles for place in self._titles.same(title)}
        yield from same
        if any(self._likeness(place, clues, unknown=0.0) >= 1 for place in same):
            return
        yield from {place: None for title in titles for place in self._titles.near(title) if place not in same}

    def _objection(self, place: int, score: float, clues: _Clues) -> str:
        """Tell why a title that is alike does not do, or ''."""
        entry = self._clues[place]
        if clues.year and entry.year and abs(clues.year - entry.year) > 1:
            return f"the file is of {clues.year}, the entry of {entry.year}"
        short = _is_short(entry.titles[0])
        partly = max(whole_likeness(title, entry.titles[0]) for title in clues.titles) < ALIKE
        shared = share_people(clues.authors, entry.authors)
        if shared is False and (short or partly or score < 1):
            return "they have no author in common"
        confirmed = shared or (clues.year is not None and entry.year is not None)
        if not confirmed and (short or partly):
            return "neither year nor authors confirm it"
        return ""

    def _doubt(self, place: int, asked: "_MatchQuery") -> str:
        """Tell what speaks against a match, or ''."""
        clues, entry = asked.clues, self._clues[place]
        score = self._likeness(place, clues, unknown=1.0)
        if asked.how == "title":
            shared = share_people(clues.authors, entry.authors)
            if shared is False:
                return "the titles agree, but they have no author in common"
            dated = clues.year is not None and entry.year is not None
            return (
                "" if score == 1 or shared or dated else "the titles are alike, and neither year nor authors confirm it"
            )
        other_doi = bool(clues.dois and entry.dois and not clues.dois & entry.dois)
        if score < _UNLIKE and (asked.how != "file" or asked.fit == Fit.NAME or other_doi):
            agreeing = "its file field names this file" if asked.how == "file" else f"the {asked.how} agrees"
            return f"{agreeing}, but the title" + (" and the DOI are others" if other_doi else " is another")
        return ""

    def _rank(self, place: int, clues: _Clues) -> tuple[float, int, bool]:
        entry = self._clues[place]
        known = clues.year is not None and entry.year is not None
        apart = abs((clues.year or 0) - (entry.year or 0)) if known else 1
        return (
            round(self._likeness(place, clues, unknown=0.0), 2),
            -min(apart, 10),
            share_people(clues.authors, entry.authors) is True,
        )

    def _likeness(self, place: int, clues: _Clues, *, unknown: float) -> float:
        """Return how like the entry's title is to the likest one that the document may have."""
        titles = self._clues[place].titles
        if not titles or not clues.titles:
            return unknown
        return max(likeness(title, titles[0]) for title in clues.titles)

    def _same_work(self, one: int, other: int, how: str) -> bool:
        """Tell whether two entries are one work: by an identifier, or by title and year if they do not stand in one bibliography."""
        first, second = self._clues[one], self._clues[other]
        if first.dois & second.dois or first.arxivs & second.arxivs:
            return True
        apart = self._entries[one].document.origin != self._entries[other].document.origin
        return (apart or how == "file") and first.titles == second.titles and first.year == second.year


@dataclass(frozen=True, slots=True)
class _MatchQuery:
    """What is known of the document, and by what it is being looked for."""

    clues: _Clues
    path: Path
    how: str
    fit: int = 0


_NO_TITLE = Title("", (), (), native=False)


def _is_short(title: Title) -> bool:
    return len(title.letters) < (_SHORT_NATIVE if title.native else _SHORT)
