"""Research one part of a plan: fill in what it waited for, find evidence for each thing that it asks, and note the short answers.

A part may be carried out for every item of a list: `What is the size of #1?` gets a row for each dataset that part 1 found. When which
part is researched is in `execute`.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from scholarmind.answer import Finding
from scholarmind.events import OnEvent, ignore
from scholarmind.model import Evidence
from scholarmind.plan import Ask, Plan, SubQuestion, described
from scholarmind.ports import Answerer, Short
from scholarmind.ranking import key_of, merged
from scholarmind.relations import Tally
from scholarmind.steps.execute import resolved
from scholarmind.steps.gather import Gathered, Gatherer, Widening
from scholarmind.steps.journal import Investigate
from scholarmind.steps.progress_events import passages_found_event
from scholarmind.text.analysis import each_once, items_of, normal

# -- a row for every item of a list.
#
# A part that says so (`each`) always gets them. A plain `#N` does too where the answer of part N turns out to be a list: with one row for
# all of them nobody could see which item nothing was found for. It does not where the part asks about the list as a whole ("which of #1",
# "in total"), and not where others wait for it, whose searches would change with it.

_NAMED_IN_NOTE = 20
_LONGEST_ITEM = 200  # characters; what is longer is a sentence
_NUMBERED = re.compile(r"#(?=\d)")  # in an item it must not be taken for the answer of a part
_OF_THE_WHOLE = re.compile(
    r"\b(?:which|who|one|any|none|some|most|many|all|both|number) of\b|\b(?:among|amongst|between|together|total|combined|altogether"
    r"|overall|average|common|compare\w*|differ\w*|most|least|first|last|\w{2,}est)\b"
    r"|其中|之[中间]|当中|哪[一个些种]|[总一]共|合计|共同|平均|区别|差异|不同|比较|最",
    re.IGNORECASE,
)


def for_each(investigate: Investigate, plan: Plan, most: int) -> Investigate:
    """Return `investigate` so that it is given a part with a row for each item, at most so many."""
    waited_for = frozenset(number for part in plan.parts for number in part.bridges)

    async def each(part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        return await investigate(fanned_out(part, given, most, waited_for), given)

    return each


def fanned_out(
    part: SubQuestion, given: Mapping[int, Finding], most: int, waited_for: Set[int] = frozenset()
) -> SubQuestion:
    """Return the part with a row for each item of the list that it is for; without such a list, or once it has its rows, as it is."""
    if part.role != "find":
        return part
    number = part.each or (0 if part.id in waited_for else _list_meant(part, given))
    source = given.get(number)
    items = () if source is None or not _is_open(part, number) else _items(source)
    if not items:
        return part
    rows = [row for ask in part.rows for row in _rows(part, ask, number, items[:most])]
    return replace(part, each=number, asks=tuple(rows))


def expanded(plan: Plan, findings: Sequence[Finding], most: int) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with the rows that its parts were carried out for, and what to say of items that have none."""
    found = {finding.part.id: finding for finding in findings}
    parts = tuple(_as_carried_out(part, found, most) for part in plan.parts)
    notes = tuple(note for part in parts if (note := _left_out(part, found)))
    return (plan if parts == plan.parts else replace(plan, parts=parts)), notes


def _as_carried_out(part: SubQuestion, found: Mapping[int, Finding], most: int) -> SubQuestion:
    own = found.get(part.id)
    if own is None:
        return part
    if own.error and part.each:  # it failed for each of the items
        return fanned_out(part, found, most)
    return replace(part, each=own.part.each, asks=own.part.asks) if own.part.each else part


def _left_out(part: SubQuestion, found: Mapping[int, Finding]) -> str:
    source = found.get(part.each)
    if not part.each or part.role != "find" or source is None or source.error:
        return ""
    if _is_open(part, part.each):
        return f"part {part.each} gave no list: part {part.id} was carried out once, for its answer"
    rows = {normal(ask.entity) for ask in part.asks}
    items = _items(source)
    left = [item for item in items if normal(item) not in rows]
    if not left:
        return ""
    named = ", ".join(left[:_NAMED_IN_NOTE]) + (f" and {more} more" if (more := len(left) - _NAMED_IN_NOTE) > 0 else "")
    return f"part {part.id} was carried out for {len(items) - len(left)} of {len(items)} items of part {part.each}, not for {named}"


