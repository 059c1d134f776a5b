"""Answers as people see them: Markdown for files and pipes, the same with colours in a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scholarmind.answer import Answer, Review
from scholarmind.cli.costs import estimated, paid
from scholarmind.cli.marks import MARK, MEANING, marked
from scholarmind.cli.output import console, origin, print_evidence, safe, scores_of
from scholarmind.model import Document, Evidence
from scholarmind.text.names import uncontrolled
from scholarmind.text.quoted import disarmed

if TYPE_CHECKING:
    from rich.table import Table

    from scholarmind.citing.styles import Style

_MARKS = {"answered": "✓", "partial": "~", "conflicting": "≠", "not in the library": "–", "failed": "✗"}
_LONGEST_DOUBT = 300
_SHOWN = 5  # passages of a part
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


def as_markdown(answer: Answer, style: "Style", *, evidence: bool = False) -> str:
    """Return the whole answer as Markdown: text, completeness, sources, what was done in another way, what a model cost; and passages."""
    blocks = [f"# {markdown_line(answer.question)}", *markdown_text(answer)]
    if answer.review.rows:
        blocks += ["## Completeness", markdown_review(answer.review)]
    if sources := _sources(answer, style, markdown=True):
        blocks += ["## Sources", "\n".join(f"- {source}" for source in sources)]
    if notes := markdown_notes(answer):
        blocks += ["## Notes", notes]
    if evidence:
        blocks += _markdown_evidence(answer)
    return uncontrolled("\n\n".join(blocks)) + "\n"


def _markdown_evidence(answer: Answer) -> Iterator[str]:
    """Yield the passages that each part rests on, as a list of quotations."""
    yield "## Evidence"
    for finding in answer.findings:
        if finding.part.role == "find":
            yield f"### {finding.part.id}. {markdown_line(finding.question)}"
            yield from markdown_passages(finding.evidence[:_SHOWN])


def markdown_passages(evidence: Sequence[Evidence]) -> Iterator[str]:
    """Yield passages as the items of a list, each with where it is from and how well it matched."""
    for rank, item in enumerate(evidence, 1):
        told = (markdown_line(line) for line in (origin(item), scores_of(item)))
        title = markdown_line(item.document.title or item.document.id)
        yield "\n    ".join((f"{rank}. {title}", *told, "", f"> {markdown_line(item.passage.text)}"))


def markdown_text(answer: Answer) -> list[str]:
    """Return what a follow-up became, the text, and what in it is not confirmed."""
    text, doubts = _text_and_doubts(answer)
    return [*map(_literal, _understood(answer)), text, *map(_literal, doubts)]


def markdown_notes(answer: Answer) -> str:
    """Return what was done in another way than asked, and what a model cost, as a list; '' if there is neither."""
    return "\n".join(f"- {markdown_line(note)}" for note in (*answer.fallbacks, *_written(answer)))


def print_answer(answer: Answer, style: "Style", *, evidence: bool = False) -> None:
    """Print the answer, and the passages if they are wanted: with colours in a terminal, as Markdown where it goes elsewhere."""
    terminal = console()
    if not terminal.is_terminal:
        terminal.print(as_markdown(answer, style, evidence=evidence), markup=False, end="")
        return
    from rich.markdown import Markdown  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    for line in _understood(answer):
        terminal.print(Text(safe(line), style="dim"))
    text, doubts = _text_and_doubts(answer)
    terminal.print(Markdown(uncontrolled(text), hyperlinks=False))
    for line in doubts:
        terminal.print(Text(f"\n{uncontrolled(line)}", style="yellow"))
    terminal.print()
    if answer.review.rows:
        terminal.print(_table(answer))
    for number, source in enumerate(_sources(answer, style, markdown=False)):
        if not number:
            terminal.print(Text("\nSources", style="bold"))
        terminal.print(Text(f"  {uncontrolled(source)}"))
    for note in answer.fallbacks:
        terminal.print(Text(f"note: {safe(_line(note))}", style="yellow"))
    terminal.print(Text(safe("\n".join(("", *_spent(answer)))), style="dim"))
    for finding in answer.findings if evidence else ():
        if finding.part.role == "find":
            terminal.print(f"\n{finding.part.id}. {safe(finding.question)}", markup=False, style="bold")
            print_evidence(finding.evidence[:_SHOWN], finding.question, scores=True)


def _understood(answer: Answer) -> list[str]:
    """Return what a follow-up became."""
    return [f"understood as: {_line(answer.question)} (asked: {_line(answer.asked)})"] if answer.asked else []


def _text_and_doubts(answer: Answer) -> tuple[str, list[str]]:
    """Return the text with marks where a sentence is not confirmed, and the line that says what they mean."""
    text, lost = marked(answer.text, answer.claims)
    doubts = [MEANING] if MARK in text and text != answer.text else []
    return text, doubts + [f"{MARK} not confirmed: {_line(sentence)[:_LONGEST_DOUBT]}" for sentence in lost]


def _written(answer: Answer) -> list[str]:
    """Return who wrote the answer and what that cost; nothing where no model was asked."""
    if not answer.calls:
        return []
    by = "written by a language model" if answer.written_by else "a language model was asked"
    return [f"{by}: {paid(answer)}, {answer.spent.get('seconds', 0):.1f} s"]


def _spent(answer: Answer) -> list[str]:
    """Return what the answer cost; a model's calls have a line of their own, beside what was estimated before."""
    told = [f"{answer.spent.get('seconds', 0):.2f} s", f"{answer.spent.get('searches', 0):.0f} searches"]
    if not answer.calls:
        return [" · ".join((*told, "no model", f"run {answer.run}"))]
    before = f" · estimated: {estimated(answer.estimate)}" if answer.estimate else ""
    return [" · ".join((*told, f"run {answer.run}")), f"{paid(answer)}{before}"]


def _table(answer: Answer) -> "Table":
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    verdict = answer.review.verdict
    title = Text.assemble("Completeness: ", (verdict, _COLOURS.get(verdict, "magenta")))
    table = Table("", "part", "status", "sure", "what is missing", title=title, title_justify="left")
    for row in answer.review.rows:
        status = Text(f"{_MARKS[row.status]} {row.status}", style=_COLOURS[row.status])
        indent = "  " * answer.plan.level(answer.plan.part(row.part))
        table.add_row(row.id, Text(indent + safe(row.text)), status, f"{row.confidence:.2f}", Text(safe(row.missing)))
    return table


def markdown_review(review: Review) -> str:
    """Return the completeness table, and the verdict below it."""
    lines = ["| | part | status | sure | what is missing |", "|---|---|---|---|---|"]
    for row in review.rows:
        status = f"{_MARKS[row.status]} {row.status}"
        cells = (row.id, markdown_line(row.text), status, f"{row.confidence:.2f}", markdown_line(row.missing))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((*lines, "", f"Verdict: **{review.verdict}**"))


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
    """Return words of others in one line."""
    return disarmed(" ".join(text.split()))


def markdown_line(text: str) -> str:
    """Return words of others in a line of Markdown, of which nothing becomes markup."""
    return _literal(_line(text))


def _literal(line: str) -> str:
    """Return a line with words of others, and marks of ours, as Markdown that shows it as it is."""
    from scholarmind.writing.wording import literal, starting  # noqa: PLC0415

    return starting(literal(line))
