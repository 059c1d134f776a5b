"""What the product needs from outside, one small protocol each, and the data that goes through these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from scholarmind.answer import Draft, Finding, Review
from scholarmind.filters import Filter
from scholarmind.model import Evidence, Found, Judged, Name
from scholarmind.plan import Kind, Plan, SubQuestion
from scholarmind.relations import Related, Surveyed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# -- what a reader of questions marks in one; places are those of characters

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anaphor:
    """Words that point back, or a place where words were left out: what they mean is words of the question, or the answer of an ask."""

    place: Span
    words: Span | None = None
    ask: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a reader found in a question. `asks` are the stretches that ask something, in order; descriptions may stand in one another."""

    asks: tuple[Span, ...]
    background: tuple[Span, ...] = ()
    courtesy: tuple[Span, ...] = ()
    lists: tuple[tuple[Span, ...], ...] = ()
    descriptions: tuple[Span, ...] = ()
    pointers: tuple[Anaphor, ...] = ()


# -- conversations: what is remembered of each question that was asked in one

_LONGEST_ANSWER = 400  # characters
_MOST = 40  # entities, and aspects, of a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question of a conversation as it stood alone, as it was typed, and what it was about and brought, in short."""

    question: str
    asked: str
    answer: str = ""
    entities: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoodAlone:
    """A question as it was typed, what it became to stand alone, and why; `became` is the question where nothing had to be done."""

    question: str
    became: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation in one line: how many turns it has, what was typed last, and when."""

    name: str
    turns: int
    last: str
    when: float  # seconds since 1970


def turn_of(asked: str, plan: Plan, answer_texts: Mapping[str, str]) -> Turn:
    """Return what is remembered of a question that was answered: its plan's entities and aspects, and the answers by row, in short."""
    asks = [ask for part in plan.parts for ask in part.rows]
    bridges = {number for part in plan.parts for number in part.bridges}
    found = [
        answer for part in plan.parts if part.id in bridges for row in part.row_ids if (answer := answer_texts.get(row))
    ]
    short = [answer for answer in found if len(answer) <= _LONGEST_ANSWER // 4]
    entities = dict.fromkeys([*plan.known_entities, *(ask.entity for ask in asks), *short])
    aspects = dict.fromkeys(ask.aspect for ask in asks)
    return Turn(
        question=plan.question.strip(),
        asked=asked,
        answer="; ".join(filter(None, answer_texts.values()))[:_LONGEST_ANSWER],
        entities=tuple(filter(None, entities))[:_MOST],
        aspects=tuple(filter(None, aspects))[:_MOST],
    )


# -- the ports


@dataclass(frozen=True, slots=True, kw_only=True)
class Embeddings:
    """A vector of length one for each text, and the share of each text that the model does not know."""

    vectors: "npt.NDArray[np.float32]"
    unknown: Sequence[float]


class Embedder(Protocol):
    """Turns texts into vectors. Two embedders with one fingerprint give the same vectors."""

    fingerprint: str

    async def embed(self, texts: Sequence[str]) -> Embeddings: ...


Entailment = Callable[[str, str], float | None]
"""Tells whether a text says a sentence, as the logarithm of the odds; None where it cannot tell."""


class QuestionReader(Protocol):
    """Tells how likely a question is composite (0 to 1); None for a text that it cannot read."""

    def composite(self, question: str) -> float | None: ...


class QuestionMarker(Protocol):
    """Marks what a question is made of; None for a text that it cannot read."""

    def marks(self, question: str) -> Marks | None: ...


class Lexicon(Protocol):
    """Tells how rare words are: the natural logarithm of (passages + 1) / (passages with the word + 1), by term of the text analysis."""

    async def rarity(self, words: Sequence[str]) -> Mapping[str, float]: ...


class Languages(Protocol):
    """Tells how many passages there are of documents in each language, by its code."""

    async def languages(self) -> Mapping[str, int]: ...


class Names(Protocol):
    """Finds in texts the names that the library's metadata knows; the list of each text is ordered by place, without overlaps."""

    async def names(self, texts: Sequence[str]) -> list[tuple[Name, ...]]: ...


class Journal(Protocol):
    """Keeps what the steps of a run brought, each under its content address. Where it fails it raises a ScholarMindError."""

    async def get(self, run: str, address: str) -> str | None: ...
    async def put(self, run: str, address: str, step: str, value: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A question that was asked, and all that it takes to go on with it. Plan, settings and answer are JSON."""

    id: str
    question: str
    plan: str
    settings: str
    library: str  # its version
    status: str  # running, done, failed, cancelled; interrupted: its process is no more
    started: float  # seconds since 1970
    finished: float | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What somebody said of an answer, or of one part of it (0: of the whole)."""

    run: str
    good: bool
    part: int = 0
    note: str = ""
    at: float = 0.0  # seconds since 1970


class RunLog(Protocol):
    """Writes down the runs. It never fails a run: `problem` tells why one leaves no trace, or ''."""

    async def begin(self, run: str, question: str, *, plan: str = "", settings: str = "", library: str = "") -> int: ...
    def append_event(self, run: str, number: int, record: str) -> None: ...
    async def finish(self, run: str, status: str, answer: str = "") -> None: ...
    def problem(self, run: str) -> str: ...


class Retriever(Protocol):
    """Finds passages for a question, the best first: a library's own search, or anybody else's."""

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found: ...


class Links(Protocol):
    """Finds passages that are one mention away from others, ranked by a question."""

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found: ...


class Relations(Protocol):
    """Answers from the graph of papers: what is counted or followed there, and passages that prove edges about a question."""

    async def related(self, question: str, kind: Kind, k: int) -> Related: ...


class Overview(Protocol):
    """Finds passages for a question about the whole: those that the summaries near it stand on, and those beside what was `found`."""

    async def survey(self, question: str, k: int, found: Sequence[Evidence] = ()) -> Surveyed: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is known when a plan is made: the names in the question, and what it found by itself."""

    names: tuple[Name, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rarity: Mapping[str, float] = field(default_factory=dict[str, float])


class Planner(Protocol):
    """Takes a question apart. `talk` answers what is no question at all, or returns ''."""

    def talk(self, question: str) -> str: ...
    async def plan(self, question: str, look: Look) -> Plan: ...


@dataclass(frozen=True, slots=True)
class SameQuestion:
    """The earlier wording of a question, and how alike the two are."""

    question: str
    likeness: float


class Wordings(Protocol):
    """Knows a question again that was asked before in other words, which hold the same names; or remembers it."""

    async def same(self, question: str, names: Sequence[Name]) -> SameQuestion | None: ...


class Translator(Protocol):
    """Says what a plan asks in the `others` of the library's languages, for one run; each method returns notes of what cannot be done."""

    others: tuple[str, ...]

    async def settle(self, question: str) -> tuple[str, ...]: ...
    def know(self, plan: Plan) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """Up to three short answers to one question, the best first; `lacks` says what was looked for and not found."""

    candidates: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # of an answer that is a list
    rests_on: tuple[str, ...] = ()  # ids of the passages that it is from (`ranking.passage_id`), where that is known
    lacks: str = ""
    notes: tuple[str, ...] = ()


class Answerer(Protocol):
    """Answers a part in a few words or sentences. Its question has a line for each of its rows."""

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What an answer is written from. `evidence` are the passages that a model may be shown, best first."""

    plan: Plan
    findings: Sequence[Finding]
    evidence: Sequence[Evidence]
    rarity: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The passages that count, best first, out of so many; `judged` are all that were scored one against another."""

    evidence: tuple[Evidence, ...]
    considered: int
    judged: tuple[Judged, ...] = ()
    notes: tuple[str, ...] = ()


class Selector(Protocol):
    """Chooses the passages that an answer is written from. Asked twice with other places, it does its work once."""

    async def select(self, plan: Plan, look: Look, findings: Sequence[Finding], places: int) -> Chosen: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A score between 0 and 1 for each passage in its order; None where it could not be scored, and why in the notes."""

    scores: tuple[float | None, ...]
    reasons: tuple[str, ...] = ()  # in the same order, or none at all
    notes: tuple[str, ...] = ()


class Reranker(Protocol):
    """Says how well each passage answers a question. It never fails: what it cannot score keeps the place that it has."""

    name: str

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated: ...


class Writer(Protocol):
    """Writes the whole text. `on_piece` is told each piece as it comes, with the number of the draft that it belongs to."""

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft: ...


class Examiner(Protocol):
    """Settles whether the sentences that code leaves in doubt are said by what they cite."""

    async def examine(self, plan: Plan, draft: Draft) -> Draft: ...


class Reviewer(Protocol):
    """Tells how complete an answer is, row by row; before it is written, by what was found alone."""

    def review(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft | None, rarity: Mapping[str, float]
    ) -> Review: ...
