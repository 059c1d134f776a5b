"""Files that are broken, bent or built to do harm. Each is read, or told to be unusable with a reason; none ends in a traceback."""

import io
import random
import re
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading

SENTENCE = "Measured rainfall in the northern valleys was higher than in any year before."
READER = PdfReader(max_bytes=50_000_000)
NAMES = [
    "план работы",
    "论文 第二版",
    "数据📈",
    "مقالة",
    "e\u0301tude",
    "a'b\"c $(x)",
    "x" * 200,
    "%2e%2e",
    "new\nline",
]


def written(pages: int = 3, **options: object) -> bytes:
    """Return a small, sound PDF."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(300, 400), invariant=True, **options)
    for page in range(pages):
        for line, word in enumerate("rivers lakes hills woods".split()):
            canvas.drawString(20, 360 - 14 * line, f"On leaf {page * 7 + line} there is a word about {word}.")
        for line, words in enumerate(textwrap.wrap(SENTENCE, 44)):
            canvas.drawString(20, 200 - 14 * line, words)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def built(objects: dict[int, bytes], root: int = 1) -> bytes:
    """Return a PDF of these objects, with a sound table of where they are."""
    out = bytearray(b"%PDF-1.7\n")
    places = dict.fromkeys(range(max(objects) + 1), 0)
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % len(places)
    for number in range(1, len(places)):
        out += b"%010d 00000 %s \n" % (places[number], b"n" if places[number] else b"f")
    out += b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(places), root, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def page_with(
    content: bytes, *, box: bytes = b"0 0 500 400", font: bytes = b"", extra: dict[int, bytes] | None = None
) -> bytes:
    """Return a PDF of one page with this content stream object."""
    font = font or b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return built(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            % box,
            4: content,
            5: font,
            **(extra or {}),
        }
    )


def shown(text: str = SENTENCE, size: str = "10", at: str = "20 300") -> bytes:
    return stream(f"BT /F1 {size} Tf {at} Td ({text}) Tj ET".encode())


def outcome(path: Path, content: bytes, reader: PdfReader = READER) -> list[Reading | Problem]:
    """Return what is read, or the one problem that kept it from being read."""
    path.write_bytes(content)
    try:
        return list(reader.read(path))
    except ReadError as error:
        return [Problem(where=path.name, reason=error.reason, advice=error.advice)]


def text_of(items: list[Reading | Problem]) -> str:
    return "".join(item.text for item in items if isinstance(item, Reading))


def reason_of(items: list[Reading | Problem]) -> str:
    return "; ".join(item.reason for item in items if isinstance(item, Problem))


# --- locked, cut, empty ---


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    locked = written(encrypt=StandardEncryption("secret", "owner", strength=128))

    assert "password" in reason_of(outcome(tmp_path / "a.pdf", locked))


def test_what_is_only_locked_against_changes_can_be_read(tmp_path: Path) -> None:
    locked = written(encrypt=StandardEncryption("", "owner", canCopy=0, canPrint=0, strength=128))

    assert SENTENCE in text_of(outcome(tmp_path / "a.pdf", locked))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x00" * 5000, "not a PDF"),
        (b"PK\x03\x04 a zip by another name", "not a PDF"),
        (b"%PDF-1.4\n", "broken or cut short"),
        (b"%PDF-1.4\n" + b"1 0 obj\n" * 2000, "broken or cut short"),
    ],
)
def test_what_is_no_pdf_is_told(tmp_path: Path, content: bytes, reason: str) -> None:
    assert reason in reason_of(outcome(tmp_path / "a.pdf", content))


def test_a_file_cut_anywhere_is_read_or_told(tmp_path: Path) -> None:
    whole = written()
    for share in range(1, 40):
        items = outcome(tmp_path / f"{share}.pdf", whole[: len(whole) * share // 40])
        assert text_of(items) or reason_of(items), share


def test_a_pdf_without_pages_is_told(tmp_path: Path) -> None:
    empty = built({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [] /Count 0 >>"})

    assert reason_of(outcome(tmp_path / "a.pdf", empty))


def test_five_thousand_pages_are_read_to_the_limit_and_told(tmp_path: Path) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(200, 100), invariant=True)
    for page in range(5000):
        canvas.drawString(10, 50, f"Leaf {page + 1} of a very long record.")
        canvas.showPage()
    canvas.save()

    items = outcome(tmp_path / "a.pdf", file.getvalue(), PdfReader(max_bytes=50_000_000, max_pages=300))

    assert "5,000 pages" in reason_of(items)
    assert "Leaf 300 of" in text_of(items)
    assert "Leaf 301 of" not in text_of(items)


def test_a_file_over_the_limit_is_told(tmp_path: Path) -> None:
    assert "limit" in reason_of(outcome(tmp_path / "a.pdf", written(), PdfReader(max_bytes=100)))


# --- loops and depths ---


def test_page_trees_that_contain_themselves_end(tmp_path: Path) -> None:
    loop = built(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 1000000 >>",
            3: b"<< /Type /Pages /Kids [2 0 R] /Count 2 /Parent 2 0 R >>",
        }
    )

    items = outcome(tmp_path / "a.pdf", loop, PdfReader(max_bytes=1_000_000, max_pages=200))

    assert reason_of(items)


def test_a_page_tree_of_thousands_of_levels_ends(tmp_path: Path) -> None:
    levels = 3000
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>"}
    objects |= {n: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 1) for n in range(2, levels)}
    objects[levels] = b"<< /Type /Page /MediaBox [0 0 300 400] >>"

    items = outcome(tmp_path / "a.pdf", built(objects))

    assert reason_of(items)


def test_objects_that_refer_to_themselves_end(tmp_path: Path) -> None:
    twisted = page_with(b"4 0 R", font=b"5 0 R")

    assert reason_of(outcome(tmp_path / "a.pdf", twisted))


def test_arrays_in_arrays_end(tmp_path: Path) -> None:
    deep = page_with(shown(), extra={6: b"[" * 50_000 + b"]" * 50_000})

    items = outcome(tmp_path / "a.pdf", deep)

    assert text_of(items) or reason_of(items)


def test_forms_that_draw_themselves_end(tmp_path: Path) -> None:
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 500 400] /Resources << /XObject << /X 6 0 R >> >>"
    content = stream(b"BT /F1 10 Tf 20 300 Td (" + SENTENCE.encode() + b") Tj ET /X Do")
    looped = page_with(content, extra={6: stream(b"/X Do", entries)})
    looped = looped.replace(b"/Font << /F1 5 0 R >> >>", b"/Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>")

    assert SENTENCE in text_of(outcome(tmp_path / "a.pdf", looped))


# --- sizes ---


def bomb(megabytes: int, layers: int = 1) -> bytes:
    """Return a stream of blanks that unpacks to so many megabytes."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        packed = zlib.compress(packed, 9)
    return stream(packed, b"/Filter [%s]" % (b"/FlateDecode " * layers))


