"""`scholarmind ask --since`: what became of an answer, in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.changes import Changes, ClaimChange, DocumentChange, TallyChange
from scholarmind.cli.main import echo
from scholarmind.text.untrusted import disarmed, uncontrolled

if TYPE_CHECKING:
    from scholarmind.answer import Answer
    from scholarmind.filters import Filter

_MOST = 50
_WHAT = {"new": "new, or changed since", "changed": "changed since", "removed": "removed since"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a comparison is shown."""

    as_json: bool = False
    as_markdown: bool = False
    output: Path | None = None


def ask_since(folder: str | None, run: str, filter: "Filter | None", chosen: Mapping[str, Any], shape: Shape) -> None:
    """Ask an earlier run's question again, with its settings unless others are chosen, and print what changed."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.live import watched  # noqa: PLC0415

    settings = _settings(folder, run, chosen)
    quiet = shape.as_json or shape.as_markdown
    with Library.open(folder, create=False, **settings) as library, watched(quiet=quiet, transient=True) as shown:
        answer, changes = library.ask_again(run, filter=filter, on_event=shown)
    _print(answer, changes, shape)


def _print(answer: "Answer | None", changes: Changes, shape: Shape) -> None:
    from scholarmind.cli.output import json_text, print_json  # noqa: PLC0415
    from scholarmind.events import plain  # noqa: PLC0415
    from scholarmind.record import answer_record  # noqa: PLC0415

    record = {
        "changes": {**plain(changes), "any": changes.any},
        "answer": answer_record(answer) if answer else None,
    }
    if shape.as_json:
        print_json(record)
    text = uncontrolled("\n".join(told(changes, markdown=shape.as_markdown or shape.output is not None))) + "\n"
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
    from scholarmind.cli.runs import runs_of  # noqa: PLC0415
    from scholarmind.running import settings_again  # noqa: PLC0415
    from scholarmind.setting_values import joined  # noqa: PLC0415

    with runs_of(library) as runs:
        known = blocking.run(runs.find(run))
    given = {name: value for name, value in chosen.items() if value is not None}
    before = settings_again(known) if known else {}
    if "llm" in given:  # how much may be spent is for the model that is asked now
        before.pop("effort", None)
    return joined(before, given)


def told(changes: Changes, *, markdown: bool) -> Iterator[str]:
    """Yield the lines of a comparison."""
    from scholarmind.writing.answer_markdown import literal, starting  # noqa: PLC0415

    title: Callable[[str], str] = (lambda text: f"## {text}") if markdown else (lambda text: f"{text}:")
    shown: Callable[[str], str] = (lambda text: starting(literal(text))) if markdown else str
    yield f"{'# ' if markdown else ''}{shown(_line(changes.question))}"
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
            [f"{_line(row.text)}: {row.before or 'not asked'} → {row.after or 'not asked'}" for row in changes.rows],
        ),
        ("Counted", [line for one in changes.counted for line in _counted(one)]),
        ("New", [_claim(claim) for claim in changes.new]),
        ("Gone", [_claim(claim) for claim in changes.gone]),
        ("Worded anew", [_claim(claim) for claim in changes.kept if claim.before]),
    ):
        yield from _section(title(name), [shown(line) for line in lines])
    yield from _section(title("Sources"), [shown(line) for line in _sources(changes)])
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
    title = _line(document.title or document.document)
    roles = [f"{role} {when}" for role, when in ((document.before, "before"), (document.after, "now")) if role]
    return f"{title} ({document.document}): {_WHAT[document.what]}; {', '.join(roles)}"


def _claim(claim: ClaimChange) -> str:
    keys = f" [{'; '.join(claim.citations)}]" if claim.citations else ""
    because = f" — because of: {', '.join(map(_line, claim.because))}" if claim.because else ""
    before = f" (before: {_line(claim.before)})" if claim.before else ""
    return f"{_line(claim.text)}{keys}{before}{because}"


def _counted(change: TallyChange) -> Iterator[str]:
    yield f"{_line(change.text)}: {_line(change.before) or 'not counted'} → {_line(change.after) or 'not counted'}"
    yield from (f"now counted: {_line(line)}" for line in change.new)
    yield from (f"no longer counted: {_line(line)}" for line in change.gone)


def _sources(changes: Changes) -> Iterator[str]:
    yield from (f"cited now: {key}" for key in changes.cited)
    yield from (f"no longer cited: {key}" for key in changes.cited_no_more)


def _line(text: str) -> str:
    """Return words of others in one line."""
    return disarmed(" ".join(text.split()))
