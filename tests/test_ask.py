"""`Library.ask`, `plan` and `stream`: called, awaited and streamed; taken up again; and questions that nobody should ask."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Answer, Library, Plan, Settings, SubQuestion
from scholarmind.errors import QueryError
from scholarmind.events import AnswerPiece, Done, Event, PartAnswered, PartEvidence, Planned, Ranked, RunStarted
from scholarmind.ports import Embeddings
from scholarmind.record import answer_record
from scholarmind.testing import HashEmbedder

TWO = "Who proposed BERT, and what GLUE score does BERT-Large obtain?"
LAYERS = "How many layers does BERT-Base have?"


class CountingEmbedder(HashEmbedder):
    """Remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        self.given += texts
        return await super().embed(texts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of the demo notes."""
    path = tmp_path_factory.mktemp("demo") / "library"
    with (
        Library(Settings(library=path), embedder=HashEmbedder()) as library,
        as_file(files("scholarmind.demo") / "notes") as notes,
    ):
        library.add(notes)
    return path


@pytest.fixture
def embedder() -> CountingEmbedder:
    """The embedder of `demo`."""
    return CountingEmbedder()


@pytest.fixture
def demo(folder: Path, tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Library]:
    """A copy of that library, which may be changed."""
    shutil.copytree(folder, tmp_path / "copy")
    with Library(Settings(library=tmp_path / "copy"), embedder=embedder) as library:
        yield library


def told(answer: Answer) -> tuple[object, ...]:
    """Return what must be equal in two answers to one question."""
    return answer.text, answer.plan.parts, answer.review, answer.claims, answer.citations, answer.evidence


def assert_true_to_the_library(answer: Answer, library: Library) -> None:
    """Every citation's characters are its quote, every quotation is verified, and every claim belongs to a row."""
    for citation in answer.citations:
        text = library.text(citation.document, collection=citation.collection)
        assert text is not None
        assert text[citation.document_start : citation.document_end] == citation.quote
    cited = set(answer.citations)
    combining = {row for part in answer.plan.parts if part.role != "find" for row in part.row_ids}
    for claim in answer.claims:
        assert claim.status == "verified" or (claim.status == "paraphrase" and claim.row in combining)
        assert set(claim.citations) <= cited
    assert {claim.row for claim in answer.claims} <= {row.id for row in answer.review.rows}
    rows = [row for part in answer.plan.parts for row in part.row_ids]
    assert [row.id for row in answer.review.rows] in ([], rows)
    json.dumps(answer_record(answer), allow_nan=False)


# -- the three ways


def test_asking_planning_and_streaming(demo: Library) -> None:
    answer, plan = demo.ask(TWO), demo.plan(TWO)
    assert [part.text for part in plan.parts] == [part.text for part in answer.plan.parts]
    stream = demo.stream(TWO)
    events = list(stream)
    assert told(stream.result) == told(answer)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], Done)
    assert [type(event) for event in events].count(PartAnswered) == len(plan.parts)
    assert [event.text for event in events if isinstance(event, AnswerPiece)] == [answer.text]
    assert "Jacob Devlin" in answer.text
    assert "80.5" in answer.text
    assert_true_to_the_library(answer, demo)


def test_a_reply_to_no_question_is_streamed_too(demo: Library) -> None:
    stream = demo.stream("hello")
    pieces = [event.text for event in stream if isinstance(event, AnswerPiece)]
    assert pieces == [stream.result.text]


@pytest.mark.anyio
async def test_all_three_can_be_awaited(demo: Library) -> None:
    answer = await demo.ask.aio(TWO)
    assert (await demo.plan.aio(TWO)).parts == answer.plan.parts
    stream = demo.stream(TWO)
    kinds = [type(event) async for event in stream]
    assert kinds[-1] is Done
    assert told(stream.result) == told(answer)


@pytest.mark.anyio
async def test_all_three_can_be_called_where_a_loop_runs_as_in_a_notebook(demo: Library) -> None:
    assert asyncio.get_running_loop().is_running()
    answer = demo.ask(TWO)
    assert demo.plan(TWO).parts == answer.plan.parts
    stream = demo.stream(TWO)
    assert isinstance(list(stream)[-1], Done)
    assert told(stream.result) == told(answer)


@pytest.mark.anyio
async def test_questions_asked_at_once_do_not_mix(demo: Library) -> None:
    questions = [TWO, LAYERS, "谁提出了DeepSeek-V2？", "Who proposed Longformer?"]
    together = await asyncio.gather(*(demo.ask.aio(question) for question in questions * 2))
    alone = [await demo.ask.aio(question) for question in questions]
    assert [told(answer) for answer in together] == [told(answer) for answer in alone] * 2
    assert len({answer.run for answer in together}) == 8


