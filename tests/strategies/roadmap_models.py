"""What the tests of the strategy `roadmap` ask: a few passages, and a model that does what its prompts say."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from scholarmind import Engine, Filter, Options
from scholarmind.calls import Request
from scholarmind.llm.language_models import Models
from scholarmind.steps.options import Roadmap
from scholarmind.testing import ScriptedModel

TEXTS = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019.",
    "Google": "Google was founded by Larry Page and Sergey Brin in September 1998.",
    "OpenAI": "OpenAI was founded by Sam Altman and others in December 2015.",
}
ONE = "Who proposed BERT?"
TWO = "Who proposed BERT, and who proposed GPT-2?"
BRIDGE = "Who founded the company at which BERT was proposed?"
ROADMAPS: dict[str, list[dict[str, Any]]] = {
    TWO: [{"id": 1, "question": "Who proposed BERT?"}, {"id": 2, "question": "Who proposed GPT-2?"}],
    BRIDGE: [
        {"id": 1, "question": "At which company was BERT proposed?"},
        {"id": 2, "question": "Who founded #1?", "depends_on": [1]},
    ],
}
PASSAGE = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)
Rule = Callable[[Request], Any]


async def search(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find what is named; if nothing is, the first two."""
    del filter
    named = [name for name in TEXTS if name in question]
    rest = [] if named else [*TEXTS][:2]
    return [
        {"id": name, "text": TEXTS[name], "title": name, "score": 0.9 if name in named else 0.2, "authors": [name]}
        for name in (*named, *rest)
    ][:k]


async def nothing(question: str, k: int, filter: Filter | None) -> Iterable[Any]:
    """Find nothing."""
    del question, k, filter
    return []


def fenced(request: Request, name: str) -> str:
    """Return what stands between the marks of this name in a prompt, or ''."""
    found = re.search(rf"<{name} (\w+)>\n(.*?)\n</{name} \1>", request.messages[1].text, re.DOTALL)
    return found[2] if found else ""


def shown(request: Request) -> dict[str, str]:
    """Return the passages of a prompt by their keys."""
    return {match["key"]: match["text"] for match in PASSAGE.finditer(request.messages[1].text)}


def kind(request: Request) -> str:
    """Return what a call is for, without the number of its part: route, plan, filter, decision, part, answer ..."""
    return request.purpose.split(" ")[0]


def well_behaved(request: Request) -> Any:
    """Do what the prompt says."""
    question, passages = fenced(request, "question"), shown(request)
    told = " ".join(f"{text.rstrip('.')} [{key}]." for key, text in passages.items())
    replies: dict[str, Any] = {
        "route": "[Planning]" if question in ROADMAPS else f"[Retrieval] {question.rstrip('?？')}",
        "plan": {"reason": "two steps", "sub_goals": ROADMAPS.get(question, [])},
        "filter": {"keep": list(passages), "reason": "they speak of it"},
        "decision": "[LLM]",
        "part": {"answer": "Google", "passages": ["P1"], "nothing_found": False},
        "check": {"checks": []},
        "answer": f"{told}\n=== PARTS ===\n1: answered\n2: answered",
    }
    return replies[kind(request)]


def but(**replies: Any) -> Rule:
    """Behave well, but say these to calls of that kind: a list in turn, the last again and again; a function is asked."""
    left = {name: list(said) if isinstance(said, list) else [said] for name, said in replies.items()}

    def answer(request: Request) -> Any:
        said = left.get(kind(request))
        if said is None:
            return well_behaved(request)
        one = said.pop(0) if len(said) > 1 else said[0]
        return one(request) if callable(one) else one

    return answer


def engine(rule: Rule | None = well_behaved, find: Any = search, **options: Any) -> tuple[Engine, ScriptedModel]:
    """Return an engine that goes by roadmaps, with a scripted model, or without any."""
    model = ScriptedModel(rule or well_behaved)
    roadmap = Roadmap(**options.pop("roadmap", {}))
    chosen = Options(strategy="roadmap", roadmap=roadmap, **options)
    models = Models(model=model, names={"generation": "scripted"}) if rule else None
    return Engine(retriever=find, models=models, options=chosen), model


def purposes(model: ScriptedModel) -> list[str]:
    """Return what the model was called for, in order."""
    return [request.purpose for request in model.requests]
