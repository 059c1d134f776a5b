"""How well the checker tells what a source says from what it does not say: a table by kind of sentence, for each language.

python bench/claims.py [--nli DIR] [--file FILE ...] [--places] [--show N] [--json]

`bench/judged/claims_en.jsonl` and `claims_zh.jsonl` hold one pair a line: `source` (a list of passages), `sentence`, `label` ("true" if the
passages say it), `kind`. Nobody who works on the checker has seen them, which is what makes them worth something: look at the figures, and
at `--show` only if you will not change the checker afterwards. `--file` takes other pairs: `claims_en_2.jsonl` and `claims_zh_2.jsonl` were
written by one who worked on it, before he did. With `--places` short sentences follow in which one word is right or wrong (`judged/places`,
on the texts of `scripts/reader_data`); these may be looked at, and learnt from. With `--nli` the sets for language inference in a folder
are printed beside (not those to train on), of which entailment counts as true. They are stricter than a reader, who knows what a passage is
about: their wrong sentences that are confirmed say more than their right ones that are not.

confirmed   verified, paraphrase or conclusion
doubtful    left as it is, with a mark
refused     taken out
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JUDGED = Path(__file__).parent / "judged"
FILES = (JUDGED / "claims_en.jsonl", JUDGED / "claims_zh.jsonl")
TEXTS = Path(__file__).parents[1] / "scripts/reader_data"
PLACE = re.compile(r"\{([^{}]*)\}")
CHOICE = re.compile(r"\[([^\[\]]*)\]")
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
    parser.add_argument("--places", action="store_true", help="also short sentences in which one word is changed")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many mistakes of each file")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    from scholarmind.judge.claims import rule  # noqa: PLC0415

    beside = sorted(arguments.nli.glob("*.jsonl")) if arguments.nli else []
    files = [*(arguments.file or FILES), *(file for file in beside if "train" not in file.stem)]
    told = {file.stem: measure(list(pairs(file)), rule, arguments.show) for file in files}
    if arguments.places:
        every = list(placed())
        for name in ("english", "chinese"):
            some = [pair for file, pair in every if file.startswith(name)]
            told[f"places_{name}"] = measure(some, rule, arguments.show)
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


def placed() -> Iterator[tuple[str, Pair]]:
    """Yield what the lines of `judged/places` come to, each with the name of its file.

    `# FILE:LINE` names the text of what follows, or several joined by `+`; `=` stands before one that is told there. {right|wrong|wrong}
    is a place: one is changed at a time, or two at once that have each other's words. [one/other] is the same either way; `-` stands
    before what is false.
    """
    for file in sorted((JUDGED / "places").glob("*.txt")):
        sources: tuple[str, ...] = ()
        for line in filter(None, file.read_text(encoding="utf-8").splitlines()):
            mark, rest = line[:2], line[2:]
            if mark == "# ":
                sources = tuple(map(_text, rest.split("+")))
            elif mark == "= ":
                sources = (rest,)
            elif mark == "- ":
                yield file.stem, Pair(sentence=rest, sources=sources, right=False, kind="invented")
            else:
                for sentence, kind in _filled(CHOICE.sub(lambda found: found[1].split("/")[0], line)):
                    yield file.stem, Pair(sentence=sentence, sources=sources, right=kind == "true", kind=kind)


def _text(name: str) -> str:
    file, _, number = name.partition(":")
    told = json.loads((TEXTS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()[int(number)])
    return ("" if "zh" in file else " ").join(told["sentences"])


def _filled(line: str) -> Iterator[tuple[str, str]]:
    """Yield the sentence with the right words, and with wrong ones."""
    frame, words = PLACE.sub("{}", line), [found.split("|") for found in PLACE.findall(line)]
    right = [some[0] for some in words]
    joined: set[int] = set()

    def told(changed: Mapping[int, str]) -> str:
        sentence = frame.format(*(changed.get(place, word) for place, word in enumerate(right)))
        return sentence[:1].upper() + sentence[1:]

    yield told({}), "true"
    for one, mine in enumerate(right):
        for other, theirs in enumerate(right[one + 1 :], one + 1):
            if mine != theirs and mine in words[other][1:] and theirs in words[one][1:]:
                joined |= {one, other}
                yield told({one: theirs, other: mine}), "swapped"
    for place, some in enumerate(words):
        if place not in joined:
            yield from ((told({place: word}), "changed") for word in some[1:])


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
