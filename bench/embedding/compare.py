"""Time our embedder beside sentence-transformers in one run, by turns, so that both see the same machine."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from texts import equal_passages

PASSAGES = 64
ROUNDS = 5
QUERIES = 200
QUESTION = "How does BERT compare with GPT-2 on the GLUE benchmark?"
MEMORY = """
import sys
from scholarmind.adapters.minilm import MiniLM
sys.path.insert(0, {folder!r})
from texts import equal_passages
model = MiniLM()
for _ in range(4):
    model.encode(equal_passages(32))
status = open("/proc/self/status").read()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="folder of the model for sentence-transformers")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.model), indent=1))


def measure(model: str) -> dict[str, Any]:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    from scholarmind.adapters.minilm import MiniLM  # noqa: PLC0415

    reference = SentenceTransformer(model, device="cpu")
    ours = {"fp32": MiniLM(), "int8": MiniLM(precision="int8")}
    runners: dict[str, Callable[[list[str]], Any]] = {name: each.encode for name, each in ours.items()}
    runners["sentence-transformers"] = lambda texts: reference.encode(texts, batch_size=32)
    passages = equal_passages(PASSAGES)
    tokens = [len(ids) for ids in reference.tokenizer(passages, truncation=True, max_length=256)["input_ids"]]
    spent: dict[str, list[float]] = {name: [] for name in runners}
    for run in range(ROUNDS + 1):  # the first round warms up
        for name, runner in runners.items():
            start = time.perf_counter()
            runner(passages)
            if run:
                spent[name].append(time.perf_counter() - start)
    rates = {name: round(PASSAGES / median(times), 1) for name, times in spent.items()}
    return {
        "tokens_per_passage": min(tokens),
        "passages_per_second": rates,
        "times_sentence_transformers": {name: round(rates[name] / rates["sentence-transformers"], 2) for name in ours},
        "query_ms_p50": {name: query_ms(runner) for name, runner in runners.items()},
        "rss_mb": int(subprocess.check_output([sys.executable, "-c", MEMORY.format(folder=sys.path[0])])),
    }


def query_ms(runner: Callable[[list[str]], Any]) -> float:
    spent: list[float] = []
    for number in range(QUERIES):
        start = time.perf_counter()
        runner([f"{QUESTION} {number}"])
        spent.append((time.perf_counter() - start) * 1e3)
    return round(median(spent), 2)


if __name__ == "__main__":
    main()
