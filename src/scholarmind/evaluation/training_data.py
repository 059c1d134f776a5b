"""Training data from runs: examples of what models were asked and what came of it, as files."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from scholarmind.llm.prompts import Prompt, Prompts, marker_of, within
from scholarmind.ports import Rating, Run
from scholarmind.text.language import language_of

if TYPE_CHECKING:
    from scholarmind.adapters.runs import Runs

# -- what must not get into training data

_A = re.ASCII  # so that a Chinese character beside a key or a number is no part of it
_I = re.ASCII | re.IGNORECASE
# each rule looks only so far: a long text must not take long
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[a-z][a-z0-9+.-]{0,30}://[^\s/@]+@[^\s<>\"']*", _I), "[address]"),  # with a password in it
    (
        re.compile(
            r"\bhttps?://[^\s<>\"']{0,2000}[?&;](?:[\w-]*(?:key|token|secret|password|sig|auth)[\w-]*)=[^\s<>\"']*", _I
        ),
        "[address]",
    ),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), "[key]"),
    (re.compile(r"\b(?:bearer|basic)\s+[\w.~+/=-]{12,}", _I), "[key]"),
    (
        re.compile(
            r"(?<![\w-])(?:[a-z0-9]+[_-])*(?:api[_ -]?key|(?:access|secret|private)[_ -]?(?:key|token)|token|secret"
            r"|password|passwd|pwd)\s*[:=：]\s*\S+",
            _I,
        ),
        "[key]",
    ),
    (re.compile(r"(?:密码|密钥|口令)\s*(?:[:：=]|是|为)\s*[\x21-\x7e]+"), "[key]"),
    (re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|glpat|hf)[-_][A-Za-z0-9_-]{12,}", _A), "[key]"),
    (
        re.compile(r"\bgithub_pat_\w{20,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", _A),
        "[key]",
    ),
    (re.compile(r"(?<![\w/])(?=[A-Za-z0-9+_]*\d)(?=[A-Za-z0-9+_]*[A-Za-z])[A-Za-z0-9+_]{32,}(?![\w/])", _A), "[key]"),
    (re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}[@＠][\w-]+(?:\.[\w-]+)+"), "[e-mail]"),
    (
        re.compile(r"(?<![\w.])[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx](?!\w)", _I),
        "[identity number]",  # of a Chinese citizen: place, day of birth, number, check digit
    ),
    (re.compile(r"(?<![\w.+-])\+\d{1,3}[ ()./-]{0,2}(?:\d[ ()./-]{0,2}){6,13}\d(?![\w-])", _A), "[telephone]"),
    (re.compile(r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])", _A), "[telephone]"),
    (
        re.compile(
            r"(?<![\w.-])(?:\(0\d{2,4}\)[ -]?\d{6,8}|0\d{1,4}[ /-]\d{2,4}[ -]?\d{2,4}(?:[ -]?\d{2,4})?)(?![\w-])", _A
        ),
        "[telephone]",
    ),
    (re.compile(r"(?<![\d.])1[3-9]\d(?:\d{8}|([ -])\d{4}\1\d{4})(?!\d)", _A), "[telephone]"),
)


def masked(text: str) -> str:
    """Return the text without what belongs to somebody."""
    for pattern, name in _RULES:
        text = pattern.sub(name, text)
    return text


def all_masked(value: Any) -> Any:
    """Return JSON with every text in it masked."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {name: all_masked(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [all_masked(item) for item in cast("list[Any]", value)]
    return value


# -- what is known of a run