def _items(source: Finding) -> tuple[str, ...]:
    """Return the items that a part found, or that its answer consists of."""
    if source.items:
        return tuple(item for item in each_once(source.items) if len(item) <= _LONGEST_ITEM)
    items = items_of(source.answer)
    return items if len(items) > 1 and max(map(len, items)) <= _LONGEST_ITEM else ()


def _rows(part: SubQuestion, ask: Ask, number: int, items: Sequence[str]) -> list[Ask]:
    if not _names(part, ask.text, number):
        return [ask]
    return [
        replace(ask, text=part.resolve({number: _NUMBERED.sub("# ", item)}, ask.text), entity=item) for item in items
    ]


def _is_open(part: SubQuestion, number: int) -> bool:
    """Tell whether a part still waits for its items: one of its rows names the list as a whole."""
    return any(_names(part, ask.text, number) for ask in part.rows)


def _names(part: SubQuestion, text: str, number: int) -> bool:
    return number in part.depends_on and part.resolve({number: ""}, text) != text


def _list_meant(part: SubQuestion, given: Mapping[int, Finding]) -> int:
    """Return the number of the one part whose answer a plain part names, if that answer is a list and each item can be meant; else 0."""
    if len(part.bridges) != 1 or len(part.rows) > 1 or _OF_THE_WHOLE.search(part.text):
        return 0
    source = given.get(part.bridges[0])
    if source is None or len(source.items) < 2:
        return 0
    answer = normal(source.answer)
    return part.bridges[0] if all(normal(item) in answer for item in source.items) else 0


# -- one part after another of one plan

