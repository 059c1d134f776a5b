"""The parts of a paper from hand-made lines: front matter, sections, the list of works, contents, programs."""

from tests.adapters.pdf.test_structure import LEFT, Sheet, headings, paragraphs, prose, read, regions

from scholarmind.adapters.readers.pdf.page import Cell, TextLine
from scholarmind.adapters.readers.pdf.structure import structured
from scholarmind.identity import letters_of


def sections(*lines: tuple[str, dict[str, object]]) -> list[tuple[str, ...]]:
    """Return the headings found in a page on which these stand, each followed by a paragraph."""
    sheet = Sheet()
    sheet.paragraph(prose(90))
    for seed, (text, look) in enumerate(lines):
        sheet.line(text, **({"gap": 10, "right": 250.0} | look))  # type: ignore[arg-type]
        sheet.paragraph(prose(seed), gap=4)
    return headings(read(sheet))


def test_numbered_headings_in_bold_nest_by_their_numbers():
    look = {"bold": True}
    names = ("1 Introduction", "1.1 Aim", "2. Method", "2.1. Data", "2.1.1 Source", "A Proofs", "A.1 First")
    assert sections(*((name, look) for name in names)) == [
        ("1 Introduction",),
        ("1 Introduction", "1.1 Aim"),
        ("2. Method",),
        ("2. Method", "2.1. Data"),
        ("2. Method", "2.1. Data", "2.1.1 Source"),
        ("A Proofs",),
        ("A Proofs", "A.1 First"),
    ]


def test_plain_headings_are_known_by_the_order_of_their_numbers():
    names = ("1 Introduction", "1.1 Aim of the work", "2 Method", "3 Results")
    assert sections(*((name, {}) for name in names)) == [
        ("1 Introduction",),
        ("1 Introduction", "1.1 Aim of the work"),
        ("2 Method",),
        ("3 Results",),
    ]
    assert sections(("7 Samples were taken", {}), ("1994 Results", {})) == []


def test_roman_numbers_in_capitals_and_letters_in_italics():
    found = sections(
        ("I. INTRODUCTION", {}),
        ("II. RESULTS", {}),
        ("A. Main Experiment", {"italic": True}),
        ("III. CONCLUSION", {}),
        ("REFERENCES", {}),
    )
    assert found == [
        ("I. INTRODUCTION",),
        ("II. RESULTS",),
        ("II. RESULTS", "A. Main Experiment"),
        ("III. CONCLUSION",),
        ("REFERENCES",),
    ]


def test_chinese_headings():
    look = {"size": 12.0}
    names = ("第一章 绪论", "第一节 背景", "一、引言", "第二章方法", "参考文献")
    assert sections(*((name, look) for name in names)) == [
        ("第一章 绪论",),
        ("第一章 绪论", "第一节 背景"),
        ("第一章 绪论", "第一节 背景", "一、引言"),
        ("第二章方法",),
        ("参考文献",),
    ]
    assert sections(("1 引言", look), ("1.2 方法", look), ("2 结论", look)) == [
        ("1 引言",),
        ("1 引言", "1.2 方法"),
        ("2 结论",),
    ]


def test_headings_without_numbers_nest_by_size():
    large, small = {"size": 14.0, "bold": True}, {"size": 11.0, "bold": True}
    assert sections(("Background", large), ("Earlier work", small), ("Method", large)) == [
        ("Background",),
        ("Background", "Earlier work"),
        ("Method",),
    ]


def test_a_heading_over_two_lines_is_one():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.line("2 A Heading That Says So Much That It", size=12, bold=True, gap=10)
    sheet.line("Needs a Second Line", size=12, bold=True, right=200)
    sheet.paragraph(prose(2), gap=4)
    assert headings(read(sheet)) == [("2 A Heading That Says So Much That It Needs a Second Line",)]


def test_what_looks_like_a_heading_and_is_none():
    assert sections(("x = y + z (3)", {"bold": True})) == []
    assert sections(("Table 2: Scores", {"bold": True, "size": 11.0})) == []
    assert sections(("encoder layer", {"size": 7.0, "bold": True})) == []
    sheet = Sheet()
    sheet.row("Model", "Score", "Rank", bold=True)
    sheet.row("One", "1.5", "2")
    sheet.row("Two", "2.5", "1")
    assert headings(read(sheet)) == []


