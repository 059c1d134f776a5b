"""Three processes behind a proxy: killed, stopped as they stand, with a wrong clock, and restarted one after the other under load."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from tests.scale import services
from tests.scale.clusters import needs_clock, set_clock, shifted
from tests.scale.load import calls_of, load
from tests.scale.services import Service

from scholarmind.testing import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]
Saw = Callable[[str, str], None]


async def test_each_is_killed_while_fifty_runs_are_followed(service: Service, model: ScriptedServer, saw: Saw) -> None:
    kills = list[float]()
    async with load(service) as put:
        await put.begin(50)
        for process in service.processes:
            await put.until_events(60)
            kills.append(process.kill())
            await asyncio.sleep(1.0)
            process.start()
            await process.until_ready()
        await put.settle()
    assert services.paid_twice(model, kills) == []
    slowest = max(put.stood_still_after(kill) for kill in kills)
    assert slowest < 15
    saw(
        "`kill -9` of each of three processes with its workers, one after the other",
        f"{put.told}; taken up within {slowest:.1f} s; of {calls_of(model)} calls to the model none was made again that had been answered",
    )


async def test_a_process_that_stands_still_and_wakes_finds_its_runs_done_by_others(
    service: Service, model: ScriptedServer, saw: Saw
) -> None:
    """So its jobs are delivered twice: to itself, and to who took them up."""
    async with load(service) as put:
        await put.begin(24)
        await put.until_events(40)
        frozen, began = service.processes[0], time.monotonic()
        frozen.signal(signal.SIGSTOP)
        await asyncio.sleep(25)
        frozen.signal(signal.SIGCONT)
        await put.settle()
    assert services.paid_twice(model, [began, time.monotonic()], margin=25.0) == []
    saw(
        "a process stopped as it stands for 25 s (`SIGSTOP`): its jobs are delivered a second time while it still has them",
        f"{put.told}; {calls_of(model)} calls to the model",
    )


async def test_restarted_one_after_the_other_under_load_without_a_failed_request(service: Service, saw: Saw) -> None:
    """Searches, lists and questions are sent once each: what is tried again is tried by the proxy."""
    replies, over = Counter[int](), asyncio.Event()

    async def send(client: httpx2.AsyncClient, number: int) -> None:
        while not over.is_set():
            match number % 3:
                case 0:
                    reply = await client.post("/api/v1/search", json={"question": services.question(number)})
                case 1:
                    reply = await client.get("/api/v1/collections/default/documents")
                case _:
                    key = {"idempotency-key": f"{number} {time.monotonic()}"}
                    told = {"question": services.question(number), "effort": "keyless"}
                    reply = await client.post("/api/v1/runs", json=told, headers=key)
            replies[reply.status_code] += 1
            await asyncio.sleep(0.2)

    async with load(service) as put:
        sending = [asyncio.create_task(send(put.client, number)) for number in range(12)]
        for process in service.processes:
            await asyncio.sleep(3)
            await process.end()
            process.start()
            await process.until_ready()
            await asyncio.sleep(2)  # until the proxy knows
        over.set()
        await asyncio.gather(*sending)
    assert {code for code in replies if code >= 300} == set(), replies
    saw(
        "each of three processes ended and started anew (`SIGTERM`) under load",
        f"{sum(replies.values())} requests, each sent once by its client, none failed",
    )


@needs_clock
async def test_a_process_whose_clock_is_an_hour_ahead_takes_nothing_from_the_others(
    service: Service, model: ScriptedServer, tmp_path: Path, saw: Saw
) -> None:
    wrong = service.processes[2]
    await wrong.end()
    wrong.environment = {**wrong.environment, **shifted(tmp_path)}
    set_clock(tmp_path, 3600)
    wrong.start()
    await wrong.until_ready()
    async with load(service) as put:
        await put.begin(24)
        await put.until_events(40)
        set_clock(tmp_path, -3600)
        await put.settle()
    assert services.paid_twice(model, []) == []
    saw(
        "a process whose clock is an hour ahead, and then jumps to an hour behind",
        f"{put.told}; no run was taken from who had it: {calls_of(model)} calls to the model, none of them twice",
    )
