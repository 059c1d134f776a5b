"""The same question of three parts, asked by peers of ours over the same passages and the same scripted server.

Each peer runs in a venv of its own. `outside` is what an ask takes beyond the calls that wait for one another. Run by bench/asks_peers.sh.
"""

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from script import said

from scholarmind.testing import Logged, ScriptedServer
from scholarmind.testing.model_servers import levels

HERE = Path(__file__).parent
VENVS = HERE.parents[1] / ".bench"
PEERS = {
    "LlamaIndex SubQuestionQueryEngine": ("asks-llama-index", "ask_llama_index"),
    "LangChain MultiQueryRetriever": ("asks-langchain", "ask_langchain"),
    "LangGraph Send": ("asks-langgraph", "ask_langgraph"),
    "paper-qa Docs": ("asks-paper-qa", "ask_paper_qa"),
}
WARM_UPS = 2
QUIET = {  # nothing is fetched, nothing is reported
    "ANONYMIZED_TELEMETRY": "false",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of every call")
    parser.add_argument("--asks", type=int, default=10)
    parser.add_argument("--json", action="store_true", dest="as_json")
    arguments = parser.parse_args()
    rows: dict[str, Row] = {}
    for name, (venv, module) in PEERS.items():
        if (VENVS / venv / ".ready").exists():
            rows[name] = measured(VENVS / venv, module, arguments.asks, arguments.latency)
    print(json.dumps(rows, indent=1) if arguments.as_json else table(rows))


def measured(venv: Path, module: str, asks: int, latency: float) -> Row:
    """Return the figures of one peer: medians after the warm-ups."""
    with ScriptedServer(answer=said, latency=latency) as server:
        command = [venv / "bin/python", HERE / "measure.py", module, "--base-url", server.base_url]
        command += ["--asks", str(WARM_UPS + asks)]
        done = subprocess.run(command, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False)
        calls = server.log
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    told = json.loads(done.stdout.splitlines()[-1])
    spans: list[tuple[float, float]] = told["spans"][WARM_UPS:]
    return {
        "version": told["version"],
        "wall_s": round(median(end - start for start, end in spans), 3),
        "calls": median(len(within(calls, span)) for span in spans),
        "levels": median(levels(within(calls, span)) for span in spans),
        "outside_ms": round(median(outside(calls, span, latency) for span in spans) * 1e3),
        "import_s": told["import_seconds"],
        "install_mb": megabytes(venv),
    }


def within(calls: Sequence[Logged], span: tuple[float, float]) -> list[Logged]:
    """Return the calls of one ask."""
    return [call for call in calls if span[0] <= call.start <= span[1]]


def outside(calls: Sequence[Logged], span: tuple[float, float], latency: float) -> float:
    """Return the seconds of an ask that were not spent waiting for the model."""
    return span[1] - span[0] - levels(within(calls, span)) * latency


def megabytes(venv: Path) -> int:
    """Return how much a venv holds beside its own tools."""
    site = next((venv / "lib").glob("python3*/site-packages"))
    own = {"pip", "setuptools", "_distutils_hack", "pkg_resources"}
    files = [file for file in site.rglob("*") if file.is_file() and file.relative_to(site).parts[0] not in own]
    return round(sum(file.stat().st_size for file in files if "__pycache__" not in file.parts) / 1e6)


def table(rows: dict[str, Row]) -> str:
    """Return the figures as lines for people."""
    lines = [
        f"{'':<36}{'version':>12}{'wall s':>8}{'calls':>7}{'levels':>8}{'outside ms':>12}{'import s':>10}{'MB':>6}"
    ]
    for name, row in rows.items():
        if "error" in row:
            lines.append(f"{name:<36}failed: {row['error']}")
            continue
        lines.append(
            f"{name:<36}{row['version']:>12}{row['wall_s']:>8.3f}{row['calls']:>7.0f}{row['levels']:>8.0f}"
            f"{row['outside_ms']:>12}{row['import_s']:>10.2f}{row['install_mb']:>6}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
