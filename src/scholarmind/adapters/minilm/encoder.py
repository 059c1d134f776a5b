"""Texts in, vectors out, in this thread: one ONNX session, batches without padding."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert.network import DIMENSION, build, open_session, read_safetensors
from scholarmind.adapters.bert.onnx import Array
from scholarmind.adapters.minilm.wordpiece import WordPiece
from scholarmind.errors import ModelError
from scholarmind.ports import Embeddings

WEIGHTS = Path(__file__).parent / "weights"
_LAYERS = range(6)
_TOKENS = 256  # what the model was trained to read; longer text is cut
_BATCH_TOKENS = 512  # larger ones are no faster and take more memory
_FEW_TOKENS = 64  # below this, reading the weights costs enough to share it with texts of other lengths
_ROW_TOKENS = 128  # of several texts in one row: from 64 to 192 is equally fast, beyond it attention costs more

Ids = list[int]


class Encoder:
    """all-MiniLM-L6-v2, loaded when the first text arrives."""

    def __init__(self, *, int8: bool, threads: int) -> None:
        self._int8 = int8
        self._threads = threads
        self._loading = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        with self._loading:
            tokenizer, session, (words, places) = self._tokenizer, self._session, self._vectors
        encoded = [tokenizer.encode(text, _TOKENS) for text in texts]
        vectors = np.zeros((len(texts), DIMENSION), np.float32)

        def run(batch: list[list[int]]) -> None:
            ids, standing, members = _laid_out([[encoded[number] for number in row] for row in batch])
            inputs = {"states": words[ids].astype(np.float32) + places[standing], "members": members}
            vectors[list(chain(*batch))] = session.run(None, inputs)[0].reshape(-1, DIMENSION)

        # int8 rounds all tokens of a batch to one scale: the texts of one row would change each other's vectors
        batches = list(_batches(encoded, few=0 if self._int8 else _FEW_TOKENS))
        if len(batches) > 1:
            with ThreadPoolExecutor(self._threads) as workers:
                list(workers.map(run, batches))
        elif batches:
            run(batches[0])
        unknown = [ids.count(tokenizer.unknown) / max(1, len(ids) - 2) for ids in encoded]
        return Embeddings(vectors=vectors, unknown=unknown)

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece(required("vocab.txt"))

    @cached_property
    def _vectors(self) -> tuple[Array, Array]:
        """Of words, which stay in the file until one is met, and of places; every token is of type 0."""
        parameters = read_safetensors(required("model.safetensors"))
        types = parameters["embeddings.token_type_embeddings.weight"]
        return parameters["embeddings.word_embeddings.weight"], parameters[
            "embeddings.position_embeddings.weight"
        ] + types[0]

    @cached_property
    def _session(self) -> Any:
        parameters = read_safetensors(required("model.safetensors"))  # by itself, to let go of what was read for this
        # whole batches side by side are 5 % faster than threads inside of one
        return open_session(build(parameters, _LAYERS, int8=self._int8, pooled=True), threads=1)


def _batches(encoded: Sequence[Ids], *, few: int) -> Iterator[list[list[int]]]:
    """Yield rows of numbers of texts: of one length, shortest first; then those too few of their length, several a row."""
    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number]))
    lone: list[int] = []
    for length, group in groupby(by_length, key=lambda number: len(encoded[number])):
        numbers = list(group)
        if length * len(numbers) < few:
            lone += numbers
            continue
        size = max(1, _BATCH_TOKENS // length)
        yield from ([[number] for number in numbers[start : start + size]] for start in range(0, len(numbers), size))
    row: list[int] = []
    tokens = 0
    for number in lone:
        if tokens + len(encoded[number]) > _ROW_TOKENS:
            yield [row]
            row, tokens = [], 0
        row.append(number)
        tokens += len(encoded[number])
    if row:
        yield [row]


def _laid_out(rows: list[list[Ids]]) -> tuple[Array, Array, Array]:
    """Lay the texts of each row one after another: the tokens, their places, and 1 where a token belongs to a text."""
    ids = np.array([list(chain(*row)) for row in rows], np.int64)
    places = np.array([[place for text in row for place in range(len(text))] for row in rows], np.int64)
    members = np.zeros((len(rows), len(rows[0]), ids.shape[1]), np.float32)
    for row, texts in enumerate(rows):
        start = 0
        for number, text in enumerate(texts):
            members[row, number, start : start + len(text)] = 1
            start += len(text)
    return ids, places, members


def required(name: str) -> Path:
    path = WEIGHTS / name
    if not path.is_file():
        raise ModelError(f"the embedder's file {name!r} is missing from {str(WEIGHTS)!r}; install scholarmind again")
    return path
