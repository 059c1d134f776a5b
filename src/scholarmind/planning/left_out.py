"""What a model's plan left out of the question, and where it is put back: a name where the search begins, other words where it ends."""

import re
from dataclasses import replace

from scholarmind.planning.complete import lost_words
from scholarmind.planning.draft import Draft, referred
from scholarmind.planning.words import CHINESE, content, statement
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


def put_back(question: str, drafts: list[Draft]) -> list[Draft]:
    """Return the drafts with the words that were left out; in a chain of steps what is no name belongs to the last of them."""
    lost = left_out(question, [draft.text for draft in drafts])
    finds = [place for place, draft in enumerate(drafts) if draft.role == "find"]
    free = [place for place in finds if not referred(drafts[place].text) and content(drafts[place].text)] or finds
    wanted = {place for draft in drafts for place in referred(draft.text)}
    ends = [place for place in finds if referred(drafts[place].text) and place not in wanted]
    plain = [word for word in lost if ends and not _is_name(word, question)]
    found = list(drafts)
    for place, words in ((free[-1], [word for word in lost if word not in plain]), ((ends or free)[-1], plain)):
        if words:
            found[place] = replace(found[place], text=_with(found[place].text, words))
    return found


def _with(text: str, words: list[str]) -> str:
    """Return a question with more words before its mark."""
    body = statement(text)
    joined = f"（{' '.join(words)}）" if CHINESE.search(body) else f" ({' '.join(words)})"
    return body + joined + text[len(body) :].strip()


def _forms(word: str) -> set[str]:
    """Return the terms of a word; `pan-african` is the same as `pan african`, but `gpt-2` is more than a 2."""
    return set(terms(word if any(map(str.isdigit, word)) else word.replace("-", " ")))


def _is_compound(word: str, known: set[str]) -> bool:
    """Tell whether a word is made of two that are there: `birthplace` of `place of birth`."""
    cuts = range(_LEAST_HALF, len(word) - _LEAST_HALF + 1)
    return word.isascii() and word.isalpha() and any(word[:cut] in known and word[cut:] in known for cut in cuts)


def _is_name(word: str, question: str) -> bool:
    """Tell whether a word is a name or a number, as the question writes it."""
    if CHINESE.search(word) or not word.isalpha():
        return True
    written = re.search(rf"\b{re.escape(word)}\b", question, re.IGNORECASE)
    return written is None or (written.start() > 0 and not written[0].islower())
