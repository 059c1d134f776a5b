"""How many of the points that a full answer has does the writer see, and how many does the answer say, confirmed?

python bench/points.py                 tables: the demo notes and two made libraries, 64 composite and 20 simple questions
python bench/points.py --json          the shares for machines
python bench/points.py --lost          also every point that `standard` did not show, or did not say
python bench/points.py --only valley   one library; `--kind chain` one kind of question

The points were fixed with their passages before, and so was all that the model says: it is a reader (`point_sets/reader.py`), which
writes a sentence only where the words that it rests on are shown. `single` is one search, five passages and one call; `single_same_budget`
is one search and as many passages as the plan's writer may see.
"""

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from point_sets.asked import Asked, Collection, Point, Words, collections
from point_sets.reader import Reader, Shown, stands_in, written
from scholarmind import Answer, Library
from scholarmind.calls import Request
from scholarmind.llm.language_models import Models, tokens_of
from scholarmind.settings import Settings
from scholarmind.writing.model_writer import cost

BUDGET = 4_000  # tokens of passages
SINGLE = 5  # passages
OVERHEAD = 700  # tokens of the prompt around the passages
SPEEDS = (30, 80, 200)  # tokens a second that are written
READS = 25  # times as fast are prompts read
EFFORTS = ("standard", "deep", "fast")  # fast: the plan of the rules, and one call


