"""LaTeX sources, alone or as an archive of a folder, written out as paragraphs, sections and regions. Nothing is run.

Commands that are not known are left out, their text is kept. What a source says of itself (title, authors, date, DOI) is read from before
its text."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from scholarmind.adapters.readers.composition import Composition, GridCell, clean, column_names, flowed, line_of
from scholarmind.adapters.readers.containers import Archive
from scholarmind.adapters.readers.file_metadata import document_of, with_file_name
from scholarmind.adapters.readers.html import content_of
from scholarmind.adapters.readers.tex_source import (
    VERBATIM,
    Inline,
    TexFolder,
    TexSource,
    citations_of,
    expanded,
    load,
    main_file,
    plain_text,
)
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading, RegionKind, Value
from scholarmind.text.untrusted import printable

# -- the body: with its tables, and numbered as LaTeX would

# Blocks come first, and one text of them last: until then floats and notes can change places.

# -- blocks

Kind = Literal["heading", "paragraph", "lines", "block", "open", "close"]


@dataclass(frozen=True, slots=True)
class Block:
    """Something to be written: what, its lines, and what region it is or how high a heading."""

    kind: Kind
    lines: tuple[str, ...] = ()
    region: RegionKind | None = None
    level: int = 0


def compose(blocks: list[Block]) -> Composition:
    """Return the text that the blocks make up."""
    composition = Composition()
    ways: dict[Kind, Callable[[Block], None]] = {
        "heading": lambda block: composition.heading(block.level, block.lines[0]),
        "paragraph": lambda block: composition.block(block.lines[0]),
        "lines": lambda block: composition.lines(block.lines, block.region),
        "block": lambda block: composition.block(block.lines[0]),
        "open": lambda block: composition.open(block.region or "abstract"),
        "close": lambda _: composition.close(),
    }
    for block in blocks:
        ways[block.kind](block)
    return composition


# -- environments whose inside is read in a way of its own; of what takes arguments: how many

_FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat dmath IEEEeqnarray empheq subeqnarray gathered split".split()
)

_DROPPED = frozenset("tikzpicture pgfpicture picture filecontents CCSXML comment forest axis tikzcd pspicture".split())
_TABLES = {
    "tabular": 1,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "array": 1,
    "supertabular": 1,
    "xtabular": 1,
    "tblr": 1,
    "NiceTabular": 1,
}

_LISTS = frozenset(
    "itemize enumerate description compactitem compactenum inparaenum inparaitem dinglist labeling".split()
)

_WITH_ARGUMENT = {
    "minipage": 1,
    "multicols": 1,
    "adjustbox": 1,
    "column": 1,
    "subfigure": 1,
    "subtable": 1,
    "wrapfigure": 2,
    "wraptable": 2,
    "spacing": 1,
    "textblock": 1,
    "thebibliography": 1,
}


# -- numbers of sections, figures, tables and theorems, and what labels mean

_STEP = re.compile(
    r"\\(?P<section>chapter|(?:sub){0,2}section)\s*(?=[\[{])|\\(?P<appendix>appendix)\b|\\label\s*\{(?P<label>[^{}]*)\}|"
    r"\\(?P<caption>caption)\s*(?=[\[{])|\\begin\s*\{(?P<begin>[^{}\n]*)\}|\\end\s*\{(?P<end>[^{}\n]*)\}"
)

_SECTIONS = ("chapter", "section", "subsection", "subsubsection")
_ALIGNED = frozenset("align gather eqnarray multline flalign alignat".split())
_FLOATS = {
    "figure": "Figure", "wrapfigure": "Figure", "sidewaysfigure": "Figure", "SCfigure": "Figure", "subfigure": "",
    "table": "Table", "wraptable": "Table", "sidewaystable": "Table", "longtable": "Table", "subtable": "",
    "algorithm": "Algorithm", "listing": "Listing", "marginfigure": "Figure", "margintable": "Table", "threeparttable": "",
    "algorithm2e": "Algorithm", "teaserfigure": "Figure",
}  # fmt: skip


class Numbers:
    """`labels` gives "Figure 3" for a label, `captions` the same for the place where a caption stands.

    `ends` gives for the place behind a `\\begin{...}` where its `\\end` begins and ends.
    """

    def __init__(self, text: str, theorems: Mapping[str, str]) -> None:
        self.labels: dict[str, str] = {}
        self.captions: dict[int, str] = {}
        self.ends: dict[int, tuple[int, int]] = {}
        self._begun: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}
        self._sections = [0, 0, 0, 0]
        self._is_appendix = False
        self._theorems = theorems
        self._floats: list[str] = []
        self._current = ""
        for found in _STEP.finditer(text):
            if found["label"]:
                if self._current:
                    self.labels[found["label"].strip()] = self._current
            elif found["section"]:
                level = _SECTIONS.index(found["section"])
                self._sections = [*self._sections[:level], self._sections[level] + 1, *[0] * (3 - level)]
                if level == 0:
                    self._counts.clear()
                first = next((place for place, count in enumerate(self._sections) if count), level)
                told = [str(count) for count in self._sections[first : level + 1]]
                if self._is_appendix and self._sections[first] <= 26:
                    told[0] = chr(ord("A") + self._sections[first] - 1)
                self._current = f"{'Chapter' if level == 0 else 'Section'} {'.'.join(told)}"
            elif found["appendix"]:
                self._is_appendix, self._sections = True, [0, 0, 0, 0]
            elif found["caption"]:
                position = found.start()
                kind = next((_FLOATS[name] for name in reversed(self._floats) if _FLOATS[name]), "")
                if kind and not (self._floats and not _FLOATS[self._floats[-1]]):
                    self.captions[position] = self._current = self._next(kind)
            elif found["begin"]:
                self._begun.setdefault(found["begin"].strip(), []).append(found.end())
                self._begin(found["begin"].strip().rstrip("*"))
            elif found["end"]:
                self._end(found["end"].strip(), found)

    def _begin(self, name: str) -> None:
        if name in _FLOATS:
            self._floats.append(name)
        elif name in self._theorems:
            self._current = self._next(self._theorems[name])
        elif name == "equation":
            self._current = self._next("Equation")
        elif name in _ALIGNED:
            self._current = ""  # which of its lines has which number is not seen from here

    def _end(self, name: str, found: re.Match[str]) -> None:
        if self._begun.get(name):
            self.ends[self._begun[name].pop()] = (found.start(), found.end())
        if self._floats and name.rstrip("*") == self._floats[-1]:
            self._floats.pop()

    def _next(self, kind: str) -> str:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        chapter = f"{self._sections[0]}." if self._sections[0] else ""
        return f"{kind} {chapter}{self._counts[kind]}"


# -- tables

_MARK = re.compile(r"\\(?P<nest>begin|end)\b|\\\\(?:\*?\[[^\]\n]*\])?|\\tabularnewline\b|\\[\s\S]|[{}&]")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|specialrule|hhline|Xhline|cmidrule|cline|thickhline|endhead|endfirsthead|endfoot|endlastfoot|addlinespace|morecmidrules)\b\s*(?:\([^()]*\))?(?:\[[^\]]*\])?(?:\{[^{}]*\})*"
)

_FULL_RULE = re.compile(r"\\(?:hline|midrule|specialrule|hhline|Xhline|thickhline|endhead|endfirsthead)\b")
_WIDE = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_HIGH = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\{\s*-?(\d{1,3})\s*\}")
_MOST_ROWS = 20_000
_MOST_HEADERS = 3


@dataclass(slots=True)
class _SourceRow:
    """A row of the source: where its cells are, and whether a rule is drawn above it."""

    cells: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    below_rule: bool = False


def _rows_of(inline: Inline, start: int, end: int) -> Iterator[str]:
    """Yield a line for every row between these places of the source."""
    raw = [row for row in _raw_rows(inline, start, end) if row.cells]
    hanging: dict[int, tuple[GridCell, int]] = {}
    filled = [(row, _cells(inline, row, hanging)) for row in raw[:_MOST_ROWS]]
    rows = [(row, cells) for row, cells in filled if any(cell.text for cell in cells)]
    count = _headers([row for row, _ in rows])
    names = column_names([cells for _, cells in rows[:count]])
    for _, cells in rows[count:]:
        line = line_of(cells, names)
        if line:
            yield line


def _raw_rows(inline: Inline, start: int, end: int) -> Iterator[_SourceRow]:
    text, row, begun, position, nested = inline.text, _SourceRow(), start, start, 0
    while found := _MARK.search(text, position, end):
        position = found.end()
        sign = found[0]
        nested += {"begin": 1, "end": -1}.get(found["nest"] or "", 0)
        if sign == "{":
            position = max(position, inline.closing(found.start()) + 1)
        elif nested <= 0 and sign == "&":
            row.cells.append((begun, found.start()))
            begun = position
        elif nested <= 0 and sign.startswith(("\\\\", "\\tabularnewline")):
            row.cells.append((begun, found.start()))
            yield _ruled(text, row)
            row, begun = _SourceRow(), position
    row.cells.append((begun, end))
    yield _ruled(text, row)


def _ruled(text: str, row: _SourceRow) -> _SourceRow:
    """Take the rules out of the first cell of a row."""
    start, end = row.cells[0]
    row.below_rule = _FULL_RULE.search(text, start, end) is not None
    while found := _RULE.search(text, start, min(end, start + 500)):
        if text[start : found.start()].strip():
            break
        start = found.end()
    row.cells[0] = (min(start, end), end)
    return row


def _cells(inline: Inline, row: _SourceRow, hanging: dict[int, tuple[GridCell, int]]) -> list[GridCell]:
    cells: list[GridCell] = []
    for start, end in row.cells:
        wide, high = _WIDE.match(inline.text, start, end), _HIGH.search(inline.text, start, min(end, start + 200))
        width = min(100, max(1, int(wide[1]))) if wide else 1
        cell = GridCell(_text(inline, start, end, high), width=width)
        for place in range(width):
            cells.append(_hung(GridCell(cell.text, width=width, is_first=place == 0), len(cells), hanging))
            if high and cell.text:
                hanging[len(cells) - 1] = (cells[-1], int(high[1]) - 1)
    return cells


def _text(inline: Inline, start: int, end: int, high: re.Match[str] | None) -> str:
    if high is None:
        return inline.plain(start, end)
    group = inline.argument(high.end(), end)  # the width, then the text
    return inline.plain(group[2] if group else high.end(), end).removeprefix("*").strip()


def _hung(cell: GridCell, place: int, hanging: dict[int, tuple[GridCell, int]]) -> GridCell:
    """Return the cell, or the high one from above that hangs down into its place."""
    if place not in hanging:
        return cell
    above, left = hanging[place]
    if left <= 0 or cell.text:
        del hanging[place]
        return cell
    hanging[place] = (above, left - 1)
    return above


def _headers(rows: list[_SourceRow]) -> int:
    """Return how many rows stand above the first rule that has rows on both sides."""
    for count, row in enumerate(rows[1 : _MOST_HEADERS + 1], start=1):
        if row.below_rule:
            return count
    return 0


# -- the writer

_LEVELS = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "frametitle": 5}
_BLOCK = re.compile(
    r"\\(?P<word>begin|end|part|chapter|(?:sub){0,2}section|frametitle|paragraph|subparagraph|caption|captionof|item|par|abstract|"
    r"bibliography|printbibliography|maketitle|tableofcontents)(?![a-zA-Z@])\*?[ \t]*|(?P<gap>\n[ \t]*\n\s*)"
)

_PIECE = re.compile(r"\n[ \t]*\n\s*")
_VERBATIM = re.compile(VERBATIM)
_OPTIONS = re.compile(r"(?:\s*\[[^\]\n]*\])*")
_LABEL = re.compile(r"\\(?:label\s*\{[^{}]*\}|nonumber\b|notag\b)")
_DEEPEST = 8


@dataclass(slots=True)
class TexWriter:
    """Goes through a source once. Floats are put behind the paragraph that they interrupt, footnotes too."""

    inline: Inline
    numbers: Numbers
    theorems: dict[str, str]
    blocks: list[Block] = field(default_factory=list[Block])
    depth: int = 0
    _line: list[str] = field(default_factory=list[str])
    _behind: list[Block] = field(default_factory=list[Block])
    _items: list[str] | None = None
    _lists: int = 0
    _floats: list[str] = field(default_factory=list[str])
    _listed: bool = False
    _gap: int = 0  # where the paragraph ends that we are in

    def write(self, start: int, end: int) -> list[Block]:
        """Return the blocks between these places."""
        position = start
        while position < end:
            found = _BLOCK.match(self.inline.text, position, end)
            if found is None:
                piece, position = self._running(position, end)
                self._line.append(piece)
            elif found["gap"]:
                position = found.end()
                self._end_line()
            else:
                position = self._command(found["word"], found.start(), found.end(), end)
        self._end_list()
        return self.blocks

    def _running(self, position: int, end: int) -> tuple[str, int]:
        """Return running text up to the end of the paragraph at most."""
        if self.inline.text[position] in "\\$":
            return self.inline.step(position, end)
        return self.inline.step(position, self._gap_behind(position, end))

    def _gap_behind(self, position: int, end: int) -> int:
        """Return where the paragraph ends that this place is in."""
        if self._gap <= position:
            gap = _PIECE.search(self.inline.text, position, end)
            self._gap = gap.start() if gap else end
        return min(self._gap, end)

    def _command(self, word: str, start: int, after: int, end: int) -> int:
        if word == "begin":
            return self._begin(after, end)
        if word == "end":
            return self._end(after, end)
        if word in {"bibliography", "printbibliography"}:
            self._references()
        if word in {"maketitle", "tableofcontents"}:
            return after
        if word == "par":
            self._end_line()
            return after
        options, after = self.inline.options(after, end)
        if word == "item":
            self._end_line(is_item=True)
            self._line.append(f"{self._option(options[0])} " if options else "")
            return after
        return self._with_title(word, start, after, end)

    def _option(self, text: str) -> str:
        return Inline(text, self.inline.citations, self.inline.numbers).plain()

    def _with_title(self, word: str, start: int, after: int, end: int) -> int:
        group = self.inline.argument(after, end)
        if word == "captionof" and group:
            group = self.inline.argument(group[2], end)
        if group is None:
            return after
        if word in _LEVELS:
            self._end_list()
            self._add(Block("heading", (self.inline.plain(group[0], group[1]),), level=_LEVELS[word]))
        elif word in {"paragraph", "subparagraph"}:
            self._end_line()
            title = self.inline.plain(group[0], group[1])
            goes_on = (
                title.endswith((".", ":", "?", "!"))
                or self.inline.text[group[2] : group[2] + 20].lstrip()[:1].islower()
            )
            self._line.append(f"{title} " if goes_on or not title else f"{title}. ")
        elif word in {"caption", "captionof"}:
            number = self.numbers.captions.get(start, "")
            caption = self.inline.plain(group[0], group[1])
            self._behind.append(Block("lines", (f"{number}: {caption}" if number else caption,), "caption"))
        elif word == "abstract":
            self._nested("abstract", group[0], group[1])
        return group[2]

    def _begin(self, position: int, end: int) -> int:
        group = self.inline.argument(position, end)
        if group is None:
            return position
        name, after = self.inline.text[group[0] : group[1]].strip(), group[2]
        bare = name.rstrip("*")
        if bare in _FORMULAS or bare in _DROPPED or _VERBATIM.fullmatch(name):
            position = after
            stop, after = self._until(position, end)
            if name.rstrip("*") in _FORMULAS:
                self._line.append(f" {flowed(_LABEL.sub('', self.inline.text[position:stop]))} ")
            elif name.rstrip("*") not in _DROPPED:
                self._end_line(is_item=self._items is not None)
                options = _OPTIONS.match(self.inline.text, position, stop)
                position = options.end() if options and name != "verbatim" else position
                group = self.inline.argument(position, stop) if name == "minted" else None
                self._add(Block("block", (self.inline.text[group[2] if group else position : stop],)))
            return after
        if bare in _TABLES:
            return self._table(name, after, end)
        if bare in _FLOATS or bare == "abstract":
            return self._inner(name, after, end)
        if bare == "thebibliography":
            self._references()
            return self._until(after, end)[1]
        if bare in _LISTS:
            if not self._lists:
                self._end_line()
                self._items = []
            else:
                self._end_line(is_item=True)
            self._lists += 1
        else:
            self._end_line()
        return self._opening(bare, after, end)

    def _opening(self, name: str, after: int, end: int) -> int:
        """Step over the arguments of an environment, and say what it is where that is not seen from its text."""
        title, after = self.inline.options(after, end)
        for _ in range(_WITH_ARGUMENT.get(name, 0)):
            group = self.inline.argument(after, end)
            after = group[2] if group else after
        if name == "frame" and (group := self.inline.argument(after, end)):
            return self._with_title("frametitle", after, after, end)
        kind = self.theorems.get(name) or ("Proof" if name == "proof" else "")
        if kind:
            self._line.append(f"{kind} ({self._option(title[0])}). " if title else f"{kind}. ")
        return after

    def _end(self, position: int, end: int) -> int:
        group = self.inline.argument(position, end)
        if group is None:
            return position
        if self.inline.text[group[0] : group[1]].strip().rstrip("*") in _LISTS and self._lists:
            self._lists -= 1
            self._end_line(is_item=True)
            if not self._lists:
                self._end_list()
        else:
            self._end_line()
        return group[2]

    def _until(self, position: int, end: int) -> tuple[int, int]:
        """Return where the environment ends that begins before this place, and what is behind it."""
        stop, after = self.numbers.ends.get(position, (end, end + 1))
        if after <= end:
            return stop, after
        gap = self._gap_behind(position, end)  # it has no end: the paragraph is its end
        return gap, gap

    def _table(self, name: str, position: int, end: int) -> int:
        stop, after = self._until(position, end)
        _, position = self.inline.options(position, stop)
        for _ in range(2 if name.endswith("*") else _TABLES[name.rstrip("*")]):
            group = self.inline.argument(position, stop)
            position = group[2] if group else position
        if name.rstrip("*") == "longtable":
            position = self._caption_within(position, stop)
        lines = tuple(_rows_of(self.inline, position, stop))
        self._behind.append(Block("lines", lines, "table"))
        return after

    def _caption_within(self, position: int, stop: int) -> int:
        """Write the caption that a long table has in its first row."""
        found = re.compile(r"\s*\\caption\*?\s*").match(self.inline.text, position, stop)
        if found is None:
            return position
        _, after = self.inline.options(found.end(), stop)
        start = position + len(found[0]) - len(found[0].lstrip())
        after = self._with_title("caption", start, after, stop)
        row = re.compile(r"\s*(?:\\label\{[^{}]*\})?\s*(?:\\\\|\\tabularnewline)").match(self.inline.text, after, stop)
        return row.end() if row else after

    def _inner(self, name: str, position: int, end: int) -> int:
        """Write a float, or the abstract, by itself."""
        stop, after = self._until(position, end)
        _, position = self.inline.options(position, stop)
        for _ in range(_WITH_ARGUMENT.get(name.rstrip("*"), 0)):
            group = self.inline.argument(position, stop)
            position = group[2] if group else position
        if name == "abstract":
            self._end_list()
        self._nested("abstract" if name == "abstract" else None, position, stop)
        return after

    def _nested(self, region: RegionKind | None, start: int, stop: int) -> None:
        if self.depth >= _DEEPEST:
            self._line.append(self.inline.plain(start, stop))
            return
        notes, self.inline.notes = self.inline.notes, []
        inner = TexWriter(self.inline, self.numbers, self.theorems, depth=self.depth + 1)
        blocks = inner.write(start, stop)
        self.inline.notes = notes
        if region:  # it interrupts nothing
            self._end_line()
            blocks = [Block("open", region=region), *blocks, Block("close")]
        self._behind += blocks
        if region:
            self._end_behind()

    def _references(self) -> None:
        """Write the list of references, where it stands, once."""
        self._end_list()
        if self._listed or self.depth:
            return
        self._listed = True
        if self.inline.citations.lines:
            has_chapters = any(block.kind == "heading" and block.level < 2 for block in self.blocks)
            self._add(Block("heading", ("References",), level=1 if has_chapters else 2))
            self._add(Block("lines", tuple(self.inline.citations.lines), "references"))

    def _end_line(self, *, is_item: bool = False) -> None:
        if self._items is not None and not is_item and self._line:
            self._line.append(" ")
            return
        text = flowed("".join(self._line))
        self._line = []
        if self._items is not None:
            self._items += [text] if text else []
            return
        if text:
            self._add(Block("paragraph", (text,)))
        self._end_behind()

    def _end_behind(self) -> None:
        """Write what had to wait for the end of the paragraph."""
        notes, self.inline.notes = self.inline.notes, []
        behind, self._behind = self._behind, []
        if notes:
            self._add(Block("lines", tuple(notes), "footnote"))
        for block in behind:
            self._add(block)

    def _end_list(self) -> None:
        self._end_line(is_item=True)
        if self._items is not None:
            items, self._items = self._items, [] if self._lists else None
            self._add(Block("lines", tuple(items)))
            self._end_behind()

    def _add(self, block: Block) -> None:
        self.blocks.append(block)


# -- the reader

# -- what a source says of itself

_COMMAND = re.compile(
    r"\\(title|Title|icmltitle|author|Author|name|IEEEauthorblockN|icmlauthor|date|doi|acmDOI|acmYear|copyrightyear|journal)\*?\s*(?=[\[{])"
)

_MOST = 500
_MARKS = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|IEEEauthorrefmark|IEEEauthorblockA|affil|affiliation|address|email|orcid\w*|fnmsep|"
    r"corref|fnref|authornote\w*|institute|textsubscript|samethanks|envelope|Letter|quad|qquad|hspace|vspace|url|texttt|href)\*?\s*"
)

_SEPARATOR = re.compile(r"\\(?:and|AND|And|ANDD)\b|\s+\band\b\s+|;|\n\s*\n")
_FORMULA = re.compile(r"\$[^$]*\$")
_BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:newline|linebreak)\b")
_NAME = re.compile(
    r"[^\W\d_][\w.'’‘`-]*(?:\s+[^\W\d_][\w.'’‘`-]*){1,5}|[\u3400-\u9fff·\u30a0-\u30ff\u3040-\u309f\uac00-\ud7af]{2,12}"
)

_PLACE = re.compile(
    r"universit|institut|department|laborator|school|college|faculty|research|google|microsoft|corp|inc\b|academy|center|centre|@|\bIEEE\b|"
    r"member|fellow|\{|大学|学院|研究",
    re.IGNORECASE,
)

_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")


def _facts_of(inline: Inline) -> Iterator[Fact]:
    """Yield the facts of all commands that give some, wherever in the source they stand."""
    authors: list[str] = []
    title = ""
    for number, found in enumerate(_COMMAND.finditer(inline.text)):
        _, after = inline.options(found.end(), len(inline.text))
        group = inline.argument(after, len(inline.text))
        if group is None or number > _MOST or inline.is_verbatim(found.start()):
            continue
        command, raw = found[1].lower(), inline.text[group[0] : group[1]]
        if command.endswith("title"):
            title = title or _plain(_BREAK.sub(" ", raw))
        elif command in {"author", "icmlauthor", "ieeeauthorblockn", "name"}:
            authors += _names(raw)
        else:
            year, doi = _YEAR.search(raw), _DOI.search(raw)
            value: Value = ""
            if command in {"doi", "acmdoi"}:
                name, value, sure = "doi", doi[0].rstrip(".,") if doi and "XXXX" not in raw.upper() else "", 0.9
            elif command == "journal":
                name, value, sure = "source", _plain(raw), 0.7
            else:
                name, value, sure = "year", int(year[0]) if year else "", 0.7
            if value:
                yield Fact(field=name, value=value, source="front matter", sure=sure)
    told: list[tuple[str, Value, float]] = [("title", title, 0.9), ("authors", tuple(dict.fromkeys(authors)), 0.85)]
    yield from (Fact(field=name, value=value, source="front matter", sure=sure) for name, value, sure in told if value)


def _names(raw: str) -> Iterator[str]:
    """Yield what looks like names among authors, who are written with affiliations, marks and addresses in a hundred ways."""
    if r"\IEEEauthorblockN" in raw:  # comes again by itself
        return
    # take notes and addresses out, with all that stands in their braces
    inline = Inline(raw)
    kept: list[str] = []
    position = 0
    while found := _MARKS.search(raw, position):
        kept.append(raw[position : found.start()])
        _, after = inline.options(found.end(), len(raw))
        group = inline.argument(after, len(raw))
        kept.append(" , " if "quad" in found[0] else " ")
        position = max(group[2] if group else after, found.end())
    for person in _SEPARATOR.split(_FORMULA.sub(" ", "".join((*kept, raw[position:])))):
        first = next((line for line in _BREAK.split(person) if _plain(line)), "")
        for part in re.split(r"\s*(?:,|\\quad|\\qquad|~~+|&)\s*(?:and\s+)?", first):
            name = re.sub(r"[\d*†‡§¶∗,]+$|^\W+", "", _plain(part)).strip()
            if _NAME.fullmatch(name) and not _PLACE.search(name):
                yield name


def _plain(raw: str) -> str:
    return Inline(raw).plain()


# -- the reader

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_TOLD = 5
_DOCUMENT = b"\\documentclass"
_HEAD = 500_000
_MOST_BESIDE = 200


@dataclass(frozen=True, slots=True)
class LatexReader:
    """A broken source is read as far as it makes sense; its bibliography is what BibTeX made of it, not the database."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and what is missing or broken in its source."""
        if path.suffix.lower() == ".zip":
            with Archive(path, self.max_bytes) as archive:
                name = main_file(archive)
                source = load(archive, name, self.max_bytes)
        else:
            content_of(path, self.max_bytes)
            main = _main_beside(path)
            if main is not None:
                reason = f"it is a part of {printable(Path(main.name))}"
                yield Problem(where=printable(path), reason=reason, advice="it is read with that", lasting=True)
                return
            real = path.resolve()  # what it includes is beside the file itself, not beside a link to it
            name, source = path.name, load(TexFolder(real.parent, self.max_bytes), real.name, self.max_bytes)
        yield from _read(source, path, name if path.suffix.lower() == ".zip" else "")


