"""What happens in runs, for as many as want to watch: from event N, then live. It is read from the journal, whichever process writes it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Protocol

from scholarmind.service.jobs import Job, Jobs

_LOOK_SECONDS = 0.05  # twenty times a second, while somebody watches
_WAITING_SECONDS = 0.25  # of what nobody has begun yet


class EventLog(Protocol):
    """Gives the events of a run after a number."""

    async def events(self, run: str, after: int = 0) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event as it is written down, with its number and type."""

    number: int
    type: str
    text: str  # JSON

    @property
    def record(self) -> dict[str, Any]:
        """The event as data."""
        return json.loads(self.text)


@dataclass(slots=True, kw_only=True, eq=False)
class _Channel:
    """The events of one run, for all who watch it."""

    told: list[Told] = field(default_factory=list[Told])
    last: Job | None = None  # when it is over
    followers: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    looking: asyncio.Task[None] | None = None


class Following:
    """Followers of one run share one reader of its journal."""

    def __init__(self, log: EventLog, jobs: Jobs) -> None:
        self._log = log
        self._jobs = jobs
        self._channels: dict[str, _Channel] = {}
        self._stopping = asyncio.Event()

    @property
    def followers(self) -> int:
        """How many are watching."""
        return sum(channel.followers for channel in self._channels.values())

    def stop(self) -> None:
        """Send everybody away: the server ends."""
        self._stopping.set()
        for channel in self._channels.values():
            channel.news.set()

    @property
    def stopping(self) -> bool:
        """Whether the server ends."""
        return self._stopping.is_set()

    async def follow(self, run: str, after: int = 0) -> AsyncGenerator[Told | Job | None]:
        """Yield each event after a number, then the job when it is over; None when the server ends before."""
        channel = self._channels.setdefault(run, _Channel())
        channel.followers += 1
        if channel.looking is None:
            channel.looking = asyncio.create_task(self._look(run, channel))
        place = 0
        try:
            while True:
                news = channel.news
                while place < len(channel.told):
                    told = channel.told[place]
                    place += 1
                    if told.number > after:
                        yield told
                if channel.last is not None:
                    yield channel.last
                    return
                if self.stopping or channel.looking.done():  # or the run was forgotten meanwhile
                    yield None
                    return
                await news.wait()
        finally:
            channel.followers -= 1
            if not channel.followers and self._channels.get(run) is channel:
                del self._channels[run]
                channel.looking.cancel()

    async def _look(self, run: str, channel: _Channel) -> None:
        try:
            while channel.last is None and not self.stopping:
                job = await self._jobs.find(run)
                if job is None:
                    return
                last = channel.told[-1].number if channel.told else 0
                records = await self._log.events(run, last)
                for text in records:
                    record = json.loads(text)
                    channel.told.append(Told(number=record["number"], type=record["type"], text=text))
                if job.is_over:  # it was before its events were read: these are all
                    channel.last = job
                if records or job.is_over:
                    channel.news.set()
                    channel.news = asyncio.Event()
                await asyncio.sleep(_WAITING_SECONDS if job.state == "waiting" else _LOOK_SECONDS)
        finally:
            channel.news.set()
