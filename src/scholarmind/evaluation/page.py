"""A page that stands alone: no scripts, nothing from elsewhere, and nothing of a document that could become markup."""

import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, cast

from scholarmind.errors import QueryError
from scholarmind.text.untrusted import uncontrolled

_STYLE = Path(__file__).with_name("report.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def text(value: Any) -> str:
    """Return a value so that a browser shows it and does nothing else with it."""
    return escape(uncontrolled(str(value)), quote=True)


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title>",
            f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>",
            f"<h1>{text(title)}</h1>",
            *parts,
            "</body></html>",
            "",
        ]
    )


def paragraph(told: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{text(told)}</p>' if kind else f"<p>{text(told)}</p>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, kind: str = "") -> str:
    """Return a table; its cells are HTML already, the first `numbers` columns after the first hold numbers."""

    def cells(row: Sequence[str], tag: str) -> str:
        marks = (' class="number"' if 0 < place <= numbers else "" for place in range(len(row)))
        return "".join(f"<{tag}{mark}>{cell}</{tag}>" for mark, cell in zip(marks, row, strict=True))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    head = f"<thead><tr>{cells([text(one) for one in heads], 'th')}</tr></thead>"
    return f'<div class="wide"><table class="{kind}">{head}<tbody>{body}</tbody></table></div>'


def facts(known: Mapping[str, Any]) -> str:
    """Return a table of names and values."""
    return table(["", ""], [[text(name), text(_joined(value))] for name, value in known.items()])


def _joined(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)


def figure(picture: str, caption: str) -> str:
    """Return a picture with what is to be seen in it."""
    return f"<figure>{picture}<figcaption>{text(caption)}</figcaption></figure>"


def folded(title: str, inside: str, *, unfolded: bool) -> str:
    """Return a part of a page that can be folded away."""
    return f"<details{' open' if unfolded else ''}><summary>{text(title)}</summary>{inside}</details>"


def check_place(path: Path) -> None:
    """Complain before the work, not after it, where no page can be written."""
    folder = path.parent
    special = path.exists() and not path.is_file()  # a folder or a device
    if special or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise QueryError(f"no report can be written to {str(path)!r}; --report takes a file in a folder that there is")


def write(path: Path, whole: str) -> None:
    """Write a page whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(whole, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise QueryError(f"the report {str(path)!r} cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)
