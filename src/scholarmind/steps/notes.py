"""What was done in another way than asked, each thing once."""

import re
from collections.abc import Iterable

_SHARE = re.compile(r"\d+(?=%)")


class Notes:
    """Remembers notes in their order; two that differ in a share only tell the same."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    def take(self, notes: Iterable[str]) -> None:
        """Remember what is new among these."""
        for note in notes:
            self._notes.setdefault(_SHARE.sub("", note), note)

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._notes.values())
