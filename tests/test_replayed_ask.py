"""A question that was asked once of a server with its replies recorded is answered again without it, and without any network."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from scholarmind import Answer, Library, Settings, wiring_models
from scholarmind.calls import CallCost as Paid
from scholarmind.events import AnswerPiece, Event
from scholarmind.testing import HashEmbedder, ScriptedServer
from scholarmind.testing.model_servers import Call
from scholarmind.testing.replay import Recording, Replaying

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

NOTES = {
    "BERT": "BERT was proposed by Jacob Devlin at Google in October 2018. BERT-Large obtains a GLUE score of 80.5.",
    "GPT-2": "GPT-2 was proposed by Alec Radford at OpenAI in February 2019. GPT-2 has 1.5 billion parameters.",
}
TWO = "Who proposed BERT, and who proposed GPT-2?"
OTHER = "How many parameters has GPT-2, and what GLUE score does BERT-Large obtain?"
NOWHERE = "http://elsewhere.invalid/v1"
PASSAGE = re.compile(r"<passage (?P<mark>\w+) (?P<key>P\d+)>[^\n]*\n(?P<text>.*?)\n</passage (?P=mark)", re.DOTALL)


def scripted(call: Call) -> Any:
    """Plan one part for each name, and quote the first sentence of every passage."""
    if "parts" in (call.schema or {}).get("properties", {}):
        parts = [{"id": number, "question": f"Who proposed {name}?"} for number, name in enumerate(NOTES, 1)]
        return {"complexity": "composite", "needs_retrieval": True, "reason": "two things", "parts": parts}
    if not call.chat or call.schema is not None:
        return None
    told = [f"{match['text'].split('. ')[0].rstrip('.')} [{match['key']}]." for match in PASSAGE.finditer(call.text)]
    return " ".join(told) + "\n\n=== PARTS ===\n1: answered\n2: answered"


Opened = Callable[..., Library]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Open a new library of the notes, whose model is reached by this transport."""
    libraries: list[Library] = []
    for name, text in NOTES.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")

    def made(base_url: str, transport: Recording | Replaying) -> Library:
        settings = Settings(
            library=tmp_path / f"library {len(libraries)}", llm_base_url=base_url, llm_model="m", effort="standard"
        )
        library = Library(settings, embedder=HashEmbedder(), models=wiring_models.models(settings, transport))
        libraries.append(library)
        library.add([tmp_path / f"{name}.md" for name in NOTES])
        return library

    yield made
    for library in libraries:
        library.close()


def asked(library: Library, question: str = TWO) -> tuple[Answer, list[Event]]:
    events: list[Event] = []
    answer = library.ask(question, on_event=events.append)
    return answer, pieces_of(events)


def streamed(library: Library, question: str = TWO) -> tuple[Answer, list[Event]]:
    stream = library.stream(question)
    events = list(stream)
    return stream.result, pieces_of(events)


def pieces_of(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, AnswerPiece)]


def timeless(calls: tuple[Paid, ...]) -> list[Paid]:
    return [replace(call, seconds=0.0) for call in calls]


@pytest.mark.parametrize("ask", [asked, streamed])
def test_an_answer_is_given_again_without_its_server(ask, opened: Opened, tmp_path: Path) -> None:
    with ScriptedServer(answer=scripted) as server:
        first, pieces = ask(opened(server.base_url, Recording(tmp_path / "tape.jsonl")))
    pytest_socket.disable_socket(allow_unix_socket=True)
    again, pieces_again = ask(opened(NOWHERE, Replaying(tmp_path / "tape.jsonl")))
    assert "Jacob Devlin" in first.text
    assert (first.written_by, first.fallbacks) == ("m", ())
    assert [call.purpose for call in first.calls] == ["answer"]
    assert first.claims
    assert (again.text, again.claims) == (first.text, first.claims)
    assert timeless(again.calls) == timeless(first.calls)
    assert pieces_again == pieces
    assert len(pieces) > 1


def test_what_was_not_recorded_is_quoted_with_one_note_for_each_call_that_failed(
    opened: Opened, tmp_path: Path
) -> None:
    with ScriptedServer(answer=scripted) as server:
        asked(opened(server.base_url, Recording(tmp_path / "tape.jsonl")))
    pytest_socket.disable_socket(allow_unix_socket=True)
    answer, _ = asked(opened(NOWHERE, Replaying(tmp_path / "tape.jsonl")), OTHER)
    assert answer.written_by == ""
    assert "80.5" in answer.text
    assert "1.5 billion" in answer.text
    assert [note.partition(":")[0] for note in answer.fallbacks] == ["the answer is quoted, not written"]
    assert all("tape.jsonl' has no reply to POST /v1/chat/completions" in note for note in answer.fallbacks)
