"""How sure we are that the evidence found for one part answers it, and what is missing if not.

A logistic regression over four shares of words (see `covering`); its weights are in `support.json`, made by `scripts/train_support.py`.
The similarity of vectors is no part of it: it does not tell a question about what a document leaves out from one about what it says.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Literal

from scholarmind.model import Evidence
from scholarmind.writing.asked import Word
from scholarmind.writing.covering import Covered, covered

NOT_IN_LIBRARY = 0.55  # below: the evidence is about something else
ANSWERED = 0.7  # from here on: it covers the question; in between: a part of it
FEATURES = ("focus", "near", "whole", "named")

_WEIGHTS = Path(__file__).with_name("support.json")
_HAN = range(0x3400, 0xA000)
_MOST_NAMED = 6  # of the missing words, so many are named

Found = Literal["answered", "partial", "not in the library"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether the evidence answers a question: how sure we are (0 to 1), and what is missing, in the question's language."""

    confidence: float
    status: Found
    missing: str = ""
    features: tuple[Mapping[str, float], ...] = field(default=())  # for each thing that the question names


def support(question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> Coverage:
    """Judge the evidence. `rarity` is that of the question's terms; a term that it lacks counts as the rarest."""
    if not evidence:
        return Coverage(confidence=0.0, status="not in the library", missing=_nothing(question))
    topics = covered(question, evidence, rarity)
    sure = [_confidence(topic) for topic in topics]
    statuses: list[Found] = [_status(confidence) for confidence in sure]
    status: Found = statuses[0] if len(set(statuses)) == 1 else "partial"
    lacking = [topic for topic, one in zip(topics, statuses, strict=True) if one != "answered"]
    return Coverage(
        confidence=round(fmean(sure), 4),
        status=status,
        missing=_missing(question, lacking, alone=len(topics) == 1),
        features=tuple({name: getattr(topic, name) for name in FEATURES} for topic in topics),
    )


@cache
def _weights() -> tuple[Mapping[str, float], float]:
    kept = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
    return kept["weights"], kept["intercept"]


def _confidence(topic: Covered) -> float:
    weights, intercept = _weights()
    return 1 / (1 + math.exp(-intercept - sum(weights[name] * getattr(topic, name) for name in FEATURES)))


def _status(confidence: float) -> Found:
    if confidence < NOT_IN_LIBRARY:
        return "not in the library"
    return "answered" if confidence >= ANSWERED else "partial"


# -- in words


def _missing(question: str, topics: Sequence[Covered], *, alone: bool) -> str:
    """Name what no passage covers, for each thing that is lacking: "EcoGuard: no passage mentions 'net profit'"."""
    told = [(topic, _phrases(question, topic.missing)) for topic in topics]
    if _is_chinese(question):
        said = [
            (topic, f"没有段落提到{'、'.join(f'“{one}”' for one in words)}" if words else _loose(question))
            for topic, words in told
        ]
        return "；".join(text if alone or not topic.name else f"{topic.name}：{text}" for topic, text in said)
    said = [
        (topic, f"no passage mentions {', '.join(f'“{one}”' for one in words)}" if words else _loose(question))
        for topic, words in told
    ]
    return "; ".join(text if alone or not topic.name else f"{topic.name}: {text}" for topic, text in said)


def _loose(question: str) -> str:
    return "没有段落把这些内容放在一起" if _is_chinese(question) else "no passage brings all of it together"


def _nothing(question: str) -> str:
    return "没有找到任何段落" if _is_chinese(question) else "no passage was found"


def _phrases(question: str, words: Sequence[Word]) -> list[str]:
    """Return the missing words as they stand in the question, neighbours joined."""
    spans: list[tuple[int, int]] = []
    for word in words:
        if spans and not question[spans[-1][1] : word.start].strip():
            spans[-1] = spans[-1][0], max(spans[-1][1], word.end)
        else:
            spans.append((word.start, word.end))
    return [question[start:end] for start, end in spans[:_MOST_NAMED]]


def _is_chinese(text: str) -> bool:
    return any(ord(character) in _HAN for character in text)