_CANDIDATES = 3
_KEPT = 30
_LATER_CANDIDATE = 0.07  # what the second and the third candidate of an earlier part have to make up for
_DEPENDENCY_KEPT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigator:
    """Answers one part after another of one plan."""

    plan: Plan
    gathering: Gatherer
    answerer: Answerer  # of parts that others wait for
    narrator: Answerer | None = None  # of all others, if they are to be answered at all
    hops: bool = True
    injection: bool = True
    widening: Widening = field(default_factory=Widening)
    kept: int = _KEPT  # passages of a row
    on_event: OnEvent = ignore

    async def __call__(self, part: SubQuestion, given: Mapping[int, Finding]) -> Finding:
        """Return what was found for a part, given what the parts that it depends on found."""
        given = (
            given
            if self.injection
            else {number: replace(finding, answer="", candidates=()) for number, finding in given.items()}
        )
        question = resolved(part, given)
        if part.role != "find":
            return Finding(part=part, question=question, rows=(question,), evidence=_of_dependencies(given))
        rows = await asyncio.gather(
            *(self._row(part, ask.text, label, given) for ask, label in zip(part.rows, part.row_ids, strict=True))
        )
        evidence = tuple(merged(_in_turn([row.evidence[: self.kept] for _, row in rows])).values())
        finding = Finding(
            part=part,
            question=question if len(rows) > 1 else rows[0][0],
            rows=tuple(text for text, _ in rows),
            evidence=evidence,
            tallies=tuple(row.tally for _, row in rows if row.tally is not None),
        )
        self.on_event(passages_found_event(finding))  # before the short answer, which may take a model some seconds
        short = _counted(finding.tallies) or await self._short(part, finding.rows, evidence)
        return replace(
            finding,
            answer=short.candidates[0] if short.candidates else "",
            candidates=short.candidates,
            items=short.items,
            rests_on=short.rests_on,
            lacks=short.lacks,
            notes=tuple(dict.fromkeys((*(note for _, row in rows for note in row.notes), *short.notes))),
        )

    async def _short(self, part: SubQuestion, rows: tuple[str, ...], evidence: tuple[Evidence, ...]) -> Short:
        """Return the short answers of a part that others wait for; they may be known from the first look."""
        if part.known:
            return Short(candidates=(part.known,), rests_on=part.known_from)
        waited_for = any(part.id in other.bridges for other in self.plan.parts)
        answerer = self.answerer if waited_for else None if part.extends else self.narrator
        return await answerer.short(part, "\n".join(rows), evidence) if answerer else Short()

    async def _row(
        self, part: SubQuestion, text: str, label: str, given: Mapping[int, Finding]
    ) -> tuple[str, Gathered]:
        """Return what one row asks once everything is filled in, and all that is known of it."""
        question, gathered = await self._gathered(part, text, label, given)
        return question, await self.widening.widen(part, question, label, gathered)

    async def _gathered(
        self, part: SubQuestion, text: str, label: str, given: Mapping[int, Finding]
    ) -> tuple[str, Gathered]:
        """Return the row's question with its evidence: of several chains of answers the one that fits best."""
        # a reading for each answer of the first bridge, and for the words that describe it, should no answer be right
        bridges = [
            number for number in part.bridges if f"#{number}" in text and number in given and given[number].candidates
        ]
        if not bridges:
            chains = [resolved(part, given, text)]
        else:
            first = bridges[0]
            answers = (*given[first].candidates[:_CANDIDATES], described(given[first].question))
            readings = [{**given, first: replace(given[first], answer=answer)} for answer in answers if answer]
            chains = list(dict.fromkeys(resolved(part, reading, text) for reading in readings))
        searched = [_in_context(part, f"{self.plan.searched_with(part)} {chain}".lstrip(), given) for chain in chains]
        gathered = await asyncio.gather(*(self.gathering.gather(each, label, hop=self.hops) for each in searched))
        found = list(zip(chains, gathered, strict=True))
        if len(found) == 1:
            return found[0]
        weights = [_fit(row) - place * _LATER_CANDIDATE for place, (_, row) in enumerate(found)]
        order = sorted(range(len(found)), key=lambda place: -weights[place])
        best = found[order[0]]
        others = [found[place][1].evidence for place in order[1:]]
        discounted = [_discounted(items, 0.75**place) for place, items in enumerate(others, 1)]
        evidence = merged([best[1].evidence, *discounted])
        ranked = tuple(sorted(evidence.values(), key=lambda item: (-item.scores.fused, key_of(item))))
        return best[0], replace(best[1], evidence=ranked)


def _in_context(part: SubQuestion, text: str, given: Mapping[int, Finding]) -> str:
    """Return what is searched for: a part that waits for others without a `#N` goes on from what they asked, and what that found."""
    unnamed = [given[number] for number in part.depends_on if number in given and number not in part.bridges]
    said = [each.rstrip(" ?？") for finding in unnamed for each in (finding.question, finding.answer) if each]
    return f"{text} ({'; '.join(said)})" if said else text


def _counted(tallies: Sequence[Tally]) -> Short | None:
    """Return the short answers that were counted: nothing that reads passages could do better."""
    items = tuple(dict.fromkeys(item for tally in tallies for item in tally.items))
    if not items:
        return None
    return Short(candidates=(", ".join(items),), items=items if len(items) > 1 else ())


def _in_turn(rows: Sequence[Sequence[Evidence]]) -> list[list[Evidence]]:
    """Return the best of every row, then the second best ...: what comes first must not be all from one row."""
    return [[item for item in place if item is not None] for place in zip_longest(*rows)]


def _fit(row: Gathered) -> float:
    """Return how well the best passages fit what was asked, on a scale that does not depend on what else was found."""
    vectors = [item.scores.vector for item in row.evidence[:3] if item.scores.vector is not None]
    return max(vectors, default=0.0)


def _discounted(items: Sequence[Evidence], factor: float) -> list[Evidence]:
    return [item.rated(item.scores.fused * factor) for item in items]


def _of_dependencies(given: Mapping[int, Finding]) -> tuple[Evidence, ...]:
    return tuple(merged(finding.evidence[:_DEPENDENCY_KEPT] for finding in given.values()).values())
