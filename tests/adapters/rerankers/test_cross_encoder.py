"""Cross-encoders from folders: one that is trained here and orders what it never saw, and every way in which a folder can be wrong."""

import sys
from pathlib import Path

import pytest
from small_cross_encoder import Language, counting, saved, tokenizer, trained, written

from scholarmind import Settings, wiring
from scholarmind.adapters.bert import FLOAT, INT32, INT64, OnnxGraph
from scholarmind.adapters.rerankers import CrossEncoder
from scholarmind.errors import ModelError, SettingsError
from scholarmind.model import Document, Evidence, Passage, Scores
from scholarmind.ports import Rated

pytestmark = pytest.mark.anyio


def evidence(*texts: str) -> list[Evidence]:
    return [
        Evidence(
            passage=Passage(text=text, start=0, end=len(text), position=place),
            document=Document(id="d", title=""),
            scores=Scores(fused=0.5),
        )
        for place, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that was trained, with one column."""
    tokens = tokenizer()
    weights = trained(tokens)
    folder = tmp_path_factory.mktemp("model")
    saved(folder / "two", tokens, weights, columns=2)
    return saved(folder / "one", tokens, weights)


def logits(scores: list[float]) -> list[int]:
    """Return how many tokens a model counted that says a hundredth of them."""
    from math import log

    return [round(100 * log(score / (1 - score))) for score in scores]


async def test_a_trained_model_orders_pairs_that_it_never_saw(model: Path) -> None:
    language = Language(seed=2)
    triples = [language.triple() for _ in range(300)]
    encoder = CrossEncoder(str(model))
    right, sure = 0, 0
    for question, good, bad in triples:
        rated = await encoder.rate(question, evidence(bad, good))
        low, high = rated.scores
        assert low is not None
        assert high is not None
        right += high > low
        sure += high > 0.5 > low
    assert right >= 0.9 * len(triples)
    assert sure >= 0.75 * len(triples)  # the scores are probabilities, not only an order


def test_a_model_with_two_columns_gives_the_same_probabilities(model: Path) -> None:
    language = Language(seed=3)
    question, texts = language.question([1, 2]), [language.passage([topic]) for topic in range(10)]
    one = CrossEncoder(str(model)).score(question, texts)
    two = CrossEncoder(str(model.parent / "two")).score(question, texts)
    assert two == pytest.approx(one, abs=1e-6)
    assert all(0 < score < 1 for score in one)


def test_company_and_its_padding_change_no_score(model: Path) -> None:
    language = Language(seed=4)
    question = language.question([5, 6])
    texts = [" ".join([language.passage([topic])] * (1 + topic % 4 * 20)) for topic in range(60)]
    encoder = CrossEncoder(str(model))
    alone = [encoder.score(question, [text])[0] for text in texts]
    assert encoder.score(question, texts) == pytest.approx(alone, abs=1e-5)


def test_a_long_passage_loses_its_end_and_a_long_question_leaves_it_half_of_the_room(tmp_path: Path) -> None:
    tokens = tokenizer()
    questions = CrossEncoder(str(counting(tmp_path / "q", tokens)), tokens=32)
    passages = CrossEncoder(str(counting(tmp_path / "p", tokens, side="passage")), tokens=32)
    long, short = "word1 " * 100, "word2 word3 word4"
    assert logits(questions.score(short, [long, short])) == [5, 5]  # with the marks at both ends
    assert logits(passages.score(short, [long, short])) == [27, 4]
    assert logits(questions.score(long, [long, short])) == [18, 18]
    assert logits(passages.score(long, [long, short])) == [14, 4]


@pytest.mark.parametrize("by", ["tokenizer.json", "config.json"])
def test_what_the_model_says_of_its_length_counts(tmp_path: Path, by: str) -> None:
    tokens = tokenizer()
    if by == "tokenizer.json":
        tokens.enable_truncation(20)
    folder = counting(tmp_path, tokens, side="passage")
    if by == "config.json":
        (folder / "config.json").write_text('{"max_position_embeddings": 20}')
    assert logits(CrossEncoder(str(folder)).score("word1", ["word2 " * 100])) == [17]


@pytest.mark.parametrize("kind", [INT32, INT64])
def test_a_model_without_token_types_is_given_none(tmp_path: Path, kind: int) -> None:
    graph = OnnxGraph()
    graph.node("Cast", ["attention_mask"], "known", to=FLOAT)
    graph.node("Einsum", ["known"], "count", equation="nt->n")
    import numpy as np

    graph.constant("scale", np.array([0.01], np.float32))
    graph.node("Einsum", ["count", "scale"], "logits", equation="n,k->nk")
    written(tmp_path, tokenizer(), graph, input_ids=kind, attention_mask=kind)
    assert logits(CrossEncoder(str(tmp_path)).score("word1", ["word2 word3", "word4"])) == [6, 5]


def test_a_model_may_stand_in_a_folder_of_its_own_beside_its_tokenizer(tmp_path: Path) -> None:
    counting(tmp_path, tokenizer())
    (tmp_path / "onnx").mkdir()
    (tmp_path / "model.onnx").rename(tmp_path / "onnx" / "model.onnx")
    assert logits(CrossEncoder(str(tmp_path)).score("word1", ["word2"])) == [3]


def break_tokenizer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tokenizer.json").write_text('{"model": 3}')


def lose_tokenizer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "tokenizer.json").unlink()


def lose_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)


def break_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "model.onnx").write_bytes(b"no model at all")


def take_pixels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = OnnxGraph()
    graph.node("Identity", ["pixel_values"], "logits")
    written(folder, tokenizer(), graph, pixel_values=FLOAT)


def take_fractions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = OnnxGraph()
    graph.node("Add", ["input_ids", "attention_mask"], "logits")
    written(folder, tokenizer(), graph, input_ids=FLOAT, attention_mask=FLOAT)


def tell_three_classes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting(folder, tokenizer(), columns=3)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lose_tokenizer, ("no tokenizer.json", "beside it")),
        (break_tokenizer, ("tokenizer.json", "cannot be read as a tokenizer")),
        (lose_package, ("package 'tokenizers'", "pip install 'scholarmind[cross-encoder]'")),
        (break_model, ("cannot be read as an ONNX model", "export")),
        (take_pixels, ("takes pixel_values", "input_ids, attention_mask")),
        (take_fractions, ("tensor(float)", "32 or 64 bits")),
        (tell_three_classes, ("shape [1, 3]", "one or two numbers")),
    ],
)
async def test_a_folder_that_is_wrong_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: object, words: tuple[str, ...]
) -> None:
    counting(tmp_path, tokenizer())
    spoil(tmp_path, monkeypatch)  # type: ignore[operator]
    encoder = CrossEncoder(str(tmp_path))
    with pytest.raises(ModelError) as caught:
        encoder.score("word1", ["word2"])
    assert all(word in str(caught.value) for word in words)
    rated = await encoder.rate("word1", evidence("word2"))
    assert rated == Rated(scores=(None,), notes=(f"not ordered by the cross-encoder: {caught.value}",))


def test_a_name_without_the_package_for_names_says_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match="package 'sentence-transformers'"):
        CrossEncoder("some/name").score("a", ["b"])


def test_no_model_is_an_error_that_tells_the_setting() -> None:
    with pytest.raises(SettingsError, match="rerank_model"):
        CrossEncoder("")


PACKAGE = """
class CrossEncoder:
    def __init__(self, model, *, max_length, local_files_only):
        assert local_files_only and max_length == 512
        if model != "known/name":
            raise OSError("no file of this model\\nand more lines")

    def predict(self, pairs, *, batch_size, show_progress_bar, activation_fn):
        assert not show_progress_bar
        return [activation_fn(len(text) - len(question)) for question, text in pairs]
"""


@pytest.fixture
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages with the signatures of the real ones, which are too large to install for a test."""
    (tmp_path / "sentence_transformers.py").write_text(PACKAGE)
    (tmp_path / "torch.py").write_text("class nn:\n    Identity = staticmethod(lambda: lambda value: value)\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("sentence_transformers", "torch"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("_package")
async def test_a_name_is_loaded_from_local_files_and_its_logits_become_probabilities() -> None:
    rated = await CrossEncoder("known/name").rate("abc", evidence("abc", "abcd", "a"))
    assert rated.scores == (0.5, pytest.approx(0.7311, abs=1e-4), pytest.approx(0.1192, abs=1e-4))


@pytest.mark.usefixtures("_package")
async def test_a_name_whose_files_are_not_here_is_told_and_never_fetched() -> None:
    rated = await CrossEncoder("other/name").rate("abc", evidence("abc"))
    assert rated.scores == (None,)
    assert "no file of this model)" in rated.notes[0]
    assert "nothing is downloaded" in rated.notes[0]


async def test_the_settings_make_it(model: Path) -> None:
    reranker = wiring.reranker(Settings(rerank="cross-encoder", rerank_model=str(model)))
    assert reranker is not None
    language = Language(seed=5)
    question, good, bad = language.triple()
    low, high = (await reranker.rate(question, evidence(bad, good))).scores
    assert low is not None
    assert high is not None
    assert low < high


async def test_nothing_is_rated_as_nothing() -> None:
    assert await CrossEncoder("any").rate("a", []) == Rated(scores=())
