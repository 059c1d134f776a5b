"""The bundled reader of answers: its pieces against those of the `tokenizers` library over the original vocabulary
(tests/data/pieces_reference.jsonl), its unpacking against numbers worked out by hand, and what it reads."""

import json
from pathlib import Path

import numpy as np
import pytest

from scholarmind.adapters.e5 import reader
from scholarmind.adapters.e5.reader import E5Reader, Pieces
from scholarmind.adapters.e5.second_embedder import E5Embedder, chinese_share

REFERENCE = Path(__file__).parents[1] / "data/pieces_reference.jsonl"
TOWER = (
    "The Hallin water tower",
    (
        "The tower was put up in 1911 by the engineer Ida Brandt.",
        "It holds four hundred cubic metres, enough for the village for two days.",
        "Since 1987 bats have lived under its roof.",
    ),
)
PUMP = ("水泵 K3 使用说明", ("首次使用前请先注满清水。", "指示灯变红表示滤网堵塞，需要拆下清洗。", "保修期为两年。"))


@pytest.fixture(scope="module")
def reads() -> E5Reader:
    return E5Reader()


@pytest.fixture(scope="module")
def made(reads: E5Reader) -> tuple[E5Embedder, E5Embedder]:
    """The embedders of questions and of passages."""
    return E5Embedder(reads, "query"), E5Embedder(reads, "passage")


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    return Pieces(reader.WEIGHTS / "pieces.tsv")


def test_pieces_are_those_of_the_original(pieces: Pieces) -> None:
    lines = (reader.WEIGHTS / "pieces.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    names = [line.split("\t")[0] for line in lines]
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        known = json.loads(line)
        assert [names[number] for number in pieces.encode(known["text"])] == known["pieces"]


def test_a_run_of_characters_without_a_piece_is_one_unknown_one(pieces: Pieces) -> None:
    assert pieces.encode("\U0001f9ff\U000103a0\U000103a1").count(pieces.unknown) == 1


def test_a_block_is_a_scale_and_thirty_two_halves_of_bytes() -> None:
    block = np.zeros((1, 18), np.uint8)
    block[0, :2] = np.array([0.5], "<f2").view(np.uint8)
    block[0, 2:] = 0x88  # both halves stand for nothing
    block[0, 2] = 0xF9  # 9 below, 15 above
    numbers = reader.unpacked(block, 32)[0]
    assert (numbers[0], numbers[16]) == (0.5, 3.5)
    assert np.count_nonzero(numbers) == 2


@pytest.mark.parametrize(
    ("question", "text", "place"),
    [
        ("Who built the tower?", TOWER, 0),
        ("How much water fits into it?", TOWER, 1),
        ("红灯亮了怎么办？", PUMP, 1),
        ("坏了多久之内可以免费修？", PUMP, 2),
    ],
)
def test_the_sentence_that_answers_is_the_likeliest(
    reads: E5Reader, question: str, text: tuple[str, tuple[str, ...]], place: int
) -> None:
    (likely,) = reads(question, [text])
    assert max(range(3), key=likely.__getitem__) == place
    assert likely[place] > 0.5


def test_what_no_sentence_says_is_unlikely(reads: E5Reader) -> None:
    (english,) = reads("How tall is the tower in Hallin?", [TOWER])
    (chinese,) = reads("水泵的功率是多少瓦？", [PUMP])
    assert max(*english, *chinese) < 0.5


def test_int8_reads_as_the_full_weights_do(reads: E5Reader) -> None:
    exact = E5Reader(int8=False)
    for question, text in (("Who built the tower?", TOWER), ("红灯亮了怎么办？", PUMP)):
        assert np.allclose(reads(question, [text]), exact(question, [text]), atol=0.15)


def test_a_text_that_is_too_long_is_read_as_far_as_it_goes(reads: E5Reader) -> None:
    told = [f"Sentence number {number} says nothing about it at all, and at some length." for number in range(60)]
    (likely,) = reads("Who built the tower?", [("", told)])
    assert len(likely) == 60
    assert likely[0] > 0.0
    assert likely[-1] == 0.0


def test_other_scripts_are_not_read(reads: E5Reader) -> None:
    assert reads("Who built it?", [("", ["\U00012000\U00012001 " * 60])]) == [()]


class TestEmbedder:
    """The embedder for both languages."""

    TEXTS = (
        "The kiln is starved of air while it is hottest.",
        "烧窑最热的时候要隔绝空气。",
        "A tontine pays the last one alive.",
    )

    @pytest.mark.parametrize("question", ["Why is air kept from the kiln?", "烧窑时为什么要隔绝空气？"])
    def test_a_question_is_nearest_to_what_answers_it_in_either_language(
        self, made: tuple[E5Embedder, E5Embedder], question: str
    ) -> None:
        questions, passages = made
        near = passages.encode(self.TEXTS).vectors @ questions.encode([question]).vectors[0]
        assert np.linalg.norm(passages.encode(self.TEXTS).vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
        assert near.argmin() == 2
        assert min(near[0], near[1]) > 2 * near[2]

    def test_a_vector_does_not_depend_on_its_company(self, made: tuple[E5Embedder, E5Embedder]) -> None:
        together = made[1].encode(self.TEXTS).vectors
        assert all(
            (made[1].encode([text]).vectors[0] == one).all() for text, one in zip(self.TEXTS, together, strict=True)
        )

    @pytest.mark.parametrize("text", ["", "   ", "字" * 5_000])
    def test_no_text_and_a_long_one(self, made: tuple[E5Embedder, E5Embedder], text: str) -> None:
        found = made[1].encode([text])
        assert np.isfinite(found.vectors).all()
        assert found.unknown == [0.0]

    def test_what_it_does_not_know(self, made: tuple[E5Embedder, E5Embedder]) -> None:
        assert made[0].encode(["\U000103a0 \U000103a1 \U0001f9ff"]).unknown[0] > 0.3
        assert made[0].encode(["kiln"]).unknown == [0.0]

    def test_nothing_to_embed(self, made: tuple[E5Embedder, E5Embedder]) -> None:
        assert made[0].encode([]).vectors.shape == (0, 384)

    @pytest.mark.parametrize(("text", "share"), [("kiln", 0.0), ("烧窑", 1.0), ("用 BERT 做分类", 4 / 5.5), ("", 0.0)])
    def test_how_much_of_a_text_is_chinese(self, text: str, share: float) -> None:
        assert chinese_share(text) == pytest.approx(share)
