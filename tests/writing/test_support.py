import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind import Library
from scholarmind.blocking import run
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.text.analysis import terms
from scholarmind.writing.support import ANSWERED, NOT_IN_LIBRARY, Coverage, support

ROOT = Path(__file__).parents[2]
QUESTIONS = [json.loads(line) for line in (ROOT / "tests/data/support_questions.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    with Library.open(tmp_path_factory.mktemp("notes"), embedder="none") as opened:
        opened.add(ROOT / "src/scholarmind/demo/notes")
        yield opened


def asked(library: Library, question: str) -> Coverage:
    evidence = library.search(question, 10).evidence
    return support(question, evidence, run(library.store.rarity(terms(question))))


def shown(*texts: str, title: str = "", id: str = "") -> list[Evidence]:
    return [
        Evidence(
            passage=Passage(text=text, start=0, end=len(text), position=place),
            document=Document(id=id or title or f"d{place}", title=title),
            scores=Scores(fused=1.0, keyword=10.0),
        )
        for place, text in enumerate(texts)
    ]


def judged(question: str, evidence: Sequence[Evidence]) -> Coverage:
    return support(question, evidence, dict.fromkeys(terms(question), 4.0))


@pytest.mark.parametrize(
    "question",
    [
        "Who proposed BERT?",
        "What GLUE score does GPT-2 report?",  # the note says that there is none
        "What data was GPT-2 trained on?",
        "What are the limitations of BERT?",
        "How many experts does Mixtral have in each layer?",
        "Why is CLIP weak on MNIST?",
        "what is the super-glue score of t5-11b?",
        "BERT在GLUE上的得分是多少？",
        "注意力机制在Longformer里的复杂度是多少？",
        "BERT-wwm的作者是谁？",
        "DeepSeek-V3有多少参数？",
        "RoFormer在WMT14英德翻译上的BLEU是多少？",
        "ERNIE 1.0由哪个机构提出？",
        "Who proposed RoFormer?",
    ],
)
def test_answered(library, question):
    assert (asked(library, question).status, asked(library, question).missing) == ("answered", "")


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Who won the 2018 football world cup?",
        "How do I bake sourdough bread?",
        "What colour is the BERT logo?",
        "What does BERT's author like to eat?",
        "Which stock exchange is Mixtral listed on?",
        "What is the box office of RoFormer?",
        "BERT的作者喜欢吃什么？",
        "糖尿病的早期症状有哪些？",
        "DeepSeek-V3的创始人毕业于哪所大学？",
        "珠穆朗玛峰有多高？",
        "Who proposed Perihel-3?",  # "3" is in the library
        "Who proposed Grunewald-XL?",  # so is "XL"
        "谁提出了雪豹模型？",  # and "模型", a word that the end of the name is joined to
        "星河大模型在月光测试集上的准确率是多少？",
    ],
)
def test_not_in_the_library(library, question):
    coverage = asked(library, question)
    assert coverage.status == "not in the library"
    assert coverage.confidence < NOT_IN_LIBRARY


def test_nearly_all_of_our_own_questions_come_out_right(library):
    told = [(query["answered"], asked(library, query["question"]).status) for query in QUESTIONS]
    given_up = [status == "not in the library" for answered, status in told if answered]
    found_out = [status == "not in the library" for answered, status in told if not answered]
    assert sum(given_up) <= 0.05 * len(given_up)
    assert sum(found_out) >= 0.85 * len(found_out)


def test_missing_words_are_named_as_they_stand_in_the_question(library):
    assert (
        asked(library, "Which stock exchange is Mixtral listed on?").missing == "no passage mentions “stock exchange”"
    )
    assert asked(library, "BERT的作者喜欢吃什么？").missing == "没有段落提到“喜欢吃”"


def test_without_evidence_nothing_is_known():
    assert support("Who?", [], {}) == Coverage(
        confidence=0.0, status="not in the library", missing="no passage was found"
    )
    assert support("谁？", [], {}).missing == "没有找到任何段落"


def test_what_one_document_says_does_not_answer_for_another():
    evidence = [
        *shown("Alpha Ltd is a maker of bolts. It employs many people.", title="Alpha Ltd"),
        *shown("Beta Inc has been listed on the Tokyo stock exchange since 2001.", title="Beta Inc"),
    ]
    question = "On which stock exchange is {} listed?"
    assert judged(question.format("Beta Inc"), evidence).status == "answered"
    assert judged(question.format("Alpha Ltd"), evidence).status == "not in the library"


