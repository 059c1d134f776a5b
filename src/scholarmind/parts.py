"""What an engine is made of, and who does the work of one run: rules alone, or a language model with the rules behind it."""

import time
from dataclasses import dataclass, field, replace

from scholarmind.calls import Budget, Effort, LanguageModel
from scholarmind.conversations import Turn
from scholarmind.events import OnEvent
from scholarmind.llm.assistant import Assistant
from scholarmind.llm.fences import marker_of
from scholarmind.llm.metering import Meter
from scholarmind.llm.models import Models
from scholarmind.llm.remembering import Cached, Journalled
from scholarmind.planning.keyless import KeylessPlanner
from scholarmind.planning.modelled import ModelPlanner
from scholarmind.ports import (
    Answerer,
    Examiner,
    Journal,
    Lexicon,
    Links,
    Names,
    Planner,
    Retriever,
    Reviewer,
    Writer,
)
from scholarmind.steps.journal import Basis
from scholarmind.steps.options import Options
from scholarmind.steps.own import SearchFunction
from scholarmind.writing.answering import ModelAnswerer
from scholarmind.writing.extractive import ExtractiveWriter, KeylessAnswerer, KeylessReviewer
from scholarmind.writing.modelled import ModelWriter
from scholarmind.writing.opinion import ModelExaminer

_SHARE = 0.6  # of the time of a part: a model that hangs must not cost the part what was found for it
_LONGEST_CALL = 0.25  # of the time of the run, for a call that others wait for: one that hangs must leave time to write
_RESERVE = 0.5  # seconds that writing without a model may take when a model has used up the time


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What is None is done without. Without `models` everything is done by rules."""

    retriever: Retriever | SearchFunction
    planner: Planner = field(default_factory=KeylessPlanner)
    writer: Writer = field(default_factory=ExtractiveWriter)
    reviewer: Reviewer = field(default_factory=KeylessReviewer)
    models: Models | None = None
    names: Names | None = None
    links: Links | None = None
    lexicon: Lexicon | None = None
    journal: Journal | None = None
    basis: Basis = field(default_factory=lambda: Basis(library=""))
    options: Options = field(default_factory=Options)

    @property
    def effort(self) -> Effort:
        """What may be spent: nothing, where there is nobody to pay."""
        return self.options.effort if self.models else "keyless"

    @property
    def writer_name(self) -> str:
        """The model that writes."""
        return self.models.names.get("generation", "a language model") if self.models else ""

    @property
    def rests_on(self) -> Basis:
        """What findings rest on; with models, on these and on the prompts that they are given."""
        if self.models is None or self.effort == "keyless":
            return self.basis
        told = {**self.models.names, **self.models.prompts.versions(), "effort": self.effort}
        return replace(self.basis, models={**self.basis.models, **told})


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who does what in one run."""

    planner: Planner
    answerer: Answerer  # in a few words, for the parts that wait for it
    narrator: Answerer | None  # in a few sentences, for every other part
    writer: Writer
    examiner: Examiner | None
    reviewer: Reviewer
    meter: Meter | None = None
    notes: list[str] = field(default_factory=list[str])


def team_of(parts: Parts, run: str, report: OnEvent, *, turns: tuple[Turn, ...] = (), typed: str = "") -> Team:
    """Return who works on a run at the effort of the options; behind each model stand the rules."""
    answerer = KeylessAnswerer(parts.lexicon)
    rules = Team(
        planner=parts.planner,
        answerer=answerer,
        narrator=None,
        writer=parts.writer,
        examiner=None,
        reviewer=parts.reviewer,
    )
    if parts.models is None or parts.effort == "keyless":
        return rules
    options, deadline = parts.options, time.monotonic() + max(0.1, parts.options.run_seconds - _RESERVE)
    meter = Meter(
        budget=options.budget,
        prices=parts.models.prices,
        names=parts.models.names,
        report=report,
        deadline=deadline,
        reserve=_for_the_answer(options.budget),
    )
    assistant = Assistant(
        model=meter.over(_remembering(parts, parts.models, run, rules.notes)),
        marker=marker_of(run),
        prompts=parts.models.prompts,
    )
    writer = ModelWriter(
        assistant=assistant,
        keyless=parts.writer,
        form=options.form,
        length=options.length,
        language=options.language,
    )
    team = replace(rules, writer=writer, meter=meter)
    if parts.effort == "fast":
        return team
    longest = _LONGEST_CALL * options.run_seconds
    seconds = min(_SHARE * options.part_seconds, longest)
    earlier = tuple((turn.question, turn.answer) for turn in turns)
    team = replace(
        team,
        planner=ModelPlanner(
            rules=parts.planner,
            assistant=assistant,
            seconds=min(options.plan_seconds, longest),
            cap=options.max_parts,
            earlier=earlier,
            typed=typed,
        ),
        answerer=ModelAnswerer(assistant, answerer, seconds=seconds),
    )
    if parts.effort == "standard":
        return team
    return replace(
        team,
        narrator=ModelAnswerer(assistant, answerer, deep=True, seconds=seconds),
        examiner=ModelExaminer(assistant),
    )


def _for_the_answer(budget: Budget) -> Budget:
    """Return what the other calls must leave, so that the answer can be written: one call, and half of all else."""
    return Budget(
        calls=1,
        tokens=None if budget.tokens is None else budget.tokens // 2,
        cost=None if budget.cost is None else budget.cost / 2,
    )


def _remembering(parts: Parts, models: Models, run: str, notes: list[str]) -> LanguageModel:
    model = models.model
    if models.cache is not None:
        model = Cached(model, models.cache, rights=models.rights, names=models.names, notes=notes)
    if parts.journal is not None and run:
        model = Journalled(model, parts.journal, run, basis=parts.basis.library, names=models.names, notes=notes)
    return model
