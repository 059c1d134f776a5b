"""Child processes that read files: what comes of one that hangs, crashes, grows, raises, prints or talks nonsense."""

import os
import sys
from pathlib import Path

import pytest

from scholarmind.library.file_reading import Begun, Ended, ReadingJob, Step, frame
from scholarmind.library.workers import Workers
from scholarmind.model import Entry, Headway, Problem

SCRIPT = '''
import os, signal, sys, time
from scholarmind import worker
from scholarmind.library.passages import Cutting
from scholarmind.library.file_reading import FileReading
from scholarmind.model import Document, Headway, Problem, Reading


kept = []


class Hostile:
    """Does what its file says."""

    def read(self, path):
        told = path.read_text()
        if told == "hang":
            time.sleep(600)
        if told == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if told == "exit":
            os._exit(3)
        if told == "memory":
            bytearray(10**11)
        if told == "grow":
            kept.append(bytearray(150_000_000))
        if told == "raise":
            raise ValueError("odd")
        if told == "print":
            print("{" * 100_000, flush=True)
        if told == "nonsense":
            os.write(3, b"\\xff" * 100)
            for number in range(3, 20):
                try:
                    os.write(number, b"\\xff" * 100)
                except OSError:
                    pass
            time.sleep(600)
        if told == "slow":
            for page in range(8):
                time.sleep(0.3)
                yield Headway(done=page, total=8)
        if told == "warn":
            yield Problem(where=str(path), reason="page 2 is a picture", advice="add --ocr", lasting=True)
        yield Reading(document=Document(id=path.stem, title=told, metadata={"pid": os.getpid()}), text=f"It says {told}.")


worker.main(lambda settings: FileReading(readers={".x": Hostile()}, bibliographies={}, cutting=Cutting()))
'''


@pytest.fixture
def workers(tmp_path: Path) -> Workers:
    """Two children with readers that do what their file says."""
    script = tmp_path / "hostile.py"
    script.write_text(SCRIPT)
    hello = frame({"library": str(tmp_path), "embedder": "none", "reading_megabytes": 500})
    return Workers(command=(sys.executable, str(script)), hello=hello, count=2, silence=5.0)


def jobs(folder: Path, *told: str) -> list[ReadingJob]:
    """Return jobs for files that say this."""
    found: list[ReadingJob] = []
    for number, text in enumerate(told):
        path = folder / f"{number}-{text}.x"
        path.write_text(text)
        found.append(ReadingJob(path=path))
    return found


def outcomes(workers: Workers, *given: ReadingJob) -> dict[str, list[Step]]:
    """Return what was said of each file, by its name."""
    found: dict[str, list[Step]] = {}
    for item in workers.read(given):
        if item is not None:
            found.setdefault(item[0].path.stem, []).append(item[1])
    return found


def problems(steps: list[Step]) -> list[str]:
    """Return the reasons."""
    return [step.reason for step in steps if isinstance(step, Problem)]


def test_files_are_read_and_each_ends(workers: Workers, tmp_path: Path) -> None:
    found = outcomes(workers, *jobs(tmp_path, *"abcdef"))
    assert len(found) == 6
    for name, steps in found.items():
        assert [type(step) for step in steps] == [Begun, Entry, Ended]
        entry = steps[1]
        assert isinstance(entry, Entry)
        assert entry.passages[0].text == f"It says {name[-1]}."


def test_two_children_share_the_files(workers: Workers, tmp_path: Path) -> None:
    found = outcomes(workers, *jobs(tmp_path, "slow", "slow"))
    pids = {step.document.metadata["pid"] for steps in found.values() for step in steps if isinstance(step, Entry)}
    assert len(pids) == 2
    assert os.getpid() not in pids


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("hang", "its reader said nothing for 5 s"),
        ("crash", "its reader crashed (SIGSEGV)"),
        ("exit", "its reader crashed (exit code 3)"),
        ("memory", "reading it takes more than 500 MB of memory"),
        ("raise", "its reader failed (ValueError: odd)"),
    ],
)
def test_a_bad_file_is_a_problem_and_the_rest_is_read(workers: Workers, tmp_path: Path, told: str, reason: str) -> None:
    found = outcomes(workers, *jobs(tmp_path, "a", told, "b", "c"))
    assert problems(found[f"1-{told}"]) == [reason]
    assert found[f"1-{told}"][-1] == Ended()
    assert [problems(found[name]) for name in ("0-a", "2-b", "3-c")] == [[], [], []]


