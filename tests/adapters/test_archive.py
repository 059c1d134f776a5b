"""Zip containers and XML that nobody vouches for."""

import stat
import struct
import zipfile
from pathlib import Path

import pytest

from scholarmind.adapters.readers.containers import Archive, parse_xml
from scholarmind.errors import ReadError

LIMIT = 10_000_000


def pack(folder: Path, files: dict[str, bytes | str], name: str = "a.zip", method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Return a new archive of these files."""
    path = folder / name
    with zipfile.ZipFile(path, "w", method) as archive:
        for entry, content in files.items():
            archive.writestr(entry, content)
    return path


def refusal(path: Path, name: str = "a.txt", limit: int = LIMIT) -> str:
    """Return why a file cannot be taken out of an archive."""
    with pytest.raises(ReadError) as error, Archive(path, limit) as archive:
        archive.read(name)
    assert error.value.advice
    return error.value.reason


def patched(path: Path, old: bytes, new: bytes) -> Path:
    """Replace bytes of a file by others."""
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def test_files_are_taken_out_by_name(tmp_path: Path) -> None:
    path = pack(tmp_path, {"a.txt": "first", "deep/b.txt": "second", "empty/": "", "图/论文.txt": "第三"})
    with Archive(path, LIMIT) as archive:
        assert archive.names() == ["a.txt", "deep/b.txt", "图/论文.txt"]
        assert [archive.read(name).decode() for name in archive.names()] == ["first", "second", "第三"]
        assert "a.txt" in archive
        assert "empty/" not in archive
        assert archive.ignored == []


def test_names_in_utf_8_that_are_not_marked_as_such(tmp_path: Path) -> None:
    path = pack(tmp_path, {"é.txt": "x"})
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark) + offset
        content[at : at + 2] = b"\0\0"
    path.write_bytes(content)
    with Archive(path, LIMIT) as archive:
        assert archive.names() == ["é.txt"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil.txt", "its name leads out of the archive"),
        ("a/../../evil.txt", "its name leads out of the archive"),
        ("..\\evil.txt", "its name leads out of the archive"),
        ("/etc/passwd", "its name is an absolute path"),
        ("C:\\evil.txt", "its name is an absolute path"),
        ("a\nb.txt", "its name is empty or has control characters"),
    ],
)
def test_names_that_are_no_names_are_ignored_with_a_reason(tmp_path: Path, name: str, reason: str) -> None:
    path = pack(tmp_path, {name: "evil", "a.txt": "good"})
    with Archive(path, LIMIT) as archive:
        assert archive.names() == ["a.txt"]
        assert [why for _, why in archive.ignored] == [reason]


def test_links_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with Archive(path, LIMIT) as archive:
        assert archive.names() == []
        assert archive.ignored == [("link", "it is a link")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_of_one_name_the_last_one_is_used(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "old")
        archive.writestr("a.txt", "new")
    with Archive(path, LIMIT) as archive:
        assert archive.read("a.txt") == b"new"
        assert archive.ignored == [("a.txt", "it is there twice; the last one is used")]


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    path = pack(tmp_path, {"a.txt": bytes(9_000_000)})
    assert refusal(path) == "'a.txt' in it unpacks to more than 200 times its size"


def test_sizes_that_lie_do_not_help(tmp_path: Path) -> None:
    path = pack(tmp_path, {"a.txt": bytes(9_000_000)})
    patched(path, struct.pack("<L", 9_000_000), struct.pack("<L", 100))
    with pytest.raises(ReadError), Archive(path, LIMIT) as archive:
        archive.read("a.txt")


def test_a_little_that_is_packed_tightly_is_no_bomb(tmp_path: Path) -> None:
    with Archive(pack(tmp_path, {"a.txt": bytes(900_000)}), LIMIT) as archive:
        assert len(archive.read("a.txt")) == 900_000


def test_all_files_together_have_a_limit(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{n}.txt": bytes(range(250)) * 700 for n in range(10)}
    with Archive(pack(tmp_path, files), 300_000) as archive, pytest.raises(ReadError, match="more than 1 MB"):
        b"".join(map(archive.read, archive.names()))


def test_reading_a_file_again_counts_once(tmp_path: Path) -> None:
    with Archive(pack(tmp_path, {"a.txt": bytes(range(250)) * 2_000}), 150_000) as archive:
        assert {len(archive.read("a.txt")) for _ in range(20)} == {500_000}


def test_too_many_entries(tmp_path: Path) -> None:
    path = pack(tmp_path, {str(n): b"" for n in range(10_001)}, method=zipfile.ZIP_STORED)
    assert refusal(path) == "it has 10,001 entries, the limit is 10,000"


def test_encrypted_files_are_told(tmp_path: Path) -> None:
    path = pack(tmp_path, {"a.txt": "secret"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert refusal(path) == "'a.txt' in it is encrypted"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_bound_are_refused(tmp_path: Path, method: int) -> None:
    assert refusal(pack(tmp_path, {"a.txt": "text"}, method=method)) == f"'a.txt' in it is packed with method {method}"


def test_a_damaged_file(tmp_path: Path) -> None:
    path = pack(tmp_path, {"a.txt": "some text to be damaged"}, method=zipfile.ZIP_STORED)
    assert refusal(patched(path, b"to be damaged", b"which changed")).startswith("'a.txt' in it is damaged")


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(pack(tmp_path, {"b.txt": "text"})) == "there is no 'a.txt' in it"


@pytest.mark.parametrize("content", [b"no zip at all", b"PK\x03\x04 cut off", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_zip_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(ReadError) as error:
        Archive(path, LIMIT)
    assert error.value.advice


def test_every_cut_of_an_archive_ends_in_an_error_or_a_file(tmp_path: Path) -> None:
    whole = pack(tmp_path, {"a.txt": "text " * 50, "b.txt": "more"}).read_bytes()
    path = tmp_path / "cut.zip"
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ReadError), Archive(path, LIMIT) as archive:
            archive.read("a.txt")


def test_empty_and_too_large_files(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"")
    assert refusal(path) == "it is empty"
    path.write_bytes(bytes(2_000_000))
    assert refusal(path, limit=1_000_000) == "it has 2 MB, the limit is 1 MB"


# -- XML

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE l [<!ENTITY l0 "lol">{LAUGHS}]>'


def test_plain_xml() -> None:
    root = parse_xml('<?xml version="1.0"?><!-- no --><a xmlns="urn:x"><b c="d">é中</b></a>'.encode())
    assert [(element.tag, element.text) for element in root.iter()] == [("{urn:x}a", None), ("{urn:x}b", "é中")]


def test_a_document_type_without_entities_is_fine() -> None:
    content = (
        b'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx/>'
    )
    assert parse_xml(content).tag == "ncx"


@pytest.mark.parametrize(
    "content",
    [
        f"{BOMB}<a>&l9;</a>".encode(),
        f'{BOMB}<a b="&l9;"/>'.encode(),
        f"{BOMB}<a/>".encode(),
        f"{BOMB}<a>&l9;</a>".encode("utf-16"),
        b'<!DOCTYPE a [<!ENTITY x "' + b"y" * 50_000 + b'">]><a>' + b"&x;" * 50_000 + b"</a>",
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a>text</a>',
        b"<a>" * 100_000 + b"</a>" * 100_000,
        b"",
        b"no xml",
        b"<a>",
        b"<a>\0</a>",
        b"<a>" + b"x" * 10_500_000 + b"</a>",
    ],
    ids=[
        "laughs", "in an attribute", "unused", "utf-16", "quadratic", "local file", "parameter", "depth", "empty", "text", "open", "NUL",
        "long",
    ],
)  # fmt: skip
def test_hostile_xml_is_refused(content: bytes) -> None:
    with pytest.raises(ReadError) as error:
        parse_xml(content)
    assert error.value.advice
    assert "XML_PARSE" not in error.value.reason