def test_bold_words_that_begin_a_paragraph_are_no_section():
    sheet = Sheet()
    sheet.paragraph(f"Datasets. {prose(1)}")
    sheet.paragraph(f"Metrics. {prose(2)}")
    assert headings(read(sheet)) == []


def front(*, named: str = "Abstract") -> Sheet:
    sheet = Sheet()
    sheet.line("A Title in Large Letters That Is", size=17, left=150, right=450)
    sheet.line("Over Two Lines", size=17, left=250, right=350)
    sheet.line("Ada Lovelace and Charles Babbage", size=12, gap=8, left=200, right=400)
    sheet.line("Analytical Society, London", size=10, left=220, right=380)
    if named:
        sheet.line(named, size=12, bold=True, gap=14, left=280, right=330)
    sheet.paragraph(prose(1, 60), lines=4, gap=12)
    sheet.line("1 Introduction", size=12, bold=True, gap=12, right=160)
    sheet.paragraph(prose(2), gap=4)
    return sheet


def test_title_and_authors_are_no_sections_and_the_abstract_is_one():
    text = structured([front().page], None, "A Title in Large Letters That Is Over Two Lines")
    assert headings(text) == [("Abstract",), ("1 Introduction",)]
    assert paragraphs(text)[:3] == [
        "A Title in Large Letters That Is Over Two Lines",
        "Ada Lovelace and Charles Babbage",
        "Analytical Society, London",
    ]


def test_an_abstract_without_a_name_is_found_between_authors_and_introduction():
    text = read(front(named=""))
    assert headings(text) == [("Abstract",), ("1 Introduction",)]
    assert text.text[text.sections[0].start :].startswith(prose(1, 60))


def test_an_abstract_that_begins_behind_its_name():
    for name, path in (("Abstract—", "Abstract"), ("ABSTRACT. ", "Abstract"), ("摘要：", "摘要"), ("【摘要】", "摘要")):
        sheet = Sheet()
        sheet.line("A Title in Large Letters", size=17, left=150, right=450)
        sheet.paragraph(f"{name}{prose(1)}", gap=10)
        sheet.line("1 Introduction", size=12, bold=True, gap=12, right=160)
        sheet.paragraph(prose(2), gap=4)
        text = read(sheet)
        assert headings(text) == [(path,), ("1 Introduction",)]
        assert text.text[text.sections[0].start :].startswith(prose(1))


def works(*items: str, heading: str = "References", hang: float = 0, gap: float = 0, size: float = 9) -> Sheet:
    """Write a list of works, each over two lines."""
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.line(heading, size=12, bold=True, gap=12, right=160)
    for item in items:
        words = item.split()
        half = len(words) // 2 + 1
        sheet.line(" ".join(words[:half]), size=size, gap=gap)
        sheet.line(" ".join(words[half:]), size=size, left=LEFT + hang, right=320)
    return sheet


NAMED = (
    "Brown, T., and Smith, A. 2019. A study of words and of what they say. Journal of Words 12, 3-20.",
    "Çelik, B. 2020. Nothing but readers in a library of many books. In Proceedings of the Society.",
    "van Dam, E., and Evans, F. G. 2021. Questions that nobody asked, and their answers. Elm Press.",
)


def test_works_with_labels_stand_one_a_line():
    for label in ("[{n}] ", "{n}. ", "({n}) "):
        items = [label.format(n=number) + item for number, item in enumerate(NAMED, 1)]
        assert regions(read(works(*items)), "references") == ["\n".join(items)]
    items = [f"[{key}] {item}" for key, item in zip(("BS19", "Çel20", "vDE21"), NAMED, strict=True)]
    assert regions(read(works(*items)), "references") == ["\n".join(items)]


def test_works_without_labels_stand_one_a_line():
    for look in ({"hang": 14.0}, {"gap": 5.0}, {"hang": 14.0, "gap": 5.0}, {}):
        assert regions(read(works(*NAMED, **look)), "references") == ["\n".join(NAMED)]


