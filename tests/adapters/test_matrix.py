"""The vector leg where it is too large for an exact pass: made small here, so that the first look at the signs is used."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from scholarmind.adapters.store.matrix import Matrix

COUNT, DIMENSION = 4_000, 96


@pytest.fixture
def vectors() -> npt.NDArray[np.float32]:
    """Vectors around forty topics."""
    rng = np.random.default_rng(3)
    topics = rng.normal(size=(40, DIMENSION))
    found = topics[rng.integers(0, 40, COUNT)] + rng.normal(size=(COUNT, DIMENSION))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def matrix(tmp_path: Path, vectors: npt.NDArray[np.float32]) -> Matrix:
    """Passage n is row n; four passages a document."""
    made = Matrix(tmp_path / "vectors", sketched=1_000, rescored=600)
    made.rebuild(((n, n // 4, vector.tobytes()) for n, vector in enumerate(vectors)), DIMENSION, change=1)
    return made


def exact(
    vectors: npt.NDArray[np.float32], query: npt.NDArray[np.float32], allowed: npt.NDArray[np.bool_]
) -> list[int]:
    scores = np.where(allowed, vectors @ query, -np.inf)
    return np.argsort(-scores, kind="stable")[:50].tolist()


def recall(matrix: Matrix, vectors: npt.NDArray[np.float32], mask: npt.NDArray[np.bool_] | None = None) -> float:
    allowed = np.ones(COUNT, np.bool_) if mask is None else mask[np.arange(COUNT) // 4]
    shares = [
        len(set(exact(vectors, vectors[n], allowed)) & set(matrix.search(vectors[n], 50, mask).passages.tolist())) / 50
        for n in range(0, COUNT, 100)
    ]
    return float(np.mean(shares))


def test_nearly_all_of_the_best_are_found(matrix: Matrix, vectors: npt.NDArray[np.float32]) -> None:
    assert recall(matrix, vectors) >= 0.97


def test_a_broad_filter_finds_nearly_all_of_what_passes(matrix: Matrix, vectors: npt.NDArray[np.float32]) -> None:
    assert recall(matrix, vectors, np.arange(COUNT // 4) % 2 == 0) >= 0.97


def test_a_narrow_filter_is_exact(matrix: Matrix, vectors: npt.NDArray[np.float32]) -> None:
    assert recall(matrix, vectors, np.arange(COUNT // 4) % 20 == 0) == 1


def test_what_was_removed_is_not_found(matrix: Matrix, vectors: npt.NDArray[np.float32]) -> None:
    assert matrix.apply([0, 1, 2], [], change=2)
    found = matrix.search(vectors[0], COUNT).passages
    assert set(found.tolist()).isdisjoint(range(12))


def test_scores_are_exact(matrix: Matrix, vectors: npt.NDArray[np.float32]) -> None:
    hits = matrix.search(vectors[7], 20)
    assert hits.scores == pytest.approx(vectors[hits.passages] @ vectors[7], abs=1e-6)
    assert hits.passages[0] == 7
