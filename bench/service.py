"""The service under load, server and load on this machine: `python bench/service.py [--passages 10000] [--minutes 0] [--only NAME ...]`.

The library is made once and kept in .bench (that takes minutes), or told with --library; what is measured works on a copy.

start       until /healthz, until /readyz, memory of an idle service
followers   200 who follow 20 runs, of whom none may lose an event
at-once     50 questions at once on so many passages, beside 1.3 x (50 x the processor time of one / cores); /healthz meanwhile
killed      kill -9 of the server while 20 runs are followed: all are taken up, and who follows goes on gapless
slow        connections that say nothing, or a byte at a time, while others are answered
steady      40 seconds of searches, lists and questions as fast as they go: the memory after a tenth of them, and at the end
mixed       so many minutes of questions, searches and uploads with a worker killed now and then: memory, and no lost run
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import httpx2

from scholarmind import Library, Settings

QUESTIONS = (
    "Who proposed BERT, and what GLUE score does BERT-Large obtain?",
    "Compare BERT, GPT-2 and XLNet on data and size",
    "How many layers does BERT-Base have?",
    "Which papers build on the Transformer, and what do they change?",
)


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A service that runs, and how long it took until it answered."""

    address: str
    process: "subprocess.Popen[str]"
    well: float
    ready: float
    used: float  # seconds of processor time until then


def begin(library: Path, *arguments: str, embedder: str = "minilm", port: int = 0) -> Begun:
    """Start a service and wait until it is ready."""
    began = time.perf_counter()
    command = [
        Path(sys.executable).parent / "scholarmind",
        "serve",
        "--quiet",
        "--port",
        str(port),
        "--library",
        library,
    ]
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**known, "SCHOLARMIND_EMBEDDER": embedder, "SCHOLARMIND_LLM": "none"}
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    with httpx2.Client(base_url=address) as client:
        assert client.get("/healthz").status_code == 200
        well = time.perf_counter() - began
        while client.get("/readyz").status_code != 200:
            time.sleep(0.02)
    ready, hands = time.perf_counter() - began, (process.pid, *workers_of(process.pid))
    return Begun(address=address, process=process, well=well, ready=ready, used=sum(map(processor_seconds, hands)))


def end(served: Begun) -> None:
    """End a service."""
    served.process.terminate()
    served.process.wait(60)


def workers_of(server: int) -> list[int]:
    told = subprocess.run(["ps", "--ppid", str(server), "-o", "pid="], capture_output=True, text=True, check=True)
    return [int(line) for line in told.stdout.split()]


def megabytes(served: Begun) -> dict[str, float]:
    """Return the memory of the server, and of its workers; what both have in common is shared out between them."""

    def of(process: int) -> float:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
        except (FileNotFoundError, ProcessLookupError):
            return 0.0
        return int(dict(line.split(":", 1) for line in lines)["Pss"].split()[0]) * 1024 / 1e6

    return {"server": round(of(served.process.pid)), "workers": round(sum(map(of, workers_of(served.process.pid))))}


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def client_of(served: Begun) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx2.AsyncClient(base_url=served.address, timeout=300, limits=limits)


async def asked(client: httpx2.AsyncClient, question: str) -> str:
    reply = await client.post("/api/v1/runs", json={"question": question})
    reply.raise_for_status()
    return reply.json()["id"]


async def followed(client: httpx2.AsyncClient, run: str, after: int = 0) -> AsyncIterator[int]:
    """Yield the numbers of a run's events."""
    kind = ""
    async with client.stream("GET", f"/api/v1/runs/{run}/events", headers={"last-event-id": str(after)}) as reply:
        async for line in reply.aiter_lines():
            if line.startswith("id: "):
                number = int(line.removeprefix("id: "))
            elif line.startswith("event: "):
                kind = line.removeprefix("event: ")
                if kind == "end":
                    return
                if kind != "ending":
                    yield number


async def until_done(client: httpx2.AsyncClient, run: str) -> str:
    while (state := (await client.get(f"/api/v1/runs/{run}")).json()["state"]) in {"waiting", "running"}:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return state


async def start(served: Begun, _: argparse.Namespace) -> dict[str, Any]:
    await asyncio.sleep(3)
    return {
        "healthz_seconds": round(served.well, 2),
        "readyz_seconds": round(served.ready, 2),
        "idle_megabytes": (idle := megabytes(served)),
        "together": sum(idle.values()),
        "processor_seconds_until_ready": round(served.used, 1),
    }


