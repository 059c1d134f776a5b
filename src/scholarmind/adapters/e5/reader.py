"""Readers of texts: how likely each sentence of one answers a question, both read together, and whether a text says a sentence.

multilingual-e5-small, whose upper layers were trained further on questions and texts written for it (`scripts/train_reader.py`). The
words' vectors stay packed in four bits and are unpacked as they are met.
"""

import math
import os
import re
import threading
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert import DIMENSION, Array, build, build_guest, build_host, open_session, read_safetensors
from scholarmind.errors import ModelError

# -- split text into the pieces that a unigram model finds likeliest, as SentencePiece does


_BEGINS = "\N{LOWER ONE EIGHTH BLOCK}"  # stands before a word
_NOTHING = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_SPACE = re.compile(r"[\u200b-\u200f\u2028\u2029\ufeff\ufffd\u2581]")
_UNLIKELIER = 10.0  # than the least likely piece: a character that no piece has
_LONGEST_WORD = 400  # a run of characters without a space is cut here; Chinese has long ones
_REMEMBERED_WORDS = 50_000


class Pieces:
    """The pieces with how likely they are; the split of a word is remembered."""

    start, end, unknown = 0, 2, 3

    def __init__(self, vocabulary: Path) -> None:
        self._ids: dict[str, int] = {}
        self._scores = array("d")
        with vocabulary.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines):
                piece, _, score = line.partition("\t")
                self._scores.append(float(score))
                if number > self.unknown:
                    self._ids[piece] = number
        self._longest = max(map(len, self._ids))
        self._worst = min(self._scores) - _UNLIKELIER
        self._words: dict[str, list[tuple[int, int]]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces, without marks."""
        return [number for word in _words(text) for number, _ in self._of(word)]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return where each of these pieces begins and ends in the text."""
        origins = [(start, end) for start, end, normal in _clusters(text) for letter in normal if not letter.isspace()]
        origins.append((len(text), len(text)))
        found: list[tuple[int, int]] = []
        begin = 0
        for word in _words(text):
            begins, start = int(word.startswith(_BEGINS)), 0
            for _, end in self._of(word):
                first, last = (min(begin + max(0, place - begins), len(origins) - 1) for place in (start, end))
                found.append((origins[first][0], origins[last - 1][1] if last > first else origins[first][0]))
                start = end
            begin += len(word) - begins
        return found

    def _of(self, word: str) -> list[tuple[int, int]]:
        if (known := self._words.get(word)) is None:
            known = self._split(word)
            if len(self._words) < _REMEMBERED_WORDS:
                self._words[word] = known
        return known

    def _split(self, word: str) -> list[tuple[int, int]]:
        """Return the likeliest split, each piece with its end: the best way to each place, and then back along it."""
        best, back = [0.0] + [-math.inf] * len(word), [(0, self.unknown)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                total = best[start] + (self._worst if number is None else self._scores[number])
                if total > best[end]:
                    best[end], back[end] = total, (start, self.unknown if number is None else number)
        found: list[tuple[int, int]] = []
        place = len(word)
        while place:
            end = place
            place, number = back[place]
            if number != self.unknown or not found or found[-1][0] != self.unknown:  # a run of unknown ones is one
                found.append((number, end))
        return found[::-1]


def _clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each character with the marks that combine with it, as `_words` normalises it, and where it stands."""
    place = 0
    while place < len(text):
        end = place + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        yield place, end, unicodedata.normalize("NFKC", _SPACE.sub(" ", _NOTHING.sub("", text[place:end])))
        place = end


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", _SPACE.sub(" ", _NOTHING.sub("", text)))
    for word in plain.split():
        for start in range(0, len(word), _LONGEST_WORD):
            yield (_BEGINS if not start else "") + word[start : start + _LONGEST_WORD]


# -- the network, and what it reads


WEIGHTS = Path(__file__).parent / "weights"
TRAINED = Path(__file__).with_name("trained.npz")
LOWER, UPPER = range(6), range(6, 12)  # only the upper ones were trained further
QUESTION_TOKENS, TITLE_TOKENS, TEXT_TOKENS = 56, 40, 320
ALONE_TOKENS = 126  # of a question that is read without a text
_MOST_UNKNOWN = 0.3  # of the tokens
_REMEMBERED = 2_048
_BLOCK, _BLOCK_BYTES = 32, 18  # numbers that share a scale, and what they take
_LARGEST = 30.0


class E5Reader:
    """Loaded when it is first asked; it remembers what it read last."""

    def __init__(self, *, int8: bool = True) -> None:
        self._int8 = int8
        self._loading = threading.Lock()
        self._read = lru_cache(maxsize=_REMEMBERED)(self._read_anew)

    def __call__(self, question: str, texts: Sequence[tuple[str, Sequence[str]]]) -> list[Sequence[float]]:
        """Return for each text, a title and sentences, how likely each sentence answers (0 to 1); nothing for one it cannot read."""
        titles, told = [title for title, _ in texts], [tuple(sentences) for _, sentences in texts]
        if len(texts) < 2:
            return [self._read(question, *text) for text in zip(titles, told, strict=True)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as workers:  # side by side: one alone is too short to share out
            return list(workers.map(self._read, [question] * len(texts), titles, told))

    def _read_anew(self, question: str, title: str, sentences: tuple[str, ...]) -> tuple[float, ...]:
        with self._loading:
            pieces, session, head = self._pieces, self._session, self._head
        ids, asked, spans = laid_out(pieces, question, title, sentences)
        if ids.count(pieces.unknown) > _MOST_UNKNOWN * len(ids):
            return ()
        hidden = run(session, self.middle(ids))
        one = hidden[:asked].mean(0)
        of_sentence, of_text, bias = head
        read: list[float] = []
        for start, end in spans:
            if start == end:  # beyond what is read
                read.append(0.0)
                continue
            other = hidden[start:end].mean(0)
            likeness = one @ other / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-8)
            score = np.append(other, likeness) @ of_sentence + hidden[0] @ of_text + bias
            read.append(float(1 / (1 + np.exp(-np.clip(score, -_LARGEST, _LARGEST)))))
        return tuple(read)

    def states(self, question: str, most: int = ALONE_TOKENS) -> Array | None:
        """Return the middle state of each token of a question that is read alone; None where too much of it is unknown."""
        ids = self.ids(f"query: {question}", most)
        return None if ids.count(self.unknown) > _MOST_UNKNOWN * len(ids) else self.middle(ids)

    unknown = Pieces.unknown

    def ids(self, text: str, most: int) -> list[int]:
        """Return the tokens of a text that stands alone, so many of them at most between the marks of its ends."""
        with self._loading:
            pieces = self._pieces
        return [pieces.start, *pieces.encode(text)[:most], pieces.end]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return where each token of a text begins and ends in it."""
        with self._loading:
            pieces = self._pieces
        return pieces.places(text)

    def middle(self, ids: Sequence[int]) -> Array:
        """Return the state of each token after the lower layers, which all that read with this network share."""
        with self._loading:
            session = self._lower
        return run(session, self.embedded(ids))

    def embedded(self, ids: Sequence[int]) -> Array:
        """Return the vector of each token at its place."""
        words = self._parameters["embeddings.word_embeddings.weight"].reshape(-1, DIMENSION // _BLOCK * _BLOCK_BYTES)
        return unpacked(words[np.array(ids)], DIMENSION) + self._places[: len(ids)]

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(_required("pieces.tsv"))

    @cached_property
    def _parameters(self) -> dict[str, Array]:
        return read_safetensors(_required("model.safetensors"))

    @cached_property
    def _places(self) -> Array:
        places = self._parameters["embeddings.position_embeddings.weight"].reshape(-1, DIMENSION)
        return places + self._parameters["embeddings.token_type_embeddings.weight"][:DIMENSION]

    @cached_property
    def _head(self) -> tuple[Array, Array, float]:
        # of a sentence, of its likeness to the question, and of the whole text
        with np.load(TRAINED) as trained:
            weights, bias = trained["head.weight"][0].astype(np.float32), float(trained["head.bias"][0])
        return weights[: DIMENSION + 1], weights[DIMENSION + 1 :], bias

    @cached_property
    def _lower(self) -> Any:
        return open_session(build(untrained(), LOWER, int8=self._int8, pooled=False), threads=1)

    @cached_property
    def _session(self) -> Any:
        with np.load(TRAINED) as trained:
            layers = Layers(untrained(), trained)
            return open_session(build(layers, UPPER, int8=self._int8, pooled=False), threads=1)


def untrained() -> "Layers":
    """Return the weights of all layers as they were, from a mapping of their own: what was read of it is let go of with them."""
    return Layers(read_safetensors(_required("model.safetensors")))


def run(session: Any, states: Array) -> Array:
    """Return what layers make of one text's states. By itself: in a batch, int8 would round all texts to one scale."""
    return session.run(None, {"states": states[None], "members": np.ones((1, 1, len(states)), np.float32)})[0][0]


def laid_out(
    pieces: Pieces, question: str, title: str, sentences: Sequence[str]
) -> tuple[list[int], int, list[tuple[int, int]]]:
    """Return the tokens of a question and a text, how many are the question's, and where each sentence stands."""
    ids = [pieces.start, *pieces.encode(f"query: {question}")[:QUESTION_TOKENS], pieces.end]
    asked, spans = len(ids), list[tuple[int, int]]()
    ids += [pieces.end, *pieces.encode(f"passage: {title}")[:TITLE_TOKENS]]
    for sentence in sentences:
        start = len(ids)
        ids += pieces.encode(sentence)[: max(0, TEXT_TOKENS + asked - start)]
        spans.append((start, len(ids)))
    return [*ids, pieces.end], asked, spans


class Layers(Mapping[str, Array]):
    """The weights of the layers with what training added to them, each unpacked when it is asked for: all together take 85 MB."""

    def __init__(self, packed: Mapping[str, Array], trained: Mapping[str, Array] | None = None) -> None:
        self._packed = {name: array for name, array in packed.items() if "_embeddings" not in name}
        self._trained = trained or {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def __getitem__(self, name: str) -> Array:
        weight, trained = self._packed[name], self._trained
        if weight.dtype == np.uint8:
            weight = unpacked(weight, 4 * DIMENSION if _is_wide(name) else DIMENSION)
        if f"{name}.left" in trained:  # a matrix that is a product of two narrow ones
            left, right = (trained[f"{name}.{side}"].astype(np.float32) for side in ("left", "right"))
            return weight + left @ right
        return weight + trained[name].astype(np.float32) if name in trained else weight


def _is_wide(name: str) -> bool:
    return name.endswith(".output.dense.weight") and "attention" not in name


def unpacked(blocks: Array, columns: int) -> Array:
    """Return what blocks of 32 numbers stand for: a scale of two bytes, then four bits each, the lower halves of the bytes first."""
    blocks = np.ascontiguousarray(blocks).reshape(-1, _BLOCK_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8
    return (halves * scale).reshape(-1, columns)


def _required(name: str) -> Path:
    path = WEIGHTS / name
    if not path.is_file():
        raise ModelError(f"the reader's file {name!r} is missing from {str(WEIGHTS)!r}; install scholarmind again")
    return path


# -- whether a text says a sentence: the upper layers, trained on texts with true and false sentences (`scripts/train_entailment.py`)
#
# The lower layers read text and sentence each alone. Above, a sentence sees the text and itself, so that a text is read once for all that
# is held against it. Each token of a sentence is then held against what of the text is nearest to it; the worst of them weighs most.

ENTAILMENT_WEIGHTS = Path(__file__).with_name("entailment.npz")
CLAIM_TEXT_TOKENS, CLAIM_TOKENS = 320, 80
_MOST_UNKNOWN_OF_CLAIM = 0.3  # of the tokens of a sentence
SHARPNESS = 2.0  # of the smallest of the tokens' scores
_TEXTS, _REMEMBERED_CLAIMS = 16, 4_096  # a text takes up to 6 MB


class E5Entailment:
    """Reads with the lower layers of a reader, which it shares; it remembers what it read last."""

    def __init__(self, reader: E5Reader, *, int8: bool = True) -> None:
        self._reader, self._int8 = reader, int8
        self._loading = threading.Lock()
        self._text = lru_cache(maxsize=_TEXTS)(self._read_text)
        self._odds = lru_cache(maxsize=_REMEMBERED_CLAIMS)(self._read_sentence)

    def __call__(self, text: str, sentence: str) -> float | None:
        """Return the logarithm of the odds that the text says the sentence; None where too much of the sentence is unknown."""
        return self._odds(text, sentence)

    def _read_text(self, text: str) -> list[Array]:
        with self._loading:
            session = self._sessions[0]
        ids = self._reader.ids(f"passage: {text}", CLAIM_TEXT_TOKENS)
        return session.run(None, {"states": self._reader.middle(ids)[None]})

    def _read_sentence(self, text: str, sentence: str) -> float | None:
        ids = self._reader.ids(f"claim: {sentence}", CLAIM_TOKENS)
        if ids.count(self._reader.unknown) > _MOST_UNKNOWN_OF_CLAIM * len(ids):
            return None
        told, *hosts = self._text(text)
        with self._loading:
            session, weights = self._sessions[1], self._weights
        given = {f"host{number}": host for number, host in enumerate(hosts)}
        own = session.run(None, {"states": self._reader.middle(ids)[None], **given})[0][0]
        return log_odds(told[0], own, weights)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        with np.load(ENTAILMENT_WEIGHTS) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files if not name.startswith("encoder")}

    @cached_property
    def _sessions(self) -> Sequence[Any]:
        with np.load(ENTAILMENT_WEIGHTS) as trained:
            layers = Layers(untrained(), trained)
            return [
                open_session(build(layers, UPPER, int8=self._int8), threads=1) for build in (build_host, build_guest)
            ]


def log_odds(text: Array, sentence: Array, weights: dict[str, Array]) -> float:
    """Return what the last states of a text's tokens and of a sentence's stand for."""

    def linear(values: Array, name: str) -> Array:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    asking, asked = linear(sentence, "aq"), linear(text, "ak")
    alike = asking @ asked.T / np.sqrt(asking.shape[1])
    shares = np.exp(alike - alike.max(-1, keepdims=True))
    nearest = shares / shares.sum(-1, keepdims=True) @ text
    both = np.concatenate([sentence, nearest, np.abs(sentence - nearest), sentence * nearest], -1)
    features = _gelu(linear(both, "c1"))
    each = linear(features, "c2")[:, 0]
    least = each.min() - np.log(np.exp(-SHARPNESS * (each - each.min())).mean()) / SHARPNESS
    return float(least + linear(features.mean(0), "mean")[0] + linear(sentence[0], "whole")[0])


def _gelu(values: Array) -> Array:
    # the error function by Abramowitz and Stegun 7.1.26, as exact as half precision
    size = np.abs(values) / 2**0.5
    t = 1 / (1 + 0.3275911 * size)
    rest = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * values * (1 + np.sign(values) * (1 - rest * np.exp(-size * size)))
