"""Pieces of a text that is being written: few reports, nothing lost, and no two drafts with one number."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from scholarmind.events import AnswerPiece, Event
from scholarmind.steps.progress_events import DraftPieces


def told(*texts: list[tuple[str, int]], seconds: float = 1.0) -> list[AnswerPiece]:
    """Return what is reported of texts, each in pieces with the number of their draft; so much time passes at each look at the clock."""
    events: list[Event] = []
    pieces = DraftPieces(events.append, itertools.count(0.0, seconds).__next__)
    for text in texts:
        pieces.anew()
        for piece, draft in text:
            pieces.take(piece, draft)
        pieces.flush()
    return [event for event in events if isinstance(event, AnswerPiece)]


def test_the_first_piece_comes_at_once_and_the_others_in_lots() -> None:
    assert [event.text for event in told([("a", 1), *[("b", 1)] * 50])] == ["a", "b" * 40, "b" * 10]


def test_pieces_that_come_fast_are_reported_twenty_times_a_second_and_no_more() -> None:
    events = told([("a" * 40, 1)] * 100, seconds=0.01)  # so a second has passed at the end, and a little more
    assert "".join(event.text for event in events) == "a" * 4000
    assert len(events) <= 25


def test_a_draft_that_is_begun_anew_takes_nothing_of_the_one_before() -> None:
    assert told([("one", 1), (" more", 1), ("two", 2)]) == [
        AnswerPiece(text="one", draft=1),
        AnswerPiece(text=" more", draft=1),
        AnswerPiece(text="two", draft=2),
    ]


def test_the_next_text_has_the_next_number() -> None:
    events = told([("one", 1), ("two", 2)], [("three", 1)], [], [("four", 1), ("five", 2)])
    assert [(event.text, event.draft) for event in events] == [
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
    ]


@given(st.lists(st.text(max_size=30), max_size=30))
def test_nothing_is_lost(texts: list[str]) -> None:
    assert "".join(event.text for event in told([(text, 1) for text in texts])) == "".join(texts)
