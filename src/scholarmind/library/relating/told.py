"""What the sentence about a count, a list or a table is made of, in whatever language it is said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.library.relating.sighting import Subject
from scholarmind.relations import NodeKind, Query

_JOINED = re.compile(r" and |, |和|与|跟|、|以及")
_STATED = frozenset({"PROPOSES", "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"})
_OF_PEOPLE = frozenset({"CITES", "USES", "IMPROVES_ON", "EVALUATED_ON"})
_PEOPLE: tuple[NodeKind, ...] = ("author", "institution", "venue", "year")
_THINGS: tuple[NodeKind, ...] = ("method", "dataset", "task", "paper")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A question, and what it came to. `years` are in words; `best` is the largest count of a ranking, or the year."""

    query: Query
    items: Sequence[str]
    subjects: Sequence[Subject]
    years: str
    best: int
    most: int  # names that are told

    @property
    def counts(self) -> bool:
        """Whether it is asked how many there are, not which."""
        return self.query.form == "count"

    @property
    def several(self) -> bool:
        """Whether more than one is told of."""
        return int(self.items[0]) != 1 if self.counts else len(self.items) > 1

    @property
    def about_several(self) -> bool:
        """Whether it is about more than one thing."""
        return len(self.subjects) > 1 or any(
            len(subject.nodes) > 1 and _JOINED.search(subject.text) for subject in self.subjects
        )

    @property
    def of_things(self) -> bool:
        """Whether it is about methods, data sets or papers by name, whose papers say what is asked."""
        return any(subject.of(*_THINGS) for subject in self.subjects)

    @property
    def states(self) -> bool:
        """Whether what is asked stands in the papers that propose these things."""
        return self.of_things and self.query.relation in _STATED

    @property
    def methods(self) -> list[str]:
        """The methods that it is about, by name."""
        return [subject.text for subject in self.subjects if subject.of("method") and not subject.of("dataset")]

    @property
    def beside(self) -> list[str]:
        """What else it is about: the data sets of results."""
        return [subject.text for subject in self.subjects if subject.text not in self.methods]

    def people(self, subject: Subject) -> NodeKind | None:
        """Return whose papers it speaks of, if it does: those of an author, a group, a venue or a year."""
        if self.query.relation in _OF_PEOPLE and len(self.subjects) < 2:
            return None
        return next((kind for kind in _PEOPLE if subject.of(kind)), None)

    def is_named(self, subject: Subject) -> bool:
        """Tell whether a subject is a node of the graph, and no topic."""
        return bool(subject.of(*_THINGS))
