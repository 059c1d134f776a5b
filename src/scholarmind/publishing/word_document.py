"""An answer as a Word document: headings, lists and tables in Word's own styles, citations that lead to their sources.

python-docx writes it (the extra `documents`). Chinese is set in the fonts that Word has for it on Windows and on a Mac.
"""

import importlib
import io
import re
from collections.abc import Sequence
from typing import Any

from scholarmind.identity import page_link
from scholarmind.publishing.manuscript import (
    CitationGroup,
    CitedPlace,
    Content,
    ListedSource,
    Manuscript,
    ManuscriptBlock,
    StyledText,
)

WordDocument = Any  # python-docx has types for half of what it does
Paragraph = Any
_ADDRESS = re.compile(r"(https?://\S+)")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FONT, _CHINESE_FONT = "Cambria", "SimSun"
_DEEPEST = 3  # Word's template has lists of three levels
_WIDTHS = (0.07, 0.37, 0.2, 0.08, 0.28)  # of the completeness table


def word_document(manuscript: Manuscript) -> bytes:
    """Return the file."""
    document: WordDocument = importlib.import_module("docx").Document()
    _set_fonts(document)
    document.core_properties.title = _clean(manuscript.title)[:255]
    document.core_properties.author = "ScholarMind"
    words = manuscript.words
    document.add_heading(_clean(manuscript.title), 1)
    for block in manuscript.blocks:
        _add_block(document, block, manuscript)
    for line in manuscript.doubts:
        document.add_paragraph(_clean(line), style="Caption")
    if manuscript.table:
        document.add_heading(_capital(words["completeness"]), 2)
        _add_table(document, [[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, _WIDTHS)
        verdict = document.add_paragraph(f"{words['verdict']}: ")
        verdict.add_run(_clean(manuscript.verdict)).bold = True
    if manuscript.notes:
        document.add_heading(_capital(words["notes"]), 2)
        for note in manuscript.notes:
            document.add_paragraph(_clean(note), style="List Bullet")
    if manuscript.sources:
        document.add_heading(_capital(words["sources"]), 2)
        for number, source in enumerate(manuscript.sources, 1):
            _add_source(document, source, number)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _set_fonts(document: WordDocument) -> None:
    qn = importlib.import_module("docx.oxml.ns").qn
    for name in ("Normal", "Heading 1", "Heading 2", "Heading 3", "Heading 4", "Caption"):
        style: Any = document.styles[name]
        style.font.name = _FONT
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _CHINESE_FONT)


def _add_block(document: WordDocument, block: ManuscriptBlock, manuscript: Manuscript) -> None:
    match block.kind:
        case "heading":
            _fill(document.add_heading("", min(block.level + 1, 4)), block.content, manuscript)
        case "table":
            _add_table(document, block.rows, manuscript)
        case "item":
            level = min(block.level, _DEEPEST)
            if block.number:  # Word would count on from the list before
                paragraph = document.add_paragraph(f"{block.number}. ", style=_level("List", level))
            else:
                paragraph = document.add_paragraph(style=_level("List Bullet", level))
            _fill(paragraph, block.content, manuscript)
        case "quotation":
            _fill(document.add_paragraph(style="Quote"), block.content, manuscript)
        case _:
            style = _level("List Continue", min(block.level, _DEEPEST)) if block.level else "Normal"
            _fill(document.add_paragraph(style=style), block.content, manuscript)


def _level(style: str, level: int) -> str:
    return style if level == 1 else f"{style} {level}"


def _add_table(
    document: WordDocument,
    rows: Sequence[Sequence[Content]],
    manuscript: Manuscript,
    widths: Sequence[float] = (),
) -> None:
    table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Light Grid Accent 1")
    section = document.sections[0]
    wide = (section.page_width or 0) - (section.left_margin or 0) - (section.right_margin or 0)
    for number, (row, line) in enumerate(zip(rows, table.rows, strict=True)):
        for place, (content, cell) in enumerate(zip(row, line.cells, strict=True)):
            cell.width = int(wide * (widths[place] if widths else 1 / len(row)))
            _fill(cell.paragraphs[0], content, manuscript, bold=number == 0)
    document.add_paragraph()


def _fill(paragraph: Paragraph, content: Content, manuscript: Manuscript, *, bold: bool = False) -> None:
    for piece in content:
        if isinstance(piece, CitationGroup):
            paragraph.add_run("[")
            for place, item in enumerate(piece.items):
                paragraph.add_run("; " if place else "")
                _cite(paragraph, item, manuscript)
            paragraph.add_run("]")
        else:
            run = paragraph.add_run(_clean(piece.text))
            run.bold, run.italic = (piece.bold or bold) or None, piece.italic or None
            if piece.code:
                run.font.name = "Consolas"


def _cite(paragraph: Paragraph, item: CitedPlace, manuscript: Manuscript) -> None:
    source = manuscript.source(item.work)
    pages = f", {manuscript.pages(item.pages)}" if item.pages else ""
    text = f"{item.shown}{pages}"
    if source is None:
        paragraph.add_run(_clean(text))
        return
    link = page_link(source.document, item.pages[0]) if item.pages else ""
    anchor = f"source{manuscript.sources.index(source) + 1}"
    _link(paragraph, item.shown if link else text, anchor=anchor)
    if link:
        paragraph.add_run(", ")
        _link(paragraph, manuscript.pages(item.pages), address=link)


def _add_source(document: WordDocument, source: ListedSource, number: int) -> None:
    oxml, qn = importlib.import_module("docx.oxml"), importlib.import_module("docx.oxml.ns").qn
    paragraph: Paragraph = document.add_paragraph()
    for kind in ("Start", "End"):
        mark = oxml.OxmlElement(f"w:bookmark{kind}")
        mark.set(qn("w:id"), str(number))
        if kind == "Start":
            mark.set(qn("w:name"), f"source{number}")
        paragraph._p.append(mark)  # noqa: SLF001  (python-docx has no bookmarks)
    paragraph.add_run(_clean(f"[{source.shown}] ")).bold = True
    for place, part in enumerate(_ADDRESS.split(source.entry)):
        if place % 2:
            _link(paragraph, part, address=part)
        elif part:
            paragraph.add_run(_clean(part))
    if source.zotero:
        paragraph.add_run(" ")
        _link(paragraph, "Zotero", address=source.zotero)


def _link(paragraph: Paragraph, text: str, *, anchor: str = "", address: str = "") -> None:
    """Add words that lead to a bookmark or to an address."""
    oxml, qn = importlib.import_module("docx.oxml"), importlib.import_module("docx.oxml.ns").qn
    link = oxml.OxmlElement("w:hyperlink")
    if address:
        link.set(
            qn("r:id"),
            paragraph.part.relate_to(
                address, importlib.import_module("docx.opc.constants").RELATIONSHIP_TYPE.HYPERLINK, is_external=True
            ),
        )
    else:
        link.set(qn("w:anchor"), anchor)
    link.append(paragraph.add_run(_clean(text))._r)  # noqa: SLF001  (python-docx has no hyperlinks that are written)
    paragraph._p.append(link)  # noqa: SLF001


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


def _capital(text: str) -> str:
    return _clean(text[:1].upper() + text[1:])
