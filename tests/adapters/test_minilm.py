"""The bundled embedder against vectors that sentence-transformers made (tests/data/minilm_reference.jsonl says how)."""

import asyncio
import base64
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from scholarmind.adapters.minilm import MiniLM
from scholarmind.ports import Embeddings

REFERENCE = Path(__file__).parents[1] / "data/minilm_reference.jsonl"
# from no word to many, in no order: several share a row of the network's input
QUESTIONS = ["How does it work? " + "Why is that so, and who says it? " * (7 * n % 12) + str(n) for n in range(40)] + [
    "",
    "它",
]


@pytest.fixture(scope="module")
def reference() -> tuple[list[str], npt.NDArray[np.float32]]:
    """The texts and their vectors."""
    header, *rows = (json.loads(line) for line in REFERENCE.read_text(encoding="utf-8").splitlines())
    vectors = [np.frombuffer(base64.b64decode(row["vector"]), header["dtype"]) for row in rows]
    return [row["text"] for row in rows], np.array(vectors, np.float32)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def cosines(ours: npt.NDArray[np.float32], theirs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)


def test_vectors_are_those_of_sentence_transformers(
    model: MiniLM, reference: tuple[list[str], npt.NDArray[np.float32]]
) -> None:
    texts, theirs = reference
    ours = model.encode(texts).vectors
    assert len(texts) == 200
    assert cosines(ours, theirs).min() >= 0.9999
    assert np.linalg.norm(ours, axis=1) == pytest.approx(np.ones(200), abs=1e-5)


def test_int8_stays_near(reference: tuple[list[str], npt.NDArray[np.float32]]) -> None:
    texts, theirs = reference
    found = cosines(MiniLM(precision="int8").encode(texts).vectors, theirs)
    assert found.mean() >= 0.985
    assert found.min() >= 0.95


def test_a_vector_does_not_depend_on_its_batch(
    model: MiniLM, reference: tuple[list[str], npt.NDArray[np.float32]]
) -> None:
    texts = [*QUESTIONS, *reference[0][:60]]
    together, reversed_ = model.encode(texts).vectors, model.encode(texts[::-1]).vectors[::-1]
    alone = np.concatenate([model.encode([text]).vectors for text in texts])
    assert np.abs(together - alone).max() < 2e-6
    assert np.abs(together - reversed_).max() < 2e-6
    assert cosines(together, alone).min() >= 0.99999


def test_text_beyond_the_model_s_reach_is_cut(model: MiniLM) -> None:
    long = model.encode(["word " * 254, "word " * 254 + "entirely different matters " * 500]).vectors
    assert np.abs(long[0] - long[1]).max() < 1e-5


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("How does attention work?", 0, 0),
        ("它们的注意力机制有什么区别？", 0.5, 1),
        ("", 0, 0),
        ("BERT 模型在 GLUE 上的结果", 0.2, 0.6),
    ],
)
def test_it_tells_how_much_it_does_not_know(model: MiniLM, text: str, low: float, high: float) -> None:
    assert low <= model.encode([text]).unknown[0] <= high


def test_no_text_gives_no_vector(model: MiniLM) -> None:
    assert model.encode([]).vectors.shape == (0, 384)


def test_the_loop_runs_on_while_it_works(model: MiniLM) -> None:
    async def main() -> int:
        work = asyncio.create_task(model.embed(["word " * 250] * 8))
        turns = 0
        while not work.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(main()) > 10


