"""An answer as a document of Word and of PDF."""

import importlib
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Flowable

# -- Word

WordDocument = Any  # python-docx has types for half of what it does
Paragraph = Any
_ADDRESS = re.compile(r"(https?://\S+)")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FONT, _CHINESE_FONT = "Cambria", "SimSun"
_DEEPEST = 3  # Word's template has lists of three levels
_WORD_WIDTHS = (0.07, 0.37, 0.2, 0.08, 0.28)  # of the completeness table


def word_document(manuscript: Manuscript) -> bytes:
    """Return the file."""
    document: WordDocument = importlib.import_module("docx").Document()
    qn = importlib.import_module("docx.oxml.ns").qn
    for name in ("Normal", "Heading 1", "Heading 2", "Heading 3", "Heading 4", "Caption"):
        style: Any = document.styles[name]
        style.font.name = _FONT
        style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _CHINESE_FONT)
    document.core_properties.title = _clean(manuscript.title)[:255]
    document.core_properties.author = "ScholarMind"
    words = manuscript.words
    document.add_heading(_clean(manuscript.title), 1)
    for block in manuscript.blocks:
        _add_block(document, block, manuscript)
    for line in manuscript.doubts:
        document.add_paragraph(_clean(line), style="Caption")
    if manuscript.table:
        document.add_heading(_word_capital(words["completeness"]), 2)
        _add_table(
            document, [[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, _WORD_WIDTHS
        )
        verdict = document.add_paragraph(f"{words['verdict']}: ")
        verdict.add_run(_clean(manuscript.verdict)).bold = True
    if manuscript.notes:
        document.add_heading(_word_capital(words["notes"]), 2)
        for note in manuscript.notes:
            document.add_paragraph(_clean(note), style="List Bullet")
    if manuscript.sources:
        document.add_heading(_word_capital(words["sources"]), 2)
        for number, source in enumerate(manuscript.sources, 1):
            _add_source(document, source, number)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


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
                source = manuscript.source(item.work)
                pages = f", {manuscript.pages(item.pages)}" if item.pages else ""
                text = f"{item.shown}{pages}"
                if source is None:
                    paragraph.add_run(_clean(text))
                else:
                    link = page_link(source.document, item.pages[0]) if item.pages else ""
                    anchor = f"source{manuscript.sources.index(source) + 1}"
                    _link(paragraph, item.shown if link else text, anchor=anchor)
                    if link:
                        paragraph.add_run(", ")
                        _link(paragraph, manuscript.pages(item.pages), address=link)
            paragraph.add_run("]")
        else:
            run = paragraph.add_run(_clean(piece.text))
            run.bold, run.italic = (piece.bold or bold) or None, piece.italic or None
            if piece.code:
                run.font.name = "Consolas"


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


def _word_capital(text: str) -> str:
    return _clean(text[:1].upper() + text[1:])


# -- PDF

_SIZES = {"title": (16, 20, 10), "heading": (12.5, 16, 6), "text": (10.5, 15, 5), "small": (8.5, 11, 3)}
_LATIN, _WIDER, _CHINESE = "Times-Roman", "Vera", "STSong-Light"
_INDENT = 16
_MARGIN = 62
_WIDTHS = (0.06, 0.38, 0.21, 0.08, 0.27)  # of the completeness table


def pdf_document(manuscript: Manuscript) -> bytes:
    """Return the file."""
    from reportlab.lib.pagesizes import A4  # noqa: PLC0415
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # noqa: PLC0415
    from reportlab.pdfbase.ttfonts import TTFont  # noqa: PLC0415
    from reportlab.platypus import SimpleDocTemplate  # noqa: PLC0415

    metrics: Any = importlib.import_module("reportlab.pdfbase.pdfmetrics")  # which has types in part
    if _WIDER not in metrics.getRegisteredFontNames():
        metrics.registerFont(TTFont(_WIDER, "Vera.ttf"))
    if _CHINESE not in metrics.getRegisteredFontNames():
        metrics.registerFont(UnicodeCIDFont(_CHINESE))
    file = io.BytesIO()
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), _MARGIN)
    document: Any = SimpleDocTemplate(
        file, pagesize=A4, title=manuscript.title[:300], author="ScholarMind", invariant=1, **margins
    )
    document.build(list(_story(manuscript)), onFirstPage=_number, onLaterPages=_number)
    return file.getvalue()


def _number(canvas: Any, document: Any) -> None:
    canvas.setFont(_LATIN, 8)
    canvas.drawCentredString(document.pagesize[0] / 2, _MARGIN / 2, str(document.page))


