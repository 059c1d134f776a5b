"""Questions that the graph of papers answers by itself: recognised in both languages, and nothing else taken for one."""

import pytest

from scholarmind.planning.planner import RulePlanner
from scholarmind.planning.structured import described, recognise
from scholarmind.relations import Query

NOW = 2026
PLANNER = RulePlanner()

# the question; form, what is wanted, relation, what it is about
RECOGNISED = [
    ("How many papers did Tri Dao write?", "count paper AUTHORED_BY", "Tri Dao"),
    ("How many of the papers are from Stanford University?", "count paper -", "Stanford University"),
    ("How many methods improve on RoBERTa?", "count method IMPROVES_ON", "RoBERTa"),
    ("Which authors publish most on attention?", "ranking author -", "attention"),
    ("Which research group is most active?", "ranking institution -", ""),
    ("Which dataset is used most often?", "ranking dataset USES", ""),
    ("Which methods improve on BERT?", "list method IMPROVES_ON", "BERT"),
    ("Which papers use GLUE?", "list paper USES", "GLUE"),
    ("On which datasets was Longformer evaluated?", "list dataset EVALUATED_ON", "Longformer"),
    ("Who proposed XLNet?", "list author PROPOSES", "XLNet"),
    ("Where was DPR published?", "list venue PUBLISHED_IN", "DPR"),
    ("What was the first paper on mixture of experts?", "first paper -", "mixture of experts"),
    ("What is the latest paper by Tri Dao?", "latest paper AUTHORED_BY", "Tri Dao"),
    ("What are the results of DPR on TriviaQA?", "results method REPORTS", "DPR|TriviaQA"),
    ("How do the methods perform on WikiHop?", "results method REPORTS", "WikiHop"),
    ("How much does #1 improve performance?", "results method REPORTS", "#1"),
    ("How well does BERT perform?", "results method REPORTS", "BERT"),
    ("What is the performance of ELECTRA?", "results method REPORTS", "ELECTRA"),
    ("What results does DeBERTa report?", "results method REPORTS", "DeBERTa"),
    ("Trace the lineage of Mamba-2.", "lineage method IMPROVES_ON", "Mamba-2"),
    ("Which datasets do DPR and REALM have in common?", "common dataset -", "DPR|REALM"),
    ("Which papers do LoRA and DeBERTa both cite?", "common paper CITES", "LoRA|DeBERTa"),
    ("Do any papers disagree about XLNet on RACE?", "contradictions paper REPORTS", "XLNet|RACE"),
    ("Which authors of BERT also wrote REALM?", "common author AUTHORED_BY", "BERT|REALM"),
    ("Which models descend from T5?", "list method IMPROVES_ON", "T5"),
    ("How many papers does Tri Dao have at ICLR?", "count paper -", "Tri Dao|ICLR"),
    ("第一篇提出混合专家的论文是哪篇？", "first paper PROPOSES", "混合专家"),
    ("哪些论文同时使用了GLUE和SuperGLUE？", "list paper USES", "GLUE和SuperGLUE"),
    ("Noam Shazeer写了几篇论文？", "count paper AUTHORED_BY", "Noam Shazeer"),
    ("哪些方法改进了BERT？", "list method IMPROVES_ON", "BERT"),
    ("哪些模型使用了掩码语言模型？", "list method USES", "掩码语言模型"),
    ("ERNIE 1.0在哪些数据集上做了评测？", "list dataset EVALUATED_ON", "ERNIE 1.0"),
    ("BERT是由谁提出的？", "list author PROPOSES", "BERT"),
    ("哪个研究组最活跃？", "ranking institution -", ""),
    ("库里最早的论文是哪一篇？", "first paper -", ""),
    ("各个模型在CMRC 2018上的结果分别是多少？", "results method REPORTS", "CMRC 2018"),
    ("#1 的性能提升是多少？", "results method REPORTS", "#1"),
    ("BERT-wwm的性能如何？", "results method REPORTS", "BERT-wwm"),
    ("BERT-wwm将性能提升了多少？", "results method REPORTS", "BERT-wwm"),
    ("FlashAttention-3的演进脉络是怎样的？", "lineage method IMPROVES_ON", "FlashAttention-3"),
    ("T5和BART有什么共同点？", "common paper -", "T5|BART"),
    ("关于RoBERTa有哪些互相矛盾的数字？", "contradictions paper REPORTS", "RoBERTa"),
]

