# ruff: noqa: E501, PLC0415, S105, S311, SLF001
"""Add hundreds of hostile files, with good documents beside them, through the command line, and tell how each of them ends.

python bench/hostile_files.py --files 300
Kinds: each format that there is a reader for, truncated, with flipped bits, under a wrong suffix, in a wrong encoding; bombs, lying
archives, huge lines, deep nesting, many attributes, controls, paths that lead out, devices, pipes, names that are no text. Outcomes:
read (perhaps in part), refused (with its reason), crash and hang (of the reader, which costs that file alone). Prints a table, and the
exit status is 1 if the command failed, a file was passed over in silence, a reader crashed or hung, or a good document was not found.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "robust"))
import hostile

SECRET = "nobodymayreadthis"
GOOD = 24
SECONDS = 120  # that a reader may be silent; it is less work than that, but the machine may be busy
MINUTES = 60  # for everything
PROSE = "Some words about ordinary things, which stand here so that there is something to read. "
CRASHES = (
    "its reader crashed",
    "its reader failed",
    "its reader sent nonsense",
)  # one that gives up has reached its limit of memory
LINKED = "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Chapter.</p></body></html>"
Made = tuple[str, str, bytes]  # kind, name, content


@dataclass(frozen=True)
class Outcome:
    """How a file ended, and what was told of it."""

    kind: str
    name: str
    ending: str
    reason: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=300, help="at least so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="make the files there, and leave them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-hostile-") as temporary:
        around = arguments.keep or Path(temporary)
        around.mkdir(parents=True, exist_ok=True)
        told = campaign(around, arguments.files, arguments.seed)
    print(json.dumps(told, indent=1, ensure_ascii=False) if arguments.json else table(told))
    sys.exit(bool(told["failures"]))


def campaign(around: Path, most: int, seed: int) -> dict[str, Any]:
    folder = around / "papers"
    folder.mkdir()
    (around / "secret.md").write_text(f"{SECRET}.")
    kinds = dict(write(folder, around, most, seed))
    good(folder)
    start = time.perf_counter()
    report, failures = add(folder, around / "library")
    seconds = time.perf_counter() - start
    outcomes = list(ended(folder, around / "library", kinds, report))
    found, leaked = found_in(around / "library")
    failures += [
        f"{each.name!r}: {each.ending} ({each.reason})"
        for each in outcomes
        if each.ending in {"crash", "hang", "silence"}
    ]
    failures += [f"the good document {number} was not found" for number in range(GOOD) if number not in found]
    failures += ["what nobody may read was read"] if leaked else []
    outside = sorted(path.name for path in around.iterdir() if path.name not in {"papers", "library", "secret.md"})
    failures += [f"{name!r} was left outside" for name in outside]
    return {
        "files": len(kinds),
        "seconds": round(seconds, 1),
        "kinds": by_kind(outcomes),
        "good documents found": f"{len(found)} of {GOOD}",
        "failures": failures,
    }


# --- the files ---


def write(folder: Path, around: Path, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Write all of them, and yield name and kind of each."""
    count = 0
    for kind, name, content in (
        *built(),
        *((f"known: {name.rpartition('.')[2]}", name, made()) for name, made in hostile.FILES.items()),
    ):
        (folder / name).write_bytes(content)
        yield name, kind
        count += 1
    for name, kind in special(folder, around):
        yield name, kind
        count += 1
    chance = random.Random(seed)
    sounds = list(sound().items())
    number = 0
    while count < most or number < 4 * len(sounds):
        suffix, content = sounds[number % len(sounds)]
        damage, spoil = DAMAGES[number // len(sounds) % len(DAMAGES)]
        (folder / f"damaged {number}{suffix}").write_bytes(spoil(content, chance))
        yield f"damaged {number}{suffix}", f"{damage}"
        number, count = number + 1, count + 1


def truncated(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(1, len(content))]


def flipped(content: bytes, chance: random.Random) -> bytes:
    spoiled = bytearray(content)
    for _ in range(chance.choice([1, 4, 30])):
        spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
    return bytes(spoiled)


def doubled(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content))
    return content[:at] + content[at // 2 : at] + content[at:]


def with_controls(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content))
    return content[:at] + bytes(range(32)) + b"\x7f\x80\xff\xfe\xef\xbb\xbf\xe2\x80\xae" + content[at:]


