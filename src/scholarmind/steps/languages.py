"""Search for what is asked in other languages too, where its own language has little to say, and put what each found on one scale."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from scholarmind.model import Evidence
from scholarmind.ranking import key_of, merged
from scholarmind.steps.gather import Gathered, Gatherer
from scholarmind.text.analysis import terms
from scholarmind.text.language import language_of

_LOOKED_AT = 5  # passages
_ENOUGH = 0.5  # of the words of a question, in passages of its language: what they hold is worth more than what a translation finds
_MOST = 6  # passages of each other language


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


def is_weak(question: str, evidence: Sequence[Evidence]) -> bool:
    """Tell whether the best passages in the language of a question have few of its words."""
    language, wanted = language_of(question), set(terms(question))
    own = [item for item in evidence if item.passage.language in {"", language}][:_LOOKED_AT]
    held = {term for item in own for term in terms(f"{item.document.title} {item.passage.text}")}
    return bool(wanted) and len(wanted & held) < _ENOUGH * len(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class InLanguages:
    """Gathers for a question, and where that found little in its language, for its translations."""

    gathering: Gatherer
    translate: Translate

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        """Return the best passages of all languages."""
        own = await self.gathering.gather(question, label, hop=hop)
        if not is_weak(question, own.evidence):
            return own
        translated = await self.translate(question)
        found = await asyncio.gather(
            *(self.gathering.gather(text, label, hop=hop) for text in translated.texts.values())
        )
        pairs = zip(found, translated.texts, strict=True)
        lists = [_on_own_scale(gathered, label, language)[:_MOST] for gathered, language in pairs]
        evidence = sorted(merged([own.evidence, *lists]).values(), key=lambda item: (-item.scores.fused, key_of(item)))
        notes = tuple(dict.fromkeys((*own.notes, *translated.notes)))
        return replace(own, evidence=tuple(evidence), notes=notes)


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
