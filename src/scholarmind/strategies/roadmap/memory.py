"""The negative memory: what nothing was found for is a note of the part that asked, which later parts read, also in a resumed run."""

import re
from collections.abc import Iterable

from scholarmind.answer import Finding

_NOTE = re.compile(r'nothing found for "(?P<query>.*)"', re.DOTALL)


def found_nothing(query: str) -> str:
    """Return the note that nothing was found for a query."""
    return f'nothing found for "{query}"'


def in_vain(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the queries that nothing was found for, as the notes of findings tell."""
    notes = [note for finding in findings for note in finding.notes]
    return tuple(dict.fromkeys(match["query"] for note in notes if (match := _NOTE.fullmatch(note))))
