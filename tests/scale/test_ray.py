"""Reading on a real Ray cluster: three raylets on loopback, one killed while it reads. Needs Ray (the extra `ray`)."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from scholarmind import Library, Settings
from scholarmind.errors import ClusterError

if find_spec("ray") is None:
    pytest.skip("Ray is not installed; it is in the extra `ray`", allow_module_level=True)
HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parents[1] / "bench")]
pytestmark = [pytest.mark.enable_socket, pytest.mark.timeout(1200), pytest.mark.filterwarnings("default")]
PAPERS, PAGES = 12, 3
_RAY = Path(sys.executable).with_name("ray")
_START_SECONDS = 300.0  # of a busy machine
_WATCH_SECONDS = 600.0


@dataclass
class Cluster:
    """A head without cores on 127.0.0.2, and nodes of one core on the addresses after it."""

    folder: Path
    port: int
    client_port: int
    nodes: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"ray://127.0.0.2:{self.client_port}"

    def start_head(self) -> None:
        """Start the head."""
        ports = (f"--port={self.port}", f"--ray-client-server-port={self.client_port}")
        self._start(2, "--head", *ports, "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={self.folder}")

    def add_node(self, *options: str) -> int:
        """Start a node, and return the last number of its address."""
        number = 3 + len(self.nodes)
        self._start(number, f"--address=127.0.0.2:{self.port}", "--num-cpus=1", *options)
        self.nodes.append(number)
        return number

    def _start(self, number: int, *options: str) -> None:
        # every process of it can be found by what it inherits: Ray lets them go, each in a session of its own
        environment = {**os.environ, "RAY_TEST_NODE": self.mark(number), "RAY_USAGE_STATS_ENABLED": "0"}
        common = (f"--node-ip-address=127.0.0.{number}", "--object-store-memory=100000000", "--disable-usage-stats")
        done = subprocess.run(
            [_RAY, "start", *common, *options],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_START_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def kill(self, number: int) -> None:
        """Take a node away, as a power cut does: all of its processes at once."""
        for process in self.processes(number):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def processes(self, number: int) -> list[int]:
        """Return the processes of a node."""
        wanted = f"RAY_TEST_NODE={self.mark(number)}".encode()
        found: list[int] = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    def mark(self, number: int) -> str:
        return f"{self.port}.{number}"


def free_port() -> int:
    """Return a port that nobody listens on; workers of Ray use 10002 to 19999."""
    while True:
        with socket.socket() as listening:
            listening.bind(("127.0.0.2", 0))
            if (port := listening.getsockname()[1]) > 20_000:
                return port


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster with a head and two nodes, on which every reading is noted."""
    import noted_reading

    monkeypatch.setenv("READ_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.setattr("scholarmind.nodes.read_file", noted_reading.read_and_note)
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short: the path of a socket has 107 characters at most
    made = Cluster(folder, free_port(), free_port())
    try:
        made.start_head()
        made.add_node()
        made.add_node()
        yield made
    finally:
        for number in (*made.nodes, 2):
            made.kill(number)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Papers of the generator, and a note."""
    from papers import make

    folder = tmp_path_factory.mktemp("papers")
    for seed in range(PAPERS):
        assert make(folder, "two-column", PAGES, seed)
    (folder / "note.md").write_text("# Note\n\nThis one is read here.\n")
    return folder


@pytest.fixture(scope="module")
def ordinary(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The library that `add` makes without a cluster."""
    with Library(Settings(library=tmp_path_factory.mktemp("ordinary") / "library")) as library:
        library.add(papers)
        yield library


def vectors(library: Library) -> dict[tuple[str, int], np.ndarray]:
    """Return the vector of each passage."""
    rows = library.store.database.rows(
        "SELECT d.id, p.position, v.vector FROM vectors v JOIN passages p ON p.number = v.passage "
        "JOIN documents d ON d.number = p.document"
    )
    return {(id, position): np.frombuffer(vector, np.float32) for id, position, vector in rows}


def assert_same(library: Library, other: Library) -> None:
    """Assert that two libraries hold the same documents, passages and vectors."""
    assert_same_texts(library, other)
    first, second = vectors(library), vectors(other)
    assert first.keys() == second.keys()
    for place, vector in first.items():
        np.testing.assert_allclose(vector, second[place], atol=1e-5)


def assert_same_texts(library: Library, other: Library) -> None:
    """Assert that two libraries hold the same documents with their passages, references and places on pages."""
    ids = {document.id for document in library.documents()}
    assert ids == {document.id for document in other.documents()}
    assert len(ids) == PAPERS + 1
    for id in ids:
        assert library.entry(id) == other.entry(id)


def notes(what: str) -> dict[str, list[str]]:
    """Return by file on which nodes its reading `began`, or `ended`."""
    found: dict[str, list[str]] = {}
    log = Path(os.environ["READ_LOG"])
    for line in log.read_text().splitlines() if log.exists() else ():
        node, noted, name = line.split(" ", 2)
        if noted == what:
            found.setdefault(name, []).append(node)
    return found


def when_begun(node: str, files: int, act: Callable[[], None]) -> threading.Thread:
    """Do something once the reading of so many files has begun on a node ('' for any), in a thread."""

    def watch() -> None:
        deadline = time.monotonic() + _WATCH_SECONDS
        while time.monotonic() < deadline:
            if sum(not node or node in nodes for nodes in notes("began").values()) >= files:
                act()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_a_killed_node_loses_nothing(cluster: Cluster, papers: Path, ordinary: Library, tmp_path: Path) -> None:
    victim = cluster.nodes[0]
    killing = when_begun(cluster.mark(victim), 3, lambda: cluster.kill(victim))
    with Library(Settings(library=tmp_path / "library", reading_on=cluster.address)) as library:
        report = library.add(papers)
        killing.join()
        assert cluster.processes(victim) == []
        assert (report.added, report.problems) == (PAPERS + 1, [])
        assert report.passages == report.embedded + report.unsuited
        assert_same(library, ordinary)
    began = notes("began")
    again = {name: nodes for name, nodes in began.items() if len(nodes) > 1}
    assert len(began) == PAPERS
    assert all(nodes[0] == cluster.mark(victim) for nodes in again.values())
    assert all(len(nodes) == 2 for nodes in again.values())
    # the node has one core: one file was being read, and what had just been read may not have left the node
    assert 1 <= len(again) <= 2


def test_a_head_that_goes_away_is_told_and_add_goes_on(
    cluster: Cluster, papers: Path, ordinary: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_CLIENT_RECONNECT_GRACE_PERIOD", "3")

    killing = when_begun("", 2, lambda: cluster.kill(2))
    with Library(Settings(library=tmp_path / "library", embedder="none", reading_on=cluster.address)) as library:
        with pytest.raises(ClusterError, match="is gone"):
            library.add(papers)
        killing.join()
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        library.add(papers)
        assert_same_texts(library, ordinary)


def test_ctrl_c_ends_it_and_the_same_again_goes_on(
    cluster: Cluster, papers: Path, ordinary: Library, tmp_path: Path
) -> None:
    program = (
        "import noted_reading; from scholarmind import nodes; nodes.read_file = noted_reading.read_and_note\n"
        "from scholarmind.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "add", papers, "--on", cluster.address, "--library", tmp_path / "library"]
    adding = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, text=True)
    try:
        when_begun("", 2, lambda: None).join()
        adding.send_signal(signal.SIGINT)
        _, errors = adding.communicate(timeout=300)
    finally:
        adding.kill()
    assert adding.returncode in {1, 130}, errors
    assert "Traceback" not in errors
    with Library(Settings(library=tmp_path / "library", reading_on=cluster.address)) as library:
        library.add(papers)
        assert_same(library, ordinary)


def test_local_is_a_cluster_of_this_machine(papers: Path, ordinary: Library, tmp_path: Path) -> None:
    settings = Settings(library=tmp_path / "library", reading_on="local", reading_processes=2)
    with Library(settings) as library:
        assert library.add(papers).added == PAPERS + 1
        assert_same(library, ordinary)


def test_an_address_where_nobody_listens_is_told(papers: Path, tmp_path: Path) -> None:
    address = f"ray://127.0.0.2:{free_port()}"
    with (
        Library(Settings(library=tmp_path / "library", reading_on=address)) as library,
        pytest.raises(ClusterError, match="no Ray cluster answers at"),
    ):
        library.add(papers)