Record = Mapping[str, Any]
Place = tuple[str, str]  # collection and id of a document
_SERVED = ("complete", "with caveats", "conflicting")  # verdicts of answers that gave what was asked for
_GOOD = 2.0  # times the weight of what a person found good
_CAVEATS = 0.7
_NOTHING: Record = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A run with its answer, its events, and its ratings; all but the ratings as JSON."""

    run: Run
    answer: Record
    events: Sequence[Record]
    ratings: Sequence[Rating] = ()

    @property
    def question(self) -> str:
        """The question as it stood alone."""
        return str(self.answer.get("question") or self.run.question)

    def of_type(self, name: str) -> Iterator[Record]:
        """Yield the events of one type."""
        return (event for event in self.events if event["type"] == name)

    def rated(self, part: int = 0) -> bool | None:
        """Return what people said: of the whole, or of a part; a word on the part counts more there. None: nothing."""
        said = {rating.part: rating.good for rating in self.ratings}
        return said.get(part, said.get(0))

    @property
    def any_bad(self) -> bool:
        """Tell whether anybody found anything in it bad."""
        return any(not rating.good for rating in self.ratings)

    @property
    def served(self) -> bool:
        """Tell whether the answer gave what was asked for: people's word counts, else the review's."""
        said = self.rated()
        return said if said is not None else not self.any_bad and self.answer.get("verdict") in _SERVED

    def weight(self, part: int = 0) -> float:
        """Return how far an example from this run is to be trusted: the review's confidence, and more for what people found good."""
        sure = float(self.answer.get("confidence") or 0.0) * (
            1.0 if self.answer.get("verdict") == "complete" else _CAVEATS
        )
        return round(_GOOD * max(sure, 0.5) if self.rated(part) else sure, 3)

    def rows(self, part: int) -> list[Record]:
        """Return the rows of the review that belong to a part."""
        return [row for row in self.answer["parts"] if _part_of(row["id"]) == part]

    def cited(self, part: int | None = None) -> set[Place]:
        """Return the documents that the claims of a part cite, or of all."""
        claims = [claim for claim in self.answer["claims"] if part is None or _part_of(claim["part"]) == part]
        keys = {key for claim in claims for key in claim["citations"]}
        return {place_of(item) for item in self.answer["citations"] if item["key"] in keys}

    @property
    def documents(self) -> set[Place]:
        """Every document that the answer rests on, or that any event tells of."""
        found = {place_of(item) for item in self.answer["citations"]}
        found |= {place_of(item) for row in self.answer["parts"] for item in row["evidence"]}
        for event in self.events:
            for name in ("best", "kept", "dropped"):
                found |= {place_of(item) for item in event.get(name) or ()}
        return found

    @property
    def meta(self) -> dict[str, Any]:
        """What an example tells of the run that it is from; its id is hashed."""
        began: Record = next(self.of_type("run_started"), _NOTHING)
        said = self.rated()
        return {
            "run": hashlib.sha256(self.run.id.encode()).hexdigest()[:16],
            "strategy": self.plan.get("strategy") or "plan",
            "effort": began.get("effort") or "",
            "rating": "" if said is None else "good" if said else "bad",
            "verdict": self.answer.get("verdict") or "",
        }

    @property
    def plan(self) -> Record:
        """The first plan of the run."""
        return next(self.of_type("planned"), _NOTHING).get("plan") or _NOTHING


def history_of(run: Run, events: Sequence[str], ratings: Sequence[Rating]) -> History | None:
    """Return a run that came to an answer; None for one that did not, or that an earlier version wrote otherwise."""
    try:
        answer: Any = json.loads(run.answer)
        told = [json.loads(event) for event in events]
        if run.status != "done" or not {"parts", "claims", "citations"} <= answer.keys():
            return None
    except (ValueError, AttributeError):
        return None
    # what happened since the run was last taken up: what went before was done again from its journal
    begun = [place for place, event in enumerate(told) if event["type"] == "run_started"]
    return History(run=run, answer=answer, events=told[begun[-1] :] if begun else told, ratings=ratings)


def place_of(item: Record) -> Place:
    """Return where a passage or a citation is from."""
    return str(item["collection"]), str(item["document"])


def _part_of(row: str) -> int:
    number = str(row).partition(".")[0]
    return int(number) if number.isdigit() else 0