def test_the_list_of_works_goes_on_over_pages_and_ends_at_an_appendix():
    one, two = works(NAMED[0], heading="7 References", hang=14), Sheet(2)
    two.line(NAMED[1], size=9)
    two.line("A Further Proofs", size=12, bold=True, gap=12, right=160)
    two.paragraph(prose(2), gap=4)
    text = read(one, two)
    assert regions(text, "references") == ["\n".join(NAMED[:2])]
    assert headings(text) == [("7 References",), ("A Further Proofs",)]
    assert paragraphs(text)[-1] == prose(2)


def test_a_years_or_pages_at_the_beginning_of_a_line_begin_no_work():
    sheet = works(
        "[1] One, A. A work of some length that was printed in the year",
        "[2] Two, B. Another one of them that is short.",
    )
    sheet.page.lines[-3].text = "12. Some Press, 1999."
    assert [item[:7] for item in regions(read(sheet), "references")[0].split("\n")] == ["[1] One", "[2] Two"]


def test_contents_are_kept_apart_one_entry_a_line():
    entries = [
        "1 Introduction . . . . . . 1",
        "1.1 Aim . . . . . . . . . . 2",
        "2 Method . . . . . . . . . 14",
        "A Proofs . . . . . . . . . 30",
    ]
    sheet = Sheet()
    sheet.line("Contents", size=14, bold=True, right=150)
    for entry in entries:
        sheet.line(entry, gap=2)
    sheet.line("1 Introduction", size=14, bold=True, gap=20, right=180)
    sheet.paragraph(prose(1), gap=4)
    text = read(sheet)
    assert regions(text, "contents") == ["\n".join(entries)]
    assert headings(text)[1:] == [("1 Introduction",)]
    assert paragraphs(text)[-1] == prose(1)


def test_programs_keep_their_lines():
    program = ["def read(path):", "for line in lines:", "count = count + 1", "if count > 3:", "return count"]
    sheet = Sheet()
    sheet.paragraph(prose(1))
    for place, line in enumerate(program):
        sheet.line(line, gap=0 if place else 10, right=200)
    sheet.paragraph(prose(2), gap=12)
    assert paragraphs(read(sheet)) == [prose(1), "\n".join(program), prose(2)]


def test_footnotes_are_told_apart_by_their_marks():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.top = 690
    sheet.line("∗ Work done elsewhere.", size=8, gap=10, right=200)
    sheet.line("1 A note of some length that", size=8, raised=[(0, 1)])
    sheet.line("goes on.", size=8, right=120)
    expected = "∗ Work done elsewhere.\n1 A note of some length that goes on."
    assert regions(read(sheet), "footnote") == [expected]


def test_words_inside_a_figure_go_with_its_caption():
    sheet = Sheet()
    words = prose(1, 60).split()
    sheet.line(" ".join(words[:30]), left=LEFT + 15)
    sheet.block = 1
    for label in ("encoder", "decoder", "loss"):
        sheet.line(label, size=7, gap=20, left=200, right=230)
    sheet.line("Figure 2: The parts of it.", size=9, gap=10, right=240)
    sheet.block = 2
    sheet.line(" ".join(words[30:]), gap=20, right=400)
    text = read(sheet)
    assert paragraphs(text)[0] == prose(1, 60)
    assert regions(text, "caption") == ["Figure 2: The parts of it.\n\nencoder\n\ndecoder\n\nloss"]


def test_the_outline_of_the_file_tells_headings_and_their_depth():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.line("Of quiet things", gap=3, right=160)
    sheet.paragraph(prose(2), gap=3)
    assert headings(structured([sheet.page], {1: {letters_of("Of quiet things"): 2}})) == [("Of quiet things",)]


def test_labels_that_stand_in_a_column_of_their_own_go_back_to_their_works():
    items = [f"{number}. {item}" for number, item in enumerate(NAMED, 1)]
    sheet = works(*NAMED)
    firsts = sheet.page.lines[-6::2]
    for number, line in enumerate(firsts, 1):
        cell = [Cell(start=0, end=2, left=50, right=60)]
        label = TextLine(
            text=f"{number}.", left=50, top=line.top, right=60, bottom=line.bottom, size=9, block=5, cells=cell
        )
        sheet.page.lines.append(label)
    assert regions(read(sheet), "references") == ["\n".join(items)]


