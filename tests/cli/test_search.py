"""`scholarmind search`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


def ids(shown: str) -> list[str]:
    """Return the ids of the documents in the JSON that was printed, best first."""
    return [hit["document"]["id"] for hit in json.loads(shown)["hits"]]


def test_a_hit_shows_title_origin_and_the_marked_passage(filled: Run) -> None:
    result = filled("search", "words", "hidden")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        " 1. BERT\n"
        "    Jacob Devlin, Ming-Wei Chang · 2019 · Masks · bert\n"
        "    BERT hides **words** and attends to both sides.\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("text", "question", "shown"),
    [
        pytest.param("The GPT-2 model, C++ and C#.", "gpt c#", "The **GPT-2** model, C++ and **C#**.", id="compounds"),
        pytest.param("Attention attends.", "attention", "**Attention** attends.", id="words"),
        pytest.param("多头注意力机制。", "注意力", "多头**注意力**机制。", id="Chinese"),
        pytest.param("[bold]attention[/bold]", "attention", "[bold]**attention**[/bold]", id="markup"),
        pytest.param("line\n  attention", "attention", "line\n      **attention**", id="lines"),
        pytest.param("ﬁne attention 🚀 Größe", "größe", "ﬁne attention 🚀 **Größe**", id="letters of other sizes"),
    ],
)
def test_words_of_the_question_are_marked(run: Run, tmp_path: Path, text: str, question: str, shown: str) -> None:
    (tmp_path / "note.txt").write_text(text)
    run("add", tmp_path / "note.txt")
    assert run("search", question).stdout.partition("\n")[2].partition("\n")[2] == f"    {shown}\n\n"


def test_scores(filled: Run) -> None:
    line = filled("search", "words", "--scores").stdout.splitlines()[2]
    assert line.startswith("    score 1.000 · vector – · keyword ")
    assert line.endswith(" (rank 1) · characters 8-51")


def test_json(filled: Run) -> None:
    result = filled("search", "words", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    (hit,) = found.pop("hits")
    assert found == {"question": "words", "mode": "hybrid", "notices": []}
    assert set(hit) == {"rank", "document", "passage", "scores"}
    assert hit["rank"] == 1
    origin = hit["document"].pop("origin")
    assert Path(origin).name == "bert.md"
    assert hit["document"] == {
        "id": "bert",
        "title": "BERT",
        "collection": "default",
        "authors": ["Jacob Devlin", "Ming-Wei Chang"],
        "year": 2019,
        "source": "ACL",
        "language": "en",
        "kind": "paper",
        "metadata": {},
    }
    assert hit["passage"] == {
        "text": "BERT hides words and attends to both sides.",
        "start": 8,
        "end": 51,
        "position": 0,
        "section": ["Masks"],
        "language": "en",
        "kind": "text",
        "page": None,
        "turns": [],
    }
    assert hit["scores"].pop("keyword") > 0
    assert hit["scores"] == {"fused": 1.0, "vector": None, "vector_rank": None, "keyword_rank": 1}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], ["bert", "gpt"], id="none"),
        pytest.param(["-k", "1"], ["gpt"], id="-k"),
        pytest.param(["--where", "year >= 2019"], ["bert"], id="--where"),
        pytest.param(["--where", "not author = devlin", "--title", "gpt"], ["gpt"], id="two together"),
        pytest.param(["--collection", "default"], ["bert", "gpt"], id="--collection"),
        pytest.param(["--collection", "other"], [], id="another collection"),
        pytest.param(["--author", "chang"], ["bert"], id="--author"),
        pytest.param(["--title", "er"], ["bert"], id="--title"),
        pytest.param(["--source", "acl"], ["bert"], id="--source"),
        pytest.param(["--language", "EN"], ["bert"], id="--language"),
        pytest.param(["--kind", "paper"], ["bert"], id="--kind"),
        pytest.param(["--year", "2019"], ["bert"], id="a year"),
        pytest.param(["--year", "2019.."], ["bert"], id="from a year"),
        pytest.param(["--year", "..2018"], ["gpt"], id="up to a year"),
        pytest.param(["--year", "2018..2019"], ["bert", "gpt"], id="years"),
        pytest.param(["--year", "2019..2018"], [], id="years backwards"),
        pytest.param(["--mode", "keyword"], ["bert", "gpt"], id="--mode"),
        pytest.param(["--per-document", "1"], ["bert", "gpt"], id="--per-document"),
    ],
)
def test_options(filled: Run, options: list[str], expected: list[str]) -> None:
    assert sorted(ids(filled("search", "attends left", "--json", *options).stdout)) == expected


@pytest.mark.parametrize("value", ["..", "", "new", "20192023", "20191", "2019-2023", "2019...2023", "-2019"])
def test_years_that_are_not_understood(filled: Run, value: str) -> None:
    result = filled("search", "attends", f"--year={value}")
    assert result.exit_code == 1
    assert result.stderr == f"Error: --year {value!r} is not understood; write 2019, 2019..2023, 2019.. or ..2023\n"


def test_a_filter_that_is_not_understood(filled: Run) -> None:
    result = filled("search", "x", "--where", "year >= new")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: 'year' >= needs a number, not 'new'\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["zebra"], "nothing found; 'scholarmind status' shows what the library holds\n", id="no match"),
        pytest.param(
            ["attends", "--year", "1999"],
            "note: no document passes the filter year = 1999\n"
            "nothing found that passes the filter; 'scholarmind status' shows what the library holds\n",
            id="filter",
        ),
    ],
)
def test_nothing_found_is_told(filled: Run, arguments: list[str], told: str) -> None:
    result = filled("search", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", told)


def test_nothing_of_a_document_is_obeyed_by_the_terminal(run: Run, tmp_path: Path) -> None:
    evil = "\x1b[31m\x1b]0;title\x07\x9b2J\r\x08\x7f[red]markup[/red]"
    record = {"id": f"id{evil}", "title": "", "text": f"attention {evil}", "meta": {"author": f"A{evil}"}}
    titled = {"id": "t", "title": f"T{evil}", "text": "attention", "meta": {}}
    (tmp_path / "r.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(titled)}\n")
    (tmp_path / "note.md").write_text(f"# H{evil}\nattention {evil} {'more words ' * 50}\n")
    run("add", tmp_path)
    result = run("search", "attention", "--scores")
    assert result.stdout.count("**attention**") == 3
    assert [sign for sign in "\x1b\x07\x9b\r\x08\x7f" if sign in result.stdout] == []
    assert result.stdout.count("[red]markup[/red]") >= 5
    removed = run("remove", "--where", "id ~ id", "--yes")
    assert "\x1b" not in removed.stdout + removed.stderr
