"""The source of a LaTeX document: its files, put together, without comments, with the macros of its authors put in.

One file, a folder or an archive; inclusions are followed and never leave it. Macros with arguments are left where they are used.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from scholarmind.adapters.readers.containers import Archive
from scholarmind.adapters.readers.decode import decode
from scholarmind.errors import ReadError

# -- files

_INCLUSION = re.compile(
    r"\\(?:input|include|subfile|InputIfFileExists)\s*\{([^{}\n]*)\}|\\input\s+([^\s{}\\]+)|"
    r"\\(?:import|subimport)\s*\{([^{}\n]*)\}\s*\{([^{}\n]*)\}"
)

VERBATIM = r"\w*[vV]erbatim\*?|lst[a-z]+|minted|comment|filecontents\*?|alltt"  # environments that are no LaTeX inside
_COMMENT = re.compile(
    rf"\\begin\{{(?P<name>{VERBATIM})\}}|(?P<kept>\\(?:url|href|path|nolinkurl)\s*\{{[^{{}}\n]*\}}|\\[\s\S])|"
    r"(?P<line>%[^\n]*(?:\n[ \t]*(?=\S))?)"
)

_MOST_FILES = 500
_MOST_INCLUSIONS = 1_000
_DEEPEST = 20
_OUTSIDE = re.compile(r"^/|(?:^|/)\.|\0")  # of a path without `.` and `..` inside
_DOCUMENT = re.compile(r"\\documentclass|\\documentstyle")
_PREFERRED = ("main.tex", "ms.tex", "paper.tex", "article.tex", "manuscript.tex", "root.tex", "thesis.tex")


class Files(Protocol):
    """The files around a source, by their names relative to its root."""

    def names(self) -> list[str]: ...
    def read(self, name: str) -> bytes: ...


@dataclass(slots=True)
class TexFolder:
    """The folder that a .tex file is in. What links lead out of it is not there."""

    root: Path
    max_bytes: int
    _read: int = 0

    def names(self) -> list[str]:
        """Return nothing: a folder is only looked into for what a source names."""
        return []

    def read(self, name: str) -> bytes:
        """Return a file of the folder, or of the folders in it."""
        path = self.root / name
        resolved, root = path.resolve(), self.root.resolve()
        if not resolved.is_relative_to(root) or not resolved.is_file():
            raise ReadError(f"there is no {name!r} beside it", "put it there, or leave it out")
        self._read += resolved.stat().st_size
        if self._read > self.max_bytes:
            raise ReadError(f"it and what it includes have more than {self.max_bytes / 1e6:,.0f} MB", "split it")
        try:
            return resolved.read_bytes()
        except OSError as error:
            raise ReadError(f"{name!r} cannot be read: {error.strerror}", "check who may read it") from error


@dataclass(slots=True)
class TexSource:
    """A source in one piece: without comments, inclusions put in. `bibliography` is what BibTeX made of its references."""

    text: str
    bibliography: str = ""
    missing: list[str] = field(default_factory=list[str])
    left: int = 0  # characters that it may yet have


def main_file(archive: Archive) -> str:
    """Return the file of an archive that is the document: it has a class, and a usual name or the most text."""
    names = [name for name in archive.names() if name.lower().endswith((".tex", ".ltx"))][:_MOST_FILES]
    found: list[tuple[bool, int, int, str]] = []
    for name in names:
        text = _without_comments(decode(archive.read(name)))
        if _DOCUMENT.search(text) and r"\begin{document}" in text:
            included = len(_INCLUSION.findall(text))
            found.append(
                (posixpath.basename(name).lower() in _PREFERRED, -name.count("/"), included * 10_000 + len(text), name)
            )
    if not found:
        raise ReadError(
            "there is no LaTeX document in it: no .tex file with \\documentclass", "unpack it, and add the files in it"
        )
    return max(found)[-1]


def load(files: Files, name: str, max_characters: int) -> TexSource:
    """Return the source that begins in this file."""
    source = TexSource(text="", left=max_characters)
    included: list[str] = []
    source.text = "".join(_included(files, name, source, (name,), included))
    stem = name.rpartition(".")[0]
    for bibliography in (f"{stem}.bbl", *(other for other in files.names() if other.lower().endswith(".bbl"))):
        try:
            source.bibliography = _without_comments(decode(files.read(bibliography)))
            break
        except ReadError:  # most sources have none beside them
            continue
    return source


class Ends:
    """Finds where verbatim text ends, and knows when there is no end, so that nobody looks for it again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] = {}

    def behind(self, name: str, position: int) -> int:
        """Return where the environment's end begins, or the same place if it has none."""
        end = f"\\end{{{name}}}"
        if name not in self._last:
            self._last[name] = self._text.rfind(end)
        return self._text.find(end, position) if self._last[name] >= position else position


def _without_comments(text: str) -> str:
    """Return the text without comments; what is verbatim keeps its percent signs."""
    if "%" not in text:
        return text
    kept: list[str] = []
    position = at = 0
    ends = Ends(text)
    while found := _COMMENT.search(text, at):
        at = found.end()
        if found["name"]:
            at = ends.behind(found["name"], at)
        elif found["line"] is not None:
            kept.append(text[position : found.start()])
            position = at
    return "".join((*kept, text[position:]))