# -- an example


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What goes into a line of the export."""

    messages: tuple[tuple[str, str], ...]  # role and text
    label: str
    weight: float
    meta: Mapping[str, Any]

    @property
    def record(self) -> dict[str, Any]:
        """The example as JSON, with nothing in it that belongs to somebody."""
        messages = [{"role": role, "content": text} for role, text in self.messages]
        return all_masked({"messages": messages, "label": self.label}) | {
            "weight": self.weight,
            "meta": dict(self.meta),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A run, or a step of one, that no example is made of, and why."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleFrame:
    """What examples are made with: our prompts, and whether passages' texts may be shown."""

    prompts: Prompts
    include_passages: bool = False

    def example(
        self, history: History, prompt: Prompt, values: Mapping[str, str], said: str, *, label: str, part: int = 0
    ) -> Example:
        """Return an example of what a prompt of ours should have been replied."""
        language = self.language(history)
        filled = self.prompts.filled(prompt, language, marker=self.marker(history), **values)
        messages = (*((message.role, message.text) for message in filled.messages), ("assistant", said))
        meta = {**history.meta, **({"part": part} if part else {})}
        return Example(messages=messages, label=label, weight=history.weight(part), meta=meta)

    def marker(self, history: History) -> str:
        """Return the word that fences what is not ours; it tells nothing of the run."""
        return marker_of(str(history.meta["run"]))

    def language(self, history: History) -> str:
        """Return the language of the prompt."""
        return "zh" if language_of(history.question) == "zh" else "en"

    def nothing(self, history: History) -> str:
        """Return what stands where there is nothing."""
        return "（无）" if self.language(history) == "zh" else "(none)"

    def fenced(self, history: History, name: str, text: str) -> str:
        """Return a text that is not ours, in its fence."""
        return within(text, self.marker(history), name)

    def passages(self, history: History, shown: Iterable[Record]) -> str:
        """Return passages as prompts show them: titles, and their texts where these may be shown."""
        marker = self.marker(history)
        blocks: list[str] = []
        for number, item in enumerate(shown, 1):
            text = str(item["text"]) if self.include_passages else ""
            opened = f"<passage {marker} P{number}> {' '.join(str(item['title']).split())}"
            blocks.append(f"{opened}\n{text.replace(marker, ' ')}\n</passage {marker}>")
        return "\n".join(blocks) or self.nothing(history)


# -- examples for a router: which of the three ways was the simplest that served a question.
#
# Of each question one example is made, from all of its runs. A way serves if people found its answer good, or if nobody said
# anything and the review found all that was asked for. Where a question was only ever planned, a plan whose answer cites nothing
# but documents that the first search alone had found counts as a single search: it was not needed.

WAYS = ("No Retrieval", "Retrieval", "Planning")  # the simplest first


def router_examples(frame: ExampleFrame, histories: Sequence[History]) -> Iterator[Example | Left]:
    """Yield the example of a question, from all of its runs, and the runs that tell nothing."""
    went = [_way_of(history) for history in histories]
    if "Retrieval" not in went:  # where nobody tried less, the run itself tells whether less had been enough
        went = [_needed(way, history) for way, history in zip(went, histories, strict=True)]
    served = [
        (WAYS.index(went[place]), place) for place, history in enumerate(histories) if went[place] and history.served
    ]
    if not served:
        yield from (Left(why="no way served the question") for _ in histories)
        return
    best, place = min(served)
    label = WAYS[best]
    if any(way == label and history.rated() is False for way, history in zip(went, histories, strict=True)):
        yield from (Left(why="people disagree about the way that served") for _ in histories)
        return
    yield from (Left(why="another run of the question says more") for _ in histories[1:])
    history = histories[place]
    values = {
        "names": frame.nothing(history),
        "whole": frame.nothing(history),
        "question": frame.fenced(history, "question", history.question),
    }
    said = f"[Retrieval] {_query(history)}" if label == "Retrieval" else f"[{label}]"
    yield frame.example(history, "route", values, said, label=label)


def _way_of(history: History) -> str:
    """Return the way that a run went; '' where it went none."""
    if history.answer.get("source") in {"talk", "model"}:
        return "No Retrieval"
    finding = [part for part in history.answer["plan"]["parts"] if part["role"] == "find"]
    if not finding:
        return ""
    return "Planning" if sum(len(part["asks"]) or 1 for part in finding) > 1 else "Retrieval"


def _needed(way: str, history: History) -> str:
    return "Retrieval" if way == "Planning" and _one_search_was_enough(history) else way


def _one_search_was_enough(history: History) -> bool:
    """Tell whether all that is cited had been found for the question as it stands, before it was taken apart."""
    looked = next((event for event in history.of_type("part_evidence") if not event["part"]), None)
    cited = history.cited()
    return looked is not None and bool(cited) and cited <= {place_of(item) for item in looked["best"]}


def _query(history: History) -> str:
    """Return what was searched for: a router's own words, or the question."""
    actions = (str(event.get("action") or "") for event in history.of_type("routed") if not event.get("part"))
    return next(
        (action.partition("] ")[2] for action in actions if action.startswith("[Retrieval] ")), history.question
    )


# -- examples for a planner: the plans of answers that gave what was asked for, as a model would have to reply them

_CAP = 5
_SINCE = {"retrieval", "own_answer"}  # what plans of the first versions lack


