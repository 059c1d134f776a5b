"""How well `scholarmind check` tells right sentences of a draft from wrong ones: which share of each it flags, by kind of error.

python bench/draft.py [--seen | --unseen] [--library DIR] [--llm MODEL | --pointing] [--show] [--json]

`bench/judged/drafts_seen.txt` and `drafts_unseen.txt` hold fifty sentences each, in our own words, over the notes of the demo: right as
they stand, and wrong by one changed number, name or relation, or by the work that they cite. The checker was worked on with the first half;
the second one is for reading off. Both were written, before it, by the hand that then wrote the checker. They are checked as a Markdown
draft with the demo's bibliography, by `Library.check`, over a library of the demo's notes (made anew, or in --library).

--llm asks a language model as the command does. --pointing has a scripted one, which points at the sentence of the sources that shares
most words with each claim, whether it says it or not: what a careless model can do to the figures, and no measure of a real one.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

JUDGED = Path(__file__).parent / "judged"
PLACE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
FLAGGED = ("contradicted", "not said", "not in the library", "uncited")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--seen", action="store_true", help="only the half that may be looked at")
    which.add_argument("--unseen", action="store_true", help="only the other half")
    parser.add_argument(
        "--library", type=Path, help="a folder for the library of the demo's notes, kept for the next time"
    )
    parser.add_argument("--llm", help="a language model, as the command takes it")
    parser.add_argument("--pointing", action="store_true", help="a scripted model that points at the nearest words")
    parser.add_argument("--show", action="store_true", help="print the mistakes (not of the unseen half)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    names = [
        name for name in ("seen", "unseen") if not (arguments.seen or arguments.unseen) or getattr(arguments, name)
    ]
    with tempfile.TemporaryDirectory() as folder:
        told = {name: measured(name, arguments, Path(folder)) for name in names}
    print(json.dumps(told, ensure_ascii=False, indent=1) if arguments.json else "\n\n".join(map(as_text, told.items())))


def sentences(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield each sentence with the key that it cites and what is wrong with it ("right" for nothing)."""
    for line in (JUDGED / f"drafts_{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        keys, kind, sentence = (part.strip() for part in line.split("|", 2))
        right, _, wrong = (key.strip() for key in keys.partition(">"))
        yield right, "right", PLACE.sub(r"\1", sentence)
        yield wrong or right, kind, PLACE.sub(r"\2", sentence)


def measured(name: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Check one half, and return the shares that were flagged."""
    from scholarmind import Library  # noqa: PLC0415

    rows = list(sentences(name))
    draft = folder / f"{name}.md"
    draft.write_text("".join(f"{_cited(sentence, key)}\n\n" for key, _, sentence in rows), encoding="utf-8")
    settings: dict[str, Any] = {"llm": arguments.llm} if arguments.llm else {"effort": "keyless"}
    place = arguments.library or folder / "library"
    with (
        as_file(files("scholarmind.demo")) as demo,
        Library.open(place, create=True, cache="none", **settings) as library,
    ):
        library.add(demo / "notes", bibliographies=demo / "library.bib")
        asked = _pointed(library) if arguments.pointing else library
        began = time.perf_counter()
        report = asked.check(draft, bibliographies=demo / "library.bib")
        seconds = time.perf_counter() - began
    if len(report.remarks) != len(rows):
        raise SystemExit(f"{len(rows)} sentences were written, and {len(report.remarks)} were found in the draft")
    return _counted(rows, report.remarks, seconds, show=arguments.show and name == "seen")


def _cited(sentence: str, key: str) -> str:
    return f"{sentence[:-1]} [@{key}]{sentence[-1]}"


def _pointed(library: Any) -> Any:
    """Return the library with a scripted model."""
    from dataclasses import replace  # noqa: PLC0415

    from scholarmind.judge.document_claims import DocumentText  # noqa: PLC0415
    from scholarmind.judge.wording import read  # noqa: PLC0415
    from scholarmind.llm.language_models import Models  # noqa: PLC0415
    from scholarmind.testing import ScriptedModel  # noqa: PLC0415

    block = re.compile(r"<(claim|source of) (\d+) \w+>\n(.*?)\n</", re.DOTALL)

    def answer(request: Any) -> str:
        told: dict[str, tuple[str, list[str]]] = {}
        for kind, number, text in block.findall("\n".join(message.text for message in request.messages)):
            if kind == "claim":
                told[number] = (text, [])
            else:
                told[number][1].append(text)
        checks: list[dict[str, Any]] = []
        for number, (claim, sources) in told.items():
            document = DocumentText(sources, "")
            shares = document.shares(read(claim))
            best = max(range(len(shares)), key=lambda place: shares[place], default=None)
            checks.append({"claim": int(number), "words": "" if best is None else document.text(best)})
        return json.dumps({"checks": checks}, ensure_ascii=False)

    library.settings = replace(library.settings, effort="standard")
    library.models = Models(model=ScriptedModel(answer))
    return library


def _counted(rows: list[tuple[str, str, str]], remarks: Any, seconds: float, *, show: bool) -> dict[str, Any]:
    every, flagged = Counter[str](), Counter[str]()
    mistakes: list[dict[str, Any]] = []
    verdicts: dict[str, Counter[str]] = {}
    for (_, kind, sentence), remark in zip(rows, remarks, strict=True):
        language = "zh" if re.search(r"[\u3400-\u9fff]", sentence) else "en"
        for name in (
            kind,
            f"{'right' if kind == 'right' else 'wrong'} {language}",
            *([] if kind == "right" else ["wrong"]),
        ):
            every[name] += 1
            flagged[name] += remark.verdict in FLAGGED
        verdicts.setdefault(kind, Counter())[remark.verdict] += 1
        if (remark.verdict in FLAGGED) == (kind == "right"):
            why = [f"{one.kind} {one.own} {one.other}".strip() for one in remark.objections]
            mistakes.append({"kind": kind, "verdict": remark.verdict, "sentence": sentence, "why": why})
    order = ("right", "wrong", "number", "name", "relation", "source", "right en", "wrong en", "right zh", "wrong zh")
    return {
        "flagged": {
            name: {"of": every[name], "share": round(flagged[name] / every[name], 3)} for name in order if every[name]
        },
        "verdicts": {kind: dict(counts) for kind, counts in verdicts.items()},
        "milliseconds_a_sentence": round(seconds * 1e3 / len(rows)),
        **({"mistakes": mistakes} if show else {}),
    }


def as_text(named: tuple[str, dict[str, Any]]) -> str:
    name, told = named
    lines = [f"{name}: {told['milliseconds_a_sentence']} ms a sentence"]
    lines += [
        f"  {kind:<10} {each['of']:>4} sentences, {each['share']:6.1%} flagged"
        for kind, each in told["flagged"].items()
    ]
    lines += [
        f"  {one['kind']:<9} {one['verdict']:<13} {one['sentence']}  {'; '.join(one['why'])}"
        for one in told.get("mistakes", ())
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
