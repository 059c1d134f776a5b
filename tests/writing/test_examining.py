"""A second opinion: what it can change, and what it never can."""

from collections.abc import Callable

import pytest
from scholarmind.writing.opinion import ModelExaminer

from scholarmind.answer import Citation, Claim, Draft, Support
from scholarmind.calls import Request
from scholarmind.errors import ContextOverflowError, ModelUnavailableError
from scholarmind.llm.assistant import Assistant
from scholarmind.llm.fences import marker_of
from scholarmind.plan import Plan, SubQuestion
from scholarmind.testing import ScriptedModel
from scholarmind.writing.check import contradicted

pytestmark = pytest.mark.anyio

QUOTE = "Otter-Large has 24 layers and was trained by Mira Falk without labels."
PARAPHRASE = "With 24 layers, Otter-Large was trained without labels."
LOOSE = "The deep network Otter-Large learns from raw data alone, so it does without labels."


def plan(question: str = "How was Otter trained?") -> Plan:
    """A plan of one part."""
    return Plan(
        question=question, parts=(SubQuestion(id=1, text=question),), complexity="simple", reason="", decided_by=""
    )


def claim(text: str, status: Support, *quotes: str) -> Claim:
    """A claim that cites these quotes."""
    cited = tuple(
        Citation(key="Falk, 2019", document="d", collection="c", title="Otter", quote=quote) for quote in quotes
    )
    return Claim(text=text, status=status, citations=cited, row="1")


def draft(*claims: Claim) -> Draft:
    """A draft of these claims."""
    return Draft(text="# The text", claims=claims, citations=(), notes=("a note",))


def said(*opinions: tuple[object, str]) -> dict[str, object]:
    """What a model replies, with the same reason for all."""
    return {"opinions": [{"claim": number, "support": support, "reason": "a reason"} for number, support in opinions]}


def examiner(reply: Callable[[Request], object]) -> tuple[ModelExaminer, ScriptedModel]:
    """An examiner, and the model that it asks."""
    model = ScriptedModel(reply)
    return ModelExaminer(assistant=Assistant(model=model, marker=marker_of("run 1"))), model


async def examined(reply: object, *claims: Claim) -> Draft:
    """What becomes of a draft."""
    made, _ = examiner(lambda _: reply)
    return await made.examine(plan(), draft(*claims))


async def test_one_call_shows_each_claim_with_the_quotes_that_it_cites_as_data() -> None:
    made, model = examiner(lambda _: said())
    await made.examine(
        plan(), draft(claim(PARAPHRASE, "paraphrase", QUOTE, QUOTE), claim(LOOSE, "unsupported", "Other."))
    )
    [request] = model.requests
    marker = marker_of("run 1")
    assert (request.purpose, request.task, request.prompt.split("@")[0]) == ("opinion", "routing", "opinion.en.md")
    assert request.messages[1].text == (
        f"<claim 1 {marker}>\n{PARAPHRASE}\n</claim 1 {marker}>\n<quote for 1 {marker}>\n{QUOTE}\n</quote for 1 {marker}>\n\n"
        f"<claim 2 {marker}>\n{LOOSE}\n</claim 2 {marker}>\n<quote for 2 {marker}>\nOther.\n</quote for 2 {marker}>"
    )


async def test_who_asks_in_chinese_is_judged_in_chinese() -> None:
    made, model = examiner(lambda _: said())
    await made.examine(plan("水獭模型是怎样训练的？"), draft(claim(PARAPHRASE, "paraphrase", QUOTE)))
    assert model.requests[0].prompt.startswith("opinion.zh.md@")


@pytest.mark.parametrize(
    ("text", "before", "opinion", "after"),
    [
        pytest.param(PARAPHRASE, "paraphrase", "not", "unsupported", id="a paraphrase is doubted"),
        pytest.param(PARAPHRASE, "paraphrase", "partly", "paraphrase", id="in part"),
        pytest.param(PARAPHRASE, "paraphrase", "supported", "paraphrase", id="agreed"),
        pytest.param(QUOTE, "verified", "not", "verified", id="verified stays"),
        pytest.param(LOOSE, "unsupported", "supported", "paraphrase", id="vouched for"),
        pytest.param(LOOSE, "unsupported", "partly", "unsupported", id="not vouched for in part"),
        pytest.param(LOOSE, "unsupported", "not", "unsupported", id="agreed that not"),
        pytest.param(LOOSE + " It has 25 layers.", "unsupported", "supported", "unsupported", id="another number"),
        pytest.param(LOOSE + " It is by Jonas Weil.", "unsupported", "supported", "unsupported", id="another name"),
        pytest.param(
            "Otter-Large was trained with labels by people.", "unsupported", "supported", "unsupported", id="a negation"
        ),
    ],
)
async def test_code_first_model_second(text: str, before: Support, opinion: str, after: Support) -> None:
    examination = await examined(said((1, opinion)), claim(text, before, QUOTE))
    assert examination.claims == (claim(text, after, QUOTE),)
    assert examination.text == "# The text"


