"""How many parts a question needs, counted in the question itself: the things that it speaks of, and what is done with them.

Two grains. `steps` counts every thing and every operation, as a decomposition into atomic steps does; `parts` counts what the rules
would look up, and every operation on that, as a decomposition into sub-questions does.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from scholarmind.model import Name
from scholarmind.planning.gate_text import GateText, gate_text
from scholarmind.planning.planner import RulePlanner
from scholarmind.planning.second_look import SecondLook
from scholarmind.planning.words import CHINESE_FUNCTION, FUNCTION
from scholarmind.text.language import lazy_regex

MOST = 10  # parts that anything is taken apart into
Grain = Literal["steps", "parts"]
_TOKENS = lazy_regex(r"@|[^\W_]+(?:[.\-'’][^\W_]+)*|[,;]")
_OPERATIONS = tuple(
    lazy_regex(pattern)
    for pattern in (
        # counting and reckoning
        r"\bhow (?:many|much)\b|\b(?:number|count|total|amount|average|sum|mean|percentage) of\b|\bcombined\b|\btotal\b|\baverage\b",
        # setting side by side, or in an order
        r"\b(?:more|less|fewer|most|least|same|exactly|first|last|only|than|equal|different|both|between|\w{3,}est)\b",
        # taking away
        r"\b(?:not|no|without|except|besides|never|other than)\b",
        # yes or no
        r"^(?:if|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b",
    )
)
_CHINESE_OPERATIONS = tuple(
    lazy_regex(pattern)
    for pattern in (
        r"多少|几[个种位年次项篇家]|总共|一共|总数|总和|平均|合计|占比",
        r"最|更|比较|对比|相比|差异|区别|异同|不同|相同|一样|之间|都",
        r"不(?!同|断|仅)|没有|除了|以外|之外|无需",
        r"是否|有没有|能否|吗",
    )
)
_CHINESE_BREAK = lazy_regex(r"[，。；：、？！,.;:?!\s]+")


def how_many(
    question: str,
    names: Sequence[Name] = (),
    second: SecondLook | None = None,
    *,
    grain: Grain = "steps",
    most: int = MOST,
) -> int:
    """Return how many parts to ask for, from 1 to `most`; `names` are what the library knows in the question."""
    text = gate_text(question, names)
    things = _things(text) if grain == "steps" else _looked_up(question, names, most)
    count = things + _operations(text)
    if second is not None and second.verdict == "composite":
        count = max(2, count)
    return max(1, min(most, count))


def _things(text: GateText) -> int:
    """Count the runs of words that say something: each is a thing, a quality of one, or what is done."""
    if text.chinese:
        pieces = _CHINESE_BREAK.split(CHINESE_FUNCTION.sub(" ", text.masked))
        return sum(bool(piece) for piece in pieces)
    says = [False, *(token not in FUNCTION and token not in {",", ";"} for token in _TOKENS.findall(text.masked))]
    return sum(new and not before for before, new in pairwise(says))


def _looked_up(question: str, names: Sequence[Name], most: int) -> int:
    parts = RulePlanner(cap=most, depth=1).plan(question, names).parts
    return sum(part.role == "find" for part in parts)


def _operations(text: GateText) -> int:
    patterns = _CHINESE_OPERATIONS if text.chinese else _OPERATIONS
    return sum(len(pattern.findall(text.masked)) for pattern in patterns)
