"""What is in doubt, and the words that a model points at: what these can change, and what they never can."""

from collections.abc import Callable

import pytest

from scholarmind.answer import Citation, Claim, Doubt, Draft, Support
from scholarmind.calls import Request
from scholarmind.errors import ContextOverflowError, ModelUnavailableError
from scholarmind.llm.prompts import Assistant, marker_of
from scholarmind.plan import Plan, SubQuestion
from scholarmind.testing import ScriptedModel
from scholarmind.writing.attribution import ModelExaminer

pytestmark = pytest.mark.anyio

SOURCE = "Otter-Large has 24 layers. It was trained by Mira Falk without labels."
LOOSE = "Otter learned without any labels."


def plan(question: str = "How was Otter trained?") -> Plan:
    """A plan of one part."""
    return Plan(
        question=question, parts=(SubQuestion(id=1, text=question),), complexity="simple", reason="", decided_by=""
    )


def claim(text: str = LOOSE, status: Support = "unsupported", *sources: str, about: str = "Otter, Falk") -> Claim:
    """A claim that cites these sources, and is in doubt if it cites any."""
    cited = tuple(
        Citation(key="Falk, 2019", document="d", collection="c", title="Otter", quote=source[:20]) for source in sources
    )
    doubt = Doubt(sources=sources, about=about) if sources else None
    return Claim(text=text, status=status, citations=cited, row="1", doubt=doubt)


def draft(*claims: Claim) -> Draft:
    """A draft of these claims."""
    return Draft(text="# The text", claims=claims, citations=(), notes=("a note",))


def said(*words: tuple[int, str]) -> dict[str, object]:
    """What a model replies."""
    return {"checks": [{"claim": number, "words": text} for number, text in words]}


def examiner(reply: Callable[[Request], object]) -> tuple[ModelExaminer, ScriptedModel]:
    """An examiner, and the model that it asks."""
    model = ScriptedModel(reply)
    return ModelExaminer(assistant=Assistant(model=model, marker=marker_of("run 1"))), model


async def examined(reply: object, *claims: Claim) -> Draft:
    """What becomes of a draft."""
    made, _ = examiner(lambda _: reply)
    return await made.examine(plan(), draft(*claims))


async def test_one_call_shows_each_doubtful_claim_with_what_it_cites_as_data() -> None:
    made, model = examiner(lambda _: said())
    sure = claim(SOURCE, "verified")
    await made.examine(plan(), draft(sure, claim(LOOSE, "unsupported", SOURCE, "Other."), claim("No.")))
    [request] = model.requests
    marker = marker_of("run 1")
    assert (request.purpose, request.task, request.prompt.split("@")[0]) == ("check", "routing", "check.en.md")
    assert request.messages[1].text == (
        f"<claim 2 {marker}>\n{LOOSE}\n</claim 2 {marker}>\n<documents of 2 {marker}>\nOtter, Falk\n</documents of 2 {marker}>\n"
        f"<source of 2 {marker}>\n{SOURCE}\n</source of 2 {marker}>\n<source of 2 {marker}>\nOther.\n</source of 2 {marker}>"
    )


async def test_of_a_long_source_the_part_is_shown_that_is_nearest() -> None:
    made, model = examiner(lambda _: said())
    long = "x" * 5_000 + SOURCE + "y" * 5_000
    cited = claim(LOOSE, "unsupported", SOURCE)
    await made.examine(plan(), draft(Claim(**{**fields(cited), "doubt": Doubt(sources=(long,))})))
    shown = model.requests[0].messages[1].text
    assert SOURCE in shown
    assert len(shown) < 2_000