@pytest.mark.parametrize("layers", [1, 3])
def test_a_bomb_is_read_or_told(tmp_path: Path, layers: int) -> None:
    items = outcome(tmp_path / "a.pdf", page_with(bomb(60, layers)))

    assert reason_of(items)


@pytest.mark.parametrize(
    "box",
    [
        b"0 0 1e9 1e9",
        b"0 0 0 0",
        b"300 400 0 0",
        b"-1e30 0 1e30 400",
        b"nan nan nan nan",
        b"0 0 99999999999999999999 1",
    ],
)
def test_pages_of_odd_sizes_are_read(tmp_path: Path, box: bytes) -> None:
    items = outcome(tmp_path / "a.pdf", page_with(shown(), box=box))

    assert text_of(items) or reason_of(items)


@pytest.mark.parametrize(
    ("size", "at"),
    [
        ("1", "20 300"),
        ("0", "20 300"),
        ("-10", "20 300"),
        ("1e9", "20 300"),
        ("10", "nan inf"),
        ("10", "1e30 -1e30"),
        ("1e-9", "20 300"),
    ],
)
def test_letters_of_odd_sizes_in_odd_places_are_read(tmp_path: Path, size: str, at: str) -> None:
    items = outcome(tmp_path / "a.pdf", page_with(shown(size=size, at=at)))

    assert text_of(items) or reason_of(items)


