"""A question in pieces as the recogniser reads it: what kinds, relations and names it speaks of, and how they stand to each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from scholarmind.planning.structured.pieces import Piece, Tag
from scholarmind.planning.structured.placing import NAMED, stands
from scholarmind.planning.structured.thresholds import number_in
from scholarmind.planning.structured.years import Years
from scholarmind.relations import Form, NodeKind, Query, Relation
from scholarmind.text.language import lazy_regex

OF_PERSONS: frozenset[Relation] = frozenset(("AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_MEASURES: dict[str, NodeKind] = {"篇": "paper", "位": "author", "家": "institution"}
_ASKING: tuple[Tag, ...] = ("asks", "count", "first", "most", "best")
_OF_ANY_WORK = OF_PERSONS | {"PROPOSES"}
_LONGEST = 60  # characters of a name or topic
_MOST_WORDS = 9
_WORD = lazy_regex(r"[^\W_]+")
_NUMBER = lazy_regex(r"\d+年?")
_COMMA = lazy_regex(r"[,，、]")


@dataclass(frozen=True)
class Reading:
    """A question on one line, without the years and the number of papers that restrict it."""

    text: str
    pieces: Sequence[Piece]
    years: Years
    chinese: bool
    least: int | None = None  # papers

    def has(self, *tags: Tag) -> bool:
        """Tell whether anything says one of these."""
        return any(piece.tag in tags for piece in self.pieces)

    def all(self, tag: Tag) -> list[Piece]:
        """Return the pieces that say this."""
        return [piece for piece in self.pieces if piece.tag == tag]

    def first(self, tag: Tag) -> Piece | None:
        """Return the first piece that says this."""
        return next((piece for piece in self.pieces if piece.tag == tag), None)

    # -- names and topics

    @cached_property
    def groups(self) -> list[list[Piece]]:
        """The names that are wanted, each with those that `and`, `or` or a comma joins to it."""
        return self._grouped([piece for piece in self.all("name") if piece not in self.denied])

    @cached_property
    def denied(self) -> list[Piece]:
        """The names that are excepted: those behind `except` or `not`, and those before 以外."""
        found, opened, last = list[Piece](), False, None
        for piece in self.pieces:
            if piece.tag == "unless":
                found += [last] if piece.value == "before" and not opened and last else []
                opened = piece.value != "before"
            elif piece.value == "but" or piece.tag in {"asks", "who", "count"} or (piece.tag == "says" and found):
                opened = False
            elif piece.tag == "name":
                last = piece
                found += [piece] if opened else []
        return found

    def _grouped(self, names: Iterable[Piece]) -> list[list[Piece]]:
        groups: list[list[Piece]] = []
        for name in names:
            if groups and self._are_joined(groups[-1][-1], name):
                groups[-1].append(name)
            else:
                groups.append([name])
        return groups

    def _are_joined(self, one: Piece, other: Piece) -> bool:
        between = [piece for piece in self.pieces if one.end <= piece.start < other.start]
        joined = any(piece.tag in {"and", "or"} for piece in between) or bool(
            _COMMA.search(self.text[one.end : other.start])
        )
        return joined and all(piece.tag in {"and", "or", "both"} or piece.text == "the" for piece in between)

    @property
    def about(self) -> tuple[str, ...]:
        """The names and topics; several that are joined are one."""
        return tuple(dict.fromkeys(map(self._said, self.groups)))

    @property
    def each(self) -> list[str]:
        """The names and topics, every one by itself."""
        return [piece.text for group in self.groups for piece in group]

    @property
    def is_named(self) -> bool:
        """Whether there may be a name among them."""
        return any(map(NAMED.search, self.about))

    def _said(self, group: Sequence[Piece]) -> str:
        return group[0].text if len(group) == 1 else self.text[group[0].start : group[-1].end].strip('“”"《》「」 ')

    def around(self, piece: Piece) -> tuple[bool, bool]:
        """Tell whether names stand before a piece, and whether some stand behind it."""
        names = [name for group in self.groups for name in group]
        return any(name.end <= piece.start for name in names), any(name.start >= piece.end for name in names)

    @property
    def is_accounted_for(self) -> bool:
        """Whether names are short, no bare years, and topics stand where topics stand; half a sentence is none of these."""
        said = [*self.about, *(piece.text for piece in self.denied)]
        free = {piece.text for piece in self.all("name") if piece.value}  # in quotation marks
        short = all(
            text in free or (len(text) <= _LONGEST and len(_WORD.findall(text)) <= _MOST_WORDS) for text in said
        )
        return (
            short
            and self._joins_all
            and not any(map(_NUMBER.fullmatch, said))
            and all(map(self._is_placed, self.all("name")))
        )

    @property
    def _joins_all(self) -> bool:
        """Whether everything that `and` and `or` join are names: of `BERT or its variants` the half would be lost."""
        spans = [(group[0].start, group[-1].end) for group in (*self.groups, *self._grouped(self.denied))]
        joints = [piece for piece in self.pieces if piece.tag in {"and", "or"}]
        with_whom = {one.start for one, other in pairwise(self.pieces) if other.tag == "who" and self.has("together")}
        return all(
            joint.start in with_whom or any(start < joint.start < end for start, end in spans) for joint in joints
        )

    def _is_placed(self, name: Piece) -> bool:
        """Tell whether a topic stands behind a preposition or verb, or before a noun or verb; names may stand anywhere."""
        loud = [piece for piece in self.pieces if piece.tag != "quiet" or piece.text == "的"]
        place = loud.index(name)
        if name.value:
            return True
        return stands(loud, place, chinese=self.chinese)

    # -- kinds and relations

    @property
    def kinds(self) -> list[NodeKind]:
        """The kinds of node that are spoken of, in their order."""
        return [kind_of(piece) for piece in self.all("kind")]

    @cached_property
    def wanted(self) -> NodeKind | None:
        """The kind that is asked for: the noun behind a word that asks, the measure word, or the first noun."""
        for place, piece in enumerate(self.pieces):
            if piece.tag == "who":
                break
            if piece.tag in _ASKING:
                following = self.pieces[place + 1 :]
                found = next((one for one in following if one.tag in {"kind", "says", "who"}), None)
                if found and found.tag == "kind":
                    return kind_of(found)
                break
        counting = "".join(piece.text for piece in self.pieces if piece.tag in {*_ASKING, "quiet"})
        measured: NodeKind | None = next((_MEASURES[char] for char in counting if char in _MEASURES), None)
        if measured or self.has("who"):
            return measured
        return next(iter(self.kinds), None)

    @cached_property
    def says(self) -> Piece | None:
        """What says the relation that is asked for; who proposed, wrote or published only if nothing else is said."""
        found = self.all("says")
        telling = [piece for piece in found if relation_of(piece) not in _OF_ANY_WORK]
        proposing = [piece for piece in found if relation_of(piece) not in OF_PERSONS]
        return next(iter(telling or proposing or found), None)

    @property
    def relation(self) -> Relation | None:
        """The relation that is asked for."""
        if self.says:
            return relation_of(self.says)
        return "AUTHORED_BY" if self.has("by", "together") and self.about else None

    @property
    def restricting(self) -> Relation | None:
        """The relation, if there is anything that it holds to: what came out in a year is all of that year."""
        return self.relation if self.about or self.denied else None

    @property
    def is_of_one_relation(self) -> bool:
        """Whether nothing else is said to be so, which would be lost; what a paper is tested on, it uses."""
        said = {relation_of(piece) for piece in self.all("says")} - _OF_ANY_WORK
        return len(said - {"EVALUATED_ON"} if "USES" in said else said) < 2

    @property
    def is_backwards(self) -> bool:
        """Whether a relation is asked for from its other end: what BERT builds on, what is cited by BERT."""
        if self.says is None or self.relation not in {"IMPROVES_ON", "CITES"}:
            return False
        if self.chinese:
            return self._is_backwards_in_chinese(self.says)
        before, behind = self.around(self.says)
        return (before and not behind) != (self.says.text.lower().endswith(" by") and not before)

    def _is_backwards_in_chinese(self, says: Piece) -> bool:
        """Tell the same of Chinese: RoBERTa基于什么 and 是在什么基础上改进的, but neither 被哪些 nor 在RoBERTa基础上."""
        name = next((group[0] for group in self.groups), None)
        asks = next((piece for piece in self.pieces if piece.tag in {"asks", "who"}), None)
        if name is None or asks is None or name.start > min(says.start, asks.start):
            return False
        between = [piece.tag for piece in self.pieces if asks.end <= piece.start < says.start]
        if asks.start < says.start and "kind" not in between:
            return False  # 有哪些主要改进: the improvement itself is asked for
        wrapped = self.pieces.index(name) and self.pieces[self.pieces.index(name) - 1].text in {"在", "以"}
        return not wrapped and not any(piece.text == "被" for piece in self.pieces)

    @property
    def names_what_it_asks(self) -> bool:
        """Whether the noun of what is asked for stands right behind the word that asks: which models, 哪些模型."""
        loud = [piece for piece in self.pieces if piece.tag != "quiet"]
        return any(one.value == "wh" and other.tag == "kind" for one, other in pairwise(loud))

    @property
    def metric(self) -> str:
        """The metric that is named, or ''."""
        found = self.first("metric")
        return found.text if found else ""

    @property
    def asks(self) -> bool:
        """Whether it is a question, an order, or a noun phrase that begins or ends with what it wants."""
        if self.has("asks", "who", "where", "count", "rank"):
            return True
        loud = [piece for piece in self.pieces if piece.tag not in {"quiet", "library"}]
        if not loud:
            return False
        begins = self.chinese or loud[0].tag in {
            "kind",
            "result",
            "best",
            "metric",
            "most",
            "first",
            "common",
            "lineage",
            "together",
        }
        return begins or (loud[0].tag == "name" and "kind" in {piece.tag for piece in (loud[-1], *loud[1:2])})

    @property
    def questions(self) -> int:
        """How many things are asked for one after the other."""
        found = 0
        for place, piece in enumerate(self.pieces):
            before = next((one for one in reversed(self.pieces[:place]) if one.tag != "quiet"), None)
            relative = before is not None and before.tag == "kind" and not self.chinese  # papers which use it
            found += piece.tag in {"who", "where"} or (piece.tag == "asks" and piece.value == "wh" and not relative)
            found += piece.tag == "count" and not self.has("most")
        return found

    @property
    def begins_with_what_it_asks(self) -> bool:
        """Whether nothing is said before it asks, but where or of what: a clause before an English question would be lost."""
        asks = next((piece for piece in self.pieces if piece.tag in {"who", "where"} or piece.value == "wh"), None)
        if self.chinese or asks is None or self.pieces[0].tag in {"topic", "of", "by"}:
            return True
        return not any(piece.tag in {"name", "kind", "says"} for piece in self.pieces if piece.end <= asks.start) or (
            self.has("count", "rank") or self.pieces[0].tag == "asks"
        )

    @property
    def top(self) -> int | None:
        """How many of the first are asked for."""
        said = " ".join(piece.text for piece in self.pieces if piece.tag in {"most", "number"})
        return number_in(said)

    def query(self, form: Form, wanted: NodeKind, relation: Relation | None = None, **given: Any) -> Query:
        """Return the query, about all names, within the years of the question."""
        query = Query(
            form=form,
            wanted=wanted,
            text=self.text,
            relation=relation,
            about=self.about,
            without=tuple(piece.text for piece in self.denied),
            since=self.years.since,
            until=self.years.until,
            least=self.least,
        )
        return replace(query, **given)


def relation_of(piece: Piece) -> Relation:
    """Return the relation that a piece says."""
    return piece.value  # pyright: ignore[reportReturnType]


def kind_of(piece: Piece) -> NodeKind:
    """Return the kind of node that a piece says."""
    return piece.value  # pyright: ignore[reportReturnType]
