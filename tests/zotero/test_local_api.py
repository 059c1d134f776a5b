"""A running Zotero, played by a little server that answers as its local address does."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from zotero_folder import print_pdf

from scholarmind.api import Library
from scholarmind.errors import QueryError, ReadError
from scholarmind.zotero.sync import sync
from scholarmind.zotero.zotero_library import ZoteroLocalApi

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


class PlayedZotero:
    """Objects, and what they are asked by."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.children: dict[str, list[dict[str, Any]]] = {}
        self.collections: list[dict[str, Any]] = []
        self.files: dict[str, str] = {}
        self.better_bibtex: dict[str, str] | None = None
        self.most = 2  # objects of a page, whatever is asked for
        self.asked: list[str] = []
        self.status = 200
        self.address = ""

    def answer(self, path: str) -> tuple[int, str, Any]:
        parts = path.removeprefix("/api/").split("/")
        match parts:
            case ["users", "0", "items"]:
                return self.status, "list", self.items
            case ["users", "0", "items", key, "children"]:
                return 200, "list", self.children.get(key, [])
            case ["users", "0", "collections"]:
                return 200, "list", self.collections
            case ["users", "0", "items", key, "file", "view", "url"] if key in self.files:
                return 200, "text", self.files[key]
            case _:
                return 404, "text", "Not found"


@pytest.fixture
def played() -> Iterator[PlayedZotero]:
    """A Zotero that listens."""
    zotero = PlayedZotero()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            zotero.asked.append(url.path)
            status, kind, body = zotero.answer(url.path)
            headers = {}
            if kind == "list" and status == 200:
                start = int(parse_qs(url.query).get("start", ["0"])[0])
                headers["Total-Results"] = str(len(body))
                body = json.dumps(body[start : start + zotero.most])
            self.reply(status, body if isinstance(body, str) else json.dumps(body), headers)

        def do_POST(self) -> None:
            keys = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["params"][0]
            found = zotero.better_bibtex
            if found is None:
                self.reply(404, "No endpoint found", {})
            else:
                self.reply(200, json.dumps({"jsonrpc": "2.0", "result": {key: found.get(key) for key in keys}}), {})

        def reply(self, status: int, body: str, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    zotero.address = f"http://127.0.0.1:{server.server_port}/api"
    yield zotero
    server.shutdown()
    server.server_close()


def put(zotero: PlayedZotero, key: str, kind: str, **data: Any) -> dict[str, Any]:
    made = {"key": key, "version": 1, "links": {}, "data": {"key": key, "itemType": kind, **data}}
    zotero.items.append(made)
    return made


@pytest.fixture
def filled(played: PlayedZotero, tmp_path: Path) -> PlayedZotero:
    """The same with a paper, its PDF, a note and a highlight, and a book that is in no collection."""
    file = tmp_path / "my files" / "Berg 2021.pdf"
    file.parent.mkdir()
    print_pdf(file, "Tides in Narrow Bays\n\nAbstract\nThe highest tide of the northern bay was 11.3 metres.")
    author = {"creatorType": "author", "firstName": "Anna", "lastName": "Berg"}
    put(
        played,
        "TIDES001",
        "journalArticle",
        title="Tides in Narrow Bays",
        creators=[author],
        date="March 2021",
        tags=[{"tag": "to read"}],
        collections=["HARBOUR1"],
    )
    pdf = put(
        played, "TIDESPDF", "attachment", parentItem="TIDES001", linkMode="imported_file", contentType="application/pdf"
    )
    pdf["links"] = {"enclosure": {"href": file.as_uri(), "type": "application/pdf"}}
    put(played, "NOTETIDE", "note", parentItem="TIDES001", note="<p>The buoy was broken.</p>")
    put(played, "BOOK0001", "book", title="A Short History of Harbours", extra="Citation Key: moor1998", collections=[])
    position = json.dumps({"pageIndex": 0})
    played.children["TIDESPDF"] = [
        {
            "key": "MARKED01",
            "data": {
                "key": "MARKED01",
                "itemType": "annotation",
                "parentItem": "TIDESPDF",
                "annotationType": "highlight",
                "annotationText": "the northern bay was 11.3 metres",
                "annotationPageLabel": "41",
                "annotationPosition": position,
            },
        }
    ]
    played.collections += [
        {"key": "SHORES01", "data": {"key": "SHORES01", "name": "Shores", "parentCollection": False}},
        {"key": "HARBOUR1", "data": {"key": "HARBOUR1", "name": "Harbours", "parentCollection": "SHORES01"}},
    ]
    return played


def test_a_collection_with_those_below_it(filled: PlayedZotero, opened: Callable[[], Library]) -> None:
    filled.better_bibtex = {"TIDES001": "bergTides2021"}
    library = opened()
    found = sync(library, ZoteroLocalApi(filled.address).read("Shores"), into="zotero")
    assert (found.name, found.items, found.files, found.notes) == ("Shores", 1, 1, 2)
    by_title = {document.title: document for document in library.documents()}
    assert by_title["Tides in Narrow Bays"].metadata["tags"] == ("to read",)
    opens = by_title["Highlight (p. 41) on “Tides in Narrow Bays”"].metadata["zotero_pdf"]
    assert opens == "zotero://open-pdf/library/items/TIDESPDF?page=1&annotation=MARKED01"
    assert list(library.citation_keys([by_title["Tides in Narrow Bays"]]).values()) == ["bergTides2021"]


def test_all_pages_are_asked_for_and_keys_need_no_better_bibtex(filled: PlayedZotero) -> None:
    contents = ZoteroLocalApi(filled.address).read()
    assert sorted(data["key"] for data in contents.objects) == [
        "BOOK0001",
        "MARKED01",
        "NOTETIDE",
        "TIDES001",
        "TIDESPDF",
    ]
    assert filled.asked.count("/api/users/0/items") == 2
    assert contents.keys == {}


def test_a_file_is_asked_for_where_it_is_not_named(filled: PlayedZotero, tmp_path: Path) -> None:
    filled.items[1]["links"] = {}
    filled.files["TIDESPDF"] = (tmp_path / "潮汐 1.pdf").as_uri()
    [attachment] = [data for data in ZoteroLocalApi(filled.address).read().objects if data["key"] == "TIDESPDF"]
    assert attachment["file"] == str(tmp_path / "潮汐 1.pdf")


def test_what_does_not_answer_as_zotero_does(played: PlayedZotero) -> None:
    played.status = 403
    with pytest.raises(ReadError, match=r"Zotero answers 403 .* allow other applications"):
        ZoteroLocalApi(played.address).read()
    with pytest.raises(ReadError, match=r"is not Zotero|answers 404"):
        ZoteroLocalApi(played.address.replace("/api", "/other")).read()
    with pytest.raises(ReadError, match="does not answer"):
        ZoteroLocalApi("http://127.0.0.1:9/api").read()
    with pytest.raises(QueryError, match="is not on this machine"):
        ZoteroLocalApi("http://example.org/api").read()
