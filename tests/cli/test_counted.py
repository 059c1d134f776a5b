"""Structured questions over a small library of another field, by somebody who words them in ways of his own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
COUNCIL = "venue: British Medical Journal\ngroups: [Medical Research Council]"
NOTES = {
    "streptomycin": f"title: Streptomycin in Tuberculosis\nauthors: [Philip Hart, Marc Daniels]\nyear: 1948\n{COUNCIL}",
    "isoniazid": f"title: Treatment with Isoniazid\nauthors: [Marc Daniels, Wallace Fox]\nyear: 1952\n{COUNCIL}",
    "madras": "title: Domiciliary Treatment\nauthors: [Wallace Fox]\nyear: 1959\nvenue: Lancet\ngroups: [Medical Research Council]",
    "artemisinin": "title: 青蒿素治疗疟疾的临床研究\nauthors: [屠呦呦]\nyear: 1979\nvenue: 中华医学杂志",
}

EXPECTED = {
    "How many papers did Wallace Fox write?": ["2"],
    "Which papers were written by both Marc Daniels and Wallace Fox?": ["Treatment with Isoniazid"],
    "Marc Daniels和Wallace Fox合写了哪些论文？": ["Treatment with Isoniazid"],
    "How many papers does Wallace Fox have at Lancet?": ["1"],
    "How many papers from 1952 are by the Medical Research Council?": ["1"],
    "How many papers from 1952 on are by the Medical Research Council?": ["2"],
    "屠呦呦写了几篇论文？": ["1"],
    "Which venue published the most papers?": ["British Medical Journal"],
    "How many papers were published at Lancet or British Medical Journal?": ["3"],
    "Papers by Philip Hart or Wallace Fox": [
        "Streptomycin in Tuberculosis",
        "Treatment with Isoniazid",
        "Domiciliary Treatment",
    ],
    "Which authors have at least two papers?": ["Marc Daniels", "Wallace Fox"],
    "1955年以前有哪些论文？": ["Streptomycin in Tuberculosis", "Treatment with Isoniazid"],
    "How many papers have only one author?": [],
    "How many papers are not by the Medical Research Council?": ["1"],
    "How many papers except those by Wallace Fox are there?": ["2"],
    "有多少篇论文不是Wallace Fox发表的？": ["2"],
    "How many papers were published in each year?": ["1948", "1952", "1959", "1979"],
    "How many patients were treated?": [],
    "How many papers did Louis Pasteur write?": ["0"],
    "Louis Pasteur写了几篇论文？": ["0"],
    "Which papers did Louis Pasteur write?": ["0"],
}


@pytest.fixture
def library(run: Run, tmp_path: Path) -> Path:
    """A library of four notes."""
    for id, fields in NOTES.items():
        (tmp_path / f"{id}.md").write_text(
            f"---\nid: {id}\n{fields}\n---\n# Notes\n\nThe patients were treated.\n", encoding="utf-8"
        )
    assert run("add", tmp_path, "--library", tmp_path / "library").exit_code == 0
    return tmp_path / "library"


def counted(run: Run, library: Path, question: str) -> list[Any]:
    """Return the items that were counted in the graph."""
    result = run("ask", question, "--library", library, "--json")
    assert result.exit_code == 0
    return [item for part in json.loads(result.stdout)["parts"] for tally in part["tallies"] for item in tally["items"]]


def test_what_is_counted_is_what_was_asked(run: Run, library: Path) -> None:
    assert {question: counted(run, library, question) for question in EXPECTED} == EXPECTED


def test_a_merge_by_hand_changes_the_count_and_taking_it_back_brings_it_back(run: Run, library: Path) -> None:
    question = "How many papers did Philip Hart write?"
    assert counted(run, library, question) == ["1"]
    assert run("graph", "merge", "Philip Hart", "Wallace Fox", "--library", library).exit_code == 0
    assert run("graph", "build", "--again", "--library", library).exit_code == 0
    assert counted(run, library, question) == ["3"]
    assert run("graph", "split", "Philip Hart", "--library", library).exit_code == 0
    assert counted(run, library, question) == ["1"]


def test_what_is_one_already_may_be_merged_again(run: Run, library: Path) -> None:
    """Somebody whose first try was cut short cannot know how far it came."""
    first, again = (run("graph", "merge", "Philip Hart", "Wallace Fox", "--library", library) for _ in range(2))
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    merges = run("graph", "merges", "Wallace Fox", "--by-hand", "--library", library).stdout
    assert merges.splitlines() == [
        "author   Philip Hart (in default/streptomycin) = Wallace Fox (in default/isoniazid), by hand"
    ]


def test_nonsense_is_refused_in_one_line(run: Run, library: Path) -> None:
    refused = {
        ("merge", "Wallace Fox", "Wallace Fox"): "is to be one with itself",
        ("merge", "Wallace Fox", "Lancet"): "nothing is called 'Wallace Fox' among venue nodes",
        ("show", "#99999999999999999999999"): "nothing is called '#99999999999999999999999'",
        ("show", "#²"): "nothing is called '#²'",
    }
    for arguments, told in refused.items():
        result = run("graph", *arguments, "--library", library)
        assert (result.exit_code, result.stderr.count("\n"), told in result.stderr) == (1, 1, True)


def test_things_of_two_kinds_are_not_merged_by_their_numbers(run: Run, library: Path) -> None:
    def number(name: str) -> str:
        return f"#{json.loads(run('graph', 'show', name, '--library', library, '--json').stdout)['node']['number']}"

    result = run("graph", "merge", number("Wallace Fox"), number("Lancet"), "--library", library)
    assert result.exit_code == 1
    assert "is of kind author" in result.stderr


def test_a_filter_hides_what_else_a_node_is_called(run: Run, library: Path) -> None:
    run("graph", "merge", "Philip Hart", "Wallace Fox", "--library", library)
    result = run("graph", "show", "Wallace Fox", "--where", "year > 2000", "--library", library)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "nothing is called 'Wallace Fox'" in result.stderr
