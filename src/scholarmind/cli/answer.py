"""Answers as people see them: Markdown for files and pipes, the same with colours in a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scholarmind.answer import Answer, Row
from scholarmind.cli.output import console, safe
from scholarmind.model import Document

if TYPE_CHECKING:
    from rich.table import Table

    from scholarmind.citing.styles import Style

_MARKS = {"answered": "✓", "partial": "~", "conflicting": "≠", "not in the library": "–", "failed": "✗"}
_COLOURS = {
    "answered": "green",
    "partial": "yellow",
    "conflicting": "magenta",
    "not in the library": "red",
    "failed": "red",
    "complete": "green",
    "with caveats": "yellow",
    "incomplete": "red",
}


def as_markdown(answer: Answer, style: "Style") -> str:
    """Return the whole answer as Markdown: text, completeness, sources, and what was done in another way."""
    blocks = [f"# {_line(answer.question)}", answer.text]
    if answer.review.rows:
        blocks += ["## Completeness", _markdown_rows(answer.review.rows), f"Verdict: **{answer.review.verdict}**"]
    if sources := _sources(answer, style, markdown=True):
        blocks += ["## Sources", "\n".join(f"- {source}" for source in sources)]
    if answer.fallbacks:
        blocks += ["## Notes", "\n".join(f"- {_line(note)}" for note in answer.fallbacks)]
    return safe("\n\n".join(blocks)) + "\n"


def print_answer(answer: Answer, style: "Style") -> None:
    """Print the answer: with colours in a terminal, as Markdown where it goes elsewhere."""
    terminal = console()
    if not terminal.is_terminal:
        terminal.print(as_markdown(answer, style), markup=False, end="")
        return
    from rich.markdown import Markdown  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    terminal.print(Markdown(safe(answer.text), hyperlinks=False))
    terminal.print()
    if answer.review.rows:
        terminal.print(_table(answer))
    for number, source in enumerate(_sources(answer, style, markdown=False)):
        if not number:
            terminal.print(Text("\nSources", style="bold"))
        terminal.print(Text(f"  {safe(source)}"))
    for note in answer.fallbacks:
        terminal.print(Text(f"note: {safe(note)}", style="yellow"))
    spent = answer.spent
    terminal.print(
        Text(
            f"\n{spent.get('seconds', 0):.2f} s · {spent.get('searches', 0):.0f} searches · no model · run {answer.run}",
            style="dim",
        )
    )


def print_evidence_of(answer: Answer) -> None:
    """Print the passages that each part rests on."""
    from scholarmind.cli.output import print_evidence  # noqa: PLC0415

    for finding in answer.findings:
        if finding.part.role == "find":
            console().print(f"\n{finding.part.id}. {safe(finding.question)}", markup=False, style="bold")
            print_evidence(finding.evidence[:5], finding.question, scores=True)


def _table(answer: Answer) -> "Table":
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    verdict = answer.review.verdict
    title = Text.assemble("Completeness: ", (verdict, _COLOURS.get(verdict, "magenta")))
    table = Table("", "part", "status", "sure", "what is missing", title=title, title_justify="left")
    for row in answer.review.rows:
        status = Text(f"{_MARKS[row.status]} {row.status}", style=_COLOURS[row.status])
        table.add_row(row.id, Text(safe(row.text)), status, f"{row.confidence:.2f}", Text(safe(row.missing)))
    return table


def _markdown_rows(rows: Sequence[Row]) -> str:
    lines = ["| | part | status | sure | what is missing |", "|---|---|---|---|---|"]
    for row in rows:
        cells = (row.id, row.text, f"{_MARKS[row.status]} {row.status}", f"{row.confidence:.2f}", row.missing)
        lines.append("| " + " | ".join(_line(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def _sources(answer: Answer, style: "Style", *, markdown: bool) -> list[str]:
    """Return the cited works, each after the key by which the text cites it."""
    from scholarmind.citing.styles import markdown_text, sources  # noqa: PLC0415

    keys = {(citation.collection, citation.document): citation.key for citation in answer.citations}
    listed = zip(answer.sources, sources(answer.sources, style, markdown=markdown), strict=True)
    told = (
        (keys[document.collection, document.id], f"{source}{_pages(answer, document)}") for document, source in listed
    )
    return [f"\\[{markdown_text(key)}\\] {source}" if markdown else f"[{key}] {source}" for key, source in told]


def _pages(answer: Answer, document: Document) -> str:
    """Return the pages that are cited, where the document has pages."""
    place = (document.collection, document.id)
    pages = {item.page for item in answer.citations if item.page and (item.collection, item.document) == place}
    return f" (cited: p. {', '.join(map(str, sorted(pages)))})" if pages else ""


def _line(text: str) -> str:
    return " ".join(text.split())
