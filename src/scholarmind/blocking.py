"""Async methods that can also simply be called: one loop in a thread of its own, so that it works in notebooks too."""

import asyncio
import functools
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
E = TypeVar("E")


class Both(Generic[P, R]):
    """`x.method(...)` waits for the result; `await x.method.aio(...)` does not block."""

    def __init__(self, method: Callable[P, Coroutine[Any, Any, R]]) -> None:
        self.aio = method
        functools.update_wrapper(self, method)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return run(self.aio(*args, **kwargs))


class both(Generic[S, P, R]):  # noqa: N801  (a decorator)
    """Make an async method callable both ways."""

    def __init__(self, method: Callable[Concatenate[S, P], Coroutine[Any, Any, R]]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type[S]) -> "both[S, P, R]": ...
    @overload
    def __get__(self, instance: S, owner: type[S]) -> Both[P, R]: ...
    def __get__(self, instance: S | None, owner: type[S]) -> "both[S, P, R] | Both[P, R]":
        if instance is None:
            return self
        return Both(functools.partial(self._method, instance))


class Stream(Generic[E, R]):
    """Events as they happen, with `for` or with `async for`; when they end, `result` holds what came of it."""

    result: R

    def __init__(self, start: Callable[[Callable[[E], None]], Coroutine[Any, Any, R]]) -> None:
        self._start = start

    async def __aiter__(self) -> AsyncGenerator[E]:
        events: asyncio.Queue[E | None] = asyncio.Queue()
        task = asyncio.create_task(self._start(events.put_nowait))
        task.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            self.result = await task
        finally:
            task.cancel()  # who stops listening wants no answer; but what was begun is put in order first
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # asyncio complains about those that nobody asks for

    def __iter__(self) -> Generator[E]:
        yield from _waited_for(aiter(self))


class Series(Generic[E]):
    """Things as they come, with `for` or with `async for`; who stops early stops the work."""

    def __init__(self, start: Callable[[], AsyncGenerator[E]]) -> None:
        self._start = start

    def __aiter__(self) -> AsyncGenerator[E]:
        return self._start()

    def __iter__(self) -> Generator[E]:
        yield from _waited_for(self._start())


def _waited_for(items: AsyncGenerator[E]) -> Generator[E]:
    async def following() -> E | None:
        return await anext(items, None)

    try:
        while (item := run(following())) is not None:
            yield item
    finally:
        run(items.aclose())


def run(work: Coroutine[Any, Any, R]) -> R:
    """Run to the end on our loop, from any thread. Ctrl-C cancels the work, waits until it has tidied up, and goes on up."""
    if threading.current_thread().name == _THREAD:
        work.close()
        raise RuntimeError(
            "a method of Library was called from inside another one's event; use `await library.method.aio(...)`"
        )
    began, ended = threading.Event(), threading.Event()

    async def watched() -> R:
        began.set()
        try:
            return await work
        finally:
            ended.set()

    coroutine = watched()
    future: Future[R] | None = None
    try:
        future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
        return future.result()
    except KeyboardInterrupt:
        if future is None:
            _close_unstarted(coroutine, work)
            raise
        future.cancel()
        if began.is_set():
            # wait, whatever else is typed: tidying up takes a second or two, and what it leaves is sound
            while not ended.is_set():
                with suppress(KeyboardInterrupt):
                    ended.wait()
        raise
    except CancelledError:
        raise asyncio.CancelledError from None


def _close_unstarted(*coroutines: Coroutine[Any, Any, Any]) -> None:
    """Ctrl-C came before the work was handed over; if it runs after all, it cannot be closed, and ends by itself."""
    for coroutine in coroutines:
        with suppress(RuntimeError, ValueError):
            coroutine.close()


_THREAD = "scholarmind-loop"
_started: dict[int, asyncio.AbstractEventLoop] = {}
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """Return this process's loop; a forked child starts its own."""
    with _starting:
        loop = _started.get(os.getpid())
        if loop is None:
            _started.clear()
            loop = _started[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name=_THREAD, daemon=True).start()
        return loop
