"""A text with marks, taken apart: what a sentence says without its citations, and what is no sentence."""

import pytest

from scholarmind.writing.answer_stream import CLOSE, OPEN, lines, whole


def marked(text: str) -> str:
    """Return a text with marks in the place of brackets."""
    return text.replace("[", OPEN).replace("]", CLOSE)


def said(text: str) -> list[str]:
    """Return what the sentences of a text say."""
    return [sentence.text for line in lines(marked(text)) for sentence in line.sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("According to [P1], BERT has 24 layers.", "BERT has 24 layers."),
        ("As shown in [P1], BERT has 24 layers.", "BERT has 24 layers."),
        ("BERT, according to [P1], has 24 layers.", "BERT, has 24 layers."),
        ("BERT was introduced by [P1].", "BERT was introduced by."),
        ("This was shown in [P1].", "This was shown in."),
        ("据[P1]，模型有24层。", "模型有24层。"),
        ("根据[P1]所述，模型有24层。", "模型有24层。"),
        ("模型有24层，据[P1]，共3.4亿参数。", "模型有24层，共3.4亿参数。"),
        ("- 据[P1]，模型有24层。", "模型有24层。"),
        ("模型用了这些数据[P6]。", "模型用了这些数据。"),
        ("模型没有任何依据[P6]，也没有根据[P6]。", "模型没有任何依据，也没有根据。"),
    ],
)
def test_who_says_it_is_left_out_where_a_sentence_or_clause_begins_with_it(text: str, expected: str) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has 24 layers.[P1] It is old.[P2]", ["It has 24 layers.", "It is old."]),
        ("它有24层。[P1][P2]它很旧。[P1]", ["它有24层。", "它很旧。"]),
        ("It has 24 layers. [P1]. It is old.", ["It has 24 layers.", "It is old."]),
    ],
)
def test_a_citation_behind_a_full_stop_belongs_to_what_is_before_it(text: str, expected: list[str]) -> None:
    (line,) = lines(marked(text))
    assert [sentence.text for sentence in line.sentences] == expected
    assert line.sentences[0].keys[:1] == ("P1",)
    assert len(line.marked) == len(text), "places in it are those in the text"


@pytest.mark.parametrize("text", ["...", "。。。", "[P1][P2]", "据[P1]据[P2]", "---", "** **", "| [P1] | … |"])
def test_what_says_nothing_is_no_sentence(text: str) -> None:
    assert said(text) == []
    assert whole(marked(text)) == ((), 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is so.", "It is so [P1]."),
        ("It is so (see above).", "It is so (see above)[P1]."),
        ('He said "so."  ', 'He said "so[P1]."  '),
        ("它是这样的。", "它是这样的[P1]。"),
    ],
)
def test_a_citation_is_put_before_the_end_of_a_sentence(text: str, expected: str) -> None:
    (sentence,) = lines(text)[0].sentences
    assert sentence.with_keys(["P1"]).replace(" ", "") == marked(expected).replace(" ", "")


@pytest.mark.parametrize(("text", "expected"), [("- so", True), (" 2. so", True), ("* so", True), ("so - so", False)])
def test_items_of_lists(text: str, expected: bool) -> None:
    assert lines(text)[0].is_item is expected
