"""Rerankers of other people: models in files, and servers."""

import asyncio
import functools
import importlib
import ipaddress
import json
import math
import random
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from scholarmind.errors import ModelError, ModelReplyError, ModelUnavailableError, SettingsError
from scholarmind.model import Evidence, text_to_embed
from scholarmind.ports import Rated

if TYPE_CHECKING:
    import httpx2


def sigmoid(value: float) -> float:
    """Return the place of any number between 0 and 1; for numbers that are too large for `exp` as well."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))


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
        # how many tokens the model reads: the fewest that anybody names
        named = [tokens]
        if self._tokenizer.truncation:
            named.append(int(self._tokenizer.truncation["max_length"]))
        with suppress(OSError, ValueError):
            config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            most = cast("dict[str, Any]", config).get("max_position_embeddings") if isinstance(config, dict) else None
            named += [most] if isinstance(most, int) and most > 0 else []
        self._tokens = min(named)
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
        # bring logits to 0..1: of one column by the sigmoid, of two (not relevant, relevant) by their softmax
        logits = pairs.logits(question, texts)
        if logits.ndim != 2 or logits.shape[1] not in {1, 2}:
            raise ModelError(
                f"the model gives an output of shape {list(logits.shape)}; a cross-encoder for ranking gives one or two numbers a pair"
            )
        margin = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return [sigmoid(float(value)) for value in margin]

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


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


# -- requests

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 3.0
_MOST_BYTES = 16_000_000
_TOLD = 200  # characters of a server's own words
_PASSING = {408, 425, 429}


class RerankRefusedError(ModelUnavailableError):
    """A server refused a request, or could not be reached (status 0)."""

    def __init__(self, message: str, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.wait = wait  # seconds that the server asked for

    @property
    def passing(self) -> bool:
        """Whether the same may go well at the next try."""
        return self.status in _PASSING or self.status >= 500 or self.status == 0


class _Posting:
    """A client that lives as long as its `async with` block, which nothing stays open after."""

    def __init__(self, url: str, key: str, seconds: float) -> None:
        self._url = url
        self._key = key
        self._server = urlsplit(url).hostname or ""
        self._seconds = seconds

    async def __aenter__(self) -> "_Posting":
        import httpx2  # noqa: PLC0415

        self._deadline = asyncio.get_running_loop().time() + self._seconds
        self._client = httpx2.AsyncClient(
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"}
            | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=self._seconds,
            trust_env=not _is_here(self._server),  # a proxy leads to the world, not to this machine
            verify=await asyncio.to_thread(_trust),
            follow_redirects=False,  # the key is meant for this server
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def post(self, body: Mapping[str, Any]) -> bytes:
        """Return what the server answers; a RefusedError where it does not, or not in time."""
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        pause = _FIRST_PAUSE
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    return await self._once(content)
            except TimeoutError as late:
                raise RerankRefusedError(f"{self._server} took longer than {self._seconds:g} seconds") from late
            except RerankRefusedError as fault:
                wait = fault.wait or random.uniform(pause / 2, pause)  # noqa: S311  (no secret)
                if not fault.passing or asyncio.get_running_loop().time() + wait >= self._deadline:
                    raise
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self, content: bytes) -> bytes:
        import httpx2  # noqa: PLC0415

        try:
            async with self._client.stream("POST", self._url, content=content) as answer:
                if answer.is_success:
                    return await _whole(answer)
                told = (await _whole(answer)).decode("utf-8", "replace")
                raise self._refusal(answer.status_code, told, answer.headers)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            told = self._redacted(f"{type(error).__name__}: {error}")
            raise RerankRefusedError(
                f"{self._server} could not be asked ({told})"
            ) from None  # its words may hold the key

    def _refusal(self, status: int, told: str, headers: Mapping[str, str]) -> RerankRefusedError:
        words = self._redacted(told)[:_TOLD] or "no words"
        advice = {401: "; check rerank_api_key", 403: "; check rerank_api_key"}.get(status, "")
        if 300 <= status < 400:
            advice = f"; it points to {self._redacted(headers.get('location', ''))[:_TOLD]!r}: check rerank_base_url"
        return RerankRefusedError(f"{self._server} answered {status}: {words}{advice}", status, _asked_wait(headers))

    def _redacted(self, words: str) -> str:
        return " ".join((words.replace(self._key, "***") if self._key else words).split())


def _asked_wait(headers: Mapping[str, str]) -> float:
    """Return for how many seconds a server asks to be left alone, in seconds or until a date; 0 if it does not say."""
    told = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        return max(0.0, float(told)) if told[:1].isdigit() else _until(parsedate_to_datetime(told))
    return 0.0


def _until(date: datetime) -> float:
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


async def _whole(answer: "httpx2.Response") -> bytes:
    """Return the body. A small one that is packed could fill the memory, and none was asked for."""
    if coding := answer.headers.get("content-encoding", "").strip().replace("identity", ""):
        raise ModelReplyError(f"{answer.url.host} sent a reply packed as {coding[:20]!r}, which was not asked for")
    content = bytearray()
    async with aclosing(answer.aiter_bytes()) as parts:
        async for part in parts:
            content += part
            if len(content) > _MOST_BYTES:
                raise ModelReplyError(f"{answer.url.host} sent more than {_MOST_BYTES:,} bytes")
    return bytes(content)


def _is_here(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


@functools.cache
def _trust() -> ssl.SSLContext:
    """What certificates are trusted. With the import of the client this takes 200 ms, once in a process."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()


