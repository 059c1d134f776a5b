"""Reranking of passages by a language model, against the question as it was first put."""

import asyncio
import math
import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.answer import Finding
from scholarmind.calls import Request
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError, ScholarMindError
from scholarmind.llm.prompts import Assistant, fenced, filled_in, within
from scholarmind.model import Evidence, Judged
from scholarmind.plan import Plan
from scholarmind.ports import Chosen, Look, Rated, Reranker
from scholarmind.ranking import Key, key_of, merged
from scholarmind.steps.select import QUESTION, Selection, lists_of, select
from scholarmind.text.language import language_of

# -- scores from a language model, which is shown many passages at once: 1 to 10 for each, with a reason, by the whole question

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
        # what was said of each passage, by the key that was meant: P3, [P3] and 3 are one
        given: dict[str, list[_Given]] = {}
        for item in reply.value.scores:
            number = _NUMBER.search(item.passage)
            given.setdefault(f"P{number[0]}" if number else item.passage, []).append((item.score, item.reason))
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


# -- a limit of time


class TimedReranker:
    """Another reranker with a limit of time. Its batches run side by side; one that fails or hangs costs its own passages only."""

    def __init__(self, reranker: Reranker, *, batch: int = 32, seconds: float = 5.0) -> None:
        self.name = reranker.name
        self._reranker = reranker
        self._batch = batch
        self._seconds = seconds

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return the scores that are there in time."""
        batches = [evidence[start : start + self._batch] for start in range(0, len(evidence), self._batch)]
        tasks = [asyncio.create_task(self._rated(question, batch)) for batch in batches]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=self._seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        found = [self._in_time(task, batch) for task, batch in zip(tasks, batches, strict=True)]
        return Rated(
            scores=tuple(score for rated in found for score in rated.scores),
            reasons=_reasons(found),
            notes=tuple(dict.fromkeys(note for rated in found for note in rated.notes)),
        )

    async def _rated(self, question: str, batch: Sequence[Evidence]) -> Rated:
        try:
            rated = await self._reranker.rate(question, batch)
        except (ScholarMindError, TimeoutError) as error:
            return self._unrated(batch, f"the reranker failed ({error})")
        if len(rated.scores) != len(batch):
            return self._unrated(batch, f"the reranker gave {len(rated.scores)} scores for {len(batch)} passages")
        sound = tuple(None if score is None or not math.isfinite(score) else score for score in rated.scores)
        scores = tuple(None if score is None else min(1.0, max(0.0, score)) for score in sound)
        return Rated(scores=scores, reasons=rated.reasons, notes=rated.notes)

    def _in_time(self, task: asyncio.Task[Rated], batch: Sequence[Evidence]) -> Rated:
        if task.cancelled():
            return self._unrated(batch, f"the reranker took longer than {self._seconds:g} seconds")
        return task.result()

    def _unrated(self, batch: Sequence[Evidence], why: str) -> Rated:
        note = f"{why}: the passages that it did not score keep the order that they had ({self.name})"
        return Rated(scores=(None,) * len(batch), notes=(note,))


def _reasons(found: Sequence[Rated]) -> tuple[str, ...]:
    """Return the reasons in the order of the passages, with '' where there are none; none at all if nobody gave any."""
    if not any(rated.reasons for rated in found):
        return ()
    return tuple(reason for rated in found for reason in rated.reasons or ("",) * len(rated.scores))


# -- selection

RERANKED = 30  # passages of each row, and of the original question, that are scored

Lists = Mapping[str, Sequence[Evidence]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a reranker says of one passage and one thing that is asked."""

    score: float | None
    reason: str = ""


Opinions = Mapping[Key, Opinion]


