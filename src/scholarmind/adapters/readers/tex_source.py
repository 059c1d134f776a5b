"""The source of a LaTeX document, put together from its files, and its running text as plain text.

One file, a folder or an archive; inclusions are followed and never leave it. Macros with arguments are left where they are used."""

import bisect
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from scholarmind.adapters.readers.composition import decode, flowed
from scholarmind.adapters.readers.containers import Archive
from scholarmind.errors import ReadError

# -- the source: files put together, without comments, with the macros of its authors put in

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
_DEEPEST_INCLUSION = 20
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
        if len(around) > _DEEPEST_INCLUSION or len(done) > _MOST_INCLUSIONS:
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
_MACRO_BRACE = re.compile(r"\\[\s\S]|[{}]")
_MOST_MACROS = 2_000
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
    for found in _MACRO_BRACE.finditer(text, opening, opening + longest):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return -1


def _without_definitions(text: str, bodies: dict[str, str]) -> str:
    text = _without_dead_parts(text)
    kept: list[str] = []
    position = broken = 0
    for number, found in enumerate(_DEFINITION.finditer(text)):
        if found.start() < position or number > _MOST_MACROS or broken > _MOST_BROKEN:
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


# -- running text: commands, accents, formulas, citations, references, notes

# The references of a source are read here too, since its text points at them.

# -- commands for single characters

_MARKS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "H": "\u030b", "u": "\u0306", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331",
    "t": "\u0361", "h": "\u0309", "G": "\u030f",
}  # fmt: skip

_ACCENTS = frozenset(_MARKS)
_SIGNS = {
    "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "dag": "†", "ddag": "‡", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
    "textunderscore": "_", "textdollar": "$", "textdegree": "°", "degree": "°", "texttrademark": "™", "textregistered": "®",
    "textcopyright": "©", "textendash": "–", "textemdash": "—", "textbullet": "•", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotesingle": "'", "guillemotleft": "«", "guillemotright": "»",
    "quotedblbase": "„", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "og": "« ", "fg": " »", "euro": "€", "texteuro": "€",
    "textmu": "µ", "micro": "µ", "textpm": "±", "texttimes": "×", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX",
    "KOMAScript": "KOMA-Script", "XeTeX": "XeTeX", "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "slash": "/", "newline": "\n",
    "linebreak": "\n", "par": "\n\n", "quad": " ", "qquad": " ", "space": " ", "hfill": " ", "enspace": " ", "thinspace": " ",
    "nobreakspace": " ", "textvisiblespace": " ", "tab": " ", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "lq": "‘", "rq": "’",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "tau": "τ",
    "omega": "ω", "Delta": "Δ", "Omega": "Ω", "rightarrow": "→", "to": "→", "leftarrow": "←", "times": "×", "pm": "±", "cdot": "·",
    "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "infty": "∞",
}  # fmt: skip


def _accented(mark: str, letter: str) -> str:
    """Return the letter with the accent of this command on it; the rest of a longer text follows as it is."""
    letter = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    return unicodedata.normalize("NFC", letter[:1] + _MARKS[mark] + letter[1:]) if letter.strip() else letter


