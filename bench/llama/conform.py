"""Hold our client against a real llama.cpp server that serves a model of random numbers: the protocol is checked, never the content.

One line a check; the exit code is 1 if one failed. Run by bench/llama.sh.

python bench/llama/conform.py COMMAND_THAT_SERVES ...
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx2

import scholarmind.demo
from scholarmind import Library
from scholarmind.adapters.openai.client import OpenAIEmbedder, OpenAIModel, probe
from scholarmind.adapters.openai.connection import Endpoint, Patience
from scholarmind.calls import TASKS, PromptMessage, Reply, Request
from scholarmind.cli.service_commands import QUESTIONS
from scholarmind.errors import ContextOverflowError, ModelReplyError, ScholarMindError

NOTES = Path(scholarmind.demo.__path__[0]) / "notes"
MODEL = "random"  # as bench/llama/server.py names it
WIDTH = 64  # as bench/llama/weights.py has it
ENDLESS = 15_000  # tokens: more than ten seconds
SOON = 3.0  # seconds in which a slot is free again
PATIENCE = Patience(read=60, total=60, tries=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the outline."""

    id: int
    text: str
    kind: Literal["factual", "reasoning", "global"]
    depends_on: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A shape with all that a plan has: choices, numbers, lists, objects in lists, and what may be missing."""

    complexity: Literal["simple", "composite"]
    is_sure: bool
    steps: tuple[Step, ...]
    entities: tuple[str, ...]
    note: str | None


@dataclass(frozen=True, slots=True)
class Served:
    """The server, and our client of it."""

    root: str
    model: OpenAIModel

    @property
    def base_url(self) -> str:
        """The address that a user would give."""
        return f"{self.root}/v1"

    async def until(self, *, busy: bool) -> None:
        """Wait until a slot of the server works, or none does any more."""
        deadline = time.perf_counter() + SOON
        async with httpx2.AsyncClient(trust_env=False) as client:
            while time.perf_counter() < deadline:
                slots = (await client.get(f"{self.root}/slots")).json()
                if busy == any(slot["is_processing"] for slot in slots):
                    return
                await asyncio.sleep(0.005)
        raise AssertionError(f"after {SOON:g} s the server still {'has nothing to do' if busy else 'works'}")


Check = Callable[[Served], Awaitable[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    with serving(parser.parse_args().command) as root:
        passed = asyncio.run(all_checks(root))
    sys.exit(0 if passed else 1)


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """Run the server, which prints its address first."""
    with (
        tempfile.TemporaryFile("w+") as told,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as server,
    ):
        assert server.stdout
        address = server.stdout.readline().strip()
        if not address:
            told.seek(0)
            sys.exit(f"FAIL  the server did not start: {told.read()[-500:]}")
        try:
            yield address
        finally:
            server.terminate()


async def all_checks(root: str) -> bool:
    """Run one check after another and tell whether all of them passed."""
    checks: tuple[Check, ...] = (
        every_ability,
        the_only_model,
        a_limit,
        a_stream,
        a_shape,
        a_shape_without_room,
        a_context_overflow,
        a_stream_that_is_left,
        a_cancelled_call,
        eight_at_once,
        vectors,
        a_whole_ask,
    )
    endpoint = Endpoint(base_url=f"{root}/v1", temperature=0.0, patience=PATIENCE)
    async with OpenAIModel(dict.fromkeys(TASKS, endpoint)) as model:
        served = Served(root, model)
        return all([await passes(check, served) for check in checks])  # all of them, also after a failure


async def passes(check: Check, served: Served) -> bool:
    """Run one check and print how it went."""
    begun = time.perf_counter()
    try:
        seen, passed = await check(served), True
    except (AssertionError, ScholarMindError, TimeoutError, httpx2.HTTPError) as error:
        seen, passed = f"{type(error).__name__}: {error}", False
    milliseconds = (time.perf_counter() - begun) * 1e3
    print(
        f"{'ok' if passed else 'FAIL':<5} {check.__name__.replace('_', ' '):<24}{milliseconds:>7.0f} ms  {seen}",
        flush=True,
    )
    return passed


async def every_ability(served: Served) -> str:
    """What `doctor --llm` finds: the list of models, chat, the first rung of the ladder, streams and vectors."""
    found = await probe(Endpoint(base_url=served.base_url, temperature=0.0, patience=PATIENCE), embedding_model=MODEL)
    assert [check.name for check in found if check.ok] == [
        "server",
        "chat",
        "typed replies",
        "streaming",
        "embeddings",
    ], found
    typed = next(check.seen for check in found if check.name == "typed replies")
    assert typed.startswith("by json_schema, strict:"), typed
    return f"{len(found)} of {len(found)}; typed replies {typed.partition(':')[0]}"


async def the_only_model(served: Served) -> str:
    """Which model there is was asked of /models."""
    reply = await served.model.complete(asked(4))
    assert reply.model == MODEL, reply
    assert set(served.model.names.values()) == {MODEL}, served.model.names
    return repr(reply.model)


async def a_limit(served: Served) -> str:
    """The reply ends at max_tokens, and says so."""
    reply = await served.model.complete(asked(16))
    assert reply.finish == "length", reply
    assert (reply.usage.completion, reply.usage.estimated, reply.calls) == (16, False, 1), reply
    return told(reply)


async def a_stream(served: Served) -> str:
    """The pieces make the whole text, and the server's own count of tokens comes at the end."""
    pieces = [piece async for piece in served.model.stream(asked(64))]
    texts, reply = pieces[:-1], pieces[-1]
    assert isinstance(reply, Reply), reply
    assert len(texts) > 10, texts
    assert "".join(map(str, texts)) == reply.text, (texts, reply)
    assert (reply.usage.completion, reply.usage.estimated, reply.finish) == (64, False, "length"), reply
    return f"{len(texts)} pieces; {told(reply)}"


