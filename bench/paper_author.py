"""Writes a paper onto the press: headings, paragraphs, floats, notes, formulas, references, and keeps the truth of each."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from paper_press import Face, Frame, Mark, Press, Row, Style, columns_of, rows
from paper_references import Truth
from paper_words import HAN_SECTIONS, SECTIONS, Words

ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split()


@dataclass(slots=True)
class Author:
    """Writes one paper onto a press, and keeps the truth of it."""

    words: Words
    press: Press
    family: Face
    columns: int
    roman: bool  # headings as IEEE has them
    body: Style
    sentences: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    floats: int = 0
    section: int = 0
    subsection: int = 0
    due: int = 0  # the number of a footnote that waits for its mark

    @property
    def chance(self) -> random.Random:
        return self.words.chance

    @property
    def column_width(self) -> float:
        return self.press.frame.right - self.press.frame.left

    def set(self, text: str, style: Style, width: float | None = None) -> list[Row]:
        return rows(self.family, text, width or self.column_width, style, self.chance)

    def paragraph(self, sentences: int = 0, style: Style | None = None, prefix: str = "") -> list[Row]:
        told = [self.words.sentence() for _ in range(sentences or self.chance.randint(3, 8))]
        self.sentences += told
        if self.due and not self.press.notes:
            told[0] += "".join(chr(0xE000 + int(digit)) for digit in str(self.due))
            self.due = 0
        return self.set(prefix + ("" if self.words.chinese else " ").join(told), style or self.body)

    def heading(self, level: int, text: str, numbered: bool = True) -> list[Row]:
        if numbered:
            text = f"{self._number(level)} {text}"
        if level == 1 and self.roman:
            text = text.upper()
        self.headings.append(text)
        style = Style(
            "b" if not (self.roman and level == 2) else "i",
            12 if level == 1 else 10.2,
            14,
            justify=False,
            hyphenate=False,
            first=0,
        )
        style.before = 8 if level == 1 else 5
        if self.roman:
            style.size, style.centre = 9.5, level == 1
        lines = self.set(text, style)
        lines[0].keep = 2 + len(lines)
        lines[-1].keep = 2
        return lines

    def _number(self, level: int) -> str:
        if level == 1:
            self.section, self.subsection = self.section + 1, 0
            return f"{ROMAN[self.section % len(ROMAN) - 1]}." if self.roman else f"{self.section}"
        self.subsection += 1
        return f"{chr(64 + (self.subsection - 1) % 26 + 1)}." if self.roman else f"{self.section}.{self.subsection}"

    def caption(self, kind: str, width: float) -> list[Row]:
        self.floats += 1
        text = (
            f"{kind} {self.floats}: "
            if not self.words.chinese
            else f"{'图' if kind == 'Figure' else '表'} {self.floats} "
        )
        text += self.words.sentence("cap")
        self.captions.append(text)
        return self.set(text, Style("r", 8.5, 10, first=0, centre=len(text) < 50, before=4), width)

    def figure(self, width: float) -> list[Row]:
        """Return a plot: a box, a line or two, small labels at its axes, and its caption."""
        tall = self.chance.randint(70, 130)
        marks = [Mark(20, 6, width=width - 40, height=tall - 12)]
        marks += [Mark(20 + n * (width - 60) / 4, -4, f"0.{n + 1}", self.family.name("s"), 6.5) for n in range(5)]
        marks += [Mark(12, tall / 2, "recall", self.family.name("s"), 6.5, angle=90)]
        return [Row(tall + 8, marks), *self.caption("Figure", width), Row(10, [])]

    def table(self, width: float) -> list[Row]:
        """Return a table with rules above, below and under its head, and its caption."""
        columns = 4 if width < 300 else 6
        cells = [["Model", *(self.words.word().capitalize()[:8] for _ in range(columns - 1))]]
        cells += [
            [self.words.tag("row"), *(f"{self.chance.uniform(0, 99):.2f}" for _ in range(columns - 1))]
            for _ in range(self.chance.randint(4, 7))
        ]
        self.tables.append(cells)
        found = [*self.caption("Table", width), Row(6, [Mark(0, 0, width=width)])]
        for number, line in enumerate(cells):
            places = [n * width / columns for n in range(columns)]
            marks = [
                Mark(x, 2.5, text, self.family.name("b" if number == 0 else "r"), 8.5)
                for x, text in zip(places, line, strict=True)
            ]
            found.append(Row(11, marks + ([Mark(0, 0, width=width)] if number in {0, len(cells) - 1} else [])))
        return [*found, Row(10, [])]

    def footnote(self) -> None:
        number = len(self.footnotes) + 1
        text = self.words.sentence("note")
        self.footnotes.append(text)
        mark = "".join(chr(0xE000 + int(digit)) for digit in str(number))
        self.press.notes.append(self.set(mark + text, Style("r", 7.8, 9.2, first=8)))
        self.due = number

    def equation(self) -> list[Row]:
        number = self.words.chance.randint(1, 40)
        text = self.chance.choice(["E = m · c + b", "y = Wx + b", "L = − Σ log p", "f(x) = a / (1 + x)"])
        text = text if self.family.embedded else text.replace("− Σ", "-S")
        size, width = self.body.size, self.column_width
        marks = [Mark(width / 2 - 30, 5, text, self.family.name("i"), size)]
        return [Row(20, [*marks, Mark(width - 18, 5, f"({number})", self.family.name("r"), size)])]

    def wide_float(self) -> None:
        frames = self.press.frames(1)
        width = frames[-1].right - frames[0].left
        made = self.figure(width) if self.chance.random() < 0.5 else self.table(width)
        self.press.wide.append((sum(row.height for row in made), made, self.chance.random() < 0.3))

    def extras(self, page: int) -> list[Row]:
        """Return what stands between this paragraph and the next, and order what floats."""
        what = self.chance.random()
        if what < 0.05 and self.columns > 1:
            self.wide_float()
        elif what < 0.10:
            self.press.narrow.append(self.figure(self.column_width) if what < 0.075 else self.table(self.column_width))
        elif what < 0.14 and not self.due and page:
            self.footnote()
        elif what < 0.19:
            return self.equation()
        elif what < 0.22 and not self.words.chinese:
            style = Style("r", self.body.size, self.body.leading, first=4, rest=14)
            return [row for _ in range(3) for row in self.paragraph(1, style, "• ")]
        return []

    def write_section(self, until: Callable[[], bool]) -> None:
        names = HAN_SECTIONS if self.words.chinese else SECTIONS
        self.press.pour(self.heading(1, names[self.section % len(names)]))
        for _ in range(self.chance.randint(1, 3)):
            for _ in range(self.chance.randint(2, 5)):
                self.press.pour(self.paragraph())
                self.press.pour(self.extras(len(self.press.pages) - 1))
            if until():
                return
            self.press.pour(
                self.heading(
                    2, self.words.phrase(self.chance.choice([2, 3, 4, 9]) if self.columns < 3 else 2).capitalize()
                )
            )
            self.press.pour(self.paragraph())

    def write_references(self, listed: Sequence[Truth]) -> None:
        self.press.pour(self.heading(1, "参考文献" if self.words.chinese else "References", numbered=False))
        style = Style("r", 8.5, 9.8, first=0, rest=12, hyphenate=True)
        for item in listed:
            self.press.pour(self.set(item["text"], style))

    def write_mixed(self, until: Callable[[], bool]) -> None:
        """Fill pages with bands of one, two and three balanced columns."""
        names = 1
        while not until():
            columns = self.chance.choice([1, 2, 3, 2, 1, 3])
            page_frame = self.press.frames(1)[0]
            top = self.press.y if self.press.pages else 0
            if top < page_frame.bottom + 130:
                self.press.new_page()
                top = page_frame.top
            band = columns_of(page_frame.left, page_frame.right, top - 14, page_frame.bottom, columns)
            self.press.frame = band[0]
            lines = self.heading(1, SECTIONS[names % len(SECTIONS)]) if columns == 1 else []
            names += columns == 1
            if columns == 1 and self.chance.random() < 0.3:
                lines += self.figure(self.column_width)
            room = (band[0].top - band[0].bottom) * columns - 60
            while sum(row.height for row in lines) < min(room - 120, 90 + 130 * columns):
                lines += self.paragraph(3)
            self._pour_balanced(lines, band)

    def _pour_balanced(self, lines: list[Row], band: list[Frame]) -> None:
        height = sum(row.height for row in lines) / len(band) + 14
        for frame in band:
            frame.bottom = max(frame.bottom, frame.top - height)
        self.press.set_frames(list(band))
        self.press.pour(lines)
        self.press.y = min(self.press.y, band[0].bottom)