@dataclass(slots=True)
class Outcome:
    """What came of one question in one way."""

    question: Asked
    way: str
    shown: list[bool] = field(default_factory=list[bool])
    covered: list[bool] = field(default_factory=list[bool])
    told: list[bool] = field(default_factory=list[bool])  # said with the right citation, confirmed or not
    calls: int = 1
    planned: bool = False
    said: int = 0
    wrong: list[str] = field(default_factory=list[str])
    deleted: list[str] = field(default_factory=list[str])
    verdict: str = ""
    tokens: int = 0  # of passages that the writer was shown
    seconds: dict[int, float] = field(default_factory=dict[int, float])
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every aspect was answered by all its points."""
        return not self.question.absent and all(self.covered)

    @property
    def lacks(self) -> bool:
        """Whether an aspect was not answered at all."""
        said = {point.aspect for point, is_said in zip(self.question.points, self.covered, strict=True) if is_said}
        return bool(self.question.absent) or bool({point.aspect for point in self.question.points} - said)


# -- the two ways without a plan


def single(library: Library, one: Asked, collection: Collection, *, budget: int) -> Outcome:
    """Search once, show what the budget allows (five passages without one), and let the reader write."""
    found = library.search(one.text, k=100).evidence
    passages: list[Shown] = []
    left = budget
    for place, item in enumerate(found[: None if budget else SINGLE], 1):
        text = item.passage.text
        if budget and (left := left - cost(item)) < 0:
            break
        passages.append(Shown(f"P{place}", item.document.title, text))
    way = "single_same_budget" if budget else "single"
    outcome = Outcome(one, way, tokens=sum(tokens_of(f"{passage.head} {passage.text}") for passage in passages))
    said = written(collection.readings[one.text], passages)
    heads = {passage.key: passage.head for passage in passages}
    for point in one.points:
        outcome.shown.append(_is_shown(point, passages))
        outcome.covered.append(
            any(point.is_said_by(read.text) and point.title in {heads[key] for key in keys} for read, keys in said)
        )
    out = sum(tokens_of(read.text) for read, _ in said) + 20
    outcome.seconds = {speed: _seconds(outcome.tokens + OVERHEAD, out, speed) for speed in SPEEDS}
    return outcome


def _is_shown(point: Point, passages: Sequence[Shown]) -> bool:
    return bool(stands_in(Words(point.title, point.words), passages))


def _seconds(prompt: int, out: int, speed: int) -> float:
    return prompt / (READS * speed) + out / speed


# -- the product


async def asked(library: Library, reader: Reader, one: Asked, way: str) -> Outcome:
    """Ask, and hold the answer against the points."""
    reader.about(one.text)
    answer = await library.ask.aio(one.text)
    outcome = Outcome(one, way, calls=len(reader.spans), verdict=answer.review.verdict, notes=answer.fallbacks)
    outcome.planned = any(request.purpose == "plan" for request, *_ in reader.spans)
    outcome.parts = tuple(row.text for row in answer.review.rows)
    outcome.tokens = sum(tokens_of(f"{passage.head} {passage.text}") for passage in reader.seen)
    for point in one.points:
        is_covered = _is_covered(point, answer)
        outcome.covered.append(is_covered)
        outcome.told.append(_is_covered(point, answer, marked=True))
        outcome.shown.append(_is_shown(point, reader.seen) or (is_covered and not reader.seen))
    claims = {_bare(claim.text): claim for claim in answer.claims}
    text = _bare(answer.text)
    for read, _ in reader.said:
        outcome.said += 1
        claim = claims.get(_bare(read.text))
        if _bare(read.text) not in text:
            outcome.deleted.append(read.text)
        elif claim is None or claim.status == "unsupported":
            outcome.wrong.append(read.text)
    outcome.seconds = {speed: _critical(reader.spans, speed) for speed in SPEEDS}
    return outcome


def _is_covered(point: Point, answer: Answer, *, marked: bool = False) -> bool:
    return any(
        point.is_said_by(claim.text)
        and (marked or claim.status != "unsupported")
        and any(citation.title == point.title for citation in claim.citations)
        for claim in answer.claims
    )


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _critical(spans: Sequence[tuple[Request, int, int, int]], speed: int) -> float:
    """Return the seconds of the longest chain of calls, each of which began when those before it had ended."""
    ends: list[tuple[int, float]] = []
    for request, began, ended, out in sorted(spans, key=lambda span: span[1]):
        start = max((seconds for end, seconds in ends if end < began), default=0.0)
        prompt = sum(tokens_of(message.text) for message in request.messages)
        ends.append((ended, start + _seconds(prompt, out, speed)))
    return max((seconds for _, seconds in ends), default=0.0)


# -- all of them


async def measured(only: str, kind: str) -> list[Outcome]:
    """Ask everything in every way."""
    outcomes: list[Outcome] = []
    for collection in collections():
        if only and collection.name != only:
            continue
        with tempfile.TemporaryDirectory(prefix="scholarmind-points-") as folder:
            notes = filed(collection, Path(folder, "notes"))
            reader = Reader(collection.readings)
            for effort in EFFORTS:
                settings = Settings.load(
                    {},
                    Path(folder),
                    library=Path(folder, "library"),
                    effort=effort,
                    cache="none",
                )
                models = Models(model=reader, names={"generation": "reader"})
                with Library(settings, models=models) as library:
                    if effort == EFFORTS[0]:
                        library.add(notes)
                    for one in collection.asked:
                        if kind and one.kind != kind:
                            continue
                        if effort == EFFORTS[0]:
                            outcomes += [single(library, one, collection, budget=most) for most in (0, BUDGET)]
                        outcomes.append(await asked(library, reader, one, effort))
    return outcomes


def filed(collection: Collection, folder: Path) -> Path:
    """Write the texts of a collection into a folder."""
    folder.mkdir()
    for name, text in collection.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def share(values: Iterator[bool] | Sequence[bool]) -> float:
    """Return how many of these are true, as a share."""
    known = list(values)
    return round(sum(known) / len(known), 4) if known else 0.0


def shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return what `--json` gives: of composite questions, but for what is said of the simple ones."""
    by_way: defaultdict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_way[one.way].append(one)
    composite = {way: [one for one in some if one.question.kind != "simple"] for way, some in by_way.items()}
    simple = {way: [one for one in some if one.question.kind == "simple"] for way, some in by_way.items()}
    full = [one for way in EFFORTS[:2] for one in by_way[way]]
    standard = by_way["standard"]
    return {
        "points": sum(len(one.question.points) for one in standard),
        "questions": {"composite": len(composite["standard"]), "simple": len(simple["standard"])},
        "shown": {way: share([is_shown for one in some for is_shown in one.shown]) for way, some in composite.items()},
        "covered": {way: share([said for one in some for said in one.covered]) for way, some in composite.items()},
        "told": {way: share([said for one in composite[way] for said in one.told]) for way in EFFORTS},
        "wrong_marks": round(sum(len(one.wrong) for one in full) / max(1, sum(one.said for one in full)), 4),
        "deleted": sum(len(one.deleted) for one in full),
        "false_complete": share([one.verdict == "complete" and one.lacks for one in standard]),
        "false_incomplete": share([one.verdict != "complete" and one.is_whole for one in standard]),
        "simple": {way: share([said for one in some for said in one.covered]) for way, some in simple.items()},
        "simple_calls": max((one.calls for one in simple["standard"]), default=0),
        "calls": {
            way: round(sum(one.calls for one in composite[way]) / max(1, len(composite[way])), 2) for way in EFFORTS
        },
        "planned_by_model": share([one.planned for one in composite["standard"]]),
        "latency": latencies(composite),
        "tokens": {way: round(sum(one.tokens for one in some) / max(1, len(some))) for way, some in composite.items()},
    }