def test_labels_in_letters_that_stand_in_a_column_of_their_own_go_back_to_their_works():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.line("References", bold=True, gap=10, right=150)
    works = (
        "A. One. On the first of works. 1998.",
        "B. Two. On the second of works. 2004.",
        "C. Three. The last. 2011.",
    )
    labels = ("[One98]", "[TOF+04]", "[Thr11]")
    first = sheet.top
    for work in works:
        sheet.line(work, left=LEFT + 46, right=400)
    for place, label in enumerate(labels):
        top = first + 12 * place
        cell = [Cell(start=0, end=len(label), left=LEFT, right=LEFT + 38)]
        line = TextLine(text=label, left=LEFT, top=top, right=LEFT + 38, bottom=top + 10, size=10, block=1, cells=cell)
        sheet.page.lines.append(line)
    listed = "\n".join(f"{label} {work}" for label, work in zip(labels, works, strict=True))
    assert regions(read(sheet), "references") == [listed]


def test_a_footnote_whose_words_are_pushed_apart_is_one():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.top = 700
    words = "1On such words nothing more can be said here than that they stand far apart and fill it"
    spread = sheet.line(words, size=8, gap=20, raised=[(0, 1)])
    places = range(0, 80, 16)
    spread.cells = [Cell(start=at, end=at + 15, left=LEFT + 5.4 * at, right=LEFT + 5.4 * at + 78) for at in places]
    spread.cells[-1].end = len(words)
    assert regions(read(sheet), "footnote") == [words]


def test_footnotes_that_count_like_the_pages_stay():
    sheets = [Sheet(number) for number in (1, 2, 3)]
    said = ("Note that this is explained elsewhere", "The figures are those of the year before", "See the appendix")
    notes = [f"{number}{words} by somebody else." for number, words in enumerate(said, 1)]
    for sheet, note in zip(sheets, notes, strict=True):
        sheet.paragraph(prose(sheet.page.number))
        sheet.top = 730
        sheet.line(note, size=8, raised=[(0, 1)], right=330)
    assert regions(read(*sheets), "footnote") == notes


def test_a_sentence_goes_on_behind_a_float_though_its_lines_are_not_filled():
    for end, rest in (
        ("what it does is", "BERT."),
        ("as all others, i.e.", "BERT."),
        ("in the", "European market it rose."),
    ):
        sheet = Sheet()
        sheet.paragraph(prose(1))
        sheet.line("Of all the models that were looked at in this work the best one by far,", left=LEFT + 15)
        sheet.line(end, right=470)
        sheet.line("Figure 1: What it looks like.", size=9, gap=30, right=250)
        sheet.line(rest, gap=30, right=120)
        sheet.paragraph(prose(3), gap=8)
        joined = f"Of all the models that were looked at in this work the best one by far, {end} {rest}"
        assert paragraphs(read(sheet))[1] == joined


def test_numbers_at_the_axes_of_a_figure_are_no_paragraphs():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    for numbers in ("1.0", "0.8", "0.6", "0.4"):
        sheet.line(numbers, right=LEFT + 20, gap=8)
    sheet.line("0 100 200 300 400 500 600", gap=8, right=400)
    sheet.line("Figure 1: How it rises.", size=9, gap=12, right=250)
    sheet.paragraph(prose(2), gap=12)
    text = read(sheet)
    (region,) = regions(text, "caption")
    assert region.startswith("Figure 1: How it rises.")
    assert {"1.0", "0 100 200 300 400 500 600"} < {*region.split("\n"), *region.split("\n\n")}
    assert [paragraphs(text)[0], paragraphs(text)[-1]] == [prose(1), prose(2)]


def test_numbers_without_even_steps_stay_in_the_text():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.line("17 4 1988 3", gap=12, right=150)
    sheet.paragraph(prose(2), gap=12)
    assert regions(read(sheet), "caption") == []


