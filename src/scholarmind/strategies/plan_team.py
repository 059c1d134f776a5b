"""The strategy `plan`, and with it the team of every run: rules alone, or a language model with the rules behind it.

Another strategy changes this team.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from scholarmind.calls import Budget, Estimate, LanguageModel
from scholarmind.components import Parts, Team
from scholarmind.events import OnEvent
from scholarmind.llm.language_models import EstimatedCalls, Models
from scholarmind.llm.metering import Cached, Journalled, Meter
from scholarmind.llm.prompts import Assistant, marker_of
from scholarmind.plan import Plan
from scholarmind.planning.followup import stand_alone
from scholarmind.planning.model_planner import ModelPlanner, ModelTranslator
from scholarmind.planning.plan_cache import CachingPlanner
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Reranker, Selector, Turn
from scholarmind.reranking import RerankingSelector, TimedReranker
from scholarmind.steps.gather import InLanguages
from scholarmind.steps.investigate import Investigator
from scholarmind.steps.options import REPAIRS, Options
from scholarmind.steps.select import RuleSelector
from scholarmind.strategies import strategy_module
from scholarmind.strategies.estimates import RERANKED_TOGETHER, Ahead, StrategyCalls, estimate_of, reranking_calls
from scholarmind.writing.attribution import ModelExaminer
from scholarmind.writing.extractive import ExtractiveWriter, KeylessAnswerer, quoted_below
from scholarmind.writing.model_answerer import ModelAnswerer
from scholarmind.writing.model_writer import ModelWriter, within_tokens
from scholarmind.writing.tallies import TallyWriter
from scholarmind.writing.text_review import TextReviewer, own_knowledge

_SHARE = 0.6  # of the time of a part: a model that hangs must not cost the part what was found for it
_LONGEST_CALL = 0.25  # of the time of the run, for a call that others wait for: one that hangs must leave time to write
_SHOWN_TO_PLAN = 6  # passages
_RESERVE = 0.5  # seconds that writing without a model may take when a model has used up the time


def _calls(ahead: Ahead) -> Iterator[EstimatedCalls]:
    """Yield the call that plans."""
    del ahead
    yield EstimatedCalls(prompt="plan", shown=_SHOWN_TO_PLAN)


CALLS = StrategyCalls(planning=_calls, selecting=reranking_calls)


def rules_of(parts: Parts) -> Team:
    """Return those who need no model."""
    options, planner = parts.options, parts.planner or KeylessPlanner()
    return Team(
        stand_alone=stand_alone,
        planner=planner,
        rule_planner=planner,
        selector=_selector(parts.reranker, options),
        answerer=KeylessAnswerer(parts.lexicon),
        show=within_tokens,
        writer=parts.writer or ExtractiveWriter(),
        quote_below=quoted_below,
        own_knowledge=own_knowledge,
        reviewer=parts.reviewer or TextReviewer(),
        estimate=partial(_estimate, parts),
        places=options.places,
        evidence_tokens=options.evidence_tokens,
        rounds=options.rounds,
    )


def team_of(
    parts: Parts,
    run: str,
    report: OnEvent,
    began: float,
    conversation: tuple[Sequence[Turn], str] = ((), ""),
    *,
    writes: bool = True,
) -> Team:
    """Return who works on a run that began then (by time.monotonic) at the effort of its options; behind each model stand the rules.

    Of a `conversation` the planner is told its turns, and the follow-up as it was typed.
    """
    parts = _patient(parts)
    team = _default(parts, run, _meter(parts, report, began, writes=writes), conversation)
    if parts.options.rerank == "llm":
        team, parts = _reranked_by_model(team, parts)
    if parts.options.strategy == "plan":
        # of the library a plan rests only on what the first look brings
        rights = parts.models.rights if parts.models else ""
        rests_on = repr((replace(parts.rests_on, library="", structures=""), rights, conversation))
        planner = CachingPlanner(
            planner=team.planner,
            memory=parts.plans,
            basis=rests_on,
            translator=team.translator,
            meter=team.meter,
        )
        return replace(team, planner=planner)
    return strategy_module(parts.options.strategy).team(team, parts, report)


def _default(parts: Parts, run: str, meter: Meter | None, conversation: tuple[Sequence[Turn], str]) -> Team:
    """Return who works on a plan."""
    rules, options, effort = rules_of(parts), parts.options, parts.effort
    if parts.models is None or meter is None:
        return rules
    model = meter.over(_remembering(parts, parts.models, run, rules.notes))
    assistant = Assistant(model=model, marker=marker_of(run), prompts=parts.models.prompts)
    writer = ModelWriter(
        assistant,
        rules.writer,
        form=options.form,
        length=options.length,
        language=options.language,
        entailment=parts.entailment,
    )
    alone = writer if effort == "deep" else TallyWriter(writer, rules.writer)
    team = replace(rules, assistant=assistant, meter=meter, writer=alone, repairs=REPAIRS[effort])
    if effort == "fast":
        return team
    longest = _LONGEST_CALL * options.run_seconds
    seconds = min(_SHARE * options.part_seconds, longest)
    translator = None
    if options.translate and parts.languages is not None:
        translator = ModelTranslator(assistant, parts.languages, seconds=min(options.plan_seconds, seconds))
        team = replace(team, translator=translator, investigator=partial(_in_languages, translator))
    planner = ModelPlanner(
        rules=rules.planner,
        assistant=assistant,
        seconds=min(options.plan_seconds, longest),
        cap=options.max_parts,
        earlier=tuple((turn.question, turn.answer) for turn in conversation[0]),
        typed=conversation[1],
    )
    answerer = ModelAnswerer(assistant, rules.answerer, seconds=seconds)
    planner = planner if options.decompose else rules.planner
    team = replace(team, planner=planner, answerer=answerer, examiner=ModelExaminer(assistant, parts.entailment))
    if effort == "standard":
        return team
    return replace(team, narrator=ModelAnswerer(assistant, rules.answerer, deep=True, seconds=seconds))


def _estimate(parts: Parts, plan: Plan, *, planned: bool) -> Estimate | None:
    """Return what carrying out a plan will cost, where there is a model; what was `planned` costs no call any more."""
    if parts.models is None:
        return None
    return estimate_of(Ahead(plan=plan, options=parts.options, effort=parts.effort, planned=planned), parts.models)


def _in_languages(translator: ModelTranslator, investigator: Investigator) -> Investigator:
    """Return who also searches in the other languages of the library, where it has any."""
    if not translator.others:
        return investigator
    translate = partial(translator.translated, plan=investigator.plan)
    return replace(investigator, gathering=InLanguages(gathering=investigator.gathering, translate=translate))


def _patient(parts: Parts) -> Parts:
    """Return the parts with a reranker that never fails a question, whoever's it is."""
    reranker, options = parts.reranker, parts.options
    if reranker is None or isinstance(reranker, TimedReranker):
        return parts
    return replace(parts, reranker=TimedReranker(reranker, seconds=options.rerank_seconds))