async def test_a_claim_that_cites_nothing_is_never_raised() -> None:
    claims = (claim(LOOSE, "unsupported"), claim(LOOSE, "unsupported", " "), claim(LOOSE, "unsupported", QUOTE))
    examination = await examined(said((1, "supported"), (2, "supported")), *claims)
    assert examination == draft(*claims)


async def test_nobody_is_asked_where_nothing_could_change() -> None:
    made, model = examiner(lambda _: said())
    given = draft(claim(QUOTE, "verified", QUOTE), claim(LOOSE, "unsupported"))
    assert await made.examine(plan(), given) == given
    assert model.requests == []


async def test_numbers_that_there_are_not_and_claims_left_out_change_nothing() -> None:
    given = (
        claim(QUOTE, "verified", QUOTE),
        claim(PARAPHRASE, "paraphrase", QUOTE),
        claim(LOOSE, "unsupported", QUOTE),
    )
    examination = await examined(said((0, "not"), (1, "not"), (4, "not"), (-2, "not"), (3, "not")), *given)
    assert examination == draft(*given)


async def test_notes_tell_what_is_judged_in_another_way_and_why() -> None:
    claims = [
        claim(f"{PARAPHRASE} {'x' * 200}", "paraphrase", QUOTE),
        claim(LOOSE, "unsupported", QUOTE),
        claim(PARAPHRASE, "paraphrase", QUOTE),
    ]
    examination = await examined(said((1, "not"), (2, "supported"), (3, "partly")), *claims)
    assert examination.notes == (
        "a note",
        f"second opinion: “{claims[0].text[:100]} …” is not supported: a reason",
        f"second opinion: “{LOOSE}” is supported, which words alone did not show: a reason",
        f"second opinion: “{PARAPHRASE}” is supported in part: a reason",
    )


async def test_at_most_sixty_claims_are_shown() -> None:
    made, model = examiner(lambda _: said((60, "not"), (61, "not")))
    given = draft(*(claim(PARAPHRASE, "paraphrase", QUOTE) for _ in range(70)))
    examination = await made.examine(plan(), given)
    assert [place for place, one in enumerate(examination.claims, 1) if one.status == "unsupported"] == [60]
    assert model.requests[0].messages[1].text.count("</claim") == 60


async def test_a_failure_leaves_the_draft_as_it_was() -> None:
    claims = (claim(PARAPHRASE, "paraphrase", QUOTE),)
    examination = await examined(ModelUnavailableError("no reply"), *claims)
    assert (examination.claims, examination.notes) == (claims, ("a note", "no second opinion: no reply"))


async def test_a_reply_of_another_shape_leaves_the_draft_as_it_was() -> None:
    claims = (claim(PARAPHRASE, "paraphrase", QUOTE),)
    examination = await examined("I think that all is well.", *claims)
    assert examination.claims == claims
    assert examination.notes[1].startswith("no second opinion: ")


async def test_what_is_too_long_is_asked_once_more_for_half_of_the_claims() -> None:
    def reply(request: Request) -> object:
        many = request.messages[1].text.count("</claim") > 2
        return ContextOverflowError("too long") if many else said((1, "not"), (2, "not"), (3, "not"))

    made, model = examiner(reply)
    examination = await made.examine(plan(), draft(*(claim(PARAPHRASE, "paraphrase", QUOTE) for _ in range(4))))
    assert [one.status for one in examination.claims] == ["unsupported", "unsupported", "paraphrase", "paraphrase"]
    assert len(model.requests) == 2


@pytest.mark.parametrize("claims", [1, 4])
async def test_what_stays_too_long_has_no_second_opinion(claims: int) -> None:
    given = [claim(PARAPHRASE, "paraphrase", QUOTE) for _ in range(claims)]
    assert (await examined(ContextOverflowError("too long"), *given)).notes == ("a note", "no second opinion: too long")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOOSE, False),
        ("A network that is deep [Falk, 2019].", False),
        ("24", False),
        ("25", True),
        ("Its depth is 24 percent.", True),
        ("Heron does without labels.", True),
        ("Otter-Large was trained by Mira Falk with no lack of labels.", True),
        ("deep " * 1_000, True),
    ],
)
def test_what_code_holds_against_a_claim(text: str, expected: bool) -> None:
    assert contradicted(text, [QUOTE]) is expected
