"""Measure what a question leaves in runs.db: bytes of each, as it was written and packed; and how long packing takes."""

import asyncio
import json
import sqlite3
import tempfile
import time
from importlib.resources import as_file, files
from pathlib import Path

from scholarmind import Library
from scholarmind.adapters.runs import Runs
from scholarmind.cli.service_commands import QUESTIONS

MORE = (
    "How does Longformer differ from BigBird?",
    "Who proposed the model that RoBERTa builds on?",
    "Which papers use GLUE but not SQuAD?",
    "What are the main directions of efficient attention?",
)
_RAW = "SELECT (SELECT sum(length(record)) FROM events) + (SELECT sum(length(value)) FROM journal) + (SELECT sum(length(answer)) FROM runs)"


def main() -> None:
    questions = (*QUESTIONS, *MORE)
    with tempfile.TemporaryDirectory() as folder, as_file(files("scholarmind.demo") / "notes") as notes:
        path = Path(folder) / "library" / "runs.db"
        with Library.open(path.parent, effort="keyless") as library:
            library.add(notes)
            for question in questions:
                library.ask(question)
        packed = size(path)
        with Runs(path) as runs:
            ids = asyncio.run(runs.ids())
            for run in ids:  # going on with a run unpacks it
                asyncio.run(runs.begin(run, "again"))
            written = size(path)
            connection = sqlite3.connect(path, isolation_level=None)
            raw = connection.execute(_RAW).fetchone()[0]
            connection.execute("UPDATE runs SET status = 'done'")
            connection.close()
            start = time.perf_counter()
            asyncio.run(runs.prune(whole=True))
            seconds = time.perf_counter() - start
        told = {
            "questions": len(questions),
            "bytes a question, written": round(written / len(questions)),
            "of them of events, journals and answers": round(raw / len(questions)),
            "bytes a question, packed": round(packed / len(questions)),
            "milliseconds to pack one": round(1e3 * seconds / len(questions)),
        }
        print(json.dumps(told, indent=1))


def size(path: Path) -> int:
    """Return the bytes of the file, with what its log still holds."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


if __name__ == "__main__":
    main()
