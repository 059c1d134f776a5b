"""What a reader of questions marks in one: its asks, what each lists and describes, and what its words point back to.

Places are those of characters; `planning/decomposition/marked.py` makes parts of them.
"""

from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anaphor:
    """Words that point back, or a place where words were left out: what they mean is words of the question, or the answer of an ask."""

    place: Span
    words: Span | None = None
    ask: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a reader found in a question. `asks` are the stretches that ask something, in order; descriptions may stand in one another."""

    asks: tuple[Span, ...]
    background: tuple[Span, ...] = ()
    courtesy: tuple[Span, ...] = ()
    lists: tuple[tuple[Span, ...], ...] = ()
    descriptions: tuple[Span, ...] = ()
    pointers: tuple[Anaphor, ...] = ()
