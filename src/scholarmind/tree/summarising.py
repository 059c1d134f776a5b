"""Say what a node of the tree is about with sentences of its own passages: those that share most with all the others, each saying
something else. No sentence is embedded, and none is made: what a summary says, its passages say.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Protocol

from scholarmind.relations import Summary, SummarySentence, SummaryTask, SummaryText
from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN
from scholarmind.text.orders import is_order
from scholarmind.text.sentences import sentences
from scholarmind.tree.titles import title_of

_MOST = 6  # sentences
_CHARACTERS = 600  # of a summary, about 150 tokens
_CHARACTERS_ABOVE = 900  # above level 1
_HAN_WORTH = 2.5  # a Chinese character says as much as so many letters
_STANDING = 8  # passages that a sentence names, of all that have it
_SHORTEST, _LONGEST = 40, 400  # characters of a sentence that is taken gladly
_ONLY_ONE = 0.25  # what one text alone has weighs little, however rare it is
_SAID = 0.25  # of its weight is left to a term that was said
_HEARD = 0.6  # of its weight is left to a sentence of a document that was heard
_LEANING = 0.5  # of its weight is left to a sentence that leans on the one before it
_UNNAMED = 0.75  # of its weight is left to a sentence that names none of the documents
_LETTERS = 0.75  # letters and spaces at least, of the signs of a sentence: less is a table or a formula
_BREAKS = 3  # lines of a sentence: more are a form or a list
_HEADED = 0.6  # of the second line of a sentence is longer than a first line that is a heading
_ENDS = re.compile(r"[.!?。！？…][\"'”’)\]」』）]*$")
_LEANS = re.compile(
    r"(?:It|They|He|She|Its|Their|His|Her|These|Those|This|That|Such|Both|Another|Others?|Here|There|Then|However|Therefore|Thus|Hence"
    r"|Moreover|Furthermore|Finally|Also|Second|Third|Instead|Nevertheless|Nonetheless|Similarly|Likewise|Conversely|But|And|So|Or|Yet)\b"
    r"|The (?:authors?|latter|former|same|other|second|third|price|result|claim|paper|preprint|report)\b"
    r"|In (?:contrast|addition|particular|other words|words)\b|For (?:example|instance)\b"
    r"|它|他|她|这|此|其|该|因此|然而|但是|但|同时|另外|此外|最后|所以|同一|上述|以上|后者|前者|作者|论文|后续|随后|为此|技术报告|第[二三四五六]|另一|而|也|还|不过|并且|例如|比如"
)


class Summariser(Protocol):
    """Makes summaries, one for each task in its order. What it says must stand in the texts of the task."""

    async def summarise(self, tasks: Sequence[SummaryTask]) -> list[Summary]: ...


class Extractive:
    """Makes summaries of sentences as they stand in the passages."""

    async def summarise(self, tasks: Sequence[SummaryTask]) -> list[Summary]:
        """Return a summary for each node."""
        return await asyncio.to_thread(lambda: [extract(task) for task in tasks])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    place: int
    text: str
    passages: tuple[int, ...]
    document: str
    terms: frozenset[str]
    weight: float  # 1, or less for one that does not stand by itself


def extract(task: SummaryTask) -> Summary:
    """Return the most telling sentences of a node in the order in which they stand, and its title."""
    candidates = _candidates(task)
    weights = _weights(candidates, task)
    fit = [sentence for sentence in candidates if _is_fit(sentence.text)] or candidates
    room = _CHARACTERS if task.node.level == 1 else _CHARACTERS_ABOVE
    chosen = sorted(_chosen(fit, weights, room), key=lambda sentence: sentence.place)
    told = tuple(SummarySentence(text=sentence.text, passages=sentence.passages[:_STANDING]) for sentence in chosen)
    telling = {term: weight * (1 - 1 / (1 + task.rarity.get(term, 0.0))) for term, weight in weights.items()}
    title = title_of(
        [sentence.text for sentence in told],
        telling if any(telling.values()) else weights,
        [sentence.text for sentence in candidates],
        task.sources,
    )
    return Summary(title=title, sentences=told)


def _candidates(task: SummaryTask) -> list[_Sentence]:
    """Return each sentence once, with all the passages that it stands in; none that gives orders to a machine."""
    passages: dict[str, dict[int, None]] = {}
    documents: dict[str, str] = {}
    for text in task.texts:
        for sentence in _sentences_of(text):
            passages.setdefault(sentence, {}).update(dict.fromkeys(text.passages))
            documents.setdefault(sentence, text.document)
    return [
        _Sentence(
            place=place,
            text=_beginning(text),
            passages=tuple(on),
            document=documents[text],
            terms=frozenset(terms(text)),
            weight=_standing(text, task.sources.names),
        )
        for place, (text, on) in enumerate(passages.items())
        if not is_order(text)
    ]


def _standing(text: str, names: Mapping[str, int]) -> float:
    """Return how well a sentence stands by itself: best if it says which document's subject it speaks of."""
    if _LEANS.match(text):
        return _LEANING
    return 1.0 if not names or any(name in text for name in names) else _UNNAMED


