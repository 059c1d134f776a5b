"""What was counted, as one plain sentence in the language of the question, without citations."""

from collections.abc import Sequence

from scholarmind.library.relating import saying_chinese, saying_english
from scholarmind.library.relating.sighting import Subject, excepts
from scholarmind.library.relating.told import Told
from scholarmind.library.relating.words import span
from scholarmind.planning.words import is_chinese
from scholarmind.relations import Query

_NAMED = 12  # names in a sentence
_OF_ONE = 60  # where one document gives them all, so that no table follows: who wrote a paper
_VALUES = 4  # of a method's results


def said(
    query: Query,
    items: Sequence[str],
    subjects: Sequence[Subject],
    left_out: Sequence[Subject] = (),
    *,
    best: int = 0,
    by_one: bool = False,
) -> str:
    """Return the sentence. `best` is the largest count of a ranking, or the year; `by_one`: one document proves it all."""
    chinese = is_chinese(query.text)
    most = _OF_ONE if by_one and query.form == "list" else _VALUES if query.form == "results" else _NAMED
    told = Told(query=query, items=items, subjects=subjects, years=span(query, chinese=chinese), best=best, most=most)
    language = saying_chinese if chinese else saying_english
    sentence = language.sentence(told)
    if not left_out:
        return sentence
    stop = sentence[-1]
    names = [subject.text if excepts(query) else language.which(told, subject) for subject in left_out]
    return sentence[:-1] + language.left_out(names) + stop
