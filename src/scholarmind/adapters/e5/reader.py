"""A reader of answers: how likely each sentence of a text answers a question, both read together, in English and Chinese.

multilingual-e5-small, whose upper layers were trained further on questions and texts written for it (`scripts/train_reader.py`). The
words' vectors stay packed in four bits and are unpacked as they are met.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert.network import DIMENSION, build, open_session, read_safetensors
from scholarmind.adapters.bert.onnx import Array
from scholarmind.adapters.e5.pieces import Pieces
from scholarmind.errors import ModelError

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
