"""One writer at a time: the others wait, are told who it is, and never find half of anything."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from robustly import Corpus, assert_sound, expect, finish, opened, start, stored, tell

from scholarmind.errors import LibraryLockedError

_HOLDING = """
import asyncio
library, documents = sys.argv[1:]
with opened(library) as holding:
    holding.add(documents)
    async def hold():
        async with holding.store.writing():
            say("holding")
            await asyncio.to_thread(sys.stdin.readline)
    asyncio.run(hold())
    say("gave back")
"""

_ADDING = """
library, documents, wait = sys.argv[1:]
with opened(library, lock_wait=float(wait)) as adding:
    say("opened")
    sys.stdin.readline()
    try:
        report = adding.add(documents)
        say("added", report.added)
    except LibraryLockedError as error:
        say(f"LibraryLockedError: {error}")
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Return a few documents."""
    made = Corpus(tmp_path / "first", seed=1)
    made.add(15)
    return made


@pytest.fixture
def second(tmp_path: Path) -> Corpus:
    """Return a few other documents."""
    made = Corpus(tmp_path / "second", seed=2)
    made.add(15)
    return made


def test_second_process_waits_and_succeeds(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """It waits for as long as it is told to, and then does its work."""
    holder = start(_HOLDING, tmp_path / "library", corpus.folder)
    expect(holder, "holding")
    waiter = start(_ADDING, tmp_path / "library", second.folder, 30)
    expect(waiter, "opened")
    tell(waiter)
    time.sleep(0.3)
    with opened(tmp_path / "library") as library:
        assert library.store.lock.holder().startswith(f"process {holder.pid} on {socket.gethostname()}")
        assert len(library.documents()) == 15
    tell(holder)
    assert finish(holder) == ["gave back"]
    assert finish(waiter) == ["added 15"]
    with opened(tmp_path / "library") as library:
        assert_sound(library)
        assert len(library.documents()) == 30


def test_second_process_is_told_who_writes(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """After its patience it names process and host; the holder is not disturbed, and reading is possible all the time."""
    holder = start(_HOLDING, tmp_path / "library", corpus.folder)
    expect(holder, "holding")
    waiter = start(_ADDING, tmp_path / "library", second.folder, 0.2)
    expect(waiter, "opened")
    tell(waiter)
    (told,) = finish(waiter)
    assert told.startswith("LibraryLockedError: ")
    assert f"process {holder.pid} on {socket.gethostname()}" in told
    assert str(tmp_path / "library") in told
    with opened(tmp_path / "library") as library:
        assert library.search("common").evidence
    tell(holder)
    assert finish(holder) == ["gave back"]
    with opened(tmp_path / "library") as library:
        assert_sound(library)
        assert library.add(second.folder).added == 15


def test_lock_dies_with_a_killed_holder(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """Nothing has to be cleaned up by hand."""
    holder = start(_HOLDING, tmp_path / "library", corpus.folder)
    expect(holder, "holding")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with opened(tmp_path / "library", lock_wait=0.2) as library:
        assert library.add(second.folder).added == 15
        assert_sound(library)


_FORKING_HOLDER = """
import asyncio
library, documents = sys.argv[1:]
with opened(library) as holding:
    holding.add(documents)
    async def hold():
        async with holding.store.writing():
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            say(child)
            await asyncio.to_thread(sys.stdin.readline)
    asyncio.run(hold())
