"""The order of all passages, for those who watch: every change is told, and whether one that was shown has moved."""

import pytest

from scholarmind import Document, Evidence, Passage, Scores
from scholarmind.events import Event, Ranked
from scholarmind.steps.progress_events import PassageRanking


def passages(names: str) -> list[Evidence]:
    return [
        Evidence(
            passage=Passage(text=name, start=0, end=1, position=0),
            document=Document(id=name, title=name),
            scores=Scores(fused=0.5),
        )
        for name in names
    ]


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        pytest.param(["ab"], [("ab", False)], id="the first"),
        pytest.param(["ab", "ab"], [("ab", False)], id="nothing new is not told again"),
        pytest.param(["ab", "abc"], [("ab", False), ("abc", False)], id="more behind"),
        pytest.param(["ab", "acb"], [("ab", False), ("acb", False)], id="more between: none overtakes another"),
        pytest.param(["ab", "ba"], [("ab", False), ("ba", True)], id="changed places"),
        pytest.param(["abc", "ac"], [("abc", False), ("ac", True)], id="one is gone"),
    ],
)
def test_an_order_is_told_when_it_changes(orders: list[str], expected: list[tuple[str, bool]]) -> None:
    events: list[Event] = []
    standing = PassageRanking(events.append)
    for names in orders:
        standing.take(passages(names), "test")
    seen = [
        ("".join(item.document for item in event.best), event.moved) for event in events if isinstance(event, Ranked)
    ]
    assert seen == expected
