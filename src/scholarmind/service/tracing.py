"""Traces of runs for OpenTelemetry, made from their events; the one module that knows the names of its conventions for generative AI.

They are sent where the usual variables say (`OTEL_EXPORTER_OTLP_ENDPOINT` and the like), and not at all without one. What people ask and
are answered stays out of them, but for where `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

import importlib
import json
import os
import time
from typing import Any

from scholarmind.errors import MissingExtraError
from scholarmind.events import (
    Done,
    Event,
    FirstLook,
    ModelCalled,
    PartAnswered,
    PartFailed,
    PartStarted,
    Planned,
    Reviewed,
    RunStarted,
    Selected,
)

_WHERE = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def provider() -> Any:
    """Return what sends spans to where the environment says; None where it says nothing."""
    if not any(os.environ.get(name) for name in _WHERE) or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    try:
        sdk: Any = importlib.import_module("opentelemetry.sdk.trace")
        export: Any = importlib.import_module("opentelemetry.sdk.trace.export")
        resources: Any = importlib.import_module("opentelemetry.sdk.resources")
        otlp: Any = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ModuleNotFoundError as error:
        raise MissingExtraError("traces", error) from error
    name = os.environ.get("OTEL_SERVICE_NAME", "scholarmind")
    made = sdk.TracerProvider(resource=resources.Resource.create({"service.name": name}))
    made.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
    return made


class RunSpans:
    """Makes the spans of one run from its events: one for the run, within it its steps and parts, within those the calls to models."""

    def __init__(self, provider: Any, conversation: str = "") -> None:
        self._api: Any = importlib.import_module("opentelemetry.trace")
        self._tracer = provider.get_tracer("scholarmind")
        self._content = os.environ.get(_CONTENT, "").lower() == "true"
        self._conversation = conversation
        self._run: Any = None
        self._parts: dict[int, Any] = {}

    def __call__(self, event: Event) -> None:
        """Take note of what happened."""
        match event:
            case RunStarted():
                told = {
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": "scholarmind",
                    "scholarmind.run": event.run,
                }
                if self._conversation:
                    told["gen_ai.conversation.id"] = self._conversation
                self._run = self._begin(
                    "invoke_agent scholarmind", told | self._said("gen_ai.input.messages", "user", event.question)
                )
            case PartStarted():
                told = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "research",
                    "scholarmind.part": event.part,
                }
                told |= (
                    {"gen_ai.tool.call.arguments": json.dumps({"question": event.question})} if self._content else {}
                )
                self._parts[event.part] = self._begin("execute_tool research", told)
            case PartAnswered() | PartFailed() if span := self._parts.pop(event.part, None):
                if isinstance(event, PartFailed):
                    self._failed(span, "part_failed")
                elif self._content:
                    span.set_attribute("gen_ai.tool.call.result", event.answer)
                span.end()
            case ModelCalled() if not event.call.remembered:
                call = event.call
                told = {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": call.model,
                    "gen_ai.usage.input_tokens": call.usage.prompt,
                    "gen_ai.usage.output_tokens": call.usage.completion,
                    "scholarmind.purpose": call.purpose,
                }
                self._was(f"chat {call.model}", call.seconds, told, failed=bool(call.error), part=call.part)
            case FirstLook() | Planned() | Selected() | Reviewed():
                self._was(type(event).__name__, event.seconds, {})
            case Done():
                self._end(event)
            case _:
                pass

    def _end(self, event: Done) -> None:
        for span in self._parts.values():
            span.end()
        self._parts.clear()
        if self._run is not None:
            for name, key in (("calls", "scholarmind.calls"), ("cost", "scholarmind.cost")):
                if name in event.spent:
                    self._run.set_attribute(key, event.spent[name])
            self._run.set_attribute("scholarmind.status", event.status)
            if event.status == "failed":
                self._failed(self._run, "run_failed")
            self._run.end()
            self._run = None

    def _begin(self, name: str, told: dict[str, Any], *, start: int | None = None, part: int | None = None) -> Any:
        above = self._parts.get(part or 0) or self._run
        within = self._api.set_span_in_context(above) if above else None
        return self._tracer.start_span(name, within, attributes=told, start_time=start)

    def _was(
        self, name: str, seconds: float, told: dict[str, Any], *, failed: bool = False, part: int | None = None
    ) -> None:
        span = self._begin(name, told, start=time.time_ns() - int(seconds * 1e9), part=part)
        if failed:
            self._failed(span, "model_failed")
        span.end()

    def _failed(self, span: Any, kind: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(self._api.StatusCode.ERROR)

    def _said(self, name: str, role: str, text: str) -> dict[str, str]:
        message = [{"role": role, "parts": [{"type": "text", "content": text}]}]
        return {name: json.dumps(message, ensure_ascii=False)} if self._content else {}
