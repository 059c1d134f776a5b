"""Questions that are asked and followed while something befalls the service, and all that has to hold in the end."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
from tests.scale import services
from tests.scale.services import Followed, Service, ask, follow

from scholarmind.testing import ScriptedServer


@dataclass(kw_only=True)
class Load:
    """Runs of fifty questions at most, each followed by a client."""

    client: httpx2.AsyncClient
    runs: list[Followed] = field(default_factory=list[Followed])
    following: list["asyncio.Task[None]"] = field(default_factory=list["asyncio.Task[None]"])

    async def begin(self, count: int) -> None:
        """Ask so many more questions at once, and follow them."""
        fresh = [Followed(question=services.question(len(self.runs) + number)) for number in range(count)]
        self.runs += fresh
        await asyncio.gather(*(ask(self.client, run) for run in fresh))
        self.following += [asyncio.create_task(follow(self.client, run)) for run in fresh]

    @property
    def events(self) -> int:
        """How many events came by now."""
        return sum(len(run.numbers) for run in self.runs)

    async def until_events(self, count: int, seconds: float = 60.0) -> None:
        """Wait until so many more events have come, or all runs are over."""
        wanted, deadline = self.events + count, time.monotonic() + seconds
        while self.events < wanted and not all(task.done() for task in self.following):
            assert time.monotonic() < deadline, f"only {self.events} of {wanted} events came"
            await asyncio.sleep(0.02)

    async def settle(self) -> None:
        """Wait for the end of all runs: each is done, its client missed nothing, and has the answer to its own question."""
        await asyncio.gather(*self.following)
        assert [(run.run, run.state) for run in self.runs if run.state != "done"] == []
        assert [(run.run, run.numbers) for run in self.runs if not run.gapless] == []
        for number, run in enumerate(self.runs):
            record = (await self.client.get(f"/api/v1/runs/{run.run}")).json()
            assert record["answer"], record
            text = record["answer"]["answer"]
            named = {system for system in services.SYSTEMS if services.fact(system) in text}
            assert named == services.systems_of(number), (run.question, text)
        listed = [one["id"] for one in (await self.client.get("/api/v1/runs", params={"limit": 200})).json()["items"]]
        assert sorted(listed) == sorted(run.run for run in self.runs)

    def stood_still_after(self, moment: float) -> float:
        """Return the longest that a run that was under way at a moment stood still then."""
        waits = [0.0]
        for run in self.runs:
            before, after = ([time for time in run.times if (time > moment) == later] for later in (False, True))
            waits += [min(after) - moment] if before and after else []
        return max(waits)

    @property
    def told(self) -> str:
        """What holds when it is settled, in words."""
        lines = sum(run.lines for run in self.runs)
        return f"all {len(self.runs)} runs answered, no event missed or sent twice over {lines} connections"


@asynccontextmanager
async def load(service: Service) -> AsyncIterator[Load]:
    """Put load on a service; who follows is stopped at the end, however that is."""
    async with service.client() as client:
        made = Load(client=client)
        try:
            yield made
        finally:
            for task in made.following:
                task.cancel()


def calls_of(model: ScriptedServer) -> int:
    """Return how often the model was called."""
    return sum(call.chat for call in model.requests)
