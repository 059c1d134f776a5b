"""A cross-encoder from a folder on this machine: it reads question and passage together. Nothing is ever fetched from a hub."""

import asyncio
import importlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.rerankers.calibration import sigmoid
from scholarmind.errors import ModelError, SettingsError
from scholarmind.model import Evidence, text_to_embed
from scholarmind.ports import Rated

_SENTENCE_TRANSFORMERS_BATCH = 16


class Pairs(Protocol):
    """Gives the logits of pairs of one question and many texts, a row for each text, of one or two columns."""

    def logits(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]: ...


class CrossEncoder:
    """A folder with model.onnx and tokenizer.json, or else whatever `sentence-transformers` can load from its files.

    Nothing is loaded before the first question. Its work is done in threads.
    """

    name = "cross-encoder"

    def __init__(self, model: str, *, tokens: int = 512) -> None:
        if not model:
            raise SettingsError(
                "rerank = 'cross-encoder' needs rerank_model: a folder with model.onnx and tokenizer.json, "
                "or a model of sentence-transformers that is on this machine"
            )
        self._model = model
        self._tokens = tokens
        self._loading = threading.Lock()

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return the probability that each passage answers the question, as the model has it."""
        if not evidence:
            return Rated(scores=())
        texts = [text_to_embed(item.document.title, item.passage) for item in evidence]
        try:
            scores = await asyncio.to_thread(self.score, question, texts)
        except ModelError as error:
            return Rated(scores=(None,) * len(evidence), notes=(f"not ordered by the cross-encoder: {error}",))
        return Rated(scores=tuple(scores))

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Do the work of `rate` in this thread; a model that cannot be used is a ModelError that says what to do."""
        with self._loading:
            pairs = self._pairs
        return probabilities(pairs.logits(question, texts))

    @cached_property
    def _pairs(self) -> Pairs:
        folder = Path(self._model).expanduser()
        for place in (folder, folder / "onnx"):  # the second is where hubs have it
            if (place / "model.onnx").is_file():
                from scholarmind.adapters.rerankers.onnx_pairs import OnnxPairs  # noqa: PLC0415

                return OnnxPairs(folder, place / "model.onnx", self._tokens)
        return _SentenceTransformers(self._model, self._tokens)


class _SentenceTransformers:
    """The cross-encoder of that package, told to stay off the network."""

    def __init__(self, model: str, tokens: int) -> None:
        try:
            package: Any = importlib.import_module("sentence_transformers")
            torch: Any = importlib.import_module("torch")
        except ModuleNotFoundError as error:
            raise ModelError(
                f"{model!r} has no model.onnx, and without it the package 'sentence-transformers' is needed, which is not installed; "
                "install it, or give rerank_model a folder with model.onnx and tokenizer.json"
            ) from error
        try:
            self._encoder = package.CrossEncoder(model, max_length=tokens, local_files_only=True)
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{model!r} could not be loaded from the files of this machine ({_first_line(error)}); nothing is downloaded: "
                "save the model in a folder and give rerank_model its path"
            ) from error
        self._as_they_are = torch.nn.Identity()  # some models have a sigmoid of their own, some have none

    def logits(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        try:
            found = self._encoder.predict(
                [(question, text) for text in texts],
                batch_size=_SENTENCE_TRANSFORMERS_BATCH,
                show_progress_bar=False,
                activation_fn=self._as_they_are,
            )
        except (RuntimeError, TypeError) as error:  # no memory, or another version than we know
            raise ModelError(f"the cross-encoder could not score these passages: {_first_line(error)}") from error
        return np.asarray(found, np.float64).reshape(len(texts), -1)


def probabilities(logits: npt.NDArray[np.float64]) -> list[float]:
    """Bring logits to 0..1: of one column by the sigmoid, of two (not relevant, relevant) by their softmax."""
    if logits.ndim != 2 or logits.shape[1] not in {1, 2}:
        raise ModelError(
            f"the model gives an output of shape {list(logits.shape)}; a cross-encoder for ranking gives one or two numbers a pair"
        )
    margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return [sigmoid(float(value)) for value in margin]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
