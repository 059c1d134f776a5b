"""A question on one line as the recogniser reads it: what kinds and relations it speaks of, and what else is left in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholarmind.planning.structured_words import Words
from scholarmind.planning.structured_years import Years
from scholarmind.relations import Form, NodeKind, Query, Relation

_LONGEST = 60  # characters of a name or topic
_COMMA = re.compile(r", (?=[A-Z0-9#])|、|，(?=[A-Z0-9#])")  # of names, one after another
_SENTENCE = re.compile(r"[:：,，]|\b(?:is|are|was|were|did|does|has|had|who|whose|that|which|would|or)\b")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on one line, without the years that restrict it."""

    text: str
    words: Words
    years: Years

    def kinds(self) -> list[tuple[NodeKind, int, int]]:
        """Return the kinds of node that are spoken of, with where."""
        return [
            (kind, *match.span())
            for match in self.words.kind.finditer(self.text)
            for kind in self.words.kinds
            if match[kind] and not (match.start() and match[0][0].isupper())  # Stanford University is a name
        ]

    def spoken_of(self) -> list[NodeKind]:
        """Return the kinds of node that are spoken of, in their order."""
        return [kind for kind, _, _ in self.kinds()]

    def kind(self, start: int = 0, end: int | None = None) -> NodeKind | None:
        """Return the first kind that is spoken of; in a stretch that asks for one, whatever stands before its noun."""
        if end is None:
            return next((kind for kind, begin, _ in self.kinds() if begin >= start), None)
        match = self.words.noun.search(self.text[start:end])
        return next((kind for kind in self.words.kinds if match[kind]), None) if match else None

    def relation(self, text: str | None = None) -> Relation | None:
        """Return the plainest relation that the words say."""
        said = self.text if text is None else text
        return next((relation for relation, pattern in self.words.relations if pattern.search(said)), None)

    def about(self, *spans: tuple[int, int]) -> tuple[str, ...]:
        """Return what is left when these stretches are taken out, and the words that say kinds and relations: names and topics."""
        cut = [*spans, *((start, end) for _, start, end in self.kinds())]
        for pattern in (*(pattern for _, pattern in self.words.relations), self.words.topic, self.words.library):
            cut += [match.span() for match in pattern.finditer(self.text)]
        edges = sorted([(0, 0), *cut, (len(self.text), len(self.text))])
        found, reach = list[str](), 0
        for (_, end), (start, _) in pairwise(edges):
            reach = max(reach, end)
            if start > reach:
                found.append(self.words.trimmed(self.text[reach:start]))
        return tuple(dict.fromkeys(piece for piece in found if any(map(str.isalnum, piece))))

    def fits(self, about: Sequence[str]) -> bool:
        """Tell whether these may be names and topics: not half a sentence that the patterns made nothing of."""
        return all(
            len(part) <= _LONGEST and not _SENTENCE.search(part) for piece in about for part in _COMMA.split(piece)
        )

    def query(
        self,
        form: Form,
        wanted: NodeKind,
        about: Sequence[str],
        relation: Relation | None = None,
        *,
        metric: str = "",
        inverse: bool = False,
    ) -> Query:
        """Return the query, within the years of the question."""
        match = self.words.most.search(self.text)
        number = next((value for value in match.groupdict().values() if value), "") if match else ""
        return Query(
            form=form,
            wanted=wanted,
            text=self.text,
            relation=relation,
            about=tuple(about),
            metric=metric,
            since=self.years.since,
            until=self.years.until,
            most=int(number) if number.isdigit() else self.words.numbers.get(number.lower()),
            inverse=inverse,
        )
