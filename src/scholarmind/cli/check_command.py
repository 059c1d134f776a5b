"""`scholarmind check`: a draft held against what it cites."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scholarmind.cli.main import check_suffix, echo, json_option, library_option
from scholarmind.errors import ScholarMindError
from scholarmind.text.language import HAN
from scholarmind.text.untrusted import uncontrolled

if TYPE_CHECKING:
    from scholarmind.api import Library
    from scholarmind.drafts.cited_documents import CitedWork
    from scholarmind.drafts.draft_reports import DraftReport

_WIDTH = 80
_FORMS = (".html", ".htm", ".json", ".md", ".tex", ".docx")
_COLOURS = {
    "contradicted": "red",
    "not said": "red",
    "not in the library": "magenta",
    "uncited": "yellow",
    "perhaps": "blue",
    "supported": "green",
}


class _UncheckedError(click.ClickException):
    """The draft could not be checked; 1 says that something in it is to be looked at."""

    exit_code = 2


@click.command("check")
@click.argument("draft", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--bibliography", "bibliographies", multiple=True, type=click.Path(dir_okay=False, path_type=Path),
    help="What the keys stand for: .bib, .ris or CSL .json; can be repeated.  [default: those that a LaTeX draft names]",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also write a page (.html), a table (.md), a record (.json), or a copy of the draft with \\todo's (.tex) or comments (.docx).",
)  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Print also what is supported.")
@click.option("--fix-keys", is_flag=True, help="Only find the right keys for those that no bibliography has.")
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="With --fix-keys: write the draft with the right keys here; in place only if this is the draft itself.",
)  # fmt: skip
@click.option(
    "--llm",
    metavar="MODEL",
    help="Have a language model point at the words for what code is not sure of; `none` asks nobody.",
)
@click.option("--where", metavar="FILTER", help='Only against documents that pass this filter, such as "year >= 2019".')
@click.option("--collection", "collections", multiple=True, help="Only against this collection; can be repeated.")
@click.option("--max-calls", type=click.IntRange(1), help="Calls to the model, for one draft.")
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), help="Money for one draft, by the prices known.")
@library_option
@json_option
def check_command(
    draft: Path, bibliographies: tuple[Path, ...], output: Path | None, write: Path | None, library: str | None, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Check a draft: does what it cites say what its sentences say?

    \b
      scholarmind check paper.tex --bibliography refs.bib
      scholarmind check paper.docx --bibliography refs.bib --output checked.docx
      scholarmind check paper.md --bibliography refs.bib --output checked.html --llm ollama/qwen3
      scholarmind check paper.tex --fix-keys --write fixed.tex

    Every sentence that claims something is held against the works that it cites (\\cite{key}, [@key], [12], (Devlin et al., 2019)), numbers
    and names first. It is supported, contradicted, not said there, cited to a work that is not in the library, or uncited though the
    library has something to cite. Ends with 0 if nothing is to be looked at, 1 if something is, 2 if it could not be checked.
    """
    from scholarmind.api import Library  # noqa: PLC0415

    _check_options(draft, output, write, options)
    llm = options["llm"]
    settings: dict[str, Any] = {"llm": llm} if llm else {}
    if llm == "none":
        settings["effort"] = "keyless"
    try:
        with Library.open(library, create=False, **settings) as opened:
            if options["fix_keys"]:
                _fix_keys(opened, draft, bibliographies, write, as_json=as_json)
                return
            report = _checked(opened, draft, bibliographies, options, quiet=as_json)
    except ScholarMindError as error:
        raise _UncheckedError(uncontrolled(str(error))) from error
    if output is not None:
        _write(report, output)
    if as_json:
        _print_record(report)
    else:
        _print(report, every=options["every"])
        if output is not None:
            echo(f"written: {output}", err=True)
    if report.flagged:
        sys.exit(1)


def _check_options(draft: Path, output: Path | None, write: Path | None, options: Mapping[str, Any]) -> None:
    if not draft.is_file():
        raise click.UsageError(f"there is no draft {str(draft)!r}; give a file, such as paper.tex")
    check_suffix(output, *_FORMS)
    if output is not None:
        if not output.suffix:
            raise click.UsageError(f"{str(output)!r}: give a name that ends in {', '.join(_FORMS)}")
        for suffix in (".tex", ".docx"):
            if output.suffix.lower() == suffix and draft.suffix.lower() != suffix:
                raise click.UsageError(
                    f"{str(output)!r} would be a copy of a {suffix} draft, and {str(draft)!r} is none; give .html, .md or .json"
                )
        if output.exists() and output.samefile(draft):
            raise click.UsageError(f"{str(output)!r} is the draft itself; give another name")
    if write is not None and not options["fix_keys"]:
        raise click.UsageError("--write is for --fix-keys; give --output for what was found")
    if write is not None and draft.suffix.lower() not in (".tex", ".ltx", ".md", ".markdown", ".txt"):
        raise click.UsageError(
            f"--write changes text (.tex, .md, .txt), and {str(draft)!r} is none; change the keys by hand"
        )


