"""Which part of a paper a sentence stands in, however its headings are set."""

import pytest

from scholarmind.text.paper_parts import paper_sentences, part_named


def parts(text: str) -> list[tuple[str, str, str]]:
    return [(one.part, one.within, one.text) for one in paper_sentences(text, [(0, len(text))])]


@pytest.mark.parametrize(
    "headings",
    [
        ("## Methods", "## Results"),
        ("2. MATERIAL AND METHODS", "3. RESULTS"),
        ("**2 Methods**", "**3 Findings**"),
        ("II. Methodology", "III. Results and discussion"),
        ("二、研究方法", "三、结果"),
        ("1 资料与方法", "2 结果"),
    ],
)
def test_headings_need_not_be_marked(headings: tuple[str, str]) -> None:
    first, second = headings
    told = parts(f"A title\n\n{first}\n\nWe measured.\n\n{second}\n\nIt rose.\n")
    assert told[1:] == [("methods", "methods", "We measured."), ("results", "results", "It rose.")]


def test_labels_stand_in_front_of_text() -> None:
    told = parts("**Abstract.** Groups grow.\n\nKeywords: a\n\n## 1 Background\n\nThey spread.\n\n*Data.* We asked.\n")
    assert [(part, text) for part, _, text in told] == [
        ("abstract", "Groups grow."),
        ("keywords", "a"),
        ("introduction", "They spread."),
        ("methods", "We asked."),
    ]


def test_an_abstract_has_parts_of_its_own() -> None:
    told = parts("【摘要】目的 探讨影响。方法 选取患者。结果 有所下降。\n\n【关键词】护理\n\n心力衰竭常见。\n")
    assert told == [
        ("abstract", "introduction", "探讨影响。"),
        ("abstract", "methods", "选取患者。"),
        ("abstract", "results", "有所下降。"),
        ("keywords", "keywords", "护理"),
        ("body", "body", "心力衰竭常见。"),
    ]


def test_a_section_within_another_is_of_its_part() -> None:
    told = parts("# T\n\n## Method\n\n### Staff\n\nSix helped.\n\n## What we saw\n\nRain.\n")
    assert [(part, text) for part, _, text in told] == [("methods", "Six helped."), ("body", "Rain.")]


def test_a_text_without_parts_is_all_body() -> None:
    assert {part for part, _, _ in parts("One sentence.\n\nAnother one.")} == {"body"}


@pytest.mark.parametrize(
    ("text", "cites", "own"),
    [
        ("Falk (1998) sampled 310 vessels.", True, False),
        ("This was seen before (Hagen and Moe 2011).", True, False),
        ("随访有效[1]。", True, False),
        ("王建民等（2012）调查了420个茶园。", True, False),
        ("Our result agrees with Falk (1998).", False, True),
        ("We sampled in March 2021.", False, True),
        ("本研究为横断研究。", False, True),
    ],
)
def test_what_tells_of_another_work_is_known(text: str, cites: bool, own: bool) -> None:
    (one,) = paper_sentences(text, [(0, len(text))])
    assert (one.cites, one.own) == (cites, own)


def test_headings_of_lists_and_thanks_are_parts() -> None:
    assert [part_named(name) for name in ("References", "参考文献", "Funding", "致谢", "The sea")] == [
        "references",
        "references",
        "thanks",
        "thanks",
        None,
    ]
