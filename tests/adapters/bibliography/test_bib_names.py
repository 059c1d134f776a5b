"""Names as bibliographies have them, up to the persons that the lists of sources show."""

import pytest

from scholarmind.adapters.readers.bibliography.bibliography_record import authors_of, body, joined, tidy
from scholarmind.citing.citation_styles import Person, people


def shown(authors: tuple[str, ...]) -> list[str]:
    """Return the persons as `family|given|suffix`; a body in brackets, names without a space after a star."""
    named, others = people(authors)
    return [*map(_person, named), *(["others"] if others else [])]


def _person(person: Person) -> str:
    text = "|".join((person.family, person.given, person.suffix)).rstrip("|")
    return f"{'*' if person.native else ''}{f'[{text}]' if person.body else text}"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("Devlin, Jacob and Chang, Ming-Wei", ["Devlin|Jacob", "Chang|Ming-Wei"], id="two"),
        pytest.param("Jacob Devlin\n   and\tMing-Wei Chang", ["Devlin|Jacob", "Chang|Ming-Wei"], id="over lines"),
        pytest.param("Devlin, J. AND Chang, M.", ["Devlin|J.", "Chang|M."], id="AND"),
        pytest.param("Ferdinand, A. and Anders Andersen", ["Ferdinand|A.", "Andersen|Anders"], id="and within names"),
        pytest.param(
            "Ludwig van Beethoven and Jan van der Berg", ["van Beethoven|Ludwig", "van der Berg|Jan"], id="von"
        ),
        pytest.param("van der Berg, Jan", ["van der Berg|Jan"], id="von with comma"),
        pytest.param("Berg, Jan van der", ["van der Berg|Jan"], id="von behind"),
        pytest.param(r"de la Vall{\'e}e Poussin, Charles", ["de la Vallée Poussin|Charles"], id="de la"),
        pytest.param("Guido Van Rossum", ["Van Rossum|Guido"], id="big particle"),
        pytest.param("van Gogh", ["[van Gogh]"], id="particle first"),
        pytest.param("Oscar {de la Renta}", ["de la Renta|Oscar"], id="family in braces"),
        pytest.param("{Barack Hussein} Obama", ["Obama|Barack Hussein"], id="given in braces"),
        pytest.param(r"Jos{\'e} Ortega y Gasset", ["Ortega y Gasset|José"], id="y"),
        pytest.param("King, Jr., Martin Luther", ["King|Martin Luther|Jr."], id="junior"),
        pytest.param("Martin Luther King Jr.", ["King|Martin Luther|Jr."], id="junior behind"),
        pytest.param("Ford, III, Henry", ["Ford|Henry|III"], id="third"),
        pytest.param("bell hooks", ["hooks|bell"], id="small letters"),
        pytest.param("al-Khwarizmi, Muhammad", ["al-Khwarizmi|Muhammad"], id="al-"),
        pytest.param(r"Paul Erd{\H o}s", ["Erdős|Paul"], id="space within an accent"),
        pytest.param(r"{\'E}tienne Br{\^u}l{\'e}", ["Brûlé|Étienne"], id="accent first"),
        pytest.param(r"Kaiser, {\L}ukasz", ["Kaiser|Łukasz"], id="braces around a letter"),
        pytest.param("Knuth~, Donald~E.", ["Knuth|Donald E."], id="ties"),
        pytest.param("family=Müller, given=Hans, prefix=von", ["von Müller|Hans"], id="BibLaTeX parts"),
        pytest.param("Plato", ["[Plato]"], id="one name"),
        pytest.param("", [], id="nothing"),
        pytest.param("and and and", [], id="only ands"),
        pytest.param("A. Alpha and and B. Beta and", ["Alpha|A.", "Beta|B."], id="empty names"),
        pytest.param("Doe, Jane, and Roe, Richard,", ["Doe|Jane", "Roe|Richard"], id="commas too many"),
    ],
)
def test_people(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("{OpenAI} and Smith, J.", ["[OpenAI]", "Smith|J."], id="company"),
        pytest.param(
            "{Barnes and Noble, Inc.} and Foo, B.", ["[Barnes and Noble, Inc.]", "Foo|B."], id="and in braces"
        ),
        pytest.param("{{The ATLAS Collaboration}}", ["[The ATLAS Collaboration]"], id="double braces"),
        pytest.param(r"{AT{\&}T Labs}", ["[AT&T Labs]"], id="sign"),
        pytest.param(r"{\'Ecole Normale Sup\'erieure}", ["[École Normale Supérieure]"], id="accent at its begin"),
        pytest.param("World Health Organization", ["[World Health Organization]"], id="without braces"),
        pytest.param("Google, Inc.", ["[Google, Inc.]"], id="Inc."),
        pytest.param("{清华大学} and {阿里巴巴达摩院}", ["*[清华大学]", "*[阿里巴巴达摩院]"], id="Chinese"),
    ],
)
def test_bodies_stay_whole(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("王小明 and 李四", ["*王|小明", "*李|四"], id="whole"),
        pytest.param("王, 小明 and 欧阳, 修", ["*王|小明", "*欧阳|修"], id="comma"),
        pytest.param("王，小明", ["*王|小明"], id="wide comma"),
        pytest.param("王 小明 and 小明 王", ["*王|小明", "*王|小明"], id="space, in both orders"),
        pytest.param("{王小明}", ["*王|小明"], id="braces"),
        pytest.param("张三，李四，王五", ["*张|三", "*李|四", "*王|五"], id="list with wide commas"),
        pytest.param("张三丰，李四", ["*张|三丰", "*李|四"], id="two with a wide comma"),
        pytest.param("张三、李四", ["*张|三", "*李|四"], id="list with its own comma"),
        pytest.param("张三;李四；王五", ["*张|三", "*李|四", "*王|五"], id="semicolons"),
        pytest.param("王小明 and 李四等", ["*王|小明", "*李|四", "others"], id="and others, in Chinese"),
        pytest.param("山田, 太郎 and 山田，花子", ["*山田|太郎", "*山田|花子"], id="Japanese"),
        pytest.param("김철수 and 김, 영희", ["*김|철수", "*김|영희"], id="Korean"),
        pytest.param("约翰·史密斯", ["史密斯|约翰·"], id="foreigner in Chinese"),
    ],
)
def test_names_without_spaces(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("Иванов, Иван and Анна Петрова", ["Иванов|Иван", "Петрова|Анна"]),
        ("Παπαδόπουλος, Γιώργος", ["Παπαδόπουλος|Γιώργος"]),
        ("نجيب محفوظ", ["محفوظ|نجيب"]),
        ("כהן, דוד", ["כהן|דוד"]),
        ("शर्मा, राम", ["शर्मा|राम"]),
        ("Nguyễn, Văn A", ["Nguyễn|Văn A"]),
        ("สมชาย ใจดี", ["ใจดี|สมชาย"]),
    ],
)
def test_every_script(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


@pytest.mark.parametrize(
    "field",
    [
        "Smith, J. and others",
        "Smith, J. et al.",
        "Smith, J. and et al.",
        "Smith, J. and et al",
        "Smith, J., et~al.",
        "Smith, J. and {et al.}",
        "Smith, J. ; et al",
    ],
)
def test_and_others(field: str) -> None:
    assert shown(authors_of(field)) == ["Smith|J.", "others"]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("Smith, J.; Doe, A.", ["Smith|J.", "Doe|A."]),
        ("Smith, J., Doe, A. B., Roe, R.-K.", ["Smith|J.", "Doe|A. B.", "Roe|R.-K."]),
        ("John Smith, Jane Doe, Richard Roe", ["Smith|John", "Doe|Jane", "Roe|Richard"]),
        (r"Smith, J. \& Doe, A.", ["Smith|J.", "Doe|A."]),
        ("Smith, J., Doe, A. & Roe, R.", ["Smith|J.", "Doe|A.", "Roe|R."]),
    ],
)
def test_lists_that_are_not_bibtex(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("SMITH, JOHN", ["Smith|John"]),
        ("O'BRIEN, K. and MCDONALD, ANNE-MARIE", ["O'Brien|K.", "McDonald|Anne-Marie"]),
        ("VAN DER BERG, JOHAN", ["van der Berg|Johan"]),
        ("WANG, Xiaoming", ["Wang|Xiaoming"]),
        ("ИВАНОВ, И.", ["Иванов|И."]),
        ("{NASA} and {IBM RESEARCH}", ["[NASA]", "[IBM RESEARCH]"]),
        ("Ng, JK", ["Ng|JK"]),
    ],
)
def test_names_in_capitals(field: str, expected: list[str]) -> None:
    assert shown(authors_of(field)) == expected


def test_thousands_of_authors() -> None:
    names = [f"Name{number}, A." for number in range(6_000)]
    assert authors_of(" and ".join(names[:5_000])) == tuple(names[:5_000])
    assert authors_of(" and ".join(names)) == (*names[:5_000], "others")


@pytest.mark.parametrize(
    "text",
    [" " * 300_000, "a" * 300_000, "{" * 100_000, " and" * 80_000, "a, " * 100_000, "\\{" * 100_000, "et al " * 50_000],
)
def test_a_million_characters_end_soon(text: str) -> None:
    assert len(authors_of(text)) <= 5_001


def test_names_of_other_formats() -> None:
    assert tidy("Smith, John; DOE, JANE ; ") == ("Smith, John", "Doe, Jane")
    assert tidy("Smith, John, et al.") == ("Smith, John", "others")
    assert shown((joined("Berg", "Jan", prefix="van der"), joined("King", "Martin", suffix="Jr."))) == [
        "van der Berg|Jan",
        "King|Martin|Jr.",
    ]
    assert shown((joined("Arc", "Jeanne", prefix="d’"), joined("", "Plato"), body("The  Team"))) == [
        "d’Arc|Jeanne",
        "[Plato]",
        "[The Team]",
    ]
