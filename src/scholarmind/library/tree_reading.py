"""Read a tree of summaries near a question, within a budget of tokens: all levels in one pool, or from the top down."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from scholarmind.filters import Filter
from scholarmind.library_ports import Standing, Tree
from scholarmind.llm.estimate import tokens_of
from scholarmind.model import Evidence, Search
from scholarmind.relations import TreeNode

POOL = 40  # summaries and passages that are looked at
_BRANCHES = 3  # that are followed from each level to the next
_UNDER = 8  # passages of a branch
_UPPER = (2, 3)
_FIRST = (3, 2, 1)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage that was read by itself: how near it is, and under which summary it was found (0: none)."""

    item: Evidence
    score: float
    node: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What fitted into the budget: summaries with how near they are, and passages by themselves."""

    nodes: tuple[tuple[TreeNode, float], ...] = ()
    passages: tuple[ReadPassage, ...] = ()
    tokens: int = 0


async def collapsed(tree: Tree, search: Search, filter: Filter | None, tokens: int) -> Read:
    """Read what is nearest among passages and summaries alike, and before that the nearest summary of levels 3, 2 and 1.

    The higher a summary is, the more it says of the whole and the less near it can be.
    """
    standings = await tree.near(search, POOL, best_of_each=True, filter=filter)
    best: dict[int, Standing] = {}
    for standing in standings:
        if standing.node is not None and standing.node.level in _FIRST:
            best.setdefault(standing.node.level, standing)
    first = [best[level] for level in _FIRST if level in best]
    return _within(first + [standing for standing in standings if standing not in first], tokens)


async def level_by_level(tree: Tree, search: Search, filter: Filter | None, tokens: int) -> Read:
    """Read the nearest summaries of the upper levels, one of each at least, then what is nearest below, down to the passages."""
    followed = _nodes(await tree.near(search, _BRANCHES, levels=_UPPER, best_of_each=True, filter=filter))
    lower = _nodes(await tree.near(search, POOL, levels=(1, 2), filter=filter))
    for level in (2, 1):
        above = {node.number for node, _ in followed}
        below = [one for one in lower if one[0].level == level and (one[0].parent in above or not above)]
        followed += [one for one in below if one[0].number not in above][:_BRANCHES]
    read = _within([Standing(node=node, score=score) for node, score in followed], tokens)
    passages: list[ReadPassage] = []
    for node, score in read.nodes:
        if node.level == 1:
            under = await tree.under(node.number, search, _UNDER, filter=filter)
            # what is near in a branch that is near: both count alike
            passages += [
                ReadPassage(item=item, score=score * (1 + item.scores.fused) / 2, node=node.number) for item in under
            ]
    passages.sort(key=lambda one: -one.score)
    kept, spent = _fitting(((one, one.item.passage.text) for one in passages), tokens - read.tokens)
    return Read(nodes=read.nodes, passages=tuple(kept), tokens=read.tokens + spent)


async def evenly(tree: Tree, search: Search, filter: Filter | None, tokens: int) -> Read:
    """Read the summaries of one level, all branches alike, then passages: where all there is is asked for, no branch is nearer."""
    standings = await tree.near(search, POOL, levels=(2,), filter=filter)
    if len(standings) < _BRANCHES:
        standings = await tree.near(search, POOL, levels=(1,), filter=filter)
    passages = await tree.near(search, POOL, levels=(0,), filter=filter)
    return _within([*(replace(standing, score=1.0) for standing in standings), *passages], tokens)


def _nodes(standings: Iterable[Standing]) -> list[tuple[TreeNode, float]]:
    return [(standing.node, standing.score) for standing in standings if standing.node is not None]


def _within(standings: Sequence[Standing], tokens: int) -> Read:
    kept, spent = _fitting(((standing, _text(standing)) for standing in standings), tokens)
    passages = [
        ReadPassage(item=standing.evidence, score=standing.score) for standing in kept if standing.evidence is not None
    ]
    return Read(nodes=tuple(_nodes(kept)), passages=tuple(passages), tokens=spent)


def _text(standing: Standing) -> str:
    return standing.node.text if standing.node else standing.evidence.passage.text if standing.evidence else ""


def _fitting(items: Iterable[tuple[Item, str]], tokens: int) -> tuple[list[Item], int]:
    """Return what fits, in this order, and how many tokens that takes; what is too long by itself is left out."""
    kept: list[Item] = []
    spent = 0
    for item, text in items:
        if spent + (cost := tokens_of(text)) <= tokens:
            kept.append(item)
            spent += cost
    return kept, spent
