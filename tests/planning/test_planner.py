"""The rule planner: gold plans in both languages, what every plan must keep, and how much it may cost."""

import random
import re
import sys

import gold_chinese
import gold_english
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.model import Name
from scholarmind.plan import Plan
from scholarmind.planning.plan_checks import lost_words
from scholarmind.planning.rule_planner import LONGEST_QUESTION, RulePlanner, direct

PLANNER = RulePlanner(cap=9)
SPLIT = gold_english.SPLIT + gold_chinese.SPLIT
WHOLE = gold_english.WHOLE + gold_chinese.WHOLE
FIRST_PAGE = "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?"
FIRST_PAGE_CHINESE = "对比BERT和GPT-2在GLUE上的表现，解释它们的注意力机制，以及各自由谁提出？"


def name(text: str, question: str) -> Name:
    start = question.index(text)
    return Name(text=text, start=start, end=start + len(text), field="title", value=text, documents=1)


def texts(plan: Plan) -> list[str]:
    return [part.text for part in plan.parts]


def test_the_gold_set_is_as_large_as_promised() -> None:
    sizes = [(len(gold.SPLIT) + len(gold.WHOLE) >= 60, len(gold.WHOLE)) for gold in (gold_english, gold_chinese)]
    assert sizes == [(True, 20), (True, 20)]


@pytest.mark.parametrize(("question", "shape", "words", "depends"), SPLIT, ids=[row[0][:40] for row in SPLIT])
def test_a_composite_question_has_its_gold_plan(
    question: str, shape: str, words: list[str], depends: list[tuple[int, ...]]
) -> None:
    plan = PLANNER.plan(question)

    missing = [
        (word, part.text)
        for part, wanted in zip(plan.parts, words, strict=True)
        for word in wanted.split()
        if word.lower() not in part.text.lower()
    ]
    assert (plan.shape, [part.depends_on for part in plan.parts], missing) == (shape, depends, [])
    assert plan.complexity == "composite"


@pytest.mark.parametrize("question", WHOLE)
def test_a_simple_question_stays_whole(question: str) -> None:
    plan = PLANNER.plan(question)

    assert (texts(plan), plan.complexity, plan.shape) == ([question], "simple", "direct")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        pytest.param(
            FIRST_PAGE,
            [
                ("BERT", "GLUE"),
                ("GPT-2", "GLUE"),
                ("BERT", "attention"),
                ("GPT-2", "attention"),
                ("BERT", "proposed"),
                ("GPT-2", "proposed"),
            ],
            id="English",
        ),
        pytest.param(
            FIRST_PAGE_CHINESE,
            [
                ("BERT", "GLUE"),
                ("GPT-2", "GLUE"),
                ("BERT", "注意力"),
                ("GPT-2", "注意力"),
                ("BERT", "提出"),
                ("GPT-2", "提出"),
            ],
            id="Chinese",
        ),
    ],
)
def test_the_question_of_the_first_page(question: str, rows: list[tuple[str, str]]) -> None:
    plan = RulePlanner(cap=5).plan(question)

    asks = [ask for part in plan.parts if part.role == "find" for ask in part.asks]
    comparison = plan.parts[-1]
    assert len(plan.parts) <= 5
    assert {
        (entity, word) for entity, word in rows for ask in asks if ask.entity == entity and word in ask.text
    } == set(rows)
    assert len(asks) == len(rows)
    assert (comparison.role, comparison.kind) == ("compare", "reasoning")
    assert comparison.depends_on == tuple(part.id for part in plan.parts[:-1])


@pytest.mark.parametrize(
    ("question", "kinds", "roles"),
    [
        pytest.param(
            "Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?",
            ["global", "factual", "factual", "reasoning"],
            ["find", "find", "find", "conclude"],
            id="improvements",
        ),
        pytest.param("学习率对收敛速度有什么影响？", ["factual", "factual", "reasoning"], ["find"] * 3, id="effect"),
        pytest.param(
            "How does dropout affect overfitting?",
            ["factual", "factual", "reasoning"],
            ["find"] * 3,
            id="effect in English",
        ),
        pytest.param(
            "BERT vs GPT-2", ["factual", "factual", "reasoning"], ["find", "find", "compare"], id="comparison"
        ),
        pytest.param("Why is dropout used during training?", ["reasoning"], ["find"], id="why"),
        pytest.param("Give an overview of graph-based retrieval methods.", ["global"], ["find"], id="overview"),
        pytest.param("概述基于图的检索方法。", ["global"], ["find"], id="overview in Chinese"),
        pytest.param("BERT有多少参数？", ["factual"], ["find"], id="fact in Chinese"),
    ],
)
def test_kinds_and_roles(question: str, kinds: list[str], roles: list[str]) -> None:
    plan = PLANNER.plan(question)

    assert ([part.kind for part in plan.parts], [part.role for part in plan.parts]) == (kinds, roles)


