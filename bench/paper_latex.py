"""A two-column article as pdfLaTeX sets it: ligatures, kerning, math, floats where TeX puts them, footnotes, `thebibliography`."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from paper_words import SECTIONS, Words

SPECIAL = {
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
    "<": r"$<$",
    "“": "``",
    "”": "''",
    "–": "--",
    "{": r"\{",
    "}": r"\}",
}
PREAMBLE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
%s
\usepackage[margin=54pt,columnsep=18pt,headheight=14pt]{geometry}
\usepackage{fancyhdr}
\pagestyle{fancy}\fancyhf{}
\fancyhead[L]{\small Annals of Synthetic Reading %d}\fancyhead[R]{\small\thepage}
\fancypagestyle{plain}{\fancyhf{}\fancyfoot[C]{\thepage}}
\makeatletter\def\@biblabel#1{#1}\makeatother
\sloppy\emergencystretch=2em
\title{%s}\author{%s}\date{}
\begin{document}\setcounter{page}{%d}\maketitle
"""


def source(
    title: str,
    authors: Sequence[str],
    year: int,
    first_page: int,
    body: Sequence[tuple[str, str]],
    listed: Sequence[tuple[str, str]],
) -> str:
    """Return the source of a paper: `body` is (kind, text) of each block in order, `listed` label and text of each reference."""
    fonts = r"\usepackage{lmodern}" if _has("lmodern.sty") else ""
    head = PREAMBLE % (fonts, year, escaped(title), r" \and ".join(map(escaped, authors)), first_page)
    blocks = "\n\n".join(_block(kind, text) for kind, text in body)
    items = "\n".join(
        rf"\bibitem[{{{escaped(label)}}}]{{r{n}}} {escaped(text)}" for n, (label, text) in enumerate(listed)
    )
    return f"{head}{blocks}\n\\begin{{thebibliography}}{{{'WWW00'}}}\n\\small\n{items}\n\\end{{thebibliography}}\n\\end{{document}}\n"


def escaped(text: str) -> str:
    """Return the text as LaTeX reads it; tags are kept whole, addresses may be broken."""
    text = "".join(SPECIAL.get(character, character) for character in text)
    text = re.sub(r"\b((?:tag|cap|note|row)[a-z]{2}\d{5}x)\b", r"\\mbox{\1}", text)
    return re.sub(
        r"(https?://\S+)",
        lambda found: found[1].replace("/", r"/\allowbreak ").replace(r"/\allowbreak /\allowbreak ", "//"),
        text,
    )


def _block(kind: str, text: str) -> str:
    if kind == "table":
        caption, *lines = text.split("\n")
        cells = r" \\ ".join(" & ".join(map(escaped, line.split("\t"))) for line in lines)
        columns = "l" + "r" * lines[0].count("\t")
        rows = rf"\begin{{tabular}}{{{columns}}}\hline {cells} \\\hline\end{{tabular}}"
        return rf"\begin{{table}}[t]\small\caption{{{escaped(caption)}}}{rows}\end{{table}}"
    return {
        "section": r"\section{%s}",
        "subsection": r"\subsection{%s}",
        "abstract": r"\begin{abstract}%s\end{abstract}",
        "figure": r"\begin{figure}[t]\centering\rule{.8\columnwidth}{70pt}\caption{%s}\end{figure}",
        "figure*": r"\begin{figure*}[t]\centering\rule{.8\textwidth}{70pt}\caption{%s}\end{figure*}",
        "footnote": r"\unskip\footnote{%s}",
        "equation": r"\begin{equation}\mathcal{L}(\theta) = -\sum_{i=1}^{n} \log p_\theta(y_i \mid x_i) + \lambda\end{equation}%.0s",
        "text": "%s",
    }[kind] % escaped(text)


def compiled(tex: str, path: Path) -> int | None:
    """Set the source and put the PDF at `path`; return how many pages it has, or None where there is no pdfLaTeX."""
    program = shutil.which("pdflatex")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(prefix="scholarmind-latex-") as folder:
        (Path(folder) / "paper.tex").write_text(tex, encoding="utf-8")
        for _ in range(2):
            done = subprocess.run(
                [program, "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"],
                cwd=folder, capture_output=True, timeout=120, check=False,
            )  # fmt: skip
        told = re.search(rb"Output written on paper.pdf\s*\((\d+) page", done.stdout)
        if told is None:
            raise RuntimeError("\n".join(errors(done.stdout.decode("utf-8", "replace"))) or "pdflatex wrote nothing")
        shutil.copyfile(Path(folder) / "paper.pdf", path)
        return int(told[1])


def errors(log: str) -> Iterator[str]:
    """Yield what LaTeX complained of."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("!"):
            yield " / ".join(lines[number : number + 6])


def _has(name: str) -> bool:
    found = shutil.which("kpsewhich")
    return bool(found) and subprocess.run([found, name], capture_output=True, check=False).returncode == 0


@dataclass(slots=True)
class Story:
    """The blocks of a LaTeX paper, and the truth of them."""

    words: Words
    blocks: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    section: int = 0

    def write(self, characters: int) -> None:
        self.text("abstract", 6)
        while sum(len(text) for _, text in self.blocks) < characters:
            self.section += 1
            name = SECTIONS[(self.section - 1) % len(SECTIONS)]
            self.headings.append(f"{self.section} {name}")
            self.blocks.append(("section", name))
            for part in range(1, self.words.chance.randint(2, 4)):
                self.paragraphs()
                name = self.words.phrase(3).capitalize()
                self.headings.append(f"{self.section}.{part} {name}")
                self.blocks.append(("subsection", name))
                self.text("text", 4)

    def text(self, kind: str, count: int) -> None:
        told = [self.words.sentence() for _ in range(count)]
        self.sentences += told
        self.blocks.append((kind, " ".join(told)))

    def paragraphs(self) -> None:
        for _ in range(self.words.chance.randint(2, 5)):
            self.text("text", self.words.chance.randint(3, 8))
            self.between(self.words.chance.random())

    def between(self, what: float) -> None:
        if what < 0.08:
            self.captions.append(self.words.sentence("cap"))
            self.blocks.append(("figure*" if what < 0.03 else "figure", self.captions[-1]))
        elif what < 0.12:
            self.table()
        elif what < 0.16:
            self.footnotes.append(self.words.sentence("note"))
            kind, text = self.blocks.pop()
            self.blocks += [(kind, text), ("footnote", self.footnotes[-1])]
        elif what < 0.2:
            self.blocks.append(("equation", ""))

    def table(self) -> None:
        self.captions.append(self.words.sentence("cap"))
        cells = [["Model", "First", "Second"]]
        cells += [[self.words.tag("row"), *(f"{self.words.chance.uniform(0, 99):.2f}" for _ in "ab")] for _ in range(5)]
        self.tables.append(cells)
        self.blocks.append(("table", "\n".join([self.captions[-1], *map("\t".join, cells)])))
