"""`scholarmind graph`: look around, mend names, export."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import Result

from scholarmind.cli.structure_commands import KINDS, RELATIONS
from scholarmind.relations import NodeKind, Relation

Run = Callable[..., Result]
NOTES = {
    "bert": "title: 'BERT: A Study'\naliases: [BERT]\nauthors: [Jacob Devlin, 张伟]\nyear: 2019\nbuilds_on: [Transformer]",
    "albert": "title: 'ALBERT: Another Study'\naliases: [ALBERT]\nauthors: [Zhenzhong Lan, 张伟]\nyear: 2020\nbuilds_on: [BERT]",
    "evil": "title: '</script><script>alert(1)</script>'\naliases: [Evil]\nauthors: [Mallory]\nyear: 2021\nbuilds_on: [BERT]",
}
RESULT = "\n\nALBERT improves on BERT, and ALBERT reaches an accuracy of 89.4% on RACE."


def test_every_kind_and_relation_can_be_chosen() -> None:
    assert (tuple(KINDS), tuple(RELATIONS)) == (get_args(NodeKind), get_args(Relation))


@pytest.fixture
def run_graph(run: Run, tmp_path: Path) -> Run:
    """Run a command of the group over a library of three notes."""
    library = tmp_path / "library"
    for id, fields in NOTES.items():
        (tmp_path / f"{id}.md").write_text(
            f"---\nid: {id}\n{fields}\n---\n# Notes{RESULT if id == 'albert' else ' are short.'}\n"
        )
    assert run("add", tmp_path, "--library", library).exit_code == 0
    return lambda *arguments: run("graph", *arguments, "--library", library)


def told(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


class TestShow:
    def test_each_edge_has_its_year_its_proof_and_where_to_open_it(self, run_graph: Run) -> None:
        lines = run_graph("show", "ALBERT", "--relation", "improves_on").stdout.splitlines()
        assert [line.strip() for line in lines[1:5]] == [
            "improves on →",
            "BERT  (2020, 0.90, by rules)",
            "“ALBERT improves on BERT, and ALBERT reaches an accuracy of 89.4% on RACE.”",
            "ALBERT: Another Study · Notes  ·  scholarmind open albert --passage 0",
        ]

    def test_two_hops_show_what_is_behind_and_each_edge_once(self, run_graph: Run) -> None:
        lines = run_graph("show", "Transformer", "--relation", "improves_on", "--hops", "2").stdout.splitlines()
        nodes = [line.strip().partition("  (")[0] for line in lines if "by metadata)" in line or "by rules)" in line]
        assert sorted(nodes) == ["ALBERT", "BERT", "Evil"]
        assert nodes[0] == "BERT"

    def test_json_tells_the_same(self, run_graph: Run) -> None:
        around = told(run_graph("show", "Devlin et al. (2019)", "--json"))
        names = {node["number"]: node["name"] for node in around["nodes"]}
        assert around["node"]["document"] == "bert"
        assert ("AUTHORED_BY", "Jacob Devlin") in {
            (edge["relation"], names[edge["target"]]) for edge in around["edges"]
        }

    def test_only_what_passes_the_filter_is_shown(self, run_graph: Run) -> None:
        around = told(run_graph("show", "BERT", "--relation", "IMPROVES_ON", "--where", "year >= 2021", "--json"))
        assert {edge["document"] for edge in around["edges"]} == {"evil"}

    def test_an_unknown_name_is_told_the_nearest(self, run_graph: Run) -> None:
        result = run_graph("show", "ALBRT")
        assert result.exit_code == 1
        assert "nothing is called 'ALBRT' in the graph; did you mean 'ALBERT'" in result.stderr

    def test_a_library_without_a_graph_says_how_to_make_one(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SCHOLARMIND_GRAPH", "false")
        (tmp_path / "one.md").write_text("Something is said.")
        run("add", tmp_path / "one.md", "--library", tmp_path / "library")
        for command in (["show", "BERT"], ["export", "-o", tmp_path / "all.html"], ["export", "--format", "jsonld"]):
            result = run("graph", *command, "--library", tmp_path / "library")
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr == "Error: the graph is empty; build it with: scholarmind graph build\n"
        assert not (tmp_path / "all.html").exists()


class TestNames:
    def test_merging_and_splitting_outlive_a_rebuild(self, run_graph: Run) -> None:
        assert set(told(run_graph("merge", "ALBERT", "BERT", "--json"))["names"]) == {"ALBERT", "BERT"}
        told(run_graph("build", "--again", "--json"))
        by_hand = told(run_graph("merges", "--by-hand", "--json"))
        assert [(each["name"], each["into"]) for each in by_hand] == [("ALBERT", "BERT")]
        assert told(run_graph("split", "ALBERT", "--kind", "method", "--json"))["names"] == ["ALBERT"]
        told(run_graph("build", "--again", "--json"))
        assert told(run_graph("merges", "--by-hand", "--json")) == []

    def test_of_two_people_of_one_name_the_number_says_which(self, run_graph: Run) -> None:
        assert len(told(run_graph("merges", "张伟", "--json"))) == 1  # one of the papers builds on the other
        apart = told(run_graph("split", "张伟", "--paper", "albert", "--json"))
        result = run_graph("merge", "张伟", "Jacob Devlin")
        assert "2 nodes have the name '张伟'; say which by its number or its kind" in result.stderr
        assert f"#{apart['number']} (author, in albert, 1 edge)" in result.stderr
        other = told(run_graph("show", "张伟", "--json"))
        numbers = {other["node"]["number"], *(each["number"] for each in other["others"])}
        one, two = sorted(numbers)
        assert told(run_graph("merge", f"#{one}", f"#{two}", "--json"))["edges"] == 2

    def test_one_name_is_not_enough_to_merge(self, run_graph: Run) -> None:
        assert run_graph("merge", "BERT").exit_code == 2


class TestExport:
    def test_the_picture_stands_in_one_file_and_runs_nothing_of_a_document(
        self, run_graph: Run, tmp_path: Path
    ) -> None:
        file = tmp_path / "bert.html"
        assert run_graph("export", "--around", "BERT", "-o", file).exit_code == 0
        page = file.read_text()
        assert page.count("<script>") == 1
        assert "&lt;script&gt;alert(1)" in page
        assert "default-src 'none'" in page

    @pytest.mark.parametrize("form", ["graphml", "jsonld"])
    def test_the_whole_graph_has_every_node_once(self, run_graph: Run, form: str) -> None:
        text = run_graph("export", "--format", form).stdout
        counts = told(run_graph("status", "--json"))
        nodes = counts["nodes"]
        if form == "graphml":
            assert text.count("<node ") == sum(nodes.values())
            assert text.count("<edge ") == sum(counts["edges"].values())
        else:
            found = [each["@type"] for each in json.loads(text)["@graph"]]
            assert found.count("Person") == nodes["author"]
            assert found.count("ScholarlyArticle") == nodes["paper"]

    def test_a_file_that_says_nothing_of_its_format_is_refused(self, run_graph: Run, tmp_path: Path) -> None:
        result = run_graph("export", "-o", tmp_path / "graph.txt")
        assert "'.txt' is not written; give a name that ends in .graphml, .jsonld or .html" in result.stderr
        assert "give --format, or a file whose name ends in" in run_graph("export", "-o", tmp_path / "graph").stderr
