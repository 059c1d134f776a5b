"""A cross-encoder from a folder on this machine: it reads question and passage together. Nothing is ever fetched from a hub.

A folder as hubs export it is run by onnxruntime: `model.onnx` takes the tokens of question and passage, `tokenizer.json` makes them.
Any other is left to `sentence-transformers`.
"""

import asyncio
import importlib
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.rerankers import sigmoid
from scholarmind.errors import ModelError, SettingsError
from scholarmind.model import Evidence, text_to_embed
from scholarmind.ports import Rated

# -- models in ONNX

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_PADS = ("[PAD]", "<pad>")
_BATCH_TOKENS = 4096  # with padding


class _OnnxPairs:
    """Batches hold pairs of about the same length. What is too long loses the end of its passage; a question gets half the room at most."""

    def __init__(self, folder: Path, model: Path, tokens: int) -> None:
        self._model = model
        self._tokenizer = _tokenizer(folder)
        self._tokens = _room(folder, self._tokenizer, tokens)
        self._pad = _pad(self._tokenizer)
        self._uncut = _tokenizer(folder)  # for the question alone: one that cuts passages takes nothing but pairs
        with _Native(f"the tokenizer in {str(folder)!r} cannot cut what is too long"):
            self._uncut.no_truncation()
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self._tokens, strategy="only_second")
        self._session = _session(model)
        self._inputs = _inputs(model, self._session)

    def logits(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return what the model says of each pair, in their order."""
        with _Native("the tokenizer failed"):
            question = self._cut(question)
            encoded: list[Any] = self._tokenizer.encode_batch([(question, text) for text in texts])
        order = sorted(range(len(encoded)), key=lambda number: len(encoded[number].ids))
        found: list[npt.NDArray[np.float64] | None] = [None] * len(encoded)
        for batch in _batches(order, [len(pair.ids) for pair in encoded]):
            rows = self._run([encoded[number] for number in batch])
            for number, row in zip(batch, rows, strict=True):
                found[number] = row
        return np.stack([row for row in found if row is not None])

    def _run(self, pairs: Sequence[Any]) -> npt.NDArray[np.float64]:
        length = max(len(pair.ids) for pair in pairs)
        given = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        feed = {
            name: np.array([_padded(getattr(pair, given[name]), length, self._filler(name)) for pair in pairs], kind)
            for name, kind in self._inputs.items()
        }
        with _Native(f"{str(self._model)!r} failed"):
            rows = np.asarray(self._session.run(None, feed)[0], np.float64)
        if rows.shape[:1] != (len(pairs),):
            raise ModelError(f"{str(self._model)!r} gives an output of shape {list(rows.shape)} for {len(pairs)} pairs")
        return rows.reshape(-1, 1) if rows.ndim == 1 else rows

    def _filler(self, name: str) -> int:
        return self._pad if name == "input_ids" else 0

    def _cut(self, question: str) -> str:
        """Return as much of the question as leaves the passage half of the room."""
        alone = self._uncut.encode(question, add_special_tokens=False)
        most = self._tokens // 2
        return question[: alone.offsets[most - 1][1]] if len(alone.ids) > most else question


class _Native:
    """Errors of compiled code as ours. `tokenizers` raises nothing but bare exceptions, and those of onnxruntime have no common base."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (kind is Exception or type(error).__module__.startswith("onnxruntime")):
            told = " ".join(str(error).split())[:200]
            raise ModelError(f"{self._what} ({told}); export the model and its tokenizer again") from error


def _tokenizer(folder: Path) -> Any:
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ModelError(
            f"{str(folder)!r} has a model.onnx but no tokenizer.json; put the tokenizer of the model beside it"
        )
    try:
        package: Any = importlib.import_module("tokenizers")
    except ModuleNotFoundError as error:
        raise ModelError(
            "a cross-encoder needs the package 'tokenizers', which is not installed; "
            "install it with: pip install 'scholarmind[cross-encoder]'"
        ) from error
    with _Native(f"{str(path)!r} cannot be read as a tokenizer"):
        return package.Tokenizer.from_file(str(path))


def _session(model: Path) -> Any:
    onnxruntime: Any = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the cores are shared
    with _Native(f"{str(model)!r} cannot be read as an ONNX model"):
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _inputs(model: Path, session: Any) -> dict[str, Any]:
    """Return the type of each input of the model; one that takes anything else is no cross-encoder."""
    found = {item.name: item.type for item in session.get_inputs()}
    if not {"input_ids", "attention_mask"} <= set(found) <= set(_INPUTS):
        raise ModelError(
            f"{str(model)!r} takes {', '.join(found) or 'nothing'}; "
            f"a cross-encoder takes input_ids, attention_mask and maybe token_type_ids: export it for text classification"
        )
    unknown = [f"{name}: {kind}" for name, kind in found.items() if kind not in _TYPES]
    if unknown:
        raise ModelError(f"{str(model)!r} takes {', '.join(unknown)}; tokens are whole numbers of 32 or 64 bits")
    return {name: _TYPES[kind] for name, kind in found.items()}


def _room(folder: Path, tokenizer: Any, tokens: int) -> int:
    """Return how many tokens the model reads: the fewest that anybody names."""
    named = [tokens]
    if tokenizer.truncation:
        named.append(int(tokenizer.truncation["max_length"]))
    with suppress(OSError, ValueError):
        config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        most = cast("dict[str, Any]", config).get("max_position_embeddings") if isinstance(config, dict) else None
        named += [most] if isinstance(most, int) and most > 0 else []
    return min(named)


def _pad(tokenizer: Any) -> int:
    if tokenizer.padding:
        return int(tokenizer.padding["pad_id"])
    known = (tokenizer.token_to_id(name) for name in _PADS)
    return next((number for number in known if number is not None), 0)


def _padded(ids: Sequence[int], length: int, filler: int) -> list[int]:
    return [*ids, *[filler] * (length - len(ids))]


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of the pairs that go together, the shortest first."""
    batch: list[int] = []
    for number in order:
        if batch and (len(batch) + 1) * lengths[number] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


# -- the reranker

_SENTENCE_TRANSFORMERS_BATCH = 16


class _PairScorer(Protocol):
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
        return _probabilities(pairs.logits(question, texts))

    @cached_property
    def _pairs(self) -> _PairScorer:
        folder = Path(self._model).expanduser()
        for place in (folder, folder / "onnx"):  # the second is where hubs have it
            if (place / "model.onnx").is_file():
                return _OnnxPairs(folder, place / "model.onnx", self._tokens)
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


def _probabilities(logits: npt.NDArray[np.float64]) -> list[float]:
    """Bring logits to 0..1: of one column by the sigmoid, of two (not relevant, relevant) by their softmax."""
    if logits.ndim != 2 or logits.shape[1] not in {1, 2}:
        raise ModelError(
            f"the model gives an output of shape {list(logits.shape)}; a cross-encoder for ranking gives one or two numbers a pair"
        )
    margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return [sigmoid(float(value)) for value in margin]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