def _main_beside(path: Path) -> Path | None:
    """Return the document that this file is a part of: one beside it, or one folder up, that includes it by name."""
    if _DOCUMENT in _head(path):
        return None
    included = re.compile(
        rf"\\(?:input|include|subfile)\s*\{{?\s*(?:[\w./-]*/)?{re.escape(path.stem)}(?:\.tex)?\s*\}}?\s".encode()
    )
    others = (
        other for folder in (path.parent, path.parent.parent) for other in islice(folder.glob("*.tex"), _MOST_BESIDE)
    )
    return next((other for other in others if _DOCUMENT in (head := _head(other)) and included.search(head)), None)


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():  # opening a pipe would wait for ever
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _read(source: TexSource, path: Path, name: str) -> Iterator[Reading | Problem]:
    macros = expanded(source.text)
    citations = citations_of(macros.text, source.bibliography, plain_text)
    numbers = Numbers(macros.text, macros.theorems)
    inline = Inline(macros.text, citations, numbers.labels)
    facts = with_file_name(_facts_of(inline), path)
    inline.notes.clear()
    start, end = _body(inline, numbers)
    composition = compose(TexWriter(inline, numbers, macros.theorems).write(start, end))
    if not len(composition):
        raise ReadError("it has no text, only commands", "add the document that it belongs to")
    yield Reading(
        document=document_of(facts, path, "paper"),
        text=composition.text,
        sections=tuple(composition.sections),
        regions=tuple(composition.regions),
        facts=facts,
    )
    where = printable(path) + (f", {clean(name)}" if name else "")
    for reason, advice in _losses(source, inline):
        yield Problem(where=where, reason=reason, advice=advice, lasting=True)