def _sentences_of(text: SummaryText) -> Iterator[str]:
    if text.child is not None:
        yield text.text
        return
    for start, end in sentences(text.text):
        yield text.text[start:end]


def _weights(candidates: Sequence[_Sentence], task: SummaryTask) -> dict[str, float]:
    """Return what each term says of the node: how many of its texts have it, and how rare it is elsewhere.

    Who wrote something, and where, says nothing of what it is about.
    """
    texts: dict[tuple[int, ...], set[str]] = {}
    for sentence in candidates:
        texts.setdefault(sentence.passages[:1], set()).update(sentence.terms)
    counts = Counter(term for found in texts.values() for term in found if term not in task.sources.aside)
    return {term: log(count + _ONLY_ONE) * (1 + task.rarity.get(term, 0.0)) for term, count in counts.items()}


def _chosen(candidates: Sequence[_Sentence], weights: Mapping[str, float], room: float) -> list[_Sentence]:
    """Return sentences one by one, each the best beside those before, as long as there is room."""
    left, waiting, chosen = dict(weights), list(candidates), list[_Sentence]()
    heard: Counter[str] = Counter()
    while waiting and len(chosen) < _MOST and room > 0:
        best = max(
            waiting, key=lambda sentence: (_worth(sentence, left) * _HEARD ** heard[sentence.document], -sentence.place)
        )
        waiting.remove(best)
        if chosen and (_size(best.text) > room or not _worth(best, left)):
            break
        chosen.append(best)
        heard[best.document] += 1
        room -= _size(best.text)
        left |= {term: left[term] * _SAID for term in best.terms if term in left}
    return chosen


def _worth(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    said = sum(weights.get(term, 0.0) for term in sorted(sentence.terms))
    return sentence.weight * said / sqrt(1 + len(sentence.terms))


def _is_fit(text: str) -> bool:
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    is_prose = letters >= _LETTERS * len(text) and text.count("\n") <= _BREAKS and not _is_headed(text)
    return is_prose and _SHORTEST <= _size(text) <= _LONGEST and bool(_ENDS.search(text)) and not text[0].islower()


def _is_headed(text: str) -> bool:
    """Tell whether a heading is glued to a sentence: a first line that is much shorter than the next one."""
    first, _, rest = text.partition("\n")
    return len(first) < _HEADED * len(rest.partition("\n")[0])


def _beginning(text: str) -> str:
    """Return a text that is longer than a summary as far as there is room for it, up to the end of a word."""
    size = _size(text)
    if size <= _CHARACTERS:
        return text
    room = text[: int(_CHARACTERS * len(text) / size)]
    return room[: room.rfind(" ")] if " " in room else room


def _size(text: str) -> float:
    """Return how long a text is, in letters of an alphabet."""
    return len(text) + (_HAN_WORTH - 1) * len(HAN.findall(text))
