"""Three processes of the service behind a real HAProxy, a language model that counts, and clients that come back when a line breaks."""

import asyncio
import itertools
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from tests.scale.clusters import free_port, mortal

from scholarmind.testing import Call, ScriptedServer

DEPLOY = Path(__file__).parents[2] / "deploy"
NAMES = ("one", "two", "three")
BUSY = {429, 502, 503, 504}  # replies after which a client tries again
_SILENCE = 20.0  # after which a client takes a stream for dead; the service shows a sign of life every 15 s
_MARKER = re.compile(r"\b[0-9a-f]{12}\b")  # of fences in prompts: random each time

# -- documents, questions and a model, made so that whose answer is whose can be seen

_SYLLABLES = ("Kor", "Bel", "Tin", "Mar", "Sul", "Ven", "Dor", "Pel", "Ras", "Lom")
_ENDINGS = ("vax", "lis", "dra", "tek", "lin", "mol", "nix", "bar", "gos", "fen")
SYSTEMS = [first + last for last in _ENDINGS for first in _SYLLABLES]
_SYSTEM = re.compile(rf"\b(?:{'|'.join(_SYLLABLES)})(?:{'|'.join(_ENDINGS)})\b")
_PASSAGE = re.compile(r"<passage [0-9a-f]{12} (P\d+)>[^\n]*\n(.*?)\n</passage", re.DOTALL)


def fact(system: str) -> str:
    """Return the sentence that only this system has."""
    return f"{system} reaches an accuracy of {30 + SYSTEMS.index(system) / 2} on Osprey"


def write_notes(folder: Path) -> Path:
    """Write a note on each system."""
    folder.mkdir()
    for system in SYSTEMS:
        (folder / f"{system}.md").write_text(f"# {system}\n\n{fact(system)}. It was built by the {system} team.\n")
    return folder


def systems_of(number: int) -> set[str]:
    """Return the two systems that a question is on; fifty have none in common."""
    return {SYSTEMS[2 * number % 100], SYSTEMS[(2 * number + 1) % 100]}


def question(number: int) -> str:
    """Return a question on two systems."""
    first, second = sorted(systems_of(number))
    return f"What accuracy does {first} reach on Osprey, and what accuracy does {second} reach on Osprey?"


def reply(call: Call) -> Any:
    """Return a part for each system of a question, and as an answer the facts of the passages that are on one of them."""
    if not call.chat:
        return None
    if "parts" in (call.schema or {}).get("properties", {}):
        named = dict.fromkeys(_SYSTEM.findall(call.text.rpartition("<question")[2].partition("</question")[0]))
        parts = [f"What accuracy does {system} reach on Osprey?" for system in named]
        told = [{"question": part, "depends_on": [], "kind": "factual", "rows": []} for part in parts]
        return {"parts": told, "own_answer": "", "standalone": ""}
    if call.schema is not None:
        return None
    passages = _PASSAGE.findall(call.text)
    rows = dict.fromkeys(re.findall(r"^\W*(\d+)[.:)\]]", call.text, re.MULTILINE)) or {"1": None}
    wanted = set(_SYSTEM.findall(_PASSAGE.sub("", call.text)))
    facts = [f"{text.partition('. ')[0]} [{key}]." for key, text in passages if wanted & set(_SYSTEM.findall(text))]
    return " ".join(facts) + "\n\n=== PARTS ===\n" + "\n".join(f"{row}: answered" for row in rows)


def model(latency: float) -> ScriptedServer:
    """Return a server of that model; use it in a `with` block."""
    return ScriptedServer(answer=reply, purposes={"=== PARTS ===": "answer"}, latency=latency)


def paid_twice(server: ScriptedServer, kills: Sequence[float], margin: float = 1.0) -> list[str]:
    """Return the calls that were made again although the reply to them had been there for so long before a kill, or without one.

    What a process was just waiting for when it was killed, nobody could know.
    """
    made: dict[str, list[tuple[float, float | None]]] = defaultdict(list)
    for call, logged in zip(server.requests, server.log, strict=True):
        if _SYSTEM.search(call.text):  # not of a worker that warms up
            made[_MARKER.sub("-", call.text)].append((logged.start, logged.end))
    again = list[str]()
    for text, times in made.items():
        for (begun, ended), _ in itertools.pairwise(times):
            if not any(begun <= kill and (ended is None or kill <= ended + margin) for kill in kills):
                again.append(text)
    return again


# -- processes