def planner_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield the plan that a run began with, if it served."""
    plan = history.plan
    if not plan:
        yield Left(why="it needed no plan")
    elif history.any_bad:
        yield Left(why="people found it bad")
    elif not history.served:
        yield Left(why="the answer lacks something")
    elif not plan.keys() >= _SINCE:
        yield Left(why="it is of an earlier version")
    elif any(part.get("extends") for part in plan["parts"]):
        yield Left(why="the plan has parts that a planner does not write")
    else:
        looked = next((event for event in history.of_type("part_evidence") if not event["part"]), None)
        shown = looked["best"] if looked and frame.include_passages else ()
        values = {
            "cap": str(max(_CAP, len(plan["parts"]))),
            "passages": frame.passages(history, shown),
            "conversation": frame.nothing(history),
            "question": frame.fenced(history, "question", plan["question"]),
        }
        said = json.dumps(_reply(plan), ensure_ascii=False)
        yield frame.example(history, "plan", values, said, label=str(plan["complexity"]))


def _reply(plan: Record) -> dict[str, Any]:
    """Return a plan as `planning.plan_reply` has a model say it."""
    parts = [_part(part) for part in plan["parts"]] if plan["retrieval"] else []
    return {"parts": parts, "own_answer": plan["own_answer"], "standalone": ""}


def _part(part: Record) -> dict[str, Any]:
    asks: list[Mapping[str, Any]] = part["asks"]
    return {
        "question": part["text"],
        "depends_on": list(part["depends_on"]),
        "kind": part["kind"] if part["role"] == "find" else part["role"],
        "rows": [ask["text"] for ask in asks] if len(asks) > 1 else [],
    }


# -- examples from the rounds of a roadmap: what a filter should have kept, and whether another search was worth it.
#
# Both are told by how it ended. Useful is a passage of a document that the answer to its part cites. A search was worth it if it
# brought something that the filter kept and had not before; if not, the decision should have been to stop.

_MOST_SHOWN = 12


def _filter_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield what the filter should have kept of each search."""
    for event in history.of_type("filtered"):
        part = int(event["part"])
        if left := _left(history, part):
            yield left
            continue
        shown = [*event["kept"], *event["dropped"]]
        shown.sort(key=lambda item: -item["score"])
        useful = history.cited(part)
        keep = [f"P{number}" for number, item in enumerate(shown, 1) if place_of(item) in useful]
        if not shown:
            yield Left(why="the search brought nothing to filter")
            continue
        values = {
            "passages": frame.passages(history, shown),
            "question": frame.fenced(history, "question", history.question),
            "query": frame.fenced(history, "query", event["query"]),
            "objective": frame.fenced(history, "objective", event["objective"]),
        }
        said = json.dumps({"keep": keep, "none_useful": not keep, "reason": "cited by the answer" if keep else ""})
        yield frame.example(history, "filter", values, said, label="keep" if keep else "none", part=part)


def _decision_examples(frame: ExampleFrame, history: History) -> Iterator[Example | Left]:
    """Yield what the decision maker should have said each time."""
    for place, event in enumerate(history.events):
        if event["type"] != "decided":
            continue
        part = int(event["part"])
        before = [each for each in history.events[:place] if each["type"] == "filtered" and each["part"] == part]
        after = [each for each in history.events[place:] if each["type"] == "filtered" and each["part"] == part]
        if left := _left(history, part):
            yield left
            continue
        had = [item for each in before for item in each["kept"]]
        said = event["action"] if _was_worth_it(event, had, after) else "[LLM]"
        yield frame.example(
            history,
            "decide",
            _state(frame, history, before, had, part),
            said,
            label=said.partition("]")[0].strip("["),
            part=part,
        )


def _was_worth_it(decision: Record, had: list[Record], after: list[Record]) -> bool:
    if not str(decision["action"]).startswith("[Retrieval]"):
        return True
    known = {(*place_of(item), item["position"]) for item in had}
    kept = after[0]["kept"] if after else ()
    return any((*place_of(item), item["position"]) not in known for item in kept)


