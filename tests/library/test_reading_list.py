"""The works to read next: over LaTeX sources with real lists of references, as people use it."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from scholarmind import Library
from scholarmind.citing.reference_export import export_references
from scholarmind.cli.main import group
from scholarmind.library.reading_list import ReadingList, reading_list
from scholarmind.library.references.printed_work import work_of_reference
from scholarmind.model import Reference
from scholarmind.record import answer_record

REVIEW = r"""\documentclass{article}\title{Attention over Long Documents}\author{Ada Quux}\date{2022}
\begin{document}\maketitle
\section{Introduction}
Transformers \cite{vaswani} are trained with Adam \cite{kingma}.
\section{Cost}
Self-attention costs time that grows with the square of the length of the sequence. Linformer makes that cost linear \cite{lin}.

Longformer looks at a sliding window \cite{long}. Zebra-Net was proposed for stripes in earlier work \cite{zebra}.
\begin{thebibliography}{9}
\bibitem{vaswani} A. Vaswani, N. Shazeer, and N. Parmar. Attention is all you need. In \emph{NeurIPS}, 2017.
\bibitem{kingma} D. P. Kingma and J. Ba. Adam: A method for stochastic optimization. In \emph{ICLR}, 2015.
\bibitem{lin} S. Wang, B. Li, and M. Khabsa. Linformer: Self-attention with linear complexity. arXiv:2006.04768, 2020.
\bibitem{long} I. Beltagy, M. E. Peters, and A. Cohan. Longformer: The long-document transformer. arXiv:2004.05150, 2020.
\bibitem{zebra} B. Lim. Stripes of all widths in one network. In \emph{ICLR}, 2021.
\end{thebibliography}\end{document}
"""
QUESTION = "With what does the time that self-attention costs grow?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the review, of one work that it cites, and of a note without references."""
    folder = tmp_path_factory.mktemp("reading")
    (folder / "review.tex").write_text(REVIEW)
    (folder / "vaswani.md").write_text(
        "---\ntitle: Attention is all you need\nyear: 2017\n---\nNo recurrence is needed. Many heads share all parameters.\n"
    )
    (folder / "soup.md").write_text("---\ntitle: Soup\nyear: 2020\n---\nCooking soup takes an hour in winter.\n")
    with Library.open(folder / "library", embedder="none") as opened:
        opened.add([folder / "review.tex", folder / "vaswani.md", folder / "soup.md"])
    return folder / "library"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with Library.open(folder, embedder="none") as opened:
        yield opened


def names(found: ReadingList) -> list[tuple[str, str]]:
    return [(work.reference.title.partition(":")[0], work.nearness) for work in found.missing]


def test_the_nearest_to_the_words_that_answer_come_first(library: Library) -> None:
    found = library.reading_list(QUESTION)
    assert names(found)[0] == ("Linformer", "quoted")
    assert sorted(names(found)[1:3]) == [("Longformer", "section"), ("Stripes of all widths in one network", "section")]
    assert names(found)[-1] == ("Adam", "elsewhere")
    first = found.missing[0]
    assert (first.works, first.reference.arxiv) == (1, "2006.04768")
    assert first.citing[0].sentence == "Linformer makes that cost linear [3]."
    assert first.citing[0].section == ("Cost",)
    assert [work.reference.title for work in found.unused] == ["Attention is all you need"]


def test_a_sentence_that_speaks_of_an_open_row_counts_like_quoted_words(library: Library) -> None:
    record = answer_record(library.ask(QUESTION))
    row = {**record["parts"][0], "id": "2", "text": "Who proposed Zebra-Net?", "status": "not in the library"}
    found = asyncio.run(reading_list(library.store, {**record, "parts": [*record["parts"], row]}))
    assert found.open_rows == ("Who proposed Zebra-Net?",)
    assert sorted(names(found)[:2]) == [("Linformer", "quoted"), ("Stripes of all widths in one network", "open row")]
    (spoken,) = (work for work in found.missing if work.nearness == "open row")
    assert [citing.rows for citing in spoken.citing] == [found.open_rows]


