"""The information filter: keeps those passages of a search that are useful for the objective."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.llm.prompts import Fenced, fenced, within
from scholarmind.model import Evidence
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.worth import Worth
from scholarmind.text.language import language_of

_TOKENS = 400
_LONGEST_PASSAGE = 1_500
_LONGEST_REASON = 200
# Of what the best passage says of the objective, or of how well the best one matched. It leans to keep: what a next step needs has
# few of its words (hotpotqa_100: all@10 .90 at half, .97 here).
_USEFUL = 0.3
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterState:
    """What the filter sees: the question, the documents that a query brought, and the objective that they are for."""

    question: str
    documents: Sequence[Evidence]
    objective: str
    query: str
    part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a model is asked for."""

    keep: tuple[str, ...] = ()
    none_useful: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtering:
    """What was kept and what was not, each in the order of the search, and who said so."""

    kept: tuple[Evidence, ...]
    dropped: tuple[Evidence, ...]
    by: str  # model, rules
    reason: str = ""
    notes: tuple[str, ...] = ()


async def filtered(state: FilterState, worth: Worth, asking: Asking | None) -> Filtering:
    """Return the useful passages: a model says which, and where it has no word of use, rules."""
    if asking is None:
        return by_rules(state.documents, worth)
    said = await _said(state, asking)
    if isinstance(said, Filtering):
        return said
    ruled = by_rules(state.documents, worth)
    note = f"passages of part {state.part} were filtered by rules: {said}"
    return Filtering(kept=ruled.kept, dropped=ruled.dropped, by="rules", reason=ruled.reason, notes=(note,))


def by_rules(documents: Sequence[Evidence], worth: Worth) -> Filtering:
    """Keep what says much of the objective, or matched well: what is one mention away may have none of its words."""
    says = [worth.share(worth.held([item])) for item in documents]
    matched = [item.scores.fused for item in documents]
    enough, near = _USEFUL * max(says, default=0.0), _USEFUL * max(matched, default=0.0)
    useful = [(share >= enough and share > 0) or score >= near for share, score in zip(says, matched, strict=True)]
    kept = tuple(item for item, keep in zip(documents, useful, strict=True) if keep)
    dropped = tuple(item for item, keep in zip(documents, useful, strict=True) if not keep)
    return Filtering(kept=kept, dropped=dropped, by="rules", reason="by words in common and by rank")


async def _said(state: FilterState, asking: Asking) -> Filtering | str:
    marker, language = asking.assistant.marker, "zh" if language_of(state.question) == "zh" else "en"
    shown = fenced(state.documents, marker, longest=_LONGEST_PASSAGE)
    request = asking.assistant.request(
        ("filter", language),
        purpose=f"filter of part {state.part}",
        max_tokens=_TOKENS,
        values={
            "passages": shown.text,
            "question": within(state.question, marker, "question"),
            "query": within(state.query, marker, "query"),
            "objective": within(state.objective, marker, "objective"),
        },
        shape=Kept,
        part=state.part,
    )
    reply = await asking.reply(request)
    if isinstance(reply, str):
        return reply
    return _read(reply.value, shown) if isinstance(reply.value, Kept) else "the model's reply was none of a filter"


def _read(said: Kept, shown: Fenced) -> Filtering | str:
    """Return what a reply keeps; an empty one counts only if it says that it is meant."""
    keys = {f"P{number[0]}" for key in said.keep if (number := _NUMBER.search(key))}
    kept = tuple(item for key, item in shown.passages.items() if key in keys)
    if not kept and (said.keep or not said.none_useful):
        return "the model named no passage that it was shown"
    dropped = tuple(item for key, item in shown.passages.items() if key not in keys)
    return Filtering(kept=kept, dropped=dropped, by="model", reason=" ".join(said.reason.split())[:_LONGEST_REASON])
