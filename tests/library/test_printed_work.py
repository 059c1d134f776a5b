"""Where works came out, as their references print it: sixty works in ten styles, and items that are no papers."""

import re

import pytest
from cited import STYLES, WORKS

from scholarmind.citing.reference_export import export_references
from scholarmind.library.references import parse
from scholarmind.library.references.printed_work import work_of_reference


def entry(text: str) -> tuple[str, dict[str, str]]:
    """Return the BibTeX of the only work of a list: its type, and its fields but for author, title and year."""
    (reference,) = parse(text, 0, len(text))
    written = export_references([(work_of_reference(reference), reference.text)])
    fields = dict(re.findall(r"  (\w+) = \{(.*)\},\n", written))
    return written.partition("{")[0], {name: fields[name] for name in fields if name not in {"author", "title", "year"}}


@pytest.mark.parametrize("style", STYLES)
def test_sixty_works_in_every_style(style: str) -> None:
    forms = {"J": "journal", "C": "conference", "A": "preprint"}
    text = "\n".join(STYLES[style](work, number) for number, work in enumerate(WORKS, 1))
    for reference, work in zip(parse(text, 0, len(text)), WORKS, strict=True):
        found = work_of_reference(reference)
        printed = found.form, found.venue, found.volume, found.pages.replace("–", "-")
        volume = work.volume if work.kind == "J" else ""
        venue = "" if work.kind == "A" else work.venue
        assert printed == (forms[work.kind], venue, volume, work.pages)


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        (
            "Oikos, 107(3), 471-478.",
            ("@article", {"journal": "Oikos", "volume": "107", "number": "3", "pages": "471--478"}),
        ),
        (
            "Proc. Natl. Acad. Sci. USA 108, 19288.",
            ("@article", {"journal": "Proc. Natl. Acad. Sci. USA", "volume": "108", "pages": "19288"}),
        ),
        (
            "PLoS ONE, 9, e86544. https://doi.org/10.1371/journal.pone.0086544",
            (
                "@article",
                {"journal": "PLoS ONE", "volume": "9", "pages": "e86544", "doi": "10.1371/journal.pone.0086544"},
            ),
        ),
        (
            "*Nature*, *521*(3), 12–13.",
            ("@article", {"journal": "Nature", "volume": "521", "number": "3", "pages": "12--13"}),
        ),
        ("Johns Hopkins University Press.", ("@book", {"publisher": "Johns Hopkins University Press"})),
        ("Cambridge, MA: MIT Press.", ("@book", {"publisher": "MIT Press", "address": "Cambridge, MA"})),
        (
            "In B. Jones & C. Brown (Eds.), Handbook of Bees (pp. 12-34). Springer.",
            ("@incollection", {"booktitle": "Handbook of Bees", "pages": "12--34"}),
        ),
        ("PhD thesis, University of Oxford.", ("@phdthesis", {"school": "University of Oxford"})),
        ("Retrieved from https://example.org/page.html.", ("@misc", {"url": "https://example.org/page.html"})),
        ("In preparation.", ("@misc", {})),
        ("Submitted to Nature.", ("@misc", {})),
        ("R package version 1.2.3.", ("@misc", {})),
        ("Of workers in spring. Oikos, 107, 471-478.", ("@misc", {})),  # where the title ends is not sure
    ],
)
def test_what_is_printed_behind_a_title(behind: str, expected: tuple[str, dict[str, str]]) -> None:
    assert entry(f"Smith, A. (2010). Bees of many kinds. {behind}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "王敏, 李红. 熊蜂的地理分布. 昆虫知识, 2009, 46(1): 115-120.",
            ("@article", {"journal": "昆虫知识", "volume": "46", "number": "1", "pages": "115--120"}),
        ),
        (
            "王敏，李红（2010）。熊蜂的地理分布。昆虫学报，49（2），342-348。",
            ("@article", {"journal": "昆虫学报", "volume": "49", "number": "2", "pages": "342--348"}),
        ),
        (
            "王敏. 熊蜂的地理分布[M]. 北京: 科学出版社, 2010: 12-15.",
            ("@book", {"publisher": "科学出版社", "address": "北京"}),
        ),
        (
            "王敏. 熊蜂的地理分布[D]. 北京: 中国农业大学, 2010.",
            ("@phdthesis", {"school": "中国农业大学", "address": "北京"}),
        ),
        (
            "王敏. 熊蜂的地理分布[C]//全国蜜蜂大会论文集. 北京: 科学出版社, 2010: 12-15.",
            ("@inproceedings", {"booktitle": "全国蜜蜂大会论文集", "pages": "12--15"}),
        ),
    ],
)
def test_what_chinese_references_print(text: str, expected: tuple[str, dict[str, str]]) -> None:
    assert entry(text) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("陈思远, 李雯. 北京郊区温室番茄熊蜂授粉的效果. 中国蔬菜学报, 2021, 34(3): 45-52.", "陈2021北京郊区温室"),
        ("Иванов, И. (1999). Выдра зимой. Наука, 12, 3-9.", "иванов1999выдра"),
        ("Smith, A. (2010). Bees of 北京. Oikos, 1, 2-3.", "smith2010bees"),
    ],
)
def test_keys_can_be_read(text: str, key: str) -> None:
    (reference,) = parse(text, 0, len(text))
    assert f"{{{key},\n" in export_references([(work_of_reference(reference), reference.text)])