@dataclass(kw_only=True)
class Process:
    """One process of the service, with a folder of its own as on a machine of its own; started again, it has the same address."""

    name: str
    library: Path
    environment: Mapping[str, str]
    arguments: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    running: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        """Where it writes what it does."""
        return self.library.parent / f"{self.name}.log"

    def start(self) -> None:
        """Start it."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("SCHOLARMIND_", "OPENAI_"))}
        command = [Path(sys.executable).parent / "scholarmind", "serve", "--quiet", "--port", self.port]
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                mortal([*command, "--library", self.library, *self.arguments]),
                stdout=log,
                stderr=log,
                env={**plain, **self.environment},
                cwd=self.library.parent,
            )

    async def until_ready(self) -> None:
        """Wait until it would answer a question at once."""
        deadline = time.monotonic() + 240
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.port}") as client:
            while True:
                with suppress(httpx2.HTTPError):
                    if (await client.get("/readyz")).status_code == 200:
                        return
                assert self.running is not None
                assert self.running.poll() is None, self.log.read_text()[-4000:]
                assert time.monotonic() < deadline, self.log.read_text()[-4000:]
                await asyncio.sleep(0.1)

    def signal(self, what: int) -> None:
        """Send a signal to the process and to all that work for it."""
        assert self.running is not None
        children = [
            int(child)
            for thread in Path(f"/proc/{self.running.pid}/task").iterdir()
            for child in (thread / "children").read_text().split()
        ]
        for each in (self.running.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(each, what)

    def kill(self) -> float:
        """Kill it and all that work for it, as when its machine loses power; return when that was."""
        assert self.running is not None
        self.signal(signal.SIGKILL)
        self.running.wait()
        return time.monotonic()

    async def end(self) -> None:
        """End it as an operator does."""
        if self.running is not None and self.running.poll() is None:
            self.running.terminate()
            await asyncio.to_thread(self.running.wait, 60)


class Service:
    """Three processes and the proxy before them. Use it in an `async with` block."""

    def __init__(self, processes: Sequence[Process], folder: Path) -> None:
        self.processes = processes
        self.address = f"http://127.0.0.1:{(port := free_port())}"
        places = {process.name.upper(): f"127.0.0.1:{process.port}" for process in processes}
        self._environment = {**os.environ, **places, "LISTEN": f"127.0.0.1:{port}"}
        self._log = folder / "haproxy.log"

    async def __aenter__(self) -> "Service":
        for process in self.processes:
            process.start()
        self._start_proxy()
        await asyncio.gather(*(process.until_ready() for process in self.processes))
        async with asyncio.timeout(20), self.client() as client:
            while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110  (a proxy tells nobody)
                await asyncio.sleep(0.1)
        return self

    def _start_proxy(self) -> None:
        with self._log.open("ab") as log:
            self._proxy = subprocess.Popen(
                mortal(["haproxy", "-db", "-f", DEPLOY / "haproxy.cfg"]), env=self._environment, stdout=log, stderr=log
            )

    async def __aexit__(self, *_: object) -> None:
        self._proxy.kill()
        self._proxy.wait()
        for process in self.processes:
            if process.running is not None and process.running.poll() is None:
                process.signal(signal.SIGCONT)
                process.kill()

    def client(self) -> httpx2.AsyncClient:
        """Return a client of the proxy that sets no limit on what it has under way."""
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx2.AsyncClient(base_url=self.address, timeout=_SILENCE, limits=limits)


# -- clients


@dataclass(kw_only=True)
class Followed:
    """A run as its client saw it."""

    question: str
    run: str = ""
    numbers: list[int] = field(default_factory=list[int])  # of events, in the order in which they came
    times: list[float] = field(default_factory=list[float])
    lines: int = 0  # connections that it took
    state: str = ""

    @property
    def gapless(self) -> bool:
        """Whether every event came, and none of them twice."""
        return self.numbers == list(range(1, len(self.numbers) + 1))


async def ask(client: httpx2.AsyncClient, followed: Followed, *, seconds: float = 120.0) -> None:
    """Begin a run: with the same key again where no answer comes, or one that says to try again."""
    headers, deadline = {"idempotency-key": secrets.token_hex(8)}, time.monotonic() + seconds
    while True:
        with suppress(httpx2.HTTPError):
            got = await client.post(
                "/api/v1/runs", json={"question": followed.question, "effort": "deep"}, headers=headers
            )
            if got.status_code == 202:
                followed.run = got.json()["id"]
                return
            assert got.status_code in BUSY, got.text
        assert time.monotonic() < deadline, "nobody took the question"
        await asyncio.sleep(0.3)


async def follow(client: httpx2.AsyncClient, followed: Followed, *, seconds: float = 240.0) -> None:
    """Follow a run to its end; whenever the line breaks, from the event after the last one that came."""
    deadline = time.monotonic() + seconds
    while not followed.state:
        assert time.monotonic() < deadline, f"{followed.run} did not end: {followed.numbers}"
        followed.lines += 1
        headers = {"last-event-id": str(followed.numbers[-1] if followed.numbers else 0)}
        with suppress(httpx2.HTTPError):
            async with client.stream("GET", f"/api/v1/runs/{followed.run}/events", headers=headers) as stream:
                if stream.status_code == 200:
                    await _read(stream, followed)
                else:
                    assert stream.status_code in BUSY, stream.status_code
        if not followed.state:
            await asyncio.sleep(0.2)


async def _read(stream: httpx2.Response, followed: Followed) -> None:
    number, kind = 0, ""
    async for line in stream.aiter_lines():
        if line.startswith("id: "):
            number = int(line.removeprefix("id: "))
        elif line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: ") and kind == "end":
            followed.state = re.search(r'"state": "(\w+)"', line)[1]  # type: ignore[index]
            return
        elif line.startswith("data: ") and kind != "ending":
            followed.numbers.append(number)
            followed.times.append(time.monotonic())
