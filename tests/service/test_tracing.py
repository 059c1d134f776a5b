"""Traces: what a run becomes, and that nothing of what was asked or answered is in them unless somebody wants that."""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.service.conftest import QUESTION, start, stop, until

from scholarmind import Library, Settings
from scholarmind.calls import CallCost, Usage
from scholarmind.events import Done, ModelCalled, PartFailed, PartStarted, RunStarted
from scholarmind.service.telemetry import RunSpans, provider

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


@pytest.fixture
def kept() -> InMemorySpanExporter:
    """Where spans go."""
    return InMemorySpanExporter()


@pytest.fixture
def sends(kept: InMemorySpanExporter) -> TracerProvider:
    """What sends them there."""
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(kept))
    return made


def asked(template: Path, sends: TracerProvider) -> None:
    with Library(Settings(library=template, embedder="none")) as library:
        library.ask(QUESTION, on_event=RunSpans(sends, "mine"))


def test_a_run_is_one_trace_of_its_parts(template: Path, sends: TracerProvider, kept: InMemorySpanExporter) -> None:
    asked(template, sends)
    spans = {span.context.span_id: span for span in kept.get_finished_spans()}
    [run] = [span for span in spans.values() if span.name == "invoke_agent scholarmind"]
    parts = [span for span in spans.values() if span.name == "execute_tool research"]
    assert len(parts) == 2
    assert {span.context.trace_id for span in spans.values()} == {run.context.trace_id}
    assert all(span.parent.span_id in spans for span in spans.values() if span is not run)
    assert all(run.start_time <= span.start_time <= span.end_time <= run.end_time for span in parts)
    assert run.attributes["gen_ai.conversation.id"] == "mine"
    assert "BERT" not in json.dumps([dict(span.attributes) for span in spans.values()])


def test_what_is_asked_and_answered_is_told_to_who_wants_it(
    template: Path, sends: TracerProvider, kept: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    asked(template, sends)
    told = {span.name: dict(span.attributes) for span in kept.get_finished_spans()}
    assert QUESTION in told["invoke_agent scholarmind"]["gen_ai.input.messages"]
    assert "gen_ai.tool.call.result" in told["execute_tool research"]


def test_a_call_to_a_model_is_within_its_part(sends: TracerProvider, kept: InMemorySpanExporter) -> None:
    spans = RunSpans(sends)
    call = CallCost(purpose="part 1", task="extraction", model="small", part=1, usage=Usage(7, 3), seconds=0.5)
    for event in (
        RunStarted(run="r", question="?"),
        PartStarted(part=1, question="?"),
        ModelCalled(call=call),
        ModelCalled(call=CallCost(purpose="part 1", task="extraction", model="small", part=1, remembered="cache")),
        PartFailed(part=1, question="?", error="no model"),
        Done(run="r", status="failed"),
    ):
        spans(event)
    chat, part, run = kept.get_finished_spans()
    assert (chat.name, chat.parent.span_id, part.parent.span_id) == (
        "chat small",
        part.context.span_id,
        run.context.span_id,
    )
    assert (chat.attributes["gen_ai.usage.input_tokens"], chat.attributes["gen_ai.usage.output_tokens"]) == (7, 3)
    assert chat.end_time - chat.start_time >= 500_000_000
    assert not part.status.is_ok
    assert not run.status.is_ok


def test_a_service_sends_its_traces_where_it_is_told_to(template: Path, tmp_path: Path) -> None:
    got: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_request(self, code: object = "-", size: object = "-") -> None:
            del code, size

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        where = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        running = start(Path(shutil.copytree(template, tmp_path / "library")), **where)
        try:
            with running.client() as client:
                client.post("/api/v1/runs", json={"question": QUESTION}).raise_for_status()
            until(lambda: any(b"invoke_agent scholarmind" in body for body in got))
        finally:
            stop(running)
            collector.shutdown()
    assert not any(b"BERT" in body for body in got)


def test_nothing_is_sent_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert provider() is None
