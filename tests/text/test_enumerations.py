"""Lists that stand in one line, in both languages."""

import pytest

from scholarmind.text.analysis import each_once, enumerated, items_of


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", ()),
        ("Paris", ("Paris",)),
        ("BooksCorpus and English Wikipedia", ("BooksCorpus", "English Wikipedia")),
        ("BooksCorpus (800M words) and Wikipedia (2,500M words, English).", ("BooksCorpus", "Wikipedia")),
        ("GLUE, SQuAD v1.1, and SWAG", ("GLUE", "SQuAD v1.1", "SWAG")),
        ("Bosnia and Herzegovina, Serbia", ("Bosnia and Herzegovina", "Serbia")),
        ("3,300 million words", ("3,300 million words",)),
        ("MNLI; the MNLI; mnli; QQP", ("MNLI", "QQP")),
        ("图书语料库、维基百科和CC-News", ("图书语料库", "维基百科", "CC-News")),
        ("BERT和GPT-2", ("BERT", "GPT-2")),
        ("和平", ("和平",)),
    ],
)
def test_the_items_of_a_line(text: str, items: tuple[str, ...]) -> None:
    assert items_of(text) == items


@pytest.mark.parametrize("items", [("A",), ("A", "B"), ("A", "B", "C"), ("甲", "乙"), ("甲", "乙", "丙"), ()])
def test_a_list_in_words_is_those_items_again(items: tuple[str, ...]) -> None:
    assert items_of(enumerated(items)) == items


def test_of_two_ways_to_write_an_item_the_first_stays() -> None:
    assert each_once(["SQuAD", "GLUE", "the  squad", ""]) == ("SQuAD", "GLUE")
