"""Telemetry: counters and times for Prometheus, lines of the log, and traces of runs for OpenTelemetry.

`/metrics` has labels of which there are only so many. Traces are made from the events of runs and sent where the usual variables say
(`OTEL_EXPORTER_OTLP_ENDPOINT` and the like), not at all without one; this is the one module that knows the names of OpenTelemetry's
conventions for generative AI. What people ask and are answered stays out of them, but for where
`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

import importlib
import json
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
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

# -- metrics and log

_BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)
_PAGE = 4096


class Metrics:
    """Counts requests by route, and runs by how they ended."""

    def __init__(self) -> None:
        self.began = time.time()
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[str, list[float]] = {}  # by route: a count for each bucket, the sum, the number
        self._over: Counter[tuple[str, str]] = Counter()
        self.uses: Counter[str] = Counter()  # requests by key, until they are written down

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request. The route is a template, never an address with names in it."""
        self._requests[route, method, f"{status // 100}xx"] += 1
        row = self._seconds.setdefault(route, [0.0] * (len(_BUCKETS) + 2))
        for place, most in enumerate(_BUCKETS):
            row[place] += seconds <= most
        row[-2] += seconds
        row[-1] += 1

    def over(self, kind: str, state: str) -> None:
        """Count a job that ended."""
        self._over[kind, state] += 1

    def text(self, jobs: Mapping[tuple[str, str], int], numbers: Mapping[str, float]) -> str:
        """Return all of it."""
        lines = ["# TYPE scholarmind_requests_total counter"]
        lines += [
            f'scholarmind_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}'
            for (route, method, status), count in sorted(self._requests.items())
        ]
        lines.append("# TYPE scholarmind_request_seconds histogram")
        for route, row in sorted(self._seconds.items()):
            name = f'scholarmind_request_seconds_bucket{{route="{route}",le='
            lines += [f'{name}"{most}"}} {row[place]:.0f}' for place, most in enumerate(_BUCKETS)]
            lines.append(f'{name}"+Inf"}} {row[-1]:.0f}')
            lines.append(f'scholarmind_request_seconds_sum{{route="{route}"}} {row[-2]:.6f}')
            lines.append(f'scholarmind_request_seconds_count{{route="{route}"}} {row[-1]:.0f}')
        lines.append("# TYPE scholarmind_jobs_over_total counter")
        lines += [
            f'scholarmind_jobs_over_total{{kind="{k}",state="{s}"}} {n}' for (k, s), n in sorted(self._over.items())
        ]
        lines.append("# TYPE scholarmind_jobs gauge")
        lines += [f'scholarmind_jobs{{kind="{k}",state="{s}"}} {n}' for (k, s), n in sorted(jobs.items())]
        told = {"uptime_seconds": time.time() - self.began, "memory_bytes": float(_resident()), **numbers}
        for name, value in told.items():
            lines += [f"# TYPE scholarmind_{name} gauge", f"scholarmind_{name} {value:.6g}"]
        return "\n".join(lines) + "\n"


def _resident() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    except FileNotFoundError:  # not Linux
        return 0


class _JsonLineFormatter(logging.Formatter):
    """A line of JSON for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {
            "at": at,
            "level": record.levelname.lower(),
            "said": record.getMessage(),
            **getattr(record, "about", {}),
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


def log_as_lines(*, quiet: bool) -> None:
    """Write the log of the service to standard error, a line of JSON for each thing that happens."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLineFormatter())
    for name in ("scholarmind.service", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.addFilter(lambda record: not record.getMessage().startswith("Exception in ASGI"))  # told of by ourselves
        logger.setLevel(logging.WARNING if quiet or name != "scholarmind.service" else logging.INFO)


# -- traces

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