def test_entity_and_aspect_are_known_where_the_plan_is_a_table() -> None:
    plan = PLANNER.plan("Compare BERT with GPT-2 in terms of speed and memory")

    cells = [(ask.entity, ask.aspect) for part in plan.parts for ask in part.asks]
    assert cells == [("BERT", "speed"), ("GPT-2", "speed"), ("BERT", "memory"), ("GPT-2", "memory")]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Who reviewed Bread and Circuits in 2020?", "Bread and Circuits"),
        ("Where are Iron and Salt registered?", "Iron and Salt"),
        ("山与海的区别是什么意思？", "山与海的区别"),
    ],
)
def test_a_name_of_the_library_is_not_cut(question: str, title: str) -> None:
    plan = PLANNER.plan(question, [name(title, question)])

    assert texts(plan) == [question]


@pytest.mark.parametrize(
    "question",
    [
        'Who wrote "Sand and Smoke and what remains"?',
        "What does the idiom 'compare A and B' mean?",
        "谁写了《光与影以及什么是时间》？",
        "What does the University of Arts and Sciences teach?",
        "What is the use of `if a and b or c`?",
        "What is at https://example.org/a-and-b?x=1;y=2?",
        "How does research and development pay off?",
        "Who directed Bonnie and Clyde?",
    ],
)
def test_protected_spans_are_not_cut(question: str) -> None:
    assert texts(PLANNER.plan(question)) == [question]


@pytest.mark.parametrize(
    ("question", "part", "words"),
    [
        ("Since 2022, which models beat GPT-4, and what data did Falcon use?", 1, "Since 2022"),
        ("Compare the revenue of Norvex in 2018 and Altina in 2020", 1, "Altina in 2020"),
        ("2022-2025年BERT和GPT有什么区别？", 1, "2022-2025年"),
        ("近五年LoRA和Adapter有什么区别？", 1, "近五年"),
        ("Compare LoRA and Adapters in the last five years", 1, "in the last five years"),
    ],
)
def test_a_time_stays_with_what_it_restricts(question: str, part: int, words: str) -> None:
    assert words in PLANNER.plan(question).parts[part].text


@pytest.mark.parametrize(
    ("question", "known", "unknown"),
    [
        ("What country was the author of Solaris a citizen of?", ("Solaris",), ("the author of Solaris",)),
        ("提出LoRA的论文的作者在哪里工作？", ("LoRA",), ("提出LoRA的论文",)),
        ("What is BERT?", ("BERT",), ()),
    ],
)
def test_the_record_names_what_is_known_and_what_is_not(
    question: str, known: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    plan = PLANNER.plan(question)

    assert (plan.known_entities, plan.unknown_entities, plan.decided_by) == (known, unknown, "rules")
    assert plan.reason
    assert plan.core_intent


def test_references_are_found_by_the_plan_in_both_languages() -> None:
    plans = [
        PLANNER.plan("What country was the author of Solaris a citizen of?"),
        PLANNER.plan("肖邦出生的国家的首都是哪里？"),
    ]

    assert [plan.parts[1].resolve({1: "X"}) for plan in plans] == [
        "What country was X a citizen of?",
        "X 的首都是哪里？",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "What is #1 in BERT? What is its size?",
        "解释#1和#2的区别，它们的作者是谁？",
        "Compare #1 and #2, and explain their aims.",
    ],
)
def test_what_the_user_typed_as_a_number_is_no_reference(question: str) -> None:
    for part in PLANNER.plan(question).parts:
        assert set(re.findall(r"#(\d+)(?![0-9A-Za-z_])", part.text)) & set(map(str, part.depends_on)) == {
            str(n) for n in part.bridges
        }
        assert (
            all(f"#{number}" not in question or number not in part.bridges for number in range(1, 10))
            or part.depends_on
        )


def test_a_plan_of_one_part_for_whoever_asks() -> None:
    plan = direct("  What is BERT?  ", "small talk", "user")

    assert (texts(plan), plan.reason, plan.decided_by, plan.question) == (
        ["What is BERT?"],
        "small talk",
        "user",
        "  What is BERT?  ",
    )


@pytest.mark.parametrize("question", ["", "   ", "?", "。", "x" * (LONGEST_QUESTION + 1), "\n\n", "#1", "和", "and"])
def test_what_asks_nothing_is_one_part(question: str) -> None:
    assert len(PLANNER.plan(question).parts) == 1


