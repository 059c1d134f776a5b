"""`scholarmind open`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli.main import echo, json_option, library_option

if TYPE_CHECKING:
    from scholarmind.model import Entry, Passage

_VIEWERS = ("xdg-open", "open")


@click.command("open")
@click.argument("id")
@click.option("--page", type=click.IntRange(1), help="Page to show, from 1.  [default: that of the passage, or 1]")
@click.option(
    "--passage", type=click.IntRange(0), help="Mark this passage (its position, as `show` and `search --json` give it)."
)
@click.option("--viewer", is_flag=True, help="Open the file itself with this computer's program for it.")
@click.option("--collection", default="default", show_default=True, help="Collection that the document is in.")
@library_option
@json_option
def command(
    id: str, page: int | None, passage: int | None, viewer: bool, collection: str, library: str | None, as_json: bool
) -> None:
    """Show a page of a document as it was read, or open its file.

    What has no pages is shown whole, or from the passage on.
    """
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.cli.output import print_json, safe  # noqa: PLC0415
    from scholarmind.text.untrusted import disarmed_pieces  # noqa: PLC0415

    with Library.open(library, create=False) as opened:
        id = opened.resolve(id, collection=collection)
        entry = opened.entry(id, collection=collection)
    if entry is None:
        raise click.ClickException(f"there is no document {id!r} in {collection!r}; 'scholarmind search' shows ids")
    if viewer:
        _view(entry.document.origin)
        return
    if page and not entry.layout:
        raise click.ClickException(f"{id!r} has no pages; leave --page out")
    chosen = _passage(entry, passage)
    number = page or (chosen.page if chosen else None) or 1
    pieces = _paged(entry, number) if entry.layout else [(0, len(entry.text))]
    span = (chosen.start, chosen.end) if chosen else (0, 0)
    pages = len(entry.layout.pages) if entry.layout else 0
    if as_json:
        text = "\n".join(entry.text[start:end] for start, end in pieces)
        boxes = [asdict(box) for box in entry.layout.boxes(*span)] if entry.layout and chosen else []
        print_json({"id": id, "page": number if pages else None, "pages": pages, "text": text, "boxes": boxes})
        return
    echo(safe(entry.document.title + (f" · page {number} of {pages}" if pages else "")), bold=True)
    for start, end in pieces:
        before, after = max(start, min(end, span[0])), max(start, min(end, span[1]))
        pieces_of = disarmed_pieces(entry.text[start:end], (before - start, after - start))
        for part, marked in zip(pieces_of, (False, True, False), strict=True):
            echo(part, nl=False, **({"reverse": True} if marked else {}))
        echo()


def _paged(entry: "Entry", number: int) -> list[tuple[int, int]]:
    """Return what of the text stands on a page, line by line."""
    layout = entry.layout
    if layout is None or number > len(layout.pages):
        raise click.ClickException(f"there is no page {number}; the last one is {len(layout.pages) if layout else 0}")
    found = [(line.start, line.end) for line in layout.lines if line.box.page == number]
    if not found:
        raise click.ClickException(
            f"nothing was read on page {number}; 'scholarmind show {entry.document.id}' tells why"
        )
    return found


def _passage(entry: "Entry", position: int | None) -> "Passage | None":
    if position is None:
        return None
    if position >= len(entry.passages):
        raise click.ClickException(f"there is no passage {position}; the last one is {len(entry.passages) - 1}")
    return entry.passages[position]


def _view(origin: str) -> None:
    """Hand the file to the computer's own program for it."""
    import shutil  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    if not Path(origin).is_file():
        raise click.ClickException(f"the file {origin!r} is gone; add it again from where it is now")
    program = next((found for name in _VIEWERS if (found := shutil.which(name))), None)
    if program is None:
        raise click.ClickException(f"no program to open files was found (looked for {', '.join(_VIEWERS)}): {origin}")
    done = subprocess.run([program, origin], check=False)  # noqa: S603  (a file that exists, no shell)
    if done.returncode:
        raise click.ClickException(f"{program} could not open {origin!r} (exit code {done.returncode})")
