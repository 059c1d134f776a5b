"""Search for what a passage on a concept may say in place of the concept's name.

A model writes such a passage, which is then searched for by its vector. Without a model the rare words of the first passages are added
to the name.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scholarmind.errors import ModelError
from scholarmind.filters import Filter
from scholarmind.llm.prompts import Assistant, within
from scholarmind.model import Evidence, Found
from scholarmind.planning.plan_reply import plain
from scholarmind.ports import Lexicon, Retriever
from scholarmind.text.analysis import spans, terms
from scholarmind.text.language import language_of

_MOST_TOKENS = 250  # of a made-up passage
_LONGEST = 2_000  # characters of it; an embedder reads no further
_LONGEST_ERROR = 200
_FIRST = 3  # passages that words are taken from
_ADDED = 6  # words
_LEAST = 2  # letters of one
_READ = 4_000  # characters of a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothetical:
    """A retriever that searches for a made-up passage on what it is given. `meaning` searches by vectors alone."""

    question: str  # that the concepts are from
    assistant: Assistant
    retriever: Retriever
    meaning: Retriever | None
    seconds: float

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return what is nearest to the passage; what a concept itself finds, if there is none."""
        written, why = await self._written(question)
        if not written:
            found = await self.retriever.search(question, k, filter)
            return _noted(found, f"{question!r} itself was searched for: {why}")
        if self.meaning is None:
            found = await self.retriever.search(written, k, filter)
            return _noted(
                found, "there is no search by vectors alone: made-up passages were searched for as they stand"
            )
        return await self.meaning.search(written, k, filter)

    async def _written(self, concept: str) -> tuple[str, str]:
        """Return the passage, or why there is none."""
        marker = self.assistant.marker
        request = self.assistant.request(
            ("hypothetical", "zh" if language_of(self.question) == "zh" else "en"),
            purpose=f"hypothetical passage on {concept}",
            max_tokens=_MOST_TOKENS,
            values={
                "concept": within(concept, marker, "concept"),
                "question": within(self.question, marker, "question"),
            },
        )
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self.assistant.model.complete(request)
        except TimeoutError:
            return "", f"no passage on it was written within {self.seconds:g} s"
        except ModelError as error:
            return "", " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__
        return plain(reply.text, marker)[:_LONGEST], "the model wrote nothing on it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A retriever that searches twice: for what it is given, then with the words that mark the first passages found."""

    retriever: Retriever
    lexicon: Lexicon | None

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return what is found the second time."""
        first = await self.retriever.search(question, k, filter)
        if self.lexicon is None:
            return _noted(first, "no words were added to the concepts: it is not known how rare words are")
        words = await self._marking(question, first.evidence[:_FIRST], self.lexicon)
        if not words:
            return first
        return await self.retriever.search(f"{question} {' '.join(words)}", k, filter)

    async def _marking(self, concept: str, evidence: Sequence[Evidence], lexicon: Lexicon) -> list[str]:
        """Return the words that are frequent in these passages and rare in the library, as they stand there."""
        texts = [f"{item.document.title}\n{item.passage.text[:_READ]}" for item in evidence]
        written = _written_as(texts)
        held = Counter(term for text in texts for term in set(terms(text)))
        known = set(terms(concept))
        candidates = [term for term in held if term not in known and len(term) >= _LEAST and not term.isdigit()]
        rarity = await lexicon.rarity(candidates)
        worth: Mapping[str, float] = {term: held[term] * rarity.get(term, 0.0) for term in candidates}
        return [
            written[term] for term in sorted(worth, key=lambda term: (-worth[term], term))[:_ADDED] if term in written
        ]


def _written_as(texts: Iterable[str]) -> dict[str, str]:
    """Return the terms of these texts, each with the word that it was first met in."""
    found: dict[str, str] = {}
    for text in texts:
        for start, end, held in spans(text):
            for term in held:
                found.setdefault(term, text[start:end])
    return found


def _noted(found: Found, notice: str) -> Found:
    return Found(evidence=found.evidence, notices=(notice, *found.notices))
