"""Questions that the graph of papers answers by itself: recognised in both languages, and nothing else taken for one."""

import pytest

from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.planning.structured.recognition import described, recognise
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
    ("Which papers were written by Tri Dao and Albert Gu together?", "list paper AUTHORED_BY", "Tri Dao and Albert Gu"),
    ("Which papers were published at ICLR or NeurIPS?", "list paper PUBLISHED_IN", "ICLR or NeurIPS"),
    ("Papers from Microsoft", "list paper -", "Microsoft"),
    ("papers by Alec Radford or Noam Shazeer", "list paper AUTHORED_BY", "Alec Radford or Noam Shazeer"),
    ("the latest paper by Mike Lewis", "latest paper AUTHORED_BY", "Mike Lewis"),
    ("Which papers came out in 2020?", "list paper -", ""),
    ("list everything Noam Shazeer wrote, oldest first", "list paper AUTHORED_BY", "Noam Shazeer"),
    ("Show all results on RACE in a table", "results method REPORTS", "RACE"),
    ("Which papers use encoder-decoder?", "list paper USES", "encoder-decoder"),
    ("Which methods proposed since 2020 improve on BERT?", "list method IMPROVES_ON", "BERT"),
    ("Which datasets are used to evaluate ALBERT?", "list dataset USES", "ALBERT"),
    ("Who cites XLNet?", "list paper CITES", "XLNet"),
    ("Which year had the most papers on attention?", "ranking year -", "attention"),
    ("Which author shows up most often, and with how many papers?", "ranking author -", ""),
    ("What was built on BERT?", "lineage method IMPROVES_ON", "BERT"),
    ("What do ALBERT and DeBERTa both build on?", "common method IMPROVES_ON", "ALBERT|DeBERTa"),
    ("Which common ancestors do Mamba and S4 have?", "common method IMPROVES_ON", "Mamba|S4"),
    ("common references of LoRA and CLIP", "common paper CITES", "LoRA|CLIP"),
    ("Do any papers disagree about BERT's SQuAD score?", "contradictions paper REPORTS", "BERT|SQuAD"),
    (
        "Who wrote the paper that introduced masked prediction?",
        "list author PROPOSES",
        "the paper that introduced masked prediction",
    ),
    ("Tri Dao 和 Albert Gu 合作的论文", "list paper AUTHORED_BY", "Tri Dao 和 Albert Gu"),
    ("Tri Dao和Albert Gu一起写了哪些论文？", "list paper AUTHORED_BY", "Tri Dao和Albert Gu"),
    ("有多少篇论文发表在ICLR或NeurIPS？", "count paper PUBLISHED_IN", "ICLR或NeurIPS"),
    ("Tri Dao的论文有哪些？", "list paper -", "Tri Dao"),
    ("2018年以前有哪些论文？", "list paper -", ""),
    ("谁引用了XLNet？", "list paper CITES", "XLNet"),
    ("哪一年关于注意力的论文最多？", "ranking year -", "注意力"),
    ("BERT的后代有哪些？", "lineage method IMPROVES_ON", "BERT"),
    ("FlashAttention系列的发展脉络", "lineage method IMPROVES_ON", "FlashAttention"),
    ("ALBERT和DeBERTa都基于什么？", "common method IMPROVES_ON", "ALBERT|DeBERTa"),
    ("ALBERT和ELECTRA的共同祖先是什么？", "common method IMPROVES_ON", "ALBERT|ELECTRA"),
    ("列出对BERT的主要改进。", "list method IMPROVES_ON", "BERT"),
    ("谁写了提出替换词检测的论文？", "list author PROPOSES", "提出替换词检测的论文"),
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
    ("Who wrote both BERT and REALM?", "common author AUTHORED_BY", "BERT|REALM"),
    ("BERT的哪些作者也写了REALM？", "common author AUTHORED_BY", "BERT|REALM"),
    ("Which methods proposed since 2020 improve on BERT?", "list method IMPROVES_ON", "BERT"),
    ("Which datasets are used to evaluate ALBERT?", "list dataset USES", "ALBERT"),
    ("Who cites XLNet?", "list paper CITES", "XLNet"),
    ("papers at iclr 2020", "list paper -", "iclr 2020"),
    ("results of all models on the RACE dataset as a table", "results method REPORTS", "RACE"),
    ("list everything Noam Shazeer wrote, oldest first", "list paper AUTHORED_BY", "Noam Shazeer"),
    ("Could you tell me which author shows up most often, and with how many papers?", "ranking author -", ""),
    ("How many papers use GLUE but not SQuAD?", "count paper USES", "GLUE"),
    ("Kenton Lee和谁合作过？", "list author PROPOSES", "Kenton Lee"),
    ("Who cites Okafor and Lind (2018)?", "list paper CITES", "Okafor and Lind (2018)"),
    ("How many studies cite Okafor et al. 2018?", "count paper CITES", "Okafor et al. 2018"),
    ("哪些论文引用了王与赵（2011）？", "list paper CITES", "王与赵（2011）"),
    ("有多少篇论文引用了王等人（2011）？", "count paper CITES", "王等人（2011）"),
    ("哪几篇既引用了GPT-2又引用了RoBERTa？", "list paper CITES", "GPT-2|RoBERTa"),
    ("RoBERTa在SQuAD 2.0上的数字各篇说法一致吗？", "contradictions paper REPORTS", "RoBERTa|SQuAD 2.0"),
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
    "Which authors of papers on attention also wrote REALM?",
    "Who are the authors of the paper with the highest score on GLUE?",
    "What is the lineage from Transformer to T5?",
    "谁是GLUE最高得分的论文的作者？",
    "从Transformer到T5的演进脉络是什么？",
    "BERT有多少参数？",
    "使用GLUE评测的模型有哪些局限？",
    "哪些论文改进了BERT，它们各有什么局限？",
    "周杰伦的专辑有哪些？",
    "Which model uses less memory, BERT or GPT?",
    "How many papers use GLUE vs. MMLU?",
    "How many papers have only one author?",
    "How many papers have more than three authors?",
    "How many papers did Tri Dao write as first author?",
    "How many papers use BERT or its variants?",
    "In which year was the most cited paper published?",
    "List the main improvements over BERT and discuss the trends.",
    "Who wrote the article of faith?",
    "第一作者是Tri Dao的有几篇？",
    "哪一年引用最多的论文发表了？",
    "用GLUE的论文多还是用SQuAD的论文多？",
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


