"""Read paragraphs in the styles of papers by rules, and compare what is stated with what stands beside each: how general the rules are.

python bench/paragraphs.py [--show] [--without-names]

The paragraphs (tests/data/extraction_paragraphs.txt) are of three sets: "seen" was read while the rules were improved, "first" and
"second" were written before they were first read, and measured then. --without-names leaves the lexicon without methods and data sets.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scholarmind.graph import gazetteer as lexicon_module
from scholarmind.graph.document_statements import number_of
from scholarmind.graph.gazetteer import key_of, lexicon
from scholarmind.graph.rule_reading import extract
from scholarmind.library.passages import Cutting, enter
from scholarmind.model import Document, Reading
from scholarmind.relations import Extracted, Statement, Thing

FILE = Path(__file__).parent.parent / "tests/data/extraction_paragraphs.txt"
RELATIONS = ("PROPOSES", "IMPROVES_ON", "USES", "EVALUATED_ON", "REPORTS")
Edge = tuple[object, ...]


@dataclass(frozen=True)
class Paragraph:
    """A text with its title, and the edges that it states as they are written down."""

    name: str
    document: Document
    text: str
    edges: tuple[str, ...]


@dataclass
class Score:
    """What was stated, what of it is right, and what was to be found."""

    said: int = 0
    right: int = 0
    gold: int = 0
    found: int = 0
    told: list[str] = field(default_factory=list[str])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--without-names", action="store_true")
    arguments = parser.parse_args()
    if arguments.without_names:
        lines = list(lexicon_module.lines())
        lexicon_module.lines = lambda: (line for line in lines if line[0] not in {"method", "dataset"})
    scores: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for paragraph in paragraphs():
        of = paragraph.name.partition("/")[0]
        for relation, score in judged(paragraph).items():
            for each in (scores[of, relation], scores[of, "all"]):
                each.said, each.right = each.said + score.said, each.right + score.right
                each.gold, each.found = each.gold + score.gold, each.found + score.found
            if arguments.show:
                print(*score.told, sep="\n", end="\n" if score.told else "")
    told = {" ".join(key): figures(score) for key, score in scores.items()}
    print(json.dumps(told, indent=1, ensure_ascii=False))


def paragraphs() -> Iterator[Paragraph]:
    """Yield the paragraphs of the file."""
    for block in re.split(r"^=== ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, edges = block.partition("--- edges\n")
        name, title, text = head.split("\n", 2)
        language = text.partition("\n")[0].removeprefix("lang: ") if text.startswith("lang: ") else "en"
        body = text.partition("\n")[2] if text.startswith("lang: ") else text
        document = Document(id=name, title=title.removeprefix("title: "), language=language)
        yield Paragraph(name, document, body.strip(), tuple(filter(None, edges.strip().split("\n"))))


def judged(paragraph: Paragraph) -> Mapping[str, Score]:
    """Compare what the rules state of a paragraph with its edges, by relation."""
    extracted = extract(enter(Reading(document=paragraph.document, text=paragraph.text), Cutting()))
    firsts = {plain(short): plain(long) for short, long in aliases(extracted)}
    stated = {
        edge_of(each, firsts) for each in extracted.statements if each.by == "rules" and each.relation in RELATIONS
    }
    needed = {written(line, firsts) for line in paragraph.edges if not line.startswith("?")}
    allowed = {written(line.removeprefix("?"), firsts) for line in paragraph.edges} - needed
    allowed |= {("EVALUATED_ON", *edge[1:3]) for edge in needed | allowed if edge[0] == "REPORTS"} - needed
    scores: defaultdict[str, Score] = defaultdict(Score)
    for edge in sorted(stated - allowed, key=str):
        score = scores[str(edge[0])]
        score.said, score.right = score.said + 1, score.right + (edge in needed)
        score.told += [] if edge in needed else [f"wrong {paragraph.name} {edge}"]
    for edge in sorted(needed, key=str):
        score = scores[str(edge[0])]
        score.gold, score.found = score.gold + 1, score.found + (edge in stated)
        score.told += [] if edge in stated else [f"missed {paragraph.name} {edge}"]
    return scores


def aliases(extracted: Extracted) -> Iterator[tuple[str, str]]:
    return ((short.name, long.name) for short, long in extracted.aliases)


def edge_of(each: Statement, firsts: Mapping[str, str]) -> Edge:
    """Return a statement as it is compared."""
    source, target = named(each.source, firsts), named(each.target, firsts)
    rest = (metric(each.metric), number_of(each.value)) if each.relation == "REPORTS" else ()
    return (each.relation, source, target, *rest)


def written(line: str, firsts: Mapping[str, str]) -> Edge:
    """Return an edge of the file as it is compared."""
    relation, _, rest = line.partition(" ")
    parts = [part.strip() for part in re.split(r"[>|]", rest)]
    names = [part if part == "@" else first(part, firsts) for part in parts[:2]]
    if relation == "PROPOSES":
        return (relation, "@", names[0])
    return (relation, *names, metric(parts[2]), number_of(parts[3])) if relation == "REPORTS" else (relation, *names)


def named(thing: Thing, firsts: Mapping[str, str]) -> str:
    return "@" if thing.kind == "paper" else first(thing.name, firsts)


def first(name: str, firsts: Mapping[str, str]) -> str:
    return firsts.get(plain(name), plain(name))


def metric(name: str) -> str:
    known = lexicon().first_names.get(plain(name))
    return {"score": ""}.get(plain(name), plain(known.name) if known else plain(name))


def plain(name: str) -> str:
    return key_of(name.removeprefix("the "))


def figures(score: Score) -> str:
    precision, recall = score.right / max(1, score.said), score.found / max(1, score.gold)
    return f"precision {precision:.3f} of {score.said}, recall {recall:.3f} of {score.gold}"


if __name__ == "__main__":
    main()
