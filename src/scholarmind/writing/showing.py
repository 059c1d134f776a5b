"""The passages that a model writes from: as many as a number of tokens holds, and of each row those that count most.

Measured with one search and the same number of tokens beside it (`bench/points.py`): what a plan found is shown, not only its first five.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from scholarmind.answer import Finding
from scholarmind.llm.language_models import tokens_of
from scholarmind.llm.prompts import head_of
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ranking import Key, key_of, merged, passage_id
from scholarmind.text.analysis import fold
from scholarmind.writing.tallied import proving, tallies_of

_ITEM = re.compile(r"\s*(?:[-*•|]|\d{1,3}[.)、])")
_LONGEST = 2_000  # characters of a passage that are shown
_PROOFS = 6  # passages of each row that was counted
_RESTED_ON = 2  # passages in which a short answer stands, where nobody said which it is from
_EACH_ROW = 2  # passages at least


def within_tokens(
    plan: Plan, findings: Sequence[Finding], ranked: Sequence[Evidence], tokens: int
) -> tuple[Evidence, ...]:
    """Return the passages to show: what answers and counts rest on, then two a row, then the best of the rest.

    `ranked` are those to choose from, best first. Every row keeps its best passage, however few tokens there are.
    """
    pool = merged((ranked, *(finding.evidence for finding in findings), *_proofs(findings).values()))
    rows = [row for part in plan.parts if part.role == "find" for row in part.row_ids]
    first = [next((key_of(item) for item in _of_row(findings, row)), None) for row in rows]
    chosen: dict[Key, None] = dict.fromkeys(key for key in first if key is not None)
    left = tokens - sum(cost(pool[key]) for key in chosen)
    for wanted in _by_need(findings, ranked, rows):
        for key in (wanted, *_goes_on(wanted, pool)):
            if key not in chosen and (own := cost(pool[key])) <= left:
                chosen[key] = None
                left -= own
    labels = {key: _rows_proved(findings, key) for key in chosen}
    shown = [pool[key].rated(pool[key].scores.fused, pool[key].found_by | labels[key]) for key in chosen]
    return tuple(shown)


def fewer(plan: Plan, findings: Sequence[Finding], shown: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the half of these passages that counts most."""
    return within_tokens(plan, findings, shown, sum(map(cost, shown)) // 2)


def cost(item: Evidence) -> int:
    """Return about how many tokens a passage takes where it is shown."""
    return tokens_of(item.passage.text[:_LONGEST]) + tokens_of(head_of(item))


def _goes_on(key: Key, pool: Mapping[Key, Evidence]) -> Iterator[Key]:
    """Yield the neighbours of a passage that breaks off, or begins, inside a list or a table."""
    collection, document, position = key
    for first, second, other in ((position, position + 1, 1), (position - 1, position, 0)):
        pair = (collection, document, first), (collection, document, second)
        if all(one in pool for one in pair):
            ends, begins = (pool[one].passage.text.strip().split("\n") for one in pair)
            if _ITEM.match(ends[-1]) and _ITEM.match(begins[0]):
                yield pair[other]


def _by_need(findings: Sequence[Finding], ranked: Sequence[Evidence], rows: Sequence[str]) -> Iterator[Key]:
    """Yield the passages in the order in which they are wanted."""
    for finding in findings:
        yield from _rested_on(finding)
    for proofs in _proofs(findings).values():
        yield from map(key_of, proofs)
    for place in range(_EACH_ROW):
        for row in rows:
            yield from map(key_of, _of_row(findings, row)[place : place + 1])
    yield from map(key_of, ranked)


def _rested_on(finding: Finding) -> Iterator[Key]:
    """Yield the passages that the short answer of a part is from."""
    if finding.rests_on:
        yield from (key_of(item) for item in finding.evidence if passage_id(item) in finding.rests_on)
    elif finding.answer:
        said = fold(finding.answer)
        holding = (key_of(item) for item in finding.evidence if said in fold(item.passage.text))
        yield from (key for key, _ in zip(holding, range(_RESTED_ON), strict=False))


def _of_row(findings: Sequence[Finding], row: str) -> list[Evidence]:
    return [
        item for finding in findings if row in finding.part.row_ids for item in finding.evidence if row in item.found_by
    ]


def _proofs(findings: Sequence[Finding]) -> Mapping[str, Sequence[Evidence]]:
    """Return for each row that was counted some of the passages that prove it."""
    return {row: [*merged([list(proving(tally))]).values()][:_PROOFS] for row, tally in tallies_of(findings).items()}


def _rows_proved(findings: Sequence[Finding], key: Key) -> frozenset[str]:
    return frozenset(row for row, proofs in _proofs(findings).items() if any(key_of(item) == key for item in proofs))
