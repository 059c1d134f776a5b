"""The team of the strategy `roadmap`: another planner, and rounds around the search of each part; all else is as it is."""

from dataclasses import replace

from scholarmind.events import OnEvent
from scholarmind.llm.prompts import Assistant
from scholarmind.parts import Parts
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Planner
from scholarmind.steps.investigate import Investigator
from scholarmind.strategies.roadmap.investigating import RoadmapInvestigator
from scholarmind.strategies.roadmap.planner import RoadmapPlanner
from scholarmind.strategies.roadmap.rounds import Crew
from scholarmind.team import Team
from scholarmind.writing.extractive import KeylessAnswerer
from scholarmind.writing.model_answerer import ModelAnswerer

_ROUNDS_SHARE, _ANSWER_SHARE = 0.6, 0.25  # of the time of a part: for its rounds, then for its short answer
_LONGEST_CALL = (
    0.125  # of the time of the run: a planner has two of them, and one that hangs must leave time for the rest
)


def team(base: Team, parts: Parts, report: OnEvent) -> Team:
    """Return the team; at the effort `fast` a model only writes."""
    options = parts.options
    assistant = None if parts.effort == "fast" else base.assistant
    crew = Crew(options=options.roadmap, report=report, names=parts.names, lexicon=parts.lexicon, meter=base.meter)
    planner = RoadmapPlanner(
        rules=_within(parts.planner, options.roadmap.max_goals),
        crew=crew,
        report=report,
        assistant=assistant,
        seconds=min(options.plan_seconds, _LONGEST_CALL * options.run_seconds),
        library_only=options.library_only,
        decompose=options.decompose,
    )

    def investigator(default: Investigator) -> RoadmapInvestigator:
        seconds = _ROUNDS_SHARE * options.part_seconds
        return RoadmapInvestigator(default=default, crew=crew, seconds=seconds, assistant=assistant)

    changed = replace(base, planner=planner, investigator=investigator, translator=None, rounds=1)
    return _in_time(changed, parts, assistant) if assistant else changed


def _within(planner: Planner, goals: int) -> Planner:
    """Return our own rules with room for so many parts; somebody else's planner as it is."""
    return replace(planner, rules=replace(planner.rules, cap=goals)) if isinstance(planner, KeylessPlanner) else planner


def _in_time(team: Team, parts: Parts, assistant: Assistant) -> Team:
    """Return the team with less time for a short answer: the rounds before it have used some."""
    rules, seconds = KeylessAnswerer(parts.lexicon), _ANSWER_SHARE * parts.options.part_seconds
    answerer = ModelAnswerer(assistant, rules, seconds=seconds)
    narrator = ModelAnswerer(assistant, rules, deep=True, seconds=seconds) if team.narrator else None
    return replace(team, answerer=answerer, narrator=narrator)
