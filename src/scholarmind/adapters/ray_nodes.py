"""Nodes of a Ray cluster, reached as Ray's client (`ray://`) or started for this process alone (`local`).

The client, since a driver is killed by Ray with its cluster, and ours holds a library. Ray is imported when the first task is handed out.
"""

import os
import socket
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from scholarmind.errors import ClusterError, ScholarMindError, WorkerLostError

_TRIES = 3  # of a task that takes its process or its machine along
_CONNECT_SECONDS = 5.0
_CONNECTS = 2  # a busy head refuses a client whose server does not start in time
_GO_ON = "what was read is stored; add the same again to go on"
Returned = TypeVar("Returned")


class RayNodes:
    """Tasks in Ray, one core each."""

    def __init__(self, address: str, processes: int = 0) -> None:
        """Name the cluster: `ray://HOST:PORT`, or `local` with so many processes (0: one a core)."""
        self._address, self._processes = address, processes
        self._lock = threading.Lock()
        self._ray: Any = None
        self._exceptions: Any = None
        self._lost = ""
        self._functions: dict[Callable[..., Any], Any] = {}
        self._slots = 0

    @property
    def slots(self) -> int:
        """How many cores the cluster had when it was first asked."""
        self._connected()
        return self._slots

    def submit(self, function: Callable[..., Returned], *arguments: object) -> Future[Returned]:
        """Run a function of ours on a node; bytes go through the object store, where they lie once however often a task is repeated."""
        ray = self._connected()
        outcome: Future[Returned] = Future()
        try:
            if function not in self._functions:
                self._functions[function] = ray.remote(function).options(num_cpus=1, max_retries=_TRIES - 1)
            given = [ray.put(value) if isinstance(value, bytes) else value for value in arguments]
            running = self._functions[function].remote(*given).future()
        except (ConnectionError, self._exceptions.RayError) as error:
            raise self._explained(error) from error
        running.add_done_callback(partial(self._settle, outcome))
        return outcome

    def close(self) -> None:
        """End the tasks that still run, and leave the cluster."""
        with self._lock:
            if self._ray is not None:
                self._ray.shutdown()
                self._ray, self._functions = None, {}

    def _connected(self) -> Any:
        """Return Ray, connected. One that lost its connection is not asked again: it would start a cluster of its own."""
        with self._lock:
            if self._lost:
                raise ClusterError(self._lost)
            if self._ray is None:
                self._ray = self._connect()
                self._exceptions = self._ray.exceptions
                self._slots = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            return self._ray

    def _connect(self) -> Any:
        os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # of `local`: nothing is told to anybody
        try:
            import ray  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise ClusterError(
                f"reading on {self._address!r} needs Ray, which is not installed; run: pip install 'scholarmind[ray]'"
            ) from error
        found = cast("Any", ray)
        if found.is_initialized():
            raise ClusterError("this process is connected to a Ray cluster already; call ray.shutdown() first")
        # that many tasks and megabytes are sent is the purpose
        warnings.filterwarnings("ignore", "More than", UserWarning, r"ray\.util\.client")
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self._address == "local":
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # listen on 127.0.0.1 alone, on Linux too
            options |= {"num_cpus": self._processes or None, "include_dashboard": False}
        else:
            _check_there(self._address)
        for left in reversed(range(_CONNECTS)):
            try:
                found.init(self._address, **options)
                break
            except (ConnectionError, ImportError, RuntimeError) as error:
                if not left:
                    raise ClusterError(
                        f"no Ray takes us at {self._address!r} ({_first_line(error)}); the cluster must have the same Ray "
                        f"({found.__version__}) and Python as this machine, and the port be that of its clients"
                    ) from error
        return found

    def _settle(self, outcome: "Future[Any]", done: "Future[Any]") -> None:
        if not outcome.set_running_or_notify_cancel():
            return  # nobody waits for it any more
        error = done.exception()
        if error is None:
            outcome.set_result(done.result())
        else:
            outcome.set_exception(self._explained(error))

    def _explained(self, error: BaseException) -> ScholarMindError:
        """Return what an error of Ray's is to us."""
        if isinstance(error, self._exceptions.RayTaskError):
            cause = cast("Any", error).cause
            if isinstance(cause, ScholarMindError):
                return cause
            if isinstance(cause, ImportError):
                return ClusterError(
                    f"a node of {self._address!r} has no scholarmind ({cause}); install it on every node"
                )
            return ClusterError(f"a node of {self._address!r} failed: {cause!r}")
        if isinstance(error, self._exceptions.RayError):
            return WorkerLostError(f"{_TRIES} processes of Ray died with it: {type(error).__name__}")
        self._lost = f"the Ray cluster {self._address!r} is gone ({_first_line(error)}); {_GO_ON}"
        return ClusterError(self._lost)


def _check_there(address: str) -> None:
    """Find out soon whether anybody listens: Ray's own client would try for half a minute."""
    place = urlsplit(address)
    try:
        socket.create_connection((place.hostname or "", place.port or 0), _CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(
            f"no Ray cluster answers at {address!r} ({error}); start one with: "
            "ray start --head --ray-client-server-port=10001"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or repr(error)).splitlines()[0]
