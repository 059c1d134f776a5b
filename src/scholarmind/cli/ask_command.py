"""`scholarmind ask`: a question, its answer, and what else can be asked for: many questions, what changed, a report."""

import errno
import json
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedRandom, BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.changes import Changes, ClaimChange, DocumentChange, TallyChange
from scholarmind.cli.command_options import model_options, resume_command, with_options, within_collections
from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.cli.output import json_text, print_json, progress
from scholarmind.events import Progress, plain
from scholarmind.text.untrusted import disarmed, uncontrolled

if TYPE_CHECKING:
    from scholarmind.answer import Answer
    from scholarmind.api import Library
    from scholarmind.batch import BatchQuestion, BatchResult
    from scholarmind.citing.citation_styles import Style
    from scholarmind.events import Event, OnEvent
    from scholarmind.filters import Filter
    from scholarmind.plan import Plan
    from scholarmind.publishing.formats import Publication

# -- --batch: a file of questions

_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What is asked, how many at a time, where the lines go, and whether what failed before is asked again."""

    file: Path
    concurrency: int
    output: Path | None = None
    retry: bool = False


def _ask_batch(folder: str | None, batch: _Batch, filter: "Filter | None", chosen: Mapping[str, Any]) -> int:
    """Ask the questions that have no result yet; return the exit code, which tells whether any failed."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.batch import with_runs  # noqa: PLC0415
    from scholarmind.record import filter_record  # noqa: PLC0415

    questions, empty = _read(batch.file)
    for number in empty:
        echo(f"{batch.file}: line {number} is empty", err=True)
    with Library.open(folder, create=False, **chosen) as library:
        told = [str(batch.file.resolve()), library.basis, filter_record(filter)]
        questions = with_runs(questions, json.dumps(told, sort_keys=True, default=str))
        return _asked(library, batch, filter, questions)


def _asked(library: "Library", batch: _Batch, filter: "Filter | None", questions: "list[BatchQuestion]") -> int:
    with _lines(batch, questions) as lines:
        if lines.kept:
            echo(f"{lines.kept} of {len(questions)} were there already", err=True)
        try:
            rest = questions[lines.kept :]
            with progress() as report:
                results = library.ask_many(rest, concurrency=batch.concurrency, filter=filter)
                for done, result in enumerate(results, 1):
                    lines.add(result)
                    report(Progress(stage="ask", done=done, total=len(rest), unit="questions"))
        except KeyboardInterrupt:
            again = "the same command goes on from there" if batch.output else "the same command asks nothing twice"
            echo(f"\nstopped; {lines.kept} of {len(questions)} are done; {again}", err=True)
            sys.exit(_INTERRUPTED)
    if batch.output:
        echo(f"written to {batch.output}", err=True)
    if lines.failed:
        again = "; the same command with --retry asks them again" if batch.output else ""
        echo(f"{lines.failed} of {len(questions)} failed{again}", err=True)
    return 1 if lines.failed else 0


def _read(file: Path) -> "tuple[list[BatchQuestion], list[int]]":
    from scholarmind.batch import read_questions  # noqa: PLC0415
    from scholarmind.errors import QueryError  # noqa: PLC0415

    try:
        raw = (sys.stdin.buffer.read() if sys.stdin else b"") if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise QueryError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QueryError(f"{str(file)!r} is not UTF-8, at byte {error.start}; save it as UTF-8") from error
    return read_questions(text.rstrip().split("\n"), str(file))


class _ResultLines:
    """The results that there are: how many, how many of them failed, and where the next ones go."""

    def __init__(self, file: BufferedRandom | BufferedWriter | None, name: str) -> None:
        self._file = file
        self._name = name
        self.kept = self.failed = 0

    def take_up(self, questions: "Sequence[BatchQuestion]", *, retry: bool) -> None:
        """Count what is there. A line that was half written, and with `retry` all from the first that failed, is cut off."""
        if self._file is None:
            return
        end = 0
        for line in self._file:
            record, whole = _record(line), line.endswith(b"\n")
            if self.kept == len(questions) or not _is_of(questions[self.kept], record if whole else line):
                raise click.ClickException(
                    f"line {self.kept + 1} of {self._name!r} is no result of this batch with these settings; "
                    "give another --output, or move that file away"
                )
            if not whole or (retry and "error" in record):
                break
            self.kept, self.failed, end = self.kept + 1, self.failed + ("error" in record), end + len(line)
        self._file.seek(end)
        self._file.truncate()

    def add(self, result: "BatchResult") -> None:
        """Write a result; it is in the file when this returns."""
        self.kept, self.failed = self.kept + 1, self.failed + bool(result.error)
        line = _result_line(result)
        if self._file is None:
            click.echo(line, nl=False)  # noqa: TID251  (bytes of JSON)
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            self._file.raw.close()  # or the same bytes would be tried, and fail, once more
            raise click.FileError(self._name, f"cannot be written: {error.strerror}") from error


