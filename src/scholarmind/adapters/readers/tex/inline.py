"""Running text of LaTeX as plain text: commands, accents, formulas, citations, references, notes."""

import bisect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scholarmind.adapters.readers.composition import flowed
from scholarmind.adapters.readers.tex.citations import Citations
from scholarmind.adapters.readers.tex.signs import ACCENTS, SIGNS, accented, typeset
from scholarmind.adapters.readers.tex.source import VERBATIM, Ends

_TOKEN = re.compile(
    r"\\(?:verb|lstinline)\*?(?:\[[^\]\n]*\])?(?P<bar>[^a-zA-Z\s{*\[])(?P<verbatim>[^\n]*?)(?P=bar)|"
    r"\\(?P<word>[a-zA-Z@]+)\*?(?P<gap>(?:[ \t]*\n(?![ \t]*\n)[ \t]*|[ \t]*))|"
    r"\\(?P<sign>[\s\S])|(?P<math>\$\$?)|(?P<brace>[{}])|(?P<text>[^\\${}]+)|(?P<rest>[\s\S])"
)
_BRACE = re.compile(
    rf"\\(?:verb|lstinline)\*?([^a-zA-Z\s{{*\[])[^\n]*?\1|\\begin\{{(?P<raw>{VERBATIM})\}}|\\[\s\S]|[{{}}]"
)
_BRACKET = re.compile(r"[\]{]")
_LABEL = re.compile(r"\\(?:label|nonumber|notag|tag)\b\s*(?:\{[^{}]*\})?")
_COMMAND = re.compile(r"\\[a-zA-Z@]+\*?\s*|[{}]")
_DEEPEST = 30
_LONGEST_FORMULA = 5_000
_LONGEST_ARGUMENT = 20_000
_LONGEST_OPTION = 300
_CITES = re.compile(
    r"(?:no|text|paren|auto|foot|super|short|new)?[cC]ite(?:t|p|alp|alt|author|year|yearpar|title|num|al|s)?"
)
_NOTES = frozenset("footnote footnotetext thanks endnote sidenote".split())
_REFERENCES = re.compile(r"(?:eq|auto|c|C|page|name|v|f|s|fig|tab|sec|sub|label)?[rR]ef")
# commands whose first arguments are no text: how many of them
_DROPPED = {
    "label": 1, "vspace": 1, "hspace": 1, "usepackage": 1, "RequirePackage": 1, "documentclass": 1, "documentstyle": 1, "input": 1,
    "include": 1, "includegraphics": 1, "epsfig": 1, "bibliographystyle": 1, "pagestyle": 1, "thispagestyle": 1, "pagenumbering": 1,
    "setlength": 2, "addtolength": 2, "setcounter": 2, "addtocounter": 2, "stepcounter": 1, "refstepcounter": 1, "definecolor": 3,
    "colorlet": 2, "color": 1, "textcolor": 1, "colorbox": 1, "href": 1, "hyperref": 0, "hypersetup": 1, "fontsize": 2, "selectlanguage": 1,
    "foreignlanguage": 1, "hyphenation": 1, "rule": 2, "raisebox": 1, "parbox": 1, "resizebox": 2, "scalebox": 1, "rotatebox": 1,
    "multicolumn": 2, "multirow": 2, "phantom": 1, "hphantom": 1, "vphantom": 1, "addcontentsline": 3, "markboth": 2, "markright": 1,
    "graphicspath": 1, "newcommand": 1, "renewcommand": 1, "index": 1, "glossary": 1, "cline": 1, "cmidrule": 1, "arrayrulecolor": 1,
    "rowcolor": 1, "cellcolor": 1, "columncolor": 1, "texorpdfstring": 1, "usetikzlibrary": 1, "bibliography": 1, "addbibresource": 1,
    "thanksref": 1, "corref": 1, "fnref": 1, "orcid": 1, "newtheorem": 2, "theoremstyle": 1, "linespread": 1, "enlargethispage": 1,
    "lstset": 1, "tikzset": 1, "pgfplotsset": 1, "captionsetup": 1, "sisetup": 1, "geometry": 1, "titleformat": 5, "newlength": 1,
    "newcounter": 1, "settowidth": 2, "begin": 1, "end": 1, "ccsdesc": 1, "acmConference": 3, "setcopyright": 1, "tikz": 1, "SetKw": 2,
}  # fmt: skip


