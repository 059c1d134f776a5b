"""Three processes behind a proxy: killed while fifty runs are followed, and restarted one after the other under load."""

import asyncio
import time
from collections.abc import Callable, Sequence

import pytest
from tests.scale import services
from tests.scale.services import Followed, Service, ask, follow

from scholarmind.testing import ScriptedServer

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.enable_socket,
    pytest.mark.timeout(600),
]
RUNS = 50


def slowest_after(runs: Sequence[Followed], kill: float) -> float:
    """Return the longest that a run that was under way when a process was killed stood still."""
    waits = [0.0]
    for run in runs:
        before, after = ([time for time in run.times if (time > kill) == later] for later in (False, True))
        if before and after:
            waits.append(min(after) - kill)
    return max(waits)


async def test_each_is_killed_while_fifty_runs_are_followed(
    service: Service, model: ScriptedServer, saw: Callable[[str, str], None]
) -> None:
    runs, kills = [Followed(question=services.question(number)) for number in range(RUNS)], list[float]()
    async with service.client() as client:
        await asyncio.gather(*(ask(client, run) for run in runs))
        following = asyncio.gather(*(follow(client, run) for run in runs))
        for process in service.processes:
            had, begun = sum(len(run.numbers) for run in runs), time.monotonic()
            while not following.done() and sum(len(run.numbers) for run in runs) < had + 60:
                assert time.monotonic() < begun + 60
                await asyncio.sleep(0.02)
            kills.append(process.kill())
            await asyncio.sleep(1.0)
            process.start()
            await process.until_ready()
        await following
        texts = [await services.answer_of(client, run.run) for run in runs]
    assert [run.question for run in runs if run.state != "done"] == []
    assert [run.numbers for run in runs if not run.gapless] == []
    for number, text in enumerate(texts):
        named = {system for system in services.SYSTEMS if services.fact(system) in text}
        assert named == set(services.SYSTEMS[2 * number : 2 * number + 2]), text
    assert services.paid_twice(model, kills) == []
    slowest = max(slowest_after(runs, kill) for kill in kills)
    assert slowest < 15
    calls = sum(call.chat for call in model.requests)
    saw(
        f"each of three processes killed (`kill -9`, with its workers) while {RUNS} runs are followed",
        f"all answered, no event missed or sent twice over {sum(run.lines for run in runs)} connections; what stood still went on "
        f"after at most {slowest:.1f} s; {calls} calls to the model, none again that had been answered",
    )
