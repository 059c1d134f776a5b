"""How well and how fast PDFs are read: papers made with known truth, one of each kind, each style of references, and real files.

python bench/pdf.py --pages 10 --seeds 2
python bench/pdf.py --kind two-column --pages 100 --json
python bench/pdf.py --kind none --real /usr/share/doc        only real files
"""

import argparse
import itertools
import json
import re
import signal
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

import pypdfium2

from paper_references import STYLES, Truth
from papers import KINDS, Paper, make
from scholarmind.adapters.readers.pdf.extract import extract
from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader
from scholarmind.errors import ReadError
from scholarmind.library.passages import Cutting, cut
from scholarmind.library.references import parse
from scholarmind.model import Passage, Problem, Reading, Reference

READER = PdfReader(max_bytes=500_000_000)
LONGEST = 300  # seconds for one real file
TAG = re.compile(r"tag[a-z]{2}\d{5}x")
HAN = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
Row = dict[str, Any]


class TooLongError(Exception):
    """A file took longer than anybody would wait."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=[*KINDS, "none"], action="append", help="only these; all by default")
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1, help="papers of each kind")
    parser.add_argument("--styles", action="store_true", help="a two-column paper for each style of references too")
    parser.add_argument("--real", type=Path, help="a folder with real PDFs, such as /usr/share")
    parser.add_argument("--most", type=int, default=40, help="real files at most, evenly chosen")
    parser.add_argument("--save", type=Path, help="keep the papers there")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    told: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory(prefix="scholarmind-bench-") as folder:
        made = arguments.save or Path(folder)
        told["kinds"] = list(kinds(made, arguments))
        if arguments.styles:
            told["styles"] = list(styles(made, arguments.show))
    if arguments.real:
        told["real"] = [real(path) for path in chosen(arguments.real, arguments.most)]
    if arguments.json:
        print(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for name, rows in told.items():
        print(f"\n{name}")
        print_table(rows)


def kinds(folder: Path, arguments: argparse.Namespace) -> Iterator[Row]:
    for kind in arguments.kind or KINDS:
        if kind == "none":
            continue
        for seed in range(1, arguments.seeds + 1):
            paper = make(folder, kind, arguments.pages, seed)
            yield (
                {"kind": f"{kind} {seed}", "note": "no pdfLaTeX"}
                if paper is None
                else measure(paper, seed, arguments.show)
            )


def styles(folder: Path, show: bool) -> Iterator[Row]:
    """Measure the references alone, in each style."""
    for number, style in enumerate(STYLES):
        paper = make(folder, "two-column", 6, 10 + number, style=style, cited=60)
        assert paper
        reading, _ = read(paper.path)
        yield {"style": style, "items": 60, **of_references(paper.references, reading, show)}


def print_table(rows: Sequence[Row]) -> None:
    if not rows:
        return
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([str(row.get(column, "")) for column in columns] for row in rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(columns))]
    for line in cells:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


# --- papers with known truth ---


def measure(paper: Paper, seed: int, show: bool) -> Row:
    row: Row = {"kind": f"{paper.kind} {seed}", "pages": paper.pages}
    try:
        reading, seconds = read(paper.path)
    except ReadError as error:
        return row | {"note": str(error)}
    passages = list(cut(reading, Cutting()))
    found, loosely, lost = of_sentences(paper, passages)
    recognised, false = of_headings(paper, reading, show)
    inside = [hit for pattern in paper.furniture for passage in passages for hit in re.findall(pattern, passage.text)]
    if show:
        for what, items in (("sentence", lost[:6]), ("furniture", inside[:6])):
            for item in items:
                print(f"{paper.path.name}: {what}: {item}")
    return row | {
        "ms/page": round(1000 * seconds / paper.pages, 1),
        "extract": round(1000 * median(page_times(paper.path)), 1),
        "whole%": percent(found, len(paper.sentences)),
        "loose%": percent(loosely, len(paper.sentences)),
        "breaks": of_order(paper, reading.text),
        "furniture": len(inside),
        "headings%": percent(recognised, len(paper.headings)),
        "false": false,
        "captions%": percent(apart(paper.captions, passages, {"caption"}), len(paper.captions)),
        "notes%": percent(apart(paper.footnotes, passages, {"footnote"}), len(paper.footnotes)),
        "rows%": of_tables(paper, passages),
        "title": letters(reading.document.title) == letters(paper.title),
        "authors": [*map(letters, reading.document.authors)] == [*map(letters, paper.authors)],
        **of_references(paper.references, reading, show),
    }


def read(path: Path) -> tuple[Reading, float]:
    """Return what is read of a file, and the better of two times of the processor: others may be using the machine."""
    times: list[float] = []
    readings: list[Reading] = []
    for _ in range(2):
        start = time.process_time()
        readings = [item for item in READER.read(path) if isinstance(item, Reading)]
        times.append(time.process_time() - start)
    return readings[0], min(times)


def page_times(path: Path) -> Iterator[float]:
    document = pypdfium2.PdfDocument(path)
    for index in range(len(document)):
        start = time.process_time()
        extract(document, index)
        yield time.process_time() - start
    document.close()


def of_sentences(paper: Paper, passages: Sequence[Passage]) -> tuple[int, int, list[str]]:
    """Return how many sentences stand whole in a passage, how many but for hyphens and spaces, and those that do not."""
    holders: dict[str, list[str]] = {}
    for passage in passages:
        for tag in TAG.findall(passage.text):
            holders.setdefault(tag, []).append(passage.text)
    found = loosely = 0
    lost: list[str] = []
    for sentence in paper.sentences:
        held = holders.get(TAG.findall(sentence)[0], [])
        whole = any(plain(sentence) in plain(text) for text in held)
        found += whole
        loosely += whole or any(letters(sentence) in letters(text) for text in held)
        if not whole:
            lost.append(f"{sentence}\n    {held[0] if held else 'in no passage'}")
    return found, loosely, lost


def of_order(paper: Paper, text: str) -> int:
    """Return how many sentences are not followed by the one that follows them, among those that are there at all."""
    written = list(dict.fromkeys(TAG.findall(text)))
    there = set(written)
    true = [tag for sentence in paper.sentences if (tag := TAG.findall(sentence)[0]) in there]
    after = dict(itertools.pairwise(written))
    return sum(after.get(tag) != following for tag, following in itertools.pairwise(true))


def of_headings(paper: Paper, reading: Reading, show: bool) -> tuple[int, int]:
    true = Counter(map(letters, paper.headings))
    told = Counter(letters(reading.text[section.heading : section.start]) for section in reading.sections)
    told.pop(letters(paper.title), None)
    if show:
        for name, items in (("missed heading", true - told), ("false heading", told - true)):
            for item in list(items.elements())[:6]:
                print(f"{paper.path.name}: {name}: {item}")
    return (true & told).total(), (told - true).total()


def apart(true: Sequence[str], passages: Sequence[Passage], kinds: set[str]) -> int:
    told = " ".join(letters(passage.text) for passage in passages if passage.kind in kinds)
    return sum(letters(text) in told for text in true)


def of_tables(paper: Paper, passages: Sequence[Passage]) -> str:
    """Return of how many rows of tables all cells stand in one line of a table, in order."""
    lines = [letters(line) for passage in passages if passage.kind == "table" for line in passage.text.split("\n")]
    rows = [row for table in paper.tables for row in table[1:]]
    patterns = [re.compile(".*".join(re.escape(letters(cell)) for cell in row)) for row in rows]
    return percent(sum(any(pattern.search(line) for line in lines) for pattern in patterns), len(rows))


def of_references(true: Sequence[Truth], reading: Reading, show: bool) -> Row:
    """Tell how many references are split right, and of how many the first author, the year, the title are right."""
    told = [
        reference
        for region in reading.regions
        if region.kind == "references"
        for reference in parse(reading.text, region.start, region.end)
    ]
    by_text = {letters(reference.text): reference for reference in told}
    by_text |= {letters(reference.text.removeprefix(f"[{reference.label}]")): reference for reference in told}
    right: Counter[str] = Counter()
    for item in true:
        whole = item["text"], item["text"].removeprefix(item["label"])
        reference = next((by_text[key] for key in map(letters, whole) if key in by_text), None)
        judged = judge(item, reference)
        right.update(name for name, well in judged.items() if well)
        if show and not all(judged.values()):
            print(f"reference, wrong {[name for name in judged if not judged[name]]}: {item['text']}\n    {reference}")
    return {"found": len(told)} | {f"{name}%": percent(right[name], len(true)) for name in judge(true[0], None)}


def judge(item: Truth, reference: Reference | None) -> dict[str, bool]:
    if reference is None:
        return dict.fromkeys(("split", "author", "year", "title"), False)
    first = letters(reference.authors[0].split(",")[0]) if reference.authors else ""
    return {
        "split": True,
        "author": first == letters(item["first_author"]),
        "year": reference.year == item["year"],
        "title": letters(reference.title) == letters(item["title"]),
    }


def plain(text: str) -> str:
    """Return the text with one kind of space, and none next to a Chinese character."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text))
    return re.sub(rf" ?([{HAN}]) ?", r"\1", text)


def letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


# --- files that others made ---


def chosen(folder: Path, most: int) -> list[Path]:
    """Return so many of the folder's PDFs, spread evenly over all of them."""
    found = sorted(path for path in folder.rglob("*.pdf") if path.is_file())
    return [found[n * len(found) // most] for n in range(most)] if len(found) > most else found


def real(path: Path) -> Row:
    row: Row = {"file": path.name[-44:], "MB": round(path.stat().st_size / 1e6, 2)}
    start = time.process_time()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(LONGEST)
    try:
        items = list(READER.read(path))
    except (ReadError, TooLongError) as error:
        return row | {"note": f"{error!s:.80}"}
    finally:
        signal.alarm(0)
    seconds = time.process_time() - start
    problems = [item for item in items if isinstance(item, Problem)]
    reading = next(item for item in items if isinstance(item, Reading))
    pages = len(reading.layout.pages) if reading.layout else 0
    return row | {
        "pages": pages,
        "seconds": round(seconds, 2),
        "ms/page": round(1000 * seconds / max(1, pages), 1),
        "characters": len(reading.text),
        "headings": len(reading.sections),
        "regions": " ".join(f"{kind}:{n}" for kind, n in Counter(region.kind for region in reading.regions).items()),
        "repeats": len(repeats(reading)),
        "references": len(references_of(reading)),
        "title": reading.document.title[:40],
        "note": "; ".join(problem.reason for problem in problems)[:80],
    }


def references_of(reading: Reading) -> list[Reference]:
    return [
        item
        for region in reading.regions
        if region.kind == "references"
        for item in parse(reading.text, region.start, region.end)
    ]


def repeats(reading: Reading) -> list[str]:
    """Return lines that stand, but for their numbers, on more than half of the pages: what a running header looks like."""
    if reading.layout is None or len(reading.layout.pages) < 4:
        return []
    seen: dict[str, set[int]] = {}
    for line in reading.layout.lines:
        text = re.sub(r"\d+", "#", reading.text[line.start : line.end]).strip()
        if len(text) > 1:
            seen.setdefault(text, set()).add(line.box.page)
    return [text for text, pages in seen.items() if len(pages) > len(reading.layout.pages) / 2]


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError(f"not read within {LONGEST} seconds")


if __name__ == "__main__":
    main()
