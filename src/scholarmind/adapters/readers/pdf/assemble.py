"""One text out of the pieces: with its sections, its regions, and where each line of it stands on the pages.

Lines are joined at their hyphens, and the list of works is parted into works.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scholarmind import languages
from scholarmind.adapters.readers.composition import clean
from scholarmind.adapters.readers.file_metadata import is_address
from scholarmind.adapters.readers.pdf.blocks import PageBlock, rows_of
from scholarmind.adapters.readers.pdf.headings import Heading, bare_name, levels, look_of
from scholarmind.adapters.readers.pdf.page import Printed, TextLine, abstract_start, is_entry
from scholarmind.layout import Box, Layout, Line, Page
from scholarmind.model import Region, RegionKind, Section

# -- what becomes of a hyphen at the end of a line

_SOFT = "\u00ad\x02\ufffe"
_HYPHENS = "-\u2010" + _SOFT
_HYPHENED = tuple(_HYPHENS)
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_PLAIN = re.compile(r"[a-z]+(?:-[a-z]+)*")  # the same in ASCII, and quicker
_LAST = re.compile(r"([^\W_]+(?:[-\u2010][^\W_]+)*)[-\u2010\u00ad\x02\ufffe]+$")
_FIRST = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_WIDE = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_ADDRESS = re.compile(r"(?:https?://|www\.|[\w\-]+\.[a-z]{2,}/|10\.\d{4,9}/)\S*$", re.IGNORECASE)
_MANY = 10_000
_LONGEST = 80  # letters of a word that is broken
_LONG = 4  # letters of a part that is a word by itself
_PREFIXES = frozenset(
    "non semi multi pre post co re anti real end fine large small all ex self well high low cross long short state".split()
)

_FRONT = frozenset("self well high low cross long short state".split())  # rarely the beginning of a longer word
_ENDINGS = ("ing", "en", "er", "ed", "ly", "est", "light", "itud", "land", "ward")
_SMALL_WORDS = frozenset("to of the in on at by and or a up out off".split())


class Words:
    """The words of a document: what a broken word is when it is whole shows elsewhere."""

    def __init__(self, lines: Iterable[TextLine]) -> None:
        self._seen: Counter[str] = Counter()
        words: list[str] = []
        for line in lines:
            text = line.text.casefold()
            found = _PLAIN.findall(text) if text.isascii() else _WORD.findall(text.replace("\u2010", "-"))
            # the last word may be half of one, and so may the first
            words += found[1:-1] if line.text.endswith(_HYPHENED) else found[1:]
            if len(words) > _MANY:  # not all at once: a long document has millions
                self._seen.update(words)
                words.clear()
        self._seen.update(words)

    def joint(self, above: str, below: str) -> tuple[int, str]:
        """Return how many characters the upper line loses at its end, and what stands between the two."""
        if not above or not below:
            return 0, ""
        if above[-1] in _HYPHENS:
            marks = len(above) - len(above.rstrip(_HYPHENS))
            if above[-1] in _SOFT:
                return marks, ""
            last, first = _LAST.search(above, max(0, len(above) - _LONGEST)), _FIRST.match(below)
            if last is None or first is None:
                return 0, " " if above[-2:-1].isspace() or not above[:-1] else ""
            if marks > 1 or _is_address(above):
                return 0, ""
            return (0 if self._is_real(last[1], first[0]) else marks), ""
        if above[-1] in "/_=&%.~" and not below[:1].isupper() and _is_address(above):
            return 0, ""
        if above[-1] in "—–" and not above[-2:-1].isspace():
            return 0, ""
        return 0, "" if _is_tight(above[-1], below[0]) else " "

    def _is_real(self, last: str, first: str) -> bool:
        """Tell whether the hyphen is part of the word."""
        if not first[0].islower() or not last[-1].islower():
            return first[0].isupper() or first[0].isdigit() or not last[-1].isalpha() or last.isupper()
        left, right = last.casefold().replace("\u2010", "-"), first.casefold().replace("\u2010", "-")
        compound, whole = self._seen[f"{left}-{right}"], self._seen[left + right]
        if compound or whole:
            return compound > whole
        part, rest = left.rpartition("-")[2], right.partition("-")[0]
        if self._seen[part + rest]:
            return False
        if part != left and (self._seen[part] or part in _SMALL_WORDS):  # "end-to-", "state-of-the-"
            return True
        if part in _FRONT and len(rest) >= _LONG and not rest.startswith(_ENDINGS):
            return True
        known = self._seen[rest] and (part in _PREFIXES or (self._seen[part] and min(len(part), len(rest)) >= _LONG))
        return bool(known)


def _is_address(text: str) -> bool:
    """Tell whether the last word of a line is one of the web, or a DOI."""
    return _ADDRESS.search(text.rsplit(maxsplit=1)[-1]) is not None


def _is_tight(last: str, first: str) -> bool:
    """Tell that no space belongs between two characters: between Chinese ones, and between these and brackets."""
    if last.isascii() and first.isascii():
        return False
    before, behind = bool(_WIDE.match(last)), bool(_WIDE.match(first))
    if before and behind:
        return True
    return (before and not first.isalnum()) or (behind and last in "/([<-)]>")


# -- the list of works, one a line

_LABELS = (
    re.compile(r"\s*[\[［【](?P<n>\d{1,4})[\]］】]"),
    re.compile(r"\s*[\[［](?P<n>[^\W\d_][\w+*'’\- .,&]{0,40}?\d{2,4}[a-z]?)[\]］]"),
    re.compile(r"\s*\((?P<n>\d{1,3})\)\s"),
    re.compile(r"\s*(?P<n>\d{1,3})[.．、]\s*(?=\D)"),
    re.compile(r"\s*(?P<n>\d{1,3})\s+(?=[A-Z\"“\u3400-\u9fff])"),
)

_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_NAME = rf"{_CAPITAL}[\w'’\-]+"
_AUTHOR = re.compile(
    rf"(?:(?:(?:von|van|de|del|der|den|di|da|la|le|el|al)\s){{0,2}}{_NAME}(?:\s{_NAME})?,\s*(?:{_CAPITAL}[.\-]|{_NAME})|"
    rf"(?:{_CAPITAL}\.[\s\-]?){{1,3}}{_NAME}|{_NAME}(?:\s{_CAPITAL}\.?){{0,2}}\s{_NAME}(?:,|\sand\s|\.)|"
    rf"{_NAME}\s{_CAPITAL}{{1,3}}(?:,|\.)|[\u3400-\u9fff]{{2,4}}[,，.．、])"
)

_ENDED = re.compile(r"[.。)\]\d]\s*$|\S+/\S+\s*$")
_INDENT = 5.0
_ROOM = 1.18  # pitches


def _rule(lines: Sequence[Printed]) -> Callable[[int], bool]:
    """Return what tells a first line, by the surest sign that this list has."""
    labelled = _labelled(lines)
    if labelled:
        return labelled.__contains__
    hanging = _hanging(lines)
    if hanging is not None:
        return hanging.__contains__
    rooms = {place for place, entry in enumerate(lines) if _ROOM < entry.gap < 5}
    if len(rooms) > 1 and len(rooms) > 0.1 * len(lines):
        tops = {place for place, entry in enumerate(lines) if entry.gap >= 5 and _by_name(lines, place)}
        return (rooms | tops).__contains__
    return lambda place: _by_name(lines, place)


def _labelled(lines: Sequence[Printed]) -> set[int]:
    """Return the lines that begin with a label, if most of the list's numbers are there and in order."""
    for kind, label in enumerate(_LABELS):
        found = [(place, match["n"]) for place, entry in enumerate(lines) if (match := label.match(entry.line.text))]
        if not found or found[0][0] > 2:
            continue
        if kind == 1:
            return {place for place, _ in found}
        counted = _in_order([(place, int(number)) for place, number in found])
        if len(counted) > 0.6 * len(found) and (len(counted) > 1 or len(lines) < 6):
            return counted
    return set()


