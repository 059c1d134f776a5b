"""Recognise a question that the graph of papers answers by counting, sorting or following edges. Cautious: most questions are none.

`how many` counts only what is a node there (papers, authors, methods, datasets ...): never heads or parameters.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from scholarmind.planning.protected import REFERENCES, cleaned
from scholarmind.planning.split import polite
from scholarmind.planning.structured_asked import Asked
from scholarmind.planning.structured_chinese import CHINESE
from scholarmind.planning.structured_english import ENGLISH
from scholarmind.planning.structured_forms import FORMS
from scholarmind.planning.structured_years import years_of
from scholarmind.planning.words import is_chinese, statement
from scholarmind.relations import Form, Query

_LONGEST = 600  # characters
_WH = r"(?:how|which|what|who|whom|when|where|why)\b"
_DENIED = re.compile(  # what is not so has no edge; and a ranking from below, or year by year, is none of the forms
    r"\b(?:not|never|neither|nor|without|except|excluding|other than|besides|apart from|fewest|least)\b|n['’]t\b"
    r"|\b(?:each|every|per) (?:year|venue|conference|journal)\b"
    r"|不是|没有|没在|没用|未(?!来)|除了|除.{1,12}外|而非|并非|不(?:用|使用|在|属于|由|包括|含|基于)|最少|每年|每一年|各年|逐年",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    rf"[?？。！!;；\n]|\b{_WH}.*(?:,| and|,? as well as|,? but)\s+(?:(?:on|by|in|for|at|with) )?{_WH}"
    r"|(?:哪|谁|什么|多少|几[篇个种]|如何|怎).*(?:，|,(?! ?[A-Z0-9#])|、.*(?:哪|谁|什么|多少|如何|怎))",
    re.IGNORECASE,
)


def recognise(text: str, now: int | None = None) -> Query | None:
    """Return what the graph is asked for, or None where the question is not plainly one of its forms.

    `now` is the year that "the last three years" are counted from.
    """
    return _recognised(text, now or datetime.now(UTC).year)


def described(text: str, now: int | None = None) -> Query | None:
    """Return the query behind a description that stands for its answer: `the models that improve on BERT`, `BERT所改进的模型`."""
    body = statement(text)
    asked = (CHINESE if is_chinese(body) else ENGLISH).described(body)
    return recognise(asked, now) if asked and len(asked) < _LONGEST else None


def form_of(text: str) -> Form | None:
    """Return the form of a structured question; None for any other."""
    query = recognise(text)
    return query.form if query else None


def held_together(text: str, parts: Sequence[str]) -> bool:
    """Tell whether a question that the graph answers whole would be taken apart in another way than into two steps of its own."""
    if len(parts) < 2 or recognise(text) is None:
        return False
    return len(parts) > 2 or not all(recognise(REFERENCES.sub("#1", part)) for part in parts)


@lru_cache(maxsize=256)
def _recognised(text: str, now: int) -> Query | None:
    body = statement(polite(cleaned(text[: _LONGEST + 1]).strip()))
    if not body or len(text) > _LONGEST or _SEVERAL.search(body):
        return None
    chinese = is_chinese(body)
    words = CHINESE if chinese else ENGLISH
    if words.never.search(body) or (_DENIED.search(body) and not words.contradictions.search(body)):
        return None
    years = years_of(body, now, chinese=chinese)
    asked = Asked(years.text, words, years)
    found = next((query for form in FORMS if (query := form(asked)) is not None), None)
    if found is None or not asked.fits([piece for piece in found.about if not words.described(piece)]):
        return None
    return replace(found, text=text)
