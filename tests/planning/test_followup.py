"""Follow-ups: the gold dialogues in both languages, what must never change, and what is remembered of a turn."""

import re
from collections.abc import Sequence

import gold_dialogues
import more_dialogues
import pytest
from gold_dialogues import Said

from scholarmind.conversations import Turn, turn_of
from scholarmind.model import Name
from scholarmind.plan import Ask, Plan, SubQuestion
from scholarmind.planning.followup import StoodAlone, stand_alone
from scholarmind.planning.planner import RulePlanner

DIALOGUES = gold_dialogues.ENGLISH + gold_dialogues.CHINESE
MORE = more_dialogues.FIRST + more_dialogues.SECOND + more_dialogues.THIRD
PLANNER = RulePlanner(cap=9)


def held(dialogue: Sequence[Said]) -> list[tuple[str, ...]]:
    """Return the pieces that each turn must hold."""
    return [tuple(piece.strip() for piece in said.holds.split("|")) if said.holds else () for said in dialogue]


def has(text: str, piece: str) -> bool:
    """Tell whether a piece stands in a text as words of its own, in whatever case."""
    before = r"(?<![a-z0-9-])" if piece[0].isascii() else ""
    after = r"(?!\.?[a-z0-9]|-[a-z0-9])" if piece[-1].isascii() else ""
    return re.search(before + re.escape(piece.lower()) + after, text.lower()) is not None


def names_of(dialogue: Sequence[Said]) -> list[str]:
    """Return the names of a dialogue, which are wrong wherever they are not wanted."""
    return list(dict.fromkeys(piece for pieces in held(dialogue) for piece in pieces if re.search(r"[A-Z0-9]", piece)))


def spoken(dialogue: Sequence[Said]) -> list[str]:
    """Return what each question of a dialogue became, each planned by the rules."""
    turns: list[Turn] = []
    for said in dialogue:
        became = stand_alone(said.typed, turns).became
        turns.append(turn_of(said.typed, PLANNER.plan(became), {"1": said.answer} if said.answer else {}))
    return [turn.question for turn in turns]


def faults(dialogue: Sequence[Said]) -> list[tuple[str, str, list[str], list[str]]]:
    """Return the turns of a dialogue that went wrong: what was typed, what it became, what is missing, what is wrong in it."""
    found: list[tuple[str, str, list[str], list[str]]] = []
    for said, became, pieces in zip(dialogue, spoken(dialogue), held(dialogue), strict=True):
        missing = (
            [piece for piece in pieces if not has(became, piece)] if pieces else [said.typed] * (became != said.typed)
        )
        wrong = [name for name in names_of(dialogue) if pieces and name not in pieces and has(became, name)]
        if missing or wrong:
            found.append((said.typed, became, missing, wrong))
    return found


def test_the_gold_set_is_as_large_as_promised() -> None:
    sizes = [
        (len(dialogues), {len(each) in {3, 4, 5} for each in dialogues})
        for dialogues in (gold_dialogues.ENGLISH, gold_dialogues.CHINESE)
    ]
    assert sizes == [(10, {True}), (10, {True})]
    assert len(gold_dialogues.STAND_ALONE) == 30


@pytest.mark.parametrize("dialogue", [*DIALOGUES, *MORE], ids=lambda dialogue: dialogue[0].typed[:40])
def test_each_turn_of_a_dialogue_holds_what_it_is_about_and_nothing_else(dialogue: list[Said]) -> None:
    assert faults(dialogue) == []


@pytest.mark.parametrize("question", gold_dialogues.STAND_ALONE)
@pytest.mark.parametrize("before", ["What F1 does BERT reach on SQuAD 1.1?", "BERT和GPT-2在SQuAD上的F1分别是多少？"])
def test_a_question_that_stands_alone_is_never_changed(before: str, question: str) -> None:
    turns = [turn_of(before, PLANNER.plan(before), {"1": "93.2"})]

    assert stand_alone(question, turns) == StoodAlone(question=question, became=question)


