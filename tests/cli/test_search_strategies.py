"""`scholarmind search --strategy`: the passages that an answer would be written from, with their scores."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from scholarmind.testing import Call, ScriptedServer

Run = Callable[..., Result]
QUESTION = "Which words does BERT hide, and to which side does GPT attend?"
PARTS = ["Which words does BERT hide?", "To which side does GPT attend?"]
BERT = "BERT · Jacob Devlin, Ming-Wei Chang · 2019 · Masks\nBERT hides words and attends to both sides.\n"
GPT = "GPT · 2018\nGPT attends to the left side only.\n"
UNTRANSLATED = ("--set", "translate=no")
PASSAGE = re.compile(r"<passage \w+ (P\d+)> (\w+)")


def scoring(call: Call) -> Any:
    """Take the question apart, and score BERT with 9 and GPT with 6."""
    wanted = (call.schema or {}).get("properties", {})
    if "sub_questions" in wanted:
        return {"reason": "two models", "sub_questions": PARTS}
    scores = {"BERT": 9, "GPT": 6}
    shown = PASSAGE.findall(call.text)
    return {"scores": [{"passage": key, "reason": f"direct: {name}", "score": scores[name]} for key, name in shown]}


def searched(run: Run, *options: str) -> dict[str, Any]:
    """Return what the search by `scored` prints as JSON."""
    result = run("search", QUESTION, "--strategy", "scored", "--json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def names(record: dict[str, Any]) -> list[str]:
    """Return the documents of the passages that were kept."""
    return [chunk["document_name"] for chunk in record["chunks"]]


class TestWithoutAModel:
    def test_the_passages_are_printed_and_how_they_were_scored_is_noted(self, filled: Run) -> None:
        result = filled("search", QUESTION, "--strategy", "scored")
        assert result.exit_code == 0
        assert [line for line in result.stdout.splitlines() if line[:3].strip().endswith(".")] == [
            " 1. GPT",
            " 2. BERT",
        ]
        assert result.stderr == (
            "note: no language model scored the passages: they are in the order of their similarity\n"
        )

    def test_json(self, filled: Run) -> None:
        record = searched(filled)
        assert (record["strategy"], record["sub_queries"], names(record)) == ("scored", PARTS, ["GPT", "BERT"])
        assert set(record["debug"][0]) == {
            "chunk_id",
            "content",
            "best_single_score",
            "llm_relevance_score",
            "vector_similarity_score",
            "final_fused_score",
            "retrieved_by_sub_queries",
            "reason",
        }

    def test_content_for_a_prompt(self, filled: Run) -> None:
        assert (
            filled("search", QUESTION, "--strategy", "scored", "--format", "content").stdout == f"[1] {GPT}\n[2] {BERT}"
        )

    def test_content_of_a_plain_search(self, filled: Run) -> None:
        assert filled("search", "which words are hidden", "--format", "content").stdout == f"[1] {BERT}"

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (("-k", "1"), ["GPT"]),
            (("--set", "scored.top_n=1"), ["GPT"]),
            (("--set", "scored.enable_decomposition=no", "--set", "scored.similarity_threshold=0.6"), ["BERT"]),
            (("--where", "year < 2019"), ["GPT"]),
            (("--year", "2019"), ["BERT"]),
            (("--collection", "default", "--collection", "other"), ["GPT", "BERT"]),
            (("--collection", "other"), []),
        ],
    )
    def test_what_is_kept(self, filled: Run, options: tuple[str, ...], expected: list[str]) -> None:
        assert names(searched(filled, *options)) == expected

    def test_a_preset_stands_in_for_the_defaults_and_a_setting_comes_first(self, filled: Run) -> None:
        record = searched(filled, "--preset", "precision", "--set", "scored.top_n=1")
        debug = record["debug"][0]
        assert (names(record), debug["final_fused_score"]) == (["GPT"], debug["vector_similarity_score"])
        assert debug["llm_relevance_score"] is None

    def test_nothing_is_found(self, filled: Run) -> None:
        result = filled("search", QUESTION, "--strategy", "scored", "--collection", "nowhere")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith('note: no document passes the filter collection = "nowhere"\n')
        assert "nothing found that passes the filter; " in result.stderr

    def test_plan_is_a_strategy_as_well(self, filled: Run) -> None:
        record = json.loads(filled("search", QUESTION, "--strategy", "plan", "--json").stdout)
        assert (record["strategy"], names(record), record["debug"]) == ("plan", ["BERT", "GPT"], [])


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.enable_socket
class TestWithAModel:
    @pytest.fixture(autouse=True)
    def _scoring(self, model: ScriptedServer) -> None:
        model.answer = scoring

    def test_every_passage_is_scored_by_it(self, asking: Run, model: ScriptedServer) -> None:
        record = searched(asking, *UNTRANSLATED)
        assert [one["llm_relevance_score"] for one in record["debug"]] == [9.0, 6.0]
        assert (names(record), record["notes"], len(model.log)) == (["BERT", "GPT"], [], 2)

    def test_scores_tell_how_each_passage_came_by_its_place(self, asking: Run) -> None:
        result = asking("search", QUESTION, "--strategy", "scored", "--scores", *UNTRANSLATED)
        told = [line for line in result.stdout.splitlines() if "relevance" in line]
        assert [re.sub(r"\d\.\d{3}", "N", line) for line in told] == [
            f"    score N · relevance 9.0/10 (direct: BERT) · similarity N (best N) · found by: {PARTS[0]} | {PARTS[1]}",
            f"    score N · relevance 6.0/10 (direct: GPT) · similarity N · found by: {PARTS[1]}",
        ]
        assert "2 were scored by the whole question, from 6.0 to 9.0 of 10." in result.stderr

    def test_a_plain_search_asks_no_model(self, asking: Run, model: ScriptedServer) -> None:
        assert asking("search", QUESTION).exit_code == 0
        assert model.log == []

    @pytest.mark.parametrize("options", [("--llm", "none"), ("--effort", "keyless")])
    def test_nor_does_one_that_is_told_not_to(
        self, asking: Run, model: ScriptedServer, options: tuple[str, ...]
    ) -> None:
        assert asking("search", QUESTION, "--strategy", "scored", *options).exit_code == 0
        assert model.log == []


def test_a_preset_of_what_is_no_table_is_refused(filled: Run) -> None:
    result = filled("search", QUESTION, "--strategy", "scored", "--preset", "fast", "--set", "scored=3")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: scored = '3' is not a table of settings")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--preset", "fast"), "--preset holds values for --strategy scored"),
        (("--preset", "fast", "--strategy", "plan"), "--preset holds values for --strategy scored"),
        (("--per-document", "1", "--strategy", "scored"), "--per-document is for a search without --strategy"),
        (("--effort", "deep"), "--effort is for a search with --strategy"),
        (("--llm", "ollama/qwen3"), "--llm is for a search with --strategy"),
    ],
)
def test_what_would_have_no_effect_is_refused(filled: Run, options: tuple[str, ...], told: str) -> None:
    result = filled("search", QUESTION, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_a_plain_search_stays_plain_whatever_strategy_is_set(
    filled: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filled("search", "words", "--json").stdout
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scholarmind.toml").write_text('strategy = "scored"\n')
    assert filled("search", "words", "--json").stdout == before
