"""Literature tables: columns as they are written, cells as they are found, kept and corrected, and what a model may say of them."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Library
from scholarmind.calls import Request
from scholarmind.errors import LibraryStorageError, QueryError
from scholarmind.events import Event, Progress
from scholarmind.library.tabulating.columns import arranged, column_named, is_columns, parse_columns
from scholarmind.library.tabulating.table_files import WRITERS, table_record
from scholarmind.llm.language_models import Models
from scholarmind.settings import Settings
from scholarmind.tables import LiteratureTable, TableCell
from scholarmind.testing import ScriptedModel

PAPERS = {
    "obedience": "The purpose is to examine obedience.\n\nThe sample size was 40 men. The limitation is the setting of a laboratory.",
    "smoking": "The aim is to find out whether smoking causes cancer.\n\nThe sample size was 709 patients with cancer of the lung.",
    "waves": "Two detectors saw the same signal in September. It swept upward in frequency.",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A library of three papers, two of which state something."""
    for name, text in PAPERS.items():
        write(tmp_path, name, text)
    settings = Settings.load(library=tmp_path / "library", embedder="none", effort="keyless", graph=False, tree=False)
    with Library(settings) as opened:
        opened.add(tmp_path / "notes")
        yield opened


def write(folder: Path, name: str, text: str, year: int = 1963) -> None:
    """Write a paper."""
    (folder / "notes").mkdir(exist_ok=True)
    head = f"---\nid: {name}\ntitle: On {name}\nauthors: [Ada {name.title()}]\nyear: {year}\nlanguage: en\n---\n"
    (folder / "notes" / f"{name}.md").write_text(f"{head}{text}\n", encoding="utf-8")


def cell(table: LiteratureTable, paper: str, column: str) -> TableCell:
    """Return a cell that is there."""
    place = table.table.columns.index(column_named(table.table.columns, column))
    (found,) = [row.cells[place] for row in table.rows if row.document.id == paper]
    assert found is not None
    return found


def test_columns_are_presets_questions_and_names() -> None:
    columns = parse_columns("task; 样本量; layers (number) = How many layers are there?; Who funded it?; colour")
    assert [column.name for column in columns] == ["task", "样本量", "layers", "Who funded it?", "colour"]
    assert [column.kind for column in columns] == ["text", "number", "number", "text", "text"]
    assert [column.key for column in columns[:2]] == ["task", "sample size"]
    assert columns[4].questions == ("What is the colour?",)


@pytest.mark.parametrize(
    "wrong", ["", " ; ", "task; aim", "x (colour) = What?", "= What is it?", ";".join(f"c{n}" for n in range(41))]
)
def test_columns_that_cannot_be_are_refused(wrong: str) -> None:
    with pytest.raises(QueryError):
        parse_columns(wrong)


@pytest.mark.parametrize(
    ("text", "expected"), [("task", True), ("a; b", True), ("Why?", True), ("survey", False), ("局限", True)]
)
def test_columns_are_told_from_names(text: str, expected: bool) -> None:
    assert is_columns(text) is expected


def test_cells_are_the_words_of_their_paper_and_nothing_else(library: Library) -> None:
    library.tables.save("sample size; limitation; year", name="t")
    table = library.tables.fill("t")
    size = cell(table, "obedience", "sample size")
    assert (size.number, size.source and size.source.text) == (40, "The sample size was 40 men.")
    assert size.source is not None
    assert (library.text("obedience") or "")[size.source.start : size.source.end] == size.source.text
    assert cell(table, "smoking", "sample size").value == "709 patients"
    assert "laboratory" in cell(table, "obedience", "limitation").value
    assert not cell(table, "smoking", "limitation").is_stated
    assert not cell(table, "waves", "sample size").is_stated
    assert (cell(table, "waves", "year").number, cell(table, "waves", "year").by) == (1963, "metadata")


