"""An answer as markup: LaTeX, pandoc's Markdown, and an HTML page. Word, PDF and the notes of a vault have modules of their own."""

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from scholarmind.citing.citation_styles import Style
from scholarmind.citing.reference_export import csl
from scholarmind.identity import page_link
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

# -- LaTeX: `\cite[p.~4]{key}` with the user's own keys, and a list of sources that compiles without any other file
#
# pdfLaTeX, XeLaTeX and LuaLaTeX take it. Chinese is set by ctex where that is installed; signs that pdfLaTeX has no letter for become `?`
# there and stay what they are in the others.

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
    body = "\n\n".join(_tex_body(manuscript, style)) + "\n\n\\end{document}\n"
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


def _tex_body(manuscript: Manuscript, style: Style) -> Iterator[str]:
    words = manuscript.words
    yield f"\\section*{{{_tex_escaped(manuscript.title)}}}"
    yield from _tex_text(manuscript)
    yield from (f"{{\\footnotesize {_tex_escaped(line)}\\par}}" for line in manuscript.doubts)
    if manuscript.table:
        yield f"\\subsection*{{{_heading(words['completeness'])}}}"
        yield _tex_table(
            [[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, (5, 38, 18, 7, 24)
        )
        yield f"{_tex_escaped(words['verdict'])}: \\textbf{{{_tex_escaped(manuscript.verdict)}}}"
    if manuscript.notes:
        yield f"\\subsection*{{{_heading(words['notes'])}}}"
        yield _environment("itemize", [f"\\item {_tex_escaped(note)}" for note in manuscript.notes])
    if manuscript.sources:
        yield "% With a bibliography of your own, put \\bibliographystyle{...}\\bibliography{...} in the place of this list."
        widest = max((source.shown for source in manuscript.sources), key=len) if style == "apa" else "99"
        sources = "\n".join(_tex_source(source, style) for source in manuscript.sources)
        named = f"\\renewcommand{{\\refname}}{{{_heading(words['sources'])}}}\n"
        yield f"{named}\\begin{{thebibliography}}{{{_tex_escaped(widest[:12])}}}\n{sources}\n\\end{{thebibliography}}"


def _tex_text(manuscript: Manuscript) -> Iterator[str]:
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
            lines.append(f"\\item {_tex_content(block.content, manuscript)}")
            continue
        if lines and not opened:
            yield "\n".join(lines)
            lines = []
        if (written := _tex_block(block, manuscript)) and opened:
            lines.append(f"\n{written}")
        elif written:
            yield written
    yield from ["\n".join(lines)] if lines else []


def _list_of(block: ManuscriptBlock) -> str:
    return "enumerate" if block.number else "itemize"


def _tex_block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _tex_content(block.content, manuscript)
    match block.kind:
        case "heading":
            return f"\\{_HEADINGS.get(block.level, 'paragraph*')}{{{content}}}"
        case "quotation":
            return _environment("quote", [content])
        case "table":
            wide = 92 // max(len(block.rows[0]), 1)
            return _tex_table(block.rows, manuscript, (wide,) * len(block.rows[0]))
        case _:
            return content


def _environment(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"\\begin{{{name}}}", *lines, f"\\end{{{name}}}"))


def _tex_table(rows: Sequence[Sequence[Content]], manuscript: Manuscript, widths: Sequence[int]) -> str:
    """Return a table that may run over pages; the widths are hundredths of the line."""
    columns = "".join(f">{{\\raggedright\\arraybackslash}}p{{0.{width:02}\\linewidth}}" for width in widths)
    head, *others = (" & ".join(_tex_content(cell, manuscript) for cell in row) + r" \\" for row in rows)
    lines = ["\\setlength{\\tabcolsep}{2pt}\\small", f"\\begin{{longtable}}{{{columns}}}"]
    return "\n".join(("{", *lines, "\\hline", head, "\\hline\\endhead", *others, "\\hline", "\\end{longtable}", "}"))


def _tex_content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        _tex_cited(piece, manuscript) if isinstance(piece, CitationGroup) else _tex_styled(piece) for piece in content
    )


def _tex_styled(piece: StyledText) -> str:
    text = _tex_escaped(piece.text).replace("\n", "\\newline ")
    for wanted, command in ((piece.code, "texttt"), (piece.italic, "emph"), (piece.bold, "textbf")):
        text = f"\\{command}{{{text}}}" if wanted else text
    return text