def test_nonsense_from_a_child_is_a_problem(workers: Workers, tmp_path: Path) -> None:
    found = outcomes(workers, *jobs(tmp_path, "nonsense", "a"))
    assert problems(found["0-nonsense"])[0].startswith(("its reader sent nonsense", "its reader said nothing"))
    assert problems(found["1-a"]) == []


def test_what_a_reader_prints_does_not_come_between(workers: Workers, tmp_path: Path) -> None:
    found = outcomes(workers, *jobs(tmp_path, "print", "a"))
    assert [problems(steps) for steps in found.values()] == [[], []]


def test_one_that_makes_headway_is_not_stuck(workers: Workers, tmp_path: Path) -> None:
    quick = Workers(command=workers.command, hello=workers.hello, count=1, silence=1.5)
    (steps,) = outcomes(quick, *jobs(tmp_path, "slow")).values()
    assert problems(steps) == []
    assert sum(isinstance(step, Headway) for step in steps) > 3


def test_one_that_grew_is_replaced_and_no_file_is_lost(workers: Workers, tmp_path: Path) -> None:
    single = Workers(command=workers.command, hello=workers.hello, count=1, silence=10.0)
    found = outcomes(single, *jobs(tmp_path, "grow", "a", "grow", "b"))
    pids = [step.document.metadata["pid"] for steps in found.values() for step in steps if isinstance(step, Entry)]
    assert len(pids) == 4
    assert len(set(pids)) == 3


def test_a_warning_that_lasts_gives_the_file_another_hash_than_when_it_is_whole(
    workers: Workers, tmp_path: Path
) -> None:
    (steps,) = outcomes(workers, *jobs(tmp_path, "warn")).values()
    begun, ended = steps[0], steps[-1]
    assert isinstance(begun, Begun)
    assert isinstance(ended, Ended)
    assert ended.hash not in {"", begun.hash}


def test_what_is_known_is_not_read_again(workers: Workers, tmp_path: Path) -> None:
    (job,) = jobs(tmp_path, "hang")
    readable = job.path.with_name("same.x")
    readable.write_text("a")
    (first,) = outcomes(workers, ReadingJob(path=readable)).values()
    ended = first[-1]
    assert isinstance(ended, Ended)
    (again,) = outcomes(workers, ReadingJob(path=readable, known=ended.hash)).values()
    assert [type(step) for step in again] == [Begun, Ended]


def test_who_stops_listening_ends_the_children(workers: Workers, tmp_path: Path) -> None:
    stream = workers.read(jobs(tmp_path, "a", "hang", "hang", "b"))
    item = None
    while not (item and isinstance(item[1], Entry)):
        item = next(stream)
    pid = item[1].document.metadata["pid"]
    stream.close()  # the children would hang for longer than any test may take
    assert not _runs(int(str(pid)))


def test_a_file_that_cannot_be_opened_is_a_problem(workers: Workers, tmp_path: Path) -> None:
    (steps,) = outcomes(workers, ReadingJob(path=tmp_path / "gone.x")).values()
    assert problems(steps) == ["it cannot be read: No such file or directory"]


def test_a_child_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    broken = Workers(command=(str(tmp_path / "no-python"),), hello=frame({}), count=1, silence=5.0)
    with pytest.raises(FileNotFoundError):
        list(broken.read(jobs(tmp_path, "a")))


def test_names_that_are_not_utf8_come_through(workers: Workers, tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.x"))
    path.write_text("a")
    items = [item for item in workers.read([ReadingJob(path=path)]) if item]
    assert {item[0].path for item in items} == {path}
    assert isinstance(items[-1][1], Ended)
    assert items[-1][1].hash


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
