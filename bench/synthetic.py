"""Texts and vectors that behave like a library of papers, made from numbers: any size, the same every time.

Words follow Zipf's law over a vocabulary whose head is that of the demo notes; each document has a topic that shows in its words and in its
vectors. Vectors have the spread of MiniLM's (unrelated pairs around .05, related ones around .5).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scholarmind.model import Document, Entry, Passage

_NOTES = Path(__file__).parents[1] / "src/scholarmind/demo/notes"
_WORDS = 60_000
_TOPICS = 400
_WORDS_OF_TOPIC = 400
_WORDS_OF_PASSAGE = 150  # about 200 tokens
DIMENSION = 384


@dataclass
class Synthetic:
    """A source of documents of `per_document` passages each, with their vectors."""

    per_document: int
    seed: int = 7
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.vocabulary = np.array(_vocabulary(self.rng))
        weights = 1 / np.arange(1, _WORDS + 1) ** 1.05
        self._cumulated = (weights / weights.sum()).cumsum()
        self._topics = self.rng.integers(50, _WORDS, (_TOPICS, _WORDS_OF_TOPIC))
        self._centres = _unit(self.rng.normal(size=(_TOPICS, DIMENSION)) + 0.25)

    def documents(self, passages: int) -> Iterator[tuple[Entry, npt.NDArray[np.float32]]]:
        """Yield documents with the vectors of their passages until there are so many passages."""
        documents = -(-passages // self.per_document)
        for number in range(documents):
            topic = int(self.rng.integers(_TOPICS))
            words = [self._words(topic) for _ in range(min(self.per_document, passages - number * self.per_document))]
            document = Document(
                id=f"d{number}",
                title=" ".join(words[0][:6]),
                authors=(f"Author Number{number % 997}",),
                year=1990 + number % 30,
                source=f"journal-{number % 100}",
                language="en",
                kind="paper",
                metadata={"percent": number % 100, "aliases": (f"System{number}",)},
            )
            for part in words:  # papers name each other
                part += [f"System{named}" for named in self.rng.integers(documents, size=2)]
            yield _entry(document, words), self._vectors(topic, len(words))

    def queries(self, count: int) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
        """Yield questions of eight words, each about a topic."""
        for _ in range(count):
            topic = int(self.rng.integers(_TOPICS))
            yield " ".join(self._words(topic)[:8]), self._vectors(topic, 1)[0]

    def _words(self, topic: int) -> list[str]:
        picks = np.searchsorted(self._cumulated, self.rng.random(_WORDS_OF_PASSAGE))
        own = self.rng.random(_WORDS_OF_PASSAGE) < 0.25
        picks[own] = self._topics[topic, (self.rng.random(int(own.sum())) ** 2 * _WORDS_OF_TOPIC).astype(int)]
        return self.vocabulary[picks].tolist()

    def _vectors(self, topic: int, count: int) -> npt.NDArray[np.float32]:
        return _unit(self._centres[topic] + self.rng.normal(size=(count, DIMENSION)) * 0.05)


def _entry(document: Document, words: list[list[str]]) -> Entry:
    texts = [" ".join(part) + "." for part in words]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
    passages = tuple(
        Passage(text=text, start=int(starts[n]), end=int(starts[n]) + len(text), position=n, language="en")
        for n, text in enumerate(texts)
    )
    return Entry(document=document, text="\n".join(texts), passages=passages, hash=document.id)


def _vocabulary(rng: np.random.Generator) -> list[str]:
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(_NOTES.glob("*.md")))
    words = [word for word, _ in Counter(re.findall(r"[a-z]+", text.lower())).most_common()]
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    known = set(words)
    while len(words) < _WORDS:
        word = "".join(rng.choice(syllables, int(rng.integers(2, 5)))) + str(
            rng.choice(["n", "r", "st", "tion", "ing", ""])
        )
        if word not in known:
            known.add(word)
            words.append(word)
    return words[:_WORDS]


def _unit(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
