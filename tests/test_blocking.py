"""Every method both ways: called and awaited, from threads and notebooks, and stopped in the middle."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from scholarmind import Counts, Library, Settings
from scholarmind.errors import QueryError
from scholarmind.ports import Embeddings
from scholarmind.testing import HashEmbedder

ONE = {"default": Counts(documents=1, passages=1, vectors=1)}


class SlowEmbedder(HashEmbedder):
    """Waits until it is released; with `interrupt` it presses Ctrl-C meanwhile."""

    def __init__(self, *, interrupt: bool = False) -> None:
        super().__init__()
        self.interrupt = interrupt
        self.began, self.released = threading.Event(), threading.Event()
        self.tidied = False

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        self.began.set()
        if self.interrupt and not self.released.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            while not self.released.is_set():  # noqa: ASYNC110  (set from another thread)
                await asyncio.sleep(0.01)
        finally:
            self.tidied = True
        return await super().embed(texts)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """A file to add."""
    path = tmp_path / "note.md"
    path.write_text("---\nid: note\n---\nAttention.")
    return path


def test_every_method_can_be_called(library: Library, note: Path) -> None:
    assert library.add(note).added == 1
    assert len(library.search("attention").evidence) == 1
    assert [document.id for document in library.documents()] == ["note"]
    assert library.counts() == ONE
    assert library.text("note") == "Attention."
    library.rebuild()
    assert library.reembed().embedded == 1
    assert library.remove(["note"]) == 1


@pytest.mark.anyio
async def test_every_method_can_be_awaited(library: Library, note: Path) -> None:
    assert (await library.add.aio(note)).added == 1
    assert len((await library.search.aio("attention")).evidence) == 1
    assert [document.id for document in await library.documents.aio()] == ["note"]
    assert await library.counts.aio() == ONE
    assert await library.text.aio("note") == "Attention."
    await library.rebuild.aio()
    assert (await library.reembed.aio()).embedded == 1
    assert await library.remove.aio(["note"]) == 1


@pytest.mark.anyio
async def test_a_method_can_be_called_where_a_loop_runs_as_in_a_notebook(library: Library, note: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    assert library.add(note).added == 1
    assert len(library.search("attention").evidence) == 1


@pytest.mark.anyio
async def test_many_searches_run_at_once(library: Library, note: Path) -> None:
    await library.add.aio(note)
    found = await asyncio.gather(*(library.search.aio("attention") for _ in range(20)))
    assert {len(answer.evidence) for answer in found} == {1}


def test_several_loops_one_after_another(library: Library, note: Path) -> None:
    asyncio.run(library.add.aio(note))
    assert len(asyncio.run(library.search.aio("attention")).evidence) == 1
    assert library.counts() == ONE


def test_methods_can_be_called_from_many_threads(library: Library, note: Path) -> None:
    library.add(note)
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(library.search("attention").evidence))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8


def test_an_error_comes_out_as_it_is(library: Library) -> None:
    with pytest.raises(QueryError):
        library.search("x", filter="year >=")


def test_a_method_tells_what_it_does() -> None:
    assert Library.search.__doc__ == "Return the best passages for a question."


def test_closing_twice_does_nothing(library: Library) -> None:
    library.close()
    library.close()


@pytest.mark.timeout(120)
def test_ctrl_c_stops_the_work_and_leaves_the_library_in_order(tmp_path: Path, note: Path) -> None:
    embedder = SlowEmbedder(interrupt=True)
    with Library(Settings(library=tmp_path / "library"), embedder=embedder) as library:
        with pytest.raises(KeyboardInterrupt):
            library.add(note)
        assert embedder.tidied
        assert library.counts() == {"default": Counts(documents=1, passages=1)}
        embedder.released.set()
        assert library.add().embedded == 1
        assert library.counts() == ONE


@pytest.mark.timeout(120)
def test_ctrl_c_does_not_wait_for_the_work_of_another_thread(tmp_path: Path, note: Path) -> None:
    slow, interrupted = SlowEmbedder(), SlowEmbedder(interrupt=True)
    with (
        Library(Settings(library=tmp_path / "a"), embedder=slow) as other,
        Library(Settings(library=tmp_path / "b"), embedder=interrupted) as library,
    ):
        thread = threading.Thread(target=lambda: other.add(note))
        thread.start()
        slow.began.wait()
        try:
            with pytest.raises(KeyboardInterrupt):
                library.add(note)
            assert thread.is_alive()
        finally:
            slow.released.set()
            thread.join()
        assert other.counts() == ONE


@pytest.mark.timeout(120)
@pytest.mark.anyio
async def test_a_cancelled_add_can_be_done_again(tmp_path: Path, note: Path) -> None:
    embedder = SlowEmbedder()
    with Library(Settings(library=tmp_path / "library"), embedder=embedder) as library:
        work = asyncio.create_task(library.add.aio(note))
        await asyncio.to_thread(embedder.began.wait)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        embedder.released.set()
        assert (await library.add.aio()).embedded == 1
        assert await library.counts.aio() == ONE


@pytest.mark.timeout(120)
@pytest.mark.anyio
async def test_an_add_that_is_cancelled_while_it_waits_for_a_writer_lets_others_write(
    tmp_path: Path, note: Path
) -> None:
    settings = Settings(library=tmp_path / "library", lock_wait=2)
    with Library(settings, embedder=HashEmbedder()) as first, Library(settings, embedder=HashEmbedder()) as second:
        async with first.store.writing():
            work = asyncio.create_task(second.add.aio(note))
            await asyncio.sleep(0.2)  # long enough that it waits for the lock
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
        await asyncio.sleep(1)  # longer than a writer keeps the lock after its work
        assert (await first.add.aio(note)).added == 1


CALLBACK = """
import sys
from pathlib import Path
from scholarmind import Library, Settings
from scholarmind.testing import HashEmbedder
with Library(Settings(library=Path(sys.argv[1])), embedder=HashEmbedder()) as library:
    try:
        library.add(sys.argv[2], on_event=lambda event: print(sorted(library.counts())))
    except RuntimeError as error:
        print("refused:", error)
"""


def test_a_call_from_within_an_event_does_not_hang(tmp_path: Path, note: Path) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-c", CALLBACK, tmp_path / "library", note],
            capture_output=True,
            check=False,
            text=True,
            timeout=100,
        )
    except subprocess.TimeoutExpired:
        pytest.fail("the call never came back")
    assert done.stdout.startswith(("['default']", "refused: "))
