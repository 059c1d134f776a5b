"""Answers of a model to single parts: what code lets through, and what stands in for the rest."""

from collections.abc import Callable, Sequence

import pytest
from handmade import passage

from scholarmind.calls import Request
from scholarmind.errors import (
    BudgetError,
    ContextOverflowError,
    ModelError,
    ModelReplyError,
    ModelUnavailableError,
    ScholarMindError,
)
from scholarmind.llm.prompts import Assistant, marker_of
from scholarmind.model import Evidence
from scholarmind.plan import SubQuestion
from scholarmind.ports import Short
from scholarmind.ranking import passage_id
from scholarmind.testing import ScriptedModel
from scholarmind.writing.model_answerer import ModelAnswerer

pytestmark = pytest.mark.anyio

QUESTION = "What was Otter trained on?"
PART = SubQuestion(id=2, text=QUESTION)
OTTER = passage("Otter was trained on BooksCorpus and English Wikipedia in May 2018.", title="Otter", id="otter")
HERON = passage("Heron has 24 layers.", title="Heron", id="heron")
WATER = passage("水獭模型在图书语料库上训练。", title="水獭", id="water")


class Rules:
    """Stands for the keyless answerer."""

    def __init__(self, short: Short | None = None) -> None:
        self.short_answer = short or Short(candidates=("the rules' answer",))
        self.asked: list[str] = []

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short:
        """Return always the same."""
        del part, evidence
        self.asked.append(question)
        return self.short_answer


def told(answer: str, *passages: str, nothing_found: bool = False) -> dict[str, object]:
    """What a model replies."""
    return {"answer": answer, "passages": list(passages), "nothing_found": nothing_found}


def answerer(
    reply: Callable[[Request], object], rules: Rules | None = None, *, deep: bool = False
) -> tuple[ModelAnswerer, ScriptedModel]:
    """An answerer, and the model that it asks."""
    model = ScriptedModel(reply)
    assistant = Assistant(model=model, marker=marker_of("run 1"))
    return ModelAnswerer(assistant=assistant, keyless=rules or Rules(), deep=deep), model


async def short(
    reply: object, evidence: Sequence[Evidence] = (OTTER, HERON), *, question: str = QUESTION, deep: bool = False
) -> Short:
    """What becomes of one reply."""
    made, _ = answerer(lambda _: reply, deep=deep)
    return await made.short(PART, question, evidence)


async def test_one_call_shows_the_best_passages_under_keys_and_the_question_as_data() -> None:
    made, model = answerer(lambda _: told("BooksCorpus", "P1"))
    many = [OTTER, *(passage(f"Text {number}.", id=f"d{number}") for number in range(20))]
    await made.short(PART, QUESTION, many)
    [request] = model.requests
    marker = marker_of("run 1")
    assert (request.purpose, request.part, request.task) == ("part 2", 2, "extraction")
    assert request.prompt.startswith("short.en.md@")
    user = request.messages[1].text
    assert f"<passage {marker} P8>" in user
    assert f"<passage {marker} P9>" not in user
    assert f"<question {marker}>\n{QUESTION}\n</question {marker}>" in user


@pytest.mark.parametrize(
    ("question", "deep", "prompt", "task"),
    [
        (QUESTION, False, "short.en.md", "extraction"),
        (QUESTION, True, "part.en.md", "generation"),
        ("水獭模型在什么上训练？", False, "short.zh.md", "extraction"),
        ("水獭模型在什么上训练？", True, "part.zh.md", "generation"),
    ],
)
async def test_the_prompt_is_that_of_the_use_and_of_the_language(
    question: str, deep: bool, prompt: str, task: str
) -> None:
    made, model = answerer(lambda _: told("Otter", "P1"), deep=deep)
    await made.short(PART, question, [OTTER])
    [request] = model.requests
    assert (request.prompt.split("@")[0], request.task) == (prompt, task)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("BooksCorpus and English Wikipedia", "BooksCorpus and English Wikipedia"),
        (' "BooksCorpus"\n [P1, P2]. ', "BooksCorpus"),
        ("BooksCorpus, Heron", "BooksCorpus, Heron"),
        ("2018-05", "2018-05"),
        ("图书语料库。", "图书语料库"),
        ("Yes", "Yes"),
    ],
)
async def test_an_answer_that_stands_in_the_passages_is_taken_alone(answer: str, expected: str) -> None:
    assert await short(told(answer, "P1"), (OTTER, HERON, WATER)) == Short(
        candidates=(expected,), rests_on=(passage_id(OTTER),)
    )


