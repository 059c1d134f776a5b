"""`scholarmind ask --batch`: a file of questions, a line of JSON for each."""

import json
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom, BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scholarmind.cli.main import echo
from scholarmind.cli.output import json_text, progress
from scholarmind.events import Progress

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.batch import BatchQuestion, BatchResult
    from scholarmind.filters import Filter

_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is asked, how many at a time, where the lines go, and whether what failed before is asked again."""

    file: Path
    concurrency: int
    output: Path | None = None
    retry: bool = False


def ask_batch(folder: str | None, batch: Batch, filter: "Filter | None", chosen: Mapping[str, Any]) -> int:
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


def _asked(library: "Library", batch: Batch, filter: "Filter | None", questions: "list[BatchQuestion]") -> int:
    with _lines(batch, questions) as lines:
        if lines.kept:
            echo(f"{lines.kept} of {len(questions)} were there already", err=True)
        try:
            _ask_rest(library, batch, filter, questions[lines.kept :], lines)
        except KeyboardInterrupt:
            rest = "the same command goes on from there" if batch.output else "the same command asks nothing twice"
            echo(f"\nstopped; {lines.kept} of {len(questions)} are done; {rest}", err=True)
            sys.exit(_INTERRUPTED)
    _tell(batch, len(questions), lines.failed)
    return 1 if lines.failed else 0


def _ask_rest(
    library: "Library", batch: Batch, filter: "Filter | None", rest: "Sequence[BatchQuestion]", lines: "_Lines"
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


class _Lines:
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
        line = _line(result)
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
def _lines(batch: Batch, questions: "Sequence[BatchQuestion]") -> Generator[_Lines]:
    """Open the file of the results, where they go to one."""
    if batch.output is None:
        yield _Lines(None, "")
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
        lines = _Lines(file, str(batch.output))
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


def _line(result: "BatchResult") -> bytes:
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


def _tell(batch: Batch, total: int, failed: int) -> None:
    if batch.output:
        echo(f"written to {batch.output}", err=True)
    if failed:
        again = "; the same command with --retry asks them again" if batch.output else ""
        echo(f"{failed} of {total} failed{again}", err=True)