@pytest.mark.parametrize(
    ("question", "least"),
    [
        ("Which authors have more than three papers?", 4),
        ("Which institutions published at least 2 papers since 2020?", 2),
        ("How many authors wrote five or more papers?", 5),
        ("哪些作者发表了超过两篇论文？", 3),
        ("哪些作者有三篇以上的论文？", 3),
        ("Which author has the most papers?", None),
    ],
)
def test_so_many_papers_are_a_least_number(question: str, least: int | None) -> None:
    query = recognise(question, NOW)

    assert query is not None
    assert (query.least, query.wanted in {"author", "institution"}) == (least, True)


@pytest.mark.parametrize(
    ("question", "without"),
    [
        ("Which OpenAI papers except GPT-3 are there?", ("GPT-3",)),
        ("How many papers use GLUE but not SQuAD?", ("SQuAD",)),
        ("papers from 2020 that are not from Google Research", ("Google Research",)),
        ("Google以外的机构发表了多少篇论文？", ("Google",)),
        ("2020年除了GPT-3还有几篇论文？", ("GPT-3",)),
        ("哪些论文没有用GLUE，而是用了SuperGLUE？", ("GLUE",)),
    ],
)
def test_what_is_excepted_is_told_from_what_is_wanted(question: str, without: tuple[str, ...]) -> None:
    query = recognise(question, NOW)

    assert query is not None
    assert query.without == without
    assert not set(without) & set(query.about)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Which model has the lowest perplexity on WikiText-103?", "lowest"),
        ("What is the highest BLEU on WMT14 English-German?", "highest"),
        ("What BLEU does T5 reach on WMT14 English-German?", ""),
        ("WikiText-103上困惑度最低的是谁？", "lowest"),
        ("HumanEval上谁的分最高？", "highest"),
    ],
)
def test_the_best_of_the_results_is_asked_for(question: str, best: str) -> None:
    query = recognise(question, NOW)

    assert query is not None
    assert (query.form, query.best) == ("results", best)


