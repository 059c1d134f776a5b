"""What Markdown and plain text say of themselves below their titles, and what only looks so."""

from pathlib import Path

import pytest

from scholarmind.adapters.readers.text_files import MarkdownReader, PlainReader
from scholarmind.model import Document, Reading

LIMIT = 1_000_000
BODY = "The sea is salt because rivers carry salt into it. Rain takes none of it away."


def reading(folder: Path, text: str, name: str = "note.md") -> Reading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    reader = MarkdownReader(LIMIT) if path.suffix == ".md" else PlainReader(LIMIT)
    (found,) = (item for item in reader.read(path) if isinstance(item, Reading))
    return found


def below(folder: Path, lines: str, title: str = "Why the sea is salt") -> Document:
    return reading(folder, f"# {title}\n\n{lines}\n\n{BODY}\n").document


ITO = ("Anna Ito", "Ben Cole")


@pytest.mark.parametrize(
    ("lines", "authors", "year"),
    [
        ("Anna Ito, Ben Cole (2021)", ITO, 2021),
        ("*Anna Ito and Ben Cole*", ITO, None),
        ("**Authors:** Anna Ito, Ben Cole\n**Date:** 2021-03-04", ITO, 2021),
        ("Authors: Anna Ito; Ben Cole", ITO, None),
        ("by Anna Ito & Ben Cole, 4 March 2021", ITO, 2021),
        ("**Anna Ito**¹, **Ben Cole**²\n\n¹ University of Leeds, ² Institute of Physics, Kyoto\n\nanna@sea.example", ITO, None),
        ("Anna Ito,^†^ Ben Cole*^‡^\n\nPosted: 7 July 2018\n\nDepartment of Chemistry, University of Leeds", ITO, None),
        ("> Anna Ito · Ben Cole · 2021", ITO, 2021),
        ("Anna Ito, Ben Cole\n\nReceived 3 February 2018; accepted 21 June 2019", ITO, 2019),
        ("Anna Ito, Ben Cole\n\nPublished online 9 September 2019", ITO, 2019),
        ("Anna Ito and Ben Cole\n\n*The Journal of Salt*, vol. 31 (2009), pp. 45–71", ITO, 2009),
        ("Anna Ito, Ben Cole\n\nSalt Reports 2020; 7: 112–121", ITO, 2020),
        ("By Anna Ito and Ben Cole\n\nWorking Paper 17-04, March 2017", ITO, 2017),
        ("陈立，赵敏\n\n收稿日期：2017-05-12", ("陈立", "赵敏"), 2017),
        ("von Greta Sommer, 2014", ("Greta Sommer",), 2014),
        ("作者：陈立、赵敏\n日期：2018年5月", ("陈立", "赵敏"), 2018),
        ("张伟 李娜\n（清华大学，北京）", ("张伟", "李娜"), None),
        ("[Anna Ito](https://ito.example), [Ben Cole](https://cole.example)\n\nMay 2022", ITO, 2022),
    ],
)  # fmt: skip
def test_authors_and_year_below_the_title(
    tmp_path: Path, lines: str, authors: tuple[str, ...], year: int | None
) -> None:
    found = reading(tmp_path, f"# Why the sea is salt\n\n{lines}\n\n{BODY}\n")
    assert (found.document.authors, found.document.year) == (authors, year if "Posted" not in lines else 2018)
    (front,) = (region for region in found.regions if region.kind == "front")
    assert found.text[front.end :].strip().endswith(BODY)
    assert front.start == found.text.index(lines)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Walks near the town", "Rose Hill, Green Park"),
        ("Participants", "Anna Ito, Ben Cole"),
        ("Where we went", "New York, Los Angeles, San Diego"),
        ("Machine learning", "Gradient Descent"),
        ("A poem", "Green Hills\nFar Away\nand the river runs"),
        ("On bread", "Wheat Rye Barley"),
        ("Notes", "Anna Ito, Ben Cole and Chen met at ten to talk about the budget."),
        ("Bees", "- Anna Ito\n- Ben Cole"),
        ("Bees", "Authors: see the last page"),
        ("Bees", "1987"),
    ],
)
def test_what_is_not_sure_is_not_said(tmp_path: Path, title: str, lines: str) -> None:
    found = reading(tmp_path, f"# {title}\n\n{lines}\n\n{BODY}\n")
    assert (found.document.authors, found.document.year, found.regions) == ((), None, ())


def test_front_matter_outweighs_what_stands_below_the_title(tmp_path: Path) -> None:
    text = f"---\nauthor: Mina Sato, Leo Grant\ndoi: 10.1000/xyz\ntags: [a, b]\n---\n# Salt\n\nBy Anna Ito, 2021\n\n{BODY}\n"
    found = reading(tmp_path, text).document
    assert (found.authors, found.year) == (("Mina Sato", "Leo Grant"), 2021)
    assert found.metadata == {"doi": "10.1000/xyz", "tags": ("a", "b")}


