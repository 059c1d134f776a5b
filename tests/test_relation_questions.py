"""The 40 relation questions over the demo library, by the same check as `bench/relations.py`."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from scholarmind import Library, Settings

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "src" / "scholarmind" / "demo" / "notes"
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "relation_questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("relations_bench", ROOT / "bench" / "relations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nine_of_ten_relation_questions_are_answered_right(tmp_path: Path, bench: ModuleType) -> None:
    names = bench.names_of(NOTES)
    with Library(Settings(library=tmp_path / "library", embedder="none", tree=False)) as library:
        library.add(NOTES)
        right = {case["id"] for case in CASES if bench.judged(library, case, names)}

    assert len(CASES) == 40
    assert len(right) >= 36, sorted({case["id"] for case in CASES} - right)


def test_the_check_wants_every_answer_and_nothing_wrong(bench: ModuleType) -> None:
    case = {"answers": ["BERT", "苏剑林 | Jianlin Su"], "wrong": ["GPT-2"]}
    whole = [{"bert", "jianlinsu"}, {"bert", "苏剑林", "gpt"}, "by 苏剑林, after BERT"]
    others = [{"bert"}, {"bert", "jianlinsu", "gpt2"}, "by 苏剑林, after RoBERTa"]

    assert [bench.is_right(case, each, {}) for each in (*whole, *others)] == [True] * 3 + [False] * 3
