"""What is quoted as one: sentences, whole lists, rows of tables."""

import pytest

from scholarmind.model import Passage
from scholarmind.writing.evidence_sentences import items_of_list, rows_of_table, unit_at


def unit(text: str, sentence: str, kind: str = "text") -> tuple[str, str]:
    """Return the unit of a sentence, and its shape."""
    passage = Passage(text=text, start=0, end=len(text), position=0, kind=kind)
    start = text.index(sentence)
    found = unit_at(passage, start, start + len(sentence))
    return ("" if found.dangles else text[found.start : found.end]), found.shape


LIST = "To reset it:\n1. Unplug it.\n2. Hold the button.\n\nIt takes a minute."


@pytest.mark.parametrize("sentence", ["To reset it:", "1. Unplug it.", "2. Hold the button."])
def test_list_with_its_introduction(sentence: str) -> None:
    assert unit(LIST, sentence) == ("To reset it:\n1. Unplug it.\n2. Hold the button.", "list")


def test_sentence_behind_a_list_stands_alone() -> None:
    assert unit(LIST, "It takes a minute.") == ("It takes a minute.", "prose")


def test_list_without_marks() -> None:
    text = "There are two types:\n\nOpen share - for everyone.\n\nGroup share - for the group."
    assert unit(text, "There are two types:") == (text, "list")
    assert unit(text, "Group share - for the group.") == (text, "list")


@pytest.mark.parametrize("mark", ["●", "•", "-", "○", "(1)"])
def test_marks_of_any_shape(mark: str) -> None:
    text = f"包括：\n{mark} 一本书\n{mark} 两支笔"
    assert unit(text, "包括：") == (text, "list")
    assert items_of_list(text) == ("包括：", ["一本书", "两支笔"])


def test_introduction_without_its_list_is_no_unit() -> None:
    assert unit("It has the following restrictions:", "It has the following restrictions:") == ("", "list")


def test_paragraphs_with_numbers_are_no_list() -> None:
    text = "1. The pump was approved. One voted against it. Work begins soon.\n2. The leak was found. It was repaired. It cost much."
    assert unit(text, "One voted against it.") == ("One voted against it.", "prose")


def test_small_table_is_whole() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    assert unit(text, "| 3 | 4 |") == (text, "table")
    assert rows_of_table(text) == ("", [["a", "b"], ["1", "2"], ["3", "4"]])


def test_rows_that_are_written_as_records() -> None:
    text = "Name: x; Size: 1\nName: y; Colour: red"
    assert rows_of_table(text) == ("", [["Name", "Size", "Colour"], ["x", "1", ""], ["y", "", "red"]])
