"""Questions in one language over notes in the other, by keywords and the glossary alone."""

import json
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from scholarmind import Library, Settings
from scholarmind.library.retrieval import Retrieval
from scholarmind.model import Evidence, Search

QUESTIONS = Path(__file__).parent / "data" / "cross_language.jsonl"
CASES = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """All demo notes, English and Chinese, without vectors."""
    folder = tmp_path_factory.mktemp("notes")
    with (
        Library(Settings(library=folder / "library", embedder="none")) as library,
        as_file(files("scholarmind.demo") / "notes") as demo,
    ):
        library.add(demo)
        yield library


@pytest.fixture
def words(tmp_path: Path) -> Iterator[Library]:
    """An empty library without vectors."""
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        yield library


def note(hit: Evidence) -> str:
    """Return the name of the file that a passage is from."""
    return Path(hit.document.origin).name


def fill(library: Library, folder: Path, **texts: str) -> None:
    """Add a note for each text."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    library.add(folder)


def found(library: Library, question: str) -> list[str]:
    """Return the notes that a search finds, best first."""
    return [note(hit).removesuffix(".md") for hit in library.search(question).evidence]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_right_note_is_among_the_first_five(notes: Library, language: str) -> None:
    cases = [case for case in CASES if case["language"] == language]
    missed = [case for case in cases if case["note"] not in map(note, notes.search(case["question"], 5).evidence)]
    assert len(cases) == 40
    assert len(missed) <= 8, missed


def test_each_question_is_about_a_note_of_the_other_language() -> None:
    present = {path.name for path in (files("scholarmind.demo") / "notes").iterdir()}
    assert {case["note"] for case in CASES} <= present
    assert {(case["language"], case["note"].endswith(".zh.md")) for case in CASES} == {("zh", False), ("en", True)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("稀疏注意力", ["zh", "en"], id="Chinese"),
        pytest.param("sparse attention", ["en", "zh"], id="English"),
        pytest.param("SPARSE attentions", ["en", "zh"], id="another form"),
        pytest.param("哪些论文提出了稀疏注意力？", ["zh", "en"], id="Chinese question"),
    ],
)
def test_ones_own_words_come_before_their_translation(
    words: Library, tmp_path: Path, question: str, expected: list[str]
) -> None:
    english = {f"more{number}": f"A text on cooking, number {number}." for number in range(20)}
    fill(words, tmp_path, zh="这里讨论稀疏注意力。", en="A note on sparse attention here.", **english)
    assert found(words, question) == expected


def test_a_word_and_its_translation_in_one_passage_count_once(words: Library, tmp_path: Path) -> None:
    fill(words, tmp_path, both="检索 retrieval, some more of it", english="retrieval with ranking, some of it")
    assert found(words, "retrieval ranking")[0] == "english"


@pytest.mark.anyio
async def test_in_a_library_of_one_language_nothing_changes(words: Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Sparse attention reads a long document.")
    (tmp_path / "b.md").write_text("Dense retrieval reads a question.")
    await words.add.aio(tmp_path)
    question = "Which attention reads a long document or question?"
    plain, wide = [
        await words.store.search(Search(text=question, translations=given))
        for given in ((), (("attention", ("注意力",)), ("long document", ("长文档",)), ("reads", ("阅读", "读取"))))
    ]
    assert [(hit.passage, hit.scores) for hit in wide] == [(hit.passage, hit.scores) for hit in plain]


@pytest.mark.anyio
async def test_ones_own_glossary_is_searched_with(words: Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Surface codes protect qubits.")
    own = tmp_path / "own.tsv"
    own.write_text("表面码\tsurface code\n", encoding="utf-8")
    await words.add.aio(tmp_path / "a.md")
    without, with_own = [
        await Retrieval(store=words.store, embedder=None, glossary=path).search("表面码是什么？")
        for path in (None, own)
    ]
    assert [len(answer.evidence) for answer in (without, with_own)] == [0, 1]


def test_a_question_of_very_many_terms_is_answered(notes: Library) -> None:
    every = " ".join(case["question"] for case in CASES)
    assert len(notes.search(every * 5, 5).evidence) == 5


def test_a_filter_holds_for_translations_too(notes: Library) -> None:
    hits = notes.search("稀疏注意力的窗口", 5, filter='title = "Longformer: The Long-Document Transformer"').evidence
    assert {note(hit) for hit in hits} == {"longformer.md"}
