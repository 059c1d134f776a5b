"""The bundled embedder against vectors that sentence-transformers made (tests/data/minilm_reference.jsonl says how)."""

import asyncio
import base64
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from scholarmind.adapters.minilm import MiniLM

REFERENCE = Path(__file__).parents[1] / "data/minilm_reference.jsonl"


@pytest.fixture(scope="module")
def reference() -> tuple[list[str], npt.NDArray[np.float32]]:
    """The texts and their vectors."""
    header, *rows = (json.loads(line) for line in REFERENCE.read_text(encoding="utf-8").splitlines())
    vectors = [np.frombuffer(base64.b64decode(row["vector"]), header["dtype"]) for row in rows]
    return [row["text"] for row in rows], np.array(vectors, np.float32)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def cosines(ours: npt.NDArray[np.float32], theirs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)


def test_vectors_are_those_of_sentence_transformers(
    model: MiniLM, reference: tuple[list[str], npt.NDArray[np.float32]]
) -> None:
    texts, theirs = reference
    ours = model.encode(texts).vectors
    assert len(texts) == 200
    assert cosines(ours, theirs).min() >= 0.9999
    assert np.linalg.norm(ours, axis=1) == pytest.approx(np.ones(200), abs=1e-5)


def test_int8_stays_near(reference: tuple[list[str], npt.NDArray[np.float32]]) -> None:
    texts, theirs = reference
    found = cosines(MiniLM(precision="int8").encode(texts).vectors, theirs)
    assert found.mean() >= 0.985
    assert found.min() >= 0.95


def test_a_vector_does_not_depend_on_its_batch(
    model: MiniLM, reference: tuple[list[str], npt.NDArray[np.float32]]
) -> None:
    texts = reference[0][:60]
    together, reversed_ = model.encode(texts).vectors, model.encode(texts[::-1]).vectors[::-1]
    alone = np.concatenate([model.encode([text]).vectors for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(together - reversed_).max() < 1e-5


def test_text_beyond_the_model_s_reach_is_cut(model: MiniLM) -> None:
    long = model.encode(["word " * 254, "word " * 254 + "entirely different matters " * 500]).vectors
    assert np.abs(long[0] - long[1]).max() < 1e-5


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("How does attention work?", 0, 0),
        ("它们的注意力机制有什么区别？", 0.5, 1),
        ("", 0, 0),
        ("BERT 模型在 GLUE 上的结果", 0.2, 0.6),
    ],
)
def test_it_tells_how_much_it_does_not_know(model: MiniLM, text: str, low: float, high: float) -> None:
    assert low <= model.encode([text]).unknown[0] <= high


def test_no_text_gives_no_vector(model: MiniLM) -> None:
    assert model.encode([]).vectors.shape == (0, 384)


def test_the_loop_runs_on_while_it_works(model: MiniLM) -> None:
    async def main() -> int:
        work = asyncio.create_task(model.embed(["word " * 250] * 8))
        turns = 0
        while not work.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(main()) > 10


def test_nothing_is_loaded_before_the_first_text() -> None:
    script = (
        "import sys; from scholarmind.adapters.minilm import MiniLM; model = MiniLM()\n"
        "print('onnxruntime' in sys.modules); model.encode(['a']); print('onnxruntime' in sys.modules, 'torch' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["False", "True", "False"]
