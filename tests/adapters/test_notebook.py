"""Jupyter notebooks of all versions."""

import json
from pathlib import Path
from typing import Any

import pytest

from scholarmind.adapters.readers.text_files import NotebookReader
from scholarmind.errors import ReadError
from scholarmind.model import Reading

LIMIT = 10_000_000


def read(folder: Path, notebook: Any) -> Reading:
    """Return what a notebook is read as; a text is written as it is."""
    path = folder / "analysis.ipynb"
    path.write_text(notebook if isinstance(notebook, str) else json.dumps(notebook))
    (found,) = NotebookReader(LIMIT).read(path)
    assert isinstance(found, Reading)
    return found


def cells(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Return a notebook of version 4."""
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}


def code(source: str | list[str], *outputs: dict[str, Any]) -> dict[str, Any]:
    """Return a cell of code."""
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "metadata": {}}


def note(source: str | list[str]) -> dict[str, Any]:
    """Return a cell of Markdown."""
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def test_headings_of_notes_are_sections_and_those_of_code_are_not(tmp_path: Path) -> None:
    found = read(tmp_path, cells(note(["# Title\n", "Words."]), code("# no heading\nx = 1"), note("## Method\n注意")))
    assert found.text == "# Title\nWords.\n\n```python\n# no heading\nx = 1\n```\n\n## Method\n注意"
    assert [section.path for section in found.sections] == [("Title",), ("Title", "Method")]
    assert [found.text[section.heading : section.start] for section in found.sections] == ["# Title\n", "## Method\n"]
    assert (found.document.title, found.document.kind) == ("Title", "notebook")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ({"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]}, "one\ntwo"),
        ({"output_type": "execute_result", "data": {"text/plain": ["42"], "text/html": "<b>42</b>"}}, "42"),
        ({"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}}, "<Figure>"),
        (
            {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\u001b[0;31m..."]},
            "ValueError: no",
        ),
        ({"output_type": "stream", "text": "\u001b[31mred\u001b[0m"}, "red"),
        ({"output_type": "pyout", "text": ["old"]}, "old"),
    ],
)
def test_outputs(tmp_path: Path, output: dict[str, Any], expected: str) -> None:
    assert read(tmp_path, cells(code("x", output))).text == f"```python\nx\n```\n\n```\n{expected}\n```"


def test_pictures_are_left_out(tmp_path: Path) -> None:
    assert (
        read(tmp_path, cells(code("x", {"output_type": "display_data", "data": {"image/png": "iVBOR"}}))).text
        == "```python\nx\n```"
    )
    assert (
        read(tmp_path, cells(note(f"see ![a plot](data:image/png;base64,{'A' * 9_000}) here"))).text
        == "see a plot here"
    )


def test_long_outputs_are_cut(tmp_path: Path) -> None:
    found = read(tmp_path, cells(code("x", *[{"output_type": "stream", "text": "word " * 1_000}] * 50)))
    assert len(found.text) < 2_100
    assert found.text.endswith(" …\n```")


def test_the_language_is_that_of_the_kernel(tmp_path: Path) -> None:
    assert read(tmp_path, cells(code("x <- 1"), kernelspec={"language": "R"})).text == "```R\nx <- 1\n```"
    assert read(tmp_path, cells(code("x"), language_info={"name": "`\n# bad"})).text == "```python\nx\n```"


def test_code_with_fences_and_notes_that_leave_them_open(tmp_path: Path) -> None:
    found = read(tmp_path, cells(note("```\nopen"), code('s = """\n```\n# x\n```\n"""'), note("# Real")))
    assert [section.path for section in found.sections] == [("Real",)]


def test_version_3(tmp_path: Path) -> None:
    old = [
        {"cell_type": "heading", "level": 2, "source": ["Old ", "title"]},
        {"cell_type": "markdown", "source": "Words."},
        {
            "cell_type": "code",
            "input": ["x = 1\n", "x"],
            "language": "python",
            "outputs": [{"output_type": "pyout", "text": ["1"]}],
        },
    ]
    found = read(tmp_path, {"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": old}]})
    assert found.text == "## Old title\n\nWords.\n\n```python\nx = 1\nx\n```\n\n```\n1\n```"
    assert found.document.title == "Old title"


def test_metadata(tmp_path: Path) -> None:
    document = read(
        tmp_path, cells(note("x"), title="The title", authors=[{"name": "Ada Müller"}, {"name": "王伟"}])
    ).document
    assert (document.title, document.authors) == ("The title", ("Ada Müller", "王伟"))


@pytest.mark.parametrize(
    "notebook",
    [
        "", "no json", "[]", "{}", '{"cells": []}', '{"cells": 3}', '{"cells": [1, null, "x", {"cell_type": "code", "source": 5}]}',
        "[" * 200_000, '{"cells": [' * 50_000, '{"worksheets": {"a": 1}}', '{"cells": [{"cell_type": "markdown", "source": [1, {}]}]}',
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_told(tmp_path: Path, notebook: str) -> None:
    with pytest.raises(ReadError) as error:
        read(tmp_path, notebook)
    assert error.value.advice


def test_odd_parts_are_left_out(tmp_path: Path) -> None:
    odd = {
        "cell_type": "code",
        "source": "x",
        "outputs": [None, 1, {"output_type": "stream", "text": {"a": 1}}, {"data": []}],
    }
    assert (
        read(tmp_path, {"cells": [odd, {"cell_type": "raw", "source": "a\x00b\ud800"}], "metadata": []}).text
        == "```python\nx\n```\n\na b\ufffd"
    )
