"""Nothing leaves this machine: a whole `add` and `search` with the real embedder talks to nobody."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from robustly import Corpus, run

_USING = """
library, documents = sys.argv[1:3]
with Library.open(library, embedder="minilm") as using:
    report = using.add(documents)
    assert (report.added, report.problems) == (6, []), report
    assert report.embedded == report.passages > 0
    found = using.search("common words of these notes", k=5)
    assert len(found.evidence) == 5
    assert found.evidence[0].scores.vector is not None
    assert using.search("common", mode="keyword", filter="title ~ note").evidence
    using.remove([using.documents()[0].id])
"""

_HOOK = """
told = []
def watch(event, arguments):
    if event in {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}:
        told.append((event, str(arguments)))
        raise PermissionError(event)
    if event == "socket.__new__" and arguments[1] != socket.AF_UNIX and arguments[1] != -1:
        told.append((event, str(arguments)))
sys.addaudithook(watch)
"""

_LOOK = """
def inet_sockets():
    numbers = set()
    for name in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        table = Path("/proc/self/net") / name
        if table.exists():
            numbers |= {line.split()[9] for line in table.read_text().splitlines()[1:]}
    links = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")}
    return [link for link in links if link.startswith("socket:[") and link[8:-1] in numbers]
say(told, inet_sockets())
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Return a few documents."""
    made = Corpus(tmp_path / "documents")
    made.add(6)
    return made


def test_python_opens_no_connection(tmp_path: Path, corpus: Corpus) -> None:
    """By Python's own audit events, and by the sockets that are open at the end."""
    assert run(_HOOK + _USING + _LOOK, tmp_path / "library", corpus.folder) == ["[] []"]


def test_audit_hook_would_notice() -> None:
    """The test above could fail: the same hook sees what it should see."""
    program = "try:\n    socket.create_connection(('127.0.0.1', 9))\nexcept PermissionError as error:\n    say(error)\nsay(len(told))"
    assert run(_HOOK + program) == ["socket.getaddrinfo", "1"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_system_sees_no_internet_socket(tmp_path: Path, corpus: Corpus) -> None:
    """Below Python, in onnxruntime and tantivy too: not one system call asks for an internet socket."""
    trace = tmp_path / "trace"
    wrapper = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=network", "-o", str(trace))
    probe = subprocess.run([*wrapper, "true"], check=False, capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"strace cannot trace here: {probe.stderr.strip()}")
    noticed = "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.close()"
    run(noticed, wrapper=wrapper)
    assert "AF_INET" in trace.read_text()  # it would be noticed
    run(_USING, tmp_path / "library", corpus.folder, wrapper=wrapper)
    assert "socketpair(AF_UNIX" in trace.read_text()  # asyncio's own: the trace is of the right program
    assert re.findall(r"AF_INET|AF_NETLINK|AF_PACKET|connect\(", trace.read_text()) == []


def test_command_line_works_without_a_network(tmp_path: Path, corpus: Corpus) -> None:
    """In a network namespace without any interface, the commands of a first session work."""
    wrapper = ("unshare", "--map-root-user", "--net")
    try:
        subprocess.run([*wrapper, "true"], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no network namespace of one's own here")
    command = [*wrapper, str(Path(sys.executable).with_name("scholarmind"))]
    environment = {**os.environ, "SCHOLARMIND_LIBRARY": str(tmp_path / "library")}
    for arguments in (["add", str(corpus.folder)], ["search", "common words"], ["status"]):
        done = subprocess.run(
            [*command, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert done.stdout
