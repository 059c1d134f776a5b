"""A language model that is none: it replies to the requests of every strategy by simple rules, always the same, within the program.

* Steps of a question: those recorded in the set (`decomposition`), with their answers, where it has some; else the parts that the
  program's own rules see in the words of the question.
* Plans, roadmaps, sub-questions and concepts are these steps. Relevance is counted: the largest share of the words of one step (and
  of its recorded answer) that a passage has. The filter keeps, and the decision maker stops, by the same share.
* What has no such rule (translations, answers that are not recorded) is refused, so that the program's rules do it.

So it says how a strategy does with steps that are right and a judge who counts words; it does not say how it does with a real model.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scholarmind.calls import Request
from scholarmind.errors import ModelReplyError
from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.text.analysis import terms

_FENCED = re.compile(r"<(?P<name>\w+) (?P<marker>\w+)>\n(?P<text>.*?)\n</(?P=name) (?P=marker)>", re.DOTALL)
_PASSAGE = re.compile(r"<passage (?P<marker>\w+) (?P<key>P\d+)> (?P<title>[^\n]*)\n(?P<text>.*?)\n</passage", re.DOTALL)
_REFERENCE = re.compile(r"#(\d+)")
_ASKING = re.compile(
    r"^(?:who|what|which|when|where|how|why|is|are|was|were|did|does|do|in what|in which)\b(?: \w+ (?=of\b))?",
    re.IGNORECASE,
)
_ENOUGH = 0.7
_USEFUL = 0.4
_MOST_CONCEPTS = 4


@dataclass(frozen=True)
class Step:
    """One step of a question; `#N` in its text waits for step N."""

    number: int
    text: str
    answer: str = ""
    role: str = "find"

    @property
    def waits_for(self) -> list[int]:
        """Return the steps that this one waits for."""
        return [int(number) for number in _REFERENCE.findall(self.text)]


class Strategist:
    """Give its `reply` to a ScriptedModel."""

    def __init__(self, queries: Iterable[dict[str, Any]]) -> None:
        self._recorded = {_plain(query["question"]): query.get("decomposition") or [] for query in queries}
        self._steps: dict[str, list[Step]] = {}

    def reply(self, request: Request) -> Any:
        """Return what is replied to a request."""
        rules = {
            "plan": self._plan,
            "roadmap": self._roadmap,
            "split": self._split,
            "concepts": self._concepts,
            "relevance": self._relevance,
            "route": self._route,
            "filter": self._filter,
            "decide": self._decide,
            "short": self._short,
        }
        rule = rules.get(request.prompt.partition(".")[0])
        made = rule(_Told(request)) if rule else None
        return ModelReplyError(f"no rule for {request.prompt!r}") if made is None else made

    def _of(self, question: str) -> list[Step]:
        """Return the steps of a question; a sub-question is its own only step, unless the rules see more."""
        key = _plain(question)
        if key not in self._steps:
            self._steps[key] = _recorded(self._recorded.get(key, [])) or _by_rules(question)
        return self._steps[key]

    def _plan(self, told: "_Told") -> Any:
        return {"parts": [_part(step) for step in self._of(told.question)], "own_answer": "", "standalone": ""}

    def _roadmap(self, told: "_Told") -> Any:
        return {"sub_goals": [_part(step) for step in self._of(told.question)]}

    def _split(self, told: "_Told") -> Any:
        return {"reason": "recorded", "sub_questions": _alone(self._of(told.question))}

    def _concepts(self, told: "_Told") -> Any:
        steps = _alone(self._of(told.question))
        concepts = [_ASKING.sub("", step).strip(" ?") for step in steps if step.strip(" ?")]
        return {"reason": "recorded", "concepts": [one for one in concepts if one][:_MOST_CONCEPTS]}

    def _relevance(self, told: "_Told") -> Any:
        wanted = _resolved(self._of(told.question))
        scores = {key: max(_share(one, text) for one in wanted) for key, text in told.passages.items()}
        return {
            "scores": [
                {"passage": key, "reason": f"{share:.0%} of a step", "score": round(1 + 9 * share)}
                for key, share in scores.items()
            ]
        }

    def _route(self, told: "_Told") -> str:
        return "[Planning]" if len(self._of(told.question)) > 1 else f"[Retrieval] {told.question}"

    def _filter(self, told: "_Told") -> Any:
        shares = {key: _share(told["objective"], text) for key, text in told.passages.items()}
        keep = [key for key, share in shares.items() if share >= _USEFUL]
        return {"keep": keep, "none_useful": not keep, "reason": "words counted"}

    def _decide(self, told: "_Told") -> str:
        held = _share(told["objective"], " ".join(told.passages.values()))
        searched = _plain(told["objective"]) in map(_plain, re.findall(r"^- (.*)$", told["searched"], re.MULTILINE))
        return "[LLM]" if held >= _ENOUGH or searched else f"[Retrieval] {told['objective']}"

    def _short(self, told: "_Told") -> Any:
        """Answer a step whose answer is recorded."""
        steps = self._of(told["whole"] or told.question)
        answers = {step.number: step.answer for step in steps} | {
            _plain(text): step.answer for step, text in zip(steps, _resolved(steps, answers=False), strict=True)
        }
        answer = (
            answers.get(_plain(told.question)) or (answers.get(told.part) if told.part else "") or self._anywhere(told)
        )
        return {"answer": answer, "passages": [], "nothing_found": False} if answer else None

    def _anywhere(self, told: "_Told") -> str:
        """Return the recorded answer of the step that is asked, whatever question it belongs to."""
        return self._answers.get(_plain(told.question), "")

    @cached_property
    def _answers(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for recorded in self._recorded.values():
            steps = _recorded(recorded)
            known |= {
                _plain(text): step.answer for step, text in zip(steps, _resolved(steps, answers=False), strict=True)
            }
        return known


class _Told:
    """What a request tells: its fenced texts by name, and its passages by key."""

    def __init__(self, request: Request) -> None:
        text = "\n".join(message.text for message in request.messages)
        self._texts = {found["name"]: found["text"] for found in _FENCED.finditer(text)}
        self.part = request.part or 0
        self.passages = {found["key"]: f"{found['title']}\n{found['text']}" for found in _PASSAGE.finditer(text)}

    def __getitem__(self, name: str) -> str:
        return self._texts.get(name, "")

    @property
    def question(self) -> str:
        return self["question"]


def _recorded(steps: Sequence[dict[str, Any]]) -> list[Step]:
    return [Step(number=one["step"], text=one["question"], answer=str(one.get("answer") or "")) for one in steps]


def _by_rules(question: str) -> list[Step]:
    parts = RulePlanner().plan(question, ()).parts
    return [Step(number=part.id, text=part.text, role=part.role) for part in parts]


def _part(step: Step) -> dict[str, Any]:
    return {
        "question": step.text,
        "depends_on": step.waits_for,
        "kind": step.role if step.waits_for and step.role != "find" else "factual",
        "rows": [],
    }


def _alone(steps: Sequence[Step]) -> list[str]:
    """Return what is to be looked up, each to be understood alone: in place of `#N` stands what step N asks."""
    texts = {step.number: step.text for step in steps}
    return [
        _REFERENCE.sub(lambda found: _ASKING.sub("", texts.get(int(found[1]), "")).strip(" ?"), step.text)
        for step in steps
        if step.role == "find"
    ]


def _resolved(steps: Sequence[Step], *, answers: bool = True) -> list[str]:
    """Return the steps with the recorded answers in place of `#N`, and each with its own answer."""
    known = {step.number: step.answer for step in steps}
    texts = [_REFERENCE.sub(lambda found: known.get(int(found[1]), ""), step.text) for step in steps]
    return [f"{text} {step.answer}" if answers else text for text, step in zip(texts, steps, strict=True)]


def _share(wanted: str, text: str) -> float:
    """Return the share of the words that a text has."""
    words = set(terms(wanted))
    return len(words & set(terms(text))) / len(words) if words else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" ?.")
