"""How many calls waited for one another, and how many ran at once."""

import pytest

from scholarmind.testing import Logged
from scholarmind.testing.model_servers import levels, most_at_once


def calls(*spans: tuple[float, float | None]) -> list[Logged]:
    return [
        Logged(number=number, path="", model="", purpose="", stream=False, rung="", start=start, end=end)
        for number, (start, end) in enumerate(spans, 1)
    ]


@pytest.mark.parametrize(
    ("spans", "chain", "together"),
    [
        ([], 0, 0),
        ([(0, 1)], 1, 1),
        ([(0, 2), (3, 4), (5, 6)], 3, 1),
        ([(0, 2), (0.1, 2.1), (0.2, 2.2)], 1, 3),
        ([(0, 2), (3, 5), (3.1, 5.1), (6, 7)], 3, 2),
        ([(0, 9), (1, 2), (3, 4), (5, 6)], 3, 2),  # the long one waits for none
        ([(0, 1), (1, 2)], 1, 1),  # none that starts with the end of another can have waited for it
        ([(0, 1), (2, None)], 2, 1),
        ([(0, None), (1, None)], 1, 2),
    ],
)
def test_chains_and_crowds(spans: list[tuple[float, float | None]], chain: int, together: int) -> None:
    assert levels(calls(*spans)) == chain
    assert most_at_once(calls(*spans)) == together