def latencies(composite: Mapping[str, Sequence[Outcome]]) -> dict[str, dict[int, float]]:
    """Return how many times as long as one search with the same budget it takes, in the middle of all questions."""
    alone = {one.question.text: one for one in composite["single_same_budget"]}
    found: dict[str, dict[int, float]] = {}
    for name, planned in (("rules", False), ("model", True)):
        some = [one for one in composite["standard"] if one.planned is planned]
        found[name] = {
            speed: round(
                sum(one.seconds[speed] for one in some)
                / max(1e-9, sum(alone[one.question.text].seconds[speed] for one in some)),
                2,
            )
            for speed in SPEEDS
        }
    return found


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what was covered by kind of question and way."""
    ways = ("single", "single_same_budget", *EFFORTS)
    yield "| kind | questions | points | " + " | ".join(ways) + " | shown: same budget | shown: standard |"
    yield "|" + "---|" * (5 + len(ways))
    kinds = dict.fromkeys(one.question.kind for one in outcomes)
    for kind in kinds:
        some = {way: [one for one in outcomes if one.way == way and one.question.kind == kind] for way in ways}
        covered = [f"{share([said for one in some[way] for said in one.covered]):.2f}" for way in ways]
        seen = [f"{share([is_shown for one in some[way] for is_shown in one.shown]):.2f}" for way in ways[1:3]]
        points = sum(len(one.question.points) for one in some["standard"])
        yield f"| {kind} | {len(some['standard'])} | {points} | {' | '.join((*covered, *seen))} |"


def lost(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what went wrong, question by question."""
    for one in outcomes:
        if one.way not in EFFORTS:
            continue
        told = [
            f"  {'not said' if seen else 'NOT SHOWN'}: {point.title[:30]}: {point.words[:70]}"
            for point, said, seen in zip(one.question.points, one.covered, one.shown, strict=True)
            if not said
        ]
        told += [f"  marked: {text}" for text in one.wrong] + [f"  deleted: {text}" for text in one.deleted]
        told += ["  FALSE COMPLETE"] * (one.verdict == "complete" and one.lacks)
        told += [f"  false {one.verdict}"] * (one.verdict != "complete" and one.is_whole)
        if told:
            yield f"[{one.way}, {one.question.kind}, {one.calls} calls, {one.tokens} tokens, {one.verdict}] {one.question.text}"
            yield from told
            yield "  rows: " + " | ".join(one.parts)
            yield from (f"  note: {note[:160]}" for note in one.notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lost", action="store_true")
    parser.add_argument("--only", default="", choices=("", "demo", "valley", "tea"))
    parser.add_argument("--kind", default="")
    arguments = parser.parse_args()
    outcomes = asyncio.run(measured(arguments.only, arguments.kind))
    figures = shares(outcomes)
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return
    print("\n".join(table(outcomes)), "\n")
    print("\n".join(f"{name}: {value}" for name, value in figures.items()))
    if arguments.lost:
        print("", *lost(outcomes), sep="\n")


if __name__ == "__main__":
    main()
