"""The examples of docs/GUESTS.md, run as they are written."""

import io
import re
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import pytest

from scholarmind import Library

_TEXT = (Path(__file__).parents[2] / "docs" / "GUESTS.md").read_text(encoding="utf-8")
_SECTIONS = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", _TEXT, re.MULTILINE | re.DOTALL)
_FRAMEWORKS = {
    "LangGraph": "langgraph",
    "LangChain": "langchain_core",
    "LlamaIndex": "llama_index",
    "IPython and notebooks": "IPython",
}
_EXAMPLES = [
    pytest.param(framework, example, id=f"{framework} {number}")
    for framework, section in _SECTIONS
    for number, example in enumerate(re.findall(r"```python\n(.*?)```", section, re.DOTALL), 1)
]


def test_every_guest_has_an_example() -> None:
    assert {name for name, _ in _SECTIONS} <= _FRAMEWORKS.keys()
    assert {example.values[0] for example in _EXAMPLES} == {name for name, _ in _SECTIONS}


@pytest.mark.parametrize(("framework", "example"), _EXAMPLES)
def test_example(
    framework: str, example: str, notes: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if find_spec(_FRAMEWORKS[framework]) is None:
        pytest.skip(f"{framework} is not installed; `make guests` tests with it")
    monkeypatch.chdir(notes.parent)
    with Library.open("library") as library:
        library.add(notes)
    printed = io.StringIO()
    with redirect_stdout(printed):
        if _FRAMEWORKS[framework] == "IPython":
            request.getfixturevalue("shell").run_cell(example).raise_error()
        else:
            exec(compile(example, "docs/GUESTS.md", "exec"), {"__name__": "__main__"})  # noqa: S102
    assert "Devlin" in printed.getvalue()
