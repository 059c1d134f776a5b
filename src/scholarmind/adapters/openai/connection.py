"""The connection to one server: which model with which key, its turns, tries and time-outs, and what a refusal means.

Nothing of it outlives the loop it was opened on. Server-sent events are read here; replies are read in `chat_completions`."""

import asyncio
import codecs
import functools
import json
import random
import re
import ssl
import weakref
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlsplit, urlunsplit

from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError, ModelUnavailableError, SettingsError

if TYPE_CHECKING:
    import httpx2

    Transport = httpx2.AsyncBaseTransport

# -- which model on which server is asked, with which key, and how patiently. Its key never shows

_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_ANTHROPIC = "api.anthropic.com"
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_PATHS = ("/chat/completions", "/embeddings", "/models")  # people paste the whole address


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How many seconds a call may take, and how often it is tried. `total` counts from when the call has its turn."""

    connect: float = 5.0
    read: float = 60.0  # without a single byte
    total: float = 120.0  # all tries and the pauses between them
    grace: float = 2.0  # for the last words of a stream (usage, [DONE]) once the reply itself has ended
    tries: int = 4
    first_pause: float = 0.5  # doubled with each try; a random part of it is waited
    longest_pause: float = 20.0
    setting: str = "SCHOLARMIND_LLM_CALL_SECONDS"  # which setting gives more time


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Endpoint:
    """A model on a server. Without a model ('') it is the only one that the server lists."""

    base_url: str
    model: str = ""
    api_key: str = ""
    temperature: float | None = None  # None: as the server likes
    concurrency: int = 8
    patience: Patience = Patience()
    limit_characters: int = 60_000  # of a reply; what is longer is cut
    settings: str = "SCHOLARMIND_LLM"  # how the names of the settings begin that errors tell people to mend
    key_setting: str = ""  # where the key is from, if not from such a setting
    typed: str = ""  # the model in short, where that says which server and model

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", self.api_key.strip())
        parts = urlsplit(self.base_url.strip())
        path = parts.path.rstrip("/")
        for ending in _PATHS:
            path = path.removesuffix(ending)
        object.__setattr__(self, "base_url", urlunsplit(parts._replace(path=path.rstrip("/"), fragment="")))
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingsError(
                f"{self.settings}_BASE_URL = {self.base_url!r} is not an address such as 'http://localhost:8000/v1'"
            )
        if parts.username or parts.password:
            raise SettingsError(
                f"{self.settings}_BASE_URL carries a name or a password; put the key into {self.settings}_API_KEY"
            )
        if not (self.api_key.isascii() and (self.api_key + "x").isprintable()):
            raise SettingsError(f"{self.settings}_API_KEY has characters that no key has; was something else pasted?")
        if self.concurrency < 1:
            raise SettingsError(f"{self.settings}_CONCURRENCY = {self.concurrency!r} is not at least 1")

    def __repr__(self) -> str:
        return f"Endpoint({self.server!r}, model={self.model!r})"

    @property
    def server(self) -> str:
        """The address as people are shown it: a query may hold what is nobody's business."""
        return urlunsplit(urlsplit(self.base_url)._replace(query=""))

    @property
    def local(self) -> bool:
        """Whether the server is this machine, to which no proxy leads."""
        return urlsplit(self.base_url).hostname in _LOCAL

    @property
    def headers(self) -> dict[str, str]:
        """The headers that show the key, each to those who want it that way."""
        if not self.api_key:
            return {}
        host = urlsplit(self.base_url).hostname or ""
        headers = {"Authorization": f"Bearer {self.api_key}"}
        if host.endswith(_AZURE):
            headers["api-key"] = self.api_key
        if host == _ANTHROPIC:
            headers |= {"x-api-key": self.api_key, "anthropic-version": "2023-06-01"}
        return headers

    def url(self, path: str) -> str:
        """Return the address of a path below the base, whose query is kept (Azure's `api-version`)."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(path=f"{parts.path}/{path}"))

    def setting(self, name: str) -> str:
        """Return the name of the setting that errors tell people to mend."""
        if name == "API_KEY" and self.key_setting:
            return self.key_setting
        if self.typed and name in {"BASE_URL", "MODEL"}:
            return f"--llm {self.typed}"
        return f"{self.settings}_{name}"


# -- what a refusal means: servers agree on no status and no format, so it is read from their words

# The words are those of OpenAI, Azure, DeepSeek, DashScope, Gemini, Anthropic, Groq, Ollama, vLLM, llama.cpp, llama-cpp-python and LM
# Studio.

_TOLD = 300  # characters of a server's own words that go into an error
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context_exceeded|maximum context length|max_seq_len|max_model_len"
    r"|exceed\w*.{0,60}?(?:context|maximum number of tokens|maximum length)"
    r"|context\s(?:window|length|size|limit).{0,40}?(?:exceed|overflow|reached)"
    r"|prompt is too long|input is too long|too large to process|too many input tokens|range of input length|context the overflows"
    r"|greater than the context length|reduce the length of|tokens must be reduced|(?:上下文|输入).{0,12}(?:过长|超)",
    re.IGNORECASE | re.DOTALL,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not (?:yet |currently )?(?:be )?supported|only supports?\b|(?:does|do) ?n[o']t support|unavailable now"
    r"|not implemented|unrecognized|literal_error|extra_forbidden|extra inputs|not permitted|unknown (?:field|parameter|name)"
    r"|cannot (?:use|be used)\b.{0,20}?\bstream|invalid schema|failed to (?:parse|initialize|convert).{0,20}(?:grammar|schema)|不支持",
    re.IGNORECASE | re.DOTALL,
)
_STRAYED = re.compile(r"model produced output that does not match the expected", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient_quota|insufficient balance|arrearage|credit balance is too low", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _-]?key", re.IGNORECASE)
_SOON = re.compile(r"(?:retry|try again) in (\d+(?:\.\d+)?) ?(ms|s)\b", re.IGNORECASE)
_BEARER = re.compile(r"(Bearer\s+)[^\s\"',}]+", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_PASSING = {408, 409, 425, 429}


class RefusedError(ModelUnavailableError):
    """A server refused a request; its words may tell which field of the request it does not know."""

    def __init__(self, message: str, status: int, words: str) -> None:
        super().__init__(message)
        self.status = status
        self.words = words


class PassingError(ModelUnavailableError):
    """A fault that may be gone at the next try; `wait` is what the server asked for, in seconds."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class NobodyThereError(PassingError):
    """No connection came about, once more; `refused` counts how often in a row."""

    def __init__(self, message: str, refused: int) -> None:
        super().__init__(message)
        self.refused = refused


