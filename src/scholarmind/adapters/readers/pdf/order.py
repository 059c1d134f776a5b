"""Pieces in the order in which they are read: paragraphs that a float, a footnote or the end of a page cut in two are made whole."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.adapters.readers.pdf.marks import FIGURE
from scholarmind.adapters.readers.pdf.parting import Piece, is_axis, is_numbers, is_scale
from scholarmind.adapters.readers.pdf.style import Printed, Style
from scholarmind.adapters.readers.pdf.tables import rest_of

_FLOATS = frozenset({"caption", "table", "figure", "footnote"})
_MOST_FLOATS = 24  # pieces that may stand between the two halves of a paragraph
_ENDS = (".", "!", "?", "。", "！", "？", "…", "”", '"', ".)", "’", "：", ":")
_OPEN = re.compile(  # no sentence ends so
    r"(?<![^\W\d_])(?:(?:i\. ?e|e\. ?g|cf|vs|et al|resp|approx|figs?|eqs?|sec|dr|prof|z\. ?b|d\. ?h|bzw|vgl)\.|"
    r"a|an|the|of|and|or|to|in|on|at|by|for|from|with|as|is|are|was|were|be|that|this|which|we|not|than|der|die|das|und|von|mit)$",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"\bcont(?:inued|'?d|\.)|\bfortsetzung\b|续表|續表|（续）|\(续\)", re.IGNORECASE)
_LABEL = 40  # characters of a word in a figure
_NEXT = 1.2  # pitches to the next line of the same
_SMALL = 0.94


def in_order(pieces: Sequence[Piece], style: Style) -> list[Piece]:
    """Return the pieces with whole paragraphs, each followed by the floats that stood in it."""
    marked = _with_figures(_with_whole_tables([piece for piece in pieces if piece.lines]), style)
    found: list[Piece] = []
    waiting: list[Piece] = []
    for place, piece in enumerate(marked):
        if piece.kind in _FLOATS or _is_stray(piece, found):
            waiting.append(piece)
            continue
        last = found[-1] if found else None
        if waiting and last is not None and not _may_join(last, piece, style, len(waiting)):
            found += _with_captions(waiting)
            waiting = []
            last = None if found[-1].kind in _FLOATS else found[-1]
        near = last is not None and _may_join(last, piece, style, len(waiting))
        if last is not None and near and (waiting or _apart(last.lines[-1], piece.lines[0])):
            last.lines += piece.lines
        else:
            found += _with_captions(waiting)
            waiting = []
            found.append(piece)
        if place + 1 < len(marked) and len(waiting) > _MOST_FLOATS:
            found += _with_captions(waiting)
            waiting = []
    return found + list(_with_captions(waiting))


def _is_stray(piece: Piece, found: Sequence[Piece]) -> bool:
    """Tell a line of the front matter that comes after text has begun: an author above the second column."""
    return piece.front and bool(found) and found[-1].kind == "text" and not found[-1].front


def _with_captions(floats: Sequence[Piece]) -> Iterator[Piece]:
    """Yield floats, the words inside a figure behind its caption."""
    figures: list[Piece] = []
    for piece in floats:
        if piece.kind == "figure":
            figures.append(piece)
            continue
        yield piece
        yield from figures
        figures = []
    yield from figures


def _apart(above: Printed, below: Printed) -> bool:
    """Tell whether a column or a page ends between the two."""
    return above.page != below.page or below.gap >= 9.0


def _may_join(last: Piece, piece: Piece, style: Style, floats: int) -> bool:
    """Tell whether the piece goes on with the paragraph before it."""
    if piece.kind != "text" or last.kind not in {"text", "item"} or last.front or piece.front or floats > _MOST_FLOATS:
        return False
    above, below = last.lines[-1], piece.lines[0]
    if abs(above.line.size - below.line.size) > 0.8 or above.line.bold != below.line.bold:
        return False
    if below.page - above.page > 3 or not (floats or _apart(above, below)):
        return False
    end, start = above.line.text.rstrip(), below.line.text.lstrip()
    if start[:1].islower() and not end.endswith((":", "：")):
        # what stands right below the float goes on with that
        return not (floats and below.gap < _NEXT and end.endswith(_ENDS))
    starts_flush = -4 < below.indent < 4
    if not end.endswith(_ENDS) or _OPEN.search(end):
        full = above.full or _OPEN.search(end) is not None  # lines that are not filled may go on, too
        return full and (starts_flush or not style.indents)
    return style.indents and last.kind == "text" and above.full and starts_flush and below.full


def _with_whole_tables(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces, with the rows of a table that goes on on the next page in one of them."""
    found: list[Piece] = []
    table: Piece | None = None
    for piece in pieces:
        if piece.kind == "table" and table is not None:
            rows = rest_of(table.lines, piece.lines)
            # what seems to be a footnote may be rows, too: then only a head that comes again is proof
            if rows is not None and (found[-1].kind != "footnote" or len(rows) < len(piece.lines)):
                table.lines += rows
                continue
        if piece.kind == "table":
            table = piece
        elif piece.kind != "footnote" and not _CONTINUED.search(piece.lines[0].line.text):
            table = None
        found.append(piece)
    return found


def _with_figures(pieces: list[Piece], style: Style) -> list[Piece]:
    """Mark the words inside figures: short lines in small letters right above (or, where none are, right below) a figure's caption."""
    for place, piece in enumerate(pieces):
        scale = piece.kind in {"text", "table"} and not piece.front and is_scale(piece.lines, style)
        if scale or (piece.kind == "text" and is_axis(piece.lines)):
            piece.kind = "figure"
        if piece.kind == "caption" and FIGURE.match(piece.lines[0].line.text):
            _mark(pieces, place, style)
    return pieces


def _mark(pieces: Sequence[Piece], place: int, style: Style) -> None:
    page = pieces[place].lines[0].page
    for step in (-1, 1):
        other = place + step
        marked = False
        while 0 <= other < len(pieces) and _is_label(pieces[other], page, style):
            pieces[other].kind = "figure"
            other += step
            marked = True
        if marked:
            return


def _is_label(piece: Piece, page: int, style: Style) -> bool:
    if piece.kind not in {"text", "item", "table", "code"} or piece.front or piece.lines[0].page != page:
        return False
    if piece.kind == "table" and any(character.isalpha() for entry in piece.lines for character in entry.line.text):
        return False
    if piece.kind == "text" and is_numbers(piece.lines):
        return True
    short = all(len(entry.line.text) < _LABEL for entry in piece.lines)
    small = all(entry.line.size < _SMALL * style.size for entry in piece.lines)
    closed = piece.lines[-1].line.text.rstrip().endswith((".", "。", ",", ";"))
    loose = all(not entry.full or entry.right - entry.left < 60 for entry in piece.lines) and len(piece.lines) < 4
    return short and not closed and (small or (loose and piece.kind == "text" and len(piece.lines[0].line.text) < 25))
