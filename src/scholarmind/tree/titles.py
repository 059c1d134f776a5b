"""A title for a node: the documents that most of it is from, what its passages stand under, and phrases that tell it from others."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from scholarmind.relations import SummarySources
from scholarmind.text.analysis import terms
from scholarmind.text.orders import is_order
from scholarmind.tree.phrases import is_name, phrases

PARTS = re.compile(", |: ")
Known = TypeVar("Known")
_MOST = 3  # names or phrases
_LEADING = 0.6  # of the passages are from the documents that a title names
_COMMON = 0.5  # of the passages stand under the heading that a title names
_LONGEST = 40  # characters of a name or a heading
_NUMBER = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?\s+|(?:[A-Z](?:\.\d+)*|[IVX]+)\.\s*|第?[一二三四五六七八九十]+[章节、.．]\s*)(?=\S)"
)
_SENTENCE_CASE = re.compile(r"[A-Z][a-z]+(?: [^A-Z]*)?")
_SAYS_LITTLE = re.compile(
    r"(?:abstract|introduction|overview|background|summary|conclusions?|references|appendix.*|摘要|引言|绪论|概述|背景|总结|结论|小结|参考文献|附录.*)",
    re.IGNORECASE,
)


def title_of(
    sentences: Sequence[str], weights: Mapping[str, float], context: Sequence[str], sources: SummarySources
) -> str:
    """Return what a node is about, such as `RoBERTa, XLNet: training data`; its parts are joined by commas.

    What gives orders to a machine is no part of it, be it a name, a heading or a key word.
    """
    names, headings, subjects = (
        _without_orders(sources.names),
        _without_orders(sources.headings),
        _without_orders(sources.subjects),
    )
    leading, heading = _leading(names), _heading(headings)
    if leading and heading:
        return f"{', '.join(leading)}: {_lower(heading)}"
    wanted = 2 if heading or len(leading) == 1 else 1 if leading else _MOST
    known = _terms_of((*leading, heading, *(names if leading else ())))
    found = [] if leading or heading else _shared(subjects, wanted)
    told = known | _terms_of(found) | sources.aside
    more = phrases(sentences, weights, context, given=subjects, told=told)
    found += islice(more if wanted > 1 else filter(is_name, more), wanted - len(found))
    if not leading:
        found += _unsaid(names, found)[: wanted - len(found)]
    first = ", ".join(leading) or heading
    if not first and not found:  # there is little text: what is said once has to do
        found += islice(phrases(sentences, weights, context, least=1), wanted)
    return f"{first}: {', '.join(found)}" if first and found else first or ", ".join(found)


def _without_orders(known: Mapping[str, Known]) -> dict[str, Known]:
    return {text: value for text, value in known.items() if not is_order(text)}


def _leading(names: Mapping[str, int]) -> list[str]:
    """Return the few documents that most of the passages are from, or none."""
    most = sorted(names, key=lambda name: -names[name])[:_MOST]
    for count in range(1, len(most) + 1):
        if sum(names[name] for name in most[:count]) >= _LEADING * sum(names.values()):
            return most[:count] if all(len(name) <= _LONGEST for name in most[:count]) else []
    return []


def _heading(headings: Mapping[str, int]) -> str:
    """Return the heading that most of the passages stand under, or an empty text."""
    counts: dict[str, int] = {}
    for heading, count in headings.items():
        bare = _NUMBER.sub("", heading).strip()
        counts[bare] = counts.get(bare, 0) + count
    best = max(counts, key=lambda heading: counts[heading], default="")
    is_common = bool(best) and counts[best] > 1 and counts[best] >= _COMMON * sum(counts.values())
    return best if is_common and len(best) <= _LONGEST and not _SAYS_LITTLE.fullmatch(best) else ""


def _shared(subjects: Mapping[str, frozenset[int]], count: int) -> list[str]:
    """Return key words that several documents share, each time the one of most documents that none before is of."""
    waiting = {subject: on for subject, on in subjects.items() if len(on) > 1 and len(subject) <= _LONGEST}
    found: list[str] = []
    left = frozenset[int]().union(*waiting.values())
    while waiting and len(found) < count:
        best = max(waiting, key=lambda subject: (len(waiting[subject] & left), len(waiting[subject])))
        on = waiting.pop(best)
        if len(on & left) > 1:
            found += _unsaid((best,), found)
            left -= on
    return found


def _unsaid(names: Iterable[str], told: Iterable[str]) -> list[str]:
    """Return the names of which no word was told."""
    known = _terms_of(told)
    return [name for name in names if len(name) <= _LONGEST and not known & set(terms(name))]


def _terms_of(texts: Iterable[str]) -> set[str]:
    return {term for text in texts for term in terms(text)}


def _lower(heading: str) -> str:
    return heading[0].lower() + heading[1:] if _SENTENCE_CASE.fullmatch(heading) else heading