def _checked(
    opened: "Library", draft: Path, bibliographies: tuple[Path, ...], options: Mapping[str, Any], *, quiet: bool
) -> "DraftReport":
    from scholarmind.calls import Budget  # noqa: PLC0415
    from scholarmind.cli.command_options import within_collections  # noqa: PLC0415
    from scholarmind.cli.output import file_progress, progress  # noqa: PLC0415
    from scholarmind.filters import both, parse_filter  # noqa: PLC0415

    where = options["where"]
    within = both(parse_filter(where) if where else None, within_collections(options["collections"]))
    budget = Budget(calls=options["max_calls"], cost=options["max_cost"])
    shown = progress(quiet=quiet) if sys.stderr.isatty() else file_progress(quiet=quiet)
    with shown as on_event:
        return opened.check(draft, bibliographies=bibliographies, filter=within, budget=budget, on_event=on_event)


def _write(report: "DraftReport", output: Path) -> None:
    """Write what was found, whole or not at all."""
    from scholarmind.drafts.draft_reports import draft_docx, draft_file  # noqa: PLC0415

    ending = output.suffix.lower()
    if ending == ".docx":
        content, lost = draft_docx(report)
        if lost:
            echo(f"note: {lost} comments found no place in the copy; --output FILE.html has them", err=True)
    else:
        content = draft_file(report, ending)
    _put(output, content)
    own = report.manuscript.tex.source if report.manuscript.tex else ""
    if ending == ".tex" and HAN.search(content.decode()) and not HAN.search(own):
        echo(
            r"note: the sources that are quoted have Chinese; compile the copy with XeLaTeX or LuaLaTeX, and \usepackage{ctex}",
            err=True,
        )


def _put(output: Path, content: bytes) -> None:
    beside = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(output)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise click.ClickException(f"{str(output)!r} cannot be written: {error.strerror}") from error


# -- keys


def _fix_keys(
    opened: "Library", draft: Path, bibliographies: tuple[Path, ...], write: Path | None, *, as_json: bool
) -> None:
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.drafts.whole_drafts import with_right_keys  # noqa: PLC0415

    fixes = opened.unknown_keys(draft, bibliographies=bibliographies)
    changed = 0
    if write is not None:
        text, changed = with_right_keys(draft, fixes)
        _put(write, text.encode("utf-8", "surrogateescape"))
    if as_json:
        record = {key: {"nearest": work.nearest, "title": work.nearest_title} for key, work in fixes.items()}
        print_json({"keys": record, "changed": changed, "written": None if write is None else str(write)})
    else:
        _print_fixes(fixes)
        if write is not None:
            echo(f"written: {write}, with {changed} keys put right", err=True)
    if any(not work.nearest or write is None for work in fixes.values()):
        sys.exit(1)


def _print_fixes(fixes: "Mapping[str, CitedWork]") -> None:
    from scholarmind.cli.output import safe  # noqa: PLC0415

    for key, work in fixes.items():
        echo(safe(f"{key} -> {work.nearest}  ({work.nearest_title})" if work.nearest else f"{key}: nothing is near it"))
    if not fixes:
        echo("every key is known")


# -- the table


def _print(report: "DraftReport", *, every: bool) -> None:
    """Print a block for each claim that is to be looked at: verdict and place, sentence, what there is to be said of it."""
    from scholarmind.cli.output import safe  # noqa: PLC0415
    from scholarmind.drafts.draft_reports import counted, told, words_for_draft  # noqa: PLC0415

    words = words_for_draft(report)
    for remark in report.remarks:
        if not (remark.flagged or (every and remark.verdict == "supported")):
            continue
        paragraph = report.manuscript.paragraphs[remark.claim.paragraph]
        page = words["page"].format(page=paragraph.page) if paragraph.page else ""
        place = " · ".join(filter(None, (*paragraph.section[-1:], page)))
        echo(
            safe(f"{words[remark.verdict]}" + (f"  ({place})" if place else "")),
            bold=True,
            fg=_COLOURS.get(remark.verdict),
        )
        for line in _wrapped(remark.claim.text, "  "):
            echo(safe(line))
        for said in told(remark, words):
            for line in _wrapped(said, "    "):
                echo(safe(line), dim=True)
        echo()
    echo(safe("\n".join(_wrapped(counted(report, words), ""))))
    for note in report.notes:
        echo(safe(f"note: {note}"), err=True, fg="yellow")


def _wrapped(text: str, indent: str) -> list[str]:
    """Return a text in lines of 80 columns, of which a Chinese character takes two."""
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from scholarmind.cli.output import console  # noqa: PLC0415

    width = _WIDTH - cell_len(indent)
    return [f"{indent}{line.plain.rstrip()}" for line in Text(text).wrap(console(), width)]


def _print_record(report: "DraftReport") -> None:
    from scholarmind.cli.output import print_json  # noqa: PLC0415
    from scholarmind.drafts.draft_reports import draft_record  # noqa: PLC0415

    print_json(draft_record(report))
