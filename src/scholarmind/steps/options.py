"""What can be set about the reading path, and about each strategy that a question can be worked on by.

What is switched off here is what `evaluate --ablate` measures the worth of. The defaults of strategies are those of their sources.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

from scholarmind.calls import Budget, Effort
from scholarmind.errors import SettingsError
from scholarmind.steps.select import Selection

# -- strategies

Preset = Literal["", "precision", "recall", "balanced", "research", "fast"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """Two to four concepts of a question, each searched for by itself, and their lists fused by rank."""

    max_concepts: int = 4  # asked for; one more is accepted, up to 5
    top_k: int = 10  # passages of each concept, and of all together
    rrf_k: int = 60
    original: bool = False  # whether the list of the question itself joins
    rerank: bool = False  # whether the fused list is put into order by the reranker
    hyde: bool = False  # search for a made-up passage on each concept in place of its name
    seconds: float = (
        2.0  # to find the concepts, and to search for each; after that the question is searched for as it stands
    )
    hyde_seconds: float = 8.0  # to write the passage on one concept; after that the concept itself is searched for

    def __post_init__(self) -> None:
        _within(
            "concepts",
            self,
            max_concepts=(1, 5),
            top_k=(1, 1000),
            rrf_k=(1, 10_000),
            seconds=(0.01, 3600),
            hyde_seconds=(0.01, 3600),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Sub-questions, whose passages are scored one against another by a model: `final = w * relevance + (1 - w) * similarity`."""

    enable_decomposition: bool = True
    max_decomposition_count: int = 3
    score_fusion_weight: float = 0.7  # w
    enable_concurrency: bool = True
    decomposition_prompt: str = ""  # with {original_query} and {max_count}; '' for ours
    reranking_prompt: str = (
        ""  # with {query} and {chunk_text}: one call a passage; '' for ours, which is shown many at once
    )
    per_passage: bool = False  # one call a passage with our prompt, too
    batch: int = 16  # passages that one call is shown
    top_n: int = 8  # passages that are kept
    top_k: int = 64  # candidates of each sub-question
    similarity_threshold: float = 0.2  # of what is scored at all
    keywords_similarity_weight: float = 0.3  # the rest is that of the vectors
    collections: tuple[str, ...] = ()  # all of them, if none is named
    preset: Preset = ""  # values that stand in for the defaults; what is given beside it comes first

    def __post_init__(self) -> None:
        _within(
            "scored",
            self,
            max_decomposition_count=(1, 10),
            score_fusion_weight=(0, 1),
            batch=(1, 16),
            top_n=(1, 1024),
            top_k=(1, 1024),
            similarity_threshold=(0, 1),
            keywords_similarity_weight=(0, 1),
        )
        for name, wanted in (
            ("decomposition_prompt", ("{original_query}", "{max_count}")),
            ("reranking_prompt", ("{query}", "{chunk_text}")),
        ):
            text = getattr(self, name)
            if text and (lacking := [place for place in wanted if place not in text]):
                raise SettingsError(f"scored.{name} lacks {' and '.join(lacking)}, without which it cannot work")
        if self.preset not in get_args(Preset):
            raise SettingsError(f"scored.preset = {self.preset!r} is not one of {', '.join(PRESETS)}")
        if self.preset and not any(getattr(self, name) == value for name, value in PRESETS[self.preset].items()):
            raise SettingsError(
                f"scored.preset = {self.preset!r}, but no value is that of the preset; write Scored.of({self.preset!r})"
            )

    @classmethod
    def of(cls, preset: Preset, **more: Any) -> "Scored":
        """Return the values of a preset, but for those that are given."""
        if preset and preset not in PRESETS:
            raise SettingsError(f"scored.preset = {preset!r} is not one of {', '.join(PRESETS)}")
        own = PRESETS.get(preset, {})
        values: dict[str, Any] = {**own, **more}
        is_left = any(values[name] == value for name, value in own.items())
        return cls(**values, preset=preset if is_left else "")


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "precision": {"score_fusion_weight": 0.9, "similarity_threshold": 0.3, "top_n": 5},
    "recall": {"score_fusion_weight": 0.3, "similarity_threshold": 0.1, "top_n": 15},
    "balanced": {"score_fusion_weight": 0.7, "similarity_threshold": 0.2, "top_n": 8},
    "research": {"score_fusion_weight": 0.9, "max_decomposition_count": 4, "top_n": 10},
    "fast": {"max_decomposition_count": 2, "top_n": 5},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roadmap:
    """A router, a filter and a decision maker around an unchanged search."""

    max_rounds: int = 4  # searches for one sub-goal, one after another
    max_documents: int = 30  # passages that are gathered for the whole question
    top_k: int = 8  # passages of a search that the filter is shown
    max_goals: int = 5
    stagnation: int = 2  # rounds without a new passage after which a sub-goal is given up

    def __post_init__(self) -> None:
        _within(
            "roadmap",
            self,
            max_rounds=(1, 20),
            max_documents=(1, 1000),
            top_k=(1, 100),
            max_goals=(1, 20),
            stagnation=(1, 20),
        )


def _within(where: str, record: Any, **ranges: tuple[float, float]) -> None:
    kinds = get_type_hints(record.__class__)
    for name, (low, high) in ranges.items():
        value = getattr(record, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise SettingsError(f"{where}.{name} = {value!r} is not between {low} and {high}")
        if isinstance(value, float) and kinds[name] is int:
            raise SettingsError(f"{where}.{name} = {value!r} is no whole number")


# -- the reading path

Form = Literal["prose", "bullets", "table", "report"]
Length = Literal["short", "medium", "long"]
Language = Literal["question", "en", "zh"]
Rerank = Literal["none", "cross-encoder", "http", "llm"]
REPAIRS: dict[Effort, int] = {"keyless": 0, "fast": 0, "standard": 1, "deep": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The defaults are the product's."""

    strategy: str = "plan"  # or one of those in `strategies`
    concepts: Concepts = field(default_factory=Concepts)
    scored: Scored = field(default_factory=Scored)
    roadmap: Roadmap = field(default_factory=Roadmap)
    max_parts: int = 5
    max_items: int = 12  # of a list that a part is carried out for each of
    places: int = 10  # passages kept for the answer; one a row if there are more rows
    selection: Selection = "coverage"
    rerank: Rerank = "none"  # who scores the passages anew before they are selected; `llm` is the language model itself
    rerank_weight: float = 0.5  # of these scores; the rest is that of the search before
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
