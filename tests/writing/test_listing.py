"""Lists that answer questions for several things, by rules."""

import pytest
from handmade import passage

from scholarmind.writing.extractive import listed

POINTS = """Models released by Meta:

- **Llama 2**: a family of chat models
- OPT (open weights)
- Galactica, for science

Something else."""


@pytest.mark.parametrize(
    ("question", "texts", "items"),
    [
        pytest.param(
            "Which datasets was BERT trained on?",
            [
                "BERT was trained on BooksCorpus (800M words) and English Wikipedia.",
                "GPT was trained on WebText and C4.",
            ],
            ("BooksCorpus", "English Wikipedia"),
            id="names",
        ),
        pytest.param(
            "What are the datasets that BERT was evaluated on?",
            ["BERT was evaluated on GLUE, SQuAD v1.1, SQuAD v2.0 and SWAG."],
            ("GLUE", "SQuAD v1.1", "SQuAD v2.0", "SWAG"),
            id="names with versions",
        ),
        pytest.param("Which models were released by Meta?", [POINTS], ("Llama 2", "OPT", "Galactica"), id="points"),
        pytest.param(
            "BERT使用了哪些数据集？",
            ["BERT使用了BooksCorpus、英文维基百科和SQuAD等数据集。", "BERT在2018年提出。"],
            ("BooksCorpus", "英文维基百科", "SQuAD"),
            id="Chinese",
        ),
        pytest.param(
            "BERT在哪些任务上评测？",
            ["BERT在自然语言推断、情感分析和问答任务上进行评测。"],
            ("自然语言推断", "情感分析", "问答任务"),
            id="Chinese words",
        ),
        pytest.param("What dataset did BERT use?", ["BERT used BooksCorpus and Wikipedia."], (), id="asks for one"),
        pytest.param("How many layers and heads does BERT have?", ["BERT has A and B."], (), id="asks for a number"),
        pytest.param(
            "Which datasets was Otter trained on?", ["Paris, London and Rome are cities."], (), id="another matter"
        ),
        pytest.param("Which of BERT and GPT-2 are models?", ["BERT and GPT-2 are models."], (), id="says nothing new"),
        pytest.param("Which datasets were used?", [], (), id="nothing found"),
    ],
)
def test_the_list_that_answers(question: str, texts: list[str], items: tuple[str, ...]) -> None:
    evidence = [passage(text, title=f"Notes {number}", id=str(number)) for number, text in enumerate(texts)]
    assert listed(question, evidence) == items
