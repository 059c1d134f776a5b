"""Caches of plans: the plan of the same question and first look, and the wording of a question that was asked before in other words.

Only the wording is taken over from a question that is alike. What it is answered from is worked out as for any question, so that nothing
old is told of a library that has changed.
"""

import base64
import hashlib
import json
import re
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scholarmind.calls import ResponseCache
from scholarmind.errors import ModelUnavailableError
from scholarmind.events import plain
from scholarmind.llm.metering import Meter
from scholarmind.model import Name
from scholarmind.plan import Plan
from scholarmind.ports import Embedder, Look, Planner, SameQuestion, Translator
from scholarmind.steps.journal import decode, encode
from scholarmind.text.analysis import fold, terms

# -- the same question, the same first look, the same planner: the same plan


@dataclass(frozen=True, slots=True, kw_only=True)
class CachingPlanner:
    """A planner with a memory. `basis` is all that a plan rests on beside the question and its first look."""

    planner: Planner
    memory: ResponseCache
    basis: str
    translator: Translator | None = None  # whose languages a plan is made for
    meter: Meter | None = None  # which is told of a call that was spared

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or ''."""
        return self.planner.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan that was made before, or make one; what was made in another way than asked is tried anew the next time."""
        started = time.perf_counter()
        address = self._address(question, look)
        kept = await self.memory.get(address)
        plan = decode(Plan, kept) if kept else None
        if plan is not None:
            seconds = time.perf_counter() - started
            if self.meter and plan.decided_by == "model":
                self.meter.recall("plan", "extraction", seconds)
            return replace(plan, milliseconds=round(seconds * 1000, 3))
        plan = await self.planner.plan(question, look)
        if not plan.notes:
            await self.memory.put(address, encode(plan))
        return plan

    def _address(self, question: str, look: Look) -> str:
        others = self.translator.others if self.translator else ()
        seen = [(item.document.collection, item.document.id, item.passage.text) for item in look.evidence]
        told = json.dumps([self.basis, question, plain(look.names), seen, sorted(look.rarity.items()), others])
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


# -- a question in other words: the vectors nearly agree, and names, numbers, negations and directions do so exactly

_ALIKE = 0.97  # the cosine from which two wordings count as one, if all that is looked at below agrees
_MOST = 50  # wordings of one signature that are kept
_UNKNOWN = 0.25  # share of tokens that the embedder may not know
_LONGEST = 2_000
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:[-'’./+][^\W_]+)*\+*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|except|excluding|cannot|lack(?:s|ing)?|fail(?:s|ed)?)\b|n['’]t\b|[不没無无非未否]"
)

_ASKING = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how (?:many|much|long|old|far|often|large|big)|how)\b"
    r"|为什么|为何|什么时候|何时|多少|几|哪里|哪儿|谁|哪|如何|怎么|怎样|什么|吗"
)

_DIRECTIONS = re.compile(
    r"\b(?:more|most|less|least|fewer|fewest|higher|highest|lower|lowest|larger|largest|smaller|smallest|better|best|worse|worst|longer|"
    r"longest|shorter|shortest|faster|fastest|slower|slowest|older|oldest|newer|newest|earlier|earliest|later|latest|first|last|before|after|"
    r"since|until|above|below|over|under|increas\w*|decreas\w*|ris\w+|fall\w*|gain\w*|loss\w*|los\w+|advantages?|disadvantages?|benefits?|"
    r"drawbacks?|strengths?|weakness\w*|pros|cons|causes?|effects?|min\w*|max\w*|input|output|from|to|by|true|false|only|all|any|both|each|"
    r"every|or|and|with|train\w*|test\w*|encod\w*|decod\w*)\b"
    r"|[最更多少高低大小长短快慢早晚先后前增减升降优劣利弊]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingCache:
    """Remembers questions. Those of one `scope`, the rights of who asks among it, know nothing of those of another."""

    cache: ResponseCache
    embedder: Embedder
    scope: str

    async def same(self, question: str, names: Sequence[Name]) -> SameQuestion | None:
        """Return the earlier wording of this question; if there is none, this one is remembered."""
        try:
            found = await self.embedder.embed([question[:_LONGEST]])
        except ModelUnavailableError:
            return None  # the search will say that the embedder cannot be reached
        if found.unknown[0] > _UNKNOWN:
            return None
        vector = array("f", found.vectors[0])
        address = self._address(question, names)
        kept = _read(await self.cache.get(address))
        alike = [SameQuestion(text, sum(map(float.__mul__, vector, other))) for text, other in kept]
        best = max(alike, key=lambda same: same.likeness, default=None)
        if best is not None and best.likeness >= _ALIKE:
            return best if best.question != question else None
        await self.cache.put(address, _written([*kept[1 - _MOST :], (question, vector)]))
        return None

    def _address(self, question: str, names: Sequence[Name]) -> str:
        told = json.dumps([self.scope, signature(question, names)], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


def signature(question: str, names: Sequence[Name] = ()) -> tuple[tuple[str, ...], ...]:
    """Return what two wordings of one question have in common to the letter: names in their order, and every word that says something.

    A vector alone takes "two weeks" for "three weeks" (.991) and "Adam" for "AdamW" (.977).
    """
    folded = fold(question)
    known = [fold(name.text) for name in names]
    written = [
        word for place, word in _words(question) if place and (not word.islower() or any(map(str.isdigit, word)))
    ]
    return (
        tuple(dict.fromkeys((*known, *map(fold, written)))),
        tuple(_NUMBER.findall(folded)),
        ("not",) * len(_NEGATION.findall(folded)),
        tuple(_ASKING.findall(folded)),
        tuple(sorted(_DIRECTIONS.findall(folded))),
        tuple(sorted(set(terms(question)))),
    )


def _words(question: str) -> list[tuple[int, str]]:
    """Return the words that are written with letters of which there are large ones, with their places."""
    words = [match[0] for match in _WORD.finditer(question)]
    return [(place, word) for place, word in enumerate(words) if word.isascii() or word.lower() != word.upper()]


def _written(kept: Sequence[tuple[str, "array[float]"]]) -> str:
    return json.dumps([[text, base64.b64encode(vector.tobytes()).decode("ascii")] for text, vector in kept])


def _read(text: str | None) -> list[tuple[str, "array[float]"]]:
    """Return the wordings that are remembered; what cannot be read is forgotten."""
    try:
        rows: list[list[Any]] = json.loads(text or "[]")
        return [(str(row[0]), array("f", base64.b64decode(row[1]))) for row in rows]
    except (ValueError, TypeError, IndexError):
        return []
