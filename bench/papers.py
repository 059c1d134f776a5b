"""Make PDFs of papers with the truth of what stands in them: every sentence in reading order, headings, furniture, references.

python bench/papers.py FOLDER --pages 10          one of each kind
Words are made up from a seed; each sentence carries a tag of its own ("tagqa00017x") by which it is found again.
"""

import argparse
import random
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from paper_author import Author
from paper_latex import Story, compiled, source
from paper_press import Face, Frame, Mark, Press, Style, by_word, columns_of, draw, face
from paper_references import STYLES, Truth, references
from paper_words import Words

KINDS = (
    "two-column", "one-column", "three-column", "mixed", "rotated", "two-up", "chinese", "scrambled", "scrambled-words", "latex",
)  # fmt: skip
WIDTH, HEIGHT, MARGIN = 612, 792, 54
FIRST_PAGE = 4101  # numbers that occur nowhere else, so that one inside a passage is seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A PDF, and what a faultless reader would get out of it."""

    path: Path
    kind: str
    style: str  # of its references
    pages: int
    title: str
    authors: list[str]
    year: int
    doi: str
    arxiv: str
    sentences: list[str]
    headings: list[str]
    furniture: list[str]  # regular expressions
    references: list[Truth]
    captions: list[str]
    footnotes: list[str]
    tables: list[list[list[str]]]  # the cells of each row


def make(
    folder: Path, kind: str, pages: int = 10, seed: int = 1, *, style: str = "", cited: int | None = None
) -> Paper | None:
    """Write one paper of about so many pages; None where LaTeX is asked for and not installed.

    `style` is one of `paper_references.STYLES`, `cited` the length of its list of references (60 where there is room).
    """
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(f"{kind} {seed}")  # noqa: S311 - made up to be the same again
    style = style or ("gbt" if kind == "chinese" else [*STYLES][seed % len(STYLES)])
    listed = references(style, (60 if pages > 4 else 8) if cited is None else cited, chance)
    path = folder / f"{kind}-{pages}p-{style}-{seed}.pdf"
    if kind == "latex":
        return _latex(path, pages, style, listed, chance)
    return _Job(path, kind, pages, seed, style, listed, chance).paper()


