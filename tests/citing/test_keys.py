"""Citation keys: readable, the same in any order, and never shared."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.citing.citation_styles import assign
from scholarmind.model import Document


def document(
    id: str, title: str, authors: Sequence[str] = (), year: int | None = None, collection: str = "default"
) -> Document:
    return Document(id=id, title=title, authors=tuple(authors), year=year, collection=collection)


def keys(*documents: Document) -> dict[str, str]:
    return {id: key for (_, id), key in assign(documents).items()}


@pytest.mark.parametrize(
    ("authors", "year", "expected"),
    [
        pytest.param(["Ana Ortiz", "Zeqiu Wu", "Yizhong Wang"], 2024, "Ortiz et al., 2024", id="three"),
        pytest.param(["Jacob Devlin", "Ming-Wei Chang"], 2019, "Devlin & Chang, 2019", id="two"),
        pytest.param(["Devlin, Jacob"], 2019, "Devlin, 2019", id="one"),
        pytest.param(["Devlin, Jacob", "others"], 2019, "Devlin et al., 2019", id="one and others"),
        pytest.param(["Devlin, Jacob", "Chang, Ming-Wei", "Lee, Kenton"], None, "Devlin et al., n.d.", id="no year"),
        pytest.param(["王小明", "李红", "赵刚"], 2023, "王等, 2023", id="three Chinese"),
        pytest.param(["王小明", "李红"], 2023, "王与李, 2023", id="two Chinese"),
        pytest.param(["王小明"], 2023, "王, 2023", id="one Chinese"),
        pytest.param(["欧阳修", "others"], 2023, "欧阳等, 2023", id="double Chinese family name"),
        pytest.param(
            ["DeepSeek-AI", "Aixin Liu", "Bei Feng"], 2024, "DeepSeek-AI et al., 2024", id="company and people"
        ),
        pytest.param(["{OpenAI}"], 2023, "OpenAI, 2023", id="company"),
        pytest.param(["World Health Organization"], 2020, "World Health Organization, 2020", id="organisation"),
        pytest.param(["清华大学"], 2022, "清华大学, 2022", id="Chinese university"),
        pytest.param(["Ludwig van Beethoven"], 1808, "van Beethoven, 1808", id="particle"),
        pytest.param(["Martin Luther King, Jr."], 1963, "King, 1963", id="junior"),
        pytest.param(["A[1]; B"], 2000, "A(1), B, 2000", id="no brackets of our own"),
        pytest.param([], 2000, "A Title", id="no authors"),
        pytest.param(["", " \x07"], None, "A Title", id="empty authors, no year"),
    ],
)
def test_key(authors: list[str], year: int | None, expected: str) -> None:
    assert keys(document("a", "A Title", authors, year)) == {"a": expected}


def test_works_that_would_share_a_key_get_letters_by_title() -> None:
    works = [
        document("1", "Zebras", ["Ortiz, A."], 2024),
        document("2", "Apes", ["Ortiz, B."], 2024),
        document("3", "Apes", ["Ortiz, A."], 2023),
    ]
    expected = {"1": "Ortiz, 2024b", "2": "Ortiz, 2024a", "3": "Ortiz, 2023"}
    assert keys(*works) == expected
    assert keys(*reversed(works)) == expected


def test_works_without_year_get_letters_too() -> None:
    assert keys(document("1", "B", ["Ortiz, A."]), document("2", "A", ["Ortiz, A."])) == {
        "1": "Ortiz, n.d.-b",
        "2": "Ortiz, n.d.-a",
    }


def test_the_27th_work_of_a_year_gets_two_letters() -> None:
    works = [document(f"{number:02}", "Same", ["Ortiz, A."], 2024) for number in range(28)]
    assert [keys(*works)[id] for id in ("00", "25", "26", "27")] == [
        "Ortiz, 2024a",
        "Ortiz, 2024z",
        "Ortiz, 2024aa",
        "Ortiz, 2024ab",
    ]


def test_titles_are_told_apart_by_year_and_else_by_number() -> None:
    assert keys(document("1", "Annual Report", year=2020), document("2", "annual report", year=2021)) == {
        "1": "Annual Report, 2020",
        "2": "Annual Report, 2021",
    }
    assert keys(document("1", "Annual Report"), document("2", "Annual Report")) == {
        "1": "Annual Report",
        "2": "Annual Report (2)",
    }


def test_ids_of_two_collections_are_two_works() -> None:
    works = [document("1", "Apes", ["Ortiz, A."], 2024, "one"), document("1", "Apes", ["Ortiz, A."], 2024, "two")]
    assert assign(works) == {("one", "1"): "Ortiz, 2024a", ("two", "1"): "Ortiz, 2024b"}


def test_a_work_that_is_given_twice_keeps_one_plain_key() -> None:
    work = document("1", "Apes", ["Ortiz, A."], 2024)
    assert keys(work, work) == {"1": "Ortiz, 2024"}


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param(
            "One two " * 20, "One two One two One two One two One two One two One two One…", id="at a word border"
        ),
        pytest.param("x" * 100, "x" * 60 + "…", id="one long word"),
        pytest.param("大" * 60, "大" * 24 + "…", id="Chinese"),
        pytest.param("A [draft]; B\n\tC\x1b[0m", "A (draft), B C(0m", id="no brackets, no control characters"),
        pytest.param("", "a", id="no title: the id"),
    ],
)
def test_titles_as_keys(title: str, expected: str) -> None:
    assert keys(document("a", title)) == {"a": expected}


DOCUMENTS = st.builds(
    document,
    st.text(max_size=3),
    st.sampled_from(["", "A", "a", "A (2)", "Ortiz, 2024a", "x [y]; z"]) | st.text(max_size=90),
    st.lists(st.sampled_from(["Ortiz, A.", "王小明", "Ortiz", ""]) | st.text(max_size=10), max_size=3),
    st.none() | st.integers(2020, 2022),
    st.sampled_from("ab"),
)


@settings(deadline=None)
@given(st.lists(DOCUMENTS, max_size=12, unique_by=lambda work: (work.collection, work.id)))
def test_keys_are_unique_printable_and_do_not_depend_on_the_order(works: list[Document]) -> None:
    found = assign(works)
    assert len({key.casefold() for key in found.values()}) == len(works)
    assert not any(set(key) & set("[];\n\r") or not key.strip() for key in found.values())
    assert assign(list(reversed(works))) == found
