"""Jupyter notebooks: what is written, the code, and the beginning of what it printed. Pictures are left out."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.decode import clean, read_text
from scholarmind.adapters.readers.facts import document_of, with_file_name
from scholarmind.adapters.readers.markdown import open_fence, sections_of
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading
from scholarmind.text.names import printable

_MOST_OUTPUT = 2_000  # characters of what one cell printed
_MOST_CELLS = 20_000
_ADVICE = "open it in Jupyter and save it again"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\]\n]{0,500})\]\((?:data:|attachment:)[^)\n]*\)")
_TEXTS = ("text/plain", "text/markdown", "text/latex")


@dataclass(frozen=True, slots=True)
class NotebookReader:
    """The text is the notebook as Markdown, code in fences with its language, so that its headings are sections."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the notebook."""
        notebook = _record(read_text(path, self.max_bytes))
        cells = list(_cells(notebook))
        language = _language(notebook)
        parts = [part for cell in cells[:_MOST_CELLS] for part in _parts(cell, language)]
        text = clean("\n\n".join(parts))
        if not text.strip():
            raise ReadError("none of its cells has text", "nothing to do, unless one should have")
        found = tuple(sections_of(text, 0))
        facts = with_file_name(_facts(notebook, found[0].path[0] if found else ""), path)
        yield Reading(document=document_of(facts, path, "notebook"), text=text, sections=found, facts=facts)
        if len(cells) > _MOST_CELLS:
            reason = f"it has {len(cells):,} cells: the first {_MOST_CELLS:,} are read"
            yield Problem(where=printable(path), reason=reason, advice="split it", lasting=True)


def _record(text: str) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"not a notebook: {error}", _ADVICE) from error
    if not isinstance(found, dict) or not ("cells" in found or "worksheets" in found):
        raise ReadError("not a notebook: it has no cells", "it may have the wrong suffix, or be a file of data")
    return cast("dict[str, Any]", found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the cells; before version 4 they were on worksheets."""
    for cell in _listed(notebook.get("cells")):
        yield _mapping(cell)
    for sheet in _listed(notebook.get("worksheets")):
        for cell in _listed(_mapping(sheet).get("cells")):
            yield _mapping(cell)


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    told = (_mapping(metadata.get("language_info")).get("name"), _mapping(metadata.get("kernelspec")).get("language"))
    return next((name for name in told if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name)), "python")


def _joined(value: Any) -> str:
    """Return a text that may come as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in _listed(value) if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _parts(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield the source of a cell and what it printed, as Markdown."""
    kind = cell.get("cell_type")
    source = clean(_joined(cell.get("source") if "source" in cell else cell.get("input"))).strip("\n").rstrip()
    if kind == "heading" and source:  # of version 3
        level = cell.get("level")
        yield f"{'#' * min(6, level if isinstance(level, int) and level > 0 else 1)} {' '.join(source.split())}"
    elif kind == "code":
        own = cell.get("language")
        if source.strip():
            yield _fenced(source, own if isinstance(own, str) and own.isalnum() else language)
        printed = clean(_COLOURS.sub("", "".join(_printed(cell)))).strip("\n").rstrip()
        if printed.strip():
            more = " …" if len(printed) > _MOST_OUTPUT else ""
            yield _fenced(f"{printed[:_MOST_OUTPUT].rstrip()}{more}", "")
    elif source.strip():
        source = _IMAGE.sub(r"\1", source)
        mark = open_fence(source)  # else it would swallow all cells behind it
        yield f"{source}\n{mark}" if mark else source


def _fenced(text: str, language: str) -> str:
    longest = max((len(mark) for mark in _FENCES.findall(text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def _printed(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a cell printed, with what it returned in plain text; errors by their last line."""
    for output in map(_mapping, _listed(cell.get("outputs"))):
        kind = output.get("output_type")
        if kind == "stream":
            text = _joined(output.get("text"))
        elif kind in {"error", "pyerr"}:
            text = f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
        else:
            data = _mapping(output.get("data"))
            text = next((told for name in _TEXTS if (told := _joined(data.get(name)))), _joined(output.get("text")))
        if text:
            yield text[: _MOST_OUTPUT + 1] + ("" if text.endswith("\n") else "\n")


def _facts(notebook: Mapping[str, Any], heading: str) -> Iterator[Fact]:
    metadata = _mapping(notebook.get("metadata"))
    title = _joined(metadata.get("title")) or _joined(metadata.get("name"))
    authors = [
        author if isinstance(author, str) else _joined(_mapping(author).get("name"))
        for author in _listed(metadata.get("authors"))
    ]
    yield Fact(field="title", value=" ".join(clean(title).split()), source="document properties", sure=0.8)
    yield Fact(field="title", value=heading, source="first page", sure=0.7)
    names = tuple(" ".join(clean(author).split()) for author in authors if author.strip())
    yield Fact(field="authors", value=names, source="document properties", sure=0.8)