@dataclass(slots=True)
class _Job:
    path: Path
    kind: str
    pages: int
    seed: int
    style: str
    listed: list[Truth]
    chance: random.Random
    title: str = ""
    authors: list[str] = field(default_factory=list)
    year: int = 2021
    arxiv: str = ""

    @property
    def columns(self) -> int:
        return {"one-column": 1, "mixed": 1, "three-column": 3}.get(
            self.kind, 1 + self.seed % 2 if self.kind == "two-up" else 2
        )

    @property
    def journal(self) -> str:
        return "合成研究学报" if self.kind == "chinese" else "Annals of Synthetic Reading"

    @property
    def doi(self) -> str:
        return f"10.5555/asr.{self.year}.{1000 + self.seed}"

    def paper(self) -> Paper:
        chinese = self.kind == "chinese"
        words = Words(self.chance, chinese, self.style, self.listed)
        family = face(embedded=self.seed % 2 == 0, han_embedded=self.seed % 2 == 0)
        self.title = words.phrase(7).capitalize() if chinese else f"{words.phrase(4).capitalize()}: {words.phrase(5)}"
        names = (
            ["张伟", "李娜", "王建国"]
            if chinese
            else ["Ana Müller", "Wei Zhang", "Pieter van der Berg", "Jean-Luc Moreau"]
        )
        self.authors = self.chance.sample(names, 3)
        self.year = self.chance.randint(2015, 2024)
        self.arxiv = (
            f"{self.year % 100}03.{self.chance.randint(10000, 29999)}" if self.seed % 3 == 0 and not chinese else ""
        )
        body = Style(
            "r", 9 if self.columns == 3 else 9.5, 10.6 if self.columns == 3 else 11.2, first=19 if chinese else 10
        )
        body.justify = self.seed % 4 != 3
        press = Press(WIDTH, HEIGHT, lambda _: self._frames(), lambda press: self._furnish(press, family))
        author = Author(words, press, family, self.columns, self.seed % 3 == 2 and not chinese, body)
        self._write(author)
        self._print(press)
        sheets = -(-len(press.pages) // (2 if self.kind == "two-up" else 1))
        return Paper(
            path=self.path, kind=self.kind, style=self.style, pages=sheets, title=self.title, authors=self.authors,
            year=self.year, doi=self.doi, arxiv=self.arxiv, sentences=author.sentences, headings=author.headings,
            furniture=self._furniture(), references=self.listed, captions=author.captions, footnotes=author.footnotes, tables=author.tables,
        )  # fmt: skip

    def _frames(self) -> list[Frame]:
        return columns_of(MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN - 8, MARGIN + 6, self.columns)

    def _write(self, author: Author) -> None:
        press = author.press
        lines_of_page = 62 * self.columns
        per_reference = {1: 2, 2: 3.6, 3: 5}[self.columns]
        last = max(1, self.pages - round(len(self.listed) * per_reference / lines_of_page))
        sheets = 2 if self.kind == "two-up" else 1

        def enough() -> bool:
            return len(press.pages) >= last * sheets and len(press.pages) % sheets == 0

        press.new_page()
        self._head(author)
        while not enough():
            author.write_mixed(enough) if self.kind == "mixed" else author.write_section(enough)
        if self.kind == "mixed":
            frames = self._frames()
            frames[0].top = press.y - 20
            press.set_frames(frames)
        author.write_references(self.listed)

    def _head(self, author: Author) -> None:
        """Set title, authors and (for even seeds) the abstract over all columns, and what follows in columns below."""
        press = author.press
        frames = self._frames()
        press.set_frames([Frame(MARGIN, frames[0].top, WIDTH - MARGIN, frames[0].bottom)])
        middle = {"justify": False, "hyphenate": False, "first": 0, "centre": True}
        press.pour(author.set(self.title, Style("b", 16, 20, **middle)))
        press.pour(author.set(", ".join(self.authors), Style("r", 11, 14, before=6, **middle)))
        press.pour(author.set("Institute of Reading, University of Norwood", Style("i", 9.5, 12, **middle)))
        press.pour(author.set("{ana,wei}@norwood.example", Style("r", 8.5, 12, **middle)))
        abstract = "摘要" if author.words.chinese else "Abstract"
        over_all = self.seed % 2 == 0 or self.kind == "mixed"
        if over_all:
            press.pour(author.heading(1, abstract, numbered=False))
            press.pour(author.paragraph(6))
        top = press.y - 16
        if self.kind == "mixed":
            return
        for frame in frames:
            frame.top = top
        press.set_frames(frames)
        if not over_all:
            press.pour(author.heading(1, abstract, numbered=False))
            press.pour(author.paragraph(6))

    # --- what repeats on every page ---

    def _furnish(self, press: Press, family: Face) -> None:
        number = FIRST_PAGE + len(press.pages) - 1
        if len(press.pages) == 1:
            self._first_page(press, family)
            return
        odd = number % 2 == 1
        head = self._headers()[odd]
        text, size = self._page_number(number), 8.5
        outer = WIDTH - MARGIN - family.width(text, "r", size) if odd else MARGIN
        inner = MARGIN if odd else WIDTH - MARGIN - family.width(head, "i", size)
        self._repeat(press, family, head, "i", inner, HEIGHT - 40)
        if self.seed % 2:
            self._repeat(press, family, text, "r", outer, HEIGHT - 40)
        else:
            self._repeat(press, family, text, "r", WIDTH / 2 - 10, 34)

    def _first_page(self, press: Press, family: Face) -> None:
        self._repeat(
            press, family, f"{self.journal}, {self.year}. https://doi.org/{self.doi}", "r", MARGIN, HEIGHT - 40
        )
        self._repeat(press, family, self._page_number(FIRST_PAGE), "r", WIDTH / 2 - 10, 34)
        if self.arxiv:
            stamp = f"arXiv:{self.arxiv}v2 [cs.CL] 12 Mar {self.year}"
            press.put(Mark(30, 250, stamp, "Times-Roman", 16, angle=90))

    def _repeat(self, press: Press, family: Face, text: str, style: str, x: float, y: float) -> None:
        for run, font in family.runs(text, style):
            press.put(Mark(x, y, run, font, 8.5))
            x += family.width(run, style, 8.5)

    def _headers(self) -> tuple[str, str]:
        lead = self.authors[0] if self.kind == "chinese" else self.authors[0].split()[-1]
        return (
            f"{self.journal} {self.year}",
            f"{lead}{'等' if self.kind == 'chinese' else ' et al.'} / {' '.join(self.title.split()[:3])[:24]}",
        )

    def _page_number(self, number: int) -> str:
        return [f"{number}", f"– {number} –", f"Page {number}", f"{number} of {FIRST_PAGE + self.pages - 1}"][
            self.seed % 4
        ]

    def _furniture(self) -> list[str]:
        mark = " / " + " ".join(self.title.split()[:3])[:24]
        numbers = rf"(?<![\d.])(?:{'|'.join(str(FIRST_PAGE + n) for n in range(self.pages * 2 + 8))})(?![\d.])"
        return [
            self.journal.replace(" ", r"\s+"),
            mark.replace(" ", r"\s*"),
            numbers,
            *([rf"arXiv:{self.arxiv}v2"] if self.arxiv else []),
        ]

    # --- how pages go to the file ---

    def _print(self, press: Press) -> None:
        canvas = Canvas(str(self.path), pagesize=(WIDTH, HEIGHT), invariant=True, pageCompression=1)
        if self.seed % 5:
            canvas.setTitle(self.title)
            canvas.setAuthor(", ".join(self.authors))
        printer = {"rotated": self._rotated, "two-up": self._two_up}.get(self.kind, self._plain)
        printer(canvas, press.pages)
        canvas.save()

    def _plain(self, canvas: Canvas, pages: list[list[Mark]]) -> None:
        for marks in pages:
            draw(canvas, self._scrambled(marks))
            canvas.showPage()

    def _scrambled(self, marks: list[Mark]) -> list[Mark]:
        if not self.kind.startswith("scrambled"):
            return marks
        marks = by_word(marks) if self.kind.endswith("words") else list(marks)
        self.chance.shuffle(marks)
        return marks

    def _rotated(self, canvas: Canvas, pages: list[list[Mark]]) -> None:
        """Turn pages in four ways: not at all, by /Rotate 90 and 270 (upright as shown), and lying as shown."""
        for number, marks in enumerate(pages):
            turn = (0, 90, 270, -1)[number % 4]
            canvas.setPageSize(
                (HEIGHT, WIDTH) if turn == -1 else (WIDTH, HEIGHT)
            )  # reportlab swaps the sides of turned pages
            canvas.setPageRotation(max(turn, 0))
            if turn == 270:
                canvas.translate(0, WIDTH)
                canvas.rotate(-90)
            elif turn:
                canvas.translate(HEIGHT, 0)
                canvas.rotate(90)
            draw(canvas, marks)
            canvas.showPage()

    def _two_up(self, canvas: Canvas, pages: list[list[Mark]]) -> None:
        scale = 0.688
        canvas.setPageSize((842, 595))
        for first in range(0, len(pages), 2):
            for side, marks in enumerate(pages[first : first + 2]):
                canvas.saveState()
                canvas.translate(side * 421, 25)
                canvas.scale(scale, scale)
                draw(canvas, marks)
                canvas.restoreState()
            canvas.showPage()


def _latex(path: Path, pages: int, style: str, listed: list[Truth], chance: random.Random) -> Paper | None:
    words = Words(chance, False, style, listed)
    title, authors = f"{words.phrase(4).capitalize()}: {words.phrase(5)}", ["Ana Müller", "Wei Zhang"]
    story = Story(words)
    story.write(max(1, pages * 5000 - 150 * len(listed)))
    tex = source(
        title, authors, 2022, FIRST_PAGE, story.blocks, [(item["label"], _unlabelled(item)) for item in listed]
    )
    number = compiled(tex, path)
    if number is None:
        return None
    numbers = "|".join(str(FIRST_PAGE + n) for n in range(number + 1))
    return Paper(
        path=path, kind="latex", style=style, pages=number, title=title, authors=authors, year=2022, doi="", arxiv="",
        sentences=story.sentences, headings=["Abstract", *story.headings, "References"], references=listed,
        furniture=[r"Annals\s+of\s+Synthetic\s+Reading", rf"(?<![\d.])(?:{numbers})(?![\d.])"],
        captions=story.captions, footnotes=story.footnotes, tables=story.tables,
    )  # fmt: skip


def _unlabelled(item: Truth) -> str:
    return item["text"].removeprefix(item["label"]).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for kind in arguments.kind or KINDS:
        paper = make(arguments.folder, kind, arguments.pages, arguments.seed)
        print(
            f"{kind}: {paper.pages} pages, {len(paper.sentences)} sentences, {paper.path}"
            if paper
            else f"{kind}: no pdfLaTeX"
        )


if __name__ == "__main__":
    main()