@pytest.mark.parametrize("answer", ["WebText", "BooksCorpus and WebText", "25", "June 2018"])
async def test_an_answer_that_stands_nowhere_is_told_with_those_of_the_rules_and_counts_as_lacking(answer: str) -> None:
    assert await short(told(answer, "P1")) == Short(
        candidates=(answer, "the rules' answer"),
        lacks=f'no passage says "{answer}"',
        notes=("the model's answer to part 2 stands in no passage that it was shown",),
    )


async def test_there_are_three_candidates_at_most_each_once() -> None:
    rules = Rules(Short(candidates=("WebText", "one", "two", "three"), notes=("a note",)))
    made, _ = answerer(lambda _: told("WebText"), rules)
    found = await made.short(PART, QUESTION, [OTTER])
    assert (found.candidates, found.notes[0]) == (("WebText", "one", "two"), "a note")


async def test_yes_without_a_passage_is_not_believed() -> None:
    assert (await short(told("Yes"))).lacks == 'no passage says "Yes"'


async def test_keys_that_were_not_given_out_are_left_out_and_told() -> None:
    found = await short(told("BooksCorpus", "[P1]", "2", "P3", "Smith, 2020", "Otter"))
    expected = "the model cited passages for part 2 that it was not shown: P3, Smith, 2020, Otter; they do not count"
    assert found == Short(
        candidates=("BooksCorpus",), rests_on=(passage_id(OTTER), passage_id(HERON)), notes=(expected,)
    )
    assert (await short(told("Yes", "P9"))).lacks == 'no passage says "Yes"'


@pytest.mark.parametrize(
    "reply",
    [
        told("", nothing_found=True),
        told("BooksCorpus", "P1", nothing_found=True),
        told("Not found."),
        told("N/A"),
        told("未提及"),
    ],
)
async def test_nothing_found_is_lacking_and_the_rules_do_not_guess(reply: object) -> None:
    assert await short(reply) == Short(lacks=f'nothing found for "{QUESTION}"')


async def test_what_is_lacking_is_told_in_chinese_to_who_asks_in_chinese() -> None:
    question = "水獭模型由谁提出？"
    nothing = await short(told("", nothing_found=True), question=question)
    nowhere = await short(told("王雷"), question=question)
    assert (nothing.lacks, nowhere.lacks) == (f"没有找到“{question}”的答案", "没有段落说“王雷”")


async def test_without_a_passage_nobody_is_asked() -> None:
    made, model = answerer(lambda _: told("BooksCorpus"))
    assert await made.short(PART, QUESTION, []) == Short(lacks=f'nothing found for "{QUESTION}"')
    assert model.requests == []


async def test_what_was_asked_in_vain_is_asked_again_only_of_new_passages() -> None:
    made, model = answerer(lambda _: told("", nothing_found=True))
    await made.short(PART, QUESTION, [OTTER, HERON])
    again = await made.short(SubQuestion(id=5, text="x"), "  what was OTTER trained on", [HERON])
    assert again == Short(
        lacks='nothing found for "  what was OTTER trained on"',
        notes=("part 5 was not asked again: a model found no answer to it in the same passages before",),
    )
    assert len(model.requests) == 1
    await made.short(PART, QUESTION, [HERON, WATER])
    assert len(model.requests) == 2
    await made.short(PART, QUESTION, [OTTER, WATER])
    assert len(model.requests) == 2  # all passages of both calls are remembered
    await made.short(PART, "Who made Otter?", [OTTER])
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailableError("no reply from http://localhost:1"),
        ModelReplyError("no JSON"),
        BudgetError("no call is left of --max-calls 2"),
        ModelError("anything else"),
    ],
)
async def test_when_the_model_fails_the_rules_answer_and_say_why(error: ScholarMindError) -> None:
    assert await short(error) == Short(
        candidates=("the rules' answer",), notes=(f"part 2 was answered by rules: {error}",)
    )