async def a_shape(served: Served) -> str:
    """A grammar made of our schema keeps even random numbers to the shape, without a repair."""
    replies = [
        await served.model.complete(asked(600, Outline, text)) for text in ("A", "Who wrote it?", "它们有几层？")
    ]
    for reply in replies:
        assert isinstance(reply.value, Outline), reply
        assert (reply.calls, reply.finish, reply.usage.estimated) == (1, "stop", False), reply
    return f"{len(replies)} values without a repair, the last from {replies[-1].usage.completion} tokens"


async def a_shape_without_room(served: Served) -> str:
    """Where the tokens end before the shape does, no value is made up."""
    try:
        reply = await served.model.complete(asked(8, Outline))
    except ModelReplyError as error:
        return str(error)[:100]
    raise AssertionError(f"8 tokens made {reply.value!r}")


async def a_context_overflow(served: Served) -> str:
    """What is too long is refused as such, for text and for shapes."""
    words = ""
    for shape in (None, Outline):
        try:
            await served.model.complete(asked(5, shape, "long " * 4_000))
        except ContextOverflowError as error:
            words = str(error)
        else:
            raise AssertionError("the server took 20,000 tokens into a slot of 16,384")
    return words[:140]


async def a_stream_that_is_left(served: Served) -> str:
    """A stream that is closed after its first piece stops the work on the server."""
    async with aclosing(served.model.stream(asked(ENDLESS))) as stream:
        await anext(stream)
        await served.until(busy=True)
        closed = time.perf_counter()
        await stream.aclose()
        await served.until(busy=False)
    return f"the slot was free after {(time.perf_counter() - closed) * 1e3:.0f} ms"


async def a_cancelled_call(served: Served) -> str:
    """So does a call that nobody waits for any more."""
    call = asyncio.create_task(served.model.complete(asked(ENDLESS)))
    await served.until(busy=True)
    cancelled = time.perf_counter()
    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    await served.until(busy=False)
    return f"the slot was free after {(time.perf_counter() - cancelled) * 1e3:.0f} ms"


async def eight_at_once(served: Served) -> str:
    """More calls than the server has slots all come back, each with its own reply."""
    limits = range(20, 28)
    replies = await asyncio.gather(*(served.model.complete(asked(limit)) for limit in limits))
    assert [reply.usage.completion for reply in replies] == list(limits), replies
    return f"{len(replies)} replies from 2 slots"


async def vectors(served: Served) -> str:
    """The embedder gets a vector of length one for each text."""
    embedder = OpenAIEmbedder(base_url=served.base_url, model=MODEL, patience=PATIENCE)
    found = (await embedder.embed(["attention", "他们有几层？", ""])).vectors
    assert found.shape == (3, WIDTH), found.shape
    assert all(abs(vector @ vector - 1) < 1e-4 for vector in found), found
    return f"{len(found)} of {WIDTH} numbers"


async def a_whole_ask(served: Served) -> str:
    """A model that only talks nonsense costs quality, never the answer."""

    def ask() -> str:
        with (
            tempfile.TemporaryDirectory() as folder,
            Library.open(folder, llm=f"{served.base_url}#{MODEL}", effort="standard", embedder="none") as library,
        ):
            library.add(NOTES)
            answer = library.ask(QUESTIONS[0])
            assert answer.text.strip(), answer
            assert answer.citations, answer.text
            assert {"plan", "answer"} <= {call.purpose for call in answer.calls}, answer.calls
            writer = "quoted" if not answer.written_by else f"written by {answer.written_by!r}"
            return f"{len(answer.calls)} calls, {answer.review.verdict}, {writer}, {len(answer.citations)} citations"

    return await asyncio.to_thread(ask)


def asked(most: int, shape: type | None = None, text: str = "What is attention?") -> Request:
    """Return a small request."""
    messages = (PromptMessage("system", "You answer briefly."), PromptMessage("user", text))
    return Request(purpose="conformance", task="generation", messages=messages, shape=shape, max_tokens=most)


def told(reply: Reply) -> str:
    """Return what a reply cost."""
    return f"{reply.usage.prompt} + {reply.usage.completion} tokens, finish {reply.finish!r}"


if __name__ == "__main__":
    main()
