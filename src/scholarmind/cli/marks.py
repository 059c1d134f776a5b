"""Marks the sentences of an answer that could not be confirmed."""

import re
from collections.abc import Sequence

from scholarmind.answer import Claim

MARK = "†"
MEANING = f"{MARK} not confirmed: the passages that were read were not found to say this"
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"(?:[^\w\[\]]|_|\[[^\[\]]{0,300}\])*?"  # other signs, and citations
_BEHIND = r"(?:\s*\[[^\[\]]{0,300}\])*[.!?。！？…;；]*[\"'”’)）*_]*(?:\s?\[[^\[\]]{0,300}\])*"
_LONGEST = 400  # words


def marked(text: str, claims: Sequence[Claim]) -> tuple[str, tuple[str, ...]]:
    """Return the text with a mark behind each sentence that is not confirmed, and those sentences that were not found in it."""
    lost: list[str] = []
    for claim in claims:
        if claim.status != "unsupported":
            continue
        place = _end_of(claim.text, text)
        if place is None:
            lost.append(claim.text)
        elif not text.startswith(MARK, place):
            text = f"{text[:place]}{MARK}{text[place:]}"
    return text, tuple(dict.fromkeys(lost))


def _end_of(sentence: str, text: str) -> int | None:
    """Return where a sentence ends in the text; of `name: cell` or `lead: item`, the latter comes somewhere behind the former."""
    if (end := _found(sentence, text, 0)) is not None:
        return end
    lead, _, item = sentence.partition(": ")
    return _found(item, text, _found(lead, text, 0) or 0)


def _found(said: str, text: str, start: int) -> int | None:
    words = _WORD.findall(said)
    if not words or len(words) > _LONGEST:
        return None
    pattern = _BETWEEN.join(map(re.escape, words)) + _BEHIND
    found = re.compile(rf"(?<![^\W_]){pattern}").search(text, start)
    return found.end() if found else None
