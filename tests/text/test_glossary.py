"""The glossary: what is found in a text, in which order, and what a user's own file may hold."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.errors import SettingsError
from scholarmind.text import glossary
from scholarmind.text.glossary import Glossary, translations

NOTIONS = [
    (("注意力",), ("attention",)),
    (("稀疏注意力", "稀疏关注"), ("sparse attention",)),
    (("注意",), ("notice", "note")),
    (("预训练",), ("pre-training", "pretraining")),
    (("最先进",), ("state of the art",)),
    (("图像",), ("image",)),
    (("图片",), ("image", "picture")),
    (("键值KV",), ("key-value",)),
]
LINES = Path(glossary.__file__).with_name("glossary.tsv").read_text(encoding="utf-8").splitlines()
ENTRIES = [line.split("\t") for line in LINES if not line.startswith("#")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("BERT, GPT-2 and T5", [], id="names need no translation"),
        pytest.param("稀疏注意力", [("稀疏注意力", ("sparse attention",))], id="the longest Chinese term"),
        pytest.param("注意力和注意", [("注意力", ("attention",)), ("注意", ("notice", "note"))], id="by their order"),
        pytest.param(
            "Is sparse attention used", [("sparse attention", ("稀疏注意力", "稀疏关注"))], id="the longest run"
        ),
        pytest.param("sparse graphs, attention", [("attention", ("注意力",))], id="part of a run"),
        pytest.param(
            "Pretrained on images", [("Pretrained", ("预训练",)), ("images", ("图像", "图片"))], id="by stems"
        ),
        pytest.param(
            "pre-trained, PRE-TRAINING", [("pre-trained", ("预训练",)), ("PRE-TRAINING", ("预训练",))], id="case"
        ),
        pytest.param("the state-of-the-art", [("state-of-the-art", ("最先进",))], id="compound with stop words"),
        pytest.param(
            "attention, attention and 注意力注意力", [("attention", ("注意力",)), ("注意力", ("attention",))], id="once"
        ),
        pytest.param("BERT的attention与图片", [("attention", ("注意力",)), ("图片", ("image", "picture"))], id="mixed"),
        pytest.param("键值KV缓存", [("键值KV", ("key-value",))], id="a Chinese term with Latin letters"),
        pytest.param("x" * 2_000 + "注意", [], id="far into a long text"),
    ],
)
def test_what_is_found(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert Glossary(NOTIONS).translations(text) == expected


def test_ours_is_large_enough() -> None:
    assert len(ENTRIES) >= 800


def test_no_chinese_term_of_ours_stands_twice() -> None:
    chinese = [term for entry in ENTRIES for term in entry[0].split("|")]
    assert sorted(chinese) == sorted(set(chinese))


def test_every_term_of_ours_is_found_in_both_directions() -> None:
    lost = [
        (chinese, english)
        for entry in ENTRIES
        for chinese in entry[0].split("|")
        for english in entry[1].split("|")
        if english not in dict(translations(chinese)).get(chinese, ())
        or not any(chinese in other for _, other in translations(english))
    ]
    assert lost == []


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from("注 意 力 稀疏 预训练 pre-training sparse attention state of 的 ,".split())).map("".join)
)
def test_whatever_the_text(text: str) -> None:
    found = Glossary(NOTIONS).translations(text)
    assert [word for word, _ in found if word not in text] == []
    assert [word for word, others in found if not others] == []
    assert len(dict(found)) == len(found)


def test_a_file_of_ones_own_adds_to_ours(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(
        "# mine\n\n词元 | 令牌牌\ttoken | lexeme \r\n量子纠错\tquantum error correction\n", encoding="utf-8-sig"
    )
    assert translations("量子纠错", path) == [("量子纠错", ("quantum error correction",))]
    assert translations("词元", path) == [("词元", ("token", "lexeme"))]
    assert translations("the lexemes", path) == [("lexemes", ("词元", "令牌牌"))]
    assert translations("注意力", path) == translations("注意力")
    assert translations("量子纠错") != translations("量子纠错", path)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("注意力 attention", id="no tab"),
        pytest.param("注意力\tattention\tnoun", id="two tabs"),
        pytest.param("注意力\t", id="no English"),
        pytest.param("|\tattention", id="no Chinese"),
    ],
)
def test_a_line_that_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(f"词元\ttoken\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        translations("word", path)
    assert str(caught.value) == (
        f"line 2 of the glossary {str(path)!r} is {line!r}; expected Chinese terms, a tab, English terms, with | between variants"
    )


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the glossary '.*own.tsv' cannot be read: .*No such file"):
        translations("word", tmp_path / "own.tsv")
    (tmp_path / "own.tsv").write_bytes("注意力\tattention".encode("gb18030"))
    with pytest.raises(SettingsError, match=r"cannot be read: .*codec can't decode"):
        translations("word", tmp_path / "own.tsv")
