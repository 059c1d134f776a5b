"""What a model reports of its parts, however it writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.writing.model_writer import Reported, reported, tells_a_gap

ROWS = ("1", "2.1", "2.2", "3")


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("1: answered", {"1": Reported("answered")}),
        ("1. answered", {"1": Reported("answered")}),
        ("- **1**: Answered.", {"1": Reported("answered")}),
        ("Part 1 – fully answered", {"1": Reported("answered")}),
        ("1 - 已回答", {"1": Reported("answered")}),
        ("第1部分：已回答", {"1": Reported("answered")}),
        ("| 1 | answered |", {"1": Reported("answered")}),
        ("2.1: missing: the size of the corpus", {"2.1": Reported("missing", "the size of the corpus")}),
        ("2.1: not answered", {"2.1": Reported("missing", "not answered")}),
        ("2.1: partially answered: no date", {"2.1": Reported("missing", "no date")}),
        ("2.1：缺失：语料规模", {"2.1": Reported("missing", "语料规模")}),
        ("3: conflicting: 24 or 26 layers", {"3": Reported("conflicting", "24 or 26 layers")}),
        ("3: 矛盾：24层与26层", {"3": Reported("conflicting", "24层与26层")}),
        ("2: answered", {"2.1": Reported("answered"), "2.2": Reported("answered")}),
        ("7: answered", {}),
        ("1: answered\n1: missing", {"1": Reported("answered")}),
        ('{"1": "answered", "3": "missing: all"}', {"1": Reported("answered"), "3": Reported("missing", "all")}),
        ('```json\n[{"part": 3, "status": "missing", "missing": "a date"}]\n```', {"3": Reported("missing", "a date")}),
        ('{"parts": [{"id": "1", "status": "answered"}]}', {"1": Reported("answered")}),
        ("{broken", {}),
        ("I have answered all the parts.", {}),
        ("", {}),
    ],
)
def test_a_report_is_read_however_it_is_written(report: str, expected: dict[str, Reported]) -> None:
    assert reported(report, ROWS) == expected


@given(st.text())
def test_any_text_can_be_a_report(text: str) -> None:
    assert set(reported(text, ROWS)) <= set(ROWS)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The passages do not say how large the corpus is.", True),
        ("None of the documents mentions its size.", True),
        ("Its size is not stated.", True),
        ("段落中没有提到语料的规模。", True),
        ("现有资料未说明训练时间。", True),
        ("BERT does not generate text.", False),
        ("The passages do not say it, but BERT has 99 layers.", False),
        ("BERT没有解码器。", False),
    ],
)
def test_a_sentence_about_what_is_missing_is_no_claim(sentence: str, expected: bool) -> None:
    assert tells_a_gap(sentence) is expected