def _story(manuscript: Manuscript) -> "Iterator[Flowable]":
    words = manuscript.words
    yield _paragraph(_text(manuscript.title, bold=True), "title")
    for block in manuscript.blocks:
        yield from _block(block, manuscript)
    yield from (_paragraph(_text(line), "small") for line in manuscript.doubts)
    if manuscript.table:
        yield _paragraph(_text(_capital(words["completeness"]), bold=True), "heading")
        yield from _table([[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, _WIDTHS)
        yield _paragraph(f"{_text(words['verdict'])}: {_text(manuscript.verdict, bold=True)}", "text")
    if manuscript.notes:
        yield _paragraph(_text(_capital(words["notes"]), bold=True), "heading")
        yield from (_paragraph(_text(note), "text", indent=1, bullet="•") for note in manuscript.notes)
    if manuscript.sources:
        yield _paragraph(_text(_capital(words["sources"]), bold=True), "heading")
        yield from (_paragraph(_source(source, number), "text") for number, source in enumerate(manuscript.sources, 1))


def _block(block: ManuscriptBlock, manuscript: Manuscript) -> "Iterator[Flowable]":
    match block.kind:
        case "heading":
            yield _paragraph(_content(block.content, manuscript, bold=True), "heading")
        case "table":
            yield from _table(block.rows, manuscript)
        case "item":
            bullet = f"{block.number}." if block.number else "•"
            yield _paragraph(_content(block.content, manuscript), "text", indent=block.level, bullet=bullet)
        case "quotation":
            yield _paragraph(_content(block.content, manuscript), "text", indent=block.level + 1)
        case _:
            yield _paragraph(_content(block.content, manuscript), "text", indent=block.level)


def _paragraph(markup: str, size: str, *, indent: int = 0, bullet: str = "") -> "Flowable":
    from reportlab.platypus import Paragraph  # noqa: PLC0415

    return Paragraph(markup, _style(size, indent, wraps_anywhere=_CHINESE in markup), bulletText=bullet or None)


@lru_cache(maxsize=64)
def _style(size: str, indent: int, *, wraps_anywhere: bool) -> "ParagraphStyle":
    from reportlab.lib.styles import ParagraphStyle  # noqa: PLC0415

    font, leading, space = _SIZES[size]
    return ParagraphStyle(
        size,
        fontName=_LATIN,
        fontSize=font,
        leading=leading,
        spaceBefore=space if size in {"title", "heading"} else 0,
        spaceAfter=space,
        leftIndent=_INDENT * indent,
        bulletIndent=_INDENT * (indent - 1) + 4,
        wordWrap="CJK" if wraps_anywhere else None,
    )


def _table(
    rows: Sequence[Sequence[Content]], manuscript: Manuscript, widths: Sequence[float] = ()
) -> "Iterator[Flowable]":
    from reportlab.lib.colors import grey  # noqa: PLC0415
    from reportlab.lib.pagesizes import A4  # noqa: PLC0415
    from reportlab.platypus import LongTable, Spacer, TableStyle  # noqa: PLC0415

    wide = A4[0] - 2 * _MARGIN
    cells = [
        [_paragraph(_content(cell, manuscript, bold=number == 0), "small") for cell in row]
        for number, row in enumerate(rows)
    ]
    shares = widths or (1 / len(rows[0]),) * len(rows[0])
    table = LongTable(cells, colWidths=[wide * share for share in shares], repeatRows=1)
    table.setStyle(TableStyle([("LINEBELOW", (0, 0), (-1, -1), 0.4, grey), ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    yield from (table, Spacer(0, 8))


def _content(content: Content, manuscript: Manuscript, *, bold: bool = False) -> str:
    parts: list[str] = []
    for piece in content:
        if isinstance(piece, CitationGroup):
            parts.append(f"[{'; '.join(_cited(item, manuscript) for item in piece.items)}]")
        else:
            parts.append(_text(piece.text, bold=bold or piece.bold, italic=piece.italic, code=piece.code))
    return "".join(parts)


def _cited(item: CitedPlace, manuscript: Manuscript) -> str:
    source = manuscript.source(item.work)
    if source is None:
        return _text(item.shown)
    number = manuscript.sources.index(source) + 1
    told = f'<a href="#source{number}">{_text(item.shown)}</a>'
    if not item.pages:
        return told
    link = page_link(source.document, item.pages[0])
    pages = _text(manuscript.pages(item.pages))
    return f"{told}, " + (f'<a href="{escape(link)}">{pages}</a>' if link else pages)


def _source(source: ListedSource, number: int) -> str:
    parts = _ADDRESS.split(source.entry)
    entry = "".join(
        f'<a href="{escape(part)}" color="#1a4f8b">{_text(part)}</a>' if place % 2 else _text(part)
        for place, part in enumerate(parts)
    )
    zotero = f' <a href="{escape(source.zotero)}" color="#1a4f8b">Zotero</a>' if source.zotero else ""
    return f'<a name="source{number}"/>{_text(f"[{source.shown}]", bold=True)} {entry}{zotero}'


def _text(text: str, *, bold: bool = False, italic: bool = False, code: bool = False) -> str:
    """Return words as reportlab's markup, each stretch in a font that has its signs."""
    parts: list[str] = []
    for font, signs in groupby(_settable(text), key=_font_of):
        words = escape("".join(signs)).replace("\n", "<br/>")
        if font != _LATIN:
            words = f'<font name="{font}">{words}</font>'
        elif code:
            words = f'<font name="Courier">{words}</font>'
        else:
            words = f"<i>{words}</i>" if italic else words
            words = f"<b>{words}</b>" if bold else words
        parts.append(words)
    return "".join(parts)


def _settable(text: str) -> Iterator[str]:
    for sign in text:
        if _font_of(sign):
            yield sign
            continue
        plain = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part))
        yield from plain if plain and all(map(_font_of, plain)) else "?"


@lru_cache(maxsize=8_192)
def _font_of(sign: str) -> str:
    """Return the first font that has the sign, or ''."""
    from reportlab.pdfbase.pdfmetrics import getFont  # noqa: PLC0415

    if _encodes(sign, "cp1252"):
        return _LATIN
    wider: Any = getFont(_WIDER)
    if ord(sign) in wider.face.charToGlyph:
        return _WIDER
    return _CHINESE if _encodes(sign, "gbk") else ""


def _encodes(sign: str, encoding: str) -> bool:
    try:
        return bool(sign.encode(encoding))
    except UnicodeEncodeError:
        return False


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
