"""Defects of real papers, each made anew: what publishers, scans and old typesetters do, and what has to come out all the same."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path

import pytest
import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFontFace
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf import pdf_reader, structure
from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader
from scholarmind.library.descriptions import settled
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Problem, Reading
from scholarmind.text.language import share_of_words

WIDTH, HEIGHT = 612, 792
SENTENCE = "The measure of a method is what it says about samples that nobody has seen before, and little else."
Line = tuple[str, str, float, float, float]  # font, text, size, left, top

SANS, BOLD, SERIF, SLANTED = "Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Italic"


def made(path: Path, *pages: Iterable[Line], title: str = "") -> Path:
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    canvas.setTitle(title)
    for page in pages:
        for font, text, size, left, top in page:
            canvas.setFont(font, size)
            canvas.drawString(left, HEIGHT - top, text)
        canvas.showPage()
    canvas.save()
    return path


def prose(top: float, lines: int, left: float = 72, size: float = 10) -> list[Line]:
    return [(SANS, SENTENCE, size, left, top + 12 * place) for place in range(lines)]


def read(path: Path) -> tuple[Reading, Document, list[Problem]]:
    items = list(PdfReader(max_bytes=10_000_000).read(path))
    found = next(item for item in items if isinstance(item, Reading))
    return found, settled(found.document, found.facts), [item for item in items if isinstance(item, Problem)]


def headings(reading: Reading) -> list[str]:
    return [section.path[-1] for section in reading.sections]


def listed(reading: Reading) -> str:
    return "\n".join(reading.text[part.start : part.end] for part in reading.regions if part.kind == "references")


# -- one step costs a step --


def test_raised_digits_at_a_margin_are_no_line_numbers(tmp_path: Path) -> None:
    page = [*prose(80, 12), *((SANS, "²", 8.0, 40.0, 80.0 + 12 * place) for place in range(8))]
    reading, _, problems = read(made(tmp_path / "a.pdf", page))
    assert SENTENCE in reading.text
    assert problems == []


@pytest.mark.parametrize(
    ("module", "name", "step"),
    [(pdf_reader, "front_facts", "first page"), (structure, "without_furniture", "headings, lists and tables")],
)
def test_a_mistake_in_one_step_costs_that_step_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, name: str, step: str
) -> None:
    real: Callable[..., object] = getattr(module, name)

    def fails(first: object, *others: object) -> object:
        if name == "front_facts" and not first:
            return real(first, *others)
        raise ValueError("substring not found")

    monkeypatch.setattr(module, name, fails)
    reading, document, problems = read(made(tmp_path / "A Study.pdf", prose(80, 12)))
    assert SENTENCE in reading.text.replace("\n", " ")
    assert document.title == "A Study"
    assert [step in problem.reason and "substring" in problem.reason for problem in problems] == [True]
    assert problems[0].lasting


# -- titles, authors, years --


def first_page(*lines: Line) -> list[Line]:
    return [*lines, (BOLD, "Abstract", 12, 72, 300), *prose(320, 8)]


def test_the_first_page_beats_the_name_of_the_file(tmp_path: Path) -> None:
    page = first_page((BOLD, "Bigtable: A Distributed Storage System", 18, 100, 100), (SANS, "Fay Chang", 12, 250, 130))
    _, document, _ = read(made(tmp_path / "bigtable-a-distributed-storage-system.pdf", page))
    assert document.title == "Bigtable: A Distributed Storage System"


def test_a_name_of_a_file_finds_the_lines_of_a_title_that_typography_does_not_tell(tmp_path: Path) -> None:
    page = first_page(
        (SANS, "Session 8: Formalisms", 10, 400, 60),
        (SANS, "A Universal Modular Formalism", 10, 200, 100),
        (SANS, "for Artificial Minds", 10, 220, 112),
        (SANS, "Carl Hewitt", 10, 250, 130),
        (SANS, "Peter Bishop", 10, 250, 142),
    )
    _, document, _ = read(made(tmp_path / "a-universal-modular-formalism-for-artificial-minds.pdf", page))
    assert (document.title, document.authors) == (
        "A Universal Modular Formalism for Artificial Minds",
        ("Carl Hewitt", "Peter Bishop"),
    )


def test_a_list_of_names_and_institutes_over_two_lines_is_one(tmp_path: Path) -> None:
    page = first_page(
        (BOLD, "Tiered Replication", 24, 150, 100),
        (BOLD, "Asaf Cidon, Stanford University; Robert Escriva, Cornell University; Sachin Katti and", 11, 60, 140),
        (BOLD, "Mendel Rosenblum, Stanford University; Emin Sirer, Cornell University", 11, 80, 154),
        (SANS, "July 8–10, 2015 • Santa Clara, CA, USA", 11, 150, 190),
    )
    _, document, _ = read(made(tmp_path / "paper.pdf", page))
    assert document.authors == ("Asaf Cidon", "Robert Escriva", "Sachin Katti", "Mendel Rosenblum", "Emin Sirer")
    assert document.year == 2015


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("(Draft of October 7, 2013)", 2013),
        ("August 2014, Volume 59", 2014),
        ("To appear in OSDI 2006", 2006),
        ("June 30, 1905", 1905),
        ("IJCAI-16", 2016),
        ("First shown at POPL '82", 1982),
    ],
)
def test_years_are_read_as_they_are_printed(tmp_path: Path, line: str, year: int) -> None:
    page = first_page(
        (BOLD, "A Study of Samples", 18, 150, 100), (SANS, "Ada Lovelace", 12, 250, 130), (SANS, line, 10, 230, 150)
    )
    assert read(made(tmp_path / "paper.pdf", page))[1].year == year


def test_where_no_year_is_printed_the_date_of_the_file_is_a_guess_and_shown_as_one(tmp_path: Path) -> None:
    page = first_page((BOLD, "A Study of Samples", 18, 150, 100), (SANS, "Ada Lovelace", 12, 250, 130))
    _, document, _ = read(made(tmp_path / "paper.pdf", page))
    assert document.dated == f"c. {document.year}"
    assert document.metadata["year_from"] == "creation date"


@pytest.mark.skipif(
    not Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf").exists(),
    reason="no Chinese font that letters of a font which is not embedded could be measured by",
)
def test_the_fields_of_a_chinese_cover_are_read(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    han = "STSong-Light"
    page = [
        (han, "某某大学", 26.0, 226.0, 100.0),
        (han, "本科生毕业设计（论文）", 36.0, 110.0, 180.0),
        (han, "题目：基于聚类算法的旅行", 20.0, 109.0, 300.0),
        (han, "时间预测方法", 20.0, 169.0, 330.0),
        (han, "姓", 16.0, 129.0, 420.0),
        (han, "名：刘奕薇", 16.0, 190.0, 420.0),
        (han, "学", 16.0, 129.0, 450.0),
        (han, "号：031703120", 16.0, 190.0, 450.0),
        (han, "指导教师：陈国", 16.0, 129.0, 480.0),
        (han, "2021 年 5 月 18 日", 16.0, 240.0, 600.0),
    ]
    _, document, _ = read(
        made(
            tmp_path / "毕业论文.pdf",
            page,
            [(han, "第一章 绪论", 16.0, 72.0, 80.0), (han, "出行时间难以预测。", 12.0, 72.0, 110.0)],
        )
    )
    assert (document.title, document.authors, document.year) == ("基于聚类算法的旅行时间预测方法", ("刘奕薇",), 2021)
    assert document.metadata["school"] == "某某大学"


# -- headings and lists of references --


def test_a_heading_that_its_paragraph_runs_on_from_takes_nothing_of_it(tmp_path: Path) -> None:
    lead = "Iterative methods for large systems."
    after = 72 + pdfmetrics.stringWidth(lead, BOLD, 10) + 5
    page = [
        *prose(80, 6),
        (BOLD, lead, 10.0, 72.0, 176.0),
        (SANS, "We solve them by steps,", 10.0, after, 176.0),
        *prose(188, 5),
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", page))
    assert headings(reading) == [lead]
    assert "We solve them by steps," in reading.text[reading.sections[0].start :]


WORKS = [
    "[1] BOLOSKY, W., AND LI, P. Feasibility of a serverless file system. In SIGMETRICS (2000).",
    "[2] UNGAR, D., CHAMBERS, C., AND SMITH, R. B. Organizing programs. Lisp 4 (1991).",
    "[3] HELLAND, P. Life beyond transactions. In CIDR (2007).",
]


@pytest.mark.parametrize(
    "name", ["REFERENCES", "§9 References", "Notes & References", "Select Bibliography", "References"]
)
def test_a_list_of_references_in_small_letters_is_found(tmp_path: Path, name: str) -> None:
    works = [(SANS, work, 7.5, 72.0, 320.0 + 10 * place) for place, work in enumerate(WORKS)]
    reading, _, _ = read(made(tmp_path / "a.pdf", [*prose(80, 16), (SANS, name, 7.5, 250.0, 300.0), *works]))
    assert [listed(reading).count(f"[{number}]") for number in (1, 2, 3)] == [1, 1, 1]
    entry = enter(reading, Cutting())
    assert not any("SIGMETRICS" in passage.text for passage in entry.passages), "works are no evidence"


def test_headings_of_two_columns_at_one_height_go_to_their_columns(tmp_path: Path) -> None:
    narrow = "A line of plain text as papers have it in two columns."
    page = [(SANS, narrow, 9.0, left, 80.0 + 11 * place) for left in (54.0, 320.0) for place in range(20)]
    page += [(BOLD, "5. CONCLUSION", 9.0, 54.0, 330.0), (BOLD, "REFERENCES", 9.0, 320.0, 330.0)]
    page += [(SANS, narrow, 9.0, 54.0, 345.0 + 11 * place) for place in range(8)]
    page += [
        (SANS, f"[{place + 1}] G. Boole. The laws of thought. Walton, 18{place + 54}.", 8.0, 320.0, 345.0 + 11 * place)
        for place in range(8)
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", page))
    assert {"5. CONCLUSION", "REFERENCES"} <= set(headings(reading))
    assert listed(reading).count("Boole") == 8


def test_a_heading_stays_with_its_number_however_far_that_stands(tmp_path: Path) -> None:
    page = [
        *prose(80, 10),
        (BOLD, "5", 12.0, 72.0, 230.0),
        (BOLD, "Conclusion", 12.0, 100.0, 230.0),
        *prose(250, 8, left=90),
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", page))
    assert "5 Conclusion" in reading.text


# -- letters --


def test_words_beside_slanted_letters_that_hang_over_stay_apart(tmp_path: Path) -> None:
    """Word by word and without a space in the file, as TeX writes: the ink of the f reaches far into the gap."""
    page: list[Line] = []
    for row in range(8):
        left = 72.0
        for word in ("Proceedings", "of", "the", "half", "just", "of", "just"):
            page.append((SLANTED, word, 10.0, left, 80.0 + 12 * row))
            left += pdfmetrics.stringWidth(word, SLANTED, 10) + 2.0
    reading, _, _ = read(made(tmp_path / "a.pdf", page))
    assert reading.text.count("Proceedings of the half just of just") == 8


def test_what_is_text_is_told_by_its_words() -> None:
    assert share_of_words(SENTENCE) > 0.9
    assert share_of_words("Größe und Übermaß, naïve façade; мера метода; 古典诗歌是宝贵的财富") > 0.9
    assert share_of_words("1#0PB?.!Q*RTS565UVQWS56HX*UV3YX!Q Z\\[*]_^a`KbHcCd*`ecf`eg`KbH]hci[*]kj!lim") < 0.1
    assert share_of_words("Contents 1 Introduction ............ 3") > 0.9


def test_garbage_is_left_out_and_told(tmp_path: Path) -> None:
    garbage = "1#0PB?.!Q*RTS565UVQWS56HX*UV3YX!Q Zq[*]_^a`KbHcCd*`ecf`eg`KbH]hci[*]kj!lim"
    page = [(SANS, garbage, 10.0, 72.0, 80.0 + 12 * row) for row in range(8)]
    reading, _, problems = read(made(tmp_path / "a.pdf", prose(80, 12), page))
    assert "KbHcCd" not in reading.text
    assert [problem.reason for problem in problems] == [
        "the text of page 2 is unreadable, and left out: its fonts do not tell their letters"
    ]


def test_crumbs_of_a_page_are_no_passages(tmp_path: Path) -> None:
    page = [*prose(80, 8), (SANS, "0.5", 10.0, 300.0, 230.0), (SANS, "x = 2 y + 1", 10.0, 200.0, 280.0), *prose(330, 8)]
    reading, _, _ = read(made(tmp_path / "a.pdf", page))
    passages = enter(reading, Cutting()).passages
    assert passages
    assert all("measure of a method" in passage.text for passage in passages)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_fonts_that_are_pictures_are_read_with_their_words_sizes_and_ligatures(tmp_path: Path) -> None:
    """TeX without a map of its fonts sets every letter as a picture (Type 3), as papers before 2000 have them."""
    source = r"""\documentclass{article}\pdfmapfile{}\title{An Efficient Object Store}\author{Ada Lovelace}\date{}
