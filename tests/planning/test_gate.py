"""The gate's rules: what must be called composite, what must never be, and that no text breaks it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.model import Name
from scholarmind.planning.gate import Judgement, decide, judge
from scholarmind.planning.second_look import SecondLook

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
What is the dataset that the model proposed by Vaswani was trained on?
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
1992年奥运会举办城市的人口是多少？
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
UNSURE = Judgement(verdict="unsure", score=0.0, reason="shows no sign of several things")
WEAK = Judgement(verdict="composite", score=0.55, reason="shows two restrictions at once")
SURE = Judgement(verdict="composite", score=0.9, reason="shows a comparison")
COVERED = SecondLook(verdict="simple", reason="one passage has it all")
SPREAD = SecondLook(verdict="composite", reason="another passage has the rest")


@pytest.mark.parametrize("question", COMPOSITE)
def test_what_asks_for_several_things_is_composite(question: str) -> None:
    assert judge(question).verdict == "composite"


@pytest.mark.parametrize("question", NOT_COMPOSITE)
def test_what_asks_for_one_thing_is_not_called_composite(question: str) -> None:
    assert judge(question).verdict in {"simple", "unsure"}


@pytest.mark.parametrize(
    "question", ["What is RAG?", "best practices for chunking", "什么是RAG？", "检索增强生成是什么？"]
)
def test_a_look_up_of_one_concept_is_simple(question: str) -> None:
    assert judge(question).verdict == "simple"


def test_a_reason_names_the_cues() -> None:
    judgement = judge("What is self-attention? Who proposed it?")
    assert judgement == Judgement(verdict="composite", score=0.95, reason="shows several questions")


def test_names_of_the_library_are_protected() -> None:
    question = "when was learning to compare and contrast published"
    name = Name(text="learning to compare and contrast", start=9, end=41, field="title", value="x", documents=1)
    assert [judge(question).verdict, judge(question, [name]).verdict] == ["composite", "unsure"]


def test_what_is_very_long_is_composite() -> None:
    assert judge("word " * 5000) == Judgement(verdict="composite", score=1.0, reason="longer than 2000 characters")


@settings(deadline=None)
@given(st.text(max_size=600))
def test_no_text_breaks_the_gate(text: str) -> None:
    judgement = judge(text)
    assert (judgement.score >= 0.5) == (judgement.verdict == "composite")


@settings(deadline=None)
@given(st.sampled_from(COMPOSITE), st.sampled_from(["  ", "\n", " \t "]))
def test_spaces_change_nothing(question: str, spaces: str) -> None:
    assert judge(spaces + question.replace(" ", spaces) + spaces) == judge(question)


@pytest.mark.parametrize(
    ("judgement", "probability", "parts", "look", "expected"),
    [
        (SURE, None, 3, None, ("composite", "rules")),
        (SURE, 0.1, 1, COVERED, ("composite", "rules")),
        (WEAK, None, 1, COVERED, ("simple", "second look")),
        (WEAK, None, 2, COVERED, ("composite", "rules")),
        (WEAK, None, 1, SPREAD, ("composite", "rules")),
        (UNSURE, 0.1, 2, None, ("composite", "planner")),
        (UNSURE, 0.1, 2, SPREAD, ("composite", "planner")),
        (UNSURE, None, 2, COVERED, ("simple", "second look")),
        (UNSURE, 0.85, 1, None, ("composite", "classifier")),
        (UNSURE, 0.85, 1, COVERED, ("simple", "second look")),
        (UNSURE, 0.95, 1, COVERED, ("composite", "classifier")),
        (UNSURE, 0.5, 1, SPREAD, ("composite", "second look")),
        (UNSURE, 0.2, 1, SPREAD, ("simple", "classifier")),
        (UNSURE, None, 1, SPREAD, ("composite", "second look")),
        (UNSURE, None, 1, None, ("simple", "rules")),
        (judge("What is RAG?"), 0.95, 1, SPREAD, ("simple", "rules")),
    ],
)
def test_rules_planner_classifier_and_second_look_are_put_together(
    judgement: Judgement, probability: float | None, parts: int, look: SecondLook | None, expected: tuple[str, str]
) -> None:
    assert decide("Which optimizer was used?", judgement, probability, parts, look) == expected


def test_small_talk_is_simple_whatever_else_says() -> None:
    assert decide("hello", UNSURE, 0.95, 3, SPREAD) == ("simple", "rules")
