"""Ask the demo notes in the other language: 40 Chinese questions over English notes, 40 English ones over Chinese notes.

python bench/cross_language.py [--misses] [--translated | --fresh]

With --translated the questions are planned as one part and researched with a model that says the translations of
tests/data/cross_language_translated.jsonl, which were written without looking at the notes; without it by words and vectors alone.
With --fresh 30 questions in each language are asked over 60 short notes on other things than the glossary is made for
(tests/data/cross_language_fresh.jsonl), which nothing was fitted to.
"""

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from scholarmind import Library, Options, wiring
from scholarmind.calls import Request
from scholarmind.library.retrieval import LibraryRetriever
from scholarmind.llm.language_models import Models
from scholarmind.planning.rule_planner import direct
from scholarmind.testing import ScriptedModel
from scholarmind.text.glossary import translated_share, translations

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "src" / "scholarmind" / "demo" / "notes"
QUESTIONS = ROOT / "tests" / "data" / "cross_language.jsonl"
FRESH = ROOT / "tests" / "data" / "cross_language_fresh.jsonl"
TRANSLATIONS = ROOT / "tests" / "data" / "cross_language_translated.jsonl"


def main() -> None:
    """Print for each direction, library and mode how many questions have the right note among the first 5 passages."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "--misses", action="store_true", help="also print the questions that fail in the mixed library"
    )
    arguments.add_argument(
        "--translated", action="store_true", help="ask through the engine, without and with translations"
    )
    arguments.add_argument("--fresh", action="store_true", help="ask 60 notes outside of the glossary's field")
    given = arguments.parse_args()
    if given.fresh:
        report_fresh(misses=given.misses)
        return
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
                own = [case for case in cases if name in {"mixed", case["language"]}]
                if given.translated:
                    asyncio.run(report_translated(library, own, name))
                else:
                    report(library, own, name, given.misses)


def report_fresh(*, misses: bool) -> None:
    """Do the same for the fresh pairs, all in one library, and say how much of their questions the glossary translates."""
    cases = [json.loads(line) for line in FRESH.read_text(encoding="utf-8").splitlines()]
    for language in ("en", "zh"):
        shares = [
            translated_share(case["question"], translations(case["question"]))
            for case in cases
            if case["language"] == language
        ]
        print(f"{language} questions: {sum(shares) / len(shares):.2f} of their letters are translated")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            Path(folder, f"{case['note']}.md").write_text(f"# {case['title']}\n\n{case['text']}\n", encoding="utf-8")
        with Library.open(Path(folder) / "library") as library:
            library.add(folder)
            report(library, [{**case, "note": f"{case['note']}.md"} for case in cases], "mixed", misses)


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


class Asked:
    """A planner that leaves each question whole."""

    def talk(self, question: str) -> str:
        """Take everything for a question."""
        del question
        return ""

    async def plan(self, question: str, look: object) -> Any:
        """Return the question as one part."""
        del look
        return direct(question, "one part", "bench")


async def report_translated(library: Library, cases: list[dict[str, str]], name: str) -> None:
    """Print how many questions find their note among the 5 passages that the engine keeps, without and with translations."""
    lines = TRANSLATIONS.read_text(encoding="utf-8").splitlines()
    said = {line["question"]: line["translation"] for line in map(json.loads, lines)}

    def answer(request: Request) -> object:
        text = request.messages[-1].text
        question = next(question for question in said if question in text)
        if request.purpose == "plan":
            return {"parts": [{"question": question}]}
        language = "en" if "en (" in request.messages[0].text else "zh"
        return {"translations": [{"id": 1, "language": language, "text": said[question]}]}

    models = Models(model=ScriptedModel(answer), names={"generation": "scripted"})
    for translate in (False, True):
        retrieval = wiring.retrieval(library.settings, library.store, wiring.embedder(library.settings))
        chosen = Options(translate=translate, places=5)
        retriever = LibraryRetriever(retrieval=retrieval)
        engine = wiring.engine(library.settings, library.store, retriever, models=models, chosen=chosen)
        engine = replace(engine, planner=Asked())
        found: dict[str, list[bool]] = defaultdict(list)
        for case in cases:
            hits = (await engine.find(case["question"], 5)).evidence
            found[case["language"]].append(case["note"] in {Path(hit.document.origin).name for hit in hits})
        for language, right in sorted(found.items()):
            how = "with translations" if translate else "without"
            print(f"{language} questions, {name} library, {how}: in the first 5 {sum(right) / len(right):.3f}")


if __name__ == "__main__":
    main()