@dataclass(slots=True)
class Inline:
    """Turns stretches of one source into plain text. Footnotes on the way are put into `notes`."""

    text: str
    citations: Citations = field(default_factory=Citations)
    numbers: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # of sections, figures, tables ..., by their labels
    notes: list[str] = field(default_factory=list[str])
    unbalanced: list[int] = field(default_factory=list[int])  # where braces are that have no partner
    verbatim: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    _spaced: set[int] = field(default_factory=set[int])  # ends of arguments that another one follows
    _closing: dict[int, int] = field(default_factory=dict[int, int])
    _last: dict[str, int] = field(default_factory=dict[str, int])  # where the last of each sign is that ends a formula
    _depth: int = 0

    def __post_init__(self) -> None:
        opened: list[int] = []
        position = 0
        ends = Ends(self.text)
        while found := _BRACE.search(self.text, position):
            position = found.end()
            if found["raw"]:  # its braces are its own
                self._closing[found.start("raw") - 1] = found.end("raw")
                position = ends.behind(found["raw"], position)
                self.verbatim.append((found.start(), position))
            elif found[0] == "{":
                opened.append(found.start())
            elif found[0] == "}" and opened:
                self._closing[opened.pop()] = found.start()
            elif found[0] == "}":
                self.unbalanced.append(found.start())
        self.unbalanced = sorted([*self.unbalanced, *opened])

    def plain(self, start: int = 0, end: int | None = None) -> str:
        """Return a stretch as one line of text."""
        end = len(self.text) if end is None else end
        if self._depth > _DEEPEST:
            return flowed(_COMMAND.sub(" ", self.text[start:end]))
        self._depth += 1
        pieces: list[str] = []
        position = start
        while position < end:
            piece, position = self.step(position, end)
            pieces.append(piece)
        self._depth -= 1
        return flowed("".join(pieces))

    def step(self, position: int, end: int) -> tuple[str, int]:
        """Return the text of what stands here, and where it ends."""
        found = _TOKEN.match(self.text, position, end)
        if found is None:
            return "", end
        after = found.end()
        if found["text"]:
            return typeset(found["text"]), after
        if found["word"]:
            return self._word(found["word"], found["gap"] or "", after, end)
        if found["sign"]:
            return self._sign(found["sign"], after, end)
        if found["math"]:
            return self._formula(found["math"], found["math"], after, end)
        return found["verbatim"] or (" " if found.start() in self._spaced else ""), after

    def is_verbatim(self, position: int) -> bool:
        """Tell whether a place is in text that is no LaTeX."""
        after = bisect.bisect(self.verbatim, (position, len(self.text)))
        return after > 0 and position < self.verbatim[after - 1][1]

    def closing(self, opening: int) -> int:
        """Return where the group that opens here closes, or -1."""
        return self._closing.get(opening, -1)

    def argument(self, position: int, end: int) -> tuple[int, int, int] | None:
        """Return where the group here begins and ends, and what is behind it; a group without an end is closed at the line's."""
        while position < end and self.text[position].isspace():
            position += 1
        if position >= end or self.text[position] != "{":
            return None
        close = self._closing.get(position, -1)
        if 0 <= close < end and close - position <= _LONGEST_ARGUMENT:
            return position + 1, close, close + 1
        line = self.text.find("\n", position, end)
        line = end if line < 0 else line
        return position + 1, line, line

    def options(self, position: int, end: int) -> tuple[list[str], int]:
        """Return the arguments in brackets here, and where they end."""
        found: list[str] = []
        while position < end and self.text[position] == "[":
            close = self._bracket(position, end)
            if close < 0:
                break
            found.append(self.text[position + 1 : close])
            position = close + 1
        return found, position

    def _bracket(self, position: int, end: int) -> int:
        at = position + 1
        stop = min(end, position + _LONGEST_OPTION)
        while found := _BRACKET.search(self.text, at, stop):
            if found[0] == "]":
                return found.start()
            at = self._closing.get(found.start(), found.start()) + 1
        return -1

    def _word(self, word: str, gap: str, position: int, end: int) -> tuple[str, int]:
        if word in ACCENTS and len(word) == 1:
            return self._accent(word, position, end)
        if word in SIGNS:
            return SIGNS[word] + (" " if gap and len(word) > 2 else ""), position
        pointed = self._pointer(word, position, end)
        return self._other(word, gap, position, end) if pointed is None else pointed

    def _pointer(self, word: str, position: int, end: int) -> tuple[str, int] | None:
        """Return what a command prints that points somewhere else, or None for all others."""
        if _CITES.fullmatch(word):
            return self._cite(word, position, end)
        if _REFERENCES.fullmatch(word):
            return self._reference(word, position, end)
        return self._note(position, end) if word in _NOTES else None

    def _other(self, word: str, gap: str, position: int, end: int) -> tuple[str, int]:
        if word in {"url", "path", "nolinkurl", "doi", "email", "texttt", "code"} and (
            group := self.argument(position, end)
        ):
            raw = self.text[group[0] : group[1]]
            return (self.plain(group[0], group[1]) if "\\" in raw or "{" in raw else raw), group[2]
        _, after = self.options(position, end)
        for _ in range(_DROPPED.get(word, 0)):
            group = self.argument(after, end)
            after = group[2] if group else after
            _, after = self.options(after, end)
        self._space(after)
        if word == "item":
            return "\n", after
        return (" " if gap and after == position else ""), after

    def _space(self, position: int) -> None:
        """Keep the arguments of a command that is not known apart."""
        close = self.closing(position)
        while close >= 0 and self.text[close + 1 : close + 2] == "{":
            self._spaced.add(close)
            close = self.closing(close + 1)

    def _sign(self, sign: str, position: int, end: int) -> tuple[str, int]:
        if sign in ACCENTS:
            return self._accent(sign, position, end)
        if sign in "([":
            return self._formula(f"\\{sign}", "\\)" if sign == "(" else "\\]", position, end)
        if sign == "\\":
            _, position = self.options(position + 1 if self.text[position : position + 1] == "*" else position, end)
            return " ", position
        return (sign if sign in "%&#_{}$" else "" if sign in "!/-@)]" else " "), position

    def _accent(self, mark: str, position: int, end: int) -> tuple[str, int]:
        group = self.argument(position, end)
        if group:
            return accented(mark, self.plain(group[0], group[1])), group[2]
        letter, after = (
            self.step(position, min(end, position + 1))
            if self.text[position : position + 1] != "\\"
            else self.step(position, end)
        )
        return accented(mark, letter), after

    def _formula(self, opening: str, closing: str, position: int, end: int) -> tuple[str, int]:
        """Return a formula as it stands in the source; a sign without a partner is a sign."""
        stop = min(end, position + _LONGEST_FORMULA)
        if closing not in self._last:
            self._last[closing] = self.text.rfind(closing)
        close = self.text.find(closing, position, stop) if self._last[closing] >= position else -1
        while close > 0 and self.text[close - 1] == "\\" and closing[0] == "$":
            close = self.text.find(closing, close + 1, stop)
        if close < 0 or "\n\n" in self.text[position:close]:
            return ("$" if opening == "$" else ""), position
        body = flowed(_LABEL.sub("", self.text[position:close]))
        return (f"${body}$" if opening in {"$", "\\("} else f" {body} "), close + len(closing)

    def _cite(self, command: str, position: int, end: int) -> tuple[str, int]:
        notes, position = self.options(position, end)
        group = self.argument(position, end)
        if group is None:
            return "", position
        keys = [key.strip() for key in self.text[group[0] : group[1]].split(",") if key.strip()]
        told = [typeset(_COMMAND.sub("", note)).strip() for note in notes]
        return self.citations.text(command, keys, told), group[2]

    def _reference(self, command: str, position: int, end: int) -> tuple[str, int]:
        group = self.argument(position, end)
        if group is None:
            return "", position
        labels = [label.strip() for label in self.text[group[0] : group[1]].split(",")]
        numbers = [self.numbers.get(label, f"[{label}]") for label in labels]
        if command.lower() not in {"autoref", "cref"}:
            numbers = [number.rpartition(" ")[2] for number in numbers]
        told = ", ".join(numbers)
        return (f"({told})" if command == "eqref" else told), group[2]

    def _note(self, position: int, end: int) -> tuple[str, int]:
        _, position = self.options(position, end)
        group = self.argument(position, end)
        if group is None:
            return "", position
        note = self.plain(group[0], group[1])
        if note:
            self.notes.append(note)
        return "", group[2]


def plain_text(source: str) -> str:
    """Return a piece of source that stands by itself as one line of text."""
    return Inline(source).plain()
