"""Whether the question that a model made of a follow-up may take its place."""

from scholarmind.planning.complete import lost_words
from scholarmind.planning.foreign import other_language
from scholarmind.planning.mending import Known
from scholarmind.planning.sheet import plain
from scholarmind.planning.vague import points_back

_LONGEST = 1_000  # characters, or twice what was given


def stands_alone(standalone: str, known: Known, typed: str) -> str:
    """Return the model's stand-alone question if it differs from the one given and is to be used, or ''.

    It must keep every word of what was typed, and may add only what the conversation has said.
    """
    became = plain(standalone, known.marker)
    if not became or became == plain(known.question) or len(became) > max(_LONGEST, 2 * len(known.question)):
        return ""
    if other_language(became, typed or known.question) or points_back(became):
        return ""
    if lost_words(typed or known.question, [became]) or known.grounds().guesses(became):
        return ""
    return became
