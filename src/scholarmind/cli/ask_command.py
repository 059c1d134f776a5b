"""`scholarmind ask`."""

import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.command_options import model_options, resume_command, with_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.citing.citation_styles import Style
    from scholarmind.events import Event, OnEvent
    from scholarmind.filters import Filter
    from scholarmind.plan import Plan
    from scholarmind.publishing.formats import Publication

_INTERRUPTED = 130
STYLES = ["apa", "gb7714", "numeric"]


@click.command("ask")
@click.argument("question", nargs=-1)
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Carry out this plan, as `plan --json` printed it.",
)
@click.option("--interactive", "-i", is_flag=True, help="Show the plan and let it be changed before it is carried out.")
@click.option(
    "--run",
    default="",
    metavar="ID",
    help="Go on with a run that waits or was cut short; `scholarmind runs` lists them.",
)
@click.option(
    "--conversation", default="", metavar="NAME", help="Understand a follow-up from what was asked in it before."
)
@click.option(
    "--since",
    default="",
    metavar="ID",
    help="Ask the question of this run again, of the library as it is now, and tell what changed and why.",
)
@click.option(
    "--batch",
    "batch_file",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="FILE",
    help='Ask many: a line of JSON for each, such as {"id": "1", "question": "..."}; a line of JSON is printed for each.',
)
@click.option("--concurrency", default=4, show_default=True, type=click.IntRange(1, 256), help="Of a batch, at a time.")
@click.option("--retry", is_flag=True, help="Of a batch, ask again what failed.")
@model_options
@click.option(
    "--form", type=click.Choice(["prose", "bullets", "table", "report"]), help="How a model writes.  [default: prose]"
)
@click.option(
    "--length", type=click.Choice(["short", "medium", "long"]), help="How much a model writes.  [default: medium]"
)
@click.option("--library-only", is_flag=True, help="Refuse what a model would answer from its own knowledge.")
@click.option("--where", metavar="FILTER", help="Only from these documents, such as: year >= 2019 and author = Devlin")
@click.option("--collection", "collections", multiple=True, help="Only from this collection; can be repeated.")
@click.option("--style", default="apa", show_default=True, type=click.Choice(STYLES), help="How sources are listed.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, also in a terminal.")
@click.option("--details", is_flag=True, help="Print the plan, how sure each part is, and all notes, too.")
@click.option("--show-evidence", is_flag=True, help="Print the passages that each part rests on.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the answer to a file: .md, .json, .tex, .pandoc.md, .html, .docx, .pdf; only the cited works: .bib, .ris, "
    ".csl.json; of a --batch, .jsonl.",
)
@click.option(
    "--obsidian",
    "vault",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="VAULT",
    help="Write the answer as a note into this folder of Obsidian, and a note for each work that it cites.",
)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every event to this file, and show where the time went.",
)
@library_option
@json_option
def ask_command(
    question: tuple[str, ...],
    plan_file: Path | None,
    interactive: bool,
    run: str,
    conversation: str,
    since: str,
    batch_file: Path | None,
    concurrency: int,
    retry: bool,
    chosen: dict[str, Any],
    form: str | None,
    length: str | None,
    library_only: bool,
    where: str | None,
    collections: tuple[str, ...],
    style: "Style",
    as_markdown: bool,
    details: bool,
    show_evidence: bool,
    output: Path | None,
    vault: Path | None,
    trace_file: Path | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Answer a question from your documents: every sentence cited, every part accounted for.

    Without a language model nothing leaves this machine, and the sentences are quoted from your documents. With one (--llm, or
    SCHOLARMIND_LLM_BASE_URL) it plans and writes; code still checks each sentence against the words that it cites.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.ask_variants import ask_variant, refuse_combined  # noqa: PLC0415
    from scholarmind.cli.run_progress import TraceWriter, watched, waterfall  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415
    from scholarmind.publishing.formats import FORMATS, Publication, check_format, format_of  # noqa: PLC0415

    chosen = with_options(chosen, {"form": form, "length": length, "library_only": library_only or None})
    text = " ".join(question).strip()
    if not (text or plan_file or since or batch_file or run):
        raise click.UsageError('ask something, such as: scholarmind ask "How do BERT and GPT-2 differ?"')
    if output:
        _check_place(
            output, (".jsonl", ".ndjson") if batch_file else (".md", ".markdown", ".json") if since else FORMATS
        )
        check_format("" if batch_file or since else format_of(output))
    if vault:
        _check_vault(vault, alone=not (batch_file or since))
    wanted = both(parse_filter(where) if where else None, within_collections(collections))
    if batch_file or since:
        alone = (text, plan_file, interactive, run, conversation, show_evidence, trace_file, batch_file and since)
        refuse_combined("--batch" if batch_file else "--since", *alone)
        shown = {"as_json": as_json, "as_markdown": as_markdown, "output": output}
        ask_variant(library, (batch_file, concurrency, retry) if batch_file else since, wanted, chosen, shown)
        return
    with ExitStack() as stack:
        opened = stack.enter_context(Library.open(library, create=False, **chosen))
        trace = stack.enter_context(TraceWriter(trace_file)) if trace_file else None
        plan = read_plan(plan_file, text) if plan_file else None
        if interactive:
            plan = _edited(opened, text, plan or _waiting(opened, run), wanted, conversation)
        begun = _Begun(opened, partial(resume_command, chosen=chosen, library=library))
        with begun, watched(quiet=as_json or as_markdown, transient=not details) as shown:
            report = _each(begun.take, shown, *([trace] if trace else []))
            answer = opened.ask(text, plan=plan, run=run, filter=wanted, conversation=conversation, on_event=report)
        published = Publication(answer, style, opened.citation_keys(answer.sources) if output or vault else {})
    face = "json" if as_json else "markdown" if as_markdown else "text"
    if vault:
        echo(f"written to {published.notes(vault)}", err=True)
    _show(published, face, output=output, quiet=bool(vault), evidence=show_evidence, details=details)
    if trace:
        echo(waterfall(trace.records), err=True)


def _edited(library: "Library", text: str, plan: "Plan | None", wanted: "Filter | None", conversation: str) -> "Plan":
    """Show the plan with what it will cost, and let it be changed."""
    from scholarmind.cli.model_costs import estimate_of, print_estimate  # noqa: PLC0415
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.plan_editor import edit_plan  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415

    if plan is None and not text:
        raise click.UsageError(
            "--interactive needs a question, --plan FILE, or a run that waits; any other that goes on keeps its own plan"
        )
    if plan is None:
        with watched(quiet=False, transient=True) as shown:
            plan = library.plan(text, filter=wanted, conversation=conversation, on_event=shown)
        if plan.question != text:
            echo(safe(f"understood as: {plan.question}"), err=True)
    return edit_plan(plan, lambda plan: print_estimate(estimate_of(library, plan), err=True))


def _waiting(library: "Library", run: str) -> "Plan | None":
    """Return the plan of a run that waits for somebody to look at it."""
    from scholarmind.blocking import run as finished  # noqa: PLC0415
    from scholarmind.cli.run_commands import plan_of_run  # noqa: PLC0415

    known = finished(library.runs.find(run)) if run else None
    if known is None or known.status != "awaiting_plan":
        return None
    return plan_of_run(known)


class _Begun:
    """Tells who presses Ctrl-C how to go on with what they began."""

    def __init__(self, library: "Library", again: Callable[[str], str]) -> None:
        self._library = library
        self._again = again
        self._run = ""

    def take(self, event: "Event") -> None:
        """Note the run's id."""
        self._run = self._run or getattr(event, "run", "")

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not KeyboardInterrupt:
            return
        if not self._run:
            told = "stopped before anything was asked"
        elif self._library.runs.problem(self._run):
            told = "stopped; the run could not be kept, so that the question has to be asked again"
        else:
            told = f"stopped; go on with it: {self._again(self._run)}"
        echo(f"\n{told}", err=True)
        sys.exit(_INTERRUPTED)


def read_plan(file: Path, question: str) -> "Plan":
    """Read a plan from a file."""
    from scholarmind.errors import PlanError  # noqa: PLC0415
    from scholarmind.record import plan_of  # noqa: PLC0415

    try:
        record = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PlanError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{str(file)!r} is not JSON: {error}; 'scholarmind plan --json' prints a plan") from error
    plan = plan_of(record, question)
    if not plan.question.strip():
        raise PlanError(f"{str(file)!r} names no question; add `original_query`, or give the question as well")
    return plan


def _each(*consumers: Callable[[Any], None]) -> "OnEvent":
    def report(event: "Event") -> None:
        for consumer in consumers:
            consumer(event)

    return report


def _show(
    published: "Publication", face: str, *, output: Path | None, quiet: bool, evidence: bool, details: bool
) -> None:
    from scholarmind.cli.answer_output import as_markdown, print_answer  # noqa: PLC0415
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.record import answer_record  # noqa: PLC0415

    answer, style = published.answer, published.style
    if output:
        _write(published, output, evidence=evidence)
        echo(f"written to {output}", err=True)
    if face == "json":
        print_json(answer_record(answer))
    elif face == "markdown":
        echo(as_markdown(answer, style, evidence=evidence, details=details), nl=False)
    elif not (output or quiet):
        print_answer(answer, style, evidence=evidence, details=details)


def _check_place(output: Path, kinds: Sequence[str]) -> None:
    """Find out before the work what would make it useless."""
    check_suffix(output, *kinds)
    existing = output if output.exists() else output.parent
    if not existing.exists():
        raise click.FileError(str(output), f"there is no folder {str(existing)!r}; make it first")
    if not os.access(existing, os.W_OK):
        raise click.FileError(str(output), f"cannot be written: {os.strerror(errno.EACCES)}")


def _check_vault(vault: Path, *, alone: bool) -> None:
    if not alone:
        raise click.UsageError("--obsidian goes with a question, or with --run")
    if not vault.is_dir():
        raise click.FileError(str(vault), "there is no such folder; give that of your Obsidian vault")
    if not os.access(vault, os.W_OK):
        raise click.FileError(str(vault), f"cannot be written: {os.strerror(errno.EACCES)}")


def _write(published: "Publication", output: Path, *, evidence: bool) -> None:
    from scholarmind.cli.answer_output import as_markdown  # noqa: PLC0415
    from scholarmind.cli.output import json_text  # noqa: PLC0415
    from scholarmind.publishing.formats import format_of  # noqa: PLC0415
    from scholarmind.record import answer_record  # noqa: PLC0415

    answer = published.answer
    if ending := format_of(output):
        content = published.content(ending)
    elif output.suffix.lower() == ".json":
        content = (json_text(answer_record(answer), indent=2) + "\n").encode()
    else:
        content = as_markdown(answer, published.style, evidence=evidence).encode("utf-8", "replace")
    try:
        output.write_bytes(content)
    except OSError as error:
        told = f"cannot be written: {error.strerror}; the answer is in: scholarmind runs {answer.run}"
        raise click.FileError(str(output), told) from error
