"""The assistant: requests made from prompts, under the marker of the run."""

from dataclasses import dataclass

import pytest

from scholarmind.calls import Task
from scholarmind.llm.prompts import TASK_OF, Assistant, Prompt, Prompts, marker_of, within
from scholarmind.testing import ScriptedModel


@dataclass(frozen=True, slots=True)
class Shape:
    """What is asked for."""

    answer: str


def assistant(run: str = "run 1") -> Assistant:
    """An assistant whose model is not asked."""
    return Assistant(model=ScriptedModel(lambda request: request.purpose), marker=marker_of(run))


def values(marker: str) -> dict[str, str]:
    """What the prompt `short` needs."""
    return {"question": within("Who made Otter?", marker, "question"), "passages": "none"}


def test_a_request_carries_all_that_belongs_to_its_prompt() -> None:
    made = assistant().request(
        ("short", "en"), purpose="part 2", max_tokens=50, values=values(marker_of("run 1")), shape=Shape, part=2
    )
    filled = Prompts().filled("short", "en", marker=marker_of("run 1"), **values(marker_of("run 1")))
    assert made.messages == filled.messages
    assert (made.purpose, made.part, made.max_tokens, made.shape) == ("part 2", 2, 50, Shape)
    assert (made.prompt, made.marker) == (Prompts().versions()["short.en.md"], marker_of("run 1"))


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        ("plan", "extraction"),
        ("short", "extraction"),
        ("part", "generation"),
        ("answer", "generation"),
        ("check", "routing"),
    ],
)
def test_each_prompt_goes_to_the_model_of_its_task(prompt: Prompt, task: Task) -> None:
    assert TASK_OF[prompt] == task


def test_the_same_request_in_another_run_has_the_same_content() -> None:
    one, other = (
        assistant(run).request(("short", "en"), purpose="part 1", max_tokens=50, values=values(marker_of(run)))
        for run in ("run 1", "run 2")
    )
    assert one.messages != other.messages
    assert one.content == other.content


def test_another_question_or_language_is_another_content() -> None:
    made = [
        assistant().request(
            ("short", language), purpose="part 1", max_tokens=50, values={"question": question, "passages": ""}
        )
        for question, language in (("Who?", "en"), ("When?", "en"), ("Who?", "zh"))
    ]
    assert len({request.content for request in made}) == 3