class TestStandAlone:
    def test_it_says_what_it_did_and_why(self) -> None:
        turns = [Turn(question="Who proposed BERT?", asked="Who proposed BERT?", entities=("BERT",))]

        assert stand_alone("How large is it?", turns) == StoodAlone(
            question="How large is it?", became="How large is BERT?", reason="'it' stands for BERT"
        )
        assert stand_alone("它有多大？", turns) == StoodAlone(
            question="它有多大？", became="BERT有多大？", reason="“它”指BERT"
        )

    @pytest.mark.parametrize("question", ["How large is it?", "那 SQuAD 呢？", "why?", "", "  "])
    def test_the_first_question_of_a_conversation_stays_as_it_is(self, question: str) -> None:
        assert stand_alone(question, []) == StoodAlone(question=question, became=question)

    @pytest.mark.parametrize(
        "question", ["thanks!", "谢谢", "ok", "in Chinese?", "用英文回答", "Shorter please", "How? " * 100]
    )
    def test_what_is_no_follow_up_stays_as_it_is(self, question: str) -> None:
        turns = [Turn(question="Who proposed BERT?", asked="Who proposed BERT?", entities=("BERT",))]

        assert stand_alone(question, turns).became == question

    def test_where_there_is_nothing_to_point_to_the_question_stays_as_it_is(self) -> None:
        assert stand_alone("How large is it?", [Turn(question="Really?", asked="Really?")]).became == "How large is it?"

    @pytest.mark.parametrize(
        ("last", "typed", "became"),
        [
            ("Who proposed BERT?", "那RoBERTa呢？", "请用中文回答：Who proposed RoBERTa?"),
            ("BERT是谁提出的？", "What about RoBERTa?", "Answer in English: RoBERTa是谁提出的？"),
        ],
    )
    def test_the_language_is_that_of_what_was_typed(self, last: str, typed: str, became: str) -> None:
        turns = [turn_of(last, PLANNER.plan(last), {})]
        first = stand_alone(typed, turns)
        turns.append(turn_of(typed, PLANNER.plan(first.became), {}))

        assert first.became == became
        assert stand_alone("How large is it?", turns).became == "How large is RoBERTa?"

    def test_a_data_set_of_the_library_takes_the_place_of_a_data_set(self) -> None:
        turns = [Turn(question="What F1 does BERT reach on SQuAD 2.0?", asked="", entities=("BERT",))]
        name = Name(text="Duorc", start=4, end=9, field="datasets", value="DuoRC", documents=1)

        assert stand_alone("and Duorc?", turns, (name,)).became == "What F1 does BERT reach on Duorc?"
        assert stand_alone("and Duorc?", turns).became == "What F1 does Duorc reach on SQuAD 2.0?"

    def test_a_name_is_not_found_within_another(self) -> None:
        turns = [Turn(question="Is BERT better than RoBERTa?", asked="", entities=("BERT", "RoBERTa"))]

        assert stand_alone("How large is it?", turns).became == "How large is BERT?"
        turns = [Turn(question="Is RoBERTa better than BERT?", asked="", entities=("RoBERTa", "BERT"))]
        assert stand_alone("no, I meant GPT-2, not BERT", turns).became == "Is RoBERTa better than GPT-2?"

    def test_what_was_taken_back_is_no_longer_pointed_to(self) -> None:
        dialogue = [
            Said("How large is BERT?"),
            Said("And GPT-2?", "How large | GPT-2"),
            Said("no, I meant GPT-3", "How large | GPT-3"),
            Said("compare them", "Compare | BERT | GPT-3"),
        ]

        assert faults(dialogue) == []

    def test_hostile_texts_end(self) -> None:
        turns = [turn_of("Who proposed BERT?", PLANNER.plan("Who proposed BERT?"), {"1": "a, " * 500})] * 50
        for text in ("it " * 99, "它" * 299, "and A, " * 40, "the same for " * 20, "\ud83d\ue000\ue100", "((((" * 70):
            assert stand_alone(text, turns).question == text


class TestTurnOf:
    def test_entities_and_aspects_are_those_of_the_plan_and_its_asks(self) -> None:
        plan = Plan(
            question="Compare the size of BERT and GPT-2.",
            parts=(
                SubQuestion(
                    id=1,
                    text="How large are BERT and GPT-2?",
                    asks=(
                        Ask(text="How large is BERT?", entity="BERT", aspect="size"),
                        Ask(text="How large is GPT-2?", entity="GPT-2", aspect="size"),
                    ),
                ),
            ),
            complexity="composite",
            reason="",
            decided_by="rules",
            known_entities=("GPT-2",),
        )

        assert turn_of("and their sizes?", plan, {"1.1": "340 million", "1.2": "1.5 billion"}) == Turn(
            question="Compare the size of BERT and GPT-2.",
            asked="and their sizes?",
            answer="340 million; 1.5 billion",
            entities=("GPT-2", "BERT"),
            aspects=("size",),
        )

    def test_the_answer_of_a_bridge_is_an_entity(self) -> None:
        plan = PLANNER.plan("What is the place of death of the director of film Silent Harbour?")

        turn = turn_of("?", plan, {"1": "Ann Lee", "2": "Rome"})
        assert ("Ann Lee" in turn.entities, "Rome" in turn.entities) == (True, False)

    def test_a_long_answer_is_cut(self) -> None:
        assert len(turn_of("?", PLANNER.plan("Who proposed BERT?"), {"1": "x" * 5_000}).answer) == 400
