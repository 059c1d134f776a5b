"""Readers of questions: how likely one is composite, and what one is made of.

What it is made of is marked by the upper layers of multilingual-e5-small, trained on marked questions (`scripts/train_marker.py`).

A token is the first of an ask or not, tells or asks, belongs to a list or to a description, points back or follows a gap. What a pointer
means is where two more views of its token and of the others are most alike. The lower layers are the reader's, as they were.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert import Array, build, open_session
from scholarmind.adapters.e5.reader import E5Reader, Layers, run, untrained
from scholarmind.ports import Anaphor, Marks, Span

WEIGHTS = Path(__file__).with_name("marks.npz")
TRAINED_LAYERS = range(6, 10)
WIDTH = 64  # of the views that are compared
LONGEST_MEANING = 60  # tokens
LONGEST = 254  # tokens
_PREFIX_TOKENS = 2  # in front of a question
_COURTESY, _BACKGROUND = 1, 2
_MOSTLY = 0.5
_BEGIN, _INSIDE, _JOINT = 1, 2, 3
_FOLLOWS = (
    (0, 0),
    (0, 1),
    (1, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 0),
    (2, 1),
    (2, 2),
    (2, 3),
    (3, 3),
    (3, 1),
)  # tags: from, to
SURE = {
    "list": 0.5,
    "description": 0.5,
    "ref": 0.3,
    "words": 0.5,
    "no answer": 0.97,
    "ask": 0.5,
}  # how likely what is marked must be
_LEAST = 1e-30
_APART = 3  # words, the least that an ask has
_SHORTEST = 2  # tokens of a description
_LATIN = re.compile(r"[^\W_\u3400-\u9fff]{2}|[^\W_\u3400-\u9fff]['’-]|['’-][^\W_\u3400-\u9fff]")
_REMEMBERED = 512


class E5Marker:
    """Reads questions over the lower layers of a reader, which it shares; it remembers what it read last."""

    def __init__(self, reader: E5Reader, *, int8: bool = True) -> None:
        self._reader, self._int8 = reader, int8
        self._loading = threading.Lock()
        self._marked = lru_cache(maxsize=_REMEMBERED)(self._mark)

    def marks(self, question: str) -> Marks | None:
        """Return what a question is made of; None where too much of it is unknown, or it is longer than what is read."""
        return self._marked(question)

    def _mark(self, question: str) -> Marks | None:
        places = self._reader.places(question)
        if not 0 < len(places) <= LONGEST - _PREFIX_TOKENS:
            return None
        states = self._reader.states(question, LONGEST)
        if states is None:
            return None
        begin = len(states) - len(places) - 1  # behind the prefix; the mark of the end is kept
        with self._loading:
            session, weights = self._session, self._weights
        return decoded(run(session, states[begin:]), weights, places, question)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        with np.load(WEIGHTS) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files}

    @cached_property
    def _session(self) -> Any:
        layers = Layers(untrained(), self._weights)
        return open_session(build(layers, TRAINED_LAYERS, int8=self._int8, pooled=False), threads=1)


def decoded(hidden: Array, weights: dict[str, Array], places: Sequence[Span], text: str) -> Marks:
    """Return the marks that the last states of a question's tokens, and of its end, stand for."""

    def scores(head: str) -> Array:
        return hidden @ weights[f"heads.{head}.weight"].T + weights[f"heads.{head}.bias"]

    def alike(view: str, token: int) -> Array:
        one = hidden[token] @ weights[f"q.{view}.weight"].T + weights[f"q.{view}.bias"]
        others = hidden @ weights[f"k.{view}.weight"].T + weights[f"k.{view}.bias"]
        return others @ one / 8

    def span(first: int, last: int) -> Span:
        return places[first][0], places[last - 1][1]

    words = _words(places, text)
    length = places[-1][1]
    roles = scores("role").argmax(-1)[:-1]
    begins = _begins(scores("joint")[:, 0], words)
    told, asking = list[Span](), list[tuple[int, Span]]()
    for token, following in pairwise([*begins, len(places)]):
        stretch = (places[token][0], places[following][0] if following < len(places) else length)
        if np.mean(roles[token:following] == _BACKGROUND) > _MOSTLY:
            told.append(stretch)
        else:
            asking.append((token, stretch))
    if not asking:
        told, asking = [], [(0, (0, length))]
    kinds = scores("kind")
    pointers: list[Anaphor] = []
    gaps = [token for token in range(len(places) + 1) if scores("gap")[token, 0] > 0]
    for first, last in (*_sure(scores("ref"), words, SURE["ref"]), *((token, token) for token in gaps)):
        start = places[first][0] if first < len(places) else length
        place = (start, places[last - 1][1] if last > first else start)
        if kinds[first, 0] >= kinds[first, 1]:
            meant, chance = _likeliest(alike("start", first), alike("end", first), len(places))
            sure = chance >= SURE["words"] and (first == last or _shares(kinds[first])[0] >= SURE["no answer"])
            pointers.append(Anaphor(place=place, words=span(*meant) if sure else None))
        else:
            views = _shares(np.array([alike("ask", first)[token] for token, _ in asking]))
            likeliest = int(views.argmax())
            pointers.append(Anaphor(place=place, ask=likeliest if views[likeliest] >= SURE["ask"] else None))
    described = [run for head in ("outer", "inner") for run in _sure(scores(head), words, SURE["description"])]
    return Marks(
        asks=tuple(stretch for _, stretch in asking),
        background=tuple(told),
        courtesy=tuple(span(*run) for run in _runs(np.where(roles == _COURTESY, _INSIDE, 0))),
        lists=tuple(tuple(span(*run) for run in items) for items in _sure_lists(scores("list"), words)),
        descriptions=tuple(span(first, last) for first, last in described if last - first >= _SHORTEST),
        pointers=tuple(pointers),
    )


