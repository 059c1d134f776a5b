"""What type of answer is wanted, and the short answers that are found in evidence."""

import pytest
from handmade import passage
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.writing.answer_type import answer_type_of
from scholarmind.writing.short_answers import candidates, short_answers

TEXTS = st.text(st.sampled_from("Aa bB.,;:!?\n()[]\"'“”《》0123456789#>-–%的是在王国年月，。由Ω\u202e"), max_size=400)

LEYTON = passage(
    "Iron Maiden are an English heavy metal band formed in Leyton, East London, in 1975 by bassist Steve Harris. "
    "Maiden Japan is a live EP by the band, released in 1981.",
    title="Iron Maiden",
)
BERT = passage(
    "BERT was pre-trained on BooksCorpus (800 million words) and the text passages of English Wikipedia (2,500 million words). "
    "BERT-Base has 110 million parameters; BERT-Large has 24 layers and 340 million parameters.",
    title="BERT: Pre-training of Deep Bidirectional Transformers",
    aliases=("BERT",),
    section=("BERT", "Training data"),
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who founded the band?", "person"),
        ("Where was she born?", "place"),
        ("In which country is the river?", "place"),
        ("What company published the journal?", "organisation"),
        ("When did the war end?", "date"),
        ("What year did it start?", "date"),
        ("How many parameters does it have?", "number"),
        ("What is the population of Paris?", "number"),
        ("What dataset did BERT use?", "thing"),
        ("Which novel did he write?", "title"),
        ("Is Paris in France?", "yes or no"),
        ("Why does dropout help?", "reason"),
        ("What is attention?", "description"),
        ("How does it work?", "description"),
        ("Hello Love >> performer", "person"),
        ("Bubye River >> country", "place"),
        ("BERT是谁提出的？", "person"),
        ("《红楼梦》的作者是谁？", "person"),
        ("中国的首都是哪个城市？", "place"),
        ("该公司成立于哪一年？", "date"),
        ("GPT-3有多少参数？", "number"),
        ("BERT使用了哪个数据集？", "thing"),
        ("为什么需要掩码？", "reason"),
        ("该方法是否有效？", "yes or no"),
        ("注意力如何计算？", "description"),
    ],
)
def test_type_of_answer_that_a_question_asks_for(question: str, kind: str) -> None:
    assert answer_type_of(question).kind == kind


@pytest.mark.parametrize(
    ("question", "noun", "unit", "many"),
    [
        ("Which dataset did BERT use?", "dataset", "", False),
        ("Which datasets did BERT use?", "dataset", "", True),
        ("How many parameters does it have?", "", "parameters", False),
        ("BERT使用了哪些数据集？", "数据集", "", True),
        ("What is the name of the airport in Sweden?", "airport", "", False),
    ],
)
def test_noun_unit_and_number_of_the_wanted(question: str, noun: str, unit: str, many: bool) -> None:
    found = answer_type_of(question)
    assert (found.noun, found.unit, found.many) == (noun, unit, many)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where was Iron Maiden formed?", "Leyton"),
        ("What year was Iron Maiden formed?", "1975"),
        ("Who formed Iron Maiden?", "Steve Harris"),
    ],
)
def test_answer_of_the_wanted_type_comes_first(question: str, answer: str) -> None:
    assert short_answers(question, [LEYTON])[0] == answer


def test_relation_notation_is_read() -> None:
    assert "Leyton" in short_answers("Iron Maiden >> location of formation", [LEYTON])


def test_title_of_the_document_can_be_the_answer() -> None:
    assert "Iron Maiden" in short_answers("Maiden Japan >> performer", [LEYTON])


def test_coordinated_list_is_one_answer() -> None:
    assert short_answers("What dataset did BERT use?", [BERT])[0] == "BooksCorpus and English Wikipedia"


def test_number_of_the_thing_that_is_asked_about() -> None:
    assert short_answers("How many parameters does BERT-Large have?", [BERT])[0] == "340 million"


def test_people_say_their_country() -> None:
    politician = passage("Anna Berg is a Swedish politician who has sat in parliament since 2010.", title="Anna Berg")
    assert short_answers("Anna Berg >> country of citizenship", [politician])[0] == "Sweden"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("《红楼梦》的作者是谁？", "《红楼梦》是清代作家曹雪芹创作的长篇小说，成书于18世纪。", "曹雪芹"),
        ("该大学成立于哪一年？", "该大学成立于1896年，位于上海。", "1896年"),
        ("模型有多少参数？", "模型共有671亿参数，用了2048块显卡。", "671亿"),
        ("BERT-wwm的F1是多少？", "在CMRC 2018测试集上，BERT-wwm的F1为87.4。", "87.4"),
    ],
)
def test_chinese(question: str, text: str, answer: str) -> None:
    assert answer in short_answers(question, [passage(text)])[0]


def test_translated_words_of_the_question_count() -> None:
    english = passage(
        "Dropout was proposed by Nitish Srivastava. The attention mechanism was proposed by Dzmitry Bahdanau."
    )
    assert short_answers("注意力机制是谁提出的？", [english])[0] == "Dzmitry Bahdanau"


def test_nothing_from_nothing() -> None:
    assert short_answers("Who?", []) == ()
    assert short_answers("", [LEYTON], limit=0) == ()


def test_first_answers_do_not_repeat_each_other_or_the_question() -> None:
    answers = short_answers("Who formed Iron Maiden?", [LEYTON, LEYTON])
    assert len({answer.lower() for answer in answers}) == len(answers) == 3
    assert not {"iron maiden", "maiden", "iron"} & {answer.lower() for answer in answers}


@settings(max_examples=150, deadline=None)
@given(question=TEXTS, texts=st.lists(TEXTS, max_size=3))
def test_any_text_gives_at_most_three_different_answers(question: str, texts: list[str]) -> None:
    answers = short_answers(question, [passage(text, title=text[:20]) for text in texts])
    assert len(set(answers)) == len(answers) <= 3
    assert all(answers)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_candidates_lie_within_the_sentence(sentence: str) -> None:
    for candidate in candidates(sentence):
        assert 0 <= candidate.start < candidate.end <= len(sentence)
        if candidate.kind not in ("list", "people"):
            assert candidate.text in sentence[candidate.start : candidate.end]


@pytest.mark.parametrize(
    "text",
    ["A" * 50_000, "A. " * 20_000, "(" * 50_000, "A and " * 10_000, "是" * 50_000, "1," * 30_000, "王·" * 20_000],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    assert len(short_answers(text, [passage(text)])) <= 3
