"""E-mails: which part is the text, what the headers say, what is broken."""

from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.mail import MailReader
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading

LIMIT = 10_000_000
HEADERS = "From: Ada Müller <ada@x.org>\nSubject: Results\nDate: Tue, 02 Mar 2021 10:00:00 +0100\n"


def read(folder: Path, content: str | bytes | EmailMessage) -> tuple[Reading, list[Problem]]:
    """Return the message, and what of it was not read."""
    path = folder / "message.eml"
    path.write_bytes(
        content.encode() if isinstance(content, str) else content if isinstance(content, bytes) else content.as_bytes()
    )
    first, *others = MailReader(LIMIT).read(path)
    assert isinstance(first, Reading)
    return first, [item for item in others if isinstance(item, Problem)]


def message(text: str = "Hello.\n") -> EmailMessage:
    """Return a message with this text."""
    found = EmailMessage()
    found["From"] = "Ada Müller <ada@x.org>"
    found["To"] = "王伟 <wang@x.org>, bob@x.org"
    found["Subject"] = "Résultats: 注意力 😀 " + "long " * 20
    found["Date"] = "Tue, 02 Mar 2021 10:00:00 +0100"
    found.set_content(text)
    return found


def test_headers(tmp_path: Path) -> None:
    document = read(tmp_path, message())[0].document
    assert document.title == ("Résultats: 注意力 😀 " + "long " * 20).strip()
    assert (document.authors, document.year, document.kind) == (("Ada Müller",), 2021, "mail")
    assert document.metadata == {"date": "2021-03-02", "to": ("王伟", "bob@x.org")}


def test_plain_text_is_preferred_and_attachments_are_named(tmp_path: Path) -> None:
    mail = message("The plain one.\n")
    mail.add_alternative("<p>The <b>HTML</b> one.", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="论文.pdf")
    mail.add_attachment("a,b", filename="data.csv")
    found, problems = read(tmp_path, mail)
    assert found.text == "The plain one."
    assert [problem.reason for problem in problems] == ["attachments not read: '论文.pdf', 'data.csv'"]
    assert problems[0].lasting


@pytest.mark.parametrize("plain", [None, " \n"])
def test_html_where_there_is_no_plain_text(tmp_path: Path, plain: str | None) -> None:
    mail = message(plain or "x")
    if plain is None:
        mail.set_content(
            "<h1>Head</h1><p>One<script>alert(1)</script> line.<table class=data><tr><td>a<td>b</table>", subtype="html"
        )
    else:
        mail.add_alternative("<h1>Head</h1><p>One line.<table class=data><tr><td>a<td>b</table>", subtype="html")
    found, _ = read(tmp_path, mail)
    assert found.text == "Head\n\nOne line.\n\na | b"
    assert [region.kind for region in found.regions] == ["table"]


def test_lines_are_joined_where_only_the_screen_had_parted_them(tmp_path: Path) -> None:
    long = "This line is as long as those that a mail program breaks"
    found, _ = read(
        tmp_path,
        f"{HEADERS}\n{long}\ninto pieces.\n\nShort\nlines\n- {long}\n- item\n\n> {long}\n> quoted.\n>\n> Again\n>> deeper\n\n-- \nAda\n",
    )
    assert (
        found.text
        == f"{long} into pieces.\n\nShort\nlines\n- {long}\n- item\n\n> {long} quoted.\n\n> Again\n>> deeper\n\n--\nAda"
    )


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("=?utf-8?B?5rOo5oSP?= =?utf-8?Q?_caf=C3=A9?=", "注意 café"),
        ("=?iso-8859-1?Q?caf=E9?=", "café"),
        ("=?gb2312?B?16LS4g==?=", "注意"),
        ("=?nonsense?B?!!!?= rest", "rest"),
        ("folded\n over lines", "folded over lines"),
        ("", "message"),
    ],
)
def test_subjects(tmp_path: Path, header: str, expected: str) -> None:
    assert expected in read(tmp_path, f"From: a@b.c\nSubject: {header}\n\nText.")[0].document.title


@pytest.mark.parametrize(
    ("charset", "content", "expected"),
    [
        ("iso-8859-1", "café".encode("latin-1"), "café"),
        ("gb18030", "注意力机制是深度学习".encode("gb18030"), "注意力机制是深度学习"),
        ("us-ascii", "café naïve".encode(), "café naïve"),
        ("nonsense", "café naïve".encode(), "café naïve"),
        (
            "utf-8",
            "Die Größe der Schönheit überrascht für Mädchen sehr".encode("latin-1"),
            "Die Größe der Schönheit überrascht für Mädchen sehr",
        ),
    ],
)
def test_encodings(tmp_path: Path, charset: str, content: bytes, expected: str) -> None:
    head = f"From: a@b.c\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert read(tmp_path, head.encode() + content)[0].text == expected


def test_quoted_printable_and_base_64(tmp_path: Path) -> None:
    printable = f"{HEADERS}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 is=\n fine"
    assert read(tmp_path, printable)[0].text == "café is fine"
    assert read(tmp_path, f"{HEADERS}Content-Transfer-Encoding: base64\n\nSGVsbG8u")[0].text == "Hello."


@pytest.mark.parametrize(
    "content",
    [
        f"{HEADERS}Content-Type: multipart/mixed; boundary=x\n\n--x\n\nHello.\n",
        f"{HEADERS}Content-Type: multipart/mixed\n\n--x\n\nHello.\n--x--",
        f"{HEADERS}Content-Type: multipart/mixed; boundary=x\n\nHello.",
        f"{HEADERS}Content-Type: ;;;\n\nHello.",
        f"{HEADERS}Content-Transfer-Encoding: nonsense\n\nHello.",
        f"{HEADERS}Date: never\nFrom: <<<>>>,,;\nContent-Disposition: ;;\n\nHello.",
        "From a@b.c Tue Mar  2 10:00:00 2021\n" + HEADERS + "\nHello.",
        HEADERS + "".join(f"X-{n}: y\n" for n in range(5_000)) + "\nHello.",
    ],
)
def test_broken_messages_survive(tmp_path: Path, content: str) -> None:
    assert "Hello." in read(tmp_path, content)[0].text


@pytest.mark.parametrize("depth", [30, 300, 5_000])
def test_parts_within_parts_without_end(tmp_path: Path, depth: int) -> None:
    opening = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth))
    path = tmp_path / "deep.eml"
    path.write_text(f"{HEADERS}{opening}Content-Type: text/plain\n\nHello.\n")
    try:
        first = next(iter(MailReader(LIMIT).read(path)))
    except ReadError as error:
        first = error
    assert "Hello." in first.text if isinstance(first, Reading) else depth > 30


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"just some words\nand more", "it is no e-mail: it has no headers"),
        (HEADERS.encode(), "it has no text"),
        (b"%PDF-1.4\n\x00\x01", "it is no e-mail: it has no headers"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(ReadError) as error:
        read(tmp_path, content)
    assert error.value.reason == reason


HEADER = st.sampled_from(
    ["Subject", "From", "To", "Date", "Content-Type", "Content-Disposition", "Content-Transfer-Encoding", "Message-ID"]
)
VALUE = st.text("aA1=?;:<>@\"'(),./\\ \t-_é字\x00", max_size=40)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(HEADER, VALUE), max_size=6))
def test_whatever_the_headers_it_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, headers: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("mail") / "a.eml"
    path.write_text("X: y\n" + "".join(f"{name}: {value}\n" for name, value in headers) + "\nHello.")
    try:
        found = list(MailReader(LIMIT).read(path))
    except ReadError as error:
        found = [error]
    assert found
