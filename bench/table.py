"""Measure the cells of literature tables by hiding: ten papers of which every cell is known, half of the cells taken out of them.

`bench/table.py` fills two tables: in each, the sentences of every other cell are hidden, so that each cell is stated in one of them at
most. A cell is right if it is stated and says what is known, or if it is absent and told as "not stated"; it is wrong if it says anything
else; it is falsely "not stated" if the paper does state it. `bench/table.py --whole` does so with 25 papers as they are printed, where the
value itself must say it; `--hide 0` and `--hide 1` take the sentences out that hold what is right. `--papers 200` measures how long a table
takes.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scholarmind import Library
from scholarmind.tables import TableCell
from scholarmind.text.analysis import sentences

SET = Path(__file__).with_name("table_set")
COLUMNS = ("task", "data sets", "sample size", "method", "metric", "best result", "limitation", "funding")


@dataclass(frozen=True, slots=True)
class Known:
    """A paper: what stands above it, its lines with the column that each states ('' for none), and what counts as right."""

    name: str
    head: dict[str, str]
    lines: list[tuple[str, str]]
    gold: dict[str, list[list[str]]]  # by column: of one alternative all must stand there

    def text(self, hidden: frozenset[str]) -> str:
        """Return the paper without the sentences that state these columns."""
        joint = "" if self.head["language"] == "zh" else " "
        paragraphs: list[list[str]] = [[]]
        for column, line in self.lines:
            if line.startswith("# "):
                paragraphs += [[f"#{line}"], []]
            elif column not in hidden or not column:
                paragraphs[-1].append(line)
        front = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in self.head.items())
        return f"---\n{front}\n---\n" + "\n\n".join(joint.join(lines) for lines in paragraphs if lines) + "\n"


def known() -> Iterator[Known]:
    """Yield the papers of the set."""
    for path in sorted(set(SET.glob("*.md")) - {SET / "README.md"}):
        head: dict[str, str] = {}
        gold: dict[str, list[list[str]]] = {}
        lines: list[tuple[str, str]] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.fullmatch(r"= ([^:]+): (.+)", line):
                gold[match[1]] = [[part.strip() for part in one.split("&")] for one in match[2].split("|")]
            elif not lines and (match := re.fullmatch(r"(\w+): (.+)", line)):
                head[match[1]] = match[2]
            elif match := re.fullmatch(r"\{(.+?)\} (.+)", line):
                lines.append((match[1], match[2]))
            else:
                lines.append(("", line))
        yield Known(path.stem, head, lines, gold)


def outcome(cell: TableCell | None, gold: list[list[str]], *, stated: bool) -> str:
    """Return what became of a cell."""
    if cell is None or not cell.value:
        return "falsely not stated" if stated else "right, not stated"
    text = f"{cell.value} {cell.source.text if cell.source else ''}".casefold()
    if stated and any(all(part.casefold() in text for part in parts) for parts in gold):
        return "right, stated"
    return "wrong value" if stated else "wrong, stated although absent"


def measure() -> dict[str, object]:
    """Fill both tables, and count."""
    papers, seconds, cpu = list(known()), 0.0, 0.0
    counts: Counter[str] = Counter()
    cells: list[dict[str, object]] = []
    for half in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            notes = Path(folder, "notes")
            notes.mkdir()
            hidden = {
                paper.name: frozenset(each for place, each in enumerate(COLUMNS) if (number + place) % 2 == half)
                for number, paper in enumerate(papers)
            }
            for paper in papers:
                (notes / f"{paper.name}.md").write_text(paper.text(hidden[paper.name]), encoding="utf-8")
            with Library.open(Path(folder, "library"), create=True, effort="keyless") as library:
                library.add(notes)
                library.tables.save("; ".join(COLUMNS), name="bench")
                began, worked = time.monotonic(), time.process_time()
                table = library.tables.fill("bench")
                seconds += time.monotonic() - began
                cpu += time.process_time() - worked
            rows = {Path(row.document.origin).stem: row for row in table.rows}
            for paper in papers:
                for column, cell in zip(COLUMNS, rows[paper.name].cells, strict=True):
                    stated = column in paper.gold and column not in hidden[paper.name]
                    became = outcome(cell, paper.gold.get(column, []), stated=stated)
                    counts[became] += 1
                    value = cell.value if cell else ""
                    cells.append(
                        {
                            "paper": paper.name,
                            "column": column,
                            "half": half,
                            "is": became,
                            "value": value,
                            "sure": cell.sure if cell else 0,
                        }
                    )
    return {"counts": dict(sorted(counts.items())), "seconds": round(seconds, 1), "cpu": round(cpu, 1), "cells": cells}


WHOLE = SET / "whole"
WHOLE_COLUMNS = {
    "en": ("sample size", "place", "method", "period", "main result", "limitation", "funding", "instrument"),
    "zh": ("样本量", "研究地点", "方法", "研究时间", "主要结果", "局限", "资助", "仪器"),
}
NAMED = WHOLE_COLUMNS["en"]
OFTEN_SAID = {"method", "main result"}  # in more sentences than those that are known: they cannot be hidden


def holds(text: str, gold: list[list[str]]) -> bool:
    """Tell whether a text says one of the alternatives; a number is none within another one."""

    def stands(part: str) -> bool:
        before, behind = r"(?<![\d.,])" * part[0].isdigit(), r"(?!\d)(?![.,]\d)" * part[-1].isdigit()
        return re.search(before + re.escape(part.casefold()) + behind, text) is not None

    text = " ".join(text.split()).casefold()
    return any(all(map(stands, parts)) for parts in gold)


def whole_papers(hide: int | None) -> Iterator[tuple[Path, str, str, dict[str, list[list[str]]]]]:
    """Yield each paper as it is printed: its file, text and language, and what is known of it; without what states every other column."""
    for number, path in enumerate(sorted(WHOLE.iterdir())):
        told = path.read_text(encoding="utf-8")
        text = re.sub(r"^= .+\n", "", told, flags=re.MULTILINE)
        gold = {
            match[1]: [[part.strip() for part in one.split("&")] for one in match[2].split("|")]
            for match in re.finditer(r"^= ([^:]+): (.+)$", told, re.MULTILINE)
        }
        for place, column in enumerate(NAMED):
            if hide is None or (place + number) % 2 != hide or column in OFTEN_SAID or column not in gold:
                continue
            spans = [span for span in sentences(text) if holds(text[slice(*span)], gold[column])]
            for start, end in reversed(spans):
                text = text[:start] + text[end:]
            del gold[column]
        yield path, text, "zh" if re.search(r"[\u4e00-\u9fff]", path.stem) else "en", gold


def measure_whole(hide: int | None) -> dict[str, object]:
    """Fill a table of each language, and count by language what became of the cells."""
    counts: dict[str, Counter[str]] = {"en": Counter(), "zh": Counter()}
    cells: list[dict[str, object]] = []
    papers = {path.name: (text, language, gold) for path, text, language, gold in whole_papers(hide)}
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        for name, (text, _, _) in papers.items():
            (notes / name).write_text(text, encoding="utf-8")
        with Library.open(Path(folder, "library"), create=True, effort="keyless") as library:
            library.add(notes)
            tables = {}
            for language, columns in WHOLE_COLUMNS.items():
                library.tables.save("; ".join(columns), name=language)
                tables[language] = library.tables.fill(language)
        for language, table in tables.items():
            for row in table.rows:
                name = Path(row.document.origin).name
                _, own, gold = papers[name]
                for column, cell in zip(NAMED, row.cells if own == language else (), strict=own == language):
                    value = cell.value if cell else ""
                    if column in gold:
                        became = (
                            "falsely not stated"
                            if not value
                            else "right"
                            if holds(value, gold[column])
                            else "wrong value"
                        )
                    else:
                        became = "stated although absent" if value else "absent"
                    counts[language][became] += 1
                    cells.append({"paper": name, "column": column, "is": became, "value": value})
    return {**{language: dict(sorted(counted.items())) for language, counted in counts.items()}, "cells": cells}


def pace(papers: int, pages: int) -> dict[str, object]:
    """Fill a table of so many long papers, and tell the time: each has the sentences of all papers of the set, over and over."""
    known_papers = list(known())
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        for number in range(papers):
            own = known_papers[number % len(known_papers)]
            others = [known_papers[(number + step) % len(known_papers)] for step in range(1, pages)]
            body = "\n\n".join(one.text(frozenset()).split("---\n", 2)[2] for one in others)
            text = own.text(frozenset()).replace('title: "', f'title: "{number} ', 1)
            (notes / f"{number}.md").write_text(f"{text}\n\n{body}\n\nThis is copy {number}.\n", encoding="utf-8")
        with Library.open(Path(folder, "library"), create=True, effort="keyless", graph=False, tree=False) as library:
            library.add(notes)
            passages = sum(each.passages for each in library.counts().values())
            library.tables.save("; ".join(COLUMNS), name="bench")
            began, worked = time.monotonic(), time.process_time()
            library.tables.fill("bench")
            seconds, cpu = time.monotonic() - began, time.process_time() - worked
            began = time.monotonic()
            library.tables.fill("bench")
            again = time.monotonic() - began
    return {
        "papers": papers,
        "columns": len(COLUMNS),
        "passages": passages,
        "seconds": round(seconds, 1),
        "cpu": round(cpu, 1),
        "again": round(again, 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=0, help="measure the time of a table of so many papers instead")
    parser.add_argument("--pages", type=int, default=5, help="how long each of them is, in papers of the set")
    parser.add_argument("--whole", action="store_true", help="papers as they are printed")
    parser.add_argument("--hide", type=int, choices=(0, 1), help="without what states every other column, of --whole")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    given = parser.parse_args()
    found = measure_whole(given.hide) if given.whole else pace(given.papers, given.pages) if given.papers else measure()
    if given.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for name, value in found.items():
        if name != "cells":
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
