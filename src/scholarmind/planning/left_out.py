"""What a model's plan left out of the question."""

import re
from collections.abc import Sequence

from scholarmind.planning.complete import lost_words
from scholarmind.planning.words import CHINESE
from scholarmind.text.analysis import fold, terms
from scholarmind.text.language import language_of

# words that only tie the steps of a question together: a plan says the same by its references
_TIES = frozenset(
    "located found situated place took takes person one name named called known come comes came does made make became become held "
    "happened happens occurred kind type sort 人 位 名 那 个 所 叫 叫做 位于 来自 属于 具体".split()
)
_SMALL_WORD = 4  # letters, in languages whose small words we do not know
_LEAST_HALF = 3  # letters of each half of `birthplace` for `place of birth`


def left_out(question: str, texts: list[str]) -> list[str]:
    """Return the words of a question that say something and stand in no text, in whatever form."""
    lost = [word for word in lost_words(question, texts) if word not in _TIES]
    if not lost:
        return []
    whole = " ".join(texts)
    known, forms = set(re.findall(r"\w+", fold(whole))), set(terms(whole))
    small = 0 if language_of(question) in {"en", "zh", ""} else _SMALL_WORD
    return [
        word
        for word in lost
        if not (_forms(word) <= forms or _is_compound(word, known) or (word.isalpha() and len(word) <= small))
    ]


def named_in_vain(lost: Sequence[str], question: str, entities: Sequence[str]) -> list[str]:
    """Return those of the lost words that are numbers, or belong to names: what restricts a search, and is not said in another way."""
    named = fold(" ".join(entities))
    return [
        word
        for word in lost
        if any(map(str.isdigit, word)) or (word in named if CHINESE.search(word) else _is_name(word, question))
    ]


def _forms(word: str) -> set[str]:
    """Return the terms of a word; `pan-african` is the same as `pan african`, but `gpt-2` is more than a 2."""
    return set(terms(word if any(map(str.isdigit, word)) else word.replace("-", " ")))


def _is_compound(word: str, known: set[str]) -> bool:
    """Tell whether a word is made of two that are there: `birthplace` of `place of birth`."""
    cuts = range(_LEAST_HALF, len(word) - _LEAST_HALF + 1)
    return word.isascii() and word.isalpha() and any(word[:cut] in known and word[cut:] in known for cut in cuts)


def _is_name(word: str, question: str) -> bool:
    """Tell whether a word is a name or a number, as the question writes it."""
    written = re.search(rf"\b{re.escape(word)}\b", question, re.IGNORECASE)
    return written is None or (written.start() > 0 and not written[0].islower())
