"""How well the checker tells what a source says from what it does not say: a table by kind of sentence, for each language.

python bench/claims.py [--nli DIR] [--file FILE ...] [--unread] [--show N] [--json]

`bench/judged/claims_en.jsonl` and `claims_zh.jsonl` hold one pair a line: `source` (a list of passages), `sentence`, `label` ("true" if the
passages say it), `kind`. Nobody who works on the checker has seen them, which is what makes them worth something: look at the figures, and
at `--show` only if you will not change the checker afterwards. `--file` takes other pairs: `claims_en_2.jsonl` and `claims_zh_2.jsonl` were
written by one who worked on it, before he did. With `--unread` nobody reads them for their meaning (`E5Entailment`).
With `--nli` the sets for language inference in a folder
are printed beside (not those to train on), of which entailment counts as true. They are stricter than a reader, who knows what a passage is
about: their wrong sentences that are confirmed say more than their right ones that are not.

confirmed   verified, paraphrase or conclusion
doubtful    left as it is, with a mark
refused     taken out
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholarmind.adapters.e5.reader import E5Entailment, E5Reader
from scholarmind.judge.claims import rule

JUDGED = Path(__file__).parent / "judged"
FILES = (JUDGED / "claims_en.jsonl", JUDGED / "claims_zh.jsonl")
CONFIRMED = frozenset(("verified", "paraphrase", "conclusion"))
Rule = Callable[[str, Sequence[str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A sentence, the passages that it is held against, whether they say it, and what kind of right or wrong it is."""

    sentence: str
    sources: tuple[str, ...]
    right: bool
    kind: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nli", type=Path, help="a folder with sets for language inference")
    parser.add_argument("--file", type=Path, action="append", help="pairs in place of ours; can be repeated")
    parser.add_argument("--unread", action="store_true", help="by the signs of words alone")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many mistakes of each file")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    reads = None if arguments.unread else E5Entailment(E5Reader())

    def ruled(sentence: str, sources: Sequence[str]) -> str:
        return rule(sentence, sources, "", reads)

    beside = sorted(arguments.nli.glob("*.jsonl")) if arguments.nli else []
    files = [*(arguments.file or FILES), *(file for file in beside if "train" not in file.stem)]
    told = {file.stem: measure(list(pairs(file)), ruled, arguments.show) for file in files}
    print(json.dumps(told, ensure_ascii=False, indent=1) if arguments.json else "\n\n".join(map(as_text, told.items())))


def pairs(file: Path) -> Iterator[Pair]:
    """Yield what is in a file: pairs as ours, premise and hypothesis, or an input with passages that are its gold context."""
    for line in filter(str.strip, file.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        if "premise" in row:
            right = row["label"] == "entailment"
            yield Pair(sentence=row["hypothesis"], sources=(row["premise"],), right=right, kind=row["label"])
        elif "gold_ctx" in row:
            texts = tuple(one["text"] for one in row["gold_ctx"])
            yield Pair(sentence=row["input"], sources=texts, right=row["answer"] == "true", kind=row["answer"])
        else:
            right = row["label"] == "true"
            yield Pair(sentence=row["sentence"], sources=tuple(row["source"]), right=right, kind=row["kind"])


def measure(judged: Sequence[Pair], rule: Rule, show: int) -> dict[str, Any]:
    """Return what became of the pairs by kind, right ones first, and in all."""
    began = time.perf_counter()
    results = [rule(pair.sentence, pair.sources) for pair in judged]
    milliseconds = (time.perf_counter() - began) * 1e3 / len(judged)
    by_kind: dict[tuple[bool, str], Counter[str]] = {}
    for pair, result in zip(judged, results, strict=True):
        by_kind.setdefault((pair.right, pair.kind), Counter())[result] += 1
    totals = {
        side: sum((counts for (right, _), counts in by_kind.items() if right is side), Counter[str]())
        for side in (True, False)
    }
    both = totals[True] + totals[False]
    mistakes = [
        {"kind": pair.kind, "right": pair.right, "result": result, "sentence": pair.sentence, "source": pair.sources}
        for pair, result in zip(judged, results, strict=True)
        if (result in CONFIRMED if not pair.right else result == "refused")
    ]
    return {
        "n": len(judged),
        "by_kind": [
            {"right": right, "kind": kind, **row(counts)}
            for (right, kind), counts in sorted(by_kind.items(), key=lambda item: (not item[0][0], item[0][1]))
        ],
        "wrong_confirmed": share(sum(totals[False][one] for one in CONFIRMED), totals[False]),
        "wrong_verified": totals[False]["verified"],
        "right_refused": share(totals[True]["refused"], totals[True]),
        "right_confirmed": share(sum(totals[True][one] for one in CONFIRMED), totals[True]),
        "doubtful": share(both["doubtful"], both),
        "milliseconds": round(milliseconds, 2),
        **({"mistakes": mistakes[:show]} if show else {}),
    }


def row(counts: Counter[str]) -> dict[str, int]:
    """Return the cells of one kind."""
    confirmed = sum(counts[one] for one in CONFIRMED)
    return {
        "n": counts.total(),
        "confirmed": confirmed,
        "doubtful": counts["doubtful"],
        "refused": counts["refused"],
    }


def share(count: int, of: Counter[str]) -> float | None:
    return round(count / of.total(), 4) if of else None


def as_text(named: tuple[str, Mapping[str, Any]]) -> str:
    name, told = named
    lines = [
        f"{name}: {told['n']} pairs, {told['milliseconds']} ms each",
        "",
        f"{'':<7}{'kind':<20}{'n':>6}{'confirmed':>11}{'doubtful':>10}{'refused':>9}",
    ]
    for one in told["by_kind"]:
        label = "true" if one["right"] else "false"
        cells = f"{one['n']:>6}{one['confirmed']:>11}{one['doubtful']:>10}{one['refused']:>9}"
        lines.append(f"{label:<7}{one['kind']:<20}{cells}")
    totals = (
        f"wrong ones confirmed {percent(told['wrong_confirmed'])} (verified: {told['wrong_verified']}), "
        f"true ones refused {percent(told['right_refused'])}, confirmed {percent(told['right_confirmed'])}, "
        f"doubtful {percent(told['doubtful'])} of all"
    )
    lines += ["", totals]
    for one in told.get("mistakes", ()):
        label = "true" if one["right"] else "false"
        lines += ["", f"[{label}, {one['kind']}: {one['result']}] {one['sentence']}"]
        lines += [f"    {source}" for source in one["source"]]
    return "\n".join(lines)


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


if __name__ == "__main__":
    main()