OTHERS = [
    "What is BERT?",
    "How many parameters does BERT have?",
    "How many attention heads does GPT-3 have?",
    "How does BERT improve on GPT?",
    "How much does BERT improve accuracy on MNLI by?",
    "What are the results of the election?",
    "公司的净利润表现如何？",
    "Why do papers disagree about scaling?",
    "What are the differences between BERT and GPT?",
    "Which paper was published first, BERT or GPT?",
    "How many people live in Paris?",
    "Which team has won the most games since 2010?",
    "who wrote the book thief",
    "what movies did angelina jolie direct",
    "What are the main improvements to BERT, and which group is most active?",
    "Who wrote both BERT and REALM?",
    "Which authors of papers on attention also wrote REALM?",
    "Who are the authors of the paper with the highest score on GLUE?",
    "What is the lineage from Transformer to T5?",
    "BERT的哪些作者也写了REALM？",
    "谁是GLUE最高得分的论文的作者？",
    "从Transformer到T5的演进脉络是什么？",
    "BERT有多少参数？",
    "使用GLUE评测的模型有哪些局限？",
    "哪些论文改进了BERT，它们各有什么局限？",
    "周杰伦的专辑有哪些？",
    "",
]


def told(query: Query | None) -> str:
    return f"{query.form} {query.wanted} {query.relation or '-'}" if query else "none"


@pytest.mark.parametrize(("question", "expected", "about"), RECOGNISED)
def test_it_is_recognised(question: str, expected: str, about: str) -> None:
    query = recognise(question, NOW)

    assert told(query) == expected
    assert query is not None
    assert "|".join(query.about) == about


@pytest.mark.parametrize("question", OTHERS)
def test_an_ordinary_question_is_not_taken_for_one(question: str) -> None:
    assert told(recognise(question, NOW)) == "none"


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("Which methods improve on BERT since 2020?", 2020, None),
        ("Which methods improved on BERT after 2019?", 2020, None),
        ("Which methods improved on BERT before 2020?", None, 2019),
        ("Which methods improved on BERT between 2019 and 2021?", 2019, 2021),
        ("Which methods improved on BERT in the last three years?", 2023, None),
        ("Which methods improve on CMRC 2018?", None, None),
        ("近3年哪些方法改进了BERT？", 2023, None),
        ("2020年以来哪些方法改进了BERT？", 2020, None),
        ("2019年到2021年间哪些方法改进了BERT？", 2019, 2021),
        ("2021年哪些方法改进了BERT？", 2021, 2021),
    ],
)
def test_years_are_restrictions_and_no_names(question: str, since: int | None, until: int | None) -> None:
    query = recognise(question, NOW)

    assert query is not None
    assert (query.since, query.until) == (since, until)


def test_what_comes_before_is_told_from_what_comes_after() -> None:
    before = ("What does RoBERTa build on?", "What is the model that RoBERTa builds on?", "RoBERTa基于什么模型？")
    after = ("Which models are built on RoBERTa?", "What are the successors of RoBERTa?", "哪些模型以RoBERTa为基础？")

    assert [query.inverse for text in before if (query := recognise(text))] == [True] * 3
    assert [query.inverse for text in after if (query := recognise(text))] == [False] * 3


def test_a_description_is_a_question_of_its_own() -> None:
    pairs = [
        (text, described(text)) for text in ("the models that improve on BERT", "BERT所改进的模型", "a famous poet")
    ]

    assert [(told(query), query.inverse if query else None) for _, query in pairs] == [
        ("list method IMPROVES_ON", False),
        ("list method IMPROVES_ON", True),
        ("none", None),
    ]


def test_the_top_three_are_three() -> None:
    questions = (
        "Which three venues published most papers?",
        "Top 5 authors by number of papers",
        "发表论文最多的三位作者是谁？",
    )

    assert [query.most for text in questions if (query := recognise(text))] == [3, 5, 3]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "Which methods improve on BERT, on which datasets, and by whom?",
            ["Which methods improve on BERT?", "On which datasets was #1 evaluated?", "Who proposed #1?"],
        ),
        (
            "哪些方法改进了BERT，在哪些数据集上评测，由谁提出？",
            ["哪些方法改进了BERT？", "#1 在哪些数据集上做了评测？", "#1 是谁提出的？"],
        ),
    ],
)
def test_what_is_asked_in_short_behind_a_list_is_asked_of_each_of_its_items(question: str, texts: list[str]) -> None:
    parts = PLANNER.plan(question).parts

    assert [part.text for part in parts] == texts
    assert [(part.form, part.each) for part in parts] == [("list", 0), ("list", 1), ("list", 1)]


@pytest.mark.parametrize(
    "question",
    ["Which datasets do DPR and REALM have in common?", "Which authors publish most on attention since 2020?"],
)
def test_such_a_question_stays_whole(question: str) -> None:
    (part,) = PLANNER.plan(question).parts

    assert (part.text, part.form) == (question, recognise(question).form)  # type: ignore[union-attr]


def test_the_parts_of_other_questions_have_their_forms() -> None:
    plan = PLANNER.plan(
        "What are the main improvements to the Transformer architecture in the past 3 years, how much does each improve "
        "performance, which research group is most active, and what are the trends?"
    )

    assert [part.form for part in plan.parts] == ["list", "results", "ranking", None, None]