async def followers(served: Begun, _: argparse.Namespace) -> dict[str, Any]:
    async with client_of(served) as client:
        runs = [await asked(client, f"{random.choice(QUESTIONS)} ({number})") for number in range(20)]  # noqa: S311

        async def watch(run: str) -> list[int]:
            return [number async for number in followed(client, run)]

        seen = await asyncio.gather(*(watch(run) for run in runs for _ in range(10)))
    lost = sum(numbers != list(range(1, len(numbers) + 1)) for numbers in seen)
    uneven = sum(len({len(numbers) for numbers in seen[place : place + 10]}) > 1 for place in range(0, 200, 10))
    return {
        "followers": len(seen),
        "events": sum(map(len, seen)),
        "who_lost_some": lost,
        "runs_seen_differently": uneven,
    }


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return the median, the 95th of a hundred and the most, in milliseconds."""
    order = sorted(seconds)
    return {
        name: round(order[int(share * (len(order) - 1))] * 1e3, 1)
        for name, share in (("p50", 0.5), ("p95", 0.95), ("most", 1))
    }


async def at_once(served: Begun, options: argparse.Namespace) -> dict[str, Any]:
    async with client_of(served) as client:

        async def one(number: int) -> float:
            began = time.perf_counter()
            run = await asked(client, f"{QUESTIONS[number % len(QUESTIONS)]} ({number})")
            async for _ in followed(client, run):
                pass
            assert (await client.get(f"/api/v1/runs/{run}")).json()["state"] == "done"
            return time.perf_counter() - began

        hands = workers_of(served.process.pid)
        before = sum(map(processor_seconds, hands))
        for number in range(1000, 1008):
            await one(number)  # each question with a number of its own: the cache knows none
        each = (sum(map(processor_seconds, hands)) - before) / 8
        beats, late = list[float](), list[float]()

        async def beat() -> None:
            while True:
                began = time.perf_counter()
                await client.get("/healthz")
                beats.append(time.perf_counter() - began)
                began = time.perf_counter()
                await asyncio.sleep(0.05)
                late.append(time.perf_counter() - began - 0.05)

        beating = asyncio.create_task(beat())
        began, used = time.perf_counter(), sum(map(processor_seconds, hands))
        server = processor_seconds(served.process.pid)
        seconds = sorted(await asyncio.gather(*(one(number) for number in range(50))))
        server = processor_seconds(served.process.pid) - server
        had = (sum(map(processor_seconds, hands)) - used) / (time.perf_counter() - began)
        beating.cancel()
        beating = asyncio.create_task(beat())
        fifty, lateness = sorted(beats), sorted(late)
        beats.clear()
        await asyncio.gather(*(one(number) for number in range(2000, 2008)))
        beating.cancel()
    bound = 1.3 * 50 * each / (os.cpu_count() or 1)
    return {
        "passages": options.passages,
        "processor_seconds_of_one": round(each, 3),
        "p50": round(statistics.median(seconds), 2),
        "p95": round(seconds[47], 2),
        "bound": round(bound, 2),
        "cores_that_workers_had": round(had, 2),  # on a machine with other work, the bound is for these
        "p95_by_what_they_had": round(seconds[47] / (50 * each / had), 2),
        "server_processor_seconds": round(server, 2),
        "healthz_milliseconds_beside_50": spread(fifty),
        "healthz_milliseconds_beside_8": spread(beats),
        "a_timer_of_ours_was_late_by": spread(lateness),  # how busy the machine was, whatever the service does
    }


async def killed(served: Begun, options: argparse.Namespace) -> dict[str, Any]:
    async with client_of(served) as client:
        runs = [await asked(client, f"{QUESTIONS[number % len(QUESTIONS)]} (killed {number})") for number in range(20)]
        seen: dict[str, list[int]] = {run: [] for run in runs}

        async def watch(run: str) -> None:
            while True:
                try:
                    async for number in followed(client, run, seen[run][-1] if seen[run] else 0):
                        seen[run].append(number)
                except httpx2.HTTPError:
                    await asyncio.sleep(0.2)
                else:
                    return

        watching = [asyncio.create_task(watch(run)) for run in runs]
        while sum(map(len, seen.values())) < 60:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
        began = time.perf_counter()
        port = int(served.address.rpartition(":")[2])
        again = await asyncio.to_thread(begin, options.library, "--workers", str(options.workers), port=port)
        await asyncio.gather(*watching)
        states = [await until_done(client, run) for run in runs]
    options.running.append(again)
    gapless = sum(numbers == list(range(1, len(numbers) + 1)) for numbers in seen.values())
    return {
        "done": states.count("done"),
        "gapless": gapless,
        "seconds_until_all_were": round(time.perf_counter() - began, 1),
    }


async def slow(served: Begun, _: argparse.Namespace) -> dict[str, Any]:
    host, _, port = served.address.removeprefix("http://").partition(":")
    silent = [await asyncio.open_connection(host, int(port)) for _ in range(200)]
    dripping = [await asyncio.open_connection(host, int(port)) for _ in range(50)]
    for _, writer in dripping:
        writer.write(
            b"POST /api/v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"
        )
    beats: list[float] = []
    async with client_of(served) as client:
        for _ in range(40):
            began = time.perf_counter()
            assert (await client.get("/healthz")).status_code == 200
            beats.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
    began = time.perf_counter()
    replies = await asyncio.gather(*(reader.read() for reader, _ in (*silent, *dripping)), return_exceptions=True)
    for _, writer in (*silent, *dripping):
        writer.close()
    told = sum(isinstance(reply, bytes) and reply.startswith(b"HTTP/1.1 408") for reply in replies)
    most = round(max(beats) * 1e3, 1)
    return {
        "healthz_most_milliseconds": most,
        "all_gone_after_seconds": round(time.perf_counter() - began, 1),
        "told_408": told,
    }


async def steady(served: Begun, _: argparse.Namespace) -> dict[str, Any]:
    samples, requests, deadline = list[dict[str, float]](), 0, time.monotonic() + 40
    async with client_of(served) as client:
        while time.monotonic() < deadline:
            for _ in range(30):
                requests += 1
                (await client.post("/api/v1/search", json={"question": f"What is BERT {requests}?"})).raise_for_status()
                (await client.get("/api/v1/runs")).raise_for_status()
            await until_done(client, await asked(client, f"{QUESTIONS[2]} (steady {requests})"))
            samples.append(megabytes(served))
    return {"requests": 2 * requests, "first": samples[len(samples) // 10], "last": samples[-1]}


async def mixed(served: Begun, options: argparse.Namespace) -> dict[str, Any]:
    chance, runs, samples, failures = random.Random(1), list[str](), list[tuple[float, float]](), 0  # noqa: S311
    deadline = time.monotonic() + 60 * options.minutes
    async with client_of(served) as client:
        number = 0
        while time.monotonic() < deadline:
            number += 1
            match chance.random():
                case place if place < 0.5:
                    runs.append(await asked(client, f"{chance.choice(QUESTIONS)} (mixed {number})"))
                    await until_done(client, runs[-1])
                case place if place < 0.9:
                    reply = await client.post(
                        "/api/v1/search", json={"question": f"{chance.choice(QUESTIONS)} {number}"}
                    )
                    failures += reply.status_code not in {200, 503}
                case place if place < 0.99:
                    note = f"# Note {number % 50}\n\nIt was changed for the {number}th time.".encode()
                    sent = [("files", (f"note {number % 50}.md", note))]
                    failures += (
                        await client.post("/api/v1/collections/mixed/documents", files=sent)
                    ).status_code != 202
                case _ if hands := workers_of(served.process.pid):
                    os.kill(chance.choice(hands), signal.SIGKILL)
                case _:
                    await asyncio.sleep(0.1)
            await asyncio.sleep(options.pause)
            known = megabytes(served)
            samples.append((known["server"], known["workers"]))
        states = [await until_done(client, run) for run in runs]
    third = len(samples) // 3

    def grown(place: int) -> float:
        first, last = ([sample[place] for sample in part] for part in (samples[:third], samples[-third:]))
        return round(statistics.mean(last) / statistics.mean(first), 3)

    return {
        "minutes": options.minutes,
        "steps": number,
        "runs": len(runs),
        "done": states.count("done"),
        "failures": failures,
        "last_third_of_memory_by_first": {"server": grown(0), "workers": grown(1)},
    }


PARTS: dict[str, Callable[[Begun, argparse.Namespace], Any]] = {
    "start": start,
    "followers": followers,
    "at-once": at_once,
    "slow": slow,
    "steady": steady,
    "mixed": mixed,
    "killed": killed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--library", type=Path, help="one that is there already, in place of the one in .bench")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between the steps of `mixed`")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="*", choices=[*PARTS], default=[*PARTS])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-service-") as place:
        kept = options.library or Path(".bench") / f"service-{options.passages}" / "library"
        if not kept.exists():
            making = Path(place) / "making"
            _fill(making, options.passages)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(making, kept)
        options.library, options.running = Path(shutil.copytree(kept, Path(place) / "library")), []
        print(json.dumps({"load": os.getloadavg()[0], "cores": os.cpu_count()}), flush=True)
        options.running.append(begin(options.library, "--workers", str(options.workers), "--questions", "1000"))
        try:
            for name in options.only:
                if name != "mixed" or options.minutes:
                    told = asyncio.run(PARTS[name](options.running[-1], options))
                    print(json.dumps({name: told}), flush=True)
        finally:
            end(options.running[-1])


def _fill(library: Path, passages: int) -> None:
    """Put the notes of the demo into a library, and around them so many passages that look like theirs."""
    with Library(Settings(library=library)) as opened, as_file(files("scholarmind.demo") / "notes") as notes:
        opened.add(notes)
        texts = [
            path.read_text(encoding="utf-8").rpartition("---")[2]
            for path in sorted(notes.glob("*.md"))
            if ".zh" not in path.name
        ]
        sentences = [sentence.strip() for text in texts for sentence in text.split(". ") if 40 < len(sentence) < 300]
        chance, filler = random.Random(1), library.parent / "filler.jsonl"  # noqa: S311
        with filler.open("w", encoding="utf-8") as out:
            for number in range(max(0, passages - 284)):
                words = " ".join(chance.choice(sentences) + "." for _ in range(3)).split()
                chance.shuffle(words)
                out.write(json.dumps({"id": f"f{number}", "title": f"Filler {number}", "text": " ".join(words)}) + "\n")
        opened.add(filler)


if __name__ == "__main__":
    main()