def test_who_stops_listening_stops_the_run(demo: Library) -> None:
    for event in demo.stream(TWO, run="left"):
        if isinstance(event, Planned):
            break
    found = asyncio.run(demo.runs.find("left"))
    assert found is not None
    assert found.status == "cancelled"


def test_an_error_of_a_stream_comes_out(demo: Library) -> None:
    with pytest.raises(QueryError, match="there is no run 'nowhere'"):
        list(demo.stream("", run="nowhere"))


def test_an_error_of_a_listener_comes_out_and_the_run_has_failed(demo: Library) -> None:
    def listen(event: Event) -> None:
        raise ZeroDivisionError(type(event).__name__)

    with pytest.raises(ZeroDivisionError):
        demo.ask(TWO, run="deaf", on_event=listen)
    found = asyncio.run(demo.runs.find("deaf"))
    assert found is not None
    assert found.status == "failed"
    last = json.loads(asyncio.run(demo.runs.events("deaf"))[-1])
    assert (last["type"], last["status"], last["error"]) == ("done", "failed", "ZeroDivisionError: RunStarted")


# -- the demo's own questions


@pytest.mark.parametrize(
    "question",
    [
        "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?",
        "Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?",
        "How does Longformer differ from BigBird?",
        "Which has more parameters, BERT-Large or GPT-2?",
        "What attention do Longformer, BigBird and Reformer use?",
        "Who proposed the model that RoBERTa builds on?",
        "DeepSeek-V2和DeepSeek-V3在参数量上的区别是什么？",
        "What is the capital of France?",
        "How does the context length affect the cost of attention?",
    ],
)
def test_every_citation_is_true_and_every_sentence_verified(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    assert answer.review.rows
    assert_true_to_the_library(answer, demo)


def test_what_is_not_there_is_told_so(demo: Library) -> None:
    answer = demo.ask("What is the population of Reykjavik in winter?")
    assert answer.review.verdict == "not in the library"
    assert answer.review.rows[0].missing


def test_a_filter_holds_for_every_part(demo: Library) -> None:
    answer = demo.ask(TWO, filter="author = 'Alec Radford'")
    authors = [item.document.authors for finding in answer.findings for item in finding.evidence]
    assert authors
    assert all("Alec Radford" in names for names in authors)


# -- taken up again


def cut_short(demo: Library, embedder: CountingEmbedder, at: int, **options: Any) -> list[int]:
    """Ask, and be stopped when this part is answered; return the parts that were answered."""
    answered: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, PartAnswered):
            answered.append(event.part)
            if event.part == at:
                raise KeyError(at)

    with pytest.raises(KeyError):
        demo.ask(run="cut", on_event=listen, **options)
    embedder.given.clear()
    return answered


CHAIN = Plan(
    question="Who proposed BERT, and what else?",
    parts=(
        SubQuestion(id=1, text="Who proposed BERT?"),
        SubQuestion(id=2, text="What did #1 mask in its training?", depends_on=(1,)),
        SubQuestion(id=3, text="How many layers has #2?", depends_on=(2,)),
    ),
    complexity="composite",
    reason="",
    decided_by="user",
)