def _tex_cited(group: CitationGroup, manuscript: Manuscript) -> str:
    r"""Return citations side by side: `\cite{a,b}` of those without pages, and a `\cite[p.~4]{c}` for each of the others."""
    found: list[str] = []
    plain: list[str] = []
    for item in group.items:
        if not (source := manuscript.source(item.work)):
            found.append(_tex_escaped(f"[{item.shown}]"))
        elif item.pages:
            found += [f"\\cite{{{','.join(plain)}}}"] if plain else []
            plain = []
            found.append(f"\\cite[{_pages(item)}]{{{source.key}}}")
        else:
            plain.append(source.key)
    return " ".join((*found, *([f"\\cite{{{','.join(plain)}}}"] if plain else [])))


def _pages(item: CitedPlace) -> str:
    return f"{'pp' if len(item.pages) > 1 else 'p'}.~{', '.join(map(str, item.pages))}"


def _tex_source(source: ListedSource, style: Style) -> str:
    pieces = _ADDRESS.split(_NUMBER.sub("", source.entry))
    entry = "".join(
        f"\\url{{{_address(piece)}}}" if place % 2 else _tex_escaped(piece) for place, piece in enumerate(pieces)
    )
    label = f"[{{{_tex_escaped(source.shown)}}}]" if style == "apa" else ""
    zotero = f" \\href{{{_address(source.zotero)}}}{{Zotero}}" if source.zotero else ""
    return f"\\bibitem{label}{{{source.key}}} {entry}{zotero}"


def _address(text: str) -> str:
    return text.replace("\\", "/").replace("{", "%7B").replace("}", "%7D").replace("%", "\\%").replace("#", "\\#")


def _heading(text: str) -> str:
    return _tex_escaped(text[:1].upper() + text[1:])


def _tex_escaped(text: str) -> str:
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


# -- pandoc's Markdown: `[@key, p. 4]`, the cited works in front, so that `pandoc --citeproc` needs nothing else
#
# pandoc --citeproc answer.pandoc.md -o answer.docx        # or with --bibliography and --csl of your own

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~^$@#])")
_AT_START = re.compile(r"^(\s*)(?:([-+=:>%])|(\(?(?:\d+|[A-Za-z]|[ivxlcdmIVXLCDM]+))([.)])(?=\s))")
_PLAIN_KEY = re.compile(r"[^\W_](?:[\w]|[:.#$%&+?<>~/-](?=\w))*")


def pandoc_markdown(manuscript: Manuscript) -> str:
    """Return a whole document with its metadata in front."""
    import yaml  # noqa: PLC0415

    own = {source.work: source.key for source in manuscript.sources}
    head = {
        "title": manuscript.title,
        "lang": "zh-CN" if manuscript.language == "zh" else "en",
        "link-citations": True,
        "references": csl([source.document for source in manuscript.sources], own),
    }
    front = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=1_000)
    return f"---\n{front}---\n\n" + "\n\n".join(_pandoc_body(manuscript)) + "\n"


def _pandoc_body(manuscript: Manuscript) -> Iterator[str]:
    words = manuscript.words
    yield from _blocks(manuscript)
    yield from (_pandoc_escaped(line, starts=True) for line in manuscript.doubts)
    if manuscript.table:
        yield f"# {words['completeness']} {{.unnumbered}}"
        rows = [[(StyledText(cell),) for cell in row] for row in manuscript.table]
        yield _pandoc_table(rows, manuscript, (4, 40, 20, 8, 28))
        yield f"{words['verdict']}: **{_pandoc_escaped(manuscript.verdict)}**"
    if manuscript.notes:
        yield f"# {words['notes']} {{.unnumbered}}"
        yield "\n".join(f"- {_pandoc_escaped(note, starts=True)}" for note in manuscript.notes)
    if manuscript.sources:
        yield f"# {words['sources']} {{.unnumbered}}"
        yield "::: {#refs}\n:::"


def _blocks(manuscript: Manuscript) -> Iterator[str]:
    lines: list[str] = []  # of a list
    for block in manuscript.blocks:
        written = _pandoc_block(block, manuscript)
        if block.kind == "item" or (lines and block.depth):
            lines.append(written)
            continue
        if lines:
            yield "\n".join(lines)
            lines = []
        yield written
    yield from ["\n".join(lines)] if lines else []


