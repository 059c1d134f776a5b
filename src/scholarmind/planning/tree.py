"""A plan that is a tree: a clause that asks several things by itself becomes a part that puts parts of its own together.

Clauses that ask of the same things, or that hang on each other's parts, are one; a question that is one such whole stays flat.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.planning.draft import Draft, referred
from scholarmind.planning.merge import Merged, merged
from scholarmind.planning.words import question

WHOLE_TREE = 2  # times as many parts in all as a plan may have at its top
_FEWEST = 2  # parts of a part
_CLOSING = re.compile(  # a clause that asks for nothing but what the others come to
    r"(?:(?:overall|in conclusion|all in all|finally),?\s+)?"
    r"(?:what (?:can|could|should|may) (?:be|we|one) concluded?|what (?:do|does|did) (?:we|this|that|it) conclude|what follows"
    r"|draw (?:a |your |some )?conclusions?|summari[sz]e (?:the|all|your) (?:findings|results))"
    r"(?:\s+(?:overall|from (?:this|that|these|all (?:of )?(?:this|that|it))))?[?.]?"
    r"|(?:总体(?:来看|而言)|综合(?:来看|以上|上述)|综上(?:所述)?|最后)?[，,]?(?:能|可以|请)?(?:得出|给出)(?:什么|哪些|怎样的)?结论[？?。]?",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class _Branch:
    """Clauses that belong together: the places of what they became, and whether those are parts of one part."""

    groups: set[int]
    places: list[int]
    head: Draft | None = None  # what puts its parts together
    children: tuple[Merged, ...] = ()


@dataclass(slots=True)
class Tree:
    """The parts from the top, each before its own parts, and for each the place of the part that it belongs to, or -1."""

    parts: list[Merged]
    parents: list[int]


def grown(text: str, drafts: Sequence[Draft], cap: int) -> Tree | None:
    """Return the tree of a question, or None where a flat plan is what it is, or too much is asked for a tree."""
    branches = _branches(drafts)
    for branch in branches if len(branches) > 1 else ():
        branch.head = _head(branch, drafts, text)
    last = [place for place, draft in enumerate(drafts) if not draft.group]
    if len(branches) > 1 and _CLOSING.fullmatch(drafts[branches[-1].places[0]].text):
        last = branches.pop().places[:1]
    heads = [branch for branch in branches if branch.head]
    tops = len(last) + sum(1 if branch.head else len(branch.places) for branch in branches)
    if not heads or tops > cap or not _fits(heads, drafts, WHOLE_TREE * cap - tops):
        return None
    return _laid_out(branches, drafts, last)


# -- what belongs together


def _branches(drafts: Sequence[Draft]) -> list[_Branch]:
    found: dict[int, _Branch] = {}
    for place, draft in enumerate(drafts):
        if draft.group:
            found.setdefault(draft.group, _Branch(groups={draft.group}, places=[])).places.append(place)
    branches = list(found.values())
    while pair := _akin(branches, drafts):
        first, second = pair
        joined = _Branch(groups=first.groups | second.groups, places=sorted(first.places + second.places))
        branches = [joined if branch is first else branch for branch in branches if branch is not second]
    return branches


def _akin(branches: Sequence[_Branch], drafts: Sequence[Draft]) -> tuple[_Branch, _Branch] | None:
    """Return two branches that are one: what is asked of the same things, or waits for parts of the other."""
    for number, first in enumerate(branches):
        for second in branches[number + 1 :]:
            things = _entities(first, drafts) & _entities(second, drafts)
            same = _clauses(first, drafts) & _clauses(second, drafts)
            if len(things) > 1 or same or _hang(second, first, drafts) or _hang(first, second, drafts):
                return first, second
    return None


def _entities(branch: _Branch, drafts: Sequence[Draft]) -> set[str]:
    finds = [drafts[place] for place in branch.places if drafts[place].role == "find"]
    several = {topic for draft in finds if len(draft.topics) > 1 for topic in draft.topics}
    return ({draft.entity for draft in finds} | several) - {""}


def _clauses(branch: _Branch, drafts: Sequence[Draft]) -> set[str]:
    return {drafts[place].clause for place in branch.places}


def _hang(later: _Branch, earlier: _Branch, drafts: Sequence[Draft]) -> bool:
    """Tell whether one waits for parts that the other puts together itself; one answer alone can be waited for."""
    wanted = {place for own in later.places for place in drafts[own].after} & set(earlier.places)
    return bool(wanted) and len(_ends(earlier, drafts)) > 1


def _ends(branch: _Branch, drafts: Sequence[Draft]) -> list[int]:
    """Return what a branch looks up for its own sake, not for another of its parts."""
    finds = [place for place in branch.places if drafts[place].role == "find"]
    steps = {needed for place in finds for needed in drafts[place].after}
    return [place for place in finds if place not in steps]


def _head(branch: _Branch, drafts: Sequence[Draft], text: str) -> Draft | None:
    """Return what puts the parts of a branch together: its comparison, or its clauses as a question of their own."""
    if len(_ends(branch, drafts)) < _FEWEST:
        return None
    inner = [place for place in branch.places if drafts[place].role == "find"]
    above = [drafts[place] for place in branch.places if drafts[place].role != "find"]
    kept = {*inner, *(place for place in range(len(drafts)) if place not in branch.places)}
    if len(above) > 1 or any(needed not in kept for place in inner for needed in drafts[place].after):
        return None  # some part waits for what the others come to
    asked = _asked(branch, drafts, text)
    outside = tuple(place for place in referred(asked) if place not in inner)
    role = "compare" if above else "conclude"
    return Draft(text=asked, role=role, kind="reasoning", after=(*outside, *inner))


def _asked(branch: _Branch, drafts: Sequence[Draft], text: str) -> str:
    """Return what the clauses of a branch ask, in the words of the question where they stand together there."""
    clauses = list(dict.fromkeys(drafts[place].clause for place in branch.places))
    begin = text.find(clauses[0])
    for last in (
        clauses[-1],
        clauses[-1].partition(" ")[2],
    ):  # the verb of the first clause may stand before the last, too
        end = text.find(last)
        if len(clauses) > 1 and 0 <= begin < end:
            return question(text[begin : end + len(last)])
    return " ".join(map(question, clauses))


# -- how large it may be


def _fits(heads: Sequence[_Branch], drafts: Sequence[Draft], room: int) -> bool:
    """Give each branch its parts, the most similar of the largest put together until all have room; tell whether they have."""
    sizes = {
        number: sum(drafts[place].role == "find" for place in branch.places) for number, branch in enumerate(heads)
    }
    while sum(sizes.values()) > room:
        largest = max(sizes, key=lambda number: sizes[number])
        if sizes[largest] <= _FEWEST:
            return False
        sizes[largest] -= 1
    for number, branch in enumerate(heads):
        branch.children = _children(branch, drafts, sizes[number])
    return True


def _children(branch: _Branch, drafts: Sequence[Draft], cap: int) -> tuple[Merged, ...]:
    places = [place for place in branch.places if drafts[place].role == "find"]
    local = {place: number for number, place in enumerate(places)}
    inside = [
        replace(drafts[place], after=tuple(local[each] for each in drafts[place].after if each in local))
        for place in places
    ]
    return tuple(_lifted([places[number] for number in part.places], drafts) for part in merged(inside, cap))


def _lifted(places: Sequence[int], drafts: Sequence[Draft]) -> Merged:
    after = {each for place in places for each in drafts[place].after} - set(places)
    return Merged(tuple(drafts[place] for place in places), tuple(places), frozenset(after))


# -- the whole, from the top


def _laid_out(branches: Sequence[_Branch], drafts: Sequence[Draft], last: Sequence[int]) -> Tree:
    tree = Tree([], [])
    tops: list[int] = []
    for number, branch in enumerate(branches):
        if branch.head is None:
            tree.parts += [_lifted([place], drafts) for place in branch.places]
            tree.parents += [-1] * len(branch.places)
            tops += branch.places
            continue
        own = len(drafts) + number
        tops.append(own)
        tree.parents += [-1, *[len(tree.parts)] * len(branch.children)]
        tree.parts += [Merged((branch.head,), (own,), frozenset(branch.head.after)), *branch.children]
    for place in last:  # what concludes from all of it
        concluding = replace(drafts[place], role="conclude", kind="reasoning")
        tree.parts.append(Merged((concluding,), (place,), frozenset(tops)))
        tree.parents.append(-1)
    return tree
