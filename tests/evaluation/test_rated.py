"""Questions out of rated runs: the evidence is what the good answer, or its good part, cites."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from scholarmind import Library
from scholarmind.answer import Answer
from scholarmind.evaluation.experiments import RatedQueries, name_of, rated_queries

TWO = "Which words does BERT hide, and to which side does GPT attend?"
NOTES = {
    "bert": "BERT hides fifteen percent of words.",
    "gpt": "GPT attends to the left side only.",
    "elmo": "ELMo joins two directions.",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """Three notes."""
    for name, text in NOTES.items():
        (tmp_path / f"{name}.md").write_text(f"---\nid: {name}\ntitle: {name.upper()}\n---\n{text}\n")
    with Library.open(tmp_path / "library", embedder="none", effort="keyless") as library:
        library.add(tmp_path.glob("*.md"))
        yield library


def rate(library: Library, answer: Answer, *, good: bool, part: int = 0) -> None:
    """Say what one thinks of an answer."""
    asyncio.run(library.runs.rate(answer.run, good=good, part=part))


def rated(library: Library) -> RatedQueries:
    """Return the questions."""
    return asyncio.run(rated_queries(library))


def needed(library: Library) -> list[set[str]]:
    """Return, for each question, the documents of the passages that are needed."""
    return [{name.partition("/")[2].partition("#")[0] for name in query.evidence} for query in rated(library).queries]


def test_all_that_a_good_answer_cites_is_needed(library: Library) -> None:
    answer = library.ask(TWO)
    assert {citation.document for citation in answer.citations} == {"bert", "gpt"}
    rate(library, answer, good=True)
    (query,) = rated(library).queries
    assert (query.id, query.question, query.references) == (answer.run, TWO, ())
    assert query.evidence == {"default/bert#0", "default/gpt#0"}
    found = library.retrieve(query.question, (10,))[10]
    assert query.evidence <= {name_of(query, item) for item in found}


def test_what_is_said_of_a_part_comes_first(library: Library) -> None:
    answer = library.ask(TWO)
    (part,) = {int(claim.row[0]) for claim in answer.claims for cited in claim.citations if cited.document == "gpt"}
    rate(library, answer, good=True)
    rate(library, answer, good=False, part=part)
    assert needed(library) == [{"bert"}]
    rate(library, answer, good=False)
    rate(library, answer, good=True, part=part)
    assert needed(library) == [{"gpt"}]


def test_what_was_rated_bad_tells_nothing(library: Library) -> None:
    rate(library, library.ask(TWO), good=False)
    assert rated(library) == RatedQueries(queries=(), left_out={"nothing was found good": 1})


def test_of_one_question_the_latest_run_counts(library: Library) -> None:
    first, second = library.ask(TWO), library.ask(TWO)
    rate(library, first, good=True)
    rate(library, second, good=True)
    found = rated(library)
    assert ([query.id for query in found.queries], found.left_out) == ([second.run], {"asked again later": 1})


def test_what_was_removed_since_is_not_needed(library: Library) -> None:
    rate(library, library.ask(TWO), good=True)
    library.remove(["bert"])
    assert needed(library) == [{"gpt"}]
    library.remove(["gpt"])
    assert rated(library).left_out == {"what it cites is not in the library any more": 1}


def test_overlapping_passages_that_hold_the_citation_count_alike(tmp_path: Path) -> None:
    filler = " ".join(f"Filler {number} says nothing." for number in range(30))
    (tmp_path / "long.md").write_text(
        f"---\nid: long\ntitle: Long\n---\n{filler} Zebras hide their words in the grass. {filler}\n"
    )
    settings = {"embedder": "none", "effort": "keyless", "passage_tokens": 60, "passage_overlap": 50}
    with Library.open(tmp_path / "library", **settings) as library:
        library.add(tmp_path / "long.md")
        rate(library, library.ask("What do zebras hide?"), good=True)
        (query,) = rated(library).queries
        holding = [
            item
            for item in library.search("zebras", 20).evidence
            if "Zebras hide their words in the grass." in item.passage.text
        ]
        assert len(holding) > 1
        assert {name_of(query, item) for item in holding} == query.evidence
