"""Sentences that state no answer: their clause that could bear it is a question itself ("It remains unknown which ...")."""

from functools import lru_cache

from scholarmind import languages

_LONGEST = 2_000


@lru_cache(maxsize=8192)
def leaves_open(text: str) -> bool:
    """Tell whether a text leaves open all that it speaks of: each of its main clauses embeds a question that is unknown or disputed."""
    language = languages.of(text)
    parts = [part for part in language.pattern("statement.part").split(text[:_LONGEST]) if any(map(str.isalpha, part))]
    return bool(parts) and all(language.pattern("statement.open").search(part) for part in parts)


def asks_what_is_open(question: str) -> bool:
    """Tell whether a question asks for what is unknown or disputed: then that is its answer."""
    return languages.of(question).pattern("statement.asks_what_is_open").search(question) is not None
