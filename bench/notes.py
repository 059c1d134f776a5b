"""How well papers are read that are no PDFs: Markdown, text, HTML and Word files in many layouts, with the right answers beside them.

python bench/notes.py                    the set that the code was written with (known), and those that came after (unseen, later)
python bench/notes.py --set known --show     and every mistake

A set is one file: `=== name.suffix`, the truth, `---`, the file. Counted are references (found, split, and with the right first author,
year and title), those that are none, places that point at them, authors, years and titles of documents, each right, wrong and missing.
"""

import argparse
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from scholarmind.identity import letters_of
from scholarmind.library.file_reading import ReadingJob
from scholarmind.model import Entry, Reference
from scholarmind.settings import Settings
from scholarmind.wiring_readers import file_reading

SETS = ("known", "unseen", "later")
HERE = Path(__file__).parent / "notes_set"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FILE = re.compile(r"^=== (\S+)\n", re.MULTILINE)
STYLES = {"Title": "Title", "Heading": "Heading1"}


@dataclass(slots=True)
class Truth:
    """What a faultless reader would make of a file."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    references: list[tuple[str, int, str]] = field(default_factory=list)  # family, year, title
    points: list[tuple[int, ...]] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--show", action="store_true", help="every mistake")
    arguments = parser.parse_args()
    for name in (arguments.set,) if arguments.set else SETS:
        counts: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            for path, truth in files(HERE / f"{name}.txt", Path(folder)):
                for mistake in judge(entry_of(path), truth, counts):
                    if arguments.show:
                        print(f"  {path.name}: {mistake}")
        print(name, ", ".join(f"{count} {what}" for what, count in counts.items()))


def files(source: Path, folder: Path) -> Iterator[tuple[Path, Truth]]:
    """Write the files of a set; yield each with its truth."""
    _, *parts = FILE.split(source.read_text(encoding="utf-8"))
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        head, _, body = content.partition("---\n")
        path = folder / name
        if path.suffix == ".docx":
            write_word(path, body)
        else:
            path.write_text(body, encoding="utf-8")
        yield path, truth_of(head)


def truth_of(head: str) -> Truth:
    truth = Truth()
    for line in head.splitlines():
        key, _, value = line.partition(":")
        value = value.strip()
        if key == "ref":
            family, year, title = value.split(" | ")
            truth.references.append((family, int(year), title))
        elif key == "points":
            truth.points = [tuple(int(n) for n in place.split(",")) for place in value.split(";") if place.strip()]
        elif value != "-":
            truth.title = value if key == "title" else truth.title
            truth.authors = tuple(value.split("; ")) if key == "authors" else truth.authors
            truth.year = int(value) if key == "year" else truth.year
    return truth


def write_word(path: Path, body: str) -> None:
    """Write a Word file: `Title:`, `Heading:` and `Text:` are paragraphs, `Number:` and `Bullet:` items; ^1^ is raised, *a* slanted."""
    paragraphs: list[str] = []
    for line in body.splitlines():
        kind, _, text = line.partition(": ")
        style = f'<w:pStyle w:val="{STYLES[kind]}"/>' if kind in STYLES else ""
        listed = {"Number": "1", "Bullet": "2"}.get(kind)
        numbering = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{listed}"/></w:numPr>' if listed else ""
        runs = "".join(run(piece) for piece in re.split(r"(\^[^^]+\^|\*[^*]+\*)", text) if piece)
        paragraphs.append(f"<w:p><w:pPr>{style}{numbering}</w:pPr>{runs}</w:p>")
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/></w:style>'
        for id, name in (("Title", "Title"), ("Heading1", "heading 1"))
    )
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{"".join(paragraphs)}</w:body></w:document>'
        )
        archive.writestr("word/styles.xml", f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>')
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        )


def run(piece: str) -> str:
    look = {"^": '<w:vertAlign w:val="superscript"/>', "*": "<w:i/>"}.get(piece[0], "")
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{escape(piece.strip("^*") if look else piece)}</w:t></w:r>'


def entry_of(path: Path) -> Entry:
    """Read a file as `add` does."""
    return next(step for step in file_reading(Settings()).steps(ReadingJob(path=path)) if isinstance(step, Entry))


def judge(entry: Entry, truth: Truth, counts: Counter[str]) -> Iterator[str]:
    """Count what is right and wrong of a document; yield the mistakes."""
    counts["documents"] += 1
    counts["references"] += len(truth.references)
    places: dict[int, int] = {}
    taken: set[int] = set()
    for number, (family, year, title) in enumerate(truth.references, 1):
        place = next((n for n, one in enumerate(entry.references) if n not in taken and is_of(one, title)), None)
        if place is None:
            yield f"reference missing: {title}"
            continue
        taken.add(place)
        places[place] = number
        found = entry.references[place]
        counts["found and split"] += 1
        fields = (
            family_of(found) == letters_of(family),
            found.year == year,
            letters_of(found.title) == letters_of(title),
        )
        counts["whole"] += all(fields)
        if not all(fields):
            yield f"reference read as {found.authors} {found.year} {found.title!r}: {found.text!r}"
    wrong = [one for n, one in enumerate(entry.references) if n not in taken]
    counts["wrong"] += len(wrong)
    yield from (f"no reference: {one.text!r}" for one in wrong)
    yield from judge_points(entry, truth, places, counts)
    for name, told, true in (
        ("authors", entry.document.authors, truth.authors),
        ("year", entry.document.year, truth.year),
        ("title", letters_of(entry.document.title), letters_of(truth.title)),
    ):
        if not true and name == "title":
            continue
        counts[f"{name} right"] += told == true
        counts[f"{name} wrong"] += bool(told) and told != true
        if told != true:
            yield f"{name} {told!r} instead of {true!r}"
    evidence = "\n".join(passage.text for passage in entry.passages)
    cited = [title for _, _, title in truth.references if letters_of(title) in letters_of(evidence)]
    counts["works in evidence"] += len(cited)
    yield from (f"a work is evidence: {title}" for title in cited)


def judge_points(entry: Entry, truth: Truth, places: dict[int, int], counts: Counter[str]) -> Iterator[str]:
    told = [tuple(sorted(places.get(n, 0) for n in pointer.references)) for pointer in entry.pointers]
    right = sum((Counter(told) & Counter(truth.points)).values())
    counts["places"] += len(truth.points)
    counts["places right"] += right
    counts["places wrong"] += len(told) - right
    if right < len(truth.points) or len(told) > right:
        yield f"points at {told} instead of {truth.points}"


def is_of(reference: Reference, title: str) -> bool:
    """Tell whether a reference is that of a title, and of no other work: one that was not split is longer."""
    return letters_of(title) in letters_of(reference.text) and len(reference.text) < 2 * len(title) + 200


def family_of(reference: Reference) -> str:
    return letters_of(reference.authors[0].partition(",")[0]) if reference.authors else ""


if __name__ == "__main__":
    main()