@pytest.mark.parametrize("question", ["How many papers per year?", "每年各有几篇论文？"])
def test_the_papers_of_each_year_are_a_ranking_of_all_years(question: str) -> None:
    query = recognise(question, NOW)

    assert query is not None
    assert (query.form, query.wanted, query.least) == ("ranking", "year", 1)


@pytest.mark.parametrize(
    "question",
    [
        "How many papers have only one author?",
        "How many papers did Tri Dao write as first author?",
        "How many papers use GLUE vs. MMLU?",
        "How many papers that use GLUE cite BERT?",
        "Find the author with the most papers since 2020, then list the data sets of these papers.",
        "Which methods improve on BERT, on which datasets and who wrote them?",
        "How many papers use BERT and its variants?",
        "Which French composer wrote metrical music?",
        "第一作者是Tri Dao的有几篇？",
        "百度和哈工大各有几篇？",
        "2020年的论文比2024年多几篇？",
    ],
)
def test_a_word_that_no_count_accounts_for_keeps_a_question_from_being_counted(question: str) -> None:
    assert told(recognise(question, NOW)) == "none"


def test_the_top_three_are_three() -> None:
    questions = (
        "Which three venues published most papers?",
        "Top 5 authors by number of papers",
        "发表论文最多的三位作者是谁？",
    )

    assert [query.most for text in questions if (query := recognise(text))] == [3, 5, 3]


@pytest.mark.parametrize(
    "question",
    [
        "Which datasets do DPR and REALM have in common?",
        "Which authors publish most on attention since 2020?",
        "Which papers were written by Tri Dao and Albert Gu together?",
        "How many papers were published at ICLR or NeurIPS since 2020?",
        "What do ALBERT and DeBERTa both build on?",
        "Tri Dao 和 Albert Gu 合作的论文有哪些？",
        "ALBERT和DeBERTa都基于什么？",
        "What papers cite Okafor and Lindqvist (2018)?",
    ],
)
def test_such_a_question_stays_whole(question: str) -> None:
    (part,) = PLANNER.plan(question).parts

    assert (part.text, part.form) == (question, recognise(question).form)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "List the main improvements over BERT and discuss the trends.",
            ["List the main improvements over BERT.", "Discuss the trends (BERT)."],
        ),
        ("列出对BERT的主要改进并讨论趋势。", ["列出对BERT的主要改进。", "讨论BERT的趋势。"]),
        (
            "Which model has the highest GLUE score and who wrote it?",
            ["Which model has the highest GLUE score?", "Who wrote #1?"],
        ),
        ("哪个模型在GLUE上得分最高，是谁提出的？", ["哪个模型在GLUE上得分最高？", "#1 是谁提出的？"]),
        (
            "Who wrote the paper that introduced replaced token detection?",
            ["What is the paper that introduced replaced token detection?", "Who wrote #1?"],
        ),
        (
            "Which papers build on T5, and where are they from?",
            ["Which papers build on T5?", "Where are #1 from?"],
        ),
        (
            "在RoBERTa基础上做改进的有哪些工作，用了什么数据集，作者是谁？",
            ["在RoBERTa基础上做改进的有哪些工作？", "#1 用了什么数据集？", "#1 的作者是谁？"],
        ),
    ],
)
def test_what_stands_on_the_first_part_waits_for_it(question: str, texts: list[str]) -> None:
    assert [part.text for part in PLANNER.plan(question).parts] == texts


def test_the_parts_of_other_questions_have_their_forms() -> None:
    plan = PLANNER.plan(
        "What are the main improvements to the Transformer architecture in the past 3 years, how much does each improve "
        "performance, which research group is most active, and what are the trends?"
    )

    assert [part.form for part in plan.parts] == ["list", "results", "ranking", None, None]