def _typeset(text: str) -> str:
    """Return plain text as LaTeX prints it: quotes, dashes and ties."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text.replace("~", " ")


# -- citations

_ITEM = re.compile(r"\\bibitem\s*(?:\[|(?=\{))")
_BRACKET = re.compile(r"[\]{}]")
_KEY = re.compile(r"\s*\{([^{}]*)\}")
_AUTHOR_YEAR = re.compile(r"(?P<authors>.+?)\s*\((?P<year>[^()]*\d{4}\w?|n\.?\s?d\.?|[^()]{0,30})\)")
_NUMBERS = re.compile(
    r"\\(?:usepackage|setcitestyle|PassOptionsToPackage)\s*[\[{][^\]}]*(?:numbers|super)|\\bibpunct(?:\[[^\]]*\])?(?:\{[^}]*\}){3}\{[ns]\}"
)

_LONGEST_LABEL = 2_000
_MOST = 20_000
_BARE = ("citealp", "citealt")
_Plain = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class TexReference:
    """A reference: how the text points at it by number or label, or by author and year."""

    label: str
    authors: str = ""
    year: str = ""


@dataclass(slots=True)
class Citations:
    """The list of references, one a line, and what to write for each way of citing."""

    lines: list[str] = field(default_factory=list[str])
    by_key: dict[str, TexReference] = field(default_factory=dict[str, TexReference])

    def text(self, command: str, keys: Sequence[str], notes: Sequence[str]) -> str:
        """Return what the command prints for these keys, with its notes before and behind."""
        if command == "nocite":
            return ""
        before = f"{notes[0]} " if len(notes) > 1 and notes[0] else ""
        behind = f", {notes[-1]}" if notes and notes[-1] else ""
        known = [self.by_key.get(key) or TexReference(key) for key in keys]
        if not any(cited.authors for cited in known):
            return f"[{before}{', '.join(cited.label for cited in known)}{behind}]"
        command = command.lower()
        named = [(cited.authors or cited.label, cited.year) for cited in known]
        if "author" in command:
            return "; ".join(authors for authors, _ in named)
        if "year" in command:
            years = ", ".join(year for _, year in named)
            return f"({years})" if "par" in command else years
        told = "; ".join(f"{authors}, {year}" if year else authors for authors, year in named)
        if command.startswith(_BARE):
            return f"{before}{told}{behind}"
        if command.startswith(("citet", "textcite", "newcite", "shortcite")):
            return "; ".join(f"{authors} ({before}{year}{behind})" for authors, year in named)
        return f"({before}{told}{behind})"


def citations_of(source: str, bibliography: str, plain: _Plain) -> Citations:
    r"""Return the references of `\bibitem`s, wherever they are."""
    found = Citations()
    body = bibliography if r"\bibitem" in bibliography or r"\entry{" in bibliography else source
    if r"\entry{" in body and r"\bibitem" not in body:
        # the references of biblatex's own file, which has them in fields
        found = Citations()
        entries = re.split(r"\\entry\{", body)[1 : _MOST + 1]
        for entry in entries:
            key = entry.split("}", 1)[0]
            fields = {
                name: plain(value)
                for name, value in re.findall(r"\\(?:field|strng)\{(\w+)\}\{(.*)\}[ \t]*$", entry, re.MULTILINE)
            }
            if key in found.by_key:
                continue
            people = entry.partition(r"\name{author}")[2].partition(r"\strng")[0]
            given, family = re.findall(r"\bgiven=\{+([^{}]*)\}", people), re.findall(r"\bfamily=\{+([^{}]*)\}", people)
            names = [plain(" ".join(pair)) for pair in zip(given, family, strict=False)] or [
                plain(name) for name in family
            ]
            doi = re.search(r"\\verb\{doi\}\s*\\verb\s+(\S+)", entry)
            venue = fields.get("journaltitle") or fields.get("booktitle") or ""
            parts = [", ".join(names), fields.get("title", ""), venue, fields.get("year", ""), doi[1] if doi else ""]
            number = str(len(found.by_key) + 1)
            found.by_key[key] = TexReference(number)
            found.lines.append(f"[{number}] {'. '.join(part for part in parts if part)}")
        return found
    numbered = _NUMBERS.search(source) is not None
    items = list(_ITEM.finditer(body))[:_MOST]
    for number, item in enumerate(items, start=1):
        stop = items[number].start() if number < len(items) else _end(body, item.end())
        label, position = _label(body, item) if body[item.end() - 1] == "[" else ("", item.end())
        key = _KEY.match(body, position)
        if key is None:
            continue
        text = plain(body[key.end() : stop].replace(r"\newblock", " "))
        cited = _cited(plain(label), number, numbered=numbered)
        found.by_key[key[1].strip()] = cited
        if text:
            found.lines.append(text if cited.authors else f"[{cited.label}] {text}")
    return found


def _end(body: str, start: int) -> int:
    end = body.find(r"\end{thebibliography}", start)
    return end if end >= 0 else len(body)


def _label(body: str, item: re.Match[str]) -> tuple[str, int]:
    """Return the label in brackets, which may have brackets in braces, and where it ends."""
    depth = 0
    for found in _BRACKET.finditer(body, item.end(), item.end() + _LONGEST_LABEL):
        depth += (found[0] == "{") - (found[0] == "}")
        if found[0] == "]" and depth <= 0:
            return body[item.end() : found.start()], found.end()
    return "", item.end()


def _cited(label: str, number: int, *, numbered: bool) -> TexReference:
    match = _AUTHOR_YEAR.match(label)
    if match and not numbered:
        return TexReference("", match["authors"].strip(" ,"), match["year"])
    return TexReference(str(number) if match or not label else label)


# -- running text

_TOKEN = re.compile(
    r"\\(?:verb|lstinline)\*?(?:\[[^\]\n]*\])?(?P<bar>[^a-zA-Z\s{*\[])(?P<verbatim>[^\n]*?)(?P=bar)|"
    r"\\(?P<word>[a-zA-Z@]+)\*?(?P<gap>(?:[ \t]*\n(?![ \t]*\n)[ \t]*|[ \t]*))|"
    r"\\(?P<sign>[\s\S])|(?P<math>\$\$?)|(?P<brace>[{}])|(?P<text>[^\\${}]+)|(?P<rest>[\s\S])"
)

_BRACE = re.compile(
    rf"\\(?:verb|lstinline)\*?([^a-zA-Z\s{{*\[])[^\n]*?\1|\\begin\{{(?P<raw>{VERBATIM})\}}|\\[\s\S]|[{{}}]"
)

_OPTION_BRACKET = re.compile(r"[\]{]")
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
            return _typeset(found["text"]), after
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
        while found := _OPTION_BRACKET.search(self.text, at, stop):
            if found[0] == "]":
                return found.start()
            at = self._closing.get(found.start(), found.start()) + 1
        return -1

    def _word(self, word: str, gap: str, position: int, end: int) -> tuple[str, int]:
        if word in _ACCENTS and len(word) == 1:
            return self._accent(word, position, end)
        if word in _SIGNS:
            return _SIGNS[word] + (" " if gap and len(word) > 2 else ""), position
        pointed = self._pointer(word, position, end)
        return self._other(word, gap, position, end) if pointed is None else pointed

    def _pointer(self, word: str, position: int, end: int) -> tuple[str, int] | None:
        """Return what a command prints that points somewhere else, or None for all others."""
        if _CITES.fullmatch(word):
            notes, position = self.options(position, end)
            group = self.argument(position, end)
            if group is None:
                return "", position
            keys = [key.strip() for key in self.text[group[0] : group[1]].split(",") if key.strip()]
            told = [_typeset(_COMMAND.sub("", note)).strip() for note in notes]
            return self.citations.text(word, keys, told), group[2]
        if _REFERENCES.fullmatch(word):
            group = self.argument(position, end)
            if group is None:
                return "", position
            labels = [label.strip() for label in self.text[group[0] : group[1]].split(",")]
            numbers = [self.numbers.get(label, f"[{label}]") for label in labels]
            if word.lower() not in {"autoref", "cref"}:
                numbers = [number.rpartition(" ")[2] for number in numbers]
            told = ", ".join(numbers)
            return (f"({told})" if word == "eqref" else told), group[2]
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
        # keep the arguments of a command that is not known apart
        close = self.closing(after)
        while close >= 0 and self.text[close + 1 : close + 2] == "{":
            self._spaced.add(close)
            close = self.closing(close + 1)
        if word == "item":
            return "\n", after
        return (" " if gap and after == position else ""), after

    def _sign(self, sign: str, position: int, end: int) -> tuple[str, int]:
        if sign in _ACCENTS:
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
            return _accented(mark, self.plain(group[0], group[1])), group[2]
        letter, after = (
            self.step(position, min(end, position + 1))
            if self.text[position : position + 1] != "\\"
            else self.step(position, end)
        )
        return _accented(mark, letter), after

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