def test_a_number_is_of_what_its_column_counts(library: Library, tmp_path: Path) -> None:
    write(tmp_path, "bees", "We tagged 1,850 workers from 6 colonies.")
    write(tmp_path, "wasps", "How many colonies there were was not written down. We tagged 900 workers of colonies.")
    library.add(tmp_path / "notes")
    library.tables.save("colonies (number) = How many colonies were tagged?", name="t")
    table = library.tables.fill("t")
    found = cell(table, "bees", "colonies")
    assert (found.value, found.number, found.unit) == ("6 colonies", 6, "colonies")
    assert not cell(table, "wasps", "colonies").is_stated


def test_what_a_sentence_enumerates_are_the_items_of_a_list(library: Library, tmp_path: Path) -> None:
    write(tmp_path, "strips", "The pesticides measured were clothianidin, thiamethoxam and imidacloprid in the pollen.")
    library.add(tmp_path / "notes")
    library.tables.save("pesticides (list) = Which pesticides were measured?", name="t")
    found = cell(library.tables.fill("t"), "strips", "pesticides")
    assert found.items == ("clothianidin", "thiamethoxam", "imidacloprid")
    assert found.value == ", ".join(found.items)


def test_only_what_is_new_is_asked(library: Library, tmp_path: Path) -> None:
    asked: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, Progress):
            asked.append(event.total)

    name = library.tables.save("sample size", where="year >= 1900").name
    library.tables.fill(name, on_event=note)
    library.tables.fill(name, on_event=note)
    assert asked == [3, 3, 3]
    write(tmp_path, "schools", "The sample size was 12 schools.")
    write(tmp_path, "waves", PAPERS["waves"] + " The sample size was 2 detectors.")
    library.add(tmp_path / "notes")
    asked.clear()
    table = library.tables.fill(name, on_event=note)
    assert asked == [2, 2]
    assert [cell(table, paper, "sample size").number for paper in ("schools", "waves", "obedience")] == [12, 2, 40]
    library.tables.add_columns(name, "limitation")
    asked.clear()
    library.tables.fill(name, on_event=note)
    assert asked == [4] * 4


def test_what_was_done_before_a_stop_stays(library: Library) -> None:
    class Stopped(BaseException): ...

    def stop(event: Event) -> None:
        raise Stopped

    library.tables.save("sample size", name="t")
    with pytest.raises(Stopped):
        library.tables.fill("t", on_event=stop)
    assert library.tables.read("t").waiting == 2
    assert library.tables.fill("t").waiting == 0


def test_a_correction_outweighs_and_outlives_everything(library: Library, tmp_path: Path) -> None:
    library.tables.save("sample size; limitation", name="t")
    library.tables.correct("t", "smoking/sample size", "1,465 patients")
    library.tables.correct("t", "Obedience, 1963/limitation", "not stated")
    table = library.tables.fill("t")
    assert (cell(table, "smoking", "sample size").number, cell(table, "smoking", "sample size").by) == (1465, "hand")
    assert not cell(table, "obedience", "limitation").is_stated
    write(tmp_path, "smoking", PAPERS["smoking"] + " More was added.")
    library.add(tmp_path / "notes")
    assert cell(library.tables.fill("t"), "smoking", "sample size").number == 1465
    library.tables.correct("t", "smoking/sample size", "")
    assert cell(library.tables.fill("t"), "smoking", "sample size").number == 709


def test_a_correction_has_to_fit_its_column(library: Library) -> None:
    library.tables.save("sample size; start (year) = When did it begin?; limitation", name="t")
    with pytest.raises(QueryError, match="'abc' does not fit the column 'start', which takes a year"):
        library.tables.correct("t", "smoking/start", "abc")
    with pytest.raises(QueryError, match="takes a number"):
        library.tables.correct("t", "smoking/sample size", "many")
    for place, value in (
        ("start", "1963"),
        ("start", "not stated"),
        ("sample size", "two dozen"),
        ("limitation", "abc"),
    ):
        library.tables.correct("t", f"smoking/{place}", value)


