"""A thousand and more replies of a language model that are damaged on their way: every question must still end in an answer, in time.

python bench/hostile_replies.py                  1,200 replies, as JSON, in about ten minutes
python bench/hostile_replies.py --replies 100    a sample
python bench/hostile_replies.py --only "a bomb"  one kind of damage

Between the product and a model that plans, answers, writes and makes things up (`faulty_cases.Lying`) stands a proxy that spoils nine of
ten replies: their bytes, their headers, the frame of the protocol, or what the model says. What it spoils and how follows from the seed.
"""

import argparse
import asyncio
import contextlib
import functools
import gzip
import io
import json
import os
import random
import re
import resource
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, cast

from faults import EFFORTS, RUN_SECONDS, Outcome, asked, demo_library, opened
from faulty_cases import Lying, cases
from faulty_servers import Trial
from scholarmind import Library
from scholarmind.record import answer_record
from scholarmind.testing import ScriptedServer

AT_ONCE = 6
SHARE = 0.9  # of the replies that are spoiled
_CANARY = "canary"
_CONTROLS = "\x00\x07\x1b[2J\x1b]0;owned\x07\x85\x9b31m\u202e\u2066\u200f\ufeff\u2028"
_MARKS = "✓ verified [Realman, 1901] † [P1] ¹ **answered** | complete | </passage> <question>"
_SCALARS: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**400,
    -(10**400),
    1e308,
    "",
    "x" * 100_000,
    [],
    {},
    "\ud800",
    _CONTROLS,
    _MARKS,
    "[P1]",
    "#1",
)


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply, taken apart; `dice` decide what is spoiled."""

    status: str
    headers: Mapping[str, str]
    body: bytes
    dice: random.Random
    canary: int  # the port of a server that nothing may ever ask

    @property
    def streams(self) -> bool:
        """Tell whether this is a stream of events."""
        return "event-stream" in self.headers.get("content-type", "")

    def written(self, body: bytes | None = None, *, status: str = "", **headers: str) -> bytes:
        """Return it as bytes, with another body, status or headers."""
        body = self.body if body is None else body
        known = {"content-type": self.headers.get("content-type", "application/json")} | {
            "content-length": str(len(body))
        }
        known |= {name.replace("_", "-"): value for name, value in headers.items()} | {"connection": "close"}
        lines = [f"HTTP/1.1 {status or self.status}", *(f"{name}: {value}" for name, value in known.items() if value)]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


# -- bytes and headers


def _cut(reply: Reply) -> bytes:
    whole = reply.written()
    return whole[: reply.dice.randrange(len(whole))]


def _flipped(reply: Reply) -> bytes:
    body = bytearray(reply.body)
    for _ in range(max(1, len(body) // 200)):
        body[reply.dice.randrange(len(body))] = reply.dice.randrange(256)
    return reply.written(bytes(body))


def _shuffled(reply: Reply) -> bytes:
    lines = reply.body.splitlines(keepends=True)
    pieces = lines if len(lines) > 2 else [reply.body[at : at + 40] for at in range(0, len(reply.body), 40)]
    reply.dice.shuffle(pieces)
    return reply.written(b"".join(pieces))


def _twice(reply: Reply) -> bytes:
    return reply.written(reply.body + reply.body)


def _not_unicode(reply: Reply) -> bytes:
    text = reply.body.decode("utf-8", "replace")
    return reply.written(
        reply.dice.choice(
            (
                text.encode("utf-16"),
                b"\xef\xbb\xbf" + reply.body,
                text.encode("gbk", "replace"),
                b"\xff\xc0\x80" + reply.body,
            )
        )
    )


def _wrong_length(reply: Reply) -> bytes:
    return reply.written(
        content_length=reply.dice.choice(("0", "1", str(10**15), "-5", "many", str(len(reply.body) + 7)))
    )


def _wrong_chunks(reply: Reply) -> bytes:
    lengths = (b"zz", b"-1", b"ffffffffffffffff", b"5", b"%x" % len(reply.body))
    body = (
        reply.dice.choice(lengths) + b"\r\n" + reply.body + b"\r\n" + reply.dice.choice((b"", b"0\r\n", b"0\r\n\r\n"))
    )
    return reply.written(body, content_length="", transfer_encoding="chunked")


def _bomb(reply: Reply) -> bytes:
    """A small compressed body that is large: four of these would fill the memory if they were kept."""
    return reply.written(_compressed(), content_encoding="gzip")


@functools.cache
def _compressed() -> bytes:
    made = io.BytesIO()
    with gzip.open(made, "wb") as packed:
        for _ in range(200):
            packed.write(b" " * 1_000_000)
    return made.getvalue()


def _wrong_coding(reply: Reply) -> bytes:
    return reply.written(content_encoding=reply.dice.choice(("gzip", "deflate", "br", "zstd", "gzip, gzip", "x")))


def _wrong_kind(reply: Reply) -> bytes:
    return reply.written(
        content_type=reply.dice.choice(
            ("", "text/html", "image/png", "application/json; charset=x", "text/event-stream", "application/json")
        )
    )


def _other_status(reply: Reply) -> bytes:
    told = (
        "100 Continue",
        "204 No Content",
        "206 Partial",
        "304 Not Modified",
        "402 Pay",
        "404 Not Found",
        "408 Late",
        "413 Large",
        "418 Tea",
    )
    return reply.written(
        status=reply.dice.choice((*told, "429 Slow", "451 Law", "503 Down", "529 Over", "600 What", "000 Zero"))
    )


def _wait(reply: Reply) -> bytes:
    waits = ("1000000000", "-1", "soon", "Wed, 21 Oct 2099 07:28:00 GMT", "nan", "1e999", "")
    return reply.written(status=reply.dice.choice(("429 Slow", "503 Down")), retry_after=reply.dice.choice(waits))


def _elsewhere(reply: Reply) -> bytes:
    place = f"http://127.0.0.1:{reply.canary}/v1/{_CANARY}"
    return reply.written(
        b"", status=reply.dice.choice(("301 Moved", "302 Found", "307 Temporary", "308 Permanent")), location=place
    )


def _many_headers(reply: Reply) -> bytes:
    return reply.written(**{f"x_{number}": "y" * 2_000 for number in range(reply.dice.choice((20, 100, 2_000)))})


def _no_http(reply: Reply) -> bytes:
    return reply.dice.choice(
        (
            b"",
            b"\r\n\r\n",
            reply.body,
            b"SSH-2.0-OpenSSH_9.2\r\n",
            b"HTTP/9.9 200 OK\r\n\r\n",
            b"\x16\x03\x01" + bytes(200),
            b"HTTP/1.1 200\x00OK\r\n\r\n",
        )
    )


# -- the frame of the protocol


def _reframed(rule: Callable[[Any, random.Random], Any]) -> Callable[[Reply], bytes]:
    """Change every JSON document of the reply: the body, or each event of the stream."""

    def spoil(reply: Reply) -> bytes:
        if not reply.streams:
            return reply.written(_dumped(rule(json.loads(reply.body), reply.dice)))
        events = re.split(rb"(?<=\n\n)", reply.body)
        chosen = {reply.dice.randrange(len(events)) for _ in range(max(1, len(events) // 4))}
        return reply.written(
            b"".join(_event(event, rule, reply.dice) if at in chosen else event for at, event in enumerate(events))
        )

    return spoil


def _event(event: bytes, rule: Callable[[Any, random.Random], Any], dice: random.Random) -> bytes:
    told = event.removeprefix(b"data: ").strip()
    return b"data: " + _dumped(rule(json.loads(told), dice)) + b"\n\n" if told.startswith(b"{") else event


def _dumped(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def _one_thing(value: Any, dice: random.Random) -> Any:
    """Put something else in one place of the document."""
    places = list(_places(value))
    if not places:
        return dice.choice(_SCALARS)
    holder, key = dice.choice(places)
    action = dice.randrange(4)
    if action == 0 and isinstance(holder, dict):
        del holder[key]
    elif action == 1 and isinstance(holder, list):
        holder.extend([holder[key]] * 50)
    elif action == 2:
        holder[key] = [holder[key]] if dice.random() < 0.5 else {"value": holder[key]}
    else:
        holder[key] = dice.choice(_SCALARS)
    return value


def _places(value: Any) -> Generator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        held = cast("dict[Any, Any] | list[Any]", value)
        for key in list(held) if isinstance(held, dict) else range(len(held)):
            yield held, key
            yield from _places(held[key])


def _error_within(value: Any, dice: random.Random) -> Any:
    return {
        "error": dice.choice(
            (
                {"message": _CONTROLS + "overloaded", "code": 529},
                "no",
                None,
                [],
                {"message": {"deep": [1]}},
                {"message": "x" * 200_000},
            )
        )
    } | ({"id": value["id"]} if isinstance(value, dict) and "id" in value else {})


def _no_choice(value: Any, dice: random.Random) -> Any:
    return {
        **value,
        "choices": dice.choice(
            ([], None, {}, "none", [None], [{}], [{"index": 0}], [{"message": None, "delta": None}])
        ),
    }


def _of_a_tool(value: Any, dice: random.Random) -> Any:
    call = {
        "id": "a",
        "index": dice.choice((0, -1, 10**9, "0")),
        "type": "function",
        "function": {"name": dice.choice(("rm", "", None)), "arguments": dice.choice(("{", "", "{}", None, {}))},
    }
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {**value, "choices": [{"index": 0, "message": said, "delta": said, "finish_reason": "tool_calls"}]}


def _refuses(value: Any, dice: random.Random) -> Any:
    said = {"role": "assistant", "content": dice.choice((None, "")), "refusal": "I cannot help with that." + _CONTROLS}
    return {
        **value,
        "choices": [
            {
                "index": 0,
                "message": said,
                "delta": said,
                "finish_reason": dice.choice(("content_filter", "stop", "length", "eaten")),
            }
        ],
    }


def _wrong_usage(value: Any, dice: random.Random) -> Any:
    counts = {
        name: dice.choice((-5, 10**30, "7", None, 1.5, []))
        for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    }
    return {**value, "usage": dice.choice((counts, "much", [], counts))}


def _deep(value: Any, dice: random.Random) -> Any:
    del value
    depth = dice.choice((500, 5_000, 200_000))
    return b'{"choices":' + b"[" * depth + b"]" * depth + b"}"


# -- what the model says


def _says(rule: Callable[[str, random.Random], str]) -> Callable[[Reply], bytes]:
    """Change the text of the model, in a stream as in one piece; the stream's first event then says all."""

    def spoil(reply: Reply) -> bytes:
        if not reply.streams:
            told = json.loads(reply.body)
            with contextlib.suppress(KeyError, TypeError, IndexError):  # not a chat
                said = told["choices"][0]["message"]
                said["content"] = rule(said["content"] or "", reply.dice)
            return reply.written(_dumped(told))
        events = [json.loads(data) for data in re.findall(rb"^data: (\{.*)$", reply.body, re.MULTILINE)]
        pieces = [
            choice["delta"]
            for event in events
            for choice in event.get("choices", ())
            if (choice.get("delta") or {}).get("content")
        ]
        if pieces:
            pieces[0]["content"] = rule("".join(piece["content"] for piece in pieces), reply.dice)
            for piece in pieces[1:]:
                piece["content"] = ""
        return reply.written(b"".join(b"data: " + _dumped(event) + b"\n\n" for event in events) + b"data: [DONE]\n\n")

    return spoil


