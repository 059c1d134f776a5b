"""Dates and spans of years as people write them, the impossible ones, and texts that only look like them."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.text.dates import dates, years

NOW = 2026


def spelled(text: str) -> list[tuple[str, str]]:
    """Return each date as it stands in the text, and in its one form."""
    return [(text[date.start : date.end], date.spelled) for date in dates(text)]


def spans(text: str) -> list[tuple[int | None, int | None]]:
    """Return the first and the last year of each span."""
    return [(span.first, span.last) for span in years(text, NOW)]


class TestDates:
    @pytest.mark.parametrize(
        "text",
        [
            "2023-11-24",
            "2023/11/24",
            "2023.11.24",
            "November 24, 2023",
            "november 24th 2023",
            "NOV. 24 2023",
            "24 November 2023",
            "24th of Nov., 2023",
            "2023年11月24日",
            "2023 年 11 月 24 号",
        ],
    )
    def test_one_day_in_many_notations(self, text: str) -> None:
        assert [text, "2023 11 24"] == [*spelled(f"the report of {text}?")[0]]

    @pytest.mark.parametrize("text", ["2023-11", "2023/11", "November 2023", "Nov., 2023", "November of 2023"])
    def test_a_month(self, text: str) -> None:
        assert spelled(f"published in {text}.") == [(text, "2023 11")]

    def test_a_month_in_chinese(self) -> None:
        assert spelled("2023年5月的报告") == [("2023年5月", "2023 05")]

    @pytest.mark.parametrize("text", ["November 24", "Nov 24th", "24th of November", "24 nov"])
    def test_a_day_of_any_year(self, text: str) -> None:
        assert spelled(f"on {text}") == [(text, "11 24")]

    def test_english_dates_within_chinese(self) -> None:
        assert spelled("发布于Nov 24, 2023的报告") == [("Nov 24, 2023", "2023 11 24")]

    def test_the_time_of_day_is_left_alone(self) -> None:
        assert spelled("2023-11-24T10:00:00Z") == [("2023-11-24", "2023 11 24")]

    def test_all_of_several(self) -> None:
        found = [date for _, date in spelled("between May 1 and 2 June 2020, or 2021年7月")]
        assert found == ["05 01", "2020 06 02", "2021 07"]

    @pytest.mark.parametrize(
        "text",
        [
            "2023-13-01",
            "2023-00-10",
            "2023-02-30",
            "February 30",
            "31 April 2020",
            "April 0",
            "2023年13月",
            "2023-02-29",
            "1900-02-29",
        ],
    )
    def test_days_that_no_calendar_has(self, text: str) -> None:
        assert spelled(text) == []

    @pytest.mark.parametrize(
        ("text", "expected"), [("2024-02-29", "2024 02 29"), ("29 February", "02 29"), ("2000-02-29", "2000 02 29")]
    )
    def test_leap_days(self, text: str, expected: str) -> None:
        assert spelled(text) == [(text, expected)]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "May I ask?",
            "1810.04805",
            "12023-11-24",
            "GPT-4 and 11.24",
            "dismay 24",
            "2023",
            "3023-11-24",
            "page 24-11",
            "maybe 12",
            "24 novels",
            "🗓️",
            "第11月",
        ],
    )
    def test_what_is_no_date(self, text: str) -> None:
        assert spelled(text) == []

    def test_may_and_its_year(self) -> None:
        assert spelled("May 2020") == [("May 2020", "2020 05")]

    @given(st.dates(min_value=date(1500, 1, 1), max_value=date(2099, 12, 31)))
    def test_every_day_of_the_calendar(self, day: date) -> None:
        expected = day.strftime("%Y %m %d")
        for text in (day.isoformat(), f"{day:%B} {day.day}, {day.year}", f"{day.year}年{day.month}月{day.day}日"):
            assert [date for _, date in spelled(text)] == [expected]


class TestYears:
    @pytest.mark.parametrize(
        "text",
        [
            "2019-2022",
            "2019 – 2022",
            "2019~2022",
            "from 2019 to 2022",
            "between 2019 and 2022",
            "From 2019 until 2022",
            "从2019年到2022年",
            "2019 年至 2022 年",
            "2019年—2022年",
        ],
    )
    def test_closed(self, text: str) -> None:
        assert spans(f"papers {text} on masks") == [(2019, 2022)]

    def test_the_wrong_way_round(self) -> None:
        assert spans("between 2022 and 2019") == [(2019, 2022)]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("since 2022", (2022, None)),
            ("SINCE 2022", (2022, None)),
            ("starting in 2022", (2022, None)),
            ("自2022年以来", (2022, None)),
            ("2022年以来", (2022, None)),
            ("2022年起", (2022, None)),
            ("after 2022", (2023, None)),
            ("2022年之后", (2023, None)),
            ("2022 以后", (2023, None)),
            ("before 2022", (None, 2021)),
            ("prior to 2022", (None, 2021)),
            ("2022年以前", (None, 2021)),
            ("2022之前", (None, 2021)),
            ("until 2022", (None, 2022)),
            ("by 2022", (None, 2022)),
            ("in the last 3 years", (2023, None)),
            ("over the past three years", (2023, None)),
            ("within the last seven years", (2019, None)),
            ("in the past ten years", (2016, None)),
            ("近3年", (2023, None)),
            ("近三年", (2023, None)),
            ("最近 两 年", (2024, None)),
            ("过去的十年", (2016, None)),
            ("Transformer架构since 2022的改进", (2022, None)),
        ],
    )
    def test_open(self, text: str, expected: tuple[int | None, int | None]) -> None:
        assert spans(text) == [expected]

    def test_several(self) -> None:
        assert spans("from 2015-2017, after 2020 and before 2024") == [(2015, 2017), (2021, None), (None, 2023)]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "in 2019",
            "2019年",
            "since yesterday",
            "12019-20221",
            "2019-20221",
            "in the last years",
            "near 3 years",
            "近几年",
            "before 20221",
            "3019-3022",
            "in the last 300 years",
        ],
    )
    def test_what_is_no_span(self, text: str) -> None:
        assert spans(text) == []

    def test_where_it_stands(self) -> None:
        text = "What changed since 2022?"
        (span,) = years(text, NOW)
        assert text[span.start : span.end] == "since 2022"


PIECES = st.sampled_from(
    [
        *"-–年月日至到近 .,/",
        "  ",
        "2019",
        "2022",
        "11",
        "24",
        "May",
        "Nov",
        "since",
        "from",
        "to",
        "and",
        "after",
        "最近",
        "三",
        "the last",
        "years",
        "🤖",
        "９",
        "²",
    ]
)


class TestAnyText:
    @given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200))
    def test_what_is_found_lies_in_the_text_in_order(self, text: str) -> None:
        for found in (list(dates(text)), list(years(text, NOW))):
            places = [(item.start, item.end) for item in found]
            assert all(0 <= start < end <= len(text) for start, end in places)
            assert all(first[1] <= second[0] for first, second in pairwise(places))
        assert all(span.first is None or span.last is None or span.first <= span.last for span in years(text, NOW))

    @pytest.mark.parametrize(
        "piece",
        ["2019 ", "2019年", "May ", "May 24 of ", "近 ", "24 of ", "2019-", "from ", "since\t", "2019 年 ", "9"],
    )
    def test_repeated_pieces_are_as_many_times_the_work_and_no_more(self, piece: str) -> None:
        # so many characters would take many minutes if the work grew with the square of the length
        text = (piece * 200_000)[:200_000]
        assert len(list(dates(text))) + len(list(years(text, NOW))) <= len(text)

    @pytest.mark.parametrize("start", ["2019", "from", "May", "24", "since", "2019年", "近", "between 2019"])
    def test_long_gaps(self, start: str) -> None:
        text = f"{start}{' ' * 200_000}x"
        assert (list(dates(text)), list(years(text, NOW))) == ([], [])
