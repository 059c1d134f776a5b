"""What happens in runs, for as many as want to watch: events from N on, then live; in a line for people, and as sources of an answer.

Events are read from the journal, whichever process writes it. How they are sent is a matter of the routes.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast
from urllib.parse import quote

from scholarmind.service.jobs import Job, Jobs

# -- followers of a run, who share one reader of its journal

_LOOK_SECONDS = 0.05  # twenty times a second, while somebody watches
_WAITING_SECONDS = 0.25  # of what nobody has begun yet


class EventLog(Protocol):
    """Gives the events of a run after a number."""

    async def events(self, run: str, after: int = 0) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
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

    told: list[StoredEvent] = field(default_factory=list[StoredEvent])
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

    async def follow(self, run: str, after: int = 0) -> AsyncGenerator[StoredEvent | Job | None]:
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
                    channel.told.append(StoredEvent(number=record["number"], type=record["type"], text=text))
                if job.is_over:  # it was before its events were read: these are all
                    channel.last = job
                if records or job.is_over:
                    channel.news.set()
                    channel.news = asyncio.Event()
                await asyncio.sleep(_WAITING_SECONDS if job.state == "waiting" else _LOOK_SECONDS)
        finally:
            channel.news.set()


# -- events in a line, and what an answer rests on

Record = Mapping[str, Any]


def line_of(event: Record) -> str:
    """Return what an event means to who waits for the answer; '' for what nobody needs to know."""
    match event["type"]:
        case "understood":
            line = f"Understood as: {event['became']}"
        case "first_look":
            line = f"First look: {event['passages']} passages"
        case "planned":
            parts = cast("list[Record]", event["plan"]["parts"])
            line = "\n".join(["Plan:", *(f"{part['id']}. {part['text']}" for part in parts)])
        case "part_evidence" if event["part"]:
            line = f"Part {event['part']}: {event['passages']} passages"
        case "part_answered":
            answer = " ".join(str(event["answer"]).split())[:300]
            line = f"Part {event['part']} is answered{f': {answer}' if answer else ''}"
        case "part_failed":
            line = f"Part {event['part']} failed: {event['error']}"
        case "decided" | "routed" if event.get("action"):
            line = str(event["action"])
        case "round_started":
            line = f"Round {event['round']}: {event['reason']}"
        case "selected":
            line = f"Writing from {event['passages']} of {event['considered']} passages"
        case "reviewed":
            line = f"Checked: {event['verdict']}, confidence {event['confidence']:.2f}"
        case _:
            line = ""
    return line


def _address_of(base: str, source: Record) -> str:
    """Return where a document can be had."""
    collection, document = (quote(str(source[name]), safe="") for name in ("collection", "document"))
    return f"{base}/api/v1/collections/{collection}/documents/{document}"


def sources_of(answer: Record, base: str) -> list[dict[str, Any]]:
    """Return what an answer cites, each document once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in cast("list[Record]", answer["citations"]):
        place = (str(each["collection"]), str(each["document"]))
        known = found.setdefault(
            place,
            {
                **{name: each[name] for name in ("key", "document", "collection", "title", "authors", "year")},
                "url": _address_of(base, each),
                "pages": [],
            },
        )
        if each["page"] is not None and each["page"] not in known["pages"]:
            known["pages"].append(each["page"])
    return list(found.values())


def cited_places(answer: Record) -> list[Record]:
    """Return the citations that stand in the text, in the order in which they do."""
    shown = [each for each in cast("list[Record]", answer["citations"]) if each["start"] is not None]
    return sorted(shown, key=lambda each: each["start"])


def tokens_of(answer: Record) -> tuple[int, int]:
    """Return the tokens that went into models for an answer, and those that came out."""
    usages = [cast("Record", call["usage"]) for call in cast("list[Record]", answer["calls"]) if not call["remembered"]]
    return sum(int(each["prompt"]) for each in usages), sum(int(each["completion"]) for each in usages)