def test_a_table_over_two_pages_is_one_with_its_head_once():
    for repeated in (True, False):
        one, two = Sheet(1), Sheet(2)
        one.paragraph(prose(1))
        one.line("Table 1. Scores on two tasks.", size=9, gap=10, right=260)
        one.row("Model", "Accuracy", "F1", bold=True, gap=4)
        one.row("BERT", "84.1", "79.2")
        one.row("Ours", "90.3", "88.8")
        if repeated:
            two.row("Model", "Accuracy", "F1", bold=True)
        two.row("Theirs", "80.3", "78.8")
        two.row("Nobody", "12.9", "10.5")
        two.paragraph(prose(2), gap=20)
        (table,) = regions(read(one, two), "table")
        assert table.split("\n") == [
            "Model | Accuracy | F1",
            "Model: BERT; Accuracy: 84.1; F1: 79.2",
            "Model: Ours; Accuracy: 90.3; F1: 88.8",
            "Model: Theirs; Accuracy: 80.3; F1: 78.8",
            "Model: Nobody; Accuracy: 12.9; F1: 10.5",
        ]


def test_a_stretched_line_below_a_table_is_text():
    sheet = Sheet()
    sheet.paragraph(prose(1))
    sheet.row("Model", "Accuracy", "F1", bold=True, gap=20)
    sheet.row("BERT", "84.1", "79.2")
    sheet.row("Ours", "90.3", "88.8")
    words = [
        Cell(start=start, end=start + 5, left=LEFT + 13.6 * start, right=LEFT + 13.6 * start + 50)
        for start in (0, 6, 12)
    ]
    sheet.line("Words pushed apart for it", gap=12, cells=[*words, Cell(start=19, end=25, left=420, right=540)])
    sheet.line("to be as wide as the column that it stands in.", right=400)
    text = read(sheet)
    assert regions(text, "table") == [
        "Model | Accuracy | F1\nModel: BERT; Accuracy: 84.1; F1: 79.2\nModel: Ours; Accuracy: 90.3; F1: 88.8"
    ]
    assert paragraphs(text)[-1] == "Words pushed apart for it to be as wide as the column that it stands in."


def test_another_table_on_the_next_page_stays_another():
    one, two = Sheet(1), Sheet(2)
    one.paragraph(prose(1))
    for rows, sheet in ((("Model", "84.1", "79.2"), one), (("Corpus", "7", "9"), two)):
        sheet.row(rows[0], "Accuracy", "F1", bold=True, gap=4)
        sheet.row(*rows)
        sheet.row(*rows)
    two.paragraph(prose(2), gap=20)
    assert len(regions(read(one, two), "table")) == 2


def test_heads_that_say_what_the_section_is_called_go_from_short_documents_too():
    sheets = [Sheet(number) for number in (1, 2, 3)]
    for sheet, name in zip(sheets, ("1 First things", "2 Second things", "3 Last things"), strict=True):
        sheet.paragraph(prose(sheet.page.number))
        sheet.line(name, bold=True, size=12, gap=10, right=250)
        sheet.paragraph(prose(sheet.page.number + 10), gap=4)
        sheet.at(name[2:].upper(), top=40, right=200)
    text = read(*sheets)
    assert [path[-1] for path in headings(text)] == ["1 First things", "2 Second things", "3 Last things"]
    assert "THINGS" not in text.text


def test_lines_beside_the_authors_that_come_later_do_not_part_a_sentence():
    sheet = Sheet()
    sheet.line("A Study of Small Samples", size=16, left=150, right=460)
    sheet.line("Ada Lovelace", gap=6, left=160, right=230)
    left = {"left": LEFT, "right": 300.0}
    sheet.top = 200
    sheet.line("Abstract", bold=True, left=160, right=210)
    for words in (
        prose(1, 24),
        prose(2, 24),
        "Words that end this column and say that the result is not of the kind that we",
    ):
        sheet.line(words, **left)
    block = [
        ("Institute of Reading, Norwood", 150.0, 330, 470),
        ("wanted.", 200.0, 320, 360),
        ("Sentences follow that are of no further interest to us.", 230.0, 320, 540),
    ]
    for number, (words, top, start, end) in enumerate(block, 1):
        cell = [Cell(start=0, end=len(words), left=start, right=end)]
        made = TextLine(text=words, left=start, top=top, right=end, bottom=top + 10, size=10, block=number, cells=cell)
        sheet.page.lines.append(made)
    assert "of the kind that we wanted." in read(sheet, title=letters_of("A Study of Small Samples")).text
