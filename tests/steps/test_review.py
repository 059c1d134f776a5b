from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.answer import Finding
from scholarmind.judge.answers import Judgement
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.writing.text_review import review

SURE = Judgement(confidence=0.9, status="answered")
HALF = Judgement(confidence=0.6, status="partial", missing="no passage mentions “2019”")
NONE = Judgement(confidence=0.1, status="not in the library", missing="no passage mentions “price”")


def part(id: int, *, depends_on: tuple[int, ...] = (), role="find", text="", asks=()) -> SubQuestion:
    return SubQuestion(id=id, text=text or f"question {id}?", depends_on=depends_on, role=role, asks=asks)


def plan_of(*parts: SubQuestion, question="all of it?") -> Plan:
    return Plan(question=question, parts=parts, complexity="composite", reason="", decided_by="rules")


def found(one: SubQuestion, labels: tuple[str, ...] = ("x",), error: str = "") -> Finding:
    evidence = tuple(
        Evidence(
            passage=Passage(text=label, start=0, end=1, position=place),
            document=Document(id="d", title="D"),
            scores=Scores(fused=1.0),
            found_by=frozenset((label,)),
        )
        for place, label in enumerate(labels)
    )
    return Finding(part=one, question=one.text, evidence=evidence, error=error)


def reviewed(plan: Plan, support, conflicts=None, **named):
    return review(plan, [found(one) for one in plan.parts], support, conflicts, **named)


def test_every_row_answered_is_complete():
    result = reviewed(plan_of(part(1), part(2)), {"1": SURE, "2": SURE})
    assert [(row.id, row.part, row.status, row.missing, row.evidence) for row in result.rows] == [
        ("1", 1, "answered", "", 1),
        ("2", 2, "answered", "", 1),
    ]
    assert (result.verdict, result.confidence) == ("complete", 0.9)


def test_a_sentence_that_could_not_be_confirmed_is_a_caveat():
    assert reviewed(plan_of(part(1)), {"1": SURE}, unconfirmed=True).verdict == "with caveats"


def test_something_found_in_part_is_a_caveat_and_says_what_is_missing():
    result = reviewed(plan_of(part(1), part(2)), {"1": SURE, "2": HALF})
    assert result.rows[1].missing == "no passage mentions “2019”"
    assert result.verdict == "with caveats"


def test_something_not_found_makes_it_incomplete_whatever_else_there_is():
    result = reviewed(plan_of(part(1), part(2), part(3)), {"1": SURE, "2": NONE, "3": HALF}, {"3": "80 against 90"})
    assert [row.status for row in result.rows] == ["answered", "not in the library", "conflicting"]
    assert result.verdict == "incomplete"


def test_nothing_found_is_not_in_the_library():
    result = reviewed(plan_of(part(1), part(2)), {"1": NONE, "2": NONE})
    assert (result.verdict, result.confidence) == ("not in the library", 0.1)


def test_a_failed_part_keeps_its_row_with_the_error():
    one, two = part(1), part(2)
    result = review(plan_of(one, two), [found(one, error="the search timed out"), found(two)], {"2": SURE})
    assert (result.rows[0].status, result.rows[0].missing, result.rows[0].confidence) == (
        "failed",
        "the search timed out",
        0.0,
    )
    assert result.verdict == "incomplete"


def test_all_failed_is_incomplete_and_not_said_to_be_missing_from_the_library():
    one = part(1)
    assert review(plan_of(one), [found(one, error="no store")], {}).verdict == "incomplete"


def test_conflicting_numbers_mark_the_row_and_the_whole():
    result = reviewed(plan_of(part(1), part(2)), {"1": SURE, "2": SURE}, {"1": "80.5 (A) against 82.1 (B)"})
    assert (result.rows[0].status, result.rows[0].missing) == ("conflicting", "80.5 (A) against 82.1 (B)")
    assert result.verdict == "conflicting"


def test_what_is_not_in_the_library_does_not_conflict():
    assert reviewed(plan_of(part(1)), {"1": NONE}, {"1": "80 against 90"}).rows[0].status == "not in the library"


