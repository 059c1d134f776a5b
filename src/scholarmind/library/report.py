"""What an `add` did."""

from dataclasses import dataclass, field

from scholarmind.library.match_report import MatchReport
from scholarmind.model import Problem


@dataclass(kw_only=True)
class Report:
    """Counts, what could not be used, and how bibliographies and files went together."""

    files: int = 0
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    kept: int = 0  # that a prune would have removed, had their folder not been missing or empty
    duplicates: int = 0
    passages: int = 0
    embedded: int = 0
    unsuited: int = 0
    ignored: int = 0
    enriched: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    matches: MatchReport | None = None
