"""Wait for a reranker only so long, a batch at a time: what is not scored by then keeps the place that it has, and the notes say so."""

import asyncio
import math
from collections.abc import Sequence

from scholarmind.errors import ScholarMindError
from scholarmind.model import Evidence
from scholarmind.ports import Rated, Reranker


class Patient:
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
