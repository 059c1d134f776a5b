"""Ask every question twice: as it is, and with all records that its answer needs hidden. Is the difference seen?

Hidden questions are the hard kind that cannot be answered: whatever else the library has about the same things is still there.

auc             area under the ROC curve of shown against hidden askings, by the lowest confidence of a row that searches
false_answered  share of the hidden askings that come out answered, which is complete or with caveats
false_missing   share of the shown askings that do not
ece             expected calibration error: how far that confidence is from the share that was shown, in ten bins of one width
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from scholarmind.answer import Answer, Verdict
from scholarmind.errors import QueryError
from scholarmind.evaluation.datasets import DatasetQuery, load_queries
from scholarmind.evaluation.experiments import Choice, Switches, Way, opened, spent
from scholarmind.events import OnEvent, Progress
from scholarmind.filters import AnyOf, Compare, Not
from scholarmind.llm.language_models import Models
from scholarmind.model import Mode
from scholarmind.settings import Settings

ANSWERED: frozenset[Verdict] = frozenset(("complete", "with caveats"))
_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerabilityTrial:
    """What came of asking a question once, with what it needs shown or hidden."""

    shown: bool
    verdict: Verdict
    confidence: float


def evaluate_answerable(
    folder: Path, settings: Settings, on_event: OnEvent, *, mode: Mode, limit: int | None, models: Models | None = None
) -> dict[str, Any]:
    """Return the figures of one dataset, ready to print as JSON; if a language model is asked, with what that took as `models`."""
    queries = load_queries(folder)[:limit]
    choice = Choice(name="ask", settings=settings, switches=Switches(mode=mode))
    with opened(folder / "corpus.jsonl", [choice], on_event, models) as ((way,), _):
        asked = [query for query in queries if query.answerable and way.library.documents(_needed(query), 1)]
        if not asked:
            raise QueryError(
                f"none of the {len(queries)} questions of {str(folder)!r} can be asked with and without its evidence; "
                "at least one has to be answerable and to name records of the corpus"
            )
        askings: list[AnswerabilityTrial] = []
        for done, query in enumerate(asked, 1):
            askings += [_ask(way, query, shown=shown) for shown in (True, False)]
            on_event(Progress(stage="ask", done=done, total=len(asked), unit="questions"))
        models = way.library.models
    return {
        "dataset": folder.resolve().name,
        "n": len(asked),
        **figures(askings),
        "skipped": len(queries) - len(asked),
        **({"models": spent(models, way.calls.made)} if models else {}),
    }


def figures(askings: Sequence[AnswerabilityTrial]) -> dict[str, Any]:
    """Return what the module describes, and how many verdicts of each kind there were; some are shown, and as many hidden."""
    shown, confidences = [one.shown for one in askings], [one.confidence for one in askings]
    verdicts = {side: Counter(one.verdict for one in askings if one.shown is side) for side in (True, False)}
    answered = {
        side: sum(counts[verdict] for verdict in ANSWERED) / counts.total() for side, counts in verdicts.items()
    }
    area = auc(shown, confidences)
    return {
        "auc": area if area is None else round(area, 4),
        "false_answered": round(answered[False], 4),
        "false_missing": round(1 - answered[True], 4),
        "ece": round(calibration_error(shown, confidences), 4),
        "by": {
            name: {verdict: verdicts[side][verdict] for verdict in get_args(Verdict)}
            for name, side in (("shown", True), ("hidden", False))
        },
    }


def lowest_confidence(answer: Answer) -> float:
    """Return the confidence of the weakest row that searches; of the whole, where none does."""
    rows = [row.confidence for row in answer.review.rows if answer.plan.part(row.part).role == "find"]
    return min(rows, default=answer.review.confidence)


def auc(right: Iterable[bool], scores: Iterable[float]) -> float | None:
    """Return how often a right one is scored above a wrong one, a tie being half; None where one kind is missing."""
    pairs = list(zip(right, scores, strict=True))
    high = [score for one, score in pairs if one]
    low = sorted(score for one, score in pairs if not one)
    if not high or not low:
        return None
    above = sum(bisect_left(low, score) + bisect_right(low, score) for score in high) / 2
    return above / (len(high) * len(low))


def calibration_error(right: Iterable[bool], confidences: Iterable[float]) -> float:
    """Return the mean distance between confidence and share of right ones, each bin by its size."""
    bins: dict[int, list[tuple[bool, float]]] = {}
    for one, confidence in zip(right, confidences, strict=True):
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((one, confidence))
    total = sum(map(len, bins.values()))
    distances = (
        len(within) * abs(fmean(one for one, _ in within) - fmean(confidence for _, confidence in within))
        for within in bins.values()
    )
    return sum(distances) / total


def _ask(way: Way, query: DatasetQuery, *, shown: bool) -> AnswerabilityTrial:
    hidden = None if shown else Not(_needed(query))
    answer = way.library.ask_once(query.question, mode=way.mode, filter=hidden, on_event=way.calls.take)
    return AnswerabilityTrial(shown=shown, verdict=answer.review.verdict, confidence=lowest_confidence(answer))


def _needed(query: DatasetQuery) -> AnyOf:
    """Return the filter that only the records pass that the question needs."""
    return AnyOf(tuple(Compare("id", "=", id) for id in sorted(query.evidence)))