class BrokenReplyError(PassingError):
    """A reply that came to its end, but in no form that a reply has."""


class StrayedReplyError(ModelReplyError):
    """A model replied, but not in the form that its own server expects, which therefore does not hand the reply on."""


def refusal(endpoint: Endpoint, status: int, body: str, headers: Mapping[str, str] | None = None) -> ModelError:
    """Return the error that this answer is."""
    words = redacted(body, endpoint.api_key)
    told = f"{status}: {words_of(words)}"
    if status == 413 or _TOO_LONG.search(words):
        return ContextOverflowError(f"{endpoint.server} was given more than {_model(endpoint)} can read ({told})")
    if _STRAYED.search(words):
        return StrayedReplyError(f"{endpoint.server} could not read what {_model(endpoint)} said ({told})")
    if _NO_MONEY.search(words) or status == 402:
        advice = f"the account behind {endpoint.setting('API_KEY')} has nothing left"
    elif (status in _PASSING or (status >= 500 and status != 501)) and not is_unsupported(words):
        return PassingError(told, asked_wait(headers or {}, words))
    else:
        status = 401 if status == 400 and _BAD_KEY.search(words) else status  # as Gemini says it
        key, url, model = (endpoint.setting(name) for name in ("API_KEY", "BASE_URL", "MODEL"))
        if status in {401, 403}:
            advice = f"check {key}"
        elif status in {404, 405} or 300 <= status < 400 or _PAGE.match(words):
            advice = f"check {url} (it usually ends in /v1)" + ("" if model == url else f" and {model}")
        else:
            advice = f"check {model}"
    return RefusedError(f"{endpoint.server} refused {_model(endpoint)} ({told}); {advice}", status, words)


def is_unsupported(words: str) -> bool:
    """Tell whether a server says that it does not know what it was asked for, whatever status it says it with."""
    return _UNSUPPORTED.search(words) is not None


def words_of(body: str) -> str:
    """Return in one short line what a server says in the body of an error."""
    if _PAGE.match(body):
        title = _TITLE.search(body)
        return f"a web page {' '.join(title[1].split())[:80]!r}" if title else "a web page"
    with suppress(ValueError, RecursionError):  # plain words are taken as they are
        body = _message(json.loads(body)) or body
    return " ".join(body.split())[:_TOLD] or "no words"


def redacted(text: str, key: str) -> str:
    """Return the text without the key, however it was written."""
    for form in {key, quote(key, safe=""), json.dumps(key)[1:-1]} - {""} if key else ():
        text = text.replace(form, "***")
    return _BEARER.sub(r"\1***", text)


