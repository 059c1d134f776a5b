"""What people should not send, and how the service bears it."""

import io
import socket
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service.conftest import Served, start, stop, until
from tests.service.test_rest import finished

from scholarmind.service.uploads import clean_name, find_words

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
FORM = "content-type: multipart/form-data; boundary=x"
UPLOAD = "/api/v1/collections/hostile/documents"


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service that takes two megabytes and no more."""
    running = start(folder, "--upload-megabytes", "2")
    yield running
    stop(running)


@pytest.fixture(autouse=True)
def _is_well_afterwards(served: Served) -> Iterator[None]:
    """Whatever was sent: the service answers, and nothing is left half done."""
    yield
    with served.client() as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    until(lambda: not list((served.library / "uploads").glob(".*.part")))


def raw(served: Served, *pieces: bytes, end: bool = False) -> bytes:
    """Send bytes, and return what comes back until the other side ends it."""
    name, _, port = served.address.removeprefix("http://").partition(":")
    with socket.create_connection((name, int(port)), timeout=20) as connection:
        got = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
            if end:
                connection.shutdown(socket.SHUT_WR)
            while more := connection.recv(65_536):
                got += more
        except (ConnectionResetError, BrokenPipeError):
            pass
        return got


# -- names


@pytest.mark.parametrize(
    "name",
    [
        "../../../up.md",
        "..\\..\\up.md",
        "/etc/up.md",
        "a/../../up.md",
        ".up.md",
        "CON.md",
        "x" * 3000 + ".md",
        "\u202egpj.md",
        "é\u0301.md",
    ],
)
def test_no_name_is_a_path(served: Served, client: httpx2.Client, name: str) -> None:
    text = f"# About {len(name)}\n\nThis is number {name.encode()!r}."
    sent = client.post(UPLOAD, files=[("files", (name, text.encode()))])
    assert finished(client, sent.headers["location"])["state"] == "done"
    kept = [path for path in served.library.parent.rglob("*.md") if path.is_file()]
    assert all((served.library / "uploads") in path.parents for path in kept)
    assert not Path("/etc/up.md").exists()


@given(st.text(max_size=300))
def test_a_clean_name_is_one_component(name: str) -> None:
    clean = clean_name(name)
    assert clean
    assert Path(clean).name == clean
    assert not clean.startswith(".")
    assert len(clean.encode()) < 120
    assert not set(clean) & set('/\\\0\n\r"<>|:*?')


@given(st.text(max_size=200), st.text(max_size=30))
def test_quoted_words_are_found_where_they_stand(text: str, quote: str) -> None:
    found = find_words(text, quote)
    if found is not None:
        assert text[slice(*found)].casefold().split() == quote.casefold().split() or text[slice(*found)]


# -- contents


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        pytest.param("x.exe", b"MZ", 415, id="a program"),
        pytest.param("noending", b"text", 415, id="no ending"),
        pytest.param("x.md", b"", 422, id="nothing"),
        pytest.param("x.md", b"x" * 2_500_000, 413, id="too much"),
    ],
)
def test_what_is_no_document_is_refused(client: httpx2.Client, name: str, content: bytes, status: int) -> None:
    assert client.post(UPLOAD, files=[("files", (name, content))]).status_code == status


def test_a_bomb_is_a_problem_in_the_report(client: httpx2.Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b"<Types/>")
        archive.writestr("word/document.xml", b"0" * 400_000_000)
    sent = client.post(
        UPLOAD, files=[("files", ("bomb.docx", packed.getvalue())), ("files", ("not.pdf", b"%PDF-1.7 nonsense"))]
    )
    job = finished(client, sent.headers["location"])
    assert (job["state"], job["report"]["added"]) == ("done", 0)
    assert len(job["report"]["problems"]) == 2
    assert {problem["where"].split(":")[0] for problem in job["report"]["problems"]} == {"bomb.docx", "not.pdf"}


def test_two_gigabytes_are_refused_before_they_are_sent(served: Served) -> None:
    head = f"POST {UPLOAD} HTTP/1.1\r\nhost: localhost\r\n{FORM}\r\ncontent-length: 2147483648\r\n\r\n"
    assert raw(served, head.encode()).startswith(b"HTTP/1.1 413")


def test_a_body_without_a_length_is_counted(served: Served) -> None:
    head = b"POST /api/v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"[" * 65_536 + b"\r\n"
    assert raw(served, head, *[chunk] * 40, b"0\r\n\r\n").startswith(b"HTTP/1.1 413")


def test_an_upload_that_is_cut_leaves_nothing(served: Served) -> None:
    body = b'--x\r\ncontent-disposition: form-data; name="files"; filename="cut.md"\r\n\r\n' + b"half of it " * 100
    head = f"POST {UPLOAD} HTTP/1.1\r\nhost: localhost\r\n{FORM}\r\ncontent-length: 100000\r\n\r\n"
    raw(served, head.encode(), body, end=True)
    assert not list((served.library / "uploads").rglob("cut.md"))


def test_so_many_uploads_are_on_their_way_and_no_more(served: Served, client: httpx2.Client) -> None:
    name, _, port = served.address.removeprefix("http://").partition(":")
    head = f"POST {UPLOAD} HTTP/1.1\r\nhost: localhost\r\n{FORM}\r\ncontent-length: 100000\r\n\r\n--x".encode()

    def sent() -> httpx2.Response:
        return client.post(UPLOAD, files=[("files", ("one.md", b"# One\n\nMore."))])

    with ExitStack() as connections:
        for _ in range(8):
            connections.enter_context(socket.create_connection((name, int(port)))).sendall(head)
        refused = until(lambda: (reply := sent()).status_code == 429 and reply)
        assert int(refused.headers["retry-after"]) > 0
    until(lambda: sent().status_code == 202)


def test_one_file_twice_at_once_is_one_document(served: Served) -> None:
    def send(_: int) -> str:
        with served.client() as client:
            return client.post(
                "/api/v1/collections/twins/documents", files=[("files", ("twin.md", b"# Twins\n\nAlike."))]
            ).headers["location"]

    with ThreadPoolExecutor(4) as threads, served.client() as client:
        for job in threads.map(send, range(4)):
            assert finished(client, job)["state"] == "done"
        assert client.get("/api/v1/collections/twins").json()["documents"] == 1


# -- requests


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[" * 200_000, id="deep"),
        pytest.param(b'{"question": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}", id="deep and whole"),
        pytest.param(b'{"question": "\xff\xfe"}', id="no UTF-8"),
        pytest.param(b'{"question": "\\ud800"}', id="half a character"),
        pytest.param(b'{"question": NaN}', id="no number"),
        pytest.param(b'{"question": "x", "limit": 1e400}', id="endless"),
        pytest.param(b"\0", id="a zero byte"),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/search", "/api/v1/runs", "/v1/chat/completions", "/mcp"])
def test_a_body_that_is_none_is_no_error_of_ours(client: httpx2.Client, path: str, body: bytes) -> None:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    reply = client.post(path, content=body, headers=headers)
    assert reply.status_code < 500, reply.text
    assert "Traceback" not in reply.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", "x" * 100_001),
        ("filter", "(" * 5_000),
        ("collections", ["x"] * 1_000),
    ],
)
def test_what_is_too_long_or_too_deep_is_refused(client: httpx2.Client, field: str, value: Any) -> None:
    reply = client.post("/api/v1/search", json={"question": "x", field: value})
    assert reply.status_code in {400, 422}, reply.text[:200]


def test_a_hundred_thousand_headers_are_not_read(served: Served) -> None:
    lines = b"".join(b"x-%d: y\r\n" % number for number in range(100_000))
    assert raw(served, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n" + lines + b"\r\n")[:12] in {b"HTTP/1.1 400", b""}


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/collections/%00/documents",
        "/api/v1/collections/..%2f..%2fetc/documents",
        "/" + "x" * 30_000,
        "/api/v1/runs/%ff%fe",
    ],
)
def test_strange_addresses_are_found_nowhere(served: Served, target: str) -> None:
    reply = raw(served, f"GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
    assert reply[:10] in {b"HTTP/1.1 4", b"HTTP/1.1 2"}
    assert b"Traceback" not in reply


def test_who_closes_his_half_is_answered(served: Served) -> None:
    reply = raw(served, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", end=True)
    assert reply.startswith(b"HTTP/1.1 200")


def test_nonsense_is_no_request(served: Served) -> None:
    assert raw(served, b"\x16\x03\x01 nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")


def test_a_socket_of_another_kind_is_not_opened(served: Served) -> None:
    upgrade = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\nsec-websocket-version: 13\r\n"
    assert (
        raw(served, b"GET /api/v1/runs HTTP/1.1\r\nhost: localhost\r\n" + upgrade + b"connection: close\r\n\r\n")[:12]
        != b"HTTP/1.1 101"
    )