def _words(places: Sequence[Span], text: str) -> list[Span]:
    """Return the tokens of each word; of a text without spaces each token is one."""
    found: list[Span] = []
    for token, (start, end) in enumerate(places):
        goes_on = found and places[token - 1][1] == start and _LATIN.fullmatch(text[start - 1 : start + 1])
        if goes_on and start < end:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def _begins(joints: Array, words: Sequence[Span]) -> list[int]:
    """Return the first tokens of the asks: at the beginning of words, and of two that are close the likelier."""
    found = [0]
    near = -_APART
    for number, (token, _) in enumerate(words[1:], 1):
        if joints[token] <= 0:
            continue
        if number - near >= _APART:
            found.append(token)
            near = number
        elif joints[token] > joints[found[-1]]:
            found[-1] = token
            near = number
    return found


def _tags(scores: Array, words: Sequence[Span]) -> Array:
    """Return the likeliest tags of tokens in which words are whole, nothing goes on that has not begun, and joints stand between items."""
    likely = np.log(_shares(scores) + _LEAST)
    count = int(scores.shape[1])
    numbers: Array = np.arange(count)
    allowed = np.full((count, count), -np.inf)  # from, to
    for before, after in _FOLLOWS:
        if before < count and after < count:
            allowed[before, after] = 0
    best: Array = np.where((numbers == 0) | (numbers == _BEGIN), 0.0, -np.inf)
    back: list[Array] = []
    for number, (first, last) in enumerate(words):
        of_word = likely[first:last].sum(0)
        of_word[_BEGIN] = likely[first, _BEGIN] + likely[first + 1 : last, _INSIDE].sum()
        ways = best[:, None] + allowed if number else best[:, None] + np.where(np.eye(count, dtype=bool), 0, -np.inf)
        back.append(ways.argmax(0))
        best = ways.max(0) + of_word
    tags = np.zeros(words[-1][1], np.int64)
    tag = int(np.where(numbers == _JOINT, -np.inf, best).argmax())  # nothing ends with a joint
    for (first, last), before in zip(reversed(words), reversed(back), strict=True):
        tags[first:last] = _INSIDE if tag == _BEGIN else tag
        tags[first] = tag
        tag = int(before[tag])
    return tags


def _shares(scores: Array) -> Array:
    """Return the chances that scores stand for."""
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return chances / chances.sum(-1, keepdims=True)


def _likeliest(starts: Array, ends: Array, count: int) -> tuple[Span, float]:
    """Return the tokens, from and to, of the words that are likeliest meant, and how likely that is."""
    both = _shares(starts[:count])[:, None] * _shares(ends[:count])[None, :]
    apart = np.arange(count)[None, :] - np.arange(count)[:, None]
    allowed = np.where((apart >= 0) & (apart < LONGEST_MEANING), both, 0)
    first, last = np.unravel_index(allowed.argmax(), both.shape)
    return (int(first), int(last) + 1), float(allowed.max())