def _body(inline: Inline, numbers: Numbers) -> tuple[int, int]:
    """Return where the text begins and ends; a source without a document, other than in an example, is all text."""
    text = inline.text
    begin = next(
        (found for found in islice(_BEGIN.finditer(text), _TOLD) if not _is_example(found.start(), inline, numbers)),
        None,
    )
    start = begin.end() if begin else 0
    end = numbers.ends.get(start) if begin else None
    return start, end[0] if end else len(text)


def _is_example(position: int, inline: Inline, numbers: Numbers) -> bool:
    """Tell whether a place is inside of an environment, or verbatim."""
    return inline.is_verbatim(position) or any(start <= position < stop for start, (stop, _) in numbers.ends.items())


def _losses(source: TexSource, inline: Inline) -> Iterator[tuple[str, str]]:
    if source.missing:
        names = ", ".join(repr(clean(name)) for name in dict.fromkeys(source.missing[:_TOLD]))
        more = f" and {len(source.missing) - _TOLD} more" if len(source.missing) > _TOLD else ""
        yield f"files that it includes are not there: {names}{more}", "put them beside it, and add it again"
    if inline.unbalanced:
        at = inline.unbalanced[0]
        near = " ".join(inline.text[max(0, at - 20) : at + 20].split())
        count = len(inline.unbalanced)
        yield (
            f"{count} of its braces have no partner, the first near {near!r}: read as well as it goes",
            "repair the source, or nothing",
        )
