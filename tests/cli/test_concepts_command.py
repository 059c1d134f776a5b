"""`scholarmind ... --strategy concepts`."""

import json
from collections.abc import Callable

from click.testing import Result

Run = Callable[..., Result]
CONCEPTS = ("--strategy", "concepts")
TWO = "Compare BERT and GPT"


def test_a_plan_prints_the_concepts(filled: Run) -> None:
    result = filled("plan", "How do chunking strategies affect reranking in RAG?", *CONCEPTS)
    assert (result.exit_code, result.stderr) == (0, "")
    first, *concepts = result.stdout.splitlines()
    assert first == "composite, parallel (decided by rules: shows an effect or a relation)"
    assert concepts == ["  1. chunking strategies (factual)", "  2. reranking (factual)", "  3. RAG (factual)"]


def test_a_question_about_one_thing_stays_whole(filled: Run) -> None:
    told = filled("plan", "What is BERT?", *CONCEPTS).stdout
    assert told.splitlines()[1:] == ["  1. What is BERT? (factual)"]


def test_an_answer_is_written_from_each_concept(filled: Run) -> None:
    record = json.loads(filled("ask", TWO, *CONCEPTS, "--json").stdout)
    assert [part["text"] for part in record["plan"]["parts"]] == ["BERT", "GPT"]
    assert record["spent"]["llm_calls"] == 0


def test_passages_alone(filled: Run) -> None:
    result = filled("search", TWO, *CONCEPTS)
    assert result.exit_code == 0
    assert result.stdout.startswith(" 1. ")


def test_its_settings_can_be_given(filled: Run) -> None:
    told = filled("plan", "Compare BERT, GPT, T5 and BART", *CONCEPTS, "--set", "concepts.max_concepts=2").stdout
    assert "note: only 3 concepts are searched for; left out: BART" in told.splitlines()
    result = filled("plan", TWO, *CONCEPTS, "--set", "concepts.rrf_k=0")
    assert (result.exit_code, "concepts.rrf_k = 0 is not between 1 and 10000" in result.stderr) == (1, True)