# -- replies: a score for each of the texts by its index

_SCORES = ("relevance_score", "score")
_SHOWN = 80


def _scores(content: bytes, count: int) -> dict[int, float]:
    """Return the scores by index. What has no index of a text, comes twice, or is no number is passed over."""
    try:
        reply: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        told = content[:_SHOWN].decode("utf-8", "replace")
        raise ModelReplyError(f"answered with something that is not JSON ({told!r})") from error
    rows = _rows(reply)
    if rows is None:
        told = json.dumps(reply)[:_SHOWN]
        raise ModelReplyError(f"answered without results ({told}); is it a rerank endpoint?")
    found: dict[int, float] = {}
    for row in rows:
        place, score = _read(row)
        if place is not None and 0 <= place < count and score is not None:
            found.setdefault(place, score)
    return found


def _rows(reply: Any) -> Sequence[Any] | None:
    """Find the rows in {"results": [...]}, {"data": [...]} or a plain list."""
    if isinstance(reply, dict):
        fields = cast("dict[str, Any]", reply)
        reply = fields.get("results", fields.get("data"))
    return cast("list[Any]", reply) if isinstance(reply, list) else None


def _read(row: Any) -> tuple[int | None, float | None]:
    if not isinstance(row, dict):
        return None, None
    fields = cast("dict[str, Any]", row)
    score = next((fields[name] for name in _SCORES if name in fields), None)
    return _whole_number(fields.get("index")), _number(score)


def _whole_number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):  # a whole number with hundreds of digits
        return float(value) if math.isfinite(value) else None
    return None


# -- the reranker

_Shape = Literal["cohere", "tei"]
_UNKNOWN_FIELDS = {400, 404, 405, 415, 422}  # what servers say to a request in the other shape


class HttpReranker:
    """One model on one server. Which of the two shapes it speaks is found out by the first question."""

    name = "http"

    def __init__(self, *, base_url: str, model: str = "", api_key: str = "", seconds: float = 5.0) -> None:
        self._server = _server(base_url)
        self._url = f"{base_url.rstrip('/').removesuffix('/rerank')}/rerank"
        self._model = model
        self._key = api_key
        self._shape: _Shape | None = None
        self._seconds = seconds
        self._unbounded = False  # whether scores were seen that are no probabilities

    async def rate(self, question: str, evidence: Sequence[Evidence]) -> Rated:
        """Return the server's scores; a passage that it leaves out has none."""
        if not evidence:
            return Rated(scores=())
        texts = [text_to_embed(item.document.title, item.passage) for item in evidence]
        try:
            async with _Posting(self._url, self._key, self._seconds) as posting:
                found = await self._asked(posting, question, texts)
        except ModelError as error:
            return Rated(scores=(None,) * len(texts), notes=(f"not ordered by the rerank server: {error}",))
        # once seen it holds for all that come: scores of one question must not stand on two scales
        self._unbounded = self._unbounded or any(not 0 <= score <= 1 for score in found.values())
        if self._unbounded:
            found = {place: sigmoid(score) for place, score in found.items()}
        missing = len(texts) - len(found)
        notes = (f"{self._server} gave no score for {missing} of {len(texts)} passages; they keep their places",)
        return Rated(scores=tuple(found.get(place) for place in range(len(texts))), notes=notes if missing else ())

    async def _asked(self, posting: _Posting, question: str, texts: Sequence[str]) -> dict[int, float]:
        """Return the scores by place, in whichever shape the server understands; that one is used from then on."""
        if self._shape:
            return await self._said(posting, self._shape, question, texts)
        try:
            found = await self._said(posting, "cohere", question, texts)
        except RerankRefusedError as refused:
            if refused.status not in _UNKNOWN_FIELDS:
                raise
            found = await self._otherwise(posting, question, texts, refused)
            self._shape = "tei"
        else:
            self._shape = "cohere"
        return found

    async def _otherwise(
        self, posting: _Posting, question: str, texts: Sequence[str], refused: RerankRefusedError
    ) -> dict[int, float]:
        try:
            return await self._said(posting, "tei", question, texts)
        except RerankRefusedError as other:
            raise RerankRefusedError(
                f"{refused}, and in the other shape: {other}; check rerank_base_url and rerank_model", other.status
            ) from other

    async def _said(self, posting: _Posting, shape: _Shape, question: str, texts: Sequence[str]) -> dict[int, float]:
        content = await posting.post(self._body(shape, question, texts))
        try:
            return _scores(content, len(texts))
        except ModelReplyError as error:
            raise ModelReplyError(f"{self._server} {error}") from error

    def _body(self, shape: _Shape, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        if shape == "tei":
            return {"query": question, "texts": texts, "raw_scores": False, "truncate": True}
        named = {"model": self._model} if self._model else {}
        return {**named, "query": question, "documents": texts, "top_n": len(texts)}


def _server(base_url: str) -> str:
    """Return the name of the server, or say what is wrong with its address."""
    with suppress(ValueError):
        parts = urlsplit(base_url)
        if parts.scheme in {"http", "https"} and parts.hostname:
            return parts.hostname
    raise SettingsError(
        f"rerank = 'http' needs rerank_base_url, which is {base_url!r}; it is the address of a server with /rerank, "
        "such as 'https://api.jina.ai/v1', 'https://api.cohere.com/v2' or 'http://localhost:8080'"
    )
