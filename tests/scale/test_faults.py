"""What befalls the database under load: restarted, stopped, slow, full, killed with a standby promoted, its clock set."""

import asyncio
import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from tests.scale import services
from tests.scale.clusters import Cluster, needs_clock
from tests.scale.load import Load, calls_of, load
from tests.scale.services import Service

from scholarmind import Library, Settings
from scholarmind.errors import LibraryStorageError
from scholarmind.testing import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]
Saw = Callable[[str, str], None]


async def replies_during(put: Load, fault: "asyncio.Task[None]") -> dict[int, int]:
    """Search while a fault lasts, and return how often which reply came; 0 is none within 20 s, or a broken line."""
    counts = dict[int, int]()
    while not fault.done():
        try:
            reply = await put.client.post("/api/v1/search", json={"question": services.question(1)})
            code = reply.status_code
            if code >= 500 and reply.headers["content-type"].startswith("application/problem"):
                assert reply.json()["detail"], reply.text
        except httpx2.HTTPError:
            code = 0
        counts[code] = counts.get(code, 0) + 1
        await asyncio.sleep(0.2)
    await fault
    return counts


def told(counts: dict[int, int]) -> str:
    """Return how many searches were answered meanwhile."""
    good = sum(count for code, count in counts.items() if code == 200)
    others = ", ".join(f"{count} x {code or 'no reply'}" for code, count in sorted(counts.items()) if code != 200)
    return f"{good} searches answered meanwhile{f', and {others}' if others else ''}"


async def test_the_database_is_restarted(service: Service, cluster: Cluster, model: ScriptedServer, saw: Saw) -> None:
    node = cluster.nodes[0]

    async def restart() -> None:
        for how in (signal.SIGINT, signal.SIGKILL):
            await asyncio.to_thread(node.end, how)
            node.start(wait=False)
            await asyncio.to_thread(node.until_ready)
            await asyncio.sleep(3)

    async with load(service) as put:
        await put.begin(20)
        await put.until_events(20)
        counts = await replies_during(put, asyncio.create_task(restart()))
        await put.begin(10)
        await put.settle()
    saw("the database restarted, then killed and started again", f"{put.told}; {told(counts)}")


async def test_the_database_is_gone_for_a_minute(service: Service, cluster: Cluster, saw: Saw) -> None:
    node = cluster.nodes[0]

    async def stop() -> None:
        await asyncio.to_thread(node.end)
        await asyncio.sleep(60)
        node.start(wait=False)
        await asyncio.to_thread(node.until_ready)

    async with load(service) as put:
        await put.begin(20)
        await put.until_events(20)
        counts = await replies_during(put, asyncio.create_task(stop()))
        await put.settle()
    assert 500 not in counts
    saw("the database stopped for a minute", f"{put.told}; {told(counts)}")


async def test_the_database_is_slow_and_stands_still(service: Service, cluster: Cluster, saw: Saw) -> None:
    node = cluster.nodes[0]

    async def hinder() -> None:
        with node.slow(0.2):
            await asyncio.sleep(20)
        with node.frozen():
            await asyncio.sleep(20)

    async with load(service) as put:
        await put.begin(20)
        counts = await replies_during(put, asyncio.create_task(hinder()))
        await put.settle()
    saw(
        "the database with a fifth of its time for 20 s, then stopped as it stands for 20 s",
        f"{put.told}; {told(counts)}",
    )


@pytest.mark.parametrize("cluster", [{"standbys": 2, "needed": 1}], indirect=True)
async def test_the_primary_is_killed_and_a_standby_promoted(
    service: Service, cluster: Cluster, model: ScriptedServer, saw: Saw
) -> None:
    one, two, three = cluster.nodes

    async def fail_over() -> None:
        with three.frozen():  # so that it lacks what was written last, and cannot be the one that confirmed it
            await asyncio.sleep(2)
            one.end(signal.SIGKILL)
            await asyncio.sleep(1)
            await asyncio.to_thread(two.promote)
            await asyncio.sleep(2)
        await asyncio.sleep(3)

    async with load(service) as put:
        await put.begin(20)
        await put.until_events(20)
        began = time.monotonic()
        counts = await replies_during(put, asyncio.create_task(fail_over()))
        await put.begin(10)
        await put.settle()
    assert three.sql("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'", database="postgres") == [
        (1,)
    ]
    saw(
        "the primary killed while one of two standbys is far behind (stopped), the other one promoted",
        f"{put.told}; nothing was lost that had been acknowledged; what stood still went on after {put.stood_still_after(began):.1f} s; "
        f"{told(counts)}; the one behind follows the new primary",
    )


@pytest.mark.parametrize("cluster", [{"megabytes": 160}], indirect=True)
async def test_the_disk_of_the_database_is_full(cluster: Cluster, tmp_path: Path, saw: Saw) -> None:
    notes, more = services.write_notes(tmp_path / "notes"), tmp_path / "more"
    more.mkdir()
    for number in range(400):
        text = " ".join(f"word{number}x{place}" for place in range(2000))
        (more / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    settings = Settings(library=tmp_path / "library", database=cluster.url, embedder="none")
    with Library(settings) as library:
        await library.add.aio(notes)
        with cluster.nodes[0].full(), pytest.raises(LibraryStorageError) as caught:
            await library.add.aio(more)
        stored = library.documents()
    with Library(settings) as library:
        documents = {document.id for document in library.documents()}
        assert documents == {document.id for document in stored}
        for document in stored:  # whole, or not there
            assert library.text(document.id, collection=document.collection)
        found = library.search("accuracy of Korvax on Osprey", k=1).evidence
        assert found[0].document.title == "Korvax"
        library.add(more)
        assert library.counts()["default"].documents == len(services.SYSTEMS) + 400
    saw(
        "no room on the disk of the database while documents are added",
        f"an error that says so ({str(caught.value)[:60]}...); what was "
        "in stays readable, documents are in whole or not at all; with room again, the same command goes on",
    )


@needs_clock
@pytest.mark.parametrize("cluster", [{"clock": True}], indirect=True)
async def test_the_clock_of_the_database_jumps(
    service: Service, cluster: Cluster, model: ScriptedServer, saw: Saw
) -> None:
    """It is the clock that leases go by."""
    async with load(service) as put:
        await put.begin(20)
        await put.until_events(20)
        for seconds in (3600, -3600, 0):
            cluster.set_clock(seconds)
            await asyncio.sleep(4)
        await put.settle()
    saw(
        "the clock of the database an hour ahead, then an hour behind, then right",
        f"{put.told}; {calls_of(model)} calls to the model",
    )
