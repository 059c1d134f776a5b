"""What `/metrics` tells: counters and times in the text format of Prometheus, with labels of which there are only so many."""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

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


class _Lines(logging.Formatter):
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
    handler.setFormatter(_Lines())
    for name in ("scholarmind.service", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.addFilter(lambda record: not record.getMessage().startswith("Exception in ASGI"))  # told of by ourselves
        logger.setLevel(logging.WARNING if quiet or name != "scholarmind.service" else logging.INFO)