@pytest.mark.parametrize(
    ("answer", "deep", "reason"),
    [
        ("  \n", False, "the model's answer is empty"),
        ("[P1].", False, "the model's answer is empty"),
        ("Otter " * 500, False, "the model's answer has 2,999 characters, where at most 300 make sense"),
        ("Otter " * 500, True, "the model's answer has 2,999 characters, where at most 2,000 make sense"),
        ("水獭模型在图书语料库上训练。", True, "the model's answer is not in the language of the question"),
    ],
)
async def test_an_answer_without_sense_is_as_good_as_none(answer: str, deep: bool, reason: str) -> None:
    assert await short(told(answer, "P1"), deep=deep) == Short(
        candidates=("the rules' answer",), notes=(f"part 2 was answered by rules: {reason}",)
    )


async def test_a_model_that_does_not_answer_in_time_is_not_waited_for() -> None:
    assistant = Assistant(model=ScriptedModel(lambda _: told("BooksCorpus"), latency=60), marker=marker_of("run 1"))
    made = ModelAnswerer(assistant=assistant, keyless=Rules(), seconds=0.01)
    expected = ("part 2 was answered by rules: the model did not answer within 0.01 s",)
    assert (await made.short(PART, QUESTION, [OTTER])).notes == expected


async def test_what_is_too_long_is_asked_once_more_with_half_of_the_passages() -> None:
    def reply(request: Request) -> object:
        shown = request.messages[1].text.count("</passage")
        return told("BooksCorpus", f"P{shown}") if shown == 4 else ContextOverflowError("too long")

    made, model = answerer(reply)
    evidence = [OTTER, *(passage(f"Text {number}.", id=f"d{number}") for number in range(7))]
    assert await made.short(PART, QUESTION, evidence) == Short(
        candidates=("BooksCorpus",), rests_on=(passage_id(evidence[3]),)
    )
    assert len(model.requests) == 2


@pytest.mark.parametrize(("passages", "calls"), [(8, 2), (1, 1)])
async def test_what_stays_too_long_is_answered_by_rules(passages: int, calls: int) -> None:
    made, model = answerer(lambda _: ContextOverflowError("too long"))
    found = await made.short(PART, QUESTION, [passage(f"Text {n}.", id=f"d{n}") for n in range(passages)])
    assert found.notes == ("part 2 was answered by rules: too long",)
    assert len(model.requests) == calls


async def test_half_of_the_passages_is_all_that_was_asked_in_vain() -> None:
    def reply(request: Request) -> object:
        many = request.messages[1].text.count("</passage") > 1
        return ContextOverflowError("too long") if many else told("", nothing_found=True)

    made, model = answerer(reply)
    await made.short(PART, QUESTION, [OTTER, HERON])
    await made.short(PART, QUESTION, [HERON])
    assert len(model.requests) == 3


async def test_sentences_may_draw_on_several_passages() -> None:
    answer = "Otter was trained on BooksCorpus [P1]. However, Heron has 24 layers."
    found = await short(told(answer, "P1", "P2"), deep=True)
    assert found == Short(
        candidates=("Otter was trained on BooksCorpus. However, Heron has 24 layers.",),
        rests_on=(passage_id(OTTER), passage_id(HERON)),
    )


async def test_sentences_with_a_name_or_number_of_their_own_count_as_lacking() -> None:
    answer = "Otter was trained on BooksCorpus. It has 48 layers."
    found = await short(told(answer, "P1"), deep=True)
    assert found.candidates[0] == answer
    assert found.lacks == f'no passage says "{answer}"'


async def test_the_items_of_a_list_are_told_one_by_one_and_those_that_stand_nowhere_are_left_out() -> None:
    reply = {
        **told("BooksCorpus, English Wikipedia", "P1"),
        "items": ["BooksCorpus", "bookscorpus", "English Wikipedia", "C4"],
    }
    found = await short(reply)
    assert (found.candidates, found.items) == (
        ("BooksCorpus, English Wikipedia",),
        ("BooksCorpus", "English Wikipedia"),
    )
    assert found.notes == (
        "1 of 3 items that the model listed for part 2 stand in no passage that it was shown; they were left out",
    )
