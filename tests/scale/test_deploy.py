"""The scripts of `deploy/` with real servers: the first makes the database, others follow it, one is promoted, the first comes back.

In place of the image's own entry point stands a short one that does the same; each node has an address of its own on this machine.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scale.clusters import Cluster, free_port, mortal
from tests.scale.services import DEPLOY

_ENTRY = """#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" > "$PGHOST/password"
    initdb -D "$PGDATA" -U postgres -A scram-sha-256 --pwfile="$PGHOST/password" --no-sync
    "$@" -c listen_addresses= &
    until pg_isready; do sleep 0.1; done
    "$CONFIGURATION/postgres-first.sh"
    kill -INT $!
    wait $!
fi
exec "$@"
"""
NODES = {"postgres-0": "127.0.0.10", "postgres-1": "127.0.0.11", "postgres-2": "127.0.0.12"}


class Nodes:
    """Nodes of `deploy/`, each with a folder of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("postgres.conf", "hba.conf", "postgres-node.sh", "postgres-first.sh"):
            shutil.copy(DEPLOY / name, folder / name)
        entry = folder / "docker-entrypoint.sh"
        entry.write_text(_ENTRY)
        entry.chmod(0o755)
        self._environment = {
            "PATH": f"{folder}:{programs}:{os.environ['PATH']}",
            "CONFIGURATION": str(folder),
            "HOSTS": ",".join(NODES.values()),
            "PGPORT": str(self._port),
            "POSTGRES_PASSWORD": "secret",
            "SCHOLARMIND_PASSWORD": "hidden",
        }

    def start(self, name: str) -> None:
        """Start a node as its container does."""
        place = self._folder / name
        if not place.exists():
            place.mkdir()
            if os.geteuid() == 0:
                shutil.chown(place, "nobody", "nogroup")
        own = {
            "NODE": NODES["postgres-0"] if name == "postgres-0" else name,
            "PGDATA": f"{place}/data",
            "PGHOST": str(place),
        }
        options = [f"listen_addresses={NODES[name]}", f"unix_socket_directories={place}", "shared_buffers=64MB"]
        given = [part for option in (*options, f"cluster_name={name}", "fsync=off") for part in ("-c", option)]
        with (self._folder / f"{name}.log").open("ab") as log:
            command = mortal(["sh", self._folder / "postgres-node.sh", *given], user="nobody")
            self.running[name] = subprocess.Popen(
                command, env={**os.environ, **self._environment, **own}, cwd="/", stdout=log, stderr=log
            )

    def sql(self, name: str, statement: str) -> Any:
        """Carry out a statement at a node as who may do everything."""
        return self._carried_out(statement, f"host={NODES[name]} user=postgres password=secret")

    def write(self, statement: str) -> None:
        """Carry out a statement as the product does, at the node that can be written to."""
        hosts = ",".join(NODES.values())
        self._carried_out(statement, f"host={hosts} user=scholarmind password=hidden target_session_attrs=read-write")

    def _carried_out(self, statement: str, where: str) -> Any:
        import psycopg

        address = f"{where} port={self._port} dbname=library connect_timeout=2"
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else None

    def _said(self, found: Any) -> str:
        logs = [path.read_text(errors="replace")[-1500:] for path in sorted(self._folder.glob("*.log"))]
        return "\n\n".join([str(found), *logs])

    def until(self, name: str, statement: str, expected: Any) -> None:
        """Wait until a statement brings something."""
        import psycopg

        deadline, found = time.monotonic() + 60.0, None
        while found != [(expected,)]:
            try:
                found = self.sql(name, statement)
            except psycopg.Error as error:
                found = error
            assert time.monotonic() < deadline, self._said(found)
            time.sleep(0.1)


@pytest.fixture
def nodes(cluster: Cluster) -> Iterator[Nodes]:
    """Nodes with the programs of a cluster, which is of no other use here."""
    programs = cluster.nodes[0].programs
    folder = programs.parents[2] / "deploy"
    folder.mkdir()
    made = Nodes(programs, folder)
    yield made
    for process in made.running.values():
        process.send_signal(signal.SIGQUIT)
        process.wait(20)


def test_nodes_follow_whoever_is_promoted(nodes: Nodes, saw: Callable[[str, str], None]) -> None:
    for name in NODES:
        nodes.start(name)
    for name in ("postgres-1", "postgres-2"):
        nodes.until(name, "SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'", 1)
    nodes.write("CREATE TABLE kept (number int, place halfvec(3))")
    nodes.write("INSERT INTO kept VALUES (1, '[1,2,3]')")
    first = nodes.running["postgres-0"]
    first.send_signal(signal.SIGQUIT)
    first.wait(20)
    assert nodes.sql("postgres-1", "SELECT pg_promote()") == [(True,)]
    nodes.write("INSERT INTO kept VALUES (2, '[1,2,3]')")
    nodes.start("postgres-0")
    nodes.until("postgres-0", "SELECT pg_is_in_recovery()", expected=True)
    nodes.until("postgres-0", "SELECT count(*) FROM kept", 2)
    nodes.until("postgres-2", "SELECT count(*) FROM kept", 2)
    saw(
        "a primary that comes back after another was promoted (`deploy/postgres-node.sh`)",
        "it is rewound to the new primary's state, and follows it; the third server does, too",
    )