@contextmanager
def _lines(batch: _Batch, questions: "Sequence[BatchQuestion]") -> Generator[_ResultLines]:
    """Open the file of the results, where they go to one."""
    if batch.output is None:
        yield _ResultLines(None, "")
        return
    if batch.output.exists() and batch.file.exists() and batch.output.samefile(batch.file):
        raise click.UsageError("--output is the file of the questions; give another one")
    there = batch.output.is_file()  # a device or a pipe keeps nothing that could be taken up
    try:
        file = batch.output.open("r+b") if there else batch.output.open("wb" if batch.output.exists() else "xb")
    except OSError as error:
        raise click.FileError(str(batch.output), str(error.strerror)) from error
    with file:
        _lock(file, str(batch.output))
        lines = _ResultLines(file, str(batch.output))
        if there:
            lines.take_up(questions, retry=batch.retry)
        yield lines


def _lock(file: BufferedRandom | BufferedWriter, name: str) -> None:
    """Keep others from writing to the file; the lock goes with the process, however that ends."""
    import fcntl  # noqa: PLC0415

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise click.ClickException(f"another command is writing to {name!r}; wait for it, or end it first") from error


def _result_line(result: "BatchResult") -> bytes:
    from scholarmind.record import answer_record  # noqa: PLC0415

    question = result.question
    record: dict[str, Any] = {"id": question.id, "question": question.question, "run": question.run}
    return _json(record | ({"error": result.error} if result.answer is None else answer_record(result.answer))) + b"\n"


def _is_of(question: "BatchQuestion", found: dict[str, Any] | bytes) -> bool:
    """Tell whether a line is the result of a question, or begins as its result does if it is half written."""
    known = {"id": question.id, "run": question.run}
    if isinstance(found, bytes):
        begin = _json({"id": question.id}).removesuffix(b"}")
        return found.startswith(begin) or begin.startswith(found)
    return {name: found.get(name) for name in known} == json.loads(_json(known))


def _json(record: dict[str, Any]) -> bytes:
    return json_text(record).encode()


def _record(line: bytes) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", record) if isinstance(record, dict) else {}


# -- --since: an earlier question again, and what changed

