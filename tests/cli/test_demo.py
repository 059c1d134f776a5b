"""`scholarmind demo`, with the embedder that is built in."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from scholarmind.cli.demo import QUESTIONS

Run = Callable[..., Result]

pytestmark = pytest.mark.slow


def test_the_demo(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "minilm")
    monkeypatch.setenv("SCHOLARMIND_LIBRARY", str(tmp_path / "mine"))
    result = run("demo", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    asked = json.loads(result.stdout)
    assert [answer["question"] for answer in asked] == list(QUESTIONS)
    best = [[hit["document"]["title"] for hit in answer["hits"]] for answer in asked]
    assert [len(set(titles)) for titles in best] == [3, 3, 3]
    assert "Language Models are Unsupervised Multitask Learners" in best[0]
    assert best[1][0] == "Longformer: The Long-Document Transformer"
    assert asked[2]["hits"][0]["document"]["language"] == "zh"
    assert [len(answer["notices"]) for answer in asked] == [0, 0, 1]
    assert not (tmp_path / "mine").exists(), "it must be kept apart from the user's own library"

    told = run("demo", "--question", "sparse attention").stdout
    assert told.startswith("The demo library holds 40 notes in ")
    assert "? sparse attention\n" in told
    assert "**attention**" in told.lower()
    assert f"scholarmind search --library {tmp_path}/data/scholarmind/demo" in told
