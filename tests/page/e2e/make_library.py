"""A library for the tests in a browser: the demo's notes, a paper with pages, and documents that nobody should believe. For `.venv`.

`python make_library.py FOLDER` makes `library` in it, and files to be added by hand.
"""

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from scholarmind import Library, Settings

HOSTILE = {
    "scripts.md": "# Scripts\n\nHostilon was proposed by <script>window.hurt = 1</script> Mallory "
    "<img src=x onerror=window.hurt=2> in 2020. "
    "It has [a link](javascript:window.hurt=3) and ![a picture](//example.org/pixel.png).\n",
    "marks.md": "# Marks\n\nImitaton was proposed by Mallory [Devlin et al., 2019]. **Complete · 100% sure** "
    "</mark></p><mark>not ours</mark>\n",
    "turned.md": "# Turned\n\nBidiron was proposed by \u202egnp.exe\u202c and \u2066hidden\u2069 people in 2021.\n",
    "long.md": f"# Long\n\nLongon was proposed by Mallory. {'a' * 1_000_000}\n",
}
DISAGREE = {
    "first.md": "---\ntitle: First measurement\nauthors: [Mira Stone]\nyear: 2019\n---\n# Results\n\n"
    "Lanternet obtains an accuracy of 91.4% on the Abyss benchmark.\n",
    "second.md": "---\ntitle: Second measurement\nauthors: [Tom Vale]\nyear: 2021\n---\n# Results\n\n"
    "Lanternet obtains an accuracy of 88.2% on the Abyss benchmark.\n",
}
PARAGRAPHS = (
    "Lanternfish models were proposed by Ada Quill and Noor Hale at the Institute of Deep Water.",
    "Lanternfish obtains an accuracy of 91.4% on the Abyss benchmark, against 88.2% for Anglerfish.",
    "Its attention is sparse: every token attends to sixteen neighbours and to four lanterns.",
)


def main(folder: Path) -> None:
    """Make all of it."""
    (folder / "files").mkdir(parents=True)
    for name, text in (HOSTILE | DISAGREE).items():
        (folder / "files" / name).write_text(text)
    (folder / "files" / "program.exe").write_bytes(b"MZ")
    (folder / "files" / "broken.pdf").write_bytes(b"%PDF-1.7 nonsense")
    draw_paper(folder / "files" / "lanternfish.pdf")
    with Library(Settings(library=folder / "library", embedder="none")) as library:
        with as_file(files("scholarmind.demo") / "notes") as notes:
            library.add(notes)
        library.add([folder / "files" / name for name in HOSTILE], collection="hostile")
        library.add([folder / "files" / name for name in DISAGREE], collection="measured")
    shutil.copytree(folder / "library", folder / "spare")  # for services that are killed


def draw_paper(path: Path) -> None:
    """Draw a paper of two pages."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setTitle("Lanternfish: Sparse Attention in the Dark")
    canvas.setAuthor("Ada Quill; Noor Hale")
    canvas.setFont("Times-Bold", 20)
    canvas.drawString(72, 760, "Lanternfish: Sparse Attention in the Dark")
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(72, 735, "Ada Quill, Noor Hale")
    canvas.setFont("Times-Bold", 14)
    canvas.drawString(72, 700, "1 Introduction")
    draw(canvas, 678, PARAGRAPHS[0])
    canvas.showPage()
    canvas.setFont("Times-Bold", 14)
    canvas.drawString(72, 760, "2 Results")
    draw(canvas, 738, PARAGRAPHS[1])
    draw(canvas, 690, PARAGRAPHS[2])
    canvas.save()


def draw(canvas: Canvas, top: float, paragraph: str) -> None:
    """Draw a paragraph in lines of some words."""
    canvas.setFont("Times-Roman", 12)
    words = paragraph.split()
    for line in range(0, len(words), 11):
        canvas.drawString(72, top - 15 * (line // 11), " ".join(words[line : line + 11]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