def test_what_is_by_hand_has_a_mark_and_a_legend(library: Library) -> None:
    library.tables.save("sample size", name="t")
    untouched = library.tables.fill("t")
    library.tables.correct("t", "smoking/sample size", "1,465 patients")
    table = library.tables.fill("t")
    for ending, mark, legend in (
        (".md", "1,465 patients ‡ |", "\n\n‡ by hand\n"),
        (".tex", r"1,465 patients\textsuperscript{\ddag}", r"\ddag{} by hand"),
        (".html", "1,465 patients <sup>‡</sup>", "‡ by hand"),
    ):
        made = str(WRITERS[ending](table))
        assert mark in made
        assert legend in made
        assert not {"‡", "ddag"} & set(re.findall(r"‡|ddag", str(WRITERS[ending](untouched))))


def test_latex_with_chinese_says_what_compiles_it(library: Library) -> None:
    library.tables.save("limitation", name="t")
    plain = WRITERS[".tex"](library.tables.fill("t"))
    library.tables.correct("t", "smoking/limitation", "只有一家医院")
    made = str(WRITERS[".tex"](library.tables.fill("t")))
    assert "ctex" not in str(plain)
    assert "XeLaTeX or LuaLaTeX" in made.splitlines()[0]
    assert "ctex" in made.splitlines()[0]
    assert "只有一家医院" in made


@pytest.mark.parametrize("place", ["smoking", "nobody/sample size", "smoking/colour", "/", ""])
def test_a_cell_that_is_not_there_cannot_be_corrected(library: Library, place: str) -> None:
    library.tables.save("sample size", name="t")
    with pytest.raises(QueryError):
        library.tables.correct("t", place, "1")


def test_a_table_is_found_again_by_what_it_asks(library: Library) -> None:
    first = library.tables.save("task; method")
    assert library.tables.save("task; method") == first
    assert library.tables.save("task; method", where="year > 2000").name != first.name
    with pytest.raises(QueryError, match="another --name"):
        library.tables.save("limitation", name=first.name)
    with pytest.raises(QueryError, match="no document has a field"):
        library.tables.save("task", where="colour = red")
    assert library.tables.remove(first.name)
    assert not library.tables.remove(first.name)


def test_a_damaged_cell_is_asked_again_and_named(library: Library) -> None:
    from scholarmind.adapters.store.health import examine

    library.tables.save("sample size", name="t")
    library.tables.fill("t")
    with library.store.database.transaction() as connection:
        connection.execute("UPDATE literature_cells SET cell = replace(cell, '709', '707')")
    (check,) = [check for check in examine(library.store) if check.name == "tables"]
    assert (check.ok, "1 damaged cells" in check.seen) == (False, True)
    assert cell(library.tables.fill("t"), "smoking", "sample size").number == 709
    assert all(check.ok for check in examine(library.store) if check.name == "tables")


def test_a_damaged_table_says_so_and_can_be_forgotten(library: Library) -> None:
    library.tables.save("sample size", name="t")
    with library.store.database.transaction() as connection:
        connection.execute("UPDATE literature_tables SET definition = replace(definition, 'sample', 'simple')")
    with pytest.raises(LibraryStorageError, match="'t' is damaged"):
        library.tables.saved()
    assert library.tables.remove("t")
    assert library.tables.saved() == []


def test_rows_and_columns_in_the_order_that_is_wished(library: Library) -> None:
    library.tables.save("limitation; sample size", name="t")
    table = library.tables.fill("t")
    falling = arranged(table, "-sample size", "sample size")
    assert [row.document.id for row in falling.rows] == ["smoking", "obedience", "waves"]
    assert [column.name for column in falling.table.columns] == ["sample size"]
    assert [row.document.id for row in arranged(table, "sample").rows] == ["obedience", "smoking", "waves"]
    with pytest.raises(QueryError, match="no column"):
        arranged(table, "colour")


# -- files


@pytest.fixture
def hostile(library: Library) -> LiteratureTable:
    """A table whose cells try to be more than text."""
    library.tables.save("sample size; limitation; task", name="+a|b!A1 <b>&_{}")
    name = library.tables.saved()[0].name
    for paper, value in (
        ("smoking", '=HYPERLINK("x")'),
        ("obedience", "-1+1"),
        ("waves", r"<script>a|b</script> \input{x} 50% _[1]"),
    ):
        library.tables.correct(name, f"{paper}/limitation", value)
    return library.tables.fill(name)