def test_one_person_with_the_family_first_stays_one(tmp_path: Path) -> None:
    assert reading(tmp_path, f"---\nauthor: Ito, Anna\n---\n{BODY}").document.authors == ("Ito, Anna",)


def test_fields_with_their_names(tmp_path: Path) -> None:
    lines = (
        "Author: Anna Ito\nJournal: Annals of the Sea, 2019\nDOI: https://doi.org/10.1000/xyz\nKeywords: salt, rivers"
    )
    found = below(tmp_path, lines)
    assert (found.source, found.year) == ("Annals of the Sea, 2019", 2019)
    assert found.metadata == {"doi": "10.1000/xyz", "tags": ("salt", "rivers")}


@pytest.mark.parametrize(
    ("text", "title", "authors"),
    [
        (f"Why the sea is salt\n\nby Anna Ito\n\n{BODY}", "Why the sea is salt", ("Anna Ito",)),
        (f"Why the sea is salt\nAnna Ito and Ben Cole\nMay 2021\n\n{BODY}", "Why the sea is salt", ITO),
        (f"Why the sea is salt\n===================\n{BODY}", "Why the sea is salt", ()),
        (f"====\nSalt\n====\n\n:Author: Anna Ito\n\n{BODY}", "Salt", ("Anna Ito",)),
        (f"盐从哪里来\n文／王芳\n\n{BODY}", "盐从哪里来", ("王芳",)),
        (f"{BODY}\n\nAnna Ito", "salt", ()),
        ("salt\n~~~\ncode", "salt", ()),
        ("- a list\n\n- of two", "salt", ()),
        ("Only a title\n", "salt", ()),
    ],
)
def test_a_plain_text_may_begin_with_its_title(tmp_path: Path, text: str, title: str, authors: tuple[str, ...]) -> None:
    found = reading(tmp_path, text, "salt.txt").document
    assert (found.title, found.authors) == (title, authors)


# -- papers that text recognition made into Markdown

RECOGNISED = """# DOI:10.5846/stxb201512272581

赵红梅,陈晓玲,徐冰.年内水热条件变化对冬候鸟分布的影响.生态学报,2017,37（8)：2828-2837.

# 年内水热条件变化对冬候鸟分布的影响

赵红梅1，\\*，陈晓玲²，徐 冰3,4

1江西师范大学湿地与流域研究实验室，南昌330022

摘要：气温是影响冬候鸟分布的因素。
"""


def test_an_identifier_is_no_title_and_how_a_paper_is_to_be_cited_says_when_it_came_out(tmp_path: Path) -> None:
    found = reading(tmp_path, RECOGNISED).document
    assert found.title == "年内水热条件变化对冬候鸟分布的影响"
    assert (found.authors, found.year) == (("赵红梅", "陈晓玲", "徐冰"), 2017)


def test_the_heading_of_an_abstract_is_no_title(tmp_path: Path) -> None:
    assert (
        reading(tmp_path, f"Code and data.\n\n## Abstract\n\n{BODY}\n", "bird-trends.md").document.title
        == "bird-trends"
    )


def test_the_number_of_a_preprint_dates_it_doubtfully(tmp_path: Path) -> None:
    found = reading(tmp_path, f"# 湖区湿地小气候特征\n\n{BODY}\n", "ChinaXiv-201909.00116V1.md")
    assert [(fact.value, fact.sure < 0.5) for fact in found.facts if fact.field == "year"] == [(2019, True)]


def test_names_below_a_title_are_found_behind_a_picture(tmp_path: Path) -> None:
    text = f'<img src="logo.jpg"\n width="200"/>\n\n# Yearly Surveys of Birds\n\nAnna Ito, Dr. Ben Cole\n\nUniversity of Leeds\n\n{BODY}\n'
    assert reading(tmp_path, text).document.authors == ITO


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("面积 $5 8 7 . 3$ 平方千米", "面积 587.3 平方千米"),
        (r"占 $7 0 \% - 7 8 \%$ ;", "占 70% - 78% ;"),
        (r"每 $5 \mathrm { k m }$ 一个", "每 5 km 一个"),
        (r"$8 9 . 1 \pm 0 . 2$ and $0 . 3 0 ^ { \circ } \mathrm { C }$", "89.1 ± 0.2 and 0.30°C"),
        (r"$- 0 . 5 ^ { a }$", "$- 0.5 ^ { a }$"),
        ("$x_2 = 3$", "$x_2 = 3$"),
        ("from $5 to $10, $1 000 and $2 000", "from $5 to $10, $1 000 and $2 000"),
    ],
)
def test_numbers_that_text_recognition_took_apart_are_whole(tmp_path: Path, written: str, read: str) -> None:
    assert reading(tmp_path, f"# Lakes\n\n{written}\n").text == f"# Lakes\n\n{read}\n"
