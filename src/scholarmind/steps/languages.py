"""Search for what is asked in other languages too, and put what each of them found on one scale."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from scholarmind.model import Evidence
from scholarmind.ranking import key_of, merged
from scholarmind.steps.gather import Gathered, Gatherer


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """A text in other languages, by their codes, and what could not be done."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()


class Translate(Protocol):
    """Says a text in the other languages of the library. It never fails: what cannot be said is in the notes."""

    async def __call__(self, text: str) -> Translated: ...


def in_language(label: str, language: str) -> str:
    """Return the mark of what a row found in another language, in `Evidence.found_by` beside the row's own."""
    return f"{label}@{language}"


def is_translated(item: Evidence) -> bool:
    """Tell whether a passage was found by a question in its own language, which is not that of the question."""
    return any("@" in label for label in item.found_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class InLanguages:
    """Gathers for a question, and beside that for its translations."""

    gathering: Gatherer
    translate: Translate

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the best passages of all languages."""
        own, (others, notes) = await asyncio.gather(
            self.gathering.gather(question, label, hop=hop), self._in_others(question, label, hop=hop)
        )
        if not others:
            return replace(own, notes=(*own.notes, *notes))
        lists = [_on_own_scale(found, label, language) for language, found in others.items()]
        evidence = sorted(merged([own.evidence, *lists]).values(), key=lambda item: (-item.scores.fused, key_of(item)))
        told = dict.fromkeys((*own.notes, *notes, *(note for found in others.values() for note in found.notes)))
        return replace(own, evidence=tuple(evidence), notes=tuple(told))

    async def _in_others(self, question: str, label: str, *, hop: bool) -> tuple[dict[str, Gathered], tuple[str, ...]]:
        translated = await self.translate(question)
        found = await asyncio.gather(
            *(self.gathering.gather(text, label, hop=hop) for text in translated.texts.values())
        )
        return dict(zip(translated.texts, found, strict=True)), translated.notes


def _on_own_scale(found: Gathered, label: str, language: str) -> list[Evidence]:
    """Return the passages in this language, the best of which has the score of the best that its search found at all.

    Names are written alike in many languages: passages in the question's own that hold them would stand above all of these.
    """
    own = [item for item in found.evidence if item.passage.language == language]
    highest = max((item.scores.fused for item in own), default=0.0)
    if not highest:
        return []
    factor = found.evidence[0].scores.fused / highest
    labels = frozenset((label, in_language(label, language)))
    return [item.rated(min(1.0, item.scores.fused * factor), labels) for item in own]
