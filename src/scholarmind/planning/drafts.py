"""The parts of a plan while it is made: drafts that name each other by place, put together under a cap, and laid out as a tree.

A reference to another draft is one private character. The most similar parts become one until the cap holds, and each question in them
stays an ask of its own; a clause that asks several things by itself becomes a part that has parts. What a question is taken apart into
is no matter of this module.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.plan import Ask, Kind, Role
from scholarmind.planning.question_words import REFERENCE, REFERENCES, content, question, statement

# -- drafts

MOST_DRAFTS = 400  # far above any plan; bounds the work on hostile texts


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDraft:
    """A part to be. `after` are places in the list of drafts whose answers it needs; so are the references in its text."""

    text: str
    role: Role = "find"
    kind: Kind | None = None
    after: tuple[int, ...] = ()
    entity: str = ""
    aspect: str = ""
    asks: tuple[str, ...] = ()  # what was put together into it before any merging
    topics: tuple[str, ...] = ()  # the entities that it is about, for words that point back
    each: bool = False  # it is to be carried out for each item of the answer that it refers to
    group: int = 0  # the number of the clause that it was made of
    clause: str = ""  # ... and what that asks


def reference(place: int) -> str:
    """Return the character that stands for the answer of the draft at a place."""
    return chr(REFERENCE + place)


def referred(text: str) -> tuple[int, ...]:
    """Return the places that a text refers to."""
    return tuple(dict.fromkeys(ord(match[0]) - REFERENCE for match in REFERENCES.finditer(text)))


def moved(draft: PartDraft, places: Sequence[tuple[int, ...]]) -> PartDraft:
    """Return the draft with every place replaced by the places that it became."""

    def names(character: str) -> str:
        new = places[ord(character) - REFERENCE]
        joint = "和" if any("\u4e00" <= letter <= "\u9fff" for letter in draft.text) else " and "
        return joint.join(map(reference, new))

    text, clause = (REFERENCES.sub(lambda match: names(match[0]), each) for each in (draft.text, draft.clause))
    after = tuple(dict.fromkeys(new for place in draft.after for new in places[place]))
    return replace(draft, text=text, clause=clause, after=after)


def apart(draft: PartDraft, places: Sequence[tuple[int, ...]]) -> list[PartDraft]:
    """Return the draft with its places replaced; for each item of what became several lists it is a draft for each list."""
    lists = referred(draft.text)
    if not draft.each or len(lists) != 1 or len(places[lists[0]]) < 2:
        return [moved(draft, places)]
    number = lists[0]
    return [
        moved(draft, [(one,) if place == number else each for place, each in enumerate(places)])
        for one in places[number]
    ]


def appended(drafts: list[PartDraft], more: Sequence[PartDraft]) -> list[int]:
    """Append drafts that name each other from 0, and return their new places."""
    places = [(len(drafts) + number,) for number in range(len(more))]
    drafts += [moved(draft, places) for draft in more]
    return [place for (place,) in places]


# -- merging: under the cap, the most similar first

_FEW = 24  # above this, neighbours are put together first, so that the work stays linear
_DESCRIPTION = re.compile(r"^(?:What|Who) (?:is|are|was|were) (?P<x>.+)$|^(?P<y>.+?)(?:是什么|是谁|有哪些)$")


@dataclass(frozen=True, slots=True)
class MergedParts:
    """A part of the plan, with the drafts that went into it, in order."""

    drafts: tuple[PartDraft, ...]
    places: tuple[int, ...]
    after: frozenset[int]

    @property
    def role(self) -> Role:
        """What makes the answer of the part: to be found, if anything in it has to be."""
        return "find" if any(draft.role == "find" for draft in self.drafts) else self.drafts[0].role


def merged(drafts: list[PartDraft], cap: int) -> list[MergedParts]:
    """Return the parts of a plan, at most as many as the cap allows, in an order in which each can be worked on."""
    parts = [MergedParts((draft,), (place,), frozenset(draft.after)) for place, draft in enumerate(drafts)]
    if len(parts) > _FEW > cap:
        parts = _neighbours(parts, max(cap, _FEW))
    parts = _ordered(parts)
    words = {id(part): _content_of(part) for part in parts}
    while len(parts) > max(1, cap):
        first, second = _nearest(parts, words)
        joined = _joined(parts[first], parts[second])
        words[id(joined)] = words[id(parts[first])] | words[id(parts[second])]
        rest = [part for place, part in enumerate(parts) if place not in {first, second}]
        parts = _ordered([*rest, joined])
    return parts


def _content_of(part: MergedParts) -> frozenset[str]:
    return frozenset(word for draft in part.drafts for word in content(draft.text))


def _neighbours(parts: list[MergedParts], wanted: int) -> list[MergedParts]:
    """Put parts that stand beside each other together until few are left; a part and those that wait for it may share one."""
    parts = _ordered(parts)
    size = -(-len(parts) // wanted)
    found: list[MergedParts] = []
    for begin in range(0, len(parts), size):
        group = parts[begin : begin + size]
        pairs = sorted(
            ((place, draft) for part in group for place, draft in zip(part.places, part.drafts, strict=True)),
            key=lambda pair: pair[0],
        )
        places = tuple(place for place, _ in pairs)
        after = frozenset[int]().union(*(part.after for part in group)) - set(places)
        found.append(MergedParts(tuple(draft for _, draft in pairs), places, after))
    return found


def _joined(first: MergedParts, second: MergedParts) -> MergedParts:
    places = (*first.places, *second.places)
    drafts = (*first.drafts, *second.drafts)
    order = sorted(range(len(places)), key=places.__getitem__)
    places = tuple(places[each] for each in order)
    return MergedParts(tuple(drafts[each] for each in order), places, (first.after | second.after) - set(places))


def _ordered(parts: list[MergedParts]) -> list[MergedParts]:
    """Return the parts in the order of the question, each behind what it waits for."""
    owner = {place: number for number, part in enumerate(parts) for place in part.places}
    waits = [{owner[place] for place in part.after} - {number} for number, part in enumerate(parts)]
    done: list[int] = []
    left = sorted(range(len(parts)), key=lambda number: parts[number].places[0])
    while left:
        ready = next((number for number in left if waits[number] <= set(done)), left[0])
        done.append(ready)
        left.remove(ready)
    return [parts[number] for number in done]


def _nearest(parts: list[MergedParts], words: dict[int, frozenset[str]]) -> tuple[int, int]:
    """Return the two parts that are best put together: alike, and without anything between them that waits."""
    # for each part the parts that it waits for, near and far
    owner = {place: number for number, part in enumerate(parts) for place in part.places}
    reach: list[set[int]] = []
    for part in parts:
        direct = {owner[place] for place in part.after}
        reach.append(direct.union(*(reach[number] for number in direct if number < len(reach))))
    pairs = [
        (first, second)
        for first in range(len(parts))
        for second in range(first + 1, len(parts))
        if not _between(parts, reach, first, second)
    ]
    return max(
        pairs,
        key=lambda pair: _likeness(
            parts[pair[0]], parts[pair[1]], words, pair[1] in reach[pair[0]] or pair[0] in reach[pair[1]]
        ),
    )


def _between(parts: list[MergedParts], reach: list[set[int]], first: int, second: int) -> bool:
    """Tell whether putting two parts together would make a third wait for what waits for it."""
    return any(first in reach[middle] and middle in reach[second] for middle in range(len(parts)))


def _likeness(first: MergedParts, second: MergedParts, words: dict[int, frozenset[str]], dependent: bool) -> float:
    one, two = words[id(first)], words[id(second)]
    score = len(one & two) / (len(one | two) or 1)
    aspects = {draft.aspect for draft in first.drafts} & {draft.aspect for draft in second.drafts} - {""}
    entities = {draft.entity for draft in first.drafts} & {draft.entity for draft in second.drafts} - {""}
    score += 2 * bool(aspects) + 0.5 * bool(entities) + 0.5 * (first.after == second.after)
    score -= 0.3 * (len(first.drafts) + len(second.drafts))
    score += 0.01 * (first.places[0] + second.places[0]) / 100  # of equals, those further back
    if first.role != second.role:
        score -= 20
    return score - 8 * dependent


def text_and_asks(part: MergedParts) -> tuple[str, tuple[Ask, ...]]:
    """Return the text and the asks of a part; a question within it that waited for another names it in words instead."""
    inner = {place: described(draft.text) for place, draft in zip(part.places, part.drafts, strict=True)}
    texts: list[str] = []
    for draft in part.drafts:
        text = draft.text
        for place in referred(text):
            if place in inner:
                text = text.replace(chr(REFERENCE + place), inner[place])
        texts.append(text)
        inner |= {place: described(text) for place, each in zip(part.places, part.drafts, strict=True) if each is draft}
    asks = tuple(
        Ask(text=asked, entity=draft.entity, aspect=draft.aspect)
        for text, draft in zip(texts, part.drafts, strict=True)
        for asked in (draft.asks or (text,))
    )
    if len(part.drafts) == 1:
        draft = part.drafts[0]
        plain = draft.role != "find" or not (draft.asks or draft.entity or draft.aspect)
        return texts[0], () if plain else asks
    return " ".join(text if text.endswith(tuple("?？.。")) else f"{text};" for text in texts).removesuffix(";"), asks


def described(text: str) -> str:
    """Return what a question asks for, as words that can stand in another question."""
    match = _DESCRIPTION.match(statement(text))
    return (match["x"] or match["y"]) if match else f"({statement(text)})"


# -- trees: clauses that ask of the same things, or that hang on each other's parts, are one branch; a question that is one such
# whole stays flat

_WHOLE_TREE = 2  # times as many parts in all as a plan may have at its top
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
    head: PartDraft | None = None  # what puts its parts together
    children: tuple[MergedParts, ...] = ()


@dataclass(slots=True)
class PlanTree:
    """The parts from the top, each before its own parts, and for each the place of the part that it belongs to, or -1."""

    parts: list[MergedParts]
    parents: list[int]


def grown(text: str, drafts: Sequence[PartDraft], cap: int) -> PlanTree | None:
    """Return the tree of a question, or None where a flat plan is what it is, or too much is asked for a tree."""
    branches = _branches(drafts)
    for branch in branches if len(branches) > 1 else ():
        branch.head = _head(branch, drafts, text)
    last = [place for place, draft in enumerate(drafts) if not draft.group]
    if len(branches) > 1 and _CLOSING.fullmatch(drafts[branches[-1].places[0]].text):
        last = branches.pop().places[:1]
    heads = [branch for branch in branches if branch.head]
    tops = len(last) + sum(1 if branch.head else len(branch.places) for branch in branches)
    if not heads or tops > cap or not _fits(heads, drafts, _WHOLE_TREE * cap - tops):
        return None
    return _laid_out(branches, drafts, last)


# -- what belongs together


def _branches(drafts: Sequence[PartDraft]) -> list[_Branch]:
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


def _akin(branches: Sequence[_Branch], drafts: Sequence[PartDraft]) -> tuple[_Branch, _Branch] | None:
    """Return two branches that are one: what is asked of the same things, or waits for parts of the other."""
    for number, first in enumerate(branches):
        for second in branches[number + 1 :]:
            things = _entities(first, drafts) & _entities(second, drafts)
            same = _clauses(first, drafts) & _clauses(second, drafts)
            if len(things) > 1 or same or _hang(second, first, drafts) or _hang(first, second, drafts):
                return first, second
    return None


def _entities(branch: _Branch, drafts: Sequence[PartDraft]) -> set[str]:
    finds = [drafts[place] for place in branch.places if drafts[place].role == "find"]
    several = {topic for draft in finds if len(draft.topics) > 1 for topic in draft.topics}
    return ({draft.entity for draft in finds} | several) - {""}


def _clauses(branch: _Branch, drafts: Sequence[PartDraft]) -> set[str]:
    return {drafts[place].clause for place in branch.places}


def _hang(later: _Branch, earlier: _Branch, drafts: Sequence[PartDraft]) -> bool:
    """Tell whether one waits for parts that the other puts together itself; one answer alone can be waited for."""
    wanted = {place for own in later.places for place in drafts[own].after} & set(earlier.places)
    return bool(wanted) and len(_ends(earlier, drafts)) > 1


def _ends(branch: _Branch, drafts: Sequence[PartDraft]) -> list[int]:
    """Return what a branch looks up for its own sake, not for another of its parts."""
    finds = [place for place in branch.places if drafts[place].role == "find"]
    steps = {needed for place in finds for needed in drafts[place].after}
    return [place for place in finds if place not in steps]


def _head(branch: _Branch, drafts: Sequence[PartDraft], text: str) -> PartDraft | None:
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
    return PartDraft(text=asked, role=role, kind="reasoning", after=(*outside, *inner))


def _asked(branch: _Branch, drafts: Sequence[PartDraft], text: str) -> str:
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


def _fits(heads: Sequence[_Branch], drafts: Sequence[PartDraft], room: int) -> bool:
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


def _children(branch: _Branch, drafts: Sequence[PartDraft], cap: int) -> tuple[MergedParts, ...]:
    places = [place for place in branch.places if drafts[place].role == "find"]
    local = {place: number for number, place in enumerate(places)}
    inside = [
        replace(drafts[place], after=tuple(local[each] for each in drafts[place].after if each in local))
        for place in places
    ]
    return tuple(_lifted([places[number] for number in part.places], drafts) for part in merged(inside, cap))


def _lifted(places: Sequence[int], drafts: Sequence[PartDraft]) -> MergedParts:
    after = {each for place in places for each in drafts[place].after} - set(places)
    return MergedParts(tuple(drafts[place] for place in places), tuple(places), frozenset(after))


# -- the whole, from the top


def _laid_out(branches: Sequence[_Branch], drafts: Sequence[PartDraft], last: Sequence[int]) -> PlanTree:
    tree = PlanTree([], [])
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
        tree.parts += [MergedParts((branch.head,), (own,), frozenset(branch.head.after)), *branch.children]
    for place in last:  # what concludes from all of it
        concluding = replace(drafts[place], role="conclude", kind="reasoning")
        tree.parts.append(MergedParts((concluding,), (place,), frozenset(tops)))
        tree.parents.append(-1)
    return tree
