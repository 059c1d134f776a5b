"""Evidence of other languages, where the question's own has little, and all of it on one scale."""

from collections.abc import Mapping

import pytest

from scholarmind.answer import Finding
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.plan import SubQuestion
from scholarmind.steps.gather import Gathered, InLanguages, Translated
from scholarmind.steps.select import lists_of

pytestmark = pytest.mark.anyio


def passage(text: str, fused: float, language: str) -> Evidence:
    return Evidence(
        passage=Passage(text=text, start=0, end=len(text), position=0, language=language),
        document=Document(id=text, title=text),
        scores=Scores(fused=fused),
        found_by=frozenset("1"),
    )


class Shelves:
    """Gathers what it was told for each question."""

    def __init__(self, found: Mapping[str, tuple[Evidence, ...]]) -> None:
        self._found = found

    async def gather(self, question: str, label: str, *, hop: bool) -> Gathered:
        return Gathered(evidence=self._found[question], notes=("searched",))


SHELVES = Shelves(
    {
        "sparse focus?": (
            passage("attention", 0.9, "en"),
            passage("注意力与BERT", 0.2, "zh"),
            passage("other", 0.1, "en"),
        ),
        "注意力？": (
            passage("attention", 0.6, "en"),
            passage("注意力", 0.3, "zh"),
            passage("注意力与BERT", 0.15, "zh"),
        ),
    }
)


async def in_chinese(text: str) -> Translated:
    return Translated(texts={"zh": "注意力？"}, notes=("said",))


async def test_the_best_of_the_other_language_stands_as_high_as_the_best_that_its_question_found() -> None:
    found = await InLanguages(gathering=SHELVES, translate=in_chinese).gather("sparse focus?", "1", hop=False)
    assert [(item.passage.text, item.scores.fused) for item in found.evidence] == [
        ("attention", 0.9),
        ("注意力", 0.6),
        ("注意力与BERT", 0.3),
        ("other", 0.1),
    ]
    assert [sorted(item.found_by) for item in found.evidence] == [["1"], ["1", "1@zh"], ["1", "1@zh"], ["1"]]
    assert found.notes == ("searched", "said")


async def test_without_a_translation_everything_is_as_before() -> None:
    async def failed(text: str) -> Translated:
        return Translated(notes=("no model",))

    found = await InLanguages(gathering=SHELVES, translate=failed).gather("sparse focus?", "1", hop=False)
    plain = await SHELVES.gather("sparse focus?", "1", hop=False)
    assert (found.evidence, found.notes) == (plain.evidence, ("searched", "no model"))


async def test_the_original_question_does_not_judge_what_was_asked_in_another_language() -> None:
    gathered = await InLanguages(gathering=SHELVES, translate=in_chinese).gather("sparse focus?", "1", hop=False)
    parts = [SubQuestion(id=number, text=f"{number}?") for number in (1, 2)]
    findings = [Finding(part=part, question=part.text, evidence=gathered.evidence) for part in parts]
    judged = {item.passage.text: item.scores.fused for item in lists_of((), findings)["1"]}
    assert judged == {"注意力": 0.6, "attention": 0.45, "注意力与BERT": 0.3, "other": 0.05}


async def test_where_the_own_language_has_the_words_nothing_is_translated() -> None:
    shelves = Shelves({"sparse focus?": (passage("a sparse focus", 0.5, "en"),)})

    async def never(text: str) -> Translated:
        raise AssertionError(text)

    found = await InLanguages(gathering=shelves, translate=never).gather("sparse focus?", "1", hop=False)
    assert [item.passage.text for item in found.evidence] == ["a sparse focus"]


async def test_no_more_than_six_passages_of_another_language_come_in() -> None:
    many = tuple(passage(f"注意力{number}", 0.9 - number / 100, "zh") for number in range(9))
    shelves = Shelves({"sparse focus?": (passage("other", 0.1, "en"),), "注意力？": many})
    found = await InLanguages(gathering=shelves, translate=in_chinese).gather("sparse focus?", "1", hop=False)
    assert len(found.evidence) == 7