def _chance(scores: Array, tags: Array, first: int, last: int) -> float:
    """Return how likely the least likely tag of a stretch is, and of what stands beside it."""
    first, last = max(0, first - 1), min(len(tags), last + 1)
    chances = _shares(scores[first:last])
    return float(chances[np.arange(last - first), tags[first:last]].min())


def _sure(scores: Array, words: Sequence[Span], least: float) -> list[Span]:
    """Return the stretches that are surely where they begin and end."""
    tags = _tags(scores, words)
    return [run for run in _runs(tags) if _chance(scores, tags, *run) >= least]


def _sure_lists(scores: Array, words: Sequence[Span]) -> list[list[Span]]:
    tags = _tags(scores, words)
    return [items for items in _lists(tags) if _chance(scores, tags, items[0][0], items[-1][1]) >= SURE["list"]]


def _runs(tags: Array) -> Iterator[Span]:
    """Yield the stretches that begin and go on; one that only goes on begins where it is first seen."""
    start = -1
    for place, tag in enumerate((*tags, 0)):
        if start >= 0 and tag != _INSIDE:
            yield start, place
            start = -1
        if tag == _BEGIN or (tag == _INSIDE and start < 0):
            start = place


def _lists(tags: Array) -> Iterator[list[Span]]:
    """Yield lists of two items or more: stretches with nothing between them but what joins them."""
    items: list[Span] = []
    for start, end in _runs(tags):
        if items and any(tags[place] == 0 for place in range(items[-1][1], start)):
            if len(items) > 1:
                yield items
            items = []
        items.append((start, end))
    if len(items) > 1:
        yield items


# -- how likely a question is composite: a small network over the middle states of its tokens (`scripts/train_gate.py`)
#
# Two narrow layers of attention see how the words hang together; the mean and the largest of what they make of each token are weighed.

GATE_WEIGHTS = Path(__file__).with_name("gate.npz")
GATE_WIDTH, GATE_HEADS, GATE_LAYERS = 64, 4, 2
_EPSILON = 1e-5


class E5Gate:
    """Reads questions with the network of a reader, which it shares."""

    def __init__(self, reader: E5Reader) -> None:
        self._reader = reader

    def composite(self, question: str) -> float | None:
        """Return how likely a question is composite (0 to 1); None where too much of it is unknown."""
        states = self._reader.states(question)
        return None if states is None else composite_probability(states, self._weights)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        with np.load(GATE_WEIGHTS) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files}


def composite_probability(states: Array, weights: dict[str, Array]) -> float:
    """Return the chance that the question with these states is composite."""
    hidden = _normed(states) @ weights["narrow.weight"].T + weights["narrow.bias"]
    for number in range(GATE_LAYERS):
        hidden = _layer(hidden, weights, f"layers.{number}")
    hidden = _normed(hidden) * weights["norm.weight"] + weights["norm.bias"]
    pooled = np.concatenate([hidden.mean(0), hidden.max(0)])
    score = float(pooled @ weights["head.weight"][0] + weights["head.bias"][0])
    return float(1 / (1 + np.exp(-score)))


def _layer(hidden: Array, weights: dict[str, Array], name: str) -> Array:
    def linear(values: Array, part: str, kind: str = ".") -> Array:
        return values @ weights[f"{name}.{part}{kind}weight"].T + weights[f"{name}.{part}{kind}bias"]

    def normed(values: Array, part: str) -> Array:
        return _normed(values) * weights[f"{name}.{part}.weight"] + weights[f"{name}.{part}.bias"]

    projected = linear(normed(hidden, "norm1"), "self_attn", ".in_proj_")
    # by head, token and number
    query, key, value = projected.reshape(len(hidden), 3, GATE_HEADS, GATE_WIDTH // GATE_HEADS).transpose(1, 2, 0, 3)
    alike = query @ key.transpose(0, 2, 1) / np.sqrt(GATE_WIDTH // GATE_HEADS)
    shares = np.exp(alike - alike.max(-1, keepdims=True))
    attended = (shares / shares.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(hidden), GATE_WIDTH)
    hidden = hidden + linear(attended, "self_attn", ".out_proj.")
    return hidden + linear(np.maximum(linear(normed(hidden, "norm2"), "linear1"), 0), "linear2")


def _normed(values: Array) -> Array:
    centred = values - values.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + _EPSILON)
