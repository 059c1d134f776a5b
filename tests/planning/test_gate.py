"""The gate's rules: what must be called composite, what must never be, and that no text breaks it."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.e5.question_reader import E5Gate
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.model import Name
from scholarmind.planning.question_gate import GateJudgement, QuestionGate, judge
from scholarmind.planning.rule_planner import KeylessPlanner
from scholarmind.ports import Look

COMPOSITE = """
What dataset did BERT use and how large is it?
How do chunking strategies affect reranking in RAG?
Compare machine learning and deep learning, and explain their applications in computer vision
Compare Python and JavaScript for web development
Explain the causes, key events, and consequences of World War II
How does BERT work and what are its applications in NLP?
How does the economic policy of Country A affect its trade relations with Country B?
Python vs JavaScript
Difference between LSTM, GRU and Transformer
BERT and GPT-2 in question answering
What are the size and training data of BERT, GPT-2 and T5?
Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?
What is self-attention? Who proposed it?
What is RAG; what is HyDE?
1. What is RAG? 2. What is HyDE?
Who invented dropout, when was it published, and how does it compare with batch normalization?
What is the relationship between model size and perplexity?
What are the advantages of BM25 and the limitations of dense retrieval?
Where was the director of Jaws born?
When did Ada Lovelace's father die?
Which film came out first, Jaws or Alien?
Are Jaws and Alien both American films?
Who is the mother of the director of the film Alien?
Do both Jaws and Alien have directors from the same country?
Who is Byron's paternal grandfather?
What is the population of the city where the 1992 Olympics were held?
In what year did the company that makes the iPhone go public?
What river flows through the capital of Austria?
How many years longer did Bach live than Mozart?
Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?
比较BERT和GPT-2在GLUE上的表现，并解释它们的注意力机制
BERT和GPT-2有什么区别？
Python和JavaScript在网页开发上的区别
分块策略如何影响RAG中的重排序？
什么是自注意力？谁提出的？
机器学习与深度学习的关系是什么？
解释第二次世界大战的起因、主要事件和后果
BERT是如何工作的，它在自然语言处理中有哪些应用？
提出BERT的公司的总部在哪里？
《大白鲨》的导演毕业于哪所大学？
微软创始人的父亲是谁？
BERT、GPT-2和T5的参数量分别是多少？
注意力机制是什么，另外谁提出了它？
A国的经济政策如何影响它与B国的贸易关系？
哪个模型更大，BERT还是GPT-2？
美国和中国的人口相差多少？
它的作者是谁，同时发表在哪里？
""".strip().splitlines()
NOT_COMPOSITE = """
What is the capital of France?
What is the population of Paris in 2023?
What is RAG?
Best practices for prompt engineering
What are the best practices for chunking?
Who wrote Pride and Prejudice?
What is search and rescue?
What are the pros and cons of RAG?
What is retrieval and generation?
Who proposed the Transformer?
What is "Attention and Memory"?
When was BERT published?
Who sang the song Salt and Pepper?
What is the learning rate of the Adam optimizer in the paper?
How do I configure the learning rate scheduler of PyTorch for warm restarts?
Who was the leader of Russia in the 1960s?
Who is the author of Hamlet?
What is the greenhouse effect?
How many parameters does GPT-2 have?
What is Johnson & Johnson?
How large is the COCO dataset?
What year did World War II end?
Which optimizer was used to train ResNet-50 on ImageNet?
who is the actor that plays the doctor
what is the name of the currency used in switzerland?
什么是RAG？
法国的首都是哪里？
BERT是什么时候发表的？
GPT-2有多少参数？
谁提出了Transformer？
《战争与和平》的作者是谁？
RAG的优缺点是什么？
检索增强生成是什么？
温室效应是什么意思？
提示工程的最佳实践
2023年巴黎的人口是多少？
注意力机制的计算复杂度是多少？
Adam优化器的学习率是多少？
ResNet使用了哪个数据集？
""".strip().splitlines()
READER = E5Gate(E5Reader())


@pytest.mark.parametrize("question", COMPOSITE)
def test_what_asks_for_several_things_is_composite(question: str) -> None:
    assert QuestionGate(reader=READER).judge(question).complexity == "composite"


@pytest.mark.parametrize("question", NOT_COMPOSITE)
def test_what_asks_for_one_thing_is_not_called_composite(question: str) -> None:
    assert {judge(question).complexity, QuestionGate(reader=READER).judge(question).complexity} == {"simple"}


@pytest.mark.parametrize(
    "question", ["What is RAG?", "best practices for chunking", "什么是RAG？", "检索增强生成是什么？"]
)
def test_a_look_up_of_one_concept_is_simple(question: str) -> None:
    assert judge(question) == GateJudgement(complexity="simple", probability=0.0, reason="asks one plain thing")


def test_a_reason_names_the_cues() -> None:
    judgement = judge("What is self-attention? Who proposed it?")
    assert judgement == GateJudgement(complexity="composite", probability=0.95, reason="shows several questions")


def test_names_of_the_library_are_protected() -> None:
    question = "what is python vs javascript about"
    name = Name(text="python vs javascript", start=8, end=28, field="title", value="x", documents=1)
    assert [judge(question).complexity, judge(question, [name]).complexity] == ["composite", "simple"]


def test_what_is_very_long_is_composite() -> None:
    assert judge("word " * 5000) == GateJudgement(
        complexity="composite", probability=1.0, reason="longer than 2000 characters"
    )


@settings(deadline=None)
@given(st.text(max_size=600))
def test_no_text_breaks_the_gate(text: str) -> None:
    judgement = judge(text)
    assert (judgement.probability >= 0.5) == (judgement.complexity == "composite")


@settings(deadline=None)
@given(st.sampled_from(COMPOSITE), st.sampled_from(["  ", "\n", " \t "]))
def test_spaces_change_nothing(question: str, spaces: str) -> None:
    assert judge(spaces + question.replace(" ", spaces) + spaces) == judge(question)


class Says:
    """A reader that says the same of every question."""

    def __init__(self, probability: float | None) -> None:
        self._probability = probability

    def composite(self, question: str) -> float | None:
        return self._probability


@pytest.mark.parametrize(
    ("question", "probability", "expected"),
    [
        ("Which optimizer was used?", 0.7, ("composite", "classifier")),
        ("Which optimizer was used?", 0.2, ("simple", "classifier")),
        ("Which optimizer was used?", None, ("simple", "rules")),
        ("Python vs JavaScript", 0.2, ("composite", "rules")),
        ("Python vs JavaScript", 0.01, ("simple", "classifier")),
        ("What is RAG?", 0.9, ("simple", "rules")),
        ("hello", 0.9, ("simple", "rules")),
    ],
)
def test_the_reader_decides_unless_a_sign_does(
    question: str, probability: float | None, expected: tuple[str, str]
) -> None:
    judgement = QuestionGate(reader=Says(probability)).judge(question)
    assert (judgement.complexity, judgement.decided_by) == expected


@pytest.mark.parametrize(
    ("question", "probability", "parts", "expected"),
    [
        ("Who is the director of the film that won in 2004?", 0.9, 2, ("composite", "classifier")),
        (
            "Who is the director of the film that won in 2004?",
            0.1,
            1,
            ("simple", "classifier"),
        ),  # steps only may be right
        ("Who proposed BERT? Where was GPT trained?", 0.3, 2, ("composite", "rules")),
        ("Who proposed BERT? Where was GPT trained?", 0.01, 1, ("simple", "classifier")),
        ("Which optimizer was used?", 0.9, 1, ("composite", "classifier")),
        ("hello", 0.9, 1, ("simple", "rules")),
    ],
)
def test_gate_and_parts_decide_together(
    question: str, probability: float, parts: int, expected: tuple[str, str]
) -> None:
    plan = asyncio.run(KeylessPlanner(gate=QuestionGate(reader=Says(probability))).plan(question, Look()))
    assert (plan.complexity, plan.decided_by, len(plan.parts)) == (*expected, parts)


@pytest.mark.parametrize(
    ("question", "composite"),
    [
        ("Who is the mother of the director of the film Alien?", True),
        ("微软创始人的父亲是谁？", True),
        ("Who wrote Pride and Prejudice?", False),
        ("BERT是什么时候发表的？", False),
    ],
)
def test_the_shipped_reader_knows_both_languages(question: str, composite: bool) -> None:
    assert (QuestionGate(reader=READER).judge(question).complexity == "composite") is composite
