"""Answers and search results as people see them: Markdown for files and pipes, the same with colours in a terminal.

Sentences that could not be confirmed are marked. Search results are also printed as content for a prompt, or as JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholarmind.answer import Answer, Retrieved, Review
from scholarmind.cli.main import echo
from scholarmind.cli.output import (
    console,
    evidence_record,
    markdown,
    origin,
    print_evidence,
    print_json,
    safe,
    scores_of,
)
from scholarmind.cli.run_progress import estimated, paid
from scholarmind.identity import select_link
from scholarmind.model import Document, Evidence, Found, Judged
from scholarmind.publishing.manuscript import STATUS_MARKS, answer_words, doubts, marked, one_line, words_in
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import uncontrolled

if TYPE_CHECKING:
    from rich.table import Table

    from scholarmind.api import Library
    from scholarmind.citing.citation_styles import Style
    from scholarmind.filters import Filter


# -- answers

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


def as_markdown(answer: Answer, style: "Style", *, evidence: bool = False, details: bool = True) -> str:
    """Return the answer as Markdown: text, a line for each part, sources; with details the plan, the whole table and all notes."""
    words = answer_words(answer)
    blocks = [f"# {markdown_line(answer.question)}", *markdown_text(answer)]
    if details and answer.review.rows:
        blocks += [f"## {words['completeness']}", markdown_review(answer.review, words)]
    elif lines := list(_status_lines(answer)):
        first, *listed = [f"{mark} {_literal(told)}".strip() for mark, told in lines]
        blocks += [f"**{first}**", *(["\n".join(f"- {line}" for line in listed)] if listed else [])]
    if sources := _sources(answer, style, markdown=True):
        blocks += [f"## {words['sources']}", "\n".join(f"- {source}" for source in sources)]
    if details and (plan := list(_plan_lines(answer))):
        blocks += [f"## {words['plan']}", "\n".join(f"- {markdown_line(line)}" for line in plan)]
    if (details or _must_be_noted(answer)) and (notes := markdown_notes(answer)):
        blocks += [f"## {words['notes']}", notes]
    if evidence:
        blocks += _markdown_evidence(answer)
    return uncontrolled("\n\n".join(blocks)) + "\n"


def _must_be_noted(answer: Answer) -> bool:
    """Tell whether notes are shown unasked: where a model took part, or a part failed."""
    return bool(answer.calls) or any(row.status == "failed" for row in answer.review.rows)


def _status_lines(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield the verdict, and where there are several parts a line for each, behind its mark: number, question, what is missing."""
    words, rows = answer_words(answer), answer.review.rows
    if not rows:
        return
    verdict = words.get(answer.review.verdict, answer.review.verdict)
    shown = [row for row in rows if len(rows) == 1 or answer.plan.part(row.part).role == "find"] or [*rows]
    if len(shown) == 1:
        why = f": {one_line(shown[0].missing)}" if shown[0].missing else ""
        yield STATUS_MARKS[shown[0].status], f"{verdict}{why}"
        return
    answered = sum(row.status == "answered" for row in shown)
    yield "", f"{verdict} · {words['parts'].format(answered=answered, count=len(shown))}"
    for row in shown:
        status = "" if row.status == "answered" else f" · {words.get(row.status, row.status)}"
        why = f": {one_line(row.missing)}" if row.missing else ""
        yield STATUS_MARKS[row.status], f"{row.id} {one_line(row.text)}{status}{why}"


def _plan_lines(answer: Answer) -> Iterator[str]:
    from scholarmind.cli.run_progress import part_line  # noqa: PLC0415

    return (part_line(part) for part in answer.plan.parts)


def _markdown_evidence(answer: Answer) -> Iterator[str]:
    """Yield the passages that each part rests on, as a list of quotations."""
    yield f"## {answer_words(answer)['evidence']}"
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
    text, doubtful = _text_and_doubts(answer)
    return [*map(_literal, _understood(answer)), text, *map(_literal, doubtful)]


def markdown_notes(answer: Answer) -> str:
    """Return what was done in another way than asked, and what a model cost, as a list; '' if there is neither."""
    return "\n".join(f"- {markdown_line(note)}" for note in (*answer.fallbacks, *_written(answer)))