def _pandoc_block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _pandoc_content(block.content, manuscript)
    indent = "    " * block.depth
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {content}"
        case "item":
            mark = f"{block.number}." if block.number else "-"
            return f"{indent[4:]}{mark:<3} {_started(content)}"
        case "quotation":
            return f"> {_started(content)}"
        case "code":
            lines = (f"{indent}{piece.text}\n" for piece in block.content if isinstance(piece, StyledText))
            return f"\n{indent}```\n" + "".join(lines) + f"{indent}```"
        case "table":
            wide = 100 // max(len(block.rows[0]), 1)
            return _pandoc_table(block.rows, manuscript, (wide,) * len(block.rows[0]))
        case _:
            return f"\n{indent}{_started(content)}" if indent else _started(content)


def _pandoc_table(rows: Sequence[Sequence[Content]], manuscript: Manuscript, widths: Sequence[int]) -> str:
    """Return a pipe table; where its lines are long, pandoc takes the widths of the columns from the dashes."""
    lines = ["| " + " | ".join(_pandoc_content(cell, manuscript) for cell in row) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "|".join("-" * max(width, 3) for width in widths) + "|", *lines[1:]))


def _pandoc_content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        f"[{'; '.join(_citation(item, manuscript) for item in piece.items)}]"
        if isinstance(piece, CitationGroup)
        else _pandoc_styled(piece)
        for piece in content
    )


def _pandoc_styled(piece: StyledText) -> str:
    if piece.code:
        longest = max((len(ticks) for ticks in re.findall("`+", piece.text)), default=0)
        ticks = "`" * (longest + 1)
        return f"{ticks} {piece.text} {ticks}" if longest else f"{ticks}{piece.text}{ticks}"
    text = _pandoc_escaped(piece.text).replace("\n", "\\\n")
    mark = "**" * piece.bold + "*" * piece.italic
    core = text.strip()
    if not mark or not core:
        return text
    before, _, after = text.partition(core)
    return f"{before}{mark}{core}{mark[::-1]}{after}"


def _citation(item: CitedPlace, manuscript: Manuscript) -> str:
    source = manuscript.source(item.work)
    if source is None:
        return _pandoc_escaped(item.shown)
    key = source.key if _PLAIN_KEY.fullmatch(source.key) else f"{{{source.key}}}"
    label = "" if manuscript.language == "zh" else "pp. " if len(item.pages) > 1 else "p. "
    return f"@{key}, {label}{', '.join(map(str, item.pages))}" if item.pages else f"@{key}"


def _pandoc_escaped(text: str, *, starts: bool = False) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text)
    return _started(escaped) if starts else escaped


def _started(text: str) -> str:
    """Return a line that begins no list, quotation or definition."""
    return _AT_START.sub(
        lambda found: f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}", text
    )


