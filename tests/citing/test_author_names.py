"""Authors as files write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.citing.citation_styles import people, person


@pytest.mark.parametrize(
    ("author", "family", "given_names"),
    [
        pytest.param("Jacob Devlin", "Devlin", "Jacob", id="given first"),
        pytest.param("Devlin, Jacob", "Devlin", "Jacob", id="family first"),
        pytest.param("van der Berg, Jan", "van der Berg", "Jan", id="particles in front"),
        pytest.param("Berg, Jan van der", "van der Berg", "Jan", id="particles behind"),
        pytest.param("Ludwig van Beethoven", "van Beethoven", "Ludwig", id="particle between"),
        pytest.param("Diego de las Casas", "de las Casas", "Diego", id="two particles"),
        pytest.param("Luc Van Gaal", "Van Gaal", "Luc", id="particle in capitals"),
        pytest.param("Quoc V. Le", "Le", "Quoc V.", id="family name that looks like a particle"),
        pytest.param("王小明", "王", "小明", id="Chinese"),
        pytest.param("王, 小明", "王", "小明", id="Chinese with a comma"),
        pytest.param("欧阳修", "欧阳", "修", id="double family name"),
        pytest.param("孙宇（Yu Sun）", "孙", "宇", id="Chinese with Latin beside"),
        pytest.param("约翰·史密斯", "史密斯", "约翰·", id="foreign name in Chinese"),
        pytest.param("Xiaoming Wang", "Wang", "Xiaoming", id="Chinese in Latin letters"),
        pytest.param("Wen-tau Yih", "Yih", "Wen-tau", id="hyphen"),
        pytest.param("DeepSeek-AI", "DeepSeek-AI", "", id="company"),
        pytest.param("{OpenAI}", "OpenAI", "", id="braces"),
        pytest.param("{Barnes and Noble, Inc.}", "Barnes and Noble, Inc.", "", id="braces keep a comma"),
        pytest.param("World Health Organization", "World Health Organization", "", id="organisation"),
        pytest.param("Meta AI", "Meta AI", "", id="company of two words"),
        pytest.param("Acme, Inc.", "Acme, Inc.", "", id="company with a comma"),
        pytest.param("清华大学", "清华大学", "", id="Chinese university"),
        pytest.param("百度", "百度", "", id="Chinese company"),
        pytest.param("Plato", "Plato", "", id="one name"),
        pytest.param("Devlin J", "Devlin", "J", id="initial behind"),
        pytest.param("Y. X. Wei", "Wei", "Y. X.", id="initials in front"),
        pytest.param("Łukasz Kaiser", "Kaiser", "Łukasz", id="accents"),
    ],
)
def test_a_name_is_taken_apart(author: str, family: str, given_names: str) -> None:
    assert (person(author).family, person(author).given) == (family, given_names)


@pytest.mark.parametrize(
    "author",
    ["Martin Luther King, Jr.", "King, Jr., Martin Luther", "King, Martin Luther, Jr.", "Martin Luther King Jr."],
)
def test_junior_is_no_family_name(author: str) -> None:
    found = person(author)
    assert (found.family, found.given, found.suffix) == ("King", "Martin Luther", "Jr.")


@pytest.mark.parametrize(
    ("given_names", "dotted", "bare"),
    [("Ming-Wei", "M.-W.", "M W"), ("Quoc V.", "Q. V.", "Q V"), ("J.K.", "J. K.", "J K")],
)
def test_initials(given_names: str, dotted: str, bare: str) -> None:
    found = person(f"Chang, {given_names}")
    assert (found.initials("."), found.initials("")) == (dotted, bare)


@pytest.mark.parametrize("others", ["others", "et al.", "等"])
def test_others_are_no_person(others: str) -> None:
    named, more = people(["Devlin, Jacob", others, " "])
    assert ([found.family for found in named], more) == (["Devlin"], True)


@given(st.text(max_size=80) | st.text("王欧阳修 ,·.-{}JrvanA", max_size=40))
def test_any_name_has_a_family_name_or_is_empty(author: str) -> None:
    named, _ = people([author])
    assert all(found.full for found in named)
    assert all(found.family for found in named)
