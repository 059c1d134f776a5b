"""Scores from a language model, which is shown many passages at once: 1 to 10 for each, with a reason, by the whole question."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.calls import Request
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError
from scholarmind.llm.prompts import Assistant, fenced, filled_in, within
from scholarmind.model import Evidence
from scholarmind.ports import Rated
from scholarmind.text.language import language_of

LOWEST, HIGHEST = 1, 10
_REPLY_TOKENS = 100  # and for each passage:
_REASON_TOKENS = 80
_LONGEST_ERROR = 200
_NUMBER = re.compile(r"\d{1,4}")
_ONE_REPLY = '{"reason": "...", "score": 8}'
_NO_SCORE = "the model gave no score"
_TWO_SCORES = "the model gave two different scores"
_OUT_OF_RANGE = f"the model's score was not between {LOWEST} and {HIGHEST}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageScore:
    """What a model says of one passage; the reason comes first, so that the score follows from it."""

    passage: str
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageScores:
    """What a model says of the passages of one call."""

    scores: tuple[PassageScore, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneScore:
    """What a model says of the only passage of a call."""

    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The score of a passage between 0 and 1 with its reason; or why there is none."""

    score: float | None
    reason: str = ""
    lacks: str = ""


class ModelReranker:
    """Asks for `batch` passages at a time. A `prompt` of the user's own, with {query} and {chunk_text}, is asked for each passage.

    The calls run side by side if it is `concurrent`. A call that fails, or takes longer than `seconds`, costs the scores of its
    passages and no others.
    """

    name = "llm"

    def __init__(
        self, assistant: Assistant, *, batch: int = 16, prompt: str = "", concurrent: bool = True, seconds: float = 30.0
    ) -> None:
        self._assistant = assistant
        self._batch = 1 if prompt else batch
        self._prompt = prompt
        self._concurrent = concurrent
        self._seconds = seconds

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return a score for each passage: a tenth of the model's."""
        size = self._batch
        batches = [evidence[start : start + size] for start in range(0, len(evidence), size)]
        if self._concurrent:
            rated = await asyncio.gather(*(self._rated(question, batch) for batch in batches))
        else:
            rated = [await self._rated(question, batch) for batch in batches]
        verdicts = [verdict for batch in rated for verdict in batch]
        lacking = Counter(verdict.lacks for verdict in verdicts if verdict.lacks)
        return Rated(
            scores=tuple(verdict.score for verdict in verdicts),
            reasons=tuple(verdict.reason for verdict in verdicts),
            notes=tuple(
                f"{count} of {len(verdicts)} passages were not scored: {why}" for why, count in lacking.items()
            ),
        )

    async def _rated(self, question: str, batch: Sequence[Evidence]) -> Sequence[_Verdict]:
        """Return the verdicts on the passages of one call; on a half each, if they are too much for one."""
        try:
            async with asyncio.timeout(self._seconds):
                return await (self._one(question, batch[0]) if self._prompt else self._several(question, batch))
        except TimeoutError:
            why = f"the model did not reply within {self._seconds:g} s"
        except ContextOverflowError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return [*await self._rated(question, batch[:half]), *await self._rated(question, batch[half:])]
            why = _told(error)
        except ModelError as error:
            why = _told(error)
        return [_Verdict(None, lacks=why)] * len(batch)

    async def _several(self, question: str, batch: Sequence[Evidence]) -> Sequence[_Verdict]:
        marker = self._assistant.marker
        shown = fenced(batch, marker)
        values = {"count": str(len(batch)), "passages": shown.text, "question": within(question, marker, "question")}
        request = self._assistant.request(
            ("relevance", language_of(question)),
            purpose="relevance",
            max_tokens=_REPLY_TOKENS + _REASON_TOKENS * len(batch),
            values=values,
            shape=PassageScores,
        )
        reply = await self._assistant.model.complete(request)
        if not isinstance(reply.value, PassageScores):
            raise ModelReplyError("the model's reply holds no scores")
        given = _by_key(reply.value.scores)
        return [_verdict(given.get(key, ())) for key in shown.passages]

    async def _one(self, question: str, item: Evidence) -> Sequence[_Verdict]:
        reply = await self._assistant.model.complete(self._own_request(question, item))
        if not isinstance(reply.value, OneScore):
            raise ModelReplyError("the model's reply holds no score")
        return [_verdict([(reply.value.score, reply.value.reason)])]

    def _own_request(self, question: str, item: Evidence) -> Request:
        """Return the request that the user's own prompt makes; in it, too, a document is fenced."""
        task = filled_in(self._prompt, query=question, chunk_text=fenced([item], self._assistant.marker).text)
        return self._assistant.request(
            ("custom", language_of(question)),
            purpose="relevance",
            max_tokens=_REPLY_TOKENS + _REASON_TOKENS,
            values={"task": task, "reply": _ONE_REPLY},
            shape=OneScore,
        )


_Given = tuple[float | None, str]  # score and reason


def _by_key(scores: Sequence[PassageScore]) -> Mapping[str, Sequence[_Given]]:
    """Return what was said of each passage, by the key that was meant: P3, [P3] and 3 are one."""
    given: dict[str, list[_Given]] = {}
    for item in scores:
        number = _NUMBER.search(item.passage)
        given.setdefault(f"P{number[0]}" if number else item.passage, []).append((item.score, item.reason))
    return given


def _verdict(given: Sequence[_Given]) -> _Verdict:
    """Return the score of a passage, if it was given one that makes sense."""
    scores = {score for score, _ in given if score is not None}
    if not scores:
        return _Verdict(None, lacks=_NO_SCORE)
    if len(scores) > 1:
        return _Verdict(None, lacks=_TWO_SCORES)
    score, reason = next((score, reason) for score, reason in given if score is not None)
    if not LOWEST <= score <= HIGHEST:
        return _Verdict(None, lacks=_OUT_OF_RANGE)
    return _Verdict(score / HIGHEST, " ".join(reason.split()))


def _told(error: ModelError) -> str:
    return " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__