# -- one HTML file that works off line: no script, no address that is fetched, readable dark and light, on paper too
#
# Each citation leads to its source, and shows the quoted words where the pointer rests; below a source stand the words that were quoted.

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.6 Georgia, "Songti SC", "Noto Serif CJK SC", SimSun, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3, h4 { font-size: 1.05rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top; }
a { color: inherit; } .cited a { text-decoration: none; border-bottom: 1px dotted; }
blockquote { margin: .3rem 0 .3rem 1rem; padding-left: .8rem; border-left: 3px solid #8886; font-size: .9rem; }
.doubt, footer { font-size: .85rem; opacity: .8; } ol.sources { list-style: none; padding: 0; } ol.sources > li { margin: .8rem 0; }
:target { background: #ffd54a55; }
@media print { body { margin: 0; max-width: none; } details > * { display: block; } }
"""


def html_page(manuscript: Manuscript) -> str:
    """Return the whole page."""
    language = "zh-Hans" if manuscript.language == "zh" else escape(manuscript.language or "en")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(manuscript.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(_html_body(manuscript))
        + "\n</body>\n</html>\n"
    )


def _html_body(manuscript: Manuscript) -> Iterator[str]:
    words = manuscript.words
    yield f"<h1>{escape(manuscript.title)}</h1>"
    yield from _html_text(manuscript)
    yield from (f'<p class="doubt">{escape(line)}</p>' for line in manuscript.doubts)
    if manuscript.table:
        yield f"<h2>{_capital(words['completeness'])}</h2>"
        yield _html_table([[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript)
        yield f"<p>{escape(words['verdict'])}: <strong>{escape(manuscript.verdict)}</strong></p>"
    if manuscript.notes:
        yield f"<h2>{_capital(words['notes'])}</h2>"
        yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in manuscript.notes) + "</ul>"
    if manuscript.sources:
        yield f'<h2>{_capital(words["sources"])}</h2>\n<ol class="sources">'
        yield from (_html_source(source, manuscript) for source in manuscript.sources)
        yield "</ol>"
    if manuscript.answer.run:
        yield f"<footer>ScholarMind · {escape(manuscript.answer.run)}</footer>"


def _html_text(manuscript: Manuscript) -> Iterator[str]:
    """Yield the blocks, with lists opened and closed as their items come and go."""
    opened: list[str] = []
    for block in manuscript.blocks:
        wanted = block.depth
        kind = "ol" if block.number else "ul"
        while len(opened) > wanted or (
            opened and len(opened) == wanted and block.kind == "item" and opened[-1] != kind
        ):
            yield f"</li></{opened.pop()}>"
        if block.kind == "item":
            if len(opened) == wanted:
                yield "</li>"
            while len(opened) < wanted:
                start = f' start="{block.number}"' if block.number > 1 else ""
                yield f"<{kind}{start}>"
                opened.append(kind)
            yield f"<li>{_html_content(block.content, manuscript)}"
        else:
            yield _html_block(block, manuscript)
    yield from (f"</li></{kind}>" for kind in reversed(opened))


def _html_block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _html_content(block.content, manuscript)
    match block.kind:
        case "heading":
            level = min(block.level + 1, 6)
            return f"<h{level}>{content}</h{level}>"
        case "quotation":
            return f"<blockquote>{content}</blockquote>"
        case "code":
            return f"<pre>{content}</pre>"
        case "table":
            return _html_table(block.rows, manuscript)
        case _:
            return f"<p>{content}</p>"


def _html_table(rows: Sequence[Sequence[Content]], manuscript: Manuscript) -> str:
    head, *others = rows
    names = "".join(f'<th scope="col">{_html_content(cell, manuscript)}</th>' for cell in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{_html_content(cell, manuscript)}</td>' for cell in row)}</tr>\n" for row in others
    )
    return f'<div class="table"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>'


def _html_content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        f'<span class="cited">[{"; ".join(_html_cited(item, manuscript) for item in piece.items)}]</span>'
        if isinstance(piece, CitationGroup)
        else _html_styled(piece)
        for piece in content
    )


def _html_styled(piece: StyledText) -> str:
    text = escape(piece.text).replace("\n", "<br>")
    for wanted, tag in ((piece.code, "code"), (piece.italic, "em"), (piece.bold, "strong")):
        text = f"<{tag}>{text}</{tag}>" if wanted else text
    return text


def _html_cited(item: CitedPlace, manuscript: Manuscript) -> str:
    source = manuscript.source(item.work)
    if source is None:
        return escape(item.shown)
    quoted = f' title="{escape(" … ".join(item.quotes))}"' if item.quotes else ""
    pages = f", {escape(manuscript.pages(item.pages))}" if item.pages else ""
    return f'<a href="#{_anchor(source, manuscript)}"{quoted}>{escape(item.shown)}{pages}</a>'


def _anchor(source: ListedSource, manuscript: Manuscript) -> str:
    return f"source-{manuscript.sources.index(source) + 1}"


def _html_source(source: ListedSource, manuscript: Manuscript) -> str:
    """Return the entry of a work, where it can be opened, and the words that were quoted of it."""
    parts = _ADDRESS.split(source.entry)
    entry = "".join(
        f'<a href="{escape(part)}">{escape(part)}</a>' if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )
    links = [f'<a href="{escape(source.zotero)}">Zotero</a>'] if source.zotero else []
    quotes = manuscript.quotations(source)
    said = "".join(
        f"<blockquote>{escape(quote)}{_place(source, page, manuscript)}</blockquote>" for quote, page in quotes.items()
    )
    told = f"<details><summary>{_capital(manuscript.words['quotations'])}</summary>{said}</details>" if said else ""
    head = f"<strong>[{escape(source.shown)}]</strong> {entry} {' '.join(links)}".rstrip()
    return f'<li id="{_anchor(source, manuscript)}">{head}{told}</li>'


def _place(source: ListedSource, page: int | None, manuscript: Manuscript) -> str:
    """Return the page of a quotation, as a link that opens it in Zotero if it is kept there."""
    told = escape(manuscript.pages([page])) if page else ""
    if link := page_link(source.document, page):
        told = f'<a href="{escape(link)}">{told or "PDF"}</a>'
    return f" ({told})" if told else ""


def _capital(text: str) -> str:
    return escape(text[:1].upper() + text[1:])
