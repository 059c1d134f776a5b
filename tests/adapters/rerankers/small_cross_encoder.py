"""A cross-encoder of a few thousand weights: trained here, written as a folder that any cross-encoder could come in."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from scholarmind.adapters.bert import FLOAT, INT64, OnnxGraph, tensor

Array = npt.NDArray[np.float32]
_TOPICS, _FILLERS, _SIZE = 30, 40, 24
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@dataclass(frozen=True)
class Weights:
    """An embedding of each token, and what the product of the two means is multiplied with and shifted by."""

    words: Array
    scale: float
    shift: float


class Language:
    """A question names a topic by one word and its passages name it by another: what belongs together has to be learnt."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def question(self, topics: Sequence[int]) -> str:
        return self._said([f"ask{topic}" for topic in topics], fillers=3)

    def passage(self, topics: Sequence[int]) -> str:
        return self._said([f"tell{topic}" for topic in topics], fillers=self._random.randint(2, 12))

    def triple(self) -> tuple[str, str, str]:
        """Return a question, a passage that answers it, and one that does not."""
        one, two, three, four = self._random.sample(range(_TOPICS), 4)
        return self.question([one, two]), self.passage([one, two]), self.passage([three, four])

    def _said(self, words: list[str], fillers: int) -> str:
        words = [*words, *(f"word{self._random.randrange(_FILLERS)}" for _ in range(fillers))]
        self._random.shuffle(words)
        return " ".join(words)


def tokenizer() -> Tokenizer:
    """Return a tokenizer of whole words that puts pairs together as BERT does."""
    topics = [f"{verb}{topic}" for verb in ("ask", "tell") for topic in range(_TOPICS)]
    vocabulary = {
        word: number for number, word in enumerate((*_SPECIAL, *topics, *(f"word{n}" for n in range(_FILLERS))))
    }
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=_SPECIAL[1]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    made.post_processor = processors.TemplateProcessing(  # type: ignore[assignment]
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    return made


def trained(tokens: Tokenizer, *, pairs: int = 1200, steps: int = 150) -> Weights:
    """Train from random weights by gradient descent (Adam) on the log loss of pairs that belong together and pairs that do not."""
    language = Language(seed=1)
    triples = [language.triple() for _ in range(pairs)]
    questions, passages = _means(tokens, [(q, good) for q, good, _ in triples] + [(q, bad) for q, _, bad in triples])
    wanted = np.repeat(np.array([1, 0], np.float32), pairs)
    chance = np.random.default_rng(0)
    values = {
        "words": chance.normal(0, 0.3, (tokens.get_vocab_size(), _SIZE)).astype(np.float32),
        "scale": np.ones(1, np.float32),
        "shift": np.zeros(1, np.float32),
    }
    first = {name: np.zeros_like(value) for name, value in values.items()}
    second = {name: np.zeros_like(value) for name, value in values.items()}
    for step in range(1, steps + 1):
        asked, told = questions @ values["words"], passages @ values["words"]
        product = (asked * told).sum(1)
        wrong = (1 / (1 + np.exp(-(values["scale"] * product + values["shift"]))) - wanted) / len(wanted)
        slope = (wrong * values["scale"])[:, None]
        gradients = {
            "words": questions.T @ (slope * told) + passages.T @ (slope * asked),
            "scale": np.array([wrong @ product]),
            "shift": np.array([wrong.sum()]),
        }
        for name, gradient in gradients.items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.99 * second[name] + 0.01 * gradient**2
            corrected = first[name] / (1 - 0.9**step), second[name] / (1 - 0.99**step)
            values[name] = values[name] - 0.05 * corrected[0] / (np.sqrt(corrected[1]) + 1e-9)
    return Weights(values["words"].astype(np.float32), float(values["scale"][0]), float(values["shift"][0]))


def saved(folder: Path, tokens: Tokenizer, weights: Weights, *, columns: int = 1) -> Path:
    """Write the folder. With two columns the first is for `not relevant`, and always 0."""
    graph = OnnxGraph()
    # small constants stand in the file itself, so the embeddings go there in pieces
    rows = [weights.words[start : start + 8] for start in range(0, len(weights.words), 8)]
    pieces = [graph.constant(f"words{number}", piece) for number, piece in enumerate(rows)]
    graph.node("Concat", pieces, "words", axis=0)
    graph.node("Gather", ["words", "input_ids"], "embedded")
    _split(graph)
    means: list[str] = []
    for side in ("question", "passage"):
        graph.node("Einsum", [side, "embedded"], f"{side}.sum", equation="nt,ntd->nd")
        graph.node("Einsum", [side], f"{side}.count", equation="nt->n")
        means.append(f"{side}.sum")
    graph.node("Einsum", means, "product", equation="nd,nd->n")
    graph.node("Mul", ["question.count", "passage.count"], "counts")
    graph.node("Div", ["product", "counts"], "mean")
    nothing = [0.0] * (columns - 1)
    graph.constant("scale", np.array([*nothing, weights.scale], np.float32))
    graph.constant("shift", np.array([*nothing, weights.shift], np.float32))
    graph.node("Einsum", ["mean", "scale"], "scaled", equation="n,k->nk")
    graph.node("Add", ["scaled", "shift"], "logits")
    return written(folder, tokens, graph, columns=columns)


def counting(folder: Path, tokens: Tokenizer, *, side: str = "question", columns: int = 1) -> Path:
    """Write a model whose logit is a hundredth of the tokens of one side, in each column."""
    graph = OnnxGraph()
    _split(graph)
    graph.node("Einsum", [side], "count", equation="nt->n")
    graph.constant("scale", np.full(columns, 0.01, np.float32))
    graph.node("Einsum", ["count", "scale"], "logits", equation="n,k->nk")
    return written(folder, tokens, graph, columns=columns)


def written(folder: Path, tokens: Tokenizer, graph: OnnxGraph, *, columns: int = 1, **inputs: Any) -> Path:
    """Write the graph and the tokenizer into the folder; the inputs are those of BERT, or others with their types."""
    kinds = inputs or dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), INT64)
    ends = [tensor(name, kind, ("pair", "token")) for name, kind in kinds.items()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph.serialize(ends, [tensor("logits", FLOAT, ("pair", columns))]))
    tokens.save(str(folder / "tokenizer.json"))
    return folder


def _split(graph: OnnxGraph) -> None:
    """Add which tokens are of the question and which of the passage."""
    graph.node("Cast", ["attention_mask"], "known", to=FLOAT)
    graph.node("Cast", ["token_type_ids"], "kind", to=FLOAT)
    graph.node("Mul", ["known", "kind"], "passage")
    graph.node("Sub", ["known", "passage"], "question")


def _means(tokens: Tokenizer, pairs: Sequence[tuple[str, str]]) -> tuple[Any, Any]:
    """Return the share of each word among the tokens of each question, and of each passage."""
    counts = np.zeros((2, len(pairs), tokens.get_vocab_size()), np.float32)
    for number, pair in enumerate(tokens.encode_batch(list(pairs))):
        for word, side in zip(pair.ids, pair.type_ids, strict=True):
            counts[side, number, word] += 1
    questions, passages = counts / counts.sum(2, keepdims=True)
    return questions, passages