def test_a_run_goes_on_where_it_was_and_asks_nothing_again(demo: Library, embedder: CountingEmbedder) -> None:
    expected = demo.ask(plan=CHAIN)
    assert cut_short(demo, embedder, at=2, plan=CHAIN) == [1, 2]
    events: list[Event] = []
    answer = demo.ask(run="cut", on_event=events.append)
    assert told(answer) == told(expected)
    assert answer.question == CHAIN.question
    remembered = [event.part for event in events if isinstance(event, PartEvidence) and event.remembered]
    assert remembered[:2] == [1, 2]
    assert [event.resumed for event in events if isinstance(event, RunStarted)] == [True]
    asked = [text for text in embedder.given if "Who proposed BERT" in text or "mask" in text]
    assert asked == []
    numbers = [json.loads(record)["number"] for record in asyncio.run(demo.runs.events("cut"))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_run_that_is_done_searches_for_nothing(demo: Library, embedder: CountingEmbedder) -> None:
    first = demo.ask(TWO, run="done")
    embedder.given.clear()
    again = demo.ask(run="done")
    assert told(again) == told(first)
    assert again.spent["searches"] == 0
    assert embedder.given == []


@pytest.mark.parametrize("question", ["What is 2+2?", "[LLM]?"])
def test_what_nothing_can_be_quoted_of_is_not_called_answered(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    assert answer.claims == ()
    assert [row.status for row in answer.review.rows] == ["not in the library"]
    assert answer.review.verdict == "not in the library"


def test_a_stream_gives_passages_and_scores_as_they_are_found(demo: Library) -> None:
    events = list(demo.stream(TWO))
    found = [place for place, event in enumerate(events) if isinstance(event, PartEvidence)]
    answered = [place for place, event in enumerate(events) if isinstance(event, PartAnswered)]
    assert events[found[0]].part == 0
    assert {events[place].part for place in found} == {0, 1, 2}
    assert found[0] < found[1] < answered[0] < len(events) - 1
    for place in found:
        scores = [item.score for item in events[place].best]
        assert scores == sorted(scores, reverse=True) != []
    orders = [event for event in events if isinstance(event, Ranked)]
    assert [order.moved for order in orders][:1] == [False]
    chosen = [(item.document, item.position) for item in orders[-1].best]
    assert orders[-1].best[0].found_by != ()
    assert len(set(chosen)) == len(chosen) > 3


def test_a_changed_library_is_asked_anew(demo: Library, embedder: CountingEmbedder, tmp_path: Path) -> None:
    demo.ask(plan=CHAIN, run="old")
    note = tmp_path / "new.md"
    note.write_text("---\ntitle: BERT revisited\n---\nBERT was proposed by Zebulon Quux, says this note of 2024.\n")
    demo.add(note)
    embedder.given.clear()
    events: list[Event] = []
    answer = demo.ask(run="old", on_event=events.append)
    assert "Zebulon Quux" in answer.text
    assert [event for event in events if isinstance(event, PartEvidence) and event.remembered] == []
    assert answer.spent["searches"] > 0


def test_a_run_keeps_its_filter(demo: Library, embedder: CountingEmbedder) -> None:
    strict = 'not year < 2019 and (author = "Alec Radford" or title ~ roberta)'
    expected = demo.ask(plan=CHAIN, filter=strict)
    cut_short(demo, embedder, at=1, plan=CHAIN, filter=strict)
    answer = demo.ask(run="cut")
    assert told(answer) == told(expected)
    assert told(answer) != told(demo.ask(plan=CHAIN))


def test_another_question_under_the_same_run_is_its_own(demo: Library) -> None:
    demo.ask(plan=CHAIN, run="mine", filter="year = 2019")
    answer = demo.ask(LAYERS, run="mine")
    assert told(answer) == told(demo.ask(LAYERS))


def test_an_unknown_run_is_an_error_that_says_where_to_look(demo: Library) -> None:
    with pytest.raises(QueryError) as caught:
        demo.ask(run="20990101-000000-nothing")
    assert (
        str(caught.value)
        == "there is no run '20990101-000000-nothing' in this library; 'scholarmind runs' lists those that there are"
    )


# -- small libraries


def test_an_empty_library(library: Library) -> None:
    answer = library.ask(TWO)
    assert answer.review.verdict == "not in the library"
    assert {row.status for row in answer.review.rows} == {"not in the library"}
    assert (answer.claims, answer.citations) == ((), ())


@pytest.mark.parametrize("question", [TWO, LAYERS, "BERT有多少层？", "Compare BERT and GPT-2 on layers"])
def test_a_library_with_one_passage(library: Library, tmp_path: Path, question: str) -> None:
    note = tmp_path / "bert.md"
    note.write_text("BERT-Base has 12 layers and a hidden size of 768 units.\n")
    library.add(note)
    answer = library.ask(question)
    assert_true_to_the_library(answer, library)
    assert len(answer.evidence) == 1


def test_the_only_passage_answers_what_it_says_and_nothing_else(library: Library, tmp_path: Path) -> None:
    note = tmp_path / "bert.md"
    note.write_text("BERT-Base has 12 layers and a hidden size of 768 units.\n")
    library.add(note)
    assert [row.status for row in library.ask(LAYERS).review.rows] == ["answered"]
    assert [row.status for row in library.ask("Who painted the Mona Lisa?").review.rows] == ["not in the library"]


READ_ONLY = """
import subprocess, sys
from pathlib import Path
from scholarmind import Library, Settings
from scholarmind.testing import HashEmbedder
folder = Path(sys.argv[1])
subprocess.run(["mount", "--bind", folder, folder], check=True)
subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
with Library(Settings(library=folder), embedder=HashEmbedder(), create=False) as library:
    answer = library.ask("Who proposed BERT, and what GLUE score does BERT-Large obtain?")
    print("80.5" in answer.text, *answer.fallbacks, sep="\\n")
"""


def test_a_read_only_library_answers_and_says_once_that_the_run_is_not_kept(folder: Path, tmp_path: Path) -> None:
    unshared = ["unshare", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*unshared, "true"], check=False, capture_output=True).returncode:
        pytest.skip("mounting in a namespace of one's own is not allowed here")
    shutil.copytree(folder, tmp_path / "fixed")
    done = subprocess.run(
        [*unshared, sys.executable, "-c", READ_ONLY, tmp_path / "fixed"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    found, *notes = done.stdout.splitlines()
    assert found == "True"
    assert [note.startswith("runs cannot be kept in ") for note in notes] == [True]


def test_runs_that_cannot_be_kept_cost_no_answer(demo: Library, tmp_path: Path) -> None:
    (tmp_path / "copy" / "runs.db").mkdir()
    answer = demo.ask(TWO)
    assert "80.5" in answer.text
    assert [note.startswith("runs cannot be kept in ") for note in answer.fallbacks] == [True]
    assert list((tmp_path / "copy" / "runs.db").iterdir()) == []


# -- questions that nobody should ask

FORTY = " ".join(f"What is the GLUE score of model {number}, and who proposed it?" for number in range(40))
QUESTIONS = {
    "20,000 characters of words": "How does attention work in BERT? " * 625,
    "20,000 characters of one word": "x" * 20_000,
    "20,000 Chinese characters": "注意力机制的改进，" * 2_222,
    "20,000 commas": "BERT, " * 3_400,
    "20,000 brackets": "(" * 10_000 + "BERT" + ")" * 10_000,
    "forty questions": FORTY,
    "a list of forty": "\n".join(f"{number}. Who proposed method {number}?" for number in range(1, 41)),
    "two languages": "Compare BERT 和 GPT-2 的注意力机制, and 各自由谁提出 / who proposed each?",
    "markup": "# Who **proposed** <b>BERT</b>? | a | b |\n|---|---|\n`code` [link](javascript:alert(1)) $x^2$ \\textbf{y}",
    "#1": "What does #1 mean in BERT, and how does it compare with #2 and #99?",
    "a plan typed": "#1 #2 #3",
    "capitals": "WHO PROPOSED BERT, AND WHAT GLUE SCORE DOES BERT-LARGE OBTAIN?",
    "typos": "Who propsed Longfromer and how dose BigBrid difer from Refromer?",
    "control characters": "Who\x00 proposed\x1b[31m BERT\x07\u202e?",
    "half characters": "Who \ud800 proposed \udcff BERT?",
    "emoji": "🤖 Who proposed BERT? 🎉👩‍👩‍👧",
    "a path": "../../etc/passwd; DROP TABLE documents; --",
    "a query": 'title:"BERT" AND (year:[2018 TO *] OR *:*) NOT -x^2 ~3',
    "placeholders": "What is {question} %s {0} ${HOME} of BERT?",
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_any_question_gets_an_answer_that_is_true(demo: Library, question: str) -> None:
    answer = demo.ask(question)
    assert_true_to_the_library(answer, demo)
    assert len(answer.plan.parts) <= 6
    assert "\x1b" not in answer.text


def test_capitals_and_small_letters_are_answered_alike(demo: Library) -> None:
    loud = demo.ask("WHO PROPOSED BERT?")
    assert "Jacob Devlin" in loud.answers["1"]


def test_a_number_sign_that_the_user_typed_stays_as_it_is(demo: Library) -> None:
    answer = demo.ask("What is #1 on the GLUE leaderboard?")
    assert [part.text for part in answer.plan.parts] == ["What is #1 on the GLUE leaderboard?"]
    assert answer.findings[0].question == "What is #1 on the GLUE leaderboard?"


def test_forty_questions_keep_forty_rows(demo: Library) -> None:
    answer = demo.ask("\n".join(f"{number}. Who proposed method {number}?" for number in range(1, 41)))
    assert len(answer.review.rows) >= 40
    for number in range(1, 41):
        assert any(f"method {number}?" in row.text for row in answer.review.rows)


def test_markup_of_a_question_stays_text_in_the_answer(demo: Library) -> None:
    answer = demo.ask("Who proposed <img src=x onerror=alert(1)> BERT, and what is **its** GLUE score?")
    assert "<img" not in answer.text
