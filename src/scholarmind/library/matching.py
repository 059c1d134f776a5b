"""Which entry of a bibliography a document is: by its file field, DOI, arXiv id, then title. Pure, and quick for 10,000 entries.

A wrong match gives a paper another paper's authors; a missing one costs a line in the report. So a title alone is not believed
where years, authors or numbers contradict it, and of two entries that fit equally well none is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scholarmind.library.attachments import Attachments, Fit
from scholarmind.library.clues import Clues, clues_of, clues_of_entry
from scholarmind.library.match_report import MatchReport, outcome, remarks, report
from scholarmind.library.title_index import TitleIndex
from scholarmind.model import BibEntry, Document, Fact
from scholarmind.text.likeness import ALIKE, Title, likeness, share_people, whole_likeness

__all__ = ["Match", "MatchReport", "Matcher", "Miss", "Near", "outcome", "remarks", "report"]

How = Literal["file", "DOI", "arXiv", "title"]

SURE = 0.95
DOUBTFUL = 0.8
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
        self._clues = [clues_of_entry(entry) for entry in entries]
        self._attachments = Attachments(entries)
        self._titles = TitleIndex([clues.titles[0] if clues.titles else _NO_TITLE for clues in self._clues])
        self._keys: dict[str, list[int]] = {}
        for place, clues in enumerate(self._clues):
            for key in clues.dois | clues.arxivs:
                self._keys.setdefault(key, []).append(place)

    def match(self, document: Document, facts: Sequence[Fact], path: Path) -> Match | None:
        """Return the entry of a document, read from `path`, of which its file says these facts."""
        found = self._examine(clues_of(document, facts, path), path)
        if isinstance(found, Match):
            self.misses.pop(document.id, None)
            return found
        self.misses[document.id] = found
        return None

    def _examine(self, clues: Clues, path: Path) -> Match | Miss:
        places, fit = self._attachments.find(path)
        weak = fit == Fit.NAME and 0 <= self._likeness(places[0], clues, unknown=-1.0) < _UNLIKE
        if places and not weak:
            return self._chosen(places[:_MOST_PLACES], _Asked(clues, path, "file", fit))
        for how, keys in (("DOI", clues.dois), ("arXiv", clues.arxivs)):
            if found := sorted({place for key in keys for place in self._keys.get(key, ())}):
                return self._chosen(found[:_MOST_PLACES], _Asked(clues, path, how))
        by_title = self._by_title(_Asked(clues, path, "title"))
        if weak and isinstance(by_title, Miss):
            return self._chosen(places, _Asked(clues, path, "file", fit))
        return by_title

    def _chosen(self, places: Sequence[int], asked: "_Asked") -> Match | Miss:
        """Return the best of these entries; of two that fit equally well one is taken only if they are the same work."""
        rank = {place: self._rank(place, asked.clues) for place in places}
        best = sorted(dict.fromkeys(places), key=lambda place: rank[place], reverse=True)
        equal = [place for place in best if rank[place] == rank[best[0]]]
        if any(not self._same_work(best[0], place, asked.how) for place in equal[1:]):
            return self._undecided(equal, asked)
        doubt = self._doubt(best[0], asked)
        same = [place for place in best[1:] if self._same_work(best[0], place, asked.how)]
        return Match(
            entry=self._entries[best[0]],
            how=asked.how,
            sure=DOUBTFUL if doubt else SURE,
            likeness=self._likeness(best[0], asked.clues, unknown=1.0),
            fit=asked.fit,
            remark=doubt,
            also=tuple(self._entries[place] for place in same),
            path=asked.path,
        )

    def _by_title(self, asked: "_Asked") -> Match | Miss:
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

    def _candidates(self, clues: Clues) -> Iterator[int]:
        titles = [title for title in clues.titles if title.names_a_work]
        same = {place: None for title in titles for place in self._titles.same(title)}
        yield from same
        if any(self._likeness(place, clues, unknown=0.0) >= 1 for place in same):
            return
        yield from {place: None for title in titles for place in self._titles.near(title) if place not in same}

    def _objection(self, place: int, score: float, clues: Clues) -> str:
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

    def _doubt(self, place: int, asked: "_Asked") -> str:
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

    def _rank(self, place: int, clues: Clues) -> tuple[float, int, bool]:
        entry = self._clues[place]
        known = clues.year is not None and entry.year is not None
        apart = abs((clues.year or 0) - (entry.year or 0)) if known else 1
        return (
            round(self._likeness(place, clues, unknown=0.0), 2),
            -min(apart, 10),
            share_people(clues.authors, entry.authors) is True,
        )

    def _likeness(self, place: int, clues: Clues, *, unknown: float) -> float:
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

    def _undecided(self, places: Sequence[int], asked: "_Asked") -> Miss:
        keys = " and ".join(repr(self._entries[place].key) for place in places[:3])
        reason = f"the entries {keys} fit it equally well"
        near = tuple(Near(entry=self._entries[place], likeness=1.0, why=reason) for place in places)
        return Miss(path=asked.path, reason=reason, year=asked.clues.year, near=near)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is known of the document, and by what it is being looked for."""

    clues: Clues
    path: Path
    how: str
    fit: int = 0


_NO_TITLE = Title("", (), (), native=False)


def _is_short(title: Title) -> bool:
    return len(title.letters) < (_SHORT_NATIVE if title.native else _SHORT)
