"""What `scholarmind ask` does other than answer one question: a file of them, or an earlier one again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from scholarmind.filters import Filter


def check_alone(option: str, *others: object) -> None:
    """Refuse what does not go with a file of questions, or an earlier one."""
    if any(others):
        raise click.UsageError(
            f"{option} goes with none of: a QUESTION, --plan, --interactive, --run, --conversation, --show-evidence, --trace, "
            f"{'--since' if option == '--batch' else '--batch'}"
        )


def ask_otherwise(
    library: str | None,
    what: tuple[Path, int, bool] | str,
    wanted: "Filter | None",
    chosen: dict[str, Any],
    shown: dict[str, Any],
) -> None:
    """Ask a file of questions, so many at a time and again or not what failed, or the question of an earlier run."""
    from scholarmind.cli.batch import Batch, ask_batch  # noqa: PLC0415
    from scholarmind.cli.since import Shape, ask_since  # noqa: PLC0415

    if isinstance(what, str):
        ask_since(library, what, wanted, chosen, Shape(**shown))
        return
    file, concurrency, retry = what
    batch = Batch(file=file, concurrency=concurrency, output=shown["output"], retry=retry)
    sys.exit(ask_batch(library, batch, wanted, chosen))
