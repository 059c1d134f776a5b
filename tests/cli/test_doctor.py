"""`scholarmind doctor`: every state that is not well, and what mends it."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind import Library, Settings
from scholarmind.adapters.minilm import MiniLM
from scholarmind.testing import HashEmbedder

Run = Callable[..., Result]


class Stand(HashEmbedder):
    """Passes for the built-in embedder, so that a healthy library needs no model."""

    def __init__(self) -> None:
        super().__init__(MiniLM.dimension)
        self.fingerprint = MiniLM().fingerprint


@pytest.fixture
def healthy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a library in which all is well."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "minilm")
    monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "library"))
    lines = (json.dumps({"id": f"r{n}", "text": f"attention {n} " * 50}) for n in range(60))
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    with Library(Settings(library=tmp_path / "library"), embedder=Stand()) as library:
        assert library.add(tmp_path / "r.jsonl").embedded == 60
    return tmp_path / "library"


def checks(run: Run, *options: str) -> dict[str, dict[str, str]]:
    """Return what doctor says is not well, by name."""
    result = run("doctor", "--json", *options)
    bad = {check["name"]: check for check in json.loads(result.stdout) if not check["ok"]}
    assert result.exit_code == (1 if bad else 0)
    return bad


def test_a_healthy_library(run: Run, healthy: Path) -> None:
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert {line[:4] for line in lines} == {"ok  "}
    assert [line[4:18].strip() for line in lines] == [
        "versions",
        "library file",
        "documents",
        "counts",
        "embedder",
        "keyword index",
        "vector index",
        "vectors",
        "graph",
        "tree",
        "tables",
        "disk",
        "writer",
    ]
    assert "ok  counts         60 documents, 60 passages" in lines


def test_json(run: Run, healthy: Path) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert {frozenset(check) for check in found} == {frozenset({"name", "ok", "seen", "mend"})}
    assert {check["ok"] for check in found} == {True}


def spoil_counts(folder: Path) -> None:
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute("UPDATE collections SET passages = 99")
    connection.close()


def lose_the_keyword_index(folder: Path) -> None:
    shutil.rmtree(folder / "keyword")


def lose_part_of_the_keyword_index(folder: Path) -> None:
    max((folder / "keyword").iterdir(), key=lambda path: path.stat().st_size).unlink()


def spoil_the_keyword_index(folder: Path) -> None:
    flip(max((folder / "keyword").iterdir(), key=lambda path: path.stat().st_size))


def lose_the_vector_index(folder: Path) -> None:
    shutil.rmtree(folder / "vectors")


def lose_the_head_of_the_vectors(folder: Path) -> None:
    (folder / "vectors" / "head.json").unlink()


def spoil_the_vectors(folder: Path) -> None:
    flip(max((folder / "vectors").glob("*.bin"), key=lambda path: path.stat().st_size))


def flip(path: Path) -> None:
    """Change one byte in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (spoil_counts, "counts"),
        (lose_the_keyword_index, "keyword index"),
        (lose_part_of_the_keyword_index, "keyword index"),
        (spoil_the_keyword_index, "keyword index"),
        (lose_the_vector_index, "vector index"),
        (lose_the_head_of_the_vectors, "vector index"),
        (spoil_the_vectors, "vector index"),
    ],
)
def test_what_mend_mends(run: Run, healthy: Path, spoil: Callable[[Path], None], name: str) -> None:
    spoil(healthy)
    assert {bad: check["mend"] for bad, check in checks(run).items()} == {
        name: f"scholarmind doctor --mend --library {healthy}"
    }
    assert list(checks(run)) == [name], "a look must not change anything"
    assert checks(run, "--mend") == {}
    assert checks(run) == {}
    assert len(json.loads(run("search", "attention", "-k", "100", "--mode", "keyword", "--json").stdout)["hits"]) == 60


def test_what_is_bad_is_told_with_its_mend(run: Run, healthy: Path) -> None:
    spoil_counts(healthy)
    result = run("doctor")
    lines = result.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("BAD counts         kept "))
    assert lines[place + 1] == f"                   mend: scholarmind doctor --mend --library {healthy}"