def _selector(reranker: Reranker | None, options: Options) -> Selector:
    if reranker is None:
        return RuleSelector(options.selection, reserve=options.quotas)
    return RerankingSelector(
        reranker,
        options.selection,
        reserve=options.quotas,
        weight=options.rerank_weight,
    )


def _reranked_by_model(team: Team, parts: Parts) -> tuple[Team, Parts]:
    """Return who scores passages with the language model, in the place of any other reranker."""
    if team.assistant is None or parts.effort == "fast":
        team.notes.append(
            "rerank = 'llm' takes a language model and the effort standard or deep; passages keep the order of the search"
        )
        return team, parts
    from scholarmind.reranking import ModelReranker  # noqa: PLC0415  (few ask for it)

    reranker = ModelReranker(team.assistant, batch=RERANKED_TOGETHER, seconds=parts.options.rerank_seconds)
    return replace(team, selector=_selector(reranker, parts.options)), replace(parts, reranker=reranker)


def _meter(parts: Parts, report: OnEvent, began: float, *, writes: bool) -> Meter | None:
    """Return what counts, if there is anything to count. Where an answer is written, one call and half of all else are left for that."""
    models, options = parts.models, parts.options
    if models is None or parts.effort == "keyless":
        return None
    budget = options.budget
    tokens = None if budget.tokens is None else budget.tokens // 2
    cost = None if budget.cost is None else budget.cost / 2
    return Meter(
        budget=budget,
        prices=models.prices,
        names=models.names,
        report=report,
        deadline=began + max(0.1, options.run_seconds - _RESERVE),
        reserve=Budget(calls=1, tokens=tokens, cost=cost) if writes else Budget(),
    )


def _remembering(parts: Parts, models: Models, run: str, notes: list[str]) -> LanguageModel:
    model = models.model
    if models.cache is not None:
        model = Cached(model, models.cache, rights=models.rights, names=models.names, notes=notes)
    if parts.journal is not None and run:
        model = Journalled(model, parts.journal, run, basis=parts.basis.library, names=models.names, notes=notes)
    return model
