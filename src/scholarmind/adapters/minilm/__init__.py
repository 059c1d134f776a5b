"""all-MiniLM-L6-v2 on onnxruntime and numpy, the embedder that is always there: no hub, no file but the two that the build bundled.

It works in threads, and short texts that arrive together are encoded together.
"""

import asyncio
import math
import os
import re
import threading
import unicodedata
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from scholarmind.adapters.bert import DIMENSION, Array, build, open_session, read_safetensors
from scholarmind.errors import ModelError
from scholarmind.ports import Embeddings

# -- split text into word pieces as BERT's uncased tokenizer does


_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_MARKS = re.compile(
    r"(\[(?:CLS|SEP|UNK|PAD|MASK)\])"
)  # papers write of them; the library takes them for the marks themselves
_LONGEST_WORD = 100
_REMEMBERED_WORDS = 100_000


class WordPiece:
    """The vocabulary and the two caches that make it fast: replaced characters and split words."""

    def __init__(self, vocabulary: Path) -> None:
        words = vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n")
        self._ids = {word: number for number, word in enumerate(words)}
        self.start, self.end, self.unknown = (self._ids[token] for token in ("[CLS]", "[SEP]", "[UNK]"))
        self._characters = _CharacterMap()
        self._marks = {mark: [self._ids[mark]] for mark in ("[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]")}
        self._words = dict(self._marks)

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids with start and end marks, at most `limit` of them."""
        ids = [self.start]
        for word in self._words_of(text):
            ids += self._words.get(word) or self._split(word)
            if len(ids) >= limit:
                break
        return [*ids[: limit - 1], self.end]

    def _words_of(self, text: str) -> Iterator[str]:
        for piece in _MARKS.split(text) if "[" in text else (text,):
            if piece in self._marks:
                yield piece
            else:
                yield from piece.translate(self._characters).split()

    def _split(self, word: str) -> list[int]:
        ids: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            prefix, end = "##" if start else "", len(word)
            while end > start and prefix + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                break
            ids.append(self._ids[prefix + word[start:end]])
            start = end
        if start < len(word):
            ids = [self.unknown]
        if len(self._words) < _REMEMBERED_WORDS:
            self._words[word] = ids
        return ids


class _CharacterMap(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        replaced = self[code] = _replace(chr(code))
        return replaced


def _replace(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category == "Zs":
        return " "
    if category in {"Cc", "Cf", "Co", "Cs"} or character in "\0\ufffd":
        return ""
    if any(first <= ord(character) <= last for first, last in _CHINESE):
        character = unicodedata.normalize("NFD", character)
        return f" {character} "
    plain = "".join(c for c in unicodedata.normalize("NFD", character) if unicodedata.category(c) != "Mn").lower()
    return "".join(f" {c} " if _is_punctuation(c) else c for c in plain)


def _is_punctuation(character: str) -> bool:
    # ASCII symbols such as $ and + count as punctuation for BERT, others only by their category
    return unicodedata.category(character)[0] == "P" or (
        character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    )


# -- texts in, vectors out, in this thread: one ONNX session, batches without padding


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


# -- batches of many callers, put together


_SHORT = 400  # characters: what is longer reads the weights for itself
_TOGETHER = 512  # characters: longer company saves nothing more and keeps the first of them waiting
_made: "weakref.WeakSet[MiniLM]" = weakref.WeakSet()
_left_to_parent: list[Any] = []  # tidying up the parent's session in a child would wait for threads that are not there


class MiniLM:
    """all-MiniLM-L6-v2. Nothing is loaded until the first text arrives."""

    dimension = DIMENSION

    def __init__(self, *, precision: str = "fp32", threads: int = 0) -> None:
        self.fingerprint = f"all-MiniLM-L6-v2/{DIMENSION}/{precision}"
        self._int8 = precision == "int8"
        self._threads = threads or len(os.sched_getaffinity(0))
        self._begin()
        _made.add(self)

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return a unit vector for each text and the share of its tokens that the model does not know."""
        # in int8 texts of one batch change each other's vectors, and a question's should not depend on the others
        if self._int8 or sum(map(len, texts)) > _SHORT:
            return await asyncio.to_thread(self.encode, texts)
        asked = _EmbeddingRequest(texts=list(texts), found=Future())
        with self._lock:
            self._waiting.append(asked)
        # not at once: what else is ready to run on this loop may ask too
        asyncio.get_running_loop().call_soon(self._start)
        return await asyncio.wrap_future(asked.found)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Do the work of `embed` in this thread."""
        return self._encoder.encode(texts)

    def after_fork(self) -> None:
        """Begin anew in a forked child, where neither the session's threads nor ours live on."""
        _left_to_parent.append((self._encoder, self._workers, self._waiting))
        self._begin()

    def _begin(self) -> None:
        self._encoder = Encoder(int8=self._int8, threads=self._threads)
        self._workers = ThreadPoolExecutor(self._threads, "scholarmind-minilm")  # starts them when there is work
        self._lock = threading.Lock()
        self._waiting: deque[_EmbeddingRequest] = deque()
        self._running = 0

    def _start(self) -> None:
        """Give what waits to the threads that are free; what arrives while none is, goes together afterwards."""
        while group := self._next_group():
            try:
                work = self._workers.submit(self.encode, [text for asked in group for text in asked.texts])
            except RuntimeError as error:  # the interpreter is ending and starts no more threads
                work = Future[Embeddings]()
                work.set_exception(error)
            work.add_done_callback(partial(self._deliver, group))

    def _next_group(self) -> "list[_EmbeddingRequest]":
        """Take from the queue for one free thread its even share, as far as that pays."""
        with self._lock:
            free = self._threads - self._running
            if not free:
                return []
            left = min(_TOGETHER, math.ceil(sum(asked.characters for asked in self._waiting) / free))
            group: list[_EmbeddingRequest] = []
            while self._waiting and (not group or self._waiting[0].characters <= left):
                asked = self._waiting.popleft()
                if asked.found.set_running_or_notify_cancel():  # nobody waits for those that were cancelled
                    group.append(asked)
                    left -= asked.characters
            self._running += bool(group)
            return group

    def _deliver(self, group: "list[_EmbeddingRequest]", work: Future[Embeddings]) -> None:
        """Hand each caller its own, or the error to all, and go on with what came meanwhile."""
        with self._lock:
            self._running -= 1
        self._start()
        if error := work.exception():
            for asked in group:
                asked.found.set_exception(error)
            return
        made = work.result()
        ends = accumulate(len(asked.texts) for asked in group)
        for asked, end in zip(group, ends, strict=True):
            own = slice(end - len(asked.texts), end)
            asked.found.set_result(Embeddings(vectors=made.vectors[own], unknown=made.unknown[own]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _EmbeddingRequest:
    texts: list[str]
    found: Future[Embeddings]

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))


def _after_fork() -> None:
    for model in list(_made):
        model.after_fork()


os.register_at_fork(after_in_child=_after_fork)
