"""Match made-up documents with a made-up bibliography: how long it takes, and how many matches are found and right.

python bench/matching.py --entries 10000 --documents 1000

Of the documents, 40 % are named by a file field, 20 % carry their DOI, 10 % their arXiv id, and 30 % only a title that was read badly.
A tenth of each kind has no entry. A fifth of the entries has a neighbour: the same title but for a number, a word or an "Erratum to".
"""

import argparse
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scholarmind.library.matching import Match, Matcher
from scholarmind.library.report import outcome, report
from scholarmind.model import BibEntry, Document, Fact
from synthetic import Synthetic

FOLDER = "/home/ada/papers"
KINDS = [("file", 40), ("DOI", 20), ("arXiv", 10), ("title", 30)]
FILE_FORMS = (
    f"{FOLDER}/{{name}}.pdf",
    "{name}.pdf",
    "../papers/{name}.pdf",
    "C:\\Users\\ada\\Zotero\\storage\\ABCD\\{name}.pdf",
    "file:///media/stick/{name}.pdf",
)


@dataclass
class Given:
    """A document, where it lies, and the key of the entry that it is ('' for none)."""

    document: Document
    facts: tuple[Fact, ...]
    path: Path
    key: str
    kind: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=1_000)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.entries, arguments.documents), indent=1))


def measure(entries: int, documents: int) -> dict[str, Any]:
    chance = random.Random(11)  # noqa: S311  (made-up data)
    shelf = bibliography(entries + documents // 10, chance)
    chance.shuffle(shelf)  # so that documents without an entry have neighbours with one
    kept, absent = shelf[:entries], shelf[entries:]
    given = files(kept, absent, documents, chance)
    start = time.perf_counter()
    matcher = Matcher(kept)
    built = time.perf_counter() - start
    matches = {
        item.document.id: match for item in given if (match := matcher.match(item.document, item.facts, item.path))
    }
    told = report(outcome(kept, matches, matcher.misses))
    seconds = time.perf_counter() - start
    return {
        "entries": entries,
        "documents": documents,
        "seconds_building": round(built, 2),
        "seconds_in_all": round(seconds, 2),
        "summary": told.summary(),
        **quality(given, matches),
    }


def quality(given: list[Given], matches: dict[str, Match]) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = {kind: Counter() for kind, _ in KINDS}
    for item in given:
        match = matches.get(item.document.id)
        found = match.entry.key if match else ""
        counts[item.kind]["wanted"] += bool(item.key)
        counts[item.kind]["found"] += bool(found)
        counts[item.kind]["right"] += bool(found) and found == item.key
    total = sum(counts.values(), Counter())
    return {
        name: {"precision": round(some["right"] / some["found"], 4), "recall": round(some["right"] / some["wanted"], 4)}
        for name, some in {**counts, "all": total}.items()
    }


def bibliography(size: int, chance: random.Random) -> list[BibEntry]:
    titles = [
        " ".join(entry.document.title.split()[:6] + entry.passages[0].text.split()[10 : 10 + chance.randint(0, 5)])
        for entry, _ in Synthetic(per_document=1).documents(size)
    ]
    for place in range(1, size, 5):
        titles[place] = neighbour(titles[place - 1], titles[place], chance)
    return [entry_of(number, title.title(), chance) for number, title in enumerate(titles)]


def neighbour(title: str, other: str, chance: random.Random) -> str:
    words = title.split()
    words[chance.randrange(len(words))] = other.split(maxsplit=1)[0]
    return chance.choice([f"{title} 2", f"erratum to {title}", " ".join(words)])


def entry_of(number: int, title: str, chance: random.Random) -> BibEntry:
    year = chance.randint(1990, 2024)
    metadata: dict[str, str] = {"journal": "Journal of Made-up Results"}
    if chance.random() < 0.6:
        metadata["doi"] = f"10.{1000 + number % 50}/made.{number}"
    if chance.random() < 0.3:
        metadata = {**metadata, "journal": f"arXiv preprint arXiv:{year % 100:02}{number % 12 + 1:02}.{number:05}"}
    document = Document(
        id=f"e{number}",
        title=title,
        authors=(f"Ada Person{chance.randrange(3000)}", f"Alan Person{chance.randrange(3000)}"),
        year=year,
        origin=f"{FOLDER}/library.bib",
        metadata=metadata,
    )
    named = (chance.choice(FILE_FORMS).format(name=f"paper-{number}"),) if chance.random() < 0.5 else ()
    return BibEntry(key=f"key{number}", line=number * 12 + 1, document=document, files=named)


def files(kept: list[BibEntry], absent: list[BibEntry], count: int, chance: random.Random) -> list[Given]:
    """Choose the entries of each kind that carry what that kind goes by, and make their documents."""
    free = {id(entry): entry for entry in chance.sample(kept, len(kept))}
    given: list[Given] = []
    for kind, share in KINDS:
        here = count * share // 100
        fit = [entry for entry in free.values() if carries(entry, kind)][: here - here // 10]
        for entry in fit:
            free.pop(id(entry))
        strangers = [replace(entry, key="") for entry in chance.sample(absent, here // 10)]
        given += [made(len(given) + n, entry, kind, chance) for n, entry in enumerate([*fit, *strangers])]
    return given


def carries(entry: BibEntry, kind: str) -> bool:
    metadata = entry.document.metadata
    return {
        "file": bool(entry.files),
        "DOI": "doi" in metadata,
        "arXiv": "arXiv" in str(metadata["journal"]),
        "title": True,
    }[kind]


def made(number: int, entry: BibEntry, kind: str, chance: random.Random) -> Given:
    said = entry.document
    metadata = {"doi": said.metadata["doi"]} if kind == "DOI" and "doi" in said.metadata else {}
    name = f"scan{number}"
    if kind == "arXiv" and "arXiv" in str(said.metadata["journal"]):
        name = f"{str(said.metadata['journal']).rpartition(':')[2]}v2"
    if kind == "file" and entry.key:
        name = f"paper-{said.id[1:]}"
    year = None if said.year is None or chance.random() < 0.3 else said.year + chance.choice([0, 0, -1])
    document = Document(
        id=f"d{number}",
        title=misread(said.title, chance),
        authors=said.authors if chance.random() < 0.7 else (),
        year=year,
        metadata=metadata,
    )
    facts = (Fact(field="title", value=document.title, source="first page", sure=0.8),)
    return Given(document, facts, Path(FOLDER) / f"{name}.pdf", entry.key, kind)


def misread(title: str, chance: random.Random) -> str:
    """Spoil a title as reading a PDF does: capitals, lost letters, words glued or broken, a footnote's mark, a lost subtitle."""
    place = chance.randrange(len(title))
    return chance.choice(
        [
            title,
            title.upper(),
            title[:place] + title[place + 1 :],
            title.replace(" ", "", 2),
            f"{title[:place]}- {title[place:]}",
            f"{title}∗",
            f"Made-up System: {title}",
            title.replace("fi", "ﬁ").replace("e", "ё", 1),
        ]
    )


if __name__ == "__main__":
    main()
