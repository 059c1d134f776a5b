"""How much of a perfect plan reaches the passages: the gold steps of a dataset as the model's plan, their gold answers as its answers.

python bench/recorded_plans.py FOLDER        a folder with corpus.jsonl and queries.jsonl whose questions have a `decomposition`
"""

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from scholarmind import Library, Settings
from scholarmind.calls import Request
from scholarmind.evaluation.dataset_evaluation import cached_library
from scholarmind.llm.language_models import Models
from scholarmind.steps.options import Options
from scholarmind.testing import ScriptedModel

PLACES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    lines = (arguments.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()[: arguments.limit]
    queries = [json.loads(line) for line in lines]
    corpus = arguments.folder / "corpus.jsonl"
    settings = Settings.load()
    with Library(replace(settings, library=cached_library(corpus, settings))) as library:
        library.add(corpus)
        ways = {"rules": "keyless", "recorded plans and answers": "standard"}
        print(json.dumps({way: measured(library, queries, effort) for way, effort in ways.items()}, indent=1))


def measured(library: Library, queries: list[dict[str, Any]], effort: Any) -> dict[str, Any]:
    recall: list[float] = []
    planned = 0
    for query in queries:
        model = ScriptedModel(recorded(query["decomposition"]))
        library.models = Models(model=model)
        found = library.retrieve(query["question"], (PLACES,), options=Options(effort=effort))[PLACES]
        planned += any(request.purpose == "plan" for request in model.requests)
        needed = {item["id"] for item in query["evidence"]}
        recall.append(len(needed & {item.document.id for item in found}) / len(needed))
    return {
        f"recall@{PLACES}": round(fmean(recall), 3),
        f"all@{PLACES}": round(fmean(share == 1 for share in recall), 3),
        "plans asked for": planned,
        "questions": len(queries),
    }


def recorded(steps: list[dict[str, Any]]) -> Callable[[Request], Any]:
    """Return a model that replies the gold plan, and to each step its gold answer."""
    parts = [
        {
            "question": step["question"],
            "kind": "factual",
            "depends_on": [int(number) for number in re.findall(r"#(\d+)", step["question"])],
        }
        for step in steps
    ]
    answers = {step["step"]: step.get("answer", "") for step in steps}

    def answer(request: Request) -> Any:
        if request.purpose == "plan":
            return {"parts": parts}
        return {"answer": answers.get(request.part or 0, ""), "passages": [], "nothing_found": False}

    return answer


if __name__ == "__main__":
    main()
