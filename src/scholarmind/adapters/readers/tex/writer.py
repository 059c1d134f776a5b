"""Writes the body of a LaTeX source out as paragraphs, sections and regions."""

import re
from dataclasses import dataclass, field

from scholarmind.adapters.readers.composition import flowed
from scholarmind.adapters.readers.tex.blocks import Block
from scholarmind.adapters.readers.tex.environments import DROPPED, FORMULAS, LISTS, TABLES, WITH_ARGUMENT
from scholarmind.adapters.readers.tex.inline import Inline
from scholarmind.adapters.readers.tex.numbers import FLOATS, Numbers
from scholarmind.adapters.readers.tex.source import VERBATIM
from scholarmind.adapters.readers.tex.tabular import rows_of
from scholarmind.model import RegionKind

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
class Writer:
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
        if bare in FORMULAS or bare in DROPPED or _VERBATIM.fullmatch(name):
            return self._raw(name, after, end)
        if bare in TABLES:
            return self._table(name, after, end)
        if bare in FLOATS or bare == "abstract":
            return self._inner(name, after, end)
        if bare == "thebibliography":
            self._references()
            return self._until(after, end)[1]
        if bare in LISTS:
            self._begin_list()
        else:
            self._end_line()
        return self._opening(bare, after, end)

    def _opening(self, name: str, after: int, end: int) -> int:
        """Step over the arguments of an environment, and say what it is where that is not seen from its text."""
        title, after = self.inline.options(after, end)
        for _ in range(WITH_ARGUMENT.get(name, 0)):
            group = self.inline.argument(after, end)
            after = group[2] if group else after
        if name == "frame" and (group := self.inline.argument(after, end)):
            return self._with_title("frametitle", after, after, end)
        kind = self.theorems.get(name) or ("Proof" if name == "proof" else "")
        if kind:
            self._line.append(f"{kind} ({self._option(title[0])}). " if title else f"{kind}. ")
        return after

    def _begin_list(self) -> None:
        if not self._lists:
            self._end_line()
            self._items = []
        else:
            self._end_line(is_item=True)
        self._lists += 1

    def _end(self, position: int, end: int) -> int:
        group = self.inline.argument(position, end)
        if group is None:
            return position
        if self.inline.text[group[0] : group[1]].strip().rstrip("*") in LISTS and self._lists:
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

    def _raw(self, name: str, position: int, end: int) -> int:
        stop, after = self._until(position, end)
        if name.rstrip("*") in FORMULAS:
            self._line.append(f" {flowed(_LABEL.sub('', self.inline.text[position:stop]))} ")
        elif name.rstrip("*") not in DROPPED:
            self._end_line(is_item=self._items is not None)
            options = _OPTIONS.match(self.inline.text, position, stop)
            position = options.end() if options and name != "verbatim" else position
            group = self.inline.argument(position, stop) if name == "minted" else None
            self._add(Block("block", (self.inline.text[group[2] if group else position : stop],)))
        return after

    def _table(self, name: str, position: int, end: int) -> int:
        stop, after = self._until(position, end)
        _, position = self.inline.options(position, stop)
        for _ in range(2 if name.endswith("*") else TABLES[name.rstrip("*")]):
            group = self.inline.argument(position, stop)
            position = group[2] if group else position
        if name.rstrip("*") == "longtable":
            position = self._caption_within(position, stop)
        lines = tuple(rows_of(self.inline, position, stop))
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
        for _ in range(WITH_ARGUMENT.get(name.rstrip("*"), 0)):
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
        inner = Writer(self.inline, self.numbers, self.theorems, depth=self.depth + 1)
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
