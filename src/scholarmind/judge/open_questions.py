"""Sentences that state no answer: their clause that could bear it is a question itself ("It remains unknown which ...")."""

from functools import lru_cache

from scholarmind import languages
from scholarmind.text.analysis import terms

_LONGEST = 2_000


@lru_cache(maxsize=8192)
def leaves_open(text: str, question: str = "") -> bool:
    """Tell whether the clause of a text that could answer a question embeds one itself that is unknown or disputed.

    What follows a "but" is of the same clause: "whether it harms is disputed, but here it did not" states something.
    """
    language = languages.of(text)
    parts = [part for part in language.pattern("statement.part").split(text[:_LONGEST]) if any(map(str.isalpha, part))]
    asked = frozenset(terms(question))
    held: dict[bool, int] = {}
    for part in parts:
        clauses = [clause for clause in language.pattern("statement.turn").split(part) if any(map(str.isalpha, clause))]
        is_open = all(language.pattern("statement.open").search(clause) for clause in clauses)
        held[is_open] = max(held.get(is_open, 0), len(asked.intersection(terms(part))))
    return True in held and (False not in held or held[True] > held[False])


def asks_what_is_open(question: str) -> bool:
    """Tell whether a question asks for what is unknown or disputed: then that is its answer."""
    return languages.of(question).pattern("statement.asks_what_is_open").search(question) is not None