def print_answer(answer: Answer, style: "Style", *, evidence: bool = False, details: bool = False) -> None:
    """Print the answer, and the passages if they are wanted: with colours in a terminal, as Markdown where it goes elsewhere."""
    terminal = console()
    if not terminal.is_terminal:
        text = as_markdown(answer, style, evidence=evidence, details=details)
        terminal.print(text, markup=False, end="")
        return
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    words = answer_words(answer)
    for line in _understood(answer):
        terminal.print(Text(safe(line), style="dim"))
    text, doubtful = _text_and_doubts(answer)
    terminal.print(markdown(uncontrolled(text)))
    for line in doubtful:
        terminal.print(Text(f"\n{uncontrolled(line)}", style="yellow"))
    terminal.print()
    if answer.review.rows and details:
        terminal.print(_table(answer))
    elif lines := list(_status_lines(answer)):
        terminal.print(_status(answer, lines))
    sections = {words["sources"]: _sources(answer, style, markdown=False)}
    sections |= {words["plan"]: [safe(line) for line in _plan_lines(answer)]} if details else {}
    for title, lines in sections.items():
        for line in (f"\n{title}", *lines) if lines else ():
            printed = Padding(Text(uncontrolled(line)), (0, 0, 0, 2)) if line in lines else Text(line, style="bold")
            terminal.print(printed)
    for note in answer.fallbacks if details or _must_be_noted(answer) else ():
        terminal.print(Text(words["note"].format(note=safe(one_line(note))), style="yellow"))
    terminal.print(Text(safe("\n".join(("", *_spent(answer)))), style="dim"))
    if not details and answer.review.rows:
        terminal.print(Text(_more(answer), style="dim"))
    for finding in answer.findings if evidence else ():
        if finding.part.role == "find":
            terminal.print(f"\n{finding.part.id}. {safe(finding.question)}", markup=False, style="bold")
            print_evidence(finding.evidence[:_SHOWN], finding.question, scores=True)