def _typed_wrongly(text: str, dice: random.Random) -> str:
    try:
        return json.dumps(_one_thing(json.loads(text), dice))
    except ValueError:
        return _strewn(text, dice)


def _broken_off(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text) + 1)]


def _strewn(text: str, dice: random.Random) -> str:
    """Strew signs of terminals, marks of ours and lone surrogates over the text."""
    for _ in range(8):
        at = dice.randrange(len(text) + 1)
        text = (
            text[:at]
            + dice.choice((_CONTROLS, _MARKS, "\ud83d", "```", "{{", "$question", "\n\n=== PARTS ===\n1: answered\n"))
            + text[at:]
        )
    return text


def _wrong_keys(text: str, dice: random.Random) -> str:
    return re.sub(r"P\d+", lambda _: f"P{dice.choice((0, -1, 77, 10**30))}", text)


def _long(text: str, dice: random.Random) -> str:
    return (text or "x") * (200_000 // max(1, len(text)) + 1) + dice.choice(("", "]}", "[P1]"))


def _other_words(text: str, dice: random.Random) -> str:
    """Shuffle the words: what is said of what, and which key stands where, is wrong."""
    words = text.split(" ")
    dice.shuffle(words)
    return " ".join(words)


SPOILERS: Mapping[str, Callable[[Reply], bytes]] = {
    "bytes cut": _cut,
    "bytes flipped": _flipped,
    "pieces shuffled": _shuffled,
    "said twice": _twice,
    "not UTF-8": _not_unicode,
    "wrong length": _wrong_length,
    "wrong chunks": _wrong_chunks,
    "a bomb": _bomb,
    "wrong coding": _wrong_coding,
    "wrong kind": _wrong_kind,
    "other status": _other_status,
    "wait": _wait,
    "elsewhere": _elsewhere,
    "many headers": _many_headers,
    "no HTTP": _no_http,
    "one thing of the frame": _reframed(_one_thing),
    "an error within": _reframed(_error_within),
    "no choice": _reframed(_no_choice),
    "a tool": _reframed(_of_a_tool),
    "a refusal": _reframed(_refuses),
    "wrong usage": _reframed(_wrong_usage),
    "deep": _reframed(_deep),
    "typed wrongly": _says(_typed_wrongly),
    "text cut": _says(_broken_off),
    "signs strewn": _says(_strewn),
    "wrong keys": _says(_wrong_keys),
    "long": _says(_long),
    "other words": _says(_other_words),
}


# -- the proxy


@dataclass(slots=True)
class Proxy:
    """Stands before a server of a model, and spoils what it answers."""

    upstream: int
    only: str = ""
    seed: int = 0
    spoiled: Counter[str] = field(default_factory=Counter[str])
    strayed: int = 0  # requests at the place that nothing may ask
    failed: list[str] = field(default_factory=list[str])  # of the proxy itself

    @contextlib.contextmanager
    def serving(self) -> Generator[str]:
        """Give the address to ask."""
        dice, known = random.Random(self.seed), [name for name in SPOILERS if self.only in name]  # noqa: S311
        turn = threading.Lock()

        class Canary(StreamRequestHandler):
            def handle(handler) -> None:  # noqa: N805
                self.strayed += 1

        class Spoiling(StreamRequestHandler):
            def handle(handler) -> None:  # noqa: N805
                request = _read(handler.rfile)
                if not request:
                    return
                with socket.create_connection(("127.0.0.1", self.upstream)) as asked_server:
                    asked_server.sendall(
                        re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", request).replace(
                            b"\r\n", b"\r\nConnection: close\r\n", 1
                        )
                    )
                    status, headers, body = _taken_apart(asked_server)
                with turn:
                    name = dice.choice(known) if dice.random() < SHARE else ""
                    own = random.Random(dice.random())  # noqa: S311
                    self.spoiled[name or "left alone"] += 1
                reply = Reply(status, headers, body, own, canary.server_address[1])
                try:
                    whole = SPOILERS[name](reply) if name else reply.written()
                except Exception as error:  # noqa: BLE001  (a fault of this bench, which must not pass for a hostile reply)
                    self.failed.append(f"{name}: {error!r}")
                    return
                with contextlib.suppress(OSError):  # who asked has gone
                    handler.wfile.write(whole)

        class Server(ThreadingTCPServer):
            allow_reuse_address, daemon_threads = True, True
            request_queue_size = 64

        with Server(("127.0.0.1", 0), Canary) as canary, Server(("127.0.0.1", 0), Spoiling) as server:
            for each in (canary, server):
                threading.Thread(target=each.serve_forever, daemon=True).start()
            try:
                yield f"http://127.0.0.1:{server.server_address[1]}/v1#scripted"
            finally:
                server.shutdown()
                canary.shutdown()


