"""Complete, cited answers to composite questions over your own documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scholarmind.answer import Answer, Citation, Claim, Finding, Retrieved, Review, Row
    from scholarmind.api import Library
    from scholarmind.batch import BatchQuestion, BatchResult
    from scholarmind.calls import Budget
    from scholarmind.changes import Changes
    from scholarmind.engine import Engine
    from scholarmind.errors import ScholarMindError
    from scholarmind.events import Problem, Progress
    from scholarmind.filters import AllOf, AnyOf, Compare, Filter, Not, parse_filter
    from scholarmind.library.report import Report
    from scholarmind.llm.language_models import Models
    from scholarmind.model import Counts, Document, Evidence, Found, Judged, Passage, Scores
    from scholarmind.plan import Ask, Plan, SubQuestion
    from scholarmind.ports import Turn
    from scholarmind.running import Proposal
    from scholarmind.settings import Settings
    from scholarmind.steps.options import Concepts, Options, Roadmap, Scored
    from scholarmind.wiring_models import connect

_HOMES = {
    "answer": "Answer Citation Claim Finding Retrieved Review Row",
    "api": "Library",
    "batch": "BatchQuestion BatchResult",
    "calls": "Budget",
    "changes": "Changes",
    "ports": "Turn",
    "engine": "Engine",
    "errors": "ScholarMindError",
    "events": "Problem Progress",
    "filters": "AllOf AnyOf Compare Filter Not parse_filter",
    "library.report": "Report",
    "llm.language_models": "Models",
    "model": "Counts Document Evidence Found Judged Passage Scores",
    "plan": "Ask Plan SubQuestion",
    "running": "Proposal",
    "settings": "Settings",
    "steps.options": "Concepts Options Roadmap Scored",
    "wiring_models": "connect",
}
_WHERE = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AllOf",
    "Answer",
    "AnyOf",
    "Ask",
    "BatchQuestion",
    "BatchResult",
    "Budget",
    "Changes",
    "Citation",
    "Claim",
    "Compare",
    "Concepts",
    "Counts",
    "Document",
    "Engine",
    "Evidence",
    "Filter",
    "Finding",
    "Found",
    "Judged",
    "Library",
    "Models",
    "Not",
    "Options",
    "Passage",
    "Plan",
    "Problem",
    "Progress",
    "Proposal",
    "Report",
    "Retrieved",
    "Review",
    "Roadmap",
    "Row",
    "ScholarMindError",
    "Scored",
    "Scores",
    "Settings",
    "SubQuestion",
    "Turn",
    "connect",
    "parse_filter",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `scholarmind --help` needs none of them."""
    if name not in _WHERE:
        raise AttributeError(f"module 'scholarmind' has no attribute {name!r}")
    return getattr(import_module(f"scholarmind.{_WHERE[name]}"), name)
