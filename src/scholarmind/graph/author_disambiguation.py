"""When two authors of one name, in two documents, are one person. Pure, and never quadratic in the authors of a document.

A name alone proves nothing: 张伟 in two papers are two. Proof is an author beside them whom both papers have too, an institution
that both name, or a citation between the papers. Of long lists and of common names more is asked: they meet by chance.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from scholarmind.citing.citation_styles import person
from scholarmind.graph.name_matching import is_full
from scholarmind.relations import Merged

_BY_CHANCE = 1000  # so many pairs of authors have two of one name among them, for all that can be said
_COMMON = 20  # documents with one name, from which on only co-authors prove who is who
_SOME = 3  # co-authors who are named in a reason
_BODY_HAN = re.compile(r"(?:大学|学院|公司|研究院|研究所|团队|实验室|集团|小组|委员会|中心|课题组)$")
_UNMISTAKABLE = re.compile(r"[A-Z].*[A-Z]|\d|\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorName:
    """A name as it stands over a document, and the node that it belongs to by now."""

    key: str
    name: str
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Byline:
    """Who wrote a document, and what stands beside the names and can prove who they are.

    `writers` may leave those out whose names no other document has; `size` counts them all.
    """

    document: int  # any number that is its own
    scope: str  # of its authors
    writers: Sequence[AuthorName]
    size: int
    institutions: Mapping[str, str] = field(default_factory=dict[str, str])  # name by key
    cites: AbstractSet[int] = frozenset()  # other documents that it cites, or whose methods it improves on


@dataclass(frozen=True, slots=True)
class _DocumentPair:
    """Two documents, and the names that both have: each as the one and as the other writes it."""

    one: Byline
    other: Byline
    shared: list[tuple[AuthorName, AuthorName]]

    @property
    def needed(self) -> int:
        """So many others must have written both, for a name to be one person."""
        fewer, more = sorted((self.one.size, self.other.size))
        return min(1 + fewer * more // _BY_CHANCE, max(2, fewer // 2))

    @property
    def is_crowded(self) -> bool:
        """Tell whether there are so many authors that one name in both means nothing."""
        return self.one.size * self.other.size > _BY_CHANCE


def _freely(merged: Merged) -> bool:
    return bool(merged)


def proven(
    new: Sequence[Byline], known: Sequence[Byline], take: Callable[[Merged], bool] = _freely
) -> Iterator[Merged]:
    """Yield who of the new documents is who of these and of the known ones, and why; nothing that is known to be one already.

    `take` tells whether two are one from then on: whom somebody told apart does not stand between others who are one.
    """
    groups = Groups()
    having: dict[str, list[tuple[Byline, AuthorName]]] = {}
    for byline in (*known, *new):
        for writer in byline.writers:
            having.setdefault(writer.key, []).append((byline, writer))
    for one in new:
        for pair in _pairs(one, having):
            beside = _beside(pair)
            telling = [writer for writer, _ in pair.shared if is_full(writer.key)]
            for mine, theirs in pair.shared:
                if groups.are_one(mine.node, theirs.node):
                    continue
                tie = "" if _is_common(mine, having) else beside
                reason = _reason(mine, telling, pair.needed, tie)
                merged = _merged(mine, theirs, pair, reason)
                if reason and take(merged):
                    groups.join(mine.node, theirs.node)
                    yield merged


def _merged(mine: AuthorName, theirs: AuthorName, pair: _DocumentPair, reason: str) -> Merged:
    return Merged(
        kind="author",
        name=mine.name,
        scope=pair.one.scope,
        into=theirs.name,
        into_scope=pair.other.scope,
        by="rules",
        reason=reason,
    )


def near(bylines: Iterable[Byline], names: AbstractSet[str]) -> Iterator[tuple[Byline, Byline]]:
    """Yield documents by one person, as it seems, two by two, that may prove it: linear in what stands beside these names.

    Each comes with the last one before it that has the same co-author or institution, and with those that it cites.
    """
    last: dict[str, Byline] = {}
    known: dict[int, Byline] = {}
    for byline in bylines:
        known[byline.document] = byline
        beside = [writer.key for writer in byline.writers if writer.key not in names and is_full(writer.key)]
        for tie in (*beside, *(f"at {place}" for place in byline.institutions)):
            if tie in last:
                yield last[tie], byline
            last[tie] = byline
        yield from ((known[other], byline) for other in byline.cites if other in known)


def _pairs(one: Byline, having: Mapping[str, Sequence[tuple[Byline, AuthorName]]]) -> Iterable[_DocumentPair]:
    """Return the documents that share names with this one, the most names first. Linear in the places where its names stand."""
    pairs: dict[int, _DocumentPair] = {}
    for mine in one.writers:
        for other, theirs in having[mine.key]:
            if other.document != one.document:
                if other.document not in pairs:
                    pairs[other.document] = _DocumentPair(one, other, [])
                pairs[other.document].shared.append((mine, theirs))
    telling = (pair for pair in pairs.values() if len(pair.shared) > 1 or not _is_common(pair.shared[0][0], having))
    return sorted(telling, key=lambda pair: -len(pair.shared))


def _is_common(writer: AuthorName, having: Mapping[str, Sequence[object]]) -> bool:
    """Tell whether so many documents have a name that only co-authors tell its bearers apart. That of a company is none."""
    return len(having[writer.key]) >= _COMMON and not is_body(writer.name)


def _reason(mine: AuthorName, telling: Sequence[AuthorName], needed: int, beside: str) -> str:
    """Return why this is one person, or ''. `telling` are the full names that both documents have."""
    if is_body(mine.name):
        return f"{mine.name} is a body, not a person"
    others = len(telling) - is_full(mine.key)
    if not is_full(mine.key) and not others:
        return ""  # "W. Zhang" may be anybody
    if others < needed:
        return beside
    first = [writer.name for writer in telling[: _SOME + 1] if writer.key != mine.key][:_SOME]
    more = f" and {others - len(first)} more" if others > len(first) else ""
    return f"wrote both with {', '.join(first)}{more}"


def _beside(pair: _DocumentPair) -> str:
    """Return what else ties two documents together that have few enough authors for it to tell something."""
    if pair.is_crowded:
        return ""
    one, other = pair.one, pair.other
    place = next((name for key, name in one.institutions.items() if key in other.institutions), "")
    if place:
        return f"both from {place}"
    return "one builds on the other" if other.document in one.cites or one.document in other.cites else ""


class Groups:
    """Numbers of things that turn out to be one."""

    def __init__(self) -> None:
        self._leader: dict[int, int] = {}

    def are_one(self, one: int, other: int) -> bool:
        """Tell whether two are known to be one."""
        return self.leader(one) == self.leader(other)

    def join(self, one: int, other: int) -> None:
        """Take two for one from now on."""
        self._leader[self.leader(one)] = self.leader(other)

    def leader(self, node: int) -> int:
        """Return the one that stands for all that are one with this."""
        while (leader := self._leader.get(node, node)) != node:
            self._leader[node] = self._leader.get(leader, leader)
            node = leader
        return node


@lru_cache(maxsize=16_384)
def is_body(name: str) -> bool:
    """Tell whether an author is a company or a group, which is the same wherever it is named."""
    author = person(name)
    return author.body and bool(_BODY_HAN.search(name) if author.native else _UNMISTAKABLE.search(name))