def test_merged_questions_keep_their_own_rows_and_evidence():
    one = part(1, asks=(Ask(text="BERT on GLUE?"), Ask(text="GPT-2 on GLUE?")))
    result = review(plan_of(one), [found(one, ("1.1", "1.1", "1.2"))], {"1.1": SURE, "1.2": NONE})
    assert [(row.id, row.text, row.status, row.evidence) for row in result.rows] == [
        ("1.1", "BERT on GLUE?", "answered", 2),
        ("1.2", "GPT-2 on GLUE?", "not in the library", 1),
    ]


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (SURE, SURE, "answered"),
        (SURE, HALF, "partial"),
        (SURE, NONE, "partial"),
        (NONE, NONE, "not in the library"),
    ],
)
def test_a_comparison_is_as_good_as_what_it_compares(first, second, status):
    plan = plan_of(part(3, depends_on=(1, 2), role="compare"), part(1), part(2))
    assert reviewed(plan, {"1": first, "2": second}).rows[0].status == status


def test_a_comparison_says_which_part_is_missing_and_is_no_surer_than_the_least_sure():
    plan = plan_of(part(1), part(2), part(3, depends_on=(1, 2), role="compare"))
    row = reviewed(plan, {"1": SURE, "2": NONE}).rows[2]
    assert (row.missing, row.confidence, row.evidence) == ("2: not in the library", 0.1, 2)


def test_a_comparison_of_failed_parts_failed():
    one, two = part(1), part(2, depends_on=(1,), role="compare")
    result = review(plan_of(one, two), [found(one, error="broken"), found(two)], {})
    assert [row.status for row in result.rows] == ["failed", "failed"]


def test_a_conclusion_over_conflicting_parts_is_conflicting():
    plan = plan_of(part(1), part(2, depends_on=(1,), role="conclude"))
    assert [row.status for row in reviewed(plan, {"1": SURE}, {"1": "1 or 2"}).rows] == ["conflicting", "conflicting"]


def test_a_comparison_that_contradicts_its_parts_is_conflicting():
    plan = plan_of(part(1), part(2, depends_on=(1,), role="compare"))
    row = reviewed(plan, {"1": SURE}, {"2": "it says more, the numbers say less"}).rows[1]
    assert (row.status, row.missing) == ("conflicting", "it says more, the numbers say less")


def test_a_chain_is_no_surer_than_the_answer_that_it_builds_on():
    plan = plan_of(part(1), part(2, text="size of #1?", depends_on=(1,)))
    row = reviewed(plan, {"1": NONE, "2": SURE}).rows[1]
    assert (row.status, row.confidence, row.missing) == ("partial", 0.1, "1: not in the library")


def test_what_is_asked_in_the_words_of_the_question_rests_on_no_answer() -> None:
    first, second = part(1, text="Who is the builder of the mill?"), part(2, text="Where did #1 live?", depends_on=(1,))
    findings = [replace(found(one), question=one.text) for one in (first, second)]
    for asked, expected in (
        ("Where did Jan live?", "partial"),
        ("Where did the builder of the mill live?", "answered"),
    ):
        told = [findings[0], replace(findings[1], rows=(asked,))]
        assert review(plan_of(first, second), told, {"1": NONE, "2": SURE}).rows[1].status == expected


def test_the_words_are_chinese_for_a_chinese_question():
    plan = plan_of(part(1), part(2), part(3, depends_on=(1, 2), role="compare"), question="比较两者")
    assert reviewed(plan, {"1": SURE, "2": NONE}).rows[2].missing == "2: 资料库中没有"


@given(
    st.lists(st.sampled_from((SURE, HALF, NONE, None)), min_size=1, max_size=6),
    st.sets(st.integers(1, 7)),
    st.sets(st.integers(1, 6)),
    st.booleans(),
)
def test_every_row_has_a_status_and_every_shortcoming_its_words(judged, conflicts, failed, compares):
    parts = [part(number) for number in range(1, len(judged) + 1)]
    if compares:
        parts.append(part(7, depends_on=tuple(one.id for one in parts), role="compare"))
    findings = [found(one, error="broken" if one.id in failed else "") for one in parts]
    support = {str(number): one for number, one in enumerate(judged, 1) if one is not None}
    result = review(plan_of(*parts), findings, support, {str(number): "x against y" for number in conflicts})
    assert [row.id for row in result.rows] == [str(one.id) for one in parts]
    assert all(bool(row.missing) != (row.status == "answered") for row in result.rows)
    assert 0 <= result.confidence <= 1
    assert (result.verdict == "complete") == all(row.status == "answered" for row in result.rows)
