"""What an engine is made of."""

from dataclasses import dataclass, field, replace

from scholarmind.calls import Effort, ResponseCache, Task
from scholarmind.llm.language_models import Models
from scholarmind.ports import (
    Entailment,
    Journal,
    Languages,
    Lexicon,
    Links,
    Names,
    Overview,
    Planner,
    Relations,
    Reranker,
    Retriever,
    Reviewer,
    Wordings,
    Writer,
)
from scholarmind.steps.journal import Basis
from scholarmind.steps.options import Options
from scholarmind.steps.run_caches import Recent
from scholarmind.steps.search_function import SearchFunction
from scholarmind.steps.steering import Steering


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What is None is done without, and planned, written or reviewed by our rules. Without `models` everything is done by rules."""

    retriever: Retriever | SearchFunction
    meaning: Retriever | None = None  # the same by vectors alone, for a text that stands for a passage
    planner: Planner | None = None
    writer: Writer | None = None
    reviewer: Reviewer | None = None
    entailment: Entailment | None = None  # whether a text says a sentence of a model, by its meaning
    models: Models | None = None
    reranker: Reranker | None = None
    names: Names | None = None
    links: Links | None = None
    relations: Relations | None = None  # the graph of papers
    overview: Overview | None = None  # the tree of summaries
    lexicon: Lexicon | None = None
    languages: Languages | None = None
    journal: Journal | None = None
    plans: ResponseCache = field(
        default_factory=Recent
    )  # what models planned before, for whichever question asks again
    basis: Basis = field(default_factory=lambda: Basis(library=""))
    asked_before: Wordings | None = None  # knows a question again that comes in other words
    options: Options = field(default_factory=Options)
    steering: Steering | None = None  # what is asked of single parts meanwhile

    @property
    def effort(self) -> Effort:
        """What may be spent: nothing, where there is nobody to pay."""
        return self.options.effort if self.models else "keyless"

    @property
    def writer_name(self) -> str:
        """The model that writes."""
        return self._name_of("generation")

    @property
    def planner_name(self) -> str:
        """The model that plans, and answers what needs no documents."""
        return self._name_of("extraction")

    @property
    def rests_on(self) -> Basis:
        """What findings rest on; with models, on these and on the prompts that they are given."""
        if self.models is None or self.effort == "keyless":
            return self.basis
        told = {**self.models.names, **self.models.prompts.versions(), "effort": self.effort}
        return replace(self.basis, models={**self.basis.models, **told})

    def _name_of(self, task: Task) -> str:
        return (self.models.names.get(task) or "a language model") if self.models else ""