def _in_order(found: Sequence[tuple[int, int]]) -> set[int]:
    """Keep the numbers that count on: a year or a page at the beginning of a line does not."""
    kept: set[int] = set()
    last = None
    for place, number in found:
        if last is None or last < number <= last + 3:
            kept.add(place)
            last = number
    return kept


def _hanging(lines: Sequence[Printed]) -> set[int] | None:
    """Return the first lines of a list whose other lines are indented, or whose first lines are. None: it has no indents."""
    # the left edges of the columns: the leftmost line of all those that begin near it, on whatever page
    lefts = Counter(round(entry.line.left, 1) for entry in lines)
    edges: list[float] = []
    for left in sorted(lefts):
        if not edges or left - edges[-1] > 40:
            edges.append(left)
    columns = edges + [entry.left for entry in lines if all(abs(edge - entry.left) >= 40 for edge in edges)]
    indents = [entry.line.left - min(left for left in columns if abs(left - entry.left) < 40) for entry in lines]
    deep = [indent > _INDENT for indent in indents]
    shares = sum(deep) / max(len(lines), 1)
    if not 0.1 < shares < 0.92 or len(lines) < 3:
        return None
    flush = {place for place, value in enumerate(deep) if not value}
    named = sum(_AUTHOR.match(lines[place].line.text) is not None for place in flush)
    indented = set(range(len(lines))) - flush
    other = sum(_AUTHOR.match(lines[place].line.text) is not None for place in indented)
    hanging = named / max(len(flush), 1) >= other / max(len(indented), 1)
    return flush if hanging else indented | {0}