def _status(answer: Answer, lines: Sequence[tuple[str, str]]) -> "Table":
    """Return the verdict and the line of each part, what goes on in a further line below its own beginning."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column()
    colour = _COLOURS.get(answer.review.verdict, "magenta")
    colours = {STATUS_MARKS[status]: shade for status, shade in _COLOURS.items() if status in STATUS_MARKS} | {
        "": f"bold {colour}"
    }
    for number, (mark, told) in enumerate(lines):
        table.add_row(Text(mark, style=colours[mark]), Text(uncontrolled(told), style="" if number else colours[mark]))
    return table


def _more(answer: Answer) -> str:
    """Return what `--details` would show, where something is not shown."""
    count, words = len(answer.fallbacks), answer_words(answer)
    if _must_be_noted(answer) or not count:
        return words["more without"]
    return words["one more"] if count == 1 else words["more"].format(count=count)


def _understood(answer: Answer) -> list[str]:
    """Return what a follow-up became."""
    told = answer_words(answer)["understood"]
    return [told.format(question=one_line(answer.question), asked=one_line(answer.asked))] if answer.asked else []


def _text_and_doubts(answer: Answer) -> tuple[str, list[str]]:
    """Return the text with marks where a sentence is not confirmed, and the line that says what they mean."""
    text, lost = marked(answer.text, answer.claims)
    return text, doubts(text, lost, answer.text, answer_words(answer))


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

    words, verdict = answer_words(answer), answer.review.verdict
    shown = words.get(verdict, verdict)
    title = Text.assemble(f"{words['completeness']}: ", (shown, _COLOURS.get(verdict, "magenta")))
    table = Table("", *_head(words), title=title, title_justify="left")
    for row in answer.review.rows:
        status = Text(f"{STATUS_MARKS[row.status]} {words.get(row.status, row.status)}", style=_COLOURS[row.status])
        indent = "  " * answer.plan.level(answer.plan.part(row.part))
        table.add_row(row.id, Text(indent + safe(row.text)), status, f"{row.confidence:.2f}", Text(safe(row.missing)))
    return table


def _head(words: Mapping[str, str]) -> list[str]:
    return [words[name] for name in ("part", "status", "sure", "missing")]


def markdown_review(review: Review, words: Mapping[str, str] | None = None) -> str:
    """Return the completeness table, and the verdict below it; in the language of its parts, if no words are given."""
    words = words or words_in(language_of(" ".join(row.text for row in review.rows)))
    lines = [f"| | {' | '.join(_head(words))} |", "|---|---|---|---|---|"]
    for row in review.rows:
        status = f"{STATUS_MARKS[row.status]} {words.get(row.status, row.status)}"
        cells = (row.id, markdown_line(row.text), status, f"{row.confidence:.2f}", markdown_line(row.missing))
        lines.append(f"| {' | '.join(cells)} |")
    verdict = words.get(review.verdict, review.verdict)
    return "\n".join((*lines, "", f"{words['verdict']}: **{verdict}**"))


def _sources(answer: Answer, style: "Style", *, markdown: bool) -> list[str]:
    """Return the cited works, each after the key by which the text cites it."""
    from scholarmind.citing.citation_styles import markdown_text, sources  # noqa: PLC0415

    keys = {(citation.collection, citation.document): citation.key for citation in answer.citations}
    listed = zip(answer.sources, sources(answer.sources, style, markdown=markdown), strict=True)
    told = (
        (keys[document.collection, document.id], f"{source}{_pages(answer, document)}{_zotero(document, markdown)}")
        for document, source in listed
    )
    return [f"\\[{markdown_text(key)}\\] {source}" if markdown else f"[{key}] {source}" for key, source in told]


def _zotero(document: Document, markdown: bool) -> str:
    """Return where Zotero shows the work, if it is from there."""
    link = select_link(document)
    return f" <{link}>" if link and markdown else f" {link}" if link else ""


def _pages(answer: Answer, document: Document) -> str:
    """Return the pages that are cited, where the document has pages."""
    place = (document.collection, document.id)
    pages = {item.page for item in answer.citations if item.page and (item.collection, item.document) == place}
    return f" (cited: p. {', '.join(map(str, sorted(pages)))})" if pages else ""


def markdown_line(text: str) -> str:
    """Return words of others in a line of Markdown, of which nothing becomes markup."""
    return _literal(one_line(text))


def _literal(line: str) -> str:
    """Return a line with words of others, and marks of ours, as Markdown that shows it as it is."""
    from scholarmind.writing.answer_markdown import literal, starting  # noqa: PLC0415

    return starting(literal(line))


# -- search results


def find(
    library: "Library", question: str, places: int | None, *, mode: Any, wanted: "Filter | None", quiet: bool
) -> "Retrieved":
    """Return what an answer would be written from, by the strategy of the settings; the plan is shown while it is worked on."""
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415

    with watched(quiet=quiet, transient=True) as shown:
        return library.find(question, places, mode=mode, filter=wanted, on_event=shown)


def show_hits(found: "Found", question: str, mode: str, *, scores: bool, form: str, as_json: bool) -> None:
    """Print what a plain search found."""
    if as_json:
        hits = [evidence_record(rank, item) for rank, item in enumerate(found.evidence, 1)]
        print_json({"question": question, "mode": mode, "hits": hits, "notices": found.notices})
    elif form == "content":
        from scholarmind.strategies.scored_team import content_of  # noqa: PLC0415

        echo(safe(content_of(found.evidence)))
    else:
        print_evidence(found.evidence, question, scores=scores)


def show_retrieved(retrieved: "Retrieved", *, scores: bool, form: str, as_json: bool) -> None:
    """Print what a strategy found; with its scores, how each passage came by them and what was done."""
    from scholarmind.ranking import key_of  # noqa: PLC0415
    from scholarmind.strategies.scored_team import formalized_content, json_record, thoughts  # noqa: PLC0415

    if as_json:
        print_json(json_record(retrieved))
        return
    if form == "content":
        echo(safe(formalized_content(retrieved)))
        return
    judged = {key_of(item.evidence): _told(item) for item in retrieved.judged}
    print_evidence(retrieved.evidence, retrieved.question, scores=scores, told=judged if scores else None)
    if scores:
        echo(safe(thoughts(retrieved)), err=True)


def _told(judged: "Judged") -> str:
    """Return how a passage came by its place, in one line."""
    relevance = "–" if judged.relevance is None else f"{judged.relevance * 10:.1f}/10"
    found = " | ".join(" ".join(text.split()) for text in judged.asked)
    told = (
        f"score {judged.evidence.scores.fused:.3f}",
        f"relevance {relevance}" + (f" ({judged.reason})" if judged.reason else ""),
        f"similarity {judged.similarity:.3f}" + (f" (best {judged.best:.3f})" if len(judged.asked) > 1 else ""),
        f"found by: {found}",
    )
    return " · ".join(told)
