"""`prune` and folders that look like a drive that is not mounted: what came from them is kept, and said, unless it is really meant."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scholarmind import Library, Problem


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three notes, one of them further down."""
    made = tmp_path / "drive" / "notes"
    (made / "sub").mkdir(parents=True)
    for name in ("a.md", "b.md", "sub/c.md"):
        (made / name).write_text(f"Attention in {name}.")
    return made


def count(library: Library) -> int:
    """Return how many documents there are."""
    return len(library.documents())


def kept(problems: list[Problem]) -> list[tuple[str, str]]:
    """Return the folders from which documents are kept, and why."""
    return [(problem.where, problem.reason) for problem in problems if "--really" in problem.advice]


def vanish(folder: Path) -> str:
    folder.rename(folder.with_name("away"))
    return "it is missing"


def vanish_with_its_drive(folder: Path) -> str:
    folder.parent.rename(folder.parent.with_name("away"))
    return "it is missing"


def become_empty(folder: Path) -> str:
    vanish(folder)
    folder.mkdir()
    return "it is empty"


def become_empty_but_for_what_is_hidden(folder: Path) -> str:
    become_empty(folder)
    (folder / ".not-mounted").touch()
    return "it is empty"


@pytest.mark.parametrize("lose", [vanish, vanish_with_its_drive, become_empty, become_empty_but_for_what_is_hidden])
def test_what_came_from_a_folder_that_is_missing_or_empty_is_kept_unless_it_is_really_meant(
    library: Library, folder: Path, lose: Callable[[Path], str]
) -> None:
    library.add(folder)
    reason = lose(folder)
    report = library.add(folder, prune=True)
    assert (report.removed, report.kept, count(library)) == (0, 3, 3)
    told = f"{reason}, as where a drive is not mounted; 3 documents are kept"
    assert kept(report.problems) == [(str(folder), told)]
    assert len(library.search("attention", mode="keyword").evidence) == 3
    report = library.add(folder, prune="really")
    assert (report.removed, report.kept, count(library)) == (3, 0, 0)


def test_when_the_drive_is_back_nothing_is_read_again(library: Library, folder: Path) -> None:
    library.add(folder)
    vanish(folder)
    library.add(folder, prune=True)
    folder.with_name("away").rename(folder)
    (folder / "a.md").unlink()
    report = library.add(folder, prune=True)
    assert (report.unchanged, report.added, report.removed, report.kept, report.problems) == (2, 0, 1, 0, [])


@pytest.mark.parametrize("given", ["*.md", "**/*.md", "a.md"])
def test_patterns_and_files_in_a_folder_that_is_missing(library: Library, folder: Path, given: str) -> None:
    library.add(folder)
    become_empty(folder)
    report = library.add(f"{folder}/{given}", prune=True)
    assert (report.removed, count(library)) == (0, 3)
    assert [where for where, _ in kept(report.problems)] == [str(folder)]


def test_what_else_was_given_is_pruned_as_ever(library: Library, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("x.md", "y.md"):
        (other / name).write_text(f"Recurrence in {name}.")
    library.add([folder, other])
    vanish(folder)
    (other / "x.md").unlink()
    report = library.add([folder, other], prune=True)
    assert (report.removed, report.kept) == (1, 3)


def test_a_folder_below_that_became_empty_keeps_what_came_from_it(library: Library, folder: Path) -> None:
    """It may be the place where a drive is mounted."""
    library.add(folder)
    (folder / "sub" / "c.md").unlink()
    (folder / "a.md").unlink()
    report = library.add(folder, prune=True)
    assert (report.removed, report.kept) == (1, 1)
    told = "it is empty, as where a drive is not mounted; 1 document is kept"
    assert kept(report.problems) == [(str(folder / "sub"), told)]


def test_a_folder_below_that_was_deleted_is_gone(library: Library, folder: Path) -> None:
    library.add(folder)
    shutil.rmtree(folder / "sub")
    report = library.add(folder, prune=True)
    assert (report.removed, report.kept, report.problems) == (1, 0, [])


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder of thirty notes."""
    made = tmp_path / "many"
    made.mkdir()
    for number in range(30):
        (made / f"{number}.md").write_text(f"Attention number {number}.")
    return made


@pytest.mark.parametrize(("left", "removed"), [(1, 0), (2, 0), (3, 27), (29, 1)])
def test_a_folder_in_which_nearly_everything_is_gone(library: Library, many: Path, left: int, removed: int) -> None:
    library.add(many)
    for number in range(left, 30):
        (many / f"{number}.md").unlink()
    report = library.add(many, prune=True)
    assert (report.removed, report.kept) == (removed, 0 if removed else 30 - left)
    if not removed:
        told = f"{30 - left} of its 30 files are gone, as where a drive is not mounted; {30 - left} documents are kept"
        assert kept(report.problems) == [(str(many), told)]
        assert library.add(many, prune="really").removed == 30 - left


def test_files_that_moved_within_their_folder_are_not_gone(library: Library, many: Path) -> None:
    library.add(many)
    (many / "2024").mkdir()
    for path in many.glob("*.md"):
        path.rename(many / "2024" / path.name)
    report = library.add(many, prune=True)
    assert (report.added, report.removed, report.kept) == (30, 30, 0)


def test_a_bibliography_of_a_drive_is_kept_too(library: Library, folder: Path) -> None:
    (folder / "library.bib").write_text("@article{k, title = {Burrowing Habits of Plateau Porcupines}, year = {2019}}")
    library.add(folder)
    vanish(folder)
    report = library.add(folder, prune=True)
    assert (report.removed, report.kept, count(library)) == (0, 4, 4)
    assert library.matches() is not None
