"""Jobs that outlive their process: killed in the middle, taken up, nothing twice; and `add` beside a service."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.service.conftest import Served, start, stop, until
from tests.service.test_rest import events_of

from scholarmind.service.jobs import Jobs
from scholarmind.service.service_file import ServiceFile

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
SCRIPT = Path(sys.executable).parent / "scholarmind"


QUESTIONS = 24


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service that takes so many questions at a time."""
    running = start(folder, "--questions", str(QUESTIONS))
    yield running
    stop(running)


@pytest.fixture
def running(template: Path, tmp_path: Path) -> Iterator[list[Served]]:
    """Services that are ended whatever happens, the first of which runs."""
    services = [start(Path(shutil.copytree(template, tmp_path / "library")))]
    yield services
    for service in services:
        stop(service)


def ask(client: httpx2.Client, count: int) -> list[str]:
    """Begin so many runs."""
    asked = [{"question": f"Compare BERT and GPT-2 on data and size, number {number}"} for number in range(count)]
    return [client.post("/api/v1/runs", json=each).json()["id"] for each in asked]


def all_done(client: httpx2.Client, runs: Sequence[str], seconds: float = 60.0) -> None:
    """Wait until runs are done."""
    for run in runs:
        until(lambda run=run: client.get(f"/api/v1/runs/{run}").json()["state"] == "done", seconds)


def worker_of(served: Served) -> int:
    """Return the process id of a service's worker."""
    listed = subprocess.run(
        ["ps", "--ppid", str(served.process.pid), "-o", "pid="], capture_output=True, text=True, check=True
    )
    return int(listed.stdout.split()[0])


def test_what_a_killed_server_was_doing_is_taken_up_gapless_and_nothing_twice(running: list[Served]) -> None:
    notes = [
        ("files", (f"note {n}.md", f"# Note {n}\n\nThis one tells of newts, number {n}.".encode())) for n in range(60)
    ]
    with running[0].client() as client:
        runs = ask(client, 20)
        job = client.post("/api/v1/collections/newts/documents", files=notes).json()["id"]
        first: list[int] = []
        with client.stream("GET", f"/api/v1/runs/{runs[3]}/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    first.append(int(line.removeprefix("id: ")))
                if len(first) == 4:
                    break
        running[0].process.send_signal(signal.SIGKILL)
        running[0].process.wait()
    running.append(start(running[0].library))
    with running[1].client() as client:
        all_done(client, runs)
        for run in runs:
            numbers = [int(event["id"]) for event in events_of(client, run)[:-1]]
            assert numbers == list(range(1, len(numbers) + 1))
        later = [int(event["id"]) for event in events_of(client, runs[3], after=first[-1])[:-1]]
        assert first + later == list(range(1, later[-1] + 1))
        until(lambda: client.get(f"/api/v1/jobs/{job}").json()["state"] == "done")
        assert client.get("/api/v1/collections/newts").json()["documents"] == 60


def test_a_service_that_ends_leaves_its_runs_to_the_next(running: list[Served]) -> None:
    with running[0].client() as client:
        runs = ask(client, 16)
        with client.stream("GET", f"/api/v1/runs/{runs[-1]}/events") as stream:
            running[0].process.terminate()
            told = "".join(stream.iter_text())
        assert "event: ending" in told or "event: end" in told
        assert running[0].process.wait(30) in {0, -signal.SIGTERM}
    running.append(start(running[0].library))
    with running[1].client() as client:
        all_done(client, runs)


def test_a_worker_that_is_killed_is_replaced_and_its_runs_go_on(served: Served) -> None:
    with served.client() as client:
        runs = ask(client, 8)
        os.kill(worker_of(served), signal.SIGKILL)
        all_done(client, runs, 30)


def test_a_run_is_cancelled_and_goes_on(served: Served) -> None:
    with served.client() as client:
        runs = ask(client, 12)
        assert client.post(f"/api/v1/runs/{runs[-1]}/cancel").json()["state"] == "cancelled"
        assert client.post(f"/api/v1/runs/{runs[-1]}/resume").status_code == 202
        all_done(client, runs)


def test_too_many_questions_are_told_to_come_again(served: Served) -> None:
    with served.client() as client:
        asked = [
            {"question": f"Compare XLNet and GPT-2 on data and size, number {number}"}
            for number in range(2 * QUESTIONS)
        ]
        replies = [client.post("/api/v1/runs", json=each) for each in asked]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert refused
        assert all(int(reply.headers["retry-after"]) > 0 for reply in refused)
        all_done(client, [reply.json()["id"] for reply in replies if reply.status_code == 202])


def test_add_hands_its_work_to_the_service(served: Served, tmp_path: Path) -> None:
    (tmp_path / "frogs.md").write_text("# Frogs\n\nFrogs croak in spring.")
    command = [SCRIPT, "add", "frogs.md", "--collection", "frogs", "--library", str(served.library)]
    known = {**os.environ, "SCHOLARMIND_EMBEDDER": "none"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=known)
    assert done.returncode == 0, done.stderr
    assert "handed to the service" in done.stderr
    assert done.stdout.startswith("1 added")
    with served.client() as client:
        asked = {"question": "frogs croak", "collections": ["frogs"]}
        assert len(client.post("/api/v1/search", json=asked).json()["passages"]) == 1


def test_a_job_has_one_holder(tmp_path: Path) -> None:
    async def work(jobs: Jobs) -> None:
        put = await jobs.put("ask", "somebody", {"question": "?"}, once="x")
        assert put is not None
        assert (await jobs.put("ask", "somebody", {"question": "?"}, once="x")) == put
        taken = [await jobs.take(holder, ["ask"]) for holder in ("one", "two")]
        assert [job and job.id for job in taken] == [put.id, None]
        assert not await jobs.finish("two", put.id, "done")
        assert jobs.hold("two", [put.id]) == (set(), {put.id})
        await jobs.cancel(put.id)
        assert jobs.hold("one", [put.id]) == ({put.id}, set())
        assert await jobs.finish("one", put.id, "cancelled")

    with ServiceFile(tmp_path / "service.db") as file:
        anyio.run(work, Jobs(file))
