"""What happens, as it happens: typed records that progress bars (later: traces and streams) are made from."""

from collections.abc import Callable
from dataclasses import dataclass

from scholarmind.model import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """So much of a stage is done; what is reported as done is on disk."""

    stage: str
    done: int
    total: int
    unit: str
    passages: int = 0  # stored so far


Event = Progress | Problem
OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Take no notice."""
    del event
