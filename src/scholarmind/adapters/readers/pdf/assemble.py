"""One text out of the pieces: with its sections, its regions, and where each line of it stands on the pages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scholarmind.adapters.readers.decode import clean
from scholarmind.adapters.readers.pdf.hyphens import Words
from scholarmind.adapters.readers.pdf.levels import Heading, levels, look_of
from scholarmind.adapters.readers.pdf.marks import abstract_start, is_entry
from scholarmind.adapters.readers.pdf.numbering import bare_name
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.adapters.readers.pdf.parting import Piece
from scholarmind.adapters.readers.pdf.style import Printed
from scholarmind.adapters.readers.pdf.tables import rows_of
from scholarmind.adapters.readers.pdf.works import items_of
from scholarmind.layout import Box, Layout, Line, Page
from scholarmind.model import Region, RegionKind, Section

_REGIONS: dict[str, RegionKind] = {
    "caption": "caption",
    "figure": "caption",
    "table": "table",
    "footnote": "footnote",
    "references": "references",
    "contents": "contents",
}
_TOGETHER = frozenset({("item", "item"), ("footnote", "footnote"), ("contents", "contents")})
_SHORTEST_ABSTRACT = 350  # characters of one that has no name


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A document as one text."""

    text: str
    sections: tuple[Section, ...]
    regions: tuple[Region, ...]
    layout: Layout


@dataclass(slots=True)
class _Sheet:
    """The text as it grows."""

    words: Words
    parts: list[str] = field(default_factory=list[str])
    length: int = 0
    lines: list[Line] = field(default_factory=list[Line])
    sections: list[Section] = field(default_factory=list[Section])
    regions: list[Region] = field(default_factory=list[Region])

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def gap(self, sign: str) -> None:
        if self.length:
            self.add(sign)

    def join(self, lines: Sequence[Printed]) -> None:
        """Add lines as one, each with its box; a hyphen that only broke a word goes."""
        texts = [flat(entry.line.text) for entry in lines]
        kept = [(entry, text) for entry, text in zip(lines, texts, strict=True) if text]
        for place, (entry, text) in enumerate(kept):
            below = kept[place + 1][1] if place + 1 < len(kept) else ""
            cut, sign = self.words.joint(text, below)
            whole = text[: len(text) - cut].replace("\u00ad", "")
            self.place(whole, [entry])
            self.add(sign)

    def place(self, text: str, entries: Sequence[Printed]) -> None:
        """Add a text that these lines show."""
        if text:
            self.lines.append(Line(start=self.length, end=self.length + len(text), box=_box(entries)))
            self.add(text)


def assembled(
    pieces: Sequence[Piece], words: Words, sizes: Sequence[tuple[float, float]], given: dict[int, int]
) -> Text:
    """Return the text of these pieces, which are used up. `sizes` are those of the pages, `given` levels of headings by their places."""
    sheet = _Sheet(words)
    depths = _depths(pieces, given)
    nameless = _nameless_abstract(pieces)
    path: dict[int, str] = {}
    last = ""
    for place, piece in enumerate(pieces):
        sheet.gap("\n" if (last, piece.kind) in _TOGETHER else "\n\n")
        start = sheet.length
        if piece.kind == "heading":
            path = _heading(sheet, piece, depths[place], path)
        else:
            _body(sheet, piece)
        if place == nameless or piece.kind == "text":
            skip = abstract_start(flat(piece.lines[0].line.text)) if piece.kind == "text" else 0
            if place == nameless or (skip and not path):
                name = "摘要" if "要" in piece.lines[0].line.text[:skip] else "Abstract"
                path = {1: name}
                sheet.sections.append(Section(heading=start, start=start + skip, path=(name,)))
        _region(sheet, piece.kind, start, last)
        last = piece.kind
        piece.lines = []
    text = "".join(sheet.parts)
    layout = Layout(pages=tuple(_pages(sheet.lines, sizes, len(text))), lines=tuple(sheet.lines))
    return Text(text=text, sections=tuple(sheet.sections), regions=tuple(sheet.regions), layout=layout)


def flat(text: str) -> str:
    """Return the text of a line as it may be stored: no control signs, one space between words."""
    if text.isascii() and text.isprintable() and "  " not in text:  # as most lines are
        return text.strip(" ")
    return " ".join(clean(text).split())


def _heading(sheet: _Sheet, piece: Piece, depth: int, path: dict[int, str]) -> dict[int, str]:
    start = sheet.length
    sheet.join(piece.lines)
    title = "".join(sheet.parts)[start:] if not sheet.lines else _tail(sheet, start)
    path = {level: name for level, name in path.items() if level < depth} | {depth: title}
    sheet.sections.append(Section(heading=start, start=sheet.length, path=tuple(path.values())))
    return path


