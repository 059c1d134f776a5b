"""Which filters follow from the names, dates and years in a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.filters import AllOf, AnyOf, Compare, Filter
from scholarmind.model import Name
from scholarmind.steps.gather import narrowed

NOW = 2026


def name(text: str, within: str, field: str = "title", documents: int = 1, value: str = "") -> Name:
    """A name where it stands in a text."""
    start = within.index(text)
    return Name(
        text=text, start=start, end=start + len(text), field=field, value=value or text.lower(), documents=documents
    )


def called(value: str, field: str = "") -> Compare:
    """The filter on what is called so."""
    return Compare(f"called.{field}" if field else "called", "=", value)


def year(operator: str, number: int) -> Compare:
    """The filter on years."""
    return Compare("year", operator, number)  # type: ignore[arg-type]


SINCE = year(">=", 2020)


class TestEntities:
    def test_one_search_for_each_without_their_names(self) -> None:
        text = "Compare 'BERT' and GPT-2 on GLUE"
        found = narrowed(text, [name("BERT", text), name("GPT-2", text, value="gpt 2")], NOW)
        assert [(item.text, item.filters, item.about) for item in found] == [
            ("Compare and on GLUE", (called("bert"),), "BERT"),
            ("Compare and on GLUE", (called("gpt 2"),), "GPT-2"),
        ]

    def test_an_identifier_stands_for_its_paper_as_a_title_does(self) -> None:
        text = "How large is the dataset of arXiv:1706.03762 on GLUE?"
        names = [name("1706.03762", text, "arxiv"), name("GLUE", text, "dataset")]
        (found,) = narrowed(text, names, NOW)
        assert (found.text, found.filters) == (
            "How large is the dataset of arXiv: on GLUE?",
            (called("1706.03762", "arxiv"),),
        )

    def test_chinese_names_leave_the_rest(self) -> None:
        text = "《知识增强》的参数有多少？"
        (found,) = narrowed(text, [name("知识增强", text)], NOW)
        assert (found.text, found.about) == ("的参数有多少？", "知识增强")

    def test_a_question_that_is_a_name_stays(self) -> None:
        text = "What is BERT?"
        (found,) = narrowed(text, [name("BERT", text)], NOW)
        assert found.text == text

    def test_what_a_document_is_about_stays_in_the_words(self) -> None:
        text = "What is the score on GLUE by Devlin?"
        names = [name("GLUE", text, "dataset", 2), name("Devlin", text, "author", 3)]
        (found,) = narrowed(text, names, NOW)
        assert found.text == "What is the score on GLUE by ?"
        assert found.filters == (
            AllOf((called("glue", "dataset"), called("devlin", "author"))),
            called("glue", "dataset"),
        )

    def test_titles_come_before_everything_else(self) -> None:
        text = "BERT by Devlin"
        names = [name("BERT", text, documents=9), name("Devlin", text, "author", 1)]
        assert [item.filters for item in narrowed(text, names, NOW)] == [(called("bert"),)]

    def test_a_name_twice_is_one_search(self) -> None:
        text = "BERT or bert"
        names = [name("BERT", text), name("bert", text), name("bert", text, "aliases")]
        assert len(narrowed(text, names, NOW)) == 1

    def test_the_same_words_in_several_fields_do_not_narrow_each_other_down(self) -> None:
        text = "the profit of Orion"
        names = [name("Orion", text, "company", 1), name("Orion", text, "source", 5)]
        assert [item.filters for item in narrowed(text, names, NOW)] == [(called("orion", "company"),)]

    def test_at_most_six(self) -> None:
        text = " ".join(f"Model{number}" for number in range(40))
        found = narrowed(text, [name(f"Model{number} ", f"{text} ") for number in range(40)], NOW)
        assert [item.about for item in found] == [f"Model{number} " for number in range(6)]


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("masks since 2020", (SINCE,)),
            ("masks before 2020", (year("<=", 2019),)),
            ("近3年的改进", (year(">=", 2023),)),
            ("masks 2019-2021", (AllOf((year(">=", 2019), year("<=", 2021))),)),
            ("masks 2021-2019", (AllOf((year(">=", 2019), year("<=", 2021))),)),
        ],
    )
    def test_years_alone(self, text: str, expected: tuple[Filter, ...]) -> None:
        (found,) = narrowed(text, [], NOW)
        assert (found.text, found.filters, found.about) == (text, expected, "the time asked for")

    def test_spans_that_meet_are_one(self) -> None:
        (found,) = narrowed("after 2015 and before 2020", [], NOW)
        assert found.filters == (AllOf((year(">=", 2016), year("<=", 2019))), year(">=", 2016), year("<=", 2019))

    def test_spans_that_do_not_meet_are_either(self) -> None:
        (found,) = narrowed("compare 2015-2017 with 2020-2022", [], NOW)
        early = AllOf((year(">=", 2015), year("<=", 2017)))
        late = AllOf((year(">=", 2020), year("<=", 2022)))
        assert found.filters == (AnyOf((early, late)), early, late)

    def test_the_same_span_twice(self) -> None:
        (found,) = narrowed("since 2020, really since 2020", [], NOW)
        assert found.filters == (SINCE,)

    def test_days(self) -> None:
        text = "between May 1 and May 3"
        days = [name("May 1", text, "date", value="05 01"), name("May 3", text, "date", value="05 03")]
        (found,) = narrowed(text, days, NOW)
        assert found.filters == (AnyOf((called("05 01", "date"), called("05 03", "date"))),)

    def test_an_entity_with_a_day_and_years_loosens_step_by_step(self) -> None:
        text = "what BERT said on May 1 since 2020"
        day = called("05 01", "date")
        (found,) = narrowed(text, [name("BERT", text), name("May 1", text, "date", value="05 01")], NOW)
        assert found.filters[0] == AllOf((called("bert"), AllOf((day, SINCE))))
        assert found.filters[-1] == called("bert")
        assert found.text == "what said on since 2020"
        assert len(found.filters) == len(set(found.filters))

    @pytest.mark.parametrize("text", ["", "What is a mask?", "in 2020", "🤖", "什么是注意力"])
    def test_nothing_to_go_by(self, text: str) -> None:
        assert narrowed(text, [], NOW) == ()


@st.composite
def named_texts(draw: st.DrawFn) -> tuple[str, list[Name]]:
    """A text with names anywhere in it, which may even overlap."""
    text = draw(st.text(st.sampled_from('aB 的2’"🤖since2019-2021前'), max_size=60) | st.text(max_size=40))
    names: list[Name] = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        field = draw(st.sampled_from(["title", "aliases", "author", "source", "date", "dataset"]))
        names.append(
            Name(
                text=text[start:end],
                start=start,
                end=end,
                field=field,
                value=draw(st.sampled_from("xyz")),
                documents=draw(st.integers(1, 9)),
            )
        )
    return text, names


class TestAnyQuestion:
    @given(named_texts())
    def test_every_search_has_words_and_filters(self, drawn: tuple[str, list[Name]]) -> None:
        text, names = drawn
        found = narrowed(text, names, NOW)
        assert len(found) <= 6
        for item in found:
            assert item.filters
            assert len(item.filters) == len(set(item.filters))
            assert set(item.text) <= {*text, " "}
        assert found == narrowed(text, names, NOW)

    def test_a_question_of_20_000_characters(self) -> None:
        text = ("BERT since 2020 " * 1_250)[:20_000]
        names = [
            Name(text="BERT", start=start, end=start + 4, field="title", value="bert", documents=1)
            for start in range(0, len(text), 16)
        ]
        (found,) = narrowed(text, names, NOW)
        assert (found.filters[0], found.filters[-1]) == (AllOf((called("bert"), SINCE)), called("bert"))
        assert found.text == " ".join(["since 2020"] * 1_250)