def test_text_of_one_point_is_text(tmp_path: Path) -> None:
    assert SENTENCE in text_of(outcome(tmp_path / "a.pdf", page_with(shown(size="1"))))


def test_a_page_of_very_many_letters_ends(tmp_path: Path) -> None:
    line = b"(" + b"abcdefghi " * 20 + b") Tj 0 -1 Td "
    items = outcome(tmp_path / "a.pdf", page_with(stream(b"BT /F1 1 Tf 20 390 Td " + line * 2000 + b"ET")))

    assert text_of(items) or reason_of(items)


# --- what stands in it ---


def test_fonts_without_unicode_values_are_told(tmp_path: Path) -> None:
    glyphs = (
        b"/CharProcs << /g1 6 0 R >> /Encoding << /Type /Encoding /Differences [1 /g1 /g2 /g3 /g4 /g5 /g6 /g7 /g8] >>"
    )
    font = (
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 1 /LastChar 8 "
        b"/Widths [8 8 8 8 8 8 8 8] %s >>" % glyphs
    )
    content = stream(b"BT /F1 10 Tf 20 300 Td <%s> Tj ET" % (b"0102030405060708" * 10))

    items = outcome(
        tmp_path / "a.pdf", page_with(content, font=font, extra={6: stream(b"8 0 0 0 8 8 d1 0 0 8 8 re f")})
    )

    assert "OCR" in reason_of(items) or "unreadable" in reason_of(items)


def test_a_wrong_table_of_places_is_mended(tmp_path: Path) -> None:
    wrong = re.sub(rb"startxref\s+\d+", b"startxref\n7", written())

    assert SENTENCE in text_of(outcome(tmp_path / "a.pdf", wrong))


def test_scripts_and_attachments_are_left_alone(tmp_path: Path) -> None:
    script = b"<< /Type /Action /S /JavaScript /JS (app.alert\\('harm'\\); this.exportDataObject\\(\\)) >>"
    sly = page_with(shown(), extra={6: script, 7: stream(b"MZ harm", b"/Type /EmbeddedFile")}).replace(
        b"/Pages 2 0 R >>",
        b"/Pages 2 0 R /OpenAction 6 0 R /Names << /EmbeddedFiles << /Names [(x.exe) 7 0 R] >> >> >>",
    )

    text = text_of(outcome(tmp_path / "a.pdf", sly))

    assert SENTENCE in text
    assert "harm" not in text


@pytest.mark.parametrize("name", NAMES)
def test_files_of_any_name_are_read(tmp_path: Path, name: str) -> None:
    assert SENTENCE in text_of(outcome(tmp_path / f"{name}.pdf", written()))


def test_a_name_that_is_no_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / b"na\xefve.pdf".decode("utf-8", "surrogateescape")

    assert SENTENCE in text_of(outcome(path, written()))


# --- chance ---


def flipped(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 20)):
        content[chance.randrange(len(content))] = chance.randrange(256)


def deleted(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    del content[start : start + chance.randint(1, 300)]


def doubled(content: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(content))
    content[start:start] = content[start : start + chance.randint(1, 300)]


def renumbered(content: bytearray, chance: random.Random) -> None:
    numbers = list(re.finditer(rb"\d+", content))
    found = chance.choice(numbers)
    content[found.start() : found.end()] = chance.choice([b"0", b"-1", b"99999999999", b"1", b"1e40", found[0] * 2])


@pytest.mark.parametrize("change", [flipped, deleted, doubled, renumbered])
def test_chance_changes_end_as_a_reading_or_a_reason(
    tmp_path: Path, change: Callable[[bytearray, random.Random], None]
) -> None:
    whole = written(2, pageCompression=0)
    for seed in range(15):
        content = bytearray(whole)
        change(content, random.Random(seed))
        items = outcome(tmp_path / f"{seed}.pdf", bytes(content))
        assert text_of(items) or reason_of(items), seed
