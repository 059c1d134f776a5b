"""Time reading a bibliography of 10,000 works, as BibTeX, RIS and CSL-JSON: made from numbers, the same every time.

python bench/bibliography.py [entries]
"""

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.bibliography.bibtex_reader import BibtexReader
from scholarmind.adapters.readers.bibliography.ris_and_csl import CslReader, RisReader
from scholarmind.library_ports import BibliographyReader
from scholarmind.model import BibEntry

ENTRIES = 10_000
LIMIT = 1_000_000_000
FAMILIES = (
    "Müller García Smith Chang Erdős Łukasz Nguyễn Østergaard Çelik Ivanov O'Brien Kowalski Dvořák Straße "
    "Sánchez Lefèvre Åkerman"
).split()
PARTICLES = ["", "", "", "", "", "van der ", "de ", "von "]
GIVEN = "Anna Jürgen José Ming-Wei Zoë Siân Piotr Kenton Kristina Noam Aidan Łucja René André Björn Élodie".split()
WORDS = (
    "attention deep networks learning of the language for representation with models a training large pre-trained graph neural "
    "retrieval question answering over documents towards efficient robust reasoning in scientific literature evaluation"
).split()
NAMES = "BERT GPT-2 LaTeX ImageNet Bayesian Chinese Markov".split()
LATEX = {
    "ü": r"{\"u}", "í": r"{\'\i}", "ő": r"{\H o}", "Ł": r"{\L}", "ł": r"\l{}", "ễ": r"{\~{\^e}}", "Ø": r"{\O}", "Ç": r"{\c C}",
    "ř": r"\v{r}",
    "ß": r"{\ss}", "á": r"\'{a}", "è": r"{\`e}", "Å": r"{\AA}", "é": r"\'e", "ë": r"{\"{e}}", "â": r"{\^a}", "ö": r"{\"o}", "É": r"{\'E}",
}  # fmt: skip
EXTRAS = [
    r"\emph{in vivo}",
    "$k$-means",
    r"$O(n \log n)$",
    "50\\%",
    r"Q\&A",
    "``so called''",
    "1990--2000",
    r"$\alpha$-stable",
    "{BERT}",
    r"\textbf{not}",
]


def works(count: int) -> list[dict[str, Any]]:
    """Return works as CSL-JSON has them."""
    dice = random.Random(11)  # noqa: S311
    return [_work(number, dice) for number in range(count)]


def _work(number: int, dice: random.Random) -> dict[str, Any]:
    people = [
        {
            "family": dice.choice(FAMILIES),
            "given": dice.choice(GIVEN),
            "non-dropping-particle": dice.choice(PARTICLES).strip(),
        }
        for _ in range(dice.randint(1, 8))
    ]
    title = dice.choices(WORDS, k=8)
    title.insert(dice.randrange(8), dice.choice(NAMES))
    return {
        "id": f"key{number}",
        "type": dice.choice(["article-journal", "paper-conference", "book"]),
        "title": " ".join(title),
        "author": people,
        "container-title": f"Journal of {dice.choice(WORDS)} and {dice.choice(WORDS)}",
        "issued": {"date-parts": [[1980 + number % 45]]},
        "volume": str(number % 90),
        "page": f"{number}-{number + 12}",
        "DOI": f"10.1000/bench.{number}",
        "URL": f"https://example.org/~me/paper_{number}",
        "abstract": " ".join(dice.choices(WORDS, k=dice.randint(80, 220))),
    }


def bibtex(works: list[dict[str, Any]]) -> str:
    """Return them as a reference manager exports them, accents and all in LaTeX; every third abstract has formulas."""
    return "\n".join(_bibtex_entry(number, work) for number, work in enumerate(works))


def _bibtex_entry(number: int, work: dict[str, Any]) -> str:
    kind = {"article-journal": "article", "paper-conference": "inproceedings", "book": "book"}[work["type"]]
    names = [
        f"{' '.join(filter(None, (a['non-dropping-particle'], a['family'])))}, {a['given']}" for a in work["author"]
    ]
    title = " ".join(f"{{{word}}}" if word in NAMES else word for word in work["title"].split())
    abstract = work["abstract"].split()
    if number % 3 == 0:
        abstract[5:5] = random.Random(number).sample(EXTRAS, 4)  # noqa: S311
    fields = {
        "author": _latex(" and ".join(names)),
        "title": title,
        "journal" if kind == "article" else "booktitle": work["container-title"],
        "year": str(work["issued"]["date-parts"][0][0]),
        "volume": work["volume"],
        "pages": work["page"].replace("-", "--"),
        "doi": work["DOI"],
        "url": work["URL"],
        "abstract": "\n              ".join(" ".join(abstract[at : at + 12]) for at in range(0, len(abstract), 12)),
        "keywords": "learning, networks, retrieval",
        "file": f"Full Text:/home/x/Zotero/storage/AB{number}/p{number}.pdf:application/pdf",
    }
    lines = ",\n".join(f"  {name:<9} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{work['id']},\n{lines}\n}}\n"


def _latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)


def ris(works: list[dict[str, Any]]) -> str:
    """Return them as RIS."""
    kinds = {"article-journal": "JOUR", "paper-conference": "CONF", "book": "BOOK"}
    records: list[str] = []
    for work in works:
        first, last = work["page"].split("-")
        lines = [
            f"TY  - {kinds[work['type']]}",
            f"TI  - {work['title']}",
            f"T2  - {work['container-title']}",
            f"AB  - {work['abstract']}",
        ]
        lines += [
            f"AU  - {' '.join(filter(None, (a['non-dropping-particle'], a['family'])))}, {a['given']}"
            for a in work["author"]
        ]
        lines += [
            f"PY  - {work['issued']['date-parts'][0][0]}",
            f"VL  - {work['volume']}",
            f"SP  - {first}",
            f"EP  - {last}",
        ]
        lines += [f"DO  - {work['DOI']}", f"UR  - {work['URL']}", "KW  - learning", "KW  - networks", "ER  - ", ""]
        records.append("\n".join(lines))
    return "\n".join(records)


def measure(reader: BibliographyReader, path: Path, expected: list[dict[str, Any]]) -> dict[str, float]:
    """Read the file three times and return the least time; what was read has to be what was written."""
    seconds: list[float] = []
    cpu: list[float] = []
    for _ in range(3):
        start, began = time.perf_counter(), time.process_time()
        found = list(reader.entries(path))
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - began)
    entries = [item for item in found if isinstance(item, BibEntry)]
    right = [
        entry.document.title == work["title"]
        and entry.document.authors[0].split(", ")[0].endswith(work["author"][0]["family"])
        and entry.document.authors[0].endswith(work["author"][0]["given"])
        and len(entry.document.authors) == len(work["author"])
        and entry.document.metadata["doi"] == work["DOI"]
        for entry, work in zip(entries, expected, strict=True)
    ]
    return {
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "seconds": round(min(seconds), 2),
        "cpu seconds": round(min(cpu), 2),
        "entries": len(entries),
        "right": sum(right),
    }


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    expected = works(count)
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "bibtex": (BibtexReader(LIMIT), bibtex(expected)),
            "ris": (RisReader(LIMIT), ris(expected)),
            "csl": (CslReader(LIMIT), json.dumps(expected, ensure_ascii=False)),
        }
        for name, (reader, text) in files.items():
            path = Path(folder) / f"library.{name}"
            path.write_text(text, encoding="utf-8")
            report[name] = measure(reader, path, expected)
    report["peak megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
