"""Inputs out of proportion: files, lines and records, and documents that change all the time."""

import json
import random
from pathlib import Path

from robustly import WORDS, Corpus, assert_sound, contents, opened, run

from scholarmind import Library

_MEGABYTE = 1_000_000

_SKIPPING = """
import resource
library, documents = sys.argv[1:]
with opened(library) as adding:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = adding.add(documents)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    say(json.dumps([report.added, [[problem.where, problem.reason, problem.advice] for problem in report.problems], grown]))
    say(titles(adding, "common"))
"""


def test_file_of_200_megabytes(tmp_path: Path) -> None:
    """It is passed over with a reason, in little memory, and what is beside it is taken in."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(3)
    huge = corpus.folder / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(200 * _MEGABYTE)
    try:
        told = run(_SKIPPING, tmp_path / "library", corpus.folder)
    finally:
        huge.unlink()
    added, problems, grown = json.loads(told[0])
    assert added == 3
    assert problems == [
        [
            str(huge),
            "it has 200 MB, the limit is 64 MB",
            "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
        ]
    ]
    assert grown < 60  # megabytes
    assert set(json.loads(told[1].replace("'", '"'))) == {name.removesuffix(".txt") for name in corpus.texts}


def test_record_of_200_megabytes(tmp_path: Path) -> None:
    """One line of a file of records is too long; those before and after it are taken in."""
    documents = tmp_path / "documents"
    documents.mkdir()
    with (documents / "records.jsonl").open("wb") as file:
        file.write(b'{"id": "one", "title": "first", "text": "common words"}\n{"text": "')
        file.seek(200 * _MEGABYTE)
        file.write(b'"}\n{"id": "two", "title": "second", "text": "common words"}\n')
    try:
        told = run(_SKIPPING, tmp_path / "library", documents)
    finally:
        (documents / "records.jsonl").unlink()
    added, problems, grown = json.loads(told[0])
    assert added == 2
    assert [reason for _, reason, _ in problems] == ["the line is longer than 64 MB"]
    assert grown < 250  # megabytes: one line of the longest length, and its copies
    assert told[1] == "['first', 'second']"


def test_line_of_100_000_words(tmp_path: Path) -> None:
    """No line break and no full stop anywhere: it is cut all the same, and every word can be found where it stands."""
    seeded = random.Random(3)
    words = ["common", *seeded.choices(WORDS, k=99_998), "lastword"]
    words[50_000] = "middleword"
    (tmp_path / "line.txt").write_text(" ".join(words))
    with opened(tmp_path / "library", passage_tokens=200) as library:
        assert library.add(tmp_path / "line.txt").problems == []
        for word in ("middleword", "lastword"):
            (found,) = library.search(word, mode="keyword").evidence
            assert word in found.passage.text.split()
            assert " ".join(words)[found.passage.start : found.passage.end] == found.passage.text
        passages = library.store.database.rows("SELECT text FROM passages ORDER BY number")
        assert " ".join(text for (text,) in passages).split() == words  # no overlap: there are no sentences


def test_5_000_records(tmp_path: Path) -> None:
    """One file, many documents: each is found, the one changed record is replaced, and the rest costs nothing."""
    records = [
        {
            "id": f"r{n}",
            "title": f"record {n}",
            "text": f"common text number{n} {WORDS[n % len(WORDS)]}",
            "meta": {"year": 1900 + n % 100},
        }
        for n in range(5_000)
    ]
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    with Library.open(tmp_path / "library", embedder="none", graph=False, tree=False) as library:
        report = library.add(file)
        assert (report.added, report.files, report.problems) == (5_000, 1, [])
        for number in (0, 2_499, 4_999):
            (found,) = library.search(f"number{number}").evidence
            assert (found.document.id, found.passage.text) == (f"r{number}", records[number]["text"])
        assert len(library.search("common", k=5_000).evidence) == 5_000
        assert len(library.search("common", k=5_000, filter="year >= 1990").evidence) == 500
        records[777]["text"] = "common text of another kind"
        file.write_text("\n".join(map(json.dumps, records)))
        report = library.add(file)
        assert (report.added, report.replaced, report.unchanged) == (0, 1, 4_999)
        assert library.search("number777").evidence == ()
        assert [item.document.id for item in library.search("another kind").evidence] == ["r777"]
        assert library.add(file).unchanged == 5_000


def test_document_replaced_100_times(tmp_path: Path) -> None:
    """Neither index grows without bound, the matrix is written anew now and then, and only the last version is found."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(5)
    document = tmp_path / "replaced.txt"
    sizes = []
    with opened(tmp_path / "library", graph=False, tree=False) as library:
        library.add(corpus.folder)
        for version in range(100):
            document.write_text(
                " ".join(f"Common version{version} sentence{n} {WORDS[(version + n) % 30]}." for n in range(60))
            )
            report = library.add(document)
            assert report.added + report.replaced == 1
            if version % 10 == 9:
                sizes.append([_size(tmp_path / "library" / name) for name in ("keyword", "vectors")])
                found = library.search(f"version{version} sentence7", k=1).evidence
                assert f"version{version} sentence7" in found[0].passage.text
                assert library.search(f"version{version - 1}", mode="keyword").evidence == ()
        assert_sound(library)
        living = library.counts()["default"].passages
        head = json.loads((tmp_path / "library" / "vectors" / "head.json").read_text())
        assert head["rows"] - head["dead"] == living
        assert head["dead"] <= max(1000, 0.3 * head["rows"])
        assert head["generation"] > 0
        assert len(list((tmp_path / "library" / "vectors").glob("*-data.bin"))) == 1
    # what 100 replacements leave behind is no more than what 20 do
    for name, early, late in zip(("keyword", "vectors"), sizes[1], sizes[-1], strict=True):
        assert late < 4 * early, (name, sizes)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_everything_removed_and_added_again(tmp_path: Path) -> None:
    """By `remove`, and by deleting the files: after adding again the library is what it was."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(30)
    with opened(tmp_path / "library") as library:
        library.add(corpus.folder)
        before = contents(library)
        assert library.remove([document.id for document in library.documents()]) == 30
        assert library.counts() == {}
        assert library.search("common").evidence == ()
        report = library.add(corpus.folder)
        assert (report.added, report.unchanged, report.embedded) == (30, 0, report.passages)
        assert contents(library) == before
        assert_sound(library)


def test_every_file_deleted_and_written_again(tmp_path: Path) -> None:
    """The folder is emptied, pruned, and filled again with the same."""
    corpus = Corpus(tmp_path / "documents")
    corpus.add(30)
    with opened(tmp_path / "library") as library:
        library.add(corpus.folder)
        before = contents(library)
        for name in corpus.texts:
            (corpus.folder / name).unlink()
        assert library.add(corpus.folder, prune="really").removed == 30
        assert library.counts() == {}
        assert library.search("common").evidence == ()
        for name, text in corpus.texts.items():
            (corpus.folder / name).write_text(text)
        assert library.add(corpus.folder, prune=True).added == 30
        assert contents(library) == before
        assert_sound(library)
