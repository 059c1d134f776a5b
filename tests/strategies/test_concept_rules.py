"""Which questions are about several concepts, and about which, by rules alone."""

import pytest

from scholarmind.strategies.concepts_team import concepts_of, several


@pytest.mark.parametrize(
    "question",
    [
        "BERT vs GPT-2",
        "Python versus JavaScript",
        "BERT compared to GPT-2",
        "Is dropout or weight decay better?",
        "Dropout and batch normalization in convolutional networks",
        "Graph neural networks with transformers",
        "How does chunking affect reranking?",
        "What is the impact of batch size on accuracy?",
        "What is the difference between LoRA, QLoRA and full fine-tuning?",
        "What is the relationship between dropout and weight decay?",
        "Who proposed BERT? And what came after it?",
        "BERT和GPT-2的区别是什么？",
        "分块策略如何影响重排序？",
        "机器学习与深度学习之间有什么关系？",
        "比较Python和JavaScript",
        "注意力机制以及位置编码",
        "什么是BERT？另外，它用了什么数据？",
    ],
)
def test_questions_about_several_concepts(question: str) -> None:
    assert several(question)[0]


@pytest.mark.parametrize(
    "question",
    [
        "What is retrieval-augmented generation?",
        "Best practices for prompt engineering",
        "Best practices for search and rescue",
        "What learning rate does BERT use?",
        "什么是检索增强生成？",
        "提示工程的最佳实践",
        "",
    ],
)
def test_questions_about_one_concept(question: str) -> None:
    assert not several(question)[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do chunking strategies affect reranking in RAG?", ("chunking strategies", "reranking", "RAG")),
        (
            "Compare machine learning and deep learning, and explain their applications in computer vision",
            ("machine learning", "deep learning", "applications in computer vision"),
        ),
        ("Compare Python and JavaScript for web development", ("Python", "JavaScript", "web development")),
        (
            "Explain the causes, key events, and consequences of World War II",
            ("causes of World War II", "key events of World War II", "consequences of World War II"),
        ),
        (
            "How does BERT work and what are its applications in NLP?",
            ("How does BERT work", "BERT's applications in NLP"),
        ),
        ("What is the difference between LoRA, QLoRA and full fine-tuning?", ("LoRA", "QLoRA", "full fine-tuning")),
        (
            "Dropout and batch normalization in convolutional networks",
            ("Dropout", "Batch normalization", "convolutional networks"),
        ),
        ("Compare the revenue of Acme and Beta in 2019", ("Revenue of Acme in 2019", "Revenue of Beta in 2019")),
        ("Who is the spouse of the director of Inception?", ("director of Inception", "spouse")),
        (
            "Did Mira Falk ever meet Tove Lind with a camera?",
            ("Mira Falk ever meet camera", "Tove Lind ever meet camera"),
        ),
        ("比较Python和JavaScript在网页开发中的应用", ("Python", "JavaScript", "网页开发中的应用")),
        ("分块策略如何影响RAG中的重排序？", ("分块策略", "重排序", "RAG")),
        ("BERT和GPT-2的区别是什么？", ("BERT", "GPT-2")),
        (
            "解释第二次世界大战的原因、主要事件和后果",
            ("第二次世界大战的原因", "第二次世界大战的主要事件", "第二次世界大战的后果"),
        ),
        ("What is retrieval-augmented generation?", ()),
        ("How to deal with overfitting?", ()),
        ("", ()),
        ("？！", ()),
    ],
)
def test_concepts_by_rules(question: str, expected: tuple[str, ...]) -> None:
    assert concepts_of(question) == expected
