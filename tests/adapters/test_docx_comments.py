"""Comments in a copy of a Word file, as Word and its readers see them."""

import io
from pathlib import Path

import docx

from scholarmind.adapters.readers.draft_files import commented

NOW = "2026-01-02T03:04:05Z"


def draft(path: Path) -> Path:
    document = docx.Document()
    document.add_heading("History", 1)
    paragraph = document.add_paragraph("The bridge is ")
    paragraph.add_run("412 metres").bold = True
    paragraph.add_run(" long. It opened in 1934. Ferries went on.")
    document.add_paragraph("大桥长412米。")
    document.save(str(path))
    return path


def test_a_comment_spans_its_sentence_and_nothing_else_changes(tmp_path: Path) -> None:
    path = draft(tmp_path / "draft.docx")
    content, found = commented(
        path,
        [("It opened in 1934.", "contradicted\n<not> & so"), ("大桥长412米。", "缺少引用"), ("Not there.", "lost")],
        10**7,
        date=NOW,
    )
    read = docx.Document(io.BytesIO(content))
    assert found == 2
    assert [one.text for one in read.paragraphs] == [one.text for one in docx.Document(str(path)).paragraphs]
    assert [(one.author, one.text) for one in read.comments] == [
        ("ScholarMind", "contradicted\n<not> & so"),
        ("ScholarMind", "缺少引用"),
    ]
    body = read.paragraphs[1]._p.xml
    inside = body[body.index("commentRangeStart") : body.index("commentRangeEnd")]
    assert ("It opened in 1934." in inside, "Ferries" in inside, "long" in inside) == (True, False, False)


def test_comments_that_are_there_stay(tmp_path: Path) -> None:
    path = draft(tmp_path / "draft.docx")
    first, _ = commented(path, [("It opened in 1934.", "one")], 10**7, date=NOW)
    path.write_bytes(first)
    second, found = commented(path, [("The bridge is 412 metres long.", "two")], 10**7, date=NOW)
    assert found == 1
    assert [one.text for one in docx.Document(io.BytesIO(second)).comments] == ["one", "two"]
