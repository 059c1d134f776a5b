"""What `add` takes for a file, in every kind of folder that people have."""

import os
from pathlib import Path

import pytest

from scholarmind import Library, Problem, Settings

ROOT = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for files."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


def write(folder: Path, *names: str) -> None:
    """Write a small file under each name."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Attention in {path.suffix.lower()} files, {name!a}.\n")


def origins(library: Library, folder: Path) -> list[str]:
    """Return what is stored, by the places of the files within the folder."""
    return sorted(str(Path(document.origin).relative_to(folder)) for document in library.documents())


def reasons(problems: list[Problem]) -> dict[str, str]:
    """Return the reason for each name of a file."""
    return {Path(problem.where).name: problem.reason for problem in problems}


def test_a_folder_is_walked_to_its_depths(library: Library, folder: Path) -> None:
    write(folder, "a.md", "b/c.txt", "b/d/e.markdown", "F.MD", "g.text", "h.rst")
    report = library.add(folder)
    assert origins(library, folder) == ["F.MD", "a.md", "b/c.txt", "b/d/e.markdown", "g.text", "h.rst"]
    assert (report.files, report.added, report.ignored, report.problems) == (6, 6, 0, [])


def test_hidden_files_and_folders_are_passed_over(library: Library, folder: Path) -> None:
    write(folder, "a.md", ".hidden.md", ".git/b.md")
    library.add(folder)
    assert origins(library, folder) == ["a.md"]


def test_a_hidden_file_that_is_asked_for_is_taken(library: Library, folder: Path) -> None:
    write(folder, ".hidden.md")
    library.add(folder / ".hidden.md")
    assert origins(library, folder) == [".hidden.md"]


def test_other_kinds_of_files_in_a_folder_are_counted(library: Library, folder: Path) -> None:
    write(folder, "a.md", "b.xyz", "c", "d.md.bak")
    report = library.add(folder)
    assert (report.added, report.ignored, report.problems) == (1, 3, [])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("a.xyz", "there is no reader for '.xyz'", id="unknown suffix"),
        pytest.param("README", "there is no reader for 'a name without suffix'", id="no suffix"),
    ],
)
def test_a_file_of_another_kind_that_is_asked_for_is_told(
    library: Library, folder: Path, name: str, reason: str
) -> None:
    write(folder, name)
    assert reasons(library.add(folder / name).problems) == {name: reason}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("missing.md", id="file"),
        pytest.param("missing/", id="folder"),
        pytest.param("", id="empty name in a list"),
        pytest.param("x" * 5000, id="longer than a name can be"),
        pytest.param("~nobody-of-this-name/a.md", id="home of nobody"),
        pytest.param("a\0b.md", id="NUL"),
        pytest.param("a\udcff.md", id="not UTF-8"),
    ],
)
def test_a_missing_path_is_told_and_the_others_are_taken(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(folder.parent)
    write(folder, "a.md")
    report = library.add([given, folder / "a.md"] if given else [folder / "b.md", folder / "a.md"])
    assert report.added == 1
    assert [problem.reason for problem in report.problems] == ["there is no such file or folder"]


def test_a_name_that_begins_with_a_tilde_is_a_name(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "~$notes.md")  # as word processors leave them, and as a shell gives them for `*`
    monkeypatch.chdir(folder)
    library.add("~$notes.md")
    assert origins(library, folder) == ["~$notes.md"]


def test_a_path_below_the_home_folder(library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.md")
    monkeypatch.setenv("HOME", str(folder))
    library.add("~/a.md")
    assert origins(library, folder) == ["a.md"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param("*.md", ["a.md", "b.md"], id="star"),
        pytest.param("**/*.md", ["a.md", "b.md", "sub/c.md"], id="two stars"),
        pytest.param("[b-z].md", ["b.md"], id="range"),
        pytest.param("s*", ["sub/c.md", "sub/d.txt"], id="folder"),
        pytest.param("**", ["a.md", "b.md", "sub/c.md", "sub/d.txt"], id="everything"),
    ],
)
def test_patterns(library: Library, folder: Path, pattern: str, expected: list[str]) -> None:
    write(folder, "a.md", "b.md", "sub/c.md", "sub/d.txt", "sub/e.xyz", ".hidden.md")
    report = library.add(f"{folder}/{pattern}")
    assert origins(library, folder) == expected
    assert report.problems == []


def test_a_pattern_without_a_match_is_told(library: Library, folder: Path) -> None:
    assert reasons(library.add(f"{folder}/*.md").problems) == {"*.md": "no file matches the pattern"}


def test_a_name_that_looks_like_a_pattern_is_a_name(library: Library, folder: Path) -> None:
    write(folder, "[a].md", "a.md")
    library.add(folder / "[a].md")
    assert origins(library, folder) == ["[a].md"]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(["", ""], id="folder twice"),
        pytest.param(["", "sub"], id="folder and one within"),
        pytest.param(["sub", ""], id="folder and the one around"),
        pytest.param(["", "a.md", "sub/../a.md", "./a.md"], id="folder and its file"),
        pytest.param(["", "*.md"], id="folder and pattern"),
    ],
)
def test_what_is_given_twice_is_taken_once(library: Library, folder: Path, given: list[str]) -> None:
    write(folder, "a.md", "sub/b.md")
    report = library.add([f"{folder}/{name}" for name in given])
    assert origins(library, folder) == ["a.md", "sub/b.md"]
    assert (report.files, report.problems) == (2, [])


@pytest.fixture
def linked(folder: Path, tmp_path: Path) -> Path:
    """The folder, with a note, and links to a file and a folder outside of it."""
    write(folder, "a.md")
    write(tmp_path, "notes-2/b.md", "c.md")
    (folder / "link").symlink_to(tmp_path / "notes-2")
    (folder / "link.md").symlink_to(tmp_path / "c.md")
    return folder


@pytest.mark.parametrize("given", ["", "*", "*.md", "**", "**/*.md", "l*", "link/*.md", "link*/*.md"])
def test_links_that_lead_out_of_the_folder_are_left_out_and_told(library: Library, linked: Path, given: str) -> None:
    if given == "link/*.md":  # the user names the link himself
        assert library.add(f"{linked}/{given}").added == 1
        return
    report = library.add(f"{linked}/{given}")
    assert origins(library, linked) == ([] if given.startswith("l") else ["a.md"])
    outside = {
        "link": f"it is a link out of '{linked}', to '{linked.parent / 'notes-2'}': left out",
        "link.md": f"it is a link out of '{linked}', to '{linked.parent / 'c.md'}': left out",
    }
    if given == "link*/*.md":
        del outside["link.md"]
    if given.endswith("*.md") and given.startswith("*.md"):
        del outside["link"]
    assert reasons(report.problems) == outside
    assert all("--follow-links" in problem.advice for problem in report.problems)


@pytest.mark.parametrize("by", ["argument", "setting"])
def test_links_that_lead_out_are_followed_where_that_is_wanted(linked: Path, tmp_path: Path, by: str) -> None:
    with Library(Settings(library=tmp_path / "library", embedder="none", follow_links=by == "setting")) as library:
        report = library.add(linked, follow_links=True if by == "argument" else None)
        assert (report.problems, origins(library, linked)) == ([], ["a.md", "link.md", "link/b.md"])
        report = library.add(linked, follow_links=False, prune=True)
        assert (report.removed, len(report.problems), len(library.documents())) == (0, 2, 3)


@pytest.mark.parametrize("kind", ["file", "folder", "source"])
def test_a_link_that_is_given_is_followed(library: Library, folder: Path, tmp_path: Path, kind: str) -> None:
    write(tmp_path, "elsewhere/a.md", "elsewhere/b.tex")
    target = {"file": "elsewhere/a.md", "folder": "elsewhere", "source": "elsewhere/b.tex"}[kind]
    link = folder / f"link{Path(target).suffix}"
    link.symlink_to(tmp_path / target)
    report = library.add(link)
    assert (report.added, report.problems) == (2 if kind == "folder" else 1, [])


def test_links_that_lead_to_a_place_inside_are_followed(library: Library, folder: Path, tmp_path: Path) -> None:
    write(folder, "x/deep/a.md", "x/b.md")
    (folder / "c.md").symlink_to("x/b.md")
    (folder / "deep").symlink_to(folder / "x" / "deep")
    (tmp_path / "given").symlink_to(folder)
    report = library.add(tmp_path / "given")
    assert sorted(Path(document.origin).name for document in library.documents()) == ["a.md", "c.md"]
    assert [problem.reason for problem in report.problems] == [
        f"it has the same content as {tmp_path / 'given' / 'c.md'}"
    ]


def test_links_in_a_circle_end(library: Library, folder: Path, tmp_path: Path) -> None:
    write(folder, "a/a.md", "b/b.md")
    (folder / "a" / "to b").symlink_to(folder / "b")
    (folder / "b" / "to a").symlink_to(folder / "a")
    (tmp_path / "out").mkdir()
    (folder / "out").symlink_to(tmp_path / "out")
    (tmp_path / "out" / "back").symlink_to(folder)
    assert library.add(folder, follow_links=True).added == 2
    assert len(library.documents()) == 2


@pytest.mark.parametrize("given", ["", "**/*.md"])
def test_a_link_back_to_its_own_folder_is_followed_once(library: Library, folder: Path, given: str) -> None:
    write(folder, "a.md", "sub/b.md")
    (folder / "sub" / "back").symlink_to(folder)
    library.add(f"{folder}/{given}")
    assert origins(library, folder) == ["a.md", "sub/b.md"]


@pytest.mark.parametrize("given", ["", "loop.md"])
def test_a_link_to_itself_is_told(library: Library, folder: Path, given: str) -> None:
    write(folder, "a.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    report = library.add([f"{folder}/{given}", folder / "a.md"])
    assert origins(library, folder) == ["a.md"]
    assert reasons(report.problems) == {"loop.md": "cannot be opened: Too many levels of symbolic links"}


@pytest.mark.parametrize("given", ["", "broken.md"])
def test_a_broken_link_is_told(library: Library, folder: Path, given: str) -> None:
    (folder / "broken.md").symlink_to(folder / "nowhere.md")
    report = library.add(f"{folder}/{given}")
    assert reasons(report.problems) == {"broken.md": "cannot be opened: No such file or directory"}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("given", ["", "pipe.md", "*.md"])
def test_a_pipe_is_told_and_not_waited_for(library: Library, folder: Path, given: str) -> None:
    write(folder, "a.md")
    os.mkfifo(folder / "pipe.md")
    report = library.add([folder / "a.md", f"{folder}/{given}"])
    assert origins(library, folder) == ["a.md"]
    assert reasons(report.problems) == {"pipe.md": "is not a plain file"}


def test_a_folder_named_like_a_file_is_a_folder(library: Library, folder: Path) -> None:
    write(folder, "folder.md/a.md")
    library.add(folder)
    assert origins(library, folder) == ["folder.md/a.md"]


@pytest.mark.skipif(ROOT, reason="root may read everything")
def test_what_may_not_be_read_is_told(library: Library, folder: Path) -> None:
    write(folder, "a.md", "closed.md", "shut/b.md")
    (folder / "closed.md").chmod(0)
    (folder / "shut").chmod(0)
    report = library.add(folder)
    (folder / "shut").chmod(0o700)
    assert origins(library, folder) == ["a.md"]
    assert reasons(report.problems) == {
        "closed.md": "it cannot be read: Permission denied",
        "shut": "cannot be listed: Permission denied",
    }


@pytest.mark.skipif(ROOT, reason="root may read everything")
def test_a_file_in_a_folder_that_may_not_be_entered_is_told(library: Library, folder: Path) -> None:
    write(folder, "a.md", "shut/b.md")
    (folder / "shut").chmod(0)
    report = library.add([folder / "shut" / "b.md", folder / "a.md"])
    (folder / "shut").chmod(0o700)
    assert origins(library, folder) == ["a.md"]
    assert list(reasons(report.problems)) == ["b.md"]


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        pytest.param('it\'s "quoted".md', 'it\'s "quoted".md', id="quotes"),
        pytest.param("two\nlines.md", "two\nlines.md", id="line end"),
        pytest.param("🚀 注意力.txt", "🚀 注意力.txt", id="emoji and Chinese"),
        pytest.param("bad\udcff.md", "bad\\xff.md", id="not UTF-8, Markdown"),
        pytest.param("bad\udcff.txt", "bad\\xff.txt", id="not UTF-8, text"),
        pytest.param(" -rf ;$(x) %s.md", " -rf ;$(x) %s.md", id="shell"),
        pytest.param("[bold]x[/bold].md", "[bold]x[/bold].md", id="markup"),
        pytest.param("' OR 1=1 --.md", "' OR 1=1 --.md", id="SQL"),
        pytest.param(f"{'n' * 240}.md", f"{'n' * 240}.md", id="long"),
    ],
)
def test_any_name_of_a_file_is_stored_found_and_known_again(
    library: Library, folder: Path, name: str, stored: str
) -> None:
    write(folder, name)
    assert library.add(folder).added == 1
    assert origins(library, folder) == [stored]
    (hit,) = library.search("attention").evidence
    assert library.text(hit.document.id) == hit.passage.text + "\n"
    again = library.add(folder, prune=True)
    assert (again.added, again.unchanged, again.removed) == (0, 1, 0)


def test_names_that_look_alike_are_two_documents(library: Library, folder: Path) -> None:
    write(folder, "bad\udcff.md", "bad\udcfe.md")
    assert library.add(folder).added == 2
    again = library.add(folder, prune=True)
    assert (again.added, again.replaced, again.unchanged, again.removed) == (0, 0, 2, 0)
