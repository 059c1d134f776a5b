"""Gating again by the first evidence."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.model import Document, Evidence, Name, Passage, Scores
from scholarmind.planning.question_gate import SecondLook, second_look

RARE = {"marlow": 6.0, "ferri": 6.0, "captain": 4.0, "harbour": 4.0, "built": 2.0}  # by the stems of the text analysis
QUESTION = "Who was captain of the Marlow ferry that the harbour built?"


def found(*texts: str, title: str = "") -> list[Evidence]:
    return [
        Evidence(
            passage=Passage(text=text, start=0, end=len(text), position=0),
            document=Document(id=str(place), title=title),
            scores=Scores(fused=1 - place / 10),
        )
        for place, text in enumerate(texts)
    ]


def test_what_one_passage_covers_is_simple() -> None:
    look = second_look(
        QUESTION, (), found("The captain of the Marlow ferry, built at the harbour, was Ann.", "A harbour."), RARE
    )
    assert look == SecondLook(
        verdict="simple",
        reason="one passage has every word of the question that counts",
        best=1.0,
        union=1.0,
        added=0.0,
        gap=0.1,
    )


def test_what_two_passages_cover_together_is_composite() -> None:
    look = second_look(QUESTION, (), found("The Marlow ferry.", "Built at the harbour for its captain."), RARE)
    assert (look.verdict, look.best, look.union) == ("composite", 0.545, 1.0)


def test_the_name_that_the_best_passage_lacks_is_told() -> None:
    name = Name(text="Marlow", start=19, end=25, field="title", value="Marlow", documents=1)
    evidence = found("The captain of the harbour built a ferry.", "Marlow by the captain", "Marlow")
    look = second_look(QUESTION, [name], evidence, RARE | {"marlow": 12.0, "ferri": 9.0, "captain": 9.0})
    assert look.missing == ("Marlow",)


def test_what_no_passage_covers_is_left_open() -> None:
    assert second_look(QUESTION, (), found("The captain.", "The captain."), RARE).verdict is None


def test_a_title_counts_as_text() -> None:
    evidence = found("Its captain was Ann, says the harbour that built it.", title="Marlow ferry")
    assert second_look(QUESTION, (), evidence, RARE).verdict == "simple"


def test_without_evidence_or_rare_words_there_is_nothing_to_look_at() -> None:
    nothing = SecondLook(verdict=None, reason="nothing to look at")
    assert [second_look(QUESTION, (), [], RARE), second_look(QUESTION, (), found("The captain."), {})] == [
        nothing,
        nothing,
    ]


@settings(deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=12))
def test_shares_are_shares(question: str, texts: list[str]) -> None:
    look = second_look(question, (), found(*texts), dict.fromkeys([*question.lower().split(), *RARE], 3.0))
    assert 0 <= look.best <= look.union <= 1
