"""How a question is taken apart: parts, what each waits for, and the shape that follows from that."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal, get_args

from scholarmind.errors import PlanError
from scholarmind.relations import Form

Complexity = Literal["simple", "composite"]
Kind = Literal["factual", "reasoning", "global"]
Role = Literal["find", "compare", "conclude"]
Shape = Literal["direct", "parallel", "sequential", "mixed"]
_REFERENCE = re.compile(r"#(\d{1,4})(?![0-9A-Za-z_])")
_LONGEST_CONTEXT, _MOST_NAMES = 300, 3  # characters of the background; names of the question
_DESCRIPTION = re.compile(r"(?i)wh(?:at|o) (?:is|are|was|were) (.+?)[?？]*$|(.+?)(?:是什么|是谁|是哪.?|有哪些)[?？]*$")
_EXECUTION = {"direct": "all_parallel", "parallel": "all_parallel", "sequential": "all_sequential", "mixed": "mixed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One thing that is asked: a row of the completeness table, and a cell (entity x aspect) of a comparison."""

    text: str
    entity: str = ""
    aspect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubQuestion:
    """One part of a plan. `#N` in its text stands for the answer of part N, which must be among those it depends on.

    `role` tells what makes its answer: `find` looks it up; `compare` and `conclude` put those of its dependencies together.
    `asks` are the questions that were merged into this part to stay under the cap; each keeps its own row.
    `known` is its short answer where the first look gave it already, read from the passages `known_from` (their ids in the look).
    A part that `extends` another was added in a later round, for what that one lacked.
    `parent` is the part that this one is a part of (0: of the question); a parent puts its children together.
    `each` is the part whose answer is a list, for each item of which this one is carried out; its text holds that part's `#N`.
    `form` tells that the graph of papers answers it by counting, sorting or following: count, ranking, results, lineage ...
    """

    id: int
    text: str
    kind: Kind = "factual"
    depends_on: tuple[int, ...] = ()
    role: Role = "find"
    asks: tuple[Ask, ...] = ()
    known: str = ""
    known_from: tuple[str, ...] = ()
    extends: int = 0
    parent: int = 0
    each: int = 0
    form: Form | None = None

    @property
    def rows(self) -> tuple[Ask, ...]:
        """What this part has to answer, one by one."""
        return self.asks or (Ask(text=self.text),)

    @property
    def row_ids(self) -> tuple[str, ...]:
        """The names of its rows in the review, and of its searches in `Evidence.found_by`: 3, or 3.1, 3.2 if there are several."""
        count = len(self.rows)
        return (str(self.id),) if count == 1 else tuple(f"{self.id}.{place}" for place in range(1, count + 1))

    @property
    def bridges(self) -> tuple[int, ...]:
        """The parts whose answers stand in the text as `#N`."""
        named = {int(match[1]) for match in _REFERENCE.finditer(self.text)}
        return tuple(number for number in self.depends_on if number in named)

    def resolve(self, answers: Mapping[int, str], text: str | None = None) -> str:
        """Return the text (or one of the asks) with each `#N` that it depends on replaced by that part's answer."""

        def answer(match: re.Match[str]) -> str:
            number = int(match[1])
            return answers.get(number, match[0]) if number in self.depends_on else match[0]

        return _REFERENCE.sub(answer, self.text if text is None else text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What is `asked`, said in another language (its code); it counts for as long as a part asks this."""

    asked: str
    language: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be researched. Refuses to be made with unknown, repeated or circular parts."""

    question: str
    parts: tuple[SubQuestion, ...]
    complexity: Complexity
    reason: str
    decided_by: str  # rules, classifier, second look, model, user, ...
    core_intent: str = ""
    background: str = ""  # what was told beside what is asked: understood, and demanded of nothing
    known_entities: tuple[str, ...] = ()
    unknown_entities: tuple[str, ...] = ()
    milliseconds: float = 0.0
    retrieval: bool = True  # False: a model says that this needs no documents; then `own_answer` is its answer
    own_answer: str = ""
    notes: tuple[str, ...] = ()  # what was done in another way than asked, and why
    strategy: str = "plan"
    steps: int = 0  # about how many the question takes, counted in it; where a model is asked for parts, it is told so
    translations: tuple[Translation, ...] = ()  # of what its parts ask, into other languages of the library

    def __post_init__(self) -> None:
        _check(self.parts)

    @property
    def shape(self) -> Shape:
        """How the parts hang together; always derived from the dependencies."""
        finding = [part for part in self.parts if part.role == "find"]
        if len(finding) <= 1:
            return "direct"
        waiting = sum(bool(part.depends_on) for part in finding)
        if not waiting:
            return "parallel"
        return "sequential" if waiting == len(finding) - 1 else "mixed"

    @property
    def execution_plan(self) -> str:
        """The shape in the words of the plan record: all_parallel, all_sequential or mixed."""
        return _EXECUTION[self.shape]

    @property
    def context(self) -> str:
        """The end of the background: a part is searched and read with it, as it may speak of what was named there."""
        end = self.background[-_LONGEST_CONTEXT:]
        return end if len(end) == len(self.background) else end.partition(" ")[2] or end

    def searched_with(self, part: SubQuestion) -> str:
        """Return what is looked for beside a part: its context; without one, where it names nothing, the names of the question."""
        text = part.text.casefold()
        named = max(text) >= "\u4e00" or any(name.casefold() in text for name in self.known_entities)  # Chinese may be
        return self.context or ("" if named or part.bridges else ", ".join(self.known_entities[:_MOST_NAMES]))

    def level(self, part: SubQuestion) -> int:
        """Return how many parts a part is below, one within the other; 0 at the top."""
        return 1 + self.level(self.part(part.parent)) if part.parent else 0

    def part(self, number: int) -> SubQuestion:
        """Return the part with this number."""
        return next(part for part in self.parts if part.id == number)


def described(question: str) -> str:
    """Return the thing that a question asks for, in its own words: the `#N` of one who waits for it stood there; '' where it has none."""
    match = _DESCRIPTION.match(question.strip())
    return next(filter(None, match.groups()), "") if match else ""


def is_open(text: str) -> bool:
    """Tell whether a text waits for the answer of a part: whether it holds a `#N`."""
    return _REFERENCE.search(text) is not None


def _check(parts: tuple[SubQuestion, ...]) -> None:
    ids = [part.id for part in parts]
    if not parts:
        raise PlanError("a plan needs at least one part")
    for part in parts:
        if ids.count(part.id) > 1:
            raise PlanError(f"two parts have the number {part.id}; give each its own")
        if unknown := set(part.depends_on) - set(ids):
            raise PlanError(f"part {part.id} depends on part {min(unknown)}, which there is not; parts: {ids}")
        if not part.text.strip() or not all(ask.text.strip() for ask in part.asks):
            raise PlanError(f"part {part.id} asks nothing; write its question or take it out")
        for name, value, known in (("kind", part.kind, get_args(Kind)), ("role", part.role, get_args(Role))):
            if value not in known:
                raise PlanError(f"part {part.id}: {name} = {value!r} is not one of {', '.join(known)}")
        if part.form is not None and part.form not in get_args(Form):
            raise PlanError(f"part {part.id}: form = {part.form!r} is not one of {', '.join(get_args(Form))}, nor null")
        _check_place(part, parts)
    try:
        TopologicalSorter({part.id: part.depends_on for part in parts}).prepare()
    except CycleError as error:
        circle = " -> ".join(map(str, error.args[1]))
        raise PlanError(f"parts wait for each other: {circle}; take out one of these dependencies") from error


def _check_place(part: SubQuestion, parts: tuple[SubQuestion, ...]) -> None:
    above = next((other for other in parts if part.parent and other.id == part.parent), None)
    belongs = f"part {part.id} is a part of part {part.parent}"
    if part.parent and (above is None or above is part):
        raise PlanError(f"{belongs}, which there is not; parts: {[other.id for other in parts]}")
    if above and above.role == "find":
        raise PlanError(
            f"{belongs}, which looks something up; a part with parts of its own has the role compare or conclude"
        )
    if above and part.id not in above.depends_on:
        raise PlanError(f"{belongs}, which does not wait for it; write {part.id} into what that depends on")
    if part.each and part.each not in part.bridges:
        raise PlanError(
            f"part {part.id} is for each item of part {part.each}: write #{part.each} into its text, and depend on it"
        )
