"""The measures, for one question at a time."""

import pytest

from scholarmind.evaluation.experiments import DatasetQuery, kept, means, measure


def query(evidence: str = "", *references: str) -> DatasetQuery:
    """Return a question that needs these records (a letter each) and sentences."""
    return DatasetQuery(id="q", question="?", type="all", evidence=frozenset(evidence), references=references)


@pytest.mark.parametrize(
    ("needed", "ranking", "expected"),
    [
        pytest.param("a", "a", {"recall@2": 1, "all@2": 1, "hits@4": 1, "mrr@10": 1, "map@10": 1}, id="first"),
        pytest.param("a", "xxxxa", {"recall@2": 0, "all@2": 0, "hits@4": 0, "mrr@10": 0.2, "map@10": 0.2}, id="fifth"),
        pytest.param(
            "a", "x" * 10 + "a", {"recall@2": 0, "all@2": 0, "hits@4": 0, "mrr@10": 0, "map@10": 0}, id="eleventh"
        ),
        pytest.param(
            "ab", "aab", {"recall@2": 0.5, "all@2": 0, "hits@4": 1, "mrr@10": 1, "map@10": 5 / 6}, id="a record twice"
        ),
        pytest.param("ab", "", {"recall@2": 0, "all@2": 0, "hits@4": 0, "mrr@10": 0, "map@10": 0}, id="nothing found"),
        pytest.param(
            "abcdefghijkl",
            "abcdefghij",
            {"recall@2": 1 / 6, "all@2": 0, "hits@4": 1, "mrr@10": 1, "map@10": 1},
            id="more than ten",
        ),
    ],
)
def test_measures_of_records(needed: str, ranking: str, expected: dict[str, float]) -> None:
    assert measure(query(needed), list(ranking), [""] * len(ranking), [2]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("references", "texts", "expected"),
    [
        pytest.param(
            ["Alpha beta."], ["", "say: ALPHA, beta!"], {"complete@1": 0.0, "complete@2": 1.0}, id="letters alone"
        ),
        pytest.param(["a", "b"], ["a", "b"], {"complete@1": 0.0, "complete@2": 1.0}, id="in two passages"),
        pytest.param(["ab"], ["a", "b"], {"complete@1": 0.0, "complete@2": 0.0}, id="across a border"),
        pytest.param(["注意力。"], ["的注意力机制", ""], {"complete@1": 1.0, "complete@2": 1.0}, id="Chinese"),
        pytest.param([], ["a"], {}, id="none needed"),
    ],
)
def test_measures_of_sentences(references: list[str], texts: list[str], expected: dict[str, float]) -> None:
    assert measure(query("", *references), ["x"] * len(texts), texts, [1, 2]) == expected


def test_means_are_over_the_questions_that_have_the_measure() -> None:
    assert means([{"a": 1.0, "b": 0.5}, {"a": 0.0}, {}]) == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(
    ("needed", "ranking", "expected"),
    [
        pytest.param("ab", "ab", (1.0, 1.0, 1.0, 1.0), id="all, and nothing else"),
        pytest.param("ab", "abxx", (1.0, 1.0, 0.5, 2 / 3), id="all, and as much again"),
        pytest.param("ab", "aa", (0.5, 0.0, 1.0, 2 / 3), id="two passages of one record"),
        pytest.param("ab", "xy", (0.0, 0.0, 0.0, 0.0), id="nothing"),
        pytest.param("ab", "", (0.0, 0.0, 0.0, 0.0), id="nothing kept"),
    ],
)
def test_measures_of_what_is_kept(needed: str, ranking: str, expected: tuple[float, ...]) -> None:
    found = kept(query(needed), list(ranking))
    assert tuple(found) == ("recall@kept", "all@kept", "precision@kept", "f1@kept")
    assert tuple(found.values()) == pytest.approx(expected)


def test_without_evidence_it_is_not_known_what_should_be_kept() -> None:
    assert kept(query("", "a sentence"), ["a"]) == {}
