"""How alike two titles are: misprints cost little, another word, number or 'Erratum to' makes another work."""

import random
import string

import pytest

from scholarmind.text.likeness import share_people, similarity, title_of

BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
SURVEY = "A comprehensive survey of deep learning methods for medical image segmentation"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (BERT, BERT.upper()),
        (BERT, "BERT: Pretraining of Deep Bidirectional Trans- formers for Language Understanding"),
        (BERT, "Pre-training of Deep Bidirectional Transformers for Language Understanding"),
        (BERT, "BERT:Pre-trainingofDeepBidirectionalTransformersforLanguageUnderstanding"),
        (BERT, BERT + "∗"),
        (BERT, BERT + "1"),
        (BERT, "BERT: Pre-training of Deep Bidirectional Transforrners for Language Understandlng"),
        (SURVEY, SURVEY + " – An overview"),
        ("Schrödinger operators with random potentials", "Schr ¨odinger operators with random potentials"),
        ("Eﬃcient ﬁnite-state morphology", "Efficient finite-state morphology"),
        ("基于深度学习的图像分割方法研究", "基于深度学习的图像分割方法研究"),
        ("基于深度学习的图像分割方法：综述与展望", "基于深度学习的图像分割方法"),
    ],
)
def test_the_same_title(one: str, other: str) -> None:
    assert similarity(one, other) >= 0.9
    assert similarity(other, one) == similarity(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SURVEY, SURVEY.replace("segmentation", "classification")),
        (SURVEY, SURVEY.replace("medical", "dental")),
        (SURVEY, SURVEY + " in images of the heart"),
        (SURVEY, "Erratum to: " + SURVEY),
        (SURVEY, SURVEY + " revisited"),
        ("Language Models are Few-Shot Learners", "Language Models are Unsupervised Multitask Learners"),
        ("SemEval-2019 Task 3: EmoContext", "SemEval-2019 Task 4: EmoContext"),
        ("The quantum theory of the atom, Part I", "The quantum theory of the atom, Part II"),
        ("GPT-2 and its uses in the classroom", "GPT-3 and its uses in the classroom"),
        ("Proceedings of the workshop: Part 1", "Proceedings of the workshop: Part 2"),
        ("基于深度学习的图像分割方法研究", "基于深度学习的图像分类方法研究"),
        (
            "面向大规模知识图谱的多跳问答方法及其在医疗领域的应用研究",
            "面向大规模知识图谱的多跳问答方法及其在法律领域的应用研究",
        ),
    ],
)
def test_another_title(one: str, other: str) -> None:
    assert 0.2 < similarity(one, other) < 0.9


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Protein folding on lattices", "Grammatical evolution of compilers"),
        (BERT, "Deep Residual Learning for Image Recognition"),
        (BERT, "基于深度学习的图像分割方法研究"),
        ("图像分割", "知识图谱"),
        ("", BERT),
        ("", ""),
        ("?!", "?!"),
    ],
)
def test_titles_that_have_nothing_in_common(one: str, other: str) -> None:
    assert similarity(one, other) < 0.3


def test_a_lost_letter_never_costs_much_in_a_long_title() -> None:
    for place in range(len(SURVEY)):
        assert similarity(SURVEY, SURVEY[:place] + SURVEY[place + 1 :]) > 0.95


def test_any_text_can_be_compared() -> None:
    chance = random.Random(3)
    signs = string.printable + "éß中文학文が\u0301\udcff\U0001f600İ½"
    for _ in range(300):
        one, other = ("".join(chance.choices(signs, k=chance.randrange(60))) for _ in range(2))
        assert 0 <= similarity(one, other) <= 1
        assert similarity(one, one) in {0, 1}
    assert similarity("a" * 1_000_000, "b" * 1_000_000) == 0


@pytest.mark.parametrize(
    "title", ["Introduction", "EDITORIAL", "Annual report 2019", "Letter to the Editor", "前言", "", "…"]
)
def test_titles_that_name_no_work(title: str) -> None:
    assert not title_of(title).names_a_work


@pytest.mark.parametrize(
    ("some", "others", "shared"),
    [
        (["Devlin, Jacob"], ["Jacob Devlin", "Ming-Wei Chang"], True),
        (["van den Berg, Jan"], ["Jan van den Berg"], True),
        (["Gabriel García Márquez"], ["Garcia Marquez, G."], True),
        (["Devlin J"], ["Jacob Devlin"], True),
        (["Vincent van Gogh"], ["Anthony van Dyck"], False),
        (["张三"], ["李四"], False),
        (["J. S."], ["Jacob Devlin"], None),
        ([], ["Jacob Devlin"], None),
    ],
)
def test_authors_in_common(some: list[str], others: list[str], shared: bool | None) -> None:
    assert share_people(some, others) is shared