class RerankingSelector:
    """Selects as the rules do, from lists that a reranker has put in order; what several lists hold counts by its best score.

    `weight` is the reranker's share of the new score; the rest is that of the search before, which
    knows what no reranker sees: names, filters, and what is one mention away.
    """

    def __init__(
        self,
        reranker: Reranker,
        how: Selection = "coverage",
        *,
        reserve: bool = True,
        weight: float = 0.5,
    ) -> None:
        self._reranker = reranker
        self._how: Selection = how
        self._reserve = reserve
        self._weight = weight
        self._known: dict[tuple[str, tuple[Key, ...]], Rated] = {}

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen:
        """Return the passages that count, and how each did that was scored."""
        lists = lists_of(look.evidence, findings)
        asked = _asked(plan, findings)
        opinions, notes = await self._opinions(lists, asked)
        reranked = {label: reordered(items, opinions[asked[label]], self._weight) for label, items in lists.items()}
        evidence = select(reranked, places, self._how, reserve=self._reserve and len(plan.parts) > 1)
        pool = merged(reranked.values())
        judged = [_judged(item, lists, opinions) for key, item in pool.items() if _is_known(key, opinions)]
        judged.sort(key=lambda each: (-each.evidence.scores.fused, key_of(each.evidence)))
        return Chosen(evidence=evidence, considered=len(pool), judged=tuple(judged), notes=notes)

    async def _opinions(self, lists: Lists, asked: Mapping[str, str]) -> tuple[Mapping[str, Opinions], tuple[str, ...]]:
        """Return what the reranker says, by what is asked; lists that ask the same are scored together."""
        together: dict[str, dict[Key, Evidence]] = {text: {} for text in asked.values()}
        for label, items in lists.items():
            for item in items[:RERANKED]:
                together[asked[label]].setdefault(key_of(item), item)
        rated = await asyncio.gather(*(self._rated(text, tuple(items.values())) for text, items in together.items()))
        opinions = {
            text: dict(zip(items, _opinions_of(found), strict=True))
            for (text, items), found in zip(together.items(), rated, strict=True)
        }
        return opinions, tuple(dict.fromkeys(note for found in rated for note in found.notes))

    async def _rated(self, text: str, items: Sequence[Evidence]) -> Rated:
        """Rate passages once, however often and for however many places is selected."""
        known = text, tuple(map(key_of, items))
        if known not in self._known:
            self._known[known] = await self._reranker.rate(text, items)
        return self._known[known]


def reordered(items: Sequence[Evidence], opinions: Opinions, weight: float = 1.0) -> list[Evidence]:
    """Return a list with its scored passages in their new order; the others keep their places among them.

    A passage that was not scored gets a score between those of its neighbours, so that it keeps its place wherever lists are put together.
    """
    found = [(item, opinions.get(key_of(item), Opinion(score=None)).score) for item in items]
    scored = [
        item.rated(weight * score + (1 - weight) * item.scores.fused) for item, score in found if score is not None
    ]
    waiting = deque(sorted(scored, key=lambda item: (-item.scores.fused, key_of(item))))
    kept: list[Evidence] = []
    above = float("inf")
    for item, score in found:
        below = waiting[0].scores.fused if waiting else 0.0
        kept.append(waiting.popleft() if score is not None else item.rated(max(below, min(above, item.scores.fused))))
        above = kept[-1].scores.fused
    return kept


def _asked(plan: Plan, findings: Sequence[Finding]) -> dict[str, str]:
    """Return what each list is scored against, by its label: the question, and each row with the answers it waited for filled in."""
    asked = {QUESTION: plan.question}
    for finding in findings:
        asked |= dict.fromkeys(finding.part.row_ids, finding.question)
        asked |= dict(zip(finding.part.row_ids, finding.rows, strict=False))
    return asked


def _opinions_of(rated: Rated) -> list[Opinion]:
    reasons = rated.reasons or ("",) * len(rated.scores)
    return [Opinion(score=score, reason=reason) for score, reason in zip(rated.scores, reasons, strict=True)]


def _is_known(key: Key, opinions: Mapping[str, Opinions]) -> bool:
    return any(key in known for known in opinions.values())


def _judged(item: Evidence, lists: Lists, opinions: Mapping[str, Opinions]) -> Judged:
    """Return how a passage did: its best score against anything that was asked, beside those of the searches."""
    key = key_of(item)
    said = [(text, known[key]) for text, known in opinions.items() if key in known]
    scored = [opinion for _, opinion in said if opinion.score is not None]
    best = max(scored, key=lambda opinion: opinion.score or 0.0, default=Opinion(score=None))
    before = [other.scores.fused for items in lists.values() for other in items if key_of(other) == key]
    return Judged(
        evidence=item,
        best=max(before),
        similarity=sum(before) / len(before),
        relevance=best.score,
        reason=best.reason,
        asked=tuple(text for text, _ in said),
    )