def _by_name(lines: Sequence[Printed], place: int) -> bool:
    above = lines[place - 1]
    ended = _ENDED.search(above.line.text) is not None
    return (
        ended
        and _AUTHOR.match(lines[place].line.text) is not None
        and (not above.full or above.line.text.rstrip().endswith("."))
    )


# -- the text, with its sections, regions and lines

_REGIONS: dict[str, RegionKind] = {
    "caption": "caption",
    "figure": "caption",
    "table": "table",
    "footnote": "footnote",
    "references": "references",
    "contents": "contents",
}

_IMPRINT = tuple(languages.pattern(code, "paper.imprint") for code in ("en", "zh"))
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


def _is_imprint(text: str) -> bool:
    """Tell what a publisher, not the author, says on a first page: how to cite it, when it came, who owns it."""
    return any(pattern.match(text) for pattern in _IMPRINT)


def assembled(
    pieces: Sequence[PageBlock], words: Words, sizes: Sequence[tuple[float, float]], given: dict[int, int]
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
        # note what the text since `start` is; the words of a figure go with its caption, footnotes with each other
        kind = piece.kind
        region = _REGIONS.get(kind)
        begins = flat(piece.lines[0].line.text) if kind in {"text", "footnote"} and piece.lines[0].page == 1 else ""
        if begins and (_is_imprint(begins) or (piece.front and is_address(begins))):
            region = "front"
        if region is not None and sheet.length != start:
            before = sheet.regions[-1] if sheet.regions else None
            together = (kind == "figure" and last in {"caption", "figure"}) or (last, kind) in _TOGETHER
            if together and before is not None and before.kind == region:
                sheet.regions[-1] = Region(start=before.start, end=sheet.length, kind=region)
            else:
                sheet.regions.append(Region(start=start, end=sheet.length, kind=region))
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


def _heading(sheet: _Sheet, piece: PageBlock, depth: int, path: dict[int, str]) -> dict[int, str]:
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


def _body(sheet: _Sheet, piece: PageBlock) -> None:
    if piece.kind == "table":
        for place, row in enumerate(rows_of(piece.lines)):
            sheet.add("\n" if place else "")
            sheet.place(row.text, row.lines)
        return
    for place, lines in enumerate(_items(piece)):
        sheet.add("\n" if place else "")
        sheet.join(lines)


def _items(piece: PageBlock) -> Iterable[list[Printed]]:
    """Return what of a piece stands on a line of its own."""
    if piece.kind == "references":
        # the lines of each work
        begins = _rule(piece.lines)
        items: list[list[Printed]] = []
        for place, entry in enumerate(piece.lines):
            if place == 0 or begins(place):
                items.append([])
            items[-1].append(entry)
        return items
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


def _depths(pieces: Sequence[PageBlock], given: dict[int, int]) -> dict[int, int]:
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


def _nameless_abstract(pieces: Sequence[PageBlock]) -> int | None:
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
