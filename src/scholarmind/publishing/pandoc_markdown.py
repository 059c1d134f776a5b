"""An answer as pandoc's Markdown: `[@key, p. 4]`, the cited works in front, so that `pandoc --citeproc` needs nothing else.

pandoc --citeproc answer.pandoc.md -o answer.docx        # or with --bibliography and --csl of your own
"""

import re
from collections.abc import Iterator, Sequence

from scholarmind.citing.reference_export import csl
from scholarmind.publishing.manuscript import (
    CitationGroup,
    CitedPlace,
    Content,
    Manuscript,
    ManuscriptBlock,
    StyledText,
)

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
    return f"---\n{front}---\n\n" + "\n\n".join(_body(manuscript)) + "\n"


def _body(manuscript: Manuscript) -> Iterator[str]:
    words = manuscript.words
    yield from _blocks(manuscript)
    yield from (_escaped(line, starts=True) for line in manuscript.doubts)
    if manuscript.table:
        yield f"# {words['completeness']} {{.unnumbered}}"
        rows = [[(StyledText(cell),) for cell in row] for row in manuscript.table]
        yield _table(rows, manuscript, (4, 40, 20, 8, 28))
        yield f"{words['verdict']}: **{_escaped(manuscript.verdict)}**"
    if manuscript.notes:
        yield f"# {words['notes']} {{.unnumbered}}"
        yield "\n".join(f"- {_escaped(note, starts=True)}" for note in manuscript.notes)
    if manuscript.sources:
        yield f"# {words['sources']} {{.unnumbered}}"
        yield "::: {#refs}\n:::"


def _blocks(manuscript: Manuscript) -> Iterator[str]:
    lines: list[str] = []  # of a list
    for block in manuscript.blocks:
        written = _block(block, manuscript)
        if block.kind == "item" or (lines and block.depth):
            lines.append(written)
            continue
        if lines:
            yield "\n".join(lines)
            lines = []
        yield written
    yield from ["\n".join(lines)] if lines else []


def _block(block: ManuscriptBlock, manuscript: Manuscript) -> str:
    content = _content(block.content, manuscript)
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
            return f"\n{indent}```\n" + "".join(f"{indent}{piece.text}\n" for piece in _texts(block)) + f"{indent}```"
        case "table":
            wide = 100 // max(len(block.rows[0]), 1)
            return _table(block.rows, manuscript, (wide,) * len(block.rows[0]))
        case _:
            return f"\n{indent}{_started(content)}" if indent else _started(content)


def _texts(block: ManuscriptBlock) -> Iterator[StyledText]:
    return (piece for piece in block.content if isinstance(piece, StyledText))


def _table(rows: Sequence[Sequence[Content]], manuscript: Manuscript, widths: Sequence[int]) -> str:
    """Return a pipe table; where its lines are long, pandoc takes the widths of the columns from the dashes."""
    lines = ["| " + " | ".join(_content(cell, manuscript) for cell in row) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "|".join("-" * max(width, 3) for width in widths) + "|", *lines[1:]))


def _content(content: Content, manuscript: Manuscript) -> str:
    return "".join(
        _cited(piece, manuscript) if isinstance(piece, CitationGroup) else _styled(piece) for piece in content
    )


def _styled(piece: StyledText) -> str:
    if piece.code:
        longest = max((len(ticks) for ticks in re.findall("`+", piece.text)), default=0)
        ticks = "`" * (longest + 1)
        return f"{ticks} {piece.text} {ticks}" if longest else f"{ticks}{piece.text}{ticks}"
    text = _escaped(piece.text).replace("\n", "\\\n")
    mark = "**" * piece.bold + "*" * piece.italic
    core = text.strip()
    if not mark or not core:
        return text
    before, _, after = text.partition(core)
    return f"{before}{mark}{core}{mark[::-1]}{after}"


def _cited(group: CitationGroup, manuscript: Manuscript) -> str:
    return f"[{'; '.join(_citation(item, manuscript) for item in group.items)}]"


def _citation(item: CitedPlace, manuscript: Manuscript) -> str:
    source = manuscript.source(item.work)
    if source is None:
        return _escaped(item.shown)
    key = source.key if _PLAIN_KEY.fullmatch(source.key) else f"{{{source.key}}}"
    label = "" if manuscript.language == "zh" else "pp. " if len(item.pages) > 1 else "p. "
    return f"@{key}, {label}{', '.join(map(str, item.pages))}" if item.pages else f"@{key}"


def _escaped(text: str, *, starts: bool = False) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text)
    return _started(escaped) if starts else escaped


def _started(text: str) -> str:
    """Return a line that begins no list, quotation or definition."""
    return _AT_START.sub(
        lambda found: f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}", text
    )