def asked_wait(headers: Mapping[str, str], words: str = "") -> float:
    """Return for how many seconds a server asks to be left alone (0: it does not say)."""
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    told = headers.get("retry-after", "")
    if seconds := _number(told):
        return seconds
    if told.count(":") == 2:
        return _until(told)
    soon = _SOON.search(words)
    return float(soon[1]) / (1000 if soon[2].lower() == "ms" else 1) if soon else 0.0


def _until(told: str) -> float:
    from datetime import UTC, datetime  # noqa: PLC0415
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (slow to import, and hardly ever needed)

    try:
        until = parsedate_to_datetime(told)
    except ValueError:
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _number(told: str) -> float:
    try:
        return max(0.0, float(told)) if told.strip()[:1].isdigit() else 0.0
    except ValueError:
        return 0.0


def _model(endpoint: Endpoint) -> str:
    return f"model {endpoint.model!r}" if endpoint.model else "its only model"


def _message(told: Any) -> str:
    """Find the words in {"error": {"message": ...}}, [{...}], {"detail": ...} and what else servers send."""
    if isinstance(told, list):
        found = cast("list[Any]", told)
        return _message(found[0]) if found else ""
    if isinstance(told, dict):
        fields = cast("dict[str, Any]", told)
        for name in ("error", "message", "detail", "msg"):
            if fields.get(name):
                return _message(fields[name])
        return json.dumps(fields, ensure_ascii=False)
    return str(told)


