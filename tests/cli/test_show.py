"""`scholarmind show`, and what `status` tells of bibliographies."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
TITLE = "Burrowing Habits of Plateau Porcupines"
BIB = f"@article{{burrow, title = {{{TITLE}}}, author = {{Lovelace, Ada}}, year = {{2019}}, journal = {{Mountains}}}}\n"
HTML = """<html lang="en"><head><title>x</title>
<meta name="citation_title" content="{title}">
<meta name="citation_author" content="{author}">
<meta name="citation_publication_date" content="{year}">
{more}</head><body><article>{body}</article></body></html>"""


def page(
    folder: Path, name: str, title: str, body: str, *, author: str = "Curie, Marie", year: int = 2018, more: str = ""
) -> Path:
    """Write a page as publishers do."""
    path = folder / name
    path.write_text(HTML.format(title=title, author=author, year=year, more=more, body=body))
    return path


def shown(run: Run, id: str, *options: str) -> dict[str, object]:
    """Return what `show --json` tells."""
    result = run("show", id, "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def rows(result: Result) -> list[list[str]]:
    """Return the rows of the table, by runs of spaces."""
    return [[cell for cell in line.split("  ") if cell.strip()] for line in result.stdout.splitlines()]


def test_fields_with_who_said_so_and_what_others_say(filled: Run, notes: Path, tmp_path: Path) -> None:
    bib = tmp_path / "l.bib"
    bib.write_text(
        "@article{d, title = {BERT}, author = {Devlin, J.}, year = {2018}, journal = {NAACL}, file = {bert.md}}\n"
    )
    filled("add", notes, "--bibliography", bib)
    filled("set", "bert", "venue=Minneapolis")
    fields = {field["field"]: field for field in shown(filled, "bert")["fields"]}  # type: ignore[attr-defined, index]
    year = fields["year"]
    assert (year["value"], year["source"], year["sure"]) == (2018, "l.bib, line 1", 0.95)
    assert [(other["value"], other["source"]) for other in year["others"]] == [(2019, "front matter")] or [
        (other["value"], other["source"]) for other in year["others"]
    ] == [(2019, "the file")]
    assert (fields["venue"]["source"], fields["venue"]["sure"]) == ("by hand", 1.0)
    assert (fields["journal"]["value"], fields["journal"]["source"]) == ("NAACL", "l.bib, line 1")
    told = filled("show", "bert").stdout
    assert "l.bib, line 1" in told
    assert "by hand" in told
    assert "2019 (" in told


def test_the_document_is_what_its_fields_say(filled: Run) -> None:
    told = shown(filled, "bert")
    fields = {field["field"]: field["value"] for field in told["fields"]}  # type: ignore[attr-defined, index]
    document = told["document"]
    for name, value in fields.items():
        own = document.get(name) if name in document else document["metadata"][name]  # type: ignore[attr-defined, index]
        assert own == value


def test_file_sections_and_passages(filled: Run, notes: Path) -> None:
    told = shown(filled, "bert")
    assert told["file"]["path"] == f"{notes}/bert.md"  # type: ignore[index]
    assert told["sections"] == [{"path": ["Masks"], "page": None}]
    assert [item["text"] for item in told["passages"]] == ["BERT hides words and attends to both sides."]  # type: ignore[attr-defined]
    text = filled("show", "bert", "--passages").stdout
    assert f"file      {notes}/bert.md" in text
    assert "holds     " in text
    assert "1 passages (1 text)" in text
    assert "0. text · Masks · characters " in text
    assert "BERT hides words and attends to both sides." in text


def test_what_was_wrong_with_the_file_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "good", "text": "words"}\n{"id": "bad"}\n')
    run("add", path)
    assert "warning" in run("show", "good").stdout
    assert len(shown(run, "good")["file"]["problems"]) == 1  # type: ignore[index]


def test_an_entry_without_a_file(run: Run, tmp_path: Path) -> None:
    bib = tmp_path / "l.bib"
    bib.write_text(BIB)
    run("add", "--bibliography", bib)
    told = shown(run, "burrow")
    fields = {field["field"]: field for field in told["fields"]}  # type: ignore[attr-defined, index]
    assert (fields["year"]["value"], fields["year"]["source"]) == (2019, "l.bib, line 1")
    assert told["document"]["origin"] == str(bib)  # type: ignore[index]
    assert TITLE in run("show", "burrow").stdout


def test_references_between_documents_of_the_library(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    cited_body = "<h1>Burrows</h1><p>Every porcupine of the plateau digs three burrows, as was counted.</p>"
    page(folder, "cited.html", TITLE, cited_body, author="Lovelace, Ada", year=2019)
    citing_body = (
        "<h1>Survey</h1><p>Zoologists disagree about mammals of cold regions. The digging of burrows was counted before [1].</p>"
        "<h2>References</h2><ol>"
        f"<li>A. Lovelace. {TITLE}. Journal of Mountains, 2019.</li>"
        "<li>C. Babbage. On calculating engines of another kind. London, 1832.</li></ol>"
    )
    page(folder, "citing.html", "A Survey of Mammals in Cold Regions", citing_body)
    run("add", folder)
    documents = {
        item["document"]["title"]: item["document"]["id"]
        for word in ("porcupine", "zoologists")
        for item in _found(run, word)
    }
    cited, citing = documents[TITLE], documents["A Survey of Mammals in Cold Regions"]
    told = shown(run, citing)
    assert [(item["year"], item["document"]) for item in told["references"]] == [(2019, cited), (1832, "")]  # type: ignore[attr-defined]
    assert shown(run, cited)["cited_by"] == [citing]
    assert "cites     2 works, 1 of them in the library" in run("show", citing).stdout
    assert f"cited by  1 documents in the library\n  {citing}" in run("show", cited).stdout
    assert all("Babbage" not in item["passage"]["text"] for item in _found(run, "Babbage calculating engines"))


def _found(run: Run, question: str) -> list[dict[str, dict[str, str]]]:
    found = json.loads(run("search", question, "--json").stdout)
    return found["hits"]


def test_preprint_and_publication_are_told(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page(folder, "pre.html", TITLE, "<p>First words.</p>", more='<meta name="citation_arxiv_id" content="1904.01234">')
    page(
        folder,
        "pub.html",
        TITLE,
        "<p>Last words.</p>",
        year=2019,
        more='<meta name="citation_doi" content="10.1234/abc"><meta name="citation_journal_title" content="Mountains">',
    )
    told = json.loads(run("add", folder, "--json").stdout)
    (problem,) = told["problems"]
    assert "is the preprint of" in problem["reason"]
    assert "scholarmind remove" in problem["advice"]
    assert told["added"] == 2


def test_collections(run: Run, notes: Path) -> None:
    run("add", notes, "--collection", "one")
    assert shown(run, "bert", "--collection", "one")["document"]["collection"] == "one"  # type: ignore[index]
    assert shown(run, "bert")["document"]["collection"] == "one", "no other has it"  # type: ignore[index]
    assert run("show", "bert", "--collection", "default").exit_code == 1
    run("add", notes, "--collection", "two")
    result = run("show", "bert")
    told = "Error: 'bert' is in the collections one, two; say in which with --collection\n"
    assert (result.exit_code, result.stderr) == (1, told)
    assert "in any of the collections one, two" in run("show", "nobody").stderr
    run("add", notes)
    assert shown(run, "bert")["document"]["collection"] == "default"  # type: ignore[index]


def test_the_users_own_key_names_a_document(run: Run, notes: Path, tmp_path: Path) -> None:
    bib = tmp_path / "own.bib"
    bib.write_text(
        "@article{Devlin19bert, title = {BERT}, year = {2019}, file = {bert.md}}\n@book{gone, title = {Gone}}\n"
    )
    assert run("add", notes, "--bibliography", bib, "--collection", "theirs").exit_code == 0
    for named in ("Devlin19bert", "devlin19bert"):
        told = shown(run, named)
        assert (told["key"], told["document"]["id"]) == ("Devlin19bert", "bert")  # type: ignore[index]
    assert "key       Devlin19bert" in run("show", "bert").stdout
    assert "hides words" in run("open", "Devlin19bert").stdout
    assert run("set", "Devlin19bert", "year=2018").stdout.startswith("bert: ")
    assert shown(run, "gone")["key"] == "gone"
    removed = run("remove", "Devlin19bert", "--collection", "theirs")
    assert removed.stdout == "1 removed\n"


def test_of_an_unknown_document(filled: Run) -> None:
    result = filled("show", "nobody")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: there is no document 'nobody' in 'default'; 'scholarmind search' shows ids\n"


def test_a_document_cannot_command_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(
        '---\nid: x\ntitle: "\\e[31mred [bold]x[/bold]"\n---\n# Ring\x07\nThe \x1b[31m bell.\n'
    )
    run("add", tmp_path / "x.md")
    told = run("show", "x", "--passages").stdout
    assert ("\x1b" in told, "\x07" in told, "[bold]x[/bold]" in told) == (False, False, True)


def test_status_tells_how_a_bibliography_matched(run: Run, notes: Path, tmp_path: Path) -> None:
    bib = tmp_path / "l.bib"
    bib.write_text(BIB + "@article{devlin, title = {BERT}, year = {2019}, file = {bert.md}}\n")
    added = run("add", notes, "--bibliography", bib)
    line = "1 of 2 entries matched a file (1 by file field); 1 has none and is kept as an entry"
    assert line in added.stdout.splitlines()
    assert f"  {line}" in run("status").stdout.splitlines()
    told = json.loads(run("status", "--json").stdout)["matches"]["default"]
    assert (told["entries"], told["matched"]) == (2, {"file": 1})
    assert [(item["line"], item["key"], item["bibliography"]) for item in told["unmatched"]] == [
        (1, "burrow", str(bib))
    ]
    again = json.loads(run("add", notes, "--bibliography", bib, "--json").stdout)
    assert again["matches"]["unmatched"] == told["unmatched"]


@pytest.mark.parametrize("id", ["", "a\nb", "'; DROP TABLE documents; --", "\udcff"])
def test_odd_ids_are_only_unknown(filled: Run, id: str) -> None:
    result = filled("show", id)
    assert (result.exit_code, "there is no document" in result.stderr) == (1, True)