@pytest.mark.parametrize(
    ("title", "authors", "year", "is_there"),
    [
        ("Stripes of all widths in one netwrk", "Boris Lim", 2021, True),  # a misprint
        ("Stripes of all widths in one network: A survey", "Boris Lim", 2020, True),
        ("of all widths in one network. In ICLR", "Boris Lim", 2021, True),  # cut elsewhere than in the reference
        ("Stripes of all widths in one netwrk", "Ada Quux", 2021, False),
        ("Stripes of all widths in one netwrk", "Boris Lim", 2011, False),
        ("Stripes of no widths in one network", "Boris Lim", 2021, False),
    ],
)
def test_what_the_library_has_is_not_missing_though_its_title_is_printed_otherwise(
    tmp_path: Path, title: str, authors: str, year: int, is_there: bool
) -> None:
    (tmp_path / "review.tex").write_text(REVIEW)
    (tmp_path / "zebra.md").write_text(
        f"---\ntitle: '{title}'\nauthor: {authors}\nyear: {year}\n---\nStripes are laid over images, one by one.\n"
    )
    with Library.open(tmp_path / "library", embedder="none") as library:
        library.add(tmp_path / "review.tex")
        library.add(tmp_path / "zebra.md", collection="other")
        found = library.reading_list(QUESTION)
    assert ("Stripes of all widths in one network" not in [name for name, _ in names(found)]) == is_there
    assert [work.collection for work in found.unused] == ["other"] * is_there


def test_documents_without_references_say_so(library: Library) -> None:
    found = library.reading_list("How long does cooking soup take in winter?")
    assert (found.missing, found.answering, found.without) == ((), (), ("Soup",))


def test_from_the_command_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        result = CliRunner().invoke(group, ["next", *map(str, arguments), "--library", str(folder)])
        return result.exit_code, result.stdout, result.stderr

    code, text, _ = run(QUESTION, "--limit", "1")
    assert code == 0
    assert text.startswith(
        "1. Linformer: Self-attention with linear complexity · S. Wang, B. Li, M. Khabsa · 2020 · arXiv:2006.04768"
    )
    assert "cited beside what answers, by 1 of 1" in text
    assert "“Linformer makes that cost linear [3].” [Quux, 2022, Cost]" in text
    assert run(QUESTION, "--limit", "2", "-o", tmp_path / "list.bib")[2].startswith("2 works written to ")
    assert (tmp_path / "list.bib").read_text().startswith("@misc{wang2020linformer,\n  author = {Wang, S. and Li, B.")
    assert json.loads(run(QUESTION, "--json")[1])["missing"][0]["citing"][0]["nearness"] == "quoted"
    assert "has a list of references that could be read: Soup" in run("How long does cooking soup take in winter?")[1]
    assert run("--run", "nope")[0] == 1
    assert run()[0] == 2


def test_bibtex_says_what_is_printed_and_no_more() -> None:
    known = Reference(text="x", start=0, end=1, authors=("Gu, Albert",), year=2023, title="Mamba", arxiv="2312.00752")
    unread = Reference(text="[7] Personal communication, {2019}", start=0, end=1)
    text = export_references([(work_of_reference(each), each.text) for each in (known, known, unread)])
    assert text.count("@misc{") == 3
    assert "@misc{gu2023mamba-2,\n" in text
    last = text.rpartition("@misc{")[2]
    assert "title" not in last
    assert r"note = {[7] Personal communication, \textbraceleft{}2019\textbraceright{}}" in last


WETLAND = """# 城市湿地的水质净化

王海燕，李国强

## 引言

湿地能够净化水质[1]。张伟等（2012）发现芦苇对氮的去除率最高。

## 参考文献

[1]陈宜瑜，吕宪国．湿地功能与湿地科学的研究方向［J］．湿地科学，2003，1（1）：7－11．
[2]张伟，刘洋，赵敏，等．芦苇湿地脱氮效果研究［J］．环境科学学报，2012，32（5）：1021－1028．
"""
BRIDGE = """# 石拱桥的病害

方志远，吴晓东

## 引言

茅氏（1962）统计了全国的石拱桥。

## 参考文献

[1] 茅以昌. 中国的石拱桥[M]. 北京: 工程出版社, 1962.
"""


def test_works_of_chinese_lists_are_named_with_who_cites_them_for_what(tmp_path: Path) -> None:
    (tmp_path / "wetland.md").write_text(WETLAND)
    (tmp_path / "bridge.md").write_text(BRIDGE)
    with Library.open(tmp_path / "library", embedder="none") as library:
        library.add([tmp_path / "wetland.md", tmp_path / "bridge.md"])
        of_reed = library.reading_list("芦苇对氮的去除率如何？")
        of_bridges = library.reading_list("茅氏统计了全国的什么？")
    told, other = (
        {work.reference.title: work.citing[0].sentence for work in found.missing} for found in (of_reed, of_bridges)
    )
    assert told["芦苇湿地脱氮效果研究"] == "张伟等（2012）发现芦苇对氮的去除率最高。"
    assert other["中国的石拱桥"] == "茅氏（1962）统计了全国的石拱桥。"
    assert "中国的石拱桥" not in told  # it is cited by what does not answer, for something else