def error_in(endpoint: Endpoint, data: Any) -> ModelError | None:
    """Return the error that a server put into an answer which it calls a success."""
    told = cast("dict[str, Any]", data).get("error") if isinstance(data, dict) else None
    if not told:
        return None
    code = cast("dict[str, Any]", told).get("code") if isinstance(told, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return refusal(endpoint, status, json.dumps(told, ensure_ascii=False))


# -- server-sent events, also from servers that send plain JSON where a stream was asked for

DONE = "[DONE]"
_LONGEST_LINE = 16_000_000


class Events:
    """Takes bytes in and gives the data of each event. A body that is no stream at all is given as one event, at its end."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._rest = ""
        self._data: list[str] = []
        self._plain: list[str] | None = None  # the lines of a body that is no stream
        self._begun = False

    def take(self, content: bytes) -> Iterator[str]:
        """Give the events that these bytes complete."""
        return self._lines(self._decode(content), last=False)

    def end(self) -> Iterator[str]:
        """Give what is left; some servers leave out the empty line after the last event."""
        yield from self._lines(self._decode(b"", True), last=True)
        if self._plain:
            yield "\n".join(self._plain)
        elif self._data:
            yield self._event()

    def _lines(self, text: str, *, last: bool) -> Iterator[str]:
        self._rest += text
        if len(self._rest) > _LONGEST_LINE:
            raise ValueError(f"a line of more than {_LONGEST_LINE:,} characters")
        lines = self._rest.replace("\r\n", "\n").split("\n") if not self._rest.endswith("\r") or last else None
        if lines is None:  # whether "\n" follows is known with the next bytes
            return
        self._rest = "" if last else lines.pop()
        for line in lines:
            for part in line.split("\r"):
                yield from self._line(part)

    def _line(self, line: str) -> Iterator[str]:
        if self._plain is not None:
            self._plain.append(line)
        elif not line.strip():
            if self._data:
                yield self._event()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.lstrip()[0] in "{[<":
            if self._begun:
                yield line  # an error that was put into the stream without a word
            else:
                self._plain = [line]
        # comments (":"), "event:", "id:", "retry:" and whatever else say nothing that is needed

    def _event(self) -> str:
        self._begun = True
        data = "\n".join(self._data)
        self._data = []
        return data


# -- the connection

_decoded = json.JSONDecoder(strict=False).decode
_MOST_BYTES = 32_000_000  # of an answer; an endless one must not fill the memory, nor a small one that is packed
_TOLD_BYTES = 100_000  # of an error that are read


class Tries:
    """How often, and for how long, one call may still be tried."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint  # the one that is asked; others may share its connection
        self._made = 0
        self._deadline: float | None = None

    def limited(self) -> "_Limited":
        """Keep what is done inside within the time that is left. The clock starts at the first time."""
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self.endpoint.patience.total
        return _Limited(self.endpoint, asyncio.timeout_at(self._deadline))

    async def pause(self, fault: PassingError) -> None:
        """Wait before the next try, or raise where there is none."""
        self._made += 1
        patience, now = self.endpoint.patience, asyncio.get_running_loop().time()
        longest = min(patience.longest_pause, patience.first_pause * 2 ** (self._made - 1))
        jitter = random.uniform(0, longest)  # noqa: S311  (no secret)
        wait = max(min(fault.wait, patience.longest_pause), jitter)
        late = self._deadline is not None and now + wait >= self._deadline
        # where nobody was there for a call before, nobody has to be waited for again
        gone = isinstance(fault, NobodyThereError) and fault.refused > patience.tries
        if late or gone or self._made >= patience.tries:
            raise ModelUnavailableError(
                f"{self.endpoint.server} did not answer after {self._made} {'try' if self._made == 1 else 'tries'} ({fault}); "
                f"check {self.endpoint.setting('BASE_URL')} and that the server runs"
            ) from fault
        await asyncio.sleep(wait)

    def hurry(self, seconds: float) -> None:
        """Allow no more than this from now on."""
        soon = asyncio.get_running_loop().time() + seconds
        self._deadline = min(soon, self._deadline or soon)


@dataclass(frozen=True, slots=True)
class _Limited:
    """A time limit whose end is an error that tells what to do. No generator, as each piece of a stream has one."""

    endpoint: Endpoint
    timeout: asyncio.Timeout

    async def __aenter__(self) -> None:
        await self.timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.timeout.__aexit__(kind, error, trace)
        except TimeoutError as late:
            patience = self.endpoint.patience
            raise ModelUnavailableError(
                f"{self.endpoint.server} took longer than {patience.total:g} seconds for one call; "
                f"a smaller model, or a higher {patience.setting}, may help"
            ) from late


@dataclass(frozen=True, slots=True)
class _Opened:
    """What belongs to one loop."""

    client: "httpx2.AsyncClient"
    turns: asyncio.Semaphore
    asking: asyncio.Lock


_ByLoop = dict[asyncio.AbstractEventLoop, tuple[_Opened, AsyncGenerator[_Opened]]]


class Connection:
    """One server under one key, from any number of loops; on each of them `concurrency` calls run at a time."""

    def __init__(self, endpoint: Endpoint, transport: "Transport | None" = None) -> None:
        self.endpoint = endpoint
        self._transport = transport
        self._opened: _ByLoop = {}
        self._refused = 0  # in a row, so many connections did not come about
        # One that is forgotten without being closed leaves no socket behind either
        weakref.finalize(self, _forget, self._opened).atexit = False

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def ask(self, path: str, body: dict[str, Any] | None = None, *, most: int = _MOST_BYTES) -> Any:
        """Return the JSON that the server answers; without a body it is a GET."""
        tries = Tries(self.endpoint)
        while True:
            try:
                return await self.ask_once(path, body, tries, most=most)
            except PassingError as fault:
                await tries.pause(fault)

    async def ask_once(self, path: str, body: dict[str, Any] | None, tries: Tries, *, most: int = _MOST_BYTES) -> Any:
        """Ask a single time; a PassingError may be gone at the next."""
        opened = await self._here()
        async with opened.turns, tries.limited(), self._answer(opened, path, body, tries.endpoint) as answer:
            text = (await _whole(answer, most)).decode("utf-8", "replace")
        return self.read(text)

    async def events(self, path: str, body: dict[str, Any], tries: Tries) -> AsyncGenerator[str]:
        """Give the data of each event of a stream, asked for a single time. Closing it closes the connection."""
        opened, events = await self._here(), Events()
        async with opened.turns, AsyncExitStack() as open_things:
            async with tries.limited():
                answer = await open_things.enter_async_context(self._answer(opened, path, body, tries.endpoint))
            parts = await open_things.enter_async_context(aclosing(answer.aiter_bytes()))
            size = 0
            while True:
                async with tries.limited():
                    part = await anext(parts, None)
                size += len(part or b"")
                if size > _MOST_BYTES:
                    raise ModelReplyError(f"{self.endpoint.server} sent more than {_MOST_BYTES:,} bytes")
                try:
                    found = list(events.take(part) if part is not None else events.end())
                except ValueError as error:
                    raise ModelReplyError(f"{self.endpoint.server} sent {error}") from error
                for data in found:
                    yield data
                if part is None:
                    return

    def read(self, text: str) -> Any:
        """Return the JSON in a text. A web page is a wrong address; other nonsense may be gone at the next try."""
        try:
            return _decoded(text)
        except (ValueError, RecursionError) as error:
            told = redacted(words_of(text), self.endpoint.api_key)
            if told.startswith("a web page"):
                raise RefusedError(
                    f"{self.endpoint.server} answered with {told}; "
                    f"check {self.endpoint.setting('BASE_URL')} (it usually ends in /v1)",
                    200,
                    told,
                ) from error
            raise BrokenReplyError(f"something that is not JSON: {told[:80]!r}") from error

    async def asking(self) -> asyncio.Lock:
        """Return a lock of this loop, for what is asked only once."""
        return (await self._here()).asking

    async def aclose(self) -> None:
        """Close all connections; those of other loops as soon as they get to it. The next call opens new ones."""
        _, lifetime = self._opened.get(asyncio.get_running_loop(), (None, None))
        if lifetime is not None:
            await lifetime.aclose()
        _forget(self._opened)  # to wait for another loop could be for ever: it may be waiting for us

    async def _here(self) -> _Opened:
        loop = asyncio.get_running_loop()
        if loop not in self._opened and not _trust.cache_info().currsize:
            await asyncio.to_thread(_trust)  # the first time in a process takes longer than a loop may stand still
        if loop not in self._opened:
            lifetime = _lifetime(_client(self.endpoint, self._transport), self.endpoint, self._opened, loop)
            self._opened[loop] = (await anext(lifetime), lifetime)
        return self._opened[loop][0]

    @asynccontextmanager
    async def _answer(
        self, opened: _Opened, path: str, body: dict[str, Any] | None, asked: Endpoint
    ) -> AsyncGenerator["httpx2.Response"]:
        """Hand over an answer whose body is still to come. Whatever fails before its end is a ModelError."""
        import httpx2  # noqa: PLC0415

        if opened.client.is_closed:
            raise ModelUnavailableError(f"{self.endpoint.server} was not asked: its connections were closed meanwhile")
        method = "GET" if body is None else "POST"
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            async with opened.client.stream(method, self.endpoint.url(path), content=content) as answer:
                self._refused = 0
                if coding := answer.headers.get("content-encoding", "").strip().replace("identity", ""):
                    raise PassingError(f"a reply packed as {coding[:20]!r}, which was not asked for")
                if not answer.is_success:
                    told = (await _whole(answer, _TOLD_BYTES, cut=True)).decode("utf-8", "replace")
                    raise refusal(asked, answer.status_code, told, answer.headers)
                yield answer
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            safe = redacted(told, self.endpoint.api_key)
            self._refused += isinstance(error, httpx2.ConnectError)
            fault = (
                NobodyThereError(safe, self._refused) if isinstance(error, httpx2.ConnectError) else PassingError(safe)
            )
            raise fault from (error if safe == told else None)  # its words show in a traceback


async def _whole(answer: "httpx2.Response", most: int, *, cut: bool = False) -> bytes:
    content = bytearray()
    async with aclosing(answer.aiter_bytes()) as parts:
        async for part in parts:
            content += part
            if len(content) > most:
                if cut:
                    break
                raise ModelReplyError(f"{answer.url.host} sent more than {most:,} bytes")
    return bytes(content)


async def _lifetime(
    client: "httpx2.AsyncClient", endpoint: Endpoint, opened: _ByLoop, loop: asyncio.AbstractEventLoop
) -> AsyncGenerator[_Opened]:
    """A loop that ends closes its generators: with this one it closes the connections that were opened on it."""
    here = _Opened(client, asyncio.Semaphore(endpoint.concurrency), asyncio.Lock())
    try:
        yield here
    finally:
        if loop in opened and opened[loop][0] is here:  # after it others may have been opened
            del opened[loop]
        await here.client.aclose()


async def _closed(lifetime: AsyncGenerator[_Opened]) -> None:
    await lifetime.aclose()


def _forget(opened: _ByLoop) -> None:
    """Have each loop close what was opened on it."""
    while opened:
        loop, (_, lifetime) = opened.popitem()
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda lifetime=lifetime, loop=loop: loop.create_task(_closed(lifetime)))


def _client(endpoint: Endpoint, transport: "Transport | None") -> "httpx2.AsyncClient":
    """Return a client; one with a transport of its own takes no notice of the limits, proxies and certificates here."""
    import httpx2  # noqa: PLC0415

    patience = endpoint.patience
    return httpx2.AsyncClient(
        headers={"Content-Type": "application/json", **endpoint.headers, "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(patience.read, connect=patience.connect, pool=None),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=endpoint.concurrency),
        trust_env=not endpoint.local,  # a proxy leads to the world, not to this machine
        verify=_trust(),
        transport=transport,
    )


@functools.cache
def _trust() -> ssl.SSLContext:
    """What certificates are trusted. With the import of the client this takes 200 ms, once in a process."""
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()