"""


@pytest.mark.parametrize("end", ["killed", "gave back"])
def test_forked_child_does_not_keep_the_lock(tmp_path: Path, corpus: Corpus, second: Corpus, end: str) -> None:
    """A child that was forked under the lock lives on: the lock goes with its parent."""
    holder = start(_FORKING_HOLDER, tmp_path / "library", corpus.folder, stderr=None)
    child = int(holder.stdout.readline())
    try:
        if end == "killed":
            holder.kill()
        else:
            tell(holder)
        holder.wait(20)
        with opened(tmp_path / "library", lock_wait=0.5) as library:
            deadline = time.monotonic() + 20
            while not library.store.lock.is_free() and time.monotonic() < deadline:
                time.sleep(0.01)  # a killed process lets go when the system has buried it
            assert library.add(second.folder).added == 15
            assert_sound(library)
    finally:
        os.kill(child, signal.SIGKILL)


def test_lock_names_nobody_when_it_is_free(tmp_path: Path, corpus: Corpus) -> None:
    """After the work neither lock nor name is left."""
    with opened(tmp_path / "library") as library:
        library.add(corpus.folder)
    with opened(tmp_path / "library") as library:
        assert (library.store.lock.is_free(), library.store.lock.holder()) == (True, "")


def test_two_libraries_in_one_process(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """They take turns as two processes would, and each sees what the other did."""
    with opened(tmp_path / "library") as one, opened(tmp_path / "library") as other:
        for step in range(3):
            assert one.add(corpus.folder).problems == []
            assert other.add(second.folder).problems == []
            expected = set(corpus.texts) | {f"{name}" for name in second.texts}
            for library in (one, other):
                assert set(stored(library)) == expected
                found = library.search("common", k=2000, mode="keyword").evidence
                assert len(found) == sum(counts.passages for counts in library.counts().values())
            corpus.change(3 + step)
            second.change(3)
        assert_sound(one)
        assert_sound(other)


def test_what_the_other_indexed_is_not_indexed_again(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """Two that write in turn go on from each other's index: making all of it anew each time would take long."""
    corpus.add(60)
    with opened(tmp_path / "library") as one:
        one.add(corpus.folder)
    with opened(tmp_path / "library") as one, opened(tmp_path / "library") as other:
        mark = tmp_path / "library" / "keyword" / "mark"
        mark.touch()  # goes when the folder is emptied to index everything anew
        generation = {path.name for path in (tmp_path / "library" / "vectors").glob("*-data.bin")}
        for library, changed in ((one, corpus), (other, second), (one, corpus), (other, second)):
            changed.change(1)
            library.add(changed.folder)
        assert mark.exists()
        assert generation == {path.name for path in (tmp_path / "library" / "vectors").glob("*-data.bin")}
        assert_sound(one)
        assert_sound(other)


