"""`scholarmind next`: the works to read next for a question, by what answers it cites."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.library.reading_list import CitingSentence, NextWork, ReadingList

_ENGLISH = {
    "quoted": "cited beside what answers",
    "open row": "cited for a part that stays open",
    "section": "cited in the section of what answers",
    "elsewhere": "cited elsewhere in what answers",
    "listed": "only in a list of references",
    "by": "by {count} of {all}",
    "page": "p. {page}",
    "speaks": "speaks of what is open: {rows}",
    "entry": "the library has only its entry in a bibliography",
    "unused": "In the library, cited there, and not in the answer",
    "without": "No list of references was found in: {titles}",
    "no references": "None of what the answer rests on has a list of references that could be read: {titles}",
    "nobody": "Nothing in the library bears on this, so that there are no references to follow.",
    "all there": "All that the works behind the answer cite is in the library.",
    "untitled": "(its title could not be read) {text}",
    "others": " et al.",
}

_CHINESE = {
    "quoted": "在回答问题的原句或其旁边引用",
    "open row": "为尚未回答的部分引用",
    "section": "在回答所在的章节引用",
    "elsewhere": "在回答所依据的文献别处引用",
    "listed": "只见于参考文献列表",
    "by": "{all} 篇中有 {count} 篇引用",
    "page": "第 {page} 页",
    "speaks": "与尚未回答的部分有关：{rows}",
    "entry": "文档库中只有它的书目条目",
    "unused": "文档库中已有、被引用而未用于回答",
    "without": "以下文档没有找到参考文献列表：{titles}",
    "no references": "回答所依据的文档都没有可读的参考文献列表：{titles}",
    "nobody": "文档库中没有与此有关的内容，因而没有参考文献可循。",
    "all there": "回答所依据的文献引用的著作，文档库中都有。",
    "untitled": "（未能读出标题）{text}",
    "others": " 等",
}

_MOST_AUTHORS = 3
_MOST_TITLES = 5


@click.command("next")
@click.argument("question", nargs=-1)
@click.option("--run", default="", metavar="ID", help="Take the answer of this run; `scholarmind runs` lists them.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1_000), help="How many works.")
@model_options
@click.option("--where", metavar="FILTER", help="Only from these documents, such as: year >= 2019 and author = Devlin")
@click.option("--collection", "collections", multiple=True, help="Only from this collection; can be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the missing works to a file: .bib (BibTeX), .json, .txt.",
)
@library_option
@json_option
def next_command(
    question: tuple[str, ...],
    run: str,
    limit: int,
    chosen: dict[str, Any],
    where: str | None,
    collections: tuple[str, ...],
    output: Path | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Tell which works to read next for a question: cited by what answers it, and not in the library.

    \b
    Examples:
      scholarmind next "Why does attention scale quadratically?"
      scholarmind next --run 20260131-101500-7d3qnpd4 --output list.bib

    First come the works that are cited in or beside the words that answer, or by a sentence that speaks of a part that stays open;
    then those of the same section; then all others. Within that, what more of the works cite, and what the sentence says of the
    question. Each with who cites it, for what, on which page.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.citing.bibtex_export import export_references  # noqa: PLC0415
    from scholarmind.cli.output import json_text, print_json, write_whole  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415
    from scholarmind.events import plain  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.text.untrusted import uncontrolled  # noqa: PLC0415

    text = " ".join(question).strip()
    if bool(text) == bool(run):
        raise click.UsageError(
            'ask something, such as: scholarmind next "How do BERT and GPT-2 differ?", or give --run ID'
        )
    check_suffix(output, ".bib", ".json", ".txt")
    within = both(parse_filter(where) if where else None, within_collections(collections))
    with Library.open(library, create=False, **chosen) as opened, watched(quiet=as_json, transient=True) as shown:
        found = opened.reading_list(text, run=run, limit=limit, filter=within, on_event=shown)
    if output is not None:
        lines = "".join(f"{' ' * depth}{line}\n" for depth, line in _lines(found))
        content = {
            ".json": json_text(plain(found), indent=2) + "\n",
            ".txt": lines,
            ".bib": uncontrolled(export_references([work.reference for work in found.missing])),
        }[output.suffix.lower() or ".txt"]
        write_whole(output, [content.encode("utf-8", "replace")])
        echo(f"{len(found.missing)} work{'s' * (len(found.missing) != 1)} written to {output}", err=True)
    if as_json:
        print_json(plain(found))
    elif output is None:
        _print_lines(found)


def _print_lines(found: "ReadingList") -> None:
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console, indented  # noqa: PLC0415

    terminal = console()
    for depth, line in _lines(found):
        terminal.print(indented(Text(line, "" if depth else "bold"), terminal, depth))


def _lines(found: "ReadingList") -> Iterator[tuple[int, str]]:
    """Yield the lines of a reading list, each with how deep it stands."""
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.text.language import language_of  # noqa: PLC0415

    words = _CHINESE if language_of(found.question) == "zh" else _ENGLISH
    total = len(found.answering)
    for number, work in enumerate(found.missing, 1):
        yield from _work_lines(work, f"{number}. ", total, words)
    titles = "; ".join(map(safe, found.without[:_MOST_TITLES])) + ("; …" if len(found.without) > _MOST_TITLES else "")
    if not total:
        yield 0, words["no references"].format(titles=titles) if titles else words["nobody"]
        return
    if not found.missing:
        yield 0, words["all there"]
    if found.unused:
        yield 0, ""
        yield 0, words["unused"]
        for work in found.unused:
            yield from _work_lines(work, "· ", total, words, brief=True)
    if titles:
        yield 0, ""
        yield 0, words["without"].format(titles=titles)


def _work_lines(
    work: "NextWork", mark: str, total: int, words: Mapping[str, str], *, brief: bool = False
) -> Iterator[tuple[int, str]]:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    reference, depth = work.reference, 2 if brief else 0
    title = reference.title or words["untitled"].format(text=" ".join(reference.text.split()))
    identified = [f"doi:{reference.doi}"] if reference.doi else [f"arXiv:{reference.arxiv}"] if reference.arxiv else []
    by = _authors(reference.authors, words["others"]) if reference.title else ""
    year = str(reference.year or "") if reference.title else ""
    told = " · ".join(filter(None, (title, by, year, *identified, work.document if brief else "")))
    yield depth, mark + safe(told)
    near = words[work.nearness]
    yield depth + 3, f"{near}, {words['by'].format(count=work.works, all=total)}"
    if work.only_entry:
        yield depth + 3, words["entry"]
    for citing in work.citing[: 1 if brief else None]:
        if citing.sentence:
            yield depth + 3, _quoted(citing, words)
        if citing.rows and not brief:
            yield depth + 3, words["speaks"].format(rows=safe("; ".join(citing.rows)))


def _quoted(citing: "CitingSentence", words: Mapping[str, str]) -> str:
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.identity import headings_below  # noqa: PLC0415

    place = (
        words["page"].format(page=citing.page)
        if citing.page
        else safe(" › ".join(headings_below(citing.title, citing.section)))
    )
    return f"“{safe(citing.sentence)}” [{', '.join(filter(None, (citing.key, place)))}]"


def _authors(authors: Sequence[str], others: str) -> str:
    from scholarmind.citing.cited_works import people  # noqa: PLC0415

    named, more = people(authors)
    shown = ", ".join(person.full for person in named[:_MOST_AUTHORS])
    return shown + (others if more or len(named) > _MOST_AUTHORS else "")
