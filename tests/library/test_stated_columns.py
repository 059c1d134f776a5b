"""What a paper states for the columns of a literature table that have names: each kind in a paper of its own, in both languages."""

from pathlib import Path

import pytest

from scholarmind import Library
from scholarmind.library.tabulating.columns import parse_columns
from scholarmind.tables import TableCell

DEER = """# Red deer give way to hill walkers

Mairi Stenhouse, Olaf Brandvik

## Abstract

Recreation is growing in many uplands. We fitted nineteen adult hinds with GPS collars in Glen Arrow between May
2016 and October 2018. On busy days the animals stayed 34 % further from footpaths than on quiet days. Path closures should be considered.

## 1 Introduction

In Norway, a study of 62 reindeer lasted from 1999 to 2003 (Hagen and Moe 2011). The limitation of earlier studies was their length.

## 2 Materials and methods

Every animal wore a Vectronic Lite collar that took a position each 30 minutes.
We compared used with available steps by step-selection analysis.

## 3 Results

In total 684,210 positions were kept. At night the effect vanished.

## 4 Discussion

As only hinds were followed, we cannot say how stags respond.

## Acknowledgements

Fieldwork was made possible by grant H-1187 of the Leverton Council. I thank all who helped.

## References

Hagen, L. and Moe, K. (2011). Ski tracks and 62 reindeer. Mountain Game 14, 201-215.
"""
SALT = """Salt in hill villages

Anil Thapa, Miriam Gross

ABSTRACT

**Background** Pressure is rising. **Methods** Six villages of the Tamsang valley took part. **Results** 604 adults were
enrolled, of whom 571 completed follow-up. Pressure fell by 4.3 mm Hg. **Conclusions** Salt should be replaced.

1. INTRODUCTION

In Peru, 2,376 participants were followed for three years (Bernabe 2015).

2. METHODS

Mixed models were used.
"""
NURSING = """# 延续护理对患者再入院率的影响

周晓燕，孙丽华

【摘要】目的 探讨影响。方法 选取2019年1月—2020年6月在临江市住院的患者186例，各93例。结果 观察组再入院率为14.0%，低于对照组。结论 可行。

【关键词】护理；再入院

【基金项目】临江市卫生局科研课题（2018-07）

国外一项纳入1 023例患者的研究显示，随访有效[1]。

1 资料与方法

1.1 评价工具 生活质量采用SF-36量表评定。

2 讨论

本研究为单中心研究，远期效果有待观察。

参考文献

[1] SMITH J. Follow-up in 1 023 patients[J]. Cardiac Care, 2014, 9(2): 88-95.
"""
ENGLISH = "sample size; place; method; period; main result; limitation; funding; instrument"
CHINESE = "样本量; 研究地点; 方法; 研究时间; 主要结果; 局限; 资助; 仪器"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, TableCell]]:
    """The cells of each paper, by the key of their column."""
    folder = tmp_path_factory.mktemp("stated")
    for name, text in (("deer.md", DEER), ("salt.txt", SALT), ("nursing.md", NURSING)):
        (folder / name).write_text(text, encoding="utf-8")
    with Library.open(
        folder / "library", create=True, embedder="none", effort="keyless", graph=False, tree=False
    ) as library:
        library.add([folder / "deer.md", folder / "salt.txt", folder / "nursing.md"])
        library.tables.save(ENGLISH, name="t")
        table = library.tables.fill("t")
    keys = [column.key for column in table.table.columns]
    return {
        Path(row.document.origin).stem: {key: cell for key, cell in zip(keys, row.cells, strict=True) if cell}
        for row in table.rows
    }


@pytest.mark.parametrize(
    ("paper", "column", "value"),
    [
        ("deer", "sample size", "nineteen adult hinds"),  # not the 62 of the work that is cited, nor the positions
        ("deer", "place", "Glen Arrow"),
        ("deer", "period", "May 2016 and October 2018"),
        ("deer", "method", "We compared used with available steps by step-selection analysis"),
        ("deer", "limitation", "As only hinds were followed, we cannot say how stags respond"),
        ("deer", "best result", "On busy days the animals stayed 34 % further from footpaths than on quiet days"),
        ("deer", "funding", "grant H-1187 of the Leverton Council"),
        ("salt", "sample size", "604 adults"),
        ("salt", "place", "Tamsang valley"),
        ("salt", "best result", "Pressure fell by 4.3 mm Hg"),
        ("salt", "period", ""),
        ("salt", "limitation", ""),
        ("salt", "funding", ""),
        ("salt", "instrument", ""),
        ("nursing", "sample size", "186例"),
        ("nursing", "place", "临江市"),
        ("nursing", "period", "2019年1月—2020年6月"),
        ("nursing", "best result", "观察组再入院率为14.0%，低于对照组"),
        ("nursing", "limitation", "本研究为单中心研究，远期效果有待观察"),
        ("nursing", "funding", "临江市卫生局科研课题（2018-07）"),
        ("nursing", "instrument", "生活质量采用SF-36量表评定"),
    ],
)
def test_a_cell_is_the_shortest_words_of_the_paper_that_state_it(
    cells: dict[str, dict[str, TableCell]], paper: str, column: str, value: str
) -> None:
    assert cells[paper][column].value == value


def test_numbers_compare_however_they_are_written(cells: dict[str, dict[str, TableCell]]) -> None:
    assert [cells[paper]["sample size"].number for paper in ("deer", "salt", "nursing")] == [19, 604, 186]


@pytest.mark.parametrize(
    ("written", "preset"),
    [
        ("place/region", "place"),
        ("years of the data", "period"),
        ("method used", "method"),
        ("the main findings of the study", "best result"),
        ("Who funded it?", "funding"),
        ("Where was the study carried out?", "place"),
        ("n (number) = How many participants were there?", "sample size"),
        ("由谁资助？", "funding"),
        ("数据年份", "period"),
        ("仪器/材料", "instrument"),
        ("result and limitation", ""),  # two things
        ("How many colonies were tagged?", ""),
        ("Which materials is the bridge made of?", ""),
    ],
)
def test_a_preset_is_known_by_other_names_and_by_what_is_asked(written: str, preset: str) -> None:
    (column,) = parse_columns(written)
    assert (column.key if column.key == preset else "") == preset


def test_both_languages_name_the_same_columns() -> None:
    assert [column.key for column in parse_columns(ENGLISH)] == [column.key for column in parse_columns(CHINESE)]
