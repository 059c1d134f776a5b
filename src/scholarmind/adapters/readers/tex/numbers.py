"""What LaTeX would number: sections, figures, tables, theorems; and which labels mean which."""

import re
from collections.abc import Mapping

_STEP = re.compile(
    r"\\(?P<section>chapter|(?:sub){0,2}section)\s*(?=[\[{])|\\(?P<appendix>appendix)\b|\\label\s*\{(?P<label>[^{}]*)\}|"
    r"\\(?P<caption>caption)\s*(?=[\[{])|\\begin\s*\{(?P<begin>[^{}\n]*)\}|\\end\s*\{(?P<end>[^{}\n]*)\}"
)
_SECTIONS = ("chapter", "section", "subsection", "subsubsection")
_ALIGNED = frozenset("align gather eqnarray multline flalign alignat".split())
FLOATS = {
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
            self._take(found)

    def _take(self, found: re.Match[str]) -> None:
        if found["label"]:
            if self._current:
                self.labels[found["label"].strip()] = self._current
        elif found["section"]:
            self._section(_SECTIONS.index(found["section"]))
        elif found["appendix"]:
            self._is_appendix, self._sections = True, [0, 0, 0, 0]
        elif found["caption"]:
            self._caption(found.start())
        elif found["begin"]:
            self._begun.setdefault(found["begin"].strip(), []).append(found.end())
            self._begin(found["begin"].strip().rstrip("*"))
        elif found["end"]:
            self._end(found["end"].strip(), found)

    def _section(self, level: int) -> None:
        self._sections = [*self._sections[:level], self._sections[level] + 1, *[0] * (3 - level)]
        if level == 0:
            self._counts.clear()
        first = next((place for place, count in enumerate(self._sections) if count), level)
        told = [str(count) for count in self._sections[first : level + 1]]
        if self._is_appendix and self._sections[first] <= 26:
            told[0] = chr(ord("A") + self._sections[first] - 1)
        self._current = f"{'Chapter' if level == 0 else 'Section'} {'.'.join(told)}"

    def _caption(self, position: int) -> None:
        kind = next((FLOATS[name] for name in reversed(self._floats) if FLOATS[name]), "")
        if kind and not (self._floats and not FLOATS[self._floats[-1]]):
            self.captions[position] = self._current = self._next(kind)

    def _begin(self, name: str) -> None:
        if name in FLOATS:
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
