"""What `scholarmind ask` does other than answer one question: a file of questions (`--batch`), or an earlier one again (`--since`).

A batch prints a line of JSON for each question and goes on where it was stopped. A question that is asked again is told with what changed.
"""

import json
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom, BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.changes import Changes, ClaimChange, DocumentChange, TallyChange
from scholarmind.cli.main import echo
from scholarmind.cli.output import json_text, print_json, progress
from scholarmind.events import Progress, plain
from scholarmind.text.untrusted import disarmed, uncontrolled

if TYPE_CHECKING:
    from scholarmind.answer import Answer
    from scholarmind.api import Library
    from scholarmind.batch import BatchQuestion, BatchResult
    from scholarmind.filters import Filter


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
            _ask_rest(library, batch, filter, questions[lines.kept :], lines)
        except KeyboardInterrupt:
            rest = "the same command goes on from there" if batch.output else "the same command asks nothing twice"
            echo(f"\nstopped; {lines.kept} of {len(questions)} are done; {rest}", err=True)
            sys.exit(_INTERRUPTED)
    _tell_outcome(batch, len(questions), lines.failed)
    return 1 if lines.failed else 0


def _ask_rest(
    library: "Library", batch: _Batch, filter: "Filter | None", rest: "Sequence[BatchQuestion]", lines: "_ResultLines"
) -> None:
    with progress() as report:
        results = library.ask_many(rest, concurrency=batch.concurrency, filter=filter)
        for done, result in enumerate(results, 1):
            lines.add(result)
            report(Progress(stage="ask", done=done, total=len(rest), unit="questions"))


def _read(file: Path) -> "tuple[list[BatchQuestion], list[int]]":
    from scholarmind.batch import read_questions  # noqa: PLC0415
    from scholarmind.errors import QueryError  # noqa: PLC0415

    try:
        raw = _stdin() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise QueryError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QueryError(f"{str(file)!r} is not UTF-8, at byte {error.start}; save it as UTF-8") from error
    return read_questions(text.rstrip().split("\n"), str(file))


def _stdin() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


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


def _tell_outcome(batch: _Batch, total: int, failed: int) -> None:
    if batch.output:
        echo(f"written to {batch.output}", err=True)
    if failed:
        again = "; the same command with --retry asks them again" if batch.output else ""
        echo(f"{failed} of {total} failed{again}", err=True)


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
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415

    settings = _settings(folder, run, chosen)
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


def _settings(library: str | None, run: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a run was asked with, under those that are chosen now."""
    from scholarmind import blocking  # noqa: PLC0415
    from scholarmind.cli.run_commands import runs_of  # noqa: PLC0415
    from scholarmind.running import settings_again  # noqa: PLC0415
    from scholarmind.setting_values import joined  # noqa: PLC0415

    with runs_of(library) as runs:
        known = blocking.run(runs.find(run))
    given = {name: value for name, value in chosen.items() if value is not None}
    before = settings_again(known) if known else {}
    if "llm" in given:  # how much may be spent is for the model that is asked now
        before.pop("effort", None)
    return joined(before, given)


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