def test_no_cell_is_a_formula(hostile: LiteratureTable) -> None:
    made = WRITERS[".csv"](hostile)
    assert isinstance(made, str)
    cells = [value for row in csv.reader(io.StringIO(made)) for value in row]
    assert {'\'=HYPERLINK("x")', "'-1+1"} <= set(cells)
    assert not [value for value in cells if value.startswith(("=", "+", "-", "@"))]


def test_excel_reads_the_workbook_as_text_and_numbers(hostile: LiteratureTable, tmp_path: Path) -> None:
    import openpyxl

    made = WRITERS[".xlsx"](hostile)
    assert isinstance(made, bytes)
    assert zipfile.ZipFile(io.BytesIO(made)).testzip() is None
    (tmp_path / "t.xlsx").write_bytes(made)
    main, said = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets
    values = {cell.value: cell.data_type for row in main.iter_rows() for cell in row}
    assert (values[709], values["-1+1"], values['=HYPERLINK("x")']) == ("n", "s", "s")
    assert [row[4] for row in said.iter_rows(values_only=True) if row[5] == 40] == ["The sample size was 40 men."]


def test_text_is_escaped_in_every_format(hostile: LiteratureTable) -> None:
    markdown, latex, page = (str(WRITERS[form](hostile)) for form in (".md", ".tex", ".html"))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert r"\textless{}script\textgreater{}a\textbar{}b" in latex
    assert r"\textbackslash{}input\{x\} 50\%" in latex
    assert all(row in latex for row in (r"\toprule", r"\midrule", r"\bottomrule"))
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {5}


def test_json_keeps_what_comes_nearest(library: Library) -> None:
    library.tables.save("sample size", name="t")
    record = table_record(library.tables.fill("t"))
    told = {row["document"]: row["cells"]["sample size"] for row in record["rows"]}
    assert (told["smoking"]["stated"], told["waves"]["stated"]) == (True, False)
    assert json.loads(str(WRITERS[".json"](library.tables.read("t")))) == json.loads(json.dumps(record))


# -- with a model


def with_model(library: Library, answer: Callable[[Request], Any]) -> ScriptedModel:
    """Give the library a model that says this."""
    model = ScriptedModel(answer)
    library.models = Models(model=model, names={"extraction": "scripted"})
    return model


def said(column: str, answer: str, quote: str, passage: str = "P1") -> dict[str, Any]:
    """Return a cell as a model says it."""
    return {"column": column, "answer": answer, "passage": passage, "quote": quote, "not_stated": not answer}


def test_a_model_is_asked_once_a_paper_and_believed_as_far_as_the_words_go(library: Library) -> None:
    quote = "Two detectors saw the same signal in September."

    def answer(request: Request) -> object:
        if "Two detectors" not in request.messages[-1].text:
            return {"cells": [said("C1", "9,000 women", "The sample size was 9,000 women."), said("C2", "", "")]}
        return {"cells": [said("C1", "Two detectors", quote), said("C2", "September", quote)]}

    library.tables.save("sample size; when = When was it seen?", name="t")
    library.tables.fill("t")
    model = with_model(library, answer)
    assert library.tables.outlook("t").things == 3
    assert library.tables.ask("t").done == 3
    assert len(model.requests) == 3
    table = library.tables.fill("t")
    assert (cell(table, "waves", "sample size").by, cell(table, "waves", "sample size").number) == ("model", 2)
    assert cell(table, "obedience", "sample size").number == 40  # what it made up stands nowhere
    assert library.tables.outlook("t").things == 0


def test_where_a_model_fails_the_rules_stand(library: Library) -> None:
    library.tables.save("sample size", name="t")
    before = library.tables.fill("t")
    with_model(library, lambda _: "no JSON at all")
    worked = library.tables.ask("t")
    assert (worked.done, worked.kept) == (0, 3)
    assert library.tables.fill("t") == before