\begin{document}\maketitle\begin{abstract}We define the object of the first efficient method, and justify it.\end{abstract}
\section{Introduction}%s
\end{document}""" % ("The object of the first efficient flow is just what we define below. " * 12)
    (tmp_path / "a.tex").write_text(source)
    done = subprocess.run(
        ["pdflatex", "-interaction=batchmode", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    if done.returncode or b"Type3" not in (tmp_path / "a.pdf").read_bytes():
        pytest.skip("this TeX makes no pictures of fonts")
    reading, document, _ = read(tmp_path / "a.pdf")
    assert (document.title, document.authors) == ("An Efficient Object Store", ("Ada Lovelace",))
    assert reading.text.count("The object of the first efficient flow is just what we define below.") > 8
    assert "1 Introduction" in headings(reading)


# -- signs under the codes of others, and letters that the file leans over --

DRAWN = {
    ",": "less",
    ".": "greater",
    "2": "minus",
    "$": "greaterequal",
    "#": "lessequal",
    "6": "plusminus",
    "3": "multiply",
    "u": "degree",
}
TOLD = {
    "less": 60,
    "greater": 62,
    "minus": 0x2212,
    "greaterequal": 0x2265,
    "lessequal": 0x2264,
    "plusminus": 0xB1,
    "multiply": 0xD7,
    "degree": 0xB0,
}


def with_signs(path: Path, text: str, drawn: dict[str, str]) -> Path:
    """Write a page whose second font draws other signs than its encoding, its Unicode values and everything else of it say."""
    data = (Path(reportlab.__file__).parent / "fonts" / "Vera.ttf").read_bytes()
    face = TTFontFace(BytesIO(data))
    width = {code: round(face.charWidths.get(TOLD[name], 500)) for code, name in drawn.items()}
    width["u"] = 380  # rings stand in narrower places than letters
    told = "".join(f"<{ord(code):02x}> <{ord(code):04x}>\n" for code in drawn)
    unicode_ = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /F def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(drawn)} beginbfchar\n{told}endbfchar\nendcmap end end"
    )
    shown = "".join(
        f"/S 10 Tf ({part}) Tj " if part in drawn else f"/T 10 Tf ({part}) Tj "
        for part in re.split(r"(\{.\})", text)
        for part in [part.strip("{}") if len(part) == 3 else part]
        if part
    )
    page = f"BT 72 700 Td {shown} ET"
    widths = " ".join(str(width.get(chr(code), 0)) for code in range(35, 118))
    names = " ".join(f"{ord(code)} /{name}" for code, name in sorted(drawn.items()))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /T 5 0 R /S 6 0 R >> >> >>",
        f"<< /Length {len(page)} >>\nstream\n{page}\nendstream".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Font /Subtype /TrueType /BaseFont /AAAAAA+Signs /FirstChar 35 /LastChar 117 /Widths [{widths}] /FontDescriptor 7 0 R "
        f"/Encoding << /Type /Encoding /Differences [{names}] >> /ToUnicode 9 0 R >>".encode(),
        (
            b"<< /Type /FontDescriptor /FontName /AAAAAA+Signs /Flags 32 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 760 "
            b"/Descent -240 /CapHeight 730 /StemV 80 /FontFile2 8 0 R >>"
        ),
        b"<< /Length %d /Length1 %d >>\nstream\n%s\nendstream" % (len(data), len(data), data),
        f"<< /Length {len(unicode_)} >>\nstream\n{unicode_}\nendstream".encode(),
    ]
    out, places = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(
        b"%010d 00000 n \n" % at for at in places
    )
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    path.write_bytes(out)
    return path


def test_a_sign_is_what_is_drawn_whatever_the_file_says(tmp_path: Path) -> None:
    text = "Of 36, in 2 places, {,}20% fell by {.}128 units at {2}20{u}C, {$}1% and {#}5 to 8{6}3, and 5{3}7 more."
    reading, _, _ = read(with_signs(tmp_path / "a.pdf", text, DRAWN))
    assert reading.text == "Of 36, in 2 places, <20% fell by >128 units at −20°C, ≥1% and ≤5 to 8±3, and 5×7 more."


def test_letters_that_a_file_leans_over_keep_their_spaces(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(WIDTH, HEIGHT))
    left = 72.0
    for word in ("Methodology/Principal", "Findings:", "all", "filed"):
        leaning = canvas.beginText()
        leaning.setFont(BOLD, 9)
        leaning.setTextTransform(1, 0, 0.3, 1, left, 700)
        leaning.textOut(word)
        canvas.drawText(leaning)
        left += pdfmetrics.stringWidth(word, BOLD, 9) + 2.2
    for font, line, size, at, top in prose(120, 6):
        canvas.setFont(font, size)
        canvas.drawString(at, HEIGHT - top, line)
    canvas.save()
    reading, _, _ = read(tmp_path / "a.pdf")
    assert "Methodology/Principal Findings: all filed" in reading.text


# -- what is about the paper and its authors --


def test_nobody_is_answered_from_an_imprint_an_address_or_the_authors_contributions(tmp_path: Path) -> None:
    first = [
        (BOLD, "The Weight of Rain on Islands", 18.0, 72.0, 70.0),
        (SANS, "Jane Doe, John Q. Smith", 11.0, 72.0, 95.0),
        (SANS, "Department of Weather, University of Somewhere, 6845 Perth", 8.0, 72.0, 112.0),
        (BOLD, "Abstract", 10.0, 72.0, 140.0),
        *prose(156, 4),
        (SANS, "Citation: Doe J, Smith JQ (2014) The Weight of Rain. J Rain 8(2): 1-8.", 7.0, 72.0, 220.0),
        (SANS, "Competing Interests: The author has shares of the company that sells umbrellas.", 7.0, 72.0, 236.0),
        (BOLD, "Introduction", 10.0, 72.0, 260.0),
        *prose(276, 20),
    ]
    second = [
        *prose(80, 6),
        (BOLD, "Author Contributions", 10.0, 72.0, 170.0),
        (SANS, "Conceived and designed the experiments: JD CP. Wrote the paper: JQS.", 10.0, 72.0, 186.0),
        (BOLD, "Conclusions", 10.0, 72.0, 220.0),
        *prose(236, 6),
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", first, second))
    quoted = "\n".join(passage.text for passage in enter(reading, Cutting()).passages)
    assert [word for word in ("Perth", "Citation", "umbrellas", "Conceived") if word in quoted] == []
    assert all(word in reading.text for word in ("Perth", "Citation", "umbrellas", "Conceived"))
    assert quoted.count(SENTENCE) >= 30


def test_a_list_of_works_goes_on_below_a_section_at_the_head_of_the_next_column(tmp_path: Path) -> None:
    def works(first: int, last: int, left: float, top: float) -> list[Line]:
        return [
            (
                SERIF,
                f"{n}. Doe J, Roe R ({1960 + n}) How rain number {n} is weighed. J Rain {n}: 1-8.",
                7.0,
                left,
                top + 9 * (n - first),
            )
            for n in range(first, last + 1)
        ]

    left: list[Line] = [
        (SANS, line, 8.0, 50.0, 80.0 + 10 * n)
        for n, line in enumerate(8 * ["The measure of a method is what it says about new samples."])
    ]
    page = [
        *left,
        (BOLD, "References", 10.0, 50.0, 200.0),
        *works(1, 12, 50, 220),
        (BOLD, "Author Contributions", 10.0, 330.0, 80.0),
        (SANS, "Wrote the paper: JD. Read it: RR.", 8.0, 330.0, 96.0),
        *works(13, 24, 330, 124),
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", prose(80, 40), page))
    assert all(f"rain number {n} " in listed(reading) for n in range(1, 25))


def test_numbers_of_lines_that_count_through_a_manuscript_are_no_part_of_it(tmp_path: Path) -> None:
    number, pages = 0, list[list[Line]]()
    for first in (True, False, False):
        page: list[Line] = []
        told = [(SANS, "Code for the Weight of Rain", 17.0), (SANS, "on Islands of the South", 17.0)] if first else []
        top = 80.0
        for font, text, size in [
            *told,
            *((SERIF, SENTENCE, 10.0) for _ in range(14)),
            *((SANS, "weigh <- rain + 1", 9.0) for _ in range(8)),
        ]:
            if "weigh" not in text:
                number += 1
                page.append((SANS, str(number), 7.0, 40.0, top))
            page.append((font, text, size, 72.0, top))
            top += size * 1.6
        pages.append(page)
    reading, document, _ = read(made(tmp_path / "a.pdf", *pages))
    assert document.title == "Code for the Weight of Rain on Islands of the South"
    assert re.findall(r"\d+ The measure", reading.text) == []
    assert reading.text.count(SENTENCE) > 30


@pytest.mark.parametrize("below", ["black", "nothing"])
def test_white_letters_below_others_are_not_read(tmp_path: Path, below: str) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(WIDTH, HEIGHT))
    for font, line, size, at, top in prose(120, 6):
        canvas.setFont(font, size)
        canvas.drawString(at, HEIGHT - top, line)
    canvas.setFont(SERIF, 10)
    canvas.setFillColorRGB(0, 0, 0.5)
    canvas.rect(70, 390, 400, 20, fill=1) if below == "nothing" else None
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 395, "Variation of rain in parts of many islands")
    canvas.setFillColorRGB(0, 0, 0)
    canvas.setFont(BOLD, 10)
    canvas.drawString(72, 395 if below == "black" else 360, "Figure 1 Rain")
    canvas.save()
    reading, _, _ = read(tmp_path / "a.pdf")
    assert "Figure 1 Rain" in reading.text
    assert ("Variation of rain in parts of many islands" in reading.text) == (below == "nothing")


def test_a_list_of_works_below_addresses_at_the_foot_of_a_page_is_none_of_their_notes(tmp_path: Path) -> None:
    page = [
        *prose(80, 44),
        (SERIF, "1Institute of Weather, Papeete. 2Ministry of Health, Apia, Samoa.", 7.5, 72.0, 640.0),
        (SERIF, "Received: 10 December 2014 Accepted: 5 May 2015", 7.5, 72.0, 652.0),
        (SERIF, "References", 7.5, 72.0, 672.0),
        *(
            (
                SERIF,
                f"{n}. Doe J, Roe R ({1960 + n}) How rain number {n} is weighed. J Rain {n}: 1-8.",
                7.5,
                72.0,
                682.0 + 9 * n,
            )
            for n in range(1, 6)
        ),
    ]
    reading, _, _ = read(made(tmp_path / "a.pdf", prose(80, 50), page))
    assert all(f"rain number {n} " in listed(reading) for n in range(1, 6))