def fields(one: Claim) -> dict[str, object]:
    """The fields of a claim."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


async def test_who_asks_in_chinese_is_checked_in_chinese() -> None:
    made, model = examiner(lambda _: said())
    await made.examine(plan("水獭模型是怎样训练的？"), draft(claim(LOOSE, "unsupported", SOURCE)))
    assert model.requests[0].prompt.startswith("check.zh.md@")


@pytest.mark.parametrize(
    ("words", "confirmed"),
    [
        pytest.param("trained by Mira Falk without labels", True, id="exact words"),
        pytest.param("Otter-Large ... without labels", True, id="pieces"),
        pytest.param("", False, id="none"),
        pytest.param("yes, it is supported", False, id="words of its own"),
        pytest.param(LOOSE, False, id="the claim itself"),
    ],
)
async def test_nothing_but_words_of_the_source_confirms(words: str, confirmed: bool) -> None:
    examination = await examined(said((1, words)), claim(LOOSE, "unsupported", SOURCE))
    (judged,) = examination.claims
    assert (judged.status != "unsupported") == confirmed
    assert examination.text == "# The text"
    assert examination.answers == ({"1": LOOSE} if confirmed else {})
    assert examination.notes == ("a note",)


@pytest.mark.parametrize(
    "text", ["Otter-Large has 25 layers.", "Otter-Large was trained by Jonas Weil without labels."]
)
async def test_what_the_judge_refuses_no_words_confirm(text: str) -> None:
    examination = await examined(said((1, SOURCE)), claim(text, "unsupported", SOURCE))
    assert examination.claims[0].status == "unsupported"


async def test_nobody_is_asked_where_nothing_is_in_doubt() -> None:
    made, model = examiner(lambda _: said())
    given = draft(claim(SOURCE, "verified"), claim(SOURCE, "conclusion"), claim())
    assert await made.examine(plan(), given) == given
    assert model.requests == []


async def test_numbers_that_there_are_not_change_nothing_and_what_is_settled_stays() -> None:
    given = (claim(SOURCE, "verified"), claim(), claim(LOOSE, "unsupported", SOURCE))
    words = "trained by Mira Falk"
    examination = await examined(said((0, words), (1, ""), (2, words), (4, words), (-2, words)), *given)
    assert examination == draft(*given)


async def test_at_most_sixty_claims_are_shown() -> None:
    made, model = examiner(lambda _: said((60, "by Mira Falk without labels"), (61, "by Mira Falk without labels")))
    examination = await made.examine(plan(), draft(*(claim(LOOSE, "unsupported", SOURCE) for _ in range(70))))
    assert [place for place, one in enumerate(examination.claims, 1) if one.status != "unsupported"] == [60]
    assert model.requests[0].messages[1].text.count("</claim") == 60


@pytest.mark.parametrize("reply", [ModelUnavailableError("no reply"), "I think that all is well."])
async def test_a_failure_leaves_the_claims_as_they_were_and_is_told(reply: object) -> None:
    claims = (claim(LOOSE, "unsupported", SOURCE), claim(LOOSE, "unsupported", SOURCE))
    examination = await examined(reply, *claims)
    assert examination.claims == claims
    assert examination.notes[1].startswith("2 sentences could not be checked by the model: ")


async def test_what_is_too_long_is_asked_once_more_for_half_of_the_claims() -> None:
    def reply(request: Request) -> object:
        many = request.messages[1].text.count("</claim") > 2
        return (
            ContextOverflowError("too long")
            if many
            else said(*((number, "by Mira Falk without labels") for number in range(1, 5)))
        )

    made, model = examiner(reply)
    examination = await made.examine(plan(), draft(*(claim(LOOSE, "unsupported", SOURCE) for _ in range(4))))
    assert [one.status == "unsupported" for one in examination.claims] == [False, False, True, True]
    assert len(model.requests) == 2


@pytest.mark.parametrize("claims", [1, 4])
async def test_what_stays_too_long_is_not_checked(claims: int) -> None:
    given = [claim(LOOSE, "unsupported", SOURCE) for _ in range(claims)]
    examination = await examined(ContextOverflowError("too long"), *given)
    assert examination.notes[1].endswith("could not be checked by the model: too long")
