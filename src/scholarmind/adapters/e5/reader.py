"""A reader of answers: how likely each sentence of a text answers a question, both read together, in English and Chinese.

multilingual-e5-small, whose upper layers were trained further on questions and texts written for it (`scripts/train_reader.py`). The
words' vectors stay packed in four bits and are unpacked as they are met.
"""

import importlib
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert.network import DIMENSION, build_reader, open_session, read_safetensors
from scholarmind.adapters.bert.onnx import Array
from scholarmind.adapters.e5.pieces import Pieces
from scholarmind.errors import ModelError

WEIGHTS = Path(__file__).parent / "weights"
TRAINED = Path(__file__).with_name("trained.npz")
LAYERS = 12
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
        # in a batch, int8 would round all texts to one scale, and they would change each other's scores
        inputs = {"embedded": self.embedded(ids)[None], "members": np.ones((1, 1, len(ids)), np.float32)}
        hidden: Array = session.run([session.get_outputs()[0].name], inputs)[0][0]
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
        """Return the middle state of each token of a question that is read alone; None where too much of it is unknown.

        The layers up to the middle are as they were before the reader was trained, and only they are run.
        """
        ids = self.ids(f"query: {question}", most)
        if ids.count(self.unknown) > _MOST_UNKNOWN * len(ids):
            return None
        with self._loading:
            session = self._session
        options: Any = importlib.import_module("onnxruntime").RunOptions()
        options.only_execute_path_to_fetches = True
        inputs = {"embedded": self.embedded(ids)[None], "members": np.ones((1, 1, len(ids)), np.float32)}
        return session.run([session.get_outputs()[1].name], inputs, options)[0][0]

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

    @property
    def untrained(self) -> dict[str, Array]:
        """The weights of all layers as they were."""
        with self._loading:
            return layers_of(self._parameters)

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
    def _trained(self) -> dict[str, Array]:
        with np.load(TRAINED) as kept:
            return {name: kept[name].astype(np.float32) for name in kept.files}

    @cached_property
    def _head(self) -> tuple[Array, Array, float]:
        # of a sentence, of its likeness to the question, and of the whole text
        weights = self._trained["head.weight"][0]
        return weights[: DIMENSION + 1], weights[DIMENSION + 1 :], float(self._trained["head.bias"][0])

    @cached_property
    def _session(self) -> Any:
        parameters = changed(layers_of(self._parameters), self._trained)
        return open_session(build_reader(parameters, LAYERS, int8=self._int8), threads=1)


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


def layers_of(parameters: Mapping[str, Array]) -> dict[str, Array]:
    """Return the weights of the layers, unpacked."""
    return {
        name: unpacked(array, 4 * DIMENSION if _is_wide(name) else DIMENSION) if array.dtype == np.uint8 else array
        for name, array in parameters.items()
        if "_embeddings" not in name
    }


def _is_wide(name: str) -> bool:
    return name.endswith(".output.dense.weight") and "attention" not in name


def unpacked(blocks: Array, columns: int) -> Array:
    """Return what blocks of 32 numbers stand for: a scale of two bytes, then four bits each, the lower halves of the bytes first."""
    blocks = np.ascontiguousarray(blocks).reshape(-1, _BLOCK_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8
    return (halves * scale).reshape(-1, columns)


def changed(weights: Mapping[str, Array], trained: Mapping[str, Array]) -> dict[str, Array]:
    """Return the weights with what training added to them; to a matrix that is a product of two narrow ones."""
    added = {name: change for name, change in trained.items() if name in weights}
    added |= {
        name.removesuffix(".left"): left @ trained[f"{name.removesuffix('.left')}.right"]
        for name, left in trained.items()
        if name.endswith(".left")
    }
    return {name: weight + added[name] if name in added else weight for name, weight in weights.items()}


def _required(name: str) -> Path:
    path = WEIGHTS / name
    if not path.is_file():
        raise ModelError(f"the reader's file {name!r} is missing from {str(WEIGHTS)!r}; install scholarmind again")
    return path
