"""Files as the programs that keep bibliographies write them into their entries."""

import base64
import plistlib

import pytest

from scholarmind.adapters.readers.bibliography.bibliography_record import files_of


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("papers/x.pdf", ["papers/x.pdf"], id="plain"),
        pytest.param("/home/x/p.pdf;/home/x/q.pdf", ["/home/x/p.pdf", "/home/x/q.pdf"], id="two plain ones"),
        pytest.param(
            "Full Text:/home/x/Zotero/storage/AB/p.pdf:application/pdf;Snapshot:/home/x/Zotero/storage/CD/s.html:text/html",
            ["/home/x/Zotero/storage/AB/p.pdf", "/home/x/Zotero/storage/CD/s.html"],
            id="Zotero",
        ),
        pytest.param(
            "files/12/a.pdf:files/12/a.pdf:application/pdf", ["files/12/a.pdf"], id="Zotero, exported with files"
        ),
        pytest.param(
            r"Full Text PDF:C\:\\Users\\x\\Zotero\\storage\\AB\\p.pdf:application/pdf",
            ["/Users/x/Zotero/storage/AB/p.pdf"],
            id="Zotero on Windows",
        ),
        pytest.param(":papers/Devlin2019.pdf:PDF", ["papers/Devlin2019.pdf"], id="JabRef"),
        pytest.param(
            r"my notes\: one:papers/A\: B\; C.pdf:PDF;:b.pdf:PDF", ["papers/A: B; C.pdf", "b.pdf"], id="JabRef, escaped"
        ),
        pytest.param(r":\\\\server\\share\\a.pdf:PDF", ["//server/share/a.pdf"], id="JabRef, on a server"),
        pytest.param(r":C$\backslash$:/Users/me/p.pdf:pdf", ["/Users/me/p.pdf"], id="Mendeley on Windows"),
        pytest.param(r":home/me/Smith{\_}2019{\&}.pdf:pdf", ["home/me/Smith_2019&.pdf"], id="Mendeley"),
        pytest.param(r":home/me/G{\"{o}}del 1931.pdf:pdf", ["home/me/Gödel 1931.pdf"], id="Mendeley, accents"),
        pytest.param(r"C:\Users\x\Papers\a.pdf", ["/Users/x/Papers/a.pdf"], id="Windows"),
        pytest.param(r"D:\papers\a.pdf;D:\papers\b.pdf", ["/papers/a.pdf", "/papers/b.pdf"], id="two of Windows"),
        pytest.param(r":C:\Users\x\a.pdf:PDF", ["/Users/x/a.pdf"], id="Windows with a type"),
        pytest.param(r"\\server\share\a.pdf", ["//server/share/a.pdf"], id="server"),
        pytest.param("C:/x/y.pdf", ["/x/y.pdf"], id="Windows with slashes"),
        pytest.param("file:///home/x/a%20b.pdf", ["/home/x/a b.pdf"], id="address of a file"),
        pytest.param("file://localhost/Users/me/a.pdf", ["/Users/me/a.pdf"], id="address with a host"),
        pytest.param("internal-pdf://0123/x.pdf", ["0123/x.pdf"], id="EndNote"),
        pytest.param(r"http://x.org/a.pdf;:http\://x.org/b.pdf:URL", [], id="the web"),
        pytest.param("Smith - Title: subtitle.pdf", ["Smith - Title: subtitle.pdf"], id="colon in a name"),
        pytest.param("a.pdf:PDF;desc:path/b.pdf", ["a.pdf", "path/b.pdf"], id="two parts"),
        pytest.param("a.pdf;a.pdf", ["a.pdf"], id="twice"),
        pytest.param("论文/王小明：注意力.pdf", ["论文/王小明：注意力.pdf"], id="Chinese"),
        pytest.param(";;:", [], id="nothing"),
        pytest.param("\\", ["/"], id="a backslash"),
    ],
)
def test_file_fields(field: str, expected: list[str]) -> None:
    assert list(files_of({"file": field})) == expected


def test_bibdesk() -> None:
    new = base64.b64encode(
        plistlib.dumps({"relativePath": "../Papers/Smith.pdf", "bookmark": b"book"}, fmt=plistlib.FMT_BINARY)
    )
    old = base64.b64encode(
        plistlib.dumps(
            {"$archiver": "NSKeyedArchiver", "$objects": ["$null", "relativePath", "Papers/Doe.pdf"]},
            fmt=plistlib.FMT_BINARY,
        )
    )
    fields = {
        "bdsk-file-1": new.decode(),
        "bdsk-file-2": f"{old.decode()[:60]}\n\t{old.decode()[60:]}",
        "bdsk-url-1": "http://a.org",
    }
    assert files_of(fields) == ("../Papers/Smith.pdf", "Papers/Doe.pdf")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "no base64!",
        "AAAA",
        base64.b64encode(b"bplist00" + b"\xff" * 40).decode(),
        base64.b64encode(b"<?xml").decode(),
    ],
)
def test_damaged_bookmarks_are_no_files(value: str) -> None:
    assert files_of({"bdsk-file-1": value}) == ()


@pytest.mark.parametrize("piece", ["\\", ":", ";", "a:b;", "{\\", "C:\\x;", "\\:"])
def test_a_million_signs_end_soon(piece: str) -> None:
    assert len(files_of({"file": piece * (300_000 // len(piece))})) <= 50