@pytest.mark.parametrize("cap", [1, 2, 3, 5, 8])
def test_the_cap_holds_and_every_question_keeps_its_row(cap: int) -> None:
    question = " ".join(f"Who proposed Method-{number}?" for number in range(40))

    plan = RulePlanner(cap=cap).plan(question)

    rows = [row.text for part in plan.parts for row in part.rows]
    assert len(plan.parts) <= cap
    assert sorted(rows) == sorted(f"Who proposed Method-{number}?" for number in range(40))


def test_a_chain_longer_than_the_cap_keeps_its_words() -> None:
    question = "What is the capital of the country where the director of the film that the studio founded by Ana Voss made was born?"

    plan = RulePlanner(cap=2).plan(question)

    assert len(plan.parts) == 2
    assert lost_words(question, texts(plan)) == []


ENGLISH_WORDS = (
    "BERT GPT-2 the of and or , vs. compare what which who how why is are was did do difference between that "
    "proposed by film director country "
    "where located ; ? model dataset attention their it these each in on 2020 since #1 'The Age' report while "
    "explain list 1. 2. - affect impact "
    "relationship Paris Pride Prejudice Inc. respectively first larger both same then ( ) : a an with from state "
    "author's"
).split()
CHINESE_WORDS = (
    "BERT GPT-2 的 和 与 、 ， 。 ？ 比较 区别 什么 哪些 如何 影响 关系 分别 各自 它们 这些方法 以及 另外 同时 提出 "
    "论文 作者 模型 数据集 在 上 方面 近3年 2020年 《论语》 更大 哪个 谁 是 有 多少 注意力 性能 #2 ； 解释 首都 国家 （ ） 1、"
).split()


def mixtures(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        words, joint = (ENGLISH_WORDS, " ") if chance.random() < 0.5 else (CHINESE_WORDS, "")
        made.append(joint.join(chance.choice(words) for _ in range(chance.randint(1, 40))))
    return made


def faults(question: str) -> list[str]:
    """What is wrong with the plan of a question, whatever the question is."""
    plan = RulePlanner().plan(question)
    found = []
    if len([part for part in plan.parts if not part.parent]) > 5 or len(plan.parts) > 10:
        found.append("over the cap")
    for part in plan.parts:
        named = set(re.findall(r"#(\d{1,4})(?!\w)", part.text))
        if "#" not in question:
            found += [f"dangling #{number}" for number in named - set(map(str, part.depends_on))]
        if any("\ue000" <= character <= "\uf8ff" for character in part.text):
            found.append("a mark of ours is left")
    told = [row.text for part in plan.parts for row in part.rows] + [*texts(plan), plan.background]
    return found + [f"lost: {word}" for word in lost_words(question, told)]


@pytest.mark.parametrize("seed", range(4))
def test_mixtures_of_cue_words_make_sound_plans(seed: int) -> None:
    assert [(question, found) for question in mixtures(seed, 500) if (found := faults(question))] == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_makes_a_sound_plan(text: str) -> None:
    plan = RulePlanner().plan(text)

    assert 1 <= len(plan.parts) <= 5
    assert all(part.text.strip() for part in plan.parts)


@pytest.mark.parametrize("question", [row[0] for row in SPLIT] + WHOLE)
def test_the_plan_of_a_gold_question_is_sound(question: str) -> None:
    assert faults(question) == []


@pytest.mark.parametrize(
    "pattern",
    [
        "a and b, ",
        "the film that ",
        "比较A和B，",
        "What is X? ",
        "的作者",
        "( ",
        "'s ",
        "、和",
        "A or B and ",
        '"',
        "the of ",
        " 1. ",
        "在上",
    ],
)
def test_twice_the_text_is_not_much_more_than_twice_the_work(pattern: str) -> None:
    def work(size: int) -> int:
        text = (pattern * size)[:size]
        steps = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal steps
            steps += 1

        sys.setprofile(count)
        try:
            RulePlanner().plan(text)
        finally:
            sys.setprofile(None)
        return steps

    assert work(16_000) <= 3 * work(8_000) + 1000


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Welche Städte liegen an der Donau und welche sind Hauptstädte?", "de"),
        ("¿Qué países firmaron el tratado y cuándo entró en vigor?", "es"),
    ],
)
def test_a_question_in_another_language_is_searched_as_it_stands_and_says_so(question: str, language: str) -> None:
    plan = PLANNER.plan(question)

    assert (texts(plan), plan.complexity) == ([question], "simple")
    assert [language in note for note in plan.notes] == [True]


@pytest.mark.parametrize(
    "question", ["Who directed La La Land and who starred in it?", "list the de facto leaders of X and Y"]
)
def test_foreign_words_in_a_question_do_not_make_it_foreign(question: str) -> None:
    assert PLANNER.plan(question).notes == ()
