"""The servers of `faults.py`: some fail, lie, die or need another key; in place of others there is a page, or nothing."""

import contextlib
import socket
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from faulty_cases import LIES, Case, Lying
from scholarmind.testing import Fault, ScriptedServer

Rule = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What goes wrong, how much is spent, and the questions that are asked meanwhile."""

    name: str
    effort: str
    cases: Sequence[Case]
    faults: Sequence[Fault] = ()
    rate: float = 1.0
    lie: str = ""
    address: str = ""  # of no scripted server
    key: str = ""
    dies_after: int = 0  # answers


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@contextlib.contextmanager
def proxy() -> Generator[str]:
    """Serve what some networks serve in place of everything: a page to log in, as a success."""
    page = b"<!DOCTYPE html><html><head><title>Please log in</title></head><body>Guest network</body></html>"
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        len(page),
        page,
    )
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(2)
                connection.recv(1_000_000)
                connection.sendall(reply)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


@contextlib.contextmanager
def served(trial: Trial) -> Generator[str]:
    """Give the address of the model of a trial."""
    if trial.address == "proxy page":
        with proxy() as address:
            yield address
        return
    if trial.address:
        yield trial.address
        return
    honest = Lying(trial.cases)
    server = ScriptedServer(faults=trial.faults, fault_rate=trial.rate, key="sk-right" if trial.key else "")
    with server:
        server.answer = _rule(trial, honest, server)
        yield f"{server.base_url}#scripted"


def _rule(trial: Trial, honest: Lying, server: ScriptedServer) -> Rule:
    """Return what the model of a trial says, and let its server die in time."""
    answered = Counter[str]()

    def answer(call: Any) -> Any:
        answered["all"] += 1
        if trial.dies_after and answered["all"] > trial.dies_after:
            server.play(Fault("cut_stream"), Fault("server_error"))
            return Fault("cut_stream")
        said = honest(call)
        return LIES[trial.lie](call, said) if trial.lie and call.chat else said

    return answer


def forget(address: str) -> None:
    """Have the server forget what it was asked, which is kept in our memory."""
    url = address.partition("/v1")[0] + "/log"
    urllib.request.urlopen(urllib.request.Request(url, method="DELETE")).close()  # noqa: S310
