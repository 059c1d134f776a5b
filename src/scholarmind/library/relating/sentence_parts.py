"""The parts of a sentence about a count, a list or a table, in whatever language: what it is about, kinds, names in a row, years.

`Told` holds a question and what it came to; `english_sentences` and `chinese_sentences` make a sentence of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.library.relating.paper_sets import Subject
from scholarmind.relations import NodeKind, Query

# -- a question, and what it came to

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


# -- kinds, names in a row, years, the heads of a table

_NOUNS: Mapping[NodeKind, tuple[str, str, str]] = {
    "paper": ("paper", "papers", "论文"),
    "author": ("author", "authors", "作者"),
    "institution": ("institution", "institutions", "机构"),
    "method": ("method", "methods", "方法"),
    "dataset": ("data set", "data sets", "数据集"),
    "metric": ("metric", "metrics", "指标"),
    "task": ("task", "tasks", "任务"),
    "venue": ("venue", "venues", "会议或期刊"),
    "year": ("year", "years", "年份"),
}

_HEADS: Mapping[str, str] = {
    "paper": "论文", "year": "年份", "papers": "论文数", "method": "方法", "metric": "指标", "value": "数值",
    "setting": "条件", "builds on": "基于", "also": "另见", "shared by": "共有", "steps": "步数", "stated by": "出处", "which": "哪些",
    "author": "作者", "institution": "机构", "data set": "数据集", "task": "任务", "venue": "会议或期刊", "source": "出处",
}  # fmt: skip

_MOST_NAMED = 12


def columns_of(heads: Sequence[str], *, chinese: bool) -> tuple[str, ...]:
    """Return the heads of a table in the language of the question."""
    return tuple(_HEADS.get(head, head) if chinese else head for head in heads)


def noun(kind: NodeKind, *, chinese: bool, many: bool = False) -> str:
    """Return what a kind of node is called."""
    one, several, in_chinese = _NOUNS[kind]
    return in_chinese if chinese else several if many else one


def listing(names: Sequence[str], *, chinese: bool, most: int = _MOST_NAMED) -> str:
    """Return names as a list in a sentence, the first of them if they are many."""
    shown, more = list(names[:most]), len(names) - most
    if chinese:
        return "、".join(shown) + (f"等{len(names)}项" if more > 0 else "")
    comma = "; " if any(", " in name for name in shown) else ", "
    if more > 0:
        return comma.join(shown) + f" and {more} more"
    return "".join(shown) if len(shown) < 2 else comma.join(shown[:-1]) + f" and {shown[-1]}"


def span(query: Query, *, chinese: bool) -> str:
    """Return the years that a question is restricted to, in words; '' for none."""
    since, until = query.since, query.until
    if since is None and until is None:
        return ""
    if since == until:
        return f"{since}年" if chinese else f" of {since}"
    if since is None:
        return f"{until}年及以前" if chinese else f" until {until}"
    if until is None:
        return f"{since}年以来" if chinese else f" since {since}"
    return f"{since}年至{until}年" if chinese else f" from {since} to {until}"
