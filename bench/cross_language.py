"""Ask the demo notes in the other language: 40 Chinese questions over English notes, 40 English ones over Chinese notes.

python bench/cross_language.py [--misses]
"""

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path

from scholarmind import Library

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "src" / "scholarmind" / "demo" / "notes"
QUESTIONS = ROOT / "tests" / "data" / "cross_language.jsonl"


def main() -> None:
    """Print for each direction, library and mode how many questions have the right note among the first 5 passages."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--misses", action="store_true", help="also print the questions that fail in the mixed library"
    )
    given = arguments.parse_args()
    cases = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    english, chinese = (
        sorted(path for path in NOTES.glob("*.md") if path.name.endswith(".zh.md") == is_chinese)
        for is_chinese in (False, True)
    )
    libraries = {"mixed": [*english, *chinese], "zh": english, "en": chinese}
    with tempfile.TemporaryDirectory() as folder:
        for name, paths in libraries.items():
            with Library.open(Path(folder) / name) as library:
                library.add(paths)
                report(library, [case for case in cases if name in {"mixed", case["language"]}], name, given.misses)


def report(library: Library, cases: list[dict[str, str]], name: str, misses: bool) -> None:
    """Print the share of the questions that find their note, by language and mode."""
    for mode in ("keyword", "hybrid"):
        found: dict[str, list[int]] = defaultdict(list)
        for case in cases:
            hits = library.search(case["question"], 5, mode=mode).evidence  # type: ignore[arg-type]
            places = [place for place, hit in enumerate(hits, 1) if Path(hit.document.origin).name == case["note"]]
            found[case["language"]].append(places[0] if places else 0)
            if misses and mode == "hybrid" and name == "mixed" and not places:
                print("  missed", case["note"], case["question"], [Path(hit.document.origin).name for hit in hits])
        for language, ranks in sorted(found.items()):
            first = sum(rank == 1 for rank in ranks) / len(ranks)
            within = sum(rank > 0 for rank in ranks) / len(ranks)
            alone = (
                "in the library of both languages" if name == "mixed" else "in a library of the other language alone"
            )
            print(f"{language} questions, {mode}, {alone}: note first {first:.3f}, in the first 5 {within:.3f}")


if __name__ == "__main__":
    main()
