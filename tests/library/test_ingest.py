"""Taking documents in: what is new, changed, gone or unreadable, and what it costs."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from scholarmind import Counts, Library, Problem, Progress, Settings
from scholarmind.errors import ModelUnavailableError
from scholarmind.events import Event
from scholarmind.ports import Embeddings
from scholarmind.testing import HashEmbedder

BINARY = b"\x7fELF\x02\x01\x01" + bytes(200)


class CountingEmbedder(HashEmbedder):
    """Keeps what it was asked to embed; with `calls_left` it breaks down after so many calls."""

    def __init__(self) -> None:
        super().__init__(unknown=lambda text: float("注" in text))
        self.texts: list[str] = []
        self.calls_left = 1000

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        if not self.calls_left:
            raise ModelUnavailableError("the server is down")
        self.calls_left -= 1
        self.texts += texts
        return await super().embed(texts)


@pytest.fixture
def embedder() -> CountingEmbedder:
    """What the library `counted` embeds with."""
    return CountingEmbedder()


@pytest.fixture
def counted(tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Library]:
    """A library whose embedder counts, and does not know Chinese."""
    with Library(Settings(library=tmp_path / "counted"), embedder=embedder) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for files."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


def records(*pairs: tuple[str, str]) -> str:
    """Return lines of records with these ids and texts."""
    return "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in pairs)


def ids(library: Library) -> list[str]:
    """Return the ids of all documents."""
    return sorted(document.id for document in library.documents())


def texts(library: Library, question: str = "attention") -> list[str]:
    """Return the passages that hold a word."""
    return sorted(hit.passage.text for hit in library.search(question, 100, mode="keyword").evidence)


# -- the same again


def test_the_first_time_everything_is_new(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("# A\nAttention.\n# B\nRecurrence.\n")
    (folder / "r.jsonl").write_text(records(("r1", "one"), ("r2", "two")))
    report = library.add(folder)
    assert (report.files, report.added, report.passages, report.embedded) == (2, 3, 4, 4)
    assert library.counts() == {"default": Counts(documents=3, passages=4, vectors=4)}


def test_the_second_time_nothing_happens(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    (folder / "r.jsonl").write_text(records(("r1", "one"), ("r2", "two")))
    counted.add(folder)
    embedder.texts.clear()
    report = counted.add(folder)
    assert (report.added, report.replaced, report.unchanged, report.passages) == (0, 0, 3, 0)
    assert embedder.texts == []


def test_what_is_touched_but_not_changed_is_unchanged(library: Library, folder: Path) -> None:
    path = folder / "a.md"
    path.write_text("Attention.")
    library.add(folder)
    path.unlink()
    path.write_text("Attention.")
    assert library.add(folder).unchanged == 1


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(str, id="text"),
        pytest.param(lambda folder: folder, id="path"),
        pytest.param(lambda folder: [folder / "a.md"], id="list"),
        pytest.param(lambda folder: folder.iterdir(), id="iterator"),
    ],
)
def test_paths_may_be_given_in_any_way(library: Library, folder: Path, paths: Callable[[Path], object]) -> None:
    (folder / "a.md").write_text("Attention.")
    assert library.add(paths(folder)).added == 1  # type: ignore[arg-type]


# -- changes


def test_a_changed_file_takes_the_place_of_the_old_one(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention is old.")
    library.add(folder)
    before = ids(library)
    (folder / "a.md").write_text("Attention is new.")
    report = library.add(folder)
    assert (report.added, report.replaced) == (0, 1)
    assert texts(library) == ["Attention is new."]
    assert ids(library) == before


def test_unchanged_passages_keep_their_vectors(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    (folder / "a.md").write_text("# A\nFirst.\n# B\nSecond.\n# C\nThird.\n")
    counted.add(folder)
    embedder.texts.clear()
    (folder / "a.md").write_text("# A\nFirst.\n# B\nChanged.\n# C\nThird.\n")
    report = counted.add(folder)
    assert (report.replaced, report.passages, report.embedded) == (1, 3, 1)
    assert [text.rpartition("\n")[2] for text in embedder.texts] == ["Changed."]
    assert counted.counts()["default"] == Counts(documents=1, passages=3, vectors=3)


def test_a_changed_title_changes_what_is_embedded(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    body = "A body that is long beside its title, so that the title is shown with it."
    for title in ("Old", "New"):
        (folder / "a.md").write_text(f"---\ntitle: {title}\n---\n{body}")
        counted.add(folder)
    assert embedder.texts == [f"Old\n{body}", f"New\n{body}"]


def test_one_changed_record_leaves_the_others_alone(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    (folder / "r.jsonl").write_text(records(("a", "one"), ("b", "two")))
    counted.add(folder)
    embedder.texts.clear()
    (folder / "r.jsonl").write_text(records(("a", "one"), ("b", "changed"), ("c", "three")))
    report = counted.add(folder)
    assert (report.added, report.replaced, report.unchanged) == (1, 1, 1)
    assert sorted(embedder.texts) == ["changed", "three"]


def test_other_sizes_of_passages_cut_everything_anew(tmp_path: Path, folder: Path) -> None:
    (folder / "a.md").write_text("Attention weighs every word. " * 30)
    found = []
    for tokens in (200, 50):
        settings = Settings(library=tmp_path / "library", passage_tokens=tokens, passage_overlap=0)
        with Library(settings, embedder=HashEmbedder()) as library:
            report = library.add(folder)
            found.append((report.added, report.replaced, report.passages))
    assert found == [(1, 0, 1), (0, 1, 4)]


# -- gone


def test_a_file_that_is_gone_stays_known_without_prune(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    library.add(folder)
    (folder / "a.md").unlink()
    assert library.add(folder).removed == 0
    assert texts(library) == ["Attention."]


@pytest.mark.parametrize("given", ["", "gone.md", "*.md"])
def test_prune_removes_what_is_gone_from_the_places_given(library: Library, folder: Path, given: str) -> None:
    (folder / "gone.md").write_text("Attention gone.")
    (folder / "here.md").write_text("Attention here.")
    library.add(folder)
    (folder / "gone.md").unlink()
    assert library.add(f"{folder}/{given}", prune=True).removed == 1
    assert texts(library) == ["Attention here."]


def test_prune_removes_a_record_that_is_gone(library: Library, folder: Path) -> None:
    (folder / "r.jsonl").write_text(records(("a", "one"), ("b", "two")))
    library.add(folder)
    (folder / "r.jsonl").write_text(records(("b", "two")))
    assert library.add(folder, prune=True).removed == 1
    assert ids(library) == ["b"]


def test_prune_leaves_other_places_and_collections_alone(library: Library, tmp_path: Path) -> None:
    for name in ("notes", "notes-2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"Attention in {name}.")
        (tmp_path / name / "b.md").write_text(f"Recurrence in {name}.")
    library.add([tmp_path / "notes", tmp_path / "notes-2"])
    library.add(tmp_path / "notes", collection="other")
    for name in ("notes", "notes-2"):
        (tmp_path / name / "b.md").unlink()
    assert library.add(tmp_path / "notes", prune=True).removed == 1
    assert {name: counts.documents for name, counts in library.counts().items()} == {"default": 3, "other": 2}


def test_files_of_the_same_content_are_stored_once_and_told(library: Library, folder: Path) -> None:
    for name in ("a.md", "b.md", "c.txt"):
        (folder / name).write_text("Attention.")
    report = library.add(folder)
    assert (report.added, report.duplicates, texts(library)) == (1, 2, ["Attention."])
    assert [problem.reason for problem in report.problems] == [f"it has the same content as {folder / 'a.md'}"] * 2
    again = library.add(folder)
    assert (again.added, again.unchanged, again.duplicates) == (0, 1, 2)
    (folder / "b.md").write_text("Attention, changed.")
    assert (library.add(folder).added, texts(library)) == (1, ["Attention, changed.", "Attention."])


def test_a_copy_of_a_file_that_could_not_be_read_is_read_for_itself(library: Library, folder: Path) -> None:
    (folder / "a.docx").write_text("Attention.")  # no such file, whatever its name says
    (folder / "b.md").write_text("Attention.")
    (folder / "c.md").write_text("Attention.")
    report = library.add(folder)
    assert (texts(library), report.added, report.files) == (["Attention."], 1, 3)
    told = {Path(problem.where).name: problem.reason for problem in report.problems}
    assert told["c.md"] == f"it has the same content as {folder / 'b.md'}"
    assert set(told) == {"a.docx", "c.md"}


def test_when_a_file_goes_another_of_its_content_takes_its_place(library: Library, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("Attention.")
    library.add([tmp_path / "one", tmp_path / "two"])
    (tmp_path / "one" / "a.md").unlink()
    report = library.add(tmp_path / "one", prune="really")  # the folder is empty now
    assert (report.removed, report.added) == (1, 1)
    assert [document.origin for document in library.documents()] == [str(tmp_path / "two" / "a.md")]


def test_a_file_that_moved_is_no_copy_of_itself(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    library.add(folder)
    (folder / "a.md").rename(folder / "b.md")
    report = library.add(folder, prune=True)
    assert (report.added, report.removed, report.duplicates) == (1, 1, 0)


def test_a_pruned_file_that_comes_back_is_added_again(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    library.add(folder)
    (folder / "a.md").rename(folder / "a.away")
    library.add(folder, prune=True)
    (folder / "a.away").rename(folder / "a.md")
    assert library.add(folder).added == 1


def test_a_moved_file_is_one_document_after_prune(library: Library, folder: Path) -> None:
    (folder / "old.md").write_text("Attention.")
    library.add(folder)
    (folder / "old.md").rename(folder / "new.md")
    report = library.add(folder, prune=True)
    assert (report.added, report.removed) == (1, 1)
    assert [Path(document.origin).name for document in library.documents()] == ["new.md"]


def test_a_moved_file_with_an_id_is_the_same_document(library: Library, folder: Path) -> None:
    (folder / "old.md").write_text("---\nid: mine\n---\nAttention.")
    library.add(folder)
    (folder / "old.md").rename(folder / "new.md")
    report = library.add(folder)
    assert (report.added, report.replaced, report.problems) == (0, 1, [])
    assert [(document.id, Path(document.origin).name) for document in library.documents()] == [("mine", "new.md")]


def test_a_removed_document_can_be_added_again(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    library.add(folder)
    assert library.remove(ids(library)) == 1
    assert texts(library) == []
    assert library.add(folder).added == 1
    assert texts(library) == ["Attention."]


def test_removing_what_is_not_there_removes_nothing(library: Library) -> None:
    assert library.remove(["nothing", "nothing"]) == 0


# -- unreadable


def become_binary(path: Path) -> None:
    path.write_bytes(BINARY)


def become_empty(path: Path) -> None:
    path.write_text("")


def become_too_large(path: Path) -> None:
    path.write_text("x" * 1_000_001)


def become_a_broken_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def become_a_link_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def become_a_disk_error(path: Path) -> None:
    path.unlink()
    path.symlink_to("/proc/self/mem")  # a plain file whose first byte cannot be read


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize(
    "become",
    [
        become_binary,
        become_empty,
        become_too_large,
        become_a_broken_link,
        become_a_link_to_itself,
        pytest.param(
            become_a_disk_error, marks=pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux")
        ),
    ],
)
def test_a_file_that_became_unreadable_keeps_its_old_version(
    tmp_path: Path, folder: Path, become: Callable[[Path], None], *, prune: bool
) -> None:
    (folder / "a.md").write_text("Attention.")
    (folder / "b.md").write_text("More attention.")
    settings = Settings(library=tmp_path / "library", max_file_megabytes=1)
    with Library(settings, embedder=HashEmbedder()) as library:
        library.add(folder)
        become(folder / "a.md")
        report = library.add(folder, prune=prune)
        assert [Path(problem.where).name for problem in report.problems] == ["a.md"]
        assert (report.unchanged, report.removed) == (1, 0)
        assert texts(library) == ["Attention.", "More attention."]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("closed", [pytest.param("sub", id="folder"), pytest.param("sub/a.md", id="file")])
def test_prune_keeps_what_may_not_be_read_for_now(library: Library, folder: Path, closed: str) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.md").write_text("Attention.")
    library.add(folder)
    (folder / closed).chmod(0)
    report = library.add(folder, prune=True)
    (folder / closed).chmod(0o700)
    assert [Path(problem.where).name for problem in report.problems] == [Path(closed).name]
    assert report.removed == 0
    assert texts(library) == ["Attention."]


def test_a_broken_record_keeps_what_the_file_gave_before(library: Library, folder: Path) -> None:
    (folder / "r.jsonl").write_text(records(("a", "attention one"), ("b", "attention two")))
    library.add(folder)
    (folder / "r.jsonl").write_text(records(("a", "attention changed")) + "{broken\n")
    report = library.add(folder, prune=True)
    assert (report.replaced, report.removed, len(report.problems)) == (1, 0, 1)
    assert texts(library) == ["attention changed", "attention two"]


def test_an_unreadable_file_is_looked_at_again_next_time(library: Library, folder: Path) -> None:
    (folder / "a.md").write_bytes(BINARY)
    assert [len(library.add(folder).problems) for _ in range(2)] == [1, 1]
    (folder / "a.md").write_text("Attention.")
    assert library.add(folder).added == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("bad.md", BINARY, id="binary"),
        pytest.param("bad.md", b"", id="empty"),
        pytest.param("bad.md", b"---\ntitle: x\n---\n", id="no text"),
        pytest.param("bad.jsonl", b"{broken\n", id="broken record"),
        pytest.param("bad.jsonl", b'{"id": "x"}\n', id="record without text"),
        pytest.param("bad.xyz", b"x", id="unknown suffix"),
    ],
)
def test_one_bad_file_never_stops_the_rest(library: Library, folder: Path, name: str, content: bytes) -> None:
    for good in ("a.md", "z.md"):
        (folder / good).write_text(f"Attention, {good}.")
    (folder / name).write_bytes(content)
    report = library.add([folder / "a.md", folder / name, folder / "z.md"])
    assert report.added == 2
    assert [Path(problem.where.partition(", line")[0]).name for problem in report.problems] == [name]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("odd.md", b"---\ntitle: x\nbig: 0x" + b"f" * 5000 + b"\n---\nAttention.", id="digits"),
        pytest.param("odd.md", b"---\nx: 2019-99-99\n---\nAttention.", id="impossible date"),
        pytest.param("odd\udcff.txt", b"Attention.", id="name that is not UTF-8"),
        pytest.param("odd.md", b"Attention." + b"#" * 1000, id="signs"),
        pytest.param("odd.md", b"\xff\xfeA\x00t\x00", id="two letters of UTF-16"),
        pytest.param("odd.md", b"Attention.\n" * 20 + b"\0", id="NUL at the end"),
    ],
)
def test_an_odd_file_is_taken_with_the_rest(library: Library, folder: Path, name: str, content: bytes) -> None:
    (folder / "a.md").write_text("Recurrence.")
    (folder / name).write_bytes(content)
    assert library.add(folder).added == 2


# -- the same id twice


def test_the_same_id_twice_in_a_file(library: Library, folder: Path) -> None:
    (folder / "r.jsonl").write_text(records(("a", "attention first"), ("a", "attention second"), ("b", "third")))
    report = library.add(folder)
    assert report.added == 2
    assert report.problems == [
        Problem(
            where=f"{folder}/r.jsonl",
            reason="the id 'a' is taken by an earlier record",
            advice="give every record an id of its own",
        )
    ]
    assert texts(library) == ["attention first"]


def test_the_same_id_in_two_files_at_once(library: Library, folder: Path) -> None:
    (folder / "1.jsonl").write_text(records(("a", "attention first")))
    (folder / "2.jsonl").write_text(records(("a", "attention second")))
    report = library.add(folder)
    assert (report.added, len(report.problems)) == (1, 1)
    assert texts(library) == ["attention first"]


def test_the_same_id_in_a_file_that_comes_later(library: Library, folder: Path) -> None:
    (folder / "2.jsonl").write_text(records(("a", "attention first")))
    library.add(folder)
    (folder / "1.jsonl").write_text(records(("a", "attention second")))
    report = library.add(folder)
    assert [problem.reason for problem in report.problems] == [f"the id 'a' is taken by {folder}/2.jsonl"]
    assert texts(library) == ["attention first"]


# -- collections


def test_a_folder_can_be_in_two_collections(library: Library, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    library.add(folder, collection="one")
    assert library.add(folder, collection="two").added == 1
    assert library.counts() == {
        "one": Counts(documents=1, passages=1, vectors=1),
        "two": Counts(documents=1, passages=1, vectors=1),
    }
    assert library.remove(ids(library)[:1], collection="one") == 1
    assert list(library.counts()) == ["two"]


# -- vectors


def test_texts_are_kept_when_the_embedder_breaks_down(
    counted: Library, embedder: CountingEmbedder, folder: Path
) -> None:
    (folder / "r.jsonl").write_text(records(*((f"r{n}", f"attention {n}") for n in range(40))))
    embedder.calls_left = 1
    with pytest.raises(ModelUnavailableError):
        counted.add(folder)
    assert counted.counts()["default"].waiting == 8
    assert len(texts(counted)) == 40


def test_add_without_paths_finishes_what_waits(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    (folder / "r.jsonl").write_text(records(*((f"r{n}", f"attention {n}") for n in range(40))))
    embedder.calls_left = 1
    with pytest.raises(ModelUnavailableError):
        counted.add(folder)
    embedder.calls_left = 1000
    report = counted.add()
    assert (report.files, report.embedded, report.problems) == (0, 8, [])
    assert counted.counts()["default"] == Counts(documents=40, passages=40, vectors=40)
    assert len(embedder.texts) == len(set(embedder.texts)) == 40


def test_what_the_embedder_does_not_know_is_found_by_words(
    counted: Library, embedder: CountingEmbedder, folder: Path
) -> None:
    (folder / "zh.md").write_text("注意力机制。")
    (folder / "en.md").write_text("Attention mechanism.")
    report = counted.add(folder)
    assert (report.embedded, report.unsuited) == (1, 1)
    assert counted.counts()["default"] == Counts(documents=2, passages=2, vectors=1, unsuited=1)
    assert counted.counts()["default"].waiting == 0
    assert set(texts(counted, "注意力")) == {"注意力机制。", "Attention mechanism."}, (
        "one by its words, one by their translation"
    )
    embedder.texts.clear()
    counted.add()
    assert embedder.texts == []


def test_reembedding_asks_for_everything_again(counted: Library, embedder: CountingEmbedder, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    (folder / "zh.md").write_text("注意力机制。")
    counted.add(folder)
    report = counted.reembed()
    assert (report.embedded, report.unsuited) == (1, 1)
    assert len(embedder.texts) == 4


def test_without_an_embedder_passages_wait(tmp_path: Path, folder: Path) -> None:
    (folder / "a.md").write_text("Attention.")
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        assert library.add(folder).embedded == 0
        assert library.counts()["default"].waiting == 1
        assert texts(library) == ["Attention."]


# -- what is told on the way


def test_progress_rises_to_the_total(library: Library, folder: Path) -> None:
    for number in range(600):
        (folder / f"{number}.txt").write_text(f"Attention {number}.")
    events: list[Event] = []
    library.add(folder, on_event=events.append)
    for stage, unit in (("read", "files"), ("embed", "passages")):
        told = [event for event in events if isinstance(event, Progress) and event.stage == stage]
        done = [event.done for event in told]
        assert len(done) > 1
        assert done == sorted(set(done))
        assert done[-1] == 600
        assert {(event.total, event.unit) for event in told} == {(600, unit)}


def test_progress_counts_bad_and_unchanged_files_too(library: Library, folder: Path) -> None:
    (folder / "same.md").write_text("Attention.")
    library.add(folder)
    (folder / "bad.md").write_bytes(BINARY)
    (folder / "new.md").write_text("Attention.")
    events: list[Event] = []
    report = library.add(folder, on_event=events.append)
    read = [event for event in events if isinstance(event, Progress) and event.stage == "read"]
    assert (read[-1].done, read[-1].total) == (3, 3)
    assert [event for event in events if isinstance(event, Problem)] == report.problems


def test_two_adds_at_once_both_arrive(library: Library, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"Attention {name}.")

    async def both() -> None:
        await asyncio.gather(library.add.aio(folder / "a.md"), library.add.aio(folder / "b.md"))

    asyncio.run(both())
    assert texts(library) == ["Attention a.", "Attention b."]
    assert library.counts()["default"] == Counts(documents=2, passages=2, vectors=2)
