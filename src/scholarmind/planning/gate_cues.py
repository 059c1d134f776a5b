"""A cue: a pattern in a question which tells that it asks for several things, or for something by way of another.

The patterns read a `GateText`: lower case, `@` for a name. Gaps are bounded, so that a search takes time in proportion to the text.
"""

import re
from dataclasses import dataclass

from scholarmind.text.patterns import lazy_regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A pattern, the chance that a question which shows it is composite, and what it is called in a reason."""

    name: str
    weight: float
    pattern: re.Pattern[str]


def cue(name: str, weight: float, *patterns: str) -> Cue:
    """Return a cue that any of the patterns shows."""
    return Cue(name=name, weight=weight, pattern=lazy_regex("|".join(f"(?:{pattern})" for pattern in patterns)))
