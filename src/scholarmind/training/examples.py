"""Examples for training: a chat that a model should have had, with its label and how far that is to be trusted.

They are made of what is known of a run when it is over: its answer, what happened in it, and what people said of it. Addresses,
telephone numbers, keys and passwords are replaced by what they are. Which examples a run gives is in `export`.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from scholarmind.llm.prompts import Prompt, Prompts, marker_of, within
from scholarmind.ports import Rating, Run
from scholarmind.text.language import language_of

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
    return History(run=run, answer=answer, events=_last_time(told), ratings=ratings)


def _last_time(events: list[Any]) -> list[Any]:
    """Return what happened since the run was last taken up: what went before was done again from its journal."""
    begun = [place for place, event in enumerate(events) if event["type"] == "run_started"]
    return events[begun[-1] :] if begun else events


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