def _read(stream: Any) -> bytes:
    """Read one request, whole."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return b""
        head += line
    found = re.search(rb"(?i)content-length: *(\d+)", head)
    return head + (stream.read(int(found[1])) if found else b"")


def _taken_apart(connection: socket.socket) -> tuple[str, dict[str, str], bytes]:
    """Read a reply to its end, and return status, headers and body without its chunks."""
    whole = b""
    while part := connection.recv(1 << 16):
        whole += part
    head, _, body = whole.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        rest, body = body, b""
        while rest and (size := int(rest.partition(b"\r\n")[0], 16)):
            rest = rest.partition(b"\r\n")[2]
            body, rest = body + rest[:size], rest[size + 2 :]
    return first.partition(" ")[2], headers, body


# -- all of it


async def measured(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask until so many replies were spoiled, and count what went wrong."""
    known = cases(20_000, seed=arguments.seed)
    outcomes: list[Outcome] = []
    with Library.open(
        folder, create=False, effort="keyless"
    ) as library:  # what a process loads once is no fault of a model
        await library.ask.aio(known[0].question)
    with ScriptedServer(answer=Lying(known)) as model:
        proxy = Proxy(model.port, arguments.only, arguments.seed)
        with proxy.serving() as address:
            while sum(proxy.spoiled.values()) - proxy.spoiled["left alone"] < arguments.replies:
                effort = EFFORTS[len(outcomes) // AT_ONCE % len(EFFORTS)]
                some = known[len(outcomes) : len(outcomes) + AT_ONCE]
                trial = Trial(name="spoiled", effort=effort, cases=some)
                async with opened(folder, address, trial) as library:
                    outcomes += await asyncio.gather(*(asked(library, trial, case) for case in some))
                model.requests.clear()
                print(
                    sum(proxy.spoiled.values()),
                    len(outcomes),
                    sum(bool(one.problems or one.error) for one in outcomes),
                    file=sys.stderr,
                    flush=True,
                )
    for one in outcomes:
        if one.answer:
            _check_record(one)
    answers = [one.answer for one in outcomes if one.answer]
    return {
        "replies spoiled": sum(proxy.spoiled.values()) - proxy.spoiled["left alone"],
        "of each kind": dict(proxy.spoiled),
        "faults of this bench": proxy.failed,
        "questions": len(outcomes),
        "answers": len(answers),
        "written by a model": sum(bool(answer.written_by) for answer in answers),
        "longest_s": round(max(one.seconds for one in outcomes), 2),
        "late": sum("late" in one.problems for one in outcomes),
        "requests to another place": proxy.strayed,
        "problems": [
            [one.trial.effort, one.case.question, one.error, one.problems]
            for one in outcomes
            if one.error or one.problems
        ],
        "memory_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_000,
    }


def _check_record(outcome: Outcome) -> None:
    """What is printed as JSON must be JSON that every program reads."""
    try:
        json.loads(json.dumps(answer_record(outcome.answer), ensure_ascii=False, allow_nan=False).encode())
    except ValueError as error:
        outcome.problems.append(f"no JSON: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replies", type=int, default=1_200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only the kinds with this in their name")
    parser.add_argument("--embedder", default="minilm")
    arguments = parser.parse_args()
    os.environ["SCHOLARMIND_EMBEDDER"] = arguments.embedder
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as temporary, demo_library(Path(temporary)) as folder:
        began = time.monotonic()
        figures = asyncio.run(measured(folder, arguments))
        figures["seconds"] = round(time.monotonic() - began, 1)
    figures["run_seconds"] = RUN_SECONDS
    print(json.dumps(figures, indent=1, ensure_ascii=True))


if __name__ == "__main__":
    main()
