"""Ask one peer the same question again and again, and print as one line of JSON when each ask began and ended. Run by asks_peers/run.py.

python bench/asks_peers/measure.py ask_langgraph --base-url http://127.0.0.1:8000/v1
"""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

from library import ANSWER, QUESTION

Ask = Callable[[str], Awaitable[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", help="the module that has DISTRIBUTION and async prepared(base_url)")
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--asks", type=int, default=12)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    peer = import_module(arguments.peer)
    import_seconds = time.perf_counter() - begun
    spans = asyncio.run(asked(peer, arguments.base_url, arguments.asks))
    told = {"version": version(peer.DISTRIBUTION), "import_seconds": round(import_seconds, 2), "spans": spans}
    print(json.dumps(told))


async def asked(peer: Any, base_url: str, count: int) -> list[tuple[float, float]]:
    """Return the beginning and the end of each ask, by the clock that all processes of a machine share."""
    ask: Ask = await peer.prepared(base_url)
    spans: list[tuple[float, float]] = []
    for _ in range(count):
        begun = time.monotonic()
        answer = await ask(QUESTION)
        spans.append((begun, time.monotonic()))
        assert ANSWER in answer, f"the answer of the script did not arrive: {answer!r}"
    return spans


if __name__ == "__main__":
    main()