def test_of_two_things_that_are_named_each_is_judged():
    evidence = [
        *shown("Alpha Ltd is a maker of bolts. It employs many people.", title="Alpha Ltd"),
        *shown("In 2019 the net profit was 5 million.", title="Beta Inc"),
    ]
    coverage = judged("Compare the net profit of Alpha Ltd in 2018 and Beta Inc in 2019.", evidence)
    assert coverage.status == "partial"
    assert coverage.missing.startswith("Alpha Ltd: no passage mentions “net profit”")
    assert "Beta" not in coverage.missing


def test_other_forms_and_words_that_say_the_same_count():
    evidence = shown("Gamma was established in 1990 and acquired Delta in 2004.")
    assert judged("When was the acquisition of Delta by Gamma?", evidence).status == "answered"
    assert judged("When was Gamma founded?", evidence).status == "answered"


TRAINED = shown("Gamma was pre-trained on BooksCorpus (800 million words) and English Wikipedia.", title="Gamma")


@pytest.mark.parametrize(
    "question",
    [
        "Which datasets was Gamma pre-trained on?",
        "What are the data sets that Gamma was pre-trained on?",
        "On which English corpora was Gamma pre-trained?",
        "List the datasets on which Gamma was pre-trained.",
    ],
)
def test_a_name_stands_for_the_noun_that_tells_its_kind(question):
    assert judged(question, TRAINED).status == "answered"


def test_the_same_in_chinese():
    evidence = shown("Gamma在BooksCorpus和维基百科上预训练。", title="Gamma")
    assert judged("Gamma在哪些数据集上预训练？", evidence).status == "answered"
    assert judged("Gamma预训练的数据集有哪些？", evidence).status == "answered"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which datasets was Gamma pre-trained on?", "Gamma was pre-trained for four days."),  # nothing is named
        ("Which datasets was Gamma pre-trained on?", "Gamma was pre-trained. Later came BooksCorpus."),  # elsewhere
        ("Which datasets was Gamma evaluated on?", "Gamma was pre-trained on BooksCorpus."),
        ("Which datasets does Gamma use?", "Gamma was pre-trained on BooksCorpus."),  # use: every sentence would do
        ("Which newspapers wrote of Gamma's scandal?", "The scandal of Gamma began at BooksCorpus."),
    ],
)
def test_a_name_stands_for_it_only_beside_what_is_asked(question, text):
    assert judged(question, shown(text, title="Gamma")).status == "not in the library"


def test_a_compound_is_one_word_or_two():
    assert (
        judged("How large is the data set of Gamma?", shown("The dataset is large.", title="Gamma")).status
        == "answered"
    )
    assert (
        judged("How large is the dataset of Gamma?", shown("The data set is large.", title="Gamma")).status
        == "answered"
    )


def test_a_word_in_another_language_counts():
    evidence = shown("The attention of this model has linear complexity.")
    assert (
        judged("这个模型的注意力复杂度是多少？", evidence).confidence
        > judged("这个模型的售价是多少？", evidence).confidence
    )


def test_more_evidence_of_the_words_never_makes_it_less_sure():
    question = "What was the dividend of Epsilon in March?"
    little = shown("Epsilon grew.")
    more = shown("Epsilon grew.", "The dividend of Epsilon in March was 2 dollars.")
    assert judged(question, more).confidence > judged(question, little).confidence


def test_thresholds_are_in_order():
    assert 0 < NOT_IN_LIBRARY < ANSWERED < 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.lists(st.text(max_size=300), max_size=4), st.text(max_size=20))
def test_any_text_is_judged(question, texts, title):
    coverage = judged(question, shown(*texts, title=title))
    assert 0 <= coverage.confidence <= 1
    assert bool(coverage.missing) == (coverage.status != "answered")


@pytest.mark.parametrize(
    "question", ["a" * 20_000, "的" * 20_000, "Who is A? " * 40, "#1 " * 3_000, "((((" * 5_000, "A-" * 10_000]
)
def test_long_and_odd_questions_are_judged(question):
    assert judged(question, shown("A text about A.", title="A")).status in {"answered", "partial", "not in the library"}
