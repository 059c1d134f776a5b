"""An answer as one HTML file that works off line: no script, no address that is fetched, readable dark and light, on paper too.

Each citation leads to its source, and shows the quoted words where the pointer rests; below a source stand the words that were quoted.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape

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

_ADDRESS = re.compile(r"(https?://\S+)")
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
        + "\n".join(_body(manuscript))
        + "\n</body>\n</html>\n"
    )


def _body(manuscript: Manuscript) -> Iterator[str]:
    words = manuscript.words
    yield f"<h1>{escape(manuscript.title)}</h1>"
    yield from _text(manuscript)
    yield from (f'<p class="doubt">{escape(line)}</p>' for line in manuscript.doubts)
    if manuscript.table:
        yield f"<h2>{_capital(words['completeness'])}</h2>"
        yield _table([[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript)
        yield f"<p>{escape(words['verdict'])}: <strong>{escape(manuscript.verdict)}</strong></p>"
    if manuscript.notes:
        yield f"<h2>{_capital(words['notes'])}</h2>"
        yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in manuscript.notes) + "</ul>"
    if manuscript.sources:
        yield f'<h2>{_capital(words["sources"])}</h2>\n<ol class="sources">'
        yield from (_source(source, manuscript) for source in manuscript.sources)
        yield "</ol>"
    if manuscript.answer.run:
        yield f"<footer>ScholarMind · {escape(manuscript.answer.run)}</footer>"


def _text(manuscript: Manuscript) -> Iterator[str]:
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
            yield f"<li>{_content(block.content, manuscript)}"
        else:
            yield _block(block, manuscript)
    yield from (f"</li></{kind}>" for kind in reversed(opened))


def _block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _content(block.content, manuscript)
    match block.kind:
        case "heading":
            level = min(block.level + 1, 6)
            return f"<h{level}>{content}</h{level}>"
        case "quotation":
            return f"<blockquote>{content}</blockquote>"
        case "code":
            return f"<pre>{content}</pre>"
        case "table":
            return _table(block.rows, manuscript)
        case _:
            return f"<p>{content}</p>"


def _table(rows: Sequence[Sequence[Content]], manuscript: Manuscript) -> str:
    head, *others = rows
    names = "".join(f'<th scope="col">{_content(cell, manuscript)}</th>' for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{_content(cell, manuscript)}</td>' for cell in row)}</tr>\n" for row in others)
    return f'<div class="table"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>'


def _content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        f'<span class="cited">[{"; ".join(_cited(item, manuscript) for item in piece.items)}]</span>'
        if isinstance(piece, CitationGroup)
        else _styled(piece)
        for piece in content
    )


def _styled(piece: StyledText) -> str:
    text = escape(piece.text).replace("\n", "<br>")
    for wanted, tag in ((piece.code, "code"), (piece.italic, "em"), (piece.bold, "strong")):
        text = f"<{tag}>{text}</{tag}>" if wanted else text
    return text


def _cited(item: CitedPlace, manuscript: Manuscript) -> str:
    source = manuscript.source(item.work)
    if source is None:
        return escape(item.shown)
    quoted = f' title="{escape(" … ".join(item.quotes))}"' if item.quotes else ""
    pages = f", {escape(manuscript.pages(item.pages))}" if item.pages else ""
    return f'<a href="#{_anchor(source, manuscript)}"{quoted}>{escape(item.shown)}{pages}</a>'


def _anchor(source: ListedSource, manuscript: Manuscript) -> str:
    return f"source-{manuscript.sources.index(source) + 1}"


def _source(source: ListedSource, manuscript: Manuscript) -> str:
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
