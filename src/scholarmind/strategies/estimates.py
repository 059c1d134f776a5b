"""What carrying out a plan will come to under each strategy. What nobody can know before (rounds, passages) is counted at its most."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from scholarmind.calls import Effort, Estimate
from scholarmind.llm.language_models import PASSAGE, EstimatedCalls, Models, estimate
from scholarmind.llm.prompts import Prompt
from scholarmind.plan import Plan, SubQuestion
from scholarmind.reranking import RERANKED
from scholarmind.steps.options import Options
from scholarmind.strategies import strategy_module

RERANKED_TOGETHER = 16  # passages in one call: in longer lists models lose count
_SHOWN_FOR_PART = 8  # passages
SCORES_REPLY, SCORE_REPLY = 100, 80  # tokens, and for each passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """A plan that will be carried out."""

    plan: Plan
    options: Options
    effort: Effort
    planned: bool = False  # it needs no call for the plan any more

    @property
    def finds(self) -> list[SubQuestion]:
        """The parts that something is searched for."""
        return [part for part in self.plan.parts if part.role == "find"]

    @property
    def rows(self) -> int:
        """How many things are searched for."""
        return sum(map(self.rows_of, self.finds))

    def rows_of(self, part: SubQuestion) -> int:
        """Return how many rows a part has; one for each item of a list has as many as there may be, until they are known."""
        waiting = sum(part.resolve({part.each: ""}, row.text) != row.text for row in part.rows) if part.each else 0
        return len(part.rows) + waiting * (self.options.max_items - 1)


_Kinds = Callable[[Ahead], Iterable[EstimatedCalls]]
_OfPart = Callable[[Ahead, SubQuestion], Iterable[EstimatedCalls]]


def _nothing(*_: object) -> Iterable[EstimatedCalls]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyCalls:
    """The calls of a strategy: to plan, to search for one part, and to choose passages.

    One that `narrates` answers at the effort deep the parts that nobody waits for, too.
    """

    planning: _Kinds
    searching: _OfPart = _nothing
    selecting: _Kinds = _nothing
    narrates: bool = True


def estimate_of(ahead: Ahead, models: Models) -> Estimate:
    """Return what carrying out a plan comes to, without rounds of repair."""
    return estimate(work_of(ahead), models)


def work_of(ahead: Ahead) -> Iterator[EstimatedCalls]:
    """Yield the calls in the order in which they are made."""
    if ahead.effort == "keyless":
        return
    ways, plan = calls_of(ahead.options.strategy), ahead.plan
    if ahead.effort == "fast":
        ways = StrategyCalls(planning=_nothing)
    elif not ahead.planned:
        yield from ways.planning(ahead)
    if not plan.retrieval:
        return  # it was answered with the plan
    prompts = {} if ahead.effort == "fast" else _answers(ahead, narrates=ways.narrates and ahead.effort == "deep")
    yield from _research(ahead, ways.searching, prompts)
    yield from ways.selecting(ahead)
    shown = max(_places(ahead.options), ahead.rows)
    told = sum(EstimatedCalls(prompt=prompt).longest for prompt in prompts.values())
    yield EstimatedCalls(prompt="answer", shown=shown, told=told)
    if ahead.effort != "fast":
        yield EstimatedCalls(prompt="check", shown=shown, told=EstimatedCalls(prompt="answer").longest)


def _places(options: Options) -> int:
    """Return about how many passages a model writes from, unless there are more rows."""
    return options.scored.top_n if options.strategy == "scored" else -(-options.evidence_tokens // PASSAGE)


def _answers(ahead: Ahead, *, narrates: bool) -> dict[int, Prompt]:
    """Return by part the prompt that it is answered with: in short if others wait for it, else in sentences if that is wanted."""
    waited_for = {number for part in ahead.plan.parts for number in part.bridges}
    asked = [part for part in ahead.finds if not part.known]
    told = [part for part in asked if narrates and not part.extends]
    sentences: dict[int, Prompt] = {part.id: "part" for part in told}
    short: dict[int, Prompt] = {part.id: "short" for part in asked if part.id in waited_for}
    return sentences | short


def _research(ahead: Ahead, searching: _OfPart, prompts: Mapping[int, Prompt]) -> Iterator[EstimatedCalls]:
    """Yield the calls of all parts; those of the longest chain alone wait for one another."""
    own = {part.id: list(searching(ahead, part)) for part in ahead.finds}
    for number, prompt in prompts.items():
        own[number].append(EstimatedCalls(prompt=prompt, shown=_SHOWN_FOR_PART))
    levels = {number: sum(work.levels for work in works) for number, works in own.items()}
    chain = longest_chain(ahead.plan, levels)
    for number, works in own.items():
        yield from (work if number in chain else replace(work, levels=0) for work in works)


def longest_chain(plan: Plan, levels: Mapping[int, int]) -> tuple[int, ...]:
    """Return the parts that wait for one another over the most levels, given those of each part."""
    parts = {part.id: part for part in plan.parts}

    def sum_of(chain: tuple[int, ...]) -> int:
        return sum(levels.get(number, 0) for number in chain)

    @cache
    def chain(number: int) -> tuple[int, ...]:
        return (*max(map(chain, parts[number].depends_on), key=sum_of, default=()), number)

    return max(map(chain, parts), key=sum_of)


def reranking_calls(ahead: Ahead) -> Iterator[EstimatedCalls]:
    """Yield the calls that score the passages of each row, and of the question itself."""
    if ahead.options.rerank == "llm":
        yield scoring_calls([RERANKED] * (1 + ahead.rows))


def scoring_calls(lists: Iterable[int]) -> EstimatedCalls:
    """Return the calls that score lists of so many passages, all side by side."""
    calls = sum(math.ceil(passages / RERANKED_TOGETHER) for passages in lists)
    return EstimatedCalls(
        prompt="relevance", calls=calls, shown=RERANKED_TOGETHER, reply=SCORES_REPLY + SCORE_REPLY * RERANKED_TOGETHER
    )


def calls_of(strategy: str) -> StrategyCalls:
    """Return the calls of a strategy, which its own module holds."""
    return strategy_module(strategy).CALLS