def test_nothing_is_loaded_before_the_first_text() -> None:
    script = (
        "import sys; from scholarmind.adapters.minilm import MiniLM; model = MiniLM()\n"
        "print('onnxruntime' in sys.modules); model.encode(['a']); print('onnxruntime' in sys.modules, 'torch' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["False", "True", "False"]


async def asked_together(model: MiniLM, texts: Sequence[str]) -> list[Embeddings]:
    return await asyncio.gather(*(model.embed([text]) for text in texts))


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_each_of_many_callers_gets_its_own(model: MiniLM, precision: str) -> None:
    if precision == "int8":
        model = MiniLM(precision="int8")
    found = asyncio.run(asked_together(model, QUESTIONS))
    alone = [model.encode([text]) for text in QUESTIONS]
    assert [item.unknown for item in found] == [item.unknown for item in alone]
    differences = [np.abs(one.vectors - other.vectors).max() for one, other in zip(found, alone, strict=True)]
    assert max(differences) <= (2e-6 if precision == "fp32" else 0)


def test_callers_of_several_loops_get_their_own(model: MiniLM) -> None:
    shares = [QUESTIONS[n::4] for n in range(4)]
    found: dict[int, list[Embeddings]] = {}

    def ask(number: int) -> None:
        found[number] = asyncio.run(asked_together(model, shares[number]))

    threads = [threading.Thread(target=ask, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, share in enumerate(shares):
        vectors = np.concatenate([item.vectors for item in found[number]])
        assert np.abs(vectors - model.encode(share).vectors).max() < 2e-6


class Counting(MiniLM):
    """Has no network: a text's vector is its number. Keeps what it was given; works when it is let."""

    def __init__(self, *, threads: int) -> None:
        super().__init__(threads=threads)
        self.given: list[list[str]] = []
        self.begun, self.let = threading.Event(), threading.Event()
        self.let.set()

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.given.append(list(texts))
        self.begun.set()
        self.let.wait(30)
        numbers = np.array([[float(text)] for text in texts], np.float32)
        return Embeddings(vectors=numbers, unknown=[float(text) / 100 for text in texts])


def numbers(found: Sequence[Embeddings]) -> list[tuple[float, float]]:
    return [(item.vectors.item(), item.unknown[0]) for item in found]


@pytest.mark.parametrize(
    ("threads", "count", "given"),
    [
        (1, 3, [["0", "1", "2"]]),
        (2, 3, [["0", "1"], ["2"]]),
        (4, 3, [["0"], ["1"], ["2"]]),
        (1, 1, [["0"]]),
    ],
)
def test_callers_of_one_moment_are_shared_out_evenly(threads: int, count: int, given: list[list[str]]) -> None:
    model = Counting(threads=threads)
    found = asyncio.run(asked_together(model, [str(number) for number in range(count)]))
    assert numbers(found) == [(number, number / 100) for number in range(count)]
    assert sorted(model.given) == given


def test_who_comes_while_it_works_goes_together_afterwards() -> None:
    model = Counting(threads=1)
    model.let.clear()

    async def main() -> list[Embeddings]:
        first = asyncio.create_task(model.embed(["1"]))
        await asyncio.to_thread(model.begun.wait, 30)
        later = [asyncio.create_task(model.embed([text])) for text in ("2", "3", "4" + " " * 399, "5" + " " * 399)]
        await asyncio.sleep(0.01)
        model.let.set()
        return await asyncio.gather(first, *later)

    assert numbers(asyncio.run(main())) == [(number, number / 100) for number in range(1, 6)]
    assert [[text.strip() for text in group] for group in model.given] == [["1"], ["2", "3", "4"], ["5"]]


def test_several_texts_of_one_caller_stay_together() -> None:
    model = Counting(threads=1)

    async def main() -> list[Embeddings]:
        return await asyncio.gather(*(model.embed(texts) for texts in (["1", "2"], [], ["3"])))

    found = asyncio.run(main())
    assert [item.vectors.ravel().tolist() for item in found] == [[1, 2], [], [3]]
    assert [list(item.unknown) for item in found] == [[0.01, 0.02], [], [0.03]]


def test_long_texts_wait_for_nobody() -> None:
    model = Counting(threads=1)
    model.let.clear()

    async def main() -> None:
        short = asyncio.create_task(model.embed(["1"]))
        await asyncio.to_thread(model.begun.wait, 30)
        model.begun.clear()
        long = asyncio.create_task(model.embed(["2" + " " * 400]))
        assert await asyncio.to_thread(model.begun.wait, 30)
        model.let.set()
        assert numbers(await asyncio.gather(short, long)) == [(1, 0.01), (2, 0.02)]

    asyncio.run(main())


def test_who_is_cancelled_disturbs_nobody() -> None:
    model = Counting(threads=1)
    model.let.clear()

    async def main() -> list[Embeddings | BaseException]:
        running = [asyncio.create_task(model.embed([text])) for text in ("1", "2")]
        await asyncio.to_thread(model.begun.wait, 30)
        waiting = [asyncio.create_task(model.embed([text])) for text in ("3", "4", "5")]
        await asyncio.sleep(0.01)
        running[0].cancel()
        waiting[0].cancel()
        waiting[1].cancel()
        await asyncio.sleep(0.01)
        model.let.set()
        return await asyncio.gather(*running, *waiting, return_exceptions=True)

    found = asyncio.run(main())
    assert [type(item) for item in found if not isinstance(item, Embeddings)] == [asyncio.CancelledError] * 3
    assert numbers([item for item in found if isinstance(item, Embeddings)]) == [(2, 0.02), (5, 0.05)]
    assert model.given == [["1", "2"], ["5"]]


def test_its_threads_end_with_it() -> None:
    others = set(threading.enumerate())
    model = Counting(threads=2)
    asyncio.run(asked_together(model, ["1", "2"]))
    threads = [thread for thread in threading.enumerate() if thread not in others]
    assert {thread.name for thread in threads} <= {"scholarmind-minilm_0", "scholarmind-minilm_1"}
    assert threads
    del model
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


FORKING = """
import asyncio, contextlib, os, threading, time
from scholarmind.adapters.minilm import MiniLM
model = MiniLM(threads=2)

async def ask():
    return [found.vectors for found in await asyncio.gather(*(model.embed([text * 3]) for text in "abcdefgh"))]

def go_on():
    while True:
        with contextlib.suppress(RuntimeError):  # no thread can be started any more while the interpreter ends
            asyncio.run(ask())

expected = asyncio.run(ask())
threading.Thread(target=go_on, daemon=True).start()
for _ in range(3):
    time.sleep(0.03)
    child = os.fork()
    if not child:
        found = asyncio.run(ask())
        os._exit(0 if all(abs(one - other).max() < 2e-6 for one, other in zip(found, expected)) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_embeds_while_its_parent_does_and_the_parent_ends_in_the_middle_of_it() -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["0", "0", "0"], "")
