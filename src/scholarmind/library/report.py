"""What an `add` did: counts, what could not be used, and what came of matching bibliographies with files.

For each entry of a bibliography without a file, and each file without an entry, there is a line that says how to mend it. The matching
itself is in `matching`.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from scholarmind.library_ports import Listed
from scholarmind.model import BibEntry, Problem
from scholarmind.text.untrusted import printable

if TYPE_CHECKING:
    from scholarmind.library.matching import Match, Miss


# -- bibliographies and files

_HOW = ("file", "DOI", "arXiv", "title")  # the strongest first
_CALLED = {"file": "file field"}
_MOST_LINES = 20
_Name = tuple[str, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """An entry without a file: where it stands, and why it has none and what to do."""

    bibliography: str
    line: int
    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.bibliography}, line {self.line}, key {self.key}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport:
    """How bibliographies and files went together. `without` are files that have no entry, with the reason."""

    entries: int
    matched: Mapping[str, int]  # by HOW
    unmatched: tuple[Unmatched, ...] = ()
    without: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def lines(self, most: int = _MOST_LINES) -> list[str]:
        """Return the report in words; of each kind at most so many lines."""
        return [
            self.summary(),
            *_first(list(map(str, self.unmatched)), most, "entries"),
            *_first([f"no entry: {line}" for line in self.without], most, "files"),
            *_first(list(self.remarks), most, "remarks"),
        ]

    def summary(self) -> str:
        """Return the counts in a sentence."""
        total, left = sum(self.matched.values()), len(self.unmatched)
        by = ", ".join(f"{self.matched[how]:,} by {_CALLED.get(how, how)}" for how in _HOW if self.matched.get(how))
        told = f"{total:,} of {self.entries:,} {'entry' if self.entries == 1 else 'entries'} matched a file"
        told += f" ({by})" if by else ""
        if left:
            told += (
                f"; {left:,} {'has none and is kept as an entry' if left == 1 else 'have none and are kept as entries'}"
            )
        return told


def outcome(
    entries: Sequence[BibEntry], matches: "Mapping[str, Match]", misses: "Mapping[str, Miss] | None" = None
) -> list[Listed]:
    """Return every entry as it is kept, from matches and misses by document id; for an entry of two files the stronger match counts."""
    winners = _winners(matches)
    held = {_name(match.entry): id for id, match in winners.items()}
    held = {_name(entry): id for id, match in winners.items() for entry in match.also} | held
    near = _nearest((misses or {}).values())
    return [_listed(entry, held.get(_name(entry)), matches, near) for entry in entries]


def remarks(matches: "Mapping[str, Match]") -> list[str]:
    """Return what people should know of matches: what speaks against one, and files that have to share an entry."""
    winners = _winners(matches)
    holder = {_name(match.entry): match for match in winners.values()}
    told: list[str] = []
    for id, match in matches.items():
        where = f"{printable(match.path)}: matched with {_where(match.entry)}"
        if id not in winners:
            told.append(f"{where} too, which {printable(holder[_name(match.entry)].path)} is by stronger evidence")
        elif match.remark:
            told.append(f"{where}; {match.remark}")
    return told


def report(listed: Iterable[Listed], *, without: Iterable[str] = (), remarks: Iterable[str] = ()) -> MatchReport:
    """Return the report on entries as they are kept."""
    every = list(listed)
    return MatchReport(
        entries=len(every),
        matched=dict(Counter(item.how for item in every if item.document)),
        unmatched=tuple(_unmatched(item) for item in every if not item.document),
        without=tuple(without),
        remarks=tuple(remarks),
    )


def without_entry(misses: "Iterable[Miss]") -> list[str]:
    """Return each file that has no entry, with the reason."""
    return [f"{printable(miss.path)} ({miss.reason})" for miss in misses]


def _winners(matches: "Mapping[str, Match]") -> "dict[str, Match]":
    """Return the matches by document id, for each entry only the strongest."""
    best: dict[_Name, str] = {}
    for id, match in matches.items():
        holder = best.setdefault(_name(match.entry), id)
        if _strength(match) > _strength(matches[holder]):
            best[_name(match.entry)] = id
    return {id: matches[id] for id in best.values()}


def _strength(match: "Match") -> tuple[float, ...]:
    """A supplement beside its paper mostly has the longer name."""
    how = _HOW.index(match.how) if match.how in _HOW else len(_HOW)
    return match.sure, -how, match.fit, match.likeness, -len(match.path.name)


def _nearest(misses: "Iterable[Miss]") -> dict[_Name, tuple[float, str]]:
    found: dict[_Name, tuple[float, str]] = {}
    for miss in misses:
        for item in miss.near:
            if item.likeness > found.get(_name(item.entry), (0.0, ""))[0]:
                found[_name(item.entry)] = item.likeness, _advice(item.entry, miss, item.likeness, item.why)
    return found


def _advice(entry: BibEntry, miss: "Miss", score: float, why: str) -> str:
    # the path as it would be written into the bibliography: relative to its folder, if it is below that
    folder = os.path.dirname(entry.document.origin)  # noqa: PTH120  (a name that is kept, no path to be opened)
    name = printable(miss.path)
    path = name[len(folder) + 1 :] if folder and name.startswith(f"{folder}/") else name
    field = f"add file = {{{path}}}"
    if miss.near[0].why == miss.reason:  # of several that fit equally well
        return f"{why} ({path}); {field} to the right one"
    year = f" ({miss.year})" if miss.year else ""
    if why == "not like enough":
        return f"title {score:.2f} like {path}{year}; {field}"
    return f"title {score:.2f} like {path}{year}, but {why}; {field} if it is the same work"


def _listed(
    entry: BibEntry, holder: str | None, matches: "Mapping[str, Match]", near: Mapping[_Name, tuple[float, str]]
) -> Listed:
    if holder is not None:
        return Listed(entry=entry, document=holder, how=matches[holder].how)
    if _name(entry) in near:
        return Listed(entry=entry, how=near[_name(entry)][1])
    if entry.files:
        return Listed(
            entry=entry, how=f"its file {entry.files[0]!r} is not among those added; add it, or mend the file field"
        )
    return Listed(entry=entry, how="no file has its DOI, arXiv id or title; add the file, or leave it as it is")


def _unmatched(item: Listed) -> Unmatched:
    entry = item.entry
    return Unmatched(bibliography=entry.document.origin, line=entry.line, key=entry.key, reason=item.how)


def _name(entry: BibEntry) -> _Name:
    return entry.document.origin, entry.line, entry.key


def _where(entry: BibEntry) -> str:
    return f"{PurePath(entry.document.origin).name}, line {entry.line}, key {entry.key}"


def _first(lines: Sequence[str], most: int, of: str) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], *([f"... and {more:,} more {of}"] if more > 0 else [])]


# -- the whole


@dataclass(kw_only=True)
class Report:
    """Counts, what could not be used, and how bibliographies and files went together."""

    files: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    kept: int = 0  # that a prune would have removed, had their folder not been missing or empty
    duplicates: int = 0
    passages: int = 0
    embedded: int = 0
    unsuited: int = 0
    ignored: int = 0
    enriched: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    matches: MatchReport | None = None