def test_vectors_that_wait(run: Run, healthy: Path, tmp_path: Path) -> None:
    (tmp_path / "late.md").write_text("Attention.")
    with Library(Settings(library=healthy), embedder=Stand()) as library:
        library._embedder = None  # it went away after the text was in
        library.add(tmp_path / "late.md")
    (bad,) = checks(run).values()
    assert (bad["name"], bad["seen"]) == ("vectors", "1 passages wait for their vectors")
    assert bad["mend"] == f"scholarmind add --library {healthy}"
    with Library(Settings(library=healthy), embedder=Stand()) as library:
        library.add()
    assert checks(run) == {}


def test_a_library_without_an_embedder_is_well(filled: Run) -> None:
    assert checks(filled) == {}


def test_another_embedder(run: Run, healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDING_PRECISION", "int8")
    (bad,) = checks(run).values()
    assert bad["name"] == "embedder"
    assert "'all-MiniLM-L6-v2/384/fp32', the settings say 'all-MiniLM-L6-v2/384/int8'" in bad["seen"]
    assert bad["mend"] == f"scholarmind doctor --reembed --library {healthy}"
    assert run("search", "attention").exit_code == 1


@pytest.mark.slow
def test_reembed(run: Run, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "minilm")
    monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "library"))
    with Library(Settings(library=tmp_path / "library"), embedder=HashEmbedder()) as library:
        library.add(notes)
    assert list(checks(run)) == ["embedder"]
    assert checks(run, "--reembed") == {}
    assert len(json.loads(run("search", "looks both ways", "--mode", "vector", "--json").stdout)["hits"]) == 2


def test_no_library(run: Run, tmp_path: Path) -> None:
    (bad,) = checks(run, "--library", str(tmp_path / "none")).values()
    assert bad["name"] == "library"
    assert bad["seen"].startswith(f"there is no library in '{tmp_path}/none'")
    assert not (tmp_path / "none").exists()


def overwrite_the_header(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be looked at " * 100)


def overwrite_the_middle(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("damage", [overwrite_the_header, overwrite_the_middle, cut_in_half])
def test_a_damaged_library_file(run: Run, healthy: Path, damage: Callable[[Path], None]) -> None:
    for journal in healthy.glob("library.db-*"):
        journal.unlink()
    damage(healthy / "library.db")
    assert set(checks(run)) & {"library", "library file"}
    assert set(checks(run, "--mend")) & {"library", "library file"}
    assert run("search", "attention").exit_code == 1


def test_a_layout_of_another_version(run: Run, healthy: Path) -> None:
    with sqlite3.connect(healthy / "library.db") as connection:
        connection.execute("UPDATE about SET value = '99' WHERE key = 'schema'")
    connection.close()
    (bad,) = checks(run).values()
    assert bad["seen"].startswith(f"the library '{healthy}' has layout '99', this version reads '4'")


@pytest.mark.parametrize(
    ("spoil", "name", "told"),
    [
        ("UPDATE graph_names SET edges = 99 WHERE kind = 'author'", "graph", "2 names with a wrong count of edges"),
        ("DELETE FROM graph_names WHERE kind = 'author'", "graph", "2 edges that lead nowhere"),
        ("UPDATE trees SET passages = 7", "tree", "1 trees with a wrong count of passages"),
    ],
)
def test_structures_that_do_not_hold_together_are_built_anew(
    filled: Run, tmp_path: Path, spoil: str, name: str, told: str
) -> None:
    folder = tmp_path / "data" / "scholarmind" / "library"
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute(spoil)
    connection.close()
    mend = f"scholarmind {name} build --again --library {folder}"
    assert {bad: (check["seen"], check["mend"]) for bad, check in checks(filled).items()} == {name: (told, mend)}
    assert filled(*mend.split()[1:]).exit_code == 0
    assert checks(filled) == {}


def test_structures_that_are_behind_go_on(filled: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPH", "TREE"):
        monkeypatch.setenv(f"SCHOLARMIND_{name}", "false")
    (notes / "t5.md").write_text("# T5\nT5 turns every task into text.")
    filled("add", notes)
    found = checks(filled)
    assert {name: found[name]["seen"].split("; ")[1] for name in found} == {
        "graph": "1 documents wait to be read",
        "tree": "1 passages wait for their place",
    }
    for check in found.values():
        assert filled(*check["mend"].split()[1:]).exit_code == 0
    assert checks(filled) == {}
