"""`watch`: the library follows files and folders."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from scholarmind import Library, Settings
from scholarmind.library.report import Report
from scholarmind.library.source_files import changes

pytestmark = pytest.mark.anyio
EVERY = 0.04
BIB = "@article{{k, title = {{Burrowing Habits of Plateau Porcupines}}, author = {{Lovelace, Ada}}, year = {{{}}}}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a note."""
    made = tmp_path / "notes"
    made.mkdir()
    (made / "a.md").write_text("Attention is here.")
    return made


@asynccontextmanager
async def watched(library: Library, *paths: Path, **options: object) -> AsyncIterator[list[Report]]:
    """Watch as long as the block runs; the first report is there when it begins."""
    reports: list[Report] = []
    task = asyncio.create_task(
        library.watch.aio(paths, every=EVERY, on_report=reports.append, **options)  # type: ignore[arg-type]
    )
    try:
        await until(lambda: bool(reports) or task.done())
        yield reports
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(done: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for something to become true."""
    for _ in range(int(seconds / 0.02)):
        if done():
            return
        await asyncio.sleep(0.02)
    pytest.fail("it did not happen")


async def texts(library: Library) -> list[str]:
    """Return the text of every document."""
    found = [await library.text.aio(document.id) for document in await library.documents.aio()]
    return sorted(filter(None, found))


async def test_what_comes_changes_and_goes_is_followed(library: Library, folder: Path) -> None:
    async with watched(library, folder) as reports:
        assert await texts(library) == ["Attention is here."]
        (folder / "b.md").write_text("Recurrence is there.")
        await until(lambda: len(reports) == 2)
        assert await texts(library) == ["Attention is here.", "Recurrence is there."]
        (folder / "a.md").write_text("Attention has moved.")
        await until(lambda: len(reports) == 3)
        assert await texts(library) == ["Attention has moved.", "Recurrence is there."]
        (folder / "b.md").unlink()
        await until(lambda: len(reports) == 4)
        assert await texts(library) == ["Attention has moved."]
        await asyncio.sleep(5 * EVERY)
    assert [(r.added, r.replaced, r.removed) for r in reports] == [(1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


async def test_a_file_that_is_being_written_is_waited_for(library: Library, folder: Path) -> None:
    async with watched(library, folder) as reports:
        for number in range(10):
            with (folder / "long.md").open("a") as file:
                file.write(f"Line {number} of a long file.\n\n")
            await asyncio.sleep(EVERY / 2)
        await until(lambda: len(reports) > 1)
        await asyncio.sleep(5 * EVERY)
        whole = (await texts(library))[1]
    assert whole.count("of a long file.") == 10
    assert len(reports) <= 3


async def test_a_bibliography_is_watched_too(library: Library, folder: Path, tmp_path: Path) -> None:
    bib = tmp_path / "library.bib"
    bib.write_text(BIB.format(2019))
    async with watched(library, folder, bibliographies=[bib]) as reports:
        bib.write_text(BIB.format(2020))
        await until(lambda: len(reports) == 2)
        years = {document.year for document in await library.documents.aio() if document.id == "k"}
    assert years == {2020}


async def test_a_place_that_is_not_there_yet(library: Library, tmp_path: Path) -> None:
    async with watched(library, tmp_path / "later") as reports:
        assert len(reports[0].problems) == 1
        (tmp_path / "later").mkdir()
        (tmp_path / "later" / "a.md").write_text("At last.")
        await until(lambda: len(reports) == 2)
        assert await texts(library) == ["At last."]


@pytest.mark.parametrize("follow", [True, False])
async def test_what_is_behind_a_link_is_watched_as_it_is_added(folder: Path, tmp_path: Path, *, follow: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (folder / "back").symlink_to(folder)
    settings = Settings(library=tmp_path / "library", embedder="none", follow_links=follow)
    with Library(settings) as library:
        async with watched(library, folder) as reports:
            (tmp_path / "elsewhere" / "b.md").write_text("Behind a link.")
            if follow:
                await until(lambda: len(reports) == 2)
            else:
                await asyncio.sleep(10 * EVERY)
            assert await texts(library) == ["Attention is here."] + follow * ["Behind a link."]
        assert len(reports) == 1 + follow


def vanish(folder: Path, how: str) -> None:
    folder.rename(folder.with_name("away"))
    if how == "empty":
        folder.mkdir()


def come_back(folder: Path, how: str) -> None:
    if how == "empty":
        folder.rmdir()
    folder.with_name("away").rename(folder)


@pytest.mark.parametrize("how", ["missing", "empty"])
async def test_a_folder_that_vanishes_loses_nothing_and_is_followed_when_it_is_back(
    library: Library, folder: Path, tmp_path: Path, how: str
) -> None:
    (folder / "b.md").write_text("Recurrence is there.")
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.md").write_text("Convolution is elsewhere.")
    async with watched(library, folder, other) as reports:
        vanish(folder, how)
        await until(lambda: len(reports) == 2)
        told = [problem for problem in reports[1].problems if problem.where == str(folder) and "kept" in problem.reason]
        assert (len(told), reports[1].removed, reports[1].kept) == (1, 0, 2)
        (other / "d.md").write_text("Pooling is elsewhere.")
        await until(lambda: len(reports) == 3)
        assert (reports[2].added, reports[2].removed, reports[2].problems) == (1, 0, [])  # it was said once
        come_back(folder, how)
        await until(lambda: len(reports) == 4)
        assert (reports[3].added, reports[3].removed, reports[3].kept) == (0, 0, 0)
        (folder / "a.md").unlink()
        await until(lambda: len(reports) == 5)
        assert reports[4].removed == 1
        vanish(folder, how)
        await until(lambda: len(reports) == 6)
        assert [problem.where for problem in reports[5].problems if "kept" in problem.reason] == [str(folder)]
        assert len(await texts(library)) == 3


async def test_what_is_around_a_place_that_is_missing_is_no_news(library: Library, tmp_path: Path) -> None:
    looks = changes([tmp_path / "missing" / "notes", tmp_path / "none" / "*.md"], EVERY)
    await anext(looks)
    (tmp_path / "around.md").write_text("x")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(looks), 5 * EVERY)
    await looks.aclose()


async def test_a_library_inside_the_folder_is_no_news(folder: Path) -> None:
    settings = Settings(library=folder / "library", embedder="none")
    with Library(settings) as library:
        async with watched(library, folder) as reports:
            await asyncio.sleep(10 * EVERY)
    assert len(reports) == 1


async def test_another_writer_is_waited_for(folder: Path, tmp_path: Path) -> None:
    settings = Settings(library=tmp_path / "library", embedder="none", lock_wait=0.1)
    with Library(replace(settings, lock_wait=10)) as other, Library(settings) as library:
        async with watched(library, folder) as reports:
            async with other.store.writing():
                (folder / "b.md").write_text("More words.")
                await asyncio.sleep(10 * EVERY)
            await until(lambda: len(reports) == 2)


async def test_collections(library: Library, folder: Path) -> None:
    async with watched(library, folder, collection="one"):
        assert set(await library.counts.aio()) == {"one"}


async def test_hidden_files_and_loops_are_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    looks = changes([tmp_path], EVERY)
    await anext(looks)
    (tmp_path / ".hidden").write_text("x")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(looks), 5 * EVERY)
    await looks.aclose()


async def test_ctrl_c_ends_the_command_in_good_order(folder: Path, tmp_path: Path) -> None:
    command = [
        Path(sys.executable).with_name("scholarmind"),
        "add",
        folder,
        "--watch",
        "--library",
        tmp_path / "library",
    ]
    environment = {**os.environ, "SCHOLARMIND_EMBEDDER": "none", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)  # noqa: ASYNC220
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("1 added")
        time.sleep(0.1)  # noqa: ASYNC251
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "Traceback" not in errors
    with Library.open(tmp_path / "library", create=False, embedder="none") as library:
        assert await texts(library) == ["Attention is here."]