DAMAGES = [("truncated", truncated), ("bits flipped", flipped), ("doubled", doubled), ("controls", with_controls)]


def sound() -> dict[str, bytes]:
    """Return a small sound file of each kind."""
    prose = PROSE * 20
    rows = "".join(f"{n},{n * 7},words {n}\n" for n in range(60))
    cell = {"cell_type": "markdown", "source": [f"# Title\n{prose}"]}
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row><c t="inlineStr"><is><t>words</t></is></c></row></sheetData></worksheet>'
    odt = f'<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>{prose}</text:p></office:text></office:body></office:document-content>'
    latex = f"\\documentclass{{article}}\\title{{T}}\\begin{{document}}\\section{{One}}{prose}\\end{{document}}"
    return {
        ".pdf": hostile.pdf(prose, prose),
        ".docx": hostile.docx(prose),
        ".odt": hostile.zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": odt}),
        ".pptx": hostile.zipped(
            {"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": "<p:presentation xmlns:p='p'/>"}
        ),
        ".xlsx": hostile.zipped(
            {"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet}
        ),
        ".epub": epub({"one.xhtml": LINKED.replace("Chapter.", prose)}),
        ".zip": hostile.zipped({"main.tex": latex}),
        ".tex": latex.encode(),
        ".html": f"<html><head><title>T</title></head><body><h1>One</h1><p>{prose}</p></body></html>".encode(),
        ".md": f"---\ntitle: T\nauthors: [A, B]\n---\n# One\n{prose}".encode(),
        ".txt": f"{prose} 论文 naïve".encode(),
        ".ipynb": json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(),
        ".eml": f"From: a@b.c\nTo: d@e.f\nSubject: Hello\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{prose}".encode(),
        ".csv": f"n,m,note\n{rows}".encode(),
        ".tsv": f"n,m,note\n{rows}".replace(",", "\t").encode(),
        ".rtf": f"{{\\rtf1\\ansi {{\\b Title}}\\par {prose}\\par}}".encode(),
        ".jsonl": "".join(json.dumps({"id": f"r{n}", "text": f"{PROSE}{n}"}) + "\n" for n in range(20)).encode(),
        ".bib": "".join(hostile.bibliography(20)).encode(),
        ".ris": b"TY  - JOUR\nTI  - A title of a work\nAU  - Doe, Jane\nPY  - 2001\nER  - \n" * 5,
    }


def epub(chapters: dict[str, str], **others: str) -> bytes:
    """Return a book of these chapters."""
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    package = f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>{items}</manifest><spine>{spine}</spine></package>'
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>'
    return hostile.zipped({"META-INF/container.xml": container, "p.opf": package, **chapters, **others})


def built() -> Iterator[Made]:
    """Yield files that are built to do harm, beyond those of the tests."""
    many, deep = 200_000, 100_000
    attributes = " ".join(f'a{n}="v"' for n in range(many))
    names = " ".join(f'xmlns:n{n}="urn:{n}"' for n in range(many))
    for name, text in {
        "attributes": f"<p {attributes}>{PROSE}</p>",
        "attributes with brackets": f"<p {attributes.replace('v', '<>')}>{PROSE}</p>",
        "attributes without quotes": f"<p {attributes.replace(chr(34), '')}>{PROSE}</p>",
        "open quotes": '<p a="' * many,
        "nested tables": "<table><tr><td>" * deep + PROSE,
        "nested lists": "<ul><li>" * deep + PROSE,
        "nested formatting": "<b><i><font>" * deep + PROSE,
        "misnested": "<b><p>" * 20_000 + PROSE,
        "very many elements": "<p>x</p>" * 600_000,
        "large spans": "<table>" + "<tr><td colspan=1000 rowspan=65000>x</td></tr>" * 3_000 + "</table>",
        "entities": "&amp;&#x1F600;" * 500_000,
        "comments": "<!-- " * many + PROSE,
        "one word": "x" * 4_000_000,
        "frames": "<frameset><frame src='file:///etc/passwd'><iframe src='file:///etc/passwd'></iframe></frameset>"
        + PROSE,
    }.items():
        yield "html", f"{name}.html", f"<html><body>{text}".encode()
    word = {f"attributes in {part}": crowd for part, crowd in (("an element", attributes), ("namespaces", names))}
    for name, crowd in word.items():
        content = hostile.docx("w")
        yield "docx", f"{name}.docx", crowded(content, crowd)
        yield "epub", f"{name}.epub", epub({"one.xhtml": LINKED.replace("<p>", f"<p {crowd}>")})
    yield "docx", "nested.docx", crowded(hostile.docx("w"), "", "<w:p>" * deep)
    yield "epub", "nested.epub", epub({"one.xhtml": "<html><body>" + "<div>" * deep})
    yield "epub", "chapters.epub", epub({f"c{n}.xhtml": LINKED for n in range(5_000)})
    yield "epub", "outside.epub", epub({"../../../etc/passwd": LINKED, "/etc/passwd": LINKED, "one.xhtml": LINKED})
    yield "epub", "itself.epub", epub({"p.opf": LINKED})
    yield (
        "zip",
        "in itself.zip",
        hostile.zipped(
            {"main.tex": "\\documentclass{article}\\begin{document}\\input{main}\\include{main}x\\end{document}"}
        ),
    )
    yield "zip", "very many.zip", hostile.zipped({f"{n}.tex": "x" for n in range(20_000)})
    yield "zip", "lying directory.zip", lying_directory()
    yield (
        "zip",
        "zips in zips.zip",
        hostile.zipped({f"{n}.zip": hostile.zipped({"a.zip": hostile.MEGABYTE}) for n in range(50)}),
    )
    yield (
        "zip",
        "odd names.zip",
        hostile.zipped({"a\x00.tex": "x", "a\nb.tex": "y", "CON.tex": "z", "x" * 5_000 + ".tex": "x"}),
    )
    yield "zip", "not a zip.zip", b"PK\x03\x04" + os.urandom(5_000)
    macro = "\\m"
    tex = "\\documentclass{article}\\begin{document}"
    for name, text in {
        "outside": tex
        + "\\input{../../secret}\\input{/etc/passwd}\\include{../secret.md}\\input{|cat /etc/passwd} Text.",
        "braces": tex + "{" * deep + PROSE,
        "environments": tex + "\\begin{itemize}\\item " * 20_000 + PROSE,
        "macro bomb": "".join(
            f"\\newcommand{{\\m{chr(98 + n)}}}{{{10 * (macro + chr(97 + n))}}}" if n else "\\newcommand{\\ma}{ha}"
            for n in range(20)
        )
        + tex
        + "\\mt",
        "macro of itself": "\\def\\a{\\a\\a}" + tex + "\\a Text.",
        "dollars": tex + "$" * deep + PROSE,
        "table": tex + "\\begin{tabular}{" + "c" * deep + "}" + "&" * deep + "\\\\" * deep + PROSE,
        "verbatims": tex + "\\begin{verbatim}" * deep + PROSE,
        "citations": tex + "\\cite{" + ",".join(map(str, range(deep))) + "}" + PROSE,
    }.items():
        yield "tex", f"{name}.tex", text.encode()
    for name, text in {
        "one line": "word " * 800_000,
        "one word": "x" * 4_000_000,
        "line ends": "\n" * 5_000_000 + "x",
        "carriage returns": "\r" * 5_000_000 + "x",
        "full stops": ". " * 2_000_000,
        "combining": "a" + "\u0301" * 1_000_000,
        "right to left": ("\u202e\u2066\u2069\u200f" * 1_000) + PROSE,
        "private": "\ue000\U000f0000\ufdd0\uffff" * 10_000 + PROSE,
        "escapes": "\x1b[31m\x1b]0;title\x07" * 300 + PROSE * 200,
        "references": "References\n\n" + "".join(f"[{n}] Doe, J. (2001). Title {n}. Journal.\n" for n in range(20_000)),
        "brackets": "[1, 2-9999999999] (Doe, 2001) " * 20_000,
    }.items():
        yield "text", f"{name}.txt", text.encode()
        yield "text", f"{name}.md", text.encode()
    for encoding in (
        "utf-16",
        "utf-32",
        "utf-16-be",
        "shift_jis",
        "gb18030",
        "cp1251",
        "euc-kr",
        "utf-7",
        "iso2022_jp",
    ):
        yield "encoding", f"{encoding}.txt", (PROSE + "论文 статья 논문 ありがとう").encode(encoding, "ignore") * 20
    yield "encoding", "half.txt", "论文".encode()[:-1] * 3_000
    yield "encoding", "mixed.txt", ("naïve " * 200).encode("utf-8") + ("naïve " * 200).encode("latin-1")
    yield "encoding", "mark only.txt", b"\xff\xfe"
    yield (
        "encoding",
        "surrogates.jsonl",
        b'{"id": "\\ud800", "title": "\\udfff", "text": "words \\ud800 and \\u0000 words"}\n',
    )
    for name, text in {
        "bomb of aliases": "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(9 * [f'*{chr(97 + n)}'])}]\n" for n in range(9)),
        "objects": "a: !!python/object/apply:os.system ['touch /tmp/scholarmind-was-here']\n",
        "nested": "a: " + "[" * 50_000 + "\n",
        "numbers": "year: " + "9" * 50_000 + "\nid: " + "i" * 60_000 + "\n",
        "dates": "year: 99999-99-99\ndate: 0000-00-00\n",
    }.items():
        yield "front matter", f"{name}.md", f"---\n{text}---\n{PROSE}".encode()
    for name, text in {
        "nested": "[" * deep,
        "huge number": '{"text": "x", "meta": {"year": ' + "9" * 100_000 + "}}",
        "infinite": '{"text": "x", "meta": {"year": Infinity, "a": NaN, "b": 1e999}}',
        "keys": json.dumps({"text": PROSE, "meta": {f"k{n}": n for n in range(50_000)}}),
        "deep": '{"text": "words", "meta": ' + '{"a":' * 900 + "1" + "}" * 901,
        "odd ids": "\n".join(
            json.dumps({"id": id, "text": "words"})
            for id in ("../../x", "a\nb", "", None, 5, [], {"a": 1}, "x" * 100_000, "-rf", "\x00")
        ),
        "same ids": '{"id": "same", "text": "words"}\n' * 3_000,
    }.items():
        yield "records", f"{name}.jsonl", text.encode()
    cells = [{"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": "y" * 5_000_000}]}]
    yield "notebook", "outputs.ipynb", json.dumps({"cells": cells * 3, "nbformat": 4, "metadata": {}}).encode()
    yield (
        "notebook",
        "odd.ipynb",
        json.dumps(
            {"cells": [None, 1, [], {"source": {}}, {"cell_type": 5, "source": [1, None]}], "nbformat": "x"}
        ).encode(),
    )
    head = "From: a@b.c\nSubject: x\nMIME-Version: 1.0\n"
    yield (
        "mail",
        "nested.eml",
        (
            head
            + "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3_000))
            + "\ntext"
        ).encode(),
    )
    yield "mail", "headers.eml", ("".join(f"X-H{n}: v\n" for n in range(200_000)) + head + f"\n{PROSE}").encode()
    yield (
        "mail",
        "attached.eml",
        (
            head
            + 'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Disposition: attachment; filename="../../../tmp/evil.sh"\n\nevil\n--b\nContent-Type: text/plain\n\n'
            + PROSE
            + "\n--b--"
        ).encode(),
    )
    yield (
        "mail",
        "encodings.eml",
        (
            head
            + "Content-Type: text/plain; charset=no-such-thing\nContent-Transfer-Encoding: base64\n\n"
            + "!" * 100_000
        ).encode(),
    )
    yield "mail", "words.eml", ("Subject: " + "=?utf-8?b?" * 50_000 + "\n" + head + f"\n{PROSE}").encode()
    yield "table", "columns.csv", (",".join(map(str, range(100_000))) + "\n").encode() * 3
    yield "table", "quotes.csv", b'a,b\n"' + b'""' * 1_000_000
    yield "table", "rows.tsv", b"a\tb\n" + b"1\t2\n" * 400_000
    yield "table", "formulas.csv", b"a,b\n=cmd|' /C calc'!A0,@SUM(1)\n" * 50
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/><sheetData>{}</sheetData></worksheet>'
    yield "table", "far cells.xlsx", workbook(sheet.format('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))
    yield "table", "rows.xlsx", workbook(sheet.format("<row><c><v>1</v></c></row>" * 300_000))
    yield "rtf", "nested.rtf", b"{\\rtf1 " + b"{" * deep + b"x"
    yield "rtf", "binary.rtf", b"{\\rtf1 \\bin99999999999 x}" + PROSE.encode()
    yield "rtf", "unicode.rtf", b"{\\rtf1 \\uc99999 " + b"\\u-99999 " * 10_000 + b"x}"
    yield (
        "bibliography",
        "files.bib",
        (
            b"@article{a, title = {A work that names files}, file = {:../../secret.md:MD;/etc/passwd;C\\:\\\\x.pdf;file:///etc/shadow}}\n"
        ),
    )
    yield "bibliography", "braces.bib", b"@article{a, title = " + b"{" * deep
    yield (
        "bibliography",
        "strings.bib",
        (
            "@string{a0 = {x}}\n"
            + "".join(f"@string{{a{n} = {' # '.join(10 * [f'a{n - 1}'])}}}\n" for n in range(1, 12))
            + "@article{k, title = a11}"
        ).encode(),
    )
    yield (
        "bibliography",
        "crossrefs.bib",
        b"@article{a, crossref = {b}}\n@article{b, crossref = {a}}\n@article{c, crossref = {c}, title = {C}}\n",
    )
    yield "bibliography", "entries.ris", b"TY  - JOUR\nAU  - x\n" * 20_000
    for suffix, other in (
        ("pdf", ".docx"),
        ("docx", ".pdf"),
        ("html", ".pdf"),
        ("zip", ".epub"),
        ("epub", ".zip"),
        ("txt", ".xlsx"),
        ("rtf", ".odt"),
        ("csv", ".pptx"),
    ):
        yield "wrong suffix", f"{suffix} as{other}", sound()[f".{suffix}"]
    for suffix in sound():
        yield "zeros", f"zeros{suffix}", bytes(5_000)
        yield "noise", f"noise{suffix}", random.Random(suffix).randbytes(20_000)


def crowded(word: bytes, crowd: str, before: str = "") -> bytes:
    """Return a Word file whose first paragraph has these attributes, and begins with this."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(word)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    body = parts["word/document.xml"].replace(b"<w:p>", f"{before}<w:p {crowd}>".encode())
    return hostile.zipped({**parts, "word/document.xml": body})


def workbook(sheet: str) -> bytes:
    """Return a table of this sheet."""
    related, office = hostile._RELATED, hostile._OFFICE
    return hostile.zipped(
        {
            "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
            "_rels/.rels": f'<Relationships xmlns="{related}"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{office}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{related}"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": sheet,
        }
    )


def lying_directory() -> bytes:
    """Return a zip file that says that its list of entries is almost four gigabytes long."""
    content = bytearray(hostile.zipped({"main.tex": "x"}))
    end = content.rfind(b"PK\x05\x06")
    content[end + 12 : end + 16] = b"\xf0\xff\xff\xff"
    return bytes(content)


def special(folder: Path, around: Path) -> Iterator[tuple[str, str]]:
    """Make what is no ordinary file, or has no ordinary name, and yield name and kind."""
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as opened:
        place = Path.cwd()
        os.chdir(folder)  # the name of a socket must be short
        opened.bind("socket.md")
        os.chdir(place)
    (folder / "unreadable.md").write_text("x")
    (folder / "unreadable.md").chmod(0)
    links = {
        "device.md": "/dev/zero",
        "random.pdf": "/dev/urandom",
        "passwd.md": "/etc/passwd",
        "secret.md": str(around / "secret.md"),
    }
    links |= {
        "memory.txt": "/proc/self/mem",
        "loop.md": "loop.md",
        "nowhere.md": "nowhere-at-all.md",
        "root": "/",
        "up": "..",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    for name in ("pipe.md", "socket.md", *links):
        yield name, "special"
    yield "unreadable.md", "special"
    for number, name in enumerate(
        (
            "a\nb",
            "a\x1b[31mb",
            "bad\udcff",
            "\udc80\udc81",
            "🎓",
            "x" * 240,
            "-rf",
            "$(touch x)",
            "' OR 1=1 --",
            "CON",
            "nul.tar",
            "[bold]",
            "%s%n",
            " ",
            "a..b",
            "a\tb",
            "\u202etxt",
            "a\x7fb",
        )
    ):
        (folder / f"{name}.md").write_text(f"Under an odd name, number {number}.")
        yield f"{name}.md", "name"


def good(folder: Path) -> None:
    """Write good documents, before, among and behind the others."""
    for number in range(GOOD):
        kind = (".md", ".txt", ".pdf", ".html", ".jsonl", ".docx")[number % 6]
        words = f"A good document about zebras, called zebra{number}good."
        content = {
            ".pdf": hostile.pdf,
            ".docx": hostile.docx,
            ".jsonl": lambda text: json.dumps({"text": text}).encode(),
            ".html": lambda text: f"<p>{text}</p>".encode(),
        }
        place = folder / ("aaa", "mmm", "zzz", "sub")[number % 4]
        place.mkdir(exist_ok=True)
        (place / f"good {number}{kind}").write_bytes(content.get(kind, str.encode)(words))


# --- what came of them ---


def run(library: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the command line."""
    command = [Path(sys.executable).with_name("scholarmind"), *arguments, "--library", library]
    environment = {
        **os.environ,
        "SCHOLARMIND_EMBEDDER": "none",
        "SCHOLARMIND_READING_SECONDS": str(SECONDS),
        "SCHOLARMIND_READING_MEGABYTES": "1000",
    }
    return subprocess.run(command, capture_output=True, check=False, env=environment, timeout=MINUTES * 60)


def add(folder: Path, library: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the report of adding all of it, and what was wrong with that itself."""
    try:
        done = run(library, "add", folder, "--json")
    except subprocess.TimeoutExpired:
        return {"problems": []}, [f"the command did not end within {MINUTES} minutes"]
    if done.returncode or b"Traceback" in done.stderr:
        return {"problems": []}, [
            f"the command ended with {done.returncode}: {done.stderr[-1500:].decode(errors='replace')}"
        ]
    return json.loads(done.stdout), []


def ended(folder: Path, library: Path, kinds: dict[str, str], report: dict[str, Any]) -> Iterator[Outcome]:
    """Yield how each file ended."""
    from scholarmind import Library
    from scholarmind.text.untrusted import printable

    told: dict[str, list[str]] = defaultdict(list)
    for problem in report["problems"]:
        told[problem["where"]].append(problem["reason"])
    with Library.open(library, create=False, embedder="none") as opened:
        read = {document.origin for document in opened.documents()}
    for name, kind in kinds.items():
        place = printable(folder / name)
        reasons = [
            reason
            for where, some in told.items()
            if where == place or where.startswith(f"{place}, ")
            for reason in some
        ]
        if any("said nothing for" in reason for reason in reasons):
            ending = "hang"
        elif any(reason.startswith(CRASHES) for reason in reasons):
            ending = "crash"
        elif place in read:
            ending = "read"
        else:
            ending = "refused" if reasons else "silence"
        yield Outcome(kind, name, ending, reasons[0] if reasons else "")


def found_in(library: Path) -> tuple[set[int], bool]:
    """Return which good documents are found, and whether anything that nobody may read was read."""
    from scholarmind import Library

    with Library.open(library, create=False, embedder="none") as opened:
        found = {
            n
            for n in range(GOOD)
            if any(
                f"zebra{n}good" in item.passage.text
                for item in opened.search(f"zebra{n}good", k=3, mode="keyword").evidence
            )
        }
        leaked = [
            *opened.search(SECRET, mode="keyword").evidence,
            *opened.search("root bin bash nologin", mode="keyword").evidence,
        ]
        return found, any(SECRET in item.passage.text or "root:" in item.passage.text for item in leaked)


def by_kind(outcomes: list[Outcome]) -> dict[str, dict[str, Any]]:
    """Return the endings of each kind, with the commonest reasons."""
    kinds: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(each.kind for each in outcomes):
        some = [each for each in outcomes if each.kind == kind]
        reasons = Counter(each.reason for each in some if each.reason and each.ending != "read")
        kinds[kind] = {
            "files": len(some),
            **Counter(each.ending for each in some),
            "reasons": [why for why, _ in reasons.most_common(3)],
        }
    return kinds


def table(told: dict[str, Any]) -> str:
    """Return it as a table for people."""
    endings = ("files", "read", "refused", "crash", "hang", "silence")
    lines = [f"{'kind':<20}" + "".join(f"{ending:>9}" for ending in endings) + "  refused, because"]
    for kind, row in told["kinds"].items():
        why = "; ".join(reason[:60] for reason in row["reasons"][:2])
        lines.append(f"{kind:<20}" + "".join(f"{row.get(ending, 0):>9}" for ending in endings) + f"  {why}")
    total = {ending: sum(row.get(ending, 0) for row in told["kinds"].values()) for ending in endings}
    lines.append(f"{'all':<20}" + "".join(f"{total[ending]:>9}" for ending in endings))
    lines.append(f"{told['seconds']} s; good documents found: {told['good documents found']}")
    return "\n".join([*lines, *(f"FAILED: {failure}" for failure in told["failures"])])


if __name__ == "__main__":
    main()
