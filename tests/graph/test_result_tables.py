"""The results of tables, however they are written."""

from scholarmind.graph.result_extraction import rows_of
from scholarmind.graph.rule_reading import extract
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Reading, Region


def results(text: str, *, is_table: bool = False) -> set[tuple[str, str, str, str, str]]:
    """Return what the text reports: method, data set, metric, value, setting."""
    regions = (Region(start=0, end=len(text), kind="table"),) if is_table else ()
    reading = Reading(document=Document(id="d", title="T"), text=text, regions=regions)
    return {
        (each.source.name, each.target.name, each.metric, each.value, each.setting)
        for each in extract(enter(reading, Cutting())).statements
        if each.relation == "REPORTS"
    }


def test_methods_in_rows():
    text = (
        "| Model | Natural Questions | FooBench (joint F1) | Parameters |\n|---|---|---|---|\n"
        "| ORQA | 33.3 | - | 330M |\n| FooNet, pretrained on Wikipedia | **39.2** | 41.0 ± 0.2 | 330M |\n| Human | 90 | 91 | |\n\n"
        "All entries of the table are exact match."
    )
    assert results(text) == {
        ("ORQA", "Natural Questions", "exact match", "33.3", ""),
        ("FooNet", "Natural Questions", "exact match", "39.2", "pretrained on Wikipedia"),
        ("FooNet", "FooBench", "joint F1", "41.0", "pretrained on Wikipedia"),
    }


def test_data_sets_in_rows():
    text = (
        "| Data set (metric) | RoBERTa-base | FooNet |\n| --- | --- | --- |\n"
        "| WikiHop (accuracy) | 72.4 | 75.0 |\n| Folds (F1) | 1 | 2.5 |"
    )
    assert results(text) == {
        ("RoBERTa-base", "WikiHop", "accuracy", "72.4", ""),
        ("FooNet", "WikiHop", "accuracy", "75.0", ""),
        ("RoBERTa-base", "Folds", "F1", "1", ""),
        ("FooNet", "Folds", "F1", "2.5", ""),
    }


def test_a_chinese_table():
    text = "| 模型 | CMRC 2018 (F1) |\n|---|---|\n| 折叠网络 | 87.4 |\n| BERT | 87.0 |"
    assert results(text) == {
        ("折叠网络", "CMRC 2018", "F1", "87.4", ""),
        ("BERT", "CMRC 2018", "F1", "87.0", ""),
    }


def test_lines_of_headers_and_values():
    text = "Model: FooNet; GLUE: 80.5; Layers: 12\nModel: BERT; GLUE: 79.6; Layers: 24\n"
    assert results(text, is_table=True) == {
        ("FooNet", "GLUE", "", "80.5", ""),
        ("BERT", "GLUE", "", "79.6", ""),
    }


def test_lines_of_bare_cells():
    text = "Model | GLUE | SQuAD 1.1\nFooNet | 80.5 | 90.9\n"
    assert results(text, is_table=True) == {
        ("FooNet", "GLUE", "", "80.5", ""),
        ("FooNet", "SQuAD 1.1", "", "90.9", ""),
    }


def test_a_table_of_something_else_reports_nothing():
    text = "| City | Inhabitants | Area |\n|---|---|---|\n| Paris | 102 | 105 |\n| Rome | 28 | 12 |"
    assert results(text) == set()


def test_a_thousand_rows():
    lines = ["| Model | GLUE |", "|---|---|", *(f"| FooNet-{number} | {number % 90}.5 |" for number in range(1000))]
    assert len(results("\n".join(lines))) == 1000


def test_where_cells_stand():
    text = "|  a | bb |\n|---|---|\n| c |  |"
    assert [[(cell.text, text[cell.start : cell.end]) for cell in row] for row in rows_of(text, 0, len(text))] == [
        [("a", "a"), ("bb", "bb")],
        [("c", "c"), ("", "")],
    ]


def test_a_header_of_two_lines():
    text = "| Model | GLUE | | RACE |\n| | EM | F1 | Acc |\n|---|---|---|---|\n| FooNet (ours) | 35.1 | 46.0 | **62.4 ± 0.3** |"
    assert results(text) == {
        ("FooNet", "GLUE", "EM", "35.1", "ours"),
        ("FooNet", "GLUE", "F1", "46.0", "ours"),
        ("FooNet", "RACE", "Acc", "62.4", "ours"),
    }


def test_a_header_of_metrics_takes_its_data_set_from_the_words_before_the_table():
    table = "| Method | Accuracy | Recall@1 | Params (M) |\n|---|---|---|---|\n| FooNet | 78.1 | 61.2 | 12 |"
    expected = {("FooNet", "CUB-200", "Accuracy", "78.1", ""), ("FooNet", "CUB-200", "Recall@1", "61.2", "")}
    assert results(f"Results on the CUB-200 dataset.\n\n{table}") == expected
    assert results(f"Results on the CUB-200 dataset and the Dogs dataset.\n\n{table}") == set()


def test_a_column_of_a_data_set_and_a_metric():
    text = "| Method | Waymo AP | Mean AP |\n|---|---|---|\n| FooNet | 63.1 | 70.0 |"
    assert results(text) == {("FooNet", "Waymo", "AP", "63.1", "")}


def test_lines_of_bare_cells_within_prose():
    text = "The results are these.\n\nModel | GLUE | RACE\nFooNet | 80.5 | 65.9\nBarNet | 79.0 | 64.1\n\nAll is well."
    assert results(text) == {
        ("FooNet", "GLUE", "", "80.5", ""),
        ("FooNet", "RACE", "", "65.9", ""),
        ("BarNet", "GLUE", "", "79.0", ""),
        ("BarNet", "RACE", "", "64.1", ""),
    }
