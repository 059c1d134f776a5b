"""What can be set about the reading path. What is switched off here is what `evaluate --ablate` measures the worth of."""

from dataclasses import dataclass, field
from typing import Literal

from scholarmind.calls import Budget, Effort
from scholarmind.steps.select import Selection
from scholarmind.steps.strategies import Concepts, Roadmap, Scored, Strategy

Form = Literal["prose", "bullets", "table", "report"]
Length = Literal["short", "medium", "long"]
Language = Literal["question", "en", "zh"]
Rerank = Literal["none", "local", "cross-encoder", "http", "llm"]
REPAIRS: dict[Effort, int] = {"keyless": 0, "fast": 0, "standard": 1, "deep": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The defaults are the product's."""

    strategy: Strategy = "plan"
    concepts: Concepts = field(default_factory=Concepts)
    scored: Scored = field(default_factory=Scored)
    roadmap: Roadmap = field(default_factory=Roadmap)
    max_parts: int = 5
    max_depth: int = 2  # of plans: a part that is itself composite is planned again
    max_items: int = 12  # of a list that a part is carried out for each of
    places: int = 10  # passages kept for the answer; one a row if there are more rows
    selection: Selection = "coverage"
    rerank: Rerank = "none"  # who scores the passages anew before they are selected; `llm` is the language model itself
    rerank_top: int = 30  # passages of each row, and of the original question, that are scored
    rerank_weight: float = 0.5  # of these scores; the rest is that of the search before
    rerank_batch: int = 32
    rerank_seconds: float = 5.0  # for all; what is not scored by then keeps its place
    decompose: bool = True
    filters: bool = True  # search within what a question names
    graph: bool = True  # ask the graph of papers, where there is one
    tree: bool = True  # ask the tree of summaries, where there is one
    hops: bool = True  # follow mentions from passage to passage
    quotas: bool = True  # reserve places for every row
    injection: bool = True  # fill the answers of earlier parts into later ones
    rounds: int = 2  # the first, and at most one more for weak parts
    confidence: float = 0.8  # above this a row needs no further round
    part_seconds: float = 30.0
    run_seconds: float = 120.0
    effort: Effort = "standard"  # without a language model it is always keyless
    budget: Budget = field(default_factory=Budget)
    plan_seconds: float = 20.0  # after which the rules' plan is carried out in place of the model's
    evidence_tokens: int = 4_000  # of passages that a model writes from; every row keeps its best one
    form: Form = "prose"
    length: Length = "medium"
    language: Language = "question"
    library_only: bool = False  # refuse what would be answered from the model's own knowledge
    translate: bool = True  # with a model, search also in the other languages of the library
