"""Complete, cited answers to composite questions over your own documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.errors import ScholarMindError
    from scholarmind.events import Problem, Progress
    from scholarmind.filters import AllOf, AnyOf, Compare, Filter, Not, parse_filter
    from scholarmind.library.ingest import Report
    from scholarmind.model import Counts, Document, Evidence, Found, Passage, Scores
    from scholarmind.settings import Settings

_HOMES = {
    "api": "Library",
    "errors": "ScholarMindError",
    "events": "Problem Progress",
    "filters": "AllOf AnyOf Compare Filter Not parse_filter",
    "library.ingest": "Report",
    "model": "Counts Document Evidence Found Passage Scores",
    "settings": "Settings",
}
_WHERE = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AllOf",
    "AnyOf",
    "Compare",
    "Counts",
    "Document",
    "Evidence",
    "Filter",
    "Found",
    "Library",
    "Not",
    "Passage",
    "Problem",
    "Progress",
    "Report",
    "ScholarMindError",
    "Scores",
    "Settings",
    "parse_filter",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `scholarmind --help` needs none of them."""
    if name not in _WHERE:
        raise AttributeError(f"module 'scholarmind' has no attribute {name!r}")
    return getattr(import_module(f"scholarmind.{_WHERE[name]}"), name)