def _tail(sheet: _Sheet, start: int) -> str:
    """Return what was added since this position."""
    found: list[str] = []
    length = sheet.length
    for part in reversed(sheet.parts):
        if length <= start:
            break
        found.append(part)
        length -= len(part)
    return "".join(reversed(found))


def _body(sheet: _Sheet, piece: Piece) -> None:
    if piece.kind == "table":
        for place, row in enumerate(rows_of(piece.lines)):
            sheet.add("\n" if place else "")
            sheet.place(row.text, row.lines)
        return
    for place, lines in enumerate(_items(piece)):
        sheet.add("\n" if place else "")
        sheet.join(lines)


def _items(piece: Piece) -> Iterable[list[Printed]]:
    """Return what of a piece stands on a line of its own."""
    if piece.kind == "references":
        return items_of(piece.lines)
    if piece.kind == "contents":
        return _entries(piece.lines)
    if piece.kind in {"code", "figure"}:
        return [[entry] for entry in piece.lines]
    return [piece.lines]


def _entries(lines: Sequence[Printed]) -> Iterator[list[Printed]]:
    entry: list[Printed] = []
    for line in lines:
        entry.append(line)
        if is_entry(line.line):
            yield entry
            entry = []
    if entry:
        yield entry


def _region(sheet: _Sheet, kind: str, start: int, last: str) -> None:
    """Note what the text since `start` is; the words of a figure go with its caption, footnotes with each other."""
    region = _REGIONS.get(kind)
    if region is None or sheet.length == start:
        return
    before = sheet.regions[-1] if sheet.regions else None
    together = (kind == "figure" and last in {"caption", "figure"}) or (last, kind) in _TOGETHER
    if together and before is not None and before.kind == region:
        sheet.regions[-1] = Region(start=before.start, end=sheet.length, kind=region)
    else:
        sheet.regions.append(Region(start=start, end=sheet.length, kind=region))


def _depths(pieces: Sequence[Piece], given: dict[int, int]) -> dict[int, int]:
    places = [place for place, piece in enumerate(pieces) if piece.kind == "heading"]
    headings = [
        Heading(
            text=" ".join(flat(entry.line.text) for entry in pieces[place].lines),
            look=look_of(pieces[place].lines),
            given=given.get(place),
        )
        for place in places
    ]
    return dict(zip(places, levels(headings), strict=True))


def _nameless_abstract(pieces: Sequence[Piece]) -> int | None:
    """Return the place of an abstract that is not called so: the long paragraph between the authors and the first heading."""
    first = next((place for place, piece in enumerate(pieces) if piece.kind == "heading"), None)
    if first is None or bare_name(pieces[first].lines[0].line.text).casefold() in {"abstract", "summary", "摘要"}:
        return None
    above = [place for place in range(first) if pieces[place].kind == "text" and pieces[place].lines[0].page == 1]
    if any(abstract_start(flat(pieces[place].lines[0].line.text)) for place in above) or not any(
        p.front for p in pieces[:first]
    ):
        return None
    size = {place: sum(len(entry.line.text) for entry in pieces[place].lines) for place in above}
    best = max(above, key=size.__getitem__, default=None)
    return best if best is not None and size[best] >= _SHORTEST_ABSTRACT else None


def _pages(lines: Iterable[Line], sizes: Sequence[tuple[float, float]], end: int) -> Iterator[Page]:
    """Yield the pages, each with where the first of its text stands; one without text begins where the next one does."""
    first: dict[int, int] = {}
    for line in lines:
        first.setdefault(line.box.page, line.start)
    starts: list[int] = []
    for number in range(len(sizes), 0, -1):
        end = min(end, first.get(number, end))
        starts.append(end)
    for number, ((width, height), start) in enumerate(zip(sizes, reversed(starts), strict=True), 1):
        yield Page(number=number, width=width, height=height, start=start)


def _box(entries: Sequence[Printed]) -> Box:
    if len(entries) == 1:
        line = entries[0].line
        return Box(page=entries[0].page, left=line.left, top=line.top, right=line.right, bottom=line.bottom)
    lines: list[TextLine] = [entry.line for entry in entries]
    return Box(
        page=entries[0].page,
        left=min(line.left for line in lines),
        top=min(line.top for line in lines),
        right=max(line.right for line in lines),
        bottom=max(line.bottom for line in lines),
    )
