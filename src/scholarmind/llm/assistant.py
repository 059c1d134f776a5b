"""A language model as the steps of one run know it: with its prompts, and the marker of the run."""

from dataclasses import dataclass, field
from typing import Any, Literal

from scholarmind.calls import LanguageModel, Request, Task
from scholarmind.llm.prompts import Prompts

Prompt = Literal[
    "plan",
    "short",
    "part",
    "answer",
    "check",
    "concepts",
    "hypothetical",
    "split",
    "relevance",
    "route",
    "filter",
    "decide",
    "roadmap",
    "own",
    "translate",
    "custom",
    "summary",
    "statements",
]
TASK_OF: dict[Prompt, Task] = {
    "plan": "extraction",
    "short": "extraction",
    "part": "generation",
    "answer": "generation",
    "check": "routing",
    "concepts": "extraction",
    "hypothetical": "generation",
    "split": "extraction",
    "relevance": "extraction",
    "route": "routing",
    "filter": "routing",
    "decide": "routing",
    "roadmap": "generation",
    "own": "generation",
    "translate": "extraction",
    "custom": "extraction",
    "summary": "extraction",
    "statements": "extraction",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """Makes requests; `model` counts what they cost and remembers what they brought."""

    model: LanguageModel
    marker: str
    prompts: Prompts = field(default_factory=Prompts)

    def request(
        self,
        prompt: tuple[Prompt, str],
        *,
        purpose: str,
        max_tokens: int,
        values: dict[str, str],
        shape: type[Any] | None = None,
        part: int | None = None,
    ) -> Request:
        """Return a request made from the prompt of this name and language; its file is given `marker` and the values."""
        name, language = prompt
        filled = self.prompts.filled(name, language, marker=self.marker, **values)
        return Request(
            purpose=purpose,
            task=TASK_OF[name],
            messages=filled.messages,
            shape=shape,
            max_tokens=max_tokens,
            part=part,
            prompt=filled.version,
            marker=self.marker,
        )
