"""An answer as a PDF: citations that lead to their sources, an outline, and Chinese.

reportlab writes it (the extra `documents`). Each sign is set in the first font that has it: Times, then Vera, which comes with reportlab,
then STSong-Light, which readers of PDFs bring along. A sign that none of them has loses its accent, or becomes `?`.
"""

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

_ADDRESS = re.compile(r"(https?://\S+)")
_SIZES = {"title": (16, 20, 10), "heading": (12.5, 16, 6), "text": (10.5, 15, 5), "small": (8.5, 11, 3)}
_LATIN, _WIDER, _CHINESE = "Times-Roman", "Vera", "STSong-Light"
_INDENT = 16
_MARGIN = 62
_WIDTHS = (0.06, 0.38, 0.21, 0.08, 0.27)  # of the completeness table


def pdf_document(manuscript: Manuscript) -> bytes:
    """Return the file."""
    from reportlab.lib.pagesizes import A4  # noqa: PLC0415
    from reportlab.platypus import SimpleDocTemplate  # noqa: PLC0415

    _register_fonts()
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


def _register_fonts() -> None:
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # noqa: PLC0415
    from reportlab.pdfbase.ttfonts import TTFont  # noqa: PLC0415

    metrics: Any = importlib.import_module("reportlab.pdfbase.pdfmetrics")  # which has types in part
    if _WIDER not in metrics.getRegisteredFontNames():
        metrics.registerFont(TTFont(_WIDER, "Vera.ttf"))
    if _CHINESE not in metrics.getRegisteredFontNames():
        metrics.registerFont(UnicodeCIDFont(_CHINESE))


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