def _state(frame: ExampleFrame, history: History, before: list[Record], had: list[Record], part: int) -> dict[str, str]:
    parts: list[Record] = list(history.plan.get("parts") or ())
    objective = next((each["text"] for each in parts if each["id"] == part), history.question)
    queries = [f"- {each['query']}" + ("" if each["kept"] else " (nothing found)") for each in before]
    roadmap = "\n".join(f"{each['id']}. {each['text']}" for each in parts)
    return {
        "passages": frame.passages(history, had[:_MOST_SHOWN]),
        "searched": frame.fenced(history, "searched", "\n".join(queries)),
        "question": frame.fenced(history, "question", history.question),
        "roadmap": frame.fenced(history, "roadmap", roadmap),
        "objective": frame.fenced(history, "objective", str(before[-1]["objective"]) if before else objective),
    }


def _left(history: History, part: int) -> Left | None:
    """Return why nothing can be learnt from a part."""
    if history.rated(part) is False:
        return Left(why="people found it bad")
    rows = history.rows(part)
    if history.rated(part) is None and not any(row["status"] == "answered" for row in rows):
        return Left(why="its part was not answered")
    return None


# -- all runs of a library

Role = Literal["router", "planner", "filter", "decision"]
Field = Literal["question", "answer", "passages"]
MEASURED: dict[str, dict[Field, str]] = {  # what programs that measure answers call it
    "ragas": {"question": "user_input", "answer": "response", "passages": "retrieved_contexts"},
    "deepeval": {"question": "input", "answer": "actual_output", "passages": "retrieval_context"},
}

_BY_RUN = {"planner": planner_examples, "filter": _filter_examples, "decision": _decision_examples}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs are taken. `allowed` are the documents that they may rest on; None allows all."""

    role: Role | None = None
    since: datetime | None = None
    rated_only: bool = False
    allowed: frozenset[Place] | None = None


@dataclass(slots=True)
class Count:
    """How many examples were made, and why of how many runs or steps none was."""

    made: int = 0
    left: Counter[str] = field(default_factory=Counter[str])


async def examples(runs: "Runs", wanted: Wanted, frame: ExampleFrame, count: Count) -> AsyncGenerator[Example]:
    """Yield the examples that the runs hold, in their order; `count` tells what was left out."""
    async for found in _made(runs, wanted, frame, count):
        if isinstance(found, Left):
            count.left[found.why] += 1
        else:
            count.made += 1
            yield found


async def measured(
    runs: "Runs", wanted: Wanted, names: dict[Field, str], count: Count
) -> AsyncGenerator[dict[str, Any]]:
    """Yield each answer with its question and the passages that were found for it, under these names."""
    async for history in _taken(runs, wanted, count):
        count.made += 1
        found = (item["text"] for row in history.answer["parts"] for item in row["evidence"])
        yield {
            names["question"]: history.question,
            names["answer"]: str(history.answer.get("answer") or ""),
            names["passages"]: list(dict.fromkeys(found)),
        }


async def _made(runs: "Runs", wanted: Wanted, frame: ExampleFrame, count: Count) -> AsyncGenerator[Example | Left]:
    if wanted.role == "router":
        groups = await _by_question(runs, wanted, count)
        for ids in groups:
            histories = [history for run in ids if (history := await _history(runs, run))]
            for found in router_examples(frame, histories):
                yield found
        return
    if wanted.role is None:
        return
    make = _BY_RUN[wanted.role]
    async for history in _taken(runs, wanted, count):
        made = list(make(frame, history))
        for found in made or [Left(why="nothing of the kind happened in it")]:
            yield found


async def _by_question(runs: "Runs", wanted: Wanted, count: Count) -> Iterable[list[str]]:
    """Return the ids of the runs of each question: all of them at once may be too much to hold."""
    groups: dict[str, list[str]] = {}
    async for history in _taken(runs, wanted, count):
        # what makes two questions the same
        groups.setdefault(" ".join(history.question.casefold().split()), []).append(history.run.id)
    return groups.values()


async def _taken(runs: "Runs", wanted: Wanted, count: Count) -> AsyncGenerator[History]:
    for run in await runs.ids(wanted.since):
        history = await _history(runs, run)
        if history is None:
            why = "it came to no answer"
        elif wanted.allowed is not None and not history.documents <= wanted.allowed:
            why = "it rests on documents that were not chosen, or are gone"
        elif wanted.rated_only and not history.ratings:
            why = "nobody rated it"
        else:
            why = ""
        if history is None or why:
            count.left[why] += 1
        else:
            yield history


async def _history(runs: "Runs", run: str) -> History | None:
    known = await runs.find(run)
    if known is None:
        return None
    return history_of(known, await runs.events(run), await runs.ratings(run))
