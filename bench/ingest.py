"""Time how fast text becomes searchable by keywords: 10,000 Markdown files, then the same again unchanged.

python bench/ingest.py --documents 10000
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from scholarmind import Library, Settings
from synthetic import Synthetic

PASSAGES_OF_DOCUMENT = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as folder:
        write_notes(Path(folder) / "notes", arguments.documents)
        print(json.dumps(measure(Path(folder)), indent=1))


def write_notes(folder: Path, documents: int) -> None:
    folder.mkdir()
    source = Synthetic(per_document=PASSAGES_OF_DOCUMENT)
    for entry, _ in source.documents(documents * PASSAGES_OF_DOCUMENT):
        front = f"---\ntitle: {entry.document.title}\nauthors: [{entry.document.authors[0]}]\nyear: {entry.document.year}\n---\n"
        body = "\n\n".join(f"## Part {n}\n\n{sentences(passage.text)}" for n, passage in enumerate(entry.passages))
        (folder / f"{entry.document.id}.md").write_text(
            f"{front}# {entry.document.title}\n\n{body}\n", encoding="utf-8"
        )


def sentences(text: str) -> str:
    words = text.split()
    return ". ".join(" ".join(words[n : n + 18]).capitalize() for n in range(0, len(words), 18))


def measure(folder: Path) -> dict[str, Any]:
    with Library(Settings(library=folder / "library", embedder="none")) as library:
        start = time.perf_counter()
        report = library.add(folder / "notes")
        first = time.perf_counter() - start
        start = time.perf_counter()
        again = library.add(folder / "notes")
        second = time.perf_counter() - start
    return {
        "documents": report.added,
        "passages": report.passages,
        "seconds": round(first, 1),
        "passages_per_second": round(report.passages / first),
        "again_unchanged": again.unchanged,
        "again_seconds": round(second, 1),
    }


if __name__ == "__main__":
    main()