def _included(files: Files, name: str, source: TexSource, around: tuple[str, ...], done: list[str]) -> Iterator[str]:
    """Yield the text of a file and of all that it includes, in order."""
    text = _without_comments(decode(files.read(name)))
    end = text.find(r"\endinput")
    text = text[:end] if end >= 0 else text
    source.left -= len(text)
    if source.left < 0:
        raise ReadError("it includes the same text again and again", "take the inclusions out that are not needed")
    position = 0
    folder = posixpath.dirname(around[0])
    for found in _INCLUSION.finditer(text):
        yield text[position : found.start()]
        position = found.end()
        wanted = (found[1] or found[2] or posixpath.join(found[3] or "", found[4] or "")).strip().strip('"')
        done.append(wanted)
        if len(around) > _DEEPEST or len(done) > _MOST_INCLUSIONS:
            source.missing.append(wanted)
            continue
        yield from _one(files, wanted, (folder, posixpath.dirname(name)), source, (around, done))
    yield text[position:]


def _one(
    files: Files, wanted: str, folders: tuple[str, ...], source: TexSource, trail: tuple[tuple[str, ...], list[str]]
) -> Iterator[str]:
    """Yield the text of one file that is included, from the first place where it is."""
    around, done = trail
    for candidate in _candidates(wanted, *folders):
        if candidate in around:  # a cycle ends where it closes
            return
        try:
            pieces = list(_included(files, candidate, source, (*around, candidate), done))
        except ReadError:
            if source.left < 0:
                raise
            continue
        yield from pieces
        return
    source.missing.append(wanted)


def _candidates(wanted: str, *folders: str) -> list[str]:
    """Return the names that an inclusion may mean; those that lead out of the source, or to what is hidden, are none."""
    found: list[str] = []
    for folder in folders:
        name = posixpath.normpath(posixpath.join(folder, wanted.replace("\\", "/")))
        found += [name] if name.lower().endswith((".tex", ".ltx", ".bbl", ".tikz")) else [f"{name}.tex", name]
    return list(dict.fromkeys(name for name in found if not _OUTSIDE.search(name) and "#" not in name))


# -- macros

_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re|provide)?newcommand|DeclareRobustCommand|DeclareMathOperator|DeclarePairedDelimiter)\*?\s*"
    r"\{?\s*\\(?P<name>[a-zA-Z@]+)\s*\}?(?P<arguments>(?:\s*\[[^\]\n]*\])*)\s*|"
    r"(?:long|global|protected|outer)?\\?[gex]?def\s*\\(?P<defined>[a-zA-Z@]+)(?P<pattern>[^\n{]*))(?=\{)"
)

_THEOREM = re.compile(
    r"\\(?:newtheorem|declaretheorem)\*?\s*(?:\[[^\]]*\])?\{(\w+\*?)\}\s*(?:\[[^\]]*\])?(?:\{([^{}]*)\})?(?:\[[^\]]*\])?"
)

_USE = re.compile(r"\\([a-zA-Z@]+)")
_BRACE = re.compile(r"\\[\s\S]|[{}]")
_MOST = 2_000
_LONGEST = 500
_LONGEST_DEFINITION = 10_000
_MOST_BROKEN = 50  # definitions without an end, before no more are looked for
_MOST_GROWTH = 1_000_000
_PASSES = 5
_KEPT = frozenset(
    "and title author date section cite ref label begin end item caption footnote document maketitle".split()
)


@dataclass(slots=True)
class Macros:
    """A source without definitions: what was defined, and what its theorems are called."""

    text: str
    bodies: dict[str, str] = field(default_factory=dict[str, str])
    theorems: dict[str, str] = field(default_factory=dict[str, str])


def expanded(text: str) -> Macros:
    """Return the source with the author's own abbreviations written out."""
    macros = Macros(text=_without_definitions(text, bodies := {}), bodies=bodies)
    macros.theorems = {name: title for name, title in _THEOREM.findall(macros.text) if title}
    macros.text = _THEOREM.sub("", macros.text)
    budget = _MOST_GROWTH
    for _ in range(_PASSES):
        text, budget = _expand(macros.text, macros.bodies, budget)
        if text == macros.text:
            break
        macros.text = text
    return macros


def _group_end(text: str, opening: int, longest: int = _LONGEST_DEFINITION) -> int:
    """Return where the group that opens here closes, or -1 if it does not, or not soon."""
    depth = 0
    for found in _BRACE.finditer(text, opening, opening + longest):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return -1


def _without_definitions(text: str, bodies: dict[str, str]) -> str:
    text = _without_dead_parts(text)
    kept: list[str] = []
    position = broken = 0
    for number, found in enumerate(_DEFINITION.finditer(text)):
        if found.start() < position or number > _MOST or broken > _MOST_BROKEN:
            continue
        end = _group_end(text, found.end())
        if end < 0:
            broken += 1
            continue
        name, body = found["name"] or found["defined"], text[found.end() + 1 : end].strip()
        takes = (found["arguments"] or found["pattern"] or "").strip() or "#" in body
        if not takes and len(body) <= _LONGEST and name not in _KEPT and r"\begin" not in body:
            bodies[name] = body.replace(r"\xspace", "")
        kept.append(text[position : found.start()])
        position = end + 1
    return "".join((*kept, text[position:]))


def _without_dead_parts(text: str) -> str:
    kept: list[str] = []
    position = 0
    while (start := text.find(r"\iffalse", position)) >= 0 and (end := text.find(r"\fi", start + 8)) >= 0:
        kept.append(text[position:start])
        position = end + 3
    return "".join((*kept, text[position:]))


def _expand(text: str, bodies: dict[str, str], budget: int) -> tuple[str, int]:
    if not bodies:
        return text, budget

    def body_of(found: re.Match[str]) -> str:
        nonlocal budget
        body = bodies.get(found[1])
        if body is None or budget < len(body):
            return found[0]
        budget -= len(body)
        return body

    return _USE.sub(body_of, text), budget
