"""Which year of a span a table's cell takes."""

import pytest

from scholarmind.library.tabulating.columns import began_in


@pytest.mark.parametrize(
    ("text", "year", "expected"),
    [
        ("患者于2016年3月至2018年1月招募。", 2018, 2016),
        ("We measured between January 2007 and December 2012.", 2012, 2007),
        ("The survey of 2016–2018 was the first.", 2018, 2016),
        ("It opened in 1999 and was rebuilt in 2004.", 2004, 2004),
        ("We began in 2018.", 2018, 2018),
        ("Nobody says when.", None, None),
    ],
)
def test_a_span_begins_with_its_first_year(text: str, year: int | None, expected: int | None) -> None:
    assert began_in(text, year) == expected
