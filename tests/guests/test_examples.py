"""The examples of docs/GUESTS.md, run as they are written."""

import io
import json
import re
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from founders import NOTES

from scholarmind import Library
from scholarmind.testing import ScriptedServer

_TEXT = (Path(__file__).parents[2] / "docs" / "GUESTS.md").read_text(encoding="utf-8")
_SECTIONS = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", _TEXT, re.MULTILINE | re.DOTALL)
_FRAMEWORKS = {  # "" for what needs none
    "A search over HTTP": "",
    "OpenAI's file search": "",
    "Haystack": "haystack",
    "DSPy": "dspy",
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


class _Searches(BaseHTTPRequestHandler):
    """Two search services over the notes: one of somebody's own, and OpenAI's."""

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        hits = [{"id": name, "title": name, "text": text} for name, text in NOTES.items()]
        self._reply(
            urlsplit(self.path).path == "/search" and bool(asked["q"]), {"hits": hits[: int(asked["limit"][0])]}
        )

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        data = [
            {
                "file_id": f"file-{name}",
                "filename": f"{name}.md",
                "score": 0.5,
                "attributes": {},
                "content": [{"type": "text", "text": text}],
            }
            for name, text in NOTES.items()
        ]
        is_right = self.path == "/v1/vector_stores/vs_1/search" and self.headers["authorization"] == "Bearer sk-1"
        self._reply(
            is_right and 1 <= asked["max_num_results"] <= 50,
            {"object": "vector_store.search_results.page", "data": data},
        )

    def _reply(self, is_right: bool, told: object) -> None:
        self.send_response(200 if is_right else 404)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the examples find in the environment: where to search, and a model for what asks one itself."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Searches) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{served.server_address[1]}"
        for name, value in (
            ("SEARCH_URL", address),
            ("OPENAI_BASE_URL", f"{address}/v1"),
            ("OPENAI_API_KEY", "sk-1"),
            ("VECTOR_STORE", "vs_1"),
        ):
            monkeypatch.setenv(name, value)
        yield
        served.shutdown()


@pytest.mark.enable_socket
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(("framework", "example"), _EXAMPLES)
def test_example(
    framework: str,
    example: str,
    notes: Path,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if (name := _FRAMEWORKS[framework]) and find_spec(name) is None:
        pytest.skip(f"{framework} is not installed; `make guests` tests with it")
    monkeypatch.chdir(notes.parent)
    with Library.open("library") as library:
        library.add(notes)
    if framework == "DSPy":
        server.answer = lambda call: "[[ ## answer ## ]]\nIt was Jacob Devlin.\n\n[[ ## completed ## ]]"  # noqa: ARG005
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    printed = io.StringIO()
    with redirect_stdout(printed):
        if _FRAMEWORKS[framework] == "IPython":
            request.getfixturevalue("shell").run_cell(example).raise_error()
        else:
            exec(compile(example, "docs/GUESTS.md", "exec"), {"__name__": "__main__"})  # noqa: S102
    assert "Devlin" in printed.getvalue()
