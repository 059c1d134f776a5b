"""Fixtures for tests of programs built on ScholarMind; pytest finds them by itself once the package is installed.

`scholarmind_library` is an empty library that sees none of the user's settings, `scholarmind_server` a scripted model on this machine,
`scholarmind_tape` a transport for `connect` that says again what `pytest --scholarmind-record` heard of a real server.
"""

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # nothing is imported for those who only have it installed
    from scholarmind.api import Library
    from scholarmind.testing.replay import Recording, Replaying
    from scholarmind.testing.scripted import ScriptedServer


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that asks real servers."""
    group = parser.getgroup("scholarmind")
    group.addoption(
        "--scholarmind-record", action="store_true", help="Ask real models, and write what they say beside the tests."
    )


@pytest.fixture
def scholarmind_library(tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> "Iterator[Library]":
    """Open an empty library with a small predictable embedder, by the default settings alone."""
    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.settings import Settings  # noqa: PLC0415
    from scholarmind.testing.model_servers import HashEmbedder  # noqa: PLC0415

    for name in [name for name in os.environ if name.startswith(("SCHOLARMIND_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    settings = Settings.load(library=os.path.join(tmp_path, "scholarmind"))  # noqa: PTH118
    with Library(settings, embedder=HashEmbedder()) as library:
        yield library


@pytest.fixture
def scholarmind_server() -> "Iterator[ScriptedServer]":
    """Run a model that says what `server.answer` and `server.canned` tell it; `server.base_url` is its address."""
    from scholarmind.testing.scripted import ScriptedServer  # noqa: PLC0415

    with ScriptedServer() as server:
        yield server


@pytest.fixture
def scholarmind_tape(request: pytest.FixtureRequest) -> "Recording | Replaying":
    """Return what stands in for the line to a server: `connect("ollama/qwen3", transport=scholarmind_tape)`.

    What was recorded is in the folder `tapes` beside the test, a file for each test.
    """
    from scholarmind.testing.replay import Recording, Replaying  # noqa: PLC0415

    folder = request.path.parent / "tapes"
    name = re.sub(r"[^\w.-]+", "_", f"{request.path.stem}.{request.node.name}")
    tape = folder / f"{name}.jsonl"
    if request.config.getoption("--scholarmind-record"):
        folder.mkdir(exist_ok=True)
        return Recording(tape)
    if not tape.is_file():
        pytest.fail(
            f"nothing was recorded for this test ({tape}); run it once with --scholarmind-record", pytrace=False
        )
    return Replaying(tape)
