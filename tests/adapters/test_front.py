"""What first pages, document properties and names of files say of a paper. Pages are set by hand, as their publishers set them."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.pdf.front import front_facts
from scholarmind.adapters.readers.pdf.page import Cell, TextLine
from scholarmind.model import Fact, Value

BODY = [
    ("Recent work has shown that models which are trained on large amounts of text are useful for many tasks,", 10.0),
    (
        "and that they can be adapted to new ones with few examples. We look into why this is so and when it fails.",
        10.0,
    ),
    ("We find that the depth of a model matters less than the data that it has seen, and we say how much less.", 10.0),
] * 8

Row = tuple[str, float] | tuple[str, float, str]


def page(*rows: Row, body: bool = True) -> list[TextLine]:
    """Set rows of (text, size, style) under each other. b: bold, i: italic, n: new block, s: on its side; `^{1}` is raised, `||` a gap."""
    lines: list[TextLine] = []
    top, block = 40.0, 0
    for text, size, *style in (*rows, *(BODY if body else ())):
        letters = "".join(style)
        plain, raised, cells = _marked(text)
        block += "n" in letters
        gap = size * (2.5 if "n" in letters else 0.25)
        width = 10.0 if "s" in letters else min(540.0, len(plain) * size * 0.5)
        height = 300.0 if "s" in letters else size
        lines.append(
            TextLine(
                text=plain,
                left=40.0,
                top=top + gap,
                right=40.0 + width,
                bottom=top + gap + height,
                size=size,
                bold="b" in letters,
                italic="i" in letters,
                block=block,
                cells=cells,
                raised=raised,
            )
        )
        top += 0.0 if "s" in letters else gap + size
    return lines


def _marked(text: str) -> tuple[str, list[tuple[int, int]], list[Cell]]:
    plain, raised, cells = "", [], []
    for number, column in enumerate(text.split("||")):
        plain += " " if number else ""
        start = len(plain)
        for piece in re.split(r"(\^\{[^}]*\})", column.strip()):
            if piece.startswith("^{"):
                raised.append((len(plain), len(plain) + len(piece) - 3))
                piece = piece[2:-1]  # noqa: PLW2901
            plain += piece
        cells.append(Cell(start=start, end=len(plain), left=40.0 + 200 * number, right=200.0 + 200 * number))
    return plain, raised, cells


def facts(lines: list[TextLine], properties: Mapping[str, str] | None = None, name: str = "x.pdf") -> list[Fact]:
    """Return the facts of a page in a file whose name says nothing."""
    return front_facts(lines, properties or {}, Path("/papers") / name)


def best(found: list[Fact]) -> dict[str, Value | None]:
    """Return the surest value of each field, without what the name `x.pdf` says."""
    values: dict[str, Value | None] = {}
    for fact in found:
        if fact.value != "x":
            values.setdefault(fact.field, fact.value)
    return values


ACL = page(
    ("BERT: Pre-training of Deep Bidirectional Transformers for", 14.3, "b"),
    ("Language Understanding", 14.3, "b"),
    ("Jacob Devlin || Ming-Wei Chang || Kenton Lee || Kristina Toutanova", 12.0, "bn"),
    ("Google AI Language", 12.0),
    ("{jacobdevlin,mingweichang,kentonl,kristout}@google.com", 11.0),
    ("Abstract", 12.0, "bn"),
)
NEURIPS = page(
    ("Attention Is All You Need", 17.2, "b"),
    ("Ashish Vaswani^{∗} || Noam Shazeer^{∗} || Niki Parmar^{∗} || Jakob Uszkoreit^{∗}", 10.0, "bn"),
    ("Google Brain || Google Brain || Google Research || Google Research", 10.0),
    ("avaswani@google.com || noam@google.com || nikip@google.com || usz@google.com", 9.0),
    ("Llion Jones^{∗} || Aidan N. Gomez^{∗†} || Łukasz Kaiser^{∗}", 10.0, "bn"),
    ("Google Research || University of Toronto || Google Brain", 10.0),
    ("llion@google.com || aidan@cs.toronto.edu || lukaszkaiser@google.com", 9.0),
    ("Illia Polosukhin^{∗‡}", 10.0, "bn"),
    ("illia.polosukhin@gmail.com", 9.0),
    ("Abstract", 12.0, "bn"),
    *BODY,  # type: ignore[arg-type]
    ("31st Conference on Neural Information Processing Systems (NIPS 2017), Long Beach, CA, USA.", 9.0),
    body=False,
)
IEEE = page(
    ("2016 IEEE Conference on Computer Vision and Pattern Recognition", 8.0),
    ("Deep Residual Learning for Image Recognition", 14.0, "bn"),
    ("Kaiming He", 11.0, "n"),
    ("Dept. of Electrical Engineering", 10.0, "i"),
    ("Northern University", 10.0, "i"),
    ("Beijing, China", 10.0),
    ("kahe@example.com", 10.0),
    ("Xiangyu Zhang", 11.0, "n"),
    ("School of Computing", 10.0, "i"),
    ("Xi’an Jiaotong University", 10.0, "i"),
    ("Mountain View, CA", 10.0),
    ("v-xiangz@example.com", 10.0),
    ("Abstract—Deeper networks are harder to train.", 9.0, "bn"),
)
IEEE_JOURNAL = page(
    ("IEEE TRANSACTIONS ON PATTERN ANALYSIS AND MACHINE INTELLIGENCE, VOL. 39, NO. 6, JUNE 2017 1137", 7.0),
    ("Faster R-CNN: Towards Real-Time Object", 24.0, "n"),
    ("Detection with Region Proposal Networks", 24.0),
    ("Shaoqing Ren, Kaiming He, Student Member, IEEE, Ross Girshick, Fellow, IEEE, and Jian Sun, PhD", 11.0, "n"),
    ("Abstract—State-of-the-art detectors depend on proposals.", 9.0, "bn"),
)
ELSEVIER = page(
    ("Expert Systems With Applications 143 (2020) 113042", 7.0),
    ("Contents lists available at ScienceDirect", 8.0, "n"),
    ("Expert Systems With Applications", 15.0, "n"),
    ("journal homepage: www.elsevier.com/locate/eswa", 8.0, "n"),
    ("A survey of recommender systems for scien-", 13.5, "n"),
    ("tific papers", 13.5),
    ("Jane A. Doe^{a,b,∗}, Jürgen Müller^{a}, Søren Østergård^{c}", 10.5, "n"),
    ("^{a} Department of Computer Science, University of Somewhere, Springfield, United States", 6.5, "i"),
    ("^{b} Institut für Informatik, Freie Universität, Berlin, Germany", 6.5, "i"),
    ("A R T I C L E  I N F O || A B S T R A C T", 8.0, "n"),
    *BODY,  # type: ignore[arg-type]
    ("https://doi.org/10.1016/j.eswa.2019.", 6.5),
    ("113042", 6.5),
    ("Received 3 June 2019; Received in revised form 1 October 2019; Accepted 2 November 2019", 6.5),
    ("0957-4174/© 2019 Elsevier Ltd. All rights reserved.", 6.5),
    body=False,
)
LNCS = page(
    ("U-Net: Convolutional Networks for Biomedical", 14.4, "b"),
    ("Image Segmentation", 14.4, "b"),
    ("Olaf Ronneberger^{(B)}, Philipp Fischer, and Thomas Brox", 10.0, "n"),
    ("Computer Science Department and BIOSS Centre for Biological Signalling Studies,", 9.0),
    ("University of Freiburg, Freiburg, Germany", 9.0),
    ("ronneber@informatik.uni-freiburg.de", 9.0),
    ("Abstract. There is large consent that training needs many samples.", 9.0, "n"),
    *BODY,  # type: ignore[arg-type]
    ("© Springer International Publishing Switzerland 2015", 8.0),
    ("N. Navab et al. (Eds.): MICCAI 2015, Part III, LNCS 9351, pp. 234–241, 2015.", 8.0),
    ("DOI: 10.1007/978-3-319-24574-4_28", 8.0),
    body=False,
)
NATURE = page(
    ("REVIEW", 11.0, "b"),
    ("doi:10.1038/nature14539", 8.0),
    ("Deep learning", 32.0, "n"),
    ("Yann LeCun^{1,2}, Yoshua Bengio^{3} & Geoffrey Hinton^{4,5}", 10.0, "bn"),
    *BODY,  # type: ignore[arg-type]
    ("^{1}Facebook AI Research, 770 Broadway, New York. ^{2}New York University, New York.", 7.0),
    ("436 | NATURE | VOL 521 | 28 MAY 2015", 7.0),
    ("© 2015 Macmillan Publishers Limited. All rights reserved", 6.0),
    body=False,
)
ARXIV = page(
    ("arXiv:1706.03741v4 [stat.ML] 17 Feb 2023", 20.0, "s"),
    ("Deep Reinforcement Learning", 17.0, "b"),
    ("from Human Preferences", 17.0, "b"),
    ("Paul F. Christiano || Jan Leike || Tom B. Brown", 10.0, "bn"),
    ("OpenAI || DeepMind || Google Brain^{∗}", 10.0),
    ("paul@openai.com || leike@google.com || tombbrown@google.com", 9.0),
    ("Abstract", 12.0, "bn"),
)
PLOS = page(
    ("PLOS ONE", 18.0, "b"),
    ("RESEARCH ARTICLE", 9.0, "bn"),
    ("Ten simple rules for reading a scientific", 18.0, "bn"),
    ("paper", 18.0, "b"),
    ("Maria A. Carey^{1☯}*, Kevin L. Steiner^{2}, William A. Petri Jr^{2}", 11.0, "n"),
    ("1 Department of Microbiology, Immunology, and Cancer Biology, University of Virginia, Charlottesville,", 8.0),
    ("Virginia, United States of America, 2 Department of Medicine, Charlottesville", 8.0),
    ("* mac@example.edu", 8.0),
    ("Abstract", 16.0, "bn"),
    *BODY,  # type: ignore[arg-type]
    ("Published: July 30, 2020", 8.0),
    ("Citation: Carey MA, Steiner KL, Petri WA Jr (2020) Ten simple rules for reading a scientific paper. PLoS", 8.0),
    ("Comput Biol 16(7): e1008032. https://doi.org/10.1371/journal.pcbi.1008032", 8.0),
    body=False,
)
THESIS = page(
    ("University of Cambridge", 20.0),
    ("Neural Methods for Discourse", 24.0, "bn"),
    ("Structure", 24.0, "b"),
    ("by", 12.0, "n"),
    ("Eleanor Rigby", 14.0, "n"),
    ("Supervisor: Prof. John McKenzie", 12.0, "n"),
    ("This dissertation is submitted for the degree of Doctor of Philosophy", 12.0, "n"),
    ("June 2018", 12.0, "n"),
    body=False,
)
REPORT = page(
    ("Technical Report MSR-TR-2010-30", 12.0),
    ("From RankNet to LambdaRank to", 18.0, "bn"),
    ("LambdaMART: An Overview", 18.0, "b"),
    ("Christopher J.C. Burges", 12.0, "n"),
    ("Microsoft Research", 12.0),
    ("{cburges}@microsoft.com", 12.0),
    ("Abstract", 12.0, "bn"),
)
CHINESE = page(
    ("第 32 卷 第 4 期 计算机学报 Vol. 32 No. 4", 9.0),
    ("2019 年 4 月 CHINESE JOURNAL OF COMPUTERS Apr. 2019", 9.0),
    ("基于注意力机制的中文文本", 18.0, "bn"),
    ("分类方法研究", 18.0, "b"),
    ("张 伟^{1)}  李小娜^{1),2)}  欧阳明^{2)}", 12.0, "n"),
    ("1)（清华大学计算机科学与技术系 北京 100084）", 9.0),
    ("2)（中国科学院自动化研究所 北京 100190）", 9.0),
    ("摘 要 本文提出一种新的文本分类方法。", 9.0, "n"),
    ("关键词 文本分类；注意力机制", 9.0),
    ("中图法分类号 TP391 DOI号 10.11897/SP.J.1016.2019.00722", 9.0),
    ("Chinese Text Classification with Attention", 13.0, "bn"),
    ("ZHANG Wei^{1)} LI Xiao-Na^{1),2)} OUYANG Ming^{2)}", 11.0, "n"),
    ("Abstract This paper proposes a new method.", 9.0, "n"),
)
SLIDES = page(
    ("Retrieval for Composite Questions", 36.0, "b"),
    ("Ada Lovelace", 20.0, "n"),
    ("Workshop on Search, 12 May 2021", 16.0, "n"),
    body=False,
)
ICLR = page(
    ("Published as a conference paper at ICLR 2015", 10.0),
    ("ADAM: A METHOD FOR STOCHASTIC OPTIMIZATION", 17.0, "n"),
    ("Diederik P. Kingma* || Jimmy Lei Ba∗", 10.0, "bn"),
    ("University of Amsterdam, OpenAI || University of Toronto", 10.0),
    ("dpkingma@openai.com || jimmy@psi.utoronto.ca", 9.0),
    ("ABSTRACT", 12.0, "n"),
)
NO_TYPOGRAPHY = page(
    ("Solution of a Problem in Concurrent Programming Control", 10.0),
    ("E. W. DIJKSTRA", 10.0, "n"),
    ("We consider points, some or all pairs of which are connected by a branch of given length.", 10.0, "n"),
)
ONE_EACH = page(
    ("Measuring the Reach of Science", 16.0, "b"),
    ("Jean-Pierre d'Alembert, Ph.D.", 11.0, "n"),
    ("Ludwig van Beethoven (0000-0002-1825-0097)", 11.0),
    ("Abstract", 11.0, "bn"),
)
MIDDLE_DOTS = page(
    ("Lasso and Its Friends", 16.0, "b"),
    ("Robert Tibshirani · Trevor Hastie · Jerome Friedman", 11.0, "bn"),
    ("Received: 12 January 2011 / Accepted: 3 May 2012 / Published online: 1 June 2012", 8.0, "n"),
    ("Abstract The lasso shrinks.", 9.0, "n"),
)
FRONTIERS = page(
    ("Frontiers in Psychology", 20.0),
    ("ORIGINAL RESEARCH", 9.0, "bn"),
    ("published: 12 March 2019", 8.0),
    ("doi: 10.3389/fpsyg.2019.00444", 8.0),
    ("The Weight of a Word", 19.0, "bn"),
    ("Wei Zhang^{1,2}, Anna-Lena Kovács^{3*} and Li Na^{1}", 11.0, "n"),
    ("^{1} Department of Psychology, Tsinghua University, Beijing, China", 8.0),
)

SHAPES = {
    "ACL": (
        ACL,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        ("Jacob Devlin", "Ming-Wei Chang", "Kenton Lee", "Kristina Toutanova"),
        {},
    ),
    "NeurIPS": (
        NEURIPS,
        "Attention Is All You Need",
        (
            "Ashish Vaswani",
            "Noam Shazeer",
            "Niki Parmar",
            "Jakob Uszkoreit",
            "Llion Jones",
            "Aidan N. Gomez",
            "Łukasz Kaiser",
            "Illia Polosukhin",
        ),
        {"year": 2017},
    ),
    "IEEE conference": (
        IEEE,
        "Deep Residual Learning for Image Recognition",
        ("Kaiming He", "Xiangyu Zhang"),
        {"year": 2016},
    ),
    "IEEE journal": (
        IEEE_JOURNAL,
        "Faster R-CNN: Towards Real-Time Object Detection with Region Proposal Networks",
        ("Shaoqing Ren", "Kaiming He", "Ross Girshick", "Jian Sun"),
        {"year": 2017},
    ),
    "Elsevier": (
        ELSEVIER,
        "A survey of recommender systems for scientific papers",
        ("Jane A. Doe", "Jürgen Müller", "Søren Østergård"),
        {"doi": "10.1016/j.eswa.2019.113042", "year": 2020},
    ),
    "Springer LNCS": (
        LNCS,
        "U-Net: Convolutional Networks for Biomedical Image Segmentation",
        ("Olaf Ronneberger", "Philipp Fischer", "Thomas Brox"),
        {"doi": "10.1007/978-3-319-24574-4_28", "year": 2015},
    ),
    "Nature": (
        NATURE,
        "Deep learning",
        ("Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"),
        {"doi": "10.1038/nature14539", "year": 2015},
    ),
    "arXiv": (
        ARXIV,
        "Deep Reinforcement Learning from Human Preferences",
        ("Paul F. Christiano", "Jan Leike", "Tom B. Brown"),
        {"arxiv": "1706.03741", "year": 2023},
    ),
    "PLOS": (
        PLOS,
        "Ten simple rules for reading a scientific paper",
        ("Maria A. Carey", "Kevin L. Steiner", "William A. Petri Jr"),
        {"doi": "10.1371/journal.pcbi.1008032", "year": 2020},
    ),
    "thesis": (THESIS, "Neural Methods for Discourse Structure", ("Eleanor Rigby",), {"year": 2018}),
    "technical report": (
        REPORT,
        "From RankNet to LambdaRank to LambdaMART: An Overview",
        ("Christopher J.C. Burges",),
        {},
    ),
    "Chinese journal": (
        CHINESE,
        "基于注意力机制的中文文本分类方法研究",
        ("张伟", "李小娜", "欧阳明"),
        {"doi": "10.11897/SP.J.1016.2019.00722", "year": 2019},
    ),
    "slides": (SLIDES, "Retrieval for Composite Questions", ("Ada Lovelace",), {"year": 2021}),
    "ICLR": (
        ICLR,
        "ADAM: A METHOD FOR STOCHASTIC OPTIMIZATION",
        ("Diederik P. Kingma", "Jimmy Lei Ba"),
        {"year": 2015},
    ),
    "typewriter": (NO_TYPOGRAPHY, "Solution of a Problem in Concurrent Programming Control", ("E. W. Dijkstra",), {}),
    "a line for each author": (
        ONE_EACH,
        "Measuring the Reach of Science",
        ("Jean-Pierre d'Alembert", "Ludwig van Beethoven"),
        {},
    ),
    "middle dots": (
        MIDDLE_DOTS,
        "Lasso and Its Friends",
        ("Robert Tibshirani", "Trevor Hastie", "Jerome Friedman"),
        {"year": 2012},
    ),
    "Frontiers": (
        FRONTIERS,
        "The Weight of a Word",
        ("Wei Zhang", "Anna-Lena Kovács", "Li Na"),
        {"doi": "10.3389/fpsyg.2019.00444", "year": 2019},
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_first_page_tells_what_the_paper_is(shape: str) -> None:
    lines, title, authors, more = SHAPES[shape]
    assert best(facts(lines)) == {"title": title, "authors": authors, **more}


def test_good_typography_is_surer_than_none() -> None:
    def sure(lines: list[TextLine]) -> list[float]:
        return [fact.sure for fact in facts(lines) if fact.field == "title" and fact.source == "first page"]

    assert (sure(ACL), sure(NO_TYPOGRAPHY)) == ([0.8], [0.4])


def test_a_title_that_the_properties_repeat_is_nearly_certain() -> None:
    found = facts(NATURE, {"Title": "Deep Learning"})
    assert [(fact.value, fact.source, fact.sure) for fact in found if fact.field == "title"][:2] == [
        ("Deep learning", "first page", 0.95),
        ("Deep Learning", "document properties", 0.6),
    ]


def test_the_stamp_dates_a_version_and_its_number_the_paper() -> None:
    found = [(fact.value, fact.sure) for fact in facts(ARXIV) if fact.field == "year"]
    assert found == [(2023, 0.9), (2017, 0.6)]


def test_a_stamp_read_backwards_is_a_stamp() -> None:
    stamp = "arXiv:1810.04805v2 [cs.CL] 24 May 2019"
    found = best(facts(page((stamp[::-1], 20.0), ("A Plain Title", 14.0, "bn"))))
    assert (found["arxiv"], found["year"], found["title"]) == ("1810.04805", 2019, "A Plain Title")


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        pytest.param("https://doi.org/10.1145/3292500.3330701", 0.95, id="address"),
        pytest.param("DOI 10.1145/3292500.3330701.", 0.95, id="called so, at the end of a sentence"),
        pytest.param("(10.1145/3292500.3330701)", 0.85, id="in brackets"),
    ],
)
def test_a_doi_is_read_without_its_surroundings(line: str, sure: float) -> None:
    found = facts(page(("A Plain Title", 14.0, "b"), (line, 8.0, "n")))
    assert [(fact.value, fact.sure) for fact in found if fact.field == "doi"] == [("10.1145/3292500.3330701", sure)]


def test_a_doi_keeps_its_own_brackets() -> None:
    found = facts(page(("A Plain Title", 14.0, "b"), ("doi:10.1016/0022-0000(79)90044-8", 8.0, "n")))
    assert best(found)["doi"] == "10.1016/0022-0000(79)90044-8"


@pytest.mark.parametrize(
    ("above", "below", "title"),
    [
        pytest.param("Multi-", "modal Learning", "Multi-modal Learning", id="a prefix keeps its hyphen"),
        pytest.param("The Under-", "standing of Words", "The Understanding of Words", id="a word that was cut"),
        pytest.param("Guided Co-", "Training", "Guided Co-Training", id="before a capital"),
        pytest.param("中文信息", "检索综述", "中文信息检索综述", id="no space within Chinese"),
    ],
)
def test_lines_of_a_title_are_joined(above: str, below: str, title: str) -> None:
    assert best(facts(page((above, 18.0, "b"), (below, 18.0, "b"))))["title"] == title


@pytest.mark.parametrize(
    "line",
    [
        "Department of Computer Science, Stanford University",
        "San Francisco",
        "Mountain View, CA",
        "Google Research, Brain Team",
        "jane.doe@example.com",
        "New York, NY 10003, USA",
        "A Survey of Methods",
        "Anonymous Authors",
        "北京大学",
        "中国 北京",
        "Draft of May 2020",
        "Contributed Equally",
        "Academic Editor: Jane Doe",
    ],
)
def test_what_is_no_name_is_no_author(line: str) -> None:
    assert "authors" not in best(facts(page(("A Plain Title", 14.0, "b"), (line, 10.0, "n"), ("Abstract", 11.0, "bn"))))


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        pytest.param("JACOB DEVLIN, KENTON LEE", ("Jacob Devlin", "Kenton Lee"), id="capitals"),
        pytest.param(
            "Jane Doe∗ John Smith† Ann Lee", ("Jane Doe", "John Smith", "Ann Lee"), id="marks in place of commas"
        ),
        pytest.param("Jane Doe1,2, John Smith2", ("Jane Doe", "John Smith"), id="numbers that nobody raised"),
        pytest.param("Jane Doe a,b,*, John Smith c", ("Jane Doe", "John Smith"), id="letters that nobody raised"),
        pytest.param("张伟1，李小娜2，王芳1", ("张伟", "李小娜", "王芳"), id="Chinese with commas"),
        pytest.param("张 伟 李小娜 王 芳", ("张伟", "李小娜", "王芳"), id="Chinese with spaces"),
        pytest.param("张伟、李小娜", ("张伟", "李小娜"), id="Chinese with its own comma"),
        pytest.param("Quoc V. Le & Ilya Sutskever", ("Quoc V. Le", "Ilya Sutskever"), id="ampersand"),
        pytest.param("Jane Doe, University of Somewhere", ("Jane Doe",), id="with an institute"),
        pytest.param("1st Jane Doe", ("Jane Doe",), id="counted"),
        pytest.param("Prof. Dr. Jane Doe, MD, PhD", ("Jane Doe",), id="degrees"),
        pytest.param("By Alan M. Turing", ("Alan M. Turing",), id="by"),
    ],
)
def test_names_are_read_without_their_marks(line: str, authors: tuple[str, ...]) -> None:
    lines = page(("A Plain Title", 14.0, "b"), (line, 10.0, "n"), ("Abstract", 11.0, "bn"))
    assert best(facts(lines))["authors"] == authors


def test_an_author_in_a_column_of_his_own_is_found_behind_the_text_of_the_other() -> None:
    left = page(("A Plain Title", 16.0, "b"), ("Ana Müller", 12.0, "n"), ("Abstract", 12.0, "bn"))
    beside = TextLine(
        text="Wei Zhang", left=330.0, top=left[1].top, right=400.0, bottom=left[1].bottom, size=12.0, block=9
    )
    assert best(facts([*left, beside, *page(body=True)]))["authors"] == ("Ana Müller", "Wei Zhang")


def test_a_year_above_the_title_dates_the_paper_a_little() -> None:
    lines = page(
        ("Annals of Synthetic Reading, 2024", 8.0), ("A Plain Title", 14.0, "bn"), ("In 1998 it was so.", 10.0, "n")
    )
    assert [(fact.value, fact.sure) for fact in facts(lines) if fact.field == "year"] == [(2024, 0.7)]


def test_the_last_author_behind_a_large_and() -> None:
    lines = page(("A Plain Title", 16.0, "b"), ("JASON CURTIS, ANNA NEWTON, AND LUKE BOUMA", 10.0, "n"))
    assert best(facts(lines))["authors"] == ("Jason Curtis", "Anna Newton", "Luke Bouma")


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("收稿日期：2017-05-12", 2017),
        ("2019年5月", 2019),
        ("2019年第3期", 2019),
        ("2016", 2016),
        ("选取2019年1月至2020年6月的患者186例。", None),  # of the data
        ("[2] 钱江. 绍兴古桥调查[J]. 古建保护, 2008, 5(1): 12-19.", None),
        ("参考文献\n钱江. 绍兴古桥调查. 古建保护, 2008, 5(1): 12-19.", None),
    ],
)
def test_the_year_of_a_paper_is_not_that_of_its_data_or_of_what_it_cites(line: str, year: int | None) -> None:
    lines = page(("A Plain Title", 16.0, "b"), *((one, 10.0, "n") for one in line.split("\n")))
    assert best(facts(lines)).get("year") == year


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - final_v3.docx",
        "untitled",
        "paper.dvi",
        "Bare Demo of IEEEtran.cls for Conferences",
        "Instructions for ACL 2019 Proceedings",
        "nature14539 1..9",
        "main_final2",
        "PII: S0957-4174(19)30001-2",
        "PowerPoint Presentation",
        "",
    ],
)
def test_a_title_that_a_program_gave_is_none(title: str) -> None:
    assert "title" not in best(facts([], {"Title": title}))


@pytest.mark.parametrize(
    ("author", "authors"),
    [
        ("Jacob Devlin; Ming-Wei Chang", ("Jacob Devlin", "Ming-Wei Chang")),
        ("Jacob Devlin, Ming-Wei Chang and Kenton Lee", ("Jacob Devlin", "Ming-Wei Chang", "Kenton Lee")),
        ("Devlin, Jacob; Chang, Ming-Wei", ("Devlin, Jacob", "Chang, Ming-Wei")),
        ("Devlin, Jacob", ("Devlin, Jacob")),
        ("张伟；李娜", ("张伟", "李娜")),
        ("jdevlin", None),
        ("Administrator", None),
        ("LaTeX with hyperref package", None),
        ("Microsoft Office User", None),
    ],
)
def test_the_author_property_counts_unless_it_is_an_account(author: str, authors: tuple[str, ...] | str | None) -> None:
    wanted = (authors,) if isinstance(authors, str) else authors
    assert best(facts([], {"Author": author})).get("authors") == wanted


def test_other_properties() -> None:
    properties = {
        "Subject": "Expert Systems, 143 (2020) 1-9. doi:10.1016/j.eswa.2019.113042",
        "CreationDate": "D:20191105101530Z",
    }
    assert [
        (fact.field, fact.value, fact.sure) for fact in facts([], properties) if fact.source == "document properties"
    ] == [
        ("doi", "10.1016/j.eswa.2019.113042", 0.9),
        ("created", 2019, 0.9),
    ]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Devlin 2019 - BERT Pre-training.pdf", {"title": "BERT Pre-training", "year": 2019, "authors": ("Devlin",)}),
        (
            "Devlin et al. - 2019 - BERT Pre-training.pdf",
            {"title": "BERT Pre-training", "year": 2019, "authors": ("Devlin",)},
        ),
        ("Devlin and Chang - 2019 - BERT.pdf", {"title": "BERT", "year": 2019, "authors": ("Devlin",)}),
        ("2019_Devlin_BERT.pdf", {"title": "BERT", "year": 2019, "authors": ("Devlin",)}),
        ("2019 - Attention in Brains.pdf", {"title": "Attention in Brains", "year": 2019}),
        ("Devlin (2019) BERT.pdf", {"title": "BERT", "year": 2019, "authors": ("Devlin",)}),
        ("van der Maaten_2008_Visualizing Data.pdf", {"title": "Visualizing Data", "year": 2008}),
        ("基于深度学习的检索_张伟.pdf", {"title": "基于深度学习的检索", "authors": ("张伟",)}),
        ("1810.04805v2.pdf", {"arxiv": "1810.04805", "year": 2018}),
        ("10.1038_nature14539.pdf", {"doi": "10.1038/nature14539"}),
        ("deep-residual-learning.pdf", {"title": "deep residual learning"}),
    ],
)
def test_names_of_files(name: str, wanted: dict[str, Value]) -> None:
    found = facts([], name=name)
    assert best(found) == wanted
    assert max(fact.sure for fact in found) <= (0.7 if "arxiv" in wanted else 0.5 if "doi" in wanted else 0.3)


def test_an_empty_page_in_a_nameless_file_says_nothing_surely() -> None:
    assert facts([], name="scan.pdf") == [Fact(field="title", value="scan", source="file name", sure=0.1)]


_TEXTS = st.text(alphabet=st.sampled_from("aB1 ,.-@(){}[]/:;©∗张伟年第期\u00ad10.5/arXivdoi"), max_size=60)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(_TEXTS, st.floats(4, 40)), max_size=12),
    st.dictionaries(st.sampled_from(["Title", "Author", "Subject"]), _TEXTS),
)
def test_no_page_breaks_it(rows: list[tuple[str, float]], properties: dict[str, str]) -> None:
    found = facts(page(*rows, body=False), properties)
    assert all(0 < fact.sure <= 1 and fact.value not in ("", ()) for fact in found)


# -- what dates a document, and what does not

FIELD_REPORT = page(
    ("“湖与少年”2024 年实践支队", 10.5, "b"),
    ("湖岸地区灯诱捕获夜蛾科昆虫多样性调查", 20.0, "n"),
    ("医学院韩昊洋", 10.5, "n"),
    ("生命科学学院金禹宏", 10.5, "n"),
    ("1 背景", 14.0, "n"),
    (
        "湖区位于我国西北部，是我国最大的内陆咸水湖，自然保护区成立于 1997 年 5 月，对周边地区的生态具有重要的意义。",
        10.5,
        "n",
    ),
    (
        "根据有关法律、法规，于 2017 年 8 月 29 日起关停了位于自然保护区的景区和沙岛景区，并停止了一切旅游经营活动。",
        10.5,
    ),
    ("[2] 何勇田,熊先哲.试论湿地生态系统的特点[J].农业环境保护,1994(06):275-278.", 9.0, "n"),
    body=False,
)


def test_a_chinese_report_is_dated_by_its_head_and_not_by_the_history_that_it_tells() -> None:
    found = best(facts(FIELD_REPORT))
    assert found == {"title": "湖岸地区灯诱捕获夜蛾科昆虫多样性调查", "authors": ("韩昊洋", "金禹宏"), "year": 2024}


@pytest.mark.parametrize(
    ("told", "year"),
    [
        (("Available online 6 October 2010", 6.4), 2010),
        (("Citation: Chu BK, Gass K (2014) Pilot Assessment. Trop Dis 8(2): e2708.", 7.0), 2014),
        (("Received May 28, 2013; Accepted December 30, 2013; Published February 13, 2014", 7.0), 2014),
        (
            (
                "In 2009 the census counted 234,023 people (National Statistics Office, 2009) in the islands of the country",
                10.0,
            ),
            None,
        ),
        (
            (
                "Laboratory studies of the worm were published in 1998 and confirmed in the years that followed (2004)",
                10.0,
            ),
            None,
        ),
    ],
)
def test_a_year_comes_from_what_dates_the_document(told: Row, year: int | None) -> None:
    lines = page(
        ("Weights of Words in the Islands", 18.0, "b"), ("Abstract", 12.0, "bn"), *BODY, told, *BODY, body=False
    )
    assert best(facts(lines)).get("year") == year


def test_the_year_in_a_title_is_doubtful_and_that_of_a_time_that_is_told_of_is_none() -> None:
    def years(title: str) -> list[tuple[Value | None, bool]]:
        found = facts(page((title, 18.0, "b"), ("Abstract", 12.0, "bn")))
        return [(fact.value, fact.sure < 0.5) for fact in found if fact.field == "year"]

    assert years("Serosurvey of the Islands, 2013") == [(2013, True)]
    assert years("Programme of the Islands 2013-2014") == [(2013, True)]
    assert years("Trends of Rain over the Lake, 2000-2018") == []


def test_the_year_in_the_name_of_a_file_is_doubtful() -> None:
    def year(name: str) -> list[tuple[Value | None, bool]]:
        return [(fact.value, fact.sure < 0.5) for fact in facts([], name=name) if fact.field == "year"]

    assert year("king2011.pdf") == year("Rain over the Lake_2011.pdf") == [(2011, True)]
    assert year("Rain 2000-2018.pdf") == []


# -- titles and names


def test_neither_a_journal_in_large_letters_nor_a_first_heading_is_the_title() -> None:
    journal = page(
        ("Worm Journal || Open Press", 24.0, "b"),
        ("How Worms Are Counted", 14.0, "bn"),
        ("Neal D Alexander^{*1,2}, Rana A Moyeed^{4} and Phil J Hyun^{2,5}", 12.0, "n"),
        ("Worm Journal 2003, 2:14", 8.0, "n"),
        ("Abstract", 11.0, "bn"),
    )
    assert best(facts(journal)) == {
        "title": "How Worms Are Counted",
        "authors": ("Neal D Alexander", "Rana A Moyeed", "Phil J Hyun"),
        "year": 2003,
    }
    report = page(("2023 年湖区支队原羚组调研报告", 16.0, "b"), ("一、调研区域概况", 16.0, "b"), body=False)
    assert best(facts(report))["title"] == "2023 年湖区支队原羚组调研报告"


def test_names_go_on_behind_an_initial_at_the_end_of_a_line_and_may_begin_with_a_sign() -> None:
    lines = page(
        ("The Weight of a Word in the Islands", 18.0, "b"),
        ("Gary J. Weil^{1*}, Will Kastens^{2}, Malakai ’Ake^{3}, Christopher L.", 10.0, "n"),
        ("King^{2}, ’Eva Mafi^{2,3}", 10.0),
        ("1 University of Somewhere, Lomé", 7.0, "n"),
        ("Abstract", 10.0, "n"),
    )
    assert best(facts(lines))["authors"] == (
        "Gary J. Weil",
        "Will Kastens",
        "Malakai ’Ake",
        "Christopher L. King",
        "’Eva Mafi",
    )


def test_chinese_names_stand_behind_where_they_are_from_and_no_heading_is_a_name() -> None:
    lines = page(
        ("湖区湟鱼保护及人工繁育调研", 16.0, "b"),
        ("2023 年某大学赴湖区实践支队李远哲、解润、赵天骅", 12.0),
        ("一、 前言", 14.0, "b"),
        ("1、田野概况", 10.5, "b"),
        body=False,
    )
    assert best(facts(lines))["authors"] == ("李远哲", "解润", "赵天骅")


def test_what_a_footnote_cites_does_not_date_the_document() -> None:
    lines = page(
        ("Managing Vectors of Malaria on Islands", 18.0, "b"),
        ("Abstract", 12.0, "bn"),
        *BODY,
        ("^{1} Statement on management: Weekly Record, No. 20, 2008, 83:177-181.", 7.0, "n"),
        body=False,
    )
    assert "year" not in best(facts(lines))


def test_a_numbered_heading_in_larger_letters_is_not_the_title() -> None:
    lines = page(
        ("Application for the Verification", 12.0, "b"),
        ("Draft 4, 17 July 2013", 10.0, "n"),
        ("1. General description", 14.0, "bn"),
    )
    assert best(facts(lines)) == {"title": "Application for the Verification", "year": 2013}


def test_a_subtitle_behind_a_dash_belongs_to_the_title_and_no_kind_of_paper_is_one() -> None:
    lines = page(
        ("新时代湖区国家公园建设调研", 26.0, "b"),
        ("——基于对管理局采访结果的研究", 16.0, "b"),
        ("张伟", 12.0, "n"),
        body=False,
    )
    found = best(facts(lines, {"Title": "冬令营论文"}))
    assert (found["title"], found["authors"]) == ("新时代湖区国家公园建设调研 ——基于对管理局采访结果的研究", ("张伟",))
