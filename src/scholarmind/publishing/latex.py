r"""An answer as LaTeX: `\cite[p.~4]{key}` with the user's own keys, and a list of sources that compiles without any other file.

pdfLaTeX, XeLaTeX and LuaLaTeX take it. Chinese is set by ctex where that is installed; signs that pdfLaTeX has no letter for become `?`
there and stay what they are in the others.
"""

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from scholarmind.citing.citation_styles import Style
from scholarmind.publishing.manuscript import (
    CitationGroup,
    CitedPlace,
    Content,
    ListedSource,
    Manuscript,
    ManuscriptBlock,
    StyledText,
)
from scholarmind.text.language import HAN

_HEADINGS = {1: "section*", 2: "subsection*", 3: "subsubsection*"}
_ADDRESS = re.compile(r"(https?://\S+)")
_NUMBER = re.compile(r"^\[\d+\] ")
_FOREIGN = re.compile(r"\\(?:CYR|cyr)")  # letters that need an encoding of their own
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\else
  \usepackage{fontspec}
\fi
\usepackage[margin=2.5cm]{geometry}
\usepackage{amssymb,array,longtable}
\usepackage[hidelinks]{hyperref}
\sloppy
"""
_CHINESE_PREAMBLE = r"""\IfFileExists{ctex.sty}{\usepackage[UTF8,scheme=plain]{ctex}}{\ifPDFTeX
  \PackageWarningNoLine{scholarmind}{Chinese becomes ? here: install ctex, or use XeLaTeX}
  SIGNS
\else
  \IfFontExistsTF{Noto Serif CJK SC}{\setmainfont{Noto Serif CJK SC}}{}
  \ifXeTeX\XeTeXlinebreaklocale "zh"\XeTeXlinebreakskip=0pt plus 1pt\fi
\fi}
"""


def latex(manuscript: Manuscript, style: Style) -> str:
    """Return a whole document."""
    body = "\n\n".join(_body(manuscript, style)) + "\n\n\\end{document}\n"
    foreign = sorted({sign for sign in body if not sign.isascii()})
    chinese = any(_CJK.match(sign) for sign in foreign)
    unknown = _declared(sign for sign in foreign if not _CJK.match(sign))
    preamble = _PREAMBLE + (f"\\ifPDFTeX\n{unknown}\n\\fi\n" if unknown else "")
    if chinese:
        preamble += _CHINESE_PREAMBLE.replace("SIGNS", _declared(sign for sign in foreign if _CJK.match(sign)))
    return f"{preamble}\\begin{{document}}\n\n{body}"


def _declared(signs: Iterable[str]) -> str:
    """Return what makes pdfLaTeX write `?` for signs that it has no letter for."""
    return "".join(f"\\DeclareUnicodeCharacter{{{ord(sign):04X}}}{{?}}" for sign in signs)


def _body(manuscript: Manuscript, style: Style) -> Iterator[str]:
    words = manuscript.words
    yield f"\\section*{{{_escaped(manuscript.title)}}}"
    yield from _text(manuscript)
    yield from (f"{{\\footnotesize {_escaped(line)}\\par}}" for line in manuscript.doubts)
    if manuscript.table:
        yield f"\\subsection*{{{_heading(words['completeness'])}}}"
        yield _table(
            [[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, (5, 38, 18, 7, 24)
        )
        yield f"{_escaped(words['verdict'])}: \\textbf{{{_escaped(manuscript.verdict)}}}"
    if manuscript.notes:
        yield f"\\subsection*{{{_heading(words['notes'])}}}"
        yield _environment("itemize", [f"\\item {_escaped(note)}" for note in manuscript.notes])
    if manuscript.sources:
        yield "% With a bibliography of your own, put \\bibliographystyle{...}\\bibliography{...} in the place of this list."
        widest = max((source.shown for source in manuscript.sources), key=len) if style == "apa" else "99"
        sources = "\n".join(_source(source, style) for source in manuscript.sources)
        named = f"\\renewcommand{{\\refname}}{{{_heading(words['sources'])}}}\n"
        yield f"{named}\\begin{{thebibliography}}{{{_escaped(widest[:12])}}}\n{sources}\n\\end{{thebibliography}}"


def _text(manuscript: Manuscript) -> Iterator[str]:
    """Yield the blocks of the text; items that follow each other are one list, and lists stand in one another."""
    opened: list[str] = []
    lines: list[str] = []
    for block in (*manuscript.blocks, ManuscriptBlock(kind="paragraph")):
        while len(opened) > block.depth or (
            len(opened) == block.depth and block.kind == "item" and opened[-1] != _list_of(block)
        ):
            lines.append(f"\\end{{{opened.pop()}}}")
        if block.kind == "item":
            while len(opened) < min(block.depth, 4):  # LaTeX knows no more
                opened.append(_list_of(block))
                lines.append(f"\\begin{{{opened[-1]}}}")
            lines.append(f"\\item {_content(block.content, manuscript)}")
            continue
        if lines and not opened:
            yield "\n".join(lines)
            lines = []
        if (written := _block(block, manuscript)) and opened:
            lines.append(f"\n{written}")
        elif written:
            yield written
    yield from ["\n".join(lines)] if lines else []


def _list_of(block: ManuscriptBlock) -> str:
    return "enumerate" if block.number else "itemize"


def _block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _content(block.content, manuscript)
    match block.kind:
        case "heading":
            return f"\\{_HEADINGS.get(block.level, 'paragraph*')}{{{content}}}"
        case "quotation":
            return _environment("quote", [content])
        case "table":
            wide = 92 // max(len(block.rows[0]), 1)
            return _table(block.rows, manuscript, (wide,) * len(block.rows[0]))
        case _:
            return content


def _environment(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"\\begin{{{name}}}", *lines, f"\\end{{{name}}}"))


def _table(rows: Sequence[Sequence[Content]], manuscript: Manuscript, widths: Sequence[int]) -> str:
    """Return a table that may run over pages; the widths are hundredths of the line."""
    columns = "".join(f">{{\\raggedright\\arraybackslash}}p{{0.{width:02}\\linewidth}}" for width in widths)
    head, *others = (" & ".join(_content(cell, manuscript) for cell in row) + r" \\" for row in rows)
    lines = ["\\setlength{\\tabcolsep}{2pt}\\small", f"\\begin{{longtable}}{{{columns}}}"]
    return "\n".join(("{", *lines, "\\hline", head, "\\hline\\endhead", *others, "\\hline", "\\end{longtable}", "}"))


def _content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        _cited(piece, manuscript) if isinstance(piece, CitationGroup) else _styled(piece) for piece in content
    )


def _styled(piece: StyledText) -> str:
    text = _escaped(piece.text).replace("\n", "\\newline ")
    for wanted, command in ((piece.code, "texttt"), (piece.italic, "emph"), (piece.bold, "textbf")):
        text = f"\\{command}{{{text}}}" if wanted else text
    return text


def _cited(group: CitationGroup, manuscript: Manuscript) -> str:
    r"""Return citations side by side: `\cite{a,b}` of those without pages, and a `\cite[p.~4]{c}` for each of the others."""
    found: list[str] = []
    plain: list[str] = []
    for item in group.items:
        if not (source := manuscript.source(item.work)):
            found.append(_escaped(f"[{item.shown}]"))
        elif item.pages:
            found += [f"\\cite{{{','.join(plain)}}}"] if plain else []
            plain = []
            found.append(f"\\cite[{_pages(item)}]{{{source.key}}}")
        else:
            plain.append(source.key)
    return " ".join((*found, *([f"\\cite{{{','.join(plain)}}}"] if plain else [])))


def _pages(item: CitedPlace) -> str:
    return f"{'pp' if len(item.pages) > 1 else 'p'}.~{', '.join(map(str, item.pages))}"


def _source(source: ListedSource, style: Style) -> str:
    pieces = _ADDRESS.split(_NUMBER.sub("", source.entry))
    entry = "".join(
        f"\\url{{{_address(piece)}}}" if place % 2 else _escaped(piece) for place, piece in enumerate(pieces)
    )
    label = f"[{{{_escaped(source.shown)}}}]" if style == "apa" else ""
    zotero = f" \\href{{{_address(source.zotero)}}}{{Zotero}}" if source.zotero else ""
    return f"\\bibitem{label}{{{source.key}}} {entry}{zotero}"


def _address(text: str) -> str:
    return text.replace("\\", "/").replace("{", "%7B").replace("}", "%7D").replace("%", "\\%").replace("#", "\\#")


def _heading(text: str) -> str:
    return _escaped(text[:1].upper() + text[1:])


def _escaped(text: str) -> str:
    return "".join(map(_sign, text))


@lru_cache(maxsize=4_096)
def _sign(sign: str) -> str:
    if HAN.match(sign) or sign == "\n":
        return sign
    if sign in "[]":  # an optional argument would end here
        return f"{{{sign}}}"
    written = str(_encoder().unicode_to_latex(sign))
    return sign if _FOREIGN.match(written.lstrip("{")) else written


@lru_cache(maxsize=1)
def _encoder() -> Any:
    made = importlib.import_module("pylatexenc.latexencode")  # which has no types
    return made.UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False)
