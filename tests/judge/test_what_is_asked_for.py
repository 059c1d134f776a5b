"""Numbers, dates and properties that stand as they are asked for answer, also where a reader is unsure of the sentence around them."""

import pytest

from scholarmind.judge.answers import names_in, reading_of

UNSURE = 0.1


def read(question: str, text: str, heading: str = "") -> float:
    return reading_of(question, [text], [UNSURE], heading)[0]


@pytest.mark.parametrize(
    ("question", "text", "heading"),
    [
        ("How many lamps were mounted at Sorn Head?", "In 1911 the tower was mounted with 24 gas lamps.", "Sorn Head"),
        ("青石古道全长多少公里？", "青石古道从码头出发，经大屏山到达永宁府，全长约180公里，步行需要7天。", ""),
        ("白崖水库坝高多少？", "大坝为混凝土重力坝，最大坝高87米，总库容3.6亿立方米。", "白崖水库运行报告"),
        ("擅自拆除历史建筑会被罚多少钱？", "第七条 擅自拆除历史建筑的，处20万元以上50万元以下的罚款。", ""),
        ("In which year was the Sorn lighthouse built?", "The Sorn lighthouse was built in 1873 of granite.", ""),
        ("Who was the engineer of the Ardle canal?", "The engineer of the Ardle canal was Ann Doyle.", ""),
        (
            "What was the mean compliance of patients in villages?",
            "The mean compliance of patients was 72.9%.",
            "Villages",
        ),
        ("How large is each experimental plot at Sorn?", "Each experimental plot is 50 m by 50 m.", "Plots at Sorn"),
        ("What is the size of OpenNews?", "It was trained on OpenNews (800 million words).", ""),
    ],
)
def test_it_answers(question: str, text: str, heading: str) -> None:
    assert read(question, text, heading) > 0.7


@pytest.mark.parametrize(
    ("question", "text", "heading"),
    [
        ("How many lamps were mounted at Ardle Point?", "The tower was mounted with 24 gas lamps.", "Sorn Head"),
        (
            "How many keepers of the tower smoked?",
            "Sixty-four keepers of two stations were asked to wear amber glasses.",
            "",
        ),
        ("白崖水库的鱼道长多少米？", "大坝为混凝土重力坝，最大坝高87米，总库容3.6亿立方米。", "白崖水库运行报告"),
        ("In which year was the Sorn lighthouse sold?", "In 1873 a granite quay was laid at Kell.", ""),
        ("Who was the owner of the Ardle canal?", "The engineer of the Ardle canal was Ann Doyle.", ""),
    ],
)
def test_what_is_near_it_does_not(question: str, text: str, heading: str) -> None:
    assert read(question, text, heading) == UNSURE


def test_contracted_words_are_no_names() -> None:
    assert list(names_in("What would I'd rather say of Arco when I'm in London?")) == ["Arco", "London"]