_MOST = 50
_WHAT = {"new": "new, or changed since", "changed": "changed since", "removed": "removed since"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChangeFormat:
    """How a comparison is shown."""

    as_json: bool = False
    as_markdown: bool = False
    output: Path | None = None


def _ask_since(
    folder: str | None, run: str, filter: "Filter | None", chosen: Mapping[str, Any], shape: _ChangeFormat
) -> None:
    """Ask an earlier run's question again, with its settings unless others are chosen, and print what changed."""
    from scholarmind import blocking  # noqa: PLC0415
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.run_commands import runs_of  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415
    from scholarmind.running import settings_again  # noqa: PLC0415
    from scholarmind.setting_values import joined  # noqa: PLC0415

    # the settings that a run was asked with, under those that are chosen now
    with runs_of(folder) as runs:
        known = blocking.run(runs.find(run))
    given = {name: value for name, value in chosen.items() if value is not None}
    before = settings_again(known) if known else {}
    if "llm" in given:  # how much may be spent is for the model that is asked now
        before.pop("effort", None)
    settings = joined(before, given)
    quiet = shape.as_json or shape.as_markdown
    with Library.open(folder, create=False, **settings) as library, watched(quiet=quiet, transient=True) as shown:
        answer, changes = library.ask_again(run, filter=filter, on_event=shown)
    _print_changes(answer, changes, shape)


def _print_changes(answer: "Answer | None", changes: Changes, shape: _ChangeFormat) -> None:
    from scholarmind.record import answer_record  # noqa: PLC0415

    record = {
        "changes": {**plain(changes), "any": changes.any},
        "answer": answer_record(answer) if answer else None,
    }
    if shape.as_json:
        print_json(record)
    text = (
        uncontrolled("\n".join(_change_lines(changes, markdown=shape.as_markdown or shape.output is not None))) + "\n"
    )
    if shape.output is None:
        echo(text if not shape.as_json else "", nl=False)
        return
    if shape.output.suffix.lower() == ".json":
        text = json_text(record, indent=2) + "\n"
    try:
        shape.output.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise click.FileError(str(shape.output), f"cannot be written: {error.strerror}") from error
    echo(f"written to {shape.output}", err=True)


def _change_lines(changes: Changes, *, markdown: bool) -> Iterator[str]:
    """Yield the lines of a comparison."""
    from scholarmind.writing.answer_markdown import literal, starting  # noqa: PLC0415

    title: Callable[[str], str] = (lambda text: f"## {text}") if markdown else (lambda text: f"{text}:")
    shown: Callable[[str], str] = (lambda text: starting(literal(text))) if markdown else str
    yield f"{'# ' if markdown else ''}{shown(_one_line(changes.question))}"
    yield ""
    if not changes.asked:
        yield f"Nothing changed since run {changes.run}: no document and no setting. The answer is what it was ({changes.verdict[0]})."
        return
    yield _verdict(changes)
    if changes.settings:
        yield f"Asked with other settings than then: {', '.join(changes.settings)}."
    for name, lines in (
        ("Documents", list(map(_document, changes.documents))),
        (
            "Parts",
            [
                f"{_one_line(row.text)}: {row.before or 'not asked'} → {row.after or 'not asked'}"
                for row in changes.rows
            ],
        ),
        ("Counted", [line for one in changes.counted for line in _counted(one)]),
        ("New", [_claim(claim) for claim in changes.new]),
        ("Gone", [_claim(claim) for claim in changes.gone]),
        ("Worded anew", [_claim(claim) for claim in changes.kept if claim.before]),
    ):
        yield from _section(title(name), [shown(line) for line in lines])
    cited = [f"cited now: {key}" for key in changes.cited]
    cited += [f"no longer cited: {key}" for key in changes.cited_no_more]
    yield from _section(title("Sources"), list(map(shown, cited)))
    same = sum(not claim.before for claim in changes.kept)
    if same:
        yield from ("", f"{same} sentence{'s' * (same != 1)} stayed word for word.")


def _verdict(changes: Changes) -> str:
    before, after = changes.verdict
    other = changes.other_documents
    beside = f" {other} other document{'s' * (other != 1)} changed; neither answer rests on them." if other else ""
    if not changes.any:
        return f"The answer is what it was in run {changes.run} ({after}).{beside} Asked again as run {changes.again}."
    verdict = after if before == after else f"{before} → {after}"
    return f"Verdict: {verdict} (run {changes.run} → {changes.again}).{beside}"


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", title)
        yield from (f"- {line}" for line in lines[:_MOST])
        if len(lines) > _MOST:
            yield f"- and {len(lines) - _MOST} more; --json lists them all"


def _document(document: DocumentChange) -> str:
    title = _one_line(document.title or document.document)
    roles = [f"{role} {when}" for role, when in ((document.before, "before"), (document.after, "now")) if role]
    return f"{title} ({document.document}): {_WHAT[document.what]}; {', '.join(roles)}"


def _claim(claim: ClaimChange) -> str:
    keys = f" [{'; '.join(claim.citations)}]" if claim.citations else ""
    because = f" — because of: {', '.join(map(_one_line, claim.because))}" if claim.because else ""
    before = f" (before: {_one_line(claim.before)})" if claim.before else ""
    return f"{_one_line(claim.text)}{keys}{before}{because}"


def _counted(change: TallyChange) -> Iterator[str]:
    yield f"{_one_line(change.text)}: {_one_line(change.before) or 'not counted'} → {_one_line(change.after) or 'not counted'}"
    yield from (f"now counted: {_one_line(line)}" for line in change.new)
    yield from (f"no longer counted: {_one_line(line)}" for line in change.gone)


def _one_line(text: str) -> str:
    """Return words of others in one line."""
    return disarmed(" ".join(text.split()))


# -- which of the two


def refuse_combined(option: str, *others: object) -> None:
    """Refuse what does not go with a file of questions, or an earlier one."""
    if any(others):
        raise click.UsageError(
            f"{option} goes with none of: a QUESTION, --plan, --interactive, --run, --conversation, --show-evidence, --trace, "
            f"{'--since' if option == '--batch' else '--batch'}"
        )


def ask_variant(
    library: str | None,
    what: tuple[Path, int, bool] | str,
    wanted: "Filter | None",
    chosen: dict[str, Any],
    shown: dict[str, Any],
) -> None:
    """Ask a file of questions, so many at a time and again or not what failed, or the question of an earlier run."""

    if isinstance(what, str):
        _ask_since(library, what, wanted, chosen, _ChangeFormat(**shown))
        return
    file, concurrency, retry = what
    batch = _Batch(file=file, concurrency=concurrency, output=shown["output"], retry=retry)
    sys.exit(_ask_batch(library, batch, wanted, chosen))


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
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.cli.plan_command import edit_plan  # noqa: PLC0415
    from scholarmind.cli.run_progress import estimate_of, print_estimate, watched  # noqa: PLC0415

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