def test_one_of_two_libraries_is_told_of_the_other(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """Another `Library` in the same process does not wait for ever, and is told that it is this process."""
    with opened(tmp_path / "library") as one, opened(tmp_path / "library", lock_wait=0.2) as other:
        one.add(corpus.folder)

        async def hold() -> None:
            async with one.store.writing():
                with pytest.raises(LibraryLockedError, match=f"process {os.getpid()} on {socket.gethostname()}"):
                    await other.add.aio(second.folder)

        asyncio.run(hold())
        time.sleep(0.5)  # a writer lingers for a moment
        assert other.add(second.folder).added == 15
        assert_sound(other)


def test_two_threads_add_at_once(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """One `Library`, several threads: everything arrives."""
    third = Corpus(tmp_path / "third", seed=3)
    third.add(15)
    reports = []
    with opened(tmp_path / "library") as library:
        threads = [
            threading.Thread(target=lambda folder=folder: reports.append(library.add(folder)))
            for folder in (corpus.folder, second.folder, third.folder)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted((report.added, len(report.problems)) for report in reports) == [(15, 0)] * 3
        assert_sound(library)
        assert library.counts()["default"].documents == 45


_CREATING = """
library, documents = sys.argv[1:]
say("ready")
sys.stdin.readline()
with opened(library, lock_wait=60) as adding:
    report = adding.add(documents)
say(report.added + report.unchanged, *report.problems)
"""


def test_several_processes_make_the_library_at_once(tmp_path: Path, corpus: Corpus) -> None:
    """Nobody was there before: one lays it out, and all of them add."""
    others = [Corpus(tmp_path / f"documents{seed}", seed=seed) for seed in (11, 12, 13)]
    for other in others:
        other.add(10)
    processes = [start(_CREATING, tmp_path / "library", other.folder) for other in others]
    for process in processes:
        expect(process, "ready")
    for process in processes:
        tell(process)
    assert [finish(process) for process in processes] == [["10"]] * 3
    with opened(tmp_path / "library") as library:
        assert_sound(library)
        assert library.counts()["default"].documents == 30


_OPENING = """
library, count = Path(sys.argv[1]), int(sys.argv[2])
say("ready")
for number in range(count):
    sys.stdin.readline()
    try:
        opened(library / str(number)).close()
        say("opened")
    except LibraryError as error:
        say(f"{type(error).__name__}: {error}")
"""


def test_opening_a_new_library_at_once(tmp_path: Path) -> None:
    """The first moment is the hardest: four processes open the same new folder, many times over."""
    times = 25
    processes = [start(_OPENING, tmp_path, times) for _ in range(4)]
    for process in processes:
        expect(process, "ready")
    for _ in range(times):
        for process in processes:
            tell(process)
        for process in processes:
            expect(process, "opened")


_TAKING_TURNS = """
library, name, times, wait = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
notes = Path(library).parent / name
notes.mkdir()
with opened(library, lock_wait=wait) as writing:
    say("ready")
    sys.stdin.readline()
    for number in range(times):
        (notes / f"{name}{number:02}.txt").write_text(f"Common words of {name}, for the time {number}.")
        writing.add(notes / f"{name}{number:02}.txt")
say("done")
"""


def test_four_that_write_take_turns(tmp_path: Path, corpus: Corpus) -> None:
    """First come, first served: of those that write again and again nobody overtakes another twice, and nobody fails."""
    names, times = "abcd", 8
    with opened(tmp_path / "library") as library:
        library.add(corpus.folder)
        writers = [start(_TAKING_TURNS, tmp_path / "library", name, times, 4) for name in names]
        for writer in writers:
            expect(writer, "ready")
        for writer in writers:
            tell(writer)
        assert [finish(writer) for writer in writers] == [["done"]] * 4
        order = "".join(document.title[0] for document in library.documents() if document.title[0] in names)
    assert sorted(order) == sorted(names * times)
    begin, end = max(map(order.index, names)), min(map(order.rindex, names))  # where all four are at it
    together = order[begin : end + 1]
    assert len(together) > 2 * times, order
    for length in range(1, len(together) + 1):
        counts = [together[:length].count(name) for name in names]
        assert max(counts) - min(counts) <= 2, (order, length)


@pytest.mark.parametrize("who", ["holder", "first waiter"])
def test_killed_in_the_queue(tmp_path: Path, corpus: Corpus, second: Corpus, who: str) -> None:
    """Whoever is killed, holding the lock or waiting for it, is passed over: the next one gets it."""
    holder = start(_HOLDING, tmp_path / "library", corpus.folder)
    expect(holder, "holding")
    waiters = []
    for folder in (corpus.folder, second.folder):
        waiters.append(start(_ADDING, tmp_path / "library", folder, 20))
        expect(waiters[-1], "opened")
        tell(waiters[-1])
        _until(lambda: len(_tickets(tmp_path / "library")) == len(waiters))
    if who == "holder":
        holder.kill()
        assert finish(waiters[0]) == ["added 0"]
    else:
        waiters[0].kill()
        waiters[0].wait()
        tell(holder)
        assert finish(holder) == ["gave back"]
    assert finish(waiters[1]) == ["added 15"]
    assert _tickets(tmp_path / "library") == []
    with opened(tmp_path / "library", lock_wait=0.2) as library:
        assert library.add(second.folder).unchanged == 15
        assert_sound(library)


def test_stopped_in_the_queue(tmp_path: Path, corpus: Corpus, second: Corpus) -> None:
    """Who was suspended while it waited does not keep a free lock from the others, and gets it when it goes on."""
    holder = start(_HOLDING, tmp_path / "library", corpus.folder)
    expect(holder, "holding")
    waiter = start(_ADDING, tmp_path / "library", second.folder, 20)
    expect(waiter, "opened")
    tell(waiter)
    _until(lambda: len(_tickets(tmp_path / "library")) == 1)
    waiter.send_signal(signal.SIGSTOP)
    with opened(tmp_path / "library", lock_wait=0.2) as library:
        with pytest.raises(LibraryLockedError, match=f"process {holder.pid} .*; 1 more came before this one"):
            library.add(corpus.folder)
        tell(holder)
        assert finish(holder) == ["gave back"]
    with opened(tmp_path / "library", lock_wait=20) as library:
        assert library.add(corpus.folder).unchanged == 15
        waiter.send_signal(signal.SIGCONT)
        assert finish(waiter) == ["added 15"]
        assert library.add(second.folder).unchanged == 15


def _tickets(library: Path) -> list[str]:
    return sorted(path.name for path in (library / "writer.queue").glob("*"))


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not come to that in ten seconds")
