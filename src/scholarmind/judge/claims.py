"""Whether the sources of a sentence say it. A stand-in, until the judge itself is there."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Literal

Ruling = Literal["verified", "paraphrase", "conclusion", "doubtful", "refused"]


def rule(sentence: str, sources: Sequence[str], about: str = "") -> Ruling:
    """Return how far the sources say a sentence. `about` is what is known of them besides: titles, authors, years."""
    judged = import_module("scholarmind.writing.restating").judged
    contradicted = import_module("scholarmind.writing.check").contradicted
    status = judged(sentence, sources, about)
    if status != "unsupported":
        return status
    return "refused" if contradicted(sentence, [*sources, about]) else "doubtful"


def words_say(words: str, sentence: str, sources: Sequence[str], about: str = "") -> Ruling:
    """Return the same where somebody points at the words that are to say it."""
    ruling = rule(sentence, sources, about)
    pieces = [" ".join(piece.split()) for piece in re.split(r"\.\.\.|…", words)]
    plain = [" ".join(source.split()) for source in sources]
    stand = any(pieces) and all(any(piece in source for source in plain) for piece in pieces)
    return "paraphrase" if ruling == "doubtful" and stand else ruling
