"""What work with language models will come to, told before it is done: calls, levels, tokens and money, rather more than less."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scholarmind.calls import Estimate, Task, Usage
from scholarmind.llm.assistant import TASK_OF, Prompt
from scholarmind.llm.models import Models
from scholarmind.llm.prices import cost
from scholarmind.text.patterns import lazy_regex

_WIDE = lazy_regex(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_OTHER = lazy_regex(r"[^\x00-\x7f]")
_PROMPT = 500  # tokens of a prompt without its passages
PASSAGE = 400  # ... and of one of them
_REPLIES: dict[Prompt, int] = {  # tokens, at most
    "plan": 1_000,
    "translate": 1_000,
    "short": 300,
    "part": 700,
    "answer": 2_000,
    "check": 1_500,
    "concepts": 400,
    "hypothetical": 250,
    "split": 1_000,
    "relevance": 200,
    "route": 200,
    "filter": 400,
    "decide": 200,
    "roadmap": 2_000,
    "own": 500,
    "custom": 1_000,
    "summary": 700,
    "statements": 2_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Calls of one kind; as many of them as `levels` wait for one another, and all for those of the work before."""

    prompt: Prompt
    calls: int = 1
    levels: int = 1
    shown: int = 0  # passages in each prompt
    told: int = 0  # tokens of other replies in each prompt
    reply: int = 0  # tokens of each reply at most; 0: what is usual for the prompt

    @property
    def task(self) -> Task:
        """What kind of model is asked."""
        return TASK_OF[self.prompt]

    @property
    def longest(self) -> int:
        """How many tokens each reply has at most."""
        return self.reply or _REPLIES[self.prompt]

    @property
    def usage(self) -> Usage:
        """The tokens of all the calls."""
        prompt = _PROMPT + self.told + self.shown * PASSAGE
        return Usage(self.calls * prompt, self.calls * self.longest, estimated=True)


def estimate(work: Iterable[Work], models: Models) -> Estimate:
    """Return what work comes to that is done one kind after another."""
    done = [each for each in work if each.calls]
    total = sum((each.usage for each in done), Usage())
    costs = [cost(each.usage, models.names.get(each.task, ""), models.prices.prices) for each in done]
    known = [one for one in costs if one is not None]
    return Estimate(
        calls=sum(each.calls for each in done),
        levels=sum(each.levels for each in done),
        prompt_tokens=total.prompt,
        completion_tokens=total.completion,
        cost=math.fsum(known) if len(known) == len(costs) else None,
        currency=models.prices.currency,
    )


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has, rather too many: four letters of English, one sign of Chinese, two of other scripts."""
    wide = len(_WIDE.findall(text))
    other = len(_OTHER.findall(text)) - wide
    return math.ceil((len(text) - wide - other) / 4 + wide + other / 2)
